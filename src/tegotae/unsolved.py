"""Steps that found no solution: every machine counts them, and tells of them in one voice, at the user's own line."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tegotae.errors import UnsolvedWarning

if TYPE_CHECKING:
    from tegotae.block import Block
    from tegotae.checks import Array

_PACKAGE = str(Path(__file__).parent)


def tell(machine: str, unsolved: int, ticks: int | None, remedy: str, *, first: float | None = None) -> None:
    """Say how many steps did not converge, if any.

    Args:
        machine: whose steps, such as "Circuit".
        unsolved: how many.
        ticks: of how many; None for a live machine, which goes on.
        remedy: what helps this machine.
        first: when the first of them ended [s], where it is known.
    """
    if not unsolved:
        return
    told = f"{unsolved} of {ticks} steps" if ticks is not None else f"{unsolved} step{'s' * (unsolved > 1)} so far"
    when = f", the first at t={first:g} s" if first is not None else ""
    warnings.warn(
        f"{machine}: {told} did not converge{when}; what is returned is their best iterate. {remedy}",
        UnsolvedWarning,
        stacklevel=_to_the_user(),
    )


class Watch:
    """Tells of a live machine's unsolved steps when they happen: of the first, and again when there are ten times more.

    Args:
        machine: whose steps.
        remedy: what helps it.
    """

    def __init__(self, machine: str, remedy: str):
        self.machine, self.remedy = machine, remedy
        self._seen, self._next = 0, 1

    def see(self, unsolved: int) -> None:
        """Look at the count after a tick; one that fell was put back to an earlier state."""
        if unsolved < self._seen:
            self._next = 1
        elif unsolved >= self._next and unsolved > self._seen:
            self._next = 10 * unsolved
            tell(self.machine, unsolved, None, self.remedy)
        self._seen = unsolved


def places_in(block: Block) -> tuple[int, ...]:
    """Where the counts lie in a block's state: its own, and those of blocks inside it."""
    return tuple(part.start for name, part in block.slices().items() if name.endswith("unsolved"))


def count_in(state: Array, places: Sequence[int]) -> int:
    """Unsolved steps that led to this state."""
    return int(sum(state[i] for i in places))


def watched(step: Callable[..., Any], block: Block, state: Array) -> Callable[..., Any]:
    """The step of a live block, seen to where the block counts steps without a solution; others stay as they are."""
    places = places_in(block)
    if not places:
        return step
    watch = Watch(block.name, block.unsolved_remedy)

    def step_and_see(*given: Any) -> Any:
        before = [state[i] for i in places]  # a state that was assigned brings its own counts
        output = step(*given)
        if before != [state[i] for i in places]:
            watch.see(count_in(state, places))
        return output

    return step_and_see


def _to_the_user() -> int:
    """How many calls up, seen from `tell`, the first line outside this package is."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level
