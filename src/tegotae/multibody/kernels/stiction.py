"""Dry friction in the joints of a tree, exact and implicit, for the price of the passes.

The element of a joint, without mass, with ic = B + T K and c = 1/ic, for the speed v1 after the step and
u = v1 - c K e:

    sticks   f = K e - ic v1              if |u| <= c r(0): it only adds ic to how the joint resists
    slips    f = -r(s) sgn u, s + c r(s) = |u|

and then e1 = (f T + B e)/(K T + B). For given modes a step is one backward and one forward pass. Modes start from the
last step's; what sticks too strongly slips, what slips too little *sticks first*. If that does not end, the forces
are found as those of least energy: min 1/2 f'(T G + c) f + b'f with |f| <= r, by Newton with a search along each step,
which is the same pair of passes.
"""

import math

from tegotae.compile import kernel
from tegotae.kernels.stick_slip import as_if_stuck, limited
from tegotae.multibody.kernels.joint_steps import by_modes, limit_kernel, rubs, solve_modes
from tegotae.multibody.kernels.kinematics import FREE, D
from tegotae.multibody.kernels.least_energy import least_energy, modes_from_forces
from tegotae.multibody.kernels.lines import ROUND, SLOPE
from tegotae.multibody.kernels.own_joints import RISE
from tegotae.multibody.kernels.passes import backward
from tegotae.multibody.kernels.records import OWNER

FLIPS = 12  # solves with changing modes before the energy decides
FALLS = 200  # solves in all: a falling law is taken as it was at the last solve, which contracts, perhaps slowly


def stiction_kernels(at_rest, resolve):
    """`solve_stiction` for joints with these friction laws."""
    limit_at = limit_kernel(at_rest, resolve)

    @kernel
    def judge(joints, friction, work, T):
        """Forces at the speeds of the last solve. Two counts come back: modes changed, slips whose force has moved."""
        flips = falls = 0
        for o in range(len(joints.law)):
            if not rubs(joints.law[o], joints.damping[o]):
                continue
            law, j = joints.law[o], int(joints.place[o])
            v1, sign = work.v1[o], friction.mode[o]
            rest = at_rest(law, joints.numbers, j)
            f, ic = as_if_stuck(joints.stiffness[o], joints.viscosity[o], friction.e[o], -v1, T)
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
            _, r, dr = resolve(law, joints.numbers, j, 1.0 / ic, max(abs(f), rest) / ic)
            friction.force[o] = -sign * r
            if not abs(r - taken) <= ROUND * (r + rest):
                falls += 1
                friction.r[o], friction.at[o] = r, v1
                friction.slope[o] = dr / (1.0 + dr / ic) if dr > 0.0 else 0.0
        return flips, falls

    @kernel
    def by_energy(model, joints, friction, work, v, T):
        """Least energy again and again, until the limits of those that slip are those of their speed."""
        for o in range(len(v)):
            if rubs(joints.law[o], joints.damping[o]):
                friction.r[o] = at_rest(joints.law[o], joints.numbers, int(joints.place[o]))
        for _ in range(FALLS):
            ended = least_energy(model, joints, friction, work, v, T)
            modes_from_forces(joints, friction)
            moved = False
            for o in range(len(v)):
                if rubs(joints.law[o], joints.damping[o]):
                    rest, r = limit_at(joints, friction, o, work.v1[o], friction.mode[o] != 0, T)
                    if abs(r - friction.r[o]) > ROUND * (r + rest) and friction.mode[o] != 0:
                        moved = True
                        friction.r[o] = r
                    friction.at[o] = work.v1[o]
            if not moved:
                return ended
        return False

    @kernel
    def solve_stiction(model, joints, friction, work, v, T):
        """The speeds after the step into work.v1, the forces into friction. True if they solve the step."""
        flipping = 0
        for _ in range(FALLS):
            by_modes(joints, friction, work, v, T)
            solve_modes(model, work, v, T)
            flips, falls = judge(joints, friction, work, T)
            if flips + falls == 0:
                return True
            flipping += flips > 0
            if flipping > FLIPS:
                break
        return by_energy(model, joints, friction, work, v, T)

    return solve_stiction


def slope_kernels(at_rest, resolve):
    """`sharpen` and `rises` for joints with these friction laws."""

    @kernel
    def true_slope(joints, friction, v1, o, T):
        """How the friction of a joint falls with its speed, in the mode it settled in."""
        stuck, ic = as_if_stuck(joints.stiffness[o], joints.viscosity[o], friction.e[o], -v1, T)
        if friction.mode[o] == 0:
            return ic
        law, j = joints.law[o], joints.place[o]
        rest = at_rest(law, joints.numbers, j)
        dr = resolve(law, joints.numbers, j, 1.0 / ic, max(abs(stuck), rest) / ic)[2]
        return dr / (1.0 + dr / ic)

    @kernel
    def sharpen(model, joints, friction, work, own, lines, T):
        """Most settle with their true slopes; a falling law, and forces found by their energy, do not."""
        n = len(work.v1)
        other = False
        for o in range(n):
            work.trial[o] = work.slope[o]
            if joints.law[o] >= 0 and joints.damping[o] != math.inf:
                work.trial[o] = work.free_slope[o] + T * true_slope(joints, friction, work.v1[o], o, T)
                other = other or abs(work.trial[o] - work.slope[o]) > 1e-9 * abs(work.slope[o])
        for j in range(len(own)):
            o = own[j]
            work.trial[o] = lines[j, RISE] - T * lines[j, SLOPE]
            other = other or abs(work.trial[o] - work.slope[o]) > 1e-9 * abs(work.slope[o])
        if not other:
            return
        for attempt in range(2):
            for o in range(n):
                # Where friction falls faster than inertia outweighs there is no slope: it counts as level.
                work.slope[o] = work.trial[o] if attempt == 0 else max(work.trial[o], work.free_slope[o])
            backward(model.parent, model.kind, model.vi, model.C, work.tau, work.slope, work.wrench, work.S)
            sound = True
            for k in range(len(model.parent)):
                sound = sound and (model.kind[k] == FREE or work.S[k, D] > 0.0)
            if sound:
                return

    @kernel
    def rises(joints, friction, dual, v1, blocks, out, T):
        """How the friction of each block of the dual that is a joint that slips falls with its speed; else 0."""
        for block in range(blocks):
            o = -1 - dual.blocks[OWNER, block]
            slips = o >= 0 and friction.mode[o] != 0
            out[block] = true_slope(joints, friction, v1[o], o, T) if slips else 0.0

    return sharpen, rises
