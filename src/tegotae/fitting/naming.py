"""The numbers of a machine by their names, and the same machine with other numbers.

FrictionImpedance        stiffness, damping, law.limit
ParallelFriction         stiffness[0], limits[2]
Circuit                  those of what moves by their names, of impedances with theirs in front: brake.law.limit
an inclusion as a block  its parameters by their names, those of its elements with theirs in front: rub.stiffness
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tegotae.block import Block
from tegotae.coupling.circuit import Circuit
from tegotae.fitting.recipe import Values
from tegotae.parameters import declared

_NEVER = ("dimension",)  # whole numbers that make another machine


def numbers_in(machine: Any) -> Values:
    """Every number of a machine by its name."""
    if isinstance(machine, Circuit):
        inner = {**machine.admittances, **machine.impedances}
        told = [(f"{block}." if block else "", numbers_in(one)) for block, one in inner.items()]
        return {prefix + name: value for prefix, own in told for name, value in own.items()}
    if is_inclusion(machine):
        own = {s.name: v for s, v in machine.stepper.inclusion.parameters.items() if s not in machine._forces}
        return own | _prefixed(machine.stepper.elements)
    found: Values = {}
    for name in _fields(machine):
        value = getattr(machine, name)
        if _is_number(value):
            found[name] = float(value)
        elif dataclasses.is_dataclass(value):
            found |= _prefixed({name: value})
        elif isinstance(value, (tuple, list, np.ndarray)) and all(_is_number(v) for v in np.asarray(value, object)):
            found |= {f"{name}[{i}]": float(v) for i, v in enumerate(value)}
    return found


def rebuilt(machine: Any, values: Mapping[str, float]) -> Any:
    """The same machine with some numbers changed."""
    if not values:
        return machine
    if isinstance(machine, Circuit):
        named = {**machine.admittances, **machine.impedances}
        mine, theirs = _sorted(values, named)
        return machine.changed({name: rebuilt(named[name], own) for name, own in [("", mine), *theirs.items()] if own})
    if is_inclusion(machine):
        return dataclasses.replace(machine, stepper=machine.stepper.varied(values))
    own, inner = _sorted(values, _fields(machine))
    changes: dict[str, Any] = {name: rebuilt(getattr(machine, name), part) for name, part in inner.items()}
    for name, value in own.items():
        if entry := re.fullmatch(r"(\w+)\[(\d+)\]", name):
            column = changes.setdefault(entry[1], [float(v) for v in getattr(machine, entry[1])])
            column[int(entry[2])] = value
        else:
            changes[name] = value
    return machine.varied(changes) if isinstance(machine, Block) else dataclasses.replace(machine, **changes)


def unit_of(machine: Any, name: str) -> str:
    """The unit of a number of a machine, as its class declares it; "SI" where none does."""
    head, dot, rest = name.partition(".")
    if isinstance(machine, Circuit):
        named = {**machine.admittances, **machine.impedances}
        return unit_of(named[head], rest) if head in named else unit_of(named.get(""), name)
    if dot:
        return unit_of(getattr(machine, head, None), rest)
    own = declared(type(machine)).get(re.sub(r"\[\d+\]$", "", head))
    return own.parameter.unit if own else "SI"


def places_in(block: Block, name: str) -> NDArray[np.int64]:
    """Where the real parameters p of a block hold a number of its, by its name; nowhere if no part of them is that."""
    real = {n: np.arange(p.start, p.stop) for n, p in block.spaces.parameters.places.items() if not p.whole}
    if name in real:
        return real[name]
    stem = re.sub(r"(\.\w+|\[\d+\])$", "", name)  # a law, or a column: its numbers stand there in their order
    single = [spot for n, spot in real.items() if n == stem or re.fullmatch(rf"{re.escape(stem)}_\d+", n)]
    inside = [n for n in numbers_in(block) if n.startswith((f"{stem}.", f"{stem}["))]
    spots = np.concatenate([np.empty(0, dtype=np.int64), *single])
    return spots[[inside.index(name)]] if name in inside and len(inside) == spots.size else spots[:0]


def is_inclusion(machine: Any) -> bool:
    """Whether it is an inclusion as a block; asked without loading SymPy."""
    return type(machine).__name__ == "InclusionAdmittance" and isinstance(machine, Block)


def _fields(machine: Any) -> list[str]:
    if not dataclasses.is_dataclass(machine):
        return []
    return [f.name for f in dataclasses.fields(machine) if f.init and f.name not in _NEVER]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _prefixed(parts: Mapping[str, Any]) -> Values:
    return {f"{name}.{inner}": v for name, part in parts.items() for inner, v in numbers_in(part).items()}


def _sorted(values: Mapping[str, float], parts: Any) -> tuple[Values, dict[str, Values]]:
    """Those of the machine itself, and those of its parts by the parts' names."""
    own: Values = {}
    inner: dict[str, Values] = {}
    for name, value in values.items():
        head, dot, rest = name.partition(".")
        if dot and head in parts:
            inner.setdefault(head, {})[rest] = value
        else:
            own[name] = value
    return own, inner
