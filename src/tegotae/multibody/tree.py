"""Trees of rigid bodies."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.multibody.bodies import Body, LooseBody
from tegotae.multibody.dynamics import Dynamics
from tegotae.multibody.joint_kinds import Fixed, Free, OneDegree, prefixed
from tegotae.multibody.loops import Closing, Loop, check_loops
from tegotae.multibody.tree_arrays import Frame, TreeArrays
from tegotae.multibody.tree_building import arrays_of
from tegotae.rotations import quaternion_of

OWNER = "Tree"


@dataclass(frozen=True)
class Tree(Dynamics, Closing):
    """Rigid bodies joined to each other: one machine, or several.

    Coordinates follow the bodies, parents first and otherwise in the order given. A `Revolute` or `Prismatic` joint
    has one: angle [rad] or displacement [m]; `Universal`, `Cylindrical` and `Planar` joints have two or three such. A
    `Spherical` joint has a quaternion (w, x, y, z) in q and an angular velocity [rad/s] in v. A `Free` body has 7 in q:
    position of its frame's origin [m] and quaternion; and 6 in v: velocity of that origin [m/s] and angular velocity
    [rad/s], in world axes, or as seen from its parent.

    Args:
        bodies: each names its parent; a body on a `Fixed` joint without a parent stands in the world.
        gravity: acceleration of a falling body, in world axes [m/s²].
        loops: joints that carry bodies once more.

    Example:
        >>> from tegotae.multibody import Body, Revolute, Tree
        >>> upper = Body(name="upper", mass=1.0, center=(0, 0, -0.5), joint=Revolute(axis=(0, 1, 0)))
        >>> lower = Body(name="lower", mass=1.0, center=(0, 0, -0.5), joint=Revolute(axis=(0, 1, 0)),
        ...              parent="upper", position=(0, 0, -1))
        >>> tree = Tree([upper, lower])
        >>> tree.joint_names, tree.nq, tree.nv
        (('upper', 'lower'), 2, 2)
    """

    bodies: Sequence[Body]
    gravity: ArrayLike = field(default=(0.0, 0.0, -9.81), kw_only=True)
    loops: Sequence[Loop] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        values = self.__dict__
        values["gravity"] = tuple(checks.vector(OWNER, "gravity", self.gravity, "m/s²", 3).tolist())
        values["bodies"] = _sorted(checks.several(OWNER, "bodies", self.bodies, Body, "Give a list of Body(...)."))
        values["loops"] = checks.several(OWNER, "loops", self.loops, Loop, "Give a list of Loop(...).")
        check_loops(self.bodies, self.loops)
        for problem, remedy, names in self._inertialess:
            if not all(isinstance(body, LooseBody) for body in self.bodies if body.name in names):
                checks.refuse(OWNER, problem, remedy)

    @cached_property
    def arrays(self) -> TreeArrays:
        """The arrays that the kernels run on."""
        return arrays_of(self.bodies, self.loops)

    @cached_property
    def all_bodies(self) -> tuple[Body, ...]:
        """Its bodies, and what the joints of its loops carry."""
        return (*self.bodies, *(loop.stub for loop in self.loops if loop.stub is not None))

    @property
    def nq(self) -> int:
        """How many numbers a configuration q has."""
        return self.arrays.nq

    @property
    def nv(self) -> int:
        """How many numbers a velocity v, an acceleration or a force has."""
        return self.arrays.nv

    @property
    def frames(self) -> Mapping[str, Frame]:
        """Name of a body -> (moving body or -1, place and rotation of its frame in the internal frame)."""
        return self.arrays.frames

    @cached_property
    def joints(self) -> Mapping[str, OneDegree]:
        """The joints of one degree by name, in the order of v, and those that others are made of."""
        return {str(degree.name): degree for body in self.all_bodies for degree in body.degrees}

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints of one degree, and of those that others are made of, in the order of v."""
        return tuple(self.joints)

    @property
    def mass(self) -> float:
        """Of all bodies that can move [kg]."""
        return float(self.arrays.C[:, 15].sum())

    @property
    def flaws(self) -> tuple[str, ...]:
        """What no real machine has, in words: only bodies read from files (`LooseBody`) may bring some."""
        loose = [f"body {b.name!r}: {flaw}" for b in self.bodies if isinstance(b, LooseBody) for flaw in b.flaws]
        return (*loose, *(problem for problem, _, _ in self._inertialess))

    def neutral(self) -> Array:
        """The configuration q in which every joint is at 0 and every free body where it was placed; of a tree with
        loops the nearest one in which they are closed.
        """
        return self.closed() if self.has_conditions else self._at_zero()

    def _at_zero(self) -> Array:
        q, first = np.zeros(self.nq), self.arrays.qi
        placed = {body.name: body for body in self.all_bodies}
        for k, i in self.arrays.quaternions:
            body = placed[self.arrays.names[k]]
            q[i] = 1.0
            if isinstance(body.joint, Free):
                slides = range(i - 3, i) if body.flies else first[k - 5 : k - 2]
                q[list(slides)] = body.position
                q[i : i + 4] = quaternion_of(np.asarray(body.rotation))
        return q


