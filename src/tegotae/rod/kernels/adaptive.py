"""Adaptive integration of a rod by extrapolation, every step O(n).

Linearly implicit Euler (bending at the end of the step, inertia and the rest at its start) with m substeps has an
expansion in 1/m, the modified midpoint rule one in 1/m^2: results for growing m are extrapolated to 1/m = 0. The
first does not mind how stiff bending gets as nodes are added, the second is cheaper while it is not stiff. Step and
order are chosen as in Hairer and Wanner's SEULEX and ODEX: the order with the least work for each unit of time.
"""

import math

import numpy as np

from tegotae.compile import entry, entry_free, kernel, kernel_inside
from tegotae.rod.kernels.motion import accelerations, drive, locate, powers
from tegotae.rod.kernels.segment import all_integrals, kinetic_energy, places, velocities

IMPLICIT, EXPLICIT = 0, 1
COLUMNS = 12
DONE, TOO_SMALL, TOO_MANY, UNDER_WAY = 0, 1, 2, 3
MOST, A_WHILE = 10_000_000, 20_000  # steps: of a whole run, and until the caller may have a look


@kernel
def substeps(j, method):
    """How many substeps the j-th column takes."""
    return j + 1 if method == IMPLICIT else 2 * (j + 1)


@kernel
def euler(rod, t, z, H, m, out, a):
    """m linearly implicit Euler steps over H."""
    n = a.shape[0]
    h = H / m
    for i in range(z.shape[0]):
        out[i] = z[i]
    for s in range(m):
        drive(rod, t + (s + 1) * h)
        y, v = out[:n], out[n : 2 * n]
        accelerations(rod, y, v, h, a)
        for i in range(n):
            v[i] += h * a[i]
        lost, given = powers(rod, y, v, a)
        for i in range(n):
            y[i] += h * v[i]
        out[2 * n] += h * lost
        out[2 * n + 1] += h * given


@kernel_inside
def rate(rod, t, z, a, f):
    """f = z'."""
    n = a.shape[0]
    drive(rod, t)
    accelerations(rod, z[:n], z[n : 2 * n], 0.0, a)
    for i in range(n):
        f[i] = z[n + i]
        f[n + i] = a[i]
    f[2 * n], f[2 * n + 1] = powers(rod, z[:n], z[n : 2 * n], a)


@kernel
def midpoint(rod, t, z, H, m, out, a, f0, f, before):
    """The modified midpoint rule with m substeps, its last three values smoothed; f0 is z' at the start."""
    h = H / m
    for i in range(z.shape[0]):
        before[i] = z[i]
        out[i] = z[i] + h * f0[i]
    for s in range(1, m + 1):
        rate(rod, t + s * h, out, a, f)
        if s == m:
            for i in range(z.shape[0]):
                out[i] = 0.5 * (before[i] + out[i] + h * f[i])
            return
        for i in range(z.shape[0]):
            after = before[i] + 2.0 * h * f[i]
            before[i] = out[i]
            out[i] = after


@kernel
def extrapolate(W, j, method):
    """W[i] holds the last row of the table, W[0] newest first column moved in place; after it W[j] is T_jj.

    Row j of the table replaces row j-1: T_(j,k) = T_(j,k-1) + (T_(j,k-1) - T_(j-1,k-1))/(ratio - 1).
    """
    steps = substeps(j, method)
    for k in range(1, j + 1):
        ratio = steps / substeps(j - k, method)
        if method == EXPLICIT:
            ratio *= ratio
        w = 1.0 / (ratio - 1.0)
        for i in range(W.shape[1]):
            new = W[k - 1, i] + w * (W[k - 1, i] - W[COLUMNS + k - 1, i])
            W[k, i] = new
    for k in range(j + 1):
        for i in range(W.shape[1]):
            W[COLUMNS + k, i] = W[k, i]


@kernel
def error_of(z, best, other, count, rtol, atol):
    """Root mean square of the difference over the tolerance; the first `count` numbers decide."""
    total = 0.0
    for i in range(count):
        scale = atol + rtol * max(abs(z[i]), abs(best[i]))
        total += ((best[i] - other[i]) / scale) ** 2
    return math.sqrt(total / count)


