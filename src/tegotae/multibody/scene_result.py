"""What a run of a scene is told as: its record with names and units, energies, and joints that left their limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tegotae.checks import Array
from tegotae.multibody.kernels.stepping import FAR
from tegotae.multibody.picture import picture_of
from tegotae.multibody.tree import Tree
from tegotae.multibody.tree_arrays import FREE
from tegotae.result import Result, Variable

if TYPE_CHECKING:
    from tegotae.multibody.scene import Scene


def result_of(scene: Scene, plain: Result, period: float) -> Result:
    """The record of a run, with the names of its numbers; with q and v also energies, momenta and a picture."""
    tree, variables = scene.tree, dict(plain.variables)
    about = {
        "figure": "scene",
        "period": period,
        "method": scene.method,
        "unsolved_steps": plain.about["unsolved_steps"],
    }
    about |= {"joints": ", ".join(tree.joint_names), "pairs": ", ".join(scene.pairs.names)}
    about["coordinate_names"] = ", ".join(_told(tree, _FREE_PLACE, ("rad", "m")))
    about["speed_names"] = ", ".join(_told(tree, _FREE_SPEED, ("rad/s", "m/s")))
    if "gap" in variables:
        seen = variables["gap"]
        gaps = np.where(seen.values >= FAR, np.inf, seen.values)  # no surface there
        variables["gap"] = Variable(seen.dims, gaps, seen.unit, seen.meaning)
    if not {"q", "v"} <= set(variables):
        return Result(variables, title="Scene", about=about)
    time, q, v = variables["time"].values, variables["q"].values, variables["v"].values
    kinetic, potential = tree.energy(q, v)
    linear, angular = tree.momentum(q, v)
    variables |= {
        "kinetic_energy": Variable(("time",), kinetic, "J", "of all bodies"),
        "potential_energy": Variable(("time",), potential, "J", "in gravity, 0 at the world's origin"),
        "momentum": Variable(("time", "axis"), linear, "kg·m/s", "of all bodies"),
        "angular_momentum": Variable(("time", "axis"), angular, "kg·m²/s", "about the world's origin"),
    }
    about["beyond_limits"] = ", ".join(_beyond_limits(tree, q))
    return Result(variables, title="Scene", about=about | picture_of(tree, scene.touches, time, q))


# What the numbers of a free body are, in q and in v, with their units.
_FREE_PLACE = ("x [m]", "y [m]", "z [m]", "qw [-]", "qx [-]", "qy [-]", "qz [-]")
_FREE_SPEED = ("vx [m/s]", "vy [m/s]", "vz [m/s]", "wx [rad/s]", "wy [rad/s]", "wz [rad/s]")


def _told(tree: Tree, free: Sequence[str], units: tuple[str, str]) -> list[str]:
    """Name and unit of every number of q or v."""
    layout = tree.arrays
    told: list[str] = []
    for name, kind in zip(layout.names, layout.kind.tolist(), strict=True):
        told += [f"{name} {part}" for part in free] if kind == FREE else [f"{name} [{units[kind]}]"]
    return told


def _beyond_limits(tree: Tree, q: Array) -> list[str]:
    """Joints that left their limits in some recorded tick: nothing stops them there, so it is said."""
    places = q[:, tree.arrays.qi[tree.arrays.kind != 2]]
    lower, upper = np.array([(joint.lower, joint.upper) for joint in tree.joints.values()]).reshape(-1, 2).T
    names = tree.joint_names
    return [names[k] for k in np.flatnonzero(((places < lower) | (places > upper)).any(axis=0))]
