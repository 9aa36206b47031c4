"""One contest: two or more things timed in turn, best of several, and a ratio held against a bound."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

NOT_MEASURED = "not measured"  # the bound of a contest whose peer is not installed


@dataclass(frozen=True)
class Outcome:
    """What a contest measured.

    Args:
        name: what was compared.
        measured: the times and other figures, as text.
        value: the number that the bound speaks of: a ratio [-], or a time or creep in the unit of the bound.
        bound: what is asked of it, as text.
        met: whether it holds in this run.

    Example:
        >>> Outcome("circuit", "90 ns against 80 ns", 1.125, "<= 1.2", True).met
        True
    """

    name: str
    measured: str
    value: float
    bound: str
    met: bool

    @classmethod
    def skipped(cls, name: str, reason: str) -> Outcome:
        """Of a contest that could not be played."""
        return cls(name, reason, 0.0, NOT_MEASURED, False)

    @property
    def played(self) -> bool:
        """Whether it was measured at all."""
        return self.bound != NOT_MEASURED


@dataclass(frozen=True)
class Contest:
    """A named comparison; `play` runs it and gives one or several outcomes.

    Args:
        name: what it is about.
        play: plays it.
        yardsticks: rivals, as `in_turn` is told of them, that are not ours: from one commit to the next their times
            say what the machine did, not what we did.

    Example:
        >>> Contest("nothing", lambda: []).play()
        []
    """

    name: str
    play: Callable[[], Sequence[Outcome]]
    yardsticks: tuple[str, ...] = ()


def in_turn(rivals: Mapping[str, Callable[[], Any]], *, rounds: int = 15) -> dict[str, float]:
    """The best time [s] of each, all timed alternately so that a busy moment hits everyone alike."""
    best = dict.fromkeys(rivals, float("inf"))
    for _ in range(rounds):
        for name, play in rivals.items():
            start = time.perf_counter()
            play()
            best[name] = min(best[name], time.perf_counter() - start)
    return best
