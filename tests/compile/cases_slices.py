"""Slices without a step are views: bounds are clipped as Python clips them, and what is written goes through."""

from case import Case, cube, floats, grid, int_grid, ints, layouts, matrix_layouts

from tegotae.compile import kernel

CASES: list[Case] = []
FOUR = floats(0.5, 1.5, 2.5, 3.5)
BOUNDS = [-9, -5, -4, -3, -1, 0, 1, 2, 4, 5, 9]


@kernel
def weighed(a):
    """Tells both the values and their order."""
    total = 0.0
    for i in range(len(a)):
        total = total * 2.0 + a[i]
    return total


@kernel
def weighed_matrix(A):
    total = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            total = total * 1.5 + A[i, j]
    return total


@kernel
def numbered(a):
    """Writes 10.0, 11.0, 12.0, ... into the array."""
    for i in range(len(a)):
        a[i] = 10.0 + i


# One dimension.


def between(a, low, high):
    part = a[low:high]
    return len(part), weighed(part)


def from_(a, low):
    return len(a[low:]), weighed(a[low:])


def up_to(a, high):
    return len(a[:high]), weighed(a[:high])


def all_of_it(a):
    return len(a[:]), weighed(a[:])


def literal_bounds(a):
    return weighed(a[1:3]), weighed(a[-3:-1]), weighed(a[:-1]), weighed(a[1:]), weighed(a[-2:]), weighed(a[:2])


def literal_bounds_beyond(a):
    return len(a[2:100]), len(a[-100:1]), len(a[100:]), len(a[:-100]), len(a[3:1])


