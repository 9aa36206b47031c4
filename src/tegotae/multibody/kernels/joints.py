"""What acts in the joints of a tree: dampers, servos, and dry friction, exact, implicit, for the price of the passes.

The element of a joint that rubs, without mass, with ic = B + T K and c = 1/ic, for the speed v1 after the step and
u = v1 - c K e:

    sticks   f = K e - ic v1              if |u| <= c r(0): it only adds ic to how the joint resists
    slips    f = -r(s) sgn u, s + c r(s) = |u|

and then e1 = (f T + B e)/(K T + B). For given modes a step is one backward and one forward pass. Modes start from the
last step's; what sticks too strongly slips, what slips too little *sticks first*. If that does not end, the forces
are found as those of least energy: min 1/2 f'(T G + c) f + b'f with |f| <= r. They are f = min(max(K e - ic v1, -r), r)
for the speeds v1 that they lead to, found by Newton with lines (`lines.py`): every step is the same pair of passes.
"""

import math
from functools import cache

from tegotae.compile import kernel, kernel_inside
from tegotae.friction.kernels.laws import (
    coulomb_resolve,
    stribeck_magnitude,
    stribeck_resolve,
    tabulated_magnitude,
    tabulated_resolve,
    viscous_magnitude,
    viscous_resolve,
)
from tegotae.kernels.stick_slip import as_if_stuck, limited, stick_slip, stretch_after
from tegotae.multibody.kernels.kinematics import FREE, D
from tegotae.multibody.kernels.lines import AT, FORCE, FOUND, FOUND_RESISTS, RISE, ROUND, SLOPE, TRIALS, line_kernels
from tegotae.multibody.kernels.passes import backward, forward_two
from tegotae.multibody.kernels.records import OWNER

COULOMB, VISCOUS, STRIBECK, TABULATED, CUSTOM = range(5)  # friction laws by number: one loop serves all
FLIPS = 12  # solves with changing modes before the energy decides
FALLS = 200  # solves in all: a falling law is taken as it was at the last solve, which contracts, perhaps slowly


@kernel
def at_rest(law, p, j):
    """r(0), the largest force of a joint that sticks."""
    if law == COULOMB:
        return p[j]
    if law == VISCOUS:
        return viscous_magnitude(p, j, 0.0)[0]
    if law == STRIBECK:
        return stribeck_magnitude(p, j, 0.0)[0]
    return tabulated_magnitude(p, j, 0.0)[0]


@kernel
def resolve(law, p, j, c, U):
    """s, r, dr with s + c r(s) = U."""
    if law == COULOMB:
        return coulomb_resolve(p, j, c, U)
    if law == VISCOUS:
        return viscous_resolve(p, j, c, U)
    if law == STRIBECK:
        return stribeck_resolve(p, j, c, U)
    return tabulated_resolve(p, j, c, U)


