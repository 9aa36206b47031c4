"""The node that keeps the record: a process of its own, so that neither its disk nor its death disturbs a loop."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Any, Self

import tegotae
from tegotae import checks
from tegotae.hybrid.bus.blocks import BlockReader, RowBlock
from tegotae.hybrid.bus.bus import Bus
from tegotae.hybrid.bus.messages import Judge, configuration_of, event_of, object_of, status_of
from tegotae.hybrid.bus.rows import DYNAMICS, TABLE
from tegotae.hybrid.records.log import LogWriter

_STATUS = 500_000_000  # ns between two words of its own
_TOPICS = 64  # that are written: more names than there can be nodes are made up
_KINDS = {"dynamics": DYNAMICS, "table": TABLE, "device": TABLE}


class LogNode:
    """Hears everything that the nodes of a session publish, and writes it down.

    What arrives is put aside at once, in whatever thread the bus calls from; `step` writes it. Lost blocks are counted
    and told twice a second at "<session>/status/log", and are found in the log itself.

    Args:
        bus: to listen on; whoever made it closes it.
        session: name of the run, the first word of every topic.
        path: of the log.
        about: the run, as `LogWriter` takes it: "settings", "settings_text".
        overwrite: whether a file of that name may be replaced.
        nanoseconds: the clock for events of its own; the machine's monotonic one unless given [ns].

    Example:
        >>> import os, tempfile
        >>> from tegotae.hybrid.bus.blocks import BlockWriter
        >>> from tegotae.hybrid.bus.bus import MemoryBus
        >>> from tegotae.hybrid.records.log import LogReader
        >>> from tegotae.hybrid.records.log_node import LogNode
        >>> from tegotae.hybrid.bus.rows import TABLE
        >>> bus, path = MemoryBus("demo"), os.path.join(tempfile.mkdtemp(), "run.mcap")
        >>> with LogNode(bus, "demo", path) as node:
        ...     rows = BlockWriter(bus, "demo/rows/table", TABLE, node="table")
        ...     for tick in range(3):
        ...         rows.row["tick"] = tick
        ...         rows.push()
        ...     rows.flush()
        ...     node.step()
        1
        >>> LogReader(path).table["tick"].tolist()
        [0, 1, 2]
    """

    def __init__(
        self,
        bus: Bus,
        session: str,
        path: str | os.PathLike[str],
        *,
        about: Mapping[str, Any] | None = None,
        overwrite: bool = False,
        nanoseconds: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self.writer = LogWriter(path, {"session": session, **(about or {})}, overwrite=overwrite)
        self._bus, self._session, self._now = bus, session, nanoseconds
        self._waiting: SimpleQueue[tuple[str, bytes]] = SimpleQueue()
        self._ended = threading.Event()
        self._spoke = time.monotonic_ns()
        self._problems: list[str] = []
        self._judge = Judge()
        self._readers = {kind: BlockReader(dtype, self._taker(kind)) for kind, dtype in _KINDS.items()}
        for topic in ("rows/**", "configuration", "events", "status/**"):
            bus.subscribe(f"{session}/{topic}", self._hear)
        bus.declare("log", {"version": tegotae.__version__, "path": str(self.writer.path), "pid": os.getpid()})

    def _hear(self, topic: str, payload: bytes) -> None:
        self._waiting.put((topic, bytes(payload)))

    def step(self) -> int:
        """Write what has arrived; how many messages that were. Tells of itself twice a second."""
        count = 0
        while True:
            try:
                topic, payload = self._waiting.get_nowait()
            except Empty:
                break
            self._judge.taken(topic, partial(self._write, topic, payload))
            count += 1
        if time.monotonic_ns() - self._spoke >= _STATUS:
            self._speak()
        return count

    def run(self, *, duration: float | None = None) -> None:
        """Until SIGTERM, Ctrl-C or `stop`, or for so long; then everything is in the file, with its index."""
        until = None if duration is None else time.monotonic() + duration
        handlers = self._catch_signals()
        try:
            while not self._ended.wait(0.02) and (until is None or time.monotonic() < until):
                self.step()
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
            self.close()

    def _catch_signals(self) -> dict[signal.Signals, Any]:
        if threading.current_thread() is not threading.main_thread():
            return {}  # only the main thread of a process hears signals

        def end(number: int, frame: FrameType | None) -> None:
            self.stop()

        return {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}

    def stop(self) -> None:
        """End `run` soon; may be called from any thread."""
        self._ended.set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *trouble: object) -> None:
        self.close()

    def close(self) -> None:
        """Write what has arrived, and finish the file."""
        if self.writer.closed:
            return  # the disk refused: whoever called `step` was told
        try:
            self.step()
            self._speak()
        finally:
            self.writer.close()

    def _write(self, topic: str, payload: bytes) -> None:
        kind, _, rest = topic.removeprefix(f"{self._session}/").partition("/")
        if kind == "rows":
            self._rows(rest, topic, payload)
        elif kind == "configuration":
            self.writer.configuration(*configuration_of(payload))
        elif kind == "events":
            self.writer.event(event_of(object_of("event", payload)))
        elif rest != "log":  # its own words are written where they are said
            if f"status/{rest}" not in self.writer.written and len(self.writer.written) >= _TOPICS:
                checks.refuse("LogNode", f"node {rest!r:.40} is one too many.", "Name each node once.")
            self.writer.status(rest, status_of(object_of("status", payload)))

    def _rows(self, kind: str, topic: str, payload: bytes) -> None:
        if kind not in self._readers:
            checks.refuse("LogNode", f"rows of kind {kind!r} are unknown.", "Publish dynamics, table or device.")
        self._readers[kind](topic, payload)

    def _taker(self, kind: str) -> Callable[[RowBlock], None]:
        def take(block: RowBlock) -> None:
            if block.kind != kind:
                checks.refuse("LogNode", f"a block of {kind} says that it is {block.kind!r}.", "Publish it as that.")
            self.writer.rows(kind, block.rows, first=block.first)

        return take

    def problems(self) -> list[str]:
        """What is missing or was refused, in words."""
        told = [words for reader in self._readers.values() for words in reader.problems()]
        return told + self._judge.problems()

    def _speak(self) -> None:
        self._spoke = time.monotonic_ns()
        problems = self.problems()
        for words in problems:
            if words not in self._problems:
                self.writer.event({"time": self._now(), "node": "log", "level": "warning", "text": words})
        self._problems = problems
        status = {"path": str(self.writer.path), "written": dict(self.writer.written), "words": problems}
        self.writer.status("log", status)
        self.writer.flush()
        self._bus.publish(f"{self._session}/status/log", json.dumps(status).encode())
