"""The six-arm table against geometry done another way: half-angle formulas, complex steps, energies, numpy."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tegotae import InputError
from tegotae.table import Hexa, rotation_about

TABLE = Hexa.default()
HOME = np.array([0.0, 0.0, -0.47])
# Limits wide open: the kinematics alone, near and past singularities.
OPEN = dataclasses.replace(TABLE, arm_range=(-math.pi, math.pi), rod_tilt=math.pi / 2, margin=1e-9)


def small(size):
    return st.floats(-size, size, allow_nan=False)


def poses(move=0.1, turn=0.35):
    """A box about home that the arms reach throughout, though rods tilt beyond their limit in its corners."""
    places = st.tuples(small(move), small(move), small(move)).map(lambda d: HOME + np.array(d))
    return st.tuples(places, st.tuples(small(turn), small(turn), small(turn)).map(rotation_about))


def arms():
    """Axis point, direction of the plane and plate's joint of each arm, written down anew."""
    for k in range(3):
        a = 2.0 * math.pi * k / 3.0
        u, t = np.array([math.cos(a), math.sin(a), 0.0]), np.array([-math.sin(a), math.cos(a), 0.0])
        for s in (-1.0, 1.0):
            yield 0.20 * u + s * 0.05 * t, u, 0.09 * u + s * 0.13 * t


def angles_by_half_angle(p, R):
    """E cos th + F sin th = G with the half-angle substitution; also for complex poses."""
    found = []
    for B, u, b in arms():
        d = p + R @ b - B
        E, F, G = d @ u, -d[2], (d @ d + 0.25**2 - 0.5**2) / (2 * 0.25)
        found.append(2.0 * np.arctan((G - E) / (F + np.sqrt(E**2 + F**2 - G**2))))
    return np.array(found)


def cross(w):
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def nudged(p, R, d):
    """The pose moved by d = (translation, turn), to second order in d."""
    return p + d[:3], (np.eye(3) + cross(d[3:]) + 0.5 * cross(d[3:]) @ cross(d[3:])) @ R


def test_home_stands_and_resists_as_the_note_says():
    assert_allclose(np.degrees(TABLE.inverse(HOME, np.eye(3))), 25.590, atol=5e-4)
    K = TABLE.stiffness(HOME, np.eye(3), 200.0)
    assert_allclose(np.diag(K), [5138, 5138, 11323, 141.5, 141.5, 223.1], rtol=4e-4)


@given(pose=poses())
@settings(max_examples=60, deadline=None)
def test_rods_have_their_length_at_the_angles_given(pose):
    p, R = pose
    for th, (B, u, b) in zip(OPEN.inverse(p, R), arms(), strict=True):
        tip = B + 0.25 * (math.cos(th) * u - math.sin(th) * np.array([0.0, 0.0, 1.0]))
        assert math.isclose(float(np.linalg.norm(p + R @ b - tip)), 0.5, rel_tol=1e-14)


@given(pose=poses())
@settings(max_examples=60, deadline=None)
def test_forward_undoes_inverse(pose):
    p, R = pose
    angles = OPEN.inverse(p, R)
    position, rotation = OPEN.forward(angles)
    assert_allclose(position, p, rtol=0, atol=1e-12)
    assert_allclose(rotation, R, rtol=0, atol=1e-12)
    assert_allclose(OPEN.inverse(position, rotation), angles, rtol=0, atol=1e-12)


WALK = """
@entry
def walk(G, places, R, W):
    th, N, A, f, Q = np.zeros(6), np.zeros((6, 13)), np.zeros((6, 6)), np.zeros(6), np.zeros((3, 3))
    p, turn, worst = np.zeros(3), np.zeros((3, 3)), 0.0
    for j in range(3):
        p[j], turn[j, j] = places[0, j], 1.0
    for k in range(places.shape[0]):
        if inverse(G, places[k], R, th, N) >= 0:
            return np.inf
        inverse_jacobian(N, W)
        if forward(G, th, p, turn, N, A, f, Q) < 0:
            return np.inf
        for j in range(3):
            worst = max(worst, abs(p[j] - places[k, j]), abs(turn[j, 0] - R[j, 0]), abs(turn[j, 1] - R[j, 1]))
    return worst
"""


