"""Contacts of a tick: where they are, how the tree answers their forces, and the forces that solve them together.

Contacts and the friction of all joints make one problem in their forces f (stiction.md's dual, [xiong2011] elements):
h = (T J M^-1 J' + C) f + J v_free - w*. It is set up only when something touches; a tree in the air costs its passes.
"""

import math

from tegotae.compiling import kernel
from tegotae.multibody.kernels.dual import solve_dual
from tegotae.multibody.kernels.passes import COM, OMEGA, S_, VELOCITY, G, X, clear_impulse, respond
from tegotae.multibody.kernels.quantities import spread
from tegotae.multibody.kernels.records import (
    AXES,
    BETA,
    BETA_T,
    BODY,
    FIRST,
    FORCE,
    GAP,
    K_T,
    KIND,
    KINDS,
    MU,
    ON,
    OWNER,
    PLACE,
    POINT,
    RADIUS,
    SHAPE,
    STRETCH,
    TURNED,
    WHERE,
    B,
    C,
    E,
    F,
    K,
)
from tegotae.multibody.kernels.shapes import touch
from tegotae.multibody.kernels.stiction import rubs, solve_modes
from tegotae.multibody.kernels.touching import (
    compliance,
    normal_offset,
    normal_stretch,
    tangent_offset,
    tangent_stretch,
    tangent_stretches,
)


@kernel
def to_world(s, x, out):
    """A point of a body's frame in the world."""
    for a in range(3):
        out[a] = s[COM + a] + s[3 * a] * x[0] + s[3 * a + 1] * x[1] + s[3 * a + 2] * x[2]


@kernel
def turned_into(s, x, out):
    """A direction of a body's frame in the world."""
    x0, x1, x2 = x[0], x[1], x[2]
    for a in range(3):
        out[a] = s[3 * a] * x0 + s[3 * a + 1] * x1 + s[3 * a + 2] * x2


@kernel
def turned_back(s, x, out):
    """A direction of the world in a body's frame."""
    x0, x1, x2 = x[0], x[1], x[2]
    for a in range(3):
        out[a] = s[a] * x0 + s[3 + a] * x1 + s[6 + a] * x2


@kernel
def axis_of(places, c, a):
    """Normal (a = 0) or a tangent of pair c."""
    return places[c, AXES + 3 * a : AXES + 3 * a + 3]


@kernel
def tangents(axes):
    """Two directions across the normal axes[0], made from the axis of the world that is farthest from it."""
    n0, n1, n2 = axes[0, 0], axes[0, 1], axes[0, 2]
    if abs(n0) <= abs(n1) and abs(n0) <= abs(n2):
        t0, t1, t2 = 0.0, n2, -n1
    elif abs(n1) <= abs(n2):
        t0, t1, t2 = -n2, 0.0, n0
    else:
        t0, t1, t2 = n1, -n0, 0.0
    size = math.sqrt(t0 * t0 + t1 * t1 + t2 * t2)
    t0, t1, t2 = t0 / size, t1 / size, t2 / size
    axes[1, 0], axes[1, 1], axes[1, 2] = t0, t1, t2
    axes[2, 0], axes[2, 1], axes[2, 2] = n1 * t2 - n2 * t1, n2 * t0 - n0 * t2, n0 * t1 - n1 * t0


