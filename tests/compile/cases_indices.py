"""Indices: a negative one counts from the end, however it came about. Arrays are contiguous and strided."""

from case import Case, bools, cube, floats, grid, int_grid, ints, layouts, matrix_layouts

from tegotae.compile import kernel

CASES: list[Case] = []
FIVE = floats(0.5, 1.5, 2.5, 3.5, 4.5)


def every_index(array):
    """Each index that a one-dimensional array takes, with the array in every layout."""
    return [(given, i) for given in layouts(array) for i in range(-len(array), len(array))]


# Indices given as arguments and as literals.


def element(a, i):
    return a[i]


def element_written(a, i):
    a[i] = -0.0


def first_and_last(a):
    return a[0], a[-1], a[1], a[-2]


def first_and_last_written(a):
    a[0] = 9.0
    a[-1] = -9.0


def element_of_matrix(A, i, j):
    return A[i, j]


def element_of_row_of_matrix(A, i, j):
    return A[i][j]


def element_of_cube(A, i, j, k):
    return A[i, j, k], A[i][j][k], A[i, j][k], A[i][j, k]


def element_of_matrix_written(A, i, j):
    A[i, j] = 100.0
    A[j][i] = 200.0


def corners(A):
    return A[0, 0], A[0, -1], A[-1, 0], A[-1, -1]


CASES += [
    Case(element, every_index(FIVE)),
    Case(element, every_index(ints(1, -2, 3))),
    Case(element, every_index(bools(True, False, False))),
    Case(element_written, every_index(FIVE)),
    Case(first_and_last, [(a,) for a in layouts(FIVE)] + [(ints(4, 5),)]),
    Case(first_and_last_written, [(a,) for a in layouts(FIVE)] + [(floats(1),)]),
    *[
        Case(function, [(A, i, j) for A in matrix_layouts(grid(3, 4)) for i in range(-3, 3) for j in range(-4, 4)])
        for function in (element_of_matrix, element_of_row_of_matrix)
    ],
    Case(
        element_of_cube,
        [(A, i, j, k) for A in (cube(2, 3, 4), cube(4, 3, 2).T) for i in (0, -1) for j in (2, -3) for k in (-4, 1)],
    ),
    Case(
        element_of_matrix_written, [(A, i, j) for A in matrix_layouts(grid(3, 3)) for i in (0, -1, 2) for j in (-3, 1)]
    ),
    Case(corners, [(A,) for A in matrix_layouts(grid(3, 4))] + [(grid(1, 1),), (int_grid(2, 2),)]),
]


# An index that cannot be seen to be negative, but is.


def one_before_each(a):
    total = 0.0
    for i in range(len(a)):
        total = total * 2.0 + a[i - 1]
    return total


def counted_down_past_zero(a):
    i = 0
    total = 0.0
    for _ in range(len(a)):
        i -= 1
        total = total * 2.0 + a[i]
    return total


def set_to_zero_and_lowered(a, turns):
    i = 0
    for _ in range(turns):
        i = i - 1
    return a[i]


def range_from_below_zero(a):
    total = 0.0
    for i in range(-len(a), len(a)):
        total = total * 2.0 + a[i]
    return total


def range_down_past_zero(a):
    total = 0.0
    for i in range(len(a) - 1, -len(a) - 1, -1):
        total = total * 2.0 + a[i]
    return total


def index_less_length(a, i):
    return a[i - len(a)]


def complement_counts_from_the_end(a):
    total = 0.0
    for i in range(len(a)):
        total = total * 2.0 + a[~i]
    return total


def negated_index(a):
    total = 0.0
    for i in range(len(a)):
        total = total * 2.0 + a[-i]
    return total


def difference_of_loop_variables(a):
    total = 0.0
    for i in range(len(a)):
        for j in range(len(a)):
            total = total * 1.5 + a[i - j]
    return total


def product_with_minus_one(a, i):
    return a[i * -1], a[-1 * i]