def test_kernels_give_the_same_inside_a_compiled_loop():
    """Inverse, its Jacobian and forward kinematics in one loop of numba, all room made beforehand."""
    from tegotae.compile import build
    from tegotae.table.kernels import hexa

    names = ("inverse", "inverse_jacobian", "forward")
    walk = build(WALK, tuple((name, getattr(hexa, name)) for name in names)).walk
    R = rotation_about((0.1, -0.2, 0.3))
    places = HOME + np.linspace(0.0, 0.05, 50)[:, None] * np.array([1.0, -1.0, 0.5])
    W = np.zeros((6, 6))
    assert walk(TABLE.geometry, places, R, W) < 1e-12
    assert_allclose(W, TABLE.inverse_jacobian(places[-1], R), rtol=0, atol=1e-12)


def test_forward_from_a_guess_is_the_same_pose():
    p, R = HOME + np.array([0.08, -0.05, 0.06]), rotation_about((0.2, -0.1, 0.3))
    angles = TABLE.inverse(p, R)
    found = TABLE.forward(angles, guess=(p + 0.01, R @ rotation_about((0.0, 0.05, 0.0))))
    assert_allclose(found[0], p, rtol=0, atol=1e-13)
    assert_allclose(found[1], R, rtol=0, atol=1e-13)


@given(pose=poses())
@settings(max_examples=30, deadline=None)
def test_jacobian_is_the_derivative_of_another_inverse(pose):
    """Complex steps through the half-angle formula: exact to rounding."""
    p, R = pose
    assert_allclose(OPEN.inverse(p, R), angles_by_half_angle(p, R), rtol=0, atol=1e-13)
    h = 1e-30
    columns = []
    for k in range(6):
        d = np.zeros(6, dtype=complex)
        d[k] = 1j * h
        columns.append(angles_by_half_angle(*nudged(p.astype(complex), R, d)).imag / h)
    W = np.array(columns).T
    assert_allclose(OPEN.inverse_jacobian(p, R), W, rtol=1e-11, atol=1e-12)
    assert_allclose(OPEN.jacobian(p, R) @ W, np.eye(6), rtol=0, atol=1e-11)


