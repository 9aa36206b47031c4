"""Servos in a control loop: where it should be and where it is in, force out."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping

from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Block
from tegotae.layout import Part
from tegotae.running.live import AGAIN, LiveImpedance
from tegotae.state import State

_BEGUN = Part("begun", "-", "1 if it controls already, else 0", whole=True, most=1)


class LiveServo(LiveImpedance):
    """What live servos share: their first tick takes the deviation as it finds it. A copy goes on where it was."""

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
            self._begin_at(deviation)
        return float(self.step((deviation - float(self._last[0])) / self.period))

    def _deviation(self, reference: float, measured: float) -> float:
        """How far what a servo measures lies from its reference; refused unless both are numbers."""
        if type(reference) is not float:
            reference = checks.number(self.block.name, "reference", reference, "m", AGAIN)
        if type(measured) is not float:
            measured = checks.number(self.block.name, "measured", measured, "m", AGAIN)
        deviation = measured - reference
        if not math.isfinite(deviation):
            self._refuse("reference" if not math.isfinite(reference) else "measured", deviation, "m")
        return deviation

    @abstractmethod
    def _begin_at(self, deviation: float) -> None:
        """Set the state for a first deviation [m]."""

    def _check_state(self, state: State) -> None:
        begun = state["begun"]
        if begun not in (0, 1):
            told = "Give 1 if it controls already, else 0, or a state that such a servo was in."
            checks.refuse(self.block.name, f"begun={begun!r} cannot be in its state.", told)
        super()._check_state(state)
