"""Hands at the wheel: a driver who wants an angle, a hand that exerts a torque, and what either follows over time.

Profiles are functions of time that take a moment or many: `Sine`, `Ramp`, `Hold`, `Waypoints`, `Trace`. A plain number
is held, a plain array has one value a tick. Signs: angles and torques are positive to the left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tegotae import checks
from tegotae.checks import Array
from tegotae.device.hand import Hand
from tegotae.parameters import Declared, Parameter, Period


@runtime_checkable
class Profile(Protocol):
    """A quantity over time: called with times [s], it gives as many values, [rad] or [N·m].

    Example:
        >>> from tegotae.steering.hands import Profile, Sine
        >>> isinstance(Sine(amplitude=1.2), Profile)
        True
    """

    def __call__(self, time: ArrayLike) -> Array:
        """Values at these times [s]."""


@dataclass(frozen=True, kw_only=True)
class Sine(Declared):
    """To and fro: centre + amplitude sin(2 pi frequency time).

    Example:
        >>> from tegotae.steering.hands import Sine
        >>> Sine(amplitude=1.2)([0.0, 1.0]).tolist()
        [0.0, 1.2]
    """

    amplitude: Annotated[float, Parameter("[rad], or [N·m] for a torque")]
    frequency: Annotated[float, Parameter("[Hz], > 0", "Give cycles a second.")] = 0.25
    centre: Annotated[float, Parameter("[rad], or [N·m]")] = 0.0

    def __call__(self, time: ArrayLike) -> Array:
        """Values at these times [s]."""
        wave: Array = self.centre + self.amplitude * np.sin(2.0 * np.pi * self.frequency * _times(self, time))
        return wave


@dataclass(frozen=True, kw_only=True)
class Ramp(Declared):
    """At a constant rate from where it begins, and still from `until` on.

    Example:
        >>> from tegotae.steering.hands import Ramp
        >>> Ramp(rate=2.0, until=1.0)([0.5, 3.0]).tolist()
        [1.0, 2.0]
    """

    rate: Annotated[float, Parameter("[rad/s], or [N·m/s]")]
    begin: Annotated[float, Parameter("[rad], or [N·m], value at time 0")] = 0.0
    until: Annotated[float | None, Parameter("[s], > 0, when it stops; never unless given")] = None

    def __call__(self, time: ArrayLike) -> Array:
        """Values at these times [s]."""
        passed = _times(self, time)
        way: Array = self.begin + self.rate * (passed if self.until is None else np.minimum(passed, self.until))
        return way


@dataclass(frozen=True, kw_only=True)
class Hold(Declared):
    """Always the same.

    Example:
        >>> from tegotae.steering.hands import Hold
        >>> Hold(value=0.5)([0.0, 9.0]).tolist()
        [0.5, 0.5]
    """

    value: Annotated[float, Parameter("[rad], or [N·m]")]

    def __call__(self, time: ArrayLike) -> Array:
        """Values at these times [s]."""
        return np.full(_times(self, time).shape, self.value)


@dataclass(frozen=True, kw_only=True, eq=False)
class Waypoints(Declared):
    """Straight lines from point to point; still before the first and after the last.

    Example:
        >>> from tegotae.steering.hands import Waypoints
        >>> Waypoints(times=[1.0, 3.0], values=[0.0, 4.0])([0.0, 2.0, 5.0]).tolist()
        [0.0, 2.0, 4.0]
    """

    times: Annotated[
        Sequence[float] | NDArray[np.float64], Parameter("[s], when, rising", accept=partial(_signal, unit="s"))
    ]
    values: Annotated[
        Sequence[float] | NDArray[np.float64],
        Parameter("[rad], or [N·m], how much then", accept=partial(_signal, unit="rad")),
    ]

    def __post_init__(self) -> None:
        super().__post_init__()
        own, times, values = type(self).__name__, np.asarray(self.times), np.asarray(self.values)
        if times.size != values.size:
            checks.refuse(own, f"{times.size} times for {values.size} values.", "Give one value a time.")
        if (np.diff(times) <= 0.0).any():
            checks.refuse(own, f"times={times.tolist()} s do not rise.", "Give each time after the one before.")

    def __call__(self, time: ArrayLike) -> Array:
        """Values at these times [s]."""
        return np.interp(_times(self, time), self.times, self.values)


@dataclass(frozen=True, kw_only=True, eq=False)
class Trace(Declared):
    """A record of a real hand, taken every so often; between samples it is a straight line, at its ends still.

    Example:
        >>> from tegotae.steering.hands import Trace
        >>> Trace(values=[0.0, 0.1, 0.3], period=0.01)([0.005, 0.02, 1.0]).tolist()
        [0.05, 0.3, 0.3]
    """

    values: Annotated[
        Sequence[float] | NDArray[np.float64],
        Parameter("[rad], or [N·m], what was recorded; the first at time 0", accept=partial(_signal, unit="rad")),
    ]
    period: Period

    def __call__(self, time: ArrayLike) -> Array:
        """Values at these times [s]."""
        times = self.period * np.arange(len(self.values))
        return np.interp(_times(self, time), times, self.values)


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
            told = f"wanted, angle, wanted_rate and rate have shapes {[np.shape(value) for _, value in parts]}."
            checks.refuse("Driver", told, "Give numbers, or arrays of one shape.")
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


def _times(profile: object, time: ArrayLike) -> Array:
    return checks.finite_array(type(profile).__name__, "time", time, "s")


def _signal(owner: str, name: str, value: ArrayLike, unit: str) -> Array:
    return checks.signal(owner, name, value, unit, 1).ravel().copy()


def _profile_or_record(owner: str, name: str, value: Profile | ArrayLike, unit: str) -> Profile | Array:
    """A profile as it is, a number as `Hold`, anything else as an array with one value a tick."""
    if isinstance(value, Profile) and not isinstance(value, type):
        return value
    if checks.is_real(value) or not isinstance(value, Sequence | np.ndarray) or isinstance(value, str | bytes):
        return Hold(value=checks.number(owner, name, value, unit, "Give a number, an array, or such as Sine(…)."))
    return _signal(owner, name, value, unit)


def _sampled(owner: str, name: str, value: Profile | ArrayLike, period: float, ticks: int) -> Array:
    """Values at times 0, T, ..., ticks T; a record with one value a tick is taken to start at its first."""
    period = checks.period_of(owner, period)
    ticks = checks.whole(owner, "ticks", ticks, 1, "Give at least one tick.")
    checks.fits_in_memory(owner, f"{name} over ticks={ticks}", float(ticks), "Give fewer ticks.")
    if isinstance(value, Profile):
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
    if not isinstance(value, Profile):
        checks.refuse(owner, f"{name} is an array, which knows no times.", "Use Trace(values=…, period=…) instead.")
    return value
