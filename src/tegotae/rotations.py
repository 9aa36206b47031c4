"""Rotations of plain numbers and arrays: the formulas of `tegotae.kernels.rotations`, run as they stand.

A quaternion is (w, x, y, z), of length 1 unless said otherwise; a rotation vector is axis times angle [rad]. Numbers in
tuples are for loops that have no time for arrays: nothing is checked there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.kernels import rotations as kernels

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

_CLOSE = 1e-9  # how far R^T R may be from 1: rotations read from files carry about 12 digits, not fewer than 9
_REMEDY = "Give 3 x 3 cosines: columns of length 1, at right angles, right-handed."


def _plain(kernel: Any) -> Any:
    return kernel.py_func


_turned: Callable[..., Vector] = _plain(kernels.turned)
_vector: Callable[..., Vector] = _plain(kernels.rotation_vector)
_product: Callable[..., Quaternion] = _plain(kernels.product)
_unit: Callable[..., Quaternion] = _plain(kernels.unit)
_quaternion_of: Callable[..., Quaternion] = _plain(kernels.quaternion_of)
_about: Callable[..., Quaternion] = _plain(kernels.quaternion_about)
_matrix: Callable[..., tuple[float, ...]] = _plain(kernels.matrix)


def turned_by(quaternion: Sequence[float], vector: Sequence[float]) -> Vector:
    """A vector turned by a quaternion.

    Example:
        >>> turned_by((0.0, 0.0, 0.0, 1.0), (1.0, 2.0, 3.0))  # half a turn about z
        (-1.0, -2.0, 3.0)
    """
    return _turned(*quaternion, *vector)


def turned_rows(quaternions: Array, vector: ArrayLike) -> Array:
    """A vector (3) turned by many quaternions (..., 4)."""
    return np.stack(_turned(*np.moveaxis(quaternions, -1, 0), *np.asarray(vector)), axis=-1)


def product(after: Sequence[float], before: Sequence[float]) -> Quaternion:
    """The turn `before`, followed by the turn `after`.

    Example:
        >>> product((0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))
        (0.0, 0.0, 0.0, 1.0)
    """
    return _product(*after, *before)


def normalised(quaternion: Sequence[float]) -> Quaternion:
    """The quaternion of length 1 in its direction.

    Example:
        >>> normalised((0.0, 2.0, 0.0, 0.0))
        (0.0, 1.0, 0.0, 0.0)
    """
    return _unit(*quaternion)


def matrix_rows(quaternion: Sequence[float]) -> tuple[float, ...]:
    """The rotation matrix of a quaternion, nine numbers by rows.

    Example:
        >>> matrix_rows((0.0, 0.0, 0.0, 1.0))
        (-1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0)
    """
    return _matrix(2.0, *quaternion)


def matrix_of(quaternion: Sequence[float]) -> Array:
    """The rotation matrix (3, 3) of a quaternion."""
    return np.array(matrix_rows(quaternion)).reshape(3, 3)


def quaternion_of(rows: Array | Sequence[float]) -> Quaternion:
    """The quaternion, w >= 0, of a rotation matrix (3, 3), or of its nine numbers by rows.

    Example:
        >>> quaternion_of((-1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0))
        (0.0, 0.0, 0.0, 1.0)
    """
    return _quaternion_of(*(rows.ravel().tolist() if isinstance(rows, np.ndarray) else rows))


def quaternion_about(x: float, y: float, z: float) -> Quaternion:
    """The quaternion of a rotation vector [rad].

    Example:
        >>> import math
        >>> [round(part, 6) for part in quaternion_about(0.0, 0.0, math.pi / 2)]
        [0.707107, 0.0, 0.0, 0.707107]
    """
    return _about(x, y, z)


def vector_of(quaternion: Sequence[float]) -> Vector:
    """The rotation vector [rad] of a quaternion of any length, the short way round: of length pi at most.

    Example:
        >>> vector_of((0.0, 0.0, 0.0, -1.0))
        (0.0, 0.0, -3.141592653589793)
    """
    return _vector(*quaternion)


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
    turned = np.empty((3, 3))
    _plain(kernels.turn)(np.eye(3), *checks.vector("rotation_about", "vector", vector, "rad", 3).tolist(), turned)
    return turned


def rotation_vectors(R: Array) -> Array:
    """The rotation vectors [rad] of a record of matrices (ticks, 3, 3)."""
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(R).as_rotvec())


def nearest(R: Array) -> Array:
    """What is a rotation to 9 digits, to all of them: one step of Newton to the nearest one."""
    found = R.copy()
    _plain(kernels.orthonormal)(found)
    return found


def cross_matrix(r: ArrayLike) -> Array:
    """[r]x (3, 3), with [r]x v = r x v."""
    return np.array(_plain(kernels.cross)(*np.asarray(r), *np.eye(3)))


def frame_along(z: ArrayLike, x: ArrayLike | None = None) -> Array:
    """Axes as columns (3, 3): z as given, of length 1; x as near to the one given, or to any, as lies across z."""
    up = np.asarray(z)
    lean = np.eye(3)[int(np.argmin(np.abs(up)))] if x is None else np.asarray(x)
    across = lean - up * (lean @ up)
    across /= np.linalg.norm(across)
    return np.column_stack([across, np.cross(up, across), up])


def strays(R: Array) -> tuple[float, float]:
    """The largest entry of |R^T R - 1|, and the determinant of R (3, 3): 0 and 1 if it is a rotation."""
    off, determinant = _plain(kernels.strays)(R)
    return float(off), float(determinant)


def rotation_of(owner: str, rotation: ArrayLike | None, name: str = "rotation") -> Array:
    """A matrix that is a rotation, or an error that says why it is not; level if none is given."""
    if rotation is None:
        return np.eye(3)
    R = checks.array(owner, name, rotation, "", _REMEDY)
    if R.shape != (3, 3):
        checks.refuse(owner, f"{name} has shape {R.shape}.", _REMEDY)
    checks.finite(owner, name, R, "")
    off, determinant = strays(R)
    if off > _CLOSE:
        checks.refuse(owner, f"{name} is not a rotation: R^T R differs from 1 by {off:.3g}.", _REMEDY)
    if determinant < 0.0:
        checks.refuse(owner, f"{name} is not a rotation but a reflection: its determinant is -1.", _REMEDY)
    return R
