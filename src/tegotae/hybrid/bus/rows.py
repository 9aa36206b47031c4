"""What the nodes record at every tick: one row, little-endian, without gaps, so that its bytes are the record.

Example:
    >>> from tegotae.hybrid.bus.rows import DYNAMICS, TABLE
    >>> DYNAMICS.itemsize, TABLE.itemsize
    (528, 320)
    >>> TABLE["wrench"].shape
    (6,)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.void]  # structured, a row a tick

_POSE, _TWIST, _WRENCH = "m, then unit quaternion (w, x, y, z)", "m/s, then rad/s", "N, then N·m"

# Name -> how many numbers of which type, unit, meaning; the logs tell them too.
FIELDS: dict[str, tuple[str, str, str]] = {
    "time": ("<i8", "ns", "of the node's own monotonic clock"),
    "tick": ("<i8", "-", "of the node's clock, from 0"),
    "steps": ("<i4", "-", "steps simulated in this tick: 0 while it waits, above 1 after skipped ticks"),
    "simulated": ("<f8", "s", "simulated time"),
    "fresh": ("<i4", "-", "1 if a measurement came in"),
    "label": ("<f8", "s", "simulated time of the command that was obeyed"),
    "felt_pose": ("7<f8", _POSE, "of the moving part, at the sample of the force"),
    "felt_twist": ("6<f8", _TWIST, "of the moving part, at the sample of the force"),
    "felt_wrench": ("6<f8", _WRENCH, "on the moving part, as measured"),
    "felt_onset": ("7<f8", _POSE, "where the contact began, as measured"),
    "felt_state": ("<i8", "flags", "State of the table"),
    "pose": ("7<f8", _POSE, "of the moving part; the surface faces down, at z = 0 for the dynamics"),
    "twist": ("6<f8", _TWIST, "of the moving part"),
    "wrench": ("6<f8", _WRENCH, "on the moving part: as applied to the bodies (dynamics), as measured (table)"),
    "compensated": ("6<f8", _WRENCH, "on the moving part, before the guard"),
    "energy": ("<f8", "J", "kinetic energy of the bodies"),
    "budget": ("<f8", "J", "what the guard still allows"),
    "removed": ("<f8", "J", "what the guard took so far"),
    "delay": ("<f8", "s", "of the loop, as identified"),
    "stiffness": ("<f8", "N/m", "of the contact, as identified"),
    "damping": ("<f8", "N·s/m", "of the contact, as identified"),
    "state": ("<i8", "flags", "State of the node"),
    "lateness": ("<f8", "s", "of the tick's beginning"),
    "offset": ("<f8", "s", "the peer's clock minus the node's"),
    "age": ("<f8", "s", "since the newest command came in"),
    "command": ("7<f8", _POSE, "sent to the device"),
    "signal": ("6<f8", "as the sensor gives it", "raw signals of the force sensor"),
    "joint_margin": ("<f8", "rad or m", "to the nearest joint limit"),
    "singularity": ("<f8", "-", "distance to the nearest singular pose"),
}


def _row(names: str) -> np.dtype[np.void]:
    return np.dtype([(name, FIELDS[name][0]) for name in names.split()])


# A row of the dynamics node.
DYNAMICS = _row(
    "time tick steps simulated fresh label felt_pose felt_twist felt_wrench felt_onset felt_state pose twist "
    "wrench compensated energy budget removed delay stiffness damping state lateness offset"
)

# A row of the table node, or of the process of a simulated device.
TABLE = _row("time tick label age command pose twist signal wrench state joint_margin singularity lateness")

# Who records -> its rows.
KINDS = {"dynamics": DYNAMICS, "table": TABLE, "device": TABLE}
