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
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tegotae import checks, contract
from tegotae.checks import Array
from tegotae.result import Result

if TYPE_CHECKING:
    from tegotae.live import LiveAdmittance, LiveImpedance

MOST = 2.0**53  # beyond it not every whole number is a float


INITIAL = 'Name fields of the state and their values, such as initial={"velocity": 1.0}.'


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
        fed: an input beside motion and force: whoever runs the block may set it before each tick.
        whole: it counts: whole numbers >= 0.
        scratch: where a tick works, and may leave what is not finite.
        placed: where the mover is, not how far it went: positions that are given set it first.

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
    fed: bool = False
    whole: bool = False
    scratch: bool = False
    placed: bool = False

    def length(self, dimension: int) -> int:
        """How many numbers of the state it takes."""
        return self.size or (dimension if self.vector else 1)


class Fault(NamedTuple):
    """A number in a state that cannot be: where it stands, and what may stand there."""

    place: int
    may_be: str


def fault_at(start: int, wrong: NDArray[np.bool_], may_be: str) -> Fault | None:
    """The first that is wrong of the numbers from `start` on; None if none is."""
    return Fault(start + int(np.argmax(wrong)), may_be) if wrong.any() else None


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
    # What to advise where a step found no solution: blocks that solve count such steps in a field `unsolved`.
    unsolved_remedy: ClassVar[str] = "A shorter period or more damping usually helps."

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
        contract.check_layout(self)
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
        for name, value in checks.mapping(self.name, "initial", initial, INITIAL).items():
            if name not in places:
                checks.refuse(self.name, f"initial[{name!r}] is not part of its state.", f"It has {', '.join(places)}.")
            wanted = places[name].stop - places[name].start
            given = checks.numbers(self.name, f"initial[{name!r}]", value)
            if given.shape != (wanted,):
                told = f"initial[{name!r}]={checks.shown(value)} has shape {given.shape}."
                checks.refuse(self.name, told, f"Give {wanted} number(s).")
            checks.finite(self.name, f"initial[{name!r}]", given, "")
            state[places[name]] = given
        return state

    def check_state(self, state: Array) -> None:
        """Refuse a state from outside that it could not have come to by itself; see `fault`."""
        fault = self.fault(state)
        if fault is None:
            return
        name, part = next((n, part) for n, part in self.slices().items() if part.start <= fault.place < part.stop)
        spot = name if part.stop - part.start == 1 else f"{name}[{fault.place - part.start}]"
        told = f"Give {fault.may_be}, or a state that such a block was in."
        checks.refuse(self.name, f"{spot}={float(state[fault.place])!r} cannot be in its state.", told)

    def fault(self, state: Array) -> Fault | None:
        """The first number that cannot be; None for a state that it can run from.

        Kernels trust their state. A block that keeps flags, counts or places in it says here which ones there are.
        """
        kept, counts = self._kinds_of_numbers
        unfit = fault_at(0, ~np.isfinite(state) & kept, "a finite number")
        if unfit is None and counts.any():
            wrong = counts & ((state < 0.0) | (state > MOST) | (state != np.floor(state)))
            unfit = fault_at(0, wrong, f"a whole number from 0 to {MOST:.0f}")
        return unfit

    @cached_property
    def _kinds_of_numbers(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which numbers of the state last beyond a tick, and which of them count."""
        length = [f.length(self.dimension) for f in self.fields]
        kept = np.repeat([not f.scratch for f in self.fields], length)
        return kept, np.repeat([f.whole for f in self.fields], length)

    def spans(self) -> list[tuple[int, int]]:
        """Where numbers that last beyond a tick begin and end in the state."""
        return self._spans

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        kept, _ = self._kinds_of_numbers
        edges = np.flatnonzero(np.diff(kept, prepend=False, append=False)).tolist()
        return list(zip(edges[::2], edges[1::2], strict=True))

    def bound(
        self, P: Array, S: Array, X: Array, period: float, every: int, picks: NDArray[np.int64], record: Array
    ) -> Callable[[], Any]:
        """Its compiled loop over many blocks of this kind: each call takes every row of S through its record in X.

        The arrays are held, parameters P, states S and records along a leading axis; X may be one record for all.
        """
        from tegotae import running
        from tegotae.compile import bind

        return bind(running.module_of(self).batch_loop, P, S, X, period, every, picks, record)

    @property
    def variable(self) -> tuple[str, ...]:
        """The names that `varied` and `batch` take; none for a block that is made of others."""
        return tuple(f.name for f in getattr(self, "__dataclass_fields__", {}).values() if f.init)

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
        if position is not None:
            initial = running.started(self, np.asarray(position)[0], initial)
        return running.run(self, motion, "velocity", "m/s", period, every, record, initial)

    def start(self, *, period: float, initial: Mapping[str, ArrayLike] | None = None) -> LiveImpedance:
        """A live element for a control loop; its kernels are warm when this returns."""
        from tegotae.live import LiveImpedance

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
        from tegotae.live import LiveAdmittance

        return LiveAdmittance(self, period, initial)
