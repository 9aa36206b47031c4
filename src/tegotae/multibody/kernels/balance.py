"""The energy of each tree over a tick, and the momentum of those that nothing holds, kept as mechanics keeps them.

A step of second order leaves an error of the third in the energy of a tree whose inertia changes with its shape. What
it is can be told: the energy at the end, less that at the start, less the work of all forces but gravity. That is what
the step owes. The next one begins with speeds that pay it, a share of the motion within the tree: of all of it where
the world holds the tree, of what is left beside its rigid motion where it floats. So momentum is not touched, nor what
stands still. What an impact takes from the motion goes with what that had too much, so debts shrink with it.

A tick that leaves a tree with more than SURPLUS of the largest kinetic energy it has had beyond what it may have is cut
down at its end: whatever the period, a tree never gains more. (Where a step gained more than CLIMB of that, and all its
motion is too little to pay, it counts as unsolved.)

In a tree that floats and touches nothing but itself, the base is then moved so that the centre of mass goes as the
forces from outside tell, and momentum and angular momentum are those that they give.

Rows of w.sums, one a tree, at the row of the body at its foot: kinetic and potential energy, mass, and about that
body's centre of mass the first moment, momentum, angular momentum and inertia (xx, yy, zz, xy, xz, yz); and the size of
the energies that were added up, by which rounding is judged.
"""

import math

import numpy as np

from tegotae.compile import kernel, kernel_rare
from tegotae.multibody.kernels.bonds import SPRING_K, SPRING_LENGTH, ends_of_bond, locate_spring, rigid_rows, six
from tegotae.multibody.kernels.contacts import at_first, at_second, rows_in
from tegotae.multibody.kernels.kinematics import (
    ARMATURE,
    COM,
    FREE,
    MASS,
    OMEGA,
    OWN_INERTIA,
    S_,
    VELOCITY,
    place_and_move,
)
from tegotae.multibody.kernels.quantities import spread
from tegotae.multibody.kernels.records import BODY, FIRST, ON, OWNER, F

KINETIC, POTENTIAL, MASSES, MOMENT, MOMENTUM, SPIN, HULL, SIZE, SUMS = 0, 1, 2, 3, 6, 9, 12, 18, 19
# Rows of w.motion, one a tree. Of the tick: energy that joints and the world gave, force and moment about its centre of
# mass from outside, whether it touched others, the size of all the work that was added up; of what rubs and touches,
# how much more work it is by the speeds at the end than by their mean, and by their mean. Then how the foot would move
# if the tree were rigid, its kinetic energy beside that; its largest up to the start of the tick, what it owed and had
# there; the size of the work that bonds do to each other; and what springs store beyond the work
# that was done on them.
WORK, FORCE, TORQUE, TOUCHED, GROSS, TAKEN, BRAKED, RIGID, WITHIN, MOST = 0, 1, 4, 7, 8, 9, 10, 11, 17, 18
OWED, BEGUN, BOUND, STRETCHED, MOTION = 19, 20, 21, 22, 23
SURPLUS, CLIMB = 2e-3, 1e-2
CAP = 0.05  # of its speeds a tree pays in one tick at most
# What is owed is rounding, as a part of the energies and work that were added up; and too little to be paid, as a part
# of the largest kinetic energy.
ROUNDING, NOTHING = 1e-13, 1e-9


@kernel
def find_linked(p, w):
    """Which trees have joints, by the body at their foot: what is rigid needs no balance."""
    for k in range(len(p.parent)):
        w.linked[k] = 0
    for k in range(len(p.parent)):
        if p.kind[k] != FREE:
            w.linked[p.root[k]] = 1


