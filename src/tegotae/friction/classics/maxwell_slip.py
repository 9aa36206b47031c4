"""The generalised Maxwell slip model: elements that stick as springs and slip towards a common law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated

import numpy as np

from tegotae import checks
from tegotae.block import Impedance, Kernels
from tegotae.declared_layout import LAW
from tegotae.friction.classics.bristles import SteadyLaw, Viscosity
from tegotae.friction.classics.rise import SPEEDS, least_magnitude
from tegotae.friction.kernels import classics as k
from tegotae.layout import AXIS, Layouts, Part, layouts
from tegotae.parameters import Parameter, parts_of


@cache
def _layout(count: int, law: int) -> Layouts:
    numbers = range(1, count + 1)
    forces, slips = (tuple(f"{name}_{i}" for i in numbers) for name in ("force", "slip"))
    force, slip = "friction in this element, along the motion", "direction that this element slips in, or 0"
    return layouts(
        sizes={"count": count, "law": law},
        parameters=(
            *parts_of(GeneralisedMaxwellSlip),
            *(replace(part, shape=("count",)) for part in parts_of(GeneralisedMaxwellSlip, "stiffness", "fractions")),
            LAW,
        ),
        state=(
            Part("force", "N", "force on the mover", AXIS, "f"),
            Part("", "N", force, ("count",), "F", recorded=False, labels=forces),
            Part("", "", slip, ("count",), "m", whole=True, least=-1, most=1, recorded=False, labels=slips),
        ),
    )


@dataclass(frozen=True, kw_only=True)
class GeneralisedMaxwellSlip(Impedance):
    """N elements side by side, each a spring that breaks loose at its share of a law.  [lampaert2003]

    An element sticks, F' = k v, until F = a s(v); it then slips, F' = sgn(v) C (a - F/s(v)), until the velocity goes
    through zero. C is the rate at which a slipping element is drawn to the law: with a law that varies, it is the
    frictional lag. Solved exactly for the velocity of each tick. At v = 0 the force of a slipping element jumps.

    Runs record `force` [N]; the elements' `force_1`, … [N] and `slip_1`, … (direction of slip, 0 while it sticks)
    are recorded when asked for.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> from tegotae.friction.classics import GeneralisedMaxwellSlip
        >>> model = GeneralisedMaxwellSlip(
        ...     stiffness=1e4, fractions=[0.2, 0.3, 0.5], law=tg.Coulomb(10.0), attraction=100.0
        ... )
        >>> run = model.run(np.full(4, 0.1), period=1e-3)
        >>> run.force.round(9).tolist()
        [-3.0, -6.0, -8.0, -9.0]
    """

    stiffness: Annotated[float | Sequence[float], Parameter("k [N/m], > 0, of each element; one for all, or one each")]
    fractions: Annotated[
        Sequence[float], Parameter("a [-], > 0, share of the law that each element carries; together 1")
    ]
    law: SteadyLaw
    attraction: Annotated[
        float, Parameter("C [N/s], > 0, the rate at which slipping elements approach the law", such_as="100")
    ]
    viscosity: Viscosity = 0.0

    dimension = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        own, fractions, stiffness = self.name, np.array(self.fractions), np.array(self.stiffness)
        if abs(fractions.sum() - 1.0) > 1e-9:
            checks.refuse(own, f"fractions add up to {fractions.sum():g}.", "Scale them so that they add up to 1.")
        if stiffness.size not in (1, fractions.size):
            checks.refuse(
                own,
                f"{stiffness.size} values of stiffness but {fractions.size} fractions.",
                "Give one stiffness for all, or one for every fraction.",
            )
        object.__setattr__(self, "stiffness", tuple(np.broadcast_to(stiffness, fractions.shape).tolist()))
        least_magnitude(own, self.law)

    @property
    def layout(self) -> Layouts:
        """Elements and law; the force on the mover, then each element's friction and direction of slip."""
        return _layout(len(self.fractions), len(self.law.parameters))

    @property
    def kernels(self) -> Kernels:
        """Exact for a velocity held over the tick."""
        return Kernels(k.maxwell_kernels, self.law.kernels[:1])

    def steepest_rise(self, period: float) -> float:
        """The largest rise of the force with the velocity [N·s/m], from above.

        An element that breaks loose within the tick follows the law's fall; one that slips from a level r(0) may
        follow it faster, as its approach quickens while the law falls.
        """
        g, rest = self.law(SPEEDS), self.law.at_rest
        y = self.attraction * period / g
        slipping = -np.expm1(-y) + y * np.exp(-y) * (rest / g - 1.0)
        return max(0.0, self.law.steepest_fall * max(1.0, float(slipping.max())) - self.viscosity)
