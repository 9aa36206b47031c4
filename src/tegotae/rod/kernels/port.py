"""A rod that is pushed at its ports, on the ground or on none: its step is solved anew for each trial force on them.

A tick is one step, so that the motion of the ports has a slope in the modes that were found:

    motion = J v1 - T/2 E + (z - q)/T,    from the middle of the step to the next (by Euler's rule from start to end).

J v1 is the velocity of the port for the rates v1 at the end of the step, with J and z of its middle, E how its path
bends away, and the last term takes back next tick what remains (of order T^3), so that the port's place q never drifts
from where the rod says it is, z. What is kept is the place at the end of a step: half a step on, along its velocity and
bent by E, it is q. Where nothing grips the rod, all of it is linear in the force, and `prepare` does the work.
"""

from tegotae.compile import kernel_inside
from tegotae.rod.kernels import simd_rows as at
from tegotae.rod.kernels.ground import grips
from tegotae.rod.kernels.newton import mobility, solve
from tegotae.rod.kernels.simd_rows import trace, where
from tegotae.rod.kernels.stepping import around_of, begin_step, end_step, finish, take_up


@kernel_inside
def port_prepare(p, s, w, T):
    """All but the force on the ports."""
    if grips(p.law):
        take_up(w.rows, s.sigma.shape[0], s.anchor, s.anchor_velocity, s.sigma)
    begin_step(p, s, w, around_of(p, s, w), T, 0.0, 1.0)
    for i in range(p.node.shape[0]):
        o = where(p.node[i])
        w.own[i, 0], w.own[i, 1], w.own[i, 2] = w.rows[o + at.OX], w.rows[o + at.OY], w.rows[o + at.OT]
    w.solved[0] = 0
    if not grips(p.law):
        w.push[:] = 0.0
        solve_ports(p, s, w, T)


@kernel_inside
def solve_step(p, s, w, T):
    """The step under the forces w.push on the ports, unless it is solved already."""
    again = w.solved[0] == 1
    same = again
    for c in range(w.push.shape[0]):
        same = same and w.h[c] == w.push[c]
    if same:
        return
    n, around = s.sigma.shape[0], around_of(p, s, w)
    for i in range(p.node.shape[0]):
        o = where(p.node[i])
        w.rows[o + at.OX], w.rows[o + at.OY] = w.own[i, 0] + w.push[3 * i], w.own[i, 1] + w.push[3 * i + 1]
        w.rows[o + at.OT] = w.own[i, 2] + w.push[3 * i + 2]
    w.trial[:] = w.first
    v = s.z[n + 2 :]
    if again and grips(p.law):
        trace(w.rows, n, w.y, v, w.trial, T)
    w.counts[:] = 0
    solve(w.rows, n, T, p.g, p.tip, s.held, w.swing, p.law, around, w.P, w.b, v, w.trial, w.a, w.counts)
    w.h[:] = w.push
    w.solved[0] = 1


@kernel_inside
def solve_ports(p, s, w, T):
    """Under the forces w.push: velocities of the ports and where the rod says they are, x, y and angle of each, into
    w.speed and w.place; how much each unit of force adds, w.J. Ground, walls and pegs give way as they do under them.
    """
    solve_step(p, s, w, T)
    n, rows = s.sigma.shape[0], w.rows
    for i in range(p.node.shape[0]):
        node, o = p.node[i], where(p.node[i])
        x, y = rows[o + at.VX], rows[o + at.VY]
        for k in range(node):
            x -= 0.5 * T * rows[where(k) + at.EX]
            y -= 0.5 * T * rows[where(k) + at.EY]
        w.speed[3 * i], w.speed[3 * i + 1], w.speed[3 * i + 2] = x, y, w.trial[2 + node]
        w.place[3 * i], w.place[3 * i + 1], w.place[3 * i + 2] = rows[o + at.PX], rows[o + at.PY], w.y[2 + node]
        for k in range(node if p.middle > 0.0 else 0):
            w.place[3 * i] += 0.5 * (p.middle * T) ** 2 * rows[where(k) + at.EX]
            w.place[3 * i + 1] += 0.5 * (p.middle * T) ** 2 * rows[where(k) + at.EY]
    w.grip[:] = w.P
    mobility(rows, n, T, p.g, p.tip, s.held, p.law, p.node, w.grip, w.unit, w.a, w.J)


@kernel_inside
def commit_step(p, s, w, T):
    """Move on under the forces w.push."""
    solve_step(p, s, w, T)
    for c in range(w.counts.shape[0]):
        s.counts[c] += w.counts[c]
    end_step(p, s, w, around_of(p, s, w), w.trial, T)
    finish(p, s, w)


@kernel_inside
def port_answer(p, s, w, h, T, motion, slope):
    """In x, y and angle of each port."""
    linear = not grips(p.law)
    if not linear:
        w.push[:] = h
        solve_ports(p, s, w, T)
    for i in range(h.shape[0]):
        kept = s.position[i]
        if p.middle > 0.0:
            kept += p.middle * T * s.velocity[i]
        motion[i] = w.speed[i] + (w.place[i] - kept) / T
        for c in range(h.shape[0]):
            slope[i, c] = w.J[c, i // 3, i % 3]
            if linear:
                motion[i] += slope[i, c] * h[c]


@kernel_inside
def port_advance(p, s, w, h, v, T):
    """Commit in x, y and angle."""
    w.push[:] = h
    commit_step(p, s, w, T)
    for i in range(h.shape[0]):
        before, s.velocity[i] = s.velocity[i], v[i]
        s.position[i] += T * (v[i] + p.middle * (before - v[i]))


@kernel_inside
def along_answer(p, s, w, h, T):
    """Along one direction of the one port."""
    linear = not grips(p.law)
    if not linear:
        for c in range(3):
            w.push[c] = h * p.along[c]
        solve_ports(p, s, w, T)
    speed, place, slope = 0.0, 0.0, 0.0
    for i in range(3):
        speed += p.along[i] * w.speed[i]
        place += p.along[i] * w.place[i]
        for c in range(3):
            slope += p.along[i] * w.J[c, 0, i] * p.along[c]
    kept = s.position[0]
    if p.middle > 0.0:
        kept += p.middle * T * s.velocity[0]
    motion = speed + (place - kept) / T
    return motion + slope * h if linear else motion, slope


@kernel_inside
def along_advance(p, s, w, h, v, T):
    """Commit along one direction."""
    for c in range(3):
        w.push[c] = h * p.along[c]
    commit_step(p, s, w, T)
    before, s.velocity[0] = s.velocity[0], v
    s.position[0] += T * (v + p.middle * (before - v))
