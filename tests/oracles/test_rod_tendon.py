"""Tendons against closed forms: the curvature M/R_ela, the arc it makes, and the work of a tension."""

import numpy as np
import pytest

import tegotae as tg
from tegotae.rod import Load, Phase, PlanarRod
from tegotae.rod.tendon import Tendon, together

FINGER = PlanarRod(length=0.2, nodes=9, density=0.05, elasticity=2e-3, viscosity=8e-4)


def settled(rod, phase):
    return rod.run([phase], times=[phase.until], rtol=1e-9, atol=1e-9)


def test_a_tension_bends_the_rod_to_an_arc_of_curvature_moment_over_elasticity():
    tension, offset = 3.0, 4e-3
    kappa = tension * offset / 2e-3
    rest = settled(
        FINGER, Phase(until=6.0, base="fixed", curvature=Tendon(offset=offset, tension=tension).curvature(FINGER))
    )
    np.testing.assert_allclose(np.diff(rest.angle[-1]) / 0.025, kappa, rtol=1e-6)
    tip = np.array([np.sin(kappa * 0.2), 1.0 - np.cos(kappa * 0.2)]) / kappa
    np.testing.assert_allclose(rest.position[-1, -1], tip, rtol=0.0, atol=1e-7)


def test_a_tendon_is_the_moments_it_puts_on_the_segments():
    """Against torques at the nodes: +M at the place where it is tied, -M at the base, by virtual work."""
    rng = np.random.default_rng(2)
    angle, rate = np.cumsum(0.3 * rng.normal(size=9)), rng.normal(size=9)
    tendon = Tendon(offset=-6e-3, tension=2.5, end=0.11)  # tied inside a segment
    moment = -6e-3 * 2.5
    curved = PlanarRod(
        length=0.2, nodes=9, density=0.05, elasticity=2e-3, viscosity=8e-4, rest_curvature=tendon.curvature(FINGER)
    )
    loads = [Load(at=0.11, torque=moment)]
    expected = FINGER.accelerations(angle, rate, torque=-moment, base="pinned", loads=loads)
    np.testing.assert_allclose(curved.accelerations(angle, rate, base="pinned"), expected, rtol=1e-9)


def test_the_work_of_a_tension_is_the_energy_of_the_rod():
    """Pulled by a constant tension: T (l0 - l) = kinetic + elastic + dissipated, energies of the bare rod."""
    tendon = Tendon(offset=5e-3, tension=2.0)
    phase = Phase(until=0.3, base="fixed", curvature=tendon.curvature(FINGER))
    run = FINGER.run([phase], times=[0.05, 0.1, 0.3], rtol=1e-10, atol=1e-10)
    bend = np.diff(run.angle, axis=1)
    elastic = 0.5 * (2e-3 * bend**2 / 0.025).sum(axis=1)
    done = 2.0 * (0.2 - tendon.length(FINGER, run.angle))
    assert done.min() > 1e-4
    np.testing.assert_allclose(run.kinetic + elastic + run.dissipated, done, rtol=1e-7)


def test_the_length_is_that_of_the_parallel_curve():
    """By quadrature along the rod: the curve at a distance to the left is shorter by offset times the bend."""
    angle = np.array([0.0, 0.4, 0.9, 0.2, 0.0, 0.3, 0.5, 0.9, 1.0])
    xi = np.linspace(0.0, 0.2, 80001)
    theta = np.interp(xi, np.linspace(0.0, 0.2, 9), angle)
    z = np.concatenate([[0.0], np.cumsum(np.exp(1j * 0.5 * (theta[1:] + theta[:-1])) * np.diff(xi))])
    beside = z + 1j * 5e-3 * np.exp(1j * theta)
    assert Tendon(offset=5e-3, tension=1.0).length(FINGER, angle) == pytest.approx(
        np.abs(np.diff(beside)).sum(), abs=1e-8
    )


def test_tensions_in_time_and_several_tendons_add():
    rod = PlanarRod(length=1.0, nodes=3, density=1.0, elasticity=2.0, rest_curvature=0.5)
    swelling = Tendon(offset=0.1, tension=([0.0, 2.0], [0.0, 4.0]))
    steady = Tendon(offset=[0.0, -0.2], tension=1.0)
    times, values = together([swelling, steady], rod)
    np.testing.assert_allclose(times, [0.0, 2.0])
    np.testing.assert_allclose(values, [[0.5, 0.4], [0.7, 0.6]])
    Phase(until=1.0, curvature=(times, values)).bends(np.zeros(2))  # as a phase takes it


def test_bad_tendons_are_refused():
    for wrong in (-1.0, np.nan, (1.0, 2.0, 3.0), ([0.0, 1.0], [1.0]), ([1.0, 0.0], [1.0, 1.0])):
        with pytest.raises(tg.InputError, match="tension"):
            Tendon(offset=0.01, tension=wrong)
    with pytest.raises(tg.InputError, match="end"):
        Tendon(offset=0.01, tension=1.0, end=0.3).curvature(FINGER)
    with pytest.raises(tg.InputError, match="offset"):
        Tendon(offset=[0.01, 0.02], tension=1.0).curvature(FINGER)
    limp = PlanarRod(length=0.2, nodes=9, density=0.05, elasticity=0.0)
    with pytest.raises(tg.InputError, match="elasticity=0"):
        Tendon(offset=0.01, tension=1.0).curvature(limp)
