"""Many rods through one phase, one after the other; threads share them out."""

import numpy as np

from tegotae.compiling import kernel
from tegotae.rod.kernels.extrapolation import COLUMNS, DONE, UNDER_WAY, advance
from tegotae.rod.kernels.motion import Rod, drive, locate
from tegotae.rod.kernels.recursion import BACK
from tegotae.rod.kernels.segment import WIDTH, all_integrals, kinetic_energy, places, velocities


@kernel
def rod_of(b, fixed, phase):
    """Rod b of the batch, with room of its own."""
    hs, rho, K, C, g, tip = fixed
    when, bends, loads, swings, held, points = phase
    n = hs.shape[1] + 1
    return Rod(
        hs[b],
        rho[b],
        K[b],
        C[b],
        g[b],
        tip[b],
        when,
        bends[b],
        loads,
        swings,
        held,
        points[b],
        np.zeros(1, dtype=np.int64),
        np.zeros(6),
        np.zeros(6),
        np.zeros((n - 1, WIDTH)),
        np.zeros((3, 3)),
        np.zeros(3),
        np.zeros((n - 1, BACK)),
        np.zeros(n - 1),
        np.zeros(n - 1),
        np.zeros((n, 3)),
        np.zeros(3),
        np.zeros(n - 1),
        np.zeros(n - 1),
        np.zeros((n, 2)),
        np.zeros((n - 1, 4)),
    )


@kernel
def march_some(some, fixed, phase, t0, stops, rows, Z, H, k, tolerances, methods, least, tally, status, record):
    """The rods of `some` from t0 through all stops; where rows[i] >= 0 stop i is recorded there.

    Z (rods, N) states, H and k their steps and orders; status[b] tells how rod b ended; record: z, X, U, kinetic,
    kappa with a leading axis of rods and one of rows.
    """
    rtol, atol = tolerances
    z_kept, X, U, kinetic, kappa = record
    size, n = Z.shape[1], fixed[0].shape[1] + 1
    room = (np.zeros((2 * COLUMNS, size)), np.zeros(n + 2), np.zeros(size), np.zeros(size), np.zeros(size))
    for b in some:
        if status[b] != DONE:
            continue
        rod = rod_of(b, fixed, phase)
        z, t = Z[b], t0
        for i in range(stops.shape[0]):
            done = UNDER_WAY
            while done == UNDER_WAY:
                done, t, H[b], k[b] = advance(
                    rod, t, z, stops[i], H[b], k[b], rtol, atol, methods[b], room, least, tally[b]
                )
            t = stops[i]
            if done != DONE or not np.isfinite(z).all():
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
