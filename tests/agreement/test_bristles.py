"""Bristles seen from outside, by two successive states, add up to what the kernels summed inside."""

import numpy as np
import pytest

import tegotae as tg
from tegotae.errors import InputError
from tegotae.steering import Carcass, ContactPatch, SteeringSystem
from tegotae.steering.bristles import Bristles, bristle_fields
from tegotae.steering.hands import Driver, Sine
from tegotae.steering.system import Column, TorsionBar

T = 1e-3
TIME = T * np.arange(1, 801)
STEER = 0.15 * np.sin(8.0 * TIME)
THROUGH_ZERO = 8.0 - 20.0 * TIME


@pytest.mark.parametrize("speed", [0.0, 20.0, -3.0, 300.0, THROUGH_ZERO], ids=["0", "20", "-3", "300", "through 0"])
@pytest.mark.parametrize(
    "patch",
    [
        ContactPatch(),
        ContactPatch(stiffness=1e4, damping=0.0, bristles=40, slip_share=0.5),
        ContactPatch(stiffness=1e4, damping=20.0, carcass=Carcass(stiffness=1e5, mass=1.0)),
        ContactPatch(stiffness=1e4, friction=tg.Stribeck(kinetic=0.3, static=0.4, velocity=0.5)),
    ],
    ids=["paper", "brush", "carcass", "stribeck"],
)
def test_they_add_up(patch: ContactPatch, speed: float | np.ndarray) -> None:
    fields = [*bristle_fields(patch), "force", "lateral_force"]
    slip = 0.02 * np.sin(5.0 * TIME)
    run = patch.run(steer=STEER, slip_angle=slip, speed=speed, period=T, record=fields)
    seen = Bristles.of(run, patch)
    # Forces of up to 560 N from stretches over times as short as a bristle's stay.
    np.testing.assert_allclose(seen.force.sum(axis=1), run.lateral_force[1:], atol=1e-6)
    arms = seen.place - patch.centre
    np.testing.assert_allclose(-(arms * seen.force).sum(axis=1), run.torque[1:], atol=1e-7)
    assert (np.abs(seen.force) <= seen.limit + 1e-6).all()
    # On the very edge of its limit rounding decides: allow one bristle now and then.
    differs = np.abs(seen.sticks.mean(axis=1) - run.stuck[1:]) * patch.bristles
    assert differs.max() < 1.5
    assert (differs > 0.5).mean() < 0.01


@pytest.mark.parametrize(
    "system",
    [
        SteeringSystem.paper(speed=20.0),
        SteeringSystem.physical(speed=20.0, bristles=21),
        SteeringSystem(column=Column(compliance=TorsionBar()), speed=20.0),
    ],
    ids=["paper", "physical", "torsion bar"],
)
def test_of_a_steering_system(system: SteeringSystem) -> None:
    driver = Driver(angle=Sine(amplitude=1.2, frequency=1.0))
    run = system.run(
        hand=driver, duration=0.8, period=T, record=[*bristle_fields(system), "lateral_force", "wheel_angle"]
    )
    seen = Bristles.of(run, system)
    np.testing.assert_allclose(seen.force.sum(axis=1), run.lateral_force[1:], atol=1e-6)
    plain = system.run(hand=driver, duration=0.8, period=T)
    np.testing.assert_array_equal(plain.wheel_angle, run.wheel_angle)


def test_a_run_that_recorded_too_little_is_refused() -> None:
    patch = ContactPatch()
    with pytest.raises(InputError, match=r"did not record .*deflection"):
        Bristles.of(patch.run(steer=STEER, speed=1.0, period=T), patch)
    thin = patch.run(steer=STEER, speed=1.0, period=T, every=10, record=bristle_fields(patch))
    with pytest.raises(InputError, match="every=1"):
        Bristles.of(thin, patch)
    run = patch.run(steer=STEER, speed=1.0, period=T, record=bristle_fields(patch))
    with pytest.raises(InputError, match="beyond"):
        Bristles.of(run, patch, ticks=[0])
