"""An axle as its vehicle feels it: what its tyre resists with, and the slopes of that by every way the axle can move.

A vehicle that drifts by dw [m/s] and yaws by dr [rad/s] more than the rows of the tick were worked out for moves each
bristle as a tread velocity dw and a turn dr about the steering axis do:

    f* = f_0 + f_v v + (B + Ti K) dw + ((B + Ti K) A + K V Ti^2/2) dr

What is given back is tau_r and its slopes by v, dw and dr, then the sum of f and its slopes by the same.
"""

from functools import cache

import numpy as np

from tegotae.compiling import kernel, kernel_sums
from tegotae.steering.kernels.patch import BRISTLES, GIVEN, GIVING, NEXT_PHASE, ROOM, ROWS, SPEED, prepare_kernel

EPSILON = 2.220446049250313e-16


@cache
def rigid_axle(load, bristle):
    """On a tread that does not give way."""
    prepare = prepare_kernel(load)

    @kernel_sums
    def felt(p, s, v, dw, dr, T):
        """Sums over the row."""
        prepare(p, s, T)
        K, B, a, n = p[0], p[1], p[2], int(p[6])
        own = BRISTLES + n
        h = 2.0 * a / n
        rear = s[own + NEXT_PHASE] * h - a - p[3]
        rolling = 0.5 * K * s[SPEED]
        rows = s[own + ROWS : own + ROWS + ROOM * n].reshape((ROOM, n))
        tau = tau_v = tau_w = tau_r = total = total_v = total_w = total_r = 0.0
        for j in range(n):
            A, Ti, f_v = j * h + rear, rows[3, j], rows[1, j]
            ic = B + Ti * K
            f_r = ic * A + rolling * Ti * Ti
            f, opening = bristle(rows[0, j] + f_v * v + ic * dw + f_r * dr, rows[2, j], ic, p)
            tau += A * f
            tau_v += A * opening * f_v
            tau_w += A * opening * ic
            tau_r += A * opening * f_r
            total += f
            total_v += opening * f_v
            total_w += opening * ic
            total_r += opening * f_r
        return tau, tau_v, tau_w, tau_r, total, total_v, total_w, total_r

    return felt


@cache
def elastic_axle(load, bristle):
    """On an elastic carcass, whose tread takes the velocity that goes with the axle's motion (see `carcass`)."""
    rigid = rigid_axle(load, bristle)

    @kernel
    def felt(p, s, v, dw, dr, T):
        """As the rigid one, the tread given way."""
        kc, bc, mc = p[8], p[9], p[10]
        own = mc / T + kc * T + bc
        w = s[GIVING]
        low, high = -np.inf, np.inf
        for _ in range(100):
            tau, tau_v, tau_w, tau_r, total, total_v, total_w, total_r = rigid(p, s, v, w + dw, dr, T)
            gap = mc * (w - s[GIVING]) / T + kc * (s[GIVEN] + T * w) + bc * w + total
            scale = own * (abs(w) + abs(s[GIVING])) + kc * abs(s[GIVEN]) + abs(total)
            if abs(gap) <= 8.0 * EPSILON * scale:
                break
            if gap > 0.0:
                high = w
            else:
                low = w
            trial = w - gap / (own + total_w)
            if not low < trial < high:
                trial = 0.5 * (low + high)
            if trial in (w, low, high):
                break
            w = trial
        # By how much the tread follows each motion takes its share off every slope.
        by_v, by_w, by_r = total_v / (own + total_w), total_w / (own + total_w), total_r / (own + total_w)
        tau_v, tau_r, tau_w = tau_v - tau_w * by_v, tau_r - tau_w * by_r, tau_w - tau_w * by_w
        total_v, total_r, total_w = total_v - total_w * by_v, total_r - total_w * by_r, total_w - total_w * by_w
        return tau, tau_v, tau_w, tau_r, total, total_v, total_w, total_r

    return felt
