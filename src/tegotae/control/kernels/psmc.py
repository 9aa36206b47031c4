"""Proxy-based sliding mode control as an impedance: x is how far the plant is from its reference, v how fast it leaves.

K, B, L, H, F     gains (L of the integral), time constant of the return, largest force
x, c, a, f        deviation, how far the proxy leads the plant, its integral, force on the plant

A PID ties the plant to a massless proxy, f = K c + B c' + L a with a' = c; the proxy slides towards the reference,
f in F sgn(e - c + H (e' - c')) with e = -x.
"""

from tegotae.compile import kernel
from tegotae.kernels.stick_slip import stick_slip


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
