"""What a link saw: counts, round trips, and what they mean in words."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Annotated

from tegotae.hybrid.clocks.clock import Latencies
from tegotae.hybrid.links.datagrams import VERSION
from tegotae.parameters import Declared, Parameter


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
