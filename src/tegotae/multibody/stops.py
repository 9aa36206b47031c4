"""Limits of joints that stop: what acts there, and where each of them is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from tegotae import checks
from tegotae.checks import Array
from tegotae.contact import RELAXATION, SLIGHT, Restitution, weight_of
from tegotae.multibody.kernels.kinematics import PRISMATIC, R1, REVOLUTE
from tegotae.multibody.kernels.places import HINGE_LIMIT, SLIDE_LIMIT
from tegotae.parameters import Declared, Parameter

if TYPE_CHECKING:
    from tegotae.multibody.tree import Tree

# The kind of a pair, and the unit of its gap, by the kind of the joint.
_KINDS = {REVOLUTE: (HINGE_LIMIT, "rad"), PRISMATIC: (SLIDE_LIMIT, "m")}


@dataclass(frozen=True, kw_only=True)
class JointStop(Declared):
    """What stops a joint at its limits.

    Beyond a limit acts K e + c e', e how far it is beyond: a moment about the axis of a hinge, a force along a slide,
    on the body and the opposite on what carries it. The spring only pushes back. These are the elements of a `Touch`
    without friction, taken implicitly: stable at any stiffness and period, and what rests on a limit does not creep.

    With a `restitution` an impact is an instant, at its moment within a tick: the joint leaves its limit with that part
    of its speed, and stiffness and damping only tell how it rests there. Where the joint is carried by what moves, all
    of that feels the impact. Bounces that would end within a tick are rest.

    Example:
        >>> from tegotae.multibody import Body, Revolute, Scene, JointStop, Tree
        >>> hinge = Revolute(axis=(0, 1, 0), upper=0.0, stop=JointStop(restitution=0.5))
        >>> bob = Body(name="bob", mass=1.0, center=(0, 0, -1.0), joint=hinge)
        >>> run = Scene(tree=Tree([bob])).run(0.6, period=1e-3, q=[-0.1])
        >>> met = int(run.v[:, 0].argmin())  # it comes down by +0.313 rad/s, and leaves with half of that
        >>> round(float(run.v[:, 0].max()), 2), round(float(run.v[met, 0]), 2)
        (0.31, -0.16)
    """

    stiffness: Annotated[float, Parameter("K [N·m/rad or N/m], > 0, beyond a limit", such_as="1e5")] = 1e5
    damping: Annotated[
        float | None,
        Parameter("c [N·m·s/rad or N·s/m], >= 0, beyond a limit; 2 ms times the stiffness unless given"),
    ] = None
    restitution: Restitution = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.damping is None:
            self.__dict__["damping"] = RELAXATION * self.stiffness


class Limit(NamedTuple):
    """A limit where a joint stops.

    body and carrier are the moving bodies on both sides of the joint (-1: the world); coordinate its place in q, value
    [rad, m] the limit, sign 1 where the joint may only be above it and -1 where below.
    """

    joint: str
    side: str
    body: int
    carrier: int
    coordinate: int
    kind: int
    unit: str
    value: float
    sign: float
    stop: JointStop

    @property
    def name(self) -> str:
        """What the pair is called."""
        return f"{self.joint} {self.side}"


def limits_of(tree: Tree) -> tuple[Limit, ...]:
    """All limits that stop, joint by joint in the order of v."""
    at, found = tree.arrays, []
    for k, (name, joint) in zip(at.joint_rows, tree.joints.items(), strict=True):
        if joint.stop is None:
            continue
        kind, unit = _KINDS[int(at.kind[k])]
        for side, value, sign in (("lower", joint.lower, 1.0), ("upper", joint.upper, -1.0)):
            if math.isfinite(value):
                place = (k, int(at.parent[k]), int(at.qi[k]))
                found.append(Limit(name, side, *place, kind, unit, value, sign, joint.stop))
    return tuple(found)


def borne(tree: Tree, limits: tuple[Limit, ...], q: Array) -> Array:
    """How far beyond each limit the whole weight would press it at rest [rad, m], in q as the kernels count it.

    A slide may bear all of it; a hinge at the arm of that centre of mass of its machine that is farthest from its axis.
    """
    weight = weight_of(tree.mass, tree.gravity)
    R, centers = (tracks[0] for tracks in tree._inner_tracks(q[None]))
    root = tree.arrays.root
    found = []
    for limit in limits:
        k, arm = limit.body, 1.0
        if limit.kind == HINGE_LIMIT:
            hinge = centers[k] - R[k] @ tree.arrays.C[k, R1 : R1 + 3]
            arm = float(np.linalg.norm(np.cross(centers[root == root[k]] - hinge, R[k, :, 2]), axis=1).max())
        found.append(weight * arm / limit.stop.stiffness)
    return np.array(found)


def check_limits(owner: str, limits: tuple[Limit, ...], gaps: Array, carried: Array) -> None:
    """Refuse a start that is farther beyond a limit than that [rad, m]."""
    beyond, most = -gaps, carried + SLIGHT
    worse = np.flatnonzero(beyond > most)
    if not worse.size:
        return
    i = int(worse[np.argmax(beyond[worse])])
    limit, more = limits[i], f" (and {worse.size - 1} more)" if worse.size > 1 else ""
    problem = f"joint {limit.joint!r}{more} starts {beyond[i]:.3g} {limit.unit} beyond its {limit.side} limit of"
    problem = f"{problem} {limit.value:g} {limit.unit}; at rest it would be at most {most[i]:.3g} {limit.unit} beyond,"
    side = "above" if limit.sign > 0.0 else "below"
    remedy = f"Start it {side} (q[{limit.coordinate}]), or say deepest= if it is meant."
    checks.refuse(owner, f"{problem} so it would be thrown.", remedy)