@given(pose=poses(), seed=st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_virtual_work(pose, seed):
    """(11) with its transposes: F^T dp = tau^T dtheta for every dp, with tau = J^T F of (13)."""
    p, R = pose
    rng = np.random.default_rng(seed)
    F, step = rng.normal(size=6), 1e-6 * rng.normal(size=6)
    ahead, behind = nudged(p, R, step), nudged(p, R, -step)
    moved = 0.5 * (angles_by_half_angle(*ahead) - angles_by_half_angle(*behind))
    tau = OPEN.jacobian(p, R).T @ F
    assert math.isclose(float(tau @ moved), float(F @ step), rel_tol=1e-6, abs_tol=1e-13)


@pytest.mark.parametrize("kp", [200.0, (100.0, 200.0, 300.0, 400.0, 500.0, 600.0)], ids=["alike", "six"])
@pytest.mark.parametrize(
    ("p", "R"),
    [(HOME, np.eye(3)), (HOME + np.array([0.1, 0.05, -0.03]), rotation_about((0.2, 0.1, -0.3)))],
    ids=["home", "away"],
)
def test_stiffness_is_the_curvature_of_the_springs_energy(p, R, kp):
    """The motors' springs at rest store sum Kp (th - th0)^2/2; its Hessian at no load is (15)."""
    gains, rest, h = np.broadcast_to(kp, (6,)), angles_by_half_angle(p, R), 1e-4

    def energy(d):
        return 0.5 * float(gains @ (angles_by_half_angle(*nudged(p, R, d)) - rest) ** 2)

    E = h * np.eye(6)
    hessian = np.array(
        [[(energy(a + b) - energy(a - b) - energy(b - a) + energy(-a - b)) / (4 * h * h) for b in E] for a in E]
    )
    K = TABLE.stiffness(p, R, kp)
    assert_allclose(K, K.T, rtol=0, atol=1e-9)
    # central differences of step h leave h^2 times fourth derivatives
    scale = np.sqrt(np.outer(np.diag(K), np.diag(K)))
    assert (np.abs(hessian - K) / scale).max() < 1e-5


def rows_of(p, R):
    """[n, b x n/r]: unit rods, by hand."""
    found = []
    for th, (B, u, b) in zip(angles_by_half_angle(p, R), arms(), strict=True):
        n = (p + R @ b - B - 0.25 * (math.cos(th) * u - math.sin(th) * np.array([0.0, 0.0, 1.0]))) / 0.5
        found.append(np.concatenate([n, np.cross(R @ b, n) / math.hypot(0.09, 0.13)]))
    return np.array(found)


@given(pose=poses())
@settings(max_examples=40, deadline=None)
def test_measure_of_the_plate_is_the_smallest_singular_value(pose):
    p, R = pose
    wanted = np.linalg.svd(rows_of(p, R), compute_uv=False)[-1]
    assert abs(OPEN.margins(p, R).plate) == pytest.approx(wanted, rel=1e-9, abs=1e-14)


@pytest.mark.parametrize(("axis", "low", "high"), [(0, 60, 70), (1, 50, 60), (2, 90, 100)])
def test_plate_goes_soft_at_its_singularity_and_the_measure_changes_sign(axis, low, high):
    """Bisect on the measure; there the rows lose rank, so a wrench exists that held motors do not resist."""
    turn = np.eye(3)[axis]

    def measure(degrees):
        return OPEN.margins(HOME, rotation_about(math.radians(degrees) * turn)).plate

    assert measure(low) > 0.0 > measure(high)
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if measure(middle) > 0.0 else (low, middle)
    R = rotation_about(math.radians(low) * turn)
    assert np.linalg.svd(rows_of(HOME, R), compute_uv=False)[-1] < 1e-12
    before, after = (rotation_about(math.radians(low + d) * turn) for d in (-1.0, 1.0))
    assert np.linalg.det(rows_of(HOME, before)) * np.linalg.det(rows_of(HOME, after)) < 0.0


def test_arms_lose_their_grip_when_arm_and_rod_are_in_line():
    """Stretched straight down the reach is sqrt((L1 + L2)^2 - ...): there the measure goes to 0 as a square root."""
    out, side = 0.20 - 0.09, 0.13 - 0.05
    lowest = -math.sqrt((0.25 + math.sqrt(0.5**2 - side**2)) ** 2 - out**2)
    assert OPEN.margins((0.0, 0.0, lowest + 1e-8)).measure < 1e-3
    near, nearer = (OPEN.margins((0.0, 0.0, lowest + d)).measure for d in (4e-6, 1e-6))
    assert near / nearer == pytest.approx(2.0, rel=1e-3)
    with pytest.raises(InputError, match="outside the workspace"):
        OPEN.inverse((0.0, 0.0, lowest - 1e-8))


def test_workspace_map_agrees_with_single_poses():
    R = rotation_about((0.1, 0.2, 0.0))
    x, y, z = np.linspace(-0.4, 0.4, 7), np.linspace(-0.4, 0.4, 5), np.linspace(-0.72, -0.2, 6)
    found = TABLE.workspace(x=x, y=y, z=z, rotation=R)
    assert found.reachable.any()
    assert not found.reachable.all()
    for i, a in enumerate(x):
        for j, b in enumerate(y):
            for k, c in enumerate(z):
                assert TABLE.reaches((a, b, c), R) == found.reachable[i, j, k]


def test_limits_are_kept_one_by_one():
    p, R = HOME + np.array([0.1, 0.0, 0.1]), rotation_about((0.0, 0.3, 0.2))
    margins = TABLE.margins(p, R)
    angles = TABLE.inverse(p, R)
    assert (margins.lowest, margins.highest) == (angles.min(), angles.max())
    tilt = 0.0
    for th, (B, u, b) in zip(angles, arms(), strict=True):
        n = p + R @ b - B - 0.25 * (math.cos(th) * u - math.sin(th) * np.array([0.0, 0.0, 1.0]))
        t = np.array([-u[1], u[0], 0.0])
        tilt = max(tilt, abs(math.asin(n @ t / 0.5)), abs(math.asin(n @ (R @ t) / 0.5)))
    assert margins.tilt == pytest.approx(tilt, rel=1e-12)
    for change, says in (
        ({"arm_range": (-1.0, margins.highest - 1e-6)}, "past its range"),
        ({"arm_range": (margins.lowest + 1e-6, 1.5)}, "past its range"),
        ({"rod_tilt": tilt - 1e-6}, "a rod would tilt"),
        ({"margin": margins.measure + 1e-6}, "too near a singularity"),
    ):
        with pytest.raises(InputError, match=says):
            dataclasses.replace(TABLE, **change).inverse(p, R)


@pytest.mark.parametrize(
    ("p", "R", "says"),
    [
        ((0.0, 0.0, -0.9), None, r"outside the workspace: arm 1 needs a rod of at least 0\.6"),
        ((0.0, 0.0, 0.1), None, "outside the workspace|past its range|singularity"),
        (HOME, rotation_about((math.radians(75.0), 0.0, 0.0)), "past the singularity of the plate: measure -0.1"),
        (HOME, rotation_about((0.0, 0.0, math.radians(60.0))), "a rod would tilt by 53"),
        ((0.0, 0.0, math.nan), None, "not finite"),
        ((0.0, -0.47), None, "shape"),
        ("here", None, "not an array"),
        (HOME, np.ones((3, 3)), "not a rotation"),
        (HOME, np.diag([1.0, 1.0, -1.0]), "a reflection"),
        (HOME, 1.0000001 * np.eye(3), "R.T R differs"),
        (HOME, np.full((3, 3), math.inf), "not finite"),
        (HOME, np.eye(4), "shape"),
    ],
)
def test_poses_that_mean_nothing_are_refused_with_a_way_out(p, R, says):
    with pytest.raises(InputError, match=says) as caught:
        TABLE.inverse(p, R)
    assert "\n  " in str(caught.value)


def test_the_way_out_is_a_good_pose():
    with pytest.raises(InputError) as caught:
        TABLE.inverse((0.3, 0.4, -0.6))
    place = str(caught.value).split("to (")[1].split(")")[0]
    assert TABLE.reaches([float(x) for x in place.split(",")])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"arm_length": 0.0}, "arm_length=0.0 m must be > 0"),
        ({"rod_length": math.nan}, "rod_length=nan"),
        ({"home_height": 0.3}, "must be < 0"),
        ({"arm_range": (1.0, -1.0)}, "arm_range"),
        ({"rod_length": 0.2}, "at home, it is outside the workspace"),
        ({"rod_tilt": 0.1}, "at home, a rod would tilt"),
        # pairs without spacing are three rods: the plate is not held
        ({"base_spacing": 0.0, "plate_spacing": 0.0}, "at home, it is too near a singularity of the plate"),
    ],
)
def test_tables_that_cannot_stand_are_refused(change, says):
    with pytest.raises(InputError, match=says):
        dataclasses.replace(TABLE, **change)


@pytest.mark.parametrize(
    ("angles", "says"),
    [
        (np.zeros(5), "shape"),
        ([0.0, 0.0, 0.0, 0.0, 0.0, math.nan], "not finite"),
        (np.full(6, -2.5), "angles"),
        ([1.5, -1.0, 1.5, -1.0, 1.5, -1.0], "angles"),
    ],
)
def test_angles_without_a_pose_are_refused(angles, says):
    with pytest.raises(InputError, match=says):
        TABLE.forward(angles)


@pytest.mark.parametrize("kp", [-1.0, (1.0, 2.0), math.inf, "stiff"])
def test_gains_that_mean_nothing_are_refused(kp):
    with pytest.raises(InputError, match="kp"):
        TABLE.stiffness(HOME, None, kp)
