"""`tegotae fit`: the parameters of a block from a measured record."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

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


_KINDS = {kind.__name__: name for name, kind in BLOCKS.items()}

# How the library's words read on the command line.
_OPTIONS: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"law=tg\.(\w+)", lambda m: f"--law {m[1].lower()}"),
    (r"\b(time|velocity|position|force)=…", lambda m: f"--column {m[1]}=NAME"),
    (r"period=…", lambda m: "--period SECONDS"),
    (r"\b(period|elements)=(\S+?)(?=[\s,.]*(?:\s|$))", lambda m: f"--{m[1]} {m[2]}"),
    (r"free=\[\"(\w+)\"\]", lambda m: f"--free {m[1]}"),
    (r"free=\[…\]", lambda m: "--free"),
    (r"known=\{(.*?)\}", lambda m: " ".join(f"--known {name}=VALUE" for name in re.findall(r'"([^"]+)"', m[1]))),
    (r"known=…", lambda m: "--known"),
    (r"known\[(['\"])(.*?)\1\]", lambda m: f"--known {m[2]}"),
    (r"\b(elements is missing|(?:known|free) has\b)", lambda m: f"--{m[1]}"),
    (r"\bTry -force\b", lambda m: "Change the sign of the force column"),
    (r"\btg\.(FrictionImpedance|FrictionAdmittance|ParallelFriction)", lambda m: f"--block {_KINDS[m[1]]}"),
    (r"\b(?:load_record|Record): ", lambda m: ""),
)
COLUMNS = ("time", "velocity", "position", "force")


def in_options(message: str) -> str:
    """A message of the library in the words of the command line."""
    for pattern, replacement in _OPTIONS:
        message = re.sub(pattern, replacement, message)
    return message


def run(
    record: Path,
    block: str,
    law: str,
    elements: int | None,
    period: float | None,
    known: Sequence[str],
    free: Sequence[str],
    column: Sequence[str],
    json: Path | None,
    plot: Path | None,
) -> None:
    """Read, identify, print, write."""
    _refuse_unknown("--block", [block], BLOCKS)
    _refuse_unknown("--law", [law], LAWS)
    words.refuse_unwritable(json)
    words.refuse_unwritable(plot, figure=True)
    words.refuse_same({"--json": json, "--plot": plot})
    given = {name: _value(name, text) for name, text in _pairs("--known", known).items()}
    names = _pairs("--column", column)
    _refuse_unknown("--column", names, COLUMNS)
    with words.reworded(in_options):
        measured = load_record(record, period=period, **names)
        found = tg.fit(BLOCKS[block], measured, law=LAWS[law], elements=elements, known=given, free=free)
    table = words.columns("", "value", "95 % interval", "unit", right=(1, 2))
    for name, value in found.parameters.items():
        low, high = found.intervals[name]
        table.add_row(name, Text(f"{value:.6g}", style="bold"), f"{low:.6g} … {high:.6g}", found.units[name])
    console = words.out()
    console.print(Text(f"{found.block.name} from {measured.ticks} ticks of {measured.period:g} s", style="bold"))
    console.print(table)
    console.print(f"noise {found.noise:.3g} {found.unit}, correlated by {found.correlation:.2f} from tick to tick")
    for doubt in found.doubts:
        console.print(
            Text("warning: ", style="bold yellow").append(in_options(doubt), style="not bold"), soft_wrap=True
        )
    content = {
        "block": found.block.name,
        "period": measured.period,
        "parameters": {name: _plain(value) for name, value in found.parameters.items()},
        "intervals": {name: [_plain(low), _plain(high)] for name, (low, high) in found.intervals.items()},
        "units": dict(found.units),
        "noise": found.noise,
        "correlation": found.correlation,
        "doubts": [in_options(doubt) for doubt in found.doubts],
    }
    words.keep_json(console, json, content, "the parameters")
    if plot is not None:
        found.plot(plot)
        words.wrote(console, plot, "the figure")


def _refuse_unknown(option: str, given: Iterable[str], known: Collection[str]) -> None:
    if unknown := [name for name in given if name not in known]:
        checks.refuse("fit", f"{option} {unknown[0]} is unknown.", f"Choose one of {', '.join(known)}.")


def _pairs(option: str, texts: Sequence[str]) -> dict[str, str]:
    pairs = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            checks.refuse("fit", f"{option} {text}: this is not name=value.", f"Write it as {option} name=value.")
        pairs[name] = value
    return pairs


def _value(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        checks.refuse("fit", f"--known {name}={text}: this is not a number.", "Give its value in SI units.")


def _plain(value: float) -> float | None:
    """An interval may be open; strict JSON has no infinity."""
    return float(value) if math.isfinite(value) else None
