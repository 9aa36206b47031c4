"""Whole rows, columns and blocks filled with a number or copied from another array, also onto themselves."""

from case import INF, NAN, Case, bools, cube, floats, grid, int_grid, ints, layouts, matrix_layouts

CASES: list[Case] = []
FIVE = floats(0.5, 1.5, 2.5, 3.5, 4.5)


# Filled with a number.


def whole_array_filled(a, x):
    a[:] = x


def part_filled(a, low, high):
    a[low:high] = -0.0


def rows_filled(A):
    A[1:3] = 0.0


def one_row_filled(A, i):
    A[i] = 7.0


def one_column_filled(A, j):
    A[:, j] = 7.0


def block_filled(A, i, j):
    A[i:, :j] = 7.0


def part_of_row_filled(A, i, low):
    A[i, low:] = 7.0


def layer_filled(A, i):
    A[i] = 1.0
    A[:, i] = 2.0
    A[:, :, i] = 3.0


def filled_with_int_and_bool(a, n, p):
    a[:2] = n
    a[2:] = p


def int_array_filled_with_float(n, x):
    n[:] = x


def bool_array_filled(flags, n):
    flags[1:] = n


def filled_with_own_element(a):
    a[:] = a[1]


def filled_through_a_name(a):
    part = a[1:-1]
    part[:] = 8.0


CASES += [
    Case(whole_array_filled, [(a, x) for a in (*layouts(FIVE), floats()) for x in (NAN, -0.0, INF)]),
    Case(part_filled, [(a, low, high) for a in layouts(FIVE) for low in (-9, -2, 0, 3) for high in (-1, 2, 9)]),
    Case(rows_filled, [(A,) for A in (*matrix_layouts(grid(4, 3)), grid(2, 2), grid(0, 2), int_grid(3, 2))]),
    *[
        Case(function, [(A, i) for A in matrix_layouts(grid(3, 4)) for i in (0, -1, 2)])
        for function in (one_row_filled, one_column_filled)
    ],
    *[
        Case(function, [(A, i, j) for A in matrix_layouts(grid(3, 4)) for i in (0, -1, 1) for j in (0, 2, -1)])
        for function in (block_filled, part_of_row_filled)
    ],
    Case(layer_filled, [(A, i) for A in (cube(2, 3, 4), cube(4, 3, 2).T) for i in (0, -1)]),
    Case(filled_with_int_and_bool, [(a, n, p) for a in layouts(FIVE) for n in (-3, 2**40) for p in (True, False)]),
    Case(int_array_filled_with_float, [(ints(1, 2, 3), x) for x in (2.9, -2.9, 0.0)]),
    Case(bool_array_filled, [(a, n) for a in layouts(bools(0, 1, 0, 1)) for n in (0, 1, 2, 256)]),
    Case(filled_with_own_element, [(a,) for a in layouts(FIVE)]),
    Case(filled_through_a_name, [(a,) for a in layouts(FIVE)]),
]


# Copied from another array.


def copied(a, b):
    a[:] = b


def part_copied(a, b):
    a[1:3] = b[2:4]


def row_from_row(A, B, i, j):
    A[i] = B[j]


def row_from_vector(A, b, i):
    A[i, :] = b


def column_from_vector(A, b, k):
    A[:, k] = b


def column_from_row(A, B, k):
    A[:, k] = B[k]


def vector_from_column(a, B, k):
    a[:] = B[:, k]


def block_copied(A, B):
    A[1:, :2] = B[:-1, 1:]


def matrix_copied(A, B):
    A[:] = B
    A[0, 0] = 100.0


def matrix_copied_with_two_colons(A, B):
    A[:, :] = B


def layer_copied(A, B):
    A[1] = B
    A[0, 1] = B[-1]


def ints_copied_to_floats(a, n):
    a[:] = n


def floats_copied_to_ints(n, a):
    n[:] = a


def numbers_copied_to_bools(flags, n):
    flags[:] = n


def bools_copied_to_ints(n, flags):
    n[:] = flags


def copied_then_changed(a, b):
    a[:] = b
    b[0] = 77.0
    return a[0]


