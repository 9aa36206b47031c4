"""The node that keeps the record: a process of its own, so that neither its disk nor its death disturbs a loop."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from functools import partial
from queue import SimpleQueue
from typing import Any

import tegotae
from tegotae import checks
from tegotae.hybrid.bus.bus import Bus
from tegotae.hybrid.bus.messages import Judge, configuration_of, event_of, object_of, status_of
from tegotae.hybrid.bus.rows import KINDS, BlockReader, RowBlock
from tegotae.hybrid.closable import Closable
from tegotae.hybrid.records.log import LogWriter

_STATUS = 500_000_000  # ns between two words of its own
_TOPICS = 64  # that are written: more names than there can be nodes are made up


class LogNode(Closable):
    """Hears everything that the nodes of a session publish, and writes it down.

    What arrives is put aside at once, in whatever thread the bus calls from; `step` writes it. Lost blocks are counted
    and told twice a second at "<session>/status/log", and are found in the log itself.

    Whoever made the bus closes it. Path, about and overwrite are those of the `LogWriter`; nanoseconds is the clock for
    events of its own.
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
        self._spoke = time.monotonic_ns()
        self._problems: list[str] = []
        self._judge = Judge()
        self._readers = {kind: BlockReader(dtype, partial(self._write_rows, kind)) for kind, dtype in KINDS.items()}
        for topic in ("rows/**", "configuration", "events", "status/**"):
            bus.subscribe(f"{session}/{topic}", lambda at, payload: self._waiting.put((at, bytes(payload))))
        bus.declare("log", {"version": tegotae.__version__, "path": str(self.writer.path), "pid": os.getpid()})

    def step(self) -> int:
        """Write what has arrived; how many messages that were. Tells of itself twice a second."""
        count = 0
        while not self._waiting.empty():  # nobody else takes from it
            topic, payload = self._waiting.get()
            self._judge.taken(topic, partial(self._write, topic, payload))
            count += 1
        if time.monotonic_ns() - self._spoke >= _STATUS:
            self._speak()
        return count

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
            if rest not in self._readers:
                checks.refuse("LogNode", f"rows of kind {rest!r} are unknown.", f"Publish {', '.join(KINDS)}.")
            self._readers[rest](topic, payload)
        elif kind == "configuration":
            self.writer.configuration(*configuration_of(payload))
        elif kind == "events":
            self.writer.event(event_of(object_of("event", payload)))
        elif rest != "log":  # its own words are written where they are said
            if f"status/{rest}" not in self.writer.written and len(self.writer.written) >= _TOPICS:
                checks.refuse("LogNode", f"with node {rest!r:.40} there are too many.", "Name each node once.")
            self.writer.status(rest, status_of(object_of("status", payload)))

    def _write_rows(self, kind: str, block: RowBlock) -> None:
        if block.kind != kind:
            checks.refuse("LogNode", f"a block of {kind} says that it is {block.kind!r}.", "Publish it as that.")
        self.writer.rows(kind, block.rows, first=block.first)

    def problems(self) -> list[str]:
        """What is missing or was refused, in words."""
        return [words for judge in (*self._readers.values(), self._judge) for words in judge.problems()]

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
