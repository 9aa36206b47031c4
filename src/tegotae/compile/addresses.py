"""Kernels reached by their address: how a loop that ships calls blocks that it learns of only when it runs.

A `Signature` is called inside a kernel with an address and then the arguments. As plain Python, it knows which kernel
an address was given for.
"""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tegotae.compile import backend, recording
from tegotae.compile.kernels import as_kernel
from tegotae.compile.translate.types import NOTHING, REAL, WHOLE, Array, Tuple, Type
from tegotae.errors import InputError, TegotaeError

if TYPE_CHECKING:
    from tegotae.compile.translate.program import EntryPoint

_TYPES: dict[str, Type] = {
    "real": REAL,
    "reals": Array(REAL, 1, contiguous=True),
    "wholes": Array(WHOLE, 1, contiguous=True),
    "column": Array(REAL, 1, contiguous=False),
    "matrix": Array(REAL, 2, contiguous=True),
}
# Addresses stand among a block's parameters, as real numbers.
_EXACT_BELOW = 2**53


class Signature:
    """The types of kernels that are called by their address.

    Args:
        text: types before and behind an arrow, of ``real``, ``reals`` (side by side), ``column`` (of a matrix) and
            ``matrix``; nothing behind the arrow for a kernel that gives nothing.

    Example:
        >>> from tegotae.compile import Signature, kernel
        >>> on_a_number = Signature("real -> real")
        >>> @kernel
        ... def twice(x):
        ...     return 2.0 * x
        >>> @kernel
        ... def fourfold(where, x):
        ...     return on_a_number(where, on_a_number(where, x))
        >>> fourfold(on_a_number.address_of(twice), 1.5)
        6.0
    """

    def __init__(self, text: str):
        self.text = text
        before, arrow, behind = text.partition("->")
        words = [part.replace(",", " ").split() for part in (before, behind)]
        if not arrow or not words[0] or not {*words[0], *words[1]} <= set(_TYPES):
            known = ", ".join(_TYPES)
            raise InputError(f"Signature: text={text!r}.\n  Use {known} and an arrow, as in 'reals, real -> real'.")
        self.arguments, given = (tuple(_TYPES[word] for word in part) for part in words)
        self.result: Type = NOTHING if not given else given[0] if len(given) == 1 else Tuple(given)
        self._known: dict[int, tuple[Any, float | None]] = {}

    def __repr__(self) -> str:
        return f"Signature({self.text!r})"

    def __call__(self, address: float, *arguments: Any) -> Any:
        """As plain Python: the kernel with this address."""
        return _kernels[address](*arguments)

    def address_of(self, kernel: Any) -> float | None:
        """Where a kernel lies; None if it does not ship and cannot be compiled here."""
        if recording.wanted:
            recording.note(kernel, self.arguments, self.result)
            return _numbered(kernel)
        if id(kernel) not in self._known:
            self._known[id(kernel)] = kernel, self._find(kernel)  # held, so that its number stays its own
        return self._known[id(kernel)][1]

    def _find(self, given: Any) -> float | None:
        if backend.name() == "python":
            return _numbered(given)
        from tegotae.compile import native, toolchain
        from tegotae.compile.translate.program import EntryPoint

        kernel = as_kernel(given)
        entry = EntryPoint(native.SYMBOL, kernel, self.arguments, by_address=self.result)
        try:
            address = native.loaded(entry, _address)
        except toolchain.NoCompilerError:
            return None
        if not 0 < address < _EXACT_BELOW:
            raise TegotaeError(
                f"{kernel!r} lies at address {address}, which no real number holds.\n"
                "  Install a compiler of C: then machines need no addresses."
            )
        _kernels[float(address)] = given
        return float(address)


def _address(path: Path, entry: EntryPoint) -> int:
    """Of an entry of a library, loaded for good: nothing unloads one that a process has loaded."""
    return ctypes.cast(getattr(ctypes.CDLL(str(path)), entry.symbol), ctypes.c_void_p).value or 0


_kernels: dict[float, Any] = {}


def _numbered(kernel: Any) -> float:
    """An address for plain Python alone."""
    _kernels[number := -1.0 - len(_kernels)] = kernel  # none of C's is negative
    return number
