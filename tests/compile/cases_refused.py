"""What is outside the subset is refused, with words that name it.

`RIGHT_OR_REFUSED` has what nobody promised and a translator may well learn: it is translated rightly, or not at all.
"""
# ruff: noqa

import contextlib
import math

import numpy as np
from case import Refused, bools, floats, grid, ints
from tegotae.compile import kernel

ONE = (1.5,)
ARRAY = (floats(1, 2, 3),)
REFUSED: list[Refused] = []


# Values that are no numbers, tuples or arrays.


def list_made(x):
    numbers = [x, 2.0 * x]
    return numbers[0]


def list_comprehension(a):
    doubled = [2.0 * x for x in a]
    return doubled[0]


def generator_expression(a):
    return max(x for x in a)


def dict_made(x):
    numbers = {1: x}
    return numbers[1]


def set_made(x):
    return len({x, 1.0})


def string_made(x):
    name = "stick"
    return len(name) + x


def string_returned(x):
    return "stick"


def f_string(x):
    return len(f"{x}")


def complex_literal(x):
    return abs(x + 1j)


def complex_function(x):
    return abs(complex(x, 1.0))


def complex_argument(x):
    return x


def lambda_inside(x):
    twice = lambda y: 2.0 * y
    return twice(x)


def is_none(x):
    return x is None


def none_as_value(x):
    y = None
    if x > 0.0:
        y = x
    return y


def zeros_anew_in_each_turn(n):
    total = 0.0
    for i in range(n):
        a = np.zeros(3)
        a[i % 3] += 1.0 + i
        total = total * 2.0 + a[0] - a[1] + 3.0 * a[2]
    return total


def kept_from_the_turn_before(n):
    last = np.zeros(2)
    for i in range(n):
        new = np.zeros(2)
        new[0] = last[0] + i
        new[1] = last[1] - 1.0
        last[:] = new
    return last[0], last[1]


def flattened_by_minus_one(A):
    a = A.reshape(-1)
    a[1] = 9.0
    return len(a), a[-2]


def truth_as_index(A):
    return A[1, A[0, 0] > 0.0]


def string_argument(name):
    return 1.0


REFUSED += [
    Refused(list_made, ONE, "list"),
    Refused(truth_as_index, (grid(2, 3),), "mask"),
    Refused(zeros_anew_in_each_turn, (3,), "loop"),
    Refused(kept_from_the_turn_before, (3,), "loop"),
    Refused(flattened_by_minus_one, (grid(2, 3),), "reshape"),
    Refused(list_comprehension, ARRAY, "comprehension"),
    Refused(generator_expression, ARRAY, "generator"),
    Refused(dict_made, ONE, "dict"),
    Refused(set_made, ONE, "set"),
    Refused(string_made, ONE, "string"),
    Refused(string_returned, ONE, "string"),
    Refused(f_string, ONE, "string"),
    Refused(complex_literal, ONE, "complex"),
    Refused(complex_function, ONE, "complex"),
    Refused(complex_argument, (1j,), "complex"),
    Refused(lambda_inside, ONE, "lambda"),
    Refused(is_none, ONE, "None"),
    Refused(none_as_value, ONE, "None"),
    Refused(string_argument, ("stick",), "string"),
]


# Statements.


def try_except(x):
    try:
        return 1.0 / x
    except ZeroDivisionError:
        return 0.0


def with_block(x):
    with contextlib.nullcontext():
        return x


def raises(x):
    if x < 0.0:
        raise ValueError(x)
    return x


def asserts(x):
    assert x > 0.0
    return x


def function_inside(x):
    def twice(y):
        return 2.0 * y

    return twice(x)


def class_inside(x):
    class Thing:
        pass

    return x


def import_inside(x):
    import math

    return math.sqrt(x)


def global_statement(x):
    global COUNT
    COUNT = 1
    return x


def yields(x):
    yield x


def for_else(a):
    for x in a:
        if x > 1.0:
            break
    else:
        return 0.0
    return 1.0


def while_else(x):
    while x > 1.0:
        x -= 1.0
    else:
        x = 0.0
    return x


def deletes(x):
    y = x
    del y
    return x


async def coroutine(x):
    return x


