"""The paper's equations in the order in which they are printed, (4) to (11), nothing solved for.

Torques of a tick follow from the motion of the last one; (11) then moves the wheel. In the letters of yamamoto2006.
"""

import math
from collections import namedtuple
from functools import cache

from tegotae.compile import entry, kernel
from tegotae.kernels.stick_slip import as_if_stuck, limited, stick_slip, stretch_after

Tyre = namedtuple("Tyre", "K B a xi_c share scale mu pressure")  # of one bristle; numbers of the pressure profile
Train = namedtuple("Train", "I N T_f K_f B_f")  # inertia and gear of the column, friction of the drive train
Arms = namedtuple("Arms", "K_h B_h")  # of a driver; 0 where torques are given


@kernel
def printed_train(c, e, rate, T):
    """(9) as printed -> tau_f, e: its last line multiplies by T_f, a torque, where the sampling time T is meant."""
    trial, ic = as_if_stuck(c.K_f, c.B_f, e, rate, T)
    tau_f = limited(trial, c.T_f)
    return tau_f, (c.B_f * e + c.T_f * tau_f) / ic


@kernel
def corrected_train(c, e, rate, T):
    """(9) with T in its last line, as in (6) -> tau_f, e."""
    tau_f = limited(as_if_stuck(c.K_f, c.B_f, e, rate, T)[0], c.T_f)
    return tau_f, stretch_after(c.K_f, c.B_f, e, tau_f, T)


@cache
def tyre_kernel(load):
    """The row of bristles for a pressure profile."""

    @kernel
    def tyre(p, xi, e, V, rate, alpha, T):
        """(4) to (8) -> tau_r, sum of f, share that sticks; bounded by mu F, and no load outside the patch."""
        K, B, a, xi_c, scale, mu = p.K, p.B, p.a, p.xi_c, p.scale, p.mu
        tau_r = total = stuck = 0.0
        for i in range(xi.shape[0]):
            xi[i] -= V * T
            around = math.floor((xi[i] + a) / (2.0 * a))
            if around != 0.0:  # it left at one end and enters at the other, unstretched
                xi[i] -= 2.0 * a * around
                e[i] = 0.0
            bound = mu * scale * load(p.pressure, 0, xi[i], a)
            u = (xi[i] - xi_c) * rate - V * alpha
            f, sticks = stick_slip(as_if_stuck(K, B, e[i], u, T)[0], bound, 1.0)
            e[i] = stretch_after(K, B, e[i], f, T)
            tau_r += (xi[i] - xi_c) * f
            total += f
            stuck += sticks
        return tau_r, total, stuck / xi.shape[0]

    return tyre


@cache
def explicit_kernels(load, train):
    """A whole run, and the drive train alone along a record of steer angles."""
    tyre = tyre_kernel(load)

    @entry
    def steered(p, c, hand, delta, rate, xi, e, torque, wanted, rates, speed, T, record):
        """Torque given, a driver's wish, or both; a driver sees where the wheel was.

        xi and e are the bristles' places and stretches; a row of the record is delta, delta', tau_h, tau_r, tau_f, Fy,
        the share that sticks, and V.
        """
        e_f = 0.0
        for k in range(torque.shape[0]):
            V = speed[k]
            tau_h = torque[k] + hand.K_h * (wanted[k] - c.N * delta) + hand.B_h * (rates[k] - c.N * rate)
            tau_r, total, stuck = tyre(p, xi, e, V, rate, p.share * delta, T)
            tau_f, e_f = train(c, e_f, rate, T)
            rate += T * (c.N * tau_h - tau_r - tau_f) / c.I  # (11)
            delta += T * rate
            record[0, k], record[1, k], record[2, k], record[3, k] = delta, rate, tau_h, tau_r
            record[4, k], record[5, k], record[6, k], record[7, k] = tau_f, -total, stuck, V

    @entry
    def rubbed(c, rates, T, out):
        """tau_f along steer rates."""
        e = 0.0
        for k in range(rates.shape[0]):
            out[k], e = train(c, e, rates[k], T)

    return steered, rubbed
