"""The parts of `tegotae run steering`: how fast it drives, who steers, and what the tread is mounted on."""

from __future__ import annotations

from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.result import Result
from tegotae.steering import Carcass, SteeringSystem
from tegotae.steering.hands import Driver, Waypoints

_OWN = "run steering"


class _Group(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """Unknown names are errors, not silently ignored."""


class Constant(_Group, frozen=True, tag="constant"):
    """The same speed all the time."""

    speed: Annotated[float, Meta(description="[m/s]; 0 is parked, negative backwards")] = 20.0

    def over(self, time: Array) -> ArrayLike:
        """V over time [m/s]."""
        return checks.number(_OWN, "drive.speed", self.speed, "m/s", "Give a speed, such as 20.")

    def words(self) -> str:
        """For the head of the figure."""
        return "parked" if self.speed == 0.0 else f"at {self.speed:g} m/s"


class Reverse(_Group, frozen=True, tag="reverse"):
    """Brake through standstill, and drive backwards."""

    speed: Annotated[float, Meta(description="at the start [m/s]")] = 10.0
    braking: Annotated[float, Meta(description="deceleration [m/s²], > 0")] = 3.0
    begin: Annotated[float, Meta(description="when it brakes [s], >= 0")] = 1.0
    backwards: Annotated[float, Meta(description="speed reached in the end, backwards [m/s], >= 0")] = 3.0

    def over(self, time: Array) -> ArrayLike:
        """V over time [m/s]."""
        V = checks.number(_OWN, "drive.speed", self.speed, "m/s", "Give a speed, such as 10.")
        braking = checks.positive(_OWN, "drive.braking", self.braking, "m/s²", "Such as 3.")
        begin = checks.at_least_zero(_OWN, "drive.begin", self.begin, "s", "Give a moment of the run.")
        back = checks.at_least_zero(_OWN, "drive.backwards", self.backwards, "m/s", "Give 0 to stop.")
        return np.maximum(V - braking * np.maximum(time - begin, 0.0), min(V, -back))

    def words(self) -> str:
        """For the head of the figure."""
        return f"through standstill, {self.speed:g} to {0.0 - self.backwards:g} m/s"


class Points(_Group, frozen=True, tag="points"):
    """Speeds at given times, with straight lines between."""

    times: Annotated[tuple[float, ...], Meta(description="[s], rising")] = (0.0, 4.0, 8.0)
    speeds: Annotated[tuple[float, ...], Meta(description="[m/s], one a time")] = (0.0, 20.0, -5.0)

    def over(self, time: Array) -> ArrayLike:
        """V over time [m/s]."""
        return Waypoints(times=self.times, values=self.speeds)(time)

    def words(self) -> str:
        """For the head of the figure."""
        return "at a speed that changes"


class SineHand(_Group, frozen=True, tag="sine"):
    """Hands that want the wheel to and fro; they begin gently."""

    amplitude: Annotated[float, Meta(description="of the wheel [rad]; 8 for parking")] = 1.2
    frequency: Annotated[float, Meta(description="[Hz], > 0")] = 0.25
    stiffness: Annotated[float, Meta(description="of the arms [N·m/rad], >= 0")] = 10.0
    damping: Annotated[float, Meta(description="of the arms [N·m·s/rad], >= 0")] = 1.0

    def angle(self, time: ArrayLike) -> Array:
        """The wanted angle [rad]: a sine that takes a quarter of its first cycle to begin."""
        turns = self.frequency * np.asarray(time, dtype=np.float64)
        wave: Array = self.amplitude * np.sin(2.0 * np.pi * turns) * eased(4.0 * turns)
        return wave

    def steer(self, system: SteeringSystem, time: Array, period: float, speed: ArrayLike, record: list[str]) -> Result:
        """Run it."""
        checks.number(_OWN, "hand.amplitude", self.amplitude, "rad", "Such as 1.2.")
        checks.positive(_OWN, "hand.frequency", self.frequency, "Hz", "Such as 0.25.")
        driver = Driver(stiffness=self.stiffness, damping=self.damping, angle=self.angle)
        return system.run(hand=driver, duration=time.size * period, period=period, speed=speed, record=record)

    def cycle(self, time: Array) -> slice:
        """The last whole cycle, if there are two: the loop that is closed."""
        length = 1.0 / self.frequency
        return slice(int(np.searchsorted(time, time[-1] - length)), None) if time[-1] >= 1.9 * length else slice(None)


class RampHand(_Group, frozen=True, tag="ramp"):
    """Hands that turn the wheel to an angle, and hold it."""

    angle: Annotated[float, Meta(description="of the wheel in the end [rad]")] = 1.2
    rise: Annotated[float, Meta(description="time that it takes [s], > 0")] = 2.0
    stiffness: Annotated[float, Meta(description="of the arms [N·m/rad], >= 0")] = 10.0
    damping: Annotated[float, Meta(description="of the arms [N·m·s/rad], >= 0")] = 1.0

    def steer(self, system: SteeringSystem, time: Array, period: float, speed: ArrayLike, record: list[str]) -> Result:
        """Run it."""
        angle = checks.number(_OWN, "hand.angle", self.angle, "rad", "Such as 1.2.")
        rise = checks.positive(_OWN, "hand.rise", self.rise, "s", "Such as 2.")
        driver = Driver(
            stiffness=self.stiffness, damping=self.damping, angle=lambda t: angle * eased(np.asarray(t) / rise)
        )
        return system.run(hand=driver, duration=time.size * period, period=period, speed=speed, record=record)

    def cycle(self, time: Array) -> slice:
        """All of it."""
        return slice(None)


class ReleaseHand(_Group, frozen=True, tag="release"):
    """Hands that wind the wheel up by a torque, and let go."""

    torque: Annotated[float, Meta(description="on the wheel [N·m]")] = 0.8
    rise: Annotated[float, Meta(description="time that the torque takes to build up [s], > 0")] = 2.0
    release: Annotated[float, Meta(description="when they let go [s], > 0")] = 3.0

    def steer(self, system: SteeringSystem, time: Array, period: float, speed: ArrayLike, record: list[str]) -> Result:
        """Run it."""
        most = checks.number(_OWN, "hand.torque", self.torque, "N·m", "Such as 0.8.")
        rise = checks.positive(_OWN, "hand.rise", self.rise, "s", "Such as 2.")
        release = checks.positive(_OWN, "hand.release", self.release, "s", "Such as 3.")
        torque = np.where(time < release, most * eased(time / rise), 0.0)
        return system.run(hand_torque=torque, period=period, speed=speed, record=record)

    def cycle(self, time: Array) -> slice:
        """All of it."""
        return slice(None)


class RigidTread(_Group, frozen=True, tag="rigid"):
    """A tread that does not give way under the rim, as in the paper."""

    def carcass(self) -> Carcass | None:
        """As an object of the library."""
        return None


class ElasticTread(_Group, frozen=True, tag="elastic"):
    """A tread that gives way sideways: forces build up over a relaxation length."""

    stiffness: Annotated[float, Meta(description="[N/m], > 0")] = 1e5
    damping: Annotated[float, Meta(description="[N·s/m], >= 0")] = 100.0
    mass: Annotated[float, Meta(description="of the tread [kg], >= 0")] = 2.0

    def carcass(self) -> Carcass | None:
        """As an object of the library."""
        return Carcass(stiffness=self.stiffness, damping=self.damping, mass=self.mass)


def eased(share: Array) -> Array:
    """From 0 to 1 and no further, without a jump in rate or acceleration.

    Args:
        share: of the time that it takes [-].

    Example:
        >>> eased(np.array([-1.0, 0.5, 2.0])).tolist()
        [0.0, 0.5, 1.0]
    """
    s = np.clip(share, 0.0, 1.0)
    way: Array = s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
    return way
