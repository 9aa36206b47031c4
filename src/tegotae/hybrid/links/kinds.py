"""The two kinds of links: between processes or computers, and inside one process, for nodes in lockstep."""

from __future__ import annotations

import errno
import os
import secrets
import select
import socket
import sys
import time
from collections import deque
from functools import partial
from struct import Struct
from typing import Self

from tegotae import checks
from tegotae.errors import InputError
from tegotae.hybrid.clocks.clock import NodeClock
from tegotae.hybrid.links.datagrams import (
    LOOPBACK,
    Address,
    Arrival,
    Faults,
    FaultyTransport,
    LinkPeer,
    checked_address,
    checked_key,
)
from tegotae.hybrid.links.link import MAX_AGE, NO_FAULTS, NodeLink

_TIMESTAMP = 35  # SO_TIMESTAMPNS of Linux, which Python does not name
_TIMESPEC = Struct("@qq")
_ANCILLARY = socket.CMSG_SPACE(_TIMESPEC.size)
_LARGEST = 2048  # bytes read of a datagram; ours are all shorter
_PATIENCE = 5.0  # s, for a pair of one process to meet
_UNBOUND = {
    errno.EADDRINUSE: "Another program, or another node, uses this port: stop it, or name another port (0: any free).",
    errno.EADDRNOTAVAIL: "This machine has no such address; name one of its own, or 127.0.0.1 for this machine alone.",
}


class UdpTransport:
    """A socket; timed, it asks the system when a datagram came in, which otherwise came when it was looked for."""

    def __init__(self, local: Address, *, timed: bool = False) -> None:
        family, place = resolved("local", local)
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        try:
            self._socket.setblocking(False)
            self._socket.bind(place)
        except OSError as error:
            self._socket.close()
            remedy = _UNBOUND.get(error.errno or 0, "Name an address of this machine and a port of at least 1024.")
            checks.refuse("UdpLink", f"cannot listen at {local[0]} port {local[1]} ({error.strerror}).", remedy)
        self.family = family
        self.address: Address = self._socket.getsockname()[:2]
        self._timed = timed and sys.platform == "linux"
        if self._timed:
            self._socket.setsockopt(socket.SOL_SOCKET, _TIMESTAMP, 1)
        self._only: Address | None = None
        self._empty = 0  # when nothing was left [ns]
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLIN)

    def put(self, datagram: bytes, target: Address, now: int) -> str:
        """Send; returns what went wrong, or nothing."""
        sock = self._socket
        send = partial(sock.send, datagram) if target == self._only else partial(sock.sendto, datagram, target)
        try:
            try:
                send()
            except ConnectionError:  # that nobody listened to an earlier packet of ours is told now, once
                send()
        except OSError as error:  # a full buffer, no route: the loop goes on, the statistics tell
            return error.strerror or str(error)
        return ""

    def only(self, remote: Address) -> str:
        """From now on the system drops what comes from elsewhere: it costs nothing here, and fills no buffer."""
        try:
            self._socket.connect(remote)
        except OSError as error:
            return error.strerror or str(error)
        self._only = remote
        return ""

    def take(self, now: int) -> Arrival | None:
        """The next datagram in the socket's buffer."""
        while True:
            try:
                if self._timed:
                    datagram, ancillary, _, source = self._socket.recvmsg(_LARGEST, _ANCILLARY)
                    now = self._came(ancillary, now)
                else:
                    datagram, source = self._socket.recvfrom(_LARGEST)
            except ConnectionError:  # some systems tell here that nobody listened to an earlier packet of ours
                continue
            except OSError:  # nothing there, or closed
                self._empty = now
                return None
            return Arrival(datagram, source[:2], now)

    def _came(self, ancillary: list[tuple[int, int, bytes]], now: int) -> int:
        """When, by our clock. The system tells by the wall clock, which may be set: not before the last empty look."""
        for level, kind, stamp in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, _TIMESTAMP) and len(stamp) == _TIMESPEC.size:
                seconds, rest = _TIMESPEC.unpack(stamp)
                ago = time.time_ns() - int(1_000_000_000 * seconds + rest)
                return max(now - max(ago, 0), min(self._empty, now))
        return now

    def wait(self, seconds: float, spin: float) -> bool:
        """Until something arrives, at most so long [s], asking without sleep for the first part [s] of it."""
        if spin > 0.0:
            end = time.monotonic() + min(seconds, spin)
            while time.monotonic() < end:
                if self._poll.poll(0):
                    return True
                os.sched_yield()  # the peer may be waiting for this very core
        return bool(self._poll.poll(1e3 * max(0.0, seconds - spin)))

    def close(self) -> None:
        """Close the socket."""
        if self._socket.fileno() >= 0:
            self._poll.unregister(self._socket)
            self._socket.close()


