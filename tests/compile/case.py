"""What a case is: a small function of the subset and the arguments it is tried with; and values that break things."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np


@dataclass(frozen=True)
class Case:
    """A plain function, and tuples of arguments; compiled, it gives what Python gives for each.

    Args:
        function: not decorated; its source is in the file.
        arguments: one tuple for each call. Arrays may be strided, and may share memory with each other.
        expected: one result for each call, where the subset departs from Python on purpose, or Python raises.
    """

    function: Callable[..., Any]
    arguments: Sequence[tuple[Any, ...]]
    expected: Sequence[Any] | None = None

    def __post_init__(self) -> None:
        if not self.arguments or (self.expected is not None and len(self.expected) != len(self.arguments)):
            raise ValueError(f"{self.function.__name__}: one expected result for each tuple of arguments")


class Refused(NamedTuple):
    """A function that is not translated (or, in the lists that say so, that is translated rightly or not at all).

    `words` are in the message, in small or capital letters.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    words: str


SMALLEST, TINY, HUGE = 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308  # denormal, normal, the largest
NAN, INF = math.nan, math.inf
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.1, -2.5, 7.0, SMALLEST, -TINY, 1e16, 1e308, -HUGE, INF, -INF, NAN]
FEW_FLOATS = [0.0, -0.0, 1.5, -2.5, 1e308, INF, -INF, NAN]
NONZERO = [1.0, -1.0, 0.1, -2.5, 7.0, 1e16, INF, -INF, NAN]
INTS = [0, 1, -1, 2, -3, 7, -8, 100, 2**31, -(2**31), 2**53, 2**62]  # sums and differences of two fit into int64
SMALL_INTS = [0, 1, -1, 2, -3, 7, -8, 100]
BOOLS = [False, True]
LARGEST_INT, SMALLEST_INT = 2**63 - 1, -(2**63)


def singles(*values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Each value as the only argument."""
    return [(value,) for group in values for value in group]


def pairs(*values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Every pair of one value of the first group and one of the last (which may be the same group)."""
    return list(product(values[0], values[-1]))


def triples(*values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Every triple of values of one group, or of three groups."""
    return list(product(*(values if len(values) == 3 else values * 3)))


def floats(*values: float) -> np.ndarray:
    """A contiguous array of float64."""
    return np.array(values, dtype=np.float64)


def ints(*values: int) -> np.ndarray:
    """A contiguous array of int64."""
    return np.array(values, dtype=np.int64)


def bools(*values: bool) -> np.ndarray:
    """A contiguous array of bool_."""
    return np.array(values, dtype=np.bool_)


def grid(rows: int, columns: int) -> np.ndarray:
    """A contiguous matrix of 0.5, 1.5, 2.5, ..."""
    return (np.arange(rows * columns, dtype=np.float64) + 0.5).reshape(rows, columns)


def int_grid(rows: int, columns: int) -> np.ndarray:
    """A contiguous matrix of 0, 1, 2, ..."""
    return np.arange(rows * columns, dtype=np.int64).reshape(rows, columns)


def cube(layers: int, rows: int, columns: int) -> np.ndarray:
    """A contiguous array of three dimensions: 0.5, 1.5, 2.5, ..."""
    return (np.arange(layers * rows * columns, dtype=np.float64) + 0.5).reshape(layers, rows, columns)


def layouts(vector: np.ndarray) -> list[np.ndarray]:
    """The same values in a row, every second one, backwards in memory, and as the column of a matrix."""
    n = len(vector)
    second, backwards, matrix = (np.zeros(2 * n, vector.dtype), vector[::-1].copy(), np.zeros((n, 3), vector.dtype))
    second[::2] = vector
    matrix[:, 1] = vector
    return [vector, second[::2], backwards[::-1], matrix[:, 1]]


def matrix_layouts(matrix: np.ndarray) -> list[np.ndarray]:
    """The same matrix in C order, in Fortran order, as a part of a wider one, and as every second row."""
    rows, columns = matrix.shape
    wider, taller = np.zeros((rows, columns + 2), matrix.dtype), np.zeros((2 * rows, columns), matrix.dtype)
    wider[:, 1:-1] = matrix
    taller[::2] = matrix
    return [matrix, matrix.T.copy().T, wider[:, 1:-1], taller[::2]]
