"""The discrete-time friction elements of kikuuwe2005, in the paper's letters.

Each maker below takes a law's two kernels (see `kernels.laws`) and gives `answer` (pure) and `advance` (commits)
made for that law. The one-dimensional kernels pass numbers, the others fill arrays.

Impedance (18): K, B, M, tau, law;  state e, w, f, g, z  (e, w, f, g with one entry a dimension)
    e  deflection q - p of the visco-elastic part     w  velocity of the virtual point q
    f  force on the mover                             g  friction on the virtual point     z  lagged slip speed
Admittance (3)-(7): M, tau, law;  state v, x, f, z
    v  velocity    x  position    f  friction    z  lagged slip speed

Frictional lag: the law sees z with z' = (|w| - z)/tau. By backward Euler z1 = a + b |w1| with b = T/(tau + T)
and a = (1 - b) z. Multiplying s + c r(z1) = U by b and adding a gives z1 + (c b) r(z1) = b U + a, the law's own
equation for z1: so every law resolves with lag as it does without. Slip begins when U > c r(a). At rest z = 0,
hence the limit there is the law's r(0). tau = 0 gives a = 0, b = 1: no lag.
"""

import math
from functools import cache

from tegotae.compile import kernel
from tegotae.kernels.elements import step_kernels
from tegotae.kernels.stick_slip import as_if_stuck, limited, stick_slip


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
    def slip(law, tau, T, z, c, U):
        """The set-valued step |w| + c g = U with 0 <= g <= r at rest, g = r in motion -> |w|, g, z1, d|w|/dU."""
        if tau == 0.0:  # the same with a = 0, b = 1, without its latency
            if c * magnitude(law, 0, 0.0)[0] >= U:
                return 0.0, U / c, 0.0, 0.0
            s, r, dr = resolve(law, 0, c, U)
            return s, r, s, 1.0 / (1.0 + c * dr)
        b = T / (tau + T)
        a = (1.0 - b) * z
        limit, _ = magnitude(law, 0, a)
        if c * limit >= U:
            return 0.0, U / c, 0.0, 0.0
        z1, r, dr = resolve(law, 0, c * b, b * U + a)
        return (z1 - a) / b, r, z1, 1.0 / (1.0 + c * b * dr)

    return slip


@cache
def impedance_kernels(magnitude, resolve):
    """The impedance in one dimension."""
    slip = slip_kernel(magnitude, resolve)

    @kernel
    def impedance_step(p, s, v, T):
        """[kikuuwe2005 (18)], backward Euler with zero mass allowed -> e1, w1, f, g, z1, df/dv."""
        K, B, M = p.K, p.B, p.M
        C = M + T * B + T * T * K
        c = T / C
        u = v - c * K * s.e
        if M > 0.0:  # the same as (18a), without its cancellation when M outweighs the rest of C
            u = s.w + c * ((B + T * K) * (v - s.w) - K * s.e)
        speed, r, z1, opening = slip(p.law, p.tau, T, s.z, c, abs(u))
        w1 = math.copysign(speed, u)
        g = -math.copysign(r, u)
        e1 = s.e + T * (w1 - v)
        # Without mass the two forces are one, (9); taking g keeps the limit exact to the last bit.
        f = g if M == 0.0 else K * e1 + B * (w1 - v)
        slope = (K * T + B) * (opening * c * (B + T * K) - 1.0)
        return e1, w1, f, g, z1, slope

    return step_kernels(impedance_step, 2)


@kernel
def bare_answer(p, s, w, v, T):
    """The same for Coulomb friction without mass and lag: a clipped spring and damper.  [kikuuwe2005 (18), M = 0]"""
    F = p.law[0]
    stuck, ic = as_if_stuck(p.K, p.B, s.e, -v, T)
    return stick_slip(stuck, F, -ic)


@kernel
def bare_advance(p, s, w, v, T):
    """The next state; no branches, so that many such elements in a row are worked on several at a time.

    One element alone waits for each of its results, so the division is taken off its path.
    """
    F = p.law[0]
    stuck, ic = as_if_stuck(p.K, p.B, s.e, -v, T)
    c = 1.0 / ic
    f = limited(stuck, F)
    w1 = (f - stuck) * c  # exactly 0 while it sticks
    return s.e + T * (w1 - v), w1, f, f, 0.0


