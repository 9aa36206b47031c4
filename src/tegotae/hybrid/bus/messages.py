"""What comes over the bus, or out of a log, is judged before it is used: its form, its types, its size and its range.

A seal says who may speak, not that what is said makes sense. What does not is refused with an InputError, counted and
told; it never ends a node. What happens is told as an event: a level, words for people, a kind for programs.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from types import NoneType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tegotae import checks
from tegotae.checks import Array
from tegotae.errors import InputError
from tegotae.hybrid.bus.bus import Bus, Take

LATE = "late"  # a table came to rest because somebody was late, and for no other reason
REARMED = "re-armed"  # a table left its latch
REARM = "re-arm"  # it was asked to; at level "warning" it did not, and the words say why
STOP = "stop"  # it was told to stop
FINISHED = "finished"  # a dynamics node came to its end; so its last words begin, too
TROUBLES = frozenset(  # what brings a table to rest, or is told of one that rests; all but LATE need a person's look
    {
        LATE, STOP, "emergency", "fault", "age", "command", "reading", "jump", "speed", "outside", "sensor", "overload",
        "wall",
    }
)  # fmt: skip


class NodeEvent(NamedTuple):
    """Something that happened."""

    level: str  # "info", "warning" or "trip"
    text: str  # in words
    kind: str = ""  # of it, in a word; "" where no program acts on it


LEVELS = ("info", "warning", "trip")
SOONEST, LATEST = 1 - (1 << 62), (1 << 62) - 1  # ns: no clock shows more, and sums of two still fit 64 bits
FARTHEST = 5e9  # s between two clocks
_MOST = 1 << 20  # bytes of a message in words
_DEEPEST = 16  # tables and lists inside each other
_LONGEST = 10_000  # characters of a text
_COORDINATES = 10_000  # of a configuration
_LARGEST = 1e15  # of a coordinate [m, rad, -]
_NODES = 64  # whose status is kept: more names than there can be nodes are made up
WAY = "Publish it by a node of this version of tegotae."


def object_of(what: str, payload: bytes) -> dict[str, Any]:
    """A JSON object: plain values, whole numbers of 64 bits, text that can be written; not finite becomes None."""
    if len(payload) > _MOST:
        checks.refuse(what, f"it has {len(payload)} bytes, above {_MOST}.", WAY)
    try:
        told = json.loads(payload, parse_constant=lambda _: None, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{what}: it is no JSON ({error}).\n  {WAY}") from error
    if not isinstance(told, dict):
        checks.refuse(what, f"it is {type(told).__name__}, not a table of names.", WAY)
    waiting: list[tuple[Any, int]] = [(told, 0)]
    while waiting:
        value, depth = waiting.pop()
        if depth > _DEEPEST:
            checks.refuse(what, f"its tables and lists are more than {_DEEPEST} inside each other.", WAY)
        if isinstance(value, str):
            _refuse_unwritable(what, value)
        elif isinstance(value, int) and not -(1 << 63) <= value < 1 << 64:
            checks.refuse(what, f"it holds a whole number of {value.bit_length()} bits.", WAY)
        elif isinstance(value, dict):
            waiting += [(one, depth + 1) for pair in value.items() for one in pair]
        elif isinstance(value, list):
            waiting += [(one, depth + 1) for one in value]
    return told


def _finite(text: str) -> float | None:
    value = float(text)
    return value if math.isfinite(value) else None


def _refuse_unwritable(what: str, text: str) -> None:
    if len(text) > _LONGEST:
        checks.refuse(what, f"a text has {len(text)} characters, above {_LONGEST}.", WAY)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{what}: a text cannot be written ({error.reason}).\n  {WAY}") from error


def event_of(told: dict[str, Any]) -> dict[str, Any]:
    """Something that happened: "time" [ns], "node", "level", "text", "kind" ("" unless given), and no more."""
    time = told.get("time")
    if isinstance(time, bool) or not isinstance(time, int) or not SOONEST <= time <= LATEST:
        checks.refuse("event", f"time={checks.shown(time)} is no time in ns.", WAY)
    event: dict[str, Any] = {"time": time}
    for name in ("node", "level", "text", "kind"):
        event[name] = text = told.get(name, "" if name == "kind" else None)
        if not isinstance(text, str):
            checks.refuse("event", f"{name}={text!r:.40} is no text.", WAY)
        _refuse_unwritable("event", text)
    if event["level"] not in LEVELS:
        checks.refuse("event", f"level={event['level']!r:.40}.", f"Give one of {', '.join(LEVELS)}.")
    return event


def status_of(told: dict[str, Any]) -> dict[str, Any]:
    """What a node tells of itself; "state" is a whole number, "words" are texts, "deadlines" and "link" are tables."""
    state, words = told.get("state", 0), told.get("words", [])
    if isinstance(state, bool) or not isinstance(state, int):
        checks.refuse("status", f"state={state!r:.40} is no whole number.", WAY)
    if not isinstance(words, list) or not all(isinstance(one, str) for one in words):
        checks.refuse("status", "words are no list of texts.", WAY)
    for name in ("deadlines", "link"):
        counts = told.get(name, {})
        # type, not isinstance: a flag is no count
        if not isinstance(counts, dict) or not all(type(one) in (int, float, NoneType) for one in counts.values()):
            checks.refuse("status", f"{name} is no table of numbers.", WAY)
    return told


def keep_status(kept: dict[str, dict[str, Any]], topic: str, payload: bytes) -> str:
    """Keep what the node named by a topic tells of itself, and return its name."""
    told, node = status_of(object_of("status", payload)), topic.rpartition("/")[2]
    if node not in kept and len(kept) >= _NODES:
        checks.refuse("status", f"node {node!r:.40} is one too many.", "Name each node once.")
    kept[node] = told
    return node


def configuration_of(payload: bytes) -> tuple[float, Array]:
    """The simulated time [s] and q [m, rad, -], little-endian float64."""
    if len(payload) % 8 or not 8 < len(payload) <= 8 * (_COORDINATES + 1):
        checks.refuse("configuration", f"{len(payload)} bytes are no time and coordinates.", WAY)
    numbers = np.frombuffer(payload, "<f8")
    beyond = np.isfinite(numbers) & ~(np.abs(numbers) <= _LARGEST)  # what diverged may be NaN, which viewers know
    if beyond.any() or not abs(float(numbers[0])) <= FARTHEST:
        checks.refuse("configuration", "a number is beyond all measure, or its time is not finite.", WAY)
    return float(numbers[0]), numbers[1:]


class Judge:
    """Has messages taken, and counts those that were refused."""

    kind: ClassVar[str] = "messages"

    def __init__(self) -> None:
        self.refused = 0
        self.words = ""  # why the last was

    def subscribe(self, bus: Bus, topic: str, take: Take) -> None:
        """Have `take(topic, payload)` called for all that comes at a topic of the session: none ends who listens."""
        bus.subscribe(f"{bus.session}/{topic}", lambda at, payload: self.taken(at, lambda: take(at, payload)))

    def taken(self, topic: str, take: Callable[[], object]) -> None:
        """Take one; whatever it holds, nothing is raised but what a disk says."""
        try:
            take()
        except InputError as error:
            self.refused += 1
            self.words = f"{topic}: {error}".splitlines()[0]

    def problems(self) -> list[str]:
        """What was refused, in words."""
        return [f"{self.refused} {self.kind} were refused; the last: {self.words}"] if self.refused else []
