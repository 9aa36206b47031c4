"""`tegotae hybrid`: nodes, runs of all of them, and what their logs say."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from tegotae import checks
from tegotae.commands import console as words
from tegotae.commands.encoding import writable
from tegotae.extras import FIGURES, require
from tegotae.hybrid.bus.bus import MemoryBus
from tegotae.hybrid.bus.messages import REARM, REARMED, STOP, Judge, ask_rearm, ask_stop, event_of, object_of
from tegotae.hybrid.machines.model_settings import OwnModel
from tegotae.hybrid.processes.joining import ShutdownFlag, bus_of, make_key, with_ports
from tegotae.hybrid.processes.launcher import Listener, Nodes, SupervisedRun, doing, refuse_taken
from tegotae.hybrid.records import report as reports
from tegotae.hybrid.records.log_node import LogNode
from tegotae.hybrid.records.log_reader import LogReader
from tegotae.hybrid.settings import OwnDevice, Settings, read_settings

# Of a report, after a run; `hybrid report` has all.
SHORT = ("peak_force", "duration", "restitution", "energy_gained", "delay", "deadlines_missed", "packets_lost",
         "stopping_time", "stopping_distance")  # fmt: skip
_NEEDS = {"log": ("zenoh", "mcap"), "view": ("zenoh", "viser")}  # node -> modules; the others speak, and that is all
_LINE = 1.0  # s between two plain lines
_PRESENT = 5.0  # s, for a table to be met
_ANSWER = 5.0  # s, for it to answer a request


def show(file: Path | None, changes: Sequence[str], ports: bool) -> None:
    """Print all settings as TOML."""
    settings = read_settings(file, changes)
    print(writable((with_ports(settings) if ports else settings).toml()), end="")


def key(file: Path) -> None:
    """Make a key."""
    make_key(file)
    console = words.out()
    words.wrote(console, file, "a new key, readable by its owner alone")
    console.print(Text('name it in the settings of all nodes: [link] key = "…"', style="dim"))


def node(
    name: str, file: Path, changes: Sequence[str], awaited: Sequence[str], parent: int | None, out: Path | None = None,
    overwrite: bool = False,
) -> None:  # fmt: skip
    """Be one node, until told to end."""
    from tegotae.hybrid.processes import processes

    settings = read_settings(file, changes)
    if settings.clock == "virtual":
        problem = "clock='virtual' has all nodes in one process."
        checks.refuse(f"hybrid {name}", problem, "Use `tegotae hybrid run`, or clock='real' for nodes of their own.")
    require(f"hybrid {name}", *_NEEDS.get(name, ("zenoh",)))  # before anything is compiled
    console = Console(stderr=True, highlight=False, soft_wrap=True)

    def tell(words: str) -> None:
        console.print(words, markup=False)

    if name in ("dynamics", "table", "device") and parent is None:  # `hybrid run` has said it
        _say_code(settings, file, changes)
    if name == "log":
        if out is None:
            checks.refuse("hybrid log", "it has no file to write.", "Add --out run.mcap.")
        refuse_taken(out, overwrite)
        processes.run_log(settings, out=out, overwrite=overwrite, parent=parent, tell=tell)
    elif name == "view":
        processes.run_view(settings, parent=parent, tell=lambda url: tell(f"viewer: {url}"))
    else:
        run = {"dynamics": processes.run_dynamics, "table": processes.run_table, "device": processes.run_device}[name]
        run(settings, awaited=awaited, parent=parent, tell=tell)
    if parent is None:
        tell(f"{name}: ended")


def _say_code(settings: Settings, file: Path, changes: Sequence[str]) -> None:
    """Say, before it is run, that settings name code, and who asked for it: a file may come from anybody."""
    named = {"model": settings.model} | ({"device": settings.device} if settings.clock == "real" else {})
    for group, choice in named.items():
        if isinstance(choice, OwnDevice | OwnModel):
            by_hand = any(change.partition("=")[0].strip() == f"{group}.factory" for change in changes)
            notice = f"{'--set' if by_hand else file} names code that will be run: {group}.factory={choice.factory!r}"
            Console(stderr=True, highlight=False, soft_wrap=True).print(notice, markup=False)


# ------------------------------------------------------------ runs


def run(
    file: Path, duration: float | None, changes: Sequence[str], out: Path | None, overwrite: bool, no_view: bool,
    no_rearm: bool, patience: float,
) -> int:  # fmt: skip
    """All nodes here; the code to exit with."""
    settings = read_settings(file, changes if duration is None else [*changes, f"duration={duration!r}"])
    refuse_taken(out, overwrite)
    _say_code(settings, file, changes)
    if settings.clock == "virtual":
        return _run_virtual(settings, out, overwrite)
    nodes = Nodes(settings, out=out, overwrite=overwrite, view=settings.view.on and not no_view)
    with nodes, ShutdownFlag() as ending, _Teller(nodes) as teller:
        running = SupervisedRun(nodes, tell=teller.tell, show=teller.show, patience=patience, rearm=not no_rearm)
        outcome = running.until_end(ending)
        teller.close(whole=outcome.whole)
        _say_end(nodes.out, outcome.simulated, settings.duration, out)
        if ending:
            return 130
        return 0 if outcome.whole and not outcome.words else 1


def _run_virtual(settings: Settings, out: Path | None, overwrite: bool) -> int:
    from tegotae.hybrid.nodes.virtual_run import run_virtual
    from tegotae.hybrid.processes.processes import about_of

    bus = MemoryBus(settings.session)
    with tempfile.TemporaryDirectory(prefix="tegotae-hybrid-") as folder:
        path = Path(folder) / "run.mcap" if out is None else out
        about = about_of(settings)
        with (
            LogNode(bus, settings.session, path, about=about, overwrite=overwrite, nanoseconds=lambda: 0) as log,
            _bar() as bar,
            words.compiling_shown(bar),
        ):
            task = bar.add_task("simulating", total=1.0, status="")

            def progress(share: float) -> None:
                log.step()
                bar.update(task, completed=share)

            outcome = run_virtual(settings, bus=bus, progress=progress)
        simulated = float(outcome.dynamics["simulated"][-1])
        _say_end(path, simulated, settings.duration, out)
    return 0 if simulated >= settings.duration - 0.5 * settings.period else 1


def _say_end(path: Path, simulated: float, duration: float, out: Path | None) -> None:
    """What the log says in short, also of a run that failed."""
    console = words.out()
    console.print(Text(f"{simulated:.3f} of {duration:.3f} s simulated", style="bold"))
    if path.exists():
        entries = reports.report(LogReader(path))
        _print(console, reports.table({name: entries[name] for name in SHORT}), entries["words"])
    if out is None:
        console.print(Text("nothing was kept; add --out run.mcap for a log, and `tegotae hybrid report` to read it",
                           style="dim"))  # fmt: skip
    elif path.exists():
        words.wrote(console, out, "the log")


def _print(console: Console, table: Table, doubts: Sequence[str]) -> None:
    console.print(table)
    for each in doubts:
        console.print(Text(each, style="yellow"))


def _bar() -> Progress:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=24, complete_style="cyan", finished_style="green"),
               TextColumn("{task.fields[status]}"))  # fmt: skip
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


class _Teller:
    """Progress on stderr: a bar on a terminal, a plain line a second elsewhere."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes, self._bar = nodes, _bar()
        self._console, self._plain = self._bar.console, self._bar.disable
        self._task = self._bar.add_task("starting", total=nodes.settings.duration, status="")
        self._line = 0.0
        self._began = False

    def __enter__(self) -> _Teller:
        self._bar.start()
        self.tell(f"starting {', '.join(self._nodes.names)}; what has to be compiled first takes half a minute, once")
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self, *, whole: bool = False) -> None:
        if whole:
            self._bar.update(self._task, description="done", completed=self._nodes.settings.duration)
        self._bar.stop()

    def tell(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def show(self, heard: Listener) -> None:
        if not self._began:
            self._began = True
            self.tell(f"running; from elsewhere: tegotae hybrid stop {self._nodes.file}")
        states = ", ".join(f"{node} {doing(heard.states.get(node, 0))}" for node in ("dynamics", "table"))
        status = f"{heard.simulated:.2f} s  force {heard.force:.2f} N, peak {heard.peak:.2f} N  {states}"
        self._bar.update(self._task, description="running", completed=heard.simulated, status=status)
        now = time.monotonic()
        if self._plain and now - self._line >= _LINE:
            self._line = now
            self.tell(status)


# ------------------------------------------------------------ requests


def request(what: str, file: Path, changes: Sequence[str]) -> int:
    """Ask a running table to stop, or to obey again; the code to exit with."""
    settings = read_settings(file, changes)
    wanted = {"stop": (STOP,), "rearm": (REARM, REARMED)}[what]
    heard: list[dict[str, str]] = []
    bus = bus_of(settings, None)
    try:
        # What makes no sense is no answer.
        Judge().subscribe(bus, "events", lambda topic, payload: heard.append(event_of(object_of("event", payload))))
        if missing := bus.wait_for(["table"], _PRESENT):
            checks.refuse(f"hybrid {what}", f"{'; '.join(missing)}.", "Name the settings of a session that runs.")
        who, why = "command line", f"tegotae hybrid {what}"
        if what == "stop":
            ask_stop(bus, who, why)
        elif unheard := ask_rearm(bus, who, why, timeout=_ANSWER):
            checks.refuse("hybrid rearm", f"{unheard}.", "Ask again; `tegotae hybrid stop` works in any case.")
        end = time.monotonic() + _ANSWER
        while not (answers := [each for each in heard if each["node"] == "table" and each["kind"] in wanted]):
            if time.monotonic() > end:
                break
            time.sleep(0.02)
    finally:
        bus.close()
    console = words.out()
    for each in answers:
        console.print(f"table: {each['text']}", markup=False)
    if not answers:
        console.print("asked; the table said nothing to it", markup=False)
    return 1 if not answers or any(each["kind"] == REARM and each["level"] == "warning" for each in answers) else 0


# ------------------------------------------------------------ logs


def report(log: Path, json: Path | None, page: Path | None, complete: bool) -> int:
    """What a log says; the code to exit with."""
    words.refuse_unwritable(json)
    words.refuse_unwritable(page, suffixes=(".html", ".htm"), needs=FIGURES)
    words.refuse_same({"LOG": log, "--json": json, "--page": page})
    read = LogReader(log)
    entries = reports.report(read)
    console = words.out()
    _print(console, reports.table(entries), entries["words"])
    words.keep_json(console, json, entries, "the numbers")
    if page is not None:
        from tegotae.hybrid.records.report_page import write_page

        with words.watching() as watch:
            watch.step("drawing")
            write_page(page, entries, read)
        words.wrote(console, page, "the page")
    return int(complete and entries["log_rows_lost"] > 0)


def replay(log: Path) -> int:
    """Simulate a log again; the code to exit with."""
    from tegotae.hybrid.records.replay import replay as again
    from tegotae.hybrid.records.replay import settings_in

    read = LogReader(log)
    settings = settings_in(read)
    _say_code(settings, log, ())
    with _bar() as bar, words.compiling_shown(bar):
        task = bar.add_task("replaying", total=1.0, status="")
        machine = settings.model.machine(settings.period) if isinstance(settings.model, OwnModel) else None
        difference = again(read, machine=machine, progress=lambda share: bar.update(task, completed=share))
    console = words.out()
    if difference is None:
        console.print(f"{read.dynamics.size} ticks replayed: bit for bit the same", markup=False)
        return 0
    console.print(f"not the same: {difference}", markup=False, soft_wrap=True)
    console.print(Text("the log is the first, the replay the second; other versions or processors may round otherwise",
                       style="dim"))  # fmt: skip
    return 1
