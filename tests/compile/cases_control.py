"""Branches and loops: what runs, how often, and what the names stand for afterwards."""
# ruff: noqa: B007, B020, PIE808, RET501, RET505

from case import BOOLS, FLOATS, Case, bools, floats, grid, ints, singles, triples

from tegotae.compile import kernel

CASES: list[Case] = []
COUNTS = [-3, 0, 1, 2, 3, 7]


# Branches.


def sign_by_branches(x):
    if x > 0.0:
        return 1
    elif x < 0.0:
        return -1
    elif x == 0.0:
        return 0
    else:
        return 2


def branch_without_else(x):
    y = 1.0
    if x > 0.0:
        y = x
    return y


def nested_branches(p, q, r):
    if p:
        if q:
            return 1
        if r:
            return 2
    elif q:
        return 3 if r else 4
    return 5


def else_belongs_to_the_outer_if(p, q):
    y = 0
    if p:
        if q:
            y = 1
    else:
        y = 2
    return y


def condition_is_taken_before_the_branch_changes_it(x):
    if x > 1.0:
        x = 0.0
    elif x <= 1.0:
        x = 5.0
    return x


def branches_that_all_return(x):
    if x < 0.0:
        return -x
    return x


def literal_conditions(x):
    if True:
        x += 1.0
    if False:
        x += 100.0
    if 0:
        x += 200.0
    while False:
        x += 300.0
    return x if 1 else -x


def conditional_expressions(x):
    return 1.0 if x > 1.0 else 2.0 if x > 0.0 else 3.0 if x == 0.0 else 4.0


def conditional_in_arithmetic(x, p):
    return x * (2.0 if p else 3.0) + (x if p else -x) - (1.0 if not p else 0.0)


def conditional_in_condition(p, q, r):
    if q if p else r:
        return 1
    return 0


def conditional_as_index(a, p):
    return a[0 if p else -1], a[(1 if p else 2) - 2]


def only_the_branch_taken_is_read(a):
    return a[0] if len(a) > 0 else -1.0


def empty_branches(x):
    if x > 0.0:
        pass
    else:
        x = -x
    if x > 10.0:
        x = 10.0
    else:
        pass
    return x


CASES += [
    *[
        Case(function, singles(FLOATS))
        for function in (
            sign_by_branches,
            branch_without_else,
            condition_is_taken_before_the_branch_changes_it,
            branches_that_all_return,
            literal_conditions,
            conditional_expressions,
            empty_branches,
        )
    ],
    Case(nested_branches, triples(BOOLS)),
    Case(else_belongs_to_the_outer_if, [(p, q) for p in BOOLS for q in BOOLS]),
    Case(conditional_in_arithmetic, [(x, p) for x in FLOATS for p in BOOLS]),
    Case(conditional_in_condition, triples(BOOLS)),
    Case(conditional_as_index, [(floats(1, 2, 3), p) for p in BOOLS]),
    Case(only_the_branch_taken_is_read, [(floats(),), (floats(7),)]),
]


# Ranges.


def counted(n):
    total = 0
    for i in range(n):
        total = total * 10 + i
    return total


def counted_from(low, high):
    total = 0
    for i in range(low, high):
        total = total * 10 + i
    return total


def counted_by_two(low, high):
    total = 0
    for i in range(low, high, 2):
        total = total * 10 + i
    return total


def counted_down(high, low):
    total = 0
    for i in range(high, low, -1):
        total = total * 10 + i
    return total


def counted_down_by_three(high, low):
    total = 0
    for i in range(high, low, -3):
        total = total * 10 + i
    return total


def counted_down_to_zero(n):
    total = 0
    for i in range(n - 1, -1, -1):
        total = total * 10 + i
    return total


def range_of_bool(p):
    total = 0
    for i in range(p):
        total += i + 5
    return total


CASES += [
    *[Case(function, singles(COUNTS)) for function in (counted, counted_down_to_zero)],
    *[
        Case(function, [(m, n) for m in COUNTS for n in COUNTS])
        for function in (counted_from, counted_by_two, counted_down, counted_down_by_three)
    ],
    Case(range_of_bool, singles(BOOLS)),
]


# A range is fixed before the first turn, and each turn takes the next number whatever happened to the name.


