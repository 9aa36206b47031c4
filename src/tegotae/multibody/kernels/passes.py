"""Rosenthal's three passes: the accelerations of any tree in time proportional to its bodies. [tarao1999 3.3]

The first, `forward_one`, is in `kinematics.py`, with the columns of S; here are the elimination of joint after joint
from the tips to the base, and the way back.
"""

import math

from tegotae.compile import kernel, kernel_inside
from tegotae.multibody.kernels.kinematics import (
    ARMATURE,
    C_,
    CHOLESKY,
    D_WAY,
    FREE,
    INVERSE,
    MASS,
    OWN_BIAS,
    OWN_INERTIA,
    S_,
    A,
    B,
    D,
    G,
    P,
    X,
    Y,
    forward_one,
)


@kernel
def begin_backward(C, wrench, S):
    """Each body by itself: M = diag(m, I), X = bias - wrench. The world's row gathers what nobody asks for."""
    for k in range(len(C)):
        s, w = S[k], wrench[k]
        xx, yy, zz = s[OWN_INERTIA], s[OWN_INERTIA + 1], s[OWN_INERTIA + 2]
        xy, xz, yz = s[OWN_INERTIA + 3], s[OWN_INERTIA + 4], s[OWN_INERTIA + 5]
        x0, x1, x2 = s[OWN_BIAS] - w[0], s[OWN_BIAS + 1] - w[1], s[OWN_BIAS + 2] - w[2]
        x3, x4, x5 = s[OWN_BIAS + 3] - w[3], s[OWN_BIAS + 4] - w[4], s[OWN_BIAS + 5] - w[5]
        s[A] = s[A + 1] = s[A + 2] = C[k, MASS]
        s[A + 3] = s[A + 4] = s[A + 5] = 0.0
        s[B] = s[B + 1] = s[B + 2] = s[B + 3] = s[B + 4] = s[B + 5] = s[B + 6] = s[B + 7] = s[B + 8] = 0.0
        s[C_], s[C_ + 1], s[C_ + 2], s[C_ + 3], s[C_ + 4], s[C_ + 5] = xx, yy, zz, xy, xz, yz
        s[X], s[X + 1], s[X + 2], s[X + 3], s[X + 4], s[X + 5] = x0, x1, x2, x3, x4, x5
    w = S[len(C)]
    for a in range(A, Y):
        w[a] = 0.0


