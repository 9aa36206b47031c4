"""Who draws which machine and what with, the two drawings that need to know none, and where all stands on the page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tegotae.checks import Array
from tegotae.rotations import Quaternion, frame_along, quaternion_of

if TYPE_CHECKING:
    from viser import ArrowsHandle, FrameHandle, LabelHandle, SceneApi

    from tegotae.hybrid.view.feed import Seen

Colour = tuple[int, int, int]
Place = tuple[float, float, float]

BLUE: Colour = (37, 99, 168)
LIGHT_BLUE: Colour = (110, 160, 214)
AMBER: Colour = (196, 110, 22)
LIGHT_AMBER: Colour = (233, 168, 88)
STEEL: Colour = (92, 104, 120)
SILVER: Colour = (168, 178, 190)
TEAL: Colour = (20, 140, 130)
DARK: Colour = (45, 52, 62)
RED: Colour = (214, 40, 57)
GREY: Colour = (190, 197, 206)
SEEN = 0.05  # N; a smaller force is not drawn

TIMES = 50.0  # how much larger a gap of millimetres is drawn
FARTHEST = 1.4  # m as drawn; beyond it the tip stays where it is, and the label says how far
DEEPEST = 0.3  # m as drawn
TIP, LONG = 0.55, 1.8  # m, radius and length of the drawn tip
WIDE, THICK = 3.4, 0.35  # m, of the drawn surface
_ROUND = 12  # rings of the tip


def turn_of_z(to: Array) -> Quaternion:
    """The quaternion (w, x, y, z) of a turn that brings z onto a direction."""
    return quaternion_of(frame_along(to / np.linalg.norm(to)))


def lathe(profile: list[tuple[float, float]], *, segments: int = 28) -> tuple[Array, NDArray[np.uint32]]:
    """Vertices [m] and triangles of what a profile of (radius, height), lowest first, sweeps about z."""
    around = np.arange(segments) * (2.0 * math.pi / segments)
    rings = [np.column_stack([r * np.cos(around), r * np.sin(around), np.full(segments, h)]) for r, h in profile]
    here = np.arange(segments)
    after = (here + 1) % segments
    faces = []
    for k in range(len(profile) - 1):
        low, high = k * segments, (k + 1) * segments
        faces.append(np.column_stack([low + here, low + after, high + after]))
        faces.append(np.column_stack([low + here, high + after, high + here]))
    return np.concatenate(rings), np.concatenate(faces).astype(np.uint32)


def rod(
    scene: SceneApi, name: str, *, length: float, radius: float, colour: Colour, at: float = 0.0,
    opacity: float | None = None,
) -> None:  # fmt: skip
    """A round rod along its frame's z, from a height on [m], as long as it is said to be [m]."""
    corners, faces = lathe([(0.0, at), (radius, at), (radius, at + length), (0.0, at + length)])
    scene.add_mesh_simple(name, corners, faces, color=colour, flat_shading=True, opacity=opacity)


def ball(scene: SceneApi, name: str, *, radius: float, colour: Colour, at: Place = (0.0, 0.0, 0.0)) -> None:
    """A ball in its parent's frame."""
    scene.add_icosphere(name, radius=radius, color=colour, subdivisions=2, position=at)


