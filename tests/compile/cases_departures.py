"""Where the subset departs from Python on purpose; what comes out is given with each case.

- A division by 0.0 gives an infinity or NaN, as IEEE has it; Python raises.
- A function of `math` outside its domain or its range gives NaN or an infinity; Python raises.
- A whole number divided by 0, with `//` or `%`, gives 0; Python raises.
- Whole numbers are int64 and wrap around; Python's grow.
- A small whole exponent is a product; Python calls `pow`.
- A name, a result or a `max` that may be an int or a float is a float; in Python it is one or the other.
- An int beyond 2**53 is rounded to a float before it is compared with one or divides one; Python is exact.
"""

import math

from case import BOOLS, INF, LARGEST_INT, NAN, SMALLEST, SMALLEST_INT, Case, bools, floats, ints, pairs, singles

CASES: list[Case] = []


def wrapped(n: int) -> int:
    """The int64 that has the low 64 bits of n."""
    return (n + 2**63) % 2**64 - 2**63


# Division by zero.


def quotient(x, y):
    return x / y


def reciprocal(x):
    return 1.0 / x


def quotient_of_ints(m, n):
    return m / n


def quotient_in_place(x):
    y = 1.0
    y /= x
    return y


def floor_divided_floats(x, y):
    return x // y


def remainder_of_floats(x, y):
    return x % y


def floor_divided_ints(m, n):
    return m // n


def remainder_of_ints(m, n):
    return m % n


def int_divided_in_place(m, n):
    m //= n
    return m


def divided_by_literal_zero(n, x):
    return n // 0, n % 0, n / 0, x / 0.0, x / -0.0


def division_that_is_not_reached(m, n):
    return n != 0 and m // n > 1


def guarded_by_min(x):
    return min(1.0, 1.0 / x)


CASES += [
    Case(
        quotient,
        [(1.0, 0.0), (1.0, -0.0), (-1.0, 0.0), (0.0, 0.0), (NAN, 0.0), (INF, 0.0), (SMALLEST, -0.0)],
        [INF, -INF, -INF, NAN, NAN, INF, -INF],
    ),
    Case(reciprocal, singles([0.0, -0.0, INF, -INF, NAN]), [INF, -INF, 0.0, -0.0, NAN]),
    Case(quotient_of_ints, [(1, 0), (-1, 0), (0, 0), (1, 2)], [INF, -INF, NAN, 0.5]),
    Case(quotient_in_place, singles([0.0, -0.0]), [INF, -INF]),
    # As NumPy has it: the quotient is x / 0.0, the remainder NaN.
    Case(floor_divided_floats, [(1.0, 0.0), (-1.0, 0.0), (1.0, -0.0), (0.0, 0.0)], [INF, -INF, -INF, NAN]),
    Case(remainder_of_floats, [(1.0, 0.0), (-1.0, -0.0), (0.0, 0.0), (INF, 0.0)], [NAN] * 4),
    Case(floor_divided_ints, [(1, 0), (-1, 0), (0, 0), (SMALLEST_INT, 0)], [0] * 4),
    Case(remainder_of_ints, [(1, 0), (-1, 0), (0, 0), (SMALLEST_INT, 0)], [0] * 4),
    Case(int_divided_in_place, [(7, 0), (-7, 2)], [0, -4]),
    Case(divided_by_literal_zero, [(5, 2.0), (-5, -2.0)], [(0, 0, INF, INF, -INF), (0, 0, -INF, -INF, INF)]),
    Case(division_that_is_not_reached, [(4, 0), (4, 2), (4, 4)], [False, True, False]),
    Case(guarded_by_min, singles([0.0, -0.0, 4.0]), [1.0, -INF, 0.25]),
]


# Functions outside their domain, or with a result that is too large.


def square_root(x):
    return math.sqrt(x)


def logarithms(x):
    return math.log(x), math.log1p(x)


def arcs(x):
    return math.asin(x), math.acos(x)


def waves(x):
    return math.sin(x), math.cos(x), math.tan(x)


def too_large(x):
    return math.exp(x), math.expm1(x), math.sinh(x), math.cosh(x)


def power(x, y):
    return math.pow(x, y)


def power_by_operator(x, y):
    return x**y


def length(x, y):
    return math.hypot(x, y)


def root_is_nan_and_goes_on(a):
    total = 0.0
    for i in range(len(a)):
        root = math.sqrt(a[i])
        if root == root:
            total += root
    return total


