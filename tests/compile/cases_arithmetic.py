"""Arithmetic on floats: IEEE's rules as written, Python's precedence, and Python's `//`, `%` and `**`."""
# ruff: noqa: B002

from case import FEW_FLOATS, FLOATS, INF, NAN, SMALLEST, Case, floats, pairs, singles, triples

CASES: list[Case] = []


# Nothing is rearranged, left out or fused: signed zeros, infinities and NaN go through every operation.


def add(x, y):
    return x + y


def subtract(x, y):
    return x - y


def multiply(x, y):
    return x * y


def add_zero(x):
    return x + 0.0


def subtract_zero(x):
    return x - 0.0


def subtract_from_zero(x):
    return 0.0 - x


def negate(x):
    return -x


def plus_sign(x):
    return +x


def times_zero(x):
    return x * 0.0


def times_minus_one(x):
    return x * -1.0


def subtract_itself(x):
    return x - x


def times_one_plus_itself_less_itself(x):
    return x * 1.0 + x - x


def negated_difference(x, y):
    return -(x - y)


def add_then_take_away(x, y):
    return (x + y) - y


def sum_from_the_left(x, y, z):
    return x + y + z


def sum_from_the_right(x, y, z):
    return x + (y + z)


def difference_from_the_left(x, y, z):
    return x - y - z


def difference_from_the_right(x, y, z):
    return x - (y - z)


def product_from_the_right(x, y, z):
    return x * (y * z)


def common_factor_stays_apart(x, y, z):
    return x * y + x * z


CASES += [
    Case(add, pairs(FLOATS)),
    Case(subtract, pairs(FLOATS)),
    Case(multiply, pairs(FLOATS)),
    *[
        Case(function, singles(FLOATS))
        for function in (
            add_zero,
            subtract_zero,
            subtract_from_zero,
            negate,
            plus_sign,
            times_zero,
            times_minus_one,
            subtract_itself,
            times_one_plus_itself_less_itself,
        )
    ],
    Case(negated_difference, pairs(FLOATS)),
    Case(add_then_take_away, pairs(FLOATS)),
    *[
        Case(function, [(1e16, 1.0, -1e16), (0.1, 0.2, 0.3), (1e308, 1e308, -1e308), (-0.0, 0.0, -0.0)])
        for function in (
            sum_from_the_left,
            sum_from_the_right,
            difference_from_the_left,
            difference_from_the_right,
            product_from_the_right,
            common_factor_stays_apart,
        )
    ],
]


# A product and a sum are rounded one after the other. These values tell a fused multiply-add at once.
ABOVE, BELOW = 1.0 + 2.0**-30, 1.0 - 2.0**-30
FUSED_OR_NOT = [(ABOVE, BELOW, -1.0), (0.1, 10.0, -1.0), (1e200, 1e200, -INF), (ABOVE, ABOVE, -(ABOVE * ABOVE))]


def product_plus(x, y, z):
    return x * y + z


def product_minus(x, y, z):
    return x * y - z


def minus_product(x, y, z):
    return z - x * y


def product_added_in_place(x, y, z):
    total = z
    total += x * y
    return total


def complex_product(a, b, product):
    product[0] = a[0] * b[0] - a[1] * b[1]
    product[1] = a[0] * b[1] + a[1] * b[0]


def determinant(A):
    return A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0]


def dot_in_order(a, b):
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


def sum_in_order(a):
    total = 0.0
    for i in range(len(a)):
        total += a[i]
    return total


def scaled_and_added(a, x, b):
    for i in range(len(a)):
        a[i] = a[i] + x * b[i]


CASES += [
    *[
        Case(function, FUSED_OR_NOT)
        for function in (product_plus, product_minus, minus_product, product_added_in_place)
    ],
    Case(complex_product, [(floats(ABOVE, 0.1), floats(BELOW, 10.0), floats(0, 0)), (floats(0.1, 0.3),) * 3]),
    Case(determinant, [(floats(ABOVE, 1.0, 1.0, BELOW).reshape(2, 2),), (floats(0.1, 0.3, 0.7, 2.1).reshape(2, 2),)]),
    Case(dot_in_order, [(floats(*[0.1, 1e16, 0.3, -1e16, ABOVE] * 4), floats(*[0.7, 1.0, 10.0, 1.0, BELOW] * 4))]),
    Case(sum_in_order, [(floats(*[0.1, 1e16, 1.0, -1e16, 0.3] * 4),), (floats(),), (floats(-0.0, -0.0),)]),
    Case(scaled_and_added, [(floats(*[-1.0] * 9), BELOW, floats(*[ABOVE] * 9)), (floats(1, NAN), INF, floats(0, 1))]),
]


