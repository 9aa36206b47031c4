"""A planar rod as an admittance: force and torque on its base or tip in, that end's motion out, at a fixed period T.

A step is linearly implicit: bending is taken at its end, inertia and turning at its start, so the rates at its end,
v1 = v + T a, are linear in the force h on the port, and so is the motion of the port over the tick:

    motion = J v1 - T/2 E + (z - q)/T.

J v1 is the velocity of the port with J of the start, E how its path bends away, and the last term takes back next
tick what remains (of order T^3), so that the port's place q never drifts from where the rod says it is, z.

All that depends on the force is linear, so `prepare` does the work. y = (x, y, angles) are the rod's coordinates, v
their rates.
"""

from tegotae.block import Halves
from tegotae.compile import kernel
from tegotae.rod.kernels.recursion import articulate, at_base, spread
from tegotae.rod.kernels.segment import all_integrals


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
def restore(p, s, w):
    """What stays 0: loads between nodes and on them, no gravity, a base held at rest."""
    w.side[:] = 0.0
    w.load[:] = 0.0
    w.none[:] = 0.0
    w.rest[:] = 0.0


@kernel
def gather(s, y, v):
    """All coordinates and their rates."""
    for i in range(2):
        y[i], v[i] = s.base[i], s.base_velocity[i]
    for k in range(s.angle.shape[0]):
        y[2 + k], v[2 + k] = s.angle[k], s.angle_rate[k]


@kernel
def prepare(p, s, w, T):
    """The rates after the step for no force (V[0]) and by each unit of force (V[1..3]); the port's mean velocity for
    no force, and J: its change by each unit.
    """
    S, y, v, bend, load, V, mean = w.S, w.y, w.v, w.bend, w.load, w.V, w.mean
    gather(s, y, v)
    all_integrals(y, v, p.hs, w.re, w.im, S)
    for k in range(p.hs.shape[0]):
        K, C, h, kappa = p.K[k], p.C[k], p.hs[k], p.kappa[k] + s.curvature[0]
        turn = v[3 + k] - v[2 + k]
        bend[k] = -(K * (y[3 + k] - y[2 + k] + T * turn - h * kappa) + C * turn) / h
        w.extra[k] = T * (C + T * K) / h
    load[0, 2] = s.torque[0]
    solve_once(S, w.R, p.g, bend, w.extra, load, w.side, p.tip, w.P, w.b, p.held, w.rest, p.hs, p.rho, w.a)
    for i in range(v.shape[0]):
        V[0, i] = v[i] + T * w.a[i]
    # The port's mean velocity without force.
    move_of(V[0], S, p.port, mean)
    zx, zy = y[0], y[1]
    for k in range(p.port):
        mean[0] -= 0.5 * T * S[k, 8]
        mean[1] -= 0.5 * T * S[k, 9]
        zx += S[k, 17]
        zy += S[k, 18]
    mean[0] += (zx - s.q[0]) / T
    mean[1] += (zy - s.q[1]) / T
    mean[2] += (y[2 + p.port] - s.q[2]) / T
    # Each unit of force by itself: nothing turns, weighs or bends.
    for k in range(p.hs.shape[0]):
        bend[k] = 0.0
        for c in (8, 9, 10, 11, 15, 16):
            S[k, c] = 0.0
    load[0, 2] = 0.0
    for c in range(3):
        load[p.port, c] = 1.0
        solve_once(S, w.R, w.none, bend, w.extra, load, w.side, p.tip, w.P, w.b, p.held, w.rest, p.hs, p.rho, w.a)
        load[p.port, c] = 0.0
        for i in range(v.shape[0]):
            V[1 + c, i] = T * w.a[i]
        move_of(V[1 + c], S, p.port, w.J[c])


@kernel
def rate_of(V, i, h0, h1, h2):
    """Of one coordinate after the step."""
    return V[0, i] + V[1, i] * h0 + V[2, i] * h1 + V[3, i] * h2


@kernel
def commit(s, w, h0, h1, h2, T):
    """Move on under the force on the port."""
    V = w.V
    for c in range(3):
        s.q[c] += T * (w.mean[c] + w.J[0, c] * h0 + w.J[1, c] * h1 + w.J[2, c] * h2)
    for i in range(2):
        s.base_velocity[i] = rate_of(V, i, h0, h1, h2)
        s.base[i] += T * s.base_velocity[i]
    for k in range(s.angle.shape[0]):
        s.angle_rate[k] = rate_of(V, 2 + k, h0, h1, h2)
        s.angle[k] += T * s.angle_rate[k]


@kernel
def port_answer(p, s, w, h, T, motion, slope):
    """In x, y and the angle."""
    for i in range(3):
        motion[i] = w.mean[i]
        for c in range(3):
            motion[i] += w.J[c, i] * h[c]
            slope[i, c] = w.J[c, i]


@kernel
def port_advance(p, s, w, h, v, T):
    """Commit in x, y and the angle."""
    commit(s, w, h[0], h[1], h[2], T)
    for i in range(3):
        s.velocity[i] = v[i]
        s.position[i] += T * v[i]


@kernel
def along_answer(p, s, w, h, T):
    """Along one direction."""
    motion, slope = 0.0, 0.0
    for i in range(3):
        motion += p.along[i] * w.mean[i]
        for c in range(3):
            slope += p.along[i] * w.J[c, i] * p.along[c]
    return motion + slope * h, slope


@kernel
def along_advance(p, s, w, h, v, T):
    """Commit along one direction."""
    commit(s, w, h * p.along[0], h * p.along[1], h * p.along[2], T)
    s.velocity[0] = v
    s.position[0] += T * v


def port_kernels():
    """Force x, y and torque in."""
    return Halves(port_answer, port_advance, prepare, restore)


def along_kernels():
    """Force along one direction in."""
    return Halves(along_answer, along_advance, prepare, restore)
