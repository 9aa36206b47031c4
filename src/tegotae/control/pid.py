"""A PID servo with a largest force, as an impedance: it couples implicitly like any spring."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Field, Impedance, Kernels
from tegotae.checks import Array
from tegotae.control.kernels import pid as k
from tegotae.control.servo import LiveServo


@dataclass(frozen=True, kw_only=True)
class PID(Impedance):
    """A discrete PID servo: deviation from a reference in, force towards it out.

    To a plant it is an impedance whose other end is the reference: in a `Circuit`, name it among the `bases` and give
    the reference's velocity. In a control loop, `servo.start(period=T).control(reference, measured)`.
    When the force meets its limit the integral goes no further than the limit allows, so it does not wind up.

    Args:
        proportional: P [N/m], >= 0.
        integral: I [N/(m·s)], >= 0.
        derivative: D [N·s/m], >= 0.
        smoothing: time constant [s], >= 0, of the derivative's low-pass filter; 0 for none.
        limit: largest force [N], > 0; none unless given.

    Runs record `deviation` [m], `integral_force` [N] and `force` [N] (on the plant).

    Example:
        >>> from tegotae.control import PID
        >>> servo = PID(proportional=100.0, limit=5.0).start(period=1e-3)
        >>> servo.control(reference=0.02, measured=0.0), servo.control(reference=1.0, measured=0.0)
        (2.0, 5.0)
    """

    proportional: float
    integral: float = 0.0
    derivative: float = 0.0
    smoothing: float = 0.0
    limit: float | None = None
    dimension: ClassVar[int] = 1  # type: ignore[misc]  # one axis a servo; the contract's attribute, fixed

    def __post_init__(self) -> None:
        own, none = type(self).__name__, "Give a magnitude, or 0 for none."
        for name, unit in (
            ("proportional", "N/m"),
            ("integral", "N/(m·s)"),
            ("derivative", "N·s/m"),
            ("smoothing", "s"),
        ):
            object.__setattr__(self, name, checks.at_least_zero(own, name, getattr(self, name), unit, none))
        if self.limit is not None:
            remedy = "Give the motor's largest force, or None for no limit."
            object.__setattr__(self, "limit", checks.positive(own, "limit", self.limit, "N", remedy))

    @property
    def fields(self) -> tuple[Field, ...]:
        """The state: deviation, forces of the integral and of the derivative, force."""
        return (
            Field("deviation", "m", "plant minus reference"),
            Field("integral_force", "N", "what the integral adds, against the deviation"),
            Field("derivative_force", "N", "what the derivative adds", recorded=False),
            Field("force", "N", "force on the plant"),
        )

    @property
    def parameters(self) -> Array:
        """[P, J, D, tau, F]."""
        limit = math.inf if self.limit is None else self.limit
        return np.array([self.proportional, self.integral, self.derivative, self.smoothing, limit])

    @property
    def kernels(self) -> Kernels:
        """Backward Euler."""
        return Kernels(k.pid_kernels)

    def start(self, *, period: float, initial: Mapping[str, ArrayLike] | None = None) -> LivePID:
        """The servo in a control loop; its kernels are warm when this returns."""
        return LivePID(self, period, initial)


class LivePID(LiveServo):
    """A PID servo in a control loop: `force = live.control(reference, measured)`. `PID.start` makes it.

    Args:
        block: the servo.
        period: T [s].
        initial: fields of the state to start from instead of rest.

    Example:
        >>> from tegotae.control import PID
        >>> servo = PID(proportional=100.0, derivative=2.0).start(period=1e-3)
        >>> servo.control(reference=0.5, measured=0.25)  # the first tick has no derivative yet
        25.0
    """

    def _begin_at(self, deviation: float) -> None:
        self._state[0] = deviation