CASES += [
    Case(square_root, singles([-1.0, -SMALLEST, -INF]), [NAN] * 3),
    Case(logarithms, singles([0.0, -0.0, -1.0, -INF]), [(-INF, 0.0), (-INF, -0.0), (NAN, -INF), (NAN, NAN)]),
    Case(arcs, singles([1.0000000000000002, -2.0, INF]), [(NAN, NAN)] * 3),
    Case(waves, singles([INF, -INF]), [(NAN, NAN, NAN)] * 2),
    Case(too_large, singles([1000.0, -1000.0]), [(INF, INF, INF, INF), (0.0, -1.0, -INF, INF)]),
    *[
        Case(
            function,
            [(0.0, -1.0), (-0.0, -3.0), (-0.0, -2.0), (-8.0, 1.0 / 3.0), (10.0, 400.0), (-10.0, 401.0)],
            [INF, -INF, INF, NAN, INF, -INF],
        )
        for function in (power, power_by_operator)
    ],
    Case(length, [(1.7e308, 1.7e308)], [INF]),
    Case(root_is_nan_and_goes_on, [(floats(4.0, -1.0, 9.0),)], [5.0]),
]


# Powers with a small whole exponent.
INEXACT = [0.03, 0.06, 0.12, -1.1, 1e-110]


def squared(x):
    return x**2


def cubed(x):
    return x**3


def cubed_in_place(x):
    x **= 3
    return x


def reciprocal_square(x):
    return x**-2, x**-1


CASES += [
    Case(squared, singles([1e200, -1e300, *INEXACT]), [INF, INF, *[x * x for x in INEXACT]]),
    Case(cubed, singles([1e200, -1e200, *INEXACT]), [INF, -INF, *[x * x * x for x in INEXACT]]),
    Case(cubed_in_place, singles(INEXACT), [x * x * x for x in INEXACT]),
    Case(reciprocal_square, singles([0.0, -0.0, 2.0]), [(INF, INF), (INF, -INF), (0.25, 0.5)]),
]


# Whole numbers wrap around.
ENDS = [LARGEST_INT, SMALLEST_INT, LARGEST_INT - 1, SMALLEST_INT + 1, 2**62, -(2**62), 1, -1, 2]


def sum_of_ints(m, n):
    return m + n


def difference_of_ints(m, n):
    return m - n


def product_of_ints(m, n):
    return m * n


def negated_int(n):
    return -n


def absolute_int(n):
    return abs(n)


def int_divided_by_minus_one(n):
    return n // -1, n % -1


def int_divided_by_run_time_minus_one(m, n):
    return m // n, m % n


def int_squared_and_cubed(n):
    return n**2, n**3


def shifted_out(n, k):
    return n << k


def next_random(seed):
    return seed * 6364136223846793005 + 1442695040888963407


def tenth_random(seed):
    for _ in range(10):
        seed = seed * 6364136223846793005 + 1442695040888963407
    return (seed >> 33) & 0x7FFFFFFF


def larger_after_one_is_added(n):
    return n + 1 > n


def factorial(n):
    product = 1
    for k in range(2, n + 1):
        product *= k
    return product


def sum_of_int_elements(a):
    total = 0
    for i in range(len(a)):
        total += a[i]
    return total


def literals_beyond_int64():
    return 9223372036854775807 + 1, -9223372036854775807 - 2


def tenth_random_of(seed: int) -> int:
    for _ in range(10):
        seed = wrapped(seed * 6364136223846793005 + 1442695040888963407)
    return (seed >> 33) & 0x7FFFFFFF


CASES += [
    Case(sum_of_ints, pairs(ENDS), [wrapped(m + n) for m, n in pairs(ENDS)]),
    Case(difference_of_ints, pairs(ENDS), [wrapped(m - n) for m, n in pairs(ENDS)]),
    Case(product_of_ints, pairs(ENDS), [wrapped(m * n) for m, n in pairs(ENDS)]),
    Case(negated_int, singles([SMALLEST_INT, LARGEST_INT]), [SMALLEST_INT, -LARGEST_INT]),
    Case(absolute_int, singles([SMALLEST_INT, SMALLEST_INT + 1]), [SMALLEST_INT, LARGEST_INT]),
    # The processor traps on the first of these.
    Case(int_divided_by_minus_one, singles([SMALLEST_INT, LARGEST_INT]), [(SMALLEST_INT, 0), (-LARGEST_INT, 0)]),
    Case(
        int_divided_by_run_time_minus_one,
        [(SMALLEST_INT, -1), (LARGEST_INT, -1)],
        [(SMALLEST_INT, 0), (-LARGEST_INT, 0)],
    ),
    Case(int_squared_and_cubed, singles([2**32 + 1, -(2**40)]), [(2**33 + 1, wrapped((2**32 + 1) ** 3)), (0, 0)]),
    Case(shifted_out, [(1, 63), (3, 62), (-1, 63), (2**62, 2)], [SMALLEST_INT, -(2**62), SMALLEST_INT, 0]),
    Case(next_random, singles([0, 1, -1, LARGEST_INT]), [wrapped(next_random(n)) for n in (0, 1, -1, LARGEST_INT)]),
    Case(tenth_random, singles([0, 1, -12345]), [tenth_random_of(n) for n in (0, 1, -12345)]),
    Case(larger_after_one_is_added, singles([LARGEST_INT, 5]), [False, True]),
    Case(factorial, singles([20, 21, 25]), [wrapped(math.factorial(n)) for n in (20, 21, 25)]),
    Case(sum_of_int_elements, [(ints(LARGEST_INT, 1, 5),)], [SMALLEST_INT + 5]),
    Case(literals_beyond_int64, [()], [(SMALLEST_INT, LARGEST_INT)]),
]


