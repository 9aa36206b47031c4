"""The layout of a block that is made of others: all their parts, and where their states lie in its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tegotae.block import Block, Impedance
from tegotae.coupling.group import Group
from tegotae.layout import AXIS, Layout, Layouts, Memory, Part, Place, Space
from tegotae.state import Fault, State


class Seat:
    """Where the state of a block lies in that of a block around it.

    Args:
        block: the one inside.
        names: its parts -> what they are called outside.
        around: the state of the block around it.
    """

    def __init__(self, block: Block, names: Mapping[str, str], around: Space):
        self.block, self.names = block, names
        spots: dict[bool, list[Any]] = {False: [_NOWHERE], True: [_NOWHERE]}
        for name in block.spaces.state.places:
            place = around.places[names[name]]
            spots[place.whole].append(np.arange(place.start, place.stop))
        self._spots = Memory(*(np.concatenate(spots[kind]) for kind in (False, True)))

    def put(self, outer: State, own: State) -> None:
        """Take over a state of the block inside."""
        outer.real[self._spots.real], outer.whole[self._spots.whole] = own.real, own.whole

    def inside(self, outer: State) -> State:
        """A copy of the block's own state."""
        own = Memory(outer.real[self._spots.real], outer.whole[self._spots.whole])
        return State(self.block.name, self.block.spaces.state, own)

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


def add_block(parts: Parts, block: Block, prefix: str, rename: Callable[[str], str] = str) -> None:
    """One block by itself, under its name."""
    own = block.layout
    if own.names:
        parts.parameters.append(Part(f"{prefix}sizes", "", "of its arrays", (len(own.names),), whole=True))
    parts.parameters.extend(_plain(own.parameters, own, prefix, rename))
    parts.state.extend(_plain(own.state, own, prefix, rename))
    parts.workspace.extend(_plain(own.workspace, own, prefix, rename))
    parts.real.append(block.parameters.real)
    parts.whole.append(block.parameters.whole)


def _plain(layout: Layout, own: Layouts, prefix: str, rename: Callable[[str], str] = str) -> list[Part]:
    """Its parts with sizes as numbers, under their names in the whole."""
    return [_alone(place, prefix + rename(name)) for name, place in layout.places(own.sizes).items()]


def _alone(place: Place, name: str) -> Part:
    shape = AXIS if place.part.shape == AXIS else place.shape
    return replace(place.part, name=name, letter="", shape=shape)


def add_group(parts: Parts, group: Group, impedances: Mapping[str, Impedance], ratios: Mapping[str, float]) -> None:
    """Impedances of a group, their ratios, and what is fed to their other ends."""
    blocks = {name: impedances[name] for name in group.names}
    if group.in_columns:
        _add_columns(parts, blocks)
    else:
        for name, block in blocks.items():
            add_block(parts, block, f"{name}.")
    parts.parameters.extend(Part(f"{name}.ratio", "-", "of its transmission") for name in group.names)
    parts.real.append(np.array([ratios[name] for name in group.names]))
    if group.based:
        parts.state.extend(Part(f"{n}.base_velocity", "m/s", "of the other end", AXIS) for n in group.names)


def _add_columns(parts: Parts, blocks: Mapping[str, Block]) -> None:
    """Number by number, so that a group's numbers form a matrix."""
    own = next(iter(blocks.values())).layout
    named = {name: _single(block) for name, block in blocks.items()}
    for row in zip(*named.values(), strict=True):
        parts.parameters.extend(_of_one(name, part) for name, part in zip(blocks, row, strict=True))
    if own.names:
        sizes = (len(own.names),)
        parts.parameters.extend(Part(f"{name}.sizes", "", "of its arrays", sizes, whole=True) for name in blocks)
    states = [_plain(block.layout.state, block.layout, f"{name}.") for name, block in blocks.items()]
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
