"""A bicycle: a steered front axle, a rear axle, sideslip and yaw; each axle any kernels of a patch.

    p = [m, Iz, lf, lr, numbers in front p, front p..., rear p...]
    s = [front s..., vy, r, rear s...]

The vehicle is solved together with what steers it: each trial steering rate asks for the sideslip vy + dy and the yaw
rate r + dr over the tick that go with it,

    m dy/(late T)  = lateral force - m V (r + dr)
    Iz dr/(late T) = moment

where forces count as (1 - late) times those at the end of the last tick and late times those of this one, and so do
velocities. Parked, late = 1/2: the implicit midpoint rule, by which a vehicle on its bristles neither gains nor loses
energy by the way time is cut. Once a tick rolls through four patches the vehicle turns visibly within it, and
late = 1: the backward rule, stable by whatever period. Between, late - 1/2 goes with the square of the share of that
way, so that it hardly tells while the period is short.
"""

from functools import cache

from tegotae.compile import kernel
from tegotae.steering.kernels.axle import elastic_axle, rigid_axle
from tegotae.steering.kernels.carcass import carcass_kernels, coulomb_carcass_kernels
from tegotae.steering.kernels.patch import (
    BRISTLES,
    DRIFT,
    DRIFT_BEFORE,
    FORCE,
    LATERAL,
    ROOM,
    ROWS,
    SPEED,
    YAW,
    coulomb_bristle,
    coulomb_patch_kernels,
    law_bristle,
    patch_kernels,
)

HEAD = 5
EPSILON = 2.220446049250313e-16
MOST_TRIALS = 40


@kernel
def size_of(p):
    """How many numbers the state of an axle has."""
    return BRISTLES + ROWS + (1 + ROOM) * int(p[6])


@kernel
def parts(p, s):
    """Parameters and state of both axles, and where vy lies."""
    size = int(p[4])
    front = p[HEAD : HEAD + size]
    rear = p[HEAD + size :]
    at = size_of(front)
    return front, rear, s[:at], s[at + 2 : at + 2 + size_of(rear)], at


@kernel
def lateness(p, V, T):
    """By how much a tick counts by its end, 1/2 to 1."""
    rolled = min(1.0, abs(V) * T / (8.0 * p[HEAD + 2]))
    return 0.5 + 0.5 * rolled * rolled


@kernel
def moved(axle, V, drift, yaw):
    """The axle moves so over the whole of the tick."""
    axle[SPEED], axle[YAW] = V, yaw
    axle[DRIFT] = axle[DRIFT_BEFORE] = drift


@kernel
def pushes(p, ahead, behind):
    """Lateral force and moment of both axles at the end of the last tick."""
    turn = p[2] * ahead[LATERAL] - p[3] * behind[LATERAL] + ahead[FORCE] + behind[FORCE]
    return ahead[LATERAL] + behind[LATERAL], turn


