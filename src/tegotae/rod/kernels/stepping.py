"""A rod stepped at a fixed period, everything stiff at the end of the tick: bending, friction, walls and pegs.

    A (v1 - v0) = T (rest + J^T f(J v1)),    y1 = y0 + T v1,

A the inertia at the start plus T C + T^2 K of bending, J from rates to node velocities, f what grips the nodes. f is
the slope of a convex function, so v1 is the one minimum of a convex function. Newton: each trial puts force and slope
of f into the node's block of the O(n) recursion; a trial that overshoots is shortened to where the slope of the
function along it vanishes, which it does once. A trial is the solution when f is what its slope foretold.
"""

import math

import numpy as np

from tegotae.compiling import kernel_inside
from tegotae.rod.kernels.ground import answer, look, settle, stored, twist
from tegotae.rod.kernels.motion import drive, locate, spread_points
from tegotae.rod.kernels.recursion import articulate_gripped, at_base, spread
from tegotae.rod.kernels.segment import all_integrals, kinetic_energy, places, velocities

TRIALS = 60
EXACT = 1e-8  # of the largest force: so near must f be to what its slope foretold

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


@kernel_inside
def prepare(rod, table, y, v, T):
    """All that a step's trials share: integrals, bending, places, directions, velocities at the start."""
    points, hs, re, im, S, kappa, bend, K = rod.points, rod.hs, rod.re, rod.im, rod.S, rod.kappa, rod.bend, rod.K
    C, extra, load = rod.C, rod.extra, rod.load
    X, U0, d, lag, F = table.X, table.U0, table.d, table.lag, table.F
    if points.shape[0] > 0:
        spread_points(rod, y)
    all_integrals(y, v, hs, re, im, S)
    for k in range(hs.shape[0]):
        h, turn = hs[k], v[3 + k] - v[2 + k]
        bent = y[3 + k] - y[2 + k] + T * turn - h * kappa[k]
        bend[k] = -(K[k] * bent + C[k] * turn) / h
        extra[k] = T * (C[k] + T * K[k]) / h
    places(y, S, X)
    velocities(v, S, U0)
    lx, ly = 0.0, 0.0
    n = S.shape[0]
    for i in range(n):
        d[i, 0], d[i, 1] = S[i, 19], S[i, 20]
        lag[i, 0], lag[i, 1] = lx, ly
        lx, ly = lx + S[i, 8], ly + S[i, 9]
    d[n, 0], d[n, 1] = math.cos(y[2 + n]), math.sin(y[2 + n])
    lag[n, 0], lag[n, 1] = lx, ly
    look(table)
    for i in range(X.shape[0]):
        load[i, 2] += twist(F[i, 0], F[i, 1], F[i, 2], table.k[i], table.e[i, 0], table.e[i, 1])


@kernel_inside
def solve(rod, table, T, swing, a):
    """Accelerations if each node's force is f + slope (J v1 - U)."""
    load, S, hs, rho, g, bend, extra, side = rod.load, rod.S, rod.hs, rod.rho, rod.g, rod.bend, rod.extra, rod.side
    tip, P, p, R, held = rod.tip, rod.P, rod.p, rod.R, rod.held
    U, slope, U0, lag, f, grip = table.U, table.slope, table.U0, table.lag, table.f, table.grip
    for i in range(U.shape[0]):
        xx, xy, yy = slope[i, 0], slope[i, 1], slope[i, 2]
        dx = U0[i, 0] + T * lag[i, 0] - U[i, 0]
        dy = U0[i, 1] + T * lag[i, 1] - U[i, 1]
        table.load[i, 0] = load[i, 0] + f[i, 0] + xx * dx + xy * dy
        table.load[i, 1] = load[i, 1] + f[i, 1] + xy * dx + yy * dy
        table.load[i, 2] = load[i, 2]
        grip[i, 0], grip[i, 1], grip[i, 2] = -T * xx, -T * xy, -T * yy
    articulate_gripped(S, hs, rho, g, bend, extra, table.load, side, tip, grip, True, P, p, R)
    at_base(P, p, held, swing, a)
    spread(S, R, a)


@kernel_inside
def foretold(table, V, T):
    """Largest difference between f at the velocities V and what force and slope at U foretold, and the largest f.

    table.f, slope are those at U before, those at V after.
    """
    U, slope, load, f = table.U, table.slope, table.load, table.f
    for i in range(V.shape[0]):
        dx, dy = V[i, 0] - U[i, 0], V[i, 1] - U[i, 1]
        xx, xy, yy = slope[i, 0], slope[i, 1], slope[i, 2]
        load[i, 0] = f[i, 0] + xx * dx + xy * dy
        load[i, 1] = f[i, 1] + xy * dx + yy * dy
    answer(table, V, T)
    worst, largest = 0.0, 0.0
    for i in range(V.shape[0]):
        worst = max(worst, abs(f[i, 0] - load[i, 0]), abs(f[i, 1] - load[i, 1]))
        largest = max(largest, abs(f[i, 0]), abs(f[i, 1]))
    return worst, largest


