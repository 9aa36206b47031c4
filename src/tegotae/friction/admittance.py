"""A mass on a surface with dry friction: force in, motion out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Admittance, Kernels
from tegotae.errors import UniquenessError
from tegotae.friction.kernels import element as k
from tegotae.friction.laws import Law, as_law
from tegotae.layout import AXIS, Layouts, Part, layouts


@cache
def _layout(dimension: int, law: int) -> Layouts:
    return layouts(
        dimension=dimension,
        sizes={"law": law},
        parameters=(
            Part("mass", "kg", letter="M"),
            Part("lag", "s", "by which the law sees the slip speed late", letter="tau"),
            Part("law", "", "numbers of the friction law", ("law",)),
        ),
        state=(
            Part("velocity", "m/s", "velocity at the end of the tick; exactly 0 while it sticks", AXIS, "v"),
            Part("position", "m", "position at the end of the tick", AXIS, "x"),
            Part("friction", "N", "friction on the mass", AXIS, "f"),
            Part("lagged_speed", "m/s", "slip speed that the law sees", letter="z", recorded=False),
        ),
    )


@dataclass(frozen=True, kw_only=True)
class FrictionAdmittance(Admittance):
    """A mass on a surface with dry friction: force in, motion out.  [kikuuwe2005 (3)-(7)]

    It stops in finite time and then stands exactly still until the force exceeds the law's limit.

    Args:
        mass: M [kg], > 0.
        law: friction force over slip speed: `Coulomb`, `Viscous`, `Stribeck`, `Tabulated` or a function.
        lag: tau [s], >= 0, by which the law sees the slip speed late. A point that slides comes to rest when the
            lagged friction can stop it; at rest the law's own limit at speed 0 holds.
        dimension: number of directions; the friction opposes the slip as a vector.

    Runs record `velocity` [m/s], `position` [m] and `friction` [N].

    Example:
        >>> import numpy as np, tegotae as tg
        >>> slider = tg.FrictionAdmittance(mass=1.0, law=tg.Coulomb(4.0))
        >>> float(slider.run(np.full(1000, 3.9), period=1e-3).position[-1])
        0.0
    """

    mass: float
    law: Law
    lag: float = 0.0
    dimension: int = 1

    def __post_init__(self) -> None:
        own, set_ = type(self).__name__, object.__setattr__
        remedy = "Give the moving mass; for friction without mass use FrictionImpedance(mass=0)."
        set_(self, "mass", checks.positive(own, "mass", self.mass, "kg", remedy))
        set_(self, "lag", checks.at_least_zero(own, "lag", self.lag, "s", "Give a time, or 0 for none."))
        set_(self, "law", as_law(own, self.law))
        set_(self, "dimension", checks.whole(own, "dimension", self.dimension, 1, "Use 1, 2 or 3."))

    @property
    def layout(self) -> Layouts:
        """Mass, lag and law; velocity, position, friction, lagged speed."""
        return _layout(self.dimension, len(self.law.parameters))

    @property
    def values(self) -> dict[str, ArrayLike]:
        """Mass, lag and law."""
        return {"mass": self.mass, "lag": self.lag, "law": self.law.parameters}

    @property
    def kernels(self) -> Kernels:
        """The (3)-(7) kernels, made for this law."""
        if self.dimension == 1:
            return Kernels(k.admittance_kernels, self.law.kernels, style="values")
        return Kernels(k.admittance_kernels_vector, self.law.kernels)

    def check(self, period: float) -> None:
        """One velocity for every force: (T/M) max(-r') < 1.  [kikuuwe2005 (4b)]"""
        fall = self._seen_fall(period)
        if period * fall >= self.mass:
            longest = self.mass / self.law.steepest_fall
            raise UniquenessError(
                f"FrictionAdmittance: mass={self.mass:g} kg leaves two sliding speeds possible for this "
                f"{type(self.law).__name__} law at period={period:g} s.\n"
                f"  Use period <= {checks.just_below(longest, 3)} s, "
                f"or mass >= {checks.just_above(period * fall, 3)} kg."
            )

    def least_reluctance(self, period: float) -> float:
        """The smallest change of force by velocity [N·s/m] that this block asks for: M/T less the law's fall."""
        return self.mass / period - self._seen_fall(period)

    def _seen_fall(self, period: float) -> float:
        return self.law.steepest_fall * period / (self.lag + period)
