"""Joints whose friction is any impedance, against the same impedance wired to the joint from outside."""

import os
import subprocess
import sys
from typing import ClassVar

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tegotae as tg
from tegotae.block import Impedance, Kernels
from tegotae.compile import kernel
from tegotae.control import PSMC
from tegotae.layout import Part, layouts
from tegotae.multibody import (
    AtJoint,
    Ball,
    Body,
    Free,
    HalfSpace,
    Lock,
    Prismatic,
    Revolute,
    Scene,
    Servo,
    Touch,
    Tree,
    TreeAdmittance,
)

T = 1e-3


@kernel
def bumper_answer(p, s, w, v, T):
    x = s.x[0] + T * v
    return (-p.K * x, -p.K * T) if x > 0.0 else (0.0, 0.0)


@kernel
def bumper_advance(p, s, w, v, T):
    s.x[0] += T * v
    s.f[0] = -p.K * max(s.x[0], 0.0)


def bumper_kernels():
    return bumper_answer, bumper_advance


class Bumper(Impedance):
    dimension = 1
    layout = layouts(
        parameters=(Part("stiffness", "N/m", letter="K"),),
        state=(Part("depth", "m", "of the mover inside", letter="x"), Part("force", "N", "on the mover", letter="f")),
    )
    values: ClassVar = {"stiffness": 300.0}
    kernels = Kernels(bumper_kernels)


STRIBECK = tg.Stribeck(kinetic=3.0, static=4.0, velocity=0.1, viscosity=1.0)
IMPEDANCES = {
    "spring": tg.SpringDamper(stiffness=100.0, damping=1.0),
    "composite": tg.ParallelFriction(stiffness=1e4, damping=3.0, limits=range(1, 6)),
    "stack": tg.ParallelFriction(stiffness=1e4, limits=[1.0, 2.0, 5.0, 5.0, 9.0]),
    "composite of laws": tg.ParallelFriction(stiffness=1e4, damping=30.0, laws=[STRIBECK, tg.Coulomb(1.0)]),
    "stop": tg.VirtualWall(stiffness=1e5, damping=20.0, point=0.2, normal=-1.0),
    "with mass": tg.FrictionImpedance(stiffness=6000.0, damping=20.0, law=tg.Coulomb(3.0), mass=0.01),
    "with lag": tg.FrictionImpedance(stiffness=6000.0, damping=20.0, law=STRIBECK, lag=0.01),
    "servo": PSMC(proportional=100.0, recovery=0.1, limit=5.0),
    "of one's own": Bumper(),
}
LINK = {"mass": 1.0, "center": (0.2, 0.0, 0.0), "inertia": (0.02, 0.05, 0.05)}


def arm(shoulder=None, elbow=None, name=""):
    first, second = (Revolute(axis=(0, 1, 0), friction=one) for one in (shoulder, elbow))
    upper = Body(name=f"upper{name}", joint=first, **LINK)
    return [upper, Body(name=f"lower{name}", parent=upper.name, position=(0.4, 0, 0), joint=second, **LINK)]


def test_in_a_joint_or_wired_to_it_is_one():
    """Many arms beside each other: the two solve one step in two ways, to rounding; a falling arm multiplies that.

    By Euler's method: the midpoint's asks for velocity terms twice inside, and expects them in a trial.
    """
    start = [0.1, -0.5]
    arms = [body for k, block in enumerate(IMPEDANCES.values()) for body in arm(block, name=f" {k}")]
    inside = Scene(tree=Tree(arms), method="euler").run(0.6, period=T, q=start * len(IMPEDANCES))
    alone = TreeAdmittance(tree=Tree(arm()), at=AtJoint("upper"))
    for k, (name, block) in enumerate(IMPEDANCES.items()):
        initial = {"q": start} | ({"it.position": 0.1} if name == "stop" else {})
        outside = tg.Circuit(alone, {"it": block}).by_address().run(np.zeros(600), period=T, initial=initial)
        assert_allclose(inside.q[:, 2 * k : 2 * k + 2], outside["q"], rtol=0, atol=1e-10, err_msg=name)
        force = inside.friction[:, 2 * k]
        size = np.abs(force).max()
        assert size > 1.0  # it acts
        assert_allclose(force, outside["it.force"], rtol=0, atol=1e-8 * size, err_msg=name)
        assert_allclose(inside[f"upper {k}.force"], force, rtol=0, atol=1e-9 * size, err_msg=name)


