"""What a run of a scene is told as: its record with names and units, energies, and a picture of its bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from tegotae.checks import Array
from tegotae.multibody.attachments import AtPoint
from tegotae.multibody.frames import ORIGIN
from tegotae.multibody.kernels.kinematics import BALL, FREE, PRISMATIC, REVOLUTE
from tegotae.multibody.kernels.stepping import FAR
from tegotae.multibody.shapes import SIGNS, Box, Corners, HalfSpace, Plate, Sphere, Surface
from tegotae.multibody.tree import Tree
from tegotae.multibody.tree_arrays import Frame
from tegotae.result import Result, Variable

if TYPE_CHECKING:
    from tegotae.multibody.contact import Touch
    from tegotae.multibody.scene import Scene
    from tegotae.multibody.springs import Spring

INSTANTS = 6
MOST_LINES = 300  # more of them are a thicket
_STILL, _ROUNDING = 1e-3, 1e-9  # of the whole way, and m or rad: what moves less until the end rests

Place = tuple[str | None, ArrayLike]  # the body whose frame it is given in, None for the world; and where [m]


def result_of(scene: Scene, plain: Result, period: float) -> Result:
    """The record of a run, with the names of its numbers; with q and v also energies, momenta and a picture."""
    tree, variables = scene.tree, dict(plain.variables)
    about = {
        "figure": "scene",
        "period": period,
        "method": scene.method,
        "unsolved_steps": plain.about["unsolved_steps"],
    }
    about |= {name: plain.about[name] for name in ("singular_ticks",) if name in plain.about}
    if scene.springs:
        about["springs"] = ", ".join(spring.label for spring in scene.springs)
    about |= {"joints": ", ".join(tree.joint_names), "pairs": ", ".join(scene.pairs.names)}
    about["pair_units"] = ", ".join(scene.pairs.units)
    about["coordinate_names"] = ", ".join(_labels(tree, _FREE_PLACE, _BALL_PLACE, ("rad", "m")))
    about["speed_names"] = ", ".join(_labels(tree, _FREE_SPEED, (), ("rad/s", "m/s")))
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
    return Result(variables, title="Scene", about=about | picture_of(tree, scene.touches, scene.springs, time, q))


# What the numbers of a free body are, in q and in v, with their units.
_FREE_PLACE = ("x [m]", "y [m]", "z [m]", "qw [-]", "qx [-]", "qy [-]", "qz [-]")
_FREE_SPEED = ("vx [m/s]", "vy [m/s]", "vz [m/s]", "wx [rad/s]", "wy [rad/s]", "wz [rad/s]")


_BALL_PLACE = _FREE_PLACE[3:]


def _labels(tree: Tree, free: Sequence[str], ball: Sequence[str], units: tuple[str, str]) -> list[str]:
    """Name and unit of every number of q or v; of balls there is a quaternion where one is named."""
    layout = tree.arrays
    labels: list[str] = []
    for body, label, kind in zip(layout.names, layout.labels, layout.kind.tolist(), strict=True):
        if kind == FREE or (kind == BALL and ball):
            labels += [f"{body} {part}" for part in (free if kind == FREE else ball)]
        elif kind in (REVOLUTE, PRISMATIC) or not ball:
            labels.append(f"{label} [{units[kind == PRISMATIC]}]")
    return labels


def _beyond_limits(tree: Tree, q: Array) -> list[str]:
    """Joints that left their limits in some recorded tick though nothing stops them there, so it is said."""
    places = q[:, tree.arrays.qi[tree.arrays.kind != FREE]]
    lower, upper = np.array([(joint.lower, joint.upper) for joint in tree.joints.values()]).reshape(-1, 2).T
    loose = np.array([joint.stop is None for joint in tree.joints.values()], dtype=bool)
    beyond = ((places < lower) | (places > upper)).any(axis=0)
    return [tree.joint_names[k] for k in np.flatnonzero(beyond & loose)]


# ------------------------------------------------------------ a picture: lines, balls and planes


def picture_of(
    tree: Tree, touches: Sequence[Touch], springs: Sequence[Spring], time: Array, q: Array
) -> dict[str, Any]:
    """Flat rows of numbers, as a result keeps them; nothing where there would be too much to see.

    "picture_times" [s]; "picture_lines", both ends of every line at every time, (times, lines, 2, 3) [m];
    "picture_balls", centres and radii, (times, balls, 4) [m]; "picture_planes", a point and the normal, (planes, 6).
    """
    lines, balls = _bodies(tree, touches)
    lines += _joined_once_more(tree, springs)
    for touch in touches:
        edges, spheres = _surface(touch.surface, touch.of)
        lines, balls = lines + edges, balls + spheres
    rows = _instants(q)
    if not lines + balls or len(lines) > MOST_LINES:
        return {}
    R, c, _ = tree._tracks(q[rows])
    world: Frame = (-1, np.zeros(3), np.eye(3))

    def where(place: Place) -> Array:
        k, origin, turn = world if place[0] is None else tree.frames[place[0]]
        inner = np.asarray(origin) + np.asarray(turn) @ np.asarray(place[1])
        return np.broadcast_to(inner, (len(rows), 3)) if k < 0 else c[:, k] + R[:, k] @ inner

    ends = [np.stack([where(a), where(b)], axis=1) for a, b in lines]
    round_ = [np.column_stack([where(at), np.full(len(rows), radius)]) for at, radius in balls]
    world_planes = [t.surface for t in touches if isinstance(t.surface, HalfSpace) and t.of is None]
    planes = [(*s.where, *np.asarray(s.normal)) for i, s in enumerate(world_planes) if s not in world_planes[:i]]
    picture = {
        "picture_times": time[rows],
        "picture_lines": np.stack(ends, axis=1).ravel() if ends else np.zeros(0),
        "picture_balls": np.stack(round_, axis=1).ravel() if round_ else np.zeros(0),
        "picture_planes": np.array(planes).ravel(),
    }
    return {name: row for name, row in picture.items() if row.size}


def _bodies(tree: Tree, touches: Sequence[Touch]) -> tuple[list[tuple[Place, Place]], list[tuple[Place, float]]]:
    """From every joint to the next; where nothing hangs, to what touches, else to the centre of mass."""
    lines: list[tuple[Place, Place]] = []
    balls: list[tuple[Place, float]] = []
    carrying = {body.parent for body in tree.bodies} | {touch.on for touch in touches}
    for body in tree.bodies:
        if body.parent is not None:
            lines.append(((body.parent, ORIGIN), (body.name, ORIGIN)))
        if body.name not in carrying and np.any(body.center):
            lines.append(((body.name, ORIGIN), (body.name, body.center)))
    for touch in touches:
        if isinstance(touch.toucher, Corners):
            lines += _edges(touch.toucher.balls[:, :3], touch.on)
            continue
        for ball in touch.toucher.balls:
            at = (touch.on, ball[:3])
            lines += [((touch.on, ORIGIN), at)] if np.any(ball[:3]) else []
            balls.append((at, float(ball[3])))
    return lines, balls


def _joined_once_more(tree: Tree, springs: Sequence[Spring]) -> list[tuple[Place, Place]]:
    """Both bodies of a loop, each to the joint between them; and springs, from end to end."""
    lines: list[tuple[Place, Place]] = []
    for loop in tree.loops:
        lines.append(((loop.body, ORIGIN), (loop.body, loop.place)))
        if loop.parent is not None:
            lines.append(((loop.parent, ORIGIN), (loop.parent, loop.position)))
    for spring in springs:
        ends: list[Place] = [
            (end.body, end.place) if isinstance(end, AtPoint) else (None, end)  # type: ignore[list-item]
            for end in (spring.first, spring.second)
        ]
        lines.append((ends[0], ends[1]))
    return [line for line in lines if line[0][0] != line[1][0] or np.any(np.subtract(line[0][1], line[1][1]))]


def _surface(surface: Surface, of: str | None) -> tuple[list[tuple[Place, Place]], list[tuple[Place, float]]]:
    """The edges of a box or a plate, the ball of a sphere."""
    if isinstance(surface, Sphere):
        return [], [((of, surface.center), surface.radius)]
    if not isinstance(surface, (Box, Plate)):
        return [], []
    half = np.append(np.asarray(surface.half_sizes, dtype=np.float64), 0.0)[:3]
    return _edges(surface.where + (SIGNS * half) @ surface.turned.T, of), []


def _edges(corners: Array, of: str | None) -> list[tuple[Place, Place]]:
    """Of a box whose corners count x, then y, then z; of a flat one each once."""
    pairs = [(i, i | bit) for bit in (1, 2, 4) for i in range(8) if not i & bit]
    seen = {tuple(sorted([tuple(corners[i]), tuple(corners[j])])) for i, j in pairs}
    return [((of, a), (of, b)) for a, b in sorted(seen) if a != b]


def _instants(q: Array) -> Array:
    """Rows at equal times, from the first to where it comes to rest."""
    away = np.abs(q - q[-1]).max(axis=1, initial=0.0)
    moving = np.flatnonzero(away > max(_STILL * away.max(), _ROUNDING))
    last = min(int(moving[-1]) + 1, len(q) - 1) if moving.size else 0
    return np.unique(np.linspace(0, last, INSTANTS).round().astype(np.int64))
