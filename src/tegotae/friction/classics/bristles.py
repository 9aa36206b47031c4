"""Friction as a function of the velocity (tanh), or of the velocity and one bristle (Dahl, LuGre, elastoplastic)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Impedance, Kernels
from tegotae.friction.classics.rise import least_magnitude, sampled_rise
from tegotae.friction.kernels import classics as k
from tegotae.friction.kernels import elastoplastic as ep
from tegotae.friction.laws import Law, as_law
from tegotae.layout import AXIS, Layouts, Part, layouts

LIMIT = "Give the largest friction force as a positive magnitude."
STIFFNESS = "Give the stiffness felt at rest, such as 6000."
NONE = "Give a magnitude, or 0 for none."

DEFLECTION = Part("deflection", "m", "deflection of the bristle, against the motion", AXIS, "e")
FORCE = Part("force", "N", "force on the mover", AXIS, "f")
_LIMIT = Part("limit", "N", letter="F")
_BRISTLE = (
    Part("stiffness", "N/m", letter="s0"),
    Part("damping", "N·s/m", letter="s1"),
    Part("viscosity", "N·s/m", letter="s2"),
)
_LAW = Part("law", "", "numbers of the friction law", ("law",))

_TANH = layouts(parameters=(_LIMIT, Part("velocity", "m/s", letter="vs")), state=(FORCE,))
_DAHL = layouts(
    parameters=(Part("stiffness", "N/m", letter="K"), _LIMIT, Part("exponent", "-", letter="i")),
    state=(DEFLECTION, FORCE),
)


@cache
def _lugre_layout(law: int) -> Layouts:
    return layouts(sizes={"law": law}, parameters=(*_BRISTLE, _LAW), state=(DEFLECTION, FORCE))


@cache
def _elastoplastic_layout(law: int) -> Layouts:
    breakaway = Part("breakaway", "N", letter="Fb")
    return layouts(sizes={"law": law}, parameters=(*_BRISTLE, breakaway, _LAW), state=(DEFLECTION, FORCE))


@dataclass(frozen=True, kw_only=True)
class Tanh(Impedance):
    """Friction as a smooth function of the velocity, f = -F tanh(v/vs). It cannot hold: under any load it creeps.

    Args:
        limit: F [N], > 0.
        velocity: vs [m/s], > 0, the speed over which the sign of the velocity is smoothed.

    Runs record `force` [N].

    Example:
        >>> import numpy as np
        >>> from tegotae.friction.classics import Tanh
        >>> float(Tanh(limit=4.0, velocity=1e-3).run(np.full(3, 1.0), period=1e-3).force[-1])
        -4.0
    """

    limit: float
    velocity: float

    dimension = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "limit", checks.positive("Tanh", "limit", self.limit, "N", LIMIT))
        remedy = "Give the speed over which the sign is smoothed, such as 1e-3."
        velocity = checks.positive("Tanh", "velocity", self.velocity, "m/s", remedy)
        object.__setattr__(self, "velocity", velocity)

    @property
    def layout(self) -> Layouts:
        """Limit and speed; the last force, it remembers nothing else."""
        return _TANH

    @property
    def values(self) -> dict[str, ArrayLike]:
        """Limit and speed."""
        return {"limit": self.limit, "velocity": self.velocity}

    @property
    def kernels(self) -> Kernels:
        """Closed form."""
        return Kernels(k.tanh_kernels)


@dataclass(frozen=True, kw_only=True)
class Dahl(Impedance):
    """Dahl's solid friction: f = K e, e' = -v (1 + sgn(v) K e/F)^i.  [dahl1968; kikuuwe2005 (20), corrected]

    Solved exactly for the velocity of each tick. Under a load that vibrates below the limit it drifts.

    Args:
        stiffness: K [N/m], > 0, at rest.
        limit: F [N], > 0.
        exponent: i [-], > 0; below 1 brittle (the limit is reached in a finite distance), from 1 on ductile.

    Runs record `deflection` [m] and `force` [N].

    Example:
        >>> import math, numpy as np
        >>> from tegotae.friction.classics import Dahl
        >>> run = Dahl(stiffness=1000.0, limit=1.0).run(np.full(100, 0.01), period=1e-3)
        >>> math.isclose(run.force[-1], -(1.0 - math.exp(-1.0)), rel_tol=1e-12)
        True
    """

    stiffness: float
    limit: float
    exponent: float = 1.0

    dimension = 1

    def __post_init__(self) -> None:
        own, set_ = type(self).__name__, object.__setattr__
        set_(self, "stiffness", checks.positive(own, "stiffness", self.stiffness, "N/m", STIFFNESS))
        set_(self, "limit", checks.positive(own, "limit", self.limit, "N", LIMIT))
        remedy = "Use 1, or fit it to a measured loop; for the limit of 0 use FrictionImpedance."
        set_(self, "exponent", checks.positive(own, "exponent", self.exponent, "", remedy))

    @property
    def layout(self) -> Layouts:
        """Stiffness, limit and exponent; deflection and force."""
        return _DAHL

    @property
    def values(self) -> dict[str, ArrayLike]:
        """Stiffness, limit and exponent."""
        return {"stiffness": self.stiffness, "limit": self.limit, "exponent": self.exponent}

    @property
    def kernels(self) -> Kernels:
        """Exact for a velocity held over the tick."""
        return Kernels(k.dahl_kernels, style="values")


@dataclass(frozen=True, kw_only=True)
class LuGre(Impedance):
    """The LuGre model: z' = v - s0 |v|/g(v) z, f = -(s0 z + s1 z' + s2 v).  [canudas1995]

    Solved exactly for the velocity of each tick. Under a load that vibrates below the limit it drifts.

    Args:
        stiffness: s0 [N/m], > 0, of the bristles.
        damping: s1 [N·s/m], >= 0, of the bristles.
        law: g(v) [N], steady friction over speed: `Coulomb`, `Stribeck`, … or a function; > 0 everywhere.
        viscosity: s2 [N·s/m], >= 0.

    Runs record `deflection` -z [m] and `force` [N], at the end of the tick.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> from tegotae.friction.classics import LuGre
        >>> law = tg.Stribeck(kinetic=3.0, static=5.0, velocity=0.01)
        >>> bearing = LuGre(stiffness=1e4, damping=30.0, law=law, viscosity=2.0)
        >>> round(float(bearing.run(np.full(500, 0.5), period=1e-3).force[-1]), 9)
        -4.0
    """

    stiffness: float
    damping: float
    law: Law
    viscosity: float = 0.0

    dimension = 1

    def __post_init__(self) -> None:
        own, set_ = type(self).__name__, object.__setattr__
        set_(self, "stiffness", checks.positive(own, "stiffness", self.stiffness, "N/m", STIFFNESS))
        set_(self, "damping", checks.at_least_zero(own, "damping", self.damping, "N·s/m", NONE))
        set_(self, "law", as_law(own, self.law))
        set_(self, "viscosity", checks.at_least_zero(own, "viscosity", self.viscosity, "N·s/m", NONE))
        least_magnitude(own, self.law)

    @property
    def layout(self) -> Layouts:
        """Bristles and law; deflection and force."""
        return _lugre_layout(len(self.law.parameters))

    @property
    def values(self) -> dict[str, ArrayLike]:
        """Bristles and law."""
        own = {"stiffness": self.stiffness, "damping": self.damping, "viscosity": self.viscosity}
        return {**own, "law": self.law.parameters}

    @property
    def kernels(self) -> Kernels:
        """Exact for a velocity held over the tick."""
        return Kernels(k.lugre_kernels, self.law.kernels[:1], style="values")

    def steepest_rise(self, period: float) -> float:
        """The largest rise of the force with the velocity [N·s/m], by sampling speeds and deflections."""
        most = self.law.at_rest / self.stiffness
        return sampled_rise(self, [{"deflection": -most}, {"deflection": most}], period)


@dataclass(frozen=True, kw_only=True)
class Elastoplastic(Impedance):
    """The elastoplastic single-state model: z' = v (1 - A(z, v) z/z_ss(v)), f as LuGre's.  [dupont2002]

    A is 0 up to breakaway (and whenever the motion unloads the bristle), 1 from z_ss on, with a sine between. So
    below breakaway it is a plain spring and does not drift. Solved to rounding for the velocity of each tick.

    Args:
        stiffness: s0 [N/m], > 0, of the bristles.
        damping: s1 [N·s/m], >= 0, of the bristles.
        law: steady friction s0 z_ss(v) [N] over speed: `Coulomb`, `Stribeck`, … or a function; > 0 everywhere.
        breakaway: s0 z_ba [N], > 0 and below the law: the force up to which the bristles are elastic.
        viscosity: s2 [N·s/m], >= 0.

    Runs record `deflection` -z [m] and `force` [N], at the end of the tick.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> from tegotae.friction.classics import Elastoplastic
        >>> joint = Elastoplastic(stiffness=1e4, damping=0.0, law=tg.Coulomb(4.0), breakaway=3.0)
        >>> float(joint.run(np.array([0.25, -0.25]), period=1e-3).force[-1])
        0.0
    """

    stiffness: float
    damping: float
    law: Law
    breakaway: float
    viscosity: float = 0.0

    dimension = 1

    def __post_init__(self) -> None:
        own, set_ = type(self).__name__, object.__setattr__
        set_(self, "stiffness", checks.positive(own, "stiffness", self.stiffness, "N/m", STIFFNESS))
        set_(self, "damping", checks.at_least_zero(own, "damping", self.damping, "N·s/m", NONE))
        set_(self, "law", as_law(own, self.law))
        remedy = "Give the force up to which the bristles are elastic; for none use LuGre."
        set_(self, "breakaway", checks.positive(own, "breakaway", self.breakaway, "N", remedy))
        set_(self, "viscosity", checks.at_least_zero(own, "viscosity", self.viscosity, "N·s/m", NONE))
        least = least_magnitude(own, self.law)
        if self.breakaway >= least:
            checks.refuse(
                own,
                f"breakaway={self.breakaway} N is not below the law, which falls to {least:g} N.",
                f"Use breakaway < {least:g}; for purely elastic sticking up to the limit use FrictionImpedance.",
            )

    @property
    def layout(self) -> Layouts:
        """Bristles, breakaway and law; deflection and force."""
        return _elastoplastic_layout(len(self.law.parameters))

    @property
    def values(self) -> dict[str, ArrayLike]:
        """Bristles, breakaway and law."""
        own = {"stiffness": self.stiffness, "damping": self.damping, "viscosity": self.viscosity}
        return {**own, "breakaway": self.breakaway, "law": self.law.parameters}

    @property
    def kernels(self) -> Kernels:
        """Linear pieces, and a Taylor series between them."""
        return Kernels(ep.elastoplastic_kernels, self.law.kernels[:1], style="values")

    def steepest_rise(self, period: float) -> float:
        """The largest rise of the force with the velocity [N·s/m], by sampling speeds and deflections."""
        most = self.law.at_rest / self.stiffness
        return sampled_rise(self, [{"deflection": e} for e in np.linspace(-most, most, 33)], period)
