"""Friction felt through a spring and a damper, coupled explicitly: what kikuuwe2005 improves on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tegotae import checks
from tegotae.block import Impedance, Kernels
from tegotae.declared_layout import declared_layout
from tegotae.elements import Damping
from tegotae.friction.admittance import check_sliding_speed
from tegotae.friction.impedance import STATE, Stiffness
from tegotae.friction.kernels import sampled as k
from tegotae.friction.laws import FrictionLaw
from tegotae.parameters import Parameter


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

    @property
    def kernels(self) -> Kernels:
        """The (11) kernels, made for this law."""
        return Kernels(k.explicit_kernels, self.law.kernels, style="values")

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
