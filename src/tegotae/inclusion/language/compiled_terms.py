"""The numbers behind an inclusion, compiled: M(x) x' = f(x, t) + G(x) force, gaps, slips and limits.

What every route needs and none derives twice. With n states, m forces (contacts, then friction components):

    inputs(t, u)                    the external inputs given as functions
    smooth(t, x, p, u, f)           f, (n)
    directions(t, x, p, u, G)       G, (n, m)
    mass(t, x, p, u, M)             M, (n, n); the unit matrix if none was given
    gaps(t, x, p, u, g, v)          gaps and their rates, one a contact
    slips(t, x, p, u, y)            slips, one a friction component
    limits(t, x, p, u, force, r)    limits, one a friction, for given contact forces
    smooth_slope(t, x, p, u, A)     df/dx, (n, n)
    gap_slope(t, x, p, u, A)        d gap/dx, (contacts, n)
    rate_slope(t, x, p, u, A)       d (gap rate)/dx, (contacts, n)
    slip_slope(t, x, p, u, A)       d slip/dx, (components, n)
    limit_slope(t, x, p, u, force, A, B)   d limit/dx (frictions, n) and d limit/d contact force (frictions, contacts)

All fill the last arguments and allocate nothing. Their text is plain arithmetic, common parts once, no lists.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from sympy import Expr, Symbol
from sympy.printing.codeprinter import PrintMethodNotImplementedError
from sympy.printing.pycode import PythonCodePrinter

from tegotae.checks import Array
from tegotae.compile import as_kernel, build
from tegotae.errors import InputError
from tegotae.inclusion.language.arguments import TIME
from tegotae.inclusion.language.grammar import refuse

if TYPE_CHECKING:
    from tegotae.inclusion.language.equations import Equations


class _Printer(PythonCodePrinter):  # type: ignore[misc]
    """Python's math module, and conditions that numba turns into branches."""

    def _print_Max(self, expr: Any) -> str:
        first, *others = expr.args
        text = f"float({self._print(first)})" if first.is_number else self._print(first)
        for other in others:
            text = f"{expr.func.__name__.lower()}({text}, {self._print(other)})"
        return text

    _print_Min = _print_Max  # noqa: N815 - so SymPy asks for it

    def _print_Integer(self, expr: Any) -> str:
        return f"{int(expr)}.0"

    def _print_Pow(self, expr: Any, rational: bool = False, sqrt: str = "math.sqrt") -> str:
        base, exponent = expr.as_base_exp()
        if exponent.is_Integer and 2 <= abs(int(exponent)) <= 4:
            product = "*".join([f"({self._print(base)})"] * abs(int(exponent)))
            return f"({product})" if exponent > 0 else f"(1.0/({product}))"
        if exponent == -1:
            return f"(1.0/({self._print(base)}))"
        if abs(exponent) == sympy.Rational(1, 2):
            root = f"{sqrt}({self._print(base)})"
            return root if exponent > 0 else f"(1.0/{root})"
        return f"(({self._print(base)})**({self._print(exponent)}))"

    def _print_sign(self, expr: Any) -> str:
        value = self._print(expr.args[0])
        return f"(0.0 if {value} == 0.0 else math.copysign(1.0, {value}))"

    def _print_DiracDelta(self, expr: Any) -> str:
        return "0.0"  # slopes are one-sided: a jump has none

    def _print_Piecewise(self, expr: Any) -> str:
        if expr.args[-1].cond != sympy.true:
            refuse(f"{expr} has no value outside its conditions.", "End a Piecewise with (value, True).")
        return str(super()._print_Piecewise(expr))

    def _print_Heaviside(self, expr: Any) -> str:
        return f"(1.0 if {self._print(expr.args[0])} > 0.0 else 0.0)"


def code_of(expression: Expr) -> str:
    """One expression as source; what has no compiled form is refused by name."""
    printer = _Printer({"fully_qualified_modules": True, "standard": "python3"})
    try:
        return str(printer.doprint(expression))
    except PrintMethodNotImplementedError as error:
        strange = str(error).partition(":")[2].strip().partition("\n")[0]
        raise InputError(
            f"Inclusion: {strange} in {expression} cannot be compiled.\n  Use elementary functions."
        ) from error


def body_of(outputs: Sequence[tuple[str, Expr]], names: Mapping[Symbol, str], prefix: str = "c") -> list[str]:
    """Assignments `target = expression`, their common parts computed once; `names` says where each symbol lies."""
    # Places first: a user's symbol could be called like one of the common parts.
    known = {symbol: Symbol(code, real=True) for symbol, code in names.items()}
    placed = [expression.xreplace(known) for _, expression in outputs]
    common, reduced = sympy.cse(placed, symbols=sympy.numbered_symbols(f"{prefix}_"), order="none")
    lines = [f"{symbol} = {code_of(value)}" for symbol, value in common]
    return lines + [f"{target} = {code_of(value)}" for (target, _), value in zip(outputs, reduced, strict=True)]


def function(decorator: str, name: str, arguments: str, lines: Sequence[str]) -> str:
    """The text of one function."""
    body = "\n".join("    " + line for line in lines) if lines else "    pass"
    return f"\n{decorator}\ndef {name}({arguments}):\n{body}\n"


def entries(word: str, values: Any) -> list[tuple[str, Expr]]:
    """Where each entry of a list or a matrix goes, and what it is, for `body_of`."""
    if not isinstance(values, sympy.MatrixBase):
        return [(f"{word}[{i}]", value) for i, value in enumerate(values)]
    rows, columns = values.shape
    return [(f"{word}[{i}, {j}]", values[i, j]) for i in range(rows) for j in range(columns)]


