"""The same block many times, with its parameters along a leading axis."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tegotae import checks
from tegotae.block import Block
from tegotae.checks import Array
from tegotae.compile import bind, frees_sums
from tegotae.kernels.soundness import first_unsound
from tegotae.layout import Memory
from tegotae.ports import by_their_ports, force_unit, forces_at_ports, spans
from tegotae.result import Result
from tegotae.running import loop
from tegotae.running.contract_check import check_block
from tegotae.running.live import say_that_it_diverged
from tegotae.running.loop import NOT_FED, stacked
from tegotae.running.source import module_of
from tegotae.state import State
from tegotae.unsolved import Watched

_STATES = "Give one state a block, as `states` of such a batch gives them."


class Batch:
    """Blocks of one kind, run together: results get a leading `batch` axis.

    Args:
        blocks: blocks of one class and one dimension; their laws may differ.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> from tegotae.running.batch import Batch
        >>> sliders = Batch([tg.FrictionAdmittance(mass=m, law=tg.Coulomb(1.0)) for m in (1.0, 2.0)])
        >>> sliders.run(np.full(10, 5.0), period=1e-3).velocity.shape
        (2, 10)
    """

    def __init__(self, blocks: Sequence[Block]):
        self.blocks = checks.several("Batch", "blocks", blocks, Block, "Give a list of blocks.")
        if not self.blocks:
            checks.refuse("Batch", "blocks is empty.", "Give at least one block.")
        first = self.blocks[0]
        for i, block in enumerate(self.blocks):
            check_block(block)
            if _nature(block) != _nature(first):
                problem = f"blocks[{i}] ({block.name}) is of another kind than blocks[0] ({first.name})."
                checks.refuse("Batch", problem, "Batch blocks of one class and one dimension.")

    def __repr__(self) -> str:
        return f"Batch({len(self.blocks)} x {self.blocks[0].name})"

    @classmethod
    def of_variations(cls, block: Block, variations: Mapping[str, Sequence[Any]]) -> Batch:
        """One block for each entry of the varied parameters, which advance together."""
        known = {*block.variable}
        if not known:
            checks.refuse(block.name, "it has no parameters of its own to vary.", "Give Batch a list of such blocks.")
        lengths = {}
        for name, entries in variations.items():
            if name not in known:
                inner = [n for n in sorted(known) if (head := re.split(r"[.\[]", n)[0]) != n and head in known]
                message = ", ".join(sorted(known - {*inner}))
                message += f"; and what is in them, such as {inner[0]}" if inner else ""
                checks.refuse(block.name, f"batch has {name!r}.", f"It has {message}.")
            if not checks.is_list(entries):
                problem = f"batch (variations) has {name}={checks.shown(entries)}."
                checks.refuse(block.name, problem, "Give a list, one value a block.")
            lengths[name] = checks.len_of(entries)
            checks.fits_in_memory(block.name, f"a batch of {lengths[name]} {name}", lengths[name], "Run it in parts.")
        if not lengths or len(set(lengths.values())) != 1 or 0 in lengths.values():
            remedy = "Give one or more parameters, each with as many values."
            checks.refuse(block.name, f"batch got lengths {lengths}.", remedy)
        count = next(iter(lengths.values()))
        return cls([block.varied({name: entries[i] for name, entries in variations.items()}) for i in range(count)])

    def groups(self) -> list[tuple[NDArray[np.int64], Block]]:
        """Blocks that share their kernels, the size of their parameters and their fields, by places in the batch."""
        kinds: dict[Any, list[int]] = {}
        for i, block in enumerate(self.blocks):
            *layouts, sizes = block.layout
            kinds.setdefault((block.kernels, *layouts, tuple(sizes.items())), []).append(i)
        return [(np.array(places, dtype=np.int64), self.blocks[places[0]]) for places in kinds.values()]

    def run(
        self,
        signal: ArrayLike | Mapping[str, ArrayLike] | None = None,
        *,
        period: float | None = None,
        every: int = 1,
        record: Sequence[str] | None = None,
        initial: Mapping[Any, Any] | None = None,
        inputs: Mapping[Any, Any] | None = None,
        progress: Callable[[float], None] | None = None,
        **own: Any,
    ) -> Result:
        """Run all blocks, each as its own `run` does, on the same record or on its own.

        Args:
            signal: velocity [m/s] for impedances, force [N] for admittances: one record for all, shape (ticks,)
                or (ticks, dimension), or one each with a leading batch axis. For admittances also port -> such
                forces, and none at other ports. Of machines without ports, what their `run` begins with, if anything.
            period: T [s]; that of the machine, if it has one.
            every: record every so many ticks.
            record: names of the fields to record.
            initial: fields of the state that every block starts from, or a state.
            inputs: field that every block is fed -> a number, or its values over the ticks.
            progress: called with the share that is done, now and then.
            **own: what else `run` of such a machine takes, such as `bases` of a circuit or `ticks` of a stepper.
        """
        first, count = self.blocks[0], len(self.blocks)
        if progress is not None:
            checks.function("Batch", "progress", progress, "Give a function of the share that is done, or None.")
        if own or first.runs_itself:
            shared = {"every": every, "record": record, "initial": initial, "inputs": inputs, **own}
            return self._run_each(signal, shared if period is None else {"period": period, **shared}, progress)
        period = checks.period_of("Batch", period)
        every = checks.whole("Batch", "every", every, 1, "Use every=1 to record each tick.")
        name, unit = _given_to(first)
        signals = self._signals(signal, name, unit)
        for block in self.blocks:
            block.check(period)
        ticks = int(signals.shape[1])
        loop.check_every("Batch", every, ticks)
        picks = loop.picks_of(first, record)
        table = np.empty((count, picks.size, ticks // every))
        ended: list[tuple[Block, State]] = []
        for places, one in self.groups():
            own_picks = loop.picks_of(one, record)
            fed, at_first, held = loop.fed_of(one, inputs, ticks)
            states = [loop.first_state(self.blocks[i], period, initial, at_first, held) for i in places]
            memories = self._memories(places, states)
            share = signals if signals.shape[0] == 1 else np.ascontiguousarray(signals[places])
            part = np.empty((places.size, picks.size, ticks // every))
            picked = own_picks.real, own_picks.whole
            _all(one, memories, share, fed.rows[None], fed.slots, period, every, *picked, 1, 0, ticks, part)()
            table[places] = part
            for b, state in enumerate(states):
                state.real[:], state.whole[:] = memories[1].real[b], memories[1].whole[b]
                one.see_trouble(state)
                ended.append((one, state))
            if progress is not None:
                progress(len(ended) / count)
        loop.report_divergence("Batch", table, every, period)
        counted = loop.unsolved_steps(f"{count} x {first.name}", ended, ticks)
        flat, each = first.dimension == 1, signals.shape[0] > 1
        given = loop.Signal(name, signals if each else signals[0], unit)
        variables = {"time": loop.time_of(ticks, every, period)}
        variables |= loop.given_variables(first, given, every, ("batch",) if each else ())
        variables |= loop.variables_of(first, picks, table, flat=flat, lead=("batch",))
        return Result(variables, title=f"{count} x {first.name}", about={"period": period} | counted)

    def _run_each(self, signal: Any, shared: Mapping[str, Any], progress: Callable[[float], None] | None) -> Result:
        """Block by block by its own `run`; what they tell, side by side."""
        count, given = len(self.blocks), [[] if signal is None else [signal]] * len(self.blocks)
        n = self.blocks[0].dimension
        if n and np.ndim(signal) == (2 if n == 1 else 3):
            given = [[one] for one in self._signals(signal, *_given_to(self.blocks[0]))]
        results: list[Result] = []
        for block, own in zip(self.blocks, given, strict=True):
            results.append(block.run(*own, **shared))  # type: ignore[attr-defined]
            if progress is not None:
                progress(len(results) / count)
        variables = {"time": results[0].variables["time"]}
        for name, one in results[0].variables.items():
            shapes = {result.variables[name].values.shape if name in result else None for result in results}
            if len(shapes) > 1:
                checks.refuse("Batch", f"its blocks record {name!r} in shapes {shapes}.", "Run them one by one.")
            if name != "time":
                values = np.stack([result.variables[name].values for result in results])
                variables[name] = replace(one, dims=("batch", *one.dims), values=values)
        about: dict[str, Any] = {"period": results[0].about["period"]}
        if "unsolved_steps" in results[0].about:
            about["unsolved_steps"] = sum(result.about["unsolved_steps"] for result in results)
        return Result(variables, title=f"{count} x {self.blocks[0].name}", about=about)

    def start(self, *, period: float, initial: Mapping[str, ArrayLike] | None = None) -> LiveBatch:
        """All blocks in a control loop, one tick at a time; the kernels are warm when this returns."""
        return LiveBatch(self, period, initial)

    def _memories(self, places: NDArray[np.int64], states: Sequence[State]) -> tuple[Memory, Memory, Memory]:
        """Parameters, states and workspaces of some of its blocks, a row each."""
        workspaces = [self.blocks[i].spaces.workspace.empty() for i in places]
        parameters = stacked([self.blocks[i].parameters for i in places])
        return parameters, stacked([state.memory for state in states]), stacked(workspaces)

    def _signals(self, signal: ArrayLike | Mapping[str, ArrayLike] | None, name: str, unit: str) -> Array:
        """Shape (1 or batch, ticks) or (1 or batch, ticks, dimension)."""
        n = self.blocks[0].dimension
        if signal is None:
            checks.refuse("Batch", "run does not know how long to run.", f"Give the {name} over the ticks.")
        if not isinstance(signal, Mapping):
            return self._one_or_each("Batch", name, signal, unit, n)
        if name == "velocity":
            remedy = "Give one record of velocities, or one for each block."
            checks.refuse("Batch", f"velocity is given by ports ({', '.join(map(str, signal))}).", remedy)
        signals = forces_at_ports("Batch", self.blocks[0].ports, signal, self._one_or_each)
        return signals[:, :, 0] if n == 1 else signals

    def _one_or_each(self, owner: str, name: str, signal: ArrayLike, unit: str, n: int) -> Array:
        """A record for all blocks, or one for each, in n directions."""
        given = checks.array(owner, name, signal, unit)
        if given.ndim == (2 if n == 1 else 3) and given.shape[0] == len(self.blocks):
            flat = checks.signal(owner, name, given.reshape(-1) if n == 1 else given.reshape(-1, n), unit, n)
            return flat.reshape(given.shape)
        one = checks.signal(owner, name, given, unit, n)
        return one.ravel()[None] if n == 1 else one[None]


class LiveBatch:
    """A batch in a loop: `forces = live.step(velocities)`, one row a block.

    Example:
        >>> import tegotae as tg
        >>> brake = tg.FrictionImpedance(stiffness=6000.0, law=tg.Coulomb(4.0))
        >>> live = brake.batch(stiffness=[1e3, 1e4]).start(period=1e-3)
        >>> live.step([0.1, 0.1]).round(6).tolist()
        [-0.1, -1.0]
    """

    def __init__(self, batch: Batch, period: float, initial: Mapping[str, ArrayLike] | Sequence[State] | None):
        first = batch.blocks[0]
        self.batch = batch
        self.period = checks.period_of("Batch", period)
        for block in batch.blocks:
            block.check(self.period)
        n, count = first.dimension, len(batch.blocks)
        self._name, self._unit = _given_to(first)
        self._shape = (count,) if n == 1 else (count, n)
        self._out = np.empty((count, n))
        self._parts = []
        if initial is None or isinstance(initial, Mapping):
            self._states = [loop.first_state(block, self.period, initial) for block in batch.blocks]
        else:  # a copy goes on from the states of another
            self._states = self._matching(initial, [State(block.name, block.spaces.state) for block in batch.blocks])
        for places, one in batch.groups():
            picks = loop.answer_picks(one)
            states = [self._states[i] for i in places]
            row = np.zeros((places.size, 1) if n == 1 else (places.size, 1, n))
            out = np.empty((places.size, picks.size, 1))
            shared = (NOT_FED.rows[None], NOT_FED.slots, self.period, 1, picks.real, picks.whole, 1, 0, 1, out)
            _all(one, batch._memories(places, states), row, *shared)()  # compiled before the first tick
            memories = batch._memories(places, states)
            for b, i in enumerate(places):  # each looks at its row
                memory = Memory(memories[1].real[b], memories[1].whole[b])
                self._states[i] = State(one.name, states[b].space, memory)
            find_unsound = bind(first_unsound, memories[1].real)
            self._parts.append((places, _all(one, memories, row, *shared), row, out, find_unsound))
        known = list(zip(batch.blocks, self._states, strict=True))
        self._watched = Watched(f"{count} x {first.name}", known)
        self._tick = self._watched.around(self._tick_all)

    def __repr__(self) -> str:
        return f"LiveBatch({len(self.batch.blocks)} x {self.batch.blocks[0].name}, period={self.period:g} s)"

    @property
    def states(self) -> list[State]:
        """A copy of each block's state: keep them as a checkpoint, assign them to go back."""
        return [state.copy() for state in self._states]

    @states.setter
    def states(self, value: Sequence[State]) -> None:
        for state, given in zip(self._states, self._matching(value, self._states), strict=True):
            state.take(given)
        self._watched.again()

    def _matching(self, value: Sequence[State], like: Sequence[State]) -> list[State]:
        """What a user gave as states of its blocks, refused unless they are."""
        if not checks.is_list(value) or not all(isinstance(state, State) for state in value):
            checks.refuse("Batch", f"states={checks.shown(value)} is not a list of states.", _STATES)
        if len(value) != len(like):
            checks.refuse("Batch", f"states has {len(value)} of {len(like)}.", _STATES)
        states = [expected.matching(given) for expected, given in zip(like, value, strict=True)]
        for block, state in zip(self.batch.blocks, states, strict=True):
            block.check_state(state)
        return states

    def __getitem__(self, field: str) -> Any:
        """A field of all states by name, such as live["deflection"], with a leading batch axis."""
        return np.stack([state[field] for state in self._states])

    def __setitem__(self, field: str, value: ArrayLike) -> None:
        """Feed an input that is neither motion nor force, one for all or one each; it holds."""
        part = self.batch.blocks[0].parts.get(field) if isinstance(field, str) else None
        if part is None or not part.fed:
            known = ", ".join(name for name, one in self.batch.blocks[0].parts.items() if one.fed)
            checks.refuse("Batch", f"field={checks.shown(field)} cannot be fed.", f"It takes {known or 'none'}.")
        shape = np.shape(self._states[0][field])
        given = checks.array("Batch", field, value, part.unit)
        checks.finite("Batch", field, given, part.unit)
        if given.shape not in (shape, (len(self._states), *shape)):
            remedy = f"Give shape {shape}, or {(len(self._states), *shape)} for one each."
            checks.refuse("Batch", f"{field} has shape {given.shape}.", remedy)
        for state, row in zip(self._states, np.broadcast_to(given, (len(self._states), *shape)), strict=True):
            state.part(field)[:] = row

    def __reduce__(self) -> Any:
        """Copied and pickled as a batch, a period and states; the copy compiles for itself."""
        return LiveBatch, (self.batch, self.period, self.states)

    def step(self, signal: ArrayLike | Mapping[str, ArrayLike] | None = None) -> Any:
        """One tick: velocities [m/s] in, forces [N] out (or forces in, velocities out), one row a block.

        For admittances also port -> forces in, port -> velocities out, one row a block each.
        """
        if isinstance(signal, Mapping):
            return self._step_ports(signal)
        if signal is None:
            signal = np.empty(self._shape) if self._shape[-1] == 0 else []
        given = checks.array("Batch", self._name, signal, self._unit)
        if given.shape != self._shape:
            problem = f"{self._name} has shape {given.shape}."
            checks.refuse("Batch", problem, f"Give shape {self._shape}, in {self._unit}.")
        checks.finite("Batch", self._name, given, self._unit)
        if unsound := self._tick(given):
            which = min(unsound)
            who = f"Batch: blocks[{which}] ({self.batch.blocks[which].name})"
            say_that_it_diverged(who, f"{self._name}={given[which]} {self._unit}")
        return self._out[:, 0].copy() if len(self._shape) == 1 else self._out.copy()

    def _tick_all(self, given: Array) -> list[int]:
        """One tick of every block; the places of those that left the range of numbers."""
        unsound = []
        for places, tick, row, out, find_unsound in self._parts:
            row[:, 0] = given[places]
            tick()
            self._out[places] = out[:, :, 0]
            if (one := find_unsound()) >= 0:
                unsound.append(int(places[one]))
        return unsound

    def _step_ports(self, forces: Mapping[str, ArrayLike]) -> dict[str, Array]:
        """One tick by the names of ports; no force at those that are not named."""
        ports, count = self.batch.blocks[0].ports, len(self.batch.blocks)
        given, places = np.zeros((count, sum(port.dimension for port in ports))), spans(ports)
        for port, value in by_their_ports("Batch", self._name, ports, forces):
            name = port.name
            rows = checks.array("Batch", f"force[{name!r}]", value, port.force)
            shape = (count,) if port.dimension == 1 else (count, port.dimension)
            if rows.shape != shape:
                checks.refuse("Batch", f"force[{name!r}] has shape {rows.shape}.", f"Give {shape}, in {port.force}.")
            given[:, places[name]] = rows.reshape(count, -1)
        found = self.step(given.reshape(self._shape)).reshape(count, -1)
        return {
            port.name: found[:, places[port.name]] if port.dimension > 1 else found[:, places[port.name].start]
            for port in ports
        }


def _given_to(block: Block) -> tuple[str, str]:
    """What drives it, and the unit of that."""
    return ("velocity", "m/s") if block.gives == "force" else ("force", force_unit(block.ports))


def _nature(block: Block) -> tuple[Any, ...]:
    """What blocks of a batch must share: causality, ports and what they record."""
    return block.gives, block.ports, [n for n, part in block.parts.items() if part.recorded]


def _all(block: Block, memories: tuple[Memory, Memory, Memory], x: Array, fed: Array, *rest: Any) -> Callable[[], Any]:
    """The loop over all rows. Sums in free order come out alike only where each row takes the loop of a run itself."""
    module = module_of(block)
    if not frees_sums(module.loop):
        return bind(module.batch_loop, *memories, x, fed, *rest)
    *shared, record = rest
    loops = [
        bind(
            module.loop,
            *(Memory(memory.real[b], memory.whole[b]) for memory in memories),
            x[b if len(x) > 1 else 0],
            fed[b if len(fed) > 1 else 0],
            *shared,
            record[b],
        )
        for b in range(len(record))
    ]

    def call() -> None:
        for one in loops:
            one()

    return call
