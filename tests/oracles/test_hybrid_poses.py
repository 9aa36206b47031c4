"""Poses as plain numbers, against scipy's rotations and closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from tegotae import rotations
from tegotae.hybrid.safety import poses

part = st.floats(-1.0, 1.0)
angles = st.one_of(st.floats(0.0, math.pi), st.floats(0.0, 1e-3), st.sampled_from([0.0, 1e-9, 1e-4, 3.14159]))


@st.composite
def vectors(draw):
    """Rotation vectors up to half a turn, small ones among them."""
    axis = np.array([draw(part), draw(part), draw(part)])
    length = np.linalg.norm(axis)
    axis = axis / length if length > 1e-3 else np.array([0.0, 0.0, 1.0])
    return tuple((draw(angles) * axis).tolist())


@st.composite
def somewhere(draw):
    return (draw(part), draw(part), draw(part), *rotations.quaternion_about(*draw(vectors())))


def scipy_of(q):
    return Rotation.from_quat([q[1], q[2], q[3], q[0]])


@given(vectors())
@settings(deadline=None)
def test_a_rotation_vector_makes_the_quaternion_that_scipy_makes(v):
    x, y, z, w = Rotation.from_rotvec(v).as_quat()
    ours = rotations.quaternion_about(*v)
    assert ours == pytest.approx((w, x, y, z), abs=1e-15) or ours == pytest.approx((-w, -x, -y, -z), abs=1e-15)


@given(vectors(), st.booleans())
@settings(deadline=None)
def test_and_back(v, turned_over):
    q = rotations.quaternion_about(*v)
    back = rotations.vector_of(tuple(-c for c in q) if turned_over else q)
    if np.linalg.norm(v) > math.pi - 1e-6:  # both ways round are as short
        assert scipy_of(rotations.quaternion_about(*back)).approx_equal(Rotation.from_rotvec(v), atol=1e-9)
    else:
        assert back == pytest.approx(v, abs=2e-15, rel=1e-14)


@given(somewhere(), somewhere())
@settings(deadline=None)
def test_products_and_angles_are_those_of_scipy(a, b):
    both = scipy_of(rotations.product(a[3:], b[3:]))
    assert both.as_matrix() == pytest.approx((scipy_of(a[3:]) * scipy_of(b[3:])).as_matrix(), abs=1e-14)
    apart = (scipy_of(a[3:]).inv() * scipy_of(b[3:])).magnitude()
    assert poses.angle_between(a[3:], b[3:]) == pytest.approx(apart, abs=1e-7)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-7, 1e-3, 1.0, 1.58, 3.0, math.pi - 1e-9])
def test_an_angle_keeps_its_digits(angle):
    q = rotations.quaternion_about(0.0, 0.6 * angle, 0.8 * angle)
    assert poses.angle_between(poses.LEVEL, q) == pytest.approx(angle, rel=1e-9, abs=1e-30)
    assert poses.angle_between(poses.LEVEL, tuple(-c for c in q)) == pytest.approx(angle, rel=1e-9, abs=1e-30)


@given(somewhere(), somewhere())
@settings(deadline=None)
def test_the_difference_leads_from_one_to_the_other(a, b):
    end = poses.moved(a, poses.difference(a, b))
    assert end[:3] == pytest.approx(b[:3], abs=1e-15)
    assert poses.angle_between(end[3:], b[3:]) <= 1e-14
    assert math.hypot(*end[3:]) == pytest.approx(1.0, abs=1e-15)


@given(somewhere(), vectors(), st.floats(0.0, 1.0))
@settings(deadline=None)
def test_moving_turns_about_world_axes(pose, turn, scale):
    end = poses.moved(pose, (1.0, 2.0, 3.0, *turn), scale)
    wanted = Rotation.from_rotvec(scale * np.array(turn)) * scipy_of(pose[3:])
    assert scipy_of(end[3:]).as_matrix() == pytest.approx(wanted.as_matrix(), abs=1e-14)
    assert end[:3] == pytest.approx([p + scale * k for p, k in zip(pose, (1.0, 2.0, 3.0), strict=False)])


@given(somewhere(), st.floats(-0.1, 0.1), st.tuples(*[part] * 12))
@settings(deadline=None)
def test_extrapolation_is_that_of_constant_acceleration(pose, t, motion):
    twist, push = motion[:6], motion[6:]
    end, last = poses.extrapolated(pose, twist, push, t)
    way = [v * t + 0.5 * a * t * t for v, a in zip(twist, push, strict=True)]
    assert poses.difference(pose, end) == pytest.approx(way, abs=1e-14)
    assert last == pytest.approx([v + a * t for v, a in zip(twist, push, strict=True)])


@given(somewhere(), somewhere(), st.floats(0.0, 2.0), st.floats(0.0, 2.0))
@settings(deadline=None)
def test_a_limited_move_goes_straight_and_no_farther(a, b, distance, angle):
    """Straight in space and by spherical interpolation: the way made and the way left add up to the way."""
    between = poses.toward(a, b, distance, angle)
    way, made, left = math.dist(a[:3], b[:3]), math.dist(a[:3], between[:3]), math.dist(between[:3], b[:3])
    assert made <= distance + 1e-14
    assert made + left == pytest.approx(way, abs=1e-14)
    assert made == pytest.approx(min(distance, way), abs=1e-14)
    turn = poses.angle_between(a[3:], b[3:])
    assert poses.angle_between(a[3:], between[3:]) == pytest.approx(min(angle, turn), abs=1e-13)
    assert poses.angle_between(between[3:], b[3:]) == pytest.approx(max(turn - angle, 0.0), abs=1e-13)
