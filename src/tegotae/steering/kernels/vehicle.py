"""A bicycle: a steered front axle, a rear axle, sideslip and yaw; each axle any kernels of a patch.

    p  m, Iz, lf, lr; front, rear (of a patch each)
    s  front; vy, r; rear
    w  front, rear

The vehicle is solved together with what steers it: each trial steering rate asks for the sideslip vy + dy and the yaw
rate r + dr over the tick that go with it,

    m dy/(late T)  = lateral force - m V (r + dr)
    Iz dr/(late T) = moment

where forces count as (1 - late) times those at the end of the last tick and late times those of this one, and so do
velocities. Parked, late = 1/2: the implicit midpoint rule, by which a vehicle on its bristles neither gains nor loses
energy by the way time is cut. Once a tick rolls through four patches the vehicle turns visibly within it, and
late = 1: the backward rule, stable by whatever period. Between, late - 1/2 goes with the square of the share of that
way, so that it hardly tells while the period is short.

The front axle's V is the vehicle's. Trials are felt from how the axles moved at the end of the last tick; once it is
known how they move, their rows are worked out for that.

An axle that drifts by dw [m/s] and yaws by dr [rad/s] more than its rows were worked out for moves each bristle as a
tread velocity dw and a turn dr about the steering axis do,

    f* = f_0 + f_v v + (B + Ti K) dw + ((B + Ti K) A + K V Ti^2/2) dr

What the vehicle feels of it (`felt`) is tau_r and its slopes by v, dw and dr, then the sum of f and its slopes by the
same.
"""

from functools import cache

from tegotae.block import Halves
from tegotae.compile import kernel
from tegotae.kernels.roots import EPSILON, lessening_part
from tegotae.steering.kernels.patch import (
    bristle_kernel,
    carcass_kernels,
    fill_kernel,
    gather_kernel,
    own_slope,
    patch_kernels,
    tread_kernel,
)

MOST_TRIALS = 40
PARTS = 10  # of a step, each half of the last
LEAST = 16.0 * EPSILON  # of a step, of what it changes


@cache
def elastic_axle(bristle):
    """On an elastic carcass, whose tread takes the velocity that goes with the axle's motion (see `patch`)."""
    tread = tread_kernel(bristle, True)

    @kernel
    def felt(p, s, w, v, dw, dr, T):
        """What `gather` sums, the tread given way."""
        _, (tau, tau_v, tau_w, tau_r, total, total_v, total_w, total_r) = tread(p, s, w, v, dw, dr, T)
        # By how much the tread follows each motion takes its share off every slope.
        all_w = own_slope(p, T) + total_w
        by_v, by_w, by_r = total_v / all_w, total_w / all_w, total_r / all_w
        tau_v, tau_r, tau_w = tau_v - tau_w * by_v, tau_r - tau_w * by_r, tau_w - tau_w * by_w
        total_v, total_r, total_w = total_v - total_w * by_v, total_r - total_w * by_r, total_w - total_w * by_w
        return tau, tau_v, tau_w, tau_r, total, total_v, total_w, total_r

    return felt


@kernel
def lateness(p, V, T):
    """By how much a tick counts by its end, 1/2 to 1."""
    rolled = min(1.0, abs(V) * T / (8.0 * p.front.a))
    return 0.5 + 0.5 * rolled * rolled


@kernel
def moved(axle, V, drift, yaw):
    """The axle goes on so."""
    axle.V[0], axle.r[0] = V, yaw
    axle.q[0] = axle.q0[0] = drift


@kernel
def pushes(p, s):
    """Lateral force and moment of both axles at the end of the last tick."""
    ahead, behind = s.front.Fy[0], s.rear.Fy[0]
    return ahead + behind, p.lf * ahead - p.lr * behind + s.front.force[0] + s.rear.force[0]


