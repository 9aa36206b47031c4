"""What a table may do, and what it does when commands stay away: the numbers that `Safety` keeps to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from tegotae import checks
from tegotae.hybrid.safety.poses import LEVEL, normalised

_BOX = "Give three numbers [m], such as (-0.1, -0.1, -0.1)."
_UNITS = {
    "velocity": "m/s",
    "angular_velocity": "rad/s",
    "acceleration": "m/s²",
    "angular_acceleration": "rad/s²",
    "force": "N",
    "torque": "N·m",
}


def _numbers(own: str, name: str, value: Sequence[float], count: int, remedy: str) -> tuple[float, ...]:
    listed = checks.several(own, name, value, object, remedy)
    if len(listed) != count:
        checks.refuse(own, f"{name}={checks.shown(value)} has {len(listed)} numbers.", remedy)
    return tuple(checks.number(own, f"{name}[{i}]", one, "", remedy) for i, one in enumerate(listed))


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a table may do; the defaults suit a small table that meets a slow contact.

    Velocity and acceleration are kept by following more slowly. All others end the run before they are passed: the
    way that the table needs to come to rest is counted.

    Args:
        lower: corner of the box that the contact point stays in [m], in the table's world.
        upper: its other corner [m].
        level: the orientation that tilt counts from, a unit quaternion (w, x, y, z) [-].
        tilt: largest angle away from it, about any axis [rad], at most 1.5.
        velocity: [m/s].
        angular_velocity: [rad/s].
        acceleration: [m/s²].
        angular_acceleration: [rad/s²].
        force: largest that may be felt [N].
        torque: largest that may be felt [N·m].
        joint_margin: least way left to a joint's limit, as the device counts it [rad or m].
        singularity: least distance to a singular pose, as the device counts it [-].
        overspeed: how many times the velocities a device's reading may show, for overshoot and noise [-], >= 1.

    Example:
        >>> from tegotae.hybrid.safety.limits import Limits
        >>> limits = Limits(velocity=0.1, upper=(0.1, 0.1, 0.02))
        >>> limits.velocity / limits.acceleration  # s to come to rest
        0.005
    """

    lower: Sequence[float] = (-0.1, -0.1, -0.1)
    upper: Sequence[float] = (0.1, 0.1, 0.1)
    level: Sequence[float] = LEVEL
    tilt: float = 0.3
    velocity: float = 0.25
    angular_velocity: float = 1.0
    acceleration: float = 20.0
    angular_acceleration: float = 100.0
    force: float = 50.0
    torque: float = 5.0
    joint_margin: float = 0.02
    singularity: float = 0.05
    overspeed: float = 1.5

    def __post_init__(self) -> None:
        own, put = "Limits", object.__setattr__
        for name in ("lower", "upper"):
            put(self, name, _numbers(own, name, getattr(self, name), 3, _BOX))
        for axis, low, high in zip("xyz", self.lower, self.upper, strict=True):
            if low >= high:
                checks.refuse(own, f"along {axis} lower={low} m is not below upper={high} m.", "Exchange them.")
        level = _numbers(own, "level", self.level, 4, "Give a unit quaternion (w, x, y, z).")
        if not 0.999 < math.hypot(*level) < 1.001:
            checks.refuse(own, f"level={level} is not of length 1.", "Normalise it (w, x, y, z).")
        put(self, "level", normalised(level))
        tilt = checks.positive(own, "tilt", self.tilt, "rad", "Give an angle, such as 0.3.")
        if tilt > 1.5:
            checks.refuse(own, f"tilt={tilt} rad is above 1.5.", "Beyond a right angle, tilt says nothing: give less.")
        put(self, "tilt", tilt)
        for name, unit in _UNITS.items():
            way = f"Give the largest {name.replace('_', ' ')} that the table may see."
            put(self, name, checks.positive(own, name, getattr(self, name), unit, way))
        for name in ("joint_margin", "singularity"):
            put(self, name, checks.at_least_zero(own, name, getattr(self, name), "", "Use 0 for none."))
        put(self, "overspeed", checks.number(own, "overspeed", self.overspeed, ""))
        if self.overspeed < 1.0:
            checks.refuse(own, f"overspeed={self.overspeed} is below 1.", "Give 1.5 for half as much again.")

    def around(self, position: Sequence[float], reach: float) -> Limits:
        """The same, with a box that reaches so far [m] from a position [m] along every axis.

        Example:
            >>> from tegotae.hybrid.safety.limits import Limits
            >>> Limits().around((0.0, 0.0, 1.0), 0.5).lower
            (-0.5, -0.5, 0.5)
        """
        x, y, z = _numbers("Limits", "position", position, 3, _BOX)
        r = checks.positive("Limits", "reach", reach, "m", "Give half the length of the box's sides.")
        return replace(self, lower=(x - r, y - r, z - r), upper=(x + r, y + r, z + r))


