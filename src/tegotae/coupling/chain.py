"""The source of a network along lines: machines that move in one coordinate each, written out number by number.

The unknowns solve v_i = A_i(h_i + f_i(v)). Newton's equations are those of a sparse matrix whose pattern is known when
the text is written: they are eliminated in an order that fills in little, without a loop or an index. For friction v is
the minimum of a strictly convex function, so Newton's direction lessens the residual; a step that does not is halved.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

from tegotae.coupling.group import EPSILON, Group, Mover, module_around
from tegotae.coupling.line import COLUMNS, fill
from tegotae.running.source import Inside

# One text evaluates both the start and every trial: t is what is tried, v what was best so far. `final` is the last
# look at v, so that the forces that are left behind are those of v.
_SOLVE = """
{begin}
solved = final = tried = False
part = 1.0
norm = 0.0
for _ in range(4000):
    {zero}
    {answers}
    {moves}
    if final:
        solved = {close}
        break
    if not {sum} < np.inf:  # overflow, or a block that gave no number
        if tried and part > 1e-12:
            part *= 0.5
            {retry}
            continue
        {nowhere}
        break
    solved = {exact}
    off = {off}
    # As `lessening_part` in `kernels/roots`, in place: a call would hand over every number that is here a variable.
    if solved or not tried or lessens(off, part, norm):
        {accept}
        if solved:
            break
        if not tried:  # residuals are counted in what is at stake, so that unlike machines compare
            {weigh}
            off = {off}
            tried = True
        norm = off
        {eliminate}
        part = 1.0
    elif norm <= 1e-13 or part < 1e-12:
        # At rounding inside of a block, which carries more than it shows here; else its force jumps: no root to find.
        final = True
        part = 0.0
    else:
        part *= 0.5
    {retry}
"""

_IMPORTS = "from tegotae.kernels.linear import eliminate\nfrom tegotae.kernels.roots import lessens\n"

_MODULE = """
@kernel
def answer(p, s, w, h, T, v, slope):
    {views}
    {solve}
    {give}
    J = np.zeros(({n}, {n}))
    slope[:] = 0.0
    {jacobian}
    eliminate(J, slope)


@kernel
def advance(p, s, w, h, v, T):
    {views}
    {begin}
    {taken}
    {zero}
    {answers}
    {moves}
    if not ({close}):
        s.whole[{unsolved}] += 1
    {stores}
    {advances}
    {keeps}


@kernel_sums_inside
def tick(p, s, w, h, T, v):
    {views}
    {solve}
    if not solved:
        s.whole[{unsolved}] += 1
    {give}
    {stores}
    {advances}
    {keeps}

"""

_ANSWERS = """
for i in range({count}):
    fi, di = {resist}{block}, {r}t{a}{other}{base}, T)
    {give}
"""

_ADVANCES = """
for i in range({count}):
    {store}{commit}{block}, {r}v{a}{left}{base}, T)
