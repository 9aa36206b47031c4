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

from tegotae.compiling import kernel, kernel_exact, kernel_sums, kernel_sums_inside

FORCE, LATERAL, STUCK, DELTA, SPEED, DRIFT, YAW, DRIFT_BEFORE, PHASE, GIVEN, GIVING, BRISTLES = range(12)
FRICTION = 11  # where the law's parameters start in p


@kernel_exact
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
    """V alpha at the end of the tick and its rate, for a trial steering rate v and tread velocity w.

    w is the tread's mean velocity over the tick, by which yc moves: it has no rate, or bristles and carcass would
    disagree on how far the tread went.
    """
    V, q = s[SPEED], s[DRIFT]
    return (
        p[4] * V * (s[DELTA] + T * v) + q - w,
        p[4] * V * v + (q - s[DRIFT_BEFORE]) / T,
    )


@kernel
def time_inside(a, xi, V, T):
    """How long a bristle that entered during the tick has been in the patch."""
    return min(T, (a - xi if V > 0.0 else a + xi) / abs(V))


@cache
def law_bristle(magnitude, resolve):
    """One bristle with friction that depends on the slip speed."""

    @kernel
    def bristle(trial, b, ic, p):
        """f, df/df* for f* = trial, what it would resist with if it stuck; ic = B + Ti K."""
        size = abs(trial)
        if size <= b * magnitude(p, FRICTION, 0.0)[0]:
            return trial, 1.0
        c = b / ic
        _, mu, fall = resolve(p, FRICTION, c, size / ic)
        return math.copysign(b * mu, trial), c * fall / (1.0 + c * fall)

    return bristle


@kernel
def coulomb_bristle(trial, b, ic, p):
    """The same with constant mu; no branches, so that several are worked on at a time."""
    bound = b * p[FRICTION]
    return min(max(trial, -bound), bound), (1.0 if abs(trial) <= bound else 0.0)


@cache
def resist_kernel(load, bristle):
    """What one bristle adds."""

    @kernel_sums_inside
    def resist(p, K, B, a, xi_c, scale, at, A, e, Ti, v, ue, turning, lost, bent):
        """f, its slope by the steering rate v, df/df*, f*, for an arm A and a time Ti in the patch.

        ue and turning are those of v = 0.
        """
        push = K * Ti * (A - lost + Ti * bent) + B * (A - lost)
        ue += (A - lost) * v
        trial = K * (e + Ti * (ue + 0.5 * Ti * (turning + 2.0 * bent * v))) + B * ue
        f, opening = bristle(trial, scale * load(p, at, A + xi_c, a), B + Ti * K, p)
        return f, opening * push, opening, trial

    return resist


@cache
def turn_kernel(load, bristle):
    """The torque alone: a tread that does not give way asks for no more while it is solved for."""
    resist = resist_kernel(load, bristle)

    @kernel_sums_inside
    def turn(p, s, v, T):
        """tau_r and its slope by v; changes nothing."""
        K, B, a, xi_c, scale, n, at = p[0], p[1], p[2], p[3], p[5], int(p[6]), int(p[7])
        V, yaw = s[SPEED], s[YAW]
        phase, shift, low, high = rolled(p, s, T)
        Va, Va_dot = slip(p, s, 0.0, 0.0, T)
        turning, lost, bent = V * yaw + Va_dot, p[4] * V * T, 0.5 * V * (1.0 + p[4])
        h = 2.0 * a / n
        rear = phase * h - a - xi_c
        e, here = s[BRISTLES + max(shift, 0) :], low * h + rear
        tau = tau_v = 0.0
        for j in range(high - low):  # were in the patch before; apart from the others, so that nothing branches
            A = j * h + here
            f, f_v, _, _ = resist(p, K, B, a, xi_c, scale, at, A, e[j], T, v, A * yaw - Va, turning, lost, bent)
            tau += A * f
            tau_v += A * f_v
        if shift != 0:
            first, last = (high, n) if shift > 0 else (0, low)
            for j in range(first, last):  # entered during the tick, unstretched
                A = j * h + rear
                Ti = time_inside(a, A + xi_c, V, T)
                f, f_v, _, _ = resist(p, K, B, a, xi_c, scale, at, A, 0.0, Ti, v, A * yaw - Va, turning, lost, bent)
                tau += A * f
                tau_v += A * f_v
        return tau, tau_v

    return turn


