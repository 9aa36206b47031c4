"""What explicit ODEs call: fixed steps, the replaced elements, and the chain rule along their stages.  [xiong2011]"""

import math

import numpy as np

from tegotae.compile import kernel, kernel_rare
from tegotae.kernels.linear import eliminate


@kernel
def copy(y, out, k):
    """out[k] = y, as a loop: quicker to compile than an assignment of arrays."""
    for i in range(y.size):
        out[k, i] = y[i]


@kernel
def cubic(q, T, W, first, last, y, out, k):
    """out[k] = the state at the part q of a step of length T from W[0] to y, by cubic Hermite interpolation.

    The slopes at both ends lie in W[first] and W[last].
    """
    if q >= 1.0:
        copy(y, out, k)
        return
    a, b = q * q * (3.0 - 2.0 * q), q * (1.0 - q) * T
    for i in range(y.size):
        out[k, i] = W[0, i] + a * (y[i] - W[0, i]) + b * ((1.0 - q) * W[first, i] - q * W[last, i])


@kernel
def shrink(K, r, s):
    """min(1, (r/K)/|w|) for s = |w|^2: how much of the stretch w a friction with limit r can hold."""
    size = K * math.sqrt(s)  # not `grip`: that gives 1 for a limit of nan, and would hide that a model's formula fails
    return 1.0 if size <= r else r / size


@kernel
def sticks(K, r, s):
    """Whether friction with limit r holds the stretch w, s = |w|^2; without a limit there is nothing to hold it."""
    return r > 0.0 and K * math.sqrt(s) <= r


@kernel_rare  # one copy for its many callers: a new model compiles quickly
def add_row(A, i, factor, D, k):
    """A[i] += factor D[k]."""
    for j in range(A.shape[1]):
        A[i, j] += factor * D[k, j]


@kernel_rare
def rub_slope(D, W, R, w, first, slip, k, many, K, r):
    """Slopes D of the forces theta from those of w (rows `slip` on of W) and of the limit (row k of R).

    At the switch itself the slope is that of sticking.
    """
    s = 0.0
    for i in range(slip, slip + many):
        s += w[i] * w[i]
    size = math.sqrt(s)
    columns = D.shape[1]
    if K * size <= r:
        for i in range(many):
            for j in range(columns):
                D[first + i, j] = K * W[slip + i, j]
        return
    for j in range(columns):
        along = 0.0  # the slope of |w|
        for i in range(many):
            along += w[slip + i] / size * W[slip + i, j]
        for i in range(many):
            n = w[slip + i] / size
            D[first + i, j] = n * R[k, j] + r / size * (W[slip + i, j] - n * along)


@kernel
def through_mass(J, M, A, B, open_, solved):
    """Open rows hold the slopes of the residual h - M f; with the solved rows carried over, M J_open = that."""
    count = open_.shape[0]
    for a in range(count):
        row = open_[a]
        for j in range(J.shape[1]):
            total = J[row, j]
            for b in range(solved.shape[0]):
                total -= M[row, solved[b]] * J[solved[b], j]
            B[a, j] = total
        for b in range(count):
            A[a, b] = M[row, open_[b]]
    regular = eliminate(A, B)
    for a in range(count):
        for j in range(J.shape[1]):
            J[open_[a], j] = B[a, j] if regular else np.nan
