"""Xiong, Kikuuwe and Yamamoto, "Friction and contact expressed by ordinary differential equations", 2011."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tegotae.inclusion import Contact, Friction, Inclusion, examples, tune_contact
from tegotae.inclusion.exact.events import Exact
from tegotae.inclusion.explicit.ode import Ode
from tegotae.inclusion.implicit.stepper import Stepper
from tegotae.papers.ledger import Paper

__all__ = ["XiongSubject", "paper"]

G = 9.81
# The slides print no numbers. Stiffness [N/m], beta and alpha [s] of every element unless told otherwise.
K, BETA, ALPHA = 1e5, 2e-3, 2e-4


def tanh_friction(v: float, F: float, vs: float) -> float:
    """The usual smoothed friction [N] at a slip speed [m/s], limit F [N], smoothing speed vs [m/s]."""
    return F * math.tanh(v / vs)


def spring_damper(p: float, v: float, stiffness: float, damping: float) -> float:
    """The usual contact force [N] at a gap p [m] and its rate v [m/s]: a spring and a damper while p < 0."""
    return -(stiffness * p + damping * v) if p < 0.0 else 0.0


@dataclass(frozen=True)
class XiongSubject:
    """The physics under test; a test replaces a part by a broken one.

    Example:
        >>> from dataclasses import replace
        >>> from tegotae.papers.xiong2011 import XiongSubject, paper
        >>> calm = replace(XiongSubject(), spring_damper=lambda p, v, K, B: max(0.0, -K * p))
        >>> paper["spring-damper-pulls"].check(calm).passed
        False
    """

    to_ode: Callable[..., Ode] = Inclusion.to_ode  # the explicit route of an inclusion
    to_stepper: Callable[..., Stepper] = Inclusion.to_stepper  # the implicit route
    to_events: Callable[..., Exact] = Inclusion.to_events  # the exact route, the reference
    tune_contact: Callable[..., Contact] = tune_contact  # the choice of contact parameters
    ball: Callable[..., examples.Machine] = examples.bouncing_ball  # the bouncing ball
    floor: Callable[..., examples.Machine] = examples.floor  # the slides' point mass on a frictional floor
    belt: Callable[..., examples.Machine] = examples.belt  # mass, spring and belt
    two_bodies: Callable[..., examples.Machine] = examples.two_bodies  # the slides' machine
    woodpecker: Callable[..., examples.Machine] = examples.woodpecker  # the toy that jams, nods and pecks
    smoothed: Callable[[float, float, float], float] = tanh_friction  # smoothed friction, f(v, F, vs)
    spring_damper: Callable[[float, float, float, float], float] = spring_damper  # the usual contact, f(p, v, K, B)

    def ode(self, machine: Inclusion, *, stiffness: float = K, beta: float = BETA, alpha: float = ALPHA) -> Ode:
        """Explicit, all elements alike; stiffness [N/m], beta and alpha [s]."""
        return self.to_ode(machine, **_alike(stiffness, beta, alpha))

    def stepper(
        self, machine: Inclusion, *, period: float, stiffness: float = K, beta: float = BETA, method: str = "midpoint"
    ) -> Stepper:
        """Implicit, all elements alike; period and beta [s], stiffness [N/m]."""
        return self.to_stepper(machine, period=period, method=method, **_alike(stiffness, beta, 0.1 * beta))


def _alike(stiffness: float, beta: float, alpha: float) -> dict[str, Any]:
    return {
        "contact": Contact(stiffness=stiffness, damping=stiffness * beta, alpha=alpha),
        "friction": Friction(stiffness=stiffness, damping=stiffness * beta),
    }


paper = Paper(
    key="xiong2011",
    title="Friction and contact expressed by ordinary differential equations",
    authors="Xiaogang Xiong, Ryo Kikuuwe and Motoji Yamamoto, 2011 (in Japanese)",
    subject=XiongSubject(),
)

paper.collect(__name__, "one_element", "machine", "impacts", "figures")
