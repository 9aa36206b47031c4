"""One segment of a planar rod in closed form.  [hirai2020, its integrals]

theta is linear along the segment, theta = th_k + delta w, w = 0..1, so that every integral of the paper is a moment

    m_p(delta) = int_0^1 w^p exp(i delta w) dw,    p = 0..5.

Vectors of the plane are complex numbers, x + iy. A segment of length h, density rho fills a row of S:

    0..1   G1, G2 (re, im)        int exp(i theta) N_i               0: re G1  1: im G1  2: re G2  3: im G2
    4..7   Gbar1, Gbar2           their integrals along the segment
    8..9   E  = sum E_ij thd_i thd_j (re, im)                        how the end falls behind by turning
   10..11  Ebar, likewise integrated
   12..14  Q11, Q12, Q22          int |g_i g_j|
   15..16  b1, b2                 what turning does to th_k and th_(k+1), rho left out
   17..18  C, S                   end minus start (re, im)
   19..20  exp(i th_k)            direction at the start (re, im)
"""

import math

import numpy as np

from tegotae.compile import kernel, kernel_inside, kernel_sums, kernel_sums_inside

WIDTH = 21
INVERSE = 1.0 / np.maximum(np.arange(64.0), 1.0)  # 1/p: the recurrence would wait for every division
SMALL = 7.0  # [rad], below, downward recurrence: no digit is lost through delta = 0; above, upward
# Powers of delta^2 of cos, sin/delta, re m_5 and im m_5/delta: 1/(2j)!, 1/(2j + 1)!, over 2j + 6, over 2j + 7.
TERMS = 11
EVEN = tuple((-1.0) ** j / math.factorial(2 * j) for j in range(TERMS))
ODD = tuple((-1.0) ** j / math.factorial(2 * j + 1) for j in range(TERMS))
EVEN_5 = tuple(EVEN[j] / (2 * j + 6) for j in range(TERMS))
ODD_5 = tuple(ODD[j] / (2 * j + 7) for j in range(TERMS))
WIDE = 1.5  # [rad], bend up to which so many terms are exact to rounding
# So many segments are bent side by side: rows of a strip, exp(i delta), m_0 to m_4 and im m_5.
STRIP = 8
CD, SD, R0, R1, R2, R3, R4, I0, I1, I2, I3, I4, I5 = range(0, 13 * STRIP, STRIP)


@kernel_sums_inside
def series(delta):
    """exp(i delta) and m_0 to m_5 for |delta| <= WIDE: cos, sin, all real parts, all imaginary parts. No branch, so
    several segments can be taken at once."""
    x = delta * delta
    c, s, r5, i5 = EVEN[TERMS - 1], ODD[TERMS - 1], EVEN_5[TERMS - 1], ODD_5[TERMS - 1]
    for j in range(TERMS - 2, -1, -1):
        c, s, r5, i5 = c * x + EVEN[j], s * x + ODD[j], r5 * x + EVEN_5[j], i5 * x + ODD_5[j]
    s, i5 = s * delta, i5 * delta
    # m_(p-1) = (exp(i delta) - i delta m_p)/p
    r4, i4 = 0.2 * (c + delta * i5), 0.2 * (s - delta * r5)
    r3, i3 = 0.25 * (c + delta * i4), 0.25 * (s - delta * r4)
    r2, i2 = (1.0 / 3.0) * (c + delta * i3), (1.0 / 3.0) * (s - delta * r3)
    r1, i1 = 0.5 * (c + delta * i2), 0.5 * (s - delta * r2)
    return c, s, c + delta * i1, r1, r2, r3, r4, r5, s - delta * r1, i1, i2, i3, i4, i5


@kernel_sums
def moments(delta, re, im):
    """m_0 to m_5 into re, im."""
    if abs(delta) <= WIDE:
        (
            _, _, re[0], re[1], re[2], re[3], re[4], re[5], im[0], im[1], im[2], im[3], im[4], im[5],
        ) = series(delta)  # fmt: skip
        return
    c, s = math.cos(delta), math.sin(delta)
    if abs(delta) <= SMALL:
        p = 14 + int(3.6 * abs(delta))
        a, b = 0.0, 0.0
        # m_(p-1) = (exp(i delta) - i delta m_p)/p
        while p > 0:
            a, b = (c + delta * b) * INVERSE[p], (s - delta * a) * INVERSE[p]
            p -= 1
            if p < 6:
                re[p], im[p] = a, b
        return
    # m_p = (exp(i delta) - p m_(p-1))/(i delta)
    a, b = s / delta, (1.0 - c) / delta
    re[0], im[0] = a, b
    for p in range(1, 6):
        a, b = (s - p * b) / delta, (p * a - c) / delta
        re[p], im[p] = a, b