def expressions_as_bounds(a, n):
    part = a[n // 2 - 1 : len(a) - n + 1]
    return len(part), weighed(part)


def moving_window(a, width):
    total = 0.0
    for i in range(len(a)):
        total = total * 1.5 + weighed(a[i : i + width]) - weighed(a[max(i - width, 0) : i])
    return total


def wraps_in_a_window(a):
    total = 0.0
    for i in range(len(a)):
        total = total * 1.5 + weighed(a[i - 2 : i])  # for i = 1 this is a[-1:1]
    return total


def element_of_slice(a, low, i):
    part = a[low:]
    return part[i], part[-1], part[0]


def size_and_shape_of_slice(a, low, high):
    part = a[low:high]
    return part.size, part.shape[0], len(part)


CASES += [
    Case(between, [(a, low, high) for a in layouts(FOUR) for low in BOUNDS for high in BOUNDS]),
    Case(between, [(floats(), low, high) for low in (-1, 0, 1) for high in (-1, 0, 1)]),
    *[Case(function, [(a, n) for a in (*layouts(FOUR), floats()) for n in BOUNDS]) for function in (from_, up_to)],
    Case(all_of_it, [(a,) for a in (*layouts(FOUR), floats())]),
    Case(literal_bounds, [(a,) for a in (*layouts(FOUR), floats(), floats(7), ints(1, 2, 3))]),
    Case(literal_bounds_beyond, [(a,) for a in (*layouts(FOUR), floats(), ints(1))]),
    Case(expressions_as_bounds, [(FOUR, n) for n in range(-3, 6)]),
    Case(moving_window, [(a, width) for a in layouts(FOUR) for width in (0, 1, 3, 9)]),
    Case(wraps_in_a_window, [(a,) for a in layouts(FOUR)]),
    Case(element_of_slice, [(a, low, i) for a in layouts(FOUR) for low in (0, 1, -2, -9) for i in (0, -1, 1)]),
    Case(size_and_shape_of_slice, [(FOUR, low, high) for low in BOUNDS for high in BOUNDS]),
]


# Slices of slices, and slices that outlive the name they were cut from.


def slice_of_slice(a, low, high):
    outer = a[1:]
    inner = outer[low:high]
    return len(inner), weighed(inner)


def slice_of_slice_at_once(a):
    return weighed(a[1:][1:]), weighed(a[:-1][:-1]), weighed(a[1:-1][:1]), len(a[2:][2:][2:])


def shrinking(a):
    total = 0.0
    while len(a) > 0:
        total = total * 1.5 + weighed(a)
        a = a[1:]
    return total


def halves(a):
    low, high = a[: len(a) // 2], a[len(a) // 2 :]
    return weighed(low), weighed(high)


def written_through_slice(a, low, high):
    part = a[low:high]
    for i in range(len(part)):
        part[i] = -part[i]
    numbered(part[1:])


def written_through_slice_of_slice(a):
    a[1:][1:][0] = 100.0
    part = a[:-1]
    part[-1] += 7.0


def read_after_written_through(a):
    part = a[1:3]
    part[0] = 50.0
    before = a[1]
    a[2] = 60.0
    return before, part[1]


def handed_to_a_kernel(a, low):
    numbered(a[low:])
    return a[-1]


CASES += [
    Case(slice_of_slice, [(a, low, high) for a in layouts(FOUR) for low in BOUNDS for high in (-1, 1, 2, 9)]),
    Case(slice_of_slice_at_once, [(a,) for a in (*layouts(FOUR), floats(1))]),
    Case(shrinking, [(a,) for a in (*layouts(FOUR), floats())]),
    Case(halves, [(a,) for a in (*layouts(FOUR), floats(1, 2, 3), floats())]),
    Case(written_through_slice, [(a, low, high) for a in layouts(FOUR) for low in (0, 1, -2) for high in (9, -1, 0)]),
    *[
        Case(function, [(a,) for a in layouts(FOUR)])
        for function in (written_through_slice_of_slice, read_after_written_through)
    ],
    Case(handed_to_a_kernel, [(a, low) for a in layouts(FOUR) for low in (0, 2, 4, -1, -9)]),
]


# Two and three dimensions.


def row(A, i):
    return weighed(A[i]), len(A[i])


def row_with_colon(A, i):
    return weighed(A[i, :]), len(A[i, :])


def column(A, j):
    return weighed(A[:, j]), len(A[:, j])


def rows_between(A, low, high):
    part = A[low:high]
    return part.shape[0], part.shape[1], weighed_matrix(part)


def columns_between(A, low, high):
    part = A[:, low:high]
    return part.shape[0], part.shape[1], weighed_matrix(part)


def block(A, i, j):
    part = A[i : i + 2, j : j + 2]
    return part.shape[0], part.shape[1], part.size, weighed_matrix(part)


def part_of_row(A, i, low, high):
    return weighed(A[i, low:high]), weighed(A[i][low:high]), weighed(A[low:high, i])


def row_of_block(A, i):
    return weighed(A[1:][i]), weighed(A[:, 1:][i]), weighed(A[1:, 1:][i, :]), A[1:, 1:][i, i]


def layer(A, i):
    return weighed_matrix(A[i]), weighed_matrix(A[:, i]), weighed_matrix(A[:, :, i])


def line_through_cube(A, i, j):
    return weighed(A[i, j]), weighed(A[i, :, j]), weighed(A[:, i, j]), weighed(A[i][:, j])


def box_in_cube(A):
    part = A[:, 1:, :-1]
    return part.shape[0], part.shape[1], part.shape[2], weighed_matrix(part[-1])


def written_through_row(A, i):
    row = A[i]
    row[0] = 100.0
    numbered(A[-1, 1:])
    return A[i, 0]


def written_through_column(A, j):
    column = A[:, j]
    column[-1] = 100.0
    column[0] += column[-1]
    numbered(A[:, 0])


def written_through_block(A):
    part = A[1:, :-1]
    part[0, 0] = -1.0
    part[-1, -1] = -2.0
    numbered(part[:, 1])


def empty_parts(A):
    return A[1:1].size, A[:, 5:].size, A[:, 5:].shape[0], A[5:].shape[1], len(A[5:])


INDICES = (0, 1, -1)
CASES += [
    *[
        Case(function, [(A, i) for A in matrix_layouts(grid(3, 4)) for i in INDICES])
        for function in (row, row_with_colon, column)
    ],
    *[
        Case(
            function,
            [(A, low, high) for A in matrix_layouts(grid(3, 4)) for low in (-9, -2, 0, 1, 5) for high in (-1, 0, 2, 9)],
        )
        for function in (rows_between, columns_between)
    ],
    Case(block, [(A, i, j) for A in matrix_layouts(grid(3, 4)) for i in (-2, 0, 2) for j in (0, 1, 3, 4)]),
    Case(
        part_of_row,
        [(A, i, low, high) for A in matrix_layouts(grid(3, 4)) for i in INDICES for low, high in ((0, 2), (-2, 9))],
    ),
    Case(row_of_block, [(A, i) for A in matrix_layouts(grid(3, 4)) for i in INDICES]),
    Case(row, [(int_grid(2, 3), 1)]),
    Case(layer, [(A, i) for A in (cube(2, 3, 4), cube(4, 3, 2).T, cube(2, 3, 8)[:, :, ::2]) for i in INDICES]),
    Case(line_through_cube, [(A, i, j) for A in (cube(2, 3, 4), cube(4, 3, 2).T) for i in INDICES for j in INDICES]),
    Case(box_in_cube, [(cube(2, 3, 4),), (cube(4, 3, 2).T,), (cube(1, 1, 1),)]),
    *[
        Case(function, [(A, i) for A in matrix_layouts(grid(3, 4)) for i in INDICES])
        for function in (written_through_row, written_through_column)
    ],
    Case(written_through_block, [(A,) for A in matrix_layouts(grid(3, 4))]),
    Case(empty_parts, [(A,) for A in (*matrix_layouts(grid(3, 4)), grid(0, 4), grid(3, 0))]),
]
