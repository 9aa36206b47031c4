"""How a scene is run: records in, records out, live or whole, and what it refuses."""

import numpy as np
import pytest

import tegotae as tg
from tegotae.multibody import (
    Ball,
    Body,
    Corners,
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
)

FRICTION = tg.FrictionImpedance(stiffness=1e5, damping=10.0, law=tg.Coulomb(1.0))


def machine():
    """A cart that rubs, with a pendulum, and a ball on the floor beside it."""
    cart = Body(name="cart", mass=2.0, joint=Prismatic(axis=(1, 0, 0), friction=FRICTION))
    pole = Body(
        name="pole", mass=1.0, inertia=(0.02, 0.02, 0.001), center=(0, 0, -0.5), parent="cart",
        joint=Revolute(axis=(0, 1, 0), damping=0.1),
    )  # fmt: skip
    ball = Body(name="ball", mass=0.5, inertia=(2e-3,) * 3, joint=Free(), position=(0, 1, 0.2))
    touch = Touch(on="ball", toucher=Ball(radius=0.1), surface=HalfSpace(), stiffness=1e5, friction=0.3)
    return Scene(tree=Tree([cart, pole, ball]), touches=[touch], controllers={"pole": Servo(gain=5.0, rate_gain=0.5)})


def driven(ticks):
    t = 1e-3 * np.arange(ticks)
    torque = np.zeros((ticks, 8))
    torque[:, 0] = 5.0 * np.sin(8.0 * t)
    wrench = np.column_stack([np.sin(5 * t), 0 * t, 0 * t, 0 * t, 0.01 * np.cos(3 * t), 0 * t])
    return {"torque": torque, "targets": {"pole": 0.5 * np.sin(4 * t)}, "wrenches": {"ball": wrench}}


def test_live_ticks_are_those_of_a_run_bit_for_bit():
    scene, drive = machine(), driven(300)
    run = scene.run(0.3, period=1e-3, **drive)
    live = scene.start(period=1e-3)
    for k in range(300):
        q, v = live.step(
            drive["torque"][k],
            targets={"pole": drive["targets"]["pole"][k]},
            wrenches={"ball": drive["wrenches"]["ball"][k]},
        )
        assert (q == np.asarray(run.q[k])).all()
        assert (v == np.asarray(run.v[k])).all()
        assert (live["contact_force"] == np.asarray(run.contact_force[k])).all()


def test_a_run_does_not_depend_on_how_often_it_is_recorded_nor_on_being_run_before():
    scene, drive = machine(), driven(300)
    whole = scene.run(0.3, period=1e-3, **drive)
    some = scene.run(0.3, period=1e-3, every=7, **drive)
    assert len(some.time) == 300 // 7
    np.testing.assert_allclose(some.time, 7e-3 * np.arange(1, 43))
    for name in ("q", "v", "friction", "contact_force", "gap"):
        assert (np.asarray(some[name]) == np.asarray(whole[name])[6::7]).all(), name


def test_progress_is_told_to_the_end_and_chunks_do_not_show():
    told = []
    tree = Tree([Body(name="bob", mass=1.0, center=(0, 0, -1.0), joint=Revolute(axis=(0, 1, 0)))])
    run = Scene(tree=tree).run(50.0, period=1e-3, q=[0.5], every=3, progress=told.append)
    assert told == pytest.approx([0.4, 0.8, 1.0])
    q, v = np.array([0.5]), np.zeros(1)
    once = Scene(tree=tree).run(20.001, period=1e-3, q=q, v=v, every=3)
    assert (np.asarray(run.q)[: len(once.q)] == np.asarray(once.q)).all()


def test_constant_drive_and_rows_of_it_are_the_same():
    scene = machine()
    torque = np.array([3.0, 0, 0, 0, 0, 0, 0, 0])
    wrench = np.array([0.2, 0.1, 0.0, 0.0, 0.0, 0.01])
    one = scene.run(0.2, period=1e-3, torque=torque, targets={"pole": 0.3}, wrenches={"ball": wrench})
    rows = scene.run(
        0.2, period=1e-3, torque=np.tile(torque, (200, 1)), targets={"pole": np.full(200, 0.3)},
        wrenches={"ball": np.tile(wrench, (200, 1))},
    )  # fmt: skip
    assert (np.asarray(one.v) == np.asarray(rows.v)).all()


