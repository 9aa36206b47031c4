"""Flags and arguments of the command line, each declared once and taken by the commands that name it; completion."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

SHELLS = "bash, zsh, fish or PowerShell"
COMPLETION = {"--install-completion", "--show-completion"}


def completing(*words: str) -> Callable[[str], list[str]]:
    """What is offered in the place of a value that has begun."""
    return lambda incomplete: [word for word in words if word.startswith(incomplete)]


def keys_of_papers(incomplete: str) -> list[str]:
    """Keys of papers."""
    from tegotae.papers import PAPERS

    return completing(*PAPERS)(incomplete)


@dataclass(frozen=True)
class Flag:
    """A flag of the command line, not given unless it is; an argument, where its name has no dashes."""

    name: str
    metavar: str | None  # what stands behind it, in the help; none for one that takes no value
    help: str
    kind: Any = str  # of its value
    _: KW_ONLY
    default: Any = None  # `...` for an argument that must be given
    words: tuple[str, ...] = ()  # that its value may be, for the shell to complete; none if it is free
    completion: Callable[[str], list[str]] | None = None  # offers them, where they are not known here
    to: str = ""  # under which its value is handed over; its name unless given
    hidden: bool = False  # from the help

    @property
    def key(self) -> str:
        """Under which typer hands its value over."""
        return self.to or self.name.removeprefix("--").replace("-", "_")

    def is_given(self, value: Any) -> bool:
        """Whether a value was typed; 0 is one."""
        return value is not None and value is not False and value != []

    def parameter(self) -> inspect.Parameter:
        """As typer reads it from the signature of a function."""
        options: dict[str, Any] = {"metavar": self.metavar, "help": self.help, "hidden": self.hidden}
        options["autocompletion"] = completing(*self.words) if self.words else self.completion
        asked = typer.Option(self.name, **options) if self.name.startswith("--") else typer.Argument(**options)
        kind, default = (bool, False) if self.kind is bool else (self.kind, self.default)
        annotation = Annotated[kind | None if default is None else kind, asked]  # type: ignore[valid-type]
        initial = inspect.Parameter.empty if default is ... else default
        return inspect.Parameter(self.key, inspect.Parameter.KEYWORD_ONLY, default=initial, annotation=annotation)


def taking(*flags: Flag, context: bool = False) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a function its flags as a signature, where typer reads them; perhaps the context in front."""
    front = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    parameters = [*([front] if context else []), *(flag.parameter() for flag in flags)]

    def taken(call: Callable[..., None]) -> Callable[..., None]:
        call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        call.__annotations__ = {one.name: one.annotation for one in parameters}
        return call

    return taken


def add_command(
    group: typer.Typer, name: str, *flags: Flag, about: str, examples: Sequence[str], play: str, naming: bool = False
) -> None:
    """Add a command: a function of `tegotae.commands`, "module:function", is given the values of its flags.

    Its module is loaded when the command runs. What it returns is the code to exit with, None for 0. One that stands
    behind several commands is told which it is by their name.
    """

    @group.command(name, help=about, epilog="\n\n".join(f"Example:  tegotae {one}" for one in examples))
    @taking(*flags)
    def call(**given: Any) -> None:
        values = {flag.key: given[flag.key] or [] if flag.kind == list[str] else given[flag.key] for flag in flags}
        module, _, function = play.partition(":")
        played = getattr(import_module(f"tegotae.commands.{module}"), function)
        if code := played(name, **values) if naming else played(**values):
            raise typer.Exit(code)


JSON = Flag("--json", "FILE", "Also write it as JSON.", Path)
PLOT = Flag("--plot", "FILE", "Draw it as .png, .svg or .pdf.", Path)
