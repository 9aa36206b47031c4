"""A block in a control loop, one tick at a time."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks, running
from tegotae.block import Block
from tegotae.checks import Array
from tegotae.compile import bind
from tegotae.errors import TegotaeError


class Live:
    """A block in a loop, one tick at a time. It holds the state; the block stays as it was."""

    def __init__(self, block: Block, period: float, initial: Mapping[str, ArrayLike] | None):
        self.block = block
        self._period = checks.period_of(block.name, period)
        block.check(self._period)
        self._parameters = block.parameters
        self._state = block.initial_state(self._period, initial)
        self._places = block.slices()
        self._module: ModuleType = running.module_of(block)
        self._n = block.dimension
        self._out = np.zeros(self._n)
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

    def _bind(self) -> None:
        """Compile, and take hold of the state; with a step on a copy, so that the first tick is not a compile."""
        step, p, T = self._module.step, self._parameters, self._period
        self._in = np.zeros(self._n)
        if self._n == 1:
            step(p, self._state.copy(), 0.0, T)
            self._step = bind(step, p, self._state, float, T)
        else:
            step(p, self._state.copy(), self._in, T, self._out)
            self._step = bind(step, p, self._state, self._in, T, self._out)

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
        self._state[:] = given
        self._restored()

    def _restored(self) -> None:
        """Called when a state was assigned."""

    def __getitem__(self, field: str) -> float | Array:
        """A field of the state by name, such as live["deflection"]."""
        if field not in self._places:
            checks.refuse(self.block.name, f"its state has no {field!r}.", f"It has {', '.join(self._places)}.")
        part = self._state[self._places[field]]
        return float(part[0]) if part.size == 1 else part.copy()

    def __setitem__(self, field: str, value: float) -> None:
        """Feed an input that is neither motion nor force, such as live["tyre.speed"] = 20.0; it holds."""
        fed = {f.name: f for f in self.block.fields if f.fed}
        if field not in fed:
            told = f"It takes {', '.join(fed)}." if fed else "It takes motion or force alone."
            checks.refuse(self.block.name, f"{field!r} cannot be fed.", told)
        remedy = "Give one finite number; the last one still holds."
        self._state[self._places[field]] = checks.number(self.block.name, field, value, fed[field].unit, remedy)

    def _vector(self, name: str, value: ArrayLike, unit: str) -> Array:
        given = np.array(checks.numbers(self.block.name, name, value))
        if given.shape != (self._n,):
            checks.refuse(self.block.name, f"{name} has shape {given.shape}.", f"Give {self._n} numbers, in {unit}.")
        return given

    def _refuse(self, name: str, value: Any, unit: str) -> None:
        if np.isfinite(value).all():
            raise TegotaeError(
                f"{self.block.name}: it diverged: {name}={value} {unit} was finite, its answer is not.\n"
                "  The model is unstable at this period; start again with a shorter one."
            )
        checks.refuse(
            self.block.name,
            f"{name}={value} {unit} is not finite.",
            "The tick was not taken and the state is as before; repair the input and step again.",
        )

    def _take(self, name: str, value: ArrayLike, unit: str) -> Any:
        if self._n == 1:
            number = value if type(value) is float else float(self._vector(name, value, unit)[0])
            output = self._step(number)
            if output != output:
                self._refuse(name, number, unit)
            return output
        if type(value) is not np.ndarray or value.dtype != np.float64 or value.shape != self._in.shape:
            value = self._vector(name, value, unit)
        self._in[:] = value
        if not self._step():
            self._refuse(name, value, unit)
        return self._out.copy()


class LiveImpedance(Live):
    """An impedance in a control loop: `force = live.step(velocity)`."""

    def __init__(self, block: Block, period: float, initial: Mapping[str, ArrayLike] | None):
        super().__init__(block, period, initial)
        # The last position seen is part of the state, behind the block's own numbers: a checkpoint keeps it.
        self._state = np.concatenate([self._state, np.full(self._n, np.nan)])
        self._last = self._state[-self._n :]
        self._tracks = False  # whether positions have been given
        self._bind()

    def step(self, velocity: ArrayLike | None = None, *, position: ArrayLike | None = None) -> Any:
        """One tick: mean velocity [m/s] (or the new position [m]) in, force [N] out."""
        if position is None and velocity is not None:
            force = self._take("velocity", velocity, "m/s")
            if self._tracks:  # positions were given before: this motion moves on from there
                self._last += self._period * np.asarray(velocity, dtype=np.float64)
            return force
        here = self._position(velocity, position)
        motion = (here - np.where(np.isnan(self._last), here, self._last)) / self._period
        force = self._take("velocity", float(motion[0]) if self._n == 1 else motion, "m/s")
        self._last[:] = here
        self._tracks = True
        return force

    def _restored(self) -> None:
        self._tracks = not np.isnan(self._last).any()

    def _position(self, velocity: ArrayLike | None, position: ArrayLike | None) -> Array:
        if position is None or velocity is not None:
            got = "neither velocity nor position" if position is None else "both velocity and position"
            checks.refuse(self.block.name, f"step got {got}.", "Give one of them.")
        here = self._vector("position", position, "m")
        if not np.isfinite(here).all():
            self._refuse("position", position, "m")
        return here


class LiveAdmittance(Live):
    """An admittance in a control loop: `velocity = live.step(force)`."""

    def step(self, force: ArrayLike) -> Any:
        """One tick: force [N] in, velocity [m/s] out."""
        return self._take("force", force, "N")


def _revive(kind: type[Live], block: Block, period: float, state: Array) -> Live:
    live = kind(block, period, None)
    live.state = state
    return live
