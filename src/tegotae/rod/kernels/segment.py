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

from tegotae.compiling import kernel

WIDTH = 21
INVERSE = 1.0 / np.maximum(np.arange(64.0), 1.0)  # 1/p: the recurrence would wait for every division
SMALL = 7.0  # below, downward recurrence: no digit is lost through delta = 0; above, upward


@kernel
def moments(delta, re, im):
    """m_0 to m_5 into re, im."""
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


@kernel
def integrals(th, delta, w1, w2, h, re, im, S, k):
    """Row k of S for a segment that starts in the direction th, bends by delta and turns with w1, w2 at its ends."""
    moments(delta, re, im)
    c, s = math.cos(th), math.sin(th)
    S[k, 19], S[k, 20] = c, s
    # G1, G2 and their integrals; h exp(i th) times moments.
    a, b = re[0] - re[1], im[0] - im[1]
    S[k, 0], S[k, 1] = h * (c * a - s * b), h * (s * a + c * b)
    S[k, 2], S[k, 3] = h * (c * re[1] - s * im[1]), h * (s * re[1] + c * im[1])
    S[k, 17], S[k, 18] = S[k, 0] + S[k, 2], S[k, 1] + S[k, 3]
    hh = h * h
    a, b = re[0] - 2.0 * re[1] + re[2], im[0] - 2.0 * im[1] + im[2]
    S[k, 4], S[k, 5] = hh * (c * a - s * b), hh * (s * a + c * b)
    a, b = re[1] - re[2], im[1] - im[2]
    S[k, 6], S[k, 7] = hh * (c * a - s * b), hh * (s * a + c * b)
    # E and Ebar: (sum N_i thd_i)^2 = (w1 + d w)^2 with d = w2 - w1.
    d = w2 - w1
    q0, q1, q2 = w1 * w1, 2.0 * w1 * d, d * d
    a = q0 * re[0] + q1 * re[1] + q2 * re[2]
    b = q0 * im[0] + q1 * im[1] + q2 * im[2]
    S[k, 8], S[k, 9] = h * (c * a - s * b), h * (s * a + c * b)
    a -= q0 * re[1] + q1 * re[2] + q2 * re[3]
    b -= q0 * im[1] + q1 * im[2] + q2 * im[3]
    S[k, 10], S[k, 11] = hh * (c * a - s * b), hh * (s * a + c * b)
    # Q_ij = h^3 f_ij(delta), and b_i from their slopes f'_ij.
    hhh = hh * h
    S[k, 12] = hhh * (0.5 * re[0] - 4.0 / 3.0 * re[1] + re[2] - re[4] / 6.0)
    S[k, 13] = hhh * (re[0] - re[1] - re[3] + re[4]) / 6.0
    S[k, 14] = hhh * (re[0] - 2.0 * re[1] + 2.0 * re[3] - re[4]) / 6.0
    f11 = -(0.5 * im[1] - 4.0 / 3.0 * im[2] + im[3] - im[5] / 6.0)
    f12 = -(im[1] - im[2] - im[4] + im[5]) / 6.0
    f22 = -(im[1] - 2.0 * im[2] + 2.0 * im[4] - im[5]) / 6.0
    half = 0.5 * (f11 * w1 * w1 + 2.0 * f12 * w1 * w2 + f22 * w2 * w2)
    S[k, 15] = -hhh * (d * (f11 * w1 + f12 * w2) + half)
    S[k, 16] = -hhh * (d * (f12 * w1 + f22 * w2) - half)


@kernel
def all_integrals(y, v, hs, re, im, S):
    """Every segment; y = (x, y, th_1..th_n), v its rate."""
    for k in range(hs.shape[0]):
        integrals(y[2 + k], y[3 + k] - y[2 + k], v[2 + k], v[3 + k], hs[k], re, im, S, k)


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


def room(segments):
    """re, im and S for so many segments."""
    return np.zeros(6), np.zeros(6), np.zeros((segments, WIDTH))
