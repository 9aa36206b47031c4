"""`tegotae run`: one scenario, its numbers on the screen, its result and figure in files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text

from tegotae import checks
from tegotae.commands import console as words
from tegotae.extras import FIGURES
from tegotae.result import Result
from tegotae.result_files import FORMATS
from tegotae.scenarios import Quantity, Scenario
from tegotae.toml_settings import tables

_MOST_EVENTS = 12  # in the printed table


def run(
    scenario: Scenario,
    parameters: Any,
    out: Path | None,
    json: Path | None,
    plot: Path | None,
    pictures: Mapping[str, Path | None],
) -> None:
    """Run with these parameters, print, write."""
    name = scenario.name
    kind = FORMATS.get(out.suffix.lower()) if out is not None else None
    words.refuse_unwritable(out, suffixes=tuple(FORMATS), needs=kind.needs if kind else ())
    words.refuse_unwritable(json)
    words.refuse_unwritable(plot, figure=True)
    drawings = scenario.drawings(pictures)
    for picture, path in drawings:
        words.refuse_unwritable(path, suffixes=picture.suffixes, needs=FIGURES)
    words.refuse_same({"--out": out, "--json": json, "--plot": plot, **pictures})
    with words.watching() as watch:
        watch.step("running")
        result = scenario.run(parameters)
        numbers = scenario.summary(parameters, result)
    _refuse_not_finite(name, result, numbers)
    console = words.out()
    table = words.columns("", "", "", right=(1,))
    for number in numbers:
        table.add_row(number.name, Text(f"{number.value:.6g}", style="bold"), number.unit)
    console.print(Text(f"{name}: {result.time.size} recorded ticks, {result.time[-1]:.6g} s", style="bold"))
    console.print(table)
    if "event_time" in result.variables:
        _show_events(console, result)
    with words.watching() as watch:
        if out is not None:
            watch.step("saving")
            words.wrote(console, result.save(out), "the result")
        content = {
            "scenario": name,
            "parameters": tables(parameters),
            "summary": [{"name": n.name, "value": n.value, "unit": n.unit} for n in numbers],
            **{n.key: n.value for n in numbers if n.key},
        }
        words.keep_json(console, json, content, "the numbers")
        if plot is not None:
            watch.step("drawing")
            result.plot(plot)
            words.wrote(console, plot, "the figure")
        for picture, path in drawings:
            watch.step(f"drawing {picture.what}")
            picture.draw(parameters, result, path)
            words.wrote(console, path, picture.what)
    if out is None and json is None and plot is None and not drawings:
        console.print(Text(f"nothing was written; add --plot {name}.png or --out {name}.nc to keep it", style="dim"))


def _show_events(console: Console, result: Result) -> None:
    """The first events, and how many there are."""
    events = result.events
    table = words.columns("time [s]", "element", "event", right=(0,))
    for event in events[:_MOST_EVENTS]:
        table.add_row(Text(f"{event.time:.9f}", style="bold"), event.element, event.kind)
    console.print(Text("what happened" if events else "no event", style="bold"))
    if events:
        console.print(table)
    if len(events) > _MOST_EVENTS:
        console.print(Text(f"… and {len(events) - _MOST_EVENTS} more", style="dim"))


def _refuse_not_finite(name: str, result: Result, numbers: Sequence[Quantity]) -> None:
    """Nothing is printed or written of a run that left the range of numbers."""
    numeric = {one: v.values for one, v in result.variables.items() if v.values.dtype.kind in "fiub"}
    lost = [one for one, values in numeric.items() if not np.isfinite(values).all()]
    lost += [number.name for number in numbers if not math.isfinite(number.value)]
    if lost:
        problem = f"{', '.join(lost)} left the range of numbers, so nothing was written."
        checks.refuse(f"run {name}", problem, "Choose parameters of a size that a machine can have.")