def _sorted(bodies: tuple[Body, ...]) -> tuple[Body, ...]:
    """Parents first, otherwise as given; refuses names that do not make a tree."""
    if not bodies:
        checks.refuse(OWNER, "there are no bodies.", "Give at least one Body(...).")
    place: dict[str, int] = {}
    joints: set[str] = set()
    for i, body in enumerate(bodies):
        if body.name in place:
            checks.refuse(OWNER, f"two bodies are named {body.name!r}.", "Give each a name of its own.")
        place[body.name] = i
        for degree in body.degrees:
            if degree.name in joints:
                checks.refuse(OWNER, f"two joints are named {degree.name!r}.", "Give each a name of its own.")
            joints.add(str(degree.name))
    children: dict[str | None, list[int]] = {}
    for i, body in enumerate(bodies):
        if body.parent is not None and body.parent not in place:
            known = ", ".join(repr(name) for name in list(place)[:10]) + (", ..." if len(place) > 10 else "")
            problem = f"body {body.name!r} has parent={checks.shown(body.parent)}, and no body has that name."
            checks.refuse(OWNER, problem, f"Give one of {known}, or None for the world.")
        children.setdefault(body.parent, []).append(i)
    ready, order = list(children.get(None, [])), []
    while ready:
        i = heapq.heappop(ready)
        order.append(bodies[i])
        for child in children.get(bodies[i].name, []):
            heapq.heappush(ready, child)
    if len(order) < len(bodies):
        loop = " on ".join(repr(name) for name in loop_of({body.name: body.parent for body in bodies}))
        checks.refuse(OWNER, f"bodies hang in a loop: {loop}.", "Open it: give one of them another parent, or None.")
    return tuple(order)


def loop_of(above: Mapping[str, str | None]) -> list[str]:
    """Names that carry each other in a ring, from one to itself again; none if each way up (name -> carrier) ends."""
    ends: set[str | None] = {None}
    for first in above:
        path: list[str] = []
        name: str | None = first
        while name is not None and name not in ends and name not in path:
            path.append(name)
            name = above[name]
        if name in path:
            return [*path[path.index(name) :], name]
        ends.update(path)
    return []


def join(trees: Mapping[str, Tree]) -> Tree:
    """One tree of several machines, whose bodies and joints are then called "machine.name".

    They stay as they are and may touch each other in a `Scene`. q and v are theirs, one machine after the other.

    Args:
        trees: name -> machine; all in the same gravity [m/s²].

    Example:
        >>> from tegotae.multibody import Body, Prismatic, Tree, join
        >>> lift = Tree([Body(name="lift", mass=2.0, joint=Prismatic())])
        >>> join({"left": lift, "right": lift}).joint_names
        ('left.lift', 'right.lift')
    """
    trees = checks.mapping("join", "trees", trees, "Give a dict of Trees by name.")
    if not trees:
        checks.refuse("join", "there are no trees.", "Give at least one, by name.")
    for machine, tree in trees.items():
        checks.instance("join", f"trees[{machine!r}]", tree, Tree, "Give a Tree.")
    first = next(iter(trees.values()))
    bodies, loops = [], []
    for machine, tree in trees.items():
        if not np.array_equal(np.asarray(tree.gravity), np.asarray(first.gravity)):
            problem = f"{machine!r} has gravity={tree.gravity}, another {first.gravity}."
            checks.refuse("join", problem, "Give them the same gravity.")
        for body in tree.bodies:
            joint = prefixed(body.joint, machine, body.joint_name)
            parent = None if body.parent is None else f"{machine}.{body.parent}"
            bodies.append(replace(body, name=f"{machine}.{body.name}", parent=parent, joint=joint))
        for loop in tree.loops:
            parent = None if loop.parent is None else f"{machine}.{loop.parent}"
            names = {"name": f"{machine}.{loop.name}", "body": f"{machine}.{loop.body}"}
            joint = loop.joint
            if not isinstance(joint, (Fixed, Free)) and joint.name is not None:
                joint = prefixed(joint, machine, joint.name)
            loops.append(replace(loop, **names, parent=parent, joint=joint))
    return Tree(bodies, gravity=first.gravity, loops=loops)
