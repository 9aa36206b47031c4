"""The simulated twin of the motion table: mechanism, servo and force sensor, stepped as the real one is."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache, cached_property
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.compile import build
from tegotae.errors import TegotaeError
from tegotae.result import Result
from tegotae.table.hexa import Hexa
from tegotae.table.loads import Load
from tegotae.table.poses import pose_of, rotation_about
from tegotae.table.records import commands_of, result_of
from tegotae.table.sensor import ForceSensor
from tegotae.table.servo import Servo
from tegotae.table.surface import NONE, Surface, refuse_too_stiff

if TYPE_CHECKING:
    from tegotae.table.live import LiveTable

_SOURCE = """
@entry
def march(G, B, C, V, S, z, s, r, commands, F, T, n, lower, upper, o, out):
    return march_ticks(G, B, C, V, S, z, s, r, commands, F, T, n, lower, upper, o, out)

@entry
def terms(G, B, y, o):
    return terms_at(G, B, y, o)
"""

# Why a run cannot go on, by the kernel's number.
WHY = {
    1: "the plate was pushed out of the workspace",
    2: "an arm was pushed past its range",
    3: "no pose of the plate fits the encoders",
    4: "the commanded pose is out of reach",
}


@cache
def module() -> ModuleType:
    """The compiled loop: one tick is a march of one."""
    from tegotae.table.kernels import dynamics, plant

    return build(_SOURCE, (("march_ticks", plant.march), ("terms_at", dynamics.terms)))


@dataclass(frozen=True, kw_only=True, eq=False)
class HexaPlant:
    """Mechanism, servo and sensor of a table: pose commands and a wrench on the plate in, motion and readings out.

    Arms turn rigidly, rods are slender and uniform (their mass is treated exactly), joints are without friction.
    Wrenches on the plate are force [N] and torque [N·m] about the centre of its joints, in the world's axes. The sensor
    reads the wrench that acts on the plate, as one on the fixed side of a contact does up to its sign.

    A surface acts within the period, at every stage of every step. The sensor samples at the end of the period; where
    there is a surface it reads the given wrench and the surface's together, about the tip of the probe.

    Args:
        table: its geometry.
        servo: of the motors.
        plate: mass and inertia of the plate.
        arm_inertia: of one arm and its rotor about the motor's axis [kg·m2], > 0.
        arm_moment: mass of an arm times the distance of its centre of mass from the axis [kg·m]; for its weight.
        rod_mass: of one rod [kg].
        payload: what the plate carries, such as a probe; None for nothing.
        sensor: of force and torque.
        gravity: [m/s2], along -z; 0 for none.
        substeps: steps of the mechanism's motion in a period of the servo: 2 are enough for the table alone; a stiff
            surface needs more, at least four in the time sqrt(m/k), and is refused with fewer.
        surface: that a probe on the plate meets; None for nothing.

    Example:
        >>> from tegotae.table import HexaPlant
        >>> plant = HexaPlant.default(kp=200.0)
        >>> push = [[0.0, 0.0, 10.0, 0.0, 0.0, 0.0]] * 1000
        >>> record = plant.run(wrenches=push)
        >>> round(10.0 / (record.position[-1, 2] + 0.47), -1)  # N/m; (15) says 11323 at home
        np.float64(11340.0)
    """

    table: Hexa
    servo: Servo
    plate: Load
    arm_inertia: float
    arm_moment: float = 0.0
    rod_mass: float = 0.0
    payload: Load | None = None
    sensor: ForceSensor = field(default_factory=ForceSensor)
    gravity: float = 9.81
    substeps: int = 2
    surface: Surface | None = None

    def __post_init__(self) -> None:
        for name, kind in (("table", Hexa), ("servo", Servo), ("plate", Load), ("sensor", ForceSensor)):
            checks.instance("HexaPlant", name, getattr(self, name), kind, f"Give {kind.__name__}(...).")
        if self.payload is not None and not isinstance(self.payload, Load):
            checks.refuse("HexaPlant", f"payload={checks.shown(self.payload)}.", "Give Load(...) or None.")
        checks.positive(
            "HexaPlant", "arm_inertia", self.arm_inertia, "kg·m2", "Arm and rotor together weigh something."
        )
        for name, unit in (("arm_moment", "kg·m"), ("rod_mass", "kg"), ("gravity", "m/s2")):
            checks.at_least_zero("HexaPlant", name, getattr(self, name), unit, "Give a number >= 0.")
        checks.whole("HexaPlant", "substeps", self.substeps, 1, "Give at least one step a period.")
        W, M = self.table.inverse_jacobian(*self.table.home), self.mass_matrix(*self.table.home)
        radius = self.servo.slowest_decay(W, M)
        if radius >= 1.0:
            checks.refuse(
                "HexaPlant",
                f"the sampled servo is unstable at home: its motion grows by {radius:.4g} a period.",
                f"Use a period shorter than {self.servo.period:g} s, or less stiffness or damping, or more inertia.",
            )
        if self.surface is not None:
            if not isinstance(self.surface, Surface):
                checks.refuse("HexaPlant", f"surface={checks.shown(self.surface)}.", "Give Surface(...) or None.")
            refuse_too_stiff(self.surface, M, self.table.home[1], self.servo.period, self.substeps)

    @classmethod
    def default(cls, *, kp: float = 200.0) -> HexaPlant:
        """A table of HEXA97's kind; tarao1999 prints neither masses nor Kd. Damping near 0.7 of critical along z.

        Args:
            kp: stiffness of the motors' servo [N·m/rad].

        Example:
            >>> HexaPlant.default(kp=800.0).servo.kp[0]
            np.float64(800.0)
        """
        kp = checks.positive("HexaPlant", "kp", kp, "N·m/rad", "Give the stiffness of the motors' servo.")
        return cls(
            table=Hexa.default(),
            servo=Servo(stiffness=kp, damping=1.4 * math.sqrt(0.04 * kp)),
            plate=Load(mass=0.8, inertia=(5.5e-3, 5.5e-3, 1.05e-2)),
            arm_inertia=0.022,
            arm_moment=0.05,
            rod_mass=0.06,
        )

    @cached_property
    def bodies(self) -> Array:
        """The vector B that the kernels read."""
        joints = self.table.geometry[:, 5:8]
        end = self.rod_mass / 6.0
        m, mc, inertia = self.plate.about_joints()
        mass, first = m + 6.0 * end, mc + end * joints.sum(axis=0)
        total = inertia + end * (float((joints**2).sum()) * np.eye(3) - joints.T @ joints)
        if self.payload is not None:
            m, mc, inertia = self.payload.about_joints()
            mass, first, total = mass + m, first + mc, total + inertia
        L1 = self.table.arm_length
        six = [total[0, 0], total[1, 1], total[2, 2], total[0, 1], total[0, 2], total[1, 2]]
        arm = [self.arm_inertia + end * L1**2, self.arm_moment + end * L1, 4.0 * end, self.gravity]
        return np.array([mass, *first, *six, *arm], dtype=np.float64)

    def _terms(self, position: ArrayLike, rotation: ArrayLike | None, twist: ArrayLike) -> tuple[Array, Array, Array]:
        """M, h and J^-1 at a pose and a twist."""
        from tegotae.table.kernels.dynamics import room

        p, R = pose_of("HexaPlant", position, rotation)
        self.table.inverse(p, R)
        y = state_of(p, R)[:13]
        y[7:] = _twist_of(twist)
        o = room()
        module().terms(self.table.geometry, self.bodies, y, o)
        return o.M, o.h, o.W

    def mass_matrix(self, position: ArrayLike, rotation: ArrayLike | None = None) -> Array:
        """The inertia that the plate shows (6 x 6) [kg, kg·m, kg·m2]: its own, the rods' and J^-T I J^-1 of the arms.

        Args:
            position: of the plate's centre [m].
            rotation: of the plate, 3 x 3 [-]; level unless given.

        Example:
            >>> round(float(HexaPlant.default().mass_matrix((0.0, 0.0, -0.47))[2, 2]), 3)
            2.319
        """
        return self._terms(position, rotation, np.zeros(6))[0]

    def energy(self, position: ArrayLike, rotation: ArrayLike | None, twist: ArrayLike) -> tuple[float, float]:
        """Kinetic and potential energy [J] of plate, rods and arms; heights are counted from the base.

        Args:
            position: of the plate's centre [m].
            rotation: of the plate, 3 x 3 [-]; None for level.
            twist: velocity [m/s] and angular velocity [rad/s] of the plate.

        Example:
            >>> kinetic, _ = HexaPlant.default().energy((0.0, 0.0, -0.47), None, (0.0, 0.0, 0.1, 0.0, 0.0, 0.0))
            >>> round(kinetic, 5)
            0.0116
        """
        p, R = pose_of("HexaPlant", position, rotation)
        V = _twist_of(twist)
        kinetic = 0.5 * float(V @ self.mass_matrix(p, R) @ V)
        B, G = self.bodies, self.table.geometry
        angles = self.table.inverse(p, R)
        ends = -G[:, 8] * np.sin(angles)
        middles = 0.5 * (ends + (p + G[:, 5:8] @ R.T)[:, 2])
        arms = -B[11] * np.sin(angles)
        height = B[0] * p[2] + float((R @ B[1:4])[2]) + float(arms.sum()) + B[12] * float(middles.sum())
        return kinetic, self.gravity * height

    def impedance(self, position: ArrayLike, rotation: ArrayLike | None = None) -> tuple[Array, Array, Array]:
        """M, D, K (6 x 6) that a contact feels, (10) of tarao1999, of the servo without sampling: J^-T Kd J^-1, (15).

        Args:
            position: of the plate's centre [m].
            rotation: of the plate, 3 x 3 [-]; level unless given.

        Example:
            >>> M, D, K = HexaPlant.default().impedance((0.0, 0.0, -0.47))
            >>> round(float(D[2, 2] / 2 / (K[2, 2] * M[2, 2]) ** 0.5), 3)  # share of critical damping along z
            0.692
        """
        M, _, W = self._terms(position, rotation, np.zeros(6))
        return M, np.asarray(W.T * self.servo.kd @ W), np.asarray(W.T * self.servo.kp @ W)

    def weight_stiffness(self, position: ArrayLike, rotation: ArrayLike | None = None) -> Array:
        """What carrying weight adds to (15): motors that hold a load push in other directions once the plate moves.

        Args:
            position: of the plate's centre [m].
            rotation: of the plate, 3 x 3 [-]; level unless given.

        Example:
            >>> round(float(HexaPlant.default().weight_stiffness((0.0, 0.0, -0.47))[0, 0]), 1)  # N/m
            27.6
        """
        p, R = pose_of("HexaPlant", position, rotation)
        _, weight, W = self._terms(p, R, np.zeros(6))
        torque = np.linalg.solve(W.T, weight)  # fed forward or by sagging: the motors hold it either way
        step, found = 1e-5, np.zeros((6, 6))
        for k in range(6):
            for side in (-1.0, 1.0):
                d = np.zeros(6)
                d[k] = side * step
                _, h, w = self._terms(p + d[:3], rotation_about(d[3:]) @ R, np.zeros(6))
                found[:, k] += side * (h - w.T @ torque) / (2.0 * step)
        return found

    def felt_impedance(self, position: ArrayLike, rotation: ArrayLike | None = None) -> tuple[Array, Array, Array]:
        """M, D, K of `impedance` with what sampling and weight do to them, for motion slow against the period T.

        The torque answers T/2 late on the angle and T late on its rate, so that to second order in frequency
        D loses K T/2, and M loses D T and gains K T^2/6. K gains `weight_stiffness`.

        Args:
            position: of the plate's centre [m].
            rotation: of the plate, 3 x 3 [-]; level unless given.

        Example:
            >>> plant = HexaPlant.default()
            >>> plain, felt = plant.impedance((0.0, 0.0, -0.47)), plant.felt_impedance((0.0, 0.0, -0.47))
            >>> [round(float(f[2, 2] / p[2, 2]), 3) for f, p in zip(felt, plain)]
            [0.81, 0.949, 1.001]
        """
        M, D, K = self.impedance(position, rotation)
        T = self.servo.period
        return M - D * T + K * T * T / 6.0, D - 0.5 * T * K, K + self.weight_stiffness(position, rotation)

    def start(self, position: ArrayLike | None = None, rotation: ArrayLike | None = None) -> LiveTable:
        """The table at rest at a pose, live; its kernels are warm when this returns.

        Args:
            position: of the plate's centre [m]; home unless given.
            rotation: of the plate, 3 x 3 [-]; level unless given.

        Example:
            >>> table = HexaPlant.default().start()
            >>> table.command((0.0, 0.0, -0.471))
            >>> for _ in range(500):
            ...     reading = table.step()
            >>> round(float(reading.position[2]), 4)
            -0.471
        """
        from tegotae.table.live import LiveTable

        return LiveTable(self, *self._starting(position, rotation))

    def _starting(self, position: ArrayLike | None, rotation: ArrayLike | None) -> tuple[Array, Array]:
        p, R = pose_of("HexaPlant", self.table.home[0] if position is None else position, rotation)
        self.table.inverse(p, R)
        return p, R

    def rest(self, position: Array, rotation: Array) -> Array:
        """The state of the plant at rest at a pose, commanded to stay."""
        from tegotae.table.kernels import plant as layout

        z = np.zeros(layout.STATE)
        y = state_of(position, rotation)
        z[:13] = y
        angles = self.table.inverse(position, rotation)
        step = self.servo.resolution
        seen = angles if step == 0.0 else step * np.floor(angles / step + 0.5)
        for place, value in ((layout.THETA, seen), (layout.BEFORE, seen), (layout.REFERENCE, angles)):
            z[place : place + 6] = value
        z[layout.LAST : layout.LAST + 6] = angles
        z[layout.SEEN : layout.SEEN + 12] = np.concatenate([position, rotation.ravel()])
        z[layout.SEEN_BEFORE : layout.SEEN_BEFORE + 12] = z[layout.SEEN : layout.SEEN + 12]
        z[layout.SIGNAL : layout.SIGNAL + 6] = self.sensor.state()[0][:6]
        if self.surface is not None:
            z[layout.ANCHOR : layout.ANCHOR + 2] = (position + rotation @ self.surface.tip)[:2]
        return z

    def run(
        self,
        positions: ArrayLike | None = None,
        rotations: ArrayLike | None = None,
        *,
        wrenches: ArrayLike | None = None,
        twist: ArrayLike = (0.0,) * 6,
    ) -> Result:
        """Run a whole record of commands and wrenches, compiled; it starts at the first command.

        Args:
            positions: commanded, one a tick [m], shape (ticks, 3), or one that holds; home unless given.
            rotations: commanded, shape (ticks, 3, 3) [-], or one that holds; level unless given.
            wrenches: on the plate, force [N] and torque [N·m], shape (ticks, 6), or one that holds; none unless given.
            twist: velocity [m/s] and angular velocity [rad/s] of the plate at the start.

        Example:
            >>> import numpy as np
            >>> path = np.array([0.0, 0.0, -0.47]) + np.linspace(0.0, 0.01, 200)[:, None] * np.array([1.0, 0.0, 0.0])
            >>> HexaPlant.default().run(path).position.shape
            (200, 3)
        """
        from tegotae.table.kernels.dynamics import room

        commands, F, ticks = commands_of(self, positions, rotations, wrenches)
        z = self.rest(commands[0, :3].copy(), commands[0, 3:].reshape(3, 3).copy())
        z[7:13] = _twist_of(twist)
        s, r = self.sensor.state()
        out = np.zeros((ticks, z.size))
        done, why = module().march(*self.fixed, z, s, r, commands, F, *self.pace, room(), out)
        if why:
            self.refuse_to_go_on(int(why), float(done * self.servo.period))
        return result_of(self, out, commands, F)

    @cached_property
    def fixed(self) -> tuple[Array, Array, Array, Array, Array]:
        """G, B, C, V, S as the kernels take them."""
        return (
            self.table.geometry,
            self.bodies,
            NONE if self.surface is None else self.surface.parameters,
            self.servo.parameters(),
            self.sensor.parameters(self.servo.period),
        )

    @cached_property
    def pace(self) -> tuple[float, int, float, float]:
        """Period, substeps and the arms' range as the kernels take them."""
        low, high = self.table.arm_range
        return float(self.servo.period), int(self.substeps), float(low), float(high)

    def refuse_to_go_on(self, why: int, time: float) -> None:
        """Say why a tick could not be taken."""
        remedy = "Push less, hold stiffer, or stay farther from the workspace's edge."
        if why == 4:
            remedy = "Command a pose that `Hexa.inverse` takes."
        raise TegotaeError(f"HexaPlant: {WHY[why]} at {time:.6g} s.\n  {remedy}")


def _twist_of(twist: ArrayLike) -> Array:
    return checks.vector("HexaPlant", "twist", twist, "m/s, rad/s", 6)


def state_of(position: Array, rotation: Array) -> Array:
    """y of the kernels: position, quaternion (w, x, y, z), twist 0."""
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(rotation).as_quat()
    return np.array([*position, w, x, y, z, *np.zeros(6)], dtype=np.float64)