def bound_changed_inside(n):
    turns = 0
    for _ in range(n):
        n = 0
        turns += 1
    return turns, n


def bound_raised_inside(n):
    turns = 0
    for i in range(0, n):
        n += 1
        turns += i
    return turns, n


def start_changed_inside(low):
    total = 0
    for i in range(low, low + 3):
        low += 10
        total = total * 10 + i
    return total, low


def loop_variable_is_the_bound(n):
    total = 0
    for n in range(n):
        total += n
    return total, n


def loop_variable_changed_inside(n):
    total = 0
    for i in range(n):
        total = total * 10 + i
        i = 100
        total += i
    return total


def loop_variable_raised_inside(n):
    turns = 0
    i = 0
    for i in range(n):
        i += 5
        turns += 1
    return turns, i


def length_is_the_bound_of_a_shrinking_array(a):
    turns = 0
    for _ in range(len(a)):
        a = a[1:]
        turns += 1
    return turns, len(a)


def same_variable_in_nested_loops(n):
    total = 0
    for i in range(n):
        for i in range(2):
            total = total * 10 + i
        total += i
    return total


def bound_of_inner_loop_depends(n):
    total = 0
    for i in range(n):
        for j in range(i, n - i):
            total = total * 3 + i - j
    return total


CASES += [
    *[
        Case(function, singles(COUNTS))
        for function in (
            bound_changed_inside,
            bound_raised_inside,
            start_changed_inside,
            loop_variable_is_the_bound,
            loop_variable_changed_inside,
            loop_variable_raised_inside,
            same_variable_in_nested_loops,
            bound_of_inner_loop_depends,
        )
    ],
    Case(length_is_the_bound_of_a_shrinking_array, [(floats(1, 2, 3),), (floats(),)]),
]


# After the loop.


def variable_after_loop(n):
    i = -7
    for i in range(n):
        pass
    return i


def variable_after_loop_by_two(n):
    i = -7
    for i in range(0, n, 2):
        pass
    return i


def variable_after_loop_down(n):
    i = -7
    for i in range(n, 0, -1):
        pass
    return i


def variable_after_break(n, at):
    i = -7
    for i in range(n):
        if i == at:
            break
    return i


def variable_of_two_loops(n):
    for i in range(n + 4):
        last = i
    for i in range(n):
        last -= i
    return i, last


def name_assigned_only_inside(n):
    for i in range(n):
        square = i * i
        half = i / 2
    return square, half


