"""What the step of a network adds up: motion that links feel, forces and slopes that they give, and how far off it is.

v, f, size, d, gap and J run over all ports of all admittances. A link has one end or two; an end begins in row a (or b)
and moves the link r times (or q times) as fast; through a matrix R it moves it by R v. Where its two ends move alike,
their difference loses digits: `size`, by which a solve knows what is rounding, holds what that may cost.
"""

import numpy as np

from tegotae.compile import kernel, kernel_inside


@kernel_inside
def add_end(f, size, d, a, r, force, slope):
    """Of a link between a port and the ground."""
    for j in range(force.shape[0]):
        f[a + j] += r * force[j]
        size[a + j] += abs(r * force[j])
        for k in range(force.shape[0]):
            d[a + j, a + k] += r * r * slope[j, k]


@kernel_inside
def add_between(f, size, d, v, a, r, b, q, force, slope):
    """Of a link between two ports: what it gives to one, it takes from the other."""
    for j in range(force.shape[0]):
        f[a + j] += r * force[j]
        f[b + j] -= q * force[j]
        felt = abs(force[j])
        for k in range(force.shape[0]):
            D = slope[j, k]
            felt += abs(D) * (abs(r * v[a + k]) + abs(q * v[b + k]))
            d[a + j, a + k] += r * r * D
            d[a + j, b + k] -= r * q * D
            d[b + j, a + k] -= q * r * D
            d[b + j, b + k] += q * q * D
        size[a + j] += abs(r) * felt
        size[b + j] += abs(q) * felt


@kernel_inside
def feel_through(v, a, R, sign, u):
    """u += sign R v of a port."""
    for j in range(R.shape[0]):
        for k in range(R.shape[1]):
            u[j] += sign * R[j, k] * v[a + k]


@kernel_inside
def add_through(f, size, d, a, R, sign, u, force, slope):
    """The force of a link on a port that moves it by R v, and how it changes with that."""
    for j in range(R.shape[0]):
        felt = abs(force[j])
        for k in range(R.shape[0]):
            felt += abs(slope[j, k] * u[k])
        for k in range(R.shape[1]):
            f[a + k] += sign * R[j, k] * force[j]
            size[a + k] += abs(R[j, k]) * felt
    add_slopes(d, a, R, a, R, 1.0, slope)


@kernel_inside
def add_slopes(d, a, R, b, Q, sign, slope):
    """How the force on one end changes with the motion of another: sign R' slope Q."""
    for j in range(R.shape[0]):
        for k in range(Q.shape[0]):
            D = sign * slope[j, k]
            for i in range(R.shape[1]):
                for m in range(Q.shape[1]):
                    d[a + i, b + m] += R[j, i] * D * Q[k, m]


@kernel
def compare(k, first, v, before, moved, mobility, size, d, weight, gap, J):
    """The rows of one admittance: gap = v - moved, J = its slope. How large the gap is, and how much by rounding.

    The first is counted in what is at stake when a solve begins (weight), so that unlike machines compare; the second
    in what the numbers of this trial may have lost. It is inf where there is no number.
    """
    rows, n = mobility.shape[0], d.shape[0]
    worst, scale, most, load = 0.0, 0.0, 0.0, 0.0
    for j in range(rows):
        i = first + j
        gap[i, 0] = v[i] - moved[i]
        worst = max(worst, abs(gap[i, 0]))
        if not np.isfinite(gap[i, 0]):
            load = np.inf  # which the largest of several would not show if it is nan
        scale = max(scale, abs(v[i]) + abs(before[i]))
        load += size[i]
        for m in range(rows):
            most = max(most, abs(mobility[j, m]))
        for c in range(n):
            J[i, c] = 1.0 if i == c else 0.0
        for m in range(rows):
            M = mobility[j, m]
            for c in range(n):
                J[i, c] -= M * d[first + m, c]
    scale += most * load
    if not scale < np.inf:
        return np.inf, np.inf
    if weight[k] == 0.0:
        weight[k] = worst + scale
    if worst == 0.0:
        return 0.0, 0.0
    return worst / weight[k], worst / scale if scale > 0.0 else 1.0
