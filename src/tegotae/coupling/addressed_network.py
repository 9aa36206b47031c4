"""A network whose blocks are reached by their addresses: one text for all of them, for machines without a compiler.

Behind its parameters stand the addresses of its blocks' kernels (real numbers: links, then admittances, four each) and
where everything lies (whole numbers: a row a link, a row an admittance, then `END`). Last, what circuits on a line and
networks share that run so.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cache
from types import ModuleType

import numpy as np

from tegotae.block import Kernels
from tegotae.compile import build, is_ready
from tegotae.compile.modules import put
from tegotae.coupling import addressed, line
from tegotae.coupling.addressed import NONE, PLACES, addresses_of, read_back, slices
from tegotae.coupling.group import AROUND, EPSILON, Group, Mover, size_of
from tegotae.coupling.network import BY_ARRAYS, IMPORTS, MODULE, arrays
from tegotae.layout import Layouts, Memory
from tegotae.running.source import module_for

_LINK = ("k", "column", "ends", "through", "a", "b", "first", "second", "ratios", "others", "base", *PLACES)
_MOVER = ("k", "row", "mobility", *PLACES)
_END = ("n", "links", "movers", "velocity", "unsolved", "keeps", "widest", "scratch")
_CALLS = ("answer_at", "advance_at", "prepare_at", "restore_at")


def table_of(
    movers: Sequence[Mover], groups: Sequence[Group], velocity: int, unsolved: int, scratch: int, keeps: bool
) -> Memory | None:
    """The numbers behind a network's parameters; None if one of its blocks has no address."""
    addresses: list[float | None] = []
    rows: list[int] = []
    links = 0
    for group in groups:
        for i, wire in enumerate(group.wires):
            addresses += addresses_of(group.block, "RESIST", "COMMIT", "COLUMN" if group.by_columns else "LINE")
            ends, shapes = wire.ends, [(*shape, 1, 1)[:2] for shape in group.shapes]
            sides = [int(np.prod(shape)) for shape in group.shapes]
            rows += [group.dimension, int(group.by_columns), len(ends), int(wire.through), ends[0].row, ends[-1].row]
            rows += [shapes[0][1], shapes[-1][1], group.ratios_at + i * sides[0], group.others_at + i * sides[-1]]
            rows.append(group.bases_at + i * group.dimension if group.based else -1)
            rows += [*group.each.numbers, *group.at.beyond(group.each, i).numbers]
            links += 1
    at = 0
    for mover in movers:
        addresses += addresses_of(mover.block, "MOVE", "KEEP")
        rows += [mover.block.dimension, mover.row, at, *size_of(mover.block).numbers, *mover.at.numbers]
        at += mover.block.dimension**2
    if None in addresses:
        return None
    n, widest = sum(mover.block.dimension for mover in movers), max([g.dimension for g in groups], default=1)
    rows += [n, links, len(movers), velocity, unsolved, int(keeps), widest, scratch]
    return Memory(np.array(addresses, dtype=np.float64), np.array(rows, dtype=np.int64))


_BLOCK = slices("{at}", "{at} + {size}")

# Small blocks along a line are known to the loops that ship as columns of a matrix: here of one column.
_COLUMNS = "P = p.real[p_at : p_at + wide].reshape((wide, 1))\nS = s.real[s_at : s_at + deep].reshape((deep, 1))\n"
_COLUMN = _BLOCK.replace("p.real[p_at : p_at + wide]", "P[:, 0]").replace("s.real[s_at : s_at + deep]", "S[:, 0]")


def _reads(calls: str, table: str, names: Sequence[str]) -> str:
    lines = [f"{name} = {calls}[i, {place}]" for place, name in enumerate(_CALLS)]
    return "\n".join(lines + [f"{name} = {table}[i, {place}]" for place, name in enumerate(names)])