COUNT = 0
REFUSED += [
    Refused(try_except, ONE, "try"),
    Refused(with_block, ONE, "with"),
    Refused(raises, ONE, "raise"),
    Refused(asserts, ONE, "assert"),
    Refused(function_inside, ONE, "def"),
    Refused(class_inside, ONE, "class"),
    Refused(import_inside, ONE, "import"),
    Refused(global_statement, ONE, "global"),
    Refused(yields, ONE, "yield"),
    Refused(for_else, ARRAY, "else"),
    Refused(while_else, ONE, "else"),
    Refused(deletes, ONE, "del"),
    Refused(coroutine, ONE, "async"),
]


# Calls.


@kernel
def scaled(x, factor):
    return factor * x


@kernel
def with_default_inside(x, factor=2.0):
    return factor * x


def keyword_in_call(x):
    return scaled(x, factor=2.0)


def starred_call(t):
    return scaled(*t)


def default_left_out_in_call(x):
    return with_default_inside(x)


def default_of_the_function(x, factor=2.0):
    return factor * x


def starred_parameters(*numbers):
    return numbers[0]


def keyword_only(*, x):
    return x


def starred_target(t):
    first, *rest = t
    return first


def too_few_arguments(x):
    return scaled(x)


def recursion(n):
    return 1 if n <= 1 else n * recursive_factorial(n - 1)


@kernel
def recursive_factorial(n):
    return 1 if n <= 1 else n * recursive_factorial(n - 1)


@kernel
def even(n):
    return True if n == 0 else odd(n - 1)


@kernel
def odd(n):
    return False if n == 0 else even(n - 1)


def mutual_recursion(n):
    return even(n)


def prints(x):
    print(x)
    return x


def unknown_function_of_math(x):
    return math.gamma(x)


def three_arguments_of_hypot(x):
    return math.hypot(x, x, x)


def logarithm_to_a_base(x):
    return math.log(x, 2.0)


def function_that_is_no_kernel(x):
    return plain_function(x)


def plain_function(x):
    return x


def method_of_a_number(x):
    return x.is_integer()


def method_of_an_array(a):
    return a.sum()


def name_that_does_not_exist(x):
    return x + no_such_name


def name_that_does_not_exist_yet(x):
    y = later + x
    later = 2.0
    return y


def attribute_that_does_not_exist(x):
    return math.no_such_function(x)


def built_from_int_of_string(x):
    return x + int("3")


REFUSED += [
    Refused(keyword_in_call, ONE, "keyword"),
    Refused(starred_call, ((1.0, 2.0),), "star"),
    Refused(default_left_out_in_call, ONE, "default"),
    Refused(default_of_the_function, (1.0, 2.0), "default"),
    Refused(starred_parameters, ONE, "star"),
    Refused(keyword_only, (), "keyword"),
    Refused(starred_target, ((1.0, 2.0),), "star"),
    Refused(too_few_arguments, ONE, "argument"),
    Refused(recursion, (5,), "recurs"),
    Refused(mutual_recursion, (5,), "recurs"),
    Refused(prints, ONE, "print"),
    Refused(unknown_function_of_math, ONE, "gamma"),
    Refused(three_arguments_of_hypot, ONE, "hypot"),
    Refused(logarithm_to_a_base, ONE, "log"),
    Refused(function_that_is_no_kernel, ONE, "plain_function"),
    Refused(method_of_a_number, ONE, "is_integer"),
    Refused(method_of_an_array, ARRAY, "sum"),
    Refused(name_that_does_not_exist, ONE, "no_such_name"),
    Refused(name_that_does_not_exist_yet, ONE, "later"),
    Refused(attribute_that_does_not_exist, ONE, "no_such_function"),
    Refused(built_from_int_of_string, ONE, "string"),
]


# Indices and slices.


def slice_step(a):
    return len(a[::2])


def slice_backwards(a):
    return len(a[::-1])


def slice_step_of_tuple(t):
    return t[::2]


def slice_of_tuple_at_run_time(t, n):
    return t[n:]


def index_by_list(a):
    return len(a[[0, 1]])


def index_by_array(a, n):
    return len(a[n])


def index_by_mask(a, flags):
    return len(a[flags])


def index_by_comparison(a):
    a[a > 1.0] = 0.0


