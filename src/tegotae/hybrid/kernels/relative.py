"""Two bodies of a tree that meet: their relative motion, how easily it gives way, and a tick under a wrench.

The first body carries a tip, the second a surface; everything is told in the surface's axes, z into the surface. Under
a wrench h that is held over a tick T, the tip moves in the mean with

    V + T/2 (b + G h):   V its twist now, b how it changes by itself, G its mobility.

The bodies themselves go by the midpoint rule, which agrees with that to second order. w keeps, from tick to tick, where
the bodies are (rows S), where the contact is (tip, axes), J and V.
"""

import numpy as np

from tegotae.block import Halves
from tegotae.compile import kernel, kernel_inside
from tegotae.kernels.rotations import quaternion
from tegotae.multibody.kernels.kinematics import (
    ACCELERATION,
    ALPHA,
    COM,
    FREE,
    OMEGA,
    S_,
    VELOCITY,
    X,
    forward_one,
    prepare_world,
)
from tegotae.multibody.kernels.motion import look_outside, move
from tegotae.multibody.kernels.passes import backward, clear_impulse, forward_two, respond
from tegotae.multibody.kernels.quantities import energies, jacobian
from tegotae.multibody.kernels.records import Model


@kernel_inside
def model_of(p):
    """The tree."""
    return Model(p.parent, p.kind, p.qi, p.vi, p.C, p.g)


@kernel
def find_contact(p, w):
    """Tip and axes of the surface in the world, from the rows of S."""
    s, r = w.S[p.ends[0]], w.S[p.ends[1]]
    for i in range(3):
        w.tip[i] = s[COM + i] + s[3 * i] * p.tip[0] + s[3 * i + 1] * p.tip[1] + s[3 * i + 2] * p.tip[2]
        for j in range(3):
            w.axes[i, j] = r[3 * i] * p.axes[0, j] + r[3 * i + 1] * p.axes[1, j] + r[3 * i + 2] * p.axes[2, j]


@kernel
def locate(p, s, w):
    """The rows of S, the contact, J (relative twist of the tip by each speed, in the surface's axes) and V = J v."""
    forward_one(p.parent, p.kind, p.qi, p.vi, p.C, s.q, s.v, w.S)
    find_contact(p, w)
    jacobian(p.parent, p.kind, p.vi, w.S, p.ends[0], w.tip, w.one)
    jacobian(p.parent, p.kind, p.vi, w.S, p.ends[1], w.tip, w.two)
    for k in range(w.J.shape[1]):
        for i in range(3):
            a = b = 0.0
            for j in range(3):
                a += w.axes[j, i] * (w.one[j, k] - w.two[j, k])
                b += w.axes[j, i] * (w.one[3 + j, k] - w.two[3 + j, k])
            w.J[i, k], w.J[3 + i, k] = a, b
    for i in range(6):
        t = 0.0
        for k in range(len(s.v)):
            t += w.J[i, k] * s.v[k]
        w.V[i] = t


@kernel
def see(p, w):
    """Pose of the tip in the surface's axes, and the kinetic energy."""
    a, r = w.S[p.ends[0]], w.S[p.ends[1]]
    for i in range(3):
        d = 0.0
        for j in range(3):
            origin = r[COM + j] + r[3 * j] * p.origin[0] + r[3 * j + 1] * p.origin[1] + r[3 * j + 2] * p.origin[2]
            d += w.axes[j, i] * (w.tip[j] - origin)
        w.pose[i] = d
        for j in range(3):
            w.R[i, j] = 0.0
            for k in range(3):
                own = a[3 * k] * p.tip_axes[0, j] + a[3 * k + 1] * p.tip_axes[1, j] + a[3 * k + 2] * p.tip_axes[2, j]
                w.R[i, j] += w.axes[k, i] * own
    quaternion(w.R, w.pose)
    w.energy[0] = energies(p.C, p.g, w.S)[0]


@kernel
def spread_wrench(p, w, h, sign, to, column):
    """The wrench h (surface's axes, about the tip) on the first body, its opposite on the second, at mass centres."""
    for e in range(2):
        k = p.ends[e]
        way = sign if e == 0 else -sign
        f, s = w.push, w.S[k]
        for i in range(3):
            f[i] = way * (w.axes[i, 0] * h[0] + w.axes[i, 1] * h[1] + w.axes[i, 2] * h[2])
            f[3 + i] = way * (w.axes[i, 0] * h[3] + w.axes[i, 1] * h[4] + w.axes[i, 2] * h[5])
        x, y, z = w.tip[0] - s[COM], w.tip[1] - s[COM + 1], w.tip[2] - s[COM + 2]
        f[3] += y * f[2] - z * f[1]
        f[4] += z * f[0] - x * f[2]
        f[5] += x * f[1] - y * f[0]
        for i in range(6):
            to[k, column + i] += f[i]


@kernel
def find_mobility(p, w):
    """G: relative acceleration of the tip by a unit wrench; uses the elimination that `backward` left in S."""
    for j in range(6):
        clear_impulse(w.S)
        w.unit[:] = 0.0
        w.unit[j] = 1.0
        spread_wrench(p, w, w.unit, -1.0, w.S, X)
        respond(p.parent, p.kind, p.vi, w.S, w.a)
        for i in range(6):
            g = 0.0
            for k in range(len(w.a)):
                g += w.J[i, k] * w.a[k]
            w.G[i, j] = g


