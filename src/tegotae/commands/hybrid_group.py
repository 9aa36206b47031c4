"""The commands below `tegotae hybrid`. Only typer is imported here; what they need waits until they run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

hybrid = typer.Typer(
    name="hybrid",
    no_args_is_help=True,
    help="Simulated machines that meet at a real contact: dynamics, motion table, viewer and log as separate nodes.",
    epilog="Example:  tegotae hybrid run examples/two_robots.toml --out run.mcap",
)

File = Annotated[Path, typer.Argument(metavar="FILE", help="Settings of all nodes, as TOML.")]
Log = Annotated[Path, typer.Argument(metavar="LOG", help="As `hybrid run --out` wrote it.")]
Changes = Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="One setting; may be repeated.")]
Awaited = Annotated[
    list[str] | None,
    typer.Option("--await", metavar="NODE", help="Begin only when this node is there; may be repeated."),
]
Parent = Annotated[int | None, typer.Option(hidden=True)]  # process without which a node ends: that of `hybrid run`
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the log if it exists.")]


def _end(code: int) -> None:
    if code:
        raise typer.Exit(code)


@hybrid.command(
    epilog="Example:  tegotae hybrid run examples/two_robots.toml --duration 2 --out run.mcap\n\n"
    "Example:  tegotae hybrid run examples/two_robots.toml --set link.delay=0.01 --set clock=virtual --out late.mcap"
)
def run(
    file: File,
    duration: Annotated[float | None, typer.Option(metavar="SECONDS", help="How long to simulate.")] = None,
    changes: Changes = None,
    out: Annotated[Path | None, typer.Option(metavar="LOG", help="Keep the record there, as MCAP.")] = None,
    overwrite: Overwrite = False,
    no_view: Annotated[bool, typer.Option("--no-view", help="Start no viewer.")] = False,
    no_rearm: Annotated[
        bool, typer.Option("--no-rearm", help="Leave a simulated table latched if a process was late.")
    ] = False,
    patience: Annotated[float, typer.Option(metavar="SECONDS", help="Give up after so long without progress.")] = 30.0,
) -> None:
    """Start all nodes here, as separate processes, and run until so much is simulated.

    Ctrl-C ends it in order, with everything written. With --set clock=virtual all nodes run in one process, in
    lockstep: deterministic, and as fast as they compute.
    """
    from tegotae.commands import hybrid as command

    given = [*(changes or []), *([] if duration is None else [f"duration={duration!r}"])]
    _end(command.run(file, given, out, overwrite, view=not no_view, patience=patience, rearm=not no_rearm))


def _add_node(name: str, about: str, example: str) -> None:
    """A command that is one node."""

    @hybrid.command(name, help=about, epilog=f"Example:  tegotae hybrid {name} lab.toml{example}")
    def node(file: File, changes: Changes = None, awaited: Awaited = None, parent: Parent = None) -> None:
        _node(name, file, changes, awaited, parent)


for _name, _about, _example in (
    ("dynamics", "The dynamics node: simulates the bodies; ends when so much is simulated.", " --await log"),
    ("table", "The table node: drives the device, feels the force, and has the last word on safety.", " --await log"),
    ("device", "The simulated device, in a process of its own: it holds by itself if the table node dies.", ""),
    ("view", "The viewer: a page with both machines, the contact, forces and energies, and how every node fares.",
     " --set view.address=127.0.0.1:8090"),
):  # fmt: skip
    _add_node(_name, _about, _example)


@hybrid.command(epilog="Example:  tegotae hybrid log lab.toml --out run.mcap")
def log(
    file: File,
    out: Annotated[Path, typer.Option(metavar="LOG", help="Where the record goes, as MCAP.")],
    changes: Changes = None,
    overwrite: Overwrite = False,
    awaited: Awaited = None,
    parent: Parent = None,
) -> None:
    """The log node: writes down everything that the others say."""
    _node("log", file, changes, awaited, parent, out, overwrite)


def _node(
    name: str, file: Path, changes: list[str] | None, awaited: list[str] | None, parent: int | None,
    out: Path | None = None, overwrite: bool = False,
) -> None:  # fmt: skip
    from tegotae.commands import hybrid as command

    command.node(name, file, changes or [], awaited or [], parent, out, overwrite)


@hybrid.command(epilog="Example:  tegotae hybrid report run.mcap --json run.json --page run.html")
def report(
    log: Log,
    json: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Also write it as JSON.")] = None,
    page: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write it as an illustrated page.")] = None,
    complete: Annotated[bool, typer.Option("--complete", help="Exit with 1 if the log lost a row.")] = False,
) -> None:
    """What a log says: contacts, energy, delay, deadlines, packets."""
    from tegotae.commands import hybrid as command

    lost = command.report(log, json, page)
    _end(int(complete and lost > 0))


@hybrid.command(epilog="Example:  tegotae hybrid replay run.mcap")
def replay(log: Log) -> None:
    """Simulate a log again from what was measured: the same numbers, bit for bit, or where they first differ."""
    from tegotae.commands import hybrid as command

    _end(command.replay(log))


@hybrid.command(epilog="Example:  tegotae hybrid show examples/two_robots.toml --ports > lab.toml")
def show(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="Settings as TOML; the defaults unless given.")
    ] = None,
    changes: Changes = None,
    ports: Annotated[bool, typer.Option("--ports", help="Put a free port where it is 0.")] = False,
) -> None:
    """Print all settings as TOML, each with its meaning and unit."""
    from tegotae.commands import hybrid as command

    command.show(file, changes or [], ports)


@hybrid.command(epilog="Example:  tegotae hybrid key table.key")
def key(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file, readable by its owner alone.")],
) -> None:
    """Make a key for nodes to share: whoever has it can move the table."""
    from tegotae.commands import hybrid as command

    command.key(file)


@hybrid.command(epilog="Example:  tegotae hybrid stop lab.toml")
def stop(file: File, changes: Changes = None) -> None:
    """Bring the table of a running session to rest, and latch it."""
    _request("stop", file, changes)


@hybrid.command(epilog="Example:  tegotae hybrid rearm lab.toml")
def rearm(file: File, changes: Changes = None) -> None:
    """Let a latched table obey again, after a look at it."""
    _request("rearm", file, changes)


def _request(what: str, file: Path, changes: list[str] | None) -> None:
    from tegotae.commands import hybrid as command

    _end(command.request(what, file, changes or []))
