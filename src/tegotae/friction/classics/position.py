"""The position-based friction of Hayward and Armstrong."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Impedance, Kernels
from tegotae.friction.kernels import sampled as k
from tegotae.layout import AXIS, Layouts, Part, layouts


@cache
def _layout(dimension: int) -> Layouts:
    return layouts(
        dimension=dimension,
        parameters=(Part("stiffness", "N/m", letter="K"), Part("limit", "N", letter="F")),
        state=(
            Part("deflection", "m", "adhesion point minus mover", AXIS, "e"),
            Part("force", "N", "force on the mover", AXIS, "f"),
            Part("position", "m", "how far it has been moved from the start", AXIS, "x"),
            Part("adhesion", "m", "where it adheres, from the start", AXIS, "w"),
        ),
    )


@dataclass(frozen=True, kw_only=True)
class HaywardArmstrong(Impedance):
    """A spring to an adhesion point that is dragged along at the largest stretch.  [hayward2000]

    It works on positions: with x the mover and w the adhesion point, w stays while |x - w| <= F/K and else is put at
    that distance behind the mover. The force is K (w - x). `FrictionImpedance` without mass and damping is the same.

    Args:
        stiffness: K [N/m], > 0.
        limit: F [N], > 0.
        dimension: number of directions.

    Runs record `deflection` w - x [m], `force` [N], `position` x [m] and `adhesion` w [m].

    Example:
        >>> import numpy as np
        >>> from tegotae.friction.classics import HaywardArmstrong
        >>> pad = HaywardArmstrong(stiffness=1000.0, limit=2.0)
        >>> pad.run(position=np.array([0.0, 1e-3, 5e-3]), period=1e-3).force.round(9).tolist()
        [-0.0, -1.0, -2.0]
    """

    stiffness: float
    limit: float
    dimension: int = 1

    def __post_init__(self) -> None:
        own, set_ = type(self).__name__, object.__setattr__
        remedy = "Give the stiffness felt while it sticks, such as 6000."
        set_(self, "stiffness", checks.positive(own, "stiffness", self.stiffness, "N/m", remedy))
        remedy = "Give the largest friction force as a positive magnitude."
        set_(self, "limit", checks.positive(own, "limit", self.limit, "N", remedy))
        set_(self, "dimension", checks.whole(own, "dimension", self.dimension, 1, "Use 1, 2 or 3."))

    @property
    def layout(self) -> Layouts:
        """Stiffness and limit; deflection, force, position, adhesion point."""
        return _layout(self.dimension)

    @property
    def values(self) -> dict[str, ArrayLike]:
        """Stiffness and limit."""
        return {"stiffness": self.stiffness, "limit": self.limit}

    @property
    def kernels(self) -> Kernels:
        """The published update."""
        if self.dimension == 1:
            return Kernels(k.adhesion_kernels, style="values")
        return Kernels(k.adhesion_kernels_vector)
