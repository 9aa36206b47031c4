"""Poses of the plate and of the tip of a probe on it: plain numbers, for loops that have no time for arrays.

A pose is seven numbers: position [m] and quaternion (w, x, y, z) [-] of length 1; nothing is checked here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Seven = tuple[float, float, float, float, float, float, float]
Six = tuple[float, float, float, float, float, float]


def turned_by(quaternion: Sequence[float], vector: Sequence[float]) -> tuple[float, float, float]:
    """A vector turned by a quaternion (w, x, y, z) of length 1.

    Example:
        >>> turned_by((0.0, 0.0, 0.0, 1.0), (1.0, 2.0, 3.0))  # half a turn about z
        (-1.0, -2.0, 3.0)
    """
    w, x, y, z = quaternion
    a, b, c = vector
    s, t, u = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return a + w * s + y * u - z * t, b + w * t + z * s - x * u, c + w * u + x * t - y * s


def tip_pose(plate: Sequence[float], probe: Sequence[float]) -> Seven:
    """The tip's pose from the plate's; both turn alike.

    Args:
        plate: position [m] of the centre of the plate's joints and quaternion.
        probe: the tip in the plate's axes [m].

    Example:
        >>> tip_pose((0.0, 0.0, -0.5, 1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.125))
        (0.0, 0.0, -0.375, 1.0, 0.0, 0.0, 0.0)
    """
    px, py, pz, w, x, y, z = plate
    a, b, c = turned_by((w, x, y, z), probe)
    return px + a, py + b, pz + c, w, x, y, z


def plate_pose(tip: Sequence[float], probe: Sequence[float]) -> Seven:
    """The plate's pose from the tip's: what to command so that the tip is there.

    Args:
        tip: its position [m] and quaternion.
        probe: the tip in the plate's axes [m].

    Example:
        >>> plate_pose((0.0, 0.0, -0.375, 1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.125))
        (0.0, 0.0, -0.5, 1.0, 0.0, 0.0, 0.0)
    """
    px, py, pz, w, x, y, z = tip
    a, b, c = turned_by((w, x, y, z), probe)
    return px - a, py - b, pz - c, w, x, y, z


def tip_twist(plate: Sequence[float], twist: Sequence[float], probe: Sequence[float]) -> Six:
    """Velocity [m/s] and angular velocity [rad/s] of the tip from those of the plate, in the world's axes.

    Args:
        plate: position [m] of the centre of the plate's joints and quaternion.
        twist: of the plate.
        probe: the tip in the plate's axes [m].

    Example:
        >>> tip_twist((0.0, 0.0, -0.5, 1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 2.0, 0.0), (0.0, 0.0, 0.125))
        (0.25, 0.0, 0.0, 0.0, 2.0, 0.0)
    """
    a, b, c = turned_by(plate[3:7], probe)
    u, v, w, p, q, r = twist
    return u + q * c - r * b, v + r * a - p * c, w + p * b - q * a, p, q, r


def matrix_rows(quaternion: Sequence[float]) -> tuple[float, ...]:
    """The rotation matrix of a quaternion of length 1, nine numbers by rows.

    Example:
        >>> matrix_rows((0.0, 0.0, 0.0, 1.0))
        (-1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0)
    """
    w, x, y, z = quaternion
    s, t, u = 2.0 * x, 2.0 * y, 2.0 * z
    return (
        1.0 - t * y - u * z, s * y - u * w, s * z + t * w,
        s * y + u * w, 1.0 - s * x - u * z, t * z - s * w,
        s * z - t * w, t * z + s * w, 1.0 - s * x - t * y,
    )  # fmt: skip


def quaternion_of(rows: Sequence[float]) -> tuple[float, float, float, float]:
    """The quaternion (w, x, y, z), w >= 0, of a rotation matrix, nine numbers by rows.

    Example:
        >>> quaternion_of((-1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0))
        (0.0, 0.0, 0.0, 1.0)
    """
    a, b, c, d, e, f, g, h, i = rows
    # by the largest part, so that no digit is lost
    if a + e + i > max(a, e, i):
        s = 2.0 * math.sqrt(1.0 + a + e + i)
        return 0.25 * s, (h - f) / s, (c - g) / s, (d - b) / s
    if a >= e and a >= i:
        s = math.copysign(2.0, h - f) * math.sqrt(1.0 + a - e - i)
        return (h - f) / s, 0.25 * s, (b + d) / s, (c + g) / s
    if e >= i:
        s = math.copysign(2.0, c - g) * math.sqrt(1.0 + e - a - i)
        return (c - g) / s, (b + d) / s, 0.25 * s, (f + h) / s
    s = math.copysign(2.0, d - b) * math.sqrt(1.0 + i - a - e)
    return (d - b) / s, (c + g) / s, (f + h) / s, 0.25 * s


def rate_between(before: Sequence[float], now: Sequence[float], period: float) -> Six:
    """Velocity [m/s] and angular velocity [rad/s] that lead from one pose to another, turns small.

    Args:
        before: twelve numbers, position [m] and rotation matrix by rows.
        now: the same, a period later.
        period: between them [s].

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
