"""What may touch, ball by ball, as the kernels take it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tegotae import checks
from tegotae.multibody.contact import Touch
from tegotae.multibody.kernels import records, shapes

if TYPE_CHECKING:
    from tegotae.multibody.tree import Tree
    from tegotae.multibody.tree_arrays import Frame

OWN = "Scene"


@dataclass(frozen=True, eq=False)
class Pairs:
    """Every ball of every `Touch`, and its surface.

    Args:
        names: "body on body" or "body on world", with a number where a toucher has several balls.
        touches: the arrays.
    """

    names: tuple[str, ...]
    touches: records.Touches


def pairs_of(tree: Tree, touches: Sequence[Touch]) -> Pairs:
    """One pair for each ball, in the frames of the moving bodies."""
    names: list[str] = []
    which: list[tuple[int, int, int]] = []
    numbers: list[np.ndarray] = []
    for touch in touches:
        if not isinstance(touch, Touch):
            checks.refuse(OWN, f"touches has {touch!r:.100}.", "Give Touch(...).")
        body, place, turn = _frame(tree, touch.on)
        on, where, turned = (-1, np.zeros(3), np.eye(3)) if touch.of is None else _frame(tree, touch.of)
        if body == on:
            checks.refuse(OWN, f"{touch.on!r} and {touch.of or 'the world'!r} are one body.", "They cannot touch.")
        surface = touch.surface
        axes = turned @ surface.turned
        rest = (touch.stiffness, touch.beta, touch.friction, touch.tangential_stiffness, touch.tangential_beta)
        balls = touch.toucher.balls
        for i, ball in enumerate(balls):
            at = place + turn @ ball[:3]
            row = [*at, ball[3], *(where + turned @ surface.where), *axes.ravel(), *rest, *surface.numbers]
            numbers.append(np.array(row, dtype=np.float64))
            which.append((body, on, surface.shape))
            number = f" {i + 1}" if len(balls) > 1 else ""
            names.append(f"{touch.on}{number} on {touch.of or 'world'}")
    width = records.SHAPE + shapes.SIZES
    table = np.array(numbers).reshape(-1, width)
    return Pairs(tuple(names), records.Touches(np.array(which, dtype=np.int64).reshape(-1, 3), table))


def _frame(tree: Tree, name: str) -> Frame:
    if name not in tree.frames:
        checks.refuse(OWN, f"touches: there is no body {name!r}.", f"It has {', '.join(list(tree.frames)[:12])}.")
    return tree.frames[name]
