"""Where the text of one function grows: its lines, its variables and their types."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tegotae.compile.translate.helpers import plain, unused
from tegotae.compile.translate.program import Program, literal
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
    Unjoinable,
    join,
    name_of,
    type_of,
)
from tegotae.compile.translate.webs import Webs

if TYPE_CHECKING:
    from tegotae.compile.translate.function import Function

_UNKNOWN: Any = object()


@dataclass(frozen=True)
class Value:
    """A value, as text.

    Args:
        kind: its type.
        code: an expression of C.
        known: the number that it always is.
        simple: the text may stand several times: a name, a field, a literal.
        fixed: the text means the same until the function ends.
        reads: it reads memory, which a call in between may change.
        owned: it leads to memory that this function allocated.
        parts: the items of a tuple that was just put together.
    """

    kind: Type
    code: str
    known: Any = _UNKNOWN
    simple: bool = False
    fixed: bool = False
    reads: bool = False
    owned: bool = False
    parts: tuple[Value, ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether it is always the same number."""
        return self.known is not _UNKNOWN

    @property
    def is_whole(self) -> bool:
        """Whether it is a number without a fraction."""
        return self.kind in (WHOLE, COUNT, TRUTH)

    @property
    def words(self) -> str:
        """Its type, for errors."""
        return name_of(self.kind)

    @property
    def array(self) -> Array:
        """Its type, where that is an array's."""
        assert isinstance(self.kind, Array)
        return self.kind

    @property
    def extents(self) -> list[str]:
        """Of an array."""
        return [f"{self.code}.n{i}" for i in range(self.array.dimensions)]


def bare(code: str) -> str:
    """Without the brackets around the whole of it."""
    if not (code.startswith("(") and code.endswith(")")):
        return code
    depth = 0
    for place, letter in enumerate(code):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and place < len(code) - 1:
            return code
    return code[1:-1]


