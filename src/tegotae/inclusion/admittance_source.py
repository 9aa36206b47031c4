"""The text of a stepper's two halves as a block: `answer` on copies, `advance` that keeps them.

All numbers of a tick lie in the block's state: what is kept first, then scratch, so that a tick allocates nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import sympy
from sympy import Symbol

from tegotae.compile import build
from tegotae.inclusion import element_solver
from tegotae.inclusion.inputs import TIME
from tegotae.inclusion.kernels import stepper as k
from tegotae.inclusion.kernels.complementarity import Problem, Scratch, copy
from tegotae.inclusion.pieces import Pieces
from tegotae.inclusion.printing import body_of, indented
from tegotae.inclusion.stepper_source import Structure, sizes_of, tick_parts

Places = dict[str, tuple[int, tuple[int, ...]]]  # name -> where it starts in the state, its shape

_HALVES = """
FIRST = np.array({first}, dtype=np.int64)
FIRST.flags.writeable = False
MOVES = {moves}


@kernel
def elements_of(p):
    return Elements(FIRST, p[{np} : {np} + {m}], p[{np} + {m} : {np} + 2 * {m}])


@kernel
def room_of(s):
    return Room({room})


@kernel
def trial(p, s, T):
    t = ({ticks}[0] + 1.0) * T
    own, u, h = {own}, {u}, {h}
    copy(own, p)
    inputs(t, u)
    {put}
    copy({x1}, {x})
    copy({e1}, {e})
    copy({F1}, {F})
    w = room_of(s)
    {refresh}
    return tick(t, {x1}, {e1}, {F1}, {modes1}, own, u, elements_of(p), T, w)


@kernel
def differentiate(p, s, T):
    t = ({ticks}[0] + 1.0) * T
    w, E, own, u, x1, F1, dx, slope = room_of(s), elements_of(p), {own}, {u}, {x1}, {F1}, {dx}, {slope}
    problem = Problem(E.first, w.Q, w.b, w.r, w.L, w.q)
    scratch = Scratch(w.s_h, w.s_N, w.s_J, w.s_trial, w.s_least, w.s_old, w.s_modes, w.s_q0)
    {bent}
    push(t, x1, own, u, {push})
    usable = linearise(problem, F1, E, T, scratch, w, {is_bent})
    for j in range({nh}):
        if usable:
            mobility(problem, F1, T, scratch, w, {push}, j, dx)
        for i in range({nh}):
            slope[i, j] = dx[MOVES[i]] if usable else 0.0


@kernel
def answered(p, s, T):
    {solved}[0] = 1.0 if trial(p, s, T) else 0.0
    {fresh}[0] = 1.0


@kernel
def keep(p, s, T):
    x1 = {x1}
    {fresh}[0] = 0.0
    copy({x}, x1)
    copy({e}, {e1})
    copy({F}, {F1})
    copy({modes}, {modes1})
    for i in range({nh}):
        {velocity}[i] = x1[MOVES[i]]
    {ticks}[0] += 1.0
    if {solved}[0] == 0.0:
        {unsolved}[0] += 1.0
"""

# The halves themselves, along a line and in space.
_LINE = """
@kernel
def answer(p, s, h, T):
    {h}[0] = h
    answered(p, s, T)
    differentiate(p, s, T)
    return {x1}[MOVES[0]], {slope}[0, 0]


@kernel
def advance(p, s, h, v, T):
    if {fresh}[0] == 0.0 or {h}[0] != h:  # else this very tick was the last that was tried
        {h}[0] = h
        answered(p, s, T)
    keep(p, s, T)


def make_block():
    return answer, advance
"""

_SPACE = """
@kernel
def answer(p, s, h, T, motion, rise):
    copy({h}, h)
    answered(p, s, T)
    differentiate(p, s, T)
    x1, slope = {x1}, {slope}
    for i in range({nh}):
        motion[i] = x1[MOVES[i]]
        for j in range({nh}):
            rise[i, j] = slope[i, j]


@kernel
def advance(p, s, h, v, T):
    same = {fresh}[0] > 0.0
    for i in range({nh}):
        same = same and {h}[i] == h[i]
    if not same:  # else this very tick was the last that was tried
        copy({h}, h)
        answered(p, s, T)
    keep(p, s, T)


def make_block():
    return answer, advance
