"""Each classic against its own published equation: integrated by scipy, in closed form, or written out in Python."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

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
COULOMB = tg.Coulomb(4.0)
STRIBECK = tg.Stribeck(kinetic=3.0, static=5.0, velocity=0.01)
LAWS = pytest.mark.parametrize(
    "law", [COULOMB, STRIBECK, tg.Viscous(4.0, 20.0)], ids=["coulomb", "stribeck", "viscous"]
)


def motion(ticks=120, scale=0.03, seed=1):
    """Strokes of all lengths both ways, with rests and with bursts, so that every branch of a model is met."""
    random = np.random.default_rng(seed)
    velocity = scale * np.repeat(random.standard_normal(ticks // 4) * 10 ** random.uniform(-1.5, 0.7, ticks // 4), 4)
    velocity[ticks // 2 : ticks // 2 + 8] = 0.0
    return velocity


def integrate(rate, velocity, *, max_step=T):
    """The state at the end of each tick of z' = rate(z, v), v constant in each tick."""
    z, ends = 0.0, []
    settings = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-18, "max_step": max_step}
    for v in velocity:
        z = solve_ivp(lambda t, y, v=v: [rate(y[0], v)], (0.0, T), [z], **settings).y[0, -1]
        ends.append(z)
    return np.array(ends)


def test_tanh_is_its_formula():
    v = motion()
    assert Tanh(limit=4.0, velocity=1e-3).run(v, period=T).force == pytest.approx(-4.0 * np.tanh(v / 1e-3), abs=1e-14)


@pytest.mark.parametrize("exponent", [0.5, 1.0, 1.5, 2.0])
def test_dahl_is_its_equation(exponent):
    K, F = 6000.0, 4.0

    def rate(e, v):
        y = 1.0 + np.sign(v) * K * e / F
        return -v * np.sign(y) * abs(y) ** exponent

    v = motion()
    ours = Dahl(stiffness=K, limit=F, exponent=exponent).run(v, period=T)
    # Below 1 the limit is met in finite time with an infinite slope of the rate, which the integrator only steps over.
    tolerance = 1e-11 if exponent >= 1.0 else 1e-5
    assert ours.force == pytest.approx(K * integrate(rate, v), abs=tolerance)
    assert np.abs(ours.force).max() <= F * (1.0 + 1e-14)


def test_dahl_first_loading_in_closed_form():
    v, K, F = 0.02, 6000.0, 4.0
    run = Dahl(stiffness=K, limit=F).run(np.full(500, v), period=T)
    assert run.force == pytest.approx(-F * -np.expm1(-K * v * run.time / F), abs=1e-12)


def test_brittle_dahl_reaches_its_limit_in_a_finite_distance():
    # y^(1-i) falls linearly with the distance: with i = 1/2 the limit is met after 2 F/K.
    K, F = 1000.0, 1.0
    run = Dahl(stiffness=K, limit=F, exponent=0.5).run(np.full(30, 0.1), period=T)
    x = 0.1 * run.time
    assert run.force == pytest.approx(-F * (1.0 - np.maximum(0.0, 1.0 - K * x / (2 * F)) ** 2), abs=1e-12)
    assert run.force[-1] == -F


@LAWS
def test_lugre_is_its_equation(law):
    s0, s1, s2 = 1e4, 30.0, 2.0
    v = motion()
    g = dict(zip(v, law(v), strict=True))

    def rate(z, v):
        return v - s0 * abs(v) / g[v] * z

    z = integrate(rate, v)
    expected = -(s0 * z + s1 * np.array([rate(a, b) for a, b in zip(z, v, strict=True)]) + s2 * v)
    run = LuGre(stiffness=s0, damping=s1, law=law, viscosity=s2).run(v, period=T)
    assert run.force == pytest.approx(expected, abs=1e-11)
    assert run.deflection == pytest.approx(-z, abs=1e-15)


