"""Rigid bodies and the joints that carry them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Impedance
from tegotae.checks import Array
from tegotae.multibody.stops import JointStop
from tegotae.parameters import Declared, Parameter, declared
from tegotae.rotations import nearest, rotation_of
from tegotae.running.contract_check import check_block

ORIGIN = (0.0, 0.0, 0.0)
UPRIGHT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ROUNDING = 1e-9  # relative: what files and arithmetic may leave of an identity between inertias or rotations
SPECK = 1e-6  # [m] a body with a smaller radius of gyration is a point, whatever its file computed


def name_of(owner: str, name: str, value: object) -> str:
    """A text of some length."""
    if not isinstance(value, str) or not value:
        checks.refuse(owner, f"{name}={checks.shown(value)} is not a name.", "Give a text of at least one character.")
    return value


def place_of(owner: str, name: str, value: ArrayLike) -> tuple[float, ...]:
    """Three finite numbers in metres."""
    return tuple(checks.vector(owner, name, value, "m", 3).tolist())


def direction_of(owner: str, name: str, value: ArrayLike) -> tuple[float, ...]:
    """A unit vector along three numbers that are not all 0."""
    given = tuple(checks.vector(owner, name, value, "", 3).tolist())
    length = math.hypot(*given)
    if not 0.0 < length < math.inf:
        checks.refuse(owner, f"{name}={given} has length {length:g}.", f"Give a direction, such as {name}=(0, 0, 1).")
    return tuple(one / length for one in given)


def turn_of(owner: str, name: str, value: ArrayLike) -> tuple[tuple[float, ...], ...]:
    """A matrix of cosines by rows, to all digits."""
    return tuple(map(tuple, nearest(rotation_of(owner, checks.array(owner, name, value, ""))).tolist()))


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


@dataclass(frozen=True)
class Fixed:
    """No motion: the body is one with its parent, or stands in the world."""


@dataclass(frozen=True)
class Free:
    """All motions: the body flies. It has no parent; its coordinates are in the world frame.

    q is the position of the body's frame [m] and its quaternion (w, x, y, z); v is the velocity of the frame's
    origin [m/s] and the angular velocity [rad/s], both in world components.
    """


Joint = Revolute | Prismatic | Fixed | Free


def _inertia(owner: str, name: str, value: ArrayLike) -> tuple[tuple[float, ...], ...]:
    remedy = "Give three moments, or a symmetric 3 x 3 matrix, in kg·m²."
    given = checks.array(owner, name, value, "kg·m²", remedy)
    if given.shape not in ((3,), (3, 3)):
        checks.refuse(owner, f"{name} has shape {given.shape}.", remedy)
    checks.finite(owner, name, given, "kg·m²")
    return tuple(map(tuple, (np.diag(given) if given.ndim == 1 else given).tolist()))


@dataclass(frozen=True, kw_only=True)
class Body(Declared):
    """A rigid body and the joint that carries it.

    The body's frame is the joint's frame after the motion: at q = 0 it lies where `position` and `rotation` put it
    in the parent's frame. For a `Free` body they say where it is in the neutral configuration.

    Example:
        >>> from tegotae.multibody import Body, Revolute
        >>> arm = Body(name="arm", mass=2.0, inertia=(0.1, 0.1, 0.01), center=(0, 0, -0.3), joint=Revolute())
        >>> arm.inertia[2]
        (0.0, 0.0, 0.01)
    """

    name: Annotated[str, Parameter("unlike that of any other body of the tree", accept=name_of)]
    mass: Annotated[
        float,
        Parameter(
            "[kg], of 0 or more; a body may be massless if what hangs on it gives its joint some inertia",
            "Give the mass in kg, 0 or more.",
        ),
    ]
    inertia: Annotated[
        ArrayLike,
        Parameter(
            "[kg·m²], moments (Ixx, Iyy, Izz) or a symmetric 3 x 3 matrix, about the centre of mass, along the axes of "
            "the body's frame; 0 unless given (a point)",
            accept=_inertia,
        ),
    ] = ORIGIN
    center: Annotated[ArrayLike, Parameter("[m], centre of mass in the body's frame", accept=place_of)] = ORIGIN
    parent: Annotated[
        str | None, Parameter("name of the body that carries this one; the world unless given", accept=name_of)
    ] = None
    joint: Annotated[
        Revolute | Prismatic | Fixed | Free,
        Parameter("what carries it", "Give Revolute(...), Prismatic(...), Fixed() or Free()."),
    ]
    position: Annotated[ArrayLike, Parameter("[m], place of the joint in the parent's frame", accept=place_of)] = ORIGIN
    rotation: Annotated[
        ArrayLike,
        Parameter(
            "[-], of the joint's frame in the parent's, 3 x 3, columns are its axes (vector in the parent = rotation "
            "@ vector in the joint), a matrix of cosines",
            accept=turn_of,
        ),
    ] = UPRIGHT

    def __post_init__(self) -> None:
        kind = type(self)
        owner = f"{kind.__name__} {name_of(kind.__name__, 'name', self.name)!r}"
        for name, field in declared(kind).items():
            self.__dict__[name] = field.check(owner, name, self.__dict__[name])
        if isinstance(self.joint, Free) and self.parent is not None:
            remedy = "Leave parent: a free body moves in the world. To join it, use another joint."
            checks.refuse(owner, f"parent={checks.shown(self.parent)} with joint=Free().", remedy)
        self._check_matter(owner)

    def _check_matter(self, owner: str) -> None:
        for problem, remedy in flaws_of(self.mass, np.asarray(self.inertia)):
            checks.refuse(owner, problem, remedy)

    @property
    def joint_name(self) -> str:
        """Name of the joint that carries it: the joint's own, or the body's."""
        name = self.joint.name if isinstance(self.joint, OneDegree) else None
        return self.name if name is None else name


@dataclass(frozen=True, kw_only=True)
class LooseBody(Body):
    """A body as a file describes it: mass and inertia may be such as no body has.

    Everything else is checked as in `Body`. What is wrong with it is in `flaws`; a `Tree` takes it all the same.

    Example:
        >>> from tegotae.multibody import LooseBody, Revolute
        >>> LooseBody(name="hand", mass=1.0, inertia=(1.0, 0.1, 0.1), joint=Revolute()).flaws[0]
        'inertia has principal moments 0.1, 0.1, 1 kg·m²: the largest exceeds the sum of the others.'
    """

    def _check_matter(self, owner: str) -> None:
        """Nothing is refused here: `flaws` tells."""

    @property
    def flaws(self) -> tuple[str, ...]:
        """What no body can have, in words."""
        return tuple(problem for problem, _ in flaws_of(self.mass, np.asarray(self.inertia)))


def flaws_of(mass: float, inertia: Array) -> list[tuple[str, str]]:
    """What is impossible about a mass and an inertia, each with its remedy."""
    found = []
    if mass < 0.0:
        found.append((f"mass={mass:g} kg must be >= 0.", "Give the mass in kg, 0 or more."))
    scale = float(np.abs(inertia).max())
    small = ROUNDING * scale + SPECK**2 * max(mass, 0.0)
    skew = float(np.abs(inertia - inertia.T).max())
    if skew > small:
        found.append((f"inertia differs from its transpose by {skew:g} kg·m².", "Give a symmetric matrix."))
    moments = np.linalg.eigvalsh((inertia + inertia.T) / 2.0)
    listed = ", ".join(f"{moment:g}" for moment in moments)
    if moments[0] < -small:
        found.append((f"inertia has principal moments {listed} kg·m²: one is below 0.", "Check signs and entries."))
    elif moments[2] > moments[0] + moments[1] + small:
        problem = f"inertia has principal moments {listed} kg·m²: the largest exceeds the sum of the others."
        found.append((problem, "No body has that. Check entries and units; give it about the centre of mass."))
    return found
