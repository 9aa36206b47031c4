"""What joints transmit, against Pinocchio's recursion and against closed forms, tick by tick."""

import numpy as np
import pinocchio as pin
import pytest

import tegotae as tg
from tegotae.multibody import (
    AtPoint,
    Ball,
    Body,
    Fixed,
    Free,
    HalfSpace,
    Lock,
    Point,
    Prismatic,
    Revolute,
    Scene,
    Servo,
    Touch,
    Tree,
    TreeAdmittance,
)
from trees import base_rotation, in_pinocchio, one_tree, pinocchio_state, random_bodies, random_state

G = 9.81


def body_acceleration(q, v, a, *, free):
    """The way back of `trees.world_acceleration`: into Pinocchio's body axes, spatial."""
    a = a.copy()
    if free:
        R = base_rotation(q)
        a[:3], a[3:6] = R.T @ (a[:3] - np.cross(v[3:6], v[:3])), R.T @ a[3:6]
    return a


def by_pinocchio(tree, q, v, a, pushed=(), *, free=False):
    """Reactions by Pinocchio's recursive Newton-Euler, turned into world axes; (body, place in the world, force and
    moment there) push.
    """
    model = in_pinocchio(tree)
    data = model.createData()
    pq, pv, _ = pinocchio_state(q, v, np.zeros(tree.nv), free=free)
    pin.forwardKinematics(model, data, pq)
    outside = [pin.Force.Zero() for _ in range(model.njoints)]
    for body, place, wrench in pushed:
        j = model.getJointId(body)
        moment = wrench[3:] + np.cross(place - data.oMi[j].translation, wrench[:3])
        R = data.oMi[j].rotation
        outside[j] += pin.Force(R.T @ wrench[:3], R.T @ moment)
    pin.rnea(model, data, pq, pv, body_acceleration(q, v, a, free=free), pin.StdVec_Force(outside))
    found = {}
    for body in tree.bodies:
        if not isinstance(body.joint, Free):
            j = model.getJointId(body.name)
            R, f = data.oMi[j].rotation, data.f[j]
            found[body.name] = np.concatenate([R @ f.linear, R @ f.angular])
    return found


# ------------------------------------------------------------ a tree by itself


@pytest.mark.parametrize("free", [False, True])
def test_reactions_of_a_tree_are_pinocchios(free):
    rng = np.random.default_rng(21 + free)
    for count in (1, 2, 7, 15):
        tree = one_tree(rng, count, free=free)
        q, v, a = random_state(rng, tree, free=free)
        wrench, last = rng.normal(size=6), tree.bodies[-1].name
        wanted = by_pinocchio(tree, q, v, a, [(last, tree.pose(q, last)[0], wrench)], free=free)
        found = tree.reactions(q, v, a, wrenches={last: wrench})
        assert list(found) == list(wanted)
        for name, one in found.items():
            # rounding, along chains of up to 15 bodies
            np.testing.assert_allclose(one, wanted[name], rtol=0, atol=1e-12 * (1.0 + np.abs(wanted[name]).max()))


def test_along_its_axis_a_reaction_is_the_torque_of_inverse_dynamics():
    """For whole records at once, also of bodies with others fixed to them."""
    rng = np.random.default_rng(5)
    bodies = random_bodies(rng, 6)
    bodies.append(
        Body(name="load", mass=3.0, inertia=(0.1, 0.1, 0.1), parent="b5", joint=Fixed(), position=(0.1, 0.2, 0.3))
    )
    tree = Tree(bodies)
    q, v, a = rng.normal(size=(3, 4, 2, 6))
    found, tau = tree.reactions(q, v, a), tree.inverse_dynamics(q, v, a)
    assert list(found) == [f"b{k}" for k in range(6)]
    for k, body in enumerate(tree.bodies[:6]):
        axis = tree.pose(q, body.name)[1] @ np.asarray(body.joint.axis)
        felt = found[body.name][..., 3:] if isinstance(body.joint, Revolute) else found[body.name][..., :3]
        np.testing.assert_allclose((felt * axis).sum(axis=-1), tau[..., k], rtol=0, atol=1e-12 * np.abs(tau).max())


