"""The commands below `tegotae run`, and what they say of a scenario, a machine or a flag that is not there.

A parser left to itself would say the same of a flag that another scenario has and of one that nobody has. Only typer is
imported here; what the commands need waits until they run.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from tegotae.commands.flags import JSON, PLOT, Flag, taking
from tegotae.commands.run_lines import CONFIG, FLAGS, LINES, OUT, SET, SHOW, Line, takers
from tegotae.errors import InputError

# The parser leaves what it does not know to us.
LENIENT = {"ignore_unknown_options": True, "allow_extra_args": True}


class RunCommand(TyperCommand):
    """A scenario or a machine: flags, and nothing else."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As typer does, but what is left over is refused in words."""
        left = super().parse_args(ctx, args)
        if left and not ctx.resilient_parsing:  # a shell that asks for completions is told what there is
            _refuse_word(ctx, left[0])
        return left


class RunGroup(TyperGroup):
    """Scenarios, or the machines of one: a name, then its flags."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a name; `two_bodies`, as files of parameters spell it, is `two-bodies`."""
        return super().get_command(ctx, cmd_name.replace("_", "-"))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The name first: flags before it are refused."""
        return [self.subcommand_metavar]

    def list_commands(self, ctx: Any) -> list[str]:
        """By the alphabet: typer would tell those without machines first."""
        return sorted(super().list_commands(ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """As typer does, but a name that is not there is refused in words."""
        if not ctx.resilient_parsing and self.get_command(ctx, args[0]) is None:
            if args[0].startswith("-"):
                _refuse_word(ctx, args[0])
            self._refuse_name(ctx, args[0])
        return super().resolve_command(ctx, args)

    def _refuse_name(self, ctx: Any, name: str) -> NoReturn:
        kind = "scenario" if ctx.info_name == "run" else "machine"
        known = self.list_commands(ctx)
        elsewhere = takers(name.replace("_", "-"))
        near = difflib.get_close_matches(name, known if not elsewhere else [], n=1)
        problem = f"there is no {kind} {name!r}" + (f"; near is {near[0]}" if near else "")
        remedy = f"It belongs to {_listed(elsewhere)}." if elsewhere else f"Choose one of {', '.join(known)}."
        raise InputError(f"{_command_of(ctx)}: {problem}.\n  {remedy}")


def _refuse_word(ctx: Any, word: str) -> NoReturn:
    """A flag, or a bare word, that the command does not take."""
    command, flag = _command_of(ctx), word.startswith("-")
    name = word.partition("=")[0] if flag else word.replace("_", "-")
    if elsewhere := [line for line in takers(name) if line != command]:
        advice = f"It belongs to {_listed(elsewhere)}; "
    elif near := difflib.get_close_matches(name, FLAGS if flag else [], n=1, cutoff=0.75):
        own_flag = any(near[0] in param.opts for param in ctx.command.params)
        advice = f"Near is {near[0]}" + ("; " if own_flag else f" of {_listed(takers(near[0]))}; ")
    else:
        advice = "Leave it out; "
    refused = name if flag else repr(word)
    raise InputError(f"{command}: it takes no {refused}.\n  {advice}`tegotae {command} --help` tells what it takes.")


def _command_of(ctx: Any) -> str:
    return str(ctx.command_path).removeprefix("tegotae ")


def _listed(lines: list[str]) -> str:
    return ", ".join(f"`tegotae {line}`" for line in lines)


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
            # It would be of the scenario alone, and not reach the machine.
            command, machine = _command_of(context), context.invoked_subcommand
            remedy = f"Write it behind: `tegotae {command} {machine} {early[0]} ...`."
            raise InputError(f"{command}: {early[0]} stands before {machine}.\n  {remedy}")

    return call


def _play(line: Line, given: Mapping[Flag, Any]) -> None:
    """Run a line with the values of its flags, or show its parameters."""
    from tegotae.commands import console
    from tegotae.commands import run as command
    from tegotae.commands.encoding import writable
    from tegotae.scenarios import load_scenario

    settings = [*line.settings(given), *(given[SET] or [])]
    with console.reworded(line.in_flags):
        scenario = load_scenario(line.scenario)
        parameters = scenario.read(given[CONFIG], settings, line.named)
        if given[SHOW]:
            # As it stands, without the terminal's wrapping: the text is meant to be put into a file.
            print(writable(scenario.show(parameters)))
        else:
            pictures = {flag.name: given[flag] for flag in line.pictures}
            command.run(scenario, parameters, given[OUT], given[JSON], given[PLOT], pictures)


def _declare(group: typer.Typer, line: Line, name: str, kind: str) -> None:
    """A command without commands below it."""
    group.command(name, cls=RunCommand, rich_help_panel=kind, **_told(line))(_called(line))


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
        subcommand_metavar="[MACHINE] [OPTIONS]",
        **_told(line),
    )
    for one in line.machines:
        assert one.machine is not None
        _declare(group, one, one.machine, "Machines")
    run.add_typer(group, rich_help_panel="Scenarios")


def _told(line: Line) -> dict[str, Any]:
    """What typer is told of a command, with machines below it or without."""
    examples = "\n\n".join(f"Example:  {one}" for one in line.examples)
    return {"context_settings": dict(LENIENT), "help": line.help, "epilog": examples}


for _line in LINES:
    _declare_all(_line)
