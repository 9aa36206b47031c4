"""A block that is made of others, under their names: what sums and circuits share, and how it lies in memory."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import ModuleType
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tegotae import checks
from tegotae.block import INITIAL, Block, Kernels
from tegotae.coupling.group import Group
from tegotae.layout import AXIS, Layout, Layouts, Memory, Part, Space
from tegotae.naming import changed_parts
from tegotae.running.loop import spots_of
from tegotae.state import Fault, State


class Seat:
    """Where the state of a block lies in that of a block around it."""

    def __init__(self, block: Block, names: Mapping[str, str], around: Space):
        self.block, self.names = block, names
        self._spots = spots_of(around.places[names[name]] for name in block.spaces.state.places)

    def start(self, outer: State, period: float, given: Mapping[str, Any]) -> None:
        """The block inside as it starts, with what is given of it by the names of the outside."""
        initial = {name: given[outer] for name, outer in self.names.items() if outer in given} or None
        self.put(outer, self.block.initial_state(period, initial))

    def put(self, outer: State, state: State) -> None:
        """Take over a state of the block inside."""
        outer.real[self._spots.real], outer.whole[self._spots.whole] = state.real, state.whole

    def inside(self, outer: State) -> State:
        """A copy of the block's own state."""
        memory = Memory(outer.real[self._spots.real], outer.whole[self._spots.whole])
        return State(self.block.name, self.block.spaces.state, memory)

    def numbers(self, outer: State, name: str) -> NDArray[np.float64]:
        """A part of the block's state, in all of its directions."""
        first, last = self.block.spaces.state.span(name)
        return self.inside(outer).real[first:last]

    def fault(self, outer: State) -> Fault | None:
        """What the block inside says of its part of the state, under the names of the outside."""
        found = self.block.fault(self.inside(outer))
        return found._replace(name=self.names[found.name]) if found else None


@dataclass
class Parts:
    """Parts of a block that is made of others, in the order of its memory; and its parameters' numbers."""

    parameters: list[Part] = field(default_factory=list)
    state: list[Part] = field(default_factory=list)
    workspace: list[Part] = field(default_factory=list)
    real: list[Any] = field(default_factory=list)
    whole: list[Any] = field(default_factory=list)

    def layouts(self, dimension: int) -> Layouts:
        """All of it as layouts."""
        parameters, state, workspace = (Layout(tuple(items)) for items in (self.parameters, self.state, self.workspace))
        return Layouts(parameters, state, workspace, {"axis": dimension})


def add_block(parts: Parts, block: Block, name: str, rename: Callable[[str], str] = str, *, flat: bool = True) -> None:
    """One block by itself, its parts under `name` and a dot, and renamed behind that.

    Its directions are those of the whole if `flat`; else they are told by its own name.
    """
    layouts = block.layout
    prefix = f"{name}." if name else ""
    if layouts.names:
        parts.parameters.append(Part(f"{prefix}sizes", "", "of its arrays", (len(layouts.names),), whole=True))
    for to, layout in zip((parts.parameters, parts.state, parts.workspace), layouts[:3], strict=True):
        to.extend(_plain(layout, layouts, prefix, rename, None if flat else f"{name}_axis"))
    parts.real.append(block.parameters.real)
    parts.whole.append(block.parameters.whole)


def _plain(
    layout: Layout, layouts: Layouts, prefix: str, rename: Callable[[str], str] = str, axis: str | None = None
) -> list[Part]:
    """Its parts with sizes as numbers, under their names in the whole.

    `axis` is what the directions of those that stand for themselves are called, None for those of the whole.
    """
    labelled = {
        item.name: item for item in layout.items if isinstance(item, Part) and item.labels and item.shape == AXIS
    }
    parts: dict[str, Part] = {}
    for name, place in layout.places(layouts.sizes).items():
        whole = name.split(".")[0]
        if axis is None and whole in labelled:  # the directions of all of its ports stay one vector
            parts[whole] = replace(labelled[whole], name=prefix + rename(whole), letter="")
            continue
        part, axes = place.part, place.part.axes
        shape: tuple[int | str, ...] = place.shape
        if part.shape == AXIS:
            shape = AXIS if axis is None else () if place.shape == (1,) else place.shape
            axes = (axis,) if axis is not None and shape else axes
        parts[name] = replace(part, name=prefix + rename(name), letter="", shape=shape, axes=axes)
    return list(parts.values())


def add_group(parts: Parts, group: Group, *, flat: bool = True) -> None:
    """Impedances of a group, their ratios, and what is fed to their other ends."""
    blocks = {wire.name: wire.block for wire in group.wires}
    if group.in_columns:
        _add_columns(parts, blocks, flat)
    else:
        for name, block in blocks.items():
            add_block(parts, block, name, flat=flat)
    for end, (word, shape) in enumerate(zip(("ratio", "other_ratio"), group.shapes, strict=False)):
        parts.parameters.extend(Part(f"{name}.{word}", "-", "of its transmission", shape) for name in blocks)
        parts.real.extend(wire.ends[end].ratio.ravel() for wire in group.wires)
    if group.based:
        moved = AXIS if flat else () if group.dimension == 1 else (group.dimension,)
        meaning = "of the other end"
        parts.state.extend(Part(f"{n}.base_velocity", "m/s", meaning, moved, fed=True) for n in blocks)


