"""Rods through one phase, one after the other; threads share them out."""

import math

from tegotae.compile import entry, entry_free, kernel
from tegotae.rod.kernels.extrapolation import A_WHILE, DONE, MOST, TOO_MANY, UNDER_WAY, advance
from tegotae.rod.kernels.motion import drive, locate
from tegotae.rod.kernels.segment import all_integrals, kinetic_energy, places, velocities

NOT_FINITE = -1
OWN = ("hs", "rho", "K", "C", "g", "tip", "bends", "points")  # what each rod of a batch has for itself


@kernel
def load(rod, own, b):
    """The numbers of rod b of the batch into `rod`, which has the drive of all, and room."""
    hs, rho, K, C, g, tip, bends, points = own
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
def keep(rod, t, z, b, row, record):
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
def march(some, rod, room, own, stops, rows, end, reached, t, Z, H, k, settings, methods, tally, status, record):
    """The rods of `some` through all stops of a phase, or for a while -> whether one of them is still under way.

    rod: one like them, with the drive of all; room: as `advance` has it. Where rows[i] >= 0 stop i is
    recorded there; end: of the whole run. Of each rod: how many stops it has reached, time, state, step and order, how
    it ended. record: z, X, U, kinetic, kappa with a leading axis of rods and one of rows.
    """
    rtol, atol, least = settings
    busy = False
    for b in some:
        load(rod, own, b)
        first = tally[b, 1] + tally[b, 2]
        while status[b] == DONE and reached[b] < stops.shape[0]:
            before, taken = t[b], tally[b, 1] + tally[b, 2]
            if taken - first > A_WHILE:
                busy = True
                break
            stop = stops[reached[b]]
            done, t[b], H[b], k[b] = advance(
                rod, t[b], Z[b], stop, H[b], k[b], rtol, atol, methods[b], room, least, tally[b]
            )
            if done == UNDER_WAY:
                left = (end - t[b]) / max(t[b] - before, 1e-300) * (tally[b, 1] + tally[b, 2] - taken)
                status[b] = TOO_MANY if left > MOST else DONE  # at this pace it would never end
            elif done == DONE and all_finite(Z[b]):
                t[b] = stop
                if rows[reached[b]] >= 0:
                    keep(rod, stop, Z[b], b, rows[reached[b]], record)
                reached[b] += 1
            else:
                status[b] = NOT_FINITE if done == DONE else done
    return busy


@entry_free
def march_beside(some, rod, room, own, stops, rows, end, reached, t, Z, H, k, settings, methods, tally, status, record):
    """The same on a thread of its own."""
    return march(some, rod, room, own, stops, rows, end, reached, t, Z, H, k, settings, methods, tally, status, record)
