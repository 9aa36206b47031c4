"""What follows from the recorded states of a rod on the ground; and what it is fed, tick by tick, from a table."""

import numpy as np

from tegotae.compile import entry_sums
from tegotae.rod.kernels import simd_rows as at
from tegotae.rod.kernels.ground import stored
from tegotae.rod.kernels.newton import inertia_along
from tegotae.rod.kernels.simd_rows import SIMD, shape, trace, where


@entry_sums
def observe(w, n, law, g, re, im, Z, anchors, X, U, kinetic, elastic):
    """Of states Z (times, 2, n + 2) and anchors (times, 2, n): places and velocities of the nodes, kinetic energy
    except a payload's, energy in the bristles. w as `restore` left it.
    """
    for r in range(Z.shape[0]):
        y, v = Z[r, 0], Z[r, 1]
        shape(w, n, y, v, 0.0, g, re, im)
        trace(w, n, y, v, v, 0.0)
        kinetic[r] = 0.5 * inertia_along(w, n, v, at.VX)
        held = 0.0
        for i in range(n):
            o = where(i)
            w[o + at.QX], w[o + at.QY] = anchors[r, 0, i], anchors[r, 1, i]
            X[r, i, 0], X[r, i, 1], U[r, i, 0], U[r, i, 1] = w[o + at.PX], w[o + at.PY], w[o + at.VX], w[o + at.VY]
            held += stored(w, o, law, w[o + at.PX], w[o + at.PY])
        elastic[r] = held


@entry_sums
def over_ticks(when, values, first, T, out):
    """Values of a table over `when`, linear in between, at the end of each tick from the first on: (numbers, ticks).

    Several ticks at a time, so that what lies side by side in memory is written together.
    """
    i, last, ticks = 0, when.shape[0] - 1, out.shape[1]
    share, cell = np.empty(SIMD), np.empty(SIMD, dtype=np.int64)
    for b in range(0, ticks, SIMD):
        count = min(SIMD, ticks - b)
        for k in range(count):
            t = (first + b + k + 1) * T
            while i + 1 < last and when[i + 1] <= t:
                i += 1
            span = when[min(i + 1, last)] - when[i]
            cell[k], share[k] = i, min(max((t - when[i]) / span, 0.0), 1.0) if span > 0.0 else 0.0
        for c in range(out.shape[0]):
            if cell[0] == i:  # most often, and then a whole row is written at once
                here, rise = values[i, c], values[min(i + 1, last), c] - values[i, c]
                for k in range(count):
                    out[c, b + k] = here + share[k] * rise
            else:
                for k in range(count):
                    here, there = values[cell[k], c], values[min(cell[k] + 1, last), c]
                    out[c, b + k] = here + share[k] * (there - here)
