"""When contacts touch and release and frictions stick and slip in a solved ODE, found on its dense output."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tegotae.checks import Array
from tegotae.result import Event

# Looked at within every step of an integrator that takes long ones.
WITHIN_A_STEP = 8
_HALVINGS = 64


def locate(
    steps: Array,
    dense: Callable[[Array], Array],
    modes_at: Callable[[Array, Array], NDArray[np.int8]],
    names: Sequence[str],
    contacts: int,
) -> list[Event]:
    """All changes between the looked-at times, each halved down to the spacing of floats.

    Two changes of one element between neighbouring looks (an eighth of a step) cancel out unseen.
    """
    grid = np.unique((steps[:-1, None] + np.diff(steps)[:, None] * np.arange(WITHIN_A_STEP) / WITHIN_A_STEP).ravel())
    grid = np.append(grid, steps[-1])
    modes = modes_at(grid, dense(grid))
    where, which = np.nonzero(np.diff(modes, axis=0))
    if where.size == 0:
        return []
    low, high, after = grid[where], grid[where + 1], modes[where + 1, which]
    rows = np.arange(where.size)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if ((middle <= low) | (middle >= high)).all():
            break
        changed = modes_at(middle, dense(middle))[rows, which] == after
        low, high = np.where(changed, low, middle), np.where(changed, middle, high)
    words = (("release", "touch"), ("slip", "stick"))
    events = [
        Event(float(t), names[i], words[int(i >= contacts)][int(mode)])
        for t, i, mode in zip(high.tolist(), which.tolist(), after.tolist(), strict=True)
    ]
    return sorted(events, key=lambda event: event.time)
