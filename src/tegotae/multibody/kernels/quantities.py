"""What Python asks of a tree: accelerations, torques for a motion, energy, momentum, Jacobians, mass matrix.

Kernels read the rows that `forward_one` left in S; the entries below go over rows of q and v. p is its `Model`.
"""

import numpy as np

from tegotae.compile import entry, kernel
from tegotae.multibody.kernels import kinematics as at
from tegotae.multibody.kernels.kinematics import forward_one, prepare_world
from tegotae.multibody.kernels.passes import accelerate, p_dot


@kernel
def spread(parent, kind, vi, g, a, S):
    """s of every body for given accelerations a (counted from free fall)."""
    for k in range(len(parent)):
        s = S[k]
        o = vi[k]
        if kind[k] == at.FREE:
            for j in range(3):
                s[at.S_ + j], s[at.S_ + 3 + j] = a[o + j] - g[j], a[o + 3 + j]
            continue
        i = S[parent[k]]
        u = a[o]
        d0, d1, d2 = s[at.D_WAY], s[at.D_WAY + 1], s[at.D_WAY + 2]
        x3, x4, x5 = i[at.S_ + 3], i[at.S_ + 4], i[at.S_ + 5]
        s[at.S_] = i[at.S_] + x4 * d2 - x5 * d1 + s[at.P] * u
        s[at.S_ + 1] = i[at.S_ + 1] + x5 * d0 - x3 * d2 + s[at.P + 1] * u
        s[at.S_ + 2] = i[at.S_ + 2] + x3 * d1 - x4 * d0 + s[at.P + 2] * u
        s[at.S_ + 3] = x3 + s[at.P + 3] * u
        s[at.S_ + 4] = x4 + s[at.P + 4] * u
        s[at.S_ + 5] = x5 + s[at.P + 5] * u


@kernel
def gather(parent, kind, vi, C, a, S, tau):
    """Wrenches in columns X, from the tips to the base; tau = p.X is what each joint carries, and its armature
    takes."""
    for back in range(len(parent)):
        k = len(parent) - 1 - back
        s = S[k]
        o = vi[k]
        if kind[k] == at.FREE:
            for j in range(6):
                tau[o + j] = s[at.X + j]
            continue
        tau[o] = p_dot(s, at.X) + C[k, at.ARMATURE] * a[o]
        i = S[parent[k]]
        x0, x1, x2 = s[at.X], s[at.X + 1], s[at.X + 2]
        i[at.X] += x0
        i[at.X + 1] += x1
        i[at.X + 2] += x2
        i[at.X + 3] += s[at.X + 3] + s[at.D_WAY + 1] * x2 - s[at.D_WAY + 2] * x1
        i[at.X + 4] += s[at.X + 4] + s[at.D_WAY + 2] * x0 - s[at.D_WAY] * x2
        i[at.X + 5] += s[at.X + 5] + s[at.D_WAY] * x1 - s[at.D_WAY + 1] * x0


@kernel
def own_wrench(mass, s, with_bias):
    """M_k s_k (+ own bias) of one body into columns X."""
    xx, yy, zz = s[at.OWN_INERTIA], s[at.OWN_INERTIA + 1], s[at.OWN_INERTIA + 2]
    xy, xz, yz = s[at.OWN_INERTIA + 3], s[at.OWN_INERTIA + 4], s[at.OWN_INERTIA + 5]
    a0, a1, a2 = s[at.S_ + 3], s[at.S_ + 4], s[at.S_ + 5]
    for j in range(3):
        s[at.X + j] = mass * s[at.S_ + j]
    s[at.X + 3] = xx * a0 + xy * a1 + xz * a2
    s[at.X + 4] = xy * a0 + yy * a1 + yz * a2
    s[at.X + 5] = xz * a0 + yz * a1 + zz * a2
    if with_bias:
        for j in range(6):
            s[at.X + j] += s[at.OWN_BIAS + j]


