"""The source of a circuit along one coordinate: the blocks' kernels around one implicit step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType

from tegotae.compile.modules import put
from tegotae.coupling import addressed
from tegotae.coupling.group import AROUND, EPSILON, PREPARES, RESTORES, Group, Mover, module_around
from tegotae.running.source import Inside

# Every piece is text put in place, not a call: a call would hand over dozens of array fields each time.
# A group's real numbers are seen as two matrices with one column an element; small blocks are passed as tuples of
# values, so that the compiler sees plain arithmetic along the rows and works on several elements at a time.
COLUMNS = """
P{g} = p.real[{p} : {p} + {count} * {wide}].reshape(({wide}, {count}))
R{g} = p.real[{ratios} : {ratios} + {count}]
S{g} = s.real[{s} : {s} + {count} * {deep}].reshape(({deep}, {count}))
V{g} = s.real[{bases} : {bases} + {count}]
Q{g} = p.real[{others} : {others} + {count}]
"""

_ANSWERS = """
for i in range({count}):
    fi, di = {resist}{block}, {r}v{base}, T)
    f += {r}fi
    d += {r}{r}di
    size += abs({r}fi)
"""

_ADVANCES = """
for i in range({count}):
    {store}{commit}{block}, {r}v{base}, T)
"""


# The solve: v = A(h + sum of r f(r v)). A rises with the force and every f falls with the motion (or is checked to
# rise slower than A's inverse), so v - A(...) rises with v and has one root.
_SOLVE = """
v0 = s.real[{velocity}]
v = v0
low = -np.inf
high = np.inf
slope = 0.0
f = 0.0
gap = 0.0
scale = 0.0
solved = False
for _ in range(200):
    f = d = size = 0.0
    {answers}
    moved, mobility = {move}h + f, T)
    gap = v - moved
    steep = 1.0 - mobility * d
    slope = mobility / steep
    scale = abs(v) + abs(v0) + mobility * (abs(h) + size)
    if abs(gap) <= {tolerance} * scale:
        solved = scale < np.inf
        break
    trial, low, high, ended = nearer(v, gap, gap / steep, low, high)
    if ended:
        # At rounding of a steep equation; else a block's force jumps and there is no root to find.
        solved = abs(gap) <= 1e-9 * scale + {tolerance} * steep * (abs(v) + abs(v0))
        break
    v = trial
if not solved and not abs(gap) + scale < np.inf:  # overflow, or a block that gave no number: there is no answer
    v = np.nan
"""

_MODULE = """
@kernel
def answer(p, s, w, h, T):
    {views}
    {solve}
    return v, slope


@kernel
def advance(p, s, w, h, v, T):
    {views}
    f = d = size = 0.0
    {answers}
    moved, mobility = {move}h + f, T)
    scale = abs(v) + abs(s.real[{velocity}]) + mobility * (abs(h) + size)
    steep = 1.0 - mobility * d
    if not abs(v - moved) <= 1e-9 * scale + {tolerance} * steep * scale:
        s.whole[{unsolved}] += 1
    {advances}
    {keeps}
    {stores}


@{inside}
def tick(p, s, w, h, T):
    {views}
    {solve}
    if not solved:
        s.whole[{unsolved}] += 1
    {advances}
    {keeps}
    {stores}

"""

_SUM = """
@kernel
def answer(p, s, w, v, T):
    {views}
    f = d = size = 0.0
    {answers}
    return f, d


@kernel
def advance(p, s, w, v, T):
    {views}
    f = d = size = 0.0
    {answers}
    {advances}
    s.real[0] = f

