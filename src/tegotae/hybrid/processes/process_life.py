"""What all nodes have in common as processes: when they end, how they join, and that nothing disturbs their loops."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, Self

import msgspec

from tegotae import checks
from tegotae.hybrid.bus.bus import Bus
from tegotae.hybrid.settings import Settings

MEETING = 300.0  # s, for others to come: they may have to compile, all at once, on a busy machine
_EXPLAINED = 5.0  # s of waiting after which it is told what may be wrong, and again


class ShutdownFlag:
    """Whether a process is to end: a signal came, or its parent is gone. Looks like a flag, and costs next to nothing.

    Args:
        parent: process without which this one ends; None for none.
    """

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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
    """Have this process run before others where they compete; why not, in words, or nothing.

    Args:
        nice: -20 to 0; 0 leaves it as it is.
    """
    if not -20 <= nice <= 0:
        checks.refuse("hybrid settings", f"waiting.nice={nice} is not within -20 to 0.", "Use 0 for no preference.")
    if nice == 0:
        return ""
    try:
        os.setpriority(os.PRIO_PROCESS, 0, min(nice, os.getpriority(os.PRIO_PROCESS, 0)))
    except OSError as error:
        return (
            f"not allowed to go before other programs (waiting.nice={nice}: {error.strerror}): more ticks may be late"
        )
    return ""


def join(
    settings: Settings,
    node: str,
    bus: Bus,
    awaited: Sequence[str],
    ending: ShutdownFlag,
    meanwhile: Callable[[], object] = lambda: None,
    tell: Callable[[str], None] = lambda words: None,
    hello: str = "",
) -> None:
    """Make a node known, answer for its parameters, and wait for those without whom it does not begin.

    A node does not begin beside one of another version.

    Args:
        settings: of the session.
        node: its name.
        bus: that it joined.
        awaited: names of the others.
        ending: whether to give up.
        meanwhile: called a hundred times a second, to empty links that others fill already.
        tell: called with what may be wrong, in words, while others do not come.
        hello: what is told at once: that it has started, and what it waits for; "" tells nothing.
    """
    told = msgspec.json.encode(settings.tables())
    bus.answer(f"{bus.session}/parameters/{node}", lambda asked: told)
    bus.declare(node, {"pid": os.getpid()})
    if hello:
        tell(f"{node}: started, {hello}")
    began = time.monotonic()
    explained, missing = began + _EXPLAINED, list(awaited)
    while missing and not ending:
        missing = [one for one in awaited if one not in bus.nodes()]
        now = time.monotonic()
        if missing and now > began + MEETING:
            words = "; ".join(bus.meet(missing, 0.0))
            checks.refuse(
                f"hybrid {node}", f"{words} after {MEETING:g} s.", "Start it, with the same settings and key."
            )
        if missing and now > explained:
            explained = now + _EXPLAINED
            tell(f"still waiting: {'; '.join(bus.meet(missing, 0.0))}")
        if missing:
            meanwhile()
            time.sleep(0.01)
    if others := bus.versions():
        checks.refuse(f"hybrid {node}", " ".join(others), "Then start it again.")