# Where brackets go.


def quotient_from_the_left(x, y, z):
    return x / y / z


def quotient_from_the_right(x, y, z):
    return x / (y / z)


def product_of_quotient(x, y, z):
    return x * (y / z)


def quotient_of_product(x, y, z):
    return x * y / z


def division_stays_a_division(x, y):
    return x / y + x / 3.0


def minus_of_minus(x):
    return --x


def minus_minus_one(x):
    return x - -1.0


def minus_a_negated(x, y):
    return x - -y


def plus_of_minus_of_plus(x):
    return +-+x


def minus_binds_looser_than_power(x):
    return -(x**2) + -(x**2)


def power_of_minus(x):
    return (-x) ** 2


def minus_before_remainder(x, y):
    return -x % y


def minus_of_remainder(x, y):
    return -(x % y)


def floor_division_then_product(x, y, z):
    return x // y * z


def product_then_floor_division(x, y, z):
    return x * (y // z)


def remainder_of_sum(x, y, z):
    return (x + y) % z


def sum_with_remainder(x, y, z):
    return x + y % z


def deep_brackets(x, y):
    return ((x - (y - (x - (y - (x - y))))) - ((x - y) - (x - (y - x)))) / (1.0 + (x * (y * (x * (y * x)))))


BRACKETS = [
    (7.3, 0.1, 0.3),
    (-7.3, 0.1, 3.0),
    (5e-324, 0.5, 2.0),
    (1e308, 3.0, -0.7),
    (INF, 2.0, 3.0),
    (-0.0, 1.0, NAN),
]
CASES += [
    *[
        Case(function, BRACKETS)
        for function in (
            quotient_from_the_left,
            quotient_from_the_right,
            product_of_quotient,
            quotient_of_product,
            floor_division_then_product,
            product_then_floor_division,
            remainder_of_sum,
            sum_with_remainder,
        )
    ],
    Case(division_stays_a_division, [(1.0, 3.0), (0.1, 10.0), (5.0, 49.0), (-0.0, 7.0), (NAN, 1.0), (1e308, 1e-10)]),
    *[Case(function, singles(FLOATS)) for function in (minus_of_minus, minus_minus_one, plus_of_minus_of_plus)],
    Case(minus_a_negated, pairs(FEW_FLOATS)),
    Case(minus_binds_looser_than_power, singles([0.0, -0.0, 3.0, -3.0, 0.5, INF, NAN])),
    Case(power_of_minus, singles([0.0, -0.0, 3.0, -3.0, 0.5, INF, NAN])),
    Case(minus_before_remainder, [(7.5, 2.0), (-7.5, 2.0), (0.0, 3.0), (5.0, -3.0)]),
    Case(minus_of_remainder, [(7.5, 2.0), (-7.5, 2.0), (0.0, 3.0), (5.0, -3.0)]),
    Case(deep_brackets, [(0.1, 0.2), (-3.0, 7.0), (1e100, 1e-100), (INF, 1.0)]),
]


# Division of floats that rounds down, and its remainder.


def floor_divided(x, y):
    return x // y


def remainder(x, y):
    return x % y


def quotient_and_remainder(x, y):
    return x // y * y + x % y


def floor_divided_by_literal(x):
    return x // 0.1, x // -2.0


def remainder_by_literal(x):
    return x % 0.1, x % -2.0


def angle_in_one_turn(x):
    return (x + 3.141592653589793) % 6.283185307179586 - 3.141592653589793


def floor_divided_by_int(x):
    return x // 2, x % 3, x // -2, x % -3


DIVIDENDS = [
    0.0,
    -0.0,
    0.5,
    -0.5,
    7.0,
    -7.0,
    7.5,
    -7.5,
    1.0,
    0.3,
    SMALLEST,
    -SMALLEST,
    -1e-20,
    1e16,
    1e308,
    INF,
    -INF,
    NAN,
]
DIVISORS = [1.0, -1.0, 2.0, -2.0, 0.1, -0.1, 2.5, SMALLEST, 1e308, INF, -INF, NAN]
CASES += [
    *[Case(function, pairs(DIVIDENDS, DIVISORS)) for function in (floor_divided, remainder, quotient_and_remainder)],
    Case(floor_divided_by_literal, singles(DIVIDENDS)),
    Case(remainder_by_literal, singles(DIVIDENDS)),
    Case(angle_in_one_turn, singles([0.0, 3.2, -3.2, 100.0, -100.0, 1e16, NAN, INF])),
    Case(floor_divided_by_int, singles(DIVIDENDS)),
]


# Powers. A small whole exponent is a product, which equals Python's `pow` where it is exact, as it is here; the others
# are in `cases_departures`.
EXACT = [0.0, -0.0, 1.0, -1.0, 2.0, -3.0, 0.5, -0.25, 1024.0, INF, -INF, NAN]


def squared(x):
    return x**2


def cubed(x):
    return x**3


def to_the_fourth_and_fifth(x):
    return x**4, x**5


def to_the_first(x):
    return x**1


def to_the_zeroth(x):
    return x**0


def square_of_expression(x, y):
    return (x - y) ** 2 + (x + y) ** 2


def tower(x):
    return x**2**3


def power_of_floats(x, y):
    return x**y


def float_exponent_is_pow(x):
    return x**0.5, x**1.5, x**3.0


def literal_to_a_power(y):
    return 2.0**y


def power_by_run_time_int(x, n):
    return x**n


CASES += [
    *[
        Case(function, singles(EXACT))
        for function in (squared, cubed, to_the_fourth_and_fifth, to_the_first, to_the_zeroth)
    ],
    Case(squared, singles([1.1, 0.3, 1e-200, SMALLEST, 3.7])),
    Case(square_of_expression, [(3.0, 2.0), (-0.5, 0.25), (INF, 1.0), (NAN, 0.0)]),
    Case(tower, singles([2.0, -1.0, 0.5, 0.0, INF])),
    Case(power_of_floats, [(0.0, 0.0), (NAN, 0.0), (1.0, NAN), (2.0, 0.5), (9.26, 0.5), (1.1, -7.3), (INF, -1.0)]),
    Case(power_of_floats, [(-8.0, 3.0), (-INF, 3.0), (-INF, -2.0), (5.2, 9.6), (0.0, 3.5), (-1.0, INF), (0.5, 2000.0)]),
    Case(float_exponent_is_pow, singles([0.0, -0.0, 9.26, 9.85, 0.03, 0.12, INF, NAN])),
    Case(literal_to_a_power, singles([0.0, -1.0, 0.5, 10.0, -1074.0, -2000.0, -INF, NAN])),
    Case(power_by_run_time_int, [(2.0, 10), (-2.0, 3), (0.5, -2), (-0.0, 3), (NAN, 0), (INF, -1), (4.0, 0)]),
]


# Literals are the very numbers Python reads.


def short_and_long_literals():
    return 0.1, 0.30000000000000004, 1.7976931348623157e308, 1_000.5, 1e22, 123456789.123456789


def literals_at_the_ends():
    return 5e-324, 2.2250738585072014e-308, 1e-400, -1e-400, 1e400, -1e400


def literals_that_look_like_ints():
    return 1.0 / 3.0, 1e0 / 2.0, 7.0 // 2.0, 1.0, -1.0, -0.0


def ints_divided_are_floats():
    return 1 / 3, 7 / 7, -1 / 2, 0 / 5


def literal_minus_zero_times(x):
    return x * -0.0, x + -0.0


CASES += [
    Case(short_and_long_literals, [()]),
    Case(literals_at_the_ends, [()]),
    Case(literals_that_look_like_ints, [()]),
    Case(ints_divided_are_floats, [()]),
    Case(literal_minus_zero_times, singles(FLOATS)),
]


# An augmented assignment is the same operation.


def every_augmented_operation(x, y):
    x += y
    x *= 0.5
    x -= y
    x /= 3.0
    x **= 2
    return x


def augmented_flooring(x, y):
    x //= y
    x %= 7.0
    return x


def augmented_with_expression(x, y, z):
    x -= y - z
    x *= y + z
    x /= y - z
    return x


CASES += [
    Case(every_augmented_operation, [(1.0, 2.0), (-4.0, 1.0), (INF, 1.0), (NAN, 1.0), (-0.0, 0.0)]),
    Case(augmented_flooring, [(17.5, 2.0), (-17.5, 2.0), (17.5, -2.0), (1e300, 0.1)]),
    Case(augmented_with_expression, [(1.0, 5.0, 2.0), (-0.1, 0.2, 0.3), (1e308, 1e308, -1e308)]),
    Case(sum_from_the_left, triples([0.0, -0.0, INF, -INF])),
]
