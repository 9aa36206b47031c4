"""Statements: blocks, branches, loops and returns; assignments to names and places of arrays, and changes in place."""

from __future__ import annotations

import ast

from tegotae.compile.translate.expressions import Expressions
from tegotae.compile.translate.types import (
    COUNT,
    NOTHING,
    REAL,
    TRUTH,
    WHOLE,
    Array,
    Known,
    Number,
    Refused,
    Struct,
    Tuple,
    Type,
)
from tegotae.compile.translate.webs import endless
from tegotae.compile.translate.writer import Value, bare


class Statements(Expressions):
    """What a body becomes. `put_X` puts the lines of a statement X; False: what follows it is not reached."""

    _result: Type | None

    def _block(self, body: list[ast.stmt]) -> bool:
        """Put statements; whether what follows them is reached."""
        if not body:
            return True
        self.blocks.append(_extent(body))
        falls = all(map(self._statement, body))  # up to the first that is not left at its end
        self.blocks.pop()
        return falls

    def _statement(self, node: ast.stmt) -> bool:
        try:
            return getattr(self, "_put_" + type(node).__name__)(node) is not False  # `Webs` refuses all others
        except Refused as refusal:
            refusal.node = refusal.node or node
            raise

    def _put_Pass(self, node: ast.Pass) -> None:
        pass

    def _put_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return
        value = self.expression(node.value)
        if value.kind != NOTHING and value.code and not isinstance(value.kind, Known):
            self.put(f"(void){value.code if value.code.isidentifier() else f'({bare(value.code)})'};")

    def _put_Return(self, node: ast.Return) -> bool:
        if node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None):
            if self._result not in (None, NOTHING):
                raise Refused(node, "a path that ends without a result.", "Return a value on every path.")
            self._result = NOTHING
            self.put("return;")
            return False
        value = self.expression(node.value)
        if isinstance(value.kind, Known):
            raise Refused(node, f"it returns {value.words}.", "Return numbers, tuples of them, or views.")
        if value.owned and not isinstance(value.kind, Number):
            raise Refused(node, "it returns an array that it allocated.", "Let the caller allocate it and hand it in.")
        self._result = self.joined(node, self._result, value.kind, "it returns", "Return one type on every path.")
        if value.kind == NOTHING:
            self.put("return;")
        else:
            self.put(f"return {bare(self.convert(value, self._result))};")
        return False

    def _put_If(self, node: ast.If) -> bool:
        if isinstance(node.test, ast.Name | ast.Constant):
            test = self.expression(node.test)
            if test.is_known:  # a maker's choice: the other branch need not even have types
                return self._block(node.body if test.known else node.orelse)
            condition = self.truth(test, node.test)
        else:
            condition = self.condition(node.test)
        self.put(f"if ({bare(condition)}) {{")
        first = self._inner(node.body)
        second = True
        if node.orelse:
            self.put("} else {")
            second = self._inner(node.orelse)
        self.put("}")
        return first or second

    def _inner(self, body: list[ast.stmt]) -> bool:
        self.depth += 1
        falls = self._block(body)
        self.depth -= 1
        return falls

    def _loop_body(self, body: list[ast.stmt]) -> None:
        self.loops += 1
        self._inner(body)
        self.loops -= 1
        self.put("}")

    def _put_While(self, node: ast.While) -> bool:
        if endless(node):
            self.put("for (;;) {")
            self._loop_body(node.body)
            return any(isinstance(inner, ast.Break) for inner in _statements_of(node.body))
        self.loops += 1
        condition, lines = self.apart(lambda: Value(TRUTH, self.condition(node.test)))
        self.loops -= 1
        if lines:
            self.put("for (;;) {")
            self.lines += lines
            self.put(f"    if (!({bare(condition.code)})) {{ break; }}")
        else:
            self.put(f"while ({bare(condition.code)}) {{")
        self._loop_body(node.body)
        return True

    def _put_Break(self, node: ast.Break) -> bool:
        self.put("break;")
        return False

    def _put_Continue(self, node: ast.Continue) -> bool:
        self.put("continue;")
        return False

    def _put_For(self, node: ast.For) -> None:
        call = node.iter
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range":
            self._count(node, call)
            return
        over = self.expression(node.iter)
        over = over if over.fixed and over.simple else self.pin(over)
        place = self.temporary()
        if isinstance(over.kind, Array) and over.kind.dimensions == 1:
            end, item = f"{over.code}.n0", Value(over.kind.element, self.element(over, [place]), reads=True)
        elif isinstance(over.kind, Tuple) and over.kind.items and self.program.alike(over.kind):
            kind = over.kind.of_any
            end, item = str(len(over.kind.items)), Value(kind, f"{over.code}.v[{place}]", owned=over.owned)
        else:
            raise Refused(node, f"a `for` over {over.words}.", "Loop over range(...), or an array of one dimension.")
        self.put(f"for (int64_t {place} = 0; {place} < {end}; ++{place}) {{")
        self.depth += 1
        self.blocks.append(_extent(node.body))
        self._assign(node.target, item)
        self.blocks.pop()
        self.depth -= 1
        self._loop_body(node.body)

    def _count(self, node: ast.For, call: ast.Call) -> None:
        """`for i in range(...)`."""
        if call.keywords or not 1 <= len(call.args) <= 3:
            raise Refused(node, "range with these arguments.", "Give one to three whole numbers.")
        given = [self.number(value, call) for value in self.in_order(call.args)]
        for value in given:
            if not value.is_whole:
                raise Refused(call, "range of a real number.", "Use whole numbers: int(...).")
        zero, one = self.constant(0), self.constant(1)
        start, stop = (zero, given[0]) if len(given) == 1 else (given[0], given[1])
        step = given[2] if len(given) == 3 else one
        if not step.is_known or step.known == 0:
            raise Refused(call, "range with a step that is not known.", "Write the step as a number.")
        up = step.known > 0
        rising = up and start.kind != WHOLE
        falling = not up and stop.is_known and stop.known >= -1
        kind = COUNT if rising or falling else WHOLE
        if not stop.fixed and not stop.is_known:
            stop = self.pin(stop)
        if not isinstance(node.target, ast.Name):
            raise Refused(node, "range gives one number at a time.", "Use one name.")
        web, name = self.variable(node.target)
        kind_of_name = self.widen(node.target, web, kind)
        direct = self._counts_alone(node, web) and kind_of_name == kind
        counter = name if direct else self.temporary()
        sign, change = ("<", f"{counter} += {step.known}") if up else (">", f"{counter} -= {-step.known}")
        change = {1: f"++{counter}", -1: f"--{counter}"}.get(step.known, change)
        begin, end = bare(self.convert(start, WHOLE)), bare(self.convert(stop, WHOLE))
        self.put(f"for (int64_t {counter} = {begin}; {counter} {sign} {end}; {change}) {{")
        if not direct and self.is_read(web):
            self.depth += 1
            self.set(web, name, kind_of_name, bare(self.convert(Value(kind, counter), kind_of_name)))
            self.depth -= 1
        self._loop_body(node.body)

    def _counts_alone(self, node: ast.For, web: ast.AST) -> bool:
        """Whether the name is nothing but the counter of this loop."""
        begin, end = _extent(node.body)
        uses = self.webs.uses.get(web, [])
        inside = all(begin <= (use.lineno, use.col_offset) <= end for use in uses)
        return inside and len(self.webs.definitions[web]) == 1 and web not in self.parameters

    # ------------------------------------------------------------ assignments

    def _put_Assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            if len(target.elts) != len(node.value.elts):
                raise Refused(node, f"{len(node.value.elts)} values for {len(target.elts)} names.", "Give one each.")
            self._assign_side_by_side(target, node.value)
            return
        value = self.expression(node.value)
        if len(node.targets) > 1:
            value = self.reusable(value)
        for one in node.targets:
            self._assign(one, value)

    def _put_AnnAssign(self, node: ast.AnnAssign) -> None:
        assert node.value is not None
        self._assign(node.target, self.expression(node.value))

    def _assign_side_by_side(self, target: ast.Tuple, given: ast.Tuple) -> None:
        """`a, b = x, y`: all values are those from before."""
        values = self.in_order(given.elts)
        writes = any(not isinstance(part, ast.Name) for part in target.elts)
        changed: set[ast.AST] = set()
        for place, part in enumerate(target.elts):
            value = values[place]
            names = [n for n in ast.walk(given.elts[place]) if isinstance(n, ast.Name) and n in self.webs.of]
            if (writes and value.reads) or any(self.webs.of[n] in changed for n in names) or (writes and place):
                values[place] = self.pin(value) if not value.fixed else value
            if isinstance(part, ast.Name):
                changed.add(self.webs.of[part])
            elif isinstance(part, ast.Tuple):
                changed |= {self.webs.of[n] for n in ast.walk(part) if n in self.webs.of}
        for part, value in zip(target.elts, values, strict=True):
            self._assign(part, value)

    def _assign(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self.store(target, value)
        elif isinstance(target, ast.Tuple):
            if not isinstance(value.kind, Tuple | Struct) or len(value.kind.items) != len(target.elts):
                raise Refused(target, f"{value.words} for {len(target.elts)} names.", "Give one value each.")
            kept = self.reusable(value)
            for place, part in enumerate(target.elts):
                if isinstance(part, ast.Name) and self._unused(part, value.kind.items[place]):
                    continue
                self._assign(part, self.item(kept, place))
        elif isinstance(target, ast.Subscript):
            self._assign_place(target, value)
        else:
            raise Refused(target, f"an assignment to {ast.unparse(target)}.", "Assign to names and places of arrays.")

    def _unused(self, part: ast.Name, kind: Type) -> bool:
        """Whether a name takes a value that nobody reads; its type is noted all the same."""
        web, _ = self.variable(part)
        self.widen(part, web, kind)
        return not self.is_read(web)

    def _assign_place(self, target: ast.Subscript, value: Value) -> None:
        base = self.expression(target.value)
        if not isinstance(base.kind, Array):
            raise Refused(target, f"an assignment into {base.words}.", "Only arrays can be changed.")
        if base.kind.frozen:
            raise Refused(target, "an assignment into a constant or read-only array.", "Hand in one to be written.")
        if isinstance(value.kind, Number) and value.reads and isinstance(target.slice, ast.expr):
            mark = len(self.lines)
            place = self.subscript(base, target.slice)
            if len(self.lines) > mark:
                value = self.pin(value, mark)
        else:
            place = self.subscript(base, target.slice)
        if isinstance(place.kind, Array):
            self.fill(place, value, target)
            return
        assert isinstance(place.kind, Number)
        if not isinstance(value.kind, Number):
            raise Refused(target, f"{value.words} into one place of an array.", "Give a number.")
        self.put(f"{place.code} = {self.convert_number(value, place.kind)};")

    def _put_AugAssign(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Name):
            self._augment_name(node, target)
            return
        if not isinstance(target, ast.Subscript):
            raise Refused(node, f"a change of {ast.unparse(target)}.", "Change names and places of arrays.")
        base = self.expression(target.value)
        if isinstance(base.kind, Array) and base.kind.frozen:
            raise Refused(node, "a change of a constant or read-only array.", "Hand in one to be written.")
        place = self.subscript(base, target.slice)
        if not isinstance(place.kind, Number) or not isinstance(base.kind, Array):
            raise Refused(node, f"{place.words} is changed as a whole (array arithmetic).", "Write a loop.")
        mark = len(self.lines)
        value = self.number(self.expression(node.value), node.value)
        before = place
        if any("(" in line for line in self.lines[mark:]):  # a call may change what is added to, and where
            where = self.temporary()
            self.lines.insert(mark, "    " * self.depth + f"{place.kind.stored} *const {where} = &{place.code};")
            place = Value(place.kind, f"(*{where})", reads=True)
            before = self.pin(place, mark + 1)
        assert isinstance(place.kind, Number)
        result = self.arithmetic(node.op, before, value, node)
        sign = {ast.Add: "+=", ast.Sub: "-=", ast.Mult: "*=", ast.Div: "/="}.get(type(node.op))
        if sign and before is place and place.kind == result.kind == REAL:
            self.put(f"{place.code} {sign} {bare(self.convert(value, REAL))};")
        else:
            self.put(f"{place.code} = {self.convert_number(result, place.kind)};")

    def _augment_name(self, node: ast.AugAssign, target: ast.Name) -> None:
        web, name = self.variable(target)
        kind = self.web_types.get(web)
        value = self.expression(node.value)
        if kind is None:
            raise Refused(node, f"{target.id!r} is changed before it has a value.", "Give it one first.")
        held = Value(kind, name, simple=True)
        if not isinstance(kind, Number):
            raise Refused(node, f"{held.words} is changed as a whole (array arithmetic).", "Write a loop.")
        result = self.arithmetic(node.op, held, self.number(value, node.value), node)
        kind = self.widen(target, web, result.kind)
        if self.is_read(web):
            self.set(web, name, kind, bare(self.convert(result, kind)))


def _extent(body: list[ast.stmt]) -> tuple[tuple[int, int], tuple[int, int]]:
    return (body[0].lineno, body[0].col_offset), (body[-1].end_lineno or 0, body[-1].end_col_offset or 0)


def _statements_of(body: list[ast.stmt]) -> list[ast.stmt]:
    """All statements of a loop, those of loops inside it left out."""
    found: list[ast.stmt] = []
    for statement in body:
        found.append(statement)
        if isinstance(statement, ast.If):
            found += _statements_of(statement.body) + _statements_of(statement.orelse)
    return found
