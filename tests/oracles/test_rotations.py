"""Rotations, against SciPy's; cosine and sine of the kernels, against forty digits."""

import math

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from tegotae import rotations as plain
from tegotae.compile import build
from tegotae.kernels import rotations as kernels
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


# ---------------------------------------------------------------- turns

TURNS = """
@entry
def chain(x, y, z, a, b, c, R, out):
    w, i, j, k = quaternion_about(x, y, z)
    e, f, g, h = quaternion_about(a, b, c)
    w, i, j, k = product(w, i, j, k, e, f, g, h)
    out[0], out[1], out[2] = rotation_vector(w, i, j, k)
    turn(R, x, y, z, out[7:].reshape((3, 3)))
    quaternion(out[7:].reshape((3, 3)), out)
"""
NAMES = ("quaternion_about", "product", "rotation_vector", "turn", "quaternion")
SMALL, HALF = 1e-7, math.pi


def vectors() -> list[np.ndarray]:
    """Rotation vectors: of any size, tiny, none, and half a turn about each axis, nearly and wholly."""
    rng = np.random.default_rng(3)
    some = list(rng.uniform(-1.8, 1.8, size=(30, 3)))  # at most half a turn
    return [*some, *(SMALL * v for v in some[:5]), np.zeros(3), *(HALF * np.eye(3)), *((HALF - 1e-9) * np.eye(3))]


def as_scipy(q) -> Rotation:
    return Rotation.from_quat(np.roll(q, -1))


def test_turns_are_those_of_scipy():
    """To a few units in the last place of numbers of about 1; the angle of a whole half turn has both signs."""
    rng = np.random.default_rng(5)
    for v in vectors():
        exact, after, r = Rotation.from_rotvec(v), Rotation.random(rng=rng), rng.normal(size=3)
        q = plain.quaternion_about(*v)
        assert_allclose(as_scipy(q).as_matrix(), exact.as_matrix(), rtol=0, atol=1e-15)
        assert_allclose(plain.matrix_of(q), exact.as_matrix(), rtol=0, atol=1e-15)
        assert_allclose(plain.rotation_about(v), exact.as_matrix(), rtol=0, atol=1e-15)
        assert_allclose(plain.turned_by(q, r), exact.apply(r), rtol=0, atol=4e-15)
        assert_allclose(plain.turned_rows(np.array([q, q]), r), [exact.apply(r)] * 2, rtol=0, atol=4e-15)
        both = plain.product(np.roll(after.as_quat(), 1), q)
        assert_allclose(as_scipy(both).as_matrix(), (after * exact).as_matrix(), rtol=0, atol=2e-15)
        back = plain.quaternion_of(exact.as_matrix())
        assert back[0] >= 0.0
        assert_allclose(abs(np.dot(back, q)), 1.0, rtol=0, atol=1e-15)
        turn = np.array(plain.vector_of(-3.0 * np.array(q)))  # of any length and sign
        assert_allclose(turn if turn @ v >= 0.0 else -turn, v, rtol=1e-14, atol=1e-15)
        assert_allclose(plain.normalised(5.0 * np.array(q)), q, rtol=0, atol=1e-15)


def test_compiled_and_plain_are_one_source():
    """But for the last digits of the C library's functions."""
    chain = build(TURNS, tuple((name, getattr(kernels, name)) for name in NAMES)).chain
    rng = np.random.default_rng(6)
    for v in vectors():
        w, R, out = rng.normal(size=3), Rotation.random(rng=rng).as_matrix(), np.zeros(16)
        chain(*v, *w, R, out)
        both = plain.product(plain.quaternion_about(*v), plain.quaternion_about(*w))
        assert_allclose(out[:3], plain.vector_of(both), rtol=0, atol=2e-15)
        assert_allclose(out[7:].reshape(3, 3), plain.rotation_about(v) @ R, rtol=0, atol=2e-15)
        assert_allclose(out[3:7], plain.quaternion_of(out[7:]), rtol=0, atol=2e-15)


def test_the_rate_of_a_quaternion_is_its_derivative():
    """By central differences, which err by the square of their step and by rounding over it: 1e-10 in all."""
    rng, step = np.random.default_rng(7), 1e-5
    rate = kernels.turn_rate.py_func
    for _ in range(20):
        q, w = np.roll(Rotation.random(rng=rng).as_quat(), 1), rng.normal(size=3)
        ahead, behind = (plain.product(plain.quaternion_about(*(s * w)), q) for s in (step, -step))
        assert_allclose(rate(*q, *w), (np.array(ahead) - np.array(behind)) / (2.0 * step), rtol=0, atol=1e-9)


def test_cross_products_and_what_is_nearly_a_rotation():
    rng = np.random.default_rng(8)
    a, b = rng.normal(size=(2, 3))
    assert_allclose(plain.cross_matrix(a) @ b, np.cross(a, b), rtol=0, atol=1e-15)
    R = Rotation.random(rng=rng).as_matrix()
    stretched = R @ (np.eye(3) + 1e-6 * rng.normal(size=(3, 3)))
    off, determinant = plain.strays(stretched)
    assert off == pytest.approx(np.abs(stretched.T @ stretched - np.eye(3)).max(), rel=1e-9)
    assert determinant == pytest.approx(np.linalg.det(stretched))
    nearer = plain.nearest(stretched)  # the error is squared
    u, _, v = np.linalg.svd(stretched)
    assert_allclose(nearer, u @ v, rtol=0, atol=1e-10)
    assert math.isnan(plain.strays(np.where(np.eye(3) == 1.0, math.nan, R))[0])
