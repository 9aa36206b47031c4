"""The table's mechanism: its bodies, and at a pose its inertia, its energy and what a contact feels of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.parameters import Declared, Parameter
from tegotae.rotations import quaternion_of, rotation_about
from tegotae.table.hexa import Hexa
from tegotae.table.kernels import dynamics
from tegotae.table.limits import pose_of
from tegotae.table.parts import ArmServo
from tegotae.table.plant_layout import MECHANISM, MECHANISM_WORKSPACE, numbers_of, room_of


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
            listed = ", ".join(f"{x:.4g}" for x in principal)
            problem = f"no body has the principal inertias {listed} kg·m2."
            checks.refuse("TableBody", problem, "Each must be >= 0 and at most the sum of the other two.")

    @cached_property
    def tensor(self) -> Array:
        """Inertia about the centre of mass, 3 x 3 [kg·m2]."""
        return np.array(self.inertia, dtype=np.float64)

    def about_joints(self) -> tuple[float, Array, Array]:
        """Mass [kg], first moment [kg·m], inertia about the centre of the plate's joints [kg·m2]."""
        c = np.asarray(self.center, dtype=np.float64)
        return self.mass, self.mass * c, self.tensor + self.mass * (float(c @ c) * np.eye(3) - np.outer(c, c))


