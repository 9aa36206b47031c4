"""What a rolling tyre gives once it has settled."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae.block import Impedance
from tegotae.checks import Array
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

    @classmethod
    def of(cls, columns: Mapping[str, ArrayLike], shape: tuple[int, ...]) -> Steady:
        """From columns by name: arrays of this shape, or plain numbers where it has none.

        Args:
            columns: field -> its values, one after the other.
            shape: of the slips that were asked for.
        """
        arrays = {name: np.array(values, dtype=np.float64).reshape(shape) for name, values in columns.items()}
        return cls(**{name: array if shape else float(array) for name, array in arrays.items()})


def rates_of(values: Array, first: float, period: float) -> Array:
    """Mean rates over each tick of what has these values at its end, and began with `first`.

    Args:
        values: at the end of each tick.
        first: at the start.
        period: T [s].
    """
    rates = np.empty_like(values)
    rates[0] = values[0] - first
    np.subtract(values[1:], values[:-1], out=rates[1:])
    rates /= period
    return rates


def fed_with(tyre: Impedance, inputs: Mapping[str, ArrayLike], ticks: int) -> loop.Fed:
    """What a tyre is fed over so many ticks: numbers that have been looked at.

    Args:
        tyre: which.
        inputs: field -> a number, or its values over the ticks.
        ticks: how many.
    """
    rows, places = np.empty((len(inputs), ticks)), tyre.spaces.state.places
    for row, values in zip(rows, inputs.values(), strict=True):
        row[:] = values
    return loop.Fed(rows, np.array([places[name].start for name in inputs]))


def ends_of(
    tyre: Impedance, motion: Array, inputs: Mapping[str, ArrayLike], period: float, every: int, names: Sequence[str]
) -> Array:
    """What a tyre, unstretched at first, gives at the end of every so many ticks; one row for each number.

    Args:
        tyre: which.
        motion: over each tick.
        inputs: what it is fed.
        period: T [s].
        every: how many ticks.
        names: fields of its state.
    """
    ticks, picks = motion.shape[0], loop.picks_of(tyre, names)
    ends = np.empty((picks.size, ticks // every))
    memories = tyre.parameters, tyre.initial_state(period).memory, tyre.spaces.workspace.empty()
    fed = fed_with(tyre, inputs, ticks)
    module_of(tyre).loop(*memories, motion, *fed, period, every, picks.real, picks.whole, 1, 0, ticks, ends)
    return ends
