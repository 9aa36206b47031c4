"""Servos in a control loop: where it should be and where it is in, force out."""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np

from tegotae import checks
from tegotae.checks import Array
from tegotae.live import AGAIN, LiveImpedance

_BEGUN = -2  # in the state, before the last position


class LiveServo(LiveImpedance):
    """What live servos share: their first tick takes the deviation as it finds it. A copy goes on where it was."""

    def control(self, reference: float, measured: float) -> float:
        """One tick: where it should be and where it is [m] in, force on the plant [N] out.

        The first call takes the deviation as it finds it, without a jump of the derivative.
        """
        deviation = self._deviation(reference, measured)
        if not self._state[_BEGUN]:
            self._state[_BEGUN] = 1.0
            self._begin_at(deviation)
        return float(self.step((deviation - float(self._state[0])) / self.period))

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

    def _beside(self) -> Array:
        """Whether it controls already, then the last position: a checkpoint keeps both."""
        return np.concatenate([[0.0], super()._beside()])

    def _check_state(self, state: Array) -> None:
        if state[_BEGUN] not in (0.0, 1.0):
            told = "Give 1 if it controls already, else 0, or a state that such a servo was in."
            checks.refuse(self.block.name, f"begun={float(state[_BEGUN])!r} cannot be in its state.", told)
        super()._check_state(np.delete(state, _BEGUN))
