"""The fast link between two nodes: the newest packet wins, nothing ever waits, nothing strange gets through.

Who may speak: a packet is heard if it is signed with the shared key and addressed to this very session of the link.
Sessions are numbers drawn at random; two links learn each other's in a first exchange of packets, which are not yet
handed on. So a recording of yesterday's commands, though rightly signed, moves nothing today. Only a Stop is always
obeyed. How old a packet is needs no common clock: it names the newest stamp that its sender had from us and how long
ago that came in, and what is left of the time since then, the round trip, is the most that it can have been under way.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from tegotae import checks
from tegotae.hybrid.bus.statistics import LinkStatistics
from tegotae.hybrid.clocks.clock import NodeClock
from tegotae.hybrid.closable import Closable
from tegotae.hybrid.links.datagrams import (
    CLAIMED,
    CLAIMS,
    Address,
    Faults,
    Header,
    LinkPeer,
    Refusal,
    Seal,
    SequenceOrder,
    Transport,
    checked_key,
    decode,
    encode,
    glance,
)
from tegotae.hybrid.links.packets import (
    KINDS,
    Command,
    Greeting,
    Heartbeat,
    Measurement,
    Packet,
    Rearm,
    SensorSignals,
    Stop,
    plausible,
)

MAX_AGE = 0.2  # s
_MOST = 256  # datagrams looked at in one call: a flood must not hold up a tick
_MOST_UNVERIFIED = 16  # of these, whose signature is checked though they are not from the session that we talk with
_LATEST = 1 << 62  # ns: no clock shows more
NO_FAULTS = Faults()
_SENT = frozenset(KINDS.values())


class NodeLink(Closable):
    """What UdpLink and MemoryLink share. Nodes take this type and need not know which they have.

    Args:
        transport: what carries the datagrams.
        key: shared with the peer.
        session: of this link.
        born: when it was opened, by the wall clock [ns].
        remote: the only address to hear; None for that of whoever has the key and comes first.
        clock: gives the time; the machine's monotonic clock unless given.
        max_age: largest age of a packet [s], measured by its round trip.
        faults: whose drift shows in the time stamps.

    Example:
        >>> from tegotae.hybrid import Command, NodeLink, MemoryLink, VirtualClock
        >>> dynamics, table = MemoryLink.pair(VirtualClock(2e-3))
        >>> isinstance(dynamics, NodeLink), dynamics.send(Command(label=0.5)), table.receive().label
        (True, True, 0.5)
    """

    def __init__(
        self, transport: Transport, *, key: bytes, session: int, born: int, remote: Address | None,
        clock: NodeClock | None, max_age: float, faults: Faults,
    ) -> None:  # fmt: skip
        owner = type(self).__name__
        self._transport, self._seal = transport, Seal(checked_key(owner, key))
        self._session, self._born = session, born
        self._remote = self._target = remote
        if clock is not None and not hasattr(clock, "nanoseconds"):  # its ticks are of no use here
            checks.refuse(owner, f"clock={checks.shown(clock)} tells no time.", "Give a RealClock or a VirtualClock.")
        self._true = time.monotonic_ns if clock is None else lambda: clock.nanoseconds
        self._now = self._true if faults.drift == 0.0 else lambda: faults.drifted(self._true())  # what our clock shows
        remedy = "Give the largest round trip that a packet may have had, such as 0.2 s."
        self._max_age = round(1e9 * checks.positive(owner, "max_age", max_age, "s", remedy))
        self._sequence = 0
        self._peer: LinkPeer | None = None
        self._unverified: LinkPeer | None = None  # who signed rightly but does not know our session yet
        self._stop: Stop | None = None
        self._rearm: Rearm | None = None
        self._newest: tuple[Command | Measurement | SensorSignals, int] | None = None  # and until when it is good
        self._beat: Heartbeat | None = None
        self._trip = 0
        self._offset, self._quickest = 0, 1 << 62
        self.statistics = LinkStatistics()

    # ------------------------------------------------------------ what nodes call

    def send(self, packet: Packet) -> bool:
        """Send at once; False if there is no peer yet or the system refuses, which is counted, not raised."""
        if type(packet) not in _SENT:
            problem = f"packet={checks.shown(packet)} is not a packet."
            checks.refuse(type(self).__name__, problem, "Give one, such as Command(...).")
        return self._put(packet, self._target, self._peer)

    def receive(self) -> Packet | None:
        """Take all that has arrived; the most urgent of it: a Stop, a Rearm, the newest Command, Measurement or
        SensorSignals, a Heartbeat; None if there is nothing. What is less urgent is kept for the next call, as long as
        it is new enough.
        """
        self._drain()
        return self._most_urgent()

    def packets(self) -> Iterator[Packet]:
        """All that has arrived, as `receive` would give it call by call, but looked for only once."""
        self._drain()
        while (packet := self._most_urgent()) is not None:
            yield packet

    def _most_urgent(self) -> Packet | None:
        if self._stop is not None:
            stop, self._stop = self._stop, None
            return stop
        if self._rearm is not None:
            rearm, self._rearm = self._rearm, None
            return rearm
        if self._newest is not None:
            (newest, good), self._newest = self._newest, None
            if self._now() <= good:
                return newest
            self.statistics.too_old += 1
        beat, self._beat = self._beat, None
        return beat

    def wait(self, seconds: float, *, spin: float = 0.0) -> bool:
        """Until something arrives, valid or not; whether it did.

        Args:
            seconds: at most so long [s].
            spin: the first part of that [s], in which the process does not sleep: to be woken takes some 50 us more.
        """
        if type(seconds) is not float or type(spin) is not float or not 0.0 <= spin <= seconds < checks.LARGEST:
            owner, remedy = type(self).__name__, "Give how long to wait."
            seconds = checks.at_least_zero(owner, "seconds", seconds, "s", remedy)
            spin = checks.at_least_zero(owner, "spin", spin, "s", remedy)
        return self._transport.wait(seconds, spin)

    def connect(self, timeout: float = 1.0) -> bool:
        """Greet until the peer has answered, at most so long [s]; whether it did. Loops that send need not call it."""
        timeout = checks.number(type(self).__name__, "timeout", timeout, "s", "Give how long to wait.")
        end = time.monotonic() + timeout
        while not self.met:
            left = end - time.monotonic()
            if left <= 0.0:
                return False
            self.greet()
            self._transport.wait(min(left, 0.02), 0.0)
            self._drain()
        return True

    def greet(self) -> bool:
        """Make this session known to the peer, if there is an address to send to; whether it went out."""
        return self._put(Greeting(), self._target, self._peer)

    @property
    def met(self) -> bool:
        """Whether the peer has spoken to this session."""
        return self._peer is not None

    @property
    def silence(self) -> float:
        """Since a packet of the peer came in that was not too old [s], of any kind; infinite if none ever did."""
        return float("inf") if self._peer is None else 1e-9 * (self._now() - self._peer.fresh)

    @property
    def round_trip(self) -> float:
        """Of the newest packet [s], waiting in the sockets included; 0 before the first."""
        return 1e-9 * self._trip

    @property
    def clock_offset(self) -> float:
        """The peer's clock minus ours [s], from the quickest round trips; wrong by half of one at most."""
        return 1e-9 * self._offset

    def close(self) -> None:
        """Stop listening."""
        self._transport.close()

    # ------------------------------------------------------------ inside

    def _put(self, packet: Packet | Greeting, target: Address | None, peer: LinkPeer | None) -> bool:
        """Send to an address, with what we heard last of a session there."""
        if target is None:
            self.statistics.unsent += 1
            return False
        now = self._now()
        session, echo, held = (0, 0, 0) if peer is None else (peer.session, peer.stamp, max(now - peer.arrived, 0))
        self._sequence += 1
        header = Header(self._session, self._born, session, self._sequence, packet.label, now, echo, held)
        problem = self._transport.put(encode(header, packet, self._seal), target, self._true())
        if problem:
            self.statistics.unsent += 1
            self.statistics.error = problem
        else:
            self.statistics.sent += 1
        return not problem

    def _drain(self) -> None:
        true, unverified = self._true(), 0
        for _ in range(_MOST):
            arrival = self._transport.take(true)
            if arrival is None:
                break
            # Cheap looks first: signatures are checked of what our peer may have said, and of few others.
            refusal = glance(arrival.datagram, self._seal)
            if refusal is not None:
                self._refuse(refusal, arrival.datagram)
                continue
            if not self._expected(arrival.datagram):
                unverified += 1
                if unverified > _MOST_UNVERIFIED:
                    if self._peer is None:  # a peer greets for as long as we compile, or wait for others
                        self.statistics.early += 1
                    else:
                        self.statistics.unread += 1
                    continue
            heard = decode(arrival.datagram, self._seal)
            if isinstance(heard, Refusal):
                self._refuse(heard, arrival.datagram)
            elif not (plausible(heard[1]) and min(heard[0][5:]) > -_LATEST and max(heard[0][5:]) < _LATEST):
                self.statistics.malformed += 1
            else:
                self._hear(*heard, arrival.source)
        if self._unverified is not None:
            peer, self._unverified = self._unverified, None
            self._put(Greeting(), peer.address, peer)

    def _expected(self, datagram: bytes) -> bool:
        """Whether it claims to be of the session that we talk with, to ours, and not to have come before."""
        session, _, spoken_to, sequence = CLAIMS.unpack_from(datagram, CLAIMED)
        peer = self._peer
        return peer is not None and session == peer.session and spoken_to == self._session and not peer.had(sequence)

    def _refuse(self, reason: Refusal, datagram: bytes) -> None:
        seen = self.statistics
        if reason is Refusal.VERSION:
            seen.wrong_version += 1
            seen.versions[datagram[4]] = seen.versions.get(datagram[4], 0) + 1
        elif reason is Refusal.FOREIGN:
            seen.foreign += 1
        else:
            seen.malformed += 1

    def _hear(self, header: Header, packet: Packet | Greeting, source: Address) -> None:
        seen, peer = self.statistics, self._peer
        theirs = (header.session, header.peer, source)
        if peer is not None and theirs == (peer.session, self._session, peer.address):
            self._follow(peer, header, packet)
            return
        # What is not from the session that we talk with, or not to ours.
        same = peer is not None and header.session == peer.session
        only = self._remote or (peer.address if peer is not None and same else None)
        if header.session == self._session or (only is not None and source != only):
            seen.foreign += 1
        elif peer is not None and not same and header.born <= peer.born:
            seen.replayed += 1
        elif header.peer != self._session:
            seen.unmet += 1
            if peer is not None and same:  # it has not heard our greeting yet: not handed on, but not lost either
                order, gap = peer.order(header.sequence)
                seen.lost += {SequenceOrder.NEW: gap, SequenceOrder.LATE: -gap}.get(order, 0)
            self._unverified = LinkPeer(
                header.session, header.born, source, first=header.sequence, stamp=header.stamp, arrived=self._now()
            )
            if isinstance(packet, Stop):
                self._stop, self._rearm = packet, None
        else:
            self._follow(self._begin(header, source), header, packet)

    def _begin(self, header: Header, source: Address) -> LinkPeer:
        """A session of the peer that proved to be alive: it knows ours."""
        if self._peer is not None:
            self.statistics.restarts += 1
        self._newest = self._beat = self._rearm = None
        self._quickest = 1 << 62
        self._target = source
        self._peer = LinkPeer(header.session, header.born, source, first=header.sequence)
        if self._remote is not None:  # and now the system drops what comes from elsewhere
            self.statistics.error = self._transport.only(self._remote) or self.statistics.error
        return self._peer

    def _follow(self, peer: LinkPeer, header: Header, packet: Packet | Greeting) -> None:
        seen, now = self.statistics, self._now()
        order, gap = peer.order(header.sequence)
        if order is SequenceOrder.ANCIENT:
            seen.replayed += 1
            return
        if order is SequenceOrder.AGAIN:
            seen.duplicated += 1
            return
        seen.received += 1
        if order is SequenceOrder.LATE:
            seen.lost -= gap
            seen.reordered += 1
            if isinstance(packet, Stop):
                self._stop, self._rearm = packet, None
            return
        seen.lost += gap
        if header.stamp < peer.stamp:
            seen.clock_steps += 1
        peer.stamp, peer.arrived = header.stamp, now
        self._trip = max(now - header.echo - header.held, 0)
        seen.round_trip.add(self._trip)
        # A packet took half of its round trip if both ways are alike; the quickest are the most alike. Clocks drift:
        # what was quick long ago counts less and less, were it as quick as nothing.
        self._quickest += 1000 + (self._quickest >> 10)
        if self._trip <= self._quickest:
            self._quickest = self._trip
            self._offset = header.stamp + self._trip // 2 - now
        if self._trip <= self._max_age:
            peer.fresh = now
        self._store(packet, now)

    def _store(self, packet: Packet | Greeting, now: int) -> None:
        """The newest packet so far, where its kind belongs."""
        if isinstance(packet, Stop):
            self._stop, self._rearm = packet, None
        elif self._trip > self._max_age:
            self.statistics.too_old += 1
        elif isinstance(packet, (Command, Measurement, SensorSignals)):
            if self._newest is not None:
                self.statistics.superseded += 1
            self._newest = packet, now + self._max_age - self._trip
        elif isinstance(packet, Rearm):
            self._rearm = packet
        elif isinstance(packet, Heartbeat):
            self._beat = packet
