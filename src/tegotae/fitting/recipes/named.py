"""The recipe of any machine whose parameters have names: it begins from the machine's own numbers.

What holds for one kind of block, such as what a record must show, is not known here; the intervals say it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Block, Impedance
from tegotae.checks import Array
from tegotae.coupling.circuit import Circuit
from tegotae.fitting.recipe import Recipe, Sought, Values
from tegotae.fitting.record import Record, record_of

FARTHEST = 10.0  # factor either way of the machine's own numbers within which the search begins
BEGINNINGS = 20  # for each parameter


@dataclass(frozen=True, eq=False)
class Observed(Record):
    """A record of a machine: what drove it, and one field that was measured; its period is the machine's own.

    Args:
        velocity: what moved it [m/s], if it is an impedance.
        force: what pushed it [N], if it is an admittance.
        period: T [s].
        response: the field that was measured.
        measured: its values at the end of each tick.
    """

    response: str
    measured: Array

    def seen(self, response: str) -> Array:
        """What was measured."""
        return self.measured

    def thinned(self, most: int) -> Record:
        """As it is: at another period it would be another machine."""
        return self


class NamedRecipe(Recipe):
    """Any block, by the names of the parameters that are sought; all others hold.

    Args:
        machine: the block, with a first guess of what is sought.
        response: the field that was measured.
        free: names of the parameters to identify, "offset" of the force among them if wanted.
        initial: fields of the state to start from instead of rest.
    """

    rugged = None

    def __init__(self, machine: Block, response: str, free: Sequence[str], initial: Mapping[str, ArrayLike]):
        self.drive = "velocity" if isinstance(machine, Impedance) else "force"
        self.machine, self.response, self.begins = machine, response, dict(initial)
        self.biased = "force" in (self.drive, response)
        self.guesses = {name: value for name, value in machine.numbers.items() if name in free}
        parts: list[Block] = [machine]
        if isinstance(machine, Circuit):
            parts = [*machine.admittances.values(), *machine.impedances.values()]
        self.bounded = all(part.bounded for part in parts)
        known = {} if "offset" in free or not self.biased else {"offset": 0.0}
        super().__init__(known, known, set(free) & {"offset"})

    @property
    def parameters(self) -> tuple[Sought, ...]:
        """Those that are sought, positive ones by their logarithm, and the offset of the force."""
        sought = tuple(Sought(n, self.machine.unit_of(n), "", signed=value < 0.0) for n, value in self.guesses.items())
        return (*sought, Sought("offset", "N", "", signed=True)) if self.biased else sought

    def block(self, values: Mapping[str, float], dimension: int) -> Block:
        """The machine with these numbers."""
        made: Block = self.machine.varied({name: values[name] for name in self.guesses})
        return made

    def trial(self) -> Values:
        """A little off its own numbers, so that they still make the machine."""
        values = {name: value * (1.0 + 1e-4 * np.sqrt(2.0 + i)) for i, (name, value) in enumerate(self.guesses.items())}
        return values if "offset" in self.known else {**values, "offset": 1.0}

    def inspect(self, record: Record) -> None:
        """Something must happen."""
        if np.ptp(record.seen(self.response), axis=0).max() == 0.0:
            checks.refuse("fit", f"{self.response} never changes, so it shows nothing.", "Record a motion.")

    def scales(self, values: Values, record: Record) -> Values:
        """A negative number by itself, the offset by the largest force."""
        push = float(np.max(np.abs(record.force)))
        return {name: abs(value) for name, value in self.guesses.items()} | {"offset": push or 1.0}

    def starts(self, record: Record) -> Iterable[Values]:
        """Its own numbers, and many around them, spread evenly."""
        from scipy.stats import qmc

        bias = {} if "offset" in self.known else {"offset": record.off_centre}
        yield {**self.guesses, **bias}
        powers = qmc.Halton(len(self.guesses), seed=0).random(BEGINNINGS * len(self.guesses)) if self.guesses else ()
        for row in powers:
            factors = FARTHEST ** (2.0 * np.asarray(row) - 1.0)
            guess = {name: float(value * f) for (name, value), f in zip(self.guesses.items(), factors, strict=True)}
            if self.exists(guess, record):
                yield {**guess, **bias}


def recorded(
    machine: Block,
    velocity: ArrayLike | Record | None,
    position: ArrayLike | None,
    force: ArrayLike | None,
    period: float | None,
    measured: Mapping[str, ArrayLike] | None,
) -> Observed:
    """What drove a machine and what it did, from whatever way it was given."""
    felt = isinstance(machine, Impedance)
    if measured is None:
        record = record_of(velocity, position, force, period)
        response = "force" if felt else "velocity"
        seen = record.seen(response)
    else:
        response, seen = _measured(machine, measured)
        none = np.zeros((seen.shape[0], machine.dimension))
        for name, value in ({"force": force} if felt else {"velocity": velocity, "position": position}).items():
            if value is not None:
                remedy = f"Leave it out: what is compared is measured[{response!r}]."
                checks.refuse("fit", f"{name} beside measured for a {machine.name}.", remedy)
        if felt:
            record = record_of(
                velocity, position, _as_long_as(velocity if position is None else position, none), period
            )
        else:
            pushed = none if force is None else force
            record = record_of(_as_long_as(pushed, none), None, pushed, period)
    if record.ticks != seen.shape[0]:
        problem = f"{record.ticks} ticks of {'motion' if felt else 'force'} but {seen.shape[0]} of {response}."
        checks.refuse("fit", problem, "Give one of each for every tick; cut the longer record.")
    if record.dimension != machine.dimension:
        problem = f"a record of {record.dimension} direction(s) for a {machine.name} of {machine.dimension}."
        checks.refuse("fit", problem, "Give one column for each direction.")
    machine.check(record.period)
    return Observed(record.velocity, record.force, record.period, response, seen)


def _measured(machine: Block, measured: object) -> tuple[str, Array]:
    """The field and its values."""
    if not isinstance(measured, Mapping) or len(measured) != 1:
        checks.refuse("fit", f"measured={measured!r:.80}.", "Give one field and its values: measured={'q': angles}.")
    ((response, values),) = measured.items()
    places = machine.spaces.state.places
    if response in places:
        place = places[response]
        length = place.stop - place.start
        return response, checks.signal("fit", f"measured[{response!r}]", values, place.part.unit, length)
    remedy = f"It has {', '.join(name for name, part in machine.parts.items() if part.recorded)}."
    return checks.refuse("fit", f"measured has {response!r}, which is not a field of this {machine.name}.", remedy)


def _as_long_as(given: Any, none: Array) -> Array:
    """Zeros for what nobody compares; as many as were given, so that a wrong length is told of the right thing."""
    shape = np.shape(given)
    return np.zeros((shape[0], none.shape[1])) if shape and shape[0] else none


def named_recipe(
    machine: Block,
    record: Observed,
    known: Mapping[str, float],
    free: Sequence[str],
    initial: Any,
) -> NamedRecipe:
    """The recipe of a machine, or an error that says which names it has."""
    if isinstance(machine, Circuit) and machine.bases:
        problem = f"the circuit has bases={list(machine.bases)}, whose motion a record does not hold."
        checks.refuse("fit", problem, "Fit one whose bases stand still: leave bases out.")
    if not isinstance(initial, Mapping | None):
        remedy = "Give fields and values: initial={'velocity': 1.0}."
        checks.refuse("fit", f"initial={initial!r:.80} has no names.", remedy)
    offered = machine.numbers
    there = ", ".join(offered) or "no parameters by name"
    for label, names in (("known", known), ("free", free)):
        for name in names:
            if name not in offered and not (name == "offset" and label == "free"):
                checks.refuse("fit", f"{label} has {name!r}.", f"This {machine.name} has {there}.")
    if not free:
        problem = f"this {machine.name} has no recipe of its own for what is sought: free names none of its parameters."
        checks.refuse("fit", problem, f"Give free=[…], of {there}; or a class that has a recipe, such as tg.Friction….")
    for name in free:
        if isinstance(offered.get(name), int):
            checks.refuse("fit", f"free has {name!r}, which is a whole number.", f"Compare a few: batch({name}=[...]).")
        if offered.get(name) == 0.0:
            checks.refuse("fit", f"free has {name!r}, which is 0 in this machine.", "Give it a first guess above 0.")
    return NamedRecipe(machine.varied(known) if known else machine, record.response, free, initial or {})
