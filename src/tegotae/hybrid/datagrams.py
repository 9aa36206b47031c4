"""Packets as signed datagrams.

All little-endian. Header: magic "TGTE", version (1 byte), kind (1), length of the payload (2), session (8), birth of
the session (8), session spoken to (8), sequence (8), label (double), stamp, echo and held (8 each, signed). Then the
payload, the CRC-32 of all before (4), and the first 16 bytes of the HMAC-SHA256 of all before with the shared key.
"""

from __future__ import annotations

import hmac
import math
import secrets
import zlib
from enum import Enum
from struct import Struct
from typing import NamedTuple

from tegotae import checks
from tegotae.errors import InputError
from tegotae.hybrid.packets import KINDS, Greeting, Packet

VERSION = 1
MAGIC = b"TGTE"
SHORTEST_KEY = 16  # bytes
_SIGNATURE = 16  # bytes
_HEADER = Struct("<4sBBHQQQQdqqq")
_CHECKSUM = Struct("<I")
_BEYOND = _CHECKSUM.size + _SIGNATURE


class Header(NamedTuple):
    """What stands before every payload.

    Args:
        kind: of the payload.
        session: of the sender, drawn at random when its link was opened.
        born: when that was, by its wall clock [ns]; a later session replaces an earlier one.
        peer: the session spoken to; 0 if the sender has not heard of one.
        sequence: counts the sender's packets from 1.
        label: simulated time [s].
        stamp: time of sending, by the sender's monotonic clock [ns].
        echo: stamp of the newest packet that the sender had from its peer [ns].
        held: how long ago that came in [ns].

    Example:
        >>> from tegotae.hybrid.datagrams import Header
        >>> Header(kind=3, session=7, born=0, peer=0, sequence=1, label=0.0, stamp=0, echo=0, held=0).sequence
        1
    """

    kind: int
    session: int
    born: int
    peer: int
    sequence: int
    label: float
    stamp: int
    echo: int
    held: int


class Refusal(Enum):
    """Why a datagram is no packet.

    Example:
        >>> Refusal.FOREIGN.value
        'its signature is of another key'
    """

    MALFORMED = "its length, magic, kind, checksum or numbers are wrong"
    VERSION = "it is of another version"
    FOREIGN = "its signature is of another key"


def new_key() -> bytes:
    """A key for two nodes to share: 32 random bytes. Whoever has it can move the table; keep it in a private file.

    Example:
        >>> from tegotae.hybrid import new_key
        >>> len(new_key()), new_key() == new_key()
        (32, False)
    """
    return secrets.token_bytes(32)


def checked_key(own: str, key: bytes) -> bytes:
    """A key long enough, or an error that does not show it.

    Example:
        >>> checked_key("Link", bytes(16)) == bytes(16)
        True
    """
    if not isinstance(key, bytes | bytearray):
        checks.refuse(own, f"key is of type {type(key).__name__}.", "Give bytes, such as new_key() makes.")
    if len(key) < SHORTEST_KEY:
        checks.refuse(own, f"key has {len(key)} bytes.", f"Give {SHORTEST_KEY} or more, such as new_key() makes.")
    return bytes(key)


def encode(header: Header, packet: Packet | Greeting, key: bytes) -> bytes:
    """A datagram.

    Args:
        header: all but `kind` and `label` are taken from it.
        packet: what to say.
        key: shared with the receiver.

    Example:
        >>> from tegotae.hybrid.datagrams import Header, decode, encode
        >>> from tegotae.hybrid import Heartbeat
        >>> said = encode(Header(3, 7, 0, 0, 1, 0.5, 0, 0, 0), Heartbeat(label=0.5), bytes(16))
        >>> len(said), decode(said, bytes(16))[1]
        (100, Heartbeat(label=0.5, state=<State.RUNNING: 1>))
    """
    payload = packet.payload()
    said = _HEADER.pack(
        MAGIC, VERSION, packet.kind, len(payload), header.session, header.born, header.peer, header.sequence,
        packet.label, header.stamp, header.echo, header.held,
    )  # fmt: skip
    said += payload
    said += _CHECKSUM.pack(zlib.crc32(said))
    return said + hmac.digest(key, said, "sha256")[:_SIGNATURE]


def version_of(datagram: bytes) -> int | None:
    """The version that a datagram claims, None if it is not one of ours.

    Example:
        >>> version_of(b"TGTE\\x09 and more") , version_of(b"something else")
        (9, None)
    """
    return datagram[4] if len(datagram) > 4 and datagram[:4] == MAGIC else None


def decode(datagram: bytes, key: bytes) -> tuple[Header, Packet | Greeting] | Refusal:
    """What a datagram says, or why it is not heard; whatever comes in, nothing is raised.

    Args:
        datagram: as received.
        key: shared with the sender.

    Example:
        >>> from tegotae.hybrid.datagrams import decode
        >>> decode(b"noise", bytes(16))
        <Refusal.MALFORMED: 'its length, magic, kind, checksum or numbers are wrong'>
    """
    size = len(datagram)
    if size < 5 or datagram[:4] != MAGIC:
        return Refusal.MALFORMED
    if datagram[4] != VERSION:
        return Refusal.VERSION
    if size < _HEADER.size + _BEYOND:
        return Refusal.MALFORMED
    _, _, kind, length, session, born, peer, sequence, label, stamp, echo, held = _HEADER.unpack_from(datagram)
    form, end = KINDS.get(kind), _HEADER.size + length
    if form is None or length != form.layout.size or size != end + _BEYOND:
        return Refusal.MALFORMED
    if _CHECKSUM.unpack_from(datagram, end)[0] != zlib.crc32(datagram[:end]):
        return Refusal.MALFORMED
    signed = datagram[:-_SIGNATURE]
    if not hmac.compare_digest(hmac.digest(key, signed, "sha256")[:_SIGNATURE], datagram[-_SIGNATURE:]):
        return Refusal.FOREIGN
    if not math.isfinite(label):
        return Refusal.MALFORMED
    try:
        packet = form.of(label, datagram, _HEADER.size)
    except InputError:  # numbers that no honest sender could have put in
        return Refusal.MALFORMED
    return Header(kind, session, born, peer, sequence, label, stamp, echo, held), packet
