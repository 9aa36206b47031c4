"""Karnopp's mass with dry friction: a band of small velocities counts as rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Admittance, Kernels
from tegotae.declared_layout import declared_layout
from tegotae.elements import MovingMass
from tegotae.friction.kernels import sampled as k
from tegotae.layout import AXIS, Part
from tegotae.parameters import Parameter
from tegotae.state import State


@dataclass(frozen=True, kw_only=True)
class Karnopp(Admittance):
    """A mass with dry friction that counts as at rest while its momentum is small: force in, motion out. [karnopp1985]

    Inside the band the friction cancels the applied force, up to the static limit, and the momentum stays; outside
    it is the sliding friction against the last velocity (forward Euler). A sliding mass hops across a band narrower
    than `least_dead_zone(period)` and chatters. The velocity jumps at the edge of the band, so no coupled step
    through that edge has an exact solution.

    Runs record `velocity` [m/s], `position` [m], `friction` [N] and `momentum_velocity` [m/s] (momentum over mass).

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

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> State:
        """The state at rest, with the fields named in `initial` set; a velocity is momentum too."""
        state = super().initial_state(period, initial)
        if "momentum_velocity" not in (initial or {}):
            state["momentum_velocity"] = state["velocity"]
        return state
