"""One kernel, for one list of types: its passes, and the whole function of C."""

from __future__ import annotations

import ast
import inspect
import re
from collections import ChainMap
from typing import TYPE_CHECKING

from tegotae.compile.translate.program import Program
from tegotae.compile.translate.sources import definition_of
from tegotae.compile.translate.statements import Statements
from tegotae.compile.translate.types import NOTHING, Known, Number, Refused, Struct, Type
from tegotae.compile.translate.writer import Value, bare

if TYPE_CHECKING:
    from tegotae.compile.kernels import Kernel

# A line that only puts a value aside, without a call of a kernel.
_KEPT = re.compile(r" *const \w+ (r\d+_) = (?!k_)")
# Types only widen, so they settle after a few passes.
_PASSES = 20


class Function(Statements):
    """A kernel as a function of C, for arguments of these types.

    Args:
        program: where it belongs.
        kernel: what is translated.
        arguments: the types that it is called with.
        free: whether sums may be taken in any order.
    """

    def __init__(self, program: Program, kernel: Kernel, arguments: tuple[Type, ...], free: bool):
        self.program, self.kernel, self.arguments, self.free = program, kernel, arguments, free
        self.python = kernel.py_func
        try:
            self.definition, self.webs = definition_of(self.python)
        except Refused as refusal:
            raise refusal.located(self.python) from None
        cells = zip(self.python.__code__.co_freevars, self.python.__closure__ or (), strict=True)
        self.environment = ChainMap({name: cell.cell_contents for name, cell in cells}, self.python.__globals__)
        self.name = program.unique(self.python.__name__)
        self._variable_names = {}
        self.web_types = {}
        self.owned_webs = set()
        self._result: Type | None = None
        self._settled = False

    @property
    def result(self) -> Type:
        """What it gives."""
        if not self._settled:
            raise Refused(None, f"{self.python.__name__!r} calls itself (recursion).", "Write a loop.")
        return self._result or NOTHING

    def translate(self) -> None:
        """Pass over the text until all types are settled."""
        try:
            self._check_arguments()
            for _ in range(_PASSES):
                before = dict(self.web_types), self._result, set(self.owned_webs)
                self._pass()
                if before == (self.web_types, self._result, self.owned_webs):
                    self._settled = True
                    return
            raise Refused(self.definition, "its types do not settle.", "Use one type for one name.")
        except Refused as refusal:
            raise refusal.located(self.python) from None

    def _check_arguments(self) -> None:
        given = self.definition.args
        if given.vararg or given.kwarg or given.kwonlyargs or given.posonlyargs or given.defaults:
            problem = "arguments with default values, stars or keywords."
            raise Refused(self.definition, problem, "Take all arguments by place.")
        if len(given.args) != len(self.arguments):
            problem = f"it takes {len(given.args)} arguments and is given {len(self.arguments)}."
            raise Refused(self.definition, problem, "Give as many as it takes.")
        self.parameters = {}
        for argument, kind in zip(given.args, self.arguments, strict=True):
            web = self.webs.of[argument]
            self.parameters[web] = kind
            self.widen(argument, web, kind)

    def _pass(self) -> None:
        self.begin()
        body = self.definition.body
        falls = self._block([ast.copy_location(ast.Return(body), body)] if isinstance(body, ast.expr) else body)
        self._drop_unused()
        if falls and self._result not in (None, NOTHING):
            raise Refused(self.definition, "a path that ends without a result.", "Return a value on every path.")

    def _drop_unused(self) -> None:
        """Take out what was put aside, and then known without it."""
        while True:
            text = "\n".join(self.lines)
            spare = {
                line
                for line in self.lines
                if (kept := _KEPT.match(line)) and len(re.findall(rf"\b{kept[1]}\b", text)) == 1
            }
            if not spare:
                return
            self.lines = [line for line in self.lines if line not in spare]

    # ------------------------------------------------------------ text

    def prototype(self) -> str:
        """The head of the function."""
        parameters = []
        for argument, given in zip(self.definition.args.args, self.arguments, strict=True):
            if isinstance(given, Known):
                continue
            web, name = self.variable(argument)
            taken = name if self.web_types[web] == given else name + "_in_"
            kind = self.program.c_type(given)
            parameters.append(f"const {kind} *{taken}" if isinstance(given, Struct) else f"{kind} {taken}")
        return f"{self.program.c_type(self.result)} {self.name}({', '.join(parameters) or 'void'})"

    def text(self, *, linked: bool) -> str:
        """The whole function; `linked`: it is called from another unit."""
        lines = []
        for argument, given in zip(self.definition.args.args, self.arguments, strict=True):
            web, name = self.variable(argument)
            kind = self.web_types[web]
            if isinstance(given, Known):
                continue
            if kind != given:
                start = self.convert(Value(given, name + "_in_", simple=True), kind)
                lines.append(f"    {self.program.c_type(kind)} {name} = {bare(start)};")
            body = [*self.lines, *self.buffers]
            if not any(re.search(rf"(?<![.>])\b{name}\b", line) for line in body):  # a field is another thing
                lines.append(f"    (void){name};")
        for name, kind in self.declared.values():
            empty = "0" if isinstance(kind, Number) else "{0}"
            lines.append(f"    {self.program.c_type(kind)} {name} = {empty};")
        kernel, head = self.kernel, self.prototype()
        reach = "INSIDE" if kernel.inside else "LONG" if kernel.long else "RARE" if kernel.rare else "static inline"
        declared = f"{head};\n{head}" if linked else f"{reach} {head}"
        summary = (inspect.getdoc(self.python) or self.python.__qualname__).splitlines()[0]
        comment = f"/* {summary.replace('*/', '* /').replace('/*', '/ *')} */"
        return "\n".join([comment, declared, "{", *lines, *self.buffers, *self.lines, "}"])
