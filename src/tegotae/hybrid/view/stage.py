"""Where everything stands on the page, and where one looks from."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tegotae.hybrid.view.drawers import CloseUp, Drawer, Extent, PlainBodies
from tegotae.hybrid.view.shapes import Place

if TYPE_CHECKING:
    from viser import FrameHandle, SceneApi

    from tegotae.hybrid.view.feed import Seen

OPENING = math.radians(24.0)  # of the camera, upright; a small one keeps upright lines upright
ROOM = 1.15  # free space about what is looked at
APART = 1.0  # m between the drawings
BEHIND = 1.0  # m from them to the paper


def eye_on(box: Extent, aspect: float = 1.0) -> tuple[Place, Place]:
    """Where to look from and to [m]: from before and a little above, so far away that the box fits the window."""
    x, y, z = (0.5 * (a + b) for a, b in zip(box.low, box.high, strict=True))
    size = max(box.height, (box.high[0] - box.low[0]) / aspect)
    far = 0.5 * ROOM * size / math.tan(0.5 * OPENING)
    return (x + 0.16 * far, y - 0.98 * far, z + 0.12 * far), (x, y, z)


class Stage:
    """All drawings beside each other: the model, and to its right the table below and the contact's close-up above."""

    def __init__(self, scene: SceneApi, *, model: Drawer | None, device: Drawer | None) -> None:
        self._plain, self.close_up = PlainBodies(), CloseUp()
        self._model, self._device = model, device
        first = model if model is not None else self._plain
        box = first.box
        self._first = _build(scene, first, (0.0, 0.0, 0.0))
        if first is not self._plain:
            self._instead = _build(scene, self._plain, (0.0, 0.0, 0.5 * (box.low[2] + box.high[2])))
        edge, below = box.high[0] + APART, box.low[2]
        boxes = {"Whole": box}
        if device is not None:
            boxes["Table"] = _put(scene, device, edge, below)
            below = boxes["Table"].high[2] + APART
        below = max(below, box.high[2] - self.close_up.box.height)
        boxes["Close-up"] = _put(scene, self.close_up, edge, below)
        whole = _around(list(boxes.values()))
        self.boxes = {**boxes, "Whole": whole}
        _paper(scene, whole)

    def draw(self, seen: Seen) -> list[str]:
        """As seen last; what could not be drawn, in words."""
        told = [self.close_up.draw(seen)]
        if self._model is not None:
            told.append(self._model.draw(seen))
            unknown = bool(told[-1])
            self._first.visible, self._instead.visible = not unknown, unknown
        told.append(self._plain.draw(seen))
        if self._device is not None:
            told.append(self._device.draw(seen))
        return list(dict.fromkeys(word for word in told if word))


def _build(scene: SceneApi, drawer: Drawer, at: Place) -> FrameHandle:
    """Have it drawn at a place; the frame that shows or hides it."""
    frame = scene.add_frame(drawer.root, show_axes=False, position=at)
    drawer.build(scene)
    return frame


def _put(scene: SceneApi, drawer: Drawer, edge: float, floor: float) -> Extent:
    """Place a drawing right of an edge and above a floor; the room it takes there."""
    (x0, y0, z0), (x1, y1, z1) = drawer.box
    x, z = edge - x0, floor - z0
    _build(scene, drawer, (x, 0.0, z))
    return Extent((edge, y0, floor), (x1 + x, y1, z1 + z))


def _around(boxes: list[Extent]) -> Extent:
    x0, y0, z0 = (min(box.low[i] for box in boxes) for i in range(3))
    x1, y1, z1 = (max(box.high[i] for box in boxes) for i in range(3))
    return Extent((x0, y0, z0), (x1, y1, z1))


def _paper(scene: SceneApi, box: Extent) -> None:
    """Squared paper behind everything, a metre a square: nothing else tells how large things are in free flight."""
    scene.set_up_direction("+z")
    scene.world_axes.visible = False
    x, _, z = (0.5 * (a + b) for a, b in zip(box.low, box.high, strict=True))
    wide = math.ceil(2.6 * max(box.height, box.high[0] - box.low[0]))
    scene.add_grid("/paper", width=wide, height=wide, plane="xz", cell_size=1.0, section_size=5.0,
                   cell_color=(226, 231, 237), section_color=(205, 213, 222), shadow_opacity=0.0,
                   position=(round(x), box.high[1] + BEHIND, round(z)))  # fmt: skip
