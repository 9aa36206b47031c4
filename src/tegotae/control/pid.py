"""A PID servo with a largest force, as an impedance: it couples implicitly like any spring."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Annotated

from numpy.typing import ArrayLike

from tegotae.block import Kernels
from tegotae.control.kernels.pid import pid_step
from tegotae.control.kernels.servo import servo_kernels
from tegotae.control.servo import PositionServo
from tegotae.layout import AXIS, Layouts, Part, layouts
from tegotae.parameters import Parameter, parts_of


@cache
def _layout() -> Layouts:
    return layouts(
        parameters=parts_of(PID, "proportional", "integral", "derivative", "smoothing", "limit"),
        state=(
            Part("deviation", "m", "plant minus reference", AXIS, "x"),
            Part("integral_force", "N", "what the integral adds, against the deviation", AXIS, "i"),
            Part("derivative_force", "N", "what the derivative adds", AXIS, "d", recorded=False),
            Part("force", "N", "force on the plant", AXIS, "f"),
        ),
    )


@dataclass(frozen=True, kw_only=True)
class PID(PositionServo):
    """A discrete PID servo: deviation from a reference in, force towards it out.

    To a plant it is an impedance whose other end is the reference: in a `Circuit`, name it among the `bases` and give
    the reference's velocity. In a control loop, `servo.start(period=T).control(reference, measured)`.
    When the force meets its limit the integral goes no further than the limit allows, so it does not wind up.

    Runs record `deviation` [m], `integral_force` [N] and `force` [N] (on the plant).

    Example:
        >>> from tegotae.control import PID
        >>> servo = PID(proportional=100.0, limit=5.0).start(period=1e-3)
        >>> servo.control(reference=0.02, measured=0.0), servo.control(reference=1.0, measured=0.0)
        (2.0, 5.0)
    """

    proportional: Annotated[float, Parameter("P [N/m], >= 0")]
    integral: Annotated[float, Parameter("J [N/(m·s)], >= 0")] = 0.0
    derivative: Annotated[float, Parameter("D [N·s/m], >= 0")] = 0.0
    smoothing: Annotated[float, Parameter("tau [s], >= 0, of the derivative's low-pass filter; 0 for none")] = 0.0
    limit: Annotated[float | None, Parameter("F [N], > 0, the motor's largest force; none unless given")] = None

    @property
    def layout(self) -> Layouts:
        """Gains, filter and limit; deviation, forces of the integral and of the derivative, force."""
        return _layout()

    @property
    def values(self) -> dict[str, ArrayLike]:
        """Gains, filter and limit; infinite if there is none."""
        return {**super().values, "limit": math.inf if self.limit is None else self.limit}

    @property
    def kernels(self) -> Kernels:
        """Backward Euler."""
        return Kernels(servo_kernels, (pid_step,), style="values")
