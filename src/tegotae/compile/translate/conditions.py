"""Conditions: comparisons, `and`, `or`, and choices; what does not decide is not worked out."""

from __future__ import annotations

import ast
from functools import partial

from tegotae.compile.translate.arithmetic import Arithmetic
from tegotae.compile.translate.refusal import Refused
from tegotae.compile.translate.types import (
    NOTHING,
    REAL,
    TRUTH,
    WHOLE,
    Known,
    Number,
    Type,
    Unjoinable,
    join,
)
from tegotae.compile.translate.writer import Value, bare

_COMPARE = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


class Conditions(Arithmetic):
    """What is true, and what follows."""

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
        kind: Type | None = None
        for (value, _), operand in zip(worked, node.values, strict=True):
            kind = join(kind, self.number(value, operand).kind)
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
        left = self.keep(self.number(self.expression(node.left), node.left))
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
        left = self.keep(left)
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
        try:
            kind = join(yes.kind, no.kind)
        except Unjoinable as error:
            raise Refused(node, f"a choice that is {error}.", "Choose between values of one type.") from None
        reads, owned = yes.reads or no.reads, yes.owned or no.owned
        if isinstance(kind, Number) and not yes_lines and not no_lines:
            code = f"({condition} ? {self.convert(yes, kind)} : {self.convert(no, kind)})"
            return Value(kind, code, reads=True if reads else condition_reads(condition))
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


def condition_reads(condition: str) -> bool:
    """Whether a condition may read memory."""
    return "[" in condition