def vehicle_halves(axle, felt):
    """A vehicle on two axles: their kernels, and how it feels them."""
    _, axle_advance = axle

    @kernel
    def balance(p, s, v, dy, dr, T):
        """What is left of both equations, their slopes by v, dy and dr, tau_r of the front with the same slopes."""
        m, Iz, lf, lr = p[0], p[1], p[2], p[3]
        front, rear, ahead, behind, at = parts(p, s)
        V = ahead[SPEED]
        late = lateness(p, V, T)
        t1, t1v, t1w, t1r, f1, f1v, f1w, f1r = felt(front, ahead, v, dy + lf * dr, dr, T)
        t2, _, t2w, t2r, f2, _, f2w, f2r = felt(rear, behind, 0.0, dy - lr * dr, dr, T)
        # By dr an axle turns and is carried sideways too.
        t1r, f1r, t2r, f2r = t1r + lf * t1w, f1r + lf * f1w, t2r - lr * t2w, f2r - lr * f2w
        # -f pushes the vehicle, -tau_r turns it: the moment of the patch's forces about its steering axis.
        side, turn = pushes(p, ahead, behind)
        side = (1.0 - late) * side - late * (f1 + f2)
        turn = (1.0 - late) * turn - late * (lf * f1 - lr * f2 + t1 + t2)
        left_y = m * dy / (late * T) + m * V * (s[at + 1] + dr) - side
        left_r = Iz * dr / (late * T) - turn
        y = (late * f1v, m / (late * T) + late * (f1w + f2w), m * V + late * (f1r + f2r))
        r = (
            late * (lf * f1v + t1v),
            late * (lf * f1w - lr * f2w + t1w + t2w),
            Iz / (late * T) + late * (lf * f1r - lr * f2r + t1r + t2r),
        )
        return left_y, left_r, y, r, (t1, t1v, t1w, t1r)

    @kernel
    def follow(p, s, v, T):
        """How the vehicle moves with a trial steering rate: dy, dr, tau_r and its slope by v."""
        m, Iz = p[0], p[1]
        _, _, ahead, behind, at = parts(p, s)
        behind[SPEED] = ahead[SPEED]
        dy = dr = 0.0
        left_y, left_r, y, r, tau = balance(p, s, v, dy, dr, T)
        best = left_y * left_y / m + left_r * left_r / Iz
        for _ in range(MOST_TRIALS):
            size = y[1] * r[2] - y[2] * r[1]
            step_y, step_r = (y[2] * left_r - r[2] * left_y) / size, (r[1] * left_y - y[1] * left_r) / size
            least = 16.0 * EPSILON
            if abs(step_y) <= least * (abs(dy) + abs(s[at])) and abs(step_r) <= least * (abs(dr) + abs(s[at + 1])):
                break
            share, found = 1.0, False
            while share > 1e-3 and not found:
                trial = balance(p, s, v, dy + share * step_y, dr + share * step_r, T)
                gap = trial[0] * trial[0] / m + trial[1] * trial[1] / Iz
                found = gap < best
                share *= 0.5
            if not found:
                break  # as near as rounding lets it come
            dy, dr = dy + 2.0 * share * step_y, dr + 2.0 * share * step_r
            left_y, left_r, y, r, tau = trial
            best = gap
        size = y[1] * r[2] - y[2] * r[1]
        y_v, r_v = (y[2] * r[0] - r[2] * y[0]) / size, (r[1] * y[0] - y[1] * r[0]) / size
        return dy, dr, tau[0], tau[1] + tau[2] * y_v + tau[3] * r_v

    @kernel
    def answer(p, s, v, T):
        """The front axle's, the vehicle giving way meanwhile."""
        _, _, tau, tau_v = follow(p, s, v, T)
        return -tau, -tau_v

    @kernel
    def advance(p, s, v, T):
        """Commit: both axles move by the velocities of the tick, then the vehicle by its forces."""
        m, Iz, lf, lr = p[0], p[1], p[2], p[3]
        front, rear, ahead, behind, at = parts(p, s)
        V, vy, r = ahead[SPEED], s[at], s[at + 1]
        late = lateness(p, V, T)
        dy, dr, _, _ = follow(p, s, v, T)
        side_before, turn_before = pushes(p, ahead, behind)
        mean_y, mean_r = vy + dy, r + dr
        moved(ahead, V, -mean_y - lf * mean_r, mean_r)
        axle_advance(front, ahead, v, T)
        moved(behind, V, lr * mean_r - mean_y, mean_r)
        axle_advance(rear, behind, 0.0, T)
        side, turn = pushes(p, ahead, behind)
        vy += T * (((1.0 - late) * side_before + late * side) / m - V * mean_r)
        r += T * ((1.0 - late) * turn_before + late * turn) / Iz
        moved(ahead, V, -vy - lf * r, r)
        moved(behind, V, lr * r - vy, r)
        s[at], s[at + 1] = vy, r

    return answer, advance


@cache
def bicycle_kernels(load, magnitude, resolve):
    """On rigid carcasses, friction over slip speed."""
    return vehicle_halves(patch_kernels(load, magnitude, resolve), rigid_axle(load, law_bristle(magnitude, resolve)))


@cache
def coulomb_bicycle_kernels(load):
    """On rigid carcasses, constant friction."""
    return vehicle_halves(coulomb_patch_kernels(load), rigid_axle(load, coulomb_bristle))


@cache
def elastic_bicycle_kernels(load, magnitude, resolve):
    """On elastic carcasses, friction over slip speed."""
    return vehicle_halves(
        carcass_kernels(load, magnitude, resolve), elastic_axle(load, law_bristle(magnitude, resolve))
    )


@cache
def coulomb_elastic_bicycle_kernels(load):
    """On elastic carcasses, constant friction."""
    return vehicle_halves(coulomb_carcass_kernels(load), elastic_axle(load, coulomb_bristle))