@kernel
def add_up(p, w, v):
    """w.sums of all trees with joints, from where the rows of S say that bodies are and how they move; rotors by v."""
    for k in range(len(p.parent)):
        if w.linked[k] == 1:
            w.sums[k, :] = 0.0
    for k in range(len(p.parent)):
        r = p.root[k]
        if w.linked[r] == 0:
            continue
        s, foot, t, m = w.S[k], w.S[r], w.sums[r], p.C[k, MASS]
        x0, x1, x2 = s[COM] - foot[COM], s[COM + 1] - foot[COM + 1], s[COM + 2] - foot[COM + 2]
        v0, v1, v2 = s[VELOCITY], s[VELOCITY + 1], s[VELOCITY + 2]
        w0, w1, w2 = s[OMEGA], s[OMEGA + 1], s[OMEGA + 2]
        xx, yy, zz = s[OWN_INERTIA], s[OWN_INERTIA + 1], s[OWN_INERTIA + 2]
        xy, xz, yz = s[OWN_INERTIA + 3], s[OWN_INERTIA + 4], s[OWN_INERTIA + 5]
        h0, h1, h2 = xx * w0 + xy * w1 + xz * w2, xy * w0 + yy * w1 + yz * w2, xz * w0 + yz * w1 + zz * w2
        kinetic = 0.5 * (m * (v0 * v0 + v1 * v1 + v2 * v2) + w0 * h0 + w1 * h1 + w2 * h2)
        potential = -m * (p.g[0] * s[COM] + p.g[1] * s[COM + 1] + p.g[2] * s[COM + 2])
        t[KINETIC] += kinetic
        t[POTENTIAL] += potential
        t[SIZE] += kinetic + abs(potential)
        if p.floats[r] == 1:
            t[MASSES] += m
            t[MOMENT] += m * x0
            t[MOMENT + 1] += m * x1
            t[MOMENT + 2] += m * x2
            v0, v1, v2 = m * v0, m * v1, m * v2
            t[MOMENTUM] += v0
            t[MOMENTUM + 1] += v1
            t[MOMENTUM + 2] += v2
            t[SPIN] += h0 + x1 * v2 - x2 * v1
            t[SPIN + 1] += h1 + x2 * v0 - x0 * v2
            t[SPIN + 2] += h2 + x0 * v1 - x1 * v0
            t[HULL] += xx + m * (x1 * x1 + x2 * x2)
            t[HULL + 1] += yy + m * (x0 * x0 + x2 * x2)
            t[HULL + 2] += zz + m * (x0 * x0 + x1 * x1)
            t[HULL + 3] += xy - m * x0 * x1
            t[HULL + 4] += xz - m * x0 * x2
            t[HULL + 5] += yz - m * x1 * x2
    if p.armed == 1:
        add_rotors(p, w, v)


@kernel_rare
def add_rotors(p, w, v):
    """The kinetic energy of what armatures stand for; it belongs to no body's momentum."""
    for k in range(len(p.parent)):
        r = p.root[k]
        if w.linked[r] == 1 and p.C[k, ARMATURE] > 0.0:
            kinetic = 0.5 * p.C[k, ARMATURE] * v[p.vi[k]] * v[p.vi[k]]
            w.sums[r, KINETIC] += kinetic
            w.sums[r, SIZE] += kinetic


@kernel
def turned_by(inertia, x, y, z):
    """The angular velocity that a rigid body with this inertia (xx, yy, zz, xy, xz, yz) has by an angular momentum."""
    xx, yy, zz, xy, xz, yz = inertia[0], inertia[1], inertia[2], inertia[3], inertia[4], inertia[5]
    a, b, c = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    d, e, f = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
    size = xx * a + xy * b + xz * c
    if not size > 0.0:  # a tree of points in a line
        return 0.0, 0.0, 0.0
    return (a * x + b * y + c * z) / size, (b * x + d * y + e * z) / size, (c * x + e * y + f * z) / size


