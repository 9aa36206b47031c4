"""A tree as a block: the contract, Pinocchio, closed forms, and circuits with springs, friction, a patch and a rod."""

import dataclasses

import numpy as np
import pinocchio as pin
import pytest
from scipy.optimize import root
from scipy.spatial.transform import Rotation

import tegotae as tg
from tegotae.multibody import AtJoint, AtPoint, Between, Body, Fixed, Free, Prismatic, Revolute, Tree, TreeAdmittance
from tegotae.multibody.joints import Lock, Servo
from tegotae.rod import GroundedRod, PlanarRod
from tegotae.running.probe import Probe
from tegotae.running.source import module_of
from tegotae.steering import ContactPatch
from trees import in_pinocchio, one_tree, random_state, world_acceleration

T = 1e-3
BRAKE = {"stiffness": 1e5, "damping": 20.0}


def arm(friction=None, gravity=(0.0, 0.0, -9.81)):
    """Two links in a vertical plane, each 0.5 m long, hanging down at q = 0."""
    link = {"center": (0.0, 0.0, -0.25), "inertia": (0.02, 0.02, 0.001)}
    turn = Revolute(axis=(0, 1, 0), friction=friction)
    upper = Body(name="upper", mass=1.0, joint=turn, **link)
    lower = Body(name="lower", mass=0.7, joint=turn, parent="upper", position=(0, 0, -0.5), **link)
    return Tree([upper, lower], gravity=gravity)


def within_a_tick(block, state):
    """Trial after trial, each in the workspace that the last one left."""
    module, d = module_of(block), block.dimension
    memories = (*block.parameters, *state.memory, *block.spaces.workspace.empty())
    module.flat_restore(*memories)
    module.flat_prepare(*memories, T)

    def trial(h):
        motion, slope = np.zeros(d), np.zeros((d, d))
        if d == 1:
            motion[0], slope[0, 0] = module.flat_answer(*memories, h[0], T)
        else:
            module.flat_answer(*memories, h, T, motion, slope)
        return motion, slope

    return trial


# ------------------------------------------------------------ one tick


def expected_speeds(tree, q, v, point, h):
    """v after a tick by Pinocchio: v + T a, of a free body at its centre of mass."""
    free = isinstance(tree.bodies[0].joint, Free)
    model = in_pinocchio(tree)
    data, there, speed = model.createData(), q.copy(), v.copy()
    if free:
        R = Rotation.from_quat(q[[4, 5, 6, 3]]).as_matrix()
        there[3:7] = q[[4, 5, 6, 3]]
        speed[:3], speed[3:6] = R.T @ v[:3], R.T @ v[3:6]
    pin.computeJointJacobians(model, data, there)
    last = model.njoints - 1
    lever = data.oMi[last].rotation @ point
    wrench = np.concatenate([h[:3], h[3:] + np.cross(lever, h[:3])])
    J = pin.getJointJacobian(model, data, last, pin.LOCAL_WORLD_ALIGNED)
    a = world_acceleration(q, v, pin.aba(model, data, there, speed, J.T @ wrench), free=free)
    if not free:
        return v + T * a
    c = np.array(tree.bodies[0].center)
    reach = R @ c
    center = v[:3] + np.cross(v[3:6], reach)
    pull = a[:3] + np.cross(a[3:6], reach) + np.cross(v[3:6], np.cross(v[3:6], reach))
    after = v + T * a
    moved = Rotation.from_rotvec(T * after[3:6]).as_matrix() @ reach
    after[:3] = center + T * pull - np.cross(after[3:6], moved)
    return after


@pytest.mark.parametrize("free", [False, True])
def test_a_tick_of_euler_gives_the_accelerations_of_pinocchio(free):
    rng = np.random.default_rng(5)
    for _ in range(4):
        tree = one_tree(rng, 6, free=free, chain=True)
        q, v, _ = random_state(rng, tree, free=free)
        if free:
            v[3:6] = 0.0  # a spin is not taken at the start of the tick, but evenly over it
        point, h = rng.normal(size=3), 5.0 * rng.normal(size=6)
        block = TreeAdmittance(tree=tree, at=AtPoint("b5", point))
        run = block.run(h[None], period=T, initial={"q": q, "v": v})
        np.testing.assert_allclose(run.v[-1], expected_speeds(tree, q, v, point, h), rtol=1e-10, atol=1e-10)
        origin, turn = tree.pose(run.q[-1], "b5")
        np.testing.assert_allclose(run.place[-1], origin + turn @ point, atol=1e-12)
        seen = Rotation.from_quat(run.quaternion[-1][[1, 2, 3, 0]]).as_matrix()
        np.testing.assert_allclose(seen, turn, atol=1e-12)


