"""The averaged 2-D LuGre tyre, in the letters of velenis2002, for a load that is uniform over the patch.

    p = [sigma0, sigma1, sigma2, mu_k, mu_s, v_s, gamma, Fz, L, xi_c]
    s = [Fx, Fy, tau_r, zx, zy, zh, way]      way: +1 if the front leads, -1 if the rear does

Bristles enter at zeta = 0, the leading edge, and leave at zeta = L:

    dz/dt + c dz/dzeta = v - C z,   z(0) = 0,   C = sigma0 |v|/g(|v|),   c = |R omega|

z and zh are the averages of z(zeta) and of zeta z(zeta)/L over the patch. What leaves, z(L), is closed by what it
would be in the steady state for the same v and c: z(L) = kappa z = nu zh. So the averaged tyre is exact when steady.
"""

import math

from tegotae.compile import kernel

LUGRE_FX, LUGRE_FY, LUGRE_TORQUE, ZX, ZY, ZH, WAY = range(7)


@kernel
def level(p, speed):
    """g = mu_k + (mu_s - mu_k) exp(-(|v|/v_s)^gamma)"""
    return p[3] + (p[4] - p[3]) * math.exp(-((speed / p[5]) ** p[6]))


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
def lugre_step(p, s, rate, Va, S, Vr, T):
    """One tick of steering at `rate`, slip V alpha = Va and S = R omega - V, rolling with Vr.

    The averaged form knows one slip velocity for the whole patch, that of its middle: of a turn it sees the arm xi_c
    alone.
    """
    sigma0, sigma1, sigma2, Fz, L, xi_c = p[0], p[1], p[2], p[7], p[8], p[9]
    if Vr * s[WAY] < 0.0:  # the other end leads from now on: zeta becomes L - zeta
        s[ZH], s[WAY] = s[ZY] - s[ZH], -s[WAY]
    vx, vy, c = -S, -xi_c * rate - Va, abs(Vr)
    speed = math.sqrt(vx * vx + vy * vy)
    C = sigma0 * speed / level(p, speed)
    kappa, nu = leaving(C * L / c) if c > 0.0 else (0.0, 0.0)
    decay, decay_h = C + kappa * c / L, C + nu * c / L
    zx, _ = relaxed(s[ZX], vx, decay, T)
    zy, mean = relaxed(s[ZY], vy, decay, T)
    # zh is driven by the mean of z over the tick: second order, and exact when steady
    zh, _ = relaxed(s[ZH], 0.5 * vy + c / L * mean, decay_h, T)
    dzx, dzy, dzh = vx - decay * zx, vy - decay * zy, 0.5 * vy + c / L * zy - decay_h * zh
    s[ZX], s[ZY], s[ZH] = zx, zy, zh
    fx = Fz * (sigma0 * zx + sigma1 * dzx + sigma2 * vx)
    fy = Fz * (sigma0 * zy + sigma1 * dzy + sigma2 * vy)
    # first moment about the leading edge; viscous friction is spread evenly
    moment = Fz * L * (sigma0 * zh + sigma1 * dzh + 0.5 * sigma2 * vy)
    s[LUGRE_FX], s[LUGRE_FY] = -fx, -fy
    s[LUGRE_TORQUE] = s[WAY] * (0.5 * L * fy - moment) - xi_c * fy


@kernel
def lugre_march(p, s, steer, slip_angle, speed, slip, T, every, record):
    """A whole record; s ends as the state after it."""
    delta = steer[0]
    row, wait = 0, every
    for k in range(steer.shape[0]):
        lugre_step(p, s, (steer[k] - delta) / T, speed[k] * slip_angle[k], slip[k], speed[k] + slip[k], T)
        delta = steer[k]
        wait -= 1
        if wait == 0:
            wait = every
            record[:, row] = s[: LUGRE_TORQUE + 1]
            row += 1
