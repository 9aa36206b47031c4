"""Bristles over the length and the width of the contact patch, with friction as a vector.

    p  K, B (of one bristle), a, xi_c, scale, law, pressure, eta (m)
    s  f = (Fx, Fy, -tau_r), stuck, Vr, S_dot, Va_dot, phase, e (2, n, m)

Places are (xi_i, eta_j), xi_i = -a + (i + phase) L/n forward, eta_j = -w + (j + 1/2) 2 w/m to the left; a bristle
keeps its eta and moves back through the patch with the rolling speed Vr = R omega, as in `kernels.patch`. The road
sees its root move with

    ux = -S - eta rate                      S = R omega - V, by which the tread runs ahead of the road
    uy = -V alpha + (xi - xi_c) rate        rate: of the turn about (xi_c, 0), to the left

both read at the end of the tick for the damper, at the middle of its stay in the patch for the spring.
Resistances f are positive against positive motion; the force on the tyre is (Fx, Fy) = -sum f. As a block its motion
is v = (-S, -V alpha, rate) at the end of the tick. Vr is fed, and so are S' and (V alpha)': 0 if both are held.
"""

import math
from functools import cache

from tegotae.compile import kernel, kernel_sums
from tegotae.kernels.stick_slip import grip, sliding_kernel
from tegotae.steering.kernels.patch import rolled, time_inside


@kernel
def coulomb_held(law, b, size, ic):
    """|f|/|f*|, 1 if it sticks, and d|f|/d|f*|, with constant mu: the limit does not change with the slip."""
    return grip(size, b * law[0]), 0.0


def held_kernel(*law):
    """The same with friction that depends on the slip speed where kernels of a law are given."""
    if not law:
        return coulomb_held
    sliding = sliding_kernel(*law)

    @kernel
    def held(law, b, size, ic):
        """|f|/|f*|, 1 if it sticks, and d|f|/d|f*|."""
        f, opening = sliding(law, b, size, ic)
        return (1.0 if f == size else f / size), opening

    return held


@cache
def planar_kernels(load, *law):
    """For a profile of pressure and a friction law; none is constant friction."""
    held = held_kernel(*law)

    @kernel_sums
    def across(p, ex, ey, S, S_mid, rate, uy, my, Ti, b, fresh):
        """All bristles of one xi: commits their deflection -> sum fx, sum fy, sum eta fx, how many stick."""
        K, B, law, eta = p.K, p.B, p.law, p.eta
        ic = B + Ti * K
        give = 1.0 / ic if ic > 0.0 else 0.0  # without damping, a bristle that enters just now cannot have slipped
        fx = fy = turn = stuck = 0.0
        for j in range(eta.shape[0]):
            ux = -S - eta[j] * rate
            x = (0.0 if fresh else ex[j]) + Ti * (-S_mid - eta[j] * rate)
            y = (0.0 if fresh else ey[j]) + Ti * my
            tx, ty = K * x + B * ux, K * y + B * uy
            g = held(law, b, math.sqrt(tx * tx + ty * ty), ic)[0]
            slid = Ti * (1.0 - g) * give
            ex[j], ey[j] = x - slid * tx, y - slid * ty
            fx += g * tx
            fy += g * ty
            turn += eta[j] * g * tx
            stuck += g == 1.0
        return fx, fy, turn, stuck

    @kernel
    def advance(p, s, w, v, T):
        """Commit the motion that really happened."""
        a, e, Vr, n = p.a, s.e, s.Vr[0], s.e.shape[1]
        S, Va, rate, S_dot, Va_dot = -v[0], -v[1], v[2], s.S_dot[0], s.Va_dot[0]
        h = 2.0 * a / n
        phase, down = rolled(s.phase[0], Vr * T / h, n)
        Fx = Fy = tau = stuck = 0.0
        for count in range(n):
            i = count if down >= 0 else n - 1 - count  # nobody is overwritten before it is read
            xi = (i + phase) * h - a
            fresh = i + down < 0 or i + down >= n
            Ti = time_inside(a, xi, Vr, T) if fresh else T
            if down != 0 and not fresh:
                e[0, i] = e[0, i + down]
                e[1, i] = e[1, i + down]
            A = xi - p.xi_c
            uy = A * rate - Va
            my = uy + 0.5 * Ti * (Vr * rate + Va_dot)
            b = p.scale * load(p.pressure, 0, xi, a)
            S_mid = S - 0.5 * Ti * S_dot
            fx, fy, turn, kept = across(p, e[0, i], e[1, i], S, S_mid, rate, uy, my, Ti, b, fresh)
            Fx -= fx
            Fy -= fy
            tau += A * fy - turn
            stuck += kept
        s.f[0], s.f[1], s.f[2] = Fx, Fy, -tau
        s.stuck[0], s.phase[0] = stuck / (n * p.eta.shape[0]), phase

    @kernel
    def answer(p, s, w, v, T, force, slope):
        """Force and torque on the mover for a trial motion, and their slope."""
        K, B, a, e, Vr, n = p.K, p.B, p.a, s.e, s.Vr[0], s.e.shape[1]
        h = 2.0 * a / n
        phase, down = rolled(s.phase[0], Vr * T / h, n)
        force[:] = 0.0
        slope[:] = 0.0
        for i in range(n):
            xi = (i + phase) * h - a
            fresh = i + down < 0 or i + down >= n
            Ti = time_inside(a, xi, Vr, T) if fresh else T
            b, A, ic = p.scale * load(p.pressure, 0, xi, a), xi - p.xi_c, B + Ti * K
            turned = ic * A + 0.5 * K * Ti * Ti * Vr  # d f*y/d rate
            bent_x, bent_y = 0.5 * K * Ti * Ti * s.S_dot[0], 0.5 * K * Ti * Ti * s.Va_dot[0]
            for j in range(p.eta.shape[0]):
                eta = p.eta[j]
                ex, ey = (0.0, 0.0) if fresh else (e[0, i + down, j], e[1, i + down, j])
                tx = K * ex + ic * (v[0] - eta * v[2]) + bent_x
                ty = K * ey + ic * v[1] + turned * v[2] + bent_y
                size = math.sqrt(tx * tx + ty * ty)
                g, opening = held(p.law, b, size, ic)
                dxx = dyy = 1.0
                dxy = 0.0
                if g < 1.0:  # across the direction of slip the force turns, along it the law decides
                    more = opening - g
                    nx, ny = tx / size, ty / size
                    dxx, dxy, dyy = g + more * nx * nx, more * nx * ny, g + more * ny * ny
                force[0] -= g * tx
                force[1] -= g * ty
                force[2] -= g * (A * ty - eta * tx)
                for c in range(3):
                    jx = ic if c == 0 else (-eta * ic if c == 2 else 0.0)
                    jy = ic if c == 1 else (turned if c == 2 else 0.0)
                    fx, fy = dxx * jx + dxy * jy, dxy * jx + dyy * jy
                    slope[0, c] -= fx
                    slope[1, c] -= fy
                    slope[2, c] -= A * fy - eta * fx

    return answer, advance
