"""Arrays as a whole: sizes, other shapes of the same memory, loops over elements, and arrays that are one another."""
# ruff: noqa: SIM108, SIM113

import math

from case import INF, NAN, Case, bools, cube, floats, grid, int_grid, ints, layouts, matrix_layouts

from tegotae.compile import kernel

CASES: list[Case] = []
THREE = floats(0.5, -0.0, 2.5)


# Sizes.


def length_and_size(a):
    return len(a), a.size, a.shape[0]


def shape_of_matrix(A):
    return len(A), A.size, A.shape[0], A.shape[1], A.shape[-1], len(A[0])


def shape_unpacked(A):
    rows, columns = A.shape
    return rows * 10 + columns


def shape_of_cube_unpacked(A):
    _, rows, columns = A.shape
    return rows, columns, A.size


def shape_as_tuple(A):
    shape = A.shape
    return shape[0], shape, len(shape)


def shape_is_a_float_here(A):
    return A.shape[0] / A.shape[1], 1.0 * len(A)


def length_less_more_than_it_is(a):
    return len(a) - 5, (len(a) - 5) // 2, (len(a) - 5) % 3


CASES += [
    Case(length_and_size, [(a,) for a in (*layouts(THREE), floats(), ints(1, 2), bools(True))]),
    Case(shape_of_matrix, [(A,) for A in (*matrix_layouts(grid(2, 3)), int_grid(4, 1), grid(2, 0))]),
    Case(shape_unpacked, [(A,) for A in (*matrix_layouts(grid(2, 3)), grid(0, 3))]),
    Case(shape_of_cube_unpacked, [(cube(2, 3, 4),), (cube(2, 3, 4).T,), (cube(2, 0, 4),)]),
    Case(shape_as_tuple, [(grid(2, 3),), (cube(2, 3, 4)[1],)]),
    Case(shape_is_a_float_here, [(grid(2, 3),), (grid(0, 3),)]),
    Case(length_less_more_than_it_is, [(floats(),), (THREE,), (floats(*range(9)),)]),
]


# The same memory in another shape.


def reshaped_to_matrix(a):
    A = a.reshape(2, 3)
    A[1, 0] = 100.0
    return A[0, 2], A[-1, -1], A.shape[0]


def reshaped_by_tuple(a):
    A = a.reshape((3, 2))
    A[-1] = 0.0
    return A[0, 1]


