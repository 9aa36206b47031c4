"""Packets as signed datagrams; what carries these, how that fails on purpose, and which of them have come.

All little-endian. Header: magic "TGTE", version (1 byte), kind (1), length of all (2), mark of the key (4), session
(8), birth of the session (8), session spoken to (8), sequence (8), label (double), stamp, echo and held (8 each,
signed). Then the parts of the packet, and the first 16 bytes of the HMAC-SHA256 of all before with the shared key. The
mark, four bytes of a hash of the key, only serves to tell a packet of another key from a damaged one.
"""

from __future__ import annotations

import hashlib
import heapq
import hmac
import random
import secrets
import socket
from dataclasses import dataclass
from enum import Enum
from struct import Struct
from typing import Annotated, NamedTuple, Protocol

from tegotae import checks
from tegotae.errors import InputError
from tegotae.hybrid.links.packets import KINDS, Greeting, Packet
from tegotae.parameters import Declared, Parameter, Seed

VERSION = 2
MAGIC = b"TGTE"
SHORTEST_KEY = 16  # bytes
_SIGNATURE = 16  # bytes
_HEADER = "<4sBBH4sQQQQdqqq"
_BEFORE = 5  # parts of a datagram before its session
_FORMS = {kind: (form, Struct(_HEADER + form.form)) for kind, form in KINDS.items()}
_BLOCK = 64  # bytes, of SHA-256
CLAIMS, CLAIMED = Struct("<QQQQ"), 12  # session, birth, session spoken to, sequence; and where they begin


class Header(NamedTuple):
    """What stands before every payload."""

    session: int  # of the sender, drawn at random when its link was opened
    born: int  # when that was, by its wall clock [ns]; a later session replaces an earlier one
    peer: int  # the session spoken to; 0 if the sender has not heard of one
    sequence: int  # counts the sender's packets from 1
    label: float  # simulated time [s]
    stamp: int  # time of sending, by the sender's monotonic clock [ns]
    echo: int  # stamp of the newest packet that the sender had from its peer [ns]
    held: int  # how long ago that came in [ns]


class Refusal(Enum):
    """Why a datagram is no packet."""

    MALFORMED = "its length, magic, kind, numbers or, under the right key, signature are wrong"
    VERSION = "it is of another version"
    FOREIGN = "it is signed with another key"


def new_key() -> bytes:
    """A key for two nodes to share: 32 random bytes. Whoever has it can move the table; keep it in a private file.

    Example:
        >>> from tegotae.hybrid import new_key
        >>> len(new_key()), new_key() == new_key()
        (32, False)
    """
    return secrets.token_bytes(32)


def checked_key(owner: str, key: bytes) -> bytes:
    """A key long enough, or an error that does not show it."""
    if not isinstance(key, bytes | bytearray):
        checks.refuse(owner, f"key is of type {type(key).__name__}.", "Give bytes, such as new_key() makes.")
    if len(key) < SHORTEST_KEY:
        checks.refuse(owner, f"key has {len(key)} bytes.", f"Give {SHORTEST_KEY} or more, such as new_key() makes.")
    return bytes(key)


