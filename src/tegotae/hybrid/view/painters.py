"""Who draws which machine: the page knows of none by itself."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, NamedTuple, Protocol

from tegotae import checks

if TYPE_CHECKING:
    from viser import SceneApi

    from tegotae.hybrid.view.feed import Seen
    from tegotae.hybrid.view.shapes import Place


class Box(NamedTuple):
    """The room that a drawing takes, from its lowest to its highest corner [m].

    Example:
        >>> Box((0.0, 0.0, 0.0), (1.0, 1.0, 4.0)).height
        4.0
    """

    low: Place
    high: Place

    @property
    def height(self) -> float:
        """From bottom to top [m]."""
        return self.high[2] - self.low[2]


class Painter(Protocol):
    """Draws one machine into the scene, and keeps it as it was seen last.

    Args:
        box: room it takes at the start [m], so that others are placed beside it.

    Example:
        >>> from tegotae.hybrid.view import painter_of
        >>> painter_of("hexa").box.height > 3.0
        True
    """

    @property
    def box(self) -> Box:
        """The room it takes at the start [m]."""

    def place(self, scene: SceneApi, at: Place) -> None:
        """Put its bodies into the scene, at a place [m]."""

    def draw(self, seen: Seen) -> str:
        """As seen last; what it cannot draw, in words, or nothing."""

    def show(self, visible: bool) -> None:
        """Show it or hide it."""


def painter_of(name: str, about: dict[str, object] | None = None) -> Painter | None:
    """The painter of a model or device by its name; None for one that nobody here knows: plain bodies stand for it.

    Args:
        name: "two-robots" or "hexa".
        about: the painter's own settings.

    Example:
        >>> from tegotae.hybrid.view import painter_of
        >>> painter_of("someone's own model") is None
        True
    """
    from tegotae.hybrid.view.hexa import HexaPainter
    from tegotae.hybrid.view.robots import TwoRobotsPainter

    known: dict[str, type[HexaPainter] | type[TwoRobotsPainter]] = {
        "two-robots": TwoRobotsPainter,
        "hexa": HexaPainter,
    }
    if name not in known:
        return None
    names = [each.name for each in fields(known[name])]
    if unknown := sorted({*(about or {})} - {*names}):
        checks.refuse("painter_of", f"{name!r} has no setting {unknown[0]!r}.", f"It has {', '.join(names)}.")
    return known[name](**(about or {}))  # type: ignore[arg-type]
