"""Settings of a machine or a run as msgspec structs: read from TOML and the command line, shown as TOML."""

from __future__ import annotations

import datetime
import difflib
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from tegotae import checks
from tegotae.errors import FileError, InputError

# How msgspec says that a name is unknown, and that a value is of another type; and its types in plain words.
_UNKNOWN = "object contains unknown field "
_EXPECTED = re.compile(r"expected `([^`]+)`, got `([^`]+)`")
_WORDS = {
    "float": "a number",
    "int": "a whole number",
    "str": "text",
    "bool": "true or false",
    "object": "a group",
    "array": "a list",
    "null": "nothing",
}
_MOST = 1 << 24  # bytes of a file
_DEEPEST = 32  # tables and lists inside each other: no settings need more, and readers must not run out of stack
_LARGEST = 2**63  # TOML's whole numbers have 64 bits
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPED = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_CONTROL = re.compile(r'["\\\x00-\x1f\x7f]')


def in_words(value: object) -> str:
    """What a value of TOML is.

    Example:
        >>> in_words(4)
        'a whole number'
    """
    words = {bool: "bool", int: "int", float: "float", str: "str", list: "array", dict: "object"}
    return _WORDS[words[type(value)]] if type(value) in words else "a date or a time"


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
        text = checks.read_bounded(path, _MOST, f"{option} takes a TOML text file.")
        given = tomllib.loads(text.decode("utf-8-sig"))  # some editors begin a text with a mark
    except FileNotFoundError as error:
        raise FileError(f"Cannot read {path}: there is no such file.\n  Check the path given to {option}.") from error
    except UnicodeDecodeError as error:
        raise FileError(f"Cannot read {path}: it is no text in UTF-8 ({error}).\n  Save it as UTF-8.") from error
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"Cannot read {path}: {error.strerror}.\n  {option} takes a TOML text file.") from error
    except (ValueError, RecursionError) as error:  # also a path with a NUL, a number of thousands of digits
        raise FileError(f"Cannot read {path}: it is not TOML ({error}).\n  Repair it at that place.") from error
    if problem := unreadable(given):
        raise FileError(f"Cannot read {path}: {problem}.\n  Repair it at that place.")
    return given


def unreadable(given: object) -> str:
    """What is wrong with tables that are TOML, but of no size that settings have; nothing if all is well.

    Args:
        given: nested tables and lists.

    Example:
        >>> unreadable({"period": 2**70})
        'it holds a whole number of 71 bits, above 64'
    """
    waiting: list[tuple[object, int]] = [(given, 0)]
    while waiting:
        value, depth = waiting.pop()
        if depth > _DEEPEST:
            return f"its tables and lists are more than {_DEEPEST} inside each other"
        if isinstance(value, int) and not -_LARGEST <= value < _LARGEST:
            return f"it holds a whole number of {value.bit_length()} bits, above 64"
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
        waiting += [(one, depth + 1) for one in inner]
    return ""


def put(given: dict[str, Any], setting: str) -> None:
    """``a.b=1`` into nested tables; the value is TOML, or else plain text.

    Example:
        >>> tables = {}
        >>> put(tables, "law.static=5")
        >>> tables
        {'law': {'static': 5}}
    """
    _refuse_no_text("--set", setting)
    name, equals, text = setting.partition("=")
    keys = [key.strip() for key in name.split(".")]
    if not equals or not all(keys):
        raise InputError(f"--set {setting}: this is not name=value.\n  Write it as --set law.limit=4.")
    if len(keys) > _DEEPEST:
        raise InputError(f"--set {name[:40]}…: a name of {len(keys)} parts.\n  Write it as --set law.limit=4.")
    table = given
    for key in keys[:-1]:
        inner = table.setdefault(key, {})
        if not isinstance(inner, dict):
            raise InputError(f"--set {setting}: {key} is {inner!r}, not a group.\n  Set {key} alone, or its parts.")
        table = inner
    table[keys[-1]] = _value(name.strip(), text)


def _value(name: str, text: str) -> Any:
    """What stands behind the equals sign: TOML, if it is that and no more, or else plain text."""
    try:
        given = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text.strip()
    except (ValueError, RecursionError) as error:
        raise InputError(f"--set {name}: its value is not readable ({error}).\n  Give a shorter one.") from error
    if problem := unreadable(given):
        raise InputError(f"--set {name}: {problem}.\n  Give a smaller one.")
    return given["value"] if len(given) == 1 else text.strip()


def with_kinds(parameters: type[msgspec.Struct], given: Mapping[str, Any]) -> dict[str, Any]:
    """Groups that come in kinds keep their default kind when only their parts are set.

    Example:
        >>> from tegotae.hybrid import Settings
        >>> with_kinds(Settings, {"device": {"kp": 400.0}})
        {'device': {'kind': 'hexa', 'kp': 400.0}}
    """
    defaults = msgspec.to_builtins(parameters())
    return {
        name: {"kind": defaults[name]["kind"], **value}
        if isinstance(value, dict) and isinstance(defaults.get(name), dict) and "kind" in defaults[name]
        else value
        for name, value in given.items()
    }


