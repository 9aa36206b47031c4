"""What the page is drawn with: colours, turns, and a few bodies made of triangles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tegotae.checks import Array
from tegotae.rotations import Quaternion, frame_along, quaternion_of

if TYPE_CHECKING:
    from viser import ArrowsHandle, LabelHandle, SceneApi

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