@kernel
def locate(touches, places, S):
    """Gaps, points and directions of all pairs, from the rows that `forward_one` left."""
    found = places[-1]
    for c in range(len(touches.which)):
        s, o = S[touches.which[c, BODY]], S[touches.which[c, ON]]
        n = touches.numbers[c]
        x = places[c, POINT : POINT + 3]
        to_world(s, n[PLACE : PLACE + 3], x)
        # into the surface's own frame, by its body's frame
        y0, y1, y2 = x[0] - o[COM], x[1] - o[COM + 1], x[2] - o[COM + 2]
        w, R = n[WHERE : WHERE + 3], n[TURNED : TURNED + 9]
        b0 = o[0] * y0 + o[3] * y1 + o[6] * y2 - w[0]
        b1 = o[1] * y0 + o[4] * y1 + o[7] * y2 - w[1]
        b2 = o[2] * y0 + o[5] * y1 + o[8] * y2 - w[2]
        z0 = R[0] * b0 + R[3] * b1 + R[6] * b2
        z1 = R[1] * b0 + R[4] * b1 + R[7] * b2
        z2 = R[2] * b0 + R[5] * b1 + R[8] * b2
        touch(touches.which[c, KIND], n[SHAPE:], z0, z1, z2, touches.numbers[c, RADIUS], found)
        places[c, GAP] = found[0]
        n0, n1, n2 = found[1], found[2], found[3]
        axes = places[c, AXES : AXES + 9].reshape((3, 3))
        m0 = R[0] * n0 + R[1] * n1 + R[2] * n2
        m1 = R[3] * n0 + R[4] * n1 + R[5] * n2
        m2 = R[6] * n0 + R[7] * n1 + R[8] * n2
        for a in range(3):
            axes[0, a] = o[3 * a] * m0 + o[3 * a + 1] * m1 + o[3 * a + 2] * m2
            x[a] -= touches.numbers[c, RADIUS] * axes[0, a]  # the point of the ball that is deepest
        tangents(axes)


@kernel
def speed_of(s, x, axis, lin, ang):
    """How fast the point x of a body goes along an axis; lin and ang are the columns of its velocities."""
    r0, r1, r2 = x[0] - s[COM], x[1] - s[COM + 1], x[2] - s[COM + 2]
    w0, w1, w2 = s[ang], s[ang + 1], s[ang + 2]
    return (
        axis[0] * (s[lin] + w1 * r2 - w2 * r1)
        + axis[1] * (s[lin + 1] + w2 * r0 - w0 * r2)
        + axis[2] * (s[lin + 2] + w0 * r1 - w1 * r0)
    )


@kernel
def parting(touches, places, S, c, a, lin, ang):
    """Relative velocity of pair c along its axis a: that of what touches, seen from the surface."""
    x, axis = places[c, POINT : POINT + 3], axis_of(places, c, a)
    return speed_of(S[touches.which[c, BODY]], x, axis, lin, ang) - speed_of(S[touches.which[c, ON]], x, axis, lin, ang)


@kernel
def push(s, x, axis, size):
    """A force along an axis at the point x into the columns X of a body, negated as they are."""
    f0, f1, f2 = size * axis[0], size * axis[1], size * axis[2]
    r0, r1, r2 = x[0] - s[COM], x[1] - s[COM + 1], x[2] - s[COM + 2]
    s[X] -= f0
    s[X + 1] -= f1
    s[X + 2] -= f2
    s[X + 3] -= r1 * f2 - r2 * f1
    s[X + 4] -= r2 * f0 - r0 * f2
    s[X + 5] -= r0 * f1 - r1 * f0


@kernel
def wish(touches, touching, places, c, T):
    """w* of the normal of pair c: the speed at which its element would carry nothing."""
    return normal_offset(places[c, GAP], touching[c, E], touches.numbers[c, BETA], T)


@kernel
def along(touching, touches, places, S, c, x, a):
    """A vector kept in the frame of the surface's body, along axis a of pair c."""
    o, axis = S[touches.which[c, ON]], axis_of(places, c, a)
    total = 0.0
    for j in range(3):
        total += axis[j] * (o[3 * j] * x[0] + o[3 * j + 1] * x[1] + o[3 * j + 2] * x[2])
    return total


