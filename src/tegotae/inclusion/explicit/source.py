"""The source of an explicit ODE: staged, so that nothing is expanded and nothing is computed twice.

    gaps -> contact forces -> slips, limits -> friction forces -> rows (mass matrix solved in place) -> added states

The generated module holds, for N states (added ones included) and m forces:

    rhs(t, y, p, A, B, f)              f = y', (N)
    slopes(times, ys, p, A, B, fs)     f along a record
    observe(times, ys, p, forces, modes)   forces (k, m) and modes (k, elements): 1 for closed or sticking
    rk4, heun(start, T, steps, left, y, p, A, B, W, times, out)   fixed steps, interpolated at `times`

A and B are room for solving the mass matrix; p holds the parameters, K, beta and alpha included, so that other
numbers use the same compiled code. The slopes of f, which only stiff methods ask for, are a module of their own
(`slopes`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import ModuleType

import sympy
from sympy import Expr, Symbol

from tegotae.compile import build
from tegotae.inclusion.explicit.kernels import ode
from tegotae.inclusion.explicit.rewriting import FrictionPart, Rewritten
from tegotae.inclusion.language.compiled_terms import body_of
from tegotae.inclusion.language.inputs import TIME
from tegotae.kernels.linear import eliminate

# Fixed steps: `W` is room for the last state and the slopes of the stages, (6, N); `times` are increasing; steps of
# length T end with one of length `left`, if > 0. Returned is how many were taken before a state stopped being finite.
_LOOP = """
@entry
def {name}(start, T, steps, left, y, p, A, B, W, times, out):
    k = 0
    rows(start, y, p, A, B, W[1])
    while k < times.size and times[k] <= start:
        copy(y, out, k)
        k += 1
    total = steps + (1 if left > 0.0 else 0)
    for step in range(total):
        t = start + step * T
        h = T if step < steps else left
        copy(y, W, 0)
        # One place calls the rows, or the compiler would copy them into every stage. The last slopes, those at the
        # end, are the first of the next step: interpolation costs nothing.
        for s in range({stages}):
            for i in range(y.size):
{stage}
            rows(t + {when}, y, p, A, B, W[s + 2])
        whole = 0.0
        for i in range(y.size):
            whole += abs(y[i]) + abs(W[{stages} + 1, i])
        if not whole < np.inf:
            return step
        end = t + h + 1e-9 * h
        while k < times.size and times[k] <= end:
            q = (times[k] - t) / h
            cubic(1.0 if q > 1.0 - 1e-9 else q, h, W, 1, {stages} + 1, y, out, k)
            k += 1
        copy(W[{stages} + 1], W, 1)
    return total
