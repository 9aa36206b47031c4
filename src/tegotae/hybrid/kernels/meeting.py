"""Two bodies of a tree that meet: their relative motion, how easily it gives way, and a tick under a wrench.

The first body carries a tip, the second a surface; everything is told in the surface's axes, z into the surface.
ends: numbers of both bodies.  shape: 0:3 tip, 3:12 its axes (by rows), in the first body; 12:15 origin of the surface,
15:24 its axes, in the second, each from the body's centre of mass.  hold (nv rows): gain, rate gain, target, lock.
seen: 0:7 pose of the tip (position, quaternion), 7:13 its twist, 13 kinetic energy [J].
"""

from typing import NamedTuple

import numpy as np

from tegotae.compile import kernel
from tegotae.hybrid.kernels.guard import cap
from tegotae.kernels.rotations import quaternion
from tegotae.multibody.kernels.kinematics import COM, FREE, WIDTH, X, forward_one, prepare_world
from tegotae.multibody.kernels.motion import move
from tegotae.multibody.kernels.passes import backward, clear_impulse, forward_two, respond
from tegotae.multibody.kernels.quantities import energies, jacobian

POSE, TWIST, ENERGY, SEEN = 0, 7, 13, 14


class Room(NamedTuple):
    """Arrays to work in, made once."""

    S: np.ndarray
    W: np.ndarray
    tau: np.ndarray
    slope: np.ndarray
    a: np.ndarray
    q: np.ndarray
    v: np.ndarray
    one: np.ndarray
    two: np.ndarray
    J: np.ndarray
    G: np.ndarray
    tip: np.ndarray
    axes: np.ndarray
    V: np.ndarray
    w: np.ndarray


def room(bodies, nq, nv):
    """Fresh arrays to work in."""
    six_by, square = (lambda: np.zeros((6, nv))), (lambda n: np.zeros((n, n)))
    return Room(
        np.zeros((bodies + 1, WIDTH)), np.zeros((bodies + 1, 6)), np.zeros(nv), np.zeros(nv), np.zeros(nv),
        np.zeros(nq), np.zeros(nv), six_by(), six_by(), six_by(), square(6), np.zeros(3), square(3), np.zeros(6),
        np.zeros(6),
    )  # fmt: skip


@kernel
def find_contact(ends, shape, o):
    """Tip and axes of the surface in the world, from the rows of S."""
    s, r = o.S[ends[0]], o.S[ends[1]]
    for i in range(3):
        o.tip[i] = s[COM + i] + s[3 * i] * shape[0] + s[3 * i + 1] * shape[1] + s[3 * i + 2] * shape[2]
        for j in range(3):
            o.axes[i, j] = r[3 * i] * shape[15 + j] + r[3 * i + 1] * shape[18 + j] + r[3 * i + 2] * shape[21 + j]


@kernel
def relate(model, ends, o):
    """J: relative twist of the tip by each speed, in the surface's axes."""
    jacobian(model.parent, model.kind, model.vi, o.S, ends[0], o.tip, o.one)
    jacobian(model.parent, model.kind, model.vi, o.S, ends[1], o.tip, o.two)
    for k in range(o.J.shape[1]):
        for i in range(3):
            a = b = 0.0
            for j in range(3):
                a += o.axes[j, i] * (o.one[j, k] - o.two[j, k])
                b += o.axes[j, i] * (o.one[3 + j, k] - o.two[3 + j, k])
            o.J[i, k], o.J[3 + i, k] = a, b


@kernel
def see(model, ends, shape, q, v, o, R, seen):
    """Pose and twist of the tip in the surface's axes, and the energy; S, J and axes are left behind."""
    forward_one(model.parent, model.kind, model.qi, model.vi, model.C, q, v, o.S)
    find_contact(ends, shape, o)
    relate(model, ends, o)
    s, r = o.S[ends[0]], o.S[ends[1]]
    for i in range(3):
        d = 0.0
        for j in range(3):
            origin = r[COM + j] + r[3 * j] * shape[12] + r[3 * j + 1] * shape[13] + r[3 * j + 2] * shape[14]
            d += o.axes[j, i] * (o.tip[j] - origin)
        seen[POSE + i] = d
        for j in range(3):
            R[i, j] = 0.0
            for a in range(3):
                turned = s[3 * a] * shape[3 + j] + s[3 * a + 1] * shape[6 + j] + s[3 * a + 2] * shape[9 + j]
                R[i, j] += o.axes[a, i] * turned
    quaternion(R, seen)
    for i in range(6):
        t = 0.0
        for k in range(len(v)):
            t += o.J[i, k] * v[k]
        seen[TWIST + i] = t
    seen[ENERGY] = energies(model.C, model.g, o.S)[0]


