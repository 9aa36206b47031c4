"""The same machines fused by hand, as an expert would write them for one purpose."""

import numpy as np

from tegotae.compile import kernel_sums


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
