"""Ticks of scenes whose pairs have a restitution: those of `stepping`, `midpoint` and `port_stepping` with impacts.

With ports, what is struck and where it leads is told before the trials, by the forces of the last tick: a rebound that
answered those of a trial would answer them the wrong way round.
"""

from functools import cache

from tegotae.block import Halves
from tegotae.compile import kernel, kernel_exact, kernel_inside
from tegotae.multibody.kernels.balance import end_balance, restore_balance
from tegotae.multibody.kernels.bonds import rigid_rows
from tegotae.multibody.kernels.closing import close_loops
from tegotae.multibody.kernels.impact_energy import count_marked
from tegotae.multibody.kernels.impacts import (
    BENT,
    DONE,
    FREELY,
    HIT,
    after_impact,
    commit_marked,
    find_shift,
    keep_out,
    rigid_contacts,
    strike_kernel,
    take_part_marked,
)
from tegotae.multibody.kernels.joints import commit_friction
from tegotae.multibody.kernels.kinematics import move
from tegotae.multibody.kernels.midpoint import note_change, prepare_middle, take_means
from tegotae.multibody.kernels.places import locate
from tegotae.multibody.kernels.port_methods import (
    prepare_euler,
    prepare_middle_trials,
    restore_middle,
)
from tegotae.multibody.kernels.port_stepping import friction_tried, line_kernels, space_kernels
from tegotae.multibody.kernels.quantities import spread
from tegotae.multibody.kernels.reactions import tell_reactions
from tegotae.multibody.kernels.stepping import (
    friction_kept,
    keep_speeds,
    no_answer,
    prepare,
    reposition,
    restore,
    show,
    solve_kernels,
    tell_forces,
)
from tegotae.multibody.kernels.taps import (
    follow_paths,
    leave_places,
    look_at_taps,
    move_ports,
    move_ports_halfway,
    put_forces,
    see_motion,
)

strikes_by_euler, strikes_by_middle = strike_kernel(0.0, 1.0), strike_kernel(0.125, 0.5)

# ------------------------------------------------------------ the end of a tick


@kernel_inside
def commit_euler(p, s, w, T):
    """The step that is solved, and where it leads."""
    commit_friction(p, friction_kept(s, w), T)
    commit_marked(p, s, w, T)
    tell_forces(p, s, w)  # as they acted: before the surfaces turn on
    tell_reactions(p, s, w, w.begun, T)
    keep_speeds(p, s, w)
    move(p, s.q, s.v, T, s.q)
    if w.struck[0] > 0:
        move(p, s.q, w.late, T, s.q)
    if rigid_rows(p) > 0:
        close_loops(p, s, w, 0.0, T)
    reposition(p, w, s.q, s.v)
    show(p, s, w)


@kernel_inside
def commit_middle(p, s, w, T):
    """The same from the middle of a tick."""
    commit_friction(p, friction_kept(s, w), T)
    commit_marked(p, s, w, T)
    tell_forces(p, s, w)
    count_marked(p, w, s.f, T)
    tell_reactions(p, s, w, w.begun, T)
    keep_speeds(p, s, w)
    move(p, w.mid, s.v, 0.5 * T, s.q)
    if w.struck[0] > 0:
        move(p, s.q, w.late, T, s.q)
    if rigid_rows(p) > 0:
        close_loops(p, s, w, 0.5, T)
    end_balance(p, s, w, T)
    locate(p, w, s.q)
    show(p, s, w)


# ------------------------------------------------------------ scenes without ports


@kernel
def no_means(p, w, T):
    """By Euler velocity terms are those of the start."""
    return False


@cache
def _whole_tick(friction_of, halves, strikes, means, bends):
    """`settle`, which solves a tick with its impacts, and the `commit_own` of impedances in joints."""
    solve, correct, commit_own = solve_kernels(friction_of, halves, take_part_marked, rigid_contacts)

    @kernel_inside
    def settle(p, s, w, T):
        """The speeds at the end of the tick, and the shift of places by impacts."""
        keep_out(p, s, w)
        stage = FREELY
        while stage != DONE:  # one call for all solves: each is put in place whole
            solve(p, s, w, w.begun, T)
            if stage >= HIT:
                stage = after_impact(p, w, stage, bends, T)
                continue
            if stage == FREELY:
                stage = BENT
                if means(p, w, T) and not correct(p, s, w, T):
                    continue
            stage = HIT if strikes(p, s, w, T) > 0 else DONE
        if w.struck[0] > 0:
            find_shift(p, w)

    return settle, commit_own


