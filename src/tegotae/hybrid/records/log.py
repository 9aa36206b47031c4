"""The record of a hybrid run: an MCAP file that is readable while it grows, and after its writer was killed.

Name, type, place, unit and meaning of every field are written into it, for any reader.
"""

from __future__ import annotations

import json
import math
import os
import platform
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import tegotae
from tegotae import checks
from tegotae.checks import Array
from tegotae.errors import FileError
from tegotae.extras import require
from tegotae.hybrid.bus.messages import event_of
from tegotae.hybrid.bus.rows import FIELDS, KINDS, Rows, refuse_rows
from tegotae.hybrid.closable import Closable
from tegotae.hybrid.records.log_reader import BESIDE_THE_TABLE, RECORDS, offsets_of
from tegotae.hybrid.records.log_reader import LogReader as LogReader

_LAST = 2**32  # sequence numbers of MCAP wrap there
DESCRIBED = "tegotae-records-json"  # schema encoding: the text that `described` gives
_CONFIGURATION = ("<f8", "m, rad, -", "configuration of the model")
EVENT_SCHEMA = json.dumps(
    {
        "type": "object",
        "title": "something that happened",
        "properties": {
            "time": {"type": "integer", "description": "ns of the node's own monotonic clock"},
            "node": {"type": "string"},
            "level": {"type": "string", "enum": ["info", "warning", "trip"]},
            "text": {"type": "string"},
            "kind": {"type": "string", "description": "for programs that act on it; empty where none does"},
        },
        "required": ["time", "node", "level", "text"],
    }
).encode()


