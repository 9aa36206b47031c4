"""A planar rod as an admittance: force and torque on its base or tip in, that end's motion out, at a fixed period T.

A step is linearly implicit: bending is taken at its end, inertia and turning at its start, so the rates at its end,
v1 = v + T a, are linear in the force h on the port, and so is the motion of the port over the tick:

    motion = J v1 - T/2 E + (z - q)/T.

J v1 is the velocity of the port with J of the start, E how its path bends away, and the last term takes back next
tick what remains (of order T^3), so that the port's place q never drifts from where the rod says it is, z.

p = [n, node of the port, direction (3), held (3), g (2), tip (2), hs, rho, K, C, kappa], each of the last n - 1.
s = [velocity (d), position (d), torque, curvature, q (3), y (n + 2), v (n + 2), scratch].
Scratch: T, torque and curvature that it was worked out for, then what `room` lays out.
"""

from tegotae.compile import kernel, kernel_inside
from tegotae.rod.kernels.recursion import BACK, articulate, at_base, spread
from tegotae.rod.kernels.segment import WIDTH, all_integrals

FIXED = 12  # numbers of p before those of the segments


def scratch_size(n):
    """How many numbers of the state the step works in."""
    return 3 + (n - 1) * (WIDTH + BACK + 6) + 3 * n + 9 + 3 + 12 + 5 * (n + 2) + 2 + 3 + 3 + 9


@kernel_inside
def room(s, at, n):
    """Views of the scratch that starts at s[at]: S, R, bend, extra, side, load, P, p, re, im, a, V, none, mean, J."""
    at += 3
    S = s[at : at + (n - 1) * WIDTH].reshape((n - 1, WIDTH))
    at += (n - 1) * WIDTH
    R = s[at : at + (n - 1) * BACK].reshape((n - 1, BACK))
    at += (n - 1) * BACK
    bend = s[at : at + n - 1]
    at += n - 1
    extra = s[at : at + n - 1]
    at += n - 1
    side = s[at : at + (n - 1) * 4].reshape((n - 1, 4))
    at += (n - 1) * 4
    load = s[at : at + 3 * n].reshape((n, 3))
    at += 3 * n
    P = s[at : at + 9].reshape((3, 3))
    p = s[at + 9 : at + 12]
    re = s[at + 12 : at + 18]
    im = s[at + 18 : at + 24]
    at += 24
    a = s[at : at + n + 2]
    at += n + 2
    V = s[at : at + 4 * (n + 2)].reshape((4, n + 2))
    at += 4 * (n + 2)
    none = s[at : at + 2]  # stays 0: no gravity
    rest = s[at + 2 : at + 5]  # stays 0: a base held at rest
    mean = s[at + 5 : at + 8]
    J = s[at + 8 : at + 17].reshape((3, 3))
    return S, R, bend, extra, side, load, P, p, re, im, a, V, none, rest, mean, J


@kernel
def solve_once(S, R, g, bend, extra, load, side, tip, P, p, held, rest, hs, rho, a):
    """Accelerations of one set of loads."""
    articulate(S, hs, rho, g, bend, extra, load, side, tip, P, p, R)
    at_base(P, p, held, rest, a)
    spread(S, R, a)


@kernel
def move_of(u, S, port, out):
    """The port's velocity for the rates u of all coordinates, into out (3)."""
    out[0], out[1] = u[0], u[1]
    for k in range(port):
        out[0] -= S[k, 1] * u[2 + k] + S[k, 3] * u[3 + k]
        out[1] += S[k, 0] * u[2 + k] + S[k, 2] * u[3 + k]
    out[2] = u[2 + port]


