"""The halves of a stepped machine with a port: a force in, the motion that it leads to out, and how that answers it.

`answer` works on copies in the workspace; `advance` keeps those of the force that it was last asked about.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import Any

import sympy
from sympy import Symbol

from tegotae.compile.modules import put
from tegotae.inclusion.implicit import element_solver
from tegotae.inclusion.implicit.kernels.stepper import problem_of
from tegotae.inclusion.language.compiled_terms import CompiledTerms, slopes_of

_PORT = """
MOVES = {moves}


@kernel
def try_force(p, s, w, T):
    {put}
    copy(w.x1, s.x)
    copy(w.e1, s.e)
    copy(w.F1, s.F)
    {refresh}
    t, E = (s.ticks[0] + 1.0) * T, Elements({nc}, KIND, FIRST, p.K, w.beta)
    w.how[0] = tick(t, w.x1, w.e1, w.F1, w.modes1, w.c, w.u, E, T, room_of(w))
    w.fresh[0] = 1


@kernel
def differentiate(p, s, w, T):
    t, E = (s.ticks[0] + 1.0) * T, Elements({nc}, KIND, FIRST, p.K, w.beta)
    room = room_of(w)
    problem = problem_of(E, room)
    {bent}
    push(t, w.x1, w.c, w.u, w.push)
    usable = linearise(problem, w.F1, E, T, room, {is_bent})
    for j in range({nh}):
        if usable:
            mobility(problem, w.F1, E, T, room, w.push, j, w.dx)
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
    room.xh[i] = room.d[i] / T
row_slope(t, w.x1, w.c, w.u, w.F1, room.xh, room.S)"""


def port_parts(
    terms: CompiledTerms, linear: bool, changing: Set[Symbol], forces: Sequence[Symbol], velocities: Sequence[Symbol]
) -> tuple[str, tuple[tuple[str, Callable[..., Any]], ...]]:
    """The text behind that of a tick, and the functions it imports; see `Structure` for the machine."""
    system, bent = terms.inclusion, not linear
    words: dict[str, object] = {
        "moves": tuple(system.states.index(v) for v in velocities),
        "put": "\n".join(f"w.{_target(terms, force)} = w.h[{j}]" for j, force in enumerate(forces)),
        "refresh": "w.ready[0] = 0.0" if changing & set(forces) else "",
        "bent": _BENT.format(n=len(system.states)) if bent else "",
        "is_bent": bent,
        "nh": len(forces),
        "nc": len(system.contacts),
    }
    text = _push_source(terms, forces) + (_row_slope_source(terms) if bent else "")
    ways = _LINE if len(forces) == 1 else _SPACE
    words |= {name: way.format(nh=len(forces)) for name, way in ways.items()}
    text += put(_PORT + _HALVES, words)
    slopes = element_solver.slopes()
    imported = ("mobility", slopes.mobility), ("linearise", slopes.linearise)
    return text, (("problem_of", problem_of), *imported)


def _target(terms: CompiledTerms, force: Symbol) -> str:
    """Where a force lies among a tick's numbers."""
    system = terms.inclusion
    if force in system.parameters:
        return f"c[{list(system.parameters).index(force)}]"
    return f"u[{list(system.callables).index(force)}]"


def _push_source(terms: CompiledTerms, forces: Sequence[Symbol]) -> str:
    return terms.function("push", {"A": terms.inclusion.smooth.jacobian(list(forces))})


def _row_slope_source(terms: CompiledTerms) -> str:
    """d (right - M rate)/dx, with forces and rates held."""
    system, states = terms.inclusion, list(terms.inclusion.states)
    rates = [sympy.Dummy(f"rate_{i}", real=True) for i in range(len(states))]
    rows = list(system.right)
    if system.mass_matrix is not None:
        rows = list(system.right - system.mass_matrix * sympy.Matrix(rates))
    names = {rate: f"rate[{i}]" for i, rate in enumerate(rates)}
    return terms.function("row_slope", {"A": slopes_of(rows, states)}, ", force, rate", names)
