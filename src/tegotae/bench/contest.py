"""One contest: two or more things timed in turn, best of several, and a ratio held against a bound."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tegotae.checks import written_whole
from tegotae.errors import InputError

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
    """The best time [s] of each, all timed alternately so that a busy moment hits everyone alike.

    Example:
        >>> sorted(in_turn({"a": lambda: None, "b": lambda: None}, rounds=2))
        ['a', 'b']
    """
    best = dict.fromkeys(rivals, float("inf"))
    for _ in range(rounds):
        for name, play in rivals.items():
            start = time.perf_counter()
            play()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def contests() -> list[Contest]:
    """Every contest there is, in the order of play."""
    from tegotae.bench import friction, hybrid, hybrid_nodes, inclusion, multibody, peers, rod, steering, touching

    parts = (friction, inclusion, steering, rod, multibody, touching, hybrid, hybrid_nodes, peers)
    return [contest for part in parts for contest in part.CONTESTS]


def chosen(names: Iterable[str], only: Sequence[str]) -> list[str]:
    """The names that hold one of the words, in any case of letters; all of them without a word.

    Example:
        >>> chosen(["rod, snake", "circuit"], ["Rod"])
        ['rod, snake']
    """
    names = list(names)
    for word in only:
        if not any(word.lower() in name.lower() for name in names):
            known = "; ".join(names)
            raise InputError(f"bench: --only {word} names no contest.\n  Give a part of one of these: {known}.")
    return [name for name in names if not only or any(word.lower() in name.lower() for word in only)]


def run(
    json_path: str | os.PathLike[str] | None = None,
    only: Sequence[str] = (),
    report: Callable[[str], None] | None = None,
    tell: Callable[[Outcome], None] | None = None,
) -> list[Outcome]:
    """Play the contests; write the outcomes as JSON if a path is given.

    Args:
        json_path: where to write {"outcomes": [...]}.
        only: words, of which the name of a contest must hold one; without any, all are played.
        report: called with the name of each contest before it is played.
        tell: called with each outcome as soon as it is known.

    Example:
        >>> from tegotae.bench import run
        >>> run.__name__  # playing takes a minute or two: `tegotae bench`
        'run'
    """
    outcomes: list[Outcome] = []
    everything = contests()
    names = chosen((contest.name for contest in everything), only)
    for contest in (contest for contest in everything if contest.name in names):
        if report is not None:
            report(contest.name)
        known = contest.play()
        if tell is not None:
            for outcome in known:
                tell(outcome)
        outcomes += known
    if json_path is not None:
        with written_whole(json_path) as beside:
            beside.write_text(json.dumps({"outcomes": [asdict(o) for o in outcomes]}, indent=1), encoding="utf-8")
    return outcomes
