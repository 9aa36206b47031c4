"""Compiled kernels take what Python hands them: the right arrays, of the right types, now and not as they were."""

import gc
import random
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pytest
from compiled_together import TRANSLATES

from tegotae.compile import SubsetError, backend, bind, entry, entry_free, kernel
from tegotae.compile.native import _HELD_AT_MOST
from tegotae.errors import InputError

compiled_only = pytest.mark.skipif(not TRANSLATES, reason="plain Python takes anything")


class Pair(NamedTuple):
    first: int
    last: int


class Machine(NamedTuple):
    masses: np.ndarray
    gain: float
    ends: Pair


@entry
def weighted(a, k):
    s = 0.0
    for i in range(len(a)):
        s += (i + 1) * a[i]
    return k * s


@entry
def told(p):
    return p.first * 1000 + p.last


@entry
def moved(machine, x):
    machine.masses[machine.ends.first] += x
    return machine.gain * machine.masses[machine.ends.first], machine.ends.last, x > 0.0


@entry
def itself(x):
    return x


@entry
def choose(flag, x):
    return x if flag else -x


@entry
def three_ways(x, n):
    return x, (n, x > 0.0), ()


@entry
def nothing(a):
    a[0] = 1.0


@entry_free
def spun(a, rounds):
    s = 0.0
    for _ in range(rounds):
        for i in range(len(a)):
            s += a[i]
    return s


@entry_free
def waited(flag, i, turns, j):
    """Until another thread raises the flag, or for so long that nobody will."""
    while flag[i] == 0.0 and turns[j] < 1e9:
        turns[j] += 1.0
    return flag[i]


# ------------------------------------------------------------ the same objects, or others


def plain(function, *arguments):
    return function.py_func(*arguments)


def row(*values):
    return np.array(values, dtype=np.float64)


def strided(*values):
    wide = np.zeros((len(values), 3))
    wide[:, 1] = values
    return wide[:, 1]


def backwards(*values):
    return np.array(values[::-1], dtype=np.float64)[::-1]


def read_only(*values):
    array = row(*values)
    array.flags.writeable = False
    return array


def whole(*values):
    return np.array(values, dtype=np.int64)


def truths(*values):
    return np.array(values) > 1.5


