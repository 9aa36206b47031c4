"""A block in a control loop, one tick at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks, running
from tegotae.block import MOST, Block
from tegotae.checks import Array
from tegotae.compile import bind
from tegotae.errors import TegotaeError
from tegotae.unsolved import watched

AGAIN = "The tick was not taken and the state is as before; repair the input and step again."


class Live:
    """A block in a loop, one tick at a time. It holds the state; the block stays as it was."""

    def __init__(self, block: Block, period: float, initial: Mapping[str, ArrayLike] | None):
        self.block = block
        self._period = checks.period_of(block.name, period)
        block.check(self._period)
        self._parameters = block.parameters
        self._n = block.dimension
        self._state = np.concatenate([running.first_state(block, self._period, initial), self._beside()])
        self._places = block.slices()
        self._in, self._out = np.zeros(self._n), np.zeros(self._n)
        self._bind()

    @property
    def period(self) -> float:
        """T [s], fixed at the start."""
        return self._period

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.block!r}, period={self._period:g} s)"

    def __reduce__(self) -> Any:
        """Copied and pickled as a block, a period and a state; the copy compiles for itself."""
        return _revive, (type(self), self.block, self._period, self.state)

    def _beside(self) -> Array:
        """What it keeps behind the block's own numbers."""
        return np.empty(0)

    def _bind(self) -> None:
        """Compile, and take hold of the state; with a step on a copy, so that the first tick is not a compile."""
        self._step = watched(self._bound(), self.block, self._state)

    def _bound(self, *way: int) -> Callable[..., Any]:
        """The compiled tick: takes a float in one dimension; reads `_in` and fills `_out` in more."""
        step, p, T = running.module_of(self.block).step, self._parameters, self._period
        if self._n == 1:
            step(p, self._state.copy(), 0.0, *way, T)
            return bind(step, p, self._state, float, *way, T)
        step(p, self._state.copy(), self._in, *way, T, self._out)
        return bind(step, p, self._state, self._in, *way, T, self._out)

    @property
    def state(self) -> Array:
        """A copy of the state: keep it as a checkpoint, assign it to go back."""
        return self._state.copy()

    @state.setter
    def state(self, value: ArrayLike) -> None:
        given = checks.numbers(self.block.name, "state", value)
        if given.shape != self._state.shape:
            checks.refuse(
                self.block.name,
                f"state has shape {given.shape}.",
                f"Assign one of shape {self._state.shape}.",
            )
        self._check_state(given)
        self._state[:] = given

    def _check_state(self, state: Array) -> None:
        """Refuse what the block cannot be in."""
        self.block.check_state(state)

    def __getitem__(self, field: str) -> float | Array:
        """A field of the state by name, such as live["deflection"]."""
        if not isinstance(field, str) or field not in self._places:
            checks.refuse(
                self.block.name, f"its state has no field={checks.shown(field)}.", f"It has {', '.join(self._places)}."
            )
        part = self._state[self._places[field]]
        return float(part[0]) if part.size == 1 else part.copy()

    def __setitem__(self, field: str, value: float) -> None:
        """Feed an input that is neither motion nor force, such as live["tyre.speed"] = 20.0; it holds."""
        fed = {f.name: f for f in self.block.fields if f.fed}
        if not isinstance(field, str) or field not in fed:
            told = f"It takes {', '.join(fed)}." if fed else "It takes motion or force alone."
            checks.refuse(self.block.name, f"field={checks.shown(field)} cannot be fed.", told)
        remedy = "Give one finite number; the last one still holds."
        self._state[self._places[field]] = checks.number(self.block.name, field, value, fed[field].unit, remedy)

    def _vector(self, name: str, value: ArrayLike, unit: str) -> Array:
        given = checks.numbers(self.block.name, name, value)
        if given.shape != (self._n,):
            checks.refuse(self.block.name, f"{name} has shape {given.shape}.", f"Give {self._n} numbers, in {unit}.")
        return given

    def _number(self, name: str, value: Any, unit: str) -> float:
        """Of what is no float, nor NumPy's."""
        if type(value) is int and -MOST <= value <= MOST:
            return float(value)
        return float(self._vector(name, value, unit)[0])

    def _refuse(self, name: str, value: Any, unit: str) -> NoReturn:
        if np.isfinite(value).all():
            raise TegotaeError(
                f"{self.block.name}: it diverged: {name}={value} {unit} was finite, its answer or its state is not.\n"
                "  Start again with a smaller input if this one is absurd; else the model is unstable at this period: "
                "use a shorter one."
            )
        checks.refuse(
            self.block.name,
            f"{name}={value} {unit} is not finite.",
            AGAIN,
        )

    def _take(self, step: Callable[..., Any], name: str, value: Any, unit: str) -> Any:
        if self._n == 1:
            number = value if isinstance(value, float) else self._number(name, value, unit)
            output = step(number)
            if output != output:
                self._refuse(name, number, unit)
            return output
        if type(value) is not np.ndarray or value.dtype != np.float64 or value.shape != self._in.shape:
            value = self._vector(name, value, unit)
        self._in[:] = value
        if not step():
            self._refuse(name, value, unit)
        return self._out.copy()


