"""Forces of dry friction in the joints as those of least energy, where modes alone do not settle.

They are f = min(max(K e - ic v1, -r), r) for the speeds v1 that they lead to, found by Newton with lines (`lines.py`):
every step is one backward and one forward pass.
"""

from tegotae.compile import kernel
from tegotae.kernels.stick_slip import as_if_stuck, stick_slip
from tegotae.multibody.kernels.joint_steps import rubs, solve_modes
from tegotae.multibody.kernels.lines import AT, FORCE, FOUND, SLOPE, TRIALS, line_kernels


@kernel
def ask(c, o, v1):
    """Friction of a joint at that speed, for its limit in `friction.r`; of those that do not rub, none."""
    _, joints, friction, T = c
    if not rubs(joints.law[o], joints.damping[o]):
        return 0.0, 0.0
    stuck, ic = as_if_stuck(joints.stiffness[o], joints.viscosity[o], friction.e[o], -v1, T)
    return stick_slip(stuck, friction.r[o], -ic)


touch, unmet = line_kernels(ask)


@kernel
def least_energy(model, joints, friction, work, v, T):
    """Forces, and the speeds that they lead to, for the limits in `friction.r`. True if it ended."""
    c = (work.lines, joints, friction, T)
    for o in range(len(v)):
        touch(c, o, v[o])
    ended = False
    for _ in range(TRIALS):
        for o in range(len(v)):
            m = work.lines[o]
            work.tau[o] = work.free_tau[o] + m[FORCE] + m[SLOPE] * (v[o] - m[AT])
            work.slope[o] = work.free_slope[o] - T * m[SLOPE]
        solve_modes(model, work, v, T)
        for o in range(len(v)):
            work.lines[o, FOUND] = work.v1[o]
        if unmet(c) == 0:
            ended = True
            break
    for o in range(len(v)):
        if rubs(joints.law[o], joints.damping[o]):
            friction.force[o] = work.lines[o, FORCE]
    return ended


@kernel
def modes_from_forces(joints, friction):
    """After `least_energy`: at its limit it slips, else it sticks."""
    for o in range(len(joints.law)):
        if rubs(joints.law[o], joints.damping[o]):
            f, limit = friction.force[o], friction.r[o]
            friction.mode[o] = -1 if f >= limit else (1 if f <= -limit else 0)
            friction.slope[o] = 0.0
