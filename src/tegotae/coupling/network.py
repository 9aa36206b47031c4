"""The source of a network: admittances joined by links, solved together by Newton with a dense Jacobian.

The unknown v, the motions of all ports, solves v = A(h + f(v)): h is given, f what the links give, A what each
admittance answers by itself. For friction this is the minimum of a strictly convex function, so Newton's direction
lessens the residual; a step that does not is halved (`kernels/roots.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import ModuleType

from tegotae.compile.modules import put
from tegotae.coupling.group import EPSILON, Group, Mover, module_around
from tegotae.running.source import Inside

Size = int | str  # a number, or the name under which the source finds it

MODULE = """
@kernel
def evaluate(p, s, w, v, h, T):
    {scratch}
    {views}
    f[:] = 0.0
    size[:] = 0.0
    d[:] = 0.0
    {resists}
    for j in range({n}):
        total[j] = h[j] + f[j]
        size[j] += abs(h[j])
    norm = 0.0
    excess = 0.0
    {moves}
    return norm, excess


@kernel
def left_at(c, part):
    p, s, w, h, T, v = c
    {scratch}
    for j in range({n}):
        trial[j] = v[j] - part * step[j]
    norm, excess = evaluate(p, s, w, trial, h, T)
    return 0.0 if excess <= {tolerance} else norm, excess


part_of = lessening_part(left_at)


@kernel
def solve(p, s, w, h, T, v):
    {scratch}
    for j in range({n}):
        v[j] = before[j]
    weight[:] = 0.0
    norm, excess = evaluate(p, s, w, v, h, T)
    for _ in range(100):
        if not excess < np.inf:  # overflow, or a block that gave no number: there is no answer
            for j in range({n}):
                v[j] = np.nan
            return UNSOLVED
        if excess <= {tolerance}:
            return SOLVED_HERE
        if not eliminate(J, gap):
            return UNSOLVED
        for j in range({n}):
            step[j] = gap[j, 0]
        near = excess <= 1e-12  # what is left may be rounding inside of a block, which carries more than it shows here
        part, norm, there = part_of((p, s, w, h, T, v), norm, excess, 1 if near else 40)
        if part == 0.0:
            if near or there < np.inf:
                return SOLVED if excess <= 1e-9 else UNSOLVED  # at rounding; else a force jumps: no root to find
        else:
            for j in range({n}):
                v[j] = trial[j]
        excess = there
    return SOLVED if excess <= 1e-9 else UNSOLVED


@kernel
def commit(p, s, w, h, v, T):
    {scratch}
    {views}
    {commits}
    {keeps}
    {stores}


@kernel
def answer(p, s, w, {force}, T{filled}):
    {take}
    {scratch}
    if solve(p, s, w, h, T, v) != SOLVED_HERE:
        evaluate(p, s, w, v, h, T)
    slope[:] = 0.0
    {slopes}
    eliminate(J, slope)
    {give}


@kernel
def advance(p, s, w, {force}, {motion}, T):
    {take_both}
    {head}
    norm, excess = evaluate(p, s, w, v, h, T)
    if not excess <= 1e-9:
        s.whole[{unsolved}] += 1
    commit(p, s, w, h, v, T)


@kernel
def tick(p, s, w, {force}, T{moved}):
    {take}
    {head}
    how = solve(p, s, w, h, T, v)
    if how == UNSOLVED:
        s.whole[{unsolved}] += 1
    if how != SOLVED_HERE:
        evaluate(p, s, w, v, h, T)
    commit(p, s, w, h, v, T)

"""

# What such a machine is called by; along one coordinate, as all blocks are there, by numbers.
BY_ARRAYS = dict.fromkeys(("take", "take_both", "give"), "")
BY_ARRAYS |= {"force": "h", "motion": "v", "filled": ", v, slope", "moved": ", v"}
_TAKE = "h, v, slope = np.empty(1), np.empty(1), np.empty((1, 1))\nh[0] = force"
_BY_NUMBERS = {"force": "force", "motion": "motion", "filled": "", "moved": "", "give": "return v[0], slope[0, 0]"}
_BY_NUMBERS |= {"take": _TAKE, "take_both": f"{_TAKE}\nv[0] = motion"}

IMPORTS = """
from tegotae.coupling.kernels.network import add_between, add_end, add_slopes, add_through, compare, feel_through
from tegotae.kernels.linear import eliminate
from tegotae.kernels.roots import lessening_part
UNSOLVED, SOLVED, SOLVED_HERE = 0, 1, 2
"""

# Its own workspace lives for one call.
_SUM = """
@kernel
def answer(p, s, w, v, T, f, d):
    u{n} = np.empty({n})
    g{n} = np.empty({n})
    e{n} = np.empty(({n}, {n}))
    size = np.zeros({n})
    f[:] = 0.0
    d[:] = 0.0
    {resists}


