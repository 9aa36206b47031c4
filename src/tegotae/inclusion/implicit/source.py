"""The text of a stepped machine's halves: one tick and all around it, for a machine that is alone or has a port.

Through a port a force comes in; the motion that it leads to, and how that answers it, goes out. `answer` works on
copies in the workspace; `advance` keeps those of the force that it was last asked about.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING

import sympy
from sympy import Symbol

from tegotae.compile import build
from tegotae.compile.modules import put
from tegotae.coupling import complementarity
from tegotae.inclusion.implicit.kernels import mobility
from tegotae.inclusion.implicit.kernels import stepper as k
from tegotae.inclusion.implicit.layouts import HOW, INPUTS, MIDPOINT, blocks_of, sizes_of, workspace_shapes
from tegotae.inclusion.language.arguments import TIME
from tegotae.inclusion.language.compiled_terms import CompiledTerms, slopes_of
from tegotae.inclusion.language.equations import Equations

if TYPE_CHECKING:
    from tegotae.inclusion.implicit.stepper import Stepper

_TICK = """
tick = make(solve, smooth, directions, mass, gaps_ahead, slips, limits, magnitudes, smooth_slope, gap_slope_ahead,
            slip_slope, limit_slope, {midpoint}, {linear}, {constant}, np.array({bounces}, dtype=np.int64),
            np.array({free}, dtype=np.int64))
KIND, FIRST = np.array({kind}, dtype=np.int64), np.array({first}, dtype=np.int64)
KIND.flags.writeable = FIRST.flags.writeable = False


@kernel_inside
def workspace_of(w):
    return Workspace({workspace})


@kernel
def restore(p, s, w):
    w.ready[0] = w.stage[0] = 0.0  # matrices that never change are kept from tick to tick
    for i in range({m}):
        w.beta[i] = p.B[i] / p.K[i]


@kernel
def prepare(p, s, w, T):
    {refresh}
    inputs((s.ticks[0] + 1.0) * T, w.u)
    {between}
    {held}


@kernel
def tell(s, w, how):
    for i in range({nc}):
        s.touches[i] = 1 if w.modes1[i] > 0.5 else 0
    for i in range({nf}):
        s.sticks[i] = 1 if w.modes1[{nc} + i] > 0.5 else 0
    s.ticks[0] += 1
    if how < {methods}:
        s.steps[how] += 1
    else:
        s.unsolved[0] += 1
        if s.first[0] == 0:
            s.first[0] = s.ticks[0]
"""

_ALONE = """
@kernel
def answer(p, s, w, h, T, motion, slope):
    return


@kernel_inside
def advance(p, s, w, h, v, T):
    finite = True
    for i in range({n}):
        finite = finite and math.isfinite(s.x[i])
    if finite:  # else it has diverged, and a solve would look for what there is not
        t0, t, E = s.ticks[0] * T, (s.ticks[0] + 1.0) * T, Elements({nc}, KIND, FIRST, p.K, w.beta, p.R)
        x, e, F = s.x.reshape(({n},)), s.e.reshape(({m},)), s.F.reshape(({m},))
        how = tick(t0, t, x, e, F, w.modes1, s.c, {inputs_of}, E, T, workspace_of(w))
        for i in range({inputs}):
            s.u[i] = w.u[i] if math.isfinite(w.u[i]) else s.u[i]
        tell(s, w, how)


def make_block():
    return answer, advance, prepare, restore
"""
# By backward Euler gaps are those of the end.
_GAPS = """
@kernel
def gaps_ahead(t, x, p, u, ahead, g, v):
    gaps(t, x, p, u, g, v)


@kernel
def gap_slope_ahead(t, x, p, u, ahead, A):
    gap_slope(t, x, p, u, A)

"""
# Matrices that never change do so where a parameter in them is fed.
_FED = """for i in {changing}:
    if w.c[i] != s.c[i]:
        w.ready[0] = 0.0
        w.c[i] = s.c[i]"""
_HELD = """for i in range({inputs}):
    if s.held[i] == 1:
        {hold}"""
# The midpoint rule asks inputs in rows at the middle of the tick, and those in gaps at the middle of the next.
_BETWEEN = """inputs((s.ticks[0] + 0.5) * T, w.um)
inputs((s.ticks[0] + 1.5) * T, w.ua)"""

_PORT = """
MOVES = {moves}


@kernel
def try_force(p, s, w, T):
    {put}
    copy(w.x1, s.x)
    copy(w.e1, s.e)
    copy(w.F1, s.F)
    {changed}
    t0, t, E = s.ticks[0] * T, (s.ticks[0] + 1.0) * T, Elements({nc}, KIND, FIRST, p.K, w.beta, p.R)
    w.how[0] = tick(t0, t, w.x1, w.e1, w.F1, w.modes1, w.c, {inputs_of}, E, T, workspace_of(w))
    w.fresh[0] = 1