class ForceArrow:
    """An arrow as long as a force is large, with its size in words at the tip; nothing where there is no force.

    So many metres are drawn for each newton, and the longest at most [m].
    """

    def __init__(self, scene: SceneApi, name: str, *, metres: float, longest: float) -> None:
        self._metres, self._longest = metres, longest
        thick = 0.035 * longest
        self.arrow: ArrowsHandle = scene.add_arrows(
            f"{name}/arrow", np.zeros((1, 2, 3)), RED, shaft_radius=0.5 * thick, head_radius=1.3 * thick,
            head_length=3.0 * thick, visible=False,
        )  # fmt: skip
        self.label: LabelHandle = scene.add_label(f"{name}/newtons", "", visible=False, anchor="center-left")

    def show(self, tail: Array, force: Array) -> None:
        """Draw a force [N] from a place on [m]."""
        size = float(np.linalg.norm(force))
        seen = math.isfinite(size) and size >= SEEN
        self.arrow.visible = self.label.visible = seen
        if not seen:
            return
        tip = tail + force / size * min(self._metres * size, self._longest)
        self.arrow.points = np.stack([tail, tip])[None].astype(np.float32)
        self.label.position = tip + np.array([0.04 * self._longest, 0.0, 0.0])
        self.label.text = f"{size:.2f} N"


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
    """A model or device without a drawing of its own: the moving part at its relative pose, under the surface.

    Example:
        >>> from tegotae.hybrid.view import PlainBodies
        >>> PlainBodies().box.low[2]
        -1.4
    """

    root: ClassVar[str] = "/bodies"
    box = Extent((-1.0, -1.0, -1.4), (1.0, 1.0, 0.4))  # m

    def build(self, scene: SceneApi) -> None:
        """Put them into the scene."""
        scene.add_box("/bodies/surface", color=LIGHT_AMBER, dimensions=(2.0, 2.0, 0.15),
                      position=(0.0, 0.0, 0.075), opacity=0.8)  # fmt: skip
        self._part = scene.add_frame("/bodies/part", axes_length=0.35, axes_radius=0.012)
        scene.add_box("/bodies/part/body", color=BLUE, dimensions=(0.5, 0.5, 0.5), position=(0.0, 0.0, -0.65))
        corners, faces = lathe([(0.0, -0.4), (0.16, -0.4), (0.02, 0.0), (0.0, 0.0)])
        scene.add_mesh_simple("/bodies/part/tip", corners, faces, color=LIGHT_BLUE, flat_shading=True)
        self._spot = scene.add_icosphere("/bodies/part/contact", radius=0.05, color=GREY)
        scene.add_label("/bodies/part/name", "moving part", position=(0.35, 0.0, -0.65), anchor="center-left")
        scene.add_label("/bodies/surface name", "surface, on the force sensor", position=(0.0, 0.0, 0.3),
                        anchor="bottom-center")  # fmt: skip
        self._force = ForceArrow(scene, "/bodies/force", metres=0.06, longest=1.2)

    def draw(self, seen: Seen) -> str:
        """Draw what was seen last."""
        if (pose := seen.pose) is None:
            return "" if seen.dynamics is None else "the relative pose is not finite"
        self._part.position, self._part.wxyz = pose[0:3], pose[3:7]
        self._spot.color = RED if seen.contact else GREY
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
        self._surface = scene.add_box("/close-up/surface", color=SILVER, dimensions=(WIDE, 0.7 * WIDE, THICK),
                                      position=(0.0, 0.0, 0.5 * THICK), opacity=0.75)  # fmt: skip
        self._tip = scene.add_frame("/close-up/tip", show_axes=False)
        angles = np.linspace(0.0, 0.5 * np.pi, _ROUND)
        profile = [(0.0, -LONG), (TIP, -LONG)] + [(TIP * np.cos(a), TIP * np.sin(a) - TIP) for a in angles]
        corners, faces = lathe([(float(r), float(h)) for r, h in profile], segments=40)
        scene.add_mesh_simple("/close-up/tip/body", corners, faces, color=LIGHT_BLUE)
        self._real = scene.add_mesh_simple("/close-up/real tip", 1.04 * corners, faces, color=TEAL, opacity=0.3,
                                           visible=False)  # fmt: skip
        self._spot = scene.add_icosphere("/close-up/spot", radius=0.16, color=RED, subdivisions=2, visible=False)
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
        if (real := seen.felt) is not None:
            self._real.position = magnified(real)
        self._real.visible = real is not None
        self._spot.position = np.array([drawn[0], drawn[1], min(drawn[2], 0.0)])
        self._spot.visible = seen.contact
        self._surface.color = RED if seen.contact else SILVER
        gap = -1e3 * float(pose[2])
        self._gap.text = f"gap {gap:.2f} mm" if gap >= 0.0 else f"pressed in by {-gap:.3f} mm"
        self._gap.position = np.array([0.8, -0.5, 0.5 * drawn[2] - 0.35])
        self._force.show(np.array([-1.2, -0.5, 0.0]), seen.force)
        return ""


def magnified(pose: Array) -> Array:
    """Where the close-up draws a tip at a pose [m]: kept in the picture."""
    aside = 0.5 * WIDE
    return np.clip(TIMES * pose[0:3], (-aside, -aside, -FARTHEST), (aside, aside, DEEPEST))


OPENING = math.radians(24.0)  # of the camera, upright; a small one keeps upright lines upright
MARGIN = 1.15  # free space about what is looked at
APART = 1.0  # m between the drawings
BEHIND = 1.0  # m from them to the paper


def eye_on(box: Extent, aspect: float = 1.0) -> tuple[Place, Place]:
    """Where to look from and to [m]: from before and a little above, so far away that the box fits the window."""
    x, y, z = (0.5 * (a + b) for a, b in zip(box.low, box.high, strict=True))
    size = max(box.height, (box.high[0] - box.low[0]) / aspect)
    far = 0.5 * MARGIN * size / math.tan(0.5 * OPENING)
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
        x0, y0, z0 = (min(box.low[i] for box in boxes.values()) for i in range(3))
        x1, y1, z1 = (max(box.high[i] for box in boxes.values()) for i in range(3))
        whole = Extent((x0, y0, z0), (x1, y1, z1))
        self.boxes = {**boxes, "Whole": whole}
        _paper(scene, whole)

    def draw(self, seen: Seen) -> list[str]:
        """As seen last; what could not be drawn, in words."""
        problems = [self.close_up.draw(seen)]
        if self._model is not None:
            problems.append(self._model.draw(seen))
            unknown = bool(problems[-1])
            self._first.visible, self._instead.visible = not unknown, unknown
        problems.append(self._plain.draw(seen))
        if self._device is not None:
            problems.append(self._device.draw(seen))
        return list(dict.fromkeys(word for word in problems if word))


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


def _paper(scene: SceneApi, box: Extent) -> None:
    """Squared paper behind everything, a metre a square: nothing else tells how large things are in free flight."""
    scene.set_up_direction("+z")
    scene.world_axes.visible = False
    x, _, z = (0.5 * (a + b) for a, b in zip(box.low, box.high, strict=True))
    wide = math.ceil(2.6 * max(box.height, box.high[0] - box.low[0]))
    scene.add_grid("/paper", width=wide, height=wide, plane="xz", cell_size=1.0, section_size=5.0,
                   cell_color=(226, 231, 237), section_color=(205, 213, 222), shadow_opacity=0.0,
                   position=(round(x), box.high[1] + BEHIND, round(z)))  # fmt: skip
