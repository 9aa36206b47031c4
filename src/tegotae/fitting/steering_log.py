"""What was logged at a wheel, and which of its ticks can be judged: those that no longer remember what was before it.

The first sample is where the wheel was at the end of a tick. How it got there is not in the log, so neither is the
acceleration of the first two ticks. A log that does not begin at rest was moved before, and its bristles are
stretched: it is judged from where that is forgotten, because the tyre has rolled on or the wheel has been about.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tegotae.checks import Array
from tegotae.fitting.assessing import LOUD
from tegotae.fitting.record import Record

UNKNOWN = 2  # ticks whose acceleration the log does not show
WINDOW = 0.025  # s, over which an angle that comes in steps is smoothed; a hand is slower
AT_REST, MOVING = 0.1, 0.3  # shares of the largest rate or torque
NOTHING = 1e-4  # share of the torque below which what is left is of no account
FARTHEST = 8.0  # times the noise: no sensor's noise ever is that large
MEMORY = 3.0  # s in which a vehicle's sideslip and yaw die away


@dataclass(frozen=True, eq=False)
class SteeringLog(Record):
    """What was logged at a wheel; as a record its velocity is the wheel's rate, its force what resists the hand.

    Args:
        velocity: of the wheel [rad/s].
        force: -tau_h [N·m].
        period: T [s].
        speed: V over each tick [m/s].
        start: wheel angle at the beginning [rad].
        step: of the angle's encoder [rad]; 0 if it is fine.
        window: ticks over which angle and torque were smoothed for it; 1 for none.
        first: tick from which on it is judged.
        remembers: whether it begins in mid-motion, and that is never forgotten.
    """

    speed: Array
    start: float
    step: float = 0.0
    window: int = 1
    first: int = UNKNOWN
    remembers: bool = False

    @property
    def hand_torque(self) -> Array:
        """tau_h [N·m]."""
        return -self.force

    @property
    def judged(self) -> slice:
        """From where it is known on; of what was smoothed, once a window: samples in between tell nothing new."""
        return slice(self.first, self.ticks - (self.window if self.window > 1 else 0), self.window)

    @cached_property
    def wheel_angle(self) -> Array:
        """At the end of each tick [rad]."""
        return self.start + np.cumsum(self.velocity) * self.period

    def thinned(self, most: int) -> SteeringLog:
        """As of any record; speeds are averaged too."""
        short = super().thinned(most)
        if short is self:
            return self
        factor = -(-self.ticks // most)
        speed = self.speed[: short.ticks * factor].reshape(short.ticks, factor).mean(axis=1)
        window, first = max(1, self.window // factor), max(UNKNOWN, -(-self.first // factor))
        return SteeringLog(short.velocity, short.force, short.period, speed, self.start, self.step, window, first)


def log_of(angles: Array, torque: Array, speeds: Array, period: float, length: float, drifts: bool) -> SteeringLog:
    """The log of a wheel above a patch of this length [m]; `drifts`: its vehicle has a sideslip and a yaw too."""
    step, window = step_of(angles), 1
    if step:
        window = 2 * (round(WINDOW / period) // 2) + 1
        window = min(window, 2 * ((angles.size - 1) // 2) - 1)
    if window > 3:
        # Both alike: the torque of an inertia is linear in its motion, so the two still belong together.
        angles, torque = _smoothed(angles, window), _smoothed(torque, window)
    else:
        window = 1
    rates = np.diff(angles, prepend=angles[:1]) / period
    first, remembers = UNKNOWN if window == 1 else window, False
    if not _begins_at_rest(rates, torque, window):
        tick = _forgotten(angles, speeds, period, length, drifts)
        if tick <= angles.size // 2:
            first = max(first, tick)
        else:  # a jerk from rest, or a wheel that was turning before
            remembers = bool(abs(rates[1]) > MOVING * np.abs(rates).max())
    return SteeringLog(rates, -torque, period, speeds, float(angles[0]), step, window, first, remembers)


def step_of(angles: Array) -> float:
    """The step of the encoder these angles [rad] come from; 0 where they come in none."""
    ways = np.abs(np.diff(angles))
    ways = ways[ways > 0.0]
    if ways.size < 2:
        return 0.0
    step = float(ways.min())
    steps = ways / step
    whole = np.abs(steps - np.round(steps)) < 1e-3 * np.maximum(1.0, np.sqrt(steps))
    return step if steps.max() < 1e5 and bool(whole.all()) else 0.0


def _smoothed(values: Array, window: int) -> Array:
    """By a bell that is done within the window: its edges are soft, so differences of differences stay smooth too."""
    from scipy.ndimage import gaussian_filter1d

    return np.asarray(gaussian_filter1d(values, window / 4.0, mode="nearest", radius=window))


def _begins_at_rest(rates: Array, torque: Array, window: int) -> bool:
    begun = slice(1, 1 + window)
    slow = np.abs(rates[begun]).max() <= AT_REST * np.abs(rates).max()
    return bool(slow and np.abs(torque[: 1 + window]).max() <= AT_REST * np.abs(torque).max())


def _forgotten(angles: Array, speeds: Array, period: float, length: float, drifts: bool) -> int:
    """The tick by which what was before the log no longer counts."""
    rolled = np.flatnonzero(np.cumsum(np.abs(speeds)) * period > length)
    middle, half = 0.5 * (angles.max() + angles.min()), 0.45 * np.ptp(angles)
    left, right = np.flatnonzero(angles >= middle + half)[0], np.flatnonzero(angles <= middle - half)[0]
    tick = int(min(max(left, right), rolled[0] if rolled.size else angles.size))
    return max(tick, round(MEMORY / period)) if drifts and np.any(speeds) else tick


# ------------------------------------------------------------ afterwards


def steering_doubts(log: SteeringLog, residual: Array, noise: float, correlation: float) -> list[str]:
    """Why a fit of this log may be wrong, in sentences, by what it leaves [N·m] and how that hangs together."""
    found = []
    if log.step:
        found.append(
            f"The wheel angle comes in steps of {log.step:.2g} rad, so it and the torque were smoothed over "
            f"{log.window} ticks: what the wheel did more quickly is not seen."
        )
    if noise <= NOTHING * float(np.sqrt(np.mean(log.hand_torque**2))):
        return found
    if correlation > LOUD:
        found.append(
            f"What the model leaves is correlated by {correlation:.2f} from tick to tick, so it is hardly the noise of "
            "a sensor: this system may not be what was measured, and the numbers not what they seem."
        )
        if log.first > max(UNKNOWN, log.window):
            found.append("The log does not begin at rest with slack tyres: begin it so.")
    if correlation < -LOUD:
        found.append(
            f"What the model leaves jumps to and fro (correlated by {correlation:.2f} from tick to tick), as the "
            "acceleration of a noisy angle does: the inertia then comes out too small."
            + ("" if log.window > 1 else " Smooth angle and torque alike.")
        )
    worst = int(np.argmax(np.abs(residual[log.judged]))) * log.window + log.first
    if abs(residual[worst]) > FARTHEST * noise:
        found.append(
            f"At {worst * log.period:.4g} s the model misses the torque by {residual[worst]:.2g} N·m, which noise of "
            f"{noise:.2g} N·m never does: look at what happened there, or cut the log."
        )
    return found
