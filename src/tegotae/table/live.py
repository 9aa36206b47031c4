"""The table in a loop, one tick at a time, as a real one is driven; poses of its plate and of the tip of its probe.

Loops that have no time for arrays take a pose as seven plain numbers, not checked: position [m], of the centre of the
plate's joints or of the tip, and quaternion (w, x, y, z) [-] of length 1. A probe is the tip in the plate's axes [m].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.rotations import matrix_of, matrix_rows, quaternion_of, turned_by
from tegotae.running.live import LiveAdmittance
from tegotae.table.limits import pose_of

if TYPE_CHECKING:
    from tegotae.table.plant import HexaPlant

Seven = tuple[float, float, float, float, float, float, float]
Six = tuple[float, float, float, float, float, float]


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
        signal: strains of the sensor [-], filtered and late as the wrench is, before tare and calibration.
        contact_force: of the surface on the plate, true [N].

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
    signal: Array
    contact_force: Array

    def copy(self) -> Reading:
        """The same numbers, kept."""
        return Reading(*(part.copy() for part in self))


# Where its numbers stand in the state, in its order.
_READ = (
    *("measured_position", "measured_rotation", "angle", "measured_wrench", "torque"),
    *("position", "quaternion", "twist", "signal", "contact_force"),
)


class LiveTable(LiveAdmittance):
    """A plant in a loop: `command` a pose, `step` a period, `read` what is known, `stop` where it is.

    Args:
        block: the table; `HexaPlant.start` makes this.
        period: that of its servo [s].
        initial: fields of the state to start from; at rest at home unless given.

    Example:
        >>> from tegotae.table import HexaPlant
        >>> table = HexaPlant.default(kp=400.0).start()
        >>> for _ in range(300):
        ...     reading = table.step((0.0, 0.0, 5.0, 0.0, 0.0, 0.0))
        >>> round(float(reading.wrench[2]), 6), round(1e3 * float(reading.position[2] + 0.47), 3)  # N, mm
        (5.0, 0.221)
    """

    block: HexaPlant

    def __init__(self, block: HexaPlant, period: float, initial: Mapping[str, ArrayLike] | None):
        super().__init__(block, period, initial)
        part = self._state.part
        self._tip = tuple(block.tip.tolist())
        self._place, self._turn = part("command_position"), part("command_rotation")
        self._before = part("previous_measured_position"), part("previous_measured_rotation").reshape(9)
        self._seen = part("measured_position"), part("measured_rotation").reshape(9)
        self._reading = Reading(*(part(name) for name in _READ))

    def command(self, position: ArrayLike, rotation: ArrayLike | None = None) -> None:
        """The pose wanted from the next tick on; one that the table cannot take is refused and the last one holds.

        Args:
            position: of the plate's centre [m].
            rotation: of the plate, 3 x 3, or a quaternion (w, x, y, z) of length 1 [-]; level unless given.
        """
        if rotation is not None and np.shape(turn := checks.array("LiveTable", "rotation", rotation, "")) == (4,):
            checks.finite("LiveTable", "rotation", turn, "")
            length = float(np.linalg.norm(turn))
            if abs(length - 1.0) > 1e-9:
                problem = f"the quaternion of rotation has length {length:.12g}."
                checks.refuse("LiveTable", problem, "Divide its four numbers by it.")
            rotation = matrix_of((turn / length).tolist())
        p, R = pose_of("LiveTable", position, rotation)
        self.block.table.inverse(p, R)
        self._place[:], self._turn[:] = p, R

    def drive(self, pose: Sequence[float]) -> None:
        """As `command`, for callers in a hurry who have checked the pose: nothing is checked here.

        A pose out of reach makes the next tick raise an error and changes nothing else.

        Args:
            pose: position [m] of the plate's centre and quaternion (w, x, y, z) of length 1 [-], plain numbers.
                `tegotae.table.live.plate_pose` makes it from a pose of the probe's tip.

        Example:
            >>> from tegotae.table import HexaPlant
            >>> table = HexaPlant.default().start()
            >>> for _ in range(500):
            ...     table.drive((0.0, 0.0, -0.469, 1.0, 0.0, 0.0, 0.0))
            ...     reading = table.step()
            >>> round(float(reading.position[2]), 4)
            -0.469
        """
        x, y, z, a, b, c, d = pose
        self._place[:] = x, y, z
        self._turn.ravel()[:] = matrix_rows((a, b, c, d))

    def step(self, force: ArrayLike | Mapping[str, ArrayLike] | None = None) -> Reading:
        """One period with a wrench on the plate, or by the names of ports; what the table says at its end.

        Args:
            force: force [N] and torque [N·m], in the world's axes, about the plate's centre or at the sensor's tip;
                none unless given.
        """
        if force is not None:
            super().step(force)
        else:
            self._in.fill(0.0)
            if not self._step():
                self._refuse("force", self._in.copy(), self._unit)
        return self._reading

    def read(self) -> Reading:
        """What the table said last."""
        return self._reading

    def tip(self) -> Seven:
        """Pose of the probe's tip from the encoders: position [m] and quaternion; the plate's if there is no probe.

        Example:
            >>> from tegotae.table import HexaPlant
            >>> [round(x, 3) + 0.0 for x in HexaPlant.default().start().tip()]
            [0.0, 0.0, -0.47, 1.0, 0.0, 0.0, 0.0]
        """
        place, rows = (part.tolist() for part in self._seen)
        return tip_pose((*place, *quaternion_of(rows)), self._tip)

    def tip_twist(self) -> Six:
        """Velocity [m/s] and angular velocity [rad/s] of the tip, from the encoders' last two poses.

        Example:
            >>> from tegotae.table import HexaPlant
            >>> HexaPlant.default().start().tip_twist()
            (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        """
        (here, rows), (there, before) = ([part.tolist() for part in pose] for pose in (self._seen, self._before))
        twist = rate_between((*there, *before), (*here, *rows), self.period)
        return tip_twist((0.0, 0.0, 0.0, *quaternion_of(rows)), twist, self._tip)

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


def tip_pose(plate: Sequence[float], probe: Sequence[float]) -> Seven:
    """The tip's pose from the plate's; both turn alike.

    Example:
        >>> tip_pose((0.0, 0.0, -0.5, 1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.125))
        (0.0, 0.0, -0.375, 1.0, 0.0, 0.0, 0.0)
    """
    px, py, pz, w, x, y, z = plate
    a, b, c = turned_by((w, x, y, z), probe)
    return px + a, py + b, pz + c, w, x, y, z


def plate_pose(tip: Sequence[float], probe: Sequence[float]) -> Seven:
    """The plate's pose from the tip's: what to command so that the tip is there.

    Example:
        >>> plate_pose((0.0, 0.0, -0.375, 1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.125))
        (0.0, 0.0, -0.5, 1.0, 0.0, 0.0, 0.0)
    """
    px, py, pz, w, x, y, z = tip
    a, b, c = turned_by((w, x, y, z), probe)
    return px - a, py - b, pz - c, w, x, y, z


def tip_twist(plate: Sequence[float], twist: Sequence[float], probe: Sequence[float]) -> Six:
    """Velocity [m/s] and angular velocity [rad/s] of the tip from those of the plate, in the world's axes.

    Example:
        >>> tip_twist((0.0, 0.0, -0.5, 1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 2.0, 0.0), (0.0, 0.0, 0.125))
        (0.25, 0.0, 0.0, 0.0, 2.0, 0.0)
    """
    a, b, c = turned_by(plate[3:7], probe)
    u, v, w, p, q, r = twist
    return u + q * c - r * b, v + r * a - p * c, w + p * b - q * a, p, q, r


def rate_between(before: Sequence[float], now: Sequence[float], period: float) -> Six:
    """Velocity [m/s] and angular velocity [rad/s] that lead from one pose to another a period [s] later, turns small.

    Here a pose is twelve numbers: position [m], and rotation matrix by rows.

    Example:
        >>> level = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
        >>> rate_between((0.0, 0.0, 0.0, *level), (0.0, 0.0, 0.5, *level), 0.25)
        (0.0, 0.0, 2.0, 0.0, 0.0, 0.0)
    """
    x0, y0, z0, a, b, c, d, e, f, g, h, i = before
    x1, y1, z1, a1, b1, c1, d1, e1, f1, g1, h1, i1 = now
    s = 0.5 / period  # the skew part of now * before^T is the sine of the turn
    return (
        (x1 - x0) / period, (y1 - y0) / period, (z1 - z0) / period,
        s * (g1 * d + h1 * e + i1 * f - d1 * g - e1 * h - f1 * i),
        s * (a1 * g + b1 * h + c1 * i - g1 * a - h1 * b - i1 * c),
        s * (d1 * a + e1 * b + f1 * c - a1 * d - b1 * e - c1 * f),
    )  # fmt: skip
