"""How a pressure profile loads one bristle: ``load(p, j, xi, a)`` [N] of a bristle of 21 at the place xi.

p from index j on holds the profile's numbers, a is half the length of the patch. Outside the patch there is no load.
"""

from tegotae.compile import kernel


@kernel
def parabolic_load(p, j, xi, a):
    """c (a^2 - xi^2)  [yamamoto2006 (5)], clipped: as printed it is negative outside the patch."""
    return max(0.0, p[j] * (a - xi) * (a + xi))


@kernel
def uniform_load(p, j, xi, a):
    """The same everywhere on the patch."""
    return p[j] if abs(xi) <= a else 0.0


@kernel
def tabulated_load(p, j, xi, a):
    """Straight lines through the points; p = (count, places..., loads...)."""
    count = int(p[j])
    first, last = j + 1, j + count
    if abs(xi) > a or xi < p[first] or xi > p[last]:
        return 0.0
    low, high = first, last
    while high - low > 1:
        middle = (low + high) // 2
        if p[middle] <= xi:
            low = middle
        else:
            high = middle
    share = (xi - p[low]) / (p[high] - p[low])
    return p[low + count] + share * (p[high + count] - p[low + count])
