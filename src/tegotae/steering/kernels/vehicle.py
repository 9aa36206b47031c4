"""A bicycle: a steered front axle, a rear axle, sideslip and yaw; each axle any kernels of a patch.

    p = [m, Iz, lf, lr, numbers in front p, front p..., rear p...]
    s = [front s..., vy, r, rear s...]

The front axle couples implicitly to what steers it. The vehicle follows at the end of the tick, from the forces of
that tick, and moves the axles in the next, at one velocity for the whole of it: symplectic, so that a parked vehicle
on its bristles neither gains nor loses energy by the way time is cut. (A drift that rose over the tick would be half a
tick late, and a parked vehicle on springs would swing ever wider.)
"""

from functools import cache

from tegotae.compiling import kernel
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
    coulomb_patch_kernels,
    patch_kernels,
)

HEAD = 5


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


def vehicle_halves(axle):
    """A vehicle on two axles."""
    axle_answer, axle_advance = axle

    @kernel
    def answer(p, s, v, T):
        """The front axle's: the vehicle holds still meanwhile."""
        front, _, ahead, _, _ = parts(p, s)
        return axle_answer(front, ahead, v, T)

    @kernel
    def advance(p, s, v, T):
        """Commit; then the vehicle moves."""
        m, Iz, lf, lr = p[0], p[1], p[2], p[3]
        front, rear, ahead, behind, at = parts(p, s)
        V, vy, r = ahead[SPEED], s[at], s[at + 1]
        axle_advance(front, ahead, v, T)
        behind[SPEED], behind[YAW] = V, r
        behind[DRIFT] = behind[DRIFT_BEFORE] = lr * r - vy
        axle_advance(rear, behind, 0.0, T)
        vy += T * ((ahead[LATERAL] + behind[LATERAL]) / m - V * r)
        # The patch turns the vehicle too: -tau_r is the moment of its forces about its steering axis.
        r += T * (lf * ahead[LATERAL] - lr * behind[LATERAL] + ahead[FORCE] + behind[FORCE]) / Iz
        ahead[YAW] = r
        ahead[DRIFT] = ahead[DRIFT_BEFORE] = -vy - lf * r
        s[at], s[at + 1] = vy, r

    return answer, advance


@cache
def bicycle_kernels(load, magnitude, resolve):
    """On rigid carcasses, friction over slip speed."""
    return vehicle_halves(patch_kernels(load, magnitude, resolve))


@cache
def coulomb_bicycle_kernels(load):
    """On rigid carcasses, constant friction."""
    return vehicle_halves(coulomb_patch_kernels(load))


@cache
def elastic_bicycle_kernels(load, magnitude, resolve):
    """On elastic carcasses, friction over slip speed."""
    return vehicle_halves(carcass_kernels(load, magnitude, resolve))


@cache
def coulomb_elastic_bicycle_kernels(load):
    """On elastic carcasses, constant friction."""
    return vehicle_halves(coulomb_carcass_kernels(load))