@kernel
def hand_over(s, i, tau, slope):
    """Eliminate the joint of s: M_i += Phi'M Phi - Y Y'/D and X_i += Phi'X + Y g, with Phi = [[E, -[d]], [0, E]].

    Sums are taken in halves, because each row waits for the one before. Block by block is read and written, so that
    what is at hand fits into the registers.
    """
    d0, d1, d2 = s[D_WAY], s[D_WAY + 1], s[D_WAY + 2]
    y0, y1, y2, y3, y4, y5, weight = times_p(s)
    weight += slope
    inverse = 1.0 / weight
    g = (tau - p_dot(s, X)) * inverse
    # Y as the parent sees it
    y3, y4, y5 = y3 + (d1 * y2 - d2 * y1), y4 + (d2 * y0 - d0 * y2), y5 + (d0 * y1 - d1 * y0)
    s[D], s[INVERSE], s[G] = weight, inverse, g
    s[Y], s[Y + 1], s[Y + 2], s[Y + 3], s[Y + 4], s[Y + 5] = y0, y1, y2, y3, y4, y5
    hand_over_bias(s, i, g)
    # A
    z0, z1, z2 = y0 * inverse, y1 * inverse, y2 * inverse
    axx, ayy, azz, axy, axz, ayz = s[A], s[A + 1], s[A + 2], s[A + 3], s[A + 4], s[A + 5]
    i[A] = (i[A] + axx) - y0 * z0
    i[A + 1] = (i[A + 1] + ayy) - y1 * z1
    i[A + 2] = (i[A + 2] + azz) - y2 * z2
    i[A + 3] = (i[A + 3] + axy) - y0 * z1
    i[A + 4] = (i[A + 4] + axz) - y0 * z2
    i[A + 5] = (i[A + 5] + ayz) - y1 * z2
    # B' = B - A [d], row by row, and what each gives to C' = C - B'[d] + [d] B'new, of which one half is worked out
    z3, z4, z5 = y3 * inverse, y4 * inverse, y5 * inverse
    b0, b1, b2 = s[B], s[B + 1], s[B + 2]
    e0, e1, e2 = b0 - (axy * d2 - axz * d1), b1 - (axz * d0 - axx * d2), b2 - (axx * d1 - axy * d0)
    i[B] = (i[B] + e0) - y0 * z3
    i[B + 1] = (i[B + 1] + e1) - y0 * z4
    i[B + 2] = (i[B + 2] + e2) - y0 * z5
    cyy, czz = d2 * (b1 + e1), -d1 * (b2 + e2)
    cxy, cxz, cyz = b0 * d2, -b0 * d1, d2 * e2 - b1 * d1
    b0, b1, b2 = s[B + 3], s[B + 4], s[B + 5]
    e0, e1, e2 = b0 - (ayy * d2 - ayz * d1), b1 - (ayz * d0 - axy * d2), b2 - (axy * d1 - ayy * d0)
    i[B + 3] = (i[B + 3] + e0) - y1 * z3
    i[B + 4] = (i[B + 4] + e1) - y1 * z4
    i[B + 5] = (i[B + 5] + e2) - y1 * z5
    cxx, czz = -d2 * (b0 + e0), czz + d0 * (b2 + e2)
    cxy, cxz, cyz = cxy - d2 * e1, cxz + (b0 * d0 - d2 * e2), cyz + b1 * d0
    b0, b1, b2 = s[B + 6], s[B + 7], s[B + 8]
    e0, e1, e2 = b0 - (ayz * d2 - azz * d1), b1 - (azz * d0 - axz * d2), b2 - (axz * d1 - ayz * d0)
    i[B + 6] = (i[B + 6] + e0) - y2 * z3
    i[B + 7] = (i[B + 7] + e1) - y2 * z4
    i[B + 8] = (i[B + 8] + e2) - y2 * z5
    cxx, cyy = cxx + d1 * (b0 + e0), cyy - d0 * (b1 + e1)
    cxy, cxz, cyz = cxy + (d1 * e1 - b0 * d0), cxz + d1 * e2, cyz - d0 * e2
    i[C_] = (i[C_] + (s[C_] + cxx)) - y3 * z3
    i[C_ + 1] = (i[C_ + 1] + (s[C_ + 1] + cyy)) - y4 * z4
    i[C_ + 2] = (i[C_ + 2] + (s[C_ + 2] + czz)) - y5 * z5
    i[C_ + 3] = (i[C_ + 3] + (s[C_ + 3] + cxy)) - y3 * z4
    i[C_ + 4] = (i[C_ + 4] + (s[C_ + 4] + cxz)) - y3 * z5
    i[C_ + 5] = (i[C_ + 5] + (s[C_ + 5] + cyz)) - y4 * z5


@kernel
def hand_over_bias(s, i, g):
    """X_i += Phi'X + Y g."""
    x0, x1, x2, d0, d1, d2 = s[X], s[X + 1], s[X + 2], s[D_WAY], s[D_WAY + 1], s[D_WAY + 2]
    i[X] = (i[X] + x0) + s[Y] * g
    i[X + 1] = (i[X + 1] + x1) + s[Y + 1] * g
    i[X + 2] = (i[X + 2] + x2) + s[Y + 2] * g
    i[X + 3] = (i[X + 3] + (s[X + 3] + (d1 * x2 - d2 * x1))) + s[Y + 3] * g
    i[X + 4] = (i[X + 4] + (s[X + 4] + (d2 * x0 - d0 * x2))) + s[Y + 4] * g
    i[X + 5] = (i[X + 5] + (s[X + 5] + (d0 * x1 - d1 * x0))) + s[Y + 5] * g


