"""Elements that push or rub, in blocks of rows of h = (W + diag C) f + b, and how far forces are from their laws.

- cone, rows [n, t1, t2]: 0 <= f_n, h_n >= 0, f_n h_n = 0 and f_t = proj_{|.| <= mu f_n}(f_t - rho h_t);
- box, one row: f = proj_{|.| <= F}(f - rho h);
- stop, one row: 0 <= f, h >= 0, f h = 0;
- disc, any number of rows: f = proj_{|.| <= R}(f - rho h), R = max(0, r + L f).
"""

import math
from collections import namedtuple

from tegotae.compile import kernel, kernel_inside, kernel_rare
from tegotae.kernels.stick_slip import limited

CONE, BOX, STOP, DISC = 0, 1, 2, 3

# The first m rows and `blocks` blocks are read. Block k starts at row first[k]; a disc ends before first[k + 1], and
# row k of L is read for it alone. limit: mu, F or r. Where W is symmetric there are no discs.
Problem = namedtuple("Problem", "m blocks symmetric W C b kind first limit L")

# Rows of the workspace; the matrix of the linear solve comes after them.
H, S, RHO, Q, D, CHANGE, X, F1, H1, S1, FREE, MODE, RADIUS, SIZE, GROWN, U, HELD, KEPT, LIMIT, MATRIX = range(20)

TINY = 1e-300


@kernel
def work_rows(M):
    """Rows of the workspace of a problem of at most M rows; it has M columns, and at least as many as blocks."""
    return M + MATRIX


@kernel
def set_scales(P, work):
    """What turns h into a force: rho = 1/q, q the diagonal, one number for a disc, for it is round."""
    rho, q = work[RHO], work[Q]
    for j in range(P.m):
        q[j] = abs(P.W[j, j] + P.C[j]) + TINY  # > 0 also where a friction drives
    for k in range(P.blocks):
        i = P.first[k]
        if P.kind[k] == CONE:
            q[i + 1] = q[i + 2] = 0.5 * (q[i + 1] + q[i + 2])
        elif P.kind[k] == DISC:
            for j in range(i, P.first[k + 1]):
                q[i] = max(q[i], q[j])
            for j in range(i, P.first[k + 1]):
                q[j] = q[i]
    for j in range(P.m):
        rho[j] = 1.0 / q[j]


@kernel_inside
def multiply(P, f, h, s):
    """h = (W + diag C) f + b, and s = the sum of the magnitudes of its terms, against which rounding is measured."""
    m, W = P.m, P.W  # names of its own, or the compiler reads them anew for every number that it writes
    for j in range(m):
        diagonal = P.C[j] * f[j]
        total, size = P.b[j] + diagonal, abs(P.b[j]) + abs(diagonal)
        if not P.symmetric:
            for k in range(m):
                term = W[j, k] * f[k]
                total += term
                size += abs(term)
        h[j], s[j] = total, size
    if P.symmetric:
        for k in range(m):
            fk = f[k]
            if fk != 0.0:
                for j in range(m):  # rows serve as columns
                    term = W[k, j] * fk
                    h[j] += term
                    s[j] += abs(term)


@kernel
def row_of_h(P, f, i):
    """One row of h."""
    h = P.b[i] + P.C[i] * f[i]
    for j in range(P.m):
        h += P.W[i, j] * f[j]
    return h


@kernel
def radius_of_disc(P, k, f):
    """max(0, r + L f), and the sum of the magnitudes of its terms."""
    r = P.limit[k]
    size = abs(r)
    for j in range(P.m):
        term = P.L[k, j] * f[j]
        r += term
        size += abs(term)
    return max(0.0, r), size


@kernel
def radius(P, k, f):
    """How much the friction of block k can bear with these forces."""
    if P.kind[k] == CONE:
        return P.limit[k] * f[P.first[k]]
    return radius_of_disc(P, k, f)[0] if P.kind[k] == DISC else P.limit[k]


@kernel
def radii(P, f, R):
    """Those of all blocks."""
    for k in range(P.blocks):
        R[k] = radius(P, k, f)


