"""The processes of one session on this computer, started and ended by their ids, with a private folder for them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Self

from tegotae import checks
from tegotae.errors import FileError
from tegotae.extras import require
from tegotae.hybrid.processes.joining import make_key, with_ports
from tegotae.hybrid.settings import OwnDevice, Settings

GO = "run"  # node on the bus whose coming lets the loops begin
ORDER = ("dynamics", "table", "device", "view", "log")  # of ending: the table rests first, the log hears all
_ENDS = 5.0  # s, for a process to end by itself
_OTHERS = (".nc", ".csv", ".json", ".parquet", ".html", ".toml")  # endings of files that a log is not


class Nodes:
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
        own = () if isinstance(settings.device, OwnDevice) else ("device",)
        self.names = ("log", *own, "table", "dynamics", *(("view",) if view else ()))
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
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self.ended: set[str] = set()  # told to end, or seen to have ended

    def start(self, node: str) -> subprocess.Popen[bytes]:
        """Start one of the nodes; one that ended may be started again."""
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
        """The process of a node that was started."""
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

    def final_message(self, node: str) -> str:
        """How a node ended, and what it said last."""
        code = self._processes[node].poll()
        how = f"killed by {signal.Signals(-code).name}" if code is not None and code < 0 else f"ended with code {code}"
        said = self._said(node).read_text(encoding="utf-8", errors="replace").strip()
        return f"{node} {how}" + (f": {said.removeprefix('tegotae: ')}" if said else "")

    def end(self, node: str, *, patience: float = _ENDS) -> str:
        """Tell a node to end; one that has not after some time [s] is killed. Returns what went wrong, or nothing."""
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
        return "" if code == 0 else self.final_message(node)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *trouble: object) -> None:
        self.close()

    def close(self) -> list[str]:
        """End all, the log last; what went wrong, in words."""
        words = [told for node in ORDER if (told := self.end(node))]
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
