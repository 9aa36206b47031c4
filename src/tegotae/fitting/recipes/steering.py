"""Identification of a `SteeringSystem`: its patch and its column, from a log of wheel angle, hand torque and speed.

The wheel is led along the recorded angle, and the torque that this takes is compared with the hand's: nothing is
integrated freely, so the model cannot drift away from the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import product
from operator import attrgetter

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Impedance, Kernels
from tegotae.checks import Array
from tegotae.coupling.composite import Seat
from tegotae.fitting.fits import Fit, fit_recipe
from tegotae.fitting.identify import Progress, register
from tegotae.fitting.kernels import steering as k
from tegotae.fitting.recipe import Recipe, Rival, Sought, Values, without
from tegotae.fitting.recipes.laws import nonnegative
from tegotae.fitting.record import Record
from tegotae.fitting.steering_log import SteeringLog, log_of
from tegotae.friction import Coulomb
from tegotae.layout import Layout, Layouts, Nested, Part, layouts
from tegotae.parameters import parts_of
from tegotae.state import Fault, State
from tegotae.steering.patch import ContactPatch
from tegotae.steering.system import Column, SteeringSystem
from tegotae.steering.vehicle import Bicycle

REACHES = np.geomspace(1e-6, 1e-2, 13)  # mu/K [m/N]
RELAXATIONS = (0.0, 3e-3, 0.01, 0.03, 0.1, 0.3, 1.0)  # B/K [s]

TYRE = "tyre."  # in front of the names of what belongs to it


@dataclass(frozen=True, kw_only=True, eq=False)
class SteeringRecord:
    """What was logged at the wheel of a steering system, as `fit` takes it.

    Args:
        wheel_angle: at the end of each tick [rad], (ticks,); one that comes in the steps of an encoder is smoothed
            over 25 ms, and the torque alike.
        hand_torque: on the wheel over each tick [N·m], (ticks,).
        speed: of the vehicle [m/s], a number or (ticks,); the system's own unless given.
        period: T [s].

    Example:
        >>> import numpy as np
        >>> from tegotae.fitting import SteeringRecord
        >>> SteeringRecord(wheel_angle=np.zeros(100), hand_torque=np.zeros(100), period=1e-3).hand_torque.shape
        (100,)
    """

    wheel_angle: ArrayLike
    hand_torque: ArrayLike
    speed: ArrayLike | None = None
    period: float

    def __post_init__(self) -> None:
        owner, assign = "SteeringRecord", object.__setattr__
        assign(self, "period", checks.period_of(owner, self.period))
        angle = checks.signal(owner, "wheel_angle", self.wheel_angle, "rad", 1).ravel()
        torque = checks.signal(owner, "hand_torque", self.hand_torque, "N·m", 1).ravel()
        if angle.size != torque.size:
            remedy = "Give one of each for every tick; cut the longer log."
            checks.refuse(owner, f"{angle.size} ticks of wheel_angle but {torque.size} of hand_torque.", remedy)
        if angle.size < 3:
            checks.refuse(owner, f"a log of {angle.size} ticks.", "Give thousands.")
        assign(self, "wheel_angle", angle)
        assign(self, "hand_torque", torque)
        if self.speed is not None:
            assign(self, "speed", checks.held(owner, "speed", self.speed, "m/s", angle.size))


@cache
def _layout(parameters: Layout, state: Layout, workspace: Layout, sizes: tuple[tuple[str, int], ...]) -> Layouts:
    """Around the layouts of a tyre."""
    return layouts(
        sizes=dict(sizes),
        parameters=(
            *(replace(part, name=f"column.{part.name}") for part in parts_of(Column)),
            Nested("tyre", parameters, TYRE),
        ),
        state=(
            Part("force", "N·m", "torque on the hand", letter="f"),
            Part("hand_torque", "N·m", "of the hand on the wheel", letter="tau_h"),
            Part("steer_rate", "rad/s", "of the tyre", letter="v0"),
            Part("train_deflection", "rad", "of the drive train's friction", letter="e", recorded=False),
            Nested("tyre", state, TYRE),
        ),
        workspace=(Nested("tyre", workspace, TYRE),),
    )


@dataclass(frozen=True, kw_only=True)
class FeltSteering(Impedance):
    """A steering system as a hand feels it that leads the wheel: wheel rate in, torque out; `tyre.speed` is fed."""

    system: SteeringSystem
    dimension: int = field(default=1, init=False)

    @cached_property
    def tyre(self) -> Impedance:
        """The tyre with the vehicle that it carries."""
        return self.system.vehicle.on(self.system.patch)

    @property
    def layout(self) -> Layouts:
        """The column's, and the tyre's inside."""
        tyre = self.tyre.layout
        return _layout(tyre.parameters, tyre.state, tyre.workspace, tuple((n, tyre.sizes[n]) for n in tyre.names))

    @property
    def values(self) -> dict[str, ArrayLike]:
        """Of the column and of the tyre."""
        column = {f"column.{part.name}": getattr(self.system.column, part.name) for part in parts_of(Column)}
        return column | {TYRE + name: value for name, value in self.tyre.values.items()}

    @property
    def kernels(self) -> Kernels:
        """Around the tyre's own."""
        tyre, torque = self.tyre.kernels, k.of_patch if isinstance(self.tyre, ContactPatch) else k.of_front
        return Kernels(k.felt_kernels, (tyre.make, torque, *tyre.functions))

    @cached_property
    def _seat(self) -> Seat:
        """Where the tyre's state lies."""
        return Seat(self.tyre, {name: TYRE + name for name in self.tyre.parts}, self.spaces.state)

    def fault(self, state: State) -> Fault | None:
        """Its own, then the tyre's."""
        return super().fault(state) or self._seat.fault(state)

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> State:
        """At rest, bristles slack."""
        state = super().initial_state(period, initial)
        self._seat.start(state, period, initial or {})
        return state


