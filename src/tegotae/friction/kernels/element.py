"""The discrete-time friction elements of kikuuwe2005, in the paper's letters.

Each maker below takes a law's two kernels (see `kernels.laws`) and gives `answer` (pure) and `advance` (commits)
made for that law. The one-dimensional kernels pass numbers, the others fill arrays.

Impedance (18): p = [K, B, M, tau, law...],  s = [e, w, f, g, z]  (e, w, f, g with one entry a dimension)
    e  deflection q - p of the visco-elastic part     w  velocity of the virtual point q
    f  force on the mover                             g  friction on the virtual point     z  lagged slip speed
Admittance (3)-(7): p = [M, tau, law...],  s = [v, x, f, z]
    v  velocity    x  position    f  friction    z  lagged slip speed

Frictional lag: the law sees z with z' = (|w| - z)/tau. By backward Euler z1 = a + b |w1| with b = T/(tau + T)
and a = (1 - b) z. Multiplying s + c r(z1) = U by b and adding a gives z1 + (c b) r(z1) = b U + a, the law's own
equation for z1: so every law resolves with lag as it does without. Slip begins when U > c r(a). At rest z = 0,
hence the limit there is the law's r(0). tau = 0 gives a = 0, b = 1: no lag.
"""

import math
from functools import cache

from tegotae.compile import kernel

IMPEDANCE_LAW = 4  # where the law's parameters start in p
ADMITTANCE_LAW = 2


@kernel
def norm_of_sum(a, c, b, n):
    """|a + c b|, scaled so that squares neither overflow nor vanish."""
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(a[i] + c * b[i]))
    if largest == 0.0:
        return 0.0
    square = 0.0
    for i in range(n):
        square += ((a[i] + c * b[i]) / largest) ** 2
    return largest * math.sqrt(square)


@cache
def slip_kernel(magnitude, resolve):
    """The set-valued step that both causalities share."""

    @kernel
    def slip(p, j, tau, T, z, c, U):
        """The set-valued step |w| + c g = U with 0 <= g <= r at rest, g = r in motion -> |w|, g, z1, d|w|/dU."""
        if tau == 0.0:  # the same with a = 0, b = 1, without its latency
            if c * magnitude(p, j, 0.0)[0] >= U:
                return 0.0, U / c, 0.0, 0.0
            s, r, dr = resolve(p, j, c, U)
            return s, r, s, 1.0 / (1.0 + c * dr)
        b = T / (tau + T)
        a = (1.0 - b) * z
        limit, _ = magnitude(p, j, a)
        if c * limit >= U:
            return 0.0, U / c, 0.0, 0.0
        z1, r, dr = resolve(p, j, c * b, b * U + a)
        return (z1 - a) / b, r, z1, 1.0 / (1.0 + c * b * dr)

    return slip


@cache
def impedance_kernels(magnitude, resolve):
    """The impedance in one dimension."""
    slip = slip_kernel(magnitude, resolve)

    @kernel
    def impedance_step(p, s, v, T):
        """[kikuuwe2005 (18)], backward Euler with zero mass allowed -> e1, w1, f, g, z1, df/dv."""
        K, B, M, tau = p[0], p[1], p[2], p[3]
        e, w, z = s[0], s[1], s[4]
        C = M + T * B + T * T * K
        c = T / C
        u = v - c * K * e
        if M > 0.0:  # the same as (18a), without its cancellation when M outweighs the rest of C
            u = w + c * ((B + T * K) * (v - w) - K * e)
        speed, r, z1, opening = slip(p, IMPEDANCE_LAW, tau, T, z, c, abs(u))
        w1 = math.copysign(speed, u)
        g = -math.copysign(r, u)
        e1 = e + T * (w1 - v)
        # Without mass the two forces are one, (9); taking g keeps the limit exact to the last bit.
        f = g if M == 0.0 else K * e1 + B * (w1 - v)
        slope = (K * T + B) * (opening * c * (B + T * K) - 1.0)
        return e1, w1, f, g, z1, slope

    @kernel
    def impedance_answer(p, s, v, T):
        """Force and slope for a trial velocity; changes nothing."""
        _, _, f, _, _, slope = impedance_step(p, s, v, T)
        return f, slope

    @kernel
    def impedance_follow(p, s, v, T):
        """The next state."""
        return impedance_step(p, s, v, T)[:5]

    @kernel
    def impedance_advance(p, s, v, T):
        """Commit the velocity that really happened."""
        s[0], s[1], s[2], s[3], s[4] = impedance_follow(p, s, v, T)

    return impedance_answer, impedance_advance, impedance_follow


