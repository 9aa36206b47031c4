"""The source of a circuit in n dimensions: Newton with a dense Jacobian of n x n and a line search."""

from __future__ import annotations

from collections.abc import Sequence

from tegotae.compile.templates import put
from tegotae.coupling import addressed
from tegotae.coupling.group import EPSILON, PREPARES, RESTORES, Group, Inside, Spot, insides, lines_of
from tegotae.coupling.line import HEAD, halves_of

_RESIST = """
for i in range({count}):
    r = p.real[{ratios} + i]
    for j in range({n}):
        u[j] = r * v[j]{base}
    {resist}{own}, u, T, fi, di)
    for j in range({n}):
        f[j] += r * fi[j]
        size += abs(r * fi[j])
        for k in range({n}):
            d[j, k] += r * r * di[j, k]
"""

_COMMIT = """
for i in range({count}):
    r = p.real[{ratios} + i]
    for j in range({n}):
        u[j] = r * v[j]{base}
    {commit}{own}, u, T)
"""


# The unknown v solves v = A(h + sum of r f(r v)). For friction this is the minimum of a strictly convex function, so
# Newton's direction always lessens the residual; a step that does not is halved.
_MODULE = """
@kernel
def evaluate(p, s, w, v, h, T):
    {scratch}
    {mover}
    size = 0.0
    f[:] = 0.0
    d[:] = 0.0
    {resists}
    for j in range({n}):
        total[j] = h[j] + f[j]
    {move}{mine}, total, T, moved, mobility)
    norm = 0.0
    scale = 0.0
    most = 0.0
    for j in range({n}):
        gap[j, 0] = v[j] - moved[j]
        norm = max(norm, abs(gap[j, 0]))
        if not np.isfinite(gap[j, 0]):
            size = np.inf  # which the largest of several would not show if it is nan
        scale = max(scale, abs(v[j]) + abs(s.real[{velocity} + j]))
        size += abs(h[j])
        for k in range({n}):
            most = max(most, abs(mobility[j, k]))
            J[j, k] = 1.0 if j == k else 0.0
            for m in range({n}):
                J[j, k] -= mobility[j, m] * d[m, k]
    return norm, scale + most * size


@kernel
def solve(p, s, w, h, T, v):
    {scratch}
    for j in range({n}):
        v[j] = s.real[{velocity} + j]
    norm, scale = evaluate(p, s, w, v, h, T)
    new_norm, new_scale = norm, scale
    for _ in range(100):
        if not new_scale < np.inf:  # overflow, or a block that gave no number: there is no answer
            for j in range({n}):
                v[j] = np.nan
            return False
        if norm <= {tolerance} * scale:
            return True
        if not eliminate(J, gap):
            return False
        for j in range({n}):
            step[j] = gap[j, 0]
        part = 1.0
        better = False
        for _ in range(40):
            for j in range({n}):
                trial[j] = v[j] - part * step[j]
            new_norm, new_scale = evaluate(p, s, w, trial, h, T)
            # Strictly: of a tiny part the factor rounds to 1, and standing still would be called better for ever.
            if new_norm < (1.0 - 1e-9 * part) * norm or new_norm <= {tolerance} * new_scale:
                better = True
                break
            if norm <= 1e-12 * scale and new_scale < np.inf:
                return True  # rounding inside of a block, which carries more than it shows here: nothing to chase
            part *= 0.5
        if not better:
            if not new_scale < np.inf:
                continue
            return norm <= 1e-9 * scale  # at rounding; else a block's force jumps: no root to find
        for j in range({n}):
            v[j] = trial[j]
        norm, scale = new_norm, new_scale
    return norm <= 1e-9 * scale


@kernel
def commit(p, s, w, h, v, T):
    {scratch}
    {mover}
    evaluate(p, s, w, v, h, T)
    {commits}
    {keep}{mine}, total, v, T)


@kernel
def answer(p, s, w, h, T, v, slope):
    {scratch}
    solve(p, s, w, h, T, v)
    evaluate(p, s, w, v, h, T)
    slope[:] = mobility
    eliminate(J, slope)


@kernel
def advance(p, s, w, h, v, T):
    {head}
    norm, scale = evaluate(p, s, w, v, h, T)
    if not norm <= 1e-9 * scale:
        s.whole[{unsolved}] += 1
    commit(p, s, w, h, v, T)


@kernel
def tick(p, s, w, h, T, v):
    {head}
    if not solve(p, s, w, h, T, v):
        s.whole[{unsolved}] += 1
    commit(p, s, w, h, v, T)


@kernel
def prepare(p, s, w, T):
    {head}
    {mover}
    {prepares}
    return


@kernel
def restore(p, s, w):
    {head}
    {mover}
    {restores}
    return


def make():
    return {halves}
"""

# Its own workspace lives for one call.
_SUM = """
@kernel
def felt(p, s, w, v, T, f, d):
    u = np.empty({n})
    fi = np.empty({n})
    di = np.empty(({n}, {n}))
    size = 0.0
    f[:] = 0.0
    d[:] = 0.0
    {resists}


@kernel
def answer(p, s, w, v, T, force, slope):
    felt(p, s, w, v, T, force, slope)


@kernel
def advance(p, s, w, v, T):
    u = np.empty({n})
    f = np.empty({n})
    d = np.empty(({n}, {n}))
    felt(p, s, w, v, T, f, d)
    {commits}
    for j in range({n}):
        s.real[j] = f[j]


@kernel
def prepare(p, s, w, T):
    {prepares}
    return


@kernel
def restore(p, s, w):
    {restores}
    return


def make():
    return {halves}
"""

