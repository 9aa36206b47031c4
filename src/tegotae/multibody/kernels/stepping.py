"""Ticks of a scene, implicit with stiction and contact: wrenches at its ports in, if it has any, their motion out.

Inertia and turning are those at the start of a tick; dampers, servos, friction and contacts those at its end. For a
trial of forces h at the ports these are settled, which gives the speeds at the end v1 = v + T a, and each tap moves by

    motion = J v1 + T/2 E + (z - x)/T.

J v1 is its velocity with J of the start, E how its path bends away; the last term takes back next tick what remains (of
order T^3), so that its path x, the sum of its motions, never drifts from where the tree says it is, z. A
joint's own motion is its speed v1, exactly.

The slope is a generalised derivative, in the modes that everything settled in: T J (M + slopes)^-1 J' by one more sweep
through the elimination that the last pass left behind, and in touch the answer of the contact forces, see
`dual_slope.py`.

q, v are those of the centres of mass of free bodies, Q, V those that users see. Rows S of where the bodies are and how
they move, and the places of what may touch, are worked out at the end of a tick, because gaps, forces and poses are
seen from them, and kept in w for the next one.
"""

from functools import cache

from tegotae.block import Halves
from tegotae.compile import kernel, kernel_exact, kernel_inside
from tegotae.kernels.rotations import turn_into
from tegotae.multibody.kernels import joint_laws
from tegotae.multibody.kernels.contacts import activate, commit_contacts, contact_kernels
from tegotae.multibody.kernels.dual_slope import row_count, rows_answer, settle_forces
from tegotae.multibody.kernels.joint_steps import commit_friction, prepare_joints
from tegotae.multibody.kernels.kinematics import forward_one, prepare_world
from tegotae.multibody.kernels.motion import look_outside, move, spin_evenly
from tegotae.multibody.kernels.own_joints import NONE, TRIALS, own_kernels
from tegotae.multibody.kernels.places import locate
from tegotae.multibody.kernels.quantities import spread
from tegotae.multibody.kernels.records import FORCE, GAP, ON, Dual, Friction, Joints, Model, Touches, Work
from tegotae.multibody.kernels.stiction import slope_kernels, stiction_kernels
from tegotae.multibody.kernels.taps import (
    add_answers,
    follow_paths,
    impulse,
    keep_unpushed,
    locate_taps,
    look_at_taps,
    move_ports,
    put_forces,
    rows_moved,
    see_motion,
)

# Which slope a tick knows: none, that of trials in which nothing touches and joints resist as they did, or that of the
# last trial, in touch.
UNKNOWN, FREELY, IN_TOUCH = 0, 1, 2

FAR = 1e30  # m: the gap where there is no surface at all, such as beside a plate; a state has finite numbers


@kernel_inside
def model_of(p):
    """The tree."""
    return Model(p.parent, p.kind, p.qi, p.vi, p.C, p.g)


@kernel_inside
def joints_of(p, w):
    """What acts in the joints."""
    return Joints(p.damping, p.gain, p.rate_gain, w.target, p.law, p.place, p.numbers, p.stiffness, p.viscosity)


@kernel_inside
def friction_kept(s, w):
    """Friction in the joints, where it is kept: a scene without ports tries nothing but its tick."""
    return Friction(s.e, s.mode, s.r, s.rise, s.at, s.f)


@kernel_inside
def friction_tried(s, w):
    """The same in a trial."""
    return Friction(s.e, w.mode, w.r, w.rise, w.at, w.f)


@kernel_inside
def work_of(w):
    """Where a step works."""
    flat = w.trial.reshape((w.trial.size,))
    return Work(w.S, w.free_tau, w.free_slope, w.tau, w.slope, w.a, w.v1, w.wrench, w.grad, w.first, flat)


@kernel_inside
def touches_of(p):
    """What may touch."""
    return Touches(p.which, p.contacts)


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


@kernel_exact
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
        turn_into(w.S[p.which[c, ON]], s.touching[c, FORCE : FORCE + 3], s.contact[c])


@kernel
def show(p, s, w):
    """What users see of where a tick led: coordinates and gaps."""
    look_outside(model_of(p), p.centers, s.q, s.v, s.Q, s.V)
    for c in range(len(p.which)):
        s.gap[c] = min(w.places[c, GAP], FAR)


@kernel
def no_answer(p, s, w, h, T, motion, slope):
    """A scene without ports meets nobody else."""
    return


@kernel_inside
def prepare(p, s, w, T):
    """What acts beside the forces at ports."""
    feed(p, s, w)
    push_bodies(p, s, w)
    spin_evenly(model_of(p), w.S, T)
    prepare_joints(p, s, w, T)


