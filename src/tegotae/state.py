"""The state of a block: all that a tick needs of the past, by name. A copy of it is a checkpoint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tegotae import checks
from tegotae.layout import Memory, Space


class Fault(NamedTuple):
    """A number in a state that cannot be: in which part, at which place of it, and what may stand there."""

    name: str
    place: int
    may_be: str


class State(Mapping[str, Any]):
    """Named numbers of a block, owned by what runs it.

    A part of one number is read as that number, others as arrays, which may be written to; either may be assigned.

    Args:
        owner: the block's name, for messages.
        space: where each part lies.
        memory: its numbers; 0 everywhere unless given.

    Example:
        >>> import tegotae as tg
        >>> live = tg.Mass(mass=2.0).start(period=0.1)
        >>> kept, velocity = live.state, live.step(40.0)
        >>> live.state["velocity"], kept["velocity"]
        (2.0, 0.0)
        >>> live.state = kept
        >>> live["velocity"]
        0.0
    """

    __slots__ = ("memory", "owner", "space")

    def __init__(self, owner: str, space: Space, memory: Memory | None = None):
        self.owner, self.space = owner, space
        self.memory = space.empty() if memory is None else memory

    @property
    def real(self) -> NDArray[np.float64]:
        """All real numbers, one part after the other."""
        return self.memory.real  # type: ignore[no-any-return]

    @property
    def whole(self) -> NDArray[np.int64]:
        """All whole numbers, one part after the other."""
        return self.memory.whole  # type: ignore[no-any-return]

    def part(self, name: str) -> Any:
        """The numbers of a part where they lie, as an array."""
        if not isinstance(name, str) or name not in self.space.places:
            known = ", ".join(self.space.places)
            checks.refuse(self.owner, f"its state has no field={checks.shown(name)}.", f"It has {known}.")
        return self.space.part(self.memory, name)

    def __getitem__(self, name: str) -> Any:
        place = self.space.places.get(name) if isinstance(name, str) else None
        if place is not None and place.stop - place.start == 1 and len(place.shape) < 2:
            return (self.memory.whole if place.whole else self.memory.real).item(place.start)
        return self.part(name)

    def __setitem__(self, name: str, value: ArrayLike) -> None:
        part = self.part(name)
        given: Any = value
        if isinstance(given, float) and part.size == 1 and part.dtype == np.float64:  # as a control loop feeds it
            part[:] = given
        else:
            part[:] = _as_part(self, name, name, value)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self.space.places

    def __iter__(self) -> Iterator[str]:
        return iter(self.space.places)

    def __len__(self) -> int:
        return len(self.space.places)

    def copy(self) -> State:
        """The same numbers, in memory of their own."""
        return State(self.owner, self.space, Memory(self.real.copy(), self.whole.copy()))

    __copy__ = copy

    def __deepcopy__(self, _: object) -> State:
        return self.copy()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        if not self.fits(other):
            return False
        return np.array_equal(self.real, other.real, equal_nan=True) and np.array_equal(self.whole, other.whole)

    __hash__ = None  # type: ignore[assignment]  # it can be changed

    def fits(self, other: State) -> bool:
        """Whether the other one has the same parts, and memory for them."""
        kinds = [[(np.shape(vector), getattr(vector, "dtype", None)) for vector in one.memory] for one in (self, other)]
        return kinds[0] == kinds[1] and self.shapes() == other.shapes()

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each part."""
        return {name: place.shape for name, place in self.space.places.items()}

    def take(self, other: State) -> None:
        """The numbers of another one with the same parts."""
        self.real[:], self.whole[:] = other.real, other.whole

    def matching(self, other: object) -> State:
        """What a user gave as such a state; refused unless it is one of the same block, at most with parts behind."""
        if not isinstance(other, State):
            remedy = "Assign a state that such a block was in, as `live.state` gives it."
            checks.refuse(self.owner, f"state={checks.shown(other)} is not a State.", remedy)
        shapes, like = list(other.shapes().items()), State(other.owner, other.space)
        alike = other.owner == self.owner and shapes[: len(self)] == [*self.shapes().items()] and like.fits(other)
        if not alike:
            problem = f"state is one of {other.owner}, with {other.listed(self)}."
            checks.refuse(self.owner, problem, f"Assign one of {self.owner}, with {self.listed(other)}.")
        return State(self.owner, self.space, Memory(other.real[: self.real.size], other.whole[: self.whole.size]))

    def listed(self, other: State) -> str:
        """Its parts and how many numbers each has, the first few of them; those that the other one has not, first."""
        known = other.shapes()
        shapes = sorted(self.shapes().items(), key=lambda part: known.get(part[0]) == part[1])
        parts = [f"{name} ({int(np.prod(shape))})" for name, shape in shapes]
        return ", ".join(parts[:12]) + (f" and {len(parts) - 12} more" if len(parts) > 12 else "")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """All numbers in one vector, real ones first."""
        return np.concatenate([self.real, self.whole]).astype(dtype or np.float64)

    def __repr__(self) -> str:
        short = {name: self[name] for name, place in self.space.places.items() if place.stop - place.start <= 6}
        listed = ", ".join(f"{name}={value}" for name, value in short.items())
        rest = len(self) - len(short)
        return f"State({self.owner}: {listed}{f', and {rest} more' if rest else ''})"


def set_initial(state: State, initial: Mapping[str, ArrayLike]) -> None:
    """Put in what a user gave, part by part, or refuse it."""
    for name, value in initial.items():
        if name not in state.space.places:
            known = ", ".join(state.space.places)
            checks.refuse(state.owner, f"initial[{name!r}] is not part of its state.", f"It has {known}.")
        given = _as_part(state, name, f"initial[{name!r}]", value)
        checks.finite(state.owner, f"initial[{name!r}]", given, "")
        state.part(name)[:] = given


def _as_part(state: State, name: str, label: str, value: ArrayLike) -> NDArray[Any]:
    """Numbers in the shape of a part, whole ones for one that counts."""
    part = state.part(name)
    counted = part.dtype == np.int64 and isinstance(value, int | np.integer | np.ndarray)
    exact = counted and np.asarray(value).dtype == np.int64  # beyond 2^53 too, where a float would round it
    given: NDArray[Any] = np.atleast_1d(np.asarray(value)) if exact else checks.numbers(state.owner, label, value)
    if given.shape not in (part.shape, (part.size,)):
        problem = f"{label}={checks.shown(value)} has shape {given.shape}."
        checks.refuse(state.owner, problem, f"Give {part.size} number(s).")
    counts = part.dtype != np.float64 and not exact
    if counts and ((np.abs(given) > 2.0**53) | (given != np.floor(given))).any():
        checks.refuse(state.owner, f"{label}={checks.shown(value)} is not whole.", "Give whole numbers.")
    return given.reshape(part.shape)
