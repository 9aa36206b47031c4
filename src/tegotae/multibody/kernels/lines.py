"""Newton's method for joints that resist by forces that fall with their speed: each force is taken as a straight line.

A step takes force j as f + d (v1 - at), through what was answered last, and adds d to how the joint resists; it is
solved once the answers for the speeds found lie on their lines. That is Newton's way to the least of a convex function:
of the speeds u of these joints it is the work that moves the rest of the tree, less that of the forces f(u), and its
slope is r(u) - f, r being what the rest resists with. Where it rises again before the speeds found, only a part of the
way is gone. On the way r is taken as straight, which it is but for others that begin to slip.

A context c begins with a row of numbers for each line; `ask(c, j, v)` answers with force and slope.
"""

import math
from functools import cache

from tegotae.compile import kernel, kernel_rare
from tegotae.kernels.roots import falling_part

# Where the line touches, and r there; the same at the speeds found, or at a part of the way to them.
AT, FORCE, SLOPE, RESISTS, FOUND, FOUND_RESISTS, TRIED, TRIED_SLOPE, LINE = range(9)
TAU, RISE, NUMBERS = LINE, LINE + 1, LINE + 2  # of a joint that is asked: torque and slope without it
TRIALS = 100  # solves: two or three are enough as a rule
ROUND = 1e-12
BEND = 1e-9


@cache
def line_kernels(ask):
    """`touch` before the first solve, `unmet` after each."""

    @kernel
    def touch(c, j, v):
        """A line at the speed v."""
        m = c[0][j]
        m[AT], m[RESISTS] = v, math.nan
        m[FORCE], m[SLOPE] = ask(c, j, v)

    @kernel
    def slope_at(c, part):
        """The slope of the convex function at a part of the way to the speeds found; answers are left there."""
        slope = 0.0
        for j in range(len(c[0])):
            m = c[0][j]
            step = m[FOUND] - m[AT]
            m[TRIED], m[TRIED_SLOPE] = ask(c, j, m[FOUND] if part == 1.0 else m[AT] + part * step)
            r = m[FOUND_RESISTS] if part == 1.0 else m[RESISTS] + part * (m[FOUND_RESISTS] - m[RESISTS])
            slope += (r - m[TRIED]) * step
        return slope

    whole_or_part = falling_part(slope_at)

    @kernel_rare
    def part_of(c, start, ahead):
        """How far to go, apart from who asks: in place it would slow a loop that hardly ever needs it."""
        return whole_or_part(c, start, ahead)

    @kernel
    def unmet(c):
        """How many answers for the speeds FOUND lie off their lines; all lines are then taken anew."""
        start = 0.0
        for j in range(len(c[0])):
            m = c[0][j]
            step = m[FOUND] - m[AT]
            m[FOUND_RESISTS] = m[FORCE] + m[SLOPE] * step
            start += (m[RESISTS] - m[FORCE]) * step
        ahead = slope_at(c, 1.0)
        count = 0
        for j in range(len(c[0])):
            m = c[0][j]
            f, d = m[TRIED], m[TRIED_SLOPE]
            size = abs(f) + abs(m[FORCE]) + (abs(d) + abs(m[SLOPE])) * (abs(m[FOUND]) + abs(m[AT]))
            count += not abs(f - m[FOUND_RESISTS]) <= ROUND * size
        part = part_of(c, start, ahead) if count > 0 else 1.0
        for j in range(len(c[0])):
            m = c[0][j]
            m[AT] = m[FOUND] if part == 1.0 else m[AT] + part * (m[FOUND] - m[AT])
            m[RESISTS] = m[FOUND_RESISTS] if part == 1.0 else m[RESISTS] + part * (m[FOUND_RESISTS] - m[RESISTS])
            m[FORCE], m[SLOPE] = m[TRIED], m[TRIED_SLOPE]
        return count

    return touch, unmet


# ------------------------------------------------------------ joints that resist by an impedance of any kind

# Each is asked for its force and slope, which adds to the inertia. p.own has the speed of each such joint, w.own its
# line, and torque and slope of the joint without it. `ask` and `commit` are the halves of all of them, by their number.


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
    """`begin` before the first solve, `unmet` after each, `bent` if all are met, else `tell`; `end`; `commit_own`."""

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
    def tell(p, s, w, force, T):
        """Where the lines were never met: the answers for the speeds found last, not for a part of the way there."""
        for j in range(len(p.own)):
            force[p.own[j]] = ask(p, s, w, j, w.v1[p.own[j]], T)[0]

    @kernel
    def end(p, w):
        """Torques and slopes as they are without these joints."""
        for j in range(len(p.own)):
            w.free_tau[p.own[j]], w.free_slope[p.own[j]] = w.own[j, TAU], w.own[j, RISE]

    @kernel
    def commit_own(p, s, w, T):
        """What really happened."""
        for j in range(len(p.own)):
            o = p.own[j]
            slid = s.slid[o] if len(s.slid) > 0 else 0.0  # by loops that were closed at the end of the last tick
            commit(p, s, w, j, w.v1[o] + slid, T)

    return begin, unmet, bent, tell, end, commit_own