@kernel
def cross(a, b, out):
    """out = a x b."""
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@kernel
def tip_motion(s, w, swing, velocity, acceleration):
    """Velocity and acceleration (from free fall) of the tip on the body in row s; swing is its spin x way."""
    way, bent, swung = np.empty(3), np.empty(3), np.empty(3)
    for i in range(3):
        way[i] = w.tip[i] - s[COM + i]
        bent[i] = s[S_ + 3 + i] + s[ALPHA + i]
    cross(s[OMEGA : OMEGA + 3], way, swing)
    cross(bent, way, swung)
    cross(s[OMEGA : OMEGA + 3], swing, bent)
    for i in range(3):
        velocity[i] = s[VELOCITY + i] + swing[i]
        acceleration[i] = s[S_ + i] + s[ACCELERATION + i] + swung[i] + bent[i]


@kernel
def find_drift(p, w):
    """b: how the twist V changes by itself, for the accelerations that `forward_two` left in S.

    The tip is a point of the first body. The surface's axes turn with the second, and the point of the second body that
    lies under the tip is another one in the next moment: both bend the path by w2 x u.
    """
    one, two = w.S[p.ends[0]], w.S[p.ends[1]]
    swing, v1, a1, v2, a2 = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    tip_motion(one, w, swing, v1, a1)
    tip_motion(two, w, swing, v2, a2)
    u, bent, spun, spins = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for i in range(3):
        u[i], spun[i] = v1[i] - v2[i], one[OMEGA + i] - two[OMEGA + i]
    cross(two[OMEGA : OMEGA + 3], u, bent)
    cross(two[OMEGA : OMEGA + 3], spun, spins)
    for i in range(3):
        u[i] = a1[i] - a2[i] - 2.0 * bent[i]
        spun[i] = one[S_ + 3 + i] + one[ALPHA + i] - two[S_ + 3 + i] - two[ALPHA + i] - spins[i]
    for i in range(3):
        a = b = 0.0
        for j in range(3):
            a += w.axes[j, i] * u[j]
            b += w.axes[j, i] * spun[j]
        w.b[i], w.b[3 + i] = a, b


@kernel
def eliminate(p, w, q, v, half):
    """The accelerations under the wrenches in w.wrench and what holds the joints, for rows S at q and v.

    What holds the joints counts as it will be half a tick later, 0 for now.
    """
    for k in range(len(p.parent)):
        if p.kind[k] != FREE:
            i, c = p.vi[k], p.qi[k]
            w.tau[i] = p.gain[i] * (w.target[i] - (q[c] + half * v[i])) - p.damping[i] * v[i]
            w.slope[i] = p.lock[i] + half * (p.damping[i] + half * p.gain[i])
    backward(p.parent, p.kind, p.vi, p.C, w.tau, w.slope, w.wrench, w.S)
    forward_two(p.parent, p.kind, p.vi, p.g, w.S, w.a)


@kernel
def accelerate(p, w, h, q, v):
    """Accelerations at q and v under the wrench h."""
    forward_one(p.parent, p.kind, p.qi, p.vi, p.C, q, v, w.S)
    find_contact(p, w)
    w.wrench[:] = 0.0
    spread_wrench(p, w, h, 1.0, w.wrench, 0)
    eliminate(p, w, q, v, 0.0)


@kernel
def drift(p, s, w, h, T):
    """A step under a held wrench by the midpoint rule: exact for bodies that do not turn."""
    model, q, v = model_of(p), s.q, s.v
    accelerate(p, w, h, q, v)
    for k in range(len(v)):
        w.v[k] = v[k] + 0.5 * T * w.a[k]
    move(model, q, v, 0.5 * T, w.q)
    accelerate(p, w, h, w.q, w.v)
    for k in range(len(v)):
        w.v[k] = v[k] + 0.5 * T * w.a[k]  # mean speed of the step
        v[k] += T * w.a[k]
    move(model, q, w.v, T, q)


@kernel
def restore(p, s, w):
    """What w keeps from tick to tick."""
    prepare_world(w.S, p.g)
    locate(p, s, w)
    see(p, w)


@kernel
def prepare(p, s, w, T):
    """V, b and G are the same for all trials."""
    for o in range(len(w.target)):
        w.target[o] = 0.0
    for j in range(len(s.target)):
        w.target[p.steered[j]] = s.target[j]
    w.wrench[:] = 0.0
    eliminate(p, w, s.q, s.v, 0.5 * T)
    find_drift(p, w)
    find_mobility(p, w)


@kernel
def answer(p, s, w, h, T, motion, slope):
    """V + T/2 (b + G h), and T/2 G."""
    for i in range(6):
        bent = w.b[i]
        for j in range(6):
            slope[i, j] = 0.5 * T * w.G[i, j]
            bent += w.G[i, j] * h[j]
        motion[i] = w.V[i] + 0.5 * T * bent


@kernel
def advance(p, s, w, h, v, T):
    """Let the bodies move, and look at where that led."""
    s.velocity[:] = v
    s.mobility[0] = w.G[2, 2]
    for _ in range(p.substeps):
        drift(p, s, w, h, T / p.substeps)
    locate(p, s, w)
    see(p, w)
    s.place[:] = w.pose[0:3]
    s.quaternion[:] = w.pose[3:7]
    s.twist[:] = w.V
    s.energy[0] = w.energy[0]
    look_outside(model_of(p), p.centers, s.q, s.v, s.Q, s.V)


def relative_kernels():
    """A wrench between tip and surface in, their relative motion out."""
    return Halves(answer, advance, prepare, restore)
