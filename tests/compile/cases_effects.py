"""Calls that write to arrays: how often they run, and in which order with everything else.

`RIGHT_OR_REFUSED` has expressions in which a call changes what an operand before it has read. Python's order holds: the
translator keeps it, or refuses the kernel.
"""

from case import BOOLS, Case, Refused, floats, grid, ints, singles

from tegotae.compile import kernel

CASES: list[Case] = []


@kernel
def bump(a):
    """Adds 1 to the first element and gives it: the array tells afterwards how often it was called."""
    a[0] += 1
    return a[0]


@kernel
def halve(a):
    a[0] *= 0.5
    return a[0]


@kernel
def above(a, x):
    """Counts its calls in a[1]."""
    a[1] += 1
    return a[0] > x


@kernel
def sum_of_two(x, y):
    return x + y


# Short circuit: what need not be asked is not called.


def and_calls_only_if_needed(a, flag):
    return flag and bump(a) > 0.0


def or_calls_only_if_needed(a, flag):
    return flag or bump(a) > 0.0


def calls_on_both_sides(a):
    return bump(a) > 2.0 or bump(a) > 2.0


def calls_in_a_row(a):
    return bump(a) < 3.0 and bump(a) < 3.0 and bump(a) < 3.0


def and_or_mixed(a, p, q):
    return (p and above(a, 1.0)) or (q and above(a, -1.0))


def not_of_calls(a):
    return not (above(a, 0.0) and above(a, 5.0))


def branch_condition_with_call(a, flag):
    if flag and above(a, 0.0):
        return 1
    if not flag or above(a, 5.0):
        return 2
    return 3


def call_in_elif_only_if_reached(a):
    if a[0] > 2.0:
        y = 1
    elif above(a, 1.0):
        y = 2
    elif above(a, 0.0):
        y = 3
    else:
        y = 4
    return y


def one_branch_of_conditional_expression(a, flag):
    return bump(a) if flag else halve(a)


def call_in_test_of_conditional_expression(a):
    return 1.0 if bump(a) > 1.0 else halve(a)


def nested_conditional_calls(a, p, q):
    return (bump(a) if q else halve(a)) if p else 0.0


def conditional_call_in_arithmetic(a, flag):
    return 2.0 * (bump(a) if flag else 1.0) + 1.0


def chain_calls_the_middle_once(a):
    return 0.0 < bump(a) < 3.0


def chain_stops_at_the_first_that_is_false(a):
    return 2.0 < bump(a) < bump(a)


def guard_before_index(a, i):
    return i < len(a) and a[i] > 0.0


def guard_before_index_in_a_kernel(a, i):
    return i + 1 < len(a) and above(a[i:], 0.0)


GIVEN = [floats(x, 0.0) for x in (0.0, 1.0, 2.0, 3.0, -5.0)]
CASES += [
    *[
        Case(function, [(a, flag) for a in GIVEN for flag in BOOLS])
        for function in (
            and_calls_only_if_needed,
            or_calls_only_if_needed,
            branch_condition_with_call,
            one_branch_of_conditional_expression,
            conditional_call_in_arithmetic,
        )
    ],
    *[
        Case(function, singles(GIVEN))
        for function in (
            calls_on_both_sides,
            calls_in_a_row,
            not_of_calls,
            call_in_elif_only_if_reached,
            call_in_test_of_conditional_expression,
            chain_calls_the_middle_once,
            chain_stops_at_the_first_that_is_false,
        )
    ],
    *[
        Case(function, [(a, p, q) for a in GIVEN for p in BOOLS for q in BOOLS])
        for function in (and_or_mixed, nested_conditional_calls)
    ],
    Case(guard_before_index, [(floats(1, -1), i) for i in (0, 1, 2, 99)] + [(floats(), 0)]),
    Case(guard_before_index_in_a_kernel, [(floats(1, -1, 5), i) for i in (0, 1, 2, 99)]),
]


# Loops ask anew in each turn; ranges are asked once.


def call_in_while_condition(a):
    turns = 0
    while bump(a) < 4.0:
        turns += 1
    return turns


