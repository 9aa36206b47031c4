"""A steering system fused by hand: column, drive train and a row of bristles in one loop, written for them alone.

The equations and letters are those of `tegotae.steering.kernels.patch`. What an expert would do and the circuit does
not: all that does not depend on the trial rate is worked out once a tick, into rows of its own.
"""

import math

import numpy as np

from tegotae.compile import entry_sums


@entry_sums
def column_and_bristles(c, p, e, f_0, f_v, bound, h, speed, T, velocity, torque):
    """c = [I, K_f, B_f, T_f], p = [K, B, a, xi_c, share, load, n] with K, B, load of one bristle and mu in load.

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
        gain, own, spring = B + T * K, T * T * K * bent, K
        for j in range(n):
            xi = (j + phase) * step - a
            f_v[j] = gain * (xi - xi_c - lost) + own
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
