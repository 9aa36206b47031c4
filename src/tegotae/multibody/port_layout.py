"""How the numbers of a tree as a block lie: what it is, what it remembers, and where a tick works."""

from __future__ import annotations

from functools import cache

from tegotae.layout import AXIS, Layouts, Part, layouts
from tegotae.multibody.tree_parts import FED, FRICTION, JOINTS, KEPT, SEEN, TREE, WORK, labelled


@cache
def port_layout(
    dimension: int,
    bodies: int,
    coordinates: int,
    speeds: int,
    numbers: int,
    joints: tuple[str, ...],
    servos: tuple[str, ...],
) -> Layouts:
    """The layout of a tree with so many moving bodies, coordinates, speeds and numbers of friction laws.

    Joints and servos are known to users by their names, to kernels by their number: trees of any size and with any
    names share one compiled loop.
    """
    sizes = {"bodies": bodies, "bodies1": bodies + 1, "coordinates": coordinates, "speeds": speeds}
    return layouts(
        dimension=dimension,
        sizes={**sizes, "numbers": numbers, "joints": len(joints), "servos": len(servos)},
        parameters=(*_PORT, *TREE, *JOINTS),
        state=(*_PUSHED, *labelled(FED, joints, servos), *_PLACE, *SEEN, *_BEHIND, *KEPT),
        workspace=(*WORK, *FRICTION, *_PUSH),
    )


_PORT = (
    Part("body", "", "that is pushed, or that hangs on the joint", whole=True),
    Part("joint", "", "speed of the joint that is pushed; -1 for a point of the body", whole=True),
    Part("falls", "", "1 if the body hangs from a free one: its accelerations are counted from free fall", whole=True),
    Part("point", "m", "that is pushed, in the body's internal frame", (3,)),
    Part("frame", "", "rotation of the body's own frame in its internal one", (9,)),
    Part("along", "", "direction of force and moment, if it is pushed in one way only", (6,)),
)

_PUSHED = (
    Part("velocity", "m/s or rad/s", "where it is pushed, mean over the tick", AXIS),
    Part("position", "m or rad", "where it is pushed; turns added up", AXIS),
)
_PLACE = (
    Part("place", "m", "of the point that is pushed", (3,), "z"),
    Part("quaternion", "-", "w, x, y, z of the body's frame", (4,)),
)
_BEHIND = (
    Part("deflection", "rad or m", "of the spring of each joint's friction", ("speeds",), "e"),
    Part("unsolved", "-", "steps so far that found no solution", whole=True),
    Part("path", "m", "of the point: its motions added up (turns in rad)", (6,), "x", recorded=False),
)
_PUSH = (
    Part("settled", "", "1 if the step is, under the wrench that is held", whole=True),
    Part("found", "", "1 if that solved it", whole=True),
    Part("held", "N", "wrench", (6,)),
    Part("motion", "m/s", "that it gives", (6,)),
    Part("unpushed", "N·m or N", "torque in the pushed joint without it"),
    Part("way", "m", "from the pushed body's centre of mass to the point", (3,)),
    Part("unit", "N", "a wrench", (6,)),
    Part("moved", "m/s", "what it moves", (6,)),
)