@kernel
def about_center(t):
    """Move a tree's angular momentum and inertia from its foot to its centre of mass; where that is from the foot."""
    m = t[MASSES]
    x0, x1, x2 = t[MOMENT] / m, t[MOMENT + 1] / m, t[MOMENT + 2] / m
    p0, p1, p2 = t[MOMENTUM], t[MOMENTUM + 1], t[MOMENTUM + 2]
    t[SPIN] -= x1 * p2 - x2 * p1
    t[SPIN + 1] -= x2 * p0 - x0 * p2
    t[SPIN + 2] -= x0 * p1 - x1 * p0
    t[HULL] -= m * (x1 * x1 + x2 * x2)
    t[HULL + 1] -= m * (x0 * x0 + x2 * x2)
    t[HULL + 2] -= m * (x0 * x0 + x1 * x1)
    t[HULL + 3] += m * x0 * x1
    t[HULL + 4] += m * x0 * x2
    t[HULL + 5] += m * x1 * x2
    return x0, x1, x2


@kernel
def see_motion_within(p, w):
    """Of each tree with joints: how its foot would move if it were rigid, and its kinetic energy beside that."""
    for k in range(len(p.parent)):
        if w.linked[k] == 0:
            continue
        t, n = w.sums[k], w.motion[k]
        n[WITHIN] = t[KINETIC]
        if p.floats[k] == 0:
            continue
        x0, x1, x2 = about_center(t)
        w0, w1, w2 = turned_by(t[HULL : HULL + 6], t[SPIN], t[SPIN + 1], t[SPIN + 2])
        p0, p1, p2, m = t[MOMENTUM], t[MOMENTUM + 1], t[MOMENTUM + 2], t[MASSES]
        n[WITHIN] -= 0.5 * ((p0 * p0 + p1 * p1 + p2 * p2) / m + w0 * t[SPIN] + w1 * t[SPIN + 1] + w2 * t[SPIN + 2])
        n[WITHIN] = max(n[WITHIN], 0.0)
        n[RIGID] = p0 / m - (w1 * x2 - w2 * x1)
        n[RIGID + 1] = p1 / m - (w2 * x0 - w0 * x2)
        n[RIGID + 2] = p2 / m - (w0 * x1 - w1 * x0)
        n[RIGID + 3], n[RIGID + 4], n[RIGID + 5] = w0, w1, w2


@kernel
def look(p, w, q, v):
    """Rows of S at q and v, energies and momenta there."""
    place_and_move(p.parent, p.kind, p.qi, p.vi, p.C, q, v, w.S)
    add_up(p, w, v)
    see_motion_within(p, w)


@kernel
def lessen(p, w, tree, share, v):
    """Take a share of the motion within a tree from its speeds."""
    for k in range(len(p.parent)):
        if p.root[k] != tree:
            continue
        o = p.vi[k]
        if p.kind[k] != FREE:
            v[o] -= share * v[o]
            continue
        for j in range(6):
            v[o + j] -= share * (v[o + j] - (w.motion[k, RIGID + j] if p.floats[k] == 1 else 0.0))


@kernel
def begin_balance(p, s, w):
    """The speeds that the tick begins with: those of its start, less what they pay of what the tree owes."""
    for o in range(len(s.v)):
        w.begun[o] = s.v[o]
    for k in range(len(p.parent)):
        if w.linked[k] == 0:
            continue
        n = w.motion[k]
        n[BEGUN] = w.sums[k, KINETIC]
        n[MOST], n[OWED] = max(s.swing[k], n[BEGUN]), s.debt[k]
        if abs(n[OWED]) <= NOTHING * n[MOST]:
            continue
        most = 2.0 * CAP * n[WITHIN]
        n[OWED] = max(n[OWED], -most)  # what is owed to a tree that has come to rest is forgotten
        if most > 0.0:
            lessen(p, w, k, 0.5 * min(n[OWED], most) / n[WITHIN], w.begun)


# ------------------------------------------------------------ what forces did