@kernel
def differentiate(p, s, w, T):
    t, E = (s.ticks[0] + {middle}) * T, Elements({nc}, KIND, FIRST, p.K, w.beta, p.R)
    work = workspace_of(w)
    problem = problem_of(E, work)
    for i in range({n}):
        work.xm[i] = w.x1[i] - (1.0 - work.theta[0]) * work.d[i]
    {bent}
    push(t, work.xm, w.c, w.{input_of_rows}, w.push)
    usable = linearise(problem, w.F1, E, T, work, {is_bent})
    for j in range({nh}):
        if usable:
            mobility(problem, w.F1, E, T, work, w.push, j, w.dx)
        for i in range({nh}):
            w.slope[i, j] = w.dx[MOVES[i]] if usable else 0.0


@kernel
def keep(s, w):
    w.fresh[0] = 0
    copy(s.x, w.x1)
    copy(s.e, w.e1)
    copy(s.F, w.F1)
    for i in range({nh}):
        s.v[i] = w.x1[MOVES[i]]
    tell(s, w, w.how[0])
"""

# The halves themselves; along a line they take and give numbers.
_HALVES = """
@kernel
def answer(p, s, w, h, T{filled}):
    {take}
    try_force(p, s, w, T)
    differentiate(p, s, w, T)
    {give}


@kernel
def advance(p, s, w, h, v, T):
    same = w.fresh[0] == 1
    for i in range({nh}):
        same = same and w.h[i] == {given}
    if not same:  # else this very tick was the last that was tried
        {take}
        try_force(p, s, w, T)
    keep(s, w)


@kernel
def step(p, s, w, h, T{moved}):
    {take}
    try_force(p, s, w, T)
    keep(s, w)


def make_block():
    return answer, advance, prepare, restore, step
"""

_LINE = {"filled": "", "moved": "", "given": "h", "take": "w.h[0] = h"}
_LINE["give"] = "return w.x1[MOVES[0]], w.slope[0, 0]"
_SPACE = {"filled": ", motion, rise", "moved": ", motion", "given": "h[i]", "take": "copy(w.h, h)"}
_SPACE["give"] = """for i in range({nh}):
    motion[i] = w.x1[MOVES[i]]
    for j in range({nh}):
        rise[i, j] = w.slope[i, j]"""

_BENT = """for i in range({n}):
    work.xh[i] = work.d[i] / T
