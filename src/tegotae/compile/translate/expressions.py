"""Expressions: what kind each is, names, attributes, tuples and subscripts."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping
from typing import Any

from tegotae.compile.translate.conditions import Conditions
from tegotae.compile.translate.refusal import Refused
from tegotae.compile.translate.types import (
    COUNT,
    Array,
    Known,
    Struct,
    name_of,
)
from tegotae.compile.translate.writer import Value

_OUTSIDE = {
    "ListComp": ("a list comprehension", "Write a loop that fills an array."),
    "GeneratorExp": ("a generator", "Write a loop."),
    "SetComp": ("a set", "Write a loop."),
    "DictComp": ("a dict", "Use a NamedTuple of arrays."),
    "List": ("a list", "Use a tuple, or an array handed in by the caller."),
    "Set": ("a set", "Use a tuple."),
    "Dict": ("a dict", "Use a NamedTuple of arrays."),
    "Lambda": ("a lambda inside a kernel", "Write a kernel beside it."),
    "JoinedStr": ("a string (f-string)", "Kernels work with numbers and arrays."),
    "Yield": ("yield", "Fill an array."),
    "YieldFrom": ("yield", "Fill an array."),
    "Await": ("await", "Kernels do not wait."),
    "Starred": ("a starred expression", "Name every item."),
    "NamedExpr": ("an assignment inside an expression (:=)", "Assign before."),
}


class Expressions(Conditions):
    """From an expression of Python to a value."""

    environment: Mapping[str, Any]

    def expression(self, node: ast.expr) -> Value:
        """The value of an expression; statements that it needs are put before."""
        work = getattr(self, "_" + type(node).__name__, None)
        if work is None:
            what, way = _OUTSIDE.get(type(node).__name__, (type(node).__name__, "See CONTRIBUTING.md, «The subset»."))
            raise Refused(node, f"{what} is outside the subset.", way)
        try:
            value: Value = work(node)
        except Refused as refusal:
            refusal.node = refusal.node or node
            raise
        return value

    # ------------------------------------------------------------ names

    def _Constant(self, node: ast.Constant) -> Value:
        if isinstance(node.value, str | bytes):
            raise Refused(node, "a string is outside the subset.", "Kernels work with numbers and arrays.")
        if isinstance(node.value, complex):
            raise Refused(node, "complex numbers are outside the subset.", "Work with two real numbers.")
        if node.value is None or node.value is ...:
            raise Refused(node, f"{ast.unparse(node)} is outside the subset.", "Use a number, such as math.nan or -1.")
        return self.constant(node.value)

    def _Name(self, node: ast.Name) -> Value:
        if node in self.webs.of:
            return self.read(node)
        if node.id in self.environment:
            return self.constant(self.environment[node.id])
        if hasattr(builtins, node.id):
            return self.constant(getattr(builtins, node.id))
        if node.id in self.webs.names.values():
            raise Refused(node, f"{node.id!r} is used before it has a value.", "Give it one first.")
        raise Refused(node, f"the name {node.id!r} does not exist.", "Define or import it before the kernel is called.")

    def _Attribute(self, node: ast.Attribute) -> Value:
        base = self.expression(node.value)
        if isinstance(base.kind, Known):
            if not hasattr(base.kind.value, node.attr):
                raise Refused(node, f"{ast.unparse(node)} does not exist.", "Check its name.")
            return self.constant(getattr(base.kind.value, node.attr))
        if isinstance(base.kind, Struct):
            if node.attr not in base.kind.fields:
                raise Refused(node, f"{base.kind.name} has no {node.attr!r}.", f"It has {', '.join(base.kind.fields)}.")
            return self.field(self.keep(base), node.attr)
        if isinstance(base.kind, Array) and node.attr in ("shape", "size", "ndim"):
            base = self.keep(base)
            assert isinstance(base.kind, Array)
            extents = [f"{base.code}.n{i}" for i in range(base.kind.dimensions)]
            if node.attr == "ndim":
                return self.constant(base.kind.dimensions)
            if node.attr == "size":
                return Value(COUNT, f"({' * '.join(extents)})", fixed=base.fixed)
            return self.tuple_of([Value(COUNT, code, simple=True, fixed=base.fixed) for code in extents])
        raise Refused(
            node, f".{node.attr} of {name_of(base.kind)}.", "Arrays have shape, size, ndim, reshape and view."
        )

    def _Tuple(self, node: ast.Tuple) -> Value:
        return self.tuple_of(self.in_order(node.elts))

    def _Subscript(self, node: ast.Subscript) -> Value:
        shape = node.value
        if isinstance(shape, ast.Attribute) and shape.attr == "shape":
            base = self.expression(shape.value)
            place = self.expression(node.slice)
            if isinstance(base.kind, Array) and place.is_known:
                base = self.keep(base)
                assert isinstance(base.kind, Array)
                if not -base.kind.dimensions <= place.known < base.kind.dimensions:
                    raise Refused(node, f"extent {place.known} of {name_of(base.kind)}.", "Stay inside.")
                code = f"{base.code}.n{place.known % base.kind.dimensions}"
                return Value(COUNT, code, simple=True, fixed=base.fixed)
        return self.subscript(self.expression(node.value), node.slice)
