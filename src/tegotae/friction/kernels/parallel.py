"""N friction elements that see the same velocity; their forces add.  [kikuuwe2005, section 4]

The plain composite (Coulomb, no mass, no lag, one dimension): K, B, F of each, SK the sum of K;  state f, mean, e.
The even one, all with the same stiffness and damping: K, B, and F of each;  the same state.
The general one: of each element K, B, M, tau (a row of `elements`), where its law's numbers start, and which of the
kinds of laws it has; SK.  State f, mean, and of each element its own e, w, f, g, z (a row of `elements`).
`mean` is the deflection averaged with the stiffnesses as weights.
"""

from collections import namedtuple
from functools import cache

from tegotae.compile import kernel, kernel_sums, kernel_sums_long
from tegotae.friction.kernels.element import impedance_kernels, impedance_kernels_vector
from tegotae.kernels.stick_slip import as_if_stuck, limited, stick_slip

Parameters = namedtuple("Parameters", "K B M tau law")  # of one element
State = namedtuple("State", "e w f g z")
Law = namedtuple("Law", "kind numbers")

# ---------------------------------------------------------------- Coulomb, no mass, no lag, one dimension


@kernel_sums
def plain_answer(p, s, w, v, T):
    """Force and slope for a trial velocity; changes nothing."""
    K, B, F, e = p.K, p.B, p.F, s.e
    force, slope = 0.0, 0.0
    for i in range(F.shape[0]):
        stuck, ic = as_if_stuck(K[i], B[i], e[i], -v, T)
        f, d = stick_slip(stuck, F[i], ic)
        force += f
        slope -= d
    return force, slope


@kernel_sums_long
def plain_advance(p, s, w, v, T):
    """Commit: one pass over the elements, without branches, so that several are worked on at a time."""
    K, B, F, e = p.K, p.B, p.F, s.e
    x, rate = T * v, 1.0 / T
    force, moment = 0.0, 0.0
    for i in range(F.shape[0]):
        k, limit, e0 = K[i], F[i], e[i]  # read once: for all that is known here, e could lie over K
        push, a = as_if_stuck(k, B[i] * rate, -e0, x, 1.0)  # by the way x
        f = limited(push, limit)
        e1 = (e0 - x) + (push - f) / a  # push - f is exactly 0 while it sticks
        e[i] = e1
        force -= f
        moment += k * e1
    s.f[0] = force
    s.mean[0] = moment / p.SK


@kernel_sums
def even_answer(p, s, w, v, T):
    """`plain_answer` with one K and B for all."""
    K, B, F, e = p.K, p.B, p.F, s.e
    force, slope = 0.0, 0.0
    for i in range(F.shape[0]):
        stuck, ic = as_if_stuck(K, B, e[i], -v, T)
        f, d = stick_slip(stuck, F[i], ic)
        force += f
        slope -= d
    return force, slope


@kernel_sums
def even_advance(p, s, w, v, T):
    """`plain_advance` with one K and B for all: less to fetch, and the division is done once."""
    K, B, F, e = p.K, p.B, p.F, s.e
    force, mean = 0.0, 0.0
    for i in range(F.shape[0]):
        limit, e0 = F[i], e[i]
        push, ic = as_if_stuck(K, B, -e0, v, T)
        f = limited(push, limit)
        e1 = e0 + T * ((push - f) * (1.0 / ic) - v)
        e[i] = e1
        force -= f
        mean += e1
    s.f[0] = force
    s.mean[0] = mean / F.shape[0]


# ---------------------------------------------------------------- any law, mass and lag


@kernel
def of_element(p, i):
    """The parameters of element i."""
    row = p.elements[i]
    law = Law(p.kinds[i], p.laws[p.starts[i] : p.starts[i + 1]])
    return Parameters(row[0], row[1], row[2], row[3], law)


@kernel
def state_of(s, i):
    """The state of element i, as numbers."""
    row = s.elements[i]
    return State(row[0], row[1], row[2], row[3], row[4])


@kernel
def parts_of(s, i, n):
    """The state of element i, as arrays."""
    row = s.elements[i]
    return State(row[:n], row[n : 2 * n], row[2 * n : 3 * n], row[3 * n : 4 * n], row[4 * n :])


@cache
def parallel_kernels(*laws):
    """The general composite in one dimension, over one kind of law or several, their kernels given pairwise."""
    element_answer, element_advance = impedance_kernels(*any_of(laws))

    @kernel
    def parallel_answer(p, s, w, v, T):
        force, slope = 0.0, 0.0
        for i in range(p.kinds.shape[0]):
            f, d = element_answer(of_element(p, i), state_of(s, i), w, v, T)
            force += f
            slope += d
        return force, slope

    @kernel
    def parallel_advance(p, s, w, v, T):
        force, moment = 0.0, 0.0
        for i in range(p.kinds.shape[0]):
            e, slip, f, g, z = element_advance(of_element(p, i), state_of(s, i), w, v, T)
            row = s.elements[i]
            row[0], row[1], row[2], row[3], row[4] = e, slip, f, g, z
            moment += p.elements[i, 0] * e
            force += f
        s.f[0] = force
        s.mean[0] = moment / p.SK

    return parallel_answer, parallel_advance


@cache
def parallel_kernels_vector(*laws):
    """The general composite in any dimension."""
    element_answer, element_advance = impedance_kernels_vector(*any_of(laws))

    @kernel
    def parallel_answer_vector(p, s, w, v, T, force, slope):
        """Fills force (n) and slope (n, n)."""
        n = v.shape[0]
        force[:] = 0.0
        slope[:] = 0.0
        for i in range(p.kinds.shape[0]):
            element_answer(of_element(p, i), parts_of(s, i, n), w, v, T, w.f, w.d)
            for a in range(n):
                force[a] += w.f[a]
                for b in range(n):
                    slope[a, b] += w.d[a, b]

    @kernel
    def parallel_advance_vector(p, s, w, v, T):
        n = v.shape[0]
        s.f[:] = 0.0
        s.mean[:] = 0.0
        for i in range(p.kinds.shape[0]):
            state = parts_of(s, i, n)
            element_advance(of_element(p, i), state, w, v, T)
            for a in range(n):
                s.f[a] += state.f[a]
                s.mean[a] += p.elements[i, 0] * state.e[a] / p.SK

    return parallel_answer_vector, parallel_advance_vector


# ---------------------------------------------------------------- elements with different kinds of laws


@cache
def either(kind, magnitude, resolve, other_magnitude, other_resolve):
    """A law of this kind, or one of the others."""

    @kernel
    def either_magnitude(law, j, s):
        if law.kind == kind:
            return magnitude(law.numbers, j, s)
        return other_magnitude(law, j, s)

    @kernel
    def either_resolve(law, j, c, U):
        if law.kind == kind:
            return resolve(law.numbers, j, c, U)
        return other_resolve(law, j, c, U)

    return either_magnitude, either_resolve


@cache
def certain(magnitude, resolve):
    """A law whose kind is known."""

    @kernel
    def certain_magnitude(law, j, s):
        return magnitude(law.numbers, j, s)

    @kernel
    def certain_resolve(law, j, c, U):
        return resolve(law.numbers, j, c, U)

    return certain_magnitude, certain_resolve


def any_of(laws):
    """One law for all kinds, numbered in the order of their kernels."""
    law = certain(laws[-2], laws[-1])
    for kind in range(len(laws) // 2 - 2, -1, -1):
        law = either(kind, laws[2 * kind], laws[2 * kind + 1], *law)
    return law
