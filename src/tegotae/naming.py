"""What a machine is made of by name, and the same machine with some of it changed.

FrictionImpedance        stiffness, damping, law, law.limit
ParallelFriction         stiffness[0], limits[2]
Circuit                  those of what moves by their names, of impedances with theirs in front: brake.law.limit
an inclusion as a block  its parameters by their names, those of its elements with theirs in front: rub.stiffness

Blocks say themselves what they have (`Block.variable`, `Block.numbers`, `Block.varied`); here is what holds for fields
of any dataclass.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Container, Mapping
from typing import Any

import numpy as np

from tegotae import checks
from tegotae.parameters import declared

_NEVER = ("dimension",)  # whole numbers that make another machine
_ENTRY = re.compile(r"(\w+)\[(\d+)\]")


def names_in(value: Any) -> tuple[str, ...]:
    """The fields of a value, and those of its parts with their names in front."""
    names: list[str] = []
    for name in _fields(value):
        part = getattr(value, name)
        inner = part.variable if hasattr(part, "varied") else names_in(part)
        names += [name, *(f"{name}.{key}" for key in inner)]
    return tuple(names)


def numbers_in(value: Any) -> dict[str, float]:
    """Every number of a value by its name; counts are whole, where they are declared so."""
    found, checked = dict[str, float](), declared(type(value))
    for name in _fields(value):
        part: Any = getattr(value, name)
        if name in _NEVER:
            continue
        if checks.is_real(part):
            found[name] = part if name in checked else float(part)
        elif dataclasses.is_dataclass(part):
            inner = getattr(part, "numbers", None) or numbers_in(part)
            found |= {f"{name}.{key}": number for key, number in inner.items()}
        elif isinstance(part, (tuple, list, np.ndarray)) and all(checks.is_real(v) for v in np.asarray(part, object)):
            entries = np.asarray(part).tolist()
            found |= {f"{name}[{i}]": v if name in checked else float(v) for i, v in enumerate(entries)}
    return found


def changed_fields(value: Any, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a value that such changes make new, by the names of the fields."""
    known = _fields(value)
    for name in changes:
        if re.split(r"[.\[]", name)[0] not in known:
            checks.refuse(type(value).__name__, f"it has no {name!r} to change.", f"It has {', '.join(known)}.")
    direct, inner = sorted_by_part(changes, known)
    fields: dict[str, Any] = {name: rebuilt(getattr(value, name), part) for name, part in inner.items()}
    for name, new in direct.items():
        if entry := _ENTRY.fullmatch(name):
            column = fields.setdefault(entry[1], list(getattr(value, entry[1])))
            column[int(entry[2])] = new
        else:
            fields[name] = new
    return fields


def rebuilt(value: Any, changes: Mapping[str, Any]) -> Any:
    """The same with some of it changed, by name."""
    if hasattr(value, "varied"):
        return value.varied(changes)
    return dataclasses.replace(value, **changed_fields(value, changes))


def sorted_by_part(changes: Mapping[str, Any], parts: Container[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Changes of the machine itself, and those of its parts by the parts' names."""
    direct: dict[str, Any] = {}
    inner: dict[str, dict[str, Any]] = {}
    for name, value in changes.items():
        head, dot, rest = name.partition(".")
        if dot and head in parts:
            inner.setdefault(head, {})[rest] = value
        else:
            direct[name] = value
    return direct, inner


def unit_in(value: Any, name: str) -> str:
    """The unit of a number, as its class declares it; "SI" where none does."""
    head, dot, rest = name.partition(".")
    if dot:
        part: Any = getattr(value, head, None)
        return str(part.unit_of(rest)) if hasattr(part, "varied") else unit_in(part, rest)
    field = declared(type(value)).get(re.sub(r"\[\d+\]$", "", head))
    return field.parameter.unit if field else "SI"


def _fields(value: Any) -> list[str]:
    return [f.name for f in dataclasses.fields(value) if f.init] if dataclasses.is_dataclass(value) else []
