"""What carries datagrams."""

from __future__ import annotations

from typing import NamedTuple, Protocol

Address = tuple[str, int]


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
