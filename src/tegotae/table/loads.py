"""Rigid bodies on the table: its plate, and what the plate carries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array


@dataclass(frozen=True, kw_only=True, eq=False)
class Load:
    """A rigid body: the plate, or what is screwed to it.

    Args:
        mass: [kg], > 0.
        inertia: about its centre of mass, along the plate's axes [kg·m2]: three numbers or 3 x 3.
        center: its centre of mass from the centre of the plate's joints, along the plate's axes [m].

    Example:
        >>> from tegotae.table import Load
        >>> Load(mass=0.288, inertia=(2.425e-4, 2.425e-4, 9.037e-5), center=(0.0, 0.0, -0.05)).mass
        0.288
    """

    mass: float
    inertia: ArrayLike
    center: ArrayLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        checks.positive("Load", "mass", self.mass, "kg", "Give a positive mass, or no load at all.")
        center = checks.array("Load", "center", self.center, "m")
        if center.shape != (3,):
            checks.refuse("Load", f"center has shape {center.shape}.", "Give (x, y, z) in m.")
        checks.finite("Load", "center", center, "m")
        principal = np.linalg.eigvalsh(self.tensor)
        if principal[0] < 0.0 or principal[2] > (principal[0] + principal[1]) * (1.0 + 1e-9):
            told = ", ".join(f"{x:.4g}" for x in principal)
            checks.refuse(
                "Load",
                f"no body has the principal inertias {told} kg·m2.",
                "Each must be >= 0 and at most the sum of the other two.",
            )

    @cached_property
    def tensor(self) -> Array:
        """Inertia about the centre of mass, 3 x 3 [kg·m2]."""
        given = checks.array("Load", "inertia", self.inertia, "kg·m2")
        if given.shape not in ((3,), (3, 3)):
            checks.refuse("Load", f"inertia has shape {given.shape}.", "Give three numbers or a 3 x 3 matrix.")
        checks.finite("Load", "inertia", given, "kg·m2")
        matrix = np.diag(given) if given.ndim == 1 else given
        if not np.allclose(matrix, matrix.T, rtol=1e-9, atol=0.0):
            checks.refuse("Load", "inertia is not symmetric.", "Give a symmetric 3 x 3 matrix.")
        return matrix

    def about_joints(self) -> tuple[float, Array, Array]:
        """Mass [kg], first moment [kg·m], inertia about the centre of the plate's joints [kg·m2]."""
        c = np.asarray(self.center, dtype=np.float64)
        return self.mass, self.mass * c, self.tensor + self.mass * (float(c @ c) * np.eye(3) - np.outer(c, c))
