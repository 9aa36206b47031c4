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

from tegotae.compiling import kernel, kernel_inside

WALL, PEG = 0, 1
# Columns of a row of `things`: kind, x, y, normal x, y (or radius, -), K, B, mu.
THING = 8
# Columns of a row of `near`, by node and thing: normal x, y, gap, stretch along the face, limit there.
NEAR = 5


class Table(NamedTuple):
    """The ground and what stands on it, for n nodes and m things, with the state of their elements.

    F (n, 3) limits forward, backward, across; k, b (n) as above; law: rise, v_s of  sigma = 1 + rise exp(-(w/v_s)^2),
    and a force to which rounding is compared.
    State: q (n, 2) anchors, sigma (n), near (n, m, NEAR). Room: e (n, 2) stretch along and across, d (n, 2) direction
    of the body, X, U0, U, step (n, 2) places and velocities, f (n, 2), slope (n, 3), grip (n, 3), load (n, 3),
    lag (n, 2) what turning takes from J a, push (n, 2) of things, w (n) slip speed.
    """

    F: np.ndarray
    k: np.ndarray
    b: np.ndarray
    law: np.ndarray
    things: np.ndarray
    q: np.ndarray
    sigma: np.ndarray
    near: np.ndarray
    e: np.ndarray
    d: np.ndarray
    X: np.ndarray
    U0: np.ndarray
    U: np.ndarray
    step: np.ndarray
    f: np.ndarray
    slope: np.ndarray
    grip: np.ndarray
    load: np.ndarray
    lag: np.ndarray
    push: np.ndarray
    w: np.ndarray


def table_room(n, m):
    """The arrays of a `Table` that are state or only worked in."""
    pairs = ("q", "e", "d", "X", "U0", "U", "step", "f", "lag", "push")
    triples = ("slope", "grip", "load")
    arrays = {name: np.zeros((n, 2)) for name in pairs} | {name: np.zeros((n, 3)) for name in triples}
    return arrays | {"sigma": np.ones(n), "w": np.zeros(n), "near": np.zeros((n, m, NEAR))}


@kernel
def rub(Ff, Fb, Fn, k, ic, sigma, et, en, c, s, ux, uy):
    """Friction on a node that moves with u in the direction (c, s) of the body: force x, y, slope xx, xy, yy."""
    xt = k * et - ic * (c * ux + s * uy)
    xn = k * en - ic * (c * uy - s * ux)
    Ft = Fb if xt > 0.0 else Ff
    At, An = Ft * Ft, Fn * Fn
    ft, fn = At * xt, An * xn
    tt, tn, nn = -ic * At, 0.0, -ic * An
    square = ft * xt + fn * xn
    if square > sigma * sigma:
        over = 1.0 / math.sqrt(square)
        ratio, bend = sigma * over, ic * sigma * over * over * over
        tt, tn, nn = tt * ratio + bend * ft * ft, bend * ft * fn, nn * ratio + bend * fn * fn
        ft, fn = ft * ratio, fn * ratio
    xx = c * c * tt - 2.0 * c * s * tn + s * s * nn
    xy = c * s * (tt - nn) + (c * c - s * s) * tn
    yy = s * s * tt + 2.0 * c * s * tn + c * c * nn
    return c * ft - s * fn, s * ft + c * fn, xx, xy, yy


@kernel
def slide(Ff, Fb, Fn, k, ic, sigma, et, en, c, s, ux, uy):
    """How the anchor follows: its velocity x, y."""
    xt = k * et - ic * (c * ux + s * uy)
    xn = k * en - ic * (c * uy - s * ux)
    Ft = Fb if xt > 0.0 else Ff
    square = (Ft * xt) ** 2 + (Fn * xn) ** 2
    if square <= sigma * sigma:
        return 0.0, 0.0
    way = -(1.0 - sigma / math.sqrt(square)) / ic
    wt, wn = way * xt, way * xn
    return c * wt - s * wn, s * wt + c * wn


@kernel
def twist(Ff, Fb, Fn, k, et, en):
    """Torque of the ground on a node: it pulls at the anchor, beside the node, e x f."""
    Ft = Fb if et > 0.0 else Ff
    return k * et * en * (Fn * Fn - Ft * Ft)


@kernel
def meet(nx, ny, gap, stretch, limit, K, ic, ux, uy):
    """A wall or peg against a node: force x, y, slope xx, xy, yy, and its parts along the normal and the face."""
    f = max(-K * gap - ic * (nx * ux + ny * uy), 0.0)
    if f == 0.0 and limit == 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    xx, xy, yy = 0.0, 0.0, 0.0
    if f > 0.0:
        xx, xy, yy = -ic * nx * nx, -ic * nx * ny, -ic * ny * ny
    # Friction also in the tick that lets go: were it to end with f, the force would jump.
    stuck = K * stretch - ic * (nx * uy - ny * ux)
    g = min(max(stuck, -limit), limit)
    if abs(stuck) < limit:
        xx, xy, yy = xx - ic * ny * ny, xy + ic * nx * ny, yy - ic * nx * nx
    return f * nx - g * ny, f * ny + g * nx, xx, xy, yy, f, g


