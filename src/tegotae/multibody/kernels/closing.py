"""Loops, and joints that follow others, hold at the end of a tick.

Before it `aim_bonds` minds how their conditions turn until there. What is then left, of the third order in the period,
is taken back by `close_loops` in the least motion, in places and in speeds. Whatever remembers its own way (friction,
contacts) is told of that motion, so what sticks does not creep.
"""

import math

import numpy as np

from tegotae.compile import kernel, kernel_rare
from tegotae.kernels.rotations import quaternion_of, rotation_vector
from tegotae.multibody.kernels import records as at
from tegotae.multibody.kernels.bonds import (
    apply_bonds,
    bond_rate,
    bond_rows,
    factorise,
    inside,
    locate_bonds,
    rigid_rows,
    see_answers,
)
from tegotae.multibody.kernels.joints import rubs
from tegotae.multibody.kernels.kinematics import COM, LEAST, OMEGA, S_, VELOCITY, move, place_and_move
from tegotae.multibody.kernels.passes import backward
from tegotae.multibody.kernels.places import add_to_memory, parting
from tegotae.multibody.kernels.quantities import spread

CLOSED = 1e-14  # m, rad, and m/s, rad/s: bonds that part no more are left alone
OPEN = 1e-9  # m, rad: a loop that could not be closed
TURNS = 20  # at most, to close a loop; most need one or two
SLOW = 0.1  # of a gap that is left by a turn: its directions have changed
FROZEN = 1e6  # times its inertia resists a joint that sticks while loops are closed


@kernel_rare
def aim_bonds(p, w, q, v, T):
    """Rates that rigid rows must have now to have none after T, for bodies at q that move by v; columns s are
    overwritten. Rows of w.S are those of q.
    """
    spread(p.parent, p.kind, p.vi, w.zero, v, w.S)
    locate_bonds(p, w, w.S)
    for row in range(bond_rows(p)):
        w.bond_aim[row] = bond_rate(p, w, w.S, v, row, S_, S_ + 3)
    if rigid_rows(p) > 0:
        move(p, q, v, T, w.end_q)
        place_and_move(p.parent, p.kind, p.qi, p.vi, p.C, w.end_q, v, w.ends)
        locate_bonds(p, w, w.ends)
        for row in range(rigid_rows(p)):
            w.bond_aim[row] -= bond_rate(p, w, w.ends, v, row, VELOCITY, OMEGA)


@kernel
def begin_bonds(p, w, q, v, T):
    """The same before a tick, by the speeds that it begins with; springs keep their rates."""
    aim_bonds(p, w, q, v, T)
    for i in range(len(p.spring)):
        w.spring_begun[i] = w.bond_aim[rigid_rows(p) + i]


@kernel
def turn_between(s, one, b, other, out):
    """The rotation vector from the frame `other` of the body in row b to the frame `one` of that in row s."""
    A, B = np.empty((3, 3)), np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            A[i, j] = s[3 * i] * one[j] + s[3 * i + 1] * one[3 + j] + s[3 * i + 2] * one[6 + j]
            B[i, j] = b[3 * i] * other[j] + b[3 * i + 1] * other[3 + j] + b[3 * i + 2] * other[6 + j]
    R = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            R[i, j] = A[i, 0] * B[j, 0] + A[i, 1] * B[j, 1] + A[i, 2] * B[j, 2]
    w, x, y, z = quaternion_of(R[0, 0], R[0, 1], R[0, 2], R[1, 0], R[1, 1], R[1, 2], R[2, 0], R[2, 1], R[2, 2])
    out[0], out[1], out[2] = rotation_vector(w, x, y, z)


@kernel
def see_gaps(p, w, q, S):
    """How far rigid bonds stand apart, into w.bond_x; the largest."""
    most = 0.0
    for i in range(len(p.weld)):
        s, b, n = S[p.weld[i, 0]], S[p.weld[i, 1]], p.weld_frame[i]
        for a in range(3):
            w.bond_x[6 * i + a] = s[COM + a] + inside(s, n[0:3], a) - b[COM + a] - inside(b, n[12:15], a)
        turn_between(s, n[3:12], b, n[15:24], w.bond_x[6 * i + 3 : 6 * i + 6])
    for i in range(len(p.gear)):
        one, two = p.qi[p.gear[i, 0]], p.qi[p.gear[i, 1]]
        w.bond_x[6 * len(p.weld) + i] = q[one] - p.gear_number[i, 0] * q[two] - p.gear_number[i, 1]
    for row in range(rigid_rows(p)):
        most = max(most, abs(w.bond_x[row]))
    return most