@kernel_inside
def stiffness_along(rod, table, d):
    """d^T A d for a change d of the rates, whose node velocities are table.step."""
    S, hs, rho, tip, extra = rod.S, rod.hs, rod.rho, rod.tip, rod.extra
    step = table.step
    total = 2.0 * kinetic_energy(d, S, step, hs, rho)
    last = step.shape[0] - 1
    total += tip[0] * (step[last, 0] ** 2 + step[last, 1] ** 2) + tip[1] * d[2 + last] ** 2
    for k in range(hs.shape[0]):
        total += extra[k] * (d[3 + k] - d[2 + k]) ** 2
    return total


@kernel_inside
def pull(table):
    """f . step at what `answer` left."""
    f, step = table.f, table.step
    total = 0.0
    for i in range(f.shape[0]):
        total += f[i, 0] * step[i, 0] + f[i, 1] * step[i, 1]
    return total


@kernel_inside
def shorten(rod, table, d, T, start, drop, V):
    """Part of the step d at which the convex function stops falling along it; V is left there.

    Its slope along d is  start + part d^T A d - T (f(U + part step) - f(U)) . step,  growing with the part; `drop` is
    f(U) . step. Between two ends of different sign by false position (Illinois), until a tenth of it is left.
    """
    U, step = table.U, table.step
    A = stiffness_along(rod, table, d)
    low, high, at_low, at_high, side = 0.0, 1.0, start, 0.0, 0
    part = 1.0  # where V and f are already
    for _ in range(40):
        slope = start + part * A - T * (pull(table) - drop)
        if abs(slope) <= 0.1 * abs(start) or (part == 1.0 and slope <= 0.0):
            break
        if slope > 0.0:
            high, at_high = part, slope
            at_low *= 0.5 if side == 1 else 1.0
            side = 1
        else:
            low, at_low = part, slope
            at_high *= 0.5 if side == -1 else 1.0
            side = -1
        part = (low * at_high - high * at_low) / (at_high - at_low)
        for i in range(V.shape[0]):
            V[i, 0] = U[i, 0] + part * step[i, 0]
            V[i, 1] = U[i, 1] + part * step[i, 1]
        answer(table, V, T)
    return part


@kernel_inside
def meet_all(rod, table, v, T, swing, a, V, v1, counts):
    """Newton from the trial rates v1 -> the rates at the end of the tick in v1, whether they are the solution.

    V (n, 2) room. After it table.U and f are those of v1, rod.P and p those of the last trial.
    """
    U, step, law, S = table.U, table.step, table.law, rod.S
    velocities(v1, S, U)
    answer(table, U, T)
    for trial in range(TRIALS):
        counts[1] += 1
        solve(rod, table, T, swing, a)
        for i in range(a.shape[0]):
            a[i] *= T
            a[i] += v[i] - v1[i]  # from here on the change of the trial rates
        velocities(a, S, step)
        before, grip = pull(table), 0.0
        for i in range(V.shape[0]):
            sx, sy = step[i, 0], step[i, 1]
            V[i, 0], V[i, 1] = U[i, 0] + sx, U[i, 1] + sy
            # grip holds -T slope
            grip += table.grip[i, 0] * sx * sx + 2.0 * table.grip[i, 1] * sx * sy + table.grip[i, 2] * sy * sy
        worst, largest = foretold(table, V, T)
        done = worst <= EXACT * (largest + law[2])
        part = 1.0
        if not done and trial > 0:
            # g.d = -d^T (A + T S) d, the slope of the function at the trial.
            start = -stiffness_along(rod, table, a) - grip
            part = shorten(rod, table, a, T, start, before, V)
            if part < 1.0:
                counts[2] += 1
        for i in range(a.shape[0]):
            v1[i] += part * a[i]
        for i in range(V.shape[0]):
            U[i, 0], U[i, 1] = V[i, 0], V[i, 1]
        if done:
            return True
    return False


@kernel_inside
def tick(rod, table, z, t1, T, guide, a, change, V, v1, old, sums, counts):
    """One step of length T to t1. guide (3): velocity of the base where it is held; change (2, n + 2): of
    the rates in the last two ticks, from which the first trial is foreseen."""
    kappa, swing, held = rod.kappa, rod.swing, rod.held
    U = table.U
    n = a.shape[0]
    y, v = z[:n], z[n : 2 * n]
    for k in range(old.shape[0]):
        old[k] = kappa[k]
    locate(rod, t1)
    drive(rod, t1)
    prepare(rod, table, y, v, T)
    for c in range(3):
        swing[c] = (guide[c] - v[c]) / T
    for i in range(n):
        v1[i] = v[i] + 2.0 * change[0, i] - change[1, i]
    for c in range(3):
        if held[c]:
            v1[c] = guide[c]
    solved = meet_all(rod, table, v, T, swing, a, V, v1, counts)
    counts[0] += 1
    if not solved:
        counts[3] += 1
    for i in range(n):
        change[1, i] = change[0, i]
        change[0, i] = v1[i] - v[i]
        v[i] = v1[i]
        a[i] = change[0, i] / T
    account(rod, table, y, v, a, T, old, sums)
    settle(table, U, T)
    for i in range(n):
        y[i] += T * v[i]


