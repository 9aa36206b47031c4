"""The steering system: a hand, a column with its friction, a tyre and its vehicle, solved together each tick.

The column goes from the wheel through a gear to the tyre, with its inertia, its friction and its give.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Impedance
from tegotae.coupling.assembly import Assembly, Gear, Output
from tegotae.coupling.circuit import Circuit
from tegotae.coupling.links import Link
from tegotae.elements import Mass, SpringDamper
from tegotae.friction import Coulomb, FrictionImpedance
from tegotae.layout import AXIS, Part
from tegotae.parameters import Declared, Parameter
from tegotae.ports import ANGULAR, Port
from tegotae.result import Result
from tegotae.steering.hands import Driver, TorqueProfile, led_by
from tegotae.steering.patch import ContactPatch
from tegotae.steering.vehicle import Bicycle, Kinematic

WHEEL, TYRE = Port("wheel", 1, *ANGULAR), Port("tyre", 1, *ANGULAR)


@dataclass(frozen=True, kw_only=True)
class TorsionBar(Declared):
    """The give of a column between the wheel, which then has an inertia of its own, and the gear."""

    stiffness: Annotated[float, Parameter("[N·m/rad], > 0, at the wheel")] = 150.0
    damping: Annotated[float, Parameter("[N·m·s/rad], >= 0")] = 0.3
    wheel_inertia: Annotated[float, Parameter("[kg·m²], > 0, of the wheel")] = 0.05


@dataclass(frozen=True, kw_only=True)
class Column(Assembly):
    """From the wheel to the tyre: gear, inertia about the steering axis, and the friction of the drive train.

    A block with two ports: torques [N·m] at "wheel" and "tyre" in, how fast each turns [rad/s] out, positive to the
    left. In a circuit a tyre's patch is joined to the one and hands to the other; `SteeringSystem` is all of that.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> from tegotae.steering import Column, ContactPatch
        >>> tyre, arms = ContactPatch(), tg.SpringDamper(stiffness=10.0, damping=1.0)
        >>> links = {"tyre": tg.Link(tyre, "column.tyre"), "hand": tg.Link(arms, "column.wheel", base=True)}
        >>> parked = tg.Circuit({"column": Column()}, links)
        >>> run = parked.run(bases={"hand": np.full(500, 4.0)}, period=1e-3)
        >>> wheel, tyre = run["column.position.wheel"][-1], run["column.position.tyre"][-1]
        >>> bool(wheel > 0.5), round(float(wheel / tyre), 6)
        (True, 16.0)
    """

    inertia: Annotated[float, Parameter("I [kg·m²], > 0, of all that turns, seen at the tyre")] = 2.4
    gear: Annotated[float, Parameter("N [-], > 0, wheel angle for each steer angle")] = 16.0
    friction: Annotated[float, Parameter("T_f [N·m], > 0, seen at the tyre")] = 0.3
    stiffness: Annotated[float, Parameter("K_f [N·m/rad], > 0, of that friction while it sticks")] = 1e4
    damping: Annotated[float, Parameter("B_f [N·m·s/rad], >= 0")] = 100.0
    compliance: Annotated[
        TorsionBar | None, Parameter("between wheel and gear; None for a rigid column, as in the paper")
    ] = None
    dimension: int = field(default=2, init=False)

    @property
    def machines(self) -> tuple[str, str]:
        """What its circuit calls that which turns with the wheel and with the tyre; one without a torsion bar."""
        return ("", "") if self.compliance is None else ("wheel", "column")

    @property
    def gears(self) -> tuple[Gear, ...]:
        """The wheel, the tyre."""
        wheel, tyre = self.machines
        return Gear(WHEEL, wheel, self.gear if self.compliance is None else 1.0), Gear(TYRE, tyre, 1.0)

    def circuit(self) -> Circuit:
        """Its inertia with the friction of the drive train; two inertias with the bar between them."""
        return self.joined({}, {})

    def joined(self, at_tyre: Mapping[str, Impedance], held: Mapping[str, Impedance]) -> Circuit:
        """It and others in one circuit; it moves in the steer angle, the wheel behind a torsion bar in its own.

        Args:
            at_tyre: name -> what turns with the tyre.
            held: name -> what turns with the wheel and has another end that moves too.
        """
        train = FrictionImpedance(stiffness=self.stiffness, damping=self.damping, law=Coulomb(self.friction))
        bar, blocks = self.compliance, {**at_tyre, "train": train}
        if bar is None:
            ratios = dict.fromkeys(held, self.gear)
            return Circuit(Mass(mass=self.inertia), {**blocks, **held}, ratios=ratios, bases=list(held))
        twist = SpringDamper(stiffness=bar.stiffness, damping=bar.damping)
        links = {name: Link(block, "column") for name, block in blocks.items()}
        links["bar"] = Link(twist, "column", "wheel", ratio=self.gear)
        links |= {name: Link(block, "wheel", base=True) for name, block in held.items()}
        return Circuit({"wheel": Mass(mass=bar.wheel_inertia), "column": Mass(mass=self.inertia)}, links)

    def begun(self, given: dict[str, Any]) -> None:
        """A bar starts unwound."""
        if self.compliance is not None:
            unwind(given, "wheel.position", "column.position", self.gear)

    @property
    def seen(self) -> Mapping[str, Part]:
        """Friction and twist, in units of torque."""
        train = {"train.force": Part("train.force", "N·m", "friction of the drive train, at the tyre")}
        bar = {"bar.force": Part("bar.force", "N·m", "of the wheel on the column")}
        return train if self.compliance is None else train | bar


def unwind(given: dict[str, Any], wheel: str, column: str, gear: float) -> None:
    """Where one end of the torsion bar starts follows from the other, unless both are given."""
    if wheel in given:
        given.setdefault(column, np.ravel(given[wheel])[0] / gear)
    elif column in given:
        given[wheel] = gear * np.ravel(given[column])[0]


_HAND_TORQUE = Part("hand_torque", "N·m", "of the hand on the wheel")
_WHEEL_ANGLE = Part("wheel_angle", "rad", "of the wheel, to the left")


@dataclass(frozen=True, kw_only=True)
class SteeringSystem(Assembly):
    """A steering system from parked to top speed: hand torque in, wheel velocity out.  [yamamoto2006]

    One circuit: the column's inertia, moved by the hand, moves the tyre on its vehicle and the drive train's
    friction, all solved together each tick. It is met at its port "wheel", and fed `speed` [m/s].

    Runs record `wheel_angle` [rad], `hand_torque` [N·m], `steer` [rad], `tyre_torque` [N·m] (resists steering to the
    left), `train_torque` [N·m], `lateral_force` [N], `stuck` [-], `speed` [m/s]; with a torsion bar `bar_torque`
    [N·m]; with a `Bicycle` also `sideslip` [m/s] and `yaw_rate` [rad/s].

    Example:
        >>> from tegotae.steering import SteeringSystem
        >>> from tegotae.steering.hands import Driver, Sine
        >>> parked = SteeringSystem.paper(speed=0.0)
        >>> run = parked.run(hand=Driver(angle=Sine(amplitude=2.0)), duration=1.0, period=1e-3)
        >>> bool(abs(run.wheel_angle).max() > 0.5), bool(abs(run.hand_torque).max() > 0.5)
        (True, True)
        >>> live = parked.start(period=1e-3)
        >>> live["speed"] = 20.0
        >>> bool(live.step(2.0) > 0.0), bool(live["wheel_angle"] > 0.0)
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
            "V [m/s], unless a run feeds another; negative is backwards",
            'Give one speed; a record goes to run(inputs={"speed": …}).',
        ),
    ] = 0.0
    arms: Annotated[
        SpringDamper | None,
        Parameter("of a driver who holds the wheel, fed `wanted_rate` [rad/s]; None leaves it to the torque"),
    ] = None
    dimension: int = field(default=1, init=False)

    figure: ClassVar[str] = "steering"
    motion: ClassVar[tuple[Part, Part]] = (
        Part("velocity", "rad/s", "of the wheel, to the left", AXIS),
        Part("position", "rad", "of the wheel, to the left", AXIS, recorded=False),
    )

    @classmethod
    def paper(cls, *, speed: float = 0.0, bristles: int = 21) -> SteeringSystem:
        """With the numbers of the paper: a soft brush whose damper makes every effect of speed."""
        return cls(patch=ContactPatch(bristles=bristles), speed=speed)

    @classmethod
    def physical(cls, *, speed: float = 0.0, bristles: int = 101) -> SteeringSystem:
        """A stiff brush without damping on a vehicle with sideslip and yaw: torque that drops at full slip."""
        return cls(patch=ContactPatch(stiffness=1e4, damping=0.0, bristles=bristles), vehicle=Bicycle(), speed=speed)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.arms is not None and self.arms.dimension != 1:
            checks.refuse(self.name, f"arms={checks.shown(self.arms)} have more than one axis.", "Use dimension=1.")

    def held_by(self, driver: Driver) -> SteeringSystem:
        """The same with a driver's arms at the wheel; `wanted_rate` [rad/s], which it is fed, moves their other end.

        Args:
            driver: whose arms.
        """
        checks.instance(self.name, "driver", driver, Driver, "Give Driver(angle=…).")
        return replace(self, arms=SpringDamper(stiffness=driver.stiffness, damping=driver.damping))

    # ------------------------------------------------------------ the machine

    def circuit(self) -> Circuit:
        """The machine as a circuit: blocks `tyre`, `train` and, with a driver's arms, `hand`.

        It moves in the steer angle; with a torsion bar, block `bar`, there are two machines that do, `wheel` and
        `column`.
        """
        arms: dict[str, Impedance] = {} if self.arms is None else {"hand": self.arms}
        return self.column.joined({"tyre": self.vehicle.on(self.patch)}, arms)

    @property
    def gears(self) -> tuple[Gear, ...]:
        """The wheel."""
        return self.column.gears[:1]

    @property
    def given(self) -> Part:  # type: ignore[override]
        """The hand's torque; beside a driver's arms, what else turns the wheel."""
        return _HAND_TORQUE if self.arms is None else Part("other_torque", "N·m", "on the wheel", recorded=False)

    @property
    def outputs(self) -> tuple[Output, ...]:
        """The wheel's angle, and torques that resist."""
        tyre = Part("tyre_torque", "N·m", "resists steering to the left, at the tyre")
        train = Part("train_torque", "N·m", "friction of the drive train, at the tyre")
        resisting = (Output(tyre, "tyre.force", -1.0), Output(train, "train.force", -1.0))
        turned = (Output(_WHEEL_ANGLE, "position", self.column.gear),) if self.column.compliance is None else ()
        return (*turned, *resisting)

    @property
    def seen(self) -> Mapping[str, Part]:
        """Of the tyre what matters to all, the rest as `tyre.…`, `train.…`, `bar.…`."""
        wheel, tyre = self.column.gears
        parts = {
            tyre.source("position"): Part("steer", "rad", "of the tyre, to the left"),
            tyre.source("velocity"): Part("steer_rate", "rad/s", "of the tyre, to the left", recorded=False),
            "tyre.lateral_force": Part("lateral_force", "N", "on the tyre, to the left"),
            "tyre.stuck": Part("stuck", "-", "share of the bristles that stick"),
            "tyre.speed": Part("speed", "m/s", "of the vehicle, forwards"),
        }
        if self.column.compliance is not None:
            parts[wheel.source("position")] = _WHEEL_ANGLE
            parts["bar.force"] = Part("bar_torque", "N·m", "of the wheel on the column")
        if self.arms is not None:
            parts["hand.force"] = _HAND_TORQUE
            parts["hand.base_velocity"] = Part(
                "wanted_rate", "rad/s", "of the angle that the driver wants", recorded=False
            )
        if isinstance(self.vehicle, Bicycle):
            parts["tyre.vehicle_sideslip"] = Part("sideslip", "m/s", "of the centre of mass, to the left")
            parts["tyre.vehicle_yaw_rate"] = Part("yaw_rate", "rad/s", "of the vehicle, to the left")
        return parts

    def begun(self, given: dict[str, Any]) -> None:
        """At its own speed; the tyre as the column stands, a torsion bar unwound."""
        given.setdefault("speed", self.speed)
        if self.column.compliance is not None:
            unwind(given, "wheel_angle", "steer", self.column.gear)
        given.setdefault("tyre.steer", given.get("steer", 0.0))

    # ------------------------------------------------------------ use

    def run(
        self,
        force: ArrayLike | Mapping[str, ArrayLike] | None = None,
        *,
        hand: Driver | TorqueProfile | None = None,
        duration: float | None = None,
        period: float,
        every: int = 1,
        record: Sequence[str] | None = None,
        initial: Mapping[str, ArrayLike] | None = None,
        inputs: Mapping[str, ArrayLike] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Result:
        """Steer, compiled.

        Args:
            force: torque of the hand over each tick [N·m], (ticks,).
            hand: a `Driver` or a `TorqueProfile` instead.
            duration: how long that hand steers [s].
            period: T [s].
            every: record every so many ticks.
            record: names of the fields to record, such as "tyre.deflection"; all public ones unless given.
            initial: fields to start from; {"wheel_angle": 0.1} and {"steer": 0.01} turn the tyre too.
            inputs: {"speed": V}, [m/s], a number or (ticks,), through zero and backwards too; its own unless given.
            progress: called with the share that is done, now and then.
        """
        period = checks.period_of(self.name, period)
        system, (torque, path) = self, led_by(self.name, force, hand, duration, period)
        fed = dict(checks.mapping(self.name, "inputs", inputs, 'Such as {"speed": 20.0}.'))
        if isinstance(hand, Driver) and path:
            wanted, rates = path
            system = self.held_by(hand)
            begun = system.initial_state(period, initial)
            # The other end moves so that at the end of each tick it is where the driver wants the wheel.
            stretch = {"hand.stretch": begun["wheel_angle"] - (wanted[0] - rates[0] * period)}
            fed, initial = {"wanted_rate": rates, **fed}, {**stretch, **(initial or {})}
        return super(SteeringSystem, system).run(
            torque, period=period, every=every, record=record, initial=initial, inputs=fed, progress=progress
        )
