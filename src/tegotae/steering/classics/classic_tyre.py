"""How tyres of others are run."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from numpy.typing import ArrayLike

from tegotae.checks import Array
from tegotae.parameters import Declared
from tegotae.result import Result
from tegotae.running.loop import report_divergence
from tegotae.steering.steady import SteeredPath, Tyre


class ClassicTyre(Tyre, Declared):
    """A tyre model of others, run like a `ContactPatch`."""

    brakes: ClassVar[bool] = True  # and drives: it knows a force forwards

    def run(
        self,
        *,
        steer: ArrayLike,
        slip_angle: ArrayLike = 0.0,
        speed: ArrayLike,
        slip: ArrayLike = 0.0,
        period: float,
        every: int = 1,
    ) -> Result:
        """Steer, drive and brake it along a record, compiled. It starts at rest in the first steer angle.

        Args:
            steer: delta at the end of each tick [rad], (ticks,); to a `MagicFormula` it does nothing.
            slip_angle: alpha over each tick [rad], a number or (ticks,).
            speed: V over each tick [m/s], a number or (ticks,); negative rolls backwards. To a `MagicFormula` its sign
                alone counts, and whether it is 0.
            slip: R omega - V over each tick [m/s], a number or (ticks,): positive drives, negative brakes. A
                `LuGreTyre` takes it, a `MagicFormula` only rolls.
            period: T [s].
            every: record every so many ticks.

        Returns:
            `lateral_force` [N] (on the tyre, to the left), `torque` [N·m] (resists steering to the left), and of a
            `LuGreTyre` `longitudinal_force` [N] (on the tyre, forwards).
        """
        own = type(self).__name__
        path = SteeredPath.of(own, steer, slip_angle, speed, slip, period, every)
        path = path if self.brakes else path.rolling(own)
        forces = self._forces(path)[:, path.every - 1 :: path.every]
        report_divergence(own, forces, path.every, path.period)
        return Result(path.variables(forces), title=own, about={"block": repr(self), "period": path.period})

    @abstractmethod
    def _forces(self, path: SteeredPath) -> Array:
        """The last of `FORCES`, a row each, at every tick."""
