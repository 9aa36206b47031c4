"""The numbers of a machine by their names, and the same machine with other numbers.

FrictionImpedance        stiffness, damping, law.limit
ParallelFriction         stiffness[0], limits[2]
Circuit                  those of what moves by their names, of impedances with theirs in front: brake.law.limit
an inclusion as a block  its parameters by their names, those of its elements with theirs in front: rub.stiffness
"""

from __future__ import annotations

import copy
import dataclasses
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from tegotae.block import Block
from tegotae.circuit import Circuit
from tegotae.fitting.recipe import Values

_NEVER = ("dimension",)  # whole numbers that make another machine


def numbers_in(machine: Any) -> Values:
    """Every number of a machine by its name."""
    if isinstance(machine, Circuit):
        inner = [("", machine.admittance), *((f"{name}.", block) for name, block in machine.impedances.items())]
        return {prefix + name: value for prefix, block in inner for name, value in numbers_in(block).items()}
    if is_inclusion(machine):
        own = {s.name: v for s, v in machine.stepper.inclusion.parameters.items() if s not in machine._forces}
        return own | _prefixed(machine.stepper.parameters)
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
        mine, theirs = _sorted(values, machine.impedances)
        impedances = {name: rebuilt(block, theirs.get(name, {})) for name, block in machine.impedances.items()}
        return Circuit(rebuilt(machine.admittance, mine), impedances, ratios=machine.ratios, bases=machine.bases)
    if is_inclusion(machine):
        return _inclusion(machine, values)
    own, inner = _sorted(values, _fields(machine))
    changes: dict[str, Any] = {name: rebuilt(getattr(machine, name), part) for name, part in inner.items()}
    for name, value in own.items():
        if entry := re.fullmatch(r"(\w+)\[(\d+)\]", name):
            column = changes.setdefault(entry[1], [float(v) for v in getattr(machine, entry[1])])
            column[int(entry[2])] = value
        else:
            changes[name] = value
    return machine.varied(changes) if isinstance(machine, Block) else dataclasses.replace(machine, **changes)


def is_inclusion(machine: Any) -> bool:
    """Whether it is an inclusion as a block; asked without loading SymPy."""
    return type(machine).__name__ == "InclusionAdmittance" and isinstance(machine, Block)


def _inclusion(machine: Any, values: Mapping[str, float]) -> Any:
    own, inner = _sorted(values, machine.stepper.parameters)
    system = copy.copy(machine.stepper.inclusion)
    system.parameters = {s: own.get(s.name, v) for s, v in system.parameters.items()}
    pieces = copy.copy(system.pieces)  # its functions do not know the numbers
    pieces.inclusion, pieces.values = system, np.array(list(system.parameters.values()), dtype=np.float64)
    system.__dict__["pieces"] = pieces
    elements = {name: rebuilt(e, inner.get(name, {})) for name, e in machine.stepper.parameters.items()}
    return dataclasses.replace(
        machine, stepper=dataclasses.replace(machine.stepper, inclusion=system, parameters=elements)
    )


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