@kernel
def spread_wrench(S, ends, o, w, sign, to, column):
    """The wrench w (surface's axes, about the tip) on the first body, its opposite on the second, at mass centres."""
    for e in range(2):
        k = ends[e]
        way = sign if e == 0 else -sign
        f = o.w
        for i in range(3):
            f[i] = way * (o.axes[i, 0] * w[0] + o.axes[i, 1] * w[1] + o.axes[i, 2] * w[2])
            f[3 + i] = way * (o.axes[i, 0] * w[3] + o.axes[i, 1] * w[4] + o.axes[i, 2] * w[5])
        x, y, z = o.tip[0] - S[k, COM], o.tip[1] - S[k, COM + 1], o.tip[2] - S[k, COM + 2]
        f[3] += y * f[2] - z * f[1]
        f[4] += z * f[0] - x * f[2]
        f[5] += x * f[1] - y * f[0]
        for i in range(6):
            to[k, column + i] += f[i]


@kernel
def mobility(model, ends, o):
    """G: relative acceleration of the tip by a unit wrench; uses the elimination that `backward` left in S."""
    for j in range(6):
        clear_impulse(o.S)
        o.V[:] = 0.0
        o.V[j] = 1.0
        spread_wrench(o.S, ends, o, o.V, -1.0, o.S, X)
        respond(model.parent, model.kind, model.vi, o.S, o.a)
        for i in range(6):
            g = 0.0
            for k in range(len(o.a)):
                g += o.J[i, k] * o.a[k]
            o.G[i, j] = g


@kernel
def accelerate(model, ends, shape, hold, w, q, v, o):
    """Accelerations under the wrench and what holds the joints; S must not yet be at q."""
    forward_one(model.parent, model.kind, model.qi, model.vi, model.C, q, v, o.S)
    find_contact(ends, shape, o)
    o.W[:] = 0.0
    spread_wrench(o.S, ends, o, w, 1.0, o.W, 0)
    for k in range(len(model.parent)):
        if model.kind[k] != FREE:
            i, c = model.vi[k], model.qi[k]
            o.tau[i] = hold[i, 0] * (hold[i, 2] - q[c]) - hold[i, 1] * v[i]
            o.slope[i] = hold[i, 3]
    backward(model.parent, model.kind, model.vi, model.C, o.tau, o.slope, o.W, o.S)
    forward_two(model.parent, model.kind, model.vi, model.g, o.S, o.a)


@kernel
def drift(model, ends, shape, hold, w, q, v, T, o):
    """A tick under a held wrench by the midpoint rule: exact for bodies that do not turn."""
    accelerate(model, ends, shape, hold, w, q, v, o)
    for k in range(len(v)):
        o.v[k] = v[k] + 0.5 * T * o.a[k]
    move(model, q, v, 0.5 * T, o.q)
    accelerate(model, ends, shape, hold, w, o.q, o.v, o)
    for k in range(len(v)):
        o.v[k] = v[k] + 0.5 * T * o.a[k]  # mean speed of the tick
        v[k] += T * o.a[k]
    move(model, q, o.v, T, q)


@kernel
def meet(model, ends, shape, hold, w, q, v, T, substeps, B, guarded, o, R, seen):
    """One tick: the wrench is capped in place, the bodies follow, and are seen at its end.

    T = 0 only looks. Returns the mass that the contact feels along its normal.
    """
    prepare_world(o.S, model.g)
    see(model, ends, shape, q, v, o, R, seen)
    o.W[:] = 0.0
    for k in range(len(model.parent)):
        if model.kind[k] != FREE:
            o.tau[model.vi[k]], o.slope[model.vi[k]] = 0.0, hold[model.vi[k], 3]
    backward(model.parent, model.kind, model.vi, model.C, o.tau, o.slope, o.W, o.S)
    mobility(model, ends, o)
    mass = 1.0 / o.G[2, 2] if o.G[2, 2] > 0.0 else np.inf
    if T > 0.0:
        o.V[:] = seen[TWIST : TWIST + 6]
        cap(w, o.V, o.G, T, B, guarded)
        for _ in range(substeps):
            drift(model, ends, shape, hold, w, q, v, T / substeps, o)
        see(model, ends, shape, q, v, o, R, seen)
    return mass
