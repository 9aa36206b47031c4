"""What a rod meets: the ground under it, walls and pegs beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from tegotae import checks
from tegotae.checks import Array
from tegotae.contact import ContactDamping, ContactStiffness, FrictionCoefficient, Restitution
from tegotae.parameters import Declared, Parameter
from tegotae.rod.kernels.ground import NO_RESTITUTION
from tegotae.rod.phases import each_segment
from tegotae.rod.planar import PlanarRod

STANDARD_GRAVITY = 9.81  # m/s²


def _load(owner: str, name: str, value: Any) -> Any:
    if value is not None and (checks.finite_array(owner, name, value, "N/m") < 0.0).any():
        checks.refuse(owner, f"{name}={checks.shown(value)} is negative.", "The ground cannot pull.")
    return value


def _bounce(restitution: float | None) -> float:
    """As kernels read it."""
    return NO_RESTITUTION if restitution is None else restitution


@dataclass(frozen=True, kw_only=True, eq=False)
class Ground(Declared):
    """Dry friction under the whole body, with true sticking, different along and across.

    Each node bears its share of the load. While it sticks it is held by a spring to where it stuck; the friction of
    greatest dissipation within an ellipse holds when it slips: along the body alone it is `tangential` times the load,
    across it `normal` times the load, in between  -(F_t² w_t, F_n² w_n)/|(F_t w_t, F_n w_n)|  for the slip velocity w.
    The rod lies on it all along and never meets it, so there is nothing to bounce: it has no restitution.

    Example:
        >>> from tegotae.rod import Ground
        >>> Ground(tangential=0.1, normal=0.5, stiffness=1e4).static
        1.0
    """

    tangential: Annotated[
        float, Parameter("[-], >= 0, coefficient of friction along the body, moving forward (base to tip)")
    ]
    normal: Annotated[float, Parameter("[-], >= 0, coefficient across the body")]
    stiffness: Annotated[
        float,
        Parameter(
            "[N/m²], > 0, of the sticking ground, in the direction that grips most, for each metre of rod; in another "
            "direction less, by the square of the ratio of the coefficients",
            such_as="1e4",
        ),
    ]
    backward: Annotated[
        float | None, Parameter("[-], >= 0, coefficient along the body, moving backward; `tangential` unless given")
    ] = None
    damping: Annotated[float, Parameter("[N·s/m²], >= 0, like the stiffness, for each metre of rod")] = 0.0
    load: Annotated[
        Any,
        Parameter(
            "[N/m], pressing the rod down, a number or one a segment; the weight of rod and payload under 9.81 m/s² "
            "unless given",
            accept=_load,
        ),
    ] = None
    static: Annotated[
        float,
        Parameter(
            "[-], >= 1, how many times larger the friction is at rest", "Friction at rest is at least that in motion."
        ),
    ] = 1.0
    stribeck_velocity: Annotated[float, Parameter("[m/s], > 0, slip speed by which most of that excess is gone")] = 0.01

    def __post_init__(self) -> None:
        super().__post_init__()
        if max(self.coefficients) == 0.0:
            checks.refuse("Ground", "every coefficient of friction is 0.", "Give GroundedRod no ground at all.")

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
            nodes[-1] += rod.tip[0] * STANDARD_GRAVITY
        else:
            per_metre = each_segment("Ground", "load", self.load, "N/m", hs.size)
        half = 0.5 * hs * per_metre
        nodes[:-1] += half
        nodes[1:] += half
        return nodes


@dataclass(frozen=True, kw_only=True)
class Wall(Declared):
    """A straight wall that pushes nodes back, each by itself, never pulls. Friction acts on the pressure of the tick
    before.

    With a `restitution` e, a node that meets it at a speed u leaves at e u, whatever moves with it and whatever the
    stiffness and the period: an impact is an instant, of all nodes that meet something in the same step, and what such
    walls and pegs already carry does not give way in it. Where a bounce would be over within eight periods the node
    comes to rest on the wall. Stiffness and damping then act under what presses for longer. An impact's friction acts
    in the step after it, on the push of the impact, and not more stiffly than the wall sticks.

    Example:
        >>> from tegotae.rod import Wall
        >>> Wall(point=(0.0, -0.1), normal=(0.0, 2.0), stiffness=1e4).normal
        (0.0, 1.0)
    """

    point: Annotated[tuple[float, float], Parameter("[m], of its face, (x, y)")]
    normal: Annotated[tuple[float, float], Parameter("[-], away from the wall, (x, y) of any length")]
    stiffness: ContactStiffness
    damping: ContactDamping = 0.0
    friction: FrictionCoefficient = 0.0
    restitution: Restitution = None

    def __post_init__(self) -> None:
        super().__post_init__()
        size = float(np.hypot(*self.normal))
        if size == 0.0:
            checks.refuse("Wall", "normal=(0, 0) has no direction.", "Let it point away from the wall.")
        object.__setattr__(self, "normal", (self.normal[0] / size, self.normal[1] / size))

    def row(self) -> list[float]:
        """As the kernels read it."""
        return [*self.point, *self.normal, self.stiffness, self.damping, self.friction, _bounce(self.restitution)]


@dataclass(frozen=True, kw_only=True)
class Peg(Declared):
    """A round peg that pushes nodes away, each by itself, never pulls. Friction acts on the pressure of the tick
    before. A `restitution` is that of a `Wall`.

    It meets nodes, not what lies between them: let it be wider than a segment is long.

    Example:
        >>> from tegotae.rod import Peg
        >>> Peg(centre=(0.5, 0.2), radius=0.1, stiffness=1e4).friction
        0.0
    """

    centre: Annotated[tuple[float, float], Parameter("[m], (x, y)")]
    radius: Annotated[float, Parameter("[m], > 0", such_as="0.05")]
    stiffness: ContactStiffness
    damping: ContactDamping = 0.0
    friction: FrictionCoefficient = 0.0
    restitution: Restitution = None

    def row(self) -> list[float]:
        """As the kernels read it."""
        return [*self.centre, self.radius, 0.0, self.stiffness, self.damping, self.friction, _bounce(self.restitution)]
