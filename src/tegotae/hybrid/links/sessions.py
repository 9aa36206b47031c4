"""What a link remembers of its peer: the session, and which of its packets have come."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from tegotae.hybrid.links.transports import Address

_WINDOW = 1024  # packets behind the newest that can still be told apart: 2 s at 500 Hz
_MASK = (1 << _WINDOW) - 1


class SequenceOrder(Enum):
    """How a sequence number stands to those before."""

    NEW = "newer than all"
    LATE = "came after a newer one"
    AGAIN = "came before"
    ANCIENT = "too far behind to tell"


@dataclass
class LinkPeer:
    """A session of the other side."""

    session: int  # its number
    born: int  # when it began, by its wall clock [ns]
    address: Address  # where it is
    first: int  # sequence number of its first packet that counts
    stamp: int = 0  # of its newest packet, by its clock [ns]
    arrived: int = 0  # when that came in, by ours [ns]

    def __post_init__(self) -> None:
        self.fresh = self.arrived  # when one came in that was not too old
        self._newest, self._seen = self.first - 1, 0

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
        return SequenceOrder.LATE, int(sequence >= self.first)  # what came before the first was never missed
