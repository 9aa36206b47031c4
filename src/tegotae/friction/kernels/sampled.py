"""Classics that were published in discrete time: Hayward-Armstrong, Karnopp, and the explicit coupling of kikuuwe2005.

Hayward-Armstrong:  K, F;           state e, f, x, w, x position, w adhesion point, e = w - x; any dimension
Karnopp:            M, Fc, Fs, D;   state v, x, f, u, u = momentum/M, v = u outside the band, 0 inside
Explicit coupling:  K, B, M, law;   state e, w, f, g, as the element of kikuuwe2005 (18)
"""

import math
from functools import cache

from tegotae.compile import kernel
from tegotae.friction.kernels.element import slip_kernel


@kernel
def adhesion_answer(p, s, w, v, T):
    """[hayward2000]: the adhesion point stays while |x - w| <= z_max, and is dragged along at z_max otherwise."""
    z_max = p.F / p.K
    z = s.x + T * v - s.w
    if abs(z) > z_max:
        return -p.K * math.copysign(z_max, z), 0.0
    return -p.K * z, -p.K * T


@kernel
def adhesion_advance(p, s, w, v, T):
    """The state after the velocity that really happened."""
    z_max = p.F / p.K
    x, adhesion = s.x + T * v, s.w
    z = x - adhesion
    if abs(z) > z_max:
        z = math.copysign(z_max, z)
        adhesion = x - z
    return -z, -p.K * z, x, adhesion


@kernel
def adhesion_stretch(s, v, T):
    """|x - w| after a trial velocity."""
    square = 0.0
    for i in range(v.shape[0]):
        square += (s.x[i] + T * v[i] - s.w[i]) ** 2
    return math.sqrt(square)


@kernel
def adhesion_answer_vector(p, s, w, v, T, force, slope):
    """The same in any dimension: the adhesion point follows along the line to the mover."""
    n = v.shape[0]
    K, z_max = p.K, p.F / p.K
    r = adhesion_stretch(s, v, T)
    slips = r > z_max
    share = z_max / r if slips else 1.0
    for i in range(n):
        zi = s.x[i] + T * v[i] - s.w[i]
        force[i] = -K * share * zi
        for k in range(n):
            zk = s.x[k] + T * v[k] - s.w[k]
            along = zi * zk / (r * r) if slips else 0.0
            unit = 1.0 if i == k else 0.0
            slope[i, k] = -K * T * share * (unit - along)


@kernel
def adhesion_advance_vector(p, s, w, v, T):
    """Commit the velocity that really happened."""
    K, z_max = p.K, p.F / p.K
    r = adhesion_stretch(s, v, T)
    for i in range(v.shape[0]):
        x = s.x[i] + T * v[i]
        z = x - s.w[i]
        if r > z_max:
            z *= z_max / r
            s.w[i] = x - z
        s.e[i], s.f[i], s.x[i] = -z, -K * z, x


@kernel
def karnopp_step(p, s, h, T):
    """[karnopp1985]: in the band the friction cancels the applied force, up to Fs; the momentum is integrated.

    -> friction, u1, du1/dh.
    """
    u = s.u
    if abs(u) > p.D:
        f = -math.copysign(p.Fc, u)
        return f, u + T * (h + f) / p.M, T / p.M
    if abs(h) <= p.Fs:
        return -h, u, 0.0
    f = -math.copysign(p.Fs, h)
    return f, u + T * (h + f) / p.M, T / p.M


@kernel
def karnopp_answer(p, s, w, h, T):
    """Velocity after a tick under the force h, and its slope by h; it jumps at the edge of the band."""
    _, u1, slope = karnopp_step(p, s, h, T)
    if abs(u1) > p.D:
        return u1, slope
    return 0.0, 0.0


@kernel
def karnopp_advance(p, s, w, h, v, T):
    """The state after the velocity v that the force h led to."""
    f, u, _ = karnopp_step(p, s, h, T)
    return v, s.x + T * v, f, u


@cache
def explicit_kernels(magnitude, resolve):
    """The explicitly coupled element."""
    slip = slip_kernel(magnitude, resolve)

    @kernel
    def explicit_force(p, s, v, T):
        """(11a): the visco-elastic force from where the virtual point was one tick ago."""
        return -p.K * (T * v - s.e) - p.B * (v - s.w)

    @kernel
    def explicit_answer(p, s, w, v, T):
        return explicit_force(p, s, v, T), -(p.K * T + p.B)

    @kernel
    def explicit_advance(p, s, w, v, T):
        """[kikuuwe2005 (11)]: the state after the velocity that really happened."""
        f = explicit_force(p, s, v, T)
        c = T / p.M
        u = s.w - c * f
        speed, r, _, _ = slip(p.law, 0.0, T, 0.0, c, abs(u))
        w1 = math.copysign(speed, u)
        return s.e + T * (w1 - v), w1, f, -math.copysign(r, u)

    return explicit_answer, explicit_advance
