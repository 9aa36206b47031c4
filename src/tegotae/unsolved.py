"""Steps that found no solution: every machine counts them, and tells of them in one voice, at the user's own line."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tegotae.errors import UnsolvedWarning

if TYPE_CHECKING:
    from tegotae.block import Block
    from tegotae.state import State

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
        stacklevel=to_the_user(),
    )


class UnsolvedWatch:
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


def count_in(state: State) -> int | None:
    """Unsolved steps that led to this state, of blocks inside too; None where nothing is solved."""
    counts = [state.part(name) for name in state if name.endswith("unsolved")]
    return int(sum(int(count.sum()) for count in counts)) if counts else None


def troubles_in(state: State) -> list[Any]:
    """Where blocks tell that they cannot go on, those inside too."""
    return [state.part(name) for name in state if name.endswith("trouble")]


class Watched:
    """Looks after every tick of a live block at how many steps found no solution, and whether it can go on.

    Args:
        block: whose steps.
        state: where it counts them.
    """

    def __init__(self, block: Block, state: State):
        self._counts = [state.part(name) for name in state if name.endswith("unsolved")]
        self._troubles = troubles_in(state)
        self._block, self._state = block, state
        self._watch = UnsolvedWatch(block.name, block.unsolved_remedy)
        self.again()

    def again(self) -> None:
        """A state that was assigned brings its own counts."""
        self._known = sum(count.item() for count in self._counts)

    def around(self, step: Callable[..., Any]) -> Callable[..., Any]:
        """The step, seen to; as it is where nothing is counted."""
        return self._until_trouble(self._counting(step))

    def _until_trouble(self, step: Callable[..., Any]) -> Callable[..., Any]:
        if not self._troubles:
            return step
        troubles, see, state = self._troubles, self._block.see_trouble, self._state

        def step_or_say_why(*given: Any) -> Any:
            output = step(*given)
            for trouble in troubles:
                if trouble[0]:
                    see(state)
            return output

        return step_or_say_why

    def _counting(self, step: Callable[..., Any]) -> Callable[..., Any]:
        if not self._counts:
            return step
        first, *others = self._counts

        def step_and_see(*given: Any) -> Any:
            output = step(*given)
            now = first.item()
            if others:
                now += sum(count.item() for count in others)
            if now != self._known:
                self._known = now
                self._watch.see(now)
            return output

        return step_and_see


def to_the_user() -> int:
    """How many calls up, seen from whoever warns, the first line outside this package is."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level
