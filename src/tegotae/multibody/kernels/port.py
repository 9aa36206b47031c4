"""A tree as an admittance: a wrench on a point of one body, or a torque in one joint, in; the motion there out.

A step is that of a scene without contacts: inertia and turning at its start, dampers, servos and friction at its end.
For a trial h the friction is settled, which gives the speeds at the end v1 = v + T a, and the point moves by

    motion = J v1 + T/2 E + (z - x)/T.

J v1 is its velocity with J of the start, E how its path bends away; the last term takes back next tick what remains (of
order T^3), so that its path x, the sum of its motions, never drifts from where the tree says it is, z. A
joint's own motion is its speed v1, exactly.

The slope is T J (M + slopes)^-1 J' with the joints in the modes that the friction settled in, by one more sweep through
the elimination that the last pass left behind: a generalised derivative.

q, v are those of the centres of mass of free bodies, Q, V those that users see. Rows S of where the bodies are and how
they move are worked out at the end of a tick, because the pose is seen from them, and kept in w for the next one.
"""

import math
from functools import cache

from tegotae.block import Halves
from tegotae.compile import kernel, kernel_exact, kernel_inside
from tegotae.multibody.kernels import joint_laws
from tegotae.multibody.kernels.joint_steps import commit_friction, prepare_joints
from tegotae.multibody.kernels.kinematics import COM, FREE, S_, D, G, X, forward_one, prepare_world
from tegotae.multibody.kernels.motion import look_outside, move, spin_evenly
from tegotae.multibody.kernels.passes import backward, clear_impulse, respond
from tegotae.multibody.kernels.pushed_point import at_point, mean_motion, put_wrench, quaternion_of, turned
from tegotae.multibody.kernels.records import Friction, Joints, Model, Work
from tegotae.multibody.kernels.stiction import stiction_kernels


@kernel_inside
def model_of(p):
    """The tree."""
    return Model(p.parent, p.kind, p.qi, p.vi, p.C, p.g)


@kernel_inside
def joints_of(p, w):
    """What acts in the joints."""
    return Joints(p.damping, p.gain, p.rate_gain, w.target, p.law, p.place, p.numbers, p.stiffness, p.viscosity)


@kernel_inside
def friction_of(s, w):
    """Friction in the joints during a trial: it starts from what the last tick left in s."""
    return Friction(s.e, w.mode, w.r, w.rise, w.at, w.f)


@kernel_inside
def work_of(w):
    """Where a step works."""
    flat = w.trial.reshape((w.trial.size,))
    return Work(w.S, w.free_tau, w.free_slope, w.tau, w.slope, w.a, w.v1, w.wrench, w.grad, w.first, flat)


@kernel
def locate(p, s, w):
    """The rows of S, and the way from the centre of mass of the pushed body to the point."""
    forward_one(p.parent, p.kind, p.qi, p.vi, p.C, s.q, s.v, w.S)
    turned(w.S[p.body], p.point, w.way)


@kernel_exact
def restore(p, s, w):
    """What w keeps from tick to tick. No wrench acts but that on the pushed body."""
    for k in range(len(p.parent)):
        for i in range(6):
            w.wrench[k, i] = 0.0
    prepare_world(w.S, p.g)
    locate(p, s, w)


@kernel_exact
def prepare(p, s, w, T):
    """What acts without the pushing force; friction as the last tick left it."""
    for o in range(len(s.v)):
        w.mode[o], w.r[o], w.rise[o], w.at[o], w.f[o] = s.mode[o], s.r[o], s.rise[o], s.at[o], 0.0
        w.torque[o] = w.target[o] = w.free_tau[o] = w.free_slope[o] = 0.0
    for j in range(len(s.torque)):
        w.torque[p.pulled[j]] = s.torque[j]
    for j in range(len(s.target)):
        w.target[p.steered[j]] = s.target[j]
    model = model_of(p)
    spin_evenly(model, w.S, T)
    prepare_joints(model, joints_of(p, w), work_of(w), w.torque, s.q, s.v, T)
    if p.joint >= 0:
        w.unpushed[0] = w.free_tau[p.joint]
    w.settled[0] = 0


@kernel_exact
def finish(p, s, w, T):
    """Commit the step that is settled, and look at where it led."""
    model = model_of(p)
    commit_friction(joints_of(p, w), friction_of(s, w), T)
    for i in range(6):
        s.x[i] += T * w.motion[i]
    s.unsolved[0] += 1 - w.found[0]
    for o in range(len(s.v)):
        s.v[o], s.f[o], s.mode[o] = w.v1[o], w.f[o], w.mode[o]
        # Where the next tick starts is told by where this one ended, not by the trials that led there.
        slips = w.mode[o] != 0
        s.r[o] = w.r[o] + w.rise[o] * w.mode[o] * (w.v1[o] - w.at[o]) if slips else 0.0
        s.rise[o], s.at[o] = (w.rise[o], w.v1[o]) if slips else (0.0, 0.0)
    move(model, s.q, s.v, T, s.q)
    locate(p, s, w)
    row = w.S[p.body]
    for i in range(3):
        s.z[i] = row[COM + i] + w.way[i]
    quaternion_of(row, p.frame, s.quaternion)
    look_outside(model, p.centers, s.q, s.v, s.Q, s.V)


