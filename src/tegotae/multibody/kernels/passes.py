"""Rosenthal's three passes: the accelerations of any tree in time proportional to its bodies. [tarao1999 3.3]

The first, `forward_one`, is in `kinematics.py`, with the columns of S; here are the elimination of joint after joint
from the tips to the base, and the way back.
"""

import math

from tegotae.compile import kernel
from tegotae.multibody.kernels.kinematics import (
    C_,
    CHOLESKY,
    D_WAY,
    FREE,
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
    Z,
    forward_one,
)


@kernel
def begin_backward(C, wrench, S):
    """Each body by itself: M = diag(m, I), X = bias - wrench. The world's row gathers what nobody asks for."""
    n = len(C)
    for k in range(n + 1):
        s = S[k]
        m = C[k, MASS] if k < n else 0.0
        s[A] = s[A + 1] = s[A + 2] = m
        s[A + 3] = s[A + 4] = s[A + 5] = 0.0
        for a in range(9):
            s[B + a] = 0.0
        for a in range(6):
            s[C_ + a] = s[OWN_INERTIA + a]
            s[X + a] = s[OWN_BIAS + a]
        if k < n:
            for a in range(6):
                s[X + a] -= wrench[k, a]


@kernel
def hand_over(s, i, g, inverse):
    """M_i += Phi'(M - Y Y'/D) Phi and X_i += Phi'(X + Y g), with Phi = [[E, -[d]], [0, E]]."""
    y0, y1, y2, y3, y4, y5 = s[Y], s[Y + 1], s[Y + 2], s[Y + 3], s[Y + 4], s[Y + 5]
    d0, d1, d2 = s[D_WAY], s[D_WAY + 1], s[D_WAY + 2]
    z0, z1, z2, z3, z4, z5 = y0 * inverse, y1 * inverse, y2 * inverse, y3 * inverse, y4 * inverse, y5 * inverse
    axx, ayy, azz = s[A] - y0 * z0, s[A + 1] - y1 * z1, s[A + 2] - y2 * z2
    axy, axz, ayz = s[A + 3] - y0 * z1, s[A + 4] - y0 * z2, s[A + 5] - y1 * z2
    b00, b01, b02 = s[B] - y0 * z3, s[B + 1] - y0 * z4, s[B + 2] - y0 * z5
    b10, b11, b12 = s[B + 3] - y1 * z3, s[B + 4] - y1 * z4, s[B + 5] - y1 * z5
    b20, b21, b22 = s[B + 6] - y2 * z3, s[B + 7] - y2 * z4, s[B + 8] - y2 * z5
    # B' = B - A [d]
    e00, e01, e02 = b00 - (axy * d2 - axz * d1), b01 - (axz * d0 - axx * d2), b02 - (axx * d1 - axy * d0)
    e10, e11, e12 = b10 - (ayy * d2 - ayz * d1), b11 - (ayz * d0 - axy * d2), b12 - (axy * d1 - ayy * d0)
    e20, e21, e22 = b20 - (ayz * d2 - azz * d1), b21 - (azz * d0 - axz * d2), b22 - (axz * d1 - ayz * d0)
    # C' = C - B'[d] + [d] B'new, of which only one half is worked out
    i[C_] += s[C_] - y3 * z3 - (b10 * d2 - b20 * d1) + (d1 * e20 - d2 * e10)
    i[C_ + 1] += s[C_ + 1] - y4 * z4 - (b21 * d0 - b01 * d2) + (d2 * e01 - d0 * e21)
    i[C_ + 2] += s[C_ + 2] - y5 * z5 - (b02 * d1 - b12 * d0) + (d0 * e12 - d1 * e02)
    i[C_ + 3] += s[C_ + 3] - y3 * z4 - (b20 * d0 - b00 * d2) + (d1 * e21 - d2 * e11)
    i[C_ + 4] += s[C_ + 4] - y3 * z5 - (b00 * d1 - b10 * d0) + (d1 * e22 - d2 * e12)
    i[C_ + 5] += s[C_ + 5] - y4 * z5 - (b01 * d1 - b11 * d0) + (d2 * e02 - d0 * e22)
    i[A] += axx
    i[A + 1] += ayy
    i[A + 2] += azz
    i[A + 3] += axy
    i[A + 4] += axz
    i[A + 5] += ayz
    i[B] += e00
    i[B + 1] += e01
    i[B + 2] += e02
    i[B + 3] += e10
    i[B + 4] += e11
    i[B + 5] += e12
    i[B + 6] += e20
    i[B + 7] += e21
    i[B + 8] += e22
    x0, x1, x2 = s[X] + y0 * g, s[X + 1] + y1 * g, s[X + 2] + y2 * g
    i[X] += x0
    i[X + 1] += x1
    i[X + 2] += x2
    i[X + 3] += s[X + 3] + y3 * g + d1 * x2 - d2 * x1
    i[X + 4] += s[X + 4] + y4 * g + d2 * x0 - d0 * x2
    i[X + 5] += s[X + 5] + y5 * g + d0 * x1 - d1 * x0
    s[Z], s[Z + 1], s[Z + 2] = z0, z1, z2
    s[Z + 3], s[Z + 4], s[Z + 5] = z3 + d1 * z2 - d2 * z1, z4 + d2 * z0 - d0 * z2, z5 + d0 * z1 - d1 * z0


