"""The bodies of the dynamics node against a scene, which the multibody tests vouch for, and against M and J."""

import numpy as np
import pytest

from tegotae.errors import InputError
from tegotae.hybrid import TwoRobots
from tegotae.hybrid.bodies.meeting import Contact, Meeting
from tegotae.hybrid.bodies.two_robots import BASE, LAST
from tegotae.multibody import Body, Free, Lock, Revolute, Scene, Servo, Tree

T = 2e-3
TIP = (1.0, 0.0, 0.0)
AXES = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])


def placed(two, q):
    """Tip, last link, base and the surface's axes in the world."""
    at, turn = two.tree.pose(q, LAST)
    base, upright = two.tree.pose(q, BASE)
    return at + turn @ np.array(TIP), at, base, upright


def relative(two, q):
    """Position of the tip in the plate's axes, and its Jacobian, from the tree's own kinematics."""
    tip, _, base, upright = placed(two, q)
    axes = upright @ AXES
    J = two.tree.jacobian(q, LAST, TIP) - two.tree.jacobian(q, BASE, upright.T @ (tip - base))
    return axes.T @ (tip - base - upright @ np.array([-0.5, 0.0, 0.0])), np.kron(np.eye(2), axes.T) @ J


@pytest.mark.parametrize("joints", [Lock(), None], ids=["locked", "free"])
def test_mobility_is_j_over_m(joints):
    two = TwoRobots(pose="B", joints=joints)
    meeting = two.meeting(period=T)
    q, v = two.start()
    place, J = relative(two, q)
    moves = np.ones(two.tree.nv, dtype=bool)
    moves[6:10] = joints is None
    M = two.tree.mass_matrix(q)[np.ix_(moves, moves)]
    wanted = J[:, moves] @ np.linalg.solve(M, J[:, moves].T)
    np.testing.assert_allclose(meeting.mobility, wanted, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(meeting.motion[0][:3], place, atol=1e-12)
    np.testing.assert_allclose(meeting.motion[1], J @ v, atol=1e-14)
    assert meeting.mass == pytest.approx(two.reduced_mass, rel=1e-12)


def test_a_held_wrench_moves_the_bodies_as_a_scene_does():
    """Against rk4 of the scene at a tenth of the period; its wrench is held in the world's axes, hence the bound."""
    two = TwoRobots(pose="B", speed=0.3)
    push = np.array([4.0, -3.0, -40.0, 1.0, 2.0, -0.5])
    meeting = two.meeting(period=T, guard=False)
    q, v = two.start()
    live = Scene(tree=two.tree, controllers=two.scene.controllers).start(period=T / 10, q=q, v=v, method="rk4")
    for _ in range(30):
        meeting.advance(push)
        for _ in range(10):
            tip, at, base, upright = placed(two, live.q)
            force, torque = upright @ AXES @ push[:3], upright @ AXES @ push[3:]
            first = np.concatenate([force, torque + np.cross(tip - at, force)])
            second = -np.concatenate([force, torque + np.cross(tip - base, force)])
            live.step(wrenches={LAST: first, BASE: second})
    place, J = relative(two, live.q)
    np.testing.assert_allclose(meeting.motion[0][:3], place, atol=3e-7)
    np.testing.assert_allclose(meeting.motion[1], J @ live.v, atol=3e-6)
    np.testing.assert_allclose(meeting.configuration, live.q, atol=3e-7)
    assert abs(meeting.motion[1][2] - 0.3) > 0.05  # it did something


def test_the_midpoint_rule_is_of_second_order():
    two = TwoRobots(pose="B", speed=0.3)
    ends = []
    for n in (1, 2, 4, 32):
        meeting = two.meeting(period=T / n, guard=False)
        for _ in range(100 * n):
            meeting.advance((4.0, -3.0, -40.0, 1.0, 2.0, -0.5))
        ends.append(np.concatenate(meeting.motion))
    errors = [np.abs(end - ends[-1]).max() for end in ends[:-1]]
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (slopes > 1.9).all()


def test_energy_of_the_bodies_is_the_trees():
    two = TwoRobots(pose="B", speed=0.5)
    q, v = two.start()
    assert two.meeting(period=T).energy == pytest.approx(float(two.tree.energy(q, v)[0]), rel=1e-12)


def test_servos_hold_as_in_the_numerical_experiment():
    """Pose B on soft servos against a spring: the peak that TwoRobots.run finds."""
    two = TwoRobots(pose="B", joints=Servo(gain=1000.0, rate_gain=100.0), gap=0.001)
    k, period = two.contact_stiffness, 5e-4
    meeting = two.meeting(period=period, guard=False)
    peak = 0.0
    for _ in range(round(0.35 / period)):
        pose, twist = meeting.motion
        push = k * max(0.0, pose[2] + 0.5 * period * twist[2])  # in the middle of the tick, as the node takes it
        peak = max(peak, push)
        meeting.advance((0.0, 0.0, -push, 0.0, 0.0, 0.0))
    assert peak == pytest.approx(float(two.run(duration=0.35, period=5e-4).force.max()), rel=2e-3)


def ball(**joint):
    return Tree(
        [
            Body(name="cart", mass=2.0, inertia=(0.1, 0.1, 0.1), joint=Free()),
            Body(name="arm", mass=1.0, inertia=(0.1, 0.1, 0.1), parent="cart", joint=Revolute(axis=(0, 1, 0), **joint)),
        ],
        gravity=(0.0, 0.0, 0.0),
    )


UPRIGHT = np.eye(3)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"contact": Contact("arm", TIP, "arm", (0, 0, 0), UPRIGHT)}, "one rigid body"),
        ({"contact": Contact("arm", TIP, "cart", (0, 0, 0), np.ones((3, 3)))}, "not a rotation"),
        ({"contact": Contact("hand", TIP, "cart", (0, 0, 0), UPRIGHT)}, "no body 'hand'"),
        ({"q": np.zeros(3)}, "Give 8 numbers"),
        ({"v": np.full(7, np.nan)}, "v"),
        ({"controllers": {"elbow": Lock()}}, "no such joint"),
        ({"controllers": {"arm": 3.0}}, "Give Servo"),
        ({"controllers": {"arm": Lock()}, "v": np.ones(7)}, "locked joint moves"),
        ({"period": 0.0}, "period"),
        ({"substeps": 0}, "substeps"),
    ],
)
def test_bad_input_is_refused(change, words):
    tree = ball()
    good = {
        "tree": tree, "contact": Contact("arm", TIP, "cart", (0, 0, 0), UPRIGHT), "period": T, "q": tree.neutral(),
        "v": np.zeros(tree.nv),
    }  # fmt: skip
    with pytest.raises(InputError, match=words):
        Meeting(**(good | change))


def test_friction_in_joints_is_refused():
    from tegotae import Coulomb, FrictionImpedance

    rubbing = ball(friction=FrictionImpedance(stiffness=1e4, law=Coulomb(1.0)))
    with pytest.raises(InputError, match="has friction"):
        Meeting(
            tree=rubbing,
            contact=Contact("arm", TIP, "cart", (0, 0, 0), UPRIGHT),
            period=T,
            q=rubbing.neutral(),
            v=np.zeros(rubbing.nv),
        )
