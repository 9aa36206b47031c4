"""Ticks of a scene with ports: forces at all of them in, their motion out.

For a trial of forces h at the ports everything is settled as in a scene without them (`stepping.py`), which gives the
speeds at the end v1 = v + T a, and each tap moves by

    motion = J v1 + T/2 E + (z - x)/T.

J v1 is its velocity with J of the start, E how its path bends away; the last term takes back next tick what remains (of
order T^3), so that its path x, the sum of its motions, never drifts from where the tree says it is, z. A
joint's own motion is its speed v1, exactly. By the midpoint J, E and z are those of the middle, and a motion goes from
the middle to the next one.

The slope is a generalised derivative, in the modes that everything settled in: T J (M + slopes)^-1 J' by one more sweep
through the elimination that the last pass left behind, and in touch the answer of the contact forces.
"""

import math
from functools import cache

from tegotae.block import Halves
from tegotae.compile import kernel, kernel_exact, kernel_inside
from tegotae.coupling.kernels.natural_newton import HOLD, OUT, SLIP, choose_modes
from tegotae.coupling.kernels.natural_residual import BOX, CONE, MATRIX, MODE, RHO, H, Problem
from tegotae.kernels.linear import eliminate
from tegotae.multibody.kernels.bonds import bond_rows, see_bonds
from tegotae.multibody.kernels.contacts import at_first, at_second, rows_in
from tegotae.multibody.kernels.joints import slope_kernels, with_customs
from tegotae.multibody.kernels.port_methods import EULER, MIDPOINT
from tegotae.multibody.kernels.quantities import spread
from tegotae.multibody.kernels.records import BODY, FIRST, KINDS, ON, OWNER, B, C, F, Friction
from tegotae.multibody.kernels.stepping import solve_kernels
from tegotae.multibody.kernels.taps import (
    add_answers,
    impulse,
    keep_unpushed,
    locate_taps,
    put_forces,
    rows_moved,
)

# Which slope a tick knows: none, that of trials in which nothing touches and joints resist as they did, or that of the
# last trial, in touch.
UNKNOWN, FREELY, IN_TOUCH = 0, 1, 2


# ------------------------------------------------------------ how forces inside answer those at ports
#
# With h = (W + diag C) f + b of the dual and b moved by db, every row keeps the equation of its mode (see
# `coupling/kernels/natural_residual.py`):
#
# - held: dh = 0;
# - out of touch: df = 0;
# - a joint that slips, whose friction falls by `rise` with its speed: df + rise (dh - C df) = 0;
# - a contact that slips, u the direction of y_t = f_t - rho h_t: df_t = mu u df_n + turn (1 - u u')(df_t - rho dh_t),
#   where turn = mu f_n/|y_t| tells how far a change of y_t turns the force.


@kernel
def row_count(w, blocks):
    """How many rows so many blocks have."""
    return w.blocks[FIRST, blocks - 1] + rows_in(w, blocks - 1)


@kernel
def rows_answer(p, w, blocks, column):
    """How every row of the dual moves by the impulse whose answer stands in S and a, into a column of two arrays."""
    for block in range(blocks):
        start, c = w.blocks[FIRST, block], w.blocks[OWNER, block]
        for row in range(start, start + rows_in(w, block)):
            lever, moved = w.levers[row], 0.0
            if c < 0:
                moved = w.a[-1 - c]
            else:
                moved = at_first(lever, w.S[p.which[c, BODY]])
                if p.which[c, ON] >= 0:
                    moved += at_second(lever, w.S[p.which[c, ON]])
            w.felt[row, column] = w.shift[row, column] = moved


@kernel
def settle_forces(w, blocks):
    """The change of all forces for each change of b in the columns of w.shift, in its place. False if there is none."""
    f, compliance, W, work, shift = w.columns[F], w.columns[C], w.W, w.work, w.shift
    h, rho, mode, A = work[H], work[RHO], work[MODE], work[MATRIX:]
    kinds, first, m = w.blocks[KINDS], w.blocks[FIRST], row_count(w, blocks)
    choose_modes(Problem(m, blocks, True, W, compliance, w.columns[B], kinds, first, w.limit, W), f, work)
    for i in range(m):
        for j in range(m):
            A[i, j] = W[i, j]
        A[i, i] += compliance[i]
    for block in range(blocks):
        i, kind, mu = first[block], kinds[block], w.limit[block]
        if mode[block] == OUT and kind != BOX:
            for row in range(i, i + rows_in(w, block)):
                known_row(m, A, shift, row)
        elif mode[block] == OUT:
            rise = w.rises[block]
            for j in range(m):
                A[i, j] *= rise
            A[i, i] += 1.0 - rise * compliance[i]
            for c in range(shift.shape[1]):
                shift[i, c] *= -rise
        else:
            turn_sign(shift, i)
            if kind == CONE and mu == 0.0:
                known_row(m, A, shift, i + 1)
                known_row(m, A, shift, i + 2)
            elif kind == CONE and mode[block] == HOLD:
                turn_sign(shift, i + 1)
                turn_sign(shift, i + 2)
            elif kind == CONE and mode[block] == SLIP:
                slipping_rows(m, i, mu, f, h, rho, A, shift)
    return eliminate(A[:m, :m], shift[:m])


@kernel
def known_row(m, A, shift, row):
    """A force that does not change."""
    for j in range(m):
        A[row, j] = 0.0
    A[row, row] = 1.0
    for c in range(shift.shape[1]):
        shift[row, c] = 0.0


