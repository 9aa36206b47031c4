"""The chain rule along the stages of an explicit ODE: contact forces, limits, friction forces, rows.  [xiong2011]

v holds the distinct slopes that SymPy found, then w, r and K of the frictions. Tables say where slopes belong: a row
(i, j, q) means A[i, j] = v[q] for a matrix of slopes, or A[i] += v[q] D[j] where row i holds the force j.
"""

from typing import NamedTuple

import numpy as np

from tegotae.compile import kernel
from tegotae.inclusion.explicit.kernels.elements import rub_slope
from tegotae.kernels.linear import eliminate


class Slopes(NamedTuple):
    """Where slopes belong, and room for them.

    D slopes of forces, W of stretches, R of limits, each by all states; M the mass matrix, A and B its open part; the
    tables of each matrix (`of_`) and of what takes force slopes in (`into_`); where each friction's components start
    (and all end); the open rows and the solved ones.
    """

    D: np.ndarray
    W: np.ndarray
    R: np.ndarray
    M: np.ndarray
    A: np.ndarray
    B: np.ndarray
    of_forces: np.ndarray
    of_stretches: np.ndarray
    of_limits: np.ndarray
    of_mass: np.ndarray
    of_rows: np.ndarray
    into_limits: np.ndarray
    into_rows: np.ndarray
    starts: np.ndarray
    open: np.ndarray
    solved: np.ndarray


@kernel
def fill(A, table, v):
    """A = the slopes its table names, 0 elsewhere."""
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            A[i, j] = 0.0
    for e in range(table.shape[0]):
        A[table[e, 0], table[e, 1]] = v[table[e, 2]]


@kernel
def add_rows(A, table, v, D):
    """A[i] += v[q] D[k] for every (i, k, q) of the table."""
    for e in range(table.shape[0]):
        i, k, factor = table[e, 0], table[e, 1], v[table[e, 2]]
        for j in range(A.shape[1]):
            A[i, j] += factor * D[k, j]


@kernel
def chain(J, v, s):
    """J = df/dy from the values v."""
    fill(s.D, s.of_forces, v)
    fill(s.W, s.of_stretches, v)
    fill(s.R, s.of_limits, v)
    add_rows(s.R, s.into_limits, v, s.D)
    frictions, contacts = s.R.shape[0], s.D.shape[0] - s.W.shape[0]
    K = v[v.shape[0] - frictions :]
    r = v[v.shape[0] - 2 * frictions :]
    w = v[v.shape[0] - 2 * frictions - s.W.shape[0] :]
    for k in range(frictions):
        first = s.starts[k]
        rub_slope(s.D, s.W, s.R, w, contacts + first, first, k, s.starts[k + 1] - first, K[k], r[k])
    fill(J, s.of_rows, v)
    add_rows(J, s.into_rows, v, s.D)
    through_mass(J, v, s)


@kernel
def through_mass(J, v, s):
    """Open rows hold the slopes of the residual h - M f; with the solved rows carried over, M J_open = that."""
    count = s.open.shape[0]
    if count == 0:
        return
    fill(s.M, s.of_mass, v)
    for a in range(count):
        row = s.open[a]
        for j in range(J.shape[1]):
            total = J[row, j]
            for b in range(s.solved.shape[0]):
                total -= s.M[row, s.solved[b]] * J[s.solved[b], j]
            s.B[a, j] = total
        for b in range(count):
            s.A[a, b] = s.M[row, s.open[b]]
    regular = eliminate(s.A, s.B)
    for a in range(count):
        for j in range(J.shape[1]):
            J[s.open[a], j] = s.B[a, j] if regular else np.nan