def test_two_joints_at_once_are_one_inside_and_one_wired():
    """A stop in the shoulder and a composite in the elbow; the elbow's once inside, once as a block of a circuit."""
    stop, rub = IMPEDANCES["stop"], IMPEDANCES["composite"]
    both = Scene(tree=Tree(arm(stop, rub)), method="euler").run(0.6, period=T)
    held = TreeAdmittance(tree=Tree(arm(stop)), at=AtJoint("lower"))
    one = tg.Circuit(held, {"rub": rub}).by_address().run(np.zeros(600), period=T)
    assert_allclose(both["lower.force"], one["rub.force"], rtol=0, atol=1e-8 * np.abs(one["rub.force"]).max())
    assert_allclose(both["upper.force"], one["upper.force"], rtol=0, atol=1e-7 * np.abs(one["upper.force"]).max())


def chain(friction, links=7):
    bodies = []
    for k in range(links):
        joint = Revolute(axis=(0, 1, 0) if k % 2 else (1, 0, 0), friction=friction)
        parent = f"link{k - 1}" if k else None
        bodies.append(Body(name=f"link{k}", parent=parent, position=(0, 0, 0.3 if k else 0), joint=joint, **LINK))
    return Tree(bodies)


@pytest.mark.parametrize("method", ["midpoint", "euler"])
@pytest.mark.parametrize("limit", [0.3, 3.0, 30.0])
def test_asked_or_known_by_its_law_it_is_one(limit, method):
    """Coulomb friction in seven joints: as a composite of one element, asked; and by its law, from modes."""
    asked = tg.ParallelFriction(stiffness=[1e5], damping=[5.0], limits=[limit])
    known = tg.FrictionImpedance(stiffness=1e5, damping=5.0, law=tg.Coulomb(limit))
    start = np.linspace(0.3, -0.4, 7)
    scenes = [Scene(tree=chain(one), method=method) for one in (asked, known)]
    runs = [scene.run(0.3, period=T, q=start, v=5.0 * start[::-1]) for scene in scenes]
    assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-8)
    assert_allclose(runs[0].friction, runs[1].friction, rtol=0, atol=1e-5 * limit)


def test_with_contacts_it_is_one_too():
    """A box on the ground that carries an arm with friction in its joints."""

    def robot(friction):
        hull = Body(name="hull", mass=3.0, inertia=(0.1, 0.1, 0.1), joint=Free())
        joint = Revolute(axis=(0, 1, 0), friction=friction)
        return Tree([hull, Body(name="arm", parent="hull", joint=joint, **LINK)])

    asked = tg.ParallelFriction(stiffness=[1e4], damping=[5.0], limits=[1.0])
    known = tg.FrictionImpedance(stiffness=1e4, damping=5.0, law=tg.Coulomb(1.0))
    runs = []
    for friction in (asked, known):
        floor = Touch(on="hull", toucher=Ball(radius=0.1), surface=HalfSpace(), stiffness=1e5, friction=0.5)
        scene = Scene(tree=robot(friction), touches=[floor], method="midpoint")
        runs.append(scene.run(0.5, period=T, q=[0, 0, 0.12, 1, 0, 0, 0, -0.8], v=[0.3, 0, 0, 0, 0, 0, 2.0]))
    assert runs[0].contact_force[:, 0, 2].max() > 30.0
    assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-8)
    assert_allclose(runs[0].friction, runs[1].friction, rtol=0, atol=1e-5)


