"""What a stepper is built of: the text of its compiled loop, what is constant in it, and the memory it works in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from sympy import Symbol

from tegotae.checks import Array
from tegotae.inclusion import element_solver
from tegotae.inclusion.kernels import stepper as k
from tegotae.inclusion.parameters import Contact, Friction
from tegotae.inclusion.pieces import Pieces
from tegotae.inclusion.system import TIME, Inclusion

_TICK = """
tick = make(solve, smooth, directions, mass, gaps, slips, limits, magnitudes, smooth_slope, gap_slope, slip_slope,
            limit_slope, {linear}, {constant})
"""

_LOOP = """

@entry
def start(x, p, u, g, v):
    inputs(0.0, u)
    gaps(0.0, x, p, u, g, v)


@entry
def loop(x, s, F, modes, p, u, fed, into, refresh, before, E, T, w, every, record):
    n, m = x.shape[0], F.shape[0]
    first, row, wait = -1, 0, every
    w.ready[0] = 0.0
    for k in range(fed.shape[0]):
        t = (before + k + 1) * T
        inputs(t, u)
        for j in range(into.shape[0]):
            if into[j] >= 0:
                p[into[j]] = fed[k, j]
            else:
                u[-1 - into[j]] = fed[k, j]
        if refresh:
            w.ready[0] = 0.0
        solved = tick(t, x, s, F, modes, p, u, E, T, w)
        if not solved and first < 0:
            first = before + k
        size = 0.0
        for i in range(n):
            size += abs(x[i])
        if not np.isfinite(size):
            return before + k
        wait -= 1
        if wait == 0:
            wait = every
            for i in range(n):
                record[row, i] = x[i]
            for i in range(m):
                record[row, n + i] = F[i]
                record[row, n + m + i] = s[i]
            for i in range(modes.shape[0]):
                record[row, n + 2 * m + i] = modes[i]
            row += 1
    return first
"""


@dataclass(frozen=True)
class Structure:
    """What is known of an inclusion before it runs.

    Args:
        linear: one linearisation is exact, but for the elements.
        constant: its matrices never change, unless a parameter in `changing` is fed.
        changing: the parameters that its matrices hold.
    """

    linear: bool
    constant: bool
    changing: frozenset[Symbol]


def structure_of(system: Inclusion) -> Structure:
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


def module_parts(pieces: Pieces, structure: Structure) -> tuple[str, tuple[tuple[str, Callable[..., Any]], ...]]:
    """The text of a stepper's module, and the functions it imports."""
    text, functions = tick_parts(pieces, structure)
    return text + _LOOP, functions


def tick_parts(pieces: Pieces, structure: Structure) -> tuple[str, tuple[tuple[str, Callable[..., Any]], ...]]:
    """The text that makes `tick`, and the functions it imports."""
    text = pieces.source() + pieces.magnitudes() + _TICK.format(linear=structure.linear, constant=structure.constant)
    return text, (*pieces.input_functions(), ("make", k.tick_kernel), ("solve", element_solver.solver().solve))


def elements_of(system: Inclusion, parameters: Mapping[str, Contact | Friction]) -> Any:
    """The elements as the kernels read them."""
    nc = len(system.contacts)
    counts = [1] * nc + [len(f.slips) for f in system.frictions]
    spread = [parameters[e.name] for e, count in zip(system.elements, counts, strict=True) for _ in range(count)]
    first = nc + np.concatenate([[0], np.cumsum(counts[nc:], dtype=np.int64)]).astype(np.int64)
    return element_solver.elements(first, [e.stiffness for e in spread], [e.beta for e in spread])


@dataclass(frozen=True)
class Memory:
    """All that a run writes: states x, element states s, forces F, modes, parameters p, inputs u, and room to work."""

    x: Array
    s: Array
    F: Array
    modes: Array
    p: Array
    u: Array
    room: Any

    @classmethod
    def of(cls, pieces: Pieces) -> Memory:
        """At rest, nothing pressed."""
        system = pieces.inclusion
        n, m = len(system.states), len(system.forces)
        inputs = np.zeros(len(system.callables))
        return cls(
            np.zeros(n),
            np.zeros(m),
            np.zeros(m),
            np.zeros(len(system.elements)),
            pieces.values.copy(),
            inputs,
            element_solver.room(*sizes_of(system)),
        )

    @property
    def arrays(self) -> tuple[Array, ...]:
        """As the loop takes them."""
        return self.x, self.s, self.F, self.modes, self.p, self.u


def sizes_of(system: Inclusion) -> tuple[int, int, int, int]:
    """How many states, forces, contacts and frictions."""
    return len(system.states), len(system.forces), len(system.contacts), len(system.frictions)
