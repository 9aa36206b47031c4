"""A block's halves, asked from Python: for trials, slopes and tests; a run never does."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.block import Block
from tegotae.checks import Array
from tegotae.layout import Memory
from tegotae.running import loop
from tegotae.running.source import module_of
from tegotae.state import State


class Probe:
    """A block in a state, asked what it would answer; its workspace is garbage before every question.

    Args:
        block: what is asked.
        period: T [s].
        initial: fields of the state to start from.

    Example:
        >>> import tegotae as tg
        >>> from tegotae.running.probe import Probe
        >>> force, slope = Probe(tg.SpringDamper(stiffness=100.0, damping=2.0), 1e-2).answer(0.5)
        >>> round(float(force[0]), 9), round(float(slope[0, 0]), 9)
        (-1.5, -3.0)
    """

    def __init__(self, block: Block, period: float, initial: Mapping[str, ArrayLike] | None = None):
        self.block, self.period = block, checks.period_of(block.name, period)
        self.state: State = loop.first_state(block, self.period, initial)
        self._module = module_of(block)

    def answer(self, value: ArrayLike) -> tuple[Array, Array]:
        """What it gives for a motion (or force), and the slope of that: shapes (n,) and (n, n)."""
        n = self.block.dimension
        given, out, slope = self._vector("value", value), np.empty(n), np.empty((n, n))
        self._module.answer_once(*self._memories(), given, self.period, out, slope)
        return out, slope

    def advance(self, value: ArrayLike, motion: ArrayLike | None = None) -> None:
        """Commit a motion (or a force, and the motion that it led to)."""
        moved = np.zeros(self.block.dimension) if motion is None else self._vector("motion", motion)
        self._module.advance_once(*self._memories(), self._vector("value", value), moved, self.period)

    def _vector(self, name: str, value: ArrayLike) -> Array:
        return checks.vector(self.block.name, name, value, "", self.block.dimension)

    def _memories(self) -> tuple[Memory, Memory, Memory]:
        if not State(self.block.name, self.block.spaces.state).fits(self.state):
            checks.refuse(self.block.name, f"state is one of {self.state.owner}.", "Give one of this block.")
        workspace = self.block.spaces.workspace.empty()
        workspace.real.fill(np.nan)
        workspace.whole.fill(-(2**60))
        return self.block.parameters, self.state.memory, workspace
