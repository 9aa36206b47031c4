"""A rod stepped at a fixed period, everything stiff at the end of the tick: bending, friction, walls and pegs.

`newton` solves for the rates v1 at the end of a step of length T. By the midpoint rule the rod drifts to the middle of
the step, is kicked there, and drifts on:

    ym = y0 + T/2 v0,    A(ym) (v1 - v0)/T = all forces,    y1 = ym + T/2 v1.

Inertia, loads, and where ground, walls and pegs stand are those of ym; what turning does to the inertia has the rates
of the middle, guessed from the last two steps. Friction and contact are solved for v1: from one middle to the next the
rod moves by T v1, so what their elements do is what they would do in a step of Euler's, which sticks and does not
bounce. Anchors drift as the rod does. By Euler's rule ym is y0 and y1 = y0 + T v1, of first order. A tick in which a
node is about to turn far is taken in several steps.
"""

import math

import numpy as np

from tegotae.block import Halves
from tegotae.compile import entry_sums, kernel, kernel_inside, kernel_sums
from tegotae.rod.kernels import simd_rows as at
from tegotae.rod.kernels.ground import Things, commit, grips, locate, stored
from tegotae.rod.kernels.impact import leave_out, shift, strike_all
from tegotae.rod.kernels.newton import inertia_along, solve
from tegotae.rod.kernels.segment import point_torques
from tegotae.rod.kernels.simd_rows import (
    FIELDS,
    SIMD,
    fill,
    shape,
    torques_at_end,
    torques_at_middle,
    trace,
    velocities_of,
    where,
)

# A tick in which a node is about to turn by more than GENTLE [rad] is taken in several steps; a step that turned one by
# more than TURN means nothing.
GENTLE = 0.1
TURN = 1.0
STEPS = 100  # of a tick at most
# By the midpoint a step is solved twice where the rates that turn things were guessed wrong by more than this [rad].
SURE = 1e-3
TICKS = 4  # of the counts, behind those of `newton`


# ------------------------------------------------------------ what the workspace keeps


@kernel_inside
def restore(p, s, w):
    """Segments and bristles side by side, which no tick changes; and the grip of the bristles, from the state."""
    w.rows[:] = 0.0
    w.solved[0] = 0
    n = s.z.shape[0] // 2 - 2
    for i in range(n):
        o = where(i)
        w.rows[o + at.A_FORWARD], w.rows[o + at.A_BACKWARD] = p.bristles[0, i], p.bristles[1, i]
        w.rows[o + at.A_ACROSS] = p.bristles[2, i]
        w.rows[o + at.K], w.rows[o + at.B] = p.bristles[3, i], p.bristles[4, i]
        if i < n - 1:
            w.rows[o + at.LENGTH], w.rows[o + at.RHO] = p.hs[i], p.rho[i]
            w.rows[o + at.KH], w.rows[o + at.CH] = p.K[i] / p.hs[i], p.C[i] / p.hs[i]
            w.rows[o + at.OMEGA] = math.sqrt(p.K[i] / p.rho[i]) / p.hs[i] ** 2
    take_up(w.rows, n, s.anchor, s.anchor_velocity, s.sigma)


@kernel_sums
def take_up(w, n, anchor, velocity, sigma):
    """Where the bristles are fixed, how that moves, and how they grip, from the state."""
    for i in range(n):
        o = where(i)
        w[o + at.QX], w[o + at.QY], w[o + at.SIGMA] = anchor[0, i], anchor[1, i], sigma[i]
        w[o + at.WX], w[o + at.WY] = velocity[0, i], velocity[1, i]


