"""A block that is made of others, under their names: what sums and circuits share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from functools import cached_property
from types import ModuleType
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import INITIAL, Block, Kernels
from tegotae.coupling.parts import Parts, Seat, layouts_of
from tegotae.layout import Layouts, Memory
from tegotae.naming import sorted_by_part
from tegotae.state import Fault, State


class Composite(Block):
    """Its numbers are those of its blocks, one block after the other; its kernels are generated."""

    @abstractmethod
    def inner_blocks(self) -> Iterable[tuple[str, Block]]:
        """Its blocks and what they are called, "" for one whose parts keep their names."""

    @abstractmethod
    def changed(self, blocks: Mapping[str, Block]) -> Self:
        """The same with other blocks under some names."""

    @property
    def variable(self) -> tuple[str, ...]:
        """Its blocks by name, and "block.parameter" of each."""
        named = dict(self.inner_blocks())
        inner = (self.part_name(name, part) for name, block in named.items() for part in block.variable)
        return (*(name for name in named if name), *inner)

    def varied(self, changes: Mapping[str, Any]) -> Self:
        """The same with some of its blocks, or of their parameters, replaced by name."""
        named = dict(self.inner_blocks())
        blocks = {name: value for name, value in changes.items() if name in named}
        own, inner = sorted_by_part({name: v for name, v in changes.items() if name not in named}, named)
        for name, parts in [("", own), *inner.items()] if own else inner.items():
            blocks[name] = blocks.get(name, named[name]).varied(parts)
        return self.changed(blocks)

    @property
    def numbers(self) -> dict[str, float]:
        """Every number of its blocks, with their names in front."""
        found: dict[str, float] = {}
        for name, block in self.inner_blocks():
            found |= {f"{name}.{own}" if name else own: value for own, value in block.numbers.items()}
        return found

    def unit_of(self, name: str) -> str:
        """The unit of a number of one of its blocks."""
        named = dict(self.inner_blocks())
        head, _, rest = name.partition(".")
        return named[head].unit_of(rest) if head in named else named[""].unit_of(name)

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
        return layouts_of(self._parts, self.dimension)

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
        """Put each block's own start into the state."""
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
