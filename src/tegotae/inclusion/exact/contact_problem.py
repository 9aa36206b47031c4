"""Everything an instant (t, x) says about forces: w = D F + b, and how far friction may go.

With M x' = f + G F, the rates of the gap rates and slips are w = V x' + dV/dt = D F + b, where V holds the slopes of
gap rates and slips by the states, D = V M^-1 G and b = V M^-1 f + the explicit change with time. The limits are
r + R F(contacts); those at rest are s + S F(contacts). One compiled function fills all of it.
"""

from __future__ import annotations

import threading
from functools import cached_property
from typing import Any

import numpy as np
import sympy
from sympy import Expr, Symbol

from tegotae import checks
from tegotae.checks import Array
from tegotae.compile import as_kernel, build
from tegotae.inclusion.language.code_printing import body_of, indented
from tegotae.inclusion.language.equations import Equations
from tegotae.inclusion.language.inputs import TIME, check_values


class ContactProblem:
    """The numbers of one instant; rows are contacts, then friction components."""

    __slots__ = ("D", "R", "S", "V", "W", "a", "b", "gap_slope", "gaps", "r", "s", "t", "v", "x")

    a: Array
    W: Array

    def __init__(self, t: float, x: Array, size: tuple[int, int, int, int]):
        n, c, k, m = size
        self.t, self.x = t, x
        self.a, self.gaps, self.v, self.b = np.zeros(n), np.zeros(c), np.zeros(m), np.zeros(m)
        self.W, self.V, self.gap_slope = np.zeros((n, m)), np.zeros((m, n)), np.zeros((c, n))
        self.r, self.R, self.s, self.S = np.zeros(k), np.zeros((k, c)), np.zeros(k), np.zeros((k, c))
        self.D = np.zeros((m, m))

    def copied(self, t: float, x: Array) -> ContactProblem:
        """The same numbers, for this time and state."""
        now = ContactProblem.__new__(ContactProblem)
        now.t, now.x = t, x
        for name in _FILLED:
            setattr(now, name, getattr(self, name).copy())
        return now


_FILLED = ("a", "gaps", "v", "b", "W", "V", "gap_slope", "r", "R", "s", "S", "D")