def _add_columns(parts: Parts, blocks: Mapping[str, Block], flat: bool) -> None:
    """Number by number, so that a group's numbers form a matrix."""
    singles = [_single(name, block) for name, block in blocks.items()]
    parts.parameters.extend(part for row in zip(*singles, strict=True) for part in row)
    if names := next(iter(blocks.values())).layout.names:
        sizes = (len(names),)
        parts.parameters.extend(Part(f"{name}.sizes", "", "of its arrays", sizes, whole=True) for name in blocks)
    axis = None if flat else ""
    states = [_plain(block.layout.state, block.layout, f"{name}.", axis=axis) for name, block in blocks.items()]
    parts.state.extend(part for row in zip(*states, strict=True) for part in row)
    parts.real.append(np.stack([block.parameters.real for block in blocks.values()], axis=1).ravel())
    parts.whole.extend(block.parameters.whole for block in blocks.values())


def _single(block_name: str, block: Block) -> list[Part]:
    """The parameters of a block inside, number by number."""
    parts: list[Part] = []
    for name, place in block.layout.parameters.places(block.layout.sizes).items():
        count = place.stop - place.start
        names = [name] if count == 1 else [f"{name}_{i}" for i in range(count)]
        parts += [Part(f"{block_name}.{label}", place.part.unit, place.part.meaning) for label in names]
    return parts


class Composite(Block):
    """Its numbers are those of its blocks, one block after the other; its kernels are generated."""

    @abstractmethod
    def inner_blocks(self) -> Iterable[tuple[str, Block]]:
        """Its blocks and what they are called, "" for one whose parts keep their names."""

    @abstractmethod
    def changed(self, blocks: Mapping[str, Block]) -> Self:
        """The same with other blocks under some names."""

    def named_parts(self) -> Mapping[str, Any]:
        """What has names of its own to be varied by: its blocks, or what holds them."""
        return dict(self.inner_blocks())

    def varied(self, changes: Mapping[str, Any]) -> Self:
        """The same with some of its blocks, or of their parameters, replaced by name."""
        return self.changed(changed_parts(self.named_parts(), changes, self.name))

    @property
    @abstractmethod
    def module(self) -> ModuleType:
        """The generated module: `make`."""

    @cached_property
    @abstractmethod
    def _parts(self) -> Parts:
        """All parts, in the order of its memory, and the numbers of its parameters."""

    def part_name(self, name: str, part: str) -> str:
        """What a part of the block of this name is called here."""
        return f"{name}.{part}" if name else part

    @property
    def kernels(self) -> Kernels:
        """Made from the generated module."""
        return Kernels(self.module.make, style="memory")

    @cached_property
    def layout(self) -> Layouts:
        """All blocks' parts, each with the name of its block in front."""
        return self._parts.layouts(self.dimension)

    @property
    def values(self) -> dict[str, ArrayLike]:
        """Every block's parameters, by their names in the whole."""
        return {name: self.spaces.parameters.part(self.parameters, name) for name in self.spaces.parameters.places}

    @cached_property
    def parameters(self) -> Memory:
        """Every block's, in the order of its memory."""
        nothing = np.empty(0, dtype=np.int64)
        return Memory(np.concatenate([np.empty(0), *self._parts.real]), np.concatenate([nothing, *self._parts.whole]))

    @cached_property
    def _seats(self) -> list[Seat]:
        """Its blocks, and where their states lie in its own."""
        return [
            Seat(block, {part: self.part_name(name, part) for part in block.parts}, self.spaces.state)
            for name, block in self.inner_blocks()
        ]

    def initial_state(self, period: float, initial: Mapping[str, ArrayLike] | None = None) -> State:
        """Every block as it starts, with the parts named in `initial` set ("velocity", "brake.deflection", ...)."""
        given = checks.mapping(self.name, "initial", initial, INITIAL)
        state = super().initial_state(period, given)  # refuses in its own words; then each block sees to its own
        self._start_blocks(state, period, given)
        return state

    def _start_blocks(self, state: State, period: float, given: Mapping[str, ArrayLike]) -> None:
        for seat in self._seats:
            seat.start(state, period, given)

    def check(self, period: float) -> None:
        """Every block by itself."""
        for _, block in self.inner_blocks():
            block.check(period)

    def fault(self, state: State) -> Fault | None:
        """Its own, then those that its blocks see in their parts of it."""
        found = super().fault(state)
        for seat in self._seats:
            if found is None and type(seat.block).fault is not Block.fault:
                found = seat.fault(state)
        return found

    def see_trouble(self, state: State) -> None:
        """Those of its blocks that cannot go on say why."""
        for seat in self._seats:
            if type(seat.block).see_trouble is not Block.see_trouble:
                seat.block.see_trouble(seat.inside(state))
