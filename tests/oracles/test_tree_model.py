"""What the kernels get for trees built by hand: order, lumped bodies, frames and coordinates, by closed forms."""

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tegotae.multibody import Body, Fixed, Free, Prismatic, Revolute, Tree


def box(mass: float, a: float, b: float, c: float) -> tuple[float, float, float]:
    """Moments of a solid box with edges a, b, c."""
    return mass / 12 * (b * b + c * c), mass / 12 * (a * a + c * c), mass / 12 * (a * a + b * b)


def rotation(seed: int) -> np.ndarray:
    w, x, y, z = np.random.default_rng(seed).normal(size=4)
    return pin.Quaternion(w, x, y, z).normalized().toRotationMatrix()


def inertia_of(C: np.ndarray) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = C[16:22]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def test_order_is_parents_first_and_else_as_given() -> None:
    def one(name: str, parent: str | None) -> Body:
        return Body(name=name, mass=1.0, inertia=(1, 1, 1), parent=parent, joint=Revolute(name="j" + name))

    tree = Tree([one("c", "b"), one("a", None), one("e", None), one("b", "a"), one("d", "a")])
    assert [body.name for body in tree.bodies] == ["a", "e", "b", "c", "d"]
    assert tree.joint_names == ("ja", "je", "jb", "jc", "jd")
    assert tree.arrays.parent.tolist() == [-1, -1, 0, 2, 0]


def test_two_fixed_halves_are_one_box() -> None:
    half = {"mass": 1.5, "inertia": box(1.5, 1.0, 0.6, 0.4)}
    turn = rotation(3)  # of the second half's frame, about which its inertia is written
    first = Body(name="first", joint=Free(), center=(0.5, 0, 0), **half)
    second = Body(
        name="second",
        mass=1.5,
        inertia=turn.T @ np.diag(half["inertia"]) @ turn,
        center=turn.T @ np.array([0.5, 0, 0]),
        parent="first",
        joint=Fixed(),
        position=(1.0, 0, 0),
        rotation=turn,
    )
    layout = Tree([first, second]).arrays
    C = layout.C[0]
    assert C[15] == 3.0
    np.testing.assert_allclose(inertia_of(C), np.diag(box(3.0, 2.0, 0.6, 0.4)), rtol=0, atol=1e-15)
    np.testing.assert_allclose(layout.center[0], (1.0, 0, 0), rtol=0, atol=1e-15)
    np.testing.assert_allclose(layout.frames["first"][1], (-1.0, 0, 0), rtol=0, atol=1e-15)
    np.testing.assert_allclose(layout.frames["second"][1], (0, 0, 0), rtol=0, atol=1e-15)
    np.testing.assert_allclose(layout.frames["second"][2], turn, rtol=0, atol=1e-15)


def test_what_is_fixed_to_the_world_vanishes_into_it() -> None:
    turn = rotation(5)
    wall = Body(name="wall", mass=100.0, joint=Fixed(), position=(1, 2, 3), rotation=turn)
    shelf = Body(name="shelf", mass=1.0, joint=Fixed(), parent="wall", position=(0.5, 0, 0))
    slide = Body(name="slide", mass=2.0, joint=Prismatic(axis=(0, 1, 0)), parent="shelf", position=(0, 0, 1))
    tree = Tree([wall, shelf, slide])
    layout = tree.arrays
    assert (tree.nq, tree.nv, layout.names, tree.mass) == (1, 1, ("slide",), 2.0)
    index, place, axes = layout.frames["shelf"]
    assert index == -1
    np.testing.assert_allclose(place, np.array([1, 2, 3]) + turn @ [0.5, 0, 0], rtol=0, atol=1e-15)
    np.testing.assert_allclose(axes, turn, rtol=0, atol=1e-15)
    np.testing.assert_allclose(layout.C[0, 9:12], place + turn @ [0, 0, 1], rtol=0, atol=1e-15)
    np.testing.assert_allclose(layout.C[0, :9].reshape(3, 3)[:, 2], turn @ [0, 1, 0], rtol=0, atol=1e-15)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, -1, 0), (0, 0, -2), (1, 2, 3), (1e-9, 1e-9, 1), (-3, 1e-200, 1)])
def test_the_internal_frame_has_its_z_along_the_axis(axis: tuple[float, float, float]) -> None:
    inertia = np.diag((1.0, 1.2, 1.4))
    layout = Tree([Body(name="a", mass=1.0, inertia=inertia, center=(1, 2, 3), joint=Revolute(axis=axis))]).arrays
    S = layout.frames["a"][2].T  # internal axes in the body's frame
    np.testing.assert_allclose(S.T @ S, np.eye(3), rtol=0, atol=1e-15)
    assert np.linalg.det(S) == pytest.approx(1.0)
    np.testing.assert_allclose(S[:, 2], np.array(axis) / np.linalg.norm(axis), rtol=0, atol=1e-15)
    np.testing.assert_allclose(S @ layout.C[0, 12:15], (1, 2, 3), rtol=0, atol=1e-14)
    np.testing.assert_allclose(S @ inertia_of(layout.C[0]) @ S.T, inertia, rtol=0, atol=1e-15)