@kernel
def add_contact(touches, touching, places, dual, S, c, m, blocks, T):
    """Rows of pair c; how many rows there are then."""
    dual.blocks[FIRST, blocks], dual.limit[blocks] = m, touches.numbers[c, MU]
    dual.blocks[KINDS, blocks] = 0 if touches.numbers[c, MU] > 0.0 else 2
    dual.blocks[OWNER, blocks] = c
    n = touches.numbers[c]
    dual.columns[C, m] = compliance(n[K], n[BETA], T)
    dual.columns[B, m] = parting(touches, places, S, c, 0, S_, S_ + 3) - wish(touches, touching, places, c, T)
    dual.columns[F, m] = max(along(touching, touches, places, S, c, touching[c, FORCE : FORCE + 3], 0), 0.0)
    if touches.numbers[c, MU] == 0.0:
        return m + 1
    for a in range(1, 3):
        dual.columns[C, m + a] = compliance(n[K_T], n[BETA_T], T)
        stretch = along(touching, touches, places, S, c, touching[c, STRETCH : STRETCH + 3], a)
        slip = parting(touches, places, S, c, a, S_, S_ + 3)
        dual.columns[B, m + a] = slip - tangent_offset(stretch, n[BETA_T], T)
        dual.columns[F, m + a] = along(touching, touches, places, S, c, touching[c, FORCE : FORCE + 3], a)
    return m + 3


@kernel
def add_joint(joints, friction, work, dual, o, m, blocks, T):
    """The row of a joint that rubs."""
    K = joints.stiffness[o]
    c = 1.0 / (joints.viscosity[o] + T * K)
    dual.blocks[FIRST, blocks], dual.limit[blocks], dual.blocks[KINDS, blocks] = m, friction.r[o], 1
    dual.blocks[OWNER, blocks] = -1 - o
    dual.columns[C, m], dual.columns[B, m] = c, work.v1[o] - c * K * friction.e[o]
    dual.columns[F, m] = friction.force[o]
    return m + 1


@kernel
def impulse(model, touches, places, dual, S, block, row):
    """A unit of force along one row: how all speeds answer it."""
    clear_impulse(S)
    c = dual.blocks[OWNER, block]
    if c >= 0:
        axis = axis_of(places, c, row - dual.blocks[FIRST, block])
        push(S[touches.which[c, BODY]], places[c, POINT : POINT + 3], axis, 1.0)
        push(S[touches.which[c, ON]], places[c, POINT : POINT + 3], axis, -1.0)
    else:
        for k in range(len(model.parent)):
            if model.vi[k] == -1 - c:
                S[k, G] = -1.0
    respond(model.parent, model.kind, model.vi, S, dual.answers[row])


@kernel
def assemble(model, touches, places, dual, S, blocks, T):
    """W = T J M^-1 J', a column for each row's unit of force."""
    for block in range(blocks):
        start = dual.blocks[FIRST, block]
        for row in range(start, start + (3 if dual.blocks[KINDS, block] == 0 else 1)):
            impulse(model, touches, places, dual, S, block, row)
            for other in range(blocks):
                c, first = dual.blocks[OWNER, other], dual.blocks[FIRST, other]
                if c < 0:
                    dual.W[first, row] = T * dual.answers[row, -1 - c]
                else:
                    for a in range(3 if dual.blocks[KINDS, other] == 0 else 1):
                        dual.W[first + a, row] = T * parting(touches, places, S, c, a, S_, S_ + 3)


@kernel
def activate(model, touches, touching, places, dual, work, zero, T):
    """Pairs outside the problem that the speeds found would drive into each other join it; how many did."""
    spread(model.parent, model.kind, model.vi, zero, work.v1, work.S)
    joined = 0
    for c in range(len(touches.which)):
        if dual.active[c] == 0:
            h = parting(touches, places, work.S, c, 0, S_, S_ + 3) - wish(touches, touching, places, c, T)
            if h < 0.0:
                dual.active[c] = 1
                joined += 1
    return joined


