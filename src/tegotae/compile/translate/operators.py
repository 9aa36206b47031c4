"""Operators: arithmetic of numbers, as Python has it where C differs; comparisons, `and`, `or`, and choices.

What does not decide is not worked out.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial, reduce

from tegotae.compile.translate.arrays import Arrays
from tegotae.compile.translate.types import COUNT, NOTHING, REAL, TRUTH, WHOLE, Array, Known, Number, Refused, join
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
_COMPARE = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


class Operators(Arrays):
    """Operators on numbers; what is true, and what follows."""

    def number(self, value: Value, node: ast.expr) -> Value:
        """The value, which must be a number."""
        if not isinstance(value.kind, Number):
            more = " (array arithmetic)" if isinstance(value.kind, Array) else ""
            raise Refused(node, f"{value.words} where a number is needed{more}: {ast.unparse(node)}", "Write a loop.")
        return value

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
            if not value.is_whole:
                raise Refused(node, "~ of a real number.", "Use whole numbers.")
            return Value(WHOLE, f"(~{self.convert(value, WHOLE)})", reads=value.reads)
        return self.counted(value)

    def _BinOp(self, node: ast.BinOp) -> Value:
        left, right = (self.number(value, node) for value in self.in_order([node.left, node.right]))
        return self.arithmetic(node.op, left, right, node)

    def arithmetic(self, operator: ast.operator, left: Value, right: Value, node: ast.AST) -> Value:
        """Two numbers under an operator."""
        whole = left.is_whole and right.is_whole
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
        whole = base.is_whole and exponent.is_whole
        if whole and base.is_known and exponent.is_known and exponent.known >= 0:
            return self.constant(_in_64_bits(int(base.known) ** int(exponent.known)))
        if exponent.is_whole and exponent.is_known and 0 <= exponent.known <= 64:
            kind = REAL if base.kind == REAL else kind_of_whole(base)
            if exponent.known == 0:
                return self.constant(1.0 if kind == REAL else 1)
            square = self.reusable(Value(kind, self.convert(base, kind), simple=base.simple, known=base.known))
            left, code, product = exponent.known, square.code, ""
            while left:
                if left & 1:
                    product = f"({product} * {code})" if product else code
                left >>= 1
                code = f"({code} * {code})"
            return Value(kind, product, reads=square.reads or base.reads)
        if whole and not exponent.is_known:
            raise Refused(node, "a power of whole numbers with an exponent that is not known.", "Use float(a) ** b.")
        reads = base.reads or exponent.reads
        if exponent.is_whole and not whole:
            return Value(REAL, f"powi({bare(base.code)}, {bare(self.convert(exponent, WHOLE))})", reads=reads)
        return Value(REAL, f"pow({bare(self.convert(base, REAL))}, {bare(self.convert(exponent, REAL))})", reads=reads)

    # ------------------------------------------------------------ conditions

    def truth(self, value: Value, node: ast.expr) -> str:
        """The code of a condition."""
        if value.kind == TRUTH:
            return value.code
        if value.is_known:
            return "true" if value.known else "false"
        return f"({self.number(value, node).code} != 0)"

    def condition(self, node: ast.expr) -> str:
        """The code of a condition, of any numbers."""
        if isinstance(node, ast.BoolOp):
            return self._both_or_either(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return f"!({bare(self.condition(node.operand))})"
        return self.truth(self.expression(node), node)

    def _BoolOp(self, node: ast.BoolOp) -> Value:
        """As a value: the operand that decides. Those behind it are not worked out."""
        worked = [self.apart(partial(self.expression, operand)) for operand in node.values]
        if all(value.kind == TRUTH for value, _ in worked):
            return Value(TRUTH, self._both_or_either(node), reads=True)
        numbers = [self.number(value, operand) for (value, _), operand in zip(worked, node.values, strict=True)]
        kind = reduce(join, (number.kind for number in numbers))
        assert isinstance(kind, Number)
        name, wanted = self.temporary(), "" if isinstance(node.op, ast.And) else "!"
        for place, (value, lines) in enumerate(worked):
            inner = self.depth + (1 if place else 0)
            if place:
                self.put(f"if ({wanted}({name} != 0)) {{")
            # worked out one step further in than it stands
            self.lines += lines if place else [line[4:] for line in lines]
            start = f"{kind.c_type} " if not place else ""
            self.lines.append("    " * inner + f"{start}{name} = {bare(self.convert(value, kind))};")
            if place:
                self.put("}")
        return Value(kind, name, simple=True, fixed=True)

    def _both_or_either(self, node: ast.BoolOp) -> str:
        """As a condition. Operands behind the one that decides are not worked out."""
        both = isinstance(node.op, ast.And)
        code = ""
        for place, operand in enumerate(node.values):

            def work(operand: ast.expr = operand) -> Value:
                return Value(TRUTH, self.condition(operand))

            value, lines = (work(), []) if place == 0 else self.apart(work)
            if lines:
                name = self.temporary()
                self.put(f"bool {name} = {bare(code)};")
                self.put(f"if ({'' if both else '!'}{name}) {{")
                self.lines += [*lines, "    " * (self.depth + 1) + f"{name} = {bare(value.code)};"]
                self.put("}")
                code = name
            else:
                inner = (
                    value.code if value.code.startswith(("(", "!(")) or value.code.isidentifier() else f"({value.code})"
                )
                code = f"{code} {'&&' if both else '||'} {inner}" if code else inner
        return f"({code})"

    def _Compare(self, node: ast.Compare) -> Value:
        if len(node.ops) == 1:
            if isinstance(node.ops[0], ast.In | ast.NotIn):
                return self._among(node)
            left, right = self.in_order([node.left, node.comparators[0]])
            return Value(TRUTH, f"({self._compared(node.ops[0], left, right, node)})", reads=left.reads or right.reads)
        # a < b < c: c is worked out only if a < b holds
        left = self.reusable(self.number(self.expression(node.left), node.left))
        name = self.temporary()
        code, opened, reads = "", 0, left.reads
        for place, (operator, comparator) in enumerate(zip(node.ops, node.comparators, strict=True)):
            mark = len(self.lines)
            right = self.number(self.expression(comparator), comparator)
            reads = reads or right.reads
            later = place + 1 < len(node.ops)
            if later and not right.simple and not right.is_known:
                right = self.pin(right)
            if place and len(self.lines) > mark:
                lines = self.lines[mark:]
                del self.lines[mark:]
                self.put(f"{'bool ' if not opened else ''}{name} = {code};")
                self.put(f"if ({name}) {{")
                self.depth, opened = self.depth + 1, opened + 1
                self.lines += ["    " + line for line in lines]
                code = ""
            part = self._compared(operator, left, right, node)
            code = f"{code} && ({part})" if code else f"({part})"
            left = right
        if opened:
            self.put(f"{name} = {bare(code)};")
            for _ in range(opened):
                self.depth -= 1
                self.put("}")
            code = name
        return Value(TRUTH, f"({code})", reads=reads and not opened)

    def _compared(self, operator: ast.cmpop, left: Value, right: Value, node: ast.expr) -> str:
        sign = _COMPARE.get(type(operator))
        if sign is None:
            raise Refused(node, "`is` is outside the subset.", "Compare numbers with == or !=.")
        self.number(left, node), self.number(right, node)
        kind = REAL if REAL in (left.kind, right.kind) else WHOLE
        return f"{self.convert(left, kind)} {sign} {self.convert(right, kind)}"

    def _among(self, node: ast.Compare) -> Value:
        choices = node.comparators[0]
        if not isinstance(choices, ast.Tuple) or not choices.elts:
            raise Refused(node, "`in` of something that is not written as a tuple.", "Write `x in (a, b, c)`.")
        left, *others = (self.number(value, node) for value in self.in_order([node.left, *choices.elts]))
        left = self.reusable(left)
        tests = " || ".join(f"({self._compared(ast.Eq(), left, other, node)})" for other in others)
        reads = any(value.reads for value in (left, *others))
        return Value(TRUTH, f"({tests})" if isinstance(node.ops[0], ast.In) else f"(!({tests}))", reads=reads)

    def _IfExp(self, node: ast.IfExp) -> Value:
        test = self.expression(node.test) if isinstance(node.test, ast.Constant | ast.Name) else None
        if test is not None and test.is_known:
            return self.expression(node.body if test.known else node.orelse)
        condition = self.condition(node.test) if test is None else self.truth(test, node.test)
        yes, yes_lines = self.apart(lambda: self.expression(node.body))
        no, no_lines = self.apart(lambda: self.expression(node.orelse))
        if isinstance(yes.kind, Known) or isinstance(no.kind, Known) or NOTHING in (yes.kind, no.kind):
            raise Refused(node, "a choice between things that are not numbers or arrays.", "Use if and else.")
        kind = self.joined(node, yes.kind, no.kind, "a choice that is", "Choose between values of one type.")
        reads, owned = yes.reads or no.reads, yes.owned or no.owned
        if isinstance(kind, Number) and not yes_lines and not no_lines:
            code = f"({condition} ? {self.convert(yes, kind)} : {self.convert(no, kind)})"
            return Value(kind, code, reads=reads or "[" in condition)  # which reads memory, too
        name = self.temporary()
        self.put(f"{self.program.c_type(kind)} {name};")
        self.put(f"if ({bare(condition)}) {{")
        for value, lines, between in ((yes, yes_lines, "} else {"), (no, no_lines, "}")):
            self.depth += 1
            self.lines += lines
            self.put(f"{name} = {bare(self.convert(value, kind))};")
            self.depth -= 1
            self.put(between)
        return Value(kind, name, simple=True, fixed=True, owned=owned)


def kind_of_whole(value: Value) -> Number:
    """The type that a whole number is worked with: truth values count as 0 and 1."""
    assert isinstance(value.kind, Number)
    return COUNT if value.kind == TRUTH else value.kind


def _in_64_bits(value: int) -> int:
    """Whole numbers wrap around, as they do in C."""
    return (value + 2**63) % 2**64 - 2**63
