"""The table in a loop, one tick at a time, as a real one is driven."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.table.poses import pose_of

if TYPE_CHECKING:
    from tegotae.table.plant import HexaPlant


class Reading(NamedTuple):
    """What the table says after a tick. The arrays are the table's own and change with its next tick; copy to keep.

    Args:
        position: of the plate from the encoders [m].
        rotation: of the plate from the encoders [-].
        angles: of the arms as counted [rad].
        wrench: as the sensor reads it [N, N·m].
        torque: of the motors over the tick [N·m].
        true_position: of the plate [m]; a real table does not know it.
        true_quaternion: of the plate, (w, x, y, z) [-].
        true_twist: velocity [m/s] and angular velocity [rad/s] of the plate.

    Example:
        >>> from tegotae.table import HexaPlant
        >>> HexaPlant.default().start().step().position.round(3) + 0.0
        array([ 0.  ,  0.  , -0.47])
    """

    position: Array
    rotation: Array
    angles: Array
    wrench: Array
    torque: Array
    true_position: Array
    true_quaternion: Array
    true_twist: Array

    def copy(self) -> Reading:
        """The same numbers, kept."""
        return Reading(*(part.copy() for part in self))


class LiveTable:
    """A plant in a loop: `command` a pose, `step` a period, `read` what is known, `stop` where it is.

    Args:
        plant: the table; `HexaPlant.start` makes this.
        position: of the plate's centre at the start [m].
        rotation: of the plate at the start, 3 x 3 [-].

    Example:
        >>> from tegotae.table import HexaPlant
        >>> table = HexaPlant.default(kp=400.0).start()
        >>> for _ in range(300):
        ...     reading = table.step((0.0, 0.0, 5.0, 0.0, 0.0, 0.0))
        >>> round(float(reading.wrench[2]), 6), round(1e3 * float(reading.position[2] + 0.47), 3)  # N, mm
        (5.0, 0.221)
    """

    def __init__(self, plant: HexaPlant, position: Array, rotation: Array):
        from tegotae.table.kernels import plant as layout
        from tegotae.table.plant import module

        self.plant = plant
        self._z = plant.rest(position, rotation)
        self._s, self._r = plant.sensor.state()
        self._command = np.concatenate([position, rotation.ravel()])[None]
        self._wrench, self._out, self._room = np.zeros((1, 6)), np.zeros((1, layout.STATE)), layout.room()
        self._march, self._ticks = module().march, 0
        z = self._z
        self._reading = Reading(
            z[layout.SEEN : layout.SEEN + 3],
            z[layout.SEEN + 3 : layout.SEEN + 12].reshape(3, 3),
            z[layout.THETA : layout.THETA + 6],
            z[layout.SENSED : layout.SENSED + 6],
            z[layout.TORQUE : layout.TORQUE + 6],
            z[0:3],
            z[3:7],
            z[7:13],
        )
        # compile on copies, so that the first tick in the loop is not a compile
        copies = z.copy(), self._s.copy(), self._r.copy()
        self._march(*plant.fixed, *copies, self._command, self._wrench, *plant.pace, self._room, self._out)

    @property
    def time(self) -> float:
        """Since the start [s]."""
        return self._ticks * float(self.plant.servo.period)

    def command(self, position: ArrayLike, rotation: ArrayLike | None = None) -> None:
        """The pose wanted from the next tick on; one that the table cannot take is refused and the last one holds.

        Args:
            position: of the plate's centre [m].
            rotation: of the plate, 3 x 3 [-]; level unless given.
        """
        p, R = pose_of("LiveTable", position, rotation)
        self.plant.table.inverse(p, R)
        self._command[0, :3], self._command[0, 3:] = p, R.ravel()

    def step(self, wrench: ArrayLike | None = None) -> Reading:
        """One period with a wrench on the plate; what the table says at its end.

        Args:
            wrench: force [N] and torque [N·m] about the plate's centre, in the world's axes; none unless given.
        """
        if wrench is None:
            self._wrench[:] = 0.0
        else:
            given = checks.numbers("LiveTable", "wrench", wrench)
            if given.shape != (6,):
                checks.refuse("LiveTable", f"wrench has shape {given.shape}.", "Give force and torque, six numbers.")
            checks.finite("LiveTable", "wrench", given, "N, N·m")
            self._wrench[0] = given
        _, why = self._march(
            *self.plant.fixed, self._z, self._s, self._r, self._command, self._wrench, *self.plant.pace,
            self._room, self._out,
        )  # fmt: skip
        if why:
            self.plant.refuse_to_go_on(int(why), self.time)
        self._ticks += 1
        return self._reading

    def read(self) -> Reading:
        """What the table said last."""
        return self._reading

    def stop(self) -> None:
        """Command the pose where the encoders say it is: the servo brings it to rest there.

        Example:
            >>> from tegotae.table import HexaPlant
            >>> table = HexaPlant.default().start()
            >>> table.command((0.0, 0.0, -0.46))
            >>> reading = [table.step() for _ in range(5)][-1]
            >>> table.stop()
        """
        self.command(self._reading.position.copy(), self._reading.rotation.copy())
