"""Gap, normal and nearest point of every surface, against nearest points found by search and by closed forms."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from tegotae.errors import InputError
from tegotae.multibody import Ball, Box, Corners, HalfSpace, Plate, Point, Sphere, Touch

HALF = np.array([0.3, 0.2, 0.5])
TURN = Rotation.from_rotvec([0.4, -1.1, 0.7]).as_matrix()
CENTER = np.array([0.2, -0.4, 1.0])
BOX = Box(half_sizes=HALF, center=CENTER, rotation=TURN)
SPHERE = Sphere(radius=0.4, center=CENTER)
SLOPE = HalfSpace(point=CENTER, normal=TURN[:, 2] * 3.0)
PLATE = Plate(half_sizes=HALF[:2], center=CENTER, normal=TURN[:, 2], axis=TURN[:, 0] + 0.5 * TURN[:, 2], thickness=0.15)
SOLIDS = [BOX, SPHERE, SLOPE]

coordinates = st.floats(-1.2, 1.2, allow_nan=False)
places = st.tuples(coordinates, coordinates, coordinates).map(lambda x: CENTER + TURN @ np.array(x))
quick = settings(max_examples=60, deadline=None)


def faces_of_box() -> np.ndarray:
    """A grid over the six faces, in the box's own frame."""
    grid = np.linspace(-1, 1, 41)
    u, v = (g.ravel() for g in np.meshgrid(grid, grid))
    points = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            x = np.empty((u.size, 3))
            x[:, axis], x[:, axis - 1], x[:, axis - 2] = sign, u, v
            points.append(x * HALF)
    return np.vstack(points)


FACES = CENTER + faces_of_box() @ TURN.T
SPACING = float(np.linalg.norm(HALF)) / 20  # no point of a face is farther than this from one of the grid


@quick
@given(places)
def test_the_box_against_a_search_over_its_faces(x: np.ndarray) -> None:
    found = BOX.nearest(x)
    searched = float(np.linalg.norm(FACES - x, axis=1).min())
    inside = (np.abs(TURN.T @ (x - CENTER)) < HALF).all()
    assert (found.gap < 0.0) == inside
    assert abs(found.gap) <= searched + 1e-12
    assert abs(found.gap) >= searched - SPACING
    own = TURN.T @ (found.point - CENTER)
    assert np.max(np.abs(own) - HALF) == pytest.approx(0.0, abs=1e-12)  # it lies on the surface


@quick
@given(places, st.sampled_from(SOLIDS))
def test_gap_times_normal_leads_from_the_surface_to_the_point(x: np.ndarray, solid: Box | Sphere | HalfSpace) -> None:
    assume(np.linalg.norm(x - CENTER) > 1e-6)
    found = solid.nearest(x)
    assert np.linalg.norm(found.normal) == pytest.approx(1.0, abs=1e-12)
    assert found.point + found.gap * found.normal == pytest.approx(x, abs=1e-12)


@quick
@given(places, st.sampled_from(SOLIDS))
def test_the_normal_is_the_gradient_of_the_gap(x: np.ndarray, solid: Box | Sphere | HalfSpace) -> None:
    found, step = solid.nearest(x), 1e-6
    # Where two faces are equally near the gap has a ridge, and a sphere's centre has no gradient.
    aside = np.abs(TURN.T @ (x - CENTER))
    own = np.sort(aside - HALF)
    assume(found.gap > 0.0 or aside.min() > 1e-4)
    assume(found.gap > 1e-2 or own[2] - own[1] > 1e-4)
    assume(abs(found.gap) > 1e-2 and np.linalg.norm(x - CENTER) > 0.05)
    slope = [(solid.nearest(x + d).gap - solid.nearest(x - d).gap) / (2 * step) for d in step * np.eye(3)]
    assert found.normal == pytest.approx(slope, abs=1e-3)  # curvature up to 1/distance near an edge


@quick
@given(places, places, st.sampled_from(SOLIDS))
def test_a_gap_never_changes_faster_than_the_point_moves(
    x: np.ndarray, y: np.ndarray, solid: Box | Sphere | HalfSpace
) -> None:
    """Continuous across faces, edges, corners and the middle."""
    assert abs(solid.nearest(x).gap - solid.nearest(y).gap) <= np.linalg.norm(x - y) + 1e-12


@quick
@given(places, st.floats(0.0, 0.5), st.sampled_from(SOLIDS))
def test_a_ball_is_nearer_by_its_radius(x: np.ndarray, radius: float, solid: Box | Sphere | HalfSpace) -> None:
    point, ball = solid.nearest(x), solid.nearest(x, radius=radius)
    assert ball.gap == pytest.approx(point.gap - radius, abs=1e-15)
    assert (ball.normal == point.normal).all()


def test_sphere_and_slope_have_their_closed_forms() -> None:
    x = np.array([1.0, 2.0, 3.0])
    assert SPHERE.nearest(x).gap == pytest.approx(np.linalg.norm(x - CENTER) - 0.4, abs=1e-14)
    assert SLOPE.nearest(x).gap == pytest.approx((x - CENTER) @ TURN[:, 2], abs=1e-14)


