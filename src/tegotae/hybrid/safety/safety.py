"""What stands between the newest command and a table: it bridges, limits, slows down, holds and latches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, inf
from typing import Annotated, NamedTuple

from tegotae import checks
from tegotae.hybrid.bus.messages import LATE, REARM, REARMED, NodeEvent
from tegotae.hybrid.devices.device import DeviceReading
from tegotae.hybrid.links.packets import Command, NodeState
from tegotae.hybrid.safety.limits import Limits, LossOfCommandPolicy, Margins, Motion
from tegotae.hybrid.safety.poses import STILL, Pose, Step, difference, lengths, moved, seven
from tegotae.hybrid.safety.safety_watch import Cause, SafetyWatch, Teller
from tegotae.hybrid.safety.sensing import Felt
from tegotae.parameters import Declared, Parameter, Period
from tegotae.rotations import normalised

_WAITING, _RUNNING, _COASTING, _RAMPING, _STOPPING, _HELD = range(6)
_FLAGS = tuple(
    int(flags)
    for flags in (
        NodeState.HELD,
        NodeState.RUNNING,
        NodeState.COASTING,
        NodeState.RAMPING,
        NodeState.RAMPING | NodeState.LATCHED,
        NodeState.HELD | NodeState.LATCHED,
    )
)
_STATES = {number: NodeState(number) for number in range(1024)}  # making one takes longer than all else here
_LIMITED, _FELT, _RELEASING = int(NodeState.LIMITED), int(NodeState.CONTACT), int(NodeState.OVERLOAD)
_NOT_OBEYING = ("emergency", "fault", LATE)  # kinds of causes
_SLACK, _SLACK_ANGLE = 5e-4, 5e-3  # m, rad: a device nearer than this stands where it was told to
_A_HAIR = 1e-9  # s: sums of periods are that exact


class MotionOrder(NamedTuple):
    """What a table is to do in this tick."""

    pose: Pose  # where to be when the next period ends
    twist: Step  # how fast, then [m/s, rad/s]
    label: float  # simulated time that the pose stands for [s]: the command's, and what was extrapolated
    state: NodeState  # what the table is doing
    events: list[NodeEvent]  # what happened
    rearm: bool  # whether to re-arm the device now
    tripped: bool  # whether it tripped in this tick


@dataclass(kw_only=True, eq=False)
class Safety(Declared):
    """Stands between the newest command and the device, and has the last word.

    It begins armed, holding, and runs with the first command near where the table stands. Without commands it bridges,
    coasts, slows down and holds (`LossOfCommandPolicy`); without a word of the device too, but for the latch. What is
    asked beyond velocity and acceleration is followed as fast as allowed. It trips, that is it comes to rest as hard as
    allowed and latches, on a Stop, the emergency stop, a fault of device or sensor, a reading that is not finite, jumps
    or is too fast, an overload, and before the box, the tilt or the device's margins would be passed. After that only a
    re-arm and fresh commands near where it stands make it move, slowly at first.

    An overload is released: the table goes back to where it was measured, since a servo that is told to be where it
    is pushes no more. So it does, slowly, while the device itself is stopped or faulty, so that nothing jumps when it
    obeys again; but never after its readings gave reason to doubt them.

    Example:
        >>> from tegotae.hybrid import Command, NodeState
        >>> from tegotae.hybrid.safety.limits import Limits
        >>> from tegotae.hybrid.safety.sensing import NOTHING_FELT
        >>> class Standing:
        ...     pose, twist = (0.0,) * 3 + (1.0, 0.0, 0.0, 0.0), (0.0,) * 6
        ...     emergency, fault, late, fresh = False, "", False, True
        >>> safety = Safety(limits=Limits(), period=2e-3, start=Standing.pose)
        >>> order = safety.step(age=0.0, command=Command(label=1.0), reading=Standing, felt=NOTHING_FELT)
        >>> order.state, order.label
        (<NodeState.RUNNING: 1>, 1.0)
        >>> order = safety.step(age=inf, command=None, reading=Standing, felt=NOTHING_FELT, stop="enough")
        >>> order.tripped, order.events[0].text
        (True, 'stop: enough')
    """

    limits: Annotated[Limits, Parameter("what the table may do")]
    period: Period
    start: Annotated[
        Sequence[float],
        Parameter("[m, -], where the device reads that it stands: position, quaternion (w, x, y, z)", accept=seven),
    ]
    loss_of_command: Annotated[
        LossOfCommandPolicy | None, Parameter("what it does without commands; None: as usual")
    ] = None
    margins: Annotated[Margins | None, Parameter("of a pose, `device.margins`; None if the device has none")] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        limits, T = self.limits, self.period
        self._policy = policy = self.loss_of_command or LossOfCommandPolicy()
        for speed, change in (
            (limits.velocity, limits.acceleration),
            (limits.angular_velocity, limits.angular_acceleration),
        ):
            if speed / change > policy.ramp:
                needs = f"from {speed:g} the table needs {speed / change:.3g} s to rest at {change:g} per second"
                remedy = "Allow more acceleration, less velocity, or a longer ramp."
                checks.refuse("Safety", f"{needs}, but ramp={policy.ramp:g} s.", remedy)
        self.motion = Motion(limits, T, self.start, self.margins)
        self._teller = Teller(T)
        self._watch = SafetyWatch(limits, T, self.motion.pose)
        self._dog = policy.watchdog * T - _A_HAIR
        self._ramp_begins = self._dog + policy.coast
        self._rests = policy.rest_after(T)
        self._trusted = policy.extrapolation * T
        self._doing, self._why, self._label, self._pace = _WAITING, 0, 0.0, 0.0
        self._closing = self._swing = inf
        self._refuge: Pose | None = None
        self._released = self._tripped = False

    def step(
        self,
        *,
        age: float,
        command: Command | None,
        reading: DeviceReading,
        felt: Felt,
        stop: str | None = None,
        rearm: bool = False,
        insists: bool = False,
        elapsed: float | None = None,
        unread: float = 0.0,
    ) -> MotionOrder:
        """Decide on a tick.

        Args:
            age: since the newest command came in [s].
            command: the newest; None before the first.
            reading: of the device, in this tick.
            felt: what `Sensing` made of its signals.
            stop: the reason of a Stop that came in, "" without words; None for no Stop.
            rearm: whether a re-arm was asked for.
            insists: whether one that is refused is asked for again in the next tick; then it is not told yet.
            elapsed: since the last step [s]; a period if not given.
            unread: since the device last said anything new [s].
        """
        T, teller, motion = self.period, self._teller, self.motion
        events = teller.begin()
        self._tripped = False
        causes = self._watch.causes(age, command, reading, felt, stop, elapsed or T)
        if causes:
            self._respond(causes, reading)
        else:
            self._released = False
        wake = rearm and not reading.emergency
        if rearm and self._doing < _STOPPING:
            teller.tell(REARM, "info", "re-arm asked for, but nothing is latched")
        elif rearm:
            self._rearm(self._against(age, command, reading, felt, causes), insists)
        twist, limited = STILL, False
        if self._doing < _STOPPING:
            twist, limited = self._obey(age, unread, command, felt)
        else:
            self._rest()
            twist = motion.velocity
        flags = _FLAGS[self._doing] | self._why | (int(felt.state) & _FELT)
        if limited:
            flags |= _LIMITED
        return MotionOrder(motion.pose, twist, self._label, _STATES[flags], events, wake, self._tripped)

    def _obey(self, age: float, unread: float, command: Command | None, felt: Felt) -> tuple[Step, bool]:
        """Follow, coast or ramp: the twist to send, and whether limits keep the table from being where it should."""
        if self._doing == _WAITING and not self._begin(age, command, felt):
            return STILL, False
        was = self._doing
        if unread >= self._ramp_begins:  # nobody knows where the device is: it must not be led on
            self._teller.tell("unread", "warning", f"nothing from the device for {1e3 * unread:.3g} ms: slowing down")
        if command is None or max(age, unread) >= self._ramp_begins:
            self._doing = _RAMPING
            return self._slow_down(age, unread)
        if age < self._dog:
            self._doing = _RUNNING
            if was > _RUNNING:
                self._teller.tell("again", "info", "commands come in again: following")
        else:
            self._doing = _COASTING
            if was != _COASTING:
                self._teller.tell("coasting", "warning", f"no command for {1e3 * age:.3g} ms: coasting")
        return self._follow(age, command)

    def _begin(self, age: float, command: Command | None, felt: Felt) -> bool:
        """Whether an armed table may start to follow."""
        if command is None or age >= self._dog or not felt.ready:
            return False
        if far := self._far(command):
            self._teller.tell("far", "warning", f"not begun: {far}")
            return False
        self._doing = _RUNNING
        self._closing, self._swing = self._policy.approach, self._policy.swing
        self._teller.say("info", "running: following commands")
        return True

    def _far(self, command: Command) -> str:
        """Why a standing table does not begin to follow a command."""
        gap, turn = lengths(difference(self.motion.pose, command.pose))
        if gap > self._policy.jump or turn > self._policy.turn:
            return (
                f"the command lies {1e3 * gap:.4g} mm and {turn:.3g} rad from where the table stands, allowed are "
                f"{1e3 * self._policy.jump:g} mm and {self._policy.turn:g} rad; bring the two together"
            )
        return self.motion.trouble(moved(command.pose, STILL))

    def _follow(self, age: float, command: Command) -> tuple[Step, bool]:
        motion = self.motion
        target, last, pace = motion.course(command, age, self._trusted)
        if beyond := self.limits.beyond(target):
            self._trip("wall", 0, f"the command leaves the box: {beyond}")
            motion.brake()
            return motion.velocity, False
        velocity, limited = motion.pursuit(target, pace, self._closing, self._swing)
        if found := motion.take(velocity):
            self._trip("wall", 0, f"no room left to stop in: {found}")
            motion.brake()
            return motion.velocity, False
        self._label, self._pace = command.label + age, hypot(*velocity)
        if limited:
            if self._closing == inf:  # coming nearer slowly, at first, is our own wish
                self._teller.tell("limited", "warning", "limited: the command asks for more than the table may do")
            return velocity, True
        self._closing = self._swing = inf
        return (last if motion.ends(velocity, last) else velocity), False

    def _slow_down(self, age: float, unread: float) -> tuple[Step, bool]:
        """Come to rest by the time that was set, counted from the last command: late ticks do not make it longer."""
        motion = self.motion
        left = self._rests - max(age, unread)
        if motion.take(motion.braking(left)):
            motion.brake()
        if self._pace > 0.0:  # slower, it comes to later places of the course less and less
            self._label += self.period * min(hypot(*motion.velocity) / self._pace, 1.0)
        if self._rests - age <= self.period + _A_HAIR and motion.resting:
            self._doing = _HELD
            self._teller.say("trip", f"no command for {1e3 * age:.3g} ms: held and latched; re-arm to go on", LATE)
            self._tripped = True
        return motion.velocity, False

    def _respond(self, causes: list[Cause], reading: DeviceReading) -> None:
        for cause in causes:
            self._why |= cause.flag
            if self._doing < _STOPPING:
                self._trip(cause.kind, cause.flag, cause.text)
            else:
                self._teller.tell(cause.kind, "warning", f"while latched: {cause.text}")
            if self._watch.doubted:
                self._refuge = None
            elif cause.flag & _RELEASING and not self._released:
                self._released = True  # once an overload: a sensor that is stuck must not make the table creep
                self._refuge, self._doing = self._inside(reading), _STOPPING
                self._closing = self._swing = inf
            elif cause.kind in _NOT_OBEYING and reading.fresh:  # where it was, once, is no place to go to
                self._give_way(reading)

    def _trip(self, kind: str, flag: int, text: str) -> None:
        self._doing, self._tripped = _STOPPING, True
        self._why |= flag
        self._refuge, self._closing, self._swing = None, inf, inf
        self._teller.tell(kind, "trip", text, always=True)

    def _give_way(self, reading: DeviceReading) -> None:
        """Head slowly for where the device is, unless it is about where it was told to be."""
        there = self._inside(reading)
        gap, turn = lengths(difference(self.motion.pose, there))
        if gap > _SLACK or turn > _SLACK_ANGLE:
            self._refuge, self._doing = there, _STOPPING
            self._closing, self._swing = self._policy.approach, self._policy.swing

    def _inside(self, reading: DeviceReading) -> Pose:
        """The device's position, or the nearest one in the box."""
        (a, b, c), (d, e, f) = self.limits.lower, self.limits.upper
        x, y, z, *turn = reading.pose
        return min(max(x, a), d), min(max(y, b), e), min(max(z, c), f), *normalised(turn)

    def _rest(self) -> None:
        motion = self.motion
        if self._doing == _HELD:
            return
        if self._refuge is None:
            motion.brake()
        else:
            velocity, on_the_way = motion.pursuit(self._refuge, STILL, self._closing, self._swing)
            if motion.take(velocity):
                motion.brake()
                on_the_way = not motion.resting
            if not on_the_way and motion.came_to_rest():
                self._refuge = None
        if motion.resting and self._refuge is None:
            self._doing = _HELD
            self._teller.tell("rest", "info", "at rest, held and latched; re-arm to go on")

    def _rearm(self, against: str, insists: bool) -> None:
        """Leave the latch if nothing speaks against it; else say what does."""
        if not against:
            self._doing, self._why, self._refuge, self._watch.doubted = _WAITING, 0, None, False
            self._teller.say("info", "re-armed", REARMED)
        elif not insists:
            self._teller.tell(REARM, "warning", f"re-arm refused: {against}")

    def _against(
        self, age: float, command: Command | None, reading: DeviceReading, felt: Felt, causes: list[Cause]
    ) -> str:
        if causes:
            return causes[0].text
        if self._doing != _HELD:
            return "the table still comes to rest; ask again"
        if not felt.ready:
            return "the sensor is not tared yet; ask again"
        gap, turn = lengths(difference(self.motion.pose, reading.pose))
        if gap > self._policy.jump or turn > self._policy.turn:
            self._give_way(reading)
            return (
                f"the device stands {1e3 * gap:.4g} mm and {turn:.3g} rad from where it is held; "
                "it is now told to be where it stands: ask again"
            )
        if command is None or age >= self._dog:
            return "no fresh commands come in; start their sender first"
        return self._far(command)
