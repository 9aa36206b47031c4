"""Dry friction in the joints of a tree, exact and implicit, for the price of the passes.

The element of a joint, without mass, with ic = B + T K and c = 1/ic, for the speed v1 after the step and
u = v1 - c K e:

    sticks   f = K e - ic v1              if |u| <= c r(0): it only adds ic to how the joint resists
    slips    f = -r(s) sgn u, s + c r(s) = |u|

and then e1 = (f T + B e)/(K T + B). For given modes a step is one backward and one forward pass. Modes start from the
last step's; what sticks too strongly slips, what slips too little *sticks first*. If that does not end, the forces
are found as those of least energy: min 1/2 f'(T G + c) f + b'f with |f| <= r, by projected Newton, whose every step is
the same pair of passes.
"""

import math

from tegotae.compiling import kernel
from tegotae.multibody.kernels.passes import backward, forward_two

FLIPS = 12  # solves with changing modes before the energy decides
FALLS = 200  # solves in all: a falling law is taken as it was at the last solve, which contracts, perhaps slowly
NEWTONS = 60
ROUND = 1e-12


@kernel
def prepare_joints(model, joints, work, tau, q, v, T):
    """Torques and slopes of dampers and servos, implicit: they answer the speed after the step."""
    for k in range(len(model.parent)):
        o = model.vi[k]
        if model.kind[k] == 2:
            continue
        if joints.damping[o] == math.inf:
            work.free_tau[o], work.free_slope[o] = 0.0, math.inf
            continue
        resists = joints.damping[o] + joints.rate_gain[o] + T * joints.gain[o]
        pull = joints.gain[o] * (joints.target[o] - q[model.qi[k]])
        work.free_tau[o] = tau[o] + pull - resists * v[o]
        work.free_slope[o] = T * resists


@kernel
def solve_modes(model, work, v, T):
    """One backward and one forward pass with the torques and slopes in `work`."""
    backward(model.parent, model.kind, model.vi, model.C, work.tau, work.slope, work.wrench, work.S)
    forward_two(model.parent, model.kind, model.vi, model.g, work.S, work.a)
    for o in range(len(v)):
        work.v1[o] = v[o] + T * work.a[o]


@kernel
def rubs(law, damping):
    """Whether a joint has friction, and can move. (Numbers, not records: handing those over costs more than this.)"""
    return law >= 0 and damping != math.inf


@kernel
def by_modes(joints, friction, work, v, T):
    """Torques and slopes of all joints in their present modes."""
    for o in range(len(v)):
        work.tau[o], work.slope[o] = work.free_tau[o], work.free_slope[o]
        if rubs(joints.law[o], joints.damping[o]):
            sign = friction.mode[o]
            if sign == 0:
                ic = joints.viscosity[o] + T * joints.stiffness[o]
                work.tau[o] += joints.stiffness[o] * friction.e[o] - ic * v[o]
                work.slope[o] += T * ic
            else:
                rise = friction.slope[o]
                work.tau[o] -= sign * friction.r[o] + rise * (v[o] - friction.at[o])
                work.slope[o] += T * rise


@kernel
def by_forces(joints, friction, work, v):
    """The same with friction forces that are given."""
    for o in range(len(v)):
        work.tau[o], work.slope[o] = work.free_tau[o], work.free_slope[o]
        if rubs(joints.law[o], joints.damping[o]):
            work.tau[o] += friction.force[o]


@kernel
def commit_friction(joints, friction, T):
    """e1 = (f T + B e)/(K T + B)."""
    for o in range(len(joints.law)):
        if rubs(joints.law[o], joints.damping[o]):
            K, B = joints.stiffness[o], joints.viscosity[o]
            friction.e[o] = (friction.force[o] * T + B * friction.e[o]) / (K * T + B)


