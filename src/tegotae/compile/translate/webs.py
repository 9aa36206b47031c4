"""Def-use webs: which assignments of a name can reach a common use.

Python lets a name hold a whole number here and an array there. Each web becomes one variable of C with one type, so
two uses of a name that never meet are two variables.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from keyword import iskeyword

from tegotae.compile.translate.types import Refused

Definitions = dict[str, frozenset[ast.AST]]


class Webs:
    """The webs of one function.

    Attributes:
        of: the web of every name and argument that stands for a local variable; a web is named by one of its nodes.
        uses, definitions: the places of each web.
        names: how each web is called in Python.
    """

    def __init__(self, function: ast.FunctionDef | ast.Lambda):
        self._parent: dict[ast.AST, ast.AST] = {}
        self._use: dict[ast.AST, ast.AST] = {}
        self._name: dict[ast.AST, str] = {}
        # Of the loops around a place: what holds where they are left, and where they begin again.
        self._loops: list[tuple[list[Definitions], list[Definitions]]] = []
        start: Definitions = {}
        for argument in function.args.args:
            self._define(argument, argument.arg, start)
        if isinstance(function, ast.Lambda):
            self._read(function.body, start)
        else:
            self._block(function.body, start)
        self.of: dict[ast.AST, ast.AST] = {}
        self.uses: dict[ast.AST, list[ast.expr]] = {}
        self.definitions: dict[ast.AST, list[ast.AST]] = {}
        self.names: dict[ast.AST, str] = {}
        for node in self._name:
            web = self.of[node] = self._find(node)
            self.definitions.setdefault(web, []).append(node)
            self.names[web] = self._name[web]
        for node, reached in self._use.items():
            web = self.of[node] = self._find(reached)
            assert isinstance(node, ast.expr)
            self.uses.setdefault(web, []).append(node)

    def _find(self, node: ast.AST) -> ast.AST:
        while self._parent[node] is not node:
            node = self._parent[node]
        return node

    def _join(self, one: ast.AST, other: ast.AST) -> None:
        self._parent[self._find(one)] = self._find(other)

    def _define(self, node: ast.AST, name: str, into: Definitions) -> None:
        self._parent.setdefault(node, node)
        self._name[node] = name
        into[name] = frozenset([node])

    def _reach(self, name: str, known: Definitions) -> ast.AST | None:
        """Join all definitions that reach a use of `name`; one of them, or None if it is not a local name."""
        reached = list(known.get(name, ()))
        for other in reached[1:]:
            self._join(other, reached[0])
        return reached[0] if reached else None

    def _read(self, expression: ast.AST, known: Definitions) -> None:
        for node in ast.walk(expression):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                reached = self._reach(node.id, known)
                if reached is not None:
                    self._use[node] = reached

    def _assign(self, target: ast.expr, into: Definitions) -> None:
        if isinstance(target, ast.Name):
            self._define(target, target.id, into)
        elif isinstance(target, ast.Tuple | ast.List):
            for part in target.elts:
                self._assign(part, into)
        else:
            self._read(target, into)

    def _block(self, body: list[ast.stmt], known: Definitions) -> Definitions | None:
        """What holds behind these statements; None if they are never left at their end."""
        here: Definitions | None = known
        for statement in body:
            if here is None:
                return None
            here = self._statement(statement, here)
        return here

    def _statement(self, node: ast.stmt, known: Definitions) -> Definitions | None:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            self._read(node.value, known)
            known = dict(known)
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                self._assign(target, known)
            return known
        if isinstance(node, ast.AugAssign):
            return self._augment(node, known)
        if isinstance(node, ast.Expr):
            self._read(node.value, known)
            return known
        if isinstance(node, ast.Return):
            if node.value is not None:
                self._read(node.value, known)
            return None
        if isinstance(node, ast.If):
            self._read(node.test, known)
            return _either([self._block(node.body, known), self._block(node.orelse, known)])
        if isinstance(node, ast.While | ast.For):
            return self._loop(node, known)
        if isinstance(node, ast.Break | ast.Continue):
            if self._loops:
                self._loops[-1][isinstance(node, ast.Continue)].append(known)
            return None
        if isinstance(node, ast.Pass):
            return known
        raise Refused(node, f"{_words(node)} is outside the subset.", "See CONTRIBUTING.md, «The subset».")

    def _augment(self, node: ast.AugAssign, known: Definitions) -> Definitions:
        self._read(node.value, known)
        if not isinstance(node.target, ast.Name):
            self._read(node.target, known)
            return known
        known = dict(known)
        name = node.target.id
        reached = self._reach(name, known)
        if reached is None:
            raise Refused(node, f"{name!r} is changed before it has a value.", f"Give it one: {name} = 0.0")
        self._define(node.target, name, known)
        self._join(node.target, reached)  # it goes on in the same variable
        return known

    def _loop(self, node: ast.While | ast.For, known: Definitions) -> Definitions | None:
        if node.orelse:
            raise Refused(node, "a loop with `else` is outside the subset.", "Keep a truth value instead.")
        if isinstance(node, ast.For):
            self._read(node.iter, known)
        before = known
        while True:
            left: list[Definitions] = []
            again: list[Definitions] = []
            self._loops.append((left, again))
            inside = dict(before)
            if isinstance(node, ast.While):
                self._read(node.test, inside)
            else:
                self._assign(node.target, inside)
            end = self._block(node.body, inside)
            self._loops.pop()
            joined = _either([before, end, *again])
            if joined == before:
                break
            assert joined is not None
            before = joined
        return _either(left if endless(node) else [before, *left])


def endless(node: ast.While | ast.For) -> bool:
    """Whether a loop can only be left by a break or a return."""
    return isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and bool(node.test.value)


def _either(paths: Iterable[Definitions | None]) -> Definitions | None:
    joined: Definitions | None = None
    for path in paths:
        if path is None:
            continue
        joined = {} if joined is None else joined
        for name, definitions in path.items():
            joined[name] = joined.get(name, frozenset()) | definitions
    return joined


_WORDS = {
    "TryStar": "try",
    "FunctionDef": "a function inside a kernel (nested def)",
    "ClassDef": "a class inside a kernel",
    "Delete": "del",
    "Import": "import inside a kernel",
    "ImportFrom": "import inside a kernel",
    "AnnAssign": "a declaration without a value",
    "Match": "match",
}


def _words(node: ast.stmt) -> str:
    name = type(node).__name__
    return _WORDS.get(name, name.lower() if iskeyword(name.lower()) else name)
