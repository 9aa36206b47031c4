"""What a table may do, what it does when commands stay away, how it may move from tick to tick, and when it rests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, cos, hypot, inf, sqrt
from typing import Annotated

from tegotae import checks
from tegotae.errors import TegotaeError
from tegotae.hybrid.links.packets import Command
from tegotae.hybrid.safety.poses import (
    LEVEL,
    STILL,
    Pose,
    Step,
    added,
    angle_between,
    difference,
    extrapolated,
    lengths,
    moved,
    scaled,
    unit_quaternion,
    within,
)
from tegotae.parameters import Declared, Parameter
from tegotae.rotations import Quaternion, Vector, normalised

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
        Vector, Parameter("[m], corner of the box that the contact point stays in, in the table's world")
    ] = (-0.1, -0.1, -0.1)
    upper: Annotated[Vector, Parameter("[m], its other corner")] = (0.1, 0.1, 0.1)
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


_ROUNDING = 1e-9  # m/s, rad/s: of positions, over a period

Margins = Callable[[Sequence[float]], tuple[float, float]]


class Motion:
    """A commanded pose and its velocity, moved a tick at a time within limits.

    The velocity is what the poses show: (new - old)/period. It stays below its limit, changes by at most acceleration
    times period, and always leaves room: braking from here on, straight and as hard as allowed, comes to rest inside
    the box, the tilt and the device's margins. So whatever would break that is not begun, and braking is always right.
    """

    def __init__(self, limits: Limits, period: float, pose: Sequence[float], margins: Margins | None = None) -> None:
        self.limits, self.period = limits, checks.period_of("Motion", period)
        x, y, z, *turn = map(float, pose)
        self.pose: Pose = (x, y, z, *normalised(turn))
        self.velocity: Step = STILL
        # Where it would come to rest: the way left to the nearest joint limit, and the distance to a singular pose [-].
        self.joint_margin = self.singularity = inf
        self._margins = margins
        self._level, self._least_cosine = limits.level, cos(0.5 * limits.tilt)
        found = self.trouble(self.pose)
        if found:
            place = ", ".join(f"{at:.5g}" for at in self.pose[:3])
            problem = f"the table starts at {place} m, where it must not be: {found}."
            checks.refuse("Safety", problem, "Move it, or widen the limits; is `device.height` where the surface is?")

    @property
    def resting(self) -> bool:
        """Whether it stands still."""
        return self.velocity == STILL

    def course(self, command: Command, age: float, trusted: float) -> tuple[Pose, Step, Step]:
        """Where a command leads when it is so old [s]: the pose, its twist then, and the mean twist of the tick before.

        The acceleration counts for the trusted time [s], then the velocity goes on. Both are cut to the limits first:
        nothing wild is extrapolated.
        """
        limits = self.limits
        twist = within(command.twist, limits.velocity, limits.angular_velocity)
        push = within(command.acceleration, limits.acceleration, limits.angular_acceleration)
        target, last = extrapolated(command.pose, twist, push, min(age, trusted))
        if age > trusted:
            return moved(target, last, age - trusted), last, last
        return target, last, added(last, push, -0.5 * self.period)

    def ends(self, mean: Step, last: Step) -> bool:
        """Whether a tick of this mean velocity may end with that one, at an allowed acceleration."""
        (change, swing), (speed, spin) = lengths(added(last, mean, -1.0)), lengths(last)
        half, limits = 0.5 * self.period, self.limits
        return (
            change <= half * limits.acceleration
            and swing <= half * limits.angular_acceleration
            and speed <= limits.velocity
            and spin <= limits.angular_velocity
        )

    def pursuit(
        self, target: Sequence[float], pace: Sequence[float], closing: float = inf, swing: float = inf
    ) -> tuple[Step, bool]:
        """The velocity of the next tick that leads to a moving target, and whether limits keep it from being there.

        `pace` is the target's own mean velocity in this tick [m/s, rad/s]; the gap is closed at `closing` [m/s] and
        `swing` [rad/s] at most.
        """
        cap, T, now = self.limits, self.period, self.velocity
        x, y, z, i, j, k = added(difference(self.pose, target), pace, -T)
        ux, uy, uz, px, py, pz = pace
        to, slow = _closer((x, y, z), (ux, uy, uz), now[:3], cap.velocity, cap.acceleration, T, closing)
        turn, late = _closer((i, j, k), (px, py, pz), now[3:], cap.angular_velocity, cap.angular_acceleration, T, swing)
        return (*to, *turn), slow or late

    def braking(self, time: float = 0.0) -> Step:
        """The velocity of the next tick when coming to rest in a time [s], or as soon as limits allow it."""
        T, (v, w) = self.period, lengths(self.velocity)
        part = T / time if time > 1.000001 * T else 1.0  # the last tick, in spite of rounding
        change, turn = self.limits.acceleration * T, self.limits.angular_acceleration * T
        s = 1.0 - part if v * part <= change else 1.0 - change / v
        t = 1.0 - part if w * part <= turn else 1.0 - turn / w
        return scaled(self.velocity, s, t)

    def take(self, velocity: Step) -> str:
        """Move by a tick at this velocity; returns "" or, not moved, why there would be no stopping in time."""
        T, limits, (v, w) = self.period, self.limits, lengths(velocity)
        s, t = T + 0.5 * v / limits.acceleration, T + 0.5 * w / limits.angular_acceleration  # braking takes v²/2a
        found = self.trouble(moved(self.pose, scaled(velocity, s, t)))
        if not found:
            self.pose, self.velocity = moved(self.pose, velocity, T), velocity
        return found

    def came_to_rest(self) -> bool:
        """Forget a velocity that is only rounding; returns whether it stands still."""
        if hypot(*self.velocity) < _ROUNDING:
            self.velocity = STILL
        return self.velocity == STILL

    def brake(self) -> None:
        """Move by a tick, slowing down as hard as allowed: where that ends was looked at before."""
        self.velocity = self.braking()
        self.pose = moved(self.pose, self.velocity, self.period)

    def trouble(self, pose: Pose) -> str:
        """Why the table must not rest at a pose; "" if it may."""
        if place := self.limits.beyond(pose):
            return place
        lw, lx, ly, lz = self._level
        if abs(lw * pose[3] + lx * pose[4] + ly * pose[5] + lz * pose[6]) < self._least_cosine:
            return f"tilt {angle_between(self._level, pose[3:]):.4g} rad, the limit is {self.limits.tilt:g} rad"
        if self._margins is None:
            return ""
        try:
            joint, singular = self._margins(pose)
        except TegotaeError as error:
            return f"the device cannot be there ({str(error).splitlines()[0]})"
        self.joint_margin, self.singularity = joint, singular
        if not joint >= self.limits.joint_margin:  # not a number fails, too
            return f"{joint:.4g} left to a joint's limit, {self.limits.joint_margin:g} must stay"
        if not singular >= self.limits.singularity:
            return f"{singular:.4g} left to a singular pose, {self.limits.singularity:g} must stay"
        return ""


def _closer(
    gap: Vector, pace: Vector, velocity: Vector, fastest: float, hardest: float, T: float, closing: float
) -> tuple[Vector, bool]:
    """Velocity that closes a gap d to a target of velocity u, from velocity v, so that it can still stop there.

    In units of aT and aT², a tick at n + f (n whole) and those of braking after it lead n (n + 1)/2 + f (n + 1) far.
    """
    (dx, dy, dz), (ux, uy, uz), (vx, vy, vz) = gap, pace, velocity
    left, limited, change = hypot(dx, dy, dz), False, hardest * T
    if left > 0.0:
        far = left / (change * T)
        n = int(0.5 * (sqrt(1.0 + 8.0 * far) - 1.0))
        speed, limited = change * (n + (far / (n + 1.0) - 0.5 * n)), n > 0
        if speed > closing:
            speed, limited = closing, True
        s = speed / left
        ux, uy, uz = ux + s * dx, uy + s * dy, uz + s * dz
    speed = hypot(ux, uy, uz)
    if speed > fastest:
        s, limited = fastest / speed, True
        ux, uy, uz = s * ux, s * uy, s * uz
    ax, ay, az = ux - vx, uy - vy, uz - vz
    step = hypot(ax, ay, az)
    if step > change:
        s = change / step
        return (vx + s * ax, vy + s * ay, vz + s * az), True
    return (ux, uy, uz), limited


SLOW = 0.02  # of the velocity that the limits allow: slower is rest
CREEP = 1e-3  # m/s, rad/s: what encoders cannot tell from rest
_WINDOW = 8e-3  # s that a speed is taken over: encoders count


@dataclass(frozen=True)
class Stopping:
    """How a table comes to rest, from the last command that reached it."""

    time: float  # until the table itself is slower than 2 % of the limits' velocity, or than 1 mm/s, for good [s]
    distance: float  # that it moves meanwhile, its swing counted [m]

    @property
    def words(self) -> str:
        """In words."""
        time, distance = ceil(1e3 * self.time), 1e3 * self.distance
        return f"at rest within {time:d} ms and {distance:.2g} mm of the last command"


class Rest:
    """Watches poses that come once a period [s], from a moment on: when did they rest, and how far did they go?"""

    def __init__(self, limits: Limits, period: float) -> None:
        self._window = max(1, round(_WINDOW / period))
        time = self._window * period
        self._far = time * max(SLOW * limits.velocity, CREEP)
        self._turned = time * max(SLOW * limits.angular_velocity, CREEP)
        self._period, self._poses, self._moving = period, list[Sequence[float]](), 0
        self.distance = 0.0

    @property
    def time(self) -> float:
        """From the first pose until it was slow for good [s]."""
        return (self._moving + 1) * self._period

    def step(self, pose: Sequence[float]) -> float:
        """The next pose; for how long it has rested [s]."""
        poses = self._poses
        poses.append(pose)
        far, turn = lengths(difference(poses[max(len(poses) - 1 - self._window, 0)], pose))
        if far > self._far or turn > self._turned:
            self._moving = len(poses) - 1
        self.distance = max(self.distance, lengths(difference(poses[0], pose))[0])
        return (len(poses) - 1 - self._moving) * self._period
