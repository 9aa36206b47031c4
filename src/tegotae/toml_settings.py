"""Settings: dataclasses with declared fields, read from TOML and the command line, shown as TOML."""

from __future__ import annotations

import dataclasses
import datetime
import difflib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from tegotae import checks
from tegotae.errors import FileError, InputError
from tegotae.parameters import Declared, Parameter, declared

_WORDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    list: "a list",
    tuple: "a list",
    dict: "a group",
    type(None): "nothing",
}
_MOST = 1 << 24  # bytes of a file
_DEEPEST = 32  # tables and lists inside each other: no settings need more, and readers must not run out of stack
_LARGEST = 2**63  # TOML's whole numbers have 64 bits
_LARGEST_SETTING = 1e15  # nothing that is set is as large in its unit
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def read_toml(path: Path, option: str = "--config") -> dict[str, Any]:
    """A TOML file as nested tables; an error tells which option of the command line named it."""
    try:
        text = checks.read_bounded(path, _MOST, f"{option} takes a TOML text file.")
        given = tomllib.loads(text.decode("utf-8-sig"))  # some editors begin a text with a mark
    except FileError:
        raise
    except FileNotFoundError as error:
        raise FileError(f"Cannot read {path}: there is no such file.\n  Check the path given to {option}.") from error
    except UnicodeDecodeError as error:
        raise FileError(f"Cannot read {path}: it is not text in UTF-8 ({error}).\n  Save it as UTF-8.") from error
    except OSError as error:
        raise FileError(f"Cannot read {path}: {error.strerror}.\n  {option} takes a TOML text file.") from error
    except (ValueError, RecursionError) as error:  # also a path with a NUL, a number of thousands of digits
        raise FileError(f"Cannot read {path}: it is not TOML ({error}).\n  Repair it at that place.") from error
    if problem := unreadable(given):
        raise FileError(f"Cannot read {path}: {problem}.\n  Repair it at that place.")
    return given


def unreadable(given: object) -> str:
    """What is wrong with tables that are TOML, but of no size that settings have; nothing if all is well."""
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
    """``a.b=1`` into nested tables; the value is TOML, or else plain text."""
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


class Kinds(Parameter):
    """What a group of settings may be: kind -> an object of it, with the values that hold unless others are given.

    Their classes declare what there is to set; None is a kind without any.
    """

    def __init__(self, text: str = "", /, **prototypes: Any):
        super().__init__(text, accept=self._accepted)
        self.prototypes = prototypes
        self.default = next(iter(prototypes.values()))

    def _accepted(self, owner: str, name: str, value: Any) -> Any:
        if type(value) not in (kinds := {type(one) for one in self.prototypes.values()}):
            names = " or ".join("None" if kind is type(None) else f"{kind.__name__}(...)" for kind in kinds)
            checks.refuse(owner, f"{name}={checks.shown(value)} is not one of its kinds.", f"Give {names}.")
        return value

    def kind_of(self, value: object) -> str:
        """The kind of an object that is one of them."""
        self._accepted("settings", "value", value)
        return next(kind for kind, one in self.prototypes.items() if type(one) is type(value))


def read(owner: str, settings: Any, given: Mapping[str, Any], remedy: str, path: tuple[str, ...] = ()) -> Any:
    """Settings with the values that nested tables give, each checked as its class declares it; what is not given stays.

    An error begins with its owner and names the path of the group; `remedy` is the way out where a name is unknown, or
    a value of another type.
    """
    fields, values = declared(type(settings)), {}
    for name, value in given.items():
        full = ".".join((*path, name))
        if name not in fields:
            checks.refuse(owner, f"there is no parameter {full!r}; {_near(name, list(fields))}.", remedy)
        hint, parameter, check = fields[name]
        if isinstance(parameter, Kinds):
            values[name] = _read_group(owner, parameter, getattr(settings, name), value, remedy, (*path, name))
        else:
            if wanted := _another_type(hint, value):
                _refuse_type(owner, full, value, wanted, remedy)
            if get_origin(hint) is Literal and value not in get_args(hint):
                checks.refuse(owner, f"{full}={value!r} is not known; known are {', '.join(get_args(hint))}.", remedy)
            values[name] = check(owner, full, value)
    return dataclasses.replace(settings, **values) if values else settings


def _read_group(owner: str, group: Kinds, now: Any, given: Any, remedy: str, path: tuple[str, ...]) -> Any:
    full, kinds = ".".join(path), group.prototypes
    if not isinstance(given, Mapping):
        _refuse_type(owner, full, given, "a group", remedy)
    given = dict(given)
    kind = given.pop("kind", group.kind_of(now)) if len(kinds) > 1 else group.kind_of(now)
    if kind not in kinds:
        checks.refuse(owner, f"{full}.kind={kind!r} is not known; known are {', '.join(kinds)}.", remedy)
    names = {one: list(declared(type(prototype))) for one, prototype in kinds.items()}
    for name in given:
        if name not in names[kind] and len(kinds) > 1:
            others = [f"--set {full}.kind={one}" for one in kinds if name in names[one]]
            problem = f"there is no parameter {f'{full}.{name}'!r} of kind {kind!r}; {_near(name, names[kind])}"
            if others:
                problem = f"{full} of kind {kind!r} has no {name!r}; it belongs to {' or '.join(others)}"
            checks.refuse(owner, f"{problem}.", remedy)
    return read(owner, now if kind == group.kind_of(now) else kinds[kind], given, remedy, path)


