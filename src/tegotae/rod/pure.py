"""The same rod in pure differential-geometry coordinates, to measure what mixed coordinates save."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.compile import build
from tegotae.parameters import Declared, Parameter
from tegotae.rod.kernels import motion, pure, segment
from tegotae.rod.phases import Base, Load, Phase
from tegotae.rod.planar import PlanarRod

_SOURCE = """
@entry
def mixed_times(rod, times, y, v, dt, a):
    locate(rod, 0.0)
    drive(rod, 0.0)
    for _ in range(times):
        accelerations(rod, y, v, dt, a)


@entry
def pure_times(rod, times, y, v, dt, A, W, M, b, a):
    locate(rod, 0.0)
    drive(rod, 0.0)
    for _ in range(times):
        pure_accelerations(rod, y, v, dt, A, W, M, b, a)
"""


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


class Evaluation:
    """One instant of a rod, its accelerations by either set of coordinates, once or many times in a row."""

    def __init__(self, rod: PlanarRod, angle: ArrayLike, angle_rate: ArrayLike, phase: Phase):
        n = rod.nodes
        self.y, self.v = np.zeros(n + 2), np.zeros(n + 2)
        for name, given, into, unit in (("angle", angle, self.y, "rad"), ("angle_rate", angle_rate, self.v, "rad/s")):
            into[2:] = checks.vector("PureRod", name, given, unit, n)
        self.rod = rod.compiled(phase)
        self.room = (np.zeros((n, 2)), np.zeros((n, 2)), np.zeros((n + 2, n + 2)), np.zeros(n + 2))

    @property
    def _module(self) -> ModuleType:
        names: tuple[tuple[Any, str], ...] = ((motion, "locate"), (motion, "drive"), (motion, "accelerations"))
        names += ((pure, "pure_accelerations"),)
        return build(_SOURCE, tuple((name, getattr(home, name)) for home, name in names))

    def mixed(self, times: int = 1, step: float = 0.0) -> Array:
        """(x'', y'', angles'') by mixed coordinates; a step > 0 takes bending at its end."""
        a = np.zeros(self.y.size)
        self._module.mixed_times(self.rod, times, self.y, self.v, step, a)
        return a

    def pure(self, times: int = 1, step: float = 0.0) -> Array:
        """The same by pure coordinates."""
        a = np.zeros(self.y.size)
        self._module.pure_times(self.rod, times, self.y, self.v, step, *self.room, a)
        return a
