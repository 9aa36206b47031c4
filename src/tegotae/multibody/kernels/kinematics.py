"""Where the bodies of a tree are and how they move, the first of Rosenthal's passes; where that leads. [tarao1999 3.3]

World components at each centre of mass, velocity first. Row k of S holds what is known of body k; the last row is the
world, so a parent of -1 needs no branch. Accelerations are counted from free fall (v' - g): gravity then appears only
as the acceleration -g of the world.

Columns of S: see below. p = (p_l, p_a) is how the body moves when its joint does (partial velocity), d the way from the
parent's centre of mass to its own, M = [[A, B], [B', C]] the articulated inertia, X the articulated bias,
Y = Phi'M p, D = p.M p + slope, s the part of the acceleration that is linear in the unknown ones.
"""

import numpy as np

from tegotae.compile import kernel, kernel_rare
from tegotae.kernels.rotations import cos_sin, cross, matrix, product, quaternion_about, turn_rate, turned, unit

# Kinds of rows by their joints. The three axes of a ball are rows of their own, one after the other: the first two
# carry nothing but the next; the last carries the body. Their speeds are the parts of one angular velocity along axes
# that are fixed to what carries the ball, so that no position is singular; its quaternion stands where the first has
# its coordinate.
REVOLUTE, PRISMATIC, FREE, BALL_X, BALL_Y, BALL = range(6)

R, COM, OMEGA, VELOCITY = 0, 9, 12, 15
ACCELERATION, ALPHA = 18, 21  # a_t, alpha_t: the remainders
D_WAY, P = 24, 27  # d; p_l, p_a
OWN_INERTIA, OWN_BIAS = 33, 39  # (xx, yy, zz, xy, xz, yz) in the world; (m a_t, I alpha_t + w x I w)
A, B, C_, X = 45, 51, 60, 66
Y, D, INVERSE, G, S_ = 72, 78, 79, 80, 81  # 1/D after D
CHOLESKY = 87  # 21 numbers, free bodies only
TURN = 87  # cosine, sine and slide of the joint, all others
WIDTH = 108

# Columns of the constants of a body.
PLACE, D1, R1, MASS, INERTIA, ARMATURE, LEAST, CONSTANTS = 0, 9, 12, 15, 16, 22, 23, 24


@kernel
def prepare_world(S, g):
    """The row of the world: it does not move, and falls upwards."""
    w = S[-1]
    w[:] = 0.0
    w[R] = w[R + 4] = w[R + 8] = 1.0
    for a in range(3):
        w[ACCELERATION + a] = -g[a]


@kernel
def place_free(s, q, o):
    """R from a unit quaternion (w, x, y, z) after the position of the centre of mass."""
    a, b, c, d, e, f, g, h, i = matrix(2.0, q[o + 3], q[o + 4], q[o + 5], q[o + 6])
    s[R], s[R + 1], s[R + 2] = a, b, c
    s[R + 3], s[R + 4], s[R + 5] = d, e, f
    s[R + 6], s[R + 7], s[R + 8] = g, h, i
    s[COM], s[COM + 1], s[COM + 2] = q[o], q[o + 1], q[o + 2]


@kernel
def place_row(c, i, s, j, cos, sin, slide):
    """Row j of R, and that of the centre of mass and of d. The axis and the way from the joint come back."""
    x, y, z = i[3 * j], i[3 * j + 1], i[3 * j + 2]
    # Of A = R_i place, whose third column is the axis.
    a0 = x * c[0] + y * c[3] + z * c[6]
    a1 = x * c[1] + y * c[4] + z * c[7]
    axis = x * c[2] + y * c[5] + z * c[8]
    # d begins with the way from the parent's centre of mass to the joint.
    d = (x * c[9] + y * c[10] + z * c[11]) + axis * slide
    x, y = cos * a0 + sin * a1, cos * a1 - sin * a0
    r = x * c[12] + y * c[13] + axis * c[14]
    s[3 * j], s[3 * j + 1], s[3 * j + 2] = x, y, axis
    s[D_WAY + j], s[COM + j] = d + r, i[COM + j] + d + r
    return axis, r