def index_by_ellipsis(A):
    return len(A[..., 0])


def index_by_newaxis(a):
    return len(a[None])


def index_by_float(a, x):
    return a[x]


def index_by_quotient(a, n):
    return a[n / 2]


def slice_by_float(a, x):
    return len(a[:x])


def index_by_truth_value(a, x):
    return len(a[x > 0.0])


def too_many_indices(a):
    return a[0, 0]


def index_of_number(x):
    return x[0]


def mixed_tuple_at_run_time(t, i):
    return t[i]


def tuple_beyond_its_end(t):
    return t[2]


def range_step_at_run_time(n):
    total = 0
    for i in range(0, 10, n):
        total += i
    return total


def range_step_zero():
    total = 0
    for i in range(0, 10, 0):
        total += i
    return total


def range_of_float(x):
    total = 0
    for i in range(x):
        total += i
    return total


def too_many_to_unpack(t):
    x, y = t
    return x + y


REFUSED += [
    Refused(slice_step, ARRAY, "step"),
    Refused(slice_backwards, ARRAY, "step"),
    Refused(slice_of_tuple_at_run_time, ((1.0, 2.0, 3.0), 1), "tuple"),
    Refused(index_by_list, ARRAY, "list"),
    Refused(index_by_array, (*ARRAY, ints(0, 1)), "index"),
    Refused(index_by_mask, (*ARRAY, bools(1, 0, 1)), "index"),
    Refused(index_by_comparison, ARRAY, "array"),
    Refused(index_by_ellipsis, (grid(2, 2),), "..."),
    Refused(index_by_newaxis, ARRAY, "None"),
    Refused(index_by_float, (*ARRAY, 1.0), "index"),
    Refused(index_by_quotient, (*ARRAY, 2), "index"),
    Refused(slice_by_float, (*ARRAY, 1.0), "slice"),
    Refused(index_by_truth_value, (*ARRAY, 1.0), "index"),
    Refused(too_many_indices, ARRAY, "indices"),
    Refused(index_of_number, ONE, "index"),
    Refused(mixed_tuple_at_run_time, ((1, 2.5), 0), "tuple"),
    Refused(tuple_beyond_its_end, ((1.0, 2.0),), "tuple"),
    Refused(range_step_at_run_time, (2,), "step"),
    Refused(range_step_zero, (), "step"),
    Refused(range_of_float, ONE, "range"),
    Refused(too_many_to_unpack, ((1.0, 2.0, 3.0),), "unpack"),
]


# Arrays.


def array_arithmetic(a):
    b = 2.0 * a
    return b[0]


def arrays_added(a, b):
    c = a + b
    return c[0]


def array_negated(a):
    return (-a)[0]


def array_in_place(a):
    a += 1.0


def slice_in_place(a):
    a[1:] *= 2.0


def arrays_multiplied(A, a):
    return (A @ a)[0]


def arrays_compared(a, b):
    return len(a == b)


def array_as_condition(a):
    if a:
        return 1
    return 0


def function_of_an_array(a):
    return np.sqrt(a)[0]


def math_of_an_array(a):
    return math.sqrt(a)


def copy_of_an_array(a):
    return len(a.copy())


def transposed(A):
    return len(A.T)


def strided_reshaped(A):
    return len(A[:, 0].reshape(1, 3))


def strided_argument_reshaped(a):
    return len(a.reshape(1, 3))


def array_from_list():
    return np.array([1.0, 2.0])[0]


def allocated_by_run_time_size(n):
    return len(np.zeros(n))


def allocated_by_length(a):
    return len(np.zeros(len(a)))


def allocated_by_shape(A):
    return len(np.zeros(A.shape))


def allocated_of_another_type():
    return np.zeros(3, dtype=np.float32)[0]


@kernel
def workspace():
    a = np.zeros(3)
    return a


@kernel
def part_of_workspace(x):
    a = np.zeros(3)
    a[1] = x
    return x, a[1:]


def allocated_in_a_kernel_and_returned():
    return workspace()[0]


def part_allocated_in_a_kernel_and_returned(x):
    _, part = part_of_workspace(x)
    return part[0]


def allocated_and_returned():
    return np.zeros(3)


def argument_returned(a):
    return a


