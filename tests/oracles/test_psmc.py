"""Proxy-based sliding mode control: a PID in small, a first-order return in large, and never wound up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm

import tegotae as tg
from tegotae.control.servo import PID, PSMC
from tegotae.running.probe import Probe

T = 1e-3
GAINS = {"proportional": 300.0, "integral": 1000.0, "derivative": 6.0}
INERTIA, LIMIT = 0.05, 8.0


class PlainPID:
    """A textbook PID with a torque limit, written out: winding up, or holding its integral while saturated."""

    def __init__(self, conditional):
        self.conditional, self.sum, self.last = conditional, 0.0, None

    def control(self, reference, measured):
        e = reference - measured
        rate = 0.0 if self.last is None else (e - self.last) / T
        self.last = e
        raw = 300.0 * e + 6.0 * rate + 1000.0 * (self.sum + T * e)
        if not (self.conditional and abs(raw) > LIMIT and raw * e > 0.0):
            self.sum += T * e
        return float(np.clip(raw, -LIMIT, LIMIT))


def dragged_and_released(servo, seconds=6.0):
    """Pulled to 1 rad in a quarter of a second, held there until 1 s, let go."""
    q = v = 0.0
    angles = []
    for k in range(round(seconds / T)):
        torque = servo.control(0.0, q)
        if k * T < 1.0:
            q = min(1.0, q + 4.0 * T)
        else:
            v += T * torque / INERTIA
            q += T * v
        angles.append(q)
    return np.array(angles)


def test_torn_away_and_released_it_returns_without_overshoot_where_a_pid_winds_up():
    psmc = dragged_and_released(PSMC(**GAINS, recovery=0.1, limit=LIMIT).start(period=T))
    assert -psmc.min() <= 0.005
    assert abs(psmc[-1]) < 1e-8
    ours = dragged_and_released(PID(**GAINS, limit=LIMIT).start(period=T))
    conditional = dragged_and_released(PlainPID(conditional=True))
    for angles in (ours, conditional):
        assert 0.25 < -angles.min() < 0.5  # thrown at full torque, braked too late
        assert abs(angles[-1]) < 1e-6
    plain = dragged_and_released(PlainPID(conditional=False), seconds=10.0)
    assert np.abs(plain[-2000:]).max() > 10.0  # it never comes back


def test_a_large_deviation_dies_out_with_the_time_constant_it_was_given():
    """While it slides, e + H e' = c + H c' with c of the order F/K: the plant follows exp(-t/H)."""
    H = 0.2
    angles = dragged_and_released(PSMC(**GAINS, recovery=H, limit=LIMIT).start(period=T), seconds=2.0)
    first, last = np.argmax(angles[1000:] < 0.5) + 1000, np.argmax(angles[1000:] < 0.1) + 1000
    assert (last - first) * T == pytest.approx(H * np.log(5.0), rel=0.1)  # F/K = .027 rad blurs the .1


def test_below_the_limit_it_is_the_pid_of_the_same_gains():
    """The same tracking error to rounding: c - e would die out with exp(-t/H), and starts at zero."""
    velocity = 0.05 * np.sin(np.arange(3000) / 100.0)
    psmc = PSMC(**GAINS, recovery=0.1, limit=1e3).run(velocity, period=T)
    pid = PID(**GAINS).run(velocity, period=T)
    np.testing.assert_allclose(psmc.force, pid.force, rtol=0, atol=1e-9)
    reference = 0.3 * np.sin(2.0 * np.pi * 0.5 * T * np.arange(4000))
    errors = []
    for servo in (PSMC(**GAINS, recovery=0.1, limit=LIMIT), PID(**GAINS, limit=LIMIT)):
        live, q, v, error = servo.start(period=T), 0.0, 0.0, []
        for target in reference:
            v += T * live.control(target, q) / INERTIA
            q += T * v
            error.append(target - q)
        errors.append(error)
    np.testing.assert_allclose(errors[0], errors[1], rtol=0, atol=1e-12)
    assert np.abs(errors[1]).max() > 1e-4  # there was something to compare


def test_a_mass_on_it_moves_as_the_linear_equations_say():
    """Unsaturated from c != e: the dense linear system of [q, q', c, a], first order in the period."""
    J, K, B, L, H = 0.5, 80.0, 6.0, 40.0, 0.15
    # c' = (e - c)/H + e' with e = -q;  J q'' = K c + B c' + L a;  a' = c
    lead = np.array([-1.0 / H, -1.0, -1.0 / H, 0.0])
    rates = np.array([[0.0, 1.0, 0.0, 0.0], (K * np.eye(4)[2] + B * lead + L * np.eye(4)[3]) / J, lead, np.eye(4)[2]])
    exact = (expm(0.4 * rates) @ [0.2, 0.0, 0.0, 0.0])[0]
    servo = PSMC(proportional=K, derivative=B, integral=L, recovery=H, limit=1e6)
    machine = tg.Circuit(tg.Mass(mass=J), {"servo": servo})
    start = {"position": 0.2, "servo.deviation": 0.2}
    errors = [machine.run(ticks=round(0.4 / t), period=t, initial=start).position[-1] - exact for t in (1e-3, 5e-4)]
    assert abs(errors[1]) < 2e-3
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.05)


