"""The nodes as processes: settings in, a loop until told to end, everything said and closed at the end.

A process ends by itself when its work is done, and otherwise on SIGTERM, on Ctrl-C, or when whoever started it is gone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from tegotae import checks
from tegotae.hybrid.bus.messages import DONE, FINISHED, take_requests
from tegotae.hybrid.bus.rows import DYNAMICS, TABLE, Reporter
from tegotae.hybrid.clocks.clock import RealClock
from tegotae.hybrid.devices.device import Device, Twin, measured
from tegotae.hybrid.devices.remote_device import DeviceNode, RemoteDevice
from tegotae.hybrid.links.datagrams import Faults
from tegotae.hybrid.links.packets import NodeState, Stop
from tegotae.hybrid.machines.model_settings import OWNER
from tegotae.hybrid.nodes import assembly
from tegotae.hybrid.nodes.dynamics_node import DynamicsNode
from tegotae.hybrid.nodes.table_node import TableNode
from tegotae.hybrid.processes import joining
from tegotae.hybrid.processes.joining import MEETING, ShutdownFlag
from tegotae.hybrid.safety.limits import Rest
from tegotae.hybrid.settings import HexaSettings, OwnDevice, Settings

_EXPLAINED = 5.0  # s of waiting after which it is told what may be wrong, and again
_POLL_PERIOD = 0.01  # s between two looks of a log that is told to end
_EMPTY, _POLLS = 15, 200  # looks without a message after which it has heard everything, and at most
_DOZING = 10  # ticks of a node to whom nobody speaks: a tenth of the work, and awake within 20 ms
_COMING_TO_REST = 150  # ticks, for a table or a device that is told to end
_RESTED = 0.02  # s without motion of a device that is then left
_ANSWERS = 10.0  # s, for a device of one's own to say where it stands

Tell = Callable[[str], None]


class _Process:
    """A node with a fast link: what it holds until it ends, and what is the same around every loop."""

    def __init__(
        self, held: ExitStack, settings: Settings, ends: tuple[str, str], rows: np.dtype[Any], parent: int | None,
        tell: Tell, faults: Faults | None = None,
    ) -> None:  # fmt: skip
        self._settings, self._node = settings, ends[0]
        self._parent, self._tell = parent, tell
        self.ending = held.enter_context(ShutdownFlag(parent))
        self.clock = joining.clock_of(settings)
        self.link = held.enter_context(joining.link_of(settings, *ends, clock=self.clock, faults=faults))
        self.bus = held.enter_context(joining.bus_of(settings, self._node))
        self.reporter = Reporter(self.bus, self._node, rows)

    def say(self, words: str) -> None:
        """Tell a person who started it; one that a run started has no terminal."""
        if self._parent is None:
            self._tell(f"{self._node}: {words}")

    @contextmanager
    def loop(self, hello: str, awaited: Sequence[str], meanwhile: Callable[[], object]) -> Iterator[None]:
        """Around a loop that nothing disturbs, begun when all are there; compiling needs no priority."""
        with self.clock, joining.gc_disabled():
            self._join(hello, awaited, meanwhile)
            if words := joining.raise_priority(self._settings.waiting.nice):
                self.reporter.event(self.clock.nanoseconds, "info", words)
            yield

    def _join(self, hello: str, awaited: Sequence[str], meanwhile: Callable[[], object]) -> None:
        """Make the node known, answer for its parameters, and wait for those without whom it does not begin.

        It does not begin beside one of another version. Links that others fill already are emptied meanwhile.
        """
        bus, owner, parameters = self.bus, f"hybrid {self._node}", msgspec.json.encode(self._settings.tables())
        bus.answer(f"{bus.session}/parameters/{self._node}", lambda asked: parameters)
        bus.declare(self._node, {"pid": os.getpid()})
        self.say(f"started, {hello}; Ctrl-C ends it")
        began = time.monotonic()
        explained = began + _EXPLAINED
        while not self.ending and (missing := [one for one in awaited if one not in bus.nodes()]):
            now = time.monotonic()
            if now > began + MEETING:
                words = "; ".join(bus.wait_for(missing, 0.0))
                checks.refuse(owner, f"{words} after {MEETING:g} s.", "Start it, with the same settings and key.")
            if now > explained:
                explained = now + _EXPLAINED
                self._tell(f"still waiting: {'; '.join(bus.wait_for(missing, 0.0))}")
            meanwhile()
            time.sleep(0.01)
        if others := bus.versions():
            checks.refuse(owner, " ".join(others), "Then start it again.")

    def wait(self, idle: bool) -> int:
        """The number of the next tick; an idle node waits for one in many."""
        return self.clock.wait(_DOZING if idle else 1)


def run_dynamics(settings: Settings, *, awaited: Sequence[str], parent: int | None, tell: Tell) -> None:
    """Simulate until so much is simulated; then tell the table, and end."""
    with ExitStack() as held:
        proc = _Process(held, settings, ("dynamics", "table"), DYNAMICS, parent, tell, assembly.faults_of(settings)[1])
        assembly.core_of(settings).tick(steps=1, measurement=None)  # compiles
        node = DynamicsNode(core=assembly.core_of(settings), link=proc.link, clock=proc.clock, reporter=proc.reporter)
        wanted = settings.duration - 0.5 * settings.period
        # Greeted over the fast link, too, a table says if it hears of another key or version.
        needed = list(dict.fromkeys(("table", *awaited)))
        with proc.loop(f"waiting for {', '.join(needed)}", needed, proc.link.greet):
            proc.say(f"simulates {settings.duration:g} s as soon as the table is ready")
            while not proc.ending and node.simulated < wanted:
                node.step(proc.wait(node.idle))
        done = node.simulated >= wanted
        message = f"{FINISHED if done else 'ended early'}: {node.simulated:.3f} s simulated"
        proc.reporter.event(proc.clock.nanoseconds, "info", message, FINISHED if done else "")
        proc.say(message)
        proc.link.send(Stop(reason=DONE if done else "the simulation has ended"))
        node.finish()


def run_table(settings: Settings, *, awaited: Sequence[str], parent: int | None, tell: Tell) -> None:
    """Drive the device by the commands of the dynamics node; at the end, bring it to rest."""
    with ExitStack() as held:
        proc = _Process(held, settings, ("table", "dynamics"), TABLE, parent, tell, assembly.faults_of(settings)[0])
        sensing, stopping = assembly.sensing_of(settings), assembly.stopping_of(settings)
        device = held.enter_context(closing(_device(settings, proc.clock, proc.ending)))
        if proc.ending:  # before it was known where the device stands
            return
        node = TableNode(
            device=device,
            link=proc.link,
            safety=assembly.safety_of(settings, device),
            sensing=sensing,
            origin=(0.0, 0.0, settings.device.height),
            clock=proc.clock,
            reporter=proc.reporter,
            stopping=stopping,
        )
        # Called in a thread of the bus: they only put a mark, which the next tick finds.
        take_requests(proc.bus, stop=node.request_stop, rearm=node.request_rearm)
        hello = f"waiting for commands at {settings.link.table}; without any, {stopping.words}"
        with proc.loop(hello, awaited, device.read):
            while not proc.ending:
                node.step(proc.wait(node.idle))
            # A table that moves is not left to the watchdog of its device.
            if node.state & (NodeState.RUNNING | NodeState.COASTING | NodeState.RAMPING):
                node.request_stop("the table node is told to end")
            left = _COMING_TO_REST  # not so many seconds: in one that the process is held up it does not come to rest
            while left and NodeState.HELD not in node.state:
                node.step(proc.clock.wait())
                left -= 1
        node.finish()


def _device(settings: Settings, clock: RealClock, ending: ShutdownFlag) -> Device:
    """The device, once it has said where it stands: nothing may be ordered before."""
    if isinstance(settings.device, OwnDevice):
        device: Device = settings.device.made("device")
        if device.period != settings.period:
            device.close()
            problem = f"period={settings.period:g} s, but the device keeps {device.period:g} s."
            checks.refuse(OWNER, problem, f"Use period={device.period:g}.")
        if not _stands(device, ending, _ANSWERS):
            fault = device.read().fault or "nothing"
            device.close()
            problem = f"for {_ANSWERS:g} s the device has not said where it stands; it says: {fault}."
            remedy = "`read()` must give a measured pose before anything is ordered: see docs/attaching_a_table.md."
            checks.refuse("hybrid table", problem, remedy)
        return device
    margins = assembly.twin_of(settings).margins
    margins(assembly.twin_of(settings).read().pose)  # compiles
    link = joining.link_of(settings, "table_device", "device", clock=clock)
    remote = RemoteDevice(link=link, period=settings.period, margins=margins)
    if not _stands(remote, ending, MEETING, meanwhile=link.greet):
        remote.close()
        silent = f"nothing from the device's process at {settings.link.device} for {MEETING:g} s"
        remedy = "Start it: `tegotae hybrid device FILE`, with the same settings and key."
        checks.refuse("hybrid table", f"{'; '.join([silent, *link.statistics.troubles()])}.", remedy)
    return remote


def _stands(
    device: Device, ending: ShutdownFlag, patience: float, meanwhile: Callable[[], object] = lambda: None
) -> bool:
    """Whether a device has said in time where it stands; also if this process is to end."""
    end = time.monotonic() + patience
    while not measured(device.read()) and not ending:
        if time.monotonic() > end:
            return False
        meanwhile()
        time.sleep(0.01)
    return True


def run_device(settings: Settings, *, awaited: Sequence[str], parent: int | None, tell: Tell) -> None:
    """Let the time of the simulated device pass, and stop it when commands stay away."""
    with ExitStack() as held:
        assembly.twin_of(settings).step()  # compiles
        twin, limits = assembly.twin_of(settings), assembly.limits_of(settings)
        proc = _Process(held, settings, ("device", "table_device"), TABLE, parent, tell)
        clock, reporter = proc.clock, proc.reporter
        node = DeviceNode(twin=twin, link=proc.link, clock=clock, limits=limits, tell=reporter.event)
        with proc.loop(f"waiting for the table node at {settings.link.device}", awaited, lambda: None):
            while not proc.ending:
                _device_tick(node, proc.wait(node.idle), twin, clock, reporter)
            # Whoever started this process may be gone in mid-flight: a mechanism that moves or swings is not left.
            node.end()
            rest, left = Rest(limits, settings.period), _COMING_TO_REST
            while left and rest.step(twin.read().pose) < _RESTED:
                _device_tick(node, clock.wait(), twin, clock, reporter)
                left -= 1
        reporter.finish(clock.nanoseconds, node.status())


def _device_tick(node: DeviceNode, tick: int, twin: Twin, clock: RealClock, reporter: Reporter) -> None:
    node.step(tick)
    now, reading = clock.nanoseconds, twin.read()
    reporter.put(
        now, tick, reading.label, min(node.quiet, 1e9), node.commanded or reading.pose, reading.pose,
        reading.twist, reading.signal, reading.signal, int(node.state), 0.0, 0.0, clock.deadlines.latest,
    )  # fmt: skip
    reporter.status(now, node.status)


def run_log(settings: Settings, *, out: Path, overwrite: bool, parent: int | None, tell: Tell) -> None:
    """Write everything down that the nodes say; at the end, wait until no more messages come."""
    from tegotae.hybrid.records.log_node import LogNode

    with ExitStack() as held:
        ending = held.enter_context(ShutdownFlag(parent))
        bus = held.enter_context(joining.bus_of(settings, "log"))
        node = held.enter_context(LogNode(bus, settings.session, out, about=about_of(settings), overwrite=overwrite))
        if parent is None:
            tell(f"log: started, writing {out}; Ctrl-C ends it")
        while not ending:
            time.sleep(0.02)
            node.step()
        empty, left = 0, _POLLS  # not seconds: while this process is held up, nothing can be heard
        while empty < _EMPTY and left:
            empty, left = 0 if node.step() else empty + 1, left - 1
            time.sleep(_POLL_PERIOD)


def about_of(settings: Settings) -> dict[str, Any]:
    """What a log says of its run."""
    return {"settings": msgspec.to_builtins(settings.tables()), "settings_text": settings.toml()}


def run_view(settings: Settings, *, parent: int | None, tell: Tell) -> None:
    """Serve the viewer's page."""
    from tegotae.hybrid.view import HexaDrawer, View

    host, port = joining.address_of("view.address", settings.view.address)
    model, device, table = settings.model.drawer(), None, settings.device
    if isinstance(table, HexaSettings):
        device = HexaDrawer(tool=table.probe, origin=(0.0, 0.0, table.height))
    with ExitStack() as held:
        ending = held.enter_context(ShutdownFlag(parent))
        bus = held.enter_context(joining.bus_of(settings, "view"))
        rearming = settings.view.rearm
        view = held.enter_context(View(bus, model=model, device=device, port=port, address=host, rearming=rearming))
        tell(view.url)
        while not ending:
            view.run(duration=0.25)