@kernel_inside
def point_torques(th, bend, h, q, fx, fy, tau, re, im):
    """A force and a torque at the part q of a segment, as torques on its two angles; re, im (6) are workspaces.

    The segment up to the point bends by q delta: g1 = h exp(i th) (q m0 - q^2 m1), g2 = h exp(i th) q^2 m1; each torque
    is Re(conj(i g) F).
    """
    moments(q * bend, re, im)
    c, s = math.cos(th), math.sin(th)
    ar, ai = h * q * q * re[1], h * q * q * im[1]
    br, bi = h * q * re[0] - ar, h * q * im[0] - ai
    first = -(s * br + c * bi) * fx + (c * br - s * bi) * fy + (1.0 - q) * tau
    return first, -(s * ar + c * ai) * fx + (c * ar - s * ai) * fy + q * tau


@kernel_sums_inside
def row(c, s, h, w1, w2, r0, r1, r2, r3, r4, i0, i1, i2, i3, i4, i5):
    """Columns 0 to 16 of S for a segment that starts in the direction (c, s), of moments r + i and rates w1, w2."""
    hc, hs = h * c, h * s
    hhc, hhs, hhh = h * hc, h * hs, h * h * h
    # G1, G2 and their integrals; h exp(i th) times moments.
    a, b = r0 - r1, i0 - i1
    G1x, G1y = hc * a - hs * b, hs * a + hc * b
    G2x, G2y = hc * r1 - hs * i1, hs * r1 + hc * i1
    a, b = a - r1 + r2, b - i1 + i2
    B1x, B1y = hhc * a - hhs * b, hhs * a + hhc * b
    a, b = r1 - r2, i1 - i2
    B2x, B2y = hhc * a - hhs * b, hhs * a + hhc * b
    # E and Ebar: (sum N_i thd_i)^2 = (w1 + d w)^2 with d = w2 - w1.
    d = w2 - w1
    q0, q1, q2 = w1 * w1, 2.0 * w1 * d, d * d
    a, b = q0 * r0 + q1 * r1 + q2 * r2, q0 * i0 + q1 * i1 + q2 * i2
    Ex, Ey = hc * a - hs * b, hs * a + hc * b
    a, b = a - q0 * r1 - q1 * r2 - q2 * r3, b - q0 * i1 - q1 * i2 - q2 * i3
    Fx, Fy = hhc * a - hhs * b, hhs * a + hhc * b
    # Q_ij = h^3 f_ij(delta), and b_i from their slopes f'_ij.
    Q11 = hhh * (0.5 * r0 - 4.0 / 3.0 * r1 + r2 - r4 * (1.0 / 6.0))
    Q12 = hhh * (1.0 / 6.0) * (r0 - r1 - r3 + r4)
    Q22 = hhh * (1.0 / 6.0) * (r0 - 2.0 * r1 + 2.0 * r3 - r4)
    f11 = 4.0 / 3.0 * i2 + i5 * (1.0 / 6.0) - 0.5 * i1 - i3
    f12 = (i2 - i1 + i4 - i5) * (1.0 / 6.0)
    f22 = (2.0 * i2 - i1 - 2.0 * i4 + i5) * (1.0 / 6.0)
    one, two = f11 * w1 + f12 * w2, f12 * w1 + f22 * w2
    half = 0.5 * (one * w1 + two * w2)
    b1, b2 = -hhh * (d * one + half), -hhh * (d * two - half)
    return G1x, G1y, G2x, G2y, B1x, B1y, B2x, B2y, Ex, Ey, Fx, Fy, Q11, Q12, Q22, b1, b2


