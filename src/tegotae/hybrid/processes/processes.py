"""The nodes as processes: settings in, a loop until told to end, everything said and closed at the end.

A process ends by itself when its work is done, and otherwise on SIGTERM, on Ctrl-C, or when whoever started it is gone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tegotae import checks
from tegotae.hybrid.clocks.clock import RealClock
from tegotae.hybrid.devices.device import Device, Twin, measured
from tegotae.hybrid.links.packets import NodeState, Stop
from tegotae.hybrid.processes.joining import address_of, bus_of, clock_of, link_of
from tegotae.hybrid.processes.process_life import MEETING, ShutdownFlag, gc_disabled, join, raise_priority
from tegotae.hybrid.settings import HexaSettings, OwnDevice, Settings

if TYPE_CHECKING:
    from tegotae.hybrid.bus.bus import Bus
    from tegotae.hybrid.bus.reporting import Reporter
    from tegotae.hybrid.devices.remote_device import DeviceNode
    from tegotae.hybrid.links.faults import Faults
    from tegotae.hybrid.links.udp import UdpLink
    from tegotae.hybrid.nodes.table_node import TableNode

_LOOK = 0.01  # s between two looks of a log that is told to end
_EMPTY, _LOOKS = 15, 200  # looks without a message after which it has heard everything, and at most
_DOZING = 10  # ticks of a node to whom nobody speaks: a tenth of the work, and awake within 20 ms
_COMING_TO_REST = 150  # ticks, for a table or a device that is told to end
_RESTED = 0.02  # s without motion of a device that is then left
_ANSWERS = 10.0  # s, for a device of one's own to say where it stands

Tell = Callable[[str], None]


def _nobody(words: str) -> None:
    """Tell nobody."""


# ------------------------------------------------------------ dynamics


def run_dynamics(
    settings: Settings, *, awaited: Sequence[str] = (), parent: int | None = None, tell: Tell = _nobody
) -> None:
    """Simulate until so much is simulated; then tell the table, and end."""
    from tegotae.hybrid.bus.reporting import DONE, Reporter
    from tegotae.hybrid.bus.rows import DYNAMICS
    from tegotae.hybrid.events import FINISHED
    from tegotae.hybrid.nodes.assembly import core_of
    from tegotae.hybrid.nodes.dynamics_node import DynamicsNode
    from tegotae.hybrid.nodes.virtual_run import faults_of

    with ExitStack() as held:
        ending, clock, link, bus = _open(held, settings, ("dynamics", "table"), parent, faults_of(settings)[1])
        warmed = core_of(settings)
        warmed.tick(steps=1, measurement=None)  # compiles
        reporter = Reporter(bus, "dynamics", DYNAMICS)
        node = DynamicsNode(core=core_of(settings), link=link, clock=clock, reporter=reporter)
        wanted = settings.duration - 0.5 * settings.period
        with clock, gc_disabled():
            # Greeted over the fast link, too, a table says if it hears of another key or version.
            needed = dict.fromkeys(("table", *awaited))
            hello = _hello(parent, f"waiting for {', '.join(needed)}")
            join(settings, "dynamics", bus, list(needed), ending, meanwhile=link.greet, tell=tell, hello=hello)
            if hello:
                tell(f"dynamics: simulates {settings.duration:g} s as soon as the table is ready")
            _hurry(settings, clock, reporter)
            while not ending and node.simulated < wanted:
                node.step(clock.wait(_DOZING if node.idle else 1))
        done = node.simulated >= wanted
        how = FINISHED if done else "ended early"
        said = f"{how}: {node.simulated:.3f} s simulated"
        reporter.event(clock.nanoseconds, "info", said, FINISHED if done else "")
        if hello:
            tell(f"dynamics: {said}")
        link.send(Stop(reason=DONE if done else "the simulation has ended"))
        node.finish()


# ------------------------------------------------------------ table


def run_table(
    settings: Settings, *, awaited: Sequence[str] = (), parent: int | None = None, tell: Tell = _nobody
) -> None:
    """Drive the device by the commands of the dynamics node; at the end, bring it to rest."""
    from tegotae.hybrid.bus.reporting import Reporter
    from tegotae.hybrid.bus.requests import take_requests
    from tegotae.hybrid.bus.rows import TABLE
    from tegotae.hybrid.nodes.assembly import safety_of, sensing_of
    from tegotae.hybrid.nodes.stopping_trial import stopping_of
    from tegotae.hybrid.nodes.table_node import TableNode
    from tegotae.hybrid.nodes.virtual_run import faults_of

    with ExitStack() as held:
        ending, clock, link, bus = _open(held, settings, ("table", "dynamics"), parent, faults_of(settings)[0])
        sensing, stopping, reporter = sensing_of(settings), stopping_of(settings), Reporter(bus, "table", TABLE)
        device = held.enter_context(closing(_device(settings, clock, ending)))
        if ending:  # before it was known where the device stands
            return
        node = TableNode(
            device=device,
            link=link,
            safety=safety_of(settings, device),
            sensing=sensing,
            origin=(0.0, 0.0, settings.device.height),
            clock=clock,
            reporter=reporter,
            stopping=stopping,
        )
        # Called in a thread of the bus: they only put a mark, which the next tick finds.
        take_requests(bus, stop=node.request_stop, rearm=node.request_rearm)
        with clock, gc_disabled():
            hello = _hello(parent, f"waiting for commands at {settings.link.table}; without any, {stopping.words}")
            join(settings, "table", bus, awaited, ending, meanwhile=device.read, tell=tell, hello=hello)
            _hurry(settings, clock, reporter)
            while not ending:
                node.step(clock.wait(_DOZING if node.idle else 1))
            _come_to_rest(node, clock)
        node.finish()


def _open(
    held: ExitStack, settings: Settings, ends: tuple[str, str], parent: int | None, faults: Faults | None
) -> tuple[ShutdownFlag, RealClock, UdpLink, Bus]:
    """What every node with a fast link holds until it ends: whether to end, clock, link and bus."""
    ending = held.enter_context(ShutdownFlag(parent))
    clock = clock_of(settings)
    link = held.enter_context(link_of(settings, *ends, clock=clock, faults=faults))
    return ending, clock, link, held.enter_context(closing(bus_of(settings, ends[0])))


def _hello(parent: int | None, words: str) -> str:
    """What a node says that a person started; one that was started by a run has nobody to listen."""
    return f"{words}; Ctrl-C ends it" if parent is None else ""


def _hurry(settings: Settings, clock: RealClock, reporter: Reporter) -> None:
    """Raise the priority of a loop that begins; compiling does not need it."""
    if words := raise_priority(settings.waiting.nice):
        reporter.event(clock.nanoseconds, "info", words)


def _come_to_rest(node: TableNode, clock: RealClock) -> None:
    """A table that moves is not left to the watchdog of its device."""
    if NodeState.RUNNING in node.state or node.state & (NodeState.COASTING | NodeState.RAMPING):
        node.request_stop("the table node is told to end")
    for _ in range(_COMING_TO_REST):  # not so many seconds: in one that the process is held up it does not come to rest
        if NodeState.HELD in node.state:
            break
        node.step(clock.wait())


def _device(settings: Settings, clock: RealClock, ending: ShutdownFlag) -> Device:
    """The device, once it has said where it stands: nothing may be ordered before."""
    from tegotae.hybrid.devices.remote_device import RemoteDevice
    from tegotae.hybrid.nodes.assembly import own_device, twin_of

    if isinstance(settings.device, OwnDevice):
        device = own_device(settings.device, settings.period)
        if not _stands(device, ending, _ANSWERS):
            checks.refuse(
                "hybrid table",
                f"for {_ANSWERS:g} s the device has not said where it stands; it says: {_final_message(device)}.",
                "`read()` must give a measured pose before anything is ordered: see docs/attaching_a_table.md.",
            )
        return device
    margins = twin_of(settings).margins
    margins(twin_of(settings).read().pose)  # compiles
    link = link_of(settings, "table_device", "device", clock=clock)
    remote = RemoteDevice(link=link, period=settings.period, margins=margins)
    if not _stands(remote, ending, MEETING, meanwhile=remote.greet):
        remote.close()
        seen = "; ".join([f"nothing from the device's process at {settings.link.device} for {MEETING:g} s",
                          *link.statistics.troubles()])  # fmt: skip
        checks.refuse(
            "hybrid table", f"{seen}.", "Start it: `tegotae hybrid device FILE`, with the same settings and key."
        )
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


def _final_message(device: Device) -> str:
    """What a device that does not measure says of itself; it is closed."""
    said = device.read().fault or "nothing"
    device.close()
    return said


# ------------------------------------------------------------ device


def run_device(
    settings: Settings, *, awaited: Sequence[str] = (), parent: int | None = None, tell: Tell = _nobody
) -> None:
    """Let the time of the simulated device pass, and stop it when commands stay away."""
    from tegotae.hybrid.bus.reporting import Reporter
    from tegotae.hybrid.bus.rows import TABLE
    from tegotae.hybrid.devices.remote_device import DeviceNode
    from tegotae.hybrid.nodes.assembly import limits_of, twin_of
    from tegotae.hybrid.safety.stopping import Rest

    with ExitStack() as held:
        twin_of(settings).step()  # compiles
        twin, limits = twin_of(settings), limits_of(settings)
        ending, clock, link, bus = _open(held, settings, ("device", "table_device"), parent, None)
        reporter = Reporter(bus, "device", TABLE)
        node = DeviceNode(
            twin=twin,
            link=link,
            clock=clock,
            limits=limits,
            tell=reporter.event,
        )
        with clock, gc_disabled():
            hello = _hello(parent, f"waiting for the table node at {settings.link.device}")
            join(settings, "device", bus, awaited, ending, tell=tell, hello=hello)
            _hurry(settings, clock, reporter)
            while not ending:
                _device_tick(node, clock.wait(_DOZING if node.idle else 1), twin, clock, reporter)
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
    reporter.row(
        now, tick, reading.label, min(node.quiet, 1e9), node.commanded or reading.pose, reading.pose,
        reading.twist, reading.signal, reading.signal, int(node.state), 0.0, 0.0, clock.deadlines.latest,
    )  # fmt: skip
    if reporter.due(now):
        reporter.status(now, node.status())


# ------------------------------------------------------------ log and view


def run_log(
    settings: Settings,
    *,
    out: Path,
    overwrite: bool = False,
    awaited: Sequence[str] = (),
    parent: int | None = None,
    tell: Tell = _nobody,
) -> None:
    """Write everything down that the nodes say; at the end, wait until nobody says anything more.

    Args:
        settings: of the session.
        out: the file.
        overwrite: whether one of that name may be replaced.
        awaited: nodes to wait for.
        parent: process without which this one ends.
        tell: called with words, once it writes and once it has written.
    """
    from tegotae.hybrid.records.log_node import LogNode

    with ExitStack() as held:
        ending = held.enter_context(ShutdownFlag(parent))
        bus = held.enter_context(closing(bus_of(settings, "log")))
        about = about_of(settings)
        node = held.enter_context(LogNode(bus, settings.session, out, about=about, overwrite=overwrite))
        if hello := _hello(parent, f"writing {out}"):
            tell(f"log: started, {hello}")
        while not ending:
            time.sleep(0.02)
            node.step()
        empty, left = 0, _LOOKS  # not seconds: while this process is held up, nothing can be heard
        while empty < _EMPTY and left:
            empty, left = 0 if node.step() else empty + 1, left - 1
            time.sleep(_LOOK)


def about_of(settings: Settings) -> dict[str, Any]:
    """What a log says of its run."""
    return {"settings": msgspec.to_builtins(settings.tables()), "settings_text": settings.toml()}


def run_view(
    settings: Settings,
    *,
    awaited: Sequence[str] = (),
    parent: int | None = None,
    tell: Tell = _nobody,
) -> None:
    """Serve the viewer's page."""
    from tegotae.hybrid.view import HexaDrawer, View

    host, port = address_of("view.address", settings.view.address)
    model, device, own = settings.model.drawer(), None, settings.device
    if isinstance(own, HexaSettings):
        device = HexaDrawer(tool=own.probe, origin=(0.0, 0.0, own.height))
    with ExitStack() as held:
        ending = held.enter_context(ShutdownFlag(parent))
        bus = held.enter_context(closing(bus_of(settings, "view")))
        rearming = settings.view.rearm
        view = held.enter_context(View(bus, model=model, device=device, port=port, address=host, rearming=rearming))
        tell(view.url)
        while not ending:
            view.run(duration=0.25)
