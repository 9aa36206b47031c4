"""The stick-slip step against the inclusion that it solves: f = K e1 + B e1', f in F sgn(v - e1')."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

from tegotae.friction.kernels.laws import stribeck_magnitude, stribeck_resolve
from tegotae.kernels import stick_slip as kernels

as_if_stuck, step, stretch_after, grip = (
    getattr(kernels, name).py_func for name in ("as_if_stuck", "stick_slip", "stretch_after", "grip")
)
T = 1e-3


def elements():
    rng = np.random.default_rng(0)
    for _ in range(200):
        K, B, F = 10.0 ** rng.uniform(1, 5), rng.choice([0.0, 10.0 ** rng.uniform(-1, 2)]), 10.0 ** rng.uniform(-1, 1)
        yield K, B, F, rng.normal() * F / K, rng.normal() * F / (B + T * K)


def test_it_solves_its_inclusion():
    sticking = 0
    for K, B, F, e, v in elements():
        stuck, ic = as_if_stuck(K, B, e, v, T)
        f, slope = step(stuck, F, ic)
        e1 = stretch_after(K, B, e, f, T)
        rate, slip = (e1 - e) / T, (stuck - f) / ic
        assert_allclose(f, K * e1 + B * rate, rtol=1e-9)  # of numbers that partly cancel
        assert_allclose(v - rate, slip, rtol=0, atol=1e-9 * (abs(v) + F / ic))
        assert abs(f) <= F
        assert f == F * np.sign(slip) if slip != 0.0 else slope == ic
        assert slope in (0.0, ic)
        sticking += slip == 0.0
    assert 20 < sticking < 180  # both were met


def test_in_a_plane_it_is_the_nearest_force_in_a_disc():
    rng = np.random.default_rng(1)
    for trial in rng.normal(size=(50, 2)):
        f = grip(np.hypot(*trial), 1.0) * trial
        around = np.linspace(0.0, 2.0 * np.pi, 721)
        disc = np.column_stack([np.cos(around), np.sin(around)])
        assert np.hypot(*f) <= 1.0 + 1e-15
        assert np.hypot(*(f - trial)) <= np.hypot(*(disc - trial).T).min() + 1e-15


@pytest.mark.parametrize("size", [0.5, 3.9, 4.1, 6.0, 60.0])
def test_with_a_law_it_slips_as_fast_as_its_equation_says(size):
    """ic s + b r(s) = size, by bisection; the slope by differences."""
    law, b, ic = np.array([3.0, 4.0, 0.1, 2.0, 1.0]), 1.0, 300.0
    sliding = kernels.sliding_kernel.__wrapped__(stribeck_magnitude, stribeck_resolve).py_func

    def exact(size):
        if size <= 4.0:
            return size
        s = brentq(
            lambda s: ic * s + 3.0 + np.exp(-((s / 0.1) ** 2)) + s - size, 0.0, size / ic, xtol=1e-300, rtol=1e-15
        )
        return size - ic * s

    f, slope = sliding(law, b, size, ic)
    assert f == pytest.approx(exact(size), rel=1e-12)
    assert slope == pytest.approx((exact(size + 1e-5) - exact(size - 1e-5)) / 2e-5, abs=1e-6)
