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


def states(block, ticks=60):
    """States that a random motion leads to."""
    live = block.start(period=T)
    random = np.random.default_rng(5)
    for v in 0.02 * random.standard_normal(ticks) * 10 ** random.uniform(-1.5, 0.5, ticks):
        live.step(v)
        yield live.state


@KINDS
def test_slope_is_the_derivative_of_the_force(block):
    answer, _ = block.kernels.halves()
    p, random = block.parameters, np.random.default_rng(6)
    wrong, seen = 0, 0
    for s in states(block):
        for v in 0.02 * random.standard_normal(4):
            h = 1e-6 * abs(v)
            ahead, behind = ((answer(p, s, v + k * h, T)[0] - answer(p, s, v, T)[0]) / (k * h) for k in (1, -1))
            slope, scale = answer(p, s, v, T)[1], abs(ahead) + abs(behind) + 1.0
            if abs(ahead - behind) > 1e-3 * scale:
                continue  # a kink lies between: a spring breaks loose there
            seen += 1
            wrong += abs(slope - 0.5 * (ahead + behind)) > 2e-6 * scale
    assert seen > 200
    assert wrong == 0


@KINDS
def test_answer_is_pure_and_advance_agrees_with_it(block):
    answer, advance = block.kernels.halves()
    force = block.slices()["force"].start
    for s in states(block, ticks=20):
        before = s.copy()
        expected, _ = answer(block.parameters, s, 0.013, T)
        np.testing.assert_array_equal(s, before)
        advance(block.parameters, s, 0.013, T)
        assert s[force] == pytest.approx(expected, abs=1e-13)


@KINDS
def test_step_by_step_is_the_whole_run(block):
    velocity = 0.02 * np.sin(0.3 * np.arange(50))
    live = block.start(period=T)
    assert block.run(velocity, period=T).force.tolist() == [live.step(v) for v in velocity]


@KINDS
def test_no_force_rises_faster_than_announced(block):
    answer, _ = block.kernels.halves()
    bound = block.steepest_rise(T)
    speeds = np.concatenate([-np.geomspace(1e-5, 1.0, 40), np.geomspace(1e-5, 1.0, 40)])
    worst = max(answer(block.parameters, s, v, T)[1] for s in states(block) for v in speeds)
    # The bound is found by sampling speeds 4 % apart; between samples a smooth slope may exceed it by little.
    assert worst <= 1.01 * bound + 1e-9


def test_announced_rise_of_lugre_is_its_closed_form():
    # Coulomb, bristle fully against the motion: the damping term rises by 2 s1 exp(-2 - s0 T/s1) at the worst speed.
    s0, s1 = 1e4, 30.0
    block = LuGre(stiffness=s0, damping=s1, law=tg.Coulomb(4.0))
    assert block.steepest_rise(T) == pytest.approx(2.0 * s1 * np.exp(-2.0 - s0 * T / s1), rel=1e-3)


def test_hayward_armstrong_slope_in_two_dimensions():
    block = HaywardArmstrong(stiffness=6000.0, limit=4.0, dimension=2)
    answer, _ = block.kernels.halves()
    live, random = block.start(period=T), np.random.default_rng(7)
    force, slope, ahead, behind, unused = np.zeros(2), np.zeros((2, 2)), np.zeros(2), np.zeros(2), np.zeros((2, 2))
    slid = 0
    for v in 0.5 * random.standard_normal((50, 2)):
        s, h = live.state, 1e-7
        answer(block.parameters, s, v, T, force, slope)
        for k in range(2):
            step = h * np.eye(2)[k]
            answer(block.parameters, s, v + step, T, ahead, unused)
            answer(block.parameters, s, v - step, T, behind, unused)
            assert slope[:, k] == pytest.approx((ahead - behind) / (2 * h), abs=1e-5)
        slid += np.linalg.norm(force) > 4.0 - 1e-9
        assert live.step(v) == pytest.approx(force, abs=1e-13)
    assert 0 < slid < 50


def test_karnopp_slope_outside_inside_and_breaking_away():
    block = Karnopp(mass=2.0, limit=3.0, static=4.0, dead_zone=0.01)
    answer, advance = block.kernels.halves()
    for u, h in [(0.5, 1.0), (-0.5, 1.0), (0.0, 3.9), (0.0, 60.0), (0.0, 4.1)]:
        s = block.initial_state(T, {"velocity": u})
        v, slope = answer(block.parameters, s, h, T)
        difference = (answer(block.parameters, s, h + 1e-4, T)[0] - answer(block.parameters, s, h - 1e-4, T)[0]) / 2e-4
        assert slope == pytest.approx(difference, abs=1e-9)
        advance(block.parameters, s, h, v, T)
        assert s[0] == v


@pytest.mark.parametrize("count", [1, 8])
def test_maxwell_slip_of_any_size(count):
    # More than twelve parameters are handed over as an array, fewer by value: both must work.
    model = GeneralisedMaxwellSlip(stiffness=1e4, fractions=[1 / count] * count, law=STRIBECK, attraction=300.0)
    run = model.run(np.full(2000, 0.5), period=T)
    assert run.force[-1] == pytest.approx(-float(STRIBECK(0.5)), rel=1e-9)


def test_batches():
    sweep = Dahl(stiffness=6000.0, limit=4.0).batch(limit=[1.0, 2.0])
    assert sweep.run(np.full(2000, 0.1), period=T).force[:, -1] == pytest.approx([-1.0, -2.0], abs=1e-12)