@kernel_inside
def look(table):
    """Where everything stands relative to the nodes at the start of a tick; X and d must be set."""
    X, d, q, e, things, near = table.X, table.d, table.q, table.e, table.things, table.near
    for i in range(X.shape[0]):
        x, y, c, s = X[i, 0], X[i, 1], d[i, 0], d[i, 1]
        ex, ey = q[i, 0] - x, q[i, 1] - y
        e[i, 0], e[i, 1] = c * ex + s * ey, c * ey - s * ex
        for j in range(things.shape[0]):
            one = things[j]
            dx, dy = x - one[1], y - one[2]
            if one[0] == WALL:
                near[i, j, 0], near[i, j, 1] = one[3], one[4]
                near[i, j, 2] = dx * one[3] + dy * one[4]
            else:
                far = math.sqrt(dx * dx + dy * dy)
                near[i, j, 0], near[i, j, 1] = (dx / far, dy / far) if far > 0.0 else (1.0, 0.0)
                near[i, j, 2] = far - one[3]


@kernel_inside
def answer(table, U, T):
    """Force and slope of all that grips each node for its trial velocity, into f and slope."""
    F, b, sigma, e, d = table.F, table.b, table.sigma, table.e, table.d
    things, f, slope = table.things, table.f, table.slope
    m = things.shape[0]
    for i in range(U.shape[0]):
        ux, uy = U[i, 0], U[i, 1]
        fx, fy, xx, xy, yy = 0.0, 0.0, 0.0, 0.0, 0.0
        k = table.k[i]
        if k > 0.0:
            fx, fy, xx, xy, yy = rub(
                F[i, 0], F[i, 1], F[i, 2], k, k * T + b[i], sigma[i],
                e[i, 0], e[i, 1], d[i, 0], d[i, 1], ux, uy,
            )  # fmt: skip
        for j in range(m):
            near, K = table.near[i, j], things[j, 5]
            ax, ay, bxx, bxy, byy, _, _ = meet(
                near[0], near[1], near[2], near[3], near[4], K, K * T + things[j, 6], ux, uy
            )
            fx, fy, xx, xy, yy = fx + ax, fy + ay, xx + bxx, xy + bxy, yy + byy
        f[i, 0], f[i, 1] = fx, fy
        slope[i, 0], slope[i, 1], slope[i, 2] = xx, xy, yy


@kernel_inside
def settle(table, U, T):
    """Commit the velocities that really happened: anchors follow, limits change with the slip speed."""
    F, b, sigma, d, q, w, law, push = table.F, table.b, table.sigma, table.d, table.q, table.w, table.law, table.push
    things = table.things
    for i in range(U.shape[0]):
        ux, uy, k = U[i, 0], U[i, 1], table.k[i]
        if k > 0.0:
            wx, wy = slide(
                F[i, 0], F[i, 1], F[i, 2], k, k * T + b[i], sigma[i],
                table.e[i, 0], table.e[i, 1], d[i, 0], d[i, 1], ux, uy,
            )  # fmt: skip
            q[i, 0] += T * wx
            q[i, 1] += T * wy
            w[i] = math.hypot(wx, wy)
            if law[0] > 0.0:
                sigma[i] = 1.0 + law[0] * math.exp(-((w[i] / law[1]) ** 2))
        push[i, 0] = push[i, 1] = 0.0
        for j in range(things.shape[0]):
            near, K = table.near[i, j], things[j, 5]
            ic = K * T + things[j, 6]
            ax, ay, _, _, _, f, g = meet(near[0], near[1], near[2], near[3], near[4], K, ic, ux, uy)
            push[i, 0] += ax
            push[i, 1] += ay
            # e1 = (B e + T g)/(B + T K) with g the force on the node: the bare element's next stretch.
            near[3] = (things[j, 6] * near[3] + T * g) / ic if f > 0.0 else 0.0
            near[4] = things[j, 7] * f


@kernel_inside
def stored(table):
    """Energy in the bristles, of the stretches that `look` found."""
    k, e, F = table.k, table.e, table.F
    total = 0.0
    for i in range(k.shape[0]):
        et, en = e[i, 0], e[i, 1]
        Ft = F[i, 1] if et > 0.0 else F[i, 0]
        total += 0.5 * k[i] * ((Ft * et) ** 2 + (F[i, 2] * en) ** 2)
    return total