_VECTORS = ("u", "f", "fi", "total", "moved", "trial", "step")
_MATRICES = ("d", "di", "J", "mobility")


def scratch_size(n: int) -> int:
    """How many numbers the solve works in, so that a tick allocates nothing."""
    return n * (len(_VECTORS) + 1) + n * n * len(_MATRICES)


def source_of_sum(groups: Sequence[Group]) -> str:
    """The text of impedances felt at once: their forces add, and their sum comes first in the state."""
    own = insides(groups)
    pieces = _of_groups(groups, own) | halves_of(own, False) | {"n": groups[0].dimension}
    return HEAD + "".join(one.head for one in own) + put(_SUM, pieces)


def source_in_space(mover: Inside, groups: Sequence[Group], velocity: int, unsolved: int, scratch_at: int) -> str:
    """The module's text: `make` gives the circuit as a block's halves."""
    n, at, own = mover.block.dimension, Spot((0, 0), (0, 0), (0, 0)), insides(groups)
    pieces = _of_groups(groups, own)
    pieces |= {
        "scratch": _scratch(n, [str(place) for place in range(scratch_at, scratch_at + scratch_size(n) + 1)]),
        "mover": f"pa = {mover.p(at.p)}\nsa = {mover.s(at.s)}\nwa = {mover.w(at.w)}\n",
        "velocity": velocity,
        "unsolved": unsolved,
        "mine": "pa, sa, wa",
        "move": f"answer{mover.suffix}(",
        "keep": f"advance{mover.suffix}(",
        "head": "",
    }
    for name, half, behind in (("prepares", "prepare", ", T)"), ("restores", "restore", ")")):
        if getattr(mover.halves, half):
            pieces[name] = f"{half}{mover.suffix}(pa, sa, wa{behind}\n" + str(pieces[name])
    heads = HEAD + mover.head + "".join(one.head for one in own)
    return heads + _module_text(n, pieces | halves_of([mover, *own], True))


def source_by_address(n: int) -> str:
    """The module's text for all circuits in n dimensions: which blocks there are, and where, it reads from p."""
    each = {
        "n": n,
        "count": "count",
        "ratios": "ratios_at",
        "own": addressed.OWN,
        "base": f" - (s.real[bases_at + i * {n} + j] if bases_at >= 0 else 0.0)",
        "resist": "SPACE_RESIST(resist_at, ",
        "commit": "SPACE_COMMIT(commit_at, ",
        "prepare": "LINE_PREPARE(prepare_at, ",
        "restore": "LINE_RESTORE(restore_at, ",
    }
    pieces: dict[str, object] = {
        "scratch": addressed.head() + _scratch(n, [f"scratch + {place}" for place in range(scratch_size(n) + 1)]),
        "resists": addressed.of_all(_RESIST.format(**each)),
        "commits": addressed.of_all(_COMMIT.format(**each)),
        "prepares": addressed.PREPARE + addressed.of_all(PREPARES.format(**each)),
        "restores": addressed.RESTORE + addressed.of_all(RESTORES.format(**each)),
        "mover": addressed.MOVER,
        "velocity": "velocity",
        "unsolved": "unsolved",
        "mine": addressed.MOVED,
        "move": "SPACE_MOVE(move_at, ",
        "keep": "SPACE_KEEP(keep_at, ",
        "head": addressed.head(),
        "halves": "answer, advance, prepare, restore, tick",
    }
    return addressed.imports("SPACE") + _module_text(n, pieces)


def _module_text(n: int, pieces: dict[str, object]) -> str:
    pieces |= {"n": n, "tolerance": 4 * EPSILON}
    return "from tegotae.kernels.linear import eliminate\n" + put(_MODULE, pieces)


def _scratch(n: int, places: Sequence[str]) -> str:
    """The arrays a solve works in, from the first place to the last."""
    lines, at = [], 0
    for name in _VECTORS:
        lines.append(f"{name} = w.real[{places[at]} : {places[at + n]}]")
        at += n
    lines.append(f"gap = w.real[{places[at]} : {places[at + n]}].reshape(({n}, 1))")
    at += n
    for name in _MATRICES:
        lines.append(f"{name} = w.real[{places[at]} : {places[at + n * n]}].reshape(({n}, {n}))")
        at += n * n
    return "\n".join(lines)


def _of_groups(groups: Sequence[Group], own: Sequence[Inside]) -> dict[str, object]:
    """All lines that go over the groups."""
    return lines_of(groups, own, {"resists": _RESIST, "commits": _COMMIT}, _fill)


def _fill(template: str, index: int, group: Group, inside: Inside) -> str:
    return template.format(
        resist=f"answer_{index}(",
        commit=f"advance_{index}(",
        prepare=f"prepare_{index}(",
        restore=f"restore_{index}(",
        own=group.slices(inside),
        n=group.dimension,
        count=len(group.names),
        ratios=group.ratios_at,
        base=f" - s.real[{group.bases_at} + i * {group.dimension} + j]" if group.based else "",
    )
