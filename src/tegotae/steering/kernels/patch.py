"""A row of bristles that moves through the contact patch, in the letters of yamamoto2006.

    p = [K, B, a, xi_c, share, scale, n, pressure at, kc, bc, mc, law..., pressure...]     K and B of one bristle
    s = [force, lateral force, stuck share, delta, V, q, r, q before, phase, yc, wc, e_0 ... e_(n-1)]

Bristles are kept in order of their place, xi_j = -a + (j + phase) L/n: as the tyre rolls, phase falls, and whenever
it passes 0 everybody moves down by one. Those that enter at the far end start unstretched and have been in the patch
only for Ti < T. Rolling backwards they enter at -a.

The tread slips sideways with V alpha = share V delta + q - wc; q [m/s] is what the vehicle adds, r [rad/s] its yaw
rate. An elastic carcass lets the tread give way by yc, wc = yc', against a spring kc and a damper bc, with mass mc.
Resistances f and tau_r are positive against positive motion, as the paper writes them; the block returns -tau_r.
"""

import math
from functools import cache

from tegotae.compiling import kernel, kernel_sums

FORCE, LATERAL, STUCK, DELTA, SPEED, DRIFT, YAW, DRIFT_BEFORE, PHASE, GIVEN, GIVING, BRISTLES = range(12)
FRICTION = 11  # where the law's parameters start in p


@kernel
def rolled(p, s, T):
    """The phase after a tick; by how many places all move down; first and last of those that were there before."""
    n = int(p[6])
    phase = s[PHASE] - s[SPEED] * T * n / (2.0 * p[2])
    down = -math.floor(phase)
    phase += down
    if phase >= 1.0:  # -1e-17 rounds up to 1
        phase, down = 0.0, down - 1
    shift = int(min(max(down, -n), n))
    return phase, shift, max(0, -shift), min(n, n - shift)


@kernel
def slip(p, s, v, w, T):
    """V alpha at the end of the tick and its rate, for a trial steering rate v and tread velocity w."""
    V, q = s[SPEED], s[DRIFT]
    return (
        p[4] * V * (s[DELTA] + T * v) + q - w,
        p[4] * V * v + (q - s[DRIFT_BEFORE] - w + s[GIVING]) / T,
    )


@kernel
def time_inside(a, xi, V, T):
    """How long a bristle that entered during the tick has been in the patch."""
    return min(T, (a - xi if V > 0.0 else a + xi) / abs(V))


@cache
def law_bristle(magnitude, resolve):
    """One bristle with friction that depends on the slip speed."""

    @kernel
    def bristle(K, B, b, e, Ti, ue, um, p):
        """f, df/df*, the new e; f* is what it would resist with if it stuck."""
        ic = B + Ti * K
        trial = K * (e + Ti * um) + B * ue
        size = abs(trial)
        if size <= b * magnitude(p, FRICTION, 0.0)[0]:
            return trial, 1.0, e + Ti * um
        c = b / ic
        _, mu, fall = resolve(p, FRICTION, c, size / ic)
        f = math.copysign(b * mu, trial)
        return f, c * fall / (1.0 + c * fall), (B * e + Ti * (f + B * (um - ue))) / ic

    return bristle


@kernel
def coulomb_bristle(K, B, b, e, Ti, ue, um, p):
    """One bristle with constant mu: f, df/df*, the new e; no branches, so that several are worked on at a time."""
    trial = K * (e + Ti * um) + B * ue
    bound = b * p[FRICTION]
    f = min(max(trial, -bound), bound)
    # What is not borne goes into slip: 0 while it sticks.
    return f, (1.0 if abs(trial) <= bound else 0.0), e + Ti * (um - (trial - f) / max(B + Ti * K, 1e-300))


