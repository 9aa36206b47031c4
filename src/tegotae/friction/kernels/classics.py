"""Friction models of others, kept to compare with, each in its own paper's letters.

Under the contract's constant velocity over a tick the equations below have closed solutions, which are used: a run
is the published equation itself, not an approximation of it. Where a state is a deflection it is kept as
e = -z (virtual point minus mover), the sign of the whole package; z runs along the motion, as in most papers.
At v = 0, where a model has a kink, the slope is the one for v -> +0.

Tanh:   p = [F, vs]                     s = [f]
Dahl:   p = [K, F, i]                   s = [e, f]
LuGre:  p = [s0, s1, s2, law...]        s = [e, f]
Generalised Maxwell slip:
        p = [N, C, s2, k_1.., a_1.., law...]    s = [f, F_1.., m_1..], m_i the direction element i slips in, or 0
"""

import math
from functools import cache

from tegotae.compile import kernel

LUGRE_LAW = 3  # where the law's parameters start in p
SLIP_HEAD = 3  # where the elements' parameters start in p


@kernel
def tanh_answer(p, s, v, T):
    """f = -F tanh(v/vs)."""
    t = math.tanh(v / p[1])
    return -p[0] * t, -p[0] / p[1] * (1.0 - t * t)


@kernel
def tanh_advance(p, s, v, T):
    """It remembers nothing but its last force."""
    s[0] = -p[0] * math.tanh(v / p[1])


@kernel
def dahl_step(p, s, v, T):
    """[dahl1968], in the signs of [kikuuwe2005 (20), corrected]: f = K e, e' = -v y|y|^(i-1), y = 1 + sgn(v) K e/F.

    y' = -(K |v|/F) y |y|^(i-1) has a closed solution for every i -> e1, f, df/dv.
    """
    K, F, i = p[0], p[1], p[2]
    e, d = s[0], math.copysign(1.0, v)
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


@kernel
def dahl_answer(p, s, v, T):
    """Force and slope for a trial velocity."""
    _, f, slope = dahl_step(p, s, v, T)
    return f, slope


@kernel
def dahl_advance(p, s, v, T):
    """Commit the velocity that really happened."""
    s[0], s[1], _ = dahl_step(p, s, v, T)


@cache
def lugre_kernels(magnitude):
    """LuGre, its g(v) a friction law."""

    @kernel
    def lugre_step(p, s, v, T):
        """[canudas1995]: z' = v - s0 |v|/g(v) z, f = -(s0 z + s1 z' + s2 v) -> e1, f, df/dv.

        Linear in z, so exact; written along the motion: x is the speed, z and its rate are taken times sgn(v).
        """
        s0, s1, s2 = p[0], p[1], p[2]
        d, x = math.copysign(1.0, v), abs(v)
        g, dg = magnitude(p, LUGRE_LAW, x)
        z, zss = -d * s[0], g / s0
        a = s0 * x / g
        E, rise = math.exp(-a * T), -math.expm1(-a * T)
        z1 = z * E + zss * rise
        rate = x * (1.0 - z / zss) * E
        da = s0 * (g - x * dg) / (g * g)
        dz1 = T * da * (zss - z) * E + dg / s0 * rise
        drate = 1.0 - da * z1 - a * dz1
        return -d * z1, -d * (s0 * z1 + s1 * rate + s2 * x), -(s0 * dz1 + s1 * drate + s2)

    @kernel
    def lugre_answer(p, s, v, T):
        """Force and slope for a trial velocity."""
        _, f, slope = lugre_step(p, s, v, T)
        return f, slope

    @kernel
    def lugre_advance(p, s, v, T):
        """Commit the velocity that really happened."""
        s[0], s[1], _ = lugre_step(p, s, v, T)

    return lugre_answer, lugre_advance


@kernel
def slip_element(F, m, k, a, C, d, x, g, dg, T):
    """One element, its force taken along the motion: d the direction, x the speed -> force, m1, slope by x.

    [lampaert2003]: F' = k v until F = a s(v); from then F' = sgn(v) C (a - F/s(v)), until v goes through zero.
    """
    y, top = d * F, a * g
    if x == 0.0:
        return y, 0.0, k * T
    if m != d:
        trial = y + k * x * T
        if trial < top:
            return trial, 0.0, k * T
        if y <= top:  # it arrives within the tick, and where it arrives slip is in balance
            return top, d, a * dg
    E = math.exp(-C * T / g)
    return top + (y - top) * E, d, a * dg * (1.0 - E) + (y - top) * E * C * T * dg / (g * g)


@cache
def maxwell_kernels(magnitude):
    """The generalised Maxwell slip model, its s(v) a friction law."""

    @kernel
    def maxwell_answer(p, s, v, T):
        """Force and slope for a trial velocity."""
        N, C = int(p[0]), p[1]
        d, x = math.copysign(1.0, v), abs(v)
        g, dg = magnitude(p, SLIP_HEAD + 2 * N, x)
        total, slope = p[2] * x, p[2]
        for i in range(N):
            k, a = p[SLIP_HEAD + i], p[SLIP_HEAD + N + i]
            y, _, dy = slip_element(s[1 + i], s[1 + N + i], k, a, C, d, x, g, dg, T)
            total += y
            slope += dy
        return -d * total, -slope

    @kernel
    def maxwell_advance(p, s, v, T):
        """Commit the velocity that really happened."""
        N, C = int(p[0]), p[1]
        d, x = math.copysign(1.0, v), abs(v)
        g, dg = magnitude(p, SLIP_HEAD + 2 * N, x)
        total = p[2] * x
        for i in range(N):
            k, a = p[SLIP_HEAD + i], p[SLIP_HEAD + N + i]
            y, m, _ = slip_element(s[1 + i], s[1 + N + i], k, a, C, d, x, g, dg, T)
            s[1 + i] = d * y
            s[1 + N + i] = m
            total += y
        s[0] = -d * total

    return maxwell_answer, maxwell_advance


def tanh_kernels():
    """Friction as a smooth function of the velocity."""
    return tanh_answer, tanh_advance


def dahl_kernels():
    """Dahl's solid friction."""
    return dahl_answer, dahl_advance
