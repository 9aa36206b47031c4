"""Forces of dry friction in the joints as those of least energy, where modes alone do not settle.

min 1/2 f'(T G + c) f + b'f with |f| <= r, by projected Newton: its every step is one backward and one forward pass.
"""

from tegotae.compile import kernel
from tegotae.kernels.stick_slip import as_if_stuck, limited
from tegotae.multibody.kernels.joint_steps import by_forces, rubs, solve_modes

NEWTONS = 60
ROUND = 1e-12


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
            step = f - limited(f - work.grad[o] / c, limit)
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
                stuck, ic = as_if_stuck(joints.stiffness[o], joints.viscosity[o], friction.e[o], -v[o], T)
                work.tau[o], work.slope[o] = work.free_tau[o] + stuck, work.free_slope[o] + T * ic
        solve_modes(model, work, v, T)
        for o in range(n):
            work.trial[o], work.trial[n + o], work.trial[2 * n + o] = 0.0, friction.force[o], work.grad[o]
            if rubs(joints.law[o], joints.damping[o]) and not outward(friction, work, friction.r[o], o):
                stuck, _ = as_if_stuck(joints.stiffness[o], joints.viscosity[o], friction.e[o], -work.v1[o], T)
                work.trial[o] = stuck - friction.force[o]
        share, best = 1.0, here
        for _ in range(40):
            promised = 0.0
            for o in range(n):
                if rubs(joints.law[o], joints.damping[o]):
                    limit, old = friction.r[o], work.trial[n + o]
                    new = limited(old + share * work.trial[o], limit)
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
