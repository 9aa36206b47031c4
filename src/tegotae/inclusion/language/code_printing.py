"""From SymPy expressions to the source of compiled functions: common parts once, plain arithmetic, no lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy
from sympy import Expr, Symbol
from sympy.printing.codeprinter import PrintMethodNotImplementedError
from sympy.printing.pycode import PythonCodePrinter

from tegotae import checks
from tegotae.errors import InputError


class _Printer(PythonCodePrinter):  # type: ignore[misc]
    """Python's math module, and conditions that numba turns into branches."""

    def _print_Max(self, expr: Any) -> str:
        return self._nested("max", expr.args)

    def _print_Min(self, expr: Any) -> str:
        return self._nested("min", expr.args)

    def _nested(self, word: str, args: Sequence[Any]) -> str:
        text = f"float({self._print(args[0])})" if args[0].is_number else self._print(args[0])
        for arg in args[1:]:
            text = f"{word}({text}, {self._print(arg)})"
        return text

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
            checks.refuse("Inclusion", f"{expr} leaves a hole.", "End a Piecewise with (value, True).")
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


def body_of(outputs: Sequence[tuple[str, Expr]], names: Mapping[Symbol, str], prefix: str = "c") -> str:
    """Assignments `target = expression`, their common parts computed once; `names` says where each symbol lies."""
    # Places first: a user's symbol could be called like one of the common parts.
    known = {symbol: Symbol(code, real=True) for symbol, code in names.items()}
    placed = [expression.xreplace(known) for _, expression in outputs]
    common, reduced = sympy.cse(placed, symbols=sympy.numbered_symbols(f"{prefix}_"), order="none")
    lines = [f"{symbol} = {code_of(value)}" for symbol, value in common]
    lines += [f"{target} = {code_of(value)}" for (target, _), value in zip(outputs, reduced, strict=True)]
    return "\n".join(lines)


def indented(text: str, by: str = "    ") -> str:
    """Every line moved right."""
    return "\n".join(by + line for line in text.splitlines())
