"""Who draws which machine: the page knows of none by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from viser import SceneApi

    from tegotae.hybrid.view.feed import Seen
    from tegotae.hybrid.view.shapes import Place


class Extent(NamedTuple):
    """The room that a drawing takes, from its lowest to its highest corner [m]."""

    low: Place
    high: Place

    @property
    def height(self) -> float:
        """From bottom to top [m]."""
        return self.high[2] - self.low[2]


class Drawer(Protocol):
    """Draws one machine into the scene, and keeps it as it was seen last.

    Args:
        box: room it takes at the start [m], so that others are placed beside it.

    Example:
        >>> from tegotae.hybrid.view import HexaDrawer
        >>> HexaDrawer().box.height > 3.0
        True
    """

    @property
    def box(self) -> Extent:
        """The room it takes at the start [m]."""

    def place(self, scene: SceneApi, at: Place) -> None:
        """Put its bodies into the scene, at a place [m]."""

    def draw(self, seen: Seen) -> str:
        """As seen last; what it cannot draw, in words, or nothing."""

    def show(self, visible: bool) -> None:
        """Show it or hide it."""