class Writer:
    """The lines of one function, and what its variables are."""

    program: Program
    webs: Webs
    parameters: dict[ast.AST, Type]
    callees: dict[Function, None]

    def begin(self) -> None:
        """Forget the lines of the last pass; the types that it found stay."""
        self.lines: list[str] = []
        self.depth = 1
        self.loops = 0
        self.buffers: list[str] = []
        self.declared: dict[ast.AST, tuple[str, Type]] = {}
        self.callees = {}
        self._temporaries = 0
        # The text of the blocks around a place, from their first to their last character.
        self.blocks: list[tuple[tuple[int, int], tuple[int, int]]] = []

    def expression(self, node: ast.expr) -> Value:
        """The value of an expression; statements that it needs are put before."""
        raise NotImplementedError

    def put(self, line: str) -> None:
        """One more line."""
        self.lines.append("    " * self.depth + line)

    def temporary(self) -> str:
        """A name of the translator's own."""
        self._temporaries += 1
        return f"r{self._temporaries}_"

    # ------------------------------------------------------------ values

    def reusable(self, value: Value) -> Value:
        """The same, as a text that may stand several times."""
        return value if value.simple or value.is_known else self.pin(value)

    def pin(self, value: Value, at: int | None = None) -> Value:
        """The same, as it is now, or was before the line `at`."""
        if isinstance(value.kind, Known) or value.is_known:
            return value
        name = self.temporary()
        line = "    " * self.depth + f"const {self.program.c_type(value.kind)} {name} = {bare(value.code)};"
        self.lines.insert(len(self.lines) if at is None else at, line)
        return Value(value.kind, name, simple=True, fixed=True, owned=value.owned, parts=value.parts)

    def in_order(self, nodes: Sequence[ast.expr]) -> list[Value]:
        """The values of several expressions, each as it was before those behind it were worked out."""
        values: list[Value] = []
        ends: list[int] = []
        for node in nodes:
            mark = len(self.lines)
            values.append(self.expression(node))
            if any("(" in line for line in self.lines[mark:]):
                self._pin_earlier(values, ends)
            ends.append(len(self.lines))
        return values

    def _pin_earlier(self, values: list[Value], ends: list[int]) -> None:
        """The last value took a call, which may write what earlier ones read: those are kept before it."""
        added = 0
        for place, end in enumerate(ends):
            if values[place].reads and not isinstance(values[place].kind, Known):
                values[place] = self.pin(values[place], end + added)
                added += 1
        for place in range(len(ends)):
            ends[place] += added

    def apart(self, work: Callable[[], Value]) -> tuple[Value, list[str]]:
        """A value and the lines that it needs, not yet put."""
        mark = len(self.lines)
        self.depth += 1
        value = work()
        self.depth -= 1
        lines = self.lines[mark:]
        del self.lines[mark:]
        return value, lines

    def constant(self, value: Any) -> Value:
        """A value that is known while translating."""
        if isinstance(value, bool | np.bool_):
            return Value(TRUTH, literal(value), known=bool(value), simple=True, fixed=True)
        if isinstance(value, int | np.integer):
            if not -(2**63) <= value < 2**63:
                raise Refused(None, f"{value} does not fit into 64 bits.", "Use a real number.")
            kind = COUNT if value >= 0 else WHOLE
            return Value(kind, literal(value), known=int(value), simple=True, fixed=True)
        if isinstance(value, float | np.floating):
            return Value(REAL, literal(value), known=float(value), simple=True, fixed=True)
        if isinstance(value, np.ndarray):
            return self._constant_array(value)
        if isinstance(value, tuple) and not hasattr(value, "_fields"):
            made = self.tuple_of([self.constant(item) for item in value])
            if value and all(part.is_known for part in made.parts):
                assert isinstance(made.kind, Tuple)
                name = self.program.constant(self.program.c_type(made.kind), made.code)
                made = replace(made, code=name, simple=True)
            return made
        return Value(Known(value), "", simple=True, fixed=True)

    def _constant_array(self, values: np.ndarray[Any, Any]) -> Value:
        try:
            kind = replace(Value(type_of(np.ascontiguousarray(values)), "").array, frozen=True)
        except TypeError as error:
            raise Refused(None, f"{error} is outside the subset.", "Use float64, int64 or bool.") from None
        extents = ", ".join(map(str, values.shape))
        code = f"({self.program.c_type(kind)}){{{self.program.table(values)}, {extents}}}"
        return Value(kind, code, fixed=True)

    def tuple_of(self, values: Sequence[Value]) -> Value:
        """Several values as one."""
        for value in values:
            if isinstance(value.kind, Known):
                raise Refused(None, f"a tuple that holds {value.words}.", "Hold numbers, arrays and records.")
        kind = Tuple(tuple(value.kind for value in values))
        return Value(
            kind,
            self.tuple_code(kind, [value.code for value in values]),
            reads=any(value.reads for value in values),
            owned=any(value.owned for value in values),
            fixed=all(value.fixed for value in values),
            parts=tuple(values),
        )

    def tuple_code(self, kind: Tuple, parts: Sequence[str]) -> str:
        """A tuple made of its parts."""
        inner = ", ".join(map(bare, parts)) or "0"
        name = self.program.c_type(kind)
        return f"({name}){{{{{inner}}}}}" if self.program.alike(kind) else f"({name}){{{inner}}}"

    def item(self, value: Value, place: int) -> Value:
        """One item of a tuple or record that may stand several times."""
        if value.parts and value.parts[place].is_known:
            return value.parts[place]
        if isinstance(value.kind, Struct):
            return self.field(value, value.kind.fields[place])
        assert isinstance(value.kind, Tuple)
        code = self.program.item(value.code, value.kind, place)
        return Value(value.kind.items[place], code, simple=True, fixed=value.fixed, owned=value.owned)

    def field(self, record: Value, name: str) -> Value:
        """One field of a record that may stand several times."""
        assert isinstance(record.kind, Struct)
        kind, member = record.kind.items[record.kind.fields.index(name)], plain(name)
        by_address = record.code.startswith("(*")
        code = f"{record.code[2:-1]}->{member}" if by_address else f"{record.code}.{member}"
        return Value(kind, code, simple=True, fixed=record.fixed, owned=record.owned)

    def convert(self, value: Value, kind: Type) -> str:
        """The code of a value as another type that holds it."""
        if value.kind == kind:
            return value.code
        if isinstance(kind, Number):
            if kind == REAL:
                return literal(float(value.known)) if value.is_known else f"(double){_bracketed(value.code)}"
            return f"(int64_t){_bracketed(value.code)}" if value.kind == TRUTH else value.code
        if isinstance(kind, Tuple):
            kept = self.reusable(value)
            parts = [self.convert(self.item(kept, i), item) for i, item in enumerate(kind.items)]
            return self.tuple_code(kind, parts)
        if isinstance(kind, Array) and isinstance(value.kind, Array):
            kept = self.reusable(value)
            if kind.contiguous == value.kind.contiguous:
                return kept.code
            strides = [" * ".join(kept.extents[i + 1 :]) or "1" for i in range(kind.dimensions)]
            return f"({self.program.c_type(kind)}){{{', '.join([f'{kept.code}.p', *kept.extents, *strides])}}}"
        raise Refused(None, f"{value.words} where {name_of(kind)} is expected.", "Use one type for one name.")

    def counted(self, value: Value) -> Value:
        """A truth value as the number that it stands for; all others as they are."""
        return value if value.kind != TRUTH else Value(COUNT, self.convert(value, COUNT), reads=value.reads)

    def items_of(self, values: list[Value]) -> list[Value]:
        """The items of a tuple that stands alone among values; else those."""
        if len(values) != 1 or not isinstance(kind := values[0].kind, Tuple):
            return values
        kept = self.reusable(values[0])
        return [self.item(kept, i) for i in range(len(kind.items))]

    # ------------------------------------------------------------ variables

    def variable(self, node: ast.AST) -> tuple[ast.AST, str]:
        """The web that a name or argument belongs to, and its name in C."""
        web = self.webs.of[node]
        if web not in self._variable_names:
            self._variable_names[web] = unused(plain(self.webs.names[web]), self._variable_names.values())
        return web, self._variable_names[web]

    _variable_names: dict[ast.AST, str]
    web_types: dict[ast.AST, Type]
    owned_webs: set[ast.AST]

    def widen(self, node: ast.AST, web: ast.AST, kind: Type) -> Type:
        """The type of a variable that now also holds `kind`."""
        subject = f"{self.webs.names[web]!r} is"
        joined = self.joined(node, self.web_types.get(web), kind, subject, "Use two names: a variable has one type.")
        self.web_types[web] = joined
        return joined

    def joined(self, node: ast.AST, one: Type | None, other: Type, subject: str, remedy: str) -> Type:
        """The type that holds both, or words about what is sometimes this, sometimes that."""
        try:
            return join(one, other)
        except Unjoinable as error:
            raise Refused(node, f"{subject} {error}.", remedy) from None

    def is_read(self, web: ast.AST) -> bool:
        """Whether somebody reads a variable after it got a value."""
        return web in self.webs.uses or web in self.parameters

    def set(self, web: ast.AST, name: str, kind: Type, code: str) -> None:
        """Give a variable that is declared ahead a value."""
        if web not in self.parameters:
            self.declared[web] = name, kind
        self.put(f"{name} = {code};")

    def store(self, node: ast.AST, value: Value) -> None:
        """Give a variable a value."""
        web, name = self.variable(node)
        if value.kind == NOTHING:
            raise Refused(node, f"{self.webs.names[web]!r} gets the result of a kernel without one.", "Return a value.")
        kind = self.widen(node, web, value.kind)
        if value.owned:
            self.owned_webs.add(web)
        if isinstance(kind, Known):
            return
        if not self.is_read(web):
            if not value.is_known:
                self.put(f"(void){_bracketed(value.code)};")
            return
        code = bare(self.convert(value, kind))
        if self._stays_inside(node, web):
            self.put(f"const {self.program.c_type(kind)} {name} = {code};")
        else:
            self.set(web, name, kind, code)

    def _stays_inside(self, node: ast.AST, web: ast.AST) -> bool:
        """Whether a variable has one definition, and all its uses stand behind it in the same block."""
        if len(self.webs.definitions[web]) > 1 or web in self.parameters:
            return False
        _, end = self.blocks[-1]
        begin = (getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0))
        return all(begin <= (use.lineno, use.col_offset) <= end for use in self.webs.uses[web])

    def read(self, node: ast.Name) -> Value:
        """The value of a variable."""
        web, name = self.variable(node)
        kind = self.web_types.get(web)
        if kind is None:
            raise Refused(node, f"{node.id!r} is used before it has a value.", "Give it one first.")
        if isinstance(kind, Known):
            return self.constant(kind.value)
        fixed = len(self.webs.definitions[web]) == 1
        code = f"(*{name})" if isinstance(kind, Struct) and web in self.parameters else name
        return Value(kind, code, simple=True, fixed=fixed, owned=web in self.owned_webs)

    def address(self, value: Value) -> str:
        """A record as it is handed over: by its address."""
        if value.code.startswith("(*") and value.code.endswith(")"):
            return value.code[2:-1]
        return f"&{self.reusable(value).code}"


def _bracketed(code: str) -> str:
    return code if code.isidentifier() or (code.startswith("(") and bare(code) != code) else f"({code})"
