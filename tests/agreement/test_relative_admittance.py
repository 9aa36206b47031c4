"""The bodies of the dynamics node against a scene, which the multibody tests vouch for, and against M and J."""

import numpy as np
import pytest

from tegotae import Coulomb, FrictionImpedance, SpringDamper, Stribeck
from tegotae.errors import InputError
from tegotae.hybrid import RelativeAdmittance
from tegotae.multibody import AtPoint, Body, Free, Lock, Prismatic, Revolute, Scene, Servo, Tree, TreeAdmittance
from tegotae.papers.two_robots import TwoRobots
from tegotae.papers.two_robots.experiment import BASE, LAST
from tegotae.running.probe import Probe

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


def started(two, period=T):
    machine = two.machine(period=period)
    return machine.block.start(period=period, initial=machine.initial)


@pytest.mark.parametrize("joints", [Lock(), None], ids=["locked", "free"])
def test_mobility_is_j_over_m(joints):
    two = TwoRobots(pose="B", joints=joints)
    machine, live = two.machine(period=T), started(two)
    _, slope = Probe(machine.block, T, machine.initial).answer(np.zeros(6))
    q, v = two.start()
    place, J = relative(two, q)
    moves = np.ones(two.tree.nv, dtype=bool)
    moves[6:10] = joints is None
    M = two.tree.mass_matrix(q)[np.ix_(moves, moves)]
    wanted = J[:, moves] @ np.linalg.solve(M, J[:, moves].T)
    np.testing.assert_allclose(slope / (0.5 * T), wanted, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(live["place"], place, atol=1e-12)
    np.testing.assert_allclose(live["twist"], J @ v, atol=1e-14)
    assert 1.0 / live["normal_mobility"] == pytest.approx(two.reduced_mass, rel=1e-12)


def test_a_held_wrench_moves_the_bodies_as_a_scene_does():
    """Against rk4 of the scene at a tenth of the period; its wrench is held in the world's axes, hence the bound."""
    two = TwoRobots(pose="B", speed=0.3)
    push = np.array([4.0, -3.0, -40.0, 1.0, 2.0, -0.5])
    bodies = started(two)
    q, v = two.start()
    live = Scene(tree=two.tree, controllers=two.scene.controllers).start(period=T / 10, q=q, v=v, method="rk4")
    for _ in range(30):
        bodies.step(push)
        for _ in range(10):
            tip, at, base, upright = placed(two, live.q)
            force, torque = upright @ AXES @ push[:3], upright @ AXES @ push[3:]
            first = np.concatenate([force, torque + np.cross(tip - at, force)])
            second = -np.concatenate([force, torque + np.cross(tip - base, force)])
            live.step(wrenches={LAST: first, BASE: second})
    place, J = relative(two, live.q)
    np.testing.assert_allclose(bodies["place"], place, atol=3e-7)
    np.testing.assert_allclose(bodies["twist"], J @ live.v, atol=3e-6)
    np.testing.assert_allclose(bodies["q"], live.q, atol=3e-7)
    assert abs(bodies["twist"][2] - 0.3) > 0.05  # it did something


def test_the_midpoint_rule_is_of_second_order():
    two = TwoRobots(pose="B", speed=0.3)
    ends = []
    for n in (1, 2, 4, 32):
        live = started(two, T / n)
        for _ in range(100 * n):
            live.step((4.0, -3.0, -40.0, 1.0, 2.0, -0.5))
        ends.append(np.concatenate([live[name] for name in ("place", "quaternion", "twist")]))
    errors = [np.abs(end - ends[-1]).max() for end in ends[:-1]]
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (slopes > 1.9).all()


def test_energy_of_the_bodies_is_the_trees():
    two = TwoRobots(pose="B", speed=0.5)
    q, v = two.start()
    assert started(two)["kinetic_energy"] == pytest.approx(float(two.tree.energy(q, v)[0]), rel=1e-12)


def test_servos_hold_as_in_the_numerical_experiment():
    """Pose B on soft servos against a spring: the peak that TwoRobots.run finds."""
    two = TwoRobots(pose="B", joints=Servo(gain=1000.0, rate_gain=100.0), gap=0.001)
    k, period = two.contact_stiffness, 5e-4
    live = started(two, period)
    peak = 0.0
    for _ in range(round(0.35 / period)):
        # In the middle of the tick, as the node takes it.
        push = k * max(0.0, live["place"][2] + 0.5 * period * live["twist"][2])
        peak = max(peak, push)
        live.step((0.0, 0.0, -push, 0.0, 0.0, 0.0))
    assert peak == pytest.approx(float(two.run(duration=0.35, period=5e-4).force.max()), rel=2e-3)


def ball(**joint):
    return Tree(
        [
            Body(name="cart", mass=2.0, inertia=(0.1, 0.1, 0.1), joint=Free()),
            Body(name="arm", mass=1.0, inertia=(0.1, 0.1, 0.1), parent="cart", joint=Revolute(axis=(0, 1, 0), **joint)),
        ],
        gravity=(0.0, 0.0, 0.0),
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"of": "arm"}, "one rigid body"),
        ({"axes": np.ones((3, 3))}, "axes is not a rotation"),
        ({"tip_axes": np.diag([1.0, 1.0, -1.0])}, "tip_axes is not a rotation"),
        ({"at": "hand"}, "no body 'hand'"),
        ({"controllers": {"elbow": Lock()}}, "no such joint"),
        ({"controllers": {"arm": 3.0}}, "Give Servo"),
        ({"substeps": 0}, "substeps"),
        ({"tree": ball(friction=SpringDamper(stiffness=1e4, damping=1.0))}, "has friction"),
    ],
)
def test_bad_input_is_refused(change, words):
    with pytest.raises(InputError, match=words):
        RelativeAdmittance(**({"tree": ball(), "at": "arm", "point": TIP, "of": "cart"} | change))


