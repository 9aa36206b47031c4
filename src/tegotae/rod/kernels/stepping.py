"""A rod stepped at a fixed period, everything stiff at the end of the tick: bending, friction, walls and pegs.

`newton` solves for the rates v1 at the end of a step of length T;  y1 = y0 + T v1.
"""

import math

import numpy as np

from tegotae.compile import kernel_inside, kernel_sums
from tegotae.rod.kernels import lanes as at
from tegotae.rod.kernels.ground import look, settle, stored
from tegotae.rod.kernels.lanes import FIELDS, LANES, shape, trace, where
from tegotae.rod.kernels.motion import spread_points
from tegotae.rod.kernels.newton import inertia_along, meet_all

# Sums over a run: lost in bending, work put in, given to ground and things; the force on the base; the largest turn
# of a node in one tick.
SUMS = 7
# What turning does to the inertia is taken at the start of a step. So a tick in which a node is about to turn by more
# than GENTLE [rad] is taken in several steps, and a step that turned one by more than TURN means nothing.
GENTLE = 0.1
TURN = 1.0
STEPS = 100  # of a tick at most
# Counts: steps, trials, shortened trials, unsolved steps, steps beyond one a tick.
COUNTS = 5


@kernel_sums
def bend_to(w, n, when, bends, cell, t):
    """Natural curvature at t, which lies in the cell."""
    i, j, q = between(when, cell, t)
    for b in range(0, n - 1, LANES):
        o, here, there = w[b * FIELDS : (b + LANES) * FIELDS], bends[i, b:], bends[j, b:]
        for r in range(min(LANES, n - 1 - b)):
            o[at.OLD + r] = o[at.KAPPA + r]
            o[at.KAPPA + r] = here[r] + q * (there[r] - here[r])


@kernel_sums
def between(when, cell, t):
    """The two rows of a table over `when` around t, and the part of the way from one to the other; t only grows."""
    i, last = cell[0], when.shape[0] - 1
    while i + 1 < last and when[i + 1] <= t:
        i += 1
    cell[0] = i
    j = i + 1 if i < last else last
    span = when[j] - when[i]
    return i, j, min(max((t - when[i]) / span, 0.0), 1.0) if span > 0.0 else 0.0


@kernel_inside
def load_all(rod, w, n, y, t):
    """Loads on the nodes at t, and those between the nodes, as forces on each coordinate."""
    if rod.points.shape[0] > 0:
        spread_points(rod, y)
    here, there, q = between(rod.when, rod.cell, t)
    loads, side = rod.loads, rod.side
    torque = 0.0  # of the segment before on this node
    for i in range(n):
        o = where(i)
        x, y_, turn = loads[here, i, 0], loads[here, i, 1], loads[here, i, 2]
        w[o + at.OX] = x + q * (loads[there, i, 0] - x)
        w[o + at.OY] = y_ + q * (loads[there, i, 1] - y_)
        w[o + at.OT] = turn + q * (loads[there, i, 2] - turn) + torque
        if i < n - 1:
            w[o + at.OX] += side[i, 0]
            w[o + at.OY] += side[i, 1]
            w[o + at.OT] += side[i, 2]
            torque = side[i, 3]


@kernel_sums
def foresee(n, v, rates, guide, i, held, swing, T):
    """The first trial, from the changes of the rates in the last two steps; what holds the base."""
    for k in range(n + 2):
        rates[2, k] = v[k] + 2.0 * rates[0, k] - rates[1, k]
    for c in range(3):
        swing[c] = (guide[i, c] - v[c]) / T
        if held[c]:
            rates[2, c] = guide[i, c]


@kernel_sums
def move_on(n, y, v, rates, T):
    """The rates at the end of the step are those of the trial."""
    for i in range(n + 2):
        rates[1, i] = rates[0, i]
        rates[0, i] = rates[2, i] - v[i]
        v[i] = rates[2, i]
        y[i] += T * v[i]


@kernel_sums
def account(w, n, y, v, rates, T, held, P, p, loaded, sums):
    """Energies of the step, y and v at its end; each force times the way that it acted along."""
    lost, given, ground = 0.0, 0.0, 0.0
    for b in range(0, n - 1, LANES):
        o, th, rate = w[b * FIELDS : (b + LANES) * FIELDS], y[2 + b :], v[2 + b :]
        for j in range(min(LANES, n - 1 - b)):
            h, turn = o[at.LENGTH + j], rate[j + 1] - rate[j]
            lost += o[at.CH + j] * turn * turn
            bent = th[j + 1] - th[j] - h * o[at.KAPPA + j]
            given -= o[at.KH + j] * h * bent * (o[at.KAPPA + j] - o[at.OLD + j])
    for b in range(0, n, LANES):
        o, rate = w[b * FIELDS : (b + LANES) * FIELDS], v[2 + b :]
        for j in range(min(LANES, n - b)):
            ground -= o[at.GX + j] * o[at.VX + j] + o[at.GY + j] * o[at.VY + j] + o[at.TWIST + j] * rate[j]
        for j in range(min(LANES, n - b) if loaded else 0):
            given += T * (o[at.OX + j] * o[at.VX + j] + o[at.OY + j] * o[at.VY + j] + o[at.OT + j] * rate[j])
    for c in range(3):
        hand = 0.0
        if held[c]:
            hand = (P[c, 0] * rates[0, 0] + P[c, 1] * rates[0, 1] + P[c, 2] * rates[0, 2]) / T + p[c]
            given += T * hand * v[c]
        sums[3 + c] = hand
    sums[0] += T * lost
    sums[1] += given
    sums[2] += T * ground
    if beyond(v, sums[6] / T) > 0.0:
        sums[6] = T * fastest(v)


