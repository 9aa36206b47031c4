"""This tree against a commit: the same contests on both sides, in turn, and ratios of our own times."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from tegotae.bench.contests import chosen
from tegotae.bench.sides import Side, laid_out
from tegotae.errors import InputError

SLOWER = 1.10  # times as long as before: more is told as slower

Report = Callable[[str], None]


@dataclass(frozen=True)
class Timing:
    """One thing that a contest times, round by round."""

    name: str  # as the contest calls it
    yardstick: bool  # whether it is not ours
    new: tuple[float, ...]  # best times in this tree, one a round [s]
    old: tuple[float, ...]  # those of the commit [s], each taken right after the one of the same round

    @property
    def ratios(self) -> tuple[float, ...]:
        """New over old, round by round: what slowed both for a while cancels."""
        return tuple(new / old for new, old in zip(self.new, self.old, strict=True))

    @property
    def ratio(self) -> float:
        """The median of them."""
        return statistics.median(self.ratios)


@dataclass(frozen=True)
class ContestComparison:
    """What became of one contest: whether it was compared, and if not, why."""

    contest: str
    state: Literal["compared", "skipped", "one side", "failed"]
    words: str = ""  # more about that
    timings: tuple[Timing, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """All of it, times in seconds."""
        return {**asdict(self), "timings": [{**asdict(one), "ratio": one.ratio} for one in self.timings]}


def compare(
    commit: str,
    source: Path,
    *,
    only: Sequence[str] = (),
    rounds: int = 5,
    report: Report = lambda name: None,
    tell: Callable[[ContestComparison], None] = lambda comparison: None,
) -> list[ContestComparison]:
    """Play the contests of this tree and of a commit in turn: new, old, new, old, ...

    Args:
        commit: its full name, see `sides.resolved`.
        source: the folder that holds the package of this tree.
        only: words, of which the name of a contest must hold one; without any, all are played.
        rounds: how many of each side count; one more of each, the first, warms up and does not.
        report: called with words on what is done next.
        tell: called with each comparison as soon as it is known.
    """
    if rounds < 1:
        raise InputError(f"bench: --rounds {rounds} compares nothing.\n  Give 1 or more; 5 unless told.")
    with ExitStack() as stack:
        before, cache = stack.enter_context(laid_out(commit, source))
        new = stack.enter_context(closing(Side("new", source)))
        old = stack.enter_context(closing(Side("old", before, cache)))
        for side in (new, old):
            report(f"starting the {side.name} side")
            side.start()
        found = []
        for side in (new, old):
            for part, why in side.broken.items():
                found.append(ContestComparison(part, "failed", f"it cannot be imported on the {side.name} side: {why}"))
                tell(found[-1])
        for name in chosen([*new.contests, *(one for one in old.contests if one not in new.contests)], only):
            found.append(_compared(name, new, old, rounds, report))
            tell(found[-1])
    return found


def _compared(name: str, new: Side, old: Side, rounds: int, report: Report) -> ContestComparison:
    for side, other in ((new, "the commit"), (old, "this tree")):
        if name not in side.contests:
            return ContestComparison(name, "one side", f"only in {other}")
    played: dict[str, list[dict[str, float]]] = {new.name: [], old.name: []}
    for k in range(rounds + 1):
        for side in (new, old):
            report(f"{name}: {side.name}, {f'round {k} of {rounds}' if k else 'warming up'}")
            answer = side.play(name)
            if "failed" in answer:
                return ContestComparison(name, "failed", f"on the {side.name} side: {answer['failed']}")
            if not answer["times"]:
                return ContestComparison(name, "skipped", "; ".join(answer["skipped"]) or "it measures no time")
            if k:
                played[side.name].append(answer["times"])
    yardsticks = {*new.contests[name]["yardsticks"], *old.contests[name]["yardsticks"]}
    everywhere = [set(times) for each in played.values() for times in each]
    both, some = set.intersection(*everywhere), set.union(*everywhere)
    sticks = {who for who in both if not yardsticks.isdisjoint((who, who.rpartition(" ")[0]))}  # perhaps numbered
    timings = tuple(
        Timing(who, who in sticks, *(tuple(times[who] for times in played[side]) for side in ("new", "old")))
        for who in played["new"][0]
        if who in both
    )
    remarks = [f"{who} is not timed in every round of both sides" for who in sorted(some - both)]
    if new.contests[name]["code"] != old.contests[name]["code"]:
        remarks.append("its own code differs: see that it is the same work")
    if not timings:
        return ContestComparison(name, "skipped", "; ".join(remarks))
    return ContestComparison(name, "compared", "; ".join(remarks), timings)
