"""Bristles over the length and the width of the contact patch, with friction as a vector.

    p = [K, B, a, eta at, xi_c, scale, n, m, pressure at, law..., pressure..., eta (m)]      K and B of one bristle
    s = [Fx, Fy, -tau_r, stuck share, Vr, phase, ex (n m), ey (n m)]

Places are (xi_i, eta_j), xi_i = -a + (i + phase) L/n forward, eta_j = -w + (j + 1/2) 2 w/m to the left; a bristle
keeps its eta and moves back through the patch with the rolling speed Vr = R omega, as in `kernels.patch`. The road
sees its root move with

    ux = -S - eta rate                      S = R omega - V, by which the tread runs ahead of the road
    uy = -V alpha + (xi - xi_c) rate        rate: of the turn about (xi_c, 0), to the left

both read at the end of the tick for the damper, at the middle of its stay in the patch for the spring.
Resistances f are positive against positive motion; the force on the tyre is (Fx, Fy) = -sum f. As a block its motion
is (-S, -V alpha, rate), held over the tick, and Vr is fed.
"""

import math
from functools import cache

from tegotae.compile import kernel, kernel_sums
from tegotae.steering.kernels.patch import FAR

FX, FY, TORQUE, STUCK, ROLLING, PHASE, BRISTLES = range(7)
LAW = 9  # where the law's parameters start in p


@kernel
def rolled(phase, Vr, h, n, T):
    """The phase after a tick, and by how many places everybody moves down; more than all is all."""
    phase -= min(max(Vr * T / h, -FAR), FAR)
    down = -math.floor(phase)
    phase += down
    if phase >= 1.0:  # -1e-17 rounds up to 1
        phase, down = 0.0, down - 1
    return phase, int(min(max(down, -n), n))


@kernel
def places_across(p):
    """eta of every row."""
    at = int(p[3])
    return p[at : at + int(p[7])]


@cache
def planar_kernels(load, magnitude, resolve):
    """The two halves of the patch with any friction over slip speed, for a profile of pressure and a friction law."""
    return _parts(load, magnitude, resolve)[:2]


@cache
def planar_march(load, magnitude, resolve):
    """Its loop over a record of steer, slip angle, speed and slip."""
    return _parts(load, magnitude, resolve)[2]


@cache
def coulomb_planar_kernels(load):
    """The two halves of the patch with a constant coefficient of friction."""
    return _coulomb_parts(load)[:2]


@cache
def coulomb_planar_march(load):
    """Its loop over a record."""
    return _coulomb_parts(load)[2]


@cache
def _parts(load, magnitude, resolve):
    @kernel
    def grip(p, b, size, ic):
        """|f|/|f*|: 1 if it sticks; else the slip speed s solves (B + Ti K) s + b mu(s) = |f*|."""
        if size <= b * magnitude(p, LAW, 0.0)[0]:
            return 1.0
        return b * resolve(p, LAW, b / ic, size / ic)[1] / size

    @kernel
    def opening(p, b, size, ic):
        """d|f|/d|f*| while it slips."""
        fall = b / ic * resolve(p, LAW, b / ic, size / ic)[2]
        return fall / (1.0 + fall)

    return _patch(load, grip, opening)


@cache
def _coulomb_parts(load):
    @kernel
    def grip(p, b, size, ic):
        """|f|/|f*|, 1 if it sticks."""
        bound = b * p[LAW]
        return bound / size if size > bound else 1.0

    @kernel
    def opening(p, b, size, ic):
        """The limit does not change with the slip."""
        return 0.0

    return _patch(load, grip, opening)


