"""The contest of joints that stick, short: both sides do the same work, and what is told of MuJoCo is so."""

import math

import numpy as np
import pytest

from tegotae.bench import peers

pytest.importorskip("mujoco")
TIME = peers.JOINT_STEP * np.arange(1, 4001)


def speed(places: np.ndarray) -> float:
    return float(places[-1] - places[-2]) / peers.JOINT_STEP


def test_a_stiff_joint_holds_and_slides_in_both():
    push = np.full(2000, peers.PUSH)
    for joint in (peers.our_joint, peers.their_joint):
        assert peers.drift(joint(peers.pull(TIME, True), 1e6, 0.0)) < 1e-8
        assert speed(joint(push, 1e6, 0.0)) == pytest.approx(2.0, rel=0.01)  # (PUSH - LIMIT)/MASS for 2 s


def test_damping_of_theirs_acts_against_the_world_and_ours_inside_the_element():
    """Damped by B, theirs ends at (PUSH - LIMIT)/B however long it is pushed; ours goes on gaining speed."""
    push = np.full(2000, peers.PUSH)
    assert speed(peers.their_joint(push, 1e6, 1e3)) == pytest.approx((peers.PUSH - peers.LIMIT) / 1e3, rel=0.01)
    assert speed(peers.our_joint(push, 1e6, 1e3)) == pytest.approx(2.0, rel=0.01)


def test_a_soft_joint_shaken_near_its_resonance_yields_in_truth():
    """What MuJoCo tells there is right: a step a hundred times shorter says the same."""
    stiffness, step, ticks = 1e4, 2e-5, 200_000
    place = rate = bend = 0.0
    places = np.empty(ticks)
    for k in range(ticks):
        force = 0.7 * peers.LIMIT * (1.0 + 0.4 * math.sin(2 * math.pi * 10.0 * (k + 1) * step))
        rate += step * (force - stiffness * bend) / peers.MASS
        place += step * rate
        bend = min(max(bend + step * rate, -peers.LIMIT / stiffness), peers.LIMIT / stiffness)
        places[k] = place
    true = places[-50_000:].mean() - places[50_000:100_000].mean()
    assert true > 0.02
    assert peers.drift(peers.their_joint(peers.pull(TIME, True), stiffness, 0.0)) == pytest.approx(true, rel=0.05)


def test_the_contest_tells_both_sides():
    outcomes = list(peers.sticking_joint(seconds=4.0))
    assert [outcome.met for outcome in outcomes] == [True] * len(peers._JOINTS)
    assert all("ours drifts" in one.measured and "MuJoCo's springyield drifts" in one.measured for one in outcomes)
