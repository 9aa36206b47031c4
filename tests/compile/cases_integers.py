"""Integers and truth values: division that rounds down, bits, precedence where C has another, and conversions."""
# ruff: noqa: B002

from case import BOOLS, FLOATS, INF, INTS, NAN, SMALL_INTS, Case, bools, ints, pairs, singles

CASES: list[Case] = []
NONZERO_INTS = [1, -1, 2, -2, 3, -3, 7, -8, 2**31, -(2**62)]


# Sums, and division that rounds towards minus infinity.


def add(m, n):
    return m + n


def subtract(m, n):
    return m - n


def multiply(m, n):
    return m * n


def negate(n):
    return -n, +n, --n


def floor_divided(m, n):
    return m // n


def remainder(m, n):
    return m % n


def true_division(m, n):
    return m / n


def floor_divided_by_literals(n):
    return n // 1, n // -1, n // 3, n // -3, n // 8


def remainder_by_literals(n):
    return n % 1, n % -1, n % 3, n % -3, n % 8


def division_of_elements(a, b):
    for i in range(len(a)):
        a[i], b[i] = a[i] // b[i], a[i] % b[i]


def minus_before_floor_division(m, n):
    return -m // n, -(m // n), -m % n, -(m % n)


def floor_division_from_the_left(n):
    return n // 4 // 2, n // (4 // 2), n % 7 % 4, n // 4 * 4, n * 4 // 4


def even_or_odd(n):
    return n % 2 == 0, n & 1 == 0, n // 2 * 2 == n


def middle(low, high):
    return (low + high) // 2


CASES += [
    Case(add, pairs([n for n in INTS if n != 2**62], INTS)),
    Case(subtract, pairs([n for n in INTS if n != -(2**31)], INTS)),
    Case(multiply, pairs([n for n in INTS if abs(n) <= 2**31], SMALL_INTS)),
    Case(negate, singles(INTS)),
    *[Case(function, pairs(INTS, NONZERO_INTS)) for function in (floor_divided, remainder)],
    Case(true_division, pairs(INTS, [n for n in NONZERO_INTS if abs(n) <= 2**31])),
    Case(floor_divided_by_literals, singles(INTS)),
    Case(remainder_by_literals, singles(INTS)),
    Case(division_of_elements, [(ints(7, -7, 7, -7, 0, 6), ints(2, 2, -2, -2, -5, -3)), (ints(5, -5), ints(0, 0))]),
    Case(minus_before_floor_division, pairs(SMALL_INTS, [2, -2, 3, -3])),
    Case(floor_division_from_the_left, singles(SMALL_INTS)),
    Case(even_or_odd, singles(INTS)),
    Case(middle, [(0, 1), (-1, 0), (-3, 0), (3, 8), (-5, -2)]),
]


# Powers of ints stay ints.


def int_powers(n):
    return n**0, n**1, n**2, n**3, n**4


def powers_of_literals():
    return 2**10, (-2) ** 3, -(2**2), 2**3**2, 10**18, 2**62


def int_to_a_negative_power(n):
    return n**-1, n**-2


CASES += [
    Case(int_powers, singles(SMALL_INTS)),
    Case(powers_of_literals, [()]),
    Case(int_to_a_negative_power, singles([1, -1, 2, -4, 8])),
]


# Bits. Shifts go by 0 to 63 places; a shift to the right keeps the sign.


def bitwise_and(m, n):
    return m & n


def bitwise_or(m, n):
    return m | n


def bitwise_xor(m, n):
    return m ^ n


def bitwise_not(n):
    return ~n, ~~n, -~n, ~-n


def shifted_left(n, k):
    return n << k


def shifted_right(n, k):
    return n >> k


def shift_binds_looser_than_sum(n):
    return 1 << n + 1, (1 << n) + 1, 64 >> n - 1


def and_binds_tighter_than_comparison(m, n):
    return m & n == 0, m & (n == 0), m | n > 2, m ^ n != m


def and_or_xor_bind_in_this_order(m, n):
    return m | n ^ 3 & 6, (m | n) ^ 3 & 6, m & n | m ^ n


def augmented_bits(n):
    n &= 255
    n |= 256
    n ^= 3
    n <<= 4
    n >>= 2
    return n


def bits_set(n):
    count = 0
    while n:
        n &= n - 1
        count += 1
    return count


def flag_in_mask(mask, k):
    return (mask >> k) & 1 == 1, mask & (1 << k) != 0


