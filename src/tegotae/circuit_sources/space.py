"""The source of a circuit in n dimensions: Newton with a dense Jacobian of n x n and a line search."""

from __future__ import annotations

from collections.abc import Sequence

from tegotae.block import Admittance
from tegotae.circuit_sources import addressed
from tegotae.circuit_sources.group import EPSILON, LOOP, Group, put

_RESIST = """
for i in range({count}):
    r = p[{ratios} + i]
    a = {p} + i * {wide}
    b = {s} + i * {deep}
    for j in range({n}):
        u[j] = r * v[j]{base}
    {resist}p[a : a + {wide}], s[b : b + {deep}], u, T, fi, di)
    for j in range({n}):
        f[j] += r * fi[j]
        size += abs(r * fi[j])
        for k in range({n}):
            d[j, k] += r * r * di[j, k]
"""

_COMMIT = """
for i in range({count}):
    r = p[{ratios} + i]
    a = {p} + i * {wide}
    b = {s} + i * {deep}
    for j in range({n}):
        u[j] = r * v[j]{base}
    {commit}p[a : a + {wide}], s[b : b + {deep}], u, T)
"""

# The unknown v solves v = A(h + sum of r f(r v)). For friction this is the minimum of a strictly convex function, so
# Newton's direction always lessens the residual; a step that does not is halved.
_MODULE = """
@kernel
def evaluate(p, s, v, h, T):
    {scratch}
    size = 0.0
    f[:] = 0.0
    d[:] = 0.0
    {resists}
    for j in range({n}):
        total[j] = h[j] + f[j]
    {move}p[:{pa}], s[:{sa}], total, T, moved, mobility)
    norm = 0.0
    scale = 0.0
    most = 0.0
    for j in range({n}):
        gap[j, 0] = v[j] - moved[j]
        norm = max(norm, abs(gap[j, 0]))
        if not np.isfinite(gap[j, 0]):
            size = np.inf  # which the largest of several would not show if it is nan
        scale = max(scale, abs(v[j]) + abs(s[{velocity} + j]))
        size += abs(h[j])
        for k in range({n}):
            most = max(most, abs(mobility[j, k]))
            J[j, k] = 1.0 if j == k else 0.0
            for m in range({n}):
                J[j, k] -= mobility[j, m] * d[m, k]
    return norm, scale + most * size


@kernel
def solve(p, s, h, T, v):
    {scratch}
    for j in range({n}):
        v[j] = s[{velocity} + j]
    norm, scale = evaluate(p, s, v, h, T)
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
            new_norm, new_scale = evaluate(p, s, trial, h, T)
            # Strictly: of a tiny part the factor rounds to 1, and standing still would be called better for ever.
            if new_norm < (1.0 - 1e-9 * part) * norm or new_norm <= {tolerance} * new_scale:
                better = True
                break
            part *= 0.5
        if not better:
            if not new_scale < np.inf:
                continue
            return norm <= 1e-9 * scale  # at rounding; else a block's force jumps: no root to find
        for j in range({n}):
            v[j] = trial[j]
        norm, scale = new_norm, new_scale
    return False


@kernel
def commit(p, s, h, v, T):
    {scratch}
    evaluate(p, s, v, h, T)
    {commits}
    {keep}p[:{pa}], s[:{sa}], total, v, T)


@kernel
def answer(p, s, h, T, v, slope):
    {scratch}
    solve(p, s, h, T, v)
    evaluate(p, s, v, h, T)
    slope[:] = mobility
    eliminate(J, slope)


@kernel
def advance(p, s, h, v, T):
    {head}
    norm, scale = evaluate(p, s, v, h, T)
    if not norm <= 1e-9 * scale:
        s[{unsolved}] += 1.0
    commit(p, s, h, v, T)


def make():
    return answer, advance


@entry
def loop(p, s, x, bases, slots, T, every, picks, record):
    {head}
    v = np.empty({n})
    {loop}
"""

# Its workspace lives for one call: nothing of it belongs to the state.
_SUM = """
@kernel
def felt(p, s, v, T, f, d):
    u = np.empty({n})
    fi = np.empty({n})
    di = np.empty(({n}, {n}))
    size = 0.0
    f[:] = 0.0
    d[:] = 0.0
    {resists}


@kernel
def answer(p, s, v, T, force, slope):
    felt(p, s, v, T, force, slope)


@kernel
def advance(p, s, v, T):
    u = np.empty({n})
    f = np.empty({n})
    d = np.empty(({n}, {n}))
    felt(p, s, v, T, f, d)
    {commits}
    for j in range({n}):
        s[j] = f[j]


def make():
    return answer, advance
"""

