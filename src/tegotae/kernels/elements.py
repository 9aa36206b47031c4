"""The plainest blocks: a mass, a spring with a damper, and a wall.

Mass: M; velocity v, position x.  Spring and damper: K, B; stretch x, force f.
Wall: K, B, normal n, c = n·(a point of the surface); position x, force f, and c - n·x how deep it is.
And the halves of any impedance on a line that works out in one step what it gives and where it then is.
"""

from functools import cache

from tegotae.compile import kernel


@cache
def step_kernels(step, force=-2):
    """The halves, from step(p, s, v, T) -> the numbers of its state after the tick, the force at its place, df/dv."""

    @kernel
    def answer(p, s, w, v, T):
        given = step(p, s, v, T)
        return given[force], given[-1]

    @kernel
    def advance(p, s, w, v, T):
        return step(p, s, v, T)[:-1]

    return answer, advance


@kernel
def mass_answer(p, s, w, h, T):
    """v1 = v + T h / M."""
    c = T / p.M
    return s.v + c * h, c


@kernel
def mass_advance(p, s, w, h, v, T):
    """The velocity; the position moves with it."""
    return v, s.x + T * v


@kernel
def mass_answer_vector(p, s, w, h, T, velocity, slope):
    """The same in every direction."""
    n = h.shape[0]
    c = T / p.M
    for i in range(n):
        velocity[i] = s.v[i] + c * h[i]
        for k in range(n):
            slope[i, k] = c if i == k else 0.0


@kernel
def mass_advance_vector(p, s, w, h, v, T):
    """Commit the velocity; the position moves with it."""
    for i in range(h.shape[0]):
        s.v[i] = v[i]
        s.x[i] += T * v[i]


@kernel
def spring_answer(p, s, w, v, T):
    """f = -K (x + T v) - B v, backward Euler."""
    return -p.K * (s.x + T * v) - p.B * v, -(p.K * T + p.B)


@kernel
def spring_advance(p, s, w, v, T):
    """The next stretch and force."""
    x = s.x + T * v
    return x, -p.K * x - p.B * v


@kernel
def spring_answer_vector(p, s, w, v, T, force, slope):
    """The same in every direction."""
    n = v.shape[0]
    for i in range(n):
        force[i] = -p.K * (s.x[i] + T * v[i]) - p.B * v[i]
        for k in range(n):
            slope[i, k] = -(p.K * T + p.B) if i == k else 0.0


@kernel
def spring_advance_vector(p, s, w, v, T):
    """Commit the stretch and the force."""
    for i in range(v.shape[0]):
        s.x[i] += T * v[i]
        s.f[i] = -p.K * s.x[i] - p.B * v[i]


@kernel
def wall_push(K, B, before, after, T):
    """f = K e + B e' >= 0 with e = max(depth, 0), backward Euler, and df/d(depth).

    The damper acts on e, not on the approach: the force is continuous where the wall is met, and a tick never gives
    back more than K e^2/2 was stored.
    """
    if after <= 0.0:
        return 0.0, 0.0
    f = K * after + B * (after - max(before, 0.0)) / T
    return (f, K + B / T) if f > 0.0 else (0.0, 0.0)


@kernel
def wall_answer(p, s, w, v, T):
    """The force along n, and its slope -n² T df/d(depth)."""
    f, steep = wall_push(p.K, p.B, p.c - p.n * s.x, p.c - p.n * (s.x + T * v), T)
    return p.n * f, -p.n * p.n * T * steep


@kernel
def wall_advance(p, s, w, v, T):
    """The next position and force."""
    x = s.x + T * v
    f, _ = wall_push(p.K, p.B, p.c - p.n * s.x, p.c - p.n * x, T)
    return x, p.n * f


@kernel
def wall_depths(p, s, v, T):
    """How deep before and after the tick."""
    before = p.c
    after = p.c
    for i in range(v.shape[0]):
        before -= p.n[i] * s.x[i]
        after -= p.n[i] * (s.x[i] + T * v[i])
    return before, after


@kernel
def wall_answer_vector(p, s, w, v, T, force, slope):
    """Along the normal alone."""
    n = v.shape[0]
    before, after = wall_depths(p, s, v, T)
    f, steep = wall_push(p.K, p.B, before, after, T)
    for i in range(n):
        force[i] = p.n[i] * f
        for k in range(n):
            slope[i, k] = -p.n[i] * p.n[k] * T * steep


@kernel
def wall_advance_vector(p, s, w, v, T):
    """Commit the position and the force."""
    before, after = wall_depths(p, s, v, T)
    f, _ = wall_push(p.K, p.B, before, after, T)
    for i in range(v.shape[0]):
        s.x[i] += T * v[i]
        s.f[i] = p.n[i] * f
