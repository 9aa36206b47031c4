"""A force sensor's calibration: six rows of six numbers, from a file or a list, and what makes them good."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.errors import FileError
from tegotae.hybrid.safety.poses import Step
from tegotae.toml_settings import read_toml

_ILL = 1e10  # condition number: beyond it digits of the wrench would be made of nothing
_MOST = 1 << 20  # bytes of a file with 36 numbers
_SIX = "Give six rows of six numbers."


def read_calibration(path: str | os.PathLike[str]) -> tuple[Step, ...]:
    """The 6 x 6 calibration in a file: TOML with `calibration`, a list of six lists, or CSV with six rows.

    Args:
        path: of the file; its name ends in .toml or .csv.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from tegotae.hybrid.safety.calibrations import read_calibration
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = Path(folder, "sensor.csv")
        ...     _ = file.write_text("\\n".join(",".join(str(2 * int(i == j)) for j in range(6)) for i in range(6)))
        ...     read_calibration(file)[5]
        (0.0, 0.0, 0.0, 0.0, 0.0, 2.0)
    """
    place = checks.path_of("read_calibration", path)
    if place.suffix == ".toml":
        given = read_toml(place, "sensor.calibration")
        if "calibration" not in given:
            raise FileError(f"Cannot read {place}: it has no `calibration`.\n  Write calibration = [[...], ...].")
        return rows(checked(str(place), given["calibration"]))
    if place.suffix != ".csv":
        raise FileError(f"Cannot read {place}: its name ends in neither .toml nor .csv.\n  Rename it.")
    try:
        text = checks.read_bounded(place, _MOST, _SIX).decode("utf-8-sig")
        cells = [[cell.strip() for cell in line] for line in csv.reader(text.splitlines())]
        numbers = [[float(cell) for cell in line] for line in cells if any(line)]
    except FileError:
        raise
    except (OSError, ValueError, csv.Error) as error:
        raise FileError(f"Cannot read {place}: {error}.\n  {_SIX}") from error
    return rows(checked(str(place), numbers))


def checked(owner: str, value: ArrayLike) -> Array:
    """A calibration that tells all parts of a wrench."""
    matrix = checks.array(owner, "calibration", value, "N, N·m per signal", _SIX)
    if matrix.shape != (6, 6):
        checks.refuse(owner, f"calibration has shape {matrix.shape}.", _SIX)
    checks.finite(owner, "calibration", matrix, "")
    scale = np.abs(matrix).max(axis=1, keepdims=True)  # N and N·m, strains and volts: rows may differ in size
    if not scale.all() or np.linalg.cond(matrix / scale) > _ILL:
        checks.refuse(owner, "calibration is singular.", "Six signals must tell all of a wrench: calibrate again.")
    return matrix


def rows(matrix: Array) -> tuple[Step, ...]:
    """A 6 x 6 matrix as plain numbers."""
    return tuple(tuple(row) for row in matrix.tolist())


def listed(owner: str, name: str, value: Sequence[float], count: int, unit: str) -> tuple[float, ...]:
    """So many finite numbers."""
    result = checks.array(owner, name, value, unit)
    if result.shape != (count,):
        checks.refuse(owner, f"{name}={value!r} has shape {result.shape}.", f"Give {count} numbers [{unit}].")
    checks.finite(owner, name, result, unit)
    return tuple(result.tolist())


def bounds(owner: str, name: str, value: Sequence[float]) -> tuple[float, ...]:
    """Six numbers > 0, one for each part of a wrench."""
    result = listed(owner, name, value, 6, "N, N·m")
    if min(result) <= 0.0:
        checks.refuse(owner, f"{name}={value!r} must be > 0.", "Give six numbers > 0 [N, N·m].")
    return result


def rotation(owner: str, axes: Sequence[float]) -> Array:
    """The matrix of a quaternion (w, x, y, z)."""
    q = np.array(listed(owner, "axes", axes, 4, "-"))
    if not 0.999 < float(np.linalg.norm(q)) < 1.001:
        checks.refuse(owner, f"axes={axes!r} is not of length 1.", "Normalise the quaternion (w, x, y, z).")
    w, x, y, z = (q / np.linalg.norm(q)).tolist()
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )


def carrying(owner: str, way: Sequence[float]) -> Array:
    """Carries a wrench to a point that lies `way` [m] off: the torque becomes less by way x force."""
    x, y, z = listed(owner, "offset", way, 3, "m")
    carry = np.eye(6)
    carry[3:, :3] = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]
    return carry
