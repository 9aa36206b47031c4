"""Joints that resist by an impedance of any kind: it is asked for its force and slope, which adds to the inertia.

A step takes each force as a straight line, f + d (v1 - at), through what was answered last; it is solved once the
answers for the speeds found lie on their lines. That is Newton's way to the least of a convex function: of the speeds u
of these joints it is the work that moves the rest of the tree, less that of the forces f(u), and its slope is r(u) - f,
r being what the rest resists with. Where it rises again before the speeds found, only a part of the way is gone. On the
way r is taken as straight, which it is but for joints and contacts that begin to slip.

p.own has the speed of each such joint, w.own a row of numbers for it. `ask` and `commit` are the halves of all of them,
by their number.
"""

import math
from functools import cache

from tegotae.compile import kernel
from tegotae.kernels.roots import between

# Where the line touches, and r there; torque and slope of the joint without it; the same at the speeds found, or at a
# part of the way to them.
AT, FORCE, SLOPE, RESISTS, TAU, RISE, FOUND, FOUND_RESISTS, TRIED, TRIED_SLOPE, NUMBERS = range(11)
TRIALS = 100  # solves: two or three are enough as a rule
PARTS = 30
ROUND = 1e-12
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
    def take(p, w, v, T):
        for j in range(len(p.own)):
            o, m = p.own[j], w.own[j]
            w.free_tau[o] = m[TAU] + m[FORCE] + m[SLOPE] * (v[o] - m[AT])
            w.free_slope[o] = m[RISE] - T * m[SLOPE]

    @kernel
    def begin(p, s, w, v, T):
        """Lines at the speeds before the tick."""
        for j in range(len(p.own)):
            o, m = p.own[j], w.own[j]
            f, d = ask(p, s, w, j, v[o], T)
            m[AT], m[FORCE], m[SLOPE], m[RESISTS] = v[o], f, d, math.nan
            m[TAU], m[RISE] = w.free_tau[o], w.free_slope[o]
        take(p, w, v, T)

    @kernel
    def along(p, s, w, part, T):
        """The slope of the convex function at a part of the way to the speeds found; answers are left there."""
        slope = 0.0
        for j in range(len(p.own)):
            m = w.own[j]
            way = m[FOUND] - m[AT]
            f, d = ask(p, s, w, j, m[FOUND] if part == 1.0 else m[AT] + part * way, T)
            m[TRIED], m[TRIED_SLOPE] = f, d
            r = m[FOUND_RESISTS] if part == 1.0 else m[RESISTS] + part * (m[FOUND_RESISTS] - m[RESISTS])
            slope += (r - f) * way
        return slope

    @kernel
    def shorten(p, s, w, ahead, T):
        """The part of the way at which the function stops falling, to a tenth; 1 if it falls all the way."""
        start = 0.0
        for j in range(len(p.own)):
            m = w.own[j]
            start += (m[RESISTS] - m[FORCE]) * (m[FOUND] - m[AT])
        if not (start < 0.0 and ahead > -0.1 * start):  # also if it is not known how it starts
            return 1.0
        part, low, at_low, high, at_high, side = between(1.0, ahead, 0.0, start, 1.0, ahead, 0)
        for _ in range(PARTS):
            slope = along(p, s, w, part, T)
            if abs(slope) <= -0.1 * start:
                break
            part, low, at_low, high, at_high, side = between(part, slope, low, at_low, high, at_high, side)
        along(p, s, w, part, T)
        return part

    @kernel
    def unmet(p, s, w, v, force, T):
        """How many answers for the speeds found lie off their lines; all lines are then taken anew."""
        for j in range(len(p.own)):
            m = w.own[j]
            m[FOUND] = w.v1[p.own[j]]
            m[FOUND_RESISTS] = m[FORCE] + m[SLOPE] * (m[FOUND] - m[AT])
        ahead = along(p, s, w, 1.0, T)
        count = 0
        for j in range(len(p.own)):
            m = w.own[j]
            f, d = m[TRIED], m[TRIED_SLOPE]
            force[p.own[j]] = f
            size = abs(f) + abs(m[FORCE]) + (abs(d) + abs(m[SLOPE])) * (abs(m[FOUND]) + abs(m[AT]))
            count += not abs(f - m[FOUND_RESISTS]) <= ROUND * size
        part = shorten(p, s, w, ahead, T) if count > 0 else 1.0
        for j in range(len(p.own)):
            m = w.own[j]
            m[AT] = m[FOUND] if part == 1.0 else m[AT] + part * (m[FOUND] - m[AT])
            m[RESISTS] = m[FOUND_RESISTS] if part == 1.0 else m[RESISTS] + part * (m[FOUND_RESISTS] - m[RESISTS])
            m[FORCE], m[SLOPE] = m[TRIED], m[TRIED_SLOPE]
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
