"""What a rod does at an instant: loads, bending, actuation, base; and its accelerations, in O(n).

z = (y, v, dissipated, work) with y = (x, y, th_1 .. th_n) of the base and the angles, v their rates.

What lies beyond a node is felt there as an inertia P (3 x 3, in x, y, theta) and a force p:  force = P a + p. A
segment adds its own inertia, sees the next node through

    z''_(k+1) = z''_k + i G1 th''_k + i G2 th''_(k+1) - E,

and th''_(k+1) is eliminated with a scalar, positive pivot. No constraint can drift: there is none left.
An implicit step adds (dt C + dt^2 K)/h [[1, -1], [-1, 1]] to the angles of each segment at no extra cost.
"""

from collections import namedtuple

import numpy as np

from tegotae.compile import kernel, kernel_inside, kernel_sums, kernel_sums_inside
from tegotae.rod.kernels.segment import WIDTH, all_integrals, point_torques, velocities

# One rod in numbers, and its workspace.
#
# Segments (n-1): hs length, rho density, K and C bending stiffness and viscosity. g gravity; tip mass and inertia.
# Drive over time, linear between `when`: bends (times, n-1) natural curvature; loads (times, n, 3) on the nodes;
# swings (times, 3) acceleration of the base where it is held. held: which of x, y, theta of the base.
# points (m, 5): loads between nodes, constant: segment, part of its length, force x, y, torque. cell: between which
# two times of the drive a step lies; no step crosses one. The others, from re on: see `rod_workspace`.
Rod = namedtuple(
    "Rod",
    "hs rho K C g tip when bends loads swings held points cell "
    "re im S P p R bend extra load swing kappa kappa_rate U side",
)


def rod_workspace(n):
    """The arrays of a `Rod` that are only worked in."""
    shapes = {"re": 6, "im": 6, "S": (n - 1, WIDTH), "P": (3, 3), "p": 3, "R": (n - 1, BACK), "swing": 3}
    shapes |= dict.fromkeys(("bend", "extra", "kappa", "kappa_rate"), n - 1)
    shapes |= {"load": (n, 3), "U": (n, 2), "side": (n - 1, 4)}
    return {name: np.zeros(shape) for name, shape in shapes.items()} | {"cell": np.zeros(1, dtype=np.int64)}


@kernel_inside
def locate(rod, t):
    """Find the cell that begins at t or holds it."""
    low, high = 0, max(rod.when.shape[0] - 1, 1)
    while high - low > 1:
        middle = (low + high) // 2
        if rod.when[middle] <= t:
            low = middle
        else:
            high = middle
    rod.cell[0] = low


@kernel_inside
def drive(rod, t):
    """Curvature, loads and base motion at the time t of the cell into rod.kappa, rod.load, rod.swing."""
    i = rod.cell[0]
    j = min(i + 1, rod.when.shape[0] - 1)
    span = rod.when[j] - rod.when[i]
    q = min(max((t - rod.when[i]) / span, 0.0), 1.0) if span > 0.0 else 0.0
    outside = span == 0.0 or t < rod.when[i] or t > rod.when[j] + 1e-9 * span
    for k in range(rod.kappa.shape[0]):
        rise = rod.bends[j, k] - rod.bends[i, k]
        rod.kappa[k] = rod.bends[i, k] + q * rise
        rod.kappa_rate[k] = 0.0 if outside else rise / span
    for k in range(rod.load.shape[0]):
        for c in range(3):
            rod.load[k, c] = rod.loads[i, k, c] + q * (rod.loads[j, k, c] - rod.loads[i, k, c])
    for c in range(3):
        rod.swing[c] = rod.swings[i, c] + q * (rod.swings[j, c] - rod.swings[i, c])


@kernel_inside
def spread_points(rod, y):
    """Loads between nodes as forces on the coordinates of their segment, into rod.side."""
    for k in range(rod.side.shape[0]):
        for c in range(4):
            rod.side[k, c] = 0.0
    for i in range(rod.points.shape[0]):
        k, q = int(rod.points[i, 0]), rod.points[i, 1]
        fx, fy, tau = rod.points[i, 2], rod.points[i, 3], rod.points[i, 4]
        first, second = point_torques(y[2 + k], y[3 + k] - y[2 + k], rod.hs[k], q, fx, fy, tau, rod.re, rod.im)
        rod.side[k, 0] += fx
        rod.side[k, 1] += fy
        rod.side[k, 2] += first
        rod.side[k, 3] += second


@kernel_inside
def take_bends(rod, y, v, dt):
    """All segments at y and v, and their bending at the end of a step of dt: torque, and what it adds to the angles."""
    if rod.points.shape[0] > 0:
        spread_points(rod, y)
    all_integrals(y, v, rod.hs, rod.re, rod.im, rod.S)
    for k in range(rod.hs.shape[0]):
        h = rod.hs[k]
        turn = v[3 + k] - v[2 + k]
        bent = y[3 + k] - y[2 + k] + dt * turn - h * rod.kappa[k]
        rod.bend[k] = -(rod.K[k] * bent + rod.C[k] * turn) / h
        rod.extra[k] = dt * (rod.C[k] + dt * rod.K[k]) / h