class CompiledTerms:
    """The compiled terms of one inclusion; made when first asked for."""

    def __init__(self, inclusion: Equations):
        self.inclusion = inclusion
        self.values: Array = np.array(list(inclusion.parameters.values()), dtype=np.float64)
        self.made: dict[Any, ModuleType] = {}  # what other routes generated of it, shared by copies with other numbers
        self.names: dict[Symbol, str] = {TIME: "t"}  # where each symbol lies among the arguments
        for letter, symbols in (
            ("x", inclusion.states),
            ("p", inclusion.parameters),
            ("u", inclusion.callables),
            ("force", inclusion.forces),
        ):
            self.names |= {symbol: f"{letter}[{i}]" for i, symbol in enumerate(symbols)}

    @cached_property
    def module(self) -> ModuleType:
        """The generated module with all functions above."""
        return build(self.source(), self.input_functions())

    def plain(self, name: str, t: float, x: Array, *shapes: tuple[int, ...], force: Sequence[Array] = ()) -> Any:
        """What one of the functions fills, by plain Python: asked once, it would cost more to compile than it saves."""
        filled = [np.zeros(shape) for shape in shapes]
        getattr(self.module, name).py_func(float(t), x, self.values, self.inputs_at(t), *force, *filled)
        return filled[0] if len(filled) == 1 else filled

    def inputs_at(self, t: float) -> Array:
        """The inputs given as functions, at the time t [s]; by plain Python."""
        u = np.zeros(len(self.inclusion.callables))
        self.module.inputs.py_func(float(t), u)
        return u

    def input_functions(self) -> tuple[tuple[str, Any], ...]:
        """The user's input functions, compiled, as a generated module imports them."""
        return tuple(
            (f"input_{i}", _compiled(symbol, value))
            for i, (symbol, value) in enumerate(self.inclusion.callables.items())
        )

    def source(self) -> str:
        """The text of the module."""
        system = self.inclusion
        states = list(system.states)
        mass = system.mass_matrix if system.mass_matrix is not None else sympy.eye(len(states))
        gaps = [c.gap for c in system.contacts]
        rates = [system.rate(gap) for gap in gaps]
        slips = [slip for f in system.frictions for slip in f.slips]
        limits = [f.limit for f in system.frictions]
        contact_forces = [c.force for c in system.contacts]
        limit_slopes = {"A": slopes_of(limits, states), "B": slopes_of(limits, contact_forces)}
        functions = [
            self.function("smooth", {"f": list(system.smooth)}),
            self.function("directions", {"G": system.directions}),
            self.function("mass", {"M": mass}),
            self.function("gaps", {"g": gaps, "v": rates}),
            self.function("slips", {"y": slips}),
            self.function("limits", {"r": limits}, ", force"),
            self.function("smooth_slope", {"A": slopes_of(list(system.smooth), states)}),
            self.function("gap_slope", {"A": slopes_of(gaps, states)}),
            self.function("rate_slope", {"A": slopes_of(rates, states)}),
            self.function("slip_slope", {"A": slopes_of(slips, states)}),
            self.function("limit_slope", limit_slopes, ", force"),
        ]
        calls = [f"u[{i}] = input_{i}(t)" for i in range(len(system.callables))]
        return "\n".join(["import math", function("@kernel", "inputs", "t, u", calls), *functions])

    def magnitudes(self) -> str:
        """`magnitudes(t, x, p, u, w)`: what is summed in each gap and slip, sizes alone; rounding is a share of it."""
        system = self.inclusion
        values = [c.gap for c in system.contacts] + [slip for f in system.frictions for slip in f.slips]
        return self.function("magnitudes", {"w": [_magnitude(value) for value in values]})

    def function(
        self, name: str, outputs: Mapping[str, Any], more: str = "", names: Mapping[Symbol, str] | None = None
    ) -> str:
        """The text of a function that fills vectors (lists) and matrices; `more` arguments stand before those."""
        pairs = [pair for word, values in outputs.items() for pair in entries(word, values)]
        body = body_of(pairs, self.names | dict(names or {}))
        return function("@kernel", name, f"t, x, p, u{more}, {', '.join(outputs)}", body)


@cache
def _compiled(symbol: Symbol, function: Any) -> Any:
    """A user's function of time, tried once, so that what cannot be compiled is named here and not in a loop."""
    built = as_kernel(function)
    try:
        float(built(0.0))
    except Exception as error:
        raise InputError(
            f"Inclusion: the function of input {symbol} does not compile to a number ({str(error).strip()}).\n"
            "  Give a function of the time [s] of plain arithmetic and the math module."
        ) from error
    return built


def _magnitude(value: Expr) -> Expr:
    """The value with nothing taken away from anything: sums and products of the sizes of their parts."""
    if isinstance(value, (sympy.Add, sympy.Mul)):
        return value.func(*(_magnitude(part) for part in value.args))
    return sympy.Abs(value)


def slopes_of(values: Sequence[Expr], by: Sequence[Symbol]) -> sympy.Matrix:
    """How values change with symbols."""
    # Real stand-ins: the slope of |v| is sign(v) only where SymPy knows that v is real.
    real = {symbol: sympy.Dummy(symbol.name, real=True) for value in values for symbol in value.free_symbols}
    back = {dummy: symbol for symbol, dummy in real.items()}
    known = [value.xreplace(real) for value in values]
    return sympy.Matrix(len(values), len(by), lambda i, j: sympy.diff(known[i], real.get(by[j], by[j])).xreplace(back))