@kernel
def advance(p, s, w, v, T):
    u{n} = np.empty({n})
    f = np.empty({n})
    d = np.empty(({n}, {n}))
    answer(p, s, w, v, T, f, d)
    {commits}
    for j in range({n}):
        s.real[j] = f[j]

"""


def module_of_network(
    movers: Sequence[Mover], groups: Sequence[Group], velocity: int, unsolved: int, scratch_at: int, keeps: bool
) -> ModuleType:
    """`velocity` and `unsolved` are places in its state, as of a chain, `scratch_at` one in its workspace.

    It `keeps` the motions of all ports itself unless a lone admittance does.
    """
    n, sizes = sum(mover.block.dimension for mover in movers), [mover.block.dimension for mover in movers]
    pieces = {
        "n": n,
        **(BY_ARRAYS if n > 1 else _BY_NUMBERS),
        "tolerance": 4 * EPSILON,
        "scratch": scratch_of(sizes, groups, scratch_at, velocity)[0],
        "moves": "".join(_move(k, mover) for k, mover in enumerate(movers)),
        "slopes": "".join(_SLOPE.format(k=k, n=mover.block.dimension, row=mover.row) for k, mover in enumerate(movers)),
        "stores": f"for j in range({n}):\n    s.real[{velocity} + j] = v[j]" if keeps else "",
        "unsolved": unsolved,
        "head": "",
    }
    head = _tables_of(groups) + IMPORTS
    return module_around(MODULE, movers, groups, _OVER_LINKS, pieces, taken=_taken, head=head)


_SLOPE = "for j in range({n}):\n    for k in range({n}):\n        slope[{row} + j, {row} + k] = M{k}[j, k]\n"
_COMPARE = """
off, lost = compare({k}, {row}, v, before, moved, M{k}, size, d, weight, gap, J)
norm, excess = max(norm, off), max(excess, lost)
"""


def _move(k: int, mover: Mover) -> str:
    """What an admittance answers to the forces on its ports, and how far off that is."""
    row, end = mover.row, mover.row + mover.block.dimension
    if mover.block.dimension == 1:
        call = f"moved[{row}], M{k}[0, 0] = answer_a{k}(pa{k}, sa{k}, wa{k}, total[{row}], T)"
    else:
        call = f"answer_a{k}(pa{k}, sa{k}, wa{k}, total[{row} : {end}], T, moved[{row} : {end}], M{k})"
    return call + _COMPARE.format(k=k, row=row)


def _taken(mover: Mover) -> str:
    """The force on an admittance, and the motion that it led to."""
    row, end = mover.row, mover.row + mover.block.dimension
    return f"total[{row}], v[{row}]" if mover.block.dimension == 1 else f"total[{row} : {end}], v[{row} : {end}]"


def module_of_sum(groups: Sequence[Group]) -> ModuleType:
    """Impedances felt at once: their forces add, and their sum comes first in the state."""
    pieces = {"n": groups[0].dimension, "views": ""}
    return module_around(_SUM, (), groups, _OVER_LINKS, pieces, head=_tables_of(groups) + IMPORTS)


# ------------------------------------------------------------ how motion reaches links, and what they give back

# Links of a group: how many ends they have, and whether those move them by numbers or through matrices. Their motion,
# force and slope lie in u, g and e of their dimension.
_READ = {
    "scalar": "r = p.real[{ratios} + i]",
    "between": "r, q = p.real[{ratios} + i], p.real[{others} + i]",
    "through": "R = p.real[{ratios} + i * {wide} : {ratios} + (i + 1) * {wide}].reshape(({n}, {first}))",
    "joined": """R = p.real[{ratios} + i * {wide} : {ratios} + (i + 1) * {wide}].reshape(({n}, {first}))
Q = p.real[{others} + i * {deep} : {others} + (i + 1) * {deep}].reshape(({n}, {second}))""",
}
_FEEL = {
    "scalar": "for j in range({n}):\n    u{n}[j] = r * v[{a} + j]{base}",
    "between": "for j in range({n}):\n    u{n}[j] = r * v[{a} + j] - q * v[{b} + j]",
    "through": "for j in range({n}):\n    u{n}[j] = 0.0{base}\nfeel_through(v, {a}, R, 1.0, u{n})",
    "joined": """for j in range({n}):
    u{n}[j] = 0.0
feel_through(v, {a}, R, 1.0, u{n})
feel_through(v, {b}, Q, -1.0, u{n})""",
}
_GIVE = {
    "scalar": "add_end(f, size, d, {a}, r, g{n}, e{n})",
    "between": "add_between(f, size, d, v, {a}, r, {b}, q, g{n}, e{n})",
    "through": "add_through(f, size, d, {a}, R, 1.0, u{n}, g{n}, e{n})",
    "joined": """add_through(f, size, d, {a}, R, 1.0, u{n}, g{n}, e{n})
