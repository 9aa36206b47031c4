"""The compiled response of a block over plain numbers, and least squares on it.

Positive parameters are sought by their logarithm; those that may be 0 on a linear scale of their own.
"""

from __future__ import annotations

import math
import re

import numpy as np
from numpy.typing import NDArray

from tegotae.block import Block
from tegotae.checks import Array
from tegotae.compile import bind
from tegotae.fitting.recipe import Recipe, Values
from tegotae.fitting.record import Record
from tegotae.layout import Memory
from tegotae.running.loop import fed_of, picks_of
from tegotae.running.source import module_of

STEP = 1e-6  # of differences: below it rounding grows, above it the kinks between stick and slip blur


class Model:
    """The compiled response of a recipe's block, as a function of plain numbers.

    The layout of the block says where its p holds which parameter: no Python object is made per evaluation, and steps
    slightly beyond a bound (for differences) work. Where p does not hold the parameters as they are, such as where a
    composite sorts its elements, each evaluation builds a block.
    """

    def __init__(self, recipe: Recipe, record: Record):
        self.recipe, self.record = recipe, record
        self.names = [q.name for q in recipe.free]
        drive, response = getattr(record, recipe.drive), record.seen(recipe.response)
        trial = recipe.trial()
        values = {**recipe.known, **trial}
        block = recipe.block(values, record.dimension)
        self._base = _copied(block.parameters)
        self._slots = [places_in(block, recipe.name_in_block(name)) for name in self.names]
        fed, _, held = fed_of(block, recipe.inputs(record), record.ticks)
        self._state = block.initial_state(record.period, {**recipe.begins, **held})
        self._begins = bool(recipe.initial(values))
        self._biased = recipe.offset(values) != 0.0
        self._given, self._drive = drive, drive.copy() if self._biased else drive
        self._p, self._s, picks = _copied(self._base), self._state.copy(), picks_of(block, [recipe.response])
        self._table = np.empty((picks.size, record.ticks))
        # The same arrays for every evaluation: the loop is told once where they lie.
        memories = self._p, self._s.memory, block.spaces.workspace.empty()
        rest = (*fed, record.period, 1, picks.real, picks.whole, 1, 0, record.ticks, self._table)
        self._run = bind(module_of(block).loop, *memories, self._drive, *rest)
        self._judged = self._table[:, record.judged]  # a view: what the loop leaves is seen here
        self._direct = True
        self._direct = self._found_all(trial)
        self.measured: Array = np.ascontiguousarray(response.T).reshape(self._table.shape)[:, record.judged]

    def _found_all(self, trial: Values) -> bool:
        """Whether the response follows from p with the parameters put in: other values are tried that way and built."""
        in_p = [name not in ("preload", "offset") for name in self.names]  # these are in the state and the record
        if any(inside and not slot.size for slot, inside in zip(self._slots, in_p, strict=True)):
            return False
        others = {name: value * (1.0 + 1e-5) for name, value in trial.items()}
        self._put(self.numbers(others))
        put = _copied(self._p)
        built = self.recipe.block({**self.recipe.known, **others}, self.record.dimension).parameters
        if built.real.shape != put.real.shape or not np.array_equal(built.whole, put.whole):
            return False
        # Some entries are made of several, and only some of these are read.
        return np.array_equal(built.real, put.real) or np.array_equal(self._response(built), self._response(put))

    def _response(self, p: Memory) -> Array:
        """From the state at the start."""
        self._s.take(self._state)
        self._p.real[:] = p.real
        self._run()
        return self._table.copy()

    def _put(self, numbers: Array) -> None:
        """The kernels' p for the free parameters' values."""
        parameters = self._base
        if not self._direct:
            # Kept, for p may hold where parts of it lie.
            self._last = self.recipe.block({**self.recipe.known, **self.named(numbers)}, self.record.dimension)
            parameters = self._last.parameters
        self._p.real[:], self._p.whole[:] = parameters.real, parameters.whole
        if self._direct:
            for slot, number in zip(self._slots, numbers, strict=True):
                self._p.real[slot] = number

    def numbers(self, values: Values) -> Array:
        """The free parameters' values, in their order."""
        return np.array([values[name] for name in self.names])

    def named(self, numbers: Array) -> Values:
        """The free parameters' values, by name."""
        return dict(zip(self.names, numbers.tolist(), strict=True))

    def residual(self, numbers: Array) -> Array:
        """Model minus measurement, one number for each judged tick and direction."""
        self._put(numbers)
        self._s.take(self._state)
        if self._begins:
            for name, number in self.recipe.initial({**self.recipe.known, **self.named(numbers)}).items():
                self._s[name] = number
        if self._biased and self.recipe.drive == "force":
            np.subtract(self._given, self._bias(numbers), out=self._drive)  # what really pushed
        self._run()
        if self._biased and self.recipe.response == "force":
            return np.asarray((self._judged + self._bias(numbers) - self.measured).ravel())
        return np.asarray((self._judged - self.measured).ravel())

    def _bias(self, numbers: Array) -> float:
        """What the force sensor adds [N]."""
        return self.recipe.offset({**self.recipe.known, **self.named(numbers)})

    def cost(self, numbers: Array) -> float:
        """The sum of squared residuals; inf where the model has no finite answer."""
        r = self.residual(numbers)
        square = float(r @ r)
        return square if math.isfinite(square) else math.inf


