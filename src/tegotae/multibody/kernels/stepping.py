"""Ticks of a scene: implicit with stiction and contact, or explicit without.

q, v are those of the centres of mass of free bodies, Q, V those that users see. Rows S of where the bodies are and how
they move, and the places of what may touch, are worked out at the end of a tick, because gaps and forces are seen from
them, and kept in w for the next one.
"""

import math
from functools import cache

from tegotae.block import Halves
from tegotae.compile import kernel, kernel_inside
from tegotae.multibody.kernels import joint_laws
from tegotae.multibody.kernels.contacts import activate, commit_contacts, contact_kernels
from tegotae.multibody.kernels.joint_steps import commit_friction, prepare_joints
from tegotae.multibody.kernels.kinematics import FREE, forward_one, prepare_world
from tegotae.multibody.kernels.motion import look_outside, move, rates_of, spin_evenly, straighten
from tegotae.multibody.kernels.passes import backward, forward_two
from tegotae.multibody.kernels.places import locate, spring_wrenches, turned_into
from tegotae.multibody.kernels.port import joints_of, model_of, work_of
from tegotae.multibody.kernels.records import FORCE, GAP, ON, Dual, Friction, Touches
from tegotae.multibody.kernels.stiction import stiction_kernels

FAR = 1e30  # m: the gap where there is no surface at all, such as beside a plate; a state has finite numbers


@kernel_inside
def touches_of(p):
    """What may touch."""
    return Touches(p.which, p.contacts)


@kernel_inside
def friction_of(s):
    """Friction in the joints: nobody tries a tick, so it is found where it is kept."""
    return Friction(s.e, s.mode, s.r, s.rise, s.at, s.f)


@kernel_inside
def dual_of(p, w):
    """The problem of contacts and joints."""
    return Dual(w.W, w.columns, w.blocks, w.limit, w.active, w.work, w.levers, p.root, w.fresh)


@kernel
def reposition(p, w, q, v):
    """Rows of S and places of what may touch, at q and v."""
    forward_one(p.parent, p.kind, p.qi, p.vi, p.C, q, v, w.S)
    if len(p.which) > 0:
        locate(touches_of(p), w.places, w.S)


@kernel
def restore(p, s, w):
    """What w keeps from tick to tick. Joints without a servo have a target, too: that of no gain."""
    w.zero[:] = 0.0
    w.torque[:] = 0.0
    w.target[:] = 0.0
    w.wrench[:] = 0.0
    w.pushed[0] = 0
    prepare_world(w.S, p.g)
    reposition(p, w, s.q, s.v)


@kernel
def feed(p, s, w):
    """Torques and targets as they are fed now, one a speed."""
    for j in range(len(s.torque)):
        w.torque[p.pulled[j]] = s.torque[j]
    for j in range(len(s.target)):
        w.target[p.steered[j]] = s.target[j]


@kernel
def push_bodies(p, s, w):
    """Wrenches from outside onto each body at its centre of mass; most scenes have none."""
    if w.pushed[0] == 1:
        w.wrench[:] = 0.0
        w.pushed[0] = 0
    for j in range(len(p.frame_body)):
        k, f = p.frame_body[j], s.push[j]
        quiet = f[0] == 0.0 and f[1] == 0.0 and f[2] == 0.0 and f[3] == 0.0 and f[4] == 0.0 and f[5] == 0.0
        if quiet or k < 0:
            continue
        w.pushed[0] = 1
        row, x = w.S[k], p.frame_place[j]
        r0 = row[0] * x[0] + row[1] * x[1] + row[2] * x[2]
        r1 = row[3] * x[0] + row[4] * x[1] + row[5] * x[2]
        r2 = row[6] * x[0] + row[7] * x[1] + row[8] * x[2]
        for a in range(6):
            w.wrench[k, a] += f[a]
        w.wrench[k, 3] += r1 * f[2] - r2 * f[1]
        w.wrench[k, 4] += r2 * f[0] - r0 * f[2]
        w.wrench[k, 5] += r0 * f[1] - r1 * f[0]


@kernel
def tell_forces(p, s, w):
    """Forces of contacts on what touches, in world axes: as the surfaces stand in the rows of S."""
    for c in range(len(p.which)):
        turned_into(w.S[p.which[c, ON]], s.touching[c, FORCE : FORCE + 3], s.contact[c])


@kernel
def show(p, s, w):
    """What users see of where a tick led: coordinates and gaps."""
    look_outside(model_of(p), p.centers, s.q, s.v, s.Q, s.V)
    for c in range(len(p.which)):
        s.gap[c] = min(w.places[c, GAP], FAR)


@kernel
def answer(p, s, w, h, T, motion, slope):
    """A scene meets nobody else: it has no ports."""
    return


# ---------------------------------------------------------------- implicit


