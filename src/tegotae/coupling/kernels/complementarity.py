"""Forces of one step: contacts, stops and frictions that meet in h = (W + diag C) f + b, all at once.

A Newton step on the natural residual (Alart-Curnier) is exact as soon as every block keeps its mode, so a warm start
costs one linear solve. Where modes change, steps are shortened until the residual falls. Where that stalls, the radii
of friction are held for a while and the convex problem that remains is solved. The last resort is a path from an easier
problem: of a symmetric one, friction is brought in little by little, from none; of another, every mode is tried if
they can be counted, then elements are softened and hardened again.
"""

import math

from tegotae.compile import kernel
from tegotae.coupling.kernels.held_radii import by_faces, by_sweeps, gather, solve_gathered
from tegotae.coupling.kernels.natural_residual import (
    BOX,
    CHANGE,
    CONE,
    DISC,
    F1,
    FREE,
    GROWN,
    H1,
    HELD,
    KEPT,
    LIMIT,
    MATRIX,
    MODE,
    RADIUS,
    RHO,
    S1,
    D,
    H,
    Problem,
    Q,
    S,
    U,
    X,
    multiply,
    project,
    pull,
    radii,
    residual,
    set_scales,
)

NEWTON, SWEEPS, MODES, PATH, UNSOLVED = 0, 1, 2, 3, 4  # how the forces were found
OUT, HOLD, SLIP = 0.0, 1.0, 2.0

TOLERANCE = 4e-15  # of the sum of the magnitudes that make up h: about what rounding leaves of it
FINE = 1e-13  # aimed at where limits, too, are sums that rounding leaves open
ROUNDING = 1e-12  # what is accepted where no step falls any further
LOOSE = 1e-8  # and at last, of a problem that is not symmetric and as badly conditioned as its author made it
NEWTON_STEPS, SHORTEST_STEP = 40, 2.0**-12
ROUNDS, ROUNDS_UNDAMPED = 40, 4
CONVEX_STEPS, CONVEX_ENOUGH = 40, 1e-10
GRIPS = 10
SCALES = (1.0, 0.125, 8.0, 1.0 / 64.0)  # of rho: Newton takes other ways; powers of 2 are undone exactly
MOST_MODES = 60000
SOFTENINGS, SOFTEST, SOFTER = 52, 3.0, 0.75


@kernel
def choose_modes(P, f, work):
    """The mode of each block at f - rho h; rows whose force is then known get their change in work[D]."""
    h, d, rho, mode, R = work[H], work[D], work[RHO], work[MODE], work[RADIUS]
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
    h, d, change, rho, free, mode = work[H], work[D], work[CHANGE], work[RHO], work[FREE], work[MODE]
    A, x, u, R, q = work[MATRIX:], work[X], work[U], work[RADIUS], work[Q]
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
                    x[a + j] += u[i + j] * work[GROWN, k] * q[i]
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
    d, change, grown = work[D], work[CHANGE], work[GROWN]
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


@kernel
def newton(P, f, work):
    """Newton steps, at least one, each as long as makes the residual fall. Steps done, worst residual left."""
    h, s, d, R = work[H], work[S], work[D], work[RADIUS]
    f1, h1, s1 = work[F1], work[H1], work[S1]
    project(P, work, f)
    multiply(P, f, h, s)
    energy, worst = residual(P, R, work, f, h, s)
    aim = TOLERANCE if P.symmetric else FINE
    for count in range(1, NEWTON_STEPS + 1):
        if not newton_direction(P, f, work):
            return count, worst
        length = 1.0
        while True:
            for j in range(P.m):
                f1[j] = f[j] + length * d[j]
            project(P, work, f1)
            multiply(P, f1, h1, s1)
            energy1, worst1 = residual(P, R, work, f1, h1, s1)
            if energy1 < energy or worst1 <= aim < worst:  # what was solved is left alone, or it would creep
                break
            length *= 0.5
            if worst <= ROUNDING or length < SHORTEST_STEP:
                return count, worst
        for j in range(P.m):
            f[j], h[j], s[j] = f1[j], h1[j], s1[j]
        energy, worst = energy1, worst1
        if worst <= aim:
            return count, worst
    return NEWTON_STEPS, worst


@kernel
def newton_scaled(P, f, work, scale):
    """Newton with every rho times a scale, and once more without where that succeeded."""
    rho, q = work[RHO], work[Q]
    for j in range(P.m):
        rho[j], q[j] = rho[j] * scale, q[j] / scale
    count, worst = newton(P, f, work)
    for j in range(P.m):
        rho[j], q[j] = rho[j] / scale, q[j] * scale
    if worst <= ROUNDING and scale != 1.0:
        steps, worst = newton(P, f, work)
        count += steps
    return count, worst


def with_held_radii_kernel(descend):
    """Convex problems with held radii, and Newton, by turns."""

    @kernel
    def with_held_radii(P, f, work):
        """Iterations, worst residual."""
        held, kept, R = work[HELD], work[KEPT], work[RADIUS]
        count, worst = 0, math.inf
        for k in range(P.blocks):
            held[k] = 0.0
        for j in range(P.m):
            kept[j] = f[j]
        for turn in range(ROUNDS):
            radii(P, kept, R)
            for k in range(P.blocks):
                if turn >= ROUNDS_UNDAMPED:  # followed in full the radii may swing for ever
                    R[k] = 0.5 * (R[k] + held[k])
                held[k] = R[k]
            count += descend(P, kept, work, CONVEX_ENOUGH, CONVEX_STEPS)
            for j in range(P.m):
                f[j] = kept[j]
            steps, worst = newton_scaled(P, f, work, SCALES[turn % len(SCALES)])
            count += steps
            if worst <= ROUNDING:
                break
        return count, worst

    return with_held_radii


