"""`tegotae run steering`: a wheel, a hand and a tyre, from parked to top speed, forwards and backwards."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from numpy.typing import ArrayLike

from tegotae.checks import Array
from tegotae.device.hand import least_jerk
from tegotae.parameters import Declared, Duration, Parameter, Period, parameter_of
from tegotae.result import Result
from tegotae.scenarios import FIGURE, FILM, Picture, Quantity, Scenario, refuse_length, refuse_many
from tegotae.steering import Carcass, ContactPatch, SteeringSystem
from tegotae.steering.bristles import bristle_fields, tyre_of
from tegotae.steering.hands import Driver, Waypoints
from tegotae.toml_settings import Kinds


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

    def steer(self, run: Callable[..., Result], time: Array) -> Result:
        """Run a system with these hands."""
        driver = Driver(stiffness=self.stiffness, damping=self.damping, angle=self.wanted)
        return run(hand=driver, duration=float(time[-1]))


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
        return np.asarray(self.amplitude * np.sin(2.0 * np.pi * turns) * eased(4.0 * turns))


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

    def steer(self, run: Callable[..., Result], time: Array) -> Result:
        """Run a system with these hands."""
        return run(np.where(time < self.release, self.torque * eased(time / self.rise), 0.0))


def eased(share: Array) -> Array:
    """From 0 to 1 and no further over a share of time [-], without a jump in rate or acceleration."""
    return np.asarray(least_jerk(np.clip(share, 0.0, 1.0)))


_OWNER = "run steering"
_DRIVES = Kinds(constant=Constant(), reverse=Reverse(), points=SpeedPoints())
_HANDS = Kinds(sine=SineHand(), ramp=RampHand(), release=ReleaseHand())
_MOST_TICKS = 5_000_000  # about half a GB of record
_MOST_BRISTLES = 60_000_000  # numbers recorded for a film: the same
_CENTRE = 0.1  # wheel angle [rad] to both sides within which the slope is taken


@dataclass(frozen=True, kw_only=True)
class Steering(Declared):
    """A steering system, how it is driven, and who steers."""

    preset: Annotated[
        Literal["paper", "physical"],
        Parameter("paper: its numbers; physical: a stiff brush on a vehicle that slides and yaws"),
    ] = "paper"
    bristles: Annotated[int, parameter_of(ContactPatch, "bristles")] = 101
    duration: Duration = 8.0
    period: Period = 0.001
    drive: Annotated[Constant | Reverse | SpeedPoints, _DRIVES] = _DRIVES.default
    hand: Annotated[SineHand | RampHand | ReleaseHand, _HANDS] = _HANDS.default
    tread: Annotated[Carcass | None, Kinds(rigid=None, elastic=Carcass(stiffness=1e5, damping=100.0, mass=2.0))] = None

    def system(self) -> SteeringSystem:
        """The machine, as an object of the library."""
        make = {"paper": SteeringSystem.paper, "physical": SteeringSystem.physical}[self.preset]
        system = make(bristles=self.bristles)
        return dataclasses.replace(system, patch=dataclasses.replace(system.patch, carcass=self.tread))


def run(parameters: Steering, record: list[str] | None = None) -> Result:
    """Steer along."""
    period, duration = parameters.period, parameters.duration
    if not 1.5 <= duration / period <= _MOST_TICKS:
        refuse_length(_OWNER, duration, "period", period, "ticks", f"2 to {_MOST_TICKS:,}")
    time: Array = period * np.arange(1, round(duration / period) + 1, dtype=np.float64)
    fed = {"speed": parameters.drive.over(time)}
    result = parameters.hand.steer(partial(parameters.system().run, period=period, inputs=fed, record=record), time)
    words = f"{parameters.bristles} bristles, {1e3 * period:g} ms a tick, {parameters.preset} numbers"
    title = f"Steering {parameters.drive.words()}"
    about = {**result.about, "block": f"steering({words})"}
    if isinstance(parameters.drive, Constant):
        about["repeats_from"] = float(result.time[_cycle(parameters, result.time)][0])
    return Result(result.variables, title=title, about=about)


def _cycle(parameters: Steering, time: Array) -> slice:
    """The ticks that tell most: of a sine its last whole cycle, if there are two: the loop that is closed. Else all."""
    hand = parameters.hand
    length = 1.0 / hand.frequency if isinstance(hand, SineHand) else np.inf
    return slice(int(np.searchsorted(time, time[-1] - length)), None) if time[-1] >= 1.9 * length else slice(None)


def summary(parameters: Steering, result: Result) -> Sequence[Quantity]:
    """The numbers that tell how it went; of a sine, of its last cycle."""
    sine = isinstance(parameters.hand, SineHand)
    part = _cycle(parameters, result.time)
    angle, torque, stuck = result.wheel_angle[part], result.hand_torque[part], result.stuck[part]
    slides = np.flatnonzero(result.stuck == 0.0)
    # What the figure shows of the way there is not in these numbers: each says so.
    last = ", last cycle" if part.start else ""
    numbers = [
        Quantity(("loop area" if sine else "work of the hand") + last, float(np.trapezoid(torque, angle)), "J"),
        Quantity("peak hand torque" + last, float(np.abs(torque).max()), "N·m"),
    ]
    if slides.size:
        numbers.append(Quantity("first full slip, at wheel angle", float(result.wheel_angle[slides[0]]), "rad"))
    slope = _slope(angle, torque) if sine else None
    if slope is not None:
        numbers.append(Quantity("slope through the centre" + last, slope, "N·m/rad"))
    return [
        *numbers,
        Quantity("bristles that stick, in the mean" + last, 100.0 * float(stuck.mean()), "%"),
        Quantity("full slip" + last, 100.0 * float(np.mean(stuck == 0.0)), "% of the ticks"),
        Quantity("largest lateral force" + last, float(np.abs(result.lateral_force[part]).max()), "N"),
        Quantity("wheel angle at the end", float(result.wheel_angle[-1]), "rad"),
        Quantity("unsolved steps", float(result.about["unsolved_steps"]), "steps"),
    ]


def _slope(angle: Array, torque: Array) -> float | None:
    """Of torque over angle on the way to the left through the centre, if it passes there often enough."""
    there = np.flatnonzero((np.gradient(angle) > 0.0) & (np.abs(angle) < _CENTRE)) if angle.size > 2 else np.empty(0)
    return float(np.polyfit(angle[there], torque[there], 1)[0]) if there.size > 5 else None


def _maps(parameters: Steering, result: Result, path: Path) -> None:
    """Force and torque of the tyre over its slip angle, at the speeds that occurred."""
    from tegotae import figures

    fast = float(np.abs(result.speed).max())
    speeds = [5.0, 20.0, 70.0] if fast == 0.0 else [fast / 4.0, fast]
    figures.save(figures.tyre_maps(tyre_of(parameters.system()), speeds=speeds), path)


def _film(parameters: Steering, result: Result, path: Path) -> None:
    """The same run again, with every bristle recorded."""
    from tegotae import figures

    system = parameters.system()
    ticks, bristles = result.time.size, parameters.bristles
    problem = f"{bristles} bristles at {ticks:,} ticks are too many to film."
    refuse_many(_OWNER, problem, ticks * bristles, _MOST_BRISTLES)
    public = [name for name, part in system.parts.items() if part.recorded]
    seen = run(parameters, list(dict.fromkeys([*public, *bristle_fields(system)])))
    part = _cycle(parameters, result.time)
    shown = result.time[part]
    figures.animate_patch(seen, path, machine=system, between=(float(shown[0]), float(shown[-1])))


scenario = Scenario(
    name="steering",
    purpose="a wheel, a hand and a tyre, from parked to top speed, forwards and backwards",
    parameters=Steering,
    run=run,
    summary=summary,
    pictures={
        "--maps": Picture("the maps", FIGURE, _maps),
        "--animation": Picture("the film", FILM, _film),
    },
)
