"""Rows and blocks of the dual, and its convex part: friction discs whose radii are given.

Once the radii are held the forces minimise ``1/2 f^T A f + b^T f``, A = W + diag C, over half-lines, boxes and discs.
A sweep of Gauss-Seidel always lowers this energy and a Newton step on the present face ends it, so the two by turns
cannot fail; without friction cones this is the whole problem.
"""

import math

from tegotae.compile import kernel
from tegotae.kernels.linear import solve_one, solve_symmetric

CONE, BOX, STOP = 0, 1, 2

# Rows of the scratch array; the matrix of the linear solve comes after them.
WORK_H, WORK_S, RHO, D, G, X, F1, H1, S1, FREE, MODE, RADIUS, HELD, KEPT, LIMIT, MATRIX = range(16)

TINY = 1e-300


@kernel
def multiply(m, W, C, b, f, h, s):
    """h = (W + diag C) f + b, and s = the sum of the magnitudes of its terms, against which rounding is measured."""
    for j in range(m):
        own = C[j] * f[j]
        h[j] = b[j] + own
        s[j] = abs(b[j]) + abs(own)
    for k in range(m):
        fk = f[k]
        if fk != 0.0:
            for j in range(m):  # W is symmetric: its rows serve as columns
                term = W[k, j] * fk
                h[j] += term
                s[j] += abs(term)


@kernel
def project_lines(n_blocks, kind, first, limit, f):
    """Normal forces and stops to f >= 0, joint friction into its box."""
    for k in range(n_blocks):
        i = first[k]
        f[i] = min(max(f[i], -limit[k]), limit[k]) if kind[k] == BOX else max(f[i], 0.0)


@kernel
def radii(n_blocks, kind, first, limit, f, R):
    """mu f_n of every cone."""
    for k in range(n_blocks):
        R[k] = limit[k] * f[first[k]] if kind[k] == CONE else 0.0


@kernel
def project_discs(n_blocks, kind, first, R, f):
    """Tangential forces into the discs of radii R."""
    for k in range(n_blocks):
        if kind[k] == CONE:
            i = first[k]
            size = math.hypot(f[i + 1], f[i + 2])
            if size > R[k]:
                f[i + 1] *= R[k] / size
                f[i + 2] *= R[k] / size


@kernel
def residual(n_blocks, kind, first, limit, R, rho, f, h, s):
    """Natural residual f - proj(f - rho h): its energy, and its worst row relative to what rounding could make."""
    energy, worst = 0.0, 0.0
    for k in range(n_blocks):
        i = first[k]
        y = f[i] - rho[i] * h[i]
        r = f[i] - (min(max(y, -limit[k]), limit[k]) if kind[k] == BOX else max(y, 0.0))
        energy += r * r / rho[i]
        worst = max(worst, abs(r) / (rho[i] * s[i] + TINY))
        if kind[k] == CONE:
            y1, y2 = f[i + 1] - rho[i + 1] * h[i + 1], f[i + 2] - rho[i + 1] * h[i + 2]
            size = math.sqrt(y1 * y1 + y2 * y2)
            shrink = R[k] / size if size > R[k] else 1.0
            r1, r2 = f[i + 1] - shrink * y1, f[i + 2] - shrink * y2
            energy += (r1 * r1 + r2 * r2) / rho[i + 1]
            scale = rho[i + 1] * max(s[i + 1], s[i + 2]) + TINY
            worst = max(worst, math.sqrt(r1 * r1 + r2 * r2) / scale)
    if not energy < math.inf:  # a number that is none must not pass for a solution
        return math.inf, math.inf
    return energy, worst


@kernel
def gather(n, W, C, g, free, whole, A, x):
    """A = the free rows and columns of W + diag C (their upper half, or the whole), x = the free rows of -g."""
    for a in range(n):
        i = int(free[a])
        for c in range(0 if whole else a, n):
            A[a, c] = W[i, int(free[c])]
        A[a, a] += C[i]
        x[a] = -g[i]


@kernel
def solve_gathered(n, whole, A, x):
    """A y = x, y in the place of x; False if A is singular."""
    if whole:
        return solve_one(n, A, x, True) != 0.0
    return solve_symmetric(n, A, x)


