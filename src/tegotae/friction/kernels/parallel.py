"""N friction elements that see the same velocity; their forces add.  [kikuuwe2005, section 4]

The plain composite (Coulomb, no mass, no lag, one dimension): p = [N, sum of K, K (N), B (N), F (N)] and
s = [f, mean, e (N)]; the even one, all with the same stiffness and damping: p = [N, K, B, F (N)].
The general one: p = [N, sum of K, where each element starts (N + 1), then for each element [K, B, M, tau, law...]],
s = [f (n), mean (n), scratch (n + n n), then for each element its own state of 4 n + 1 numbers].
`mean` is the deflection averaged with the stiffnesses as weights.
"""

from functools import cache

from tegotae.compile import kernel, kernel_sums, kernel_sums_long
from tegotae.friction.kernels.element import impedance_kernels, impedance_kernels_vector

# ---------------------------------------------------------------- Coulomb, no mass, no lag, one dimension


@kernel_sums
def plain_answer(p, s, v, T):
    """Force and slope for a trial velocity; changes nothing."""
    N = int(p[0])
    K, B, F, e = p[2 : 2 + N], p[2 + N : 2 + 2 * N], p[2 + 2 * N : 2 + 3 * N], s[2 : 2 + N]
    force, slope = 0.0, 0.0
    for i in range(N):
        ic = K[i] * T + B[i]
        stuck = K[i] * e[i] - ic * v
        force += min(max(stuck, -F[i]), F[i])
        slope -= ic if abs(stuck) <= F[i] else 0.0
    return force, slope


@kernel_sums_long
def plain_advance(p, s, v, T):
    """Commit: one pass over the elements, without branches, so that several are worked on at a time."""
    N = int(p[0])
    K, B, F, e = p[2 : 2 + N], p[2 + N : 2 + 2 * N], p[2 + 2 * N : 2 + 3 * N], s[2 : 2 + N]
    x, rate = T * v, 1.0 / T
    force, moment = 0.0, 0.0
    for i in range(N):
        k, limit, e0 = K[i], F[i], e[i]  # read once: for all that is known here, e could lie over K
        a = k + B[i] * rate
        push = a * x - k * e0  # minus the force as if stuck
        f = min(max(push, -limit), limit)
        e1 = (e0 - x) + (push - f) / a  # push - f is exactly 0 while it sticks
        e[i] = e1
        force -= f
        moment += k * e1
    s[0] = force
    s[1] = moment / p[1]


def plain_kernels():
    """The plain composite by its elements."""
    return plain_answer, plain_advance


@kernel_sums
def even_answer(p, s, v, T):
    """`plain_answer` with one K and B for all."""
    N, K, B = int(p[0]), p[1], p[2]
    F, e = p[3 : 3 + N], s[2 : 2 + N]
    ic = K * T + B
    force, slope = 0.0, 0.0
    for i in range(N):
        stuck = K * e[i] - ic * v
        force += min(max(stuck, -F[i]), F[i])
        slope -= ic if abs(stuck) <= F[i] else 0.0
    return force, slope


@kernel_sums
def even_advance(p, s, v, T):
    """`plain_advance` with one K and B for all: less to fetch, and the division is done once."""
    N, K, B = int(p[0]), p[1], p[2]
    F, e = p[3 : 3 + N], s[2 : 2 + N]
    ic = K * T + B
    c = 1.0 / ic
    force, mean = 0.0, 0.0
    for i in range(N):
        limit, e0 = F[i], e[i]
        push = ic * v - K * e0
        f = min(max(push, -limit), limit)
        e1 = e0 + T * ((push - f) * c - v)
        e[i] = e1
        force -= f
        mean += e1
    s[0] = force
    s[1] = mean / N


def even_kernels():
    """The even composite by its elements."""
    return even_answer, even_advance


# ---------------------------------------------------------------- any law, mass and lag