def test_points_on_faces_edges_and_the_middle_have_a_normal() -> None:
    cube = Box(half_sizes=(1, 1, 1))
    assert cube.nearest((1, 0, 0)).gap == 0.0
    assert cube.nearest((1, 0, 0)).normal == pytest.approx([1, 0, 0])
    assert cube.nearest((0, -1 - 1e-200, 0)).normal == pytest.approx([0, -1, 0])
    for x in ((1, 1, 1), (0, 0, 0), (1, -1, 0)):
        assert np.linalg.norm(cube.nearest(x).normal) == 1.0
    assert Sphere(radius=1.0).nearest((0, 0, 0)).gap == -1.0


@quick
@given(st.tuples(coordinates, coordinates, coordinates), st.floats(0.0, 0.1))
def test_the_plate_feels_its_front_and_nothing_else(own: tuple[float, float, float], radius: float) -> None:
    found = PLATE.nearest(CENTER + TURN @ np.array(own), radius=radius)
    assume(abs(own[2]) > 1e-9)
    assume(abs(own[2] - radius + 0.15) > 1e-9)
    beside = np.maximum(np.abs(own[:2]) - HALF[:2], 0.0)
    assume(np.all((beside == 0) | (beside > 1e-9)))
    if own[2] > 0.0:
        assert found.gap == pytest.approx(math.hypot(*beside, own[2]) - radius, abs=1e-12)
        assert found.normal @ TURN[:, 2] > 0.0
    elif beside.any() or own[2] - radius < -0.15:
        assert found.gap == math.inf
    else:
        assert found.gap == pytest.approx(own[2] - radius, abs=1e-12)


def test_corners_are_where_the_box_has_them() -> None:
    balls = Corners(half_sizes=HALF, center=CENTER, rotation=TURN).balls
    assert len({tuple(np.round(one, 9)) for one in balls}) == 8
    assert np.abs((balls[:, :3] - CENTER) @ TURN) == pytest.approx(np.tile(HALF, (8, 1)))
    for one in balls:
        assert abs(BOX.nearest(one[:3]).gap) < 1e-14


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Ball(radius=0.0), "Ball: radius=0.0 m must be > 0"),
        (lambda: Ball(radius=math.nan), "Ball: radius=nan m is not finite"),
        (lambda: Point(position=(1, 2)), "Point: position has shape"),
        (lambda: Point(position=(1, 2, math.inf)), "not finite"),
        (lambda: Corners(half_sizes=(1, 2, -1)), r"Corners: half_sizes\[2\]=-1.0 m must be > 0"),
        (lambda: Box(half_sizes=()), "Box: half_sizes has shape"),
        (lambda: Box(half_sizes=(1, 1, 1), rotation=np.diag([1, 1, -1])), "not a rotation but a reflection"),
        (lambda: HalfSpace(normal=(0, 0, 0)), "HalfSpace: normal=.* has length 0"),
        (lambda: Plate(half_sizes=(1, 1), axis=(0, 0, 2)), "Plate: axis=.* lies along the normal"),
        (lambda: Plate(half_sizes=(1, 1), thickness=-1.0), "Plate: thickness=-1.0 m must be > 0"),
        (lambda: Sphere(radius=-1), "Sphere: radius=-1.0 m must be > 0"),
        (lambda: SPHERE.nearest((0, 0, 0), radius=-1), "Sphere: radius=-1.0 m must be >= 0"),
        (lambda: touch(on=""), "Touch: on='' is not a name"),
        (lambda: touch(of="crate"), "Touch: of='crate' is the body that touches"),
        (lambda: touch(toucher=SPHERE), "Touch: toucher=.* is not a Point or Ball or Corners"),
        (lambda: touch(surface=Point()), "Touch: surface=.* is not a Surface"),
        (lambda: touch(stiffness=0.0), "Touch: stiffness=0.0 N/m must be > 0"),
        (lambda: touch(damping=-1.0), "Touch: damping=-1.0 N·s/m must be >= 0"),
        (lambda: touch(friction=math.inf), "Touch: friction=inf is not finite"),
        (lambda: touch(tangential_stiffness=-1.0), "Touch: tangential_stiffness=-1.0 N/m must be > 0"),
    ],
)
def test_bad_shapes_are_refused_by_name(make: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        make()  # type: ignore[operator]


def touch(**changed: object) -> Touch:
    given = {"on": "crate", "toucher": Point(), "surface": HalfSpace(), **changed}
    return Touch(**given)  # type: ignore[arg-type]


def test_across_the_normal_is_as_along_it_unless_told() -> None:
    plain = touch(stiffness=2e5, damping=200.0)
    assert (plain.tangential_stiffness, plain.tangential_damping) == (2e5, 200.0)
    softer = touch(tangential_stiffness=1e4)
    assert (softer.damping, softer.tangential_damping) == (200.0, 20.0)  # 2 ms times each stiffness
    own = touch(tangential_stiffness=1e4, tangential_damping=0.0)
    assert (own.tangential_stiffness, own.tangential_damping) == (1e4, 0.0)