@kernel_sums
def beyond(v, limit):
    """How many angles turn faster than a limit, or not by a number."""
    count = 0.0
    for i in range(2, v.shape[0]):
        count += 0.0 if abs(v[i]) <= limit else 1.0
    return count


@kernel_sums
def fastest(v):
    """The fastest rate of an angle; infinite if one is not a number."""
    most = 0.0
    for i in range(2, v.shape[0]):
        most = max(most, abs(v[i])) if v[i] == v[i] else np.inf
    return most


@kernel_inside
def march_ticks(rod, table, z, t, T, ticks, guide, loaded, every, first, rates, sums, counts, rows):
    """So many ticks from t, the first-th of the run on -> how many were done, all unless the next one turned too far.

    guide (ticks, 3): velocity of the base where it is held; loaded: whether forces act on the rod; rates (4, n + 2):
    their changes in the last two steps, and room. Every `every`-th tick of the run fills a row of `rows`.
    """
    w, law, things, near = table.w, table.law, table.things, table.near
    when, bends, cell, held, swing, g, tip = rod.when, rod.bends, rod.cell, rod.held, rod.swing, rod.g, rod.tip
    P, p, re, im = rod.P, rod.p, rod.re, rod.im
    n = z.shape[0] // 2 - 3
    y, v = z[: n + 2], z[n + 2 : 2 * n + 4]
    begin(w, n, rod.kappa)
    before = 1
    for i in range(ticks + 1):
        if (first + i) % every == 0 and (i > 0 or first == 0):
            shape(w, n, y, v, 0.0, g, re, im)
            trace(w, n, y, v, v, 0.0)
            keep(w, n, law, z, sums, rows, (first + i) // every, first + i == 0)
        if i == ticks:
            break
        m = 1
        if beyond(v, GENTLE / T) > 0.0:
            m = int(min(1.0 + T * fastest(v) / GENTLE, float(STEPS)))
        if m != before:
            scale(rates, before / m)
            before = m
        counts[4] += m - 1
        for j in range(m):
            h, now = T / m, t + (i + (j + 1) / m) * T
            bend_to(w, n, when, bends, cell, now)
            if loaded:
                load_all(rod, w, n, y, now)
            shape(w, n, y, v, h, g, re, im)
            foresee(n, v, rates, guide, i, held, swing, h)
            trace(w, n, y, v, rates[2], h)
            look(w, n, law, things, near)
            meet_all(w, n, h, g, tip, held, swing, law, things, near, P, p, v, rates, counts)
            move_on(n, y, v, rates, h)
            account(w, n, y, v, rates, h, held, P, p, loaded, sums)
            settle(w, n, h, law, things, near)
            if not sums[6] <= TURN:
                return i
    scale(rates, float(before))
    for k in range(n - 1):
        rod.kappa[k] = w[where(k) + at.KAPPA]
    return ticks


@kernel_sums
def scale(rates, by):
    """Changes of the rates for steps of another length."""
    for k in range(rates.shape[1]):
        rates[0, k] *= by
        rates[1, k] *= by


@kernel_sums
def begin(w, n, kappa):
    """The curvature where a phase starts, and no loads yet."""
    for i in range(n):
        o = where(i)
        w[o + at.OX] = w[o + at.OY] = w[o + at.OT] = 0.0
        if i < n - 1:
            w[o + at.KAPPA] = kappa[i]


@kernel_sums
def keep(w, n, law, z, sums, rows, r, anew):
    """One row: the state at the end of the tick, the forces during it. A new rod's anchors are where it lies.

    rows: z, X, U, friction, push, slip speed, kinetic, kappa, sums, stored.
    """
    Z, X, U, friction, push, slip, kinetic, kappa, totals, held = rows
    z[2 * n + 4], z[2 * n + 5] = sums[0], sums[1]
    for i in range(z.shape[0]):
        Z[r, i] = z[i]
    for c in range(sums.shape[0]):
        totals[r, c] = sums[c]
    energy = 0.0
    kinetic[r] = 0.5 * inertia_along(w, n, z[n + 2 :], at.VX)
    for i in range(n):
        o = where(i)
        x, y, px, py = w[o + at.PX], w[o + at.PY], w[o + at.PUSHX], w[o + at.PUSHY]
        X[r, i, 0], X[r, i, 1], U[r, i, 0], U[r, i, 1] = x, y, w[o + at.VX], w[o + at.VY]
        if px != 0.0 or py != 0.0:  # rows are 0 unless written
            push[r, i, 0], push[r, i, 1] = px, py
        friction[r, i, 0], friction[r, i, 1] = w[o + at.GX] - px, w[o + at.GY] - py
        slip[r, i] = math.sqrt(w[o + at.WX] ** 2 + w[o + at.WY] ** 2)
        if i < n - 1:
            kappa[r, i] = w[o + at.KAPPA]
        if anew:
            w[o + at.QX], w[o + at.QY] = x, y
        energy += stored(w, o, law, x, y)
    held[r] = energy
