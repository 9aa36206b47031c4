"""What a scenario is, and how its parameters are read from TOML and from the command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from tegotae import checks
from tegotae.errors import InputError
from tegotae.parameters import Declared
from tegotae.result import Result
from tegotae.toml_settings import lines, put, read, read_toml


def refuse_length(owner: str, duration: float, name: str, step: float, words: str, remedy: str) -> NoReturn:
    """Of a run of too many steps [s], or of none; `words` say what they are."""
    told = f"duration={duration:g} s at {name}={step:g} s is {duration / step:.3g} {words}."
    checks.refuse(owner, told, f"Choose them so that there are {remedy}.")


@dataclass(frozen=True)
class Quantity:
    """A telling number of a run, in words and in its SI unit."""

    name: str
    value: float
    unit: str = ""
    key: str = ""  # under which a JSON file holds the value by itself; "" if only among the others


FIGURE = (".png", ".svg", ".pdf")  # as `tegotae.figures` writes them; named here to keep matplotlib unloaded
FILM = (".gif", ".html")


@dataclass(frozen=True)
class Picture:
    """A file that a scenario can draw beside its figure."""

    what: str
    suffixes: tuple[str, ...]
    draw: Callable[[Any, Result, Path], None]


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A ready-made run.

    Args:
        name: on the command line.
        purpose: one line.
        parameters: a class whose fields are all declared (`tegotae.parameters`) and have defaults.
        run: parameters in, result out.
        summary: the telling numbers of a result.
        shortcuts: argument of the command line -> the parameter that it sets.
        pictures: option of the command line -> what it draws.

    Example:
        >>> from tegotae.scenarios import load_scenario
        >>> friction = load_scenario("friction")
        >>> result = friction.run(friction.read(settings=["duration=0.1"]))
        >>> result.time.size
        100
    """

    name: str
    purpose: str
    parameters: type[Declared]
    run: Callable[[Any], Result]
    summary: Callable[[Any, Result], Sequence[Quantity]]
    shortcuts: Mapping[str, str] = field(default_factory=dict)
    pictures: Mapping[str, Picture] = field(default_factory=dict)

    def settings(self, given: Mapping[str, str | None]) -> list[str]:
        """Arguments of the command line (argument -> value, None if not given) as settings."""
        return [f"{self.shortcuts[argument]}={value}" for argument, value in given.items() if value is not None]

    def drawings(self, given: Mapping[str, Path | None]) -> list[tuple[Picture, Path]]:
        """What the options (option -> path, None if not given) ask to be drawn, and where."""
        return [(self.pictures[option], path) for option, path in given.items() if path is not None]

    def read(self, config: str | os.PathLike[str] | None = None, settings: Sequence[str] = ()) -> Any:
        """Parameters from a TOML file, then from settings such as ``law.static=5``; defaults for the rest."""
        given = read_toml(Path(config)) if config is not None else {}
        for setting in settings:
            put(given, setting)
        try:
            way_out = f"`tegotae run {self.name} --show` prints every parameter with its unit."
            return read(f"run {self.name}", self.parameters(), given, way_out)
        except InputError as error:
            told = str(error)
            for argument, name in self.shortcuts.items():  # the shorter way to say it
                told = told.replace(f"--set {name}=", f"{argument} ") if argument.startswith("--") else told
            raise InputError(told) from error

    def show(self, parameters: Any = None) -> str:
        """The parameters as TOML, each with its meaning and unit: a file to start from."""
        own = lines(parameters if parameters is not None else self.parameters())
        return "\n".join([f"# tegotae run {self.name}: {self.purpose}", "", *own])