def test_a_tick_at_its_middle_gives_the_accelerations_of_pinocchio_there():
    """A first tick, which expects the velocity terms of the speeds it starts with."""
    rng = np.random.default_rng(5)
    for _ in range(4):
        tree = one_tree(rng, 6, chain=True)
        q, v, _ = random_state(rng, tree, free=False)
        point, h = rng.normal(size=3), 5.0 * rng.normal(size=6)
        block = TreeAdmittance(tree=tree, at=AtPoint("b5", point), method="midpoint")
        run = block.run(h[None], period=T, initial={"q": q, "v": v})
        wanted = expected_speeds(tree, q + 0.5 * T * v, v, point, h)
        np.testing.assert_allclose(run.v[-1], wanted, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(run.q[-1], q + 0.5 * T * (v + wanted), rtol=1e-12, atol=1e-12)


def test_motion_goes_from_middle_to_middle_to_second_order():
    rng = np.random.default_rng(6)
    tree = one_tree(rng, 6, chain=True)
    q, v, _ = random_state(rng, tree, free=False)
    point, h, errors = rng.normal(size=3), 5.0 * rng.normal(size=6), []
    for period in (1e-4, 2e-5):
        block = TreeAdmittance(tree=tree, at=AtPoint("b5", point), method="midpoint")
        run = block.run(h[None], period=period, initial={"q": q, "v": v})
        ends = [q + 0.5 * period * v, run.q[-1] + 0.5 * period * run.v[-1]]
        first, second = (tree.pose(at, "b5")[0] + tree.pose(at, "b5")[1] @ point for at in ends)
        errors.append(np.abs(run.velocity[-1, :3] - (second - first) / period).max())
    assert errors[0] / errors[1] == pytest.approx(25.0, rel=0.1)


def test_motion_is_that_of_the_place_to_second_order():
    """What a tick leaves to the next one shrinks with the square of the period (of velocities, so T^3 in place)."""
    rng = np.random.default_rng(6)
    tree = one_tree(rng, 6, chain=True)
    q, v, _ = random_state(rng, tree, free=False)
    point, h, errors = rng.normal(size=3), 5.0 * rng.normal(size=6), []
    block = TreeAdmittance(tree=tree, at=AtPoint("b5", point))
    origin, turn = tree.pose(q, "b5")
    for period in (1e-4, 2e-5):
        run = block.run(h[None], period=period, initial={"q": q, "v": v})
        path = (run.place[-1] - origin - turn @ point) / period
        errors.append(np.abs(run.velocity[-1, :3] - path).max())
    assert errors[0] / errors[1] == pytest.approx(25.0, rel=0.1)


@pytest.mark.parametrize("method", ["midpoint", "euler"])
@pytest.mark.parametrize("law", [tg.Coulomb(0.4), tg.Stribeck(kinetic=0.2, static=0.4, velocity=0.5)])
def test_answer_is_pure_its_slope_a_derivative_and_advance_commits_it(law, method):
    """With friction that holds in one joint and slides in the other, also where it falls with speed."""
    tree = arm(tg.FrictionImpedance(law=law, **BRAKE))
    way = (0.3, 0.1, -0.8, 0.2, 0.5, 0.1)
    for port in (AtPoint("lower", (0, 0, -0.5)), AtPoint("lower", along=way), AtJoint("upper")):
        block = TreeAdmittance(tree=tree, at=port, method=method)
        d, rng = block.dimension, np.random.default_rng(3)
        for v in ([0.0, 0.0], [1.0, 0.0], [0.4, -0.3]):
            probe, h = Probe(block, T, {"q": [0.3, 0.1], "v": v}), 0.2 * rng.normal(size=d)
            before = probe.state.copy()
            motion, slope = probe.answer(h)
            trial = within_a_tick(block, probe.state)
            for c in range(d):
                step = np.zeros(d)
                step[c] = 1e-4  # within one mode the answer is smooth, or even linear
                change = trial(h + step)[0] - trial(h - step)[0]
                np.testing.assert_allclose(change / 2e-4, slope[:, c], rtol=1e-6, atol=1e-9)
            np.testing.assert_allclose(slope, slope.T, atol=1e-12)
            assert np.linalg.eigvalsh(slope)[0] >= -1e-12
            np.testing.assert_allclose(trial(h)[0], motion, rtol=1e-12, atol=1e-15)
            assert probe.state == before
            probe.advance(h, motion)
            moved = probe.state.part("position") - before.part("position")
            if method == "euler":
                np.testing.assert_allclose(moved, T * motion, atol=1e-15)
            elif d == 6:  # where it is at the end of the tick, half way between two middles
                way = probe.state.part("place") - before.part("place")
                turn = 0.5 * T * (before.part("velocity") + motion)[3:]
                np.testing.assert_allclose(moved, [*way, *turn], atol=1e-15)
            np.testing.assert_array_equal(probe.state.part("velocity"), motion)


def rubbing_crane():
    """On a free hull, with friction, a servo and a lock, in the midst of a motion."""
    rub = tg.FrictionImpedance(law=tg.Stribeck(kinetic=0.2, static=0.4, velocity=0.5), **BRAKE)
    body = {"mass": 1.0, "inertia": (0.1, 0.2, 0.1)}
    bodies = [
        Body(name="hull", center=(0.1, 0.0, 0.2), joint=Free(), **body),
        Body(name="boom", parent="hull", joint=Revolute(friction=rub), **body),
        Body(name="hook", parent="boom", joint=Prismatic(axis=(1, 0, 0)), position=(0.5, 0, 0), **body),
        Body(name="cabin", parent="hull", joint=Revolute(), **body),
    ]
    start = {"v": [0.1, 0.0, 0.2, 0.2, 0.4, 0.6, 0.02, 0.1, 0.0]}
    return Tree(bodies), {"hook": Servo(gain=20.0, rate_gain=2.0), "cabin": Lock()}, start


@pytest.mark.parametrize("port", [AtPoint("hook", (0.1, 0, 0)), AtJoint("boom")])
def test_a_state_is_all_that_the_next_tick_needs(port):
    """A checkpoint goes on bit by bit as if nothing had been in between, also in a workspace full of garbage."""
    tree, controllers, start = rubbing_crane()
    block = TreeAdmittance(tree=tree, controllers=controllers, at=port)
    pushes = 2.0 * np.sin(0.1 * np.arange(120)[:, None] + np.arange(block.dimension))
    pushes = pushes if block.dimension == 6 else pushes[:, 0].copy()
    live = block.start(period=T, initial=start)
    for h in pushes[:60]:
        live.step(h)
    kept = live.state
    onward = [live.step(h) for h in pushes[60:]]
    live.state = kept
    np.testing.assert_array_equal([live.step(h) for h in pushes[60:]], onward)
    probe = Probe(block, T)
    probe.state = kept.copy()
    for h, v in zip(pushes[60:], onward, strict=True):
        probe.advance(h, v)
    assert probe.state == live.state
    modes = block.run(pushes, period=T, initial=start, record=["mode"]).mode[:, 6]
    assert set(modes[60:]) == {-1.0, 0.0, 1.0}  # it sticks, and slides both ways


def test_trees_of_any_size_and_with_any_names_share_one_compiled_loop():
    tree, controllers, _ = rubbing_crane()
    one = TreeAdmittance(tree=tree, controllers=controllers, at=AtJoint("boom"))
    other = TreeAdmittance(tree=arm(), at=AtJoint("upper"))
    assert module_of(one) is module_of(other)
    assert [name for name in one.parts if "." in name] == [
        *("torque.boom", "torque.hook", "torque.cabin"),
        "target.hook",
        *("wrench.hull", "wrench.boom", "wrench.hook", "wrench.cabin"),
    ]
    joints = ["torque.upper", "torque.lower"]
    assert [name for name in other.parts if "." in name] == [*joints, "wrench.upper", "wrench.lower"]


# ------------------------------------------------------------ several ports


def manyfold(rng, *, free):
    """A tree with ports of every kind, in the midst of a motion; some share a body."""
    tree = one_tree(rng, 6, free=free, turning=0.6)
    q, v, _ = random_state(rng, tree, free=free)
    way = rng.normal(size=6)
    at = {
        "hand": AtPoint("b5", rng.normal(size=3)),
        "wrist": AtJoint("b4"),
        "grip": Between(AtPoint("b5", rng.normal(size=3)), AtPoint("b3", rng.normal(size=3))),
        "line": AtPoint("b3", rng.normal(size=3), along=way),
        "pull": Between("b2", "b1", along=way),
    }
    return TreeAdmittance(tree=tree, at=at), q, v


def dense_jacobian(block, q):
    """Of all ports, from the Jacobians of the tree."""
    rows = []
    for place in block.at.values():
        if isinstance(place, AtJoint):
            names = block.tree.joint_names  # behind the speeds of a free body
            rows.append(np.eye(block.tree.nv)[[names.index(place.joint) - len(names)]])
            continue
        ends = [place] if isinstance(place, AtPoint) else [place.first, place.second]
        J = [block.tree.jacobian(q, end.body, end.place) for end in ends]
        J = J[0] - J[1] if len(J) > 1 else J[0]
        rows.append(J if place.along is None else np.asarray(place.along)[None] @ J)
    return np.vstack(rows)


@pytest.mark.parametrize("method", ["midpoint", "euler"])
@pytest.mark.parametrize("free", [False, True])
def test_the_slope_across_ports_is_that_of_the_whole_mass_matrix(free, method):
    """T J M^-1 J', at the start or the middle of the tick, built densely; and the differences of answers."""
    rng = np.random.default_rng(11)
    for _ in range(4):
        block, q, v = manyfold(rng, free=free)
        block = dataclasses.replace(block, method=method)
        assert block.dimension == 15
        h = rng.normal(size=15)
        _, slope = Probe(block, T, {"q": q, "v": v}).answer(h)
        at = block.tree.arrays
        inner_q, inner_v = at.inner(q, v)
        middle = at.outer(at.moved(inner_q, inner_v, 0.5 * T if method == "midpoint" else 0.0), inner_v)[0]
        J = dense_jacobian(block, middle)
        wanted = T * J @ np.linalg.solve(block.tree.mass_matrix(middle), J.T)
        np.testing.assert_allclose(slope, wanted, atol=1e-11 * np.abs(wanted).max())
        trial = within_a_tick(block, Probe(block, T, {"q": q, "v": v}).state)
        change = np.array([(trial(h + step)[0] - trial(h - step)[0]) / 2.0 for step in np.eye(15)]).T
        np.testing.assert_allclose(change, slope, atol=1e-9 * np.abs(slope).max())


def test_several_ports_are_single_pushes_added_up():
    """Without friction a tick is linear in its forces; each port alone is as a block that has no other."""
    rng = np.random.default_rng(12)
    for free in (False, True):
        block, q, v = manyfold(rng, free=free)
        start, h = {"q": q, "v": v}, rng.normal(size=15)
        still, _ = Probe(block, T, start).answer(np.zeros(15))
        whole, slope = Probe(block, T, start).answer(h)
        summed, spans = still.copy(), tg.ports.spans(block.ports)
        for name, place in block.at.items():
            only = np.zeros(15)
            only[spans[name]] = h[spans[name]]
            summed += Probe(block, T, start).answer(only)[0] - still
            alone = TreeAdmittance(tree=block.tree, at=place)
            motion, own = Probe(alone, T, start).answer(h[spans[name]])
            np.testing.assert_allclose(motion, Probe(block, T, start).answer(only)[0][spans[name]], atol=1e-13)
            np.testing.assert_allclose(own, slope[spans[name], spans[name]], atol=1e-15)
        np.testing.assert_allclose(whole, summed, atol=1e-12)


def test_friction_is_shared_by_all_ports():
    """The slope is symmetric and a derivative where one joint sticks and another slips."""
    tree, controllers, start = rubbing_crane()
    at = {"hook": AtPoint("hook", (0.1, 0, 0)), "boom": AtJoint("boom"), "gap": Between("hook", "cabin")}
    block = TreeAdmittance(tree=tree, controllers=controllers, at=at)
    for v in (start["v"], [0.0] * 9):
        probe, h = Probe(block, T, {"v": v}), 0.1 * np.sin(np.arange(13.0))
        _, slope = probe.answer(h)
        trial = within_a_tick(block, probe.state)
        change = np.array([(trial(h + step)[0] - trial(h - step)[0]) / 2e-4 for step in 1e-4 * np.eye(13)]).T
        np.testing.assert_allclose(change, slope, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(slope, slope.T, atol=1e-12)


def test_results_tell_every_port_by_its_name():
    tree, controllers, start = rubbing_crane()
    at = {"hook": AtPoint("hook", (0.1, 0, 0)), "boom": AtJoint("boom"), "gap": Between("hook", "cabin")}
    block = TreeAdmittance(tree=tree, controllers=controllers, at=at)
    assert [(port.name, port.dimension, port.force) for port in block.ports] == [
        ("hook", 6, "N, N, N, N·m, N·m, N·m"),
        ("boom", 1, "N·m"),
        ("gap", 6, "N, N, N, N·m, N·m, N·m"),
    ]
    run = block.run({"boom": np.full(200, 0.1), "gap": np.ones((200, 6))}, period=T, initial=start)
    assert run["velocity.hook"].shape == (200, 6)
    np.testing.assert_array_equal(run["position.boom"], run.q[:, 7])
    np.testing.assert_allclose(run["velocity.boom"], run.v[:, 6], atol=1e-15)
    for end, body in (("gap", "hook"), ("gap.second", "cabin")):
        np.testing.assert_allclose(run[f"place.{end}"], tree.pose(run.q, body)[0], atol=1e-12)
        seen = Rotation.from_quat(run[f"quaternion.{end}"][:, [1, 2, 3, 0]]).as_matrix()
        np.testing.assert_allclose(seen, tree.pose(run.q, body)[1], atol=1e-12)
    apart = run["place.gap"] - run["place.gap.second"]
    np.testing.assert_allclose(run["position.gap"][:, :3], apart, atol=1e-8)  # the remainder of the last tick, T^3
    live = block.start(period=T, initial=start)
    for _ in range(200):
        live.step({"boom": 0.1, "gap": np.ones(6)})
    np.testing.assert_array_equal(live["velocity.gap"], run["velocity.gap"][-1])


def pair(distance):
    """Two bodies that float apart."""
    body = {"mass": 1.3, "inertia": (0.1, 0.2, 0.25), "joint": Free()}
    far = Body(name="far", position=(distance, 0.0, 0.0), center=(-distance, 0.0, 0.0), **body)
    return Tree([Body(name="near", center=(0.1, 0.0, 0.0), **body), far], gravity=(0, 0, 0))


@pytest.mark.parametrize("distance", [0.0, 0.5])
def test_what_acts_between_two_bodies_changes_no_momentum_of_the_pair(distance):
    """Nor their angular momentum, in a tick that begins with both points in one place."""
    tree = pair(distance)
    block = TreeAdmittance(tree=tree, at=Between("near", "far"))
    v = np.random.default_rng(2).normal(size=12)
    v[:6] = v[6:] if distance == 0.0 else v[:6]  # they start together
    rng = np.random.default_rng(3)
    run = block.run(50.0 * rng.normal(size=(300, 6)), period=T, initial={"v": v})
    linear, angular = tree.momentum(np.vstack([tree.neutral(), run.q]), np.vstack([v, run.v]))
    np.testing.assert_allclose(linear, np.tile(linear[0], (301, 1)), atol=1e-12)
    turned = np.abs(angular[1] - angular[0]).max()
    assert (turned < 1e-4) == (distance == 0.0)


def test_what_acts_between_a_body_and_the_world_acts_on_the_body():
    """The other point only says where positions count from."""
    post = Body(name="post", mass=1.0, joint=Fixed(), position=(1.0, 2.0, 3.0))
    tree = Tree([*arm().bodies, post])
    push, start = np.random.default_rng(4).normal(size=(100, 6)), {"q": [0.2, 0.4], "v": [1.0, -1.0]}
    held = TreeAdmittance(tree=tree, at=Between("lower", AtPoint("post", (0, 0, 0.5)))).run(
        push, period=T, initial=start
    )
    plain = TreeAdmittance(tree=tree, at="lower").run(push, period=T, initial=start)
    for name in ("velocity", "place", "q"):
        np.testing.assert_array_equal(held[name], plain[name])
    np.testing.assert_allclose(held.position[:, :3] + [1.0, 2.0, 3.5], plain.position[:, :3], atol=1e-14)


def test_a_pair_that_floats_feels_as_light_as_both_masses_together():
    block = TreeAdmittance(tree=pair(0.5), at=Between("near", "far", along=(1, 0, 0, 0, 0, 0)))
    _, slope = Probe(block, T).answer(0.0)
    assert slope[0, 0] == pytest.approx(2.0 * T / 1.3, rel=1e-12)


# ------------------------------------------------------------ closed forms


@pytest.mark.parametrize(("method", "way"), [("midpoint", 0.5), ("euler", 0.5005)])
def test_a_free_body_answers_as_newton_and_euler_say(method, way):
    """From rest under constant forces; by the midpoint its way is exact."""
    body = Body(name="b", mass=2.0, inertia=(0.1, 0.2, 0.3), center=(0.1, 0, 0), joint=Free())
    block = TreeAdmittance(tree=Tree([body], gravity=(0, 0, 0)), at=AtPoint("b", (0.1, 0, 0)), method=method)
    run = block.run(np.tile([2.0, -4.0, 1.0, 0.0, 0.0, 0.3], (1000, 1)), period=T)
    np.testing.assert_allclose(run.velocity[-1], [1.0, -2.0, 0.5, 0.0, 0.0, 1.0], atol=1e-10)  # F/m, torque/I
    np.testing.assert_allclose(run.place[-1] - [0.1, 0, 0], way * np.array([1.0, -2.0, 0.5]), atol=1e-10)
    np.testing.assert_allclose(run.quaternion[-1], [np.cos(0.5 * way), 0, 0, np.sin(0.5 * way)], atol=1e-12)
    np.testing.assert_allclose(run.q[-1, 3:], run.quaternion[-1], atol=1e-12)
    _, slope = Probe(block, T).answer(np.zeros(6))
    np.testing.assert_allclose(slope, T * np.diag([0.5, 0.5, 0.5, 10.0, 5.0, 1.0 / 0.3]), atol=1e-15)


def test_the_place_never_drifts():
    """A double pendulum that turns over and over without gravity: the sum of its motions is where the tip is."""
    block = TreeAdmittance(tree=arm(gravity=(0, 0, 0)), at=AtPoint("lower", (0, 0, -0.5)))
    run = block.run(np.zeros((5000, 6)), period=T, initial={"v": [5.0, 3.0]})
    assert run.position[-1, 4] > 20.0
    np.testing.assert_allclose(run.position[:, :3], run.place, atol=1e-6)
    np.testing.assert_allclose(run.position[:, 4], run.q.sum(axis=1), atol=1e-12)
    assert run.about["unsolved_steps"] == 0


def test_no_part_of_a_tree_is_lighter_than_the_body_alone():
    rng = np.random.default_rng(8)
    for free in (False, True):
        tree = one_tree(rng, 5, free=free, chain=True, turning=0.5)
        way = rng.normal(size=6)
        ports = [
            AtPoint("b3", (0.1, 0.2, -0.3)),
            AtPoint("b4", along=way),
            AtPoint("b2", along=(*way[:3], 0, 0, 0)),
            *(AtJoint(name) for name in tree.joint_names),
            Between("b4", AtPoint("b2", (0.3, 0.0, 0.1))),
            Between("b4", "b3", along=(0, 0, 0, *way[3:])),
            {"a": "b3", "b": AtPoint("b3", (0.1, 0.2, -0.3)), "c": AtPoint("b3", along=way)},
            {"a": Between("b4", "b3"), "b": AtPoint("b3", (0.1, 0.2, -0.3)), "c": AtJoint("b3"), "d": AtJoint("b4")},
        ]
        for port in ports:
            block = TreeAdmittance(tree=tree, at=port)
            seen = []
            for _ in range(40):
                q, _, _ = random_state(rng, tree, free=free)
                _, slope = Probe(block, T, {"q": q}).answer(np.zeros(block.dimension))
                seen.append(np.linalg.eigvalsh(slope)[-1])
            assert 0.0 < block.least_reluctance(T) < np.inf
            assert block.least_reluctance(T) * max(seen) <= 1.0 + 1e-12  # a port across a slide never turns


def test_two_discs_on_one_shaft_feel_as_light_as_both_together():
    """Torque between them moves both: 1/I = 1/I_1 + 1/I_2, less than either."""
    disc = {"mass": 1.0, "joint": Revolute()}
    first = Body(name="first", inertia=(0.2, 0.2, 0.2), **disc)
    block = TreeAdmittance(
        tree=Tree([first, Body(name="second", inertia=(0.2, 0.2, 0.3), parent="first", **disc)]), at=AtJoint("second")
    )
    both = 0.2 * 0.3 / 0.5
    assert block.least_reluctance(T) == pytest.approx(both / T, rel=1e-12)
    _, slope = Probe(block, T).answer(0.0)
    assert slope[0, 0] == pytest.approx(T / both, rel=1e-12)


def test_friction_that_falls_faster_than_the_inertia_outweighs_is_refused():
    falling = tg.FrictionImpedance(stiffness=1e6, law=tg.Stribeck(kinetic=1.0, static=9.0, velocity=0.01))
    block = TreeAdmittance(tree=arm(falling), at=AtJoint("upper"))
    assert block.least_reluctance(T) == 0.0
    with pytest.raises(tg.UniquenessError, match="friction in upper, lower falls"):
        block.check(T)
    mild = tg.FrictionImpedance(stiffness=1e6, law=tg.Stribeck(kinetic=1.0, static=1.1, velocity=0.1))
    gentle = TreeAdmittance(tree=arm(mild), at=AtJoint("upper"))
    gentle.check(T)
    assert 0.0 < gentle.least_reluctance(T) < TreeAdmittance(tree=arm(), at=AtJoint("upper")).least_reluctance(T)


# ------------------------------------------------------------ circuits


@pytest.mark.parametrize("method", ["midpoint", "euler"])
def test_friction_at_a_joints_port_is_friction_inside_the_joint(method):
    """A swinging pendulum comes to rest askew in both ways, step by step the same."""
    element = tg.FrictionImpedance(law=tg.Stribeck(kinetic=0.3, static=0.5, velocity=0.1), **BRAKE)
    body = {"mass": 1.0, "center": (0, 0, -0.5), "inertia": (0.01, 0.01, 0.01)}
    turn = {"axis": (0, 1, 0), "damping": 0.05}
    bare = Tree([Body(name="p", joint=Revolute(**turn), **body)])
    inside = Tree([Body(name="p", joint=Revolute(**turn, friction=element), **body)])
    push = 0.3 * np.sin(3.0 * T * np.arange(6000))
    push[3000:] = 0.0
    start = {"q": [1.2], "v": [0.5]}
    machine = tg.Circuit(TreeAdmittance(tree=bare, at=AtJoint("p"), method=method), {"brake": element})
    outside = machine.run(push, period=T, initial=start)
    block = TreeAdmittance(tree=inside, at=AtJoint("p"), method=method)
    within = block.run(push, period=T, initial=start)
    # By the midpoint what friction takes lessens what the steps owe, if it is known to be friction: not at a port. That
    # is of the third order in the period; the stretch of the element magnifies it.
    near = 1e-10 if method == "euler" else 1e-7
    np.testing.assert_allclose(outside.q, within.q, atol=near)
    close = 1e-7 if method == "euler" else BRAKE["stiffness"] * near
    np.testing.assert_allclose(outside["brake.force"], within.friction[:, 0], atol=close)
    assert outside.about["unsolved_steps"] == 0
    assert within.about["unsolved_steps"] == 0
    assert abs(within.velocity[-1]) < 1e-12
    assert abs(within.q[-1, 0]) > 0.01  # it sticks away from the bottom
    np.testing.assert_array_equal(within.position, within.q[:, 0])
    live = block.start(period=T, initial=start)
    np.testing.assert_array_equal([live.step(h) for h in push[:50]], within.velocity[:50])


def test_a_spring_between_two_ports_worth_of_rows_is_solved_with_all_of_them():
    """A circuit over several ports: dampers in two joints, against the same dampers inside the joints."""
    at = {"one": AtJoint("upper"), "two": AtJoint("lower")}
    machine = tg.Circuit(TreeAdmittance(tree=arm(), at=at), {"oil": tg.SpringDamper(damping=3.0, dimension=2)})
    turn, start = {"axis": (0, 1, 0), "damping": 3.0}, {"q": [1.0, 0.5]}
    damped = Tree([dataclasses.replace(body, joint=Revolute(**turn)) for body in arm().bodies])
    outside = machine.run(np.zeros((2000, 2)), period=T, initial=start)
    inside = TreeAdmittance(tree=damped, at=at).run(np.zeros((2000, 2)), period=T, initial=start)
    np.testing.assert_allclose(outside.q, inside.q, atol=1e-12)
    np.testing.assert_allclose(outside["oil.force"][:, 1], -3.0 * inside["velocity.two"], atol=1e-12)


SPRING = {"stiffness": 60.0, "dimension": 6}


def held_arm(damping):
    """The arm's tip in a spring that is at rest where the tip starts: pulled in x, z and turned about y."""
    block = TreeAdmittance(tree=arm(), at=AtPoint("lower", (0, 0, -0.5)))
    return tg.Circuit(block, {"spring": tg.SpringDamper(damping=damping, **SPRING)})


def tip(q):
    a, b = q[0], q[0] + q[1]
    return np.array([-0.5 * (np.sin(a) + np.sin(b)), -0.5 * (np.cos(a) + np.cos(b)), b])


def potential(q):
    a, b = q[0], q[0] + q[1]
    return 9.81 * (-0.25 * np.cos(a) - 0.7 * (0.5 * np.cos(a) + 0.25 * np.cos(b)))


def test_an_arm_in_a_spring_rests_where_the_forces_balance():
    start, load = np.array([1.0, 0.5]), np.array([3.0, 0.0, 4.0, 0.0, 0.7, 0.0])
    run = held_arm(10.0).run(np.tile(load, (8000, 1)), period=T, initial={"q": start})

    def unbalanced(q):
        a, b = q[0], q[0] + q[1]
        J = -0.5 * np.array([[np.cos(a) + np.cos(b), np.cos(b)], [-np.sin(a) - np.sin(b), -np.sin(b)], [-2.0, -2.0]])
        weight = 9.81 * np.array([0.6 * np.sin(a) + 0.175 * np.sin(b), 0.175 * np.sin(b)])
        return J.T @ (load[[0, 2, 4]] - 60.0 * (tip(q) - tip(start))) - weight

    rest = root(unbalanced, start, tol=1e-13).x
    np.testing.assert_allclose(run.q[-1], rest, atol=1e-6)
    np.testing.assert_allclose(run["spring.force"][-1, [0, 2, 4]], -60.0 * (tip(rest) - tip(start)), atol=1e-4)


def test_energy_goes_between_arm_and_spring_and_what_is_lost_is_of_first_order():
    start = np.array([1.0, 0.5])
    lost = []
    for period in (4e-4, 2e-4):
        run = held_arm(0.0).run(np.zeros((round(0.6 / period), 6)), period=period, initial={"q": start})
        stretch = np.array([tip(q) - tip(start) for q in run.q])
        kinetic = [0.5 * v @ arm().mass_matrix(q) @ v for q, v in zip(run.q[::50], run.v[::50], strict=True)]
        total = np.array(kinetic) + ([potential(q) for q in run.q] + 30.0 * (stretch**2).sum(axis=1))[::50]
        lost.append(np.abs(total - potential(start)).max())
        assert max(kinetic) > 0.5
    assert lost[0] < 0.1
    assert lost[0] / lost[1] == pytest.approx(2.0, abs=0.2)


def test_a_column_that_is_a_tree_steers_a_tyre_and_bends_a_rod_as_a_plain_inertia_does():
    """One turning body in a circuit with a contact patch, hysteresis and a rod on a spring, against tg.Mass."""
    beam = PlanarRod(length=0.5, nodes=4, density=0.2, elasticity=0.5, viscosity=0.02)
    bent = GroundedRod(rod=beam, at="tip", base="fixed", along=(0.0, 1.0, 0.0))
    parts = {
        "tyre": tg.Link(ContactPatch(), "column"),
        "felt": tg.Link(tg.ParallelFriction(stiffness=[500.0, 200.0], damping=1.0, limits=[0.5, 1.0]), "column"),
        "link": tg.Link(tg.SpringDamper(stiffness=300.0, damping=1.0), "rod", "column", other_ratio=[[1.0]]),  # m/rad
    }
    # Its axis passes through the centre of mass: gravity has no say.
    column = Body(name="column", mass=3.0, inertia=(0.1, 0.1, 0.06), joint=Revolute(), rotation=np.eye(3)[[1, 2, 0]])
    push = 6.0 * np.sin(2 * np.pi * 1.5 * T * np.arange(1500))
    push[1000:] = 0.8
    feed = {"tyre.speed": np.linspace(0.0, 5.0, 1500)}
    runs = [
        tg.Circuit({"column": moved, "rod": bent}, parts).run({"column": push}, period=T, inputs=feed)
        for moved in (TreeAdmittance(tree=Tree([column]), at=AtJoint("column")), tg.Mass(mass=0.06))
    ]
    assert np.abs(runs[1]["column.position"]).max() > 0.02
    for name in ("column.velocity", "column.position", "tyre.force", "felt.force", "link.force", "rod.position"):
        size = np.abs(runs[1][name]).max()
        np.testing.assert_allclose(runs[0][name], runs[1][name], atol=1e-9 * size)
    assert all(run.about["unsolved_steps"] == 0 for run in runs)


def test_torques_and_targets_are_fed():
    """A pendulum carried by the torque of its own weight stays; a servo brings the other joint where it is told."""
    tree = Tree([*arm().bodies, Body(name="slide", mass=1.0, joint=Prismatic(axis=(1, 0, 0)))])
    block = TreeAdmittance(
        tree=tree, at=AtJoint("slide"), controllers={"upper": Lock(), "lower": Servo(gain=1e5, rate_gain=50.0)}
    )
    weight = 0.7 * 9.81 * 0.25 * np.sin(0.3)
    machine = tg.Circuit(block, {"spring": tg.SpringDamper(stiffness=50.0, damping=10.0)})
    fed = {"torque.slide": 2.0, "torque.lower": weight, "target.lower": 0.3}
    run = machine.run(np.full(6000, 1.0), period=T, inputs=fed, initial={"q": [0.0, 0.1, 0.0]})
    np.testing.assert_allclose(run.q[-1], [0.0, 0.3, 3.0 / 50.0], atol=1e-8)
    assert (run.q[:, 0] == 0.0).all()


def test_fed_joints_are_fed_by_name():
    """As numbers to start from, as records of a run and tick by tick; each reaches its own joint."""
    tree = Tree([Body(name=n, mass=m, joint=Prismatic(axis=(1, 0, 0))) for n, m in (("a", 1.0), ("b", 2.0))])
    block = TreeAdmittance(tree=tree, at=AtJoint("a"), controllers={"b": Servo(gain=50.0)})
    start = {"torque.b": 3.0}
    held = block.run(np.zeros(100), period=T, initial=start, record=["v", "torque.b"])
    fed = block.run(np.zeros(100), period=T, inputs={"torque.b": np.full(100, 3.0)}, record=["v"])
    live = block.start(period=T)
    live["torque.b"] = 3.0
    for _ in range(100):
        live.step(0.0)
    np.testing.assert_array_equal(held.v, fed.v)
    np.testing.assert_array_equal(live["v"], fed.v[-1])
    assert live["torque.b"] == 3.0
    assert (held["torque.b"] == 3.0).all()
    assert held.v[-1, 0] == 0.0
    # A spring of 50 N/m, pulled by 3 N for 0.1 s: barely stretched yet.
    assert held.v[-1, 1] == pytest.approx(3.0 / 2.0 * 0.1, rel=0.1)
    live["target.b"] = 1.0
    live.step(0.0)
    assert live["v"][1] > fed.v[-1, 1]
    for name in ("torque", "torque.c", "target.a"):
        with pytest.raises(tg.InputError, match=r"It takes torque\.a, torque\.b, target\.b"):
            live[name] = 1.0
        with pytest.raises(tg.InputError, match="is not part of its state"):
            block.initial_state(T, {name: 1.0})


def test_a_law_of_ones_own_is_compiled_in():
    custom = tg.FrictionImpedance(law=lambda speed: 0.4 + 0.0 * speed, **BRAKE)
    push = 1.5 * np.sin(20.0 * T * np.arange(500))
    runs = [
        TreeAdmittance(tree=arm(element), at=AtJoint("lower")).run(push, period=T, initial={"q": [0.1, 0.0]})
        for element in (custom, tg.FrictionImpedance(law=tg.Coulomb(0.4), **BRAKE))
    ]
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=1e-9)


def test_bad_ports_are_refused():
    still = {"mass": 1.0, "inertia": (1, 1, 1)}
    more = [
        Body(name="wall", joint=Fixed(), **still),
        Body(name="glued", joint=Fixed(), parent="lower", **still),
        Body(name="locked", joint=Revolute(), **still),
    ]
    tree = Tree([*arm().bodies, *more])
    for wrong, told in (
        ("hand", "no body 'hand'"),
        ("wall", "'wall' stands in the world"),
        (AtJoint("knee"), r"at\['port'\]=AtJoint\(joint='knee'\): there is no such joint"),
        ({"a": AtJoint("upper"), "b": AtJoint("locked")}, r"at\['b'\].* is locked"),
        (3.0, "at=3.0"),
        (None, "at=None"),
        ({}, "names no place"),
        ({"hand": 7}, r"at\['hand'\]=7"),
        ({"left hand": "lower"}, "the name 'left hand'"),
        ({3: "lower"}, "the name 3"),
        (["lower", "upper"], "at="),
        (Between("wall", "lower"), "'wall' stands in the world"),
        (Between("lower", AtPoint("lower", (0, 0, 1))), "both points are of one rigid body"),
        (Between("lower", "glued"), "both points are of one rigid body"),
    ):
        with pytest.raises(tg.InputError, match=told):
            TreeAdmittance(tree=tree, at=wrong, controllers={"locked": Lock()})
    for wrong in ((1.0, 0.0, 0.0), np.zeros(6), (np.nan, 0, 0, 0, 0, 0)):
        with pytest.raises(tg.InputError, match="AtPoint: along="):
            AtPoint("lower", along=wrong)
        with pytest.raises(tg.InputError, match="Between: along="):
            Between("lower", "upper", along=wrong)
    with pytest.raises(tg.InputError, match="AtPoint: place"):
        AtPoint("lower", (1.0, 2.0))
    with pytest.raises(tg.InputError, match=r"first=.* has a direction"):
        Between(AtPoint("lower", along=(1, 0, 0, 0, 0, 0)), "upper")
    with pytest.raises(tg.InputError, match="second=7"):
        Between("lower", 7)
    for wrong, told in (({"knee": Lock()}, "no such joint"), ({"lower": 3.0}, "Servo")):
        with pytest.raises(tg.InputError, match=told):
            TreeAdmittance(tree=tree, at=AtJoint("lower"), controllers=wrong)
    with pytest.raises(tg.InputError, match="not a Tree"):
        TreeAdmittance(tree=3, at="b")
    block = TreeAdmittance(tree=tree, at=AtJoint("lower"), controllers={"upper": Lock()})
    for name in ("position", "path", "velocity", "center_q", "mode", "unsolved"):
        with pytest.raises(tg.InputError, match="follows from q and v"):
            block.initial_state(T, {name: 0.0})
    with pytest.raises(tg.InputError, match="follows from q and v"):
        TreeAdmittance(tree=tree, at="lower").initial_state(T, {"place": np.zeros(3)})
    live = block.start(period=T)
    wrong = live.state
    wrong.part("mode")[1] = 2
    with pytest.raises(tg.InputError, match=r"mode\[1\]=2 cannot be in its state"):
        live.state = wrong
    with pytest.raises(tg.InputError, match="locked joint moves"):
        block.initial_state(T, {"v": [1.0, 0.0, 0.0]})
    ball = Tree([Body(name="ball", mass=1.0, inertia=(1, 1, 1), joint=Free())])
    with pytest.raises(tg.InputError, match="quaternion of 'ball' has length 0"):
        TreeAdmittance(tree=ball, at="ball").initial_state(T, {"q": np.zeros(7)})
