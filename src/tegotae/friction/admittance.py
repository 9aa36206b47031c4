"""A mass on a surface with dry friction: force in, motion out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tegotae import checks
from tegotae.block import Admittance, Kernels
from tegotae.declared_layout import declared_layout
from tegotae.errors import UniquenessError
from tegotae.friction.impedance import Lag
from tegotae.friction.kernels import element as k
from tegotae.friction.laws import FrictionLaw, Law
from tegotae.layout import AXIS, Part
from tegotae.parameters import Dimension, Parameter


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
