"""Everything between nodes that is not the fast link: who is there, parameters, what viewers and logs need.

A topic is words joined by "/", and begins with the name of the session. Whoever subscribes first and declares itself
afterwards misses nothing of those who wait until they see it.
"""

from __future__ import annotations

import re
import time
from abc import abstractmethod
from collections.abc import Callable, Collection
from typing import Any, ClassVar

import tegotae
from tegotae import checks
from tegotae.errors import InputError
from tegotae.hybrid.closable import Closable

PROTOCOL = 2  # of what is said on the bus; counts up when an older node would misunderstand

About = dict[str, object]
Take = Callable[[str, bytes], None]
Reply = Callable[[bytes], bytes]

_WORD = re.compile(r"[A-Za-z0-9_.\-]+")
_WORDS = "Use letters, digits, '_', '-' and '.'"
_POLL_PERIOD = 0.01  # s, between looks for a node


def checked_word(owner: str, name: str, value: str) -> str:
    """A name of a session or a node."""
    if not isinstance(value, str) or not _WORD.fullmatch(value):
        checks.refuse(owner, f"{name}={checks.shown(value)} is not one word.", f"{_WORDS}, such as {name}='table'.")
    return value


def with_versions(about: About) -> About:
    """What a node tells of itself: what is given, and its versions."""
    given = checks.mapping("Bus", "about", about, "Give a dict of what the node tells of itself.")
    return {"version": tegotae.__version__, "protocol": PROTOCOL, **given}


def mismatches(nodes: dict[str, About]) -> list[str]:
    """Nodes of another version than ours, in words."""
    ours = with_versions({})
    return [
        f"node {node!r} runs tegotae {about.get('version')} (protocol {about.get('protocol')}), this one "
        f"{ours['version']} (protocol {ours['protocol']}). Install the same version for all nodes."
        for node, about in nodes.items()
        if (about.get("version"), about.get("protocol")) != (ours["version"], ours["protocol"])
    ]


class Bus(Closable):
    """What real and virtual runs share: publish, subscribe, ask, and know who is there.

    Args:
        session: its name, the first word of every topic.

    Example:
        >>> from tegotae.hybrid.bus.bus import Bus, MemoryBus
        >>> bus: Bus = MemoryBus("demo")
        >>> bus.ask("demo/parameters/table") is None
        True
    """

    _waits: ClassVar[bool] = True  # whether somebody may come while this process waits

    def __init__(self, session: str) -> None:
        self._owner = type(self).__name__
        self.session = checked_word(self._owner, "session", session)

    def publish(self, topic: str, payload: bytes) -> None:
        """Hand on to all who subscribed; never waits for them."""
        self._checked(topic)
        self._publish(topic, checks.instance(self._owner, "payload", payload, bytes, "Give bytes."))

    def subscribe(self, topic: str, take: Take) -> None:
        """Have `take(topic, payload)` called, perhaps in another thread. A topic may end in "/**" for all below."""
        self._checked(topic, pattern=True)
        self._subscribe(topic, checks.function(self._owner, "take", take, "Give a function of topic and payload."))

    def declare(self, node: str, about: About) -> None:
        """A node is here until it leaves or dies; the version of tegotae is told with what is given, as JSON."""
        self._declare(checked_word(self._owner, "node", node), with_versions(about))

    def leave(self, node: str) -> None:
        """Leave the session: the others no longer see this node."""
        self._leave(checked_word(self._owner, "node", node))

    @abstractmethod
    def nodes(self) -> dict[str, About]:
        """Who is here now, and what each told of itself."""

    def answer(self, topic: str, reply: Reply) -> None:
        """Answer those who ask at this topic, perhaps in another thread. An InputError is told to the asker."""
        self._checked(topic)
        self._answer(topic, checks.function(self._owner, "reply", reply, "Give a function of what is asked."))

    def ask(self, topic: str, payload: bytes = b"", timeout: float = 1.0) -> bytes | None:
        """The answer, None if none comes in time [s]; an InputError with the message of the node that refused."""
        timeout = checks.positive(self._owner, "timeout", timeout, "s", "Give how long to wait.")
        self._checked(topic)
        return self._ask(topic, payload, timeout)

    def wait_for(self, nodes: Collection[str], timeout: float) -> list[str]:
        """Wait [s] until they are all here; returns who is missing and why, in words, else nothing."""
        timeout = checks.at_least_zero(self._owner, "timeout", timeout, "s", "Give how long to wait.")
        wanted = checks.texts(self._owner, "nodes", nodes, "Give a list of names of nodes.")
        end = time.monotonic() + timeout * self._waits
        while True:
            here = self.nodes()
            missing = [f"node {node!r} is not here" for node in wanted if node not in here]
            if not missing or time.monotonic() >= end:
                return missing + (self.problems() if missing else [])
            time.sleep(_POLL_PERIOD)

    def versions(self) -> list[str]:
        """Nodes of another version than ours that came, in words. Quick enough for a loop."""
        return mismatches(self.nodes())

    def problems(self) -> list[str]:
        """What is wrong, in words: other versions, refused peers, foreign messages. Too slow for a loop."""
        return self.versions()

    @abstractmethod
    def close(self) -> None:
        """Leave with all nodes declared here; nothing is heard afterwards."""

    def _checked(self, topic: str, *, pattern: bool = False) -> None:
        """Refuse what is no topic of the session; a pattern may end in "/**"."""
        words = topic.split("/") if isinstance(topic, str) else []
        named = words[:-1] if pattern and words[-1:] == ["**"] else words
        if not named or not all(map(_WORD.fullmatch, named)):
            remedy = f"{_WORDS}, with '/' between the words."
            checks.refuse(self._owner, f"topic={checks.shown(topic)} is not made of words.", remedy)
        if named[0] != self.session:
            remedy = f"Begin it with '{self.session}/'."
            checks.refuse(self._owner, f"topic={topic!r} is outside of session {self.session!r}.", remedy)

    @abstractmethod
    def _publish(self, topic: str, payload: bytes) -> None: ...

    @abstractmethod
    def _subscribe(self, topic: str, take: Take) -> None: ...

    @abstractmethod
    def _declare(self, node: str, about: About) -> None: ...

    @abstractmethod
    def _leave(self, node: str) -> None: ...

    @abstractmethod
    def _answer(self, topic: str, reply: Reply) -> None: ...

    @abstractmethod
    def _ask(self, topic: str, payload: bytes, timeout: float) -> bytes | None: ...


