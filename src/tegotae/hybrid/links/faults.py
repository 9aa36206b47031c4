"""A bad network, on purpose: datagrams late, lost, twice, out of order, broken; time stamps of a clock that drifts."""

from __future__ import annotations

import heapq
import random
from dataclasses import dataclass
from typing import Annotated

from tegotae import checks
from tegotae.hybrid.links.transports import Address, Arrival, Transport
from tegotae.parameters import Declared, Parameter, Seed

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
        self._chance = random.Random(f"{faults.seed} {salt}")
        self._coming: list[tuple[int, int, Arrival]] = []  # by the time due, then in order
        self._count = 0
        self._held_back: list[Arrival] = []

    def put(self, datagram: bytes, target: Address, now: int) -> str:
        """Send, untouched."""
        return self._transport.put(datagram, target, now)

    def take(self, now: int) -> Arrival | None:
        """The next datagram due by now [ns]."""
        while (arrival := self._transport.take(now)) is not None:
            self._meet(arrival)
        if self._coming and self._coming[0][0] <= now:
            return heapq.heappop(self._coming)[2]
        return None

    def only(self, remote: Address) -> str:
        """From now on hear nobody else."""
        return self._transport.only(remote)

    def wait(self, seconds: float, spin: float) -> bool:
        """Until something arrives at the true transport, at most so long [s]; what is held here is due later."""
        return self._transport.wait(seconds, spin)

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
        if broken < faults.corruption:
            arrival = arrival._replace(datagram=_turned_over(arrival.datagram, spot))
        if swapped < faults.reordering:
            self._held_back.append(arrival)
            return
        due = self._schedule(arrival, jitter, arrival.time)
        if twice < faults.duplication:
            self._schedule(arrival, again, arrival.time)
        for earlier in self._held_back:
            self._push(due, earlier)
        self._held_back.clear()

    def _schedule(self, arrival: Arrival, jitter: float, time: int) -> int:
        due = time + round(1e9 * (self._faults.delay + jitter * self._faults.jitter))
        self._push(due, arrival)
        return due

    def _push(self, due: int, arrival: Arrival) -> None:
        self._count += 1
        heapq.heappush(self._coming, (due, self._count, arrival._replace(time=due)))


def _turned_over(datagram: bytes, spot: float) -> bytes:
    """One bit turned over."""
    if not datagram:
        return datagram
    bit = int(spot * 8 * len(datagram))
    broken = bytearray(datagram)
    broken[bit // 8] ^= 1 << (bit % 8)
    return bytes(broken)
