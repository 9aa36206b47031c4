"""A tread that gives way sideways: a mass on a spring and a damper between rim and bristles (see `kernels.patch`).

Each trial steering rate v asks for the tread velocity w with

    mc (w - w0)/T + kc (yc + T w) + bc w + sum f(v, w) = 0

Every bristle resists more, the faster the tread moves against it, so the left side rises with w: Newton inside a
bracket that tightens.
"""

from functools import cache

import numpy as np

from tegotae.compile import kernel
from tegotae.steering.kernels.patch import GIVEN, GIVING, commit_kernel, coulomb_bristle, gather_kernel, law_bristle

EPSILON = 2.220446049250313e-16


@kernel
def own_slope(p, T):
    """By how much the carcass itself resists more for each m/s of the tread."""
    return p[10] / T + p[8] * T + p[9]


@kernel
def nearer(p, s, w, total, total_w, low, high, T):
    """A step of Newton inside its bracket: -> the next w, the bracket, and whether this w is as near as can be.

    total is the force of the bristles at w, total_w its slope.
    """
    kc, bc, mc = p[8], p[9], p[10]
    own = own_slope(p, T)
    gap = mc * (w - s[GIVING]) / T + kc * (s[GIVEN] + T * w) + bc * w + total
    scale = own * (abs(w) + abs(s[GIVING])) + kc * abs(s[GIVEN]) + abs(total)
    if abs(gap) <= 8.0 * EPSILON * scale:
        return w, low, high, True
    if gap > 0.0:
        high = w
    else:
        low = w
    trial = w - gap / (own + total_w)
    if not low < trial < high:
        trial = 0.5 * (low + high)
    return trial, low, high, trial in (w, low, high)


def elastic_halves(load, bristle):
    """The row on an elastic carcass."""
    gather, commit = gather_kernel(load, bristle), commit_kernel(load, bristle)

    @kernel
    def give(p, s, v, T):
        """The tread velocity w that goes with a steering rate."""
        w = s[GIVING]
        low, high = -np.inf, np.inf
        for _ in range(100):
            _, _, _, total, _, total_w = gather(p, s, v, w, T)
            trial, low, high, met = nearer(p, s, w, total, total_w, low, high, T)
            if met:
                break
            w = trial
        return w

    @kernel
    def answer(p, s, v, T):
        """Torque on the mover and its slope for a trial steering rate; keeps nothing but the rows."""
        w = give(p, s, v, T)
        tau, tau_v, tau_w, _, total_v, total_w = gather(p, s, v, w, T)
        w_v = -total_v / (own_slope(p, T) + total_w)
        return -tau, -(tau_v + tau_w * w_v)

    @kernel
    def advance(p, s, v, T):
        """Commit the steering rate that really happened."""
        commit(p, s, v, give(p, s, v, T), T)

    return answer, advance


@cache
def carcass_kernels(load, magnitude, resolve):
    """The row with friction over slip speed."""
    return elastic_halves(load, law_bristle(magnitude, resolve))


@cache
def coulomb_carcass_kernels(load):
    """The row with a constant coefficient of friction."""
    return elastic_halves(load, coulomb_bristle)