class MemoryBus(Bus):
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

    _waits = False  # virtual time does not pass by waiting

    def __init__(self, session: str = "hybrid", *, beside: MemoryBus | None = None) -> None:
        super().__init__(session)
        if beside is not None:
            checks.instance("MemoryBus", "beside", beside, MemoryBus, "Give another MemoryBus, or None.")
        if beside is not None and beside.session != session:
            words = f"session={session!r}, but the other's is {beside.session!r}."
            checks.refuse("MemoryBus", words, "Give both the same.")
        # Shared by all buses of a session, each entry with the bus that it came by, in the order in which it came.
        self._takes: list[tuple[MemoryBus, str, Take]] = [] if beside is None else beside._takes
        self._replies: dict[str, tuple[MemoryBus, Reply]] = {} if beside is None else beside._replies
        self._alive: dict[str, tuple[MemoryBus, About]] = {} if beside is None else beside._alive

    def _publish(self, topic: str, payload: bytes) -> None:
        for _, pattern, take in tuple(self._takes):
            if topic == pattern or (pattern.endswith("/**") and f"{topic}/".startswith(pattern[:-2])):
                take(topic, payload)

    def _subscribe(self, topic: str, take: Take) -> None:
        self._takes.append((self, topic, take))

    def _declare(self, node: str, about: About) -> None:
        self._alive[node] = self, about

    def _leave(self, node: str) -> None:
        self._alive.pop(node, None)

    def nodes(self) -> dict[str, About]:
        """Who is here now, and what each told of itself."""
        return {node: dict(about) for node, (_, about) in self._alive.items()}

    def _answer(self, topic: str, reply: Reply) -> None:
        self._replies[topic] = self, reply

    def _ask(self, topic: str, payload: bytes, timeout: float) -> bytes | None:
        if topic not in self._replies:
            return None
        try:
            return self._replies[topic][1](payload)
        except InputError as error:
            raise InputError(f"{topic} refused: {error}") from error

    def close(self) -> None:
        """Leave with all nodes declared here; nothing is heard or answered by this one afterwards."""
        self._takes[:] = [it for it in self._takes if it[0] is not self]
        entries: dict[str, tuple[MemoryBus, Any]]
        for entries in (self._replies, self._alive):
            for name in [name for name, it in entries.items() if it[0] is self]:
                del entries[name]
