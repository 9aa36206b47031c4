"""What settings say of the machine that is simulated: its kind, and how it is made; robots from URDF files.

Kinds are known by name alone, so that this package knows no robots: `KINDS` says where each is at home.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from tegotae import checks
from tegotae.checks import Array
from tegotae.parameters import Parameter
from tegotae.rotations import Quaternion, Vector, matrix_of, product, quaternion_about
from tegotae.toml_settings import Kinds, SettingsGroup, table

if TYPE_CHECKING:
    from tegotae.hybrid.machines.guarded import Machine
    from tegotae.hybrid.view.drawers import Drawer
    from tegotae.multibody import Lock, Servo, Tree

OWNER = "hybrid settings"
KINDS = {
    "two-robots": "tegotae.papers.two_robots.settings:RobotsSettings",
    "urdf": "tegotae.hybrid.machines.model_settings:UrdfModel",
    "own": "tegotae.hybrid.machines.model_settings:OwnModel",
}


@dataclass(frozen=True, kw_only=True)
class OwnCode(SettingsGroup):
    """Something of the user's own, which a function makes."""

    factory: Annotated[str, Parameter("module:function that returns it; it is given `options`")] = ""
    options: Annotated[dict[str, Any], Parameter("for the function, as they are", accept=table)] = field(
        default_factory=dict
    )

    def made(self, group: str) -> Any:
        """What the function of a group of settings returns."""
        named = f"{group}.factory={self.factory!r}"
        module, colon, name = self.factory.partition(":")
        if not (module and colon and name):
            checks.refuse(OWNER, f"{named}.", "Name a function as 'module:function'.")
        try:
            factory = getattr(import_module(module), name)
        except (ImportError, AttributeError) as error:
            remedy = "Name it as 'module:function', without '.py'; its folder must be on PYTHONPATH."
            checks.refuse(OWNER, f"{named} cannot be found ({error}).", remedy)
        return factory(**self.options)


@dataclass(frozen=True, kw_only=True)
class ModelSettings(SettingsGroup):
    """What every kind of model answers."""

    def machine(self, period: float) -> Machine:
        """The block that is simulated, and where it starts, for ticks of a period [s]."""
        raise NotImplementedError

    def start(self, period: float) -> tuple[float, ...]:
        """Pose of the moving part at the start, in the surface's axes: position [m] and quaternion."""
        made = self.machine(period)
        state = made.block.initial_state(period, made.initial)
        if made.block.dimension == 6 and "place" in state and "quaternion" in state:
            return (*state.part("place").tolist(), *state.part("quaternion").tolist())
        return tuple(made.pose)

    def gained_by_steps(self, *, period: float, stiffness: float) -> float | None:
        """Share of its kinetic energy that a bounce off a stiffness [N/m] gains by steps alone [-]; None if unknown."""
        return None

    def drawer(self) -> Drawer | None:
        """Who draws it; None for plain bodies."""
        return None


@dataclass(frozen=True, kw_only=True)
class HeldJoints(SettingsGroup):
    """What holds the joints of a robot."""

    joints: Annotated[Literal["locked", "servo", "free"], Parameter("what holds its joints")] = "locked"
    gain: Annotated[float, Parameter("[N·m/rad, N/m], >= 0, of a joint's servo; counts if joints = servo")] = 1000.0
    rate_gain: Annotated[float, Parameter("[N·m·s/rad, N·s/m], >= 0, of a joint's servo; counts if joints = servo")] = (
        100.0
    )

    @property
    def holder(self) -> Lock | Servo | None:
        """What holds each joint; None for free ones."""
        from tegotae.multibody import Lock, Servo

        servo = Servo(gain=self.gain, rate_gain=self.rate_gain)
        return Lock() if self.joints == "locked" else servo if self.joints == "servo" else None


@dataclass(frozen=True, kw_only=True)
class OwnModel(ModelSettings, OwnCode):
    """A machine of the user's own: any admittance with a six-dimensional port, or a Machine around it."""

    port: Annotated[str, Parameter("of the block, that the contact is at; '' for its only one of six dimensions")] = ""

    def machine(self, period: float) -> Machine:
        """What the function makes."""
        from tegotae.block import Admittance
        from tegotae.hybrid.machines.guarded import Machine

        made = self.made("model")
        if isinstance(made, Machine):
            return dataclasses.replace(made, port=self.port) if self.port else made
        remedy = "Return an admittance with a six-dimensional port, or Machine(block, initial, pose, port)."
        block = checks.instance(OWNER, f"model.factory={self.factory!r} gave", made, Admittance, remedy)
        return Machine(block, port=self.port or None)


def _angles(owner: str, name: str, value: Any) -> dict[str, float]:
    given = table(owner, name, value)
    return {joint: checks.number(owner, f"{name}.{joint}", one, "rad or m") for joint, one in given.items()}