# ------------------------------------------------------------ ticks of a scene, by the equation that each solves


def busy(rng, T, *, free, ports, restitution):
    """A machine that rubs, is driven, pushed and in touch; and what one tick of it is driven by."""
    bodies = random_bodies(rng, 6, free=free)
    rub = tg.FrictionImpedance(stiffness=1e5, damping=10.0, law=tg.Coulomb(0.7))
    kept = {"name": "b0", "mass": 2.0, "inertia": (0.3, 0.2, 0.4)}
    # Base at its centre of mass: the speeds that its tick is solved for are then those that users see.
    bodies[0] = Body(**kept, joint=Free()) if free else Body(**kept, center=(0.1, 0.2, 0.3), joint=Revolute())
    for k, joint in ((2, {"friction": rub}), (3, {"damping": 0.8})):
        old = bodies[k]
        new = type(old.joint)(axis=old.joint.axis, **joint)
        names = ("name", "mass", "inertia", "center", "parent", "position", "rotation")
        bodies[k] = Body(**{name: getattr(old, name) for name in names}, joint=new)
    tree = Tree(bodies)
    q, v, _ = random_state(rng, tree, free=free)
    low = tree.pose(q, "b5")[0] + tree.pose(q, "b5")[1] @ (0.1, 0.0, 0.2)
    falling = (tree.jacobian(q, "b5", (0.1, 0.0, 0.2)) @ v)[2]
    ground = HalfSpace(point=(0, 0, low[2] + (0.5 * T * falling if restitution is not None else 1e-3)))
    stiff = {"stiffness": 1e4, "damping": 10.0, "friction": 0.4, "restitution": restitution}
    touch = Touch(on="b5", toucher=Point(position=(0.1, 0.0, 0.2)), surface=ground, **stiff)
    at = {"hand": AtPoint("b4", (0.1, 0.1, 0.0)), "side": AtPoint("b3", along=(0, 1, 0, 0, 0, 1))} if ports else None
    controllers = {"b1": Servo(gain=30.0, rate_gain=2.0), "b4": Lock()}
    v[tree.arrays.vi[4]] = 0.0
    return tree, q, v, {"touches": [touch], "at": at, "controllers": controllers, "deepest": 1.0}


@pytest.mark.parametrize("method", ["euler", "midpoint"])
@pytest.mark.parametrize("restitution", [None, 0.6])
@pytest.mark.parametrize("ports", [False, True])
@pytest.mark.parametrize("free", [False, True])
def test_a_tick_is_balanced_as_pinocchio_does(free, ports, restitution, method):
    """Joint by joint: for the accelerations that the tick found, the forces that its result tells, and those given."""
    # By the midpoint so short that velocity terms are those of the start: those of the mean have a test of their own.
    rng, T = np.random.default_rng(8), 1e-4 if method == "euler" else 1e-6
    touched = 0
    for _ in range(6):
        tree, q, v, machine = busy(rng, T, free=free, ports=ports, restitution=restitution)
        live = Scene(tree=tree, method=method, reactions=True, **machine).start(period=T, q=q, v=v)
        wrench, h = rng.normal(size=6), rng.normal(size=7)
        torque = np.zeros(tree.nv)
        torque[-1] = 1.5
        live.step(h if ports else None, torque=torque, wrenches={"b2": wrench})
        assert live.state["unsolved"] == 0
        a = (live.state["v"] - v) / T
        where = q if method == "euler" else tree.arrays.moved(q, v, 0.5 * T)
        contact = np.asarray(live.state["contact_force"]).reshape(3)
        spot = tree.pose(where, "b5")
        pushed = [
            ("b2", tree.pose(where, "b2")[0], wrench),
            ("b5", spot[0] + spot[1] @ (0.1, 0.0, 0.2), np.concatenate([contact, np.zeros(3)])),
        ]
        if ports:
            hand = tree.pose(where, "b4")
            pushed.append(("b4", hand[0] + hand[1] @ (0.1, 0.1, 0.0), h[:6]))
            pushed.append(("b3", tree.pose(where, "b3")[0], h[6] * np.array([0, 1, 0, 0, 0, 1])))
        wanted = by_pinocchio(tree, where, v, a, pushed, free=free)
        touched += contact[2] > 0.0
        size = max(np.abs(one).max() for one in wanted.values())
        # Beside an impulse over T it is little that in a struck tick of a midpoint velocity terms are those of before
        # and after, by parts of the tick that nothing tells.
        struck = restitution is not None and contact[2] > 0.0 and method == "midpoint"
        # What floats is moved after the solve, to keep its momentum: by T times the error of velocity terms.
        kept = free and contact[2] == 0.0 and method == "midpoint"
        rounding = 1e-15 / T * np.abs(v).max()
        near = 1e-5 if struck else 1e-4 if kept else rounding
        for name, one in wanted.items():
            np.testing.assert_allclose(live.state[f"reaction.{name}"], one, rtol=0, atol=near * size, err_msg=name)
    assert touched > 1


