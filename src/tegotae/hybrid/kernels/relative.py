"""Two bodies of a tree that meet: their relative motion, how easily it gives way, and a tick under a wrench.

The first body carries a tip, the second a surface; everything is told in the surface's axes, z into the surface. Under
a wrench h that is held over a tick T, the tip moves in the mean with

    V + T/2 (b + G h):   V its twist now, b how it changes by itself, G its mobility.

The bodies themselves go by the midpoint rule, which agrees with that to second order. Friction of joints answers their
mean speeds, exactly: it sticks or slips for the whole step, found as in a scene (`multibody/kernels/joints.py`). w
keeps, from tick to tick, where the bodies are (rows S), where the contact is (tip, axes), J and V.
"""

import math
from functools import cache

import numpy as np

from tegotae.block import Halves
from tegotae.compile import kernel, kernel_inside
from tegotae.kernels.rotations import cross, quaternion
from tegotae.multibody.kernels.joints import commit_friction, rubs, slope_kernels, stiction_kernels, with_customs
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
    look_outside,
    move,
    prepare_world,
)
from tegotae.multibody.kernels.passes import clear_impulse, respond
from tegotae.multibody.kernels.quantities import energies, jacobian, rotor_energy
from tegotae.multibody.kernels.records import Friction


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
def see(p, w, v):
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
                axis = a[3 * k] * p.tip_axes[0, j] + a[3 * k + 1] * p.tip_axes[1, j] + a[3 * k + 2] * p.tip_axes[2, j]
                w.R[i, j] += w.axes[k, i] * axis
    quaternion(w.R, w.pose)
    w.energy[0] = energies(p.C, p.g, w.S)[0] + rotor_energy(p.kind, p.vi, p.C, v)


@kernel
def spread_wrench(p, w, h, sign, to, column):
    """The wrench h (surface's axes, about the tip) on the first body, its opposite on the second, at mass centres."""
    for e in range(2):
        k = p.ends[e]
        if k < 0:
            continue
        direction = sign if e == 0 else -sign
        f, s = w.push, w.S[k]
        for i in range(3):
            f[i] = direction * (w.axes[i, 0] * h[0] + w.axes[i, 1] * h[1] + w.axes[i, 2] * h[2])
            f[3 + i] = direction * (w.axes[i, 0] * h[3] + w.axes[i, 1] * h[4] + w.axes[i, 2] * h[5])
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
def tip_motion(s, w, swing, velocity, acceleration):
    """Velocity and acceleration (from free fall) of the tip on the body in row s; swing is its spin x arm."""
    arm, bent, swung = np.empty(3), np.empty(3), np.empty(3)
    for i in range(3):
        arm[i] = w.tip[i] - s[COM + i]
        bent[i] = s[S_ + 3 + i] + s[ALPHA + i]
    p, q, r = s[OMEGA], s[OMEGA + 1], s[OMEGA + 2]
    swing[0], swing[1], swing[2] = cross(p, q, r, arm[0], arm[1], arm[2])
    swung[0], swung[1], swung[2] = cross(bent[0], bent[1], bent[2], arm[0], arm[1], arm[2])
    bent[0], bent[1], bent[2] = cross(p, q, r, swing[0], swing[1], swing[2])
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
    x, y, z = two[OMEGA], two[OMEGA + 1], two[OMEGA + 2]
    bent[0], bent[1], bent[2] = cross(x, y, z, u[0], u[1], u[2])
    spins[0], spins[1], spins[2] = cross(x, y, z, spun[0], spun[1], spun[2])
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
def hold_joints(p, w, q, v, half):
    """Torques and slopes of what holds the joints beside friction, as it will be half a tick later; 0 for now."""
    for k in range(len(p.parent)):
        o, c = p.vi[k], p.qi[k]
        if p.kind[k] == FREE:
            continue
        if p.damping[o] == math.inf:
            w.free_tau[o], w.free_slope[o] = 0.0, math.inf
            continue
        resists = p.damping[o] + p.rate_gain[o]
        w.free_tau[o] = p.gain[o] * (w.target[o] - (q[c] + half * v[o])) - resists * v[o]
        w.free_slope[o] = half * (resists + half * p.gain[o])


@kernel_inside
def friction_of(w):
    """Friction in the joints during a trial."""
    return Friction(w.e, w.mode, w.r, w.rise, w.at, w.f)


@kernel
def take_friction(s, w):
    """As the last tick left it.

    A joint moves with its mean speed v + T/2 a, so its element is stepped by half a tick: with half its stretch, and
    twice its stiffness in p, which is the same element over the whole tick.
    """
    for o in range(len(s.v)):
        w.e[o], w.mode[o], w.r[o] = 0.5 * s.e[o], s.mode[o], s.r[o]
        w.rise[o], w.at[o], w.f[o] = s.rise[o], s.at[o], 0.0


