"""The tyres of others against their own published equations, and what sets them apart from bristles that stick."""

import math

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

import tegotae as tg
from tegotae.steering.classics import LuGreTyre, MagicFormula
from tegotae.steering.patch import PlanarPatch
from tegotae.steering.pressure import Uniform

# ---------------------------------------------------------------- the Magic Formula


def test_the_magic_formula_as_printed():
    tyre = MagicFormula(
        stiffness_factor=12.0,
        shape=1.4,
        peak=3000.0,
        curvature=-0.6,
        trail_stiffness_factor=9.0,
        trail_shape=1.1,
        trail=0.04,
        trail_curvature=-2.0,
        centre=0.01,
    )
    for a in (-0.3, -0.01, 0.0, 0.05, 0.2, 1.5):
        held = tyre.steady(slip_angle=a, speed=3.0)
        x, y = 12.0 * a, 9.0 * a
        force = 3000.0 * math.sin(1.4 * math.atan(x + 0.6 * (x - math.atan(x))))
        trail = 0.04 * math.cos(1.1 * math.atan(y + 2.0 * (y - math.atan(y))))
        assert held.lateral_force == pytest.approx(force, rel=1e-13, abs=1e-12)
        assert held.torque == pytest.approx((trail + 0.01) * force, rel=1e-13, abs=1e-12)
    peak = np.abs(tyre.steady(slip_angle=np.linspace(0.0, 1.0, 20001), speed=3.0).lateral_force).max()
    assert peak == pytest.approx(3000.0, rel=1e-6)
    slope = tyre.steady(slip_angle=1e-7, speed=3.0).lateral_force / 1e-7
    assert slope == pytest.approx(12.0 * 1.4 * 3000.0, rel=1e-6)


def test_the_magic_formula_has_no_parking_torque_and_bristles_have():
    """At V = 0 no slip angle is defined, and the formula gives nothing, whatever steer and angle it is told."""
    steer = 0.3 * np.sin(np.linspace(0.0, 12.0, 400))
    parked = MagicFormula().run(steer=steer, slip_angle=steer, speed=0.0, period=1e-3)
    assert not parked.torque.any()
    assert not parked.lateral_force.any()
    bristles = PlanarPatch(stiffness=1e4, damping=0.0, bristles=101).run(steer=steer, speed=0.0, period=1e-3)
    assert np.abs(bristles.torque).max() > 15.0


def test_the_magic_formula_backwards_is_the_brush_backwards():
    """Force and trail turn round together, as they do for bristles."""
    tyre, patch = MagicFormula(), PlanarPatch(stiffness=1e4, damping=0.0, bristles=401)
    for angle in (0.02, 0.1):
        formula, bristles = tyre.steady(slip_angle=angle, speed=-5.0), patch.steady(slip_angle=angle, speed=-5.0)
        assert formula.lateral_force == pytest.approx(bristles.lateral_force, abs=0.015 * 560.0)
        assert formula.torque == pytest.approx(bristles.torque, abs=0.06 * 13.6)


def test_the_magic_formula_is_fitted_to_a_patch():
    """Force within 1.5 % of its peak; the torque within 6 %: a cosine cannot have the straight fall of a brush."""
    angles = np.linspace(-0.16, 0.16, 81)
    patch = PlanarPatch(stiffness=2e4, damping=0.0, friction=0.7, bristles=401).steady(slip_angle=angles, speed=20.0)
    tyre = MagicFormula.fit(angles, lateral_force=patch.lateral_force, torque=patch.torque)
    curve = tyre.steady(slip_angle=angles, speed=20.0)
    assert np.abs(curve.lateral_force - patch.lateral_force).max() < 0.015 * np.abs(patch.lateral_force).max()
    assert np.abs(curve.torque - patch.torque).max() < 0.06 * np.abs(patch.torque).max()
    assert tyre.peak == pytest.approx(0.7 * 1400.0, rel=0.02)


# ---------------------------------------------------------------- the LuGre tyre

FALLING = LuGreTyre(
    stiffness=180.0, damping=0.5, viscosity=0.002, kinetic=0.5, static=0.9, velocity=3.0, load=3000.0, half_length=0.09
)


