"""Forces of the dual against closed forms, enumeration of all modes, and another method."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import lsq_linear, minimize

from duals import BOX, CONE, STOP, Problem, corner_rows, problem


def enumerated(one: Problem) -> np.ndarray:
    """The solution of a convex problem of single rows: every row at its lower bound, upper bound, or free."""
    low = np.where(one.kind == BOX, -one.limit, 0.0)
    high = np.where(one.kind == BOX, one.limit, np.inf)
    best, found = np.inf, np.zeros(one.b.size)
    for modes in product((-1, 0, 1), repeat=one.b.size):
        mode = np.array(modes)
        if np.isinf(high[mode == 1]).any():
            continue
        f = np.where(mode == -1, low, np.where(mode == 1, high, 0.0))
        free = mode == 0
        f[free] = np.linalg.solve(one.A[np.ix_(free, free)], -(one.b + one.A @ f)[free])
        energy = 0.5 * f @ one.A @ f + one.b @ f
        if ((f >= low - 1e-12) & (f <= high + 1e-12)).all() and energy < best:
            best, found = energy, f
    return found


def test_the_least_energy_of_all_modes() -> None:
    rng = np.random.default_rng(1)
    for _ in range(60):
        n = int(rng.integers(2, 7))
        J = rng.normal(size=(n, n))
        kind = rng.choice([BOX, STOP], n)
        one = Problem(J @ J.T, np.full(n, 0.01), rng.normal(size=n), kind, np.arange(n), rng.uniform(0.1, 2, n))
        f, _, flag = one.solve()
        assert flag == 0
        assert f == pytest.approx(enumerated(one), abs=1e-10)  # condition 1e3


def test_bounded_least_squares() -> None:
    """1/2 f^T A f + b^T f = 1/2 |L^T f + L^-1 b|^2 - const with A = L L^T, rows scaled to a diagonal of 1."""
    for seed in range(150):
        one = problem(seed, friction=0.0, boxes=False)
        f, _, _ = one.solve()
        keep, low, high = np.full(f.size, True), np.zeros(f.size), np.full(f.size, np.inf)
        for kind, i, limit in zip(one.kind, one.first, one.limit, strict=True):
            if kind == BOX:
                low[i], high[i] = -limit, limit
            elif kind == CONE:  # no friction: both tangents carry nothing
                keep[i + 1 : i + 3] = False
        scale = 1 / np.sqrt(np.diag(one.A)[keep])
        L = np.linalg.cholesky(one.A[np.ix_(keep, keep)] * scale[:, None] * scale)
        target = -np.linalg.solve(L, one.b[keep] * scale)
        bounds = (low[keep] / scale, high[keep] / scale)
        other = scale * lsq_linear(L.T, target, bounds, method="bvls", tol=1e-16, max_iter=1000).x
        assert (f[~keep] == 0.0).all()
        assert f[keep] == pytest.approx(other, abs=1e-6 * np.abs(other).max())  # condition up to 1e7


def point_mass(b: list[float], mu: float) -> Problem:
    """A block of 1 kg on a floor, T = 1 ms, stiff."""
    W = 1e-3 * np.eye(3)
    return Problem(W, np.full(3, 1e-6), np.array(b), np.array([CONE]), np.array([0]), np.array([mu]))


def test_a_block_sticks_slips_and_lifts_off_where_coulomb_says() -> None:
    a = 1e-3 + 1e-6
    lifted, _, _ = point_mass([1.0, 2.0, 3.0], 0.5).solve()
    assert (lifted == 0.0).all()
    stuck, _, _ = point_mass([-1.0, 0.3, 0.39], 0.5).solve()
    assert stuck == pytest.approx([1 / a, -0.3 / a, -0.39 / a], rel=1e-14)
    slides, _, _ = point_mass([-1.0, 3.0, -4.0], 0.5).solve()
    assert slides == pytest.approx([1 / a, -0.3 / a, 0.4 / a], rel=1e-14)


def test_the_limit_between_stick_and_slip_is_the_coefficient() -> None:
    a = 1e-3 + 1e-6
    for excess in (-1e-9, 1e-9):
        f, _, flag = point_mass([-1.0, 0.5 * (1 + excess), 0.0], 0.5).solve()
        slip = a * f[1] + 0.5 * (1 + excess)
        assert flag == 0
        assert slip == pytest.approx(max(0.0, 0.5 * excess), abs=1e-16)


def test_a_wedge_presses_harder_the_more_it_is_pushed() -> None:
    """A tangential velocity that drives a point into a floor it is coupled with: f_n = -b_n/(A_nn - mu A_nt)."""
    W = np.array([[1.0, 0.4, 0.0], [0.4, 1.0, 0.0], [0.0, 0.0, 1.0]])
    one = Problem(W, np.full(3, 1e-9), np.array([-1.0, 5.0, 0.0]), np.array([CONE]), np.array([0]), np.array([0.8]))
    f, _, flag = one.solve()
    assert flag == 0
    assert f[0] == pytest.approx(1.0 / (1.0 + 1e-9 - 0.8 * 0.4), rel=1e-12)
    assert f[1] == pytest.approx(-0.8 * f[0], rel=1e-12)


def test_slip_over_an_uneven_mass_goes_the_way_of_least_energy() -> None:
    """A tangential block that is no multiple of the identity: the disc's rim is searched by another method."""
    rng = np.random.default_rng(2)
    for _ in range(30):
        G = rng.normal(size=(2, 2))
        W = np.zeros((3, 3))
        W[0, 0], W[1:, 1:] = 1.0, G @ G.T
        b = np.array([-1.0, *(4 * rng.normal(size=2))])
        one = Problem(W, np.full(3, 1e-3), b, np.array([CONE]), np.array([0]), np.array([0.3]))
        f, _, flag = one.solve()
        assert flag == 0
        radius, B = 0.3 * f[0], one.A[1:, 1:]

        def energy(angle: float, B: np.ndarray = B, b: np.ndarray = b, radius: float = radius) -> float:
            x = radius * np.array([np.cos(angle), np.sin(angle)])
            return float(0.5 * x @ B @ x + b[1:] @ x)

        rim = min(minimize(lambda t: energy(t[0]), [s], tol=1e-12).fun for s in np.linspace(0, 6, 5))
        inner = np.linalg.solve(B, -b[1:])
        least = 0.5 * b[1:] @ inner if np.hypot(*inner) <= radius else rim
        assert 0.5 * f[1:] @ B @ f[1:] + b[1:] @ f[1:] == pytest.approx(least, rel=1e-9)


def test_four_corners_share_a_weight_that_three_could_carry() -> None:
    """A box on a floor is over-determined; the compliances share its weight evenly."""
    m, half, T, g = 2.0, np.array([0.1, 0.1, 0.05]), 1e-3, 9.81
    J = np.vstack([corner_rows(half, k, -1) for k in range(4)])
    mass = np.array([m] * 3 + [0.01] * 3)
    W = T * (J / mass) @ J.T
    v = np.array([0, 0, -g * T, 0, 0, 0])
    kinds, first = np.full(4, CONE), 3 * np.arange(4)
    one = Problem(0.5 * (W + W.T), np.full(12, 1e-5), J @ v, kinds, first, np.full(4, 0.5))
    f, _, flag = one.solve()
    c = 1e-5 / 4 + T / m  # compliance of the four together, and of the mass
    assert flag == 0
    assert f[::3] == pytest.approx(np.full(4, g * T / c / 4), rel=1e-12)
    assert np.abs(np.delete(f, first)).max() < 1e-12
    assert one.solve(f)[1] == 1
