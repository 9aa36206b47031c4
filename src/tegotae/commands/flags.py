"""Flags and arguments of the command line: each is declared once, and taken by the commands that name it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from tegotae.commands.completion import completing


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

    @property
    def key(self) -> str:
        """Under which typer hands its value over."""
        return self.name.removeprefix("--").replace("-", "_")

    def is_given(self, value: Any) -> bool:
        """Whether a value was typed; 0 is one."""
        return value is not None and value is not False and value != []

    def parameter(self) -> inspect.Parameter:
        """As typer reads it from the signature of a function."""
        offered = completing(*self.words) if self.words else self.completion
        told: dict[str, Any] = {"metavar": self.metavar, "help": self.help, "autocompletion": offered}
        asked = typer.Option(self.name, **told) if self.name.startswith("--") else typer.Argument(**told)
        kind, default = (bool, False) if self.kind is bool else (self.kind, self.default)
        annotation = Annotated[kind | None if default is None else kind, asked]  # type: ignore[valid-type]
        own = inspect.Parameter.empty if default is ... else default
        return inspect.Parameter(self.key, inspect.Parameter.KEYWORD_ONLY, default=own, annotation=annotation)


def taking(*flags: Flag, context: bool = False) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a function its flags as a signature, where typer reads them; perhaps the context in front."""
    front = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    parameters = [*([front] if context else []), *(flag.parameter() for flag in flags)]

    def taken(call: Callable[..., None]) -> Callable[..., None]:
        call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        call.__annotations__ = {one.name: one.annotation for one in parameters}
        return call

    return taken


JSON = Flag("--json", "FILE", "Also write it as JSON.", Path)
PLOT = Flag("--plot", "FILE", "Draw it as .png, .svg or .pdf.", Path)
