"""What carries datagrams."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from tegotae import checks

Address = tuple[str, int]


def checked_address(owner: str, name: str, address: Address, *, to: bool = False) -> Address:
    """A host and a port, which is not 0 where something is to be sent."""
    remedy = "Give (address, port), such as ('127.0.0.1', 5600)."
    if not (isinstance(address, tuple | list) and len(address) == 2 and isinstance(address[0], str)):
        checks.refuse(owner, f"{name}={address!r} is not an address and a port.", remedy)
    host, port = address[0], checks.whole(owner, f"the port of {name}", address[1], 0, remedy)
    if port > 65535:
        checks.refuse(owner, f"{name}={address!r} has port {port}.", "Ports end at 65535.")
    if not host:
        told = f"{name}={address!r} names no address."
        way = "Name the one to listen at: 127.0.0.1 for this machine alone, or that of one network interface."
        checks.refuse(owner, told, way)
    if to and port == 0:
        checks.refuse(owner, f"{name}={address!r} has no port.", "Name the port that the peer listens at.")
    return host, port


class Arrival(NamedTuple):
    """A datagram that came in."""

    datagram: bytes  # its bytes
    source: Address  # where it came from
    time: int  # when, by the receiver's clock [ns]


class Transport(Protocol):
    """What a link sends and receives by; neither call ever waits or raises."""

    def put(self, datagram: bytes, target: Address, now: int) -> str:
        """Send at this time [ns]; returns what went wrong, or nothing."""

    def take(self, now: int) -> Arrival | None:
        """The next datagram that has arrived by now [ns]."""

    def only(self, remote: Address) -> str:
        """From now on hear nobody else, if the system can see to that; returns what went wrong, or nothing."""

    def wait(self, seconds: float, spin: float) -> bool:
        """Until something may have arrived, at most so long [s], without sleep for the first part [s] of it."""

    def close(self) -> None:
        """Close it."""
