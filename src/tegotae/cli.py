"""The command line, `tegotae ...`. Only typer is imported here; everything heavy waits until a command needs it."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

import tegotae
from tegotae.commands.encoding import write_anything
from tegotae.commands.flags import COMPLETION, JSON, PLOT, SHELLS, Flag, add_command, keys_of_papers
from tegotae.commands.hybrid_group import hybrid
from tegotae.commands.run_group import run
from tegotae.errors import TegotaeError

__all__ = ["app", "main"]

BAD_INPUT = 2
DEFECT = 3
INTERRUPTED = 130
READER_LEFT = 141  # 128 + SIGPIPE, as the shell says of other programs

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Machines that stick, slip, collide and bend, with a person or a real machine in the loop.",
    epilog="Example:  tegotae run friction --plot friction.png",
)


def _version(wanted: bool) -> None:
    if wanted:
        from tegotae.compile import backend

        print(f"tegotae {tegotae.__version__} ({backend.described()})")
        raise typer.Exit


@app.callback()
def _tegotae(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


# Escaped, or rich would take units for its own markup.
_RECORD = r"Columns time \[s], velocity \[m/s] or position \[m], and force \[N]; \[ms], \[mm], \[kN] … work too."
_FREE = "Also identify preload (force at the start), offset (bias of the sensor) or exponent (of stribeck)."
BLOCKS, LAWS = ("impedance", "admittance", "parallel"), ("coulomb", "viscous", "stribeck")


add_command(
    app,
    "papers",
    Flag("key", "[KEY]", "One paper, such as kikuuwe2005; all unless given.", completion=keys_of_papers),
    JSON,
    Flag("--figures", "FOLDER", "Also write every figure there, as PNG.", Path),
    Flag("--report", "FILE", "Where the illustrated page goes.", Path, default=Path("report.html"), to="page"),
    Flag("--no-report", None, "Write no page.", bool),
    about="Check every claim of the papers, and redraw their figures.\n\n"
    "Prints the table, writes one HTML page with the figures inside, and exits with 1 if a claim fails.",
    examples=["papers kikuuwe2005 --json ledger.json --figures figures"],
    play="papers:run",
)
add_command(
    app,
    "bench",
    JSON,
    Flag("--only", "WORD", "Only contests with this word in their name; may be repeated.", list[str]),
    Flag("--against", "COMMIT", "Compare our own times with those of this commit, side by side."),
    Flag("--rounds", "N", "With --against: how many rounds count; 5 unless given.", int),
    about="Measure speed side by side with peers, and print the ratios.\n\n"
    "With --against COMMIT: play the contests of this tree and of that commit in turn, each in a process of its own, "
    "and print new time over old, the median of the rounds. Peers that both sides meet are yardsticks of the machine.",
    examples=["bench --json bench.json", "bench --against HEAD~1 --only rod --only circuit"],
    play="bench:run",
)
add_command(
    app,
    "fit",
    Flag("record", "RECORD.csv", _RECORD, Path, default=...),
    Flag("--block", "KIND", "impedance, admittance or parallel.", default="impedance", words=BLOCKS),
    Flag("--law", "LAW", "coulomb, viscous or stribeck.", default="coulomb", words=LAWS),
    Flag("--elements", "N", "How many elements a parallel block has.", int),
    Flag("--period", "SECONDS", "Length of a tick, if the file has no time.", float),
    Flag("--known", "NAME=VALUE", "A parameter that is known, in SI units; may be repeated.", list[str]),
    Flag("--free", "NAME", _FREE, list[str]),
    Flag("--column", "QUANTITY=NAME", "What the file calls time, velocity, position or force.", list[str]),
    JSON,
    PLOT,
    about="Identify a friction block from a measured record, with confidence intervals.",
    examples=["fit record.csv --law stribeck --plot fit.png"],
    play="fit:run",
)
app.add_typer(run)
app.add_typer(hybrid)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command `tegotae`.

    It ends with 0 if all went well, 1 if a claim failed, 2 for input that means nothing, 3 for a defect of the
    program (TEGOTAE_DEBUG=1 shows where), 130 if interrupted, and 141 if the reader of its output left before all
    was said (as `| head` does), which says nothing about claims nor that files were written.

    Args:
        arguments: of the command; those of the process unless given.

    Example:
        >>> from tegotae.cli import main
        >>> main(["--version"])  # doctest: +ELLIPSIS
        tegotae 0.1.0 (...)
        0
    """
    with contextlib.ExitStack() as held:
        for name in ("stdout", "stderr"):
            if getattr(sys, name) is None:  # closed by the caller, as `>&-` does: then nobody is to be told
                setattr(sys, name, held.enter_context(open(os.devnull, "w", encoding="utf-8")))
                held.callback(setattr, sys, name, None)
        return _ended(arguments)


def _ended(arguments: Sequence[str] | None) -> int:
    """With what number, and all said that there was to say."""
    write_anything()
    with warnings.catch_warnings():
        if not _debugging():
            # Numbers that leave their range are refused in words; numpy's remarks on the way there help nobody.
            warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"(numpy|scipy|tegotae|matplotlib)\b")
            warnings.showwarning = lambda message, *_, **__: print(f"tegotae: warning: {message}", file=sys.stderr)
        code = _answer(arguments)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = _reader_left()
    return code


def _answer(arguments: Sequence[str] | None) -> int:
    """Run the command; every way it can end has its number and, if it failed, its words."""
    if any("\0" in one for one in arguments or ()):  # no shell gives one, a program may
        print("tegotae: an argument holds a NUL, which no name of a file does.\n  Leave it out.", file=sys.stderr)
        return BAD_INPUT
    try:
        app(None if arguments is None else list(arguments), prog_name="tegotae")
    except TegotaeError as error:
        print(f"tegotae: {error}", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        return _reader_left()
    except OSError as error:
        print(f"tegotae: {error.filename or 'a file'}: {error.strerror or error}", file=sys.stderr)
        return BAD_INPUT
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # typer makes a 1 of it
            return _reader_left()
        code = end.code if isinstance(end.code, int) else 0
        asked = (sys.argv[1:] if arguments is None else arguments)[:1]
        if code and COMPLETION.intersection(asked):  # typer said: not supported
            print(f"  Ask for it in {SHELLS}.", file=sys.stderr)
            return BAD_INPUT  # typer's 1 would say that a claim failed
        return code
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if _debugging():
            raise
        print(
            f"tegotae: a defect of this program: {type(error).__name__}: {error}\n"
            "  Please report it. TEGOTAE_DEBUG=1 shows where it happened.",
            file=sys.stderr,
        )
        return DEFECT
    return 0


def _debugging() -> bool:
    return os.environ.get("TEGOTAE_DEBUG", "") not in ("", "0")


def _reader_left() -> int:
    """Nothing more can be said on stdout, not even at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return READER_LEFT


if __name__ == "__main__":
    sys.exit(main())
