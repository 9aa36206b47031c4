"""An axle as its vehicle feels it: what its tyre resists with, and the slopes of that by every way the axle can move.

A vehicle that drifts by dw [m/s] and yaws by dr [rad/s] more than the rows of the tick were worked out for moves each
bristle as a tread velocity dw and a turn dr about the steering axis do:

    f* = f_0 + f_v v + (B + Ti K) dw + ((B + Ti K) A + K V Ti^2/2) dr

What is given back is tau_r and its slopes by v, dw and dr, then the sum of f and its slopes by the same.
"""

from functools import cache

import numpy as np

from tegotae.compile import kernel, kernel_sums
from tegotae.steering.kernels.carcass import own_slope, tread_step
from tegotae.steering.kernels.patch import rearmost


@cache
def rigid_axle(bristle):
    """On a tread that does not give way."""

    @kernel_sums
    def felt(p, s, w, v, dw, dr, T):
        """Sums over the row."""
        K, B, n = p.K, p.B, w.f_0.shape[0]
        rear, h = rearmost(p, w, n)
        rolling = 0.5 * K * w.V[0]
        tau = tau_v = tau_w = tau_r = total = total_v = total_w = total_r = 0.0
        for j in range(n):
            A, Ti, f_v = j * h + rear, w.Ti[j], w.f_v[j]
            ic = B + Ti * K
            f_r = ic * A + rolling * Ti * Ti
            f, opening = bristle(w.f_0[j] + f_v * v + ic * dw + f_r * dr, w.load[j], ic, p.law)
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
def elastic_axle(bristle):
    """On an elastic carcass, whose tread takes the velocity that goes with the axle's motion (see `carcass`)."""
    rigid = rigid_axle(bristle)

    @kernel
    def felt(p, s, w, v, dw, dr, T):
        """As the rigid one, the tread given way."""
        wc = s.wc[0]
        low, high = -np.inf, np.inf
        for _ in range(100):
            tau, tau_v, tau_w, tau_r, total, total_v, total_w, total_r = rigid(p, s, w, v, wc + dw, dr, T)
            trial, low, high, met = tread_step(p, s, wc, total, total_w, low, high, T)
            if met:
                break
            wc = trial
        # By how much the tread follows each motion takes its share off every slope.
        all_w = own_slope(p, T) + total_w
        by_v, by_w, by_r = total_v / all_w, total_w / all_w, total_r / all_w
        tau_v, tau_r, tau_w = tau_v - tau_w * by_v, tau_r - tau_w * by_r, tau_w - tau_w * by_w
        total_v, total_r, total_w = total_v - total_w * by_v, total_r - total_w * by_r, total_w - total_w * by_w
        return tau, tau_v, tau_w, tau_r, total, total_v, total_w, total_r

    return felt
