"""Parts that every machine made of a tree has: the tree and its joints, what is seen of it, and where a tick works."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from tegotae.layout import Part
from tegotae.multibody.kernels.kinematics import WIDTH
from tegotae.multibody.kernels.lines import LINE
from tegotae.multibody.own_joints import LINES, SPEEDS
from tegotae.multibody.tree_arrays import FREE

if TYPE_CHECKING:
    from tegotae.multibody.kernels.records import Joints
    from tegotae.multibody.tree import Tree

_BODIES, _SPEEDS = ("bodies",), ("speeds",)

# See `TreeArrays`.
TREE = (
    Part("gravity", "m/s²", shape=(3,), letter="g"),
    Part("parent", "", "body that carries each", _BODIES, whole=True),
    Part("kind", "", "of each body's joint", _BODIES, whole=True),
    Part("first_coordinate", "", "of each body", _BODIES, "qi", whole=True),
    Part("first_speed", "", "of each body", _BODIES, "vi", whole=True),
    Part("constants", "", "of each body", ("bodies", 22), "C"),
    Part("centers", "m", "of mass, in the frame that the user named", ("bodies", 3)),
)
# See `Joints` in `kernels/records.py`.
JOINTS = (
    Part("damping", "N·m·s/rad or N·s/m", "inf locks", _SPEEDS),
    Part("gain", "N·m/rad or N/m", "of the servo", _SPEEDS),
    Part("rate_gain", "N·m·s/rad or N·s/m", "of the servo", _SPEEDS),
    Part("stiffness", "N·m/rad or N/m", "of the friction element", _SPEEDS),
    Part("viscosity", "N·m·s/rad or N·s/m", "of the friction element", _SPEEDS),
    Part("law", "", "which friction law; < 0 for none", _SPEEDS, whole=True),
    Part("law_place", "", "where its numbers begin", _SPEEDS, "place", whole=True),
    Part("law_numbers", "", "of all laws", ("numbers",), "numbers"),
    SPEEDS,
    Part("torque_speeds", "", "on which the fed torques act", ("joints",), "pulled", whole=True),
    Part("target_speeds", "", "of the servos", ("servos",), "steered", whole=True),
)


def tree_values(tree: Tree, joints: Joints, servos: Sequence[str]) -> dict[str, ArrayLike]:
    """What `TREE` and `JOINTS` are for a tree."""
    at = tree.arrays
    speeds = dict(zip(tree.joint_names, at.vi[at.kind != FREE].tolist(), strict=True))
    own = {part.name: getattr(at, part.key) for part in TREE[1:-1]}
    own |= {part.name: getattr(joints, part.key) for part in JOINTS if part.key in joints._fields}
    return {
        **own,
        "gravity": tree.gravity,
        "centers": at.center,
        "torque_speeds": list(speeds.values()),
        "target_speeds": [speeds[name] for name in servos],
    }


TARGET = Part("target", "rad or m", "of the servo", ("servos",), recorded=False, fed=True)
FED = (Part("torque", "N·m or N", "in the joint", ("joints",), recorded=False, fed=True), TARGET)


def labelled(parts: Sequence[Part], *labels: Sequence[str] | None) -> tuple[Part, ...]:
    """The same parts, each with the names of its numbers, or None for a vector."""
    told = (None if own is None else tuple(own) for own in labels)
    return tuple(replace(part, labels=own) for part, own in zip(parts, told, strict=True))


SEEN = (
    Part("q", "rad or m", "configuration of the tree", ("coordinates",), "Q", axes=("coordinate",)),
    Part("v", "rad/s or m/s", "velocity of the tree", _SPEEDS, "V", axes=("speed",)),
    Part("friction", "N·m or N", "of each joint on itself", _SPEEDS, "f", axes=("speed",)),
)
SOLVED = (
    Part("deflection", "rad or m", "of the spring of each joint's friction", _SPEEDS, "e", recorded=False),
    Part("unsolved", "-", "steps so far that found no solution", whole=True, recorded=False),
)
_MODE = "of each joint's friction: 0 if it sticks, else the sign of its slip"


def _kept(name: str, unit: str, meaning: str, shape: tuple[int | str, ...], letter: str) -> Part:
    return Part(name, unit, meaning, shape, letter, recorded=False)


# What the next tick needs beside what is seen: friction starts from where it was.
KEPT = (
    _kept("center_q", "rad or m", "q with free bodies at their centres of mass", ("coordinates",), "q"),
    _kept("center_v", "rad/s or m/s", "v with free bodies at their centres of mass", _SPEEDS, "v"),
    Part("mode", "", _MODE, _SPEEDS, whole=True, recorded=False, least=-1, most=1),
    _kept("slip_friction", "N·m or N", "of a joint that slips", _SPEEDS, "r"),
    _kept("slip_rise", "N·m·s/rad or N·s/m", "of that friction with the speed", _SPEEDS, "rise"),
    _kept("slip_speed", "rad/s or m/s", "that it was taken at", _SPEEDS, "at"),
)


# S of the passes; torque and slope of each joint without friction, and with it; accelerations; the speeds after the
# step; slopes to be tried; what is asked of impedances in joints; a line for each friction; torque and target are what
# is fed, one a speed.
WORK = (
    Part("S", shape=("bodies1", WIDTH)),
    *(Part(name, shape=_SPEEDS) for name in ("free_tau", "free_slope", "tau", "slope", "a", "v1", "trial")),
    LINES,
    Part("lines", "", "see `kernels/lines.py`", ("speeds", LINE)),
    Part("wrench", "N", "on each body, and moment", ("bodies", 6)),
    Part("torque", "N·m or N", "in each joint", _SPEEDS),
    Part("target", "rad or m", "of each joint", _SPEEDS),
)
# Friction in a trial: see `Friction` in `kernels/records.py`.
FRICTION = (
    Part("mode", shape=_SPEEDS, whole=True),
    *(Part(name, shape=_SPEEDS) for name in ("r", "rise", "at", "f")),
)
