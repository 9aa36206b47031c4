"""What the nodes record at every tick: one row, little-endian, without gaps, so that its bytes are the record.

`DYNAMICS`, a row of the dynamics node:

=============  =====  ==========  ==========================================================================
field          shape  unit        what
=============  =====  ==========  ==========================================================================
time                  ns          the node's own monotonic clock
tick                  -           number of the tick
steps                 -           simulated in this tick: 0 while waiting for a partner, > 1 after skipped ticks
simulated             s           simulated time after them
fresh                 -           1 if a measurement came in, else 0
label                 s           simulated time of the command that the measurement answers
felt_pose      7      m, -        measured position and quaternion (w, x, y, z) at the force sample
felt_twist     6      m/s, rad/s  measured velocity and angular velocity
felt_wrench    6      N, N·m      measured force and torque on the moving part
felt_onset     7      m, -        pose where the contact began
felt_state            -           `State` flags of the table node
pose           7      m, -        of the bodies: position and quaternion of the moving part
twist          6      m/s, rad/s  of the bodies: its velocity and angular velocity
wrench         6      N, N·m      as applied to the bodies
compensated    6      N, N·m      before the guard
energy                J           kinetic energy of the bodies
budget                J           of the guard
removed               J           taken by the guard so far
delay                 s           of the loop, as identified
stiffness             N/m         of the contact, as identified
damping               N·s/m       of the contact, as identified
state                 -           `State` flags of the dynamics node
lateness              s           of the tick's beginning
offset                s           the table's clock minus ours
=============  =====  ==========  ==========================================================================

`TABLE`, a row of the table node:

=============  =====  ==========  ==========================================================================
field          shape  unit        what
=============  =====  ==========  ==========================================================================
time                  ns          the node's own monotonic clock
tick                  -           number of the tick
label                 s           simulated time of the command that is obeyed
age                   s           since the newest command came in
command        7      m, -        position and quaternion sent to the device
pose           7      m, -        position and quaternion read from it
twist          6      m/s, rad/s  velocity and angular velocity read from it
signal         6      -           of the force sensor, raw
wrench         6      N, N·m      force and torque on the moving part
state                 -           `State` flags
joint_margin          m or rad    left to the nearest limit of a joint
singularity           -           distance to the nearest singularity
lateness              s           of the tick's beginning
=============  =====  ==========  ==========================================================================

Example:
    >>> from tegotae.hybrid.bus.rows import DYNAMICS, TABLE
    >>> DYNAMICS.itemsize, TABLE.itemsize
    (528, 320)
    >>> TABLE["wrench"].shape
    (6,)
"""

from __future__ import annotations

import numpy as np

DYNAMICS = np.dtype(
    [
        ("time", "<i8"),
        ("tick", "<i8"),
        ("steps", "<i4"),
        ("simulated", "<f8"),
        ("fresh", "<i4"),
        ("label", "<f8"),
        ("felt_pose", "<f8", 7),
        ("felt_twist", "<f8", 6),
        ("felt_wrench", "<f8", 6),
        ("felt_onset", "<f8", 7),
        ("felt_state", "<i8"),
        ("pose", "<f8", 7),
        ("twist", "<f8", 6),
        ("wrench", "<f8", 6),
        ("compensated", "<f8", 6),
        ("energy", "<f8"),
        ("budget", "<f8"),
        ("removed", "<f8"),
        ("delay", "<f8"),
        ("stiffness", "<f8"),
        ("damping", "<f8"),
        ("state", "<i8"),
        ("lateness", "<f8"),
        ("offset", "<f8"),
    ]
)

TABLE = np.dtype(
    [
        ("time", "<i8"),
        ("tick", "<i8"),
        ("label", "<f8"),
        ("age", "<f8"),
        ("command", "<f8", 7),
        ("pose", "<f8", 7),
        ("twist", "<f8", 6),
        ("signal", "<f8", 6),
        ("wrench", "<f8", 6),
        ("state", "<i8"),
        ("joint_margin", "<f8"),
        ("singularity", "<f8"),
        ("lateness", "<f8"),
    ]
)
