"""Who draws which machine, and the two drawings that need to know none: plain bodies, and the contact from near."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

import numpy as np

from tegotae.checks import Array
from tegotae.hybrid.view import shapes
from tegotae.hybrid.view.shapes import ForceArrow, Place

if TYPE_CHECKING:
    from viser import LabelHandle, SceneApi

    from tegotae.hybrid.view.feed import Seen

TIMES = 50.0  # how much larger a gap of millimetres is drawn
FARTHEST = 1.4  # m as drawn; beyond it the tip stays where it is, and the label says how far
DEEPEST = 0.3  # m as drawn
TIP, LONG = 0.55, 1.8  # m, radius and length of the drawn tip
WIDE, THICK = 3.4, 0.35  # m, of the drawn surface
_ROUND = 12  # rings of the tip


class Extent(NamedTuple):
    """The room that a drawing takes, from its lowest to its highest corner [m]."""

    low: Place
    high: Place

    @property
    def height(self) -> float:
        """From bottom to top [m]."""
        return self.high[2] - self.low[2]


class Drawer(Protocol):
    """Draws one machine into the scene, below a frame that the page has put there, and keeps it as it was seen last.

    Args:
        root: path of that frame, such as "/hexa".
        box: room it takes at the start [m], so that others are placed beside it.

    Example:
        >>> from tegotae.hybrid.view import HexaDrawer
        >>> HexaDrawer().box.height > 3.0
        True
    """

    root: ClassVar[str]

    @property
    def box(self) -> Extent:
        """The room it takes at the start [m]."""

    def build(self, scene: SceneApi) -> None:
        """Put its bodies into the scene."""

    def draw(self, seen: Seen) -> str:
        """As seen last; what it cannot draw, in words, or nothing."""


class PlainBodies:
    """A model or device that nobody here knows: the moving part at its relative pose, under the surface it touches.

    Example:
        >>> from tegotae.hybrid.view import PlainBodies
        >>> PlainBodies().box.low[2]
        -1.4
    """

    root: ClassVar[str] = "/bodies"
    box = Extent((-1.0, -1.0, -1.4), (1.0, 1.0, 0.4))  # m

    def build(self, scene: SceneApi) -> None:
        """Put them into the scene."""
        scene.add_box("/bodies/surface", color=shapes.LIGHT_AMBER, dimensions=(2.0, 2.0, 0.15),
                      position=(0.0, 0.0, 0.075), opacity=0.8)  # fmt: skip
        self._part = scene.add_frame("/bodies/part", axes_length=0.35, axes_radius=0.012)
        scene.add_box("/bodies/part/body", color=shapes.BLUE, dimensions=(0.5, 0.5, 0.5), position=(0.0, 0.0, -0.65))
        corners, faces = shapes.lathe([(0.0, -0.4), (0.16, -0.4), (0.02, 0.0), (0.0, 0.0)])
        scene.add_mesh_simple("/bodies/part/tip", corners, faces, color=shapes.LIGHT_BLUE, flat_shading=True)
        self._spot = scene.add_icosphere("/bodies/part/contact", radius=0.05, color=shapes.GREY)
        scene.add_label("/bodies/part/name", "moving part", position=(0.35, 0.0, -0.65), anchor="center-left")
        scene.add_label("/bodies/surface name", "surface, on the force sensor", position=(0.0, 0.0, 0.3),
                        anchor="bottom-center")  # fmt: skip
        self._force = ForceArrow(scene, "/bodies/force", metres=0.06, longest=1.2)

    def draw(self, seen: Seen) -> str:
        """Draw what was seen last."""
        if (pose := seen.pose) is None:
            return "" if seen.dynamics is None else "the relative pose is not finite"
        self._part.position, self._part.wxyz = pose[0:3], pose[3:7]
        self._spot.color = shapes.RED if seen.contact else shapes.GREY
        self._force.show(pose[0:3] + np.array([0.5, 0.0, 0.0]), seen.force)
        return ""


class CloseUp:
    """The tip and the surface from near, for any model: gaps of millimetres drawn fifty times as large.

    Example:
        >>> from tegotae.hybrid.view import CloseUp
        >>> round(CloseUp().box.height, 2)
        4.05
    """

    root: ClassVar[str] = "/close-up"
    box = Extent((-0.5 * WIDE, -0.5 * WIDE, -FARTHEST - LONG), (0.5 * WIDE + 0.5, 0.5 * WIDE, THICK + 0.5))  # m

    def build(self, scene: SceneApi) -> None:
        """Put tip and surface into the scene, the surface at 0."""
        self._surface = scene.add_box("/close-up/surface", color=shapes.SILVER, dimensions=(WIDE, 0.7 * WIDE, THICK),
                                      position=(0.0, 0.0, 0.5 * THICK), opacity=0.75)  # fmt: skip
        self._tip = scene.add_frame("/close-up/tip", show_axes=False)
        angles = np.linspace(0.0, 0.5 * np.pi, _ROUND)
        profile = [(0.0, -LONG), (TIP, -LONG)] + [(TIP * np.cos(a), TIP * np.sin(a) - TIP) for a in angles]
        corners, faces = shapes.lathe([(float(r), float(h)) for r, h in profile], segments=40)
        scene.add_mesh_simple("/close-up/tip/body", corners, faces, color=shapes.LIGHT_BLUE)
        self._real = scene.add_mesh_simple("/close-up/real tip", 1.04 * corners, faces, color=shapes.TEAL, opacity=0.3,
                                           visible=False)  # fmt: skip
        self._spot = scene.add_icosphere("/close-up/spot", radius=0.16, color=shapes.RED, subdivisions=2, visible=False)
        self._gap: LabelHandle = scene.add_label("/close-up/gap", "", anchor="center-left")
        scene.add_label("/close-up/name", f"close-up of the contact, gap × {TIMES:g}",
                        position=(0.0, 0.0, THICK + 0.25), anchor="bottom-center")  # fmt: skip
        for tip, words, up in (("tip", "simulated tip", 0.5), ("real tip", "real tip, as measured", 0.15)):
            at = (TIP + 0.1, -0.3, -LONG + up)
            scene.add_label(f"/close-up/{tip}/name", words, position=at, anchor="center-left")
        self._force = ForceArrow(scene, "/close-up/force", metres=0.15, longest=2.4)

    def draw(self, seen: Seen) -> str:
        """Draw what was seen last."""
        if (pose := seen.pose) is None:
            return "" if seen.dynamics is None else "the relative pose is not finite"
        drawn = self._tip.position = magnified(pose)
        real = seen.felt
        self._real.visible = real is not None
        if real is not None:
            self._real.position = magnified(real)
        self._spot.position = np.array([drawn[0], drawn[1], min(drawn[2], 0.0)])
        self._spot.visible = seen.contact
        self._surface.color = shapes.RED if seen.contact else shapes.SILVER
        gap = -1e3 * float(pose[2])
        self._gap.text = f"gap {gap:.2f} mm" if gap >= 0.0 else f"pressed in by {-gap:.3f} mm"
        self._gap.position = np.array([0.8, -0.5, 0.5 * drawn[2] - 0.35])
        self._force.show(np.array([-1.2, -0.5, 0.0]), seen.force)
        return ""


def magnified(pose: Array) -> Array:
    """Where the close-up draws a tip at a pose [m]: kept in the picture."""
    aside = 0.5 * WIDE
    return np.clip(TIMES * pose[0:3], (-aside, -aside, -FARTHEST), (aside, aside, DEEPEST))