def quotient_below_zero(a, i):
    return a[i // -2], a[-i // 2]


def remainder_below_zero(a, i):
    return a[i % -3], a[i % 3]


def bits_below_zero(a, i):
    return a[i ^ -1], a[i | -2], a[i & -1], a[-4 >> i]


def smaller_than_zero(a, i):
    return a[min(i, -1)], a[max(i - 9, -2)], a[max(i - 9, 0)]


def minus_one_if(a, i, flag):
    return a[i if flag else -1]


def minus_one_in_a_branch(a, i, flag):
    k = i
    if flag:
        k = -1
    return a[k]


def truncated_below_zero(a, x):
    return a[int(x)]


def index_less_truth_value(a, x):
    return a[0 - (x > 0.0)]


def copy_of_loop_variable_lowered(a):
    total = 0.0
    for i in range(len(a)):
        j = i
        j -= 2
        total = total * 2.0 + a[j]
    return total


def loop_variable_lowered(a):
    total = 0.0
    for i in range(len(a)):
        i -= 1
        total = total * 2.0 + a[i]
    return total


def lowered_in_inner_loop(a):
    k = 3
    total = 0.0
    for _ in range(2):
        while k > -3:
            total = total * 2.0 + a[k]
            k = k - 1
    return total


def swapped_with_negative(a):
    i, j = 0, -1
    for _ in range(3):
        i, j = j, i
    return a[i], a[j]


def from_unpacked_tuple(a):
    pair = (1, -2)
    i, j = pair
    return a[i], a[j], a[pair[1]]


def length_of_empty_less_one(a, empty):
    return a[len(empty) - 1], a[empty.size - 2]


CASES += [
    *[
        Case(function, [(a,) for a in layouts(FIVE)])
        for function in (
            one_before_each,
            counted_down_past_zero,
            range_from_below_zero,
            range_down_past_zero,
            complement_counts_from_the_end,
            negated_index,
            difference_of_loop_variables,
            copy_of_loop_variable_lowered,
            loop_variable_lowered,
            lowered_in_inner_loop,
            swapped_with_negative,
            from_unpacked_tuple,
        )
    ],
    Case(one_before_each, [(floats(),)]),
    Case(set_to_zero_and_lowered, [(FIVE, 0), (FIVE, 1), (FIVE, 5)]),
    *[
        Case(function, [(FIVE, i) for i in range(4)])
        for function in (
            index_less_length,
            product_with_minus_one,
            quotient_below_zero,
            remainder_below_zero,
            bits_below_zero,
            smaller_than_zero,
        )
    ],
    *[
        Case(function, [(FIVE, 2, True), (FIVE, 2, False), (FIVE, -3, True), (FIVE, -3, False)])
        for function in (minus_one_if, minus_one_in_a_branch)
    ],
    Case(truncated_below_zero, [(FIVE, -0.5), (FIVE, -1.0), (FIVE, 3.9), (FIVE, -4.9)]),
    Case(index_less_truth_value, [(FIVE, 1.0), (FIVE, -1.0)]),
    Case(length_of_empty_less_one, [(FIVE, floats())]),
]


# Indices out of arrays, and indices handed to kernels.


def parents(S, parent, out):
    for b in range(len(parent)):
        out[b] = S[parent[b]]


def chased(following, start, turns):
    place = start
    for _ in range(turns):
        place = following[place]
    return place


def scattered(a, where, out):
    for i in range(len(where)):
        out[where[i]] += a[i]


def index_of_index(a, n):
    return a[n[n[0]]], a[n[-1] - n[0]]


@kernel
def taken(a, i):
    return a[i]


@kernel
def place_before(i):
    return i - 1


def handed_on(a):
    return taken(a, 0), taken(a, -1), taken(a, place_before(0)), a[place_before(1)]


def handed_on_in_loop(a):
    total = 0.0
    for i in range(len(a)):
        total = total * 2.0 + taken(a, i) + taken(a, place_before(i)) * 0.5
    return total


CASES += [
    Case(parents, [(FIVE, ints(-1, 0, 1, -5, 4), floats(*[0.0] * 5)), (FIVE, ints(), floats())]),
    Case(chased, [(ints(2, -1, 1, 0, -4), 0, 7), (ints(2, -1, 1, 0, -4), -1, 0), (ints(-1), 0, 3)]),
    Case(scattered, [(FIVE, ints(0, -1, 0, -3, 2), floats(0, 0, 0)), (FIVE[::2], ints(1, 1, -1), floats(0, 0, 0))]),
    Case(index_of_index, [(FIVE, ints(1, -2, 0)), (FIVE, ints(-1, 4, 2))]),
    Case(handed_on, [(a,) for a in layouts(FIVE)]),
    Case(handed_on_in_loop, [(a,) for a in layouts(FIVE)]),
]


# Elements changed in place.


def every_augmented_element(a, x):
    a[0] += x
    a[1] -= x
    a[-1] *= x
    a[-2] /= x
    a[2] **= 2


def augmented_int_elements(n):
    n[0] += 3
    n[1] //= 2
    n[2] %= 3
    n[-1] <<= 2
    n[-2] ^= 5
    n[-3] -= n[0]


def augmented_element_of_matrix(A, i, j):
    A[i, j] += A[j, i]
    A[j][i] *= 2.0
    A[-1, -1] -= A[i][j]


def augmented_where_the_index_is_an_expression(a, n):
    a[n[0] - 1] += a[n[1]]
    a[-n[0]] *= 0.5


def float_into_int_array(n, x):
    n[0] = x
    n[1] += x
    n[2] /= 2
    n[3] *= x


def int_and_bool_into_float_array(a, n, p):
    a[0] = n
    a[1] = p
    a[2] += n
    a[3] -= p


def numbers_into_bool_array(flags, n, x):
    flags[0] = n
    flags[1] = x
    flags[2] = x > 1.0
    flags[3] = not flags[2]


CASES += [
    Case(every_augmented_element, [(a, x) for a in layouts(FIVE) for x in (2.0, -0.25)]),
    Case(augmented_int_elements, [(a,) for a in layouts(ints(7, -7, -8, 9, -10, 11))]),
    Case(
        augmented_element_of_matrix, [(A, i, j) for A in matrix_layouts(grid(3, 3)) for i in (0, -1) for j in (1, -2)]
    ),
    Case(augmented_where_the_index_is_an_expression, [(FIVE, ints(1, -1)), (FIVE, ints(3, 2))]),
    Case(float_into_int_array, [(ints(1, 2, 3, 4), 2.7), (ints(1, 2, -3, 4), -2.7), (ints(0, 0, -1, 0), -0.5)]),
    Case(int_and_bool_into_float_array, [(floats(1, 2, 3, 4), -3, True), (floats(1, 2, 3, 4), 0, False)]),
    Case(
        numbers_into_bool_array, [(bools(0, 0, 0, 0), n, x) for n in (0, 2, 256, -1) for x in (0.0, 0.5, float("nan"))]
    ),
]


# Indices that are choices, comparisons and bits: in C these bind more loosely than the sums around them.


def index_by_max_and_min(A, i, j):
    A[max(i, j), min(i, j)] += 1.0
    return A[min(i, j), max(i, j)], A[max(i, j)][min(i, j)]


def index_by_choice(A, i):
    return A[1, 0 if i > 1 else 1], A[0 if i > 1 else 1, 1], A[0 if i > 1 else 1][1]


def index_by_comparison(A, x):
    return A[1, int(x > 0.5)], A[int(x > 0.5), 1], A[1, int(x > 0.5) + 1]


def index_by_bits(A, i):
    return A[1, i & 1], A[i | 1, 1], A[1, (i ^ 1) & 1], A[(i >> 1) & 1, 1]


def slice_by_choice(A, i):
    rows = A[0 if i > 1 else 1 :, 1]
    return rows[0], len(rows), A[1, 0 if i > 1 else 1 :][0]


CASES += [
    Case(index_by_max_and_min, [(grid(3, 3), i, j) for i in range(3) for j in range(3)]),
    Case(index_by_choice, [(grid(2, 3), i) for i in (0, 1, 2)]),
    Case(index_by_comparison, [(grid(2, 3), x) for x in (0.0, 1.0)]),
    Case(index_by_bits, [(grid(2, 3), i) for i in (0, 1)]),
    Case(slice_by_choice, [(grid(2, 3), i) for i in (0, 1, 2)]),
]