@kernel
def place_joint(kind, c, i, s):
    """R, centre of mass, d and p of a body from its parent's row, and from how its joint turned it and let it slide."""
    cos, sin, slide = s[TURN], s[TURN + 1], s[TURN + 2]
    a0, r0 = place_row(c, i, s, 0, cos, sin, slide)
    a1, r1 = place_row(c, i, s, 1, cos, sin, slide)
    a2, r2 = place_row(c, i, s, 2, cos, sin, slide)
    if kind == PRISMATIC:
        s[P], s[P + 1], s[P + 2] = a0, a1, a2
        s[P + 3] = s[P + 4] = s[P + 5] = 0.0
    else:  # p = (axis x r, axis)
        s[P], s[P + 1], s[P + 2] = cross(a0, a1, a2, r0, r1, r2)
        s[P + 3], s[P + 4], s[P + 5] = a0, a1, a2


@kernel_rare
def place_ball(c, i, s, q, o):
    """The same of a body on a ball, whose quaternion is q[o:o+4]; the joint's frame stands still in the parent's."""
    a, b, d, e, f, g, h, k, m = matrix(2.0, q[o], q[o + 1], q[o + 2], q[o + 3])
    for j in range(3):
        x, y, z = i[3 * j], i[3 * j + 1], i[3 * j + 2]
        j0 = x * c[0] + y * c[3] + z * c[6]
        j1 = x * c[1] + y * c[4] + z * c[7]
        j2 = x * c[2] + y * c[5] + z * c[8]
        s[3 * j], s[3 * j + 1], s[3 * j + 2] = (
            j0 * a + j1 * e + j2 * h,
            j0 * b + j1 * f + j2 * k,
            j0 * d + j1 * g + j2 * m,
        )
        r = s[3 * j] * c[12] + s[3 * j + 1] * c[13] + s[3 * j + 2] * c[14]
        s[P + 3 + j], s[P + j] = j2, r  # the axis, and for a moment the way from the joint
        s[D_WAY + j] = (x * c[9] + y * c[10] + z * c[11]) + r
        s[COM + j] = i[COM + j] + s[D_WAY + j]
    s[P], s[P + 1], s[P + 2] = cross(s[P + 3], s[P + 4], s[P + 5], s[P], s[P + 1], s[P + 2])


@kernel
def place_link(kind, c, i, s, q, o):
    """R, centre of mass, d and p of a body that another carries."""
    if kind == BALL:
        place_ball(c, i, s, q, o)
    else:
        place_joint(kind, c, i, s)


@kernel
def turn_inertia(c, s):
    """I = R I_c R', symmetric."""
    xx, yy, zz, xy, xz, yz = c[16], c[17], c[18], c[19], c[20], c[21]
    a, b, d = s[0], s[1], s[2]
    x, y, z = a * xx + b * xy + d * xz, a * xy + b * yy + d * yz, a * xz + b * yz + d * zz
    s[OWN_INERTIA] = x * a + y * b + z * d
    s[OWN_INERTIA + 3] = x * s[3] + y * s[4] + z * s[5]
    s[OWN_INERTIA + 4] = x * s[6] + y * s[7] + z * s[8]
    a, b, d = s[3], s[4], s[5]
    x, y, z = a * xx + b * xy + d * xz, a * xy + b * yy + d * yz, a * xz + b * yz + d * zz
    s[OWN_INERTIA + 1] = x * a + y * b + z * d
    s[OWN_INERTIA + 5] = x * s[6] + y * s[7] + z * s[8]
    a, b, d = s[6], s[7], s[8]
    x, y, z = a * xx + b * xy + d * xz, a * xy + b * yy + d * yz, a * xz + b * yz + d * zz
    s[OWN_INERTIA + 2] = x * a + y * b + z * d