def places_in(block: Block, name: str) -> NDArray[np.int64]:
    """Where the real parameters p of a block hold a number of its, by its name; nowhere if no part of them is that."""
    real = {n: np.arange(p.start, p.stop) for n, p in block.spaces.parameters.places.items() if not p.whole}
    if name in real:
        return real[name]
    stem = re.sub(r"(\.\w+|\[\d+\])$", "", name)  # a law, or a column: its numbers stand there in their order
    single = [spot for n, spot in real.items() if n == stem or re.fullmatch(rf"{re.escape(stem)}_\d+", n)]
    spots = np.concatenate([np.empty(0, dtype=np.int64), *single])
    inside = [n for n in block.numbers if n.startswith((f"{stem}.", f"{stem}["))] if single else []
    return spots[[inside.index(name)]] if name in inside and len(inside) == spots.size else spots[:0]


def _copied(memory: Memory) -> Memory:
    return Memory(memory.real.copy(), memory.whole.copy())


class Coordinates:
    """Between values and the coordinates the optimiser moves in: logarithms, or multiples of a scale."""

    def __init__(self, recipe: Recipe, values: Values, record: Record):
        scales = recipe.scales({**recipe.known, **values}, record)
        self.linear = np.array([q.linear for q in recipe.free], dtype=bool)
        self.scale = np.array([scales[q.name] if q.linear else 1.0 for q in recipe.free])
        least = np.array([q.lowest for q in recipe.free])
        with np.errstate(divide="ignore", invalid="ignore"):
            self.low = np.where(self.linear, least / self.scale, np.log(least))

    def inward(self, numbers: Array) -> Array:
        """Values -> coordinates."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.linear, numbers / self.scale, np.log(numbers))

    def outward(self, x: Array) -> Array:
        """Coordinates -> values."""
        return np.where(self.linear, x * self.scale, np.exp(np.where(self.linear, 0.0, np.clip(x, -700.0, 700.0))))

    def bounds(self, x: Array) -> tuple[Array, Array]:
        """How far the optimiser may go from x: a logarithm by a factor of a thousand, and never below the least."""
        low = np.where(self.linear, self.low, np.maximum(self.low, x - 7.0))
        return np.minimum(low, x - 1e-9), np.where(self.linear, np.inf, x + 7.0)

    def rate(self, numbers: Array) -> Array:
        """d(value)/d(coordinate)."""
        return np.where(self.linear, self.scale, numbers)


def jacobian(
    model: Model, coordinates: Coordinates, x: Array, steps: Array | None = None, *, central: bool = True
) -> Array:
    """Differences of the residual by the coordinates, over these steps if they are wider than the least.

    One-sided ones take half the work, and their error moves the optimum by a millionth of the noise.
    """
    least = STEP * np.where(coordinates.linear, np.maximum(1.0, np.abs(x)), 1.0)
    steps = least if steps is None else np.maximum(least, steps)
    here = None if central else model.residual(coordinates.outward(x))
    columns = []
    for step in np.diag(steps):
        high = model.residual(coordinates.outward(x + step))
        low = model.residual(coordinates.outward(x - step)) if here is None else here
        columns.append((high - low) / (step.sum() * (2.0 if central else 1.0)))
    return np.stack(columns, axis=1)


def _finite(values: Array) -> Array:
    """A trial far outside must cost much, yet stay finite for the optimiser."""
    return np.nan_to_num(values, nan=1e60, posinf=1e60, neginf=-1e60, copy=False)


def polish(model: Model, values: Values, evaluations: int, *, thorough: bool = False) -> tuple[Values, float]:
    """Least squares from these values on -> the values at the nearest optimum, and the cost there."""
    from scipy.optimize import least_squares

    recipe, record = model.recipe, model.record
    if not model.names:
        return {}, model.cost(np.empty(0))
    coordinates = Coordinates(recipe, values, record)
    x0 = coordinates.inward(model.numbers(values))
    x0 = np.where(coordinates.linear, np.maximum(x0, coordinates.low + 1e-3), np.maximum(x0, coordinates.low))
    size = max(float(np.sqrt(np.mean(model.measured**2))), 1e-300)
    done = least_squares(
        lambda x: _finite(model.residual(coordinates.outward(x)) / size),
        x0,
        jac=lambda x: _finite(jacobian(model, coordinates, x, central=False) / size),
        bounds=coordinates.bounds(x0),
        x_scale="jac",
        # The exact solver's tall decompositions cost more than the model; only the last digits need them.
        # (The other one searches in a plane, so it needs two parameters.)
        tr_solver="exact" if thorough or x0.size == 1 else "lsmr",
        xtol=1e-10,
        ftol=1e-10,
        gtol=1e-13,
        max_nfev=evaluations,
    )
    best = coordinates.outward(done.x)
    return model.named(best), model.cost(best)
