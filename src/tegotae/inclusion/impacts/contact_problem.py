"""Everything an instant (t, x) says about forces: w = D F + b, and how far friction may go.

With M x' = f + G F, the rates of the gap rates and slips are w = V x' + dV/dt = D F + b, where V holds the slopes of
gap rates and slips by the states, D = V M^-1 G and b = V M^-1 f + the explicit change with time. The limits are
r + R F(contacts); those at rest are s + S F(contacts). One compiled function fills all of it.
"""

from __future__ import annotations

import threading

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy import Expr, Symbol

from tegotae import checks
from tegotae.checks import Array
from tegotae.compile import build
from tegotae.inclusion.language.arguments import TIME, check_values
from tegotae.inclusion.language.compiled_terms import body_of, entries, function, slopes_of
from tegotae.inclusion.language.equations import Equations

Flags = NDArray[np.bool_]


class ContactProblem:
    """The numbers of one instant; rows are contacts, then friction components."""

    __slots__ = ("D", "R", "S", "V", "W", "a", "b", "gap_slope", "gaps", "owner", "parts", "r", "s", "t", "v", "x")

    a: Array
    W: Array

    def __init__(self, t: float, x: Array, size: tuple[int, int], parts: list[slice], owner: NDArray[np.int64]):
        n, c = size
        k, m = len(parts), c + len(owner)
        self.t, self.x = t, x
        self.parts = parts  # where each friction's components lie among the rows
        self.owner = owner  # one row a component: which friction it belongs to (its limit is that friction's)
        self.a, self.gaps, self.v, self.b = np.zeros(n), np.zeros(c), np.zeros(m), np.zeros(m)
        self.W, self.V, self.gap_slope = np.zeros((n, m)), np.zeros((m, n)), np.zeros((c, n))
        self.r, self.R, self.s, self.S = np.zeros(k), np.zeros((k, c)), np.zeros(k), np.zeros((k, c))
        self.D = np.zeros((m, m))

    def copied(self, t: float, x: Array) -> ContactProblem:
        """The same numbers, for this time and state."""
        now = ContactProblem.__new__(ContactProblem)
        now.t, now.x, now.parts, now.owner = t, x, self.parts, self.owner
        for name in _FILLED:
            setattr(now, name, getattr(self, name).copy())
        return now

    def limit(self, j: int, F: Array) -> float:
        """Of friction j while it slides [N], under contact forces (the first of F)."""
        return float(self.r[j] + self.R[j] @ F[: self.R.shape[1]])

    def static_limit(self, j: int, F: Array) -> float:
        """Of friction j at rest [N]."""
        return float(self.s[j] + self.S[j] @ F[: self.R.shape[1]])

    def loose(self, j: int, closed: tuple[bool, ...]) -> bool:
        """Whether friction j has no limit at all: all its contacts are open."""
        return bool(self.r[j] == 0.0 and not np.any(self.R[j] * np.array(closed, dtype=np.float64)))

    def still(self, active: Flags) -> Array:
        """The state with the gap rates and slips of `active` rows at 0, by the impulses that do it."""
        if not active.any():
            return self.x
        D, v = self.D[np.ix_(active, active)], self.v[active]
        if not np.any(v):
            return self.x
        state: Array = self.x - self.W[:, active] @ np.linalg.lstsq(D, v, rcond=1e-12)[0]
        return state

    def on_surface(self, closed: Flags) -> Array:
        """The state with the closed gaps at 0, by the shortest move of the positions they hold."""
        if not closed.any() or not np.any(self.gaps[closed]):
            return self.x
        A = self.gap_slope[closed]
        state: Array = self.x - np.linalg.lstsq(A, self.gaps[closed], rcond=1e-12)[0]
        return state


_ARGUMENTS = ("a", "W", "M", "gaps", "v", "V", "b", "gap_slope", "r", "R", "s", "S")  # of the compiled function
_FILLED = (*(name for name in _ARGUMENTS if name != "M"), "D")


