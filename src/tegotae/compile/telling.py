"""Who is told that something is compiled: whatever shows progress. By itself nothing is said."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_listeners: list[Callable[[bool], None]] = []
_turn = threading.RLock()
_compiled_now = 0


@contextmanager
def told_of_compiling(tell: Callable[[bool], None]) -> Iterator[None]:
    """While the block runs, `tell` is called with True when something begins to be compiled, with False at its end.

    Example:
        >>> heard = []
        >>> with told_of_compiling(heard.append), compiling():
        ...     pass
        >>> heard
        [True, False]
    """
    with _turn:
        _listeners.append(tell)
    try:
        yield
    finally:
        with _turn:
            _listeners.remove(tell)


@contextmanager
def compiling() -> Iterator[None]:
    """Something is compiled while the block runs; of several threads, the first and the last are told of."""
    at_work(+1)
    try:
        yield
    finally:
        at_work(-1)


def at_work(more: int) -> None:
    """One more is compiled (+1), or one less (-1)."""
    global _compiled_now
    with _turn:
        before, _compiled_now = _compiled_now > 0, _compiled_now + more
        if before != (_compiled_now > 0):
            for tell in list(_listeners):
                tell(_compiled_now > 0)