class ContactProblems:
    """The contact problem of an inclusion at any time and state."""

    def __init__(self, inclusion: Equations):
        self.inclusion = inclusion
        self.n, self.c, self.k = len(inclusion.states), len(inclusion.contacts), len(inclusion.frictions)
        self.m = len(inclusion.forces)
        self.values: Array = np.array(list(inclusion.parameters.values()), dtype=np.float64)
        self.u: Array = np.zeros(len(inclusion.callables))
        self.parts: list[slice] = []  # where each friction's components lie among the rows
        start = self.c
        for friction in inclusion.frictions:
            self.parts.append(slice(start, start + len(friction.slips)))
            start += len(friction.slips)
        # One row a force component: which friction it belongs to (its limit is that friction's).
        self.owner = np.repeat(np.arange(self.k), [len(f.slips) for f in inclusion.frictions]).astype(np.int64)
        self._solved = inclusion.mass_matrix is None
        self._turn = threading.Lock()
        self._fill  # a model that cannot be compiled is refused here, not in the middle of a run  # noqa: B018

    def at(self, t: float, x: Array) -> ContactProblem:
        """All numbers at the time t [s] in the state x."""
        with self._turn:  # one thread at a time: the arrays are shared
            return self._at(t, x)

    def _at(self, t: float, x: Array) -> ContactProblem:
        # Always the same arrays, then copied: handing over new ones takes longer than all that is computed in them.
        workspace, M, here = self._workspace
        here[:] = x
        self._fill(
            t,
            here,
            self.values,
            self.u,
            workspace.a,
            workspace.W,
            M,
            workspace.gaps,
            workspace.v,
            workspace.V,
            workspace.b,
            workspace.gap_slope,
            workspace.r,
            workspace.R,
            workspace.s,
            workspace.S,
        )
        now = workspace.copied(t, x)
        if self.u.size:
            check_values("to_events.solve", self.inclusion.callables, self.u, t)
        if not self._solved:
            both: Array = np.asarray(np.linalg.solve(M, np.column_stack((now.a, now.W))), dtype=np.float64)
            now.a, now.W = np.array(both[:, 0]), np.array(both[:, 1:])
        now.b += now.V @ now.a
        now.D = now.V @ now.W
        return now

    @cached_property
    def _workspace(self) -> tuple[ContactProblem, Array, Array]:
        """A problem, its mass matrix and its state, to be filled."""
        here = np.zeros(self.n)
        return ContactProblem(0.0, here, (self.n, self.c, self.k, self.m)), np.zeros((self.n, self.n)), here

    @cached_property
    def _fill(self) -> Any:
        functions = tuple((f"input_{i}", as_kernel(value)) for i, value in enumerate(self.inclusion.callables.values()))
        return build(self._source(), functions).fill

    def _source(self) -> str:
        system = self.inclusion
        real = {state: sympy.Dummy(f"x{i}", real=True) for i, state in enumerate(system.states)}
        states = list(real.values())
        names: dict[Symbol, str] = {TIME: "t"} | {symbol: f"x[{i}]" for i, symbol in enumerate(states)}
        names |= {symbol: f"p[{i}]" for i, symbol in enumerate(system.parameters)}
        names |= {symbol: f"u[{i}]" for i, symbol in enumerate(system.callables)}
        gaps = [c.gap.xreplace(real) for c in system.contacts]
        rates = [system.rate(c.gap).xreplace(real) for c in system.contacts]
        slips = [slip.xreplace(real) for f in system.frictions for slip in f.slips]
        self._check_times([*gaps, *rates, *slips])
        forces = [c.force for c in system.contacts]
        limits = [f.limit.xreplace(real) for f in system.frictions]
        static = [(f.limit if f.static is None else f.static).xreplace(real) for f in system.frictions]
        mass = () if self._solved else _pairs("M", sympy.Matrix(system.mass_matrix).xreplace(real))
        pairs = [
            *((f"f[{i}]", value.xreplace(real)) for i, value in enumerate(system.smooth)),
            *_pairs("G", sympy.Matrix(system.directions).xreplace(real)),
            *mass,
            *((f"g[{i}]", value) for i, value in enumerate(gaps)),
            *((f"v[{i}]", value) for i, value in enumerate([*rates, *slips])),
            *_pairs("V", _slopes([*rates, *slips], states)),
            *((f"b[{i}]", sympy.diff(value, TIME)) for i, value in enumerate([*rates, *slips])),
            *_pairs("A", _slopes(gaps, states)),
            *_affine("r", "R", limits, forces),
            *_affine("s", "S", static, forces),
        ]
        pairs = [(target, value) for target, value in pairs if value != 0]  # the arrays come as zeros
        lines = [f"u[{i}] = input_{i}(t)" for i in range(len(system.callables))]
        body = "\n".join([*lines, body_of(pairs, names)]) or "pass"
        head = "@entry\ndef fill(t, x, p, u, f, G, M, g, v, V, b, A, r, R, s, S):"
        return f"import math\n\n{head}\n{indented(body)}\n"

    def _check_times(self, values: list[Expr]) -> None:
        for value in values:
            strangers = value.free_symbols & set(self.inclusion.callables)
            if strangers:
                name = min(s.name for s in strangers)
                checks.refuse(
                    "to_events",
                    f"a gap or slip holds the input {name!r}, a function whose rate of change is not known.",
                    f"Give {name!r} as an expression of the time t, or make it a state with its own row.",
                )


def _slopes(values: list[Expr], by: list[Symbol]) -> sympy.Matrix:
    return sympy.Matrix(len(values), len(by), lambda i, j: sympy.diff(values[i], by[j]))


def _pairs(word: str, matrix: sympy.Matrix) -> list[tuple[str, Expr]]:
    rows, columns = matrix.shape
    return [(f"{word}[{i}, {j}]", matrix[i, j]) for i in range(rows) for j in range(columns)]


def _affine(constant: str, slope: str, limits: list[Expr], forces: list[Symbol]) -> list[tuple[str, Expr]]:
    """limit = constant + slope . contact forces; the exact route solves linear systems, so it must be so."""
    slopes = _slopes(limits, forces)
    for limit, row in zip(limits, range(slopes.shape[0]), strict=True):
        if slopes[row, :].free_symbols & set(forces):
            checks.refuse("to_events", f"the limit {limit} is not linear in contact forces.", "Use mu*dio(gap).")
    rest = [limit.xreplace(dict.fromkeys(forces, sympy.S.Zero)) for limit in limits]
    return [*((f"{constant}[{i}]", value) for i, value in enumerate(rest)), *_pairs(slope, slopes)]
