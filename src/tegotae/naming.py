"""What a machine is made of by name, and the same machine with some of it changed.

FrictionImpedance        stiffness, damping, law, law.limit
ParallelFriction         stiffness[0], limits[2], laws[1].static
Scene                    tree.bodies.arm.mass, tree.bodies.arm.inertia[2][2], controllers.tool.gain, touches[0].friction
Circuit                  those of what moves by their names, of impedances with theirs in front: brake.law.limit,
                         brake.ratio
an inclusion as a block  its parameters by their names, those of its elements with theirs in front: rub.stiffness

Entries of a mapping go by their key. So do those of a sequence whose items each have a `name` of their own, such as
bodies; all others by their place, from 0.

Blocks say themselves what they have (`Named`); the rest holds for fields of any dataclass.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Container, Mapping
from functools import cached_property
from typing import Any, cast

import numpy as np

from tegotae import checks
from tegotae.parameters import declared

_NEVER = ("dimension",)  # whole numbers that make another machine
_FEW = 12  # names in an error


class Named:
    """What says itself what it has by name."""

    def named_parts(self) -> Any:
        """What names lead into: its fields, unless it says otherwise."""
        return self

    @property
    def variable(self) -> tuple[str, ...]:
        """The names that `varied` and `batch` take: its parameters, and those of its parts ("law.limit", "limits[2]").

        Entries of a mapping go by their key, those of a sequence by their place, or by their own name where each has
        one: "controllers.tool.gain", "touches[0].friction", "tree.bodies.arm.mass".
        """
        return names_in(self.named_parts())

    @property
    def numbers(self) -> dict[str, float]:
        """Every finite number that it was made with, by name: "stiffness", "law.limit", "limits[2]"."""
        return numbers_in(self.named_parts())

    def unit_of(self, name: str) -> str:
        """The unit of one of its numbers, by name; "SI" where no class declares it."""
        owner = type(self).__name__
        return unit_in(self.named_parts(), checks.text(owner, "name", name, "Give the name of one of its `numbers`."))

    def varied(self, changes: Mapping[str, Any]) -> Any:
        """The same with some parameters changed, by the names in `variable`."""
        return dataclasses.replace(cast(Any, self), **changed_parts(self, changes))


def made_of(machine: Any) -> dict[str, Any]:
    """What a machine holds without what it worked out when first asked, such as compiled modules."""
    found = vars(machine).items()
    return {name: value for name, value in found if not isinstance(getattr(type(machine), name, None), cached_property)}


def parts_in(value: Any) -> dict[str, Any]:
    """What a value is made of, by the first piece of their names: fields, or entries; "" where that is left out."""
    if dataclasses.is_dataclass(value):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.init}
    if isinstance(value, Mapping):
        return {key: part for key, part in value.items() if isinstance(key, str)}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, (tuple, list)):
        return {}
    names = [one.name for one in value if "name" in getattr(one, "__dataclass_fields__", ())]
    if len(names) < len(value) or not all(isinstance(name, str) for name in names) or len({*names}) < len(names):
        names = [f"[{i}]" for i in range(len(value))]
    return dict(zip(names, value, strict=True))


def names_in(value: Any) -> tuple[str, ...]:
    """The parts of a value, and theirs with their names in front."""
    names: list[str] = []
    for name, part in parts_in(value).items():
        names += [name] * bool(name)
        names += [_joined(name, key) for key in (part.variable if hasattr(part, "varied") else names_in(part))]
    return tuple(names)


def numbers_in(value: Any, counts: bool = False) -> dict[str, float]:
    """Every finite number of a value by its name; counts are whole, where they are declared so, or `counts` says it."""
    found, checked, plain = dict[str, float](), declared(type(value)), not dataclasses.is_dataclass(value)
    for name, part in parts_in(value).items():
        may_count = counts if plain else name in checked
        if checks.is_real(part):
            if math.isfinite(part) and (plain or name not in _NEVER):
                found[name] = part if may_count else float(part)
        else:
            inner = part.numbers if hasattr(part, "varied") else numbers_in(part, may_count)
            found |= {_joined(name, key): number for key, number in inner.items()}
    return found


def checked_changes(owner: str, changes: object) -> Mapping[str, Any]:
    """Changes by the names of what they change."""
    return checks.mapping(owner, "changes", changes, "Give a dict from names in `variable` to their values.")


def changed_parts(value: Any, changes: Mapping[str, Any], owner: str = "", above: str = "") -> dict[str, Any]:
    """The parts of a value that such changes make new, by the first pieces of their names.

    `owner` and `above` are the class that an error names, and what stands there before these names; the value's own
    unless given.
    """
    parts, owner = parts_in(value), owner or type(value).__name__
    direct: dict[str, Any] = {}
    inner: dict[str, dict[str, Any]] = {}
    for name, new in checked_changes(owner, changes).items():
        key, rest = _found(parts, name)
        if key is None:
            listed = ", ".join(_joined(above, one) for one in [*parts][:_FEW]) + " and more" * (len(parts) > _FEW)
            remedy = f"It has {listed}." if parts else f"Give {above} itself: it is {checks.shown(value)}."
            checks.refuse(owner, f"it has no {_joined(above, name)!r} to change.", remedy)
        if rest:
            inner.setdefault(key, {})[rest] = new
        else:
            direct[key] = new
    for key, new in inner.items():
        direct[key] = rebuilt(direct.get(key, parts[key]), new, owner, _joined(above, key))
    return direct


def rebuilt(value: Any, changes: Mapping[str, Any], owner: str = "", above: str = "") -> Any:
    """The same with some of it changed, by name."""
    if hasattr(value, "varied"):
        return value.varied(changes)
    if dataclasses.is_dataclass(value):
        return dataclasses.replace(value, **changed_parts(value, changes))  # type: ignore[type-var]
    new = changed_parts(value, changes, owner, above)
    return {**value, **new} if isinstance(value, Mapping) else [*(parts_in(value) | new).values()]


def unit_in(value: Any, name: str, unit: str = "SI") -> str:
    """The unit of a number, as its class declares it; that of what it is an entry of, "SI" where none does."""
    parts = parts_in(value)
    key, rest = _found(parts, name)
    if key is None or dataclasses.is_dataclass(value):
        field = declared(type(value)).get(key or name)
        unit = field.parameter.unit if field else "SI"
    if key is None or not rest:
        return unit
    return str(parts[key].unit_of(rest)) if hasattr(parts[key], "varied") else unit_in(parts[key], rest, unit)


def _joined(name: str, rest: str) -> str:
    return name + rest if rest.startswith("[") or not name else f"{name}.{rest}"


def _found(parts: Container[str], name: str) -> tuple[str | None, str]:
    """The part that a name begins with, the longest, for keys may have dots, and what is left; None for none."""
    for end in [len(name), *(piece.start() for piece in reversed([*re.finditer(r"[.\[]", name)])), 0]:
        if name[:end] in parts:
            return name[:end], name[end:].removeprefix("." * bool(end))
    return None, ""