@kernel
def keep_friction(p, s, w, T):
    """What a step with the mean speeds in w.v1 leaves; see `commit` in `multibody/kernels/stepping.py`."""
    commit_friction(p, friction_of(w), 0.5 * T)
    for o in range(len(s.v)):
        s.e[o], s.f[o], s.mode[o] = 2.0 * w.e[o], w.f[o], w.mode[o]
        slips = w.mode[o] != 0
        s.r[o] = w.r[o] + w.rise[o] * w.mode[o] * (w.v1[o] - w.at[o]) if slips else 0.0
        s.rise[o], s.at[o] = (w.rise[o], w.v1[o]) if slips else (0.0, 0.0)


@kernel
def any_rubs(p):
    """Whether a joint that can move has friction."""
    found = False
    for o in range(len(p.law)):
        found = found or rubs(p.law[o], p.damping[o])
    return found


@kernel
def restore(p, s, w):
    """What w keeps from tick to tick."""
    prepare_world(w.S, p.g)
    locate(p, s, w)
    see(p, w, s.v)


@cache
def relative_kernels(*halves):
    """A wrench between tip and surface in, their relative motion out; `halves` are friction laws of the user's own."""
    laws = with_customs(*halves)
    (solve_friction, _), (sharpen, _) = stiction_kernels(*laws), slope_kernels(*laws)

    @kernel
    def pushed(p, s, w, h, T):
        """The accelerations under the wrench h, and mean speeds over T in w.v1. True if friction is solved."""
        w.wrench[:] = 0.0
        spread_wrench(p, w, h, 1.0, w.wrench, 0)
        return solve_friction(p, w, friction_of(w), s.v, 0.5 * T)

    @kernel
    def pushed_at(p, s, w, h, q, v, T):
        """The same with bodies at q and v."""
        forward_one(p.parent, p.kind, p.qi, p.vi, p.C, q, v, w.S)
        find_contact(p, w)
        hold_joints(p, w, q, v, 0.0)
        return pushed(p, s, w, h, T)

    @kernel
    def drift(p, s, w, h, T):
        """A step under a held wrench by the midpoint rule: exact for bodies that do not turn. True if it is solved."""
        take_friction(s, w)
        pushed_at(p, s, w, h, s.q, s.v, T)
        move(p, s.q, s.v, 0.5 * T, w.q)
        solved = pushed_at(p, s, w, h, w.q, w.v1, T)
        keep_friction(p, s, w, T)
        for k in range(len(s.v)):
            s.v[k] += T * w.a[k]
        move(p, s.q, w.v1, T, s.q)
        return solved

    @kernel
    def prepare(p, s, w, T):
        """V, b and G without a wrench; where nothing rubs they are the same for all trials."""
        for o in range(len(w.target)):
            w.target[o] = 0.0
        for j in range(len(s.target)):
            w.target[p.steered[j]] = s.target[j]
        hold_joints(p, w, s.q, s.v, 0.5 * T)
        take_friction(s, w)
        w.unit[:] = 0.0
        pushed(p, s, w, w.unit, T)
        find_drift(p, w)
        find_mobility(p, w)
        w.normal[0] = w.G[2, 2]

    @kernel
    def answer(p, s, w, h, T, motion, slope):
        """V + T/2 (b + G h), and T/2 G. Where joints rub, b is found with h, in the modes that friction settles in."""
        linear = not any_rubs(p)
        if not linear:
            take_friction(s, w)
            pushed(p, s, w, h, T)
            find_drift(p, w)
            sharpen(p, w, friction_of(w), 0.5 * T)
            find_mobility(p, w)
        for i in range(6):
            bent = w.b[i]
            for j in range(6):
                slope[i, j] = 0.5 * T * w.G[i, j]
                if linear:
                    bent += w.G[i, j] * h[j]
            motion[i] = w.V[i] + 0.5 * T * bent

    @kernel
    def advance(p, s, w, h, v, T):
        """Let the bodies move, and look at where that led."""
        s.velocity[:] = v
        s.mobility[0] = w.normal[0]
        solved = True
        for _ in range(p.substeps):
            solved = drift(p, s, w, h, T / p.substeps) and solved
        s.unsolved[0] += 0 if solved else 1
        locate(p, s, w)
        see(p, w, s.v)
        s.place[:] = w.pose[0:3]
        s.quaternion[:] = w.pose[3:7]
        s.twist[:] = w.V
        s.energy[0] = w.energy[0]
        look_outside(p, s.q, s.v, s.Q, s.V)

    return Halves(answer, advance, prepare, restore)
