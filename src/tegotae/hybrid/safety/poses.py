"""Poses as plain numbers: seven floats, position [m] and unit quaternion (w, x, y, z); steps between them are six.

A step is a displacement [m], then a rotation vector [rad], both in world axes. Everything is tuples of floats: a node
handles a few numbers a tick, and arrays of six would take longer to make than to use.
"""

from __future__ import annotations

from math import asin, hypot, pi, sqrt

from tegotae.hybrid.links.packets import Numbers
from tegotae.rotations import Quaternion, normalised, product, quaternion_about, vector_of

Pose = tuple[float, float, float, float, float, float, float]
Step = tuple[float, float, float, float, float, float]

LEVEL: Quaternion = (1.0, 0.0, 0.0, 0.0)
STILL: Step = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def angle_between(a: Numbers, b: Numbers) -> float:
    """From one orientation to another [rad], 0 to pi; a quaternion and its negative are the same orientation.

    Example:
        >>> angle_between((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))
        3.141592653589793
    """
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    w = abs(aw * bw + ax * bx + ay * by + az * bz)
    if w < 0.7:
        return pi - 2.0 * asin(w)
    same = 1.0 if aw * bw + ax * bx + ay * by + az * bz >= 0.0 else -1.0
    apart = sqrt((aw - same * bw) ** 2 + (ax - same * bx) ** 2 + (ay - same * by) ** 2 + (az - same * bz) ** 2)
    return 4.0 * asin(min(0.5 * apart, 1.0))  # the chord tells small angles, which the cosine does not


def difference(a: Numbers, b: Numbers) -> Step:
    """The step that leads from pose `a` to pose `b`: displacement [m], rotation vector [rad], world axes.

    Example:
        >>> difference((0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.3, 0.0, 1.0, 0.0, 0.0))[2:4]
        (0.19999999999999998, 3.141592653589793)
    """
    ax, ay, az, aw, ai, aj, ak = a
    bx, by, bz, bw, bi, bj, bk = b
    turn = vector_of(product((bw, bi, bj, bk), (aw, -ai, -aj, -ak)))
    return bx - ax, by - ay, bz - az, *turn


def moved(pose: Numbers, step: Numbers, scale: float = 1.0) -> Pose:
    """The pose after `scale` times a step; with a twist [m/s, rad/s] as the step, after `scale` seconds.

    Example:
        >>> moved((0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.5, 0.0, 0.0, 0.0), 0.002)
        (0.0, 0.0, 0.101, 1.0, 0.0, 0.0, 0.0)
    """
    x, y, z, qw, qx, qy, qz = pose
    dx, dy, dz, rx, ry, rz = step
    place = x + scale * dx, y + scale * dy, z + scale * dz
    if rx == ry == rz == 0.0:
        return *place, qw, qx, qy, qz
    turned = product(quaternion_about(scale * rx, scale * ry, scale * rz), (qw, qx, qy, qz))
    return *place, *normalised(turned)


def extrapolated(pose: Numbers, twist: Numbers, acceleration: Numbers, time: float) -> tuple[Pose, Step]:
    """Pose and twist [m/s, rad/s] after a time [s] at constant acceleration [m/s², rad/s²].

    Example:
        >>> at, speed = extrapolated((0.0,) * 3 + LEVEL, (1.0,) + (0.0,) * 5, (2.0,) + (0.0,) * 5, 0.5)
        >>> at[0], speed[0]
        (0.75, 2.0)
    """
    vx, vy, vz, wx, wy, wz = twist
    ax, ay, az, bx, by, bz = acceleration
    half = 0.5 * time
    mean = vx + half * ax, vy + half * ay, vz + half * az, wx + half * bx, wy + half * by, wz + half * bz
    last = vx + time * ax, vy + time * ay, vz + time * az, wx + time * bx, wy + time * by, wz + time * bz
    return moved(pose, mean, time), last


def toward(pose: Numbers, target: Numbers, distance: float, angle: float) -> Pose:
    """A pose moved toward another: straight by at most a distance [m], turned by at most an angle [rad].

    Example:
        >>> toward((0.0,) * 3 + LEVEL, (0.0, 0.0, 0.4) + LEVEL, 0.05, 1.0)[:3]
        (0.0, 0.0, 0.05)
    """
    dx, dy, dz, rx, ry, rz = difference(pose, target)
    far, turn = hypot(dx, dy, dz), hypot(rx, ry, rz)
    s = distance / far if far > distance else 1.0
    t = angle / turn if turn > angle else 1.0
    return moved(pose, (s * dx, s * dy, s * dz, t * rx, t * ry, t * rz))
