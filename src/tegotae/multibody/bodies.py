"""Rigid bodies and the joints that carry them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Impedance
from tegotae.checks import Array
from tegotae.rotations import nearest, rotation_of
from tegotae.running.contract_check import check_block

ROUNDING = 1e-9  # relative: what files and arithmetic may leave of an identity between inertias or rotations
SPECK = 1e-6  # [m] a body with a smaller radius of gyration is a point, whatever its file computed


@dataclass(frozen=True, kw_only=True)
class OneDegree:
    """What joints that turn about or slide along one axis share."""

    axis: ArrayLike = (0.0, 0.0, 1.0)
    name: str | None = None
    lower: float = -math.inf
    upper: float = math.inf
    effort: float = math.inf
    speed: float = math.inf
    damping: float = 0.0
    friction: Impedance | None = None

    def __post_init__(self) -> None:
        own, set_ = type(self).__name__, object.__setattr__
        if self.name is not None:
            _check_name(own, "name", self.name)
        axis = triple(own, "axis", self.axis, "")
        length = float(np.linalg.norm(axis))
        if not 0.0 < length < math.inf:
            checks.refuse(own, f"axis={axis} has length {length:g}.", "Give a direction, such as axis=(0, 0, 1).")
        set_(self, "axis", tuple(float(a) for a in np.asarray(axis) / length))
        for name in ("lower", "upper", "effort", "speed"):
            set_(self, name, _bound(own, name, getattr(self, name)))
        if self.lower > self.upper:
            checks.refuse(own, f"lower={self.lower:g} is above upper={self.upper:g}.", "Exchange them, or leave both.")
        for name in ("effort", "speed"):
            if getattr(self, name) < 0.0:
                checks.refuse(own, f"{name}={getattr(self, name):g} must be >= 0.", "Give a magnitude, or leave it.")
        none = "Give a magnitude, or 0 for none."
        set_(self, "damping", checks.at_least_zero(own, "damping", self.damping, "", none))
        _check_friction(own, self.friction)


@dataclass(frozen=True, kw_only=True)
class Revolute(OneDegree):
    """A hinge: the body turns about one axis.

    Limits are kept with the model, for controllers; the joint itself does not stop there, unless its `friction` is a
    `VirtualWall`.

    Args:
        axis: direction in the body's frame, of any length above 0 [unit vector after normalising].
        name: of the joint; the body's name unless given.
        lower: least angle [rad].
        upper: largest angle [rad].
        effort: largest torque of its drive [N·m].
        speed: largest speed of its drive [rad/s].
        damping: viscous torque per speed [N·m·s/rad], >= 0.
        friction: what resists inside the joint, for angles and torques: any impedance along one coordinate.

    Example:
        >>> from tegotae.multibody import Revolute
        >>> Revolute(axis=(0, 2, 0)).axis
        (0.0, 1.0, 0.0)
    """


@dataclass(frozen=True, kw_only=True)
class Prismatic(OneDegree):
    """A slide: the body moves along one axis.

    Limits are kept with the model, for controllers; the joint itself does not stop there, unless its `friction` is a
    `VirtualWall`.

    Args:
        axis: direction in the body's frame, of any length above 0 [unit vector after normalising].
        name: of the joint; the body's name unless given.
        lower: least displacement [m].
        upper: largest displacement [m].
        effort: largest force of its drive [N].
        speed: largest speed of its drive [m/s].
        damping: viscous force per speed [N·s/m], >= 0.
        friction: what resists inside the joint: any impedance along one coordinate.

    Example:
        >>> from tegotae.multibody import Prismatic
        >>> Prismatic(axis=(1, 0, 0), lower=0.0, upper=0.2).upper
        0.2
    """


@dataclass(frozen=True)
class Fixed:
    """No motion: the body is one with its parent, or stands in the world.

    Example:
        >>> from tegotae.multibody import Fixed
        >>> Fixed()
        Fixed()
    """


@dataclass(frozen=True)
class Free:
    """All motions: the body flies. It has no parent; its coordinates are in the world frame.

    q is the position of the body's frame [m] and its quaternion (w, x, y, z); v is the velocity of the frame's
    origin [m/s] and the angular velocity [rad/s], both in world components.

    Example:
        >>> from tegotae.multibody import Free
        >>> Free()
        Free()
    """


Joint = Revolute | Prismatic | Fixed | Free


@dataclass(frozen=True, kw_only=True)
class Body:
    """A rigid body and the joint that carries it.

    The body's frame is the joint's frame after the motion: at q = 0 it lies where `position` and `rotation` put it
    in the parent's frame. For a `Free` body they say where it is in the neutral configuration.

    Args:
        name: unlike that of any other body of the tree.
        mass: [kg], >= 0. A body may be massless if what hangs on it gives its joint some inertia.
        inertia: moments (Ixx, Iyy, Izz) or a symmetric 3 x 3 matrix [kg·m²], about the centre of mass, along the axes
            of the body's frame; 0 unless given (a point).
        center: centre of mass in the body's frame [m].
        parent: name of the body that carries this one; the world unless given.
        joint: `Revolute`, `Prismatic`, `Fixed` or `Free`.
        position: place of the joint in the parent's frame [m].
        rotation: of the joint's frame in the parent's, 3 x 3, columns are its axes (vector in the parent = rotation @
            vector in the joint), a matrix of cosines [no unit].

    Example:
        >>> from tegotae.multibody import Body, Revolute
        >>> arm = Body(name="arm", mass=2.0, inertia=(0.1, 0.1, 0.01), center=(0, 0, -0.3), joint=Revolute())
        >>> arm.inertia[2]
        (0.0, 0.0, 0.01)
    """

    name: str
    mass: float
    inertia: ArrayLike = (0.0, 0.0, 0.0)
    center: ArrayLike = (0.0, 0.0, 0.0)
    parent: str | None = None
    joint: Joint
    position: ArrayLike = (0.0, 0.0, 0.0)
    rotation: ArrayLike = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

    def __post_init__(self) -> None:
        kind, set_ = type(self).__name__, object.__setattr__
        _check_name(kind, "name", self.name)
        own = f"{kind} {self.name!r}"
        if self.parent is not None:
            _check_name(own, "parent", self.parent)
        if not isinstance(self.joint, (Revolute, Prismatic, Fixed, Free)):
            checks.refuse(
                own, f"joint={checks.shown(self.joint)}.", "Give Revolute(...), Prismatic(...), Fixed() or Free()."
            )
        if isinstance(self.joint, Free) and self.parent is not None:
            way = "Leave parent: a free body moves in the world. To join it, use another joint."
            checks.refuse(own, f"parent={checks.shown(self.parent)} with joint=Free().", way)
        set_(self, "mass", checks.number(own, "mass", self.mass, "kg", "Give the mass in kg, 0 or more."))
        set_(self, "center", triple(own, "center", self.center, "m"))
        set_(self, "position", triple(own, "position", self.position, "m"))
        set_(self, "rotation", _as_tuples(nearest(rotation_of(own, self.rotation))))
        set_(self, "inertia", _as_tuples(_inertia_of(own, self.inertia)))
        self._check_matter(own)

    def _check_matter(self, own: str) -> None:
        for problem, remedy in flaws_of(self.mass, np.asarray(self.inertia)):
            checks.refuse(own, problem, remedy)

    @property
    def joint_name(self) -> str:
        """Name of the joint that carries it: the joint's own, or the body's."""
        own = self.joint.name if isinstance(self.joint, OneDegree) else None
        return self.name if own is None else own


@dataclass(frozen=True, kw_only=True)
class LooseBody(Body):
    """A body as a file describes it: mass and inertia may be such as no body has.

    Everything else is checked as in `Body`. What is wrong with it is in `flaws`; a `Tree` takes it all the same.

    Args:
        name: as in `Body`.
        mass: [kg].
        inertia: [kg·m²], as in `Body`.
        center: [m], as in `Body`.
        parent: as in `Body`.
        joint: as in `Body`.
        position: [m], as in `Body`.
        rotation: [no unit], as in `Body`.

    Example:
        >>> from tegotae.multibody import LooseBody, Revolute
        >>> LooseBody(name="hand", mass=1.0, inertia=(1.0, 0.1, 0.1), joint=Revolute()).flaws[0]
        'inertia has principal moments 0.1, 0.1, 1 kg·m²: the largest exceeds the sum of the others.'
    """

    def _check_matter(self, own: str) -> None:
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


def triple(own: str, name: str, value: ArrayLike, unit: str) -> tuple[float, ...]:
    """Three finite numbers."""
    result = checks.vector(own, name, value, unit, 3)
    return tuple(float(one) for one in result)


def _check_name(own: str, argument: str, name: object) -> None:
    if not isinstance(name, str) or not name:
        checks.refuse(own, f"{argument}={checks.shown(name)} is not a name.", "Give a text of at least one character.")


def _bound(own: str, name: str, value: object) -> float:
    if isinstance(value, (float, np.floating)) and math.isinf(value):
        return float(value)
    return checks.number(own, name, value, "", "Give a number; leave it where there is no limit.")


def _check_friction(own: str, friction: object) -> None:
    if friction is None:
        return
    way = "Give an impedance along one coordinate, such as FrictionImpedance(stiffness=..., damping=..., law=...)."
    if not isinstance(friction, Impedance):
        checks.refuse(own, f"friction={checks.shown(friction)} is not an impedance.", way)
    if friction.dimension != 1:
        checks.refuse(own, f"friction has dimension={friction.dimension}.", way)
    check_block(friction)
    if friction.kernels.style == "memory":
        told = f"Wire it to the joint: tg.Circuit(TreeAdmittance(..., at=AtJoint(...)), {{...: {friction.name}(...)}})."
        checks.refuse(own, f"friction={friction.name}(...) is made of other blocks.", told)


def _inertia_of(own: str, value: ArrayLike) -> Array:
    way = "Give three moments, or a symmetric 3 x 3 matrix, in kg·m²."
    inertia = checks.array(own, "inertia", value, "kg·m²", way)
    if inertia.shape not in ((3,), (3, 3)):
        checks.refuse(own, f"inertia has shape {inertia.shape}.", way)
    checks.finite(own, "inertia", inertia, "kg·m²")
    return np.diag(inertia) if inertia.ndim == 1 else inertia


def _as_tuples(matrix: Array) -> Sequence[Sequence[float]]:
    return tuple(tuple(float(one) for one in row) for row in matrix)
