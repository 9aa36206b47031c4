"""The two free-flying robots of tarao1999 in the scene: each link hangs on the one before it, so joints alone move."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tegotae.hybrid.view import drawers
from tegotae.hybrid.view.drawers import Colour, Extent, ForceArrow
from tegotae.papers.two_robots.experiment import BASE, LAST, PLATE, PLATE_AT, TwoRobots
from tegotae.papers.two_robots.robot import HALF, TIP
from tegotae.rotations import quaternion_about

if TYPE_CHECKING:
    from viser import FrameHandle, IcosphereHandle, SceneApi

    from tegotae.hybrid.view.feed import Seen

THICK = 0.11  # m, radius of a link as drawn; the paper gives none
JOINT = 0.15  # m
SIDE = 0.62  # m, of a base
METRES = 0.11  # drawn for a newton
BESIDE = np.array([PLATE + 0.2, 0.0, 0.0])  # m, arrows stand beside the links, which would hide them
COLOURS = {"robot1": (drawers.BLUE, drawers.LIGHT_BLUE), "robot2": (drawers.AMBER, drawers.LIGHT_AMBER)}


@dataclass(kw_only=True)
class TwoRobotsDrawer:
    """Draws both robots from the configuration q, the contact between them and its force."""

    root: ClassVar[str] = "/two-robots"

    model: TwoRobots = field(default_factory=TwoRobots)

    @cached_property
    def box(self) -> Extent:
        """The room they take at the start [m]."""
        nodes = self.model.outlines(self.model.start()[0][None]).reshape(-1, 3)
        x0, y0, z0 = (nodes.min(axis=0) - np.array([1.5, 0.5, 0.5]) * SIDE).tolist()
        x1, y1, z1 = (nodes.max(axis=0) + np.array([0.5, 0.5, 0.0]) * SIDE).tolist()
        return Extent((x0, y0, z0), (x1, y1, z1))

    def build(self, scene: SceneApi) -> None:
        """Put both robots into the scene."""
        self._frames: dict[str, FrameHandle] = {}
        paths = {"": self.root}
        for body in self.model.tree.bodies:
            robot, part = body.name.split(".")
            path = paths[body.name] = f"{paths[body.parent or '']}/{body.name}"
            frame = scene.add_frame(path, show_axes=False, position=np.asarray(body.position))
            self._frames[body.name] = frame
            (_base if part == "base" else _link)(scene, path, COLOURS[robot])
        _plate(scene, paths[BASE])
        for robot in ("robot1", "robot2"):
            scene.add_label(f"{paths[f'{robot}.base']}/name", f"robot {robot[-1]}", position=(0.0, 0.0, 0.75 * SIDE),
                            anchor="center-right")  # fmt: skip
        self._contact: IcosphereHandle = scene.add_icosphere(
            f"{paths[LAST]}/contact", radius=0.075, color=drawers.GREY, position=TIP
        )
        # Poses and wrenches are in the surface's axes: z points into the plate, along the base's x.
        surface = f"{paths[BASE]}/surface"
        scene.add_frame(surface, show_axes=False, position=PLATE_AT, wxyz=quaternion_about(0.0, 0.5 * np.pi, 0.0))
        self._forces = [
            ForceArrow(scene, f"{surface}/force on {name}", metres=METRES, longest=3.0)
            for name in ("robot 1", "robot 2")
        ]
        # For each body where its numbers begin in q, and the axis of its joint; None for a free one.
        firsts = zip(self.model.tree.bodies, self.model.tree.arrays.qi.tolist(), strict=True)
        self._rows = {body.name: (at, (0.0, 1.0, 0.0) if body.parent else None) for body, at in firsts}

    def draw(self, seen: Seen) -> str:
        """As seen last; in words what does not fit."""
        q = seen.configuration
        if q is None:
            return ""
        if q.size != self.model.tree.nq or not np.isfinite(q).all():
            return f"the configuration has {q.size} numbers, two robots have {self.model.tree.nq} finite ones"
        for name, (first, axis) in self._rows.items():
            frame = self._frames[name]
            if axis is None:
                frame.position, frame.wxyz = q[first : first + 3], q[first + 3 : first + 7]
            else:
                frame.wxyz = quaternion_about(*(float(q[first]) * part for part in axis))
        self._contact.color = drawers.RED if seen.contact else drawers.GREY
        self._contact.scale = 1.8 if seen.contact else 1.0
        at = BESIDE if seen.pose is None else seen.pose[0:3] + BESIDE
        self._forces[0].show(at, seen.force)
        self._forces[1].show(at, -seen.force)
        return ""


def _base(scene: SceneApi, path: str, colours: tuple[Colour, Colour]) -> None:
    scene.add_box(f"{path}/body", color=colours[0], dimensions=(SIDE, SIDE, SIDE))
    scene.add_box(f"{path}/neck", color=drawers.DARK, dimensions=(HALF - 0.5 * SIDE, 0.2, 0.2),
                  position=(0.5 * (HALF + 0.5 * SIDE), 0.0, 0.0))  # fmt: skip


def _link(scene: SceneApi, path: str, colours: tuple[Colour, Colour]) -> None:
    """A joint about y, and a rod from it along x to the next."""
    along = quaternion_about(0.0, 0.5 * np.pi, 0.0)
    across = quaternion_about(-0.5 * np.pi, 0.0, 0.0)
    scene.add_frame(f"{path}/along", show_axes=False, wxyz=along)
    drawers.rod(scene, f"{path}/along/rod", length=2.0 * HALF, radius=THICK, colour=colours[1])
    scene.add_frame(f"{path}/across", show_axes=False, wxyz=across, position=(0.0, -JOINT, 0.0))
    drawers.rod(scene, f"{path}/across/joint", length=2.0 * JOINT, radius=JOINT, colour=drawers.DARK)


def _plate(scene: SceneApi, path: str) -> None:
    thin = 0.06
    x = PLATE_AT[0]
    scene.add_box(f"{path}/plate", color=drawers.SILVER, dimensions=(thin, 2.0 * PLATE, 2.0 * PLATE),
                  position=(x + 0.5 * thin, 0.0, 0.0))  # fmt: skip
    long = -x - 0.5 * SIDE - thin
    scene.add_box(f"{path}/stem", color=drawers.DARK, dimensions=(long, 0.12, 0.12),
                  position=(x + thin + 0.5 * long, 0.0, 0.0))  # fmt: skip
