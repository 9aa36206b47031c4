"""`tegotae run friction`: one friction element, moved by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta

import tegotae as tg
from tegotae import checks
from tegotae.checks import Array
from tegotae.result import Result, Variable
from tegotae.scenarios.scenario import Number, Scenario

_MOST_TICKS = 50_000_000  # about 3 GB of record


class _Group(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Unknown names are errors, not silently ignored."""


class CoulombLaw(_Group, frozen=True, tag_field="kind", tag="coulomb"):
    """Constant friction."""

    limit: Annotated[float, Meta(description="friction force [N], > 0")] = 4.0

    def law(self) -> tg.Coulomb:
        """As an object of the library."""
        return tg.Coulomb(self.limit)


class ViscousLaw(_Group, frozen=True, tag_field="kind", tag="viscous"):
    """Constant friction plus viscosity."""

    limit: Annotated[float, Meta(description="friction force at rest [N], > 0")] = 4.0
    viscosity: Annotated[float, Meta(description="rise with speed [N·s/m], >= 0")] = 10.0

    def law(self) -> tg.Viscous:
        """As an object of the library."""
        return tg.Viscous(self.limit, self.viscosity)


class StribeckLaw(_Group, frozen=True, tag_field="kind", tag="stribeck"):
    """Friction that falls from a static to a kinetic level."""

    kinetic: Annotated[float, Meta(description="level at speed [N], > 0")] = 3.0
    static: Annotated[float, Meta(description="level at rest [N], >= kinetic")] = 4.0
    velocity: Annotated[float, Meta(description="speed over which it falls [m/s], > 0")] = 0.2
    exponent: Annotated[float, Meta(description="sharpness of the fall [-], >= 1")] = 2.0
    viscosity: Annotated[float, Meta(description="rise with speed [N·s/m], >= 0")] = 0.0

    def law(self) -> tg.Stribeck:
        """As an object of the library."""
        return tg.Stribeck(self.kinetic, self.static, self.velocity, self.exponent, self.viscosity)


class TabulatedLaw(_Group, frozen=True, tag_field="kind", tag="tabulated"):
    """A measured law."""

    speeds: Annotated[tuple[float, ...], Meta(description="slip speeds [m/s], rising from 0")] = (0.0, 0.1)
    forces: Annotated[tuple[float, ...], Meta(description="friction forces [N], one a speed")] = (4.0, 3.0)

    def law(self) -> tg.Tabulated:
        """As an object of the library."""
        return tg.Tabulated(self.speeds, self.forces)


def _beat(frequency: float, time: Array, remedy: str) -> float:
    """A frequency [Hz] that the ticks can follow: at least four of them in a cycle."""
    own = checks.positive("motion", "frequency", frequency, "Hz", remedy)
    rate = (time.size - 1) / float(time[-1] - time[0])
    if own > 0.25 * rate * (1.0 + 1e-9):
        checks.refuse(
            "motion",
            f"frequency={own:g} Hz is too fast for {rate:.6g} ticks in a second: it would look like another motion.",
            f"Use frequency <= {0.25 * rate:.6g} Hz, or period <= {0.25 / own:.3g} s.",
        )
    return own


def _reach(amplitude: float) -> float:
    return checks.number("motion", "amplitude", amplitude, "m", "Give how far it moves.")


class Sine(_Group, frozen=True, tag_field="kind", tag="sine"):
    """To and fro along the first axis."""

    amplitude: Annotated[float, Meta(description="half the way [m]")] = 0.005
    frequency: Annotated[float, Meta(description="[Hz], > 0, at least four ticks in a cycle")] = 1.0

    def path(self, time: Array, dimension: int) -> Array:
        """Positions (ticks + 1, dimension) [m] at the times [s]."""
        frequency = _beat(self.frequency, time, "Give the cycles in a second.")
        path = np.zeros((time.size, dimension))
        path[:, 0] = _reach(self.amplitude) * np.sin(2.0 * np.pi * frequency * time)
        return path


class Hold(_Group, frozen=True, tag_field="kind", tag="hold"):
    """Drawn out along the first axis, held, and let back: hold and release."""

    amplitude: Annotated[float, Meta(description="how far it is drawn [m]")] = 0.005
    rise: Annotated[float, Meta(description="time to draw it out, and to let it back [s], > 0")] = 0.2
    hold: Annotated[float, Meta(description="time it is held [s], >= 0")] = 1.0

    def path(self, time: Array, dimension: int) -> Array:
        """Positions (ticks + 1, dimension) [m] at the times [s]."""
        rise = checks.positive("motion", "rise", self.rise, "s", "Give the time it takes to draw it out.")
        hold = checks.at_least_zero("motion", "hold", self.hold, "s", "Give a time, or 0 to let go at once.")
        path = np.zeros((time.size, dimension))
        path[:, 0] = np.interp(
            time, [0.0, rise, rise + hold, 2 * rise + hold], _reach(self.amplitude) * np.array([0, 1, 1, 0])
        )
        return path


