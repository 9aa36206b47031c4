"""`tegotae fit`: the parameters of a block from a measured record."""

from __future__ import annotations

import math
from pathlib import Path

from rich.table import Table
from rich.text import Text

import tegotae as tg
from tegotae import checks
from tegotae.block import Block
from tegotae.commands import console as words
from tegotae.fitting import load_record
from tegotae.friction import Law

BLOCKS: dict[str, type[Block]] = {
    "impedance": tg.FrictionImpedance,
    "admittance": tg.FrictionAdmittance,
    "parallel": tg.ParallelFriction,
}
LAWS: dict[str, type[Law]] = {"coulomb": tg.Coulomb, "viscous": tg.Viscous, "stribeck": tg.Stribeck}


def run(
    record: Path,
    block: str,
    law: str,
    elements: int | None,
    period: float | None,
    json: Path | None,
    plot: Path | None,
) -> None:
    """Read, identify, print, write."""
    if block not in BLOCKS:
        checks.refuse("fit", f"--block {block} is unknown.", f"Choose one of {', '.join(BLOCKS)}.")
    if law not in LAWS:
        checks.refuse("fit", f"--law {law} is unknown.", f"Choose one of {', '.join(LAWS)}.")
    words.refuse_unwritable(json)
    words.refuse_unwritable(plot, figure=True)
    measured = load_record(record, period=period)
    found = tg.fit(BLOCKS[block], measured, law=LAWS[law], elements=elements)
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("")
    table.add_column("value", justify="right")
    table.add_column("95 % interval", justify="right")
    table.add_column("unit")
    for name, value in found.parameters.items():
        low, high = found.intervals[name]
        table.add_row(name, Text(f"{value:.6g}", style="bold"), f"{low:.6g} … {high:.6g}", found.units[name])
    console = words.out()
    console.print(Text(f"{found.block.name} from {measured.ticks} ticks of {measured.period:g} s", style="bold"))
    console.print(table)
    if json is not None:
        content = {
            "block": found.block.name,
            "period": measured.period,
            "parameters": {name: _plain(value) for name, value in found.parameters.items()},
            "intervals": {name: [_plain(low), _plain(high)] for name, (low, high) in found.intervals.items()},
            "units": dict(found.units),
        }
        words.write_json(json, content)
        words.wrote(console, json, "the parameters")
    if plot is not None:
        found.plot(plot)
        words.wrote(console, plot, "the figure")


def _plain(value: float) -> float | None:
    """An interval may be open; strict JSON has no infinity."""
    return float(value) if math.isfinite(value) else None
