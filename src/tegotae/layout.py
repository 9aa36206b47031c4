"""The layout of a block's numbers: named parts of its parameters p, its state s and its workspace w.

A layout is the only place where an offset is known. From it kernels get their parts by name (`records`, `view`),
results their variables, states their fields, and blocks that are made of others the places of those.

Real and whole numbers lie in two vectors, a `Memory`. Extents are whole numbers or the names of *sizes*, such as "n"
for the number of bristles: one compiled loop then serves blocks of any size, because sizes are the first whole numbers
among its parameters.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

AXIS = ("axis",)  # the shape of a part with one number for each direction
MOST = 2**53  # beyond it not every whole number is a float

Sizes = Mapping[str, int]
Extents = Mapping[str, int | str]  # of each size its value, or the name under which generated source finds it


class Memory(NamedTuple):
    """Real and whole numbers, each in a vector of its own: how p, s and w lie in memory."""

    real: Any
    whole: Any


@dataclass(frozen=True)
class Part:
    """One named part of a block's parameters, state or workspace.

    Args:
        name: as results and users call it.
        unit: SI unit.
        meaning: a few words.
        shape: () for one number, `AXIS` for one in each direction, else whole numbers and names of sizes.
        letter: what kernels call it; its name unless given.
        whole: its numbers are whole.
        recorded: of a state: whether a run records it unless asked otherwise.
        fed: of a state: an input beside motion and force, which may be set before each tick.
        placed: of a state: where the mover is, not how far it went: positions that are given set it first.
        least: of whole numbers: the least that there may be.
        most: of whole numbers: the most that there may be.
        labels: of a vector: what users call each of its numbers, behind the name and a dot, or alone where the name is
            empty; they then find these and not the vector. Neighbours with one label are found together. Two parts that
            differ in labels alone are equal: kernels do not know them, so one compiled loop serves both.
        axes: of an array: what results call its dimensions.

    Example:
        >>> Part("force", "N", "force on the mover").name
        'force'
    """

    name: str
    unit: str = ""
    meaning: str = ""
    shape: tuple[int | str, ...] = ()
    letter: str = ""
    whole: bool = False
    recorded: bool = True
    fed: bool = False
    placed: bool = False
    least: int = 0
    most: int = MOST
    labels: tuple[str, ...] | None = dataclasses.field(default=None, compare=False)
    axes: tuple[str, ...] = dataclasses.field(default=(), compare=False)

    @property
    def key(self) -> str:
        """Its name in kernels."""
        return self.letter or self.name


@dataclass(frozen=True)
class Nested:
    """A block inside another one: its parts lie together, and kernels find them under one letter.

    Args:
        letter: what kernels call all of it.
        layout: its parts.
        prefix: in front of their names.
        sizes: size of its layout -> what the outer block calls that size; the same unless given.
    """

    letter: str
    layout: Layout
    prefix: str = ""
    sizes: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> str:
        """Its name in kernels."""
        return self.letter

    def inner(self, sizes: Mapping[str, Any]) -> dict[str, Any]:
        """Sizes as its own parts call them."""
        return {**sizes, **{name: sizes[outer] for name, outer in self.sizes}}


class Place(NamedTuple):
    """Where a part lies: in the whole or the real numbers, from `start` to `stop`, in this shape."""

    part: Part
    whole: bool
    start: int
    stop: int
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Layout:
    """Named parts, one after the other.

    Args:
        items: parts, and blocks inside.

    Example:
        >>> spring = Layout((Part("stretch", "m", shape=AXIS), Part("force", "N", shape=AXIS)))
        >>> list(spring.places({"axis": 2}))
        ['stretch', 'force']
        >>> spring.places({"axis": 2})["force"].start
        2
    """

    items: tuple[Part | Nested, ...] = ()

    def parts(self) -> Iterator[Part]:
        """All parts under their full names, those of blocks inside too; shapes as the part's own block has them.

        A part with labels is one here; see `places` for the numbers in it.
        """
        for item in self.items:
            if isinstance(item, Part):
                yield item
            else:
                yield from (dataclasses.replace(p, name=item.prefix + p.name) for p in item.layout.parts())

    def places(self, sizes: Sizes) -> dict[str, Place]:
        """Where each part lies, by its full name; of a part with labels, where each of its numbers does."""
        known: dict[Any, dict[str, Place]] = self.__dict__.setdefault("_known", {})  # one layout serves many blocks
        key = tuple(sizes.items())
        if key not in known:
            known[key] = dict(self._places(sizes, {False: 0, True: 0}, ""))
        return known[key]

    def _places(self, sizes: Sizes, ends: dict[bool, int], prefix: str) -> Iterator[tuple[str, Place]]:
        for item in self.items:
            if isinstance(item, Nested):
                yield from item.layout._places(item.inner(sizes), ends, prefix + item.prefix)
                continue
            shape = tuple(sizes[extent] if isinstance(extent, str) else extent for extent in item.shape)
            start, stop = ends[item.whole], ends[item.whole] + math.prod(shape)
            ends[item.whole] = stop
            name = prefix + item.name
            if item.labels is None:
                yield name, Place(dataclasses.replace(item, name=name), item.whole, start, stop, shape)
                continue
            spots = zip(item.labels, range(start, stop), strict=True)
            for label, group in groupby(spots, key=itemgetter(0)):
                indices = [spot for _, spot in group]
                shape = () if len(indices) == 1 else (len(indices),)
                full = f"{name}.{label}" if item.name else prefix + label
                axes = (f"{label}_axis",) if item.shape == AXIS and shape else item.axes
                one = dataclasses.replace(item, name=full, shape=shape, labels=None, axes=axes)
                yield full, Place(one, item.whole, indices[0], indices[-1] + 1, shape)

    def changed(self, change: Callable[[Part], Part]) -> Layout:
        """The same with every part changed."""
        changed = (
            change(item) if isinstance(item, Part) else dataclasses.replace(item, layout=item.layout.changed(change))
            for item in self.items
        )
        return Layout(tuple(changed))

    # ------------------------------------------------------------ source

    def records(self, name: str) -> str:
        """The lines of a generated module that name its parts: a tuple with named fields, and one for each inside."""
        if not self.items:
            return ""
        inner = "".join(item.layout.records(f"{name}_{item.letter}") for item in self.items if isinstance(item, Nested))
        return f"{inner}{name} = namedtuple({name!r}, {' '.join(item.key for item in self.items)!r})\n"

    def view(self, name: str, vector: str, extents: Extents, numbers: Numbers, at: Cursor | None = None) -> str:
        """The expression for all parts by name, of the `Memory` called `vector`.

        Args:
            name: as `records` called the tuple.
            vector: the memory in which they lie.
            extents: of every size.
            numbers: which parts are handed over as numbers; all others are arrays, also those of one number.
            at: where they begin, moved on to where they end.
        """
        if not self.items:
            return vector
        at = at if at is not None else Cursor()
        inside = []
        for item in self.items:
            if isinstance(item, Nested):
                inner = item.inner(extents)
                inside.append(item.layout.view(f"{name}_{item.letter}", vector, inner, numbers, at))
            else:
                inside.append(_read(item, vector, extents, numbers, at))
        return f"{name}({', '.join(inside)})"


def _read(part: Part, vector: str, extents: Extents, numbers: Numbers, at: Cursor) -> str:
    """One part: a number, or a slice in its shape."""
    first = at.text(part.whole)
    shape = [extents[extent] if isinstance(extent, str) else extent for extent in part.shape]
    at.move(part.whole, shape)
    kind = "whole" if part.whole else "real"
    if numbers(part, shape):
        return f"{vector}.{kind}[{first}]"
    flat = f"{vector}.{kind}[{first} : {at.text(part.whole)}]"
    return f"{flat}.reshape(({', '.join(map(str, shape or [1]))},))"  # of known extents: the compiler sees them


Numbers = Callable[[Part, list[int | str]], bool]


def no_numbers(part: Part, shape: list[int | str]) -> bool:
    """Kernels write to it: everything is an array."""
    return False


def single_numbers(part: Part, shape: list[int | str]) -> bool:
    """Kernels only read it: what is one number is one."""
    return not shape


def all_numbers(part: Part, shape: list[int | str]) -> bool:
    """What is one number in this block is one, also where it is one in each direction."""
    return not shape or (part.shape == AXIS and shape == [1])


class Cursor:
    """A place in the real and in the whole numbers, as source: constants, and sizes known only when it runs."""

    def __init__(self, real: int | str = 0, whole: int | str = 0):
        self._terms: dict[bool, dict[tuple[str, ...], int]] = {False: {}, True: {}}
        for kind, start in ((False, real), (True, whole)):
            self._terms[kind][() if isinstance(start, int) else (start,)] = start if isinstance(start, int) else 1

    def move(self, whole: bool, extents: list[int | str]) -> None:
        """Beyond a part with these extents."""
        names = tuple(sorted(extent for extent in extents if isinstance(extent, str)))
        count = math.prod(extent for extent in extents if isinstance(extent, int))
        self._terms[whole][names] = self._terms[whole].get(names, 0) + count

    def text(self, whole: bool) -> str:
        """Where it stands."""
        terms = []
        for names, count in self._terms[whole].items():
            factors = ([str(count)] if count != 1 or not names else []) + list(names)
            terms += [" * ".join(factors)] if count else []
        return " + ".join(terms) or "0"


class Layouts(NamedTuple):
    """How the numbers of a block lie: its parameters, its state, and where a tick works.

    `sizes` has the block's dimension as "axis", and the value of every size that a shape names.
    """

    parameters: Layout
    state: Layout
    workspace: Layout
    sizes: Mapping[str, int]

    @property
    def names(self) -> tuple[str, ...]:
        """Sizes that stand at the head of the whole parameters."""
        return tuple(name for name in self.sizes if name != "axis")


def layouts(
    *,
    parameters: tuple[Part | Nested, ...] = (),
    state: tuple[Part | Nested, ...] = (),
    workspace: tuple[Part | Nested, ...] = (),
    dimension: int = 1,
    sizes: Mapping[str, int] | None = None,
) -> Layouts:
    """The layouts of a block.

    Args:
        parameters: what it is; sizes come by themselves.
        state: what a tick needs of the past, and nothing else.
        workspace: where a tick works; it may be lost between two of them.
        dimension: of the block.
        sizes: name -> how many, for shapes that name them.
    """
    return Layouts(Layout(parameters), Layout(state), Layout(workspace), {"axis": dimension, **(sizes or {})})


class Space:
    """A layout with its sizes: where everything lies, how much there is of it, and room for it.

    `before` are whole numbers in front: the sizes themselves.
    """

    def __init__(self, layout: Layout, sizes: Sizes, before: tuple[int, ...] = ()):
        self.layout, self.sizes, self.before = layout, sizes, before
        self.places = layout.places(sizes)

    @cached_property
    def length(self) -> tuple[int, int]:
        """How many real and whole numbers."""
        ends = [[p.stop for p in self.places.values() if p.whole is kind] for kind in (False, True)]
        return max(ends[0], default=0), max(ends[1], default=0) + len(self.before)

    def empty(self) -> Memory:
        """Room for all of it, 0 everywhere but for the sizes."""
        real, whole = self.length
        memory = Memory(np.zeros(real), np.zeros(whole, dtype=np.int64))
        memory.whole[: len(self.before)] = self.before
        return memory

    def span(self, name: str) -> tuple[int, int]:
        """From where to where the real numbers of a part lie, also of one whose numbers have labels."""
        places = [place for full, place in self.places.items() if full == name or full.startswith(f"{name}.")]
        return places[0].start, places[-1].stop

    def part(self, memory: Memory, name: str) -> Any:
        """The numbers of one part where they lie, in its shape; one number as a vector of one."""
        place = self.places[name]
        ahead = len(self.before) if place.whole else 0
        vector = memory.whole if place.whole else memory.real
        return vector[ahead + place.start : ahead + place.stop].reshape(place.shape or (1,))

    def pack(self, values: Mapping[str, Any]) -> Memory:
        """A memory with these values; every part has one."""
        memory = self.empty()
        for name in self.places:
            self.part(memory, name)[:] = np.reshape(values[name], self.places[name].shape or (1,))
        return memory
