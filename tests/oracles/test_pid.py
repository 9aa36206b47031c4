"""The PID servo against sums, filters and the differential equation that it discretises."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.signal import lfilter

import tegotae as tg
from tegotae.control import PID, PSMC
from tegotae.running.probe import Probe

T = 1e-3


def test_without_a_limit_it_is_the_sum_of_its_three_parts():
    velocity = np.random.default_rng(1).standard_normal(500)
    run = PID(proportional=30.0, integral=200.0, derivative=0.5, smoothing=4e-3).run(velocity, period=T)
    x = T * np.cumsum(velocity)
    tau = 4e-3
    smooth = lfilter([T / (tau + T)], [1.0, -tau / (tau + T)], velocity)  # backward Euler of tau y' + y = v
    expected = -(30.0 * x + 200.0 * T * np.cumsum(x) + 0.5 * smooth)
    np.testing.assert_allclose(run.force, expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(run.deviation, x, rtol=1e-10, atol=1e-14)


def test_proportional_and_derivative_alone_are_a_spring_damper():
    velocity = np.sin(np.arange(300) / 20.0)
    spring = tg.SpringDamper(stiffness=40.0, damping=3.0).run(velocity, period=T)
    np.testing.assert_allclose(PID(proportional=40.0, derivative=3.0).run(velocity, period=T).force, spring.force)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_integral_does_not_wind_up(side):
    """Stuck 0.1 m away for 10 s at the limit: the integral stops at what the limit leaves, and lets go at once."""
    servo = PID(proportional=20.0, integral=50.0, limit=5.0).start(period=T)
    forces = side * np.array([servo.control(reference=0.1 * side, measured=0.0) for _ in range(10_000)])
    # P gives 2 N at once, the integral brings the rest in 3 N / (50 N/(m s) 0.1 m) = 0.6 s
    assert forces[0] == pytest.approx(2.0 + 50.0 * 0.1 * T)
    assert np.argmax(forces >= 5.0 - 1e-9) == pytest.approx(600, abs=1)
    assert forces[-1] == 5.0
    assert side * servo["integral_force"] == pytest.approx(-3.0, abs=1e-12)
    # the deviation turns round: the force does too, within that tick; ten wound-up seconds would have added 47 N
    turned = side * servo.control(reference=0.0, measured=0.1 * side)
    assert turned == pytest.approx(3.0 - 2.0 - 50.0 * 0.1 * T, abs=1e-12)


def test_the_first_tick_has_no_derivative_kick():
    servo = PID(proportional=10.0, derivative=5.0).start(period=T)
    assert servo.control(reference=1.0, measured=0.0) == pytest.approx(10.0)
    assert servo.control(reference=1.0, measured=1e-3) == pytest.approx(9.99 - 5.0)


gains = st.floats(0.0, 1e3)


@settings(max_examples=60, deadline=None)
@given(
    P=gains, J=gains, D=gains, tau=st.sampled_from([0.0, 1e-3, 1e-1]), F=st.floats(0.1, 100.0), seed=st.integers(0, 99)
)
def test_limited_continuous_and_never_rising(P, J, D, tau, F, seed):
    """|f| <= F at any time; the answer falls with the velocity, without jumps, with the slope that it claims."""
    servo = PID(proportional=P, integral=J, derivative=D, smoothing=tau, limit=F)
    velocity = np.random.default_rng(seed).standard_normal(200)
    run = servo.run(velocity, period=T)
    assert np.abs(run.force).max() <= F
    probe = Probe(servo, T)
    for v in velocity[:20]:
        probe.advance(v)
    trials = np.linspace(-50.0, 50.0, 401)
    answers = [probe.answer(v) for v in trials]
    force, slope = (np.ravel(column) for column in zip(*answers, strict=True))
    steepest = P * T + D * T / (tau + T) + J * T * T
    drop = -np.diff(force) / np.diff(trials)
    assert (drop >= -1e-9).all()
    assert (drop <= steepest * (1 + 1e-9) + 1e-9).all()
    inside = (np.abs(force[:-1]) < F) & (np.abs(force[1:]) < F)
    np.testing.assert_allclose(-drop[inside], slope[:-1][inside], rtol=1e-6, atol=1e-7)
    # Beyond the limit nothing yields; on a corner, where it is met exactly, either slope is one.
    bound = np.abs(force) == F
    np.testing.assert_allclose(-slope[bound & (slope != 0.0)], steepest, rtol=1e-9)
    if (free := np.flatnonzero(~bound)).size:
        unlimited = force[free[0]] - steepest * (trials - trials[free[0]])
        assert (slope[np.abs(unlimited) > F + 1e-9 * (F + 100.0 * steepest)] == 0.0).all()
    else:
        assert (slope[1:-1] == 0.0).all()


def test_a_loaded_mass_returns_to_its_reference_as_its_differential_equation_does():
    """M x'' = h - P x - J int x - D x'; first order in the period, and no deviation is left in the end."""
    M, P, J, D, h = 2.0, 200.0, 900.0, 30.0, 7.0

    def rhs(t, y):
        return [y[1], (h - P * y[0] - J * y[2] - D * y[1]) / M, y[0]]

    exact = solve_ivp(rhs, (0.0, 0.5), [0.0, 0.0, 0.0], rtol=1e-10, atol=1e-13).y[0, -1]
    machine = tg.Circuit(tg.Mass(mass=M), {"servo": PID(proportional=P, integral=J, derivative=D)})
    errors = [machine.run(np.full(round(0.5 / step), h), period=step).position[-1] - exact for step in (1e-3, 5e-4)]
    assert abs(errors[1]) < 1e-4
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.05)
    late = machine.run(np.full(20_000, h), period=1e-3)
    assert late.position[-1] == pytest.approx(0.0, abs=1e-10)
    assert late["servo.integral_force"][-1] == pytest.approx(h, rel=1e-9)


@pytest.mark.parametrize(
    "bad",
    [{"proportional": -1.0}, {"proportional": np.nan}, {"proportional": 1.0, "limit": 0.0}, {"proportional": "1"}],
)
def test_bad_gains_are_refused(bad):
    with pytest.raises(tg.InputError, match="PID"):
        PID(**bad)


def test_a_measurement_that_is_not_finite_is_refused_and_changes_nothing():
    servo = PID(proportional=1.0).start(period=T)
    servo.control(reference=0.0, measured=1.0)
    before = servo.state
    with pytest.raises(tg.InputError, match="finite"):
        servo.control(reference=0.0, measured=np.nan)
    assert servo.state == before


@pytest.mark.parametrize(
    "servo", [PID(proportional=100.0, derivative=2.0), PSMC(proportional=100.0, derivative=2.0, limit=90.0)]
)
def test_a_copied_or_restored_servo_goes_on_where_it_was(servo):
    live = servo.start(period=1e-3)
    live.control(0.1, 0.0)
    restored = servo.start(period=1e-3)
    restored.state = live.state
    others = copy.copy(live), copy.deepcopy(live), pickle.loads(pickle.dumps(live)), restored
    force = live.control(0.2, 0.05)
    assert [other.control(0.2, 0.05) for other in others] == [force] * 4
    assert servo.start(period=1e-3).control(0.2, 0.05) != force  # one that begins has no derivative yet
    state = live.state
    state["begun"] = 2
    with pytest.raises(tg.InputError, match="begun=2 cannot be in its state"):
        live.state = state
    with pytest.raises(tg.InputError, match=r"begun=0\.5 is not whole"):
        state["begun"] = 0.5
