"""The source of an explicit ODE: staged, so that nothing is expanded and nothing is computed twice.

    gaps -> contact forces -> slips, limits -> friction forces -> rows (mass matrix solved in place) -> added states

The generated module holds, for N states (added ones included) and m forces:

    rhs(t, y, p, A, B, f)              f = y', (N)
    slopes(times, ys, p, A, B, fs)     f along a record
    observe(times, ys, p, forces, modes)   forces (k, m) and modes (k, elements): 1 for closed or sticking
    rk4, heun(start, T, steps, left, y, p, A, B, W, times, out)   fixed steps, interpolated at `times`

Where impacts have a law of their own, p ends with one number a contact: 0 while it flies, and neither carries nor
feels its spring beyond the surface, so that what is integrated up to an impact is smooth. Then there are also:

    gaps(t, y, p, g, v)                gaps [m] and their rates [m/s]
    rk4_once, heun_once(t, h, y, p, A, B, W)   a step of length h
    rk4_watched, heun_watched(...)     fixed steps until something has to be looked at: see `_WATCHED`

A and B are room for solving the mass matrix; p holds the parameters, K, beta and alpha included, so that other
numbers use the same compiled code. The Jacobian, which only stiff methods ask for, is a module of its own:

    slopes(t, y, p, A, B, f, J)        J = df/dy; at a switch that of the open contact and of sticking
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from types import ModuleType
from typing import Any

import sympy
from sympy import Expr, Symbol

from tegotae.compile import build
from tegotae.inclusion.explicit.kernels import ode
from tegotae.inclusion.explicit.rewriting import FrictionPart, Rewritten
from tegotae.inclusion.language.arguments import TIME
from tegotae.inclusion.language.compiled_terms import body_of, function, slopes_of
from tegotae.kernels.linear import eliminate
from tegotae.kernels.stick_slip import limited

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

_RK4 = {
    "name": "rk4",
    "stages": 4,
    "when": "(0.5 * h if s < 2 else h)",
    "stage": """\
                if s < 3:
                    y[i] = W[0, i] + (0.5 * h if s < 2 else h) * W[s + 1, i]
                else:
                    y[i] = W[0, i] + h / 6.0 * (W[1, i] + 2.0 * (W[2, i] + W[3, i]) + W[4, i])""",
}
_HEUN = {
    "name": "heun",
    "stages": 2,
    "when": "h",
    "stage": """\
                if s < 1:
                    y[i] = W[0, i] + h * W[1, i]
                else:
                    y[i] = W[0, i] + 0.5 * h * (W[1, i] + W[2, i])""",
}
RK4, HEUN = _LOOP.format(**_RK4), _LOOP.format(**_HEUN)

_STEP = """
@kernel
def {name}_step(t, h, y, p, A, B, W):
    copy(y, W, 0)
    for s in range({stages}):
        for i in range(y.size):
{stage}
        rows(t + {when}, y, p, A, B, W[s + 2])

@entry
def {name}_once(t, h, y, p, A, B, W):
    rows(t, y, p, A, B, W[1])
    {name}_step(t, h, y, p, A, B, W)
"""

# As above, from step `first` on, with `k` times already kept. `G` holds gaps and rates before and after a step, (4, c),
# `law` is 1 for each contact whose impacts have a law. Returned are the step, how many times are kept, and why it ends
# there: DONE; LOOK: a gap may have closed in this step, from W[0] to y, which is not kept; FREED: before this step a
# contact that was closed has opened; LOST: no longer finite.
DONE, LOOK, FREED, LOST = range(4)
OPEN = 1e-9  # m: a gap that is open, whatever its rate; what is put on a surface is off by rounding
_WATCHED = """
@entry
def {name}_watched(start, T, steps, left, first, y, p, A, B, W, G, law, times, k, out):
    total = steps + (1 if left > 0.0 else 0)
    if first < total:
        rows(start + first * T, y, p, A, B, W[1])
        gaps_of(start + first * T, y, p, G[0], G[1])
    for step in range(first, total):
        t = start + step * T
        h = T if step < steps else left
        {name}_step(t, h, y, p, A, B, W)
        whole = 0.0
        for i in range(y.size):
            whole += abs(y[i]) + abs(W[{stages} + 1, i])
        if not whole < np.inf:
            return step, k, {LOST}
        gaps_of(t + h, y, p, G[2], G[3])
        for i in range(law.size):
            if p[p.size - law.size + i] == 0.0:
                dips = G[1, i] < 0.0 and G[3, i] > 0.0 and G[0, i] + h * G[1, i] < 0.0
                if G[2, i] < 0.0 or dips:
                    return step, k, {LOOK}
        end = t + h + 1e-9 * h
        while k < times.size and times[k] <= end:
            q = (times[k] - t) / h
            cubic(1.0 if q > 1.0 - 1e-9 else q, h, W, 1, {stages} + 1, y, out, k)
            k += 1
        for i in range(law.size):
            opens = G[2, i] > {OPEN} or (G[2, i] > 0.0 and G[3, i] > 0.0)
            if opens and law[i] > 0 and p[p.size - law.size + i] > 0.0:
                return step + 1, k, {FREED}
        copy(W[{stages} + 1], W, 1)
        copy(G[2], G, 0)
        copy(G[3], G, 1)
    return total, k, {DONE}