@settings(max_examples=40, deadline=None)
@given(
    K=st.floats(1.0, 1e3),
    L=st.floats(0.0, 1e3),
    B=st.floats(0.0, 1e2),
    H=st.sampled_from([0.0, 1e-2, 1.0]),
    F=st.floats(0.1, 100.0),
    seed=st.integers(0, 99),
)
def test_limited_continuous_and_never_rising(K, L, B, H, F, seed):
    """|f| <= F at any time; the answer falls with the velocity, without jumps, with the slope that it claims."""
    servo = PSMC(proportional=K, integral=L, derivative=B, recovery=H, limit=F)
    velocity = np.random.default_rng(seed).standard_normal(100)
    run = servo.run(velocity, period=T)
    assert np.abs(run.force).max() <= F
    # what the proxy carries is what the plant feels
    np.testing.assert_allclose(
        K * run.lead + B * np.diff(run.lead, prepend=0.0) / T + L * run.integral, run.force, rtol=1e-7, atol=1e-7
    )
    probe = Probe(servo, T)
    for v in velocity[:20]:
        probe.advance(v)
    trials = np.linspace(-50.0, 50.0, 401)
    answers = [probe.answer(v) for v in trials]
    force, slope = (np.ravel(column) for column in zip(*answers, strict=True))
    drop = -np.diff(force) / np.diff(trials)
    assert (drop >= -1e-9).all()
    assert (drop <= (K * T + B + L * T * T) * (1 + 1e-9)).all()
    inside = (np.abs(force[:-1]) < F) & (np.abs(force[1:]) < F)
    np.testing.assert_allclose(-drop[inside], slope[:-1][inside], rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(
    "bad",
    [
        {"proportional": 0.0, "limit": 1.0},
        {"proportional": 1.0, "limit": 0.0},
        {"proportional": 1.0, "limit": np.inf},
        {"proportional": 1.0, "limit": 1.0, "recovery": -1.0},
        {"proportional": np.nan, "limit": 1.0},
    ],
)
def test_bad_gains_are_refused(bad):
    with pytest.raises(tg.InputError, match="PSMC"):
        PSMC(**bad)


def test_a_measurement_that_is_not_finite_is_refused_and_changes_nothing():
    servo = PSMC(proportional=1.0, limit=1.0).start(period=T)
    servo.control(reference=0.0, measured=1.0)
    before = servo.state
    with pytest.raises(tg.InputError, match="finite"):
        servo.control(reference=0.0, measured=np.nan)
    assert servo.state == before
