"""Wiring: one admittance with any number of impedances, coupled implicitly and compiled into one loop."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tegotae import checks, contract
from tegotae.block import INITIAL, Admittance, Block, Impedance, Kernels
from tegotae.checks import Array
from tegotae.compile import build, is_ready
from tegotae.coupling import line, space
from tegotae.coupling.addressed import table_of
from tegotae.coupling.causality import check_causality
from tegotae.coupling.group import Group, Inside, groups_of, size_of
from tegotae.coupling.parts import Parts, Seat, add_block, add_group, layouts_of, no_parts
from tegotae.errors import UniquenessError
from tegotae.layout import Layouts, Memory, Part
from tegotae.ports import forces_over_time
from tegotae.result import Result
from tegotae.running import loop
from tegotae.running.source import module_for
from tegotae.state import Fault, State
from tegotae.unsolved import count_in


class Circuit(Admittance):
    """One admittance that moves any number of impedances, each step solved for all of them together.

    The forces of the impedances at the end of the tick act on the admittance during it, so a stiff, dry or
    massless element neither chatters nor delays. A circuit is itself an admittance: force in, motion out.

    Args:
        admittance: what moves.
        impedances: name -> what it moves; the name prefixes that block's fields in results ("brake.force").
        ratios: name -> transmission r [-], for an impedance that moves r times as fast (its force acts r-fold).
        bases: names of impedances whose other end moves too, by a velocity given to `run`.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> brake = tg.FrictionImpedance(stiffness=1e6, damping=100.0, law=tg.Coulomb(5.0))
        >>> block_on_slope = tg.Circuit(tg.Mass(mass=1.0), {"brake": brake})
        >>> result = block_on_slope.run(np.full(2000, 4.0), period=1e-3)
        >>> round(float(result["brake.force"][-1]), 9), abs(float(result.velocity[-1])) < 1e-15
        (-4.0, True)
    """

    def __init__(
        self,
        admittance: Admittance,
        impedances: Mapping[str, Impedance],
        *,
        ratios: Mapping[str, float] | None = None,
        bases: Sequence[str] = (),
    ):
        self.admittance = admittance
        check_causality(admittance, impedances)
        for block in (admittance, *impedances.values()):
            contract.check(block)
        self.impedances = dict(impedances)
        given = checks.mapping("Circuit", "ratios", ratios, "Give a number for each name, such as {'brake': 2.0}.")
        self.ratios: dict[str, float] = dict.fromkeys(self.impedances, 1.0) | dict(given)
        self.bases = checks.texts("Circuit", "bases", bases, "Give a list of names of impedances.")
        self.dimension = admittance.dimension
        self._check_names()

    def __repr__(self) -> str:
        return f"Circuit({self.admittance!r}, {self.impedances!r}, ratios={self.ratios!r}, bases={self.bases!r})"

    def _check_names(self) -> None:
        for name in self.impedances:
            if not isinstance(name, str) or not name.isidentifier():
                checks.refuse("Circuit", f"impedance name {name!r}.", "Use a plain word, such as 'brake'.")
        for label, names in (("ratios", self.ratios), ("bases", self.bases)):
            for name in names:
                if name not in self.impedances:
                    checks.refuse(
                        "Circuit", f"{label} names {name!r}.", f"It has impedances {', '.join(self.impedances)}."
                    )
        taken = {name.split(".")[0] for name in self.admittance.parts}
        for name in taken.intersection(self.impedances):
            checks.refuse("Circuit", f"{name!r} is already a name in {self.admittance.name}.", "Choose another name.")
        for name, ratio in self.ratios.items():
            self.ratios[name] = checks.number("Circuit", f"ratios[{name!r}]", ratio, "")

    # ------------------------------------------------------------ layout

    @cached_property
    def _groups(self) -> tuple[Group, ...]:
        """Impedances with the same kernels."""
        geared = [name for name, ratio in self.ratios.items() if ratio != 1.0]
        return groups_of(self.impedances, self.dimension, size_of(self.admittance), geared=geared, based=self.bases)

    @cached_property
    def _parts(self) -> Parts:
        """The admittance's parts, then each impedance's with its name in front, then its own."""
        parts = self._made_of()
        if self._table is not None:  # where its blocks lie if its loop does not know them
            for own, given, table in zip((False, True), (parts.real, parts.whole), self._table, strict=True):
                name = "places" if own else "addresses"
                parts.parameters.append(Part(name, "", "of blocks", (table.size,), whole=own))
                given.append(table)
        return parts

    def _made_of(self) -> Parts:
        """All of it but for the table by which blocks may be reached."""
        parts = no_parts()
        add_block(parts, self.admittance, "", _seen_from_outside)
        for group in self._groups:
            add_group(parts, group, self.impedances, self.ratios)
        told = "steps that did not converge"
        parts.state.append(Part("unsolved", "-", told, whole=True, recorded=False))
        if self.dimension > 1:
            parts.workspace.append(Part("solve", "", "where a solve works", (space.scratch_size(self.dimension),)))
        return parts

    @cached_property
    def layout(self) -> Layouts:
        """All blocks' parts: the admittance's, then each impedance's with its name in front."""
        return layouts_of(self._parts, self.dimension)

    @property
    def values(self) -> dict[str, ArrayLike]:
        """Every block's parameters, by their names in the circuit."""
        return {name: self.spaces.parameters.part(self.parameters, name) for name in self.spaces.parameters.places}

    @cached_property
    def parameters(self) -> Memory:
        """The admittance's parameters, then group by group the impedances' parameters and ratios."""
        return Memory(np.concatenate(self._parts.real), np.concatenate([_NONE, *self._parts.whole]))

    @cached_property
    def _seats(self) -> list[Seat]:
        """Its blocks, and where their states lie in its own."""
        inner = {name: _seen_from_outside(name) for name in self.admittance.parts}
        named = [({part: f"{n}.{part}" for part in block.parts}, block) for n, block in self.impedances.items()]
        return [Seat(block, names, self.spaces.state) for names, block in [(inner, self.admittance), *named]]

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> State:
        """Every block as it starts, with the parts named in `initial` set ("velocity", "brake.deflection", ...)."""
        given = checks.mapping("Circuit", "initial", initial, INITIAL)
        for name in given:
            if name not in self.parts:
                known = ", ".join(self.parts)
                checks.refuse("Circuit", f"initial[{name!r}] is not part of its state.", f"It has {known}.")
        told = self._placed(period, given) | dict(given)
        state = super().initial_state(period, told)  # refuses in its own words; then each block sees to its own
        for seat in self._seats:
            own = {name: told[outer] for name, outer in seat.names.items() if outer in told} if told else None
            seat.put(state, seat.block.initial_state(period, own))
        return state

    def fault(self, state: State) -> Fault | None:
        """Its own, then those that its blocks see in their parts of it."""
        found = super().fault(state)
        for seat in self._seats:
            if found is None and type(seat.block).fault is not Block.fault:
                found = seat.fault(state)
        return found

    def see_trouble(self, state: State) -> None:
        """Those of its blocks that cannot go on say why."""
        for seat in self._seats:
            if type(seat.block).see_trouble is not Block.see_trouble:
                seat.block.see_trouble(seat.inside(state))

    def _placed(self, period: float, initial: Mapping[str, ArrayLike]) -> dict[str, ArrayLike]:
        """Impedances that ask where the mover is start where the admittance starts, seen through their ratio."""
        asking = [
            (n, part) for n, block in self.impedances.items() for part, told in block.parts.items() if told.placed
        ]
        if "position" not in self.admittance.parts or not asking:
            return {}
        own = {name: initial[name] for name in self.admittance.parts if name in initial}
        here = self.admittance.initial_state(period, own).part("position")
        return {f"{name}.{part}": self.ratios[name] * here for name, part in asking}

    # ------------------------------------------------------------ running

    @cached_property
    def module(self) -> ModuleType:
        """The generated module: `make`."""
        return self._own_module if self._table is None else module_by_address(self.dimension)

    @cached_property
    def _own_module(self) -> ModuleType:
        """Made for its blocks, which its text names."""
        imports = list(self.admittance.kernels.imports("_a"))
        for i, group in enumerate(self._groups):
            imports += group.kernels.imports(f"_{i}")
        velocity, unsolved, scratch = self._places
        mover = Inside(self.admittance, "_a")
        if self.dimension == 1:
            source = line.source_on_line(mover, self._groups, velocity, unsolved)
        else:
            source = space.source_in_space(mover, self._groups, velocity, unsolved, scratch)
        return build(source, tuple(imports))

    @cached_property
    def _places(self) -> tuple[int, int, int]:
        """Where a solve finds the velocity, the count of unsolved steps, and room to work in."""
        end = self._groups[-1].end if self._groups else size_of(self.admittance)
        return self.admittance.spaces.state.places["velocity"].start, end.s[1], end.w[0]

    @cached_property
    def _table(self) -> Memory | None:
        """How the loop that ships reaches the blocks, where no loop of its own can be compiled; else None."""
        kernels = Kernels(self._own_module.make, style="memory")
        own = module_for(kernels, layouts_of(self._made_of(), self.dimension), self.dimension, self.gives)
        if is_ready(own.loop, *_like_a_run(self.dimension)):
            return None
        table = table_of(self.admittance, self._groups, *self._places)
        if table is not None:
            _warn_of_addresses()
        return table

    def by_address(self) -> Circuit:
        """The same, run by a loop that ships and learns of its blocks by their addresses; slower.

        Where there is neither a compiler nor numba, circuits of the package's own blocks run like this by themselves.

        Example:
            >>> import numpy as np, tegotae as tg
            >>> brake = tg.FrictionImpedance(stiffness=1e6, damping=100.0, law=tg.Coulomb(5.0))
            >>> sled = tg.Circuit(tg.Mass(mass=1.0), {"brake": brake})
            >>> round(float(sled.by_address().run(np.full(100, 7.0), period=1e-3).velocity[-1]), 2)
            0.2
        """
        own = Circuit(self.admittance, self.impedances, ratios=self.ratios, bases=self.bases)
        table = table_of(own.admittance, own._groups, *own._places)
        if table is None:
            checks.refuse(
                "Circuit",
                "one of its blocks has no address: it does not ship with tegotae, or kernels do not run as C.",
                "Install a compiler of C, or pip install 'tegotae[compiler]'; unset TEGOTAE_BACKEND.",
            )
        own.__dict__["_table"] = table
        return own

    @property
    def kernels(self) -> Kernels:
        """Made from the generated module."""
        return Kernels(self.module.make, style="memory")

    def check(self, period: float) -> None:
        """Every block by itself, then the coupled step: it has one solution if the mass outweighs falling friction."""
        for block in (self.admittance, *self.impedances.values()):
            block.check(period)
        rise = sum(self.ratios[n] ** 2 * b.steepest_rise(period) for n, b in self.impedances.items())
        least = self.admittance.least_reluctance(period)
        if rise >= least:
            falling = ", ".join(n for n, b in self.impedances.items() if b.steepest_rise(period) > 0.0)
            more = checks.just_above(period * (rise - least), 3)
            raise UniquenessError(
                f"Circuit: at period={period:g} s friction may fall by {rise:.4g} N·s/m, more than the "
                f"{self.admittance.name} outweighs ({least:.4g} N·s/m), so a step can have two solutions.\n"
                f"  Add {more} kg to the {self.admittance.name}, or damping to {falling}."
            )

    def least_reluctance(self, period: float) -> float:
        """The admittance's, less what falling friction takes away [N·s/m]."""
        rise = sum(self.ratios[n] ** 2 * b.steepest_rise(period) for n, b in self.impedances.items())
        return self.admittance.least_reluctance(period) - rise

    def run(
        self,
        force: ArrayLike | Mapping[str, ArrayLike] | None = None,
        *,
        period: float,
        ticks: int | None = None,
        bases: Mapping[str, ArrayLike] | None = None,
        inputs: Mapping[str, ArrayLike] | None = None,
        every: int = 1,
        record: Sequence[str] | None = None,
        initial: Mapping[str, ArrayLike] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Result:
        """Run the whole machine in one compiled loop.

        Args:
            force: external force on the admittance over each tick [N]; none if left out.
            period: T [s].
            ticks: how long to run when no force and no base motion says so.
            bases: name -> velocity of that impedance's other end over each tick [m/s].
            inputs: field that a block is fed, such as "tyre.speed" -> a number or its values over the ticks, in its
                own unit.
            every: record every so many ticks.
            record: names of the fields to record; all public ones unless given.
            initial: fields to start from instead of rest, such as {"velocity": 1.0, "brake.deflection": 0.0}.
            progress: called with the share that is done, now and then.
        """
        period = checks.period_of(self.name, period)
        motions = self._base_motions(checks.mapping("Circuit", "bases", bases, "Give a dict of velocities by name."))
        signal = self._force_of(force, motions, ticks)
        given = loop.Signal("force", signal, "N", "external force, as given")
        return loop.run(
            self, given, period, every=every, record=record, initial=initial, inputs=inputs, progress=progress,
            more=loop.Fed(motions, self._base_slots()),
        )  # fmt: skip

    def unsolved(self, state: State) -> int:
        """How many steps that led to this state did not converge, circuits inside included."""
        return count_in(state) or 0

    def _base_motions(self, bases: Mapping[str, ArrayLike]) -> Array:
        if set(bases) != set(self.bases):
            checks.refuse(
                "Circuit",
                f"run got base motion for {sorted(bases)}, but it was built with bases={sorted(self.bases)}.",
                "Name the same impedances in both.",
            )
        records = [checks.signal("Circuit", f"bases[{n!r}]", bases[n], "m/s", self.dimension) for n in self.bases]
        if len({record.shape[0] for record in records}) > 1:
            lengths = [record.shape[0] for record in records]
            checks.refuse("Circuit", f"bases have lengths {lengths}.", "Give them equal lengths.")
        if not records:
            return np.empty((0, 0))
        return np.ascontiguousarray(np.concatenate([record.reshape(len(record), -1).T for record in records]))

    def _base_slots(self) -> NDArray[np.int64]:
        """Where each component of the base velocities lies in the state."""
        places = [self.spaces.state.places[f"{name}.base_velocity"] for name in self.bases]
        spots = [np.arange(place.start, place.stop) for place in places]
        return np.concatenate([_NONE, *spots])

    def _force_of(self, force: ArrayLike | Mapping[str, ArrayLike] | None, motions: Array, ticks: int | None) -> Array:
        length = motions.shape[1] if motions.size else None
        if ticks is not None:
            ticks = checks.whole("Circuit", "ticks", ticks, 1, "Give at least one tick.")
        if force is None:
            length = length if length is not None else ticks
            if length is None:
                checks.refuse("Circuit", "run does not know how long to run.", "Give force, bases or ticks.")
            signal = np.zeros((length, self.dimension))
        else:
            signal = forces_over_time("Circuit", self.ports, force)
        for other in (length, ticks):
            if other is not None and other != len(signal):
                checks.refuse("Circuit", f"force has {len(signal)} ticks, but {other} are given.", "Make them equal.")
        return signal.ravel() if self.dimension == 1 else signal


@cache
def module_by_address(dimension: int) -> ModuleType:
    """The module for all circuits of this dimension; see `Circuit.by_address`."""
    return build(line.source_by_address() if dimension == 1 else space.source_by_address(dimension), ())


def _like_a_run(n: int) -> tuple[Any, ...]:
    """Arguments of the types that a run hands to its loop."""
    nothing, signal = Memory(np.empty(0), _NONE), np.empty(0) if n == 1 else np.empty((0, n))
    return nothing, nothing, nothing, signal, np.empty((0, 0)), _NONE, 1.0, 1, _NONE, _NONE, 1, 0, 0, np.empty((0, 0))


_NONE = np.empty(0, dtype=np.int64)


@cache
def _warn_of_addresses() -> None:
    warnings.warn(
        "There is no compiler of C, so circuits run through a loop that ships with tegotae and reaches their blocks by "
        "address, slower. Install gcc or clang, or pip install 'tegotae[compiler]'.",
        stacklevel=5,
    )


def _seen_from_outside(name: str) -> str:
    """A circuit inside keeps its own count of unsolved steps and its own places, under other names."""
    own = ("unsolved", "solve", "addresses", "places")
    return f"inner_{name}" if name in own or name.startswith("inner_") else name