def test_a_machine_that_moves_straight_is_balanced_to_rounding():
    """Slides have no velocity terms: reaction of the base, contact and weight are the rate of momentum, each tick."""
    cross = Body(name="cross", mass=3.0, joint=Prismatic(axis=(1, 0, 0), damping=0.5))
    quill = Body(name="quill", mass=1.5, parent="cross", position=(0.2, 0, 0), joint=Prismatic(axis=(0, 0, 1)))
    tree = Tree([cross, quill])
    for restitution in (None, 0.5):
        floor = Touch(
            on="quill",
            toucher=Ball(radius=0.1),
            surface=HalfSpace(),
            stiffness=1e5,
            friction=0.3,
            restitution=restitution,
        )
        for method in ("euler", "midpoint"):
            scene, T = Scene(tree=tree, touches=[floor], method=method, reactions=True), 1e-3
            seen = ["reaction.cross", "reaction.quill", "contact_force", "v", "debt", "swing"]
            run = scene.run(0.5, period=T, q=[0.0, 0.3], v=[2.0, -1.0], record=seen)
            speeds = np.vstack([[2.0, -1.0], run.v])
            # Ticks that begin with the speeds that users see: the tree owes no energy.
            owed = np.abs(np.concatenate([[0.0], run["debt"][:-1, 0]])) > 1e-9 * run["swing"][:, 0]
            assert owed.sum() < 10
            push = run.contact_force[:, 0]
            assert np.abs(push).max() > 10.0 * 4.5 * G  # it fell
            assert np.abs(push[:, 0]).max() > 1.0  # and rubbed
            for name, mass, masses in (("cross", 4.5, [4.5, 1.5]), ("quill", 1.5, [1.5, 1.5])):
                rate = np.zeros((len(push), 3))
                rate[:, [0, 2]] = np.diff(speeds, axis=0) / T * masses
                forces = run[f"reaction.{name}"][:, :3] + push + [0.0, 0.0, -mass * G]
                np.testing.assert_allclose(forces[~owed], rate[~owed], rtol=0, atol=1e-11)  # 1e-16 of 2 m/s over T


def test_a_midpoint_takes_velocity_terms_of_the_mean():
    """As its two solves do, both here by Pinocchio: with velocity terms of the start, and of the mean of both ends."""
    rng, T = np.random.default_rng(4), 1e-3
    for _ in range(5):
        tree = Tree(random_bodies(rng, 5))
        q, v, tau = random_state(rng, tree, free=False)
        live = Scene(tree=tree, reactions=True).start(period=T, q=q, v=v)
        live.step(torque=tau)
        model, middle = in_pinocchio(tree), q + 0.5 * T * v
        data = model.createData()
        mean = v + 0.5 * T * pin.aba(model, data, middle, v, tau)
        # the torques that would give the same accelerations at these speeds
        a = pin.aba(model, data, middle, mean, tau)
        np.testing.assert_allclose(live.v, v + T * a, rtol=0, atol=1e-13)
        for name, one in by_pinocchio(tree, middle, mean, a).items():
            np.testing.assert_allclose(live[f"reaction.{name}"], one, rtol=0, atol=1e-11 * (1.0 + np.abs(one).max()))


# ------------------------------------------------------------ closed forms


