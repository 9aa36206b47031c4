"""Cosine and sine of the kernels, against forty digits."""

import math

import mpmath
import numpy as np
import pytest

from tegotae.compile import build
from tegotae.kernels.rotations import FAR, cos_sin

SOURCE = """
@entry
def both(x):
    return cos_sin(x)
"""
BOTH = build(SOURCE, (("cos_sin", cos_sin),)).both


def angles(kind: str) -> list[float]:
    rng = np.random.default_rng(0)
    quarters = rng.integers(-300_000, 300_000, 500)
    found = {
        "small": 10.0 ** rng.uniform(-300.0, 0.0, 300) * rng.choice([-1.0, 1.0], 300),
        "of a joint": rng.uniform(-10.0, 10.0, 1000),
        "after many turns": rng.uniform(-FAR, FAR, 1000),
        "where one of the two vanishes": np.concatenate([np.arange(-100, 100), quarters]) * (0.5 * np.pi),
        "where they are equal": np.nextafter(quarters * (0.25 * np.pi), np.inf),
        "beyond the reduction": 10.0 ** rng.uniform(6.0, 15.0, 100),
    }
    return [float(x) for x in found[kind]]


@pytest.mark.parametrize(
    "kind",
    [
        "small",
        "of a joint",
        "after many turns",
        "where one of the two vanishes",
        "where they are equal",
        "beyond the reduction",
    ],
)
def test_cosine_and_sine_are_right_to_the_last_place(kind):
    """Within 1 unit in the last place: half of it is rounding, the rest what the polynomials may lose."""
    with mpmath.workdps(40):
        for x in angles(kind):
            for given, exact in zip(BOTH(x), (mpmath.cos(x), mpmath.sin(x)), strict=True):
                assert abs(mpmath.mpf(given) - exact) <= math.ulp(float(exact)), x


def test_zero_keeps_its_sign_and_what_is_no_number_stays_none():
    assert BOTH(0.0) == (1.0, 0.0)
    assert math.copysign(1.0, BOTH(-0.0)[1]) == -1.0
    assert all(math.isnan(one) for one in BOTH(math.nan))
