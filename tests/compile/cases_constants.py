"""Constants of the module: numbers, tuples and arrays, as they are when the kernel is compiled."""

import math

import numpy as np
from case import INF, Case, floats, singles

from tegotae.compile import kernel

CASES: list[Case] = []

GRAVITY = 9.81
COUNT = 3
NEGATIVE = -2
LARGE = 2**40
FLAG = True
MINUS_ZERO, NOT_A_NUMBER, NO_LIMIT = -0.0, math.nan, -math.inf
DENORMAL = 5e-324
OF_NUMPY, INT_OF_NUMPY, BOOL_OF_NUMPY = np.float64(0.1), np.int64(-7), np.bool_(True)

WEIGHTS = (0.5, -1.5, 2.5)
STEPS = (1, -2, 3)
MIXED = (7, 2.5, True)
SQUARE = ((1.0, 2.0), (3.0, 4.0))
PAIRS = ((1, 0.5), (2, 1.5), (-3, 2.5))
FLAGS = (True, False, True)

TABLE = np.array([0.5, -0.0, np.nan, np.inf, 2.5])
ORDER = np.array([2, -1, 0], dtype=np.int64)
MASK = np.array([True, False, True])
MATRIX = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
TRANSPOSED = MATRIX.T
EVERY_SECOND = np.arange(8.0)[::2]
EMPTY = np.zeros(0)


# Numbers.


def floats_of_the_module(x):
    return x * GRAVITY, x + MINUS_ZERO, x + NOT_A_NUMBER, max(x, NO_LIMIT), DENORMAL, -GRAVITY


def ints_of_the_module(n):
    return n + COUNT, n // NEGATIVE, n % NEGATIVE, n + LARGE, COUNT / 2, COUNT**NEGATIVE


def int_as_bound_and_index(a):
    total = 0.0
    for i in range(COUNT):
        total = total * 2.0 + a[i] + a[NEGATIVE]
    return total, len(a[COUNT:]), len(a[NEGATIVE:])


def bool_of_the_module(x):
    return x if FLAG else -x


def numbers_of_numpy(x):
    return x + OF_NUMPY, INT_OF_NUMPY // 2, BOOL_OF_NUMPY, INT_OF_NUMPY / 2


def assigned_from_constant():
    x = GRAVITY
    x *= 2.0
    n = COUNT
    n += 1
    return x, n, GRAVITY, COUNT


CASES += [
    Case(floats_of_the_module, singles([1.5, -0.0, INF])),
    Case(ints_of_the_module, singles([7, -7, 0])),
    Case(int_as_bound_and_index, [(floats(1, 2, 3, 4),)]),
    Case(bool_of_the_module, singles([1.5, -0.0])),
    Case(numbers_of_numpy, singles([1.5, -0.0])),
    Case(assigned_from_constant, [()]),
]


# Tuples.


def tuple_of_the_module(i):
    return WEIGHTS[0], WEIGHTS[-1], WEIGHTS[i], len(WEIGHTS), STEPS[i], FLAGS[i]


def tuple_of_mixed_numbers():
    return MIXED[0] // 2, MIXED[1], MIXED[2], MIXED


def nested_tuple(i, j):
    return SQUARE[i][j], SQUARE[0][1], SQUARE[i]


def tuple_of_pairs(i):
    n, x = PAIRS[i]
    return n // 2, x, PAIRS[1][0]


def loop_over_tuple():
    total = 0.0
    for w in WEIGHTS:
        for step in STEPS:
            total = total * 1.5 + w * step
    return total


def loop_over_tuple_of_pairs():
    total = 0.0
    for n, x in PAIRS:
        total = total * 2.0 + n * x
    return total


def polynomial(x):
    y = 0.0
    for i in range(len(WEIGHTS)):
        y = y * x + WEIGHTS[i]
    return y


def cut_tuple():
    first, second = WEIGHTS[1:]
    return first, second, STEPS[:-1]


CASES += [
    *[Case(function, singles(range(-3, 3))) for function in (tuple_of_the_module, tuple_of_pairs)],
    Case(tuple_of_mixed_numbers, [()]),
    Case(nested_tuple, [(i, j) for i in (-2, -1, 0, 1) for j in (0, -1)]),
    Case(loop_over_tuple, [()]),
    Case(loop_over_tuple_of_pairs, [()]),
    Case(polynomial, singles([0.0, 1.5, -0.0, INF])),
    Case(cut_tuple, [()]),
]


# Arrays.


def array_of_the_module(i):
    return TABLE[i], TABLE[0], TABLE[-1], len(TABLE), TABLE.shape[0]


def arrays_of_ints_and_bools(i):
    return ORDER[i], MASK[i], ORDER[i] // 2, not MASK[i]


def matrix_of_the_module(i, j):
    return MATRIX[i, j], MATRIX[i][j], TRANSPOSED[j, i], MATRIX.shape, TRANSPOSED.shape[0]


def strided_array_of_the_module(i):
    return EVERY_SECOND[i], len(EVERY_SECOND), len(EMPTY)


def array_as_index_of_array():
    total = 0.0
    for i in ORDER:
        total = total * 2.0 + MATRIX[0, i]
    return total


def slices_of_the_module(low):
    part = TABLE[low:]
    row = MATRIX[-1, 1:]
    return len(part), row[0], MATRIX[:, -1][0], len(TABLE[3:][1:])


def interpolated(x):
    if x <= 0.0:
        return EVERY_SECOND[0]
    if x >= len(EVERY_SECOND) - 1:
        return EVERY_SECOND[-1]
    i = int(x)
    return EVERY_SECOND[i] + (x - i) * (EVERY_SECOND[i + 1] - EVERY_SECOND[i])


@kernel
def weighed(a):
    total = 0.0
    for i in range(len(a)):
        total = total * 2.0 + a[i]
    return total


def handed_to_a_kernel(a):
    return weighed(MATRIX[1]), weighed(TRANSPOSED[1]), weighed(EVERY_SECOND), weighed(a), weighed(EMPTY)


def copied_from_the_module(a, A):
    a[:] = MATRIX[0]
    A[:] = TRANSPOSED
    a[0] = 100.0
    return MATRIX[0, 0]


CASES += [
    Case(array_of_the_module, singles(range(-5, 5))),
    Case(arrays_of_ints_and_bools, singles(range(-3, 3))),
    Case(matrix_of_the_module, [(i, j) for i in (0, 1, -1) for j in (0, 2, -3)]),
    Case(strided_array_of_the_module, singles(range(-4, 4))),
    Case(array_as_index_of_array, [()]),
    Case(slices_of_the_module, singles([-9, -1, 0, 3, 9])),
    Case(interpolated, singles([-1.0, 0.0, 0.5, 2.75, 3.0, 9.0])),
    Case(handed_to_a_kernel, [(floats(1, 2),), (floats(1, 2, 3, 4)[::2],)]),
    Case(copied_from_the_module, [(floats(0, 0, 0), np.zeros((3, 2)))]),
]
