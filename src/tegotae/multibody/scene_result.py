"""What a run of a scene is told as: its record with names and units, energies, and joints that left their limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tegotae.checks import Array
from tegotae.multibody.layout import FREE
from tegotae.multibody.picture import picture_of
from tegotae.multibody.tree import Tree
from tegotae.result import Result, Variable

if TYPE_CHECKING:
    from tegotae.multibody.kernels.records import Tape
    from tegotae.multibody.scene import LiveScene, Scene


def result_of(scene: Scene, live: LiveScene, tape: Tape, every: int) -> Result:
    """The record of a run, with energies, momenta, the names of its numbers, and what a picture needs.

    Args:
        scene: what ran.
        live: as it is at the end.
        tape: what it recorded.
        every: how many ticks lie between two rows.
    """
    tree = scene.tree
    q, v = tree.layout.outer(tape.q, tape.v)
    rows = len(q)
    time = (np.arange(rows, dtype=np.float64) + 1.0) * every * live.period
    kinetic, potential = tree.energy(q, v)
    linear, angular = tree.momentum(q, v)
    variables = {
        "time": Variable(("time",), time, "s", "end of each tick"),
        "q": Variable(("time", "coordinate"), q, "rad or m", "configuration"),
        "v": Variable(("time", "speed"), v, "rad/s or m/s", "velocity"),
        "friction": Variable(("time", "speed"), tape.friction, "N·m or N", "of each joint on itself"),
        "kinetic_energy": Variable(("time",), kinetic, "J", "of all bodies"),
        "potential_energy": Variable(("time",), potential, "J", "in gravity, 0 at the world's origin"),
        "momentum": Variable(("time", "axis"), linear, "kg·m/s", "of all bodies"),
        "angular_momentum": Variable(("time", "axis"), angular, "kg·m²/s", "about the world's origin"),
    }
    if len(scene.pairs.names):
        variables |= {
            "contact_force": Variable(
                ("time", "pair", "axis"), tape.pairs[:, :, :3], "N", "on what touches, in world axes"
            ),
            "gap": Variable(("time", "pair"), tape.pairs[:, :, 3], "m", "between the two, negative where they overlap"),
        }
    about = {
        "period": live.period,
        "method": live.method,
        "unsolved_steps": live.unsolved,
        "joints": ", ".join(tree.joint_names),
        "coordinate_names": ", ".join(_told(tree, _FREE_PLACE, ("rad", "m"))),
        "speed_names": ", ".join(_told(tree, _FREE_SPEED, ("rad/s", "m/s"))),
        "pairs": ", ".join(scene.pairs.names),
        "beyond_limits": ", ".join(_beyond_limits(tree, q)),
        **picture_of(tree, scene.touches, time, q),
    }
    return Result(variables, title="Scene", about=about)


# What the numbers of a free body are, in q and in v, with their units.
_FREE_PLACE = ("x [m]", "y [m]", "z [m]", "qw [-]", "qx [-]", "qy [-]", "qz [-]")
_FREE_SPEED = ("vx [m/s]", "vy [m/s]", "vz [m/s]", "wx [rad/s]", "wy [rad/s]", "wz [rad/s]")


def _told(tree: Tree, free: Sequence[str], units: tuple[str, str]) -> list[str]:
    """Name and unit of every number of q or v."""
    layout = tree.layout
    told: list[str] = []
    for name, kind in zip(layout.names, layout.kind.tolist(), strict=True):
        told += [f"{name} {part}" for part in free] if kind == FREE else [f"{name} [{units[kind]}]"]
    return told


def _beyond_limits(tree: Tree, q: Array) -> list[str]:
    """Joints that left their limits in some recorded tick: nothing stops them there, so it is said."""
    places = q[:, tree.layout.qi[tree.layout.kind != 2]]
    lower, upper = np.array([(joint.lower, joint.upper) for joint in tree.joints.values()]).reshape(-1, 2).T
    names = tree.joint_names
    return [names[k] for k in np.flatnonzero(((places < lower) | (places > upper)).any(axis=0))]