def blend(z, v, z_ba, z_ss):
    """alpha(z, v) as published, branch by branch."""
    if np.sign(z) != np.sign(v) or abs(z) <= z_ba:
        return 0.0
    if abs(z) >= z_ss:
        return 1.0
    return 0.5 * math.sin(math.pi * (abs(z) - 0.5 * (z_ss + z_ba)) / (z_ss - z_ba)) + 0.5


@LAWS
@pytest.mark.parametrize("breakaway", [0.5, 2.5, 2.97])
def test_elastoplastic_is_its_equation(law, breakaway):
    s0, s1, s2 = 1e4, 30.0, 2.0
    v = motion(ticks=80)
    g = dict(zip(v, law(v), strict=True))

    def rate(z, v):
        z_ss = g[v] / s0
        return v * (1.0 - blend(z, v, breakaway / s0, z_ss) * np.sign(v) * z / z_ss)

    # The published rate has a corner at breakaway, over which the integrator loses its order: it is held to short
    # steps, and its error (3e-9 N with steps of a tick, 2e-11 N with these, falling) sets the tolerance.
    z = integrate(rate, v, max_step=T / 20)
    expected = -(s0 * z + s1 * np.array([rate(a, b) for a, b in zip(z, v, strict=True)]) + s2 * v)
    run = Elastoplastic(stiffness=s0, damping=s1, law=law, breakaway=breakaway, viscosity=s2).run(v, period=T)
    assert s0 * run.deflection == pytest.approx(-s0 * z, abs=2e-10)
    assert run.force == pytest.approx(expected, abs=1e-9)


def test_elastoplastic_one_long_tick_is_many_short_ones():
    model = Elastoplastic(stiffness=1e4, damping=0.0, law=COULOMB, breakaway=2.0)
    long = model.run(np.full(10, 0.3), period=1e-3).deflection
    short = model.run(np.full(10_000, 0.3), period=1e-6, every=1000).deflection
    assert long == pytest.approx(short, rel=1e-12)


@LAWS
def test_generalised_maxwell_slip_is_its_equations(law):
    ks, shares, C, s2 = [1e4, 6e3, 2e3], [0.2, 0.3, 0.5], 200.0, 1.5
    v = motion(ticks=200)
    model = GeneralisedMaxwellSlip(stiffness=ks, fractions=shares, law=law, attraction=C, viscosity=s2)
    names = [f"force_{i}" for i in (1, 2, 3)]
    run = model.run(v, period=T, record=["force", *names])
    total = s2 * v
    for k, a, name in zip(ks, shares, names, strict=True):
        expected = element_by_events(k, a, C, law, v)
        assert run[name] == pytest.approx(expected, abs=1e-10)
        total = total + expected
    assert run.force == pytest.approx(-total, abs=1e-9)


def element_by_events(k, a, C, law, velocity):
    """One element as published: scipy integrates stick and slip, and finds the moment it breaks loose."""
    F, before, slipping, ends = 0.0, 0.0, False, []
    for v, g in zip(velocity, law(velocity), strict=True):
        s = np.sign(v) * g
        if v * before <= 0.0:
            slipping = False
        before, t = v, 0.0
        if not slipping and v != 0.0:
            if np.sign(v) * F >= a * g:
                slipping = True
            else:

                def loose(t, y, a=a, s=s):
                    return y[0] - a * s

                loose.terminal = True
                run = solve_ivp(lambda t, y, v=v: [k * v], (0.0, T), [F], events=loose, rtol=1e-12, atol=1e-14)
                F, t, slipping = run.y[0, -1], run.t[-1], run.status == 1
        if slipping and t < T:
            run = solve_ivp(
                lambda t, y, s=s, v=v: [np.sign(v) * C * (a - y[0] / s)], (t, T), [F], rtol=1e-12, atol=1e-14
            )
            F = run.y[0, -1]
        ends.append(F)
    return np.array(ends)


