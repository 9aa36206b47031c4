"""The implicit route: an inclusion stepped by backward Euler at a fixed period, every contact and friction at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sympy import Symbol

from tegotae import checks
from tegotae.checks import Array
from tegotae.compile import build
from tegotae.errors import TegotaeError
from tegotae.inclusion import stepper_source as source
from tegotae.inclusion.effective import check_starts
from tegotae.inclusion.given import made_of, named
from tegotae.inclusion.inputs import check_values
from tegotae.inclusion.jamming import warn_of_jams
from tegotae.inclusion.parameters import Contact, Friction
from tegotae.inclusion.pieces import Pieces
from tegotae.inclusion.system import Inclusion
from tegotae.result import Result, Variable
from tegotae.running import check_every, time_of
from tegotae.unsolved import tell

if TYPE_CHECKING:
    from tegotae.inclusion.admittance import InclusionAdmittance
    from tegotae.inclusion.live_stepper import LiveStepper

REMEDY = (
    "Rigid friction may have no solution there (Painlevé), or a gap or a limit bends too fast for a tick: "
    "use a shorter period or a smaller stiffness."
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Stepper:
    """A machine with friction and contact at a fixed rate: what sticks stays, and no stiffness is too stiff.

    It is the differential-algebraic inclusion of xiong2011 under backward Euler. Each tick solves for all element
    forces together; a tick without a solution is counted and warned of, never hidden.

    Args:
        inclusion: the machine.
        period: T [s], > 0.
        parameters: element name -> `Contact` or `Friction` (its alpha is not used here).

    Example:
        >>> from tegotae.inclusion import Contact, Friction, Inclusion
        >>> rows = {"p": "v", "v": "(load - coulomb(limit, v, 'rub'))/m"}
        >>> block = Inclusion(rows, {"m": 1.0, "limit": 4.0, "load": 0.0})
        >>> stepper = block.to_stepper(period=1e-3, friction=Friction(stiffness=1e5, beta=2e-3))
        >>> run = stepper.run(inputs={"load": [3.0] * 500 + [5.0] * 500})
        >>> bool(run.rub_sticks[499]), bool(run.rub_sticks[999]), round(float(run.v[-1]), 2)
        (True, False, 0.5)
    """

    inclusion: Inclusion
    period: float
    parameters: Mapping[str, Contact | Friction]

    def __post_init__(self) -> None:
        object.__setattr__(self, "period", checks.period_of("Stepper", self.period))
        for friction in self.inclusion.frictions:
            if friction.static is not None:
                checks.refuse(
                    "Stepper",
                    f"friction {friction.name!r} has static={friction.static}: a step has one limit at rest.",
                    "Use a Stribeck limit, kinetic + (static - kinetic)*exp(-(slip/velocity)**2), or `to_events`.",
                )

    def __repr__(self) -> str:
        return f"Stepper({self.inclusion!r}, period={self.period:g} s)"

    def __getstate__(self) -> dict[str, Any]:
        """What it was made of; what is compiled, every process finds for itself."""
        return made_of(self)

    # ------------------------------------------------------------ use

    def run(
        self,
        *,
        ticks: int | None = None,
        inputs: Mapping[Any, ArrayLike] | None = None,
        initial: Mapping[Any, float] | None = None,
        every: int = 1,
    ) -> Result:
        """A whole record, compiled.

        Args:
            ticks: how many; not needed if `inputs` gives records.
            inputs: parameter or input function -> its values over the ticks, (ticks,), in SI units; a number holds.
            initial: state -> value, in SI units; what is not given is 0. An element's name gives its deflection [m].
            every: record every so many ticks.

        Returns:
            Time, every state by name, each element's force [N] by its name, its `_deflection` [m], and whether it
            `_touches` (contacts) or `_sticks` (frictions). `about` says how steps were solved.
        """
        every = checks.whole("Stepper", "every", every, 1, "Use every=1 to record each tick.")
        fed, into, names = self._records(inputs, ticks)
        memory = self._memory(named("Stepper", "initial", initial, "{'p': 0.1}"))
        check_every("Stepper", every, fed.shape[0])
        table = np.empty((fed.shape[0] // every, self._width))
        refresh = bool(self._structure.changing & {self._symbol(name) for name in names})
        first = self._module.loop(*memory.arrays, fed, into, refresh, 0, *self._tail(memory), every, table)
        self._judge(memory, first, fed.shape[0])
        variables = {"time": time_of(fed.shape[0], every, self.period)}
        for j, name in enumerate(names):
            variables[name] = Variable(("time",), fed[every - 1 :: every, j].copy(), "", "as given")
        return Result(variables | self._variables(table), title="Stepper", about=self._about(memory, first))

    def start(self, *, initial: Mapping[Any, float] | None = None) -> LiveStepper:
        """A live machine for a control loop; its kernels are warm when this returns.

        Args:
            initial: state -> value, in SI units; what is not given is 0. An element's name gives its deflection [m].
        """
        from tegotae.inclusion.live_stepper import LiveStepper

        return LiveStepper(self, named("Stepper", "initial", initial, "{'p': 0.1}"))

    def as_admittance(
        self, *, force: Any, velocity: Any, initial: Mapping[Any, float] | None = None
    ) -> InclusionAdmittance:
        """The machine as a block, force in and motion out: alone, in a loop, or with impedances in a `Circuit`.

        Args:
            force: the parameter or input that is the force [N]; a tuple, one a direction, for a motion in space.
            velocity: the state that it works on [m/s]; as many.
            initial: where it starts: state -> value, in SI units; what is not given is 0.
        """
        from tegotae.inclusion.admittance import InclusionAdmittance

        return InclusionAdmittance(
            stepper=self, force=force, velocity=velocity, initial=named("Stepper", "initial", initial, "{}")
        )

    # ------------------------------------------------------------ made once

    @cached_property
    def _pieces(self) -> Pieces:
        return self.inclusion.pieces

    @cached_property
    def _structure(self) -> source.Structure:
        return source.structure_of(self.inclusion)

    @cached_property
    def _module(self) -> ModuleType:
        text, functions = source.module_parts(self._pieces, self._structure)
        return build(text, functions)

    @cached_property
    def _elements(self) -> Any:
        return source.elements_of(self.inclusion, self.parameters)

    @property
    def _width(self) -> int:
        """Numbers recorded a tick: states, forces, element states, modes."""
        system = self.inclusion
        return len(system.states) + 2 * len(system.forces) + len(system.elements)

    def _tail(self, memory: source.Memory) -> tuple[Any, ...]:
        return self._elements, self.period, memory.room

    # ------------------------------------------------------------ in

    def _symbol(self, key: Any) -> Symbol | None:
        """A parameter or input function by symbol or name."""
        for symbol in (*self.inclusion.parameters, *self.inclusion.callables):
            if symbol == key or symbol.name == key:
                return symbol
        return None

    def _place(self, key: Any) -> int:
        """Where a fed value goes: p[i] as i, u[i] as -1 - i."""
        symbol = self._symbol(key)
        if symbol is None:
            known = [s.name for s in (*self.inclusion.parameters, *self.inclusion.callables)]
            checks.refuse(
                "Stepper",
                f"inputs names {str(key)!r}, which is no parameter and no input function.",
                f"It has {', '.join(known) or 'none'}; a quantity to be fed is declared among the parameters.",
            )
        if symbol in self.inclusion.parameters:
            return list(self.inclusion.parameters).index(symbol)
        return -1 - list(self.inclusion.callables).index(symbol)

    def _records(self, inputs: Mapping[Any, ArrayLike] | None, ticks: int | None) -> tuple[Array, Any, list[str]]:
        """The fed values, (ticks, fed), where they go and their names."""
        inputs = named("Stepper", "inputs", inputs, "{'load': [1.0, 2.0]}")
        into = np.array([self._place(key) for key in inputs], dtype=np.int64)
        columns = [checks.array("Stepper", f"inputs[{str(key)!r}]", value, "") for key, value in inputs.items()]
        lengths = {column.shape[0] for column in columns if column.ndim == 1}
        if ticks is not None:
            lengths.add(checks.whole("Stepper", "ticks", ticks, 1, "Give how many ticks to run."))
        if len(lengths) != 1 or any(column.ndim > 1 for column in columns) or 0 in lengths:
            told = ", ".join(f"{key}: {column.shape}" for key, column in zip(inputs, columns, strict=True)) or "none"
            checks.refuse(
                "Stepper",
                f"run got ticks={ticks} and inputs of shapes {told}.",
                "Give ticks=, or records of one length (ticks,), or both alike.",
            )
        count = lengths.pop()
        told = f"the record of {count} ticks"
        checks.room("Stepper", told, float(count) * (self._width + len(columns)), "Use every=, or fewer ticks.")
        fed = np.empty((count, len(columns)))
        for j, (key, column) in enumerate(zip(inputs, columns, strict=True)):
            fed[:, j] = column
            checks.finite("Stepper", f"inputs[{str(key)!r}]", fed[:, j], "")
        return fed, into, [str(key) for key in inputs]

    def _memory(self, initial: Mapping[Any, float]) -> source.Memory:
        """States at the start; a contact that starts pressed pushes as if it rested there."""
        system, memory = self.inclusion, source.Memory.of(self._pieces)
        states = {s.name: i for i, s in enumerate(system.states)}
        elements = {e.name: i for i, e in enumerate(system.elements) if i < len(system.contacts) or len(e.forces) == 1}  # type: ignore[union-attr]
        given: dict[str, float] = {}
        for key, value in named("Stepper", "initial", initial, "{'p': 0.1}").items():
            name = str(key)
            if name not in states and name not in elements:
                checks.refuse("Stepper", f"initial names {name!r}.", f"It has {', '.join([*states, *elements])}.")
            given[name] = checks.number("Stepper", f"initial[{name!r}]", value, "", "Give one number, in SI units.")
            if name in states:
                memory.x[states[name]] = given[name]
        gaps, rates = np.zeros(len(system.contacts)), np.zeros(len(system.contacts))
        module = self._module
        module.start(memory.x, memory.p, memory.u, gaps, rates)
        warn_of_jams("Stepper", system, memory.x, gaps, 0.0)
        check_starts("Stepper", system, self.parameters, memory.x, 0.0, gaps, given, "{}")
        for i, contact in enumerate(system.contacts):
            memory.s[i] = given.get(contact.name, max(0.0, -gaps[i]))
        places = self._pieces.components
        for friction, (first, _) in zip(system.frictions, places, strict=True):
            if friction.name in given:
                memory.s[len(system.contacts) + first] = given[friction.name]
        return memory

    # ------------------------------------------------------------ out

    def _variables(self, table: Array) -> dict[str, Variable]:
        system = self.inclusion
        n, m, nc = len(system.states), len(system.forces), len(system.contacts)
        variables = {
            s.name: Variable(("time",), table[:, i].copy(), "SI", "state") for i, s in enumerate(system.states)
        }
        for i, contact in enumerate(system.contacts):
            variables |= self._element(contact.name, table, slice(n + i, n + i + 1), n + 2 * m + i, "touches")
        for i, (friction, (first, last)) in enumerate(zip(system.frictions, self._pieces.components, strict=True)):
            place = slice(n + nc + first, n + nc + last)
            variables |= self._element(friction.name, table, place, n + 2 * m + nc + i, "sticks")
        return variables

    def _element(self, name: str, table: Array, place: slice, mode: int, word: str) -> dict[str, Variable]:
        m = len(self.inclusion.forces)
        forces, inner = table[:, place].copy(), table[:, place.start + m : place.stop + m].copy()
        dims = ("time",) if forces.shape[1] == 1 else ("time", "axis")
        if len(dims) == 1:
            forces, inner = forces[:, 0], inner[:, 0]
        return {
            name: Variable(dims, forces, "N", "force of the element"),
            f"{name}_deflection": Variable(dims, inner, "m", "what its spring gives way"),
            f"{name}_{word}": Variable(("time",), table[:, mode] > 0.5, "", f"whether it {word}"),
        }

    def _about(self, memory: source.Memory, first: int) -> dict[str, Any]:
        newton, sweeps, modes, path, unsolved = (int(c) for c in memory.room.counts)
        return {
            "period": self.period,
            "unsolved_steps": unsolved,
            "first_unsolved_step": int(first),
            "steps_by_newton": newton,
            "steps_by_sweeps": sweeps,
            "steps_by_every_mode": modes,
            "steps_by_path": path,
        }

    def _judge(self, memory: source.Memory, first: int, ticks: int) -> None:
        """Say what did not go as it should."""
        self._see_that_it_is_finite(memory, first)
        tell("Stepper", int(memory.room.counts[-1]), ticks, REMEDY, first=(first + 1) * self.period)

    def _see_that_it_is_finite(self, memory: source.Memory, tick: int) -> None:
        if not np.isfinite(memory.x).all():
            check_values("Stepper", self.inclusion.callables, memory.u, (tick + 1) * self.period)
            raise TegotaeError(
                f"Stepper: it diverged at t={(tick + 1) * self.period:g} s: the states are no longer finite.\n"
                "  Is the mass matrix regular, and does every friction oppose its slip? If so, use a shorter period."
            )
