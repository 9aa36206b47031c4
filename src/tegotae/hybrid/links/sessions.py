"""What a link remembers of its peer: the session, and which of its packets have come."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from tegotae.hybrid.links.transports import Address

_WINDOW = 1024  # packets behind the newest that can still be told apart: 2 s at 500 Hz
_MASK = (1 << _WINDOW) - 1


class UnverifiedPeer(NamedTuple):
    """Who signed rightly but does not know our session yet."""

    session: int  # to greet
    address: Address  # where
    stamp: int  # of its packet [ns]
    arrived: int  # when that came in [ns]


class SequenceOrder(Enum):
    """How a sequence number stands to those before."""

    NEW = "newer than all"
    LATE = "came after a newer one"
    AGAIN = "came before"
    ANCIENT = "too far behind to tell"


class LinkPeer:
    """A session of the other side.

    Args:
        session: its number.
        born: when it began, by its wall clock [ns].
        address: where it is.
        first: sequence number of its first packet that counts.
        stamp: of its newest packet, by its clock [ns].
        arrived: when that came in, by ours [ns].

    Example:
        >>> peer = LinkPeer(7, 0, ("127.0.0.1", 5000), first=1)
        >>> [peer.order(sequence)[0].name for sequence in (1, 2, 4, 3, 3)]
        ['NEW', 'NEW', 'NEW', 'LATE', 'AGAIN']
    """

    __slots__ = ("_first", "_newest", "_seen", "address", "arrived", "born", "fresh", "session", "stamp")

    def __init__(
        self, session: int, born: int, address: Address, *, first: int, stamp: int = 0, arrived: int = 0
    ) -> None:
        self.session, self.born, self.address = session, born, address
        self.stamp, self.arrived = stamp, arrived
        self.fresh = arrived  # when one came in that was not too old
        self._first, self._newest, self._seen = first, first - 1, 0

    def had(self, sequence: int) -> bool:
        """Whether a packet came before, or is too far behind to tell."""
        behind = self._newest - sequence
        return behind >= _WINDOW or (behind >= 0 and bool(self._seen >> behind & 1))

    def order(self, sequence: int) -> tuple[SequenceOrder, int]:
        """Where a packet stands, and how many gaps it leaves if new, or fills if late; it is remembered."""
        ahead = sequence - self._newest
        if ahead > 0:
            self._newest = sequence
            self._seen = (self._seen << min(ahead, _WINDOW) | 1) & _MASK
            return SequenceOrder.NEW, ahead - 1
        if ahead <= -_WINDOW:
            return SequenceOrder.ANCIENT, 0
        bit = 1 << -ahead
        if self._seen & bit:
            return SequenceOrder.AGAIN, 0
        self._seen |= bit
        return SequenceOrder.LATE, int(sequence >= self._first)  # what came before the first was never missed
