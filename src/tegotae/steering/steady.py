"""What every tyre is led along, and what it gives: over a record, and once it has settled."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Impedance
from tegotae.checks import Array
from tegotae.result import Variable
from tegotae.running import loop
from tegotae.running.source import module_of


@dataclass(frozen=True, kw_only=True)
class Steady:
    """A rolling tyre once it has settled; numbers, or arrays with one entry for each slip that was asked for.

    Args:
        slip_angle: alpha [rad].
        lateral_force: on the tyre, to the left [N]; has the sign of the slip angle when rolling forwards.
        torque: tau_r [N·m], with which it resists steering to the left about the steering axis.
        stuck: share of the bristles that stick [-]; not a number for models without bristles.
        slip: R omega - V [m/s], driving positive.
        longitudinal_force: on the tyre, forwards [N].

    Example:
        >>> from tegotae.steering import ContactPatch
        >>> ContactPatch(stiffness=1e4, damping=0.0).steady(slip_angle=0.1, speed=20.0).stuck
        0.0
    """

    slip_angle: Any
    lateral_force: Any
    torque: Any
    stuck: Any = math.nan
    slip: Any = 0.0
    longitudinal_force: Any = 0.0


# How a block moves along a path, what it is fed meanwhile, and where it begins.
Led = tuple[loop.Signal, Mapping[str, ArrayLike], Mapping[str, ArrayLike]]

FORCES = (
    ("longitudinal_force", "N", "on the tyre, forwards"),
    ("lateral_force", "N", "on the tyre, to the left"),
    ("torque", "N·m", "resists steering to the left"),
)


class SteeredPath(NamedTuple):
    """How a tyre is steered and rolls over a record, seen to be numbers; no slip if it can only roll."""

    steer: Array
    slip_angle: Array
    speed: Array
    slip: Array | None
    period: float
    every: int

    def rates(self, values: Array, first: float) -> Array:
        """Mean rates over each tick of what has these values at its end, and began with `first`."""
        rates = np.empty_like(values)
        with np.errstate(over="ignore", invalid="ignore"):  # the run tells that it diverged
            rates[0] = values[0] - first
            np.subtract(values[1:], values[:-1], out=rates[1:])
            rates /= self.period
        return rates

    @property
    def drift(self) -> Array:
        """V alpha [m/s]."""
        with np.errstate(over="ignore", invalid="ignore"):  # the run tells that it diverged
            return np.asarray(self.speed * self.slip_angle)

    def variables(self, forces: Array) -> dict[str, Variable]:
        """Time, what was given, and so many of the last of `FORCES`, a row each."""
        variables = {"time": loop.time_of(self.steer.size, self.every, self.period)}
        given = (("steer", "rad"), ("slip_angle", "rad"), ("speed", "m/s"), ("slip", "m/s"))
        for (name, unit), values in zip(given, self[:4], strict=True):
            if values is not None:
                thinned = values[self.every - 1 :: self.every].copy()
                variables[name] = Variable(("time",), thinned, unit, "as given")
        for values, (name, unit, meaning) in zip(forces, FORCES[len(FORCES) - len(forces) :], strict=True):
            variables[name] = Variable(("time",), values, unit, meaning)
        return variables


def fed_with(tyre: Impedance, inputs: Mapping[str, ArrayLike], ticks: int) -> loop.Fed:
    """What a tyre is fed over so many ticks: numbers that have been looked at, or values over the ticks."""
    rows, places = np.empty((len(inputs), ticks)), tyre.spaces.state.places
    for row, values in zip(rows, inputs.values(), strict=True):
        row[:] = values
    return loop.Fed(rows, np.array([places[name].start for name in inputs]))


def ends_of(
    tyre: Impedance, motion: Array, inputs: Mapping[str, ArrayLike], period: float, every: int, names: Sequence[str]
) -> Array:
    """What a tyre, unstretched at first, gives at the end of every so many ticks; one row for each number."""
    ticks, picks = motion.shape[0], loop.picks_of(tyre, names)
    ends = np.empty((picks.size, ticks // every))
    memories = tyre.parameters, tyre.initial_state(period).memory, tyre.spaces.workspace.empty()
    fed = fed_with(tyre, inputs, ticks)
    module_of(tyre).loop(*memories, motion, *fed, period, every, picks.real, picks.whole, 1, 0, ticks, ends)
    return ends


class Tyre(ABC):
    """What every tyre is led along, and what it answers once it has settled."""

    brakes: ClassVar[bool] = True  # and drives: it knows a force forwards

    def _path(
        self, steer: ArrayLike, slip_angle: ArrayLike, speed: ArrayLike, slip: ArrayLike, period: float, every: int
    ) -> SteeredPath:
        """From what a user gave."""
        owner = type(self).__name__
        period = checks.period_of(owner, period)
        every = checks.whole(owner, "every", every, 1, "Use every=1 to record each tick.")
        angles = checks.signal(owner, "steer", steer, "rad", 1).ravel()
        loop.check_every(owner, every, angles.size)
        given = (("slip_angle", slip_angle, "rad"), ("speed", speed, "m/s"), ("slip", slip, "m/s"))
        slip_angles, speeds, slips = (checks.held(owner, *one, angles.size) for one in given)
        self._check_slip(slips)
        return SteeredPath(angles, slip_angles, speeds, slips if self.brakes else None, period, every)

    def _check_slip(self, slip: Array) -> None:
        """Refuse to drive or brake a tyre that knows no force forwards."""
        if slip.any() and not self.brakes:
            problem = "slip is not 0, and it knows no force forwards."
            checks.refuse(type(self).__name__, problem, "Drive and brake a PlanarPatch, or a LuGreTyre.")

    def steady(self, *, slip_angle: ArrayLike, speed: float, slip: ArrayLike = 0.0) -> Steady:
        """Roll straight on at each slip until it has settled; a locked wheel slides.

        Args:
            slip_angle: alpha [rad], a number or an array.
            speed: V [m/s]; negative rolls backwards.
            slip: R omega - V [m/s], a number or an array that goes with slip_angle; 0 for tyres that only roll.
        """
        owner = type(self).__name__
        V = checks.number(owner, "speed", speed, "m/s", "Give one speed.")
        angles, slips = checks.array(owner, "slip_angle", slip_angle, "rad"), checks.array(owner, "slip", slip, "m/s")
        bad = angles[~np.isfinite(angles)]
        if bad.size:
            checks.refuse(owner, f"slip_angle={bad[0]} rad is not finite.", "Give angles between -1.5 and 1.5.")
        checks.finite(owner, "slip", slips, "m/s")
        try:
            angles, slips = (np.array(x) for x in np.broadcast_arrays(angles, slips))
        except ValueError:
            shapes = f"slip_angle has shape {angles.shape}, slip {slips.shape}."
            checks.refuse(owner, shapes, "Give one number, or arrays of one shape.")
        self._check_slip(slips)
        columns = {"slip_angle": angles, "slip": slips, **self._settled(V, angles.ravel(), slips.ravel())}
        arrays = {name: np.array(values, dtype=np.float64).reshape(angles.shape) for name, values in columns.items()}
        return Steady(**{name: array if angles.ndim else float(array) for name, array in arrays.items()})

    @abstractmethod
    def _settled(self, V: float, slip_angle: Array, slip: Array) -> Mapping[str, Array]:
        """Fields of `Steady` for each slip angle and slip."""
