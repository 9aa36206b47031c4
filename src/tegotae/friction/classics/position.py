"""The position-based friction of Hayward and Armstrong."""

from __future__ import annotations

from dataclasses import dataclass

from tegotae.block import Impedance, Kernels
from tegotae.declared_layout import declared_layout
from tegotae.friction.impedance import Stiffness
from tegotae.friction.kernels import sampled as k
from tegotae.friction.laws import Limit
from tegotae.layout import AXIS, Part
from tegotae.parameters import Dimension


@dataclass(frozen=True, kw_only=True)
class HaywardArmstrong(Impedance):
    """A spring to an adhesion point that is dragged along at the largest stretch.  [hayward2000]

    It works on positions: with x the mover and w the adhesion point, w stays while |x - w| <= F/K and else is put at
    that distance behind the mover. The force is K (w - x). `FrictionImpedance` without mass and damping is the same.

    Runs record `deflection` w - x [m], `force` [N], `position` x [m] and `adhesion` w [m].

    Example:
        >>> import numpy as np
        >>> from tegotae.friction.classics import HaywardArmstrong
        >>> pad = HaywardArmstrong(stiffness=1000.0, limit=2.0)
        >>> pad.run(position=np.array([0.0, 1e-3, 5e-3]), period=1e-3).force.round(9).tolist()
        [-0.0, -1.0, -2.0]
    """

    stiffness: Stiffness
    limit: Limit
    dimension: Dimension = 1

    layout = declared_layout(
        Part("deflection", "m", "adhesion point minus mover", AXIS, "e"),
        Part("force", "N", "force on the mover", AXIS, "f"),
        Part("position", "m", "how far it has been moved from the start", AXIS, "x"),
        Part("adhesion", "m", "where it adheres, from the start", AXIS, "w"),
    )

    @property
    def kernels(self) -> Kernels:
        """The published update."""
        if self.dimension == 1:
            return Kernels.of(k.adhesion_answer, k.adhesion_advance, style="values")
        return Kernels.of(k.adhesion_answer_vector, k.adhesion_advance_vector)
