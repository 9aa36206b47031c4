"""The plainest blocks: a mass, a spring with a damper, and a wall.

Mass: M; velocity v, position x.  Spring and damper: K, B; stretch x, force f.
Wall: K, B, normal n, c = n·(a point of the surface); position x, force f, and c - n·x how deep it is. With a
restitution r also u, the speed at which the surface was met, m, the largest speed of approach since, and when: 0 while
it goes in, minus a time while it goes out, that time once it has turned round inside, which is how long it takes there.
And the halves of any impedance on a line that works out in one step what it gives and where it then is.
"""

import math
from functools import cache

from tegotae.compile import kernel

STEEP = 1e8  # Z over K T: so steep is the end of the push that throws a mover out
SLOW = 5e-3  # of the speed of approach: so fast may a mover always go out, or one that is not thrown out stays inside
LASTING = 100.0  # periods: what lasts inside settles within that at most


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
def bounce_push(p, u, m, when, before, after, rate, T):
    """The push of a wall with a restitution, never more than the spring's, and df/d(depth); rate is that of the depth.

    In it goes against the spring; out it is pushed by the spring until it is as fast as it has to be. That is r u when
    it leaves; where it is fastest it is as much faster than that as what presses on it had made it on its way in,
    sqrt(m^2 - u^2 + (r u)^2). What has turned round inside stays there: it is held back on its way out alone.
    """
    f, steep = wall_push(p.K, p.B, before, after, T)
    if rate >= 0.0 or f == 0.0:
        return f, steep
    if when > 0.0:
        most, slope = p.K * (after + when * rate), p.K * (1.0 + when / T)
    else:
        fast = math.sqrt(max(m * m - (1.0 - p.r * p.r) * u * u, SLOW * SLOW * m * m))
        most, slope = p.K * (after + STEEP * T * (rate + fast)), p.K * (1.0 + STEEP)
    if most >= f:
        return f, steep
    return (most, slope) if most > 0.0 else (0.0, 0.0)


@kernel
def bounce_memory(u, m, when, before, after, rate, T):
    """u, m and when after the tick."""
    if after <= 0.0:
        met = max(rate, 0.0)
        return met, met, 0.0
    if before <= 0.0:  # by the end of this tick the wall has already slowed it
        met = max(u, rate)
        return met, met, 0.0
    if rate > 0.0:
        return u, max(m, rate) if when == 0.0 else m, abs(when)
    if rate < 0.0 and when == 0.0:
        return u, m, -(min(before / m, LASTING * T) if m > 0.0 else LASTING * T)
    return u, m, when


@kernel
def bounce_step(p, s, v, T):
    """The next position, force and memory; and df/dv."""
    rate = -p.n * v
    before = p.c - p.n * s.x
    after = p.c - p.n * (s.x + T * v)
    f, steep = bounce_push(p, s.u, s.m, s.when, before, after, rate, T)
    u, m, when = bounce_memory(s.u, s.m, s.when, before, after, rate, T)
    return s.x + T * v, p.n * f, u, m, when, -p.n * p.n * T * steep


bounce_answer, bounce_advance = step_kernels(bounce_step, 1)


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


@kernel
def bounce_answer_vector(p, s, w, v, T, force, slope):
    """Along the normal alone."""
    n = v.shape[0]
    before, after = wall_depths(p, s, v, T)
    f, steep = bounce_push(p, s.u[0], s.m[0], s.when[0], before, after, wall_rate(p, v), T)
    for i in range(n):
        force[i] = p.n[i] * f
        for k in range(n):
            slope[i, k] = -p.n[i] * p.n[k] * T * steep


@kernel
def bounce_advance_vector(p, s, w, v, T):
    """Commit the position, the force and the memory."""
    before, after = wall_depths(p, s, v, T)
    rate = wall_rate(p, v)
    f, _ = bounce_push(p, s.u[0], s.m[0], s.when[0], before, after, rate, T)
    s.u[0], s.m[0], s.when[0] = bounce_memory(s.u[0], s.m[0], s.when[0], before, after, rate, T)
    for i in range(v.shape[0]):
        s.x[i] += T * v[i]
        s.f[i] = p.n[i] * f


@kernel
def wall_rate(p, v):
    """How fast it goes in."""
    rate = 0.0
    for i in range(v.shape[0]):
        rate -= p.n[i] * v[i]
    return rate
