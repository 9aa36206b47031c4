"""Every contest there is, and how they are played."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tegotae.bench import friction, hybrid, inclusion, multibody, peers, rod, steering
from tegotae.bench.contest import Contest, Outcome
from tegotae.errors import InputError


def contests() -> list[Contest]:
    """Every contest there is, in the order of play."""
    parts = (friction, inclusion, steering, rod, multibody, peers, hybrid)
    return [contest for part in parts for contest in part.CONTESTS]


def chosen(names: Iterable[str], only: Sequence[str]) -> list[str]:
    """The names that hold one of the words, in any case of letters; all of them without a word."""
    names = list(names)
    for word in only:
        if not any(word.lower() in name.lower() for name in names):
            known = "; ".join(names)
            raise InputError(f"bench: --only {word} names no contest.\n  Give a part of one of these: {known}.")
    return [name for name in names if not only or any(word.lower() in name.lower() for word in only)]


def run(
    only: Sequence[str] = (),
    report: Callable[[str], None] = lambda name: None,
    tell: Callable[[Outcome], None] = lambda outcome: None,
) -> list[Outcome]:
    """Play those that hold one of the words, or all.

    `report` hears the name of each contest before it is played, `tell` each outcome as soon as it is known.
    """
    outcomes: list[Outcome] = []
    everything = contests()
    names = chosen((contest.name for contest in everything), only)
    for contest in (contest for contest in everything if contest.name in names):
        report(contest.name)
        for outcome in contest.outcomes():
            tell(outcome)
            outcomes.append(outcome)
    return outcomes
