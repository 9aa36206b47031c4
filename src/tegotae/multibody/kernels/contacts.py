"""Contacts of a tick: where they are, how the tree answers their forces, and the forces that solve them together.

Contacts and the friction of all joints make one problem in their forces f (stiction.md's dual, [xiong2011] elements):
h = (T J M^-1 J' + C) f + J v_free - w*. It is set up only when something touches; a tree in the air costs its passes.
"""

from tegotae.compile import kernel
from tegotae.coupling.kernels.complementarity import UNSOLVED, solve_symmetric
from tegotae.coupling.kernels.natural_residual import Problem, set_scales
from tegotae.kernels.contact import (
    compliance,
    normal_offset,
    normal_stretch,
    tangent_offset,
    tangent_stretch,
    tangent_stretches,
)
from tegotae.multibody.kernels.joint_steps import limit_kernel, rubs, solve_modes
from tegotae.multibody.kernels.kinematics import S_, G
from tegotae.multibody.kernels.levers import assemble, at_first, at_second, ends_of, push, rows_in, set_lever
from tegotae.multibody.kernels.passes import clear_impulse, respond
from tegotae.multibody.kernels.places import along, keep, parting
from tegotae.multibody.kernels.quantities import spread
from tegotae.multibody.kernels.records import (
    BETA,
    BETA_T,
    BODY,
    FIRST,
    FORCE,
    GAP,
    K_T,
    KINDS,
    MU,
    ON,
    OWNER,
    STRETCH,
    B,
    C,
    E,
    F,
    K,
)


@kernel
def free_velocity(touches, touching, places, c, T):
    """w* of the normal of pair c: the speed at which its element would carry nothing."""
    return normal_offset(places[c, GAP], touching[c, E], touches.numbers[c, BETA], T)


@kernel
def add_contact(touches, touching, places, dual, S, c, m, blocks, T):
    """Rows of pair c; how many rows there are then."""
    n, rubbing = touches.numbers[c], touches.numbers[c, MU] > 0.0
    dual.blocks[FIRST, blocks], dual.limit[blocks] = m, n[MU]
    dual.blocks[KINDS, blocks] = 0 if rubbing else 2
    dual.blocks[OWNER, blocks] = c
    s, o = S[touches.which[c, BODY]], S[touches.which[c, ON]]
    for a in range(3 if rubbing else 1):
        set_lever(touches, places, dual, S, c, a, m + a)
        lever = dual.levers[m + a]
        speed = at_first(lever, s) + at_second(lever, o)
        force = along(touching, touches, places, S, c, touching[c, FORCE : FORCE + 3], a)
        if a == 0:
            dual.columns[C, m] = compliance(n[K], n[BETA], T)
            dual.columns[B, m] = speed - free_velocity(touches, touching, places, c, T)
            dual.columns[F, m] = max(force, 0.0)
        else:
            stretch = along(touching, touches, places, S, c, touching[c, STRETCH : STRETCH + 3], a)
            dual.columns[C, m + a] = compliance(n[K_T], n[BETA_T], T)
            dual.columns[B, m + a] = speed - tangent_offset(stretch, n[BETA_T], T)
            dual.columns[F, m + a] = force
    return m + (3 if rubbing else 1)


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
def activate(model, touches, touching, places, dual, work, zero, T):
    """Pairs outside the problem that the speeds found would drive into each other join it; how many did."""
    spread(model.parent, model.kind, model.vi, zero, work.v1, work.S)
    joined = 0
    for c in range(len(touches.which)):
        if dual.active[c] == 0:
            h = parting(touches, places, work.S, c, 0, S_, S_ + 3) - free_velocity(touches, touching, places, c, T)
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
def forces_found(model, friction, touches, work, dual, blocks, T):
    """Speeds after the step from the forces of the dual, and the friction of joints from its rows."""
    S = work.S
    clear_impulse(S)
    for block in range(blocks):
        start, c = dual.blocks[FIRST, block], dual.blocks[OWNER, block]
        if c >= 0:
            for row in range(start, start + rows_in(dual, block)):
                push(touches, dual, S, c, row, dual.columns[F, row])
        else:
            S[ends_of(model, touches, dual, block)[0], G] = -dual.columns[F, start]
    respond(model.parent, model.kind, model.vi, S, work.a)
    for o in range(len(work.v1)):
        work.v1[o] = dual.fresh[o] + T * work.a[o]
    for block in range(blocks):
        if dual.blocks[OWNER, block] < 0:
            o, limit = -1 - dual.blocks[OWNER, block], dual.limit[block]
            f = dual.columns[F, dual.blocks[FIRST, block]]
            friction.force[o] = f
            friction.mode[o] = -1 if f >= limit else (1 if f <= -limit else 0)
            friction.slope[o], friction.at[o] = 0.0, 0.0


def contact_kernels(at_rest, resolve):
    """`solve_contacts` for joints with these friction laws."""
    limit_at = limit_kernel(at_rest, resolve)

    @kernel
    def limits_moved(joints, friction, work, dual, blocks, T):
        """New limits of joints that slip, at the speeds found; how many moved."""
        moved = 0
        for block in range(blocks):
            if dual.blocks[OWNER, block] >= 0:
                continue
            o = -1 - dual.blocks[OWNER, block]
            slips = abs(dual.columns[F, dual.blocks[FIRST, block]]) >= dual.limit[block]
            rest, r = limit_at(joints, friction, o, work.v1[o], slips, T)
            if abs(r - dual.limit[block]) > 1e-12 * (r + rest):
                moved += 1
                dual.limit[block] = friction.r[o] = r
        return moved

    @kernel
    def solve_contacts(model, joints, friction, touches, touching, places, dual, work, zero, v, T):
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
            assemble(model, touches, dual, work, blocks, T)
            for _ in range(60):
                c, k = dual.columns, dual.blocks
                problem = Problem(m, blocks, True, dual.W, c[C], c[B], k[KINDS], k[FIRST], dual.limit, dual.W)
                set_scales(problem, dual.work)
                how = solve_symmetric(problem, c[F], dual.work)[1]
                forces_found(model, friction, touches, work, dual, blocks, T)
                moved = limits_moved(joints, friction, work, dual, blocks, T)
                solved = how != UNSOLVED and moved == 0
                if moved == 0:
                    break
            if activate(model, touches, touching, places, dual, work, zero, T) == 0:
                break
        return blocks, solved

    return solve_contacts
