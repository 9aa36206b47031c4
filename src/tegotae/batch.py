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

    def _signals(self, signal: ArrayLike, name: str, unit: str) -> Array:
        """Shape (1 or batch, ticks) or (1 or batch, ticks, dimension)."""
        n, count = self.blocks[0].dimension, len(self.blocks)
        given = np.asarray(signal, dtype=np.float64)
        if given.ndim == (2 if n == 1 else 3) and given.shape[0] == count:
            flat = checks.signal("Batch", name, given.reshape(-1) if n == 1 else given.reshape(-1, n), unit, n)
            return flat.reshape(given.shape)
        one = checks.signal("Batch", name, given, unit, n)
        return one.ravel()[None] if n == 1 else one[None]
