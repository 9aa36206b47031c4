"""What a table is fitted with: the servo of its motors, its force sensor, a surface that its probe meets.

The servo is that of [tarao1999, Fig. 11 and (14)]. The force/torque sensor has strain gauges, a calibration matrix, a
tare, a filter, noise, delay and limits.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.contact import ContactDamping, ContactStiffness, FrictionCoefficient
from tegotae.parameters import Declared, Parameter, Period, Seed
from tegotae.result import Result, Variable
from tegotae.rotations import rotation_of
from tegotae.table.kernels import sensor as kernels
from tegotae.table.plant_layout import SENSOR, SENSOR_STATE, SERVO, numbers_of, room_of


def _six(owner: str, name: str, value: ArrayLike, finite: bool = True, unit: str = "") -> Array:
    remedy = "Give one number, or six."
    given = checks.numbers(owner, name, value, remedy)
    if given.shape not in ((1,), (6,)):
        checks.refuse(owner, f"{name} has shape {given.shape}.", remedy)
    if finite:
        checks.finite(owner, name, given, unit)
    return np.broadcast_to(given, (6,)).copy()


@dataclass(frozen=True, kw_only=True, eq=False)
class ArmServo(Declared):
    """PD on every arm's angle, sampled: torque = Kp (reference - angle) + Kd (its rate - the angle's rate) + weight.

    Rates are differences of one period, as a controller with encoders takes them; the torque is held over the period.

    Example:
        >>> from tegotae.table import ArmServo
        >>> ArmServo(stiffness=200.0, damping=4.0).kd[0]
        np.float64(4.0)
    """

    stiffness: Annotated[
        ArrayLike,
        Parameter(
            "[N·m/rad], > 0, Kp of the motors, one or six",
            "Give one number > 0, or six.",
            accept=partial(_six, unit="N·m/rad"),
        ),
    ]
    damping: Annotated[
        ArrayLike,
        Parameter(
            "[N·m·s/rad], >= 0, Kd of the motors, one or six",
            "Give one number >= 0, or six.",
            accept=partial(_six, unit="N·m·s/rad"),
        ),
    ]
    limit: Annotated[
        ArrayLike,
        Parameter(
            "[N·m], >= 0, largest torque of the motors, one or six",
            "Give one number >= 0, or six.",
            accept=partial(_six, unit="N·m"),
        ),
    ] = 60.0
    period: Period = 2e-3
    resolution: Annotated[
        float, Parameter("[rad], >= 0, the step of the encoders; 655360 counts a turn unless given")
    ] = 2.0 * math.pi / 655360.0
    compensation: Annotated[
        float, Parameter("[-], 0 to 1, share of the weight at the commanded pose that is fed forward")
    ] = 1.0
    feedforward: Annotated[
        float,
        Parameter(
            "[-], 0 to 1, share of the reference's rate that the damping knows: 1 is (10) of tarao1999, 0 damps all"
        ),
    ] = 1.0
    feedforward_in_contact: Annotated[
        float | None,
        Parameter(
            "[-], 0 to 1, of the rate while the sensor reads a force beyond `contact_threshold`; as `feedforward` "
            "unless given. With the rate fed forward a stiff contact is felt as K d + D d' of the commanded depth "
            "d, without it as K d: the first takes energy out, the second does not"
        ),
    ] = None
    contact_threshold: Annotated[
        float,
        Parameter("[N], >= 0, force read in the last period, as the sensor tares it, beyond which there is contact"),
    ] = 0.5

    @property
    def kp(self) -> Array:
        """Six stiffnesses [N·m/rad]."""
        return np.asarray(self.stiffness)

    @property
    def kd(self) -> Array:
        """Six dampings [N·m·s/rad]."""
        return np.asarray(self.damping)

    @property
    def values(self) -> dict[str, ArrayLike]:
        """What the kernels read, by the names of `plant_layout.SERVO`."""
        found = {part.name: getattr(self, part.name) for part in SERVO.parts()}
        if self.feedforward_in_contact is None:
            found["feedforward_in_contact"] = self.feedforward
        return found

    def slowest_decay(self, W: Array, M: Array) -> float:
        """Largest magnitude of the eigenvalues of one sampled period about a pose [-]: below 1 it settles.

        W is the inverse Jacobian there [rad/m, rad/rad], M the plate's inertia as felt there [kg, kg·m, kg·m2].
        """
        T, E, none = float(self.period), np.eye(6), np.zeros((6, 6))
        push = -np.linalg.solve(M, W.T * self.kp @ W), -np.linalg.solve(M, W.T * self.kd @ W) / T
        # state: x, v, x one period ago; the torque is held, so the motion within a period is a parabola
        now, before = push[0] + push[1], -push[1]
        step = np.block(
            [
                [E + 0.5 * T * T * now, T * E, 0.5 * T * T * before],
                [T * now, E, T * before],
                [E, none, none],
            ]
        )
        return float(np.abs(np.linalg.eigvals(step)).max())


def ideal_calibration() -> Array:
    """A thousandth of strain at 100 N and at 10 N·m, axes apart.

    Example:
        >>> ideal_calibration().diagonal()
        array([100000., 100000., 100000.,  10000.,  10000.,  10000.])
    """
    return np.diag([1e5, 1e5, 1e5, 1e4, 1e4, 1e4])


def _square(owner: str, name: str, value: ArrayLike) -> Array:
    matrix = checks.array(owner, name, value, "", "Give a 6 x 6 matrix.")
    if matrix.shape != (6, 6):
        checks.refuse(owner, f"{name} has shape {matrix.shape}.", "Give a 6 x 6 matrix.")
    checks.finite(owner, name, matrix, "")
    return matrix


def _invertible(owner: str, name: str, value: ArrayLike) -> Array:
    matrix = _square(owner, name, value)
    condition = np.linalg.cond(matrix)
    if not condition <= 1e12:
        problem = f"{name} is singular: its condition number is {condition:.3g}."
        checks.refuse(owner, problem, "Give a matrix measured with loads along all six axes.")
    return matrix


def _cutoff(owner: str, name: str, value: float) -> float:
    if not (checks.is_real(value) and value > 0.0):
        checks.refuse(owner, f"{name}={checks.shown(value)} Hz must be > 0.", "Give a frequency in Hz, or math.inf.")
    return float(value)


@dataclass(frozen=True, kw_only=True, eq=False)
class ForceSensor(Declared):
    """A six-axis sensor that reads strain: wrench = calibration (strain - tare).

    What it reads is filtered by a low pass of first order, then late by whole samples. A load beyond a limit is cut off
    there and counted as an overload.

    Example:
        >>> from tegotae.table import ForceSensor
        >>> sensor = ForceSensor(delay=2)
        >>> sensor.read([[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]] * 4, period=2e-3).wrench[:, 0]
        array([0., 0., 1., 1.])
    """

    calibration: Annotated[
        ArrayLike, Parameter("[N, N·m], from strain to force and torque, 6 x 6", accept=_invertible)
    ] = dataclasses.field(default_factory=ideal_calibration)
    sensitivity: Annotated[
        ArrayLike | None,
        Parameter(
            "[-], the strain, 6 x 6, that a unit of force and torque truly makes; the inverse of the calibration "
            "unless given, so that a calibration in error can be studied",
            accept=_square,
        ),
    ] = None
    tare: Annotated[ArrayLike, Parameter("[-], the six strains taken for zero", accept=_six)] = 0.0
    load: Annotated[
        ArrayLike, Parameter("[N, N·m], wrench that always weighs on it, such as the part that it carries", accept=_six)
    ] = 0.0
    cutoff: Annotated[float, Parameter("[Hz], > 0, of the low pass; infinite for none", accept=_cutoff)] = math.inf
    noise: Annotated[
        ArrayLike,
        Parameter(
            "[-], >= 0, standard deviation of each strain a sample, before the filter; one number or six", accept=_six
        ),
    ] = 0.0
    delay: Annotated[int, Parameter(">= 0, the delay in samples")] = 0
    limit: Annotated[
        ArrayLike,
        Parameter(
            "[N, N·m], > 0, largest force (three axes) and torque (three axes); infinite for none",
            accept=partial(_six, finite=False),
        ),
    ] = math.inf
    seed: Seed = 0

    @cached_property
    def strain_of_wrench(self) -> Array:
        """6 x 6, the strains of unit wrenches."""
        sensitivity = self.sensitivity
        return np.asarray(np.linalg.inv(np.asarray(self.calibration)) if sensitivity is None else sensitivity)

    @property
    def values(self) -> dict[str, ArrayLike]:
        """What the kernels read, by the names of `plant_layout.SENSOR`."""
        names = ("calibration", "tare", "noise", "load", "limit", "cutoff")
        return {"sensitivity": self.strain_of_wrench, **{name: getattr(self, name) for name in names}}

    @property
    def settled(self) -> Array:
        """Strains under its load alone [-]."""
        limit = np.asarray(self.limit)
        return np.asarray(self.strain_of_wrench @ np.clip(np.asarray(self.load), -limit, limit))

    @property
    def rest(self) -> dict[str, ArrayLike]:
        """What it remembers when it has settled, by the names of `plant_layout.SENSOR_STATE`."""
        strain = self.settled
        return {"strain": strain, "late": np.tile(strain, (self.delay, 1)), "place": 0, "chance": self.seed}

    def tared(self) -> ForceSensor:
        """The same sensor, its present load taken for zero.

        Example:
            >>> sensor = ForceSensor(load=(0.0, 0.0, -2.83, 0.0, 0.0, 0.0)).tared()
            >>> abs(sensor.read([[0.0] * 6], period=2e-3).wrench).max() < 1e-12
            np.True_
        """
        return dataclasses.replace(self, tare=tuple(self.settled))

    def read(self, wrenches: ArrayLike, *, period: float) -> Result:
        """What the sensor says of a whole record.

        Args:
            wrenches: force [N] and torque [N·m] at every sample, shape (ticks, 6).
            period: between samples [s].

        Example:
            >>> ForceSensor(limit=(5.0,) * 6).read([[9.0, 0.0, 0.0, 0.0, 0.0, 0.0]], period=2e-3).overload
            array([1])
        """
        T = checks.period_of("ForceSensor", period)
        F = checks.signal("ForceSensor", "wrenches", wrenches, "N, N·m", 6)
        signal, out, over = np.zeros_like(F), np.zeros_like(F), np.zeros(F.shape[0], dtype=np.int64)
        p, s = numbers_of(SENSOR, self.values), room_of(SENSOR_STATE, self.rest, int(self.delay))
        kernels.read(p, s, F, T, signal, out, over)
        return Result(
            {
                "time": Variable(("time",), T * np.arange(1, F.shape[0] + 1), "s", "of each sample"),
                "wrench": Variable(("time", "axis"), out, "N, N·m", "as read"),
                "signal": Variable(("time", "axis"), signal, "", "strains, before tare and calibration"),
                "overload": Variable(("time",), over, "", "axes beyond their limit"),
            },
            title="ForceSensor",
        )


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
            problem = f"M={checks.shown(M)} is not an inertia."
            checks.refuse("ProbedSurface", problem, "Give 6 x 6 numbers that can be inverted.")
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