def stiction_kernels(at_rest, resolve):
    """`settle` for joints with these friction laws."""

    @kernel
    def judge(joints, friction, work, T):
        """Forces at the speeds of the last solve. Two counts come back: modes changed, slips whose force has moved."""
        flips = falls = 0
        for o in range(len(joints.law)):
            if not rubs(joints.law[o], joints.damping[o]):
                continue
            law, j, K = joints.law[o], joints.place[o], joints.stiffness[o]
            ic = joints.viscosity[o] + T * K
            v1, sign = work.v1[o], friction.mode[o]
            rest = at_rest(law, joints.numbers, j)
            f = K * friction.e[o] - ic * v1  # as if it stuck
            if sign == 0 and abs(f) <= rest * (1.0 + ROUND):
                friction.force[o] = min(max(f, -rest), rest)
                continue
            if sign != 0 and -sign * f < rest * (1.0 - ROUND):
                friction.mode[o] = 0
                friction.force[o] = min(max(f, -rest), rest)
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
    def energy(model, joints, friction, work, v, T):
        """1/2 f.(gradient + first) of the forces at hand; the gradient c f + v1 - c K e is left behind."""
        by_forces(joints, friction, work, v)
        solve_modes(model, work, v, T)
        total = 0.0
        for o in range(len(v)):
            if rubs(joints.law[o], joints.damping[o]):
                K = joints.stiffness[o]
                c = 1.0 / (joints.viscosity[o] + T * K)
                f = friction.force[o]
                work.grad[o] = c * (f - K * friction.e[o]) + work.v1[o]
                total += 0.5 * f * (work.grad[o] + work.first[o])
        return total

    @kernel
    def outward(friction, work, limit, o):
        """Whether a force stands at its limit and wants to pass it."""
        f, g = friction.force[o], work.grad[o]
        return (f >= limit and g < 0.0) or (f <= -limit and g > 0.0)

    @kernel
    def unbalanced(joints, friction, work, T):
        """The largest gradient that a force could still follow, in units of its own rounding."""
        worst = 0.0
        for o in range(len(joints.law)):
            if rubs(joints.law[o], joints.damping[o]):
                K = joints.stiffness[o]
                c = 1.0 / (joints.viscosity[o] + T * K)
                limit = friction.r[o]
                f = friction.force[o]
                step = f - min(max(f - work.grad[o] / c, -limit), limit)
                size = c * limit + abs(c * K * friction.e[o]) + abs(work.v1[o])
                worst = max(worst, c * abs(step) / size)
        return worst

    @kernel
    def least_energy(model, joints, friction, work, v, T):
        """Projected Newton for the limits in `friction.r`. True if it ended."""
        n = len(v)
        for o in range(n):
            friction.force[o], work.first[o] = 0.0, 0.0
        energy(model, joints, friction, work, v, T)
        for o in range(n):
            work.first[o] = work.grad[o]
            if rubs(joints.law[o], joints.damping[o]):  # begin where every joint by itself would be
                friction.force[o] = 0.0
        here = 0.0
        for _ in range(NEWTONS):
            if unbalanced(joints, friction, work, T) <= 4.0 * ROUND:
                return True
            # Newton for the forces that are free: those joints stick, whatever their force becomes.
            by_forces(joints, friction, work, v)
            for o in range(n):
                if rubs(joints.law[o], joints.damping[o]) and not outward(friction, work, friction.r[o], o):
                    K = joints.stiffness[o]
                    ic = joints.viscosity[o] + T * K
                    work.tau[o] = work.free_tau[o] + K * friction.e[o] - ic * v[o]
                    work.slope[o] = work.free_slope[o] + T * ic
            solve_modes(model, work, v, T)
            for o in range(n):
                work.trial[o], work.trial[n + o], work.trial[2 * n + o] = 0.0, friction.force[o], work.grad[o]
                if rubs(joints.law[o], joints.damping[o]) and not outward(friction, work, friction.r[o], o):
                    K = joints.stiffness[o]
                    ic = joints.viscosity[o] + T * K
                    work.trial[o] = K * friction.e[o] - ic * work.v1[o] - friction.force[o]
            share, best = 1.0, here
            for _ in range(40):
                promised = 0.0
                for o in range(n):
                    if rubs(joints.law[o], joints.damping[o]):
                        limit, old = friction.r[o], work.trial[n + o]
                        new = min(max(old + share * work.trial[o], -limit), limit)
                        friction.force[o] = new
                        promised += work.trial[2 * n + o] * (new - old)
                best = energy(model, joints, friction, work, v, T)
                if best <= here + 1e-4 * promised + ROUND * abs(here):
                    break
                share *= 0.5
            here = best
        return unbalanced(joints, friction, work, T) <= 1e3 * ROUND

    @kernel
    def modes_from_forces(joints, friction):
        """After `least_energy`: at its limit it slips, else it sticks."""
        for o in range(len(joints.law)):
            if rubs(joints.law[o], joints.damping[o]):
                f, limit = friction.force[o], friction.r[o]
                friction.mode[o] = -1 if f >= limit else (1 if f <= -limit else 0)
                friction.slope[o] = 0.0

    @kernel
    def by_energy(model, joints, friction, work, v, T):
        """Least energy again and again, until the limits of those that slip are those of their speed."""
        for o in range(len(v)):
            if rubs(joints.law[o], joints.damping[o]):
                friction.r[o] = at_rest(joints.law[o], joints.numbers, joints.place[o])
        for _ in range(FALLS):
            ended = least_energy(model, joints, friction, work, v, T)
            modes_from_forces(joints, friction)
            moved = False
            for o in range(len(v)):
                if rubs(joints.law[o], joints.damping[o]):
                    law, j, K = joints.law[o], joints.place[o], joints.stiffness[o]
                    ic = joints.viscosity[o] + T * K
                    rest = at_rest(law, joints.numbers, j)
                    f = abs(K * friction.e[o] - ic * work.v1[o])
                    r = rest
                    if friction.mode[o] != 0 and f > rest:
                        _, r, _ = resolve(law, joints.numbers, j, 1.0 / ic, f / ic)
                    if abs(r - friction.r[o]) > ROUND * (r + rest) and friction.mode[o] != 0:
                        moved = True
                        friction.r[o] = r
                    friction.at[o] = work.v1[o]
            if not moved:
                return ended
        return False

    @kernel
    def settle(model, joints, friction, work, v, T):
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

    return settle