class Seal:
    """Signs datagrams with a key, by HMAC-SHA256 cut to 16 bytes.

    The two blocks that depend on the key alone are hashed once, which makes a signature three times cheaper.
    """

    __slots__ = ("_inner", "_outer", "mark")

    def __init__(self, key: bytes) -> None:
        block = (key if len(key) <= _BLOCK else hashlib.sha256(key).digest()).ljust(_BLOCK, b"\0")
        self._inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in block))
        self._outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in block))
        self.mark = hashlib.sha256(b"tegotae fast link" + key).digest()[:4]

    def sign(self, data: bytes) -> bytes:
        """The signature of some bytes."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(data)
        outer.update(inner.digest())
        return outer.digest()[:_SIGNATURE]


def encode(header: Header, packet: Packet | Greeting, seal: Seal) -> bytes:
    """A datagram."""
    form = _FORMS[packet.kind][1]
    body = form.pack(MAGIC, VERSION, packet.kind, form.size + _SIGNATURE, seal.mark, *header, *packet.parts())
    return body + seal.sign(body)


def glance(datagram: bytes, seal: Seal) -> Refusal | None:
    """Why a datagram is not heard, as far as that shows without its signature; a tenth of the work of `decode`."""
    size = len(datagram)
    if size < 12 or datagram[:4] != MAGIC:
        return Refusal.MALFORMED
    if datagram[4] != VERSION:
        return Refusal.VERSION
    found = _FORMS.get(datagram[5])
    if found is None or size != found[1].size + _SIGNATURE:
        return Refusal.MALFORMED
    return None if datagram[8:12] == seal.mark else Refusal.FOREIGN


def decode(datagram: bytes, seal: Seal) -> tuple[Header, Packet | Greeting] | Refusal:
    """What a datagram says, or why it is not heard; whatever comes in, nothing is raised."""
    if (refusal := glance(datagram, seal)) is not None:
        return refusal
    kind, form = _FORMS[datagram[5]]
    if not hmac.compare_digest(seal.sign(datagram[:-_SIGNATURE]), datagram[-_SIGNATURE:]):
        return Refusal.MALFORMED
    it = form.unpack_from(datagram)
    header = Header._make(it[_BEFORE : _BEFORE + 8])
    try:
        return header, kind.of(header.label, it[_BEFORE + 8 :])
    except InputError:  # numbers that no honest sender could have put in
        return Refusal.MALFORMED


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
        problem = f"{name}={address!r} names no address."
        advice = "Name the one to listen at: 127.0.0.1 for this machine alone, or that of one network interface."
        checks.refuse(owner, problem, advice)
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
        problem = f"{name}: {host} is not an address of this computer ({error.strerror})."
        remedy = "Use 127.0.0.1, or an address that `ip address` shows; start the other nodes on their computers."
        checks.refuse(owner, problem, remedy)
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
        """From now on receive from this peer alone, if the system can do that; returns what went wrong, or nothing."""

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
            self._apply_faults(arrival)
        if self._coming and self._coming[0][0] <= now:
            return heapq.heappop(self._coming)[2]
        return None

    def close(self) -> None:
        """Close the true one; what is still held never arrives."""
        self._coming.clear()
        self._held_back.clear()
        self._transport.close()

    def _apply_faults(self, arrival: Arrival) -> None:
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


_WINDOW = 1024  # packets behind the newest that can still be told apart: 2 s at 500 Hz
_MASK = (1 << _WINDOW) - 1


class SequenceOrder(Enum):
    """How a sequence number stands to those before."""

    NEW = "newer than all"
    LATE = "came after a newer one"
    AGAIN = "came before"
    ANCIENT = "too far behind to tell"


@dataclass
class LinkPeer:
    """A session of the other side."""

    session: int  # its number
    born: int  # when it began, by its wall clock [ns]
    address: Address  # where it is
    first: int  # sequence number of its first packet that counts
    stamp: int = 0  # of its newest packet, by its clock [ns]
    arrived: int = 0  # when that came in, by ours [ns]

    def __post_init__(self) -> None:
        self.fresh = self.arrived  # when one came in that was not too old
        self._newest, self._seen = self.first - 1, 0

    def had(self, sequence: int) -> bool:
        """Whether a packet came before, or is too far behind to tell."""
        behind = self._newest - sequence
        return behind >= _WINDOW or (behind >= 0 and bool(self._seen >> behind & 1))

    def order(self, sequence: int) -> tuple[SequenceOrder, int]:
        """Where a packet stands, and how many gaps it leaves if new, or fills if late; it is remembered."""
        ahead = sequence - self._newest
        if ahead > 0:
            self._newest = sequence
            self._seen = (self._seen << min(ahead, _WINDOW) | 1) & _MASK
            return SequenceOrder.NEW, ahead - 1
        if self.had(sequence):
            return SequenceOrder.ANCIENT if ahead <= -_WINDOW else SequenceOrder.AGAIN, 0
        self._seen |= 1 << -ahead
        return SequenceOrder.LATE, int(sequence >= self.first)  # what came before the first was never missed
