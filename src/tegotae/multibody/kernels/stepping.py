"""Ticks of a scene: implicit with stiction and contact, or explicit without. The loops around them are generated."""

import math

from tegotae.compile import kernel
from tegotae.multibody.kernels.contacts import activate, commit_contacts, contact_kernels
from tegotae.multibody.kernels.joint_steps import commit_friction, prepare_joints
from tegotae.multibody.kernels.kinematics import FREE, forward_one
from tegotae.multibody.kernels.motion import move, rates_of, spin_evenly, straighten
from tegotae.multibody.kernels.passes import backward, forward_two
from tegotae.multibody.kernels.places import locate, spring_wrenches, turned_into
from tegotae.multibody.kernels.records import FORCE, GAP, ON
from tegotae.multibody.kernels.stiction import stiction_kernels


@kernel
def row_of(record, tick):
    """The row of a tick; a record of one row holds."""
    return record[tick if len(record) > 1 else 0]


@kernel
def apply_wrenches(model, drive, work, tau, tick):
    """Wrenches from outside onto each body at its centre of mass; those of free bodies may also stand in tau."""
    work.wrench[:] = 0.0
    for k in range(len(model.parent)):
        if model.kind[k] == FREE:
            for a in range(6):
                work.wrench[k, a] = tau[model.vi[k] + a]
    if len(drive.body) == 0:
        return
    wrench = row_of(drive.wrench, tick)
    for j in range(len(drive.body)):
        k = drive.body[j]
        if k < 0:
            continue
        s, x, w = work.S[k], drive.place[j], wrench[j]
        r0 = s[0] * x[0] + s[1] * x[1] + s[2] * x[2]
        r1 = s[3] * x[0] + s[4] * x[1] + s[5] * x[2]
        r2 = s[6] * x[0] + s[7] * x[1] + s[8] * x[2]
        for a in range(6):
            work.wrench[k, a] += w[a]
        work.wrench[k, 3] += r1 * w[2] - r2 * w[1]
        work.wrench[k, 4] += r2 * w[0] - r0 * w[2]
        work.wrench[k, 5] += r0 * w[1] - r1 * w[0]


@kernel
def record(friction, touches, touching, places, work, q, v, tape, at):
    """One row of the tape; contact forces in world axes, on what touches."""
    tape.q[at] = q
    tape.v[at] = v
    tape.friction[at] = friction.force
    for c in range(len(touches.which)):
        turned_into(work.S[touches.which[c, ON]], touching[c, FORCE : FORCE + 3], tape.pairs[at, c])
        tape.pairs[at, c, 3] = places[c, GAP]


@kernel
def reposition(model, touches, places, work, q, v):
    """Rows of S and gaps at q and v."""
    forward_one(model.parent, model.kind, model.qi, model.vi, model.C, q, v, work.S)
    if len(touches.which) > 0:
        locate(touches, places, work.S)


def implicit_kernels(at_rest, resolve):
    """`step` at a fixed period with friction in joints and contacts, everything implicit."""
    settle = stiction_kernels(at_rest, resolve)
    meet = contact_kernels(at_rest, resolve)

    @kernel
    def step(model, joints, friction, touches, touching, places, dual, work, zero, q, v, tau, T):
        """From rows of S at the start of the tick to speeds at its end; False if it found no solution."""
        spin_evenly(model, work.S, T)
        prepare_joints(model, joints, work, tau, q, v, T)
        count = len(touches.which)
        touched = 0
        for c in range(count):
            f = touching[c]
            dual.active[c] = 1 if f[FORCE] != 0.0 or f[FORCE + 1] != 0.0 or f[FORCE + 2] != 0.0 else 0
            touched += dual.active[c]
        solved = True
        blocks = 0
        if touched == 0:
            solved = settle(model, joints, friction, work, v, T)
            if count > 0:
                touched = activate(model, touches, touching, places, dual, work, zero, T)
        if touched > 0:
            blocks, solved = meet(model, joints, friction, touches, touching, places, dual, work, zero, v, T)
        commit_friction(joints, friction, T)
        if count > 0:
            commit_contacts(touches, touching, places, dual, work.S, blocks, T)
        return solved

    return step


@kernel
def explicit_joints(model, joints, tau, q, v, out, slope):
    """Dampers and servos as they are at q and v; an infinite slope locks."""
    for k in range(len(model.parent)):
        o = model.vi[k]
        if model.kind[k] == FREE:
            continue
        if joints.damping[o] == math.inf:
            out[o], slope[o] = 0.0, math.inf
        else:
            pull = joints.gain[o] * (joints.target[o] - q[model.qi[k]])
            out[o] = tau[o] + pull - (joints.damping[o] + joints.rate_gain[o]) * v[o]
            slope[o] = 0.0


@kernel
def rate(model, joints, touches, touching, places, work, drive, tick, q, v, a, T):
    """Accelerations at q and v with everything explicit, but for the spin of free bodies if T > 0."""
    tau = row_of(drive.tau, tick)
    reposition(model, touches, places, work, q, v)
    if T > 0.0:
        spin_evenly(model, work.S, T)
    apply_wrenches(model, drive, work, tau, tick)
    spring_wrenches(touches, places, touching, work)
    explicit_joints(model, joints, tau, q, v, work.tau, work.slope)
    backward(model.parent, model.kind, model.vi, model.C, work.tau, work.slope, work.wrench, work.S)
    forward_two(model.parent, model.kind, model.vi, model.g, work.S, a)


@kernel
def see(model, touches, touching, places, work, q, v):
    """Gaps and forces as they are at the end of a tick, for the record."""
    reposition(model, touches, places, work, q, v)
    spring_wrenches(touches, places, touching, work)


@kernel
def step_symplectic(model, joints, touches, touching, places, work, drive, tick, q, v, T):
    """v1 = v + T a(q, v), q1 = q + T v1; the spin of free bodies by the midpoint rule."""
    rate(model, joints, touches, touching, places, work, drive, tick, q, v, work.a, T)
    for o in range(len(v)):
        v[o] += T * work.a[o]
    move(model, q, v, T, q)


@kernel
def step_rk4(model, joints, touches, touching, places, work, drive, tick, q, v, T, stages):
    """The classical method of fourth order; quaternions are brought back to length 1 after each step."""
    nq, nv = len(q), len(v)
    for s in range(4):
        ahead = 0.0 if s == 0 else (T if s == 3 else 0.5 * T)
        # stages[0..3]: dq/dt, then dv/dt; stages[4]: the point looked at
        for i in range(nq):
            stages[4, i] = q[i] + (ahead * stages[s - 1, i] if s > 0 else 0.0)
        for o in range(nv):
            stages[4, nq + o] = v[o] + (ahead * stages[s - 1, nq + o] if s > 0 else 0.0)
        here, speed = stages[4, :nq], stages[4, nq : nq + nv]
        a = stages[s, nq : nq + nv]
        rate(model, joints, touches, touching, places, work, drive, tick, here, speed, a, 0.0)
        rates_of(model, here, speed, stages[s, :nq])
    for i in range(nq):
        q[i] += T / 6.0 * (stages[0, i] + 2.0 * stages[1, i] + 2.0 * stages[2, i] + stages[3, i])
    for i in range(nq, nq + nv):
        v[i - nq] += T / 6.0 * (stages[0, i] + 2.0 * stages[1, i] + 2.0 * stages[2, i] + stages[3, i])
    straighten(model, q)
