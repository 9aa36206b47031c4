"""`tegotae run steering`: a wheel, a hand and a tyre, from parked to top speed, forwards and backwards."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import numpy as np

from tegotae import checks
from tegotae.checks import Array
from tegotae.parameters import Declared, Duration, Parameter, Period, parameter_of
from tegotae.result import Result
from tegotae.scenarios.scenario import FIGURE, FILM, Picture, Quantity, Scenario
from tegotae.scenarios.steering_inputs import Constant, RampHand, ReleaseHand, Reverse, SineHand, SpeedPoints
from tegotae.steering import Carcass, ContactPatch, SteeringSystem
from tegotae.steering.bristles import bristle_fields, tyre_of
from tegotae.toml_settings import Kinds

_OWN = "run steering"
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


def run(parameters: Steering) -> Result:
    """Steer along."""
    return _run(parameters, None)


def _run(parameters: Steering, record: list[str] | None) -> Result:
    period, duration = parameters.period, parameters.duration
    if not 1.5 <= duration / period <= _MOST_TICKS:
        checks.refuse(
            _OWN,
            f"duration={duration:g} s at period={period:g} s is {duration / period:.3g} ticks.",
            f"Choose them so that there are 2 to {_MOST_TICKS:,}.",
        )
    time: Array = period * np.arange(1, round(duration / period) + 1, dtype=np.float64)
    speed = parameters.drive.over(time)
    result = parameters.hand.steer(parameters.system(), time, period, speed, record)
    words = f"{parameters.bristles} bristles, {1e3 * period:g} ms a tick, {parameters.preset} numbers"
    title = f"Steering {parameters.drive.words()}"
    about = {**result.about, "block": f"steering({words})"}
    if isinstance(parameters.drive, Constant):
        about["repeats_from"] = float(result.time[parameters.hand.cycle(result.time)][0])
    return Result(result.variables, title=title, about=about)


def summary(parameters: Steering, result: Result) -> Sequence[Quantity]:
    """The numbers that tell how it went; of a sine, of its last cycle."""
    sine = isinstance(parameters.hand, SineHand)
    part = parameters.hand.cycle(result.time)
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
    count = result.time.size * parameters.bristles
    if count > _MOST_BRISTLES:
        checks.refuse(
            _OWN,
            f"{parameters.bristles} bristles at {result.time.size:,} ticks are too many to film.",
            f"Choose them so that their product stays below {_MOST_BRISTLES:,}.",
        )
    public = [name for name, part in system.parts.items() if part.recorded]
    seen = _run(parameters, list(dict.fromkeys([*public, *bristle_fields(system)])))
    part = parameters.hand.cycle(result.time)
    shown = result.time[part]
    figures.animate_patch(seen, path, machine=system, between=(float(shown[0]), float(shown[-1])))


scenario = Scenario(
    name="steering",
    purpose="a wheel, a hand and a tyre, from parked to top speed, forwards and backwards",
    parameters=Steering,
    run=run,
    summary=summary,
    shortcuts={
        "--speed": "drive.speed",
        "--drive": "drive.kind",
        "--hand": "hand.kind",
        "--preset": "preset",
        "--until": "duration",
    },
    pictures={
        "--maps": Picture("the maps", FIGURE, _maps),
        "--animation": Picture("the film", FILM, _film),
    },
)
