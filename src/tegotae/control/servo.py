"""Servos: to a plant an impedance whose other end is the reference; in a control loop both in, force out.

A PID with a largest force, and proxy-based sliding mode control: as stiff as a PID in small, as slow and safe as a time
constant in large.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, cast

from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Block, Impedance, Kernels
from tegotae.control.kernels.servo import pid_step, psmc_step
from tegotae.declared_layout import declared_layout
from tegotae.kernels.elements import step_kernels
from tegotae.layout import AXIS, Part
from tegotae.parameters import Parameter
from tegotae.running.live import AGAIN, LiveImpedance
from tegotae.state import State

_BEGUN = Part("begun", "-", "1 if it controls already, else 0", whole=True, most=1)
_DEVIATION = Part("deviation", "m", "plant minus reference", AXIS, "x")
_FORCE = Part("force", "N", "force on the plant", AXIS, "f")


class PositionServo(Impedance):
    """What servos share: one axis, and how they begin."""

    dimension: ClassVar[int] = 1  # type: ignore[misc]  # one axis a servo; the contract's attribute, fixed

    def first(self, deviation: float) -> dict[str, float]:
        """What stands in its state where it begins to control at this deviation [m]."""
        return {"deviation": deviation}

    def start(self, *, period: float, initial: Mapping[str, ArrayLike] | None = None) -> LiveServo:
        """The servo in a control loop; its kernels are warm when this returns."""
        return LiveServo(self, period, initial)


class LiveServo(LiveImpedance):
    """A servo in a control loop: `force = live.control(reference, measured)`. `PID.start` and `PSMC.start` make it.

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

    _beside: tuple[Part, ...] = (_BEGUN, *LiveImpedance._beside)  # a checkpoint keeps both

    def __init__(self, block: Block, period: float, initial: Mapping[str, ArrayLike] | None):
        super().__init__(block, period, initial)
        self._begun, self._last = self._state.part("begun"), self._state.part("deviation")

    def control(self, reference: float, measured: float) -> float:
        """One tick: where it should be and where it is [m] in, force on the plant [N] out.

        The first call takes the deviation as it finds it, without a jump of the derivative.
        """
        if type(reference) is not float:
            reference = checks.number(self.block.name, "reference", reference, "m", AGAIN)
        if type(measured) is not float:
            measured = checks.number(self.block.name, "measured", measured, "m", AGAIN)
        deviation = measured - reference
        if not math.isfinite(deviation):
            self._refuse("reference" if not math.isfinite(reference) else "measured", deviation, "m")
        if not self._begun[0]:
            self._begun[0] = 1
            for name, value in cast(PositionServo, self.block).first(deviation).items():
                self._state[name] = value
        return float(self.step((deviation - float(self._last[0])) / self.period))

    def _check_state(self, state: State) -> None:
        begun = state["begun"]
        if begun not in (0, 1):
            remedy = "Give 1 if it controls already, else 0, or a state that such a servo was in."
            checks.refuse(self.block.name, f"begun={begun!r} cannot be in its state.", remedy)
        super()._check_state(state)


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

    layout = declared_layout(
        _DEVIATION,
        Part("integral_force", "N", "what the integral adds, against the deviation", AXIS, "i"),
        Part("derivative_force", "N", "what the derivative adds", AXIS, "d", recorded=False),
        _FORCE,
        derived=(Part("limit", "N", "the motor's largest force; none unless given", letter="F"),),
    )
    kernels = Kernels(step_kernels, (pid_step,), style="values")

    @property
    def values(self) -> dict[str, ArrayLike]:
        """Gains, filter and limit; infinite if there is none."""
        return {**super().values, "limit": math.inf if self.limit is None else self.limit}


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

    layout = declared_layout(
        _DEVIATION,
        Part("lead", "m", "proxy minus plant", AXIS, "c"),
        Part("integral", "m·s", "of the lead over time", AXIS, "a"),
        _FORCE,
    )
    kernels = Kernels(step_kernels, (psmc_step,), style="values")

    def first(self, deviation: float) -> dict[str, float]:
        """The proxy stands on the reference, or as near to it as the limit can pull from.

        One further ahead would wind up the integral before it slides back.
        """
        ahead = self.limit / self.proportional
        return {"deviation": deviation, "lead": min(max(-deviation, -ahead), ahead)}
