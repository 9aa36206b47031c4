"""Impedances that share their kernels, and the putting together of source from pieces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tegotae.block import Kernels

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
