"""Friction laws as numbers: how large the friction is at a slip speed, and which speed a push leads to.

A law is a magnitude r(s) >= 0 of the slip speed s >= 0; its direction is always against the slip. Each law has
two kernels over a parameter vector p whose entries start at index j:

- ``magnitude(p, j, s) -> r, dr``           the law and its derivative;
- ``resolve(p, j, c, U) -> s, r, dr``       the slip speed s with s + c r(s) = U, for U > c r(0).
"""

import math

from tegotae.compile import kernel
from tegotae.kernels.roots import EPSILON, nearer


@kernel
def coulomb_magnitude(p, j, s):
    """r = F."""
    return p[j], 0.0


@kernel
def coulomb_resolve(p, j, c, U):
    """s = U - c F."""
    return U - c * p[j], p[j], 0.0


@kernel
def viscous_magnitude(p, j, s):
    """r = F + b s."""
    return p[j] + p[j + 1] * s, p[j + 1]


@kernel
def viscous_resolve(p, j, c, U):
    """s = (U - c F)/(1 + c b)."""
    s = (U - c * p[j]) / (1.0 + c * p[j + 1])
    return s, p[j] + p[j + 1] * s, p[j + 1]


@kernel
def stribeck_magnitude(p, j, s):
    """r = Fc + (Fs - Fc) exp(-(s/vs)^n) + b s."""
    Fc, Fs, vs, n, b = p[j], p[j + 1], p[j + 2], p[j + 3], p[j + 4]
    x = s / vs
    if n == 2.0:
        xn1 = x
        xn = x * x
    else:
        xn1 = x ** (n - 1.0)
        xn = xn1 * x
    if xn > 700.0:  # the fall is over; its slope would be 0 times infinity for a steep exponent
        return Fc + b * s, b
    fall = (Fs - Fc) * math.exp(-xn)
    return Fc + fall + b * s, b - fall * n * xn1 / vs


@kernel
def tabulated_magnitude(p, j, s):
    """Straight lines through the table [count, s_0.., r_0..]; the last value holds beyond its end."""
    count = int(p[j])
    a, b = j + 1, j + 1 + count
    if s >= p[a + count - 1]:
        return p[b + count - 1], 0.0
    low, high = 0, count - 1
    while high - low > 1:
        mid = (low + high) // 2
        if p[a + mid] <= s:
            low = mid
        else:
            high = mid
    dr = (p[b + high] - p[b + low]) / (p[a + high] - p[a + low])
    return p[b + low] + dr * (s - p[a + low]), dr


@kernel
def tabulated_resolve(p, j, c, U):
    """s + c r(s) rises from node to node, so the segment that holds U is found by halving, then solved exactly."""
    count = int(p[j])
    a, b = j + 1, j + 1 + count
    if p[a + count - 1] + c * p[b + count - 1] <= U:
        r = p[b + count - 1]
        return U - c * r, r, 0.0
    low, high = 0, count - 1
    while high - low > 1:
        mid = (low + high) // 2
        if p[a + mid] + c * p[b + mid] <= U:
            low = mid
        else:
            high = mid
    dr = (p[b + high] - p[b + low]) / (p[a + high] - p[a + low])
    s = p[a + low] + (U - p[a + low] - c * p[b + low]) / (1.0 + c * dr)
    return s, p[b + low] + dr * (s - p[a + low]), dr


def newton_kernel(magnitude):
    """The resolvent of any law, by Newton."""

    @kernel
    def newton_resolve(p, j, c, U, guess):
        """Newton inside [0, U], to machine precision."""
        low, high = 0.0, U
        s = min(max(guess, 0.0), U)
        r, dr = magnitude(p, j, s)
        for _ in range(100):
            g = s + c * r - U
            if abs(g) <= EPSILON * U:  # rounding of its own terms
                break
            slope = 1.0 + c * dr
            trial, low, high, ended = nearer(s, g, g / slope if slope > 0.0 else math.inf, low, high)
            if ended:
                break
            s = trial
            r, dr = magnitude(p, j, s)
        return s, r, dr

    return newton_resolve


stribeck_newton = newton_kernel(stribeck_magnitude)


@kernel
def stribeck_resolve(p, j, c, U):
    """Newton from where the Stribeck fall is already over, inside the bracket [0, U]."""
    return stribeck_newton(p, j, c, U, (U - c * p[j]) / (1.0 + c * p[j + 4]))
