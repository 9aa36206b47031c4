"""One contest: two or more things timed in turn, best of several, and a ratio held against a bound."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tegotae.papers.ledger import COMPARISONS, installed
from tegotae.papers.measuring import in_turn as in_turn  # which every contest calls: `bench --against` listens there

PATIENCE = 600.0  # [s], for a subprocess
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
    def asked(cls, name: str, measured: str, value: float, bound: str, *, also: bool = True) -> Outcome:
        """One that is met if the value keeps a bound such as "<= 15 ns", and whatever else is asked."""
        sign, limit = bound.split()[:2]
        return cls(name, measured, value, bound, COMPARISONS[sign](value, float(limit)) and also)

    @classmethod
    def skipped(cls, name: str, reason: str) -> Outcome:
        """Of a contest that could not be played."""
        return cls(name, reason, 0.0, NOT_MEASURED, False)

    @property
    def played(self) -> bool:
        """Whether it was measured at all."""
        return self.bound != NOT_MEASURED


Outcomes = Iterator[Outcome]  # of a contest, each as soon as it is known


@dataclass(frozen=True)
class Contest:
    """A named comparison; `play` runs it and gives one or several outcomes.

    Args:
        name: what it is about.
        play: plays it.
        yardsticks: rivals, as `in_turn` is told of them, that are not ours: from one commit to the next their times
            say what the machine did, not what we did.
        needs: the module of a peer, without which there is no contest.

    Example:
        >>> Contest("nothing", lambda: []).outcomes()
        []
    """

    name: str
    play: Callable[[], Iterable[Outcome]]
    yardsticks: tuple[str, ...] = ()
    needs: str = ""

    def outcomes(self) -> Iterable[Outcome]:
        """Of playing it, or the one that says which peer is missing."""
        if self.needs and not installed(self.needs):
            words = f"{self.needs} is not installed: `make bench` adds it, or pip install 'tegotae[bench]'"
            return [Outcome.skipped(self.name, words)]
        return self.play()


def in_fresh_process(function: Callable[[int], Any], number: int, **environment: str) -> Any:
    """What a function of a module gives for a whole number in a process of its own; its environment may be changed."""
    name = function.__name__
    code = f"import json; from {function.__module__} import {name}; print(json.dumps({name}({int(number)})))"
    command, changed = [sys.executable, "-c", code], os.environ | environment
    return json.loads(subprocess.check_output(command, env=changed, stderr=subprocess.PIPE, timeout=PATIENCE))
