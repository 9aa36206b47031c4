"""The steering system: a hand, a column with its friction, a tyre and its vehicle, solved together each tick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.coupling.circuit import Circuit
from tegotae.coupling.links import Link
from tegotae.elements import Mass, SpringDamper
from tegotae.errors import InputError
from tegotae.friction import Coulomb, FrictionImpedance
from tegotae.parameters import Declared, Parameter
from tegotae.result import Result, Variable
from tegotae.running.live import LiveAdmittance
from tegotae.state import State
from tegotae.steering.column import Column as Column
from tegotae.steering.column import TorsionBar as TorsionBar
from tegotae.steering.hands import Driver, TorqueProfile
from tegotae.steering.patch import ContactPatch
from tegotae.steering.vehicle import Bicycle, Kinematic


class _Steering(Circuit):
    """A steering system's circuit, which speaks of the steering system where something went wrong."""

    @property
    def name(self) -> str:
        return "SteeringSystem"


@dataclass(frozen=True, kw_only=True)
class SteeringSystem(Declared):
    """A steering system from parked to top speed: hand torque in, wheel angle out.  [yamamoto2006]

    One circuit: the column's inertia, moved by the hand, moves the tyre on its vehicle and the drive train's
    friction, all solved together each tick.

    Example:
        >>> from tegotae.steering import SteeringSystem
        >>> from tegotae.steering.hands import Driver, Sine
        >>> parked = SteeringSystem.paper(speed=0.0)
        >>> run = parked.run(hand=Driver(angle=Sine(amplitude=2.0)), duration=1.0, period=1e-3)
        >>> bool(abs(run.wheel_angle).max() > 0.5), bool(abs(run.hand_torque).max() > 0.5)
        (True, True)
    """

    patch: Annotated[ContactPatch, Parameter("the tyre's contact patch")] = field(default_factory=ContactPatch)
    column: Annotated[Column, Parameter("gear, inertia and friction")] = field(default_factory=Column)
    vehicle: Annotated[
        Kinematic | Bicycle, Parameter("`Kinematic` as in the paper, or `Bicycle` with sideslip and yaw")
    ] = field(default_factory=Kinematic)
    speed: Annotated[
        float,
        Parameter(
            "V [m/s], unless a run gives another; negative is backwards", "Give one speed; a record goes to run()."
        ),
    ] = 0.0

    @classmethod
    def paper(cls, *, speed: float = 0.0, bristles: int = 21) -> SteeringSystem:
        """With the numbers of the paper: a soft brush whose damper makes every effect of speed."""
        return cls(patch=ContactPatch(bristles=bristles), speed=speed)

    @classmethod
    def physical(cls, *, speed: float = 0.0, bristles: int = 101) -> SteeringSystem:
        """A stiff brush without damping on a vehicle with sideslip and yaw: torque that drops at full slip."""
        return cls(patch=ContactPatch(stiffness=1e4, damping=0.0, bristles=bristles), vehicle=Bicycle(), speed=speed)

    # ------------------------------------------------------------ the machine

    def circuit(self, hand: Driver | None = None) -> Circuit:
        """The machine as a circuit: blocks `tyre`, `train` and, with a driver, `hand`.

        It moves in the steer angle; with a torsion bar, block `bar`, there are two machines that do, `wheel` and
        `column`.

        Args:
            hand: a driver whose arms turn the wheel; without one, torque is given.
        """
        if hand is not None and not isinstance(hand, Driver):
            checks.refuse("SteeringSystem", f"hand={checks.shown(hand)} is no driver.", "Give Driver(angle=…).")
        c, bar = self.column, self.column.compliance
        train = FrictionImpedance(stiffness=c.stiffness, damping=c.damping, law=Coulomb(c.friction))
        blocks: dict[str, Any] = {"tyre": self.vehicle.on(self.patch), "train": train}
        arms: dict[str, Any] = (
            {} if hand is None else {"hand": SpringDamper(stiffness=hand.stiffness, damping=hand.damping)}
        )
        if bar is None:
            return _Steering(Mass(mass=c.inertia), blocks | arms, ratios=dict.fromkeys(arms, c.gear), bases=list(arms))
        machines = {"wheel": Mass(mass=bar.wheel_inertia), "column": Mass(mass=c.inertia)}
        links = {name: Link(block, "column") for name, block in blocks.items()}
        links["bar"] = Link(SpringDamper(stiffness=bar.stiffness, damping=bar.damping), "column", "wheel", ratio=c.gear)
        return _Steering(machines, links | {name: Link(block, "wheel", base=True) for name, block in arms.items()})

    @property
    def _places(self) -> tuple[str, str]:
        """Fields of the circuit that tell where the wheel is, geared, and where the column is."""
        return ("position", "position") if self.column.compliance is None else ("wheel.position", "column.position")

    @property
    def _ratio(self) -> float:
        """Wheel angle for each unit of what the circuit moves in."""
        return self.column.gear if self.column.compliance is None else 1.0

    @cached_property
    def _torqued(self) -> Circuit:
        return self.circuit()

    # ------------------------------------------------------------ use

    def run(
        self,
        *,
        hand_torque: ArrayLike | None = None,
        hand: Driver | TorqueProfile | None = None,
        duration: float | None = None,
        speed: ArrayLike | None = None,
        period: float,
        every: int = 1,
        record: Sequence[str] = (),
        initial: Mapping[str, ArrayLike] | None = None,
    ) -> Result:
        """Steer, compiled.

        Args:
            hand_torque: tau_h over each tick [N·m], (ticks,).
            hand: a `Driver` or a `TorqueProfile` instead.
            duration: how long that hand steers [s].
            speed: V over each tick [m/s], a number or (ticks,), through zero and backwards too; the system's own
                unless given.
            period: T [s].
            every: record every so many ticks.
            record: fields of the circuit to record beside, such as "tyre.deflection".
            initial: fields of the circuit to start from; {"position": 0.1} is the steer angle [rad], or with a
                torsion bar the wheel angle.

        Returns:
            `wheel_angle` [rad], `hand_torque` [N·m], `steer` [rad], `tyre_torque` [N·m] (resists steering to the
            left), `train_torque` [N·m], `lateral_force` [N], `stuck` [-], `speed` [m/s]; with a `Bicycle` also
            `sideslip` [m/s] and `yaw_rate` [rad/s].
        """
        period = checks.period_of("SteeringSystem", period)
        if (hand is None) == (hand_torque is None):
            got = "both hand and hand_torque" if hand is not None else "neither hand nor hand_torque"
            checks.refuse("SteeringSystem", f"run got {got}.", "Give one of them.")
        way = 'Name fields of the circuit, such as {"position": 0.1}.'
        N, start = self._ratio, dict(checks.mapping("SteeringSystem", "initial", initial, way))
        record = checks.texts("SteeringSystem", "record", record, "Give a list of fields such as 'tyre.deflection'.")
        if "position" in start:
            start["position"] = checks.number("SteeringSystem", "initial['position']", start["position"], "rad")
        if duration is not None:
            checks.positive("SteeringSystem", "duration", duration, "s", "Give how long the hand steers, in seconds.")
        if hand is not None and not isinstance(hand, Driver):
            hand_torque, hand = _torques(hand, duration, period), None
        wheel, column = self._places
        if wheel != column and "position" in start:
            start[wheel] = start.pop("position")
        at = float(start.get(wheel, 0.0))
        if hand is not None:
            circuit, (wanted, rates) = self.circuit(hand), hand.angles(period, _ticks(duration, period))
            # The base moves so that at the end of each tick it is where the driver wants the wheel.
            start.setdefault("hand.stretch", N * at - (wanted[0] - rates[0] * period))
            bases, force, ticks = {"hand": rates}, None, rates.size
        else:
            circuit = self._torqued
            torque = checks.signal("SteeringSystem", "hand_torque", hand_torque, "N·m", 1).ravel()  # type: ignore[arg-type]
            force = {"wheel": torque} if wheel != column else N * torque
            bases, ticks = {}, torque.size
        speeds = checks.held("SteeringSystem", "speed", self.speed if speed is None else speed, "m/s", ticks)
        start.setdefault("tyre.steer", at * N / self.column.gear)
        start.setdefault(column, at * N / self.column.gear)  # a bar starts unwound
        kept = self._kept(hand is not None)
        run = circuit.run(
            force,
            period=period,
            ticks=ticks,
            bases=bases,
            inputs={"tyre.speed": speeds},
            every=every,
            record=[*(name for name in kept if name not in record), *record],
            initial=start,
        )
        given = run["force"] if wheel == column else run["force.wheel"]
        exerted = run["hand.force"] if hand is not None else _over(given, N, every)
        # An array that is nobody else's, nor a part of a longer one, need not be copied.
        own = every == 1 and (speed is None or isinstance(speed, (int, float)))
        driven = speeds[every - 1 :: every]
        return self._result(run, exerted, driven if own else driven.copy(), record)

    def _kept(self, driven: bool) -> list[str]:
        """Fields of the circuit that a result is made of: an hour of them fills memory, so no others are recorded."""
        own = [*dict.fromkeys(self._places), "tyre.force", "train.force", "tyre.lateral_force", "tyre.stuck"]
        if self.column.compliance is not None:
            own.append("bar.force")
        if isinstance(self.vehicle, Bicycle):
            own += ["tyre.vehicle_sideslip", "tyre.vehicle_yaw_rate"]
        return [*own, *(["hand.force"] if driven else [])]

    def start(self, *, period: float, initial: Mapping[str, ArrayLike] | None = None) -> LiveSteering:
        """The model behind a wheel: `live.step(hand_torque)` gives the wheel's velocity.

        Args:
            period: T [s].
            initial: fields of the circuit to start from.
        """
        given = checks.mapping("SteeringSystem", "initial", initial, 'Such as {"position": 0.1}.')
        return LiveSteering(self, self._torqued, period, {"tyre.speed": self.speed} | dict(given))

    def _result(self, run: Result, torque: Array, speed: Array, beside: Sequence[str]) -> Result:
        def told(values: Array, unit: str, meaning: str) -> Variable:
            return Variable(("time",), np.asarray(values), unit, meaning)

        def against(name: str) -> Array:
            """What resists: turned round in its place, unless it was asked for as it is too."""
            values: Array = np.asarray(run[name])
            return -values if name in beside else np.asarray(np.negative(values, out=values))

        wheel, steer = (run[name] for name in self._places)
        variables = {
            "time": told(run.time, "s", "end of the tick"),
            "wheel_angle": told(self._ratio * wheel, "rad", "of the wheel, to the left"),
            "hand_torque": told(torque, "N·m", "of the hand on the wheel"),
            "steer": told(steer, "rad", "of the tyre, to the left"),
            "tyre_torque": told(against("tyre.force"), "N·m", "resists steering to the left, at the tyre"),
            "train_torque": told(against("train.force"), "N·m", "friction of the drive train, at the tyre"),
            "lateral_force": told(run["tyre.lateral_force"], "N", "on the tyre, to the left"),
            "stuck": told(run["tyre.stuck"], "-", "share of the bristles that stick"),
            "speed": told(speed, "m/s", "of the vehicle, forwards"),
        }
        if self.column.compliance is not None:
            variables["bar_torque"] = told(run["bar.force"], "N·m", "of the wheel on the column")
        if isinstance(self.vehicle, Bicycle):
            sideslip, yaw = (run[f"tyre.vehicle_{name}"] for name in ("sideslip", "yaw_rate"))
            variables["sideslip"] = told(sideslip, "m/s", "of the centre of mass, to the left")
            variables["yaw_rate"] = told(yaw, "rad/s", "of the vehicle, to the left")
        variables |= {name: run.variables[name] for name in beside}
        return Result(variables, title="SteeringSystem", about=run.about | {"system": repr(self), "figure": "steering"})


