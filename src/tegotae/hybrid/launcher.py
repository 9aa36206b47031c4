"""All nodes of a session here, as separate processes: started, watched, and ended in an order that loses nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from tegotae import checks
from tegotae.errors import FileError, InputError
from tegotae.hybrid.bus import Bus
from tegotae.hybrid.joining import bus_of, make_key, with_ports
from tegotae.hybrid.listening import Listener
from tegotae.hybrid.processes import MEETING, Ending
from tegotae.hybrid.settings import OwnDevice, Settings

OWN = "hybrid run"
GO = "run"  # node on the bus whose coming lets the loops begin
ORDER = ("dynamics", "table", "device", "view", "log")  # of ending: the table rests first, the log hears all
NEEDED = ("dynamics", "table", "device")  # without these a run is over
_SOON = 10.0  # s after which a slow start is explained, and a viewer is not waited for any longer
_PATIENCE = 30.0  # s in which nothing is simulated, after which a run is given up
_LAST_ROWS = 0.4  # s, for what follows a node's death to be logged: the table's rest
_LOOK = 0.05  # s
_ENDS = 5.0  # s, for a process to end by itself


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    Args:
        simulated: [s].
        whole: whether it came to its end.
        words: what went wrong.

    Example:
        >>> Outcome(3.0, True, ()).whole
        True
    """

    simulated: float
    whole: bool
    words: tuple[str, ...]


class Nodes:
    """The processes of one session, and a private folder with their settings, their key and their last words.

    Args:
        settings: of the session; ports that are 0 are chosen here, and a key is made unless one is named.
        out: the log; None keeps it in the private folder, which is gone afterwards.
        overwrite: whether a log of that name may be replaced.
        view: whether there is a viewer.

    Example:
        >>> from tegotae.hybrid.launcher import Nodes
        >>> with Nodes(Settings(), view=False) as nodes:
        ...     nodes.names, nodes.running
        (('log', 'device', 'table', 'dynamics'), [])
    """

    def __init__(
        self, settings: Settings, *, out: Path | None = None, overwrite: bool = False, view: bool = True
    ) -> None:
        refuse_taken(out, overwrite)
        own = () if isinstance(settings.device, OwnDevice) else ("device",)
        self.names = ("log", *own, "table", "dynamics", *(("view",) if view else ()))
        self._folder = tempfile.TemporaryDirectory(prefix="tegotae-hybrid-")  # mode 0700
        try:
            self.folder = Path(self._folder.name)
            key = settings.link.key or str(make_key(self.folder / "key"))
            link = msgspec.structs.replace(settings.link, key=os.path.abspath(key))
            self.settings = with_ports(msgspec.structs.replace(settings, link=link))
            self.file = self.folder / f"{settings.session}.toml"
            self.file.write_text(self.settings.toml(), encoding="utf-8")
        except BaseException:
            self._folder.cleanup()
            raise
        self.out = self.folder / "run.mcap" if out is None else Path(out).absolute()
        self._overwrite = overwrite
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self.ended: set[str] = set()  # told to end, or seen to have ended

    def start(self, node: str) -> subprocess.Popen[bytes]:
        """Start one of the nodes; one that ended may be started again.

        Args:
            node: its name.
        """
        command = [sys.executable, "-m", "tegotae", "hybrid", node, str(self.file), "--parent", str(os.getpid())]
        if node == "log":
            command += ["--out", str(self.out), *(["--overwrite"] if self._overwrite else [])]
        if node in ("table", "dynamics"):
            command += ["--await", "log", "--await", GO]
        self.ended.discard(node)
        with open(self._said(node), "wb") as said:
            # A group of its own: Ctrl-C is for the launcher, which ends the rest in order.
            self._processes[node] = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True
            )
        return self._processes[node]

    def _said(self, node: str) -> Path:
        return self.folder / f"{node}.txt"

    def process(self, node: str) -> subprocess.Popen[bytes]:
        """Of a node that was started.

        Args:
            node: its name.
        """
        return self._processes[node]

    @property
    def running(self) -> list[str]:
        """Nodes whose processes run."""
        return [node for node, process in self._processes.items() if process.poll() is None]

    def died(self) -> list[str]:
        """Nodes that ended since the last call without having been told to."""
        gone = [node for node, it in self._processes.items() if node not in self.ended and it.poll() is not None]
        self.ended.update(gone)
        return gone

    def last_words(self, node: str) -> str:
        """How a node ended, and what it said last.

        Args:
            node: its name.
        """
        code = self._processes[node].poll()
        how = f"killed by {signal.Signals(-code).name}" if code is not None and code < 0 else f"ended with code {code}"
        said = self._said(node).read_text(encoding="utf-8", errors="replace").strip()
        return f"{node} {how}" + (f": {said.removeprefix('tegotae: ')}" if said else "")

    def end(self, node: str, *, patience: float = _ENDS) -> str:
        """Tell a node to end, and wait; what went wrong, in words, or nothing.

        Args:
            node: its name.
            patience: after which it is killed [s].
        """
        process = self._processes.get(node)
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
        return "" if code == 0 else self.last_words(node)

    def close(self) -> list[str]:
        """End all, the log last; what went wrong, in words."""
        words = [told for node in ORDER if (told := self.end(node))]
        self._folder.cleanup()
        return words

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def refuse_taken(out: Path | None, overwrite: bool) -> None:
    """Refuse a log that could not be written, before anything starts.

    Args:
        out: the log.
        overwrite: whether it may be replaced.

    Example:
        >>> refuse_taken(None, False)
    """
    if out is not None and checks.target_of(out).exists() and not overwrite:
        raise FileError(
            f"Cannot write {out}: it exists, and may be the only record of a run.\n"
            "  Choose another name, or add --overwrite."
        )


