"""What carries datagrams: a UDP socket, or memory."""

from __future__ import annotations

import errno
import select
import socket
from collections import deque
from typing import NamedTuple, Protocol

from tegotae import checks

LOOPBACK = ("127.0.0.1", 0)
_LARGEST = 2048  # bytes read of a datagram; ours are all shorter

Address = tuple[str, int]


class Arrival(NamedTuple):
    """A datagram that came in.

    Args:
        datagram: its bytes.
        source: where it came from.
        time: when, by the receiver's clock [ns].

    Example:
        >>> Arrival(b"hello", ("127.0.0.1", 5000), 0).datagram
        b'hello'
    """

    datagram: bytes
    source: Address
    time: int


class Transport(Protocol):
    """What a link sends and receives by; neither call ever waits or raises."""

    def put(self, datagram: bytes, target: Address, now: int) -> str:
        """Send at this time [ns]; returns what went wrong, or nothing."""

    def take(self, now: int) -> Arrival | None:
        """The next datagram that has arrived by now [ns]."""

    def wait(self, seconds: float) -> bool:
        """Until something may have arrived, at most so long [s]."""

    def close(self) -> None:
        """Let go of it."""


class UdpTransport:
    """A socket.

    Args:
        local: address and port to listen at; port 0 lets the system choose.

    Example:
        >>> with_any_port = UdpTransport(LOOPBACK)
        >>> with_any_port.address[0]
        '127.0.0.1'
        >>> with_any_port.close()
    """

    def __init__(self, local: Address) -> None:
        family, place = resolved("local", local)
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        try:
            self._socket.setblocking(False)
            self._socket.bind(place)
        except OSError as error:
            self._socket.close()
            raise checks.InputError(_unbound(local, error)) from error
        self.family = family
        self.address: Address = self._socket.getsockname()[:2]
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLIN)

    def put(self, datagram: bytes, target: Address, now: int) -> str:
        """Send; returns what went wrong, or nothing."""
        try:
            self._socket.sendto(datagram, target)
        except OSError as error:  # a full buffer, no route: the loop goes on, the statistics tell
            return error.strerror or str(error)
        return ""

    def take(self, now: int) -> Arrival | None:
        """The next datagram in the socket's buffer."""
        while True:
            try:
                datagram, source = self._socket.recvfrom(_LARGEST)
            except BlockingIOError:
                return None
            except ConnectionError:  # some systems tell here that nobody listened to an earlier packet of ours
                continue
            except OSError:
                return None
            return Arrival(datagram, source[:2], now)

    def wait(self, seconds: float) -> bool:
        """Until something arrives, at most so long [s]."""
        return bool(self._poll.poll(max(0.0, 1e3 * seconds)))

    def close(self) -> None:
        """Close the socket."""
        if self._socket.fileno() >= 0:
            self._poll.unregister(self._socket)
            self._socket.close()


def resolved(name: str, address: Address) -> tuple[socket.AddressFamily, Address]:
    """An address as numbers.

    Example:
        >>> resolved("remote", ("127.0.0.1", 5000))[1]
        ('127.0.0.1', 5000)
    """
    own = "UdpLink"
    way = "Give (address, port), such as ('127.0.0.1', 5600)."
    if not (isinstance(address, tuple | list) and len(address) == 2 and isinstance(address[0], str)):
        checks.refuse(own, f"{name}={address!r} is not an address and a port.", way)
    host, port = address[0], checks.whole(own, f"the port of {name}", address[1], 0, way)
    if port > 65535:
        checks.refuse(own, f"the port of {name} is {port}.", "Ports end at 65535.")
    if not host:
        checks.refuse(
            own,
            f"{name}={address!r} names no address.",
            "Name the one to listen at: 127.0.0.1 for this machine alone, or that of one network interface.",
        )
    try:
        family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
    except (OSError, UnicodeError) as error:
        raise checks.InputError(f"{own}: {name}={address!r} is not known ({error}).\n  {way}") from error
    return family, (str(place[0]), int(place[1]))


def _unbound(local: Address, error: OSError) -> str:
    what = f"UdpLink: cannot listen at {local[0]} port {local[1]} ({error.strerror})."
    if error.errno == errno.EADDRINUSE:
        return f"{what}\n  Another program, or another node, uses this port: stop it, or name another port (0: any free)."
    if error.errno == errno.EADDRNOTAVAIL:
        return f"{what}\n  This machine has no such address; name one of its own, or 127.0.0.1 for this machine alone."
    return f"{what}\n  Name an address of this machine and a port that you may use, above 1023."


class MemoryTransport:
    """One end of a pair in one process: what is put here is taken there, with the time at which it was put.

    Args:
        name: by which the other end knows it.

    Example:
        >>> here, there = MemoryTransport("here"), MemoryTransport("there")
        >>> here.join(there)
        >>> here.put(b"hello", ("there", 0), now=5), there.take(7), there.take(7)
        ('', Arrival(datagram=b'hello', source=('here', 0), time=5), None)
    """

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

    def wait(self, seconds: float) -> bool:
        """Whether something lies here; virtual time does not pass by waiting."""
        return bool(self._incoming)

    def close(self) -> None:
        """Forget what lies here, and all that comes."""
        self._open = False
        self._incoming.clear()
