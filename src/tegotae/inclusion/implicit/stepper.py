"""The implicit route: an inclusion stepped at a fixed period, every contact and friction at once."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike
from sympy import Symbol

from tegotae import checks
from tegotae.block import Kernels
from tegotae.checks import Array
from tegotae.contact import restitutions
from tegotae.errors import TegotaeError
from tegotae.inclusion.elements.mobility import rest_of_contacts
from tegotae.inclusion.elements.parameters import Contact, Friction
from tegotae.inclusion.implicit.admittance import InclusionAdmittance
from tegotae.inclusion.implicit.layouts import HELD, METHODS, MIDPOINT, Stepped, element_values, fed_names, words_of
from tegotae.inclusion.implicit.live import LiveStepper
from tegotae.inclusion.implicit.source import module_of
from tegotae.inclusion.language.arguments import check_values, named
from tegotae.inclusion.language.equations import Equations
from tegotae.naming import checked_changes
from tegotae.result import Result, Variable
from tegotae.running import loop
from tegotae.state import State


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Stepper(Stepped):
    """A machine with friction and contact at a fixed rate: what sticks stays, and no stiffness is too stiff.

    It is the differential-algebraic inclusion of xiong2011. Each tick solves for all element forces together; a tick
    without a solution is counted and warned of, never hidden.

    Args:
        inclusion: the machine.
        period: T [s], > 0.
        elements: element name -> `Contact` or `Friction` (its alpha is not used here).
        method: "midpoint" or "euler", of what is smooth between friction and contact. What sticks or is pressed on is
            solved at the end of the tick by both: it does not creep, ring or bounce, however stiff.
        restitution: speed of parting over speed of approach in an impact, 0 to 1 [-], for all contacts or by name.
            Contacts without one are met by their stiffness and damping alone.

    The midpoint rule is of second order while nothing begins to stick, slip or touch, and springs in rows keep their
    energy. Backward Euler is of first order: it takes about w T/2 of an oscillation's critical damping, for w [rad/s].
    Prefer it where rows hold what is far too quick for the period and shall be over in a tick: a damper of more than
    2 m/T, a spring of more than 4 m/T². By the midpoint rule such parts stay bounded but ring, changing sign from tick
    to tick. Written as `coulomb` or `dio`, stiff parts do not ring by either method.

    By the midpoint rule inputs of the time are taken at the middle of a tick in rows and limits, at its end in slips;
    what is fed holds over the tick. States are those of the end, forces those over the tick. Gaps and deflections are
    followed half a tick ahead of the states: `_deflection` and `_touches` tell of there, which is the same at rest, and
    what is fed into a gap is met there: feed the place of a wall that moves as it is half a tick later.

    Where a contact has a restitution an impact is an instant, inside its tick: the gap opens at restitution times the
    speed at which it closed (Newton's law), whatever the mass, the period and the stiffness; friction gives impulses by
    Coulomb's law with the slip after it; all that touches there and has a restitution takes part, and is rigid. Where
    that would gain energy, as Newton's law can with friction, as much less is given back. `to_events` and `to_ode`
    follow the same law. Bounces that would be over within a tick are rest; what an impact drives together is struck in
    the next tick. The force told of that tick is its mean.

    Its parameters and input functions may be fed. `batch` varies its parameters by their names, and those of elements
    with theirs in front, such as "rub.stiffness".

    Example:
        >>> from tegotae.inclusion import Contact, Friction, Inclusion
        >>> rows = {"p": "v", "v": "(load - coulomb(limit, v, 'rub'))/m"}
        >>> block = Inclusion(rows, {"m": 1.0, "limit": 4.0, "load": 0.0})
        >>> stepper = block.to_stepper(period=1e-3, friction=Friction(stiffness=1e5, damping=200.0))
        >>> run = stepper.run(inputs={"load": [3.0] * 500 + [5.0] * 500})
        >>> bool(run.rub_sticks[499]), bool(run.rub_sticks[999]), round(float(run.v[-1]), 2)
        (True, False, 0.5)
    """

    inclusion: Equations
    period: float
    elements: Mapping[str, Contact | Friction]
    method: str = MIDPOINT
    restitution: float | Mapping[str, float] | None = None

    dimension = 0
    gives = "velocity"
    runs_itself = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "period", checks.period_of("Stepper", self.period))
        self.inclusion.refuse_static("Stepper", "a step has one limit at rest")
        checks.choice("Stepper", "method", self.method, METHODS)
        _ = self.restitutions
        self.check_names()

    def __repr__(self) -> str:
        by = "" if self.method == MIDPOINT else f", method={checks.shown(self.method)}"
        return f"Stepper({self.inclusion!r}, period={self.period:g} s{by})"

    @cached_property
    def restitutions(self) -> dict[str, float]:
        """Of each contact that has one, by its name."""
        return restitutions("Stepper", [contact.name for contact in self.inclusion.contacts], self.restitution)

    # ------------------------------------------------------------ the block

    @property
    def values(self) -> dict[str, ArrayLike]:
        """Stiffness and damping of each element; parameters are fed."""
        return element_values(self)

    @property
    def kernels(self) -> Kernels:
        """Made from the generated module."""
        return Kernels(module_of(self).make_block)

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> State:
        """At rest, with the parts named in `initial` set; a contact that starts pressed pushes as if it rested there.

        Parameters are the machine's own unless given; of an input, one that is given holds.
        """
        state = super().initial_state(period, initial)
        given, system = initial or {}, self.inclusion
        for symbol, name in self.fed_names.items():
            if symbol in system.callables:
                if name in given and f"{HELD}.{name}" not in given:
                    state[f"{HELD}.{name}"] = 1
            elif name not in given:
                state[name] = system.parameters[symbol]
        self.rest(state, given)
        return state

    def rest(self, state: State, given: Mapping[str, Any]) -> None:
        """Set what springs give way where a state starts, but for those given; also of a block with a port."""
        system = self.inclusion
        x = np.array([state[s.name] for s in system.states])
        known = {e.name for e in system.elements if f"{e.name}_deflection" in given}
        for name, depth in rest_of_contacts("Stepper", system, self.elements, x, 0.0, known, "{}").items():
            state[f"{name}_deflection"] = depth

    def start_values(self, initial: Mapping[Any, Any] | None) -> Mapping[str, Any]:
        """What a user starts from by the names of its parts: an element's name gives its deflection."""
        if isinstance(initial, State):
            return initial
        states = [s.name for s in self.inclusion.states]
        single = [e.name for e in self.inclusion.elements if len(e.forces) == 1]  # those along a line
        found: dict[str, Any] = {}
        for key, value in named("Stepper", "initial", initial, "{'p': 0.1}").items():
            name = f"{key}_deflection" if str(key) in single else str(key)
            if name not in self.parts or name in words_of(self.inclusion):
                checks.refuse("Stepper", f"initial names {str(key)!r}.", f"It has {', '.join([*states, *single])}.")
            found[name] = value
        return found

    def see_divergence(self, table: Array, every: int, period: float, began: State) -> None:
        """An error that names the time, and an input that is not finite."""
        if checks.is_finite(table):
            return
        row, system = int(np.argmin(np.isfinite(table).all(axis=0))), self.inclusion
        names, before = self.fed_names, began["ticks"]
        unfed = np.array([began[f"{HELD}.{names[symbol]}"] == 0 for symbol in system.callables], dtype=bool)
        for tick in range(before + row * every, before + (row + 1) * every):
            for t in self.input_times(tick):
                check_values(self.name, system.callables, np.where(unfed, system.terms.inputs_at(t), 0.0), t)
        self.diverged((before + (row + 1) * every) * self.period, "at" if every == 1 else "before")

    def diverged(self, when: float, word: str = "at") -> NoReturn:
        """Say that its states left the range of numbers at some time [s]."""
        raise TegotaeError(
            f"Stepper: it diverged {word} t={when:g} s: the states are no longer finite.\n"
            "  Is the mass matrix regular, and does every friction oppose its slip? If so, use a shorter period."
        )

    def input_times(self, tick: int) -> list[float]:
        """When a tick asks for inputs of the time [s]; the first is number 0."""
        parts = (0.5, 1.0, 1.5) if self.method == MIDPOINT else (1.0,)
        return [(tick + part) * self.period for part in parts]

    @cached_property
    def fed_names(self) -> dict[Symbol, str]:
        """What the state calls each parameter and input."""
        return fed_names(self.inclusion)

    def named_parts(self) -> Mapping[str, Any]:
        """Its parameters by their names, restitutions, and its elements."""
        numbers = {symbol.name: float(value) for symbol, value in self.inclusion.parameters.items()}
        bounces = {f"{name}.restitution": value for name, value in self.restitutions.items()}
        return {"": numbers | bounces, **self.elements}

    def varied(self, changes: Mapping[str, Any]) -> Stepper:
        """The same machine with other numbers, by the names in `variable`."""
        numbers: dict[str, float] = {}
        elements, bounces, known = dict(self.elements), dict(self.restitutions), self.variable
        for name, value in checked_changes(self.name, changes).items():
            if name not in known:
                checks.refuse(self.name, f"it has no number {name!r}.", f"It has {', '.join(known)}.")
            element, dot, word = name.rpartition(".")
            if name in elements:
                kind: Any = type(elements[name])
                elements[name] = checks.instance(self.name, name, value, kind, f"Give a {kind.__name__}(...).")
            elif dot and element in bounces and word == "restitution":
                bounces[element] = value
            elif dot and element in elements:
                derived = {"alpha": 0.0} if isinstance(elements[element], Contact) else {}  # it is not used here
                elements[element] = dataclasses.replace(elements[element], **derived | {word: value})
            else:
                numbers[name] = checks.number(self.name, name, value, "", "Give one finite number, in SI units.")
        system = _with_numbers(self.inclusion, numbers)
        return dataclasses.replace(self, inclusion=system, elements=elements, restitution=bounces or None)

    # ------------------------------------------------------------ running

    def run(
        self,
        *,
        period: float | None = None,
        ticks: int | None = None,
        every: int = 1,
        record: Sequence[str] | None = None,
        initial: Mapping[Any, ArrayLike] | None = None,
        inputs: Mapping[Any, ArrayLike] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Result:
        """A whole record, compiled.

        Args:
            period: T [s]; its own, if it is given.
            ticks: how many; not needed if `inputs` gives records.
            every: record every so many ticks.
            record: names of what to record, of those below; all of them unless given.
            initial: state -> value, in SI units; what is not given is 0. An element's name gives its deflection [m].
            inputs: parameter or input function -> its values over the ticks, (ticks,), in SI units; a number holds.
            progress: called with the share that is done, now and then.

        Returns:
            Time, every state by name, each element's force [N] by its name, its `_deflection` [m], and whether it
            `_touches` (contacts) or `_sticks` (frictions). `about` says how steps were solved.
        """
        period = self.period if period is None else checks.period_of(self.name, period)
        count, fed = self._records(inputs, ticks)
        plain = loop.run(
            self,
            loop.Signal("force", np.empty((count, 0)), "N"),
            period,
            every=every,
            record=record,
            initial=initial,
            inputs={self.fed_name(key): column for key, column in fed.items()},
            progress=progress,
        )
        rows = plain.variables["time"].values.size
        variables = {"time": plain.variables["time"]}
        for key, column in fed.items():
            values = np.full(rows, float(column)) if column.ndim == 0 else column[every - 1 :: every].copy()
            variables[str(key)] = Variable(("time",), values, "", "as given")
        variables |= _variables(self.inclusion, plain)
        about = {name: value for name, value in plain.about.items() if name != "block"}
        return Result(variables, title="Stepper", about=about)

    def start(self, *, period: float | None = None, initial: Mapping[Any, ArrayLike] | None = None) -> LiveStepper:
        """A live machine for a control loop; its kernels are warm when this returns.

        Args:
            period: T [s]; its own, if it is given.
            initial: state -> value, in SI units; what is not given is 0. An element's name gives its deflection [m].
        """
        return LiveStepper(self, self.period if period is None else period, initial)

    def as_admittance(
        self, *, force: Any, velocity: Any, initial: Mapping[Any, float] | None = None
    ) -> InclusionAdmittance:
        """The machine as a block, force in and motion out: alone, in a loop, or with impedances in a `Circuit`.

        Args:
            force: the parameter or input that is the force [N]; a tuple, one a direction, for a motion in space.
            velocity: the state that it works on [m/s]; as many.
            initial: where it starts: state -> value, in SI units; what is not given is 0.
        """
        return InclusionAdmittance(
            stepper=self, force=force, velocity=velocity, initial=named("Stepper", "initial", initial, "{}")
        )

    def fed_name(self, key: Any) -> str:
        """What the state calls a parameter or input function, by symbol or name."""
        for symbol, name in self.fed_names.items():
            if key in (symbol, symbol.name):
                return name
        names = ", ".join(symbol.name for symbol in self.fed_names) or "none"
        return checks.refuse(
            "Stepper",
            f"inputs names {str(key)!r}, which is neither a parameter nor an input function.",
            f"It has {names}; a quantity to be fed is declared among the parameters.",
        )

    def _records(self, inputs: Mapping[Any, ArrayLike] | None, ticks: int | None) -> tuple[int, dict[Any, Array]]:
        """How many ticks, and what is fed in them: numbers, and records of that length."""
        fed: dict[Any, Array] = {}
        for key, value in named("Stepper", "inputs", inputs, "{'load': [1.0, 2.0]}").items():
            self.fed_name(key)
            fed[key] = checks.array("Stepper", f"inputs[{str(key)!r}]", value, "")
        lengths = {column.shape[0] for column in fed.values() if column.ndim == 1}
        if ticks is not None:
            lengths.add(checks.whole("Stepper", "ticks", ticks, 1, "Give how many ticks to run."))
        if len(lengths) != 1 or any(column.ndim > 1 for column in fed.values()) or 0 in lengths:
            shapes = ", ".join(f"{key}: {column.shape}" for key, column in fed.items()) or "none"
            checks.refuse(
                "Stepper",
                f"run got ticks={ticks} and inputs of shapes {shapes}.",
                "Give ticks=, or records of one length (ticks,), or both alike.",
            )
        count = lengths.pop()
        checks.fits_in_memory("Stepper", f"a run of {count} ticks", float(count), "Use fewer ticks.")
        return count, fed


def _variables(system: Equations, plain: Result) -> dict[str, Variable]:
    """What was recorded, element by element; whether one touches or sticks as true or false."""
    words = words_of(system)
    found = {name: plain.variables[name] for name in plain.variables if name != "time"}
    order = [*(s.name for s in system.states), *(name for group in words.values() for name in group)]
    variables = {name: found[name] for name in order if name in found} | found
    for _, _, flag in words.values():
        if flag in variables:
            word = flag.rpartition("_")[2]
            variables[flag] = Variable(variables[flag].dims, variables[flag].values > 0.5, "", f"whether it {word}")
    return variables


def _with_numbers(system: Equations, values: Mapping[str, float]) -> Equations:
    """The same with other parameters; what was generated of it does not know the numbers, and is shared."""
    if not values:
        return system
    other = copy.copy(system)
    other.parameters = {s: values.get(s.name, v) for s, v in system.parameters.items()}
    terms = copy.copy(system.terms)
    terms.inclusion, terms.values = other, np.array(list(other.parameters.values()), dtype=np.float64)
    other.__dict__["terms"] = terms
    return other
