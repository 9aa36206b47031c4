"""Roots in a bracket against known ones, and how far Newton's step goes against functions drawn at random."""

import math

import numpy as np
import pytest

from tegotae.kernels import roots

nearer, lessens = roots.nearer.py_func, roots.lessens.py_func
falling_part, lessening_part = roots.falling_part.__wrapped__, roots.lessening_part


@pytest.mark.parametrize("root", [-3.0, 0.0, 0.37, 41.0])
def test_newton_in_a_bracket_finds_a_root_where_newton_alone_runs_away(root):
    x, low, high, ended = root + 5.0, -np.inf, np.inf, False
    for _ in range(100):
        gap = math.atan(x - root)
        if abs(gap) <= 1e-15 * (1.0 + abs(root)):
            break
        x, low, high, ended = nearer(x, gap, gap * (1.0 + (x - root) ** 2), low, high)
        if ended:
            break
        x = min(max(x, root - 100.0), root + 100.0)
    assert x == pytest.approx(root, abs=1e-14)


@pytest.mark.parametrize("steepest", [2.0, 4.0, 6.0])
def test_a_step_ends_where_a_convex_function_stops_falling(steepest):
    """Its slope along the step rises from below 0, with kinks; it is left at a tenth of what it was."""
    rng = np.random.default_rng(0)
    shortened = 0
    for _ in range(200):
        kinks, rises = rng.uniform(0.0, 1.0, 5), 10.0 ** rng.uniform(-2.0, steepest, 5)
        start = -(10.0 ** rng.uniform(-1, 2))

        def slope(_, part, start=start, kinks=kinks, rises=rises):
            return start + part + float(rises @ np.maximum(part - kinks, 0.0))

        part = falling_part(slope).py_func(None, start, slope(None, 1.0))
        assert 0.0 < part <= 1.0
        if part < 1.0:
            shortened += 1
            assert abs(slope(None, part)) <= -roots.ENOUGH * start * (1.0 + 1e-12)
        else:
            assert slope(None, 1.0) <= -roots.ENOUGH * start
    assert 20 < shortened < (180 if steepest == 2.0 else 200)  # both were met


def test_a_step_is_halved_until_less_is_left():
    """Of an equation whose whole step of Newton leads away."""
    x = 3.0
    step = math.atan(x) * (1.0 + x * x)
    arm = lessening_part(lambda _, part: (abs(math.atan(x - part * step)), x - part * step)).py_func
    part, left, found = arm(None, math.atan(x), x, 40)
    assert found == x - part * step
    assert left == abs(math.atan(found))
    assert abs(found) < x < abs(x - 2.0 * part * step)
    halves = lessening_part(lambda _, part: (1.0 + part, part)).py_func
    assert halves(None, 1.0, 0.0, 40) == (0.0, 1.0 + 2.0**-39, 2.0**-39)  # there is nothing to be found


def test_standing_still_lessens_nothing():
    assert lessens(0.999, 1.0, 1.0)
    assert not any(lessens(1.0, 2.0**-k, 1.0) for k in range(80))
    assert not lessens(math.nan, 1.0, 1.0)
