"""The contact under a magnifying glass: gaps of millimetres drawn fifty times as large."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tegotae import checks
from tegotae.checks import Array
from tegotae.hybrid.view import shapes
from tegotae.hybrid.view.drawers import Extent
from tegotae.hybrid.view.shapes import ForceArrow, Place

if TYPE_CHECKING:
    from viser import LabelHandle, SceneApi

    from tegotae.hybrid.view.feed import Seen

TIMES = 50.0
FARTHEST = 1.4  # m as drawn; beyond it the tip stays where it is, and the label says how far
DEEPEST = 0.3  # m as drawn
TIP, LONG = 0.55, 1.8  # m, radius and length of the drawn tip
WIDE, THICK = 3.4, 0.35  # m, of the drawn surface
_ROUND = 12  # rings of the tip


class CloseUp:
    """The tip and the surface from near, for any model: it needs nothing but the relative pose.

    Args:
        times: how much larger the gap is drawn [-], > 0.

    Example:
        >>> from tegotae.hybrid.view import CloseUp
        >>> round(CloseUp().box.height, 2)
        4.05
    """

    def __init__(self, *, times: float = TIMES) -> None:
        self.times = checks.positive("CloseUp", "times", times, "", "Use 50 for gaps of millimetres.")

    @property
    def box(self) -> Extent:
        """The room it takes [m], the surface at 0."""
        return Extent((-0.5 * WIDE, -0.5 * WIDE, -FARTHEST - LONG), (0.5 * WIDE + 0.5, 0.5 * WIDE, THICK + 0.5))

    def place(self, scene: SceneApi, at: Place) -> None:
        """Put tip and surface into the scene, the surface at the place."""
        self._root = scene.add_frame("/close-up", show_axes=False, position=at)
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
        scene.add_label("/close-up/name", f"close-up of the contact, gap × {self.times:g}",
                        position=(0.0, 0.0, THICK + 0.25), anchor="bottom-center")  # fmt: skip
        scene.add_label(
            "/close-up/tip/name", "simulated tip", position=(TIP + 0.1, -0.3, -LONG + 0.5), anchor="center-left"
        )
        scene.add_label("/close-up/real tip/name", "real tip, as measured", position=(TIP + 0.1, -0.3, -LONG + 0.15),
                        anchor="center-left")  # fmt: skip
        self._force = ForceArrow(scene, "/close-up/force", metres=0.15, longest=2.4, colour=shapes.RED)

    def draw(self, seen: Seen) -> str:
        """Draw what was seen last."""
        pose = seen.pose
        if pose is None:
            return "" if seen.dynamics is None else "the relative pose is not finite"
        drawn = self._tip.position = self.drawn(pose)
        real = seen.felt
        self._real.visible = real is not None
        if real is not None:
            self._real.position = self.drawn(real)
        self._spot.position = np.array([drawn[0], drawn[1], min(drawn[2], 0.0)])
        self._spot.visible = seen.contact
        self._surface.color = shapes.RED if seen.contact else shapes.SILVER
        gap = -1e3 * float(pose[2])
        self._gap.text = f"gap {gap:.2f} mm" if gap >= 0.0 else f"pressed in by {-gap:.3f} mm"
        self._gap.position = np.array([0.8, -0.5, 0.5 * drawn[2] - 0.35])
        self._force.show(np.array([-1.2, -0.5, 0.0]), seen.force)
        return ""

    def drawn(self, pose: Array) -> Array:
        """Where a tip at a pose is drawn [m]: magnified, and kept in the picture.

        Example:
            >>> import numpy as np
            >>> CloseUp().drawn(np.array([0.0, 0.0, -0.01, 1.0, 0.0, 0.0, 0.0]))
            array([ 0. ,  0. , -0.5])
        """
        aside = 0.5 * WIDE
        return np.clip(self.times * pose[0:3], (-aside, -aside, -FARTHEST), (aside, aside, DEEPEST))

    def show(self, visible: bool) -> None:
        """Show it or hide it."""
        self._root.visible = visible
