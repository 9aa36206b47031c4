"""Wiring: one admittance with any number of impedances, coupled implicitly and compiled into one loop."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from math import isfinite, nan
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tegotae import checks, contract, running
from tegotae.block import INITIAL, Admittance, Block, Fault, Field, Impedance, Kernels
from tegotae.checks import Array
from tegotae.circuit_sources import line, space
from tegotae.circuit_sources.addressed import table_of
from tegotae.circuit_sources.group import Group, fields_of, groups_of, parameters_of
from tegotae.compile import bind, build, is_ready
from tegotae.errors import CausalityError, UniquenessError
from tegotae.kernels.soundness import first_unsound
from tegotae.live import LiveAdmittance
from tegotae.result import Result, Variable
from tegotae.unsolved import count_in, places_in, tell


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
        _check_causality(admittance, impedances)
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
        taken = {field.name.split(".")[0] for field in self.admittance.fields}
        for name in taken.intersection(self.impedances):
            checks.refuse("Circuit", f"{name!r} is already a name in {self.admittance.name}.", "Choose another name.")
        for name, ratio in self.ratios.items():
            self.ratios[name] = checks.number("Circuit", f"ratios[{name!r}]", ratio, "")

    # ------------------------------------------------------------ layout

    @cached_property
    def _groups(self) -> tuple[Group, ...]:
        """Impedances with the same kernels."""
        geared = [name for name, ratio in self.ratios.items() if ratio != 1.0]
        p, s = self.admittance.parameters.size, _length(self.admittance)
        return groups_of(self.impedances, self.dimension, p, s, geared=geared, based=self.bases)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The admittance's fields, then each impedance's with its name in front."""
        fields = [dataclasses.replace(f, name=_seen_from_outside(f.name)) for f in self.admittance.fields]
        fields += fields_of(self._groups, self.impedances)
        if self.dimension > 1:
            fields.append(
                Field(
                    "scratch",
                    "",
                    "where a solve works",
                    recorded=False,
                    size=space.scratch_size(self.dimension),
                    scratch=True,
                )
            )
        told = "steps that did not converge"
        fields.append(Field("unsolved", "-", told, vector=False, recorded=False, whole=True))
        return tuple(fields)

    @property
    def parameters(self) -> Array:
        """The admittance's parameters, then group by group the impedances' parameters and ratios."""
        return self._parameters

    @cached_property
    def _parameters(self) -> Array:
        """Behind them, where its blocks lie if its loop does not know them."""
        parts = [self.admittance.parameters, *parameters_of(self._groups, self.impedances, self.ratios)]
        return np.concatenate(parts if self._table is None else [*parts, self._table])

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> Array:
        """Every block as it starts, with the fields named in `initial` set ("velocity", "brake.deflection", ...)."""
        state = super().initial_state(period, None)
        initial = checks.mapping("Circuit", "initial", initial, 'Give a dict, such as {"velocity": 1.0}.')
        places = self.slices()
        given = checks.mapping("Circuit", "initial", initial, INITIAL)
        initial = self._placed(period, given) | dict(given)
        for prefix, block in [("", self.admittance), *((f"{n}.", b) for n, b in self.impedances.items())]:
            outside = {name: _seen_from_outside(name) if not prefix else prefix + name for name in block.slices()}
            own = {name: initial[told] for name, told in outside.items() if told in initial}
            own_state = block.initial_state(period, own)
            for name, part in block.slices().items():
                state[places[outside[name]]] = own_state[part]
        for name in initial:
            if name not in places:
                checks.refuse("Circuit", f"initial[{name!r}] is not part of its state.", f"It has {', '.join(places)}.")
        return state

    def fault(self, state: Array) -> Fault | None:
        """Its own, then those that its blocks see in their parts of it."""
        found = super().fault(state)
        for block, places in self._parts:
            inside = None if found else block.fault(state[places])
            found = inside._replace(place=int(places[inside.place])) if inside else found
        return found

    @cached_property
    def _parts(self) -> list[tuple[Block, NDArray[np.int64]]]:
        """Blocks that look at more than single numbers, and where their states lie in the circuit's."""
        places = self.slices()
        parts: list[tuple[Block, NDArray[np.int64]]] = []
        for prefix, block in [("", self.admittance), *((f"{n}.", b) for n, b in self.impedances.items())]:
            if type(block).fault is not Block.fault:
                told = [prefix + name if prefix else _seen_from_outside(name) for name in block.slices()]
                spots = [np.arange(places[name].start, places[name].stop) for name in told]
                parts.append((block, np.concatenate(spots)))
        return parts

    def _placed(self, period: float, initial: Mapping[str, ArrayLike]) -> dict[str, ArrayLike]:
        """Impedances that ask where the mover is start where the admittance starts, seen through their ratio."""
        places = self.admittance.slices()
        if "position" not in places or not any(field.placed for field in self.fields):
            return {}
        own = {name: initial[name] for name in places if name in initial}
        here = self.admittance.initial_state(period, own)[places["position"]]
        asking = [
            (name, field.name) for name, block in self.impedances.items() for field in block.fields if field.placed
        ]
        return {f"{name}.{field}": self.ratios[name] * here for name, field in asking}

    # ------------------------------------------------------------ running

    def bound(
        self, P: Array, S: Array, X: Array, period: float, every: int, picks: NDArray[np.int64], record: Array
    ) -> Callable[[], Any]:
        """The loop of `run`, so that a circuit comes to the same numbers in whatever way it is run."""
        unfed = np.empty((0, 0)), np.empty(0, dtype=np.int64)
        rows = [(P[b], S[b], X[b if len(X) > 1 else 0], *unfed, period, every, picks, record[b]) for b in range(len(P))]
        if len(rows) == 1:
            return bind(self.module.loop, *rows[0])
        loops = [bind(self.module.loop, *row) for row in rows]

        def call() -> None:
            for loop in loops:
                loop()

        return call

    @cached_property
    def module(self) -> ModuleType:
        """The generated module: `make`, `loop`."""
        return self._own_module if self._table is None else module_by_address(self.dimension)

    @cached_property
    def _own_module(self) -> ModuleType:
        """Made for its blocks, which its text names."""
        imports = list(self.admittance.kernels.imports("_a"))
        for i, group in enumerate(self._groups):
            imports += group.kernels.imports(f"_{i}")
        velocity, unsolved, scratch = self._places
        if self.dimension == 1:
            source = line.source_on_line(self.admittance, self._groups, velocity, unsolved)
        else:
            source = space.source_in_space(self.admittance, self._groups, velocity, unsolved, scratch)
        return build(source, tuple(imports))

    @property
    def _places(self) -> tuple[int, int, int]:
        """Where a solve finds the velocity, the count of unsolved steps, and room to work in (0 on a line)."""
        places = self.slices()
        scratch = places["scratch"].start if self.dimension > 1 else 0
        return self.admittance.slices()["velocity"].start, places["unsolved"].start, scratch

    @cached_property
    def _table(self) -> Array | None:
        """How the loop that ships reaches the blocks, where no loop of its own can be compiled; else None."""
        if is_ready(self._own_module.loop, *_like_a_run(self.dimension)):
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
        return Kernels(self.module.make)

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
        force: ArrayLike | None = None,
        *,
        period: float,
        ticks: int | None = None,
        bases: Mapping[str, ArrayLike] | None = None,
        inputs: Mapping[str, ArrayLike] | None = None,
        every: int = 1,
        record: Sequence[str] | None = None,
        initial: Mapping[str, ArrayLike] | None = None,
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
        """
        period = checks.period_of(self.name, period)
        every = checks.whole(self.name, "every", every, 1, "Use every=1 to record each tick.")
        self.check(period)
        inputs = checks.mapping("Circuit", "inputs", inputs, "Give a dict from the name of a field to its values.")
        initial = checks.mapping("Circuit", "initial", initial, 'Give a dict, such as {"velocity": 1.0}.')
        motions = self._base_motions(checks.mapping("Circuit", "bases", bases, "Give a dict of velocities by name."))
        signal = self._force_of(force, motions, ticks)
        names, picks = running.picks_of(self, record)
        ticks, flat = signal.shape[0], self.dimension == 1
        running.check_every(self.name, every, ticks)
        fed, slots = self._fed(motions, inputs, ticks)
        first = {name: row[0] for name, row in zip(inputs, fed[len(fed) - len(inputs) :], strict=True)}
        state = running.first_state(self, period, first | dict(initial))
        table = np.empty((picks.size, ticks // every))
        self.module.loop(self.parameters, state, signal, fed, slots, period, every, picks, table)
        running.report_divergence(self.name, table, every, period)
        unsolved = self.unsolved(state)
        tell(self.name, unsolved, ticks, self.unsolved_remedy)
        variables = {"time": running.time_of(ticks, every, period)}
        dims = ("time",) if flat else ("time", "axis")
        variables["force"] = Variable(dims, signal[every - 1 :: every], "N", "external force, as given")
        variables |= running.variables_of(self, names, table, flat=flat)
        about = running.about(self, period) | {"unsolved_steps": unsolved}
        return Result(variables, title="Circuit", about=about)

    def start(self, *, period: float, initial: Mapping[str, ArrayLike] | None = None) -> LiveCircuit:
        """The machine in a control loop: `velocity = live.step(force)`; bases stand still."""
        return LiveCircuit(self, period, initial)

    def unsolved(self, state: Array) -> int:
        """How many steps that led to this state did not converge, circuits inside included."""
        return count_in(state, self._counts)

    @cached_property
    def _counts(self) -> tuple[int, ...]:
        """Where unsolved steps are counted, those of circuits inside too."""
        return places_in(self)

    def __getstate__(self) -> dict[str, Any]:
        """What it was made of; how it runs, and how it is laid out for that, every process finds for itself."""
        return {name: self.__dict__[name] for name in ("admittance", "impedances", "ratios", "bases", "dimension")}

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
        places = self.slices()
        starts = [np.arange(places[f"{n}.base_velocity"].start, places[f"{n}.base_velocity"].stop) for n in self.bases]
        return np.concatenate([*starts, np.empty(0)]).astype(np.int64)

    def _fed(self, motions: Array, inputs: Mapping[str, ArrayLike], ticks: int) -> tuple[Array, NDArray[np.int64]]:
        """All that is set before each tick, one row a number, and where it lies in the state."""
        open_ = {f.name: f for f in self.fields if f.fed}
        for name in inputs:
            if name not in open_:
                told = f"It takes {', '.join(open_)}." if open_ else "None of its blocks is fed."
                checks.refuse("Circuit", f"inputs names {name!r}.", told)
        rows = [checks.held("Circuit", f"inputs[{n!r}]", v, open_[n].unit, ticks) for n, v in inputs.items()]
        slots = [self._base_slots(), np.array([self.slices()[n].start for n in inputs], dtype=np.int64)]
        if not rows:
            return motions, slots[0]
        return np.concatenate([motions.reshape(-1, ticks), np.stack(rows)]), np.concatenate(slots)

    def _force_of(self, force: ArrayLike | None, motions: Array, ticks: int | None) -> Array:
        length = motions.shape[1] if motions.size else None
        if ticks is not None:
            ticks = checks.whole("Circuit", "ticks", ticks, 1, "Give at least one tick.")
        if force is None:
            length = length if length is not None else ticks
            if length is None:
                checks.refuse("Circuit", "run does not know how long to run.", "Give force, bases or ticks.")
            signal = np.zeros((length, self.dimension))
        else:
            signal = checks.signal("Circuit", "force", force, "N", self.dimension)
        for other in (length, ticks):
            if other is not None and other != len(signal):
                checks.refuse("Circuit", f"force has {len(signal)} ticks, but {other} are given.", "Make them equal.")
        return signal.ravel() if self.dimension == 1 else signal


class LiveCircuit(LiveAdmittance):
    """A circuit in a control loop."""

    block: Circuit

    def _bound(self, *way: int) -> Callable[..., Any]:
        """The loop of its runs, over a single tick."""
        given, found, picks = self._in, self._out, running.picks_of(self.block, ["velocity"])[1]
        record = given[None] if self._n == 1 else given[None, None]
        shared = record, self._period, 1, picks, found[None, :, None]
        self.block.bound(self._parameters[None], self._state[None].copy(), *shared)()
        loop = self.block.bound(self._parameters[None], self._state[None], *shared)
        look = bind(first_unsound, self._state[None], np.array(self.block.spans(), dtype=np.int64))
        if self._n > 1:
            return lambda: all(map(isfinite, given.tolist())) and (loop() or look() < 0)

        def step(force: float) -> float:
            if not isfinite(force):
                return nan
            given[0] = force
            loop()
            return found.item() if look() < 0 else nan

        return step


@cache
def module_by_address(dimension: int) -> ModuleType:
    """The module for all circuits of this dimension; see `Circuit.by_address`."""
    return build(line.source_by_address() if dimension == 1 else space.source_by_address(dimension), ())


def _like_a_run(n: int) -> tuple[Any, ...]:
    """Arguments of the types that a run hands to its loop."""
    signal, indices = np.empty(0) if n == 1 else np.empty((0, n)), np.empty(0, dtype=np.int64)
    return np.empty(0), np.empty(0), signal, np.empty((0, 0)), indices, 1.0, 1, indices, np.empty((0, 0))


@cache
def _warn_of_addresses() -> None:
    warnings.warn(
        "There is no compiler of C, so circuits run through a loop that ships with tegotae and reaches their blocks by "
        "address, slower. Install gcc or clang, or pip install 'tegotae[compiler]'.",
        stacklevel=5,
    )


def _seen_from_outside(name: str) -> str:
    """A circuit inside keeps its own count of unsolved steps and its own scratch, under other names."""
    return f"inner_{name}" if name in ("unsolved", "scratch") or name.startswith("inner_") else name


def _check_causality(admittance: object, impedances: Mapping[str, object]) -> None:
    """One block gives motion, all others give force; anything else cannot run."""
    if not isinstance(admittance, Admittance):
        gives = "it gives force" if isinstance(admittance, Impedance) else "it is no block"
        raise CausalityError(
            f"Circuit: admittance={checks.shown(admittance)} cannot move anything: {gives}.\n"
            "  Start a circuit with what moves, such as Mass(mass=...) or FrictionAdmittance(...)."
        )
    if not isinstance(impedances, Mapping):
        raise CausalityError(f"Circuit: impedances={checks.shown(impedances)} have no names.\n  Give {{'brake': ...}}.")
    for name, block in impedances.items():
        if isinstance(block, Admittance):
            raise CausalityError(
                f"Circuit: {name!r} is a {block.name}, which gives motion, and so does {admittance.name}.\n"
                "  Join two moving parts by an impedance between them, such as a SpringDamper."
            )
        if not isinstance(block, Impedance):
            told = f"impedances[{checks.shown(name)}]={checks.shown(block)} is no block."
            raise CausalityError(f"Circuit: {told}\n  Give an impedance.")
        if block.dimension != admittance.dimension:
            checks.refuse(
                "Circuit",
                f"{name!r} has dimension={block.dimension}, but {admittance.name} moves in {admittance.dimension}.",
                f"Use dimension={admittance.dimension} for every block.",
            )


def _length(block: Block) -> int:
    return int(max(s.stop for s in block.slices().values()))
