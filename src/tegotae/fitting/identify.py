"""`fit`: from a measured record to a block that is ready to use, and how sure each of its numbers is."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Block
from tegotae.checks import Array
from tegotae.fitting import engine
from tegotae.fitting.judging import doubts_of
from tegotae.fitting.progress import reporter
from tegotae.fitting.recipe import Recipe
from tegotae.fitting.recipes import checked, given_names, given_numbers, recipe_for
from tegotae.fitting.record import Record, record_of
from tegotae.friction import Coulomb, Law
from tegotae.result import Result
from tegotae.running.loop import Signal, run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tegotae.fitting.rods import RodRecord
    from tegotae.rod.planar import PlanarRod
    from tegotae.steering.system import SteeringSystem


@dataclass(frozen=True)
class Fit:
    """What a record says about a block.

    Args:
        block: ready to use.
        parameters: name -> value, in SI units.
        intervals: name -> (low, high), 95 % confidence.
        units: name -> unit.
        noise: standard deviation of what the model leaves unexplained, in the unit of the response.
        residual: measurement minus model at each tick, in the same unit; 0 at ticks of a steering log that are not
            judged, because they follow from what was before it.
        correlation: of the residual from one tick to the next [-]; near 0 for a model that explains all but the
            sensor's noise. Where it is not, the intervals are widened for it.
        covariance: of the parameters, in their order and units [products of the units of two parameters].
        result: the block run over the same record.
        record: what was measured.
        response: what of it was compared.
        unit: of that.
        doubts: why this fit may be wrong, in sentences; none for a fit that leaves white noise.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> random = np.random.default_rng(1)
        >>> velocity = 0.05 * np.sin(np.arange(0.0, 20.0, 0.005))
        >>> brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
        >>> force = brake.run(velocity, period=1e-3).force + 0.05 * random.standard_normal(4000)
        >>> found = tg.fit(tg.FrictionImpedance, velocity, force, period=1e-3)
        >>> low, high = found.intervals["limit"]
        >>> low < 4.0 < high and high - low < 0.01
        True
    """

    block: Block
    parameters: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    units: dict[str, str]
    noise: float
    residual: Array = field(repr=False)
    correlation: float
    covariance: Array = field(repr=False)
    result: Result = field(repr=False)
    record: Record = field(repr=False)
    response: str = "force"
    unit: str = "N"
    doubts: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        rows = [("", "value", "95 % interval", "unit")]
        for name, value in self.parameters.items():
            low, high = self.intervals[name]
            rows.append((name, f"{value:.5g}", f"{low:.5g} … {high:.5g}", self.units[name]))
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        lines = [
            f"Fit of {self.block.name} to {self.record.ticks} ticks of {self.record.period:g} s; "
            f"noise {self.noise:.3g} {self.unit}, correlated by {self.correlation:.2f} from tick to tick"
        ]
        for a, b, c, d in rows:
            lines.append(f"  {a:<{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}  {d}".rstrip())
        return "\n".join([*lines, *self.doubts])

    def plot(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """Data against model over time and as a loop, and what is left. Saved if a path is given."""
        from tegotae import figures
        from tegotae.fitting.picture import of_fit

        figure = of_fit(self)
        if path is not None:
            figures.save(figure, path)
        return figure


def fit(
    machine: type[Block] | Block | SteeringSystem | PlanarRod,
    velocity: ArrayLike | Record | RodRecord | None = None,
    force: ArrayLike | None = None,
    *,
    position: ArrayLike | None = None,
    wheel_angle: ArrayLike | None = None,
    hand_torque: ArrayLike | None = None,
    speed: ArrayLike | None = None,
    period: float | None = None,
    law: type[Law] = Coulomb,
    elements: int | None = None,
    known: Mapping[str, float] | None = None,
    free: Sequence[str] = (),
    measured: Mapping[str, ArrayLike] | None = None,
    initial: Mapping[str, ArrayLike] | None = None,
    progress: bool | Callable[[str, float], None] | None = None,
) -> Fit:
    """Identify a block from a measured record.

    A class of blocks is identified from no initial guess. Any other machine is given as it is, with a first guess of
    what is sought, and ``free`` names that: the parameters of a block (``"stiffness"``, ``"law.limit"``), of a part of
    a circuit (``"brake.law.limit"``), or of an inclusion, given as ``to_stepper(…).as_admittance(…)`` (``"length"``).

    The record is taken to start at rest with the springs slack; a record cut out of a longer one does not, and is
    fitted with ``free=["preload"]``; one whose force sensor has a bias, with ``free=["offset"]``. A log of a wheel that
    does not begin at rest is judged from where the tyre has rolled on, or the wheel has been to both its ends. The
    response (force for an impedance, velocity for an admittance) may carry sensor noise; the other signal is taken as
    it is. A machine is judged as it is stepped at this period: what its steps damp is found in its numbers, and no
    interval tells it; a shorter period brings less.

    Args:
        machine: `FrictionImpedance`, `FrictionAdmittance` or `ParallelFriction`; or any machine that is a block,
            with a first guess of what ``free`` names; or a `SteeringSystem`, whose patch and column are identified from
            a log of its wheel and whose other numbers hold; or a `PlanarRod`, whose elasticity and viscosity are
            identified from a `RodRecord` and whose other numbers hold.
        velocity: mean velocity over each tick [m/s], shape (ticks,) or (ticks, dimension); or a whole `Record`; or,
            for a rod, a `RodRecord`.
        force: force at each tick [N]: what an impedance exerts on its mover (negative at a positive velocity), or
            what drives an admittance.
        position: positions instead of velocity [m], as an encoder gives them.
        wheel_angle: of a steering system, at the end of each tick [rad], (ticks,); one that comes in the steps
            of an encoder is smoothed over 25 ms, and the torque alike.
        hand_torque: on its wheel over each tick [N·m].
        speed: of its vehicle [m/s], a number or (ticks,); the system's own unless given.
        period: T [s].
        law: the class of the friction law: `Coulomb`, `Viscous` or `Stribeck`.
        elements: how many elements a `ParallelFriction` has.
        known: parameters that are known and need not be identified, name -> value in SI units.
        free: of a machine, the parameters to identify, all others hold. Of a class, parameters to identify that are
            otherwise assumed: "exponent" of Stribeck (else 2), and of a `FrictionImpedance` in one direction "preload"
            [N], the force at the very start (else 0). Of both "offset" [N], what the sensor or amplifier adds to the
            force (else 0), in one direction; the block has no offset.
        measured: of a machine, the field that was measured instead of its force or velocity -> its values at the end of
            each tick, (ticks,) or (ticks, dimension), such as {"angle": angles}; one field.
        initial: of a machine, fields of its state to start from instead of rest.
        progress: True shows it on standard error, False does not; by itself it is shown on a terminal when the work
            takes more than a second. A function is called with (stage, fraction done).

    Example:
        >>> import numpy as np, tegotae as tg
        >>> velocity = 0.05 * np.sin(np.arange(0.0, 20.0, 0.005))
        >>> brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
        >>> force = brake.run(velocity, period=1e-3).force
        >>> found = tg.fit(tg.FrictionImpedance, velocity, force, period=1e-3)
        >>> {name: round(value, 3) for name, value in found.parameters.items()}
        {'stiffness': 6000.0, 'damping': 10.0, 'limit': 4.0}

        A sled on a spring, of which only the spring is not known:

        >>> sled = tg.Circuit(tg.Mass(mass=2.0), {"spring": tg.SpringDamper(stiffness=300.0, damping=1.0)})
        >>> push = 3.0 * np.sin(np.arange(0.0, 20.0, 0.01))
        >>> velocity = sled.run(push, period=1e-3).velocity
        >>> guess = tg.Circuit(tg.Mass(mass=2.0), {"spring": tg.SpringDamper(stiffness=100.0, damping=1.0)})
        >>> found = tg.fit(guess, velocity, push, period=1e-3, free=["spring.stiffness"])
        >>> round(found.block.impedances["spring"].stiffness, 3)
        300.0
    """
    from tegotae.fitting.recipes.named import named_recipe, recorded
    from tegotae.fitting.rods import RodRecord, fit_rod
    from tegotae.rod.planar import PlanarRod

    known, free = given_numbers(known), given_names(free)
    if both := [name for name in free if name in known]:
        checks.refuse("fit", f"{both[0]!r} is in known and in free.", "Give it in one of them.")
    own = {"measured": measured, "initial": initial}
    if isinstance(machine, PlanarRod):
        if not isinstance(velocity, RodRecord):
            checks.refuse("fit", "a PlanarRod without its motion.", "Give fit(rod, RodRecord(…)).")
        _refuse_given(
            {"force": force, "position": position, **own}, "for a PlanarRod", "Give a RodRecord, known, free."
        )
        return fit_rod(machine, velocity, known, free, progress)
    if isinstance(velocity, RodRecord):
        checks.refuse("fit", "a RodRecord without a rod.", "Give fit(PlanarRod(…), RodRecord(…)).")
    steered = {"wheel_angle": wheel_angle, "hand_torque": hand_torque, "speed": speed}
    if _is_steering(machine):
        given = {"velocity": velocity, "force": force, "position": position, "elements": elements, **own}
        _refuse_given(given, "for a SteeringSystem", "Give wheel_angle, hand_torque, speed, known, free.")
        return _fit_steering(machine, wheel_angle, hand_torque, speed, period, known, free, progress)
    _refuse_given(steered, "without a steering system", "Fit such as SteeringSystem.paper().")
    if isinstance(machine, Block):
        if law is not Coulomb or elements is not None:
            checks.refuse("fit", f"law or elements for a {machine.name} that has its own.", "Leave them out.")
        log = recorded(machine, velocity, position, force, period, measured)
        return _fit(named_recipe(machine, log, known, free, initial), log, progress)
    _refuse_given(own, "for a class of blocks", "Fit a machine as it is, such as fit(machine, …, free=[…]).")
    return _fit(recipe_for(machine, law, elements, known, free), record_of(velocity, position, force, period), progress)


def _refuse_given(arguments: Mapping[str, object], place: str, remedy: str) -> None:
    for name, value in arguments.items():
        if value is not None:
            checks.refuse("fit", f"{name} {place}.", remedy)


def _fit(recipe: Recipe, record: Record, progress: bool | Callable[[str, float], None] | None) -> Fit:
    with reporter(progress) as tell:
        solution = engine.solve(recipe, record, tell)
    values = {**recipe.known, **solution.values}
    block = recipe.block(values, record.dimension)
    block.check(record.period)
    bias = recipe.offset(values)
    drive: Any = getattr(record, recipe.drive)
    drive = drive - bias if bias and recipe.drive == "force" else drive
    unit = "m/s" if recipe.drive == "velocity" else "N"
    initial = {**recipe.begins, **recipe.initial(values)}
    given, inputs = Signal(recipe.drive, drive, unit), recipe.inputs(record)
    result = run(block, given, record.period, initial=initial, inputs=inputs)
    residual = (
        record.seen(recipe.response)
        - np.asarray(result[recipe.response])
        - (bias if recipe.response == "force" else 0.0)
    )
    residual[: record.judged.start or 0] = 0.0
    return Fit(
        block=block,
        parameters=solution.values,
        intervals=solution.intervals,
        units={q.name: q.unit for q in recipe.free},
        noise=solution.noise,
        residual=residual,
        correlation=solution.correlation,
        covariance=solution.covariance,
        result=result,
        record=record,
        response=recipe.response,
        unit=block.parts[recipe.response].unit,
        doubts=doubts_of(solution, record, residual),
    )


def _is_steering(asked: object) -> TypeGuard[SteeringSystem]:
    from tegotae.steering.system import SteeringSystem

    if asked is SteeringSystem:
        told = "Give one whose gear, geometry and vehicle are known, such as SteeringSystem.paper()."
        checks.refuse("fit", "SteeringSystem is a class.", told)
    return isinstance(asked, SteeringSystem)


def _fit_steering(
    system: SteeringSystem,
    wheel_angle: ArrayLike | None,
    hand_torque: ArrayLike | None,
    speed: ArrayLike | None,
    period: float | None,
    known: Mapping[str, float],
    free: Sequence[str],
    progress: bool | Callable[[str, float], None] | None,
) -> Fit:
    from tegotae.fitting.recipes.steering import SteeringRecipe
    from tegotae.fitting.steering_log import log_of
    from tegotae.steering.vehicle import Bicycle

    if wheel_angle is None or hand_torque is None or period is None:
        missing = {"wheel_angle": wheel_angle, "hand_torque": hand_torque, "period": period}
        first = next(name for name, value in missing.items() if value is None)
        checks.refuse("fit", f"{first} is missing.", "Give wheel_angle, hand_torque and period of the log.")
    tick = checks.period_of("fit", period)
    angles = checks.signal("fit", "wheel_angle", wheel_angle, "rad", 1).ravel()
    torque = checks.signal("fit", "hand_torque", hand_torque, "N·m", 1).ravel()
    if angles.size != torque.size:
        told = "Give one of each for every tick; cut the longer log."
        checks.refuse("fit", f"{angles.size} ticks of wheel_angle but {torque.size} of hand_torque.", told)
    speeds = checks.held("fit", "speed", system.speed if speed is None else speed, "m/s", angles.size)
    if angles.size < 3:
        checks.refuse("fit", f"a log of {angles.size} ticks.", "Give thousands.")
    drifts = isinstance(system.vehicle, Bicycle)
    log = log_of(angles, torque, speeds, tick, 2.0 * system.patch.half_length, drifts)
    return _fit(checked(SteeringRecipe(system, known, log.start, free)), log, progress)