@kernel
def disc(a11, a12, a22, g1, g2, r):
    """The x that minimises 1/2 x^T A x + g^T x over |x| <= r, A positive definite."""
    if r <= 0.0:
        return 0.0, 0.0
    determinant = a11 * a22 - a12 * a12
    if determinant > 0.0:
        x1, x2 = (a12 * g2 - a22 * g1) / determinant, (a12 * g1 - a11 * g2) / determinant
        if x1 * x1 + x2 * x2 <= r * r:
            return x1, x2
    # On the rim (A + l) x = -g with l >= 0. In A's own axes |x(l)| is a sum of two terms; Newton on 1/|x(l)|, which is
    # nearly straight, climbs to the root from the left and never passes it.
    mean, half = 0.5 * (a11 + a22), 0.5 * (a11 - a22)
    spread = math.hypot(half, a12)
    angle = 0.5 * math.atan2(a12, half)
    c, s = math.cos(angle), math.sin(angle)
    p, q = c * g1 + s * g2, -s * g1 + c * g2
    big, small = mean + spread, max(mean - spread, 0.0)
    low = max(0.0, math.hypot(p, q) / r - big)
    for _ in range(30):
        x, y = -p / (big + low), -q / (small + low)
        size = math.sqrt(x * x + y * y)
        slope = (x * x / (big + low) + y * y / (small + low)) / (size * size)
        change = (size / r - 1.0) / slope
        low += change
        if not change > 1e-15 * (big + low):
            break
    x, y = -p / (big + low), -q / (small + low)
    shrink = r / math.sqrt(x * x + y * y)
    return shrink * (c * x - s * y), shrink * (s * x + c * y)


@kernel
def row_of_h(m, W, C, b, f, i):
    """One row of h."""
    h = b[i] + C[i] * f[i]
    for j in range(m):
        h += W[i, j] * f[j]
    return h


@kernel
def sweep(m, n_blocks, W, C, b, kind, first, limit, R, f):
    """One pass of block Gauss-Seidel: each force in turn as if the others were known."""
    for k in range(n_blocks):
        i = first[k]
        y = f[i] - row_of_h(m, W, C, b, f, i) / (W[i, i] + C[i])
        f[i] = min(max(y, -limit[k]), limit[k]) if kind[k] == BOX else max(y, 0.0)
        if kind[k] == CONE:
            a11, a12, a22 = W[i + 1, i + 1] + C[i + 1], W[i + 1, i + 2], W[i + 2, i + 2] + C[i + 2]
            g1 = row_of_h(m, W, C, b, f, i + 1) - a11 * f[i + 1] - a12 * f[i + 2]
            g2 = row_of_h(m, W, C, b, f, i + 2) - a12 * f[i + 1] - a22 * f[i + 2]
            f[i + 1], f[i + 2] = disc(a11, a12, a22, g1, g2, R[k])


@kernel
def pull_of(f, h, i, r):
    """How strongly the slip pulls the tangential force of the cone at row i out of its disc."""
    return -(f[i + 1] * h[i + 1] + f[i + 2] * h[i + 2]) / (r * r)


@kernel
def on_rim(f, h, i, r):
    """Whether that force stands on the rim of its disc and presses against it."""
    return math.hypot(f[i + 1], f[i + 2]) >= r * (1.0 - 1e-12) and pull_of(f, h, i, r) > 0.0


@kernel
def face_direction(m, n_blocks, W, C, kind, first, limit, f, work):
    """Newton's step d within the present face: rows that press against their bound stay, discs move along the rim."""
    h, d, rho, free, R, met = work[WORK_H], work[D], work[RHO], work[FREE], work[RADIUS], work[MODE]
    A, x = work[MATRIX:], work[X]
    n = 0
    for j in range(m):
        d[j] = 0.0
    for k in range(n_blocks):
        i = first[k]
        inside = abs(f[i]) < limit[k] or f[i] * h[i] > 0.0 if kind[k] == BOX else f[i] > 0.0 or h[i] < 0.0
        if inside and met[k] == 0.0:
            free[n] = i
            n += 1
        if kind[k] == CONE and R[k] > 0.0:
            free[n], free[n + 1] = i + 1, i + 2
            n += 2
    rims = False
    for k in range(n_blocks):
        rims = rims or (kind[k] == CONE and R[k] > 0.0 and on_rim(f, h, first[k], R[k]))
    gather(n, W, C, h, free, rims, A, x)
    a = 0
    for k in range(n_blocks):
        i = first[k]
        if a < n and free[a] == i:
            a += 1
        if kind[k] == CONE and R[k] > 0.0:
            if on_rim(f, h, i, R[k]):
                size = math.hypot(f[i + 1], f[i + 2])
                rim_rows(a, n, f[i + 1] / size, f[i + 2] / size, pull_of(f, h, i, R[k]), rho[i + 1], A, x)
            a += 2
    if not solve_gathered(n, rims, A, x):
        return False
    for a in range(n):
        d[int(free[a])] = x[a]
    return True


