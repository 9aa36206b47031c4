"""What the page knows: everything that came over the bus, kept short, taken from any thread."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from tegotae.checks import Array
from tegotae.hybrid.bus.messages import Judge, configuration_of, event_of, keep_status, object_of
from tegotae.hybrid.bus.rows import DYNAMICS, TABLE, BlockReader, RowBlock
from tegotae.hybrid.links.packets import NodeState

if TYPE_CHECKING:
    from tegotae.hybrid.bus.bus import Bus

EVENTS = 8  # kept
COLUMNS = ("simulated", "measured", "applied", "energy", "budget", "removed", "gap")
_NO_FORCE = np.zeros(3)


class Seen(NamedTuple):
    """The newest of everything.

    Args:
        dynamics: newest row of the dynamics node, or None.
        table: newest row of the table node, or None.
        configuration: q of the model [m, rad], or None.
        simulated: time of the configuration [s].

    Example:
        >>> Seen().contact, Seen().force.tolist()
        (False, [0.0, 0.0, 0.0])
    """

    dynamics: np.void | None = None
    table: np.void | None = None
    configuration: Array | None = None
    simulated: float = 0.0

    @property
    def contact(self) -> bool:
        """Whether the moving part touches, as the dynamics or else the table says."""
        row = self.dynamics if self.dynamics is not None else self.table
        return row is not None and bool(int(row["state"]) & NodeState.CONTACT)

    @property
    def force(self) -> Array:
        """On the moving part, as applied to the bodies or else as measured [N]."""
        row = self.dynamics if self.dynamics is not None else self.table
        if row is None:
            return _NO_FORCE
        force = np.asarray(row["wrench"][0:3], dtype=np.float64)
        return force if np.isfinite(force).all() else _NO_FORCE

    @property
    def pose(self) -> Array | None:
        """Of the moving part against the surface at z = 0 [m, -]; None before the first, or if it is not finite."""
        return self._pose("pose")

    @property
    def felt(self) -> Array | None:
        """The same as the table measured it last; None before the first, or if it is not finite."""
        return self._pose("felt_pose")

    def _pose(self, name: str) -> Array | None:
        if self.dynamics is None:
            return None
        pose = np.asarray(self.dynamics[name], dtype=np.float64)
        # A row is zero where nothing was measured yet; a quaternion never is.
        return pose if np.isfinite(pose).all() and pose[3:7].any() else None


class Feed:
    """Subscribes to a session and keeps the newest, the last seconds, and the last events.

    A configuration is little-endian float64: the simulated time [s], then q. Events and status are JSON.

    Args:
        bus: to listen on.

    Example:
        >>> from tegotae.hybrid.bus.bus import MemoryBus
        >>> bus = MemoryBus("demo")
        >>> feed = Feed(bus)
        >>> bus.publish("demo/events", b'{"time": 0, "node": "table", "level": "info", "text": "tared"}')
        >>> feed.events()[0]["text"]
        'tared'
    """

    window: ClassVar[float] = 10.0  # s of simulated time that are kept for the plots

    def __init__(self, bus: Bus) -> None:
        self._lock = threading.Lock()
        self._seen = Seen()
        self._past: deque[Array] = deque()
        self._events: deque[dict[str, Any]] = deque(maxlen=EVENTS)
        self._status: dict[str, dict[str, Any]] = {}
        self._judge = Judge()
        self._readers = BlockReader(DYNAMICS, self._take_dynamics), BlockReader(TABLE, self._take_table)
        for topic, reader in zip(("rows/dynamics", "rows/table"), self._readers, strict=True):
            bus.subscribe(f"{bus.session}/{topic}", reader)
        self._judge.subscribe(bus, "configuration", self._take_configuration)
        self._judge.subscribe(bus, "events", self._take_event)
        self._judge.subscribe(bus, "status/**", self._take_status)

    # ------------------------------------------------------------ what the page asks

    def seen(self) -> Seen:
        """The newest of everything."""
        with self._lock:
            return self._seen

    def past(self) -> Array:
        """The last seconds, a row a tick: simulated [s], measured and applied push [N], energies [J], gap [m]."""
        with self._lock:
            blocks = list(self._past)
        return np.concatenate(blocks) if blocks else np.zeros((0, len(COLUMNS)))

    def events(self) -> list[dict[str, Any]]:
        """The last few, newest first."""
        with self._lock:
            return list(reversed(self._events))

    def status(self) -> dict[str, dict[str, Any]]:
        """What each node said of itself last."""
        with self._lock:
            return dict(self._status)

    def problems(self) -> list[str]:
        """What was lost or not understood on the way to the page, in words."""
        return [words for judge in (*self._readers, self._judge) for words in judge.problems()]

    # ------------------------------------------------------------ what comes in

    def _take_dynamics(self, block: RowBlock) -> None:
        """Append to the past; one that begins earlier is a new run, and the old one goes."""
        past = _past_of(block.rows)
        with self._lock:
            self._seen = self._seen._replace(dynamics=block.rows[-1])
            if not past.size:
                return
            if self._past and past[0, 0] < self._past[-1][-1, 0]:
                self._past.clear()
            self._past.append(past)
            while self._past[0][-1, 0] < past[-1, 0] - self.window:
                self._past.popleft()

    def _take_table(self, block: RowBlock) -> None:
        with self._lock:
            self._seen = self._seen._replace(table=block.rows[-1])

    def _take_configuration(self, topic: str, payload: bytes) -> None:
        simulated, q = configuration_of(payload)
        with self._lock:
            self._seen = self._seen._replace(simulated=simulated, configuration=q)

    def _take_event(self, topic: str, payload: bytes) -> None:
        event = event_of(object_of("event", payload))
        entry = {key: event[key] for key in ("node", "level", "text")}
        with self._lock:
            self._events.append({**entry, "came": time.strftime("%H:%M:%S")})

    def _take_status(self, topic: str, payload: bytes) -> None:
        with self._lock:
            keep_status(self._status, topic, payload)


def _past_of(block: Any) -> Array:
    """The columns that the plots show, of the ticks that simulated something."""
    moved = block[(block["steps"] > 0) & np.isfinite(block["simulated"])]
    columns = (
        moved["simulated"],
        -moved["felt_wrench"][:, 2],  # the surface faces down: a push on the moving part is along -z
        -moved["wrench"][:, 2],
        moved["energy"],
        moved["budget"],
        moved["removed"],
        -moved["pose"][:, 2],
    )
    return np.column_stack(columns)


def thinned(past: Array, bins: int) -> Array:
    """At most about so many rows of a past: of each stretch the one with the largest force, so that no peak is lost."""
    stride = math.ceil(len(past) / bins) if bins else 1
    if stride <= 1:
        return past
    # Stretches are counted in ticks from the beginning of time, not of the window: else the curve would shimmer.
    tick = np.rint(past[:, 0] / max(float(np.median(np.diff(past[:, 0]))), 1e-9)).astype(np.int64)
    starts = np.flatnonzero(np.diff(tick // stride, prepend=-1))
    size = np.nan_to_num(np.abs(past[:, 1:3]).max(axis=1))
    largest = np.maximum.reduceat(size, starts)
    owner = np.repeat(np.arange(starts.size), np.diff(np.append(starts, len(past))))
    at = np.flatnonzero(size == largest[owner])
    _, first = np.unique(owner[at], return_index=True)
    return np.asarray(past[at[first]])
