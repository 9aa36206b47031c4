"""Machines that are wrong on purpose: a mass, a sign, a missing term, a pull from outside, a creep, a delay."""

import math
from dataclasses import replace
from functools import cached_property

import numpy as np
from breaks import labour

import tegotae as tg
from tegotae.multibody import JointStop, Lock, Revolute, Scene, Touch, Tree, load_urdf
from tegotae.multibody.tree_building import arrays_of
from tegotae.papers.two_robots import TwoRobots
from tegotae.table import ArmServo, Hexa, HexaPlant

# ------------------------------------------------------------ trees that are not what they were said to be


class Heavier(Tree):
    """The kernels read a mass that the bodies do not have."""

    @cached_property
    def arrays(self):
        arrays = arrays_of(self.bodies, self.loops)
        C = arrays.C.copy()
        C[-1, 15] *= 1.0 + 1e-9
        return replace(arrays, C=C)


class Bent(Tree):
    """A joint sits a nanometre beside its place."""

    @cached_property
    def arrays(self):
        arrays = arrays_of(self.bodies, self.loops)
        C = arrays.C.copy()
        C[-1, 9] += 1e-9
        return replace(arrays, C=C)


class WithoutGyroscopes(Tree):
    """Bodies turn as if what they do now did not matter."""

    def forward_dynamics(self, q, v, torque=0.0, **options):
        return super().forward_dynamics(q, 0.0 * np.asarray(v), torque, **options)


class WithoutWrenches(Tree):
    def forward_dynamics(self, q, v, torque=0.0, *, wrenches=None):
        return super().forward_dynamics(q, v, torque)


class Quadratic(Tree):
    """A body costs the more, the more bodies there are."""

    def forward_dynamics(self, q, v, torque=0.0, **options):
        labour(2e-9 * np.size(q) * self.nv)
        return super().forward_dynamics(q, v, torque, **options)


def heavier_file(path, **options):
    return Heavier(load_urdf(path, **options).bodies)


def bent_file(path, **options):
    return Bent(load_urdf(path, **options).bodies)


def pushed(**axes):
    """A tree in a gravity of its own."""

    def make(bodies, *, gravity=(0.0, 0.0, -9.81), **rest):
        along = {"x": 0, "y": 1, "z": 2}
        lean = list(gravity)
        for axis, more in axes.items():
            lean[along[axis]] += more
        return Tree(bodies, gravity=tuple(lean), **rest)

    return make


def loosely_joined(bodies, *, loops, **rest):
    """The joint of a loop sits a nanometre beside its place."""
    moved = [replace(loop, place=np.add(loop.place, (1e-9, 0.0, 0.0))) for loop in loops]
    return Tree(bodies, loops=moved, **rest)


def open_loops_rub_less(bodies, *, loops, **rest):
    """What closes a loop does not rub."""
    return Tree(bodies, loops=[replace(loop, joint=Revolute()) for loop in loops], **rest)


# ------------------------------------------------------------ scenes, touches and joints that do not hold


class Creeping(Scene):
    """Everything wanders by a hair."""

    def run(self, *given, **options):
        run = super().run(*given, **options)
        q = run.variables["q"]
        away = 1e-13 * np.arange(len(run.time))[:, None]
        return replace_variable(run, "q", replace(q, values=q.values + away))


class FirstOrder(Scene):
    """By Euler's ticks, whatever is asked for; what diverges by them stays where it was."""

    def run(self, *given, **options):
        if options["period"] >= 5e-3:
            return super().run(*given, **options)
        return super().run(*given, **options | {"method": "euler"})


class Leaking(Scene):
    """Speeds are lost, as if in a thin gas; told in the record alone."""

    def run(self, *given, **options):
        run = super().run(*given, **options)
        kept = 1.0 - 1e-5 * np.asarray(run.time)
        changed = run
        for name, power in (("momentum", 1), ("angular_momentum", 1), ("kinetic_energy", 2)):
            variable = run.variables[name]
            values = variable.values * (kept**power if variable.values.ndim == 1 else (kept**power)[:, None])
            changed = replace_variable(changed, name, replace(variable, values=values))
        return changed


class LightHanded(Scene):
    """Joints carry a thousandth more than they tell."""

    def run(self, *given, **options):
        run = super().run(*given, **options)
        changed = run
        for name in [one for one in run.variables if one.startswith("reaction.")]:
            variable = run.variables[name]
            changed = replace_variable(changed, name, replace(variable, values=0.999 * variable.values))
        return changed


def dead_stops(bodies, **rest):
    """Stops that know of no restitution."""
    made = []
    for body in bodies:
        stop = getattr(body.joint, "stop", None)
        joint = body.joint if stop is None else replace(body.joint, stop=JointStop(stiffness=stop.stiffness))
        made.append(replace(body, joint=joint))
    return Tree(made, **rest)


