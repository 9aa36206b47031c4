"""The commands below `tegotae run`. Only typer is imported here; what they need waits until they run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import typer

from tegotae.commands.flags import JSON, PLOT, Flag, taking
from tegotae.commands.run_flags import CONFIG, OUT, SET, SHOW
from tegotae.commands.run_lines import LINES, Line
from tegotae.commands.run_refusals import LENIENT, RunCommand, RunGroup, refuse_before

run = typer.Typer(
    name="run",
    cls=RunGroup,
    no_args_is_help=True,
    context_settings=dict(LENIENT),
    subcommand_metavar="SCENARIO [OPTIONS]",
    help="Run a scenario, with parameters from a TOML file and from the command line.",
    epilog="\n\n".join(f"Example:  {line.examples[0]}" for line in LINES),
)


def _called(line: Line) -> Callable[..., None]:
    """The function of a line."""

    @taking(*line.flags, context=True)
    def call(context: typer.Context, **given: Any) -> None:
        if context.invoked_subcommand is None:
            _play(line, {flag: given[flag.key] for flag in line.flags})
        elif early := [flag.name for flag in line.flags if flag.is_given(given[flag.key])]:
            refuse_before(context, early[0])

    return call


def _play(line: Line, given: Mapping[Flag, Any]) -> None:
    """Run a line with the values of its flags, or show its parameters."""
    from tegotae.commands import run as command

    shortcuts = {flag.name: _text(given[flag]) for flag in line.shortcuts}
    shortcuts = {"MACHINE": line.machine.replace("-", "_"), **shortcuts} if line.machine else shortcuts
    settings = given[SET] or []
    if given[SHOW]:
        command.show(line.scenario, shortcuts, given[CONFIG], settings)
    else:
        pictures = {flag.name: given[flag] for flag in line.pictures}
        files = (given[OUT], given[JSON], given[PLOT], pictures)
        command.run(line.scenario, shortcuts, given[CONFIG], settings, *files)


def _text(value: float | str | None) -> str | None:
    """As `--set` would be given it."""
    return repr(value) if isinstance(value, float) else value


def _declare(group: typer.Typer, line: Line, name: str, kind: str) -> None:
    """A command without commands below it."""
    group.command(
        name,
        cls=RunCommand,
        context_settings=dict(LENIENT),
        help=line.help,
        epilog=_examples(line),
        rich_help_panel=kind,
    )(_called(line))


def _declare_all(line: Line) -> None:
    """A scenario: a command, or a group of machines that is a command by itself too."""
    if not line.machines:
        _declare(run, line, line.scenario, "Scenarios")
        return
    group = typer.Typer(
        name=line.scenario,
        cls=RunGroup,
        invoke_without_command=True,
        callback=_called(line),
        context_settings=dict(LENIENT),
        subcommand_metavar="[MACHINE] [OPTIONS]",
        help=line.help,
        epilog=_examples(line),
    )
    for one in line.machines:
        assert one.machine is not None
        _declare(group, one, one.machine, "Machines")
    run.add_typer(group, rich_help_panel="Scenarios")


def _examples(line: Line) -> str:
    return "\n\n".join(f"Example:  {one}" for one in line.examples)


for _line in LINES:
    _declare_all(_line)
