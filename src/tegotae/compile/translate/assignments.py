"""Assignments: to names, to places of arrays, side by side, and changes in place."""

from __future__ import annotations

import ast

from tegotae.compile.translate.calls import Calls
from tegotae.compile.translate.refusal import Refused
from tegotae.compile.translate.types import (
    REAL,
    TRUTH,
    Array,
    Number,
    Struct,
    Tuple,
    Type,
    name_of,
)
from tegotae.compile.translate.writer import Value, bare


class Assignments(Calls):
    """How a value gets to where it belongs."""

    def _put_Assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            if len(target.elts) != len(node.value.elts):
                raise Refused(node, f"{len(node.value.elts)} values for {len(target.elts)} names.", "Give one each.")
            self._assign_side_by_side(target, node.value)
            return
        value = self.expression(node.value)
        if len(node.targets) > 1:
            value = self.keep(value)
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
                raise Refused(target, f"{name_of(value.kind)} for {len(target.elts)} names.", "Give one value each.")
            kept = self.keep(value)
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
        return web not in self.webs.uses and web not in self.parameters

    def _assign_place(self, target: ast.Subscript, value: Value) -> None:
        base = self.expression(target.value)
        if not isinstance(base.kind, Array):
            raise Refused(target, f"an assignment into {name_of(base.kind)}.", "Only arrays can be changed.")
        if base.kind.frozen:
            raise Refused(target, "an assignment into a constant or read-only array.", "Hand in one to be written.")
        if isinstance(value.kind, Number) and value.reads and isinstance(target.slice, ast.expr):
            mark = len(self.lines)
            place = self.subscript(base, target.slice)
            if len(self.lines) > mark:
                value = self._pinned_at(mark, value)
        else:
            place = self.subscript(base, target.slice)
        if isinstance(place.kind, Array):
            self.fill(place, value, target)
            return
        assert isinstance(place.kind, Number)
        if not isinstance(value.kind, Number):
            raise Refused(target, f"{name_of(value.kind)} into one place of an array.", "Give a number.")
        self.put(f"{place.code} = {self.convert_number(value, place.kind)};")

    def _pinned_at(self, mark: int, value: Value) -> Value:
        name = self.temporary()
        line = "    " * self.depth + f"const {self.program.c_type(value.kind)} {name} = {bare(value.code)};"
        self.lines.insert(mark, line)
        return Value(value.kind, name, simple=True, fixed=True)

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
            raise Refused(node, f"{name_of(place.kind)} is changed as a whole (array arithmetic).", "Write a loop.")
        mark = len(self.lines)
        value = self.number(self.expression(node.value), node.value)
        before = place
        if any("(" in line for line in self.lines[mark:]):  # a call may change what is added to, and where
            where = self.temporary()
            element = "uint8_t" if place.kind == TRUTH else place.kind.c_type
            self.lines.insert(mark, "    " * self.depth + f"{element} *const {where} = &{place.code};")
            place = Value(place.kind, f"(*{where})", reads=True)
            before = self._pinned_at(mark + 1, place)
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
        if not isinstance(kind, Number):
            raise Refused(node, f"{name_of(kind)} is changed as a whole (array arithmetic).", "Write a loop.")
        held = Value(kind, name, simple=True)
        result = self.arithmetic(node.op, held, self.number(value, node.value), node)
        kind = self.widen(target, web, result.kind)
        if web in self.webs.uses or web in self.parameters:
            if web not in self.parameters:
                self.declared[web] = name, kind
            self.put(f"{name} = {bare(self.convert(result, kind))};")
