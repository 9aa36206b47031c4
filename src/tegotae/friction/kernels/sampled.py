"""Classics that were published in discrete time: Hayward-Armstrong, Karnopp, and the explicit coupling of kikuuwe2005.

Hayward-Armstrong:  p = [K, F]              s = [e, f, x, w], x position, w adhesion point, e = w - x; any dimension
Karnopp:            p = [M, Fc, Fs, D]      s = [v, x, f, u], u = momentum/M, v = u outside the band, 0 inside
Explicit coupling:  p = [K, B, M, law...]   s = [e, w, f, g], as the element of kikuuwe2005 (18)
"""

import math
from functools import cache

from tegotae.compile import kernel
from tegotae.friction.kernels.element import slip_kernel

EXPLICIT_LAW = 3  # where the law's parameters start in p


@kernel
def adhesion_answer(p, s, v, T):
    """[hayward2000]: the adhesion point stays while |x - w| <= z_max, and is dragged along at z_max otherwise."""
    K, z_max = p[0], p[1] / p[0]
    z = s[2] + T * v - s[3]
    if abs(z) > z_max:
        return -K * math.copysign(z_max, z), 0.0
    return -K * z, -K * T


@kernel
def adhesion_advance(p, s, v, T):
    """Commit the velocity that really happened."""
    K, z_max = p[0], p[1] / p[0]
    x = s[2] + T * v
    z = x - s[3]
    if abs(z) > z_max:
        z = math.copysign(z_max, z)
        s[3] = x - z
    s[0], s[1], s[2] = -z, -K * z, x


@kernel
def adhesion_stretch(s, v, T):
    """|x - w| after a trial velocity."""
    n = v.shape[0]
    square = 0.0
    for i in range(n):
        square += (s[2 * n + i] + T * v[i] - s[3 * n + i]) ** 2
    return math.sqrt(square)


@kernel
def adhesion_answer_vector(p, s, v, T, force, slope):
    """The same in any dimension: the adhesion point follows along the line to the mover."""
    n = v.shape[0]
    K, z_max = p[0], p[1] / p[0]
    r = adhesion_stretch(s, v, T)
    slips = r > z_max
    share = z_max / r if slips else 1.0
    for i in range(n):
        zi = s[2 * n + i] + T * v[i] - s[3 * n + i]
        force[i] = -K * share * zi
        for k in range(n):
            zk = s[2 * n + k] + T * v[k] - s[3 * n + k]
            along = zi * zk / (r * r) if slips else 0.0
            unit = 1.0 if i == k else 0.0
            slope[i, k] = -K * T * share * (unit - along)


@kernel
def adhesion_advance_vector(p, s, v, T):
    """Commit the velocity that really happened."""
    n = v.shape[0]
    K, z_max = p[0], p[1] / p[0]
    r = adhesion_stretch(s, v, T)
    for i in range(n):
        x = s[2 * n + i] + T * v[i]
        z = x - s[3 * n + i]
        if r > z_max:
            z *= z_max / r
            s[3 * n + i] = x - z
        s[i], s[n + i], s[2 * n + i] = -z, -K * z, x


@kernel
def karnopp_step(p, s, h, T):
    """[karnopp1985]: in the band the friction cancels the applied force, up to Fs; the momentum is integrated.

    -> friction, u1, du1/dh.
    """
    M, Fc, Fs, D = p[0], p[1], p[2], p[3]
    u = s[3]
    if abs(u) > D:
        f = -math.copysign(Fc, u)
        return f, u + T * (h + f) / M, T / M
    if abs(h) <= Fs:
        return -h, u, 0.0
    f = -math.copysign(Fs, h)
    return f, u + T * (h + f) / M, T / M


@kernel
def karnopp_answer(p, s, h, T):
    """Velocity after a tick under the force h, and its slope by h; it jumps at the edge of the band."""
    _, u1, slope = karnopp_step(p, s, h, T)
    if abs(u1) > p[3]:
        return u1, slope
    return 0.0, 0.0


@kernel
def karnopp_advance(p, s, h, v, T):
    """Commit the velocity v that the force h led to."""
    s[2], s[3], _ = karnopp_step(p, s, h, T)
    s[0] = v
    s[1] += T * v


@cache
def explicit_kernels(magnitude, resolve):
    """The explicitly coupled element."""
    slip = slip_kernel(magnitude, resolve)

    @kernel
    def explicit_force(p, s, v, T):
        """(11a): the visco-elastic force from where the virtual point was one tick ago."""
        return -p[0] * (T * v - s[0]) - p[1] * (v - s[1])

    @kernel
    def explicit_answer(p, s, v, T):
        """Force and slope for a trial velocity."""
        return explicit_force(p, s, v, T), -(p[0] * T + p[1])

    @kernel
    def explicit_advance(p, s, v, T):
        """[kikuuwe2005 (11)]: commit the velocity that really happened."""
        f = explicit_force(p, s, v, T)
        c = T / p[2]
        u = s[1] - c * f
        speed, r, _, _ = slip(p, EXPLICIT_LAW, 0.0, T, 0.0, c, abs(u))
        w = math.copysign(speed, u)
        s[0] += T * (w - v)
        s[1] = w
        s[2] = f
        s[3] = -math.copysign(r, u)

    return explicit_answer, explicit_advance


def adhesion_kernels():
    """Hayward-Armstrong on a line."""
    return adhesion_answer, adhesion_advance


def adhesion_kernels_vector():
    """Hayward-Armstrong in any dimension."""
    return adhesion_answer_vector, adhesion_advance_vector


def karnopp_kernels():
    """Karnopp's mass."""
    return karnopp_answer, karnopp_advance
