"""Friction models of others, kept to compare with, each in its own paper's letters.

Under the contract's constant velocity over a tick the equations below have closed solutions, which are used: a run
is the published equation itself, not an approximation of it. Where a state is a deflection it is kept as
e = -z (virtual point minus mover), the sign of the whole package; z runs along the motion, as in most papers.
At v = 0, where a model has a kink, the slope is the one for v -> +0.

Tanh:   F, vs;              state f
Dahl:   K, F, i;            state e, f
LuGre:  s0, s1, s2, law;    state e, f
Elastoplastic: s0, s1, s2, Fb, law;  state e, f
Generalised Maxwell slip: C, s2, k and a of each element, law;
        state f, F of each element, and m, the direction it slips in, or 0

The elastoplastic model, solved to rounding, is one equation of the distance under constant velocity. In units of z_ss,
along the motion, with u = z/z_ss, b = z_ba/z_ss and X the distance over z_ss,

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
from tegotae.kernels.elements import step_kernels

ORDER = 20
ELASTIC, BLEND, PLASTIC = 0, 1, 2


@kernel
def tanh_answer(p, s, w, v, T):
    """f = -F tanh(v/vs)."""
    t = math.tanh(v / p.vs)
    return -p.F * t, -p.F / p.vs * (1.0 - t * t)


@kernel
def tanh_advance(p, s, w, v, T):
    """It remembers nothing but its last force."""
    s.f[0] = -p.F * math.tanh(v / p.vs)


@kernel
def dahl_step(p, s, v, T):
    """[dahl1968], in the signs of [kikuuwe2005 (20), corrected]: f = K e, e' = -v y|y|^(i-1), y = 1 + sgn(v) K e/F.

    y' = -(K |v|/F) y |y|^(i-1) has a closed solution for every i -> e1, f, df/dv.
    """
    K, F, i = p.K, p.F, p.i
    e, d = s.e, math.copysign(1.0, v)
    x = T * abs(v) * K / F
    y = 1.0 + d * K * e / F
    if i == 1.0:
        e1 = e * math.exp(-x) + d * (F / K) * math.expm1(-x)
        y1 = y * math.exp(-x)
    else:
        change = 0.0
        if y != 0.0:
            q = (i - 1.0) * x * abs(y) ** (i - 1.0)
            # Below i = 1 the limit is reached in a finite displacement.
            change = -y if q <= -1.0 else y * math.expm1(math.log1p(q) / (1.0 - i))
        e1 = e + d * (F / K) * change
        y1 = y + change
    return e1, K * e1, -K * T * math.copysign(abs(y1) ** i, y1)


@cache
def lugre_kernels(magnitude):
    """LuGre, its g(v) a friction law."""

    @kernel
    def lugre_step(p, s, v, T):
        """[canudas1995]: z' = v - s0 |v|/g(v) z, f = -(s0 z + s1 z' + s2 v) -> e1, f, df/dv.

        Linear in z, so exact; written along the motion: x is the speed, z and its rate are taken times sgn(v).
        """
        s0, s1, s2 = p.s0, p.s1, p.s2
        d, x = math.copysign(1.0, v), abs(v)
        g, dg = magnitude(p.law, 0, x)
        z, zss = -d * s.e, g / s0
        a = s0 * x / g
        E, rise = math.exp(-a * T), -math.expm1(-a * T)
        z1 = z * E + zss * rise
        rate = x * (1.0 - z / zss) * E
        da = s0 * (g - x * dg) / (g * g)
        dz1 = T * da * (zss - z) * E + dg / s0 * rise
        drate = 1.0 - da * z1 - a * dz1
        return -d * z1, -d * (s0 * z1 + s1 * rate + s2 * x), -(s0 * dz1 + s1 * drate + s2)

    return step_kernels(lugre_step)


@kernel
def way_of(v):
    """The direction of a velocity, 1 or -1; of 0 as its sign says."""
    return 1 if math.copysign(1.0, v) > 0.0 else -1


@kernel
def slip_element(F, m, k, a, C, d, x, g, dg, T):
    """One element, its force taken along the motion: d the direction, x the speed -> force, m1, slope by x.

    [lampaert2003]: F' = k v until F = a s(v); from then F' = sgn(v) C (a - F/s(v)), until v goes through zero.
    """
    y, top = d * F, a * g
    if x == 0.0:
        return y, 0, k * T
    if m != d:
        trial = y + k * x * T
        if trial < top:
            return trial, 0, k * T
        if y <= top:  # it arrives within the tick, and where it arrives slip is in balance
            return top, d, a * dg
    E = math.exp(-C * T / g)
    return top + (y - top) * E, d, a * dg * (1.0 - E) + (y - top) * E * C * T * dg / (g * g)


@cache
def maxwell_kernels(magnitude):
    """The generalised Maxwell slip model, its s(v) a friction law."""

    @kernel
    def maxwell_answer(p, s, w, v, T):
        d, x = way_of(v), abs(v)
        g, dg = magnitude(p.law, 0, x)
        total, slope = p.s2 * x, p.s2
        for i in range(s.F.shape[0]):
            y, _, dy = slip_element(s.F[i], s.m[i], p.k[i], p.a[i], p.C, d, x, g, dg, T)
            total += y
            slope += dy
        return -d * total, -slope

    @kernel
    def maxwell_advance(p, s, w, v, T):
        d, x = way_of(v), abs(v)
        g, dg = magnitude(p.law, 0, x)
        total = p.s2 * x
        for i in range(s.F.shape[0]):
            y, s.m[i], _ = slip_element(s.F[i], s.m[i], p.k[i], p.a[i], p.C, d, x, g, dg, T)
            s.F[i] = d * y
            total += y
        s.f[0] = -d * total

    return maxwell_answer, maxwell_advance


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

    return step_kernels(elastoplastic_step)