@kernel
def times_p(s):
    """M p, and p.M p."""
    p0, p1, p2, p3, p4, p5 = s[P], s[P + 1], s[P + 2], s[P + 3], s[P + 4], s[P + 5]
    y0 = (s[A] * p0 + s[A + 3] * p1 + s[A + 4] * p2) + (s[B] * p3 + s[B + 1] * p4 + s[B + 2] * p5)
    y1 = (s[A + 3] * p0 + s[A + 1] * p1 + s[A + 5] * p2) + (s[B + 3] * p3 + s[B + 4] * p4 + s[B + 5] * p5)
    y2 = (s[A + 4] * p0 + s[A + 5] * p1 + s[A + 2] * p2) + (s[B + 6] * p3 + s[B + 7] * p4 + s[B + 8] * p5)
    y3 = (s[B] * p0 + s[B + 3] * p1 + s[B + 6] * p2) + (s[C_] * p3 + s[C_ + 3] * p4 + s[C_ + 4] * p5)
    y4 = (s[B + 1] * p0 + s[B + 4] * p1 + s[B + 7] * p2) + (s[C_ + 3] * p3 + s[C_ + 1] * p4 + s[C_ + 5] * p5)
    y5 = (s[B + 2] * p0 + s[B + 5] * p1 + s[B + 8] * p2) + (s[C_ + 4] * p3 + s[C_ + 5] * p4 + s[C_ + 2] * p5)
    return y0, y1, y2, y3, y4, y5, (p0 * y0 + p1 * y1 + p2 * y2) + (p3 * y3 + p4 * y4 + p5 * y5)


@kernel
def p_dot(s, o):
    """p times the six numbers of the row from column o."""
    return (s[P] * s[o] + s[P + 1] * s[o + 1] + s[P + 2] * s[o + 2]) + (
        s[P + 3] * s[o + 3] + s[P + 4] * s[o + 4] + s[P + 5] * s[o + 5]
    )


@kernel
def cholesky(s):
    """L of the articulated inertia of a free body, row by row into 21 numbers; its diagonal as 1/L."""
    o = CHOLESKY
    for r in range(6):
        a = o + r * (r + 1) // 2
        for c in range(r + 1):
            if r < 3:
                total = s[A + r] if r == c else s[A + 2 + r + c]
            elif c < 3:
                total = s[B + 3 * c + r - 3]
            else:
                total = s[C_ + r - 3] if r == c else s[C_ + r + c - 4]
            b = o + c * (c + 1) // 2
            for j in range(c):
                total -= s[a + j] * s[b + j]
            s[a + c] = 1.0 / math.sqrt(total) if r == c else total * s[b + c]


@kernel
def solve_free(s):
    """M s = -X of a free body: columns X in, columns s out."""
    L = s[CHOLESKY : CHOLESKY + 21]
    y0 = -s[X] * L[0]
    y1 = (-s[X + 1] - L[1] * y0) * L[2]
    y2 = (-s[X + 2] - L[3] * y0 - L[4] * y1) * L[5]
    y3 = (-s[X + 3] - L[6] * y0 - L[7] * y1 - L[8] * y2) * L[9]
    y4 = (-s[X + 4] - L[10] * y0 - L[11] * y1 - L[12] * y2 - L[13] * y3) * L[14]
    y5 = (-s[X + 5] - L[15] * y0 - L[16] * y1 - L[17] * y2 - L[18] * y3 - L[19] * y4) * L[20]
    y5 *= L[20]
    y4 = (y4 - L[19] * y5) * L[14]
    y3 = (y3 - L[18] * y5 - L[13] * y4) * L[9]
    y2 = (y2 - L[17] * y5 - L[12] * y4 - L[8] * y3) * L[5]
    y1 = (y1 - L[16] * y5 - L[11] * y4 - L[7] * y3 - L[4] * y2) * L[2]
    y0 = (y0 - L[15] * y5 - L[10] * y4 - L[6] * y3 - L[3] * y2 - L[1] * y1) * L[0]
    s[S_], s[S_ + 1], s[S_ + 2], s[S_ + 3], s[S_ + 4], s[S_ + 5] = y0, y1, y2, y3, y4, y5


@kernel
def backward(parent, kind, vi, C, tau, slope, wrench, S):
    """From the tips to the base: joint after joint is eliminated.

    slope >= 0 is added to p'M p, as the armature is: T times what a joint's own force falls with its speed. Infinite,
    the joint is locked.
    """
    begin_backward(C, wrench, S)
    for back in range(len(parent)):
        k = len(parent) - 1 - back
        s = S[k]
        if kind[k] == FREE:
            cholesky(s)
            continue
        o = int(vi[k])
        hand_over(s, S[int(parent[k])], tau[o], slope[o] + C[k, ARMATURE])


