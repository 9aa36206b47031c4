"""What holds of limits that stop whatever the machine: energy, what is told, what is refused, names, files."""

import dataclasses

import numpy as np
import pytest

import tegotae as tg
from tegotae.multibody import (
    Ball,
    Body,
    Free,
    HalfSpace,
    JointStop,
    Prismatic,
    Revolute,
    Scene,
    Touch,
    Tree,
    join,
    load_urdf,
)

METHODS = ("midpoint", "euler")


def arm(links: int, numbers: int, stop: JointStop | None = None, free: bool = False, **options) -> Tree:
    """Hinges about all axes, and a slide at the end; limits from 0.1 to 1 on both sides."""
    rng = np.random.default_rng(numbers)
    hull = [Body(name="hull", mass=4.0, inertia=(0.2, 0.3, 0.25), joint=Free())] if free else []
    bodies = []
    for i in range(links):
        kind = Prismatic if i == links - 1 else Revolute
        lower, upper = -rng.uniform(0.1, 1.0), rng.uniform(0.1, 1.0)
        bodies.append(
            Body(
                name=f"l{i}",
                mass=2.0 * 0.7**i,
                inertia=(0.02 * 0.5**i,) * 3,
                center=(0.02, 0.0, 0.15),
                parent=f"l{i - 1}" if i else ("hull" if free else None),
                position=(0, 0, 0.3),
                joint=kind(axis=np.roll((0.2, 1, 0), i), lower=lower, upper=upper, stop=stop),
            )
        )
    return Tree([*hull, *bodies], **options)


# What rattles between several limits in less than a tick is told.
RATTLES = pytest.mark.filterwarnings("ignore::tegotae.errors.UnsolvedWarning")


@RATTLES
@pytest.mark.parametrize("numbers", range(6))
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("free", [False, True])
def test_energy_is_never_gained(numbers, restitution, free):
    """Whatever the limits of an arm do while it falls on them, or flies."""
    stop = JointStop(stiffness=1e6, restitution=restitution)
    tree = arm(4, numbers, stop, free, gravity=(0, 0, 0) if free else (0, 0, -9.81))
    v = np.random.default_rng(numbers).normal(size=tree.nv) * 2.0
    run = Scene(tree=tree).run(1.0, period=1e-3, v=v)
    energy = run.kinetic_energy + run.potential_energy
    held = 0.5 * 1e6 * (np.minimum(run.gap, 0.0) ** 2).sum(axis=1)  # in the springs of what rests, if all of them do
    most = run.kinetic_energy.max()
    assert energy.max() - energy[0] < 2e-3 * most  # what a tree may gain by its steps
    assert run.contact_force.any()
    if restitution < 1.0:
        assert (energy - np.minimum.accumulate(energy + held)).max() < 1e-2 * most  # it may have lost that before
    elif run.about["unsolved_steps"] == 0:
        assert energy[-1] == pytest.approx(energy[0], abs=2e-2 * most)
    if free:
        assert np.ptp(run.momentum, axis=0).max() < 1e-11
        assert np.ptp(run.angular_momentum, axis=0).max() < 1e-11


@pytest.mark.parametrize(
    ("numbers", "stiffness", "restitution"),
    [*((numbers, 1e4, 0.0) for numbers in range(6)), (7, 1e6, 0.0), (7, 1e6, 0.8), (9, 1e4, 0.4)],
)
def test_an_arm_that_lies_down_on_its_limits_is_solved_in_every_tick(numbers, stiffness, restitution):
    """An impact of one joint lets go of others that press their springs: those are not struck as if they had come in.

    What was moved out of its limit, tick by tick, was told as unsolved each time: up to 1660 of these 3000 ticks.
    """
    tree = arm(4, numbers, JointStop(stiffness=stiffness, restitution=restitution))
    run = Scene(tree=tree).run(3.0, period=1e-3, v=np.random.default_rng(numbers).normal(size=4))
    assert run.about["unsolved_steps"] == 0
    energy = run.kinetic_energy + run.potential_energy + 0.5 * stiffness * (np.minimum(run.gap, 0.0) ** 2).sum(axis=1)
    assert energy[-1] < energy[0]
    assert energy.max() - energy[0] < 2e-3 * run.kinetic_energy.max()


@pytest.mark.parametrize("method", METHODS)
def test_a_limit_that_is_not_met_changes_nothing(method):
    """To the last bit."""
    plain, stopped = (arm(3, 1, stop, gravity=(0, 0, 0)) for stop in (None, JointStop(restitution=0.5)))
    runs = [Scene(tree=tree, method=method).run(0.1, period=1e-3, v=[0.5, -0.3, 0.2]) for tree in (plain, stopped)]
    np.testing.assert_array_equal(runs[0].q, runs[1].q)
    assert "gap" not in runs[0].variables
    assert runs[1].gap.shape == (100, 6)