def vehicle_halves(fill, axle, felt):
    """A vehicle on two axles: how their rows are filled, their kernels, and how it feels them."""
    axle_advance = axle.advance

    @kernel
    def prepare(p, s, w, T):
        """The rows of both axles, as they moved at the end of the last tick."""
        V = s.front.V[0]
        fill(p.front, s.front, w.front, V, s.front.q[0], 0.0, s.front.r[0], T)
        fill(p.rear, s.rear, w.rear, V, s.rear.q[0], 0.0, s.rear.r[0], T)

    @kernel
    def balance(p, s, w, v, dy, dr, T):
        """What is left of both equations, their slopes by v, dy and dr, tau_r of the front with the same slopes."""
        m, Iz, lf, lr, V = p.m, p.Iz, p.lf, p.lr, s.front.V[0]
        late = lateness(p, V, T)
        t1, t1v, t1w, t1r, f1, f1v, f1w, f1r = felt(p.front, s.front, w.front, v, dy + lf * dr, dr, T)
        t2, _, t2w, t2r, f2, _, f2w, f2r = felt(p.rear, s.rear, w.rear, 0.0, dy - lr * dr, dr, T)
        # By dr an axle turns and is carried sideways too.
        t1r, f1r, t2r, f2r = t1r + lf * t1w, f1r + lf * f1w, t2r - lr * t2w, f2r - lr * f2w
        # -f pushes the vehicle, -tau_r turns it: the moment of the patch's forces about its steering axis.
        side, turn = pushes(p, s)
        side = (1.0 - late) * side - late * (f1 + f2)
        turn = (1.0 - late) * turn - late * (lf * f1 - lr * f2 + t1 + t2)
        left = (m * dy / (late * T) + m * V * (s.r[0] + dr) - side, Iz * dr / (late * T) - turn)
        y = (late * f1v, m / (late * T) + late * (f1w + f2w), m * V + late * (f1r + f2r))
        r = (
            late * (lf * f1v + t1v),
            late * (lf * f1w - lr * f2w + t1w + t2w),
            Iz / (late * T) + late * (lf * f1r - lr * f2r + t1r + t2r),
        )
        return left, y, r, (t1, t1v, t1w, t1r)

    @kernel
    def left_at(c, part):
        """What is left where a part of the step leads, as a square; and all of the balance there."""
        p, s, w, v, T, dy, dr, step_y, step_r = c
        at = balance(p, s, w, v, dy - part * step_y, dr - part * step_r, T)
        left = at[0]
        return left[0] * left[0] / p.m + left[1] * left[1] / p.Iz, at

    part_of = lessening_part(left_at)

    @kernel
    def follow(p, s, w, v, T):
        """How the vehicle moves with a trial steering rate: dy, dr, tau_r and its slope by v."""
        dy = dr = 0.0
        left, y, r, tau = balance(p, s, w, v, dy, dr, T)
        best = left[0] * left[0] / p.m + left[1] * left[1] / p.Iz
        for _ in range(MOST_TRIALS):
            size = y[1] * r[2] - y[2] * r[1]
            step_y, step_r = (r[2] * left[0] - y[2] * left[1]) / size, (y[1] * left[1] - r[1] * left[0]) / size
            least_y, least_r = LEAST * (abs(dy) + abs(s.vy[0])), LEAST * (abs(dr) + abs(s.r[0]))
            if abs(step_y) <= least_y and abs(step_r) <= least_r:
                break
            here = (left, y, r, tau)
            part, gap, there = part_of((p, s, w, v, T, dy, dr, step_y, step_r), best, here, PARTS)
            if part == 0.0:
                break  # as near as rounding lets it come
            dy, dr, best = dy - part * step_y, dr - part * step_r, gap
            left, y, r, tau = there
        size = y[1] * r[2] - y[2] * r[1]
        y_v, r_v = (y[2] * r[0] - r[2] * y[0]) / size, (r[1] * y[0] - y[1] * r[0]) / size
        return dy, dr, tau[0], tau[1] + tau[2] * y_v + tau[3] * r_v

    @kernel
    def answer(p, s, w, v, T):
        """The front axle's, the vehicle giving way meanwhile."""
        _, _, tau, tau_v = follow(p, s, w, v, T)
        return -tau, -tau_v

    @kernel
    def advance(p, s, w, v, T):
        """Commit: both axles move by the velocities of the tick, then the vehicle by its forces."""
        m, Iz, lf, lr, V = p.m, p.Iz, p.lf, p.lr, s.front.V[0]
        vy, r = s.vy[0], s.r[0]
        late = lateness(p, V, T)
        dy, dr, _, _ = follow(p, s, w, v, T)
        side_before, turn_before = pushes(p, s)
        mean_y, mean_r = vy + dy, r + dr
        fill(p.front, s.front, w.front, V, -mean_y - lf * mean_r, 0.0, mean_r, T)
        axle_advance(p.front, s.front, w.front, v, T)
        fill(p.rear, s.rear, w.rear, V, lr * mean_r - mean_y, 0.0, mean_r, T)
        axle_advance(p.rear, s.rear, w.rear, 0.0, T)
        side, turn = pushes(p, s)
        vy += T * (((1.0 - late) * side_before + late * side) / m - V * mean_r)
        r += T * ((1.0 - late) * turn_before + late * turn) / Iz
        moved(s.front, V, -vy - lf * r, r)
        moved(s.rear, V, lr * r - vy, r)
        s.vy[0], s.r[0] = vy, r

    return Halves(answer, advance, prepare)


@cache
def bicycle_kernels(load, *law):
    """On rigid carcasses, for a profile of pressure and a friction law; none is constant friction."""
    return vehicle_halves(fill_kernel(load, *law), patch_kernels(load, *law), gather_kernel(bristle_kernel(*law), True))


@cache
def elastic_bicycle_kernels(load, *law):
    """The same on elastic carcasses."""
    return vehicle_halves(fill_kernel(load, *law), carcass_kernels(load, *law), elastic_axle(bristle_kernel(*law)))