def chain(links=3, **joint):
    """Rods of 1 kg and 1 m, end to end."""
    return Tree(
        [
            Body(
                name=f"link{k}", mass=1.0, inertia=(1 / 12, 1 / 12, 1e-3), center=(0, 0, -0.5),
                parent=f"link{k - 1}" if k else None, position=(0, 0, -1.0 if k else 2.0),
                joint=Revolute(axis=(0, 1, 0), **joint),
            )
            for k in range(links)
        ]
    )  # fmt: skip


@pytest.mark.parametrize("method", ["midpoint", "euler", "symplectic", "rk4"])
def test_a_hanging_chain_carries_what_is_below(method):
    run = Scene(tree=chain(), method=method, reactions=True).run(0.1, period=1e-3)
    for k in range(3):
        weight = (3 - k) * G
        np.testing.assert_allclose(run[f"reaction.link{k}"], np.tile([0, 0, weight, 0, 0, 0], (100, 1)), atol=1e-12)


def test_a_chain_held_straight_out_bends_its_joints():
    """Locks: the moment is that of all weights behind, about each joint's own place."""
    names = ("link0", "link1", "link2")
    held = Scene(tree=chain(), controllers=dict.fromkeys(names, Lock()), reactions=True)
    run = held.run(0.01, period=1e-3, q=[-np.pi / 2, 0.0, 0.0])
    for k, name in enumerate(names):
        n = 3 - k
        np.testing.assert_allclose(run[f"reaction.{name}"][-1], [0, 0, n * G, 0, -n * G * n / 2, 0], atol=1e-12)


@pytest.mark.parametrize("method", ["midpoint", "euler", "symplectic", "rk4"])
def test_a_spinning_bar_is_pulled_inwards(method):
    m, r, w, T = 2.0, 0.3, 7.0, 1e-3
    bar = Body(name="bar", mass=m, inertia=(0.1, 0.1, 0.2), center=(r, 0, 0), joint=Revolute(axis=(0, 0, 1)))
    run = Scene(tree=Tree([bar]), method=method, reactions=True).run(0.2, period=T, v=[w])
    back = 0.5 * T if method == "midpoint" else T  # rows are of the ends of ticks
    angle = w * (np.asarray(run.time) - back)
    c, s, z, pull, weight = np.cos(angle), np.sin(angle), 0.0 * angle, -m * w**2 * r, m * G
    wanted = np.stack([pull * c, pull * s, z + weight, weight * r * s, -weight * r * c, z], axis=1)
    np.testing.assert_allclose(run["reaction.bar"], wanted, rtol=0, atol=1e-11 * m * w**2)  # angles are added up


def test_a_pendulums_pull_is_of_second_order():
    """m l w² + m g cos along the rod, (1 - m l²/J) m g sin across: in closed form at the middle of each tick."""
    m, length, inertia = 1.5, 0.7, 0.2
    J = inertia + m * length**2
    bob = Body(name="bob", mass=m, inertia=(inertia,) * 3, center=(0, 0, -length), joint=Revolute(axis=(0, 1, 0)))
    tree, start, periods, errors = Tree([bob]), 1.2, (4e-3, 2e-3, 1e-3), []
    fine = Scene(tree=tree, method="rk4").run(2.0, period=2.5e-4, q=[start])  # of fourth order: exact here
    for T in periods:
        run = Scene(tree=tree, reactions=True).run(2.0, period=T, q=[start])
        middle = (np.arange(len(run.time)) * T + 0.5 * T) / 2.5e-4
        q = np.concatenate([[start], fine.q[:, 0]])[middle.round().astype(int)]
        along = m * length * 2.0 * m * G * length * (np.cos(q) - np.cos(start)) / J + m * G * np.cos(q)
        across = m * G * np.sin(q) * (1.0 - m * length**2 / J)
        # hanging at 0, turned about y: towards the joint it points along (sin, 0, cos), across along (cos, 0, -sin)
        wanted = np.stack([along * np.sin(q) - across * np.cos(q), along * np.cos(q) + across * np.sin(q)], axis=1)
        errors.append(np.abs(run["reaction.bob"][:, [0, 2]] - wanted).max())
        assert np.abs(run["reaction.bob"][:, 3:]).max() < 1e-11  # nothing turns a free hinge
    assert np.polyfit(np.log(periods), np.log(errors), 1)[0] == pytest.approx(2.0, abs=0.1), errors


