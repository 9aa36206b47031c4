"""What a link saw: counts, round trips, and what they mean in words."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from tegotae.hybrid.clocks.latencies import Latencies
from tegotae.hybrid.links.datagrams import VERSION


@dataclass(slots=True)
class LinkStatistics:
    """Counts of packets by what became of them.

    Args:
        sent: went out.
        unsent: could not: no peer known yet, or the system refused.
        received: valid and addressed to this session, each once, whatever becomes of it then.
        superseded: of these, those that a newer one replaced before it was asked for.
        lost: gaps in the sequence that nothing filled.
        reordered: of the received, those that came after a newer one; ignored, unless a Stop.
        duplicated: came again.
        malformed: wrong length, magic, checksum or numbers.
        foreign: signed with another key, from another address than the peer's, or our own come back.
        replayed: of an earlier session, or older than the sequence window.
        wrong_version: of another version.
        too_old: of the received, those older than the link allows.
        unmet: rightly signed, but not addressed to this session: from before both had heard of each other.
        restarts: sessions of the peer that replaced an earlier one.
        clock_steps: time stamps of the peer that went back from packet to packet.
        versions: counts of wrong versions by their number.
        unread: of unknown or repeated packets, those beyond what is looked at in one call.
        early: the same, before the peer was met: it greets until this side has time to listen.
        error: the last one that the system gave at sending.
        round_trip: there and back, without the time that the peer held it.

    Example:
        >>> from tegotae.hybrid import LinkStatistics
        >>> seen = LinkStatistics(received=98, lost=2)
        >>> seen.loss
        0.02
    """

    sent: int = 0
    unsent: int = 0
    received: int = 0
    superseded: int = 0
    lost: int = 0
    reordered: int = 0
    duplicated: int = 0
    malformed: int = 0
    foreign: int = 0
    replayed: int = 0
    wrong_version: int = 0
    too_old: int = 0
    unmet: int = 0
    restarts: int = 0
    clock_steps: int = 0
    unread: int = 0
    early: int = 0
    versions: dict[int, int] = field(default_factory=dict)
    error: str = ""
    round_trip: Latencies = field(default_factory=Latencies)

    @property
    def loss(self) -> float:
        """Part of the peer's packets that was lost [-]."""
        return self.lost / (self.received + self.lost) if self.received + self.lost else 0.0

    def summary(self) -> dict[str, float]:
        """Every count, and round_trip_p50, _p99 and _max [s]."""
        told: dict[str, float] = {
            each.name: value for each in fields(self) if isinstance(value := getattr(self, each.name), int)
        }
        trip = self.round_trip.summary()
        return told | {f"round_trip_{name}": trip[name] for name in ("p50", "p99", "max")}

    def troubles(self) -> list[str]:
        """What is wrong, in words, with the way out."""
        told = []
        for version, count in sorted(self.versions.items()):
            told.append(
                f"{count} packets of version {version}, but this is version {VERSION}: "
                "install the same tegotae on both computers"
            )
        if self.foreign:
            told.append(
                f"{self.foreign} packets with another key or from another address: give both nodes the same key file "
                "and each other's address, or find out who else is sending"
            )
        if self.replayed:
            told.append(
                f"{self.replayed} packets of an earlier session: a peer whose wall clock was set back before it "
                "restarted (then restart this node too), or someone who plays back a recording"
            )
        if self.unread:
            told.append(
                f"{self.unread} packets were dropped unread, so many of them came at once: find out who else is sending"
            )
        if self.clock_steps:
            told.append(f"the peer's clock went back {self.clock_steps} times; ages do not depend on it")
        if self.unsent and self.error:
            told.append(f"{self.unsent} packets could not be sent, the last because of: {self.error}")
        return told