add_through(f, size, d, {b}, Q, -1.0, u{n}, g{n}, e{n})
add_slopes(d, {a}, R, {b}, Q, -1.0, e{n})
add_slopes(d, {b}, Q, {a}, R, -1.0, e{n})""",
}
_LINK = """
for i in range({count}):
    {rows}
    {read}
    {feel}
    {call}
"""


def _tables_of(groups: Sequence[Group]) -> str:
    """The rows at which the ends of each group's links begin, where there are several."""
    text = ""
    for index, group in enumerate(groups):
        if len(group.wires) > 1:
            for end, name in zip(range(len(group.shapes)), ("FIRST", "SECOND"), strict=False):
                text += f"{name}_{index} = {tuple(wire.ends[end].row for wire in group.wires)}\n"
    return text


def _fill(template: str, index: int, group: Group, inside: Inside) -> str:
    """Lines over one group: those that prepare and restore as they are, links by their kind."""
    words, n = _words(index, group, inside), group.dimension
    if template not in ("resist", "commit"):
        return template.format(**words)
    ends = (("scalar", "between"), ("through", "joined"))[bool(group.shapes[0])][len(group.shapes) - 1]
    felt = f"{words['block']}, u{n}{'[0]' if n == 1 else ''}, T"
    if template == "commit":
        call = f"{group.store(inside)}advance_{index}({felt})"
    elif n == 1:
        call = f"g1[0], e1[0, 0] = answer_{index}({felt})\n{_GIVE[ends].format(**words)}"
    else:
        call = f"answer_{index}({felt}, g{n}, e{n})\n{_GIVE[ends].format(**words)}"
    texts = {name: templates[ends].format(**words) for name, templates in (("read", _READ), ("feel", _FEEL))}
    return put(_LINK, words | texts | {"call": call})


def _words(index: int, group: Group, inside: Inside) -> dict[str, object]:
    n, alone, shapes = group.dimension, len(group.wires) == 1, [(*shape, 1, 1)[:2] for shape in group.shapes]
    first = group.wires[0].ends
    words: dict[str, object] = {
        "n": n,
        "count": len(group.wires),
        "block": group.slices(inside),
        "prepare": f"prepare_{index}(",
        "restore": f"restore_{index}(",
        "ratios": group.ratios_at,
        "others": group.others_at,
        "wide": n * shapes[0][1],
        "first": shapes[0][1],
        "deep": n * shapes[-1][1],
        "second": shapes[-1][1],
        "base": f" - s.real[{group.bases_at} + i * {n} + j]" if group.based else "",
        "a": first[0].row if alone else "a",
        "b": first[-1].row if alone else "b",
    }
    rows = [f"a = FIRST_{index}[i]"] + ([f"b = SECOND_{index}[i]"] if len(first) > 1 else [])
    return words | {"rows": "" if alone else "\n".join(rows)}


# All lines that go over the groups, and how they are filled.
_OVER_LINKS = {"resists": "resist", "commits": "commit"}, _fill

# ------------------------------------------------------------ where a solve works


def arrays(n: Size, movers: Size) -> dict[str, tuple[Size, ...]]:
    """The shape of each array of a solve, by name."""
    vectors = dict.fromkeys(("f", "size", "total", "moved", "trial", "step"), (n,))
    return {"weight": (movers,), **vectors, "gap": (n, 1), "d": (n, n), "J": (n, n)}


def scratch_of(sizes: Sequence[int], groups: Sequence[Group], at: int = 0, velocity: int = 0) -> tuple[str, int]:
    """The arrays a solve works in, so that a tick allocates nothing, and where they end.

    Behind vectors and matrices of all motions lie motion, force and slope of a link, and mobilities.
    """
    n, lines = sum(sizes), [f"before = s.real[{velocity} : {velocity + sum(sizes)}]"]

    def put_next(name: str, *shape: int) -> None:
        nonlocal at
        end = at + math.prod(shape)
        lines.append(f"{name} = w.real[{at} : {end}]" + (f".reshape({shape})" if len(shape) > 1 else ""))
        at = end

    for name, shape in arrays(n, len(sizes)).items():
        put_next(name, *map(int, shape))
    links, widths = at, sorted({group.dimension for group in groups}) or [1]
    for width in widths:  # one link is looked at after the other
        at = links
        for name, shape in (("u", (width,)), ("g", (width,)), ("e", (width, width))):
            put_next(f"{name}{width}", *shape)
    for k, size in enumerate(sizes):
        put_next(f"M{k}", size, size)
    return "\n".join(lines), at
