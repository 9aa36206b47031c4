"""Proxy-based sliding mode control: as stiff as a PID in small, as slow and safe as a time constant in large."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Annotated

from tegotae.block import Kernels
from tegotae.control.kernels.psmc import psmc_step
from tegotae.control.kernels.servo import servo_kernels
from tegotae.control.servo import PositionServo
from tegotae.layout import AXIS, Layouts, Part, layouts
from tegotae.parameters import Parameter, parts_of


@cache
def _layout() -> Layouts:
    return layouts(
        parameters=parts_of(PSMC),
        state=(
            Part("deviation", "m", "plant minus reference", AXIS, "x"),
            Part("lead", "m", "proxy minus plant", AXIS, "c"),
            Part("integral", "m·s", "of the lead over time", AXIS, "a"),
            Part("force", "N", "force on the plant", AXIS, "f"),
        ),
    )


@dataclass(frozen=True, kw_only=True)
class PSMC(PositionServo):
    """A proxy-based sliding mode servo: deviation from a reference in, force towards it out.  [kikuuwe2006]

    A PID ties the plant to a massless proxy, and the proxy slides towards the reference with a force that never
    exceeds the limit. Below the limit it tracks exactly as the `PID` with the same gains; torn away, the plant comes
    back as exp(-t / recovery), without overshoot, because nothing winds up.
    To a plant it is an impedance whose other end is the reference, as `PID` is. For angles, read N·m and rad.

    Runs record `deviation` [m], `lead` [m] (of the proxy before the plant), `integral` [m·s] and `force` [N].

    Example:
        >>> from tegotae.control import PSMC
        >>> servo = PSMC(proportional=100.0, recovery=0.1, limit=5.0).start(period=1e-3)
        >>> servo.control(reference=0.02, measured=0.0), servo.control(reference=1.0, measured=0.0)
        (2.0, 5.0)
    """

    proportional: Annotated[float, Parameter("K [N/m], > 0", "Give the gain.")]
    integral: Annotated[float, Parameter("L [N/(m·s)], >= 0")] = 0.0
    derivative: Annotated[float, Parameter("B [N·s/m], >= 0")] = 0.0
    recovery: Annotated[float, Parameter("H [s], >= 0, time constant with which a large deviation dies out")] = 0.1
    limit: Annotated[float, Parameter("F [N], > 0, the motor's largest force")]

    @property
    def layout(self) -> Layouts:
        """Gains, recovery and limit; deviation, lead of the proxy and its integral, force."""
        return _layout()

    @property
    def kernels(self) -> Kernels:
        """Backward Euler."""
        return Kernels(servo_kernels, (psmc_step,), style="values")

    def first(self, deviation: float) -> dict[str, float]:
        """The proxy stands on the reference, or as near to it as the limit can pull from.

        One further ahead would wind up the integral before it slides back.
        """
        ahead = self.limit / self.proportional
        return {"deviation": deviation, "lead": min(max(-deviation, -ahead), ahead)}
