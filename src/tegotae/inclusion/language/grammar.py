"""Formulas given as text: numbers, names, arithmetic and known functions. Text is read, never run as Python.

A formula of a few characters can be work without end, `9**9**9`: length, nesting and the size of numbers are bounded.
"""

from __future__ import annotations

import ast
import numbers
import operator
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NoReturn

import numpy as np
import sympy
from sympy import Expr, Symbol

from tegotae import checks
from tegotae.errors import TegotaeError

LONGEST = 10_000  # characters
DEEPEST = 60  # brackets, calls and powers inside each other
HIGHEST = 100  # power of an expression
LARGEST = 1e300  # number

_CONSTANTS = {"pi": sympy.pi, "E": sympy.E, "I": sympy.I, "oo": sympy.oo, "nan": sympy.nan}
_SAME = (
    "sin cos tan cot sec csc asin acos atan acot asec acsc atan2 sinh cosh tanh coth sech csch asinh acosh atanh "
    "exp log ln sqrt cbrt root Abs Min Max floor ceiling erf erfc sinc Mod sign Heaviside Piecewise Rational"
)
FUNCTIONS: dict[str, Callable[..., Any]] = {name: getattr(sympy, name) for name in _SAME.split()}
FUNCTIONS |= {"abs": sympy.Abs, "min": sympy.Min, "max": sympy.Max}
ELEMENTS: dict[str, Callable[..., Any]] = {}  # words of contact and friction; `symbols` fills in what they mean
_OPERATIONS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
    ast.Lt: sympy.Lt,
    ast.LtE: sympy.Le,
    ast.Gt: sympy.Gt,
    ast.GtE: sympy.Ge,
    ast.Eq: sympy.Eq,
    ast.NotEq: sympy.Ne,
}
_QUOTED_OR_HAT = re.compile(r"'[^']*'|\"[^\"]*\"|\^")


def refuse(problem: str, remedy: str) -> NoReturn:
    """Say what is wrong with an inclusion as it was written, and the way out."""
    checks.refuse("Inclusion", problem, remedy)


def value_of(given: Any, owner: str, place: str, names: Mapping[str, Symbol] | None = None) -> Any:
    """What a user gave for a formula, as SymPy carries it: SymPy's own, a number, or text.

    `owner` and `place` tell errors where it stands; `names` are symbols that text may mean, others become plain ones.
    """
    if isinstance(given, str):
        return _Reader(given, owner, place, names or {}).read()
    if isinstance(given, (sympy.Basic, sympy.MatrixBase)):
        return given
    if isinstance(given, np.floating):
        given = float(given)
    # Not containers: SymPy would run text that lies inside them.
    if (isinstance(given, (numbers.Number, np.number)) and not isinstance(given, np.timedelta64)) or hasattr(
        given, "_sympy_"
    ):
        return sympy.sympify(given, strict=True)
    return checks.refuse(
        owner, f"{place}, {checks.shown(given)}, is not an expression.", "Give one formula: SymPy's, or text."
    )


