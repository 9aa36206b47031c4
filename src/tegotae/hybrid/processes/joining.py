"""How a node joins its session: addresses, key, links and bus, from the settings; and how it lives as a process."""

from __future__ import annotations

import gc
import os
import signal
import socket
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any, Self

from tegotae import checks
from tegotae.errors import FileError
from tegotae.hybrid.bus.bus import Bus
from tegotae.hybrid.clocks.clock import NodeClock, RealClock
from tegotae.hybrid.links.datagrams import Address, Faults, bound, checked_key, new_key
from tegotae.hybrid.links.kinds import UdpLink
from tegotae.hybrid.machines.model_settings import OWNER
from tegotae.hybrid.settings import Settings

NODES = ("dynamics", "table", "device", "log", "view")  # the order in which all list them on the bus
_BY_HAND = (
    "Name a port that is free, the same in the settings of all nodes; "
    "`tegotae hybrid show FILE --ports` fills them in, and `hybrid run` chooses by itself."
)


def address_of(name: str, text: str) -> Address:
    """The address and port that a setting names, such as ``"127.0.0.1:7400"``; an IPv6 address stands in brackets."""
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not (colon and host and port.isascii() and port.isdigit() and int(port) < 65536):
        checks.refuse(OWNER, f"{name}={text!r} is not an address and a port.", "Write it as '127.0.0.1:7400'.")
    return host, int(port)


def fixed(name: str, text: str) -> Address:
    """An address that names its port, as nodes need that look for each other."""
    address = address_of(name, text)
    if address[1] == 0:
        checks.refuse(OWNER, f"{name}={text!r} has port 0, at which no other node can find it.", _BY_HAND)
    return address


def with_ports(settings: Settings) -> Settings:
    """The same settings with a free port wherever theirs is 0."""
    with ExitStack() as held:  # all at once: none is chosen twice

        def filled(group: str, name: str, text: str, kind: socket.SocketKind) -> str:
            host, port = address_of(f"{group}.{name}", text)
            if port:
                return text
            place = held.enter_context(bound(OWNER, f"{group}.{name}={text!r}", host, kind))
            return f"{text.rpartition(':')[0]}:{place.getsockname()[1]}"

        fast = ("dynamics", "table", "table_device", "device")
        link: dict[str, Any] = {n: filled("link", n, getattr(settings.link, n), socket.SOCK_DGRAM) for n in fast}
        bus = {n: filled("bus", n, getattr(settings.bus, n), socket.SOCK_STREAM) for n in NODES}
    return replace(settings, link=replace(settings.link, **link), bus=replace(settings.bus, **bus))


def make_key(path: str | os.PathLike[str]) -> Path:
    """A new key in a file that only its owner may read. Never replaces a file."""
    place = checks.target_of(path)
    try:
        handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise FileError(
            f"Cannot write {path}: it exists, and nodes that have it would no longer be let in.\n  Choose another name."
        ) from error
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(f"{new_key().hex()}\n")
    except OSError as error:  # nothing half written: it would be in the way of the next attempt
        place.unlink()
        raise FileError(f"Cannot write {path}: {error.strerror}.\n  Choose a folder with room.") from error
    return place


def key_of(settings: Settings) -> bytes:
    """The key in the file that the settings name, which must be private."""
    path = settings.link.key
    if not path:
        remedy = "`tegotae hybrid key table.key` makes one; give all nodes the same, and keep it private."
        checks.refuse(OWNER, "link.key names no key file.", remedy)
    remedy = "`tegotae hybrid key FILE` makes one."
    try:
        with open(path, encoding="ascii") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            text = file.read(4096).strip()
    except (OSError, UnicodeDecodeError) as error:
        why = "there is no such file" if isinstance(error, FileNotFoundError) else error
        raise FileError(f"Cannot read the key {path}: {why}.\n  {remedy}") from error
    if mode & 0o077:
        raise FileError(
            f"The key {path} can be read by others (mode {mode:o}), who could then move the table.\n"
            f"  `chmod 600 {path}`, or make a new one: {remedy}"
        )
    try:
        return checked_key("key", bytes.fromhex(text))
    except ValueError as error:  # what the file holds is not shown
        raise FileError(f"Cannot read the key {path}: it does not hold hexadecimal digits.\n  {remedy}") from error


def clock_of(settings: Settings) -> RealClock:
    """What a node's loop waits for."""
    wait = settings.waiting
    return RealClock(settings.period, spin=wait.spin, priority=wait.priority or None, lock_memory=wait.lock_memory)


def link_of(settings: Settings, local: str, remote: str, *, clock: NodeClock, faults: Faults | None = None) -> UdpLink:
    """A fast link between two places of the settings, such as "table" and "dynamics"; faults befall what comes in."""
    link = settings.link
    return UdpLink(
        local=fixed(f"link.{local}", getattr(link, local)),
        remote=fixed(f"link.{remote}", getattr(link, remote)),
        key=key_of(settings),
        max_age=link.max_age,
        clock=clock,
        faults=None if faults == Faults(seed=link.seed) else faults,
    )


def bus_of(settings: Settings, node: str | None) -> Bus:
    """The bus, joined as one of the nodes, or as a visitor who listens nowhere."""
    bus = settings.bus
    listen = None if node is None else fixed(f"bus.{node}", getattr(bus, node))
    places = [address_of(f"bus.{node}", getattr(bus, node)) for node in NODES]  # in the order that all of them keep
    peers = [place for place in places if place[1]]
    if not peers:
        checks.refuse(OWNER, "no node has a port in [bus].", _BY_HAND)
    from tegotae.hybrid.bus.zenoh_bus import ZenohBus

    return ZenohBus(settings.session, key=key_of(settings), listen=listen, peers=peers)


MEETING = 300.0  # s, for others to come: they may have to compile, all at once, on a busy machine


class ShutdownFlag:
    """Whether a process is to end: a signal came, or its parent is gone. A flag that costs next to nothing."""

    def __init__(self, parent: int | None = None) -> None:
        self._parent = parent
        self._asked = False
        self._before: dict[signal.Signals, Any] = {}

    def __bool__(self) -> bool:
        return self._asked or (self._parent is not None and os.getppid() != self._parent)

    def __enter__(self) -> Self:
        self._before = {one: signal.signal(one, self._ask) for one in (signal.SIGTERM, signal.SIGINT)}
        return self

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self._asked = True

    def __exit__(self, *trouble: object) -> None:
        for one, handler in self._before.items():
            signal.signal(one, handler)


@contextmanager
def gc_disabled() -> Iterator[None]:
    """A loop that the garbage collector leaves alone: nothing in it makes circles, and a look at all takes a tick."""
    was = gc.isenabled()
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.unfreeze()
        if was:
            gc.enable()


def raise_priority(nice: int) -> str:
    """Have this process run before others where they compete, from -20 to 0; why not, in words, or nothing."""
    if nice == 0:
        return ""
    try:
        os.setpriority(os.PRIO_PROCESS, 0, min(nice, os.getpriority(os.PRIO_PROCESS, 0)))
    except OSError as error:
        why = f"waiting.nice={nice}: {error.strerror}"
        return f"not allowed to go before other programs ({why}): more ticks may be late"
    return ""
