"""Servos: to a plant an impedance whose other end is the reference; in a control loop both in, force out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, cast

from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Block, Impedance
from tegotae.layout import Part
from tegotae.running.live import AGAIN, LiveImpedance
from tegotae.state import State

_BEGUN = Part("begun", "-", "1 if it controls already, else 0", whole=True, most=1)


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
        deviation = self._deviation(reference, measured)
        if not self._begun[0]:
            self._begun[0] = 1
            for name, value in cast(PositionServo, self.block).first(deviation).items():
                self._state[name] = value
        return float(self.step((deviation - float(self._last[0])) / self.period))

    def _deviation(self, reference: Any, measured: Any) -> float:
        """How far what a servo measures lies from its reference; refused unless both are numbers."""
        if type(reference) is not float:
            reference = checks.number(self.block.name, "reference", reference, "m", AGAIN)
        if type(measured) is not float:
            measured = checks.number(self.block.name, "measured", measured, "m", AGAIN)
        deviation: float = measured - reference
        if not math.isfinite(deviation):
            self._refuse("reference" if not math.isfinite(reference) else "measured", deviation, "m")
        return deviation

    def _check_state(self, state: State) -> None:
        begun = state["begun"]
        if begun not in (0, 1):
            told = "Give 1 if it controls already, else 0, or a state that such a servo was in."
            checks.refuse(self.block.name, f"begun={begun!r} cannot be in its state.", told)
        super()._check_state(state)
