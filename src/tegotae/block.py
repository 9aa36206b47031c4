"""The two contracts. An impedance takes motion and gives force; an admittance takes force and gives motion.

A block is immutable: parameters and the names of its compiled kernels. Its state is a vector of numbers owned by
whoever runs it, so the same block can be run twice, copied, batched, checkpointed and replayed.

Kernels come in two halves, so that anything couples implicitly to anything:

- ``answer`` is pure: what would this block give for a trial input, and how fast does that change (the slope)?
- ``advance`` commits what really happened.

*Motion* is the mean generalised velocity over the tick. In one dimension the kernels are

    impedance    answer(p, s, v, T) -> force, slope       advance(p, s, v, T)
    admittance   answer(p, s, h, T) -> motion, slope      advance(p, s, h, v, T)

and in n dimensions `answer` takes two more arrays to fill: (n,) for its first value, (n, n) for the slope.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.errors import InputError, TegotaeError
from tegotae.result import Result


@dataclass(frozen=True)
class Field:
    """One named part of a block's state.

    Args:
        name: as it appears in results.
        unit: SI unit.
        meaning: a few words.
        vector: one number for each dimension, or one in all.
        size: how many numbers instead, for parts that are neither.
        recorded: whether a run records it unless asked otherwise.

    Example:
        >>> Field("force", "N", "force on the mover").name
        'force'
    """

    name: str
    unit: str
    meaning: str
    vector: bool = True
    recorded: bool = True
    size: int = 0

    def length(self, dimension: int) -> int:
        """How many numbers of the state it takes."""
        return self.size or (dimension if self.vector else 1)


@dataclass(frozen=True)
class Kernels:
    """How to make a block's two compiled halves.

    Args:
        make: an importable function that gives (answer, advance) for the functions below.
        functions: what the halves are made for, such as the kernels of a friction law.
        by_value: `make` gives a third function, ``follow(p, s, v, T) -> new state as a tuple``, for small blocks
            whose p and s may be passed as tuples: many of them in a row are then worked on several at a time.
    """

    make: Callable[..., Any]
    functions: tuple[Callable[..., Any], ...] = ()
    by_value: bool = False

    def halves(self) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """(answer, advance), compiled on their first call."""
        answer, advance, *_ = self.make(*self.functions)
        return answer, advance

    def imports(self, suffix: str = "") -> tuple[tuple[str, Callable[..., Any]], ...]:
        """Alias -> function, as a generated module imports them."""
        return (
            ("make" + suffix, self.make),
            *((f"law{suffix}_{i}", f) for i, f in enumerate(self.functions)),
        )

    def source(self, suffix: str = "") -> str:
        """The line of a generated module that makes `answer` and `advance`."""
        laws = ", ".join(f"law{suffix}_{i}" for i in range(len(self.functions)))
        follow = f", follow{suffix}" if self.by_value else ""
        return f"answer{suffix}, advance{suffix}{follow} = make{suffix}({laws})\n"


class Block(ABC):
    """What impedances and admittances share: parameters, a state with named fields, kernels."""

    dimension: int

    @property
    @abstractmethod
    def fields(self) -> tuple[Field, ...]:
        """The layout of the state."""

    @property
    @abstractmethod
    def parameters(self) -> Array:
        """The vector p that the kernels read."""

    @property
    @abstractmethod
    def kernels(self) -> Kernels:
        """How its compiled halves are made."""

    def check(self, period: float) -> None:  # noqa: B027 - most blocks accept any period
        """Refuse what can only be judged once the period is known."""

    @property
    def name(self) -> str:
        """The class's name, for messages and results."""
        return type(self).__name__

    def slices(self) -> dict[str, slice]:
        """Where each field lies in the state vector."""
        return self._slices

    @cached_property
    def _slices(self) -> dict[str, slice]:
        places, start = {}, 0
        for field in self.fields:
            stop = start + field.length(self.dimension)
            places[field.name] = slice(start, stop)
            start = stop
        return places

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> Array:
        """The state at rest, with the fields named in `initial` set."""
        places = self.slices()
        state = np.zeros(max(s.stop for s in places.values()))
        for name, value in (initial or {}).items():
            if name not in places:
                checks.refuse(self.name, f"initial[{name!r}] is not part of its state.", f"It has {', '.join(places)}.")
            wanted = places[name].stop - places[name].start
            given = _numbers(self.name, f"initial[{name!r}]", value)
            if given.shape != (wanted,):
                checks.refuse(self.name, f"initial[{name!r}]={value!r}.", f"Give {wanted} number(s).")
            checks.finite(self.name, f"initial[{name!r}]", given, "")
            state[places[name]] = given
        return state

    def varied(self, changes: Mapping[str, Any]) -> Any:
        """The same block with some parameters changed."""
        return dataclasses.replace(cast(Any, self), **changes)

    def batch(self, **variations: Sequence[Any]) -> Any:
        """The same block many times with some parameters varied, run together along a leading axis.

        Example:
            >>> import numpy as np, tegotae as tg
            >>> brake = tg.FrictionImpedance(stiffness=6000.0, law=tg.Coulomb(4.0))
            >>> sweep = brake.batch(stiffness=[1e3, 1e4])
            >>> sweep.run(np.full(10, 0.05), period=1e-3).force.shape
            (2, 10)
        """
        from tegotae.batch import Batch

        return Batch.of_variations(self, variations)


