"""Identification of steering systems: patch and column from a log of the wheel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.fitting.fits import Fit, fit_recipe
from tegotae.fitting.recipes import checked
from tegotae.fitting.recipes.steering import SteeringRecipe
from tegotae.fitting.registry import Progress, register
from tegotae.fitting.steering_log import log_of
from tegotae.steering.system import SteeringSystem
from tegotae.steering.vehicle import Bicycle


@dataclass(frozen=True, kw_only=True, eq=False)
class SteeringRecord:
    """What was logged at the wheel of a steering system, as `fit` takes it.

    Args:
        wheel_angle: at the end of each tick [rad], (ticks,); one that comes in the steps of an encoder is smoothed
            over 25 ms, and the torque alike.
        hand_torque: on the wheel over each tick [N·m], (ticks,).
        speed: of the vehicle [m/s], a number or (ticks,); the system's own unless given.
        period: T [s].

    Example:
        >>> import numpy as np
        >>> from tegotae.fitting import SteeringRecord
        >>> SteeringRecord(wheel_angle=np.zeros(100), hand_torque=np.zeros(100), period=1e-3).hand_torque.shape
        (100,)
    """

    wheel_angle: ArrayLike
    hand_torque: ArrayLike
    speed: ArrayLike | None = None
    period: float

    def __post_init__(self) -> None:
        owner, assign = "SteeringRecord", object.__setattr__
        assign(self, "period", checks.period_of(owner, self.period))
        angle = checks.signal(owner, "wheel_angle", self.wheel_angle, "rad", 1).ravel()
        torque = checks.signal(owner, "hand_torque", self.hand_torque, "N·m", 1).ravel()
        if angle.size != torque.size:
            remedy = "Give one of each for every tick; cut the longer log."
            checks.refuse(owner, f"{angle.size} ticks of wheel_angle but {torque.size} of hand_torque.", remedy)
        if angle.size < 3:
            checks.refuse(owner, f"a log of {angle.size} ticks.", "Give thousands.")
        assign(self, "wheel_angle", angle)
        assign(self, "hand_torque", torque)
        if self.speed is not None:
            assign(self, "speed", checks.held(owner, "speed", self.speed, "m/s", angle.size))


def fit_steering(
    system: SteeringSystem, record: SteeringRecord, known: Mapping[str, float], free: Sequence[str], progress: Progress
) -> Fit:
    """Patch and column of a system, from what was logged at its wheel."""
    angle, torque = checks.array("fit", "wheel_angle", record.wheel_angle, "rad"), record.hand_torque
    speed = checks.held("fit", "speed", system.speed if record.speed is None else record.speed, "m/s", angle.size)
    length, drifts = 2.0 * system.patch.half_length, isinstance(system.vehicle, Bicycle)
    log = log_of(angle, checks.array("fit", "hand_torque", torque, "N·m"), speed, record.period, length, drifts)
    return fit_recipe(checked(SteeringRecipe(system, known, log.start, free)), log, progress)


register(SteeringSystem, SteeringRecord, fit_steering)
