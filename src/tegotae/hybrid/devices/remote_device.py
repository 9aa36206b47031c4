"""A device in a process of its own: it holds by itself if the table node dies.

The table node sees it as any device (`RemoteDevice`); its process lets its time pass and watches for commands
(`DeviceNode`). Between the two goes the same signed link as between the other nodes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from tegotae import checks
from tegotae.hybrid.bus.messages import LATE, REARMED, STOP
from tegotae.hybrid.bus.statistics import standing
from tegotae.hybrid.clocks.clock import NodeClock, telling_time
from tegotae.hybrid.devices.device import DeviceReading, Twin
from tegotae.hybrid.links.link import NodeLink
from tegotae.hybrid.links.packets import Command, Heartbeat, NodeState, Numbers, Rearm, SensorSignals, Stop
from tegotae.hybrid.safety.limits import Limits, Margins
from tegotae.hybrid.safety.poses import difference, lengths, moved, toward
from tegotae.parameters import Declared, Parameter, Period

_FORGOTTEN = 0.2  # s without a command
_RARELY = 0.3  # commands a period
_HASTE, _CLOSING = 1.2, 0.02  # how many times the told speed, and how much more [m/s], to catch up with
_BEYOND = 1.1  # times what the limits allow, at most: a mechanism that swings on top of that must not look too fast
_MOST = 10  # periods that a late process makes up for
_AT_ONCE = 3  # of them in one tick
_SEEN = 0.1  # m/s: no faster than that, or as told, as it looks from outside; else it would look like one that jumps
_HELD_UP = 3  # periods: if this process itself was held up for longer, the rest says nothing about the table node
_LEANING = 0.1  # share of a difference between labels that is believed at once
FARTHEST = 5.0  # periods that a command is moved on


def unbounded(pose: Sequence[float]) -> tuple[float, float]:
    """Margins of a device that tells none."""
    return math.inf, math.inf


def _stepped(owner: str, name: str, value: Any) -> Any:
    """A device that this process drives, and stops when commands stay away."""
    asked = ("command", "read", "step", "stop", "rearm")
    if missing := [word for word in asked if not callable(getattr(value, word, None))]:
        problem = f"{name}={checks.shown(value)} has no {', no '.join(f'{word}()' for word in missing)}."
        checks.refuse(owner, problem, "Give a Twin, such as SpringTwin or HexaTwin.")
    return value


@dataclass(kw_only=True, eq=False)
class RemoteDevice(Declared):
    """A device whose process is elsewhere on this machine, or on another.

    Example:
        >>> from tegotae.hybrid import MemoryLink, VirtualClock
        >>> from tegotae.hybrid.devices.device import SpringTwin
        >>> from tegotae.hybrid.devices.remote_device import DeviceNode, RemoteDevice
        >>> clock = VirtualClock(2e-3)
        >>> here, there = MemoryLink.pair(clock)
        >>> process = DeviceNode(twin=SpringTwin(stiffness=1e4, period=2e-3), link=there, clock=clock)
        >>> device = RemoteDevice(link=here, period=2e-3)
        >>> device.command((0.0, 0.0, 4e-5, 1.0, 0.0, 0.0, 0.0), (0.0,) * 6, label=0.1)
        >>> process.step(0)
        >>> device.read().signal[2], device.read().label
        (-0.4, 0.1)
    """

    link: Annotated[NodeLink, Parameter("to its process")]
    period: Period
    margins: Annotated[
        Margins, Parameter("of a pose, if they can be told here; see `Device`", "Give a function of a pose.")
    ] = unbounded
    silence: Annotated[float, Parameter("[s], > 0, how long it may say nothing before that is a fault")] = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        self._reading = DeviceReading()
        self._unheard = 0  # reads that found nothing new
        self.met = False

    def read(self) -> DeviceReading:
        """What it said last; a fault if that was many reads ago, one a period: a machine that stood still read once."""
        self._unheard += 1
        self._reading = self._reading._replace(fresh=False)
        for packet in self.link.packets():
            if isinstance(packet, SensorSignals):
                pose, twist, signals = map(tuple, (packet.pose, packet.twist, packet.signals))
                emergency, fault = NodeState.EMERGENCY in packet.state, _fault(packet.state)
                self._reading = DeviceReading(pose, twist, signals, packet.label, emergency, *fault)
                self.met, self._unheard = True, 0
            elif isinstance(packet, Heartbeat) and packet.state & NodeState.FAULT:
                self._reading = self._reading._replace(fault="the device's process cannot read its device", late=False)
        if self.met and self._unheard * self.period > self.silence:
            return self._reading._replace(fault=f"nothing from the device for {1e3 * self.silence:g} ms", late=True)
        return self._reading

    def command(self, pose: Sequence[float], twist: Sequence[float], *, label: float) -> None:
        """Where to be at the end of the next period."""
        self.link.send(Command(label=label, pose=pose, twist=twist))

    def stop(self) -> None:
        """Come to rest and hold."""
        self.link.send(Stop(reason="the table node says stop"))

    def rearm(self) -> None:
        """Obey commands again."""
        self.link.send(Rearm())

    def close(self) -> None:
        """Close the link; the device holds."""
        self.link.close()


def _fault(state: NodeState) -> tuple[str, bool]:
    """What is wrong, in words, and whether it is only that commands came late."""
    if NodeState.FAULT in state:
        return "the device's process reports a fault", False
    if NodeState.LATCHED in state:
        return "the device was told to stop and holds", False
    return ("the device has stopped by itself and holds", True) if NodeState.HELD in state else ("", False)


def _unheard(time: int, level: str, text: str, kind: str) -> None:
    """Tell nobody."""


@dataclass(kw_only=True, eq=False)
class DeviceNode(Declared):
    """The process of a device: lets its time pass, hands on commands, and stops it when they stay away.

    Example:
        >>> from tegotae.hybrid import MemoryLink, VirtualClock
        >>> from tegotae.hybrid.devices.device import SpringTwin
        >>> clock, events = VirtualClock(2e-3), []
        >>> here, there = MemoryLink.pair(clock)
        >>> node = DeviceNode(
        ...     twin=SpringTwin(stiffness=1e4, period=2e-3), link=there, clock=clock,
        ...     tell=lambda time, level, text, kind: events.append(text),
        ... )
        >>> sent = here.send(Command(label=0.0, pose=(0.0, 0.0, 0.001, 1.0, 0.0, 0.0, 0.0)))
        >>> for _ in range(30):
        ...     node.step(clock.wait())
        >>> events
        ['first command: moving', 'no command for 42 ms: stopped, holding; re-arm to go on']
    """

    twin: Annotated[Twin, Parameter("the device", accept=_stepped)]
    link: Annotated[NodeLink, Parameter("to the table node")]
    clock: Annotated[NodeClock, Parameter("gives the time", accept=telling_time)]
    watchdog: Annotated[int, Parameter(">= 1, periods without a command after which the device is stopped")] = 20
    limits: Annotated[
        Limits | None,
        Parameter("whose velocities a device that catches up passes by a tenth at most; None for any speed"),
    ] = None
    tell: Annotated[
        Callable[[int, str, str, str], None],
        Parameter(
            "called with (time [ns], level, text, kind) of what happens",
            "Give a function of time, level, text and kind.",
        ),
    ] = _unheard

    def __post_init__(self) -> None:
        super().__post_init__()
        limits, endless = self.limits, math.inf
        self._fastest = endless if limits is None else _BEYOND * limits.velocity
        self._quickest = endless if limits is None else _BEYOND * limits.angular_velocity
        self._command: Command | None = None
        self._label, self._tick, self._often = -math.inf, -1, 1.0
        self._last_pose: tuple[float, ...] | None = None  # pose that the device was told last
        self._came: int | None = None
        self._waited = self._stepped = self._owed = 0
        self._longest = round(1e9 * _HELD_UP * self.clock.period)
        self.stopped = self._told_to_stop = False
        self.quiet = 0.0  # s since the newest command; 0 before the first
        self.commanded: Numbers | None = None  # pose of the newest command

    @property
    def idle(self) -> bool:
        """Whether it stands and is told little: nothing for a while, or by a table node that dozes itself."""
        if self._came is None or (self.stopped and self.quiet > _FORGOTTEN):
            return True
        return self._often < _RARELY and self._command is not None and not any(self._command.twist)

    def step(self, tick: int) -> None:
        """One period."""
        if type(tick) is not int or not 0 <= tick <= checks.MOST:
            tick = checks.whole("DeviceNode", "tick", tick, 0, "Give the number of the tick.")
        now = self.clock.nanoseconds
        self._waited += min(now - self._stepped, self._longest)
        self._stepped = now
        passed, heard = max(tick - self._tick, 1), self.link.statistics.received
        self._listen(now)
        often = (self.link.statistics.received - heard) / passed
        self._often += min(1.0, _LEANING * passed) * (often - self._often)
        self.quiet = 0.0 if self._came is None else 1e-9 * self._waited
        if not self.stopped and self.quiet > (self.watchdog + 0.5) * self.clock.period:
            self._stop(now, f"no command for {1e3 * self.quiet:.3g} ms", LATE)
        # Time passes for a plant also when its process is late; one that stands has nothing to catch up with.
        self._owed = 1 if self.idle else min(self._owed + passed, _MOST)
        self._make_up()
        self._tick = tick
        self._answer()

    def _make_up(self) -> None:
        """Let the periods pass that are due: this one, and as many of those owed as do not look like a jump."""
        far, most = 0.0, _SEEN * self.clock.period
        for count in range(min(self._owed, _AT_ONCE)):
            reach = 0.0 if self._command is None else self._reach(self._command)[0]
            if count and far + reach > most:
                return
            far += reach
            self._owed -= 1
            self._follow()
            self.twin.step()

    def _listen(self, now: int) -> None:
        for packet in self.link.packets():
            if isinstance(packet, Command):
                if self._came is None:
                    self.tell(now, "info", "first command: moving", "")
                self._came, self.commanded, self._command = now, packet.pose, packet
                self._waited = 0
            elif isinstance(packet, Stop):
                self._told_to_stop = True
                self._stop(now, packet.reason, STOP)
            elif isinstance(packet, Rearm) and self.stopped:
                self.stopped = self._told_to_stop = False
                self._came, self._waited = now, 0
                self._label = -math.inf
                self.twin.rearm()
                self.tell(now, "info", "re-armed", REARMED)

    def _follow(self) -> None:
        """Hand the newest command on, moved to where it would be by a clock that runs evenly.

        Commands come in when two other processes got round to them. Taken as they come, the table would stand still in
        one period and go twice as far in the next, and hit what it touches at twice the speed. Their labels are the
        simulation's own even time; here it runs on by itself and only leans towards what comes in.
        """
        command, T = self._command, self.clock.period
        if command is None or self.stopped:
            return
        ahead = (1.0 - _LEANING) * (self._label + T - command.label)
        # A simulation that stands does not go on, and one that jumped on is not run after.
        ahead = 0.0 if ahead < -FARTHEST * T or not any(command.twist) else min(ahead, FARTHEST * T)
        before, self._label = self._label, command.label + ahead
        last = self._last_pose or self.twin.read().pose  # after a stop it goes on from where it holds
        if ahead < 0.0 and before < self._label:
            # Back on the way that was told: a table that catches up moves faster than its labels.
            share = (self._label - before) / (command.label - before)
            wanted = moved(last, difference(last, tuple(command.pose)), share)
        else:
            wanted = moved(tuple(command.pose), tuple(command.twist), ahead)
        self._last_pose = toward(last, wanted, *self._reach(command))
        self.twin.command(self._last_pose, tuple(command.twist), label=self._label)

    def _reach(self, command: Command) -> tuple[float, float]:
        """How far it may go in a period [m, rad]: a little more than told, so that it catches up, but never jumps."""
        T, (v, w) = self.clock.period, lengths(command.twist)
        return T * min(_HASTE * v + _CLOSING, self._fastest), T * min(_HASTE * w + 10.0 * _CLOSING, self._quickest)

    def end(self) -> None:
        """Stop by itself, since this process is to end."""
        self._stop(self.clock.nanoseconds, "the device's process is told to end", STOP)

    def _stop(self, now: int, why: str, kind: str) -> None:
        if not self.stopped:
            stood = self._command is None or not any(self._command.twist)
            self.stopped, self._command, self._last_pose = True, None, None
            self.twin.stop()
            # One that stood is not interrupted: so it is when a session ends.
            self.tell(now, "info" if stood else "trip", f"{why}: stopped, holding; re-arm to go on", kind)

    def _answer(self) -> None:
        reading = self.twin.read()
        state = self.state
        if reading.fault:
            state |= NodeState.FAULT
        if reading.emergency:
            state |= NodeState.EMERGENCY
        numbers = (*reading.pose, *reading.twist, *reading.signal)
        if math.isfinite(sum(numbers)):
            self.link.send(SensorSignals.of(reading.label, (*numbers, int(state))))
        else:
            self.link.send(Heartbeat(label=reading.label, state=state | NodeState.FAULT))

    @property
    def state(self) -> NodeState:
        """What the node is doing: latched if it was told to stop, only held if commands stayed away."""
        if not self.stopped:
            return NodeState.RUNNING
        return NodeState.HELD | NodeState.LATCHED if self._told_to_stop else NodeState.HELD

    def status(self) -> dict[str, Any]:
        """What the node says of itself."""
        status = standing(self.clock, self.link, self.state)
        if self.stopped:
            status["words"].append("stopped and holding: re-arm the table")
        return status
