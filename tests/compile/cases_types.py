"""One name, several types: each stretch of a program in which a name means one thing has a type of its own."""
# ruff: noqa: B020, RET504, SIM108

import math

import numpy as np
from case import BOOLS, FEW_FLOATS, INF, NAN, SMALL_INTS, Case, bools, floats, grid, ints, layouts, pairs, singles

from tegotae.compile import kernel

CASES: list[Case] = []


# One after the other.


def int_then_float_then_array(n, a):
    x = n // 2
    first = x // 2
    x = n / 2
    second = x // 2
    x = a[1:]
    third = x[0]
    x = x[0] > 0.0
    return first, second, third, x


def float_then_int_that_is_an_index(a):
    i = a[0] * 1.5
    total = i
    i = 1
    return total + a[i] + a[-i]


def parameter_becomes_bool(x):
    x = x > 0.0
    return x


def parameter_becomes_float(n):
    n = n / 2
    return n


def parameter_becomes_int(x):
    x = int(x)
    return x // 2


def parameter_becomes_number(a):
    a = a[0]
    return a + 1.0


def parameter_becomes_part_of_itself(A):
    A = A[1]
    A = A[1:]
    A[0] = 7.0
    A = A[0]
    return A


def parameter_becomes_tuple(x, n):
    x = (x, n)
    n = x[0]
    x = x[1]
    return x // 2, n


def loop_variable_reused_as_float(n):
    total = 0
    for i in range(n):
        total += i
    i = total / 2
    return i


def loop_variable_of_int_then_of_float(a):
    count = 0
    for x in range(len(a)):
        count += x // 2
    total = 0.0
    for x in a:
        total += x / 2
    return count, total


def temporary_of_a_new_type_in_each_turn(n):
    total = 0.0
    for i in range(n):
        t = i // 2
        k = t * 3
        t = k / 4
        total += t
        t = total > 2.0
        if t:
            total -= 1.0
    return total


def number_named_as_the_array_it_came_from(a):
    total = 0.0
    for a in a:
        total += a
    return total


CASES += [
    Case(int_then_float_then_array, [(n, a) for n in (7, -7) for a in layouts(floats(1, 2, 3))]),
    Case(float_then_int_that_is_an_index, [(floats(1, 2, 3),)]),
    Case(parameter_becomes_bool, singles(FEW_FLOATS)),
    Case(parameter_becomes_float, singles(SMALL_INTS)),
    Case(parameter_becomes_int, singles([0.0, 7.9, -7.9])),
    Case(parameter_becomes_number, [(a,) for a in layouts(floats(1, 2, 3))]),
    Case(parameter_becomes_part_of_itself, [(grid(2, 3),), (grid(3, 2).T,)]),
    Case(parameter_becomes_tuple, [(1.5, 7)]),
    *[
        Case(function, singles([0, 1, 2, 7]))
        for function in (loop_variable_reused_as_float, temporary_of_a_new_type_in_each_turn)
    ],
    Case(loop_variable_of_int_then_of_float, [(floats(),), (floats(1, 2, 3),)]),
    Case(number_named_as_the_array_it_came_from, [(floats(1, 2, 3),), (floats(),)]),
]


# In two branches: an int and a float meet as a float. `cases_departures` has those where the result itself tells.


def meet_after_branches(flag, n):
    if flag:
        x = n
    else:
        x = n / 3
    return x * 0.5


def meet_after_elif(n):
    if n > 3:
        x = 1
    elif n > 1:
        x = True
    elif n > 0:
        x = 2.5
    else:
        x = -0.0
    return x / 2


def int_stays_int_where_branches_do_not_meet(flag, n):
    if flag:
        x = n
        return x // 2, x % 3
    x = n / 2
    return int(x), n


def raised_by_halves(limit):
    x = 0
    turns = 0
    while x < limit:
        x = x + 0.5
        turns += 1
    return turns, x * 1.0


def int_total_meets_float(a, n):
    total = 0
    for i in range(n):
        total += a[i]
    return total + 0.5


def int_meets_bool(flag, n):
    x = n > 3
    if flag:
        x = n
    return x + 1


def float_becomes_int_at_the_end_of_a_turn(n):
    x = 0.5
    total = 0.0
    for i in range(n):
        total = total * 2.0 + x / 2
        x = i
    return total


def minus_zero_survives_the_meeting(flag):
    x = 0
    if flag:
        x = -0.0
    return math.copysign(1.0, x)


def conditional_of_int_and_float(flag, n):
    return (n if flag else 0.5) * 2.0, (1 if flag else n / 2) / 2