@kernel
def bare_answer(p, s, v, T):
    """The same for Coulomb friction without mass and lag: a clipped spring and damper.  [kikuuwe2005 (18), M = 0]"""
    K, B, F = p[0], p[1], p[4]
    ic = K * T + B
    stuck = K * s[0] - ic * v
    return min(max(stuck, -F), F), (-ic if abs(stuck) <= F else 0.0)


@kernel
def bare_follow(p, s, v, T):
    """The next state; no branches, so that many such elements in a row are worked on several at a time."""
    K, B, F = p[0], p[1], p[4]
    e = s[0]
    ic = K * T + B
    stuck = K * e - ic * v
    f = min(max(stuck, -F), F)
    w1 = (f - stuck) / ic  # exactly 0 while it sticks
    return e + T * (w1 - v), w1, f, f, 0.0


@kernel
def bare_advance(p, s, v, T):
    """Commit. One element alone waits for each of its results, so here the division is taken off its path."""
    K, B, F = p[0], p[1], p[4]
    e = s[0]
    ic = K * T + B
    c = 1.0 / ic
    stuck = K * e - ic * v
    f = min(max(stuck, -F), F)
    w1 = (f - stuck) * c
    s[0] = e + T * (w1 - v)
    s[1] = w1
    s[2] = f
    s[3] = f


def bare_kernels():
    """Coulomb friction without mass and lag, in one dimension."""
    return bare_answer, bare_advance, bare_follow


@cache
def impedance_kernels_vector(magnitude, resolve):
    """The impedance in any dimension."""
    slip = slip_kernel(magnitude, resolve)

    @kernel
    def component(p, s, v, c, T, n, i):
        """u of (18a), one direction; made again where needed, so nothing is allocated."""
        K, B, M = p[0], p[1], p[2]
        if M > 0.0:
            return s[n + i] + c * ((B + T * K) * (v[i] - s[n + i]) - K * s[i])
        return v[i] - c * K * s[i]

    @kernel
    def impedance_push(p, s, v, T, n):
        """c and the norm of u, scaled so that squares neither overflow nor vanish."""
        K, B, M = p[0], p[1], p[2]
        C = M + T * B + T * T * K
        c = T / C
        largest = 0.0
        for i in range(n):
            largest = max(largest, abs(component(p, s, v, c, T, n, i)))
        if largest == 0.0:
            return c, 0.0
        square = 0.0
        for i in range(n):
            square += (component(p, s, v, c, T, n, i) / largest) ** 2
        return c, largest * math.sqrt(square)

    @kernel
    def impedance_answer_vector(p, s, v, T, force, slope):
        """As `impedance_answer`, the direction of slip being u/|u|; fills force (n) and slope (n, n)."""
        n = v.shape[0]
        K, B, M, tau = p[0], p[1], p[2], p[3]
        c, U = impedance_push(p, s, v, T, n)
        speed, r, _, opening = slip(p, IMPEDANCE_LAW, tau, T, s[4 * n], c, U)
        ratio = speed / U if U > 0.0 else 0.0
        for i in range(n):
            ui = component(p, s, v, c, T, n, i)
            w1 = ratio * ui
            if M == 0.0:
                force[i] = -r * ui / U if U > 0.0 else 0.0
            else:
                force[i] = K * (s[i] + T * (w1 - v[i])) + B * (w1 - v[i])
            for k in range(n):
                uk = component(p, s, v, c, T, n, k)
                along = (ui / U) * (uk / U) if U > 0.0 else 0.0
                unit = 1.0 if i == k else 0.0
                dw = ratio * (unit - along) + opening * along
                slope[i, k] = (K * T + B) * (dw * c * (B + T * K) - unit)

    @kernel
    def impedance_advance_vector(p, s, v, T):
        """Commit the velocity that really happened, every variable a vector."""
        n = v.shape[0]
        K, B, M, tau = p[0], p[1], p[2], p[3]
        c, U = impedance_push(p, s, v, T, n)
        speed, r, z1, _ = slip(p, IMPEDANCE_LAW, tau, T, s[4 * n], c, U)
        ratio = speed / U if U > 0.0 else 0.0
        grip = r / U if U > 0.0 else 0.0
        for i in range(n):
            u = component(p, s, v, c, T, n, i)
            w1 = ratio * u
            e1 = s[i] + T * (w1 - v[i])
            s[i] = e1
            s[n + i] = w1
            s[3 * n + i] = -grip * u
            s[2 * n + i] = -grip * u if M == 0.0 else K * e1 + B * (w1 - v[i])
        s[4 * n] = z1

    return impedance_answer_vector, impedance_advance_vector