@pytest.mark.parametrize("method", ["midpoint", "euler", "symplectic", "rk4"])
def test_a_wrench_on_a_free_body_is_newton_and_euler(method):
    """At the frame's origin, which is not the centre of mass: F = m a, and the moment about the centre counts."""
    tree = Tree([Body(name="a", mass=2.0, inertia=(0.1,) * 3, center=(0.2, 0, 0), joint=Free())], gravity=(0, 0, 0))
    run = Scene(tree=tree).run(1e-3, period=1e-3, wrenches={"a": [0, 0, 3.0, 0, 0, 0.5]}, method=method)
    np.testing.assert_allclose(run.momentum[0], [0, 0, 3e-3], rtol=0, atol=1e-15)
    # about the centre: (-.2, 0, 0) x (0, 0, 3) = (0, .6, 0), and the moment itself
    np.testing.assert_allclose(run.v[0, 3:], 1e-3 * np.array([0, 0.6, 0.5]) / 0.1, rtol=0, atol=1e-7)


@pytest.mark.parametrize("method", ["midpoint", "euler", "symplectic", "rk4"])
def test_weight_balanced_by_a_wrench_or_by_torques_stays(method):
    arm = Tree(
        [
            Body(name="a", mass=1.0, inertia=(0.1,) * 3, center=(0.5, 0, 0), joint=Revolute(axis=(0, 1, 0))),
            Body(
                name="b", mass=1.0, inertia=(0.1,) * 3, center=(0.5, 0, 0), joint=Revolute(axis=(0, 1, 0)), parent="a",
                position=(1, 0, 0),
            ),
        ]
    )  # fmt: skip
    q = np.array([0.3, 0.4])
    held = arm.inverse_dynamics(q, np.zeros(2), np.zeros(2))
    run = Scene(tree=arm).run(0.1, period=1e-3, q=q, torque=held, method=method)
    assert np.abs(run.v).max() < 1e-12
    lift = {}
    for name in ("a", "b"):  # at the origin of its frame: the weight, and its moment about that
        center = np.asarray(arm.pose(q, name)[1]) @ [0.5, 0, 0]
        lift[name] = np.concatenate([[0, 0, 9.81], np.cross(center, [0, 0, 9.81])])
    run = Scene(tree=arm).run(0.1, period=1e-3, q=q, wrenches=lift, method=method)
    assert np.abs(run.v).max() < 1e-12


def test_explicit_contacts_are_springs_without_friction():
    ball = Tree([Body(name="ball", mass=1.0, inertia=(0.01,) * 3, joint=Free())], gravity=(0, 0, 0))
    spring = Touch(on="ball", toucher=Point(), surface=HalfSpace(), stiffness=1e4, damping=0.0)
    run = Scene(tree=ball, touches=[spring]).run(0.05, period=1e-5, v=[0, 0, -1.0, 0, 0, 0], method="symplectic")
    force = np.asarray(run.contact_force[:, 0, 2])
    assert force.max() == pytest.approx(np.sqrt(1e4), rel=1e-3)  # v sqrt(k m)
    assert 1e-5 * (force > 0).sum() == pytest.approx(np.pi / 100.0, rel=1e-3)  # pi sqrt(m/k)
    assert float(run.v[-1, 2]) == pytest.approx(1.0, abs=1e-4)
    rough = Touch(on="ball", toucher=Point(), surface=HalfSpace(), stiffness=1e4, friction=0.1)
    for method in ("symplectic", "rk4"):
        with pytest.raises(ValueError, match="friction at contacts"):
            Scene(tree=ball, touches=[rough]).run(0.01, period=1e-3, method=method)


