"""A model or device that nobody here knows: the moving part and the surface as plain bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tegotae.hybrid.view import shapes
from tegotae.hybrid.view.drawers import Extent
from tegotae.hybrid.view.shapes import ForceArrow, Place

if TYPE_CHECKING:
    from viser import SceneApi

    from tegotae.hybrid.view.feed import Seen


class PlainBodies:
    """The moving part at its relative pose, with its axes, under the surface that it touches.

    Example:
        >>> from tegotae.hybrid.view import PlainBodies
        >>> PlainBodies().box.low[2]
        -1.4
    """

    @property
    def box(self) -> Extent:
        """The room they take [m]."""
        return Extent((-1.0, -1.0, -1.4), (1.0, 1.0, 0.4))

    def place(self, scene: SceneApi, at: Place) -> None:
        """Put them into the scene."""
        self._root = scene.add_frame("/bodies", show_axes=False, position=at)
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
        self._force = ForceArrow(scene, "/bodies/force", metres=0.06, longest=1.2, colour=shapes.RED)

    def draw(self, seen: Seen) -> str:
        """Draw what was seen last."""
        if (pose := seen.pose) is None:
            return "" if seen.dynamics is None else "the relative pose is not finite"
        self._part.position, self._part.wxyz = pose[0:3], pose[3:7]
        self._spot.color = shapes.RED if seen.contact else shapes.GREY
        self._force.show(pose[0:3] + np.array([0.5, 0.0, 0.0]), seen.force)
        return ""

    def show(self, visible: bool) -> None:
        """Show them or hide them."""
        self._root.visible = visible
