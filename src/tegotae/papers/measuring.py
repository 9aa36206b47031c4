"""What claims and contests measure alike: times taken in turn, and how far two answers are apart."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar

import numpy as np

from tegotae.checks import Array

Key = TypeVar("Key", bound=Hashable)


def in_turn(
    rivals: Mapping[Key, Callable[[], Any]], *, rounds: int = 15, clock: Callable[[], float] = time.perf_counter
) -> dict[Key, float]:
    """The best time [s] of each, all timed alternately so that a busy moment hits everyone alike.

    Each is played once before, since that may compile.
    """
    for play in rivals.values():
        play()
    best = dict.fromkeys(rivals, float("inf"))
    for _ in range(rounds):
        for name, play in rivals.items():
            start = clock()
            play()
            best[name] = min(best[name], clock() - start)
    return best


def apart(a: Array, b: Array) -> float:
    """The largest difference, over the largest number of the first."""
    return float(np.abs(a - b).max() / np.abs(a).max())