# An int where a float may be as well is a float; a truth value where an int may be is an int.


def int_in_one_branch(flag):
    x = 1
    if flag:
        x = 2.5
    return x


def int_or_float_by_condition(flag, n, x):
    return n if flag else x


def larger_of_int_and_float(n, x):
    return max(n, x), min(n, x)


def larger_of_bool_and_int(p, n):
    return max(p, n), min(p, n)


def int_returned_early(x):
    if x < 0.0:
        return 0
    return x


def bool_or_int_returned(n):
    if n > 3:
        return n > 5
    return n


def total_that_starts_as_int(a):
    total = 0
    for i in range(len(a)):
        total += a[i]
    return total


def parameter_that_becomes_float(n, flag):
    if flag:
        n = n / 2
    return n


def floor_division_of_joined(flag):
    k = 7
    if flag:
        k = 7.5
    return k // 2, k % 4, -k, abs(k)


def tuple_of_joined(flag):
    return (1, 2.5) if flag else (0.5, 3)


def loop_variable_that_becomes_float(n):
    i = 0
    for i in range(n):
        if i == 2:
            i = 0.5
            break
    return i


def int_before_float_after_the_branch(flag):
    x = 7
    half = x // 2
    if flag:
        x = 2.5
    return half, x * 1.0


def int_or_operand(n, x):
    return n or x, n and x


def sum_of_bool_elements(flags):
    return flags[0] + flags[1]


CASES += [
    Case(int_in_one_branch, singles([False, True]), [1.0, 2.5]),
    Case(int_or_float_by_condition, [(True, 3, 0.5), (False, 3, 0.5)], [3.0, 0.5]),
    Case(
        larger_of_int_and_float,
        [(1, 0.5), (0, -0.0), (2, NAN), (-1, INF)],
        [(1.0, 0.5), (0.0, 0.0), (2.0, 2.0), (INF, -1.0)],
    ),
    Case(larger_of_bool_and_int, [(True, 1), (False, 5), (True, -5)], [(1, 1), (5, 0), (1, -5)]),
    Case(int_returned_early, singles([-1.0, 1.5, -0.0]), [0.0, 1.5, -0.0]),
    Case(bool_or_int_returned, singles([2, 4, 6]), [2, 0, 1]),
    Case(total_that_starts_as_int, [(floats(),), (floats(0.5, 0.25),), (floats(-0.0),)], [0.0, 0.75, 0.0]),
    Case(parameter_that_becomes_float, [(3, True), (3, False)], [1.5, 3.0]),
    Case(floor_division_of_joined, singles([False, True]), [(3.0, 3.0, -7.0, 7.0), (3.0, 3.5, -7.5, 7.5)]),
    Case(tuple_of_joined, singles([False, True]), [(0.5, 3.0), (1.0, 2.5)]),
    Case(loop_variable_that_becomes_float, singles([0, 2, 3]), [0.0, 1.0, 0.5]),
    Case(int_before_float_after_the_branch, singles(BOOLS), [(3.0, 7.0), (3.0, 2.5)]),
    Case(int_or_operand, [(0, 2.5), (3, 2.5)], [(2.5, 0.0), (3.0, 2.5)]),
    Case(sum_of_bool_elements, [(bools(1, 1),), (bools(1, 0),)], [2, 1]),  # NumPy's own would be True
]


# Ints that no float can hold.


def large_int_compared_with_float(n, x):
    return n == x, n < x, n > x


def large_ints_divided(m, n):
    return m / n


CASES += [
    Case(large_int_compared_with_float, [(2**53 + 1, 2.0**53), (LARGEST_INT, 2.0**63)], [(True, False, False)] * 2),
    Case(large_ints_divided, [(2**53 + 1, 3), (2**60 + 1, 2**60 - 1)], [float(2**53 + 1) / 3.0, 1.0]),
]