class LiveImpedance(Live):
    """An impedance in a control loop: `force = live.step(velocity)`."""

    def __init__(self, block: Block, period: float, initial: Mapping[str, ArrayLike] | None):
        super().__init__(block, period, initial)
        self._placed = [self._places[name] for name in running.placed(block, 0.0)]

    def step(self, velocity: ArrayLike | None = None, *, position: ArrayLike | None = None) -> Any:
        """One tick: mean velocity [m/s] (or the new position [m]) in, force [N] out."""
        if position is None:
            if velocity is None:
                checks.refuse(self.block.name, "step got neither velocity nor position.", "Give one of them.")
            return self._take(self._step, "velocity", velocity, "m/s")
        if velocity is not None:
            checks.refuse(self.block.name, "step got both velocity and position.", "Give one of them.")
        if self._placed and np.isnan(self._state[-1]):
            self._begin(position)
        return self._take(self._step_to, "position", position, "m")

    def _begin(self, position: ArrayLike) -> None:
        """The first position says where the mover is; refused where the block cannot start there."""
        here = self._vector("position", position, "m")
        if np.isfinite(here).all():  # else the tick is refused
            self.block.initial_state(self._period, running.placed(self.block, here))
            for part in self._placed:
                self._state[part] = here

    def _beside(self) -> Array:
        """The last position seen, or nan: a checkpoint keeps it."""
        return np.full(self._n, np.nan)

    def _bind(self) -> None:
        self._step, self._step_to = (watched(self._bound(way), self.block, self._state) for way in (0, 1))

    def _check_state(self, state: Array) -> None:
        super()._check_state(state[: -self._n])
        last = state[-self._n :]
        if np.isinf(last).any() or np.isnan(last).any() != np.isnan(last).all():
            told = "Give where it was last, or nan in all directions for nowhere yet."
            checks.refuse(self.block.name, f"position={last} m cannot be in its state.", told)

    def _refuse(self, name: str, value: Any, unit: str) -> NoReturn:
        if name == "position" and np.isfinite(value).all():
            with np.errstate(over="ignore"):  # said below, as what it is
                motion = (np.atleast_1d(value) - self._state[-self._n :]) / self._period
            if np.isinf(motion).any():  # and then the tick was not taken
                name, value, unit = "velocity (from position)", motion, "m/s"
        super()._refuse(name, value, unit)


class LiveAdmittance(Live):
    """An admittance in a control loop: `velocity = live.step(force)`."""

    def step(self, force: ArrayLike) -> Any:
        """One tick: force [N] in, velocity [m/s] out."""
        return self._take(self._step, "force", force, "N")


def _revive(kind: type[Live], block: Block, period: float, state: Array) -> Live:
    live = kind(block, period, None)
    live.state = state
    return live