class Unsolved(Scene):
    def run(self, *given, **options):
        run = super().run(*given, **options)
        run.about["unsolved_steps"] = 3
        return run


def replace_variable(run, name, variable):
    return tg.Result(run.variables | {name: variable}, title=run.title, about=run.about)


def touch(**factors):
    """A factor on some of its numbers."""

    def make(**given):
        return Touch(**given | {name: given[name] * factor for name, factor in factors.items()})

    return make


def deaf(**given):
    """A touch that knows of no restitution."""
    return Touch(**{name: value for name, value in given.items() if name != "restitution"})


def weak_friction(*, law, **given):
    """A joint rubs with a third of what was said."""
    return tg.FrictionImpedance(**given, law=tg.Coulomb(law.limit / 3.0))


def strong_friction(*, law, **given):
    return tg.FrictionImpedance(**given, law=tg.Coulomb(3.0 * law.limit))


# ------------------------------------------------------------ tables


class LongArms(Hexa):
    """Arm angles as if the arms were longer."""

    def inverse(self, position, rotation=None):
        return super().inverse(position, rotation) + 1e-9


class Astray(Hexa):
    """The way back ends beside the pose."""

    def forward(self, angles, **options):
        place, turn = super().forward(angles, **options)
        return place + 1e-10, turn


class Twisted(Hexa):
    """Moments count about the wrong point."""

    def inverse_jacobian(self, position, rotation=None):
        W = super().inverse_jacobian(position, rotation)
        W[:, 3:] += 1e-3 * W[:, :3]
        return W


class Untransposed(Hexa):
    """(15) with J^-1 where J^-T belongs."""

    def stiffness(self, position, rotation, kp):
        W = self.inverse_jacobian(position, rotation)
        return kp * W @ W


class Saturating(Hexa):
    """Twice the gain is not twice the stiffness."""

    def stiffness(self, position, rotation, kp):
        return super().stiffness(position, rotation, kp) * (1.0 - 1e-5 * (kp - 200.0))


class WeakDamper(ArmServo):
    """Its motors damp less than it says."""

    @property
    def values(self):
        own = super().values
        return own | {"damping": 0.95 * own["damping"]}


def weak_damper(*, kp):
    plant = HexaPlant.default(kp=kp)
    return replace(plant, servo=WeakDamper(stiffness=plant.servo.stiffness, damping=plant.servo.damping))


def soft_motors(*, kp):
    return HexaPlant.default(kp=0.97 * kp)


# ------------------------------------------------------------ the two robots


class Attracted(TwoRobots):
    """A pull from outside that is in nobody's books."""

    @cached_property
    def robots(self):
        return tuple(Tree(robot.bodies, gravity=(0.0, 0.0, -1e-9)) for robot in super().robots)


class OneSided(TwoRobots):
    """Robot 1 does not feel the contact: what it was brought is lost."""

    def run(self, **options):
        run = super().run(**options)
        momentum = run.variables["momentum"]
        lost = 1e-9 * np.cumsum(run.contact_force, axis=0)
        return replace_variable(run, "momentum", replace(momentum, values=momentum.values + lost))


def robots(**other):
    """Whatever is asked for, these numbers instead."""

    def make(**given):
        return TwoRobots(**given | other)

    return make


def soft_contact(*, kp=200.0, **given):
    """A spring beside the table's: half a percent softer."""
    stiffness = float(Hexa.default().stiffness(*Hexa.default().home, kp)[2, 2])
    return TwoRobots(kp=kp, stiffness=0.995 * stiffness, **given)


def inverse_contact(*, kp=200.0, **given):
    """A table that is softer, the higher its gains."""
    return TwoRobots(kp=160_000.0 / kp, **given)


def loose_lock(*, joints=None, **given):
    """Locks are forgotten."""
    return TwoRobots(joints=None if isinstance(joints, Lock) else joints, **given)


class Coarse(TwoRobots):
    """Moved by a coarse implicit rule, which loses energy."""

    def run(self, **options):
        return super().run(**options | {"method": "euler", "period": 2e-3})


class SlowScene(Scene):
    def run(self, *given, **options):
        labour(0.5)
        return super().run(*given, **options)


class Slow(TwoRobots):
    @cached_property
    def scene(self):
        scene = super().scene
        return SlowScene(tree=scene.tree, touches=scene.touches, controllers=scene.controllers)


class Braked(TwoRobots):
    """The accelerations of an explicit rule are damped, so that it does not gain."""

    @cached_property
    def tree(self):
        tree = super().tree
        return BrakedTree(tree.bodies, gravity=tree.gravity)


class BrakedTree(Tree):
    def forward_dynamics(self, q, v, torque=0.0, **options):
        return super().forward_dynamics(q, v, torque, **options) - 2.0 * math.pi * np.asarray(v)
