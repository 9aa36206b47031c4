"""Forces of one step: contacts, stops and frictions that meet in h = (W + diag C) f + b, all at once.

Newton's method from a warm start solves nearly every step, so it alone stands where a machine's tick calls; the rest is
apart. Where Newton stalls, the radii of friction are held for a while and the convex problem that remains is solved.
The last resort is a path from an easier problem: of a symmetric one, friction is brought in little by little, from
none; of another, every mode is tried if they can be counted, then elements are softened and hardened again.
"""

import math

from tegotae.compile import kernel, kernel_rare
from tegotae.coupling.kernels import natural_residual as row
from tegotae.coupling.kernels.held_radii import by_faces, by_sweeps, solve_gathered
from tegotae.coupling.kernels.natural_newton import ROUNDING, free_rows, newton, newton_again
from tegotae.coupling.kernels.natural_residual import CONE, DISC, Problem, evaluate_again, radii, set_scales

NEWTON, SWEEPS, MODES, PATH, UNSOLVED = 0, 1, 2, 3, 4  # how the forces were found

LOOSE = 1e-8  # accepted at last, of a problem that is not symmetric and as badly conditioned as its author made it
ROUNDS, ROUNDS_UNDAMPED = 40, 4
CONVEX_STEPS, CONVEX_ENOUGH = 40, 1e-10
GRIPS = 10
SCALES = (1.0, 0.125, 8.0, 1.0 / 64.0)  # of rho: Newton takes other ways; powers of 2 are undone exactly
MOST_MODES = 60000
SOFTENINGS, SOFTEST, SOFTER = 52, 3.0, 0.75


@kernel
def newton_scaled(P, f, work, scale):
    """Newton with every rho times a scale, and once more without where that succeeded."""
    rho, q = work[row.RHO], work[row.Q]
    for j in range(P.m):
        rho[j], q[j] = rho[j] * scale, q[j] / scale
    count, worst = newton_again(P, f, work)
    for j in range(P.m):
        rho[j], q[j] = rho[j] / scale, q[j] * scale
    if worst <= ROUNDING and scale != 1.0:
        steps, worst = newton_again(P, f, work)
        count += steps
    return count, worst


def with_held_radii_kernel(descend):
    """Convex problems with held radii, and Newton, by turns."""

    @kernel
    def with_held_radii(P, f, work):
        """Iterations, worst residual."""
        held, kept, R = work[row.HELD], work[row.KEPT], work[row.RADIUS]
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
def by_grip(P, f, work):
    """Friction cones opened little by little, from none. Iterations, worst residual."""
    count, worst, mu = 0, math.inf, work[row.LIMIT]
    for j in range(P.m):
        f[j] = 0.0
    for grip in range(GRIPS + 1):
        for k in range(P.blocks):
            mu[k] = P.limit[k] * grip / GRIPS if P.kind[k] == CONE else P.limit[k]
        opened = Problem(P.m, P.blocks, P.symmetric, P.W, P.C, P.b, P.kind, P.first, mu, P.L)
        steps, worst = newton_again(opened, f, work)
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
    h, s, rho, f1, h1, s1 = work[row.H], work[row.S], work[row.RHO], work[row.F1], work[row.H1], work[row.S1]
    A = work[row.MATRIX :]
    _, best = evaluate_again(P, work, f, h, s)
    for mode in range(modes_of(P)):
        rest = mode
        for k in range(P.m):  # blocks of one row
            choices = 3 if P.kind[k] == DISC else 2
            chosen = rest % choices
            rest //= choices
            for j in range(P.m):
                A[k, j] = P.W[k, j] * rho[k] if chosen == 0 else 0.0
            A[k, k] += P.C[k] * rho[k] if chosen == 0 else 1.0
            f1[k] = -P.b[k] * rho[k] if chosen == 0 else 0.0
            if chosen > 0 and P.kind[k] == DISC:
                side = 3.0 - 2.0 * chosen  # 1 slides forward, 2 back
                f1[k] = side * P.limit[k]
                for j in range(P.m):
                    A[k, j] -= side * P.L[k, j]
        if not solve_gathered(P.m, True, A, f1):
            continue
        _, now = evaluate_again(P, work, f1, h1, s1)
        if now < best:
            best = now
            for j in range(P.m):
                f[j] = f1[j]
            if best <= ROUNDING:
                break


@kernel
def by_softening(P, f, work):
    """From much more compliant elements to those that are. Iterations, worst residual."""
    count, worst, C = 0, math.inf, work[row.LIMIT]
    for j in range(P.m):
        f[j] = 0.0
    for k in range(SOFTENINGS + 1):
        softer = SOFTEST * SOFTER**k if k < SOFTENINGS else 0.0
        for j in range(P.m):
            C[j] = P.C[j] + softer * (P.W[j, j] + P.C[j])
        softened = Problem(P.m, P.blocks, P.symmetric, P.W, C, P.b, P.kind, P.first, P.limit, P.L)
        set_scales(softened, work)
        radii(softened, f, work[row.RADIUS])
        count += by_sweeps(softened, f, work, CONVEX_ENOUGH, CONVEX_STEPS)
        steps, worst = newton_again(softened, f, work)
        count += steps
    return count, worst


@kernel_rare
def find_symmetric(P, f, work):
    """What Newton did not solve, of cones, boxes and stops. Iterations, and how the forces were found."""
    count, worst = with_faces(P, f, work)
    if worst <= ROUNDING:
        return count, SWEEPS
    steps, worst = by_grip(P, f, work)
    return count + steps, PATH if worst <= ROUNDING else UNSOLVED


@kernel_rare
def find_any(P, f, work):
    """The same of stops and discs, whose W need not be symmetric."""
    count, worst = with_sweeps(P, f, work)
    if worst <= LOOSE:
        return count, SWEEPS
    every_mode(P, f, work)
    steps, worst = newton_again(P, f, work)
    count += steps
    if worst <= LOOSE:
        return count, MODES
    steps, worst = by_softening(P, f, work)
    return count + steps, PATH if worst <= LOOSE else UNSOLVED


def solve_kernel(find):
    """Newton from the warm start, and what is called where that stalls."""

    @kernel
    def solve(P, f, work):
        """The forces of a step, from the warm start f, once `set_scales` knows W and C; work[H] keeps h of the result.

        Iterations, and how they were found; UNSOLVED: not to rounding.
        """
        for j in range(P.m):
            if not abs(f[j]) < math.inf:
                f[j] = 0.0
        count, worst = newton(P, f, work)
        if worst <= ROUNDING:
            return count, NEWTON
        if not worst < math.inf:
            return count, UNSOLVED
        steps, how = find(P, f, work)
        return count + steps, how

    return solve


solve_symmetric, solve_any = solve_kernel(find_symmetric), solve_kernel(find_any)