@kernel
def bias(mass, s):
    """(m a_t, I alpha_t + w x I w): what the body needs to move as it already does."""
    xx, yy, zz = s[OWN_INERTIA], s[OWN_INERTIA + 1], s[OWN_INERTIA + 2]
    xy, xz, yz = s[OWN_INERTIA + 3], s[OWN_INERTIA + 4], s[OWN_INERTIA + 5]
    w0, w1, w2 = s[OMEGA], s[OMEGA + 1], s[OMEGA + 2]
    a0, a1, a2 = s[ALPHA], s[ALPHA + 1], s[ALPHA + 2]
    h0, h1, h2 = xx * w0 + xy * w1 + xz * w2, xy * w0 + yy * w1 + yz * w2, xz * w0 + yz * w1 + zz * w2
    s[OWN_BIAS] = mass * s[ACCELERATION]
    s[OWN_BIAS + 1] = mass * s[ACCELERATION + 1]
    s[OWN_BIAS + 2] = mass * s[ACCELERATION + 2]
    s[OWN_BIAS + 3] = xx * a0 + xy * a1 + xz * a2 + w1 * h2 - w2 * h1
    s[OWN_BIAS + 4] = xy * a0 + yy * a1 + yz * a2 + w2 * h0 - w0 * h2
    s[OWN_BIAS + 5] = xz * a0 + yz * a1 + zz * a2 + w0 * h1 - w1 * h0


@kernel
def remainders(kind, i, s, u):
    """Velocities, and the accelerations a_t, alpha_t that are there even if no speed changes."""
    w0, w1, w2 = i[OMEGA], i[OMEGA + 1], i[OMEGA + 2]
    b0, b1, b2 = i[ALPHA], i[ALPHA + 1], i[ALPHA + 2]
    d0, d1, d2 = s[D_WAY], s[D_WAY + 1], s[D_WAY + 2]
    l0, l1, l2 = s[P] * u, s[P + 1] * u, s[P + 2] * u  # the joint's share of the velocity
    e0, e1, e2 = w1 * d2 - w2 * d1 + l0, w2 * d0 - w0 * d2 + l1, w0 * d1 - w1 * d0 + l2
    s[VELOCITY], s[VELOCITY + 1], s[VELOCITY + 2] = i[VELOCITY] + e0, i[VELOCITY + 1] + e1, i[VELOCITY + 2] + e2
    # carried by the parent: alpha_t x d + w x (w x d), and Coriolis 2 w x (p_l u)
    e0, e1, e2 = e0 + l0, e1 + l1, e2 + l2
    t0 = (b1 * d2 - b2 * d1) + (w1 * e2 - w2 * e1)
    t1 = (b2 * d0 - b0 * d2) + (w2 * e0 - w0 * e2)
    t2 = (b0 * d1 - b1 * d0) + (w0 * e1 - w1 * e0)
    if kind != PRISMATIC:
        x0, x1, x2 = s[P + 3] * u, s[P + 4] * u, s[P + 5] * u
        s[OMEGA], s[OMEGA + 1], s[OMEGA + 2] = w0 + x0, w1 + x1, w2 + x2
        s[ALPHA], s[ALPHA + 1], s[ALPHA + 2] = (
            b0 + w1 * x2 - w2 * x1,
            b1 + w2 * x0 - w0 * x2,
            b2 + w0 * x1 - w1 * x0,
        )
        # and towards the axis. (The axis turns with the parent, (w x x) x r1; together with x x (w x r1) that is
        # w x (x x r1) = w x l once more: hence 2 w x l above.)
        t0 += x1 * l2 - x2 * l1
        t1 += x2 * l0 - x0 * l2
        t2 += x0 * l1 - x1 * l0
    else:
        s[OMEGA], s[OMEGA + 1], s[OMEGA + 2] = w0, w1, w2
        s[ALPHA], s[ALPHA + 1], s[ALPHA + 2] = b0, b1, b2
    s[ACCELERATION] = i[ACCELERATION] + t0
    s[ACCELERATION + 1] = i[ACCELERATION + 1] + t1
    s[ACCELERATION + 2] = i[ACCELERATION + 2] + t2


