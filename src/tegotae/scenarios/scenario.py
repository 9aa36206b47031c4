"""What a scenario is, and how its parameters are read from TOML and from the command line."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec

from tegotae.errors import FileError, InputError
from tegotae.result import Result


@dataclass(frozen=True)
class Number:
    """A telling number of a run.

    Args:
        name: in words.
        value: the number [unit].
        unit: SI unit, or "" for a bare number.
        key: under which a JSON file holds the value by itself; "" if only among the others.

    Example:
        >>> Number("largest force", 4.0, "N").unit
        'N'
    """

    name: str
    value: float
    unit: str = ""
    key: str = ""


FIGURE = (".png", ".svg", ".pdf")  # as `tegotae.figures` writes them; named here to keep matplotlib unloaded
FILM = (".gif", ".html")


@dataclass(frozen=True)
class Picture:
    """A file that a scenario can draw beside its figure.

    Args:
        what: in words.
        suffixes: that its name may end in.
        draw: parameters, result and the path to write.

    Example:
        >>> Picture("the maps", FIGURE, lambda parameters, result, path: None).suffixes[0]
        '.png'
    """

    what: str
    suffixes: tuple[str, ...]
    draw: Callable[[Any, Result, Path], None]


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A ready-made run.

    Args:
        name: on the command line.
        purpose: one line.
        parameters: an msgspec.Struct class whose fields all have defaults and a described `msgspec.Meta`.
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
    parameters: type[msgspec.Struct]
    run: Callable[[Any], Result]
    summary: Callable[[Any, Result], Sequence[Number]]
    shortcuts: Mapping[str, str] = field(default_factory=dict)
    pictures: Mapping[str, Picture] = field(default_factory=dict)

    def settings(self, given: Mapping[str, str | None]) -> list[str]:
        """Arguments of the command line (argument -> value, None if not given) as settings."""
        settings = []
        for argument, value in given.items():
            if value is None:
                continue
            if argument not in self.shortcuts:
                known = ", ".join(self.shortcuts) or "none"
                raise InputError(
                    f"run {self.name}: it takes no {argument} (got {value!r}).\n"
                    f"  It takes {known}; use --set for the rest."
                )
            settings.append(f"{self.shortcuts[argument]}={value}")
        return settings

    def drawings(self, given: Mapping[str, Path | None]) -> list[tuple[Picture, Path]]:
        """What the options (option -> path, None if not given) ask to be drawn, and where."""
        wanted = [(option, path) for option, path in given.items() if path is not None]
        for option, path in wanted:
            if option not in self.pictures:
                known = ", ".join(["--plot", *self.pictures])
                raise InputError(f"run {self.name}: it takes no {option} (got {path}).\n  It draws {known}.")
        return [(self.pictures[option], path) for option, path in wanted]

    def read(self, config: str | os.PathLike[str] | None = None, settings: Sequence[str] = ()) -> Any:
        """Parameters from a TOML file, then from settings such as ``law.static=5``; defaults for the rest."""
        given = _read_toml(Path(config)) if config is not None else {}
        for setting in settings:
            _put(given, setting)
        given = _with_kinds(self.parameters, given)
        try:
            return msgspec.convert(given, self.parameters)
        except msgspec.ValidationError as error:
            raise InputError(f"run {self.name}: {_explain(error)}.\n  {self._way_out()}") from error

    def show(self, parameters: Any = None) -> str:
        """The parameters as TOML, each with its meaning and unit: a file to start from."""
        values = msgspec.to_builtins(parameters if parameters is not None else self.parameters())
        lines = [f"# tegotae run {self.name}: {self.purpose}", ""]
        return "\n".join(lines + _toml_lines(self.parameters, values, ()))

    def _way_out(self) -> str:
        return f"`tegotae run {self.name} --show` prints every parameter with its unit."


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise FileError(f"Cannot read {path}: there is no such file.\n  Check the path given to --config.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"Cannot read {path}: {error}.\n  --config takes a TOML text file.") from error
    except tomllib.TOMLDecodeError as error:
        raise FileError(f"Cannot read {path}: it is not TOML ({error}).\n  Repair it at that place.") from error


def _put(given: dict[str, Any], setting: str) -> None:
    """``a.b=1`` into nested tables; the value is TOML, or else plain text."""
    name, equals, text = setting.partition("=")
    keys = [key.strip() for key in name.split(".")]
    if not equals or not all(keys):
        raise InputError(f"--set {setting}: this is not name=value.\n  Write it as --set law.limit=4.")
    table = given
    for key in keys[:-1]:
        inner = table.setdefault(key, {})
        if not isinstance(inner, dict):
            raise InputError(f"--set {setting}: {key} is {inner!r}, not a group.\n  Set {key} alone, or its parts.")
        table = inner
    try:
        table[keys[-1]] = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        table[keys[-1]] = text.strip()


def _with_kinds(parameters: type[msgspec.Struct], given: Mapping[str, Any]) -> dict[str, Any]:
    """Groups that come in kinds keep their default kind when only their parts are set."""
    defaults = msgspec.to_builtins(parameters())
    return {
        name: {"kind": defaults[name]["kind"], **value}
        if isinstance(value, dict) and isinstance(defaults.get(name), dict) and "kind" in defaults[name]
        else value
        for name, value in given.items()
    }


def _explain(error: msgspec.ValidationError) -> str:
    """msgspec's sentence, with the parameter's name in front."""
    sentence, _, place = str(error).partition(" - at `$")
    name = place.strip("`.").removeprefix(".")
    sentence = sentence[:1].lower() + sentence[1:]
    return f"{name}: {sentence}" if name else sentence


def _toml_lines(kind: Any, values: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    plain, groups = [], []
    hints = get_type_hints(kind, include_extras=True)
    for name, value in values.items():
        if isinstance(value, dict):
            kinds = [k for k in (get_args(hints[name]) or (hints[name],)) if isinstance(k, type)]
            own = next((k for k in kinds if _tag(k) == value.get("kind")), kinds[0])
            groups += ["", f"[{'.'.join((*path, name))}]", *_toml_lines(own, value, (*path, name))]
            groups += [line for k in kinds if k is not own for line in _other_kind(k)]
        else:
            plain.append(f"{name} = {_toml_value(value)}{_comment(hints.get(name))}")
    return plain + groups


def _other_kind(kind: type[Any]) -> list[str]:
    """The same group of another kind, as a comment to uncomment."""
    return ["# or:", *(f"#   {line}" for line in _toml_lines(kind, msgspec.to_builtins(kind()), ()))]


def _tag(kind: type[Any]) -> object:
    return getattr(getattr(kind, "__struct_config__", None), "tag", None)


def _comment(hint: Any) -> str:
    if hint is None or not hasattr(hint, "__metadata__"):
        return ""
    described = [m.description for m in hint.__metadata__ if getattr(m, "description", None)]
    return f"  # {described[0]}" if described else ""


def _toml_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml_value(v) for v in value) + "]"
    return repr(value)
