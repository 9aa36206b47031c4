"""Ticks of a scene, implicit with stiction and contact, or explicit; `port_stepping.py` has those with ports.

If implicit, inertia and turning are those at the start of a tick; dampers, servos, friction, contacts those at its end.

q, v are those of the centres of mass of free bodies, Q, V those that users see. Rows S of where the bodies are and how
they move, and the places of what may touch, are worked out at the end of a tick, because gaps, forces and poses are
seen from them, and kept in w for the next one.
"""

from functools import cache

import numpy as np

from tegotae.block import Halves
from tegotae.compile import kernel, kernel_exact, kernel_inside
from tegotae.kernels.rotations import turn_into
from tegotae.multibody.kernels.bonds import bond_rows, rigid_rows, tell_tension
from tegotae.multibody.kernels.closing import begin_bonds, close_loops
from tegotae.multibody.kernels.contacts import activate, commit_contacts, contact_kernels
from tegotae.multibody.kernels.joints import commit_friction, prepare_joints, stiction_kernels, with_customs
from tegotae.multibody.kernels.kinematics import (
    forward_one,
    look_outside,
    move,
    prepare_world,
    rates_of,
    spin_evenly,
    straighten,
)
from tegotae.multibody.kernels.lines import NONE, TRIALS, own_kernels
from tegotae.multibody.kernels.passes import backward, forward_two, respond
from tegotae.multibody.kernels.places import add_wrench, locate, spring_wrenches
from tegotae.multibody.kernels.reactions import tell_reactions, tell_reactions_at
from tegotae.multibody.kernels.records import FORCE, GAP, ON, Friction

FAR = 1e30  # m: the gap where there is no surface at all, such as beside a plate; a state has finite numbers


@kernel_inside
def friction_kept(s, w):
    """Friction in the joints, where it is kept: a scene without ports tries nothing but its tick."""
    return Friction(s.e, s.mode, s.r, s.rise, s.at, s.f)


@kernel
def reposition(p, w, q, v):
    """Rows of S and places of what may touch, at q and v."""
    forward_one(p.parent, p.kind, p.qi, p.vi, p.C, q, v, w.S)
    if len(p.which) > 0:
        locate(p, w, q)


@kernel_exact
def restore(p, s, w):
    """What w keeps from tick to tick. Joints without a servo have a target, too: that of no gain."""
    w.zero[:] = 0.0
    w.torque[:] = 0.0
    w.target[:] = 0.0
    w.wrench[:] = 0.0
    w.pushed[0] = 0
    prepare_world(w.S, p.g)
    prepare_world(w.ends, p.g)
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
    lever = np.empty(3)
    for j in range(len(p.frame_body)):
        k, f = p.frame_body[j], s.push[j]
        quiet = f[0] == 0.0 and f[1] == 0.0 and f[2] == 0.0 and f[3] == 0.0 and f[4] == 0.0 and f[5] == 0.0
        if quiet or k < 0:
            continue
        w.pushed[0] = 1
        turn_into(w.S[k], p.frame_place[j], lever)
        add_wrench(w.wrench[k], lever, f, 1.0)


@kernel
def tell_forces(p, s, w):
    """Forces of contacts on what touches, in world axes: as the surfaces stand in the rows of S."""
    for c in range(len(p.which)):
        turn_into(w.S[p.which[c, ON]], s.touching[c, FORCE : FORCE + 3], s.contact[c])


@kernel
def show(p, s, w):
    """What users see of where a tick led: coordinates and gaps."""
    look_outside(p, s.q, s.v, s.Q, s.V)
    for c in range(len(p.which)):
        s.gap[c] = min(w.places[c, GAP], FAR)


@kernel
def no_answer(p, s, w, h, T, motion, slope):
    """A scene without ports answers nothing."""
    return


