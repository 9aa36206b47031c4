"""The six-arm parallel table: where its plate is, how its arms stand, how stiff it feels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.parameters import Declared, Parameter
from tegotae.table import limits
from tegotae.table.kernels import hexa as kernels
from tegotae.table.limits import Margins, Workspace, pose_of


@dataclass(frozen=True, kw_only=True)
class Hexa(Declared):
    """A HEXA: six arms on a base, six rods, one plate.  [tarao1999, Fig. 7]

    Three pairs of arms stand at 0, 120 and 240 degrees around z, which points up; the plate hangs below the base.
    The two arms of a pair turn in parallel upright planes. An arm's angle is 0 when it points horizontally outward and
    grows downward. A rod's ball joints turn freely about the direction of its motor's axis; their tilt is counted from
    the plane across that direction, in the arm and in the plate. Poses are those of the centre of the plate's joints.

    Methods take a pose as the position of that centre [m] and the plate's rotation, 3 x 3 [-], level unless given.

    Example:
        >>> import numpy as np
        >>> from tegotae.table import Hexa
        >>> table = Hexa.default()
        >>> float(np.degrees(table.inverse((0.0, 0.0, -0.47)))[0].round(3))
        25.59
        >>> np.diag(table.stiffness((0.0, 0.0, -0.47), np.eye(3), 200.0)).round(1)
        array([ 5138.3,  5138.3, 11323. ,   141.5,   141.5,   223.1])
    """

    base_radius: Annotated[float, Parameter("[m], > 0, distance of a pair's axis from the centre")]
    base_spacing: Annotated[float, Parameter("[m], >= 0, half the distance between the arms of a pair")]
    arm_length: Annotated[float, Parameter("L1 [m], > 0")]
    rod_length: Annotated[float, Parameter("L2 [m], > 0")]
    plate_radius: Annotated[float, Parameter("[m], > 0, distance of a pair's joints' line from the plate's centre")]
    plate_spacing: Annotated[float, Parameter("[m], >= 0, half the distance between the joints of a pair on the plate")]
    home_height: Annotated[float, Parameter("[m], < 0, z of the plate at home", "The plate hangs below the base.")]
    arm_range: Annotated[
        tuple[float, float], Parameter("[rad], the smallest and the largest angle of an arm, within -pi and pi")
    ] = (-math.pi / 3.0, math.pi / 2.0)
    rod_tilt: Annotated[float, Parameter("[rad], > 0, the largest tilt of a ball joint")] = math.pi / 4.0
    margin: Annotated[float, Parameter("[-], > 0, the smallest measure of singularity accepted; see `Margins`")] = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        if not -math.pi <= self.arm_range[0] < self.arm_range[1] <= math.pi:
            checks.refuse("Hexa", f"arm_range={self.arm_range} rad.", "Give (lowest, highest) within -pi and pi.")
        if problem := limits.problem(self, *self.home):
            checks.refuse("Hexa", f"at home, {problem}.", "Change home_height, lengths, arm_range, rod_tilt or margin.")

    @classmethod
    def default(cls) -> Hexa:
        """A well conditioned table of the paper's size; tarao1999 prints no dimensions.

        Example:
            >>> Hexa.default().rod_length
            0.5
        """
        return cls(
            base_radius=0.20,
            base_spacing=0.05,
            arm_length=0.25,
            rod_length=0.50,
            plate_radius=0.09,
            plate_spacing=0.13,
            home_height=-0.47,
        )

    @property
    def home(self) -> tuple[Array, Array]:
        """Position [m] and rotation of the plate at home."""
        return np.array([0.0, 0.0, float(self.home_height)]), np.eye(3)

    @cached_property
    def geometry(self) -> Array:
        """One row an arm, as the kernels read it: axis (3), plane (2), plate's joint (3), L1, L2 [m]."""
        rows = np.zeros((6, 10))
        for i in range(6):
            angle, side = 2.0 * math.pi / 3.0 * (i // 2), -1.0 if i % 2 == 0 else 1.0
            out, along = np.array([math.cos(angle), math.sin(angle)]), np.array([-math.sin(angle), math.cos(angle)])
            rows[i, 0:2] = self.base_radius * out + side * self.base_spacing * along
            rows[i, 3:5] = out
            rows[i, 5:7] = self.plate_radius * out + side * self.plate_spacing * along
            rows[i, 8:10] = self.arm_length, self.rod_length
        return rows

    @cached_property
    def home_sign(self) -> float:
        """The sign of the plate's determinant at home, against which other poses are judged."""
        return math.copysign(1.0, float(limits.limit_values(self, *self.home, sign=1.0)[1]))

    @property
    def joint_radius(self) -> float:
        """Distance of the plate's joints from its centre [m]."""
        return math.hypot(self.plate_radius, self.plate_spacing)

    def _arms(self, position: ArrayLike, rotation: ArrayLike | None) -> tuple[Array, Array]:
        """Angles, and what the kernel knows of the rods, at a pose that the table can take."""
        p, R = pose_of("Hexa", position, rotation)
        if found := limits.problem(self, p, R):
            limits.refuse(self, p, R, found)
        angles, rods = np.zeros(6), np.zeros((6, 13))
        kernels.inverse(self.geometry, p, R, angles, rods)
        return angles, rods

    def inverse(self, position: ArrayLike, rotation: ArrayLike | None = None) -> Array:
        """The six arm angles [rad] at a pose of the plate, in closed form.

        Example:
            >>> Hexa.default().inverse((0.05, 0.0, -0.45)).round(4)
            array([0.2429, 0.2429, 0.4991, 0.4392, 0.4392, 0.4991])
        """
        return self._arms(position, rotation)[0]

    def forward(self, angles: ArrayLike, *, guess: tuple[ArrayLike, ArrayLike] | None = None) -> tuple[Array, Array]:
        """Position [m] and rotation of the plate at six arm angles, by Newton's method.

        Args:
            angles: of the arms [rad].
            guess: (position, rotation) [m, -] to start from, such as the last pose; else level, as all arms alike.

        Example:
            >>> table = Hexa.default()
            >>> position, rotation = table.forward(table.inverse((0.05, 0.0, -0.45)))
            >>> position.round(12) + 0.0
            array([ 0.05,  0.  , -0.45])
        """
        theta = checks.vector("Hexa", "angles", angles, "rad", 6)
        if guess is not None and (not isinstance(guess, Sequence) or len(guess) != 2 or isinstance(guess, str | bytes)):
            checks.refuse("Hexa", f"guess={checks.shown(guess)} is not a pose.", "Give (position, rotation).")
        p, R = self._level(float(theta.mean())) if guess is None else pose_of("Hexa", *guess)
        p, R = p.copy(), R.copy()
        steps = kernels.pose_at(self.geometry, np.ascontiguousarray(theta), p, R)
        listed = ", ".join(f"{x:.4g}" for x in np.degrees(theta))
        if steps < 0:
            checks.refuse("Hexa", f"no pose was found for angles ({listed}) deg.", "Give a guess near the pose.")
        back = np.zeros(6)
        unreachable = kernels.inverse(self.geometry, p, R, back, np.zeros((6, 13))) >= 0
        if unreachable or np.abs(back - theta).max() > 1e-6:
            at = "the elbows of some arms point the other way"
            checks.refuse("Hexa", f"angles ({listed}) deg: {at}.", "Give angles that `inverse` gives for some pose.")
        if problem := limits.problem(self, p, R):
            checks.refuse("Hexa", f"angles ({listed}) deg: {problem}.", "Give angles of a pose inside the workspace.")
        return p, R

    def _level(self, angle: float) -> tuple[Array, Array]:
        """The level pose with all arms at one angle; home if there is none."""
        out = self.base_radius + self.arm_length * math.cos(angle) - self.plate_radius
        left = self.rod_length**2 - out**2 - (self.base_spacing - self.plate_spacing) ** 2
        if left <= 0.0:
            return self.home
        return np.array([0.0, 0.0, -self.arm_length * math.sin(angle) - math.sqrt(left)]), np.eye(3)

    def inverse_jacobian(self, position: ArrayLike, rotation: ArrayLike | None = None) -> Array:
        """J^-1 (6 x 6): arm rates [rad/s] from the plate's velocity [m/s] and angular velocity [rad/s], in the world.

        Example:
            >>> Hexa.default().inverse_jacobian((0.0, 0.0, -0.47))[:, 2].round(3)
            array([-3.072, -3.072, -3.072, -3.072, -3.072, -3.072])
        """
        _, rods = self._arms(position, rotation)
        b, n = rods[:, 0:3], rods[:, 3:6]
        return np.hstack([n, np.cross(b, n)]) / rods[:, 12:13]

    def jacobian(self, position: ArrayLike, rotation: ArrayLike | None = None) -> Array:
        """J (6 x 6): the plate's velocity and angular velocity from the arm rates, dp = J dtheta.  [tarao1999 (12)]

        Example:
            >>> Hexa.default().jacobian((0.0, 0.0, -0.47))[2].round(4)
            array([-0.0543, -0.0543, -0.0543, -0.0543, -0.0543, -0.0543])
        """
        return np.asarray(np.linalg.inv(self.inverse_jacobian(position, rotation)))

    def stiffness(self, position: ArrayLike, rotation: ArrayLike | None, kp: ArrayLike) -> Array:
        """What the held plate resists with, J^-T Kp J^-1 (6 x 6) [N/m, N/rad, N·m/rad].  [tarao1999 (15)]

        Args:
            position: of the plate's centre [m].
            rotation: of the plate, 3 x 3 [-]; None for level.
            kp: stiffness of each motor's servo, one number or six [N·m/rad].

        Example:
            >>> round(float(Hexa.default().stiffness((0.0, 0.0, -0.47), None, 400.0)[2, 2]), 1)
            22646.1
        """
        gains = checks.values("Hexa", "kp", kp, "N·m/rad", "Give one number >= 0, or six.")
        if gains.size not in (1, 6):
            checks.refuse(
                "Hexa", f"kp has {gains.size} numbers.", "Give one number, or one for each of the six motors."
            )
        W = self.inverse_jacobian(position, rotation)
        return np.asarray(W.T @ (gains[:, None] * W))

    def margins(self, position: ArrayLike, rotation: ArrayLike | None = None) -> Margins:
        """How far a pose is from singularities and limits; only a pose that no arms reach is refused.

        Example:
            >>> round(Hexa.default().margins((0.0, 0.0, -0.47)).tilt, 4)
            0.1607
        """
        p, R = pose_of("Hexa", position, rotation)
        arms, plate, low, high, tilt = (float(x) for x in limits.limit_values(self, p, R))
        if math.isnan(arms):
            limits.refuse(self, p, R, limits.problem(self, p, R))
        return Margins(plate=plate, arms=arms, lowest=low, highest=high, tilt=tilt)

    def reaches(self, position: ArrayLike, rotation: ArrayLike | None = None) -> bool:
        """Whether the table can take a pose, all limits kept.

        Example:
            >>> Hexa.default().reaches((0.0, 0.0, -0.47)), Hexa.default().reaches((0.0, 0.0, -0.9))
            (True, False)
        """
        return not limits.problem(self, *pose_of("Hexa", position, rotation))

    def workspace(
        self,
        *,
        x: Sequence[float] | Array,
        y: Sequence[float] | Array,
        z: Sequence[float] | Array,
        rotation: ArrayLike | None = None,
    ) -> Workspace:
        """The map of a box of places: which can be taken, and how far from a singularity each is.

        Args:
            x: places along x [m].
            y: places along y [m].
            z: places along z [m].
            rotation: of the plate everywhere, 3 x 3 [-]; level unless given.

        Example:
            >>> import numpy as np
            >>> map_ = Hexa.default().workspace(x=np.linspace(-0.6, 0.6, 7), y=[0.0], z=[-0.5, -0.45])
            >>> map_.reachable.shape, int(map_.reachable.sum())
            ((7, 1, 2), 6)
        """
        axes = [
            checks.values("Hexa", n, v, "m", "Give finite places.", -math.inf)
            for n, v in zip("xyz", (x, y, z), strict=True)
        ]
        _, R = pose_of("Hexa", (0.0, 0.0, 0.0), rotation)
        places = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
        seen = limits.limit_values(self, places.reshape(-1, 3), R).reshape(*places.shape[:3], 5)
        return Workspace(table=self, x=axes[0], y=axes[1], z=axes[2], rotation=R, seen=seen)