@kernel
def turn_sign(shift, row):
    """dh = 0: what the forces move makes up for what else does."""
    for c in range(shift.shape[1]):
        shift[row, c] = -shift[row, c]


@kernel
def slipping_rows(m, i, mu, f, h, rho, A, shift):
    """Rows i + 1 and i + 2 of a contact that slips, divided by rho."""
    r = rho[i + 1]
    y1, y2 = f[i + 1] - r * h[i + 1], f[i + 2] - r * h[i + 2]
    size = math.hypot(y1, y2)
    u1, u2 = y1 / size, y2 / size
    turn = mu * f[i] / size
    # Only the part of a change of y_t across u matters, -u2 x1 + u1 x2; it acts along (-u2, u1).
    for j in range(m):
        across = turn * (-u2 * A[i + 1, j] + u1 * A[i + 2, j])
        A[i + 1, j], A[i + 2, j] = -u2 * across, u1 * across
    for c in range(shift.shape[1]):
        across = -turn * (-u2 * shift[i + 1, c] + u1 * shift[i + 2, c])
        shift[i + 1, c], shift[i + 2, c] = -u2 * across, u1 * across
    A[i + 1, i] -= mu * u1 / r
    A[i + 2, i] -= mu * u2 / r
    A[i + 1, i + 1] += (1.0 - turn * u2 * u2) / r
    A[i + 1, i + 2] += turn * u1 * u2 / r
    A[i + 2, i + 1] += turn * u1 * u2 / r
    A[i + 2, i + 2] += (1.0 - turn * u1 * u1) / r


# ------------------------------------------------------------ ticks and their trials


@kernel_inside
def friction_tried(s, w):
    """Friction in the joints during a trial: it starts from what the last tick left in s."""
    return Friction(s.e, w.mode, w.r, w.rise, w.at, w.f)


@kernel_inside
def start_friction(s, w):
    """Friction as the last tick left it."""
    for o in range(len(s.v)):
        w.mode[o], w.r[o], w.rise[o], w.at[o], w.f[o] = s.mode[o], s.r[o], s.rise[o], s.at[o], 0.0


@kernel_inside
def keep_apart(p, w):
    """What acts beside the forces of trials, kept apart from them."""
    keep_unpushed(p, w)
    w.settled[0] = 0
    w.known[0] = UNKNOWN


@kernel_inside
def take_friction(p, s, w):
    """What the trial left of friction becomes what really happened; columns s have the velocities at the end."""
    if w.met[0] > 0:  # what trials asked for their slopes stands where the velocities of bodies were
        spread(p.parent, p.kind, p.vi, w.zero, w.v1, w.S)
    for o in range(len(s.v)):
        s.mode[o], s.r[o], s.rise[o], s.at[o], s.f[o] = w.mode[o], w.r[o], w.rise[o], w.at[o], w.f[o]


@kernel
def foresee_nothing(p, s, w, T):
    """Trials need nothing of each other."""
    return


def plain_solve(halves):
    """`solve` and `commit_own` of trials, and what is foreseen before them."""
    solve, _, commit_own = solve_kernels(friction_tried, halves)
    return solve, commit_own, foresee_nothing


@cache
def _trial_kernels(method, halves, solve_of):
    """What trials at one or several directions share; compiled once a process."""
    prepare_tick, see, finish, restore_tick = method
    solve, commit_own, foresee = solve_of(halves)
    sharpen, rises = slope_kernels(*with_customs(*halves[4:]))
    prepare_own, restore_own = halves[2:4]

    @kernel_exact
    def restore_all(p, s, w):
        restore_tick(p, s, w)
        locate_taps(p, w)
        restore_own(p, s, w)

    @kernel_exact
    def prepare_all(p, s, w, T):
        start_friction(s, w)
        prepare_tick(p, s, w, T)
        keep_apart(p, w)
        prepare_own(p, s, w, T)
        foresee(p, s, w, T)

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
        solve(p, s, w, w.begun, T)
        w.settled[0] = 1
        see(p, s, w, T)

    @kernel_inside
    def slopes(p, s, w, T, slope):
        """How the motion of all ports answers a unit of force in each row, in the modes of the last trial."""
        same = w.known[0] == IN_TOUCH
        if w.met[0] == 0:
            sharpen(p, w, friction_tried(s, w), T)
            same = w.known[0] == FREELY and bond_rows(p) == 0
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
        if bond_rows(p) > 0 and met == 0:  # joints may resist otherwise than in the last solve
            see_bonds(p, w, T)
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
        commit_own(p, s, w, T)
        take_friction(p, s, w)
        finish(p, s, w, v, T)

    return push, slopes, done, prepare_all, restore_all


def space_kernels(method, halves, solve_of=plain_solve):
    """Forces at all ports in, their motion out."""
    push, slopes, done, prepare_all, restore_all = _trial_kernels(method, halves, solve_of)

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


def line_kernels(method, halves, solve_of=plain_solve):
    """The same with one port of one direction, whose force and motion are numbers."""
    push, slopes, done, prepare_all, restore_all = _trial_kernels(method, halves, solve_of)

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


# ------------------------------------------------------------ made for `halves` as in `stepping.alone_kernels`


@cache
def euler_space_kernels(*halves):
    """Ports of several directions."""
    return space_kernels(EULER, halves)


@cache
def euler_line_kernels(*halves):
    """One port of one direction."""
    return line_kernels(EULER, halves)


@cache
def middle_space_kernels(*halves):
    """Ports of several directions."""
    return space_kernels(MIDPOINT, halves)


@cache
def middle_line_kernels(*halves):
    """One port of one direction."""
    return line_kernels(MIDPOINT, halves)