@kernel
def push_tree(p, w, k, f, T):
    """A force at the centre of mass of body k, with a moment: its tree feels it from outside.

    Moments are about where the tree's centre of mass is by its momentum half a tick after the start: what two trees
    exchange along a line changes the angular momentum of both together by nothing.
    """
    r = p.root[k]
    n, s, b, m = w.motion[r], w.S[k], w.before[r], w.sums[r, MASSES]
    x0 = s[COM] - b[0] - 0.5 * T * b[3] / m
    x1 = s[COM + 1] - b[1] - 0.5 * T * b[4] / m
    x2 = s[COM + 2] - b[2] - 0.5 * T * b[5] / m
    n[FORCE] += f[0]
    n[FORCE + 1] += f[1]
    n[FORCE + 2] += f[2]
    n[TORQUE] += f[3] + x1 * f[2] - x2 * f[1]
    n[TORQUE + 1] += f[4] + x2 * f[0] - x0 * f[2]
    n[TORQUE + 2] += f[5] + x0 * f[1] - x1 * f[0]


@kernel
def add_work(n, work):
    """Work on a tree, and its size."""
    n[WORK] += work
    n[GROSS] += abs(work)


@kernel
def inside(p, c):
    """Whether both bodies of a pair belong to one tree, such as those of a limit: no force from outside."""
    one, two = p.which[c, BODY], p.which[c, ON]
    return one >= 0 and two >= 0 and p.root[one] == p.root[two]


@kernel
def row_speed(p, w, c, row, side):
    """How a row's force moves what a side of pair c is counted for, by columns s: of a pair within a tree the first is
    both."""
    if side == 1:
        return at_second(w.levers[row], w.S[p.which[c, ON]])
    moved = at_first(w.levers[row], w.S[p.which[c, BODY]])
    return moved + at_second(w.levers[row], w.S[p.which[c, ON]]) if inside(p, c) else moved


@kernel
def count_contacts(p, w, at_end, T):
    """What contacts do on each tree by the speeds in columns s: those at the end of the tick, or their mean."""
    for block in range(w.met[0]):
        c, start = w.blocks[OWNER, block], w.blocks[FIRST, block]
        if c < 0:
            continue
        for side in range(1 if inside(p, c) else 2):
            k = p.which[c, BODY] if side == 0 else p.which[c, ON]
            if k < 0 or w.linked[p.root[k]] == 0:
                continue
            n = w.motion[p.root[k]]
            if not inside(p, c):
                n[TOUCHED] = 1.0
            for row in range(start, start + rows_in(w, block)):
                work = T * w.columns[F, row] * row_speed(p, w, c, row, side)
                if at_end:
                    n[TAKEN] += work
                else:
                    add_work(n, work)
                    n[TAKEN] -= work
                    n[BRAKED] += work


@kernel
def count_work(p, w, force, T):
    """What joints and the world did on each tree in the tick. `force` is the friction.

    Columns s have the speeds at the end where something touches, and are overwritten.
    """
    touched = w.met[0] > 0
    for k in range(len(p.parent)):
        if w.linked[k] == 1:
            n = w.motion[k]
            for j in range(WORK, BRAKED + 1):
                n[j] = 0.0
            n[BOUND] = n[STRETCHED] = 0.0
    for o in range(len(w.v1)):
        w.mean[o] = 0.5 * (w.begun[o] + w.v1[o])
    for k in range(len(p.parent)):
        o = p.vi[k]
        if p.kind[k] != FREE and p.damping[o] != math.inf:
            pull = w.free_tau[o] - w.free_slope[o] / T * (w.v1[o] - w.begun[o]) + force[o]
            add_work(w.motion[p.root[k]], T * pull * w.mean[o])
            w.motion[p.root[k], TAKEN] += T * force[o] * (w.v1[o] - w.mean[o])
            w.motion[p.root[k], BRAKED] += T * force[o] * w.mean[o]
    if rigid_rows(p) > 0:
        count_bonds(p, w, T)
    if w.pushed[0] == 0 and not touched and len(p.spring) == 0:
        return
    count_contacts(p, w, True, T)
    spread(p.parent, p.kind, p.vi, w.zero, w.mean, w.S)
    for k in range(len(p.parent) if w.pushed[0] == 1 else 0):
        if w.linked[p.root[k]] == 1:
            s, f, work = w.S[k], w.wrench[k], 0.0
            for j in range(6):
                work += f[j] * s[S_ + j]
            add_work(w.motion[p.root[k]], T * work)
            if p.floats[p.root[k]] == 1:
                push_tree(p, w, k, f, T)
    if len(p.spring) > 0:
        count_springs(p, w, T)
    count_contacts(p, w, False, T)


