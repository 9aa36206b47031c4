"""Poses: a place and a turn, checked once at the border."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array

_CLOSE = 1e-9  # how far R^T R may be from 1: rotations read from files carry about 12 digits, not fewer than 9


def pose_of(owner: str, position: ArrayLike, rotation: ArrayLike | None) -> tuple[Array, Array]:
    """A position (3,) [m] and a rotation (3, 3), or an error that says which of them is none."""
    p = checks.vector(owner, "position", position, "m", 3)
    return p, rotation_of(owner, rotation)


def rotation_of(owner: str, rotation: ArrayLike | None) -> Array:
    """A proper rotation matrix (3, 3); level if none is given."""
    if rotation is None:
        return np.eye(3)
    R = checks.array(owner, "rotation", rotation, "", "Give a 3 x 3 rotation matrix.")
    if R.shape != (3, 3):
        checks.refuse(owner, f"rotation has shape {R.shape}.", "Give a 3 x 3 rotation matrix.")
    checks.finite(owner, "rotation", R, "")
    off = float(np.abs(R.T @ R - np.eye(3)).max())
    if off > _CLOSE or np.linalg.det(R) < 0.0:
        told = f"R^T R differs from 1 by {off:.3g}" if off > _CLOSE else "its determinant is -1, a mirror"
        checks.refuse(owner, f"rotation is no rotation: {told}.", "Give an orthonormal right-handed 3 x 3 matrix.")
    return R


def rotation_vector(R: Array) -> Array:
    """The turn as axis times angle [rad], of one matrix or of a record (ticks, 3, 3)."""
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(R).as_rotvec())


def rotation_about(vector: ArrayLike) -> Array:
    """The rotation matrix of an axis times an angle [rad].

    Args:
        vector: axis times angle [rad].

    Example:
        >>> import math
        >>> rotation_about((0.0, 0.0, math.pi / 2)).round(3) + 0.0
        array([[ 0., -1.,  0.],
               [ 1.,  0.,  0.],
               [ 0.,  0.,  1.]])
    """
    w = checks.vector("rotation_about", "vector", vector, "rad", 3)
    angle = math.sqrt(float(w @ w))
    cross = np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])
    if angle < 1e-4:
        a, b = 1.0 - angle**2 / 6.0, 0.5 - angle**2 / 24.0
    else:
        a, b = math.sin(angle) / angle, (1.0 - math.cos(angle)) / angle**2
    return np.asarray(np.eye(3) + a * cross + b * (cross @ cross))


def turned(R: Array, share: float) -> Array:
    """A share of a turn, about the same axis."""
    return rotation_about(share * rotation_vector(R))