@dataclass(frozen=True, kw_only=True, eq=False)
class Mechanism(Declared):
    """Arms, rods and plate of a `HexaPlant`, and what is known of them at a pose."""

    table: Annotated[Hexa, Parameter("its geometry")]
    servo: Annotated[ArmServo, Parameter("of the motors")]
    plate: Annotated[TableBody, Parameter("mass and inertia of the plate")]
    arm_inertia: Annotated[float, Parameter("[kg·m2], > 0, of one arm and its rotor about the motor's axis")]
    arm_moment: Annotated[
        float, Parameter("[kg·m], >= 0, mass of an arm times the distance of its centre of mass from the axis")
    ] = 0.0
    rod_mass: Annotated[float, Parameter("[kg], >= 0, of one rod")] = 0.0
    payload: Annotated[TableBody | None, Parameter("what the plate carries, such as a probe; None for nothing")] = None
    gravity: Annotated[float, Parameter("[m/s2], >= 0, along -z; 0 for none")] = 9.81

    @cached_property
    def masses(self) -> dict[str, ArrayLike]:
        """What the kernels read, by the names of `plant_layout.MECHANISM`."""
        joints = self.table.geometry[:, 5:8]
        end = self.rod_mass / 6.0
        m, mc, inertia = self.plate.about_joints()
        mass, first = m + 6.0 * end, mc + end * joints.sum(axis=0)
        total = inertia + end * (float((joints**2).sum()) * np.eye(3) - joints.T @ joints)
        if self.payload is not None:
            m, mc, inertia = self.payload.about_joints()
            mass, first, total = mass + m, first + mc, total + inertia
        L1 = self.table.arm_length
        return {
            "geometry": self.table.geometry,
            "mass": mass,
            "first_moment": first,
            "inertia": total,
            "arm_inertia": self.arm_inertia + end * L1**2,
            "arm_moment": self.arm_moment + end * L1,
            "middle_mass": 4.0 * end,
            "gravity": self.gravity,
        }

    def _terms(
        self, position: ArrayLike, rotation: ArrayLike | None, twist: ArrayLike = (0.0,) * 6
    ) -> tuple[Array, Array, Array]:
        """M, h and J^-1 at a pose and a twist."""
        p, R = pose_of("HexaPlant", position, rotation)
        self.table.inverse(p, R)
        y = np.concatenate([p, quaternion_of(R), twist])
        found = room_of(MECHANISM_WORKSPACE)
        dynamics.terms(numbers_of(MECHANISM, self.masses), y, found)
        return found.M, found.h, found.W

    def mass_matrix(self, position: ArrayLike, rotation: ArrayLike | None = None) -> Array:
        """The inertia that the plate shows (6 x 6) [kg, kg·m, kg·m2]: its own, the rods' and J^-T I J^-1 of the arms.

        Example:
            >>> from tegotae.table import HexaPlant
            >>> round(float(HexaPlant.default().mass_matrix((0.0, 0.0, -0.47))[2, 2]), 3)
            2.319
        """
        return self._terms(position, rotation)[0]

    def energy(self, position: ArrayLike, rotation: ArrayLike | None, twist: ArrayLike) -> tuple[float, float]:
        """Kinetic and potential energy [J] of plate, rods and arms; heights are counted from the base.

        Args:
            position: of the plate's centre [m].
            rotation: of the plate, 3 x 3 [-]; None for level.
            twist: velocity [m/s] and angular velocity [rad/s] of the plate.

        Example:
            >>> from tegotae.table import HexaPlant
            >>> kinetic, _ = HexaPlant.default().energy((0.0, 0.0, -0.47), None, (0.0, 0.0, 0.1, 0.0, 0.0, 0.0))
            >>> round(kinetic, 5)
            0.0116
        """
        p, R = pose_of("HexaPlant", position, rotation)
        V = checks.vector("HexaPlant", "twist", twist, "m/s, rad/s", 6)
        kinetic = 0.5 * float(V @ self.mass_matrix(p, R) @ V)
        B, G = {name: np.asarray(value) for name, value in self.masses.items()}, self.table.geometry
        angles = self.table.inverse(p, R)
        ends = -G[:, 8] * np.sin(angles)
        middles = 0.5 * (ends + (p + G[:, 5:8] @ R.T)[:, 2])
        arms = -B["arm_moment"] * np.sin(angles)
        rods = float(B["middle_mass"]) * float(middles.sum())
        height = float(B["mass"]) * float(p[2]) + float((R @ B["first_moment"])[2]) + float(arms.sum()) + rods
        return kinetic, self.gravity * height

    def impedance(self, position: ArrayLike, rotation: ArrayLike | None = None) -> tuple[Array, Array, Array]:
        """M, D, K (6 x 6) that a contact feels, (10) of tarao1999, of the servo without sampling: J^-T Kd J^-1, (15).

        Example:
            >>> from tegotae.table import HexaPlant
            >>> M, D, K = HexaPlant.default().impedance((0.0, 0.0, -0.47))
            >>> round(float(D[2, 2] / 2 / (K[2, 2] * M[2, 2]) ** 0.5), 3)  # share of critical damping along z
            0.692
        """
        M, _, W = self._terms(position, rotation)
        return M, np.asarray(W.T * self.servo.kd @ W), np.asarray(W.T * self.servo.kp @ W)

    def weight_stiffness(self, position: ArrayLike, rotation: ArrayLike | None = None) -> Array:
        """What carrying weight adds to (15): motors that hold a load push in other directions once the plate moves.

        Example:
            >>> from tegotae.table import HexaPlant
            >>> round(float(HexaPlant.default().weight_stiffness((0.0, 0.0, -0.47))[0, 0]), 1)  # N/m
            27.6
        """
        p, R = pose_of("HexaPlant", position, rotation)
        _, weight, W = self._terms(p, R)
        torque = np.linalg.solve(W.T, weight)  # fed forward or by sagging: the motors hold it either way
        step, found = 1e-5, np.zeros((6, 6))
        for k in range(6):
            for side in (-1.0, 1.0):
                d = np.zeros(6)
                d[k] = side * step
                _, h, w = self._terms(p + d[:3], rotation_about(d[3:]) @ R)
                found[:, k] += side * (h - w.T @ torque) / (2.0 * step)
        return found

    def felt_impedance(self, position: ArrayLike, rotation: ArrayLike | None = None) -> tuple[Array, Array, Array]:
        """M, D, K of `impedance` with what sampling and weight do to them, for motion slow against the period T.

        The torque answers T/2 late on the angle and T late on its rate, so that to second order in frequency
        D loses K T/2, and M loses D T and gains K T^2/6. K gains `weight_stiffness`.

        Example:
            >>> from tegotae.table import HexaPlant
            >>> plant = HexaPlant.default()
            >>> plain, felt = plant.impedance((0.0, 0.0, -0.47)), plant.felt_impedance((0.0, 0.0, -0.47))
            >>> [round(float(f[2, 2] / p[2, 2]), 3) for f, p in zip(felt, plain)]
            [0.81, 0.949, 1.001]
        """
        M, D, K = self.impedance(position, rotation)
        T = self.servo.period
        return M - D * T + K * T * T / 6.0, D - 0.5 * T * K, K + self.weight_stiffness(position, rotation)
