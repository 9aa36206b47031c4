"""Entries with their arguments given once and for all, and whether they can run compiled."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

from tegotae.compile import recording
from tegotae.compile.kernels import NativeKernel
from tegotae.compile.toolchain import NoCompilerError
from tegotae.errors import InputError


def bind(entry: Any, *arguments: Any) -> Callable[..., Any]:
    """An entry with its arguments given once and for all; `float` or `int` stands for what each call gives.

    The arrays are held and read where they lie: change what is in them, never put others in their place. For loops
    that call thousands of times a second: handing the arrays over anew would take longer than most ticks. One thread
    at a time may call it.

    Example:
        >>> import numpy as np
        >>> from tegotae.compile import bind
        >>> from tegotae.friction.kernels.laws import viscous_magnitude
        >>> law = bind(viscous_magnitude, np.array([3.0, 2.0]), 0, float)
        >>> law(0.5)
        (4.0, 2.0)
    """
    places = [i for i, argument in enumerate(arguments) if isinstance(argument, type)]
    if isinstance(entry, NativeKernel) and not recording.wanted:
        try:
            return _bound(entry, arguments, places)
        except NoCompilerError:
            from tegotae.compile.lifting import Instead
            from tegotae.compile.native import signature

            entry = Instead(entry, signature(entry, _with_numbers(arguments)))
    given = list(arguments)

    def call(*numbers: Any) -> Any:
        _count(numbers, places)
        for place, number in zip(places, numbers, strict=True):
            given[place] = number
        return entry(*given)

    return call


def _bound(entry: NativeKernel, arguments: tuple[Any, ...], places: list[int]) -> Callable[..., Any]:
    from tegotae.compile.native import Native, signature

    held = _with_numbers(arguments)
    native = Native.of(entry, signature(entry, held))
    words = ctypes.create_string_buffer(native.words(held), native.layout.size + 1)
    cells = [_CELLS[arguments[place]].from_buffer(words, 8 * native.starts[place]) for place in places]
    function, address = native.function, ctypes.addressof(words)
    only: Any = cells[0] if cells else None

    def call_with(*numbers: float) -> Any:
        _count(numbers, cells)
        for cell, number in zip(cells, numbers, strict=True):
            cell.value = number
        return native(words)

    def call_with_one(number: float) -> Any:
        only.value = number
        return function(address)

    def call_alone() -> Any:
        return function(address)

    quick: Any = call_with_one if cells else call_alone
    call: Callable[..., Any] = call_with if native.several or len(cells) > 1 else quick
    call.keeps = held, words  # type: ignore[attr-defined]  # the addresses lead there
    return call


def _with_numbers(arguments: tuple[Any, ...]) -> list[Any]:
    """The arguments with some number where each call gives one."""
    return [argument() if isinstance(argument, type) else argument for argument in arguments]


class _Whole(ctypes.Structure):
    """A whole number among the words; ctypes itself would let one that is too large wrap around."""

    _fields_ = (("held", ctypes.c_int64),)

    @property
    def value(self) -> int:
        return int(self.held)

    @value.setter
    def value(self, number: int) -> None:
        if not -(2**63) <= number < 2**63:
            raise InputError(f"{number} handed to a kernel does not fit into 64 bits.\n  Use a real number.")
        self.held = number


_CELLS: dict[type, Any] = {float: ctypes.c_double, int: _Whole}


def _count(numbers: Sequence[Any], places: Sequence[Any]) -> None:
    if len(numbers) != len(places):
        raise TypeError(f"a bound kernel that takes {len(places)} numbers is given {len(numbers)}")


def is_ready(entry: Any, *arguments: Any) -> bool:
    """Whether an entry runs compiled for such arguments: it ships, or a compiler or numba is at hand. None is compiled.

    Example:
        >>> from tegotae.compile import is_ready, kernel
        >>> @kernel
        ... def twice(x):
        ...     return 2.0 * x
        >>> is_ready(twice, 1.5)
        True
    """
    if recording.wanted or not isinstance(entry, NativeKernel):
        return True
    from tegotae.compile import backend, native, shipped, toolchain
    from tegotae.compile.translate.program import EntryPoint

    try:
        toolchain.find()
    except NoCompilerError:
        if not backend.trouble_with_numba():
            return True
        kinds = native.signature(entry, arguments)
        return shipped.find(native.key_of(EntryPoint(native.SYMBOL, entry, kinds))) is not None
    return True