@kernel_inside
def commit(p, s, w, T):
    """The step that is solved, and where it leads."""
    commit_friction(joints_of(p, w), friction_kept(s, w), T)
    if len(p.which) > 0:
        commit_contacts(touches_of(p), s.touching, w.places, dual_of(p, w), w.S, w.met[0], T)
        tell_forces(p, s, w)  # as they acted: before the surfaces turn on
    s.unsolved[0] += 1 - w.found[0]
    for o in range(len(s.v)):
        s.v[o] = w.v1[o]
        # Where the next tick starts is told by where this one ended, not by the trials that led there.
        if s.mode[o] != 0:
            s.r[o] += s.rise[o] * s.mode[o] * (s.v[o] - s.at[o])
            s.at[o] = s.v[o]
        else:
            s.r[o] = s.rise[o] = s.at[o] = 0.0
    move(model_of(p), s.q, s.v, T, s.q)
    reposition(p, w, s.q, s.v)
    show(p, s, w)


@cache
def solve_kernels(friction_of, halves):
    """`solve` for impedances in joints, the first four of `halves`, and laws of the user's own; and their `keep`.

    `friction_of` tells where the friction of joints is worked out.
    """
    begin, unmet, bent, end, keep = own_kernels(*halves[:2])
    at_rest, resolve = joint_laws.with_customs(*halves[4:])
    solve_stiction = stiction_kernels(at_rest, resolve)
    solve_contacts = contact_kernels(at_rest, resolve)

    @kernel_inside
    def once(p, s, w, T):
        """The speeds at the end of the tick into w.v1; where something may touch, those of bodies into S."""
        model, joints, work, friction = model_of(p), joints_of(p, w), work_of(w), friction_of(s, w)
        touched = 0
        for c in range(len(p.which)):
            f = s.touching[c]
            w.active[c] = 1 if f[FORCE] != 0.0 or f[FORCE + 1] != 0.0 or f[FORCE + 2] != 0.0 else 0
            touched += w.active[c]
        solved = True
        w.met[0] = 0
        if touched == 0:
            solved = solve_stiction(model, joints, friction, work, s.v, T)
            if len(p.which) > 0:
                touched = activate(model, touches_of(p), s.touching, w.places, dual_of(p, w), work, w.zero, T)
        if touched > 0:
            touches, dual = touches_of(p), dual_of(p, w)
            w.met[0], solved = solve_contacts(
                model, joints, friction, touches, s.touching, w.places, dual, work, w.zero, s.v, T
            )
        w.found[0] = 1 if solved else 0

    if halves[:4] == NONE:
        return once, keep

    @kernel_inside
    def solve(p, s, w, T):
        """The same, again and again until the impedances in joints are met."""
        begin(p, s, w, s.v, T)
        found, last = 0, False
        for _ in range(TRIALS):
            once(p, s, w, T)
            if unmet(p, s, w, s.v, friction_of(s, w).force, T) == 0:
                found = w.found[0]
                # In touch the slope at ports is that of the last solve: it is done once more if their slopes moved.
                if last or w.met[0] == 0 or not bent(p, w, s.v, T):
                    break
                last = True
        w.found[0] = found
        end(p, w)

    return solve, keep


@cache
def alone_kernels(*halves):
    """A scene without ports; `halves` are those of impedances in joints (`own_joints`) and laws of the user's own."""
    solve, keep = solve_kernels(friction_kept, halves)
    prepare_own, restore_own = halves[2:4]

    @kernel_exact
    def restore_all(p, s, w):
        restore(p, s, w)
        restore_own(p, s, w)

    @kernel_exact
    def advance(p, s, w, h, v, T):
        prepare(p, s, w, T)  # at once: there are no trials to share it
        prepare_own(p, s, w, T)
        solve(p, s, w, T)
        keep(p, s, w, T)
        commit(p, s, w, T)

    return Halves(no_answer, advance, restore=restore_all)


# ---------------------------------------------------------------- with ports


@kernel_inside
def prepare_ports(p, s, w, T):
    """The same, kept apart from the forces of trials; friction as the last tick left it."""
    for o in range(len(s.v)):
        w.mode[o], w.r[o], w.rise[o], w.at[o], w.f[o] = s.mode[o], s.r[o], s.rise[o], s.at[o], 0.0
    prepare(p, s, w, T)
    keep_unpushed(p, w)
    w.settled[0] = 0
    w.known[0] = UNKNOWN


@kernel_inside
def finish(p, s, w, v, T):
    """Commit the step that is solved, whose ports moved by v, and look at where it led."""
    if w.met[0] > 0:  # what trials asked for their slopes stands where the velocities of bodies were
        spread(p.parent, p.kind, p.vi, w.zero, w.v1, w.S)
    for o in range(len(s.v)):
        s.mode[o], s.r[o], s.rise[o], s.at[o], s.f[o] = w.mode[o], w.r[o], w.rise[o], w.at[o], w.f[o]
    commit(p, s, w, T)
    follow_paths(s, w, T)
    look_at_taps(p, s, w)
    move_ports(p, s, v, T)


