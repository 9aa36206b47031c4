"""The functions of `math`, inside their domains: the same libm gives the same bits. Outside: `cases_departures`."""

import math
import math as mathematics
from math import cos as cosine
from math import pi, sqrt

import numpy as np
from case import FLOATS, HUGE, INF, INTS, NAN, SMALLEST, TINY, Case, floats, pairs, singles

CASES: list[Case] = []
# Many of these are where libm is not rounded correctly, so that working a value out in another way shows.
USUAL = [0.0, -0.0, 0.02, 0.08, -0.12, 0.23, 0.4, -0.47, 0.7, 0.8125, 1.0, -1.0, SMALLEST, -TINY, 1e-17]
LARGER = [1.31, -1.49, 2.0, 3.141592653589793, -10.0, 100.5, 700.0]
FAR = [1e16, -1e22, 1e308]


def square_root(x):
    return math.sqrt(x)


def sine(x):
    return math.sin(x)


def cosine_(x):
    return math.cos(x)


def tangent(x):
    return math.tan(x)


def arc_sine(x):
    return math.asin(x)


def arc_cosine(x):
    return math.acos(x)


def arc_tangent(x):
    return math.atan(x)


def arc_tangent_of_two(y, x):
    return math.atan2(y, x)


def exponential(x):
    return math.exp(x)


def exponential_less_one(x):
    return math.expm1(x)


def logarithm(x):
    return math.log(x)


def logarithm_of_one_more(x):
    return math.log1p(x)


def power(x, y):
    return math.pow(x, y)


def hyperbolic_sine(x):
    return math.sinh(x)


def hyperbolic_cosine(x):
    return math.cosh(x)


def hyperbolic_tangent(x):
    return math.tanh(x)


def with_sign_of(x, y):
    return math.copysign(x, y)


def magnitude(x):
    return math.fabs(x)


def length(x, y):
    return math.hypot(x, y)


CASES += [
    Case(square_root, singles([abs(x) for x in USUAL + LARGER + FAR] + [-0.0, INF, NAN, HUGE])),
    *[Case(function, singles([*USUAL, *LARGER, *FAR, NAN])) for function in (sine, cosine_, tangent)],
    *[Case(function, singles([*USUAL, 0.07, -0.9999999999999999, NAN])) for function in (arc_sine, arc_cosine)],
    Case(arc_tangent, singles([*USUAL, *LARGER, *FAR, INF, -INF, NAN])),
    Case(arc_tangent_of_two, pairs([*FLOATS, 0.4, 3.7])),
    Case(exponential, singles([*USUAL, *LARGER, -745.2, -1000.0, 709.78, INF, -INF, NAN])),
    Case(exponential_less_one, singles([*USUAL, *LARGER, -40.0, INF, -INF, NAN])),
    Case(logarithm, singles([SMALLEST, TINY, 0.1, 0.9999999999999999, 1.0, 2.0, 10.0, HUGE, INF, NAN])),
    Case(logarithm_of_one_more, singles([0.0, -0.0, 1e-20, 0.2, 0.34, -0.9999999999999999, 5.0, HUGE, INF, NAN])),
    Case(power, [(0.0, 0.0), (NAN, 0.0), (1.0, NAN), (2.0, 0.5), (5.4, 0.8), (-8.0, 3.0), (INF, -1.0), (-INF, 3.0)]),
    Case(power, [(-0.0, 3.0), (-0.0, 2.0), (-1.0, INF), (0.5, INF), (2.0, -INF), (1.1, 100.0), (0.03, 3.0)]),
    *[
        Case(function, singles([*USUAL, *LARGER, INF, -INF, NAN]))
        for function in (hyperbolic_sine, hyperbolic_cosine, hyperbolic_tangent)
    ],
    Case(with_sign_of, pairs([x for x in FLOATS if not math.isnan(x)])),
    Case(magnitude, singles(FLOATS)),
    # CPython has its own hypot; it and libm's agree where the result is exact.
    Case(
        length,
        [
            (3.0, 4.0),
            (-5.0, 12.0),
            (0.0, -0.0),
            (INF, NAN),
            (NAN, -INF),
            (NAN, 1.0),
            (3.0 * 2.0**900, 4.0 * 2.0**900),
            (0.0, 0.1),
        ],
    ),
]


# Floor and ceiling are ints.


def floor(x):
    return math.floor(x)


def ceiling(x):
    return math.ceil(x)


def floor_of_int(n):
    return math.floor(n), math.ceil(n)


def floor_as_float(x):
    return float(math.floor(x)), x - math.floor(x)


def floor_as_index(a, x):
    return a[math.floor(x)]