BOX = Tree([Body(name="box", mass=1.0, inertia=(0.01,) * 3, joint=Free())])
ARM = Tree([Body(name="bob", mass=1.0, center=(0, 0, -1.0), joint=Revolute(axis=(0, 1, 0)))])
NAN = float("nan")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"duration": 0.0105}, "not a whole number of periods"),
        ({"duration": 0.0}, "duration"),
        ({"duration": -1.0}, "duration"),
        ({"duration": NAN}, "duration"),
        ({"duration": float("inf")}, "duration"),
        ({"period": 0.0}, "period"),
        ({"period": NAN}, "period"),
        ({"period": -1e-3}, "period"),
        ({"q": [NAN]}, "q"),
        ({"q": [0.0, 0.0]}, r"q has shape \(2,\)"),
        ({"v": [float("inf")]}, "v"),
        ({"v": []}, "v"),
        ({"torque": NAN}, "torque"),
        ({"torque": [1.0, 2.0]}, "torque"),
        ({"torque": np.zeros((7, 1))}, "torque"),
        ({"torque": np.full((10, 1), NAN)}, "torque"),
        ({"targets": {"bob": 1.0}}, "no servo drives it"),
        ({"targets": {"nobody": 1.0}}, "nobody"),
        ({"wrenches": {"nobody": np.zeros(6)}}, "nobody"),
        ({"wrenches": {"bob": np.zeros(5)}}, "wrenches"),
        ({"wrenches": {"bob": np.full(6, NAN)}}, "wrenches"),
        ({"wrenches": {"bob": np.zeros((3, 6))}}, "wrenches"),
        ({"every": 0}, "every"),
        ({"every": 11}, "every"),
        ({"every": 1.5}, "every"),
        ({"method": "implicit"}, "method"),
    ],
)
def test_bad_input_of_a_run_is_refused_by_name(options, said):
    options = {"duration": 0.01, "period": 1e-3} | options
    duration = options.pop("duration")
    with pytest.raises(ValueError, match=said):
        Scene(tree=ARM).run(duration, **options)


def test_torque_on_a_free_body_is_refused():
    with pytest.raises(ValueError, match="free body"):
        Scene(tree=BOX).run(0.01, period=1e-3, torque=np.ones(6))


def test_a_quaternion_of_no_length_is_refused():
    with pytest.raises(ValueError, match="quaternion"):
        Scene(tree=BOX).run(0.01, period=1e-3, q=np.zeros(7))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"tree": "robot"}, "not a Tree"),
        ({"tree": ARM, "controllers": {"elbow": Lock()}}, "no such joint"),
        ({"tree": ARM, "controllers": {"bob": 3.0}}, "Servo"),
        ({"tree": ARM, "touches": ["floor"]}, "Touch"),
        ({"tree": ARM, "touches": [Touch(on="ball", toucher=Point(), surface=HalfSpace())]}, "no body 'ball'"),
        (
            {"tree": ARM, "touches": [Touch(on="bob", toucher=Point(), surface=HalfSpace(), of="wall")]},
            "no body 'wall'",
        ),
    ],
)
def test_bad_scenes_are_refused_by_name(options, said):
    with pytest.raises(ValueError, match=said):
        Scene(**options)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"stiffness": 0.0}, "stiffness"),
        ({"stiffness": NAN}, "stiffness"),
        ({"damping": -1.0}, "damping"),
        ({"friction": -0.1}, "friction"),
        ({"friction": float("inf")}, "friction"),
        ({"on": ""}, "on"),
        ({"of": "bob"}, "is the body that touches"),
        ({"toucher": HalfSpace()}, "toucher=.* is not a Point or Ball or Corners"),
        ({"surface": Corners(half_sizes=(1, 1, 1))}, "surface=.* is not a Surface"),
    ],
)
def test_bad_touches_are_refused_by_name(options, said):
    given = {"on": "bob", "toucher": Point(), "surface": HalfSpace()} | options
    with pytest.raises(ValueError, match=said):
        Touch(**given)


def test_a_lock_that_moves_is_refused_and_a_servo_takes_magnitudes():
    with pytest.raises(ValueError, match="locked"):
        Scene(tree=ARM, controllers={"bob": Lock()}).run(0.01, period=1e-3, v=[1.0])
    for bad in (-1.0, NAN):
        with pytest.raises(ValueError, match="gain"):
            Servo(gain=bad)


def test_what_diverges_says_so():
    stiff = Scene(tree=ARM, controllers={"bob": Servo(gain=1e9)})
    for method in ("symplectic", "rk4"):
        with pytest.raises(tg.TegotaeError, match="diverged"):
            stiff.run(10.0, period=1e-2, q=[0.1], targets={"bob": 0.0}, method=method)
    assert np.abs(stiff.run(10.0, period=1e-2, q=[0.1], targets={"bob": 0.0}).q[-1]).max() < 1e-6