@kernel_sums
def record(w, n, anchor, velocity, sigma, friction, contact, slip, things):
    """Into the state: anchors, and the forces of the last step. One array at a time: none overlaps another."""
    for b in range(0, n, SIMD):
        o, count = w[b * FIELDS : (b + SIMD) * FIELDS], min(SIMD, n - b)
        for into, row in ((anchor[0], at.QX), (anchor[1], at.QY), (sigma, at.SIGMA)):
            x = into[b:]
            for j in range(count):
                x[j] = o[row + j]
        for into, row in ((velocity[0], at.WX), (velocity[1], at.WY)):
            x = into[b:]
            for j in range(count):
                x[j] = o[row + j]
        speed = slip[b:]
        for j in range(count):
            speed[j] = math.sqrt(o[at.WX + j] ** 2 + o[at.WY + j] ** 2)
        rub = friction[b:]
        for j in range(count):
            rub[j, 0], rub[j, 1] = o[at.GX + j] - o[at.PUSHX + j], o[at.GY + j] - o[at.PUSHY + j]
        if things > 0:
            push = contact[b:]
            for j in range(count):
                push[j, 0], push[j, 1] = o[at.PUSHX + j], o[at.PUSHY + j]


# ------------------------------------------------------------ a step


@kernel_sums
def bend_to(w, n, before, after, begun, done):
    """Natural curvature where a step starts and ends, by the shares of the tick that have passed then."""
    for b in range(0, n - 1, SIMD):
        o, here, there = w[b * FIELDS : (b + SIMD) * FIELDS], before[b:], after[b:]
        for r in range(min(SIMD, n - 1 - b)):
            o[at.OLD + r] = here[r] + begun * (there[r] - here[r])
            o[at.KAPPA + r] = there[r] if done == 1.0 else here[r] + done * (there[r] - here[r])


@kernel_sums
def bend_halfway(w, n):
    """Half a step back: the natural curvature in the middle of this step, and of one before it."""
    for b in range(0, n - 1, SIMD):
        o = w[b * FIELDS : (b + SIMD) * FIELDS]
        for j in range(SIMD):
            half = 0.5 * (o[at.KAPPA + j] - o[at.OLD + j])
            o[at.KAPPA + j] -= half
            o[at.OLD + j] -= half


@kernel_inside
def load_all(p, s, w):
    """The torque on the base, and loads between nodes as forces on the coordinates of their segment."""
    rows, y = w.rows, w.y
    for i in range(p.node.shape[0]):
        o = where(p.node[i])
        rows[o + at.OX] = rows[o + at.OY] = rows[o + at.OT] = 0.0
    for i in range(p.spot.shape[0]):
        for k in range(2):
            o = where(p.spot[i] + k)
            rows[o + at.OX] = rows[o + at.OY] = rows[o + at.OT] = 0.0
    o = where(0)
    rows[o + at.OX] = rows[o + at.OY] = 0.0
    rows[o + at.OT] = s.torque[0]
    for i in range(p.spot.shape[0]):
        k, q = p.spot[i], p.share[i]
        fx, fy, tau = s.load[i, 0], s.load[i, 1], s.load[i, 2]
        first, second = point_torques(y[2 + k], y[3 + k] - y[2 + k], p.hs[k], q, fx, fy, tau, w.re, w.im)
        o = where(k)
        rows[o + at.OX] += fx
        rows[o + at.OY] += fy
        rows[o + at.OT] += first
        rows[where(k + 1) + at.OT] += second


@kernel_sums
def predict(n, v, change, trial, guide, held, swing, T):
    """The first trial, from the changes of the rates in the last two steps; what holds the base."""
    last, before = change[0], change[1]
    for k in range(n + 2):
        trial[k] = v[k] + 2.0 * last[k] - before[k]
    for c in range(3):
        swing[c] = (guide[c] - v[c]) / T
        if held[c]:
            trial[c] = guide[c]


