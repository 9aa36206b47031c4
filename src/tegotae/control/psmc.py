"""Proxy-based sliding mode control: as stiff as a PID in small, as slow and safe as a time constant in large."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, ClassVar, cast

from numpy.typing import ArrayLike

from tegotae.block import Impedance, Kernels
from tegotae.control.kernels import psmc as k
from tegotae.control.servo import LiveServo
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
class PSMC(Impedance):
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
    dimension: ClassVar[int] = 1  # type: ignore[misc]  # one axis a servo; the contract's attribute, fixed

    @property
    def layout(self) -> Layouts:
        """Gains, recovery and limit; deviation, lead of the proxy and its integral, force."""
        return _layout()

    @property
    def kernels(self) -> Kernels:
        """Backward Euler."""
        return Kernels(k.psmc_kernels, style="values")

    def start(self, *, period: float, initial: Mapping[str, ArrayLike] | None = None) -> LivePSMC:
        """The servo in a control loop; its kernels are warm when this returns."""
        return LivePSMC(self, period, initial)


class LivePSMC(LiveServo):
    """A sliding mode servo in a control loop: `force = live.control(reference, measured)`. `PSMC.start` makes it.

    Args:
        block: the servo.
        period: T [s].
        initial: fields of the state to start from instead of rest.

    Example:
        >>> from tegotae.control import PSMC
        >>> servo = PSMC(proportional=100.0, derivative=2.0, limit=30.0).start(period=1e-3)
        >>> servo.control(reference=0.5, measured=0.25)  # the first tick has no derivative yet
        25.0
    """

    def _begin_at(self, deviation: float) -> None:
        """The proxy stands on the reference, or as near to it as the limit can pull from.

        One further ahead would wind up the integral before it slides back.
        """
        own = cast(PSMC, self.block)
        ahead = own.limit / own.proportional
        self._state["deviation"], self._state["lead"] = deviation, min(max(-deviation, -ahead), ahead)
