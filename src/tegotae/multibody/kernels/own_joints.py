"""Joints that resist by an impedance of any kind: it is asked for its force and slope, which adds to the inertia.

p.own has the speed of each such joint, w.own its line (`lines.py`), and torque and slope of the joint without it. `ask`
and `commit` are the halves of all of them, by their number.
"""

from functools import cache

from tegotae.compile import kernel
from tegotae.multibody.kernels.lines import AT, FORCE, FOUND, LINE, SLOPE, line_kernels

TAU, RISE, NUMBERS = LINE, LINE + 1, LINE + 2
BEND = 1e-9


@kernel
def ask_none(p, s, w, j, v, T):
    """There are no such joints."""
    return 0.0, 0.0


@kernel
def commit_none(p, s, w, j, v, T):
    """There are no such joints."""
    return


@kernel
def prepare_none(p, s, w, T):
    """There are no such joints."""
    return


@kernel
def restore_none(p, s, w):
    """There are no such joints."""
    return


NONE = (ask_none, commit_none, prepare_none, restore_none)


@cache
def own_kernels(ask, commit):
    """`begin` before the first solve, `unmet` after each, `bent` if all are met, `end`, and `keep`, which commits."""

    @kernel
    def ask_one(c, j, v):
        _, p, s, w, T = c
        return ask(p, s, w, j, v, T)

    touch, off_lines = line_kernels(ask_one)

    @kernel
    def take(p, w, v, T):
        for j in range(len(p.own)):
            o, m = p.own[j], w.own[j]
            w.free_tau[o] = m[TAU] + m[FORCE] + m[SLOPE] * (v[o] - m[AT])
            w.free_slope[o] = m[RISE] - T * m[SLOPE]

    @kernel
    def begin(p, s, w, v, T):
        """Lines at the speeds before the tick."""
        for j in range(len(p.own)):
            o = p.own[j]
            touch((w.own, p, s, w, T), j, v[o])
            w.own[j, TAU], w.own[j, RISE] = w.free_tau[o], w.free_slope[o]
        take(p, w, v, T)

    @kernel
    def unmet(p, s, w, v, force, T):
        """How many answers for the speeds found lie off their lines; all lines are then taken anew."""
        for j in range(len(p.own)):
            w.own[j, FOUND] = w.v1[p.own[j]]
        count = off_lines((w.own, p, s, w, T))
        for j in range(len(p.own)):
            force[p.own[j]] = w.own[j, FORCE]
        if count > 0:
            take(p, w, v, T)
        return count

    @kernel
    def bent(p, w, v, T):
        """Whether answers for the speeds found have other slopes than their lines had; all are then taken anew."""
        other = False
        for j in range(len(p.own)):
            true, taken = w.own[j, RISE] - T * w.own[j, SLOPE], w.slope[p.own[j]]
            other = other or abs(true - taken) > BEND * abs(taken)
        if other:
            take(p, w, v, T)
        return other

    @kernel
    def end(p, w):
        """Torques and slopes as they are without these joints."""
        for j in range(len(p.own)):
            w.free_tau[p.own[j]], w.free_slope[p.own[j]] = w.own[j, TAU], w.own[j, RISE]

    @kernel
    def keep(p, s, w, T):
        """What really happened."""
        for j in range(len(p.own)):
            commit(p, s, w, j, w.v1[p.own[j]], T)

    return begin, unmet, bent, end, keep
