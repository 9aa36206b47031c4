"""Indexing, slices, views and copies of arrays."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from tegotae.compile.translate.helpers import LARGEST_BUFFER
from tegotae.compile.translate.types import COUNT, REAL, TRUTH, WHOLE, Array, Known, Number, Refused, Struct, Tuple
from tegotae.compile.translate.writer import Value, Writer, bare


class Arrays(Writer):
    """How arrays are read, written and made."""

    def subscript(self, base: Value, at: ast.expr) -> Value:
        """`base[at]`."""
        if isinstance(base.kind, Tuple | Struct):
            return self._item_of(base, at)
        if not isinstance(base.kind, Array):
            raise Refused(at, f"{base.words} cannot be indexed.", "Index arrays and tuples.")
        parts = list(at.elts) if isinstance(at, ast.Tuple) else [at]
        base = self.reusable(base)
        if len(parts) > base.array.dimensions:
            raise Refused(at, f"{len(parts)} indices for {base.words}.", "Give as many as it has dimensions.")
        if any(isinstance(part, ast.Slice) for part in parts):
            return self._slice(base, parts)
        places = self.items_of(self.in_order(parts))
        indices = [self._index(place, f"{base.code}.n{i}", at) for i, place in enumerate(places)]
        if len(indices) == base.array.dimensions:
            return Value(base.array.element, self.element(base, indices), reads=True)
        return self._row(base, indices)

    def _item_of(self, base: Value, at: ast.expr) -> Value:
        base = self.reusable(base)
        assert isinstance(base.kind, Tuple | Struct)
        count = len(base.kind.items)
        if isinstance(at, ast.Slice):
            bounds = [None if part is None else self._literal(part) for part in (at.lower, at.upper, at.step)]
            return self.tuple_of([self.item(base, i) for i in range(count)[slice(*bounds)]])
        place = self.expression(at)
        if not place.is_whole:
            raise Refused(at, f"{place.words} as an index.", "Use a whole number: int(...).")
        if place.is_known:
            if not -count <= place.known < count:
                raise Refused(at, f"index {place.known} of a tuple of {count}.", "Stay inside.")
            return self.item(base, place.known % count)
        if isinstance(base.kind, Struct) or not self.program.alike(base.kind):
            raise Refused(at, "an index that is not known, into a tuple of several types.", "Use one type.")
        index = self._index(self.counted(place), str(count), at)
        return Value(base.kind.of_any, f"{base.code}.v[{index}]", owned=base.owned)

    def _literal(self, node: ast.expr) -> int:
        value = self.expression(node)
        if not value.is_known:
            raise Refused(node, "a slice of a tuple with bounds that are not known.", "Write them as numbers.")
        return int(value.known)

    def _index(self, place: Value, extent: str, node: ast.expr) -> str:
        if isinstance(place.kind, Array):
            raise Refused(node, "an array as an index (fancy indexing).", "Write a loop over its places.")
        if not isinstance(place.kind, Number) or not place.is_whole:
            raise Refused(node, f"{place.words} (float) as an index.", "Use a whole number: int(...).")
        if place.kind == TRUTH:
            raise Refused(node, "a truth value as an index, which NumPy takes for a mask.", "Use int(...).")
        if place.is_known and place.known < 0:
            return f"{extent} - {-place.known}"
        if place.kind == WHOLE:
            return f"wrap({bare(place.code)}, {extent})"
        plain = bare(place.code)
        # Sums may stand bare among other sums; a choice or a comparison may not.
        return place.code if _BINDS_LOOSELY.search(plain.replace("->", "")) else plain

    def element(self, array: Value, indices: Sequence[str]) -> str:
        """The place of one number."""
        if not array.array.contiguous:
            terms = [_times(index, f"{array.code}.s{i}") for i, index in enumerate(indices)]
            return f"{array.code}.p[{' + '.join(terms)}]"
        code = indices[0]
        for i in range(1, len(indices)):
            code = f"{_times(code, f'{array.code}.n{i}')} + {indices[i]}"
        return f"{array.code}.p[{code}]"

    def _stride(self, array: Value, place: int) -> str:
        if not array.array.contiguous:
            return f"{array.code}.s{place}"
        return " * ".join(f"{array.code}.n{i}" for i in range(place + 1, array.array.dimensions)) or "1"

    def _view(self, base: Value, offset: Sequence[str], extents: Sequence[str], strides: Sequence[str] | None) -> Value:
        kind = Array(base.array.element, len(extents), strides is None, base.array.frozen)
        start = " + ".join([f"{base.code}.p", *offset])
        numbers = ", ".join([start, *extents, *(strides or ())])
        reads = any("[" in part for part in (*offset, *extents))  # where it lies is read from memory
        return Value(kind, f"({self.program.c_type(kind)}){{{numbers}}}", owned=base.owned, reads=reads)

    def _row(self, base: Value, indices: Sequence[str]) -> Value:
        offset = [_times(index, self._stride(base, i)) for i, index in enumerate(indices)]
        rest = range(len(indices), base.array.dimensions)
        strides = None if base.array.contiguous else [self._stride(base, i) for i in rest]
        return self._view(base, offset, base.extents[len(indices) :], strides)

    def _slice(self, base: Value, parts: list[ast.expr]) -> Value:
        offset: list[str] = []
        extents: list[str] = []
        kept: list[int] = []
        whole: list[bool] = []
        for i in range(base.array.dimensions):
            part = parts[i] if i < len(parts) else ast.Slice()
            extent, stride = f"{base.code}.n{i}", self._stride(base, i)
            if not isinstance(part, ast.Slice):
                place = self.expression(part)
                place = self.pin(place) if place.reads else place
                offset.append(_times(self._index(place, extent, part), stride))
                continue
            if part.step is not None:
                raise Refused(part, "a slice step.", "Write a loop.")
            kept.append(i)
            whole.append(part.lower is None and part.upper is None)
            begin = None if part.lower is None else self._bound(part.lower, extent)
            end = None if part.upper is None else self._bound(part.upper, extent)
            if begin is not None:
                offset.append(_times(begin, stride))
            if begin is None:
                extents.append(extent if end is None else end)
            else:
                extents.append(f"{extent} - {begin}" if end is None else f"span({begin}, {end})")
        # Side by side if the last dimensions are kept, and all but the first of these whole.
        last = kept == list(range(base.array.dimensions - len(kept), base.array.dimensions))
        together = base.array.contiguous and last and all(whole[1:])
        return self._view(base, offset, extents, None if together else [self._stride(base, i) for i in kept])

    def _bound(self, node: ast.expr, extent: str) -> str:
        value = self.expression(node)
        if not value.is_whole:
            raise Refused(node, f"{value.words} as the bound of a slice.", "Use a whole number: int(...).")
        name = self.temporary()
        self.put(f"const int64_t {name} = clip({bare(value.code)}, {extent});")
        return name

    def sliced(self, call: ast.Call) -> Value | None:
        """A vector from a known place on, for `vector[a:b].reshape((n,))`; its extent tells where it ends.

        A slice of another length is an error, so nothing has to be clipped, and the compiler knows place and extent.
        Matrices are left as they are: of a few numbers side by side it would pack some that are read singly.
        """
        assert isinstance(call.func, ast.Attribute)
        node, shape = call.func.value, call.args[0] if len(call.args) == 1 else None
        at = node.slice if isinstance(node, ast.Subscript) else None
        if not isinstance(node, ast.Subscript) or not isinstance(at, ast.Slice) or at.lower is None or at.step:
            return None
        if shape is None or (isinstance(shape, ast.Tuple) and len(shape.elts) != 1):
            return None
        if any(isinstance(part, ast.Call) for part in ast.walk(at.lower)):  # which must not be called twice
            return None
        base, begin = self.reusable(self.expression(node.value)), self.expression(at.lower)
        vector = isinstance(base.kind, Array) and base.kind.dimensions == 1
        if not vector or begin.kind != COUNT:
            return self.subscript(base, at)
        stride = self._stride(base, 0)
        strides = None if stride == "1" else [stride]
        return self._view(base, [_times(bare(begin.code), stride)], [f"{base.code}.n0 - {begin.code}"], strides)

    def reshape(self, node: ast.Call, array: Value) -> Value:
        """`array.reshape(...)`: the same numbers, with other extents."""
        sizes = node.args[0].elts if len(node.args) == 1 and isinstance(node.args[0], ast.Tuple) else node.args
        column = len(sizes) == array.array.dimensions == 1  # stays one
        if not (array.array.contiguous or column):
            raise Refused(node, "reshape of an array that is not contiguous.", "Index it instead.")
        array = self.reusable(array)
        extents = [self.expression(size) for size in sizes]
        for extent, size in zip(extents, sizes, strict=True):
            if not extent.is_whole or (extent.is_known and extent.known < 0):
                raise Refused(size, "reshape takes whole numbers that are not negative.", "Say every extent.")
        strides = None if array.array.contiguous else [self._stride(array, 0)]
        return self._view(array, [], [bare(extent.code) for extent in extents], strides)

    def reinterpret(self, node: ast.Call, array: Value) -> Value:
        """`array.view(np.int64)`: the same bits, read as numbers of another kind."""
        element = self._element_named(node.args[0]) if len(node.args) == 1 else None
        if element is None or array.array.element is TRUTH:
            raise Refused(node, "a view as another type.", "Views as np.int64 or np.float64 of one another work.")
        array = self.reusable(array)
        kind = Array(element, array.array.dimensions, array.array.contiguous, array.array.frozen)
        count = kind.dimensions
        rest = array.extents + ([] if kind.contiguous else [self._stride(array, i) for i in range(count)])
        code = f"({self.program.c_type(kind)}){{({element.c_type} *){array.code}.p, {', '.join(rest)}}}"
        return Value(kind, code, owned=array.owned)

    def _element_named(self, node: ast.expr) -> Number | None:
        """The type of numbers that a dtype means; None if arrays have none such."""
        kind = self.expression(node).kind
        return _ELEMENTS.get(kind.value) if isinstance(kind, Known) else None

    def allocate(self, node: ast.Call, zero: bool) -> Value:
        """`np.zeros` and `np.empty`, of a size that is known: memory on the stack, for this call alone."""
        if self.loops:
            raise Refused(node, "an array is allocated inside a loop.", "Allocate it before the loop.")
        dtype = node.args[1] if len(node.args) > 1 else None
        for keyword in node.keywords:
            if keyword.arg != "dtype":
                raise Refused(node, f"the keyword {keyword.arg!r}.", "Give a shape and a dtype.")
            dtype = keyword.value
        element = REAL if dtype is None else self._element_named(dtype)
        if element is None:
            raise Refused(dtype, f"an array of {ast.unparse(dtype or node)}.", "Use np.float64, np.int64 or np.bool_.")
        shape = node.args[0]
        given = shape.elts if isinstance(shape, ast.Tuple) else [shape]
        sizes = self.items_of([self.expression(size) for size in given])
        if not all(size.is_known and size.is_whole and size.known >= 0 for size in sizes):
            raise Refused(
                node, "an array is allocated by a size that is not known.", "Let the caller allocate it and hand it in."
            )
        count = max(int(np.prod([size.known for size in sizes])), 1)
        if count > LARGEST_BUFFER:
            raise Refused(node, f"{count} numbers are allocated.", "Let the caller allocate them and hand them in.")
        name = self.temporary()
        kind = Array(element, len(sizes), True)
        self.buffers.append(f"    {element.stored} {name}[{count}];")
        if zero:
            self.put(f"memset({name}, 0, sizeof {name});")
        extents = ", ".join(size.code for size in sizes)
        return Value(kind, f"({self.program.c_type(kind)}){{{name}, {extents}}}", fixed=True, owned=True)

    def fill(self, target: Value, value: Value, node: ast.AST) -> None:
        """`target[...] = value`: numbers into every place, or a copy."""
        if isinstance(value.kind, Number):
            self._each(self.reusable(target), self.reusable(value))
            return
        if not isinstance(value.kind, Array) or value.kind.dimensions > target.array.dimensions:
            raise Refused(node, f"{value.words} into {target.words}.", "Copy number by number.")
        target, value = self.reusable(target), self.reusable(value)
        alike = (target.array.element, target.array.dimensions) == (value.array.element, value.array.dimensions)
        if alike and target.array.contiguous and value.array.contiguous:
            # They may overlap.
            rest = range(1, target.array.dimensions)
            count = f"({target.code}.n0 < {value.code}.n0 ? {target.code}.n0 : {value.code}.n0)"
            size = " * ".join(["(size_t)" + count, *(f"(size_t){value.code}.n{i}" for i in rest)])
            self.put(f"memmove({target.code}.p, {value.code}.p, {size} * sizeof *{value.code}.p);")
            return
        self.put(f"{self.program.copier(target.array, value.array)}({target.code}, {value.code});")

    def _each(self, target: Value, value: Value) -> None:
        places = [self.temporary() for _ in range(target.array.dimensions)]
        for i, place in enumerate(places):
            self.put(f"for (int64_t {place} = 0; {place} < {target.code}.n{i}; ++{place}) {{")
            self.depth += 1
        self.put(f"{self.element(target, places)} = {self.convert_number(value, target.array.element)};")
        for _ in places:
            self.depth -= 1
            self.put("}")

    def convert_number(self, value: Value, element: Number) -> str:
        """A number as an array of such elements holds it."""
        if element is TRUTH and value.kind != TRUTH:
            return f"({value.code} != 0)"
        if element == WHOLE and value.kind == REAL:
            return f"whole({bare(value.code)})"
        return bare(self.convert(value, element))


_ELEMENTS: dict[Any, Number] = {
    np.float64: REAL, float: REAL, np.int64: WHOLE, int: WHOLE, np.bool_: TRUTH, bool: TRUTH,
}  # fmt: skip


_BINDS_LOOSELY = re.compile(r"[?<>&|^=!]")


def _times(index: str, stride: str) -> str:
    if stride == "1":
        return index
    if index == "0":
        return "0"
    return f"{index if index.isidentifier() or index.isdigit() else f'({index})'} * {stride}"