@cache
def gather_kernel(load, bristle):
    """The sums over the row."""

    @kernel_sums
    def some(p, s, v, w, T, phase, first, last, shift, held):
        """Bristles first to last: those that were in the patch before (held), or that entered during the tick.

        -> tau_r, its slope by v, sum of f, its slope by v, how many stick
        """
        K, B, a, xi_c, share, scale = p[0], p[1], p[2], p[3], p[4], p[5]
        h, at, V = 2.0 * a / p[6], int(p[7]), s[SPEED]
        rate = v + s[YAW]
        Va, Va_dot = slip(p, s, v, w, T)
        turning = V * rate + Va_dot
        tau = tau_v = total = total_v = stuck = 0.0
        for j in range(first, last):
            xi = (j + phase) * h - a
            A = xi - xi_c
            Ti = T if held else time_inside(a, xi, V, T)
            e = s[BRISTLES + j + shift] if held else 0.0
            ue = A * rate - Va
            um = ue + 0.5 * Ti * turning
            f, opening, _ = bristle(K, B, scale * load(p, at, xi, a), e, Ti, ue, um, p)
            due = A - share * V * T
            f_v = opening * (K * Ti * (due + 0.5 * Ti * V * (1.0 + share)) + B * due)
            tau += A * f
            tau_v += A * f_v
            total += f
            total_v += f_v
            stuck += 1.0 if opening == 1.0 else 0.0
        return tau, tau_v, total, total_v, stuck

    @kernel
    def gather(p, s, v, w, T):
        """The same over all."""
        phase, shift, low, high = rolled(p, s, T)
        tau, tau_v, total, total_v, stuck = some(p, s, v, w, T, phase, low, high, shift, True)
        if shift != 0:
            first, last = (high, int(p[6])) if shift > 0 else (0, low)
            a, b, c, d, e = some(p, s, v, w, T, phase, first, last, shift, False)
            tau, tau_v, total, total_v, stuck = tau + a, tau_v + b, total + c, total_v + d, stuck + e
        return tau, tau_v, total, total_v, stuck

    return gather


@cache
def move_kernel(load, bristle):
    """What every bristle is left with."""

    @kernel_sums
    def some(p, s, v, w, T, phase, first, last, shift, held):
        K, B, a, xi_c, scale = p[0], p[1], p[2], p[3], p[5]
        h, at, V = 2.0 * a / p[6], int(p[7]), s[SPEED]
        rate = v + s[YAW]
        Va, Va_dot = slip(p, s, v, w, T)
        turning = V * rate + Va_dot
        for i in range(last - first):
            # In the way in which no bristle is overwritten before it is read.
            j = first + i if shift >= 0 else last - 1 - i
            xi = (j + phase) * h - a
            Ti = T if held else time_inside(a, xi, V, T)
            e = s[BRISTLES + j + shift] if held else 0.0
            ue = (xi - xi_c) * rate - Va
            b = scale * load(p, at, xi, a)
            s[BRISTLES + j] = bristle(K, B, b, e, Ti, ue, ue + 0.5 * Ti * turning, p)[2]

    @kernel
    def move(p, s, v, w, T):
        """Commit a steering rate and a tread velocity."""
        phase, shift, low, high = rolled(p, s, T)
        some(p, s, v, w, T, phase, low, high, shift, True)
        if shift != 0:
            first, last = (high, int(p[6])) if shift > 0 else (0, low)
            some(p, s, v, w, T, phase, first, last, shift, False)
        s[DELTA] += T * v
        s[DRIFT_BEFORE], s[GIVING] = s[DRIFT], w
        s[GIVEN] += T * w
        s[PHASE] = phase

    return move


def rigid_halves(load, bristle):
    """A tread that does not give way."""
    gather, move = gather_kernel(load, bristle), move_kernel(load, bristle)

    @kernel
    def answer(p, s, v, T):
        """Torque on the mover and its slope for a trial steering rate; changes nothing."""
        tau, tau_v, _, _, _ = gather(p, s, v, 0.0, T)
        return -tau, -tau_v

    @kernel
    def advance(p, s, v, T):
        """Commit the steering rate that really happened."""
        tau, _, total, _, stuck = gather(p, s, v, 0.0, T)
        move(p, s, v, 0.0, T)
        s[FORCE], s[LATERAL], s[STUCK] = -tau, -total, stuck / p[6]

    return answer, advance


@cache
def patch_kernels(load, magnitude, resolve):
    """The row with friction over slip speed."""
    return rigid_halves(load, law_bristle(magnitude, resolve))


@cache
def coulomb_patch_kernels(load):
    """The row with a constant coefficient of friction."""
    return rigid_halves(load, coulomb_bristle)
