"""A handle led along an arc: the arm's geometry against itself by another way, forces by virtual work."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tegotae as tg
from tegotae.device import AdmittanceTwin, DeviceError, Hand, hold, render_motion, steps
from tegotae.steering.arc import Arc, ArcWheel, ParallelLink, SerialLink

ARMS = [
    kind(upper=0.35, fore=0.45, base=(0.05, -0.1), elbow=elbow)
    for kind in (SerialLink, ParallelLink)
    for elbow in ("left", "right")
]
BASE = np.array([0.05, -0.1])


@pytest.fixture(params=ARMS, ids=lambda a: f"{type(a).__name__}-{a.elbow}")
def arm(request):
    return request.param


def arc_of(arm, travel=1.2):
    return Arc(arm=arm, centre=(0.0, 0.4), radius=0.18, travel=travel)


@settings(max_examples=60, deadline=None)
@given(
    which=st.integers(0, 3),
    far=st.floats(0.1001, 0.7999),
    way=st.floats(-np.pi, np.pi),
)
def test_every_point_in_reach_is_reached_with_the_elbow_on_its_side(which, far, way):
    arm = ARMS[which]
    point = BASE + far * np.array([np.cos(way), np.sin(way)])
    joints = arm.joints(point)
    np.testing.assert_allclose(arm.tip(joints), point, atol=1e-9)
    elbow = 0.35 * np.array([np.cos(joints[0]), np.sin(joints[0])])
    to_handle = point - BASE
    side = to_handle[0] * elbow[1] - to_handle[1] * elbow[0]  # > 0: left of the line from base to handle
    assert (side > 0.0) == (arm.elbow == "left")
    assert np.linalg.norm(to_handle - elbow) == pytest.approx(0.45, abs=1e-9)


def test_the_jacobian_is_the_derivative_of_the_tip(arm):
    joints, step = np.array([0.4, 1.1]), 1e-6
    moved = [(arm.tip(joints + step * e) - arm.tip(joints - step * e)) / (2.0 * step) for e in np.eye(2)]
    np.testing.assert_allclose(arm.jacobian(joints), np.transpose(moved), atol=1e-9)


def test_virtual_work_is_the_same_at_the_rim_at_the_handle_and_in_the_joints(arm):
    """tau dtheta = force . dpoint = joint torques . djoints, for motion along the arc."""
    arc = arc_of(arm)
    angles, step = np.linspace(-1.1, 1.1, 23), 1e-6
    force = np.array([3.0, -7.0])
    torque = arc.torque(force, angles)
    point_rate = (arc.point(angles + step) - arc.point(angles - step)) / (2.0 * step)
    np.testing.assert_allclose(torque, point_rate @ force, atol=1e-8)
    joint_rate = (arc.joints(angles + step) - arc.joints(angles - step)) / (2.0 * step)
    in_joints = arc.arm.torques(arc.joints(angles), np.broadcast_to(force, (23, 2)))
    np.testing.assert_allclose(torque, (in_joints * joint_rate).sum(axis=1), atol=1e-7)
    along = arc.joint_torques(2.5, angles)
    np.testing.assert_allclose((along * joint_rate).sum(axis=1), 2.5, atol=1e-7)


def test_angles_go_round_and_a_push_along_the_radius_turns_nothing(arm):
    arc = arc_of(arm)
    angles = np.linspace(-1.2, 1.2, 25)
    np.testing.assert_allclose(arc.angle(arc.point(angles)), angles, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(arc.point(angles) - [0.0, 0.4], axis=1), 0.18, atol=1e-14)
    np.testing.assert_allclose(arc.torque(arc.point(angles) - [0.0, 0.4], angles), 0.0, atol=1e-14)
    left = arc.point(0.1)
    assert left[0] < arc.point(0.0)[0]  # a left turn moves the top of the wheel to the left


def test_out_of_reach_and_beyond_the_travel_are_refused(arm):
    with pytest.raises(tg.InputError, match="out of reach"):
        arm.joints([0.0, 2.0])
    with pytest.raises(tg.InputError, match="out of reach"):
        arm.joints([0.05, -0.1])
    with pytest.raises(tg.InputError, match="beyond travel"):
        arc_of(arm).point(1.3)
    with pytest.raises(tg.InputError, match="finite"):
        arc_of(arm).point(np.nan)
    # In reach at both ends and in the middle, but not where the circle comes nearest to the base.
    with pytest.raises(tg.InputError, match="out of reach"):
        Arc(arm=arm, centre=(0.05, 0.15), radius=0.18, rest=-2.0, travel=1.5)
    with pytest.raises(tg.InputError, match="radius"):
        Arc(arm=arm, centre=(0.0, 0.4), radius=0.0, travel=1.0)


def test_a_mass_is_turned_through_the_arm_as_by_a_torque_on_a_wheel():
    """Only the tangential part of the push counts; the arm follows the model's angle along the arc."""
    arc = arc_of(ARMS[2])
    push = Hand(stiffness=0.0, damping=0.0, target=hold(arc.point(0.0)), push=steps([0.0], [[-5.0, 0.0]]))
    arm = AdmittanceTwin(bandwidth=200.0, dimension=2).start(hand=push, period=1e-3)
    result = render_motion(ArcWheel(arm, arc), tg.Mass(mass=0.5).start(period=1e-3), 400)
    np.testing.assert_allclose(result.force[1:], 5.0 * 0.18 * np.cos(result.position[:-1]), rtol=1e-12)
    assert result.position[-1] == pytest.approx(0.5 * (0.9 / 0.5) * 0.4**2, rel=0.01)
    np.testing.assert_allclose(arm.position, arc.point(result.position[-1]), atol=2e-3)  # the servo's lag


def test_a_sensor_that_fails_stops_the_arm(monkeypatch):
    arc = arc_of(ARMS[0])
    nobody = Hand(stiffness=0.0, damping=0.0, target=hold(arc.point(0.0)))
    arm = AdmittanceTwin(bandwidth=50.0, dimension=2).start(hand=nobody, period=1e-3)
    monkeypatch.setattr(arm, "read", lambda: np.full(2, np.nan))
    with pytest.raises(DeviceError, match="tick 0"):
        render_motion(ArcWheel(arm, arc), tg.Mass(mass=0.5).start(period=1e-3), 10)
    assert arm.stopped
    with pytest.raises(tg.InputError, match="two-axis"):
        ArcWheel(AdmittanceTwin(bandwidth=50.0).start(period=1e-3), arc)