@kernel
def project_lines(P, f):
    """Normal forces and stops to f >= 0, boxes into their limits."""
    for k in range(P.blocks):
        i = P.first[k]
        if P.kind[k] == BOX:
            f[i] = limited(f[i], P.limit[k])
        elif P.kind[k] != DISC:
            f[i] = max(f[i], 0.0)


@kernel
def project_discs(P, R, f):
    """Tangential forces into the discs of radii R."""
    for k in range(P.blocks):
        i = P.first[k]
        if P.kind[k] == CONE:
            size = math.hypot(f[i + 1], f[i + 2])
            if size > R[k]:
                f[i + 1] *= R[k] / size
                f[i + 2] *= R[k] / size
        elif P.kind[k] == DISC:
            into_disc(f, i, P.first[k + 1], R[k])


@kernel
def into_disc(f, start, stop, R):
    """Rows start to stop - 1 of f into a disc, or a ball."""
    if stop - start == 1:
        f[start] = limited(f[start], R)
        return
    size = 0.0
    for j in range(start, stop):
        size += f[j] * f[j]
    size = math.sqrt(size)
    if size > R:
        for j in range(start, stop):
            f[j] *= R / size


@kernel
def pull(f, h, start, stop, rho):
    """|f - rho h|^2 over some rows: how large the force would be if nothing bounded it."""
    size = 0.0
    for j in range(start, stop):
        y = f[j] - rho * h[j]
        size += y * y
    return size


@kernel
def disc_residual(f, h, s, start, stop, rho, R):
    """|f - proj(f - rho h)|^2 of a disc, and the largest rounding scale of its rows."""
    size, largest, total = pull(f, h, start, stop, rho), 0.0, 0.0
    shrink = R / math.sqrt(size) if size > R * R else 1.0
    for j in range(start, stop):
        r = f[j] - shrink * (f[j] - rho * h[j])
        total += r * r
        largest = max(largest, s[j])
    return total, rho * largest + TINY


@kernel
def worse(worst, r, scale):
    """The larger of the worst ratio so far and r/scale."""
    return r / scale if r > worst * scale else worst


@kernel_inside
def residual(P, R, work, f, h, s):
    """Natural residual f - proj(f - rho h): its energy, and its worst row relative to what rounding could make."""
    rho, q = work[RHO], work[Q]
    energy, worst = 0.0, 0.0
    for k in range(P.blocks):
        i = P.first[k]
        if P.kind[k] == DISC and P.first[k + 1] - i > 1:
            more, scale = disc_residual(f, h, s, i, P.first[k + 1], rho[i], R[k])
            energy += more * q[i]
            worst = worse(worst, math.sqrt(more), scale + work[SIZE, k])
            continue
        y, scale = f[i] - rho[i] * h[i], rho[i] * s[i] + TINY
        if P.kind[k] == DISC:
            r = f[i] - limited(y, R[k])
            scale += work[SIZE, k]
        else:
            r = f[i] - (limited(y, P.limit[k]) if P.kind[k] == BOX else max(y, 0.0))
        energy += r * r * q[i]
        worst = worse(worst, abs(r), scale)
        if P.kind[k] == CONE:
            more, scale = disc_residual(f, h, s, i + 1, i + 3, rho[i + 1], R[k])
            energy += more * q[i + 1]
            worst = worse(worst, math.sqrt(more), scale)
    if not energy < math.inf:  # a number that is none must not pass for a solution
        return math.inf, math.inf
    return energy, worst


@kernel_inside
def evaluate(P, work, f, h, s):
    """Forces into what they may be, h and s of those; then energy and worst row of their residual."""
    R = work[RADIUS]
    project_lines(P, f)
    radii(P, f, R)
    project_discs(P, R, f)
    for k in range(P.blocks):
        if P.kind[k] == DISC:  # its radius may grow with forces of other discs
            R[k], work[SIZE, k] = radius_of_disc(P, k, f)
    multiply(P, f, h, s)
    return residual(P, R, work, f, h, s)


@kernel_rare
def evaluate_again(P, work, f, h, s):
    """`evaluate`, for all who call it but rarely: one copy that they share."""
    return evaluate(P, work, f, h, s)
