"""The forces of all contacts and frictions of one implicit step, from h = Q f + b.

Forces f: contacts first, then frictions; friction i owns components first[i] .. first[i + 1] - 1, so that there are
first[0] contacts, also where there is no friction.

    contact    0 <= f_i  complementary to  h_i >= 0
    friction   f_i = proj(f_i - h_i/q) on the disc of radius r_i(f) = max(0, r_i + L_i f)

How far f is from that is measured by the natural residual N(f) = f - proj(f - h/q), in newtons. Newton's method on
N cycles if nothing holds it, so a step counts only if N falls; where it does not, block Gauss-Seidel sweeps move
the modes on. What is still open is found by trying every mode, or along a path from a softer problem.
"""

import math
from collections import namedtuple

from tegotae.compile import kernel
from tegotae.kernels.linear import eliminate

NEWTON, SWEEPS, MODES, PATH, UNSOLVED = 0, 1, 2, 3, 4  # how the forces were found

Problem = namedtuple("Problem", "first Q b r L q")
Scratch = namedtuple("Scratch", "h N J F_trial F_least F_old modes q0")

TIGHT, LOOSE = 1e-11, 1e-8  # of the largest force: aimed at, and accepted where rounding allows no more
MOST_MODES = 60000
# Attempts: Newton alone, Newton after more and more sweeps, every mode, then a path of softer problems.
BY_MODES, WAYS = 6, 60
SOFTEST, SOFTER = 3.0, 0.75


@kernel
def copy(a, b):
    """a = b, without the checks that make slices slow to compile."""
    for i in range(a.shape[0]):
        a[i] = b[i]


@kernel
def radius(P, i, F):
    """r_i(f): how much friction i can bear with these forces."""
    r = P.r[i]
    for j in range(F.shape[0]):
        r += P.L[i, j] * F[j]
    return max(0.0, r)


@kernel
def slack(P, i, F):
    """h_i."""
    h = P.b[i]
    for j in range(F.shape[0]):
        h += P.Q[i, j] * F[j]
    return h


@kernel
def natural(P, F, h, N):
    """N(f) and h(f); the largest |N_i|."""
    for i in range(F.shape[0]):
        h[i] = slack(P, i, F)
    worst = 0.0
    for i in range(P.first[0]):
        N[i, 0] = F[i] - max(0.0, F[i] - h[i] / P.q[i])
        worst = max(worst, abs(N[i, 0]))
    for i in range(P.r.shape[0]):
        r, z = radius(P, i, F), 0.0
        for k in range(P.first[i], P.first[i + 1]):
            z += (F[k] - h[k] / P.q[k]) ** 2
        z = math.sqrt(z)
        part = 1.0 if z <= r else r / z
        for k in range(P.first[i], P.first[i + 1]):
            N[k, 0] = F[k] - part * (F[k] - h[k] / P.q[k])
            worst = max(worst, abs(N[k, 0]))
    return worst


@kernel
def project(P, F):
    """Onto the set that the forces may be in."""
    for i in range(P.first[0]):
        F[i] = max(0.0, F[i])
    for i in range(P.r.shape[0]):
        r, size = radius(P, i, F), 0.0
        for k in range(P.first[i], P.first[i + 1]):
            size += F[k] ** 2
        size = math.sqrt(size)
        if size > r:
            for k in range(P.first[i], P.first[i + 1]):
                F[k] *= r / size


@kernel
def slope(P, F, h, J):
    """dN/df, one of its limits where N has an edge.  [Alart-Curnier]"""
    m = F.shape[0]
    for i in range(P.first[0]):
        if F[i] - h[i] / P.q[i] > 0.0:
            for j in range(m):
                J[i, j] = P.Q[i, j] / P.q[i]
        else:
            for j in range(m):
                J[i, j] = 1.0 if i == j else 0.0
    for i in range(P.r.shape[0]):
        start, stop = P.first[i], P.first[i + 1]
        r, z = radius(P, i, F), 0.0
        for k in range(start, stop):
            z += (F[k] - h[k] / P.q[k]) ** 2
        z = math.sqrt(z)
        for k in range(start, stop):
            for j in range(m):
                J[k, j] = P.Q[k, j] / P.q[k]
        if z > r:
            slope_sliding(P, F, h, J, i, r, z)


@kernel
def slope_sliding(P, F, h, J, i, r, z):
    """Rows of a friction that slides: N = f - r n, n = z/|z|, dn = (1 - n n')(df - dh/q)/|z|."""
    start, stop = P.first[i], P.first[i + 1]
    for j in range(F.shape[0]):
        along = 0.0  # n . dz_j; J holds dh/q, so dz = unit - J
        for k in range(start, stop):
            unit = 1.0 if k == j else 0.0
            along += (F[k] - h[k] / P.q[k]) / z * (unit - J[k, j])
        for k in range(start, stop):
            n = (F[k] - h[k] / P.q[k]) / z
            unit = 1.0 if k == j else 0.0
            J[k, j] = unit - n * P.L[i, j] - r / z * (unit - J[k, j] - n * along)


