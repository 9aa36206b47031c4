"""Whether a state is made of numbers still."""

import numpy as np

from tegotae.compile import entry, kernel


@kernel
def sound(s, start, stop):
    """Whether all numbers from `start` to `stop` are finite."""
    for i in range(start, stop):  # noqa: SIM110 - kernels have no generators
        if not np.isfinite(s[i]):
            return False
    return True


@entry
def first_unsound(S):
    """The first row with a number that is not finite; -1 if there is none."""
    for b in range(S.shape[0]):
        if not sound(S[b], 0, S.shape[1]):
            return b
    return -1