@dataclass(frozen=True, kw_only=True)
class LossOfCommandPolicy:
    """What a table does when commands stay away, and how near one must be for it to begin.

    Up to `watchdog` ticks without a command are bridged. Then it coasts, slows down in `ramp`, holds and latches: with
    these defaults and a period of 2 ms what it orders rests 34 ms after the last command; the table itself rests later,
    as its servo lets it (`Stopping`). Commands that return before are followed again, so that losing packets trips
    nothing: 18 in a row must be lost.

    Args:
        watchdog: ticks without a command before it counts as missing, >= 1.
        extrapolation: ticks that a command's acceleration is trusted for, >= 0; its velocity goes on after them.
        coast: how long it then moves on [s].
        ramp: how long it takes to come to rest after that [s]; from any velocity the limits must allow it.
        jump: the farthest a command may lie from where the table stands for it to begin [m].
        turn: likewise [rad].
        approach: how fast it closes that distance [m/s].
        swing: likewise [rad/s].

    Example:
        >>> from tegotae.hybrid.safety.limits import LossOfCommandPolicy
        >>> round(1e3 * LossOfCommandPolicy().rest_after(2e-3), 6)  # ms after the last command
        34.0
    """

    watchdog: int = 5
    extrapolation: int = 3
    coast: float = 4e-3
    ramp: float = 20e-3
    jump: float = 5e-3
    turn: float = 0.05
    approach: float = 0.02
    swing: float = 0.2

    def __post_init__(self) -> None:
        own, put = "LossOfCommandPolicy", object.__setattr__
        put(self, "watchdog", checks.whole(own, "watchdog", self.watchdog, 1, "Give a number of ticks, such as 5."))
        put(self, "extrapolation", checks.whole(own, "extrapolation", self.extrapolation, 0, "Use 0 for none."))
        put(self, "coast", checks.at_least_zero(own, "coast", self.coast, "s", "Use 0 for none."))
        units = {"ramp": "s", "jump": "m", "turn": "rad", "approach": "m/s", "swing": "rad/s"}
        for one in fields(self):
            if one.name in units:
                value, unit = getattr(self, one.name), units[one.name]
                put(self, one.name, checks.positive(own, one.name, value, unit, f"Give more, such as {one.default}."))

    def goes_on(self, period: float) -> float:
        """How far it moves on by itself without commands, as time at their velocity [s], for ticks of a period [s].

        Example:
            >>> from tegotae.hybrid.safety.limits import LossOfCommandPolicy
            >>> round(1e3 * LossOfCommandPolicy().goes_on(2e-3), 6)  # ms
            24.0
        """
        return self.watchdog * checks.period_of("LossOfCommandPolicy", period) + self.coast + 0.5 * self.ramp

    def rest_after(self, period: float) -> float:
        """From the last command until what is ordered rests [s], for ticks of a period [s]."""
        return self.watchdog * checks.period_of("LossOfCommandPolicy", period) + self.coast + self.ramp
