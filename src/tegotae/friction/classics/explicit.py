"""Friction felt through a spring and a damper, coupled explicitly: what kikuuwe2005 improves on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Impedance, Kernels
from tegotae.errors import UniquenessError
from tegotae.friction.impedance import PARAMETERS, STATE
from tegotae.friction.kernels import sampled as k
from tegotae.friction.laws import Law, as_law
from tegotae.layout import Layouts, layouts


@cache
def _layout(law: int) -> Layouts:
    """That of an element without lag."""
    parameters = tuple(part for part in PARAMETERS if part.name != "lag")
    return layouts(sizes={"law": law}, parameters=parameters, state=STATE[:-1])


@dataclass(frozen=True, kw_only=True)
class ExplicitlyCoupledFriction(Impedance):
    """A frictional mass behind a spring and a damper whose force is one tick late.  [kikuuwe2005 (11)]

    The force is computed from where the virtual point was, then moves it. Below `critical_mass(period)` a sliding
    point is an unstable oscillator: it chatters, and diverges once the friction no longer catches it; a point at rest
    under less than the limit stays at rest at any mass. `FrictionImpedance` (18) has no such limit.

    Args:
        stiffness: K [N/m], > 0.
        damping: B [N·s/m], >= 0.
        law: friction force over slip speed: `Coulomb`, `Viscous`, `Stribeck`, `Tabulated` or a function.
        mass: M [kg], > 0, of the virtual point.

    Runs record `force` [N], `deflection` [m], `slip_velocity` [m/s] and `friction` [N] (on the virtual point).

    Example:
        >>> import tegotae as tg
        >>> from tegotae.friction.classics import ExplicitlyCoupledFriction
        >>> brake = ExplicitlyCoupledFriction(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0), mass=0.01)
        >>> round(brake.critical_mass(1e-3), 9)
        0.0065
    """

    stiffness: float
    damping: float = 0.0
    law: Law
    mass: float

    dimension = 1

    def __post_init__(self) -> None:
        own, set_ = type(self).__name__, object.__setattr__
        remedy = "Give the stiffness felt while it sticks, such as 6000."
        set_(self, "stiffness", checks.positive(own, "stiffness", self.stiffness, "N/m", remedy))
        none = "Give a magnitude, or 0 for none."
        set_(self, "damping", checks.at_least_zero(own, "damping", self.damping, "N·s/m", none))
        set_(self, "law", as_law(own, self.law))
        remedy = "This model divides by its mass; for friction without mass use FrictionImpedance(mass=0)."
        set_(self, "mass", checks.positive(own, "mass", self.mass, "kg", remedy))

    @property
    def layout(self) -> Layouts:
        """Spring, damper, mass and law; deflection, slip velocity, force, friction."""
        return _layout(len(self.law.parameters))

    @property
    def values(self) -> dict[str, ArrayLike]:
        """Spring, damper, mass and law."""
        own = {"stiffness": self.stiffness, "damping": self.damping, "mass": self.mass}
        return {**own, "law": self.law.parameters}

    @property
    def kernels(self) -> Kernels:
        """The (11) kernels, made for this law."""
        return Kernels(k.explicit_kernels, self.law.kernels, style="values")

    def check(self, period: float) -> None:
        """One sliding speed for every force: (T/M) max(-r') < 1.  [kikuuwe2005 (4b)]"""
        fall = self.law.steepest_fall
        if period * fall >= self.mass:
            raise UniquenessError(
                f"{self.name}: mass={self.mass:g} kg leaves two sliding speeds possible for this "
                f"{type(self.law).__name__} law at period={period:g} s.\n"
                f"  Use period < {self.mass / fall:.3g} s, or mass > {period * fall:.3g} kg."
            )

    def critical_mass(self, period: float) -> float:
        """(T² K + 2 T B)/4 [kg]: below it the sliding point oscillates with growing amplitude from tick to tick.

        A sliding point follows w1 = (1 - b) w - (a/T) e, e1 = e + T w1 with a = T² K/M, b = T B/M; both roots of
        x² - (2 - a - b) x + (1 - b) lie inside the unit circle iff a + 2 b < 4.
        """
        T = checks.period_of(self.name, period)
        return (T * T * self.stiffness + 2.0 * T * self.damping) / 4.0
