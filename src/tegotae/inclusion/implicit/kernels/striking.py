"""Impacts inside a tick of a stepped machine, by Newton's law for each contact and Coulomb's for impulses of friction.

A tick that finds a force in an open contact that has a restitution is solved anew: first without such contacts, which
tells when in the tick which of them are struck, and how fast; then with these, rigid, at the speeds that they leave
with. Closed contacts that have a restitution are rigid then too, and so is the friction of all these. What the impact
changed has had a part of the tick to move with only, and positions are put right by that.

Newton's law with friction may gain energy, in eccentric impacts. Such an impact is lessened, from one that gives
nothing back towards the full one, as far as it gains none.
"""

import math

from tegotae.compile import kernel, kernel_inside
from tegotae.kernels.contact import compliance
from tegotae.kernels.impact import meeting, parting

# Rows of w.strike, each with one number a force. How a contact is met in this solve; the rate that it leaves with, and
# the part of the tick for which it is put right; gap and rate, or slip, where the tick begins; forces at its start,
# without impact, and of the full impact; rates without impact, how they grew in the tick, after the full impact, and
# after one that gives nothing back.
RULE, TARGET, PART, GAP, BEGUN, FORCE, FREE_FORCE, FULL_FORCE, FREE, GROWN, FULL, DEAD_RATE, ROWS = range(13)
PRESSED, LEFT_OUT, RIGID = 0.0, 1.0, 2.0
# What a tick has been solved for.
ALL, WITHOUT, STRUCK, DEAD, DONE = range(5)
SOFT = 1e-10  # of how a force moves its own row: so little gives way in an impact, for what is redundant to be shared
NEAR, AWAY = 1e-10, 1e-6  # m, and as a part of what a gap moves in a tick: what is less far open is closed
AWAY_FROM_ALL = 1e30  # m/s: a contact that is so far open in a solve is left out of it
LATE = 8.0  # ticks after which an impact that others have led to in one tick may be noticed
NO_GAIN = 1e-9  # of the energies summed: what an impact seems to gain by rounding


@kernel
def among(which, i):
    """Whether a number is one of a few."""
    found = False
    for k in range(len(which)):
        found = found or which[k] == i
    return found


@kernel
def is_open(E, w, s, i, T):
    """Whether a contact does not touch where the tick begins, or touches only now."""
    gap, rate = w.strike[GAP, i] + E.beta[i] * s[i] / (T + E.beta[i]), w.strike[BEGUN, i]
    near = NEAR + AWAY * (abs(s[i]) + T * abs(rate))
    return gap > near or (w.strike[FORCE, i] == 0.0 and (gap < -near or rate * T < -NEAR))


@kernel
def rubs_on_rigid(E, w, block):
    """Whether the limit of a friction grows with the force of a contact that is rigid."""
    found = False
    for i in range(E.nc):
        found = found or (w.strike[RULE, i] == RIGID and w.L[block, i] != 0.0)
    return found


@kernel
def soften(E, w):
    """The compliance of all that takes part in an impact: next to none."""
    nc = E.nc
    for i in range(nc):
        if w.strike[RULE, i] == RIGID:
            w.C[i] = SOFT * abs(w.Q[i, i])
    for block in range(nc, E.first.shape[0] - 1):
        for k in range(E.first[block], E.first[block + 1]):
            if w.strike[RULE, k] == RIGID:
                w.C[k] = SOFT * abs(w.Q[k, k])


@kernel
def harden(E, w, T):
    """The compliance of all elements as it is without impact."""
    for i in range(w.C.shape[0]):
        w.C[i] = compliance(E.K[i], E.beta[i], T)
        w.strike[RULE, i] = PRESSED


@kernel
def rows_of_impact(E, w, g, y, Dg, Dy, shift, T, b):
    """Rows of this solve that are not those of a tick without impact, from gaps and slips where it is linearised."""
    nc = E.nc
    for i in range(nc):
        if w.strike[RULE, i] == LEFT_OUT:
            b[i] = AWAY_FROM_ALL
        elif w.strike[RULE, i] == RIGID:
            moved = g[i] - w.strike[GAP, i]
            for j in range(shift.shape[0]):
                moved += Dg[i, j] * shift[j]
            b[i] = moved / T - w.strike[TARGET, i]
    for block in range(nc, E.first.shape[0] - 1):
        rigid = rubs_on_rigid(E, w, block)
        for k in range(E.first[block], E.first[block + 1]):
            w.strike[RULE, k] = RIGID if rigid else PRESSED
            if rigid:
                b[k] = -y[k - nc]
                for j in range(shift.shape[0]):
                    b[k] -= Dy[k - nc, j] * shift[j]


