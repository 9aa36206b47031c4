"""How the end of a tick answers a force on the machine: dx1/dh, all contacts and frictions in the modes they are in.

The step solves M (x1 - x0)/T = f(xm, h) + G F with N(F) = 0 for the forces; xm has the share theta of x1. Both are
differentiated where the step stands: dx1 = inverse df + W dF, where dF are the forces that Newton's step for N gives in
answer to a change of gaps, slips and limits.

These know no model, and ship with the package: a loop that is compiled takes them into itself; one that runs as plain
Python, for want of a compiler, calls them.
"""

import math

from tegotae.compile import entry
from tegotae.coupling.kernels.natural_newton import OUT, choose_modes, solve_modes
from tegotae.coupling.kernels.natural_residual import (
    CHANGE,
    GROWN,
    MODE,
    RADIUS,
    SIZE,
    D,
    H,
    S,
    multiply,
    radius,
    radius_of_disc,
    set_scales,
)
from tegotae.inclusion.implicit.kernels.stepper import dot, matrices, stiffnesses
from tegotae.inclusion.implicit.kernels.striking import ALL, soften


@entry
def linearise(P, F, E, T, w, bent):
    """The modes, and in P the slopes of gaps, slips and limits, where the step stands; False if it has none.

    Where the machine is bent (its matrices change with its states), w.S holds the slope of whole rows here, forces and
    mass matrix included; the step itself gets along with less.
    """
    n, m = w.W.shape
    nc, work = E.nc, w.work
    multiply(P, F, work[H], work[S])
    for i in range(nc, P.blocks):  # radii stay while their slopes become the true ones
        P.limit[i] = radius(P, i, F)
    if bent:
        if not matrices(w.M, w.S, w.G, T, w.theta[0], w.A, w.inverse, w.W):
            return False
        stiffnesses(E, w.Dg, w.Dy, w.W, T, w.Q, w.C)
        if w.stage[0] > ALL:
            soften(E, w)
        set_scales(P, work)
    for i in range(nc, P.blocks):
        for j in range(m):
            P.L[i, j] = w.LB[i - nc, j] if j < nc else 0.0
            for k in range(n):
                if math.isfinite(w.LA[i - nc, k]):
                    P.L[i, j] += w.LA[i - nc, k] * w.W[k, j]
            P.limit[i] -= P.L[i, j] * F[j]
    for i in range(nc, P.blocks):
        work[RADIUS, i], work[SIZE, i] = radius_of_disc(P, i, F)
    choose_modes(P, F, work)
    for j in range(m):
        work[D, j] = 0.0
    for i in range(nc, P.blocks):  # a friction that nothing presses holds nothing, even where nothing slips
        if work[RADIUS, i] <= 1e-13 * work[SIZE, i]:
            work[MODE, i] = OUT
    return True


@entry
def mobility(P, F, E, T, w, push, column, dx):
    """dx1/dh for the force whose push on the rows is push[:, column]; after `linearise`."""
    n, m = w.W.shape
    nc, work = E.nc, w.work
    for i in range(n):
        w.free[i] = 0.0
        for j in range(n):
            w.free[i] += w.inverse[i, j] * push[j, column]
        dx[i] = w.free[i]
    for i in range(m):
        work[CHANGE, i] = dot(w.Dg, i, w.free) / T if i < nc else -dot(w.Dy, i - nc, w.free)
    for i in range(nc, P.blocks):
        work[GROWN, i] = 0.0
        for j in range(n):
            work[GROWN, i] += w.LA[i - nc, j] * w.free[j] if math.isfinite(w.LA[i - nc, j]) else 0.0
    if solve_modes(P, F, work, 0.0):
        for i in range(n):
            for j in range(m):
                dx[i] += w.W[i, j] * work[D, j]