@kernel_sums
def to_middle(n, y, v, change, middle, turning, share, T):
    """Where a step takes the rod, a share of T after its start, and the rates there by what they last changed.

    The next change is taken from the last two, by a straight line: at most twice the last, and none where that differs
    in sign; a rate that just jumped or rings tells nothing of it.
    """
    last, before = change[0], change[1]
    for k in range(n + 2):
        middle[k] = y[k] + share * T * v[k]
    for k in range(n + 2):
        twice, line = 2.0 * last[k], 2.0 * last[k] - before[k]
        low, high = min(twice, line), max(twice, line)
        turning[k] = v[k] + share * (max(low, 0.0) + min(high, 0.0))


@kernel_inside
def around_of(p, s, w):
    """Walls and pegs, and their elements."""
    return Things(p.walls, p.things, w.near, s.face, p.bouncing, w.blows)


@kernel_inside
def begin_step(p, s, w, around, T, begun, done):
    """All that a step starts from, and its first trial."""
    n = s.z.shape[0] // 2 - 2
    v = s.z[n + 2 :]
    to_middle(n, s.z[: n + 2], v, s.change, w.y, w.turning, p.middle, T)
    bend_to(w.rows, n, s.curvature_before, s.curvature, begun, done)
    load_all(p, s, w)
    if p.middle > 0.0:
        bend_halfway(w.rows, n)
        torques_at_middle(w.rows, n, w.y, v, s.change[0], T)
    else:
        torques_at_end(w.rows, n, w.y, v, T)
    shape(w.rows, n, w.y, w.turning, p.g, w.re, w.im)
    predict(n, v, s.change, w.first, s.base_motion, s.held, w.swing, T)
    trace(w.rows, n, w.y, v, w.first, T)
    if grips(p.law):
        locate(w.rows, n, p.law, around, p.middle * T)


@kernel_inside
def end_step(p, s, w, around, v1, T):
    """Move on with the rates v1 that were found."""
    n = s.z.shape[0] // 2 - 2
    y, v = s.z[: n + 2], s.z[n + 2 :]
    rest = T - p.middle * T
    move_on(n, y, v, s.change, v1, w.y, rest)
    if grips(p.law):
        commit(w.rows, n, T, rest, p.law, around)
    mean(n, y, v, s.change[0], w.y, w.turning, p.middle, T)
    if p.middle > 0.0:
        velocities_of(w.rows, n, w.turning)
    loaded = p.spot.shape[0] > 0 or s.torque[0] != 0.0 or p.node.shape[0] > 0
    lost, given, ground = account(w.rows, n, w.y, w.turning, T, loaded)
    for c in range(3):
        hand = 0.0
        if s.held[c]:
            hand = (w.P[c, 0] * s.change[0, 0] + w.P[c, 1] * s.change[0, 1] + w.P[c, 2] * s.change[0, 2]) / T + w.b[c]
            given += T * hand * (w.turning[c] if p.middle > 0.0 else v[c])
        if c < 2:
            s.base_force[c] = hand
        else:
            s.base_torque[0] = hand
    s.dissipated[0] += T * lost
    s.work[0] += given
    s.ground_work[0] += T * ground
    if beyond(v, s.largest_turn[0] / T) > 0.0:
        s.largest_turn[0] = T * fastest(v)


@kernel_sums
def move_on(n, y, v, change, v1, middle, rest):
    """The rates at the end of the step are those of the trial, and lead from its middle through the rest of it [s]."""
    last, before = change[0], change[1]
    for i in range(n + 2):
        before[i] = last[i]
    for i in range(n + 2):
        last[i] = v1[i] - v[i]
    for i in range(n + 2):
        v[i] = v1[i]
        y[i] = middle[i] + rest * v1[i]


@kernel_sums
def mean(n, y, v, change, way, rate, share, T):
    """Coordinates and rates along which the forces of a step acted, y and v at its end, change that of v: with a share
    of 1/2 the means of both ends, with 0 those at the end.
    """
    for i in range(n + 2):
        rate[i] = v[i] - share * change[i]
    for i in range(n + 2):
        way[i] = y[i] - share * T * rate[i]