class LogWriter(Closable):
    """Writes a log: rows of both nodes, configurations, events, status, and what the run was about.

    What was handed over is in the file half a second later at most, as long as something is handed over or `flush` is
    called: the file is readable while it grows, and to its last flush after a `kill -9`. It is written in place (a name
    that it gets at the end would hide it from both).

    Every message has two times: `log_time` on one clock, that of the dynamics node, `publish_time` on the sender's own.

    Args:
        path: of the file, usually *.mcap.
        about: the run: "settings" (a mapping), "settings_text" (the TOML text), anything else that JSON can hold.
            Versions and the wall time are added.
        overwrite: whether a file of that name may be replaced.
        interval: flush at least so often [s].

    Example:
        >>> import numpy as np, os, tempfile
        >>> from tegotae.hybrid.records.log import LogReader, LogWriter
        >>> rows = np.zeros(25, dtype=[("time", "<i8"), ("tick", "<i8"), ("offset", "<f8")])
        >>> path = os.path.join(tempfile.mkdtemp(), "run.mcap")
        >>> with LogWriter(path, {"settings": {"guard": True}}) as log:
        ...     log.rows("dynamics", rows, first=0)
        ...     log.event({"time": 5, "node": "table", "level": "trip", "text": "overload"})
        >>> read = LogReader(path)
        >>> read.dynamics.size, read.events[0]["text"], read.about["settings"]["guard"]
        (25, 'overload', True)
    """

    def __init__(
        self, path: str | os.PathLike[str], about: Mapping[str, Any], *, overwrite: bool = False, interval: float = 0.5
    ) -> None:
        require("LogWriter", "mcap")
        from mcap.writer import CompressionType, Writer

        self._interval = round(1e9 * checks.positive("LogWriter", "interval", interval, "s", "0.5 s is usual."))
        metadata = _about(checks.mapping("LogWriter", "about", about, "Give a dict, such as {'settings': {}}."))
        self.path = checks.target_of(path)
        self._file = _opened(self.path, checks.flag("LogWriter", "overwrite", overwrite))
        self._writer: Any = Writer(self._file, compression=CompressionType.ZSTD)
        self._channels: dict[str, int] = {}
        self._offset = 0  # ns: the table's clock minus the dynamics' own
        self._now = 0  # ns on the common clock, of the newest message
        self.written: dict[str, int] = {}
        self._flushed = time.monotonic_ns()
        self.closed = False  # then nothing more can be written: it was ended, or the disk refused
        self._safely(lambda: self._begin(metadata, about.get("settings_text")))

    def _begin(self, metadata: dict[str, str], text: object) -> None:
        self._writer.start(profile="tegotae-hybrid", library=f"tegotae {tegotae.__version__}")
        self._writer.add_metadata("about", metadata)
        if isinstance(text, str):
            now = time.time_ns()
            self._writer.add_attachment(now, now, "settings.toml", "application/toml", text.encode())
        self._writer.flush()

    def rows(self, kind: str, rows: Rows, *, first: int) -> None:
        """A block of rows of a node.

        Args:
            kind: "dynamics", "table" or "device".
            rows: one structured record a tick.
            first: number of the first row since its node began; a gap is a block that was lost [-].
        """
        first = checks.whole("LogWriter", "first", first, 0, "Give the number of the first row.")
        checks.choice("LogWriter", "kind", kind, KINDS)
        names = rows.dtype.names if isinstance(rows, np.ndarray) and rows.ndim == 1 else None
        if names is None or "time" not in names:
            problem = "rows is not an array of records with a time."
            checks.refuse("LogWriter", problem, "Give rows as in tegotae.hybrid.bus.rows.")
        if rows.size == 0:
            return
        refuse_rows("LogWriter", rows)
        if kind == "dynamics":
            known = offsets_of(rows)
            known = known[np.isfinite(known)]
            self._offset = round(1e9 * float(known[-1])) if known.size else self._offset
        topic = f"rows/{kind}"
        if topic not in self._channels:
            self._register(topic, RECORDS, DESCRIBED, described(kind, rows.dtype))
        self._add(topic, rows.tobytes(), stamp=int(rows["time"][0]), node=kind, first=first, count=rows.size)

    def configuration(self, simulated: float, q: Array) -> None:
        """The configuration of the model, for replaying a view.

        Args:
            simulated: time [s].
            q: of the model [m, rad, -].
        """
        simulated = checks.number("LogWriter", "simulated", simulated, "s")
        q = checks.finite_array("LogWriter", "q", q, "").astype("<f8")
        if q.ndim != 1:
            checks.refuse("LogWriter", f"q has shape {q.shape}.", "Give one number a coordinate.")
        if "configuration" not in self._channels:
            dtype = np.dtype([("simulated", "<f8"), ("q", "<f8", (q.size,))])
            self._register("configuration", RECORDS, DESCRIBED, described("configuration", dtype))
            self._coordinates = q.size
        if q.size != self._coordinates:
            problem = f"q has {q.size} numbers."
            checks.refuse("LogWriter", problem, f"It had {self._coordinates} before: one log a model.")
        self._add("configuration", np.concatenate(([simulated], q)).astype("<f8").tobytes())

    def event(self, event: Mapping[str, Any]) -> None:
        """Something that happened.

        Args:
            event: "time" [ns] of its node's clock, "node", "level" ("info", "warning" or "trip"), "text" and "kind".
        """
        entry = event_of(dict(checks.mapping("LogWriter", "event", event, "Give time [ns], node, level and text.")))
        self._register("events", "json", "jsonschema", EVENT_SCHEMA)
        self._add("events", _json("event", entry), stamp=entry["time"], node=entry["node"])

    def status(self, node: str, status: Mapping[str, Any]) -> None:
        """What a node tells of itself twice a second.

        Args:
            node: its name.
            status: such as {"deadlines": ..., "link": ..., "words": [...]}, the newest counts.
        """
        topic = f"status/{node}"
        self._register(topic, "json", "jsonschema", b'{"type": "object"}')
        self._add(topic, _json("status", status))

    def flush(self) -> None:
        """Everything handed over so far is in the file when this returns."""
        self._safely(self._writer.flush)
        self._flushed = time.monotonic_ns()

    def close(self) -> None:
        """Finish the file, with its index."""
        if self.closed:
            return
        self.closed = True
        try:
            self._safely(self._writer.finish)
        finally:
            self._file.close()

    def _register(self, topic: str, encoding: str, schema_encoding: str, schema: bytes) -> None:
        if topic not in self._channels:
            number = self._writer.register_schema(name=f"tegotae/{topic}", encoding=schema_encoding, data=schema)
            self._channels[topic] = self._writer.register_channel(topic, encoding, number)

    def _add(
        self, topic: str, data: bytes, *, stamp: int | None = None, node: str = "", first: int | None = None,
        count: int = 1,
    ) -> None:  # fmt: skip
        """A message at a time of its node's own clock [ns], or at that of the newest message."""
        if self.closed:
            checks.refuse("LogWriter", f"{self.path} is closed.", "Open another log.")
        stamp = self._now if stamp is None else stamp
        common = stamp - self._offset * (node in BESIDE_THE_TABLE)
        self._now = max(self._now, common)
        before = self.written.get(topic, 0)
        sequence = (before if first is None else first) % _LAST
        channel, writer = self._channels[topic], self._writer
        self._safely(lambda: writer.add_message(channel, max(common, 0), data, max(stamp, 0), sequence))
        self.written[topic] = before + count
        if time.monotonic_ns() - self._flushed >= self._interval:
            self.flush()

    def _safely(self, write: Any) -> None:
        try:
            write()
        except OSError as error:
            self.closed = True  # what would follow half a record could not be found again
            with suppress(OSError):
                self._file.close()
            raise FileError(
                f"Cannot go on with the log {self.path}: {error.strerror or error}.\n"
                "  It is readable to its last flush. Make room, or log to another disk."
            ) from error


