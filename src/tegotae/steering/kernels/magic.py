"""The Magic Formula: a curve through measurements of a rolling tyre, in Pacejka's letters."""

import math
from typing import NamedTuple

from tegotae.compile import kernel


class MagicFormulaParameters(NamedTuple):
    """Coefficients of the force and of the trail, and the steering axis."""

    B: float
    C: float
    D: float
    E: float
    Bt: float
    Ct: float
    Dt: float
    Et: float
    xi_c: float


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
    Fy = way * p.D * math.sin(p.C * bent(p.B, p.E, alpha))
    t = p.Dt * math.cos(p.Ct * bent(p.Bt, p.Et, alpha))
    return Fy, (way * t + p.xi_c) * Fy


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