def resolved(name: str, address: Address, *, to: bool = False) -> tuple[socket.AddressFamily, Address]:
    """An address as numbers."""
    host, port = checked_address("UdpLink", name, address, to=to)
    try:
        family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
    except (OSError, UnicodeError) as error:
        remedy = "Give (address, port), such as ('127.0.0.1', 5600)."
        checks.refuse("UdpLink", f"{name}={address!r} is not known ({error}).", remedy)
    return family, (str(place[0]), int(place[1]))


class UdpLink(NodeLink):
    """A link over UDP, between processes or computers.

    It listens to this machine alone unless an address is named. Whoever opens it again is a new session, which replaces
    the earlier one if it is later by the wall clock.

    Args:
        local: address and port to listen at; port 0 lets the system choose one, see `address`.
        remote: address and port of the peer; packets from elsewhere are ignored. None waits for whoever has the key.
        key: shared with the peer, 16 bytes or more, such as `new_key()` makes.
        max_age: largest round trip of a packet [s]; older ones are ignored, but for a Stop.
        clock: gives the time; the machine's monotonic clock unless given.
        faults: what happens to the packets that come in.

    Example:
        >>> from tegotae.hybrid import Command, UdpLink
        >>> dynamics, table = UdpLink.pair()
        >>> with dynamics, table:
        ...     sent = dynamics.send(Command(label=0.002))
        ...     arrived = table.wait(1.0)
        ...     print(table.receive().label)
        0.002
    """

    def __init__(
        self,
        *,
        local: Address = LOOPBACK,
        remote: Address | None = None,
        key: bytes,
        max_age: float = MAX_AGE,
        clock: NodeClock | None = None,
        faults: Faults | None = None,
    ) -> None:
        key = checked_key("UdpLink", key)
        udp = UdpTransport(local, timed=faults is not None)
        try:
            if remote is not None:
                problem = f"remote={remote!r} and local={udp.address!r} are of different families."
                family, remote = resolved("remote", remote, to=True)
                if family != udp.family:
                    checks.refuse("UdpLink", problem, "Use IPv4 or IPv6.")
            super().__init__(
                udp if faults is None else FaultyTransport(udp, faults, "udp"), key=key,
                session=secrets.randbits(63) + 1, born=time.time_ns(), clock=clock, max_age=max_age, remote=remote,
                faults=faults or NO_FAULTS,
            )  # fmt: skip
        except InputError:
            udp.close()
            raise
        self.address = udp.address

    @classmethod
    def pair(
        cls, *, key: bytes | None = None, max_age: float = MAX_AGE, faults: Faults | None = None
    ) -> tuple[Self, Self]:
        """Two links of this process that have met, on ports that the system chose.

        Args:
            key: shared; a new one unless given.
            max_age: of both [s].
            faults: of both.
        """
        key = secrets.token_bytes(32) if key is None else key
        one = cls(key=key, max_age=max_age, faults=faults)
        two = cls(key=key, max_age=max_age, faults=faults, remote=one.address)
        end = time.monotonic() + _PATIENCE
        while not (one.met and two.met):
            if time.monotonic() > end:
                one.close()
                two.close()
                remedy = "Use faults that let some through."
                checks.refuse("UdpLink", f"a pair did not meet within {_PATIENCE} s.", remedy)
            two.greet()
            for link in (one, two):
                link.wait(2e-3)
                link._drain()
        return one, two


class MemoryTransport:
    """One end of a pair in one process: what is put here is taken there, with the time at which it was put."""

    def __init__(self, name: str) -> None:
        self.address: Address = (name, 0)
        self._incoming: deque[Arrival] = deque()
        self._open = True
        self.other = self  # end of the pair

    def put(self, datagram: bytes, target: Address, now: int) -> str:
        """Leave it at the other end; returns what went wrong, or nothing."""
        if self.other._open:  # if it is not the sender does not notice, as with UDP
            self.other._incoming.append(Arrival(datagram, self.address, now))
        return ""

    def take(self, now: int) -> Arrival | None:
        """The next datagram that lies here."""
        return self._incoming.popleft() if self._incoming else None

    def only(self, remote: Address) -> str:
        """A pair has only one peer: there is nothing to choose."""
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
        ends[0].other, ends[1].other = ends[1], ends[0]
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
