"""Names: those that mean something in C or to the translator are names like any other."""
# ruff: noqa: A001, A002, E741, RET504

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from case import FEW_FLOATS, Case, floats, grid, ints, pairs, singles

from tegotae.compile import kernel

CASES: list[Case] = []


# Words of C, its library and its usual macros.


def keywords_of_c(auto, char, const, default):
    do = auto + char
    double = do * const
    enum = double - default
    extern = enum + 1.0
    float = extern / 2.0
    goto = float + do
    return auto, char, const, default, do, double, enum, extern, float, goto


def more_keywords_of_c(inline, int, long, register):
    restrict = inline + int
    short = restrict * long
    signed = short - register
    sizeof = signed + 1.0
    static = sizeof / 2.0
    struct = static + restrict
    switch = struct + 1.0
    typedef = switch + 1.0
    return inline, int, long, register, restrict, short, signed, sizeof, static, struct, switch, typedef


def last_keywords_of_c(union, unsigned, void, volatile):
    _Bool = union + unsigned
    _Complex = _Bool * void
    _Imaginary = _Complex - volatile
    asm = _Imaginary + 1.0
    typeof = asm / 2.0
    bool, true, false = typeof, asm, union
    return _Bool, _Complex, _Imaginary, asm, typeof, bool, true, false


def macros(NULL, EOF, NAN, INFINITY):
    errno = NULL + EOF
    I = errno * NAN
    complex = I - INFINITY
    M_PI = complex + 1.0
    HUGE_VAL = M_PI / 2.0
    linux, unix, near, far = errno, I, complex, M_PI
    return errno, I, complex, M_PI, HUGE_VAL, linux, unix, near, far


def functions_of_the_library(y0, y1, j0, j1):
    yn = y0 + y1
    jn = yn * j0
    gamma = jn - j1
    signgam = gamma + 1.0
    index = signgam / 2.0
    free, main, malloc, printf, time = yn, jn, gamma, signgam, index
    return yn, jn, gamma, signgam, index, free, main, malloc, printf, time


def functions_that_are_also_called(exp, sin):
    sqrt = math.sqrt(exp) + math.exp(sin)
    pow = math.sin(sqrt) + sqrt**1.5
    floor = math.floor(pow) + math.fabs(sqrt)
    fabs = abs(floor) + floor // 0.7 + floor % 0.7
    fmod = math.hypot(fabs, 0.0) + max(fabs, 1.0)
    return exp, sin, sqrt, pow, floor, fabs, fmod


def types_of_c(int64_t, uint8_t, size_t):
    int64_t = int64_t + 1
    uint8_t = uint8_t / 2
    return int64_t, uint8_t, size_t, int64_t // 2


def arrays_with_names_of_c(double, memcpy, memset):
    memcpy[:] = double
    memset[1:] = 0.0
    for register in range(len(double)):
        memset[register] += memcpy[register] * double[-1]


def loop_variables_with_names_of_c(n):
    total = 0
    for long in range(n):
        for short in range(long):
            total += long * short
    for int in range(n, 0, -1):
        total -= int
    return total


def names_with_underscores(_, __x, _y, z_):
    _1, _x_, x__2 = __x + _y, _y + z_, _ + z_
    for _ in range(2):
        _1 += 1.0
    return _1, _x_, x__2


def greek_names(θ, Δx):
    ω = θ * 2.0
    µ = ω + Δx
    return ω - Δx, µ


FOUR = [(1.5, 2.5, -3.5, 4.0), (-0.0, 0.0, 1e308, -2.0)]
CASES += [
    *[
        Case(function, FOUR)
        for function in (
            keywords_of_c,
            more_keywords_of_c,
            last_keywords_of_c,
            macros,
            functions_of_the_library,
            names_with_underscores,
        )
    ],
    Case(functions_that_are_also_called, [(0.5, 0.25), (4.0, -1.0)]),
    Case(types_of_c, [(3, 2.5, True)]),
    Case(arrays_with_names_of_c, [(floats(1, 2, 3), floats(0, 0, 0), floats(7, 8, 9))]),
    Case(loop_variables_with_names_of_c, singles([0, 1, 5])),
    Case(greek_names, pairs(FEW_FLOATS)),
]


# Names that a translator may make up itself.


def numbered_names(x):
    x_2 = x + 1.0
    y = x
    x = x > 0.0
    z = x
    x = 3
    x_1, x_3, x2 = x + 10, x + 20, x + 30
    return x, x_1, x_2, x_3, x2, y, z


def temporaries(r1_, t1, tmp):
    r2_ = max(r1_, t1, tmp)
    t2 = min(r2_, r1_ * t1)
    tmp_1 = (r2_, t2)
    _t, _r = tmp_1
    return r1_, t1, tmp, r2_, t2, _t, _r, tmp_1


def parts_of_arrays_and_tuples(p, n0, s0):
    v = (p[0], n0)
    f0, f1 = v
    n1 = p[s0]
    data, shape, strides, size = len(p), p.shape[0], p[1:], p.size
    return v, f0, f1, n1, data, shape, strides[0], size


def result_and_arguments(result, ret, out, self):
    args = result + ret
    value = args * out
    k = value - self
    return args, value, k


def helpers_of_the_runtime(WRAP, clip, span, n):
    floordiv = WRAP[-1] + WRAP[n]
    floormod = n % 3 + n // -2
    wrap = WRAP[n:]
    MIN, MAX, min_, max_ = min(clip, span), max(clip, span), clip, span
    return floordiv, floormod, len(wrap), MIN, MAX, min_, max_