@pytest.mark.parametrize(
    ("controllers", "initial", "words"),
    [
        ({}, {"q": np.zeros(3)}, "Give 8 number"),
        ({}, {"q": np.zeros(8)}, "quaternion"),
        ({}, {"v": np.full(7, np.nan)}, "v"),
        ({"arm": Lock()}, {"v": np.ones(7)}, "locked joint moves"),
        ({}, {"place": np.zeros(3)}, "follows from q and v"),
    ],
)
def test_bad_starts_are_refused(controllers, initial, words):
    block = RelativeAdmittance(tree=ball(), at="arm", point=TIP, of="cart", controllers=controllers)
    with pytest.raises(InputError, match=words):
        block.start(period=T, initial=initial)


def test_friction_of_a_locked_joint_does_not_matter():
    rubbing = ball(friction=FrictionImpedance(stiffness=1e4, law=Coulomb(1.0)))
    RelativeAdmittance(tree=rubbing, at="arm", of=None, controllers={"arm": Lock()}).start(period=T)


@pytest.mark.parametrize("joints", [Lock(), None, Servo(gain=1000.0, rate_gain=100.0)], ids=["locked", "free", "servo"])
def test_motion_is_the_mean_over_the_tick_to_second_order(joints):
    """What it answers, times the period, is how far it went, less O(T^3): a quarter of the mean's error at half T."""
    errors = []
    for period in (1e-3, 5e-4, 2.5e-4):
        two, worst = TwoRobots(pose="B", joints=joints, speed=0.3), 0.0
        machine = two.machine(period=period, substeps=8)
        live = machine.block.start(period=period, initial=machine.initial)
        for _ in range(round(0.1 / period)):
            before = live["place"]
            motion = live.step((4.0, -3.0, -40.0, 1.0, 2.0, -0.5))
            worst = max(worst, np.abs(motion[:3] - (live["place"] - before) / period).max())
        errors.append(worst)
    assert (np.log2(np.array(errors[:-1]) / errors[1:]) > 1.8).all()


def test_against_the_world_a_falling_body_is_seen_to_fall():
    """z = z0 + v t - g t^2/2 in axes that stand; the mean velocity is that of the middle of the tick, exactly."""
    tree = Tree([Body(name="stone", mass=3.0, inertia=(1.0, 1.0, 1.0), joint=Free())])
    block = RelativeAdmittance(tree=tree, at="stone", origin=(0.0, 0.0, -2.0))
    live = block.start(period=T, initial={"v": [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]})
    for k in range(50):
        motion = live.step(np.zeros(6))
        assert motion[2] == pytest.approx(1.0 - 9.81 * T * (k + 0.5), rel=1e-12)
        t = T * (k + 1)
        assert live["place"][2] == pytest.approx(2.0 + t - 0.5 * 9.81 * t * t, rel=1e-12)


def test_the_least_reluctance_is_one():
    """Never above what the slope of any configuration says."""
    tree, rng = ball(), np.random.default_rng(5)
    block = RelativeAdmittance(tree=tree, at="arm", point=TIP, of=None)
    for _ in range(20):
        q = np.array([*rng.normal(size=3), *(turn := rng.normal(size=4)) / np.linalg.norm(turn), rng.normal()])
        _, slope = Probe(block, T, {"q": q}).answer(np.zeros(6))
        assert 0.0 < block.least_reluctance(T) <= 1.0 / np.linalg.eigvalsh(0.5 * (slope + slope.T))[-1]


# ---------------------------------------------------------------- friction in joints


def arm(law, links=3):
    """Links on each other about axes across in turn, whose joints all rub; nothing pulls."""
    bodies = []
    for k in range(links):
        friction = FrictionImpedance(stiffness=1e4, damping=20.0, law=law)
        joint = Revolute(axis=((0, 1, 0), (1, 0, 0))[k % 2], friction=friction)
        place = {"position": (0, 0, 0.4 if k else 0.0), "center": (0, 0, 0.2)}
        parent = f"link{k - 1}" if k else None
        bodies.append(Body(name=f"link{k}", mass=2.0, inertia=(0.05, 0.05, 0.01), parent=parent, joint=joint, **place))
    return Tree(bodies, gravity=(0.0, 0.0, 0.0))