SMALLER = [(A, B) for A in matrix_layouts(grid(3, 3)) for B in matrix_layouts(-grid(3, 3))]
CASES += [
    Case(
        copied, [(a, b) for a in layouts(FIVE) for b in layouts(floats(NAN, -0.0, INF, 1, 2))] + [(floats(), floats())]
    ),
    Case(part_copied, [(a, b) for a in layouts(FIVE) for b in layouts(-FIVE)]),
    Case(row_from_row, [(A, B, i, j) for A, B in SMALLER for i in (0, -1) for j in (1, -3)]),
    *[
        Case(
            function, [(A, b, k) for A in matrix_layouts(grid(3, 3)) for b in layouts(floats(7, 8, 9)) for k in (1, -1)]
        )
        for function in (row_from_vector, column_from_vector)
    ],
    Case(column_from_row, [(A, B, k) for A, B in SMALLER for k in (0, -1)]),
    Case(vector_from_column, [(floats(0, 0, 0), B, k) for B in matrix_layouts(grid(3, 3)) for k in (0, -1)]),
    *[Case(function, SMALLER) for function in (block_copied, matrix_copied, matrix_copied_with_two_colons)],
    Case(layer_copied, [(A, B) for A in (cube(2, 3, 4), cube(4, 3, 2).T) for B in matrix_layouts(-grid(3, 4))]),
    Case(ints_copied_to_floats, [(floats(0, 0, 0), n) for n in layouts(ints(1, -2, 2**53))]),
    Case(floats_copied_to_ints, [(ints(0, 0, 0), a) for a in layouts(floats(1.9, -1.9, -0.0))]),
    Case(numbers_copied_to_bools, [(bools(0, 0, 0), ints(0, 2, 256)), (bools(1, 1, 1), floats(0.5, NAN, -0.0))]),
    Case(bools_copied_to_ints, [(ints(5, 6, 7), a) for a in layouts(bools(True, False, True))]),
    Case(copied_then_changed, [(a, floats(5, 4, 3, 2, 1)) for a in layouts(FIVE)]),
]


# Copied onto itself: as if all of it were read before any of it is written.


def shifted_up(a):
    a[1:] = a[:-1]


def shifted_down(a):
    a[:-1] = a[1:]


def shifted_through_names(a):
    low, high = a[:-2], a[2:]
    high[:] = low


def copied_between_two_arguments(a, b):
    a[:] = b


def rows_shifted_up(A):
    A[1:] = A[:-1]


def rows_shifted_down(A):
    A[:-1] = A[1:]


def columns_shifted(A):
    A[:, 1:] = A[:, :-1]


def block_shifted_both_ways(A):
    A[1:, :-1] = A[:-1, 1:]


def row_onto_itself(A):
    A[1] = A[1]


def row_into_column(A):
    A[:, 0] = A[0]


def column_into_row(A):
    A[-1] = A[:, -1]


BUFFER = floats(1, 2, 3, 4, 5, 6)
CASES += [
    *[
        Case(function, [(a,) for a in (*layouts(FIVE), ints(1, 2, 3, 4))])
        for function in (shifted_up, shifted_down, shifted_through_names)
    ],
    Case(copied_between_two_arguments, [(BUFFER[1:], BUFFER[:-1]), (BUFFER[:-1], BUFFER[1:]), (BUFFER, BUFFER[::-1])]),
    *[
        Case(function, [(A,) for A in (*matrix_layouts(grid(3, 3)), int_grid(3, 3))])
        for function in (
            rows_shifted_up,
            rows_shifted_down,
            columns_shifted,
            block_shifted_both_ways,
            row_onto_itself,
            row_into_column,
            column_into_row,
        )
    ],
]


# Swapped. Elements are numbers and change places; rows are views, and the second one is read after the first is lost.


def elements_swapped(a, i, j):
    a[i], a[j] = a[j], a[i]


def three_elements_turned(a):
    a[0], a[1], a[2] = a[1], a[2], a[0]


def elements_of_matrix_swapped(A):
    A[0, 1], A[1, 0] = A[1, 0], A[0, 1]


def element_and_number_swapped(a, x):
    a[0], x = x, a[0]
    return x


def rows_swapped_are_both_the_second(A):
    A[0], A[1] = A[1], A[0]


def rows_swapped_element_by_element(A):
    for j in range(A.shape[1]):
        A[0, j], A[-1, j] = A[-1, j], A[0, j]


def index_assigned_before_it_is_used(a, i):
    i, a[i] = 1, 50.0
    return i


def element_assigned_before_its_index(a, i):
    a[i], i = 50.0, 1
    return i


def element_is_its_own_index(n):
    n[0], n[n[0]] = 2, 7


def chained_targets_go_from_the_left(a, i):
    i = a[i] = 2
    return i


def one_value_for_many_elements(a, x):
    a[0] = a[-1] = y = x * 2.0
    return y


CASES += [
    Case(elements_swapped, [(a, i, j) for a in layouts(FIVE) for i in (0, -1) for j in (2, -1)]),
    Case(three_elements_turned, [(a,) for a in (*layouts(FIVE), ints(1, 2, 3))]),
    *[
        Case(function, [(A,) for A in matrix_layouts(grid(3, 3))])
        for function in (
            elements_of_matrix_swapped,
            rows_swapped_are_both_the_second,
            rows_swapped_element_by_element,
        )
    ],
    Case(element_and_number_swapped, [(a, -0.0) for a in layouts(FIVE)]),
    *[
        Case(function, [(a, i) for a in layouts(FIVE) for i in (0, -1)])
        for function in (
            index_assigned_before_it_is_used,
            element_assigned_before_its_index,
            chained_targets_go_from_the_left,
        )
    ],
    Case(element_is_its_own_index, [(ints(1, 5, 6),), (ints(0, 5, 6),)]),
    Case(one_value_for_many_elements, [(a, x) for a in layouts(FIVE) for x in (1.5, NAN)]),
]