class Run:
    """A run of all nodes, from their start to the end of the simulation.

    Args:
        nodes: their processes.
        tell: called with what happens, in words.
        show: called some ten times a second, with what is heard of the nodes.
        patience: without progress, after which it is given up [s].

    Example:
        >>> with Nodes(Settings(), view=False) as nodes:
        ...     Run(nodes).outcome.whole
        False
    """

    def __init__(
        self,
        nodes: Nodes,
        *,
        tell: Callable[[str], None] = lambda words: None,
        show: Callable[[Listener], None] = lambda listener: None,
        patience: float = _PATIENCE,
    ) -> None:
        self._nodes, self._tell, self._show = nodes, tell, show
        self._patience = checks.positive(OWN, "patience", patience, "s", "30 s are usual.")
        self._words: list[str] = []
        self._simulated, self._whole = 0.0, False

    @property
    def outcome(self) -> Outcome:
        """How it ended."""
        return Outcome(self._simulated, self._whole, tuple(self._words))

    def until_end(self, ending: Ending) -> Outcome:
        """Start, watch, end; all processes have ended afterwards.

        Args:
            ending: whether to end early.
        """
        nodes = self._nodes
        for node in nodes.names:
            nodes.start(node)
        bus = bus_of(nodes.settings, None)
        try:
            listener = Listener(bus)
            if self._gather(bus, ending):
                self._watch(listener, ending)
                self._simulated = listener.simulated
                self._say([*listener.events(), *([] if self._whole or ending else listener.words())])
        finally:
            for node in ORDER:
                if words := nodes.end(node):
                    self._note(words)
            bus.close()
        return self.outcome

    def _note(self, words: str) -> None:
        self._words.append(words)
        self._tell(words)

    def _say(self, words: list[str]) -> None:
        for each in words:
            self._tell(each)

    # ------------------------------------------------------------ before

    def _gather(self, bus: Bus, ending: Ending) -> bool:
        """Until all are there; whether they are. Then the loops are let go."""
        began, explained = time.monotonic(), False
        while not ending:
            self._refuse_stillborn()
            here = bus.nodes()
            missing = [node for node in self._nodes.names if node not in here and node not in self._nodes.ended]
            waited = time.monotonic() - began
            if not missing or (missing == ["view"] and waited > _SOON):
                bus.declare(GO, {"pid": os.getpid()})
                return True
            if waited > _SOON and not explained:
                explained = True
                self._tell(f"still waiting for {', '.join(missing)}: kernels are compiled once, for half a minute or so")
            if waited > MEETING:
                why = "; ".join(bus.meet(missing, 0.0))
                self._note(f"not started: {why} after {MEETING:g} s")
                return False
            time.sleep(_LOOK)
        return False

    def _refuse_stillborn(self) -> None:
        """A node that cannot start has said why; a run without viewer is still a run."""
        for node in self._nodes.died():
            words = self._nodes.last_words(node)
            if node != "view":
                raise InputError(words)
            self._tell(f"{words}\n  The run goes on without a viewer.")

    # ------------------------------------------------------------ while

    def _watch(self, listener: Listener, ending: Ending) -> None:
        moved, before = time.monotonic(), -1.0
        while not ending:
            self._say(listener.events())
            self._show(listener)
            if self._over(listener):
                return
            now = time.monotonic()
            if listener.simulated != before:
                moved, before = now, listener.simulated
            elif now - moved > self._patience:
                self._note(f"given up at {before:.3f} s: nothing was simulated for {self._patience:g} s")
                return
            time.sleep(_LOOK)

    def _over(self, listener: Listener) -> bool:
        """Whether the run is over: the dynamics is done, or a node without which there is none has died."""
        nodes = self._nodes
        for node in nodes.died():
            if node == "dynamics" and nodes.process(node).returncode == 0:
                time.sleep(_LOOK)  # its last rows are on their way
                self._whole = True
                return True
            self._note(nodes.last_words(node))
            if node in NEEDED:
                time.sleep(_LAST_ROWS)
                return True
            self._tell(f"the run goes on without {node}")
        return False
