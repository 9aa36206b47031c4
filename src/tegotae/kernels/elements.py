"""The plainest blocks: a mass, and a spring with a damper.

Mass: p = [M], s = [v, x].  Spring-damper: p = [K, B], s = [x, f] with x the stretch.
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
