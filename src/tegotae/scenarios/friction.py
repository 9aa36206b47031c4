"""`tegotae run friction`: one friction element, moved by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

import tegotae as tg
from tegotae import checks
from tegotae.checks import Array
from tegotae.friction import Law
from tegotae.parameters import Declared, Duration, Parameter, Period, parameter_of
from tegotae.result import Result, Variable
from tegotae.scenarios import Quantity, Scenario, refuse_length
from tegotae.toml_settings import Kinds, fields_for

_MOST_TICKS = 50_000_000  # about 3 GB of record


_LAWS = Kinds(
    coulomb=tg.Coulomb(4.0),
    viscous=tg.Viscous(4.0, 10.0),
    stribeck=tg.Stribeck(3.0, 4.0, 0.2),
    tabulated=tg.Tabulated((0.0, 0.1), (4.0, 3.0)),
)
Amplitude = Annotated[float, Parameter("[m], how far it moves")]
Frequency = Annotated[float, Parameter("[Hz], > 0, the cycles in a second; at least four ticks in a cycle")]


def _turns(frequency: float, time: Array) -> Array:
    """Angles [rad] over time at a frequency [Hz] that the ticks can follow: at least four of them in a cycle."""
    rate = (time.size - 1) / float(time[-1] - time[0])
    if frequency > 0.25 * rate * (1.0 + 1e-9):
        checks.refuse(
            "motion",
            f"frequency={frequency:g} Hz is too fast for {rate:.6g} ticks a second: it would look like another motion.",
            f"Use frequency <= {0.25 * rate:.6g} Hz, or period <= {0.25 / frequency:.3g} s.",
        )
    return 2.0 * np.pi * frequency * time


@dataclass(frozen=True, kw_only=True)
class SineMotion(Declared):
    """To and fro along the first axis."""

    amplitude: Amplitude = 0.005
    frequency: Frequency = 1.0

    def path(self, time: Array, dimension: int) -> Array:
        """Positions (ticks + 1, dimension) [m] at the times [s]."""
        path = np.zeros((time.size, dimension))
        path[:, 0] = self.amplitude * np.sin(_turns(self.frequency, time))
        return path


@dataclass(frozen=True, kw_only=True)
class HoldMotion(Declared):
    """Drawn out along the first axis, held, and let back: hold and release."""

    amplitude: Amplitude = 0.005
    rise: Annotated[float, Parameter("[s], > 0, the time to draw it out, and to let it back")] = 0.2
    hold: Annotated[float, Parameter("[s], >= 0, the time it is held")] = 1.0

    def path(self, time: Array, dimension: int) -> Array:
        """Positions (ticks + 1, dimension) [m] at the times [s]."""
        path, ends = np.zeros((time.size, dimension)), np.cumsum([0.0, self.rise, self.hold, self.rise])
        path[:, 0] = np.interp(time, ends, self.amplitude * np.array([0, 1, 1, 0]))
        return path


def _corners(owner: str, name: str, value: Sequence[Any]) -> tuple[Any, ...]:
    """Numbers, or lists of them."""
    points = (checks.finite_array(owner, f"{name}[{i}]", one, "m") for i, one in enumerate(value))
    return tuple(tuple(point.tolist()) if point.ndim == 1 else float(point) for point in points)


@dataclass(frozen=True, kw_only=True)
class PointsMotion(Declared):
    """Straight from point to point at one speed, so that all are passed in the whole duration."""

    points: Annotated[
        tuple[float | tuple[float, ...], ...],
        Parameter("[m], positions; one number a point in 1-D, [x, y] in 2-D", accept=_corners),
    ] = (0.0, 0.0015, -0.0015, 0.001, -0.0005, 0.0006, -0.0002, 0.0006, -0.0005, 0.001, -0.0015, 0.0015)

    def path(self, time: Array, dimension: int) -> Array:
        """Positions (ticks + 1, dimension) [m] at the times [s]."""
        remedy = f"Give two or more points of {dimension} number(s) each."
        try:
            corners = np.asarray(self.points, dtype=np.float64).reshape(len(self.points), dimension)
        except ValueError:
            checks.refuse("motion", f"points={self.points} do not fit dimension={dimension}.", remedy)
        distance = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(corners, axis=0), axis=1))])
        if len(corners) < 2 or not np.isfinite(distance[-1]) or distance[-1] == 0.0:
            checks.refuse("motion", f"points={self.points} do not move.", remedy)
        along = distance[-1] * time / time[-1]
        return np.stack([np.interp(along, distance, corners[:, i]) for i in range(dimension)], axis=1)


@dataclass(frozen=True, kw_only=True)
class CircleMotion(Declared):
    """Round and round in the plane of the first two axes."""

    amplitude: Amplitude = 0.005
    frequency: Frequency = 1.0

    def path(self, time: Array, dimension: int) -> Array:
        """Positions (ticks + 1, dimension) [m] at the times [s]."""
        if dimension < 2:
            checks.refuse("motion", f"a circle needs a plane, but dimension={dimension}.", "Set dimension=2.")
        path, angle = np.zeros((time.size, dimension)), _turns(self.frequency, time)
        path[:, 0], path[:, 1] = self.amplitude * np.cos(angle), self.amplitude * np.sin(angle)
        return path


@dataclass(frozen=True, kw_only=True)
class FrictionRun(Declared):
    """One friction element, and how it is moved."""

    stiffness: Annotated[float, parameter_of(tg.FrictionImpedance, "stiffness")] = 6000.0
    damping: Annotated[float, parameter_of(tg.FrictionImpedance, "damping")] = 10.0
    mass: Annotated[float, parameter_of(tg.FrictionImpedance, "mass")] = 0.0
    lag: Annotated[float, parameter_of(tg.FrictionImpedance, "lag")] = 0.0
    dimension: Annotated[int, Parameter("1 to 3, number of directions")] = 1
    duration: Duration = 2.0
    period: Period = 0.001
    law: Annotated[Law, _LAWS] = _LAWS.default
    motion: Annotated[
        SineMotion | HoldMotion | PointsMotion | CircleMotion,
        Kinds(sine=SineMotion(), hold=HoldMotion(), points=PointsMotion(), circle=CircleMotion()),
    ] = SineMotion()


def run(parameters: FrictionRun) -> Result:
    """Move the element along the path; positions are recorded beside what the element records."""
    period, duration = parameters.period, parameters.duration
    ticks = round(duration / period) if duration / period < 2.0 * _MOST_TICKS else 2 * _MOST_TICKS
    if not 1 <= ticks <= _MOST_TICKS:
        refuse_length("run friction", duration, "period", period, "ticks", f"1 to {_MOST_TICKS:,} ticks")
    element = tg.FrictionImpedance(**fields_for(tg.FrictionImpedance, parameters))
    path = parameters.motion.path(period * np.arange(ticks + 1, dtype=np.float64), parameters.dimension)
    velocity = np.diff(path, axis=0) / period
    after = path[1:]
    if parameters.dimension == 1:
        velocity, after = velocity[:, 0], after[:, 0]
    result = element.run(velocity, period=period)
    moved = Variable(result.variables["velocity"].dims, after, "m", "where the mover is at the end of the tick")
    return Result({**result.variables, "position": moved}, title="Friction, moved by hand", about=result.about)


def summary(parameters: FrictionRun, result: Result) -> Sequence[Quantity]:
    """The numbers that tell how it went."""
    count = result.time.size
    columns = {name: result[name].reshape(count, -1) for name in ("force", "velocity", "slip_velocity", "deflection")}
    power = -np.sum(columns["force"] * columns["velocity"], axis=1)
    stuck = ~columns["slip_velocity"].any(axis=1)
    return [
        Quantity("largest force", _largest(columns["force"]), "N"),
        Quantity("largest deflection", _largest(columns["deflection"]), "m"),
        Quantity("largest slip speed", _largest(columns["slip_velocity"]), "m/s"),
        Quantity("share of ticks that stick", float(stuck.mean())),
        Quantity("energy taken from the mover", float(power.sum() * parameters.period), "J"),
    ]


def _largest(vectors: Array) -> float:
    return float(np.max(np.linalg.norm(vectors, axis=1)))


scenario = Scenario(
    name="friction",
    purpose="one friction element, moved by hand",
    parameters=FrictionRun,
    run=run,
    summary=summary,
)