@cache
def impedance_kernels_vector(magnitude, resolve):
    """The impedance in any dimension."""
    slip = slip_kernel(magnitude, resolve)

    @kernel
    def component(p, s, v, c, T, i):
        """u of (18a), one direction; made again where needed, so nothing is allocated."""
        if p.M > 0.0:
            return s.w[i] + c * ((p.B + T * p.K) * (v[i] - s.w[i]) - p.K * s.e[i])
        return v[i] - c * p.K * s.e[i]

    @kernel
    def impedance_push(p, s, v, T, n):
        """c and the norm of u, scaled so that squares neither overflow nor vanish."""
        C = p.M + T * p.B + T * T * p.K
        c = T / C
        largest = 0.0
        for i in range(n):
            largest = max(largest, abs(component(p, s, v, c, T, i)))
        if largest == 0.0:
            return c, 0.0
        square = 0.0
        for i in range(n):
            square += (component(p, s, v, c, T, i) / largest) ** 2
        return c, largest * math.sqrt(square)

    @kernel
    def impedance_answer_vector(p, s, w, v, T, force, slope):
        """As in one dimension, the direction of slip being u/|u|; fills force (n) and slope (n, n)."""
        n = v.shape[0]
        K, B = p.K, p.B
        c, U = impedance_push(p, s, v, T, n)
        speed, r, _, opening = slip(p.law, p.tau, T, s.z[0], c, U)
        ratio = speed / U if U > 0.0 else 0.0
        for i in range(n):
            ui = component(p, s, v, c, T, i)
            w1 = ratio * ui
            if p.M == 0.0:
                force[i] = -r * ui / U if U > 0.0 else 0.0
            else:
                force[i] = K * (s.e[i] + T * (w1 - v[i])) + B * (w1 - v[i])
            for k in range(n):
                uk = component(p, s, v, c, T, k)
                along = (ui / U) * (uk / U) if U > 0.0 else 0.0
                unit = 1.0 if i == k else 0.0
                dw = ratio * (unit - along) + opening * along
                slope[i, k] = (K * T + B) * (dw * c * (B + T * K) - unit)

    @kernel
    def impedance_advance_vector(p, s, w, v, T):
        """Commit the velocity that really happened, every variable a vector."""
        n = v.shape[0]
        c, U = impedance_push(p, s, v, T, n)
        speed, r, z1, _ = slip(p.law, p.tau, T, s.z[0], c, U)
        ratio = speed / U if U > 0.0 else 0.0
        grip = r / U if U > 0.0 else 0.0
        for i in range(n):
            u = component(p, s, v, c, T, i)
            w1 = ratio * u
            e1 = s.e[i] + T * (w1 - v[i])
            s.e[i] = e1
            s.w[i] = w1
            s.g[i] = -grip * u
            s.f[i] = -grip * u if p.M == 0.0 else p.K * e1 + p.B * (w1 - v[i])
        s.z[0] = z1

    return impedance_answer_vector, impedance_advance_vector


@cache
def admittance_kernels(magnitude, resolve):
    """The admittance in one dimension."""
    slip = slip_kernel(magnitude, resolve)

    @kernel
    def admittance_answer(p, s, w, h, T):
        """[kikuuwe2005 (3)-(4), (7)]: velocity after a tick under the force h, and its slope by h."""
        c = T / p.M
        u = s.v + c * h
        speed, _, _, opening = slip(p.law, p.tau, T, s.z, c, abs(u))
        return math.copysign(speed, u), c * opening

    @kernel
    def admittance_advance(p, s, w, h, v, T):
        """The state after the velocity v that the force h led to."""
        if v == 0.0:
            return v, s.x + T * v, -(h + p.M * s.v / T), 0.0
        b = T / (p.tau + T)
        z = (1.0 - b) * s.z + b * abs(v)
        return v, s.x + T * v, -math.copysign(magnitude(p.law, 0, z)[0], v), z

    return admittance_answer, admittance_advance


@cache
def admittance_kernels_vector(magnitude, resolve):
    """The admittance in any dimension."""
    slip = slip_kernel(magnitude, resolve)

    @kernel
    def admittance_answer_vector(p, s, w, h, T, velocity, slope):
        """As `admittance_answer`; fills velocity (n) and slope (n, n)."""
        n = h.shape[0]
        c = T / p.M
        U = norm_of_sum(s.v, c, h, n)
        speed, _, _, opening = slip(p.law, p.tau, T, s.z[0], c, U)
        ratio = speed / U if U > 0.0 else 0.0
        for i in range(n):
            ui = s.v[i] + c * h[i]
            velocity[i] = ratio * ui
            for k in range(n):
                along = (ui / U) * ((s.v[k] + c * h[k]) / U) if U > 0.0 else 0.0
                unit = 1.0 if i == k else 0.0
                slope[i, k] = c * (ratio * (unit - along) + opening * along)

    @kernel
    def admittance_advance_vector(p, s, w, h, v, T):
        """Commit the velocity v that the force h led to, every variable a vector."""
        n = h.shape[0]
        speed = norm_of_sum(v, 0.0, h, n)
        if speed == 0.0:
            for i in range(n):
                s.f[i] = -(h[i] + p.M * s.v[i] / T)
            s.z[0] = 0.0
        else:
            b = T / (p.tau + T)
            s.z[0] = (1.0 - b) * s.z[0] + b * speed
            grip = magnitude(p.law, 0, s.z[0])[0] / speed
            for i in range(n):
                s.f[i] = -grip * v[i]
        for i in range(n):
            s.v[i] = v[i]
            s.x[i] += T * v[i]

    return admittance_answer_vector, admittance_advance_vector
