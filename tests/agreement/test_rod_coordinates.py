"""Two sets of coordinates, one motion: the O(n) recursion and the full inertia matrix."""

import numpy as np
import pytest

from tegotae.rod import Load, Payload, Phase, PlanarRod
from tegotae.rod.planar import Evaluation, PureRod

RNG = np.random.default_rng(11)


def crooked(nodes, *, payload=True):
    """A rod that is even in nothing."""
    spacing = RNG.uniform(0.5, 1.5, nodes - 1)
    return PlanarRod(
        length=float(spacing.sum()),
        spacing=spacing,
        nodes=nodes,
        density=RNG.uniform(0.05, 0.2, nodes - 1),
        elasticity=RNG.uniform(0.5, 2.0, nodes - 1),
        viscosity=RNG.uniform(0.0, 2.0, nodes - 1),
        rest_curvature=RNG.normal(size=nodes - 1),
        gravity=(1.0, -9.81),
        payload=Payload(mass=0.3, inertia=0.02) if payload else None,
    )


@pytest.mark.parametrize("nodes", [2, 3, 5, 17, 60])
@pytest.mark.parametrize("base", ["free", "pinned", "fixed"])
@pytest.mark.parametrize("step", [0.0, 0.01])
def test_both_sets_of_coordinates_accelerate_alike(nodes, base, step):
    rod = crooked(nodes)
    angle, rate = np.cumsum(RNG.normal(size=nodes)), 3.0 * RNG.normal(size=nodes)
    loads = [Load(at=0.3 * rod.length, force=(1.0, -2.0), torque=0.5), Load(at=-0.0, force=(0.5, 1.0), torque=-1.0)]
    now = Evaluation(rod, angle, rate, Phase(until=1.0, torque=3.0, base=base, loads=loads))
    mixed, full = now.mixed(step=step), now.pure(step=step)
    # Rounding: at 60 nodes the matrix has a condition number of about 3e4, and 3e-13 was seen.
    np.testing.assert_allclose(full, mixed, rtol=0.0, atol=1e-10 * np.abs(mixed).max())


def test_a_base_that_is_moved_pulls_alike():
    times = np.linspace(0.0, 1.0, 6)
    places = np.stack([np.sin(times), 0.3 * times**2, times], axis=1)
    now = Evaluation(
        crooked(6), RNG.normal(size=6), RNG.normal(size=6), Phase(until=1.0, base="fixed", motion=(times, places))
    )
    mixed = now.mixed()
    assert np.abs(mixed[:3]).max() > 0.1
    np.testing.assert_allclose(now.pure(), mixed, rtol=0.0, atol=1e-10 * np.abs(mixed).max())


def test_the_full_inertia_is_that_of_quadrature():
    """M_ij = int rho Re(conj(dz/dq_i) dz/dq_j), z and its derivatives by quadrature along the whole rod."""
    rod = crooked(5)
    angle = np.cumsum(RNG.normal(size=5))
    hs, rho = np.asarray(rod.spacing), np.asarray(rod.density)
    w, weight = np.polynomial.legendre.leggauss(30)
    w, weight = 0.5 * (w + 1.0), 0.5 * weight
    count, expected = rod.nodes + 2, np.zeros((7, 7))

    def through(k, q):
        """int over the part (0, q) of segment k of exp(i theta) N, for both its nodes."""
        theta = angle[k] + (angle[k + 1] - angle[k]) * q * w
        shape = np.stack([1.0 - q * w, q * w])
        return hs[k] * q * (np.exp(1j * theta) * shape * weight).sum(axis=1)

    start = np.zeros(count, dtype=complex)
    start[0], start[1] = 1.0, 1j
    for k in range(4):
        for q, part in zip(w, weight, strict=True):
            slope = start.copy()
            slope[2 + k : 4 + k] += 1j * through(k, q)
            expected += rho[k] * hs[k] * part * np.outer(slope.conj(), slope).real
        start[2 + k : 4 + k] += 1j * through(k, 1.0)
    expected += 0.3 * np.outer(start.conj(), start).real
    expected[-1, -1] += 0.02
    np.testing.assert_allclose(PureRod(rod=rod).inertia(angle), expected, rtol=0.0, atol=1e-13 * np.abs(expected).max())