class ContactProblems:
    """The contact problem of an inclusion at any time and state; `owner` is who asks, for messages."""

    def __init__(self, inclusion: Equations, owner: str = "to_events"):
        self.inclusion, self.asks = inclusion, owner
        self.n, self.c, self.k = len(inclusion.states), len(inclusion.contacts), len(inclusion.frictions)
        self.m = len(inclusion.forces)
        self.values: Array = np.array(list(inclusion.parameters.values()), dtype=np.float64)
        self.u: Array = np.zeros(len(inclusion.callables))
        self.parts = list(inclusion.spans[self.c :])
        self.owner = np.repeat(np.arange(self.k), [len(f.slips) for f in inclusion.frictions]).astype(np.int64)
        self._solved = inclusion.mass_matrix is None
        self._turn = threading.Lock()
        # A model that cannot be compiled is refused here, not in the middle of a run.
        self._fill = build(self._source(), inclusion.terms.input_functions()).fill
        # A problem, its state and its mass matrix, to be filled; and all that is, as `fill` takes it.
        self._here, self._M = np.zeros(self.n), np.zeros((self.n, self.n))
        self._workspace = ContactProblem(0.0, self._here, (self.n, self.c), self.parts, self.owner)
        self._filled = [self._M if name == "M" else getattr(self._workspace, name) for name in _ARGUMENTS]

    def at(self, t: float, x: Array) -> ContactProblem:
        """All numbers at the time t [s] in the state x."""
        with self._turn:  # one thread at a time: the arrays are shared
            # Always the same arrays, then copied: handing over new ones takes longer than all that is computed in them.
            self._here[:] = x
            self._fill(t, self._here, self.values, self.u, *self._filled)
            now = self._workspace.copied(t, x)
            if self.u.size:
                check_values(f"{self.asks}.solve", self.inclusion.callables, self.u, t)
            if not self._solved:
                both: Array = np.asarray(np.linalg.solve(self._M, np.column_stack((now.a, now.W))), dtype=np.float64)
                now.a, now.W = np.array(both[:, 0]), np.array(both[:, 1:])
        now.b += now.V @ now.a
        now.D = now.V @ now.W
        return now

    def _source(self) -> str:
        system = self.inclusion
        states, gaps = list(system.states), [c.gap for c in system.contacts]
        speeds = [*(system.rate(gap) for gap in gaps), *(slip for f in system.frictions for slip in f.slips)]
        if fed := [symbol for value in (*gaps, *speeds) for symbol in value.free_symbols & set(system.callables)]:
            name = min(symbol.name for symbol in fed)
            checks.refuse(
                self.asks,
                f"a gap or slip holds the input {name!r}, a function whose rate of change is not known.",
                f"Give {name!r} as an expression of the time t, or make it a state with its own row.",
            )
        forces, limits = [c.force for c in system.contacts], [f.limit for f in system.frictions]
        static = [f.limit if f.static is None else f.static for f in system.frictions]
        pairs = [
            *entries("a", list(system.smooth)),
            *entries("W", system.directions),
            *(() if self._solved else entries("M", system.mass_matrix)),
            *entries("gaps", gaps),
            *entries("v", speeds),
            *entries("V", slopes_of(speeds, states)),
            *entries("b", list(slopes_of(speeds, [TIME]))),
            *entries("gap_slope", slopes_of(gaps, states)),
            *_affine(self.asks, "r", "R", limits, forces),
            *_affine(self.asks, "s", "S", static, forces),
        ]
        pairs = [(target, value) for target, value in pairs if value != 0]  # the arrays come as zeros
        lines = [f"u[{i}] = input_{i}(t)" for i in range(len(system.callables))]
        lines += body_of(pairs, system.terms.names)
        return "import math\n" + function("@entry", "fill", f"t, x, p, u, {', '.join(_ARGUMENTS)}", lines)


def _affine(owner: str, constant: str, slope: str, limits: list[Expr], forces: list[Symbol]) -> list[tuple[str, Expr]]:
    """limit = constant + slope . contact forces; rigid laws are solved as linear systems, so it must be so."""
    slopes = slopes_of(limits, forces)
    for limit, row in zip(limits, range(slopes.shape[0]), strict=True):
        if slopes[row, :].free_symbols & set(forces):
            checks.refuse(owner, f"the limit {limit} is not linear in contact forces.", "Use mu*dio(gap).")
    rest = [limit.xreplace(dict.fromkeys(forces, sympy.S.Zero)) for limit in limits]
    return [*entries(constant, rest), *entries(slope, slopes)]