_HEAD = "\n".join(
    [
        "end, end_whole = p.real.shape[0], p.whole.shape[0]",
        *read_back(_END, "p.whole", "end_whole"),
        f"mover_rows_at = end_whole - {len(_END)} - movers * {len(_MOVER)}",
        f"link_rows_at = mover_rows_at - links * {len(_LINK)}",
        f"mover_rows = p.whole[mover_rows_at : end_whole - {len(_END)}].reshape((movers, {len(_MOVER)}))",
        f"link_rows = p.whole[link_rows_at : mover_rows_at].reshape((links, {len(_LINK)}))",
        f"mover_calls = p.real[end - movers * {len(_CALLS)} : end].reshape((movers, {len(_CALLS)}))",
        f"link_calls_at = end - (movers + links) * {len(_CALLS)}",
        f"link_calls = p.real[link_calls_at : end - movers * {len(_CALLS)}].reshape((links, {len(_CALLS)}))",
    ]
)

_FEEL = """
for i in range(links):
    {reads}
    u, g = w.real[links_at : links_at + k], w.real[links_at + widest : links_at + widest + k]
    e = w.real[links_at + 2 * widest : links_at + 2 * widest + k * k].reshape((k, k))
    R = p.real[ratios : ratios + (k * first if through == 1 else 1)]
    Q = p.real[others : others + (k * second if through == 1 else 1)]
    for j in range(k):
        u[j] = 0.0 if base < 0 else -s.real[base + j]
    if through == 1:
        feel_through(v, a, R.reshape((k, first)), 1.0, u)
        if ends == 2:
            feel_through(v, b, Q.reshape((k, second)), -1.0, u)
    else:
        for j in range(k):
            u[j] += R[0] * v[a + j] - (Q[0] * v[b + j] if ends == 2 else 0.0)
    {call}
"""
_EITHER = """
if column == 1:
    {columns}
    {column}
else:
    {line}
"""


def _on_line(call: str, behind: str, given: str = "") -> str:
    column, line = f"{given}COLUMN_{call}{_COLUMN}{behind}", f"{given}LINE_{call}{_BLOCK}{behind}"
    return put(_EITHER, {"columns": _COLUMNS, "column": column, "line": line})


_RESIST = put(
    f"""
if k == 1:
    {{call}}
else:
    SPACE_RESIST(answer_at, {_BLOCK}, u, T, g, e)
if through == 1:
    RM, QM = R.reshape((k, first)), Q.reshape((k, second))
    add_through(f, size, d, a, RM, 1.0, u, g, e)
    if ends == 2:
        add_through(f, size, d, b, QM, -1.0, u, g, e)
        add_slopes(d, a, RM, b, QM, -1.0, e)
        add_slopes(d, b, QM, a, RM, -1.0, e)
elif ends == 2:
    add_between(f, size, d, v, a, R[0], b, Q[0], g, e)
else:
    add_end(f, size, d, a, R[0], g, e)
""",
    {"call": _on_line("RESIST(answer_at, ", ", u[0], T)", "g[0], e[0, 0] = ")},
)
_COMMIT = put(
    f"""
if k == 1:
    {{call}}
else:
    SPACE_COMMIT(advance_at, {_BLOCK}, u, T)
""",
    {"call": _on_line("COMMIT(advance_at, ", ", u[0], T)")},
)
_MOVES = f"""
for i in range(movers):
    {{reads}}
    M = w.real[mobilities + mobility : mobilities + mobility + k * k].reshape((k, k))
    if k == 1:
        moved[row], M[0, 0] = LINE_MOVE(answer_at, {_BLOCK}, total[row], T)
    else:
        SPACE_MOVE(answer_at, {_BLOCK}, total[row : row + k], T, moved[row : row + k], M)
    off, lost = compare(i, row, v, before, moved, M, size, d, weight, gap, J)
    norm, excess = max(norm, off), max(excess, lost)
"""
_KEEPS = f"""
for i in range(movers):
    {{reads}}
    if k == 1:
        LINE_KEEP(advance_at, {_BLOCK}, total[row], v[row], T)
    else:
        SPACE_KEEP(advance_at, {_BLOCK}, total[row : row + k], v[row : row + k], T)
"""
_SLOPES = """
for i in range(movers):
    {reads}
    for j in range(k):
        for m in range(k):
            slope[row + j, row + m] = w.real[mobilities + mobility + j * k + m]
"""
_EACH = """
for i in range({table}s):
    {reads}
    if {asked} == {none}:
        continue
    {call}
"""


