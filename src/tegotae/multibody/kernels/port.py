"""A tree as an admittance: a wrench on a point of one body, or a torque in one joint, in; the motion there out.

A step is that of a scene without contacts: inertia and turning at its start, dampers, servos and friction at its end.
For a trial h the friction is settled, which gives the speeds at the end v1 = v + T a, and the point moves by

    motion = J v1 + T/2 E + (z - x)/T.

J v1 is its velocity with J of the start, E how its path bends away; the last term takes back next tick what remains (of
order T^3), so that its path x, the sum of its motions, never drifts from where the tree says it is, z. A
joint's own motion is its speed v1, exactly.

The slope is T J (M + slopes)^-1 J' with the joints in the modes that the friction settled in, by one more sweep through
the elimination that the last pass left behind: a generalised derivative.

Where the numbers lie: `port_view.py`.
"""

import math
from functools import cache

from tegotae.compile import kernel, kernel_exact, kernel_inside
from tegotae.multibody.kernels import joint_laws
from tegotae.multibody.kernels.joint_steps import commit_friction, prepare_joints
from tegotae.multibody.kernels.kinematics import (
    ACCELERATION,
    ALPHA,
    COM,
    FREE,
    OMEGA,
    S_,
    VELOCITY,
    D,
    G,
    X,
    forward_one,
    prepare_world,
)
from tegotae.multibody.kernels.motion import move, spin_evenly
from tegotae.multibody.kernels.passes import backward, clear_impulse, respond
from tegotae.multibody.kernels.port_view import (
    ALONG,
    BODY,
    DONE,
    FALLS,
    FED,
    FOUND,
    FRAME,
    HELD,
    JOINT,
    MOTION,
    MOVED,
    PERIOD,
    POINT,
    PUSH,
    ROWS,
    WAY,
    friction_of,
    joints_of,
    model_of,
    port_of,
    work_of,
)
from tegotae.multibody.kernels.stiction import stiction_kernels


@kernel
def turned(s, x, out):
    """out = R x of the body whose row is s."""
    for i in range(3):
        out[i] = s[3 * i] * x[0] + s[3 * i + 1] * x[1] + s[3 * i + 2] * x[2]


@kernel
def at_point(s, lin, ang, way, out):
    """(velocity of the point, angular velocity) from columns lin and ang of the row s."""
    w0, w1, w2 = s[ang], s[ang + 1], s[ang + 2]
    out[0] = s[lin] + w1 * way[2] - w2 * way[1]
    out[1] = s[lin + 1] + w2 * way[0] - w0 * way[2]
    out[2] = s[lin + 2] + w0 * way[1] - w1 * way[0]
    out[3], out[4], out[5] = w0, w1, w2


@kernel
def put_wrench(rows, k, column, way, h, sign):
    """The wrench h at the point, moved to the centre of mass, times sign."""
    for i in range(6):
        rows[k, column + i] = sign * h[i]
    rows[k, column + 3] += sign * (way[1] * h[2] - way[2] * h[1])
    rows[k, column + 4] += sign * (way[2] * h[0] - way[0] * h[2])
    rows[k, column + 5] += sign * (way[0] * h[1] - way[1] * h[0])


@kernel
def feed(torques, speeds, fed, tau, target):
    """Torques and targets as they are fed now. Whether one of them is new."""
    new = False
    for j in range(len(fed)):
        to = tau if j < torques else target
        o = int(speeds[j])
        new = new or to[o] != fed[j]
        to[o] = fed[j]
    return new


@kernel
def mean_motion(row, g, falls, way, path, T, out):
    """The motion over the tick of a point of the body in this row, for the accelerations in it, into out."""
    at_point(row, S_, S_ + 3, way, out)
    w0, w1, w2 = row[OMEGA], row[OMEGA + 1], row[OMEGA + 2]
    u0, u1, u2 = w1 * way[2] - w2 * way[1], w2 * way[0] - w0 * way[2], w0 * way[1] - w1 * way[0]
    b0, b1, b2 = row[ALPHA], row[ALPHA + 1], row[ALPHA + 2]
    bend = (
        w1 * u2 - w2 * u1 + b1 * way[2] - b2 * way[1],
        w2 * u0 - w0 * u2 + b2 * way[0] - b0 * way[2],
        w0 * u1 - w1 * u0 + b0 * way[1] - b1 * way[0],
    )
    speed = (u0, u1, u2)
    for i in range(3):
        # Rows below a free body count accelerations from free fall; the others hold gravity in their remainders,
        # where it does not bend the path.
        pull, level = (g[i], 0.0) if falls else (0.0, g[i])
        bends = bend[i] + row[ACCELERATION + i] + level
        out[i] = row[VELOCITY + i] + speed[i] + T * (out[i] + pull + 0.5 * bends)
        out[i] += (row[COM + i] + way[i] - path[i]) / T
        out[3 + i] = row[OMEGA + i] + T * (out[3 + i] + 0.5 * row[ALPHA + i])


