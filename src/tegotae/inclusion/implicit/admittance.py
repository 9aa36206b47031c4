"""A stepped machine as a block: force in, motion out, so that it joins impedances in a `Circuit`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import sympy
from numpy.typing import ArrayLike
from sympy import Symbol

from tegotae import checks
from tegotae.block import Admittance, Kernels
from tegotae.inclusion.implicit.layouts import MIDPOINT, Stepped, element_values
from tegotae.inclusion.implicit.source import module_of
from tegotae.inclusion.language.arguments import TIME, named
from tegotae.naming import checked_changes
from tegotae.state import State

if TYPE_CHECKING:
    from tegotae.inclusion.implicit.stepper import Stepper


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class InclusionAdmittance(Stepped, Admittance):
    """A machine with friction and contact as an admittance: one force in, the velocity it works on out.

    Made by `Stepper.as_admittance`. Its motion is the velocity at the end of the tick: by backward Euler the mean over
    it, by the midpoint rule over a tick that begins half a tick later, as its own elements see it. Runs record
    `velocity` [m/s], every state by its name, every element's force [N] by its name, its `_deflection` [m] and whether
    it `_touches` or `_sticks`, and `unsolved`, how many ticks had no solution so far.

    Args:
        stepper: the machine at its period.
        force: the parameter or input that is the force [N]; several, one a direction, for a motion in space.
        velocity: the state that it works on [m/s]; as many.
        initial: where it starts: state -> value, in SI units; what is not given is 0.

    Example:
        >>> import tegotae as tg
        >>> from tegotae.inclusion import Friction, Inclusion
        >>> slider = Inclusion({"p": "v", "v": "(load - coulomb(4, v, 'rub'))/2"}, inputs={"load": 0.0})
        >>> stepper = slider.to_stepper(period=1e-3, friction=Friction(stiffness=1e5, damping=200.0))
        >>> block = stepper.as_admittance(force="load", velocity="v")
        >>> machine = tg.Circuit(block, {"spring": tg.SpringDamper(stiffness=100.0)})
        >>> [name for name in machine.parts if "rub" in name or "spring" in name]
        ['rub', 'rub_deflection', 'rub_sticks', 'spring.stretch', 'spring.force']
    """

    bounded: ClassVar[bool] = False

    stepper: Stepper
    force: Any
    velocity: Any
    initial: Mapping[Any, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self._forces) != len(self._velocities) or not self._forces:
            checks.refuse(self.name, f"{self._named}.", "Give as many forces as velocities.")
        system = self.stepper.inclusion
        places = [*system.places, ("what multiplies an element's force", system.directions)]
        places += [] if system.mass_matrix is None else [("the mass matrix", system.mass_matrix)]
        for symbol, (place, value) in product(self._forces, places):
            if symbol in value.free_symbols:
                problem = f"force={checks.shown(symbol.name)} is in {place}."
                checks.refuse(self.name, problem, "A force only pushes: put it in rows.")
        given = named(self.name, "initial", self.initial, "{'p': 0.1}")
        object.__setattr__(self, "initial", {str(key): value for key, value in given.items()})
        self.check_names("velocity", "force", "time")
        self.least_reluctance(self.stepper.period)

    def __repr__(self) -> str:
        return f"InclusionAdmittance({self._named}, period={self.stepper.period:g})"

    @property
    def _named(self) -> str:
        return f"force={checks.shown(self.force)}, velocity={checks.shown(self.velocity)}"

    @property
    def dimension(self) -> int:  # type: ignore[override]
        """As many as it has forces."""
        return len(self._forces)

    @cached_property
    def _forces(self) -> tuple[Symbol, ...]:
        system = self.stepper.inclusion
        known = (*system.parameters, *system.callables)
        remedy = f"It has {', '.join(s.name for s in known) or 'none'}; declare a force as inputs={{'force': 0.0}}."
        return self._symbols("force", "is neither a parameter nor an input", known, remedy)

    @cached_property
    def _velocities(self) -> tuple[Symbol, ...]:
        states = self.stepper.inclusion.states
        remedy = f"States are {', '.join(s.name for s in states)}."
        return self._symbols("velocity", "is not a state", states, remedy)

    def _symbols(self, name: str, problem: str, known: Sequence[Symbol], remedy: str) -> tuple[Symbol, ...]:
        """Those that a field names."""
        given = getattr(self, name)
        by_name = {key: symbol for symbol in known for key in (symbol, symbol.name)}
        keys = tuple(given) if isinstance(given, (tuple, list)) else (given,)
        for key in keys:
            if not isinstance(key, (str, Symbol)):
                checks.refuse(self.name, f"{name}={checks.shown(key)} is not a name.", "Give a symbol or its name.")
            if key not in by_name:
                checks.refuse(self.name, f"{name}={checks.shown(key)} {problem}.", remedy)
        return tuple(by_name[key] for key in keys)

    def named_parts(self) -> Mapping[str, Any]:
        """The machine's parameters, and its elements; not what drives it."""
        parts, driven = self.stepper.named_parts(), {symbol.name for symbol in self._forces}
        return {**parts, "": {name: value for name, value in parts[""].items() if name not in driven}}

    @property
    def variable(self) -> tuple[str, ...]:
        """The numbers of its machine, and its own fields."""
        return (*self.numbers, "stepper", "force", "velocity", "initial")

    def varied(self, changes: Mapping[str, Any]) -> InclusionAdmittance:
        """The same with other numbers of its machine, or other fields."""
        changes = checked_changes(self.name, changes)
        fields = {name: value for name, value in changes.items() if name in ("stepper", "force", "velocity", "initial")}
        numbers = {name: value for name, value in changes.items() if name not in fields}
        stepper = fields.pop("stepper", self.stepper)
        return dataclasses.replace(self, stepper=stepper.varied(numbers) if numbers else stepper, **fields)

    # ------------------------------------------------------------ the block

    @property
    def values(self) -> dict[str, ArrayLike]:
        """The machine's parameters, then stiffness and damping of each element."""
        system = self.stepper.inclusion
        numbers: dict[str, ArrayLike] = {symbol.name: value for symbol, value in system.parameters.items()}
        return numbers | element_values(self.stepper)

    @property
    def kernels(self) -> Kernels:
        """Made from the generated module."""
        return Kernels(module_of(self.stepper, self._forces, self._velocities).make_block)

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> State:
        """Where it starts, with the fields named in `initial` set; a velocity by either of its names."""
        given = dict(initial or {})
        state = super().initial_state(period, given)
        if "velocity" in given:
            for symbol, velocity in zip(self._velocities, state.part("velocity").tolist(), strict=True):
                if symbol.name in given and state[symbol.name] != velocity:
                    checks.refuse(self.name, f"initial gives velocity and {symbol.name!r}.", "Give one of them.")
                given[symbol.name] = state[symbol.name] = velocity
        for name, value in self.stepper.start_values(self.initial).items():
            if name not in given:
                given[name] = state[name] = value
        self.stepper.rest(state, given)
        state["velocity"] = [state[symbol.name] for symbol in self._velocities]
        return state

    def least_reluctance(self, period: float) -> float:
        """The smallest rise of the needed force with the velocity [N·s/m] where it starts, elements left out."""
        stepper = self.stepper
        system, terms = stepper.inclusion, stepper.inclusion.terms
        n = len(system.states)
        x = np.array([float(self.initial.get(s.name, 0.0)) for s in system.states])
        M, S = terms.plain("mass", 0.0, x, (n, n)), terms.plain("smooth_slope", 0.0, x, (n, n))
        symbols, values = (*system.states, *system.callables), (*x.tolist(), *terms.inputs_at(0.0).tolist())
        numbers = system.parameters | dict(zip(symbols, values, strict=True)) | {TIME: 0.0}
        push = np.array(sympy.Matrix(system.smooth).jacobian(self._forces).subs(numbers), dtype=np.float64)
        places, largest = [system.states.index(v) for v in self._velocities], 0.0
        # The midpoint rule, too, takes a tick by backward Euler where a contact was entered.
        for theta in (0.5, 1.0) if stepper.method == MIDPOINT else (1.0,):
            response = np.linalg.solve(M / period - theta * S, push)[places]
            moved = np.linalg.eigvalsh(0.5 * (response + response.T))
            if moved.min() <= 0.0:
                checks.refuse(
                    self.name,
                    f"with {self._named} the force does not push the velocity forward "
                    f"({moved.min():g} m/s per newton over a tick).",
                    "Name the force and the velocity of the same point, in the same direction.",
                )
            largest = max(largest, float(moved.max()))
        return 1.0 / largest
