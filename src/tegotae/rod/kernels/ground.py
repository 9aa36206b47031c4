"""What a node of a rod meets: friction of the ground under it, walls and pegs beside it.

Friction is the massless elastic, plastic element of this project in two directions, along (t) and across (n) the body.
The bristles between node and ground grip with F_t, F_n and are as much softer in a direction as they grip less there,
stiffness k F_i^2. With the stretch e from node to anchor and  x_i = k e_i - (k T + b) v_i  the force is

    f_i = F_i^2 x_i,  and when  r = sqrt(sum F_i^2 x_i^2) > sigma,  f_i = sigma F_i^2 x_i / r:

the step to the ellipse of greatest dissipation, solved exactly by one division, its slope symmetric. The anchor rests
where it is while the node sticks, so a stuck node cannot creep, and follows by  w_i = -(1 - sigma/r) x_i/(k T + b)
when it slips. F_t is one number for f_t < 0 (moving forward) and another for f_t > 0. sigma >= 1 raises the limit at
low slip speed; it is that of the last tick, so that each step stays a convex problem with one solution.

A wall or peg pushes with  f = max(0, -K gap - (K T + B) v_n), the gap at the start of the tick, and rubs by the
one-dimensional element with the limit mu f of the last tick.
"""

import math
from typing import NamedTuple

import numpy as np

from tegotae.compile import kernel_rare, kernel_sums, kernel_sums_inside
from tegotae.kernels.stick_slip import limited
from tegotae.rod.kernels import simd_rows as at
from tegotae.rod.kernels.simd_rows import FIELDS, SIMD, where

# Walls and pegs, all walls first, are rows of `things`: x, y, normal x, y (or radius, -), K, B, mu, e.
THING = 8
NO_RESTITUTION = -1.0  # as e, of what spring and damper alone throw back
# By node and thing, `near`: normal x, y, gap; `face`: stretch along the face, limit there, and where it has a
# restitution 1 while it touches lastingly; `blows`: see `impact`.
NEAR, FACE, BLOW = 3, 3, 7


class Things(NamedTuple):
    """What stands on the ground, for n nodes and m things: number of walls, things (m, THING), near (n, m, NEAR), and
    the state of their elements, face (n, m, FACE); how many have a restitution, and their blows (n, m, BLOW).
    """

    walls: int
    things: np.ndarray
    near: np.ndarray
    face: np.ndarray
    bouncing: int
    blows: np.ndarray


@kernel_sums_inside
def grips(law):
    """Whether there is any ground, wall or peg: else each step is linear, and all that follows has nothing to do."""
    return law[2] > 0.0


@kernel_sums_inside
def rub(A_forward, A_backward, An, k, ic, sigma, et, en, c, s, vx, vy):
    """Friction on a node that moves with v in the direction (c, s) of the body.

    -> force x, y, slope xx, xy, yy, velocity of the anchor x, y times ic, which is 0 while it sticks.
    """
    xt = k * et - ic * (c * vx + s * vy)
    xn = k * en - ic * (c * vy - s * vx)
    At = A_backward if xt > 0.0 else A_forward
    ft, fn = At * xt, An * xn
    square = ft * xt + fn * xn
    slips = square > sigma * sigma
    over = 1.0 / math.sqrt(square) if slips else 0.0
    ratio = sigma * over if slips else 1.0
    bend = ic * ratio * over * over
    tt, tn, nn = bend * ft * ft - ic * ratio * At, bend * ft * fn, bend * fn * fn - ic * ratio * An
    excess = ratio - 1.0
    cc, ss, cs = c * c, s * s, c * s
    xx, yy = cc * tt - 2.0 * cs * tn + ss * nn, ss * tt + 2.0 * cs * tn + cc * nn
    xy = cs * (tt - nn) + (cc - ss) * tn
    fx, fy = ratio * (c * ft - s * fn), ratio * (s * ft + c * fn)
    return fx, fy, xx, xy, yy, excess * (c * xt - s * xn), excess * (s * xt + c * xn)


@kernel_sums_inside
def press(nx, ny, gap, stretch, limit, K, ic, ux, uy):
    """A wall or peg against a node: force x, y, slope xx, xy, yy, and its parts along the normal and the face."""
    f = max(-K * gap - ic * (nx * ux + ny * uy), 0.0)
    if f == 0.0 and limit == 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    xx, xy, yy = 0.0, 0.0, 0.0
    if f > 0.0:
        xx, xy, yy = -ic * nx * nx, -ic * nx * ny, -ic * ny * ny
    # Friction also in the tick that lets go: were it to end with f, the force would jump.
    stuck = K * stretch - ic * (nx * uy - ny * ux)
    g = limited(stuck, limit)
    if abs(stuck) < limit:  # not `stick_slip`: that calls it stuck at 0 of 0, which would make a smooth face resist
        xx, xy, yy = xx - ic * ny * ny, xy + ic * nx * ny, yy - ic * nx * nx
    return f * nx - g * ny, f * ny + g * nx, xx, xy, yy, f, g