@cache
def _trial_kernels(halves):
    """What trials at one or several directions share; compiled once a process."""
    solve, keep = solve_kernels(friction_tried, halves)
    sharpen, rises = slope_kernels(*joint_laws.with_customs(*halves[4:]))
    prepare_own, restore_own = halves[2:4]

    @kernel_exact
    def restore_all(p, s, w):
        restore(p, s, w)
        locate_taps(p, w)
        restore_own(p, s, w)

    @kernel_exact
    def prepare_all(p, s, w, T):
        prepare_ports(p, s, w, T)
        prepare_own(p, s, w, T)

    @kernel_inside
    def push(p, s, w, h, T):
        """Solve the step under the forces h, unless that was the last thing done; and the motion that it gives."""
        same = w.settled[0] == 1
        for i in range(len(w.held)):
            same = same and w.held[i] == h[i]
            w.held[i] = h[i]
        if same:
            return
        if w.known[0] == IN_TOUCH:
            w.known[0] = UNKNOWN
        put_forces(p, w, h)
        solve(p, s, w, T)
        w.settled[0] = 1
        see_motion(p, s, w, T)

    @kernel_inside
    def slopes(p, s, w, T, slope):
        """How the motion of all ports answers a unit of force in each row, in the modes of the last trial."""
        same = w.known[0] == IN_TOUCH
        if w.met[0] == 0:
            sharpen(model_of(p), joints_of(p, w), friction_tried(s, w), work_of(w), p.own, w.own, T)
            same = w.known[0] == FREELY
            for o in range(len(w.slope)):
                same = same and w.resisted[o] == w.slope[o]
                w.resisted[o] = w.slope[o]
        if not same:
            respond_to_ports(p, s, w, T)
            w.known[0] = FREELY if w.met[0] == 0 else IN_TOUCH
        for i in range(len(slope)):
            for c in range(len(slope)):
                slope[i, c] = w.slopes[i, c]

    @kernel_inside
    def respond_to_ports(p, s, w, T):
        """The same, worked out into w.slopes."""
        dual, met = dual_of(p, w), w.met[0]
        for j in range(len(p.joint)):
            for c in range(p.rows[j]):
                column = p.row[j] + c
                impulse(p, w, j, c, T)
                rows_moved(p, w, w.slopes, column)
                if met > 0:
                    rows_answer(touches_of(p), dual, w.S, w.a, met, w.felt, w.shift, column)
        if met > 0:
            rises(joints_of(p, w), friction_tried(s, w), dual, w.v1, met, w.rises, T)
            if settle_forces(dual, met, w.rises, w.shift):
                add_answers(row_count(dual, met), w.felt, w.shift, w.slopes)

    @kernel_inside
    def done(p, s, w, v, T):
        """Commit the step that is solved, whose ports moved by v."""
        keep(p, s, w, T)
        finish(p, s, w, v, T)

    return push, slopes, done, prepare_all, restore_all


@cache
def space_kernels(*halves):
    """Forces at all ports in, their motion out; `halves` as in `alone_kernels`."""
    push, slopes, done, prepare_all, restore_all = _trial_kernels(halves)

    @kernel_exact
    def answer(p, s, w, h, T, motion, slope):
        push(p, s, w, h, T)
        for i in range(len(motion)):
            motion[i] = w.moved[i]
        slopes(p, s, w, T, slope)

    @kernel_exact
    def advance(p, s, w, h, v, T):
        push(p, s, w, h, T)
        done(p, s, w, v, T)

    @kernel_exact
    def tick(p, s, w, h, T, motion):
        """Both without the slope, which only trials need."""
        push(p, s, w, h, T)
        for i in range(len(motion)):
            motion[i] = w.moved[i]
        done(p, s, w, motion, T)

    return Halves(answer, advance, prepare_all, restore_all, tick)


@cache
def line_kernels(*halves):
    """The same with one port of one direction, whose force and motion are numbers."""
    push, slopes, done, prepare_all, restore_all = _trial_kernels(halves)

    @kernel_exact
    def answer(p, s, w, h, T):
        w.given[0] = h
        push(p, s, w, w.given, T)
        slopes(p, s, w, T, w.slopes)  # one number: it is there already
        return w.moved[0], w.slopes[0, 0]

    @kernel_exact
    def advance(p, s, w, h, v, T):
        w.given[0] = h
        push(p, s, w, w.given, T)
        w.moved[0] = v
        done(p, s, w, w.moved, T)

    @kernel_exact
    def tick(p, s, w, h, T):
        """Both without the slope, which only trials need."""
        w.given[0] = h
        push(p, s, w, w.given, T)
        done(p, s, w, w.moved, T)

    return Halves(answer, advance, prepare_all, restore_all, tick)
