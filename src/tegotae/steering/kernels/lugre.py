"""The averaged 2-D LuGre tyre, in the letters of velenis2002, for a load that is uniform over the patch.

Bristles enter at zeta = 0, the leading edge, and leave at zeta = L:

    dz/dt + c dz/dzeta = v - C z,   z(0) = 0,   C = sigma0 |v|/g(|v|),   c = |R omega|

z and zh are the averages of z(zeta) and of zeta z(zeta)/L over the patch. What leaves, z(L), is closed by what it
would be in the steady state for the same v and c: z(L) = kappa z = nu zh. So the averaged tyre is exact when steady.
"""

import math
from collections import namedtuple

from tegotae.compile import entry, kernel

LuGreParameters = namedtuple("LuGreParameters", "sigma0 sigma1 sigma2 mu_k mu_s v_s gamma Fz a xi_c")
Brush = namedtuple("Brush", "zx zy zh way")  # what it remembers; way is +1 if the front leads, -1 if the rear does


@kernel
def level(p, speed):
    """g = mu_k + (mu_s - mu_k) exp(-(|v|/v_s)^gamma)"""
    return p.mu_k + (p.mu_s - p.mu_k) * math.exp(-((speed / p.v_s) ** p.gamma))


@kernel
def leaving(q):
    """kappa = z(L)/z and nu = z(L)/zh in the steady state, q = C L/c: from 2 and 3 (all stick) to 1 and 2."""
    if q > 500.0:
        return 1.0 / (1.0 - 1.0 / q), 1.0 / (0.5 - 1.0 / (q * q))
    if q < 1e-2:  # the closed forms lose their digits; series of 1 - E, q - 1 + E, ... to q^4
        out = 1.0 - q / 2.0 + q**2 / 6.0 - q**3 / 24.0
        mean = 0.5 - q / 6.0 + q**2 / 24.0 - q**3 / 120.0
        first = 1.0 / 3.0 - q / 8.0 + q**2 / 30.0 - q**3 / 144.0
        return out / mean, out / first
    E = math.exp(-q)
    out = 1.0 - E
    return out / (1.0 - out / q), out / (0.5 - (1.0 - E * (1.0 + q)) / (q * q))


@kernel
def relaxed(z, v, rate, T):
    """z' = v - rate z over a tick, exactly -> z at its end, its mean over the tick."""
    x = rate * T
    if x < 1e-8:  # far below the rounding of what follows
        return z + T * (v - rate * z), z + 0.5 * T * (v - rate * z)
    share = -math.expm1(-x)
    rest = v / rate
    return rest + (z - rest) * (1.0 - share), rest + (z - rest) * share / x


@kernel
def lugre_step(p, z, rate, Va, S, Vr, T):
    """One tick of steering at `rate`, slip V alpha = Va and S = R omega - V, rolling with Vr -> z, Fx, Fy, tau_r.

    The averaged form knows one slip velocity for the whole patch, that of its middle: of a turn it sees the arm xi_c
    alone.
    """
    sigma0, sigma1, sigma2, Fz, L, xi_c = p.sigma0, p.sigma1, p.sigma2, p.Fz, 2.0 * p.a, p.xi_c
    zh, direction = z.zh, z.way
    if Vr * direction < 0.0:  # the other end leads from now on: zeta becomes L - zeta
        zh, direction = z.zy - zh, -direction
    vx, vy, c = -S, -xi_c * rate - Va, abs(Vr)
    speed = math.sqrt(vx * vx + vy * vy)
    C = sigma0 * speed / level(p, speed)
    kappa, nu = leaving(C * L / c) if c > 0.0 else (0.0, 0.0)
    decay, decay_h = C + kappa * c / L, C + nu * c / L
    zx, _ = relaxed(z.zx, vx, decay, T)
    zy, mean = relaxed(z.zy, vy, decay, T)
    # zh is driven by the mean of z over the tick: second order, and exact when steady
    zh, _ = relaxed(zh, 0.5 * vy + c / L * mean, decay_h, T)
    dzx, dzy, dzh = vx - decay * zx, vy - decay * zy, 0.5 * vy + c / L * zy - decay_h * zh
    fx = Fz * (sigma0 * zx + sigma1 * dzx + sigma2 * vx)
    fy = Fz * (sigma0 * zy + sigma1 * dzy + sigma2 * vy)
    # first moment about the leading edge; viscous friction is spread evenly
    moment = Fz * L * (sigma0 * zh + sigma1 * dzh + 0.5 * sigma2 * vy)
    return Brush(zx, zy, zh, direction), -fx, -fy, direction * (0.5 * L * fy - moment) - xi_c * fy


@entry
def lugre_march(p, steer, slip_angle, speed, slip, T, record):
    """A whole record from rest: Fx, Fy, tau_r."""
    z, delta = Brush(0.0, 0.0, 0.0, 1.0), steer[0]
    for k in range(steer.shape[0]):
        rate, Vr = (steer[k] - delta) / T, speed[k] + slip[k]
        z, Fx, Fy, tau_r = lugre_step(p, z, rate, speed[k] * slip_angle[k], slip[k], Vr, T)
        delta = steer[k]
        record[0, k], record[1, k], record[2, k] = Fx, Fy, tau_r
