"""Closed forms, forty-digit arithmetic, and the paper's equations written out once more in plain Python."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

import tegotae as tg
from machines import PERIOD, between, elements, laws, motions

T = PERIOD


def forty_digits(law, s):
    """The law in forty-digit arithmetic."""
    s = mpmath.mpf(s)
    if isinstance(law, tg.Coulomb):
        return mpmath.mpf(law.limit)
    if isinstance(law, tg.Viscous):
        return mpmath.mpf(law.limit) + mpmath.mpf(law.viscosity) * s
    if isinstance(law, tg.Stribeck):
        Fc, Fs, vs, n, b = map(mpmath.mpf, law.parameters)
        return Fc + (Fs - Fc) * mpmath.exp(-((s / vs) ** n)) + b * s
    x, y = list(map(mpmath.mpf, law.speeds)), list(map(mpmath.mpf, law.forces))
    if s >= x[-1]:
        return y[-1]
    i = max(k for k in range(len(x)) if x[k] <= s)
    return y[i] + (y[i + 1] - y[i]) * (s - x[i]) / (x[i + 1] - x[i])


@settings(max_examples=150, deadline=None)
@given(law=laws(), c=between(1e-5, 0.2), excess=between(1e-9, 1e3))
def test_slip_speed_solves_its_equation_to_machine_precision(law, c, excess):
    """s + c r(s) = U, the residual taken with forty digits."""
    push = c * law.at_rest * (1.0 + excess)
    _, resolve = law.kernels
    speed, force, _ = resolve(np.array(law.parameters), 0, c, push)
    with mpmath.workdps(40):
        residual = abs(mpmath.mpf(speed) + mpmath.mpf(c) * forty_digits(law, speed) - mpmath.mpf(push))
        # The law itself is only known to a rounding error of its own terms.
        assert residual <= 8 * np.finfo(float).eps * push
        assert abs(force - forty_digits(law, speed)) <= 8 * np.finfo(float).eps * force


def literal_18(element, velocity):
    """[kikuuwe2005 (18a)-(18d)] as printed, with e and v of earlier ticks; the root by Brent's method."""
    K, B, M, law, n = element.stiffness, element.damping, element.mass, element.law, element.dimension
    C = M + T * B + T * T * K
    e1, e2, v1 = np.zeros(n), np.zeros(n), np.zeros(n)
    forces = []
    for v in velocity.reshape(len(velocity), n):
        u = v - T * K / C * e1 - M / C * (v - v1 - (e1 - e2) / T)
        size = np.linalg.norm(u)
        if size <= T * law.at_rest / C:
            g = -C * u / T
        else:

            def gap(s, size=size):
                return s + T / C * float(law(s)) - size

            s = brentq(gap, 0.0, size, xtol=1e-16, rtol=1e-15)
            g = -float(law(s)) * u / size
        e = e1 - T * v + T * (u + T * g / C)
        forces.append(K * e + B * (e - e1) / T)
        e1, e2, v1 = e, e1, v
    return np.array(forces).reshape(velocity.shape)


@settings(max_examples=40, deadline=None)
@given(data=st.data(), element=elements(lags=(0.0,)))
def test_impedance_equals_the_printed_equations(data, element):
    velocity = data.draw(motions(element.dimension, ticks=120))
    ours, printed = element.run(velocity, period=T).force, literal_18(element, velocity)
    # (18a) rebuilds w from differences of e, which costs it M/T^2 in rounding.
    noise = 1e-11 + 1e-13 * element.mass / T**2 / max(element.stiffness * 1e-3, 1.0)
    scale = np.abs(printed).max() + element.law.at_rest
    np.testing.assert_allclose(ours, printed, atol=noise * scale)


# Not whole multiples of T F/M, where rounding of 1500 subtractions decides the last tick.
@pytest.mark.parametrize("speed", [0.1011, 0.1234567, 3.0005])
def test_finite_stopping_time(speed):
    """Freely sliding, it stops in ceil(M v0/(T F)) ticks and not one later: v_k = v0 - k T F/M."""
    M, F = 2.0, 4.0
    ticks = math.ceil(M * speed / (T * F))
    run = tg.FrictionAdmittance(mass=M, law=tg.Coulomb(F)).run(
        np.zeros(ticks + 50), period=T, initial={"velocity": speed}
    )
    k = np.arange(1, ticks)
    np.testing.assert_allclose(run.velocity[: ticks - 1], speed - k * T * F / M, rtol=0, atol=1e-12)
    assert run.velocity[ticks - 2] > 0.0
    assert (run.velocity[ticks - 1 :] == 0.0).all()


def test_viscous_decay_closed_form():
    """v' = -(F + b v)/M by backward Euler: (v + F/b) shrinks by 1/(1 + T b/M) a tick until it stops."""
    M, F, b, v0 = 1.0, 2.0, 5.0, 1.0
    run = tg.FrictionAdmittance(mass=M, law=tg.Viscous(F, b)).run(np.zeros(400), period=T, initial={"velocity": v0})
    k = np.arange(1, 401)
    exact = np.maximum((v0 + F / b) * (1 + T * b / M) ** -k - F / b, 0.0)
    np.testing.assert_allclose(run.velocity, exact, atol=1e-13)


