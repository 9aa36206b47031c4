"""Poses of the plate and of the tip of a probe on it: plain numbers, for loops that have no time for arrays.

A pose is seven numbers, not checked: position [m], of the centre of the plate's joints or of the tip, and quaternion
(w, x, y, z) [-] of length 1. A probe is the tip in the plate's axes [m].
"""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.rotations import rotation_of, turned_by

Seven = tuple[float, float, float, float, float, float, float]
Six = tuple[float, float, float, float, float, float]


def pose_of(owner: str, position: ArrayLike, rotation: ArrayLike | None) -> tuple[Array, Array]:
    """A position (3,) [m] and a rotation (3, 3), or an error that says which of them is none."""
    return checks.vector(owner, "position", position, "m", 3), rotation_of(owner, rotation)


def tip_pose(plate: Sequence[float], probe: Sequence[float]) -> Seven:
    """The tip's pose from the plate's; both turn alike.

    Example:
        >>> tip_pose((0.0, 0.0, -0.5, 1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.125))
        (0.0, 0.0, -0.375, 1.0, 0.0, 0.0, 0.0)
    """
    px, py, pz, w, x, y, z = plate
    a, b, c = turned_by((w, x, y, z), probe)
    return px + a, py + b, pz + c, w, x, y, z


def plate_pose(tip: Sequence[float], probe: Sequence[float]) -> Seven:
    """The plate's pose from the tip's: what to command so that the tip is there.

    Example:
        >>> plate_pose((0.0, 0.0, -0.375, 1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.125))
        (0.0, 0.0, -0.5, 1.0, 0.0, 0.0, 0.0)
    """
    px, py, pz, w, x, y, z = tip
    a, b, c = turned_by((w, x, y, z), probe)
    return px - a, py - b, pz - c, w, x, y, z


def tip_twist(plate: Sequence[float], twist: Sequence[float], probe: Sequence[float]) -> Six:
    """Velocity [m/s] and angular velocity [rad/s] of the tip from those of the plate, in the world's axes.

    Example:
        >>> tip_twist((0.0, 0.0, -0.5, 1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 2.0, 0.0), (0.0, 0.0, 0.125))
        (0.25, 0.0, 0.0, 0.0, 2.0, 0.0)
    """
    a, b, c = turned_by(plate[3:7], probe)
    u, v, w, p, q, r = twist
    return u + q * c - r * b, v + r * a - p * c, w + p * b - q * a, p, q, r


def rate_between(before: Sequence[float], now: Sequence[float], period: float) -> Six:
    """Velocity [m/s] and angular velocity [rad/s] that lead from one pose to another a period [s] later, turns small.

    Here a pose is twelve numbers: position [m], and rotation matrix by rows.

    Example:
        >>> level = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
        >>> rate_between((0.0, 0.0, 0.0, *level), (0.0, 0.0, 0.5, *level), 0.25)
        (0.0, 0.0, 2.0, 0.0, 0.0, 0.0)
    """
    x0, y0, z0, a, b, c, d, e, f, g, h, i = before
    x1, y1, z1, a1, b1, c1, d1, e1, f1, g1, h1, i1 = now
    s = 0.5 / period  # the skew part of now * before^T is the sine of the turn
    return (
        (x1 - x0) / period, (y1 - y0) / period, (z1 - z0) / period,
        s * (g1 * d + h1 * e + i1 * f - d1 * g - e1 * h - f1 * i),
        s * (a1 * g + b1 * h + c1 * i - g1 * a - h1 * b - i1 * c),
        s * (d1 * a + e1 * b + f1 * c - a1 * d - b1 * e - c1 * f),
    )  # fmt: skip
