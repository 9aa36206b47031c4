"""`tegotae bench`: play every contest, print what was measured against what is asked."""

from __future__ import annotations

from pathlib import Path

from rich.table import Table
from rich.text import Text

from tegotae import bench
from tegotae.commands import console as words


def run(json: Path | None) -> None:
    """A missed bound is shown, not an error: a busy machine is no wrong result."""
    words.refuse_unwritable(json)
    with words.watching() as watch:
        outcomes = bench.run(json, report=watch.step)
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for column in ("", "contest", "measured", "value", "asked"):
        table.add_column(column)
    for outcome in outcomes:
        mark = Text("met", style="green") if outcome.met else Text("missed", style="bold yellow")
        mark = mark if outcome.played else Text("skipped", style="dim")
        value = Text(f"{outcome.value:.3g}" if outcome.played else "")
        table.add_row(mark, Text(outcome.name), Text(outcome.measured), value, Text(outcome.bound))
    console = words.out()
    console.print(table)
    played = [outcome for outcome in outcomes if outcome.played]
    console.print(f"{sum(o.met for o in played)} of {len(played)} bounds met in this run")
    if json is not None:
        words.wrote(console, json, "the outcomes")