def with_customs(*halves):
    """(at_rest, resolve) that also know laws of the user's own, numbered from CUSTOM: magnitude and resolve of each."""
    rest_of, resolve_of = at_rest, resolve
    for place in range(len(halves) // 2):
        rest_of, resolve_of = _one_more(rest_of, resolve_of, CUSTOM + place, halves[2 * place], halves[2 * place + 1])
    return rest_of, resolve_of


def _one_more(rest_of, resolve_of, number, own_magnitude, own_resolve):
    @kernel
    def rest_or(law, p, j):
        if law == number:
            return own_magnitude(p, j, 0.0)[0]
        return rest_of(law, p, j)

    @kernel
    def resolve_or(law, p, j, c, U):
        if law == number:
            return own_resolve(p, j, c, U)
        return resolve_of(law, p, j, c, U)

    return rest_or, resolve_or


# ------------------------------------------------------------ torques and slopes, and one solve with them


@kernel_inside
def prepare_joints(p, w, q, v, T):
    """Torques and slopes of dampers and servos at q and v. They answer the speed after the step; for T = 0 that now."""
    for k in range(len(p.parent)):
        o = p.vi[k]
        if p.kind[k] == FREE:
            continue
        if p.damping[o] == math.inf:
            w.free_tau[o], w.free_slope[o] = 0.0, math.inf
            continue
        resists = p.damping[o] + p.rate_gain[o] + T * p.gain[o]
        pull = p.gain[o] * (w.target[o] - q[p.qi[k]])
        w.free_tau[o] = w.torque[o] + pull - resists * v[o]
        w.free_slope[o] = T * resists


@kernel
def share(x):
    """How much of Euler's a spring or damper takes that is x times as stiff as the tick is short: x/(1 + x)."""
    return x / (1.0 + x) if x < math.inf else 1.0


@kernel
def solve_modes(p, w, v, T):
    """One backward and one forward pass with the torques and slopes in `work`."""
    backward(p.parent, p.kind, p.vi, p.C, w.tau, w.slope, w.wrench, w.S)
    forward_two(p.parent, p.kind, p.vi, p.g, w.S, w.a)
    for o in range(len(v)):
        w.v1[o] = v[o] + T * w.a[o]


@kernel
def rubs(law, damping):
    """Whether a joint has friction, and can move. (Numbers, not records: handing those over costs more than this.)"""
    return law >= 0 and damping != math.inf


@kernel
def by_modes(p, w, friction, v, T):
    """Torques and slopes of all joints in their present modes."""
    for o in range(len(v)):
        w.tau[o], w.slope[o] = w.free_tau[o], w.free_slope[o]
        if rubs(p.law[o], p.damping[o]):
            sign = friction.mode[o]
            if sign == 0:
                stuck, ic = as_if_stuck(p.stiffness[o], p.viscosity[o], friction.e[o], -v[o], T)
                w.tau[o] += stuck
                w.slope[o] += T * ic
            else:
                rise = friction.slope[o]
                w.tau[o] -= sign * friction.r[o] + rise * (v[o] - friction.at[o])
                w.slope[o] += T * rise


@kernel
def commit_friction(p, friction, T):
    """e1 = (f T + B e)/(K T + B)."""
    for o in range(len(p.law)):
        if rubs(p.law[o], p.damping[o]):
            K, B = p.stiffness[o], p.viscosity[o]
            friction.e[o] = stretch_after(K, B, friction.e[o], friction.force[o], T)


@cache
def limit_kernel(at_rest, resolve):
    """For joints with these friction laws."""

    @kernel_inside
    def limit_at(p, friction, o, v1, slips, T):
        """r(0), and the limit of a joint that has the speed v1: r at its slip speed, r(0) unless it slips."""
        law, j = p.law[o], int(p.place[o])
        rest = at_rest(law, p.numbers, j)
        stuck, ic = as_if_stuck(p.stiffness[o], p.viscosity[o], friction.e[o], -v1, T)
        if not slips or abs(stuck) <= rest:
            return rest, rest
        return rest, resolve(law, p.numbers, j, 1.0 / ic, abs(stuck) / ic)[1]

    return limit_at


# ------------------------------------------------------------ forces of least energy, where modes alone do not settle


@kernel
def ask(c, o, v1):
    """Friction of a joint at that speed, for its limit in `friction.r`; of those that do not rub, none."""
    _, p, friction, T = c
    if not rubs(p.law[o], p.damping[o]):
        return 0.0, 0.0
    stuck, ic = as_if_stuck(p.stiffness[o], p.viscosity[o], friction.e[o], -v1, T)
    return stick_slip(stuck, friction.r[o], -ic)


touch, unmet = line_kernels(ask)


@kernel
def least_energy(p, w, friction, v, T):
    """Forces, and the speeds that they lead to, for the limits in `friction.r`. True if it ended."""
    c = (w.lines, p, friction, T)
    for o in range(len(v)):
        touch(c, o, v[o])
    ended = False
    for _ in range(TRIALS):
        for o in range(len(v)):
            m = w.lines[o]
            w.tau[o] = w.free_tau[o] + m[FORCE] + m[SLOPE] * (v[o] - m[AT])
            w.slope[o] = w.free_slope[o] - T * m[SLOPE]
        solve_modes(p, w, v, T)
        for o in range(len(v)):
            w.lines[o, FOUND] = w.v1[o]
        if unmet(c) == 0:
            ended = True
            break
    for o in range(len(v)):
        if rubs(p.law[o], p.damping[o]):
            m = w.lines[o]  # where it did not end, the answer is of a part of the way; told is what led to the speeds
            friction.force[o] = m[FORCE] if ended else limited(m[FOUND_RESISTS], friction.r[o])
    return ended


@kernel
def modes_from_forces(p, friction):
    """After `least_energy`: at its limit it slips, else it sticks."""
    for o in range(len(p.law)):
        if rubs(p.law[o], p.damping[o]):
            f, limit = friction.force[o], friction.r[o]
            friction.mode[o] = -1 if f >= limit else (1 if f <= -limit else 0)
            friction.slope[o] = 0.0


# ------------------------------------------------------------ modes, and slopes in those that were found


def stiction_kernels(at_rest, resolve):
    """`solve_stiction` and `still_solved` for joints with these friction laws."""
    limit_at = limit_kernel(at_rest, resolve)

    @kernel
    def judge(p, w, friction, T):
        """Forces at the speeds of the last solve. Two counts come back: modes changed, slips whose force has moved."""
        flips = falls = 0
        for o in range(len(p.law)):
            if not rubs(p.law[o], p.damping[o]):
                continue
            law, j = p.law[o], int(p.place[o])
            v1, sign = w.v1[o], friction.mode[o]
            rest = at_rest(law, p.numbers, j)
            f, ic = as_if_stuck(p.stiffness[o], p.viscosity[o], friction.e[o], -v1, T)
            if sign == 0 and abs(f) <= rest * (1.0 + ROUND):
                friction.force[o] = limited(f, rest)
                continue
            if sign != 0 and -sign * f < rest * (1.0 - ROUND):
                friction.mode[o] = 0
                friction.force[o] = limited(f, rest)
                flips += 1
                continue
            if sign == 0:
                sign = -1 if f > 0.0 else 1
                friction.mode[o] = sign
                friction.r[o], friction.slope[o], friction.at[o] = math.nan, 0.0, v1
                flips += 1
            taken = friction.r[o] + friction.slope[o] * sign * (v1 - friction.at[o])
            _, r, dr = resolve(law, p.numbers, j, 1.0 / ic, max(abs(f), rest) / ic)
            friction.force[o] = -sign * r
            if not abs(r - taken) <= ROUND * (r + rest):
                falls += 1
                friction.r[o], friction.at[o] = r, v1
                friction.slope[o] = dr / (1.0 + dr / ic) if dr > 0.0 else 0.0
        return flips, falls

    @kernel
    def by_energy(p, w, friction, v, T):
        """Least energy again and again, until the limits of those that slip are those of their speed."""
        for o in range(len(v)):
            if rubs(p.law[o], p.damping[o]):
                friction.r[o] = at_rest(p.law[o], p.numbers, int(p.place[o]))
        for _ in range(FALLS):
            ended = least_energy(p, w, friction, v, T)
            modes_from_forces(p, friction)
            moved = False
            for o in range(len(v)):
                if rubs(p.law[o], p.damping[o]):
                    rest, r = limit_at(p, friction, o, w.v1[o], friction.mode[o] != 0, T)
                    if abs(r - friction.r[o]) > ROUND * (r + rest) and friction.mode[o] != 0:
                        moved = True
                        friction.r[o] = r
                    friction.at[o] = w.v1[o]
            if not moved:
                return ended
        return False

    @kernel
    def solve_stiction(p, w, friction, v, T):
        """The speeds after the step into w.v1, the forces into friction. True if they solve the step."""
        flipping = 0
        for _ in range(FALLS):
            by_modes(p, w, friction, v, T)
            solve_modes(p, w, v, T)
            flips, falls = judge(p, w, friction, T)
            if flips + falls == 0:
                w.in_modes[0] = 1
                return True
            flipping += flips > 0
            if flipping > FLIPS:
                break
        w.in_modes[0] = 0
        return by_energy(p, w, friction, v, T)

    @kernel
    def still_solved(p, w, friction, T):
        """Whether the modes that were found hold at speeds that have been moved within them; their forces."""
        flips, falls = judge(p, w, friction, T)
        return flips + falls == 0

    return solve_stiction, still_solved


def slope_kernels(at_rest, resolve):
    """`sharpen` and `rises` for joints with these friction laws."""

    @kernel
    def true_slope(p, friction, v1, o, T):
        """How the friction of a joint falls with its speed, in the mode it settled in."""
        stuck, ic = as_if_stuck(p.stiffness[o], p.viscosity[o], friction.e[o], -v1, T)
        if friction.mode[o] == 0:
            return ic
        law, j = p.law[o], p.place[o]
        rest = at_rest(law, p.numbers, j)
        dr = resolve(law, p.numbers, j, 1.0 / ic, max(abs(stuck), rest) / ic)[2]
        return dr / (1.0 + dr / ic)

    @kernel
    def sharpen(p, w, friction, T):
        """Most settle with their true slopes; a falling law, and forces found by their energy, do not."""
        n = len(w.v1)
        other = False
        for o in range(n):
            w.trial[o] = w.slope[o]
            if p.law[o] >= 0 and p.damping[o] != math.inf:
                w.trial[o] = w.free_slope[o] + T * true_slope(p, friction, w.v1[o], o, T)
                other = other or abs(w.trial[o] - w.slope[o]) > 1e-9 * abs(w.slope[o])
        for j in range(len(p.own)):
            o = p.own[j]
            w.trial[o] = w.own[j, RISE] - T * w.own[j, SLOPE]
            other = other or abs(w.trial[o] - w.slope[o]) > 1e-9 * abs(w.slope[o])
        if not other:
            return
        for attempt in range(2):
            for o in range(n):
                # Where friction falls faster than inertia outweighs there is no slope: it counts as level.
                w.slope[o] = w.trial[o] if attempt == 0 else max(w.trial[o], w.free_slope[o])
            backward(p.parent, p.kind, p.vi, p.C, w.tau, w.slope, w.wrench, w.S)
            sound = True
            for k in range(len(p.parent)):
                sound = sound and (p.kind[k] == FREE or w.S[k, D] > 0.0)
            if sound:
                return

    @kernel
    def rises(p, w, friction, blocks, T):
        """How the friction of each block of the dual that is a joint that slips falls with its speed; else 0."""
        for block in range(blocks):
            o = -1 - w.blocks[OWNER, block]
            slips = o >= 0 and friction.mode[o] != 0
            w.rises[block] = true_slope(p, friction, w.v1[o], o, T) if slips else 0.0

    return sharpen, rises