@kernel_rare
def count_bonds(p, w, T):
    """How much work the forces of rigid bonds would each do alone. In a frame that cannot move there is no other
    energy, and all that forces seem to do in it is what rounding leaves of this.
    """
    for row in range(rigid_rows(p)):
        one, two = ends_of_bond(p, row)
        if w.bond_scale[row] > 0.0:
            f = w.bond_force[row] / w.bond_scale[row]
            for k in (one, two):
                if k >= 0:
                    w.motion[p.root[k], BOUND] += T * f * f


@kernel_rare
def count_springs(p, w, T):
    """What springs between bodies do, by the mean speeds in columns s; rigid bonds do nothing."""
    push = np.empty(6)
    for i in range(len(p.spring)):
        row, rate = rigid_rows(p) + i, 0.0
        for side in range(2):
            k, f = p.spring[i, side], w.bond_force[row]
            if k < 0:
                continue
            lever = w.bond_lever[row, 6 * side : 6 * side + 6]
            moved = six(lever, 0, w.S[k], S_, S_ + 3)
            rate += moved
            if w.linked[p.root[k]] == 0:
                continue
            add_work(w.motion[p.root[k]], T * f * moved)
            if p.floats[p.root[k]] == 1:
                for j in range(6):
                    push[j] = f * lever[j]
                push_tree(p, w, k, push, T)
        stretch = w.spring_length[i] - p.spring_number[i, SPRING_LENGTH]
        w.spring_work[i] = -p.spring_number[i, SPRING_K] * stretch * T * rate


@kernel_rare
def stretch_springs(p, w):
    """What springs store at the end of the tick beyond the work that was done on them, for the trees at their ends.

    It is an error of the step as any other, where the period resolves a spring; one that is too stiff for it loses
    what it swings with, and that is not to be given back. Rows of w.S are those of the end.
    """
    for i in range(len(p.spring)):
        K, L = p.spring_number[i, SPRING_K], p.spring_number[i, SPRING_LENGTH]
        before = w.spring_last[i] - L
        locate_spring(p, w, w.S, i)
        after = w.spring_length[i] - L
        w.spring_last[i] = w.spring_length[i]
        left = (1.0 - w.spring_share[i]) ** 4
        more = left * (0.5 * K * (after - before) * (after + before) + w.spring_work[i])
        one, two = p.spring[i, 0], p.spring[i, 1]
        first = one >= 0 and w.linked[p.root[one]] == 1
        second = two >= 0 and w.linked[p.root[two]] == 1
        part = 0.5 if first and second else 1.0
        size = K * (abs(after) + abs(before)) * w.spring_length[i]  # what rounding of its length is told by
        if first:
            w.motion[p.root[one], STRETCHED] += part * more
            w.motion[p.root[one], BOUND] += size
        if second:
            w.motion[p.root[two], STRETCHED] += part * more
            w.motion[p.root[two], BOUND] += size


# ------------------------------------------------------------ the end of a tick


@kernel
def keep_momentum(p, s, w, k, T):
    """Move the base of a tree that floats and touches nothing else: centre of mass, momentum, angular momentum as they
    must be. w.before has them at the start of the tick, w.sums about the centre of mass at the end.
    """
    t, n, b, foot, m = w.sums[k], w.motion[k], w.before[k], w.S[k], w.sums[k, MASSES]
    i, o = p.qi[k], p.vi[k]
    x0, x1, x2 = t[MOMENT] / m, t[MOMENT + 1] / m, t[MOMENT + 2] / m
    w0, w1, w2 = turned_by(
        t[HULL : HULL + 6],
        b[6] + T * n[TORQUE] - t[SPIN],
        b[7] + T * n[TORQUE + 1] - t[SPIN + 1],
        b[8] + T * n[TORQUE + 2] - t[SPIN + 2],
    )
    turn = (w2 * x1 - w1 * x2, w0 * x2 - w2 * x0, w1 * x0 - w0 * x1)  # so that the centre of mass stays
    for j in range(3):
        push = T * (n[FORCE + j] + m * p.g[j])
        s.v[o + j] += (b[3 + j] + push - t[MOMENTUM + j]) / m + turn[j]
        s.q[i + j] += b[j] + T * (b[3 + j] + 0.5 * push) / m - (foot[COM + j] + t[MOMENT + j] / m)
    s.v[o + 3] += w0
    s.v[o + 4] += w1
    s.v[o + 5] += w2


