"""Newton's method on the natural residual (Alart-Curnier) of contacts, stops and frictions that meet in a step.

A step is exact as soon as every block keeps its mode, so a warm start costs one linear solve. Where modes change, steps
are shortened until the residual falls.
"""

import math

from tegotae.compile import kernel, kernel_inside, kernel_rare
from tegotae.coupling.kernels import natural_residual as row
from tegotae.coupling.kernels.held_radii import gather, solve_gathered
from tegotae.coupling.kernels.natural_residual import BOX, CONE, DISC, evaluate, evaluate_again, pull

OUT, HOLD, SLIP = 0.0, 1.0, 2.0

TOLERANCE = 4e-15  # of the sum of the magnitudes that make up h: about what rounding leaves of it
FINE = 1e-13  # aimed at where limits, too, are sums that rounding leaves open
ROUNDING = 1e-12  # what is accepted where no step falls any further
NEWTON_STEPS, SHORTEST_STEP = 40, 2.0**-12


@kernel
def choose_modes(P, f, work):
    """The mode of each block at f - rho h; rows whose force is then known get their change in work[D]."""
    h, d, rho, mode, R = work[row.H], work[row.D], work[row.RHO], work[row.MODE], work[row.RADIUS]
    for k in range(P.blocks):
        i = P.first[k]
        if P.kind[k] == DISC:
            for j in range(i, P.first[k + 1]):
                d[j] = 0.0
            mode[k] = SLIP if pull(f, h, i, P.first[k + 1], rho[i]) > R[k] * R[k] else HOLD
            continue
        y = f[i] - rho[i] * h[i]
        d[i] = 0.0
        if P.kind[k] == BOX:
            mode[k] = HOLD
            if abs(y) >= P.limit[k]:
                mode[k] = OUT
                d[i] = math.copysign(P.limit[k], y) - f[i]
            continue
        mode[k] = HOLD if y > 0.0 else OUT
        if mode[k] == OUT:
            d[i] = -f[i]
        if P.kind[k] == CONE:
            if mode[k] == OUT or P.limit[k] == 0.0:  # without friction the tangential forces are known
                d[i + 1], d[i + 2] = -f[i + 1], -f[i + 2]
            else:
                d[i + 1], d[i + 2] = 0.0, 0.0
                if pull(f, h, i + 1, i + 3, rho[i + 1]) > (P.limit[k] * y) ** 2:
                    mode[k] = SLIP


@kernel
def free_rows(P, k):
    """How many forces of block k are sought while it is not out."""
    if P.kind[k] == DISC:
        return P.first[k + 1] - P.first[k]
    return 3 if P.kind[k] == CONE and P.limit[k] > 0.0 else 1


@kernel
def solve_modes(P, f, work, part):
    """The step d of the forces that are sought, in the modes they are in; False if there is none.

    It ends a part of the residual (1: Newton's step, 0: none of it) and what work[CHANGE] adds to h and work[GROWN] to
    the radii of discs.
    """
    h, d, change, rho = work[row.H], work[row.D], work[row.CHANGE], work[row.RHO]
    free, mode = work[row.FREE], work[row.MODE]
    A, x, u, R, q = work[row.MATRIX :], work[row.X], work[row.U], work[row.RADIUS], work[row.Q]
    n, whole = 0, not P.symmetric
    for k in range(P.blocks):
        whole = whole or mode[k] == SLIP
        if mode[k] != OUT:
            for j in range(free_rows(P, k)):
                free[n] = P.first[k] + j
                n += 1
    gather(P, n, free, whole, A)
    for a in range(n):
        i = int(free[a])
        x[a] = -part * h[i] - change[i]
    a = 0
    for k in range(P.blocks):
        if mode[k] == SLIP:
            i = P.first[k]
            if P.kind[k] == CONE:
                turning = P.limit[k] * (f[i] - rho[i] * h[i])
                slip_rows(
                    a + 1, n, i + 1, 2, turning, rho[i + 1], q[i + 1], part, P.limit[k] * f[i], f, h, change, u, A, x
                )
                for j in range(2):
                    A[a + 1 + j, a] -= P.limit[k] * u[i + 1 + j] * q[i + 1]
            else:
                slip_rows(a, n, i, P.first[k + 1] - i, R[k], rho[i], q[i], part, R[k], f, h, change, u, A, x)
                for j in range(P.first[k + 1] - i):
                    x[a + j] += u[i + j] * work[row.GROWN, k] * q[i]
                    for c in range(n):
                        A[a + j, c] -= u[i + j] * P.L[k, int(free[c])] * q[i]
        if mode[k] != OUT:
            a += free_rows(P, k)
    if not solve_gathered(n, whole, A, x):
        return False
    for a in range(n):
        d[int(free[a])] = x[a]
    return True


