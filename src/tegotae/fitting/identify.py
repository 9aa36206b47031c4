"""`fit`: from a measured record to a block that is ready to use, and how sure each of its numbers is.

Machines that are fitted to records of their own are known by type: a module that fits one registers it here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Block
from tegotae.fitting.fits import Fit, fit_recipe
from tegotae.fitting.recipe import Recipe
from tegotae.fitting.recipes.friction import AdmittanceRecipe, ImpedanceRecipe
from tegotae.fitting.recipes.laws import recipe_of
from tegotae.fitting.recipes.named import named_recipe, recorded
from tegotae.fitting.recipes.parallel import ParallelRecipe
from tegotae.fitting.record import Record, record_of
from tegotae.friction import Coulomb, FrictionAdmittance, FrictionImpedance, Law, ParallelFriction

MOST_ELEMENTS = 100
# What is taken to be 0 unless it is asked for.
_ASSUMED: dict[object, tuple[str, ...]] = {
    FrictionImpedance: ("preload", "offset"),
    FrictionAdmittance: ("offset",),
}

Progress = bool | Callable[[str, float], None] | None


def fit(
    machine: type[Block] | Block | Any,
    velocity: ArrayLike | Record | Any = None,
    force: ArrayLike | None = None,
    *,
    position: ArrayLike | None = None,
    period: float | None = None,
    law: type[Law] = Coulomb,
    elements: int | None = None,
    known: Mapping[str, float] | None = None,
    free: Sequence[str] = (),
    measured: Mapping[str, ArrayLike] | None = None,
    initial: Mapping[str, ArrayLike] | None = None,
    progress: Progress = None,
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
            a `SteeringRecord` and whose other numbers hold; or a `PlanarRod`, whose elasticity and viscosity are
            identified from a `RodRecord` and whose other numbers hold.
        velocity: mean velocity over each tick [m/s], shape (ticks,) or (ticks, dimension); or a whole `Record`; or
            what was measured of a machine that has records of its own: a `SteeringRecord`, a `RodRecord`.
        force: force at each tick [N]: what an impedance exerts on its mover (negative at a positive velocity), or
            what drives an admittance.
        position: positions instead of velocity [m], as an encoder gives them.
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
    known = checks.mapping("fit", "known", known, 'Give a dict of numbers, such as {"mass": 1.0}.')
    known = {n: checks.number("fit", f"known[{n!r}]", v, "", "Give its value in SI units.") for n, v in known.items()}
    free = tuple(dict.fromkeys(checks.texts("fit", "free", free, "Give a list of names, such as ['preload'].")))
    if both := [name for name in free if name in known]:
        checks.refuse("fit", f"{both[0]!r} is in known and in free.", "Give it in one of them.")
    machine_only = {"measured": measured, "initial": initial}
    if fitter := fitter_of(machine, velocity):
        given = {"force": force, "position": position, "period": period, "elements": elements, **machine_only}
        _refuse_given(given, f"for a {fitter.machine.__name__}", f"Give a {fitter.record.__name__}, known, free.")
        return fitter.fit(machine, velocity, known, free, progress)
    if isinstance(machine, Block):
        if law is not Coulomb or elements is not None:
            checks.refuse("fit", f"law or elements for a {machine.name} that has its own.", "Leave them out.")
        log = recorded(machine, velocity, position, force, period, measured)
        return fit_recipe(named_recipe(machine, log, known, free, initial), log, progress)
    _refuse_given(machine_only, "for a class of blocks", "Fit a machine as it is, such as fit(machine, …, free=[…]).")
    return fit_recipe(
        recipe_for(machine, law, elements, known, free), record_of(velocity, position, force, period), progress
    )


def _refuse_given(arguments: Mapping[str, object], place: str, remedy: str) -> None:
    for name, value in arguments.items():
        if value is not None:
            checks.refuse("fit", f"{name} {place}.", remedy)


def recipe_for(
    machine: object, law: type[Law], elements: int | None, known: Mapping[str, float], free: Sequence[str]
) -> Recipe:
    """The recipe of a block type, with what is known and what is sought."""
    if not any(machine is kind for kind in (FrictionImpedance, FrictionAdmittance, ParallelFriction)):
        others = " or ".join(f"a {fitter.machine.__name__}" for fitter in _FITTERS)
        name = f"machine={getattr(machine, '__name__', checks.shown(machine))}"
        checks.refuse(
            "fit",
            f"{name} has no recipe for identification.",
            f"Use tg.FrictionImpedance, tg.FrictionAdmittance or tg.ParallelFriction, {others}; "
            "or a block with its numbers, an inclusion as to_stepper(…).as_admittance(…), and free=[…].",
        )
    friction = recipe_of(law)
    if machine is ParallelFriction:
        if law is not Coulomb:
            checks.refuse("fit", f"law=tg.{law.__name__} for a composite.", "Its elements are identified as Coulomb.")
        if elements is None:
            checks.refuse("fit", "elements is missing.", "Say how many elements the composite has, such as elements=3.")
        count = checks.whole("fit", "elements", elements, 1, "Say how many elements the composite has.")
        if count > MOST_ELEMENTS:
            checks.refuse("fit", f"elements={str(count)[:20]}.", f"Use {MOST_ELEMENTS} at most; records show a few.")
        _nothing_free(free)
        return ParallelRecipe(count, known)
    if elements is not None:
        problem = f"elements={checks.shown(elements)} for a single element."
        checks.refuse("fit", problem, "Leave it out, or fit tg.ParallelFriction.")
    given = {**friction.given, **dict.fromkeys(_ASSUMED[machine], 0.0)}
    for name in free:
        if name not in given:
            _nothing_free([name])
        del given[name]
    kind = ImpedanceRecipe if machine is FrictionImpedance else AdmittanceRecipe
    return kind(friction, {**given, **known}, given.keys() - known.keys(), free)


def _nothing_free(free: Sequence[str]) -> None:
    if free:
        offered = (
            "It can free the offset of a FrictionImpedance or FrictionAdmittance, the preload of a FrictionImpedance, "
            "and the exponent of Stribeck."
        )
        checks.refuse("fit", f"free has {free[0]!r}.", offered)


# ------------------------------------------------------------ machines with records of their own


class Fitter(NamedTuple):
    """How machines of one type are fitted to records of another; see `register`."""

    machine: type
    record: type
    fit: Callable[[Any, Any, Mapping[str, float], Sequence[str], Progress], Fit]


_FITTERS: list[Fitter] = []


def register(machine: type, record: type, fit: Callable[..., Fit]) -> None:
    """Let `tegotae.fit` fit machines of a type to records of a type.

    Args:
        machine: the type of the machine, such as `PlanarRod`.
        record: the type of what is measured of it, such as `RodRecord`.
        fit: (machine, record, known, free, progress) -> `Fit`.
    """
    _FITTERS.append(Fitter(machine, record, fit))


def fitter_of(machine: object, record: object) -> Fitter | None:
    """The one that fits a machine to a record; None for machines without one of their own.

    Example:
        >>> import tegotae as tg
        >>> from tegotae.fitting.identify import fitter_of
        >>> fitter_of(tg.Mass(mass=1.0), None) is None
        True
    """
    for fitter in _FITTERS:
        kind, wanted = fitter.machine.__name__, f"fit({fitter.machine.__name__}(…), {fitter.record.__name__}(…))"
        if machine is fitter.machine:
            checks.refuse("fit", f"{kind} is a class.", f"Give one whose other numbers are known: {wanted}.")
        if isinstance(machine, fitter.machine):
            if not isinstance(record, fitter.record):
                checks.refuse("fit", f"a {kind} without a {fitter.record.__name__}.", f"Give {wanted}.")
            return fitter
        if isinstance(record, fitter.record):
            checks.refuse("fit", f"a {fitter.record.__name__} without a {kind}.", f"Give {wanted}.")
    return None
