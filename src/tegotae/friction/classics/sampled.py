"""Classics that were published in discrete time: Karnopp, the explicit coupling of kikuuwe2005, Hayward-Armstrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from tegotae import checks
from tegotae.block import Admittance, Impedance, Kernels, by_dimension
from tegotae.declared_layout import declared_layout
from tegotae.elements import FORCE, Damping, MovingMass
from tegotae.friction.element import STATE, Stiffness, check_sliding_speed
from tegotae.friction.kernels import sampled as k
from tegotae.friction.laws import FrictionLaw, Limit, for_law
from tegotae.layout import AXIS, Part
from tegotae.parameters import Dimension, Parameter


@dataclass(frozen=True, kw_only=True)
class Karnopp(Admittance):
    """A mass with dry friction that counts as at rest while its momentum is small: force in, motion out. [karnopp1985]

    Inside the band the friction cancels the applied force, up to the static limit, and the momentum stays; outside
    it is the sliding friction against the last velocity (forward Euler). A sliding mass hops across a band narrower
    than `least_dead_zone(period)` and chatters. The velocity jumps at the edge of the band, so no coupled step
    through that edge has an exact solution.

    Runs record `velocity` [m/s], `position` [m], `friction` [N] and `momentum_velocity` [m/s] (momentum over mass).
    A velocity to start from is momentum too, unless that is given as well.

    Example:
        >>> import numpy as np
        >>> from tegotae.friction.classics import Karnopp
        >>> slider = Karnopp(mass=1.0, limit=3.0, static=4.0, dead_zone=0.01)
        >>> float(slider.run(np.full(1000, 3.9), period=1e-3).position[-1])
        0.0
    """

    mass: MovingMass
    limit: Annotated[float, Parameter("Fc [N], > 0, the friction force while sliding")]
    static: Annotated[float, Parameter("Fs [N], > 0, the friction force at rest, at least limit")]
    dead_zone: Annotated[float, Parameter("D [m/s], > 0, the speed below which it counts as at rest", such_as="1e-3")]

    dimension = 1
    begins: ClassVar[Mapping[str, float | str]] = {"momentum_velocity": "velocity"}
    layout = declared_layout(
        Part("velocity", "m/s", "velocity at the end of the tick; 0 inside the band", AXIS, "v"),
        Part("position", "m", "position at the end of the tick", AXIS, "x"),
        Part("friction", "N", "friction on the mass", AXIS, "f"),
        Part("momentum_velocity", "m/s", "momentum over mass, which the band hides", AXIS, "u"),
    )
    kernels = Kernels.of(k.karnopp_answer, k.karnopp_advance, style="values")  # forward Euler, as published

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.static < self.limit:
            checks.refuse(self.name, f"static={self.static} N is below limit={self.limit} N.", "Use static >= limit.")

    def least_dead_zone(self, period: float) -> float:
        """T Fc/(2 M) [m/s]: a free mass hops across a narrower band instead of coming to rest."""
        return checks.period_of(self.name, period) * self.limit / (2.0 * self.mass)

    def least_reluctance(self, period: float) -> float:
        """M/T [N·s/m] on either side of the band; at its edge the velocity jumps."""
        return self.mass / period


@dataclass(frozen=True, kw_only=True)
class ExplicitlyCoupledFriction(Impedance):
    """A frictional mass behind a spring and a damper whose force is one tick late.  [kikuuwe2005 (11)]

    The force is computed from where the virtual point was, then moves it. Below `critical_mass(period)` a sliding
    point is an unstable oscillator: it chatters, and diverges once the friction no longer catches it; a point at rest
    under less than the limit stays at rest at any mass. `FrictionImpedance` (18) has no such limit.

    Runs record `force` [N], `deflection` [m], `slip_velocity` [m/s] and `friction` [N] (on the virtual point).

    Example:
        >>> import tegotae as tg
        >>> from tegotae.friction.classics import ExplicitlyCoupledFriction
        >>> brake = ExplicitlyCoupledFriction(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0), mass=0.01)
        >>> round(brake.critical_mass(1e-3), 9)
        0.0065
    """

    stiffness: Stiffness
    damping: Damping = 0.0
    law: FrictionLaw
    mass: Annotated[
        float,
        Parameter("M [kg], > 0, of the virtual point", "For friction without mass use FrictionImpedance(mass=0)."),
    ]

    dimension = 1
    layout = declared_layout(*STATE[:-1])
    kernels = for_law(k.explicit_kernels, "values")  # (11)

    def check(self, period: float) -> None:
        """One sliding speed for every force: (T/M) max(-r') < 1.  [kikuuwe2005 (4b)]"""
        check_sliding_speed(self.name, self.law, self.mass, 0.0, period)

    def critical_mass(self, period: float) -> float:
        """(T² K + 2 T B)/4 [kg]: below it the sliding point oscillates with growing amplitude from tick to tick.

        A sliding point follows w1 = (1 - b) w - (a/T) e, e1 = e + T w1 with a = T² K/M, b = T B/M; both roots of
        x² - (2 - a - b) x + (1 - b) lie inside the unit circle iff a + 2 b < 4.
        """
        T = checks.period_of(self.name, period)
        return (T * T * self.stiffness + 2.0 * T * self.damping) / 4.0


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
        FORCE,
        Part("position", "m", "how far it has been moved from the start", AXIS, "x"),
        Part("adhesion", "m", "where it adheres, from the start", AXIS, "w"),
    )

    kernels = by_dimension(  # the published update
        (k.adhesion_answer, k.adhesion_advance), (k.adhesion_answer_vector, k.adhesion_advance_vector)
    )
