"""The Jacobian of an explicit ODE, which stiff methods ask for, in two steps:

    values(t, y, p, A, B, f, v)      generated: the distinct slopes that SymPy finds, then w, r, K of the frictions
    chain(J, v, s)                   one kernel for all models: the chain rule, by tables that say where values belong

What is generated is a list of numbers, so a new model compiles quickly. At a switch the slope is that of the open
contact and of sticking.
"""

from __future__ import annotations

from functools import cached_property
from types import ModuleType

import numpy as np
import sympy
from sympy import Expr

from tegotae.compile import build
from tegotae.inclusion.explicit.kernels import slopes
from tegotae.inclusion.explicit.source import KERNELS, OdeSource, function

Table = list[tuple[int, int, int]]

_CHAIN = """
@entry
def chain(J, v, s):
    chain_rule(J, v, s)
"""


class OdeSlopes:
    """Writes and compiles the Jacobian of one explicit ODE."""

    def __init__(self, source: OdeSource):
        self.source = source
        self.values: dict[Expr, int] = {}
        self.to: dict[str, Table] = {word: [] for word in "DWRMJ"}
        self.taken: dict[str, Table] = {word: [] for word in "RJ"}
        self._element_slopes()
        self._row_slopes()

    # ------------------------------------------------------------ what SymPy finds

    def _element_slopes(self) -> None:
        source, known = self.source, self.source.known
        for i, part in enumerate(source.contacts):
            self._entries("D", i, source.felt[i] * known(part.switch))
        for j, w in enumerate(w for f in source.frictions for w in f.stretch):
            self._entries("W", j, known(w))
        for k, f in enumerate(source.frictions):
            limit = known(f.element.limit)
            self._entries("R", k, limit)
            for i in range(len(source.contacts)):
                self._put(self.taken["R"], k, i, sympy.diff(limit, source.forces[i]))

    def _row_slopes(self) -> None:
        """Solved rows as they are; open rows from the residual h - M f, whose slopes M then carries over."""
        source = self.source
        values = list(source.rows)
        if source.mass is not None:
            for i in source.open:
                for j in range(source.n):
                    self._put(self.to["M"], i, j, source.mass[i, j])
                values[i] = source.rows[i] - sum(source.mass[i, j] * source.rates[j] for j in range(source.n))
        for i, value in enumerate(values):
            self._entries("J", i, value)
            for k, force in enumerate(source.forces):
                self._put(self.taken["J"], i, k, sympy.diff(value, force))
        pairs = [(part.K, part.beta) for part in source.contacts]
        pairs += [(part.K, part.beta) for part in source.frictions for _ in part.a]
        for i, (K, beta) in enumerate(pairs):
            row = source.n + i
            self._put(self.to["J"], row, row, -1 / source.real[beta])
            self._put(self.taken["J"], row, i, 1 / (source.real[K] * source.real[beta]))

    def _entries(self, word: str, i: int, value: Expr) -> None:
        """One row of slopes by the states that it holds."""
        held = value.free_symbols
        for j, state in enumerate(self.source.states):
            if state in held:
                self._put(self.to[word], i, j, sympy.diff(value, state))

    def _put(self, table: Table, i: int, j: int, slope: Expr) -> None:
        if slope != 0:
            table.append((i, j, self.values.setdefault(slope, len(self.values))))

    # ------------------------------------------------------------ what is generated

    @cached_property
    def values_module(self) -> ModuleType:
        """The compiled slopes of this model."""
        kernels = tuple(pair for pair in KERNELS if pair[0] in ("sat", "shrink", "eliminate"))
        return build(self.text(), (*kernels, *self.source.system.terms.input_functions()))

    @cached_property
    def chain_module(self) -> ModuleType:
        """The chain rule, the same module for all models."""
        return build(_CHAIN, (("chain_rule", slopes.chain),))

    def text(self) -> str:
        """The source of `values`."""
        source = self.source
        lines = source.force_lines()
        lines += [f"k_{i} = {source.place(part.K)} if S_{i} > 0.0 else 0.0" for i, part in enumerate(source.contacts)]
        if source.mass is not None:
            lines.append("rows(t, y, p, A, B, f)")
        lines += source.body([(f"v[{q}]", value) for value, q in self.values.items()], "v")
        names = [f"w_{j}" for j in range(sum(len(f.a) for f in source.frictions))]
        names += [f"r_{k}" for k in range(len(source.frictions))]
        names += [source.place(f.K) for f in source.frictions]
        lines += [f"v[{len(self.values) + i}] = {word}" for i, word in enumerate(names)]
        rows = source.rows_function() if source.mass is not None else ""
        return "\n".join(["import math", "", rows, function("@entry", "values", "t, y, p, A, B, f, v", lines)])

    def room(self) -> slopes.Slopes:
        """Where values belong, and memory for one caller."""
        source = self.source
        m, c, f = len(source.forces), len(source.contacts), len(source.frictions)
        starts = [start for start, _ in source.components()]
        return slopes.Slopes(
            D=np.zeros((m, source.size)),
            W=np.zeros((m - c, source.size)),
            R=np.zeros((f, source.size)),
            M=np.zeros((source.n if source.open else 0, source.n)),
            A=np.zeros((len(source.open),) * 2),
            B=np.zeros((len(source.open), source.size)),
            of_forces=_table(self.to["D"]),
            of_stretches=_table(self.to["W"]),
            of_limits=_table(self.to["R"]),
            of_mass=_table(self.to["M"]),
            of_rows=_table(self.to["J"]),
            into_limits=_table(self.taken["R"]),
            into_rows=_table(self.taken["J"]),
            starts=np.array([*starts, m - c], dtype=np.int64),
            open=np.array(source.open, dtype=np.int64),
            solved=np.array(source.solved, dtype=np.int64),
        )

    @property
    def count(self) -> int:
        """How many numbers `values` writes."""
        return len(self.values) + sum(len(f.a) + 2 for f in self.source.frictions)


def _table(rows: Table) -> np.ndarray:
    return np.array(rows, dtype=np.int64).reshape(-1, 3)
