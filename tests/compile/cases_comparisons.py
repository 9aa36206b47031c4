"""Comparisons, min and max, and what counts as true, with NaN and signed zeros in every place."""
# ruff: noqa: RUF021, SIM110, SIM201, SIM202, SIM208

import math

import numpy as np
from case import BOOLS, FEW_FLOATS, FLOATS, INF, NAN, SMALL_INTS, Case, floats, pairs, singles, triples

CASES: list[Case] = []


# NaN is neither less than, equal to nor greater than anything.


def all_six(x, y):
    return x < y, x <= y, x == y, x != y, x > y, x >= y


def all_six_negated(x, y):
    return not x < y, not x <= y, not x == y, not x != y, not x > y, not x >= y


def compared_with_itself(x):
    return x == x, x != x, x < x, x <= x


def not_binds_looser_than_comparison(p, q):
    return not p == q, (not p) == q


def comparisons_compared(x, y, z):
    return (x < y) == (y < z), (x < y) < (y < z), (x < y) != (y < z)


def chain(x, y, z):
    return x < y < z, x <= y <= z, x > y >= z


def mixed_chain(x, y, z):
    return x < y > z, x == y == z, x != y != z, x < y == z, x < y != z


def chain_in_brackets(x, y, z):
    return (x < y) < z, x < (y < z)


def long_chain(w, x, y, z):
    return 0.0 <= w < x < y < z <= 10.0


def in_unit_interval(x):
    return 0.0 <= x <= 1.0


def ints_chained(i, n):
    return -1 < i < n, 0 <= i <= n - 1, not 0 <= i < n


def outside(x, low, high):
    return not low <= x <= high, x < low or x > high


CASES += [
    Case(all_six, pairs(FLOATS)),
    Case(all_six, pairs(SMALL_INTS)),
    Case(all_six_negated, pairs(FLOATS)),
    Case(compared_with_itself, singles(FLOATS)),
    Case(not_binds_looser_than_comparison, pairs(BOOLS)),
    *[
        Case(function, triples([0.0, -0.0, 1.0, -1.0, NAN, INF]))
        for function in (comparisons_compared, chain, mixed_chain, chain_in_brackets, outside)
    ],
    Case(long_chain, [(0.0, 1.0, 2.0, 3.0), (-0.0, 1.0, 2.0, 10.0), (0.0, 1.0, 1.0, 2.0), (NAN, 1.0, 2.0, 3.0)]),
    Case(in_unit_interval, singles(FLOATS)),
    Case(ints_chained, pairs(SMALL_INTS)),
]


# `max(x, y)` is x unless y > x, `min(x, y)` is x unless y < x: so the order tells which zero and which NaN.


def larger(x, y):
    return max(x, y)


def smaller(x, y):
    return min(x, y)


def largest_of_three(x, y, z):
    return max(x, y, z)


def smallest_of_three(x, y, z):
    return min(x, y, z)


def clipped(x):
    return min(max(x, -1.0), 1.0)


def clipped_from_the_other_side(x):
    return max(-1.0, min(1.0, x))


def larger_than_zero(x):
    return max(x, 0.0), max(0.0, x), min(x, -0.0), min(-0.0, x)


def larger_of_ints(m, n):
    return max(m, n), min(m, n), max(m, n, 3), min(0, m, n)


def larger_of_bools(p, q):
    return max(p, q), min(p, q)


def larger_of_expressions(x, y):
    return max(x * y, x - y), min(abs(x), abs(y)), max(min(x, y), min(y, x))


def larger_of_elements(a):
    return max(a[0], a[1], a[2]), min(a[2], a[1], a[0])


def largest_so_far(a):
    best = -INF
    for i in range(len(a)):
        best = max(best, a[i])
    return best


def absolute(x):
    return abs(x), abs(-x), -abs(x)


