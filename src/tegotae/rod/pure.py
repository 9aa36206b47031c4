"""The same rod in pure differential-geometry coordinates, to measure what mixed coordinates save."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from tegotae.checks import Array
from tegotae.parameters import Declared, Parameter
from tegotae.rod.kernels import pure, segment
from tegotae.rod.phases import Base, Load, Phase
from tegotae.rod.planar import Evaluation, PlanarRod


@dataclass(frozen=True, kw_only=True, eq=False)
class PureRod(Declared):
    """A rod whose only coordinates are its base and its angles: a full inertia matrix, O(n²) to fill, O(n³) to solve.

    It is for comparison: the motion is that of the `PlanarRod`, whose mixed coordinates cost O(n).

    Example:
        >>> import numpy as np
        >>> from tegotae.rod import PlanarRod
        >>> from tegotae.rod.pure import PureRod
        >>> rod = PlanarRod(length=10, nodes=5, density=0.1, elasticity=1, viscosity=2)
        >>> full = PureRod(rod=rod).accelerations(np.zeros(5), np.zeros(5), torque=50.0, base="pinned")
        >>> full.round(5).tolist()
        [536.88242, -393.14815, 184.73196, -101.04772, 119.90105]
    """

    rod: Annotated[PlanarRod, Parameter("the rod to look at this way")]

    def accelerations(
        self,
        angle: ArrayLike,
        angle_rate: ArrayLike,
        *,
        torque: float = 0.0,
        base: Base = "free",
        loads: Sequence[Load] = (),
    ) -> Array:
        """Angular accelerations of the nodes [rad/s²] at an instant.

        Args:
            angle: of every node [rad].
            angle_rate: of every node [rad/s].
            torque: on the base [N·m].
            base: "free", "pinned" or "fixed".
            loads: forces and torques at points of the rod.
        """
        trial = Evaluation(self.rod, angle, angle_rate, Phase(until=1.0, torque=torque, base=base, loads=loads))
        return trial.pure()[2:].copy()

    def inertia(self, angle: ArrayLike) -> Array:
        """The full inertia matrix over (x, y, angles), shape (nodes + 2, nodes + 2) [kg, kg·m, kg·m²].

        Args:
            angle: of every node [rad].
        """
        trial = Evaluation(self.rod, angle, np.zeros(self.rod.nodes), Phase(until=1.0))
        own = trial.rod
        segment.all_integrals(trial.y, trial.v, own.hs, own.re, own.im, own.S)
        A, W, M, _ = trial.room
        pure.inertia(own.S, own.hs, own.rho, own.tip, A, W, M)
        return np.asarray(np.tril(M) + np.tril(M, -1).T)
