"""What a node says beside its fast link: rows by the block, configurations, events, its status twice a second.

And what people ask of a table over the bus: to stop, which always passes, and to obey again, which passes once. Every
message is sealed with the key, but a sealed message can be recorded and sent again. A stop may be: it hurts nobody. A
re-arm must not: so whoever asks for one first fetches a number that the table draws for this one time, and sends it
back with the request. The number is good once and for some seconds; no clocks need to agree.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tegotae import checks
from tegotae.checks import Array
from tegotae.errors import InputError
from tegotae.hybrid.bus.bus import Bus
from tegotae.hybrid.bus.messages import object_of
from tegotae.hybrid.bus.rows import BlockWriter

if TYPE_CHECKING:
    from tegotae.hybrid.clocks.clock import NodeClock
    from tegotae.hybrid.links.link import NodeLink
    from tegotae.hybrid.links.packets import NodeState

DONE = "the simulation has finished"  # why a dynamics node stops the table at its end
_STATUS = 500_000_000  # ns between two


def standing(clock: NodeClock, link: NodeLink, state: NodeState) -> dict[str, Any]:
    """What every node tells of itself: deadlines, link, state, and what is wrong in words."""
    return {
        "deadlines": clock.deadlines.summary(),
        "link": link.statistics.summary(),
        "state": int(state),
        "words": [*clock.deadlines.troubles(), *link.statistics.troubles()],
    }


class Reporter:
    """Publishes for one node; its birth, see `BlockWriter`, is 0 for runs that must be the same bit for bit."""

    def __init__(self, bus: Bus, node: str, dtype: np.dtype[Any], *, birth: int | None = None) -> None:
        self._bus, self._node = bus, node
        self._writer = BlockWriter(bus, f"{bus.session}/rows/{node}", dtype, node=node, birth=birth)
        self._next = 0
        self.row = self._writer.put

    def configuration(self, simulated: float, q: Array) -> None:
        """Publish the model's configuration q at a simulated time [s], for viewers."""
        numbers = np.concatenate([[simulated], q]).astype("<f8")
        self._bus.publish(f"{self._bus.session}/configuration", numbers.tobytes())

    def event(self, time: int, level: str, text: str, kind: str = "") -> None:
        """Something that happened, at a time of the node's clock [ns]; level, words and kind as in `NodeEvent`."""
        told = {"time": time, "node": self._node, "level": level, "text": text, "kind": kind}
        self._bus.publish(f"{self._bus.session}/events", json.dumps(told).encode())

    def due(self, time: int) -> bool:
        """Whether it is time for a status."""
        return time >= self._next

    def status(self, time: int, told: Mapping[str, Any]) -> None:
        """Publish what the node says of itself."""
        self._next = time + _STATUS
        told = {"time": time, "node": self._node, **told}
        if others := self._bus.versions():
            told["words"] = [*told.get("words", ()), *others]
        said = json.dumps(told)
        self._bus.publish(f"{self._bus.session}/status/{self._node}", said.encode())

    def finish(self, time: int, told: Mapping[str, Any]) -> None:
        """The last rows and the last status, which says that it ended as it should."""
        self._writer.flush()
        self.status(time, {**told, "ended": True})


_GOOD = 10.0  # s from the drawing of a number to its use
_MOST = 64  # numbers that wait to be used: whoever asks for more makes others ask again
_BYTES = 16
_UNSAID = "asked for over the bus"


class Once:
    """Numbers that are drawn here and come back once, in time."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._drawn: dict[str, float] = {}
        self._lock = threading.Lock()

    def draw(self) -> str:
        """A new number, in hexadecimal digits."""
        number = secrets.token_hex(_BYTES)
        with self._lock:
            while len(self._drawn) >= _MOST:
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
        told = _told(payload)
        if not once.take(str(told.get("number"))):
            what = "the number that came with it was not drawn for it, is too old, or was used before."
            checks.refuse("re-arm", what, "Ask again; if nobody of yours asked, somebody sends recorded messages.")
        rearm()
        return b""

    bus.subscribe(f"{bus.session}/requests/stop", lambda topic, said: stop(_who(_told(said))))
    bus.answer(f"{bus.session}/requests/rearm", asked)


def ask_stop(bus: Bus, node: str, text: str) -> None:
    """Ask the table to come to rest and hold; never waits."""
    told = {"time": time.monotonic_ns(), "node": node, "text": text}
    bus.publish(f"{bus.session}/requests/stop", json.dumps(told).encode())


def ask_rearm(bus: Bus, node: str, text: str, *, timeout: float = 1.0) -> str:
    """Ask the table to obey again; why that was not even heard, in words, or nothing. Its events tell what came of it.

    The timeout is that of each of the two answers [s].
    """
    topic = f"{bus.session}/requests/rearm"
    try:
        number = bus.ask(topic, b"", timeout)
        told = {"node": node, "text": text, "number": "" if number is None else number.decode("ascii", "replace")}
        heard = None if number is None else bus.ask(topic, json.dumps(told).encode(), timeout)
    except InputError as error:
        return str(error)
    return "no table answers" if heard is None else ""


def _told(payload: bytes) -> dict[str, object]:
    """A request to stop is obeyed whatever its text says."""
    try:
        return object_of("request", payload)
    except InputError:
        return {}


def _who(told: dict[str, object]) -> str:
    node, text = told.get("node"), told.get("text")
    return f"{node:.40}: {text:.200}" if isinstance(node, str) and isinstance(text, str) else _UNSAID
