"""The friction elements of kikuuwe2005: felt through a spring and a damper, or on a mass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tegotae import checks
from tegotae.block import Admittance, Impedance, Kernels
from tegotae.declared_layout import declared_layout
from tegotae.elements import FORCE, Damping
from tegotae.errors import UniquenessError
from tegotae.friction.kernels import element as k
from tegotae.friction.laws import Coulomb, FrictionLaw, Law
from tegotae.layout import AXIS, Part
from tegotae.parameters import Dimension, Parameter

# In the letters of (18).
Stiffness = Annotated[float, Parameter("K [N/m], > 0, the stiffness felt while it sticks", such_as="6000")]
Lag = Annotated[
    float,
    Parameter(
        "tau [s], >= 0, by which the law sees the slip speed late; a point that slides comes to rest when the lagged "
        "friction can stop it, and at rest the law's own limit at speed 0 holds"
    ),
]
STATE = (
    Part("deflection", "m", "stretch of the spring, virtual point minus mover", AXIS, "e"),
    Part("slip_velocity", "m/s", "velocity of the virtual point; exactly 0 while it sticks", AXIS, "w"),
    FORCE,
    Part("friction", "N", "friction on the virtual point", AXIS, "g"),
    Part("lagged_speed", "m/s", "slip speed that the law sees", letter="z", recorded=False),
)


@dataclass(frozen=True, kw_only=True)
class FrictionImpedance(Impedance):
    """Dry friction felt through a spring and a damper: motion in, force out.  [kikuuwe2005 (18)]

    Below its limit it holds a point, exactly; above it slides. With `mass=0` the force is the friction itself.

    Runs record `force` [N], `deflection` [m], `slip_velocity` [m/s] and `friction` [N] (on the virtual point).

    Example:
        >>> import numpy as np, tegotae as tg
        >>> brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
        >>> result = brake.run(np.full(50, 0.05), period=1e-3)
        >>> float(result.force[-1]), round(float(result.deflection[-1]), 6)
        (-4.0, -0.000667)
    """

    stiffness: Stiffness
    damping: Damping = 0.0
    law: FrictionLaw
    mass: Annotated[float, Parameter("M [kg], >= 0, of the virtual point between spring and friction")] = 0.0
    lag: Lag = 0.0
    dimension: Dimension = 1

    layout = declared_layout(*STATE)

    @property
    def kernels(self) -> Kernels:
        """The (18) kernels, made for this law; the plainest element has the plainest kernel."""
        if self.dimension == 1 and self.mass == 0.0 and self.lag == 0.0 and isinstance(self.law, Coulomb):
            return Kernels.of(k.bare_answer, k.bare_advance, style="values")
        if self.dimension == 1:
            return Kernels(k.impedance_kernels, self.law.kernels, style="values")
        return Kernels(k.impedance_kernels_vector, self.law.kernels)

    def check(self, period: float) -> None:
        """One sliding speed for every motion: c max(-r') < 1.  [kikuuwe2005 (17c)]"""
        T, fall = period, self.law.seen_fall(self.lag, period)
        if not 0.0 < self._reluctance(period) < float("inf"):
            problem = f"period={T:g} s with stiffness={self.stiffness:g} N/m leaves the range of numbers."
            remedy = "Use a period between a microsecond and seconds, and parameters in SI units."
            checks.refuse(self.name, problem, remedy)
        if fall > 0.0 and T * fall >= self._reluctance(period):
            least_damping = fall - T * self.stiffness - self.mass / T
            least_mass = T * (fall - self.damping - T * self.stiffness)
            raise UniquenessError(
                f"{type(self).__name__}: damping={self.damping:g} N·s/m leaves two sliding speeds possible for this "
                f"{type(self.law).__name__} law at period={T:g} s.\n"
                f"  Use damping >= {checks.just_above(least_damping)}, "
                f"or mass >= {checks.just_above(least_mass, 3)} kg."
            )

    def steepest_rise(self, period: float) -> float:
        """How fast the force can grow with the velocity [N·s/m]; a coupled step needs m/T above it."""
        fall = self.law.seen_fall(self.lag, period)
        C = self._reluctance(period)
        rest = (C - self.mass) / period  # B + T K
        opening = 1.0 / (1.0 - fall * period / C)
        return max(0.0, rest * (opening * (1.0 - self.mass / C) - 1.0))

    def _reluctance(self, period: float) -> float:
        return self.mass + period * self.damping + period**2 * self.stiffness


@dataclass(frozen=True, kw_only=True)
class FrictionAdmittance(Admittance):
    """A mass on a surface with dry friction: force in, motion out.  [kikuuwe2005 (3)-(7)]

    It stops in finite time and then stands exactly still until the force exceeds the law's limit.

    Runs record `velocity` [m/s], `position` [m] and `friction` [N].

    Example:
        >>> import numpy as np, tegotae as tg
        >>> slider = tg.FrictionAdmittance(mass=1.0, law=tg.Coulomb(4.0))
        >>> float(slider.run(np.full(1000, 3.9), period=1e-3).position[-1])
        0.0
    """

    mass: Annotated[
        float,
        Parameter("M [kg], > 0", "Give the moving mass; for friction without mass use FrictionImpedance(mass=0)."),
    ]
    law: FrictionLaw
    lag: Lag = 0.0
    dimension: Dimension = 1

    layout = declared_layout(
        Part("velocity", "m/s", "velocity at the end of the tick; exactly 0 while it sticks", AXIS, "v"),
        Part("position", "m", "position at the end of the tick", AXIS, "x"),
        Part("friction", "N", "friction on the mass", AXIS, "f"),
        Part("lagged_speed", "m/s", "slip speed that the law sees", letter="z", recorded=False),
    )

    @property
    def kernels(self) -> Kernels:
        """The (3)-(7) kernels, made for this law."""
        if self.dimension == 1:
            return Kernels(k.admittance_kernels, self.law.kernels, style="values")
        return Kernels(k.admittance_kernels_vector, self.law.kernels)

    def check(self, period: float) -> None:
        """One velocity for every force: (T/M) max(-r') < 1.  [kikuuwe2005 (4b)]"""
        check_sliding_speed(self.name, self.law, self.mass, self.lag, period)

    def least_reluctance(self, period: float) -> float:
        """The smallest change of force by velocity [N·s/m] that this block asks for: M/T less the law's fall."""
        return self.mass / period - self.law.seen_fall(self.lag, period)


def check_sliding_speed(owner: str, law: Law, mass: float, lag: float, period: float) -> None:
    """Refuse a mass that a law leaves two velocities for some force."""
    least = period * law.seen_fall(lag, period)
    if least >= mass:
        raise UniquenessError(
            f"{owner}: mass={mass:g} kg leaves two sliding speeds possible for this {type(law).__name__} law at "
            f"period={period:g} s.\n"
            f"  Use period <= {checks.just_below(mass / law.steepest_fall, 3)} s, "
            f"or mass >= {checks.just_above(least, 3)} kg."
        )
