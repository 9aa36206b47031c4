"""The arrays that the kernels run on: moving bodies only, each in a frame at its centre of mass, z along its joint.

Bodies on `Fixed` joints are lumped into what carries them. A joint of several degrees is several rows: massless ones,
each on a joint of one degree, and the body itself last. Coordinates change at the border for free bodies only:
outside, the place and velocity of the body's frame; inside, those of its centre of mass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partialmethod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tegotae.checks import Array
from tegotae.multibody.kernels.kinematics import ARMATURE, BALL, BALL_X, FREE, PRISMATIC, REVOLUTE
from tegotae.rotations import (
    normalised,
    product,
    quaternion_about,
    turned_rows,
)

if TYPE_CHECKING:
    pass


LOST = 1e9  # rad: who turns so far in a tick is nowhere

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


class Following(NamedTuple):
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
    gears: tuple[Following, ...] = ()

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
        return int(coordinates_of(self.kind).sum())

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

    @cached_property
    def armed(self) -> bool:
        """Whether any joint has an armature."""
        return bool((self.C[:, ARMATURE] > 0.0).any())

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


def coordinates_of(kind: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many coordinates each row brings; those of a ball come with its first axis."""
    counts = np.ones(len(kind), dtype=np.int64)
    counts[kind == FREE], counts[kind == BALL_X], counts[kind > BALL_X] = 7, 4, 0
    return counts


def _unit(quaternion: Array) -> Array:
    return np.asarray(quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True))