def distributed(tyre, vx, vy, c):
    """Forces of the distributed LuGre tyre at a constant slip, by quadrature over the patch; front leading."""
    v, L = math.hypot(vx, vy), 2.0 * tyre.half_length
    g = tyre.kinetic + (tyre.static - tyre.kinetic) * math.exp(-((v / tyre.velocity) ** tyre.exponent))
    C = tyre.stiffness * v / g

    def friction(slip, zeta):
        return tyre.load / L * (tyre.stiffness * slip / C * -math.expm1(-C * zeta / c) + tyre.viscosity * slip)

    fx, fy = (quad(lambda zeta, s=s: friction(s, zeta), 0.0, L)[0] for s in (vx, vy))
    arm = tyre.half_length - tyre.centre
    return -fx, -fy, quad(lambda zeta: (arm - zeta) * friction(vy, zeta), 0.0, L)[0]


@pytest.mark.parametrize("tyre", [LuGreTyre(), FALLING], ids=["comparable", "falling"])
@pytest.mark.parametrize(
    ("speed", "alpha", "slip"), [(20.0, 0.02, 0.0), (20.0, -0.3, 0.0), (5.0, 0.1, 1.0), (30.0, 1e-5, -1e-4)]
)
def test_the_steady_averaged_tyre_is_the_steady_distributed_one(tyre, speed, alpha, slip):
    held = tyre.steady(slip_angle=alpha, speed=speed, slip=slip)
    expected = distributed(tyre, -slip, -speed * alpha, speed + slip)
    np.testing.assert_allclose([held.longitudinal_force, held.lateral_force], expected[:2], rtol=1e-8, atol=1e-9)
    # the torque is a small difference of moments
    assert held.torque == pytest.approx(expected[2], rel=1e-6, abs=1e-9 * tyre.load)


def test_the_closed_form_of_the_comparable_tyre():
    """mu constant: Fy = mu Fz (1 - (1 - exp(-q))/q) with q = sigma0 L alpha/mu."""
    angles = np.array([0.01, 0.05, 0.3])
    q = 150.0 * 0.2 * angles / 0.4
    force = 0.4 * 1400.0 * (1.0 + np.expm1(-q) / q)
    held = LuGreTyre.comparable(stiffness=1e4, friction=0.4).steady(slip_angle=angles, speed=7.0)
    np.testing.assert_allclose(held.lateral_force, force, rtol=1e-12)


def test_backwards_the_other_end_leads():
    """Mirror: force turns round, the aligning part stays, the part of the arm turns round."""
    there, back = (FALLING.steady(slip_angle=0.05, speed=v) for v in (10.0, -10.0))
    assert back.lateral_force == pytest.approx(-there.lateral_force, rel=1e-12)
    arm = FALLING.centre * there.lateral_force
    assert back.torque + arm == pytest.approx(there.torque - arm, rel=1e-9)


def test_rolling_back_and_forth_keeps_the_moment():
    """When the way of rolling turns, nothing jumps: what was deflected at one place stays there."""
    speed = np.concatenate([np.full(200, 1.0), np.full(2, 1e-9), np.full(2, -1e-9)])
    run = LuGreTyre().run(steer=np.zeros(204), slip_angle=0.05, speed=speed, period=1e-3)
    assert run.torque[199] > 1.0
    np.testing.assert_allclose(run.torque[200:], run.torque[199], rtol=1e-6)


def test_the_transient_is_that_of_the_averaged_equations():
    """scipy on velenis2002's averaged form, q between all stick and all slip; second order leaves about T^2."""
    tyre, T = FALLING, 1e-4
    speed, alpha, slip = 8.0, 0.06, 0.3
    vx, vy, c, L = -slip, -speed * alpha, speed + slip, 2.0 * tyre.half_length
    v = math.hypot(vx, vy)
    g = tyre.kinetic + (tyre.static - tyre.kinetic) * math.exp(-math.sqrt(v / tyre.velocity))
    C = tyre.stiffness * v / g
    whole = quad(lambda x: -math.expm1(-C * L / c * x), 0.0, 1.0)[0]
    first = quad(lambda x: -x * math.expm1(-C * L / c * x), 0.0, 1.0)[0]
    out = -math.expm1(-C * L / c)

    def rhs(_, z):
        return [
            vx - (C + out / whole * c / L) * z[0],
            vy - (C + out / whole * c / L) * z[1],
            vy / 2 + c / L * z[1] - (C + out / first * c / L) * z[2],
        ]

    time = np.arange(1, 201) * T
    truth = solve_ivp(rhs, (0.0, time[-1]), [0.0] * 3, t_eval=time, rtol=1e-11, atol=1e-15, method="DOP853")
    slopes = np.array([rhs(0.0, z) for z in truth.y.T]).T
    f = tyre.load * (tyre.stiffness * truth.y + tyre.damping * slopes)
    f += tyre.load * tyre.viscosity * np.array([[vx], [vy], [vy / 2]])
    run = tyre.run(steer=np.zeros(200), slip_angle=alpha, speed=speed, slip=slip, period=T)
    np.testing.assert_allclose(run.longitudinal_force, -f[0], rtol=1e-8)
    np.testing.assert_allclose(run.lateral_force, -f[1], rtol=1e-8)
    torque = (tyre.half_length - tyre.centre) * f[1] - L * f[2]
    np.testing.assert_allclose(run.torque, torque, atol=2e-4 * np.abs(torque).max())


