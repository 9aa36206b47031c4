"""A rod on the ground that is pushed at its ports: its step is solved anew for each trial force h on them.

A tick is one step, so that the motion of the ports has a slope in the modes that were found. As in `port`,

    motion = J v1 - T/2 E + (z - q)/T,

with the rates v1 at the end of the step; E is how the path bends away, and the last term takes back what remains.
"""

from tegotae.block import Halves
from tegotae.compile import kernel_inside
from tegotae.rod.kernels import simd_rows as at
from tegotae.rod.kernels.ground import Things
from tegotae.rod.kernels.newton import mobility, solve
from tegotae.rod.kernels.simd_rows import trace, where
from tegotae.rod.kernels.stepping import begin_step, end_step, finish, restore, take_up


@kernel_inside
def port_prepare(p, s, w, T):
    """All but the force on the ports."""
    take_up(w.rows, s.sigma.shape[0], s.anchor, s.sigma)
    begin_step(p, s, w, Things(p.walls, p.things, w.near, s.face), T, 0.0, 1.0)
    for i in range(p.node.shape[0]):
        o = where(p.node[i])
        w.own[i, 0], w.own[i, 1], w.own[i, 2] = w.rows[o + at.OX], w.rows[o + at.OY], w.rows[o + at.OT]
    w.solved[0] = 0


@kernel_inside
def solve_for(p, s, w, h, T):
    """The step under forces h on the ports, unless it is solved already."""
    same = w.solved[0] == 1
    for c in range(h.shape[0]):
        same = same and w.h[c] == h[c]
    if same:
        return
    n, around = s.sigma.shape[0], Things(p.walls, p.things, w.near, s.face)
    for i in range(p.node.shape[0]):
        o = where(p.node[i])
        w.rows[o + at.OX], w.rows[o + at.OY] = w.own[i, 0] + h[3 * i], w.own[i, 1] + h[3 * i + 1]
        w.rows[o + at.OT] = w.own[i, 2] + h[3 * i + 2]
    w.trial[:] = w.first
    v = s.z[n + 2 :]
    trace(w.rows, n, s.z[: n + 2], v, w.trial, T)
    w.counts[:] = 0
    solve(w.rows, n, T, p.g, p.tip, s.held, w.swing, p.law, around, w.P, w.b, v, w.trial, w.a, w.counts)
    w.h[:] = h
    w.solved[0] = 1


@kernel_inside
def port_answer(p, s, w, h, T, motion, slope):
    """In x, y and angle of each port: ground, walls and pegs give way as they do under this force."""
    solve_for(p, s, w, h, T)
    n, rows = s.sigma.shape[0], w.rows
    for i in range(p.node.shape[0]):
        node, o = p.node[i], where(p.node[i])
        x, y = rows[o + at.VX], rows[o + at.VY]
        for k in range(node):
            x -= 0.5 * T * rows[where(k) + at.EX]
            y -= 0.5 * T * rows[where(k) + at.EY]
        motion[3 * i] = x + (rows[o + at.PX] - s.position[3 * i]) / T
        motion[3 * i + 1] = y + (rows[o + at.PY] - s.position[3 * i + 1]) / T
        motion[3 * i + 2] = w.trial[2 + node] + (s.z[2 + node] - s.position[3 * i + 2]) / T
    mobility(rows, n, T, p.g, p.tip, s.held, p.node, w.grip, w.unit, w.a, w.J)
    for c in range(h.shape[0]):
        for i in range(h.shape[0]):
            slope[i, c] = w.J[c, i // 3, i % 3]


@kernel_inside
def port_advance(p, s, w, h, v, T):
    """Commit the step under this force."""
    solve_for(p, s, w, h, T)
    for c in range(w.counts.shape[0]):
        s.counts[c] += w.counts[c]
    end_step(p, s, w, Things(p.walls, p.things, w.near, s.face), w.trial, T)
    finish(p, s, w)
    for i in range(h.shape[0]):
        s.velocity[i] = v[i]
        s.position[i] += T * v[i]


def port_kernels():
    """Force x, y and torque on each port in."""
    return Halves(port_answer, port_advance, port_prepare, restore)