def described(kind: str, dtype: np.dtype[Any]) -> bytes:
    """The JSON text that a log carries for rows of this type."""
    fields = []
    for name in dtype.names or ():
        part, place = dtype.fields[name][:2]  # type: ignore[index]
        base, shape = part.subdtype if part.subdtype is not None else (part, ())
        _, unit, meaning = FIELDS.get(name, _CONFIGURATION if name == "q" else ("", "", ""))
        item = {"name": name, "type": base.str, "shape": list(shape), "offset": place, "unit": unit, "meaning": meaning}
        fields.append(item)
    about = "A message is a block of records, one after another without gaps, little-endian; types as in NumPy."
    return json.dumps(
        {"kind": kind, "about": about, "record_size": dtype.itemsize, "fields": fields}, ensure_ascii=False, indent=1
    ).encode()


def plain(value: Any) -> Any:
    """Data that JSON can hold: it has no NaN, so a number that is not finite becomes null."""
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.floating):  # the longest of them are their own items
        return plain(float(value))
    if isinstance(value, np.generic):
        return plain(value.item())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _opened(path: Path, overwrite: bool) -> Any:
    """The file, new: two writers of one name never meet in it."""
    try:
        return open(path, "wb" if overwrite else "xb")  # the writer closes it
    except FileExistsError as error:
        raise FileError(
            f"Cannot write {path}: it exists, and may be the only record of a run.\n"
            "  Choose another name (--out), or say that it may go (overwrite=True)."
        ) from error
    except OSError as error:
        raise FileError(f"Cannot write {path}: {error.strerror}.\n  Choose another name.") from error


def _about(about: Mapping[str, Any]) -> dict[str, str]:
    """As MCAP keeps metadata: texts by name, here each of JSON."""
    now = time.time_ns()
    metadata = dict(about)
    metadata["versions"] = {
        "tegotae": tegotae.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "mcap": version("mcap"),
        **dict(about.get("versions", {})),
    }
    metadata["started"] = datetime.fromtimestamp(1e-9 * now, tz=UTC).isoformat(timespec="milliseconds")
    metadata["started_wall"] = now
    metadata["started_monotonic"] = time.monotonic_ns()
    return {str(name): _json(f"about[{name!r}]", value).decode() for name, value in metadata.items()}


def _json(name: str, value: object) -> bytes:
    try:
        return json.dumps(plain(value), ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        checks.refuse("LogWriter", f"{name}={checks.shown(value)} is not for a log ({error}).", "Give plain data.")