def swings(period):
    """A wrench that makes joints stick, slip and turn back, at the middles of the ticks."""
    t = (np.arange(round(0.6 / period)) + 0.5)[:, None] * period
    return np.array([12.0, -9.0, 3.0, 0.5, 1.0, 0.0]) * np.sin([9.0, 7.0, 5.0, 11.0, 6.0, 1.0] * t)


@pytest.mark.parametrize("law", [Coulomb(2.0), Stribeck(kinetic=1.5, static=2.0, velocity=0.05, viscosity=0.3)])
def test_a_rubbing_robot_before_the_world_is_the_same_as_a_tree(law):
    """Another formulation, of first order: the difference halves with the period."""
    tree, point, apart = arm(law), (0.0, 0.0, 0.4), []
    for period in (1e-3, 5e-4, 2.5e-4):
        forces = swings(period)
        one = RelativeAdmittance(tree=tree, at="link2", point=point).run(forces, period=period)
        other = TreeAdmittance(tree=tree, at=AtPoint("link2", point)).run(forces, period=period)
        assert one.about["unsolved_steps"] == other.about["unsolved_steps"] == 0
        rubs = np.asarray(one.friction)
        assert (np.abs(rubs) <= 2.0 + 0.3 * np.abs(one.v) + 1e-9).all()
        assert (np.abs(rubs).max(axis=0) > 1.4).all()
        apart.append(np.abs(one.q - other.q).max())
    assert apart[0] < 5e-3 < np.abs(one.q).max() / 10
    assert (np.log2(np.array(apart[:-1]) / apart[1:]) > 0.8).all()


def test_what_sticks_does_not_creep():
    """Below its limits every joint comes to rest where its spring bears the load: J'h = K q, and stays there."""
    tree, push = arm(Coulomb(20.0)), np.array([4.0, -3.0, 2.0, 0.5, 1.0, 0.3])
    run = RelativeAdmittance(tree=tree, at="link2", point=(0, 0, 0.4)).run(np.tile(push, (9000, 1)), period=2e-3)
    q = np.asarray(run.q)
    load = tree.jacobian(q[-1], "link2", (0, 0, 0.4)).T @ push
    assert (np.abs(load) < 10.0).all()  # it swings up to twice as far at first
    np.testing.assert_allclose(1e4 * q[-1], load, rtol=1e-9)
    np.testing.assert_allclose(-run.friction[-1], load, rtol=1e-9)
    assert np.abs(q[-1] - q[-1000]).max() < 1e-15  # rounding of 4e-4 rad
    assert np.abs(run.twist[-1]).max() < 1e-12


def table(limit):
    """Two slides across each other: the midpoint rule has no error there, so that energy can be counted."""
    rub = {"friction": FrictionImpedance(stiffness=2e4, damping=0.0, law=Coulomb(limit))}
    return Tree(
        [
            Body(name="x", mass=2.0, inertia=(0.1, 0.1, 0.1), joint=Prismatic(axis=(1, 0, 0), **rub)),
            Body(name="y", mass=1.0, inertia=(0.1, 0.1, 0.1), parent="x", joint=Prismatic(axis=(0, 1, 0), **rub)),
        ],
        gravity=(0.0, 0.0, 0.0),
    )


def test_a_slide_that_slips_gains_speed_by_what_friction_leaves():
    """v = (F - r) t/m once the spring has given way: x/K of the way, and T for the tick in which it does."""
    run = RelativeAdmittance(tree=table(5.0), at="y").run(np.tile([0, 8.0, 0, 0, 0, 0], (1000, 1)), period=T)
    speeds = np.asarray(run.v)[:, 1]
    np.testing.assert_allclose(np.diff(speeds)[200:], 3.0 * T, rtol=1e-11)
    np.testing.assert_allclose(run.friction[200:, 1], -5.0, rtol=1e-14)
    assert np.abs(run.v[:, 0]).max() == 0.0


def test_friction_never_gives_energy():
    """Motion and springs never have more than the wrench gave: its work is T h.velocity, exactly for slides."""
    rng, tree = np.random.default_rng(3), table(3.0)
    forces = np.zeros((3000, 6))
    forces[:, :2] = 8.0 * np.repeat(rng.normal(size=(100, 2)), 30, axis=0)
    kept = ["kinetic_energy", "velocity", "deflection", "v", "mode"]
    run = RelativeAdmittance(tree=tree, at="y").run(forces, period=T, record=kept)
    stored = np.asarray(run.kinetic_energy) + 0.5 * 2e4 * (np.asarray(run.deflection) ** 2).sum(axis=1)
    work = T * (forces * np.asarray(run.velocity)).sum(axis=1)
    assert (np.diff(stored) <= work[1:] + 1e-12 * stored.max()).all()
    modes = np.asarray(run.mode)
    assert ((modes == 0).mean(axis=0) > 0.05).all()
    assert ((modes != 0).mean(axis=0) > 0.05).all()