def test_only_what_nothing_stops_is_told_to_be_beyond_its_limits():
    stop = JointStop()
    one = Body(name="one", mass=1.0, joint=Prismatic(upper=0.01, stop=stop))
    two = Body(name="two", mass=1.0, joint=Prismatic(upper=0.01))
    run = Scene(tree=Tree([one, two], gravity=(0, 0, 0))).run(0.1, period=1e-3, v=[1.0, 1.0])
    assert run.about["beyond_limits"] == "two"
    assert run.about["pairs"] == "one upper"
    assert (run.v[-1, 0] <= 0.0, run.v[-1, 1]) == (True, 1.0)


def test_limits_stand_behind_what_touches():
    """In gaps and forces, joint by joint; their units are told."""
    hinge = Revolute(axis=(0, 1, 0), name="hinge", lower=-0.2, upper=0.3, stop=JointStop(restitution=0.4))
    bodies = [Body(name="bar", mass=1.0, center=(0.5, 0, 0), joint=hinge)]
    bodies += [Body(name="ball", mass=1.0, inertia=(0.01,) * 3, joint=Free(), position=(0, 0, 1.0))]
    bodies += [Body(name="sled", mass=1.0, joint=Prismatic(axis=(1, 0, 0), upper=0.1, stop=JointStop()))]
    floor = Touch(on="ball", toucher=Ball(radius=0.1), surface=HalfSpace())
    scene = Scene(tree=Tree(bodies), touches=[floor])
    run = scene.run(0.01, period=1e-3)
    assert scene.pairs.names == ("ball on world", "hinge lower", "hinge upper", "sled upper")
    assert run.about["pair_units"] == "m, rad, rad, m"
    assert run.gap[0] == pytest.approx([0.9, 0.2, 0.3, 0.1], abs=1e-3)
    assert (run.variables["gap"].unit, run.variables["contact_force"].unit) == ("m or rad", "N or N·m")
    assert Scene(tree=Tree(bodies[1:]), touches=[floor]).run(0.01, period=1e-3).variables["gap"].unit == "m"


def test_joined_machines_keep_their_stops():
    lift = Tree([Body(name="lift", mass=2.0, joint=Prismatic(lower=-0.1, stop=JointStop(restitution=0.0)))])
    scene = Scene(tree=join({"left": lift, "right": lift}))
    assert scene.pairs.names == ("left.lift lower", "right.lift lower")
    run = scene.run(1.0, period=1e-3)
    assert run.q[-1] == pytest.approx([-0.1 - 2.0 * 9.81 / 1e5] * 2, abs=1e-9)


def test_a_lock_holds_beside_a_stop():
    body = Body(name="bar", mass=1.0, center=(0.5, 0, 0), joint=Revolute(axis=(0, 1, 0), upper=0.1, stop=JointStop()))
    run = Scene(tree=Tree([body]), controllers={"bar": tg.multibody.Lock()}).run(0.1, period=1e-3, q=[0.1])
    assert (run.q == 0.1).all()


@pytest.mark.parametrize("method", METHODS)
def test_live_and_batch_are_the_run(method):
    """The same numbers, tick by tick, and by the names of stops."""
    tree = arm(2, 3, JointStop(restitution=0.6))
    scene = Scene(tree=tree, method=method)
    run = scene.run(0.5, period=1e-3)
    live = scene.start(period=1e-3)
    for k in range(500):
        q, _ = live.step(0.0)
        assert (q == run.q[k]).all()
    assert run.contact_force.any()
    name = "tree.bodies.l0.joint.stop.restitution"
    many = scene.batch(**{name: [0.2, 0.6]}).run(0.5, period=1e-3)
    np.testing.assert_array_equal(np.asarray(many.q)[1], run.q)
    assert scene.unit_of("tree.bodies.l0.joint.stop.stiffness") == "N·m/rad or N/m"


# ------------------------------------------------------------ starts and words


def bar(**joint) -> Scene:
    hinge = Revolute(axis=(0, 1, 0), name="hinge", lower=-0.5, upper=0.5, stop=JointStop(stiffness=1e4, **joint))
    return Scene(tree=Tree([Body(name="bar", mass=2.0, center=(0.3, 0, 0), joint=hinge)]))