def row_returned(A):
    return A[0]


def array_in_a_tuple_returned(a):
    return 1.0, a[1:]


def constant_written():
    TABLE[0] = 1.0


def constant_written_through_a_name():
    part = TABLE[1:]
    part[0] = 1.0


@kernel
def clear(a):
    a[0] = 0.0


def constant_written_by_a_kernel():
    clear(TABLE)


def float32_argument(a):
    return a[0]


def array_of_complex(a):
    return a[0]


def number_and_array_meet(a, flag):
    x = 1.0
    if flag:
        x = a
    return x


def array_or_number_returned(a, flag):
    if flag:
        return a[0]
    return (a[0], 1.0)


def float_or_nothing_returned(x):
    if x > 0.0:
        return x


def dimensions_do_not_meet(a, A, flag):
    x = a if flag else A
    return len(x)


TABLE = np.array([1.0, 2.0])
REFUSED += [
    Refused(array_arithmetic, ARRAY, "array"),
    Refused(arrays_added, ARRAY * 2, "array"),
    Refused(array_negated, ARRAY, "array"),
    Refused(array_in_place, ARRAY, "array"),
    Refused(slice_in_place, ARRAY, "array"),
    Refused(arrays_multiplied, (grid(3, 3), *ARRAY), "@"),
    Refused(arrays_compared, ARRAY * 2, "array"),
    Refused(array_as_condition, ARRAY, "array"),
    Refused(function_of_an_array, ARRAY, "sqrt"),
    Refused(math_of_an_array, ARRAY, "array"),
    Refused(copy_of_an_array, ARRAY, "copy"),
    Refused(transposed, (grid(2, 3),), ".T"),
    Refused(strided_reshaped, (grid(3, 2),), "contiguous"),
    Refused(strided_argument_reshaped, (floats(*range(6))[::2],), "contiguous"),
    Refused(array_from_list, (), "array"),
    Refused(allocated_by_run_time_size, (3,), "allocat"),
    Refused(allocated_by_length, ARRAY, "allocat"),
    Refused(allocated_by_shape, (grid(2, 2),), "allocat"),
    Refused(allocated_of_another_type, (), "float32"),
    Refused(allocated_in_a_kernel_and_returned, (), "allocat"),
    Refused(part_allocated_in_a_kernel_and_returned, ONE, "allocat"),
    Refused(allocated_and_returned, (), "returns an array"),
    Refused(argument_returned, ARRAY, "returns an array"),
    Refused(row_returned, (grid(2, 2),), "returns an array"),
    Refused(array_in_a_tuple_returned, ARRAY, "returns an array"),
    Refused(constant_written, (), "constant"),
    Refused(constant_written_through_a_name, (), "constant"),
    Refused(constant_written_by_a_kernel, (), "constant"),
    Refused(float32_argument, (np.zeros(3, dtype=np.float32),), "float32"),
    Refused(array_of_complex, (np.zeros(3, dtype=np.complex128),), "complex"),
    Refused(number_and_array_meet, (*ARRAY, True), "array"),
    Refused(array_or_number_returned, (*ARRAY, True), "return"),
    Refused(float_or_nothing_returned, ONE, "return"),
    Refused(dimensions_do_not_meet, (*ARRAY, grid(2, 2), True), "dimension"),
]


# Bits of floats.


def float_shifted(x):
    return x << 1


def float_and_int(x, n):
    return x & n


def float_inverted(x):
    return ~x


REFUSED += [
    Refused(float_shifted, ONE, "<<"),
    Refused(float_and_int, (1.5, 3), "&"),
    Refused(float_inverted, ONE, "~"),
]


# What nobody promised.


def walrus(x):
    if (y := 2.0 * x) > 1.0:
        return y
    return -y


def annotated(x: float) -> float:
    y: float = 2.0 * x
    return y


def match_statement(n):
    match n:
        case 0:
            return 1.0
        case _:
            return 2.0


def tuples_joined(t):
    return (t + (1.0,))[2]


def tuples_compared(t):
    return t == (1.0, 2.0), t < (1.0, 3.0)


def tuple_repeated(x):
    return ((x, 1.0) * 2)[2]


def in_a_tuple(n):
    return n in (1, 2, 3), n not in (1, 2)


