"""From bodies, joints and loops to the arrays of a tree: which rows there are, and what each weighs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tegotae.checks import Array
from tegotae.multibody.bodies import Body
from tegotae.multibody.joint_kinds import Fixed, Free, OneDegree, Prismatic, Turn
from tegotae.multibody.kernels.kinematics import BALL, BALL_X, CONSTANTS, FREE, PRISMATIC, REVOLUTE
from tegotae.multibody.tree_arrays import Following, Frame, TreeArrays, Weld, coordinates_of
from tegotae.rotations import frame_along

if TYPE_CHECKING:
    from tegotae.multibody.loops import Loop

Lumps = dict[str, tuple[float, Array, Array]]  # body that moves -> mass, centre and inertia of what it is one with
Carried = dict[str, tuple[str | None, Array, Array]]  # see `_carried`


class _Row(NamedTuple):
    """A row of the arrays: the body it belongs to, the degree of its joint (None: it flies), if it has the mass."""

    body: Body
    degree: OneDegree | None
    kind: int
    last: bool


def _rows(body: Body) -> list[_Row]:
    if body.flies:
        return [_Row(body, None, FREE, True)]
    found, turns = [], 0
    for degree in body.degrees:
        kind = PRISMATIC if isinstance(degree, Prismatic) else REVOLUTE
        if isinstance(degree, Turn):
            kind, turns = BALL_X + turns, turns + 1
        found.append(_Row(body, degree, kind, degree is body.degrees[-1]))
    return found


def arrays_of(bodies: Sequence[Body], loops: Sequence[Loop] = ()) -> TreeArrays:
    """Lump, number and express every moving body in its internal frame; parents come first, what loops carry last."""
    bodies = [*bodies, *(loop.stub for loop in loops if loop.stub is not None)]
    carried = _carried(bodies)
    rows = [row for body in bodies if not isinstance(body.joint, Fixed) for row in _rows(body)]
    number = {row.body.name: k for k, row in enumerate(rows) if row.last}
    groups: dict[str, list[tuple[Body, Array, Array]]] = {name: [] for name in number}
    for body in bodies:
        carrier, place, turn = carried[body.name]
        if carrier is not None:
            groups[carrier].append((body, place, turn))
    lumps = {name: _lump(group) for name, group in groups.items()}
    _share(loops, carried, lumps)
    # Of each internal frame, as columns in the body's: z along the joint's axis. That of a ball has the body's axes.
    axes = [np.eye(3) if r.degree is None or r.kind == BALL else frame_along(r.degree.axis) for r in rows]
    frames: dict[str, Frame] = {}
    for body in bodies:
        carrier, place, turn = carried[body.name]
        if carrier is None:
            frames[body.name] = (-1, place, turn)
        else:
            S = axes[number[carrier]]
            frames[body.name] = (number[carrier], S.T @ (place - lumps[carrier][1]), S.T @ turn)
    kind = np.array([row.kind for row in rows], dtype=np.int64)
    coordinates, speeds = coordinates_of(kind), np.where(kind == FREE, 6, 1)
    first = np.cumsum(coordinates, dtype=np.int64) - coordinates
    for k in np.flatnonzero(kind > BALL_X):
        first[k] = first[k - 1]
    return TreeArrays(
        names=tuple(row.body.name for row in rows),
        labels=tuple(_label(row) for row in rows),
        parent=np.array(_parents(rows, frames), dtype=np.int64),
        kind=kind,
        qi=first,
        vi=np.cumsum(speeds, dtype=np.int64) - speeds,
        C=np.array([_constants(rows, k, lumps, axes, frames) for k in range(len(rows))]).reshape(-1, CONSTANTS),
        center=np.array([lumps[row.body.name][1] if row.last else np.zeros(3) for row in rows]).reshape(-1, 3),
        frames=frames,
        welds=tuple(_weld(loop, frames) for loop in loops),
        gears=tuple(_gears(rows)),
    )


def _share(loops: Sequence[Loop], carried: Carried, lumps: Lumps) -> None:
    """A body that loops carry is cut into equal parts, one for each joint that carries it, in the same place."""
    cut: dict[str, list[Loop]] = {}
    for loop in loops:
        carrier = carried[loop.body][0]
        if carrier is not None and loop.stub is not None:
            cut.setdefault(carrier, []).append(loop)
    for carrier, parts in cut.items():
        mass, center, inertia = lumps[carrier]
        n = len(parts) + 1
        lumps[carrier] = (mass / n, center, inertia / n)
        for loop in parts:
            _, place, turn = carried[loop.body]
            at, R = place + turn @ np.asarray(loop.place), turn @ np.asarray(loop.turn)
            lumps[loop.name] = (mass / n, R.T @ (center - at), R.T @ inertia @ R / n)


def _weld(loop: Loop, frames: dict[str, Frame]) -> Weld:
    k, place, turn = frames[loop.body]
    there = (k, place + turn @ np.asarray(loop.place), turn @ np.asarray(loop.turn))
    if loop.stub is not None:
        return Weld((frames[loop.name], there))
    world: Frame = (-1, np.zeros(3), np.eye(3))
    k, place, turn = world if loop.parent is None else frames[loop.parent]
    return Weld(((k, place + turn @ np.asarray(loop.position), turn @ np.asarray(loop.rotation)), there))


def _gears(rows: Sequence[_Row]) -> Iterator[Following]:
    number = {row.degree.name: k for k, row in enumerate(rows) if row.degree is not None}
    for k, row in enumerate(rows):
        if row.degree is not None and (mimic := row.degree.mimic) is not None:
            yield Following((k, number[mimic.joint]), mimic.ratio, mimic.offset)


def _label(row: _Row) -> str:
    if row.degree is None or len(row.body.degrees) == 1:
        return row.body.name
    return f"{row.body.name}{str(row.degree.name).removeprefix(row.body.joint_name)}"


def _parents(rows: Sequence[_Row], frames: dict[str, Frame]) -> list[int]:
    """Row that carries each: that before it in the same joint, or the last of its parent."""
    found = []
    for k, row in enumerate(rows):
        first = k == 0 or rows[k - 1].last
        found.append((-1 if row.body.parent is None else frames[row.body.parent][0]) if first else k - 1)
    return found


def _carried(bodies: Sequence[Body]) -> dict[str, tuple[str | None, Array, Array]]:
    """Name -> (the moving body it is one with or None for the world, its origin and its axes in the latter's frame)."""
    found: dict[str, tuple[str | None, Array, Array]] = {}
    for body in bodies:
        if not isinstance(body.joint, Fixed):
            found[body.name] = (body.name, np.zeros(3), np.eye(3))
            continue
        carrier, place, turn = (None, np.zeros(3), np.eye(3)) if body.parent is None else found[body.parent]
        found[body.name] = (carrier, place + turn @ np.asarray(body.position), turn @ np.asarray(body.rotation))
    return found


def _lump(group: list[tuple[Body, Array, Array]]) -> tuple[float, Array, Array]:
    """Mass, centre of mass and inertia about it, of bodies that are one; in the frame of the one that moves."""
    mass = sum(body.mass for body, _, _ in group)
    centers = [place + turn @ np.asarray(body.center) for body, place, turn in group]
    # Where there is no mass, any point is its centre: that of the frame.
    center = sum((b.mass * c for (b, _, _), c in zip(group, centers, strict=True)), np.zeros(3))
    center = center / mass if mass != 0.0 else np.zeros(3)
    inertia = np.zeros((3, 3))
    for (body, _, turn), c in zip(group, centers, strict=True):
        tensor = np.asarray(body.inertia)
        d = c - center
        inertia += turn @ ((tensor + tensor.T) / 2.0) @ turn.T + body.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return mass, center, inertia


def _constants(rows: Sequence[_Row], k: int, lumps: Lumps, axes: list[Array], frames: dict[str, Frame]) -> Array:
    """See `TreeArrays`."""
    row, S = rows[k], axes[k]
    mass, center, inertia = lumps[row.body.name] if row.last else (0.0, np.zeros(3), np.zeros((3, 3)))
    A, d1, r1 = np.eye(3), np.zeros(3), S.T @ center
    if row.degree is None:
        r1 = np.zeros(3)
    elif k == 0 or rows[k - 1].last:
        body = row.body
        place, turn = (np.zeros(3), np.eye(3)) if body.parent is None else frames[body.parent][1:]
        A, d1 = turn @ S, place
        if not isinstance(body.joint, Free):  # whose coordinates say where it is in its parent's frame
            A, d1 = turn @ np.asarray(body.rotation) @ S, place + turn @ np.asarray(body.position)
    else:
        A = axes[k - 1].T @ S
    tensor = S.T @ inertia @ S
    armature = 0.0 if row.degree is None else row.degree.armature
    felt = armature + _least(rows, k, lumps, S)
    matter = (mass, *np.diag(tensor), tensor[0, 1], tensor[0, 2], tensor[1, 2])
    return np.array([*A.ravel(), *d1, *r1, *matter, armature, felt])


def _least(rows: Sequence[_Row], k: int, lumps: Lumps, S: Array) -> float:
    """The least inertia [kg·m², kg] that the joint of a row moves, of the body it belongs to."""
    mass, center, inertia = lumps[rows[k].body.name]
    if rows[k].kind == PRISMATIC:
        return mass
    if rows[k].kind == FREE or not (rows[k].last and rows[k].kind == REVOLUTE):
        return max(float(np.linalg.eigvalsh(inertia)[0]), 0.0)
    axis, arm = S[:, 2], np.cross(S[:, 2], center)
    return float(axis @ inertia @ axis + mass * (arm @ arm))