@pytest.mark.parametrize("method", ["midpoint", "euler"])
def test_a_stop_is_where_the_joint_says(method):
    """A slide that starts beyond nothing falls onto its stop 0.2 m below, and rests on it as deep as it weighs."""
    stop = tg.VirtualWall(stiffness=1e4, damping=100.0, point=-0.2, normal=1.0)
    slide = Tree([Body(name="slide", mass=2.0, joint=Prismatic(axis=(0, 0, 1), friction=stop))])
    for start in (0.0, 0.1):
        run = Scene(tree=slide).run(2.0, period=T, q=[start], v=[-1.0], method=method)
        assert run.q[-1, 0] == pytest.approx(-0.2 - 2.0 * 9.81 / 1e4, abs=1e-9)
        assert run["slide.position"][-1] == pytest.approx(run.q[-1, 0], abs=1e-12)


def test_servos_and_locks_go_on():
    spring = tg.SpringDamper(stiffness=50.0, damping=1.0)
    tree = Tree(arm(spring, spring))
    held = Scene(tree=tree, controllers={"lower": Lock(), "upper": Servo(gain=200.0, rate_gain=20.0)})
    run = held.run(2.0, period=T, targets={"upper": 0.3})
    assert np.abs(run.q[:, 1]).max() == 0.0
    arm_weight = 9.81 * (0.2 + 0.6) * np.cos(run.q[-1, 0])  # both links stretched out, about the shoulder
    assert 200.0 * (0.3 - run.q[-1, 0]) - 50.0 * run.q[-1, 0] + arm_weight == pytest.approx(0.0, abs=1e-3)


def test_states_are_kept_by_name():
    scene = Scene(tree=Tree(arm(IMPEDANCES["stop"], IMPEDANCES["composite"])))
    assert scene.method == "euler"  # unless asked otherwise
    plain, tight = (scene.run(T, period=T, initial=one) for one in ({}, {"lower.elements": np.full(5, -1e-4)}))
    assert tight["lower.force"][0] < plain["lower.force"][0] - 0.5
    live = scene.start(period=T)
    for _ in range(50):
        live.step()
    kept = live.state
    assert abs(kept["lower.force"]) > 0.5
    live.step()
    after = live.state["lower.force"]
    live.state = kept
    live.step()
    assert live.state["lower.force"] == after


HURRIED = """
import numpy as np, tegotae as tg
from tegotae.multibody import Body, Revolute, Scene, Tree
from tegotae.multibody.kernels import stepping
stepping.TRIALS = 2
rng, bodies = np.random.default_rng(4), []
for i in range(4):
    stack = tg.ParallelFriction(stiffness=1e6, damping=5.0, limits=rng.uniform(0.1, 20.0, 3).tolist())
    bodies.append(Body(name=f"b{i}", mass=1.0, inertia=(0.1,) * 3, center=(0.0, 0.0, -0.2),
                       parent=f"b{i - 1}" if i else None, position=(0.0, 0.0, -0.4 if i else 0.0),
                       joint=Revolute(axis=(0, 1, 0), friction=stack)))
run = Scene(tree=Tree(bodies)).run(0.01, period=1e-3, v=rng.normal(size=4).tolist())
own = np.column_stack([run[f"b{i}.force"] for i in range(4)])
print(run.about["unsolved_steps"], np.abs(run["friction"] - own).max())
"""


def test_forces_told_of_a_step_that_was_not_solved_are_those_at_the_speeds_told():
    """Where Newton is cut short, the last answers were for a part of the way; told are those that joints commit."""
    environment = {**os.environ, "TEGOTAE_BACKEND": "python"}  # compiled loops would keep the patience that they have
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", HURRIED], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    unsolved, apart = done.stdout.split()
    assert int(unsolved) > 0
    assert float(apart) == 0.0