def explain(error: msgspec.ValidationError, kind: type[msgspec.Struct], given: Mapping[str, Any] | None = None) -> str:
    """What is wrong with settings, by the parameter's name: its value and what it may be, or the names there are.

    Args:
        error: as msgspec raised it.
        kind: the msgspec.Struct class that was asked for.
        given: what was to become one, if values and kinds of groups shall be told.

    Example:
        >>> from tegotae.hybrid.settings import Settings
        >>> explain(msgspec.ValidationError("Invalid enum value 'C' - at `$.clock`"), Settings)
        "clock: invalid enum value 'C'; known are real, virtual"
        >>> explain(msgspec.ValidationError("Object contains unknown field `clok`"), Settings)
        "there is no parameter 'clok'; near is clock"
    """
    sentence, _, place = str(error).partition(" - at `$")
    name = place.strip("`.").removeprefix(".")
    path = name.split(".") if name else []
    sentence = sentence[:1].lower() + sentence[1:]
    if sentence.startswith(_UNKNOWN):
        return _unknown(kind, path, sentence.removeprefix(_UNKNOWN).strip("`"), given or {})
    if sentence.startswith("invalid") and (known := _choices(kind, path)):
        sentence += f"; known are {', '.join(known)}"
    if (wrong := _EXPECTED.fullmatch(sentence)) and name:
        found, value = _at(given or {}, path)
        told = f"{name}={value!r}" if found and not unreadable(value) else name
        wanted = " or ".join(_WORDS.get(word, word) for word in wrong[1].split(" | "))
        return f"{told} is {_WORDS.get(wrong[2], wrong[2])}, not {wanted}"
    return f"{name}: {sentence}" if name else sentence


def _unknown(kind: Any, path: list[str], field: str, given: Mapping[str, Any]) -> str:
    """A name that is not there: near ones, the kind of the group that has it, or all that there are."""
    groups, group = _groups(kind, path), _at(given, path)[1]
    chosen = group.get("kind") if isinstance(group, Mapping) else None
    own = [one for one in groups if len(groups) == 1 or _tag(one) == chosen] or groups
    full, where = ".".join([*path, field]), f" of kind {chosen!r}" if len(groups) > 1 and chosen else ""
    others = [str(_tag(one)) for one in groups if one not in own and field in one.__struct_fields__]
    if others:
        ways = " or ".join(f"--set {'.'.join(path)}.kind={other}" for other in others)
        return f"{'.'.join(path)}{where} has no {field!r}; it belongs to {ways}"
    names = [name for one in own for name in one.__struct_fields__]
    near = difflib.get_close_matches(field, names, n=3)
    told = f"near {'is' if len(near) == 1 else 'are'} {', '.join(near)}" if near else f"known are {', '.join(names)}"
    return f"there is no parameter {full!r}{where}; {told}"


def _groups(kind: Any, path: list[str]) -> list[type[Any]]:
    """The groups that may stand at a place."""
    found = [kind]
    for name in path:
        found = [one for group in found for one in _structs(get_type_hints(group).get(name))]
    return found


def _at(given: Any, path: list[str]) -> tuple[bool, Any]:
    """Whether there is a value at a place, and which."""
    for name in path:
        if not isinstance(given, Mapping) or name not in given:
            return False, None
        given = given[name]
    return True, given


def _choices(kind: Any, path: list[str]) -> list[str]:
    """The words that a field may be; none if it is no such field."""
    hint = get_type_hints(kind).get(path[0]) if hasattr(kind, "__struct_fields__") else None
    if hint is None:
        return []
    groups = _structs(hint)
    if len(path) > 1 and path[1:] != ["kind"]:
        return [word for group in groups for word in _choices(group, path[1:])]
    if path[1:] == ["kind"]:
        return [str(_tag(group)) for group in groups]
    return [str(word) for word in get_args(hint)] if get_origin(hint) is Literal else []


def toml_lines(kind: Any, values: Mapping[str, Any], path: tuple[str, ...] = ()) -> list[str]:
    """Values as TOML, each with its meaning and unit as a comment.

    Args:
        kind: the msgspec.Struct class whose fields are described.
        values: of its fields.
        path: of the group that they are in.

    Example:
        >>> from tegotae.hybrid.settings import SpringSettings
        >>> toml_lines(SpringSettings, {"lag": 1.0})[0].split()[:3]
        ['lag', '=', '1.0']
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
            plain.append(f"{_toml_key(name)} = {toml_value(name, value)}{_comment(hints.get(name))}")
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


def _toml_key(name: object) -> str:
    if not isinstance(name, str):
        raise InputError(f"a name is {name!r}.\n  Names of settings are text.")
    return name if _BARE.fullmatch(name) else _toml_text("a name", name)


def _toml_text(name: str, text: str) -> str:
    """Quoted, so that it is read back as it is: whatever is no plain character is escaped."""
    _refuse_no_text(name, text)
    return '"' + _CONTROL.sub(lambda it: _ESCAPED.get(it[0], f"\\u{ord(it[0]):04x}"), text) + '"'


def _refuse_no_text(name: str, text: str) -> None:
    """Python reads a file name that is no UTF-8 as letters that nothing can write."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{name}={text!r} is no text that a file can hold ({error.reason}).\n  Use a name that is UTF-8."
        ) from error


def toml_value(name: str, value: Any) -> str:
    """A value as TOML reads it back, on one line.

    Args:
        name: for the words of an error.
        value: text, numbers, dates, lists and tables.

    Example:
        >>> toml_value("key", {"my path": 'a "quoted" \\n'})
        '{"my path" = "a \\\\"quoted\\\\" \\\\n"}'
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _toml_text(name, value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(name, v) for v in value) + "]"
    if isinstance(value, dict):
        inner = (f"{_toml_key(key)} = {toml_value(f'{name}.{key}', v)}" for key, v in value.items())
        return "{" + ", ".join(inner) + "}"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    raise InputError(f"{name}={value!r} has no place in TOML.\n  Use text, numbers, lists or tables.")
