"""A circuit whose blocks are reached by their addresses: the loop that ships for machines without a compiler.

Behind its parameters stands a table, one row a group of impedances, and then what its admittance needs. The loop reads
where everything lies from there, instead of having it in its text.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tegotae.block import Admittance
from tegotae.checks import Array
from tegotae.circuit_sources import signatures
from tegotae.circuit_sources.group import Group

ROW = ("resist_at", "commit_at", "columns", "count", "wide", "deep", "p_at", "s_at", "ratios_at", "bases_at")
END = ("move_at", "keep_at", "own_parameters", "own_state", "velocity", "unsolved", "scratch", "groups")
_ADDRESSES = {"resist_at", "commit_at", "move_at", "keep_at"}


def table_of(
    admittance: Admittance, groups: Sequence[Group], velocity: int, unsolved: int, scratch: int
) -> Array | None:
    """The numbers behind a circuit's parameters; None if one of its blocks has no address."""
    kind = "LINE" if admittance.dimension == 1 else "SPACE"
    rows = []
    for group in groups:
        own = "COLUMN" if group.in_columns else kind
        halves = _addresses(f"{own}_RESIST", f"{own}_COMMIT", group.kernels.halves())
        if halves is None:
            return None
        rows += [*halves, group.in_columns, len(group.names), group.parameters_each, group.state_each]
        rows += [group.parameters_at, group.state_at, group.ratios_at, group.bases_at if group.based else -1]
    halves = _addresses(f"{kind}_MOVE", f"{kind}_KEEP", admittance.kernels.halves())
    if halves is None:
        return None
    size = (admittance.parameters.size, max(part.stop for part in admittance.slices().values()))
    return np.array([*rows, *halves, *size, velocity, unsolved, scratch, len(groups)], dtype=np.float64)


def _addresses(answer: str, advance: str, halves: Sequence[object]) -> tuple[float, float] | None:
    one = getattr(signatures, answer).address_of(halves[0])
    other = getattr(signatures, advance).address_of(halves[1])
    return None if one is None or other is None else (one, other)


def imports(kind: str) -> str:
    """The line that makes the signatures known: of a line or of space."""
    names = [f"{kind}_{word}" for word in ("RESIST", "COMMIT", "MOVE", "KEEP")]
    names += ["COLUMN_RESIST", "COLUMN_COMMIT"] if kind == "LINE" else []
    return f"from tegotae.circuit_sources.signatures import {', '.join(names)}\n"


def head() -> str:
    """The lines that read the end of the table, and name its rows."""
    lines = ["end = p.shape[0]"]
    for place, name in enumerate(reversed(END)):
        lines.append(_read(name, f"p[end - {place + 1}]"))
    size = f"groups * {len(ROW)}"
    lines.append(f"first = end - {len(END)} - {size}")
    lines.append(f"table = p[first : first + {size}].reshape((groups, {len(ROW)}))")
    return "\n".join(lines) + "\n"


def of_all(inner: str) -> str:
    """Lines for every group, which find what its row says under its names."""
    reads = [_read(name, f"table[g, {place}]") for place, name in enumerate(ROW)]
    body = [f"    {line}" for line in [*reads, *inner.strip().splitlines()]]
    return "\n".join(["for g in range(groups):", *body]) + "\n"


def _read(name: str, code: str) -> str:
    return f"{name} = {code}" if name in _ADDRESSES else f"{name} = int({code})"
