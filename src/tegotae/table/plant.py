"""The simulated twin of the motion table: mechanism, servo and force sensor, stepped as the real one is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import INITIAL, Admittance, Kernels
from tegotae.checks import Array
from tegotae.layout import Layouts
from tegotae.parameters import Parameter
from tegotae.ports import Port
from tegotae.result import Result
from tegotae.rotations import cross_matrix
from tegotae.state import Fault, State
from tegotae.table.hexa import Hexa
from tegotae.table.kernels import plant as kernels
from tegotae.table.limits import commands_of, complete, fault_of, refuse_to_go_on
from tegotae.table.live import LiveTable
from tegotae.table.mechanism import Mechanism, TableBody
from tegotae.table.parts import ArmServo, ForceSensor, ProbedSurface, refuse_too_stiff
from tegotae.table.plant_layout import SURFACE, plant_layout, ports_at

OWNER = "HexaPlant"
PLACES = ("plate", "sensor")


def _places(owner: str, name: str, value: str | Sequence[str]) -> tuple[str, ...]:
    remedy = f"Give {' or '.join(map(repr, PLACES))}, or both."
    found = checks.texts(owner, name, [value] if isinstance(value, str) else value, remedy)
    if not found or len(set(found)) < len(found) or not set(found) <= set(PLACES):
        checks.refuse(owner, f"{name}={checks.shown(value)}.", remedy)
    return found


@dataclass(frozen=True, kw_only=True, eq=False)
class HexaPlant(Mechanism, Admittance):
    """Mechanism, servo and sensor of a table: pose commands and a wrench on the plate in, motion and readings out.

    Arms turn rigidly, rods are slender and uniform (their mass is treated exactly), joints are without friction.
    Poses are those of `Hexa`. Wrenches on the plate are force [N] and torque [N·m] about the centre of its joints, in
    the world's axes. The sensor reads the wrench that acts on the plate, as one on the fixed side of a contact does up
    to its sign.

    A surface acts within the period, at every stage of every step. The sensor samples at the end of the period; where
    there is a surface it reads the given wrench and the surface's together, about the tip of the probe.

    It is a block: the wrench on the plate in, the plate's mean velocity and angular velocity over the period out. So it
    can be wired into a `Circuit`, whose force then is the wrench. With the port "sensor" a wrench acts at the tip of
    the probe, about that, and the tip's motion comes out; the sensor reads what acts there and what the surface does,
    and nothing of a wrench on the plate behind it. "command_position" [m] and "command_rotation" may be fed; the period
    is that of its servo.

    Example:
        >>> from tegotae.table import HexaPlant
        >>> plant = HexaPlant.default(kp=200.0)
        >>> push = [[0.0, 0.0, 10.0, 0.0, 0.0, 0.0]] * 1000
        >>> record = plant.run(push)
        >>> round(10.0 / (record.position[-1, 2] + 0.47), -1)  # N/m; (15) says 11323 at home
        np.float64(11340.0)
    """

    sensor: Annotated[ForceSensor, Parameter("of force and torque")] = field(default_factory=ForceSensor)
    substeps: Annotated[
        int,
        Parameter(
            ">= 1, steps of the mechanism's motion in a period of the servo: 2 are enough for the table alone; a "
            "stiff surface needs more, at least four in the time sqrt(m/k), and is refused with fewer",
            "Give at least one step a period.",
        ),
    ] = 2
    surface: Annotated[ProbedSurface | None, Parameter("that a probe on the plate meets; None for nothing")] = None
    at: Annotated[
        str | tuple[str, ...],
        Parameter('where it meets others: "plate", the centre of its joints, "sensor", or both', accept=_places),
    ] = ("plate",)
    probe: Annotated[
        tuple[float, float, float] | None,
        Parameter(
            "[m], tip of the sensor from the centre of the plate's joints, along the plate's axes; that of the "
            "surface unless given, or the centre"
        ),
    ] = None

    runs_itself = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self.__dict__["dimension"] = 6 * len(self.at)
        if self.surface is not None and self.probe not in (None, self.surface.probe):
            problem = f"probe={self.probe} m, but that of the surface is {self.surface.probe} m."
            checks.refuse(OWNER, problem, "Leave it: the sensor's tip is the one that meets the surface.")
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
        return plant_layout(int(self.sensor.delay), tuple(self.at))

    @property
    def values(self) -> dict[str, ArrayLike]:
        """What mechanism, surface, servo and sensor are."""
        surface = {part.name: getattr(self.surface, part.name, 0.0) for part in SURFACE.parts()}  # 0 without one
        parts = {
            "mechanism": self.masses,
            "surface": {**surface, "probe": self.tip},
            "servo": self.servo.values,
            "sensor": self.sensor.values,
        }
        numbers = {f"{part}.{name}": value for part, values in parts.items() for name, value in values.items()}
        rows = {f"{name}_row": 6 * self.at.index(name) if name in self.at else -1 for name in PLACES}
        return {**numbers, **rows, "substeps": self.substeps, "arm_range": self.table.arm_range}

    @cached_property
    def tip(self) -> Array:
        """Where the sensor is touched, from the centre of the plate's joints, along the plate's axes [m]."""
        probe = (0.0, 0.0, 0.0) if self.probe is None else self.probe
        return np.array(probe if self.surface is None else self.surface.probe)

    kernels = Kernels(kernels.plant_kernels)  # explicit within the tick, exact to its steps in what the wrench does

    @property
    def ports(self) -> tuple[Port, ...]:
        """The plate, at the centre of its joints, and the tip of its sensor."""
        return ports_at(tuple(self.at))

    def check(self, period: float) -> None:
        """Refuse another period than that of its servo."""
        expected = float(self.servo.period)
        if abs(period - expected) > 1e-12 * expected:
            problem = f"period={period:g} s, but its servo has {expected:g} s."
            checks.refuse(OWNER, problem, "Leave the period, or give ArmServo(period=...).")

    def least_reluctance(self, period: float) -> float:
        """Of the plate cut free of its arms [N·s/m, N·m·s/rad], twice over T: they can only add to it.

        A force that is held for a tick moves what is at rest by T/2 of the speed that it leaves it with.
        """
        m, (x, y, z), inertia = (np.asarray(self.masses[name]) for name in ("mass", "first_moment", "inertia"))
        C, levers = cross_matrix((x, y, z)), {"plate": np.zeros((3, 3)), "sensor": cross_matrix(self.tip)}
        M = np.block([[m * np.eye(3), -C], [C, inertia]])
        J = np.vstack([np.block([[np.eye(3), -levers[name]], [np.zeros((3, 3)), np.eye(3)]]) for name in self.at])
        return 2.0 / (period * float(np.linalg.eigvalsh(J @ np.linalg.solve(M, J.T))[-1]))

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> State:
        """At rest at the commanded pose, home unless given; what is given beside may be any part of the state."""
        given = dict(checks.mapping(OWNER, "initial", initial, INITIAL))
        state = super().initial_state(period, given)
        complete(self, state, set(given))
        return state

    def fault(self, state: State) -> Fault | None:
        """Beside what every state may not have: quaternions of other lengths, matrices that are not rotations."""
        return super().fault(state) or fault_of(self, state)

    def see_trouble(self, state: State) -> None:
        """Say why it could not go on."""
        if state["trouble"]:
            refuse_to_go_on(state, float(self.servo.period))

    # ------------------------------------------------------------ running

    def start(self, *, period: float | None = None, initial: Mapping[str, ArrayLike] | None = None) -> LiveTable:
        """The table at rest at home, live; its kernels are warm when this returns.

        Args:
            period: that of its servo [s].
            initial: fields of the state to start from instead, such as {"command_position": ...} or {"twist": ...}.

        Example:
            >>> table = HexaPlant.default().start()
            >>> table.command((0.0, 0.0, -0.471))
            >>> for _ in range(500):
            ...     reading = table.step()
            >>> round(float(reading.position[2]), 4)
            -0.471
        """
        return LiveTable(self, self.servo.period if period is None else period, initial)

    def run(
        self,
        force: ArrayLike | Mapping[str, ArrayLike] | None = None,
        *,
        period: float | None = None,
        every: int = 1,
        record: Sequence[str] | None = None,
        initial: Mapping[str, ArrayLike] | None = None,
        inputs: Mapping[str, ArrayLike] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Result:
        """Run a whole record of wrenches and commands, compiled; it starts at the first command.

        Args:
            force: wrench over each tick [N, N·m], shape (ticks, 6), or port -> wrench over each tick there; none unless
                given.
            period: that of its servo [s].
            every: record every so many ticks.
            record: names of the fields to record; all public ones unless given.
            initial: fields of the state to start from, such as those that a live table was in.
            inputs: "command_position" [m], shape (ticks, 3), and "command_rotation", shape (ticks, 3, 3), or one that
                holds; home, and level, unless given.
            progress: called with the share that is done, now and then.

        Example:
            >>> import numpy as np
            >>> path = np.array([0.0, 0.0, -0.47]) + np.linspace(0.0, 0.01, 200)[:, None] * np.array([1.0, 0.0, 0.0])
            >>> HexaPlant.default().run(inputs={"command_position": path}).position.shape
            (200, 3)
        """
        T = checks.period_of(OWNER, self.servo.period if period is None else period)
        checks.whole(OWNER, "every", every, 1, "Use every=1 to record each tick.")
        checks.mapping(OWNER, "initial", initial, INITIAL)
        fed, ticks = commands_of(self, inputs)
        if force is None:
            if not ticks:
                checks.refuse(OWNER, "nothing says how many ticks to run.", "Give a record, such as force (ticks, 6).")
            force = np.zeros((ticks, self.dimension))
        return super().run(force, period=T, every=every, record=record, initial=initial, inputs=fed, progress=progress)
