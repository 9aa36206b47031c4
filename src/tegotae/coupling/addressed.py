"""A circuit on a line whose blocks are reached by their addresses: the loop that ships for machines without a compiler.

Behind its parameters stand the addresses of its blocks' kernels (real numbers, group by group, then of its admittance)
and where everything lies (whole numbers, likewise). The loop reads them there, instead of having them in its text.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tegotae.block import Admittance, Block
from tegotae.compile import Signature
from tegotae.coupling.group import Group, size_of
from tegotae.layout import Memory
from tegotae.running.source import module_of

# How such a loop calls blocks: the contracts of `tegotae.block`, as types. Real and whole numbers of p, s and w come
# first; of a group in columns (see `Group.in_columns`) the real ones of p and s lie apart.
_BLOCK = "reals, wholes, reals, wholes, reals, wholes"
_COLUMN = "column, wholes, column, wholes, reals, wholes"

LINE_RESIST = Signature(f"{_BLOCK}, real, real -> real, real")
LINE_COMMIT = Signature(f"{_BLOCK}, real, real ->")
LINE_MOVE = Signature(f"{_BLOCK}, real, real -> real, real")
LINE_KEEP = Signature(f"{_BLOCK}, real, real, real ->")
LINE_PREPARE = Signature(f"{_BLOCK}, real ->")
LINE_RESTORE = Signature(f"{_BLOCK} ->")

COLUMN_RESIST = Signature(f"{_COLUMN}, real, real -> real, real")
COLUMN_COMMIT = Signature(f"{_COLUMN}, real, real ->")
COLUMN_PREPARE = Signature(f"{_COLUMN}, real ->")
COLUMN_RESTORE = Signature(f"{_COLUMN} ->")

SPACE_RESIST = Signature(f"{_BLOCK}, reals, real, reals, matrix ->")
SPACE_COMMIT = Signature(f"{_BLOCK}, reals, real ->")
SPACE_MOVE = Signature(f"{_BLOCK}, reals, real, reals, matrix ->")
SPACE_KEEP = Signature(f"{_BLOCK}, reals, reals, real ->")

_NAMES = [name for name, value in globals().items() if isinstance(value, Signature)]
IMPORTS = f"from tegotae.coupling.addressed import {', '.join(_NAMES)}\nfrom tegotae.layout import Memory\n"

NONE = 0.0  # where a block has no such kernel
CALLS = ("resist_at", "commit_at", "prepare_at", "restore_at")
MOVES = ("move_at", "keep_at", "ready_at", "again_at")
_SIZES = ("wide", "wide_whole", "deep", "deep_whole", "work", "work_whole")
PLACES = (*_SIZES, "p_at", "p_whole_at", "s_at", "s_whole_at", "w_at", "w_whole_at")
ROW = ("columns", "count", *PLACES, "ratios_at", "bases_at")
_OF_MOVER = ("own_p", "own_p_whole", "own_s", "own_s_whole", "own_w", "own_w_whole")
END = (*_OF_MOVER, "velocity", "unsolved", "scratch", "groups")


def table_of(
    admittance: Admittance, groups: Sequence[Group], velocity: int, unsolved: int, scratch: int
) -> Memory | None:
    """The numbers behind a circuit's parameters; None if one of its blocks has no address."""
    addresses: list[float | None] = []
    rows: list[int] = []
    for group in groups:
        addresses += addresses_of(group.block, "RESIST", "COMMIT", "COLUMN" if group.in_columns else "LINE")
        rows += [int(group.in_columns), len(group.wires), *group.each.numbers, *group.at.numbers, group.ratios_at]
        rows.append(group.bases_at if group.based else -1)
    addresses += addresses_of(admittance, "MOVE", "KEEP")
    if None in addresses:
        return None
    whole = [*rows, *size_of(admittance).numbers, velocity, unsolved, scratch, len(groups)]
    return Memory(np.array(addresses, dtype=np.float64), np.array(whole, dtype=np.int64))