@kernel_sums_inside
def strike(nx, ny, blow, stretch, limit, K, ic, ux, uy):
    """The same of one with a restitution, in a step in which it is left out, or strikes: blow is push, steepness and
    speed to leave with; it is steep, and pushes just as much as it takes.
    """
    push, steep, target = blow[1], blow[2], blow[3]
    f = max(push + steep * (target - nx * ux - ny * uy), 0.0)
    stuck = K * stretch - ic * (nx * uy - ny * ux)
    g = limited(stuck, limit)
    xx, xy, yy = 0.0, 0.0, 0.0
    if f > 0.0:
        xx, xy, yy = -steep * nx * nx, -steep * nx * ny, -steep * ny * ny
    if abs(stuck) < limit:
        xx, xy, yy = xx - ic * ny * ny, xy + ic * nx * ny, yy - ic * nx * nx
    return f * nx - g * ny, f * ny + g * nx, xx, xy, yy, f, g


@kernel_sums_inside
def give(A_forward, A_backward, An, k, most, et, en):
    """How much of a stretch the bristles can hold: 1, or less where they would pull with more than `most` limits."""
    At = A_backward if et > 0.0 else A_forward
    square = k * k * (At * et * et + An * en * en)
    return most / math.sqrt(square) if square > most * most else 1.0