@cache
def implicit_kernels(*halves):
    """A fixed period with friction in joints and contacts, all implicit; `halves` are laws of the user's own."""
    at_rest, resolve = joint_laws.with_customs(*halves)
    settle = stiction_kernels(at_rest, resolve)
    meet = contact_kernels(at_rest, resolve)

    @kernel
    def advance(p, s, w, h, v, T):
        """One tick: from rows of S at its start to speeds at its end, and on."""
        model, joints, work, friction = model_of(p), joints_of(p, w), work_of(w), friction_of(s)
        feed(p, s, w)
        push_bodies(p, s, w)
        spin_evenly(model, w.S, T)
        prepare_joints(model, joints, work, w.torque, s.q, s.v, T)
        count = len(p.which)
        if count == 0:
            solved = settle(model, joints, friction, work, s.v, T)
            commit_friction(joints, friction, T)
        else:
            solved = touch(p, s, w, model, joints, friction, work, T)
        if not solved:
            s.unsolved[0] += 1
        tell_forces(p, s, w)  # as they acted: before the surfaces turn on
        for o in range(len(s.v)):
            s.v[o] = w.v1[o]
        move(model, s.q, s.v, T, s.q)
        reposition(p, w, s.q, s.v)
        show(p, s, w)

    @kernel
    def touch(p, s, w, model, joints, friction, work, T):
        """The same with what may touch; whether it found a solution."""
        touches, dual = touches_of(p), dual_of(p, w)
        touched = 0
        for c in range(len(p.which)):
            f = s.touching[c]
            w.active[c] = 1 if f[FORCE] != 0.0 or f[FORCE + 1] != 0.0 or f[FORCE + 2] != 0.0 else 0
            touched += w.active[c]
        solved = True
        blocks = 0
        if touched == 0:
            solved = settle(model, joints, friction, work, s.v, T)
            touched = activate(model, touches, s.touching, w.places, dual, work, w.zero, T)
        if touched > 0:
            blocks, solved = meet(model, joints, friction, touches, s.touching, w.places, dual, work, w.zero, s.v, T)
        commit_friction(joints, friction, T)
        commit_contacts(touches, s.touching, w.places, dual, w.S, blocks, T)
        return solved

    return Halves(answer, advance, restore=restore)


# ---------------------------------------------------------------- explicit


@kernel
def explicit_joints(p, w, q, v):
    """Dampers and servos as they are at q and v; an infinite slope locks."""
    for k in range(len(p.parent)):
        o = p.vi[k]
        if p.kind[k] == FREE:
            continue
        if p.damping[o] == math.inf:
            w.tau[o], w.slope[o] = 0.0, math.inf
        else:
            pull = p.gain[o] * (w.target[o] - q[p.qi[k]])
            w.tau[o] = w.torque[o] + pull - (p.damping[o] + p.rate_gain[o]) * v[o]
            w.slope[o] = 0.0


@kernel
def rate(p, s, w, q, v, a, T):
    """Accelerations at q and v with everything explicit, but for the spin of free bodies if T > 0."""
    reposition(p, w, q, v)
    if T > 0.0:
        spin_evenly(model_of(p), w.S, T)
    w.pushed[0] = 1  # contacts add to it
    push_bodies(p, s, w)
    spring_wrenches(touches_of(p), w.places, s.touching, work_of(w))
    explicit_joints(p, w, q, v)
    backward(p.parent, p.kind, p.vi, p.C, w.tau, w.slope, w.wrench, w.S)
    forward_two(p.parent, p.kind, p.vi, p.g, w.S, a)


@kernel
def see(p, s, w):
    """Gaps and forces as they are at the end of a tick."""
    if len(p.which) > 0:
        reposition(p, w, s.q, s.v)
        spring_wrenches(touches_of(p), w.places, s.touching, work_of(w))
        tell_forces(p, s, w)
    show(p, s, w)


@kernel
def symplectic_advance(p, s, w, h, v, T):
    """v1 = v + T a(q, v), q1 = q + T v1; the spin of free bodies by the midpoint rule."""
    feed(p, s, w)
    rate(p, s, w, s.q, s.v, w.a, T)
    for o in range(len(s.v)):
        s.v[o] += T * w.a[o]
    move(model_of(p), s.q, s.v, T, s.q)
    see(p, s, w)


@kernel
def rk4_advance(p, s, w, h, v, T):
    """The classical method of fourth order; quaternions are brought back to length 1 after each step."""
    feed(p, s, w)
    model, nq, nv, stages = model_of(p), len(s.q), len(s.v), w.stages
    for i in range(4):
        ahead = 0.0 if i == 0 else (T if i == 3 else 0.5 * T)
        # stages[0..3]: dq/dt, then dv/dt; stages[4]: the point looked at
        for j in range(nq):
            stages[4, j] = s.q[j] + (ahead * stages[i - 1, j] if i > 0 else 0.0)
        for o in range(nv):
            stages[4, nq + o] = s.v[o] + (ahead * stages[i - 1, nq + o] if i > 0 else 0.0)
        here, speed = stages[4, :nq], stages[4, nq : nq + nv]
        a = stages[i, nq : nq + nv]
        rate(p, s, w, here, speed, a, 0.0)
        rates_of(model, here, speed, stages[i, :nq])
    for j in range(nq):
        s.q[j] += T / 6.0 * (stages[0, j] + 2.0 * stages[1, j] + 2.0 * stages[2, j] + stages[3, j])
    for j in range(nq, nq + nv):
        s.v[j - nq] += T / 6.0 * (stages[0, j] + 2.0 * stages[1, j] + 2.0 * stages[2, j] + stages[3, j])
    straighten(model, s.q)
    see(p, s, w)


def symplectic_kernels():
    """Semi-implicit Euler."""
    return Halves(answer, symplectic_advance, restore=restore)


def rk4_kernels():
    """The classical method of fourth order."""
    return Halves(answer, rk4_advance, restore=restore)
