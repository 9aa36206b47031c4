"""Forces of one step: contacts with friction cones, joints with dry friction and stops, in one dense dual.

``h = (W + diag C) f + b`` with W = T J M^-1 J^T, C the compliances > 0, b = J v_free - w*. Rows come in blocks:

- cone, rows [n, t1, t2]: 0 <= f_n, h_n >= 0, f_n h_n = 0 and f_t = proj_{|.| <= mu f_n}(f_t - rho h_t);
- box, one row: f = proj_{|.| <= F}(f - rho h);
- stop, one row: 0 <= f, h >= 0, f h = 0.

A Newton step on these equations (Alart-Curnier) is exact as soon as every contact and joint keeps its mode, so a warm
start costs one linear solve. Where modes change, steps are shortened until the natural residual falls. Where that
stalls, the radii mu f_n are held for a while and the convex problem that remains is solved; as a last resort friction
is brought in little by little, from none.
"""

import math

from tegotae.compile import kernel
from tegotae.multibody.kernels.dual_convex import (
    BOX,
    CONE,
    F1,
    FREE,
    H1,
    HELD,
    KEPT,
    LIMIT,
    MATRIX,
    MODE,
    RADIUS,
    RHO,
    S1,
    WORK_H,
    WORK_S,
    D,
    G,
    X,
    descend,
    gather,
    multiply,
    project_discs,
    project_lines,
    radii,
    residual,
    solve_gathered,
)

CONVERGED, FAILED = 0, 1
OUT, HOLD, SLIP = 0.0, 1.0, 2.0

TOLERANCE = 4e-15  # of the sum of the magnitudes that make up h: about what rounding leaves of it
ROUNDING = 1e-12  # what is accepted where no step falls any further
NEWTON_STEPS, SHORTEST_STEP = 40, 2.0**-12
ROUNDS, ROUNDS_UNDAMPED = 40, 4
CONVEX_STEPS, CONVEX_ENOUGH = 40, 1e-10
GRIPS = 10
SCALES = (1.0, 0.125, 8.0, 1.0 / 64.0)  # of rho: Newton takes other ways; powers of 2 are undone exactly


@kernel
def work_rows(M):
    """Rows of the scratch array of a problem of at most M rows; it has M columns."""
    return M + MATRIX


@kernel
def choose_modes(n_blocks, kind, first, limit, rho, f, h, mode, d):
    """The mode of each block at f - rho h; rows whose force is then known get their change in d."""
    for k in range(n_blocks):
        i = first[k]
        y = f[i] - rho[i] * h[i]
        d[i] = 0.0
        if kind[k] == BOX:
            mode[k] = HOLD
            if abs(y) >= limit[k]:
                mode[k] = OUT
                d[i] = math.copysign(limit[k], y) - f[i]
            continue
        mode[k] = HOLD if y > 0.0 else OUT
        if mode[k] == OUT:
            d[i] = -f[i]
        if kind[k] == CONE:
            if mode[k] == OUT or limit[k] == 0.0:  # without friction the tangential forces are known
                d[i + 1], d[i + 2] = -f[i + 1], -f[i + 2]
            else:
                d[i + 1], d[i + 2] = 0.0, 0.0
                if math.hypot(f[i + 1] - rho[i + 1] * h[i + 1], f[i + 2] - rho[i + 1] * h[i + 2]) > limit[k] * y:
                    mode[k] = SLIP


@kernel
def newton_direction(m, n_blocks, W, C, kind, first, limit, f, work):
    """The step d that solves the equations of the present modes; False if they have no solution."""
    h, d, g, rho, free, mode = work[WORK_H], work[D], work[G], work[RHO], work[FREE], work[MODE]
    A, x = work[MATRIX:], work[X]
    choose_modes(n_blocks, kind, first, limit, rho, f, h, mode, d)
    for j in range(m):
        g[j] = h[j]
    for k in range(m):
        if d[k] != 0.0:
            for j in range(m):
                g[j] += W[k, j] * d[k]
    n, slips = 0, False
    for k in range(n_blocks):
        slips = slips or mode[k] == SLIP
        if mode[k] != OUT:
            for j in range(3 if kind[k] == CONE and limit[k] > 0.0 else 1):
                free[n] = first[k] + j
                n += 1
    gather(n, W, C, g, free, slips, A, x)
    a = 0
    for k in range(n_blocks):
        if mode[k] == SLIP:
            slip_rows(a + 1, n, first[k], limit[k], f, h, g, rho, A, x)
        if mode[k] != OUT:
            a += 3 if kind[k] == CONE and limit[k] > 0.0 else 1
    if not solve_gathered(n, slips, A, x):
        return False
    for a in range(n):
        d[int(free[a])] = x[a]
    return True


@kernel
def slip_rows(a, n, i, mu, f, h, g, rho, A, x):
    """Rows a, a + 1 become f_t = mu f_n y_t/|y_t|, y_t = f_t - rho h_t, linearised and divided by rho."""
    r = rho[i + 1]
    y1, y2 = f[i + 1] - r * h[i + 1], f[i + 2] - r * h[i + 2]
    size = math.hypot(y1, y2)
    u1, u2 = y1 / size, y2 / size
    turn = mu * (f[i] - rho[i] * h[i]) / size  # in (0, 1): how far a change of y_t turns the force
    # Only the part of a change of y_t across u matters, -u2 x1 + u1 x2; it acts along (-u2, u1).
    for c in range(n):
        across = turn * (-u2 * A[a, c] + u1 * A[a + 1, c])
        A[a, c], A[a + 1, c] = -u2 * across, u1 * across
    A[a, a - 1] -= mu * u1 / r
    A[a + 1, a - 1] -= mu * u2 / r
    A[a, a] += (1.0 - turn * u2 * u2) / r
    A[a, a + 1] += turn * u1 * u2 / r
    A[a + 1, a] += turn * u1 * u2 / r
    A[a + 1, a + 1] += (1.0 - turn * u1 * u1) / r
    across = turn * (-u2 * (g[i + 1] - h[i + 1]) + u1 * (g[i + 2] - h[i + 2]))
    x[a] = (mu * f[i] * u1 - f[i + 1]) / r + u2 * across
    x[a + 1] = (mu * f[i] * u2 - f[i + 2]) / r - u1 * across