PARAMETERS = (
    Sought.of(ContactPatch, "patch.stiffness", "steering to and fro, parked or slowly enough for bristles to stick"),
    Sought.of(ContactPatch, "patch.damping", "steering at several rates, or driving at several speeds"),
    Sought.of(ContactPatch, "patch.friction", "steering far enough for the tyre to slide"),
    Sought.of(Column, "column.friction", "steering to and fro while driving, where the tyre itself gives way"),
    Sought.of(Column, "column.inertia", "quick reversals, or a wheel that is shaken"),
)


class SteeringRecipe(Recipe):
    """Patch and column; gear, geometry, pressure, vehicle and the stiffness of the drive train are the system's."""

    response = "hand_torque"

    def __init__(self, system: SteeringSystem, known: Mapping[str, float], start: float, free: Sequence[str] = ()):
        names = [q.name for q in PARAMETERS]
        for name in free:
            if name not in names:
                checks.refuse("fit", f"free has {name!r}.", f"Of a SteeringSystem it may have {', '.join(names)}.")
        # Where some are named as sought, the system's own numbers of the others.
        held = {name: attrgetter(name)(system) for name in names if free and name not in free}
        super().__init__({**held, **known})
        if not isinstance(system.patch.law, Coulomb):
            remedy = "Give a number as its friction: mu is what is sought."
            checks.refuse("fit", f"the patch has friction={checks.shown(system.patch.friction)}.", remedy)
        if system.column.compliance is not None:
            remedy = "Log the angle behind the torsion bar, and fit a system whose column has none."
            checks.refuse("fit", f"the column has compliance={checks.shown(system.column.compliance)}.", remedy)
        self.system, self.start = system, start

    @property
    def parameters(self) -> tuple[Sought, ...]:
        """Three of the patch, two of the column."""
        return PARAMETERS

    def described(self, values: Mapping[str, float]) -> SteeringSystem:
        """The system with these numbers."""
        patch = replace(
            self.system.patch,
            stiffness=values["patch.stiffness"],
            damping=max(values["patch.damping"], 0.0),  # differences step a hair below 0
            friction=values["patch.friction"],
        )
        column = replace(self.system.column, friction=values["column.friction"], inertia=values["column.inertia"])
        return replace(self.system, patch=patch, column=column)

    def block(self, values: Mapping[str, float], dimension: int) -> FeltSteering:
        """As the hand feels it."""
        return FeltSteering(system=self.described(values))

    def name_in_block(self, name: str) -> str:
        """The patch is its tyre, and mu the only number of the law of that."""
        return {"patch.friction": "tyre.law"}.get(name, name.replace("patch.", TYRE))

    def initial(self, values: Mapping[str, float]) -> dict[str, float]:
        """Where the log begins."""
        return {"tyre.steer": self.start / self.system.column.gear}

    def inputs(self, record: Record) -> dict[str, Array]:
        """How fast it went."""
        return {"tyre.speed": _log(record).speed}

    def inspect(self, record: Record) -> None:
        """The wheel must turn, against a torque."""
        if not record.velocity.any():
            checks.refuse("fit", "wheel_angle never changes.", "Log a wheel that is turned to and fro.")
        if not record.force.any():
            checks.refuse("fit", "hand_torque is 0 throughout.", "Check the torque sensor, its unit (N·m) and column.")
        # Rolling, a tyre may drive the wheel back, but over a log that ends where it began the hand does the work.
        if float(np.sum(record.force * record.velocity)) > 0.2 * float(np.sum(np.abs(record.force * record.velocity))):
            remedy = "Give the torque of the hand on the wheel, positive to the left as the angle. Try -hand_torque."
            checks.refuse("fit", "the torque brakes the wheel instead of turning it.", remedy)
        if _log(record).remembers:
            remedy = (
                "Begin it with the wheel at rest and no hand on it, or log on until the wheel has been to both ends."
            )
            checks.refuse("fit", "the log begins in mid-motion: how far bristles were stretched is unknown.", remedy)

    def scales(self, values: Values, record: Record) -> Values:
        """The damping below which it hardly shows: the bristle relaxes within two ticks."""
        return {"patch.damping": 2.0 * record.period * values["patch.stiffness"]}

    def starts(self, record: Record) -> Iterable[Values]:
        """Torques of a patch are proportional to mu while mu/K and B/K are held: a grid of those, the rest linear."""
        # A patch so soft that only the column counts.
        rates = self._torques(self._unit(1e12, 0.0), record, inertia=1.0, friction=0.0)
        dry = self._torques(self._unit(1e12, 0.0), record, inertia=0.0, friction=1.0)
        for reach, time in product(REACHES.tolist(), RELAXATIONS):
            tyre = self._torques(self._unit(reach, time), record, inertia=0.0, friction=0.0)
            torques = [torque[record.judged] for torque in (tyre, rates, dry, _log(record).hand_torque)]
            mu, inertia, level = nonnegative(torques[:3], torques[3])
            mu = self.known.get("patch.friction", mu)
            if mu <= 0.0:
                continue
            yield {
                "patch.stiffness": mu / reach,
                "patch.damping": time * mu / reach,
                "patch.friction": mu,
                "column.friction": max(level, 1e-3 * self.system.column.friction),
                "column.inertia": max(inertia, 1e-3 * self.system.column.inertia),
            } | self.known

    def rivals(self, values: Values, record: Record) -> Iterable[Rival]:
        """Only the dampers of the bristles count; no bristle slides; the drive train has no friction."""
        if "patch.stiffness" not in self.known:
            # At speed a bristle stays too short a time for its spring: other dampers and mu then do its part as well.
            complaint = "bristles with hardly a spring explain it as well."
            remedy = (
                "Log parking too, or slow driving, where bristles stay in the patch for longer."
                if _log(record).speed.all()
                else "Log slower steering to and fro while parked, so that bristles stick for longer."
            )
            begun = {**values, "patch.damping": values["patch.damping"] + 0.01 * values["patch.stiffness"]}
            yield without(self, begun, {"patch.stiffness": 1e-3 * values["patch.stiffness"]}, complaint, remedy)
        if "patch.friction" not in self.known:
            complaint = "within this steering no bristle is seen to slide: any larger coefficient explains it as well."
            driven = bool(_log(record).speed.any())
            remedy = "Log larger angles" + (", parked too." if driven else ", or driving at a larger slip angle.")
            yield without(self, values, {"patch.friction": 1e4 * values["patch.friction"]}, complaint, remedy)
        if "column.friction" not in self.known:
            complaint = "a drive train without friction explains it as well."
            remedy = "Log slow reversals while driving, where the tyre's own hysteresis is small."
            yield without(self, values, {"column.friction": 1e-6 * values["column.friction"]}, complaint, remedy)

    # ------------------------------------------------------------ beginnings

    def _unit(self, reach: float, time: float) -> Values:
        """A patch of unit friction."""
        return {"patch.stiffness": 1.0 / reach, "patch.damping": time / reach, "patch.friction": 1.0}

    def _torques(self, patch: Values, record: Record, *, inertia: float, friction: float) -> Array:
        """Hand torques along the log; 0 stands for next to nothing."""
        column = {"column.inertia": max(inertia, 1e-12), "column.friction": max(friction, 1e-12)}
        felt = self.block({**patch, **column}, 1)
        run = felt.run(
            record.velocity,
            period=record.period,
            record=["hand_torque"],
            initial=self.initial({}),
            inputs=self.inputs(record),
        )
        return run.hand_torque


def _log(record: Record) -> SteeringLog:
    assert isinstance(record, SteeringLog)
    return record


def fit_steering(
    system: SteeringSystem, record: SteeringRecord, known: Mapping[str, float], free: Sequence[str], progress: Progress
) -> Fit:
    """Patch and column of a system, from what was logged at its wheel."""
    angle, torque = checks.array("fit", "wheel_angle", record.wheel_angle, "rad"), record.hand_torque
    speed = checks.held("fit", "speed", system.speed if record.speed is None else record.speed, "m/s", angle.size)
    length, drifts = 2.0 * system.patch.half_length, isinstance(system.vehicle, Bicycle)
    log = log_of(angle, checks.array("fit", "hand_torque", torque, "N·m"), speed, record.period, length, drifts)
    return fit_recipe(SteeringRecipe(system, known, log.start, free), log, progress)


register(SteeringSystem, SteeringRecord, fit_steering)