def largest_of_int_and_float(n, x):
    return max(n, x) / 2, min(0, x) * 1.0, max(0.5, n) * 1.0


def tuples_meet(flag, n):
    pair = (1, n)
    if flag:
        pair = (0.5, n)
    return pair[0] * 1.0, pair[1] // 2


def arrays_meet(flag, a, A):
    x = a
    if flag:
        x = A[:, 0]
    x[0] = 5.0
    return len(x)


CASES += [
    *[
        Case(function, pairs(BOOLS, SMALL_INTS))
        for function in (
            meet_after_branches,
            int_stays_int_where_branches_do_not_meet,
            int_meets_bool,
            conditional_of_int_and_float,
            tuples_meet,
        )
    ],
    Case(meet_after_elif, singles([5, 2, 1, 0])),
    Case(raised_by_halves, singles([0.0, 1.2, -5.0, NAN])),
    Case(int_total_meets_float, [(floats(1, 2, 3), n) for n in (0, 1, 3)]),
    Case(float_becomes_int_at_the_end_of_a_turn, singles([0, 1, 5])),
    Case(minus_zero_survives_the_meeting, singles(BOOLS)),
    Case(largest_of_int_and_float, pairs(SMALL_INTS, [0.5, -2.0, INF, -INF])),
    Case(arrays_meet, [(flag, floats(1, 2), grid(3, 2)) for flag in BOOLS]),
]


# One kernel, several signatures.


@kernel
def total_of(a):
    total = a[0] - a[0]
    for x in a:
        total += x
    return total


@kernel
def half(x):
    return x // 2


@kernel
def first_of(a):
    return a[0]


@kernel
def blend(x, y, t):
    return x + (y - x) * t


def of_ints_and_floats(n, a):
    return total_of(n), total_of(a), total_of(a[1:])


def half_of_each(x, n, p):
    return half(x), half(n), half(p), half(7), half(7.5), half(-7)


def contiguous_and_strided(A):
    return total_of(A[0]), total_of(A[:, 0]), total_of(A[1:, -1])


def of_array_and_of_matrix(A):
    return first_of(A[0]), first_of(first_of(A)), first_of((3, 4.0))


def mixed_arguments(n, x):
    return blend(0, 1, x), blend(n, x, 2), blend(0, n, n), blend(x, 1, 0.5)


def same_kernel_of_its_own_result(n):
    return half(half(half(n))), half(half(n) / 2)


CASES += [
    Case(of_ints_and_floats, [(ints(1, -2, 5), a) for a in layouts(floats(0.5, -0.0, 2))]),
    Case(half_of_each, [(x, n, p) for x in (7.5, -7.5, NAN) for n in (7, -7) for p in BOOLS]),
    Case(contiguous_and_strided, [(grid(2, 3),), (grid(3, 2).T,)]),
    Case(of_array_and_of_matrix, [(grid(2, 3),), (grid(3, 2).T,)]),
    Case(mixed_arguments, pairs(SMALL_INTS, [0.5, -0.0, INF])),
    Case(same_kernel_of_its_own_result, singles([100, -100, 7])),
]


# The type of a result is the type of the expression.


def results_of_operators(n, x):
    return n + n, n + x, n / n, n // n, n // x, n % 5, n % 5.0, n * True, n - 1.0, -n, -x


def results_of_functions(n, x):
    return abs(n), abs(x), min(n, 3), max(x, 3.0), int(x), float(n), bool(n), math.floor(x), math.sqrt(n * n)


def results_of_conditions(n, x):
    return n > 2, not n, n > 2 and x > 2.0, n == x, True, n > 2 and True


def results_of_elements(a, n, flags):
    return a[0], n[0], flags[0], n[0] / 2, n[0] // 2, n[0] * a[0], a[0] > n[0], not flags[0]


def results_of_literals():
    return 1, 1.0, True, -1, -0.0, 1e3, 10**3, 7 // 2, 7 / 2, 7.0 // 2, 3 > 2


def results_of_constants():
    return np.pi, math.inf, len((1, 2)), int(2.5), float(2), bool(0.0)


CASES += [
    Case(results_of_operators, pairs([7, -7, 1], [2.0, -2.5, INF])),
    Case(results_of_functions, pairs([7, -7, 0], [2.5, -2.5])),
    Case(results_of_conditions, pairs([0, 2, 3], [2.0, 3.0, NAN])),
    Case(results_of_elements, [(floats(1.5), ints(-7), bools(True)), (floats(NAN), ints(0), bools(False))]),
    Case(results_of_literals, [()]),
    Case(results_of_constants, [()]),
]
