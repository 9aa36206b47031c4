"""Arguments as words of eight bytes: numbers by value, arrays as an address, extents and strides."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from tegotae.compile.translate.types import REAL, TRUTH, WHOLE, Array, Number, Struct, Tuple, Type, type_of

Packer = Callable[[Any, list[Any]], bool]

_BYTE: Any = ctypes.c_char.from_buffer  # arrays are buffers, which not every NumPy says of its own
_DTYPES = {REAL: np.dtype(np.float64), WHOLE: np.dtype(np.int64), TRUTH: np.dtype(np.bool_)}
# As NumPy counts them in `flags.num`.
_SIDE_BY_SIDE, _ALIGNED, _WRITEABLE = 0x1, 0x100, 0x400


def letters(kind: Type) -> str:
    """How `struct` writes the words of an argument."""
    if isinstance(kind, Number):
        return "d" if kind is REAL else "q"
    if isinstance(kind, Array):
        return "q" * (1 + kind.dimensions * (1 if kind.contiguous else 2))
    if isinstance(kind, Tuple | Struct):
        return "".join(map(letters, kind.items))
    return ""


def packer(kind: Type) -> Packer:
    """What appends the words of a value if it has this type, and else gives False: one look, as machines call often."""
    if kind is REAL:
        return _real
    if isinstance(kind, Array):
        return _array_packer(kind)
    if isinstance(kind, Tuple | Struct):
        return _tuple_packer(kind)

    def any_other(value: Any, words: list[Any]) -> bool:
        if type_of(value) != kind:
            return False
        if isinstance(kind, Number):
            words.append(bool(value) if kind is TRUTH else value)  # NumPy's truth values are no numbers
        return True

    return any_other


def _real(value: Any, words: list[Any]) -> bool:
    words.append(value)
    return isinstance(value, (float, np.floating))


def _array_packer(kind: Array) -> Packer:
    dtype, dimensions, contiguous = _DTYPES[kind.element], kind.dimensions, kind.contiguous
    looked_at = _SIDE_BY_SIDE | _ALIGNED | _WRITEABLE
    wanted = _ALIGNED | (_SIDE_BY_SIDE if contiguous else 0) | (0 if kind.frozen else _WRITEABLE)

    def array(value: Any, words: list[Any]) -> bool:
        if not isinstance(value, np.ndarray) or value.dtype != dtype or value.ndim != dimensions:
            return False
        if value.flags.num & looked_at != wanted:
            return False
        try:  # the quick way serves arrays that lie side by side and may be written
            words.append(ctypes.addressof(_BYTE(value)))
        except (TypeError, ValueError, BufferError):
            words.append(int(value.ctypes.data))
        words.extend(value.shape)
        if not contiguous:
            words.extend([stride // value.itemsize for stride in value.strides])
        return True

    return array


def _tuple_packer(kind: Tuple | Struct) -> Packer:
    inner = tuple(map(packer, kind.items))
    name, fields = (kind.name, kind.fields) if isinstance(kind, Struct) else ("", None)

    def several(value: Any, words: list[Any]) -> bool:
        if not isinstance(value, tuple) or len(value) != len(inner) or getattr(value, "_fields", None) != fields:
            return False
        if fields is not None and type(value).__name__ != name:
            return False
        return all(pack(item, words) for pack, item in zip(inner, value, strict=True))

    return several
