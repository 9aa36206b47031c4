"""The paper's scheme as printed: what its explicit steps cost, and what is wrong with its (9)."""

import math
from dataclasses import replace

import numpy as np
import pytest

import tegotae as tg
from tegotae.errors import DivergenceWarning
from tegotae.steering import Bicycle, Carcass, ContactPatch, SteeringSystem
from tegotae.steering.classics import ExplicitSteering, PrintedSteering
from tegotae.steering.hands import Driver, Sine
from tegotae.steering.system import Column, TorsionBar

PAPER = SteeringSystem.paper()


@pytest.mark.parametrize("speed", [0.0, 20.0, -5.0])
def test_explicit_steps_reach_the_solved_ones_in_first_order(speed):
    system = replace(PAPER, speed=speed)
    driver = Driver(angle=Sine(amplitude=1.2, frequency=0.5))
    apart = []
    for period in (4e-4, 2e-4, 1e-4):
        solved = system.run(hand=driver, duration=1.0, period=period)
        explicit = ExplicitSteering(system=system).run(hand=driver, duration=1.0, period=period)
        apart.append(float(np.max(np.abs(solved.wheel_angle - explicit.wheel_angle))))
        for name in ("tyre_torque", "lateral_force", "stuck", "hand_torque", "train_torque", "steer", "speed", "time"):
            assert explicit[name].shape == solved[name].shape
    slopes = np.diff(np.log(apart)) / math.log(0.5)
    assert slopes == pytest.approx([1.0, 1.0], abs=0.1)
    assert explicit.tyre_torque == pytest.approx(solved.tyre_torque, abs=0.01 * np.abs(solved.tyre_torque).max())
    assert explicit.lateral_force == pytest.approx(solved.lateral_force, abs=0.02 * np.abs(solved.lateral_force).max())


def largest_period(system: SteeringSystem, driver: Driver) -> float:
    """Where explicit steps of I x'' + b x' + k x diverge: 2 b T + k T^2 = 4 I; friction is bounded, so only the hand's
    spring and damper count once the motion is large."""
    inertia, gear = system.column.inertia, system.column.gear
    b, k = gear**2 * driver.damping, gear**2 * driver.stiffness
    return float(np.roots([k, 2.0 * b, -4.0 * inertia]).max())


@pytest.mark.parametrize(("inertia", "expected"), [(2.4, 17.3e-3), (0.05, 0.390e-3)])
def test_explicit_steps_diverge_beyond_a_period_and_solved_ones_do_not(inertia, expected):
    system = replace(PAPER, column=replace(PAPER.column, inertia=inertia))
    driver = Driver(angle=Sine(amplitude=1.2))
    longest = largest_period(system, driver)
    assert longest == pytest.approx(expected, rel=0.01)
    explicit = ExplicitSteering(system=system)
    calm = explicit.run(hand=driver, duration=2000 * 0.97 * longest, period=0.97 * longest)
    assert np.abs(calm.wheel_angle).max() < 1.5
    with pytest.warns(DivergenceWarning):
        wild = explicit.run(hand=driver, duration=20000 * 1.05 * longest, period=1.05 * longest)
    assert not np.isfinite(wild.wheel_angle[-1])
    for period in (1.05 * longest, 0.4):
        solved = system.run(hand=driver, duration=200 * period, period=period)
        assert np.abs(solved.wheel_angle).max() < 1.5


def work_of_a_cycle(scheme, period=1e-3):
    """(9) alone along +-0.1 rad at 0.25 Hz: energy it takes in the second cycle, and the most it has given."""
    steer = 0.1 * np.sin(2.0 * np.pi * 0.25 * np.arange(8001) * period)
    torque = scheme(system=PAPER).train_torque(steer=steer, period=period)
    work = torque[1:] * np.diff(steer)
    return float(work[4000:].sum()), float(-np.cumsum(work).min())


def test_equation_9_as_printed_dissipates_nothing_and_as_corrected_the_hysteresis_of_its_friction():
    taken, given = work_of_a_cycle(PrintedSteering)
    assert abs(taken) < 1e-12
    assert given == pytest.approx(0.03, rel=1e-3)  # T_f times 0.1 rad, out of nothing
    taken, given = work_of_a_cycle(ExplicitSteering)
    assert taken == pytest.approx(4.0 * 0.3 * 0.1, rel=2e-3)  # less what its spring stores at each reversal
    assert given <= 0.0


def test_the_corrected_equation_9_is_the_friction_element_that_the_system_uses():
    steer = 0.1 * np.sin(np.linspace(0.0, 9.0, 900))
    column = PAPER.column
    element = tg.FrictionImpedance(
        stiffness=column.stiffness, damping=column.damping, law=tg.Coulomb(column.friction)
    ).run(position=steer, period=1e-3)
    assert ExplicitSteering(system=PAPER).train_torque(steer=steer, period=1e-3) == pytest.approx(
        -element.force, abs=1e-12
    )


def test_torque_and_start_are_taken_as_the_solved_system_takes_them():
    push = {"force": np.full(400, 0.3), "period": 1e-4, "initial": {"steer": 0.02, "steer_rate": -0.1}}
    solved, explicit = PAPER.run(**push), ExplicitSteering(system=PAPER).run(**push, every=2)
    assert explicit.wheel_angle == pytest.approx(solved.wheel_angle[1::2], abs=2e-4)
    assert explicit.time == pytest.approx(solved.time[1::2])


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: ExplicitSteering(system=replace(PAPER, vehicle=Bicycle())), "slides"),
        (lambda: ExplicitSteering(system=replace(PAPER, column=Column(compliance=TorsionBar()))), "compliance"),
        (
            lambda: ExplicitSteering(system=replace(PAPER, patch=ContactPatch(carcass=Carcass(stiffness=1e5)))),
            "carcass",
        ),
        (
            lambda: ExplicitSteering(
                system=replace(PAPER, patch=ContactPatch(friction=tg.Stribeck(kinetic=0.3, static=0.4, velocity=0.5)))
            ),
            "slip speed",
        ),
        (lambda: ExplicitSteering(system=PAPER).run(period=1e-3), "neither hand nor force"),
        (lambda: ExplicitSteering(system=PAPER).run([0.0, np.nan], period=1e-3), "force"),
        (lambda: ExplicitSteering(system=PAPER).run([0.0], inputs={"speed": np.nan}, period=1e-3), "speed"),
        (lambda: ExplicitSteering(system=PAPER).run([0.0], period=0.0), "period"),
        (lambda: ExplicitSteering(system=PAPER).run([0.0], period=1e-3, initial={"x": 1.0}), "initial"),
        (lambda: ExplicitSteering(system=PAPER).run(hand=Driver(angle=1.0), period=1e-3), "duration"),
        (lambda: ExplicitSteering(system=PAPER).train_torque(steer=[np.inf], period=1e-3), "steer"),
    ],
)
def test_bad_input_is_named(call, told):
    with pytest.raises(ValueError, match=told):
        call()