"""
_NAMES = {"DONE": DONE, "LOOK": LOOK, "FREED": FREED, "LOST": LOST, "OPEN": OPEN}


def _watched(rule: dict[str, Any]) -> str:
    """The loop of fixed steps that ends where something has to be looked at."""
    step = _STEP.format(**rule | {"stage": rule["stage"].replace("\n    ", "\n").removeprefix("    ")})
    return step + _WATCHED.format(**rule, **_NAMES)


_CALLED = (limited, ode.shrink, ode.sticks, eliminate, ode.copy, ode.cubic)
_RULES = (limited, ode.shrink, eliminate, ode.add_row, ode.rub_slope, ode.through_mass)


class OdeSource:
    """Writes and compiles the module of one rewritten inclusion; `impacts`: with a law of its own for impacts."""

    def __init__(self, rewritten: Rewritten, parameters: Sequence[Symbol], *, impacts: bool = False):
        self.rewritten, self.impacts, self.values = rewritten, impacts, len(parameters)
        self.system = system = rewritten.inclusion
        self.n, self.size = len(system.states), len(rewritten.states)
        self.contacts, self.frictions = rewritten.contacts, rewritten.frictions
        # Each friction, where its components start among all of them, and how many they are.
        spans = system.spans[len(self.contacts) :]
        self.components: list[tuple[FrictionPart, int, int]] = [
            (f, s.start - len(self.contacts), s.stop - s.start) for f, s in zip(self.frictions, spans, strict=True)
        ]
        self.rates = [sympy.Dummy(f"rate_{i}") for i in range(self.n)]
        # The stiffness felt: K while closed, else 0; the slopes use it.
        self.felt = [sympy.Dummy(f"k_{i}") for i in range(len(self.contacts))]
        self.places: dict[Symbol, str] = {TIME: "t"}  # where each symbol lies in the generated code
        for form, symbols in (
            ("y[{}]", rewritten.states),
            ("p[{}]", parameters),
            ("u_{}", system.callables),
            ("F_{}", system.forces),
            ("f[{}]", self.rates),
            ("k_{}", self.felt),
        ):
            self.places |= {symbol: form.format(i) for i, symbol in enumerate(symbols)}
        # Rows that stand solved need no elimination, and the others see them as known.
        self.mass, unit = system.mass_matrix, sympy.eye(self.n)
        self.open = [i for i in range(self.n) if self.mass is not None and self.mass.row(i) != unit.row(i)]
        self.solved = [i for i in range(self.n) if i not in self.open]

    def module(self) -> ModuleType:
        """The compiled module."""
        return self._built(self.source(), _CALLED)

    @cached_property
    def slopes_module(self) -> ModuleType:
        """The compiled Jacobian, made when it is first asked for."""
        return self._built(_Slopes(self).text(), _RULES)

    def _built(self, text: str, kernels: Sequence[Callable[..., Any]]) -> ModuleType:
        named = ((kernel.__name__, kernel) for kernel in kernels)
        return build(text, (*named, *self.system.terms.input_functions()))

    def source(self) -> str:
        """Its text."""
        entry = function("@entry", "rhs", "t, y, p, A, B, f", ["rows(t, y, p, A, B, f)"])
        loop = ["for k in range(times.size):", "    rows(times[k], ys[k], p, A, B, fs[k])"]
        slopes = function("@entry", "slopes", "times, ys, p, A, B, fs", loop)
        parts = ["import math", "", self.rows_function(), entry, slopes, self._observe()]
        loops = [*self._gaps(), _watched(_RK4), _watched(_HEUN)] if self.impacts else [RK4, HEUN]
        return "\n".join([*parts, *loops])

    def rows_function(self) -> str:
        """The right-hand side itself."""
        return function("@kernel", "rows", "t, y, p, A, B, f", [*self.force_lines(), *self._rates()])

    # ------------------------------------------------------------ right-hand side

    def force_lines(self) -> list[str]:
        """S_i, F_i of contacts; w_j, r_k, F of frictions; in the paper's order."""
        lines = [f"u_{i} = input_{i}(t)" for i in range(len(self.system.callables))]
        lines += self.body([(f"S_{i}", c.switch) for i, c in enumerate(self.contacts)], "s")
        if self.impacts:
            flies = [f"p[{self.values + i}] == 0.0" for i in range(len(self.contacts))]
            lines += [f"S_{i} = -1.0 if {each} else S_{i}" for i, each in enumerate(flies)]
        lines += [f"F_{i} = {self.places[c.K]} * max(0.0, S_{i})" for i, c in enumerate(self.contacts)]
        stretches = [(f"w_{j}", w) for j, w in enumerate(w for f in self.frictions for w in f.stretch)]
        limits = [(f"r_{k}", f.element.limit) for k, f in enumerate(self.frictions)]
        lines += self.body([*stretches, *limits], "l")
        for k, (f, start, count) in enumerate(self.components):
            K, first = self.places[f.K], len(self.contacts) + start
            if count == 1:
                lines.append(f"F_{first} = limited({K} * w_{start}, r_{k})")
                continue
            lines.append(f"q_{k} = {K} * shrink({K}, r_{k}, {_square(start, count)})")
            lines += [f"F_{first + i} = q_{k} * w_{start + i}" for i in range(count)]
        return lines

    def _rates(self) -> list[str]:
        rows = self.system.right
        pairs = [(f"f[{i}]", rows[i]) for i in self.solved] + [(f"h_{i}", rows[i]) for i in self.open]
        lines = self.body(pairs, "c")
        if self.mass is not None:
            # The open block of M, and what couples it to solved rows.
            M, coupled = self.mass, {a: [b for b in self.solved if self.mass[a, b] != 0] for a in self.open}
            block = [(f"A[{i}, {j}]", M[a, b]) for i, a in enumerate(self.open) for j, b in enumerate(self.open)]
            lines += self.body([*block, *((f"m_{a}_{b}", M[a, b]) for a in self.open for b in coupled[a])], "m")
            for i, row in enumerate(self.open):
                lines.append(" - ".join([f"B[{i}, 0] = h_{row}", *(f"m_{row}_{j} * f[{j}]" for j in coupled[row])]))
            lines += ["if not eliminate(A, B[:, :1]):", "    B[:, 0] = np.nan"]
            lines += [f"f[{row}] = B[{i}, 0]" for i, row in enumerate(self.open)]
        for i, c in enumerate(self.contacts):
            e, beta = self.places[c.added[0]], self.places[c.beta]
            # Closed: S = e - beta (x + e)/alpha > 0, so -(x + e)/alpha = (S - e)/beta is the larger of the two.
            lines.append(f"f[{self.n + i}] = (max(0.0, S_{i}) - {e}) / {beta}")
        for f, start, count in self.components:
            for i in range(len(self.contacts) + start, len(self.contacts) + start + count):
                place, K, beta = self.n + i, self.places[f.K], self.places[f.beta]
                lines.append(f"f[{place}] = (F_{i} / {K} - y[{place}]) / {beta}")
        return lines

    # ------------------------------------------------------------ what is recorded

    def _observe(self) -> str:
        inner = [*self.force_lines()]
        inner += [f"forces[k, {i}] = F_{i}" for i in range(len(self.system.forces))]
        inner += [f"modes[k, {i}] = 1 if S_{i} > 0.0 else 0" for i in range(len(self.contacts))]
        for k, (f, start, count) in enumerate(self.components):
            held = f"sticks({self.places[f.K]}, r_{k}, {_square(start, count)})"
            inner.append(f"modes[k, {len(self.contacts) + k}] = 1 if {held} else 0")
        loop = ["for k in range(times.size):", *("    " + s for s in ["t = times[k]", "y = ys[k]", *inner])]
        return function("@entry", "observe", "times, ys, p, forces, modes", loop)

    def _gaps(self) -> list[str]:
        """Gaps and their rates, for the loops and for all others."""
        gaps = [c.element.gap for c in self.contacts]
        pairs = [(f"g[{i}]", gap) for i, gap in enumerate(gaps)]
        pairs += [(f"v[{i}]", self.system.rate(gap)) for i, gap in enumerate(gaps)]
        lines = [f"u_{i} = input_{i}(t)" for i in range(len(self.system.callables))] + self.body(pairs, "g")
        inner = function("@kernel", "gaps_of", "t, y, p, g, v", lines)
        return [inner, function("@entry", "gaps", "t, y, p, g, v", ["gaps_of(t, y, p, g, v)"])]

    def body(self, pairs: Sequence[tuple[str, Expr]], prefix: str) -> list[str]:
        """Assignments, common parts once."""
        return body_of(pairs, self.places, f"c{prefix}")


