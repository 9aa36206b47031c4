"""What all nodes have in common as processes: when they end, and that nothing disturbs their loops."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Self

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