def floor_divided_further(x):
    return math.floor(x) // 2, math.ceil(x) % 3, math.floor(x) / 2


WHOLE_AND_NOT = [0.0, -0.0, 0.5, -0.5, 2.0, -2.0, 7.999999999999999, -SMALLEST, SMALLEST, 1e15, -(2.0**62)]
CASES += [
    *[Case(function, singles(WHOLE_AND_NOT)) for function in (floor, ceiling, floor_as_float, floor_divided_further)],
    Case(floor_of_int, singles(INTS)),
    Case(floor_as_index, [(floats(1, 2, 3), -0.5), (floats(1, 2, 3), 1.9), (floats(1, 2, 3), -3.0)]),
]


# Ints and truth values become floats on the way in.


def functions_of_int(n):
    return math.sqrt(n), math.exp(-n), math.atan2(n, 2), math.hypot(n, 0), math.fabs(n), math.copysign(n, -1)


def functions_of_bool(p):
    return math.sin(p), math.log1p(p), math.fabs(p)


def pow_of_ints(m, n):
    return math.pow(m, n)


def functions_of_elements(a, n):
    for i in range(len(a)):
        a[i] = math.sqrt(a[i]) + math.tanh(a[i]) + math.cos(n[i])


CASES += [
    Case(functions_of_int, singles([0, 1, 2, 7, 100, 500])),
    Case(functions_of_bool, singles([False, True])),
    Case(pow_of_ints, [(2, 10), (2, -1), (0, 0), (-3, 3), (7, 20)]),
    Case(functions_of_elements, [(floats(0.0, 2.0, INF, NAN), np.array([0, 1, -2, 3])), (floats(), np.array([0])[:0])]),
]


# What a compiler can work out beforehand has to come out as libm would have it.


def functions_of_literals():
    return math.sinh(0.12), math.cosh(0.4), math.tanh(0.02), math.expm1(0.12), math.log1p(0.2)


def more_functions_of_literals():
    return math.cos(1.31), math.tan(0.08), math.acos(0.07), math.atan2(0.4, 3.7), math.pow(5.2, 9.6)


def function_of_a_name_that_is_a_literal():
    x = 0.14
    y = x + 0.07
    return math.sinh(x), math.sinh(y), math.tanh(x / 2.0)


def power_of_literals():
    return 5.2**9.6, 9.26**0.5, 2.0**0.5


def functions_in_a_loop_of_literals():
    total = 0.0
    for k in range(5):
        total += math.sinh(0.1 * k) * math.expm1(0.12)
    return total


CASES += [
    Case(functions_of_literals, [()]),
    Case(more_functions_of_literals, [()]),
    Case(function_of_a_name_that_is_a_literal, [()]),
    Case(power_of_literals, [()]),
    Case(functions_in_a_loop_of_literals, [()]),
]


# What undoes itself only in exact arithmetic stays.


def log_of_exp(x):
    return math.log(math.exp(x)), math.exp(math.log(x))


def square_of_root(x):
    return math.sqrt(x) * math.sqrt(x), math.sqrt(x * x)


def sine_and_cosine(x):
    return math.sin(x), math.cos(x), math.sin(x) * math.sin(x) + math.cos(x) * math.cos(x)


def sine_over_cosine(x):
    return math.sin(x) / math.cos(x), math.tan(x)


def sine_of_negated(x):
    return math.sin(-x), -math.sin(x), math.cos(-x), math.tanh(-x)


def reciprocal_root(x):
    return 1.0 / math.sqrt(x)


CASES += [
    Case(log_of_exp, singles([0.1, 1.0, 30.3, 700.0, 1e-10])),
    Case(square_of_root, singles([0.1, 2.0, 3.0, 1e-200, 1e200, INF])),
    *[Case(function, singles([0.0, -0.0, 0.1, 1.31, 1e10, NAN])) for function in (sine_and_cosine, sine_of_negated)],
    Case(sine_over_cosine, singles([0.08, 1.49, 3.0, -0.0])),
    Case(reciprocal_root, singles([0.1, 2.0, 3.0, 1e-300, INF])),
]


# The names by which the functions are reached do not matter.


def by_names_of_the_module(x):
    return sqrt(x) + cosine(x) + mathematics.exp(x) + pi


def constants():
    return math.pi, np.pi, math.inf, -np.inf, math.nan, np.nan, -math.pi


def constants_in_expressions(x):
    return x * math.pi / 180.0, 2 * np.pi - x, x == math.inf, -math.inf < x


CASES += [
    Case(by_names_of_the_module, singles([0.0, 0.3, 2.0, NAN])),
    Case(constants, [()]),
    Case(constants_in_expressions, singles(FLOATS)),
]
