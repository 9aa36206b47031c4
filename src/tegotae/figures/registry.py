"""Figures that machines bring: a result names its own in `about["figure"]`, and so does a file of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tegotae.figures.style import Figure
from tegotae.result import Result


class ResultDrawer(NamedTuple):
    """What draws the results of one kind of machine."""

    fits: Callable[[Result], bool]  # whether a result recorded all that the figure shows
    draw: Callable[[Result], Figure]


_DRAWERS: dict[str, ResultDrawer] = {}


def register(name: str, draw: Callable[[Result], Figure], fits: Callable[[Result], bool]) -> None:
    """Let results whose `about["figure"]` is a name be drawn in a way of their own.

    Args:
        name: of the figure; for a block, its class's `figure`.
        draw: result -> figure.
        fits: whether a result recorded all that the figure shows; where it did not, it is drawn as any other.

    Example:
        >>> from tegotae import figures
        >>> def sled(result):
        ...     figure, axes = figures.sheet()
        ...     line = axes[0, 0].plot(result.time, result.position)
        ...     return figure
        >>> figures.register("sled", sled, lambda result: "position" in result.variables)
    """
    _DRAWERS[name] = ResultDrawer(fits, draw)


def drawer_of(result: Result) -> Callable[[Result], Figure] | None:
    """What draws a result in a way of its machine's own; None if nothing does, or it recorded too little."""
    own = _DRAWERS.get(str(result.about.get("figure", "")))
    return own.draw if own and result["time"].size > 1 and own.fits(result) else None
