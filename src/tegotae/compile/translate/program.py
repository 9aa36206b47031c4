"""A program of C: the types and functions that a few entries need, and its text."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tegotae.compile.kernels import frees_sums
from tegotae.compile.translate.helpers import HELPERS, PRELUDE, copier, in_ascii, plain, unused
from tegotae.compile.translate.types import (
    NOTHING,
    REAL,
    TRUTH,
    Array,
    Known,
    Nothing,
    Number,
    Struct,
    SubsetError,
    Tuple,
    Type,
)

if TYPE_CHECKING:
    from tegotae.compile.kernels import Kernel
    from tegotae.compile.translate.function import Function


@dataclass(frozen=True)
class EntryPoint:
    """What is called from outside: the symbol, the kernel, and the types of what it is given.

    `by_address`: other kernels call it, which know its address and what it gives; else Python does, by words.
    """

    symbol: str
    kernel: Kernel
    arguments: tuple[Type, ...]
    by_address: Type | None = None


@dataclass
class Program:
    """Functions for the types they are called with, and the types of C that they need.

    Args:
        prefix: with which the names of its functions begin; programs in one library differ in it.
    """

    prefix: str = "k_"
    functions: dict[Any, Function] = field(default_factory=dict)
    _structs: dict[Type, str] = field(default_factory=dict)
    _bodies: dict[str, str] = field(default_factory=dict)
    _tables: dict[Any, tuple[str, str, Any]] = field(default_factory=dict)
    _names: set[str] = field(default_factory=set)
    _copiers: dict[str, str] = field(default_factory=dict)

    # ------------------------------------------------------------ types

    def c_type(self, kind: Type) -> str:
        """The name of the type in C; its declaration is kept."""
        if isinstance(kind, Number):
            return kind.c_type
        if isinstance(kind, Nothing):
            return "void"
        if kind not in self._structs:
            self._structs[kind] = self._declare(kind)
        return self._structs[kind]

    def _declare(self, kind: Type) -> str:
        if isinstance(kind, Array):
            name = kind.struct
            extents = ", ".join(f"n{i}" for i in range(kind.dimensions))
            body = f"{kind.element.stored} *p; int64_t {extents};"
            if not kind.contiguous:
                body += " int64_t " + ", ".join(f"s{i}" for i in range(kind.dimensions)) + ";"
        elif isinstance(kind, Tuple):
            parts = [self.c_type(item) for item in kind.items]
            if self.alike(kind):
                name, body = f"tuple{len(parts)}_{_word(parts[0])}", f"{parts[0]} v[{len(parts)}];"
            else:
                name = "tuple_" + "_".join(map(_word, parts))
                body = " ".join(f"{part} f{i};" for i, part in enumerate(parts))
        elif isinstance(kind, Struct):
            parts = [self.c_type(item) for item in kind.items]
            name = in_ascii(kind.name) + "_record"
            body = " ".join(f"{part} {member};" for part, member in zip(parts, map(plain, kind.fields), strict=True))
        else:
            raise TypeError(f"{kind} has no type in C")
        body = body or "char none;"  # a struct of nothing is not C
        if self._bodies.get(name, body) != body:
            name = f"{name}_{len(self._bodies)}"
        self._bodies.setdefault(name, body)
        return name

    def alike(self, kind: Tuple) -> bool:
        """Whether all items have one type in C, so that they can be counted through."""
        return len({self.c_type(item) for item in kind.items}) == 1

    def item(self, code: str, kind: Tuple, place: int) -> str:
        """One item of a tuple."""
        return f"{code}.v[{place}]" if self.alike(kind) else f"{code}.f{place}"

    # ------------------------------------------------------------ tables

    def table(self, values: np.ndarray[Any, Any]) -> str:
        """The name of a constant array."""
        key = (values.dtype.str, values.tobytes())
        if key not in self._tables:
            name = f"table_{len(self._tables) + 1}"
            kind = {"f": "double", "i": "int64_t", "b": "uint8_t"}[values.dtype.kind]
            numbers = ", ".join(literal(value) for value in values.ravel().tolist()) or "0"
            # `values` is kept, so that its bytes stay what they are under this key
            self._tables[key] = name, f"static {kind} {name}[{max(values.size, 1)}] = {{{numbers}}};", values
        return self._tables[key][0]

    def constant(self, c_type: str, literal_code: str) -> str:
        """The name of a constant tuple."""
        key = (c_type, literal_code)
        if key not in self._tables:
            name = f"table_{len(self._tables) + 1}"
            inner = literal_code.removeprefix(f"({c_type})")
            self._tables[key] = name, f"static const {c_type} {name} = {inner};", None
        return self._tables[key][0]

    # ------------------------------------------------------------ copies

    def copier(self, target: Array, source: Array) -> str:
        """The name of a function that copies between arrays of these types, which may overlap."""
        name = f"copy_{source.struct}_to_{target.struct}"
        if name not in self._copiers:
            self._copiers[name] = copier(name, self.c_type(target), target, self.c_type(source), source)
        return name

    # ------------------------------------------------------------ functions

    def function(self, kernel: Kernel, arguments: tuple[Type, ...], free: bool) -> Function:
        """The function of C for a kernel called with these types, translated if it is new."""
        from tegotae.compile.translate.function import Function

        free = {"free": True, "exact": False}.get(kernel.sums or "", free)
        key = (kernel, arguments, free)
        if key not in self.functions:
            self.functions[key] = Function(self, kernel, arguments, free)
            try:
                self.functions[key].translate()
            except BaseException:
                del self.functions[key]
                raise
        return self.functions[key]

    def _top(self, entry: EntryPoint) -> Function:
        """An entry: wholly with free sums if a kernel that it names has them, so that calls can be put in place."""
        known = [kind.value for kind in entry.arguments if isinstance(kind, Known)]
        return self.function(entry.kernel, entry.arguments, free=frees_sums(entry.kernel, *known))

    def unique(self, name: str) -> str:
        """A name of C that no other function has."""
        base = self.prefix + re.sub(r"\W", "", in_ascii(name).strip("_")).replace("lambda", "law")
        self._names.add(chosen := unused(base, self._names))
        return chosen

    # ------------------------------------------------------------ text

    def units(self, entries: Sequence[EntryPoint]) -> dict[str, str]:
        """The translation units by mode: "strict" and "free" sums."""
        tops = [(entry, self._top(entry)) for entry in entries]
        reached = list(_in_order(function for _, function in tops))
        crossing = {called for function in reached for called in function.callees if called.free != function.free}
        units = {}
        for mode in ("strict", "free"):
            functions = [function for function in reached if function.free == (mode == "free")]
            if not functions:
                continue
            bodies = [function.text(linked=function in crossing) for function in functions]
            outside = {called for function in functions for called in function.callees if called.free != function.free}
            bodies[:0] = sorted(function.prototype() + ";" for function in outside)
            bodies += [
                self._wrapper(entry, function) if entry.by_address is None else self._open(entry, function)
                for entry, function in tops
                if function in functions
            ]
            code = "\n\n".join(bodies)
            tables = "\n".join(text for name, text, _ in self._tables.values() if re.search(rf"\b{name}\b", code))
            copiers = "\n\n".join(text for name, text in self._copiers.items() if f"{name}(" in code)
            copiers = f"#include <stdlib.h>\n\n{copiers}" if copiers else ""
            types = "\n".join(f"typedef struct {{ {body} }} {name};" for name, body in self._bodies.items())
            helpers = "\n".join(text for name, text in HELPERS.items() if re.search(rf"\b{name}\(", code + copiers))
            units[mode] = "\n\n".join(part for part in (PRELUDE, types, helpers, copiers, tables, code) if part) + "\n"
        return units

    def _open(self, entry: EntryPoint, function: Function) -> str:
        """The function that other kernels call by its address: with types as the caller knows them."""
        names = [f"a{i}" for i in range(len(entry.arguments))]
        given = ", ".join(f"{self.c_type(kind)} {name}" for kind, name in zip(entry.arguments, names, strict=True))
        call = f"{function.name}({', '.join(names)})"
        assert entry.by_address is not None
        head = f"EXPORT {self.c_type(entry.by_address)} {entry.symbol}({given})"
        if entry.by_address == NOTHING:
            body = f"{'' if function.result == NOTHING else '(void)'}{call}"
        elif function.result == entry.by_address:
            body = f"return {call}"
        else:
            raise SubsetError(
                f"kernel {entry.kernel.py_func.__name__!r} gives {function.result!r} where callers that know its "
                f"address expect {entry.by_address!r}.\n  Return that, real numbers with a point."
            )
        return "\n".join([f"{head};", head, "{", f"    {body};", "}"])

    def _wrapper(self, entry: EntryPoint, function: Function) -> str:
        """The function that is called from outside: it takes its arguments out of words of eight bytes."""
        words = Words(self)
        given = [words.take(kind) for kind in entry.arguments if not isinstance(kind, Known)]
        call = f"{function.name}({', '.join(given)})"
        result = function.result
        lines = [f"    {line}" for line in words.lines]
        try:
            letters = result_code(result)
        except ValueError as error:
            raise SubsetError(
                f"kernel {entry.kernel.py_func.__name__!r} returns {error}, which Python cannot take.\n"
                "  Let the caller allocate it and hand it in."
            ) from None
        if isinstance(result, Tuple):
            lines.append(f"    const {self.c_type(result)} result = {call};")
            lines += [f"    {line}" for line in words.give("result", result)]
        else:
            lines.append(f"    {call};" if result == NOTHING else f"    return {call};")
        takes = ["const word *a"] + ["word *r"] * isinstance(result, Tuple)
        unused = [f"    (void){name};" for name in ("a", "r")[: len(takes)] if not any(f"{name}[" in x for x in lines)]
        returned = "void" if isinstance(result, Tuple) else self.c_type(result)
        head = f"EXPORT {returned} {entry.symbol}({', '.join(takes)})"
        constant = f'EXPORT const char {entry.symbol}_result[] = "{letters}";'
        return "\n".join([f"extern {constant.split(' = ')[0]};", constant, head + ";", head, "{", *unused, *lines, "}"])


@dataclass
class Words:
    """Arguments and results as words: numbers by value, arrays as an address, extents and strides."""

    program: Program
    lines: list[str] = field(default_factory=list)
    taken: int = 0
    given: int = 0

    def take(self, kind: Type) -> str:
        """The code of the next argument."""
        if isinstance(kind, Number):
            self.taken += 1
            word = f"a[{self.taken - 1}]"
            return {REAL: f"{word}.f", TRUTH: f"({word}.i != 0)"}.get(kind, f"{word}.i")
        code = self._struct(kind)
        name = f"arg{len(self.lines)}"
        self.lines.append(f"const {self.program.c_type(kind)} {name} = {code};")
        return f"&{name}" if isinstance(kind, Struct) else name

    def _struct(self, kind: Type) -> str:
        if isinstance(kind, Array):
            count = kind.dimensions * (1 if kind.contiguous else 2)
            rest = ", ".join(f"a[{self.taken + 1 + i}].i" for i in range(count))
            self.taken += 1 + count
            return f"{{({kind.element.stored} *)a[{self.taken - 1 - count}].p, {rest}}}"
        assert isinstance(kind, Tuple | Struct)
        parts = [self.take(item) if isinstance(item, Number) else self._struct(item) for item in kind.items]
        inner = ", ".join(parts)
        return f"{{{{{inner}}}}}" if isinstance(kind, Tuple) and self.program.alike(kind) else f"{{{inner}}}"

    def give(self, code: str, kind: Type) -> Iterable[str]:
        """Statements that put a result into its words."""
        if isinstance(kind, Tuple):
            for place, item in enumerate(kind.items):
                yield from self.give(self.program.item(code, kind, place), item)
            return
        yield f"r[{self.given}].{'f' if kind == REAL else 'i'} = {code};"
        self.given += 1


def result_code(kind: Type) -> str:
    """A result's type in letters: f real, i whole, b truth, (..) a tuple, nothing for none; ValueError for others."""
    if kind == NOTHING:
        return ""
    if isinstance(kind, Number):
        return {REAL: "f", TRUTH: "b"}.get(kind, "i")
    if isinstance(kind, Tuple):
        return "(" + "".join(map(result_code, kind.items)) + ")"
    raise ValueError("an array" if isinstance(kind, Array) else "a record")


def literal(value: Any) -> str:
    """A number as C reads it, bit for bit."""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, int | np.integer):
        whole = int(value)
        if whole == -(2**63):
            return "INT64_MIN"
        text = str(whole) if abs(whole) < 2**31 else f"INT64_C({whole})"
        return text if whole >= 0 else f"({text})"
    value = float(value)
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "INFINITY" if value > 0 else "(-INFINITY)"
    return repr(value) if math.copysign(1.0, value) > 0 else f"({value!r})"


def _word(c_type: str) -> str:
    return {"double": "real", "int64_t": "whole", "bool": "truth"}.get(c_type, c_type)


def _in_order(functions: Iterable[Function]) -> Iterable[Function]:
    """Every function reached, those that are called before those that call."""
    seen: dict[Function, None] = {}

    def visit(function: Function) -> None:
        if function in seen:
            return
        for called in function.callees:
            visit(called)
        seen[function] = None

    for function in functions:
        visit(function)
    return seen
