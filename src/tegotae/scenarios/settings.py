"""Settings of a scenario: dataclasses with declared fields, read from nested tables and shown as TOML."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, get_args, get_origin

from tegotae.errors import InputError
from tegotae.parameters import Parameter, declared
from tegotae.toml_settings import in_words, toml_value

Duration = Annotated[float, Parameter("[s], > 0, the length of the run")]


class Kinds(Parameter):
    """What a group of settings may be.

    Args:
        prototypes: kind -> an object of it, with the values that hold unless others are given; None for one without
            any. Their classes declare what there is to set.

    Example:
        >>> import tegotae as tg
        >>> laws = Kinds(coulomb=tg.Coulomb(4.0), viscous=tg.Viscous(4.0, 10.0))
        >>> laws.kind_of(tg.Viscous(1.0, 2.0))
        'viscous'
    """

    def __init__(self, **prototypes: Any):
        super().__init__("", accept=lambda owner, name, value: value)
        self.prototypes = prototypes
        self.default = next(iter(prototypes.values()))

    def kind_of(self, value: object) -> str:
        """The kind of an object."""
        return next(kind for kind, one in self.prototypes.items() if type(one) is type(value))


def parameter_of(owner: type, name: str) -> Parameter:
    """The declaration of a field of another class, for a setting that is the same thing.

    Args:
        owner: the class that declares it.
        name: of the field.

    Example:
        >>> from tegotae.elements import Mass
        >>> parameter_of(Mass, "mass").unit
        'kg'
    """
    return declared(owner)[name].parameter


def read(owner: str, settings: Any, given: Mapping[str, Any], remedy: str, path: tuple[str, ...] = ()) -> Any:
    """Settings with the given values, each checked as its class declares it; what is not given stays.

    Args:
        owner: who asks, for the words of an error.
        settings: as they are unless others are given.
        given: nested tables.
        remedy: the way out where a name is unknown, or a value of another type.
        path: of the group that they are in.

    Example:
        >>> import tegotae as tg
        >>> read("demo", tg.Stribeck(3.0, 4.0, 0.2), {"static": 5}, "See the docs.").static
        5.0
    """
    fields, values = declared(type(settings)), {}
    for name, value in given.items():
        full = ".".join((*path, name))
        if name not in fields:
            _refuse(owner, f"there is no parameter {full!r}; {_near(name, list(fields))}", remedy)
        hint, own, check = fields[name]
        if isinstance(own, Kinds):
            values[name] = _read_group(owner, own, getattr(settings, name), value, remedy, (*path, name))
        else:
            if wanted := _another_type(hint, value):
                _refuse(owner, f"{full}={value!r} is {in_words(value)}, not {wanted}", remedy)
            if get_origin(hint) is Literal and value not in get_args(hint):
                _refuse(owner, f"{full}={value!r} is not known; known are {', '.join(get_args(hint))}", remedy)
            values[name] = check(owner, full, value)
    return dataclasses.replace(settings, **values) if values else settings


def _read_group(owner: str, own: Kinds, now: Any, given: Any, remedy: str, path: tuple[str, ...]) -> Any:
    full, kinds = ".".join(path), own.prototypes
    if not isinstance(given, Mapping):
        _refuse(owner, f"{full}={given!r} is {in_words(given)}, not a group", remedy)
    given = dict(given)
    kind = given.pop("kind", own.kind_of(now)) if len(kinds) > 1 else own.kind_of(now)
    if kind not in kinds:
        _refuse(owner, f"{full}.kind={kind!r} is not known; known are {', '.join(kinds)}", remedy)
    names = {one: list(declared(type(prototype))) for one, prototype in kinds.items()}
    for name in given:
        if name not in names[kind] and len(kinds) > 1:
            others = [f"--set {full}.kind={one}" for one in kinds if name in names[one]]
            told = f"there is no parameter {f'{full}.{name}'!r} of kind {kind!r}; {_near(name, names[kind])}"
            if others:
                told = f"{full} of kind {kind!r} has no {name!r}; it belongs to {' or '.join(others)}"
            _refuse(owner, told, remedy)
    return read(owner, now if kind == own.kind_of(now) else kinds[kind], given, remedy, path)


def _near(name: str, names: list[str]) -> str:
    near = difflib.get_close_matches(name, names, n=3)
    if near:
        return f"near {'is' if len(near) == 1 else 'are'} {', '.join(near)}"
    return f"known are {', '.join(names)}" if names else "there is nothing to set"


def _another_type(hint: Any, value: Any) -> str:
    """What a value should be, in words; nothing if it is that, or something that its own check knows."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if hint in (float, int) and not (is_number if hint is float else is_number and isinstance(value, int)):
        return "a number" if hint is float else "a whole number"
    if hint is str or get_origin(hint) is Literal:
        return "" if isinstance(value, str) else "text"
    return "a list" if get_origin(hint) is tuple and not isinstance(value, list | tuple) else ""


def _refuse(owner: str, told: str, remedy: str) -> None:
    raise InputError(f"{owner}: {told}.\n  {remedy}")


def tables(settings: Any) -> dict[str, Any]:
    """Settings as nested tables of plain values.

    Args:
        settings: an object of a class with declared fields; None for one without any.

    Example:
        >>> import tegotae as tg
        >>> tables(tg.Viscous(4.0, 10.0))
        {'limit': 4.0, 'viscosity': 10.0}
    """
    found: dict[str, Any] = {}
    for name, (_, own, _) in declared(type(settings)).items():
        value = getattr(settings, name)
        if isinstance(own, Kinds):
            kind = {"kind": own.kind_of(value)} if len(own.prototypes) > 1 else {}
            found[name] = {**kind, **tables(value)}
        else:
            found[name] = list(value) if isinstance(value, tuple) else value
    return found


def lines(settings: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Settings as lines of TOML, each with its meaning, unit and range as a comment; other kinds to uncomment.

    Args:
        settings: an object of a class with declared fields.
        path: of the group that they are.

    Example:
        >>> import tegotae as tg
        >>> list(lines(tg.Coulomb(4.0)))
        ['limit = 4.0  # friction force [N], > 0']
    """
    fields = declared(type(settings))
    for name, (_, own, _) in fields.items():
        if not isinstance(own, Kinds):
            yield f"{name} = {toml_value(name, getattr(settings, name))}  # {own.description}"
    for name, (_, own, _) in fields.items():
        if not isinstance(own, Kinds):
            continue
        value, inner = getattr(settings, name), (*path, name)
        yield from ("", f"[{'.'.join(inner)}]", *_group(own, value, inner))
        for kind, prototype in own.prototypes.items():
            if kind != own.kind_of(value):
                yield from ("# or:", *(f"#   {line}" for line in _group(own, prototype, inner)))


def _group(own: Kinds, value: Any, path: tuple[str, ...]) -> list[str]:
    kind = [f'kind = "{own.kind_of(value)}"'] if len(own.prototypes) > 1 else []
    return [*kind, *lines(value, path)]