@kernel
def slip_rows(a, n, i, many, turning, rho, q, part, R, f, h, change, u, A, x):
    """Rows a to a + many - 1 become f = R u, u = y/|y|, y = f - rho h, linearised but for R, and times q = 1/rho."""
    if many == 1:
        u[i] = math.copysign(1.0, f[i] - rho * h[i])
        for c in range(n):
            A[a, c] = 0.0
        A[a, a], x[a] = q, part * (R * u[i] - f[i]) * q
        return
    inverse = 1.0 / math.sqrt(pull(f, h, i, i + many, rho))
    turn = turning * inverse  # in (0, 1): how far a change of y turns the force
    for j in range(many):
        u[i + j] = (f[i + j] - rho * h[i + j]) * inverse
    # Only the part of a change of y across u matters.
    if many == 2:
        u1, u2 = u[i], u[i + 1]
        for c in range(n):
            across = turn * (-u2 * A[a, c] + u1 * A[a + 1, c])
            A[a, c], A[a + 1, c] = -u2 * across, u1 * across
        A[a, a] += (1.0 - turn * u2 * u2) * q
        A[a, a + 1] += turn * u1 * u2 * q
        A[a + 1, a] += turn * u1 * u2 * q
        A[a + 1, a + 1] += (1.0 - turn * u1 * u1) * q
        across = turn * (-u2 * change[i] + u1 * change[i + 1])
        x[a] = part * (R * u1 - f[i]) * q + u2 * across
        x[a + 1] = part * (R * u2 - f[i + 1]) * q - u1 * across
        return
    moved = 0.0
    for j in range(many):
        moved += u[i + j] * change[i + j]
    for c in range(n):
        along = 0.0
        for j in range(many):
            along += u[i + j] * A[a + j, c]
        for j in range(many):
            A[a + j, c] = turn * (A[a + j, c] - u[i + j] * along)
    for j in range(many):
        A[a + j, a + j] += (1.0 - turn) * q
        for c in range(many):
            A[a + j, a + c] += turn * u[i + j] * u[i + c] * q
        x[a + j] = part * (R * u[i + j] - f[i + j]) * q - turn * (change[i + j] - u[i + j] * moved)


@kernel
def newton_direction(P, f, work):
    """The step d that solves the equations of the present modes; False if they have no solution."""
    d, change, grown = work[row.D], work[row.CHANGE], work[row.GROWN]
    choose_modes(P, f, work)
    for j in range(P.m):
        change[j] = 0.0
    for k in range(P.blocks):
        grown[k] = 0.0
    for i in range(P.m):
        if d[i] != 0.0:
            for j in range(P.m):
                change[j] += P.W[j, i] * d[i]
            for k in range(P.blocks):
                grown[k] += P.L[k, i] * d[i] if P.kind[k] == DISC else 0.0
    return solve_modes(P, f, work, 1.0)


def newton_kernel(decorate, evaluate):
    """Newton's method, put in place of its call or apart, with `evaluate` likewise."""

    @decorate
    def newton(P, f, work):
        """Newton steps, at least one, each as long as makes the residual fall. Steps done, worst residual left."""
        h, s, d, f1, h1, s1 = work[row.H], work[row.S], work[row.D], work[row.F1], work[row.H1], work[row.S1]
        aim = TOLERANCE if P.symmetric else FINE
        count, length, energy, worst = 0, 1.0, math.inf, math.inf
        for j in range(P.m):
            f1[j] = f[j]
        while True:
            energy1, worst1 = evaluate(P, work, f1, h1, s1)
            # What was solved is left alone, or it would creep.
            if count == 0 or energy1 < energy or worst1 <= aim < worst:
                for j in range(P.m):
                    f[j], h[j], s[j] = f1[j], h1[j], s1[j]
                energy, worst = energy1, worst1
                if count == NEWTON_STEPS or (count > 0 and worst <= aim):
                    return count, worst
                count, length = count + 1, 1.0
                if not newton_direction(P, f, work):
                    return count, worst
            else:
                length *= 0.5
                if worst <= ROUNDING or length < SHORTEST_STEP:
                    return count, worst
            for j in range(P.m):
                f1[j] = f[j] + length * d[j]

    return newton


newton, newton_again = newton_kernel(kernel_inside, evaluate), newton_kernel(kernel_rare, evaluate_again)