@kernel
def needed(parent, kind, vi, C, g, a, wrench, S):
    """Into columns X: what each body by itself needs for the accelerations a, beside gravity and its wrench."""
    spread(parent, kind, vi, g, a, S)
    for k in range(len(parent)):
        own_wrench(C[k, at.MASS], S[k], True)
        for j in range(6):
            S[k, at.X + j] -= wrench[k, j]
    for j in range(6):
        S[-1, at.X + j] = 0.0


@kernel
def inverse(parent, kind, vi, C, g, a, wrench, S, tau):
    """tau = M a + bias - J'wrench."""
    needed(parent, kind, vi, C, g, a, wrench, S)
    gather(parent, kind, vi, C, a, S, tau)


@kernel
def mass_matrix(parent, kind, vi, C, zero, unit, S, M):
    """Column by column: the torques of a unit acceleration of one coordinate, without gravity and motion."""
    for o in range(len(unit)):
        unit[:] = 0.0
        unit[o] = 1.0
        spread(parent, kind, vi, zero, unit, S)
        for k in range(len(parent)):
            own_wrench(C[k, at.MASS], S[k], False)
        gather(parent, kind, vi, C, unit, S, M[o])


@kernel
def energies(C, g, S):
    """Kinetic and potential energy [J]; the latter is 0 for bodies at the height of the world's origin."""
    kinetic = potential = 0.0
    for k in range(len(C)):
        s, m = S[k], C[k, at.MASS]
        w0, w1, w2 = s[at.OMEGA], s[at.OMEGA + 1], s[at.OMEGA + 2]
        xx, yy, zz = s[at.OWN_INERTIA], s[at.OWN_INERTIA + 1], s[at.OWN_INERTIA + 2]
        xy, xz, yz = s[at.OWN_INERTIA + 3], s[at.OWN_INERTIA + 4], s[at.OWN_INERTIA + 5]
        v2 = s[at.VELOCITY] ** 2 + s[at.VELOCITY + 1] ** 2 + s[at.VELOCITY + 2] ** 2
        kinetic += 0.5 * (m * v2 + xx * w0 * w0 + yy * w1 * w1 + zz * w2 * w2)
        kinetic += xy * w0 * w1 + xz * w0 * w2 + yz * w1 * w2
        for j in range(3):
            potential -= m * g[j] * s[at.COM + j]
    return kinetic, potential


@kernel
def rotor_energy(kind, vi, C, v):
    """Kinetic energy of what armatures stand for [J]."""
    energy = 0.0
    for k in range(len(C)):
        if kind[k] != at.FREE:
            energy += 0.5 * C[k, at.ARMATURE] * v[vi[k]] * v[vi[k]]
    return energy


@kernel
def momenta(C, S, out):
    """Mass centre (3), linear momentum (3), angular momentum about the world's origin (3) into out."""
    out[:] = 0.0
    total = 0.0
    for k in range(len(C)):
        s, m = S[k], C[k, at.MASS]
        total += m
        w0, w1, w2 = s[at.OMEGA], s[at.OMEGA + 1], s[at.OMEGA + 2]
        xx, yy, zz = s[at.OWN_INERTIA], s[at.OWN_INERTIA + 1], s[at.OWN_INERTIA + 2]
        xy, xz, yz = s[at.OWN_INERTIA + 3], s[at.OWN_INERTIA + 4], s[at.OWN_INERTIA + 5]
        c0, c1, c2 = s[at.COM], s[at.COM + 1], s[at.COM + 2]
        p0, p1, p2 = m * s[at.VELOCITY], m * s[at.VELOCITY + 1], m * s[at.VELOCITY + 2]
        out[0] += m * c0
        out[1] += m * c1
        out[2] += m * c2
        out[3] += p0
        out[4] += p1
        out[5] += p2
        out[6] += xx * w0 + xy * w1 + xz * w2 + c1 * p2 - c2 * p1
        out[7] += xy * w0 + yy * w1 + yz * w2 + c2 * p0 - c0 * p2
        out[8] += xz * w0 + yz * w1 + zz * w2 + c0 * p1 - c1 * p0
    for j in range(3):
        out[j] /= total


