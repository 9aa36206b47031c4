"""Real numbers from whatever a user gives, and nothing that NumPy would make some of."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Set, Sized
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST = 2**62  # of anything that is counted
_SHORT = 160  # characters of a value in an error


def shown(value: object) -> str:
    """A value as an error tells it: in one line, and short, whatever it is."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # whole numbers of thousands of digits, and objects that cannot even tell themselves
        text = f"a {type(value).__name__}"
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 3]}..."


def is_real(value: object) -> bool:
    """Whether it is one real number; a flag, a text, a time or a masked value is not one."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, (bool, np.timedelta64))


def len_of(value: Sized) -> int:
    """How long it is; what is longer than an index can say is as long as that."""
    try:
        return len(value)
    except OverflowError:
        return MOST


@cache
def memory() -> float:
    """Bytes of memory that this machine has; 8 GB where it does not tell."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return 8e9


_KINDS = {
    "b": "flags", "U": "text", "S": "text", "M": "dates", "m": "spans of time", "c": "complex numbers",
    "V": "records of several fields", "T": "text",
}  # fmt: skip


def reals(value: Any) -> NDArray[np.float64]:
    """Real numbers and nothing that NumPy would make some of: flags, text, times, complex or masked values."""
    if type(value) is np.ndarray and value.dtype == np.float64 and value.flags.c_contiguous:
        return value
    if isinstance(value, (str, bytes, Set, Mapping, Iterator)):
        raise TypeError(f"it is a {type(value).__name__}")
    if np.ma.isMaskedArray(value) and np.ma.is_masked(value):
        raise TypeError("some of its values are masked")
    count = value.size if isinstance(value, np.ndarray) else len_of(value) if isinstance(value, Sized) else 1
    if 8.0 * count > memory() / 4:
        raise MemoryError(f"{count:.3g} numbers take more than a quarter of the memory")
    if isinstance(value, (list, tuple)) and _holds_flags(value):
        raise TypeError("it holds flags")
    given = np.asarray(value)
    if given.dtype.kind == "O":
        for one in given.flat:
            if not is_real(one):
                raise TypeError(f"it holds {shown(one)}")
    elif given.dtype.kind not in "iuf":
        raise TypeError(f"it holds {_KINDS.get(given.dtype.kind, given.dtype.name)}")
    with np.errstate(over="ignore"):
        return np.asarray(given, dtype=np.float64, order="C")


def _holds_flags(value: Iterable[Any]) -> bool:
    kinds = set(map(type, value))
    if bool in kinds or np.bool_ in kinds:
        return True
    return bool(kinds & {list, tuple, np.ndarray}) and any(
        one.dtype.kind == "b" if isinstance(one, np.ndarray) else isinstance(one, (list, tuple)) and _holds_flags(one)
        for one in value
    )
