"""Reads the record of a hybrid run, also one that still grows or whose writer was killed.

All times are told on one clock: the table's on the dynamics node's own, by the offsets that its rows tell.
"""

from __future__ import annotations

import json
import os
import stat
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from io import BytesIO
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tegotae import checks
from tegotae.checks import Array
from tegotae.errors import FileError, InputError
from tegotae.extras import require
from tegotae.hybrid.bus.messages import Judge, event_of, object_of, status_of
from tegotae.hybrid.bus.rows import KINDS, Rows, unbelievable

RECORDS = "tegotae-records"  # message encoding: packed little-endian records, one after another
BESIDE_THE_TABLE = ("table", "device")  # nodes on the computer of the table, whose clock they share
Times = NDArray[np.int64]

_MAGIC = b"\x89MCAP0\r\n"
_CHUNK = 1 << 26  # bytes of a chunk; a writer closes one at a sixty-fourth of it
_LARGEST = 1 << 20  # bytes of a row
_SMOOTH = 255  # rows: what jitters in the offset between two clocks, whose drift is slow
_TYPES = {**KINDS, "configuration": np.dtype([("simulated", "<f8"), ("q", "<f8", (0,))])}  # of rows not in a log


class LogReader:
    """What a log holds.

    A log whose end is missing is read to where it is whole; `whole` tells, and `words` say what is lacking.

    Args:
        path: of the file.

    Attributes:
        about: what the run was about: settings, versions, started (wall time).
        dynamics: rows of the dynamics node, one a tick.
        table: rows of the table node.
        device: rows of the process of a simulated device, in the same fields; none if it had no process of its own.
        configuration: records of simulated [s] and q.
        events: each with time, node, level, text, kind ("" in logs that are older than kinds), by time, and "at" [s] on
            the common clock.
        status: node -> all that it told of itself, in order.
        lost: kind of rows -> how many never reached the log.
        aligned: kind of rows -> their times [s] from the first one on, on the dynamics node's clock.
        whole: whether the log was finished properly.
        words: what is wrong with it, in words.

    Example:
        >>> import numpy as np, os, tempfile
        >>> from tegotae.hybrid.records.log import LogReader, LogWriter
        >>> rows = np.zeros(3, dtype=[("time", "<i8"), ("offset", "<f8")])
        >>> rows["time"] = [7_000_000, 9_000_000, 11_000_000]
        >>> path = os.path.join(tempfile.mkdtemp(), "run.mcap")
        >>> with LogWriter(path, {}) as log:
        ...     log.rows("dynamics", rows, first=0)
        >>> LogReader(path).aligned["dynamics"].tolist()
        [0.0, 0.002, 0.004]
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        require("LogReader", "mcap")
        self.path = str(checks.path_of("LogReader", path))
        self.words: list[str] = []
        self.about: dict[str, Any] = {}
        self.status: dict[str, list[dict[str, Any]]] = {}
        self.events: list[dict[str, Any]] = []
        self.whole = False
        self._blocks: dict[str, list[tuple[int, bytes]]] = {}
        self._types: dict[str, np.dtype[Any]] = {}
        self._channels: dict[int, Any] = {}
        self._schemas: dict[int, Any] = {}
        self._damaged = self._kept = 0
        self._most = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
        self._judge = Judge()
        from mcap.exceptions import McapError

        with _opened(path) as file:
            try:
                self._read(file)
            except (McapError, struct.error, ValueError, OverflowError, RecursionError) as error:  # parts do not fit
                why = f"it is damaged ({error or type(error).__name__})"
                raise FileError(f"Cannot read {self.path}: {why}.\n  Give another copy of it.") from error
        self.dynamics, self.table, self.device = map(self._rows, KINDS)
        self.configuration = self._joined("configuration", _TYPES["configuration"])
        self.lost = {kind: self._lost(kind) for kind in KINDS}
        self._align()
        self._say()
        self._blocks.clear()

    # ------------------------------------------------------------ the file

    def _read(self, file: BinaryIO) -> None:
        from mcap.data_stream import ReadDataStream
        from mcap.opcode import Opcode
        from mcap.records import Chunk, Footer, Header, Metadata

        if (start := file.read(8)) != _MAGIC:
            what = "it is empty" if not start else "it is not an MCAP file"
            raise FileError(f"Cannot read {self.path}: {what}.\n  Give the log of a hybrid run.")
        seen = False
        for opcode, data in _records(file):
            stream = ReadDataStream(BytesIO(data))
            if opcode == Opcode.HEADER:
                seen = True
                if (profile := Header.read(stream).profile) != "tegotae-hybrid":
                    raise FileError(
                        f"Cannot read {self.path}: an MCAP file of profile {profile!r}, not the log of a hybrid run.\n"
                        "  Give one that `tegotae hybrid run --out` wrote."
                    )
            elif opcode == Opcode.METADATA and (record := Metadata.read(stream)).name == "about":
                self.about = {name: json.loads(text) for name, text in record.metadata.items()}
                _refuse_strange(self.about)
            elif opcode == Opcode.CHUNK:
                self._open(Chunk.read(stream))
            elif opcode == Opcode.FOOTER:
                Footer.read(stream)
                self.whole = file.read(8) == _MAGIC
                break
        if not seen:
            raise FileError(f"Cannot read {self.path}: it ends before anything was written.\n  The run never began.")

    def _open(self, chunk: Any) -> None:
        from mcap.exceptions import McapError
        from mcap.records import Channel, Message, Schema
        from mcap.stream_reader import breakup_chunk
        from zstandard import ZstdError

        try:
            records = breakup_chunk(_unpacked(chunk), validate_crc=True)
        except (McapError, struct.error, ValueError, OverflowError, MemoryError, ZstdError):
            self._damaged += 1  # told in words; what follows is whole again
            return
        for record in records:
            if isinstance(record, Schema):
                self._schemas[record.id] = record
            elif isinstance(record, Channel):
                self._channels[record.id] = record
                schema = self._schemas.get(record.schema_id)
                if record.message_encoding == RECORDS and schema is not None:
                    self._describe(record.topic, dtype_of(schema.data))
            elif isinstance(record, Message) and record.channel_id in self._channels:
                self._take(self._channels[record.channel_id].topic, record)

    def _describe(self, topic: str, dtype: np.dtype[Any]) -> None:
        """Fields may be missing, as in logs of other versions; those that are there are what they are called."""
        kind = topic.removeprefix("rows/")
        known = _TYPES.get(kind)
        if known is not None and known.names is not None and dtype.names is not None:
            needed = "simulated" if kind == "configuration" else "time"
            wrong = [name for name in dtype.names if name in known.names and dtype[name] != known[name] and name != "q"]
            if wrong or needed not in dtype.names:
                what = f"{wrong[0]!r} is {dtype[wrong[0]]}" if wrong else f"there is no {needed!r}"
                raise FileError(f"Cannot read {self.path}: in its {kind} rows {what}.\n  Give the log of a hybrid run.")
        if self._types.setdefault(topic, dtype) != dtype:
            what = f"its {kind} rows are described twice"
            raise FileError(f"Cannot read {self.path}: {what}.\n  Give the log of a hybrid run.")

    def _take(self, topic: str, message: Any) -> None:
        data = message.data
        if topic in self._types:
            if len(data) % self._types[topic].itemsize:
                problem = f"{len(data)} bytes are not a whole number of rows."
                self._judge.taken(topic, lambda: checks.refuse("block", problem, "It is damaged."))
                return
            self._kept += len(data)
            if self._kept > self._most:
                raise FileError(
                    f"Cannot read {self.path}: it holds more than {1e-9 * self._most:.3g} GB of rows, half the memory "
                    "of this computer.\n  Read it on a larger one."
                )
            self._blocks.setdefault(topic, []).append((message.sequence, data))
        elif topic == "events":
            self._judge.taken(topic, lambda: self.events.append(event_of(object_of("event", data))))
        elif topic.startswith("status/"):
            self._judge.taken(topic, lambda: self._status(topic.removeprefix("status/"), data))

    def _status(self, node: str, data: bytes) -> None:
        status = status_of(object_of("status", data))
        self.status.setdefault(node, []).append(status)

    # ------------------------------------------------------------ what it holds

    def _rows(self, kind: str) -> Rows:
        rows = self._joined(f"rows/{kind}", KINDS[kind])
        bad = unbelievable(rows)
        if bad.any():
            self.words.append(
                f"{np.count_nonzero(bad)} rows of the {kind} node have times, ticks or clocks that cannot be; left out"
            )
            rows = rows[~bad]
        if back := np.count_nonzero(np.diff(rows["time"]) < 0):
            self.words.append(f"the clock of the {kind} node went back {back} times")
        return rows

    def _joined(self, topic: str, empty: np.dtype[Any]) -> Rows:
        dtype = self._types.get(topic, empty)
        data = bytearray().join([block for _, block in self._blocks.get(topic, ())])
        return np.frombuffer(data, dtype=dtype)  # of a bytearray: writable, and the only copy

    def _lost(self, kind: str) -> int:
        """Rows that the numbers of the blocks say are missing. A node that restarts begins again at 0."""
        topic, lost, expected = f"rows/{kind}", 0, None
        for first, data in self._blocks.get(topic, ()):
            if expected is not None and first > expected:
                lost += first - expected
            expected = first + len(data) // self._types[topic].itemsize
        return lost

    def _align(self) -> None:
        """Times of the table and its device on the dynamics' clock, by the offset that the link told, smoothed."""
        to_ours = translation(self.dynamics)
        times = {kind: getattr(self, kind)["time"] for kind in KINDS}
        times |= {kind: to_ours(times[kind]) for kind in BESIDE_THE_TABLE}
        starts = [int(each[0]) for each in times.values() if each.size]
        zero = min(starts, default=int(self.events[0]["time"]) if self.events else 0)
        self.aligned: Mapping[str, Array] = {
            kind: np.asarray(1e-9 * (each - zero), dtype=np.float64) for kind, each in times.items()
        }
        for event in self.events:
            stamp = np.array([event["time"]], dtype=np.int64)
            event["at"] = 1e-9 * int((to_ours(stamp) if event["node"] in BESIDE_THE_TABLE else stamp)[0] - zero)
        self.events.sort(key=lambda event: float(event["at"]))

    def _say(self) -> None:
        if not self.whole:
            self.words.append("the log has no end: its writer was killed, or still writes; read to its last flush")
        if self._damaged:
            self.words.append(f"{self._damaged} chunks of the log are damaged and were left out")
        self.words += [f"of its {problem}" for problem in self._judge.problems()]
        self.words += [
            f"{count} rows of the {kind} node never reached the log" for kind, count in self.lost.items() if count
        ]
        if self.table.size and self.dynamics.size and not np.isfinite(offsets_of(self.dynamics)).any():
            self.words.append("the clocks of the two nodes were never compared: they are taken to be the same")