def enumerated(a):
    total = 0.0
    for i, x in enumerate(a):
        total += i * x
    return total


def zipped(a):
    total = 0.0
    for x, y in zip(a, a[1:]):
        total += x * y
    return total


def backwards(n):
    total = 0
    for i in reversed(range(n)):
        total = total * 10 + i
    return total


def summed(a):
    return sum(a)


def rounded(x):
    return round(x), round(2.5), round(-0.5)


def quotient_and_remainder(n):
    return divmod(n, 3)


def power_by_name(x):
    return pow(x, 2)


def largest_of_a_tuple(t):
    return max(t)


def largest_of_an_array(a):
    return max(a), min(a)


def loop_over_mixed_tuple():
    total = 0.0
    for x in (1, 2.5, True):
        total = total * 2.0 + x / 2
    return total


def loop_over_rows(A):
    total = 0.0
    for row in A:
        total = total * 2.0 + row[0]
    return total


def tuple_of_arrays(a):
    t = (a, a[1:])
    t[1][0] = 5.0
    return t[0][1], len(t[1])


def loop_over_tuple_of_arrays(a, b):
    for x in (a, b):
        x[0] = 5.0


def kernel_under_another_name(x):
    law = scaled
    return law(x, 2.0)


def kernel_by_condition(x):
    law = scaled if x > 0.0 else with_default_inside
    return law(x, 3.0)


def length_of_shape(A):
    return len(A.shape), A.ndim


def power_of_ints_at_run_time(n):
    return 2**n, n**n


def range_kept(n):
    r = range(n)
    total = 0
    for i in r:
        total += i
    return total


def broadcast_row_into_rows(A, a):
    A[0:2] = a


def row_from_tuple(A):
    A[0] = (1.0, 2.0)


def name_perhaps_not_assigned(x):
    if x > 0.0:
        y = 2.0
    return y


def constant_of_math():
    return math.e, math.tau


def comparison_by_identity(n):
    return (n > 1) is True


def string_that_is_not_used(x):
    "A docstring."
    "A second string, which does nothing."
    return x


RIGHT_OR_REFUSED = [
    Refused(walrus, ONE, ":="),
    Refused(slice_step_of_tuple, ((1.0, 2.0, 3.0),), "step"),
    Refused(annotated, ONE, "annot"),
    Refused(match_statement, (0,), "match"),
    Refused(tuples_joined, ((1.0, 2.0),), "tuple"),
    Refused(tuples_compared, ((1.0, 2.0),), "tuple"),
    Refused(tuple_repeated, ONE, "tuple"),
    Refused(in_a_tuple, (2,), " in "),
    Refused(enumerated, ARRAY, "enumerate"),
    Refused(zipped, ARRAY, "zip"),
    Refused(backwards, (4,), "range"),
    Refused(summed, ARRAY, "sum"),
    Refused(rounded, (3.5,), "round"),
    Refused(quotient_and_remainder, (-7,), "divmod"),
    Refused(power_by_name, (3.0,), "pow"),
    Refused(largest_of_a_tuple, ((1.0, 2.0),), "max"),
    Refused(largest_of_an_array, ARRAY, "max"),
    Refused(loop_over_mixed_tuple, (), "tuple"),
    Refused(loop_over_rows, (grid(2, 2),), "for"),
    Refused(tuple_of_arrays, ARRAY, "tuple"),
    Refused(loop_over_tuple_of_arrays, (floats(1), floats(2)), "tuple"),
    Refused(kernel_under_another_name, ONE, "scaled"),
    Refused(kernel_by_condition, ONE, "choice"),
    Refused(length_of_shape, (grid(2, 2),), "ndim"),
    Refused(power_of_ints_at_run_time, (3,), "**"),
    Refused(range_kept, (4,), "range"),
    Refused(broadcast_row_into_rows, (grid(3, 3), *ARRAY), "dimension"),
    Refused(row_from_tuple, (grid(2, 2),), "tuple"),
    Refused(name_perhaps_not_assigned, ONE, "assigned"),
    Refused(constant_of_math, (), "math"),
    Refused(comparison_by_identity, (2,), " is "),
    Refused(string_that_is_not_used, ONE, "string"),
]