class Impedance(Block):
    """Motion in, force out.

    Example:
        >>> import tegotae as tg
        >>> isinstance(tg.SpringDamper(stiffness=100.0), tg.Impedance)
        True
    """

    def steepest_rise(self, period: float) -> float:
        """The largest rise of the force with the velocity [N·s/m], 0 for a block that only ever resists more."""
        return 0.0

    def run(
        self,
        velocity: ArrayLike | None = None,
        *,
        position: ArrayLike | None = None,
        period: float,
        every: int = 1,
        record: Sequence[str] | None = None,
        initial: Mapping[str, ArrayLike] | None = None,
    ) -> Result:
        """Run a whole record from rest, compiled.

        Args:
            velocity: mean velocity over each tick [m/s], shape (ticks,) or (ticks, dimension).
            position: positions instead [m], as an encoder gives them; the first is where it starts, at rest.
            period: T [s].
            every: record every so many ticks.
            record: names of the fields to record; all public ones unless given.
            initial: fields of the state to start from instead of rest.
        """
        from tegotae import running

        period = checks.period_of(self.name, period)
        motion = running.motion_of(self.name, velocity, position, period, self.dimension)
        return running.run(self, motion, "velocity", "m/s", period, every, record, initial)

    def start(self, *, period: float, initial: Mapping[str, ArrayLike] | None = None) -> LiveImpedance:
        """A live element for a control loop; its kernels are warm when this returns."""
        return LiveImpedance(self, period, initial)


class Admittance(Block):
    """Force in, motion out.

    Example:
        >>> import tegotae as tg
        >>> isinstance(tg.Mass(mass=1.0), tg.Admittance)
        True
    """

    @abstractmethod
    def least_reluctance(self, period: float) -> float:
        """The smallest rise of the needed force with the velocity [N·s/m]; M/T for a plain mass."""

    def run(
        self,
        force: ArrayLike,
        *,
        period: float,
        every: int = 1,
        record: Sequence[str] | None = None,
        initial: Mapping[str, ArrayLike] | None = None,
    ) -> Result:
        """Run a whole record of forces, compiled.

        Args:
            force: force over each tick [N], shape (ticks,) or (ticks, dimension).
            period: T [s].
            every: record every so many ticks.
            record: names of the fields to record; all public ones unless given.
            initial: fields of the state to start from instead of rest, such as {"velocity": 1.0}.
        """
        from tegotae import running

        period = checks.period_of(self.name, period)
        signal = checks.signal(self.name, "force", force, "N", self.dimension)
        return running.run(self, signal, "force", "N", period, every, record, initial)

    def start(self, *, period: float, initial: Mapping[str, ArrayLike] | None = None) -> LiveAdmittance:
        """A live element for a control loop; its kernels are warm when this returns."""
        return LiveAdmittance(self, period, initial)


class Live:
    """A block in a loop, one tick at a time. It holds the state; the block stays as it was."""

    def __init__(self, block: Block, period: float, initial: Mapping[str, ArrayLike] | None):
        from tegotae import running

        self.block = block
        self._period = checks.period_of(block.name, period)
        block.check(self._period)
        self._parameters = block.parameters
        self._state = block.initial_state(self._period, initial)
        self._places = block.slices()
        self._module: ModuleType = running.module_of(block)
        self._n = block.dimension
        self._out = np.zeros(self._n)
        self._step = self._module.step
        self._warm()

    @property
    def period(self) -> float:
        """T [s], fixed at the start."""
        return self._period

    def __reduce__(self) -> Any:
        """Copied and pickled as a block, a period and a state; the copy compiles for itself."""
        return _revive, (type(self), self.block, self._period, self.state)

    def _warm(self) -> None:
        """Compile with a step on a copy, so that the first tick in the loop is not a compile."""
        if self._n == 1:
            self._step(self._parameters, self._state.copy(), 0.0, self._period)
        else:
            self._step(self._parameters, self._state.copy(), np.zeros(self._n), self._period, self._out)

    @property
    def state(self) -> Array:
        """A copy of the state: keep it as a checkpoint, assign it to go back."""
        return self._state.copy()

    @state.setter
    def state(self, value: ArrayLike) -> None:
        given = _numbers(self.block.name, "state", value)
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

    def _vector(self, name: str, value: ArrayLike, unit: str) -> Array:
        given = np.array(_numbers(self.block.name, name, value))
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
            output = self._step(self._parameters, self._state, number, self._period)
            if output != output:
                self._refuse(name, number, unit)
            return output
        # Only a plain, writable array fits the kernel that `start` compiled; anything else is copied into one.
        if (
            type(value) is not np.ndarray
            or not value.flags.carray
            or value.dtype != np.float64
            or value.shape != self._out.shape
        ):
            value = self._vector(name, value, unit)
        if not self._step(self._parameters, self._state, value, self._period, self._out):
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


def _numbers(owner: str, name: str, value: ArrayLike) -> Array:
    """Numbers as a 1-D array, or an error of our own."""
    try:
        return np.atleast_1d(np.asarray(value, dtype=np.float64))
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(
            f"{owner}: {name}={value!r} is not made of numbers.\n  Give one number a direction."
        ) from error


def _revive(kind: type[Live], block: Block, period: float, state: Array) -> Live:
    live = kind(block, period, None)
    live.state = state
    return live
