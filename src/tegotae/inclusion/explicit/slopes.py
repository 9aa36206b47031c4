"""The Jacobian of an explicit ODE, which stiff methods ask for: `slopes(t, y, p, A, B, f, J)` fills J = df/dy.

The chain rule goes along the stages of the right-hand side: D slopes of forces, W of stretches, R of limits, each by
all states; then rows, and last what a mass matrix carries over. At a switch the slope is that of the open contact and
of sticking.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import sympy
from sympy import Expr

from tegotae.compile import build
from tegotae.inclusion.explicit.kernels import ode
from tegotae.inclusion.explicit.source import KERNELS, OdeSource, function

_RULES = (("add_row", ode.add_row), ("rub_slope", ode.rub_slope), ("through_mass", ode.through_mass))


class OdeSlopes:
    """Writes and compiles the Jacobian of one explicit ODE."""

    def __init__(self, source: OdeSource):
        self.source = source
        self._pairs: list[tuple[str, Expr]] = []  # what SymPy finds: where it goes, and what it is

    def module(self) -> ModuleType:
        """The compiled slopes of this model."""
        kernels = tuple(pair for pair in KERNELS if pair[0] in ("sat", "shrink", "eliminate"))
        return build(self.text(), (*kernels, *_RULES, *self.source.system.terms.input_functions()))

    def text(self) -> str:
        """The source of `slopes`."""
        source = self.source
        m, c, size = len(source.forces), len(source.contacts), source.size
        added = [*self._of_limits(), *self._of_frictions(), *self._of_rows()]  # which also tell what SymPy is to find
        lines = source.force_lines()
        lines += [f"k_{i} = {source.place(part.K)} if S_{i} > 0.0 else 0.0" for i, part in enumerate(source.contacts)]
        if source.mass is not None:
            lines.append("rows(t, y, p, A, B, f)")
        rooms = {"D": m, "W": m - c, "R": len(source.frictions), "M": source.n if source.open else 0}
        lines += [f"{word} = np.zeros(({max(rows, 1)}, {size}))" for word, rows in rooms.items()]
        lines += [f"w = np.zeros({max(m - c, 1)})", *(f"w[{j}] = w_{j}" for j in range(m - c)), "J[:] = 0.0"]
        lines += [*source.body(self._pairs, "v"), *added]
        head = ["import math", ""]
        if source.open:
            head += [f"OPEN, SOLVED = np.array({source.open}), np.array({source.solved}, dtype=np.int64)"]
            head += ["OPEN.flags.writeable = SOLVED.flags.writeable = False"]
            lines.append("through_mass(J, M, A, B, OPEN, SOLVED)")
        rows = source.rows_function() if source.mass is not None else ""
        return "\n".join([*head, rows, function("@entry", "slopes", "t, y, p, A, B, f, J", lines)])

    def _of_limits(self) -> Iterator[str]:
        """Contacts and stretches by the states alone, limits also through contact forces."""
        source, known = self.source, self.source.known
        for i, part in enumerate(source.contacts):
            self._find("D", i, source.felt[i] * known(part.switch))
        for j, w in enumerate(w for f in source.frictions for w in f.stretch):
            self._find("W", j, known(w))
        for k, f in enumerate(source.frictions):
            self._find("R", k, known(f.element.limit))
            yield from self._through("R", k, known(f.element.limit), len(source.contacts))

    def _of_frictions(self) -> Iterator[str]:
        """Their forces by stretches and limits."""
        source, contacts = self.source, len(self.source.contacts)
        for k, (f, start, count) in enumerate(source.components()):
            yield f"rub_slope(D, W, R, w, {contacts + start}, {start}, {k}, {count}, {source.place(f.K)}, r_{k})"

    def _of_rows(self) -> Iterator[str]:
        """Solved rows as they are; open rows from the residual h - M f, whose slopes M then carries over."""
        source = self.source
        values = list(source.rows)
        if source.mass is not None:
            for i in source.open:
                self._pairs += [(f"M[{i}, {j}]", source.mass[i, j]) for j in range(source.n)]
                values[i] = source.rows[i] - sum(source.mass[i, j] * source.rates[j] for j in range(source.n))
        for i, value in enumerate(values):
            self._find("J", i, value)
            yield from self._through("J", i, value, len(source.forces))
        pairs = [(part.K, part.beta) for part in source.contacts]
        pairs += [(part.K, part.beta) for part in source.frictions for _ in part.a]
        for i, (K, beta) in enumerate((source.place(K), source.place(beta)) for K, beta in pairs):
            yield f"J[{source.n + i}, {source.n + i}] = -1.0 / {beta}"
            yield f"add_row(J, {source.n + i}, 1.0 / ({K} * {beta}), D, {i})"

    def _find(self, word: str, i: int, value: Expr) -> None:
        """One row of slopes by the states that it holds."""
        states, held = self.source.states, value.free_symbols
        self._pairs += [(f"{word}[{i}, {j}]", sympy.diff(value, s)) for j, s in enumerate(states) if s in held]

    def _through(self, word: str, i: int, value: Expr, count: int) -> Iterator[str]:
        """What the first forces add to a row of slopes."""
        for k, force in enumerate(self.source.forces[:count]):
            if force in value.free_symbols:
                self._pairs.append((f"{word}_{i}_{k}", sympy.diff(value, force)))
                yield f"add_row({word}, {i}, {word}_{i}_{k}, D, {k})"