"""

_GIVE = """f{a} += {r}fi
d{a}_{a} += {r}{r}di
z{a} += abs({r}fi)
"""
# Where two ends move alike, their difference loses digits: z, by which a solve knows what is rounding, holds them.
_GIVE_BOTH = """felt = abs(fi) + abs(di) * (abs({r}t{a}) + abs({q}t{b}))
f{a} += {r}fi
f{b} -= {q}fi
d{a}_{a} += {r}{r}di
d{b}_{b} += {q}{q}di
d{low}_{high} -= {r}{q}di
z{a} += abs({r}felt)
z{b} += abs({q}felt)
"""

_MOVE = """
total{i} = h{i} + f{i}
y{i}, m{i} = answer_a{i}(pa{i}, sa{i}, wa{i}, total{i}, T)
g{i} = t{i} - y{i}
off{i} = abs(g{i})
scale{i} = abs(t{i}) + abs(b{i}) + abs(m{i}) * (abs(h{i}) + z{i})
"""


def module_of_chain(movers: Sequence[Mover], groups: Sequence[Group], velocity: int, unsolved: int) -> ModuleType:
    """`velocity` and `unsolved` are where its state has the motions of all ports, and the count of such steps."""
    n, pairs = len(movers), _pairs(groups)
    lines = {"views": COLUMNS, "answers": _ANSWERS, "advances": _ADVANCES}
    begin = "h{i}, b{i}, weight{i} = h[{i}], s.real[{at}], 0.0\nv{i} = t{i} = b{i}\nf{i} = total{i} = m{i} = 0.0\n"
    starts = "".join(begin.format(i=i, at=velocity + i) for i in range(n))
    slots = "\n".join(f"d{a}_{b} = 0.0" for a, b in sorted(pairs))
    pieces = {
        "n": n,
        "begin": starts + slots + "\n" + "\n".join(f"step{i} = 0.0" for i in range(n)),
        "zero": "\n".join([f"f{i} = z{i} = 0.0" for i in range(n)] + [slots]),
        "moves": "".join(_MOVE.format(i=i) for i in range(n)),
        "sum": " + ".join(f"off{i} + scale{i}" for i in range(n)),
        "off": f"max({', '.join(f'weight{i} * off{i}' for i in range(n))})",
        "weigh": "\n".join(f"weight{i} = 1.0 / (off{i} + scale{i}) if off{i} > 0.0 else 0.0" for i in range(n)),
        "exact": " and ".join(f"off{i} <= {4 * EPSILON} * scale{i}" for i in range(n)),
        "close": " and ".join(f"off{i} <= 1e-9 * scale{i}" for i in range(n)),
        "nowhere": "\n".join(f"v{i} = np.nan" for i in range(n)),
        "accept": "\n".join(f"v{i} = t{i}" for i in range(n)),
        "retry": "\n".join(f"t{i} = v{i} - part * step{i}" for i in range(n)),
        "taken": "\n".join(f"v{i} = t{i} = v[{i}]" for i in range(n)),
        "give": "\n".join(f"v[{i}] = v{i}" for i in range(n)),
        "stores": "\n".join(f"s.real[{velocity + i}] = v{i}" for i in range(n)),
        "eliminate": _elimination(n, pairs),
        "jacobian": "\n".join(
            [f"slope[{i}, {i}], J[{i}, {i}] = m{i}, 1.0" for i in range(n)]
            + [f"J[{a}, {b}] -= m{a} * d{min(a, b)}_{max(a, b)}" for a, b in _both_ways(pairs)]
        ),
        "unsolved": unsolved,
    }
    head, taken = _IMPORTS, lambda mover: f"total{mover.row}, v{mover.row}"
    return module_around(_MODULE, movers, groups, (lines, _fill), pieces, taken=taken, head=head, solve=_SOLVE)


def _pairs(groups: Sequence[Group]) -> set[tuple[int, int]]:
    """Which motions meet in a link, the lower one first; each with itself."""
    met = set()
    for group in groups:
        rows = [end.row for end in group.wires[0].ends]
        met |= {(a, a) for a in rows} | {(min(rows), max(rows))}
    return met


def _both_ways(pairs: set[tuple[int, int]]) -> list[tuple[int, int]]:
    return sorted(pairs | {(b, a) for a, b in pairs})


def _fill(template: str, index: int, group: Group, inside: Inside) -> str:
    rows = [end.row for end in group.wires[0].ends]
    r = f"R{index}[i] * " if group.geared() else ""
    words: dict[str, object] = {"a": rows[0], "r": r, "other": "", "left": ""}
    if len(rows) > 1:
        q = f"Q{index}[i] * " if group.geared(1) else ""
        words |= {"b": rows[1], "q": q, "low": min(rows), "high": max(rows)}
        words |= {"other": f" - {q}t{rows[1]}", "left": f" - {q}v{rows[1]}"}
    give = (_GIVE if len(rows) == 1 else _GIVE_BOTH).format(**words)
    return fill(template, index, group, inside, {**words, "give": give.rstrip().replace("\n", "\n    ")})


def _elimination(n: int, pairs: set[tuple[int, int]]) -> str:
    """J step = g written out: J has 1 - m_i d_ii in its diagonal and -m_i d_ij beside it; the least connected go first.

    J is a positive diagonal matrix times a positive definite one as long as masses outweigh falling friction, which is
    checked: rows need not be exchanged.
    """
    linked: dict[int, set[int]] = {i: set() for i in range(n)}
    lines = []
    for a, b in _both_ways(pairs):
        if a != b:
            linked[a].add(b)
            lines.append(f"j{a}_{b} = -m{a} * d{min(a, b)}_{max(a, b)}")
    for i in range(n):
        lines.append(f"j{i}_{i} = 1.0 - m{i} * d{i}_{i}" if (i, i) in pairs else f"j{i}_{i} = 1.0")
    order = []
    left = {i: set(others) for i, others in linked.items()}
    while left:
        k = min(left, key=lambda i: (len(left[i]), i))
        others = sorted(left.pop(k))
        order.append((k, others))
        for i in others:
            left[i].discard(k)
            lines.append(f"factor = j{i}_{k} / j{k}_{k}")
            for j in others:
                new = j != i and j not in left[i]
                lines.append(f"j{i}_{j} = -factor * j{k}_{j}" if new else f"j{i}_{j} -= factor * j{k}_{j}")
            lines.append(f"g{i} -= factor * g{k}")
        for i in others:
            left[i] |= set(others) - {i}
    for k, others in reversed(order):
        rest = "".join(f" - j{k}_{j} * step{j}" for j in others)
        lines.append(f"step{k} = (g{k}{rest}) / j{k}_{k}")
    return "\n".join(lines)
