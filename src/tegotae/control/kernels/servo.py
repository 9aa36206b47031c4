"""Servos on a line as impedances: x is how far the plant is from its reference, v how fast it leaves it.

PID:   P, J, D, tau, F   gains (J of the integral), time constant of the derivative's filter, largest force
       x, i, d, f        deviation, force of the integral, force of the (filtered) derivative, force on the plant
Proxy-based sliding mode:
       K, B, L, H, F     gains (L of the integral), time constant of the return, largest force
       x, c, a, f        deviation, how far the proxy leads the plant, its integral, force on the plant

There a PID ties the plant to a massless proxy, f = K c + B c' + L a with a' = c; the proxy slides towards the
reference, f in F sgn(e - c + H (e' - c')) with e = -x.
"""

from tegotae.compile import kernel
from tegotae.kernels.stick_slip import stick_slip


@kernel
def pid_step(p, s, v, T):
    """Backward Euler; the integral goes on only as far as the largest force allows -> x1, i1, d1, f, df/dv."""
    P, J, D, tau, F = p.P, p.J, p.D, p.tau, p.F
    x1 = s.x + T * v
    d1 = (tau * s.d + T * D * v) / (tau + T)
    gain = J * T * x1
    base = P * x1 + d1 + s.i  # with the integral as it was
    raw = base + gain
    slope = -(P * T + D * T / (tau + T) + J * T * T)
    if -F <= raw <= F:
        return x1, s.i + gain, d1, -raw, slope
    if raw > F:
        # What the limit leaves of the gain, never against its own sign: u stays continuous in v, and no more winds up.
        return x1, s.i + (min(max(F - base, 0.0), gain) if gain > 0.0 else gain), d1, -F, 0.0
    return x1, s.i + (max(min(-F - base, 0.0), gain) if gain < 0.0 else gain), d1, F, 0.0


@kernel
def psmc_step(p, s, v, T):
    """Backward Euler, the inclusion solved exactly by the clip -> x1, c1, a1, f, df/dv.  [kikuuwe2006]"""
    K, B, L, H, F = p.K, p.B, p.L, p.H, p.F
    x1 = s.x + T * v
    c0, a0 = s.c, s.a
    G = K + B / T + L * T
    known = L * a0 - (B / T) * c0
    c_free = (H * c0 - T * (x1 + H * v)) / (T + H)  # on the sliding surface, as if the force were enough
    f_free = G * c_free + known
    f, slope = stick_slip(f_free, F, -G * T)
    c1 = (f - known) / G
    return x1, c1, a0 + T * c1, f, slope