@kernel_rare
def turn_with_base(S, base, k, i, u):
    """The axes of a ball turn with what carries it, not with the axes before them: see `move_on`."""
    s, b, o = S[k], S[base], S[i]
    w0, w1, w2 = b[OMEGA] - o[OMEGA], b[OMEGA + 1] - o[OMEGA + 1], b[OMEGA + 2] - o[OMEGA + 2]
    x, y, z = cross(w0, w1, w2, s[P + 3] * u, s[P + 4] * u, s[P + 5] * u)
    s[ALPHA] += x
    s[ALPHA + 1] += y
    s[ALPHA + 2] += z
    x, y, z = cross(x, y, z, s[D_WAY], s[D_WAY + 1], s[D_WAY + 2])
    s[ACCELERATION] += x
    s[ACCELERATION + 1] += y
    s[ACCELERATION + 2] += z


@kernel
def move_on(parent, kind, k, S, u):
    """`remainders` of row k, on joints of all kinds."""
    remainders(kind[k], S[int(parent[k])], S[k], u)
    if kind[k] > BALL_X:
        turn_with_base(S, int(parent[k - (kind[k] - BALL_X)]), k, int(parent[k]), u)


@kernel
def turn_joints(kind, qi, q, S):
    """How each joint turned its body, and let it slide; apart from the pass, where each waits for the one before."""
    for k in range(len(kind)):
        s, x = S[k], q[int(qi[k])]
        if kind[k] == REVOLUTE:
            s[TURN], s[TURN + 1] = cos_sin(x)
            s[TURN + 2] = 0.0
        elif kind[k] == PRISMATIC:
            s[TURN], s[TURN + 1], s[TURN + 2] = 1.0, 0.0, x
        elif kind[k] >= BALL_X:
            s[TURN], s[TURN + 1], s[TURN + 2] = 1.0, 0.0, 0.0


@kernel
def forward_one(parent, kind, qi, vi, C, q, v, S):
    """Where everything is and moves: rows of S up to the own bias, from the base to the tips."""
    turn_joints(kind, qi, q, S)
    for k in range(len(parent)):
        s = S[k]
        c = C[k]
        o = int(vi[k])
        if kind[k] == FREE:
            place_free(s, q, int(qi[k]))
            for a in range(3):
                s[VELOCITY + a], s[OMEGA + a] = v[o + a], v[o + 3 + a]
                s[ACCELERATION + a] = s[ALPHA + a] = s[D_WAY + a] = 0.0
        else:
            place_link(kind[k], c, S[int(parent[k])], s, q, int(qi[k]))
            move_on(parent, kind, k, S, v[o])
        turn_inertia(c, s)
        bias(c[MASS], s)


@kernel
def place_and_move(parent, kind, qi, vi, C, q, v, S):
    """Where everything is and how it moves, without how it accelerates: for what only looks."""
    turn_joints(kind, qi, q, S)
    for k in range(len(parent)):
        s, o = S[k], int(vi[k])
        if kind[k] == FREE:
            place_free(s, q, int(qi[k]))
            for a in range(3):
                s[VELOCITY + a], s[OMEGA + a] = v[o + a], v[o + 3 + a]
        else:
            i, u = S[int(parent[k])], v[o]
            place_link(kind[k], C[k], i, s, q, int(qi[k]))
            w0, w1, w2 = i[OMEGA], i[OMEGA + 1], i[OMEGA + 2]
            d0, d1, d2 = s[D_WAY], s[D_WAY + 1], s[D_WAY + 2]
            s[VELOCITY] = i[VELOCITY] + (w1 * d2 - w2 * d1 + s[P] * u)
            s[VELOCITY + 1] = i[VELOCITY + 1] + (w2 * d0 - w0 * d2 + s[P + 1] * u)
            s[VELOCITY + 2] = i[VELOCITY + 2] + (w0 * d1 - w1 * d0 + s[P + 2] * u)
            s[OMEGA], s[OMEGA + 1], s[OMEGA + 2] = w0 + s[P + 3] * u, w1 + s[P + 4] * u, w2 + s[P + 5] * u
        turn_inertia(C[k], s)


def workspace(count):
    """S for a tree of so many moving bodies."""
    return np.zeros((count + 1, WIDTH))


# ------------------------------------------------------------ coordinates that follow speeds


@kernel
def turn(q, o, x, y, z):
    """Quaternion q[o:o+4] turned in the world by the vector (x, y, z) [rad], exactly, and kept at length 1."""
    a, b, c, d = quaternion_about(x, y, z)
    a, b, c, d = product(a, b, c, d, q[o], q[o + 1], q[o + 2], q[o + 3])
    q[o], q[o + 1], q[o + 2], q[o + 3] = unit(a, b, c, d)


