"""Packets as signed datagrams.

All little-endian. Header: magic "TGTE", version (1 byte), kind (1), length of all (2), mark of the key (4), session
(8), birth of the session (8), session spoken to (8), sequence (8), label (double), stamp, echo and held (8 each,
signed). Then the parts of the packet, and the first 16 bytes of the HMAC-SHA256 of all before with the shared key. The
mark, four bytes of a hash of the key, only serves to tell a packet of another key from a damaged one.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from enum import Enum
from struct import Struct
from typing import NamedTuple

from tegotae import checks
from tegotae.errors import InputError
from tegotae.hybrid.links.packets import KINDS, Greeting, Packet

VERSION = 2
MAGIC = b"TGTE"
SHORTEST_KEY = 16  # bytes
_SIGNATURE = 16  # bytes
_HEADER = "<4sBBH4sQQQQdqqq"
_BEFORE = 5  # parts of a datagram before its session
_FORMS = {kind: (form, Struct(_HEADER + form.form)) for kind, form in KINDS.items()}
_BLOCK = 64  # bytes, of SHA-256
_CLAIMS, _CLAIMED = Struct("<QQQQ"), 12  # session, birth, session spoken to, sequence; and where they begin


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

    def sign(self, said: bytes) -> bytes:
        """The signature of some bytes."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(said)
        outer.update(inner.digest())
        return outer.digest()[:_SIGNATURE]


def encode(header: Header, packet: Packet | Greeting, seal: Seal) -> bytes:
    """A datagram."""
    form = _FORMS[packet.kind][1]
    said = form.pack(MAGIC, VERSION, packet.kind, form.size + _SIGNATURE, seal.mark, *header, *packet.parts())
    return said + seal.sign(said)


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


def claims(datagram: bytes) -> tuple[int, int, int]:
    """Session, session spoken to and sequence that a datagram claims; one that passed the first glance."""
    session, _, peer, sequence = _CLAIMS.unpack_from(datagram, _CLAIMED)
    return session, peer, sequence


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
