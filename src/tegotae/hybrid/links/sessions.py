"""What a link remembers of its peer: the session, which of its packets have come, and what became of them all."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Annotated

from tegotae.hybrid.clocks.clock import Latencies
from tegotae.hybrid.links.datagrams import VERSION
from tegotae.hybrid.links.transports import Address
from tegotae.parameters import Declared, Parameter

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


@dataclass
class LinkStatistics(Declared):
    """Counts of packets by what became of them; `versions` counts those of a wrong version by its number.

    Example:
        >>> from tegotae.hybrid import LinkStatistics
        >>> seen = LinkStatistics(received=98, lost=2)
        >>> seen.loss
        0.02
    """

    sent: Annotated[int, Parameter("went out")] = 0
    unsent: Annotated[int, Parameter("could not: no peer known yet, or the system refused")] = 0
    received: Annotated[int, Parameter("valid and to this session, each once, whatever becomes of it then")] = 0
    superseded: Annotated[int, Parameter("of these, those that a newer one replaced before it was asked for")] = 0
    lost: Annotated[int, Parameter("gaps in the sequence that nothing filled")] = 0
    reordered: Annotated[int, Parameter("of the received, those after a newer one; ignored, unless a Stop")] = 0
    duplicated: Annotated[int, Parameter("came again")] = 0
    malformed: Annotated[int, Parameter("wrong length, magic, checksum or numbers")] = 0
    foreign: Annotated[int, Parameter("of another key, from another address than the peer's, or our own")] = 0
    replayed: Annotated[int, Parameter("of an earlier session, or older than the sequence window")] = 0
    wrong_version: Annotated[int, Parameter("of another version")] = 0
    too_old: Annotated[int, Parameter("of the received, those older than the link allows")] = 0
    unmet: Annotated[
        int, Parameter("rightly signed, but not to this session: from before both had heard of each other")
    ] = 0
    restarts: Annotated[int, Parameter("sessions of the peer that replaced an earlier one")] = 0
    clock_steps: Annotated[int, Parameter("time stamps of the peer that went back from packet to packet")] = 0
    unread: Annotated[int, Parameter("unknown or repeated ones beyond what is looked at in one call")] = 0
    early: Annotated[int, Parameter("the same, before the peer was met: it greets until this side listens")] = 0
    versions: dict[int, int] = field(default_factory=dict)
    error: Annotated[str, Parameter("the last one that the system gave at sending")] = ""
    round_trip: Annotated[Latencies, Parameter("there and back, without the time that the peer held it")] = field(
        default_factory=Latencies
    )

    @property
    def loss(self) -> float:
        """Part of the peer's packets that was lost [-]."""
        return self.lost / (self.received + self.lost) if self.received + self.lost else 0.0

    def summary(self) -> dict[str, float]:
        """Every count, and round_trip_p50, _p99 and _max [s]."""
        told: dict[str, float] = {
            each.name: value for each in fields(self) if isinstance(value := getattr(self, each.name), int)
        }
        return told | self.round_trip.spread("round_trip")

    def troubles(self) -> list[str]:
        """What is wrong, in words, with the way out."""
        told = []
        for version, count in sorted(self.versions.items()):
            told.append(
                f"{count} packets of version {version}, but this is version {VERSION}: "
                "install the same tegotae on both computers"
            )
        for count, words in (
            (self.foreign, "with another key or from another address: give both nodes the same key file and each "
             "other's address, or find out who else is sending"),
            (self.replayed, "of an earlier session: a peer whose wall clock was set back before it restarted (then "
             "restart this node too), or someone who plays back a recording"),
            (self.unread, "were dropped unread, so many of them came at once: find out who else is sending"),
        ):  # fmt: skip
            told += [f"{count} packets {words}"] if count else []
        if self.clock_steps:
            told.append(f"the peer's clock went back {self.clock_steps} times; ages do not depend on it")
        if self.unsent and self.error:
            told.append(f"{self.unsent} packets could not be sent, the last because of: {self.error}")
        return told
