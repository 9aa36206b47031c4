"""What carries datagrams, and how that fails on purpose: they come late, twice, out of order, broken, or not at all."""

from __future__ import annotations

import heapq
import random
import socket
from dataclasses import dataclass
from typing import Annotated, NamedTuple, Protocol

from tegotae import checks
from tegotae.parameters import Declared, Parameter, Seed

Address = tuple[str, int]
LOOPBACK: Address = ("127.0.0.1", 0)


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


def bound(owner: str, name: str, host: str, kind: socket.SocketKind) -> socket.socket:
    """A socket at a port of this computer that is free now."""
    place = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, kind)
    try:
        place.bind((host, 0))
    except OSError as error:
        place.close()
        told = f"{name}: {host} is no address of this computer ({error.strerror})."
        way = "Use 127.0.0.1, or an address that `ip address` shows; start the other nodes on their computers."
        checks.refuse(owner, told, way)
    return place


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


_PART = "Give a part, 0 to 1: 0.3 for 30 %."


@dataclass(frozen=True, kw_only=True)
class Faults(Declared):
    """What happens to the datagrams that a link receives, each on its own; the same for the same seed.

    Example:
        >>> from tegotae.hybrid import Command, Faults, MemoryLink, VirtualClock
        >>> clock = VirtualClock(2e-3)
        >>> dynamics, table = MemoryLink.pair(clock, there=Faults(delay=4e-3))
        >>> dynamics.send(Command(label=0.0))
        True
        >>> [(clock.wait(), table.receive() is not None) for _ in range(4)]
        [(0, False), (1, False), (2, True), (3, False)]
    """

    delay: Annotated[
        float,
        Parameter("[s], >= 0, of every datagram, from when it came in; who asks once a period finds it at the next"),
    ] = 0.0
    jitter: Annotated[
        float,
        Parameter("[s], 0 to 60, added by chance, evenly spread from 0 to this; later ones may overtake earlier ones"),
    ] = 0.0
    loss: Annotated[float, Parameter("[-], 0 to 1, part that is lost", _PART)] = 0.0
    duplication: Annotated[
        float, Parameter("[-], 0 to 1, part that comes twice; the second time with a jitter of its own", _PART)
    ] = 0.0
    reordering: Annotated[
        float, Parameter("[-], >= 0, < 1, part that is held back until the next one has come in", _PART)
    ] = 0.0
    corruption: Annotated[float, Parameter("[-], 0 to 1, part with one bit turned over", _PART)] = 0.0
    drift: Annotated[
        float,
        Parameter(
            "[-], -0.1 to 0.1, how much faster than true the link's own clock runs; it shows in its time stamps only",
            "Give 1e-4 for 100 ppm.",
        ),
    ] = 0.0
    seed: Seed = 0

    def drifted(self, nanoseconds: int) -> int:
        """What a clock that drifts shows at a true time."""
        return nanoseconds + round(self.drift * nanoseconds)


class FaultyTransport:
    """A transport whose arrivals suffer; a salt makes the chances of two ends with the same seed differ."""

    def __init__(self, transport: Transport, faults: Faults, salt: str = "") -> None:
        remedy = "Give Faults(...), or None for a link without any."
        self._transport, self._faults = transport, checks.instance("FaultyTransport", "faults", faults, Faults, remedy)
        # What is sent is left alone, and what is held here is due later than anything that may be waited for.
        self.put, self.only, self.wait = transport.put, transport.only, transport.wait
        self._chance = random.Random(f"{faults.seed} {salt}")
        self._coming: list[tuple[int, int, Arrival]] = []  # by the time due, then in order
        self._count = 0
        self._held_back: list[Arrival] = []

    def take(self, now: int) -> Arrival | None:
        """The next datagram due by now [ns]."""
        while (arrival := self._transport.take(now)) is not None:
            self._meet(arrival)
        if self._coming and self._coming[0][0] <= now:
            return heapq.heappop(self._coming)[2]
        return None

    def close(self) -> None:
        """Close the true one; what is still held never arrives."""
        self._coming.clear()
        self._held_back.clear()
        self._transport.close()

    def _meet(self, arrival: Arrival) -> None:
        """Decide what becomes of it; all chances are drawn each time, so that one setting never shifts another."""
        chance, faults = self._chance.random, self._faults
        lost, twice, broken, swapped, spot = (chance() for _ in range(5))
        jitter, again = chance(), chance()
        if lost < faults.loss:
            return
        if broken < faults.corruption and arrival.datagram:
            datagram, bit = bytearray(arrival.datagram), int(spot * 8 * len(arrival.datagram))
            datagram[bit // 8] ^= 1 << (bit % 8)
            arrival = arrival._replace(datagram=bytes(datagram))
        if swapped < faults.reordering:
            self._held_back.append(arrival)
            return
        due = self._schedule(arrival, jitter)
        if twice < faults.duplication:
            self._schedule(arrival, again)
        for earlier in self._held_back:
            self._push(due, earlier)
        self._held_back.clear()

    def _schedule(self, arrival: Arrival, jitter: float) -> int:
        due = arrival.time + round(1e9 * (self._faults.delay + jitter * self._faults.jitter))
        self._push(due, arrival)
        return due

    def _push(self, due: int, arrival: Arrival) -> None:
        self._count += 1
        heapq.heappush(self._coming, (due, self._count, arrival._replace(time=due)))
