"""How a table may move from tick to tick: never faster, never more abruptly, never where it cannot stop in time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, hypot, inf, sqrt

from tegotae import checks
from tegotae.errors import TegotaeError
from tegotae.hybrid.links.packets import Command
from tegotae.hybrid.safety.limits import Limits
from tegotae.hybrid.safety.poses import STILL, Pose, Step, angle_between, difference, extrapolated, moved
from tegotae.rotations import normalised

_ROUNDING = 1e-9  # m/s, rad/s: of positions, over a period

Margins = Callable[[Sequence[float]], tuple[float, float]]


class Motion:
    """A commanded pose and its velocity, moved a tick at a time within limits.

    The velocity is what the poses show: (new - old)/period. It stays below its limit, changes by at most acceleration
    times period, and always leaves room: braking from here on, straight and as hard as allowed, comes to rest inside
    the box, the tilt and the device's margins. So whatever would break that is not begun, and braking is always right.

    Args:
        limits: what it keeps to.
        period: of a tick [s].
        pose: where it starts, at rest: position [m], unit quaternion (w, x, y, z).
        margins: of a pose: way left to a joint's limit [rad or m], distance to a singular pose [-].

    Example:
        >>> from tegotae.hybrid.safety.limits import Limits
        >>> from tegotae.hybrid.safety.safety_motion import Motion
        >>> still = (0.0,) * 6
        >>> motion = Motion(Limits(acceleration=10.0), 2e-3, (0.0,) * 3 + (1.0, 0.0, 0.0, 0.0))
        >>> velocity, limited = motion.pursuit((0.01, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), still)
        >>> velocity[0], limited, motion.take(velocity)
        (0.02, True, '')
        >>> motion.pose[0]
        4e-05
    """

    def __init__(self, limits: Limits, period: float, pose: Sequence[float], margins: Margins | None = None) -> None:
        self.limits, self.period = limits, checks.period_of("Motion", period)
        x, y, z, *turn = map(float, pose)
        self.pose: Pose = (x, y, z, *normalised(turn))
        self.velocity: Step = STILL
        self.joint_margin = self.singularity = inf
        self._margins = margins
        self._low, self._high = limits.lower, limits.upper
        self._level, self._least_cosine = limits.level, cos(0.5 * limits.tilt)
        found = self.trouble(self.pose)
        if found:
            place = ", ".join(f"{at:.5g}" for at in self.pose[:3])
            checks.refuse(
                "Safety",
                f"the table starts at {place} m, where it must not be: {found}.",
                "Move it, or widen the limits; is `device.height` where the surface is?",
            )

    @property
    def resting(self) -> bool:
        """Whether it stands still."""
        return self.velocity == STILL

    def course(self, command: Command, age: float, trusted: float) -> tuple[Pose, Step, Step]:
        """Where a command leads when it is so old [s]: the pose, its twist then, and the mean twist of the tick before.

        The acceleration counts for the trusted time [s], then the velocity goes on. Both are cut to the limits first:
        nothing wild is extrapolated.
        """
        own, time = self.limits, min(age, trusted)
        vx, vy, vz, wx, wy, wz = twist = command.twist
        ax, ay, az, bx, by, bz = push = command.acceleration
        v, w, a, b = hypot(vx, vy, vz), hypot(wx, wy, wz), hypot(ax, ay, az), hypot(bx, by, bz)
        if v > own.velocity or w > own.angular_velocity:
            s, t = own.velocity / max(v, own.velocity), own.angular_velocity / max(w, own.angular_velocity)
            twist = s * vx, s * vy, s * vz, t * wx, t * wy, t * wz
        if a > own.acceleration or b > own.angular_acceleration:
            s, t = (
                own.acceleration / max(a, own.acceleration),
                own.angular_acceleration / max(b, own.angular_acceleration),
            )
            push = s * ax, s * ay, s * az, t * bx, t * by, t * bz
        target, last = extrapolated(command.pose, twist, push, time)
        if age > trusted:
            return moved(target, last, age - trusted), last, last
        ax, ay, az, bx, by, bz = push
        vx, vy, vz, wx, wy, wz = last
        h = 0.5 * self.period
        return target, last, (vx - h * ax, vy - h * ay, vz - h * az, wx - h * bx, wy - h * by, wz - h * bz)

    def ends(self, mean: Step, last: Step) -> bool:
        """Whether a tick of this mean velocity may end with that one, at an allowed acceleration."""
        vx, vy, vz, wx, wy, wz = last
        mx, my, mz, nx, ny, nz = mean
        half, own = 0.5 * self.period, self.limits
        return (
            hypot(vx - mx, vy - my, vz - mz) <= half * own.acceleration
            and hypot(wx - nx, wy - ny, wz - nz) <= half * own.angular_acceleration
            and hypot(vx, vy, vz) <= own.velocity
            and hypot(wx, wy, wz) <= own.angular_velocity
        )

    def pursuit(
        self, target: Sequence[float], pace: Sequence[float], closing: float = inf, swing: float = inf
    ) -> tuple[Step, bool]:
        """The velocity of the next tick that leads to a moving target, and whether limits keep it from being there.

        Args:
            target: where to be when the tick ends.
            pace: the target's own mean velocity in this tick [m/s, rad/s].
            closing: how fast to come nearer to it at most [m/s].
            swing: likewise [rad/s].
        """
        own, T = self.limits, self.period
        dx, dy, dz, rx, ry, rz = difference(self.pose, target)
        ux, uy, uz, px, py, pz = pace
        vx, vy, vz, wx, wy, wz = self.velocity
        x, y, z, slow = _closer(
            dx - T * ux, dy - T * uy, dz - T * uz, ux, uy, uz, vx, vy, vz, own.velocity, own.acceleration, T, closing
        )
        i, j, k, late = _closer(
            rx - T * px, ry - T * py, rz - T * pz, px, py, pz, wx, wy, wz,
            own.angular_velocity, own.angular_acceleration, T, swing,
        )  # fmt: skip
        return (x, y, z, i, j, k), slow or late

    def braking(self, time: float = 0.0) -> Step:
        """The velocity of the next tick when coming to rest in a time [s], or as soon as limits allow it."""
        vx, vy, vz, wx, wy, wz = self.velocity
        T = self.period
        part = T / time if time > 1.000001 * T else 1.0  # the last tick, in spite of rounding
        v, w = hypot(vx, vy, vz), hypot(wx, wy, wz)
        change, turn = self.limits.acceleration * T, self.limits.angular_acceleration * T
        s = 1.0 - part if v * part <= change else 1.0 - change / v
        t = 1.0 - part if w * part <= turn else 1.0 - turn / w
        return s * vx, s * vy, s * vz, t * wx, t * wy, t * wz

    def take(self, velocity: Step) -> str:
        """Move by a tick at this velocity; returns "" or, not moved, why there would be no stopping in time."""
        T, own = self.period, self.limits
        vx, vy, vz, wx, wy, wz = velocity
        s = T + 0.5 * hypot(vx, vy, vz) / own.acceleration  # braking takes v²/2a at most
        t = T + 0.5 * hypot(wx, wy, wz) / own.angular_acceleration
        found = self.trouble(moved(self.pose, (s * vx, s * vy, s * vz, t * wx, t * wy, t * wz)))
        if not found:
            self.pose, self.velocity = moved(self.pose, velocity, T), velocity
        return found

    def settle(self) -> bool:
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
        place = self.wall(pose)
        if place:
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

    def wall(self, pose: Sequence[float]) -> str:
        """Which side of the box a pose lies beyond; "" if it is inside."""
        x, y, z = pose[0], pose[1], pose[2]
        (a, b, c), (d, e, f) = self._low, self._high
        if a <= x <= d and b <= y <= e and c <= z <= f:
            return ""
        for axis, low, at, high in zip("xyz", self._low, pose, self._high, strict=False):
            if not low <= at <= high:
                return f"{axis} = {at:.5g} m, the box allows {low:g} to {high:g} m"
        return ""


def _closer(
    dx: float, dy: float, dz: float, ux: float, uy: float, uz: float, vx: float, vy: float, vz: float,
    fastest: float, hardest: float, T: float, closing: float,
) -> tuple[float, float, float, bool]:  # fmt: skip
    """Velocity that closes a gap d to a target of velocity u, from velocity v, so that it can still stop there.

    In units of aT and aT², a tick at n + f (n whole) and those of braking after it lead n (n + 1)/2 + f (n + 1) far.
    """
    gap, limited, change = hypot(dx, dy, dz), False, hardest * T
    if gap > 0.0:
        far = gap / (change * T)
        n = int(0.5 * (sqrt(1.0 + 8.0 * far) - 1.0))
        speed, limited = change * (n + (far / (n + 1.0) - 0.5 * n)), n > 0
        if speed > closing:
            speed, limited = closing, True
        s = speed / gap
        ux, uy, uz = ux + s * dx, uy + s * dy, uz + s * dz
    speed = hypot(ux, uy, uz)
    if speed > fastest:
        s, limited = fastest / speed, True
        ux, uy, uz = s * ux, s * uy, s * uz
    ax, ay, az = ux - vx, uy - vy, uz - vz
    step = hypot(ax, ay, az)
    if step > change:
        s = change / step
        return vx + s * ax, vy + s * ay, vz + s * az, True
    return ux, uy, uz, limited