@kernel_inside
def accelerations(rod, y, v, dt, a):
    """a = y'' for what `drive` has set; dt > 0 takes bending at the end of a step of that length."""
    take_bends(rod, y, v, dt)
    articulate(rod.S, rod.hs, rod.rho, rod.g, rod.bend, rod.extra, rod.load, rod.side, rod.tip, rod.P, rod.p, rod.R)
    at_base(rod.P, rod.p, rod.held, rod.swing, a)
    spread(rod.S, rod.R, a)


@kernel_inside
def powers(rod, y, v, a):
    """Dissipated and put in [W]: by viscosity; by loads, by actuation that changes the natural curvature, by the hand
    that moves a held base. rod.S, P and p must be those of y and a.
    """
    lost, given = 0.0, 0.0
    for k in range(rod.hs.shape[0]):
        turn = v[3 + k] - v[2 + k]
        lost += rod.C[k] * turn * turn / rod.hs[k]
        given -= rod.K[k] * (y[3 + k] - y[2 + k] - rod.hs[k] * rod.kappa[k]) * rod.kappa_rate[k]
    velocities(v, rod.S, rod.U)
    for k in range(rod.load.shape[0]):
        given += rod.load[k, 0] * rod.U[k, 0] + rod.load[k, 1] * rod.U[k, 1] + rod.load[k, 2] * v[2 + k]
    for k in range(rod.side.shape[0] if rod.points.shape[0] > 0 else 0):
        given += rod.side[k, 0] * rod.U[k, 0] + rod.side[k, 1] * rod.U[k, 1]
        given += rod.side[k, 2] * v[2 + k] + rod.side[k, 3] * v[3 + k]
    for c in range(3):
        if rod.held[c]:
            given += (rod.P[c, 0] * a[0] + rod.P[c, 1] * a[1] + rod.P[c, 2] * a[2] + rod.p[c]) * v[c]
    return lost, given


# ------------------------------------------------------------ from tip to base and back


# Columns of the row R[k] that the way back needs, over the pivot: coupling to x, y, th_k, right side.
BACK = 4


@kernel_sums_inside
def weigh(B1x, B1y, B2x, B2y, Fx, Fy, Q11, Q12, Q22, b1, b2, d, h, gx, gy, bend, extra):
    """A segment's own inertia over (x, y, th_k, th_(k+1)): M02, M12, M03, M13, M22, M23, M33; and the force that each
    needs when nothing accelerates: turning, gravity, bending.

    B1 to b2: columns 4 to 7 and 10 to 16 of S; d density, h length, g gravity; bend: torque on th_(k+1), minus it on
    th_k; extra: added to the angle block.
    """
    r0, r1 = -d * (Fx + h * gx), -d * (Fy + h * gy)
    r2, r3 = bend - d * (b1 + B1x * gy - B1y * gx), -bend - d * (b2 + B2x * gy - B2y * gx)
    return -d * B1y, d * B1x, -d * B2y, d * B2x, d * Q11 + extra, d * Q12 - extra, d * Q22 + extra, r0, r1, r2, r3


@kernel_sums_inside
def cross(
    P00, P01, P02, P11, P12, P22, p0, p1, p2, G1x, G1y, G2x, G2y, Ex, Ey,
    M00, M01, M11, M02, M12, M03, M13, M22, M23, M33, r0, r1, r2, r3,
):  # fmt: skip
    """P and p as they are felt at the segment's start, from those at its end; its row for the way back, and 1/pivot.

    G and E of S; M00 to M11: mass of the segment and what grips its first node; M02 to r3: `weigh`.
    """
    # a_(k+1) = (x'', y'') + t1 th_k'' + t2 th_(k+1)'' - E, with t = i G.
    t1x, t1y, t2x, t2y = -G1y, G1x, -G2y, G2x
    # Force and torque at the next node when nothing accelerates.
    fx = p0 - P00 * Ex - P01 * Ey
    fy = p1 - P01 * Ex - P11 * Ey
    ft = p2 - P02 * Ex - P12 * Ey
    # The next node's inertia seen through t1, t2.
    a1x, a1y = P00 * t1x + P01 * t1y, P01 * t1x + P11 * t1y
    a2x, a2y = P00 * t2x + P01 * t2y + P02, P01 * t2x + P11 * t2y + P12
    M00, M01, M11 = M00 + P00, M01 + P01, M11 + P11
    M02, M12, M03, M13 = M02 + a1x, M12 + a1y, M03 + a2x, M13 + a2y
    M22 += t1x * a1x + t1y * a1y
    M23 += t1x * a2x + t1y * a2y
    M33 += t2x * a2x + t2y * a2y + P02 * t2x + P12 * t2y + P22
    r0, r1, r2, r3 = r0 + fx, r1 + fy, r2 + t1x * fx + t1y * fy, r3 + t2x * fx + t2y * fy + ft
    e = 1.0 / M33
    Rx, Ry, Rt, Rc = M03 * e, M13 * e, M23 * e, r3 * e
    P00, P01, P11 = M00 - M03 * Rx, M01 - M03 * Ry, M11 - M13 * Ry
    P02, P12, P22 = M02 - M03 * Rt, M12 - M13 * Rt, M22 - M23 * Rt
    return P00, P01, P02, P11, P12, P22, r0 - M03 * Rc, r1 - M13 * Rc, r2 - M23 * Rc, Rx, Ry, Rt, Rc, e


