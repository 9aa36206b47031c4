"""A function called from compiled code over and over, as an integrator does."""

from tegotae.compiling import kernel


@kernel
def many_calls(rhs, count, t, y, p, A, B, f):
    """rhs `count` times, each at another state that depends on the last answer, so that none can be skipped."""
    n = y.size
    for k in range(count):
        rhs(t, y, p, A, B, f)
        y[k % n] += 1e-12 * f[k % n]
