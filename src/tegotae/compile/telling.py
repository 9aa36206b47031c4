"""Who is told that something is compiled: whatever shows progress. By itself nothing is said."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_listeners: list[Callable[[bool], None]] = []
_turn = threading.RLock()
_at_work = 0


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
    """Something is compiled while the block runs; of several threads that compile, the first and the last are told of.

    Example:
        >>> with compiling():
        ...     pass
    """
    _count(1)
    try:
        yield
    finally:
        _count(-1)


def _count(more: int) -> None:
    global _at_work
    with _turn:
        before, _at_work = _at_work > 0, _at_work + more
        if before != (_at_work > 0):
            for tell in list(_listeners):
                tell(_at_work > 0)