@kernel
def project(n_blocks, kind, first, limit, R, f):
    """Forces into their boxes, half-lines and cones; R becomes the cones' radii."""
    project_lines(n_blocks, kind, first, limit, f)
    radii(n_blocks, kind, first, limit, f, R)
    project_discs(n_blocks, kind, first, R, f)


@kernel
def newton(m, n_blocks, W, C, b, kind, first, limit, f, work):
    """Newton steps from f, at least one, each as long as makes the residual fall. Steps done, worst residual left."""
    h, s, d, rho, R = work[WORK_H], work[WORK_S], work[D], work[RHO], work[RADIUS]
    f1, h1, s1 = work[F1], work[H1], work[S1]
    project(n_blocks, kind, first, limit, R, f)
    multiply(m, W, C, b, f, h, s)
    energy, worst = residual(n_blocks, kind, first, limit, R, rho, f, h, s)
    for count in range(1, NEWTON_STEPS + 1):
        if not newton_direction(m, n_blocks, W, C, kind, first, limit, f, work):
            return count, worst
        length = 1.0
        while True:
            for j in range(m):
                f1[j] = f[j] + length * d[j]
            project(n_blocks, kind, first, limit, R, f1)
            multiply(m, W, C, b, f1, h1, s1)
            energy1, worst1 = residual(n_blocks, kind, first, limit, R, rho, f1, h1, s1)
            if energy1 < energy or worst1 <= TOLERANCE:
                break
            length *= 0.5
            if worst <= ROUNDING or length < SHORTEST_STEP:
                return count, worst
        for j in range(m):
            f[j], h[j], s[j] = f1[j], h1[j], s1[j]
        energy, worst = energy1, worst1
        if worst <= TOLERANCE:
            return count, worst
    return NEWTON_STEPS, worst


@kernel
def newton_scaled(m, n_blocks, W, C, b, kind, first, limit, f, work, scale):
    """Newton with every rho times a scale, and once more without where that succeeded."""
    rho = work[RHO]
    for j in range(m):
        rho[j] *= scale
    count, worst = newton(m, n_blocks, W, C, b, kind, first, limit, f, work)
    for j in range(m):
        rho[j] /= scale
    if worst <= ROUNDING and scale != 1.0:
        steps, worst = newton(m, n_blocks, W, C, b, kind, first, limit, f, work)
        count += steps
    return count, worst


@kernel
def attempt(m, n_blocks, W, C, b, kind, first, limit, f, work):
    """Newton; where it stalls, convex problems with held radii and Newton by turns. Iterations, worst residual."""
    held, kept, R = work[HELD], work[KEPT], work[RADIUS]
    count, worst = newton(m, n_blocks, W, C, b, kind, first, limit, f, work)
    if worst <= ROUNDING or not worst < math.inf:
        return count, worst
    for k in range(n_blocks):
        held[k] = 0.0
    for j in range(m):
        kept[j] = f[j]
    for turn in range(ROUNDS):
        radii(n_blocks, kind, first, limit, kept, R)
        for k in range(n_blocks):
            if turn >= ROUNDS_UNDAMPED:  # followed in full the radii may swing for ever
                R[k] = 0.5 * (R[k] + held[k])
            held[k] = R[k]
        count += descend(m, n_blocks, W, C, b, kind, first, limit, kept, work, CONVEX_ENOUGH, CONVEX_STEPS)
        for j in range(m):
            f[j] = kept[j]
        scale = SCALES[turn % len(SCALES)]
        steps, worst = newton_scaled(m, n_blocks, W, C, b, kind, first, limit, f, work, scale)
        count += steps
        if worst <= ROUNDING:
            break
    return count, worst


@kernel
def solve_dual(m, n_blocks, W, C, b, kind, first, limit, f, work):
    """Forces f of one step, from the warm start f. Iterations, and 0 if they hold to rounding or 1 if they do not.

    Only the first m rows and n_blocks blocks are read; h of the result is left in work[WORK_H].
    """
    rho, L = work[RHO], work[LIMIT]
    for j in range(m):
        rho[j] = 1.0 / (W[j, j] + C[j])
        if not abs(f[j]) < math.inf:
            f[j] = 0.0
    for k in range(n_blocks):
        if kind[k] == CONE:  # one number for both tangents: the disc is round
            i = first[k]
            rho[i + 1] = 2.0 / (W[i + 1, i + 1] + C[i + 1] + W[i + 2, i + 2] + C[i + 2])
            rho[i + 2] = rho[i + 1]
    count, worst = attempt(m, n_blocks, W, C, b, kind, first, limit, f, work)
    if worst <= ROUNDING:
        return count, CONVERGED
    if not worst < math.inf:
        return count, FAILED
    for j in range(m):
        f[j] = 0.0
    for grip in range(GRIPS + 1):
        for k in range(n_blocks):
            L[k] = limit[k] * grip / GRIPS if kind[k] == CONE else limit[k]
        steps, worst = attempt(m, n_blocks, W, C, b, kind, first, L, f, work)
        count += steps
    return count, CONVERGED if worst <= ROUNDING else FAILED