class _Reader:
    """One text: its tree, walked by what is allowed."""

    def __init__(self, text: str, owner: str, place: str, names: Mapping[str, Symbol]):
        self._text, self._owner, self._place, self._names = text, owner, place, names

    def read(self) -> Any:
        if len(self._text) > LONGEST:
            self._refuse(f"has {len(self._text)} characters", f"Use at most {LONGEST}, or SymPy's own expressions.")
        as_python = _QUOTED_OR_HAT.sub(lambda found: "**" if found[0] == "^" else found[0], self._text.strip())
        try:
            tree = ast.parse(as_python, mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            reason = error.msg if isinstance(error, SyntaxError) else error
            self._refuse(f"cannot be read ({reason})", "Write a formula, such as -k*p + sin(t).")
        return self._value(tree.body, DEEPEST)

    def _refuse(self, problem: str, remedy: str) -> NoReturn:
        shown = self._text if len(self._text) <= 200 else f"{self._text[:200]}…"
        checks.refuse(self._owner, f"{self._place}, {shown!r}, {problem}.", remedy)

    def _unknown(self, node: ast.AST) -> NoReturn:
        text = ast.unparse(node)
        shown = text if len(text) <= 60 else f"{text[:60]}…"
        self._refuse(
            f"cannot be read: {shown!r} is not part of a formula",
            "Use numbers, names, + - * / **, brackets and functions such as sin, exp, abs, dio, sgn and coulomb.",
        )

    def _value(self, node: ast.expr, depth: int) -> Any:
        if depth == 0:
            self._refuse(f"has more than {DEEPEST} brackets inside each other", "Name its parts as parameters or rows.")
        match node:
            case ast.Constant(value=bool() as value):
                return sympy.true if value else sympy.false
            case ast.Constant(value=int() | float() as value):
                return self._bounded(sympy.sympify(value))
            case ast.Name(id=name):
                return self._name(name)
            case ast.BinOp():
                return self._sum(node, depth)
            case ast.UnaryOp(op=op, operand=inner) if type(op) in _OPERATIONS:
                return self._done(_OPERATIONS[type(op)], self._value(inner, depth - 1))
            case ast.Compare(left=left, ops=[relation], comparators=[right]) if type(relation) in _OPERATIONS:
                sides = self._value(left, depth - 1), self._value(right, depth - 1)
                return self._done(_OPERATIONS[type(relation)], *sides)
            case ast.Call(func=ast.Name(id=name)):
                return self._call(name, node, depth)
            case ast.Subscript(value=ast.Call(func=ast.Name(id="coulomb")), slice=ast.Constant(value=int() as which)):
                parts = self._value(node.value, depth - 1)
                if isinstance(parts, tuple) and 0 <= which < len(parts):
                    return parts[which]
        return self._unknown(node)

    def _name(self, name: str) -> Any:
        if name in self._names:
            return self._names[name]
        if name in FUNCTIONS or name in ELEMENTS:
            self._refuse(f"has {name} without brackets", f"Write {name}(...), or give a parameter {name!r} a value.")
        return _CONSTANTS.get(name, Symbol(name))

    def _sum(self, node: ast.BinOp, depth: int) -> Any:
        """A chain such as a + b - c hangs to the left, as deep as it is long: it is walked, not descended."""
        chain = []
        first: ast.expr = node
        while isinstance(first, ast.BinOp) and not isinstance(first.op, ast.Pow):
            chain.append((first.op, first.right))
            first = first.left
        if not chain:
            base, exponent = (self._value(part, depth - 1) for part in (node.left, node.right))
            return self._done(self._power, base, exponent)
        total = self._value(first, depth - 1)
        for op, right in reversed(chain):
            if type(op) not in _OPERATIONS:
                self._unknown(node)
            total = self._done(_OPERATIONS[type(op)], total, self._value(right, depth - 1))
        return total

    def _power(self, base: Any, exponent: Any) -> Any:
        if isinstance(base, Expr) and isinstance(exponent, Expr) and exponent.is_number:
            highest = HIGHEST if not base.is_number else 1000
            under = base.as_base_exp()[1]  # powers of powers become one
            if not abs(exponent) <= highest or (under.is_number and not abs(under * exponent) <= highest):
                self._refuse(f"has the power {exponent}", f"Use exponents from -{highest} to {highest}.")
        return base**exponent

    def _call(self, name: str, node: ast.Call, depth: int) -> Any:
        known = {**FUNCTIONS, **ELEMENTS}
        function = None if name in self._names else known.get(name)
        if function is None:
            self._refuse(f"calls {name}, which is not a function here", f"Known are {', '.join(known)}.")
        given = [self._argument(name, part, depth - 1) for part in node.args]
        named: dict[str, Any] = {}
        for word in node.keywords:
            if word.arg is None or name not in ELEMENTS:
                self._unknown(node)
            named[word.arg] = self._argument(name, word.value, depth - 1)
        return self._done(partial(function, *given, **named))

    def _argument(self, name: str, node: ast.expr, depth: int) -> Any:
        """Of an element also its name, and several slips; of a `Piecewise` pairs."""
        if name in ELEMENTS and isinstance(node, ast.Constant) and isinstance(node.value, (str, type(None))):
            return node.value
        several = (ast.List, ast.Tuple) if name == "coulomb" else ast.Tuple if name == "Piecewise" else ()
        if several and isinstance(node, several):
            return tuple(self._value(part, depth - 1) for part in node.elts)  # type: ignore[attr-defined]
        value = self._value(node, depth)
        return value if isinstance(value, Expr) else self._unknown(node)

    def _done(self, work: Callable[..., Any], *parts: Any) -> Any:
        if not all(isinstance(part, sympy.Basic) for part in parts):
            self._refuse("adds or multiplies several forces at once", "Take one: coulomb(limit, [v, w])[0].")
        try:
            return self._bounded(work(*parts))
        except TegotaeError:
            raise  # in words already
        except (TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
            return self._refuse(f"cannot be read ({error})", "Check the arguments of its functions.")

    def _bounded(self, value: Any) -> Any:
        """Refuse huge numbers: SymPy would work on them without end."""
        if isinstance(value, Expr) and value.is_number and value.is_finite is not False:
            parts = (value.p, value.q) if isinstance(value, sympy.Rational) else (value.evalf(3),)
            if not all(abs(part) <= LARGEST for part in parts):
                self._refuse(f"holds a number beyond {LARGEST:g}", "Use SI units, and parameters of usual sizes.")
        return value
