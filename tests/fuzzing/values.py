"""A vocabulary of bad values: what hostile, hurried or honest hands put where a number, a flag or a word belongs."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np


class Theirs(Exception):  # noqa: N818 - a user's own, not one of ours
    """What a function of a user raises: it passes through unharmed."""


def raises(*_: Any, **__: Any) -> Any:
    """A function of a user that fails."""
    raise Theirs


class Frame:
    """What a table of another package looks like: columns, and an array on demand."""

    def __init__(self) -> None:
        self.columns = ["a", "b"]
        self.values = np.array([["x", 1.0], ["y", 2.0]], dtype=object)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values if dtype is None else self.values.astype(dtype)

    def __len__(self) -> int:
        return len(self.values)


def _frozen(array: Any) -> Any:
    array.flags.writeable = False
    return array


def _structured() -> Any:
    return np.zeros(3, dtype=[("a", "f8"), ("b", "f8")])


# Each makes its value anew, so that nothing is handed over twice.
# Never a number, nor an array of them, whatever is asked of it.
NEVER: dict[str, Callable[[], Any]] = {
    "True": lambda: True,
    "False": lambda: False,
    "empty text": lambda: "",
    "text": lambda: "abc",
    "digits": lambda: "1",
    "bytes": lambda: b"1",
    "nan": lambda: float("nan"),
    "complex": lambda: 1 + 2j,
    "ragged": lambda: [[1.0], [1.0, 2.0]],
    "ragged deep": lambda: [1.0, [2.0, [3.0]]],
    "numbers and None": lambda: [1.0, None],
    "numbers and a flag": lambda: [1.0, True],
    "numbers and a word": lambda: [1.0, "2"],
    "set": lambda: {1.0, 2.0},
    "object": object,
    "generator": lambda: (x for x in (1.0, 2.0)),
    "class": lambda: float,
    "date": lambda: datetime.datetime(2026, 1, 1),
    "day": lambda: np.datetime64("2026-01-01"),
    "span": lambda: np.timedelta64(5, "s"),
    "bool of numpy": lambda: np.True_,
    "void": lambda: np.void(b"12345678"),
    "bools": lambda: np.array([True, False, True]),
    "bool alone": lambda: np.array(True),
    "words": lambda: np.array(["1", "2", "3"]),
    "word alone": lambda: np.array("1"),
    "raw words": lambda: np.array([b"1", b"2"]),
    "days": lambda: np.array(["2026-01-01", "2026-01-02"], dtype="M8[D]"),
    "spans": lambda: np.array([1, 2, 3], dtype="m8[s]"),
    "complexes": lambda: np.array([1 + 0j, 2.0, 3.0]),
    "complex alone": lambda: np.array(1 + 0j),
    "structured": _structured,
    "record": lambda: _structured()[0],
    "recarray": lambda: _structured().view(np.recarray),
    "masked": lambda: np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False]),
    "mask itself": lambda: np.ma.masked,
    "objects": lambda: np.array([1.0, "x", None], dtype=object),
    "object alone": lambda: np.array(object()),
    "with nan": lambda: np.array([1.0, np.nan, 3.0]),
    "nan alone": lambda: np.array(np.nan),
    "nan in single": lambda: np.float32("nan"),
    "frame": Frame,
    "path": lambda: Path("abc"),
    "not a number": lambda: Decimal("nan"),
}
# May be a number or an array where one is asked for; then the result is finite, or something is said.
SOMETIMES: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "inf": lambda: float("inf"),
    "-inf": lambda: float("-inf"),
    "-1": lambda: -1,
    "-1.0": lambda: -1.0,
    "0": lambda: 0,
    "0.0": lambda: 0.0,
    "1": lambda: 1,
    "2.5": lambda: 2.5,
    "1e300": lambda: 1e300,
    "-1e300": lambda: -1e300,
    "1e12": lambda: 1e12,
    "1e-300": lambda: 1e-300,
    "smallest": lambda: 5e-324,
    "10**400": lambda: 10**400,
    "-10**400": lambda: -(10**400),
    "10**5000": lambda: 10**5000,
    "2**63": lambda: 2**63,
    "[]": list,
    "[[]]": lambda: [[]],
    "{}": dict,
    "mapping": lambda: {"a": 1.0},
    "mapping of numbers": lambda: {5: 1.0},
    "list of text": lambda: ["a", "b"],
    "list of numbers": lambda: [1.0, 2.0],
    "list of objects": lambda: [object(), object()],
    "function": lambda: raises,
    "decimal": lambda: Decimal("1.5"),
    "fraction": lambda: Fraction(1, 2),
    "long range": lambda: range(10**11),
    "longest range": lambda: range(2**62),
    "masked by nothing": lambda: np.ma.array([1.0, 2.0, 3.0]),
    "no dimension": lambda: np.array(1.0),
    "one": lambda: np.array([1.0]),
    "three dimensions": lambda: np.ones((2, 2, 2)),
    "matrix": lambda: np.ones((3, 3)),
    "empty": lambda: np.empty(0),
    "empty wide": lambda: np.empty((0, 3)),
    "read-only": lambda: _frozen(np.ones(3)),
    "strided": lambda: np.ones(6)[::2],
    "backwards": lambda: np.ones(3)[::-1],
    "big-endian": lambda: np.ones(3, dtype=">f8"),
    "singles": lambda: np.ones(3, dtype=np.float32),
    "halves": lambda: np.ones(3, dtype=np.float16),
    "bytes of ints": lambda: np.ones(3, dtype=np.int8),
    "unsigned": lambda: np.full(3, 2**64 - 1, dtype=np.uint64),
    "with inf": lambda: np.array([1.0, np.inf, 3.0]),
    "huge": lambda: np.full(3, 1e300),
    "long": lambda: np.broadcast_to(1.0, (10**12,)),
    "long and wide": lambda: np.broadcast_to(1.0, (10**12, 3)),
    "numbers as objects": lambda: np.array([1.0, 2, 3.5], dtype=object),
    "huge as objects": lambda: np.array([10**400], dtype=object),
    "longdouble": lambda: np.longdouble("1e4000"),
}
VOCABULARY = {**NEVER, **SOMETIMES}
