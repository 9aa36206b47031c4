"""The same machines fused by hand, as an expert would write them for one purpose."""

import math

import numpy as np

from tegotae.compile import entry_sums, kernel, kernel_sums


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


@entry_sums
def column_and_bristles(c, p, e, f_0, f_v, bound, h, speed, T, velocity, torque):
    """Column, drive train and a row of bristles in one loop; equations and letters of `tegotae.steering.kernels.patch`.

    What an expert would do and the circuit does not: all that does not depend on the trial rate is worked out once a
    tick, into rows of its own.

    c = [I, K_f, B_f, T_f], p = [K, B, a, xi_c, share, load, n] with K, B, load of one bristle and mu in load.
    e: deflections (n,), changed; f_0, f_v, bound: workspace (n,); h: torque on the column (ticks,).
    """
    I, K_f, B_f, T_f = c[0], c[1], c[2], c[3]  # noqa: E741
    K, B, a, xi_c, share, load, n = p[0], p[1], p[2], p[3], p[4], p[5], int(p[6])
    step, ic_f = 2.0 * a / n, B_f + T * K_f
    delta = v = e_f = 0.0
    phase = 0.5
    for k in range(h.shape[0]):
        V = speed[k]
        phase -= V * T * n / (2.0 * a)
        down = -math.floor(phase)
        phase += down
        if phase >= 1.0:
            phase, down = 0.0, down - 1
        shift = int(min(max(down, -n), n))
        low, high = max(0, -shift), min(n, n - shift)
        # um = ue + 0.5 Ti turning, both linear in v: ue = -slip + (A - share V T) v.
        slip = share * V * delta
        lost, bent = share * V * T, 0.5 * V * (1.0 + share)
        if shift > 0:
            for j in range(low, high):
                e[j] = e[j + shift]
        elif shift < 0:
            for j in range(high - 1, low - 1, -1):
                e[j] = e[j + shift]
        gain, turned, spring = B + T * K, T * T * K * bent, K
        for j in range(n):
            xi = (j + phase) * step - a
            f_v[j] = gain * (xi - xi_c - lost) + turned
            f_0[j] = spring * e[j] - gain * slip
            bound[j] = max(0.0, load * (a - xi) * (a + xi))
        if shift != 0:
            first, last = (high, n) if shift > 0 else (0, low)
            for j in range(first, last):  # entered during the tick, unstretched
                xi = (j + phase) * step - a
                Ti = min(T, (a - xi if V > 0.0 else a + xi) / abs(V))
                e[j] = 0.0
                f_v[j] = (B + Ti * K) * (xi - xi_c - lost) + Ti * Ti * K * bent
                f_0[j] = -(B + Ti * K) * slip
        v0, low_v, high_v = v, -np.inf, np.inf
        while True:
            tau = tau_v = 0.0
            for j in range(n):
                A = (j + phase) * step - a - xi_c
                trial = f_0[j] + f_v[j] * v
                f = min(max(trial, -bound[j]), bound[j])
                tau += A * f
                tau_v += A * f_v[j] if abs(trial) <= bound[j] else 0.0
            trial = K_f * e_f + ic_f * v
            f = min(max(trial, -T_f), T_f)
            slope = tau_v + (ic_f if abs(trial) <= T_f else 0.0)
            gap = v - (v0 + T / I * (h[k] - tau - f))
            if abs(gap) <= 9e-16 * (abs(v) + abs(v0) + T / I * (abs(h[k]) + abs(tau) + abs(f))):
                break
            if gap > 0.0:
                high_v = v
            else:
                low_v = v
            tried = v - gap / (1.0 + T / I * slope)
            if not low_v < tried < high_v:
                tried = 0.5 * (low_v + high_v)
            if tried in (v, low_v, high_v):
                break
            v = tried
        turning = V * (1.0 + share) * v
        for j in range(n):
            A = (j + phase) * step - a - xi_c
            trial = f_0[j] + f_v[j] * v
            f = min(max(trial, -bound[j]), bound[j])
            ue = (A - lost) * v - slip
            e[j] += T * (ue + 0.5 * T * turning - (trial - f) / gain)
        if shift != 0:
            for j in range(first, last):
                xi = (j + phase) * step - a
                Ti = min(T, (a - xi if V > 0.0 else a + xi) / abs(V))
                trial = f_0[j] + f_v[j] * v
                f = min(max(trial, -bound[j]), bound[j])
                ue = (xi - xi_c - lost) * v - slip
                e[j] = Ti * (ue + 0.5 * Ti * turning - (trial - f) / max(B + Ti * K, 1e-300))
        trial = K_f * e_f + ic_f * v
        e_f += T * (v - (trial - min(max(trial, -T_f), T_f)) / ic_f)
        delta += T * v
        velocity[k], torque[k] = v, tau
