"""What a value in a kernel may be, and how two of them join; what lies outside the subset is refused.

Whole numbers that are known not to be negative (`COUNT`) are told apart from others (`WHOLE`): an index of the first
kind needs no test for Python's counting from the end.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from tegotae.errors import TegotaeError


class SubsetError(TegotaeError):
    """A kernel that cannot be translated.

    Example:
        >>> from tegotae.compile import SubsetError
        >>> issubclass(SubsetError, Exception)
        True
    """


class Refused(Exception):  # noqa: N818 - it never leaves the translator
    """Raised where the trouble is seen; it becomes a `SubsetError` where the kernel's file is known."""

    def __init__(self, node: ast.AST | None, what: str, remedy: str):
        super().__init__(what)
        self.node, self.what, self.remedy = node, what, remedy

    def located(self, function: Callable[..., Any]) -> SubsetError:
        """The same, with the file, the line and the kernel's name."""
        code = function.__code__
        line = getattr(self.node, "lineno", code.co_firstlineno)
        return SubsetError(f"{code.co_filename}:{line}: kernel {function.__name__!r}: {self.what}\n  {self.remedy}")


@dataclass(frozen=True)
class Number:
    """A number: real, whole, whole and not negative, or a truth value."""

    name: str
    c_type: str

    @property
    def stored(self) -> str:
        """The type in C of those that lie in an array."""
        return "uint8_t" if self.name == "truth" else self.c_type

    def __repr__(self) -> str:
        return self.name


REAL = Number("real", "double")
WHOLE = Number("whole", "int64_t")
COUNT = Number("count", "int64_t")
TRUTH = Number("truth", "bool")


@dataclass(frozen=True)
class Nothing:
    """What a function without a result gives."""

    def __repr__(self) -> str:
        return "nothing"


NOTHING = Nothing()


@dataclass(frozen=True)
class Array:
    """Numbers in memory, with `dimensions` extents; their strides are known if they lie side by side.

    Those of a constant, or that Python does not let be written, are `frozen`.
    """

    element: Number
    dimensions: int
    contiguous: bool
    frozen: bool = False

    @property
    def struct(self) -> str:
        """The name of its type in C."""
        return f"{self.element}s{self.dimensions}{'' if self.contiguous else '_strided'}"

    def __repr__(self) -> str:
        return f"{'frozen ' if self.frozen else ''}{self.struct}"


@dataclass(frozen=True)
class Tuple:
    """Several values, by place."""

    items: tuple[Type, ...]

    @property
    def of_any(self) -> Type:
        """The type that holds whichever of its items."""
        return reduce(join, self.items)

    def __repr__(self) -> str:
        return f"({', '.join(map(repr, self.items))})"


@dataclass(frozen=True)
class Struct:
    """Several values, by name: a NamedTuple."""

    name: str
    fields: tuple[str, ...]
    items: tuple[Type, ...]

    def __repr__(self) -> str:
        inner = (f"{name}: {kind!r}" for name, kind in zip(self.fields, self.items, strict=True))
        return f"{self.name}({', '.join(inner)})"


@dataclass(frozen=True, eq=False)
class Known:
    """A Python object that is known while translating: a kernel, a module, a function of `math`."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Known) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)

    def __repr__(self) -> str:
        return f"<{getattr(self.value, '__qualname__', type(self.value).__name__)}>"


Type = Number | Nothing | Array | Tuple | Struct | Known


class Unjoinable(Exception):  # noqa: N818 - it never leaves the translator
    """Two types that no variable can hold."""


def join(one: Type | None, other: Type | None) -> Type:
    """The type of a variable that holds sometimes this, sometimes that."""
    if one is None or one == other:
        assert other is not None
        return other
    if other is None:
        return one
    if isinstance(one, Number) and isinstance(other, Number):
        if REAL in (one, other):
            return REAL
        return WHOLE if WHOLE in (one, other) else COUNT
    if isinstance(one, Array) and isinstance(other, Array):
        if (one.element, one.dimensions) == (other.element, other.dimensions):
            return Array(one.element, one.dimensions, one.contiguous and other.contiguous, one.frozen or other.frozen)
    elif isinstance(one, Tuple) and isinstance(other, Tuple) and len(one.items) == len(other.items):
        return Tuple(tuple(map(join, one.items, other.items)))
    raise Unjoinable(f"{name_of(one)} or {name_of(other)}")


def name_of(kind: Type) -> str:
    """A type in words, for errors."""
    if isinstance(kind, Number):
        return {"real": "a real number", "truth": "a truth value"}.get(kind.name, "a whole number")
    if isinstance(kind, Array):
        return f"an array of {kind.dimensions} dimension{'s' * (kind.dimensions > 1)}"
    if isinstance(kind, Tuple):
        return f"a tuple of {len(kind.items)}"
    if isinstance(kind, Struct):
        return f"a {kind.name}"
    if isinstance(kind, Nothing):
        return "nothing"
    return f"{getattr(kind.value, '__name__', None) or type(kind.value).__name__!r}"


_ELEMENTS = {np.dtype(np.float64): REAL, np.dtype(np.int64): WHOLE, np.dtype(np.bool_): TRUTH}


def type_of(value: Any) -> Type:
    """The type of a Python value that is handed to a kernel; TypeError if kernels cannot take it."""
    if isinstance(value, np.ndarray):
        element = _ELEMENTS.get(value.dtype)
        if element is None:
            raise TypeError(f"an array of {value.dtype}")
        if value.ndim == 0:
            raise TypeError("an array without dimensions")
        flags = value.flags
        if not flags.aligned:
            raise TypeError("an array whose numbers lie across words of memory (its copy would not)")
        return Array(element, value.ndim, flags.c_contiguous, not flags.writeable)
    if isinstance(value, bool | np.bool_):
        return TRUTH
    if isinstance(value, float | np.floating):
        return REAL
    if isinstance(value, int | np.integer):
        return WHOLE
    if isinstance(value, tuple):
        items = tuple(map(type_of, value))
        if fields := getattr(value, "_fields", None):
            return Struct(type(value).__name__, tuple(fields), items)
        return Tuple(items)
    if hasattr(value, "py_func"):
        return Known(value)
    raise TypeError("a string" if isinstance(value, str) else f"{type(value).__name__!r}")
