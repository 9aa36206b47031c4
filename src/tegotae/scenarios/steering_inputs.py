"""The parts of `tegotae run steering`: how fast it drives, who steers, and what the tread is mounted on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from tegotae.checks import Array
from tegotae.device.hand import least_jerk
from tegotae.parameters import Declared, Parameter, parameter_of
from tegotae.result import Result
from tegotae.steering import SteeringSystem
from tegotae.steering.hands import Driver, Waypoints


@dataclass(frozen=True, kw_only=True)
class Constant(Declared):
    """The same speed all the time."""

    speed: Annotated[float, Parameter("[m/s], of the vehicle; 0 is parked, negative backwards")] = 20.0

    def over(self, time: Array) -> ArrayLike:
        """V over time [m/s]."""
        return self.speed

    def words(self) -> str:
        """For the head of the figure."""
        return "parked" if self.speed == 0.0 else f"at {self.speed:g} m/s"


@dataclass(frozen=True, kw_only=True)
class Reverse(Declared):
    """Brake through standstill, and drive backwards."""

    speed: Annotated[float, Parameter("[m/s], at the start")] = 10.0
    braking: Annotated[float, Parameter("[m/s²], > 0, deceleration")] = 3.0
    begin: Annotated[float, Parameter("[s], >= 0, when it brakes")] = 1.0
    backwards: Annotated[float, Parameter("[m/s], >= 0, speed reached in the end, backwards")] = 3.0

    def over(self, time: Array) -> ArrayLike:
        """V over time [m/s]."""
        slower = self.speed - self.braking * np.maximum(time - self.begin, 0.0)
        return np.maximum(slower, min(self.speed, -self.backwards))

    def words(self) -> str:
        """For the head of the figure."""
        return f"through standstill, {self.speed:g} to {0.0 - self.backwards:g} m/s"


@dataclass(frozen=True, kw_only=True)
class SpeedPoints(Declared):
    """Speeds at given times, with straight lines between."""

    times: Annotated[tuple[float, ...], Parameter("[s], rising")] = (0.0, 4.0, 8.0)
    speeds: Annotated[tuple[float, ...], Parameter("[m/s], one a time")] = (0.0, 20.0, -5.0)

    def over(self, time: Array) -> ArrayLike:
        """V over time [m/s]."""
        return Waypoints(times=self.times, values=self.speeds)(time)

    def words(self) -> str:
        """For the head of the figure."""
        return "at a speed that changes"


class _Arms(Declared, ABC):
    """Hands that want the wheel at an angle."""

    stiffness: float
    damping: float

    @abstractmethod
    def wanted(self, time: ArrayLike) -> Array:
        """The wanted angle over time [rad]."""

    def steer(
        self, system: SteeringSystem, time: Array, period: float, speed: ArrayLike, record: list[str] | None
    ) -> Result:
        """Run it."""
        driver = Driver(stiffness=self.stiffness, damping=self.damping, angle=self.wanted)
        fed = {"speed": speed}
        return system.run(hand=driver, duration=time.size * period, period=period, inputs=fed, record=record)

    def cycle(self, time: Array) -> slice:
        """The ticks that tell most: all of them."""
        return slice(None)


@dataclass(frozen=True, kw_only=True)
class SineHand(_Arms):
    """Hands that want the wheel to and fro; they begin gently."""

    amplitude: Annotated[float, Parameter("[rad], of the wheel; 8 for parking")] = 1.2
    frequency: Annotated[float, Parameter("[Hz], > 0")] = 0.25
    stiffness: Annotated[float, parameter_of(Driver, "stiffness")] = 10.0
    damping: Annotated[float, parameter_of(Driver, "damping")] = 1.0

    def wanted(self, time: ArrayLike) -> Array:
        """A sine that takes a quarter of its first cycle to begin [rad]."""
        turns = self.frequency * np.asarray(time, dtype=np.float64)
        wave: Array = self.amplitude * np.sin(2.0 * np.pi * turns) * eased(4.0 * turns)
        return wave

    def cycle(self, time: Array) -> slice:
        """The last whole cycle, if there are two: the loop that is closed."""
        length = 1.0 / self.frequency
        return slice(int(np.searchsorted(time, time[-1] - length)), None) if time[-1] >= 1.9 * length else slice(None)


@dataclass(frozen=True, kw_only=True)
class RampHand(_Arms):
    """Hands that turn the wheel to an angle, and hold it."""

    angle: Annotated[float, Parameter("[rad], of the wheel in the end")] = 1.2
    rise: Annotated[float, Parameter("[s], > 0, time that it takes")] = 2.0
    stiffness: Annotated[float, parameter_of(Driver, "stiffness")] = 10.0
    damping: Annotated[float, parameter_of(Driver, "damping")] = 1.0

    def wanted(self, time: ArrayLike) -> Array:
        """Up to the angle [rad]."""
        return self.angle * eased(np.asarray(time) / self.rise)


@dataclass(frozen=True, kw_only=True)
class ReleaseHand(Declared):
    """Hands that wind the wheel up by a torque, and let go."""

    torque: Annotated[float, Parameter("[N·m], on the wheel")] = 0.8
    rise: Annotated[float, Parameter("[s], > 0, time that the torque takes to build up")] = 2.0
    release: Annotated[float, Parameter("[s], > 0, when they let go")] = 3.0

    def steer(
        self, system: SteeringSystem, time: Array, period: float, speed: ArrayLike, record: list[str] | None
    ) -> Result:
        """Run it."""
        torque = np.where(time < self.release, self.torque * eased(time / self.rise), 0.0)
        return system.run(torque, period=period, inputs={"speed": speed}, record=record)

    def cycle(self, time: Array) -> slice:
        """All of it."""
        return slice(None)


def eased(share: Array) -> Array:
    """From 0 to 1 and no further over a share of time [-], without a jump in rate or acceleration."""
    way: Array = least_jerk(np.clip(share, 0.0, 1.0))
    return way