def large(*values):
    return np.concatenate([row(*values), np.zeros(_HELD_AT_MOST // 8)])


def empty(*_):
    return np.zeros(0)


MAKERS = [row, strided, backwards, read_only, whole, truths, large, empty]


def test_each_call_sees_the_arrays_of_that_call():
    """The words of arguments that come again are kept from the call before: they must be the right ones."""
    pick = random.Random(1)
    arrays = [make(*values) for make in MAKERS for values in [(1.0, 2.0, 3.0), (5.0, 4.0, 3.0, 2.0), (7.0, 0.5)]]
    numbers = [2.0, 3, np.float64(0.5), np.int64(4), True, np.True_, np.float32(1.5), -0.0]
    for _ in range(600):
        a, k = pick.choice(arrays), pick.choice(numbers)
        given = [(a, k), (a.copy(), k), (a, k)][pick.randrange(3)]
        assert weighted(*given) == plain(weighted, *given)
        if a.flags.writeable and a.size:
            a[pick.randrange(len(a))] = pick.randrange(3)
            assert weighted(a, k) == plain(weighted, a, k), "changed where it lies"


def test_an_array_that_lies_where_another_was_is_not_taken_for_it():
    for turn in range(200):
        a = np.full(3 + turn % 2, float(turn))  # the allocator gives the same place again and again
        assert weighted(a, 1.0) == plain(weighted, a, 1.0)
        del a


def test_records_and_numbers_in_them():
    machine = Machine(np.zeros(3), 2.0, Pair(-1, 7))
    assert moved(machine, 0.5) == (1.0, 7, True)
    assert moved(machine, -0.5) == (0.0, 7, False)
    assert moved(machine._replace(gain=10.0, ends=Pair(0, 8)), 1.0) == (10.0, 8, True)
    np.testing.assert_array_equal(machine.masses, [1.0, 0.0, 0.0])
    machine.masses[2] = 5.0
    assert moved(machine, 1.0) == (12.0, 7, True)


def test_results_of_all_shapes():
    assert three_ways(0.5, 3) == (0.5, (3, True), ())
    assert three_ways(-1, True) == (-1, (True, False), ())
    assert [type(part) for part in three_ways(0.5, 3)[1]] == [int, bool]
    a = np.zeros(2)
    assert nothing(a) is None
    assert a[0] == 1.0


@pytest.mark.parametrize("flag", [True, False, np.True_, np.False_, 1, 0, 2.5])
def test_truth_values_of_python_and_numpy(flag):
    for value in (flag, True, flag):  # as the first one, and in place of another
        assert choose(value, 2.0) == plain(choose, value, 2.0)


NO_HALVES = pytest.mark.skipif(backend.name() == "numba", reason="numba has no numbers of 16 bits")
NUMBERS = [np.float64(0.1), np.float32(0.1), np.int64(-5), np.int8(-5), np.uint8(200), np.bool_(1)]


@pytest.mark.parametrize("number", [*NUMBERS, pytest.param(np.float16(0.1), marks=NO_HALVES)])
def test_numbers_of_numpy(number):
    for value in (number, 1.5, number, 2, number):
        assert itself(value) == value
    assert isinstance(itself(number), (bool, int, float)) or not TRANSLATES


# ------------------------------------------------------------ what cannot be taken

BIG = [2**63, -(2**63) - 1, 2**70, np.uint64(2**63)]


@compiled_only
@pytest.mark.parametrize("big", BIG)
def test_whole_numbers_beyond_64_bits_are_refused(big):
    for before in (None, 1):
        if before is not None:
            assert itself(before) == before
        with pytest.raises(InputError, match="does not fit into 64 bits"):
            itself(big)
    assert itself(2**63 - 1) == 2**63 - 1
    assert itself(-(2**63)) == -(2**63)


@compiled_only
def test_a_refused_argument_leaves_no_trace():
    first = Pair(1, 2)
    assert told(first) == 1002
    with pytest.raises(InputError, match="does not fit"):
        told(Pair(5, 2**63))
    assert told(first) == 1002


@compiled_only
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("text", "argument 0 is a string"),
        (None, "argument 0 is 'NoneType'"),
        ([1.0, 2.0], "argument 0 is 'list'"),
        (1j, "argument 0 is 'complex'"),
        (np.array(1.0), "argument 0 is an array without dimensions"),
        (np.ones(3, np.float32), "argument 0 is an array of float32"),
        (np.ones(3, ">f8"), "argument 0 is an array of >f8"),
        (np.ones(3, object), "argument 0 is an array of object"),
        (
            np.ones(3, [("pad", "i4"), ("value", "f8")])["value"],
            "argument 0 is an array whose numbers lie across words",
        ),
        (np.zeros(25, np.uint8)[1:].view(np.float64), "argument 0 is an array whose numbers lie across words"),
        ((1.0, "text"), "argument 0 is a string"),
    ],
)
def test_other_things_are_refused_in_words_whatever_came_before(given, words):
    for before in (None, row(1.0, 2.0), large(1.0)):
        if before is not None:
            weighted(before, 1.0)
            del before
        with pytest.raises(SubsetError, match=f"kernel 'weighted': {words}[^$]*Give numbers, arrays of float64"):
            weighted(given, 1.0)
    assert weighted(row(1.0, 2.0), 1.0) == 5.0


@compiled_only
@pytest.mark.parametrize("given", [(), (row(1.0),), (row(1.0), 1.0, 2.0)])
def test_another_number_of_arguments_is_told(given):
    assert weighted(row(1.0, 2.0), 2.0) == 10.0
    with pytest.raises(
        SubsetError, match=f"test_calling.py.*'weighted': it takes 2 arguments and is given {len(given)}"
    ):
        weighted(*given)
    assert weighted(row(1.0, 2.0), 2.0) == 10.0


@compiled_only
def test_read_only_arrays_are_not_written():
    frozen = read_only(0.0, 0.0)
    with pytest.raises(SubsetError, match="read-only"):
        nothing(frozen)
    nothing(row(0.0, 0.0))
    with pytest.raises(SubsetError, match="read-only"):
        nothing(frozen)
    assert frozen[0] == 0.0


# ------------------------------------------------------------ memory


@pytest.mark.parametrize("wrap", [lambda a: a, lambda a: (a, 1.0)], ids=["array", "in a tuple"])
def test_large_arrays_are_let_go_after_the_call(wrap):
    @kernel
    def size(a):
        return len(a)

    a = large(1.0)
    gone = weakref.ref(a)
    size(wrap(a))
    size(wrap(a))
    del a
    gc.collect()
    assert gone() is None


@compiled_only
def test_a_loop_that_calls_with_new_arrays_keeps_only_the_last():
    arrays = [row(float(turn)) for turn in range(10)]
    gone = [weakref.ref(array) for array in arrays]
    while arrays:
        weighted(arrays.pop(0), 1.0)
    assert [reference() is None for reference in gone] == [True] * 9 + [False]


# ------------------------------------------------------------ threads


def test_threads_that_call_one_kernel_get_their_own_answers():
    def work(seed):
        pick = np.random.default_rng(seed)
        for _ in range(2000):
            a = pick.random(1 + seed)
            k = float(seed)
            machine = Machine(np.zeros(2), k, Pair(seed % 2, seed))
            if weighted(a, k) != plain(weighted, a, k) or moved(machine, 1.0) != (k, seed, True):
                return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))


