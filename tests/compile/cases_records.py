"""Records: NamedTuples of arrays, handed to kernels as one argument."""

from typing import NamedTuple

import numpy as np
from case import BOOLS, NAN, Case, bools, floats, grid, int_grid, ints

from tegotae.compile import kernel

CASES: list[Case] = []


class Chain(NamedTuple):
    """Bodies, each with the number of the one it hangs on."""

    parent: np.ndarray
    mass: np.ndarray
    free: np.ndarray
    frames: np.ndarray


class State(NamedTuple):
    """Two vectors of the same length."""

    position: np.ndarray
    velocity: np.ndarray


class Awkward(NamedTuple):
    """Fields that mean something else in C."""

    double: np.ndarray
    register: np.ndarray
    p: np.ndarray
    n0: np.ndarray


class Single(NamedTuple):
    """One field."""

    values: np.ndarray


def chain(**changes: np.ndarray) -> Chain:
    fields = {
        "parent": ints(-1, 0, 1, 0),
        "mass": floats(1.5, -0.0, 2.5, NAN),
        "free": bools(True, False, True, True),
        "frames": grid(4, 3),
    }
    return Chain(**{**fields, **changes})


CHAINS = [
    chain(),
    chain(mass=floats(*range(8))[::2], frames=grid(3, 4).T),
    chain(parent=ints(-1, 9, 0, 9, 1, 9, -2, 9)[::2], free=bools(*[True, False] * 4)[::2], frames=grid(4, 6)[:, ::2]),
]


# Read.


def elements(r):
    return r.parent[0], r.mass[-1], r.free[1], r.frames[2, -1], r.frames[1][0]


def sizes(r):
    return len(r.mass), r.frames.shape, r.frames.size, r.parent.shape[0], len(r.frames[0])


def masses_of_the_free(r):
    total = 0.0
    for i in range(len(r.mass)):
        if r.free[i]:
            total += r.mass[i]
    return total


def parents_mass(r, b):
    return r.mass[r.parent[b]]


def depth(r, b):
    steps = 0
    while r.parent[b] >= 0 and steps < 10:
        b = r.parent[b]
        steps += 1
    return steps


def loop_over_field(r):
    total = 0.0
    for m in r.mass[:3]:
        total = total * 2.0 + m
    for p in r.parent:
        total -= p
    return total


def slices_of_fields(r, low):
    part = r.mass[low:]
    block = r.frames[low:, 1:]
    return len(part), block.shape, r.frames[:, -1][0]


def by_number(r):
    return r[0][1], r[1][0], r[-1][0, 0], len(r[2])


def unpacked(r):
    parent, mass, _, frames = r
    return parent[-1], mass[0], frames[0, 0]


CASES += [
    *[
        Case(function, [(r,) for r in CHAINS])
        for function in (elements, sizes, masses_of_the_free, loop_over_field, by_number, unpacked)
    ],
    *[Case(function, [(r, b) for r in CHAINS for b in (0, 2, -1)]) for function in (parents_mass, slices_of_fields)],
    Case(depth, [(CHAINS[0], b) for b in range(4)]),
    Case(sizes, [(chain(mass=floats(), parent=ints(), frames=grid(1, 1)),)]),
]


# Written.


def elements_written(r):
    r.mass[0] = 9.0
    r.parent[-1] += 5
    r.free[0] = not r.free[0]
    r.frames[1, 2] *= 2.0
    r.frames[-1][0] = -1.0


def rows_written(r):
    r.frames[0] = 0.0
    r.frames[1:3, 0] = 5.0
    r.frames[-1] = r.frames[1]
    r.mass[:] = 1.0


def written_through_names(r):
    mass, row = r.mass, r.frames[2]
    mass[1] = 4.0
    row[0] = mass[1] + r.mass[1]
    return r.frames[2, 0]


def step(r, T):
    for i in range(len(r.position)):
        r.velocity[i] -= T * r.position[i]
        r.position[i] += T * r.velocity[i]


def elements_swapped(r):
    r.position[0], r.velocity[0] = r.velocity[0], r.position[0]


BUFFER = floats(1, 2, 3, 4)
CASES += [
    *[Case(function, [(r,) for r in CHAINS]) for function in (elements_written, rows_written, written_through_names)],
    Case(
        step,
        [(State(floats(1, 2), floats(0, 0)), 0.5), (State(BUFFER, BUFFER), 0.5), (State(BUFFER[1:], BUFFER[:-1]), 0.5)],
    ),
    Case(elements_swapped, [(State(floats(1, 2), floats(3, 4)),), (State(BUFFER[::2], BUFFER[1::2]),)]),
]


# Handed on, several at once, and under other names.


@kernel
def moved(state, by):
    for i in range(len(state.position)):
        state.position[i] += by
    return state.position[0]


@kernel
def weight(r, i):
    return r.mass[i] * 9.81


def handed_on(r, state):
    moved(state, weight(r, 0))
    return moved(state, 1.0) + state.position[-1]


def two_of_one_kind(a, b):
    for i in range(len(a.position)):
        a.position[i] = b.velocity[i]
        b.position[i] = a.velocity[i]


def under_another_name(r):
    s = r
    s.position[0] = 7.0
    return r.position[0]


def one_or_the_other(a, b, flag):
    if flag:
        return moved(a, 1.0)
    return moved(b, 2.0)


def record_and_its_own_array(r, a):
    r.position[0] = 7.0
    a[0] += 1.0
    return r.position[0]


def awkward_fields(r, p, n0):
    double = r.double[0] + p
    register = r.register[-1] + n0
    r.p[0] = double
    r.n0[0, 0] = register
    return double, register, len(r.n0)


def one_field(r, values):
    r.values[0] = values[0]
    return len(r.values)


class Law(NamedTuple):
    """The same name as the class below."""

    level: np.ndarray


OuterLaw = Law


class Law(NamedTuple):
    """The same name as the class above, with other fields."""

    count: np.ndarray
    level: np.ndarray


def two_classes_of_one_name(first, second):
    second.level[0] += first.level[0] + second.count[0]
    return first.level[-1]


CASES += [
    Case(handed_on, [(r, State(floats(1, 2), floats(3, 4))) for r in CHAINS]),
    Case(handed_on, [(CHAINS[0], State(BUFFER[::2], BUFFER[1::2]))]),
    Case(two_of_one_kind, [(State(floats(1, 2), floats(3, 4)), State(floats(5, 6), floats(7, 8)))]),
    Case(two_of_one_kind, [(State(BUFFER, BUFFER[::-1]), State(BUFFER[::-1], BUFFER))]),
    Case(under_another_name, [(State(floats(1, 2), floats(3, 4)),)]),
    Case(one_or_the_other, [(State(floats(1), floats(2)), State(floats(3), floats(4)), flag) for flag in BOOLS]),
    Case(record_and_its_own_array, [(State(BUFFER, floats(1)), BUFFER), (State(BUFFER, floats(1)), floats(5))]),
    Case(awkward_fields, [(Awkward(floats(1), floats(2, 3), ints(0), int_grid(1, 2)), 0.5, 4)]),
    Case(one_field, [(Single(floats(1, 2)), floats(5)), (Single(floats(1, 2, 3, 4)[::-1]), floats(5))]),
    Case(two_classes_of_one_name, [(OuterLaw(floats(1, 2)), Law(ints(3), floats(4)))]),
]