@kernel_rare
def move_ball(q, v, T, out, i, o):
    """The quaternion of a ball, whose last axis has the speed v[o]."""
    for a in range(4):
        out[i + a] = q[i + a]
    if v[o - 2] != 0.0 or v[o - 1] != 0.0 or v[o] != 0.0:
        turn(out, i, T * v[o - 2], T * v[o - 1], T * v[o])


@kernel
def move(p, q, v, T, out):
    """out = q moved on by T v; out may be q itself."""
    for k in range(len(p.parent)):
        i, o = int(p.qi[k]), int(p.vi[k])
        if p.kind[k] < FREE:
            out[i] = q[i] + T * v[o]
        elif p.kind[k] == FREE:
            for a in range(3):
                out[i + a] = q[i + a] + T * v[o + a]
            for a in range(3, 7):
                out[i + a] = q[i + a]
            if v[o + 3] != 0.0 or v[o + 4] != 0.0 or v[o + 5] != 0.0:  # at rest not even rounding moves it
                turn(out, i + 3, T * v[o + 3], T * v[o + 4], T * v[o + 5])
        elif p.kind[k] == BALL:
            move_ball(q, v, T, out, i, o)


@kernel
def rates_of(p, q, v, out):
    """dq/dt; of a quaternion 1/2 (0, w) q."""
    for k in range(len(p.parent)):
        i, o = p.qi[k], p.vi[k]
        if p.kind[k] == FREE:
            for a in range(3):
                out[i + a] = v[o + a]
            w, x, y, z = turn_rate(q[i + 3], q[i + 4], q[i + 5], q[i + 6], v[o + 3], v[o + 4], v[o + 5])
            out[i + 3], out[i + 4], out[i + 5], out[i + 6] = w, x, y, z
        elif p.kind[k] < FREE:
            out[i] = v[o]
        elif p.kind[k] == BALL:
            w, x, y, z = turn_rate(q[i], q[i + 1], q[i + 2], q[i + 3], v[o - 2], v[o - 1], v[o])
            out[i], out[i + 1], out[i + 2], out[i + 3] = w, x, y, z


@kernel
def straighten(p, q):
    """Quaternions back to length 1."""
    for k in range(len(p.parent)):
        if p.kind[k] == FREE or p.kind[k] == BALL:
            i = p.qi[k] + (3 if p.kind[k] == FREE else 0)
            q[i], q[i + 1], q[i + 2], q[i + 3] = unit(q[i], q[i + 1], q[i + 2], q[i + 3])


@kernel
def spin_evenly(p, S, T):
    """Free bodies: the gyroscopic torque over a whole tick instead of that at its start, which feeds a fast spin.

    Euler's equation by the implicit midpoint rule in body axes, I (w1 - w) + T wm x I wm = 0 with wm = (w + w1)/2: it
    keeps the energy and the size of the angular momentum. (Turning about w1 itself, `move` leaves its components.)
    """
    for k in range(len(p.parent)):
        if p.kind[k] != FREE:
            continue
        s, c = S[k], p.C[k]
        w0, w1, w2 = s[OMEGA], s[OMEGA + 1], s[OMEGA + 2]
        if w0 == 0.0 and w1 == 0.0 and w2 == 0.0:
            continue
        a, b, d = (
            s[0] * w0 + s[3] * w1 + s[6] * w2,
            s[1] * w0 + s[4] * w1 + s[7] * w2,
            s[2] * w0 + s[5] * w1 + s[8] * w2,
        )
        x, y, z = midpoint_spin(c[INERTIA : INERTIA + 6], a, b, d, 0.0, 0.0, 0.0, T)
        # I (w1 - w)/T, into world axes
        xx, yy, zz, xy, xz, yz = c[16], c[17], c[18], c[19], c[20], c[21]
        x, y, z = (x - a) / T, (y - b) / T, (z - d) / T
        t0, t1, t2 = xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z
        for j in range(3):
            s[OWN_BIAS + 3 + j] = -(s[3 * j] * t0 + s[3 * j + 1] * t1 + s[3 * j + 2] * t2)


