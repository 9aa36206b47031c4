"""Kikuuwe and Fujimoto, "Impedance-Type Discrete-Time Friction Model", 2005: its claims and its figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tegotae import block
from tegotae.device.joystick import figure4
from tegotae.friction import Coulomb, FrictionAdmittance, FrictionImpedance, Law, ParallelFriction, Stribeck, Viscous
from tegotae.friction.classics import Dahl, ExplicitlyCoupledFriction, HaywardArmstrong, Karnopp, LuGre, Tanh
from tegotae.papers.ledger import Paper
from tegotae.result import Result

__all__ = ["KikuuweSubject", "paper"]

# Section 3.2, the joystick: period [s], limit [N], stiffness [N/m], damping [N·s/m].
T, F, K, B = 1e-3, 4.0, 6000.0, 10.0
# Section 4, ten elements side by side: 10 N/mm, 0.1 N·s/mm, 1 to 10 N.
STIFFNESS, DAMPING, LIMITS = 1e4, 100.0, range(1, 11)


@dataclass(frozen=True)
class KikuuweSubject:
    """The physics under test; a test replaces a part by a broken one.

    Example:
        >>> from dataclasses import replace
        >>> from tegotae.papers.kikuuwe2005 import KikuuweSubject, paper
        >>> no_lag = replace(KikuuweSubject(), Impedance=lambda lag=0.0, **rest: KikuuweSubject().Impedance(**rest))
        >>> paper["lag-loop"].check(no_lag).passed
        False
    """

    Impedance: Callable[..., block.Impedance] = FrictionImpedance  # (18)
    Admittance: Callable[..., block.Admittance] = FrictionAdmittance  # (3)-(7)
    Parallel: Callable[..., block.Impedance] = ParallelFriction  # section 4
    Viscous: Callable[..., Law] = Viscous  # a law that rises
    Stribeck: Callable[..., Law] = Stribeck  # a law that falls
    Explicit: Callable[..., Any] = ExplicitlyCoupledFriction  # the coupling (11) that the paper improves on
    HaywardArmstrong: Callable[..., block.Impedance] = HaywardArmstrong  # the model of [5] that (18) contains
    Karnopp: Callable[..., block.Admittance] = Karnopp  # friction with a threshold, [1]
    Dahl: Callable[..., block.Impedance] = Dahl  # (20), from [6]
    LuGre: Callable[..., block.Impedance] = LuGre  # from [7]
    Tanh: Callable[..., block.Impedance] = Tanh  # the usual smoothed friction
    joystick: Callable[[float], Result] = figure4  # one run of Fig. 4 for a mass of the virtual point [kg]

    def brake(self, **changes: Any) -> block.Impedance:
        """The element of section 3.2, K = 6000 N/m, B = 10 N·s/m, F = 4 N, M = 0, with some parameters changed."""
        return self.Impedance(**{"stiffness": K, "damping": B, "law": Coulomb(F), "mass": 0.0} | changes)

    def ten(self, *, damping: float = DAMPING) -> block.Impedance:
        """The ten elements of section 4; damping in [N·s/m]."""
        return self.Parallel(stiffness=STIFFNESS, damping=damping, limits=LIMITS)


paper = Paper(
    key="kikuuwe2005",
    title="Impedance-Type Discrete-Time Friction Model",
    authors="Ryo Kikuuwe and Hideo Fujimoto, 2005",
    subject=KikuuweSubject(),
)

paper.decline(
    "A psychophysical study of how presliding hysteresis changes what people feel",
    source="section 4, last paragraph",
    reason="it needs people and an ethics board; the composite element and the device interface for it are here",
)
paper.decline(
    "The experiment on the force-feedback joystick of two motors itself",
    source="Fig. 3, section 3.2",
    reason="the hardware is not ours; a simulated twin with encoders, motors and a hand stands for it, and a real "
    "driver fits the same interface",
)

paper.collect(__name__, "one_element", "laws", "composite", "figures")