def addresses_of(block: Block, answer: str, advance: str, along: str = "LINE") -> list[float | None]:
    """Of its four kernels, None for one that has no address; `NONE` where it neither prepares nor restores.

    Those that prepare and restore are called alike in all dimensions.
    """
    module, kind, halves = module_of(block), along if block.dimension == 1 else "SPACE", block.kernels.halves()
    named = (
        (f"{kind}_{answer}", module.flat_answer, True),
        (f"{kind}_{advance}", module.flat_advance, True),
        (f"{along}_PREPARE", module.flat_prepare, halves.prepare),
        (f"{along}_RESTORE", module.flat_restore, halves.restore),
    )
    return [globals()[name].address_of(kernel) if there else NONE for name, kernel, there in named]


def read_back(names: Sequence[str], vector: str, end: str) -> list[str]:
    """Lines that read the last numbers of a vector under these names."""
    return [f"{name} = {vector}[{end} - {place}]" for place, name in enumerate(reversed(names), 1)]


def head() -> str:
    """The lines that read the ends of both tables, and name their rows."""
    lines = ["end, end_whole = p.real.shape[0], p.whole.shape[0]"]
    lines += read_back(END, "p.whole", "end_whole") + read_back(MOVES, "p.real", "end")
    calls, sizes = f"groups * {len(CALLS)}", f"groups * {len(ROW)}"
    lines.append(f"first, first_whole = end - {len(MOVES)} - {calls}, end_whole - {len(END)} - {sizes}")
    lines.append(f"calls = p.real[first : first + {calls}].reshape((groups, {len(CALLS)}))")
    lines.append(f"table = p.whole[first_whole : first_whole + {sizes}].reshape((groups, {len(ROW)}))")
    return "\n".join(lines) + "\n"


def of_all(inner: str, asked: str = "") -> str:
    """Lines for every group, which find what its row says under its names; `asked` is a kernel that some have."""
    reads = [f"{name} = calls[g, {place}]" for place, name in enumerate(CALLS)]
    reads += [f"if {asked} == {NONE}:\n        continue"] if asked else []
    reads += [f"{name} = table[g, {place}]" for place, name in enumerate(ROW)]
    body = [f"    {line}" for line in [*reads, *inner.strip().splitlines()]]
    return "\n".join(["for g in range(groups):", *body]) + "\n"


def slices(begin: str, end: str) -> str:
    """The numbers of a block, real and whole ones of p, s and w, from `begin` to `end`, in words of `at` and `size`."""
    pieces = []
    for vector, size in (("p", "wide"), ("s", "deep"), ("w", "work")):
        for kind, mark in (("real", ""), ("whole", "_whole")):
            first, last = (word.format(at=f"{vector}{mark}_at", size=size + mark) for word in (begin, end))
            pieces.append(f"{vector}.{kind}[{first} : {last}]")
    return ", ".join(pieces)


# The numbers of the i-th block of a group, one after the other or as columns of two matrices.
BLOCK = slices("{at} + i * {size}", "{at} + (i + 1) * {size}")
# What lies in columns has no whole numbers of its own but the sizes of its arrays, which are those of the first, and
# no workspace: said once for all, because each array that is handed over costs as much as the element itself.
COLUMN_SHARED = "sizes, no_whole, no_real = p.whole[p_whole_at : p_whole_at + wide_whole], s.whole[:0], w.real[:0]"
COLUMN = "P[:, i], sizes, S[:, i], no_whole, no_real, no_whole"
# Those of the admittance come first.
_MOVER = "p.real[:own_p], p.whole[:own_p_whole], s.real[:own_s], s.whole[:own_s_whole], "
_MOVER += "w.real[:own_w], w.whole[:own_w_whole]"
MOVER = "pa, pa_whole, sa, sa_whole, wa, wa_whole = " + _MOVER + "\n"
MOVED = "pa, pa_whole, sa, sa_whole, wa, wa_whole"
PREPARE = f"if ready_at != {NONE}:\n    LINE_PREPARE(ready_at, {MOVED}, T)\n"
RESTORE = f"if again_at != {NONE}:\n    LINE_RESTORE(again_at, {MOVED})\n"
