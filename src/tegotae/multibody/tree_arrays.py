"""The arrays that the kernels run on: moving bodies only, each in a frame at its centre of mass, z along its joint.

Bodies on `Fixed` joints are lumped into what carries them. A joint of several degrees is several rows: massless ones,
each on a joint of one degree, and the body itself last. Coordinates change at the border for free bodies only:
outside, the place and velocity of the body's frame; inside, those of its centre of mass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partialmethod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tegotae.checks import SMALLEST, Array
from tegotae.multibody.bodies import Body
from tegotae.multibody.joint_kinds import Fixed, Free, OneDegree, Prismatic, Turn
from tegotae.multibody.kernels.kinematics import ARMATURE, BALL, BALL_X, CONSTANTS, FREE, PRISMATIC, REVOLUTE
from tegotae.rotations import (
    cross_matrix,
    frame_along,
    matrix_of,
    normalised,
    product,
    quaternion_about,
    rotation_about,
    turned_rows,
)

if TYPE_CHECKING:
    from tegotae.multibody.loops import Loop

NONE = 1e-12  # relative: a joint that feels less than this of all the inertia behind it feels none

LOST = 1e9  # rad: who turns so far in a tick is nowhere

Lumps = dict[str, tuple[float, Array, Array]]  # body that moves -> mass, centre and inertia of what it is one with
Carried = dict[str, tuple[str | None, Array, Array]]  # see `_carried`
Frame = tuple[int, Array, Array]  # moving body (-1: the world), place of an origin in it, rotation in it


class Weld(NamedTuple):
    """A loop: (row or -1, place, rotation) of the frame that its joint carries, and of the body's frame there, both in
    internal frames.
    """

    ends: tuple[Frame, Frame]

    @property
    def rows(self) -> tuple[int, int]:
        """Of the two bodies."""
        return self.ends[0][0], self.ends[1][0]

    @property
    def numbers(self) -> Array:
        """Both frames."""
        return np.concatenate([np.concatenate([place, np.ravel(turn)]) for _, place, turn in self.ends])


class Gear(NamedTuple):
    """A joint that follows another: q of the first row = ratio times q of the second + offset."""

    rows: tuple[int, int]
    ratio: float
    offset: float


@dataclass(frozen=True, eq=False)
class TreeArrays:
    """A tree as numbers.

    Args:
        names: of the bodies that the rows belong to, parents first.
        labels: of the rows: the body's name, or that of one degree of its joint.
        parent: index of the row that carries each; -1 is the world.
        kind: 0 revolute, 1 prismatic, 2 free; 3, 4, 5 the three axes of a ball joint, one after the other.
        qi: first index in q of each.
        vi: first index in v of each.
        C: constants of each [m, kg, kg·m²]: 0:9 A, rotation of the joint's frame (z = axis) at q = 0 in the parent's
            internal frame, row major; 9:12 d1, from the parent's centre of mass to the joint, in the parent's frame;
            12:15 r1, from the joint to the own centre of mass, in the own frame; 15 mass; 16:22 inertia xx, yy, zz,
            xy, xz, yz about the centre of mass; 22 armature of the joint; 23 the least inertia that it moves, 0 if
            nobody knows.
        center: centre of mass of each in the frame of the body that the user named [m].
        frames: name of any body -> (moving body or -1, origin of its frame, rotation of its frame), the latter two
            in the internal frame.
        welds: of loops.
        gears: of joints that follow others.
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    parent: NDArray[np.int64]
    kind: NDArray[np.int64]
    qi: NDArray[np.int64]
    vi: NDArray[np.int64]
    C: Array
    center: Array
    frames: dict[str, Frame]
    welds: tuple[Weld, ...] = ()
    gears: tuple[Gear, ...] = ()

    @cached_property
    def joint_rows(self) -> list[int]:
        """Rows on joints of one degree, in their order."""
        return [k for k, kind in enumerate(self.kind.tolist()) if kind != FREE]

    @cached_property
    def free_speeds(self) -> list[int]:
        """Speeds of bodies that fly."""
        return [int(o) + j for o in self.vi[self.kind == FREE] for j in range(6)]

    @cached_property
    def nq(self) -> int:
        """How many numbers a configuration has."""
        return int(_coordinates(self.kind).sum())

    @cached_property
    def nv(self) -> int:
        """How many numbers a velocity has."""
        return int(np.where(self.kind == FREE, 6, 1).sum())

    @cached_property
    def units(self) -> Array:
        """Of each speed what is a large motion: 1 rad, or the length of the machine [m]."""
        ways = [*self.C[:, 9:12], *self.C[:, 12:15], *(place for weld in self.welds for _, place, _ in weld.ends)]
        longest = max((float(np.linalg.norm(way)) for way in ways), default=0.0)
        units, length = np.ones(self.nv), longest if longest > 0.0 else 1.0
        units[self.vi[self.kind == PRISMATIC]] = length
        for o in self.vi[self.kind == FREE]:
            units[o : o + 3] = length
        return units

    @cached_property
    def root(self) -> NDArray[np.int64]:
        """Of each body the one at the foot of its tree, which the world carries, and of all that loops and gears join
        to it: others do not move it.
        """
        root = self._own_root.copy()
        for one, two in [*(weld.rows for weld in self.welds), *(gear.rows for gear in self.gears)]:
            if one >= 0 and two >= 0:
                low, high = sorted((root[one], root[two]))
                root[root == high] = low
        return root

    @cached_property
    def _own_root(self) -> NDArray[np.int64]:
        root = np.arange(len(self.parent))
        for k, parent in enumerate(self.parent):
            if parent >= 0:
                root[k] = root[parent]
        return root

    @cached_property
    def floats(self) -> NDArray[np.int64]:
        """1 for a free body at the foot of a tree that nothing joins to the world, nor to other trees."""
        apart = np.array([len(set(self._own_root[self.root == k])) == 1 for k in range(len(self.parent))], dtype=bool)
        held = [self.root[weld.rows[1]] for weld in self.welds if weld.rows[0] < 0]
        apart[held] = False
        return np.asarray((self.kind == FREE) & apart, dtype=np.int64)

    def no_turn(self, q: Array) -> str:
        """The body whose quaternion in q (..., nq) has no length, "" if all have."""
        for k, i in self.quaternions:
            if not (np.linalg.norm(np.asarray(q)[..., i : i + 4], axis=-1) > 0.0).all():
                return self.names[k]
        return ""

    @cached_property
    def quaternions(self) -> list[tuple[int, int]]:
        """Rows of free bodies and of balls, and where the quaternion of each begins in q."""
        rows = [k for k, kind in enumerate(self.kind.tolist()) if kind in (FREE, BALL)]
        return [(k, int(self.qi[k]) + (3 if self.kind[k] == FREE else 0)) for k in rows]

    def moved(self, q: Array, v: Array, time: float) -> Array:
        """A configuration moved on for a time [s] at constant speeds, both as the kernels count them."""
        found = np.array(q, dtype=np.float64)
        for kind, i, o in zip(self.kind.tolist(), self.qi.tolist(), self.vi.tolist(), strict=True):
            if kind in (REVOLUTE, PRISMATIC):
                found[i] += time * v[o]
            elif kind == FREE:
                found[i : i + 3] += time * v[o : o + 3]
                _turn(found[i + 3 : i + 7], time * v[o + 3 : o + 6])
            elif kind == BALL:
                _turn(found[i : i + 4], time * v[o - 2 : o + 1])
        return found

    def _shifted(self, q: Array, v: Array, sign: float) -> tuple[Array, Array]:
        q, v = np.array(q, dtype=np.float64), np.array(v, dtype=np.float64)
        for _, i in self.quaternions:
            q[..., i : i + 4] = _unit(q[..., i : i + 4])
        for i, j, arm in self._arms(q):
            q[..., i : i + 3] += sign * arm
            v[..., j : j + 3] += sign * np.cross(v[..., j + 3 : j + 6], arm)
        return q, v

    def _accelerated(self, q: Array, v: Array, a: Array, sign: float) -> Array:
        a = np.array(a, dtype=np.float64)
        for _, j, arm in self._arms(np.asarray(q)):
            turn = np.asarray(v)[..., j + 3 : j + 6]
            a[..., j : j + 3] += sign * (np.cross(a[..., j + 3 : j + 6], arm) + np.cross(turn, np.cross(turn, arm)))
        return a

    def _levered(self, q: Array, force: Array, sign: float) -> Array:
        force = np.array(force, dtype=np.float64)
        for _, j, arm in self._arms(np.asarray(q)):
            force[..., j + 3 : j + 6] -= sign * np.cross(arm, force[..., j : j + 3])
        return force

    def _arms(self, q: Array) -> Iterator[tuple[int, int, Array]]:
        """Of each free body: where it is in q and v, and the vector from its origin to its centre of mass."""
        for k in np.flatnonzero(self.kind == FREE):
            i, j = int(self.qi[k]), int(self.vi[k])
            yield i, j, turned_rows(_unit(q[..., i + 3 : i + 7]), self.center[k])

    # From the user's numbers to the kernels', and back: copies, with any leading axes; quaternions get length 1. q and
    # v beside accelerations and forces may be either's. Forces on free bodies act at their origins, or centres of mass.
    inner = partialmethod(_shifted, sign=1.0)
    outer = partialmethod(_shifted, sign=-1.0)
    inner_acceleration = partialmethod(_accelerated, sign=1.0)
    outer_acceleration = partialmethod(_accelerated, sign=-1.0)
    inner_force = partialmethod(_levered, sign=1.0)
    outer_force = partialmethod(_levered, sign=-1.0)


