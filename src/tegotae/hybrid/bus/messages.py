"""What comes over the bus, or out of a log, is judged before it is used: its form, its types, its size and its range.

A seal says who may speak, not that what is said makes sense. What does not is refused with an InputError, counted and
told; it never ends a node. What happens is told as an event: a level, words for people, a kind for programs.

People ask a table over the bus to stop, which always passes, and to obey again, which passes once. Every message is
sealed with the key, but a sealed message can be recorded and sent again. A stop may be: it hurts nobody. A re-arm must
not: so whoever asks for one first fetches a number that the table draws for this one time, and sends it back with the
request. The number is good once and for some seconds; no clocks need to agree.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable
from math import isfinite
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
FINISHED = "finished"  # a dynamics node came to its end: the kind of that event, and how its last words begin
DONE = "the simulation has finished"  # why a dynamics node stops the table at its end
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
_GOOD = 10.0  # s from the drawing of a number to its use
_WAITING = 64  # numbers that wait to be used: whoever asks for more makes others ask again
REMEDY = "Publish it by a node of this version of tegotae."


def object_of(what: str, payload: bytes) -> dict[str, Any]:
    """A JSON object: plain values, whole numbers of 64 bits, text that can be written; not finite becomes None."""
    if len(payload) > _MOST:
        checks.refuse(what, f"it has {len(payload)} bytes, above {_MOST}.", REMEDY)
    try:
        content = json.loads(
            payload, parse_constant=lambda _: None, parse_float=lambda text: it if isfinite(it := float(text)) else None
        )
    except (ValueError, RecursionError) as error:
        raise InputError(f"{what}: it is not JSON ({error}).\n  {REMEDY}") from error
    if not isinstance(content, dict):
        checks.refuse(what, f"it is {type(content).__name__}, not a table of names.", REMEDY)
    waiting: list[tuple[Any, int]] = [(content, 0)]
    while waiting:
        value, depth = waiting.pop()
        if depth > _DEEPEST:
            checks.refuse(what, f"its tables and lists are more than {_DEEPEST} inside each other.", REMEDY)
        if isinstance(value, str):
            _refuse_unwritable(what, value)
        elif isinstance(value, int) and not -(1 << 63) <= value < 1 << 64:
            checks.refuse(what, f"it holds a whole number of {value.bit_length()} bits.", REMEDY)
        elif isinstance(value, dict):
            waiting += [(one, depth + 1) for pair in value.items() for one in pair]
        elif isinstance(value, list):
            waiting += [(one, depth + 1) for one in value]
    return content


def _refuse_unwritable(what: str, text: str) -> None:
    if len(text) > _LONGEST:
        checks.refuse(what, f"a text has {len(text)} characters, above {_LONGEST}.", REMEDY)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{what}: a text cannot be written ({error.reason}).\n  {REMEDY}") from error


def event_of(message: dict[str, Any]) -> dict[str, Any]:
    """Something that happened: "time" [ns], "node", "level", "text", "kind" ("" unless given), and no more."""
    when = message.get("time")
    if isinstance(when, bool) or not isinstance(when, int) or not SOONEST <= when <= LATEST:
        checks.refuse("event", f"time={checks.shown(when)} is not a time in ns.", REMEDY)
    event: dict[str, Any] = {"time": when}
    for name in ("node", "level", "text", "kind"):
        event[name] = text = message.get(name, "" if name == "kind" else None)
        if not isinstance(text, str):
            checks.refuse("event", f"{name}={text!r:.40} is not a text.", REMEDY)
        _refuse_unwritable("event", text)
    if event["level"] not in LEVELS:
        checks.refuse("event", f"level={event['level']!r:.40}.", f"Give one of {', '.join(LEVELS)}.")
    return event


def status_of(message: dict[str, Any]) -> dict[str, Any]:
    """What a node tells of itself; "state" is a whole number, "words" are texts, "deadlines" and "link" are tables."""
    state, words = message.get("state", 0), message.get("words", [])
    if isinstance(state, bool) or not isinstance(state, int):
        checks.refuse("status", f"state={state!r:.40} is not a whole number.", REMEDY)
    if not isinstance(words, list) or not all(isinstance(one, str) for one in words):
        checks.refuse("status", "words are not a list of texts.", REMEDY)
    for name in ("deadlines", "link"):
        counts = message.get(name, {})
        # type, not isinstance: a flag is no count
        if not isinstance(counts, dict) or not all(type(one) in (int, float, NoneType) for one in counts.values()):
            checks.refuse("status", f"{name} is not a table of numbers.", REMEDY)
    return message


def keep_status(kept: dict[str, dict[str, Any]], topic: str, payload: bytes) -> str:
    """Keep what the node named by a topic tells of itself, and return its name."""
    status, node = status_of(object_of("status", payload)), topic.rpartition("/")[2]
    if node not in kept and len(kept) >= _NODES:
        checks.refuse("status", f"with node {node!r:.40} there are more than {_NODES}.", "Name each node once.")
    kept[node] = status
    return node


def configuration_of(payload: bytes) -> tuple[float, Array]:
    """The simulated time [s] and q [m, rad, -], little-endian float64."""
    if len(payload) % 8 or not 8 < len(payload) <= 8 * (_COORDINATES + 1):
        checks.refuse("configuration", f"{len(payload)} bytes are not a time and coordinates.", REMEDY)
    numbers = np.frombuffer(payload, "<f8")
    beyond = np.isfinite(numbers) & ~(np.abs(numbers) <= _LARGEST)  # what diverged may be NaN, which viewers know
    if beyond.any() or not abs(float(numbers[0])) <= FARTHEST:
        checks.refuse("configuration", f"a number is larger than {_LARGEST:g}, or its time is not finite.", REMEDY)
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


class Once:
    """Numbers that are drawn here and come back once, in time."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._drawn: dict[str, float] = {}
        self._lock = threading.Lock()

    def draw(self) -> str:
        """A new number, in hexadecimal digits."""
        number = secrets.token_hex(16)
        with self._lock:
            while len(self._drawn) >= _WAITING:
                self._drawn.pop(next(iter(self._drawn)))
            self._drawn[number] = self._now()
        return number

    def take(self, number: str) -> bool:
        """Whether it was drawn here, not long ago, and comes back for the first time."""
        with self._lock:
            drawn = self._drawn.pop(number, None)
        return drawn is not None and self._now() - drawn <= _GOOD


