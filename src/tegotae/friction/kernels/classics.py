"""Friction models of others, kept to compare with, each in its own paper's letters.

Under the contract's constant velocity over a tick the equations below have closed solutions, which are used: a run
is the published equation itself, not an approximation of it. Where a state is a deflection it is kept as
e = -z (virtual point minus mover), the sign of the whole package; z runs along the motion, as in most papers.
At v = 0, where a model has a kink, the slope is the one for v -> +0.

Tanh:   F, vs;              state f
Dahl:   K, F, i;            state e, f
LuGre:  s0, s1, s2, law;    state e, f
Generalised Maxwell slip: C, s2, k and a of each element, law;
        state f, F of each element, and m, the direction it slips in, or 0
"""

import math
from functools import cache

from tegotae.compile import kernel


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
def bristle_kernels(step):
    """The halves of a model with one bristle, from its step -> e1, f, df/dv."""

    @kernel
    def bristle_answer(p, s, w, v, T):
        _, f, slope = step(p, s, v, T)
        return f, slope

    @kernel
    def bristle_advance(p, s, w, v, T):
        return step(p, s, v, T)[:2]

    return bristle_answer, bristle_advance


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

    return bristle_kernels(lugre_step)


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
