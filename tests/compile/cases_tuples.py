"""Tuples: given, made, taken apart, indexed, cut and returned; nested, and of mixed numbers."""
# ruff: noqa: RET504, SIM108

from case import BOOLS, INF, NAN, Case, floats, grid, pairs, singles

from tegotae.compile import kernel

CASES: list[Case] = []
THREE = (0.5, -0.0, 2.5)
MIXED = (1, 2.5, True)
NESTED = ((1.5, 2), (3.5, (4, False)))


# Given as arguments.


def elements(t):
    return t[0], t[1], t[2], t[-1], t[-3]


def reversed_tuple(t):
    return t[2], t[1], t[0]


def unpacked(t):
    x, y, z = t
    return z, x, y


def nested_elements(t):
    return t[0][0], t[0][1], t[1][0], t[1][1][0], t[-1][-1][-1]


def nested_unpacked(t):
    (a, b), (c, (d, e)) = t
    return e, d, c, b, a


def returned_whole(t):
    return t


def returned_in_parts(t):
    return t[1], t[0]


def length(t):
    return len(t), len(t[1:])


def given_with_others(x, t, n):
    return x + t[0] * n, t


CASES += [
    *[Case(function, [(THREE,), (MIXED,), ((NAN, INF, -0.0),)]) for function in (elements, reversed_tuple, unpacked)],
    *[Case(function, [(NESTED,)]) for function in (nested_elements, nested_unpacked)],
    *[Case(function, [(NESTED,), (MIXED,), (THREE,)]) for function in (returned_whole, returned_in_parts)],
    Case(returned_whole, [((7,),), ((7.5,),), (((False,),),)]),
    Case(length, [(THREE,), (NESTED,), ((1,),)]),
    Case(given_with_others, [(1.5, THREE, 3), (1.5, MIXED, 3)]),
]


# An index at run time, where all elements are of one type.


def element_at(t, i):
    return t[i]


def elements_in_turn(t):
    total = 0.0
    for i in range(len(t)):
        total = total * 2.0 + t[i] - t[i - 1] + t[~i] * 0.5
    return total


def inner_tuple_at(t, i):
    return t[i][0] + 10.0 * t[i][1]


def inner_element_at(t, i, j):
    return t[i][j]


def mixed_inner_tuple_at(t, i):
    pair = t[i]
    return pair[0] // 2, pair[1] / 2


def literal_tuple_at(i):
    return (5.0, 6.0, 7.0)[i], (1, -1)[i % 2]


def truth_value_as_index(x):
    return (1.0, -1.0)[x > 0.0]


SQUARE = ((1.0, 2.0), (3.0, 4.0), (5.0, 6.0))
CASES += [
    Case(element_at, [(t, i) for t in (THREE, (1, 2, 3), (True, False, True)) for i in range(-3, 3)]),
    Case(elements_in_turn, [(THREE,), ((1.0, 2.0, 3.0, 4.0),), ((7.0,),)]),
    Case(inner_tuple_at, [(SQUARE, i) for i in range(-3, 3)]),
    Case(inner_element_at, [(SQUARE, i, j) for i in range(-3, 3) for j in range(-2, 2)]),
    Case(mixed_inner_tuple_at, [(((7, 1.5), (-7, 2.5)), i) for i in (-1, 0, 1)]),
    Case(literal_tuple_at, singles([-3, -1, 0, 1, 2])),
    Case(truth_value_as_index, singles([1.0, 0.0, NAN])),
]


# Cut by literal bounds.


def tails_and_heads(t):
    return t[1:], t[:-1], t[:2], t[-2:], t[:]


def part_of_part(t):
    return t[1:][0], t[:-1][-1], t[1:][:1]


def middle_unpacked(t):
    x, y = t[1:3]
    return x - y


CASES += [
    Case(tails_and_heads, [(THREE,), (MIXED,), (SQUARE,)]),
    Case(part_of_part, [(THREE,), (MIXED,), (SQUARE,)]),
    Case(middle_unpacked, [((1.0, 2.0, 3.0, 4.0),), ((1, 2, 3),)]),
]


# Made inside.


def made_and_returned(x, n, p):
    t = (x, n, p)
    return t


def tuple_of_one(x):
    t = (x,)
    (y,) = t
    return t, y, len(t)


def nested_made(x, n):
    return (x, (n, (x > 0.0, -n))), (x,)


def swapped(x, y):
    x, y = y, x
    return x, y


def turned(x, y, z):
    x, y, z = y, z, x
    x, (y, z) = z, (x, y)
    return x, y, z


def fibonacci_pair(n):
    pair = (0, 1)
    for _ in range(n):
        pair = (pair[1], pair[0] + pair[1])
    return pair


def state_of_a_loop(x, n):
    state = (x, 0.0, 0)
    for i in range(n):
        position, speed, count = state
        state = (position + 0.1 * speed, speed - 0.1 * position, count + i)
    return state


