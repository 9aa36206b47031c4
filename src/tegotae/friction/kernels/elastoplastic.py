"""The elastoplastic single-state model of dupont2002, solved to rounding.

s0, s1, s2, Fb, law;  state e, f;  e = -z.

Under constant velocity the model is one equation of the distance. In units of z_ss, along the motion, with
u = z/z_ss, b = z_ba/z_ss and X the distance over z_ss,

    du/dX = 1 - A(u) u,    A = 0 below b,    A = (1 + sin(k (u - m)))/2 from b to 1,    A = 1 above,
    k = pi/(1 - b),  m = (1 + b)/2.

Below b and above 1 it is linear. Between them it has no elementary solution, but u, sin and cos obey a polynomial
system, so the coefficients of its Taylor series follow by products of series; 20 terms give steps to rounding.

The slope needs how u1 changes with z_ss, because z_ss follows the speed. With q = log z_ss: dX/dq = -X, db/dq = -b
and du0/dq = -u0, and w = du/dq is carried along in the same series.
"""

import math
from functools import cache

import numpy as np

from tegotae.compile import kernel
from tegotae.friction.kernels.classics import bristle_kernels

ORDER = 20
ELASTIC, BLEND, PLASTIC = 0, 1, 2


@kernel
def convolve(a, b, n):
    """The nth coefficient of the product of two series."""
    total = 0.0
    for j in range(n + 1):
        total += a[j] * b[n - j]
    return total


@kernel
def blend_series(u, w, b, c):
    """Taylor coefficients by X of U = u and W = w at a point inside the blend, in the rows 0 and 1 of c."""
    k, m = math.pi / (1.0 - b), 0.5 * (1.0 + b)
    dk, dm = -b * k * k / math.pi, -0.5 * b
    U, W, S, C, dU, dA, dS = c[0], c[1], c[2], c[3], c[4], c[5], c[6]  # dU = U', dA = the angle by q, dS = S by q
    U[0], W[0] = u, w
    S[0], C[0] = math.sin(k * (u - m)), math.cos(k * (u - m))
    for n in range(ORDER):
        dA[n] = dk * U[n] + k * W[n]
        if n == 0:
            dA[0] -= dk * m + k * dm
        dS[n] = convolve(C, dA, n)
        dU[n] = -0.5 * (U[n] + convolve(S, U, n))
        if n == 0:
            dU[0] += 1.0
        U[n + 1] = dU[n] / (n + 1)
        W[n + 1] = -0.5 * (W[n] + convolve(dS, U, n) + convolve(S, W, n)) / (n + 1)
        S[n + 1] = k * convolve(dU, C, n) / (n + 1)
        C[n + 1] = -k * convolve(dU, S, n) / (n + 1)


@kernel
def reach(row, tolerance):
    """How far a series may be trusted: where its last two terms are below the tolerance."""
    h = math.inf
    for n in range(ORDER - 1, ORDER + 1):
        if row[n] != 0.0:
            h = min(h, (tolerance / abs(row[n])) ** (1.0 / n))
    return h


@kernel
def horner(row, h):
    """The series at h."""
    total = 0.0
    for n in range(ORDER, -1, -1):
        total = total * h + row[n]
    return total


@kernel
def blend_flow(u, b, X):
    """From u in [b, 1) over the distance X -> u1, and du1/dq at fixed X."""
    w = -u
    c = np.empty((7, ORDER + 1))
    while X > 0.0 and u < 1.0:
        blend_series(u, w, b, c)
        h = min(reach(c[0], 1e-17), reach(c[1], 1e-15), X)
        u, w = min(horner(c[0], h), 1.0), horner(c[1], h)
        X -= h
    return u, w


@kernel
def flow(u, b, X):
    """From u over the distance X -> u1, du1/dq, rate 1 - A u at u1, and the part of the model it ends in."""
    if u >= 1.0:
        E = math.exp(-X)
        return 1.0 + (u - 1.0) * E, ((u - 1.0) * X - u) * E, -(u - 1.0) * E, PLASTIC
    if u + X <= min(b, 1.0):
        return u + X, -(u + X), 1.0, ELASTIC
    if b >= 1.0:  # at this speed the limit lies below breakaway: no blend
        return 1.0, 0.0, 0.0, PLASTIC
    start = max(u, b)
    rest = X - (start - u)
    u1, w1 = blend_flow(start, b, rest)
    if u1 >= 1.0:
        return 1.0, 0.0, 0.0, PLASTIC
    rate = 1.0 - 0.5 * (1.0 + math.sin(math.pi * (u1 - 0.5 * (1.0 + b)) / (1.0 - b))) * u1
    return u1, w1 - rate * rest, rate, BLEND


@kernel
def rate_slope(part, u, b, du, db):
    """How 1 - A(u) u changes with u and b."""
    if part == ELASTIC:
        return 0.0
    if part == PLASTIC:
        return -du
    k, m = math.pi / (1.0 - b), 0.5 * (1.0 + b)
    angle = k * (u - m)
    dangle = k * k / math.pi * db * (u - m) + k * (du - 0.5 * db)
    return -0.5 * ((1.0 + math.sin(angle)) * du + u * math.cos(angle) * dangle)


@cache
def elastoplastic_kernels(magnitude):
    """The elastoplastic model, its steady sliding force a friction law."""

    @kernel
    def elastoplastic_step(p, s, v, T):
        """[dupont2002]: z' = v (1 - A(z, v) z/z_ss(v)), f = -(s0 z + s1 z' + s2 v) -> e1, f, df/dv."""
        s0, s1, s2, Fb = p.s0, p.s1, p.s2, p.Fb
        d, x = math.copysign(1.0, v), abs(v)
        g, dg = magnitude(p.law, 0, x)
        zss, b, z = g / s0, Fb / g, -d * s.e
        u1, w1, rate, part = flow(z / zss, b, x * T / zss)
        # Elastic ticks add up the motion itself, so that a closed motion closes to the last bit.
        z1 = z + x * T if part == ELASTIC else zss * u1
        du = rate * T / zss + w1 * dg / g
        dz1 = zss * du + z1 * dg / g
        drate = rate + x * rate_slope(part, u1, b, du, -b * dg / g)
        return -d * z1, -d * (s0 * z1 + s1 * x * rate + s2 * x), -(s0 * dz1 + s1 * drate + s2)

    return bristle_kernels(elastoplastic_step)