"""

_BENT = """for i in range({n}):
        w.xh[i] = w.d[i] / T
    row_slope(t, x1, own, u, F1, w.xh, w.S)"""


def places_of(pieces: Pieces, dimension: int) -> Places:
    """Where everything lies: what is kept (as the fields say), then scratch."""
    system = pieces.inclusion
    n, m, *_ = sizes_of(system)
    ne, nh = len(system.elements), dimension
    shapes: dict[str, tuple[int, ...]] = {"velocity": (nh,), "x": (n,), "F": (m,), "e": (m,), "modes": (ne,)}
    shapes |= {"ticks": (1,), "unsolved": (1,)}
    shapes |= {"x1": (n,), "F1": (m,), "e1": (m,), "modes1": (ne,), "own": (pieces.values.size,)}
    shapes |= {"u": (len(system.callables),), "h": (nh,), "push": (n, nh), "dx": (n,), "slope": (nh, nh)}
    shapes |= {"fresh": (1,), "solved": (1,)}
    shapes |= {f"w.{name}": shape for name, shape in element_solver.room_shapes(*sizes_of(system)).items()}
    places: Places = {}
    start = 0
    for name, shape in shapes.items():
        places[name] = (start, shape)
        start += math.prod(shape)
    return places


def module_of(
    pieces: Pieces, structure: Structure, first: Any, forces: Sequence[Symbol], velocities: Sequence[Symbol]
) -> ModuleType:
    """The generated module, whose `make_block` gives the block's halves."""
    system = pieces.inclusion
    n, m, *_ = sizes_of(system)
    views = {name: _view(*place) for name, place in places_of(pieces, len(forces)).items()}
    room = ", ".join(view for name, view in views.items() if name.startswith("w."))
    bent = not structure.linear
    words: dict[str, Any] = {name: view for name, view in views.items() if "." not in name}
    words |= {"n": n, "m": m, "np": pieces.values.size, "nh": len(forces), "room": room}
    words |= {"first": [int(i) for i in first], "moves": tuple(system.states.index(v) for v in velocities)}
    words |= {"bent": _BENT.format(n=n) if bent else "", "is_bent": bent}
    words["put"] = "\n    ".join(f"{_target(pieces, force)} = h[{j}]" for j, force in enumerate(forces))
    words["refresh"] = "w.ready[0] = 0.0" if structure.changing & set(forces) else ""
    text, functions = tick_parts(pieces, structure)
    text += _push_source(pieces, forces) + (_row_slope_source(pieces) if bent else "")
    text += (_HALVES + (_LINE if len(forces) == 1 else _SPACE)).format(**words)
    own = (("Room", k.Room), ("Elements", k.Elements), ("Problem", Problem), ("Scratch", Scratch), ("copy", copy))
    slopes = element_solver.slopes()
    return build(text, (*functions, *own, ("mobility", slopes.mobility), ("linearise", slopes.linearise)))


def _view(start: int, shape: tuple[int, ...]) -> str:
    flat = f"s[{start}:{start + math.prod(shape)}]"
    return flat if len(shape) == 1 else f"{flat}.reshape({shape})"


def _target(pieces: Pieces, force: Symbol) -> str:
    """Where a force lies among a tick's numbers."""
    system = pieces.inclusion
    if force in system.parameters:
        return f"own[{list(system.parameters).index(force)}]"
    return f"u[{list(system.callables).index(force)}]"


def _names_of(pieces: Pieces) -> dict[Symbol, str]:
    """Where each symbol lies among the arguments of a generated function."""
    system = pieces.inclusion
    groups = (("x", system.states), ("p", system.parameters), ("u", system.callables), ("force", system.forces))
    names: dict[Symbol, str] = {TIME: "t"}
    for letter, symbols in groups:
        names |= {symbol: f"{letter}[{i}]" for i, symbol in enumerate(symbols)}
    return names


def _push_source(pieces: Pieces, forces: Sequence[Symbol]) -> str:
    rows = list(pieces.inclusion.smooth)
    pairs = [(f"A[{i}, {j}]", sympy.diff(row, force)) for i, row in enumerate(rows) for j, force in enumerate(forces)]
    return f"\n@kernel\ndef push(t, x, p, u, A):\n{indented(body_of(pairs, _names_of(pieces)))}\n"


def _row_slope_source(pieces: Pieces) -> str:
    """d (right - M rate)/dx, with forces and rates held."""
    system, states = pieces.inclusion, list(pieces.states)
    rates = [sympy.Dummy(f"rate_{i}", real=True) for i in range(len(states))]
    rows = list(system.right)
    if system.mass_matrix is not None:
        rows = list(system.right - system.mass_matrix * sympy.Matrix(rates))
    places = _names_of(pieces)
    real = {symbol: sympy.Dummy(symbol.name, real=True) for symbol in places}
    names = {real[symbol]: place for symbol, place in places.items()}
    names |= {rate: f"rate[{i}]" for i, rate in enumerate(rates)}
    pairs = [
        (f"A[{i}, {j}]", sympy.diff(row.xreplace(real), real[state]))
        for i, row in enumerate(rows)
        for j, state in enumerate(states)
    ]
    return f"\n@kernel\ndef row_slope(t, x, p, u, force, rate, A):\n{indented(body_of(pairs, names))}\n"