@kernel_sums
def account(w, n, y, v, T, loaded):
    """Energies of the step, y and v as `mean` left them; each force times the way that it acted along.

    -> lost in bending [W], work put in [J], given to ground and things [W].
    """
    lost, given, ground = 0.0, 0.0, 0.0
    for b in range(0, n - 1, SIMD):
        o, th, rate = w[b * FIELDS : (b + SIMD) * FIELDS], y[2 + b :], v[2 + b :]
        for j in range(min(SIMD, n - 1 - b)):
            h, turn = o[at.LENGTH + j], rate[j + 1] - rate[j]
            lost += o[at.CH + j] * turn * turn
            bent = th[j + 1] - th[j] - h * o[at.KAPPA + j]
            given -= o[at.KH + j] * h * bent * (o[at.KAPPA + j] - o[at.OLD + j])
    for b in range(0, n, SIMD):
        o, rate = w[b * FIELDS : (b + SIMD) * FIELDS], v[2 + b :]
        for j in range(min(SIMD, n - b)):
            ground -= o[at.GX + j] * o[at.VX + j] + o[at.GY + j] * o[at.VY + j] + o[at.TWIST + j] * rate[j]
        for j in range(min(SIMD, n - b) if loaded else 0):
            given += T * (o[at.OX + j] * o[at.VX + j] + o[at.OY + j] * o[at.VY + j] + o[at.OT + j] * rate[j])
    return lost, given, ground


@kernel_sums
def beyond(v, limit):
    """How many angles turn faster than a limit, or not by a number."""
    count = 0.0
    for i in range(2, v.shape[0]):
        count += 0.0 if abs(v[i]) <= limit else 1.0
    return count


@kernel_sums
def fastest(v):
    """The fastest rate of an angle; infinite if one is not a number."""
    most = 0.0
    for i in range(2, v.shape[0]):
        most = max(most, abs(v[i])) if v[i] == v[i] else np.inf
    return most


@kernel_sums
def scale(change, by):
    """Changes of the rates for steps of another length."""
    for k in range(change.shape[1]):
        change[0, k] *= by
        change[1, k] *= by


# ------------------------------------------------------------ a tick


@kernel_inside
def finish(p, s, w):
    """What the next tick needs, and what is recorded."""
    n = s.z.shape[0] // 2 - 2
    if grips(p.law):
        things = p.things.shape[0]
        record(w.rows, n, s.anchor, s.anchor_velocity, s.sigma, s.friction, s.contact, s.slip_speed, things)
    s.curvature_before[:] = s.curvature
    s.counts[TICKS] += 1


@kernel
def alone_answer(p, s, w, h, T, motion, slope):
    """No port pushes it."""
    return


@kernel_sums
def guess_again(n, v, v1, turning):
    """The rates at the middle from those at both ends -> by how much any angle's had been guessed wrong [rad/s]."""
    worst = 0.0
    for k in range(n + 2):
        middle = 0.5 * (v[k] + v1[k])
        worst = max(worst, abs(turning[k] - middle) if k > 1 else 0.0)
        turning[k] = middle
    return worst


@kernel_inside
def take_step(p, s, w, around, T, begun, done):
    """One step of a rod that no port pushes, between two shares of the tick."""
    n = s.z.shape[0] // 2 - 2
    begin_step(p, s, w, around, T, begun, done)
    v = s.z[n + 2 :]
    if p.bouncing > 0:
        leave_out(w.rows, n, around, w.y, v, w.first, T)
    solve(w.rows, n, T, p.g, p.tip, s.held, w.swing, p.law, around, w.P, w.b, v, w.first, w.a, s.counts)
    if p.middle > 0.0 and T * guess_again(n, v, w.first, w.turning) > SURE:
        fill(w.rows, n, w.turning, p.g[0], p.g[1])
        trace(w.rows, n, w.y, v, w.first, T)
        solve(w.rows, n, T, p.g, p.tip, s.held, w.swing, p.law, around, w.P, w.b, v, w.first, w.a, s.counts)
        s.counts[0] -= 1
    before = 0.0
    if p.bouncing > 0:
        before = strike_all(
            w.rows, n, T, p.g, p.tip, s.held, w.swing, p.law, around, w.P, w.b, v, w.first, w.trial, w.a, s.counts
        )
    end_step(p, s, w, around, w.first, T)
    if before != 0.0:
        shift(s.z, n, w.first, w.trial, before)