@cache
def admittance_kernels(magnitude, resolve):
    """The admittance in one dimension."""
    slip = slip_kernel(magnitude, resolve)

    @kernel
    def admittance_answer(p, s, h, T):
        """[kikuuwe2005 (3)-(4), (7)]: velocity after a tick under the force h, and its slope by h."""
        M, tau = p[0], p[1]
        c = T / M
        u = s[0] + c * h
        speed, _, _, opening = slip(p, ADMITTANCE_LAW, tau, T, s[3], c, abs(u))
        return math.copysign(speed, u), c * opening

    @kernel
    def admittance_advance(p, s, h, v, T):
        """Commit the velocity v that the force h led to."""
        M, tau = p[0], p[1]
        if v == 0.0:
            s[2] = -(h + M * s[0] / T)
            s[3] = 0.0
        else:
            b = T / (tau + T)
            s[3] = (1.0 - b) * s[3] + b * abs(v)
            s[2] = -math.copysign(magnitude(p, ADMITTANCE_LAW, s[3])[0], v)
        s[0] = v
        s[1] += T * v

    return admittance_answer, admittance_advance


@cache
def admittance_kernels_vector(magnitude, resolve):
    """The admittance in any dimension."""
    slip = slip_kernel(magnitude, resolve)

    @kernel
    def admittance_answer_vector(p, s, h, T, velocity, slope):
        """As `admittance_answer`; fills velocity (n) and slope (n, n)."""
        n = h.shape[0]
        M, tau = p[0], p[1]
        c = T / M
        U = norm_of_sum(s, c, h, n)
        speed, _, _, opening = slip(p, ADMITTANCE_LAW, tau, T, s[3 * n], c, U)
        ratio = speed / U if U > 0.0 else 0.0
        for i in range(n):
            ui = s[i] + c * h[i]
            velocity[i] = ratio * ui
            for k in range(n):
                along = (ui / U) * ((s[k] + c * h[k]) / U) if U > 0.0 else 0.0
                unit = 1.0 if i == k else 0.0
                slope[i, k] = c * (ratio * (unit - along) + opening * along)

    @kernel
    def admittance_advance_vector(p, s, h, v, T):
        """Commit the velocity v that the force h led to, every variable a vector."""
        n = h.shape[0]
        M, tau = p[0], p[1]
        speed = norm_of_sum(v, 0.0, h, n)
        if speed == 0.0:
            for i in range(n):
                s[2 * n + i] = -(h[i] + M * s[i] / T)
            s[3 * n] = 0.0
        else:
            b = T / (tau + T)
            s[3 * n] = (1.0 - b) * s[3 * n] + b * speed
            grip = magnitude(p, ADMITTANCE_LAW, s[3 * n])[0] / speed
            for i in range(n):
                s[2 * n + i] = -grip * v[i]
        for i in range(n):
            s[i] = v[i]
            s[n + i] += T * v[i]

    return admittance_answer_vector, admittance_advance_vector