@cache
def gather_kernel(load, bristle):
    """All sums over the row."""
    resist = resist_kernel(load, bristle)

    @kernel_sums
    def gather(p, s, v, w, T):
        """tau_r, its slope by v, sum of f, its slope by v; changes nothing."""
        K, B, a, xi_c, scale, n, at = p[0], p[1], p[2], p[3], p[5], int(p[6]), int(p[7])
        V, yaw = s[SPEED], s[YAW]
        phase, shift, low, high = rolled(p, s, T)
        Va, Va_dot = slip(p, s, 0.0, w, T)
        turning, lost, bent = V * yaw + Va_dot, p[4] * V * T, 0.5 * V * (1.0 + p[4])
        h = 2.0 * a / n
        rear = phase * h - a - xi_c
        tau = tau_v = total = total_v = 0.0
        for j in range(n):
            A = j * h + rear
            held = low <= j < high
            Ti = T if held else time_inside(a, A + xi_c, V, T)
            e = s[BRISTLES + j + shift] if held else 0.0
            f, f_v, _, _ = resist(p, K, B, a, xi_c, scale, at, A, e, Ti, v, A * yaw - Va, turning, lost, bent)
            tau += A * f
            tau_v += A * f_v
            total += f
            total_v += f_v
        return tau, tau_v, total, total_v

    return gather


@kernel
def shifted(s, n, shift, low, high):
    """All bristles to their new places; those that enter are unstretched."""
    if shift > 0:
        for j in range(BRISTLES, BRISTLES + high):
            s[j] = s[j + shift]
        for j in range(BRISTLES + high, BRISTLES + n):
            s[j] = 0.0
    elif shift < 0:
        for j in range(BRISTLES + n - 1, BRISTLES + low - 1, -1):
            s[j] = s[j + shift]
        for j in range(BRISTLES, BRISTLES + low):
            s[j] = 0.0


@cache
def move_kernel(load, bristle):
    """What every bristle is left with."""
    resist = resist_kernel(load, bristle)

    @kernel_sums_inside
    def move(p, s, v, w, T):
        """Commit a steering rate and a tread velocity -> tau_r, sum of f, how many stick."""
        K, B, a, xi_c, scale, n, at = p[0], p[1], p[2], p[3], p[5], int(p[6]), int(p[7])
        V, yaw = s[SPEED], s[YAW]
        phase, shift, low, high = rolled(p, s, T)
        Va, Va_dot = slip(p, s, 0.0, w, T)
        turning, lost, bent = V * yaw + Va_dot, p[4] * V * T, 0.5 * V * (1.0 + p[4])
        h = 2.0 * a / n
        rear = phase * h - a - xi_c
        shifted(s, n, shift, low, high)
        # Who was there before has been inside for longer than T, so one rule holds for all.
        way = 1.0 if V >= 0.0 else -1.0
        slowness = way / V if V != 0.0 else 1e300
        e = s[BRISTLES : BRISTLES + n]
        tau = total = stuck = 0.0
        for j in range(n):
            A = j * h + rear
            Ti = min(T, (a - way * (A + xi_c)) * slowness)
            ue = A * yaw - Va
            f, _, opening, trial = resist(p, K, B, a, xi_c, scale, at, A, e[j], Ti, v, ue, turning, lost, bent)
            um = ue + 0.5 * Ti * turning + (A - lost + Ti * bent) * v
            # What is not borne goes into slip: 0 while it sticks.
            e[j] += Ti * (um - (trial - f) / max(B + Ti * K, 1e-300))
            tau += A * f
            total += f
            stuck += 1.0 if opening == 1.0 else 0.0
        s[DELTA] += T * v
        s[DRIFT_BEFORE], s[GIVING] = s[DRIFT], w
        s[GIVEN] += T * w
        s[PHASE] = phase
        return tau, total, stuck

    return move


def rigid_halves(load, bristle):
    """A tread that does not give way."""
    turn, move = turn_kernel(load, bristle), move_kernel(load, bristle)

    @kernel_sums_inside
    def answer(p, s, v, T):
        """Torque on the mover and its slope for a trial steering rate; changes nothing."""
        tau, tau_v = turn(p, s, v, T)
        return -tau, -tau_v

    @kernel_sums_inside
    def advance(p, s, v, T):
        """Commit the steering rate that really happened."""
        tau, total, stuck = move(p, s, v, 0.0, T)
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
