"""Impedances that share their kernels, and the putting together of source from pieces."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tegotae.block import Field, Impedance, Kernels
from tegotae.checks import Array

EPSILON = 2.220446049250313e-16


@dataclass(frozen=True)
class Group:
    """Impedances that share their kernels, laid out one after the other in p and s, or as columns of two matrices."""

    kernels: Kernels
    names: tuple[str, ...]
    dimension: int
    parameters_at: int
    parameters_each: int
    state_at: int
    state_each: int
    based: bool
    geared: bool

    @property
    def in_columns(self) -> bool:
        """Small ones along a line are passed by value; as columns, many of them are worked on several at a time."""
        return self.dimension == 1 and self.kernels.by_value and max(self.parameters_each, self.state_each) <= 16

    @property
    def ratios_at(self) -> int:
        """Ratios follow the parameters."""
        return self.parameters_at + len(self.names) * self.parameters_each

    @property
    def bases_at(self) -> int:
        """Base velocities follow the states."""
        return self.state_at + len(self.names) * self.state_each

    @property
    def parameters_end(self) -> int:
        """Where the next group's parameters start."""
        return self.ratios_at + len(self.names)

    @property
    def state_end(self) -> int:
        """Where the next group's states start."""
        return self.bases_at + (self.dimension * len(self.names) if self.based else 0)


def groups_of(
    impedances: Mapping[str, Impedance],
    dimension: int,
    p: int,
    s: int,
    *,
    geared: Collection[str],
    based: Collection[str],
) -> tuple[Group, ...]:
    """Impedances with the same kernels, run by one loop: the source stays short for hundreds of them.

    Their parameters start at `p` of the vector, their states at `s`.
    """
    kinds: dict[Any, list[str]] = {}
    for name, block in impedances.items():
        deep = max(part.stop for part in block.slices().values())
        key = (block.kernels, block.parameters.size, deep, name in based, name in geared)
        kinds.setdefault(key, []).append(name)
    groups = []
    for (kernels, wide, deep, moved, turned), names in kinds.items():
        group = Group(kernels, tuple(names), dimension, p, wide, s, deep, moved, turned)
        p, s = group.parameters_end, group.state_end
        groups.append(group)
    return tuple(groups)


def fields_of(groups: Sequence[Group], impedances: Mapping[str, Impedance]) -> list[Field]:
    """Each impedance's fields with its name in front, in the order of the state."""
    fields = []
    for group in groups:
        owned = [[(name, f) for f in impedances[name].fields] for name in group.names]
        if group.in_columns:  # field by field, so that a group's numbers form a matrix
            owned = [list(row) for row in zip(*owned, strict=True)]
        fields += [dataclasses.replace(f, name=f"{name}.{f.name}") for row in owned for name, f in row]
        if group.based:
            fields += [Field(f"{n}.base_velocity", "m/s", "of the other end") for n in group.names]
    return fields


def parameters_of(
    groups: Sequence[Group], impedances: Mapping[str, Impedance], ratios: Mapping[str, float]
) -> list[Array]:
    """Group by group the impedances' parameters, as the group lays them out, and their ratios."""
    parts = []
    for group in groups:
        axis = 1 if group.in_columns else 0
        parts.append(np.stack([impedances[name].parameters for name in group.names], axis=axis).ravel())
        parts.append(np.array([ratios[name] for name in group.names]))
    return parts


def put(template: str, pieces: Mapping[str, object]) -> str:
    """Put each piece in its place; a piece that stands alone on a line keeps that line's indent throughout."""
    lines = []
    for line in template.splitlines():
        name = line.strip()[1:-1]
        if line.strip() == f"{{{name}}}" and name in pieces:
            indent = line[: len(line) - len(line.lstrip())]
            lines += [indent + inner for inner in str(pieces[name]).splitlines() if inner.strip()]
        else:
            lines.append(line.format(**pieces))
    return "\n".join(lines) + "\n"


# The loop itself is the same for both: only `solve` and `commit` differ.
LOOP = """
row = 0
wait = every
for k in range(x.shape[0]):
    for j in range(slots.shape[0]):
        s[slots[j]] = bases[j, k]
    h = x[k]
    {tick}
    if not solved:
        s[{unsolved}] += 1.0
    wait -= 1
    if wait == 0:
        wait = every
        for j in range(picks.shape[0]):
            record[j, row] = s[picks[j]]
        row += 1
"""