"""

RK4 = _LOOP.format(
    name="rk4",
    stages=4,
    when="(0.5 * h if s < 2 else h)",
    stage="""\
                if s < 3:
                    y[i] = W[0, i] + (0.5 * h if s < 2 else h) * W[s + 1, i]
                else:
                    y[i] = W[0, i] + h / 6.0 * (W[1, i] + 2.0 * (W[2, i] + W[3, i]) + W[4, i])""",
)

HEUN = _LOOP.format(
    name="heun",
    stages=2,
    when="h",
    stage="""\
                if s < 1:
                    y[i] = W[0, i] + h * W[1, i]
                else:
                    y[i] = W[0, i] + 0.5 * h * (W[1, i] + W[2, i])""",
)


KERNELS = (
    *((own.__name__, own) for own in (ode.sat, ode.shrink, ode.sticks)),
    ("eliminate", eliminate),
    *((own.__name__, own) for own in (ode.copy, ode.cubic)),
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
        # The stiffness felt: K while closed, else 0; the slopes use it.
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
        return build(self.source(), (*KERNELS, *self.system.terms.input_functions()))

    def source(self) -> str:
        """Its text."""
        head, tail = ["import math", ""], [RK4, HEUN]
        entry = function("@entry", "rhs", "t, y, p, A, B, f", ["rows(t, y, p, A, B, f)"])
        loop = ["for k in range(times.size):", "    rows(times[k], ys[k], p, A, B, fs[k])"]
        slopes = function("@entry", "slopes", "times, ys, p, A, B, fs", loop)
        return "\n".join([*head, self.rows_function(), entry, slopes, self._observe(), *tail])

    def rows_function(self) -> str:
        """The right-hand side itself."""
        return function("@kernel", "rows", "t, y, p, A, B, f", [*self.force_lines(), *self._rates()])

    def known(self, value: Expr) -> Expr:
        """An expression in the stand-ins."""
        return value.xreplace(self.real)

    def place(self, symbol: Symbol) -> str:
        """Where a symbol lies in the generated code."""
        return self._names[self.real[symbol]]

    # ------------------------------------------------------------ right-hand side

    def force_lines(self) -> list[str]:
        """S_i, F_i of contacts; w_j, r_k, F of frictions; in the paper's order."""
        lines = [f"u_{i} = input_{i}(t)" for i in range(len(self.system.callables))]
        lines += self.body([(f"S_{i}", self.known(c.switch)) for i, c in enumerate(self.contacts)], "s")
        lines += [f"F_{i} = {self.place(c.K)} * max(0.0, S_{i})" for i, c in enumerate(self.contacts)]
        stretches = [w for f in self.frictions for w in f.stretch]
        limits = [f.element.limit for f in self.frictions]
        lines += self.body(
            [
                *((f"w_{j}", self.known(w)) for j, w in enumerate(stretches)),
                *((f"r_{k}", self.known(r)) for k, r in enumerate(limits)),
            ],
            "l",
        )
        for k, (f, start, count) in enumerate(self.components()):
            K, first = self.place(f.K), len(self.contacts) + start
            if count == 1:
                lines.append(f"F_{first} = sat(r_{k}, {K} * w_{start})")
                continue
            lines.append(f"q_{k} = {K} * shrink({K}, r_{k}, {self._square(k)})")
            lines += [f"F_{first + i} = q_{k} * w_{start + i}" for i in range(count)]
        return lines

    def _rates(self) -> list[str]:
        pairs = [(f"f[{i}]", self.rows[i]) for i in self.solved]
        pairs += [(f"h_{i}", self.rows[i]) for i in self.open]
        lines = self.body(pairs, "c")
        if self.mass is not None:
            lines += self.mass_body()
            for i, row in enumerate(self.open):
                carried = [f"{m} * f[{j}]" for j, m in self.carried(row)]
                lines.append(f"B[{i}, 0] = " + " - ".join([f"h_{row}", *carried]))
            lines += ["if not eliminate(A, B[:, :1]):", "    B[:, 0] = np.nan"]
            lines += [f"f[{row}] = B[{i}, 0]" for i, row in enumerate(self.open)]
        for i, c in enumerate(self.contacts):
            e, beta = self.place(c.e), self.place(c.beta)
            # Closed: S = e - beta (x + e)/alpha > 0, so -(x + e)/alpha = (S - e)/beta is the larger of the two.
            lines.append(f"f[{self.n + i}] = (max(0.0, S_{i}) - {e}) / {beta}")
        for f, start, count in self.components():
            first = len(self.contacts) + start
            for i in range(count):
                place = self.n + first + i
                lines.append(f"f[{place}] = (F_{first + i} / {self.place(f.K)} - y[{place}]) / {self.place(f.beta)}")
        return lines

    def mass_body(self) -> list[str]:
        """The open block of M into A, and what couples it to solved rows into locals."""
        assert self.mass is not None
        pairs = [(f"A[{i}, {j}]", self.mass[a, b]) for i, a in enumerate(self.open) for j, b in enumerate(self.open)]
        pairs += [(f"m_{a}_{b}", self.mass[a, b]) for a in self.open for b in self.solved if self.mass[a, b] != 0]
        return self.body(pairs, "m")

    def carried(self, row: int) -> Iterable[tuple[int, str]]:
        """The solved rows that an open one is coupled to, and the local that holds the mass between them."""
        assert self.mass is not None
        return [(b, f"m_{row}_{b}") for b in self.solved if self.mass[row, b] != 0]

    # ------------------------------------------------------------ what is recorded

    def _observe(self) -> str:
        inner = [*self.force_lines()]
        inner += [f"forces[k, {i}] = F_{i}" for i in range(len(self.forces))]
        inner += [f"modes[k, {i}] = 1 if S_{i} > 0.0 else 0" for i in range(len(self.contacts))]
        for k in range(len(self.frictions)):
            K = self.place(self.frictions[k].K)
            inner.append(f"modes[k, {len(self.contacts) + k}] = 1 if sticks({K}, r_{k}, {self._square(k)}) else 0")
        loop = ["for k in range(times.size):", *("    " + s for s in ["t = times[k]", "y = ys[k]", *inner])]
        return function("@entry", "observe", "times, ys, p, forces, modes", loop)

    # ------------------------------------------------------------ small parts

    def components(self) -> list[tuple[FrictionPart, int, int]]:
        """Frictions, where the components of each start among all of them, and how many they are."""
        contacts = len(self.contacts)
        spans = self.system.spans[contacts:]
        return [(f, s.start - contacts, s.stop - s.start) for f, s in zip(self.frictions, spans, strict=True)]

    def _square(self, k: int) -> str:
        _, start, count = self.components()[k]
        return " + ".join(f"w_{j} * w_{j}" for j in range(start, start + count))

    def body(self, pairs: Sequence[tuple[str, Expr]], prefix: str) -> list[str]:
        """Assignments, common parts once."""
        return body_of(pairs, self._names, f"c{prefix}").splitlines() if pairs else []


def function(decorator: str, name: str, arguments: str, lines: Sequence[str]) -> str:
    """The text of one function."""
    body = "\n".join("    " + line for line in lines) if lines else "    pass"
    return f"\n{decorator}\ndef {name}({arguments}):\n{body}\n"