def test_printed_approximation_5_reverses_where_ours_does_not():
    """(5) takes the law at a guessed speed; with T b/M > 1 that throws the velocity to the other side."""
    M, law, v0 = 1e-3, tg.Viscous(1.0, 5.0), 10.0
    guess = v0 - T * law.at_rest / M
    by_5 = v0 - T / M * float(law(guess))
    ours = tg.FrictionAdmittance(mass=M, law=law).run([0.0], period=T, initial={"velocity": v0}).velocity[0]
    assert by_5 < 0.0 < ours


def test_steady_sliding_stretch():
    """Dragged at constant speed the spring carries r(v): e = -r/K, whatever the damping."""
    law = tg.Stribeck(kinetic=3.0, static=3.5, velocity=0.2, viscosity=2.0)
    run = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=law).run(np.full(3000, 0.05), period=T)
    force = float(law(0.05))
    np.testing.assert_allclose(run.force[-1], -force, rtol=1e-12)
    np.testing.assert_allclose(run.deflection[-1], -force / 6000.0, rtol=1e-12)


def test_lag_follows_its_differential_equation():
    """With the slip speed prescribed by a very stiff element, the friction is r(z), z' = (s - z)/tau."""
    tau, law = 0.05, tg.Stribeck(kinetic=2.0, static=4.0, velocity=0.1)
    element = tg.FrictionImpedance(stiffness=1e8, damping=1e4, law=law, lag=tau)
    fine = 1e-5
    time = fine * np.arange(1, 40001)
    speed = 0.3 + 0.2 * np.sin(8.0 * time)
    run = element.run(speed, period=fine)
    a, w = 1.0 / tau, 8.0  # exact z for s = 0.3 + 0.2 sin(w t), z(0) = 0
    part = 0.2 * a * (a * np.sin(w * time) - w * np.cos(w * time)) / (a * a + w * w)
    exact = 0.3 + part + (-0.3 + 0.2 * a * w / (a * a + w * w)) * np.exp(-a * time)
    late = time > 0.01
    np.testing.assert_allclose(-run.force[late], law(exact[late]), rtol=2e-3)  # first order in the period


def test_lag_zero_is_the_limit_of_small_lag():
    law = tg.Stribeck(kinetic=3.0, static=4.0, velocity=0.2)
    motion = 0.3 * np.sin(0.02 * np.arange(2000))
    without = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=law).run(motion, period=T).force
    with_tiny = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=law, lag=1e-12).run(motion, period=T).force
    np.testing.assert_allclose(with_tiny, without, atol=1e-7)


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.0, 3.0])
def test_steepest_fall_of_stribeck(exponent):
    law = tg.Stribeck(kinetic=3.0, static=5.0, velocity=0.02, exponent=exponent, viscosity=7.0)
    speeds = np.linspace(0.0, 0.1, 2_000_001)
    steepest = np.max(-np.diff(law(speeds)) / np.diff(speeds))
    assert law.steepest_fall == pytest.approx(steepest, rel=1e-3)
    if exponent == 2.0:
        assert law.steepest_fall == pytest.approx(0.8578 * 2.0 / 0.02 - 7.0, rel=1e-4)


def test_uniqueness_bound_is_sharp():
    """Below the damping in the error two sliding speeds solve one tick; above it one does."""
    law = tg.Stribeck(kinetic=3.0, static=5.0, velocity=0.01)
    bare = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=law)
    with pytest.raises(tg.UniquenessError, match=r"Use damping >= 165\.6, or mass >= 0\.156 kg") as refused:
        bare.run([0.0], period=T)
    assert "period=0.001 s" in str(refused.value)

    def two_speeds(damping):
        """s + r(s)/(B + T K) falls somewhere, so one push has several solutions."""
        s = np.linspace(0.0, 0.05, 400_001)
        return bool((np.diff(s + law(s) / (damping + T * 6000.0)) < 0.0).any())

    assert two_speeds(165.5)
    assert not two_speeds(165.6)
    tg.FrictionImpedance(stiffness=6000.0, damping=165.6, law=law).run([0.0], period=T)
    tg.FrictionImpedance(stiffness=6000.0, damping=10.0, mass=0.157, law=law).run([0.0], period=T)


def test_custom_law_equals_the_built_in_one():
    stribeck = tg.Stribeck(kinetic=3.0, static=4.0, velocity=0.1)
    same = tg.CustomLaw(lambda s: 3.0 + math.exp(-((s / 0.1) ** 2)))
    motion = 0.3 * np.sin(0.02 * np.arange(1000))
    runs = [
        tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=law).run(motion, period=T).force
        for law in (stribeck, same)
    ]
    np.testing.assert_allclose(runs[0], runs[1], atol=1e-12)