def _patch(load, grip, opening):
    @kernel_sums
    def across(p, ex, ey, eta, S, S_mid, rate, uy, my, Ti, b, fresh):
        """All bristles of one xi: commits their deflection -> sum fx, sum fy, sum eta fx, how many stick."""
        K, B = p[0], p[1]
        ic = B + Ti * K
        give = 1.0 / ic if ic > 0.0 else 0.0  # without damping, a bristle that enters just now cannot have slipped
        fx = fy = turn = stuck = 0.0
        for j in range(eta.shape[0]):
            ux = -S - eta[j] * rate
            x = (0.0 if fresh else ex[j]) + Ti * (-S_mid - eta[j] * rate)
            y = (0.0 if fresh else ey[j]) + Ti * my
            tx, ty = K * x + B * ux, K * y + B * uy
            g = grip(p, b, math.sqrt(tx * tx + ty * ty), ic)
            slid = Ti * (1.0 - g) * give
            ex[j], ey[j] = x - slid * tx, y - slid * ty
            fx += g * tx
            fy += g * ty
            turn += eta[j] * g * tx
            stuck += g == 1.0
        return fx, fy, turn, stuck

    @kernel
    def tick(p, s, e, eta, S, S_dot, rate, Va, Va_dot, T):
        """Commit one tick; e is the part of s that holds the deflections, as (2, n, m)."""
        a, xi_c, scale, n, at = p[2], p[4], p[5], int(p[6]), int(p[8])
        h, Vr = 2.0 * a / n, s[ROLLING]
        phase, down = rolled(s[PHASE], Vr, h, n, T)
        Fx = Fy = tau = stuck = 0.0
        for count in range(n):
            i = count if down >= 0 else n - 1 - count  # nobody is overwritten before it is read
            xi = (i + phase) * h - a
            fresh = i + down < 0 or i + down >= n
            Ti = min(T, (a - xi if Vr > 0.0 else a + xi) / abs(Vr)) if fresh else T
            if down != 0 and not fresh:
                e[0, i] = e[0, i + down]
                e[1, i] = e[1, i + down]
            A = xi - xi_c
            uy = A * rate - Va
            my = uy + 0.5 * Ti * (Vr * rate + Va_dot)
            b = scale * load(p, at, xi, a)
            S_mid = S - 0.5 * Ti * S_dot
            fx, fy, turn, kept = across(p, e[0, i], e[1, i], eta, S, S_mid, rate, uy, my, Ti, b, fresh)
            Fx -= fx
            Fy -= fy
            tau += A * fy - turn
            stuck += kept
        s[FX], s[FY], s[TORQUE], s[STUCK], s[PHASE] = Fx, Fy, -tau, stuck / (n * p[7]), phase

    @kernel
    def answer(p, s, v, T, force, slope):
        """Force and torque on the mover for a trial motion, and their slope; changes nothing."""
        K, B, a, xi_c, scale, n, m, at = p[0], p[1], p[2], p[4], p[5], int(p[6]), int(p[7]), int(p[8])
        etas, h, Vr = places_across(p), 2.0 * a / n, s[ROLLING]
        phase, down = rolled(s[PHASE], Vr, h, n, T)
        force[:] = 0.0
        slope[:] = 0.0
        for i in range(n):
            xi = (i + phase) * h - a
            fresh = i + down < 0 or i + down >= n
            Ti = min(T, (a - xi if Vr > 0.0 else a + xi) / abs(Vr)) if fresh else T
            b, A, ic = scale * load(p, at, xi, a), xi - xi_c, B + Ti * K
            turned = ic * A + 0.5 * K * Ti * Ti * Vr  # d f*y/d rate
            for j in range(m):
                eta = etas[j]
                place = BRISTLES + (i + down) * m + j
                ex, ey = (0.0, 0.0) if fresh else (s[place], s[place + n * m])
                tx = K * ex + ic * (v[0] - eta * v[2])
                ty = K * ey + ic * v[1] + turned * v[2]
                size = math.sqrt(tx * tx + ty * ty)
                g = grip(p, b, size, ic)
                dxx = dyy = 1.0
                dxy = 0.0
                if g < 1.0:  # across the direction of slip the force turns, along it the law decides
                    more = opening(p, b, size, ic) - g
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

    @kernel
    def advance(p, s, v, T):
        """Commit the motion that really happened."""
        n, m = int(p[6]), int(p[7])
        e = s[BRISTLES : BRISTLES + 2 * n * m].reshape(2, n, m)
        tick(p, s, e, places_across(p), -v[0], 0.0, v[2], -v[1], 0.0, T)

    @kernel
    def march(p, s, steer, slip_angle, speed, slip, T, every, record):
        """A whole record; s ends as the state after it."""
        n, m = int(p[6]), int(p[7])
        e = s[BRISTLES : BRISTLES + 2 * n * m].reshape(2, n, m)
        eta = places_across(p)
        delta, Va0, S0 = steer[0], speed[0] * slip_angle[0], slip[0]
        row, wait = 0, every
        for k in range(steer.shape[0]):
            S, Va = slip[k], speed[k] * slip_angle[k]
            s[ROLLING] = speed[k] + S
            tick(p, s, e, eta, S, (S - S0) / T, (steer[k] - delta) / T, Va, (Va - Va0) / T, T)
            delta, Va0, S0 = steer[k], Va, S
            wait -= 1
            if wait == 0:
                wait = every
                record[:, row] = s[: STUCK + 1]
                row += 1

    return answer, advance, march
