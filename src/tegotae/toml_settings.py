"""Settings of a machine or a run as msgspec structs: read from TOML and the command line, shown as TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec

from tegotae.errors import FileError, InputError


def read_toml(path: Path, option: str = "--config") -> dict[str, Any]:
    """A TOML file as nested tables.

    Args:
        path: of the file.
        option: of the command line that named it, for the words of an error.

    Example:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile(suffix=".toml") as file:
        ...     read_toml(Path(file.name))
        {}
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise FileError(f"Cannot read {path}: there is no such file.\n  Check the path given to {option}.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"Cannot read {path}: {error}.\n  {option} takes a TOML text file.") from error
    except tomllib.TOMLDecodeError as error:
        raise FileError(f"Cannot read {path}: it is not TOML ({error}).\n  Repair it at that place.") from error


def put(given: dict[str, Any], setting: str) -> None:
    """``a.b=1`` into nested tables; the value is TOML, or else plain text.

    Example:
        >>> tables = {}
        >>> put(tables, "law.static=5")
        >>> tables
        {'law': {'static': 5}}
    """
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


def with_kinds(parameters: type[msgspec.Struct], given: Mapping[str, Any]) -> dict[str, Any]:
    """Groups that come in kinds keep their default kind when only their parts are set.

    Example:
        >>> from tegotae.scenarios.two_robots import TwoRobotsRun
        >>> with_kinds(TwoRobotsRun, {"table": {"kp": 400.0}})
        {'table': {'kind': 'hexa', 'kp': 400.0}}
    """
    defaults = msgspec.to_builtins(parameters())
    return {
        name: {"kind": defaults[name]["kind"], **value}
        if isinstance(value, dict) and isinstance(defaults.get(name), dict) and "kind" in defaults[name]
        else value
        for name, value in given.items()
    }


def explain(error: msgspec.ValidationError) -> str:
    """msgspec's sentence, with the parameter's name in front.

    Example:
        >>> explain(msgspec.ValidationError("Expected `int`, got `str` - at `$.law.limit`"))
        'law.limit: expected `int`, got `str`'
    """
    sentence, _, place = str(error).partition(" - at `$")
    name = place.strip("`.").removeprefix(".")
    sentence = sentence[:1].lower() + sentence[1:]
    return f"{name}: {sentence}" if name else sentence


def toml_lines(kind: Any, values: Mapping[str, Any], path: tuple[str, ...] = ()) -> list[str]:
    """Values as TOML, each with its meaning and unit as a comment.

    Args:
        kind: the msgspec.Struct class whose fields are described.
        values: of its fields.
        path: of the group that they are in.

    Example:
        >>> from tegotae.scenarios.two_robots import TwoRobotsRun
        >>> toml_lines(TwoRobotsRun, {"duration": 1.0})[0].split()[:3]
        ['duration', '=', '1.0']
    """
    plain, groups = [], []
    hints = get_type_hints(kind, include_extras=True)
    for name, value in values.items():
        kinds = _structs(hints.get(name))
        if isinstance(value, dict) and kinds:
            own = next((k for k in kinds if _tag(k) == value.get("kind")), kinds[0])
            groups += ["", f"[{'.'.join((*path, name))}]", *toml_lines(own, value, (*path, name))]
            groups += [line for k in kinds if k is not own for line in _other_kind(k)]
        else:
            plain.append(f"{name} = {_toml_value(value)}{_comment(hints.get(name))}")
    return plain + groups


def _structs(hint: Any) -> list[type[Any]]:
    """The groups that a field may be; none if it holds plain values."""
    return [k for k in (get_args(hint) or (hint,)) if isinstance(k, type) and issubclass(k, msgspec.Struct)]


def _other_kind(kind: type[Any]) -> list[str]:
    """The same group of another kind, as a comment to uncomment."""
    return ["# or:", *(f"#   {line}" for line in toml_lines(kind, msgspec.to_builtins(kind()), ()))]


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
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {_toml_value(v)}" for name, v in value.items()) + "}"
    return repr(value)