def _turn(quaternion: Array, vector: Array) -> None:
    """Turn a quaternion in place by a rotation vector [rad] along the axes that it is told in."""
    x, y, z = vector.tolist()
    turned = product(quaternion_about(x, y, z), quaternion.tolist()) if abs(x) + abs(y) + abs(z) < LOST else ()
    if any(turned):
        quaternion[:] = normalised(turned)


def _coordinates(kind: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many coordinates each row brings; those of a ball come with its first axis."""
    counts = np.ones(len(kind), dtype=np.int64)
    counts[kind == FREE], counts[kind == BALL_X], counts[kind > BALL_X] = 7, 4, 0
    return counts


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
    coordinates, speeds = _coordinates(kind), np.where(kind == FREE, 6, 1)
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


def _gears(rows: Sequence[_Row]) -> Iterator[Gear]:
    number = {row.degree.name: k for k, row in enumerate(rows) if row.degree is not None}
    for k, row in enumerate(rows):
        if row.degree is not None and (mimic := row.degree.mimic) is not None:
            yield Gear((k, number[mimic.joint]), mimic.ratio, mimic.offset)


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


def _unit(quaternion: Array) -> Array:
    return np.asarray(quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True))


def without_inertia(layout: TreeArrays, q: Array | None = None) -> list[int]:
    """Moving bodies whose joint moves without inertia: the articulated inertia there is singular.

    Looked at where q says, or in one configuration without any symmetry, since special ones (an arm stretched along its
    axis) may be singular where the machine is not.
    """
    masses, inertias = layout.C[:, 15], np.array([_inertia(c) for c in layout.C]).reshape(-1, 3, 3)
    if (masses > 0.0).all() and (np.linalg.eigvalsh(inertias)[:, 0] > 0.0).all():
        return []  # every body has inertia of its own
    angles = 1.0 + np.modf(np.arange(masses.size) * 0.6180339887498949)[0] if q is None else q[layout.qi]
    felt = np.zeros((masses.size, 6, 6))  # with the joints behind loose
    felt[:, :3, :3], felt[:, 3:, 3:] = masses[:, None, None] * np.eye(3), inertias
    rigid = felt.copy()  # with the joints behind locked: the measure of what is small
    found = []
    for k in range(masses.size - 1, -1, -1):
        if layout.kind[k] == FREE:
            if _is_singular(felt[k], rigid[k]):
                found.append(k)
            continue
        S, X = _motion(layout, k, angles, q)
        D, parent = float(S @ felt[k] @ S + layout.C[k, ARMATURE]), int(layout.parent[k])
        to_joint = np.eye(6)
        to_joint[:3, 3:] = -cross_matrix(layout.C[k, 12:15])
        at_joint = to_joint.T @ rigid[k] @ to_joint
        bound = at_joint[0, 0] if layout.kind[k] == PRISMATIC else np.trace(at_joint[3:, 3:])
        bound += layout.C[k, ARMATURE]
        if parent >= 0:
            rigid[parent] += X.T @ rigid[k] @ X
        if max(NONE * bound, 0.0) >= D:
            found.append(k)
        elif parent >= 0:
            felt[parent] += X.T @ (felt[k] - np.outer(felt[k] @ S, felt[k] @ S) / D) @ X
    return found[::-1]


def _is_singular(felt: Array, rigid: Array) -> bool:
    """Whether a free body can be moved in some way without effort; lengths are measured in radii of gyration."""
    mass, spread = rigid[0, 0], np.trace(rigid[3:, 3:])
    if mass <= 0.0 or spread <= SMALLEST * mass:  # a point, of no size that numbers can tell
        return True
    units = np.repeat([1.0, np.sqrt(mass / spread)], 3)
    moments = np.linalg.eigvalsh(felt * np.outer(units, units))
    return bool(moments[0] <= NONE * mass)


def _motion(layout: TreeArrays, k: int, angles: Array, q: Array | None) -> tuple[Array, Array]:
    """How the own centre moves (velocity, turn; own axes) with the joint, and with the parent's centre."""
    c, kind = layout.C[k], int(layout.kind[k])
    A, d1, r1 = c[:9].reshape(3, 3), c[9:12], c[12:15]
    z, zero, turn, slide = np.array([0.0, 0.0, 1.0]), np.zeros(3), np.eye(3), 0.0
    if kind == REVOLUTE:
        turn = rotation_about(angles[k] * z)
    elif kind == PRISMATIC:
        slide = float(angles[k])
    elif kind == BALL and q is not None:
        turn = matrix_of(_unit(q[layout.qi[k] : layout.qi[k] + 4]).tolist())
    R, axis = A @ turn, turn.T @ z
    S = np.concatenate([axis, zero] if kind == PRISMATIC else [np.cross(axis, r1), axis])
    arm = d1 + R @ (r1 + slide * z)
    X = np.zeros((6, 6))
    X[:3, :3] = X[3:, 3:] = R.T
    X[:3, 3:] = -R.T @ cross_matrix(arm)
    return S, X


def _inertia(c: Array) -> Array:
    xx, yy, zz, xy, xz, yz = c[16:22]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