def names_that_differ_in_case(x, X):
    y, Y, y_, Y_ = x + X, x - X, x * X, x
    return y, Y, y_, Y_


CASES += [
    Case(numbered_names, singles(FEW_FLOATS)),
    Case(temporaries, [(1.0, 2.0, 3.0), (float("nan"), -0.0, 0.0)]),
    Case(parts_of_arrays_and_tuples, [(floats(1, 2, 3), 5, -1)]),
    Case(result_and_arguments, FOUR),
    Case(helpers_of_the_runtime, [(floats(1, 2, 3), 0.5, -0.5, n) for n in (0, 2, -1)]),
    Case(names_that_differ_in_case, pairs(FEW_FLOATS)),
]


# Names of Python's own, used for something else.


def builtins_as_numbers(abs, max, len):
    min = abs + max
    range = min * len
    print, sum, list, dict = range, min, abs, max
    return min, range, print, sum, list, dict


def builtin_after_it_was_used(a):
    length = len(a)
    total = max(a[0], a[1])
    len_ = length
    return length, total, len_


def modules_as_numbers(math, np):
    return math + np, math - np


def parameter_named_as_a_global(SHARED):
    return SHARED + 1.0


def local_named_as_a_global(x):
    SHARED = x * 2.0
    return SHARED


def global_itself(x):
    return SHARED * x


def local_named_as_a_kernel(x):
    helper = x + 1.0
    return helper


def local_named_as_the_function(x):
    local_named_as_the_function = x * 3.0
    return local_named_as_the_function


def parameter_named_as_the_function(parameter_named_as_the_function):
    return parameter_named_as_the_function - 1.0


def soft_keywords(match, case, type):
    match = match + case
    return match, case, type


SHARED = 10.0


@kernel
def helper(x):
    return x * 2.0


CASES += [
    Case(builtins_as_numbers, [(1.0, -2.0, 3.0)]),
    Case(builtin_after_it_was_used, [(floats(1, 2),)]),
    Case(modules_as_numbers, pairs(FEW_FLOATS)),
    *[
        Case(function, singles(FEW_FLOATS))
        for function in (
            parameter_named_as_a_global,
            local_named_as_a_global,
            global_itself,
            local_named_as_a_kernel,
            local_named_as_the_function,
            parameter_named_as_the_function,
        )
    ],
    Case(soft_keywords, [(1.0, 2.0, 3.0)]),
]


# Functions with such names.


@kernel
def exp(x):
    """Not the library's, which it calls."""
    return math.exp(x) + 1.0


@kernel
def double(x):
    return x * 2.0


@kernel
def fmod(x, y):
    return x % y + 100.0


@kernel
def wrap(a, i):
    return a[i - 1]


def main(x):
    return exp(x) + math.exp(x)


def malloc(x):
    return double(x) - double(-x)


def printf(x):
    return fmod(x, 3.0), x % 3.0


def int64_t(a):
    return wrap(a, 0), a[-1]


def register(x):
    double = x + 1.0
    return double


CASES += [
    *[Case(function, singles([0.0, 1.5, -2.5, float("nan")])) for function in (main, malloc, printf, register)],
    Case(int64_t, [(floats(1, 2, 3),)]),
]


# Kernels that share a name, and names that hide a builtin with a kernel.


def scaled(factor: float) -> Callable[..., Any]:
    @kernel
    def law(x):
        return factor * x

    return law


def shifted(offset: float) -> Callable[..., Any]:
    @kernel
    def law(x):
        return offset + x

    return law


twice, thrice, more = scaled(2.0), scaled(3.0), shifted(0.5)


def kernels_of_one_name(x):
    return twice(x), thrice(x), more(x), twice(more(thrice(x)))


@kernel
def larger_by_size(x, y):
    return x if math.fabs(x) > math.fabs(y) else y


def with_own_max() -> Callable[..., Any]:
    max = larger_by_size

    def own_max(x, y):
        return max(x, y), min(x, y)

    return own_max


def with_own_sqrt() -> Callable[..., Any]:
    sqrt, sin = helper, math.cos

    def own_sqrt(x):
        return sqrt(x) + sin(x) + np.pi

    return own_sqrt


CASES += [
    Case(kernels_of_one_name, singles([0.0, 1.5, -2.5])),
    Case(with_own_max(), pairs([1.0, -2.0, 0.0, -0.0, float("nan")])),
    Case(with_own_sqrt(), singles([0.0, 1.5, -2.5])),
]


# Long names, and many of them.


def a_name_that_is_very_long_indeed_and_goes_on_for_more_than_the_thirty_one_characters_that_c_promises(x):
    a_local_name_that_is_the_same_for_the_first_sixty_three_characters_1 = x + 1.0
    a_local_name_that_is_the_same_for_the_first_sixty_three_characters_2 = x + 2.0
    return (
        a_local_name_that_is_the_same_for_the_first_sixty_three_characters_1
        * a_local_name_that_is_the_same_for_the_first_sixty_three_characters_2
    )


def one_letter_names(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z):
    return a + b - c * d + e - f * g + h - i * j + k - l * m + n - o * p + q - r * s + t - u * v + w - x * y + z


def matrices_with_one_letter(A, I, N):
    for i in range(N):
        for j in range(N):
            A[i, j] += I[i] * (i == j)


CASES += [
    Case(
        a_name_that_is_very_long_indeed_and_goes_on_for_more_than_the_thirty_one_characters_that_c_promises,
        singles(FEW_FLOATS),
    ),
    Case(one_letter_names, [tuple(range(26)), tuple(0.5 * n for n in range(26))]),
    Case(matrices_with_one_letter, [(grid(2, 2), ints(3, -4), 2)]),
]