_VECTORS = ("u", "f", "fi", "total", "moved", "trial", "step")
_MATRICES = ("d", "di", "J", "mobility")


def scratch_size(n: int) -> int:
    """How many numbers of the state the solve works in, so that a tick allocates nothing."""
    return n * (len(_VECTORS) + 1) + n * n * len(_MATRICES)


def source_of_sum(groups: Sequence[Group]) -> str:
    """The text of impedances felt at once: their forces add, and their sum comes first in the state."""
    makers = "".join(g.kernels.source(f"_{i}") for i, g in enumerate(groups))
    pieces = {
        "n": groups[0].dimension,
        "resists": "".join(_fill(_RESIST, i, g) for i, g in enumerate(groups)),
        "commits": "".join(_fill(_COMMIT, i, g) for i, g in enumerate(groups)),
    }
    return makers + put(_SUM, pieces)


def source_in_space(
    admittance: Admittance, groups: Sequence[Group], velocity: int, unsolved: int, scratch_at: int
) -> str:
    """The module's text: `make` gives the circuit as a block's halves, `loop` runs it."""
    n = admittance.dimension
    makers = admittance.kernels.source("_a") + "".join(g.kernels.source(f"_{i}") for i, g in enumerate(groups))
    pieces: dict[str, object] = {
        "scratch": _scratch(n, [str(place) for place in range(scratch_at, scratch_at + scratch_size(n) + 1)]),
        "resists": "".join(_fill(_RESIST, i, g) for i, g in enumerate(groups)),
        "commits": "".join(_fill(_COMMIT, i, g) for i, g in enumerate(groups)),
        "velocity": velocity,
        "unsolved": unsolved,
        "pa": admittance.parameters.size,
        "sa": max(s.stop for s in admittance.slices().values()),
        "move": "answer_a(",
        "keep": "advance_a(",
        "head": "",
    }
    return makers + _module_text(n, pieces)


def source_by_address(n: int) -> str:
    """The module's text for all circuits in n dimensions: which blocks there are, and where, it reads from p."""
    each = {
        "n": n,
        "count": "count",
        "ratios": "ratios_at",
        "p": "p_at",
        "wide": "wide",
        "s": "s_at",
        "deep": "deep",
        "base": f" - (s[bases_at + i * {n} + j] if bases_at >= 0 else 0.0)",
        "resist": "SPACE_RESIST(resist_at, ",
        "commit": "SPACE_COMMIT(commit_at, ",
    }
    pieces: dict[str, object] = {
        "scratch": addressed.head() + _scratch(n, [f"scratch + {place}" for place in range(scratch_size(n) + 1)]),
        "resists": addressed.of_all(_RESIST.format(**each)),
        "commits": addressed.of_all(_COMMIT.format(**each)),
        "velocity": "velocity",
        "unsolved": "unsolved",
        "pa": "own_parameters",
        "sa": "own_state",
        "move": "SPACE_MOVE(move_at, ",
        "keep": "SPACE_KEEP(keep_at, ",
        "head": addressed.head(),
    }
    return addressed.imports("SPACE") + _module_text(n, pieces)


def _module_text(n: int, pieces: dict[str, object]) -> str:
    pieces |= {"n": n, "tolerance": 4 * EPSILON}
    pieces["tick"] = "solved = solve(p, s, h, T, v)\ncommit(p, s, h, v, T)"
    pieces["loop"] = put(LOOP, pieces)
    return "from tegotae.kernels.linear import eliminate\n" + put(_MODULE, pieces)


def _scratch(n: int, places: Sequence[str]) -> str:
    """The arrays a solve works in, from the first place to the last."""
    lines, at = [], 0
    for name in _VECTORS:
        lines.append(f"{name} = s[{places[at]} : {places[at + n]}]")
        at += n
    lines.append(f"gap = s[{places[at]} : {places[at + n]}].reshape(({n}, 1))")
    at += n
    for name in _MATRICES:
        lines.append(f"{name} = s[{places[at]} : {places[at + n * n]}].reshape(({n}, {n}))")
        at += n * n
    return "\n".join(lines)


def _fill(template: str, index: int, group: Group) -> str:
    return template.format(
        resist=f"answer_{index}(",
        commit=f"advance_{index}(",
        n=group.dimension,
        count=len(group.names),
        ratios=group.ratios_at,
        p=group.parameters_at,
        wide=group.parameters_each,
        s=group.state_at,
        deep=group.state_each,
        base=f" - s[{group.bases_at} + i * {group.dimension} + j]" if group.based else "",
    )