@pytest.mark.parametrize("method", ["midpoint", "euler"])
def test_a_box_that_leans_on_the_floor_by_an_arm(method):
    """An arm with a box at its end: floor and hinge share the weight by their levers."""
    arm = Body(name="arm", mass=2.0, inertia=(0.01,) * 3, center=(0.5, 0, 0), joint=Revolute(axis=(0, 1, 0)))
    box = Body(
        name="box", mass=3.0, inertia=(0.01,) * 3, parent="arm", position=(1.0, 0, 0), joint=Revolute(axis=(0, 1, 0))
    )
    tree = Tree([arm, box])
    floor = Touch(on="box", toucher=Ball(radius=0.2), surface=HalfSpace(point=(0, 0, -0.2)), stiffness=1e8, damping=1e5)
    run = Scene(tree=tree, touches=[floor], method=method, reactions=True).run(0.5, period=1e-3)
    bearing = run.contact_force[-1, 0, 2]
    assert bearing == pytest.approx(3.0 * G + 0.5 * 2.0 * G, rel=1e-6)  # of the depth of 1e-7 m
    np.testing.assert_allclose(run["reaction.arm"][-1, :3], [0, 0, 5.0 * G - bearing], atol=1e-6)
    np.testing.assert_allclose(run["reaction.arm"][-1, 3:], 0.0, atol=1e-6)
    np.testing.assert_allclose(run["reaction.box"][-1, :3], [0, 0, 3.0 * G - bearing], atol=1e-6)


def test_what_is_stood_on_carries_it():
    """A press: a stamp rests on a table that a lock holds, out of its middle; both are carried by the world."""
    stamp = Body(name="stamp", mass=2.0, joint=Prismatic(axis=(0, 0, 1)))
    table = Body(name="table", mass=3.0, joint=Prismatic(axis=(0, 0, 1)), position=(0.4, 0, -0.1))
    plate = HalfSpace(point=(0, 0, 0.1))
    on = Touch(on="stamp", toucher=Point(position=(0, 0, 0)), surface=plate, of="table", stiffness=1e8, damping=1e5)
    run = Scene(tree=Tree([stamp, table]), touches=[on], controllers={"table": Lock()}, reactions=True).run(
        0.2, period=1e-3
    )
    np.testing.assert_allclose(run["reaction.stamp"][-1], 0.0, atol=1e-6)  # the depth of 1e-7 m still settles
    np.testing.assert_allclose(run["reaction.table"][-1], [0, 0, 5.0 * G, 0, 0.4 * 2.0 * G, 0], atol=1e-6)


def test_along_its_axis_a_joint_gives_friction_damping_motor_and_servo():
    """By Euler all of them are told: they act at the speed of the tick's end."""
    rub = tg.FrictionImpedance(stiffness=1e4, damping=10.0, law=tg.Coulomb(0.8))
    tree = chain(2, friction=rub, damping=0.3)
    scene = Scene(tree=tree, method="euler", controllers={"link1": Servo(gain=20.0, rate_gain=1.0)}, reactions=True)
    T = 1e-3
    run = scene.run(1.0, period=T, q=[1.0, 0.5], torque=[2.0, 0.5], targets={"link1": 0.2})
    felt = np.stack([run["reaction.link0"][:, 4], run["reaction.link1"][:, 4]], axis=1)
    acting = run.friction - 0.3 * run.v + [2.0, 0.5]
    acting[:, 1] += 20.0 * (0.2 - run.q[:, 1]) - run.v[:, 1]
    assert (np.abs(run.friction) > 0.79).any()  # slips
    assert (np.abs(run.friction) < 0.7).any()  # sticks
    np.testing.assert_allclose(felt, acting, rtol=0, atol=1e-10)  # 1e-16 of moments of inertia, over T
    stuck = Scene(tree=chain(2, friction=rub), reactions=True).run(1.0, period=T, q=[1.0, 0.5], torque=[2.0, 0.5])
    felt = np.stack([stuck["reaction.link0"][:, 4], stuck["reaction.link1"][:, 4]], axis=1)
    np.testing.assert_allclose(felt, stuck.friction + np.array([2.0, 0.5]), rtol=0, atol=1e-10)


