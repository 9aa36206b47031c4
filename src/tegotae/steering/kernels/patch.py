"""A row of bristles that moves through the contact patch, in the letters of yamamoto2006.

    p = [K, B, a, xi_c, share, scale, n, pressure at, kc, bc, mc, law..., pressure...]     K and B of one bristle
    s = [force, lateral force, stuck share, delta, V, q, r, q before, phase, yc, wc, e_0 ... e_(n-1), rows]

Bristles are kept in order of their place, xi_j = -a + (j + phase) L/n: as the tyre rolls, phase falls, and whenever
it passes 0 everybody moves down by one. Those that enter at the far end start unstretched and have been in the patch
only for Ti < T. Rolling backwards they enter at -a.

The tread slips sideways with V alpha = share V delta + q - wc; q [m/s] is what the vehicle adds, r [rad/s] its yaw
rate. An elastic carcass lets the tread give way by yc, wc = yc', against a spring kc and a damper bc, with mass mc.
Resistances f and tau_r are positive against positive motion, as the paper writes them; the block returns -tau_r.

What a bristle would resist with if it stuck is linear in the trial, f* = f_0 + f_v v + (B + Ti K) w. The rows f_0, f_v,
load and Ti are worked out at the first trial of a tick and kept behind the bristles until the tick is committed.
"""

import math
from functools import cache

from tegotae.compile import kernel, kernel_exact, kernel_sums, kernel_sums_inside

FORCE, LATERAL, STUCK, DELTA, SPEED, DRIFT, YAW, DRIFT_BEFORE, PHASE, GIVEN, GIVING, BRISTLES = range(12)
FRICTION = 11  # where the law's parameters start in p
# Behind the bristles: whether the rows are worked out, for which V, q, r, T; the phase after the tick; then the rows.
READY, FOR_V, FOR_Q, FOR_R, FOR_T, NEXT_PHASE, ROWS = range(7)
ROOM = 4  # rows
FAR = 1e9  # places: nobody is left who was there before, and whole numbers hold it


@kernel_exact
def rolled(p, s, T):
    """The phase after a tick; by how many places all move down; first and last of those that were there before."""
    n = int(p[6])
    way = s[SPEED] * T * n / (2.0 * p[2])
    phase = s[PHASE] - min(max(way, -FAR), FAR)
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
def prepare_kernel(load):
    """The rows of a tick."""

    @kernel_sums
    def fill(p, s, T):
        """Work them out."""
        K, B, a, xi_c, scale, n, at = p[0], p[1], p[2], p[3], p[5], int(p[6]), int(p[7])
        V, yaw = s[SPEED], s[YAW]
        phase, shift, low, high = rolled(p, s, T)
        Va, Va_dot = slip(p, s, 0.0, 0.0, T)
        turning, lost, bent = V * yaw + Va_dot, p[4] * V * T, 0.5 * V * (1.0 + p[4])
        h = 2.0 * a / n
        rear = phase * h - a - xi_c
        own = BRISTLES + n
        row = own + ROWS
        f_0, f_v = s[row : row + n], s[row + n : row + 2 * n]
        loads, inside = s[row + 2 * n : row + 3 * n], s[row + 3 * n : row + 4 * n]
        e = s[BRISTLES + max(shift, 0) : own]
        # Two loops of few rows each: with more the compiler would not see that they lie apart, and work one by one.
        for j in range(n):
            loads[j] = scale * load(p, at, j * h + rear + xi_c, a)
            inside[j] = T
        front = low * h + rear
        ours, theirs = f_0[low:high], f_v[low:high]
        for i in range(high - low):  # were in the patch before; apart from the others, so that nothing branches
            A = i * h + front
            ue = A * yaw - Va
            ours[i] = K * (e[i] + T * (ue + 0.5 * T * turning)) + B * ue
            theirs[i] = K * T * (A - lost + T * bent) + B * (A - lost)
        if shift != 0:
            first, last = (high, n) if shift > 0 else (0, low)
            for j in range(first, last):  # entered during the tick, unstretched
                A = j * h + rear
                Ti = time_inside(a, A + xi_c, V, T)
                ue = A * yaw - Va
                f_0[j] = K * Ti * (ue + 0.5 * Ti * turning) + B * ue
                f_v[j] = K * Ti * (A - lost + Ti * bent) + B * (A - lost)
                inside[j] = Ti
        s[own + READY], s[own + NEXT_PHASE] = 1.0, phase
        s[own + FOR_V], s[own + FOR_Q], s[own + FOR_R], s[own + FOR_T] = V, s[DRIFT], yaw, T

    @kernel_sums_inside
    def prepare(p, s, T):
        """Work them out unless they are, for what is fed now."""
        own = BRISTLES + int(p[6])
        known = s[own + READY] == 1.0 and s[own + FOR_V] == s[SPEED] and s[own + FOR_Q] == s[DRIFT]
        if not (known and s[own + FOR_R] == s[YAW] and s[own + FOR_T] == T):
            fill(p, s, T)

    return prepare


