"""Arrays made inside a kernel, of a size that is known beforehand. They are gone when it returns."""

import numpy as np
from case import Case, floats, singles

from tegotae.compile import kernel

CASES: list[Case] = []
SIZE = 3
SHAPE = (2, 3)


def zeros_are_zero():
    a = np.zeros(3)
    return a[0], a[1], a[-1], len(a)


def zeros_of_two_dimensions():
    A = np.zeros((2, 3))
    A[1, 2] = 5.0
    return A[0, 0], A[-1, -1], A.shape, A.size


def zeros_of_int():
    n = np.zeros(4, dtype=np.int64)
    n[1] = 7
    n[2] = n[1] // 2
    return n[0], n[1], n[2]


def zeros_of_float_said_so():
    a = np.zeros(2, dtype=np.float64)
    a[1] += 1
    return a[0], a[1]


def zeros_of_bool():
    seen = np.zeros(3, dtype=np.bool_)
    seen[1] = True
    return seen[0], seen[1], not seen[2]


def empty_written_before_read(x):
    a = np.empty(3)
    for i in range(3):
        a[i] = x * i
    return a[0] + a[1] + a[2]


def empty_of_two_dimensions(x):
    A = np.empty((2, 2))
    A[:] = x
    A[0, 1] = -x
    return A[0, 0], A[0, 1], A[1, 0], A[1, 1]


def empty_of_int():
    n = np.empty(2, dtype=np.int64)
    n[0], n[1] = 5, -5
    return n[0] // 2, n[1] // 2


def size_from_module_constant(x):
    a = np.zeros(SIZE)
    A = np.zeros((SIZE, 2 * SIZE))
    B = np.zeros(SHAPE)
    a[-1] = A[2, 5] = B[1, 2] = x
    return len(a), A.size, B.size, a[2] + A[-1, -1] + B[-1, -1]


def size_from_expression_of_literals():
    a = np.zeros(2 * 3 + 1)
    return len(a)


def size_zero():
    a = np.zeros(0)
    total = 1.0
    for x in a:
        total += x
    return len(a), total


def zeros_made_once_before_the_loop(n):
    a = np.zeros(3)
    for i in range(n):
        a[i % 3] += 1.0 + i
    return a[0], a[1], a[2]


def two_that_are_not_one():
    a = np.zeros(2)
    b = np.zeros(2)
    a[0] = 1.0
    b[1] = 2.0
    return a[0], a[1], b[0], b[1]


def reshaped_and_sliced():
    A = np.zeros(6).reshape(2, 3)
    A[1, 1:] = 4.0
    a = np.zeros(6)[2:]
    a[:] = A[1, 1]
    return A[1, 0] + A[1, 1] + A[1, 2], len(a), a[-1]


def copied_out(out, x):
    work = np.zeros(3)
    for i in range(3):
        work[i] = x + i
    out[:] = work[:]


def only_in_one_branch(flag):
    if flag:
        a = np.zeros(2)
        a[1] = 3.0
        return a[0] + a[1]
    return -1.0


CASES += [
    *[
        Case(function, [()])
        for function in (
            zeros_are_zero,
            zeros_of_two_dimensions,
            zeros_of_int,
            zeros_of_float_said_so,
            zeros_of_bool,
            empty_of_int,
            size_from_expression_of_literals,
            size_zero,
            two_that_are_not_one,
            reshaped_and_sliced,
        )
    ],
    *[
        Case(function, singles([0.0, -0.0, 1.5, float("nan")]))
        for function in (empty_written_before_read, empty_of_two_dimensions, size_from_module_constant)
    ],
    Case(zeros_made_once_before_the_loop, singles([0, 1, 2, 7])),
    Case(copied_out, [(floats(0, 0, 0), 0.5), (floats(0, 0, 0, 0, 0, 0)[::2], 0.5)]),
    Case(only_in_one_branch, singles([False, True])),
]


# Handed to kernels.


@kernel
def filled(a, x):
    for i in range(len(a)):
        a[i] = x + i


@kernel
def workspace_of_its_own(x):
    a = np.zeros(4)
    filled(a[1:], x)
    return a[0] + a[-1]


def filled_by_a_kernel(x):
    a = np.empty(3)
    filled(a, x)
    return a[0], a[1], a[2]


def workspaces_do_not_meet(x):
    a = np.zeros(4)
    first = workspace_of_its_own(x)
    a[0] = first
    second = workspace_of_its_own(-x)
    return a[0], a[1], second


def parts_given_to_kernels(x):
    A = np.zeros((2, 3))
    filled(A[1], x)
    filled(A[0, 1:], 2.0 * x)
    return A[0, 0], A[0, 2], A[1, 2]


CASES += [
    Case(filled_by_a_kernel, singles([0.5, -0.0])),
    Case(workspaces_do_not_meet, singles([0.5, -3.0])),
    Case(parts_given_to_kernels, singles([0.5, -3.0])),
]
