"""Arithmetic of numbers, as Python has it where C differs."""

from __future__ import annotations

import ast
from collections.abc import Callable

from tegotae.compile.translate.arrays import Arrays
from tegotae.compile.translate.refusal import Refused
from tegotae.compile.translate.types import (
    COUNT,
    REAL,
    TRUTH,
    WHOLE,
    Array,
    Number,
    is_whole,
    name_of,
)
from tegotae.compile.translate.writer import Value, bare

_SIGN = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
_BITS = {ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^"}
_KNOWN: dict[type, Callable[[int, int], int]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b if b else 0,
    ast.Mod: lambda a, b: a % b if b else 0,
}


class Arithmetic(Arrays):
    """Operators on numbers."""

    def number(self, value: Value, node: ast.expr) -> Value:
        """The value, which must be a number."""
        if not isinstance(value.kind, Number):
            more = " (array arithmetic)" if isinstance(value.kind, Array) else ""
            raise Refused(
                node, f"{name_of(value.kind)} where a number is needed{more}: {ast.unparse(node)}", "Write a loop."
            )
        return value

    def condition(self, node: ast.expr) -> str:
        """The code of a condition, of any numbers."""
        raise NotImplementedError

    def _UnaryOp(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return Value(TRUTH, f"(!({bare(self.condition(node.operand))}))")
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant) and type(node.operand.value) is int:
            return self.constant(-node.operand.value)  # the smallest one has no positive counterpart
        value = self.number(self.expression(node.operand), node.operand)
        if isinstance(node.op, ast.USub):
            if value.is_known:
                return self.constant(-value.known if value.kind == REAL else _in_64_bits(-int(value.known)))
            kind = REAL if value.kind == REAL else WHOLE
            return Value(kind, f"(-{self.convert(value, kind)})", reads=value.reads)
        if isinstance(node.op, ast.Invert):
            if not is_whole(value.kind):
                raise Refused(node, "~ of a real number.", "Use whole numbers.")
            return Value(WHOLE, f"(~{self.convert(value, WHOLE)})", reads=value.reads)
        return value if value.kind != TRUTH else Value(COUNT, self.convert(value, COUNT), reads=value.reads)

    def _BinOp(self, node: ast.BinOp) -> Value:
        left, right = (self.number(value, node) for value in self.in_order([node.left, node.right]))
        return self.arithmetic(node.op, left, right, node)

    def arithmetic(self, operator: ast.operator, left: Value, right: Value, node: ast.AST) -> Value:
        """Two numbers under an operator."""
        whole = is_whole(left.kind) and is_whole(right.kind)
        reads = left.reads or right.reads
        known = _KNOWN.get(type(operator))
        if whole and left.is_known and right.is_known and known is not None:
            return self.constant(_in_64_bits(known(int(left.known), int(right.known))))
        kind = self._kind_of(operator, left, right)
        if isinstance(operator, ast.Div):
            return Value(REAL, f"({self.convert(left, REAL)} / {self.convert(right, REAL)})", reads=reads)
        if sign := _SIGN.get(type(operator)):
            one, other = (
                self.convert(value, REAL if kind == REAL else kind_of_whole(value)) for value in (left, right)
            )
            return Value(kind, f"({one} {sign} {other})", reads=reads)
        if isinstance(operator, ast.FloorDiv | ast.Mod):
            return self._floor(isinstance(operator, ast.Mod), left, right, kind)
        if isinstance(operator, ast.Pow):
            return self._power(left, right, node)
        if not whole:
            raise Refused(node, f"bits of real numbers: {ast.unparse(node)}", "Use whole numbers.")
        one, other = self.convert(left, WHOLE), self.convert(right, WHOLE)
        if sign := _BITS.get(type(operator)):
            if left.kind == right.kind == TRUTH:
                return Value(TRUTH, f"(({left.code} {sign} {right.code}) != 0)", reads=reads)
            return Value(kind, f"({one} {sign} {other})", reads=reads)
        if isinstance(operator, ast.LShift | ast.RShift):
            name = "shift_left" if isinstance(operator, ast.LShift) else "shift_right"
            keeps = isinstance(operator, ast.RShift) and left.kind != WHOLE
            return Value(COUNT if keeps else WHOLE, f"{name}({bare(one)}, {bare(other)})", reads=reads)
        raise Refused(node, f"the operator {type(operator).__name__}.", "Write it out.")

    def _kind_of(self, operator: ast.operator, left: Value, right: Value) -> Number:
        if REAL in (left.kind, right.kind):
            return REAL
        negative = WHOLE in (left.kind, right.kind) or isinstance(operator, ast.Sub)
        if isinstance(operator, ast.BitAnd) and not (left.kind == WHOLE and right.kind == WHOLE):
            negative = False
        return WHOLE if negative else COUNT

    def _floor(self, remainder: bool, left: Value, right: Value, kind: Number) -> Value:
        reads = left.reads or right.reads
        if kind == REAL:
            name = "floormod_real" if remainder else "floordiv_real"
            one, other = bare(self.convert(left, REAL)), bare(self.convert(right, REAL))
            return Value(REAL, f"{name}({one}, {other})", reads=reads)
        one, other = self.convert(left, kind_of_whole(left)), self.convert(right, kind_of_whole(right))
        if kind == COUNT and right.is_known and right.known > 0:
            return Value(COUNT, f"({one} {'%' if remainder else '/'} {other})", reads=reads)
        if remainder and right.is_known and right.known > 0:
            kind = COUNT
        return Value(kind, f"{'floormod' if remainder else 'floordiv'}({bare(one)}, {bare(other)})", reads=reads)

    def _power(self, base: Value, exponent: Value, node: ast.AST) -> Value:
        """Small whole exponents are products, by squaring; others ask the library."""
        if (
            is_whole(base.kind)
            and base.is_known
            and is_whole(exponent.kind)
            and exponent.is_known
            and exponent.known >= 0
        ):
            return self.constant(_in_64_bits(int(base.known) ** int(exponent.known)))
        if is_whole(exponent.kind) and exponent.is_known and 0 <= exponent.known <= 64:
            kind = REAL if base.kind == REAL else kind_of_whole(base)
            if exponent.known == 0:
                return self.constant(1.0 if kind == REAL else 1)
            square = self.keep(Value(kind, self.convert(base, kind), simple=base.simple, known=base.known))
            left, code, product = exponent.known, square.code, ""
            while left:
                if left & 1:
                    product = f"({product} * {code})" if product else code
                left >>= 1
                code = f"({code} * {code})"
            return Value(kind, product, reads=square.reads or base.reads)
        if is_whole(base.kind) and is_whole(exponent.kind) and exponent.is_known:
            return Value(
                REAL, f"pow({bare(self.convert(base, REAL))}, {self.convert(exponent, REAL)})", reads=base.reads
            )
        if is_whole(base.kind) and is_whole(exponent.kind):
            raise Refused(node, "a power of whole numbers with an exponent that is not known.", "Use float(a) ** b.")
        reads = base.reads or exponent.reads
        if is_whole(exponent.kind):
            return Value(REAL, f"powi({bare(base.code)}, {bare(self.convert(exponent, WHOLE))})", reads=reads)
        return Value(REAL, f"pow({bare(self.convert(base, REAL))}, {bare(exponent.code)})", reads=reads)


def kind_of_whole(value: Value) -> Number:
    """The type that a whole number is worked with: truth values count as 0 and 1."""
    assert isinstance(value.kind, Number)
    return COUNT if value.kind == TRUTH else value.kind


def _in_64_bits(value: int) -> int:
    """Whole numbers wrap around, as they do in C."""
    return (value + 2**63) % 2**64 - 2**63