@cache
def euler_kernels(*halves):
    """A scene without ports by Euler; `halves` as in `stepping.alone_kernels`."""
    settle, commit_own = _whole_tick(friction_kept, halves, strikes_by_euler, no_means, False)
    prepare_own, restore_own = halves[2:4]

    @kernel_exact
    def restore_all(p, s, w):
        restore(p, s, w)
        restore_own(p, s, w)

    @kernel_exact
    def advance(p, s, w, h, v, T):
        prepare(p, s, w, T)
        prepare_own(p, s, w, T)
        for o in range(len(s.v)):
            w.begun[o] = s.v[o]
        settle(p, s, w, T)
        commit_own(p, s, w, T)
        commit_euler(p, s, w, T)

    return Halves(no_answer, advance, restore=restore_all)


@cache
def middle_kernels(*halves):
    """The same by the midpoint."""
    settle, commit_own = _whole_tick(friction_kept, halves, strikes_by_middle, take_means, True)
    prepare_own, restore_own = halves[2:4]

    @kernel_exact
    def restore_all(p, s, w):
        restore(p, s, w)
        restore_balance(p, s, w)
        restore_own(p, s, w)

    @kernel_exact
    def advance(p, s, w, h, v, T):
        prepare_middle(p, s, w, T)
        prepare_own(p, s, w, T)
        settle(p, s, w, T)
        commit_own(p, s, w, T)
        commit_middle(p, s, w, T)

    return Halves(no_answer, advance, restore=restore_all)


# ------------------------------------------------------------ scenes with ports


@cache
def _trials(strikes, bends):
    """What `port_stepping` makes its trials of."""

    def solve_of(halves):
        settle, commit_own = _whole_tick(friction_tried, halves, strikes, no_means, bends)
        solve, _, _ = solve_kernels(friction_tried, halves, take_part_marked, rigid_contacts)

        @kernel_inside
        def foresee(p, s, w, T):
            """What is struck, and the shift, by the forces of the last tick."""
            put_forces(p, w, s.h)
            settle(p, s, w, T)

        return solve, commit_own, foresee

    return solve_of


@kernel_inside
def see(p, s, w, T):
    """The motion of all ports, the mean over the tick: with the shift."""
    for o in range(len(w.v1)):
        w.lean[o] = w.v1[o]
        w.v1[o] += w.late[o]
    spread(p.parent, p.kind, p.vi, w.zero, w.v1, w.S)
    see_motion(p, s, w, True, T)
    for o in range(len(w.v1)):
        w.v1[o] = w.lean[o]
    spread(p.parent, p.kind, p.vi, w.zero, w.v1, w.S)


@kernel_inside
def keep_forces(s, w):
    """The forces that the next tick expects at its ports."""
    for i in range(len(s.h)):
        s.h[i] = w.held[i]


@kernel_inside
def finish_euler(p, s, w, v, T):
    """Commit the step that is solved, whose ports moved by v, and look at where it led."""
    keep_forces(s, w)
    commit_euler(p, s, w, T)
    follow_paths(s, w, T)
    look_at_taps(p, s, w)
    move_ports(p, s, v, T)


@kernel_inside
def finish_middle(p, s, w, v, T):
    """The same by the midpoint."""
    keep_forces(s, w)
    note_change(p, s, w, T)
    commit_middle(p, s, w, T)
    follow_paths(s, w, T)
    leave_places(s, w)
    look_at_taps(p, s, w)
    move_ports_halfway(p, s, w, v, T)


_EULER, _MIDDLE = (
    (prepare_euler, see, finish_euler, restore),
    (prepare_middle_trials, see, finish_middle, restore_middle),
)


@cache
def euler_space_kernels(*halves):
    """Ports of several directions."""
    return space_kernels(_EULER, halves, _trials(strikes_by_euler, False))


@cache
def euler_line_kernels(*halves):
    """One port of one direction."""
    return line_kernels(_EULER, halves, _trials(strikes_by_euler, False))


@cache
def middle_space_kernels(*halves):
    """Ports of several directions."""
    return space_kernels(_MIDDLE, halves, _trials(strikes_by_middle, True))


@cache
def middle_line_kernels(*halves):
    """One port of one direction."""
    return line_kernels(_MIDDLE, halves, _trials(strikes_by_middle, True))


EULER = (euler_kernels, euler_line_kernels, euler_space_kernels)
MIDPOINT = (middle_kernels, middle_line_kernels, middle_space_kernels)