@kernel
def midpoint_spin(inertia, a, b, d, u, v, w, T):
    """Angular velocity after a tick of spin that starts with (a, b, d), under the torque (u, v, w), in body axes, by
    Newton.
    """
    xx, yy, zz, xy, xz, yz = inertia[0], inertia[1], inertia[2], inertia[3], inertia[4], inertia[5]
    x, y, z = a, b, d
    for _ in range(12):
        m0, m1, m2 = 0.5 * (a + x), 0.5 * (b + y), 0.5 * (d + z)
        h0, h1, h2 = xx * m0 + xy * m1 + xz * m2, xy * m0 + yy * m1 + yz * m2, xz * m0 + yz * m1 + zz * m2
        e0, e1, e2 = x - a, y - b, z - d
        g0 = xx * e0 + xy * e1 + xz * e2 + T * (m1 * h2 - m2 * h1 - u)
        g1 = xy * e0 + yy * e1 + yz * e2 + T * (m2 * h0 - m0 * h2 - v)
        g2 = xz * e0 + yz * e1 + zz * e2 + T * (m0 * h1 - m1 * h0 - w)
        # J = I + T/2 ([m] I - [h])
        t = 0.5 * T
        j00, j01, j02 = (
            xx + t * (m1 * xz - m2 * xy),
            xy + t * (m1 * yz - m2 * yy + h2),
            xz + t * (m1 * zz - m2 * yz - h1),
        )
        j10, j11, j12 = (
            xy + t * (m2 * xx - m0 * xz - h2),
            yy + t * (m2 * xy - m0 * yz),
            yz + t * (m2 * xz - m0 * zz + h0),
        )
        j20, j21, j22 = (
            xz + t * (m0 * xy - m1 * xx + h1),
            yz + t * (m0 * yy - m1 * xy - h0),
            zz + t * (m0 * yz - m1 * xz),
        )
        c0, c1, c2 = j11 * j22 - j12 * j21, j12 * j20 - j10 * j22, j10 * j21 - j11 * j20
        det = j00 * c0 + j01 * c1 + j02 * c2
        e0 = (g0 * c0 + g1 * (j02 * j21 - j01 * j22) + g2 * (j01 * j12 - j02 * j11)) / det
        e1 = (g0 * c1 + g1 * (j00 * j22 - j02 * j20) + g2 * (j02 * j10 - j00 * j12)) / det
        e2 = (g0 * c2 + g1 * (j01 * j20 - j00 * j21) + g2 * (j00 * j11 - j01 * j10)) / det
        x, y, z = x - e0, y - e1, z - e2
        if abs(e0) + abs(e1) + abs(e2) <= 1e-15 * (abs(x) + abs(y) + abs(z)):
            break
    return x, y, z


@kernel
def look_outside(p, q, v, Q, V):
    """Q, V: q and v as users count them, of the origins of free bodies instead of their centres of mass."""
    for k in range(len(p.parent)):
        i, o = int(p.qi[k]), int(p.vi[k])
        if p.kind[k] < FREE:
            Q[i], V[o] = q[i], v[o]
            continue
        if p.kind[k] > FREE:
            V[o] = v[o]
            for a in range(4):
                Q[i + a] = q[i + a]
            continue
        w, x, y, z = unit(q[i + 3], q[i + 4], q[i + 5], q[i + 6])
        Q[i + 3], Q[i + 4], Q[i + 5], Q[i + 6] = w, x, y, z
        x, y, z = turned(w, x, y, z, p.centers[k, 0], p.centers[k, 1], p.centers[k, 2])
        Q[i], Q[i + 1], Q[i + 2] = q[i] - x, q[i + 1] - y, q[i + 2] - z
        a, b, c = v[o + 3], v[o + 4], v[o + 5]
        x, y, z = cross(a, b, c, x, y, z)
        V[o], V[o + 1], V[o + 2] = v[o] - x, v[o + 1] - y, v[o + 2] - z
        V[o + 3], V[o + 4], V[o + 5] = a, b, c
