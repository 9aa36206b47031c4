"""Steps that found no solution: every machine counts them, and tells of them in one voice, at the user's own line."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tegotae.errors import UnsolvedWarning

if TYPE_CHECKING:
    from tegotae.block import Block
    from tegotae.state import State

_PACKAGE = str(Path(__file__).parent)


def tell(machine: str, unsolved: int, ticks: int | None, remedy: str, *, first: float | None = None) -> None:
    """Say how many steps did not converge, if any: of so many ticks, or so far; `first` is when one ended first [s]."""
    if not unsolved:
        return
    steps = f"{unsolved} of {ticks} steps" if ticks is not None else f"{unsolved} step{'s' * (unsolved > 1)} so far"
    when = f", the first at t={first:g} s" if first is not None else ""
    warnings.warn(
        f"{machine}: {steps} did not converge{when}; what is returned is their best iterate. {remedy}",
        UnsolvedWarning,
        stacklevel=to_the_user(),
    )


def count_in(state: State) -> int | None:
    """Unsolved steps that led to this state, of blocks inside too; None where nothing is solved."""
    counts = [state.part(name) for name in state if name.endswith("unsolved")]
    return int(sum(int(count.sum()) for count in counts)) if counts else None


class Watched:
    """Looks after every tick of live blocks at how many steps found no solution, and whether they can go on.

    Such steps are told of when they happen: of the first, and again when there are ten times more.
    """

    def __init__(self, machine: str, blocks: Sequence[tuple[Block, State]]):
        parts = [(block, state, name) for block, state in blocks for name in state]
        self._counts = [state.part(name) for _, state, name in parts if name.endswith("unsolved")]
        self._troubles = [(state.part(name), block, state) for block, state, name in parts if name.endswith("trouble")]
        self._machine, self._remedy = machine, blocks[0][0].unsolved_remedy
        self._known, self._next = 0, 1
        self.again()

    def again(self) -> None:
        """A state that was assigned brings its own counts."""
        now = sum(count.item() for count in self._counts)
        if now < self._known:
            self._next = 1
        self._known = now

    def around(self, step: Callable[..., Any]) -> Callable[..., Any]:
        """The step with a check after each call; unchanged where nothing is counted."""
        if not self._counts and not self._troubles:
            return step
        first, *others = self._counts or [np.zeros(1)]

        def step_and_see(*given: Any) -> Any:
            output = step(*given)
            now = first.item()
            if others:
                now += sum(count.item() for count in others)
            if now != self._known:
                if now >= self._next and now > self._known:
                    self._next = 10 * now
                    tell(self._machine, now, None, self._remedy)
                self.again()
            for trouble, block, state in self._troubles:
                if trouble[0]:
                    block.see_trouble(state)
            return output

        return step_and_see


def to_the_user() -> int:
    """How many calls up, seen from whoever warns, the first line outside this package is."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level