def test_a_free_entry_lets_other_threads_go_on():
    flag, turns = np.zeros(1), np.zeros(1)
    waited(np.ones(1), 0, turns, 0)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(waited, flag, 0, turns, 0)
        while not turns[0] and not answer.done():
            pass
        flag[0] = 1.0
        assert answer.result() == 1.0, "it was seen while the kernel ran"


def test_threads_that_share_a_free_entry_get_their_own_answers():
    def work(place):
        a = np.full(100 * (place + 1), float(place))
        return all(spun(a, 20) == 20.0 * place * len(a) for _ in range(100 if TRANSLATES else 1))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))


# ------------------------------------------------------------ bind


def test_bound_arrays_are_read_where_they_lie():
    a = row(1.0, 2.0)
    bound = bind(weighted, a, float)
    assert bound(1.0) == 5.0
    a[:] = 0.0, 10.0
    assert bound(2.0) == 40.0
    assert bound(np.float64(0.5)) == 10.0
    assert bound(1) == 20.0


def test_bound_arrays_are_held():
    bound = bind(weighted, np.arange(1000.0), float)
    gc.collect()
    noise = [np.full(1000, 1e9) for _ in range(10)]
    assert bound(1.0) == plain(weighted, np.arange(1000.0), 1.0)
    del noise


def test_bound_numbers_by_place_and_tuples_out():
    machine = Machine(np.zeros(3), 2.0, Pair(1, 7))
    bound = bind(moved, machine, float)
    assert bound(0.5) == (1.0, 7, True)
    assert bound(-1.0) == (-1.0, 7, False)
    both = bind(three_ways, float, int)
    assert both(0.5, 3) == (0.5, (3, True), ())
    assert both(-1.5, -4) == (-1.5, (-4, False), ())
    assert bind(itself, 3.0)() == 3.0
    assert bind(weighted, strided(1.0, 2.0), float)(1.0) == 5.0
    assert bind(spun, row(1.0, 2.0), int)(3) == 9.0


def test_two_bounds_of_one_kernel_do_not_mix():
    one, other = bind(weighted, row(1.0), float), bind(weighted, row(10.0), float)
    assert [one(1.0), other(1.0), one(2.0), other(2.0)] == [1.0, 10.0, 2.0, 20.0]


@pytest.mark.parametrize("numbers", [(), (1.0,), (1.0, 2, 3.0)])
def test_another_number_of_numbers_is_told(numbers):
    with pytest.raises(TypeError, match=f"takes 2 numbers is given {len(numbers)}"):
        bind(three_ways, float, int)(*numbers)


@compiled_only
@pytest.mark.parametrize("big", BIG)
def test_bound_whole_numbers_beyond_64_bits_are_refused(big):
    with pytest.raises(InputError, match="does not fit into 64 bits"):
        bind(itself, int)(big)


@compiled_only
def test_a_bound_kernel_takes_numbers_alone():
    for wrong in ("text", None, row(1.0, 2.0)):
        with pytest.raises(TypeError):
            bind(itself, float)(wrong)
    for wrong in ("text", None, 0.5):
        with pytest.raises(TypeError):
            bind(itself, int)(wrong)


@entry
def shifted(table):
    """Columns of one table lie across each other in memory."""
    table[:, 0] = table[:, 1]


def test_a_large_copy_within_one_array_needs_no_stack():
    table = np.arange(4e6).reshape(-1, 2)
    expected = table[:, 1].copy()
    shifted(table)
    np.testing.assert_array_equal(table[:, 0], expected)