@kernel
def commit_contacts(touches, touching, places, dual, S, blocks, T):
    """Stretches after the tick, from forces and from the velocities in columns s; forces are kept."""
    for c in range(len(touches.which)):
        n = touches.numbers[c]
        touching[c, E] = normal_stretch(0.0, touching[c, E], n[K], n[BETA], T)
        for j in range(3):
            touching[c, FORCE + j] = 0.0
    for block in range(blocks):
        c, m = dual.blocks[OWNER, block], dual.blocks[FIRST, block]
        if c >= 0 and dual.columns[F, m] > 0.0:
            n = touches.numbers[c]
            touching[c, E] += normal_stretch(dual.columns[F, m], 0.0, n[K], n[BETA], T)
            for a in range(3 if dual.blocks[KINDS, block] == 0 else 1):
                keep(touches, touching, places, S, c, a, FORCE, dual.columns[F, m + a])
            if dual.blocks[KINDS, block] == 0:
                hold(touches, touching, places, dual, S, c, m, T)
    for c in range(len(touches.which)):
        # What does not touch forgets where it held; its spring relaxes, and nothing is to be seen of that.
        if touching[c, FORCE] == 0.0 and touching[c, FORCE + 1] == 0.0 and touching[c, FORCE + 2] == 0.0:
            n = touches.numbers[c]
            for j in range(3):
                touching[c, STRETCH + j] = tangent_stretch(0.0, touching[c, STRETCH + j], n[K_T], n[BETA_T], T)


@kernel
def hold(touches, touching, places, dual, S, c, m, T):
    """The tangential stretch of a pair that touches."""
    n = touches.numbers[c]
    f = dual.columns[F]
    a1 = along(touching, touches, places, S, c, touching[c, STRETCH : STRETCH + 3], 1)
    a2 = along(touching, touches, places, S, c, touching[c, STRETCH : STRETCH + 3], 2)
    v1, v2 = parting(touches, places, S, c, 1, S_, S_ + 3), parting(touches, places, S, c, 2, S_, S_ + 3)
    a1, a2 = tangent_stretches(f[m], f[m + 1], f[m + 2], v1, v2, a1, a2, n[MU], n[K_T], n[BETA_T], T)
    for j in range(3):
        touching[c, STRETCH + j] = 0.0
    keep(touches, touching, places, S, c, 1, STRETCH, a1)
    keep(touches, touching, places, S, c, 2, STRETCH, a2)


@kernel
def keep(touches, touching, places, S, c, a, column, size):
    """Add a vector along axis a of pair c to three columns of its memory, in the frame of the surface's body."""
    o, axis = S[touches.which[c, ON]], axis_of(places, c, a)
    for j in range(3):
        touching[c, column + j] += size * (o[j] * axis[0] + o[3 + j] * axis[1] + o[6 + j] * axis[2])


@kernel
def spring_wrenches(touches, places, touching, work):
    """Contacts taken explicitly, frictionless: K times the depth, and K beta times its rate; never pulling."""
    S = work.S
    for c in range(len(touches.which)):
        f = 0.0
        if places[c, GAP] < 0.0:
            rate = parting(touches, places, S, c, 0, VELOCITY, OMEGA)
            f = max(-touches.numbers[c, K] * (places[c, GAP] + touches.numbers[c, BETA] * rate), 0.0)
            x, n = places[c, POINT : POINT + 3], axis_of(places, c, 0)
            for side in range(2):
                k = touches.which[c, BODY] if side == 0 else touches.which[c, ON]
                if k >= 0:
                    s, sign = S[k], f if side == 0 else -f
                    r0, r1, r2 = x[0] - s[COM], x[1] - s[COM + 1], x[2] - s[COM + 2]
                    for j in range(3):
                        work.wrench[k, j] += sign * n[j]
                    work.wrench[k, 3] += sign * (r1 * n[2] - r2 * n[1])
                    work.wrench[k, 4] += sign * (r2 * n[0] - r0 * n[2])
                    work.wrench[k, 5] += sign * (r0 * n[1] - r1 * n[0])
        turned_back(S[touches.which[c, ON]], axis_of(places, c, 0), touching[c, FORCE : FORCE + 3])
        for j in range(3):
            touching[c, FORCE + j] *= f