@kernel
def freeze(p, s, w, most):
    """What sticks is to stay where it is while loops are closed, as far as `most` tells; whether anything sticks."""
    sticks = False
    for k in range(len(p.parent)):
        o = p.vi[k]
        if rubs(p.law[o], p.damping[o]) and s.mode[o] == 0:
            w.frozen[o] = most * p.C[k, LEAST]
            sticks = True
        else:
            w.frozen[o] = math.inf if p.damping[o] == math.inf else 0.0
    return sticks


@kernel
def see_closing(p, s, w):
    """How the tree answers the forces that close loops, where w.ends say that it is; whether no condition is lost."""
    locate_bonds(p, w, w.ends)
    for most in (FROZEN, 0.0):  # where loops would not close, what sticks moves, too
        sticks = freeze(p, s, w, most)
        backward(p.parent, p.kind, p.vi, p.C, w.tau, w.frozen, w.wrench, w.ends)
        see_answers(p, w, w.ends, rigid_rows(p), 1.0)
        factorise(p, w, rigid_rows(p))
        if not sticks or w.bond_rank[0] >= p.rank:
            break
    return w.bond_rank[0] >= p.rank


@kernel
def gaps_at(p, w, q, v):
    """How far rigid bonds stand apart at q, with rows of w.ends there."""
    place_and_move(p.parent, p.kind, p.qi, p.vi, p.C, q, v, w.ends)
    return see_gaps(p, w, q, w.ends)


@kernel
def close_places(p, s, w, T):
    """Newton's method, with new directions where the old ones say little, and shorter steps where it gets lost. Rows of
    w.ends are those of where it ends; how far bonds are apart there.
    """
    rigid, apart, last = rigid_rows(p), gaps_at(p, w, s.q, s.v), math.inf
    for turn in range(TURNS):
        if turn == 0 or apart > SLOW * last:
            whole = see_closing(p, s, w)
            if turn == 0 and not whole:
                s.singular[0] += 1
        if not apart > CLOSED:
            break
        for o in range(len(s.v)):
            w.a[o] = 0.0
        for row in range(rigid):
            w.bond_x[row] = -w.bond_x[row]
        apply_bonds(w, rigid, w.a)
        share, found = 1.0, math.inf
        while share > 1e-3:
            move(p, s.q, w.a, share, w.end_q)
            found = gaps_at(p, w, w.end_q, s.v)
            if found < apart or not apart > OPEN:
                break
            share *= 0.25
        if not found < apart:
            return gaps_at(p, w, s.q, s.v)
        for i in range(len(s.q)):
            s.q[i] = w.end_q[i]
        for o in range(len(s.v)):
            s.slid[o] += share * w.a[o] / T
        last, apart = apart, found
    return apart


@kernel_rare
def close_loops(p, s, w, half, T):
    """Put rigid bonds right at the end of a tick, places and speeds; `half`: elements go on by half a tick of these."""
    rigid, ends = rigid_rows(p), w.ends
    for o in range(len(s.v)):
        s.slid[o], w.end_v[o] = 0.0, s.v[o]
    if not close_places(p, s, w, T) <= OPEN:
        s.unsolved[0] += 1
    locate_bonds(p, w, ends)
    for _ in range(2):
        worst = 0.0
        for row in range(rigid):
            w.bond_x[row] = -bond_rate(p, w, ends, s.v, row, VELOCITY, OMEGA)
            worst = max(worst, abs(w.bond_x[row]))
        if not worst > CLOSED:
            break
        apply_bonds(w, rigid, s.v)
        place_and_move(p.parent, p.kind, p.qi, p.vi, p.C, s.q, s.v, ends)
    for o in range(len(s.v)):
        s.slid[o] += half * (s.v[o] - w.end_v[o])
        if rubs(p.law[o], p.damping[o]) and s.mode[o] == 0:
            s.e[o] -= T * s.slid[o]
    if len(p.which) > 0:
        slide_contacts(p, s, w, T)


@kernel
def slide_contacts(p, s, w, T):
    """Contacts that hold remember where, also while loops are closed. The directions of pairs are those of the tick."""
    spread(p.parent, p.kind, p.vi, w.zero, s.slid, w.S)
    for c in range(len(p.which)):
        f = s.touching[c]
        if p.contacts[c, at.MU] > 0.0 and (f[at.FORCE] != 0.0 or f[at.FORCE + 1] != 0.0 or f[at.FORCE + 2] != 0.0):
            for a in range(1, 3):
                add_to_memory(p, s, w, c, a, at.STRETCH, T * parting(p, w, c, a, S_, S_ + 3))
