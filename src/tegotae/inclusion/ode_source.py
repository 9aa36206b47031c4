"""The source of an explicit ODE: staged, so that nothing is expanded and nothing is computed twice.

    gaps -> contact forces -> slips, limits -> friction forces -> rows (mass matrix solved in place) -> added states

The generated module holds, for N states (added ones included) and m forces:

    rhs(t, y, p, A, B, f)              f = y', (N)
    jacobian(t, y, p, A, B, f, J)      f and df/dy, (N, N); at a switch the slope of the open contact, of sticking
    slopes(times, ys, p, A, B, fs)     f along a record
    observe(times, ys, p, forces, modes)   forces (k, m) and modes (k, elements): 1 for closed or sticking
    rk4, heun(start, T, steps, left, y, p, A, B, W, times, out)   fixed steps, interpolated at `times`

A and B are room for solving the mass matrix; p holds the parameters, K, beta and alpha included, so that other
numbers use the same compiled code.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import ModuleType

import sympy
from sympy import Expr, Symbol

from tegotae.compiling import build
from tegotae.inclusion.kernels import ode as laws
from tegotae.inclusion.kernels.steps import copy, cubic
from tegotae.inclusion.marching import HEUN, RK4
from tegotae.inclusion.printing import body_of
from tegotae.inclusion.rewrite import Rewritten
from tegotae.inclusion.system import TIME
from tegotae.kernels.linear import eliminate

_KERNELS = (
    ("sat", laws.sat),
    ("shrink", laws.shrink),
    ("sticks", laws.sticks),
    ("rub_slope", laws.rub_slope),
    ("add_row", laws.add_row),
    ("eliminate", eliminate),
    ("copy", copy),
    ("cubic", cubic),
)


class OdeSource:
    """Writes and compiles the module of one rewritten inclusion."""

    def __init__(self, rewritten: Rewritten, parameters: Sequence[Symbol]):
        self.rewritten = rewritten
        self.system = rewritten.inclusion
        self.n, self.size = len(self.system.states), len(rewritten.states)
        self.contacts, self.frictions = rewritten.contacts, rewritten.frictions
        # Real stand-ins: the slope of |v| is sign(v) only where SymPy knows that v is real.
        places = {TIME: "t"}
        places |= {symbol: f"y[{i}]" for i, symbol in enumerate(rewritten.states)}
        places |= {symbol: f"p[{i}]" for i, symbol in enumerate(parameters)}
        places |= {symbol: f"u_{i}" for i, symbol in enumerate(self.system.callables)}
        places |= {symbol: f"F_{i}" for i, symbol in enumerate(self.system.forces)}
        self.real = {symbol: sympy.Dummy(symbol.name, real=True) for symbol in places}
        self.rates = [sympy.Dummy(f"rate_{i}", real=True) for i in range(self.n)]
        self._names = {self.real[symbol]: place for symbol, place in places.items()}
        self._names |= {rate: f"f[{i}]" for i, rate in enumerate(self.rates)}
        # The stiffness felt: K while closed, else 0.
        self.felt = [sympy.Dummy(f"k_{i}", real=True) for i in range(len(self.contacts))]
        self._names |= {k: f"k_{i}" for i, k in enumerate(self.felt)}
        # Rows that stand solved need no elimination, and the others see them as known.
        M = self.system.mass_matrix
        unit = sympy.eye(self.n)
        self.open = [] if M is None else [i for i in range(self.n) if M.row(i) != unit.row(i)]
        self.solved = [i for i in range(self.n) if i not in self.open]
        self.mass = None if M is None else M.applyfunc(self.known)
        self.rows = [self.known(row) for row in self.system.right]
        self.states = [self.real[s] for s in rewritten.states]
        self.forces = [self.real[s] for s in self.system.forces]

    def module(self) -> ModuleType:
        """The compiled module."""
        return build(self.source(), (*_KERNELS, *self.system.pieces.input_functions()))

    def source(self) -> str:
        """Its text."""
        head, tail = ["import math", ""], [RK4, HEUN]
        rhs = _function("@kernel", "rows", "t, y, p, A, B, f", [*self._forces(), *self._rates()])
        entry = _function("@entry", "rhs", "t, y, p, A, B, f", ["rows(t, y, p, A, B, f)"])
        jacobian = _function("@entry", "jacobian", "t, y, p, A, B, f, J", self._jacobian())
        loop = ["for k in range(times.size):", "    rows(times[k], ys[k], p, A, B, fs[k])"]
        slopes = _function("@entry", "slopes", "times, ys, p, A, B, fs", loop)
        return "\n".join([*head, rhs, entry, slopes, jacobian, self._observe(), *tail])

    def known(self, value: Expr) -> Expr:
        """An expression in the stand-ins."""
        return value.xreplace(self.real)

    def place(self, symbol: Symbol) -> str:
        """Where a symbol lies in the generated code."""
        return self._names[self.real[symbol]]

    # ------------------------------------------------------------ right-hand side

    def _forces(self) -> list[str]:
        """S_i, F_i of contacts; w_j, r_k, F of frictions; in the paper's order."""
        lines = [f"u_{i} = input_{i}(t)" for i in range(len(self.system.callables))]
        lines += self._body([(f"S_{i}", self.known(c.switch)) for i, c in enumerate(self.contacts)], "s")
        lines += [f"F_{i} = {self.place(c.K)} * max(0.0, S_{i})" for i, c in enumerate(self.contacts)]
        stretches = [w for f in self.frictions for w in f.stretch]
        limits = [f.element.limit for f in self.frictions]
        lines += self._body(
            [
                *((f"w_{j}", self.known(w)) for j, w in enumerate(stretches)),
                *((f"r_{k}", self.known(r)) for k, r in enumerate(limits)),
            ],
            "l",
        )
        for k, (start, count) in enumerate(self._components()):
            K, first = self.place(self.frictions[k].K), len(self.contacts) + start
            if count == 1:
                lines.append(f"F_{first} = sat(r_{k}, {K} * w_{start})")
                continue
            lines.append(f"q_{k} = {K} * shrink({K}, r_{k}, {self._square(k)})")
            lines += [f"F_{first + i} = q_{k} * w_{start + i}" for i in range(count)]
        return lines

    def _rates(self) -> list[str]:
        pairs = [(f"f[{i}]", self.rows[i]) for i in self.solved]
        pairs += [(f"h_{i}", self.rows[i]) for i in self.open]
        lines = self._body(pairs, "c")
        if self.mass is not None:
            lines += self._mass_body()
            for i, row in enumerate(self.open):
                carried = [f"{m} * f[{j}]" for j, m in self._carried(row)]
                lines.append(f"B[{i}, 0] = " + " - ".join([f"h_{row}", *carried]))
            lines += ["if not eliminate(A, B[:, :1]):", "    B[:, 0] = np.nan"]
            lines += [f"f[{row}] = B[{i}, 0]" for i, row in enumerate(self.open)]
        for i, c in enumerate(self.contacts):
            e, beta = self.place(c.e), self.place(c.beta)
            # Closed: S = e - beta (x + e)/alpha > 0, so -(x + e)/alpha = (S - e)/beta is the larger of the two.
            lines.append(f"f[{self.n + i}] = (max(0.0, S_{i}) - {e}) / {beta}")
        for k, (start, count) in enumerate(self._components()):
            f, first = self.frictions[k], len(self.contacts) + start
            for i in range(count):
                place = self.n + first + i
                lines.append(f"f[{place}] = (F_{first + i} / {self.place(f.K)} - y[{place}]) / {self.place(f.beta)}")
        return lines

    def _mass_body(self) -> list[str]:
        """The open block of M into A, and what couples it to solved rows into locals."""
        assert self.mass is not None
        pairs = [(f"A[{i}, {j}]", self.mass[a, b]) for i, a in enumerate(self.open) for j, b in enumerate(self.open)]
        pairs += [(f"m_{a}_{b}", self.mass[a, b]) for a in self.open for b in self.solved if self.mass[a, b] != 0]
        return self._body(pairs, "m")

    def _carried(self, row: int) -> Iterable[tuple[int, str]]:
        assert self.mass is not None
        return [(b, f"m_{row}_{b}") for b in self.solved if self.mass[row, b] != 0]

    # ------------------------------------------------------------ Jacobian

    def _jacobian(self) -> list[str]:
        """The chain rule along the stages, each stage's own slopes exact: D of forces, W of w, R of limits."""
        c, m = len(self.contacts), len(self.forces)
        lines = self._forces()
        lines += [f"D = np.zeros(({m}, {self.size}))", f"W = np.zeros(({m - c}, {self.size}))"]
        lines += [f"R = np.zeros(({len(self.frictions)}, {self.size}))", "J[:, :] = 0.0"]
        lines += [f"k_{i} = {self.place(part.K)} if S_{i} > 0.0 else 0.0" for i, part in enumerate(self.contacts)]
        pairs: list[tuple[str, Expr]] = []
        for i, part in enumerate(self.contacts):
            pairs += self._entries("D", i, self.felt[i] * self.known(part.switch))
        for j, w in enumerate(w for f in self.frictions for w in f.stretch):
            pairs += self._entries("W", j, self.known(w))
        carried: list[tuple[int, Expr, int]] = []
        for k, f in enumerate(self.frictions):
            limit = self.known(f.element.limit)
            pairs += self._entries("R", k, limit)
            carried += [(k, sympy.diff(limit, self.forces[i]), i) for i in range(c)]
        lines += self._with_rows("R", pairs, carried, "d")
        if self.frictions:
            lines += [f"w, r, K = np.empty({m - c}), np.empty({len(self.frictions)}), np.empty({len(self.frictions)})"]
            lines += [f"w[{j}] = w_{j}" for j in range(m - c)]
            lines += [f"r[{k}], K[{k}] = r_{k}, {self.place(f.K)}" for k, f in enumerate(self.frictions)]
            starts, counts = zip(*self._components(), strict=True)
            lines += [f"for k, (start, count) in enumerate(zip({_tuple(starts)}, {_tuple(counts)})):"]
            lines += [f"    rub_slope(D, W, R, w, {c} + start, start, k, count, K[k], r[k])"]
        return [*lines, *self._row_slopes()]

    def _row_slopes(self) -> list[str]:
        """Solved rows as they are; open rows from the residual h - M f, whose slopes M then carries over."""
        values, lines = list(self.rows), []
        if self.mass is not None:
            lines.append("rows(t, y, p, A, B, f)")
            for i in self.open:
                values[i] = self.rows[i] - sum(self.mass[i, j] * self.rates[j] for j in range(self.n))
        pairs: list[tuple[str, Expr]] = []
        carried: list[tuple[int, Expr, int]] = []
        for i, value in enumerate(values):
            pairs += self._entries("J", i, value)
            carried += [(i, sympy.diff(value, force), k) for k, force in enumerate(self.forces)]
        own = [(part.K, part.beta) for part in self.contacts]
        own += [(part.K, part.beta) for part in self.frictions for _ in part.a]
        for i, (K, beta) in enumerate(own):
            pairs.append((f"J[{self.n + i}, {self.n + i}]", -1 / self.real[beta]))
            carried.append((self.n + i, 1 / (self.real[K] * self.real[beta]), i))
        lines += self._with_rows("J", pairs, carried, "j")
        if self.mass is None:
            return lines
        lines += self._mass_body()
        for i, row in enumerate(self.open):
            lines += [f"add_row(J, {row}, -{m}, J, {j})" for j, m in self._carried(row)]
            lines.append(f"B[{i}, :] = J[{row}, :]")
        lines += ["if not eliminate(A, B):", "    B[:, :] = np.nan"]
        return lines + [f"J[{row}, :] = B[{i}, :]" for i, row in enumerate(self.open)]

    def _with_rows(
        self, word: str, pairs: list[tuple[str, Expr]], carried: list[tuple[int, Expr, int]], prefix: str
    ) -> list[str]:
        """Entries of a matrix, then the slopes D of forces added to its rows: one loop, quick to compile."""
        carried = [(row, factor, k) for row, factor, k in carried if factor != 0]
        factors = [(f"g{prefix}[{i}]", factor) for i, (_, factor, _) in enumerate(carried)]
        lines = [f"g{prefix} = np.empty({len(carried)})"] if carried else []
        lines += self._body([*pairs, *factors], prefix)
        if carried:
            rows, columns = _tuple(row for row, _, _ in carried), _tuple(k for _, _, k in carried)
            lines += [f"for q, (row, k) in enumerate(zip({rows}, {columns})):"]
            lines += [f"    add_row({word}, row, g{prefix}[q], D, k)"]
        return lines

    # ------------------------------------------------------------ what is recorded

    def _observe(self) -> str:
        inner = [*self._forces()]
        inner += [f"forces[k, {i}] = F_{i}" for i in range(len(self.forces))]
        inner += [f"modes[k, {i}] = 1 if S_{i} > 0.0 else 0" for i in range(len(self.contacts))]
        for k in range(len(self.frictions)):
            K = self.place(self.frictions[k].K)
            inner.append(f"modes[k, {len(self.contacts) + k}] = 1 if sticks({K}, r_{k}, {self._square(k)}) else 0")
        loop = ["for k in range(times.size):", *("    " + s for s in ["t = times[k]", "y = ys[k]", *inner])]
        return _function("@entry", "observe", "times, ys, p, forces, modes", loop)

    # ------------------------------------------------------------ small parts

    def _components(self) -> list[tuple[int, int]]:
        """Of each friction: where its components start among all, and how many they are."""
        places, start = [], 0
        for f in self.frictions:
            places.append((start, len(f.a)))
            start += len(f.a)
        return places

    def _square(self, k: int) -> str:
        start, count = self._components()[k]
        return " + ".join(f"w_{j} * w_{j}" for j in range(start, start + count))

    def _body(self, pairs: Sequence[tuple[str, Expr]], prefix: str) -> list[str]:
        return body_of(pairs, self._names, f"c{prefix}").splitlines() if pairs else []

    def _entries(self, word: str, i: int, value: Expr) -> list[tuple[str, Expr]]:
        """The entries of one row of slopes by the states that are not zero everywhere."""
        held = value.free_symbols
        slopes = [(j, sympy.diff(value, s)) for j, s in enumerate(self.states) if s in held]
        return [(f"{word}[{i}, {j}]", slope) for j, slope in slopes if slope != 0]


def _tuple(values: Iterable[int]) -> str:
    return "(" + "".join(f"{value}, " for value in values) + ")"


def _function(decorator: str, name: str, arguments: str, lines: Sequence[str]) -> str:
    body = "\n".join("    " + line for line in lines) if lines else "    pass"
    return f"\n{decorator}\ndef {name}({arguments}):\n{body}\n"
