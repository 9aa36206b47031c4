"""All nodes in one process, in lockstep on virtual time: the same code, deterministic, as fast as it computes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from tegotae import checks
from tegotae.block import Admittance
from tegotae.hybrid.bus.bus import MemoryBus
from tegotae.hybrid.bus.rows import DYNAMICS, TABLE, BlockReader, Reporter, Rows
from tegotae.hybrid.clocks.clock import Lockstep
from tegotae.hybrid.links.kinds import MemoryLink
from tegotae.hybrid.machines.guarded import Machine
from tegotae.hybrid.nodes.assembly import core_of, faults_of, safety_of, sensing_of, twin_of
from tegotae.hybrid.nodes.dynamics_node import DynamicsNode
from tegotae.hybrid.nodes.table_node import TableNode
from tegotae.hybrid.settings import Settings

_PATIENCE = 2.0  # s of virtual time until the table must be ready
_SHARE = 0.1  # s of virtual time between two signs of life


@dataclass
class RunRecord:
    """What all nodes said in a run."""

    dynamics: Rows  # rows of the dynamics node
    table: Rows  # rows of the table node
    bus: Any = field(repr=False)  # on which they said it; what was subscribed before the run was heard


_NODES = ("dynamics", "table", "device")


class VirtualLoop:
    """Dynamics, table and device on one virtual timeline, a tick of each at a time.

    Args:
        settings: of the run; its clock is taken for virtual.
        bus: to publish on, for a log; its own unless given.
        machine: what is simulated, instead of the model of the settings.

    Example:
        >>> from tegotae.hybrid.settings import read_settings
        >>> loop = VirtualLoop(read_settings(changes=["device.kind=spring"]))
        >>> loop.run(0.2)
        >>> loop.dynamics.simulated > 0.05
        True
    """

    def __init__(
        self, settings: Settings, *, bus: MemoryBus | None = None, machine: Machine | Admittance | None = None
    ) -> None:
        checks.instance("VirtualLoop", "settings", settings, Settings, "Give what read_settings() gives.")
        if bus is not None:
            checks.instance("VirtualLoop", "bus", bus, MemoryBus, "Give a MemoryBus(...), or None for its own.")
        there, back = faults_of(settings)  # before anything is compiled: they may be refused
        self.bus = bus = MemoryBus(settings.session) if bus is None else bus
        self._rows = self._kept("dynamics", DYNAMICS), self._kept("table", TABLE)
        self.line, T = Lockstep(), settings.period
        core = core_of(settings, machine)
        self.twin = twin_of(settings, None if machine is None else core.machine.motion[0])
        self.silent: set[str] = set()
        # Of two due at once the one added first runs first: device, dynamics, table.
        clocks = [self.line.add(partial(self._tick, node), period=T) for node in ("device", "dynamics", "table")]
        links = MemoryLink.pair(clocks[1], max_age=settings.link.max_age, there=there, back=back)
        reporter = Reporter(bus, "dynamics", DYNAMICS, birth=1)
        self.dynamics = DynamicsNode(core=core, link=links[0], clock=clocks[1], reporter=reporter)
        self.table = TableNode(
            device=self.twin,
            link=links[1],
            safety=safety_of(settings, self.twin),
            sensing=sensing_of(settings),
            origin=(0.0, 0.0, settings.device.height),
            clock=clocks[2],
            reporter=Reporter(bus, "table", TABLE, birth=1),
        )

    def _kept(self, node: str, dtype: np.dtype[Any]) -> list[Rows]:
        """All rows that a node publishes from now on."""
        kept: list[Rows] = [np.zeros(0, dtype)]
        reader = BlockReader(dtype, lambda block: kept.append(block.rows))
        self.bus.subscribe(f"{self.bus.session}/rows/{node}", reader)
        return kept

    def _tick(self, node: str, tick: int) -> None:
        if node in self.silent:
            return
        if node == "device":
            self.twin.step()
        else:
            (self.dynamics if node == "dynamics" else self.table).step(tick)

    def kill(self, name: str) -> None:
        """From now on "dynamics", "table" or "device" does nothing, as if its process had been killed."""
        self.silent.add(checks.choice("VirtualLoop", "name", name, _NODES))

    def revive(self, name: str) -> None:
        """A node that was killed goes on where it was."""
        self.silent.discard(checks.choice("VirtualLoop", "name", name, _NODES))

    def run(self, seconds: float) -> None:
        """Let so much virtual time pass [s]."""
        self.line.run(checks.at_least_zero("VirtualLoop", "seconds", seconds, "s", "Give how much time is to pass."))

    def finish(self) -> RunRecord:
        """Let all nodes publish their final status, and collect all rows."""
        self.dynamics.finish()
        self.table.finish()
        dynamics, table = map(np.concatenate, self._rows)
        return RunRecord(dynamics, table, self.bus)


def run_virtual(
    settings: Settings,
    *,
    bus: MemoryBus | None = None,
    machine: Machine | Admittance | None = None,
    progress: Callable[[float], None] | None = None,
) -> RunRecord:
    """Run all nodes until so much was simulated, or nothing has moved on for two seconds.

    Args:
        settings: of the run; its clock is taken for virtual.
        bus: to publish on, for a log; its own unless given.
        machine: what is simulated, instead of the model of the settings: an admittance with a six-dimensional port.
        progress: called with the share that is done, now and then.

    Example:
        >>> from tegotae.hybrid.settings import read_settings
        >>> run = run_virtual(read_settings(changes=["device.kind=spring", "duration=0.02"]))
        >>> bool((run.dynamics["steps"] <= 1).all())
        True
    """
    if progress is not None:
        checks.function("run_virtual", "progress", progress, "Give a function of the share that is done, or None.")
    checks.instance("run_virtual", "settings", settings, Settings, "Give what read_settings() gives.")
    # All rows are kept; they must have room, twice while they are joined.
    needed = 2.0 * settings.duration / settings.period * (DYNAMICS.itemsize + TABLE.itemsize)
    if needed > (there := checks.memory()):
        takes = f"duration={settings.duration} s at period={settings.period} s takes {1e-9 * needed:.3g} GB of memory"
        remedy = "Simulate less at once, or use clock='real', whose log goes to the disk."
        checks.refuse("run_virtual", f"{takes}, and this computer has {1e-9 * there:.3g} GB.", remedy)
    loop = VirtualLoop(settings, bus=bus, machine=machine)
    wanted, T = settings.duration, settings.period
    before, still = -1.0, 0.0
    while loop.dynamics.simulated < wanted - 0.5 * T and still < _PATIENCE:
        left = wanted - loop.dynamics.simulated
        loop.run(max(T, min(_SHARE, round(left / T) * T)))
        still = still + _SHARE if loop.dynamics.simulated == before else 0.0
        before = loop.dynamics.simulated
        if progress is not None:
            progress(min(1.0, before / wanted))
    return loop.finish()
