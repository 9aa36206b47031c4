"""Where a tree meets others: points of its bodies, its joints, the way between two; and how light it can feel there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.checks import Array
from tegotae.multibody.frames import ORIGIN, place_of
from tegotae.multibody.joint_kinds import Turn
from tegotae.multibody.kernels.kinematics import FREE, PRISMATIC
from tegotae.multibody.tree import Tree
from tegotae.multibody.tree_inertia import inertia_of
from tegotae.parameters import Declared, Parameter
from tegotae.ports import ANGULAR, LINEAR, SPATIAL, Port, port_of
from tegotae.rotations import cross_matrix, quaternion_of
from tegotae.state import State

_PLACES = "Give the name of a body, AtPoint(...), AtJoint(...) or Between(...), or a dict of such by name."


def _along(owner: str, name: str, value: ArrayLike) -> tuple[float, ...]:
    direction = checks.numbers(owner, name, value)
    if direction.shape != (6,) or not np.isfinite(direction).all() or not direction.any():
        remedy = "Give a direction of force and one of moment, such as (1, 0, 0, 0, 0, 0)."
        checks.refuse(owner, f"{name}={checks.shown(value)}.", remedy)
    return tuple(direction.tolist())


Along = Annotated[
    ArrayLike | None,
    Parameter(
        "[-], direction of force and of moment in world axes, six numbers, to push in this one way only", accept=_along
    ),
]


@dataclass(frozen=True)
class AtPoint(Declared):
    """A point of a body: force [N] and moment [N·m] in world axes in, velocity [m/s] and angular velocity [rad/s] out.

    Example:
        >>> from tegotae.multibody import AtPoint
        >>> AtPoint("hand", (0.0, 0.0, 0.1), along=(1, 0, 0, 0, 0, 0)).along
        (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    """

    body: Annotated[str, Parameter("the name of a body")]
    place: Annotated[ArrayLike, Parameter("[m], of the point, in the body's frame", accept=place_of)] = ORIGIN
    along: Along = None


@dataclass(frozen=True)
class AtJoint(Declared):
    """A joint: torque [N·m] or force [N] in, its speed [rad/s, m/s] out.

    Example:
        >>> from tegotae.multibody import AtJoint, Body, Prismatic, Tree, TreeAdmittance
        >>> lift = Tree([Body(name="lift", mass=2.0, joint=Prismatic())])
        >>> TreeAdmittance(tree=lift, at=AtJoint("lift")).ports[0][:4]
        ('port', 1, 'm/s', 'N')
    """

    joint: Annotated[str, Parameter("the name of a joint")]


def _end(owner: str, name: str, value: object) -> AtPoint:
    end = AtPoint(value) if isinstance(value, str) else value
    if not isinstance(end, AtPoint):
        problem = f"{name}={checks.shown(value)} is not an AtPoint."
        checks.refuse(owner, problem, "Give the name of a body, or AtPoint(body, place).")
    if end.along is not None:
        checks.refuse(owner, f"{name}={checks.shown(end)} has a direction.", "Give along= to Between.")
    return end


@dataclass(frozen=True)
class Between(Declared):
    """Two points: how the first moves relative to the second. A wrench acts on the first, its opposite on the second.

    Example:
        >>> from tegotae.multibody import AtPoint, Between
        >>> Between("thumb", AtPoint("finger", (0.0, 0.0, 0.02))).first
        AtPoint(body='thumb', place=(0.0, 0.0, 0.0), along=None)
    """

    first: Annotated[
        AtPoint | str,
        Parameter("a point of a body that can move, or the name of the body for its origin", accept=_end),
    ]
    second: Annotated[
        AtPoint | str,
        Parameter(
            "a point of another body; one that stands in the world only moves the origin of positions", accept=_end
        ),
    ]
    along: Along = None


Attachment = AtPoint | AtJoint | Between


class Tap(NamedTuple):
    """A point where a wrench acts on a moving body: what users call it and its body, and where it is.

    `inside` and `turn` are the point and the rotation of the body's frame in the internal frame of moving body k.
    """

    label: str
    body: str
    place: Array
    k: int
    inside: Array
    turn: Array


class Wired(NamedTuple):
    """A port of a tree: the directions of its rows, and the joint (a moving body, or -1) or the taps that it acts on.

    The first tap is pushed, the second, if there is one, takes the opposite. `origin` is where positions count from.
    """

    port: Port
    rows: Array
    joint: int
    taps: tuple[Tap, ...]
    origin: Array

    def jacobian(self, tree: Tree, q: Array) -> Array:
        """How its rows move by the speeds of the tree."""
        if self.joint >= 0:
            return np.eye(tree.nv)[[int(tree.arrays.vi[self.joint])]]
        moved = [tree.jacobian(q, tap.body, tap.place) for tap in self.taps]
        return np.asarray(self.rows @ (moved[0] - moved[1] if len(moved) > 1 else moved[0]))


def named(owner: str, at: object) -> dict[str, Attachment]:
    """Places by the names of their ports; one alone is called "port"."""
    given: Mapping[Any, Any] = at if isinstance(at, Mapping) else {"port": at}
    found: dict[str, Attachment] = {}
    for name, place in given.items():
        if not isinstance(name, str) or not name.isidentifier():
            checks.refuse(owner, f"at has the name {checks.shown(name)}.", "Use a plain word, such as 'hand'.")
        label = f"at[{name!r}]" if isinstance(at, Mapping) else "at"
        attachment = AtPoint(place) if isinstance(place, str) else place
        if not isinstance(attachment, Attachment):
            checks.refuse(owner, f"{label}={checks.shown(place)}.", _PLACES)
        found[name] = attachment
    return found


def wired(owner: str, tree: Tree, at: Mapping[str, Attachment], locked: Sequence[str]) -> tuple[Wired, ...]:
    """The ports of a tree at these places; what is not there, or can never move, is refused."""
    ports = []
    for name, place in at.items():
        label, alone = f"at[{name!r}]={checks.shown(place)}", len(at) == 1
        if isinstance(place, AtJoint):
            ports.append(_joint(owner, tree, name, label, place.joint, locked))
            continue
        ends = [place] if isinstance(place, AtPoint) else [place.first, place.second]
        taps = [_tap(tree, "" if alone else f".{name}", end) for end in ends]  # type: ignore[arg-type]
        if taps[0].k < 0:
            checks.refuse(owner, f"{label}: {taps[0].body!r} stands in the world.", "Push a body that can move.")
        if len(taps) > 1 and taps[0].k == taps[1].k:
            checks.refuse(owner, f"{label}: both points are of one rigid body.", "Name bodies that a joint lets part.")
        origin = np.asarray(ORIGIN)
        if len(taps) > 1:
            taps[1] = taps[1]._replace(label=taps[1].label + ".second")
            if taps[1].k < 0:
                origin = taps.pop().inside
        rows = np.eye(6) if place.along is None else np.asarray(place.along)[None]
        kinds = SPATIAL if len(rows) == 6 else [LINEAR if rows[0, :3].any() else ANGULAR]
        ports.append(Wired(port_of(name, kinds), rows, -1, tuple(taps), origin))
    return tuple(ports)


def _tap(tree: Tree, label: str, at: AtPoint) -> Tap:
    k, place, turn = tree._frame(at.body)
    point = np.asarray(at.place)
    return Tap(label, at.body, point, int(k), np.asarray(place) + turn @ point, np.asarray(turn))


def _joint(owner: str, tree: Tree, name: str, label: str, joint: str, locked: Sequence[str]) -> Wired:
    if joint not in tree.joint_names:
        known = ", ".join(tree.joint_names[:12]) or "none"
        checks.refuse(owner, f"{label}: there is no such joint.", f"It has {known}.")
    if joint in locked:
        checks.refuse(owner, f"{label} is locked.", "It never moves: push another, or leave it free.")
    if isinstance(tree.joints[joint], Turn):
        problem = f"{label}: it is one direction of a ball joint, which has no angle of its own."
        checks.refuse(owner, problem, "Push the body: AtPoint(...) with along=(0, 0, 0, 1, 0, 0), or Between(...).")
    arrays = tree.arrays
    k = int(np.flatnonzero(arrays.kind != FREE)[tree.joint_names.index(joint)])
    port = port_of(name, [LINEAR if arrays.kind[k] == PRISMATIC else ANGULAR])
    return Wired(port, np.zeros((1, 6)), k, (), np.zeros(3))


def place_ports(tree: Tree, ports: Sequence[Wired], state: State) -> None:
    """Where the ports are and how they move, from q and v in a state, into it."""
    q, v, velocity, position = state.part("q"), state.part("v"), [], []
    for port in ports:
        velocity.append(port.jacobian(tree, q) @ v)
        places = _places(tree, port, q)
        for tap, place in zip(port.taps, places, strict=True):
            state[f"place{tap.label}"] = place
            state[f"quaternion{tap.label}"] = quaternion_of(tree.pose(q, tap.body)[1])
        if port.joint >= 0:
            position.append(q[[int(tree.arrays.qi[port.joint])]])
        else:
            apart = places[0] - (places[1] if len(places) > 1 else port.origin)
            position.append(port.rows @ np.concatenate([apart, np.zeros(3)]))
    for name, values in (("velocity", velocity), ("position", position)):
        state.real[slice(*state.space.span(name))] = np.concatenate(values)


def paths_of(tree: Tree, ports: Sequence[Wired], q: Array) -> Array:
    """Where the taps of all ports are, a row each."""
    return np.reshape([place for port in ports for place in _places(tree, port, q)], (-1, 3))


def _places(tree: Tree, port: Wired, q: Array) -> list[Array]:
    poses = [(tap.place, *tree.pose(q, tap.body)) for tap in port.taps]
    return [np.asarray(origin + turn @ place) for place, origin, turn in poses]


# ------------------------------------------------------------ how light a tree can feel there
#
# A bound for the circuits it is wired into. Cutting a tree can only make it lighter. With forces h at its ports, w_j(h)
# the wrench that they put on body j and t_j its twist, a step gives the mobility
#
#     h'G h = max over v of 2 sum_j w_j't_j(v) - v'(M + T slopes) v,   v'M v = sum over bodies of t_j'M_j t_j.
#
# Leave out the slopes, none of which is negative unless friction falls with speed, and what is subtracted shrinks; let
# each t_j take any value, not only those that joints allow, and the maximum grows (a body that hangs on the world by a
# joint keeps it). What is left are the bodies by themselves, sum_j w_j'M_j^-1 w_j. With l_j the largest of that on body
# j for ports of size 1 on it, h'G h <= sum over ports of |h_p|^2 (sum of l_j over the bodies that p acts on).

SAMPLES = 64  # configurations looked at where there is no bound
NONE = 1e-9  # relative: an inertia smaller than this opposes nothing
_AXIS = np.array([0.0, 0.0, 1.0])  # of every joint, in the internal frame of its body


def least_reluctance(tree: Tree, ports: Sequence[Wired], locked: Sequence[int], T: float) -> float:
    """The smallest rise of the needed force with the velocity, in any configuration [N·s/m, N·m·s/rad].

    Bodies without inertia of their own, and friction that falls with speed, leave no bound: then half of the smallest
    among many configurations, with all that friction at its steepest; 0 if somewhere it outweighs the inertia.
    """
    falls = falls_of(tree, locked, T)
    if not falls.any():
        acting = [_wrenches(tree, port) for port in ports]
        on_each = {k: np.hstack([push[k] for push in acting if k in push]) for push in acting for k in push}
        light = {k: _light(tree, k, wrenches) for k, wrenches in on_each.items()}
        mobility = max(sum(light[k] for k in push) for push in acting)
        if mobility < np.inf:
            return 1.0 / (T * mobility)
    return 0.5 * _sampled(tree, ports, locked, T * falls) / T


def falls_of(tree: Tree, locked: Sequence[int], T: float) -> Array:
    """How fast friction may fall with each speed [N·m·s/rad, N·s/m]."""
    falls = np.zeros(tree.nv)
    places = tree.arrays.vi[tree.arrays.kind != FREE]
    for o, joint in zip(places, tree.joints.values(), strict=True):
        if joint.friction is not None and o not in locked:
            falls[o] = joint.friction.steepest_rise(T)
    return falls


def _wrenches(tree: Tree, port: Wired) -> dict[int, Array]:
    """Moving body -> 6 x rows: the wrench at its centre of mass by each unit of force at a port, in its own axes.

    World axes are turned against those of a body, which changes no size. A single direction in the world may be any in
    the body: it counts as all three, of force, of moment or of both.
    """
    if port.joint >= 0:
        return _in_joint(tree, port.joint)
    columns = slice(0, 6)
    if len(port.rows) == 1 and not (port.rows[0, :3].any() and port.rows[0, 3:].any()):
        columns = slice(0, 3) if port.rows[0, :3].any() else slice(3, 6)
    size = 1.0 if len(port.rows) == 6 else float(np.linalg.norm(port.rows[0]))
    found = {}
    for tap in port.taps:
        lever = np.eye(6)
        lever[3:, :3] = cross_matrix(tap.inside)
        found[tap.k] = size * lever[:, columns]
    return found


def _in_joint(tree: Tree, k: int) -> dict[int, Array]:
    """The same of the joint of body k, which pushes what carries it the other way."""
    layout = tree.arrays
    i, c, none = int(layout.parent[k]), layout.C[k], np.zeros(3)
    A, d1, r1 = c[:9].reshape(3, 3), c[9:12], c[12:15]
    slides, axis = layout.kind[k] == PRISMATIC, A @ _AXIS
    above = (_AXIS, none) if slides else (none, _AXIS)
    # A slide moves by v_k - v_i - w_i x (c_k - c_i) along the axis; the way already slid is along it too.
    under = (axis, np.cross(d1 + A @ r1, axis)) if slides else (none, axis)
    found = {k: np.concatenate(above)[:, None]}
    return found if i < 0 else found | {i: np.concatenate(under)[:, None]}


def _light(tree: Tree, k: int, wrenches: Array) -> float:
    """Largest 1/inertia of a body by itself that meets these wrenches (columns), each of any size up to 1 in all."""
    layout = tree.arrays
    mass, inertia = float(layout.C[k, 15]), inertia_of(layout.C[k])
    if int(layout.parent[k]) < 0 and layout.kind[k] != FREE:  # it moves about or along its axis only
        slides, arm = layout.kind[k] == PRISMATIC, np.cross(_AXIS, layout.C[k, 12:15])
        about = mass if slides else float(inertia[2, 2] + mass * (arm @ arm))
        felt = wrenches.T @ np.concatenate([_AXIS, np.zeros(3)] if slides else [arm, _AXIS])
        return float(felt @ felt) / about if about > 0.0 else np.inf
    mobility = np.zeros((len(wrenches.T), len(wrenches.T)))
    if wrenches[:3].any():
        if not mass > 0.0:
            return np.inf
        mobility += wrenches[:3].T @ wrenches[:3] / mass
    if wrenches[3:].any():
        if not float(np.linalg.eigvalsh(inertia)[0]) > NONE * float(np.trace(inertia)):
            return np.inf
        mobility += wrenches[3:].T @ np.linalg.solve(inertia, wrenches[3:])
    return float(np.linalg.eigvalsh(mobility)[-1])


def lacks_inertia(tree: Tree, locked: Sequence[int], resists: Array, T: float) -> float:
    """What inertia [kg·m², kg] joints lack whose friction falls with speed; they have it if that is below 0.

    A step has one solution where M + T (resists - falls) is positive definite. As inertia at the joints themselves it
    is the most that is missing among many configurations, of what they feel while all others are free to move.
    """
    falls = falls_of(tree, locked, T)
    F, most = np.flatnonzero(falls), -np.inf
    R = np.setdiff1d(np.arange(tree.nv), [*locked, *F])
    for q in _configurations(tree) if F.size else ():
        M = tree.mass_matrix(q) + T * np.diag(resists - falls)
        carried = np.linalg.lstsq(M[np.ix_(R, R)], M[np.ix_(R, F)], rcond=None)[0]  # some may have no inertia
        most = max(most, -float(np.linalg.eigvalsh(M[np.ix_(F, F)] - M[np.ix_(F, R)] @ carried)[0]))
    return most


def _configurations(tree: Tree) -> Iterator[Array]:
    rng, layout = np.random.default_rng(0), tree.arrays
    for _ in range(SAMPLES):
        q = rng.normal(size=tree.nq)
        for i, joint in zip(layout.qi[layout.kind != FREE], tree.joints.values(), strict=True):
            low = max(joint.lower, -np.pi)
            q[i] = rng.uniform(low, max(low, min(joint.upper, np.pi)))
        yield q


def _sampled(tree: Tree, ports: Sequence[Wired], locked: Sequence[int], lost: Array) -> float:
    """The smallest inertia at the ports among random configurations, less what falling friction takes."""
    free = np.setdiff1d(np.arange(tree.nv), np.asarray(locked, dtype=np.int64))
    least = np.inf
    for q in _configurations(tree):
        M = (tree.mass_matrix(q) - np.diag(lost))[np.ix_(free, free)]
        if not np.linalg.eigvalsh(M)[0] > 0.0:
            return 0.0
        J = np.vstack([port.jacobian(tree, q) for port in ports])[:, free]
        highest = float(np.linalg.eigvalsh(J @ np.linalg.solve(M, J.T))[-1])
        least = min(least, 1.0 / highest if highest > 0.0 else np.inf)
    return least