def _square(start: int, count: int) -> str:
    return " + ".join(f"w_{j} * w_{j}" for j in range(start, start + count))


class _Slopes:
    """Writes the Jacobian of one explicit ODE.

    The chain rule goes along the stages of the right-hand side: D slopes of forces, W of stretches, R of limits, each
    by all states; then rows, and last what a mass matrix carries over.
    """

    def __init__(self, source: OdeSource):
        self.source = source
        self._pairs: list[tuple[str, Expr]] = []  # what SymPy finds: where it goes, and what it is

    def text(self) -> str:
        """The source of `slopes`."""
        source = self.source
        m, c, size = len(source.system.forces), len(source.contacts), source.size
        rubs = [
            f"rub_slope(D, W, R, w, {c + start}, {start}, {k}, {count}, {source.places[f.K]}, r_{k})"
            for k, (f, start, count) in enumerate(source.components)
        ]
        added = [*self._of_limits(), *rubs, *self._of_rows()]  # which also tell what SymPy is to find
        lines = source.force_lines()
        lines += [f"k_{i} = {source.places[part.K]} if S_{i} > 0.0 else 0.0" for i, part in enumerate(source.contacts)]
        if source.mass is not None:
            lines.append("rows(t, y, p, A, B, f)")
        sizes = {"D": m, "W": m - c, "R": len(source.frictions), "M": source.n if source.open else 0}
        lines += [f"{word} = np.zeros(({max(rows, 1)}, {size}))" for word, rows in sizes.items()]
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
        source = self.source
        for i, part in enumerate(source.contacts):
            self._find("D", i, source.felt[i] * part.switch)
        for j, w in enumerate(w for f in source.frictions for w in f.stretch):
            self._find("W", j, w)
        for k, f in enumerate(source.frictions):
            self._find("R", k, f.element.limit)
            yield from self._through("R", k, f.element.limit, len(source.contacts))

    def _of_rows(self) -> Iterator[str]:
        """Solved rows as they are; open rows from the residual h - M f, whose slopes M then carries over."""
        source = self.source
        values = list(source.system.right)
        if source.mass is not None:
            for i in source.open:
                self._pairs += [(f"M[{i}, {j}]", source.mass[i, j]) for j in range(source.n)]
                values[i] = values[i] - sum(source.mass[i, j] * source.rates[j] for j in range(source.n))
        for i, value in enumerate(values):
            self._find("J", i, value)
            yield from self._through("J", i, value, len(source.system.forces))
        for i, part in enumerate(each for each in source.rewritten.parts for _ in each.added):
            K, beta = source.places[part.K], source.places[part.beta]
            yield f"J[{source.n + i}, {source.n + i}] = -1.0 / {beta}"
            yield f"add_row(J, {source.n + i}, 1.0 / ({K} * {beta}), D, {i})"

    def _find(self, word: str, i: int, value: Expr) -> None:
        """One row of slopes by the states that it holds."""
        held = [(j, s) for j, s in enumerate(self.source.rewritten.states) if s in value.free_symbols]
        slopes = slopes_of([value], [s for _, s in held])
        self._pairs += [(f"{word}[{i}, {j}]", slope) for (j, _), slope in zip(held, slopes, strict=True)]

    def _through(self, word: str, i: int, value: Expr, count: int) -> Iterator[str]:
        """What the first forces add to a row of slopes."""
        for k, force in enumerate(self.source.system.forces[:count]):
            if force in value.free_symbols:
                self._pairs.append((f"{word}_{i}_{k}", slopes_of([value], [force])[0]))
                yield f"add_row({word}, {i}, {word}_{i}_{k}, D, {k})"