@kernel_sums
def locate_bristles(w, law, ahead):
    """Where the anchors are relative to the nodes, all of them `ahead` of the start of a step [s]; a bristle pulls at
    its anchor, beside the node, so it has a torque e x f.

    A step moves a node along its velocity, its angles move it along an arc. What that stretches beyond the limit no
    bristle holds: it gives way at once, or stiff ground would be given energy that nobody spent.
    """
    most = 1.0 + law[0]
    for b in range(0, w.shape[0] // FIELDS, SIMD):
        o = w[b * FIELDS : (b + SIMD) * FIELDS]
        for j in range(min(SIMD, w.shape[0] // FIELDS - b)):
            c, s = o[at.C + j], o[at.S + j]
            o[at.QX + j] += ahead * o[at.WX + j]
            o[at.QY + j] += ahead * o[at.WY + j]
            ex, ey = o[at.QX + j] - o[at.PX + j], o[at.QY + j] - o[at.PY + j]
            et, en = c * ex + s * ey, c * ey - s * ex
            forward, backward = o[at.A_FORWARD + j], o[at.A_BACKWARD + j]  # both read: so a row is taken at once
            held = give(forward, backward, o[at.A_ACROSS + j], o[at.K + j], most, et, en)
            o[at.QX + j] -= (1.0 - held) * ex
            o[at.QY + j] -= (1.0 - held) * ey
            et, en = held * et, held * en
            At = backward if et > 0.0 else forward
            o[at.ET + j], o[at.EN + j] = et, en
            o[at.TWIST + j] = o[at.K + j] * et * en * (o[at.A_ACROSS + j] - At)


@kernel_sums
def locate(w, n, law, around, ahead):
    """Where everything stands relative to the nodes, `ahead` of the start of a step [s]: anchors, walls and pegs.

    law: rise, v_s of  sigma = 1 + rise exp(-(slip speed/v_s)^2), and a force to which rounding is compared.
    """
    locate_bristles(w, law, ahead)
    things, near = around.things, around.near
    if things.shape[0] == 0:
        return
    for i in range(n):
        x, y = w[where(i) + at.PX], w[where(i) + at.PY]
        for j in range(things.shape[0]):
            one = things[j]
            dx, dy = x - one[0], y - one[1]
            if j < around.walls:
                near[i, j, 0], near[i, j, 1] = one[2], one[3]
                near[i, j, 2] = dx * one[2] + dy * one[3]
            else:
                far = math.sqrt(dx * dx + dy * dy)
                near[i, j, 0], near[i, j, 1] = (dx / far, dy / far) if far > 0.0 else (1.0, 0.0)
                near[i, j, 2] = far - one[2]


@kernel_sums_inside
def press_one(around, i, j, one, e, K, ic, ux, uy):
    """As spring and damper tell."""
    return press(one[0], one[1], one[2], e[0], e[1], K, ic, ux, uy)


@kernel_sums_inside
def press_or_strike(around, i, j, one, e, K, ic, ux, uy):
    """As spring and damper tell, unless a restitution does in this step."""
    if around.blows[i, j, 0] > 0.0:
        return strike(one[0], one[1], around.blows[i, j], e[0], e[1], K, ic, ux, uy)
    return press(one[0], one[1], one[2], e[0], e[1], K, ic, ux, uy)


def pusher(meets):
    """What walls and pegs do, each by meets(...); apart, so that nothing is asked where none has a restitution."""

    @kernel_sums
    def push(w, n, T, around, commit):
        """Add what walls and pegs do to G; or, to commit, note it in PUSH and let their own elements follow."""
        things, near, face = around.things, around.near, around.face
        for i in range(n):
            o = where(i)
            x, y = 0.0, 0.0
            for j in range(things.shape[0]):
                one, e, K, D = near[i, j], face[i, j], things[j, 4], things[j, 5]
                ic = K * T + D
                ax, ay, xx, xy, yy, f, g = meets(around, i, j, one, e, K, ic, w[o + at.VX], w[o + at.VY])
                x, y = x + ax, y + ay
                if commit:
                    # e1 = (B e + T g)/(B + T K) with g the force on the node: the bare element's next stretch.
                    e[0] = (D * e[0] + T * g) / ic if f > 0.0 else 0.0
                    e[1] = things[j, 6] * f
                else:
                    w[o + at.GXX], w[o + at.GXY], w[o + at.GYY] = (
                        w[o + at.GXX] + xx, w[o + at.GXY] + xy, w[o + at.GYY] + yy
                    )  # fmt: skip
            if commit:
                w[o + at.PUSHX], w[o + at.PUSHY] = x, y
            else:
                w[o + at.GX], w[o + at.GY] = w[o + at.GX] + x, w[o + at.GY] + y

    return push


push, _push_or_strike = pusher(press_one), pusher(press_or_strike)


@kernel_rare
def push_or_strike(w, n, T, around, commit):
    """The same where some have a restitution; out of the way of the others."""
    _push_or_strike(w, n, T, around, commit)


@kernel_sums
def answer(w, n, T, around):
    """Force and slope of all that grips each node for its trial velocity V, into G; how its anchor would follow."""
    for b in range(0, w.shape[0] // FIELDS, SIMD):
        o = w[b * FIELDS : (b + SIMD) * FIELDS]
        for j in range(min(SIMD, w.shape[0] // FIELDS - b)):
            k = o[at.K + j]
            (
                o[at.GX + j], o[at.GY + j], o[at.GXX + j], o[at.GXY + j], o[at.GYY + j], o[at.WX + j], o[at.WY + j]
            ) = rub(
                o[at.A_FORWARD + j], o[at.A_BACKWARD + j], o[at.A_ACROSS + j], k, k * T + o[at.B + j], o[at.SIGMA + j],
                o[at.ET + j], o[at.EN + j], o[at.C + j], o[at.S + j], o[at.VX + j], o[at.VY + j],
            )  # fmt: skip
    if around.things.shape[0] > 0:
        if around.bouncing > 0:
            push_or_strike(w, n, T, around, False)
        else:
            push(w, n, T, around, False)


@kernel_sums
def commit(w, n, T, rest, law, around):
    """Commit the velocities that really happened: anchors follow for the rest of the step [s], limits change with the
    slip speed.
    """
    for b in range(0, w.shape[0] // FIELDS, SIMD):
        o = w[b * FIELDS : (b + SIMD) * FIELDS]
        for j in range(min(SIMD, w.shape[0] // FIELDS - b)):
            ic = o[at.K + j] * T + o[at.B + j]
            over = 1.0 / ic if ic > 0.0 else 0.0
            wx, wy = over * o[at.WX + j], over * o[at.WY + j]
            o[at.WX + j], o[at.WY + j] = wx, wy
            o[at.QX + j] += rest * wx
            o[at.QY + j] += rest * wy
        for j in range(min(SIMD, n - b) if law[0] > 0.0 else 0):
            slip = (o[at.WX + j] ** 2 + o[at.WY + j] ** 2) / law[1] ** 2
            o[at.SIGMA + j] = 1.0 + law[0] * math.exp(-slip)
    if around.things.shape[0] > 0:
        if around.bouncing > 0:
            push_or_strike(w, n, T, around, True)
        else:
            push(w, n, T, around, True)


@kernel_sums_inside
def stored(w, o, law, x, y):
    """Energy in the bristles of the node at w[o], which is at x, y: as much as they hold of their stretch."""
    c, s, ex, ey = w[o + at.C], w[o + at.S], w[o + at.QX] - x, w[o + at.QY] - y
    et, en = c * ex + s * ey, c * ey - s * ex
    At = w[o + at.A_BACKWARD] if et > 0.0 else w[o + at.A_FORWARD]
    held = give(w[o + at.A_FORWARD], w[o + at.A_BACKWARD], w[o + at.A_ACROSS], w[o + at.K], 1.0 + law[0], et, en)
    return 0.5 * w[o + at.K] * held * held * (At * et * et + w[o + at.A_ACROSS] * en * en)
