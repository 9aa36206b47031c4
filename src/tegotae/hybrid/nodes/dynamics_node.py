"""The dynamics node: simulates the bodies while a table far away feels their contact."""

from __future__ import annotations

from typing import Any

from tegotae.hybrid.bus.reporting import Reporter, standing
from tegotae.hybrid.clocks.clock import NodeClock
from tegotae.hybrid.links.link import NodeLink
from tegotae.hybrid.links.packets import ORIGIN, Heartbeat, Measurement, NodeState, Stop
from tegotae.hybrid.nodes.dynamics_core import DynamicsCore

_MOST = 5  # periods simulated in one tick after late ones
_SILENT = 0.1  # s without a measurement after which the simulation waits
_ALONE = 0.5  # s without a measurement after which nobody is waited for in a hurry
_STOPPED = NodeState.HELD | NodeState.LATCHED | NodeState.FAULT | NodeState.EMERGENCY
_SHOWN = 0.05  # s between two configurations, as often as a viewer draws
_NOTHING = (0.0, ORIGIN, (0.0,) * 6, (0.0,) * 6, ORIGIN, 0)


class DynamicsNode:
    """Lets the simulation run as long as the table is there, obeys and answers; waits otherwise.

    Args:
        core: the simulation.
        link: to the table node.
        clock: gives the time.
        reporter: takes rows, events and status.

    Example:
        >>> from tegotae.hybrid.settings import read_settings
        >>> from tegotae.hybrid.nodes.virtual_run import run_virtual
        >>> told = run_virtual(read_settings(changes=["device.kind=spring", "duration=0.02"]))
        >>> round(float(told.dynamics["simulated"][-1]), 6)
        0.02
    """

    def __init__(self, *, core: DynamicsCore, link: NodeLink, clock: NodeClock, reporter: Reporter) -> None:
        self.core, self._link, self._clock, self._reporter = core, link, clock, reporter
        self._tick, self._heard, self._running = -1, 0, False
        self._configured = 0

    @property
    def simulated(self) -> float:
        """Since the table was ready [s]."""
        return self.core.simulated

    @property
    def idle(self) -> bool:
        """Whether there is no table to simulate for."""
        return not self._running and 1e-9 * (self._clock.nanoseconds - self._heard) > _ALONE

    def step(self, tick: int) -> None:
        """One period."""
        now = self._clock.nanoseconds
        measurement = self._listen(now)
        steps = self._steps(tick, now, measurement)
        self._tick = tick
        self._link.send(self.core.tick(steps=steps, measurement=measurement))
        self._tell(tick, now, steps, measurement)

    def _listen(self, now: int) -> Measurement | None:
        newest = None
        for packet in self._link.packets():
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
            self._reporter.event(now, "info", f"running from {self.core.simulated:.3f} s on")
            return 1
        return min(tick - self._tick, _MOST) if self._running else 0

    def _wait(self, now: int, why: str) -> None:
        if self._running:
            self._running = False
            self._reporter.event(now, "warning", f"waiting at {self.core.simulated:.3f} s: {why}")

    def _tell(self, tick: int, now: int, steps: int, measurement: Measurement | None) -> None:
        core, reporter = self.core, self._reporter
        pose, twist = core.machine.motion
        m = measurement
        felt = _NOTHING if m is None else (m.label, m.pose, m.twist, m.wrench, m.onset, int(m.state))
        reporter.row(
            now, tick, steps, core.simulated, 0 if m is None else 1, *felt, pose, twist, core.applied, core.wanted,
            core.machine.energy, core.machine.budget, core.machine.refused[0], core.late.delay.seconds,
            core.late.contact.stiffness, core.late.contact.damping, int(self.state), self._clock.deadlines.latest,
            self._link.clock_offset,
        )  # fmt: skip
        if core.simulated >= self._configured * _SHOWN:
            reporter.configuration(core.simulated, core.machine.configuration)
            self._configured = int(core.simulated / _SHOWN + 1e-9) + 1
        if reporter.due(now):
            reporter.status(now, self.status())

    @property
    def state(self) -> NodeState:
        """What the node is doing."""
        state = NodeState.RUNNING if self._running else NodeState.HELD
        return state | NodeState.CONTACT if self.core.touching else state

    def status(self) -> dict[str, Any]:
        """What the node says of itself."""
        core = self.core
        told = standing(self._clock, self._link, self.state)
        if core.disbelieved:
            told["words"].append(f"{core.disbelieved} measurements spoke of times that cannot be: ignored")
        late = core.late
        return {**told, "simulated": core.simulated, "delay": late.delay.seconds, "servo_lag": late.servo_lag}

    def finish(self) -> None:
        """Publish the final status."""
        self._reporter.finish(self._clock.nanoseconds, self.status())
