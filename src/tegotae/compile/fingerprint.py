"""What a kernel depends on, as a number: its text, the constants that it sees, and all kernels that it leads to.

Kernels are followed by what their names stand for, not by how modules are called: wherever an edited kernel is
imported from, the fingerprint of every loop that meets it changes.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from types import CodeType, MethodType
from typing import Any

import numpy as np

from tegotae.compile.addresses import Signature
from tegotae.compile.translate import sources

# An attribute of an attribute of ... : objects that make a new one whenever they are asked have no end.
_DEEPEST = 8


def fingerprint(kernels: Iterable[Any]) -> str:
    """One for all that these kernels, and plain functions that make kernels, lead to."""
    walk = _Walk()
    for one in kernels:
        walk.visit(one)
    return hashlib.sha256("\n".join([_translator(), *walk.lines]).encode()).hexdigest()


class _Walk:
    """The kernels and constants met so far, each told once."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._seen: dict[int, int] = {}
        self._read: set[tuple[int, tuple[str, ...]]] = set()
        self._kept: list[Any] = []  # an address that was noted must not be given to another object

    def visit(self, value: Any, asked: tuple[str, ...] = (), depth: int = 0) -> None:
        """One function, constant or other object, and what it leads to; `asked`: names that are read of objects."""
        function = getattr(value, "py_func", value)
        if isinstance(getattr(function, "__code__", None), CodeType):
            self._function(value, function)
        elif isinstance(value, np.ndarray):
            self.lines.append(f"array {value.dtype.str} {value.shape} {value.tobytes().hex()}")
        elif isinstance(value, bool | int | float | np.number | np.bool_):
            self.lines.append(f"number {value!r}")
        elif isinstance(value, tuple):
            self.lines.append(f"tuple of {len(value)} {getattr(value, '_fields', '')}")
            for item in value:
                self.visit(item, asked, depth + 1)
        elif isinstance(value, Signature):
            self.lines.append(repr(value))
        elif isinstance(value, type) and hasattr(value, "_fields"):
            self.lines.append(f"record {value.__name__} {value._fields}")
        else:
            self._object(value, asked, depth)

    def _object(self, value: Any, asked: tuple[str, ...], depth: int) -> None:
        """A module, a class or anything else that is read by attributes; which of them are its own, no code says."""
        self.lines.append(f"other {getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}")
        plain = not hasattr(value, "__dict__") and not hasattr(type(value), "__slots__")
        if plain or value is math or value is np or (id(value), asked) in self._read or depth > _DEEPEST:
            return
        self._read.add((id(value), asked))
        self._kept.append(value)
        for name in asked:
            if hasattr(value, name) and not isinstance(getattr(value, name), MethodType):  # kernels call none
                self.lines.append(f"reads {name}")
                self.visit(getattr(value, name), asked, depth + 1)

    def _function(self, value: Any, function: Callable[..., Any]) -> None:
        if (function.__module__ or "").startswith("tegotae.compile."):  # decorators: no kernel runs them
            self.lines.append(f"ours {function.__qualname__}")
            return
        if id(value) in self._seen:
            self.lines.append(f"again {self._seen[id(value)]}")
            return
        self._seen[id(value)] = len(self._seen)
        self._kept.append(value)
        code = function.__code__
        options = [getattr(value, name, None) for name in ("sums", "inside", "long", "rare", "shares")]
        # Where it begins in its file; of several lambdas on a line, which one it is.
        column = sources.definition_of(function)[0].col_offset if code.co_name == "<lambda>" else 0
        place = f"{code.co_firstlineno}:{column}"
        self.lines.append(f"function {code.co_qualname} {place} {options} {_digest(sources.text_of(function))}")
        cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
        for name, cell in cells:
            self.lines.append(f"sees {name}")
            self.visit(cell.cell_contents, code.co_names)
        self._globals(code, function.__globals__)

    def _globals(self, code: CodeType, names: dict[str, Any]) -> None:
        for name in code.co_names:
            if name in names:
                self.lines.append(f"names {name}")
                self.visit(names[name], code.co_names)
        for constant in code.co_consts:
            if isinstance(constant, CodeType):  # kernels that a maker makes
                self._globals(constant, names)


@cache
def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def _translator() -> str:
    """How kernels are translated is part of what a compiled loop is."""
    digest = hashlib.sha256()
    for path in sorted((Path(__file__).parent / "translate").glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