def take_requests(
    bus: Bus, *, stop: Callable[[str], None], rearm: Callable[[], None], now: Callable[[], float] = time.monotonic
) -> None:
    """Have a table hear what is asked of it: stop is called with who asks for it and why, in a thread of the bus."""
    once = Once(now)

    def asked(payload: bytes) -> bytes:
        if not payload:
            return once.draw().encode()
        request = _request_of(payload)
        if not once.take(str(request.get("number"))):
            what = "the number that came with it was not drawn for it, is too old, or was used before."
            checks.refuse("re-arm", what, "Ask again. If none of your nodes asked, somebody sends recorded messages.")
        rearm()
        return b""

    bus.subscribe(f"{bus.session}/requests/stop", lambda topic, payload: stop(_who(_request_of(payload))))
    bus.answer(f"{bus.session}/requests/rearm", asked)


def ask_stop(bus: Bus, node: str, text: str) -> None:
    """Ask the table to come to rest and hold; never waits."""
    request = {"time": time.monotonic_ns(), "node": node, "text": text}
    bus.publish(f"{bus.session}/requests/stop", json.dumps(request).encode())


def ask_rearm(bus: Bus, node: str, text: str, *, timeout: float = 1.0) -> str:
    """Ask the table to obey again; why that was not even heard, in words, or nothing. Its events tell what came of it.

    The timeout is that of each of the two answers [s].
    """
    topic = f"{bus.session}/requests/rearm"
    try:
        number = bus.ask(topic, b"", timeout)
        request = {"node": node, "text": text, "number": "" if number is None else number.decode("ascii", "replace")}
        heard = None if number is None else bus.ask(topic, json.dumps(request).encode(), timeout)
    except InputError as error:
        return str(error)
    return "no table answers" if heard is None else ""


def _request_of(payload: bytes) -> dict[str, object]:
    """A request to stop is obeyed whatever its text says."""
    try:
        return object_of("request", payload)
    except InputError:
        return {}


def _who(request: dict[str, object]) -> str:
    node, text = request.get("node"), request.get("text")
    return f"{node:.40}: {text:.200}" if isinstance(node, str) and isinstance(text, str) else "asked for over the bus"
