"""The replaced elements, as the generated right-hand sides call them.  [xiong2011]"""

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
