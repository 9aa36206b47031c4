"""What a node says beside its fast link: a row at every tick, configurations, events, its status twice a second.

A row is little-endian, without gaps, so that its bytes are the record.
Rows are published by the block, some twenty times a second, all little-endian. Header: magic "TGTB", version (1 byte),
lengths of the two names (1 each), a zero, birth of the writer (8), number of the block (8), sequence number of its
first row (8), count of rows (4), bytes of a row (4), fingerprint of the dtype (8); then the names of node and kind, and
the rows.

Example:
    >>> from tegotae.hybrid.bus.rows import DYNAMICS, TABLE
    >>> DYNAMICS.itemsize, TABLE.itemsize
    (528, 320)
    >>> TABLE["wrench"].shape
    (6,)
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from struct import Struct
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tegotae import checks
from tegotae.checks import Array
from tegotae.hybrid.bus.bus import Bus
from tegotae.hybrid.bus.messages import FARTHEST, LATEST, REMEDY, SOONEST, Judge

Rows = NDArray[np.void]  # structured, a row a tick

_POSE, _TWIST, _WRENCH = "m, then unit quaternion (w, x, y, z)", "m/s, then rad/s", "N, then N·m"

# Name -> how many numbers of which type, unit, meaning; the logs tell them too.
FIELDS: dict[str, tuple[str, str, str]] = {
    "time": ("<i8", "ns", "of the node's own monotonic clock"),
    "tick": ("<i8", "-", "of the node's clock, from 0"),
    "steps": ("<i4", "-", "steps simulated in this tick: 0 while it waits, above 1 after skipped ticks"),
    "simulated": ("<f8", "s", "simulated time"),
    "fresh": ("<i4", "-", "1 if a measurement came in"),
    "label": ("<f8", "s", "simulated time of the command that was obeyed"),
    "felt_pose": ("7<f8", _POSE, "of the moving part, at the sample of the force"),
    "felt_twist": ("6<f8", _TWIST, "of the moving part, at the sample of the force"),
    "felt_wrench": ("6<f8", _WRENCH, "on the moving part, as measured"),
    "felt_onset": ("7<f8", _POSE, "where the contact began, as measured"),
    "felt_state": ("<i8", "flags", "State of the table"),
    "pose": ("7<f8", _POSE, "of the moving part; the surface faces down, at z = 0 for the dynamics"),
    "twist": ("6<f8", _TWIST, "of the moving part"),
    "wrench": ("6<f8", _WRENCH, "on the moving part: as applied to the bodies (dynamics), as measured (table)"),
    "compensated": ("6<f8", _WRENCH, "on the moving part, before the guard"),
    "energy": ("<f8", "J", "kinetic energy of the bodies"),
    "budget": ("<f8", "J", "what the guard still allows"),
    "removed": ("<f8", "J", "what the guard took so far"),
    "delay": ("<f8", "s", "of the loop, as identified"),
    "stiffness": ("<f8", "N/m", "of the contact, as identified"),
    "damping": ("<f8", "N·s/m", "of the contact, as identified"),
    "state": ("<i8", "flags", "State of the node"),
    "lateness": ("<f8", "s", "of the tick's beginning"),
    "offset": ("<f8", "s", "the peer's clock minus the node's"),
    "age": ("<f8", "s", "since the newest command came in"),
    "command": ("7<f8", _POSE, "sent to the device"),
    "signal": ("6<f8", "as the sensor gives it", "raw signals of the force sensor"),
    "joint_margin": ("<f8", "rad or m", "to the nearest joint limit"),
    "singularity": ("<f8", "-", "distance to the nearest singular pose"),
}


def _row(names: str) -> np.dtype[np.void]:
    return np.dtype([(name, FIELDS[name][0]) for name in names.split()])


# A row of the dynamics node.
DYNAMICS = _row(
    "time tick steps simulated fresh label felt_pose felt_twist felt_wrench felt_onset felt_state pose twist "
    "wrench compensated energy budget removed delay stiffness damping state lateness offset"
)

# A row of the table node, or of the process of a simulated device.
TABLE = _row("time tick label age command pose twist signal wrench state joint_margin singularity lateness")

_STEPS = 10_000  # simulated in one tick

# Who records -> its rows.
KINDS = {"dynamics": DYNAMICS, "table": TABLE, "device": TABLE}


def refuse_rows(owner: str, rows: Rows) -> None:
    """Refuse rows whose times, counts or clocks cannot be true; what was measured or computed may be NaN."""
    if unbelievable(rows).any():
        checks.refuse(owner, "times, ticks, steps or clocks of a row are out of range.", REMEDY)
    if "simulated" in (rows.dtype.names or ()) and not (np.abs(rows["simulated"]) <= FARTHEST).all():
        checks.refuse(owner, f"the simulated time of a row is not finite, or beyond {FARTHEST:g} s.", REMEDY)


def unbelievable(rows: Rows) -> NDArray[np.bool_]:
    """Which rows have a time, a tick, a count of steps or a clock that cannot be true."""
    bad = np.zeros(rows.size, dtype=bool)
    for name, low, high in (("time", SOONEST, LATEST), ("tick", 0, LATEST), ("steps", 0, _STEPS)):
        if name in (rows.dtype.names or ()):
            bad |= (rows[name] < low) | (rows[name] > high)
    if "offset" in (rows.dtype.names or ()):
        bad |= np.isfinite(rows["offset"]) & ~(np.abs(rows["offset"]) <= FARTHEST)
    return bad


MAGIC = b"TGTB"
VERSION = 1
_HEADER = Struct("<4sBBBxQQQII8s")
_ANEW = "Install the same version of tegotae for all nodes."
_LONGEST = 255  # bytes of a name
_STATUS = 500_000_000  # ns between two
_COUNTED = 1 << 48  # rows that a node can have recorded
_NODES = 64  # that one reader counts: more names than there can be nodes are made up


class RowBlock(NamedTuple):
    """Rows of one node."""

    node: str  # that recorded them
    kind: str  # of the rows, such as "dynamics"
    birth: int  # a number drawn by the writer; a node that is started again has another
    number: int  # of the block, from 0
    first: int  # sequence number of the first row, from 0
    rows: Rows  # a structured array


@lru_cache(maxsize=64)
def fingerprint(dtype: np.dtype[Any]) -> bytes:
    """Eight bytes that tell one kind of rows from another: names, types, shapes and order of the fields."""
    return hashlib.blake2b(repr(dtype.descr).encode(), digest_size=8).digest()


def pack(block: RowBlock) -> bytes:
    """A block as bytes."""
    node, kind = block.node.encode(), block.kind.encode()
    rows, dtype = block.rows, block.rows.dtype
    header = _HEADER.pack(
        MAGIC, VERSION, len(node), len(kind), block.birth, block.number, block.first, rows.size, dtype.itemsize,
        fingerprint(dtype),
    )  # fmt: skip
    return b"".join((header, node, kind, rows.tobytes()))


def unpack(payload: bytes, dtype: np.dtype[Any]) -> RowBlock:
    """The block in these bytes, its rows read-only; an InputError if they hold none, or one with other rows."""
    owner, remedy = "block", "Publish rows by a BlockWriter."
    if len(payload) < _HEADER.size:
        checks.refuse(owner, f"{len(payload)} bytes are too few for a header.", remedy)
    magic, version, node, kind, birth, number, first, count, size, mark = _HEADER.unpack_from(payload)
    if magic != MAGIC:
        checks.refuse(owner, f"it begins with {magic!r}.", remedy)
    if version != VERSION:
        checks.refuse(owner, f"it is of version {version}, this reader of {VERSION}.", _ANEW)
    names = _HEADER.size + node
    begin = names + kind
    if len(payload) != begin + count * size:
        checks.refuse(owner, f"it has {len(payload)} bytes where {begin + count * size} are announced.", remedy)
    try:
        who, what = payload[_HEADER.size : names].decode(), payload[names:begin].decode()
    except UnicodeDecodeError as error:
        checks.refuse(owner, f"its names are not text ({error}).", remedy)
    if size != dtype.itemsize or mark != fingerprint(dtype):
        checks.refuse(owner, f"the {what!r} rows of node {who!r} have other fields than this reader knows.", _ANEW)
    return RowBlock(who, what, birth, number, first, np.frombuffer(payload, dtype, count, begin))


class BlockWriter:
    """Collects a row a tick and publishes them by the block; between blocks it neither allocates arrays nor sends.

    The last word of the topic is the kind of the rows. So many rows (`every`) are a block: 25 are 50 ms at a period of
    2 ms. A birth tells this writer from one before of the same node; None draws a random number.
    """

    def __init__(
        self, bus: Bus, topic: str, dtype: np.dtype[Any], *, node: str, every: int = 25, birth: int | None = None
    ) -> None:
        owner = "BlockWriter"
        self._bus, self._topic, self._node = bus, topic, node
        self._kind = topic.rsplit("/", 1)[-1]
        for name, value in (("node", self._node), ("kind", self._kind)):
            if not 0 < len(value.encode()) <= _LONGEST:
                checks.refuse(owner, f"{name}={value!r} must have 1 to {_LONGEST} bytes.", "Give a short name.")
        count = checks.whole(owner, "every", every, 1, "Give the rows of a block, such as every=25.")
        self._rows: Rows = np.zeros(count, dtype)
        self._birth = secrets.randbits(64) if birth is None else birth
        self._filled = self._blocks = 0
        self.written = 0  # rows that are published

    def put(self, *values: object) -> None:
        """The fields of a row, in order; with the last row of a block, publish."""
        self._rows[self._filled] = values
        self._filled += 1
        if self._filled == self._rows.size:
            self.flush()

    def flush(self) -> None:
        """Publish what waits, if anything does; a node calls it at its end."""
        if self._filled:
            rows = self._rows[: self._filled]
            block = RowBlock(self._node, self._kind, self._birth, self._blocks, self.written, rows)
            self._bus.publish(self._topic, pack(block))
            self._blocks += 1
            self.written += self._filled
            self._filled = 0


class Reporter(BlockWriter):
    """Publishes all that one node says; its birth is given for runs that must be the same bit for bit."""

    def __init__(self, bus: Bus, node: str, dtype: np.dtype[Any], *, birth: int | None = None) -> None:
        super().__init__(bus, f"{bus.session}/rows/{node}", dtype, node=node, birth=birth)
        self._next = 0

    def configuration(self, simulated: float, q: Array) -> None:
        """Publish the model's configuration q at a simulated time [s], for viewers."""
        numbers = np.concatenate([[simulated], q]).astype("<f8")
        self._bus.publish(f"{self._bus.session}/configuration", numbers.tobytes())

    def event(self, time: int, level: str, text: str, kind: str = "") -> None:
        """Something that happened, at a time of the node's clock [ns]; level, words and kind as in `NodeEvent`."""
        event = {"time": time, "node": self._node, "level": level, "text": text, "kind": kind}
        self._bus.publish(f"{self._bus.session}/events", json.dumps(event).encode())

    def status(self, time: int, say: Callable[[], Mapping[str, Any]]) -> None:
        """Publish what the node says of itself, if it is time to."""
        if time < self._next:
            return
        self._next = time + _STATUS
        status = {"time": time, "node": self._node, **say()}
        if others := self._bus.versions():
            status["words"] = [*status.get("words", ()), *others]
        self._bus.publish(f"{self._bus.session}/status/{self._node}", json.dumps(status).encode())

    def finish(self, time: int, status: Mapping[str, Any]) -> None:
        """The last rows and the last status, which says that it ended as it should."""
        self.flush()
        self._next = time
        self.status(time, lambda: {**status, "ended": True})