@kernel_sums
def bend_strip(th, count, m):
    """Rows of m for segments between count + 1 angles th -> how many bend beyond WIDE."""
    wide = 0.0
    for j in range(count):
        d = th[j + 1] - th[j]
        wide += 1.0 if abs(d) > WIDE else 0.0
        (
            m[CD + j], m[SD + j], m[R0 + j], m[R1 + j], m[R2 + j], m[R3 + j], m[R4 + j], _,
            m[I0 + j], m[I1 + j], m[I2 + j], m[I3 + j], m[I4 + j], m[I5 + j],
        ) = series(d)  # fmt: skip
    return wide


@kernel_sums
def bend_wide(th, count, m, re, im):
    """Those of them that bend beyond WIDE; re, im (6) are workspaces."""
    for j in range(count):
        d = th[j + 1] - th[j]
        if abs(d) > WIDE:
            moments(d, re, im)
            m[CD + j], m[SD + j], m[R0 + j], m[I0 + j] = math.cos(d), math.sin(d), re[0], im[0]
            m[R1 + j], m[R2 + j], m[R3 + j], m[R4 + j] = re[1], re[2], re[3], re[4]
            m[I1 + j], m[I2 + j], m[I3 + j], m[I4 + j], m[I5 + j] = im[1], im[2], im[3], im[4], im[5]


@kernel
def all_integrals(y, v, hs, re, im, S):
    """Every segment; y = (x, y, th_1..th_n), v its rate."""
    m = np.empty(13 * STRIP)
    for b in range(0, hs.shape[0], STRIP):
        th, count = y[2 + b :], min(STRIP, hs.shape[0] - b)
        if bend_strip(th, count, m) > 0.0:
            bend_wide(th, count, m, re, im)
        c, s = math.cos(th[0]), math.sin(th[0])  # of the others, by turning it: a strip is short, so no digit is lost
        for j in range(count):
            k = b + j
            (
                S[k, 0], S[k, 1], S[k, 2], S[k, 3], S[k, 4], S[k, 5], S[k, 6], S[k, 7], S[k, 8],
                S[k, 9], S[k, 10], S[k, 11], S[k, 12], S[k, 13], S[k, 14], S[k, 15], S[k, 16],
            ) = row(
                c, s, hs[k], v[2 + k], v[3 + k], m[R0 + j], m[R1 + j], m[R2 + j], m[R3 + j], m[R4 + j],
                m[I0 + j], m[I1 + j], m[I2 + j], m[I3 + j], m[I4 + j], m[I5 + j],
            )  # fmt: skip
            S[k, 17], S[k, 18] = S[k, 0] + S[k, 2], S[k, 1] + S[k, 3]
            S[k, 19], S[k, 20] = c, s
            c, s = c * m[CD + j] - s * m[SD + j], s * m[CD + j] + c * m[SD + j]


@kernel
def places(y, S, X):
    """Node places X (n, 2) from the base and the segments; S as `all_integrals` left it."""
    X[0, 0], X[0, 1] = y[0], y[1]
    for k in range(S.shape[0]):
        X[k + 1, 0] = X[k, 0] + S[k, 17]
        X[k + 1, 1] = X[k, 1] + S[k, 18]


@kernel
def velocities(v, S, U):
    """Node velocities U (n, 2)."""
    U[0, 0], U[0, 1] = v[0], v[1]
    for k in range(S.shape[0]):
        w1, w2 = v[2 + k], v[3 + k]
        # i G w
        U[k + 1, 0] = U[k, 0] - S[k, 1] * w1 - S[k, 3] * w2
        U[k + 1, 1] = U[k, 1] + S[k, 0] * w1 + S[k, 2] * w2


@kernel
def kinetic_energy(v, S, U, hs, rho):
    """Of all segments; U as `velocities` left it."""
    total = 0.0
    for k in range(S.shape[0]):
        w1, w2 = v[2 + k], v[3 + k]
        ux, uy = U[k, 0], U[k, 1]
        gx = -S[k, 5] * w1 - S[k, 7] * w2
        gy = S[k, 4] * w1 + S[k, 6] * w2
        turning = S[k, 12] * w1 * w1 + 2.0 * S[k, 13] * w1 * w2 + S[k, 14] * w2 * w2
        total += rho[k] * (0.5 * hs[k] * (ux * ux + uy * uy) + ux * gx + uy * gy + 0.5 * turning)
    return total


def workspace(segments):
    """re, im and S for so many segments."""
    return np.zeros(6), np.zeros(6), np.zeros((segments, WIDTH))
