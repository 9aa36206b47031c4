"""The simulated twin of the motion table: mechanism, servo and force sensor, stepped as the real one is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import INITIAL, Admittance, Kernels
from tegotae.layout import Layouts
from tegotae.parameters import Parameter
from tegotae.ports import SPATIAL, Port, port_of
from tegotae.result import Result
from tegotae.running import loop
from tegotae.state import Fault, State
from tegotae.table.hexa import Hexa
from tegotae.table.kernels import plant as kernels
from tegotae.table.live import LiveTable
from tegotae.table.loads import TableBody
from tegotae.table.mechanism import Mechanism, twist_of
from tegotae.table.plant_layout import plant_layout
from tegotae.table.records import Drive, commands_of, result_of
from tegotae.table.sensor import ForceSensor
from tegotae.table.servo import ArmServo
from tegotae.table.starting import complete, fault_of
from tegotae.table.surface import NONE, ProbedSurface, refuse_too_stiff
from tegotae.table.tips import pose_of
from tegotae.table.troubles import refuse_to_go_on

OWN = "HexaPlant"


@dataclass(frozen=True, kw_only=True, eq=False)
class HexaPlant(Mechanism, Admittance):
    """Mechanism, servo and sensor of a table: pose commands and a wrench on the plate in, motion and readings out.

    Arms turn rigidly, rods are slender and uniform (their mass is treated exactly), joints are without friction.
    Wrenches on the plate are force [N] and torque [N·m] about the centre of its joints, in the world's axes. The sensor
    reads the wrench that acts on the plate, as one on the fixed side of a contact does up to its sign.

    A surface acts within the period, at every stage of every step. The sensor samples at the end of the period; where
    there is a surface it reads the given wrench and the surface's together, about the tip of the probe.

    It is a block: the wrench on the plate in, the plate's mean velocity and angular velocity over the period out. So it
    can be wired into a `Circuit`, whose force then is the wrench. "command_position" [m] and "command_rotation" may be
    fed; the period is that of its servo.

    Example:
        >>> from tegotae.table import HexaPlant
        >>> plant = HexaPlant.default(kp=200.0)
        >>> push = [[0.0, 0.0, 10.0, 0.0, 0.0, 0.0]] * 1000
        >>> record = plant.run(wrenches=push)
        >>> round(10.0 / (record.position[-1, 2] + 0.47), -1)  # N/m; (15) says 11323 at home
        np.float64(11340.0)
    """

    table: Annotated[Hexa, Parameter("its geometry")]
    servo: Annotated[ArmServo, Parameter("of the motors")]
    plate: Annotated[TableBody, Parameter("mass and inertia of the plate")]
    arm_inertia: Annotated[float, Parameter("[kg·m2], > 0, of one arm and its rotor about the motor's axis")]
    arm_moment: Annotated[
        float, Parameter("[kg·m], >= 0, mass of an arm times the distance of its centre of mass from the axis")
    ] = 0.0
    rod_mass: Annotated[float, Parameter("[kg], >= 0, of one rod")] = 0.0
    payload: Annotated[TableBody | None, Parameter("what the plate carries, such as a probe; None for nothing")] = None
    sensor: Annotated[ForceSensor, Parameter("of force and torque")] = field(default_factory=ForceSensor)
    gravity: Annotated[float, Parameter("[m/s2], >= 0, along -z; 0 for none")] = 9.81
    substeps: Annotated[
        int,
        Parameter(
            ">= 1, steps of the mechanism's motion in a period of the servo: 2 are enough for the table alone; a "
            "stiff surface needs more, at least four in the time sqrt(m/k), and is refused with fewer",
            "Give at least one step a period.",
        ),
    ] = 2
    surface: Annotated[ProbedSurface | None, Parameter("that a probe on the plate meets; None for nothing")] = None

    dimension = 6

    def __post_init__(self) -> None:
        super().__post_init__()
        W, M = self.table.inverse_jacobian(*self.table.home), self.mass_matrix(*self.table.home)
        radius = self.servo.slowest_decay(W, M)
        if radius >= 1.0:
            checks.refuse(
                "HexaPlant",
                f"the sampled servo is unstable at home: its motion grows by {radius:.4g} a period.",
                f"Use a period shorter than {self.servo.period:g} s, or less stiffness or damping, or more inertia.",
            )
        if self.surface is not None:
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
            servo=ArmServo(stiffness=kp, damping=1.4 * math.sqrt(0.04 * kp)),
            plate=TableBody(mass=0.8, inertia=(5.5e-3, 5.5e-3, 1.05e-2)),
            arm_inertia=0.022,
            arm_moment=0.05,
            rod_mass=0.06,
        )

    # ------------------------------------------------------------ the block

    @property
    def layout(self) -> Layouts:
        """Mechanism, surface, servo and sensor; the plate, what is read of it, and what they remember."""
        return plant_layout(int(self.sensor.delay))

    @property
    def values(self) -> dict[str, ArrayLike]:
        """What mechanism, surface, servo and sensor are."""
        parts = {
            "mechanism": self.masses,
            "surface": NONE if self.surface is None else self.surface.values,
            "servo": self.servo.values,
            "sensor": self.sensor.values,
        }
        told = {f"{part}.{name}": value for part, values in parts.items() for name, value in values.items()}
        return {**told, "substeps": self.substeps, "arm_range": self.table.arm_range}

    @property
    def kernels(self) -> Kernels:
        """Explicit within the tick, and exact to its steps in what the wrench does."""
        return Kernels(kernels.plant_kernels)

    @property
    def ports(self) -> tuple[Port, ...]:
        """The plate, at the centre of its joints."""
        return (port_of("plate", SPATIAL),)

    def check(self, period: float) -> None:
        """Refuse another period than that of its servo."""
        own = float(self.servo.period)
        if abs(period - own) > 1e-12 * own:
            told = f"period={period:g} s, but its servo has {own:g} s."
            checks.refuse(OWN, told, "Leave the period, or give ArmServo(period=...).")

    def least_reluctance(self, period: float) -> float:
        """Of the plate cut free of its arms [N·s/m, N·m·s/rad], twice over T: they can only add to it.

        A force that is held for a tick moves what is at rest by T/2 of the speed that it leaves it with.
        """
        m, (x, y, z), inertia = (np.asarray(self.masses[name]) for name in ("mass", "first_moment", "inertia"))
        C = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        M = np.block([[m * np.eye(3), -C], [C, inertia]])
        return 2.0 * float(np.linalg.eigvalsh(M)[0]) / period

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> State:
        """At rest at the commanded pose, home unless given; what is given beside may be any part of the state."""
        given = dict(checks.mapping(OWN, "initial", initial, INITIAL))
        state = super().initial_state(period, given)
        complete(self, state, set(given))
        return state

    def fault(self, state: State) -> Fault | None:
        """Beside what every state may not have: quaternions of other lengths, rotations that are none."""
        return super().fault(state) or fault_of(self, state)

    def see_trouble(self, state: State) -> None:
        """Say why it could not go on."""
        if state["trouble"]:
            refuse_to_go_on(state["trouble"], state["ticks"] * float(self.servo.period))

    # ------------------------------------------------------------ running

    def start(  # type: ignore[override]
        self,
        position: ArrayLike | None = None,
        rotation: ArrayLike | None = None,
        *,
        period: float | None = None,
        initial: Mapping[str, ArrayLike] | None = None,
    ) -> LiveTable:
        """The table at rest at a pose, live; its kernels are warm when this returns.

        Args:
            position: of the plate's centre [m]; home unless given.
            rotation: of the plate, 3 x 3 [-]; level unless given.
            period: that of its servo [s].
            initial: fields of the state to start from instead of rest, such as {"twist": ...}.

        Example:
            >>> table = HexaPlant.default().start()
            >>> table.command((0.0, 0.0, -0.471))
            >>> for _ in range(500):
            ...     reading = table.step()
            >>> round(float(reading.position[2]), 4)
            -0.471
        """
        begun = dict(checks.mapping(OWN, "initial", initial, INITIAL))
        if position is not None or rotation is not None:
            for name in ("command_position", "command_rotation", "position", "rotation", "quaternion"):
                if name in begun:
                    told = f"a pose and initial[{name!r}] both say where it starts."
                    checks.refuse(OWN, told, "Give one of them.")
            p, R = pose_of(OWN, self.table.home[0] if position is None else position, rotation)
            begun |= {"command_position": p, "command_rotation": R}
        return LiveTable(self, self.servo.period if period is None else period, begun)

    def run(  # type: ignore[override]
        self,
        positions: ArrayLike | None = None,
        rotations: ArrayLike | None = None,
        *,
        wrenches: ArrayLike | None = None,
        twist: ArrayLike | None = None,
        period: float | None = None,
        every: int = 1,
        record: Sequence[str] | None = None,
        initial: Mapping[str, ArrayLike] | None = None,
        inputs: Mapping[str, ArrayLike] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Result:
        """Run a whole record of commands and wrenches, compiled; it starts at the first command.

        Args:
            positions: commanded, one a tick [m], shape (ticks, 3), or one that holds; home unless given.
            rotations: commanded, shape (ticks, 3, 3) [-], or one that holds; level unless given.
            wrenches: on the plate, force [N] and torque [N·m], shape (ticks, 6), or one that holds; none unless given.
            twist: velocity [m/s] and angular velocity [rad/s] of the plate at the start; at rest unless given.
            period: that of its servo [s].
            every: record every so many ticks.
            record: names of the fields to record; all public ones unless given.
            initial: fields of the state to start from, such as those that a live table was in.
            inputs: "command_position" or "command_rotation", in place of positions and rotations.
            progress: called with the share that is done, now and then.

        Example:
            >>> import numpy as np
            >>> path = np.array([0.0, 0.0, -0.47]) + np.linspace(0.0, 0.01, 200)[:, None] * np.array([1.0, 0.0, 0.0])
            >>> HexaPlant.default().run(path).position.shape
            (200, 3)
        """
        every = checks.whole(OWN, "every", every, 1, "Use every=1 to record each tick.")
        T = checks.period_of(OWN, self.servo.period if period is None else period)
        begun = dict(checks.mapping(OWN, "initial", initial, INITIAL))
        if twist is not None:
            if "twist" in begun:
                checks.refuse(OWN, "twist and initial['twist'] both say how it starts.", "Give one of them.")
            begun["twist"] = twist_of(twist)
        drive = Drive(positions, rotations, wrenches).with_inputs(inputs).starting_from(begun)
        fed, F = commands_of(self, drive)
        given = loop.Signal("wrench", F, "N, N·m", "given on the plate, held over the tick")
        return result_of(
            loop.run(self, given, T, every=every, record=record, initial=begun, inputs=fed, progress=progress)
        )