@cache
def _settling(halves):
    """What both kinds of port share, made for the laws of the user's own; compiled once a process."""
    at_rest, resolve = joint_laws.with_customs(*halves)
    settle = stiction_kernels(at_rest, resolve)

    @kernel
    def true_slope(joints, friction, v1, o, T):
        """T times how the friction of a joint falls with its speed, in the mode it settled in."""
        K = joints.stiffness[o]
        ic = joints.viscosity[o] + T * K
        if friction.mode[o] == 0:
            return T * ic
        f = abs(K * friction.e[o] - ic * v1)
        law, j = joints.law[o], joints.place[o]
        rest = at_rest(law, joints.numbers, j)
        dr = resolve(law, joints.numbers, j, 1.0 / ic, max(f, rest) / ic)[2]
        return T * dr / (1.0 + dr / ic)

    @kernel
    def sharpen(model, joints, friction, work, T):
        """Most settle with their true slopes; a falling law, and forces found by their energy, do not."""
        n = len(work.v1)
        other = False
        for o in range(n):
            work.trial[o] = work.slope[o]
            if joints.law[o] >= 0 and joints.damping[o] != math.inf:
                work.trial[o] = work.free_slope[o] + true_slope(joints, friction, work.v1[o], o, T)
                other = other or abs(work.trial[o] - work.slope[o]) > 1e-9 * abs(work.slope[o])
        if not other:
            return
        for attempt in range(2):
            for o in range(n):
                # Where friction falls faster than inertia outweighs there is no slope: it counts as level.
                work.slope[o] = work.trial[o] if attempt == 0 else max(work.trial[o], work.free_slope[o])
            backward(model.parent, model.kind, model.vi, model.C, work.tau, work.slope, work.wrench, work.S)
            sound = True
            for k in range(len(model.parent)):
                sound = sound and (model.kind[k] == FREE or work.S[k, D] > 0.0)
            if sound:
                return

    @kernel_exact
    def push(p, s, w, h, T):
        """Settle the step under the wrench h, unless that was the last thing done; and the motion that it gives."""
        same = w.settled[0] == 1
        for i in range(6):
            same = same and w.held[i] == h[i]
            w.held[i] = h[i]
        if same:
            return
        if p.joint >= 0:
            w.free_tau[p.joint] = w.unpushed[0] + h[0]
        else:
            put_wrench(w.wrench, p.body, 0, w.way, h, 1.0)
        w.found[0] = 1 if settle(model_of(p), joints_of(p, w), friction_of(s, w), work_of(w), s.v, T) else 0
        w.settled[0] = 1
        mean_motion(w.S[p.body], p.g, p.falls == 1, w.way, s.x, T, w.motion)

    @kernel_exact
    def ready(p, s, w, T):
        """The elimination in the modes of the last trial, for `answered`."""
        sharpen(model_of(p), joints_of(p, w), friction_of(s, w), work_of(w), T)

    @kernel
    def answered(p, w, h, T):
        """The motion by a unit of wrench h on the point, or of torque in the joint, into w.moved."""
        clear_impulse(w.S)
        if p.joint >= 0:
            w.S[p.body, G] = -T
        else:
            put_wrench(w.S, p.body, X, w.way, h, -T)
        respond(p.parent, p.kind, p.vi, w.S, w.a)
        at_point(w.S[p.body], S_, S_ + 3, w.way, w.moved)

    return push, ready, answered


@cache
def space_kernels(*halves):
    """Wrench on a point in, its velocity and angular velocity out; `halves` are those of laws of the user's own."""
    push, ready, answered = _settling(halves)

    @kernel_exact
    def answer(p, s, w, h, T, motion, slope):
        push(p, s, w, h, T)
        ready(p, s, w, T)
        for c in range(6):
            motion[c] = w.motion[c]
            for i in range(6):
                w.unit[i] = 1.0 if i == c else 0.0
            answered(p, w, w.unit, T)
            for i in range(6):
                slope[i, c] = w.moved[i]

    @kernel_exact
    def advance(p, s, w, h, v, T):
        push(p, s, w, h, T)
        finish(p, s, w, T)
        for i in range(6):
            s.velocity[i] = v[i]
            s.position[i] += T * v[i]

    @kernel_exact
    def tick(p, s, w, h, T, motion):
        """Both without the slope, which only trials need."""
        push(p, s, w, h, T)
        for i in range(6):
            motion[i] = w.motion[i]
        advance(p, s, w, h, motion, T)

    return Halves(answer, advance, prepare, restore, tick)


@cache
def line_kernels(*halves):
    """Force along one direction, or torque in a joint, in; velocity along it out."""
    push, ready, answered = _settling(halves)

    @kernel_exact
    def press(p, s, w, h, T):
        """Settle under the force h; a joint takes it in place of the first of the six. The motion along it."""
        for i in range(6):
            w.unit[i] = h * p.along[i]
        push(p, s, w, w.unit, T)
        if p.joint >= 0:
            return w.v1[p.joint]
        moved = 0.0
        for i in range(6):
            moved += p.along[i] * w.motion[i]
        return moved

    @kernel_exact
    def answer(p, s, w, h, T):
        moved = press(p, s, w, h, T)
        ready(p, s, w, T)
        answered(p, w, p.along, T)
        if p.joint >= 0:
            return moved, w.a[p.joint]
        slope = 0.0
        for i in range(6):
            slope += p.along[i] * w.moved[i]
        return moved, slope

    @kernel_exact
    def advance(p, s, w, h, v, T):
        press(p, s, w, h, T)
        finish(p, s, w, T)
        s.velocity[0] = v
        s.position[0] += T * v
        if p.joint >= 0:  # it is where its coordinate is
            s.position[0] = s.q[p.qi[p.body]]

    @kernel_exact
    def tick(p, s, w, h, T):
        """Both without the slope, which only trials need."""
        advance(p, s, w, h, press(p, s, w, h, T), T)

    return Halves(answer, advance, prepare, restore, tick)