def contact_kernels(at_rest, resolve):
    """`meet` for joints with these friction laws."""

    @kernel
    def limits_moved(joints, friction, work, dual, blocks, T):
        """New limits of joints that slip, at the speeds found; how many moved."""
        moved = 0
        for block in range(blocks):
            if dual.blocks[OWNER, block] >= 0:
                continue
            o = -1 - dual.blocks[OWNER, block]
            law, j, K = joints.law[o], joints.place[o], joints.stiffness[o]
            ic = joints.viscosity[o] + T * K
            rest = at_rest(law, joints.numbers, j)
            u = abs(K * friction.e[o] - ic * work.v1[o])
            r = rest
            if abs(dual.columns[F, dual.blocks[FIRST, block]]) >= dual.limit[block] and u > rest:
                _, r, _ = resolve(law, joints.numbers, j, 1.0 / ic, u / ic)
            if abs(r - dual.limit[block]) > 1e-12 * (r + rest):
                moved += 1
                dual.limit[block] = friction.r[o] = r
        return moved

    @kernel
    def forces_found(joints, friction, work, dual, blocks, m, T):
        """Speeds after the step from the forces of the dual, and the friction of joints from its rows."""
        for row in range(m):
            for o in range(len(work.v1)):
                work.v1[o] += T * dual.columns[F, row] * dual.answers[row, o]
        for block in range(blocks):
            if dual.blocks[OWNER, block] < 0:
                o, limit = -1 - dual.blocks[OWNER, block], dual.limit[block]
                f = dual.columns[F, dual.blocks[FIRST, block]]
                friction.force[o] = f
                friction.mode[o] = -1 if f >= limit else (1 if f <= -limit else 0)
                friction.slope[o], friction.at[o] = 0.0, 0.0

    @kernel
    def meet(model, joints, friction, touches, touching, places, dual, work, zero, v, T):
        """Contacts and joints together. (blocks, solved) come back; speeds in work.v1, forces in dual.f."""
        for o in range(len(v)):
            work.tau[o], work.slope[o] = work.free_tau[o], work.free_slope[o]
            if rubs(joints.law[o], joints.damping[o]):
                friction.r[o] = at_rest(joints.law[o], joints.numbers, joints.place[o])
        solve_modes(model, work, v, T)
        for o in range(len(v)):
            dual.fresh[o] = work.v1[o]
        solved = True
        blocks = 0
        for _ in range(12):
            for o in range(len(v)):
                work.v1[o] = dual.fresh[o]
            spread(model.parent, model.kind, model.vi, zero, work.v1, work.S)
            m = blocks = 0
            for c in range(len(touches.which)):
                if dual.active[c] == 1:
                    m = add_contact(touches, touching, places, dual, work.S, c, m, blocks, T)
                    blocks += 1
            for o in range(len(v)):
                if rubs(joints.law[o], joints.damping[o]):
                    m = add_joint(joints, friction, work, dual, o, m, blocks, T)
                    blocks += 1
            assemble(model, touches, places, dual, work.S, blocks, T)
            for _ in range(60):
                c, k = dual.columns, dual.blocks
                flag = solve_dual(m, blocks, dual.W, c[C], c[B], k[KINDS], k[FIRST], dual.limit, c[F], dual.work)[1]
                for o in range(len(v)):
                    work.v1[o] = dual.fresh[o]
                forces_found(joints, friction, work, dual, blocks, m, T)
                moved = limits_moved(joints, friction, work, dual, blocks, T)
                solved = flag == 0 and moved == 0
                if moved == 0:
                    break
            if activate(model, touches, touching, places, dual, work, zero, T) == 0:
                break
        return blocks, solved

    return meet
