"""What surrounds the trials of a scene with ports, by Euler's method and by the midpoint; see `port_stepping.py`."""

from tegotae.compile import kernel_inside
from tegotae.multibody.kernels.balance import restore_balance
from tegotae.multibody.kernels.bonds import bond_rows
from tegotae.multibody.kernels.midpoint import commit_middle, expect, note_change, prepare_middle
from tegotae.multibody.kernels.quantities import spread
from tegotae.multibody.kernels.stepping import commit, prepare, restore
from tegotae.multibody.kernels.taps import (
    follow_paths,
    leave_places,
    locate_taps,
    look_at_taps,
    move_ports,
    move_ports_halfway,
    see_motion,
)


@kernel_inside
def prepare_euler(p, s, w, T):
    """What acts beside the forces of trials; the speeds that the tick begins with."""
    prepare(p, s, w, T)
    for o in range(len(s.v)):
        w.begun[o] = s.v[o]


@kernel_inside
def see_euler(p, s, w, T):
    """The motion of all ports."""
    # To see what comes into touch, and what bonds must do, velocities were spread already.
    see_motion(p, s, w, len(p.which) > 0 or bond_rows(p) > 0, T)


@kernel_inside
def finish_euler(p, s, w, v, T):
    """Commit the step that is solved, whose ports moved by v, and look at where it led."""
    commit(p, s, w, T)
    follow_paths(s, w, T)
    look_at_taps(p, s, w)
    move_ports(p, s, v, T)


@kernel_inside
def restore_middle(p, s, w):
    """What w keeps from tick to tick."""
    restore(p, s, w)
    restore_balance(p, s, w)


@kernel_inside
def prepare_middle_trials(p, s, w, T):
    """What acts beside the forces of trials, at the middle of the tick; the speeds that it begins with."""
    prepare_middle(p, s, w, T)
    expect(p, s, w, T)
    locate_taps(p, w)


@kernel_inside
def see_middle(p, s, w, T):
    """The motion of all ports, from the middle to the next."""
    if len(p.which) == 0:
        spread(p.parent, p.kind, p.vi, w.zero, w.v1, w.S)
    see_motion(p, s, w, True, T)


@kernel_inside
def finish_middle(p, s, w, v, T):
    """Commit the step that is solved, whose ports moved by v, and look at where it led."""
    note_change(p, s, w, T)
    commit_middle(p, s, w, T)
    follow_paths(s, w, T)
    leave_places(s, w)
    look_at_taps(p, s, w)
    move_ports_halfway(p, s, w, v, T)


# prepare, see, finish, restore
EULER = (prepare_euler, see_euler, finish_euler, restore)
MIDPOINT = (prepare_middle_trials, see_middle, finish_middle, restore_middle)