"""

LONG = 16  # numbers in a row, from which on the widest registers pay for what they cost
_NEARER = "from tegotae.kernels.roots import nearer\n"


def module_of_sum(groups: Sequence[Group]) -> ModuleType:
    """Impedances felt at once: their forces add, and their sum comes first in the state."""
    return module_around(_SUM, (), groups, _OVER_GROUPS, {})


def module_on_line(moved: Mover, groups: Sequence[Group], velocity: int, unsolved: int, keeps: bool) -> ModuleType:
    """A circuit; it `keeps` the velocity itself unless its admittance does."""
    lengths = (place.stop - place.start for group in groups for place in group.block.spaces.state.places.values())
    rows = any(length > LONG for length in lengths)
    pieces = {
        "velocity": velocity,
        "stores": f"s.real[{velocity}] = v" if keeps else "",
        "unsolved": unsolved,
        "move": "answer_a0(pa0, sa0, wa0, ",
        "inside": "kernel_sums_long_inside" if rows else "kernel_sums_inside",
        "around": "kernel_sums_long_inside" if rows else "kernel",
        "tolerance": 4 * EPSILON,
    }
    return module_around(
        _MODULE, [moved], groups, _OVER_GROUPS, pieces, taken=lambda _: "h + f, v", head=_NEARER, solve=_SOLVE
    )


def source_by_address() -> str:
    """The module's text for all circuits: which blocks there are, and where, it reads behind their parameters."""
    pieces: dict[str, object] = {
        "views": addressed.head() + addressed.MOVER,
        "answers": _slices_or_columns(_ANSWERS),
        "advances": _slices_or_columns(_ADVANCES),
        "prepares": addressed.PREPARE + _slices_or_columns(PREPARES, "prepare_at"),
        "restores": addressed.RESTORE + _slices_or_columns(RESTORES, "restore_at"),
        "velocity": "velocity",
        "unsolved": "unsolved",
        "move": f"LINE_MOVE(move_at, {addressed.MOVED}, ",
        "keeps": f"LINE_KEEP(keep_at, {addressed.MOVED}, h + f, v, T)",
        "stores": "",
        "inside": "kernel_inside",
        "around": "kernel",
        "halves": "answer, advance, prepare, restore, tick",
        "tolerance": 4 * EPSILON,
    }
    return addressed.IMPORTS + _NEARER + put(_MODULE + AROUND, pieces | {"solve": put(_SOLVE, pieces)})


_EITHER = """
if columns == 0:
    {slices}
else:
    P = p.real[p_at : p_at + count * wide].reshape((wide, count))
    S = s.real[s_at : s_at + count * deep].reshape((deep, count))
    {shared}
    {columns}
"""


def _slices_or_columns(template: str, asked: str = "") -> str:
    """Lines for every group: one after the other, or as columns."""
    shared = {"count": "count", "r": "p.real[ratios_at + i] * ", "store": ""}
    shared["base"] = " - (s.real[bases_at + i] if bases_at >= 0 else 0.0)"
    texts = {"shared": addressed.COLUMN_SHARED}
    for layout, kind, block in (("slices", "LINE", addressed.BLOCK), ("columns", "COLUMN", addressed.COLUMN)):
        calls = {half: f"{kind}_{half.upper()}({half}_at, " for half in ("resist", "commit", "prepare", "restore")}
        texts[layout] = template.format(**shared, **calls, block=block)
    return addressed.of_all(put(_EITHER, texts), asked)


def fill(template: str, index: int, group: Group, inside: Inside, more: Mapping[str, object] | None = None) -> str:
    """Lines over one group; `more` are words of the template beside those that all have."""
    if group.in_columns:  # the new state of an element goes into a column, and its numbers are tuples of values
        states = [f"S{index}[{row}, i]" for row in range(group.each.s[0])]
        parameters = [f"P{index}[{row}, i]" for row in range(group.each.p[0])]
        store, block = f"{', '.join(states)} = ", group.by_value(f"_{index}", parameters, states)
    else:
        store, block = group.store(inside), group.slices(inside)
    words: dict[str, object] = {
        "g": index,
        "block": block,
        "store": store,
        "resist": f"answer_{index}(",
        "commit": f"advance_{index}(",
        "prepare": f"prepare_{index}(",
        "restore": f"restore_{index}(",
        "count": len(group.wires),
        "ratios": group.ratios_at,
        "others": group.others_at if len(group.shapes) > 1 else group.ratios_at,
        "p": group.at.p[0],
        "wide": group.each.p[0],
        "s": group.at.s[0],
        "deep": group.each.s[0],
        "bases": group.bases_at if group.based else group.at.s[0],
        "base": f" - V{index}[i]" if group.based else "",
        "r": f"R{index}[i] * " if group.geared() else "",
    }
    return template.format(**words | dict(more or {}))


_OVER_GROUPS = {"views": COLUMNS, "answers": _ANSWERS, "advances": _ADVANCES}, fill