@dataclass(slots=True)
class BlockCounts:
    """What a reader had from one node."""

    blocks: int = 0  # that came in
    rows: int = 0  # in them
    lost_blocks: int = 0  # missing between those that came in
    lost_rows: int = 0  # in them
    before: int = 0  # rows that the node had published before the first that came in; those are not counted as lost
    repeated: int = 0  # blocks that came in again, or after a later one; they are not handed on
    restarts: int = 0  # how often the node began anew


class BlockReader(Judge):
    """Unpacks blocks, checks them, hands sound ones on, and counts what is missing. Give it to `Bus.subscribe`."""

    kind = "payloads"

    def __init__(self, dtype: np.dtype[Any], take: Callable[[RowBlock], None]) -> None:
        super().__init__()
        self._dtype, self._take = dtype, take
        self._next: dict[str, tuple[int, int, int]] = {}  # node -> birth, number and first row of the next block
        self.counts: dict[str, BlockCounts] = {}

    def __call__(self, topic: str, payload: bytes) -> None:
        """One payload, as a bus gives it."""
        self.taken(topic, lambda: self._hear(unpack(payload, self._dtype)))

    def _hear(self, block: RowBlock) -> None:
        """Hand it on if it is new; refuse what is well formed and cannot be true."""
        owner, node, remedy = "block", f"node {block.node!r:.40}", "Publish rows by a BlockWriter."
        if block.node not in self.counts and len(self.counts) >= _NODES:
            checks.refuse(owner, f"with {node} there are more than {_NODES}.", "Name each node once.")
        if not block.rows.size or block.number >= _COUNTED or block.first >= _COUNTED:
            problem = f"block {block.number} of {node}, {block.rows.size} rows from {block.first} on: out of range."
            checks.refuse(owner, problem, remedy)
        refuse_rows(owner, block.rows)
        if self._counted(block):
            self._take(block)

    def _counted(self, block: RowBlock) -> bool:
        """Whether it is new."""
        counts = self.counts.setdefault(block.node, BlockCounts())
        birth, number, first = self._next.get(block.node, (block.birth, block.number, block.first))
        if not counts.blocks:
            counts.before = block.first
        elif block.birth != birth:
            counts.restarts += 1
            number = first = 0
        if block.number < number or block.first < first:
            counts.repeated += 1
            return False
        counts.blocks += 1
        counts.rows += block.rows.size
        counts.lost_blocks += block.number - number
        counts.lost_rows += block.first - first
        self._next[block.node] = block.birth, block.number + 1, block.first + block.rows.size
        return True

    def problems(self) -> list[str]:
        """What is missing or was refused, in words."""
        problems = []
        for node, seen in self.counts.items():
            if seen.lost_rows:
                problems.append(f"{seen.lost_blocks} blocks of node {node!r} with {seen.lost_rows} rows are lost")
            if seen.repeated:
                problems.append(f"{seen.repeated} blocks of node {node!r} came again or too late")
        return problems + super().problems()
