"""A hand on a device: a spring and a damper to where the person wants to be, and the force they push with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.parameters import Declared, Parameter

Trajectory = Callable[[float], Array]
_USE = "Use hold, glide, waypoints or steps."


def hold(point: ArrayLike) -> Trajectory:
    """Stay at one place, or push with one force, for ever.

    Args:
        point: one number an axis, [m] or [N].

    Example:
        >>> from tegotae.device import hold
        >>> hold([0.1, 0.0])(5.0).tolist()
        [0.1, 0.0]
    """
    value = checks.numbers("hold", "point", point)
    checks.finite("hold", "point", value, "")
    return lambda time: value


def waypoints(times: ArrayLike, points: ArrayLike) -> Trajectory:
    """Straight lines at constant speed from point to point; still before the first and after the last.

    Args:
        times: when to be there [s], rising.
        points: where, shape (count,) or (count, axes), [m] or [N].

    Example:
        >>> from tegotae.device import waypoints
        >>> waypoints([0.0, 2.0], [[0.0, 0.0], [0.1, 0.2]])(1.0).tolist()
        [0.05, 0.1]
    """
    return partial(_between, *knots("waypoints", times, points), lambda x: x)


def glide(times: ArrayLike, points: ArrayLike) -> Trajectory:
    """From rest to rest between points, as a person reaches: each stretch has the least jerk.

    Args:
        times: when to be there [s], rising.
        points: where, shape (count,) or (count, axes), [m].

    Example:
        >>> from tegotae.device import glide
        >>> reach = glide([0.0, 1.0], [0.0, 0.1])
        >>> [round(float(reach(t)[0]), 4) for t in (0.0, 0.25, 0.5, 1.0)]
        [0.0, 0.0104, 0.05, 0.1]
    """
    return partial(_between, *knots("glide", times, points), least_jerk)


def steps(times: ArrayLike, values: ArrayLike) -> Trajectory:
    """Levels that change at once: a push below the friction limit, then above it.

    Args:
        times: when each level begins [s], rising; before the first the level is zero.
        values: the levels, shape (count,) or (count, axes), [N].

    Example:
        >>> from tegotae.device import steps
        >>> push = steps([0.0, 1.0], [3.9, 4.1])
        >>> float(push(0.5)[0]), float(push(1.0)[0])
        (3.9, 4.1)
    """
    when, levels = knots("steps", times, values, "values")
    from_rest = np.vstack([np.zeros(levels.shape[1]), levels])
    return lambda time: from_rest[np.searchsorted(when, time, side="right")]


@dataclass(frozen=True, kw_only=True)
class Hand(Declared):
    """A hand: spring and damper to a moving target, a mass that rides on the handle, and a push on top.

    With stiffness 0 and a push it is a plain force; with no push it follows its target as far as friction lets it.

    Example:
        >>> from tegotae.device import Hand, glide
        >>> hand = Hand(stiffness=300.0, damping=5.0, target=glide([0.0, 1.0], [0.0, 0.1]))
        >>> round(float(hand.force(1.0, position=0.09)[0]), 9)
        3.0
    """

    stiffness: Annotated[float, Parameter("k [N/m], >= 0, typically 200 to 500")] = 300.0
    damping: Annotated[float, Parameter("c [N·s/m], >= 0")] = 5.0
    mass: Annotated[float, Parameter("[kg], >= 0, of the part that moves with the handle")] = 0.0
    target: Annotated[Trajectory, Parameter("[m], where the hand wants to be over time [s]: one number an axis", _USE)]
    push: Annotated[Trajectory | None, Parameter("[N], added to that, over time; none unless given", _USE)] = None

    def force(
        self, time: float, *, position: ArrayLike, velocity: ArrayLike = 0.0, target_velocity: ArrayLike = 0.0
    ) -> Array:
        """Force on the handle [N] at a time [s], the handle being at `position` [m] with `velocity` [m/s]."""
        time = checks.number("Hand", "time", time, "s")
        here = _point("position", position, "m")
        ahead = _point("target_velocity", target_velocity, "m/s") - _point("velocity", velocity, "m/s")
        pull, drag = self.stiffness * (self.aim(time, here.size) - here), self.damping * ahead
        return np.asarray(pull + drag + self.pushing(time, here.size))

    def aim(self, time: float, axes: int) -> Array:
        """Where it wants to be [m] at a time [s]; refused unless the target gives finite numbers, one an axis."""
        return _given("target", self.target, time, "m", axes)

    def pushing(self, time: float, axes: int) -> Array | float:
        """What it pushes with [N] at a time [s]; refused unless the push gives finite numbers, one an axis."""
        return _given("push", self.push, time, "N", axes) if self.push else 0.0


def _given(name: str, function: Trajectory, time: float, unit: str, axes: int) -> Array:
    """What a function of time gives, which may be anything; one number may stand for all axes."""
    label = f"{name}({time:g} s)"
    value = checks.numbers("Hand", label, function(time))
    if value.shape not in ((1,), (axes,)):
        checks.refuse("Hand", f"{label} has shape {value.shape}.", f"Let it give {axes} numbers, in {unit}.")
    checks.finite("Hand", label, value, unit)
    return value


def _point(name: str, value: ArrayLike, unit: str) -> Array:
    return checks.values("Hand", name, value, unit, f"Give one number an axis, in {unit}.", -np.inf)


def knots(owner: str, times: ArrayLike, points: ArrayLike, name: str = "points") -> tuple[Array, Array]:
    """Times that rise, and a row of numbers for each."""
    when = checks.signal(owner, "times", times, "s", 1).ravel()
    where = checks.array(owner, name, points, "")
    where = where[:, np.newaxis] if where.ndim == 1 else where
    if where.ndim != 2 or where.shape[0] != when.size:
        problem = f"{when.size} times for {name} of shape {where.shape}."
        checks.refuse(owner, problem, f"Give one {name.removesuffix('s')} a time.")
    checks.finite(owner, name, where, "")
    if (np.diff(when) <= 0.0).any():
        checks.refuse(owner, f"times={when.tolist()} s do not rise.", "Give each time after the one before.")
    return when, where


def least_jerk(x: Any) -> Any:
    """How far along, 0 to 1, from rest to rest, once a share x of the time is over."""
    return x * x * x * (10.0 - 15.0 * x + 6.0 * x * x)


def _between(when: Array, where: Array, shape: Callable[[float], float], time: float) -> Array:
    """The point at a time, `shape` telling how far along (0 to 1) a stretch of which a given part is over."""
    index = int(np.searchsorted(when, time, side="right"))
    if index == 0 or index == when.size:
        return np.asarray(where[0] if index == 0 else where[-1])
    passed = (time - when[index - 1]) / (when[index] - when[index - 1])
    return np.asarray(where[index - 1] + shape(passed) * (where[index] - where[index - 1]))
