"""The source of a circuit along one coordinate: the blocks' kernels around one implicit step."""

from __future__ import annotations

from collections.abc import Sequence

from tegotae.block import Admittance
from tegotae.circuit_sources import addressed
from tegotae.circuit_sources.group import EPSILON, LOOP, Group, put

# Every piece is text put in place, not a call: a call would hand over dozens of array fields each time.
# A group is seen as two matrices with one column an element; small blocks are passed as tuples of values, so that
# the compiler sees plain arithmetic along the rows and works on several elements at a time.
_VIEWS = """
P{g} = p[{p} : {p} + {count} * {wide}].reshape(({wide}, {count}))
R{g} = p[{ratios} : {ratios} + {count}]
S{g} = s[{s} : {s} + {count} * {deep}].reshape(({deep}, {count}))
V{g} = s[{bases} : {bases} + {count}]
"""

_ANSWERS = """
for i in range({count}):
    fi, di = {resist}{p_i}, {s_i}, {r}v{base}, T)
    f += {r}fi
    d += {r}{r}di
    size += abs({r}fi)
"""

_ADVANCES = """
for i in range({count}):
    {commit}{p_i}, {s_i}, {r}v{base}, T)
"""

# The solve: v = A(h + sum of r f(r v)). A rises with the force and every f falls with the motion (or is checked to
# rise slower than A's inverse), so v - A(...) rises with v and has one root: Newton inside a bracket that tightens.
# Convergence is tested before a step may fall back on bisection, or rounding would throw it across the bracket.
_SOLVE = """
v0 = s[{velocity}]
v = v0
low = -np.inf
high = np.inf
slope = 0.0
f = 0.0
gap = 0.0
scale = 0.0
solved = False
for _ in range(200):
    f = 0.0
    d = 0.0
    size = 0.0
    {answers}
    moved, mobility = {move}pa, sa, h + f, T)
    gap = v - moved
    steep = 1.0 - mobility * d
    slope = mobility / steep
    scale = abs(v) + abs(v0) + mobility * (abs(h) + size)
    if abs(gap) <= {tolerance} * scale:
        solved = scale < np.inf
        break
    if gap > 0.0:
        high = v
    else:
        low = v
    trial = v - gap / steep
    if not low < trial < high:
        trial = 0.5 * (low + high)
    if trial == v or trial == low or trial == high:
        # At rounding of a steep equation; else a block's force jumps and there is no root to find.
        solved = abs(gap) <= 1e-9 * scale + {tolerance} * steep * (abs(v) + abs(v0))
        break
    v = trial
if not solved and not abs(gap) + scale < np.inf:  # overflow, or a block that gave no number: there is no answer
    v = np.nan
"""

_MODULE = """
@kernel
def answer(p, s, h, T):
    {views}
    {solve}
    return v, slope


@kernel
def advance(p, s, h, v, T):
    {views}
    f = 0.0
    d = 0.0
    size = 0.0
    {answers}
    moved, mobility = {move}pa, sa, h + f, T)
    scale = abs(v) + abs(s[{velocity}]) + mobility * (abs(h) + size)
    steep = 1.0 - mobility * d
    if not abs(v - moved) <= 1e-9 * scale + {tolerance} * steep * scale:
        s[{unsolved}] += 1.0
    {advances}
    {keep}pa, sa, h + f, v, T)


def make():
    return answer, advance


{entry}
def loop(p, s, x, bases, slots, T, every, picks, record):
    {views}
    {loop}
"""


_SUM = """
@kernel
def answer(p, s, v, T):
    {views}
    f = 0.0
    d = 0.0
    size = 0.0
    {answers}
    return f, d


@kernel
def advance(p, s, v, T):
    {views}
    f = 0.0
    d = 0.0
    size = 0.0
    {answers}
    {advances}
    s[0] = f


def make():
    return answer, advance
"""


def source_of_sum(groups: Sequence[Group]) -> str:
    """The text of impedances felt at once: their forces add, and their sum comes first in the state."""
    makers = "".join(g.kernels.source(f"_{i}") for i, g in enumerate(groups))
    templates = {"views": _VIEWS, "answers": _ANSWERS, "advances": _ADVANCES}
    return makers + put(_SUM, {name: _of_all(template, groups) for name, template in templates.items()})