@kernel
def note_momenta(p, w):
    """Centre of mass, momentum and angular momentum about it, where the tick starts."""
    for k in range(len(p.parent)):
        if w.linked[k] == 1 and p.floats[k] == 1:
            t, b = w.sums[k], w.before[k]
            for j in range(3):
                b[j] = w.S[k, COM + j] + t[MOMENT + j] / t[MASSES]
                b[3 + j], b[6 + j] = t[MOMENTUM + j], t[SPIN + j]


@kernel
def end_balance(p, s, w, T):
    """What the tick owes, from its end in s.q and s.v; rows of S are those of there."""
    moved = False
    look(p, w, s.q, s.v)
    for k in range(len(p.parent)):
        if w.linked[k] == 1 and p.floats[k] == 1 and w.motion[k, TOUCHED] == 0.0:
            keep_momentum(p, s, w, k, T)
            moved = True
    if moved:
        look(p, w, s.q, s.v)
    if len(p.spring) > 0:
        stretch_springs(p, w)
    cut = False
    for k in range(len(p.parent)):
        if w.linked[k] == 0:
            continue
        t, n = w.sums[k], w.motion[k]
        energy = t[KINETIC] + t[POTENTIAL]
        s.swing[k], s.debt[k] = n[MOST], n[OWED] + energy - w.energy[k] - n[WORK] + n[STRETCHED]
        w.energy[k] = energy
        size = t[SIZE] + n[GROSS]
        if abs(s.debt[k]) <= ROUNDING * size:
            s.debt[k] = 0.0
        lost = min(n[TAKEN], -n[BRAKED])
        if lost > 0.0:  # with the motion goes what it had too much: else what moves slowly after it would pay
            s.debt[k] -= s.debt[k] * min(1.0, lost / n[BEGUN]) if n[BEGUN] > 0.0 else s.debt[k]
        over = s.debt[k] - SURPLUS * s.swing[k]
        if over > 0.0 and (p.floats[k] == 0 or n[TOUCHED] == 0.0):
            if over > n[WITHIN] and s.debt[k] - n[OWED] > CLIMB * s.swing[k] + NOTHING * (size + n[BOUND]):
                s.unsolved[0] += 1  # it has climbed, and no speed is left to take that from: it turned too far
            left = max(0.0, 1.0 - over / n[WITHIN]) if n[WITHIN] > 0.0 else 0.0
            lessen(p, w, k, 1.0 - math.sqrt(left), s.v)
            cut = True
    if cut:
        look(p, w, s.q, s.v)
        for k in range(len(p.parent)):
            if w.linked[k] == 1:
                energy = w.sums[k, KINETIC] + w.sums[k, POTENTIAL]
                s.debt[k] += energy - w.energy[k]
                w.energy[k] = energy
    note_momenta(p, w)


@kernel
def restore_balance(p, s, w):
    """What w keeps of it from tick to tick, from where a tick ended."""
    find_linked(p, w)
    look(p, w, s.q, s.v)
    for k in range(len(p.parent)):
        if w.linked[k] == 1:
            w.energy[k] = w.sums[k, KINETIC] + w.sums[k, POTENTIAL]
    note_momenta(p, w)
    for i in range(len(p.spring)):
        locate_spring(p, w, w.S, i)
        w.spring_last[i] = w.spring_length[i]
