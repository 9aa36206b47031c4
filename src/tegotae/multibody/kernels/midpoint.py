"""Ticks of second order in smooth motion, whose friction and contact are solved at the end of the tick as in Euler's.

    half a tick on      q_m = q + T/2 v
    the speeds          M(q_m) (v1 - v)/T = forces at q_m, with the velocity terms of (v + v1)/2
    the other half      q1 = q_m + T/2 v1

From one middle to the next everything moves by T v1. Elements live at the middles: a contact's gap is that of q_m, the
stretch of a friction grows by T v1, just as where q1 = q + T v1. So what sticks stays, and a stiff impact does not
bounce because a gap at q1 would have to close in half the time. Only what users see is that of the tick's end.

Velocity terms are first those of v, and then once more those of the mean; where there are trials, whose answers must
not depend on each other, they are those of the speeds to be expected by the last two ticks. Dampers and servos count by
their mean over the tick too, as far as T is short for them; where it is long they answer the end of the tick.
"""

import math
from functools import cache

from tegotae.block import Halves
from tegotae.compile import kernel, kernel_exact, kernel_inside, kernel_rare
from tegotae.multibody.kernels.balance import (
    begin_balance,
    count_work,
    end_balance,
    restore_balance,
    turned_by,
)
from tegotae.multibody.kernels.bonds import bond_rows, rigid_rows
from tegotae.multibody.kernels.closing import aim_bonds, begin_bonds, close_loops
from tegotae.multibody.kernels.contacts import commit_contacts
from tegotae.multibody.kernels.joints import commit_friction, share
from tegotae.multibody.kernels.kinematics import (
    FREE,
    INERTIA,
    LEAST,
    MASS,
    OMEGA,
    OWN_BIAS,
    OWN_INERTIA,
    VELOCITY,
    G,
    X,
    bias,
    forward_one,
    midpoint_spin,
    move,
    move_on,
)
from tegotae.multibody.kernels.places import locate
from tegotae.multibody.kernels.reactions import tell_reactions
from tegotae.multibody.kernels.stepping import (
    feed,
    friction_kept,
    keep_speeds,
    no_answer,
    push_bodies,
    restore,
    show,
    solve_kernels,
    tell_forces,
)

STILL = 1e-14  # m, rad: what velocity terms move in a tick no less is worth working out anew

# ------------------------------------------------------------ velocity terms


@kernel
def turn_free(c, s, begun, o, t0, t1, t2, T):
    """Velocity terms of a free body that starts with begun[o:] and feels a torque (in the world) beside its spin.

    Euler's equation by the implicit midpoint rule in body axes, I (w1 - w)/T + wm x I wm = torque with wm = (w + w1)/2:
    it keeps the energy and the size of the angular momentum of a body that nothing turns, however fast it is.
    """
    w0, w1, w2 = begun[o + 3], begun[o + 4], begun[o + 5]
    a, b, d = (
        s[0] * w0 + s[3] * w1 + s[6] * w2,
        s[1] * w0 + s[4] * w1 + s[7] * w2,
        s[2] * w0 + s[5] * w1 + s[8] * w2,
    )
    u, v, w = s[0] * t0 + s[3] * t1 + s[6] * t2, s[1] * t0 + s[4] * t1 + s[7] * t2, s[2] * t0 + s[5] * t1 + s[8] * t2
    x, y, z = midpoint_spin(c[INERTIA : INERTIA + 6], a, b, d, u, v, w, T)
    # torque - I (w1 - w)/T, into world axes
    xx, yy, zz, xy, xz, yz = c[16], c[17], c[18], c[19], c[20], c[21]
    x, y, z = (x - a) / T, (y - b) / T, (z - d) / T
    u, v, w = u - (xx * x + xy * y + xz * z), v - (xy * x + yy * y + yz * z), w - (xz * x + yz * y + zz * z)
    for j in range(3):
        s[OWN_BIAS + 3 + j] = s[3 * j] * u + s[3 * j + 1] * v + s[3 * j + 2] * w


@kernel
def turns(begun, o):
    """Whether a free body turns at the start of a tick."""
    return begun[o + 3] != 0.0 or begun[o + 4] != 0.0 or begun[o + 5] != 0.0


@kernel
def torque_on(s, gained, o, T):
    """What turned a free body beside its spin, in the world, by the turn that it gained in T."""
    w0, w1, w2 = gained[o + 3] / T, gained[o + 4] / T, gained[o + 5] / T
    xx, yy, zz = s[OWN_INERTIA], s[OWN_INERTIA + 1], s[OWN_INERTIA + 2]
    xy, xz, yz = s[OWN_INERTIA + 3], s[OWN_INERTIA + 4], s[OWN_INERTIA + 5]
    return xx * w0 + xy * w1 + xz * w2, xy * w0 + yy * w1 + yz * w2, xz * w0 + yz * w1 + zz * w2


