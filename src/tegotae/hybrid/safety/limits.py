"""What a table may do, and what it does when commands stay away: the numbers that `Safety` keeps to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from tegotae import checks
from tegotae.hybrid.safety.poses import LEVEL, unit_quaternion
from tegotae.parameters import Declared, Parameter
from tegotae.rotations import Quaternion

_Corner = tuple[float, float, float]
_NONE = "Use 0 for none."


@dataclass(frozen=True, kw_only=True)
class Limits(Declared):
    """What a table may do; the defaults suit a small table that meets a slow contact.

    Velocity and acceleration are kept by following more slowly. All others end the run before they are passed: the
    way that the table needs to come to rest is counted.

    Example:
        >>> from tegotae.hybrid.safety.limits import Limits
        >>> limits = Limits(velocity=0.1, upper=(0.1, 0.1, 0.02))
        >>> limits.velocity / limits.acceleration  # s to come to rest
        0.005
    """

    lower: Annotated[
        _Corner, Parameter("[m], corner of the box that the contact point stays in, in the table's world")
    ] = (-0.1, -0.1, -0.1)
    upper: Annotated[_Corner, Parameter("[m], its other corner")] = (0.1, 0.1, 0.1)
    level: Annotated[
        Quaternion,
        Parameter("[-], the orientation that tilt counts from, a unit quaternion (w, x, y, z)", accept=unit_quaternion),
    ] = LEVEL
    tilt: Annotated[float, Parameter("[rad], > 0, <= 1.5, the largest angle away from level, about any axis")] = 0.3
    velocity: Annotated[float, Parameter("[m/s], > 0, the largest that is ordered")] = 0.25
    angular_velocity: Annotated[float, Parameter("[rad/s], > 0, the largest that is ordered")] = 1.0
    acceleration: Annotated[float, Parameter("[m/s²], > 0, the largest that is ordered")] = 20.0
    angular_acceleration: Annotated[float, Parameter("[rad/s²], > 0, the largest that is ordered")] = 100.0
    force: Annotated[float, Parameter("[N], > 0, the largest that may be felt")] = 50.0
    torque: Annotated[float, Parameter("[N·m], > 0, the largest that may be felt")] = 5.0
    joint_margin: Annotated[
        float, Parameter("[rad or m], >= 0, least way left to a joint's limit, as the device counts it", _NONE)
    ] = 0.02
    singularity: Annotated[
        float, Parameter("[-], >= 0, least distance to a singular pose, as the device counts it", _NONE)
    ] = 0.05
    overspeed: Annotated[
        float,
        Parameter("[-], >= 1, how many times the velocities a device's reading may show, for overshoot and noise"),
    ] = 1.5

    def __post_init__(self) -> None:
        super().__post_init__()
        for axis, low, high in zip("xyz", self.lower, self.upper, strict=True):
            if low >= high:
                checks.refuse("Limits", f"along {axis} lower={low} m is not below upper={high} m.", "Exchange them.")

    def around(self, position: Sequence[float], reach: float) -> Limits:
        """The same, with a box that reaches so far [m] from a position [m] along every axis.

        Example:
            >>> from tegotae.hybrid.safety.limits import Limits
            >>> Limits().around((0.0, 0.0, 1.0), 0.5).lower
            (-0.5, -0.5, 0.5)
        """
        x, y, z = checks.vector("Limits", "position", position, "m", 3).tolist()
        r = checks.positive("Limits", "reach", reach, "m", "Give half the length of the box's sides.")
        return replace(self, lower=(x - r, y - r, z - r), upper=(x + r, y + r, z + r))

    def beyond(self, pose: Sequence[float], slack: float = 0.0) -> str:
        """Which side of the box, wider by a slack [m], a pose [m] lies beyond, in words; "" if it is inside."""
        (a, b, c), (d, e, f) = self.lower, self.upper
        x, y, z, s = pose[0], pose[1], pose[2], slack
        if a - s <= x <= d + s and b - s <= y <= e + s and c - s <= z <= f + s:
            return ""
        sides = zip("xyz", self.lower, pose, self.upper, strict=False)
        axis, low, at, high = next(side for side in sides if not side[1] - s <= side[2] <= side[3] + s)
        return f"{axis} = {at:.5g} m, the box allows {low:g} to {high:g} m"


@dataclass(frozen=True, kw_only=True)
class LossOfCommandPolicy(Declared):
    """What a table does when commands stay away, and how near one must be for it to begin.

    Up to `watchdog` ticks without a command are bridged. Then it coasts, slows down in `ramp`, holds and latches: with
    these defaults and a period of 2 ms what it orders rests 34 ms after the last command; the table itself rests later,
    as its servo lets it (`Stopping`). Commands that return before are followed again, so that losing packets trips
    nothing: 18 in a row must be lost.

    Example:
        >>> from tegotae.hybrid.safety.limits import LossOfCommandPolicy
        >>> round(1e3 * LossOfCommandPolicy().rest_after(2e-3), 6)  # ms after the last command
        34.0
    """

    watchdog: Annotated[int, Parameter("1 to 100000, ticks without a command before it counts as missing")] = 5
    extrapolation: Annotated[
        int,
        Parameter(">= 0, ticks that a command's acceleration is trusted for; its velocity goes on after them", _NONE),
    ] = 3
    coast: Annotated[float, Parameter("[s], 0 to 60, how long it then moves on", _NONE)] = 4e-3
    ramp: Annotated[
        float,
        Parameter("[s], > 0, <= 60, how long it takes to come to rest; the limits must allow it from any velocity"),
    ] = 20e-3
    jump: Annotated[
        float, Parameter("[m], > 0, the farthest a command may lie from where the table stands for it to begin")
    ] = 5e-3
    turn: Annotated[float, Parameter("[rad], > 0, the farthest a command may be turned from it for it to begin")] = 0.05
    approach: Annotated[float, Parameter("[m/s], > 0, how fast it closes that distance")] = 0.02
    swing: Annotated[float, Parameter("[rad/s], > 0, how fast it turns there")] = 0.2

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
