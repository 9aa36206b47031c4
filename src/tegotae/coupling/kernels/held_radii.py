"""The convex part of a complementarity problem: friction discs whose radii are held.

Once the radii are held and W is symmetric, the forces minimise ``1/2 f^T A f + b^T f``, A = W + diag C, over
half-lines, boxes and discs. A sweep of Gauss-Seidel always lowers this energy and a Newton step on the present face
ends it, so the two by turns cannot fail; without friction cones this is the whole problem. Where W is not symmetric,
nothing is minimised, and sweeps are all there is.
"""

import math

from tegotae.compile import kernel
from tegotae.coupling.kernels import natural_residual as row
from tegotae.coupling.kernels.natural_residual import (
    BOX,
    CONE,
    DISC,
    into_disc,
    multiply,
    project_discs,
    project_lines,
    radius_of_disc,
    residual,
    row_of_h,
)
from tegotae.kernels.linear import solve_one, solve_symmetric
from tegotae.kernels.stick_slip import limited

DISC_TURNS = 8  # within a sweep, of a disc of several rows


@kernel
def gather(P, n, free, whole, A):
    """A = the free rows and columns of W + diag C: their upper half, or the whole."""
    W = P.W
    if n == P.m:  # all of them
        for a in range(n):
            for c in range(0 if whole else a, n):
                A[a, c] = W[a, c]
            A[a, a] += P.C[a]
        return
    for a in range(n):
        i = int(free[a])
        for c in range(0 if whole else a, n):
            A[a, c] = W[i, int(free[c])]
        A[a, a] += P.C[i]


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
def sweep(P, R, rho, f):
    """One pass of block Gauss-Seidel: each force in turn as if the others were known."""
    for k in range(P.blocks):
        i = P.first[k]
        if P.kind[k] == DISC:
            stop = P.first[k + 1]
            for _ in range(1 if stop - i == 1 else DISC_TURNS):
                for j in range(i, stop):
                    f[j] -= rho[j] * row_of_h(P, f, j)
                into_disc(f, i, stop, R[k])
            continue
        y = f[i] - rho[i] * row_of_h(P, f, i)
        f[i] = limited(y, P.limit[k]) if P.kind[k] == BOX else max(y, 0.0)
        if P.kind[k] == CONE:
            a11, a12, a22 = P.W[i + 1, i + 1] + P.C[i + 1], P.W[i + 1, i + 2], P.W[i + 2, i + 2] + P.C[i + 2]
            g1 = row_of_h(P, f, i + 1) - a11 * f[i + 1] - a12 * f[i + 2]
            g2 = row_of_h(P, f, i + 2) - a12 * f[i + 1] - a22 * f[i + 2]
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
def face_direction(P, f, work):
    """Newton's step d within the present face: rows that press against their bound stay, discs move along the rim."""
    h, d, rho, free, R, met = work[row.H], work[row.D], work[row.RHO], work[row.FREE], work[row.RADIUS], work[row.MODE]
    A, x = work[row.MATRIX :], work[row.X]
    n, rims = 0, False
    for j in range(P.m):
        d[j] = 0.0
    for k in range(P.blocks):
        i = P.first[k]
        inside = abs(f[i]) < P.limit[k] or f[i] * h[i] > 0.0 if P.kind[k] == BOX else f[i] > 0.0 or h[i] < 0.0
        if inside and met[k] == 0.0:
            free[n] = i
            n += 1
        if P.kind[k] == CONE and R[k] > 0.0:
            free[n], free[n + 1] = i + 1, i + 2
            n += 2
            rims = rims or on_rim(f, h, i, R[k])
    gather(P, n, free, rims, A)
    for a in range(n):
        x[a] = -h[int(free[a])]
    a = 0
    for k in range(P.blocks):
        i = P.first[k]
        if a < n and free[a] == i:
            a += 1
        if P.kind[k] == CONE and R[k] > 0.0:
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
def energy_of(P, f, h):
    """1/2 f^T A f + b^T f."""
    q = 0.0
    for j in range(P.m):
        q += 0.5 * f[j] * (h[j] + P.b[j])
    return q


@kernel
def first_bound(P, f, d):
    """How far along d (1 at most) until a row meets its bound, the block of that row (-1 for none), and the bound."""
    length, block, bound = 1.0, -1, 0.0
    for k in range(P.blocks):
        i = P.first[k]
        if d[i] < 0.0 or (d[i] > 0.0 and P.kind[k] == BOX):
            end = math.copysign(P.limit[k], d[i]) if P.kind[k] == BOX else 0.0
            if f[i] + length * d[i] < end if d[i] < 0.0 else f[i] + length * d[i] > end:
                length, block, bound = max((end - f[i]) / d[i], 0.0), k, end
    return length, block, bound


@kernel
def cross_face(P, f, work):
    """Newton steps straight to the nearest bound, which is then kept, until one ends inside; each lowers the energy."""
    h, s, d, R, met = work[row.H], work[row.S], work[row.D], work[row.RADIUS], work[row.MODE]
    f1, h1, s1 = work[row.F1], work[row.H1], work[row.S1]
    for k in range(P.blocks):
        met[k] = 0.0
    for _ in range(P.blocks + 1):
        if not face_direction(P, f, work):
            return
        q = energy_of(P, f, h)
        length, block, bound = first_bound(P, f, d)
        shortest = length if length == 0.0 else 2.0**-12 * length
        while True:  # only the rims are curved: without them the first length will do
            for j in range(P.m):
                f1[j] = f[j] + length * d[j]
            if block >= 0:
                f1[P.first[block]] = bound
            project_lines(P, f1)
            project_discs(P, R, f1)
            multiply(P, f1, h1, s1)
            if length == 0.0 or energy_of(P, f1, h1) < q:
                break
            length, block = 0.5 * length, -1
            if length < shortest:
                return
        for j in range(P.m):
            f[j], h[j], s[j] = f1[j], h1[j], s1[j]
        if block < 0:
            return
        met[block] = 1.0


def descend_kernel(cross):
    """Sweeps until the residual over the discs of radii work[RADIUS] is small enough, faces crossed between them.

    `cross` takes a step that a sweep would be slow to find, or none.
    """

    @kernel
    def descend(P, f, work, enough, most):
        """The rounds it took."""
        h, s, rho, R = work[row.H], work[row.S], work[row.RHO], work[row.RADIUS]
        for count in range(most):
            sweep(P, R, rho, f)
            multiply(P, f, h, s)
            for k in range(P.blocks):
                if P.kind[k] == DISC:
                    work[row.SIZE, k] = radius_of_disc(P, k, f)[1]
            _, worst = residual(P, R, work, f, h, s)
            if worst <= enough:
                return count + 1
            cross(P, f, work)
        return most

    return descend


@kernel
def stay(P, f, work):
    """No step between sweeps: without an energy nothing tells a good one."""
    return


by_faces, by_sweeps = descend_kernel(cross_face), descend_kernel(stay)
