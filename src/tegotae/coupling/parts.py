"""The layout of a block that is made of others: all their parts, and where their states lie in its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tegotae.block import Block
from tegotae.coupling.group import Group
from tegotae.layout import AXIS, Layout, Layouts, Memory, Part, Place, Space
from tegotae.state import Fault, State


class Seat:
    """Where the state of a block lies in that of a block around it."""

    def __init__(self, block: Block, names: Mapping[str, str], around: Space):
        self.block, self.names = block, names
        spots: dict[bool, list[Any]] = {False: [_NOWHERE], True: [_NOWHERE]}
        for name in block.spaces.state.places:
            place = around.places[names[name]]
            spots[place.whole].append(np.arange(place.start, place.stop))
        self._spots = Memory(*(np.concatenate(spots[kind]) for kind in (False, True)))

    def start(self, outer: State, period: float, told: Mapping[str, Any]) -> None:
        """The block inside as it starts, with what is told of it by the names of the outside."""
        own = {name: told[outer] for name, outer in self.names.items() if outer in told} or None
        self.put(outer, self.block.initial_state(period, own))

    def put(self, outer: State, own: State) -> None:
        """Take over a state of the block inside."""
        outer.real[self._spots.real], outer.whole[self._spots.whole] = own.real, own.whole

    def inside(self, outer: State) -> State:
        """A copy of the block's own state."""
        own = Memory(outer.real[self._spots.real], outer.whole[self._spots.whole])
        return State(self.block.name, self.block.spaces.state, own)

    def numbers(self, outer: State, name: str) -> NDArray[np.float64]:
        """A part of the block's state, in all of its directions."""
        first, last = self.block.spaces.state.span(name)
        return self.inside(outer).real[first:last]

    def fault(self, outer: State) -> Fault | None:
        """What the block inside says of its part of the state, under the names of the outside."""
        found = self.block.fault(self.inside(outer))
        return found._replace(name=self.names[found.name]) if found else None


_NOWHERE = np.empty(0, dtype=np.int64)


class Parts(NamedTuple):
    """Parts of a block that is made of others, in the order of its memory; and its parameters' numbers."""

    parameters: list[Part]
    state: list[Part]
    workspace: list[Part]
    real: list[Any]
    whole: list[Any]


def no_parts() -> Parts:
    """Of nothing."""
    return Parts([], [], [], [], [])


def add_block(parts: Parts, block: Block, name: str, rename: Callable[[str], str] = str, *, flat: bool = True) -> None:
    """One block by itself, its parts under `name` and a dot, and renamed behind that.

    Its directions are those of the whole if `flat`; else they are told by its own name.
    """
    own = block.layout
    prefix = f"{name}." if name else ""
    if own.names:
        parts.parameters.append(Part(f"{prefix}sizes", "", "of its arrays", (len(own.names),), whole=True))
    for to, layout in zip(parts[:3], own[:3], strict=True):
        to.extend(_plain(layout, own, prefix, rename, None if flat else f"{name}_axis"))
    parts.real.append(block.parameters.real)
    parts.whole.append(block.parameters.whole)


def _plain(
    layout: Layout, own: Layouts, prefix: str, rename: Callable[[str], str] = str, axis: str | None = None
) -> list[Part]:
    """Its parts with sizes as numbers, under their names in the whole."""
    labelled = {
        item.name: item for item in layout.items if isinstance(item, Part) and item.labels and item.shape == AXIS
    }
    told: dict[str, Part] = {}
    for name, place in layout.places(own.sizes).items():
        whole = name.split(".")[0]
        if axis is None and whole in labelled:  # the directions of all of its ports stay one vector
            told[whole] = replace(labelled[whole], name=prefix + rename(whole), letter="")
        else:
            told[name] = _alone(place, prefix + rename(name), axis)
    return list(told.values())


def _alone(place: Place, name: str, axis: str | None) -> Part:
    """A part that stands for itself; `axis` is what its directions are called, None for those of the whole."""
    part, axes = place.part, place.part.axes
    shape: tuple[int | str, ...] = place.shape
    if part.shape == AXIS:
        shape = AXIS if axis is None else () if place.shape == (1,) else place.shape
        axes = (axis,) if axis is not None and shape else axes
    return replace(part, name=name, letter="", shape=shape, axes=axes)


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
        parts.real.extend(wire.ratios()[end].ravel() for wire in group.wires)
    if group.based:
        moved = AXIS if flat else () if group.dimension == 1 else (group.dimension,)
        told = "of the other end"
        parts.state.extend(Part(f"{n}.base_velocity", "m/s", told, moved, fed=True) for n in blocks)


def _add_columns(parts: Parts, blocks: Mapping[str, Block], flat: bool) -> None:
    """Number by number, so that a group's numbers form a matrix."""
    own = next(iter(blocks.values())).layout
    named = {name: _single(block) for name, block in blocks.items()}
    for row in zip(*named.values(), strict=True):
        parts.parameters.extend(_of_one(name, part) for name, part in zip(blocks, row, strict=True))
    if own.names:
        sizes = (len(own.names),)
        parts.parameters.extend(Part(f"{name}.sizes", "", "of its arrays", sizes, whole=True) for name in blocks)
    axis = None if flat else ""
    states = [_plain(block.layout.state, block.layout, f"{name}.", axis=axis) for name, block in blocks.items()]
    parts.state.extend(part for row in zip(*states, strict=True) for part in row)
    parts.real.append(np.stack([block.parameters.real for block in blocks.values()], axis=1).ravel())
    parts.whole.extend(block.parameters.whole for block in blocks.values())


def _single(block: Block) -> list[Part]:
    """Its parameters number by number."""
    told: list[Part] = []
    for name, place in block.layout.parameters.places(block.layout.sizes).items():
        count = place.stop - place.start
        names = [name] if count == 1 else [f"{name}_{i}" for i in range(count)]
        told += [Part(own, place.part.unit, place.part.meaning) for own in names]
    return told


def _of_one(name: str, part: Part) -> Part:
    """A part of one number of a block inside."""
    return Part(f"{name}.{part.name}", part.unit, part.meaning)


def layouts_of(parts: Parts, dimension: int) -> Layouts:
    """All of it as layouts."""
    parameters, state, workspace = (Layout(tuple(own)) for own in parts[:3])
    return Layouts(parameters, state, workspace, {"axis": dimension})