def _unpacked(chunk: Any) -> Any:
    """A chunk as it was before it was compressed, if of a size that logs have: a few bytes may claim gigabytes."""
    if chunk.compression not in ("", "zstd"):
        raise ValueError(f"compressed by {chunk.compression!r:.20}")
    if chunk.compression == "":
        return chunk
    import zstandard

    if not 0 <= zstandard.frame_content_size(chunk.data) <= _CHUNK:
        raise ValueError("larger than any chunk that tegotae writes")
    return replace(chunk, compression="", data=zstandard.decompress(chunk.data))


def _refuse_strange(about: Mapping[str, Any]) -> None:
    """What is said of the run must be tables and texts where those are looked for."""
    for name, kind in (("settings", dict), ("versions", dict), ("started", str)):
        if not isinstance(about.get(name, kind()), kind):
            raise ValueError(f"what it says of its {name} is {type(about[name]).__name__}")


def _opened(path: str | os.PathLike[str]) -> BinaryIO:
    try:
        if not stat.S_ISREG(mode := os.stat(path).st_mode):  # a pipe would be waited for
            what = "a directory" if stat.S_ISDIR(mode) else "a pipe or a device"
            raise FileError(f"Cannot read {path}: it is {what}.\n  Give the log of a hybrid run.")
        return open(path, "rb")  # the reader closes it
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"Cannot read {path}: {error.strerror}.\n  Give the log of a hybrid run.") from error
    except (TypeError, ValueError) as error:
        raise InputError(f"LogReader: path={path!r} is not a path ({error}).\n  Give the name of a log.") from error