@kernel
def note_begin(E, w, g, gv, y, F):
    """Where the tick begins."""
    for i in range(F.shape[0]):
        w.strike[FORCE, i] = F[i]
        w.strike[GAP, i] = g[i] if i < E.nc else 0.0
        w.strike[BEGUN, i] = gv[i] if i < E.nc else y[i - E.nc]


@kernel
def leave_out_open(E, w, s, F, which, T):
    """Leave open contacts that have a restitution out; whether any has been met."""
    met = False
    for k in range(len(which)):
        if F[which[k]] > 0.0 and is_open(E, w, s, which[k], T):
            met = True
    if met:
        for k in range(len(which)):
            if is_open(E, w, s, which[k], T):
                w.strike[RULE, which[k]] = LEFT_OUT
        for i in range(F.shape[0]):
            F[i] = 0.0 if i < E.nc and w.strike[RULE, i] == LEFT_OUT else w.strike[FORCE, i]
    return met


@kernel
def rates_into(E, w, g, y, T, row):
    """Rates of gaps and slips at the end of a solve."""
    for i in range(w.C.shape[0]):
        w.strike[row, i] = (g[i] - w.strike[GAP, i]) / T if i < E.nc else y[i - E.nc]


@kernel
def find_struck(E, w, s, F, g, which, lag, T):
    """Which contacts the motion without impact closes by its end, in g, and what they leave with; whether any.

    Others that are open stay left out: what an impact drives together is struck in the next tick. w.strike has gaps
    half a tick on at the speed of the tick's start: `lag` T² times what gathers speed short of there.
    """
    struck = False
    for k in range(len(which)):
        i = which[k]
        behind = E.beta[i] * s[i] / (T + E.beta[i])  # where the face of its spring is
        if w.strike[RULE, i] == LEFT_OUT and g[i] + behind < 0.0:
            p, v, a = w.strike[GAP, i] + behind, w.strike[FREE, i], w.strike[GROWN, i]
            if p < 0.0 and w.strike[BEGUN, i] > 0.0 and v > 0.0:  # on its way out
                continue
            part, u = meeting(p + lag * a * T * T, v, a, LATE, T)
            w.strike[RULE, i] = RIGID
            w.strike[TARGET, i], w.strike[PART, i] = parting(E.R[k], p, v, part, u, a, LATE, T)
            struck = True
    for k in range(len(which)):
        i = which[k]
        if w.strike[RULE, i] == PRESSED:  # closed: it holds
            w.strike[RULE, i], w.strike[TARGET, i], w.strike[PART, i] = RIGID, 0.0, math.nan
    for i in range(F.shape[0]):
        w.strike[FREE_FORCE, i] = F[i]
    return struck


@kernel
def share_parts(E, w, F):
    """The part of the tick for which each force of the impact is put right: of what is not struck, that of what is."""
    total = size = 0.0
    for i in range(E.nc):
        if w.strike[RULE, i] == RIGID and w.strike[PART, i] == w.strike[PART, i]:
            total += w.strike[PART, i] * F[i]
            size += F[i]
    mean = total / size if size > 0.0 else 0.0
    for i in range(E.nc):
        if w.strike[RULE, i] != RIGID or w.strike[PART, i] != w.strike[PART, i]:
            w.strike[PART, i] = mean
    for block in range(E.nc, E.first.shape[0] - 1):
        total = size = 0.0
        for i in range(E.nc):
            if w.strike[RULE, i] == RIGID:
                total += abs(w.L[block, i]) * F[i] * w.strike[PART, i]
                size += abs(w.L[block, i]) * F[i]
        for k in range(E.first[block], E.first[block + 1]):
            w.strike[PART, k] = total / size if size > 0.0 else mean


@kernel
def gained(E, w, F, row, base, T):
    """What the impact of forces F with rates in `row` gains, and the size of what was summed, at its own moment [J].

    Beside the forces w.strike[base] that there are without it.
    """
    total = size = 0.0
    for i in range(F.shape[0]):
        change = F[i] - w.strike[base, i]
        smooth = w.strike[GROWN, i] * T * (0.5 - w.strike[PART, i])
        work = 0.5 * T * change * (w.strike[FREE, i] + w.strike[row, i] - 2.0 * smooth)
        total += work if i < E.nc else -work
        size += abs(work)
    return total, size


@kernel
def aim_dead(E, w, which, T):
    """The same impact with restitution 0: only what smooth forces give after it."""
    for k in range(len(which)):
        i = which[k]
        if w.strike[RULE, i] == RIGID and w.strike[TARGET, i] != 0.0:
            w.strike[TARGET, i] = w.strike[GROWN, i] * T * (0.5 - w.strike[PART, i])


