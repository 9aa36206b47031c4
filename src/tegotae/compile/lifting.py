"""Kernels where there is no compiler of C: their functions made anew, for numba or as plain Python.

The function of a kernel calls other kernels, each of which would look for a library of its own. Here it is made anew,
once, of the same code; where it named a kernel, it names what that kernel became.
"""

from __future__ import annotations

import builtins
import math
import threading
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from tegotae.compile import backend
from tegotae.compile.translate.program import EntryPoint, Program
from tegotae.compile.translate.types import REAL, TRUTH, Array, Known, Struct, Tuple, Type
from tegotae.errors import InputError
from tegotae.extras import require

Callee = Callable[..., Any]


class Lifting:
    """Kernels as something else that can be called, each made once.

    Args:
        make: what becomes of a function whose kernels are lifted; it is given the kernel as well.
        inner: how the kernels that it calls are lifted; None: likewise.
        leaves: which of those are left as they are.
    """

    def __init__(
        self,
        make: Callable[[FunctionType, Any], Callee],
        inner: Lifting | None = None,
        leaves: Callable[[Any], bool] = lambda _: False,
    ):
        self._make, self._inner, self._leaves = make, inner or self, leaves
        self._lifted: WeakKeyDictionary[Any, Callee] = WeakKeyDictionary()
        self._turn = threading.RLock()

    def __call__(self, kernel: Any) -> Callee:
        """The kernel, lifted."""
        with self._turn:
            if kernel not in self._lifted:
                function = _anew(kernel.py_func)
                self._lifted[kernel] = self._make(function, kernel)
                try:
                    self._inner.fill(function, kernel.py_func)  # now: what it names may lead back to it
                except BaseException:
                    del self._lifted[kernel]
                    raise
            return self._lifted[kernel]

    def fill(self, function: FunctionType, plain: FunctionType) -> None:
        """Give a function what its names stand for now, as C would, and of its module no more than that."""
        asked = tuple(_names(plain.__code__))
        for name in asked:
            if name in plain.__globals__:
                function.__globals__[name] = self.value(plain.__globals__[name], asked)
        for cell, target in zip(plain.__closure__ or (), function.__closure__ or (), strict=True):
            target.cell_contents = self.value(cell.cell_contents, asked)

    def value(self, value: Any, asked: tuple[str, ...] = (), above: tuple[Any, ...] = ()) -> Any:
        """What a kernel sees, with the kernels in it lifted; `asked`: names that are read of modules."""
        if isinstance(getattr(value, "py_func", None), FunctionType):
            return value if self._leaves(value) else self(value)
        if isinstance(value, tuple):
            items = [self.value(item, asked, above) for item in value]
            if all(new is old for new, old in zip(items, value, strict=True)):
                return value
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        if isinstance(value, ModuleType) and value not in (math, np, *above):
            module = ModuleType(value.__name__)
            for name in asked:
                if hasattr(value, name):
                    setattr(module, name, self.value(getattr(value, name), asked, (*above, value)))
            return module
        return value


def _anew(plain: FunctionType) -> FunctionType:
    """The same code, which knows nothing yet."""
    # numba finds what it kept on disk by a module that can be imported
    names = {"__builtins__": builtins, "__name__": __name__}
    cells = tuple(CellType() for _ in plain.__closure__ or ())
    made = FunctionType(plain.__code__, names, plain.__name__, plain.__defaults__, cells or None)
    made.__qualname__, made.__module__, made.__doc__ = plain.__qualname__, __name__, plain.__doc__
    return made


def _names(code: CodeType) -> Iterator[str]:
    """The names that a function reads; plain Python takes functions inside as well."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


# What is an entry by itself may ship, as the solver of the elements of all inclusions does.
PLAIN = Lifting(lambda function, _: function, leaves=lambda kernel: getattr(kernel, "entry", False))


@cache
def _by_numba() -> tuple[Lifting, Lifting]:
    """What Python calls, kept on disk, and the kernels inside."""
    from tegotae.compile import with_numba

    inner = Lifting(with_numba.lifted)
    return Lifting(with_numba.lifted_entry, inner), inner


class Instead:
    """What Python calls in place of a kernel for which there is neither a library nor a compiler. It says so once.

    Args:
        kernel: in place of which.
        kinds: the types that it is called with. What is outside the subset is refused unless numba was asked for,
            though numba might take it: its answers may be others than Python's.
    """

    def __init__(self, kernel: Any, kinds: tuple[Type, ...]):
        self._kernel, self._kinds = kernel, kinds
        # A kernel that is handed over is another one in each process: nothing would be found on disk.
        self._kept = not any(map(_holds_a_kernel, kinds))
        self._asked, self._plain = backend.name() == "numba", False
        if self._asked:
            require("TEGOTAE_BACKEND=numba", "numba", instead="unset it: kernels then become C")
            return
        self._plain = bool(backend.trouble_with_numba())
        if not self._plain:
            Program().units([EntryPoint("entry", kernel, kinds)])
        backend.warn_of_no_compiler()

    def __call__(self, *arguments: Any) -> Any:
        """Call it."""
        if self._plain:
            return PLAIN(self._kernel)(*map(PLAIN.value, arguments))
        from numba.core.errors import NumbaError

        entries, inner = _by_numba()
        given = [_given(argument, kind, inner) for argument, kind in zip(arguments, self._kinds, strict=True)]
        try:
            return (entries if self._kept else inner)(self._kernel)(*given)
        except NumbaError as error:
            if self._asked:
                raise
            warnings.warn(
                f"numba does not take the kernel {self._kernel.__name__!r}, which runs as plain Python, much slower: "
                f"{str(error).strip().splitlines()[0]}",
                stacklevel=4,
            )
        self._plain = True
        return self(*arguments)


def _holds_a_kernel(kind: Type) -> bool:
    return isinstance(kind, Known) or (isinstance(kind, Tuple | Struct) and any(map(_holds_a_kernel, kind.items)))


def _given(value: Any, kind: Type, lift: Lifting) -> Any:
    """An argument for numba: numbers as C takes them, of 64 bits, and kernels lifted."""
    if isinstance(kind, Array):
        return value
    if isinstance(kind, Tuple | Struct):
        items = [_given(item, item_kind, lift) for item, item_kind in zip(value, kind.items, strict=True)]
        return type(value)(*items) if isinstance(kind, Struct) else tuple(items)
    if isinstance(kind, Known):
        return lift.value(value)
    if kind is REAL:
        return float(value)
    if kind is TRUTH:
        return bool(value)
    if not -(2**63) <= value < 2**63:
        raise InputError(f"{value} handed to a kernel does not fit into 64 bits.\n  Use a real number.")
    return int(value)
