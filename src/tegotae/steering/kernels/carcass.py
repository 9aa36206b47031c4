"""A tread that gives way sideways: a mass on a spring and a damper between rim and bristles (see `kernels.patch`).

Each trial steering rate v asks for the tread velocity wc with

    mc (wc - w0)/T + kc (yc + T wc) + bc wc + sum f(v, wc) = 0

Every bristle resists more, the faster the tread moves against it, so the left side rises with wc: Newton inside a
bracket that tightens.
"""

from functools import cache

import numpy as np

from tegotae.block import Halves
from tegotae.compile import kernel
from tegotae.kernels.roots import EPSILON, nearer
from tegotae.steering.kernels.patch import bristle_kernel, commit_kernel, gather_kernel, prepare_kernel


@kernel
def own_slope(p, T):
    """By how much the carcass itself resists more for each m/s of the tread."""
    return p.mc / T + p.kc * T + p.bc


@cache
def tread_kernel(bristle, turns):
    """`tread(p, s, w, v, dw, dr, T)`: the tread velocity wc that goes with an axle's motion, and all sums there."""
    gather = gather_kernel(bristle, turns)

    @kernel
    def tread(p, s, w, v, dw, dr, T):
        """wc, and what `gather` says there."""
        kc, bc, mc, yc, w0 = p.kc, p.bc, p.mc, s.yc[0], s.wc[0]
        carcass_slope = own_slope(p, T)
        wc, low, high = w0, -np.inf, np.inf
        for _ in range(100):
            sums = gather(p, s, w, v, wc + dw, dr, T)
            total, total_w = sums[4], sums[6]
            gap = mc * (wc - w0) / T + kc * (yc + T * wc) + bc * wc + total
            scale = carcass_slope * (abs(wc) + abs(w0)) + kc * abs(yc) + abs(total)
            if abs(gap) <= 8.0 * EPSILON * scale:
                break
            trial, low, high, met = nearer(wc, gap, gap / (carcass_slope + total_w), low, high)
            if met:
                break
            wc = trial
        return wc, sums

    return tread


@cache
def carcass_kernels(load, *law):
    """The row on an elastic carcass, for a profile of pressure and a friction law; none is constant friction."""
    bristle = bristle_kernel(*law)
    tread, commit = tread_kernel(bristle, False), commit_kernel(bristle, True)

    @kernel
    def answer(p, s, w, v, T):
        """Torque on the mover and its slope for a trial steering rate."""
        _, (tau, tau_v, tau_w, _, _, total_v, total_w, _) = tread(p, s, w, v, 0.0, 0.0, T)
        w_v = -total_v / (own_slope(p, T) + total_w)
        return -tau, -(tau_v + tau_w * w_v)

    @kernel
    def advance(p, s, w, v, T):
        """Commit the steering rate that really happened."""
        wc, _ = tread(p, s, w, v, 0.0, 0.0, T)
        commit(p, s, w, v, wc, T)

    return Halves(answer, advance, prepare_kernel(load, *law))