@kernel
def take_velocity_terms(p, w, T):
    """Of the speeds w.mean into the rows of S; of free bodies, by what they gained beside their spin (w.gained).

    How far that moves anything in a tick, beside what was there, comes back; columns X and G have the change of bias.
    """
    moved = 0.0
    for k in range(len(p.parent)):
        s, c, o = w.S[k], p.C[k], p.vi[k]
        b0, b1, b2 = s[OWN_BIAS], s[OWN_BIAS + 1], s[OWN_BIAS + 2]
        b3, b4, b5 = s[OWN_BIAS + 3], s[OWN_BIAS + 4], s[OWN_BIAS + 5]
        if p.kind[k] == FREE:
            for j in range(3):
                s[VELOCITY + j], s[OMEGA + j] = w.mean[o + j], w.mean[o + 3 + j]
            t0, t1, t2 = torque_on(s, w.gained, o, T)
            if turns(w.begun, o) or t0 != 0.0 or t1 != 0.0 or t2 != 0.0:
                turn_free(c, s, w.begun, o, t0, t1, t2, T)
        else:
            move_on(p.parent, p.kind, k, w.S, w.mean[o])
            bias(c[MASS], s)
            if c[MASS] > 0.0:
                shift = abs(s[OWN_BIAS] - b0) + abs(s[OWN_BIAS + 1] - b1) + abs(s[OWN_BIAS + 2] - b2)
                moved = max(moved, shift / c[MASS])
        s[G] = 0.0
        s[X], s[X + 1], s[X + 2] = s[OWN_BIAS] - b0, s[OWN_BIAS + 1] - b1, s[OWN_BIAS + 2] - b2
        s[X + 3], s[X + 4], s[X + 5] = s[OWN_BIAS + 3] - b3, s[OWN_BIAS + 4] - b4, s[OWN_BIAS + 5] - b5
        size = c[INERTIA] + c[INERTIA + 1] + c[INERTIA + 2]
        if size > 0.0:
            twist = abs(s[OWN_BIAS + 3] - b3) + abs(s[OWN_BIAS + 4] - b4) + abs(s[OWN_BIAS + 5] - b5)
            moved = max(moved, twist / size)
    return T * T * moved


@kernel
def see_gained(p, w, T):
    """What free bodies gained beside their spin by the speeds found, each by its inertia alone: w.gained."""
    for k in range(len(p.parent)):
        o = p.vi[k]
        if p.kind[k] == FREE:
            for j in range(6):
                w.gained[o + j] = w.v1[o + j] - w.begun[o + j]
            add_spin(w.S[k], w.gained, o, T)


@kernel
def add_spin(s, gained, o, T):
    """Take the spin's share, -T I^-1 bias, out of what a body gained."""
    x, y, z = s[OWN_BIAS + 3], s[OWN_BIAS + 4], s[OWN_BIAS + 5]
    if x == 0.0 and y == 0.0 and z == 0.0:
        return
    x, y, z = turned_by(s[OWN_INERTIA : OWN_INERTIA + 6], T * x, T * y, T * z)
    gained[o + 3] += x
    gained[o + 4] += y
    gained[o + 5] += z


@kernel
def prepare_joints_between(p, w, T):
    """Torques and slopes of dampers and servos, as lines of the speed at the end of the tick.

    With m the least that the joint moves, k = T² gain/m and b = T damping/m the torque is that of the middle, -damping
    times the mean speed, and besides a damping `a gain T` and an inertia `c T (damping + gain T)/2` with a = k/(1 + k)
    and c = (k + b/2)/(1 + k + b/2): both vanish with T as its square, and where k and b are large there is left what
    answers the speed at the end alone, which never overshoots.
    """
    for k in range(len(p.parent)):
        o, c = p.vi[k], p.C[k]
        if p.kind[k] == FREE:
            continue
        damping, gain = p.damping[o], p.gain[o]
        if damping == math.inf:
            w.free_tau[o], w.free_slope[o] = 0.0, math.inf
            continue
        damping += p.rate_gain[o]
        pull = gain * (w.target[o] - w.mid[p.qi[k]])
        if damping == 0.0 and gain == 0.0:
            w.free_tau[o], w.free_slope[o] = w.torque[o], 0.0
            continue
        m = c[LEAST]
        stiff = T * T * gain / m if m > 0.0 else math.inf
        slow = 0.5 * T * damping / m if m > 0.0 else math.inf
        lost = damping + share(stiff) * gain * T
        w.free_tau[o] = w.torque[o] + pull - lost * w.begun[o]
        w.free_slope[o] = 0.5 * T * (lost + share(stiff + slow) * (damping + gain * T))


