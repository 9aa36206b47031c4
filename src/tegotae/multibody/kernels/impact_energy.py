"""What impacts do to the energy of trees: beside `balance.py`, for ticks in which something is struck."""

import math

from tegotae.compile import kernel, kernel_rare
from tegotae.multibody.kernels import records as at
from tegotae.multibody.kernels.balance import BEGUN, OWED, WORK, add_work, count_work, inside, row_speed
from tegotae.multibody.kernels.contacts import rows_in
from tegotae.multibody.kernels.impacts import mean_in_impact, rigid
from tegotae.multibody.kernels.kinematics import FREE, S_
from tegotae.multibody.kernels.quantities import spread


@kernel
def count_marked(p, w, force, T):
    """`count_work`, with what impacts do by the speeds just before and just after them."""
    if w.struck[0] == 0:
        count_work(p, w, force, T)
    else:
        count_impacts(p, w, force, T)


@kernel_rare
def count_impacts(p, w, force, T):
    """The same of a tick in which something is struck; all else does work on the shift, too."""
    for block in range(w.met[0]):  # apart from what acts all the time
        start = w.blocks[at.FIRST, block]
        for row in range(start, start + rows_in(w, block)):
            w.forces[0, row] = w.columns[at.F, row]
            if rigid(w, block):
                w.columns[at.F, row] = 0.0
    count_work(p, w, force, T)
    for k in range(len(p.parent)):
        o = p.vi[k]
        if p.kind[k] != FREE and p.damping[o] != math.inf:
            pull = w.free_tau[o] - w.free_slope[o] / T * (w.v1[o] - w.begun[o]) + force[o]
            w.motion[p.root[k], WORK] += T * pull * w.late[o]
    spread(p.parent, p.kind, p.vi, w.zero, w.late, w.S)
    for k in range(len(p.parent) if w.pushed[0] == 1 else 0):
        for j in range(6):
            w.motion[p.root[k], WORK] += T * w.wrench[k, j] * w.S[k, S_ + j]
    count_rows(p, w, False, T)
    mean_in_impact(p, w, -math.inf, math.inf)
    spread(p.parent, p.kind, p.vi, w.zero, w.lean, w.S)
    for block in range(w.met[0]):
        start = w.blocks[at.FIRST, block]
        for row in range(start, start + rows_in(w, block)):
            w.columns[at.F, row] = w.forces[0, row]
    count_rows(p, w, True, T)
    spread(p.parent, p.kind, p.vi, w.zero, w.v1, w.S)


@kernel
def count_rows(p, w, hard, T):
    """Work of pairs on each tree by columns s: of those that take part rigidly, or of the others."""
    for block in range(w.met[0]):
        c, start = w.blocks[at.OWNER, block], w.blocks[at.FIRST, block]
        if c < 0 or rigid(w, block) != hard:
            continue
        for side in range(1 if inside(p, c) else 2):
            k = p.which[c, at.BODY] if side == 0 else p.which[c, at.ON]
            if k < 0 or w.linked[p.root[k]] == 0:
                continue
            n, work = w.motion[p.root[k]], 0.0
            for row in range(start, start + rows_in(w, block)):
                work += T * w.columns[at.F, row] * row_speed(p, w, c, row, side)
            add_work(n, work)
            # With the motion that it takes goes what was owed for that, not what this tick errs.
            if hard and work < 0.0:
                n[OWED] -= n[OWED] * min(1.0, -work / n[BEGUN]) if n[BEGUN] > 0.0 else n[OWED]