def name_kept_by_the_tuple(x):
    t = (x, x + 1.0)
    x = 100.0
    return t[0], t[1], x


def tuple_by_condition(flag, x):
    t = (x, -x) if flag else (-x, x)
    return t[0], t[1]


def tuple_in_branches(flag, x):
    if flag:
        t = (x, 1)
    else:
        t = (-x, 2)
    return t


def one_tuple_for_two_names(x):
    s = t = (x, 2.0 * x)
    s = (t[1], s[0])
    return s, t


def unpacked_into_elements(a, t):
    a[0], a[-1] = t
    (a[1], x), a[2] = (t[1], 7.0), t[0]
    return x


def numbers_of_an_array(a):
    return (a[0], a[1]), (a[-1],)


CASES += [
    Case(made_and_returned, [(-0.0, 2**40, True), (NAN, -1, False)]),
    Case(tuple_of_one, singles([1.5, 3, True])),
    Case(nested_made, [(1.5, 7), (-0.0, -7)]),
    Case(swapped, [(1.5, -0.0), (1, 2)]),
    Case(turned, [(1.0, 2.0, 3.0), (1, 2, 3)]),
    Case(fibonacci_pair, singles([0, 1, 10])),
    Case(state_of_a_loop, [(1.0, n) for n in (0, 1, 5)]),
    Case(name_kept_by_the_tuple, singles([1.5])),
    *[Case(function, pairs(BOOLS, [1.5, -0.0])) for function in (tuple_by_condition, tuple_in_branches)],
    Case(one_tuple_for_two_names, singles([1.5])),
    Case(unpacked_into_elements, [(floats(0, 0, 0, 0), (1.5, 2.5)), (floats(0, 0, 0), (1, 2))]),
    Case(numbers_of_an_array, [(floats(1, 2, 3),)]),
]


# Loops over tuples.


def loop_over_argument(t):
    total = 0.0
    for x in t:
        total = total * 2.0 + x
    return total


def loop_over_literal(x):
    total = 0.0
    for factor in (1.0, -2.0, 0.5):
        total = total * 2.0 + factor * x
    return total


def loop_over_ints_as_indices(a):
    total = 0.0
    for i in (0, -1, 1):
        total = total * 2.0 + a[i]
    return total


def loop_over_pairs(t):
    total = 0.0
    for x, y in t:
        total = total * 2.0 + x - y
    return total


def variable_after_loop_over_tuple(t):
    x = 100.0
    for x in t:
        if x < 0.0:
            break
    return x


def loop_over_a_name_given_away(t):
    total = 0.0
    for x in t:
        t = (9.0, 9.0, 9.0)
        total = total * 2.0 + x
    return total, t[0]


CASES += [
    Case(loop_over_argument, [(THREE,), ((1, 2),), ((NAN,),)]),
    Case(loop_over_literal, singles([1.5, -0.0, INF])),
    Case(loop_over_ints_as_indices, [(floats(1, 2, 3),), (grid(3, 3)[:, 1],)]),
    Case(loop_over_pairs, [(SQUARE,), (((1, 2), (3, 5)),)]),
    Case(variable_after_loop_over_tuple, [((1.0, -2.0, 3.0),), ((1.0, 2.0),)]),
    Case(loop_over_a_name_given_away, [((1.0, 2.0, 3.0),)]),
]


# Through kernels.


@kernel
def divided(m, n):
    return m // n, m % n


@kernel
def added(u, v):
    return u[0] + v[0], u[1] + v[1]


@kernel
def nothing_or(x):
    return ((x, 1), (x > 0.0, (2.5, x)))


def results_unpacked(m, n):
    quotient, rest = divided(m, n)
    return quotient * n + rest, quotient, rest


def results_indexed(m, n):
    return divided(m, n)[0], divided(m, n)[-1]


def results_handed_on(x, y):
    return added(added((x, y), (y, x)), (1.0, 2.0))


def results_summed_in_a_loop(n):
    total = (0.0, 0.0)
    for i in range(n):
        total = added(total, (0.5 * i, -1.0))
    return total


def nested_result(x):
    (a, b), (c, d) = nothing_or(x)
    return a, b, c, d, nothing_or(x)[1][1][0]


def ints_and_floats_added(n, x):
    return added((n, x), (1, 2)), added((1, 2), (n, n))


CASES += [
    *[Case(function, pairs([7, -7], [2, -2])) for function in (results_unpacked, results_indexed)],
    Case(results_handed_on, pairs([1.5, -0.0, NAN])),
    Case(results_summed_in_a_loop, singles([0, 1, 4])),
    Case(nested_result, singles([1.5, -0.0])),
    Case(ints_and_floats_added, [(3, 0.5), (-3, -0.0)]),
]