@kernel
def carry(s, i):
    """s = Phi s_i + p udot; udot comes back."""
    x0, x1, x2 = i[S_], i[S_ + 1], i[S_ + 2]
    x3, x4, x5 = i[S_ + 3], i[S_ + 4], i[S_ + 5]
    carried = (s[Y] * x0 + s[Y + 1] * x1 + s[Y + 2] * x2) + (s[Y + 3] * x3 + s[Y + 4] * x4 + s[Y + 5] * x5)
    u = s[G] - carried * s[INVERSE]
    d0, d1, d2 = s[D_WAY], s[D_WAY + 1], s[D_WAY + 2]
    s[S_] = (x0 + (x4 * d2 - x5 * d1)) + s[P] * u
    s[S_ + 1] = (x1 + (x5 * d0 - x3 * d2)) + s[P + 1] * u
    s[S_ + 2] = (x2 + (x3 * d1 - x4 * d0)) + s[P + 2] * u
    s[S_ + 3] = x3 + s[P + 3] * u
    s[S_ + 4] = x4 + s[P + 4] * u
    s[S_ + 5] = x5 + s[P + 5] * u
    return u


@kernel
def forward_two(parent, kind, vi, g, S, a):
    """From the base to the tips: the accelerations a."""
    for k in range(len(parent)):
        s = S[k]
        o = int(vi[k])
        if kind[k] == FREE:
            solve_free(s)
            for j in range(3):
                a[o + j] = s[S_ + j] + g[j]
                a[o + 3 + j] = s[S_ + 3 + j]
        else:
            a[o] = carry(s, S[int(parent[k])])


@kernel
def accelerate(parent, kind, qi, vi, C, g, q, v, tau, slope, wrench, S, a):
    """All three passes: a = M^-1 (tau - bias + J'wrench)."""
    forward_one(parent, kind, qi, vi, C, q, v, S)
    backward(parent, kind, vi, C, tau, slope, wrench, S)
    forward_two(parent, kind, vi, g, S, a)


@kernel
def respond_up(s, i):
    """What a body hands to the one that carries it."""
    s[G] = (-s[G] - p_dot(s, X)) * s[INVERSE]
    hand_over_bias(s, i, s[G])


@kernel
def respond_down(s, i, kind, o, a):
    """How a body answers: the one that carries it has."""
    if kind == FREE:
        solve_free(s)
        for j in range(6):
            a[o + j] = s[S_ + j]
    else:
        a[o] = carry(s, i)


@kernel_inside
def respond(parent, kind, vi, S, a):
    """How the speeds answer an impulse: its wrenches stand in columns X, its joint torques in columns G of S, negated.

    Uses the elimination that `backward` left behind; X and G are overwritten.
    """
    for k in range(len(parent) - 1, -1, -1):
        if kind[k] != FREE:
            respond_up(S[k], S[int(parent[k])])
    for k in range(len(parent)):
        respond_down(S[k], S[int(parent[k])], kind[k], int(vi[k]), a)


@kernel
def respond_in(parent, kind, vi, root, one, two, S, a):
    """The same of the trees with these roots alone, where everything else does not move; its s are not touched."""
    for k in range(len(parent) - 1, -1, -1):
        if kind[k] != FREE and (root[k] == one or root[k] == two):
            respond_up(S[k], S[parent[k]])
    for k in range(len(parent)):
        if root[k] == one or root[k] == two:
            respond_down(S[k], S[parent[k]], kind[k], vi[k], a)


@kernel
def clear_row(s):
    """Nothing pushes this body."""
    s[G] = s[X] = s[X + 1] = s[X + 2] = s[X + 3] = s[X + 4] = s[X + 5] = 0.0


@kernel
def clear_impulse(S):
    """Nothing pushes: ready to write the wrenches and torques of an impulse."""
    for k in range(len(S)):
        clear_row(S[k])


@kernel
def clear_impulse_in(root, one, two, S):
    """The same in the trees with these roots alone."""
    for k in range(len(root)):
        if root[k] == one or root[k] == two:
            clear_row(S[k])
