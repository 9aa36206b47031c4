"""The joints that carry bodies."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Impedance
from tegotae.multibody.frames import direction_of, name_of
from tegotae.multibody.stops import JointStop
from tegotae.parameters import Declared, Parameter
from tegotae.rotations import frame_along
from tegotae.running.contract_check import check_block

ALONG = 1.0 - 1e-9  # cosine of directions that are one


def _bound(owner: str, name: str, value: object) -> float:
    """A number; infinite where there is no limit."""
    if isinstance(value, (float, np.floating)) and math.isinf(value):
        return float(value)
    return checks.number(owner, name, value, "", "Give a number; leave it where there is no limit.")


def _magnitude(owner: str, name: str, value: object) -> float:
    bound = _bound(owner, name, value)
    if bound < 0.0:
        checks.refuse(owner, f"{name}={bound:g} must be >= 0.", "Give a magnitude, or leave it.")
    return bound


def _friction(owner: str, name: str, value: object) -> Impedance:
    remedy = "Give an impedance along one coordinate, such as FrictionImpedance(stiffness=..., damping=..., law=...)."
    if not isinstance(value, Impedance):
        checks.refuse(owner, f"{name}={checks.shown(value)} is not an impedance.", remedy)
    if value.dimension != 1:
        checks.refuse(owner, f"{name} has dimension={value.dimension}.", remedy)
    check_block(value)
    if value.kernels.style == "memory":
        remedy = f"Wire it to the joint: tg.Circuit(TreeAdmittance(..., at=AtJoint(...)), {{...: {value.name}(...)}})."
        checks.refuse(owner, f"{name}={value.name}(...) is made of other blocks.", remedy)
    return value


@dataclass(frozen=True)
class Mimic(Declared):
    """Another joint of the tree that a joint follows as through gears: q = ratio times that of the other + offset.

    It is exact, whatever acts in both, and whoever drives either drives both.

    Example:
        >>> from tegotae.multibody import Mimic, Prismatic
        >>> Prismatic(mimic=Mimic("left finger", ratio=-1.0)).mimic.ratio
        -1.0
    """

    joint: Annotated[str, Parameter("name of a joint of one degree", accept=name_of)]
    ratio: Annotated[float, Parameter("[rad/rad, m/m, m/rad or rad/m], how far it moves by the other")] = 1.0
    offset: Annotated[float, Parameter("[rad or m], where it is while the other is at 0")] = 0.0


@dataclass(frozen=True, kw_only=True)
class OneDegree(Declared):
    """What joints that turn about or slide along one axis share."""

    axis: Annotated[
        ArrayLike, Parameter("[-], direction in the body's frame, of any length above 0", accept=direction_of)
    ] = (0.0, 0.0, 1.0)
    name: Annotated[str | None, Parameter("of the joint; the body's name unless given", accept=name_of)] = None
    lower: Annotated[float, Parameter("[rad or m], least angle or displacement", accept=_bound)] = -math.inf
    upper: Annotated[float, Parameter("[rad or m], largest angle or displacement", accept=_bound)] = math.inf
    effort: Annotated[float, Parameter("[N·m or N], >= 0, largest of its drive", accept=_magnitude)] = math.inf
    speed: Annotated[float, Parameter("[rad/s or m/s], >= 0, largest of its drive", accept=_magnitude)] = math.inf
    damping: Annotated[float, Parameter("[N·m·s/rad or N·s/m], >= 0, viscous torque or force per speed")] = 0.0
    friction: Annotated[
        Impedance | None,
        Parameter("what resists inside the joint: any impedance along its one coordinate", accept=_friction),
    ] = None
    stop: Annotated[
        JointStop | None,
        Parameter("what stops it at its limits", "Give JointStop(...), or None where nothing stops it there."),
    ] = None
    armature: Annotated[
        float,
        Parameter(
            "[kg·m² or kg], >= 0, inertia of what turns with the joint behind a gear: the rotor's, times the square of "
            "the gear's ratio"
        ),
    ] = 0.0

    mimic: Annotated[
        Mimic | None,
        Parameter("the joint that it follows: q = ratio times the other's + offset, at every moment; its own if none"),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.lower > self.upper:
            problem = f"lower={self.lower:g} is above upper={self.upper:g}."
            checks.refuse(type(self).__name__, problem, "Exchange them, or leave both.")
        if self.stop is not None and math.isinf(self.lower) and math.isinf(self.upper):
            problem = "stop=JointStop(...), and there is no limit to stop at."
            checks.refuse(type(self).__name__, problem, "Give lower=, upper= or both, or leave stop= out.")


@dataclass(frozen=True, kw_only=True)
class Revolute(OneDegree):
    """A hinge: the body turns about one axis.

    Limits are kept with the model, for controllers; the joint itself stops there if it has a `stop`. (A `VirtualWall`
    as its `friction` is a wall of its own.)

    Example:
        >>> from tegotae.multibody import Revolute
        >>> Revolute(axis=(0, 2, 0)).axis
        (0.0, 1.0, 0.0)
    """


@dataclass(frozen=True, kw_only=True)
class Prismatic(OneDegree):
    """A slide: the body moves along one axis.

    Limits are kept with the model, for controllers; the joint itself stops there if it has a `stop`. (A `VirtualWall`
    as its `friction` is a wall of its own.)

    Example:
        >>> from tegotae.multibody import Prismatic
        >>> Prismatic(axis=(1, 0, 0), lower=0.0, upper=0.2).upper
        0.2
    """


def _hinge(owner: str, name: str, value: Any) -> Any:
    """A direction, or a hinge."""
    return value if isinstance(value, Revolute) else direction_of(owner, name, value)


def _as_hinge(given: Any) -> Revolute:
    return given if isinstance(given, Revolute) else Revolute(axis=given)


def _axis(given: Any) -> tuple[float, ...]:
    """The direction of a joint of one degree, or one that is given itself."""
    return tuple(np.asarray(given.axis if isinstance(given, OneDegree) else given).tolist())


def _cosine(one: Any, other: Any) -> float:
    return float(np.dot(_axis(one), _axis(other)))


def _aligned(owner: str, name: str, given: Any, kind: type[OneDegree], axis: Any) -> Any:
    """A joint of one degree along an axis; refused where it has another."""
    wanted = tuple(np.asarray(axis, dtype=np.float64).tolist())
    if given is None:
        return kind(axis=wanted)
    if _cosine(given, wanted) < ALONG:
        problem = f"{name} has axis={_axis(given)}, it should be {tuple(round(x, 6) for x in wanted)}."
        checks.refuse(owner, problem, f"Give {name}={kind.__name__}(axis=...) along it.")
    return given


@dataclass(frozen=True, kw_only=True)
class Turn(OneDegree):
    """One of the three directions about which a `Spherical` joint turns: it has a speed, and no angle of its own.

    It stands in `Tree.joints`, where what acts about each direction is named; none is made by users.
    """


@dataclass(frozen=True)
class Fixed:
    """No motion: the body is one with its parent, or stands in the world."""


@dataclass(frozen=True)
class Free:
    """All motions: the body flies, in the world or beside its parent.

    q is the position of the body's frame [m] and its quaternion (w, x, y, z); v is the velocity of the frame's
    origin [m/s] and the angular velocity [rad/s], all in the world, or as seen from the parent's frame and along its
    axes. The body's `position` and `rotation` say where it is in the neutral configuration. With a parent its speeds
    have names: of body "tool" they are "tool.x", "tool.y", "tool.z", "tool.turn_x" and so on, for `Servo`, `Lock` and
    torques.
    """


@dataclass(frozen=True, kw_only=True)
class Spherical(Declared):
    """A ball joint: the body turns about a point, in every direction.

    q is the quaternion (w, x, y, z) of the body's frame in the joint's frame, v the angular velocity [rad/s] relative
    to the parent, along the axes of the joint's frame, which is fixed to the parent: there is no position in which it
    loses a direction. Of a joint named "ball" the speeds are "ball.x", "ball.y", "ball.z".

    Example:
        >>> from tegotae.multibody import Body, Spherical, Tree
        >>> tree = Tree([Body(name="bob", mass=1.0, inertia=(0.1, 0.1, 0.1), joint=Spherical(name="ball"))])
        >>> tree.joint_names, tree.nq, tree.nv
        (('ball.x', 'ball.y', 'ball.z'), 4, 3)
    """

    name: Annotated[str | None, Parameter("of the joint; the body's name unless given", accept=name_of)] = None
    damping: Annotated[float, Parameter("[N·m·s/rad], >= 0, viscous torque per speed, in every direction")] = 0.0
    friction: Annotated[
        Impedance | None,
        Parameter(
            "what resists about each of the three axes, by itself: any impedance along one coordinate. (Dry friction "
            "may so reach the square root of 3 times its limit where the motion is along no axis)",
            accept=_friction,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Universal(Declared):
    """A Cardan joint: the body turns about a first axis, fixed to the parent, and then about a second, fixed to itself.

    Of a joint named "cross" the angles [rad] are "cross.first" and "cross.second". Where the second axis has turned
    onto the first (which axes across each other never do) it loses a direction.

    Example:
        >>> from tegotae.multibody import Body, Revolute, Tree, Universal
        >>> joint = Universal(first=(1, 0, 0), second=Revolute(axis=(0, 1, 0), damping=0.1))
        >>> Tree([Body(name="bob", mass=1.0, inertia=(0.1, 0.1, 0.1), joint=joint)]).joint_names
        ('bob.first', 'bob.second')
    """

    first: Annotated[
        ArrayLike | Revolute,
        Parameter("[-], direction of the axis in the joint's frame, or a `Revolute`", accept=_hinge),
    ] = (1.0, 0.0, 0.0)
    second: Annotated[
        ArrayLike | Revolute, Parameter("[-], the same of the other axis, at angles of 0", accept=_hinge)
    ] = (0.0, 1.0, 0.0)
    name: Annotated[str | None, Parameter("of the joint; the body's name unless given", accept=name_of)] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if abs(_cosine(self.first, self.second)) > ALONG:
            problem = f"first and second are both along {_axis(self.first)}."  # one would turn as the other does
            checks.refuse("Universal", problem, "Give two directions, such as (1, 0, 0) and (0, 1, 0).")


@dataclass(frozen=True, kw_only=True)
class Cylindrical(Declared):
    """The body slides along an axis and turns about it.

    Of a joint named "bolt" the way [m] is "bolt.slide" and the angle [rad] "bolt.turn".

    Example:
        >>> from tegotae.multibody import Body, Cylindrical, Prismatic, Tree
        >>> joint = Cylindrical(axis=(1, 0, 0), slide=Prismatic(axis=(1, 0, 0), damping=2.0))
        >>> Tree([Body(name="bolt", mass=1.0, inertia=(0.1, 0.1, 0.1), joint=joint)]).joint_names
        ('bolt.slide', 'bolt.turn')
    """

    axis: Annotated[
        ArrayLike, Parameter("[-], direction in the joint's frame, of any length above 0", accept=direction_of)
    ] = (0.0, 0.0, 1.0)
    slide: Annotated[Prismatic | None, Parameter("what acts along it; along the same axis")] = None
    turn: Annotated[Revolute | None, Parameter("what acts about it; about the same axis")] = None
    name: Annotated[str | None, Parameter("of the joint; the body's name unless given", accept=name_of)] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        values = self.__dict__
        values["slide"] = _aligned("Cylindrical", "slide", self.slide, Prismatic, self.axis)
        values["turn"] = _aligned("Cylindrical", "turn", self.turn, Revolute, self.axis)


@dataclass(frozen=True, kw_only=True)
class Planar(Declared):
    """The body slides in a plane and turns about its normal.

    Of a joint named "puck" the ways [m] are "puck.x" and "puck.y", along two directions of the joint's frame, and the
    angle [rad] is "puck.turn". Unless given, x is the axis of the joint's frame that is least along the normal, as
    far as it lies in the plane, and y stands across both.

    Example:
        >>> from tegotae.multibody import Body, Planar, Tree
        >>> Tree([Body(name="puck", mass=1.0, inertia=(0.1, 0.1, 0.1), joint=Planar())]).joint_names
        ('puck.x', 'puck.y', 'puck.turn')
    """

    axis: Annotated[
        ArrayLike,
        Parameter("[-], normal of the plane in the joint's frame, of any length above 0", accept=direction_of),
    ] = (0.0, 0.0, 1.0)
    x: Annotated[Prismatic | None, Parameter("what acts along the first direction; across the axis")] = None
    y: Annotated[Prismatic | None, Parameter("what acts along the second; across the axis and x")] = None
    turn: Annotated[Revolute | None, Parameter("what acts about the axis")] = None
    name: Annotated[str | None, Parameter("of the joint; the body's name unless given", accept=name_of)] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        values, normal = self.__dict__, np.asarray(self.axis)
        if self.x is not None and abs(_cosine(self.x, normal)) > 1.0 - ALONG:
            problem = f"x has axis={_axis(self.x)}, which is not across axis={_axis(normal)}."
            checks.refuse("Planar", problem, "Give x=Prismatic(axis=...) in the plane.")
        along = frame_along(normal) if self.x is None else frame_along(normal, self.x.axis)
        values["x"] = _aligned("Planar", "x", self.x, Prismatic, along[:, 0])
        values["y"] = _aligned("Planar", "y", self.y, Prismatic, along[:, 1])
        values["turn"] = _aligned("Planar", "turn", self.turn, Revolute, normal)


Joint = Revolute | Prismatic | Fixed | Free | Spherical | Universal | Cylindrical | Planar


def degrees_of(joint: Joint, name: str) -> tuple[OneDegree, ...]:
    """A joint as slides and hinges of one degree, from the parent to the body, each under its full name; none of a body
    that is fixed. Three `Turn` in a row are those of a ball.
    """
    if isinstance(joint, OneDegree):
        return (replace(joint, name=name),)
    parts: dict[str, OneDegree] = {}
    if isinstance(joint, Universal):
        parts = {part: _as_hinge(getattr(joint, part)) for part in ("first", "second")}
    elif isinstance(joint, Cylindrical):
        parts = {part: getattr(joint, part) for part in ("slide", "turn")}
    elif isinstance(joint, Planar):
        parts = {part: getattr(joint, part) for part in ("x", "y", "turn")}
    elif isinstance(joint, Spherical):
        parts = {x: Turn(axis=axis, damping=joint.damping, friction=joint.friction) for x, axis in _AXES.items()}
    elif isinstance(joint, Free):
        parts = {x: Prismatic(axis=axis) for x, axis in _AXES.items()}
        parts |= {f"turn_{x}": Turn(axis=axis) for x, axis in _AXES.items()}
    return tuple(replace(part, name=part.name or f"{name}.{key}") for key, part in parts.items())


def prefixed(joint: Joint, machine: str, name: str) -> Joint:
    """The same joint with its names, and those of its parts, behind that of a machine."""
    if isinstance(joint, (Fixed, Free)):
        return joint
    changes: dict[str, Any] = {"name": f"{machine}.{name}"}
    for part in ("first", "second", "slide", "x", "y", "turn"):
        inner = getattr(joint, part, None)
        if isinstance(inner, OneDegree):
            changes[part] = _following(replace(inner, name=inner.name and f"{machine}.{inner.name}"), machine)
    moved = replace(joint, **changes)
    return _following(moved, machine) if isinstance(moved, OneDegree) else moved


def _following(joint: Any, machine: str) -> Any:
    if joint.mimic is None:
        return joint
    return replace(joint, mimic=replace(joint.mimic, joint=f"{machine}.{joint.mimic.joint}"))


_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
