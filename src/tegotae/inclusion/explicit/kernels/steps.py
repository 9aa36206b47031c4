"""What fixed-step loops share."""

from tegotae.compile import kernel


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