with_faces, with_sweeps = with_held_radii_kernel(by_faces), with_held_radii_kernel(by_sweeps)


@kernel
def start(P, f, work):
    """Newton from the warm start. Iterations, worst residual."""
    set_scales(P, work)
    for j in range(P.m):
        if not abs(f[j]) < math.inf:
            f[j] = 0.0
    return newton(P, f, work)


@kernel
def by_grip(P, f, work):
    """Friction cones opened little by little, from none. Iterations, worst residual."""
    count, worst, mu = 0, math.inf, work[LIMIT]
    for j in range(P.m):
        f[j] = 0.0
    for grip in range(GRIPS + 1):
        for k in range(P.blocks):
            mu[k] = P.limit[k] * grip / GRIPS if P.kind[k] == CONE else P.limit[k]
        opened = Problem(P.m, P.blocks, P.symmetric, P.W, P.C, P.b, P.kind, P.first, mu, P.L)
        steps, worst = newton(opened, f, work)
        count += steps
        if ROUNDING < worst < math.inf:
            steps, worst = with_faces(opened, f, work)
            count += steps
    return count, worst


@kernel
def modes_of(P):
    """How many modes there are to try: open or closed, sticking or sliding either way. 0 if directions are endless."""
    count = 1
    for k in range(P.blocks):
        if free_rows(P, k) > 1:
            return 0
        count = min((3 if P.kind[k] == DISC else 2) * count, MOST_MODES + 1)
    return count if count <= MOST_MODES else 0


@kernel
def every_mode(P, f, work):
    """Solve stops and lines of friction for each mode in turn until the forces fit; the best of them go to f."""
    h, s, rho, R, f1, h1, s1 = work[H], work[S], work[RHO], work[RADIUS], work[F1], work[H1], work[S1]
    A, x = work[MATRIX:], work[X]
    project(P, work, f)
    multiply(P, f, h, s)
    _, best = residual(P, R, work, f, h, s)
    for mode in range(modes_of(P)):
        rest = mode
        for k in range(P.m):  # blocks of one row
            choices = 3 if P.kind[k] == DISC else 2
            chosen = rest % choices
            rest //= choices
            for j in range(P.m):
                A[k, j] = P.W[k, j] * rho[k] if chosen == 0 else 0.0
            A[k, k] += P.C[k] * rho[k] if chosen == 0 else 1.0
            x[k] = -P.b[k] * rho[k] if chosen == 0 else 0.0
            if chosen > 0 and P.kind[k] == DISC:
                side = 3.0 - 2.0 * chosen  # 1 slides forward, 2 back
                x[k] = side * P.limit[k]
                for j in range(P.m):
                    A[k, j] -= side * P.L[k, j]
        if not solve_gathered(P.m, True, A, x):
            continue
        for j in range(P.m):
            f1[j] = x[j]
        project(P, work, f1)
        multiply(P, f1, h1, s1)
        _, now = residual(P, R, work, f1, h1, s1)
        if now < best:
            best = now
            for j in range(P.m):
                f[j] = f1[j]
            if best <= ROUNDING:
                break


@kernel
def by_softening(P, f, work):
    """From much more compliant elements to those that are. Iterations, worst residual."""
    count, worst, C = 0, math.inf, work[LIMIT]
    for j in range(P.m):
        f[j] = 0.0
    for k in range(SOFTENINGS + 1):
        softer = SOFTEST * SOFTER**k if k < SOFTENINGS else 0.0
        for j in range(P.m):
            C[j] = P.C[j] + softer * (P.W[j, j] + P.C[j])
        softened = Problem(P.m, P.blocks, P.symmetric, P.W, C, P.b, P.kind, P.first, P.limit, P.L)
        set_scales(softened, work)
        radii(softened, f, work[RADIUS])
        count += by_sweeps(softened, f, work, CONVEX_ENOUGH, CONVEX_STEPS)
        steps, worst = newton(softened, f, work)
        count += steps
    return count, worst


@kernel
def solve_symmetric(P, f, work):
    """The forces of cones, boxes and stops, from the warm start f; W is symmetric.

    Iterations, and how they were found; UNSOLVED: not to rounding. h of the result is left in work[H].
    """
    count, worst = start(P, f, work)
    if worst <= ROUNDING:
        return count, NEWTON
    if not worst < math.inf:
        return count, UNSOLVED
    steps, worst = with_faces(P, f, work)
    count += steps
    if worst <= ROUNDING:
        return count, SWEEPS
    steps, worst = by_grip(P, f, work)
    return count + steps, PATH if worst <= ROUNDING else UNSOLVED


@kernel
def solve_any(P, f, work):
    """The same of stops and discs, whose W need not be symmetric."""
    count, worst = start(P, f, work)
    if worst <= ROUNDING:
        return count, NEWTON
    if not worst < math.inf:
        return count, UNSOLVED
    steps, worst = with_sweeps(P, f, work)
    count += steps
    if worst <= LOOSE:
        return count, SWEEPS
    every_mode(P, f, work)
    steps, worst = newton(P, f, work)
    count += steps
    if worst <= LOOSE:
        return count, MODES
    steps, worst = by_softening(P, f, work)
    return count + steps, PATH if worst <= LOOSE else UNSOLVED