@cache
def parallel_kernels(magnitude, resolve):
    """The general composite in one dimension."""
    element_answer, element_advance, _ = impedance_kernels(magnitude, resolve)

    @kernel
    def parallel_answer(p, s, v, T):
        """Force and slope for a trial velocity; changes nothing."""
        N = int(p[0])
        force, slope = 0.0, 0.0
        for i in range(N):
            f, d = element_answer(p[int(p[2 + i]) : int(p[3 + i])], s[4 + 5 * i : 9 + 5 * i], v, T)
            force += f
            slope += d
        return force, slope

    @kernel
    def parallel_advance(p, s, v, T):
        """Commit the velocity that really happened."""
        N = int(p[0])
        force, moment = 0.0, 0.0
        for i in range(N):
            own = s[4 + 5 * i : 9 + 5 * i]
            element_advance(p[int(p[2 + i]) : int(p[3 + i])], own, v, T)
            moment += p[int(p[2 + i])] * own[0]
            force += own[2]
        s[0] = force
        s[1] = moment / p[1]

    return parallel_answer, parallel_advance


@cache
def parallel_kernels_vector(magnitude, resolve):
    """The general composite in any dimension."""
    element_answer, element_advance = impedance_kernels_vector(magnitude, resolve)

    @kernel
    def parallel_answer_vector(p, s, v, T, force, slope):
        """Fills force (n) and slope (n, n); the state's scratch part is all that it writes to."""
        N, n = int(p[0]), v.shape[0]
        f = s[2 * n : 3 * n]
        d = s[3 * n : 3 * n + n * n].reshape((n, n))
        first, each = 3 * n + n * n, 4 * n + 1
        force[:] = 0.0
        slope[:] = 0.0
        for i in range(N):
            own = s[first + i * each : first + (i + 1) * each]
            element_answer(p[int(p[2 + i]) : int(p[3 + i])], own, v, T, f, d)
            for a in range(n):
                force[a] += f[a]
                for b in range(n):
                    slope[a, b] += d[a, b]

    @kernel
    def parallel_advance_vector(p, s, v, T):
        """Commit the velocity that really happened."""
        N, n = int(p[0]), v.shape[0]
        first, each = 3 * n + n * n, 4 * n + 1
        s[: 2 * n] = 0.0
        for i in range(N):
            own = s[first + i * each : first + (i + 1) * each]
            element_advance(p[int(p[2 + i]) : int(p[3 + i])], own, v, T)
            for a in range(n):
                s[a] += own[2 * n + a]
                s[n + a] += p[int(p[2 + i])] * own[a] / p[1]

    return parallel_answer_vector, parallel_advance_vector


# ---------------------------------------------------------------- elements with different kinds of laws


@cache
def either(kind, magnitude, resolve, other_magnitude, other_resolve):
    """A law whose first parameter says its kind: this one, or one of the others."""

    @kernel
    def either_magnitude(p, j, s):
        if p[j] == kind:
            return magnitude(p, j + 1, s)
        return other_magnitude(p, j, s)

    @kernel
    def either_resolve(p, j, c, U):
        if p[j] == kind:
            return resolve(p, j + 1, c, U)
        return other_resolve(p, j, c, U)

    return either_magnitude, either_resolve


@cache
def numbered(magnitude, resolve):
    """A law that skips the number of its kind."""

    @kernel
    def numbered_magnitude(p, j, s):
        return magnitude(p, j + 1, s)

    @kernel
    def numbered_resolve(p, j, c, U):
        return resolve(p, j + 1, c, U)

    return numbered_magnitude, numbered_resolve


def mixed_kernels(*pairs):
    """The general composite over several kinds of laws, their kernels given pairwise."""
    return parallel_kernels(*_one_law(pairs))


def mixed_kernels_vector(*pairs):
    """The same in any dimension."""
    return parallel_kernels_vector(*_one_law(pairs))


def _one_law(pairs):
    kinds = len(pairs) // 2
    law = numbered(pairs[-2], pairs[-1])
    for kind in range(kinds - 2, -1, -1):
        law = either(float(kind), pairs[2 * kind], pairs[2 * kind + 1], *law)
    return law