def test_plain_axes_stay_exact() -> None:
    bodies = [Body(name="a", mass=1.0, inertia=(1, 1, 1), center=(0.1, 0, 0), joint=Revolute())]
    assert (Tree(bodies).arrays.frames["a"][2] == np.eye(3)).all()


def test_neutral_is_where_bodies_were_placed() -> None:
    for seed in range(20):
        turn = rotation(seed)
        free = Body(name="a", mass=1.0, inertia=(1, 1, 1), joint=Free(), position=(1, 2, 3), rotation=turn)
        arm = Body(name="b", mass=1.0, inertia=(1, 1, 1), joint=Revolute(), parent="a")
        q = Tree([free, arm]).neutral()
        w, x, y, z = q[3:7]
        np.testing.assert_allclose(pin.Quaternion(w, x, y, z).toRotationMatrix(), turn, rtol=0, atol=1e-14)
        np.testing.assert_array_equal(q[:3], (1, 2, 3))
        assert q[7] == 0.0
    for half_turn in (np.diag([1.0, -1, -1]), np.diag([-1.0, 1, -1]), np.diag([-1.0, -1, 1])):
        w, x, y, z = Tree([Body(name="a", mass=1.0, inertia=(1, 1, 1), joint=Free(), rotation=half_turn)]).neutral()[3:]
        np.testing.assert_array_equal(pin.Quaternion(w, x, y, z).toRotationMatrix(), half_turn)


def machine() -> Tree:
    """Two flying bodies whose frames are not at their centres of mass, and an arm on one."""
    common = {"mass": 2.0, "inertia": (1, 1.2, 1.4)}
    first = Body(name="a", joint=Free(), center=(0.3, -0.2, 0.5), **common)
    arm = Body(name="b", joint=Revolute(), parent="a", **common)
    second = Body(name="c", joint=Free(), center=(-0.1, 0.4, 0.2), **common)
    return Tree([first, arm, second])


vectors = st.lists(st.floats(-3, 3), min_size=14 + 1 + 2 * 13, max_size=14 + 1 + 2 * 13)


@settings(max_examples=50, deadline=None)
@given(values=vectors)
def test_coordinates_go_in_and_out(values: list[float]) -> None:
    tree = machine()
    layout = tree.arrays
    q, v, a = np.split(np.array(values), [15, 28])
    for i in (3, 11):
        q[i] += 4.0  # no quaternion of length 0
        q[i : i + 4] /= np.linalg.norm(q[i : i + 4])
    inner = layout.inner(q, v)
    for found, given_ in zip(layout.outer(*inner), (q, v), strict=True):
        np.testing.assert_allclose(found, given_, rtol=0, atol=1e-14)
    np.testing.assert_allclose(
        layout.outer_acceleration(*inner, layout.inner_acceleration(q, v, a)), a, rtol=0, atol=2e-13
    )
    # force times velocity is power on either side, and any point of the body tells the same
    force = layout.inner_force(q, a)
    assert force @ inner[1] == pytest.approx(a @ v, abs=1e-12)
    np.testing.assert_allclose(layout.outer_force(inner[0], force), a, rtol=0, atol=1e-14)
    # a record goes in at once
    many = layout.inner(np.tile(q, (4, 2, 1)), np.tile(v, (4, 2, 1)))
    np.testing.assert_array_equal(many[0][3, 1], inner[0])
    np.testing.assert_array_equal(many[1][3, 1], inner[1])


def test_velocity_and_acceleration_are_derivatives_of_the_position() -> None:
    """A body that turns evenly about a fixed axis w while its origin falls: q(t) in closed form."""
    tree = machine()
    rng = np.random.default_rng(0)
    x0, v0, g, w = rng.normal(size=(4, 3))

    def state(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        q, v, a = tree.neutral(), np.zeros(tree.nv), np.zeros(tree.nv)
        half = np.linalg.norm(w) * t / 2
        q[:3] = x0 + v0 * t + g * t * t / 2
        q[3:7] = [np.cos(half), *(np.sin(half) * w / np.linalg.norm(w))]
        v[:3], v[3:6], a[:3] = v0 + g * t, w, g
        return q, v, a

    h, t = 1e-3, 0.7
    center = [tree.arrays.inner(*state(t + k * h)[:2])[0][:3] for k in (-2, -1, 0, 1, 2)]
    first = np.array([1, -8, 0, 8, -1]) @ center / (12 * h)
    second = np.array([-1, 16, -30, 16, -1]) @ center / (12 * h * h)
    q, v, a = state(t)
    np.testing.assert_allclose(tree.arrays.inner(q, v)[1][:3], first, rtol=0, atol=1e-10)  # h⁴ |w|⁵
    np.testing.assert_allclose(tree.arrays.inner_acceleration(q, v, a)[:3], second, rtol=0, atol=1e-8)  # rounding / h²
