"""The paper's equations in the order in which they are printed, (4) to (11), nothing solved for.

Torques of a tick follow from the motion of the last one; (11) then moves the wheel. In the letters of yamamoto2006:

    p = parameters of a ContactPatch     c = [I, N, T_f, K_f, B_f]     hand = [K_h, B_h]
    s = [delta, delta', tau_h, tau_r, tau_f, Fy, stuck share, V, e of the drive train]
"""

import math
from functools import cache

from tegotae.compile import kernel
from tegotae.steering.kernels.patch import FRICTION

STEER, RATE, HAND, TYRE, TRAIN, LATERAL, STUCK, SPEED, GIVEN = range(9)


@kernel
def printed_train(K_f, B_f, T_f, e, rate, T):
    """(9) as printed -> tau_f, e: its last line multiplies by T_f, a torque, where the sampling time T is meant."""
    trial = (B_f + T * K_f) * rate + K_f * e
    tau_f = math.copysign(T_f, trial) if abs(trial) > T_f else trial
    return tau_f, (B_f * e + T_f * tau_f) / (B_f + T * K_f)


@kernel
def corrected_train(K_f, B_f, T_f, e, rate, T):
    """(9) with T in its last line, as in (6) -> tau_f, e."""
    trial = (B_f + T * K_f) * rate + K_f * e
    tau_f = math.copysign(T_f, trial) if abs(trial) > T_f else trial
    return tau_f, (B_f * e + T * tau_f) / (B_f + T * K_f)


@cache
def tyre_kernel(load):
    """The row of bristles for a pressure profile."""

    @kernel
    def tyre(p, xi, e, V, rate, alpha, T):
        """(4) to (8) -> tau_r, sum of f, share that sticks; bounded by mu F, and no load outside the patch."""
        K, B, a, xi_c, scale, at, mu = p[0], p[1], p[2], p[3], p[5], int(p[7]), p[FRICTION]
        tau_r = total = stuck = 0.0
        for i in range(xi.shape[0]):
            xi[i] -= V * T
            around = math.floor((xi[i] + a) / (2.0 * a))
            if around != 0.0:  # it left at one end and enters at the other, unstretched
                xi[i] -= 2.0 * a * around
                e[i] = 0.0
            bound = mu * scale * load(p, at, xi[i], a)
            u = (xi[i] - xi_c) * rate - V * alpha
            trial = (B + T * K) * u + K * e[i]
            f = min(max(trial, -bound), bound)
            e[i] = (B * e[i] + T * f) / (B + T * K)
            tau_r += (xi[i] - xi_c) * f
            total += f
            stuck += 1.0 if abs(trial) <= bound else 0.0
        return tau_r, total, stuck / xi.shape[0]

    return tyre


@cache
def explicit_kernels(load, train):
    """A whole run, and the drive train alone along a record of steer angles."""
    tyre = tyre_kernel(load)

    @kernel
    def steered(p, c, hand, s, xi, e, torque, wanted, rates, speed, T, every, record):
        """Torque given, a driver's wish, or both; a driver sees where the wheel was."""
        I, N, T_f, K_f, B_f = c[0], c[1], c[2], c[3], c[4]  # noqa: E741
        row, wait = 0, every
        for k in range(torque.shape[0]):
            V = speed[k]
            delta, rate = s[STEER], s[RATE]
            tau_h = torque[k] + hand[0] * (wanted[k] - N * delta) + hand[1] * (rates[k] - N * rate)
            tau_r, total, stuck = tyre(p, xi, e, V, rate, p[4] * delta, T)
            tau_f, s[GIVEN] = train(K_f, B_f, T_f, s[GIVEN], rate, T)
            rate += T * (N * tau_h - tau_r - tau_f) / I  # (11)
            s[STEER], s[RATE], s[HAND] = delta + T * rate, rate, tau_h
            s[TYRE], s[TRAIN], s[LATERAL], s[STUCK], s[SPEED] = tau_r, tau_f, -total, stuck, V
            wait -= 1
            if wait == 0:
                wait = every
                for j in range(GIVEN):
                    record[j, row] = s[j]
                row += 1

    @kernel
    def rubbed(c, rates, T, out):
        """tau_f along steer rates."""
        e = 0.0
        for k in range(rates.shape[0]):
            out[k], e = train(c[3], c[4], c[2], e, rates[k], T)

    return steered, rubbed
