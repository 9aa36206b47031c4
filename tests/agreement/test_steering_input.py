"""What a steering system is made of, who steers it, and what a run keeps: bad input is named where it is given."""

from typing import Any

import numpy as np
import pytest

import tegotae as tg
from tegotae.errors import InputError
from tegotae.steering import (
    Bicycle,
    Column,
    ContactPatch,
    Driver,
    Hold,
    PlanarPatch,
    Sine,
    SteeringSystem,
    TorqueProfile,
    Trace,
)

T = 1e-3
PAPER = SteeringSystem.paper(speed=10.0)


# ------------------------------------------------------------ parts


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: SteeringSystem(patch=PlanarPatch()), r"patch=PlanarPatch.*\n.*ContactPatch\("),  # type: ignore[arg-type]
        (lambda: SteeringSystem(patch=3), "patch=3"),  # type: ignore[arg-type]
        (lambda: SteeringSystem(column=3), "column=3"),  # type: ignore[arg-type]
        (lambda: SteeringSystem(vehicle="car"), "vehicle='car'"),  # type: ignore[arg-type]
        (lambda: SteeringSystem(vehicle=Bicycle), "vehicle=<class"),  # type: ignore[arg-type]
        (lambda: Column(compliance=3), "compliance=3"),  # type: ignore[arg-type]
        (lambda: Bicycle(rear_patch="soft"), "rear_patch='soft'"),  # type: ignore[arg-type]
    ],
)
def test_parts_of_another_kind_are_refused_when_it_is_built(make: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        make()


@pytest.mark.parametrize("kind", [ContactPatch, PlanarPatch])
def test_a_coefficient_of_friction_bears_no_unit(kind: Any) -> None:
    with pytest.raises(InputError, match=r"friction=-0\.4 must be > 0"):
        kind(friction=-0.4)
    with pytest.raises(InputError, match=r"friction='wet' is not a number\."):
        kind(friction="wet")


def test_friction_may_be_a_function_of_the_slip_speed() -> None:
    def falling(speed: float) -> float:
        return 0.3 + 0.1 / (1.0 + speed)

    free = ContactPatch(stiffness=1e4, damping=0.0, friction=falling)
    named = ContactPatch(stiffness=1e4, damping=0.0, friction=tg.CustomLaw(falling))
    assert free.friction == named.friction
    force = free.steady(slip_angle=0.1, speed=20.0).lateral_force
    assert force == named.steady(slip_angle=0.1, speed=20.0).lateral_force
    # Every bristle slides at V alpha = 2 m/s, less what its stretch takes while the load on it grows: mu Fz.
    load = ContactPatch(stiffness=1e4, damping=0.0, friction=1.0).steady(slip_angle=9.0, speed=20.0).lateral_force
    assert force == pytest.approx(falling(2.0) * load, rel=0.01)
    assert force > falling(2.0) * load
    with pytest.raises(InputError, match="Coulomb is a class"):
        ContactPatch(friction=tg.Coulomb)  # type: ignore[arg-type]
    assert PlanarPatch(friction=falling).law == named.law


@pytest.mark.parametrize("angle", [np.nan, np.inf, [0.1, -np.inf]])
def test_no_tyre_settles_at_an_angle_that_is_none(angle: Any) -> None:
    with pytest.raises(InputError, match=r"slip_angle=(nan|inf|-inf) rad is not finite"):
        ContactPatch().steady(slip_angle=angle, speed=20.0)


# ------------------------------------------------------------ hands


def test_a_hand_that_exerts_a_torque_is_that_torque() -> None:
    hand = TorqueProfile(torque=Sine(amplitude=0.8, frequency=2.0))
    run = PAPER.run(hand=hand, duration=0.3, period=T)
    same = PAPER.run(hand.torques(T, 300), period=T)
    np.testing.assert_array_equal(run.wheel_angle, same.wheel_angle)
    np.testing.assert_allclose(run.hand_torque, hand.torques(T, 300), rtol=1e-15)


@pytest.mark.parametrize(
    ("hand", "told"),
    [
        (TorqueProfile(torque=np.ones(9)), "9 values for 1000 ticks"),
        (Hold(value=1.0), r"hand=Hold.*\n.*Driver\(angle=…\), or TorqueProfile"),
        (Trace(values=[0.0, 1.0], period=T), r"hand=Trace.*\n.*TorqueProfile"),
        (np.sin, r"hand=.*\n.*TorqueProfile"),
    ],
)
def test_what_is_no_hand_is_told_what_is(hand: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        PAPER.run(hand=hand, duration=1.0, period=T)


def test_a_driver_holds_the_wheel() -> None:
    with pytest.raises(InputError, match=r"driver=Hold"):
        PAPER.held_by(Hold(value=1.0))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="more than one axis"):
        SteeringSystem(arms=tg.SpringDamper(stiffness=1.0, dimension=2))


def test_live_a_torque_that_is_none_is_named_as_one() -> None:
    live = PAPER.start(period=T)
    with pytest.raises(InputError, match=r"SteeringSystem: force=nan N·m"):
        live.step(np.nan)


# ------------------------------------------------------------ what a run keeps


@pytest.mark.parametrize("every", [1, 3])
def test_a_result_holds_no_more_than_it_names(every: int) -> None:
    torque, speed = 0.8 * np.sin(0.02 * np.arange(300)), np.linspace(5.0, -5.0, 300)
    given = torque.copy(), speed.copy()
    run = PAPER.run(torque, inputs={"speed": speed}, period=T, every=every)
    np.testing.assert_array_equal(torque, given[0])
    np.testing.assert_array_equal(speed, given[1])
    np.testing.assert_allclose(run.hand_torque, torque[every - 1 :: every], rtol=1e-15)
    np.testing.assert_array_equal(run.speed, speed[every - 1 :: every])
    run.speed[:] = 0.0
    np.testing.assert_array_equal(speed, given[1])
    held = {id(owner): owner.nbytes for owner in map(_owner, (v.values for v in run.variables.values()))}
    assert sum(held.values()) == sum(v.values.nbytes for v in run.variables.values())


def _owner(values: Any) -> Any:
    while values.base is not None:
        values = values.base
    return values


def test_what_is_recorded_beside_keeps_its_sign() -> None:
    torque = 0.8 * np.sin(0.02 * np.arange(300))
    run = PAPER.run(torque, period=T, record=["tyre.force", "tyre_torque"])
    np.testing.assert_array_equal(run["tyre.force"], -run.tyre_torque)
    assert np.abs(run.tyre_torque).max() > 0.1
    driven = PAPER.run(hand=Driver(angle=Sine(amplitude=1.0)), duration=0.3, period=T)
    assert np.abs(driven.train_torque).max() > 0.1