@kernel_inside
def prepare(p, s, w, T):
    """What acts beside the forces at ports."""
    feed(p, s, w)
    push_bodies(p, s, w)
    if bond_rows(p) > 0:
        w.bond_middle[0] = 0
        begin_bonds(p, w, s.q, s.v, T)
    spin_evenly(p, w.S, T)
    prepare_joints(p, w, s.q, s.v, T)


@kernel_inside
def commit(p, s, w, T):
    """The step that is solved, and where it leads."""
    commit_friction(p, friction_kept(s, w), T)
    if len(p.which) > 0:
        commit_contacts(p, s, w, w.met[0], T)
        tell_forces(p, s, w)  # as they acted: before the surfaces turn on
    tell_reactions(p, s, w, s.v, T)
    keep_speeds(p, s, w)
    move(p, s.q, s.v, T, s.q)
    if rigid_rows(p) > 0:
        close_loops(p, s, w, 0.0, T)
    reposition(p, w, s.q, s.v)
    show(p, s, w)


@kernel_inside
def keep_speeds(p, s, w):
    """The speeds that were found; where the next tick starts is told by where this one ended, not by its trials."""
    s.unsolved[0] += 1 - w.found[0]
    tell_tension(p, s, w)
    for o in range(len(s.v)):
        s.v[o] = w.v1[o]
        if s.mode[o] != 0:
            s.r[o] += s.rise[o] * s.mode[o] * (s.v[o] - s.at[o])
            s.at[o] = s.v[o]
        else:
            s.r[o] = s.rise[o] = s.at[o] = 0.0


@kernel
def take_part(p, s, w):
    """Pairs that touched in the last tick take part in this one from its start; how many."""
    touched = 0
    for c in range(len(p.which)):
        f = s.touching[c]
        w.active[c] = 1 if f[FORCE] != 0.0 or f[FORCE + 1] != 0.0 or f[FORCE + 2] != 0.0 else 0
        touched += w.active[c]
    return touched


@cache
def solve_kernels(friction_of, halves, who=take_part, contacts=contact_kernels):
    """`solve` for impedances in joints, the first four of `halves`, and laws of the user's own; `correct`, which solves
    it anew where velocity terms alone have changed, if it can; and the `commit_own` of these impedances.

    `friction_of` tells where the friction of joints is worked out, `who` which pairs take part from the start, and
    `contacts` makes what solves them.
    """
    begin, unmet, bent, tell, end, commit_own = own_kernels(*halves[:2])
    at_rest, resolve = with_customs(*halves[4:])
    solve_stiction, still_solved = stiction_kernels(at_rest, resolve)
    solve_contacts = contacts(at_rest, resolve)

    @kernel_inside
    def once(p, s, w, v, T):
        """From the speeds v those at the end of the tick into w.v1; where something may touch, those of bodies into
        S.
        """
        friction, touched = friction_of(s, w), who(p, s, w)
        solved = True
        w.met[0] = 0
        bound = bond_rows(p) > 0
        if touched == 0 and not bound:
            solved = solve_stiction(p, w, friction, v, T)
            if len(p.which) > 0:
                touched = activate(p, s, w, T)
        if touched > 0 or bound:
            w.met[0], solved = solve_contacts(p, s, w, friction, v, T)
        w.found[0] = 1 if solved else 0

    @kernel
    def correct(p, s, w, T):
        """The speeds for a change of all bodies' bias, which stands in columns X, by the elimination that is there.

        False if a joint does not stick or slip on as it did, or something comes into touch.
        """
        if w.met[0] > 0 or w.in_modes[0] == 0 or bond_rows(p) > 0:
            return False
        respond(p.parent, p.kind, p.vi, w.S, w.a)
        for o in range(len(w.v1)):
            w.v1[o] += T * w.a[o]
        if len(p.which) > 0 and activate(p, s, w, T) > 0:
            return False
        return still_solved(p, w, friction_of(s, w), T)

    if halves[:4] == NONE:
        return once, correct, commit_own

    @kernel_inside
    def solve(p, s, w, v, T):
        """The same, again and again until the impedances in joints are met."""
        begin(p, s, w, v, T)
        force = friction_of(s, w).force
        found, met, last = 0, False, False
        for _ in range(TRIALS):
            once(p, s, w, v, T)
            met = unmet(p, s, w, v, force, T) == 0
            if met:
                found = w.found[0]
                # In touch the slope at ports is that of the last solve: it is done once more if their slopes moved.
                if last or w.met[0] == 0 or not bent(p, w, v, T):
                    break
                last = True
        w.found[0] = found
        if not met:
            tell(p, s, w, force, T)
        end(p, w)

    @kernel
    def correct_none(p, s, w, T):
        """Impedances that are asked have to be asked again."""
        return False

    return solve, correct_none, commit_own


