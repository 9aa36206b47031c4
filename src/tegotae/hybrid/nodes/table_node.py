"""The table node: between the commands of the dynamics and a device, with the last word on safety.

It knows nothing of what is simulated and nothing of what the device is: poses, twists, wrenches, and limits.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from tegotae.hybrid.bus.messages import DONE, REARMED
from tegotae.hybrid.bus.rows import Reporter
from tegotae.hybrid.bus.statistics import standing
from tegotae.hybrid.clocks.clock import NodeClock, telling_time
from tegotae.hybrid.devices.device import Device, DeviceReading
from tegotae.hybrid.links.link import NodeLink
from tegotae.hybrid.links.packets import Command, Heartbeat, Measurement, NodeState, Rearm, Stop
from tegotae.hybrid.safety.limits import Stopping
from tegotae.hybrid.safety.safety import MotionOrder, Safety
from tegotae.hybrid.safety.sensing import Felt, Sensing
from tegotae.parameters import Declared, Parameter, as_given
from tegotae.rotations import Vector

_HELD_UP = 3  # periods: if this node itself was held up for longer, the rest says nothing about the others
_FORGOTTEN = 0.2  # s without a command
_INSISTING = 60  # ticks: a device must be woken before it can say that it is well, and commands may be a little late
_STALE = int(NodeState.STALE)
_BOTHERED = NodeState.LATCHED | NodeState.EMERGENCY | NodeState.FAULT | NodeState.OVERLOAD


@dataclass(kw_only=True, eq=False)
class TableNode(Declared):
    """Drives a device by commands that come over a link, and says what it feels.

    Example:
        >>> from tegotae.hybrid.settings import read_settings
        >>> from tegotae.hybrid.nodes.virtual_run import run_virtual
        >>> run = run_virtual(read_settings(changes=["device.kind=spring", "duration=0.02"]))
        >>> int(run.table["tick"][-1]) > 10
        True
    """

    device: Annotated[Device, Parameter("to drive", accept=as_given)]
    link: Annotated[NodeLink, Parameter("to the dynamics node")]
    safety: Annotated[Safety, Parameter("stands between the two")]
    sensing: Annotated[Sensing, Parameter("makes wrenches of the device's signals")]
    origin: Annotated[Vector, Parameter("[m], of the commands, in the table's world")]
    clock: Annotated[NodeClock, Parameter("gives the time", accept=telling_time)]
    reporter: Annotated[Reporter, Parameter("takes rows, events and status")]
    stopping: Annotated[
        Stopping | None, Parameter("what is promised of its rest when commands stay away; None for nothing")
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._command: Command | None = None
        self._waited = self._stepped = self._began = 0
        self._unread = 0  # ticks since the device last said anything new
        self._slowed = -math.inf  # label of the last order made to a device that said nothing
        self._longest = round(1e9 * _HELD_UP * self.clock.period)
        self._stops: deque[str] = deque()  # asked for by other threads, too: none may be lost
        self._rearm = 0
        self.state = NodeState.HELD
        self._done = False
        if self.stopping is not None:
            self.reporter.event(self.clock.nanoseconds, "info", f"without commands: {self.stopping.words}")

    @property
    def idle(self) -> bool:
        """Whether it stands, is tared, and has had no command for a while."""
        quiet = self._command is None or 1e-9 * self._waited > _FORGOTTEN
        return quiet and NodeState.HELD in self.state and self._rearm == 0 and self.sensing.ready

    def request_stop(self, reason: str) -> None:
        """Trip at the next tick; any node may ask for it."""
        self._stops.append(reason)

    def request_rearm(self) -> None:
        """Leave the latch as soon as nothing speaks against it, in the next ticks; if something does, say so then."""
        self._rearm = _INSISTING

    def step(self, tick: int) -> None:
        """One period."""
        began = self.clock.nanoseconds
        reading = self.device.read()
        now = self.clock.nanoseconds
        self._unread = 0 if reading.fresh else self._unread + 1
        felt = self.sensing.step(reading.signal, reading.pose, reading.twist, fresh=reading.fresh)
        self._waited += min(now - self._stepped, self._longest)
        self._listen()
        stop = self._stops.popleft() if self._stops else None
        rearm = self._rearm > 0
        age = 1e-9 * self._waited if self._command is not None else math.inf
        # From before the last reading to after this one: this process may be held up between any two lines.
        elapsed = 1e-9 * (now - self._began) if self._began else None
        self._began, self._stepped = began, now
        order = self.safety.step(
            age=age, command=self._command, reading=reading, felt=felt, stop=stop, rearm=rearm,
            insists=self._rearm > 1, elapsed=elapsed, unread=self._unread * self.clock.period,
        )  # fmt: skip
        if self._unread and NodeState.RAMPING in order.state:
            self._slowed = order.label
        elif order.label < self._slowed:  # a simulation that began again
            self._slowed = -math.inf
        if rearm:
            self._rearm = self._rearm - 1 if NodeState.LATCHED in order.state else 0
        if order.rearm:
            self.device.rearm()
        self.device.command(order.pose, order.twist, label=order.label)
        self._answer(reading, felt, order)
        self._tell(tick, now, age, reading, felt, order)

    def _listen(self) -> None:
        for packet in self.link.packets():
            if isinstance(packet, Command):
                x, y, z, *turn = packet.pose
                a, b, c = self.origin
                self._command = Command.of(
                    packet.label, (x + a, y + b, z + c, *turn, *packet.twist, *packet.acceleration)
                )
                self._waited = 0
            elif isinstance(packet, Stop):
                self.request_stop(packet.reason)
            elif isinstance(packet, Rearm):
                self.request_rearm()

    def _answer(self, reading: DeviceReading, felt: Felt, order: MotionOrder) -> None:
        numbers = (*self._from_origin(reading.pose), *reading.twist, *felt.wrench, *self._from_origin(felt.onset))
        if math.isfinite(sum(numbers)):
            # What it says of orders that were slowed down for its own silence says nothing of the loop's delay.
            state = int(order.state) | (0 if reading.fresh and reading.label > self._slowed else _STALE)
            self.link.send(Measurement.of(reading.label, (*numbers, state)))
        else:
            self.link.send(Heartbeat(label=order.label, state=order.state | NodeState.FAULT))

    def _from_origin(self, pose: Sequence[float]) -> tuple[float, ...]:
        """A pose of the table's world as the dynamics counts it."""
        x, y, z, *turn = pose
        a, b, c = self.origin
        return (x - a, y - b, z - c, *turn)

    def _tell(self, tick: int, now: int, age: float, reading: DeviceReading, felt: Felt, order: MotionOrder) -> None:
        self.state = order.state
        reporter, motion = self.reporter, self.safety.motion
        reporter.put(
            now, tick, reading.label, min(age, 1e9), order.pose, reading.pose, reading.twist, reading.signal,
            felt.wrench, int(order.state), motion.joint_margin, motion.singularity, self.clock.deadlines.latest,
        )  # fmt: skip
        for level, text, *kind in (*felt.events, *order.events):
            done = DONE in text  # that it stops at the end is as it should be
            self._done = (self._done or done) and REARMED not in kind
            reporter.event(now, "info" if done else level, text, *kind)
        reporter.status(now, self.status)

    def status(self) -> dict[str, Any]:
        """What the node says of itself."""
        status = {**standing(self.clock, self.link, self.state), "done": self._done}
        if self._done:
            status["words"].append(DONE)
        elif self.state & _BOTHERED:
            status["words"].append("latched: look at it, then re-arm")
        return status if self.stopping is None else {**status, "stopping": asdict(self.stopping)}

    def finish(self) -> None:
        """Publish the final status."""
        self.reporter.finish(self.clock.nanoseconds, self.status())