def test_a_tick_in_a_loop_is_the_same_by_either_way():
    """Targets, even none, take the way by records; a float or an array takes the way that is bound to its arrays."""
    rub = tg.FrictionImpedance(stiffness=1e5, damping=10.0, law=tg.Coulomb(0.5))
    arm = Body(name="arm", mass=1.0, inertia=(0.1, 0.1, 0.1), center=(0.1, 0, 0), joint=Revolute(friction=rub))
    thrown = Body(name="box", mass=2.0, inertia=(0.1, 0.2, 0.3), center=(0.1, -0.2, 0.3), joint=Free())
    for bodies, torques in (([arm], [np.array([0.7]), 0.7, -0.3]), ([arm, thrown], [0.7, -0.3, 0.0])):
        tree = Tree(bodies)
        v = np.linspace(0.5, 1.5, tree.nv)
        quick, slow = (Scene(tree=tree).start(period=1e-3, v=v) for _ in range(2))
        for torque in torques * 20:
            (q, v1), (expected_q, expected_v) = quick.step(torque), slow.step(torque, targets={})
            np.testing.assert_allclose(q, expected_q, rtol=0, atol=1e-14)  # centres are turned by another formula
            np.testing.assert_allclose(v1, expected_v, rtol=0, atol=1e-14)
        assert np.array_equal(quick.state["center_q"], slow.state["center_q"])
        assert np.array_equal(quick.state["center_v"], slow.state["center_v"])


def test_a_tick_in_a_loop_refuses_what_is_no_number_and_stays_where_it_was():
    arm = Tree([Body(name="arm", mass=1.0, inertia=(0.1, 0.1, 0.1), center=(0.1, 0, 0), joint=Revolute())])
    live = Scene(tree=arm).start(period=1e-3, v=[1.0])
    q, v = live.step(0.1)
    for torque in (np.nan, np.array([np.inf])):
        with pytest.raises(tg.InputError, match="torque"):
            live.step(torque)
    assert np.array_equal(live.q, q)
    assert np.array_equal(live.v, v)


@pytest.mark.parametrize("targets", [None, {}], ids=["bound", "by records"])
def test_a_tick_in_a_loop_that_leaves_the_range_of_numbers_says_so(targets):
    light = Tree([Body(name="light", mass=1e-9, joint=Prismatic())])
    live = Scene(tree=light).start(period=1e-3)
    with pytest.raises(tg.TegotaeError, match="diverged"):
        live.step(1e308, targets=targets)


def test_a_wrench_may_be_fed_by_name_and_holds():
    scene, wrench = machine(), [0.2, 0.1, 0.0, 0.0, 0.0, 0.01]
    live = scene.start(period=1e-3)
    live["wrench.ball"] = wrench
    for _ in range(50):
        q, v = live.step()
    run = scene.run(0.05, period=1e-3, wrenches={"ball": wrench})
    np.testing.assert_array_equal(q, run.q[-1])
    np.testing.assert_array_equal(v, run.v[-1])
    for bad in (0.2, wrench[:5], [np.nan] * 6):
        with pytest.raises(tg.InputError, match=r"wrench\.ball"):
            live["wrench.ball"] = bad
    np.testing.assert_array_equal(live["wrench.ball"], wrench)


@pytest.mark.parametrize("at", [None, "lift"], ids=["alone", "with a port"])
def test_a_torque_that_is_given_acts_in_this_tick_and_one_that_is_fed_by_name_holds(at):
    """Impulses of a slide without weight: 3 N for one tick, then nothing, then 2 N for three."""
    tree = Tree([Body(name="lift", mass=2.0, inertia=(0.1,) * 3, joint=Prismatic())], gravity=(0, 0, 0))
    live = Scene(tree=tree, at=at).start(period=1e-3)
    live.step(torque=3.0)
    for _ in range(2):
        live.step()
    assert live.v == pytest.approx([1.5e-3], rel=1e-12)
    live["torque.lift"] = 2.0
    for _ in range(3):
        live.step()
    assert live.v == pytest.approx([4.5e-3], rel=1e-12)
    with pytest.raises(tg.InputError, match=r"nan|shape"):
        live.step(np.nan if at is None else np.full(6, np.nan), **({} if at is None else {"torque": 5.0}))
    live.step()
    assert live.v == pytest.approx([4.5e-3], rel=1e-12)  # the refused tick left nothing behind
