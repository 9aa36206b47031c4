"""Kane's paradox: Newton's law with friction can gain energy in eccentric impacts; a rod strikes with its end."""

import math

import numpy as np
import pytest

from tegotae.inclusion import Inclusion

M, LENGTH = 1.0, 1.0
J, H = M * LENGTH**2 / 12.0, 0.5 * LENGTH

ROWS = {
    "x": "vx",
    "y": "vy",
    "a": "w",
    "vx": "-coulomb(mu*dio(y - h*sin(a), 'tip'), vx + h*w*sin(a), 'rub')/m",
    "vy": "dio(y - h*sin(a), 'tip')/m",
    "w": "(-h*cos(a)*dio(y - h*sin(a), 'tip')"
    " - h*sin(a)*coulomb(mu*dio(y - h*sin(a), 'tip'), vx + h*w*sin(a), 'rub'))/J",
}


def rod(mu):
    """A slender rod in the plane, its centre at (x, y), turned by a; its lower end meets a rough floor."""
    return Inclusion(ROWS, {"m": M, "J": J, "h": H, "mu": mu})


def kinetic(v):
    """Of (vx, vy, w) [J]."""
    return 0.5 * float(np.array([M, M, J]) @ np.square(v))


def newton(angle, v, e, mu):
    """(speeds after, impulses) of Newton's and Coulomb's laws alone, solved by hand: sticking, or else sliding."""
    normal = np.array([0.0, 1.0, -H * math.cos(angle)])
    along = np.array([1.0, 0.0, H * math.sin(angle)])
    C, inverse = np.vstack([normal, along]), np.diag([1.0 / M, 1.0 / M, 1.0 / J])
    W, before = C @ inverse @ C.T, C @ v
    P = np.linalg.solve(W, np.array([-e * before[0], 0.0]) - before)
    if abs(P[1]) > mu * P[0]:
        for sign in (1.0, -1.0):  # of the slip after
            push = np.array([1.0, -mu * sign])
            P = push * (-(1.0 + e) * before[0] / (W[0] @ push))
            if sign * (before + W @ P)[1] >= 0.0:
                break
    return v + inverse @ C.T @ P, P


def after(angle, v, e, mu):
    """Speeds after the impact, by the exact route."""
    start = {"y": H * math.sin(angle), "a": angle, "vx": v[0], "vy": v[1], "w": v[2]}
    run = rod(mu).to_events(restitution=e).solve((0.0, 1e-3), start, times=[1e-3])
    return np.array([run.vx[-1], run.vy[-1], run.w[-1]])


@pytest.mark.parametrize("mu", [0.5, 1.0, 2.0])
@pytest.mark.parametrize(("angle", "speed"), [(0.925, 0.5), (math.pi - 0.925, -0.5)])
@pytest.mark.parametrize("e", [0.9, 1.0])
def test_where_newtons_law_would_gain_energy_the_impact_gains_none(mu, angle, speed, e):
    v = np.array([speed, -1.0, 0.0])
    plain, full = newton(angle, v, e, mu)
    assert kinetic(plain) > 1.04 * kinetic(v)
    found = after(angle, v, e, mu)
    assert kinetic(found) == pytest.approx(kinetic(v), rel=1e-12)  # the largest part that gains none: it loses none
    P = np.array([M * (found - v)[1], M * (found - v)[0]])  # floor and friction are all that acts
    assert abs(P[1]) <= mu * P[0] * (1.0 + 1e-12)
    dead, least = newton(angle, v, 0.0, mu)
    part = (P[0] - least[0]) / (full[0] - least[0])
    assert 0.0 < part < 1.0
    np.testing.assert_allclose(P, least + part * (full - least), rtol=1e-10)
    np.testing.assert_allclose(found, dead + part * (plain - dead), rtol=1e-10)


def test_no_impact_of_a_rod_gains_energy_and_what_newtons_law_does_not_gain_is_left_to_it():
    rng = np.random.default_rng(5)
    lessened = left = 0
    for _ in range(100):
        angle, mu, e = rng.uniform(0.3, 2.8), rng.uniform(0.05, 2.0), rng.uniform(0.0, 1.0) ** 0.3
        v = np.array([rng.normal(), -1.0, 0.0])
        plain, _ = newton(angle, v, e, mu)
        found = after(angle, v, e, mu)
        assert kinetic(found) <= kinetic(v) * (1.0 + 1e-12)
        if kinetic(plain) <= kinetic(v):
            np.testing.assert_allclose(found, plain, rtol=1e-9, atol=1e-12)
            left += 1
        else:
            lessened += 1
    assert left > 20
    assert lessened > 3