def call_in_while_condition_with_continue(a):
    turns = 0
    while bump(a) < 6.0:
        if a[0] == 3.0:
            continue
        turns += 1
    return turns


def call_in_while_condition_with_break(a):
    while bump(a) < 9.0:
        if bump(a) > 4.0:
            break
    return a[0]


def call_in_while_condition_short_circuit(a, n):
    turns = 0
    while turns < n and above(a, -1.0):
        turns += 1
    return turns


def call_in_range(n):
    turns = 0
    for _ in range(bump(n)):
        turns += 1
    return turns


def call_in_both_bounds(n):
    total = 0
    for i in range(bump(n), bump(n) + 2):
        total = total * 10 + i
    return total


def call_in_nested_loops(a):
    total = 0.0
    for _ in range(2):
        for _ in range(3):
            total = total * 2.0 + bump(a)
    return total


CASES += [
    *[
        Case(function, singles(GIVEN))
        for function in (
            call_in_while_condition,
            call_in_while_condition_with_continue,
            call_in_while_condition_with_break,
            call_in_nested_loops,
        )
    ],
    Case(call_in_while_condition_short_circuit, [(a, n) for a in GIVEN for n in (0, 1, 3)]),
    Case(call_in_range, singles([ints(0), ints(2), ints(-3)])),
    Case(call_in_both_bounds, singles([ints(0), ints(2), ints(-3)])),
]


# Calls go from left to right, and come before what is read after them.


def calls_from_the_left(a):
    return bump(a) - 2.0 * bump(a)


def calls_in_a_tuple(a):
    return bump(a), halve(a), bump(a)


def calls_as_arguments(a):
    return sum_of_two(bump(a), 10.0 * bump(a))


def call_then_read(a):
    return bump(a) * 10.0 + a[0]


def call_then_read_in_tuple(a):
    return bump(a), a[0]


def call_then_read_as_arguments(a):
    return sum_of_two(10.0 * bump(a), a[0])


def call_of_a_kernel_that_only_reads(a):
    return a[0] + sum_of_two(a[0], a[1]) * a[1]


def names_keep_what_they_were_given(a):
    before = a[0]
    return before + 10.0 * bump(a) + 100.0 * before


def call_on_another_part(a):
    first = a[:1]
    second = a[1:]
    before = second[0]
    bump(first)
    return before, second[0], first[0]


def result_stored_after_the_call(a):
    a[1] = bump(a)
    a[0] = bump(a)


def added_to_a_name(a):
    total = 1.0
    total += bump(a)
    total -= 10.0 * bump(a)
    return total


def call_in_index(a, n):
    return a[bump(n)]


def call_in_index_of_target(a, n):
    a[bump(n)] = 9.0


def call_in_index_of_target_once(a, n):
    a[bump(n)] += 9.0


def call_in_slice_bounds(a, n):
    part = a[bump(n) : bump(n) + 1]
    return len(part), part[0]


NUMBERED = floats(0, 1, 2, 3, 4, 5)
CASES += [
    *[
        Case(function, singles(GIVEN))
        for function in (
            calls_from_the_left,
            calls_in_a_tuple,
            calls_as_arguments,
            call_then_read,
            call_then_read_in_tuple,
            call_then_read_as_arguments,
            call_of_a_kernel_that_only_reads,
            names_keep_what_they_were_given,
            call_on_another_part,
            result_stored_after_the_call,
            added_to_a_name,
        )
    ],
    *[
        Case(function, [(NUMBERED, ints(0)), (NUMBERED, ints(-2)), (NUMBERED, ints(2))])
        for function in (call_in_index, call_in_index_of_target, call_in_index_of_target_once)
    ],
    Case(call_in_slice_bounds, [(NUMBERED, ints(0)), (NUMBERED, ints(-6)), (NUMBERED, ints(2))]),
]


# An operand is read, then a call changes it.


def read_then_call(a):
    return a[0] + bump(a)


def read_then_call_in_product(a):
    return 2.0 * a[0] * bump(a)


def read_then_call_in_comparison(a):
    return a[0] < bump(a)


def read_then_call_in_tuple(a):
    return a[0], bump(a)


