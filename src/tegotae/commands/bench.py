"""`tegotae bench`: play contests, print what was measured against what is asked, or against what it was before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from rich.text import Text

from tegotae.bench import Outcome, against, contests, sides
from tegotae.commands import console as words
from tegotae.errors import InputError, TegotaeError

ROUNDS = 5


def run(json: Path | None, only: Sequence[str], against: str | None, rounds: int | None) -> None:
    """Of this tree alone, or of this tree and a commit."""
    if against is not None:
        compare(against, json, only, ROUNDS if rounds is None else rounds)
    elif rounds is not None:
        raise InputError("bench: --rounds says how often the two sides take turns.\n  Give --against COMMIT with it.")
    else:
        measure(json, only)


def measure(json: Path | None, only: Sequence[str]) -> None:
    """A missed bound is shown, not an error: a busy machine is no wrong result."""
    words.refuse_unwritable(json)
    console = words.out()
    with words.watching() as watch:
        # Each as soon as it is known: the contests take minutes, and whoever reads a pipe sees no progress bar.
        outcomes = contests.run(only, report=watch.step, tell=lambda outcome: watch.say(console, _line(outcome)))
    played = [outcome for outcome in outcomes if outcome.played]
    console.print(f"{sum(o.met for o in played)} of {len(played)} bounds met in this run")
    words.keep_json(console, json, {"outcomes": [asdict(outcome) for outcome in outcomes]}, "the outcomes")


def _line(outcome: Outcome) -> Text:
    mark = Text("met     ", style="green") if outcome.met else Text("missed  ", style="bold yellow")
    if not outcome.played:
        return Text("skipped ", style="dim") + Text(f"{outcome.name}: {outcome.measured}")
    return mark + Text(f"{outcome.name}: {outcome.measured}; {outcome.value:.3g}, asked {outcome.bound}")


# ---------------------------------------------------------------- against a commit


def compare(commit: str, json: Path | None, only: Sequence[str], rounds: int) -> None:
    """What became slower is shown, not an error; a contest that could not be compared because it fails is one."""
    words.refuse_unwritable(json)
    console, full = words.out(), sides.resolved(commit, sides.SOURCE)
    with words.watching() as watch:

        def tell(comparison: against.ContestComparison) -> None:
            for line in _lines(comparison):
                watch.say(console, line)

        found = against.compare(full, sides.SOURCE, only=only, rounds=rounds, report=watch.step, tell=tell)
    console.print(_summary(found, full), markup=False, soft_wrap=True)
    content = {"against": full, "asked": commit, "rounds": rounds, "contests": [one.as_json() for one in found]}
    words.keep_json(console, json, content, "the times of both sides")
    if failed := [one.contest for one in found if one.state == "failed"]:
        raise TegotaeError(
            f"bench: not compared, because it failed on one side: {'; '.join(failed)}.\n"
            "  The lines above say why; play it alone with --only."
        )


def _lines(comparison: against.ContestComparison) -> Iterator[Text]:
    if comparison.state != "compared":
        style = "bold red" if comparison.state == "failed" else "dim"
        yield Text(f"{comparison.state:10}", style=style) + Text(f"{comparison.contest}: {comparison.words}")
        return
    for one in comparison.timings:
        mark, style = _mark(one)
        new, old = (_time(min(times)) for times in (one.new, one.old))
        ratios = f"{one.ratio:.2f} ({min(one.ratios):.2f} to {max(one.ratios):.2f}), best {new} against {old}"
        yield Text(f"{mark:10}", style=style) + Text(f"{comparison.contest}, {one.name}: {ratios}")
    if comparison.words:
        yield Text(f"{'mind':10}", style="yellow") + Text(f"{comparison.contest}: {comparison.words}")


def _mark(timing: against.Timing) -> tuple[str, str]:
    if timing.yardstick:
        return "yardstick", "dim"
    if timing.ratio > against.SLOWER:
        return "slower", "bold yellow"
    return ("faster", "green") if timing.ratio < 1.0 / against.SLOWER else ("even", "green")


def _time(seconds: float) -> str:
    unit = next((unit for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)) if seconds >= size), "ns")
    return f"{seconds / {'s': 1.0, 'ms': 1e-3, 'us': 1e-6, 'ns': 1e-9}[unit]:.3g} {unit}"


def _summary(found: Sequence[against.ContestComparison], commit: str) -> str:
    timed = [(one.contest, timing) for one in found for timing in one.timings]
    ours = [(contest, timing) for contest, timing in timed if not timing.yardstick]
    if not ours:
        return f"nothing of ours was timed both here and in {commit[:12]}"
    held = sum(timing.ratio <= against.SLOWER for _, timing in ours)
    contest, worst = max(ours, key=lambda one: one[1].ratio)
    summary = f"{held} of {len(ours)} times are at most {against.SLOWER:.2f} of those of {commit[:12]}"
    summary += f"; the largest is {worst.ratio:.2f} ({contest}, {worst.name})"
    if sticks := [timing.ratio for _, timing in timed if timing.yardstick]:
        summary += f"; yardsticks {min(sticks):.2f} to {max(sticks):.2f}"
    return summary
