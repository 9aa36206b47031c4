"""An axle as its vehicle feels it: what its tyre resists with, and the slopes of that by every way the axle can move.

A vehicle that drifts by dw [m/s] and yaws by dr [rad/s] more than the rows of the tick were worked out for moves each
bristle as a tread velocity dw and a turn dr about the steering axis do:

    f* = f_0 + f_v v + (B + Ti K) dw + ((B + Ti K) A + K V Ti^2/2) dr

What is given back is tau_r and its slopes by v, dw and dr, then the sum of f and its slopes by the same.
"""

from functools import cache

import numpy as np

from tegotae.compile import kernel, kernel_sums
from tegotae.steering.kernels.carcass import nearer, own_slope
from tegotae.steering.kernels.patch import BRISTLES, GIVING, NEXT_PHASE, ROOM, ROWS, SPEED, prepare_kernel


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
        w = s[GIVING]
        low, high = -np.inf, np.inf
        for _ in range(100):
            tau, tau_v, tau_w, tau_r, total, total_v, total_w, total_r = rigid(p, s, v, w + dw, dr, T)
            trial, low, high, met = nearer(p, s, w, total, total_w, low, high, T)
            if met:
                break
            w = trial
        # By how much the tread follows each motion takes its share off every slope.
        all_w = own_slope(p, T) + total_w
        by_v, by_w, by_r = total_v / all_w, total_w / all_w, total_r / all_w
        tau_v, tau_r, tau_w = tau_v - tau_w * by_v, tau_r - tau_w * by_r, tau_w - tau_w * by_w
        total_v, total_r, total_w = total_v - total_w * by_v, total_r - total_w * by_r, total_w - total_w * by_w
        return tau, tau_v, tau_w, tau_r, total, total_v, total_w, total_r

    return felt
