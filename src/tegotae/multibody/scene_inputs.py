"""What drives a scene over its ticks: forces at ports, torques, targets and wrenches, by the names of what is fed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.layout import MOST
from tegotae.multibody.tree_arrays import FREE
from tegotae.ports import forces_over_time

if TYPE_CHECKING:
    from tegotae.multibody.scene import Scene

OWN = "Scene"


def forces_over_ticks(
    scene: Scene, force: ArrayLike | Mapping[str, ArrayLike] | None, duration: float | None, T: float
) -> Array:
    """Forces at the ports of a scene over all ticks, as many as they are given for, or as the duration has."""
    if force is not None:
        if not scene.dimension:
            checks.refuse(OWN, f"force={checks.shown(force)}: it has no ports.", "Name places, at=..., or wrenches=.")
        signal = forces_over_time(OWN, scene.ports, force)
        if duration is not None and len(signal) != _ticks(duration, T):
            told = f"force has {len(signal)} ticks, duration={duration:g} s has {_ticks(duration, T)}."
            checks.refuse(OWN, told, "Leave the duration.")
        return signal
    if duration is None:
        checks.refuse(OWN, "run does not know how long to run.", "Give a duration [s], or force.")
    ticks = _ticks(duration, T)
    told = f"what acts for duration={duration} s"
    checks.fits_in_memory(OWN, told, float(ticks) * scene.dimension, "Use a shorter duration.")
    return np.zeros(ticks) if scene.dimension == 1 else np.zeros((ticks, scene.dimension))


def driven(
    scene: Scene,
    ticks: int,
    torque: ArrayLike,
    targets: Mapping[str, ArrayLike] | None,
    wrenches: Mapping[str, ArrayLike] | None,
    label: str = "torque",
) -> dict[str, ArrayLike]:
    """What drives so many ticks of a scene, by the names of what is fed; `label` is what a user calls the torque."""
    tree = scene.tree
    fed: dict[str, ArrayLike] = {}
    given = checks.array(OWN, label, torque, "N·m")
    free = [slice(int(i), int(i) + 6) for i in tree.arrays.vi[tree.arrays.kind == FREE]]
    speeds = tree.arrays.vi[tree.arrays.kind != FREE].tolist()
    if given.ndim:
        rows = _rows(label, given, ticks, (tree.nv,), "N·m")
        if any(np.any(rows[:, part]) for part in free):
            checks.refuse(OWN, f"{label} pushes a free body.", "Push it with wrenches={body: ...}.")
        held = len(rows) == 1
        columns = {name: rows[0, o] if held else rows[:, o] for name, o in zip(tree.joint_names, speeds, strict=True)}
        fed |= {f"torque.{name}": column for name, column in columns.items()}
    elif given != 0.0:  # one number for all is meant for joints
        checks.finite(OWN, label, np.atleast_1d(given), "N·m")
        fed |= {f"torque.{name}": given for name in tree.joint_names}
    for name, value in checks.mapping(OWN, "targets", targets, "Give a dict of angles or places by joint.").items():
        if name not in scene.servos:
            checks.refuse(OWN, f"targets[{name!r}]: no servo drives it.", f"Driven are {list(scene.servos) or 'none'}.")
        target = checks.array(OWN, "targets", value, "rad")
        fed[f"target.{name}"] = _rows(f"targets[{name!r}]", np.atleast_1d(target), ticks, (), "")
    for name, value in checks.mapping(OWN, "wrenches", wrenches, "Give a dict of six numbers by body.").items():
        tree._frame(name)  # refuses one that is not there
        wrench = checks.array(OWN, "wrenches", value, "N")
        rows = _rows(f"wrenches[{name!r}]", wrench, ticks, (6,), "N")
        fed[f"wrench.{name}"] = rows[0] if len(rows) == 1 else rows
    return fed


def _ticks(duration: float, T: float) -> int:
    seconds = checks.positive(OWN, "duration", duration, "s", "Give how long to run.")
    ticks = round(seconds / T)
    if ticks > MOST:
        checks.refuse(OWN, f"duration={seconds:g} s has {ticks:g} periods.", "Use a shorter duration.")
    if ticks < 1 or abs(ticks * T - seconds) > 1e-6 * T * max(1.0, ticks * 1e-6):
        nearest = max(ticks, 1) * T
        checks.refuse(OWN, f"duration={seconds:g} s is no whole number of periods.", f"Use {nearest:g} s.")
    return ticks


def _rows(name: str, given: Array, ticks: int, shape: tuple[int, ...], unit: str) -> Array:
    """A record with a row for each tick, or one row that holds."""
    record = given[None] if given.shape == shape else given
    if record.shape[1:] != shape or record.ndim != len(shape) + 1 or len(record) not in (1, ticks):
        told = "a number" if not shape else f"{shape[0]} numbers"
        checks.refuse(OWN, f"{name} has shape {given.shape}.", f"Give {told}, or {ticks} rows of them.")
    checks.finite(OWN, name, record.reshape(len(record), -1), unit)
    return np.ascontiguousarray(record, dtype=np.float64)
