"""A stepped machine as a block: force in, motion out, so that it joins impedances in a `Circuit`."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import sympy
from numpy.typing import ArrayLike
from sympy import Symbol

from tegotae import checks
from tegotae.block import Admittance, Kernels
from tegotae.checks import Array
from tegotae.inclusion.implicit.layouts import REMEDY, about_end, check_names, element_values, layouts_of
from tegotae.inclusion.implicit.source import module_of
from tegotae.inclusion.language.arguments import named
from tegotae.layout import Layouts
from tegotae.state import State

if TYPE_CHECKING:
    from tegotae.inclusion.implicit.stepper import Stepper

_TAKEN = ("velocity", "force", "time", "ticks", "unsolved", "first_unsolved_tick")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class InclusionAdmittance(Admittance):
    """A machine with friction and contact as an admittance: one force in, the velocity it works on out.

    Made by `Stepper.as_admittance`. Its motion is the mean velocity over the tick, which backward Euler makes the one
    at its end. Runs record `velocity` [m/s], every state by its name, every element's force [N] by its name, its
    `_deflection` [m] and whether it `_touches` or `_sticks`, and `unsolved`, how many ticks had no solution so far.

    Args:
        stepper: the machine at its period.
        force: the parameter or input that is the force [N]; several, one a direction, for a motion in space.
        velocity: the state that it works on [m/s]; as many.
        initial: where it starts: state -> value, in SI units; what is not given is 0.

    Example:
        >>> import tegotae as tg
        >>> from tegotae.inclusion import Friction, Inclusion
        >>> slider = Inclusion({"p": "v", "v": "(load - coulomb(4, v, 'rub'))/2"}, inputs={"load": 0.0})
        >>> stepper = slider.to_stepper(period=1e-3, friction=Friction(stiffness=1e5, beta=2e-3))
        >>> block = stepper.as_admittance(force="load", velocity="v")
        >>> machine = tg.Circuit(block, {"spring": tg.SpringDamper(stiffness=100.0)})
        >>> [name for name in machine.parts if "rub" in name or "spring" in name]
        ['rub', 'rub_deflection', 'rub_sticks', 'spring.stretch', 'spring.force']
    """

    figure: ClassVar[str] = "inclusion"
    bounded: ClassVar[bool] = False
    unsolved_remedy: ClassVar[str] = REMEDY

    stepper: Stepper
    force: Any
    velocity: Any
    initial: Mapping[Any, float] = field(default_factory=dict)
    dimension: int = field(init=False)
    _forces: tuple[Symbol, ...] = field(init=False)
    _velocities: tuple[Symbol, ...] = field(init=False)

    def __post_init__(self) -> None:
        forces, velocities = _listed(self.force), _listed(self.velocity)
        if len(forces) != len(velocities) or not forces:
            checks.refuse(
                self.name,
                f"force={checks.shown(self.force)} and velocity={checks.shown(self.velocity)}.",
                "Give as many forces as velocities.",
            )
        for name, keys in (("force", forces), ("velocity", velocities)):
            for key in keys:
                if not isinstance(key, (str, Symbol)):
                    checks.refuse(self.name, f"{name}={checks.shown(key)} is no name.", "Give a symbol or its name.")
        object.__setattr__(self, "_forces", tuple(self._force_of(key) for key in forces))
        object.__setattr__(self, "_velocities", tuple(self._velocity_of(key) for key in velocities))
        object.__setattr__(self, "dimension", len(forces))
        given = named(self.name, "initial", self.initial, "{'p': 0.1}")
        object.__setattr__(self, "initial", {str(key): value for key, value in given.items()})
        check_names(self.name, self.stepper.inclusion, _TAKEN)
        self.least_reluctance(self.stepper.period)

    def __repr__(self) -> str:
        arguments = (
            f"force={checks.shown(self.force)}, velocity={checks.shown(self.velocity)}, period={self.stepper.period:g}"
        )
        return f"InclusionAdmittance({arguments})"

    def _force_of(self, key: Any) -> Symbol:
        system = self.stepper.inclusion
        known = (*system.parameters, *system.callables)
        symbol = next((s for s in known if key in (s, s.name)), None)
        if symbol is None:
            names = ", ".join(s.name for s in known) or "none"
            checks.refuse(
                self.name,
                f"force={checks.shown(key)} is no parameter and no input.",
                f"It has {names}; declare the force with inputs={{{str(key)!r}: 0.0}}.",
            )
        places = [
            *((f"the gap of {c.name!r}", c.gap) for c in system.contacts),
            *((f"the slip of {f.name!r}", slip) for f in system.frictions for slip in f.slips),
            *((f"the limit of {f.name!r}", f.limit) for f in system.frictions),
            ("what multiplies an element's force", system.directions),
            ("the mass matrix", system.mass_matrix if system.mass_matrix is not None else sympy.S.One),
        ]
        for place, value in places:
            if symbol in value.free_symbols:
                checks.refuse(
                    self.name,
                    f"force={checks.shown(symbol.name)} is in {place}.",
                    "A force only pushes: put it in rows.",
                )
        return symbol

    def _velocity_of(self, key: Any) -> Symbol:
        states = self.stepper.inclusion.states
        symbol = next((s for s in states if key in (s, s.name)), None)
        if symbol is None:
            names = ", ".join(s.name for s in states)
            checks.refuse(self.name, f"velocity={checks.shown(key)} is no state.", f"States are {names}.")
        return symbol

    @property
    def numbers(self) -> dict[str, float]:
        """The machine's parameters, and those of its elements with their names in front; not what drives it."""
        driven = {symbol.name for symbol in self._forces}
        return {name: value for name, value in self.stepper.numbers.items() if name not in driven}

    def unit_of(self, name: str) -> str:
        """Of an element's number; an inclusion's own have none but SI's."""
        return self.stepper.unit_of(name)

    @property
    def variable(self) -> tuple[str, ...]:
        """The numbers of its machine, and its own fields."""
        return (*self.numbers, "stepper", "force", "velocity", "initial")

    def varied(self, changes: Mapping[str, Any]) -> InclusionAdmittance:
        """The same with other numbers of its machine, or other fields."""
        fields = {name: value for name, value in changes.items() if name in ("stepper", "force", "velocity", "initial")}
        numbers = {name: value for name, value in changes.items() if name not in fields}
        stepper = fields.pop("stepper", self.stepper)
        return dataclasses.replace(self, stepper=stepper.varied(numbers) if numbers else stepper, **fields)

    # ------------------------------------------------------------ the block

    @cached_property
    def layout(self) -> Layouts:
        """Velocity, states, element forces, deflections and modes, then what no run records."""
        return layouts_of(self.stepper.inclusion, self.dimension)

    @property
    def values(self) -> dict[str, ArrayLike]:
        """The machine's parameters, then stiffness and beta of each element."""
        system = self.stepper.inclusion
        numbers: dict[str, ArrayLike] = {symbol.name: value for symbol, value in system.parameters.items()}
        return numbers | element_values(self.stepper.elements, system)

    @property
    def kernels(self) -> Kernels:
        """Made from the generated module."""
        return Kernels(module_of(self.stepper.inclusion.terms, self._forces, self._velocities).make_block)

    def check(self, period: float) -> None:
        """The stepper's own period only."""
        if not math.isclose(period, self.stepper.period, rel_tol=1e-9):
            checks.refuse(
                self.name,
                f"period={period:g} s, but its stepper was made for {self.stepper.period:g} s.",
                f"Use period={self.stepper.period:g}, or to_stepper(period={period:g}, ...).",
            )

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> State:
        """Where it starts, with the fields named in `initial` set; a velocity by either of its names."""
        given = dict(initial or {})
        state = super().initial_state(period, given)
        if "velocity" in given:
            for symbol, velocity in zip(self._velocities, state.part("velocity").tolist(), strict=True):
                if symbol.name in given and state[symbol.name] != velocity:
                    checks.refuse(self.name, f"initial gives velocity and {symbol.name!r}.", "Give one of them.")
                given[symbol.name] = state[symbol.name] = velocity
        for name, value in self.stepper.begun(self.initial).items():
            if name not in given:
                given[name] = state[name] = value
        self.stepper.rest(state, given)
        state["velocity"] = [state[symbol.name] for symbol in self._velocities]
        return state

    def about_end(self, state: State) -> dict[str, Any]:
        """How its steps were solved."""
        return about_end(state)

    def least_reluctance(self, period: float) -> float:
        """The smallest rise of the needed force with the velocity [N·s/m] where it starts, elements left out."""
        stepper = self.stepper
        system, terms = stepper.inclusion, stepper.inclusion.terms
        n = len(system.states)
        x = np.array([float(self.initial.get(s.name, 0.0)) for s in system.states])
        u, M, S = np.zeros(len(system.callables)), np.zeros((n, n)), np.zeros((n, n))
        plain = terms.module
        plain.inputs.py_func(0.0, u)
        plain.mass.py_func(0.0, x, terms.values, u, M)
        plain.smooth_slope.py_func(0.0, x, terms.values, u, S)
        numbers = system.parameters | self._numbers(x, u)
        push = np.array(sympy.Matrix(system.smooth).jacobian(self._forces).subs(numbers), dtype=np.float64)
        moved = np.linalg.solve(M / period - S, push)
        response = moved[[system.states.index(v) for v in self._velocities]]
        largest = np.linalg.eigvalsh(0.5 * (response + response.T))
        if largest.min() <= 0.0:
            checks.refuse(
                self.name,
                f"force={checks.shown(self.force)} does not push velocity={checks.shown(self.velocity)} forward "
                f"({largest.min():g} m/s per newton over a tick).",
                "Name the force and the velocity of the same point, in the same direction.",
            )
        return float(1.0 / largest.max())

    def _numbers(self, x: Array, u: Array) -> dict[Symbol, float]:
        system = self.stepper.inclusion
        pairs = [*zip(system.states, x, strict=True), *zip(system.callables, u, strict=True)]
        return {symbol: float(value) for symbol, value in pairs} | {sympy.Symbol("t", real=True): 0.0}


def _listed(given: Any) -> tuple[Any, ...]:
    return tuple(given) if isinstance(given, (tuple, list)) else (given,)