# ------------------------------------------------------------ a tick


@kernel
def go_halfway(p, s, w, T):
    """The speeds that the tick begins with, and where everything is at its middle."""
    begin_balance(p, s, w)
    move(p, s.q, w.begun, 0.5 * T, w.mid)
    forward_one(p.parent, p.kind, p.qi, p.vi, p.C, w.mid, w.begun, w.S)
    if len(p.which) > 0:
        locate(p, w, w.mid)


@kernel_inside
def prepare_middle(p, s, w, T):
    """What acts beside the forces at ports, with velocity terms of the start."""
    feed(p, s, w)
    go_halfway(p, s, w, T)
    push_bodies(p, s, w)
    prepare_joints_between(p, w, T)
    for k in range(len(p.parent)):
        if p.kind[k] == FREE and turns(w.begun, p.vi[k]):
            turn_free(p.C[k], w.S[k], w.begun, p.vi[k], 0.0, 0.0, 0.0, T)
    if bond_rows(p) > 0:
        w.bond_middle[0] = 1
        begin_bonds(p, w, w.mid, w.begun, 0.5 * T)


@kernel_rare
def take_back_terms(p, w):
    """Velocity terms as the step was solved with: forces are told by those."""
    for k in range(len(p.parent)):
        for j in range(6):
            w.S[k, OWN_BIAS + j] -= w.S[k, X + j]


@kernel
def take_means(p, w, T):
    """Velocity terms of the mean of the speeds begun with and found; whether the step has to be solved anew."""
    for o in range(len(w.v1)):
        w.mean[o] = 0.5 * (w.begun[o] + w.v1[o])
    see_gained(p, w, T)
    if take_velocity_terms(p, w, T) > STILL:
        if rigid_rows(p) > 0:  # by the speeds found loops are met to a higher order, and so are their forces
            aim_bonds(p, w, w.mid, w.v1, 0.5 * T)
        return True
    take_back_terms(p, w)
    return False


@kernel
def least_change(a, b):
    """The smaller of two changes, 0 if they differ in sign: what an impact does is not expected again."""
    if a * b <= 0.0:
        return 0.0
    return a if abs(a) < abs(b) else b


@kernel
def expect(p, s, w, T):
    """Velocity terms of the speeds that are to be expected at the middle, by how they changed in the last two ticks."""
    for o in range(len(w.v1)):
        w.gained[o] = least_change(s.change[0, o], s.change[1, o])
        w.mean[o] = w.begun[o] + 0.5 * w.gained[o]
    take_velocity_terms(p, w, T)


@kernel
def note_change(p, s, w, T):
    """How the speeds changed in a tick, and in the one before; those of free bodies beside their spin."""
    for o in range(len(w.v1)):
        w.gained[o] = w.v1[o] - w.begun[o]
    see_gained(p, w, T)
    for o in range(len(w.v1)):
        s.change[1, o] = s.change[0, o]
        s.change[0, o] = w.gained[o]


@kernel_inside
def commit_middle(p, s, w, T):
    """The step that is solved, and where it leads."""
    friction = friction_kept(s, w)
    commit_friction(p, friction, T)
    if len(p.which) > 0:
        commit_contacts(p, s, w, w.met[0], T)
        tell_forces(p, s, w)  # as they acted: before the surfaces turn on
    count_work(p, w, s.f, T)
    tell_reactions(p, s, w, w.begun, T)
    keep_speeds(p, s, w)
    move(p, w.mid, s.v, 0.5 * T, s.q)
    if rigid_rows(p) > 0:
        close_loops(p, s, w, 0.5, T)
    end_balance(p, s, w, T)
    if len(p.which) > 0:
        locate(p, w, s.q)
    show(p, s, w)


@cache
def middle_kernels(*halves):
    """A scene without ports; `halves` as in `stepping.alone_kernels`."""
    solve, correct, commit_own = solve_kernels(friction_kept, halves)
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
        wanted = 2
        while wanted > 0:  # one call for both solves: each is put in place whole
            solve(p, s, w, w.begun, T)
            wanted -= 1
            if wanted == 1 and (not take_means(p, w, T) or correct(p, s, w, T)):
                wanted = 0
        commit_own(p, s, w, T)
        commit_middle(p, s, w, T)

    return Halves(no_answer, advance, restore=restore_all)
