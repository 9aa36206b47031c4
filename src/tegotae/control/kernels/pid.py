"""A PID servo as an impedance: x is how far the plant is from its reference, v how fast it leaves it.

P, J, D, tau, F     gains (J of the integral), time constant of the derivative's filter, largest force
x, i, d, f          deviation, force of the integral, force of the (filtered) derivative, force on the plant
"""

from tegotae.compile import kernel


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