CASES += [
    *[Case(function, pairs(FLOATS)) for function in (larger, smaller, larger_of_expressions)],
    Case(largest_of_three, triples(FEW_FLOATS)),
    Case(smallest_of_three, triples(FEW_FLOATS)),
    *[
        Case(function, singles(FLOATS))
        for function in (clipped, clipped_from_the_other_side, larger_than_zero, absolute)
    ],
    Case(larger_of_ints, pairs(SMALL_INTS)),
    Case(larger_of_bools, pairs(BOOLS)),
    Case(larger_of_elements, [(floats(0.0, -0.0, 0.0),), (floats(-0.0, 0.0, NAN),), (floats(NAN, 1.0, 2.0),)]),
    Case(largest_so_far, [(floats(),), (floats(NAN, 1.0),), (floats(1.0, NAN, 0.5),), (floats(-0.0, 0.0),)]),
]


# What counts as true: any number but zero, so NaN does and -0.0 does not.


def truth_of_float(x):
    if x:
        return 1
    return 0


def truth_of_int(n):
    return 1 if n else 0


def not_of_number(x, n):
    return not x, not n, not not x


def and_or_of_conditions(x, y):
    return x > 0.0 and y > 0.0, x > 0.0 or y > 0.0, not (x > 0.0 and y > 0.0)


def and_binds_tighter_than_or(p, q, r):
    return p or q and r, (p or q) and r, not p or q, not (p or q)


def or_gives_the_operand(x, y):
    return x or y


def and_gives_the_operand(x, y):
    return x and y


def chain_of_or_gives_the_first_true(m, n):
    return m or n or 7


def truth_of_mixed_numbers(x, n):
    if x and n:
        return 3
    if x or n:
        return 2
    return 1


def while_float_is_true(x):
    turns = 0
    while x:
        x = x / 2.0 if abs(x) > 1e-3 else 0.0
        turns += 1
    return turns


CASES += [
    Case(truth_of_float, singles(FLOATS)),
    Case(truth_of_int, singles([0, 1, -1, 256, 2**32, 2**62])),
    Case(not_of_number, pairs(FLOATS, [0, 1, 256, 2**32])),
    Case(and_or_of_conditions, pairs(FEW_FLOATS)),
    Case(and_binds_tighter_than_or, triples(BOOLS)),
    *[Case(function, pairs(FEW_FLOATS)) for function in (or_gives_the_operand, and_gives_the_operand)],
    *[Case(function, pairs(SMALL_INTS)) for function in (or_gives_the_operand, and_gives_the_operand)],
    Case(or_gives_the_operand, pairs(BOOLS)),
    Case(chain_of_or_gives_the_first_true, pairs(SMALL_INTS)),
    Case(truth_of_mixed_numbers, pairs(FEW_FLOATS, [0, 1, 2**32])),
    Case(while_float_is_true, singles([0.0, -0.0, 1.0, -5.0, 1e10])),
]


# Finite, infinite, not a number.


def kinds_by_math(x):
    return math.isfinite(x), math.isnan(x), math.isinf(x)


def kinds_by_numpy(x):
    return np.isfinite(x), np.isnan(x)


def kinds_of_int(n):
    return math.isfinite(n), math.isnan(n), math.isinf(n)


def kinds_of_results(x, y):
    return math.isfinite(x * y), math.isnan(x - y), math.isinf(x + y)


def all_finite(a):
    for i in range(len(a)):
        if not np.isfinite(a[i]):
            return False
    return True


def compared_with_inf(x):
    return x == np.inf, x > -math.inf, x < np.inf, x == math.nan, x != np.nan


CASES += [
    *[Case(function, singles(FLOATS)) for function in (kinds_by_math, kinds_by_numpy, compared_with_inf)],
    Case(kinds_of_int, singles(SMALL_INTS)),
    Case(kinds_of_results, pairs(FLOATS)),
    Case(
        all_finite, [(floats(),), (floats(1.0, NAN),), (floats(1.0, 2.0),), (floats(-INF),), (floats(1, NAN, 2)[::2],)]
    ),
]
