"""The classics keep the contract: true slopes, an answer that changes nothing, and one that the next state repeats."""

import numpy as np
import pytest

import tegotae as tg
from tegotae.friction.classics import (
    Dahl,
    Elastoplastic,
    ExplicitlyCoupledFriction,
    GeneralisedMaxwellSlip,
    HaywardArmstrong,
    Karnopp,
    LuGre,
    Tanh,
)
from tegotae.running.probe import Probe

T = 1e-3
STRIBECK = tg.Stribeck(kinetic=3.0, static=5.0, velocity=0.01, viscosity=1.0)
GMS = GeneralisedMaxwellSlip(stiffness=[1e4, 4e3], fractions=[0.3, 0.7], law=STRIBECK, attraction=500.0, viscosity=1.0)
IMPEDANCES = [
    Tanh(limit=4.0, velocity=1e-2),
    Dahl(stiffness=6000.0, limit=4.0),
    Dahl(stiffness=6000.0, limit=4.0, exponent=1.7),
    LuGre(stiffness=1e4, damping=30.0, law=STRIBECK, viscosity=2.0),
    Elastoplastic(stiffness=1e4, damping=30.0, law=STRIBECK, breakaway=2.0, viscosity=2.0),
    GMS,
    HaywardArmstrong(stiffness=6000.0, limit=4.0),
    ExplicitlyCoupledFriction(stiffness=6000.0, damping=10.0, law=STRIBECK, mass=0.5),
]
KINDS = pytest.mark.parametrize("block", IMPEDANCES, ids=lambda b: type(b).__name__)


def asked(block, ticks=60):
    """The block in states that a random motion leads to."""
    probe = Probe(block, T)
    random = np.random.default_rng(5)
    for v in 0.02 * random.standard_normal(ticks) * 10 ** random.uniform(-1.5, 0.5, ticks):
        probe.advance(v)
        yield probe


def on_a_line(probe, value):
    """What it gives, and the slope of that, as numbers."""
    given, slope = probe.answer(value)
    return given[0], slope[0, 0]


@KINDS
def test_slope_is_the_derivative_of_the_force(block):
    random = np.random.default_rng(6)
    wrong, seen = 0, 0
    for probe in asked(block):
        for v in 0.02 * random.standard_normal(4):
            h = 1e-6 * abs(v)
            force, slope = on_a_line(probe, v)
            ahead, behind = ((on_a_line(probe, v + k * h)[0] - force) / (k * h) for k in (1, -1))
            scale = abs(ahead) + abs(behind) + 1.0
            if abs(ahead - behind) > 1e-3 * scale:
                continue  # a kink lies between: a spring breaks loose there
            seen += 1
            wrong += abs(slope - 0.5 * (ahead + behind)) > 2e-6 * scale
    assert seen > 200
    assert wrong == 0


@KINDS
def test_answer_is_pure_and_advance_agrees_with_it(block):
    for probe in asked(block, ticks=20):
        before = probe.state.copy()
        expected, _ = on_a_line(probe, 0.013)
        assert probe.state == before
        probe.advance(0.013)
        assert probe.state["force"] == pytest.approx(expected, abs=1e-13)
        probe.state = before


@KINDS
def test_step_by_step_is_the_whole_run(block):
    velocity = 0.02 * np.sin(0.3 * np.arange(50))
    live = block.start(period=T)
    assert block.run(velocity, period=T).force.tolist() == [live.step(v) for v in velocity]


@KINDS
def test_no_force_rises_faster_than_announced(block):
    bound = block.steepest_rise(T)
    speeds = np.concatenate([-np.geomspace(1e-5, 1.0, 40), np.geomspace(1e-5, 1.0, 40)])
    worst = max(on_a_line(probe, v)[1] for probe in asked(block) for v in speeds)
    # The bound is found by sampling speeds 4 % apart; between samples a smooth slope may exceed it by little.
    assert worst <= 1.01 * bound + 1e-9


def test_announced_rise_of_lugre_is_its_closed_form():
    # Coulomb, bristle fully against the motion: the damping term rises by 2 s1 exp(-2 - s0 T/s1) at the worst speed.
    s0, s1 = 1e4, 30.0
    block = LuGre(stiffness=s0, damping=s1, law=tg.Coulomb(4.0))
    assert block.steepest_rise(T) == pytest.approx(2.0 * s1 * np.exp(-2.0 - s0 * T / s1), rel=1e-3)


def test_hayward_armstrong_slope_in_two_dimensions():
    block = HaywardArmstrong(stiffness=6000.0, limit=4.0, dimension=2)
    probe, live, random = Probe(block, T), block.start(period=T), np.random.default_rng(7)
    slid, h = 0, 1e-7
    for v in 0.5 * random.standard_normal((50, 2)):
        force, slope = probe.answer(v)
        for k in range(2):
            step = h * np.eye(2)[k]
            (ahead, _), (behind, _) = probe.answer(v + step), probe.answer(v - step)
            assert slope[:, k] == pytest.approx((ahead - behind) / (2 * h), abs=1e-5)
        slid += np.linalg.norm(force) > 4.0 - 1e-9
        assert live.step(v) == pytest.approx(force, abs=1e-13)
        probe.advance(v)
    assert 0 < slid < 50


def test_karnopp_slope_outside_inside_and_breaking_away():
    block = Karnopp(mass=2.0, limit=3.0, static=4.0, dead_zone=0.01)
    for u, h in [(0.5, 1.0), (-0.5, 1.0), (0.0, 3.9), (0.0, 60.0), (0.0, 4.1)]:
        probe = Probe(block, T, {"velocity": u})
        v, slope = on_a_line(probe, h)
        difference = (on_a_line(probe, h + 1e-4)[0] - on_a_line(probe, h - 1e-4)[0]) / 2e-4
        assert slope == pytest.approx(difference, abs=1e-9)
        probe.advance(h, v)
        assert probe.state["velocity"] == v


@pytest.mark.parametrize("count", [1, 8])
def test_maxwell_slip_of_any_size(count):
    model = GeneralisedMaxwellSlip(stiffness=1e4, fractions=[1 / count] * count, law=STRIBECK, attraction=300.0)
    run = model.run(np.full(2000, 0.5), period=T)
    assert run.force[-1] == pytest.approx(-float(STRIBECK(0.5)), rel=1e-9)


def test_batches():
    sweep = Dahl(stiffness=6000.0, limit=4.0).batch(limit=[1.0, 2.0])
    assert sweep.run(np.full(2000, 0.1), period=T).force[:, -1] == pytest.approx([-1.0, -2.0], abs=1e-12)