def read_then_call_in_unpacking(a):
    before, after = a[0], bump(a)
    return before, after


def read_then_call_as_arguments(a):
    return sum_of_two(a[0], bump(a))


def read_in_a_kernel_then_call(a):
    return sum_of_two(a[0], 0.0) * 10.0 + a[0] - bump(a)


def read_then_call_in_max(a):
    return max(a[0], bump(a) - 2.0)


def read_through_a_view_then_call(a):
    part = a[:1]
    return part[0] + bump(a)


def read_then_call_through_a_view(a):
    return a[0] + bump(a[:1])


def read_then_call_on_what_may_be_the_same(a, b):
    return a[0] + bump(b)


def read_in_index_then_call(a, n):
    return a[n[0]] + bump(n)


def read_as_index_then_call_in_bound(a, n):
    part = a[n[0] : bump(n) + 2]
    return len(part), part[0]


def element_added_to_by_call(a):
    a[0] += bump(a)


def value_read_before_index_is_called(a, n):
    a[bump(n)] = n[0] + 0.5


def index_read_after_value_is_called(a, n):
    a[n[0]] = bump(n) + 0.5


def index_read_before_call_of_augmented(a, n):
    a[n[0]] += bump(n)


def read_then_call_in_conditional(a, flag):
    return a[0] + (bump(a) if flag else 0.0)


def read_then_call_behind_and(a):
    return a[0] > 0.0 and a[0] + bump(a) > 2.0


def read_then_call_in_chain(a):
    return a[0] < bump(a) < 3.0


def read_then_call_two_deep(a):
    return a[0] + deep_bump(a)


@kernel
def deep_bump(a):
    return bump(a) + 0.0


@kernel
def first_and(pair, x):
    return pair[0] + 10.0 * x


def tuple_read_before_a_call(a):
    return first_and((a[0], 2.0), bump(a))


def tuple_in_a_tuple_read_before_a_call(a):
    (x, _), y = (a[0], a[1]), bump(a)
    return x + 10.0 * y


def index_read_before_a_call(A, i):
    return A[i[0], advanced(i)], i[0]


def row_chosen_before_a_call(A, i):
    return first_and(A[i[0]], advanced(i)), i[0]


def column_chosen_before_a_call(A, i):
    return first_and(A[advanced(i) - 1 :, i[0]], 1.0), first_and(A[i[0], advanced(i) - 1 :], 1.0)


@kernel
def advanced(i):
    i[0] += 1
    return i[0]


CASES += [
    Case(tuple_read_before_a_call, [(floats(1.0, 0.0),)]),
    Case(tuple_in_a_tuple_read_before_a_call, [(floats(1.0, 0.0),)]),
    *[
        Case(function, [(grid(4, 4), ints(0)), (grid(4, 4), ints(1))])
        for function in (index_read_before_a_call, row_chosen_before_a_call, column_chosen_before_a_call)
    ],
]

ONE = floats(1.0, 0.0)
RIGHT_OR_REFUSED = [
    *[
        Refused(function, (ONE,), "order")
        for function in (
            read_then_call,
            read_then_call_in_product,
            read_then_call_in_comparison,
            read_then_call_in_tuple,
            read_then_call_in_unpacking,
            read_then_call_as_arguments,
            read_in_a_kernel_then_call,
            read_then_call_in_max,
            read_through_a_view_then_call,
            read_then_call_through_a_view,
            element_added_to_by_call,
            read_then_call_behind_and,
            read_then_call_in_chain,
            read_then_call_two_deep,
        )
    ],
    Refused(read_then_call_on_what_may_be_the_same, (ONE, ONE), "order"),
    Refused(read_in_index_then_call, (NUMBERED, ints(1)), "order"),
    Refused(read_as_index_then_call_in_bound, (NUMBERED, ints(1)), "order"),
    Refused(value_read_before_index_is_called, (NUMBERED, ints(1)), "order"),
    Refused(index_read_after_value_is_called, (NUMBERED, ints(1)), "order"),
    Refused(index_read_before_call_of_augmented, (NUMBERED, ints(1)), "order"),
    Refused(read_then_call_in_conditional, (ONE, True), "order"),
]