def _near(name: str, names: list[str]) -> str:
    near = difflib.get_close_matches(name, names, n=3)
    if near:
        return f"near {'is' if len(near) == 1 else 'are'} {', '.join(near)}"
    return f"known are {', '.join(names)}" if names else "there is nothing to set"


def _another_type(hint: Any, value: Any) -> str:
    """What a value should be, in words; nothing if it is that, or something that its own check knows."""
    kind = str if get_origin(hint) is Literal else get_origin(hint) or hint
    accepted: dict[Any, Any] = {float: int | float, int: int, bool: bool, str: str, tuple: list | tuple, dict: Mapping}
    if kind not in accepted or (isinstance(value, accepted[kind]) and (kind is bool or not isinstance(value, bool))):
        return ""
    return _WORDS[kind]


def _refuse_type(owner: str, name: str, value: Any, wanted: str, remedy: str) -> None:
    found = _WORDS.get(type(value), "a date or a time")
    checks.refuse(owner, f"{name}={checks.shown(value)} is {found}, not {wanted}.", remedy)


class SettingsGroup(Declared):
    """Base of settings that are written to files: their text is such as a file can hold, their numbers are sensible."""

    def __post_init__(self) -> None:
        super().__post_init__()
        owner = type(self).__name__
        for name, field in declared(type(self)).items():
            value = getattr(self, name)
            if isinstance(value, str | dict):
                toml_value(f"{owner}: {name}", value)
            for one in value if isinstance(value, tuple) else (value,):
                if isinstance(one, int | float) and abs(one) > _LARGEST_SETTING:
                    remedy = f"Give it in {field.parameter.unit or 'its unit'}."
                    checks.refuse(owner, f"{name}={one!r} is beyond +-{_LARGEST_SETTING:g}.", remedy)


def table(owner: str, name: str, value: Any) -> dict[str, Any]:
    """The check of a field with names and values of the user's own, such as TOML holds."""
    if problem := unreadable(value):
        checks.refuse(owner, f"{name}: {problem}.", "Give fewer inside each other, or smaller ones.")
    return dict(checks.mapping(owner, name, value, "Give names and values, such as {'port': 5000}."))


def tables(settings: Any) -> dict[str, Any]:
    """Settings, of a class with declared fields, as nested tables of plain values; none of None."""
    found: dict[str, Any] = {}
    for name, (_, parameter, _) in declared(type(settings)).items():
        value = getattr(settings, name)
        if isinstance(parameter, Kinds):
            kind = {"kind": parameter.kind_of(value)} if len(parameter.prototypes) > 1 else {}
            found[name] = {**kind, **tables(value)}
        else:
            found[name] = list(value) if isinstance(value, tuple) else value
    return found


def fields_for(kind: type, settings: Any) -> dict[str, Any]:
    """What settings say of an object of some class: the values of the fields that both declare."""
    known = declared(type(settings))
    return {name: getattr(settings, name) for name in declared(kind) if name in known}


def lines(settings: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Settings as lines of TOML, each with its meaning, unit and range as a comment; other kinds to uncomment."""
    fields = declared(type(settings))
    for name, (_, parameter, _) in fields.items():
        if not isinstance(parameter, Kinds):
            yield f"{name} = {toml_value(name, getattr(settings, name))}  # {parameter.description}"
    for name, (_, parameter, _) in fields.items():
        if not isinstance(parameter, Kinds):
            continue
        value, inner = getattr(settings, name), (*path, name)
        yield from ("", f"[{'.'.join(inner)}]", *_group(parameter, value, inner))
        for kind, prototype in parameter.prototypes.items():
            if kind != parameter.kind_of(value):
                yield from ("# or:", *(f"#   {line}".rstrip() for line in _group(parameter, prototype, inner)))


def _group(group: Kinds, value: Any, path: tuple[str, ...]) -> list[str]:
    kind = [f'kind = "{group.kind_of(value)}"'] if len(group.prototypes) > 1 else []
    return [*kind, *lines(value, path)]


def _toml_key(name: object) -> str:
    if not isinstance(name, str):
        raise InputError(f"a name is {name!r}.\n  Names of settings are text.")
    return name if _BARE.fullmatch(name) else _toml_text("a name", name)


def _toml_text(name: str, text: str) -> str:
    """Quoted, so that it is read back as it is: whatever is no plain character is escaped."""
    _refuse_no_text(name, text)
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _refuse_no_text(name: str, text: str) -> None:
    """Python reads a file name that is no UTF-8 as letters that nothing can write."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{name}={text!r} is not a text that a file can hold ({error.reason}).\n  Use a name that is UTF-8."
        ) from error


def toml_value(name: str, value: Any) -> str:
    """A value as TOML reads it back, on one line: text, numbers, dates, lists and tables."""
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