def source_by_address() -> str:
    """The module's text: which blocks there are, and where, it reads behind their parameters."""
    links, movers = _reads("link_calls", "link_rows", _LINK), _reads("mover_calls", "mover_rows", _MOVER)
    halves = {}
    for half, behind in (("prepare", ", T)"), ("restore", ")")):
        call, asked = f"{half.upper()}({half}_at, ", {"asked": f"{half}_at", "none": NONE}
        moves = {"table": "mover", "reads": movers, "call": f"LINE_{call}{_BLOCK}{behind}"}
        resists = {"table": "link", "reads": links, "call": _on_line(call, behind)}
        halves[f"{half}s"] = put(_EACH, moves | asked) + put(_EACH, resists | asked)
    pieces: dict[str, object] = {
        "n": "n",
        **BY_ARRAYS,
        "tolerance": 4 * EPSILON,
        "head": _HEAD,
        "scratch": _HEAD + "\n" + _scratch(),
        "views": _HEAD,
        "resists": put(_FEEL, {"reads": links, "call": _RESIST}),
        "commits": put(_FEEL, {"reads": links, "call": _COMMIT}),
        "moves": put(_MOVES, {"reads": movers}),
        "keeps": put(_KEEPS, {"reads": movers}),
        "slopes": put(_SLOPES, {"reads": movers}),
        "stores": "if keeps == 1:\n    for j in range(n):\n        before[j] = v[j]",
        **halves,
        "unsolved": "unsolved",
        "halves": "answer, advance, prepare, restore, tick",
        "around": "kernel",
    }
    return addressed.IMPORTS + IMPORTS + put(MODULE + AROUND, pieces)


def _scratch() -> str:
    """The arrays a solve works in, one after the other, in sizes that are read."""
    lines, at = ["before = s.real[velocity : velocity + n]"], "scratch"
    for name, shape in arrays("n", "movers").items():
        count, seen = " * ".join(map(str, shape)), f".reshape(({shape[0]}, {shape[1]}))" if len(shape) > 1 else ""
        lines += [f"{name} = w.real[{at} : {at} + {count}]{seen}", f"after_{name} = {at} + {count}"]
        at = f"after_{name}"
    return "\n".join([*lines, f"links_at = {at}", "mobilities = links_at + widest * (2 + widest)"])


@cache
def module_by_address(dimension: int) -> ModuleType:
    """The module for all circuits on a line, or for all others; see `Circuit.by_address`."""
    return build(line.source_by_address() if dimension == 1 else source_by_address(), ())


def is_compiled(made: ModuleType, layouts: Layouts, n: int, gives: str) -> bool:
    """Whether a loop of its own runs compiled for a machine in n dimensions, which a generated module makes."""
    loop = module_for(Kernels(made.make, style="memory"), layouts, n, gives).loop
    none, signal = np.empty(0, dtype=np.int64), np.empty(0) if n == 1 else np.empty((0, n))
    nothing, no_rows = Memory(np.empty(0), none), np.empty((0, 0))
    return is_ready(loop, nothing, nothing, nothing, signal, no_rows, none, 1.0, 1, none, none, 1, 0, 0, no_rows)


@cache
def warn_of_addresses() -> None:
    """Say once that circuits run slower than they could."""
    warnings.warn(
        "There is no compiler of C, so circuits run through a loop that ships with tegotae and reaches their blocks by "
        "address, slower. Install gcc or clang, or pip install 'tegotae[compiler]'.",
        stacklevel=5,
    )
