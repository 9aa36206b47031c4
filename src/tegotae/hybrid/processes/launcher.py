"""All nodes of a session here, as separate processes with a private folder: started by the launcher, followed, known by
their ids, and ended in an order that loses nothing.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from tegotae import checks
from tegotae.errors import FileError, InputError
from tegotae.extras import require
from tegotae.hybrid.bus import messages
from tegotae.hybrid.bus.bus import Bus
from tegotae.hybrid.bus.messages import DONE, ask_rearm
from tegotae.hybrid.bus.rows import DYNAMICS, BlockReader, RowBlock
from tegotae.hybrid.closable import Closable
from tegotae.hybrid.links.packets import NodeState
from tegotae.hybrid.processes.joining import MEETING, ShutdownFlag, bus_of, make_key, with_ports
from tegotae.hybrid.settings import OwnDevice, Settings

GO = "run"  # node on the bus whose coming lets the loops begin
ORDER = ("dynamics", "table", "device", "view", "log")  # of ending: the table rests first, the log hears all
_ENDS = 5.0  # s, for a process to end by itself
_OTHERS = (".nc", ".csv", ".json", ".parquet", ".html", ".toml")  # endings of files that a log is not


class Nodes(Closable):
    """The processes of one session, and a private folder with their settings, their key and their final messages.

    Args:
        settings: of the session; ports that are 0 are chosen here, and a key is made unless one is named.
        out: the log; None keeps it in the private folder, which is gone afterwards.
        overwrite: whether a log of that name may be replaced.
        view: whether there is a viewer.
    """

    def __init__(
        self, settings: Settings, *, out: Path | None = None, overwrite: bool = False, view: bool = True
    ) -> None:
        require("A run of all nodes", "zenoh", "mcap", *(("viser",) if view else ()))
        refuse_taken(out, overwrite)
        device = () if isinstance(settings.device, OwnDevice) else ("device",)
        self.names = ("log", *device, "table", "dynamics", *(("view",) if view else ()))
        self._folder = tempfile.TemporaryDirectory(prefix="tegotae-hybrid-")  # mode 0700
        try:
            self.folder = Path(self._folder.name)
            key = settings.link.key or str(make_key(self.folder / "key"))
            link = replace(settings.link, key=os.path.abspath(key))
            self.settings = with_ports(replace(settings, link=link))
            self.file = self.folder / f"{settings.session}.toml"
            self.file.write_text(self.settings.toml(), encoding="utf-8")
        except BaseException:
            self._folder.cleanup()
            raise
        self.out = self.folder / "run.mcap" if out is None else Path(out).absolute()
        self._overwrite = overwrite
        self.processes: dict[str, subprocess.Popen[bytes]] = {}  # of the nodes that were started
        self.ended: set[str] = set()  # told to end, or seen to have ended

    def start(self, node: str) -> subprocess.Popen[bytes]:
        """Start one of the nodes; one that ended may be started again."""
        command = [sys.executable, "-m", "tegotae", "hybrid", node, str(self.file), "--parent", str(os.getpid())]
        if node == "log":
            command += ["--out", str(self.out), *(["--overwrite"] if self._overwrite else [])]
        if node in ("table", "dynamics"):
            command += ["--await", "log", "--await", GO]
        self.ended.discard(node)
        with open(self._output_of(node), "wb") as output:
            # A group of its own: Ctrl-C is for the launcher, which ends the rest in order.
            self.processes[node] = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
            )
        return self.processes[node]

    def _output_of(self, node: str) -> Path:
        return self.folder / f"{node}.txt"

    def died(self) -> list[str]:
        """Nodes that ended since the last call without having been told to."""
        gone = [node for node, it in self.processes.items() if node not in self.ended and it.poll() is not None]
        self.ended.update(gone)
        return gone

    def final_message(self, node: str) -> str:
        """How a node ended, and what it said last."""
        code = self.processes[node].poll()
        how = f"killed by {signal.Signals(-code).name}" if code is not None and code < 0 else f"ended with code {code}"
        output = self._output_of(node).read_text(encoding="utf-8", errors="replace").strip()
        return f"{node} {how}" + (f": {output.removeprefix('tegotae: ')}" if output else "")

    def end(self, node: str, *, patience: float = _ENDS) -> str:
        """Tell a node to end; one that has not after some time [s] is killed. Returns what went wrong, or nothing."""
        process = self.processes.get(node)
        if process is None or (node in self.ended and process.poll() is not None):
            return ""
        self.ended.add(node)
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        try:
            code = process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return f"{node} did not end within {patience:g} s and was killed"
        return "" if code == 0 else self.final_message(node)

    def close(self) -> list[str]:
        """End all, the log last; what went wrong, in words."""
        words = [message for node in ORDER if (message := self.end(node))]
        self._folder.cleanup()
        return words


def refuse_taken(out: Path | None, overwrite: bool) -> None:
    """Refuse a log that could not be written, before anything starts."""
    if out is not None and out.suffix.lower() in _OTHERS:
        raise FileError(f"Cannot write {out}: logs are MCAP files.\n  Name it {out.with_suffix('.mcap')}.")
    if out is not None and checks.target_of(out).exists() and not overwrite:
        raise FileError(
            f"Cannot write {out}: it exists, and may be the only record of a run.\n"
            "  Choose another name, or add --overwrite."
        )


_DOING = {  # the first that holds is said
    NodeState.EMERGENCY: "emergency stop",
    NodeState.FAULT: "fault",
    NodeState.OVERLOAD: "overload",
    NodeState.LATCHED: "latched",
    NodeState.HELD: "waiting",
    NodeState.RAMPING: "ramping down",
    NodeState.COASTING: "coasting",
    NodeState.CONTACT: "in contact",
    NodeState.RUNNING: "running",
}


def doing(state: int) -> str:
    """What a node is doing, in words."""
    return next((words for flag, words in _DOING.items() if state & flag), "starting")


class Listener:
    """The newest of a session."""

    def __init__(self, bus: Bus) -> None:
        self.simulated, self.force, self.peak = 0.0, 0.0, 0.0  # s; N on the moving part along the normal, and so far
        self.states: dict[str, int] = {}
        self.finished = False
        self.trip = ""  # why the table is latched, in words; "" if it is not
        self._why = ""  # the kind of that; of several one that is not mere lateness
        self._news: deque[str] = deque()
        self._status: dict[str, dict[str, Any]] = {}
        self._rows, self._judge = BlockReader(DYNAMICS, self._row), messages.Judge()
        bus.subscribe(f"{bus.session}/rows/dynamics", self._rows)
        self._judge.subscribe(bus, "events", self._event)
        self._judge.subscribe(bus, "status/**", self._state)

    def _row(self, block: RowBlock) -> None:
        last = block.rows[-1]
        self.simulated, self.force = float(last["simulated"]), abs(float(last["wrench"][2]))
        self.peak = max(self.peak, float(np.nan_to_num(abs(block.rows["wrench"][:, 2])).max()))
        self.states["dynamics"] = int(last["state"])

    def _event(self, topic: str, payload: bytes) -> None:
        event = messages.event_of(messages.object_of("event", payload))
        if event["node"] == "dynamics" and event["kind"] == messages.FINISHED:
            self.finished = True  # that all come to rest afterwards is no news
        if event["node"] == "table":
            level, text, kind = event["level"], event["text"], event["kind"]
            if kind == messages.REARMED or (kind == messages.REARM and level == "info"):  # or it is not latched at all
                self.trip = self._why = ""
            elif level == "trip":
                self.trip, self._why = text, kind
            elif self.trip and self.held_up and level == "warning" and kind in messages.TROUBLES:
                self._why = kind
        if event["level"] != "info" and not self.finished and DONE not in event["text"]:
            self._news.append(f"{event['node']}: {event['text']}")

    def _state(self, topic: str, payload: bytes) -> None:
        node = messages.keep_status(self._status, topic, payload)
        if "state" in self._status[node] and node != "dynamics":
            self.states[node] = int(self._status[node]["state"])

    @property
    def held_up(self) -> bool:
        """Whether the table is latched for no other reason than that a process was late."""
        return self._why == messages.LATE

    def events(self) -> list[str]:
        """What happened since the last call, in words; what is in order is not told."""
        return [self._news.popleft() for _ in range(len(self._news))]

    def words(self) -> list[str]:
        """What the nodes said of themselves last, and what of it all was not understood."""
        words = [f"{node}: {each}" for node, status in self._status.items() for each in status.get("words", ())]
        return words + self._rows.problems() + self._judge.problems()


NEEDED = ("dynamics", "table", "device")  # without these a run is over
_SOON = 10.0  # s after which a slow start is explained, and a viewer is not waited for any longer
_PATIENCE = 30.0  # s in which nothing is simulated, after which a run is given up
_ASKING = 0.5  # s between two attempts to re-arm
_LAST_ROWS = 0.4  # s, for what follows a node's death to be logged: the table's rest
_POLL_PERIOD = 0.05  # s


@dataclass(eq=False)
class SupervisedRun:
    """A run of all nodes, from their start to the end of the simulation, or to a patience [s] without progress.

    What happens is told in words, and what is heard of the nodes shown some ten times a second. A table that latched
    because a process was late is re-armed, unless told not to; only one that is simulated: it can hurt nobody. Each
    time is told and logged.
    """

    nodes: Nodes
    _: KW_ONLY
    tell: Callable[[str], None] = lambda words: None
    show: Callable[[Listener], None] = lambda listener: None
    patience: float = _PATIENCE
    rearm: bool = True

    def __post_init__(self) -> None:
        checks.positive("hybrid run", "patience", self.patience, "s", "30 s are usual.")
        self.rearm = self.rearm and not isinstance(self.nodes.settings.device, OwnDevice)
        self._asked = 0.0  # when a re-arm was asked for last [s]
        self.simulated, self.whole = 0.0, False  # [s], and whether it came to its end
        self.words: list[str] = []  # what went wrong

    def until_end(self, ending: ShutdownFlag) -> Self:
        """Start, watch, end; all processes have ended afterwards, and the run tells how."""
        nodes = self.nodes
        for node in nodes.names:
            nodes.start(node)
        bus = bus_of(nodes.settings, None)
        try:
            listener = Listener(bus)
            if self._gather(bus, ending):
                self._watch(bus, listener, ending)
                self.simulated = listener.simulated
                self._say([*listener.events(), *([] if self.whole or ending else listener.words())])
        finally:
            for node in ORDER:
                if words := nodes.end(node):
                    self._note(words)
            bus.close()
        return self

    def _note(self, words: str) -> None:
        self.words.append(words)
        self.tell(words)

    def _say(self, words: list[str]) -> None:
        for each in words:
            self.tell(each)

    def _gather(self, bus: Bus, ending: ShutdownFlag) -> bool:
        """Until all are there; whether they are. Then the loops are let go."""
        began, explained = time.monotonic(), False
        while not ending:
            for node in self.nodes.died():  # one that cannot start has said why; a run without viewer is still a run
                words = self.nodes.final_message(node)
                if node != "view":
                    raise InputError(words)
                self.tell(f"{words}\n  The run goes on without a viewer.")
            here = bus.nodes()
            missing = [node for node in self.nodes.names if node not in here and node not in self.nodes.ended]
            waited = time.monotonic() - began
            if not missing or (missing == ["view"] and waited > _SOON):
                bus.declare(GO, {"pid": os.getpid()})
                if "view" in here:
                    self.tell(f"viewer: {here['view'].get('page')}")
                return True
            if waited > _SOON and not explained:
                explained = True
                self.tell(f"still waiting for {', '.join(missing)}: kernels are compiled once, for half a minute or so")
            if waited > MEETING:
                why = "; ".join(bus.wait_for(missing, 0.0))
                self._note(f"not started: {why} after {MEETING:g} s")
                return False
            time.sleep(_POLL_PERIOD)
        return False

    def _watch(self, bus: Bus, listener: Listener, ending: ShutdownFlag) -> None:
        moved, before = time.monotonic(), -1.0
        while not ending:
            self._say(listener.events())
            self.show(listener)
            if self._over(listener):
                return
            now = time.monotonic()
            if self.rearm and listener.held_up and now - self._asked > _ASKING:
                self._asked = now
                self._say(listener.events())
                self.tell("a process was late, and the table latched: asked to re-arm, since it is simulated")
                ask_rearm(bus, GO, "a process was late", timeout=_ASKING)  # not heard: asked again
            if listener.simulated != before:
                moved, before = now, listener.simulated
            elif now - moved > self.patience:
                self._note(f"given up at {before:.3f} s: nothing was simulated for {self.patience:g} s")
                return
            time.sleep(_POLL_PERIOD)

    def _over(self, listener: Listener) -> bool:
        """Whether the run is over: the dynamics is done, or a node that the run needs has died."""
        nodes = self.nodes
        for node in nodes.died():
            if node == "dynamics" and nodes.processes[node].returncode == 0:
                time.sleep(_POLL_PERIOD)  # its last rows are on their way
                self.whole = True
                return True
            self._note(nodes.final_message(node))
            if node in NEEDED:
                time.sleep(_LAST_ROWS)
                return True
            self.tell(f"the run goes on without {node}")
        return False
