"""Hands at the wheel against their formulas, and against the same hand built from a spring and a damper."""

import numpy as np
import pytest

import tegotae as tg
from tegotae.steering.hands import Driver, Hold, Ramp, Sine, TorqueProfile, Trace, Waypoints

T = 1e-3


def test_a_sine_is_at_a_quarter_of_a_hertz_unless_told():
    wanted, rate = Driver(angle=Sine(amplitude=1.2)).angles(T, 4000)
    time = T * np.arange(1, 4001)
    np.testing.assert_allclose(wanted, 1.2 * np.sin(0.5 * np.pi * time), atol=1e-12)
    # the mean rate over a tick is the derivative in its middle, to second order: (pi/2)^3 1.2 T^2/24
    np.testing.assert_allclose(rate, 1.2 * 0.5 * np.pi * np.cos(0.5 * np.pi * (time - T / 2)), atol=4e-7)


@pytest.mark.parametrize(
    "angle",
    [
        Sine(amplitude=0.7, frequency=1.0, centre=0.2),
        Ramp(rate=-2.0, begin=1.0, until=0.05),
        Hold(value=0.4),
        Waypoints(times=[0.01, 0.03], values=[0.0, 1.0]),
        Trace(values=np.linspace(0.0, 1.0, 7), period=0.013),
        0.4,
        lambda time: np.asarray(time) ** 2,
    ],
    ids=["sine", "ramp", "hold", "waypoints", "trace", "number", "function"],
)
def test_the_rate_carries_the_angle_from_tick_to_tick(angle):
    driver = Driver(angle=angle)
    wanted, rate = driver.angles(T, 100)
    assert wanted.shape == rate.shape == (100,)
    start = float(driver.angle(0.0))
    np.testing.assert_allclose(start + T * np.cumsum(rate), wanted, atol=1e-12)
    np.testing.assert_allclose(wanted, [float(driver.angle(T * (k + 1))) for k in range(100)], atol=1e-14)


def test_an_array_has_one_angle_a_tick_and_starts_where_it_starts():
    wanted, rate = Driver(angle=[0.5, 0.5, 0.7]).angles(0.1, 3)
    assert wanted.tolist() == [0.5, 0.5, 0.7]
    np.testing.assert_allclose(rate, [0.0, 0.0, 2.0])


def test_a_driver_on_an_inertia_is_a_circuit_with_a_spring_damper_to_a_moving_base():
    """The hand's formula, integrated by the solver of the circuit, against a loop written out here."""
    driver = Driver(angle=Sine(amplitude=0.5, frequency=1.0))
    wanted, rate = driver.angles(T, 1500)
    hand = tg.SpringDamper(stiffness=driver.stiffness, damping=driver.damping)
    run = tg.Circuit(tg.Mass(mass=0.05), {"hand": hand}, bases=("hand",)).run(bases={"hand": rate}, period=T)
    np.testing.assert_allclose(
        run["hand.force"],
        driver.torque(wanted=wanted, wanted_rate=rate, angle=run.position, rate=run.velocity),
        atol=1e-9,
    )


def test_a_torque_profile_is_sampled_at_the_end_of_each_tick():
    np.testing.assert_allclose(TorqueProfile(torque=Ramp(rate=2.0)).torques(0.5, 3), [1.0, 2.0, 3.0])
    assert TorqueProfile(torque=[1.0, -1.0]).torques(T, 2).tolist() == [1.0, -1.0]
    assert TorqueProfile(torque=1.5).torques(T, 2).tolist() == [1.5, 1.5]


def test_a_hand_for_device_twins_is_the_same_hand():
    hand = Driver(angle=Ramp(rate=2.0)).hand()
    assert hand.force(1.0, position=1.9, velocity=1.0, target_velocity=2.0) == pytest.approx(10.0 * 0.1 + 1.0)
    assert TorqueProfile(torque=Sine(amplitude=3.0)).hand().force(1.0, position=9.0) == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Driver(angle=np.nan), "angle"),
        (lambda: Driver(angle=[0.0, np.inf]), r"angle\[1\]"),
        (lambda: Driver(angle="left"), "angle"),
        (lambda: Driver(angle=0.0, stiffness=-1.0), "stiffness"),
        (lambda: Driver(angle=[0.0, 1.0]).angles(T, 3), "one value a tick"),
        (lambda: Driver(angle=0.0).angles(0.0, 3), "period"),
        (lambda: Driver(angle=0.0).angles(T, 0), "ticks"),
        (lambda: Driver(angle=[0.0, 1.0]).hand(), "Trace"),
        (lambda: Driver(angle=lambda time: 0.0).angles(T, 3), "one value a time"),
        (lambda: Driver(angle=lambda time: np.asarray(time) * np.nan).angles(T, 3), "finite"),
        (lambda: TorqueProfile(torque=[]), "empty"),
        (lambda: Sine(amplitude=1.0, frequency=0.0), "frequency"),
        (lambda: Waypoints(times=[0.0, 0.0], values=[1.0, 2.0]), "rise"),
        (lambda: Waypoints(times=[0.0, 1.0], values=[1.0]), "one value a time"),
        (lambda: Trace(values=[1.0], period=-1.0), "period"),
        (lambda: Ramp(rate=1.0, until=0.0), "until"),
    ],
)
def test_bad_hands_are_refused(make, says):
    with pytest.raises(tg.InputError, match=says):
        make()
