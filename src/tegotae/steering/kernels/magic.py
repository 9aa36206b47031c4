"""The Magic Formula: a curve through measurements of a rolling tyre, in Pacejka's letters.

p = [B, C, D, E, Bt, Ct, Dt, Et, xi_c]
"""

import math

from tegotae.compile import kernel


@kernel
def bent(B, E, x):
    """atan(B x - E (B x - atan(B x)))  [pacejka2012]"""
    y = B * x
    return math.atan(y - E * (y - math.atan(y)))


@kernel
def magic_forces(p, alpha, V):
    """Fy = D sin(C ...), trail t = Dt cos(Ct ...) -> Fy to the left, tau_r = (t + xi_c) Fy.

    Backwards the tread slips the other way, and what trails lies in front. At V = 0 there is no slip angle: no force.
    """
    if V == 0.0:
        return 0.0, 0.0
    way = math.copysign(1.0, V)
    Fy = way * p[2] * math.sin(p[1] * bent(p[0], p[3], alpha))
    t = p[6] * math.cos(p[5] * bent(p[4], p[7], alpha))
    return Fy, (way * t + p[8]) * Fy


@kernel
def bent_force(q, alpha, Fy):
    """Fy = D sin(C ...) over an array, for the coefficients q = [B, C, D, E]."""
    for i in range(alpha.shape[0]):
        Fy[i] = q[2] * math.sin(q[1] * bent(q[0], q[3], alpha[i]))


@kernel
def bent_trail(q, alpha, t):
    """t = Dt cos(Ct ...) over an array."""
    for i in range(alpha.shape[0]):
        t[i] = q[2] * math.cos(q[1] * bent(q[0], q[3], alpha[i]))


@kernel
def magic_march(p, slip_angle, speed, every, record):
    """A whole record; it has no memory."""
    for row in range(record.shape[1]):
        k = (row + 1) * every - 1
        record[0, row], record[1, row] = magic_forces(p, slip_angle[k], speed[k])
