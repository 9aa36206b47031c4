"""A planar rod as an admittance: force and torque on each port in, its motion out, at a fixed period T.

A step is linearly implicit: bending is taken at its end, inertia and turning at its start, so the rates at its end,
v1 = v + T a, are linear in the forces h on the ports, and so is the motion of each over the tick:

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
def move_of(u, S, nodes, out):
    """The ports' velocities for the rates u of all coordinates, into out (ports, 3)."""
    for i in range(nodes.shape[0]):
        node = nodes[i]
        x, y = u[0], u[1]
        for k in range(node):
            x -= S[k, 1] * u[2 + k] + S[k, 3] * u[3 + k]
            y += S[k, 0] * u[2 + k] + S[k, 2] * u[3 + k]
        out[i, 0], out[i, 1], out[i, 2] = x, y, u[2 + node]


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
    """Rates after the step for no force (free) and by each unit of force (V); the ports' mean velocity for no force,
    its change J by each unit.
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
        w.free[i] = v[i] + T * w.a[i]
    # The ports' mean velocity without force.
    move_of(w.free, S, p.node, mean)
    for i in range(p.node.shape[0]):
        zx, zy = y[0], y[1]
        for k in range(p.node[i]):
            mean[i, 0] -= 0.5 * T * S[k, 8]
            mean[i, 1] -= 0.5 * T * S[k, 9]
            zx += S[k, 17]
            zy += S[k, 18]
        mean[i, 0] += (zx - s.q[i, 0]) / T
        mean[i, 1] += (zy - s.q[i, 1]) / T
        mean[i, 2] += (y[2 + p.node[i]] - s.q[i, 2]) / T
    # Each unit of force by itself: nothing turns, weighs or bends.
    for k in range(p.hs.shape[0]):
        bend[k] = 0.0
        for c in (8, 9, 10, 11, 15, 16):
            S[k, c] = 0.0
    load[0, 2] = 0.0
    for c in range(V.shape[0]):
        node, way = p.node[c // 3], c % 3
        load[node, way] = 1.0
        solve_once(S, w.R, w.none, bend, w.extra, load, w.side, p.tip, w.P, w.b, p.held, w.rest, p.hs, p.rho, w.a)
        load[node, way] = 0.0
        for i in range(v.shape[0]):
            V[c, i] = T * w.a[i]
        move_of(V[c], S, p.node, w.J[c])


@kernel
def commit(s, w, T):
    """Move on under the forces w.h on the ports."""
    h, V = w.h, w.V
    for i in range(s.q.shape[0]):
        for c in range(3):
            moved = w.mean[i, c]
            for j in range(h.shape[0]):
                moved += w.J[j, i, c] * h[j]
            s.q[i, c] += T * moved
    for j in range(h.shape[0]):
        for i in range(w.free.shape[0]):
            w.free[i] += V[j, i] * h[j]
    for i in range(2):
        s.base_velocity[i] = w.free[i]
        s.base[i] += T * s.base_velocity[i]
    for k in range(s.angle.shape[0]):
        s.angle_rate[k] = w.free[2 + k]
        s.angle[k] += T * s.angle_rate[k]


@kernel
def port_answer(p, s, w, h, T, motion, slope):
    """At each port in x, y and the angle."""
    for i in range(p.node.shape[0]):
        for c in range(3):
            motion[3 * i + c] = w.mean[i, c]
            for j in range(h.shape[0]):
                motion[3 * i + c] += w.J[j, i, c] * h[j]
                slope[3 * i + c, j] = w.J[j, i, c]


@kernel
def port_advance(p, s, w, h, v, T):
    """Commit in x, y and the angle."""
    w.h[:] = h
    commit(s, w, T)
    for i in range(h.shape[0]):
        s.velocity[i] = v[i]
        s.position[i] += T * v[i]


@kernel
def along_answer(p, s, w, h, T):
    """Along one direction."""
    motion, slope = 0.0, 0.0
    for i in range(3):
        motion += p.along[i] * w.mean[0, i]
        for c in range(3):
            slope += p.along[i] * w.J[c, 0, i] * p.along[c]
    return motion + slope * h, slope


@kernel
def along_advance(p, s, w, h, v, T):
    """Commit along one direction."""
    for c in range(3):
        w.h[c] = h * p.along[c]
    commit(s, w, T)
    s.velocity[0] = v
    s.position[0] += T * v


def port_kernels():
    """Force x, y and torque on each port in."""
    return Halves(port_answer, port_advance, prepare, restore)


def along_kernels():
    """Force along one direction in."""
    return Halves(along_answer, along_advance, prepare, restore)
