"""Ready-made runs for the command line: parameters in, a result with its figure and a few telling numbers out."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, cast

from tegotae import checks
from tegotae.parameters import Declared, declared
from tegotae.result import Result
from tegotae.toml_settings import Kinds, lines, put, read, read_toml

__all__ = ["SCENARIOS", "Scenario", "load_scenario"]

# Name -> the module that defines it as `scenario`.
SCENARIOS = {
    name: f"tegotae.scenarios.{name.replace('-', '_')}"
    for name in ("friction", "inclusion", "rod", "steering", "two-robots")
}


def refuse_many(owner: str, problem: str, count: float, most: int) -> None:
    """Refuse a run that would record more than `most` numbers; `problem` says whose product they are."""
    if count > most:
        checks.refuse(owner, problem, f"Choose them so that their product stays below {most:,}.")


def refuse_length(owner: str, duration: float, name: str, step: float, words: str, remedy: str) -> NoReturn:
    """Of a run of too many steps [s], or of none; `words` say what they are."""
    problem = f"duration={duration:g} s at {name}={step:g} s is {duration / step:.3g} {words}."
    checks.refuse(owner, problem, f"Choose them so that there are {remedy}.")


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
    pictures: Mapping[str, Picture] = field(default_factory=dict)

    def drawings(self, given: Mapping[str, Path | None]) -> list[tuple[Picture, Path]]:
        """What the options (option -> path, None if not given) ask to be drawn, and where."""
        return [(self.pictures[option], path) for option, path in given.items() if path is not None]

    def read(
        self,
        config: str | os.PathLike[str] | None = None,
        settings: Sequence[str] = (),
        machine: tuple[str, str] | None = None,
    ) -> Any:
        """Parameters from a TOML file, then from settings such as ``law.static=5``; defaults for the rest.

        `machine` is a group and its kind, such as ("rod", "snake"): a file or a setting that says another is refused.
        """
        given = read_toml(Path(config)) if config is not None else {}
        for setting in settings:
            put(given, setting)
        if machine is not None:
            self._name_machine(given, *machine)
        way_out = f"`tegotae run {self.name} --show` prints every parameter with its unit."
        return read(f"run {self.name}", self.parameters(), given, way_out)

    def _name_machine(self, given: dict[str, Any], group: str, kind: str) -> None:
        """Say which machine it is, unless that is said; what is no group or no kind is refused where it is read."""
        there, field = given.setdefault(group, {}), declared(self.parameters)[group]
        said = there.setdefault("kind", kind) if isinstance(there, dict) else kind
        if said != kind and said in [*cast(Kinds, field.parameter).prototypes]:
            owner, other = (f"run {self.name} {one.replace('_', '-')}" for one in (kind, said))
            checks.refuse(owner, f"{group}.kind={said!r} names another machine.", f"Use: tegotae {other}.")

    def show(self, parameters: Any = None) -> str:
        """The parameters as TOML, each with its meaning and unit: a file to start from."""
        body = lines(parameters if parameters is not None else self.parameters())
        return "\n".join([f"# tegotae run {self.name}: {self.purpose}", "", *body])


def load_scenario(name: str) -> Scenario:
    """The scenario of a name.

    Args:
        name: as in `SCENARIOS`.

    Example:
        >>> from tegotae.scenarios import load_scenario
        >>> load_scenario("friction").name
        'friction'
    """
    if name not in SCENARIOS:
        checks.refuse("run", f"there is no scenario {name!r}.", f"Choose one of {', '.join(SCENARIOS)}.")
    scenario = import_module(SCENARIOS[name]).scenario
    assert isinstance(scenario, Scenario)
    return scenario
