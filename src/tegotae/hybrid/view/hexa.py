"""The motion table in the scene: base, six arms, six rods, plate and the fixed part above it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from tegotae.checks import Array
from tegotae.hybrid.view import drawers
from tegotae.hybrid.view.drawers import Extent, ForceArrow, Place
from tegotae.parameters import Declared, Parameter
from tegotae.rotations import matrix_of, quaternion_of
from tegotae.table import Hexa

if TYPE_CHECKING:
    from viser import FrameHandle, SceneApi

    from tegotae.hybrid.view.feed import Seen

TOOL: Place = (0.0, 0.0, 0.05)
METRES = 0.02  # drawn for a newton, in the table's own size


@dataclass(kw_only=True)
class HexaDrawer(Declared):
    """Draws a HEXA from the pose that the table node measured.

    Example:
        >>> from tegotae.hybrid.view import HexaDrawer
        >>> HexaDrawer().elbows((0.0, 0.0, -0.47)).shape
        (6, 3)
    """

    root: ClassVar[str] = "/hexa"

    table: Annotated[Hexa, Parameter("its geometry")] = field(default_factory=Hexa.default)
    times: Annotated[
        float, Parameter("[-], > 0, how much larger than it is it is drawn", "Use 1 for its true size.")
    ] = 5.0
    tool: Annotated[Place, Parameter("[m], where the moving part's contact point is in the plate's frame")] = TOOL
    origin: Annotated[
        Place | None,
        Parameter("[m], where the surface is that it touches, in the table's world; a point of the fixed part"),
    ] = None

    @property
    def box(self) -> Extent:
        """The room it takes as drawn [m]."""
        wide = self.times * (self.table.base_radius + self.table.arm_length + 0.03)
        return Extent((-wide, -wide, self.times * (self.table.home_height - 0.12)), (wide, wide, self.times * 0.16))

    @property
    def surface(self) -> Array:
        """Where the fixed part's surface is in the table's world [m]; where the tip is at home unless given."""
        at_home = self.table.home[0] + np.asarray(self.tool)
        return np.asarray(at_home if self.origin is None else self.origin, dtype=np.float64)

    def elbows(self, position: Place | Array, rotation: Array | None = None) -> Array:
        """Where the arms end and the rods begin at a pose of the plate [m], a row an arm."""
        rows, angles = self.table.geometry, self.table.inverse(position, rotation)
        out = np.column_stack([rows[:, 3:5], np.zeros(6)])
        down = np.array([0.0, 0.0, -1.0])
        reach = np.cos(angles)[:, None] * out + np.sin(angles)[:, None] * down
        return np.asarray(rows[:, 0:3] + self.table.arm_length * reach)

    def build(self, scene: SceneApi) -> None:
        """Put the table into the scene, the centre of its base at 0."""
        size = self.times
        self._arms: list[FrameHandle] = []
        self._rods: list[FrameHandle] = []
        drawers.rod(scene, "/hexa/base", length=0.035 * size, radius=size * (self.table.base_radius + 0.05),
                   colour=drawers.STEEL, at=0.04 * size, opacity=0.55)  # fmt: skip
        for i in range(6):
            arm = scene.add_frame(f"/hexa/arm{i + 1}", show_axes=False, position=size * self.table.geometry[i, 0:3])
            drawers.rod(scene, f"/hexa/arm{i + 1}/body", length=size * self.table.arm_length, radius=0.016 * size,
                       colour=drawers.BLUE)  # fmt: skip
            drawers.ball(scene, f"/hexa/arm{i + 1}/motor", radius=0.03 * size, colour=drawers.DARK)
            drawers.ball(scene, f"/hexa/arm{i + 1}/elbow", radius=0.02 * size, colour=drawers.DARK,
                        at=(0.0, 0.0, size * self.table.arm_length))  # fmt: skip
            rod = scene.add_frame(f"/hexa/rod{i + 1}", show_axes=False)
            drawers.rod(scene, f"/hexa/rod{i + 1}/body", length=size * self.table.rod_length, radius=0.009 * size,
                       colour=drawers.SILVER)  # fmt: skip
            self._arms.append(arm)
            self._rods.append(rod)
        self._plate = scene.add_frame("/hexa/plate", show_axes=False)
        _plate(scene, self.table, self.tool, size)
        _fixed(scene, self.surface, size)
        self._force = ForceArrow(scene, "/hexa/force", metres=METRES * size, longest=0.35 * size)
        title = "motion table" if size == 1.0 else f"motion table, drawn {size:g} times its size"
        scene.add_label("/hexa/name", title, position=(0.0, 0.0, 0.12 * size), anchor="bottom-center")
        self._set(*self.table.home)

    def draw(self, seen: Seen) -> str:
        """As the table node measured last; in words a pose that no arms reach."""
        if seen.table is None:
            return ""
        pose = np.asarray(seen.table["pose"], dtype=np.float64)
        length = float(np.linalg.norm(pose[3:7]))
        if not np.isfinite(pose).all() or length == 0.0:
            return "the table's measured pose is not finite"
        R = matrix_of((pose[3:7] / length).tolist())
        p = pose[0:3] - R @ np.asarray(self.tool)
        if not self.table.reaches(p, R):
            x, y, z = p
            return f"no table of these dimensions reaches the measured pose ({x:.3g}, {y:.3g}, {z:.3g}) m"
        self._set(p, R)
        force = np.asarray(seen.table["wrench"][0:3], dtype=np.float64)
        self._force.show(self.times * (pose[0:3] + np.array([0.24, 0.0, 0.0])), force)
        return ""

    def _set(self, p: Array, R: Array) -> None:
        elbows = self.elbows(p, R)
        ends = p + self.table.geometry[:, 5:8] @ R.T
        for i, (arm, rod) in enumerate(zip(self._arms, self._rods, strict=True)):
            arm.wxyz = drawers.turn_of_z(elbows[i] - self.table.geometry[i, 0:3])
            rod.position, rod.wxyz = self.times * elbows[i], drawers.turn_of_z(ends[i] - elbows[i])
        self._plate.position = self.times * p
        self._plate.wxyz = quaternion_of(R)


def _plate(scene: SceneApi, table: Hexa, tool: Place, size: float) -> None:
    """The plate, a hexagon through the six joints, and the probe that it carries."""
    joints = table.geometry[:, 5:8]
    order = np.argsort(np.arctan2(joints[:, 1], joints[:, 0]))
    thin = 0.012
    low, high = joints[order] - [0.0, 0.0, 2.0 * thin], joints[order]  # its joints are at the height of its face
    corners = size * np.concatenate([low, high, [[0.0, 0.0, -2.0 * thin], [0.0, 0.0, 0.0]]])
    faces = []
    for a in range(6):
        b = (a + 1) % 6
        faces += [(a, b, 6 + b), (a, 6 + b, 6 + a), (12, b, a), (13, 6 + a, 6 + b)]
    scene.add_mesh_simple("/hexa/plate/body", corners, np.array(faces, dtype=np.uint32), color=drawers.TEAL,
                          flat_shading=True)  # fmt: skip
    for i, joint in enumerate(joints):
        drawers.ball(scene, f"/hexa/plate/joint{i + 1}", radius=0.016 * size, colour=drawers.DARK,
                    at=tuple(size * joint))  # fmt: skip
    tip = np.asarray(tool, dtype=np.float64) - [0.0, 0.0, 0.018]  # the ball's top is what touches
    drawers.ball(scene, "/hexa/plate/tip", radius=0.018 * size, colour=drawers.RED, at=tuple(size * tip))
    if (long := float(np.linalg.norm(tip))) > 0.0:
        scene.add_frame("/hexa/plate/probe", show_axes=False, wxyz=drawers.turn_of_z(tip))
        drawers.rod(scene, "/hexa/plate/probe/body", length=size * long, radius=0.012 * size, colour=drawers.DARK)


def _fixed(scene: SceneApi, surface: Array, size: float) -> None:
    """The part that the moving one touches, on the force sensor, hung from the base."""
    x, y, z = (float(c) for c in size * surface)
    scene.add_frame("/hexa/fixed", show_axes=False, position=(x, y, z))
    thin, high, r = 0.02 * size, 0.05 * size, 0.035 * size
    drawers.rod(scene, "/hexa/fixed/plate", length=thin, radius=0.06 * size, colour=drawers.LIGHT_AMBER)
    drawers.rod(scene, "/hexa/fixed/sensor", length=high, radius=r, colour=drawers.DARK, at=thin)
    long = max(0.04 * size - z - thin - high, 0.01)  # to the base
    drawers.rod(scene, "/hexa/fixed/post", length=long, radius=0.3 * r, colour=drawers.STEEL, at=thin + high)
    scene.add_label("/hexa/fixed/name", "force sensor", position=(0.04 * size, 0.0, 0.16 * size), anchor="center-left")
