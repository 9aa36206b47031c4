"""Karnopp's mass with dry friction: a band of small velocities counts as rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Admittance, Kernels
from tegotae.friction.kernels import sampled as k
from tegotae.layout import AXIS, Layouts, Part, layouts
from tegotae.state import State

_LAYOUT = layouts(
    parameters=(
        Part("mass", "kg", letter="M"),
        Part("limit", "N", "while sliding", letter="Fc"),
        Part("static", "N", "at rest", letter="Fs"),
        Part("dead_zone", "m/s", "half the width of the band", letter="D"),
    ),
    state=(
        Part("velocity", "m/s", "velocity at the end of the tick; 0 inside the band", AXIS, "v"),
        Part("position", "m", "position at the end of the tick", AXIS, "x"),
        Part("friction", "N", "friction on the mass", AXIS, "f"),
        Part("momentum_velocity", "m/s", "momentum over mass, which the band hides", AXIS, "u"),
    ),
)


@dataclass(frozen=True, kw_only=True)
class Karnopp(Admittance):
    """A mass with dry friction that counts as at rest while its momentum is small: force in, motion out. [karnopp1985]

    Inside the band the friction cancels the applied force, up to the static limit, and the momentum stays; outside
    it is the sliding friction against the last velocity (forward Euler). A sliding mass hops across a band narrower
    than `least_dead_zone(period)` and chatters. The velocity jumps at the edge of the band, so no coupled step
    through that edge has an exact solution.

    Args:
        mass: M [kg], > 0.
        limit: Fc [N], > 0, while sliding.
        static: Fs [N], >= limit, at rest.
        dead_zone: D [m/s], > 0, half the width of the band.

    Runs record `velocity` [m/s], `position` [m], `friction` [N] and `momentum_velocity` [m/s] (momentum over mass).

    Example:
        >>> import numpy as np
        >>> from tegotae.friction.classics import Karnopp
        >>> slider = Karnopp(mass=1.0, limit=3.0, static=4.0, dead_zone=0.01)
        >>> float(slider.run(np.full(1000, 3.9), period=1e-3).position[-1])
        0.0
    """

    mass: float
    limit: float
    static: float
    dead_zone: float

    dimension = 1

    def __post_init__(self) -> None:
        own, set_ = type(self).__name__, object.__setattr__
        set_(self, "mass", checks.positive(own, "mass", self.mass, "kg", "Give the moving mass."))
        remedy = "Give the friction force as a positive magnitude."
        set_(self, "limit", checks.positive(own, "limit", self.limit, "N", remedy))
        set_(self, "static", checks.positive(own, "static", self.static, "N", remedy))
        remedy = "Give the speed below which it counts as at rest, such as 1e-3."
        set_(self, "dead_zone", checks.positive(own, "dead_zone", self.dead_zone, "m/s", remedy))
        if self.static < self.limit:
            checks.refuse(own, f"static={self.static} N is below limit={self.limit} N.", "Use static >= limit.")

    @property
    def layout(self) -> Layouts:
        """Mass, limits and band; velocity, position, friction, momentum over mass."""
        return _LAYOUT

    @property
    def values(self) -> dict[str, ArrayLike]:
        """Mass, limits and band."""
        return {"mass": self.mass, "limit": self.limit, "static": self.static, "dead_zone": self.dead_zone}

    @property
    def kernels(self) -> Kernels:
        """Forward Euler, as published."""
        return Kernels(k.karnopp_kernels, style="values")

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
