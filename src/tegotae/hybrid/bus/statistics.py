"""How punctual a loop was and what a link saw: counts, times, and what they mean in words. Every node tells them.

How late things were is a histogram of fixed size, so that recording allocates nothing and never ends.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Annotated, Any

from tegotae import checks
from tegotae.hybrid.links.datagrams import VERSION
from tegotae.parameters import Declared, Parameter

if TYPE_CHECKING:
    from tegotae.hybrid.clocks.clock import NodeClock
    from tegotae.hybrid.links.link import NodeLink
    from tegotae.hybrid.links.packets import NodeState

_FINE = 7  # bits kept of a number: parts of 1/128 to 1/64
_PARTS = 1 << (_FINE - 1)
_BUCKETS = _PARTS * (64 - _FINE) + 2 * _PARTS
_MOST = (1 << 63) - 1


class Latencies:
    """Counts of times in buckets 1/64 wide at most; the largest is kept exactly.

    Example:
        >>> from tegotae.hybrid import Latencies
        >>> seen = Latencies()
        >>> for microseconds in range(1, 101):
        ...     seen.add(1000 * microseconds)
        >>> seen.count, seen.largest
        (100, 0.0001)
        >>> 50e-6 <= seen.percentile(50.0) <= 50e-6 * (1 + 1 / 64)
        True
    """

    __slots__ = ("_counts", "_largest", "_total", "count")

    def __init__(self) -> None:
        self._counts = array("Q", bytes(8 * _BUCKETS))
        self._largest = self._total = self.count = 0

    def add(self, nanoseconds: int) -> None:
        """Count one more. What is below zero counts as zero, what a 63-bit number cannot hold as its largest."""
        if type(nanoseconds) is not int:
            nanoseconds = checks.whole("Latencies", "nanoseconds", nanoseconds, -checks.MOST, "Give whole nanoseconds.")
        value = nanoseconds if 0 <= nanoseconds <= _MOST else 0 if nanoseconds < 0 else _MOST
        coarse = value.bit_length() - _FINE
        self._counts[value if coarse <= 0 else coarse * _PARTS + (value >> coarse)] += 1
        self.count += 1
        self._total += value
        if value > self._largest:
            self._largest = value

    @property
    def largest(self) -> float:
        """The largest of all [s], 0 if there is none."""
        return 1e-9 * self._largest

    @property
    def mean(self) -> float:
        """The mean of all [s], 0 if there is none."""
        return 1e-9 * self._total / self.count if self.count else 0.0

    def percentile(self, percent: float) -> float:
        """A time [s] that so many percent did not exceed, at most 1/64 above the truth; 0 if there is none."""
        percent = checks.number("Latencies", "percent", percent, "%", "Give 0 to 100.")
        wanted, seen = self.count * min(max(percent, 0.0), 100.0) / 100.0, 0
        for bucket, count in enumerate(self._counts):
            seen += count
            if count and seen >= wanted:
                coarse = max(bucket // _PARTS - 1, 0)
                top = ((bucket - coarse * _PARTS + 1) << coarse) - 1  # the largest number that falls into this bucket
                return 1e-9 * min(top, self._largest)
        return 0.0

    def spread(self, name: str) -> dict[str, float]:
        """Half, nearly all and the largest [s], as name_p50, _p99 and _max."""
        return {
            f"{name}_p50": self.percentile(50.0), f"{name}_p99": self.percentile(99.0), f"{name}_max": self.largest,
        }  # fmt: skip


@dataclass
class Deadlines(Declared):
    """How punctual a loop was; kept by its clock, always.

    The work of a tick must end before the next one is due. Where it does not, that is an overrun, and the ticks that
    could not even begin are skipped.

    Example:
        >>> from tegotae.hybrid import VirtualClock
        >>> clock = VirtualClock(2e-3)
        >>> ticks = [clock.wait() for _ in range(5)]
        >>> clock.deadlines.count, clock.deadlines.missed
        (5, 0)
    """

    count: Annotated[int, Parameter("ticks that began")] = 0
    overruns: Annotated[int, Parameter("ticks whose work ended after the next was due")] = 0
    skipped: Annotated[int, Parameter("ticks that never began")] = 0
    lateness: Annotated[Latencies, Parameter("of the beginnings, against when the loop should have gone on")] = field(
        default_factory=Latencies
    )
    latest: Annotated[float, Parameter("[s], lateness of the newest beginning")] = 0.0
    wall_steps: Annotated[int, Parameter("how often the wall clock was set meanwhile; nothing depends on it")] = 0
    wall_step: Annotated[float, Parameter("[s], by how much in all")] = 0.0
    went_back: Annotated[int, Parameter("readings of the monotonic clock below the one before: a broken machine")] = 0

    @property
    def missed(self) -> int:
        """Deadlines missed: overruns, and ticks that never began."""
        return self.overruns + self.skipped

    def summary(self) -> dict[str, float]:
        """count, missed, overruns, skipped, wall_steps, and the lateness' p50, p99 and max [s]."""
        counts = ("count", "missed", "overruns", "skipped", "wall_steps")
        return {name: getattr(self, name) for name in counts} | self.lateness.spread("lateness")

    def troubles(self) -> list[str]:
        """What went wrong, in words."""
        messages = (
            (self.missed, f"{self.missed} of {self.count + self.skipped} deadlines missed: {self.overruns} ticks took "
             f"longer than a period, {self.skipped} never began; the latest beginning came "
             f"{1e3 * self.lateness.largest:.3g} ms late"),
            (self.wall_steps, f"the wall clock was set {self.wall_steps} times, by {self.wall_step:.3g} s in all; "
             "ticks and time stamps do not depend on it"),
            (self.went_back, f"the monotonic clock went back {self.went_back} times: this machine cannot keep time"),
        )  # fmt: skip
        return [message for count, message in messages if count]


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
        counts: dict[str, float] = {
            each.name: value for each in fields(self) if isinstance(value := getattr(self, each.name), int)
        }
        return counts | self.round_trip.spread("round_trip")

    def troubles(self) -> list[str]:
        """What is wrong, in words, with the way out."""
        remedy = "install the same tegotae on both computers"
        troubles = [
            f"{count} packets of version {version}, but this is version {VERSION}: {remedy}"
            for version, count in sorted(self.versions.items())
        ]
        messages = (
            (self.foreign, f"{self.foreign} packets with another key or from another address: give both nodes the same "
             "key file and each other's address, or find out who else is sending"),
            (self.replayed, f"{self.replayed} packets of an earlier session: a peer whose wall clock was set back "
             "before it restarted (then restart this node too), or someone who plays back a recording"),
            (self.unread, f"{self.unread} packets were dropped unread, so many of them came at once: find out who else "
             "is sending"),
            (self.clock_steps, f"the peer's clock went back {self.clock_steps} times; ages do not depend on it"),
            (self.unsent and self.error,
             f"{self.unsent} packets could not be sent, the last because of: {self.error}"),
        )  # fmt: skip
        return troubles + [message for count, message in messages if count]


def standing(clock: NodeClock, link: NodeLink, state: NodeState) -> dict[str, Any]:
    """What every node tells of itself: deadlines, link, state, and what is wrong in words."""
    return {
        "deadlines": clock.deadlines.summary(),
        "link": link.statistics.summary(),
        "state": int(state),
        "words": [*clock.deadlines.troubles(), *link.statistics.troubles()],
    }
