"""Many rods through one phase, one after the other; threads share them out."""

import math

from tegotae.compile import kernel
from tegotae.rod.kernels.extrapolation import DONE, UNDER_WAY, advance
from tegotae.rod.kernels.motion import Rod, drive, locate
from tegotae.rod.kernels.segment import all_integrals, kinetic_energy, places, velocities


@kernel
def rod_of(b, own, common):
    """Rod b of the batch: numbers of its own, the drive that all have in common, and the room that `common` has."""
    hs, rho, K, C, g, tip, bends, points = own
    return Rod(
        hs[b],
        rho[b],
        K[b],
        C[b],
        g[b],
        tip[b],
        common.when,
        bends[b],
        common.loads,
        common.swings,
        common.held,
        points[b],
        common.cell,
        common.re,
        common.im,
        common.S,
        common.P,
        common.p,
        common.R,
        common.bend,
        common.extra,
        common.load,
        common.swing,
        common.kappa,
        common.kappa_rate,
        common.U,
        common.side,
    )


@kernel
def all_finite(z):
    """Whether every number of z is one."""
    finite = True
    for i in range(z.shape[0]):
        finite = finite and math.isfinite(z[i])
    return finite


@kernel
def march_some(some, common, room, own, t0, stops, rows, Z, H, k, tolerances, methods, least, tally, status, record):
    """The rods of `some` from t0 through all stops; where rows[i] >= 0 stop i is recorded there.

    common: a rod of the batch, for its drive and its room; room: as `advance` has it. Z (rods, N) states, H and k their
    steps and orders; status[b] tells how rod b ended; record: z, X, U, kinetic, kappa with a leading axis of rods and
    one of rows.
    """
    rtol, atol = tolerances
    z_kept, X, U, kinetic, kappa = record
    n = common.hs.shape[0] + 1
    for b in some:
        if status[b] != DONE:
            continue
        rod = rod_of(b, own, common)
        z, t = Z[b], t0
        for i in range(stops.shape[0]):
            done = UNDER_WAY
            while done == UNDER_WAY:
                done, t, H[b], k[b] = advance(
                    rod, t, z, stops[i], H[b], k[b], rtol, atol, methods[b], room, least, tally[b]
                )
            t = stops[i]
            if done != DONE or not all_finite(z):
                status[b] = done if done != DONE else -1
                break
            row = rows[i]
            if row < 0:
                continue
            z_kept[b, row] = z
            locate(rod, t)
            drive(rod, t)
            all_integrals(z[: n + 2], z[n + 2 : 2 * n + 4], rod.hs, rod.re, rod.im, rod.S)
            places(z, rod.S, X[b, row])
            velocities(z[n + 2 : 2 * n + 4], rod.S, U[b, row])
            kinetic[b, row] = kinetic_energy(z[n + 2 : 2 * n + 4], rod.S, U[b, row], rod.hs, rod.rho)
            kappa[b, row] = rod.kappa
