"""The patch with a width against the brush in closed form, quadrature, and the symmetry of the plane."""

import numpy as np
import pytest
from scipy.integrate import dblquad

import tegotae as tg
from tegotae.steering.patch import PlanarPatch
from tegotae.steering.pressure import Parabolic, TabulatedPressure, Uniform

MU, A, CENTRE, K = 0.4, 0.1, 0.02, 1e4
LOAD = 1400.0


def brush(slip):
    """Force along the slip and aligning torque of a brush without damping under a parabola of pressure."""
    theta = 2.0 * (K * 21 / (2 * A)) * A**2 / (3.0 * MU * LOAD)
    lam = np.maximum(0.0, 1.0 - theta * np.abs(slip))
    return np.sign(slip) * MU * LOAD * (1.0 - lam**3), np.sign(slip) * MU * LOAD * A * (1.0 - lam) * lam**3


def stiff(**changes):
    return PlanarPatch(**{"stiffness": K, "damping": 0.0, "friction": MU, "bristles": 1601, **changes})


@pytest.mark.parametrize("speed", [0.5, 20.0, -20.0])
def test_one_row_is_the_brush(speed):
    """n = 1601: the midpoint rule leaves about 1/n^2."""
    angles = np.array([-0.2, -0.05, -0.001, 0.02, 0.06, 0.08, 0.3])
    held = stiff().steady(slip_angle=angles, speed=speed)
    force, aligning = brush(angles)
    way = np.sign(speed)  # backwards, the other end leads: the force and the trail turn round
    np.testing.assert_allclose(held.lateral_force, way * force, atol=1e-5 * MU * LOAD, rtol=0)
    np.testing.assert_allclose(held.torque, aligning + way * CENTRE * force, atol=1e-5 * MU * LOAD * A, rtol=0)
    assert np.abs(held.longitudinal_force).max() == 0.0


def test_driving_and_braking_follow_the_same_brush():
    """The theoretical slip is S/(R omega): the bristles pass with the rolling speed, not with that of the car."""
    speed, slip = 20.0, np.array([-12.0, -1.0, -0.2, 0.3, 1.0, 3.0])
    held = stiff(rows=3).steady(slip_angle=0.0, speed=speed, slip=slip)
    np.testing.assert_allclose(held.longitudinal_force, brush(slip / (speed + slip))[0], atol=1e-5 * MU * LOAD, rtol=0)
    assert np.abs(held.torque).max() < 1e-10
    assert np.abs(held.lateral_force).max() == 0.0


def test_combined_slip_follows_the_brush_along_its_direction():
    """The force of an isotropic brush lies along the slip and depends on its size alone."""
    rolling, size = 20.0, np.array([0.2, 0.8, 1.4, 3.0])
    for angle in (0.3, 1.2, 2.5):
        slip, side = size * np.cos(angle), size * np.sin(angle)
        forces = [
            stiff(bristles=801).steady(slip_angle=float(y / (rolling - x)), speed=float(rolling - x), slip=float(x))
            for x, y in zip(slip, side, strict=True)
        ]
        expected = brush(size / rolling)[0]
        np.testing.assert_allclose([f.longitudinal_force for f in forces], expected * np.cos(angle), atol=0.01)
        np.testing.assert_allclose([f.lateral_force for f in forces], expected * np.sin(angle), atol=0.01)


@pytest.mark.parametrize("damping", [0.0, 5.0])
def test_turning_the_slip_turns_the_force(damping):
    """Uniform pressure, no spin, a slip that grows until all of it slides: the same up to rounding."""
    patch = stiff(damping=damping, bristles=51, rows=2, pressure=Uniform.carrying(LOAD))
    rolling, size, forces = 5.0, np.linspace(0.0, 3.0, 120), []
    for angle in (0.0, 0.4, 1.1, 2.0, 4.0):
        x, y = size * np.cos(angle), size * np.sin(angle)
        speed = rolling - x
        run = patch.run(steer=np.zeros(size.size), slip_angle=y / speed, speed=speed, slip=x, period=1e-3)
        forces.append(np.exp(-1j * angle) * (run.longitudinal_force + 1j * run.lateral_force))
    assert run.stuck[1] == 1.0
    assert run.stuck[-1] < 0.2
    assert forces[0][-1].real > 0.9 * MU * LOAD
    for force in forces[1:]:
        np.testing.assert_allclose(force, forces[0], atol=1e-9 * MU * LOAD)


@pytest.mark.parametrize(("half_width", "centre"), [(0.07, 0.02), (0.1, 0.0), (0.02, 0.05)])
def test_spinning_in_place_is_resisted_by_the_mean_distance(half_width, centre):
    """All bristles sliding at V = 0: tau = mu Fz <distance to the steering axis>, uniform pressure."""
    patch = stiff(
        bristles=201, rows=101, half_width=half_width, centre=centre, pressure=Uniform.carrying(LOAD), stiffness=1e6
    )
    torque = patch.run(steer=np.linspace(0.0, 3.0, 200), speed=0.0, period=1e-3).torque[-1]
    area = 4.0 * A * half_width
    mean = dblquad(lambda eta, xi: np.hypot(xi - centre, eta), -A, A, -half_width, half_width)[0] / area
    # midpoint rule, and the one or two bristles at the axis that never slide
    assert torque == pytest.approx(MU * LOAD * mean, rel=2e-4)