def _records(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Records of a file, as long as they are there in full."""
    left = os.fstat(file.fileno()).st_size - file.tell()
    while len(head := file.read(9)) == 9:
        length = int.from_bytes(head[1:], "little")
        left -= 9 + length
        if left < 0:
            return
        yield head[0], file.read(length)


def dtype_of(text: bytes) -> np.dtype[Any]:
    """The type of a row, from the text in the log: a log of another version is read as it was written."""
    try:
        description = json.loads(text)
        fields = description["fields"]
        made = np.dtype(
            {
                "names": [each["name"] for each in fields],
                "formats": [(each["type"], tuple(each["shape"])) if each["shape"] else each["type"] for each in fields],
                "offsets": [each["offset"] for each in fields],
                "itemsize": description["record_size"],
            }
        )
        if not 0 < made.itemsize <= _LARGEST or not made.names:
            raise ValueError(f"a row of {made.itemsize} bytes")
        if strange := [name for name in made.names if made[name].base.kind not in "iuf"]:
            raise ValueError(f"{strange[0]!r} does not hold numbers")
        return made
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError, MemoryError) as error:
        raise FileError(
            f"LogReader: the description of the rows cannot be understood ({error}).\n  It was not written by tegotae."
        ) from error


def offsets_of(rows: Rows) -> Array:
    """The table's clock minus the dynamics' own [s] at each row; NaN where it was not known."""
    names = rows.dtype.names or ()
    return rows["offset"].astype(np.float64) if "offset" in names else np.full(rows.size, np.nan)


def translation(dynamics: Rows) -> Callable[[Times], Times]:
    """From the table's clock to the dynamics' own, both [ns]: piecewise linear, the same offset beyond."""
    ours, offsets = dynamics["time"], offsets_of(dynamics)
    known = np.isfinite(offsets)
    if not known.any():
        return lambda theirs: theirs
    ours = ours[known]
    smooth = np.round(1e9 * _median(offsets[known])).astype(np.int64)
    zero, base = int(ours[0]), int(smooth[0])
    shown = np.maximum.accumulate((ours - zero) + (smooth - base)).astype(np.float64)  # what the table's clock showed

    def to_ours(theirs: Times) -> Times:
        local = theirs - (zero + base)  # small numbers: exact as floats
        shift = np.interp(local.astype(np.float64), shown, (smooth - base).astype(np.float64))
        return local - np.round(shift).astype(np.int64) + zero

    return to_ours


def _median(values: Array) -> Array:
    """Of each value and its neighbours: an offset that a late packet spoils for a moment moves no time."""
    if np.ptp(values) == 0.0:
        return values
    from scipy.ndimage import median_filter

    return np.asarray(median_filter(values, size=min(_SMOOTH, values.size), mode="reflect"), dtype=np.float64)