class LiveSteering(LiveAdmittance):
    """A steering system in a control loop: hand torque in, wheel velocity out.

    Set `live.speed` [m/s] at any time; read `live["wheel_angle"]` [rad], `live["stuck"]`, every field of the circuit.
    """

    def __init__(
        self, system: SteeringSystem, circuit: Circuit, period: float, initial: Mapping[str, ArrayLike] | None
    ):
        self.system = system
        self._ratio = system._ratio
        super().__init__(circuit, period, initial)

    def __reduce__(self) -> Any:
        """Copied and pickled as a system, a period and a state; the copy compiles for itself."""
        return _revive, (self.system, self.period, self.state)

    @property
    def speed(self) -> float:
        """V [m/s]; negative is backwards."""
        return float(super().__getitem__("tyre.speed"))

    @speed.setter
    def speed(self, value: float) -> None:
        self["tyre.speed"] = value

    def step(self, force: ArrayLike | Mapping[str, ArrayLike] | None = None) -> Any:
        """One tick: hand torque [N·m] in, wheel velocity [rad/s] out."""
        torque = checks.array("SteeringSystem", "hand_torque (force)", force, "N·m")  # type: ignore[arg-type]
        try:
            if self.system.column.compliance is not None:
                return super().step({"wheel": torque})["wheel"]
            return self._ratio * super().step(self._ratio * torque)
        except InputError:
            if np.isfinite(torque).all():
                raise
            told = "The model stands where it was: give the torque of a sensor that works."
            checks.refuse("SteeringSystem", f"hand_torque={checks.shown(force)} N·m is not finite.", told)

    def __getitem__(self, field: str) -> Any:
        """A field of the circuit, `wheel_angle` [rad], or a field of the tyre, such as `stuck`."""
        if field == "wheel_angle":
            return self._ratio * super().__getitem__(self.system._places[0])
        inner = f"tyre.{field}"
        return super().__getitem__(inner if field not in self._state and inner in self._state else field)


def _revive(system: SteeringSystem, period: float, state: State) -> LiveSteering:
    live = system.start(period=period)
    live.state = state
    return live


def _over(values: Array, ratio: float, every: int) -> Array:
    """Divided; in its place where the array is a whole one of our own."""
    return np.asarray(np.divide(values, ratio, out=values if every == 1 else None))


def _ticks(duration: float | None, period: float) -> int:
    remedy = "Give how long the hand steers, in seconds."
    if duration is None:
        checks.refuse("SteeringSystem", "run got a hand and no duration.", remedy)
    return max(1, round(checks.positive("SteeringSystem", "duration", duration, "s", remedy) / period))


def _torques(hand: object, duration: float | None, period: float) -> Array:
    """Of a hand that is no driver, at the end of each tick [N·m]."""
    if not isinstance(hand, TorqueProfile):
        told = "A profile says what a hand follows: give Driver(angle=…), or TorqueProfile(torque=…)."
        checks.refuse("SteeringSystem", f"hand={checks.shown(hand)} is no hand.", told)
    return hand.torques(period, _ticks(duration, period))