@kernel
def size_of(P, F):
    """What a residual is small against: the largest force, and what rounding leaves of a force that was cancelled."""
    size, pressed = 1e-300, 0.0
    for i in range(F.shape[0]):
        size = max(size, abs(F[i]))
        if i < P.first[0]:
            pressed = max(pressed, -P.b[i] / P.q[i])
    return size + 1e-4 * pressed


@kernel
def newton(P, F, S):
    """Newton steps that lower N, at least one; the residual reached. F is only ever improved."""
    m = F.shape[0]
    best = natural(P, F, S.h, S.N)
    for k in range(20):
        if k > 0 and best <= TIGHT * size_of(P, F):
            break
        slope(P, F, S.h, S.J)
        if not eliminate(S.J, S.N):
            break
        part, accepted = 1.0, False
        for i in range(m):
            S.F_old[i] = S.N[i, 0]
        for _ in range(4):
            for i in range(m):
                S.F_trial[i] = F[i] - part * S.F_old[i]
            project(P, S.F_trial)
            now = natural(P, S.F_trial, S.h, S.N)
            if now <= (1.0 - 0.1 * part) * best or now <= TIGHT * size_of(P, S.F_trial):
                accepted = True
                break
            part *= 0.5
        if not accepted:
            best = natural(P, F, S.h, S.N)
            break
        copy(F, S.F_trial)
        best = now
    return best


@kernel
def sweep(P, F):
    """One block Gauss-Seidel sweep: each element answers the others as they are."""
    for i in range(P.first[0]):
        F[i] = max(0.0, F[i] - slack(P, i, F) / P.q[i])
    for i in range(P.r.shape[0]):
        start, stop = P.first[i], P.first[i + 1]
        r = radius(P, i, F)
        for _ in range(1 if stop - start == 1 else 8):
            size = 0.0
            for k in range(start, stop):
                F[k] -= slack(P, k, F) / P.q[k]
                size += F[k] ** 2
            size = math.sqrt(size)
            if size > r:
                for k in range(start, stop):
                    F[k] *= r / size


@kernel
def modes_of(P):
    """How many modes there are to try: open or closed, sticking or sliding either way. 0 if directions are endless."""
    count = 1
    for _ in range(P.first[0]):
        count = min(2 * count, MOST_MODES + 1)
    for i in range(P.r.shape[0]):
        if P.first[i + 1] - P.first[i] > 1:
            return 0
        count = min(3 * count, MOST_MODES + 1)
    return count if count <= MOST_MODES else 0


@kernel
def every_mode(P, F, S):
    """Solve for each mode in turn until the forces fit it; the best met and their residual."""
    m, nc = F.shape[0], P.first[0]
    best = natural(P, F, S.h, S.N)
    for mode in range(modes_of(P)):
        rest = mode
        for i in range(m):
            choices = 2 if i < nc else 3
            S.modes[i] = rest % choices
            rest //= choices
            if S.modes[i] == 0.0:  # closed, or sticking
                for j in range(m):
                    S.J[i, j] = P.Q[i, j] / P.q[i]
                S.N[i, 0] = -P.b[i] / P.q[i]
                continue
            for j in range(m):
                S.J[i, j] = 1.0 if i == j else 0.0
            S.N[i, 0] = 0.0
            if i >= nc:
                way = 3.0 - 2.0 * S.modes[i]  # 1 slides forward, 2 back
                for j in range(m):
                    S.J[i, j] -= way * P.L[i - nc, j]
                S.N[i, 0] = way * P.r[i - nc]
        if not eliminate(S.J, S.N):
            continue
        for i in range(m):
            S.F_trial[i] = S.N[i, 0]
        now = natural(P, S.F_trial, S.h, S.N)
        if now < best:
            best = now
            copy(F, S.F_trial)
            if best <= TIGHT * size_of(P, F):
                break
    return best


@kernel
def soften(P, S, softer):
    """Every element more compliant; by 0 again as it was."""
    for i in range(P.q.shape[0]):
        P.Q[i, i] = S.q0[i] * (1.0 + softer)


@kernel
def solve_elements(P, F, S):
    """The forces, from a guess, and how they were found."""
    for i in range(F.shape[0]):
        S.q0[i] = P.Q[i, i]
    least = math.inf
    for attempt in range(WAYS):
        softer = 0.0
        if attempt == BY_MODES:
            every_mode(P, F, S)
        elif attempt > BY_MODES:
            softer = SOFTEST * SOFTER ** (attempt - BY_MODES - 1) if attempt < WAYS - 1 else 0.0
            soften(P, S, softer)
        if attempt != BY_MODES:
            for _ in range(min(4 * attempt**2, 64)):
                sweep(P, F)
        now = newton(P, F, S)
        if softer > 0.0:
            continue
        if now < least:
            least = now
            copy(S.F_least, F)
        if now <= (TIGHT if attempt < BY_MODES - 1 else LOOSE) * size_of(P, F):
            return NEWTON if attempt == 0 else SWEEPS if attempt < BY_MODES else MODES if attempt == BY_MODES else PATH
    copy(F, S.F_least)
    return UNSOLVED