@kernel
def times_p(s):
    """Y = M p; p.Y comes back."""
    p0, p1, p2, p3, p4, p5 = s[P], s[P + 1], s[P + 2], s[P + 3], s[P + 4], s[P + 5]
    y0 = s[A] * p0 + s[A + 3] * p1 + s[A + 4] * p2 + s[B] * p3 + s[B + 1] * p4 + s[B + 2] * p5
    y1 = s[A + 3] * p0 + s[A + 1] * p1 + s[A + 5] * p2 + s[B + 3] * p3 + s[B + 4] * p4 + s[B + 5] * p5
    y2 = s[A + 4] * p0 + s[A + 5] * p1 + s[A + 2] * p2 + s[B + 6] * p3 + s[B + 7] * p4 + s[B + 8] * p5
    y3 = s[B] * p0 + s[B + 3] * p1 + s[B + 6] * p2 + s[C_] * p3 + s[C_ + 3] * p4 + s[C_ + 4] * p5
    y4 = s[B + 1] * p0 + s[B + 4] * p1 + s[B + 7] * p2 + s[C_ + 3] * p3 + s[C_ + 1] * p4 + s[C_ + 5] * p5
    y5 = s[B + 2] * p0 + s[B + 5] * p1 + s[B + 8] * p2 + s[C_ + 4] * p3 + s[C_ + 5] * p4 + s[C_ + 2] * p5
    s[Y], s[Y + 1], s[Y + 2], s[Y + 3], s[Y + 4], s[Y + 5] = y0, y1, y2, y3, y4, y5
    return p0 * y0 + p1 * y1 + p2 * y2 + p3 * y3 + p4 * y4 + p5 * y5


@kernel
def p_dot(s, o):
    """p times the six numbers of the row from column o."""
    return (
        s[P] * s[o]
        + s[P + 1] * s[o + 1]
        + s[P + 2] * s[o + 2]
        + s[P + 3] * s[o + 3]
        + s[P + 4] * s[o + 4]
        + s[P + 5] * s[o + 5]
    )


@kernel
def cholesky(s):
    """L of the articulated inertia of a free body, row by row into 21 numbers."""
    o = CHOLESKY
    for r in range(6):
        for c in range(r + 1):
            if r < 3:
                total = s[A + r] if r == c else s[A + 2 + r + c]
            elif c < 3:
                total = s[B + 3 * c + r - 3]
            else:
                total = s[C_ + r - 3] if r == c else s[C_ + r + c - 4]
            a, b = o + r * (r + 1) // 2, o + c * (c + 1) // 2
            for j in range(c):
                total -= s[a + j] * s[b + j]
            s[a + c] = math.sqrt(total) if r == c else total / s[b + c]


