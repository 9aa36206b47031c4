"""What joins the bodies of a tree beyond its joints: welds that close loops, gears between joints, springs.

A bond is a row with a force f and a rate r = J v at which it would part. Welds (six rows, in the world's axes) and
gears (one) are rigid: they must not part. Springs give way: r + C f = aim. With M^-1 J' of every row by the elimination
that a solve left behind, Q = T J M^-1 J' + C; a solve ends with f = -Q^-1 (r - aim), and everything that meets in the
tick, contacts and the friction of joints, then feels the tree as its bonds hold it: W - H'Q^-1 H, H being how the rows
of bonds move by a unit of each other force. Rows that follow from others (a plane loop has three too many) are found
by pivots and left out.

What makes rigid bonds hold at the end of a tick is in `closing.py`.
"""

import math

from tegotae.compile import kernel, kernel_rare
from tegotae.multibody.kernels.joints import share
from tegotae.multibody.kernels.kinematics import COM, S_, G, X
from tegotae.multibody.kernels.passes import clear_impulse, respond
from tegotae.multibody.kernels.quantities import spread

ALIKE = 1e-10  # a pivot that is none, in parts of the largest row of its kind and loop
GRAIN = 1e-16  # and such a part of the rows of the other kind, by the way to the bodies, counts: less is rounding
SPRING_K, SPRING_C, SPRING_LENGTH = 6, 7, 8


@kernel
def rigid_rows(p):
    """How many rows do not give way."""
    return 6 * len(p.weld) + len(p.gear)


@kernel
def bond_rows(p):
    """How many rows there are."""
    return rigid_rows(p) + len(p.spring)


# ------------------------------------------------------------ rows: where they push, and how they part


@kernel
def inside(s, x, a):
    """Component a of a vector of a body's internal frame, in the world."""
    return s[3 * a] * x[0] + s[3 * a + 1] * x[1] + s[3 * a + 2] * x[2]


@kernel
def set_push(to, start, s, x0, x1, x2, sign):
    """The unit force to[start:start+3] at the point x of a body, times sign, with its moment."""
    n0, n1, n2 = sign * to[start], sign * to[start + 1], sign * to[start + 2]
    r0, r1, r2 = x0 - s[COM], x1 - s[COM + 1], x2 - s[COM + 2]
    to[start], to[start + 1], to[start + 2] = n0, n1, n2
    to[start + 3], to[start + 4], to[start + 5] = r1 * n2 - r2 * n1, r2 * n0 - r0 * n2, r0 * n1 - r1 * n0


@kernel
def locate_bonds(p, w, S):
    """Levers of all rows, by where the rows S say that bodies are: wrenches of a unit of force on both its bodies."""
    for i in range(len(p.weld)):
        s, b, n = S[p.weld[i, 0]], S[p.weld[i, 1]], p.weld_frame[i]
        for a in range(6):
            to = w.bond_lever[6 * i + a]
            to[:] = 0.0
            if a >= 3:
                to[a], to[6 + a] = 1.0, -1.0
                continue
            to[a] = to[6 + a] = 1.0
            d, e = n[0:3], n[12:15]
            set_push(
                to, 0, s, s[COM] + inside(s, d, 0), s[COM + 1] + inside(s, d, 1), s[COM + 2] + inside(s, d, 2), 1.0
            )
            set_push(
                to, 6, b, b[COM] + inside(b, e, 0), b[COM + 1] + inside(b, e, 1), b[COM + 2] + inside(b, e, 2), -1.0
            )
    for i in range(len(p.spring)):
        locate_spring(p, w, S, i)


@kernel
def locate_spring(p, w, S, i):
    """The lever of a spring, which pulls its first end towards its second, and its length."""
    one, two, n, to = S[p.spring[i, 0]], S[p.spring[i, 1]], p.spring_number[i], w.bond_lever[rigid_rows(p) + i]
    x, y = n[0:3], n[3:6]
    a0, a1, a2 = one[COM] + inside(one, x, 0), one[COM + 1] + inside(one, x, 1), one[COM + 2] + inside(one, x, 2)
    b0, b1, b2 = two[COM] + inside(two, y, 0), two[COM + 1] + inside(two, y, 1), two[COM + 2] + inside(two, y, 2)
    length = math.sqrt((a0 - b0) ** 2 + (a1 - b1) ** 2 + (a2 - b2) ** 2)
    scale = 1.0 / length if length > 0.0 else 0.0
    to[0] = to[6] = (a0 - b0) * scale
    to[1] = to[7] = (a1 - b1) * scale
    to[2] = to[8] = (a2 - b2) * scale
    set_push(to, 0, one, a0, a1, a2, 1.0)
    set_push(to, 6, two, b0, b1, b2, -1.0)
    w.spring_length[i] = length