@entry
def jacobian(parent, kind, vi, S, k, x, J):
    """Columns of (velocity of the point x of body k, its angular velocity) by each speed; x in the world."""
    J[:] = 0.0
    while k >= 0:
        s = S[k]
        o = vi[k]
        r0, r1, r2 = x[0] - s[at.COM], x[1] - s[at.COM + 1], x[2] - s[at.COM + 2]
        if kind[k] == at.FREE:
            for j in range(3):
                J[j, o + j] = J[3 + j, o + 3 + j] = 1.0
            J[0, o + 4], J[0, o + 5] = r2, -r1
            J[1, o + 3], J[1, o + 5] = -r2, r0
            J[2, o + 3], J[2, o + 4] = r1, -r0
        else:
            l0, l1, l2 = s[at.P + 3], s[at.P + 4], s[at.P + 5]
            J[0, o] = s[at.P] + l1 * r2 - l2 * r1
            J[1, o] = s[at.P + 1] + l2 * r0 - l0 * r2
            J[2, o] = s[at.P + 2] + l0 * r1 - l1 * r0
            J[3, o], J[4, o], J[5, o] = l0, l1, l2
        k = parent[k]


# ------------------------------------------------------------ what Python asks, over rows of q and v


@kernel
def push_free(kind, vi, tau, wrench, W):
    """Wrenches of one row: those given, and what tau says of free bodies."""
    W[:] = wrench
    for k in range(len(kind)):
        if kind[k] == at.FREE:
            for j in range(6):
                W[k, j] += tau[vi[k] + j]


@entry
def accelerations(p, Q, V, tau, slope, wrench, W, S, out):
    """Of every row, under torques and wrenches."""
    prepare_world(S, p.g)
    for i in range(len(Q)):
        push_free(p.kind, p.vi, tau[i], wrench[i if len(wrench) > 1 else 0], W)
        accelerate(p.parent, p.kind, p.qi, p.vi, p.C, p.g, Q[i], V[i], tau[i], slope, W, S, out[i])


@entry
def torques(p, Q, V, A, wrench, S, out):
    """Of every row, for accelerations A."""
    prepare_world(S, p.g)
    for i in range(len(Q)):
        forward_one(p.parent, p.kind, p.qi, p.vi, p.C, Q[i], V[i], S)
        inverse(p.parent, p.kind, p.vi, p.C, p.g, A[i], wrench[i if len(wrench) > 1 else 0], S, out[i])


@entry
def energies_and_momenta(p, Q, V, S, energy, motion):
    """Kinetic, potential energy; mass centre, momentum, angular momentum."""
    prepare_world(S, p.g)
    for i in range(len(Q)):
        forward_one(p.parent, p.kind, p.qi, p.vi, p.C, Q[i], V[i], S)
        energy[i, 0], energy[i, 1] = energies(p.C, p.g, S)
        energy[i, 0] += rotor_energy(p.kind, p.vi, p.C, V[i])
        momenta(p.C, S, motion[i])


@entry
def masses(p, q, v, S, M, unit):
    """Rows of S at q and v, and the mass matrix."""
    zero = np.zeros(3)
    prepare_world(S, zero)
    forward_one(p.parent, p.kind, p.qi, p.vi, p.C, q, v, S)
    mass_matrix(p.parent, p.kind, p.vi, p.C, zero, unit, S, M)


@entry
def track(p, Q, v, S, rows):
    """Rotation and centre of mass of every body, tick by tick; v = 0, for they do not depend on it."""
    prepare_world(S, np.zeros(3))
    for i in range(len(Q)):
        forward_one(p.parent, p.kind, p.qi, p.vi, p.C, Q[i], v, S)
        for k in range(len(p.parent)):
            for j in range(12):
                rows[i, k, j] = S[k, j]
