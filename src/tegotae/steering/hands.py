"""Hands at the wheel: a driver who wants an angle, a hand that exerts a torque, and what either follows over time.

Profiles are functions of time that take a moment or many: `Sine`, `Ramp`, `Hold`, `Waypoints`, `Trace`. A plain number
is held, a plain array has one value a tick. Signs: angles and torques are positive to the left.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tegotae import checks
from tegotae.checks import Array
from tegotae.device.hand import Hand, knots
from tegotae.parameters import Declared, Parameter, Period

Profile = Callable[[Any], Array]  # of times [s]: as many values, [rad] or [N·m]
Record = Sequence[float] | NDArray[np.float64]


class _OverTime(Declared, ABC):
    """A profile that is declared."""

    def __call__(self, time: ArrayLike) -> Array:
        """Values at these times [s]."""
        return self._at(checks.finite_array(type(self).__name__, "time", time, "s"))

    @abstractmethod
    def _at(self, time: Array) -> Array:
        """Values at times that are numbers."""


@dataclass(frozen=True, kw_only=True)
class Sine(_OverTime):
    """To and fro: centre + amplitude sin(2 pi frequency time).

    Example:
        >>> from tegotae.steering.hands import Sine
        >>> Sine(amplitude=1.2)([0.0, 1.0]).tolist()
        [0.0, 1.2]
    """

    amplitude: Annotated[float, Parameter("[rad], or [N·m] for a torque")]
    frequency: Annotated[float, Parameter("[Hz], > 0", "Give cycles a second.")] = 0.25
    centre: Annotated[float, Parameter("[rad], or [N·m]")] = 0.0

    def _at(self, time: Array) -> Array:
        return np.asarray(self.centre + self.amplitude * np.sin(2.0 * np.pi * self.frequency * time))


@dataclass(frozen=True, kw_only=True)
class Ramp(_OverTime):
    """At a constant rate from where it begins, and still from `until` on.

    Example:
        >>> from tegotae.steering.hands import Ramp
        >>> Ramp(rate=2.0, until=1.0)([0.5, 3.0]).tolist()
        [1.0, 2.0]
    """

    rate: Annotated[float, Parameter("[rad/s], or [N·m/s]")]
    begin: Annotated[float, Parameter("[rad], or [N·m], value at time 0")] = 0.0
    until: Annotated[float | None, Parameter("[s], > 0, when it stops; never unless given")] = None

    def _at(self, time: Array) -> Array:
        return np.asarray(self.begin + self.rate * (time if self.until is None else np.minimum(time, self.until)))


@dataclass(frozen=True, kw_only=True)
class Hold(_OverTime):
    """Always the same.

    Example:
        >>> from tegotae.steering.hands import Hold
        >>> Hold(value=0.5)([0.0, 9.0]).tolist()
        [0.5, 0.5]
    """

    value: Annotated[float, Parameter("[rad], or [N·m]")]

    def _at(self, time: Array) -> Array:
        return np.full(time.shape, self.value)


@dataclass(frozen=True, kw_only=True, eq=False)
class Waypoints(_OverTime):
    """Straight lines from point to point; still before the first and after the last.

    Example:
        >>> from tegotae.steering.hands import Waypoints
        >>> Waypoints(times=[1.0, 3.0], values=[0.0, 4.0])([0.0, 2.0, 5.0]).tolist()
        [0.0, 2.0, 4.0]
    """

    times: Annotated[Record, Parameter("[s], when, rising", accept=partial(_signal, unit="s"))]
    values: Annotated[Record, Parameter("[rad], or [N·m], how much then", accept=partial(_signal, unit="rad"))]

    def __post_init__(self) -> None:
        super().__post_init__()
        knots(type(self).__name__, self.times, self.values, "values")

    def _at(self, time: Array) -> Array:
        return np.interp(time, self.times, self.values)


@dataclass(frozen=True, kw_only=True, eq=False)
class Trace(_OverTime):
    """A record of a real hand, taken every so often; between samples it is a straight line, at its ends still.

    Example:
        >>> from tegotae.steering.hands import Trace
        >>> Trace(values=[0.0, 0.1, 0.3], period=0.01)([0.005, 0.02, 1.0]).tolist()
        [0.05, 0.3, 0.3]
    """

    values: Annotated[
        Record,
        Parameter("[rad], or [N·m], what was recorded; the first at time 0", accept=partial(_signal, unit="rad")),
    ]
    period: Period

    def _at(self, time: Array) -> Array:
        return np.interp(time, self.period * np.arange(len(self.values)), self.values)


@dataclass(frozen=True, kw_only=True, eq=False)
class Driver(Declared):
    """A driver's hands: a spring and a damper between the wheel and the angle they want it at.

    tau_h = stiffness (wanted - angle) + damping (wanted rate - rate), positive to the left, on the wheel.

    Example:
        >>> from tegotae.steering.hands import Driver, Ramp
        >>> driver = Driver(angle=Ramp(rate=2.0))
        >>> wanted, rate = driver.angles(0.5, 3)
        >>> wanted.tolist(), rate.tolist()
        ([1.0, 2.0, 3.0], [2.0, 2.0, 2.0])
        >>> float(driver.torque(wanted=1.0, wanted_rate=2.0, angle=0.75, rate=1.5))
        3.0
    """

    stiffness: Annotated[float, Parameter("K [N·m/rad], >= 0, of the arms")] = 10.0
    damping: Annotated[float, Parameter("B [N·m·s/rad], >= 0, of the arms")] = 1.0
    angle: Annotated[
        Profile | ArrayLike,
        Parameter(
            "[rad], wanted angle of the wheel: a profile, a number to hold, or an array with one angle a tick",
            accept=partial(_profile_or_record, unit="rad"),
        ),
    ]

    def angles(self, period: float, ticks: int) -> tuple[Array, Array]:
        """Wanted angle [rad] at the end of each tick and wanted rate [rad/s], its mean over the tick, for a whole run.

        Args:
            period: T [s].
            ticks: how many.
        """
        path = _sampled(type(self).__name__, "angle", self.angle, period, ticks)
        return path[1:].copy(), np.diff(path) / period

    def torque(self, *, wanted: ArrayLike, wanted_rate: ArrayLike, angle: ArrayLike, rate: ArrayLike) -> Array:
        """Torque on the wheel [N·m], the wheel being at `angle` [rad] and turning at `rate` [rad/s]."""
        parts = (("wanted", wanted), ("angle", angle), ("wanted_rate", wanted_rate), ("rate", rate))
        goal, here, faster, speed = (checks.finite_array("Driver", name, value, "rad") for name, value in parts)
        try:
            total: Array = self.stiffness * (goal - here) + self.damping * (faster - speed)
        except ValueError:
            problem = f"wanted, angle, wanted_rate and rate have shapes {[np.shape(value) for _, value in parts]}."
            checks.refuse("Driver", problem, "Give numbers, or arrays of one shape.")
        return total

    def hand(self) -> Hand:
        """The same hands as a `tegotae.device.Hand`, for other device twins; needs a profile or a number."""
        angle = _timed("Driver", "angle", self.angle)
        return Hand(stiffness=self.stiffness, damping=self.damping, target=lambda time: angle(np.array([time])))


@dataclass(frozen=True, kw_only=True, eq=False)
class TorqueProfile(Declared):
    """A hand that exerts a torque over time, whatever the wheel does.

    Example:
        >>> from tegotae.steering.hands import Sine, TorqueProfile
        >>> TorqueProfile(torque=Sine(amplitude=3.0)).torques(0.5, 2).round(6).tolist()
        [2.12132, 3.0]
    """

    torque: Annotated[
        Profile | ArrayLike,
        Parameter(
            "[N·m], on the wheel, positive to the left: a profile, a number, or an array with one a tick",
            accept=partial(_profile_or_record, unit="N·m"),
        ),
    ]

    def torques(self, period: float, ticks: int) -> Array:
        """Torque [N·m] at the end of each tick, for a whole run.

        Args:
            period: T [s].
            ticks: how many.
        """
        return _sampled(type(self).__name__, "torque", self.torque, period, ticks)[1:].copy()

    def hand(self) -> Hand:
        """The same torque as a `tegotae.device.Hand`, for device twins; needs a profile or a number."""
        torque = _timed("TorqueProfile", "torque", self.torque)
        return Hand(
            stiffness=0.0, damping=0.0, target=lambda time: np.zeros(1), push=lambda time: torque(np.array([time]))
        )


def led_by(
    owner: str, force: Any, hand: Driver | TorqueProfile | None, duration: float | None, period: float
) -> tuple[Any, tuple[Array, Array] | None]:
    """Torque on the wheel as given, or by a hand over its duration; where a driver wants it, and the rate of that."""
    if (hand is None) == (force is None):
        got = "both hand and force" if hand is not None else "neither hand nor force"
        checks.refuse(owner, f"run got {got}.", "Give one of them.")
    if hand is None:
        if duration is not None:
            problem = f"duration={checks.shown(duration)} is given with a record, which has its own length."
            checks.refuse(owner, problem, "Give it with a hand.")
        return force, None
    if not isinstance(hand, TorqueProfile):
        remedy = "A profile says what a hand follows: give Driver(angle=…), or TorqueProfile(torque=…)."
        checks.instance(owner, "hand", hand, Driver, remedy)
    remedy = "Give how long the hand steers, in seconds."
    if duration is None:
        checks.refuse(owner, "run got a hand and no duration.", remedy)
    ticks = max(1, round(checks.positive(owner, "duration", duration, "s", remedy) / period))
    if isinstance(hand, TorqueProfile):
        return hand.torques(period, ticks), None
    return np.zeros(ticks), hand.angles(period, ticks)


def _signal(owner: str, name: str, value: ArrayLike, unit: str) -> Array:
    return checks.signal(owner, name, value, unit, 1).ravel().copy()


def _profile_or_record(owner: str, name: str, value: Profile | ArrayLike, unit: str) -> Profile | Array:
    """A profile as it is, a number as `Hold`, anything else as an array with one value a tick."""
    if callable(value) and not isinstance(value, type):
        return value
    if checks.is_real(value) or not isinstance(value, Sequence | np.ndarray) or isinstance(value, str | bytes):
        return Hold(value=checks.number(owner, name, value, unit, "Give a number, an array, or such as Sine(…)."))
    return _signal(owner, name, value, unit)


def _sampled(owner: str, name: str, value: Profile | ArrayLike, period: float, ticks: int) -> Array:
    """Values at times 0, T, ..., ticks T; a record with one value a tick is taken to start at its first."""
    period = checks.period_of(owner, period)
    ticks = checks.whole(owner, "ticks", ticks, 1, "Give at least one tick.")
    checks.fits_in_memory(owner, f"{name} over ticks={ticks}", float(ticks), "Give fewer ticks.")
    if callable(value):
        path = np.asarray(value(period * np.arange(ticks + 1)), dtype=np.float64)
        if path.shape != (ticks + 1,):
            checks.refuse(owner, f"{name} gave shape {path.shape} for {ticks + 1} times.", "Give one value a time.")
        checks.finite(owner, name, path, "")
        return path
    record = np.asarray(value, dtype=np.float64)
    if record.size != ticks:
        checks.refuse(owner, f"{name} has {record.size} values for {ticks} ticks.", "Give one value a tick.")
    return np.concatenate([record[:1], record])


def _timed(owner: str, name: str, value: Profile | ArrayLike) -> Profile:
    if not callable(value):
        checks.refuse(owner, f"{name} is an array, which has no times.", "Use Trace(values=…, period=…) instead.")
    return value
