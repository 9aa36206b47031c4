"""The same block many times, with its parameters along a leading axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tegotae import checks, contract, running, unsolved
from tegotae.block import Block, Impedance
from tegotae.checks import Array
from tegotae.compile import bind
from tegotae.errors import TegotaeError
from tegotae.kernels.soundness import first_unsound
from tegotae.result import Result, Variable

_STATES = "Give one state a block, as `states` of such a batch gives them."


class Batch:
    """Blocks of one kind, run together: results get a leading `batch` axis.

    Args:
        blocks: blocks of one class and one dimension; their laws may differ.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> from tegotae.batch import Batch
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
            contract.check(block)
            if _nature(block) != _nature(first):
                checks.refuse(
                    "Batch",
                    f"blocks[{i}] ({block.name}) is of another nature than blocks[0] ({first.name}).",
                    "Batch blocks of one class and one dimension.",
                )

    def __repr__(self) -> str:
        return f"Batch({len(self.blocks)} x {self.blocks[0].name})"

    @classmethod
    def of_variations(cls, block: Block, variations: Mapping[str, Sequence[Any]]) -> Batch:
        """One block for each entry of the varied parameters, which advance together."""
        known = block.variable
        if not known:
            checks.refuse(block.name, "it has no parameters of its own to vary.", "Give Batch a list of such blocks.")
        lengths = {}
        for name, entries in variations.items():
            if name not in known:
                checks.refuse(block.name, f"batch has {name!r}.", f"It has {', '.join(sorted(known))}.")
            if not checks.is_list(entries):
                told = f"batch (variations) has {name}={checks.shown(entries)}."
                checks.refuse(block.name, told, "Give a list, one value a block.")
            lengths[name] = checks.len_of(entries)
            checks.room(block.name, f"a batch of {lengths[name]} {name}", lengths[name], "Run it in parts.")
        if not lengths or len(set(lengths.values())) != 1 or 0 in lengths.values():
            checks.refuse(
                block.name,
                f"batch got lengths {lengths}.",
                "Give one or more parameters, each with as many values.",
            )
        count = next(iter(lengths.values()))
        return cls([block.varied({name: entries[i] for name, entries in variations.items()}) for i in range(count)])

    def groups(self) -> list[tuple[NDArray[np.int64], Block]]:
        """Blocks that share their kernels, the size of their parameters and their fields, by places in the batch."""
        kinds: dict[Any, list[int]] = {}
        for i, block in enumerate(self.blocks):
            layout = tuple((name, part.stop) for name, part in block.slices().items())
            kinds.setdefault((block.kernels, block.parameters.size, layout), []).append(i)
        return [(np.array(places, dtype=np.int64), self.blocks[places[0]]) for places in kinds.values()]

    def run(
        self,
        signal: ArrayLike,
        *,
        period: float,
        every: int = 1,
        record: Sequence[str] | None = None,
        initial: Mapping[str, ArrayLike] | None = None,
    ) -> Result:
        """Run all blocks, each on the same record or on its own.

        Args:
            signal: velocity [m/s] for impedances, force [N] for admittances: one record for all, shape (ticks,)
                or (ticks, dimension), or one each with a leading batch axis.
            period: T [s].
            every: record every so many ticks.
            record: names of the fields to record.
            initial: fields of the state that every block starts from.
        """
        first, count = self.blocks[0], len(self.blocks)
        period = checks.period_of("Batch", period)
        every = checks.whole("Batch", "every", every, 1, "Use every=1 to record each tick.")
        name, unit = ("velocity", "m/s") if isinstance(first, Impedance) else ("force", "N")
        signals = self._signals(signal, name, unit)
        for block in self.blocks:
            block.check(period)
        ticks = signals.shape[1]
        running.check_every("Batch", every, ticks)
        names, picks = running.picks_of(first, record)
        table = np.empty((count, picks.size, ticks // every))
        ended: list[tuple[Block, Array]] = []
        for places, one in self.groups():
            _, picks = running.picks_of(one, record)
            parameters = np.stack([self.blocks[i].parameters for i in places])
            states = np.stack([running.first_state(self.blocks[i], period, initial) for i in places])
            own = signals if signals.shape[0] == 1 else np.ascontiguousarray(signals[places])
            part = np.empty((places.size, picks.size, ticks // every))
            one.bound(parameters, states, own, period, every, picks, part)()
            table[places] = part
            ended += [(one, state) for state in states]
        running.report_divergence("Batch", table, every, period)
        counted = running.unsolved_steps(f"{count} x {first.name}", ended, ticks)
        flat = first.dimension == 1
        dims = ("time",) if flat else ("time", "axis")
        thinned = signals[:, every - 1 :: every]
        given = Variable(dims, thinned[0], unit, "as given")
        if signals.shape[0] > 1:
            given = Variable(("batch", *dims), thinned, unit, "as given")
        variables = {"time": running.time_of(ticks, every, period), name: given}
        variables |= running.variables_of(first, names, table, flat=flat, lead=("batch",))
        return Result(variables, title=f"{count} x {first.name}", about={"period": period} | counted)

    def start(self, *, period: float, initial: Mapping[str, ArrayLike] | None = None) -> LiveBatch:
        """All blocks in a control loop, one tick at a time; the kernels are warm when this returns."""
        return LiveBatch(self, period, initial)

    def _signals(self, signal: ArrayLike, name: str, unit: str) -> Array:
        """Shape (1 or batch, ticks) or (1 or batch, ticks, dimension)."""
        n, count = self.blocks[0].dimension, len(self.blocks)
        given = checks.array("Batch", name, signal, unit)
        if given.ndim == (2 if n == 1 else 3) and given.shape[0] == count:
            flat = checks.signal("Batch", name, given.reshape(-1) if n == 1 else given.reshape(-1, n), unit, n)
            return flat.reshape(given.shape)
        one = checks.signal("Batch", name, given, unit, n)
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

    def __init__(self, batch: Batch, period: float, initial: Mapping[str, ArrayLike] | None):
        first = batch.blocks[0]
        self.batch = batch
        self.period = checks.period_of("Batch", period)
        for block in batch.blocks:
            block.check(self.period)
        impedance, n, count = isinstance(first, Impedance), first.dimension, len(batch.blocks)
        self._name, self._unit = ("velocity", "m/s") if impedance else ("force", "N")
        self._shape = (count,) if n == 1 else (count, n)
        self._out = np.empty((count, n))
        self._parts = []
        self._counts: list[tuple[Array, tuple[int, ...]]] = []  # states, and where each counts steps without a solution
        for places, one in batch.groups():
            picks = running.picks_of(one, ["force" if impedance else "velocity"])[1]
            parameters = np.stack([batch.blocks[i].parameters for i in places])
            states = np.stack([running.first_state(batch.blocks[i], self.period, initial) for i in places])
            row = np.zeros((places.size, 1) if n == 1 else (places.size, 1, n))
            out = np.empty((places.size, picks.size, 1))
            one.bound(parameters, states.copy(), row, self.period, 1, picks, out)()  # compiled before the first tick
            tick = one.bound(parameters, states, row, self.period, 1, picks, out)
            look = bind(first_unsound, states, np.array(one.spans(), dtype=np.int64))
            self._parts.append((places, tick, states, row, out, look))
            self._counts += [(state, spots) for state in states] if (spots := unsolved.places_in(one)) else []
        self._watch = unsolved.Watch(f"{count} x {first.name}", first.unsolved_remedy)

    def __repr__(self) -> str:
        return f"LiveBatch({len(self.batch.blocks)} x {self.batch.blocks[0].name}, period={self.period:g} s)"

    @property
    def states(self) -> list[Array]:
        """A copy of each block's state: keep them as a checkpoint, assign them to go back."""
        rows: list[Array] = [np.empty(0)] * len(self.batch.blocks)
        for places, _, states, *_ in self._parts:
            for i, row in zip(places, states, strict=True):
                rows[i] = row.copy()
        return rows

    @states.setter
    def states(self, value: Sequence[ArrayLike]) -> None:
        if not checks.is_list(value):
            checks.refuse("Batch", f"states={checks.shown(value)} is not a list.", _STATES)
        rows = [checks.numbers("Batch", "states", row) for row in value]
        if [row.shape for row in rows] != [row.shape for row in self.states]:
            checks.refuse("Batch", f"states has shapes {[row.shape for row in rows]}.", _STATES)
        for block, row in zip(self.batch.blocks, rows, strict=True):
            block.check_state(row)
        for places, _, states, *_ in self._parts:
            states[:] = [rows[i] for i in places]

    def __reduce__(self) -> Any:
        """Copied and pickled as a batch, a period and states; the copy compiles for itself."""
        return _revive, (self.batch, self.period, self.states)

    def step(self, signal: ArrayLike) -> Array:
        """One tick: velocities [m/s] in, forces [N] out (or forces in, velocities out), one row a block."""
        given = checks.array("Batch", self._name, signal, self._unit)
        if given.shape != self._shape:
            checks.refuse(
                "Batch", f"{self._name} has shape {given.shape}.", f"Give shape {self._shape}, in {self._unit}."
            )
        checks.finite("Batch", self._name, given, self._unit)
        unsound = []
        for places, tick, _, row, out, look in self._parts:
            row[:, 0] = given[places]
            tick()
            self._out[places] = out[:, :, 0]
            if (one := look()) >= 0:
                unsound.append(int(places[one]))
        if self._counts:
            self._watch.see(sum(unsolved.count_in(state, spots) for state, spots in self._counts))
        if unsound:
            self._say_that_it_diverged(min(unsound), given)
        return self._out[:, 0].copy() if len(self._shape) == 1 else self._out.copy()

    def _say_that_it_diverged(self, which: int, given: Array) -> NoReturn:
        raise TegotaeError(
            f"Batch: blocks[{which}] ({self.batch.blocks[which].name}) diverged: {self._name}={given[which]} "
            f"{self._unit} was finite, its answer or its state is not.\n"
            "  Start again with a smaller input if this one is absurd; else the model is unstable at this period: "
            "use a shorter one."
        )


def _revive(batch: Batch, period: float, states: list[Array]) -> LiveBatch:
    live = LiveBatch(batch, period, None)
    live.states = states
    return live


def _nature(block: Block) -> tuple[Any, ...]:
    """What blocks of a batch must share: causality, dimension and what they record."""
    return isinstance(block, Impedance), block.dimension, [f.name for f in block.fields if f.recorded]
