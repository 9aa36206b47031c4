"""A real wheel's mechanics: an inertia with dry and viscous friction, a motor, and a hand on the rim.

J v' = tau + u + k (qd - q) + c (qd' - v) - b v - F sgn(v)
"""

from tegotae.compile import entry
from tegotae.kernels.stick_slip import limited


@entry
def wheel_pass(q, v, tau, u, k, c, qd, w, J, b, F, T, n):
    """One tick in n backward-Euler steps, dry friction solved exactly in each -> q, v.

    tau: motor; u: push of the hand; qd, w: where the hand wants the wheel at the start of the tick, and how fast that
    moves; b, F: viscous and dry friction.
    """
    h = T / n
    A = J / h + b + c + k * h
    for _ in range(n):
        qd += h * w
        g = J * v / h + tau + u + k * (qd - q) + c * w
        v = (g - limited(g, F)) / A  # stuck while what moves it stays below F
        q += h * v
    return q, v
