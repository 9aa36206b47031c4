"""Poses as plain numbers: seven floats, position [m] and unit quaternion (w, x, y, z); steps between them are six.

A step is a displacement [m], then a rotation vector [rad], both in world axes. Everything is tuples of floats: a node
handles a few numbers a tick, and arrays of six would take longer to make than to use.
"""

from __future__ import annotations

from math import asin, hypot, pi, sqrt
from typing import Any

from tegotae import checks
from tegotae.hybrid.links.packets import Numbers
from tegotae.rotations import Quaternion, normalised, product, quaternion_about, vector_of

Pose = tuple[float, float, float, float, float, float, float]
Step = tuple[float, float, float, float, float, float]

LEVEL: Quaternion = (1.0, 0.0, 0.0, 0.0)
STILL: Step = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def unit_quaternion(owner: str, name: str, value: Any) -> Quaternion:
    """The check of a field that holds an orientation (w, x, y, z)."""
    given = tuple(checks.vector(owner, name, value, "-", 4).tolist())
    if not 0.999 < hypot(*given) < 1.001:
        checks.refuse(owner, f"{name}={given} is not of length 1.", "Normalise it (w, x, y, z).")
    return normalised(given)


def seven(owner: str, name: str, value: Any) -> tuple[float, ...]:
    """The check of a field that holds a pose."""
    return tuple(checks.vector(owner, name, value, "m, -", 7).tolist())


def lengths(step: Numbers) -> tuple[float, float]:
    """How far a step leads [m] and turns [rad]; of a twist or a wrench likewise."""
    x, y, z, i, j, k = step
    return hypot(x, y, z), hypot(i, j, k)


def scaled(step: Numbers, far: float, turn: float) -> Step:
    """A step with its two parts so many times as long."""
    x, y, z, i, j, k = step
    return far * x, far * y, far * z, turn * i, turn * j, turn * k


def within(step: Numbers, far: float, turn: float) -> Numbers:
    """A step with its two parts no longer than that [m, rad]."""
    d, a = lengths(step)
    if d > far or a > turn:
        return scaled(step, far / d if d > far else 1.0, turn / a if a > turn else 1.0)
    return step


def added(step: Numbers, other: Numbers, scale: float) -> Step:
    """A step and `scale` times another, part by part."""
    x, y, z, i, j, k = step
    a, b, c, d, e, f = other
    return x + scale * a, y + scale * b, z + scale * c, i + scale * d, j + scale * e, k + scale * f


def angle_between(a: Numbers, b: Numbers) -> float:
    """From one orientation to another [rad], 0 to pi; a quaternion and its negative are the same orientation."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    w = abs(aw * bw + ax * bx + ay * by + az * bz)
    if w < 0.7:
        return pi - 2.0 * asin(w)
    same = 1.0 if aw * bw + ax * bx + ay * by + az * bz >= 0.0 else -1.0
    apart = sqrt((aw - same * bw) ** 2 + (ax - same * bx) ** 2 + (ay - same * by) ** 2 + (az - same * bz) ** 2)
    return 4.0 * asin(min(0.5 * apart, 1.0))  # the chord tells small angles, which the cosine does not


def difference(a: Numbers, b: Numbers) -> Step:
    """The step that leads from pose `a` to pose `b`: displacement [m], rotation vector [rad], world axes."""
    ax, ay, az, aw, ai, aj, ak = a
    bx, by, bz, bw, bi, bj, bk = b
    turn = vector_of(product((bw, bi, bj, bk), (aw, -ai, -aj, -ak)))
    return bx - ax, by - ay, bz - az, *turn


def moved(pose: Numbers, step: Numbers, scale: float = 1.0) -> Pose:
    """The pose after `scale` times a step; with a twist [m/s, rad/s] as the step, after `scale` seconds."""
    x, y, z, qw, qx, qy, qz = pose
    dx, dy, dz, rx, ry, rz = step
    place = x + scale * dx, y + scale * dy, z + scale * dz
    if rx == ry == rz == 0.0:
        return *place, qw, qx, qy, qz
    turned = product(quaternion_about(scale * rx, scale * ry, scale * rz), (qw, qx, qy, qz))
    return *place, *normalised(turned)


def extrapolated(pose: Numbers, twist: Numbers, acceleration: Numbers, time: float) -> tuple[Pose, Step]:
    """Pose and twist [m/s, rad/s] after a time [s] at constant acceleration [m/s², rad/s²]."""
    return moved(pose, added(twist, acceleration, 0.5 * time), time), added(twist, acceleration, time)


def toward(pose: Numbers, target: Numbers, distance: float, angle: float) -> Pose:
    """A pose moved toward another: straight by at most a distance [m], turned by at most an angle [rad]."""
    return moved(pose, within(difference(pose, target), distance, angle))
