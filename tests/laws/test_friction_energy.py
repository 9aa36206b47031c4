"""What must hold for every element, law, mass, lag and dimension."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import tegotae as tg
from machines import PERIOD, elements, laws, motions

few = settings(max_examples=60, deadline=None)


def columns(values):
    return values.reshape(len(values), -1)


@few
@given(data=st.data(), element=elements())
def test_friction_never_returns_energy(data, element):
    """The mover puts in at least what the spring and the virtual mass hold; backward Euler only loses more."""
    velocity = data.draw(motions(element.dimension))
    run = element.run(velocity, period=PERIOD)
    work = -np.cumsum((columns(run.force) * columns(velocity)).sum(axis=1)) * PERIOD
    held = 0.5 * element.stiffness * (columns(run.deflection) ** 2).sum(axis=1)
    held += 0.5 * element.mass * (columns(run.slip_velocity) ** 2).sum(axis=1)
    scale = np.abs(work).max() + held.max()
    assert (work - held >= -1e-12 * scale).all()


@few
@given(data=st.data(), element=elements())
def test_friction_opposes_slip_and_stays_in_its_set(data, element):
    """In slip the friction is r(z) against w; in stick w is exactly zero."""
    velocity = data.draw(motions(element.dimension))
    run = element.run(velocity, period=PERIOD, record=["slip_velocity", "friction", "lagged_speed"])
    slip, friction = columns(run.slip_velocity), columns(run.friction)
    speed, size = np.linalg.norm(slip, axis=1), np.linalg.norm(friction, axis=1)
    assert ((slip * friction).sum(axis=1) <= 0.0).all()
    sliding = speed > 0.0
    np.testing.assert_allclose(size[sliding], element.law(run.lagged_speed[sliding]), rtol=1e-9)
    np.testing.assert_allclose(-(slip * friction).sum(axis=1)[sliding], (speed * size)[sliding], rtol=1e-9)
    if element.lag == 0.0:
        assert (size[~sliding] <= element.law.at_rest * (1 + 1e-12)).all()


@few
@given(data=st.data(), element=elements(masses=(0.0,)))
def test_without_mass_force_is_friction(data, element):
    velocity = data.draw(motions(element.dimension))
    run = element.run(velocity, period=PERIOD)
    np.testing.assert_array_equal(run.force, run.friction)
    shown = element.stiffness * run.deflection + element.damping * (run.slip_velocity - velocity)
    scale = np.abs(run.force).max() + element.stiffness * np.abs(run.deflection).max()
    np.testing.assert_allclose(shown, run.force, atol=1e-9 * scale, rtol=0)


@few
@given(data=st.data(), law=laws(), mass=st.sampled_from([0.1, 1.0, 10.0]), dimension=st.sampled_from([1, 2, 3]))
def test_admittance_keeps_newtons_law_and_opposes(data, law, mass, dimension):
    slider = tg.FrictionAdmittance(mass=mass, law=law, dimension=dimension)
    push = 20.0 * data.draw(motions(dimension))
    run = slider.run(push, period=PERIOD)
    before = np.concatenate([np.zeros((1, dimension)), columns(run.velocity)[:-1]])
    momentum = mass * (columns(run.velocity) - before) / PERIOD
    total = columns(push) + columns(run.friction)
    scale = np.abs(push).max() + np.abs(run.friction).max() + mass / PERIOD * np.abs(run.velocity).max()
    np.testing.assert_allclose(momentum, total, atol=1e-12 * scale, rtol=0)
    assert ((columns(run.velocity) * columns(run.friction)).sum(axis=1) <= 0.0).all()


@settings(max_examples=20, deadline=None)
@given(data=st.data(), element=elements(dimensions=(2,), lags=(0.0,)), angle=st.floats(0.0, 6.28))
def test_vector_friction_has_no_preferred_direction(data, element, angle):
    """Turning the motion turns the force."""
    velocity = data.draw(motions(2))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    straight = element.run(velocity, period=PERIOD).force
    turned = element.run(np.ascontiguousarray(velocity @ turn.T), period=PERIOD).force
    scale = np.abs(straight).max() + element.law.at_rest
    np.testing.assert_allclose(turned, straight @ turn.T, atol=1e-7 * scale)