def source_on_line(admittance: Admittance, groups: Sequence[Group], velocity: int, unsolved: int) -> str:
    """The module's text: `make` gives the circuit as a block's halves, `loop` runs it."""
    makers = admittance.kernels.source("_a") + "".join(g.kernels.source(f"_{i}") for i, g in enumerate(groups))
    own = f"pa = p[:{admittance.parameters.size}]\nsa = s[:{max(s.stop for s in admittance.slices().values())}]\n"
    pieces: dict[str, object] = {
        "views": own + _of_all(_VIEWS, groups),
        "answers": _of_all(_ANSWERS, groups),
        "advances": _of_all(_ADVANCES, groups),
        "velocity": velocity,
        "unsolved": unsolved,
        "move": "answer_a(",
        "keep": "advance_a(",
        "entry": "@entry_sums",
    }
    return makers + module_text(pieces)


def source_by_address() -> str:
    """The module's text for all circuits: which blocks there are, and where, it reads behind their parameters."""
    pieces: dict[str, object] = {
        "views": addressed.head() + "pa = p[:own_parameters]\nsa = s[:own_state]\n",
        "answers": _either_way(_ANSWERS),
        "advances": _either_way(_ADVANCES),
        "velocity": "velocity",
        "unsolved": "unsolved",
        "move": "LINE_MOVE(move_at, ",
        "keep": "LINE_KEEP(keep_at, ",
        "entry": "@entry",
    }
    return addressed.imports("LINE") + module_text(pieces)


_EITHER = """
if columns == 0:
    {slices}
else:
    P = p[p_at : p_at + count * wide].reshape((wide, count))
    S = s[s_at : s_at + count * deep].reshape((deep, count))
    {columns}
"""


def _either_way(template: str) -> str:
    """Lines for every group: one after the other, or as columns."""
    shared = {"count": "count", "r": "p[ratios_at + i] * ", "base": " - (s[bases_at + i] if bases_at >= 0 else 0.0)"}
    slices = {"resist": "LINE_RESIST(resist_at, ", "commit": "LINE_COMMIT(commit_at, "}
    slices |= {"p_i": "p[p_at + i * wide : p_at + (i + 1) * wide]", "s_i": "s[s_at + i * deep : s_at + (i + 1) * deep]"}
    columns = {"resist": "COLUMN_RESIST(resist_at, ", "commit": "COLUMN_COMMIT(commit_at, "}
    columns |= {"p_i": "P[:, i]", "s_i": "S[:, i]"}
    pieces = {"slices": template.format(**shared, **slices), "columns": template.format(**shared, **columns)}
    return addressed.of_all(put(_EITHER, pieces))


def module_text(pieces: dict[str, object]) -> str:
    """The module, put together around one implicit step."""
    pieces["tolerance"] = 4 * EPSILON
    pieces["solve"] = put(_SOLVE, pieces)
    pieces["tick"] = put("{solve}\n{advances}\n{keep}pa, sa, h + f, v, T)\n", pieces)
    pieces["loop"] = put(LOOP, pieces)
    return put(_MODULE, pieces)


def _of_all(template: str, groups: Sequence[Group]) -> str:
    return "".join(_fill(template, i, group) for i, group in enumerate(groups))


def _fill(template: str, index: int, group: Group) -> str:
    if group.in_columns:
        old, own = _column("S", index, group.state_each), _column("P", index, group.parameters_each)
    else:
        old = _slice("s", group.state_at, group.state_each, len(group.names))
        own = _slice("p", group.parameters_at, group.parameters_each, len(group.names))
    return template.format(
        g=index,
        p_i=own,
        s_i=old,
        resist=f"answer_{index}(",
        commit=f"{old[1:-1]} = follow_{index}(" if group.in_columns else f"advance_{index}(",
        count=len(group.names),
        ratios=group.ratios_at,
        p=group.parameters_at,
        wide=group.parameters_each,
        s=group.state_at,
        deep=group.state_each,
        bases=group.bases_at if group.based else group.state_at,
        base=f" - V{index}[i]" if group.based else "",
        r=f"R{index}[i] * " if group.geared else "",
    )


def _column(matrix: str, index: int, length: int) -> str:
    """One element's numbers, as a tuple."""
    return "(" + "".join(f"{matrix}{index}[{j}, i], " for j in range(length)) + ")"


def _slice(vector: str, at: int, each: int, count: int) -> str:
    """One element's numbers, side by side; said plainly if it is alone, so that long loops inside vectorise."""
    return f"{vector}[{at} : {at + each}]" if count == 1 else f"{vector}[{at} + i * {each} : {at} + (i + 1) * {each}]"
