"""Everything between nodes that is not the fast link: who is there, parameters, what viewers and logs need.

A topic is words joined by "/", and begins with the name of the session. Whoever subscribes first and declares itself
afterwards misses nothing of those who wait until they see it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection
from typing import Protocol, Self

import tegotae
from tegotae import checks
from tegotae.errors import InputError

PROTOCOL = 2  # of what is said on the bus; counts up when an older node would misunderstand

About = dict[str, object]
Take = Callable[[str, bytes], None]
Reply = Callable[[bytes], bytes]

_WORD = re.compile(r"[A-Za-z0-9_.\-]+")
_WORDS = "Use letters, digits, '_', '-' and '.'"
_LOOK = 0.01  # s, between looks for a node


class Bus(Protocol):
    """What real and virtual runs share: publish, subscribe, ask, and know who is there.

    Example:
        >>> from tegotae.hybrid.bus.bus import Bus, MemoryBus
        >>> bus: Bus = MemoryBus("demo")
        >>> bus.ask("demo/parameters/table") is None
        True
    """

    @property
    def session(self) -> str:
        """Its name: the first word of every topic."""

    def publish(self, topic: str, payload: bytes) -> None:
        """Hand on to all who subscribed; never waits for them."""

    def subscribe(self, topic: str, take: Take) -> None:
        """Have `take(topic, payload)` called, perhaps in another thread. A topic may end in "/**" for all below."""

    def declare(self, node: str, about: About) -> None:
        """A node is here until it leaves or dies; the version of tegotae is told with what is given, as JSON."""

    def leave(self, node: str) -> None:
        """Leave the session: the others no longer see this node."""

    def nodes(self) -> dict[str, About]:
        """Who is here now, and what each told of itself."""

    def answer(self, topic: str, reply: Reply) -> None:
        """Answer those who ask at this topic, perhaps in another thread. An InputError is told to the asker."""

    def ask(self, topic: str, payload: bytes = b"", timeout: float = 1.0) -> bytes | None:
        """The answer, None if nobody gives one in time [s]; an InputError with the message of the node that refused."""

    def meet(self, nodes: Collection[str], timeout: float) -> list[str]:
        """Wait [s] until they are all here; returns who is missing and why, in words, else nothing."""

    def versions(self) -> list[str]:
        """Nodes of another version than ours that came, in words. Quick enough for a loop."""

    def problems(self) -> list[str]:
        """What is wrong, in words: other versions, refused peers, foreign messages. Too slow for a loop."""

    def close(self) -> None:
        """Leave with all nodes declared here; nothing is heard afterwards."""


def checked_word(owner: str, name: str, value: str) -> str:
    """A name of a session or a node."""
    if not isinstance(value, str) or not _WORD.fullmatch(value):
        checks.refuse(owner, f"{name}={checks.shown(value)} is not one word.", f"{_WORDS}, such as {name}='table'.")
    return value


def checked_topic(owner: str, session: str, topic: str, *, pattern: bool = False) -> str:
    """A topic of a session, which may end in "/**" if it is a pattern."""
    words = topic.split("/") if isinstance(topic, str) else []
    named = words[:-1] if pattern and words[-1:] == ["**"] else words
    if not named or not all(map(_WORD.fullmatch, named)):
        checks.refuse(
            owner, f"topic={checks.shown(topic)} is not made of words.", f"{_WORDS}, with '/' between the words."
        )
    if named[0] != session:
        checks.refuse(owner, f"topic={topic!r} is outside of session {session!r}.", f"Begin it with '{session}/'.")
    return topic


def told(about: About) -> About:
    """What a node tells of itself: what is given, and its versions."""
    own = checks.mapping("Bus", "about", about, "Give a dict of what the node tells of itself.")
    return {"version": tegotae.__version__, "protocol": PROTOCOL, **own}


def mismatches(nodes: dict[str, About]) -> list[str]:
    """Nodes of another version than ours, in words."""
    ours = told({})
    return [
        f"node {node!r} runs tegotae {about.get('version')} (protocol {about.get('protocol')}), this one "
        f"{ours['version']} (protocol {ours['protocol']}). Install the same version for all nodes."
        for node, about in nodes.items()
        if (about.get("version"), about.get("protocol")) != (ours["version"], ours["protocol"])
    ]


def waited_for(bus: Bus, nodes: Collection[str], timeout: float) -> list[str]:
    """Those of the nodes that are not here after this time [s]."""
    end = time.monotonic() + timeout
    while True:
        here = bus.nodes()
        missing = [node for node in nodes if node not in here]
        if not missing or time.monotonic() >= end:
            return missing
        time.sleep(_LOOK)


class _Memory:
    """What buses that meet in one process share, in the order in which it came."""

    def __init__(self) -> None:
        self.takes: list[tuple[MemoryBus, str, Take]] = []
        self.replies: dict[str, tuple[MemoryBus, Reply]] = {}
        self.nodes: dict[str, tuple[MemoryBus, About]] = {}


class MemoryBus:
    """A bus inside one process, for virtual runs: whatever is published is taken before `publish` returns.

    Args:
        session: its name.
        beside: another bus of the session to meet; None begins a new session.

    Example:
        >>> from tegotae.hybrid.bus.bus import MemoryBus
        >>> here = MemoryBus("demo")
        >>> there = MemoryBus("demo", beside=here)
        >>> there.subscribe("demo/events", lambda topic, payload: print(topic, payload))
        >>> here.publish("demo/events", b"contact")
        demo/events b'contact'
        >>> there.declare("table", {})
        >>> list(here.nodes())
        ['table']
        >>> there.answer("demo/parameters/table", lambda asked: asked.upper())
        >>> here.ask("demo/parameters/table", b"kp")
        b'KP'
        >>> there.close()
        >>> list(here.nodes())
        []
    """

    def __init__(self, session: str = "hybrid", *, beside: MemoryBus | None = None) -> None:
        self._session = checked_word("MemoryBus", "session", session)
        if beside is not None:
            checks.instance("MemoryBus", "beside", beside, MemoryBus, "Give another MemoryBus, or None.")
        if beside is not None and beside.session != session:
            checks.refuse(
                "MemoryBus", f"session={session!r}, but the other's is {beside.session!r}.", "Give both the same."
            )
        self._memory: _Memory = _Memory() if beside is None else beside._memory

    @property
    def session(self) -> str:
        """Its name: the first word of every topic."""
        return self._session

    def publish(self, topic: str, payload: bytes) -> None:
        """Hand on to all who subscribed, in the order in which they did."""
        checked_topic("MemoryBus", self._session, topic)
        checks.instance("MemoryBus", "payload", payload, bytes, "Give bytes.")
        for _, pattern, take in tuple(self._memory.takes):
            if topic == pattern or (pattern.endswith("/**") and f"{topic}/".startswith(pattern[:-2])):
                take(topic, payload)

    def subscribe(self, topic: str, take: Take) -> None:
        """Have `take(topic, payload)` called from now on."""
        checked_topic("MemoryBus", self._session, topic, pattern=True)
        checks.function("MemoryBus", "take", take, "Give a function of topic and payload.")
        self._memory.takes.append((self, topic, take))

    def declare(self, node: str, about: About) -> None:
        """A node is here until it leaves, or this bus is closed."""
        self._memory.nodes[checked_word("MemoryBus", "node", node)] = self, told(about)

    def leave(self, node: str) -> None:
        """Leave the session: the others no longer see this node."""
        self._memory.nodes.pop(checked_word("MemoryBus", "node", node), None)

    def nodes(self) -> dict[str, About]:
        """Who is here now, and what each told of itself."""
        return {node: dict(about) for node, (_, about) in self._memory.nodes.items()}

    def answer(self, topic: str, reply: Reply) -> None:
        """Answer those who ask at this topic."""
        checks.function("MemoryBus", "reply", reply, "Give a function of what is asked.")
        self._memory.replies[checked_topic("MemoryBus", self._session, topic)] = self, reply

    def ask(self, topic: str, payload: bytes = b"", timeout: float = 1.0) -> bytes | None:
        """The answer, None if nobody answers at this topic; an InputError with the message of the node that refused."""
        checks.at_least_zero("MemoryBus", "timeout", timeout, "s", "Give how long to wait.")
        found = self._memory.replies.get(checked_topic("MemoryBus", self._session, topic))
        if found is None:
            return None
        try:
            return found[1](payload)
        except InputError as error:
            raise InputError(refused(topic, str(error))) from error

    def meet(self, nodes: Collection[str], timeout: float) -> list[str]:
        """Who is missing, in words; virtual time does not pass by waiting."""
        checks.at_least_zero("MemoryBus", "timeout", timeout, "s", "Give how long to wait.")
        wanted = checks.texts("MemoryBus", "nodes", nodes, "Give a list of names of nodes.")
        return [f"node {node!r} is not here" for node in waited_for(self, wanted, 0.0)]

    def versions(self) -> list[str]:
        """Nodes of another version than ours that are here, in words."""
        return mismatches(self.nodes())

    def problems(self) -> list[str]:
        """What is wrong, in words."""
        return self.versions()

    def close(self) -> None:
        """Leave with all nodes declared here; nothing is heard or answered by this one afterwards."""
        memory = self._memory
        memory.takes = [it for it in memory.takes if it[0] is not self]
        memory.replies = {topic: it for topic, it in memory.replies.items() if it[0] is not self}
        memory.nodes = {node: it for node, it in memory.nodes.items() if it[0] is not self}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def refused(topic: str, words: str) -> str:
    """What an asker is told of a refusal."""
    return f"{topic} refused: {words}"
