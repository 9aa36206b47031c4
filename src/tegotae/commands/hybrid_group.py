"""The commands below `tegotae hybrid`. Only typer is imported here; what they need waits until they run."""

from __future__ import annotations

from pathlib import Path

import typer

from tegotae.commands.flags import JSON, Flag, add_command

hybrid = typer.Typer(
    name="hybrid",
    no_args_is_help=True,
    help="Simulated machines that meet at a real contact: dynamics, motion table, viewer and log as separate nodes.",
    epilog="Example:  tegotae hybrid run examples/two_robots.toml --out run.mcap",
)

FILE = Flag("file", "FILE", "Settings of all nodes, as TOML.", Path, default=...)
LOG = Flag("log", "LOG", "As `hybrid run --out` wrote it.", Path, default=...)
SET = Flag("--set", "NAME=VALUE", "One setting; may be repeated.", list[str], to="changes")
AWAIT = Flag("--await", "NODE", "Begin only when this node is there; may be repeated.", list[str], to="awaited")
PARENT = Flag("--parent", None, "Process without which a node ends: that of `hybrid run`.", int, hidden=True)
OVERWRITE = Flag("--overwrite", None, "Replace the log if it exists.", bool)


def _add(name: str, about: str, *flags: Flag, examples: str, play: str = "", naming: bool = False) -> None:
    """A command with its examples, one a line; its function is called like it unless given."""
    lines = [f"hybrid {name} {line}" for line in examples.splitlines()]
    add_command(hybrid, name, *flags, about=about, examples=lines, play=f"hybrid:{play or name}", naming=naming)


_add(
    "run",
    "Start all nodes here, as separate processes, and run until so much is simulated.\n\n"
    "Ctrl-C ends it in order, with everything written. With --set clock=virtual all nodes run in one process, in "
    "lockstep: deterministic, and as fast as they compute.",
    FILE,
    Flag("--duration", "SECONDS", "How long to simulate.", float),
    SET,
    Flag("--out", "LOG", "Keep the record there, as MCAP.", Path),
    OVERWRITE,
    Flag("--no-view", None, "Start no viewer.", bool),
    Flag("--no-rearm", None, "Leave a simulated table latched if a process was late.", bool),
    Flag("--patience", "SECONDS", "Give up after so long without progress.", float, default=30.0),
    examples="examples/two_robots.toml --duration 2 --out run.mcap\n"
    "examples/two_robots.toml --set link.delay=0.01 --set clock=virtual --out late.mcap",
)
for _name, _about, _example in (
    ("dynamics", "The dynamics node: simulates the bodies; ends when so much is simulated.", "--await log"),
    ("table", "The table node: drives the device, feels the force, and has the last word on safety.", "--await log"),
    ("device", "The simulated device, in a process of its own: it holds by itself if the table node dies.", ""),
    ("view", "The viewer: a page with both machines, the contact, forces and energies, and how every node fares.",
     "--set view.address=127.0.0.1:8090"),
):  # fmt: skip
    _add(_name, _about, FILE, SET, AWAIT, PARENT, examples=f"lab.toml {_example}".rstrip(), play="node", naming=True)
_add(
    "log",
    "The log node: writes down everything that the others say.",
    *(FILE, Flag("--out", "LOG", "Where the record goes, as MCAP.", Path, default=...), SET, OVERWRITE, AWAIT, PARENT),
    examples="lab.toml --out run.mcap",
    play="node",
    naming=True,
)
_add(
    "report",
    "What a log says: contacts, energy, delay, deadlines, packets.",
    LOG,
    JSON,
    Flag("--page", "FILE", "Also write it as an illustrated page.", Path),
    Flag("--complete", None, "Exit with 1 if the log lost a row.", bool),
    examples="run.mcap --json run.json --page run.html",
)
_add(
    "replay",
    "Simulate a log again from what was measured: the same numbers, bit for bit, or where they first differ.",
    LOG,
    examples="run.mcap",
)
_add(
    "show",
    "Print all settings as TOML, each with its meaning and unit.",
    Flag("file", "[FILE]", "Settings as TOML; the defaults unless given.", Path),
    SET,
    Flag("--ports", None, "Put a free port where it is 0.", bool),
    examples="examples/two_robots.toml --ports > lab.toml",
)
_add(
    "key",
    "Make a key for nodes to share: whoever has it can move the table.",
    Flag("file", "FILE", "A new file, readable by its owner alone.", Path, default=...),
    examples="table.key",
)
for _name, _about in (
    ("stop", "Bring the table of a running session to rest, and latch it."),
    ("rearm", "Let a latched table obey again, after a look at it."),
):
    _add(_name, _about, FILE, SET, examples="lab.toml", play="request", naming=True)