@cache
def turn_kernel(load, bristle):
    """The torque alone: a tread that does not give way asks for no more while it is solved for."""
    prepare = prepare_kernel(load)

    @kernel_sums_inside
    def turn(p, s, v, T):
        """tau_r and its slope by v."""
        prepare(p, s, T)
        K, B, a, n = p[0], p[1], p[2], int(p[6])
        own = BRISTLES + n
        h = 2.0 * a / n
        rear = s[own + NEXT_PHASE] * h - a - p[3]
        at = own + ROWS
        f_0, f_v = s[at : at + n], s[at + n : at + 2 * n]
        loads, inside = s[at + 2 * n : at + 3 * n], s[at + 3 * n : at + 4 * n]
        tau = tau_v = 0.0
        for j in range(n):
            A = j * h + rear
            f, opening = bristle(f_0[j] + f_v[j] * v, loads[j], B + inside[j] * K, p)
            tau += A * f
            tau_v += A * opening * f_v[j]
        return tau, tau_v

    return turn


@cache
def gather_kernel(load, bristle):
    """All sums over the row."""
    prepare = prepare_kernel(load)

    @kernel_sums
    def gather(p, s, v, w, T):
        """tau_r and its slopes by v and w, sum of f and its slopes by v and w."""
        prepare(p, s, T)
        K, B, a, n = p[0], p[1], p[2], int(p[6])
        own = BRISTLES + n
        h = 2.0 * a / n
        rear = s[own + NEXT_PHASE] * h - a - p[3]
        rows = s[own + ROWS : own + ROWS + ROOM * n].reshape((ROOM, n))
        tau = tau_v = tau_w = total = total_v = total_w = 0.0
        for j in range(n):
            A, ic = j * h + rear, B + rows[3, j] * K
            f, opening = bristle(rows[0, j] + rows[1, j] * v + ic * w, rows[2, j], ic, p)
            tau += A * f
            tau_v += A * opening * rows[1, j]
            tau_w += A * opening * ic
            total += f
            total_v += opening * rows[1, j]
            total_w += opening * ic
        return tau, tau_v, tau_w, total, total_v, total_w

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
def commit_kernel(load, bristle):
    """What every bristle is left with."""
    prepare = prepare_kernel(load)

    @kernel_sums_inside
    def commit(p, s, v, w, T):
        """Keep a steering rate and a tread velocity, and what they cost."""
        prepare(p, s, T)
        K, B, a, n = p[0], p[1], p[2], int(p[6])
        V, yaw = s[SPEED], s[YAW]
        _, shift, low, high = rolled(p, s, T)
        Va, Va_dot = slip(p, s, 0.0, w, T)
        turning, lost, bent = V * yaw + Va_dot, p[4] * V * T, 0.5 * V * (1.0 + p[4])
        own = BRISTLES + n
        h = 2.0 * a / n
        rear = s[own + NEXT_PHASE] * h - a - p[3]
        shifted(s, n, shift, low, high)
        at = own + ROWS
        e, f_0, f_v = s[BRISTLES:own], s[at : at + n], s[at + n : at + 2 * n]
        loads, inside = s[at + 2 * n : at + 3 * n], s[at + 3 * n : at + 4 * n]
        tau = total = stuck = 0.0
        for j in range(n):
            A, Ti = j * h + rear, inside[j]
            ic = B + Ti * K
            trial = f_0[j] + f_v[j] * v + ic * w
            f, opening = bristle(trial, loads[j], ic, p)
            um = A * yaw - Va + 0.5 * Ti * turning + (A - lost + Ti * bent) * v
            # What is not borne goes into slip: 0 while it sticks.
            e[j] += Ti * (um - (trial - f) / max(ic, 1e-300))
            tau += A * f
            total += f
            stuck += 1.0 if opening == 1.0 else 0.0
        s[FORCE], s[LATERAL], s[STUCK] = -tau, -total, stuck / n
        s[DELTA] += T * v
        s[DRIFT_BEFORE], s[GIVING] = s[DRIFT], w
        s[GIVEN] += T * w
        s[PHASE], s[own + READY] = s[own + NEXT_PHASE], 0.0

    return commit


def rigid_halves(load, bristle):
    """A tread that does not give way."""
    turn, commit = turn_kernel(load, bristle), commit_kernel(load, bristle)

    @kernel_sums_inside
    def answer(p, s, v, T):
        """Torque on the mover and its slope for a trial steering rate; keeps nothing but the rows."""
        tau, tau_v = turn(p, s, v, T)
        return -tau, -tau_v

    @kernel_sums_inside
    def advance(p, s, v, T):
        """Commit the steering rate that really happened."""
        commit(p, s, v, 0.0, T)

    return answer, advance


@cache
def patch_kernels(load, magnitude, resolve):
    """The row with friction over slip speed."""
    return rigid_halves(load, law_bristle(magnitude, resolve))


@cache
def coulomb_patch_kernels(load):
    """The row with a constant coefficient of friction."""
    return rigid_halves(load, coulomb_bristle)