@kernel
def quaternion_of(s, F, out):
    """Of the frame F (3 x 3, in the internal frame) of the body whose row is s; of the two signs that nearer to out."""
    xx, xy, xz = (
        s[0] * F[0] + s[1] * F[3] + s[2] * F[6],
        s[0] * F[1] + s[1] * F[4] + s[2] * F[7],
        s[0] * F[2] + s[1] * F[5] + s[2] * F[8],
    )
    yx, yy, yz = (
        s[3] * F[0] + s[4] * F[3] + s[5] * F[6],
        s[3] * F[1] + s[4] * F[4] + s[5] * F[7],
        s[3] * F[2] + s[4] * F[5] + s[5] * F[8],
    )
    zx, zy, zz = (
        s[6] * F[0] + s[7] * F[3] + s[8] * F[6],
        s[6] * F[1] + s[7] * F[4] + s[8] * F[7],
        s[6] * F[2] + s[7] * F[5] + s[8] * F[8],
    )
    # The largest of the four is found first: the others are divided by it.
    w2, x2, y2, z2 = 1.0 + xx + yy + zz, 1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz
    top = max(max(w2, x2), max(y2, z2))
    if top == w2:
        w, x, y, z = w2, zy - yz, xz - zx, yx - xy
    elif top == x2:
        w, x, y, z = zy - yz, x2, xy + yx, xz + zx
    elif top == y2:
        w, x, y, z = xz - zx, xy + yx, y2, yz + zy
    else:
        w, x, y, z = yx - xy, xz + zx, yz + zy, z2
    size = math.sqrt(w * w + x * x + y * y + z * z)
    if w * out[0] + x * out[1] + y * out[2] + z * out[3] < 0.0:
        size = -size
    out[0], out[1], out[2], out[3] = w / size, x / size, y / size, z / size


@kernel
def show_tree(kind, qi, vi, centers, S, q, v, force, seen):
    """q and v as the user counts them, and friction, behind place and quaternion."""
    nq, nv = len(q), len(v)
    for i in range(nq):
        seen[7 + i] = q[i]
    for o in range(nv):
        seen[7 + nq + o] = v[o]
        seen[7 + nq + nv + o] = force[o]
    for k in range(len(kind)):
        if kind[k] == FREE:
            s, c, i, o = S[k], centers[k], 7 + int(qi[k]), int(vi[k])
            r0 = s[0] * c[0] + s[1] * c[1] + s[2] * c[2]
            r1 = s[3] * c[0] + s[4] * c[1] + s[5] * c[2]
            r2 = s[6] * c[0] + s[7] * c[1] + s[8] * c[2]
            w0, w1, w2 = v[o + 3], v[o + 4], v[o + 5]
            seen[i] -= r0
            seen[i + 1] -= r1
            seen[i + 2] -= r2
            seen[7 + nq + o] -= w1 * r2 - w2 * r1
            seen[7 + nq + o + 1] -= w2 * r0 - w0 * r2
            seen[7 + nq + o + 2] -= w0 * r1 - w1 * r0


@kernel_inside
def finish(p, model, joints, friction, work, port, T):
    """Commit the step that is settled, and look at where it led."""
    own, q, v = port.own, port.q, port.v
    commit_friction(joints, friction, T)
    for i in range(6):
        port.path[1 + i] += T * own[MOTION + i]
    if own[FOUND] == 0.0:
        port.path[0] += 1.0
    for o in range(len(v)):
        v[o] = work.v1[o]
    move(model, q, v, T, q)
    # The rows of the next tick, worked out now because the pose is seen from them.
    forward_one(model.parent, model.kind, model.qi, model.vi, model.C, q, v, work.S)
    own[DONE] = 0.0
    row = work.S[int(p[BODY])]
    turned(row, p[POINT : POINT + 3], own[WAY : WAY + 3])
    for i in range(3):
        port.seen[i] = row[COM + i] + own[WAY + i]
    quaternion_of(row, p[FRAME : FRAME + 9], port.seen[3:7])
    show_tree(model.kind, model.qi, model.vi, port.centers, work.S, q, v, friction.force, port.seen)


