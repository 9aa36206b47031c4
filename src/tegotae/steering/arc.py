"""A wheel without a wheel: a handle led along an arc by a two-link arm with a force sensor.  [yamamoto2006, Fig. 7]

                 handle                     left turn: counter-clockwise, angle +
        theta .-  o
             /   /  fore link               force (fx, fy) of the hand  ->  tau_h = (handle - centre) x force
    centre  +   o elbow                     angle theta  ->  handle (x, y)  ->  joint angles
                 \\
                  o base
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.device.interface import AdmittanceDevice
from tegotae.parameters import Declared, Parameter


@dataclass(frozen=True, kw_only=True, eq=False)
class SerialLink(Declared):
    """A planar arm of two links in a row, a motor in each joint: the second angle is measured from the first link.

    Example:
        >>> from tegotae.steering.arc import SerialLink
        >>> arm = SerialLink(upper=0.3, fore=0.4)
        >>> arm.tip(arm.joints([0.3, 0.4])).round(12).tolist()
        [0.3, 0.4]
    """

    upper: Annotated[float, Parameter("[m], > 0, the length of the link at the base")]
    fore: Annotated[float, Parameter("[m], > 0, the length of the link that carries the handle")]
    base: Annotated[tuple[float, float], Parameter("[m], where the first joint stands, x and y")] = (0.0, 0.0)
    elbow: Annotated[Literal["left", "right"], Parameter("side of the line from base to handle on which it bends")] = (
        "left"
    )

    def joints(self, point: ArrayLike) -> Array:
        """Joint angles [rad], shape (…, 2), that put the handle at a point [m], shape (…, 2); refused out of reach."""
        upper, fore = self._directions(point)
        return np.stack([upper, _wrapped(fore - upper)], axis=-1)

    def tip(self, joints: ArrayLike) -> Array:
        """Where the handle is [m], shape (…, 2), for joint angles [rad], shape (…, 2)."""
        first, second = self._absolute(checks.finite_array(type(self).__name__, "joints", joints, "rad", last=2))
        across = self.upper * np.cos(first) + self.fore * np.cos(second)
        along = self.upper * np.sin(first) + self.fore * np.sin(second)
        return np.asarray(self.base) + np.stack([across, along], axis=-1)

    def jacobian(self, joints: ArrayLike) -> Array:
        """How the handle moves with the joints [m/rad], shape (…, 2, 2)."""
        first, second = self._absolute(checks.finite_array(type(self).__name__, "joints", joints, "rad", last=2))
        turned = np.stack([-self.fore * np.sin(second), self.fore * np.cos(second)], axis=-1)
        carried = np.stack([-self.upper * np.sin(first), self.upper * np.cos(first)], axis=-1)
        return np.stack([carried + turned, turned], axis=-1)

    def torques(self, joints: ArrayLike, force: ArrayLike) -> Array:
        """Joint torques [N·m], shape (…, 2), with which the handle exerts a force [N], shape (…, 2)."""
        given = checks.finite_array(type(self).__name__, "force", force, "N", last=2)
        return np.asarray(np.einsum("...ij,...i->...j", self.jacobian(joints), given))  # by virtual work

    @property
    def reach(self) -> tuple[float, float]:
        """Least and greatest distance of the handle from the base [m]; at both the arm is singular."""
        return abs(self.upper - self.fore), self.upper + self.fore

    def _absolute(self, joints: Array) -> tuple[Array, Array]:
        return joints[..., 0], joints[..., 0] + joints[..., 1]

    def _directions(self, point: ArrayLike) -> tuple[Array, Array]:
        """Directions of both links [rad] from the x axis, by the law of cosines."""
        owner = type(self).__name__
        offset = checks.finite_array(owner, "point", point, "m", last=2) - np.asarray(self.base)
        far = np.hypot(offset[..., 0], offset[..., 1])
        near_end, far_end = self.reach
        outside = (far <= near_end) | (far >= far_end)
        if outside.any():
            worst = float(np.atleast_1d(far)[np.atleast_1d(outside)][0])
            problem = f"point lies {worst:.4g} m from the base, which is out of reach."
            ends = f"{checks.just_above(near_end)} and {checks.just_below(far_end)} m"
            checks.refuse(owner, problem, f"Stay between {ends}, or move the base.")
        side = 1.0 if self.elbow == "left" else -1.0
        bend = side * np.arccos((self.upper**2 + self.fore**2 - far**2) / (2.0 * self.upper * self.fore))
        upper = np.arctan2(offset[..., 1], offset[..., 0]) - np.arctan2(
            self.fore * np.sin(np.pi + bend), self.upper + self.fore * np.cos(np.pi + bend)
        )
        return _wrapped(upper), _wrapped(upper + np.pi + bend)


@dataclass(frozen=True, kw_only=True, eq=False)
class ParallelLink(SerialLink):
    """A planar arm whose second link is driven from the base through a parallelogram, both motors at rest.

    The second joint angle is that of the fore link from the x axis, so neither motor carries the other.

    Example:
        >>> from tegotae.steering.arc import ParallelLink
        >>> arm = ParallelLink(upper=0.3, fore=0.4, elbow="right")
        >>> arm.joints([0.3, 0.4]).round(6).tolist()  # the upper link along x, the fore link along y
        [0.0, 1.570796]
    """

    def joints(self, point: ArrayLike) -> Array:
        """Joint angles [rad], shape (…, 2), that put the handle at a point [m], shape (…, 2); refused out of reach."""
        return np.stack(self._directions(point), axis=-1)

    def jacobian(self, joints: ArrayLike) -> Array:
        """How the handle moves with the joints [m/rad], shape (…, 2, 2)."""
        serial = super().jacobian(joints)
        serial[..., 0] -= serial[..., 1]  # the fore link keeps its direction while the upper one turns
        return serial

    def _absolute(self, joints: Array) -> tuple[Array, Array]:
        return joints[..., 0], joints[..., 1]


@dataclass(frozen=True, kw_only=True, eq=False)
class Arc(Declared):
    """The path of the handle: part of a circle about the centre of rotation, as a hand on a rim would go.

    Example:
        >>> from tegotae.steering.arc import Arc, ParallelLink
        >>> arc = Arc(arm=ParallelLink(upper=0.4, fore=0.4), centre=(0.0, 0.35), radius=0.18, travel=1.0)
        >>> arc.point(0.0).round(12).tolist()
        [0.0, 0.53]
        >>> round(float(arc.torque(force=[-10.0, 0.0], angle=0.0)), 12)  # pushed to the left at the top
        1.8
    """

    arm: Annotated[SerialLink, Parameter("that leads the handle")]
    centre: Annotated[tuple[float, float], Parameter("[m], of rotation, x and y")]
    radius: Annotated[float, Parameter("[m], > 0, the radius of the wheel")]
    rest: Annotated[float, Parameter("[rad], from the x axis, direction from the centre in which the handle rests")] = (
        np.pi / 2.0
    )
    travel: Annotated[float, Parameter("[rad], > 0, how far it may turn to either side; the arm must reach all of it")]

    def __post_init__(self) -> None:
        super().__post_init__()
        # The distance to the base is extreme at the ends of the travel or in line with base and centre.
        line = np.asarray(self.arm.base) - np.asarray(self.centre)
        facing = np.arctan2(line[1], line[0]) - self.rest + np.pi * np.arange(-1, 2)
        inside = _wrapped(facing)
        turns = 2.0 * np.pi * np.arange(-np.ceil(self.travel / np.pi), np.ceil(self.travel / np.pi) + 1)
        critical = (inside[:, np.newaxis] + turns).ravel()
        critical = critical[np.abs(critical) <= self.travel]
        self.arm.joints(self._on_circle(np.concatenate([[-self.travel, 0.0, self.travel], critical])))

    def point(self, angle: ArrayLike) -> Array:
        """Where the handle is [m], shape (…, 2), at an angle of the wheel [rad]; refused beyond the travel."""
        owner = type(self).__name__
        given = checks.array(owner, "angle", angle, "rad")
        checks.finite(owner, "angle", np.atleast_1d(given), "rad")
        if (np.abs(given) > self.travel).any():
            far = float(np.abs(given).max())
            checks.refuse(owner, f"angle={far:.4g} rad is beyond travel={self.travel:g} rad.", "Limit the angle first.")
        return self._on_circle(given)

    def angle(self, point: ArrayLike) -> Array:
        """Angle of the wheel [rad], in -pi to pi, of the point of the arc nearest to a point [m], shape (…, 2)."""
        offset = checks.finite_array(type(self).__name__, "point", point, "m", last=2) - np.asarray(self.centre)
        return _wrapped(np.arctan2(offset[..., 1], offset[..., 0]) - self.rest)

    def torque(self, force: ArrayLike, angle: ArrayLike) -> Array:
        """Torque about the centre [N·m], + to the left, of a force on the handle [N], shape (…, 2), at that angle."""
        return self._turning(checks.finite_array(type(self).__name__, "force", force, "N", last=2), angle)

    def _turning(self, push: Array, angle: ArrayLike) -> Array:
        """The same for what a sensor reads: a fault passes on, and is told by who reads."""
        arm = self.point(angle) - np.asarray(self.centre)
        return np.asarray(arm[..., 0] * push[..., 1] - arm[..., 1] * push[..., 0])

    def joints(self, angle: ArrayLike) -> Array:
        """Joint angles [rad], shape (…, 2), at an angle of the wheel [rad]."""
        return self.arm.joints(self.point(angle))

    def joint_torques(self, torque: ArrayLike, angle: ArrayLike) -> Array:
        """Joint torques [N·m], shape (…, 2), that make the handle push along the arc as a torque [N·m] would."""
        given = checks.finite_array(type(self).__name__, "torque", torque, "N·m")
        arm = self.point(angle) - np.asarray(self.centre)
        along = np.stack([-arm[..., 1], arm[..., 0]], axis=-1) / self.radius**2
        return self.arm.torques(self.joints(angle), given[..., np.newaxis] * along)

    def _on_circle(self, angle: Array) -> Array:
        direction = np.stack([np.cos(self.rest + angle), np.sin(self.rest + angle)], axis=-1)
        return np.asarray(self.centre) + self.radius * direction


class ArcWheel:
    """A two-axis admittance device (force in, position out) made into a one-axis wheel by leading it along an arc.

    It has the members of an `AdmittanceDevice`: torque in [N·m], angle out [rad].

    Args:
        device: the arm with its force sensor; positions and forces in the arc's x and y.
        arc: the path.
        angle: of the wheel at the start [rad], where the device must stand.

    Example:
        >>> from tegotae.device import AdmittanceTwin, Hand, hold
        >>> from tegotae.steering.arc import Arc, ArcWheel, ParallelLink
        >>> arc = Arc(arm=ParallelLink(upper=0.4, fore=0.4), centre=(0.0, 0.35), radius=0.18, travel=1.0)
        >>> push = Hand(stiffness=0.0, damping=0.0, target=hold(arc.point(0.0)), push=hold([-10.0, 3.0]))
        >>> arm = AdmittanceTwin(bandwidth=50.0, dimension=2).start(hand=push, period=1e-3)
        >>> ArcWheel(arm, arc).read().round(12).tolist()
        [1.8]
    """

    causality: ClassVar[Literal["admittance"]] = "admittance"
    dimension: ClassVar[int] = 1

    def __init__(self, device: AdmittanceDevice, arc: Arc, *, angle: float = 0.0):
        if getattr(device, "causality", None) != "admittance" or device.dimension != 2:
            problem = f"device={checks.shown(device)} is not a two-axis admittance device."
            checks.refuse("ArcWheel", problem, "Give one with 2 axes.")
        self.device, self.arc = device, checks.instance("ArcWheel", "arc", arc, Arc, "Give an Arc(...).")
        angle = checks.number("ArcWheel", "angle", angle, "rad")
        arc.point(angle)  # refused beyond the travel
        self._angle = float(angle)

    @property
    def period(self) -> float | None:
        """The device's own tick [s]."""
        return self.device.period

    def read(self) -> Array:
        """Torque of the hand about the centre [N·m], shape (1,); the part of the force along the arm does nothing."""
        force = np.asarray(self.device.read(), dtype=np.float64)
        return np.atleast_1d(self.arc._turning(force, self._angle))

    def command(self, angle: ArrayLike) -> None:
        """Lead the handle to an angle [rad], shape (1,)."""
        wanted = float(checks.vector("ArcWheel", "angle", angle, "rad", 1)[0])
        self.device.command(self.arc.point(wanted))
        self._angle = wanted

    def stop(self) -> None:
        """Whatever the device does to stop."""
        self.device.stop()


def _wrapped(angle: ArrayLike) -> Array:
    """The same direction between -pi and pi."""
    return np.asarray(np.arctan2(np.sin(angle), np.cos(angle)))
