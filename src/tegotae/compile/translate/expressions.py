"""Expressions: what kind each is, names, attributes, tuples and subscripts; and calls.

Called are kernels, functions of `math`, and the few built-in ones.
"""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Mapping
from functools import reduce
from typing import Any

import numpy as np

from tegotae.compile.addresses import Signature
from tegotae.compile.kernels import Kernel, as_kernel
from tegotae.compile.translate.operators import Operators, kind_of_whole
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
    join,
)
from tegotae.compile.translate.writer import Value, bare

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
# Functions of real numbers, under the name that C has for them, with how many they take.
_OF_ONE = (
    "sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp expm1 log log1p log2 log10 fabs erf erfc"
)
_OF_TWO = "atan2 pow hypot copysign fmod"
_REAL_FUNCTIONS = {
    getattr(math, name): (name, count) for count, names in ((1, _OF_ONE), (2, _OF_TWO)) for name in names.split()
}
_TESTS = {
    math.isfinite: "isfinite", np.isfinite: "isfinite", math.isnan: "isnan", np.isnan: "isnan",
    math.isinf: "isinf", np.isinf: "isinf",
}  # fmt: skip


class Expressions(Operators):
    """From an expression of Python to a value."""

    environment: Mapping[str, Any]
    free: bool

    def expression(self, node: ast.expr) -> Value:
        """The value of an expression; statements that it needs are put before."""
        kind = type(node).__name__
        work = getattr(self, "_" + kind, None)
        if work is None:
            what, remedy = _OUTSIDE.get(kind, (kind, "See CONTRIBUTING.md, «The subset»."))
            raise Refused(node, f"{what} is outside the subset.", remedy)
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
            return self.field(self.reusable(base), node.attr)
        if isinstance(base.kind, Array) and node.attr in ("shape", "size", "ndim"):
            base = self.reusable(base)
            if node.attr == "ndim":
                return self.constant(base.array.dimensions)
            if node.attr == "size":
                return Value(COUNT, f"({' * '.join(base.extents)})", fixed=base.fixed)
            return self.tuple_of([Value(COUNT, code, simple=True, fixed=base.fixed) for code in base.extents])
        raise Refused(node, f".{node.attr} of {base.words}.", "Arrays have shape, size, ndim, reshape and view.")

    def _Tuple(self, node: ast.Tuple) -> Value:
        return self.tuple_of(self.in_order(node.elts))

    def _Subscript(self, node: ast.Subscript) -> Value:
        shape = node.value
        if isinstance(shape, ast.Attribute) and shape.attr == "shape":
            base = self.expression(shape.value)
            place = self.expression(node.slice)
            if isinstance(base.kind, Array) and place.is_known:
                base = self.reusable(base)
                if not -base.array.dimensions <= place.known < base.array.dimensions:
                    raise Refused(node, f"extent {place.known} of {base.words}.", "Stay inside.")
                code = f"{base.code}.n{place.known % base.array.dimensions}"
                return Value(COUNT, code, simple=True, fixed=base.fixed)
        return self.subscript(self.expression(node.value), node.slice)

    # ------------------------------------------------------------ calls

    def _Call(self, node: ast.Call) -> Value:
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("reshape", "view"):
            array = self.sliced(node) if node.func.attr == "reshape" else None
            array = self.expression(node.func.value) if array is None else array
            if isinstance(array.kind, Array):
                return self.reshape(node, array) if node.func.attr == "reshape" else self.reinterpret(node, array)
        called = self.expression(node.func)
        if not isinstance(called.kind, Known):
            raise Refused(node, f"{called.words} is called.", "Call kernels.")
        function = called.kind.value
        if function in (np.zeros, np.empty):
            return self.allocate(node, function is np.zeros)
        if node.keywords:
            raise Refused(node, "a keyword argument.", "Give arguments by place.")
        arguments = self.in_order(node.args)
        if isinstance(function, Signature):
            return self._call_by_address(function, arguments, node)
        if hasattr(function, "py_func"):
            return self.call(as_kernel(function), arguments)
        if isinstance(function, type) and issubclass(function, tuple) and hasattr(function, "_fields"):
            return self._record(function, arguments, node)
        return self._built_in(function, arguments, node)

    def call(self, kernel: Kernel, arguments: list[Value]) -> Value:
        """Call another kernel: its result is kept before anything else happens."""
        function = self.program.function(kernel, tuple(argument.kind for argument in arguments), self.free)
        self.callees[function] = None
        given = []
        for argument in arguments:
            if isinstance(argument.kind, Known):
                continue
            given.append(self.address(argument) if isinstance(argument.kind, Struct) else bare(argument.code))
        owned = any(argument.owned for argument in arguments) and not isinstance(function.result, Number)
        return self._called(f"{function.name}({', '.join(given)})", function.result, owned)

    def _called(self, code: str, result: Type, owned: bool = False) -> Value:
        """The result of a call that happens now."""
        if result == NOTHING:
            self.put(code + ";")
            return Value(NOTHING, "", simple=True)
        return self.pin(Value(result, code, owned=owned))

    def _call_by_address(self, signature: Signature, arguments: list[Value], node: ast.Call) -> Value:
        """Call what lies at an address, which is a number."""
        if len(arguments) != 1 + len(signature.arguments):
            raise Refused(node, f"{signature!r} of {len(arguments)} values.", "Give an address and its arguments.")
        where, *rest = arguments
        self.number(where, node)
        for value, kind in zip(rest, signature.arguments, strict=True):
            if not _fits(value.kind, kind):
                raise Refused(node, f"{value.words} where {signature!r} has another.", "Hand over its kind.")
        kinds = [self.program.c_type(kind) for kind in signature.arguments]
        given = [self.convert(value, kind) for value, kind in zip(rest, signature.arguments, strict=True)]
        target = f"{self.program.c_type(signature.result)} (*)({', '.join(kinds)})"
        address = f"(uintptr_t){where.code if where.simple else f'({bare(where.code)})'}"
        return self._called(f"(({target}){address})({', '.join(map(bare, given))})", signature.result)

    def _record(self, kind: Any, arguments: list[Value], node: ast.Call) -> Value:
        if len(arguments) != len(kind._fields):
            raise Refused(node, f"{kind.__name__} of {len(arguments)} values.", f"It has {', '.join(kind._fields)}.")
        record = Struct(kind.__name__, tuple(kind._fields), tuple(value.kind for value in arguments))
        for value in arguments:
            if isinstance(value.kind, Known):
                raise Refused(node, f"a record that holds {value.words}.", "Hold numbers, arrays and records.")
        inner = ", ".join(bare(value.code) for value in arguments) or "0"
        return self.pin(Value(record, f"{{{inner}}}", owned=any(value.owned for value in arguments)))

    def _built_in(self, function: Any, arguments: list[Value], node: ast.Call) -> Value:
        if function is len and len(arguments) == 1:
            return self._length(arguments[0], node)
        if function in (min, max):
            arguments = self.items_of(arguments)
        for argument in arguments:
            self.number(argument, node)
        if function in (min, max) and len(arguments) > 1:
            return self._extreme(arguments, ">" if function is max else "<")
        if len(arguments) == 1:
            value = self._of_one(function, arguments[0])
            if value is not None:
                return value
        if function in _REAL_FUNCTIONS and all(argument.is_known for argument in arguments):
            try:  # by the library that Python calls, not by the compiler's own arithmetic
                return self.constant(float(function(*(argument.known for argument in arguments))))
            except (ValueError, OverflowError):
                pass  # infinite or no number: the library says which
        if function in _REAL_FUNCTIONS and len(arguments) == _REAL_FUNCTIONS[function][1]:
            given = ", ".join(bare(self.convert(argument, REAL)) for argument in arguments)
            reads = any(argument.reads for argument in arguments)
            return Value(REAL, f"{_REAL_FUNCTIONS[function][0]}({given})", reads=reads)
        raise Refused(
            node, f"{ast.unparse(node.func)} cannot be called so inside a kernel.", "Write it as a kernel (@kernel)."
        )

    def _length(self, value: Value, node: ast.Call) -> Value:
        if isinstance(value.kind, Tuple):
            return self.constant(len(value.kind.items))
        if not isinstance(value.kind, Array):
            raise Refused(node, f"len of {value.words}.", "Arrays and tuples have a length.")
        kept = self.reusable(value)
        return Value(COUNT, f"{kept.code}.n0", simple=True, fixed=kept.fixed)

    def _of_one(self, function: Any, value: Value) -> Value | None:
        reads = value.reads
        if function is abs:
            if value.kind == REAL:
                return Value(REAL, f"fabs({bare(value.code)})", reads=reads)
            kept = self.reusable(Value(kind_of_whole(value), self.convert(value, kind_of_whole(value))))
            return Value(COUNT, f"({kept.code} < 0 ? -{kept.code} : {kept.code})")
        if function is int:
            if value.kind == REAL:
                return Value(WHOLE, f"whole({bare(value.code)})", reads=reads)
            return self.counted(value)
        if function is bool:
            return value if value.kind == TRUTH else Value(TRUTH, f"({value.code} != 0)", reads=reads)
        if function in (float, np.float64):
            if value.is_known:
                return self.constant(float(value.known))
            return Value(REAL, self.convert(value, REAL), reads=reads)
        if function in (math.floor, math.ceil):
            if value.is_whole:
                return value
            name = "floor" if function is math.floor else "ceil"
            return Value(WHOLE, f"whole({name}({bare(value.code)}))", reads=reads)
        if function in _TESTS:
            return Value(TRUTH, f"({_TESTS[function]}({bare(self.convert(value, REAL))}) != 0)", reads=reads)
        return None

    def _extreme(self, values: list[Value], sign: str) -> Value:
        """As Python orders: the first stays unless another lies beyond it (NaN, -0)."""
        kind = reduce(join, (value.kind for value in values))
        assert isinstance(kind, Number)
        at_least_zero = sign == ">" and any(value.kind in (COUNT, TRUTH) for value in values)
        best = values[0]
        for value in values[1:]:
            best, value = self.reusable(best), self.reusable(value)
            one, other = self.convert(best, kind), self.convert(value, kind)
            best = Value(kind, f"({other} {sign} {one} ? {other} : {one})")
        return Value(COUNT if kind == WHOLE and at_least_zero else kind, best.code)


def _fits(given: Type, asked: Type) -> bool:
    """Whether a value may be handed over: as a column, numbers that lie side by side, too; none that are constant."""
    if not isinstance(given, Array) or not isinstance(asked, Array):
        return isinstance(given, Number) and isinstance(asked, Number)
    if given.frozen:  # what lies at the address may write it
        return False
    same = given.element == asked.element and given.dimensions == asked.dimensions
    return same and (given.contiguous or not asked.contiguous)