def test_lugre_creeps_below_static_friction_and_a_bristle_does_not():
    """Parked, under a torque that vibrates between 20 % and 80 % of the limit.

    LuGre follows phi' = sigma0/mu x' (1 -+ phi), phi = f/(mu Fz), so each cycle moves it on by
    mu/sigma0 log((1 - low^2)/(1 - high^2)), though the load never comes near the limit. Bristles hold.
    """
    tyre, low, high, cycles, half = LuGreTyre(), 0.2, 0.8, 30, 25
    scale = tyre.kinetic / tyre.stiffness
    rise, fall = scale * math.log((1 - low) / (1 - high)), scale * math.log((1 + high) / (1 + low))
    moves = [scale * -math.log(1 - low), *([rise, -fall] * cycles)]
    x = np.concatenate([[0.0], np.concatenate([np.full(half, move / half) for move in moves])]).cumsum()
    run = tyre.run(steer=x / tyre.centre, speed=0.0, period=1e-3)
    limit = tyre.centre * tyre.kinetic * tyre.load
    ends = run.torque[half::half] / limit
    np.testing.assert_allclose(ends[0::2], low, rtol=1e-9)
    np.testing.assert_allclose(ends[1::2], high, rtol=1e-9)
    crept = (run.steer[-1] - run.steer[half]) * tyre.centre
    assert crept == pytest.approx(cycles * scale * math.log((1 - low**2) / (1 - high**2)), rel=1e-9)
    assert crept > 10.0 * rise

    # The same torque on bristles of the same stiffness, load and friction: a spring, cycle after cycle.
    patch = PlanarPatch(stiffness=1e4, damping=0.0, friction=0.4, bristles=101, pressure=Uniform.carrying(1400.0))
    stiffness = 21e4 * (0.1**2 / 3.0 * (1.0 - 101.0**-2) + 0.02**2)
    held = patch.run(steer=run.torque / stiffness, speed=0.0, period=1e-3)
    np.testing.assert_allclose(held.torque, run.torque, atol=1e-9)
    assert held.stuck.min() == 1.0


def test_lugre_holds_a_load_that_does_not_vibrate():
    steer = np.concatenate([np.linspace(0.0, 0.1, 50), np.full(1000, 0.1)])
    run = LuGreTyre().run(steer=steer, speed=0.0, period=1e-3)
    np.testing.assert_array_equal(run.torque[50:], run.torque[50])
    assert run.torque[-1] > 1.0


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: MagicFormula(peak=0.0), "peak=0.0 N must be > 0"),
        (lambda: MagicFormula(shape=3.0), "shape=3.0"),
        (lambda: MagicFormula(curvature=1.5), "curvature=1.5"),
        (lambda: MagicFormula(trail=-0.1), "trail=-0.1"),
        (lambda: MagicFormula().run(steer=[0.0], speed=float("nan"), period=1e-3), "not finite"),
        (lambda: MagicFormula.fit([0.1, 0.2], lateral_force=[1.0, 2.0], torque=[0.1, 0.1]), "2 points"),
        (lambda: LuGreTyre(stiffness=-1.0), "stiffness=-1.0"),
        (lambda: LuGreTyre(static=0.1), "static=0.1 is below kinetic=0.4"),
        (lambda: LuGreTyre().steady(slip_angle=0.1, speed=0.0), "never settles"),
        (lambda: LuGreTyre().run(steer=[0.0, 1.0], speed=[1.0], period=1e-3), "speed has shape"),
        (lambda: LuGreTyre.comparable(load=0.0), "load=0.0"),
    ],
)
def test_bad_input_is_refused(make, says):
    with pytest.raises(tg.InputError, match=says) as caught:
        make()
    assert "\n  " in str(caught.value)