@kernel_inside
def account(rod, table, y, v, a, T, old, sums):
    """Energies of the tick, y at its start, v at its end; each force times the way that it acted along."""
    hs, C, kappa, K, load = rod.hs, rod.C, rod.kappa, rod.K, rod.load
    side, points, held = rod.side, rod.points, rod.held
    P, p = rod.P, rod.p
    F, e, f, U = table.F, table.e, table.f, table.U
    lost, given, ground = 0.0, 0.0, 0.0
    for k in range(hs.shape[0]):
        h, turn = hs[k], v[3 + k] - v[2 + k]
        lost += C[k] * turn * turn / h
        bent = y[3 + k] - y[2 + k] + T * turn - h * kappa[k]
        given -= K[k] * bent * (kappa[k] - old[k]) / T
    for k in range(load.shape[0]):
        turned = twist(F[k, 0], F[k, 1], F[k, 2], table.k[k], e[k, 0], e[k, 1])
        ground -= f[k, 0] * U[k, 0] + f[k, 1] * U[k, 1] + turned * v[2 + k]
        given += load[k, 0] * U[k, 0] + load[k, 1] * U[k, 1] + (load[k, 2] - turned) * v[2 + k]
    for k in range(side.shape[0] if points.shape[0] > 0 else 0):
        given += side[k, 0] * U[k, 0] + side[k, 1] * U[k, 1]
        given += side[k, 2] * v[2 + k] + side[k, 3] * v[3 + k]
    for c in range(3):
        hand = 0.0
        if held[c]:
            hand = P[c, 0] * a[0] + P[c, 1] * a[1] + P[c, 2] * a[2] + p[c]
            given += hand * v[c]
        sums[3 + c] = hand
    sums[0] += T * lost
    sums[1] += T * given
    sums[2] += T * ground
    for i in range(2, v.shape[0]):
        sums[6] = max(sums[6], T * abs(v[i])) if v[i] == v[i] else np.inf


@kernel_inside
def march_ticks(rod, table, z, t, T, ticks, guide, every, first, change, sums, counts, rows):
    """So many ticks from t, the first-th of the run on -> how many were done, all unless one turned too far.

    Every `every`-th of the run fills a row of `rows`.

    rows: z, X, U, friction, push, slip speed, kinetic, kappa, sums, stored.
    """
    hs, re, im, S = rod.hs, rod.re, rod.im, rod.S
    q = table.q
    n = z.shape[0] // 2 - 1
    a, v1, old = np.zeros(n), np.zeros(n), np.zeros(n - 3)
    V = np.zeros((n - 2, 2))
    if first == 0:
        all_integrals(z[:n], z[n : 2 * n], hs, re, im, S)
        places(z, S, q)  # anchored where it lies
    before = 1
    for i in range(ticks + 1):
        if i == 0 and first > 0:
            continue
        if i > 0:
            turn = 0.0
            for k in range(n + 2, 2 * n):
                turn = max(turn, T * abs(z[k]))
            m = min(1 + int(turn / GENTLE), STEPS)
            if m != before:
                for k in range(n):
                    change[0, k] *= before / m
                    change[1, k] *= before / m
                before = m
            counts[4] += m - 1
            for j in range(m):
                now = t + (i - 1 + (j + 1) / m) * T
                tick(rod, table, z, now, T / m, guide[i - 1], a, change, V, v1, old, sums, counts)
                if not sums[6] <= TURN:
                    return i
        if (first + i) % every == 0:
            keep(rod, table, z, sums, rows, (first + i) // every)
    for k in range(n):
        change[0, k] *= before
        change[1, k] *= before
    return ticks


@kernel_inside
def keep(rod, table, z, sums, rows, r):
    """One row: the state at the end of the tick, the forces during it."""
    hs, re, im, S, rho = rod.hs, rod.re, rod.im, rod.S, rod.rho
    f, w, d = table.f, table.w, table.d
    Z, X, U, friction, push, slip, kinetic, kappa, totals, held = rows
    n = X.shape[1] + 2
    z[2 * n], z[2 * n + 1] = sums[0], sums[1]
    for i in range(z.shape[0]):
        Z[r, i] = z[i]
    all_integrals(z[:n], z[n : 2 * n], hs, re, im, S)
    places(z, S, X[r])
    velocities(z[n : 2 * n], S, U[r])
    kinetic[r] = kinetic_energy(z[n : 2 * n], S, U[r], hs, rho)
    for i in range(n - 2):
        for c in range(2):
            friction[r, i, c] = f[i, c] - table.push[i, c]
            push[r, i, c] = table.push[i, c]
        slip[r, i] = w[i]
    for k in range(n - 3):
        kappa[r, k] = rod.kappa[k]
    for c in range(sums.shape[0]):
        totals[r, c] = sums[c]
    places(z, S, table.X)
    for i in range(n - 2):
        d[i, 0], d[i, 1] = math.cos(z[2 + i]), math.sin(z[2 + i])
    look(table)
    held[r] = stored(table)
