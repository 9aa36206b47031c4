"""The position-based friction of Hayward and Armstrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tegotae import checks
from tegotae.block import Field, Impedance, Kernels
from tegotae.checks import Array
from tegotae.friction.kernels import sampled as k


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
    def fields(self) -> tuple[Field, ...]:
        """The state: deflection, force, position, adhesion point."""
        return (
            Field("deflection", "m", "adhesion point minus mover"),
            Field("force", "N", "force on the mover"),
            Field("position", "m", "how far it has been moved from the start"),
            Field("adhesion", "m", "where it adheres, from the start"),
        )

    @property
    def parameters(self) -> Array:
        """[K, F]."""
        return np.array([self.stiffness, self.limit])

    @property
    def kernels(self) -> Kernels:
        """The published update."""
        return Kernels(k.adhesion_kernels if self.dimension == 1 else k.adhesion_kernels_vector)
