"""Friction compensation: what the spring must give is what friction takes, unless it is told beforehand."""

import numpy as np
import pytest

import tegotae as tg
from tegotae.control import FrictionServo, compare, feedforward, law_feedforward

T = 1e-3
TRUTH = tg.ParallelFriction(stiffness=2e4, damping=2.0, limits=0.2 * np.arange(1, 11))
SERVO = FrictionServo(mass=2.0, stiffness=2e4, damping=250.0, friction=TRUTH)


def reference(seconds=6.0):
    """Reversals of many sizes, from rest."""
    t = np.arange(round(seconds / T)) * T
    rise = np.minimum(1.0, 2.0 * t)
    return 1e-3 * rise**2 * (3.0 - 2.0 * rise) * (np.sin(4.4 * t) + 0.4 * np.sin(14.5 * t + 1.0))


def measured(noise=0.05):
    """Another motion than the reference, and a force sensor's view of the friction on it."""
    t = np.arange(4000) * T
    position = 2e-3 * np.exp(-t / 3.0) * np.sin(6.3 * t)
    velocity = np.diff(position, prepend=0.0) / T
    force = TRUTH.run(velocity, period=T).force
    return velocity, force + noise * np.random.default_rng(3).standard_normal(force.size)


def test_steady_sliding_error_is_friction_over_stiffness():
    """At constant speed v: (sum of limits)/stiffness; viscous parts of the composite vanish once all slide."""
    path = 0.02 * np.clip(np.arange(4000) * T - 0.1, 0.0, None)
    run = SERVO.track(path, period=T)
    assert run.error[-1] == pytest.approx(-11.0 / 2e4, rel=1e-9)


def test_the_force_balance_of_every_tick():
    """M dv/T = inertia fed forward + servo + friction: nothing is delayed by a tick, nothing is left over."""
    path = reference()
    run = SERVO.track(path, period=T)
    velocity = np.diff(path, prepend=path[0]) / T
    fed = 2.0 * np.diff(velocity, prepend=0.0) / T
    change = 2.0 * np.diff(run.velocity, prepend=0.0) / T
    np.testing.assert_allclose(change, fed + run["servo.force"] + run["friction.force"], atol=1e-7)
    np.testing.assert_allclose(run["servo.stretch"], run.error, atol=1e-12)


def test_a_perfect_model_leaves_nothing_for_the_spring():
    path = reference()
    run = SERVO.track(path, period=T, compensation=feedforward(TRUTH, path, period=T))
    assert np.abs(run.error).max() < 1e-12


def test_without_friction_there_is_nothing_to_compensate():
    """The linear servo with its inertia fed forward follows exactly."""
    bare = FrictionServo(mass=2.0, stiffness=2e4, damping=250.0, friction=tg.SpringDamper())
    assert np.abs(bare.track(reference(), period=T).error).max() < 1e-12


def test_a_model_that_is_a_tenth_wrong_leaves_a_tenth_of_the_error():
    """What the spring must give is the part of the force that was not compensated."""
    path = reference()
    wrong = tg.ParallelFriction(stiffness=1.8e4, damping=1.8, limits=0.18 * np.arange(1, 11))
    comparison = compare(SERVO, path, period=T, model=wrong, law=tg.Coulomb(11.0))
    ratio = comparison.rms("composite") / comparison.rms("without")
    assert 0.05 < ratio < 0.2


def test_the_identified_composite_beats_the_plain_law_several_fold():
    """Two elements for the plant's ten, identified with noise from another motion."""
    velocity, force = measured()
    found = tg.fit(tg.ParallelFriction, velocity, force, period=T, elements=2)
    comparison = compare(SERVO, reference(), period=T, model=found.block, law=tg.Coulomb(11.0))
    assert comparison.rms("without") > 20.0 * comparison.rms("composite")
    assert comparison.rms("plain") > 5.0 * comparison.rms("composite")
    assert "better" in str(comparison)


def test_law_feedforward_is_the_law_at_the_reference_speed():
    law = tg.Viscous(limit=2.0, viscosity=10.0)
    np.testing.assert_allclose(law_feedforward(law, [0.0, 1e-3, 1e-3, 0.0], period=T), [0.0, 12.0, 0.0, -12.0])


@pytest.mark.parametrize(
    "call",
    [
        lambda: FrictionServo(mass=0.0, stiffness=1.0, damping=1.0, friction=TRUTH),
        lambda: FrictionServo(mass=1.0, stiffness=1.0, damping=1.0, friction=tg.Mass(mass=1.0)),
        lambda: SERVO.track([0.0, np.nan], period=T),
        lambda: SERVO.track([], period=T),
        lambda: SERVO.track([0.0, 1e-3], period=0.0),
        lambda: SERVO.track([0.0, 1e-3], period=T, compensation=[0.0]),
        lambda: SERVO.track([0.0, 1e-3], period=T, compensation=[0.0, np.inf]),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(tg.InputError):
        call()