@kernel
def ends_of_bond(p, row):
    """The two bodies that a row pushes; the joints' for a gear."""
    welds, rigid = 6 * len(p.weld), rigid_rows(p)
    if row < welds:
        return p.weld[row // 6, 0], p.weld[row // 6, 1]
    if row < rigid:
        return p.gear[row - welds, 0], p.gear[row - welds, 1]
    return p.spring[row - rigid, 0], p.spring[row - rigid, 1]


@kernel
def is_gear(p, row):
    """Whether a row joins two joints."""
    return 6 * len(p.weld) <= row < rigid_rows(p)


@kernel
def six(lever, o, s, lin, ang):
    """How a body moves along a lever, from columns lin and ang of its row."""
    return (lever[o] * s[lin] + lever[o + 1] * s[lin + 1] + lever[o + 2] * s[lin + 2]) + (
        lever[o + 3] * s[ang] + lever[o + 4] * s[ang + 1] + lever[o + 5] * s[ang + 2]
    )


@kernel
def bond_rate(p, w, S, v, row, lin, ang):
    """How fast a row parts, from the velocities in columns of S, and from the speeds v of joints."""
    one, two = ends_of_bond(p, row)
    if is_gear(p, row):
        i = row - 6 * len(p.weld)
        return v[p.vi[one]] - p.gear_number[i, 0] * v[p.vi[two]]
    lever = w.bond_lever[row]
    return six(lever, 0, S[one], lin, ang) + six(lever, 6, S[two], lin, ang)


@kernel
def bond_size(p, w, S, v, row):
    """The same of its two sides by themselves, of which the rate is the rest: what rounding is measured by."""
    one, two = ends_of_bond(p, row)
    if is_gear(p, row):
        return abs(v[p.vi[one]]) + abs(p.gear_number[row - 6 * len(p.weld), 0] * v[p.vi[two]])
    lever = w.bond_lever[row]
    return abs(six(lever, 0, S[one], S_, S_ + 3)) + abs(six(lever, 6, S[two], S_, S_ + 3))


@kernel
def pull(p, w, S, row, f):
    """A force along a row into the columns X and G of its bodies, negated as they are."""
    one, two = ends_of_bond(p, row)
    if is_gear(p, row):
        S[one, G] -= f
        S[two, G] += f * p.gear_number[row - 6 * len(p.weld), 0]
        return
    for j in range(6):
        S[one, X + j] -= f * w.bond_lever[row, j]
        if two >= 0:
            S[two, X + j] -= f * w.bond_lever[row, 6 + j]


# ------------------------------------------------------------ how the tree answers, and what that asks of the forces


@kernel
def see_answers(p, w, S, rows, T):
    """w.answer, T M^-1 J' row by row, and w.bond_Q, by the elimination in S; w.bond_scale, how large that is."""
    for row in range(rows):
        clear_impulse(S)
        pull(p, w, S, row, 1.0)
        respond(p.parent, p.kind, p.vi, S, w.a)
        w.bond_scale[row] = T * bond_size(p, w, S, w.a, row)
        for o in range(len(w.a)):
            w.answer[row, o] = T * w.a[o]
        for other in range(row, rows):
            moved = T * bond_rate(p, w, S, w.a, other, S_, S_ + 3)
            w.bond_Q[row, other] = w.bond_Q[other, row] = moved


@kernel
def tell_tension(p, s, w):
    """What springs pulled with in the tick that is solved."""
    for i in range(len(p.spring)):
        s.tension[i] = -w.bond_force[rigid_rows(p) + i]


@kernel
def set_scales(p, w, rows):
    """What each row is divided by. Places and turns of a loop are each scaled by the largest of their kind in it, so
    that rounding is as small in all rows: of a plane loop that is tilted but a little, rows out of its plane are nearly
    nothing, and must stay so. All places are, of a door on two hinges: what its turns do on the way to them tells that.
    """
    scale = w.bond_scale
    for i in range(len(p.weld)):
        n, place, turn, far = 6 * i, 0.0, 0.0, 0.0
        for a in range(3):
            lever = w.bond_lever[n + a]
            place, turn = max(place, scale[n + a]), max(turn, scale[n + 3 + a])
            for j in range(3, 6):
                far += lever[j] * lever[j] + lever[6 + j] * lever[6 + j]
        if far > 0.0:
            place, turn = max(place, GRAIN * far * turn), max(turn, GRAIN * place / far)
        for a in range(3):
            scale[n + a], scale[n + 3 + a] = place, turn
    for row in range(rows):
        if row >= rigid_rows(p):
            scale[row] = w.bond_Q[row, row]
        scale[row] = 1.0 / math.sqrt(scale[row]) if scale[row] > 0.0 else 0.0


@kernel
def factorise(p, w, rows):
    """L of w.bond_Q with pivots; rows that follow from others are left out."""
    L, scale, order = w.bond_L, w.bond_scale, w.bond_order
    set_scales(p, w, rows)
    for i in range(rows):
        order[i] = i
    for i in range(rows):
        for j in range(rows):
            L[i, j] = scale[i] * scale[j] * w.bond_Q[i, j]
    rank = 0
    for k in range(rows):
        best = k
        for i in range(k + 1, rows):
            if L[order[i], order[i]] > L[order[best], order[best]]:
                best = i
        order[k], order[best] = order[best], order[k]
        a = order[k]
        if not L[a, a] > ALIKE:
            break
        rank += 1
        L[a, a] = math.sqrt(L[a, a])
        for i in range(k + 1, rows):
            L[order[i], a] /= L[a, a]
        for i in range(k + 1, rows):
            b = order[i]
            for j in range(k + 1, i + 1):
                c = order[j]
                L[b, c] -= L[b, a] * L[c, a]
                L[c, b] = L[b, c]
    w.bond_rank[0] = rank


@kernel
def solve_bonds(w, x):
    """x = Q^-1 x; 0 for rows that were left out."""
    L, scale, order, rank = w.bond_L, w.bond_scale, w.bond_order, w.bond_rank[0]
    for k in range(rank):
        a = order[k]
        x[a] *= scale[a]
        for j in range(k):
            x[a] -= L[a, order[j]] * x[order[j]]
        x[a] /= L[a, a]
    for k in range(rank - 1, -1, -1):
        a = order[k]
        for i in range(k + 1, rank):
            x[a] -= L[order[i], a] * x[order[i]]
        x[a] /= L[a, a]
    for k in range(len(x)):
        a = order[k]
        x[a] = x[a] * scale[a] if k < rank else 0.0


@kernel
def soften(p, w, T):
    """How each spring gives way, 1/(what its force falls with its rate), and the rate at which it would not pull.

    By the midpoint as a servo, see `prepare_joints_between` in `midpoint.py`, but for shares that vanish as the square
    of that: a spring that the period resolves keeps its energy. By Euler as it is at the end of the tick.
    """
    rigid = rigid_rows(p)
    for i in range(len(p.spring)):
        K, c, row = p.spring_number[i, SPRING_K], p.spring_number[i, SPRING_C], rigid + i
        force, falls, moves = (
            -K * (w.spring_length[i] - p.spring_number[i, SPRING_LENGTH]),
            c + K * T,
            w.bond_Q[row, row],
        )
        if w.bond_middle[0] == 1:  # the least that it moves is T/Q
            fast, slow = T * K * moves, 0.5 * c * moves
            stiff = share(fast * fast)
            w.spring_share[i] = stiff
            force -= (c + stiff * K * T) * w.spring_begun[i]
            falls = 0.5 * (c + stiff * K * T + share((fast + slow) ** 2) * (c + K * T))
            w.bond_aim[row] = force / falls + w.spring_begun[i]
        else:
            w.bond_aim[row] = force / falls
        w.bond_Q[row, row] += 1.0 / falls


@kernel_rare
def see_bonds(p, w, T):
    """How the tree answers the forces of its bonds, by the elimination in the rows of S."""
    rows = bond_rows(p)
    locate_bonds(p, w, w.S)
    see_answers(p, w, w.S, rows, T)
    soften(p, w, T)
    factorise(p, w, rows)


@kernel_rare
def bind(p, w, T):
    """The speeds w.v1 of the tree as its bonds hold it, and their forces; how it answers is kept for other forces."""
    rows = bond_rows(p)
    see_bonds(p, w, T)
    spread(p.parent, p.kind, p.vi, w.zero, w.v1, w.S)
    for row in range(rows):
        w.bond_x[row] = w.bond_aim[row] - bond_rate(p, w, w.S, w.v1, row, S_, S_ + 3)
        w.bond_force[row] = 0.0
    apply_bonds(w, rows, w.v1)


@kernel
def apply_bonds(w, rows, v):
    """Add to speeds what bonds do for the rates in w.bond_x, and to their forces."""
    solve_bonds(w, w.bond_x[:rows])
    for row in range(rows):
        f = w.bond_x[row]
        w.bond_force[row] += f
        if f != 0.0:
            for o in range(len(v)):
                v[o] += f * w.answer[row, o]


@kernel_rare
def hold_answer(p, w):
    """The answer of the tree to an impulse, in w.a and columns s, as its bonds let it answer."""
    rows = bond_rows(p)
    for row in range(rows):
        w.bond_x[row] = -bond_rate(p, w, w.S, w.a, row, S_, S_ + 3)
    solve_bonds(w, w.bond_x[:rows])
    for row in range(rows):
        for o in range(len(w.a)):
            w.a[o] += w.bond_x[row] * w.answer[row, o]
    spread(p.parent, p.kind, p.vi, w.zero, w.a, w.S)