@cache
def alone_kernels(*halves):
    """A scene without ports; `halves` are those of impedances in joints (`lines`) and laws of the user's own."""
    solve, _, commit_own = solve_kernels(friction_kept, halves)
    prepare_own, restore_own = halves[2:4]

    @kernel_exact
    def restore_all(p, s, w):
        restore(p, s, w)
        restore_own(p, s, w)

    @kernel_exact
    def advance(p, s, w, h, v, T):
        prepare(p, s, w, T)  # at once: there are no trials to share it
        prepare_own(p, s, w, T)
        solve(p, s, w, s.v, T)
        commit_own(p, s, w, T)
        commit(p, s, w, T)

    return Halves(no_answer, advance, restore=restore_all)


# ------------------------------------------------------------ explicit: all forces are those of the start of a tick


@kernel
def rate(p, s, w, q, v, a, T):
    """Accelerations at q and v with everything explicit, but for the spin of free bodies if T > 0."""
    reposition(p, w, q, v)
    if T > 0.0:
        spin_evenly(p, w.S, T)
    w.pushed[0] = 1  # contacts add to it
    push_bodies(p, s, w)
    spring_wrenches(p, s, w)
    prepare_joints(p, w, q, v, 0.0)
    backward(p.parent, p.kind, p.vi, p.C, w.free_tau, w.free_slope, w.wrench, w.S)
    forward_two(p.parent, p.kind, p.vi, p.g, w.S, a)


@kernel
def see(p, s, w):
    """Gaps and forces as they are at the end of a tick."""
    if len(p.which) > 0:
        reposition(p, w, s.q, s.v)
        spring_wrenches(p, s, w)
        tell_forces(p, s, w)
    show(p, s, w)


@kernel
def symplectic_advance(p, s, w, h, v, T):
    """v1 = v + T a(q, v), q1 = q + T v1; the spin of free bodies by the midpoint rule."""
    feed(p, s, w)
    rate(p, s, w, s.q, s.v, w.a, T)
    tell_reactions_at(p, s, w, w.a)
    for o in range(len(s.v)):
        s.v[o] += T * w.a[o]
    move(p, s.q, s.v, T, s.q)
    see(p, s, w)


@kernel
def rk4_advance(p, s, w, h, v, T):
    """The classical method of fourth order; quaternions are brought back to length 1 after each step."""
    feed(p, s, w)
    nq, nv, stages = len(s.q), len(s.v), w.stages
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
        if i == 0:
            tell_reactions_at(p, s, w, a)
        rates_of(p, here, speed, stages[i, :nq])
    for j in range(nq):
        s.q[j] += T / 6.0 * (stages[0, j] + 2.0 * stages[1, j] + 2.0 * stages[2, j] + stages[3, j])
    for j in range(nq, nq + nv):
        s.v[j - nq] += T / 6.0 * (stages[0, j] + 2.0 * stages[1, j] + 2.0 * stages[2, j] + stages[3, j])
    straighten(p, s.q)
    see(p, s, w)


def explicit_kernels(advance):
    """Of one of the methods above."""
    return Halves(no_answer, advance, restore=restore)
