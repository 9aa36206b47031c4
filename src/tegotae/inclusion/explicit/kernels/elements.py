"""The replaced elements and their slopes, as the generated right-hand sides call them.  [xiong2011]"""

import math

from tegotae.compile import kernel


@kernel
def sat(limit, x):
    """x held between -limit and limit."""
    return min(max(x, -limit), limit)


@kernel
def shrink(K, r, s):
    """min(1, (r/K)/|w|) for s = |w|^2: how much of the stretch w a friction with limit r can hold."""
    size = K * math.sqrt(s)
    return 1.0 if size <= r else r / size


@kernel
def sticks(K, r, s):
    """Whether friction with limit r holds the stretch w, s = |w|^2; without a limit there is nothing to hold it."""
    return r > 0.0 and K * math.sqrt(s) <= r


@kernel
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