@kernel
def solve_free(s, x, out):
    """M s = -X of a free body: columns x to x + 6 in, out to out + 6 out."""
    o = CHOLESKY
    for r in range(6):
        a = o + r * (r + 1) // 2
        total = -s[x + r]
        for j in range(r):
            total -= s[a + j] * s[out + j]
        s[out + r] = total / s[a + r]
    for back in range(6):
        r = 5 - back
        total = s[out + r]
        for j in range(r + 1, 6):
            total -= s[o + j * (j + 1) // 2 + r] * s[out + j]
        s[out + r] = total / s[o + r * (r + 1) // 2 + r]


@kernel
def backward(parent, kind, vi, C, tau, slope, wrench, S):
    """From the tips to the base: joint after joint is eliminated.

    slope >= 0 is added to p'M p: T times what a joint's own force falls with its speed. Infinite, the joint is locked.
    """
    begin_backward(C, wrench, S)
    for back in range(len(parent)):
        k = len(parent) - 1 - back
        s = S[k]
        if kind[k] == FREE:
            cholesky(s)
            continue
        o = int(vi[k])
        s[D] = times_p(s) + slope[o]
        inverse = 1.0 / s[D]
        s[G] = (tau[o] - p_dot(s, X)) * inverse
        hand_over(s, S[int(parent[k])], s[G], inverse)


@kernel
def carry(s, i):
    """s = Phi s_i + p udot; udot comes back."""
    x0, x1, x2 = i[S_], i[S_ + 1], i[S_ + 2]
    x3, x4, x5 = i[S_ + 3], i[S_ + 4], i[S_ + 5]
    u = s[G] - (s[Z] * x0 + s[Z + 1] * x1 + s[Z + 2] * x2 + s[Z + 3] * x3 + s[Z + 4] * x4 + s[Z + 5] * x5)
    d0, d1, d2 = s[D_WAY], s[D_WAY + 1], s[D_WAY + 2]
    s[S_] = x0 + x4 * d2 - x5 * d1 + s[P] * u
    s[S_ + 1] = x1 + x5 * d0 - x3 * d2 + s[P + 1] * u
    s[S_ + 2] = x2 + x3 * d1 - x4 * d0 + s[P + 2] * u
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
            solve_free(s, X, S_)
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
def respond(parent, kind, vi, S, a):
    """How the speeds answer an impulse: its wrenches stand in columns X, its joint torques in columns G of S, negated.

    Uses the elimination that `backward` left behind; X and G are overwritten.
    """
    n = len(parent)
    for back in range(n):
        k = n - 1 - back
        s = S[k]
        if kind[k] == FREE:
            continue
        g = (-s[G] - p_dot(s, X)) / s[D]
        s[G] = g
        i = S[int(parent[k])]
        x0, x1, x2 = s[X] + s[Y] * g, s[X + 1] + s[Y + 1] * g, s[X + 2] + s[Y + 2] * g
        i[X] += x0
        i[X + 1] += x1
        i[X + 2] += x2
        i[X + 3] += s[X + 3] + s[Y + 3] * g + s[D_WAY + 1] * x2 - s[D_WAY + 2] * x1
        i[X + 4] += s[X + 4] + s[Y + 4] * g + s[D_WAY + 2] * x0 - s[D_WAY] * x2
        i[X + 5] += s[X + 5] + s[Y + 5] * g + s[D_WAY] * x1 - s[D_WAY + 1] * x0
    for k in range(n):
        s = S[k]
        o = int(vi[k])
        if kind[k] == FREE:
            solve_free(s, X, S_)
            for j in range(6):
                a[o + j] = s[S_ + j]
        else:
            a[o] = carry(s, S[int(parent[k])])


@kernel
def clear_impulse(S):
    """Nothing pushes: ready to write the wrenches and torques of an impulse."""
    for k in range(len(S)):
        S[k, G] = 0.0
        for a in range(6):
            S[k, X + a] = 0.0
