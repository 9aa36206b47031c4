"""The plainest blocks: a mass, a spring with a damper, and a wall.

Mass: p = [M], s = [v, x].  Spring-damper: p = [K, B], s = [x, f] with x the stretch.
Wall: p = [K, B, c, n], s = [x, f] with n the normal, c = n·(a point of the surface), and c - n·x how deep it is.
"""

from tegotae.compile import kernel


@kernel
def mass_answer(p, s, h, T):
    """v1 = v + T h / M."""
    c = T / p[0]
    return s[0] + c * h, c


@kernel
def mass_advance(p, s, h, v, T):
    """Commit the velocity; the position moves with it."""
    s[0] = v
    s[1] += T * v


@kernel
def mass_answer_vector(p, s, h, T, velocity, slope):
    """The same in every direction."""
    n = h.shape[0]
    c = T / p[0]
    for i in range(n):
        velocity[i] = s[i] + c * h[i]
        for k in range(n):
            slope[i, k] = c if i == k else 0.0


@kernel
def mass_advance_vector(p, s, h, v, T):
    """Commit the velocity; the position moves with it."""
    n = h.shape[0]
    for i in range(n):
        s[i] = v[i]
        s[n + i] += T * v[i]


@kernel
def spring_answer(p, s, v, T):
    """f = -K (x + T v) - B v, backward Euler."""
    K, B = p[0], p[1]
    return -K * (s[0] + T * v) - B * v, -(K * T + B)


@kernel
def spring_follow(p, s, v, T):
    """The next stretch and force."""
    x = s[0] + T * v
    return x, -p[0] * x - p[1] * v


@kernel
def spring_advance(p, s, v, T):
    """Commit the stretch and the force."""
    s[0], s[1] = spring_follow(p, s, v, T)


@kernel
def spring_answer_vector(p, s, v, T, force, slope):
    """The same in every direction."""
    n = v.shape[0]
    K, B = p[0], p[1]
    for i in range(n):
        force[i] = -K * (s[i] + T * v[i]) - B * v[i]
        for k in range(n):
            slope[i, k] = -(K * T + B) if i == k else 0.0


@kernel
def spring_advance_vector(p, s, v, T):
    """Commit the stretch and the force."""
    n = v.shape[0]
    for i in range(n):
        s[i] += T * v[i]
        s[n + i] = -p[0] * s[i] - p[1] * v[i]


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
def wall_answer(p, s, v, T):
    """The force along n, and its slope -n² T df/d(depth)."""
    n = p[3]
    before = p[2] - n * s[0]
    f, steep = wall_push(p[0], p[1], before, p[2] - n * (s[0] + T * v), T)
    return n * f, -n * n * T * steep


@kernel
def wall_follow(p, s, v, T):
    """The next position and force."""
    x = s[0] + T * v
    f, _ = wall_push(p[0], p[1], p[2] - p[3] * s[0], p[2] - p[3] * x, T)
    return x, p[3] * f


@kernel
def wall_advance(p, s, v, T):
    """Commit the position and the force."""
    s[0], s[1] = wall_follow(p, s, v, T)


@kernel
def wall_depths(p, s, v, T):
    """How deep before and after the tick."""
    before = p[2]
    after = p[2]
    for i in range(v.shape[0]):
        before -= p[3 + i] * s[i]
        after -= p[3 + i] * (s[i] + T * v[i])
    return before, after


@kernel
def wall_answer_vector(p, s, v, T, force, slope):
    """Along the normal alone."""
    n = v.shape[0]
    before, after = wall_depths(p, s, v, T)
    f, steep = wall_push(p[0], p[1], before, after, T)
    for i in range(n):
        force[i] = p[3 + i] * f
        for k in range(n):
            slope[i, k] = -p[3 + i] * p[3 + k] * T * steep


@kernel
def wall_advance_vector(p, s, v, T):
    """Commit the position and the force."""
    n = v.shape[0]
    before, after = wall_depths(p, s, v, T)
    f, _ = wall_push(p[0], p[1], before, after, T)
    for i in range(n):
        s[i] += T * v[i]
        s[n + i] = p[3 + i] * f


def mass_kernels():
    """A mass on a line."""
    return mass_answer, mass_advance


def mass_kernels_vector():
    """A mass in any dimension."""
    return mass_answer_vector, mass_advance_vector


def spring_kernels():
    """A spring and damper on a line."""
    return spring_answer, spring_advance, spring_follow


def spring_kernels_vector():
    """A spring and damper in any dimension."""
    return spring_answer_vector, spring_advance_vector


def wall_kernels():
    """A wall on a line."""
    return wall_answer, wall_advance, wall_follow


def wall_kernels_vector():
    """A wall in any dimension."""
    return wall_answer_vector, wall_advance_vector
