"""A tread that gives way sideways: a mass on a spring and a damper between rim and bristles (see `kernels.patch`).

Each trial steering rate v asks for the tread velocity w with

    mc (w - w0)/T + kc (yc + T w) + bc w + sum f(v, w) = 0

Every bristle resists more, the faster the tread moves against it, so the left side rises with w: Newton inside a
bracket that tightens. The slopes by w come from those by v of a tyre turned about a distant point: they are summed
here, bristle by bristle, only where this block asks for them.
"""

from functools import cache

import numpy as np

from tegotae.compiling import kernel, kernel_sums
from tegotae.steering.kernels.patch import (
    BRISTLES,
    FORCE,
    GIVEN,
    GIVING,
    LATERAL,
    SPEED,
    STUCK,
    YAW,
    coulomb_bristle,
    gather_kernel,
    law_bristle,
    move_kernel,
    rolled,
    slip,
    time_inside,
)

EPSILON = 2.220446049250313e-16


@cache
def sideways_kernel(load, bristle):
    """Slopes by the tread velocity."""

    @kernel_sums
    def some(p, s, v, w, T, phase, first, last, shift, held):
        K, B, a, xi_c, scale = p[0], p[1], p[2], p[3], p[5]
        h, at, V = 2.0 * a / p[6], int(p[7]), s[SPEED]
        rate = v + s[YAW]
        Va, Va_dot = slip(p, s, v, w, T)
        turning = V * rate + Va_dot
        tau_w = total_w = 0.0
        for j in range(first, last):
            xi = (j + phase) * h - a
            Ti = T if held else time_inside(a, xi, V, T)
            e = s[BRISTLES + j + shift] if held else 0.0
            ue = (xi - xi_c) * rate - Va
            trial = K * (e + Ti * (ue + 0.5 * Ti * turning)) + B * ue
            _, opening = bristle(trial, scale * load(p, at, xi, a), B + Ti * K, p)
            f_w = opening * (K * Ti + B)  # d V alpha/dw = -1
            tau_w += (xi - xi_c) * f_w
            total_w += f_w
        return tau_w, total_w

    @kernel
    def sideways(p, s, v, w, T):
        """d tau_r/dw and d (sum f)/dw."""
        phase, shift, low, high = rolled(p, s, T)
        tau_w, total_w = some(p, s, v, w, T, phase, low, high, shift, True)
        if shift != 0:
            first, last = (high, int(p[6])) if shift > 0 else (0, low)
            a, b = some(p, s, v, w, T, phase, first, last, shift, False)
            tau_w, total_w = tau_w + a, total_w + b
        return tau_w, total_w

    return sideways


def elastic_halves(load, bristle):
    """The row on an elastic carcass."""
    gather, move = gather_kernel(load, bristle), move_kernel(load, bristle)
    sideways = sideways_kernel(load, bristle)

    @kernel
    def give(p, s, v, T):
        """The tread velocity that goes with a steering rate, and the slopes there: w, tau_w, total_w."""
        kc, bc, mc = p[8], p[9], p[10]
        own = mc / T + kc * T + bc
        w = s[GIVING]
        low, high = -np.inf, np.inf
        tau_w = total_w = 0.0
        for _ in range(100):
            _, _, total, _ = gather(p, s, v, w, T)
            tau_w, total_w = sideways(p, s, v, w, T)
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
        return w, tau_w, total_w

    @kernel
    def answer(p, s, v, T):
        """Torque on the mover and its slope for a trial steering rate; changes nothing."""
        w, tau_w, total_w = give(p, s, v, T)
        tau, tau_v, _, total_v = gather(p, s, v, w, T)
        w_v = -total_v / (p[10] / T + p[8] * T + p[9] + total_w)
        return -tau, -(tau_v + tau_w * w_v)

    @kernel
    def advance(p, s, v, T):
        """Commit the steering rate that really happened."""
        w, _, _ = give(p, s, v, T)
        tau, total, stuck = move(p, s, v, w, T)
        s[FORCE], s[LATERAL], s[STUCK] = -tau, -total, stuck / p[6]

    return answer, advance


@cache
def carcass_kernels(load, magnitude, resolve):
    """The row with friction over slip speed."""
    return elastic_halves(load, law_bristle(magnitude, resolve))


@cache
def coulomb_carcass_kernels(load):
    """The row with a constant coefficient of friction."""
    return elastic_halves(load, coulomb_bristle)
