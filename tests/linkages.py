"""Mechanisms with closed loops, written down once: for tegotae as a `Tree`, for `maximal.py` as bodies and constraints.

Nothing here is computed by tegotae: poses and speeds follow from the coordinates by what is written below.
"""

from dataclasses import dataclass, field, replace

import numpy as np

ZERO, UPRIGHT = (0.0, 0.0, 0.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
X, Y, Z = np.eye(3)


@dataclass(frozen=True, kw_only=True)
class Joint:
    """Of a kind that tegotae has, by its name in small letters; `axes` are those that the kind asks for, in order.

    `damping` [N·m·s/rad, N·s/m], `armature` [kg·m², kg] and dry `friction` [N·m, N] are for "revolute" and "prismatic"
    only; the last two are not in `maximal.py`.
    """

    kind: str
    axes: tuple = (tuple(Z),)
    damping: float = 0.0
    armature: float = 0.0
    friction: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Link:
    """A body as tegotae describes one: inertia about its centre of mass, `position` and `rotation` of its joint."""

    name: str
    mass: float
    inertia: tuple
    center: tuple = ZERO
    parent: str | None = None
    joint: Joint
    position: tuple = ZERO
    rotation: tuple = UPRIGHT


@dataclass(frozen=True, kw_only=True)
class Closure:
    """What closes a loop: the joint's frame in the parent (`position`, `rotation`), in the body (`place`, `turn`)."""

    name: str
    body: str
    parent: str | None = None
    joint: Joint
    position: tuple = ZERO
    rotation: tuple = UPRIGHT
    place: tuple = ZERO
    turn: tuple = UPRIGHT


@dataclass(frozen=True, kw_only=True)
class Mechanism:
    """`drives`: joint -> function of (t, q, v) of that joint that gives its torque [N·m] or force [N]."""

    links: tuple
    closures: tuple = ()
    gravity: tuple = (0.0, 0.0, -9.81)
    drives: dict = field(default_factory=dict)

    def with_damping(self, **given):
        """The same with dampers in joints of links, by name."""
        links = [
            replace(one, joint=replace(one.joint, damping=given[one.name])) if one.name in given else one
            for one in self.links
        ]
        return replace(self, links=tuple(links))


def revolute(axis=Z, **more):
    return Joint(kind="revolute", axes=(tuple(axis),), **more)


def prismatic(axis=Z, **more):
    return Joint(kind="prismatic", axes=(tuple(axis),), **more)


def spherical():
    return Joint(kind="spherical", axes=())


def universal(first, second):
    return Joint(kind="universal", axes=(tuple(first), tuple(second)))


def cylindrical(axis=Z):
    return Joint(kind="cylindrical", axes=(tuple(axis),))


def planar(axis=Z):
    return Joint(kind="planar", axes=(tuple(axis),))


def free():
    return Joint(kind="free", axes=())


SIZES = {  # how many numbers in q and in v
    "revolute": (1, 1), "prismatic": (1, 1), "spherical": (4, 3), "universal": (2, 2), "cylindrical": (2, 2),
    "planar": (3, 3), "free": (7, 6), "fixed": (0, 0),
}  # fmt: skip


# ------------------------------------------------------------ for tegotae


def joint_in_tegotae(joint, **more):
    """The joint of the library; names that it may lack are asked for here, not when this file is imported."""
    import tegotae as tg
    from tegotae import multibody

    made = getattr(multibody, joint.kind.capitalize())
    if joint.kind in ("free", "fixed", "spherical"):
        return made(**more)
    if joint.kind == "universal":
        return made(first=joint.axes[0], second=joint.axes[1], **more)
    given = {name: getattr(joint, name) for name in ("damping", "armature") if getattr(joint, name)}
    if joint.friction:
        law = tg.Coulomb(joint.friction)
        given["friction"] = tg.FrictionImpedance(stiffness=1e6 * joint.friction, damping=1e3 * joint.friction, law=law)
    return made(axis=joint.axes[0], **given, **more)


def bodies_in_tegotae(links):
    from tegotae.multibody import Body

    return [
        Body(
            name=one.name, mass=one.mass, inertia=one.inertia, center=one.center, parent=one.parent,
            joint=joint_in_tegotae(one.joint), position=one.position, rotation=one.rotation,
        )
        for one in links
    ]  # fmt: skip


def tree_of(mechanism, **instead):
    """The mechanism as a `Tree`; what is `instead` goes to it as it stands."""
    from tegotae.multibody import Tree

    if mechanism.closures and "loops" not in instead:
        from tegotae.multibody import Loop

        instead["loops"] = [
            Loop(
                name=one.name, body=one.body, parent=one.parent, joint=joint_in_tegotae(one.joint),
                position=one.position, rotation=one.rotation, place=one.place, turn=one.turn,
            )
            for one in mechanism.closures
        ]  # fmt: skip
    return Tree(bodies_in_tegotae(mechanism.links), **{"gravity": mechanism.gravity, **instead})


# ------------------------------------------------------------ rotations and joints, in plain numpy


def skew(x):
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def turned(axis, angle):
    """Rotation by an angle about a unit vector."""
    u = np.asarray(axis, dtype=float)
    return np.cos(angle) * np.eye(3) + np.sin(angle) * skew(u) + (1.0 - np.cos(angle)) * np.outer(u, u)


def angle_about(axis, R):
    """By how much R turns about its axis, in (-pi, pi]."""
    sine = 0.5 * np.dot(axis, [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return np.arctan2(sine, 0.5 * (np.trace(R) - 1.0))


def matrix_of(quaternion):
    """Rotation of a quaternion (w, x, y, z) of any length."""
    w, u = quaternion[0], np.asarray(quaternion[1:])
    n = np.dot(quaternion, quaternion)
    return ((w * w - u @ u) * np.eye(3) + 2.0 * np.outer(u, u) + 2.0 * w * skew(u)) / n


def quaternion_of(R):
    """(w, x, y, z) with w >= 0, by the largest of four squares."""
    R = np.asarray(R)
    four = np.array([1 + R[0, 0] + R[1, 1] + R[2, 2], 1 + R[0, 0] - R[1, 1] - R[2, 2],
                     1 - R[0, 0] + R[1, 1] - R[2, 2], 1 - R[0, 0] - R[1, 1] + R[2, 2]])  # fmt: skip
    k, a = int(np.argmax(four)), np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    s = R + R.T
    rows = [[four[0], *a], [a[0], four[1], s[0, 1], s[0, 2]], [a[1], s[0, 1], four[2], s[1, 2]],
            [a[2], s[0, 2], s[1, 2], four[3]]]  # fmt: skip
    q = np.array(rows[k]) / (2.0 * np.sqrt(four[k]))
    return q if q[0] >= 0.0 else -q


def product(p, q):
    """Of two quaternions: the second rotation first."""
    w = p[0] * q[0] - p[1:] @ q[1:]
    return np.array([w, *(p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))])


def unit(axis):
    return np.asarray(axis, dtype=float) / np.linalg.norm(axis)


def across(axis):
    """Two unit vectors that make a right-handed frame with the axis: first that axis of the frame which is least along
    it (of two, the earlier), as far as it lies across.
    """
    u = unit(axis)
    nearest = np.eye(3)[int(np.argmin(np.abs(u)))]
    first = unit(nearest - (nearest @ u) * u)
    return first, np.cross(u, first)


def moved(joint, q):
    """Place and rotation of the moved frame in the joint's frame."""
    axes = [unit(axis) for axis in joint.axes]
    match joint.kind:
        case "revolute":
            return np.zeros(3), turned(axes[0], q[0])
        case "prismatic":
            return axes[0] * q[0], np.eye(3)
        case "spherical":
            return np.zeros(3), matrix_of(q)
        case "universal":
            return np.zeros(3), turned(axes[0], q[0]) @ turned(axes[1], q[1])
        case "cylindrical":
            return axes[0] * q[0], turned(axes[0], q[1])
        case "planar":
            first, second = across(axes[0])
            return first * q[0] + second * q[1], turned(axes[0], q[2])
        case "free":
            return np.asarray(q[:3], dtype=float), matrix_of(q[3:])
    return np.zeros(3), np.eye(3)


def directions(joint, q):
    """6 x nv: velocity of the moved frame's origin and its angular velocity, in the joint's axes, by each speed."""
    axes, o = [unit(axis) for axis in joint.axes], np.zeros(3)
    match joint.kind:
        case "revolute":
            columns = [(o, axes[0])]
        case "prismatic":
            columns = [(axes[0], o)]
        case "spherical":
            columns = [(o, e) for e in np.eye(3)]
        case "universal":
            columns = [(o, axes[0]), (o, turned(axes[0], q[0]) @ axes[1])]
        case "cylindrical":
            columns = [(axes[0], o), (o, axes[0])]
        case "planar":
            columns = [*((e, o) for e in across(axes[0])), (o, axes[0])]
        case "free":
            return np.eye(6)
        case _:
            return np.zeros((6, 0))
    return np.array([np.concatenate(column) for column in columns]).T


def read(joint, place, R):
    """The coordinates of a joint from the moved frame in the joint's frame: the way back of `moved`."""
    axes = [unit(axis) for axis in joint.axes]
    match joint.kind:
        case "revolute":
            return np.array([angle_about(axes[0], R)])
        case "prismatic":
            return np.array([axes[0] @ place])
        case "spherical":
            return quaternion_of(R)
        case "universal":
            f, s = axes
            w = R @ s
            first = np.arctan2(f @ np.cross(s, w), s @ w - (f @ s) * (f @ w))
            return np.array([first, angle_about(s, turned(f, -first) @ R)])
        case "cylindrical":
            return np.array([axes[0] @ place, angle_about(axes[0], R)])
        case "planar":
            return np.array([*(e @ place for e in across(axes[0])), angle_about(axes[0], R)])
        case "free":
            return np.concatenate([place, quaternion_of(R)])
    return np.zeros(0)


def stepped(joint, q, dv):
    """Coordinates after a short motion with the speeds dv for one second."""
    q, half = np.array(q, dtype=float), None
    if joint.kind == "spherical":
        half, at = dv, slice(0, 4)
    elif joint.kind == "free":
        q[:3] += dv[:3]
        half, at = dv[3:], slice(3, 7)
    else:
        return q + dv
    angle = np.linalg.norm(half)
    turn = np.array([np.cos(angle / 2), *(0.5 * np.sinc(angle / 2 / np.pi) * np.asarray(half))])
    q[at] = product(turn, q[at])
    return q