@kernel_inside
def alone_advance(p, s, w, h, v, T):
    """A tick in one step or several; none after one that turned too far."""
    if s.trouble[0] != 0:
        return
    n, around = s.sigma.shape[0], around_of(p, s, w)
    rates = s.z[n + 2 :]
    m = 1
    if beyond(rates, GENTLE / T) > 0.0:
        m = int(min(1.0 + T * fastest(rates) / GENTLE, float(STEPS)))
    if m == 1:  # told apart, or the compiler puts each kernel in place of its one call, and no longer sees its rows
        take_step(p, s, w, around, T, 0.0, 1.0)
    else:
        scale(s.change, 1.0 / m)
        for j in range(m):
            if s.largest_turn[0] <= TURN:
                take_step(p, s, w, around, T / m, j / m, (j + 1) / m)
        scale(s.change, float(m))
    if not s.largest_turn[0] <= TURN:
        s.trouble[0] = 1
        return
    finish(p, s, w)


def alone_kernels():
    """Without ports."""
    return Halves(alone_answer, alone_advance, None, restore)


# ------------------------------------------------------------ what follows from records, and what ticks are fed


@entry_sums
def observe(w, n, law, g, re, im, Z, anchors, X, U, kinetic, elastic):
    """Of states Z (times, 2, n + 2) and anchors (times, 2, n): places and velocities of the nodes, kinetic energy
    except a payload's, energy in the bristles. w as `restore` left it.
    """
    for r in range(Z.shape[0]):
        y, v = Z[r, 0], Z[r, 1]
        torques_at_end(w, n, y, v, 0.0)
        shape(w, n, y, v, g, re, im)
        trace(w, n, y, v, v, 0.0)
        kinetic[r] = 0.5 * inertia_along(w, n, v, at.VX)
        held = 0.0
        for i in range(n):
            o = where(i)
            w[o + at.QX], w[o + at.QY] = anchors[r, 0, i], anchors[r, 1, i]
            X[r, i, 0], X[r, i, 1], U[r, i, 0], U[r, i, 1] = w[o + at.PX], w[o + at.PY], w[o + at.VX], w[o + at.VY]
            held += stored(w, o, law, w[o + at.PX], w[o + at.PY])
        elastic[r] = held


@entry_sums
def over_ticks(when, values, first, T, out):
    """Values of a table over `when`, linear in between, at the end of each tick from the first on: (numbers, ticks).

    Several ticks at a time, so that what lies side by side in memory is written together.
    """
    i, last, ticks = 0, when.shape[0] - 1, out.shape[1]
    share, cell = np.empty(SIMD), np.empty(SIMD, dtype=np.int64)
    for b in range(0, ticks, SIMD):
        count = min(SIMD, ticks - b)
        for k in range(count):
            t = (first + b + k + 1) * T
            while i + 1 < last and when[i + 1] <= t:
                i += 1
            span = when[min(i + 1, last)] - when[i]
            cell[k], share[k] = i, min(max((t - when[i]) / span, 0.0), 1.0) if span > 0.0 else 0.0
        for c in range(out.shape[0]):
            if cell[0] == i:  # most often, and then a whole row is written at once
                here, rise = values[i, c], values[min(i + 1, last), c] - values[i, c]
                for k in range(count):
                    out[c, b + k] = here + share[k] * rise
            else:
                for k in range(count):
                    here, there = values[cell[k], c], values[min(cell[k] + 1, last), c]
                    out[c, b + k] = here + share[k] * (there - here)