@pytest.mark.parametrize("restitution", [None, 0.5])
def test_a_start_beyond_a_limit_is_refused_with_joint_limit_and_way_out(restitution):
    """Deeper than its weight presses it at its longest arm: 2 kg at 0.3 m on 1e4 N·m/rad, 0.589 mrad."""
    scene = bar(restitution=restitution)
    for q, side in ((0.6, "upper limit of 0.5 rad"), (-0.6, "lower limit of -0.5 rad")):
        words = rf"joint 'hinge' starts 0\.1 rad beyond its {side}; at rest it would be at most 0\.00059 rad"
        with pytest.raises(tg.InputError, match=words) as told:
            scene.run(0.1, period=1e-3, q=[q])
        assert f"Start it {'below' if q > 0 else 'above'} (q[0]), or say deepest=" in str(told.value)
    scene.run(0.1, period=1e-3, q=[0.5 + 5.8e-4])
    scene.run(0.1, period=1e-3, q=[0.6], deepest=0.11)
    with pytest.raises(tg.InputError, match="beyond its upper limit"):
        scene.lifted([0.6])
    assert scene.lifted([0.4]) == pytest.approx([0.4])


def test_a_slide_may_start_as_deep_as_the_whole_weight_presses():
    joint = Prismatic(lower=0.0, name="rail", stop=JointStop(stiffness=1e4))
    scene = Scene(tree=Tree([Body(name="sled", mass=2.0, joint=joint)]))
    run = scene.run(0.1, period=1e-3, q=[-2.0 * 9.81 / 1e4])
    assert np.abs(run.v).max() < 1e-12
    with pytest.raises(tg.InputError, match=r"joint 'rail' starts 0.003 m beyond its lower limit of 0 m"):
        scene.run(0.1, period=1e-3, q=[-0.003])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Revolute(stop=JointStop()), "Revolute: stop=.* there is no limit to stop at"),
        (lambda: Prismatic(stop=JointStop(restitution=0.5)), "Prismatic: stop=.* there is no limit to stop at"),
        (lambda: Revolute(upper=1.0, stop=0.5), "stop=0.5"),
        (lambda: JointStop(stiffness=0.0), "stiffness=0"),
        (lambda: JointStop(stiffness=np.nan), "stiffness=nan"),
        (lambda: JointStop(damping=-1.0), "damping=-1"),
        (lambda: JointStop(restitution=1.1), "restitution=1.1"),
        (lambda: JointStop(restitution=-0.1), "restitution=-0.1"),
        (lambda: JointStop(restitution="hard"), "restitution='hard'"),
        (lambda: load_urdf("none.urdf", stop=True), "stop=True"),
        (lambda: bar(restitution=0.5).run(0.1, period=1e-3, method="rk4"), "method='midpoint' or 'euler'"),
    ],
)
def test_words(make, words):
    with pytest.raises(tg.InputError, match=words):
        make()


def test_defaults_are_those_of_a_touch():
    assert (JointStop().stiffness, JointStop().damping, JointStop().restitution) == (1e5, 200.0, None)
    assert JointStop(stiffness=10.0).damping == pytest.approx(0.02)
    assert dataclasses.replace(JointStop(stiffness=10.0, damping=3.0), restitution=0.5).damping == 3.0


LINK = (
    '<link name="{0}"><inertial><mass value="1"/><origin xyz="0.1 0 0"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
JOINT = '<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/><axis xyz="0 1 0"/>{4}</joint>'
LIMIT = '<limit lower="-0.5" upper="{0}" effort="1" velocity="1"/>'


def test_limits_of_a_file_stop_where_it_is_asked(tmp_path):
    """Hinges and slides with finite limits, and no others."""
    joints = [
        JOINT.format("turn", "revolute", "a", "b", LIMIT.format(0.5)),
        JOINT.format("spin", "continuous", "b", "c", ""),
        JOINT.format("slide", "prismatic", "c", "d", LIMIT.format("inf")),
    ]
    text = f'<robot name="r"><link name="a"/>{"".join(LINK.format(x) for x in "bcd")}{"".join(joints)}</robot>'
    file = tmp_path / "robot.urdf"
    file.write_text(text)
    plain, stopped = load_urdf(file), load_urdf(file, stop=JointStop(restitution=0.1))
    assert [joint.stop for joint in plain.joints.values()] == [None] * 3
    assert [joint.stop is not None for joint in stopped.joints.values()] == [True, False, True]
    assert Scene(tree=stopped).pairs.names == ("turn lower", "turn upper", "slide lower")
    assert Scene(tree=plain).pairs.names == ()
