"""The dynamics node: simulates the bodies while a table far away feels their contact.

Without its sockets (`DynamicsCore`) what it does depends on its inputs alone: measurements in, commands out. So a
recorded run can be replayed: the same measurements in the same ticks give the same numbers, bit for bit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

from tegotae.hybrid.bus.rows import Reporter
from tegotae.hybrid.bus.statistics import standing
from tegotae.hybrid.clocks.clock import NodeClock, telling_time
from tegotae.hybrid.links.link import NodeLink
from tegotae.hybrid.links.packets import ORIGIN, Command, Heartbeat, Measurement, NodeState, Stop
from tegotae.hybrid.machines.guarded import GuardedMachine
from tegotae.hybrid.nodes.compensation import Compensation, ContactEstimate, plausible
from tegotae.hybrid.safety.poses import STILL, moved
from tegotae.parameters import Declared, Parameter

_NEAR = 5e-4  # m, how near its command the table must be before the simulation runs
_SLOW = 1e-3  # m/s
_QUIET = 0.02  # s without force after which a contact is over
_BRIDGED = 5.0  # periods that a table goes on by itself, unless told
_RESTING = NodeState.RAMPING | NodeState.HELD | NodeState.LATCHED | NodeState.FAULT | NodeState.EMERGENCY
_SAYS_LITTLE = _RESTING | NodeState.STALE


@dataclass(slots=True)
class HeardContact:
    """The newest measurement, as the simulation uses it."""

    measurement: Measurement  # as it came in
    push: float = 0.0  # along the normal [N], >= 0
    depth: float = 0.0  # commanded for the moment of the sample [m]
    speed: float = 0.0  # commanded for it [m/s]
    rate: float = 0.0  # at which the commanded places moved then [m/s]

    def __post_init__(self) -> None:
        if NodeState.CONTACT in self.measurement.state:
            self.push = max(0.0, -self.measurement.wrench[2])


@dataclass(kw_only=True, eq=False)
class DynamicsCore(Declared):
    """The simulation under late forces.

    Example:
        >>> from tegotae import Mass
        >>> from tegotae.hybrid import GuardedMachine, Measurement
        >>> from tegotae.hybrid.nodes.dynamics_node import DynamicsCore
        >>> core = DynamicsCore(machine=GuardedMachine(Mass(mass=8.0, dimension=6), period=2e-3), stiffness=2e4)
        >>> core.tick(steps=1, measurement=Measurement(label=0.0)).label
        0.002
    """

    machine: Annotated[
        GuardedMachine, Parameter("what is simulated, under the guard", "Give GuardedMachine(block, period=...).")
    ]
    stiffness: Annotated[float, Parameter("[N/m], > 0, of the contact as expected; what is felt corrects it")]
    compensation: Annotated[
        bool, Parameter("whether late forces are brought up to date and the table is sent ahead")
    ] = True
    longest: Annotated[float, Parameter("[s], > 0, oldest label that is believed")] = 0.2
    bridged: Annotated[
        float | None,
        Parameter("[s], >= 0, how far a table may go on by itself while commands stay away; 5 periods if None"),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.period, self.simulated = self.machine.period, 0.0
        self.late = Compensation(period=self.period, contact=ContactEstimate(stiffness=self.stiffness))
        self._bridged = _BRIDGED * self.period if self.bridged is None else self.bridged
        self.felt: HeardContact | None = None
        self.touching, self._free = False, -math.inf
        self.disbelieved, self._quiet = 0, 0.0
        self.wanted = self.applied = list(STILL)
        self.command = Command(label=0.0, pose=self.machine.motion[0])

    def ready(self, measurement: Measurement) -> bool:
        """Whether the table is there, obeys, and stands or moves where the simulation is: it is not still on its way.

        Pressed against something it stays behind by what its servo gives way under that push.
        """
        state = measurement.state
        if NodeState.RUNNING not in state or state & (_RESTING | NodeState.LIMITED):
            return False
        give = HeardContact(measurement).push / self.late.contact.stiffness
        apart = max(abs(a - b) for a, b in zip(measurement.pose[:3], self.command.pose[:3], strict=True))
        fastest = max(abs(x) for x in measurement.twist[:3])
        return bool(apart < _NEAR + give and fastest < _SLOW + abs(self.machine.motion[1][2]))

    def tick(self, *, steps: int, measurement: Measurement | None) -> Command:
        """Hear what was felt since the last tick, simulate so many periods (0 waits), say where the table is to be."""
        if measurement is not None:
            self._hear(measurement, steps)
        for _ in range(steps):
            self.wanted = self._wrench()
            self.applied = self.machine.advance(self.wanted)
            self.simulated += self.period
            self._watch_the_end()
        self.command = self._next(waiting=steps == 0)
        return self.command

    @property
    def computed(self) -> dict[str, Any]:
        """What it made of its inputs, as a row tells it; all else in a row is input, or belongs to clocks."""
        machine, late = self.machine, self.late
        pose, twist = machine.motion
        return {
            "simulated": self.simulated, "pose": pose, "twist": twist, "wrench": self.applied,
            "compensated": self.wanted, "energy": machine.energy, "budget": machine.budget,
            "removed": machine.refused[0], "delay": late.delay, "stiffness": late.contact.stiffness,
            "damping": late.contact.damping,
        }  # fmt: skip

    def _hear(self, measurement: Measurement, steps: int) -> None:
        label = measurement.label
        now = self.simulated + max(steps - 1, 0) * self.period  # what is made up for in this tick has passed already
        if not plausible(label, now=now, longest=self.longest, bridged=self._bridged):
            self.disbelieved += 1
            return
        late, felt = self.late, HeardContact(measurement)
        felt.depth, felt.speed = late.commanded(label) or (measurement.pose[2], measurement.twist[2])
        felt.rate = late.rate_told(label)
        self.felt = felt
        # A table that rests, or went on by itself while this process was held up, says what the contact does, but
        # nothing of the loop's delay, and what it makes of a command that it did not get is only known roughly. One
        # whose device is held up says the same again and again.
        if steps > 0 and not measurement.state & _SAYS_LITTLE and label <= now + 1.5 * self.period:
            self._learn(felt, now)

    def _learn(self, felt: HeardContact, now: float) -> None:
        """Of a table that obeys: delay, lag, and what it touches."""
        late, measurement = self.late, felt.measurement
        if self.simulated > 0.0:
            late.learn_delay(now=now, label=measurement.label)
        if felt.push > 0.0:
            if not self.touching:
                self.touching = True
                # A damper pushes at once: what it adds is not depth, and where nothing was felt yet was no contact.
                late.contact.begin(onset=max(felt.depth - felt.push / late.contact.stiffness, self._free))
            late.contact.hear(force=felt.push, depth=felt.depth, speed=felt.speed)
        elif NodeState.CONTACT not in measurement.state:
            self.touching, self._free = False, felt.depth
            if self.simulated > 0.0:
                late.follow(label=measurement.label, depth=measurement.pose[2])

    def _wrench(self) -> list[float]:
        """What acts on the bodies over the tick that begins, before the guard."""
        felt = self.felt
        if felt is None or felt.push == 0.0:
            return list(STILL)
        wrench = [float(x) for x in felt.measurement.wrench]
        if self.compensation:
            pose, twist = self.machine.motion
            push = self.late.force(
                felt.push, depth_then=felt.depth, speed_then=felt.speed, rate_then=felt.rate,
                depth=pose[2], speed=twist[2],
            )  # fmt: skip
            share = push / felt.push
            wrench = [share * x for x in wrench]
        return wrench

    def _watch_the_end(self) -> None:
        """What a contact took and did not give back must not drive the next one."""
        if self.touching or any(self.applied):
            self._quiet = 0.0
            return
        self._quiet += self.period
        if self._quiet > _QUIET + 2.0 * self.late.delay:
            self.machine.forget()

    def _next(self, *, waiting: bool) -> Command:
        pose, twist = self.machine.motion
        label = self.simulated
        if waiting:
            self.late.sent(label=label, depth=pose[2], speed=0.0)
            return Command(label=label, pose=pose)
        acceleration = list(STILL)
        if self.compensation:
            late = self.late
            depth, speed, pull = late.ahead(pose[2], twist[2], mass=self.machine.mass, touching=self.touching)
            ahead = list(moved(pose, twist, late.lead(touching=self.touching)))
            ahead[2] = depth
            pose, twist = ahead, [*twist[:2], speed, *twist[3:]]
            acceleration[2] = pull
        self.late.sent(label=label, depth=pose[2], speed=twist[2])
        return Command(label=label, pose=pose, twist=twist, acceleration=acceleration)


_MOST = 5  # periods simulated in one tick after late ones
_SILENT = 0.1  # s without a measurement after which the simulation waits
_ALONE = 0.5  # s without a measurement after which nobody is waited for in a hurry
_STOPPED = NodeState.HELD | NodeState.LATCHED | NodeState.FAULT | NodeState.EMERGENCY
_SHOWN = 0.05  # s between two configurations, as often as a viewer draws
_NOTHING = (0.0, ORIGIN, STILL, STILL, ORIGIN, 0)


@dataclass(kw_only=True, eq=False)
class DynamicsNode(Declared):
    """Lets the simulation run as long as the table is there, obeys and answers; waits otherwise.

    Example:
        >>> from tegotae.hybrid.settings import read_settings
        >>> from tegotae.hybrid.nodes.virtual_run import run_virtual
        >>> run = run_virtual(read_settings(changes=["device.kind=spring", "duration=0.02"]))
        >>> round(float(run.dynamics["simulated"][-1]), 6)
        0.02
    """

    core: Annotated[DynamicsCore, Parameter("the simulation")]
    link: Annotated[NodeLink, Parameter("to the table node")]
    clock: Annotated[NodeClock, Parameter("gives the time", accept=telling_time)]
    reporter: Annotated[Reporter, Parameter("takes rows, events and status")]

    def __post_init__(self) -> None:
        super().__post_init__()
        self._tick, self._heard, self._running = -1, 0, False
        self._configured = 0

    @property
    def simulated(self) -> float:
        """Since the table was ready [s]."""
        return self.core.simulated

    @property
    def idle(self) -> bool:
        """Whether there is no table to simulate for."""
        return not self._running and 1e-9 * (self.clock.nanoseconds - self._heard) > _ALONE

    def step(self, tick: int) -> None:
        """One period."""
        now = self.clock.nanoseconds
        measurement = self._listen(now)
        steps = self._steps(tick, now, measurement)
        self._tick = tick
        self.link.send(self.core.tick(steps=steps, measurement=measurement))
        self._tell(tick, now, steps, measurement)

    def _listen(self, now: int) -> Measurement | None:
        newest = None
        for packet in self.link.packets():
            if isinstance(packet, Measurement):
                newest, self._heard = packet, now
            elif isinstance(packet, Stop):
                self._wait(now, f"the table node says stop: {packet.reason}")
            elif isinstance(packet, Heartbeat) and packet.state & NodeState.FAULT:
                self._wait(now, "the table has nothing to measure with: see its events")
        return newest

    def _steps(self, tick: int, now: int, measurement: Measurement | None) -> int:
        """How many periods to simulate: as many as passed, none while there is no table to feel the contact."""
        if measurement is not None and measurement.state & _STOPPED:
            flags = ", ".join(str(flag.name).lower() for flag in NodeState(measurement.state & _STOPPED))
            self._wait(now, f"the table stands: {flags}")
        elif 1e-9 * (now - self._heard) > _SILENT:
            self._wait(now, f"nothing from the table for {1e3 * _SILENT:g} ms")
        elif not self._running and measurement is not None and self.core.ready(measurement):
            self._running = True
            self.reporter.event(now, "info", f"running from {self.core.simulated:.3f} s on")
            return 1
        return min(tick - self._tick, _MOST) if self._running else 0

    def _wait(self, now: int, why: str) -> None:
        if self._running:
            self._running = False
            self.reporter.event(now, "warning", f"waiting at {self.core.simulated:.3f} s: {why}")

    def _tell(self, tick: int, now: int, steps: int, measurement: Measurement | None) -> None:
        core, reporter = self.core, self.reporter
        m = measurement
        felt = _NOTHING if m is None else (m.label, m.pose, m.twist, m.wrench, m.onset, int(m.state))
        simulated, *made = core.computed.values()
        reporter.put(
            now, tick, steps, simulated, 0 if m is None else 1, *felt, *made, int(self.state),
            self.clock.deadlines.latest, self.link.clock_offset,
        )  # fmt: skip
        if core.simulated >= self._configured * _SHOWN:
            reporter.configuration(core.simulated, core.machine.configuration)
            self._configured = int(core.simulated / _SHOWN + 1e-9) + 1
        reporter.status(now, self.status)

    @property
    def state(self) -> NodeState:
        """What the node is doing."""
        state = NodeState.RUNNING if self._running else NodeState.HELD
        return state | NodeState.CONTACT if self.core.touching else state

    def status(self) -> dict[str, Any]:
        """What the node says of itself."""
        core = self.core
        status = standing(self.clock, self.link, self.state)
        if core.disbelieved:
            status["words"].append(f"{core.disbelieved} measurements spoke of times that cannot be: ignored")
        late = core.late
        return {**status, "simulated": core.simulated, "delay": late.delay, "servo_lag": late.servo_lag}

    def finish(self) -> None:
        """Publish the final status."""
        self.reporter.finish(self.clock.nanoseconds, self.status())
