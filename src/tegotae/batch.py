"""The same block many times, with its parameters along a leading axis."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks, running
from tegotae.block import Block, Impedance
from tegotae.checks import Array
from tegotae.result import Result, Variable


class Batch:
    """Blocks of one kind, run together: results get a leading `batch` axis.

    Args:
        blocks: blocks that share their kernels (same class, same kind of law, same dimension).

    Example:
        >>> import numpy as np, tegotae as tg
        >>> from tegotae.batch import Batch
        >>> sliders = Batch([tg.FrictionAdmittance(mass=m, law=tg.Coulomb(1.0)) for m in (1.0, 2.0)])
        >>> sliders.run(np.full(10, 5.0), period=1e-3).velocity.shape
        (2, 10)
    """

    def __init__(self, blocks: Sequence[Block]):
        self.blocks = tuple(blocks)
        if not self.blocks:
            checks.refuse("Batch", "blocks is empty.", "Give at least one block.")
        first = self.blocks[0]
        for i, block in enumerate(self.blocks):
            if block.kernels != first.kernels or block.parameters.shape != first.parameters.shape:
                checks.refuse(
                    "Batch",
                    f"blocks[{i}] ({block.name}) has other kernels than blocks[0] ({first.name}).",
                    "Batch blocks of one class, one kind of law and one dimension.",
                )

    @classmethod
    def of_variations(cls, block: Block, variations: Mapping[str, Sequence[Any]]) -> Batch:
        """One block for each entry of the varied parameters, which advance together."""
        known = {f.name for f in getattr(block, "__dataclass_fields__", {}).values() if f.init}
        lengths = {}
        for name, entries in variations.items():
            if name not in known:
                checks.refuse(block.name, f"batch has {name!r}.", f"It has {', '.join(sorted(known))}.")
            lengths[name] = len(entries)
        if not lengths or len(set(lengths.values())) != 1 or 0 in lengths.values():
            checks.refuse(
                block.name,
                f"batch got lengths {lengths}.",
                "Give one or more parameters, each with as many values.",
            )
        count = next(iter(lengths.values()))
        return cls(
            [
                dataclasses.replace(cast(Any, block), **{name: entries[i] for name, entries in variations.items()})
                for i in range(count)
            ]
        )

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
        names, picks = running.picks_of(first, record)
        for block in self.blocks:
            block.check(period)
        parameters = np.stack([block.parameters for block in self.blocks])
        states = np.stack([block.initial_state(period, initial) for block in self.blocks])
        ticks = signals.shape[1]
        table = np.empty((count, picks.size, ticks // every))
        running.module_of(first).batch_loop(parameters, states, signals, period, every, picks, table)
        flat = first.dimension == 1
        own = ("time",) if flat else ("time", "axis")
        thinned = signals[:, every - 1 :: every]
        given = Variable(own, thinned[0], unit, "as given")
        if signals.shape[0] > 1:
            given = Variable(("batch", *own), thinned, unit, "as given")
        variables = {"time": running.time_of(ticks, every, period), name: given}
        variables |= running.variables_of(first, names, table, flat=flat, lead=("batch",))
        return Result(variables, title=f"{count} x {first.name}", about={"period": period})

    def start(self, *, period: float, initial: Mapping[str, ArrayLike] | None = None) -> LiveBatch:
        """All blocks in a control loop, one tick at a time; the kernels are warm when this returns."""
        return LiveBatch(self, period, initial)

    def _signals(self, signal: ArrayLike, name: str, unit: str) -> Array:
        """Shape (1 or batch, ticks) or (1 or batch, ticks, dimension)."""
        n, count = self.blocks[0].dimension, len(self.blocks)
        given = np.asarray(signal, dtype=np.float64)
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
        self._name, self._unit = ("velocity", "m/s") if isinstance(first, Impedance) else ("force", "N")
        self._picks = running.picks_of(first, ["force" if isinstance(first, Impedance) else "velocity"])[1]
        self._parameters = np.stack([block.parameters for block in batch.blocks])
        self._states = np.stack([block.initial_state(self.period, initial) for block in batch.blocks])
        self._out = np.empty((len(batch.blocks), self._picks.size, 1))
        self._loop = running.module_of(first).batch_loop
        shape = (len(batch.blocks), 1) if first.dimension == 1 else (len(batch.blocks), 1, first.dimension)
        self._shape = shape
        self._loop(self._parameters, self._states.copy(), np.zeros(shape), self.period, 1, self._picks, self._out)

    @property
    def state(self) -> Array:
        """A copy of all states, one row a block."""
        return self._states.copy()

    def step(self, signal: ArrayLike) -> Array:
        """One tick: velocities [m/s] in, forces [N] out (or forces in, velocities out), one row a block."""
        given = np.asarray(signal, dtype=np.float64)
        wanted = self._shape[:1] + self._shape[2:]
        if given.shape != wanted:
            checks.refuse("Batch", f"{self._name} has shape {given.shape}.", f"Give shape {wanted}, in {self._unit}.")
        checks.finite("Batch", self._name, given, self._unit)
        row = np.ascontiguousarray(given).reshape(self._shape)
        self._loop(self._parameters, self._states, row, self.period, 1, self._picks, self._out)
        return self._out[:, 0, 0].copy() if len(self._shape) == 2 else self._out[:, :, 0].copy()
