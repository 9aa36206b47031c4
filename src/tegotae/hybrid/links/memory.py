"""A link inside one process, for nodes in lockstep."""

from __future__ import annotations

from collections import deque
from typing import Self

from tegotae.hybrid.clocks.clock import NodeClock
from tegotae.hybrid.links.faults import Faults, FaultyTransport
from tegotae.hybrid.links.link import MAX_AGE, NO_FAULTS, NodeLink
from tegotae.hybrid.links.sessions import LinkPeer
from tegotae.hybrid.links.transports import Address, Arrival


class MemoryTransport:
    """One end of a pair in one process: what is put here is taken there, with the time at which it was put."""

    def __init__(self, name: str) -> None:
        self.address: Address = (name, 0)
        self._incoming: deque[Arrival] = deque()
        self._other: MemoryTransport | None = None
        self._open = True

    def join(self, other: MemoryTransport) -> None:
        """Make two ends of one pair."""
        self._other, other._other = other, self

    def put(self, datagram: bytes, target: Address, now: int) -> str:
        """Leave it at the other end; returns what went wrong, or nothing."""
        if self._other is None:
            return "not joined to another end"
        if self._other._open:  # as with UDP, the sender does not notice
            self._other._incoming.append(Arrival(datagram, self.address, now))
        return ""

    def take(self, now: int) -> Arrival | None:
        """The next datagram that lies here."""
        return self._incoming.popleft() if self._incoming else None

    def only(self, remote: Address) -> str:
        """There is nobody else in a pair."""
        return ""

    def wait(self, seconds: float, spin: float) -> bool:
        """Whether something lies here; virtual time does not pass by waiting."""
        return bool(self._incoming)

    def close(self) -> None:
        """Forget what lies here, and all that comes."""
        self._open = False
        self._incoming.clear()


class MemoryLink(NodeLink):
    """A link between two nodes of one process, for virtual clocks: the same checks, deterministic.

    They are made two at a time by `MemoryLink.pair`, each as a `NodeLink` is.

    Args:
        max_age: largest round trip of a packet [s].

    Example:
        >>> from tegotae.hybrid import Measurement, MemoryLink, VirtualClock
        >>> clock = VirtualClock(2e-3)
        >>> dynamics, table = MemoryLink.pair(clock)
        >>> table.send(Measurement(label=0.0)), dynamics.receive().kind, dynamics.receive()
        (True, 2, None)
    """

    @classmethod
    def pair(
        cls,
        clock: NodeClock,
        *,
        key: bytes = bytes(32),
        max_age: float = MAX_AGE,
        there: Faults | None = None,
        back: Faults | None = None,
    ) -> tuple[Self, Self]:
        """Two ends that have met.

        Args:
            clock: of either node; both must be on one timeline.
            key: of both.
            max_age: largest round trip of a packet [s].
            there: what happens to packets from the first to the second.
            back: to those from the second to the first. The drift of each is that of the receiver's clock.
        """
        ends = MemoryTransport("first"), MemoryTransport("second")
        ends[0].join(ends[1])
        links = []
        for number, (end, faults) in enumerate(zip(ends, (back, there), strict=True)):
            worse = end if faults is None else FaultyTransport(end, faults, str(number))
            links.append(
                cls(
                    worse, key=key, session=number + 1, born=0, remote=ends[1 - number].address, clock=clock,
                    max_age=max_age, faults=faults or NO_FAULTS,
                )
            )  # fmt: skip
        one, two = links
        for here, other, end in ((one, two, ends[1]), (two, one, ends[0])):
            here._peer = LinkPeer(other._session, 0, end.address, first=1, stamp=other._now(), arrived=here._now())
        return one, two