@pytest.mark.parametrize("at", [None, "link1", AtPoint("link1", along=(0, 0, 1, 0, 0, 0))])
@pytest.mark.parametrize("restitution", [None, 0.7])
def test_a_free_hinge_gives_nothing_about_its_axis(restitution, at):
    """Whatever else the tick does: a chain that swings, strikes the floor, and pays back energy that it owes."""
    wall = {"surface": HalfSpace(point=(0, 0, 0.1)), "stiffness": 1e5, "friction": 0.3, "restitution": restitution}
    tip = Touch(on="link1", toucher=Point(position=(0, 0, -1)), **wall)
    T = 1e-3
    scene = Scene(tree=chain(2), touches=[tip], at=at, method="midpoint", reactions=True)
    run = scene.run(1.5, period=T, q=[1.2, 0.5])
    assert np.abs(run.contact_force).max() > 50.0
    size = np.abs(run["reaction.link0"]).max()
    for name in ("reaction.link0", "reaction.link1"):
        assert np.abs(run[name][:, 4]).max() < 1e-12 * size + 1e-10


def test_a_massless_link_hands_on_what_it_gets():
    """As in a joint of two degrees: forces, and what neither axis lets go of, are those of the body behind it."""
    fork = Body(name="fork", mass=0.0, joint=Revolute(axis=(1, 0, 0)))
    bob = Body(
        name="bob", mass=1.0, inertia=(0.1,) * 3, center=(0, 0, -0.4), parent="fork", joint=Revolute(axis=(0, 1, 0))
    )
    run = Scene(tree=Tree([fork, bob]), reactions=True).run(0.5, period=1e-3, q=[0.7, 0.4], v=[0.0, 2.0])
    assert np.abs(run["reaction.bob"][:, :3]).max() > 5.0
    np.testing.assert_allclose(run["reaction.fork"], run["reaction.bob"], rtol=0, atol=1e-10)


# ------------------------------------------------------------ how they are asked for


def test_they_are_told_where_asked_and_of_what_has_a_joint():
    hull = Body(name="hull", mass=5.0, inertia=(0.5,) * 3, joint=Free())
    mast = Body(name="mast", mass=1.0, inertia=(0.1,) * 3, parent="hull", joint=Revolute())
    lamp = Body(name="lamp", mass=0.5, parent="mast", joint=Fixed(), position=(0.3, 0, 0))
    tree = Tree([hull, mast, lamp])
    plain, asked = Scene(tree=tree), Scene(tree=tree, reactions=True)
    start = {"period": 1e-3, "v": [0.1, 0, 0, 0, 0, 2.0, 1.0]}
    told = asked.run(0.01, **start)
    assert [name for name in told.variables if name.startswith("reaction")] == ["reaction.mast"]
    assert told["reaction.mast"].shape == (10, 6)
    silent = plain.run(0.01, **start)
    assert not any(name.startswith("reaction") for name in silent.variables)
    np.testing.assert_array_equal(told.q, silent.q)  # to look changes nothing
    live = asked.start(**start)
    for row in told["reaction.mast"]:
        live.step()
        np.testing.assert_array_equal(live["reaction.mast"], row)
    assert list(asked.run(0.01, record=["reaction.mast"], **start).variables) == ["time", "reaction.mast"]
    with pytest.raises(ValueError, match="reactions"):
        Scene(tree=tree, reactions="mast")


def test_blocks_made_of_a_tree_tell_them_too():
    lift = Tree([Body(name="lift", mass=2.0, joint=Prismatic())])
    run = TreeAdmittance(tree=lift, at="lift", reactions=True).run(
        np.tile([1.0, 2.0, 3.0, 0, 0, 0], (5, 1)), period=1e-3
    )
    np.testing.assert_allclose(run["reaction.lift"], np.tile([-1.0, -2.0, 0, 0, 0, 0], (5, 1)), atol=1e-12)
