"""What a step needs of the joints: dampers, servos and friction as torques and slopes, and one solve with them."""

import math
from functools import cache

from tegotae.compile import kernel, kernel_inside
from tegotae.kernels.stick_slip import as_if_stuck, stretch_after
from tegotae.multibody.kernels.kinematics import FREE
from tegotae.multibody.kernels.passes import backward, forward_two


@kernel_inside
def prepare_joints(p, s, w, T):
    """Torques and slopes of dampers and servos, implicit: they answer the speed after the step."""
    for k in range(len(p.parent)):
        o = p.vi[k]
        if p.kind[k] == FREE:
            continue
        if p.damping[o] == math.inf:
            w.free_tau[o], w.free_slope[o] = 0.0, math.inf
            continue
        resists = p.damping[o] + p.rate_gain[o] + T * p.gain[o]
        pull = p.gain[o] * (w.target[o] - s.q[p.qi[k]])
        w.free_tau[o] = w.torque[o] + pull - resists * s.v[o]
        w.free_slope[o] = T * resists


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
                stuck, ic = as_if_stuck(joints.stiffness[o], joints.viscosity[o], friction.e[o], -v[o], T)
                work.tau[o] += stuck
                work.slope[o] += T * ic
            else:
                rise = friction.slope[o]
                work.tau[o] -= sign * friction.r[o] + rise * (v[o] - friction.at[o])
                work.slope[o] += T * rise


@kernel
def commit_friction(joints, friction, T):
    """e1 = (f T + B e)/(K T + B)."""
    for o in range(len(joints.law)):
        if rubs(joints.law[o], joints.damping[o]):
            K, B = joints.stiffness[o], joints.viscosity[o]
            friction.e[o] = stretch_after(K, B, friction.e[o], friction.force[o], T)


@cache
def limit_kernel(at_rest, resolve):
    """For joints with these friction laws."""

    @kernel_inside
    def limit_at(joints, friction, o, v1, slips, T):
        """r(0), and the limit of a joint that has the speed v1: r at its slip speed, r(0) unless it slips."""
        law, j = joints.law[o], int(joints.place[o])
        rest = at_rest(law, joints.numbers, j)
        stuck, ic = as_if_stuck(joints.stiffness[o], joints.viscosity[o], friction.e[o], -v1, T)
        if not slips or abs(stuck) <= rest:
            return rest, rest
        return rest, resolve(law, joints.numbers, j, 1.0 / ic, abs(stuck) / ic)[1]

    return limit_at
