"""`fit`: from a measured record to a block that is ready to use, and how sure each of its numbers is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Block
from tegotae.fitting.fits import Fit, fit_recipe
from tegotae.fitting.recipes import given_names, given_numbers, recipe_for
from tegotae.fitting.recipes.named import named_recipe, recorded
from tegotae.fitting.record import Record, record_of
from tegotae.fitting.registry import fitter_of
from tegotae.friction import Coulomb, Law


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
    known, free = given_numbers(known), given_names(free)
    if both := [name for name in free if name in known]:
        checks.refuse("fit", f"{both[0]!r} is in known and in free.", "Give it in one of them.")
    own = {"measured": measured, "initial": initial}
    if fitter := fitter_of(machine, velocity):
        given = {"force": force, "position": position, "period": period, "elements": elements, **own}
        _refuse_given(given, f"for a {fitter.machine.__name__}", f"Give a {fitter.record.__name__}, known, free.")
        return fitter.fit(machine, velocity, known, free, progress)
    if isinstance(machine, Block):
        if law is not Coulomb or elements is not None:
            checks.refuse("fit", f"law or elements for a {machine.name} that has its own.", "Leave them out.")
        log = recorded(machine, velocity, position, force, period, measured)
        return fit_recipe(named_recipe(machine, log, known, free, initial), log, progress)
    _refuse_given(own, "for a class of blocks", "Fit a machine as it is, such as fit(machine, …, free=[…]).")
    return fit_recipe(
        recipe_for(machine, law, elements, known, free), record_of(velocity, position, force, period), progress
    )


def _refuse_given(arguments: Mapping[str, object], place: str, remedy: str) -> None:
    for name, value in arguments.items():
        if value is not None:
            checks.refuse("fit", f"{name} {place}.", remedy)