CASES += [
    *[Case(function, pairs(INTS)) for function in (bitwise_and, bitwise_or, bitwise_xor)],
    Case(bitwise_not, singles(INTS)),
    Case(shifted_left, [(1, 0), (1, 62), (-1, 63), (-3, 40), (0, 63), (2**31, 31)]),
    Case(shifted_right, pairs(INTS, [0, 1, 2, 31, 32, 62, 63])),
    Case(shift_binds_looser_than_sum, singles([1, 2, 5])),
    Case(and_binds_tighter_than_comparison, pairs(SMALL_INTS)),
    Case(and_or_xor_bind_in_this_order, pairs(SMALL_INTS)),
    Case(augmented_bits, singles(INTS)),
    Case(bits_set, singles([0, 1, 255, 2**62, 2**62 - 1])),
    Case(flag_in_mask, pairs([0, 1, 5, -1, 2**40], [0, 1, 2, 40])),
]


# Truth values are numbers too: with `+` they become ints, with `&`, `|` and `^` among themselves they stay.


def bools_add_up(p, q):
    return p + q, p - q, p * q, -p, +p


def bools_divide(p):
    return p / 2, p // 2, p % 2, 7 // (p + 1)


def bits_of_bools(p, q):
    return p & q, p | q, p ^ q


def bits_of_bool_and_int(p, n):
    return p & n, p | n, p ^ n, p << 3


def bool_with_float(p, x):
    return p + x, p * x, p < x, p == x


def bool_with_int(p, n):
    return p + n, p * n, p < n, p == n


def count_true(flags):
    count = 0
    for i in range(len(flags)):
        count += flags[i]
    return count


def sign(x):
    return (x > 0.0) - (x < 0.0)


def bools_compared(p, q):
    return p == q, p != q, p < q, p <= q, not p


def and_of_elements(p, q, both):
    for i in range(len(p)):
        both[i] = p[i] & q[i] | (not p[i] and not q[i])


CASES += [
    *[Case(function, pairs(BOOLS)) for function in (bools_add_up, bits_of_bools, bools_compared)],
    Case(bools_divide, singles(BOOLS)),
    Case(bits_of_bool_and_int, pairs(BOOLS, SMALL_INTS)),
    Case(bool_with_float, pairs(BOOLS, FLOATS)),
    Case(bool_with_int, pairs(BOOLS, SMALL_INTS)),
    Case(count_true, [(bools(),), (bools(True, False, True),), (bools(*[True] * 300),), (bools(*[True] * 6)[::2],)]),
    Case(sign, singles(FLOATS)),
    Case(and_of_elements, [(bools(0, 0, 1, 1), bools(0, 1, 0, 1), bools(0, 0, 0, 0))]),
]


# Conversions.


def int_truncates(x):
    return int(x)


def int_of_int_and_bool(n, p):
    return int(n), int(p)


def float_of_each(x, n, p):
    return float(x), float(n), float(p)


def bool_of_each(x, n, p):
    return bool(x), bool(n), bool(p)


def absolute_values(x, n, p):
    return abs(x), abs(n), abs(p)


def int_of_negated_and_scaled(x):
    return int(-x), -int(x), int(x * 10.0), int(x) * 10, int(x / 3)


def fraction(x):
    return x - int(x)


def rounded_half_up(x):
    return int(x + 0.5) if x >= 0.0 else -int(0.5 - x)


def int_meets_float(n, x):
    return n + x, n * x, n - x, x - n


def int_meets_float_divisor(n):
    return n / 2.0, n // 2.0, n % 2.5


def large_int_becomes_the_nearest_float(n):
    return float(n), n + 0.0, n * 1.0


def int_compared_with_float(n, x):
    return n < x, n <= x, n == x, n != x, n > x, n >= x


def literals_of_all_bases():
    return 0xFF, 0o17, 0b1011, 1_000_000, 2147483648, -2147483649, 9223372036854775807, -9223372036854775807 - 1


def smallest_int_literal():
    return -9223372036854775808


FINITE = [0.0, -0.0, 0.5, -0.5, 0.9999999999999999, -1.5, 2.5, -7.9, 1e15, -1e15, 5e-324, 4503599627370497.5]
CASES += [
    Case(int_truncates, singles([*FINITE, 2.0**62, -(2.0**63)])),
    Case(int_of_int_and_bool, pairs(INTS, BOOLS)),
    *[
        Case(function, [(x, n, p) for x in FLOATS for n in (0, 5, -5) for p in BOOLS])
        for function in (float_of_each, bool_of_each, absolute_values)
    ],
    *[Case(function, singles(FINITE)) for function in (int_of_negated_and_scaled, fraction, rounded_half_up)],
    Case(int_meets_float, pairs(INTS, FLOATS)),
    Case(int_meets_float_divisor, singles(INTS)),
    Case(large_int_becomes_the_nearest_float, singles([2**53 + 1, -(2**53) - 1, 2**62 + 1, 2**63 - 1, 2**54 + 2])),
    Case(int_compared_with_float, pairs(SMALL_INTS, [0.0, -0.0, 1.0, -3.0, 0.5, 1e308, INF, -INF, NAN])),
    Case(literals_of_all_bases, [()]),
    Case(smallest_int_literal, [()]),
]