@kernel
def rim_rows(a, n, u1, u2, pull, rho, A, x):
    """Rows a, a + 1 become: h + pull f vanishes across u, and f_t does not change along u."""
    for c in range(n):
        A[a, c], A[a + 1, c] = -u2 * A[a, c] + u1 * A[a + 1, c], 0.0
    x[a], x[a + 1] = -u2 * x[a] + u1 * x[a + 1], 0.0
    A[a, a] -= u2 * pull
    A[a, a + 1] += u1 * pull
    A[a + 1, a], A[a + 1, a + 1] = u1 / rho, u2 / rho


@kernel
def energy_of(m, b, f, h):
    """1/2 f^T A f + b^T f."""
    q = 0.0
    for j in range(m):
        q += 0.5 * f[j] * (h[j] + b[j])
    return q


@kernel
def first_bound(n_blocks, kind, first, limit, f, d):
    """How far along d (1 at most) until a row meets its bound, the block of that row (-1 for none), and the bound."""
    length, block, bound = 1.0, -1, 0.0
    for k in range(n_blocks):
        i = first[k]
        if d[i] < 0.0 or (d[i] > 0.0 and kind[k] == BOX):
            end = math.copysign(limit[k], d[i]) if kind[k] == BOX else 0.0
            if f[i] + length * d[i] < end if d[i] < 0.0 else f[i] + length * d[i] > end:
                length, block, bound = max((end - f[i]) / d[i], 0.0), k, end
    return length, block, bound


@kernel
def cross_face(m, n_blocks, W, C, b, kind, first, limit, f, work):
    """Newton steps straight to the nearest bound, which is then kept, until one ends inside; each lowers the energy."""
    h, s, d, R, met = work[WORK_H], work[WORK_S], work[D], work[RADIUS], work[MODE]
    f1, h1, s1 = work[F1], work[H1], work[S1]
    for k in range(n_blocks):
        met[k] = 0.0
    for _ in range(n_blocks + 1):
        if not face_direction(m, n_blocks, W, C, kind, first, limit, f, work):
            return
        q = energy_of(m, b, f, h)
        length, block, bound = first_bound(n_blocks, kind, first, limit, f, d)
        shortest = length if length == 0.0 else 2.0**-12 * length
        while True:  # only the rims are curved: without them the first length will do
            for j in range(m):
                f1[j] = f[j] + length * d[j]
            if block >= 0:
                f1[first[block]] = bound
            project_lines(n_blocks, kind, first, limit, f1)
            project_discs(n_blocks, kind, first, R, f1)
            multiply(m, W, C, b, f1, h1, s1)
            if length == 0.0 or energy_of(m, b, f1, h1) < q:
                break
            length, block = 0.5 * length, -1
            if length < shortest:
                return
        for j in range(m):
            f[j], h[j], s[j] = f1[j], h1[j], s1[j]
        if block < 0:
            return
        met[block] = 1.0


@kernel
def descend(m, n_blocks, W, C, b, kind, first, limit, f, work, enough, most):
    """Lower the energy over the discs of radii work[RADIUS] until the residual is small enough; the rounds it took."""
    h, s, rho, R = work[WORK_H], work[WORK_S], work[RHO], work[RADIUS]
    for count in range(most):
        sweep(m, n_blocks, W, C, b, kind, first, limit, R, f)
        multiply(m, W, C, b, f, h, s)
        _, worst = residual(n_blocks, kind, first, limit, R, rho, f, h, s)
        if worst <= enough:
            return count + 1
        cross_face(m, n_blocks, W, C, b, kind, first, limit, f, work)
    return most