@dataclass(frozen=True, kw_only=True)
class UrdfRobot(HeldJoints):
    """A robot, how it stands and moves at the start, what holds its joints, and where on it the contact is."""

    file: Annotated[str, Parameter("URDF file; '' for the world itself")] = ""
    body: Annotated[str, Parameter("link that carries the tip, or the surface")] = ""
    point: Annotated[Vector, Parameter("[m], the tip, or the surface's origin, in the link's frame")] = (0.0, 0.0, 0.0)
    free: Annotated[bool, Parameter("whether its root flies; else it stands in the world")] = False
    place: Annotated[Vector, Parameter("[m], of its root in the world at the start")] = (0.0, 0.0, 0.0)
    turn: Annotated[Vector, Parameter("[rad], of its root about x, then y, then z")] = (0.0, 0.0, 0.0)
    velocity: Annotated[Vector, Parameter("[m/s], of a flying root at the start")] = (0.0, 0.0, 0.0)
    spin: Annotated[Vector, Parameter("[rad/s], of a flying root at the start, world axes")] = (0.0, 0.0, 0.0)
    angles: Annotated[
        dict[str, float], Parameter("joint = angle at the start [rad, m]; 0 for the others", accept=_angles)
    ] = field(default_factory=dict)

    @property
    def _turn(self) -> Quaternion:
        """Of its root: about x, then y, then z of the world."""
        x, y, z = self.turn
        about_z_after_y = product(quaternion_about(0.0, 0.0, z), quaternion_about(0.0, y, 0.0))
        return product(about_z_after_y, quaternion_about(x, 0.0, 0.0))

    def tree(self, gravity: Vector) -> Tree:
        """The machine, its root where it stands."""
        from tegotae.multibody import Free, Tree, load_urdf

        loaded = load_urdf(self.file, free_base=self.free, gravity=gravity)
        if self.free:
            return loaded
        R, p = matrix_of(self._turn), np.asarray(self.place)
        bodies = []
        for body in loaded.bodies:
            if body.parent is None and not isinstance(body.joint, Free):
                place, turn = p + R @ np.asarray(body.position), R @ np.asarray(body.rotation)
                body = dataclasses.replace(body, position=place, rotation=turn)
            bodies.append(body)
        return Tree(bodies, gravity=gravity)

    def started(self, tree: Tree, label: str) -> tuple[Array, Array]:
        """q and v at the start."""
        from tegotae.multibody.kernels.kinematics import FREE

        q, v = np.array(tree.neutral(), dtype=np.float64), np.zeros(tree.nv)
        spots = dict(zip(tree.joint_names, tree.arrays.qi[tree.arrays.kind != FREE].tolist(), strict=True))
        for name, angle in self.angles.items():
            if name not in spots:
                known = ", ".join(list(spots)[:12]) or "none"
                checks.refuse(OWNER, f"{label}.angles has {name!r}: there is no such joint.", f"It has {known}.")
            q[spots[name]] = angle
        if self.free:
            q[:7] = *self.place, *self._turn
            v[:6] = *self.velocity, *self.spin
        return q, v


@dataclass(frozen=True, kw_only=True)
class UrdfModel(ModelSettings):
    """A robot with a tip, and another with a surface, or the world; they meet where the table feels it."""

    robot: Annotated[UrdfRobot, Kinds("that carries the tip", robot=UrdfRobot())] = UrdfRobot()
    other: Annotated[
        UrdfRobot, Kinds("that carries the surface; without a file it is the world", other=UrdfRobot())
    ] = UrdfRobot()
    into: Annotated[Vector, Parameter("[-], direction into the surface, in the frame of its link")] = (0.0, 0.0, 1.0)
    gravity: Annotated[Vector, Parameter("[m/s²], acceleration of a falling body, world axes")] = (0.0, 0.0, -9.81)
    substeps: Annotated[int, Parameter("1 to 1000, of the motion in a period; more for stiff servos")] = 1

    def machine(self, period: float) -> Machine:
        """Both as a block; at the start the tip's axes are the surface's."""
        from tegotae.hybrid.machines.guarded import Machine
        from tegotae.hybrid.machines.relative_admittance import RelativeAdmittance
        from tegotae.multibody import join

        if not self.robot.file:
            checks.refuse(OWNER, "model.robot.file is ''.", "Name the URDF file of the robot with the tip.")
        parts = {"robot": self.robot, "other": self.other} if self.other.file else {"robot": self.robot}
        trees = {name: part.tree(self.gravity) for name, part in parts.items()}
        starts = [part.started(trees[name], f"model.{name}") for name, part in parts.items()]
        q, v = (np.concatenate(each) for each in zip(*starts, strict=True))
        held: dict[str, Any] = {}
        for name, part in parts.items():
            if part.body not in trees[name].arrays.frames:
                known = ", ".join(list(trees[name].arrays.frames)[:12])
                checks.refuse(OWNER, f"model.{name}.body={part.body!r} is not in {part.file}.", f"It has {known}.")
            if (holder := part.holder) is not None:
                held |= {f"{name}.{joint}": holder for joint in trees[name].joint_names}
        block = RelativeAdmittance(
            tree=join(trees),
            at=f"robot.{self.robot.body}",
            point=self.robot.point,
            of=f"other.{self.other.body}" if self.other.file else None,
            origin=self.other.point,
            axes=_axes(self.into),
            controllers=held,
            substeps=self.substeps,
        )
        return Machine(block.aligned(q), {"q": q, "v": v})


def _axes(into: Vector) -> Array:
    """A rotation that takes z there by the shortest way."""
    x, y, z = into
    size = math.hypot(x, y, z)
    if not 0.0 < size < math.inf:
        checks.refuse(OWNER, f"model.into={into} has no direction.", "Such as (0, 0, 1).")
    x, y, z = x / size, y / size, z / size
    if z < -1.0 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    K = np.array([[0.0, 0.0, x], [0.0, 0.0, y], [-x, -y, 0.0]])
    return np.asarray(np.eye(3) + K + K @ K / (1.0 + z))