@cache
def _settling(halves):
    """`settle`, and `sharpen`: the elimination with every joint's true slope. Compiled once a process."""
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
        law, j = joints.law[o], int(joints.place[o])
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
    def push(p, model, joints, friction, work, port, T):
        """Settle the step under the wrench in own[PUSH:], unless that was the last thing done; the motion it gives."""
        own, v = port.own, port.v
        k, joint = int(p[BODY]), int(p[JOINT])
        way, h = own[WAY : WAY + 3], own[PUSH : PUSH + 6]
        if own[ROWS] == 0.0:
            prepare_world(work.S, model.g)
            forward_one(model.parent, model.kind, model.qi, model.vi, model.C, port.q, v, work.S)
            turned(work.S[k], p[POINT : POINT + 3], way)
            own[ROWS] = 1.0
        same = own[DONE] == 1.0 and own[PERIOD] == T
        for i in range(6):
            same = same and own[HELD + i] == h[i]
            own[HELD + i] = h[i]
        new = feed(int(p[FED]), port.speeds, port.fed, port.tau, joints.target)
        if same and not new:
            return
        spin_evenly(model, work.S, T)
        prepare_joints(model, joints, work, port.tau, port.q, v, T)
        if joint >= 0:
            work.free_tau[joint] += h[0]
        else:
            put_wrench(work.wrench, k, 0, way, h, 1.0)
        own[FOUND] = 1.0 if settle(model, joints, friction, work, v, T) else 0.0
        own[DONE], own[PERIOD] = 1.0, T
        mean_motion(work.S[k], model.g, p[FALLS] != 0.0, way, port.path[1:], T, own[MOTION : MOTION + 6])

    @kernel
    def answered(p, model, work, own, h, T):
        """The motion by a unit of wrench h on the point, or of torque in the joint, into own[MOVED:]."""
        k = int(p[BODY])
        way, out = own[WAY : WAY + 3], own[MOVED : MOVED + 6]
        clear_impulse(work.S)
        if p[JOINT] >= 0.0:
            work.S[k, G] = -T
        else:
            put_wrench(work.S, k, X, way, h, -T)
        respond(model.parent, model.kind, model.vi, work.S, work.a)
        at_point(work.S[k], S_, S_ + 3, way, out)

    return push, sharpen, answered


@cache
def space_kernels(*halves):
    """Wrench on a point in, its velocity and angular velocity out; `halves` are those of laws of the user's own."""
    push, sharpen, answered = _settling(halves)

    @kernel_exact
    def answer(p, s, h, T, motion, slope):
        model, joints, friction = model_of(p), joints_of(p, s, 6), friction_of(p, s, 6)
        work, port = work_of(p, s, 6), port_of(p, s, 6)
        own = port.own
        for i in range(6):
            own[PUSH + i] = h[i]
        push(p, model, joints, friction, work, port, T)
        sharpen(model, joints, friction, work, T)
        unit = own[PUSH : PUSH + 6]
        for c in range(6):
            motion[c] = own[MOTION + c]
            for i in range(6):
                unit[i] = 1.0 if i == c else 0.0
            answered(p, model, work, own, unit, T)
            for i in range(6):
                slope[i, c] = own[MOVED + i]

    @kernel_exact
    def advance(p, s, h, v, T):
        model, joints, friction = model_of(p), joints_of(p, s, 6), friction_of(p, s, 6)
        work, port = work_of(p, s, 6), port_of(p, s, 6)
        for i in range(6):
            port.own[PUSH + i] = h[i]
            s[i] = v[i]
            s[6 + i] += T * v[i]
        push(p, model, joints, friction, work, port, T)
        finish(p, model, joints, friction, work, port, T)

    return answer, advance


@cache
def line_kernels(*halves):
    """Force along one direction, or torque in a joint, in; velocity along it out."""
    push, sharpen, answered = _settling(halves)

    @kernel
    def press(p, own, h):
        """The wrench to settle; a joint takes its torque in place of the first of the six."""
        for i in range(6):
            own[PUSH + i] = h * p[ALONG + i]

    @kernel_exact
    def answer(p, s, h, T):
        model, joints, friction = model_of(p), joints_of(p, s, 1), friction_of(p, s, 1)
        work, port = work_of(p, s, 1), port_of(p, s, 1)
        own, joint = port.own, int(p[JOINT])
        press(p, own, h)
        push(p, model, joints, friction, work, port, T)
        moved = work.v1[joint] if joint >= 0 else 0.0
        sharpen(model, joints, friction, work, T)
        answered(p, model, work, own, p[ALONG : ALONG + 6], T)
        if joint >= 0:
            return moved, work.a[joint]
        slope = 0.0
        for i in range(6):
            moved += p[ALONG + i] * own[MOTION + i]
            slope += p[ALONG + i] * own[MOVED + i]
        return moved, slope

    @kernel_exact
    def advance(p, s, h, v, T):
        model, joints, friction = model_of(p), joints_of(p, s, 1), friction_of(p, s, 1)
        work, port = work_of(p, s, 1), port_of(p, s, 1)
        press(p, port.own, h)
        push(p, model, joints, friction, work, port, T)
        finish(p, model, joints, friction, work, port, T)
        s[0] = v
        s[1] += T * v
        if p[JOINT] >= 0.0:  # it is where its coordinate is
            s[1] = port.q[int(model.qi[int(p[BODY])])]

    return answer, advance