class Points(_Group, frozen=True, tag_field="kind", tag="points"):
    """Straight from point to point at one speed, so that all are passed in the whole duration."""

    points: Annotated[
        tuple[float | tuple[float, ...], ...],
        Meta(description="positions [m]; one number a point in 1-D, [x, y] in 2-D"),
    ] = (0.0, 0.0015, -0.0015, 0.001, -0.0005, 0.0006, -0.0002, 0.0006, -0.0005, 0.001, -0.0015, 0.0015)

    def path(self, time: Array, dimension: int) -> Array:
        """Positions (ticks + 1, dimension) [m] at the times [s]."""
        remedy = f"Give two or more points of {dimension} number(s) each."
        try:
            corners = np.asarray(self.points, dtype=np.float64).reshape(len(self.points), dimension)
        except ValueError:
            checks.refuse("motion", f"points={self.points} do not fit dimension={dimension}.", remedy)
        way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(corners, axis=0), axis=1))])
        if len(corners) < 2 or not np.isfinite(way[-1]) or way[-1] == 0.0:
            checks.refuse("motion", f"points={self.points} make no way.", remedy)
        along = way[-1] * time / time[-1]
        return np.stack([np.interp(along, way, corners[:, i]) for i in range(dimension)], axis=1)


class Circle(_Group, frozen=True, tag_field="kind", tag="circle"):
    """Round and round in the plane of the first two axes."""

    amplitude: Annotated[float, Meta(description="radius [m]")] = 0.005
    frequency: Annotated[float, Meta(description="turns in a second [Hz], > 0, at least four ticks in a turn")] = 1.0

    def path(self, time: Array, dimension: int) -> Array:
        """Positions (ticks + 1, dimension) [m] at the times [s]."""
        if dimension < 2:
            checks.refuse("motion", f"a circle needs a plane, but dimension={dimension}.", "Set dimension=2.")
        frequency = _beat(self.frequency, time, "Give the turns in a second.")
        path = np.zeros((time.size, dimension))
        angle = 2.0 * np.pi * frequency * time
        path[:, 0], path[:, 1] = np.cos(angle), np.sin(angle)
        path *= _reach(self.amplitude)
        return path


class Friction(_Group, frozen=True):
    """One friction element, and how it is moved."""

    stiffness: Annotated[float, Meta(description="of the element while it sticks [N/m], > 0")] = 6000.0
    damping: Annotated[float, Meta(description="of the element while it sticks [N·s/m], >= 0")] = 10.0
    mass: Annotated[float, Meta(description="of the virtual point [kg], >= 0")] = 0.0
    lag: Annotated[float, Meta(description="by which the law sees the slip speed late [s], >= 0")] = 0.0
    dimension: Annotated[int, Meta(description="number of directions, 1 to 3", ge=1, le=3)] = 1
    duration: Annotated[float, Meta(description="of the run [s], > 0")] = 2.0
    period: Annotated[float, Meta(description="of a tick [s], > 0")] = 0.001
    law: CoulombLaw | ViscousLaw | StribeckLaw | TabulatedLaw = CoulombLaw()
    motion: Sine | Hold | Points | Circle = Sine()


def run(parameters: Friction) -> Result:
    """Move the element along the path; positions are recorded beside what the element records.

    Args:
        parameters: of the scenario, with their units in `Friction`.

    Example:
        >>> float(abs(run(Friction()).force).max())
        4.0
    """
    own = "run friction"
    period = checks.period_of(own, parameters.period)
    duration = checks.positive(own, "duration", parameters.duration, "s", "Give the length of the run.")
    ticks = round(duration / period) if duration / period < 2.0 * _MOST_TICKS else 2 * _MOST_TICKS
    if not 1 <= ticks <= _MOST_TICKS:
        checks.refuse(
            own,
            f"duration={duration:g} s at period={period:g} s is {duration / period:.3g} ticks.",
            f"Choose them so that there are 1 to {_MOST_TICKS:,} ticks.",
        )
    element = tg.FrictionImpedance(
        stiffness=parameters.stiffness,
        damping=parameters.damping,
        law=parameters.law.law(),
        mass=parameters.mass,
        lag=parameters.lag,
        dimension=parameters.dimension,
    )
    path = parameters.motion.path(period * np.arange(ticks + 1, dtype=np.float64), parameters.dimension)
    velocity = np.diff(path, axis=0) / period
    after = path[1:]
    if parameters.dimension == 1:
        velocity, after = velocity[:, 0], after[:, 0]
    result = element.run(velocity, period=period)
    moved = Variable(result.variables["velocity"].dims, after, "m", "where the mover is at the end of the tick")
    return Result({**result.variables, "position": moved}, title="Friction, moved by hand", about=result.about)


def summary(parameters: Friction, result: Result) -> Sequence[Number]:
    """The numbers that tell how it went.

    Args:
        parameters: of the scenario.
        result: of its run.

    Example:
        >>> numbers = summary(Friction(), run(Friction()))
        >>> numbers[0].name, numbers[0].value
        ('largest force', 4.0)
    """
    count = result.time.size
    columns = {name: result[name].reshape(count, -1) for name in ("force", "velocity", "slip_velocity", "deflection")}
    power = -np.sum(columns["force"] * columns["velocity"], axis=1)
    stuck = ~columns["slip_velocity"].any(axis=1)
    return [
        Number("largest force", _largest(columns["force"]), "N"),
        Number("largest deflection", _largest(columns["deflection"]), "m"),
        Number("largest slip speed", _largest(columns["slip_velocity"]), "m/s"),
        Number("share of ticks that stick", float(stuck.mean())),
        Number("energy taken from the mover", float(power.sum() * parameters.period), "J"),
    ]


def _largest(vectors: Array) -> float:
    return float(np.max(np.linalg.norm(vectors, axis=1)))


scenario = Scenario(
    name="friction",
    purpose="one friction element, moved by hand",
    parameters=Friction,
    run=run,
    summary=summary,
    shortcuts={"--until": "duration"},
)