@pytest.mark.parametrize("dimension", [1, 2])
def test_hayward_armstrong_is_the_element_without_mass_and_damping(dimension):
    random = np.random.default_rng(3)
    velocity = 0.05 * random.standard_normal((5000, dimension)).cumsum(axis=0) / 10.0
    ours = tg.FrictionImpedance(stiffness=6000.0, law=COULOMB, dimension=dimension).run(velocity, period=T)
    run = HaywardArmstrong(stiffness=6000.0, limit=4.0, dimension=dimension).run(velocity, period=T)
    # Rounding of the absolute positions it works on: 6000 N/m times the last bit of the way gone.
    away = float(np.abs(run.position).max())
    assert np.abs(run.force - ours.force).max() <= 1e-13 + 4 * 6000.0 * np.spacing(away)
    assert np.abs(np.linalg.norm(run.force, axis=1) - 4.0).min() < 1e-9  # it slid
    assert np.linalg.norm(run.force, axis=1).min() < 3.0  # it stuck


def test_hayward_armstrong_equals_the_element_to_1e_13_within_a_stroke():
    t = T * np.arange(4000)
    path = 2e-3 * np.stack([np.sin(9.0 * t), np.cos(7.0 * t)], axis=1)
    for columns in (path[:, :1], path):
        n = columns.shape[1]
        ours = tg.FrictionImpedance(stiffness=6000.0, law=COULOMB, dimension=n).run(position=columns, period=T)
        run = HaywardArmstrong(stiffness=6000.0, limit=4.0, dimension=n).run(position=columns, period=T)
        assert np.abs(run.force - ours.force).max() <= 1e-13


def test_karnopp_written_out():
    M, Fc, Fs, D = 2.0, 3.0, 4.0, 0.02
    t = T * np.arange(4000)
    load = 6.0 * np.sin(5.0 * t) + 3.0 * np.sin(23.0 * t)
    P, velocities, frictions = 0.0, [], []
    for h in load:
        V = P / M if abs(P / M) > D else 0.0
        friction = math.copysign(min(abs(h), Fs), h) if V == 0.0 else math.copysign(Fc, V)
        P += T * (h - friction)
        velocities.append(P / M if abs(P / M) > D else 0.0)
        frictions.append(-friction)
    run = Karnopp(mass=M, limit=Fc, static=Fs, dead_zone=D).run(load, period=T)
    assert run.velocity == pytest.approx(velocities, abs=1e-12)
    assert run.friction == pytest.approx(frictions, abs=1e-12)
    assert (run.velocity == 0.0).mean() > 0.05
    assert (run.velocity != 0.0).mean() > 0.5


def test_karnopp_stops_where_constant_friction_stops_it():
    # v0^2 M / (2 F), to within the band and the one tick by which forward Euler is late.
    slider = Karnopp(mass=1.0, limit=2.0, static=2.5, dead_zone=1e-3)
    run = slider.run(np.zeros(1000), period=T, initial={"velocity": 1.0})
    assert run.velocity[-1] == 0.0
    assert run.position[-1] == pytest.approx(0.25, abs=T)


def test_explicit_coupling_written_out():
    K, B, M, F = 6000.0, 10.0, 0.01, 4.0
    v = motion(ticks=400, scale=0.01)
    p = q = dq = 0.0
    forces, frictions = [], []
    for vk in v:
        p += T * vk
        f = -K * (p - q) - B * (vk - dq / T)
        u = dq / T - T * f / M
        g = -M * u / T if abs(u) <= T * F / M else -math.copysign(F, u)
        dq += T * T * (g - f) / M
        q += dq
        forces.append(f)
        frictions.append(g)
    run = ExplicitlyCoupledFriction(stiffness=K, damping=B, law=COULOMB, mass=M).run(v, period=T)
    assert run.force == pytest.approx(forces, abs=1e-9)
    assert run.friction == pytest.approx(frictions, abs=1e-9)
