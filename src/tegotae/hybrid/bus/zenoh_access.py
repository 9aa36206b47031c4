"""Who may join a zenoh bus, and where: addresses, the key, and how a session is opened.

A peer must know a password that is derived from the shared key; zenoh has it proven without sending it. Besides,
every message is sealed with another secret derived from the key, since zenoh has only the one who connects prove
anything. Contents are not encrypted, and a message that is sent again is not told from the first: what must not happen
twice needs more than a seal, see `reporting`.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import socket
import tempfile
from collections.abc import Sequence
from typing import Any

from tegotae.errors import InputError
from tegotae.hybrid.links.datagrams import checked_key
from tegotae.hybrid.links.transports import Address

LOOPBACK: Address = ("127.0.0.1", 0)
SEAL = 16  # bytes

_OWN = "ZenohBus"
_USER = "tegotae"
_LEASE = 10_000  # ms of silence after which a peer is given up; a process that is killed is noticed at once
_QUEUE = 16  # batches that wait for a slow peer, the most that zenoh allows: seconds of rows
_OPENING = 1.0  # s, for a peer to let us in; tried again if it takes longer
_QUIET = {"multicast": {"enabled": False}, "gossip": {"enabled": False}, "delay": 0}


def free_address(host: str = "127.0.0.1") -> Address:
    """An address at which nobody listens now."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as it:
        try:
            it.bind((host, 0))
        except OSError as error:
            raise InputError(
                f"{_OWN}: host={host!r} is no address of this computer ({error.strerror}).\n"
                "  Use 127.0.0.1, or an address that `ip address` shows."
            ) from error
        return host, int(it.getsockname()[1])


def endpoint(address: Address) -> str:
    """An address as zenoh writes it."""
    host, port = address
    return f"tcp/[{host}]:{port}" if ":" in host else f"tcp/{host}:{port}"


class Access:
    """What a key gives: a password to open sessions with, and a seal for messages."""

    def __init__(self, key: bytes) -> None:
        key = checked_key(_OWN, key)
        self._password = hmac.digest(key, b"tegotae bus password", "sha256").hex()
        self._secret = hmac.digest(key, b"tegotae bus seal", "sha256")

    def seal(self, purpose: bytes, topic: str, payload: bytes) -> bytes:
        """Bytes that only those with the key can give for this message."""
        it = hashlib.blake2b(key=self._secret, digest_size=SEAL)
        for part in (purpose, topic.encode()):
            it.update(len(part).to_bytes(4, "little") + part)
        it.update(payload)
        return it.digest()

    def peer(self, listen: Address | None, connect: Sequence[Address]) -> Any:
        """A session that listens here, and connects there as soon as somebody is there."""
        retry = {"period_init_ms": 50, "period_max_ms": 500, "period_increase_factor": 2}
        queue = {"size": {"data": _QUEUE}, "congestion_control": {"drop": {"wait_before_drop": 0}}}
        settings: dict[str, object] = {
            "mode": "peer",
            "listen": {"endpoints": [] if listen is None else [endpoint(listen)], "exit_on_failure": True},
            "connect": {
                "endpoints": [endpoint(one) for one in connect],
                "timeout_ms": -1,
                "exit_on_failure": False,
                "retry": retry,
            },
        }
        return self._opened(settings, {"tx": {"lease": _LEASE, "queue": queue}})

    def refusal(self, address: Address) -> str:
        """Why somebody who listens there does not let us in; nothing if nobody listens, or all is well."""
        from zenoh import ZError

        try:
            socket.create_connection(address, _OPENING).close()
        except OSError:  # nobody is there, which is no refusal
            return ""
        connect = {"endpoints": [endpoint(address)], "timeout_ms": 0, "exit_on_failure": True}
        try:
            self._opened({"mode": "client", "connect": connect}, {}).close()
        except ZError:
            return (
                f"{address[0]}:{address[1]} listens but refuses this node: it has another key, or is no node of "
                "tegotae. Give all nodes the same key file, and addresses that nothing else uses."
            )
        return ""

    def _opened(self, settings: dict[str, object], link: dict[str, object]) -> Any:
        """A session that proves our key to others and has them prove theirs."""
        import zenoh

        handle, path = tempfile.mkstemp(prefix="tegotae-")  # zenoh reads passwords from a file only; this is private
        try:
            with os.fdopen(handle, "w") as file:
                file.write(f"{_USER}:{self._password}\n")
            transport = {
                "auth": {"usrpwd": {"user": _USER, "password": self._password, "dictionary_file": path}},
                "link": {"protocols": ["tcp"], **link},
                "shared_memory": {"enabled": False},  # a killed process would leave its segments behind
                "unicast": {"open_timeout": round(1e3 * _OPENING)},
            }
            config = json.dumps({**settings, "scouting": _QUIET, "transport": transport})
            return zenoh.open(zenoh.Config.from_json5(config))
        finally:
            os.unlink(path)


def unopened(address: Address | None, words: str) -> str:
    """What to tell when zenoh cannot listen at an address."""
    if address is None:
        return f"{_OWN}: zenoh does not start ({words}).\n  Check the addresses of the peers."
    host, port = address
    if "Address already in use" in words:
        return (
            f"{_OWN}: port {port} of {host} is in use.\n"
            "  End the program that listens there (`ss -ltnp` names it), or choose another port for this node."
        )
    return f"{_OWN}: cannot listen at {host}:{port} ({words.split(' at /')[0]}).\n  Name an address of this computer."