@kernel
def lessened(E, w, F, row, T):
    """The largest share of the full impact that gains nothing, beside the dead one of forces F and rates in `row`."""
    c, _ = gained(E, w, F, row, FREE_FORCE, T)
    b = a = 0.0
    for i in range(F.shape[0]):
        sign = 1.0 if i < E.nc else -1.0
        more, faster = w.strike[FULL_FORCE, i] - F[i], w.strike[FULL, i] - w.strike[row, i]
        smooth = w.strike[GROWN, i] * T * (0.5 - w.strike[PART, i])
        b += sign * 0.5 * T * more * (w.strike[FREE, i] + w.strike[row, i] - 2.0 * smooth)
        b += sign * 0.5 * T * (F[i] - w.strike[FREE_FORCE, i]) * faster
        a += sign * 0.5 * T * more * faster
    if c >= 0.0:
        return 0.0
    root = b * b - 4.0 * a * c
    most = -2.0 * c / (b + math.sqrt(root)) if root >= 0.0 and b + math.sqrt(max(root, 0.0)) > 0.0 else 1.0
    return min(max(most, 0.0), 1.0)


@kernel
def put_right(E, w, x, F, T, moves):
    """Positions as they are if what each force of the impact changed began in its own moment."""
    for index in range(len(moves)):
        k, off = moves[index], 0.0
        for j in range(x.shape[0]):
            if w.S[k, j] != 0.0:
                gained_by = 0.0
                for i in range(F.shape[0]):
                    gained_by += w.W[j, i] * w.strike[PART, i] * (F[i] - w.strike[FREE_FORCE, i])
                off += w.S[k, j] * gained_by
        x[k] -= T * off / w.M[k, k]


@kernel
def part_left_out(E, w):
    """The gap of what was left out does not reach its spring, though it will be met before the next middle."""
    for i in range(E.nc):
        if w.strike[RULE, i] == LEFT_OUT:
            w.g[i] = math.inf


@kernel
def keep_stretches(E, w, s):
    """What frictions are stretched by, before it is noted what the tick did: an impulse stretches nothing."""
    for k in range(E.nc, s.shape[0]):
        w.strike[FULL, k] = s[k]


@kernel
def restore_stretches(E, w, s):
    """And after it."""
    for k in range(E.nc, s.shape[0]):
        if w.strike[RULE, k] == RIGID:
            s[k] = w.strike[FULL, k]


def judge_kernel(gaps, slips, bounces, midpoint):
    """What comes next in a tick of the inclusion with these gaps and slips, some of whose contacts bounce."""
    lag = 0.125 if midpoint else 0.0

    @kernel
    def look(t, x, p, u, ua, T, w):
        """Gaps and slips where a solve ends."""
        for i in range(x.shape[0]):
            w.xh[i] = x[i] + w.d[i]
        gaps(t, w.xh, p, ua, 0.5 * T, w.g, w.gv)
        slips(t, w.xh, p, u, w.y)

    @kernel_inside
    def judge(t, x, s, F, p, u, ua, E, T, w):
        """What the tick is to be solved for next, by what the last solve found."""
        stage = w.stage[0]
        if stage == ALL:
            return WITHOUT if leave_out_open(E, w, s, F, bounces, T) else DONE
        look(t, x, p, u, ua, T, w)
        if stage == WITHOUT:
            rates_into(E, w, w.g, w.y, T, FREE)
            for i in range(F.shape[0]):
                w.strike[GROWN, i] = ((w.gv[i] if i < E.nc else w.y[i - E.nc]) - w.strike[BEGUN, i]) / T
            gaps(t, w.xh, p, u, 0.0, w.g, w.gv)
            return STRUCK if find_struck(E, w, s, F, w.g, bounces, lag, T) else DONE
        if stage == STRUCK:
            rates_into(E, w, w.g, w.y, T, FULL)
            share_parts(E, w, F)
            more, size = gained(E, w, F, FULL, FREE_FORCE, T)
            if more <= NO_GAIN * size:
                return DONE
            for i in range(F.shape[0]):
                w.strike[FULL_FORCE, i] = F[i]
            for i in range(x.shape[0]):
                w.full[i] = w.d[i]
            aim_dead(E, w, bounces, T)
            return DEAD
        rates_into(E, w, w.g, w.y, T, DEAD_RATE)
        part = lessened(E, w, F, DEAD_RATE, T)
        for i in range(F.shape[0]):
            F[i] += part * (w.strike[FULL_FORCE, i] - F[i])
        for i in range(x.shape[0]):
            w.d[i] += part * (w.full[i] - w.d[i])
        return DONE

    return judge
