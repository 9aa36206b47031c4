"""How the numbers of a scene lie: the tree and what may touch, what it remembers, and where a tick works."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tegotae.coupling.kernels.natural_residual import work_rows
from tegotae.layout import Layouts, Nested, Part, layouts
from tegotae.multibody.kernels.records import PLACES, SHAPE, TOUCHING
from tegotae.multibody.kernels.shapes import SIZES
from tegotae.multibody.own_joints import OwnJoints
from tegotae.multibody.port_parts import PORTS, TRIALS, port_state
from tegotae.multibody.tree import Tree
from tegotae.multibody.tree_parts import FED, FRICTION, JOINTS, KEPT, SEEN, SOLVED, TREE, WORK, labelled

if TYPE_CHECKING:
    from tegotae.multibody.attachments import Wired

Items = tuple[Part | Nested, ...]
_PAIRS = ("pairs",)
_TOUCHED = (
    Part("contact_force", "N", "on what touches, in world axes", ("pairs", 3), "contact", axes=("pair", "axis")),
    Part("gap", "m", "between the two, negative where they overlap", _PAIRS, axes=("pair",)),
)
_TOUCHES = (
    Part("root", "", "body at the foot of each one's tree", ("bodies",), whole=True),
    Part("frame_body", "", "moving body of each frame; -1 for the world", ("frames",), whole=True),
    Part("frame_place", "m", "of each frame in that body's internal one", ("frames", 3)),
    Part("which", "", "body, body of the surface and shape of each pair", ("pairs", 3), whole=True),
    Part("contacts", "", "numbers of each pair, see `kernels/records.py`", ("pairs", SHAPE + SIZES)),
)
# See `Dual` in `kernels/records.py`.
_DUAL = (
    Part("places", "", "where each pair is in this tick", ("pairs1", PLACES)),
    Part("zero", "", "stays 0", (3,)),
    Part("pushed", "", "1 if a wrench acts on a body", whole=True),
    Part("found", "", "1 if the step is solved", whole=True),
    Part("met", "", "blocks of the dual that it took, 0 if nothing touches", whole=True),
    Part("W", "", "response of contacts to each other", ("rows", "rows")),
    Part("columns", shape=(3, "rows")),
    Part("blocks", shape=(3, "blocks"), whole=True),
    Part("limit", shape=("blocks",)),
    Part("active", shape=_PAIRS, whole=True),
    Part("work", shape=("work", "rows")),
    Part("levers", shape=("rows", 12)),
    Part("fresh", shape=("speeds",)),
    Part("stages", "", "of a Runge-Kutta step", (5, "phases")),
)


def scene_layout(
    tree: Tree, ports: Sequence[Wired], servos: Sequence[str], pairs: int, rubbing: int, numbers: int, own: OwnJoints
) -> Layouts:
    """The layout of a tree with these ports, so many pairs, joints that rub, and numbers of friction laws.

    Names are known to users alone: scenes of any size share one compiled loop for as many directions of their ports,
    if their joints have the same impedances (`own`).
    """
    at = tree.arrays
    rows = 3 * pairs + rubbing if pairs else 1  # what never touches needs no dual; it is quadratic in its rows
    sizes = {
        "bodies": len(at.parent),
        "bodies1": len(at.parent) + 1,
        "coordinates": at.nq,
        "speeds": at.nv,
        "phases": at.nq + at.nv,
        "numbers": numbers,
        "owned": len(own.blocks),
        "joints": len(tree.joint_names),
        "servos": len(servos),
        "frames": len(tree.frames),
        "pairs": pairs,
        "pairs1": pairs + 1,
        "rows": rows,
        "blocks": pairs + rubbing + 1,
        "work": int(work_rows(rows)),
    }
    push = Part("wrench", "N", "force and moment on the body", ("frames", 6), "push", recorded=False, fed=True)
    wrenches = [name for name in tree.frames for _ in range(6)]
    fed = (*labelled(FED, tree.joint_names, servos), *labelled((push,), wrenches))
    touching = Part(
        "touching", "", "of each pair, in the frame of its surface's body", ("pairs", TOUCHING), recorded=False
    )
    touched = [replace(part, recorded=pairs > 0) for part in _TOUCHED]
    parameters: Items = (*TREE, *JOINTS, *_TOUCHES, *own.parts[0])
    state: Items = (*SEEN, *SOLVED, *touched, *fed, *KEPT, touching, *own.parts[1])
    workspace: Items = (*WORK, *FRICTION, *_DUAL, *own.parts[2])
    if not ports:
        return layouts(sizes=sizes, parameters=parameters, state=state, workspace=workspace, dimension=0)
    sizes |= {"ports": len(ports), "taps": sum(len(port.taps) for port in ports)}
    return layouts(
        dimension=sum(port.port.dimension for port in ports),
        sizes=sizes,
        parameters=(*PORTS, *parameters),
        state=(*port_state(ports), *state),
        workspace=(*workspace, *TRIALS),
    )