def carried_from_turn_to_turn(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def assigned_late_and_read_early_in_the_next_turn(n):
    late = 1.0
    total = 0.0
    for i in range(n):
        total = total * 2.0 + late
        late = i * 0.5
    return total, late


CASES += [
    *[
        Case(function, singles(COUNTS))
        for function in (
            variable_after_loop,
            variable_after_loop_by_two,
            variable_after_loop_down,
            carried_from_turn_to_turn,
            assigned_late_and_read_early_in_the_next_turn,
        )
    ],
    Case(variable_after_break, [(n, at) for n in COUNTS for at in (0, 2, 9)]),
    *[Case(function, singles([1, 2, 5])) for function in (variable_of_two_loops, name_assigned_only_inside)],
]


# Break, continue, return.


def break_leaves_the_inner_loop(n):
    total = 0
    for i in range(n):
        for j in range(n):
            if j > i:
                break
            total = total * 3 + j
        total += 1
    return total


def continue_goes_on_with_the_inner_loop(n):
    total = 0
    for i in range(n):
        for j in range(n):
            if (i + j) % 2:
                continue
            total = total * 3 + j
        if i == 1:
            continue
        total += 1
    return total


def continue_in_while(n):
    total = 0
    while n > 0:
        n -= 1
        if n % 3 == 1:
            continue
        total = total * 10 + n
    return total


def break_out_of_endless(n):
    turns = 0
    while True:
        if turns >= n:
            break
        turns += 1
    return turns


def return_out_of_nested_loops(A, x):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            if A[i, j] > x:
                return i, j
    return -1, -1


def return_out_of_endless(n):
    turns = 0
    while True:
        turns += 1
        if turns * turns > n:
            return turns


def return_out_of_while(a):
    i = 0
    while i < len(a):
        if a[i] < 0.0:
            return i
        i += 1
    return -1


def while_in_for_in_while(n):
    total = 0
    while n > 0:
        for i in range(n):
            k = i
            while k > 0:
                k //= 2
                total += 1
                if total % 7 == 0:
                    break
            total += 1
        n -= 2
    return total


def while_with_compound_condition(a):
    i = 0
    while i < len(a) and a[i] != 0.0:
        i += 1
    return i


def while_never_runs(x):
    while x != x and x == x:
        x = 0.0
    return x


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def code_after_return_and_break(x):
    for _ in range(3):
        x += 1.0
        break
        x += 100.0
    return x
    return -x


CASES += [
    *[
        Case(function, singles(COUNTS))
        for function in (
            break_leaves_the_inner_loop,
            continue_goes_on_with_the_inner_loop,
            continue_in_while,
            break_out_of_endless,
            return_out_of_endless,
            while_in_for_in_while,
        )
    ],
    Case(return_out_of_nested_loops, [(grid(2, 3), x) for x in (-1.0, 2.0, 3.0, 99.0)] + [(grid(0, 3), 0.0)]),
    *[
        Case(function, [(floats(),), (floats(1, -1),), (floats(1, 0, -0.0, 2),), (floats(float("nan"), -0.0, -2),)])
        for function in (return_out_of_while, while_with_compound_condition)
    ],
    Case(while_never_runs, singles(FLOATS)),
    Case(collatz, singles([1, 2, 7, 27])),
    Case(code_after_return_and_break, singles(FLOATS)),
]


# Functions that give nothing back, and calls.


def nothing():
    pass


def only_a_docstring():
    """Nothing at all."""


def none_in_so_many_words(a):
    a[0] = 1.0
    return None


def bare_return_halfway(a):
    if a[0] > 0.0:
        return
    a[0] = 5.0


def parameters_that_are_not_used(x, n, a, p):
    return 1.0


@kernel
def doubled(x):
    return x + x


@kernel
def set_first(a, x):
    a[0] = x


@kernel
def smallest_and_largest(a):
    low, high = a[0], a[0]
    for x in a:
        low, high = min(low, x), max(high, x)
    return low, high


@kernel
def is_even(n):
    return n % 2 == 0


def call_in_call(x):
    return doubled(doubled(doubled(x)))


def kernel_of_float_and_of_int(x, n):
    return doubled(x), doubled(n), doubled(n > 0), doubled(n) / 4


def kernel_that_returns_nothing(a):
    set_first(a, 7.0)
    set_first(a[1:], 8.0)


def kernel_whose_result_is_dropped(a):
    doubled(a[0])
    smallest_and_largest(a)
    set_first(a, 1.0)


def kernel_that_returns_two(a):
    low, high = smallest_and_largest(a)
    return high - low, smallest_and_largest(a)[1]


def kernel_as_condition(n):
    count = 0
    while not is_even(n):
        n = n // 2
        count += 1
    return count, n if is_even(count) else -n


def call_in_index_and_bound(a):
    total = 0.0
    for i in range(doubled(1)):
        total += a[doubled(i) - 1]
    return total


CASES += [
    Case(nothing, [()]),
    Case(only_a_docstring, [()]),
    Case(none_in_so_many_words, [(floats(5),)]),
    Case(bare_return_halfway, [(floats(5),), (floats(-5),)]),
    Case(parameters_that_are_not_used, [(1.0, 2, floats(), True), (1.0, 2, bools(True), False)]),
    Case(call_in_call, singles(FLOATS)),
    Case(kernel_of_float_and_of_int, [(1.5, 7), (-0.0, -3)]),
    Case(kernel_that_returns_nothing, [(floats(1, 2, 3),), (floats(1, 2, 3, 4)[::2],), (ints(1, 2),)]),
    Case(kernel_whose_result_is_dropped, [(floats(5, 6),)]),
    Case(kernel_that_returns_two, [(floats(5, -6, 7),), (floats(1.0, float("nan")),), (ints(3, -4),)]),
    Case(kernel_as_condition, singles([0, 1, 7, 23, -5])),
    Case(call_in_index_and_bound, [(floats(1, 2, 3),)]),
]