@kernel
def prepare(p, s, d, T):
    """The rates after the step for no force (V[0]) and by each unit of force (V[1..3]); the port's mean velocity for
    no force, and J: its change by each unit. Nothing but the scratch is touched, and that only if it is not done yet.
    """
    n, port = int(p[0]), int(p[1])
    at = 2 * d + 5 + 2 * (n + 2)
    torque, curvature = s[2 * d], s[2 * d + 1]
    if s[at] == T and s[at + 1] == torque and s[at + 2] == curvature:
        return
    s[at], s[at + 1], s[at + 2] = T, torque, curvature
    S, R, bend, extra, side, load, P, w, re, im, a, V, none, rest, mean, J = room(s, at, n)
    held, g, tip = p[5:8], p[8:10], p[10:12]
    m = n - 1
    hs, rho = p[FIXED : FIXED + m], p[FIXED + m : FIXED + 2 * m]
    y, v = s[2 * d + 5 : 2 * d + 7 + n], s[2 * d + 7 + n : at]
    all_integrals(y, v, hs, re, im, S)
    for k in range(m):
        K, C, kappa = p[FIXED + 2 * m + k], p[FIXED + 3 * m + k], p[FIXED + 4 * m + k] + curvature
        turn = v[3 + k] - v[2 + k]
        bend[k] = -(K * (y[3 + k] - y[2 + k] + T * turn - hs[k] * kappa) + C * turn) / hs[k]
        extra[k] = T * (C + T * K) / hs[k]
    load[0, 2] = torque
    solve_once(S, R, g, bend, extra, load, side, tip, P, w, held, rest, hs, rho, a)
    for i in range(n + 2):
        V[0, i] = v[i] + T * a[i]
    # The port's mean velocity without force.
    move_of(V[0], S, port, mean)
    zx, zy = y[0], y[1]
    for k in range(port):
        mean[0] -= 0.5 * T * S[k, 8]
        mean[1] -= 0.5 * T * S[k, 9]
        zx += S[k, 17]
        zy += S[k, 18]
    mean[0] += (zx - s[2 * d + 2]) / T
    mean[1] += (zy - s[2 * d + 3]) / T
    mean[2] += (y[2 + port] - s[2 * d + 4]) / T
    # Each unit of force by itself: nothing turns, weighs or bends.
    for k in range(m):
        bend[k] = 0.0
        for c in (8, 9, 10, 11, 15, 16):
            S[k, c] = 0.0
    load[0, 2] = 0.0
    for c in range(3):
        load[port, c] = 1.0
        solve_once(S, R, none, bend, extra, load, side, tip, P, w, held, rest, hs, rho, a)
        load[port, c] = 0.0
        for i in range(n + 2):
            V[1 + c, i] = T * a[i]
        move_of(V[1 + c], S, port, J[c])


@kernel
def commit(p, s, d, h0, h1, h2, T):
    """Move on under the force on the port."""
    n = int(p[0])
    at = 2 * d + 5 + 2 * (n + 2)
    V = room(s, at, n)[11]
    mean, J = room(s, at, n)[14:16]
    for c in range(3):
        s[2 * d + 2 + c] += T * (mean[c] + J[0, c] * h0 + J[1, c] * h1 + J[2, c] * h2)
    for i in range(n + 2):
        rate = V[0, i] + V[1, i] * h0 + V[2, i] * h1 + V[3, i] * h2
        s[2 * d + 7 + n + i] = rate
        s[2 * d + 5 + i] += T * rate
    s[at] = 0.0


@kernel
def port_answer(p, s, h, T, motion, slope):
    """In x, y and the angle."""
    prepare(p, s, 3, T)
    n = int(p[0])
    mean, J = room(s, 11 + 2 * (n + 2), n)[14:16]
    for i in range(3):
        motion[i] = mean[i]
        for c in range(3):
            motion[i] += J[c, i] * h[c]
            slope[i, c] = J[c, i]


@kernel
def port_advance(p, s, h, v, T):
    """Commit in x, y and the angle."""
    prepare(p, s, 3, T)
    commit(p, s, 3, h[0], h[1], h[2], T)
    for i in range(3):
        s[i] = v[i]
        s[3 + i] += T * v[i]


@kernel
def along_answer(p, s, h, T):
    """Along one direction."""
    prepare(p, s, 1, T)
    n = int(p[0])
    mean, J = room(s, 7 + 2 * (n + 2), n)[14:16]
    motion, slope = 0.0, 0.0
    for i in range(3):
        motion += p[2 + i] * mean[i]
        for c in range(3):
            slope += p[2 + i] * J[c, i] * p[2 + c]
    return motion + slope * h, slope


@kernel
def along_advance(p, s, h, v, T):
    """Commit along one direction."""
    prepare(p, s, 1, T)
    commit(p, s, 1, h * p[2], h * p[3], h * p[4], T)
    s[0] = v
    s[1] += T * v


def port_kernels():
    """Force x, y and torque in."""
    return port_answer, port_advance


def along_kernels():
    """Force along one direction in."""
    return along_answer, along_advance
