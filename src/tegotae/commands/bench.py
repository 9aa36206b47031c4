"""`tegotae bench`: play every contest, print what was measured against what is asked."""

from __future__ import annotations

from pathlib import Path

from rich.text import Text

from tegotae import bench
from tegotae.bench import Outcome
from tegotae.commands import console as words


def run(json: Path | None) -> None:
    """A missed bound is shown, not an error: a busy machine is no wrong result."""
    words.refuse_unwritable(json)
    console = words.out()
    with words.watching() as watch:
        # Each as soon as it is known: the contests take minutes, and whoever reads a pipe sees no progress bar.
        outcomes = bench.run(json, report=watch.step, tell=lambda outcome: watch.say(console, _line(outcome)))
    played = [outcome for outcome in outcomes if outcome.played]
    console.print(f"{sum(o.met for o in played)} of {len(played)} bounds met in this run")
    if json is not None:
        words.wrote(console, json, "the outcomes")


def _line(outcome: Outcome) -> Text:
    mark = Text("met     ", style="green") if outcome.met else Text("missed  ", style="bold yellow")
    if not outcome.played:
        return Text("skipped ", style="dim") + Text(f"{outcome.name}: {outcome.measured}")
    told = f"{outcome.name}: {outcome.measured}; {outcome.value:.3g}, asked {outcome.bound}"
    return mark + Text(told)