def test_parked_and_stuck_it_is_a_torsion_spring():
    """V = 0, small angle: tau = K_total <(xi - xi_c)^2 + eta^2> delta with the second moments of the cells."""
    patch = stiff(bristles=100, rows=20, pressure=Uniform.carrying(1e6))
    run = patch.run(steer=np.linspace(0.0, 1e-3, 50), speed=0.0, period=1e-3)
    n, m, w = 100, 20, patch.half_width
    moment = A**2 / 3 * (1 - n**-2.0) + CENTRE**2 + w**2 / 3 * (1 - m**-2.0)
    np.testing.assert_allclose(run.torque, 21 * K * moment * run.steer, rtol=1e-10, atol=1e-9)
    np.testing.assert_allclose(run.lateral_force, 21 * K * CENTRE * run.steer, rtol=1e-9, atol=1e-9)
    assert run.stuck.min() == 1.0


def test_a_locked_wheel_slides_with_the_whole_friction_against_its_motion():
    for speed, alpha in [(10.0, 0.0), (10.0, 0.3), (-10.0, 0.3)]:
        held = stiff(bristles=101, rows=4).steady(slip_angle=alpha, speed=speed, slip=-speed)
        force = np.array([held.longitudinal_force, held.lateral_force])
        against = -np.array([speed, -speed * alpha])  # the tread moves with V over the road, and to the right
        np.testing.assert_allclose(force, MU * LOAD * against / np.linalg.norm(against), atol=0.1)
        assert held.stuck == 0.0


def test_friction_that_falls_with_speed_is_what_a_sliding_wheel_feels():
    law = tg.Stribeck(kinetic=0.3, static=0.5, velocity=2.0)
    patch = stiff(bristles=101, rows=2, friction=law)
    for speed in (0.5, 2.0, 10.0):
        held = patch.steady(slip_angle=0.0, speed=speed, slip=-speed)
        assert held.longitudinal_force == pytest.approx(-float(law(speed)) * LOAD, rel=1e-4)


def test_the_resolution_is_only_a_resolution():
    """n and m change nothing but the error of the quadrature."""
    coarse = stiff(bristles=200, rows=8).steady(slip_angle=0.03, speed=20.0, slip=0.5)
    fine = stiff(bristles=800, rows=2).steady(slip_angle=0.03, speed=20.0, slip=0.5)
    assert coarse.lateral_force == pytest.approx(fine.lateral_force, rel=1e-3)
    assert coarse.torque == pytest.approx(fine.torque, rel=2e-3)


@pytest.mark.parametrize(
    "pressure",
    [Parabolic(), Uniform(load=60.0), TabulatedPressure(positions=[-0.2, -0.03, 0.06], loads=[10.0, 90.0, 20.0])],
    ids=["parabolic", "uniform", "tabulated"],
)
def test_total_load_is_the_sum_over_many_bristles(pressure):
    n = 20001
    places = -A + (np.arange(n) + 0.5) * 2 * A / n
    loads = pressure(places, half_length=A, bristles=n)
    assert loads.sum() == pytest.approx(pressure.total(A), rel=1e-4)
    np.testing.assert_array_equal(pressure([-A - 1e-9, A + 1e-9], half_length=A), 0.0)


def test_profiles_as_printed():
    xi = np.linspace(-A, A, 21)
    np.testing.assert_allclose(Parabolic()(xi, half_length=A), 1e4 * (A**2 - xi**2), atol=1e-12)
    table = TabulatedPressure(positions=[-0.05, 0.0, 0.1], loads=[0.0, 80.0, 20.0])
    inside = np.interp(xi, table.positions, table.loads, left=0.0, right=0.0)
    np.testing.assert_allclose(table(xi, half_length=A), inside, atol=1e-12)


@pytest.mark.parametrize("speed", [300.0, -300.0, 70.0])
def test_a_tick_may_be_longer_than_the_patch(speed):
    """V T > L: every bristle entered during the tick and has its own time, so the brush is met at 1 kHz too."""
    run = stiff(bristles=801).run(steer=np.zeros(12), slip_angle=0.03, speed=speed, period=1e-3)
    force, aligning = brush(0.03)
    way = np.sign(speed)
    # where the cells lie in the patch changes from tick to tick: a quadrature error of about 1/n^2
    np.testing.assert_allclose(run.lateral_force[4:], way * force, atol=1e-5 * MU * LOAD)
    np.testing.assert_allclose(run.torque[4:], aligning + way * CENTRE * force, atol=1e-4 * MU * LOAD * A)
