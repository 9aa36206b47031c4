"""How the end of a tick answers a force on the machine: dx1/dh, all contacts and frictions in the modes they are in.

The step solves M (x1 - x0)/T = f(x1, h) + G F with N(F) = 0 for the forces. Both are differentiated where the step
stands: dx1 = inverse df + W dF, and J dF = -dN, where dN is what a change of gaps, slips and limits does to N.
"""

import math

from tegotae.compile import kernel
from tegotae.inclusion.kernels.complementarity import natural, radius, slope
from tegotae.inclusion.kernels.stepper import dot, matrices, stiffnesses
from tegotae.kernels.linear import eliminate


@kernel
def linearise(P, F, E, T, S, w, bent):
    """h in S.h, and in P the slopes of slacks and limits where the step stands; False if it has none.

    Where the machine is bent (its matrices change with its states), w.S holds the slope of whole rows here, forces and
    mass matrix included; the step itself gets along with less.
    """
    n, m = w.W.shape
    nc = P.first[0]
    natural(P, F, S.h, S.N)
    for i in range(P.r.shape[0]):  # radii stay while their slopes become the true ones
        P.r[i] = radius(P, i, F)
    if bent:
        if not matrices(w.M, w.S, w.G, T, w.A, w.inverse, w.W):
            return False
        stiffnesses(E, w.Dg, w.Dy, w.W, T, P.Q, P.q)
    for i in range(P.r.shape[0]):
        for j in range(m):
            P.L[i, j] = w.LB[i, j] if j < nc else 0.0
            for k in range(n):
                if math.isfinite(w.LA[i, k]):
                    P.L[i, j] += w.LA[i, k] * w.W[k, j]
            P.r[i] -= P.L[i, j] * F[j]
    return True


@kernel
def mode_slope(P, F, S):
    """dN/df in S.J. A friction that nothing presses holds nothing, even where nothing slips."""
    slope(P, F, S.h, S.J)
    for i in range(P.r.shape[0]):
        if idle(P, i, F):
            for k in range(P.first[i], P.first[i + 1]):
                for j in range(F.shape[0]):
                    S.J[k, j] = 1.0 if k == j else 0.0


@kernel
def idle(P, i, F):
    """Whether friction i can bear no more than what rounding leaves of its limit."""
    size = abs(P.r[i])
    for j in range(F.shape[0]):
        size += abs(P.L[i, j] * F[j])
    return radius(P, i, F) <= 1e-13 * size


@kernel
def shifts(P, F, T, S, w, free):
    """-dN in S.N, for states that would move by `free` without elements."""
    nc = P.first[0]
    for i in range(nc):
        pressed = F[i] - S.h[i] / P.q[i] > 0.0
        S.N[i, 0] = -dot(w.Dg, i, free) / (T * P.q[i]) if pressed else 0.0
    for i in range(P.r.shape[0]):
        start, stop = P.first[i], P.first[i + 1]
        r, z, along, lost = radius(P, i, F), 0.0, 0.0, idle(P, i, F)
        for k in range(start, stop):
            S.N[k, 0] = 0.0 if lost else dot(w.Dy, k - nc, free) / P.q[k]
            z += (F[k] - S.h[k] / P.q[k]) ** 2
        z = math.sqrt(z)
        if lost or z <= r:
            continue
        for k in range(start, stop):
            along += (F[k] - S.h[k] / P.q[k]) / z * S.N[k, 0]
        grown = 0.0
        for j in range(free.shape[0]):
            grown += w.LA[i, j] * free[j] if math.isfinite(w.LA[i, j]) else 0.0
        for k in range(start, stop):
            n = (F[k] - S.h[k] / P.q[k]) / z
            S.N[k, 0] = grown * n + r / z * (S.N[k, 0] - n * along)


@kernel
def mobility(P, F, T, S, w, push, column, dx):
    """dx1/dh for the force whose push on the rows is push[:, column]; after `linearise`."""
    n, m = w.W.shape
    for i in range(n):
        w.f[i] = push[i, column]
    for i in range(n):
        w.free[i] = 0.0
        for j in range(n):
            w.free[i] += w.inverse[i, j] * w.f[j]
        dx[i] = w.free[i]
    if m == 0:
        return
    mode_slope(P, F, S)
    shifts(P, F, T, S, w, w.free)
    if eliminate(S.J, S.N):
        for i in range(n):
            for j in range(m):
                dx[i] += w.W[i, j] * S.N[j, 0]
