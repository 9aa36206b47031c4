"""How the numbers of a scene lie: the tree and what may touch, what it remembers, and where a tick works."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tegotae.checks import Array
from tegotae.coupling.kernels.natural_residual import work_rows
from tegotae.layout import AXIS, Layouts, Nested, Part, layouts
from tegotae.multibody.joints import LINES, SPEEDS, OwnJoints
from tegotae.multibody.kernels.balance import MOTION, SUMS
from tegotae.multibody.kernels.impacts import HITS
from tegotae.multibody.kernels.kinematics import CONSTANTS, FREE, WIDTH
from tegotae.multibody.kernels.lines import LINE
from tegotae.multibody.kernels.places import SIZES
from tegotae.multibody.kernels.records import HELD, PLACES, RESTITUTION, SHAPE, TOUCHING
from tegotae.multibody.tree import Tree
from tegotae.ports import labels_of, spans

if TYPE_CHECKING:
    from tegotae.multibody.attachments import Wired
    from tegotae.multibody.kernels.records import Joints

Items = tuple[Part | Nested, ...]

# ------------------------------------------------------------ ports: where they are, what is seen, where a trial works

_PORTS, _TAPS = ("ports",), ("taps",)
PORTS = (
    Part("row", "", "where the force of each port begins among those of all", _PORTS, whole=True),
    Part("rows", "", "of each port: 1 or 6", _PORTS, whole=True),
    Part("along", "", "direction of force and moment of ports of one row", ("ports", 6)),
    Part("joint", "", "body whose joint is pushed; -1 for points", _PORTS, whole=True),
    Part("first", "", "tap that is pushed", _PORTS, whole=True),
    Part("second", "", "tap that is pushed the other way; -1 for none", _PORTS, whole=True),
    Part("tapped", "", "body of each tap", _TAPS, whole=True),
    Part("point", "m", "of each tap, in its body's internal frame", ("taps", 3)),
    Part("frame", "", "rotation of the body's own frame in its internal one", ("taps", 9)),
)


def port_values(ports: Sequence[Wired]) -> dict[str, ArrayLike]:
    """What `PORTS` are for the ports of a tree."""
    taps = [tap for port in ports for tap in port.taps]
    counts = [len(port.taps) for port in ports]
    first = np.cumsum([0, *counts[:-1]])
    return {
        "row": [place.start for place in spans([port.port for port in ports]).values()],
        "rows": [port.port.dimension for port in ports],
        "along": np.array([port.rows[0] for port in ports]),
        "joint": [port.joint for port in ports],
        "first": first,
        "second": np.where(np.array(counts) > 1, first + 1, -1),
        "tapped": [tap.k for tap in taps],
        "point": [tap.inside for tap in taps],
        "frame": [tap.turn for tap in taps],
    }


_MOTION = (
    Part("velocity", "m/s or rad/s", "where it is pushed, mean over the tick", AXIS),
    Part("position", "m or rad", "where it is pushed; turns added up", AXIS),
)
_PLACE = (
    Part("", "m", "of the point that is pushed", ("taps", 3), "z"),
    Part("", "-", "w, x, y, z of the frame of the body that is pushed", ("taps", 4), "quaternion"),
)
_CHANGE = Part("change", "rad/s or m/s", "of the speeds in the last two ticks", (2, "speeds"), recorded=False)
_PATH = Part("path", "m", "of each tap: its motions added up", ("taps", 3), "x", recorded=False)
TRIALS = (
    Part("settled", "", "1 if the step is, under the forces that are held", whole=True),
    Part("held", "N", "forces", AXIS),
    Part("moved", "m/s", "the motion that they give", AXIS),
    Part("unpushed", "N·m or N", "torque in each pushed joint without them", _PORTS),
    Part("beside", "N", "wrench on each tapped body without them", ("taps", 6)),
    Part("way", "m", "from the centre of mass of each tap's body to the tap", ("taps", 3)),
    Part("unit", "N", "a wrench", (6,)),
    Part("tap_motion", "m/s", "of each tap", ("taps", 6)),
    Part("given", "N", "a force, where it is one number", AXIS),
    Part("known", "", "which slope of this tick is known, see `kernels/port_stepping.py`", whole=True),
    Part("slopes", "m/s/N", "that one", ("axis", "axis")),
    Part("resisted", "", "how joints resisted there", ("speeds",)),
    Part("felt", "m/s", "rows of the dual by a unit of force in each direction", ("rows", "axis")),
    Part("shift", "N", "their forces by that", ("rows", "axis")),
    Part("rises", "", "of the friction of joints that slip, by block of the dual", ("blocks",)),
)


def port_state(ports: Sequence[Wired]) -> tuple[Part, ...]:
    """What is remembered of these ports, by their names."""
    labels, taps = labels_of([port.port for port in ports]), [tap.label for port in ports for tap in port.taps]
    places = [[f"{name}{tap}" for tap in taps for _ in range(n)] for name, n in (("place", 3), ("quaternion", 4))]
    return (*labelled(_MOTION, labels, labels), *labelled(_PLACE, *places), _PATH, _CHANGE)


# ------------------------------------------------------------ what may touch

_PAIRS = ("pairs",)
_TOUCHED = (
    Part("contact_force", "N", "on what touches, in world axes", ("pairs", 3), "contact", axes=("pair", "axis")),
    Part("gap", "m", "between the two, negative where they overlap", _PAIRS, axes=("pair",)),
)
# The same where hinges stop at limits.
_STOPPED = (
    replace(_TOUCHED[0], unit="N or N·m", meaning="on what touches, or moment on what a hinge stops, in world axes"),
    replace(_TOUCHED[1], unit="m or rad", meaning="between the two, or to the limit; negative beyond"),
)
_TOUCHES = (
    Part("root", "", "body at the foot of each one's tree", ("bodies",), whole=True),
    Part("frame_body", "", "moving body of each frame; -1 for the world", ("frames",), whole=True),
    Part("frame_place", "m", "of each frame in that body's internal one", ("frames", 3)),
    Part("which", "", "body, body of the surface and shape of each pair", ("pairs", 3), whole=True),
    Part("contacts", "", "numbers of each pair, see `kernels/records.py`", ("pairs", SHAPE + SIZES)),
)
# What joints transmit, see `kernels/reactions.py`: none, unless it is asked for.
_CARRIED = Part("carried", "", "moving body of each reaction", ("reactions",), whole=True)
_REACTION = Part(
    "reaction", "N or N·m", "force and moment that its joint exerts on the body", ("reactions", 6), axes=("component",)
)
# See the dual of a tick in `kernels/records.py`.
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
# Where a pair has a restitution, see `kernels/impacts.py`.
_IMPACTS = (
    Part("mark", "", "how each pair takes part", _PAIRS, whole=True),
    Part("struck", "", "pairs that are", whole=True),
    Part("missed", "", "of these, noticed far too late", whole=True),
    Part("lessened", "", "blocks of the impact that gained energy", whole=True),
    Part("hard", "", "compliance of rigid rows, as a part of how they answer", (1,)),
    Part("hits", "", "of each pair", ("pairs", HITS)),
    Part("forces", "N", "of rigid rows, and their rates; of two impacts", (4, "rows")),
    Part("group", "", "of each tree, those that touch each other", ("bodies",), whole=True),
    Part("shares", shape=("bodies", 2)),
    Part("parts", "", "of the tick before the impact, of each body", ("bodies",)),
    *(Part(name, "rad/s or m/s", shape=("speeds",)) for name in ("free", "late", "lean", "kept")),
)
# What joins bodies beyond their joints, see `kernels/bonds.py`.
BONDS = (
    Part("weld", "", "rows of the two bodies that a loop welds", ("welds", 2), whole=True),
    Part("weld_frame", "", "of each: place and rotation in the one, and in the other", ("welds", 24)),
    Part("gear", "", "rows of the joint that follows, and of the one it follows", ("gears", 2), whole=True),
    Part("gear_number", "", "ratio, and offset", ("gears", 2)),
    Part("rank", "", "of the rigid rows where nothing is singular", whole=True),
    Part("spring", "", "rows of the two bodies of each", ("springs", 2), whole=True),
    Part("spring_number", "", "both places, stiffness, damping, length", ("springs", 9)),
)
_BOUND = (
    Part("tension", "N", "of each spring, > 0 where it pulls", ("springs",), axes=("spring",)),
    Part("slid", "rad/s or m/s", "by which the last tick closed loops", ("loose_speeds",), recorded=False),
    Part("singular", "-", "ticks so far in which loops lost a condition", whole=True, recorded=False),
)
_BINDING = (
    Part("ends", "", "S at the end of a tick", ("end_rows", WIDTH)),
    Part("end_q", shape=("loose_coordinates",)),
    *(Part(name, shape=("loose_speeds",)) for name in ("end_v", "frozen")),
    Part("bond_middle", "", "1 by the midpoint", whole=True),
    Part("bond_rank", "", "of all rows", whole=True),
    Part("bond_order", "", "of the pivots", ("bonds",), whole=True),
    Part("bond_lever", shape=("bonds", 12)),
    *(Part(name, shape=("bonds",)) for name in ("bond_aim", "bond_force", "bond_first", "bond_x", "bond_scale")),
    *(Part(name, shape=("bonds", "bonds")) for name in ("bond_Q", "bond_L")),
    Part("bond_H", "", "rows of bonds by a unit of each force of the dual", ("bonds", "rows")),
    Part("answer", "", "of the speeds to a unit of force of each", ("bonds", "speeds")),
    Part("spring_length", "m", "now", ("springs",)),
    Part("spring_begun", "m/s", "rate at the start", ("springs",)),
    Part("spring_last", "m", "length at the start", ("springs",)),
    Part("spring_share", "", "how much of Euler's it takes, see `share`", ("springs",)),
    Part("spring_work", "J", "that its stretch at the middle does", ("springs",)),
)
_HELD_FORCE = Part("last_force", "N", "at the ports in the last tick", AXIS, "h", recorded=False)
# What a tree owes by its steps, see `kernels/balance.py`; and the middle of a tick, see `kernels/midpoint.py`.
_OWED = (
    Part("debt", "J", "that a tree has too much by its steps, at its foot", ("bodies",), recorded=False),
    Part("swing", "J", "largest kinetic energy that a tree has had", ("bodies",), recorded=False),
)
_MIDDLE = (
    Part("mid", "rad or m", "where everything is at the middle", ("coordinates",)),
    *(Part(name, "rad/s or m/s", shape=("speeds",)) for name in ("begun", "mean", "gained")),
    Part("linked", "", "1 for the foot of a tree with joints", ("bodies",), whole=True),
    Part("sums", shape=("bodies", SUMS)),
    Part("motion", shape=("bodies", MOTION)),
    Part("before", shape=("bodies", 9)),
    Part("energy", "J", "of a tree, at its foot", ("bodies",)),
)


def scene_layout(
    tree: Tree,
    ports: Sequence[Wired],
    servos: Sequence[str],
    units: Sequence[str],
    may_rub: int,
    rubbing: int,
    numbers: int,
    owned: OwnJoints,
    bounces: bool,
    springs: int,
    carried: Sequence[str],
) -> Layouts:
    """The layout of a tree with these ports, joints that rub, and numbers of friction laws.

    `units` are those of the gaps of all pairs, of which the first `may_rub` may rub; `bounces` tells whether any has a
    restitution, `springs` how many there are between bodies, `carried` which bodies' reactions are told.

    Names are known to users alone: scenes of any size share one compiled loop for as many directions of their ports,
    if their joints have the same impedances (`owned`).
    """
    at = tree.arrays
    pairs, rigid = len(units), 6 * len(at.welds) + len(at.gears)
    # What never touches needs no dual, which is quadratic in its rows.
    rows = max(pairs + 2 * may_rub + rubbing, 1) if pairs or rigid or springs else 1
    sizes = {
        "bodies": len(at.parent),
        "bodies1": len(at.parent) + 1,
        "coordinates": at.nq,
        "speeds": at.nv,
        "phases": at.nq + at.nv,
        "numbers": numbers,
        "owned": len(owned.blocks),
        "joints": len(tree.joint_names),
        "servos": len(servos),
        "frames": len(tree.frames),
        "pairs": pairs,
        "pairs1": pairs + 1,
        "reactions": len(carried),
        "rows": rows,
        "blocks": pairs + rubbing + 1,
        "work": int(work_rows(rows)),
        "welds": len(at.welds),
        "gears": len(at.gears),
        "springs": springs,
        "bonds": rigid + springs,
        "end_rows": len(at.parent) + 1 if rigid else 1,
        "loose_coordinates": at.nq if rigid else 0,
        "loose_speeds": at.nv if rigid else 0,
    }
    push = Part("wrench", "N", "force and moment on the body", ("frames", 6), "push", recorded=False, fed=True)
    wrenches = [name for name in tree.frames for _ in range(6)]
    fed = (*labelled(FED, tree.joint_names, servos), *labelled((push,), wrenches))
    reactions = labelled((_REACTION,), [name for name in carried for _ in range(6)])
    memory = ("pairs", HELD + 1 if bounces else TOUCHING)
    touching = Part("touching", "", "of each pair, in the frame of its surface's body", memory, recorded=False)
    touches = _TOUCHES
    if bounces:
        touches = (*touches[:-1], replace(touches[-1], shape=("pairs", RESTITUTION + 1)))
    seen = [replace(part, recorded=pairs > 0) for part in (_STOPPED if "rad" in units else _TOUCHED)]
    bound = (replace(_BOUND[0], recorded=springs > 0), *_BOUND[1:])
    parameters: Items = (*TREE, *JOINTS, *touches, *BONDS, _CARRIED, *owned.parts[0])
    state: Items = (*SEEN, *SOLVED, *seen, *reactions, *fed, *KEPT, *_OWED, *bound, touching, *owned.parts[1])
    impacts = _IMPACTS if bounces else ()
    workspace: Items = (*WORK, *FRICTION, *_DUAL, *_MIDDLE, *impacts, *_BINDING, *owned.parts[2])
    if not ports:
        return layouts(sizes=sizes, parameters=parameters, state=state, workspace=workspace, dimension=0)
    sizes |= {"ports": len(ports), "taps": sum(len(port.taps) for port in ports)}
    return layouts(
        dimension=sum(port.port.dimension for port in ports),
        sizes=sizes,
        parameters=(*PORTS, *parameters),
        state=(*port_state(ports), *((_HELD_FORCE,) if bounces else ()), *state),
        workspace=(*workspace, *TRIALS),
    )


# ------------------------------------------------------------ what every machine made of a tree has

_BODIES, _SPEEDS = ("bodies",), ("speeds",)

# See `TreeArrays`.
TREE = (
    Part("gravity", "m/s²", shape=(3,), letter="g"),
    Part("parent", "", "body that carries each", _BODIES, whole=True),
    Part("kind", "", "of each body's joint", _BODIES, whole=True),
    Part("first_coordinate", "", "of each body", _BODIES, "qi", whole=True),
    Part("first_speed", "", "of each body", _BODIES, "vi", whole=True),
    Part("constants", "", "of each body", ("bodies", CONSTANTS), "C"),
    Part("floats", "", "1 for the foot of a tree that nothing joins to others or to the world", _BODIES, whole=True),
    Part("armed", "", "1 if any joint has an armature", whole=True),
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


def bond_values(tree: Tree, springs: Array, locked: Sequence[int]) -> dict[str, ArrayLike]:
    """What `BONDS` are for a tree with locked speeds, and springs as rows of both bodies and their numbers."""
    at = tree.arrays
    return {
        "weld": np.array([weld.rows for weld in at.welds], dtype=np.int64).reshape(-1, 2),
        "weld_frame": np.array([weld.numbers for weld in at.welds]).reshape(-1, 24),
        "gear": np.array([gear.rows for gear in at.gears], dtype=np.int64).reshape(-1, 2),
        "gear_number": np.array([(gear.ratio, gear.offset) for gear in at.gears]).reshape(-1, 2),
        "rank": tree.conditions_on(np.setdiff1d(np.arange(at.nv), np.asarray(locked, dtype=np.int64)).tolist()),
        "spring": springs[:, :2].astype(np.int64),
        "spring_number": springs[:, 2:],
    }


def tree_values(tree: Tree, joints: Joints, servos: Sequence[str]) -> dict[str, ArrayLike]:
    """What `TREE` and `JOINTS` are for a tree."""
    at = tree.arrays
    speeds = dict(zip(tree.joint_names, at.vi[at.kind != FREE].tolist(), strict=True))
    values = {part.name: getattr(at, part.key) for part in TREE[1:-1]}
    values |= {part.name: getattr(joints, part.key) for part in JOINTS if part.key in joints._fields}
    return {
        **values,
        "gravity": tree.gravity,
        "centers": at.center,
        "torque_speeds": list(speeds.values()),
        "target_speeds": [speeds[name] for name in servos],
    }


TARGET = Part("target", "rad or m", "of the servo", ("servos",), recorded=False, fed=True)
FED = (Part("torque", "N·m or N", "in the joint", ("joints",), recorded=False, fed=True), TARGET)


def labelled(parts: Sequence[Part], *labels: Sequence[str] | None) -> tuple[Part, ...]:
    """The same parts, each with the names of its numbers, or None for a vector."""
    pairs = zip(parts, labels, strict=True)
    return tuple(replace(part, labels=None if names is None else tuple(names)) for part, names in pairs)


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
# What the next tick needs beside what is seen: friction starts from where it was.
KEPT = (
    Part("center_q", "rad or m", "q with free bodies at their centres of mass", ("coordinates",), "q", recorded=False),
    Part("center_v", "rad/s or m/s", "v with free bodies at their centres of mass", _SPEEDS, "v", recorded=False),
    Part("mode", "", _MODE, _SPEEDS, whole=True, recorded=False, least=-1, most=1),
    Part("slip_friction", "N·m or N", "of a joint that slips", _SPEEDS, "r", recorded=False),
    Part("slip_rise", "N·m·s/rad or N·s/m", "of that friction with the speed", _SPEEDS, "rise", recorded=False),
    Part("slip_speed", "rad/s or m/s", "that it was taken at", _SPEEDS, "at", recorded=False),
)


# S of the passes; torque and slope of each joint without friction, and with it; accelerations; the speeds after the
# step; slopes to be tried; what is asked of impedances in joints; a line for each friction; torque and target are what
# is fed, one a speed.
WORK = (
    Part("S", shape=("bodies1", WIDTH)),
    *(Part(name, shape=_SPEEDS) for name in ("free_tau", "free_slope", "tau", "slope", "a", "v1", "trial")),
    Part("in_modes", "", "1 if the speeds found are those of joints that stick or slip as told", whole=True),
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
