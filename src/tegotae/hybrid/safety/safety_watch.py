"""Reasons not to move on, looked for in each tick, and reported once."""

from __future__ import annotations

from math import hypot, isfinite
from typing import NamedTuple

from tegotae.hybrid.bus.messages import LATE, STOP, NodeEvent
from tegotae.hybrid.devices.device import DeviceReading
from tegotae.hybrid.links.packets import Command, NodeState, Numbers
from tegotae.hybrid.safety.limits import Limits
from tegotae.hybrid.safety.poses import Pose, angle_between, lengths
from tegotae.hybrid.safety.sensing import Felt

_EMERGENCY, _FAULT, _OVERLOAD = int(NodeState.EMERGENCY), int(NodeState.FAULT), int(NodeState.OVERLOAD)
_SENSOR = _FAULT | _OVERLOAD
_QUIET = 0.1  # s without it: then the same is a new occurrence
_OVERSHOOT = 1e-3  # m: a device may swing so far beyond what it is told
_LATE_READINGS = 2.0  # periods: a device's newest reading may be that much older than the tick


class Cause(NamedTuple):
    """A reason not to move on."""

    kind: str  # in a word, one of `messages.TROUBLES`; the same kind is told once while it lasts
    flag: int  # of `NodeState` that it sets until the next re-arm, 0 for none
    text: str  # in words


class Teller:
    """Says everything once an occurrence: what has not been there for 0.1 s is new."""

    def __init__(self, period: float) -> None:
        self._quiet = max(1, round(_QUIET / period))
        self._tick = 0
        self._last: dict[str, int] = {}
        self._events: list[NodeEvent] = []

    def begin(self) -> list[NodeEvent]:
        """A new tick: the list that its events will be in."""
        self._tick += 1
        self._events = []
        return self._events

    def say(self, level: str, text: str, kind: str = "") -> None:
        """Report an event."""
        self._events.append(NodeEvent(level, text, kind))

    def tell(self, kind: str, level: str, text: str, *, always: bool = False) -> None:
        """Report an event, unless one of its kind was reported and still lasts."""
        last = self._last.get(kind)
        if always or last is None or self._tick - last > self._quiet:
            self._events.append(NodeEvent(level, text, kind))
        self._last[kind] = self._tick


class SafetyWatch:
    """Looks at a device's readings, what its sensor feels, and the command: is anything there that must not be?"""

    def __init__(self, limits: Limits, period: float, start: Pose) -> None:
        self._limits, self._period, self._pose = limits, period, start
        self._fastest = limits.overspeed * limits.velocity
        self._quickest = limits.overspeed * limits.angular_velocity
        self._gap = 0.0
        self.doubted = False  # readings; until the next re-arm

    def causes(
        self, age: float, command: Command | None, reading: DeviceReading, felt: Felt, stop: str | None, elapsed: float
    ) -> list[Cause]:
        """All reasons not to move on; usually none."""
        found: list[Cause] = []
        if stop is not None:
            found.append(Cause(STOP, 0, f"stop: {stop}" if stop else "stop"))
        if reading.emergency:
            found.append(Cause("emergency", _EMERGENCY, "emergency stop pressed"))
        if reading.fault:
            found.append(Cause(LATE if reading.late else "fault", _FAULT, f"device: {reading.fault}"))
        if not age >= 0.0:
            found.append(Cause("age", _FAULT, f"the newest command is {age:g} s old: a clock went wrong"))
        if command is not None and not _finite(command.pose, command.twist, command.acceleration):
            found.append(Cause("command", _FAULT, "a command is not finite"))
        if not self._believable(reading, elapsed, found):
            self.doubted = True
        elif self._limits.beyond(reading.pose, _OVERSHOOT):
            x, y, z = reading.pose[:3]
            found.append(Cause("outside", 0, f"the device is outside of the box, at {x:.4g}, {y:.4g}, {z:.4g} m"))
        wrench, cap = felt.wrench, self._limits
        if not _finite(wrench):
            found.append(Cause("sensor", _FAULT, "the wrench is not finite"))
            return found
        if flag := int(felt.state) & _SENSOR:
            found.append(Cause("sensor", flag, felt.trouble or "the sensor reports a fault"))
        force, torque = lengths(wrench)
        if force > cap.force or torque > cap.torque:
            text = f"overload: {force:.4g} N, {torque:.4g} N·m; the limits are {cap.force:g} N, {cap.torque:g} N·m"
            found.append(Cause("overload", _OVERLOAD, text))
        return found

    def _believable(self, reading: DeviceReading, elapsed: float, found: list[Cause]) -> bool:
        """Whether the reading can be believed."""
        pose, twist = reading.pose, reading.twist
        self._gap += elapsed
        if not reading.fresh:  # it was judged before; how far the next may lie counts from when this one was new
            return True
        if not _finite(pose, twist) or len(pose) != 7 or len(twist) != 6:
            found.append(Cause("reading", _FAULT, "the device's reading is not finite"))
            return False
        x, y, z, qw, qx, qy, qz = pose
        if not 0.99 < qw * qw + qx * qx + qy * qy + qz * qz < 1.01:
            found.append(Cause("reading", _FAULT, "the device's reading has a quaternion that is not of length 1"))
            return False
        before, self._pose = self._pose, (x, y, z, qw, qx, qy, qz)
        gap, self._gap = self._gap + _LATE_READINGS * self._period, 0.0
        far, turn = hypot(x - before[0], y - before[1], z - before[2]), angle_between(before[3:], self._pose[3:])
        if far > self._fastest * gap or turn > self._quickest * gap:
            found.append(Cause("jump", _FAULT, f"the device's reading jumps by {1e3 * far:.4g} mm, {turn:.3g} rad"))
            return False
        v, w = lengths(twist)
        if v > self._fastest or w > self._quickest:
            cap = self._limits
            allowed = f"the limits are {cap.velocity:g} m/s, {cap.angular_velocity:g} rad/s, times {cap.overspeed:g}"
            found.append(Cause("speed", 0, f"the device moves at {v:.4g} m/s, {w:.4g} rad/s; {allowed}"))
        return True


def _finite(*several: Numbers) -> bool:
    return isfinite(sum([sum(numbers) for numbers in several]))
