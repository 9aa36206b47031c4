"""Ticks of a scene with ports: forces at all of them in, their motion out.

For a trial of forces h at the ports everything is settled as in a scene without them (`stepping.py`), which gives the
speeds at the end v1 = v + T a, and each tap moves by

    motion = J v1 + T/2 E + (z - x)/T.

J v1 is its velocity with J of the start, E how its path bends away; the last term takes back next tick what remains (of
order T^3), so that its path x, the sum of its motions, never drifts from where the tree says it is, z. A
joint's own motion is its speed v1, exactly.

The slope is a generalised derivative, in the modes that everything settled in: T J (M + slopes)^-1 J' by one more sweep
through the elimination that the last pass left behind, and in touch the answer of the contact forces, see
`dual_slope.py`.
"""

from functools import cache

from tegotae.block import Halves
from tegotae.compile import kernel_exact, kernel_inside
from tegotae.multibody.kernels.dual_slope import row_count, rows_answer, settle_forces
from tegotae.multibody.kernels.joints import slope_kernels, with_customs
from tegotae.multibody.kernels.quantities import spread
from tegotae.multibody.kernels.records import Friction
from tegotae.multibody.kernels.stepping import (
    commit,
    prepare,
    restore,
    solve_kernels,
)
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


@kernel_inside
def friction_tried(s, w):
    """Friction in the joints during a trial: it starts from what the last tick left in s."""
    return Friction(s.e, w.mode, w.r, w.rise, w.at, w.f)


@kernel_inside
def prepare_ports(p, s, w, T):
    """What acts beside the forces of trials, kept apart from them; friction as the last tick left it."""
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
    sharpen, rises = slope_kernels(*with_customs(*halves[4:]))
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
            sharpen(p, w, friction_tried(s, w), T)
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
        met = w.met[0]
        for j in range(len(p.joint)):
            for c in range(p.rows[j]):
                column = p.row[j] + c
                impulse(p, w, j, c, T)
                rows_moved(p, w, w.slopes, column)
                if met > 0:
                    rows_answer(p, w, met, column)
        if met > 0:
            rises(p, w, friction_tried(s, w), met, T)
            if settle_forces(w, met):
                add_answers(row_count(w, met), w.felt, w.shift, w.slopes)

    @kernel_inside
    def done(p, s, w, v, T):
        """Commit the step that is solved, whose ports moved by v."""
        keep(p, s, w, T)
        finish(p, s, w, v, T)

    return push, slopes, done, prepare_all, restore_all


@cache
def space_kernels(*halves):
    """Forces at all ports in, their motion out; `halves` as in `stepping.alone_kernels`."""
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
