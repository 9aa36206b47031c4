"""Friction as a function of the velocity (tanh), or of the velocity and one bristle (Dahl, LuGre, elastoplastic)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from tegotae import checks
from tegotae.block import Impedance, Kernels
from tegotae.declared_layout import declared_layout
from tegotae.friction.classics.rise import least_magnitude, sampled_rise
from tegotae.friction.kernels import classics as k
from tegotae.friction.kernels import elastoplastic as ep
from tegotae.friction.laws import Law, Limit, as_law
from tegotae.layout import AXIS, Part
from tegotae.parameters import Parameter

STIFFNESS = "Give the stiffness felt while it sticks, such as 6000."

Viscosity = Annotated[float, Parameter("s2 [N·s/m], >= 0")]
SteadyLaw = Annotated[
    Law,
    Parameter("steady friction [N] over speed: `Coulomb`, `Stribeck`, … or a function; > 0 everywhere", accept=as_law),
]

DEFLECTION = Part("deflection", "m", "deflection of the bristle, against the motion", AXIS, "e")
FORCE = Part("force", "N", "force on the mover", AXIS, "f")


@dataclass(frozen=True, kw_only=True)
class Tanh(Impedance):
    """Friction as a smooth function of the velocity, f = -F tanh(v/vs). It cannot hold: under any load it creeps.

    Runs record `force` [N].

    Example:
        >>> import numpy as np
        >>> from tegotae.friction.classics import Tanh
        >>> float(Tanh(limit=4.0, velocity=1e-3).run(np.full(3, 1.0), period=1e-3).force[-1])
        -4.0
    """

    limit: Limit
    velocity: Annotated[float, Parameter("vs [m/s], > 0, the speed over which the sign is smoothed", such_as="1e-3")]

    dimension = 1
    layout = declared_layout(FORCE)  # it remembers nothing else
    kernels = Kernels.of(k.tanh_answer, k.tanh_advance)


@dataclass(frozen=True, kw_only=True)
class Dahl(Impedance):
    """Dahl's solid friction: f = K e, e' = -v (1 + sgn(v) K e/F)^i.  [dahl1968; kikuuwe2005 (20), corrected]

    Solved exactly for the velocity of each tick. Under a load that vibrates below the limit it drifts.

    Runs record `deflection` [m] and `force` [N].

    Example:
        >>> import math, numpy as np
        >>> from tegotae.friction.classics import Dahl
        >>> run = Dahl(stiffness=1000.0, limit=1.0).run(np.full(100, 0.01), period=1e-3)
        >>> math.isclose(run.force[-1], -(1.0 - math.exp(-1.0)), rel_tol=1e-12)
        True
    """

    stiffness: Annotated[float, Parameter("K [N/m], > 0, at rest", STIFFNESS)]
    limit: Limit
    exponent: Annotated[
        float,
        Parameter(
            "i [-], > 0; below 1 brittle (the limit is reached in a finite distance), from 1 on ductile",
            "Use 1, or fit it to a measured loop; for the limit of 0 use FrictionImpedance.",
        ),
    ] = 1.0

    dimension = 1
    layout = declared_layout(DEFLECTION, FORCE)
    kernels = Kernels(k.bristle_kernels, (k.dahl_step,), style="values")  # exact for a velocity held over the tick


@dataclass(frozen=True, kw_only=True)
class BristleFriction(Impedance):
    """What LuGre and the elastoplastic model share: bristles, and a law that they relax to.

    Runs record `deflection` -z [m] and `force` [N], at the end of the tick.
    """

    stiffness: Annotated[float, Parameter("s0 [N/m], > 0, of the bristles", STIFFNESS)]
    damping: Annotated[float, Parameter("s1 [N·s/m], >= 0, of the bristles")]
    law: SteadyLaw
    viscosity: Viscosity = 0.0

    dimension = 1
    layout = declared_layout(DEFLECTION, FORCE)
    samples: ClassVar[int] = 2  # of the deflection, that tell how steeply the force can rise: at its ends

    def __post_init__(self) -> None:
        super().__post_init__()
        least_magnitude(self.name, self.law)

    def steepest_rise(self, period: float) -> float:
        """The largest rise of the force with the velocity [N·s/m], by sampling speeds and deflections."""
        most = self.law.at_rest / self.stiffness
        return sampled_rise(self, [{"deflection": e} for e in np.linspace(-most, most, self.samples)], period)


@dataclass(frozen=True, kw_only=True)
class LuGre(BristleFriction):
    """The LuGre model: z' = v - s0 |v|/g(v) z, f = -(s0 z + s1 z' + s2 v).  [canudas1995]

    Solved exactly for the velocity of each tick. Under a load that vibrates below the limit it drifts.

    Runs record `deflection` -z [m] and `force` [N], at the end of the tick.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> from tegotae.friction.classics import LuGre
        >>> law = tg.Stribeck(kinetic=3.0, static=5.0, velocity=0.01)
        >>> bearing = LuGre(stiffness=1e4, damping=30.0, law=law, viscosity=2.0)
        >>> round(float(bearing.run(np.full(500, 0.5), period=1e-3).force[-1]), 9)
        -4.0
    """

    @property
    def kernels(self) -> Kernels:
        """Exact for a velocity held over the tick."""
        return Kernels(k.lugre_kernels, self.law.kernels[:1], style="values")


@dataclass(frozen=True, kw_only=True)
class Elastoplastic(BristleFriction):
    """The elastoplastic single-state model: z' = v (1 - A(z, v) z/z_ss(v)), f as LuGre's.  [dupont2002]

    A is 0 up to breakaway (and whenever the motion unloads the bristle), 1 from z_ss on, with a sine between. So
    below breakaway it is a plain spring and does not drift. Solved to rounding for the velocity of each tick.

    Runs record `deflection` -z [m] and `force` [N], at the end of the tick.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> from tegotae.friction.classics import Elastoplastic
        >>> joint = Elastoplastic(stiffness=1e4, damping=0.0, law=tg.Coulomb(4.0), breakaway=3.0)
        >>> float(joint.run(np.array([0.25, -0.25]), period=1e-3).force[-1])
        0.0
    """

    breakaway: Annotated[
        float,
        Parameter(
            "Fb [N], > 0, the force up to which the bristles are elastic; below the law",
            "Give the force up to which the bristles are elastic; for none use LuGre.",
        ),
    ]

    samples = 33  # between the ends, too: there is a blend

    def __post_init__(self) -> None:
        super().__post_init__()
        least = least_magnitude(self.name, self.law)
        if self.breakaway >= least:
            checks.refuse(
                self.name,
                f"breakaway={self.breakaway} N is not below the law, which falls to {least:g} N.",
                f"Use breakaway < {least:g}; for purely elastic sticking up to the limit use FrictionImpedance.",
            )

    @property
    def kernels(self) -> Kernels:
        """Linear pieces, and a Taylor series between them."""
        return Kernels(ep.elastoplastic_kernels, self.law.kernels[:1], style="values")
