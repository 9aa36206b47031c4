"""The same machines fused by hand, as an expert would write them for one purpose."""

import numpy as np

from tegotae.compile import kernel, kernel_sums


@kernel_sums
def mass_and_elements(M, K, B, F, e, h, T, velocity):
    """One mass with massless Coulomb elements, implicitly coupled: Newton on a piecewise-linear equation."""
    v = 0.0
    m = T / M
    for k in range(h.shape[0]):
        v0 = v
        low, high = -np.inf, np.inf
        while True:
            f, d, size = 0.0, 0.0, 0.0
            for i in range(K.shape[0]):
                ic = K[i] * T + B[i]
                stuck = K[i] * e[i] - ic * v
                clipped = min(max(stuck, -F[i]), F[i])
                f += clipped
                size += abs(clipped)
                d -= ic if abs(stuck) <= F[i] else 0.0
            gap = v - (v0 + m * (h[k] + f))
            if abs(gap) <= 9e-16 * (abs(v) + abs(v0) + m * (abs(h[k]) + size)):
                break
            if gap > 0.0:
                high = v
            else:
                low = v
            trial = v - gap / (1.0 - m * d)
            if not low < trial < high:
                trial = 0.5 * (low + high)
            if trial == v:
                break
            v = trial
        for i in range(K.shape[0]):
            ic = K[i] * T + B[i]
            stuck = K[i] * e[i] - ic * v
            e[i] += T * ((min(max(stuck, -F[i]), F[i]) - stuck) / ic - v)
        velocity[k] = v


def numpy_elements(K, B, F, e, velocity, T):
    """[kikuuwe2005 (18)] with M = 0 for many elements in NumPy, one array operation after the other -> forces."""
    forces = np.empty(velocity.shape[0])
    C = T * B + T * T * K
    c = T / C
    for k, v in enumerate(velocity):
        u = v - c * K * e
        g = np.where(np.abs(u) <= c * F, -u / c, -F * np.sign(u))
        e1 = e - T * v + T * (u + c * g)
        f = K * e1 + B * (e1 - e) / T
        e = e1
        forces[k] = f.sum()
    return forces


@kernel
def train_that_rubs(M, K, B, F, Kr, Br, h, T, place, rub, pull, velocity):
    """Three masses that rub on the ground, each drawn by the one before it: Newton on all three.

    place (3), rub (3) and pull (2) are where they are and what acts on them at the end of each tick.
    """
    v = np.zeros(3)
    v0 = np.zeros(3)
    e = np.zeros(3)
    x = np.zeros(2)
    gap = np.zeros(3)
    D = np.zeros(3)
    m, ic, icr = T / M, K * T + B, Kr * T + Br
    for k in range(h.shape[0]):
        for i in range(3):
            v0[i] = v[i]
        for _ in range(50):
            f0 = -(Kr * x[0] + icr * (v[0] - v[1]))
            f1 = -(Kr * x[1] + icr * (v[1] - v[2]))
            worst = 0.0
            scale = 0.0
            for i in range(3):
                stuck = K * e[i] - ic * v[i]
                f = min(max(stuck, -F), F)
                D[i] = ic if abs(stuck) <= F else 0.0
                f += (h[k] + f0) if i == 0 else (f1 - f0 if i == 1 else -f1)
                gap[i] = v[i] - (v0[i] + m * f)
                worst = max(worst, abs(gap[i]))
                scale = max(scale, abs(v[i]) + abs(v0[i]) + m * (F + abs(h[k]) + icr * (abs(v[0]) + abs(v[1]))))
            if worst <= 9e-16 * scale:
                break
            a0, a1, a2 = 1.0 + m * (D[0] + icr), 1.0 + m * (D[1] + 2.0 * icr), 1.0 + m * (D[2] + icr)
            b = -m * icr
            a1 -= b / a0 * b
            gap[1] -= b / a0 * gap[0]
            a2 -= b / a1 * b
            gap[2] -= b / a1 * gap[1]
            d2 = gap[2] / a2
            d1 = (gap[1] - b * d2) / a1
            d0 = (gap[0] - b * d1) / a0
            v[0] -= d0
            v[1] -= d1
            v[2] -= d2
        for i in range(3):
            stuck = K * e[i] - ic * v[i]
            rub[i] = min(max(stuck, -F), F)
            e[i] += T * ((rub[i] - stuck) / ic - v[i])
            place[i] += T * v[i]
        for i in range(2):
            pull[i] = -(Kr * x[i] + icr * (v[i] - v[i + 1]))
            x[i] += T * (v[i] - v[i + 1])
        velocity[k] = v[0]