row_slope(t, work.xm, w.c, w.{input_of_rows}, w.F1, work.xh, work.S)"""


def structure_of(system: Equations) -> tuple[bool, bool, frozenset[Symbol]]:
    """What is known of an inclusion before it runs, judged from the symbols alone.

    Whether one linearisation is exact, but for the elements; whether its matrices never change, unless one of those
    parameters is fed that they hold; and these.
    """
    states = set(system.states)
    slips = [slip for f in system.frictions for slip in f.slips]
    limits = [f.limit for f in system.frictions]
    smooth = [row for row in system.smooth if row.free_symbols & states]
    values = [*smooth, *(c.gap for c in system.contacts), *slips]
    slopes = [sympy.diff(value, s) for value in values for s in value.free_symbols & states]
    slopes += list(system.directions) + (list(system.mass_matrix) if system.mass_matrix is not None else [])
    bends = [sympy.diff(limit, c.force) for limit in limits for c in system.contacts]
    inside = set().union(*(value.free_symbols for value in [sympy.S.Zero, *slopes, *bends]))
    in_limits = set().union(*(value.free_symbols for value in [sympy.S.Zero, *limits]))
    linear = not (inside & {*states, *system.forces}) and not in_limits & states
    constant = linear and not inside & {TIME, *system.callables}
    return linear, constant, frozenset(inside & set(system.parameters))


def positions_of(system: Equations) -> tuple[int, ...]:
    """States that no force changes at once, by rows of their own: an impact leaves them where they are."""
    n, M = len(system.states), system.mass_matrix
    alone = [M is None or all(M[i, j] == 0 for j in range(n) if j != i) for i in range(n)]
    return tuple(i for i in range(n) if alone[i] and not any(system.directions.row(i)))


def module_of(machine: Stepper, forces: Sequence[Symbol] = (), velocities: Sequence[Symbol] = ()) -> ModuleType:
    """The generated module, whose `make_block` gives the halves; the same for machines that differ in numbers alone.

    A machine with a port has forces there, one a direction, and velocities that they work on.
    """
    terms, method = machine.inclusion.terms, machine.method
    system, midpoint = terms.inclusion, method == MIDPOINT
    bouncing = tuple(i for i, contact in enumerate(system.contacts) if contact.name in machine.restitutions)
    key = (method, bouncing, *forces, *velocities)
    if key in terms.made:
        return terms.made[key]
    n, m, nc, nf = sizes_of(system)
    linear, constant, changing = structure_of(system)
    kind, first = blocks_of(nc, [len(friction.slips) for friction in system.frictions])
    words: dict[str, object] = {
        "linear": linear,
        "constant": constant,
        "midpoint": midpoint,
        "middle": 0.5 if midpoint else 1.0,
        "between": "",
        "inputs_of": "w.um, w.u, w.ua" if midpoint else "w.u, w.u, w.u",
        "input_of_rows": "um" if midpoint else "u",
        "hold": "\n".join(f"w.{name}[i] = s.u[i]" for name in INPUTS[method]),
        "bounces": bouncing,
        "free": positions_of(system),
        "kind": kind,
        "first": first,
        # With sizes that the compiler knows.
        "workspace": ", ".join(
            f"w.{name}" if len(shape) > 1 else f"w.{name}.reshape(({shape[0]},))"
            for name, shape in workspace_shapes(n, m, nc, nf, bool(bouncing)).items()
        ),
        "m": m,
        "n": n,
        "nc": nc,
        "nf": nf,
        "nh": len(forces),
        "inputs": len(system.callables),
        "methods": len(HOW),
        "changing": tuple(i for i, symbol in enumerate(system.parameters) if symbol in changing),
    }
    text = terms.source() + terms.magnitudes() + (_gaps_ahead(terms) if midpoint else _GAPS)
    functions = [*terms.input_functions(), ("make", k.tick_kernel), ("solve", complementarity.solver().solve)]
    functions += [("Workspace", k.Workspace), ("Elements", k.Elements), ("copy", k.copy)]
    if midpoint and system.callables:
        words["between"] = put(_BETWEEN, words)
    if not forces:
        words["refresh"] = put(_FED, words) if constant and changing else ""
        words["held"] = put(_HELD, words) if system.callables else ""
        return terms.made.setdefault(key, build(text + put(_TICK + _ALONE, words), tuple(functions)))
    words |= {"refresh": "w.fresh[0] = 0\ncopy(w.c, p.c)", "held": ""}
    words |= {"moves": tuple(system.states.index(v) for v in velocities), "is_bent": not linear}
    words["put"] = "\n".join(f"w.{terms.names[f].replace('p', 'c')} = w.h[{j}]" for j, f in enumerate(forces))
    words["changed"] = "w.ready[0] = 0.0" if changing & set(forces) else ""
    words["bent"] = "" if linear else put(_BENT, words)
    words |= {name: template.format(**words) for name, template in (_LINE if len(forces) == 1 else _SPACE).items()}
    text += terms.function("push", {"A": system.smooth.jacobian(list(forces))})
    text += "" if linear else _row_slope_source(terms)
    functions += [("problem_of", k.problem_of), ("mobility", mobility.mobility), ("linearise", mobility.linearise)]
    return terms.made.setdefault(key, build(text + put(_TICK + _PORT + _HALVES, words), tuple(functions)))


def _gaps_ahead(terms: CompiledTerms) -> str:
    """Gaps where their states will be a little later, their rates there now, and how both gaps change with states now.

    A gap is a function of positions, whose rates hold no force.
    """
    system, ahead = terms.inclusion, sympy.Dummy("ahead", real=True)
    used = set().union(*(contact.gap.free_symbols for contact in system.contacts)) & set(system.states)
    later = {TIME: TIME + ahead} | {state: state + ahead * system.rate(state) for state in used}
    gaps = [contact.gap.xreplace(later) for contact in system.contacts]
    rates, names = [system.rate(contact.gap) for contact in system.contacts], {ahead: "ahead"}
    text = terms.function("gaps_ahead", {"g": gaps, "v": rates}, ", ahead", names)
    return text + terms.function("gap_slope_ahead", {"A": slopes_of(gaps, system.states)}, ", ahead", names)


def _row_slope_source(terms: CompiledTerms) -> str:
    """d (right - M rate)/dx, with forces and rates held."""
    system, states = terms.inclusion, list(terms.inclusion.states)
    rates = [sympy.Dummy(f"rate_{i}", real=True) for i in range(len(states))]
    rows = list(system.right)
    if system.mass_matrix is not None:
        rows = list(system.right - system.mass_matrix * sympy.Matrix(rates))
    names = {rate: f"rate[{i}]" for i, rate in enumerate(rates)}
    return terms.function("row_slope", {"A": slopes_of(rows, states)}, ", force, rate", names)