@kernel
def articulate(S, hs, rho, g, bend, extra, load, side, tip, P, p, R):
    """From tip to base: P and p at the base, R for the way back.

    g (2) gravity; bend (n-1) torque on th_(k+1) of each segment, minus it on th_k; extra (n-1) added to the angle
    block; load (n, 3) force and torque on each node; side (n-1, 4) what acts between the nodes of a segment, as forces
    on x_k, y_k, th_k, th_(k+1); tip (2) mass and inertia of a payload centred on the last node.
    """
    n = hs.shape[0]
    m, gx, gy = tip[0], g[0], g[1]
    P00, P01, P02, P11, P12, P22 = m, 0.0, 0.0, m, 0.0, tip[1]
    p0, p1, p2 = -load[n, 0] - m * gx, -load[n, 1] - m * gy, -load[n, 2]
    for k in range(n - 1, -1, -1):
        M02, M12, M03, M13, M22, M23, M33, r0, r1, r2, r3 = weigh(
            S[k, 4], S[k, 5], S[k, 6], S[k, 7], S[k, 10], S[k, 11], S[k, 12], S[k, 13], S[k, 14], S[k, 15], S[k, 16],
            rho[k], hs[k], gx, gy, bend[k], extra[k],
        )  # fmt: skip
        mass = rho[k] * hs[k]
        P00, P01, P02, P11, P12, P22, p0, p1, p2, R[k, 0], R[k, 1], R[k, 2], R[k, 3], _ = cross(
            P00, P01, P02, P11, P12, P22, p0, p1, p2, S[k, 0], S[k, 1], S[k, 2], S[k, 3], S[k, 8], S[k, 9],
            mass, 0.0, mass, M02, M12, M03, M13, M22, M23, M33,
            r0 - load[k, 0] - side[k, 0], r1 - load[k, 1] - side[k, 1], r2 - load[k, 2] - side[k, 2], r3 - side[k, 3],
        )  # fmt: skip
    P[0, 0], P[0, 1], P[0, 2], P[1, 0], P[1, 1], P[1, 2] = P00, P01, P02, P01, P11, P12
    P[2, 0], P[2, 1], P[2, 2] = P02, P12, P22
    p[0], p[1], p[2] = p0, p1, p2


@kernel
def spread(S, R, a):
    """From the base to the tip: a = (x'', y'', th''_1, ...), its first three given."""
    x, y = a[0], a[1]
    for k in range(R.shape[0]):
        th = a[2 + k]
        nxt = -(R[k, 3] + R[k, 0] * x + R[k, 1] * y + R[k, 2] * th)
        a[3 + k] = nxt
        x += -S[k, 1] * th - S[k, 3] * nxt - S[k, 8]
        y += S[k, 0] * th + S[k, 2] * nxt - S[k, 9]


@kernel_sums
def at_base(P, p, held, given, a):
    """The base's own acceleration: P a + p = 0 where it is free, `given` where it is held (x, y, theta)."""
    # Three unknowns at most; Gauss with those held moved to the right side.
    A00, A01, A02 = P[0, 0], P[0, 1], P[0, 2]
    A11, A12, A22 = P[1, 1], P[1, 2], P[2, 2]
    b0, b1, b2 = -p[0], -p[1], -p[2]
    if held[0]:
        b1, b2 = b1 - A01 * given[0], b2 - A02 * given[0]
        A00, A01, A02, b0 = 1.0, 0.0, 0.0, given[0]
    if held[1]:
        b0, b2 = b0 - A01 * given[1], b2 - A12 * given[1]
        A11, A01, A12, b1 = 1.0, 0.0, 0.0, given[1]
    if held[2]:
        b0, b1 = b0 - A02 * given[2], b1 - A12 * given[2]
        A22, A02, A12, b2 = 1.0, 0.0, 0.0, given[2]
    # Cholesky-like elimination of a symmetric positive definite matrix.
    l10, l20 = A01 / A00, A02 / A00
    D1 = A11 - l10 * A01
    M12 = A12 - l10 * A02
    l21 = M12 / D1
    D2 = A22 - l20 * A02 - l21 * M12
    c1 = b1 - l10 * b0
    c2 = b2 - l20 * b0 - l21 * c1
    a[2] = c2 / D2
    a[1] = (c1 - M12 * a[2]) / D1
    a[0] = (b0 - A01 * a[1] - A02 * a[2]) / A00
