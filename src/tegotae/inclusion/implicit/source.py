"""The text of a stepped machine's halves: one tick and all around it, for a machine that is alone or has a port."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import sympy
from sympy import Symbol

from tegotae.compile import build
from tegotae.compile.modules import put
from tegotae.coupling import complementarity
from tegotae.inclusion.implicit import element_solver
from tegotae.inclusion.implicit.kernels import stepper as k
from tegotae.inclusion.implicit.layouts import HOW, sizes_of
from tegotae.inclusion.implicit.port_source import port_parts
from tegotae.inclusion.language.arguments import TIME
from tegotae.inclusion.language.compiled_terms import CompiledTerms
from tegotae.inclusion.language.equations import Equations

_TICK = """
tick = make(solve, smooth, directions, mass, gaps, slips, limits, magnitudes, smooth_slope, gap_slope, slip_slope,
            limit_slope, {linear}, {constant})
KIND, FIRST = np.array({kind}, dtype=np.int64), np.array({first}, dtype=np.int64)
KIND.flags.writeable = FIRST.flags.writeable = False


@kernel_inside
def room_of(w):
    return Room({room})


@kernel
def restore(p, s, w):
    w.ready[0] = 0.0  # matrices that never change are kept from tick to tick
    for i in range({m}):
        w.beta[i] = p.B[i] / p.K[i]


@kernel
def prepare(p, s, w, T):
    {refresh}
    inputs((s.ticks[0] + 1.0) * T, w.u)
    {held}


@kernel
def tell(s, w, how):
    for i in range({nc}):
        s.touches[i] = 1 if w.modes1[i] > 0.5 else 0
    for i in range({nf}):
        s.sticks[i] = 1 if w.modes1[{nc} + i] > 0.5 else 0
    s.ticks[0] += 1
    if how < {ways}:
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
        t, E = (s.ticks[0] + 1.0) * T, Elements({nc}, KIND, FIRST, p.K, w.beta)
        x, e, F = s.x.reshape(({n},)), s.e.reshape(({m},)), s.F.reshape(({m},))
        how = tick(t, x, e, F, w.modes1, s.c, w.u, E, T, room_of(w))
        for i in range({inputs}):
            s.u[i] = w.u[i] if math.isfinite(w.u[i]) else s.u[i]
        tell(s, w, how)


def make_block():
    return answer, advance, prepare, restore
"""
# Matrices that never change do so where a parameter in them is fed.
_FED = """for i in {changing}:
    if w.c[i] != s.c[i]:
        w.ready[0] = 0.0
        w.c[i] = s.c[i]"""
_HELD = """for i in range({inputs}):
    if s.held[i] == 1:
        w.u[i] = s.u[i]"""


class Structure(NamedTuple):
    """What is known of an inclusion before it runs."""

    linear: bool  # one linearisation is exact, but for the elements
    constant: bool  # its matrices never change, unless a parameter in `changing` is fed
    changing: frozenset[Symbol]  # the parameters that its matrices hold


def structure_of(system: Equations) -> Structure:
    """Judged from the symbols alone."""
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
    return Structure(linear, constant, frozenset(inside & set(system.parameters)))


def module_of(terms: CompiledTerms, forces: Sequence[Symbol] = (), velocities: Sequence[Symbol] = ()) -> ModuleType:
    """The generated module, whose `make_block` gives the halves; the same for machines that differ in numbers alone.

    A machine with a port has forces there, one a direction, and velocities that they work on.
    """
    key = (*forces, *velocities)
    if key not in terms.made:
        structure = structure_of(terms.inclusion)
        text, functions = _shared(terms, structure, alone=not forces)
        if forces:
            more, imported = port_parts(terms, structure.linear, structure.changing, forces, velocities)
            text, functions = text + more, (*functions, *imported)
        terms.made[key] = build(text, functions)
    return terms.made[key]


_Imports = tuple[tuple[str, Callable[..., Any]], ...]


def _shared(terms: CompiledTerms, structure: Structure, *, alone: bool) -> tuple[str, _Imports]:
    """One tick and all around it, and the halves of a machine that is alone."""
    system = terms.inclusion
    n, m, nc, nf = sizes_of(system)
    kind, first = element_solver.blocks_of(nc, [len(friction.slips) for friction in system.frictions])
    words: dict[str, object] = {
        "linear": structure.linear,
        "constant": structure.constant,
        "kind": kind,
        "first": first,
        # With sizes that the compiler knows.
        "room": ", ".join(
            f"w.{name}" if len(shape) > 1 else f"w.{name}.reshape(({shape[0]},))"
            for name, shape in element_solver.room_shapes(n, m, nc, nf).items()
        ),
        "m": m,
        "n": n,
        "nc": nc,
        "nf": nf,
        "inputs": len(system.callables),
        "ways": len(HOW),
        "changing": tuple(i for i, symbol in enumerate(system.parameters) if symbol in structure.changing),
    }
    fed = put(_FED, words) if structure.constant and structure.changing else ""
    words["refresh"] = fed if alone else "w.fresh[0] = 0\ncopy(w.c, p.c)"
    words["held"] = put(_HELD, words) if alone and system.callables else ""
    text = terms.source() + terms.magnitudes() + put(_TICK + (_ALONE if alone else ""), words)
    names = (("Room", k.Room), ("Elements", k.Elements), ("copy", k.copy))
    made = (("make", k.tick_kernel), ("solve", complementarity.solver().solve))
    return text, (*terms.input_functions(), *made, *names)
