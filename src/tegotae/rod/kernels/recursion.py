"""Accelerations of a planar rod in O(n), from the tip to the base and back.

What lies beyond a node is felt there as an inertia P (3 x 3, in x, y, theta) and a force p:  force = P a + p. A
segment adds its own inertia, sees the next node through

    z''_(k+1) = z''_k + i G1 th''_k + i G2 th''_(k+1) - E,

and th''_(k+1) is eliminated with a scalar, positive pivot. No constraint can drift: there is none left.
An implicit step adds (dt C + dt^2 K)/h [[1, -1], [-1, 1]] to the angles of each segment at no extra cost.
"""

from tegotae.compiling import kernel, kernel_inside

# Columns of the row R[k] that the way back needs: m0, m1, m2 (coupling to x, y, th_k), right side, pivot.
BACK = 5


@kernel
def articulate(S, hs, rho, g, bend, extra, load, side, tip, P, p, R):
    """As `articulate_gripped`, with nothing that grips."""
    articulate_gripped(S, hs, rho, g, bend, extra, load, side, tip, load, False, P, p, R)


@kernel_inside
def articulate_gripped(S, hs, rho, g, bend, extra, load, side, tip, grip, gripped, P, p, R):
    """From tip to base: P and p at the base, R for the way back.

    g (2) gravity; bend (n-1) torque on th_(k+1) of each segment, minus it on th_k; extra (n-1) added to the angle
    block; load (n, 3) force and torque on each node; side (n-1, 4) what acts between the nodes of a segment, as forces
    on x_k, y_k, th_k, th_(k+1); tip (2) mass and inertia of a payload centred on the last node; grip (n, 3), if
    gripped: what an implicit step adds to each node's xx, xy, yy.
    """
    n = hs.shape[0]
    for i in range(3):
        for j in range(3):
            P[i, j] = 0.0
        p[i] = -load[n, i]
    P[0, 0] = P[1, 1] = tip[0]
    P[2, 2] = tip[1]
    if gripped:
        P[0, 0] += grip[n, 0]
        P[0, 1] += grip[n, 1]
        P[1, 1] += grip[n, 2]
    p[0] -= tip[0] * g[0]
    p[1] -= tip[0] * g[1]
    for k in range(n - 1, -1, -1):
        G1x, G1y, G2x, G2y = S[k, 0], S[k, 1], S[k, 2], S[k, 3]
        B1x, B1y, B2x, B2y = S[k, 4], S[k, 5], S[k, 6], S[k, 7]
        d = rho[k]
        # a_(k+1) = (x'', y'') + t1 th_k'' + t2 th_(k+1)'' - E, with t = i G.
        t1x, t1y, t2x, t2y = -G1y, G1x, -G2y, G2x
        P00, P01, P11 = P[0, 0], P[0, 1], P[1, 1]
        P02, P12, P22 = P[0, 2], P[1, 2], P[2, 2]
        Ex, Ey = S[k, 8], S[k, 9]
        # Force and torque at the next node when nothing accelerates.
        fx = p[0] - P00 * Ex - P01 * Ey
        fy = p[1] - P01 * Ex - P11 * Ey
        ft = p[2] - P02 * Ex - P12 * Ey
        # The next node's inertia seen through t1, t2.
        a1x, a1y = P00 * t1x + P01 * t1y, P01 * t1x + P11 * t1y
        a2x, a2y = P00 * t2x + P01 * t2y + P02, P01 * t2x + P11 * t2y + P12
        mass = d * hs[k]
        M00, M01, M11 = P00 + mass, P01, P11 + mass
        if gripped:
            M00, M01, M11 = M00 + grip[k, 0], M01 + grip[k, 1], M11 + grip[k, 2]
        M02, M12 = a1x - d * B1y, a1y + d * B1x
        M03, M13 = a2x - d * B2y, a2y + d * B2x
        M22 = t1x * a1x + t1y * a1y + d * S[k, 12] + extra[k]
        M23 = t1x * a2x + t1y * a2y + d * S[k, 13] - extra[k]
        M33 = t2x * a2x + t2y * a2y + P02 * t2x + P12 * t2y + P22 + d * S[k, 14] + extra[k]
        # What is needed with no acceleration: inertia of turning, gravity, bending, loads.
        r0 = fx - d * S[k, 10] - mass * g[0] - load[k, 0] - side[k, 0]
        r1 = fy - d * S[k, 11] - mass * g[1] - load[k, 1] - side[k, 1]
        r2 = t1x * fx + t1y * fy - d * S[k, 15] - d * (-B1y * g[0] + B1x * g[1]) + bend[k] - load[k, 2] - side[k, 2]
        r3 = t2x * fx + t2y * fy + ft - d * S[k, 16] - d * (-B2y * g[0] + B2x * g[1]) - bend[k] - side[k, 3]
        e = 1.0 / M33
        R[k, 0], R[k, 1], R[k, 2], R[k, 3], R[k, 4] = M03, M13, M23, r3, e
        P[0, 0], P[0, 1], P[0, 2] = M00 - M03 * M03 * e, M01 - M03 * M13 * e, M02 - M03 * M23 * e
        P[1, 1], P[1, 2], P[2, 2] = M11 - M13 * M13 * e, M12 - M13 * M23 * e, M22 - M23 * M23 * e
        p[0], p[1], p[2] = r0 - M03 * r3 * e, r1 - M13 * r3 * e, r2 - M23 * r3 * e
    P[1, 0], P[2, 0], P[2, 1] = P[0, 1], P[0, 2], P[1, 2]


@kernel
def spread(S, R, a):
    """From the base to the tip: a = (x'', y'', th''_1, ...), its first three given."""
    x, y = a[0], a[1]
    for k in range(R.shape[0]):
        th = a[2 + k]
        nxt = -(R[k, 3] + R[k, 0] * x + R[k, 1] * y + R[k, 2] * th) * R[k, 4]
        a[3 + k] = nxt
        x += -S[k, 1] * th - S[k, 3] * nxt - S[k, 8]
        y += S[k, 0] * th + S[k, 2] * nxt - S[k, 9]


@kernel
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
