"""Rigid bodies on the table: its plate, and what the plate carries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.parameters import Declared, Parameter


def _tensor(owner: str, name: str, value: ArrayLike) -> Array:
    """3 x 3, symmetric."""
    given = checks.array(owner, name, value, "kg·m2")
    if given.shape not in ((3,), (3, 3)):
        checks.refuse(owner, f"{name} has shape {given.shape}.", "Give three numbers or a 3 x 3 matrix.")
    checks.finite(owner, name, given, "kg·m2")
    matrix = np.diag(given) if given.ndim == 1 else given
    if not np.allclose(matrix, matrix.T, rtol=1e-9, atol=0.0):
        checks.refuse(owner, f"{name} is not symmetric.", "Give a symmetric 3 x 3 matrix.")
    return matrix


@dataclass(frozen=True, kw_only=True, eq=False)
class TableBody(Declared):
    """A rigid body: the plate, or what is screwed to it.

    Example:
        >>> from tegotae.table import TableBody
        >>> TableBody(mass=0.288, inertia=(2.425e-4, 2.425e-4, 9.037e-5), center=(0.0, 0.0, -0.05)).about_joints()[1]
        array([ 0.    ,  0.    , -0.0144])
    """

    mass: Annotated[float, Parameter("[kg], > 0", "Give a positive mass, or no load at all.")]
    inertia: Annotated[
        ArrayLike,
        Parameter("[kg·m2], about its centre of mass, along the plate's axes: three numbers or 3 x 3", accept=_tensor),
    ]
    center: Annotated[
        tuple[float, float, float],
        Parameter("[m], its centre of mass from the centre of the plate's joints, along the plate's axes"),
    ] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        principal = np.linalg.eigvalsh(self.tensor)
        if principal[0] < 0.0 or principal[2] > (principal[0] + principal[1]) * (1.0 + 1e-9):
            told = ", ".join(f"{x:.4g}" for x in principal)
            checks.refuse(
                "TableBody",
                f"no body has the principal inertias {told} kg·m2.",
                "Each must be >= 0 and at most the sum of the other two.",
            )

    @cached_property
    def tensor(self) -> Array:
        """Inertia about the centre of mass, 3 x 3 [kg·m2]."""
        return np.array(self.inertia, dtype=np.float64)

    def about_joints(self) -> tuple[float, Array, Array]:
        """Mass [kg], first moment [kg·m], inertia about the centre of the plate's joints [kg·m2]."""
        c = np.asarray(self.center, dtype=np.float64)
        return self.mass, self.mass * c, self.tensor + self.mass * (float(c @ c) * np.eye(3) - np.outer(c, c))
