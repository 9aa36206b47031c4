"""The command line, `tegotae ...`. Only typer is imported here; everything heavy waits until a command needs it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

import tegotae
from tegotae.errors import TegotaeError

__all__ = ["app", "main"]

BAD_INPUT = 2
CLAIM_FAILED = 1

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Machines that stick, slip, collide and bend, with a person or a real machine in the loop.",
    epilog="Example:  tegotae run friction --plot friction.png",
)

JsonFile = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Also write it as JSON.")]
PlotFile = Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw it as .png, .svg or .pdf.")]


def _version(wanted: bool) -> None:
    if wanted:
        print(f"tegotae {tegotae.__version__}")
        raise typer.Exit


@app.callback()
def _tegotae(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@app.command(epilog="Example:  tegotae papers kikuuwe2005 --json ledger.json --figures figures")
def papers(
    key: Annotated[
        str | None, typer.Argument(metavar="[KEY]", help="One paper, such as kikuuwe2005; all unless given.")
    ] = None,
    json: JsonFile = None,
    figures: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Also write every figure there, as PNG.")
    ] = None,
    report: Annotated[Path, typer.Option(metavar="FILE", help="Where the illustrated page goes.")] = Path(
        "report.html"
    ),
    no_report: Annotated[bool, typer.Option("--no-report", help="Write no page.")] = False,
) -> None:
    """Check every claim of the papers, and redraw their figures.

    Prints the table, writes one HTML page with the figures inside, and exits with 1 if a claim fails.
    """
    from tegotae.commands import papers as command

    if not command.run(key, json, figures, None if no_report else report):
        raise typer.Exit(CLAIM_FAILED)


@app.command(
    epilog="Example:  tegotae run friction --set law.kind=stribeck --set law.static=5 --out run.nc --plot run.png"
)
def run(
    scenario: Annotated[str, typer.Argument(metavar="SCENARIO", help="What to run: friction.")],
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="Parameters as TOML (see --show).")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="One parameter; may be repeated.")
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the result as netCDF (.nc).")] = None,
    json: JsonFile = None,
    plot: PlotFile = None,
    show: Annotated[bool, typer.Option("--show", help="Print the parameters as TOML and run nothing.")] = False,
) -> None:
    """Run a scenario, with parameters from a TOML file and from the command line."""
    from tegotae.commands import run as command

    if show:
        command.show(scenario, config, settings or [])
    else:
        command.run(scenario, config, settings or [], out, json, plot)


@app.command(epilog="Example:  tegotae bench --json bench.json")
def bench(json: JsonFile = None) -> None:
    """Measure speed side by side with peers, and print the ratios."""
    from tegotae.commands import bench as command

    command.run(json)


@app.command(epilog="Example:  tegotae fit record.csv --law stribeck --plot fit.png")
def fit(
    record: Annotated[
        Path,
        typer.Argument(metavar="RECORD.csv", help="Columns time [s], velocity [m/s] or position [m], and force [N]."),
    ],
    block: Annotated[str, typer.Option(metavar="KIND", help="impedance, admittance or parallel.")] = "impedance",
    law: Annotated[str, typer.Option(metavar="LAW", help="coulomb, viscous or stribeck.")] = "coulomb",
    elements: Annotated[int | None, typer.Option(metavar="N", help="How many elements a parallel block has.")] = None,
    period: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Length of a tick, if the file has no time.")
    ] = None,
    json: JsonFile = None,
    plot: PlotFile = None,
) -> None:
    """Identify a friction block from a measured record, with confidence intervals."""
    from tegotae.commands import fit as command

    command.run(record, block, law, elements, period, json, plot)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command `tegotae`: 0 if all went well, 1 if a claim failed, 2 for input that means nothing.

    Args:
        arguments: of the command; those of the process unless given.

    Example:
        >>> from tegotae.cli import main
        >>> main(["--version"])
        tegotae 0.1.0
        0
    """
    try:
        app(None if arguments is None else list(arguments), prog_name="tegotae")
    except TegotaeError as error:
        print(f"tegotae: {error}", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        # The reader has left, as `| head` does. Nothing more can be said on stdout, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"tegotae: {error.filename or 'a file'}: {error.strerror or error}", file=sys.stderr)
        return BAD_INPUT
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
