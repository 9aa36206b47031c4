"""The arrays that the kernels run on: moving bodies only, each in a frame at its centre of mass, z along its joint.

Bodies on `Fixed` joints are lumped into what carries them. Coordinates change at the border for free bodies only:
outside, the place and velocity of the body's frame; inside, those of its centre of mass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partialmethod

import numpy as np
from numpy.typing import NDArray

from tegotae.checks import SMALLEST, Array
from tegotae.multibody.bodies import Body, Fixed, Free, OneDegree, Prismatic, Revolute
from tegotae.rotations import (
    cross_matrix,
    frame_along,
    normalised,
    product,
    quaternion_about,
    rotation_about,
    turned_rows,
)

REVOLUTE, PRISMATIC, FREE = 0, 1, 2
NONE = 1e-12  # relative: a joint that feels less than this of all the inertia behind it feels none

LOST = 1e9  # rad: who turns so far in a tick is nowhere

Frame = tuple[int, Array, Array]  # moving body (-1: the world), place of an origin in it, rotation in it


@dataclass(frozen=True, eq=False)
class TreeArrays:
    """A tree as numbers.

    Args:
        names: of the moving bodies, parents first.
        parent: index of the moving body that carries each; -1 is the world.
        kind: 0 revolute, 1 prismatic, 2 free.
        qi: first index in q of each.
        vi: first index in v of each.
        C: constants of each [m, kg, kg·m²]: 0:9 A, rotation of the joint's frame (z = axis) at q = 0 in the parent's
            internal frame, row major; 9:12 d1, from the parent's centre of mass to the joint, in the parent's frame;
            12:15 r1, from the joint to the own centre of mass, in the own frame; 15 mass; 16:22 inertia xx, yy, zz,
            xy, xz, yz about the centre of mass.
        center: centre of mass of each in the frame of the body that the user named [m].
        frames: name of any body -> (moving body or -1, origin of its frame, rotation of its frame), the latter two
            in the internal frame.
    """

    names: tuple[str, ...]
    parent: NDArray[np.int64]
    kind: NDArray[np.int64]
    qi: NDArray[np.int64]
    vi: NDArray[np.int64]
    C: Array
    center: Array
    frames: dict[str, Frame]

    @cached_property
    def nq(self) -> int:
        """How many numbers a configuration has."""
        return int(np.where(self.kind == FREE, 7, 1).sum())

    @cached_property
    def nv(self) -> int:
        """How many numbers a velocity has."""
        return int(np.where(self.kind == FREE, 6, 1).sum())

    @cached_property
    def root(self) -> NDArray[np.int64]:
        """Of each body the one at the foot of its tree, which the world carries: trees do not move each other."""
        root = np.arange(len(self.parent))
        for k, parent in enumerate(self.parent):
            if parent >= 0:
                root[k] = root[parent]
        return root

    def no_turn(self, q: Array) -> str:
        """The free body whose quaternion in q (..., nq) has no length, "" if all have."""
        for k in np.flatnonzero(self.kind == FREE):
            i = int(self.qi[k])
            if not (np.linalg.norm(np.asarray(q)[..., i + 3 : i + 7], axis=-1) > 0.0).all():
                return self.names[k]
        return ""

    def moved(self, q: Array, v: Array, time: float) -> Array:
        """A configuration moved on for a time [s] at constant speeds, both as the kernels count them."""
        found = np.array(q, dtype=np.float64)
        for kind, i, o in zip(self.kind.tolist(), self.qi.tolist(), self.vi.tolist(), strict=True):
            if kind != FREE:
                found[i] += time * v[o]
                continue
            found[i : i + 3] += time * v[o : o + 3]
            x, y, z = (time * v[o + 3 : o + 6]).tolist()
            here = found[i + 3 : i + 7].tolist()
            turned = product(quaternion_about(x, y, z), here) if abs(x) + abs(y) + abs(z) < LOST else ()
            if any(turned):
                found[i + 3 : i + 7] = normalised(turned)
        return found

    def _shifted(self, q: Array, v: Array, sign: float) -> tuple[Array, Array]:
        q, v = np.array(q, dtype=np.float64), np.array(v, dtype=np.float64)
        for i, j, arm in self._arms(q):
            q[..., i + 3 : i + 7] = _unit(q[..., i + 3 : i + 7])
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


def arrays_of(bodies: Sequence[Body]) -> TreeArrays:
    """Lump, number and express every moving body in its internal frame; parents come first."""
    carried = _carried(bodies)
    moving = [body for body in bodies if not isinstance(body.joint, Fixed)]
    number = {body.name: k for k, body in enumerate(moving)}
    groups: dict[str, list[tuple[Body, Array, Array]]] = {body.name: [] for body in moving}
    for body in bodies:
        carrier, place, turn = carried[body.name]
        if carrier is not None:
            groups[carrier].append((body, place, turn))
    lumps = {name: _lump(group) for name, group in groups.items()}
    # Of each internal frame, as columns in the body's: z along the joint's axis.
    axes = {b.name: frame_along(b.joint.axis) if isinstance(b.joint, OneDegree) else np.eye(3) for b in moving}
    frames: dict[str, Frame] = {}
    for body in bodies:
        carrier, place, turn = carried[body.name]
        if carrier is None:
            frames[body.name] = (-1, place, turn)
        else:
            S = axes[carrier]
            frames[body.name] = (number[carrier], S.T @ (place - lumps[carrier][1]), S.T @ turn)
    C = np.array([_constants(body, lumps[body.name], axes[body.name], frames) for body in moving]).reshape(-1, 22)
    kind = np.array([_kind(body) for body in moving], dtype=np.int64)
    coordinates, speeds = np.where(kind == FREE, 7, 1), np.where(kind == FREE, 6, 1)
    return TreeArrays(
        names=tuple(number),
        parent=np.array([-1 if b.parent is None else frames[b.parent][0] for b in moving], dtype=np.int64),
        kind=kind,
        qi=np.cumsum(coordinates, dtype=np.int64) - coordinates,
        vi=np.cumsum(speeds, dtype=np.int64) - speeds,
        C=C,
        center=np.array([lumps[body.name][1] for body in moving]).reshape(-1, 3),
        frames=frames,
    )


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


def _constants(body: Body, lump: tuple[float, Array, Array], S: Array, frames: dict[str, Frame]) -> Array:
    mass, center, inertia = lump
    place, turn = (np.zeros(3), np.eye(3)) if body.parent is None else frames[body.parent][1:]
    A, d1, r1 = turn @ np.asarray(body.rotation) @ S, place + turn @ np.asarray(body.position), S.T @ center
    if isinstance(body.joint, Free):
        A, d1, r1 = np.eye(3), np.zeros(3), np.zeros(3)
    tensor = S.T @ inertia @ S
    return np.array([*A.ravel(), *d1, *r1, mass, *np.diag(tensor), tensor[0, 1], tensor[0, 2], tensor[1, 2]])


def _kind(body: Body) -> int:
    return REVOLUTE if isinstance(body.joint, Revolute) else PRISMATIC if isinstance(body.joint, Prismatic) else FREE


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
        S, X = _motion(layout.C[k], int(layout.kind[k]), float(angles[k]))
        D, parent = float(S @ felt[k] @ S), int(layout.parent[k])
        to_joint = np.eye(6)
        to_joint[:3, 3:] = -cross_matrix(layout.C[k, 12:15])
        at_joint = to_joint.T @ rigid[k] @ to_joint
        bound = at_joint[0, 0] if layout.kind[k] == PRISMATIC else np.trace(at_joint[3:, 3:])
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


def _motion(c: Array, kind: int, q: float) -> tuple[Array, Array]:
    """How the own centre moves (velocity, turn; own axes) with the joint, and with the parent's centre."""
    A, d1, r1 = c[:9].reshape(3, 3), c[9:12], c[12:15]
    z, zero = np.array([0.0, 0.0, 1.0]), np.zeros(3)
    if kind == REVOLUTE:
        R = A @ rotation_about(q * z)
        S, arm = np.concatenate([np.cross(z, r1), z]), d1 + R @ r1
    else:
        R, S = A, np.concatenate([z, zero])
        arm = d1 + R @ (r1 + q * z)
    X = np.zeros((6, 6))
    X[:3, :3] = X[3:, 3:] = R.T
    X[:3, 3:] = -R.T @ cross_matrix(arm)
    return S, X


def _inertia(c: Array) -> Array:
    xx, yy, zz, xy, xz, yz = c[16:22]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
