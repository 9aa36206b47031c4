"""A fixed surface that a probe on the plate meets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.contact import ContactDamping, ContactStiffness, FrictionCoefficient
from tegotae.parameters import Declared, Parameter
from tegotae.rotations import rotation_of

# Largest share of 1/|root| that a Runge-Kutta step may take, root of m s^2 + c s + k = 0. The steps in which the tip
# touches and leaves are the worst: an undamped bounce comes back with its speed to 0.3 % (it errs by the share squared,
# 1.3 % at 0.5), one damped to a speed of 0.57 with 0.555 to 0.592 (by the share: the damper's force jumps at touching).
# Poses in which the tip is lighter than at home stay far from unstable (2.8).
SHARE = 0.25


@dataclass(frozen=True, kw_only=True, eq=False)
class ProbedSurface(Declared):
    """A plane across the table's z that faces down, and the tip of the probe that meets it.

    There is contact where the tip is higher than the plane. It pushes the plate down with stiffness * depth + damping *
    (rate of the depth), and never pulls. Where there is friction, a spring and a damper of the same numbers hold the
    tip along the plane up to friction * (normal force): below that limit it sticks, without creep.

    Example:
        >>> import dataclasses
        >>> from tegotae.table import HexaPlant, ProbedSurface
        >>> stop = ProbedSurface(height=-0.419, stiffness=1e5, damping=100.0, probe=(0.0, 0.0, 0.05))
        >>> table = dataclasses.replace(HexaPlant.default(), surface=stop).start()
        >>> table.command((0.0, 0.0, -0.468))  # 1 mm into the surface
        >>> for _ in range(500):
        ...     reading = table.step()
        >>> round(float(reading.wrench[2]), 1)  # N; 1 mm through K of the table and k of the surface in series
        -10.2
    """

    height: Annotated[float, Parameter("[m], of the plane along the table's z")]
    stiffness: ContactStiffness
    damping: ContactDamping = 0.0
    probe: Annotated[
        tuple[float, float, float],
        Parameter("[m], the tip from the centre of the plate's joints, along the plate's axes"),
    ] = (0.0, 0.0, 0.0)
    friction: FrictionCoefficient = 0.0

    @cached_property
    def tip(self) -> Array:
        """The probe's tip from the centre of the plate's joints, along the plate's axes [m]."""
        return np.array(self.probe, dtype=np.float64)

    @property
    def values(self) -> dict[str, ArrayLike]:
        """What the kernels read, by the names of `plant_layout.SURFACE`."""
        own = {name: getattr(self, name) for name in ("height", "stiffness", "damping", "friction")}
        return {**own, "probe": self.tip}

    def quickest(self, M: Array, rotation: Array) -> float:
        """Largest magnitude of the roots of m s^2 + damping s + stiffness = 0 [1/s], m the least mass that pushes.

        Args:
            M: inertia of the plate, 6 x 6 [kg, kg·m, kg·m2].
            rotation: of the plate, 3 x 3 [-].

        Example:
            >>> import numpy as np
            >>> ProbedSurface(height=0.0, stiffness=100.0).quickest(np.diag([1.0] * 3 + [0.1] * 3), np.eye(3))
            10.0
        """
        M = checks.finite_array("ProbedSurface", "M", M, "kg", last=6)
        if M.shape != (6, 6) or np.linalg.matrix_rank(M) < 6:
            told = f"M={checks.shown(M)} is no inertia."
            checks.refuse("ProbedSurface", told, "Give 6 x 6 numbers that can be inverted.")
        x, y, z = rotation_of("ProbedSurface", checks.array("ProbedSurface", "rotation", rotation, "")) @ self.tip
        J = np.array([[1, 0, 0, 0, z, -y], [0, 1, 0, -z, 0, x], [0, 0, 1, y, -x, 0]], dtype=np.float64)
        give = J @ np.linalg.solve(M, J.T)
        ease = float(np.linalg.eigvalsh(give)[-1] if self.friction > 0.0 else give[2, 2])
        k, c = self.stiffness * ease, self.damping * ease
        return math.sqrt(k) if c * c < 4.0 * k else 0.5 * (c + math.sqrt(c * c - 4.0 * k))


def refuse_too_stiff(surface: ProbedSurface, M: Array, rotation: Array, period: float, substeps: int) -> None:
    """Refuse a surface whose bounce the steps of the motion are too long for."""
    quickest = surface.quickest(M, rotation)
    needed = math.ceil(period * quickest / SHARE)
    if substeps < needed:
        checks.refuse(
            "HexaPlant",
            f"surface with stiffness={surface.stiffness:g} N/m and damping={surface.damping:g} N·s/m answers the tip "
            f"within {1.0 / quickest:.3g} s, too quick for substeps={substeps} in {period:g} s.",
            f"Use substeps >= {needed}, or a softer or less damped surface.",
        )


# Values of a table without a surface.
NONE: dict[str, ArrayLike] = {"height": 0.0, "stiffness": 0.0, "damping": 0.0, "friction": 0.0, "probe": np.zeros(3)}
