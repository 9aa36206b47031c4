"""Every contest there is, and how they are played."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict

from tegotae.bench import friction, hybrid, hybrid_nodes, inclusion, multibody, peers, rod, steering, touching
from tegotae.bench.contest import Contest, Outcome
from tegotae.checks import written_whole
from tegotae.errors import InputError


def contests() -> list[Contest]:
    """Every contest there is, in the order of play."""
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