@kernel
def advance(rod, t, z, end, H, k, rtol, atol, method, work, least, tally):
    """From t to `end`, or for a while: -> status, the time reached, the next step, the next order. z changes in place.

    work: W (2 COLUMNS, N), a (n + 2), f0, f, before (N); tally counts accelerations, steps, rejected steps.
    """
    W, a, f0, f, before = work
    count = 2 * a.shape[0]
    works = np.empty(COLUMNS)
    costs = np.empty(COLUMNS)
    lengths = np.empty(COLUMNS)
    total = 1.0 if method == EXPLICIT else 0.0
    for j in range(COLUMNS):
        total += substeps(j, method)
        costs[j] = total
    rejected, taken = False, 0
    if end - t <= least * max(abs(t), abs(end)):
        return DONE, end, H, k  # two times that differ by rounding alone
    while t < end:
        if tally[1] + tally[2] > MOST:
            return TOO_MANY, t, H, k
        if taken == A_WHILE:
            return UNDER_WAY, t, H, k
        taken += 1
        last = t + 1.0000001 * H >= end
        step = end - t if last else H
        if step < least * max(abs(t), abs(end)):
            return TOO_SMALL, t, H, k
        locate(rod, t)
        if method == EXPLICIT:
            rate(rod, t, z, a, f0)
            tally[0] += 1
        done, reached, shrink = False, 0, 0.5
        for j in range(min(k + 2, COLUMNS)):
            m = substeps(j, method)
            if method == IMPLICIT:
                euler(rod, t, z, step, m, W[0], a)
            else:
                midpoint(rod, t, z, step, m, W[0], a, f0, f, before)
            tally[0] += m
            extrapolate(W, j, method)
            reached = j
            if j == 0:
                continue
            error = error_of(z, W[j], W[j - 1], count, rtol, atol)
            order = 2 * j + 1 if method == EXPLICIT else j + 1
            if not error < 1e100:
                shrink = 0.1
                break
            factor = 0.94 * (0.65 / max(error, 1e-30)) ** (1.0 / order)
            lengths[j] = step * min(max(factor, 0.05), 8.0)
            works[j] = costs[j] / lengths[j]
            if error <= 1.0 and j >= k - 1:
                done = True
                break
            if j == k and error > (substeps(k + 1, method) / substeps(0, method)) ** (2 if method == EXPLICIT else 1):
                shrink = min(0.7, max(0.05, lengths[j] / step))
                break
            shrink = min(0.7, max(0.05, lengths[j] / step))
        if not done:
            tally[2] += 1
            H = step * shrink
            rejected = True
            continue
        for i in range(z.shape[0]):
            z[i] = W[reached, i]
        t = end if last else t + step
        tally[1] += 1
        best = 1
        for j in range(1, reached + 1):
            if works[j] < 0.95 * works[best]:
                best = j
        wanted = lengths[best]
        falls = reached < 2 or works[reached] < 0.9 * works[reached - 1]
        if best == reached and reached + 1 < COLUMNS - 1 and falls and not rejected:
            # A higher order may pay: as long a step as its work allows.
            best = reached + 1
            wanted = lengths[reached] * costs[reached + 1] / costs[reached]
        k = min(max(best, 2), COLUMNS - 2)
        wanted = min(wanted, step) if rejected else wanted
        # A step cut short to end in time says nothing against the one before it.
        H = max(wanted, H) if last and not rejected else wanted
        rejected = False
    return DONE, t, H, k


# ------------------------------------------------------------ rods through one phase, one after the other


NOT_FINITE = -1
PER_ROD = ("hs", "rho", "K", "C", "g", "tip", "bends", "points")  # what each rod of a batch has for itself


@kernel
def load(rod, rods, b):
    """The numbers of rod b of the batch into `rod`, which has the drive of all, and workspace."""
    hs, rho, K, C, g, tip, bends, points = rods
    rod.hs[:], rod.rho[:], rod.K[:], rod.C[:] = hs[b], rho[b], K[b], C[b]
    rod.g[:], rod.tip[:], rod.bends[:], rod.points[:] = g[b], tip[b], bends[b], points[b]


@kernel
def all_finite(z):
    """Whether every number of z is one."""
    finite = True
    for i in range(z.shape[0]):
        finite = finite and math.isfinite(z[i])
    return finite


@kernel
def record_state(rod, t, z, b, row, record):
    """Record the state of rod b."""
    z_kept, X, U, kinetic, kappa = record
    n = rod.hs.shape[0] + 1
    z_kept[b, row] = z
    locate(rod, t)
    drive(rod, t)
    all_integrals(z[: n + 2], z[n + 2 : 2 * n + 4], rod.hs, rod.re, rod.im, rod.S)
    places(z, rod.S, X[b, row])
    velocities(z[n + 2 : 2 * n + 4], rod.S, U[b, row])
    kinetic[b, row] = kinetic_energy(z[n + 2 : 2 * n + 4], rod.S, U[b, row], rod.hs, rod.rho)
    kappa[b, row] = rod.kappa


@entry
def march(some, rod, work, rods, stops, rows, end, reached, t, Z, H, k, settings, methods, tally, status, record):
    """The rods of `some` through all stops of a phase, or for a while -> whether one of them is still under way.

    rod: one like them, with the drive of all; work: as `advance` has it. Where rows[i] >= 0 stop i is
    recorded there; end: of the whole run. Of each rod: how many stops it has reached, time, state, step and order, how
    it ended. record: z, X, U, kinetic, kappa with a leading axis of rods and one of rows.
    """
    rtol, atol, least = settings
    busy = False
    for b in some:
        load(rod, rods, b)
        first = tally[b, 1] + tally[b, 2]
        while status[b] == DONE and reached[b] < stops.shape[0]:
            before, taken = t[b], tally[b, 1] + tally[b, 2]
            if taken - first > A_WHILE:
                busy = True
                break
            stop = stops[reached[b]]
            done, t[b], H[b], k[b] = advance(
                rod, t[b], Z[b], stop, H[b], k[b], rtol, atol, methods[b], work, least, tally[b]
            )
            if done == UNDER_WAY:
                left = (end - t[b]) / max(t[b] - before, 1e-300) * (tally[b, 1] + tally[b, 2] - taken)
                status[b] = TOO_MANY if left > MOST else DONE  # at this pace it would never end
            elif done == DONE and all_finite(Z[b]):
                t[b] = stop
                if rows[reached[b]] >= 0:
                    record_state(rod, stop, Z[b], b, rows[reached[b]], record)
                reached[b] += 1
            else:
                status[b] = NOT_FINITE if done == DONE else done
    return busy


@entry_free
def march_free(some, rod, work, rods, stops, rows, end, reached, t, Z, H, k, settings, methods, tally, status, record):
    """The same on a thread of its own."""
    return march(some, rod, work, rods, stops, rows, end, reached, t, Z, H, k, settings, methods, tally, status, record)
