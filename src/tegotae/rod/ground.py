"""What a rod meets: the ground under it, walls and pegs beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tegotae import checks
from tegotae.checks import Array
from tegotae.rod.planar import PlanarRod

STANDARD_GRAVITY = 9.81  # m/s²


@dataclass(frozen=True, kw_only=True, eq=False)
class Ground:
    """Dry friction under the whole body, with true sticking, different along and across.

    Each node bears its share of the load. While it sticks it is held by a spring to where it stuck; the friction of
    greatest dissipation within an ellipse holds when it slips: along the body alone it is `tangential` times the load,
    across it `normal` times the load, in between  -(F_t² w_t, F_n² w_n)/|(F_t w_t, F_n w_n)|  for the slip velocity w.

    Args:
        tangential: coefficient of friction along the body, moving forward (base to tip) [-], >= 0.
        normal: coefficient across the body [-], >= 0.
        stiffness: of the sticking ground, in the direction that grips most, for each metre of rod [N/m²], > 0; in
            another direction less, by the square of the ratio of the coefficients.
        backward: coefficient along the body, moving backward [-]; `tangential` unless given.
        damping: like the stiffness, for each metre of rod [N·s/m²], >= 0.
        load: pressing the rod down [N/m], a number or one a segment; the weight of rod and payload under 9.81 m/s²
            unless given.
        static: how many times larger the friction is at rest [-], >= 1.
        stribeck_velocity: slip speed [m/s] by which most of that excess is gone, > 0.

    Example:
        >>> from tegotae.rod import Ground
        >>> Ground(tangential=0.1, normal=0.5, stiffness=1e4).static
        1.0
    """

    tangential: float
    normal: float
    stiffness: float
    backward: float | None = None
    damping: float = 0.0
    load: Any = None
    static: float = 1.0
    stribeck_velocity: float = 0.01

    def __post_init__(self) -> None:
        own, set_ = "Ground", object.__setattr__
        for name in ("tangential", "normal", "backward"):
            value = getattr(self, name)
            if name != "backward" or value is not None:
                set_(self, name, checks.at_least_zero(own, name, value, "", "Give a coefficient of friction."))
        set_(self, "stiffness", checks.positive(own, "stiffness", self.stiffness, "N/m²", "Such as 1e4."))
        set_(self, "damping", checks.at_least_zero(own, "damping", self.damping, "N·s/m²", "Give 0 for none."))
        if self.load is not None:
            checks.finite_array(own, "load", self.load, "N/m")
        set_(self, "static", checks.number(own, "static", self.static, ""))
        if self.static < 1.0:
            checks.refuse(own, f"static={self.static:g} is below 1.", "Friction at rest is at least that in motion.")
        velocity = self.stribeck_velocity
        set_(self, "stribeck_velocity", checks.positive(own, "stribeck_velocity", velocity, "m/s", "Such as 0.01."))
        if max(self.coefficients) == 0.0:
            checks.refuse(own, "every coefficient of friction is 0.", "Give GroundedRod no ground at all.")

    @property
    def coefficients(self) -> tuple[float, float, float]:
        """Of friction: forward, backward, across."""
        return self.tangential, self.tangential if self.backward is None else self.backward, self.normal

    def loads(self, rod: PlanarRod) -> Array:
        """How much presses on each node [N]: half of each segment beside it."""
        hs, rho = rod.segments.length, rod.segments.density
        nodes = np.zeros(rod.nodes)
        if self.load is None:
            per_metre = rho * STANDARD_GRAVITY
            nodes[-1] += rod.payload.mass * STANDARD_GRAVITY if rod.payload else 0.0
        else:
            per_metre = checks.array("Ground", "load", self.load, "N/m")
            if per_metre.shape not in ((), hs.shape):
                checks.refuse("Ground", f"load has shape {per_metre.shape}.", f"Give a number, or {hs.size}.")
            checks.finite("Ground", "load", np.atleast_1d(per_metre), "N/m")
            if (per_metre < 0.0).any():
                checks.refuse("Ground", f"load={checks.shown(self.load)} is negative.", "The ground cannot pull.")
        half = 0.5 * hs * per_metre
        nodes[:-1] += half
        nodes[1:] += half
        return nodes


@dataclass(frozen=True, kw_only=True)
class Wall:
    """A straight wall that pushes nodes back, never pulls.

    Args:
        point: a point of its face, (x, y) [m].
        normal: away from the wall, (x, y) of any length [-].
        stiffness: [N/m] for each node that touches, > 0.
        damping: [N·s/m], >= 0.
        friction: coefficient along the face [-], >= 0, acting on the pressure of the tick before.

    Example:
        >>> from tegotae.rod import Wall
        >>> Wall(point=(0.0, -0.1), normal=(0.0, 2.0), stiffness=1e4).normal
        (0.0, 1.0)
    """

    point: tuple[float, float]
    normal: tuple[float, float]
    stiffness: float
    damping: float = 0.0
    friction: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", _pair("Wall", "point", self.point, "m"))
        x, y = _pair("Wall", "normal", self.normal, "")
        if x == y == 0.0:
            checks.refuse("Wall", "normal=(0, 0) has no direction.", "Let it point away from the wall.")
        object.__setattr__(self, "normal", (x / float(np.hypot(x, y)), y / float(np.hypot(x, y))))
        _firm("Wall", self)

    def row(self) -> list[float]:
        """As the kernels read it."""
        return [*self.point, *self.normal, self.stiffness, self.damping, self.friction]


@dataclass(frozen=True, kw_only=True)
class Peg:
    """A round peg that pushes nodes away, never pulls.

    It meets nodes, not what lies between them: let it be wider than a segment is long.

    Args:
        centre: (x, y) [m].
        radius: [m], > 0.
        stiffness: [N/m] for each node that touches, > 0.
        damping: [N·s/m], >= 0.
        friction: coefficient along its face [-], >= 0, acting on the pressure of the tick before.

    Example:
        >>> from tegotae.rod import Peg
        >>> Peg(centre=(0.5, 0.2), radius=0.1, stiffness=1e4).friction
        0.0
    """

    centre: tuple[float, float]
    radius: float
    stiffness: float
    damping: float = 0.0
    friction: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre", _pair("Peg", "centre", self.centre, "m"))
        object.__setattr__(self, "radius", checks.positive("Peg", "radius", self.radius, "m", "Such as 0.05."))
        _firm("Peg", self)

    def row(self) -> list[float]:
        """As the kernels read it."""
        return [*self.centre, self.radius, 0.0, self.stiffness, self.damping, self.friction]


def _pair(owner: str, name: str, given: Any, unit: str) -> tuple[float, float]:
    pair = checks.array(owner, name, given, unit)
    if pair.shape != (2,) or not np.isfinite(pair).all():
        checks.refuse(owner, f"{name}={checks.shown(given)}.", "Give two finite numbers, (x, y).")
    return float(pair[0]), float(pair[1])


def _firm(owner: str, one: Wall | Peg) -> None:
    """The elastic side of a wall or peg, checked."""
    set_ = object.__setattr__
    set_(one, "stiffness", checks.positive(owner, "stiffness", one.stiffness, "N/m", "Such as 1e4."))
    set_(one, "damping", checks.at_least_zero(owner, "damping", one.damping, "N·s/m", "Give 0 for none."))
    set_(one, "friction", checks.at_least_zero(owner, "friction", one.friction, "", "Give 0 for none."))