def reshaped_by_numbers_at_run_time(a, rows):
    A = a.reshape(rows, len(a) // rows)
    total = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            total = total * 1.5 + A[i, j]
    return total


def flattened(A):
    a = A.reshape(A.size)
    a[-1] = 9.0
    total = 0.0
    for i in range(len(a)):
        total = total * 1.5 + a[i]
    return total


def slice_reshaped(a):
    A = a[1:7].reshape(3, 2)
    A[0, 1] = 9.0
    return A[2, 1]


def slice_reshaped_from_a_place_at_run_time(a, i):
    A = a[i : i + 4].reshape((2, 2))
    A[1, 0] = 9.0
    return A[0, 1], A[1, 1]


def slice_reshaped_from_the_end(a):
    A = a[-4:].reshape(2, 2)
    A[0, 0] = 9.0
    return A[1, 1]


def slice_with_a_known_extent(a):
    b = a[2:5].reshape((3,))
    b[-1] = 9.0
    total = 0.0
    for j in range(b.shape[0]):
        total = total * 1.5 + b[j]
    return total


def column_with_a_known_extent(A):
    b = A[:, 1][1:3].reshape((2,))
    b[1] = 9.0
    return b[0], b.shape[0]


def row_reshaped(A):
    B = A[1].reshape(2, 2)
    B[1, 0] = 9.0
    return B[0, 1]


def reshaped_to_cube(a):
    A = a.reshape(2, 2, 2)
    A[1, 0] = -1.0
    return A[0, 1, 1], A[1, 1, 0]


CASES += [
    Case(reshaped_to_matrix, [(floats(*range(6)),)]),
    Case(reshaped_by_tuple, [(floats(*range(6)),)]),
    Case(reshaped_by_numbers_at_run_time, [(floats(*range(6)), rows) for rows in (1, 2, 3, 6)]),
    Case(flattened, [(grid(2, 3),), (grid(1, 1),)]),
    Case(slice_reshaped, [(floats(*range(8)),)]),
    Case(slice_reshaped_from_a_place_at_run_time, [(floats(*range(8)), 2), (floats(*range(8)), -6)]),
    Case(slice_reshaped_from_the_end, [(floats(*range(8)),)]),
    Case(slice_with_a_known_extent, [(floats(*range(8)),)]),
    Case(column_with_a_known_extent, [(A,) for A in matrix_layouts(grid(4, 3))]),
    Case(row_reshaped, [(grid(3, 4),)]),
    Case(reshaped_to_cube, [(floats(*range(8)),)]),
]


# Loops over elements.


def sum_over(a):
    total = 0.0
    for x in a:
        total = total * 2.0 + x
    return total


def count_over_bools(flags):
    count = 0
    for flag in flags:
        if flag:
            count += 1
    return count


def indices_from_array(a, where):
    total = 0.0
    for i in where:
        total = total * 2.0 + a[i]
    return total


def loop_over_slice(a):
    total = 0.0
    for x in a[1:-1]:
        total = total * 2.0 + x
    return total


def loop_over_row(A):
    total = 0.0
    for i in range(len(A)):
        for x in A[i]:
            total = total * 1.5 + x
    return total


def loop_that_writes_ahead(a):
    i = 0
    for x in a:
        if i + 1 < len(a):
            a[i + 1] += x
        i += 1


def loop_over_a_name_given_away(a, b):
    total = 0.0
    for x in a:
        total = total * 2.0 + x
        a = b
    return total, a[0]


def element_after_the_loop(a):
    x = -1.0
    for x in a:
        if x > 1.0:
            break
    return x


def nested_loop_over_the_same(a):
    total = 0.0
    for x in a:
        for y in a:
            total = total * 1.5 + x - 2.0 * y
    return total


def element_changed_is_not_the_array(a):
    for x in a:
        x += 1.0
        x = -x


CASES += [
    Case(sum_over, [(a,) for a in (*layouts(THREE), floats(), floats(NAN, INF), ints(1, -2, 3))]),
    Case(count_over_bools, [(a,) for a in (*layouts(bools(True, False, True)), bools())]),
    Case(indices_from_array, [(THREE, ints(0, -1, -3, 2)), (THREE, ints()), (THREE, ints(0, 1, 2)[::-1])]),
    Case(loop_over_slice, [(a,) for a in (*layouts(THREE), floats(), floats(1))]),
    Case(loop_over_row, [(A,) for A in (*matrix_layouts(grid(2, 3)), grid(0, 3), grid(3, 0))]),
    *[
        Case(function, [(a,) for a in (*layouts(THREE), floats())])
        for function in (
            loop_that_writes_ahead,
            element_after_the_loop,
            nested_loop_over_the_same,
            element_changed_is_not_the_array,
        )
    ],
    Case(loop_over_a_name_given_away, [(THREE, floats(7, 8, 9, 10)), (THREE, floats(1))]),
]


# Arrays that share memory: nothing is kept from before a write to the other.


def read_after_the_other_is_written(a, b):
    before = a[0]
    b[0] = before + 1.0
    return a[0], b[0], before


def running_sum_into(a, out):
    total = 0.0
    for i in range(len(out)):
        total += a[i]
        out[i] = total


def shifted_into(a, out):
    for i in range(len(out)):
        out[i] = a[i]


def two_names_of_one(a):
    b = a
    b[0] = 5.0
    a[1] = 6.0
    return a[0], b[1]


def row_and_matrix(A):
    row = A[1]
    A[1, 0] = 5.0
    row[1] = 6.0
    return row[0], A[1, 1]


@kernel
def write_first_read_second(a, b):
    a[0] = 42.0
    return b[0]


def same_array_twice(a):
    return write_first_read_second(a, a), write_first_read_second(a[1:], a)


def matrix_and_its_rows(A):
    return write_first_read_second(A[0], A[0, 1:]), write_first_read_second(A[1], A[1])


BUFFER = floats(1, 2, 3, 4, 5, 6)
CASES += [
    *[
        Case(function, [(BUFFER, BUFFER), (BUFFER[:5], BUFFER[1:]), (BUFFER[1:], BUFFER[:5]), (BUFFER[::-1], BUFFER)])
        for function in (read_after_the_other_is_written, running_sum_into, shifted_into)
    ],
    Case(two_names_of_one, [(a,) for a in layouts(THREE)]),
    Case(row_and_matrix, [(A,) for A in matrix_layouts(grid(2, 3))]),
    Case(same_array_twice, [(BUFFER,)]),
    Case(matrix_and_its_rows, [(grid(2, 3),)]),
]


# Names of arrays: which array a name stands for is decided at run time.


def names_swapped(a, b):
    a, b = b, a
    a[0] = 1.0
    b[0] = 2.0
    return a[1], b[1]


def old_and_new(a, b, turns):
    for _ in range(turns):
        for i in range(len(a)):
            b[i] = 0.5 * a[i] + 1.0
        a, b = b, a
    return a[0]


def one_or_the_other(a, b, flag):
    chosen = a if flag else b
    chosen[0] = 9.0
    return chosen[-1]


def one_or_the_other_in_branches(A, flag):
    if flag:
        line = A[0]
    else:
        line = A[:, 0]
    line[-1] = 9.0
    return len(line)


def walk_down_the_rows(A):
    row = A[0]
    total = 0.0
    for i in range(1, len(A)):
        total = total * 2.0 + row[i % len(row)]
        row = A[i]
    return total + row[0]


CASES += [
    Case(names_swapped, [(floats(1, 2), floats(3, 4))]),
    Case(old_and_new, [(floats(1, 2), floats(3, 4), turns) for turns in (0, 1, 4)]),
    Case(one_or_the_other, [(THREE, floats(1, 2), flag) for flag in (True, False)]),
    Case(one_or_the_other, [(THREE, grid(2, 3)[:, 1], flag) for flag in (True, False)]),
    Case(one_or_the_other_in_branches, [(A, flag) for A in matrix_layouts(grid(2, 3)) for flag in (True, False)]),
    Case(walk_down_the_rows, [(A,) for A in (*matrix_layouts(grid(3, 2)), grid(1, 1))]),
]


# Kernels that give back parts of what they were given.


@kernel
def row_of(A, i):
    return A[i]


@kernel
def both_ends(a):
    return a[:1], a[-1:]


@kernel
def longer(a, b):
    return a if len(a) > len(b) else b


def write_into_row_from_kernel(A):
    row = row_of(A, -1)
    row[0] = 5.0
    row_of(A, 0)[1] = 6.0
    return len(row)


def write_into_both_ends(a):
    low, high = both_ends(a)
    low[0] += 1.0
    high[0] *= 3.0


def write_into_the_longer(a, b):
    longer(a, b)[0] = -1.0


CASES += [
    Case(write_into_row_from_kernel, [(A,) for A in matrix_layouts(grid(2, 3))]),
    Case(write_into_both_ends, [(a,) for a in (*layouts(THREE), floats(1))]),
    Case(write_into_the_longer, [(THREE, floats(1)), (floats(1), THREE)]),
]


# Small algorithms, as kernels have them.


def bubble_sort(a):
    for i in range(len(a)):
        for j in range(len(a) - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]


def matrix_times_vector(A, x, y):
    for i in range(A.shape[0]):
        y[i] = 0.0
        for j in range(A.shape[1]):
            y[i] += A[i, j] * x[j]


def cholesky(A):
    n = A.shape[0]
    for j in range(n):
        for k in range(j):
            for i in range(j, n):
                A[i, j] -= A[i, k] * A[j, k]
        root = math.sqrt(A[j, j])
        for i in range(j, n):
            A[i, j] /= root


def first_index_above(a, x):
    low, high = 0, len(a)
    while low < high:
        middle = (low + high) // 2
        if a[middle] > x:
            high = middle
        else:
            low = middle + 1
    return low


def reversed_in_place(a):
    i, j = 0, len(a) - 1
    while i < j:
        a[i], a[j] = a[j], a[i]
        i, j = i + 1, j - 1


CASES += [
    Case(bubble_sort, [(a,) for a in (*layouts(floats(3, -0.0, 0.0, -2, INF)), floats(), floats(2, NAN, 1))]),
    Case(matrix_times_vector, [(A, floats(1, 2, NAN), floats(0, 0)) for A in matrix_layouts(grid(2, 3))]),
    Case(cholesky, [(A,) for A in matrix_layouts(floats(4, 2, 1, 2, 9, 3, 1, 3, 16).reshape(3, 3))]),
    Case(first_index_above, [(floats(1, 2, 2, 3), x) for x in (0.0, 2.0, 2.5, 3.0, NAN)] + [(floats(), 1.0)]),
    Case(reversed_in_place, [(a,) for a in (*layouts(THREE), floats(), floats(1), ints(1, 2, 3, 4))]),
]
