"""Random trees of all kinds of joints, the same in Pinocchio and in MuJoCo, and how their numbers translate.

Ours: turns and their speeds in the axes of the joint's frame that is fixed to the parent; quaternions (w, x, y, z).
Pinocchio: turns, and speeds of free joints, in the body's own axes; quaternions (x, y, z, w). MuJoCo: the same axes
for balls, its slides along the parent's; quaternions (w, x, y, z).
"""

import mujoco
import numpy as np
import pinocchio as pin

from linkages import SIZES, Joint, Link, Mechanism, across, matrix_of, quaternion_of, unit
from trees import rotation

KINDS = ("revolute", "prismatic", "spherical", "universal", "cylindrical", "planar", "free")


def random_joint(rng, kind, *, armature=False):
    """Axes as they come: those of a universal joint need not be square to each other."""
    axis = unit(rng.normal(size=3))
    if kind in ("spherical", "free"):
        return Joint(kind=kind, axes=())
    if kind == "universal":
        return Joint(kind=kind, axes=(tuple(axis), tuple(unit(across(axis)[0] + 0.5 * rng.normal() * axis))))
    own = float(rng.uniform(0.1, 1.0)) if armature and kind in ("revolute", "prismatic") else 0.0
    return Joint(kind=kind, axes=(tuple(axis),), armature=own)


def random_mechanism(rng, count, *, kinds=KINDS, armature=False):
    """A tree in which every kind occurs, if there are bodies enough: of four mass points each."""
    links = []
    for k in range(count):
        kind = kinds[k] if k < len(kinds) else kinds[rng.integers(len(kinds))]
        mass, points = rng.uniform(0.5, 2.0), 0.2 * rng.normal(size=(4, 3))
        inertia = mass * sum((x @ x) * np.eye(3) - np.outer(x, x) for x in points)
        links.append(
            Link(
                name=f"b{k}", mass=mass, inertia=tuple(map(tuple, inertia)), center=tuple(0.1 * rng.normal(size=3)),
                parent=None if k == 0 else f"b{rng.integers(0, k)}", position=tuple(0.3 * rng.normal(size=3)),
                rotation=tuple(map(tuple, rotation(rng))), joint=random_joint(rng, kind, armature=armature),
            )
        )  # fmt: skip
    return Mechanism(links=tuple(links))


def random_state(rng, mechanism, *, size=1.0):
    """q with unit quaternions, v and forces."""
    nq, nv = sizes(mechanism)
    q = rng.normal(size=nq)
    for joint, at, _ in places(mechanism):
        if joint.kind in ("spherical", "free"):
            q[at.stop - 4 : at.stop] /= np.linalg.norm(q[at.stop - 4 : at.stop])
    return q, size * rng.normal(size=nv), rng.normal(size=nv)


def places(mechanism):
    """Of each link: its joint, and where its numbers lie in q and in v."""
    i = o = 0
    for link in mechanism.links:
        nq, nv = SIZES[link.joint.kind]
        yield link.joint, slice(i, i + nq), slice(o, o + nv)
        i, o = i + nq, o + nv


def sizes(mechanism):
    ends = [(at.stop, there.stop) for _, at, there in places(mechanism)]
    return ends[-1]


# ------------------------------------------------------------ Pinocchio


def steps(joint):
    """The kinds of Pinocchio that it is made of, one after the other."""
    turns, slides = pin.JointModelRevoluteUnaligned, pin.JointModelPrismaticUnaligned
    axes = [unit(axis) for axis in joint.axes]
    return {
        "revolute": lambda: [turns(axes[0])],
        "prismatic": lambda: [slides(axes[0])],
        "spherical": lambda: [pin.JointModelSpherical()],
        "universal": lambda: [turns(axes[0]), turns(axes[1])],
        "cylindrical": lambda: [slides(axes[0]), turns(axes[0])],
        "planar": lambda: [*(slides(e) for e in across(axes[0])), turns(axes[0])],
        "free": lambda: [pin.JointModelFreeFlyer()],
    }[joint.kind]()


def in_pinocchio(mechanism):
    """The tree (loops are left open) as a model; joints of several degrees may be several there."""
    model, ids = pin.Model(), {None: 0}
    model.gravity.linear = np.array(mechanism.gravity, dtype=float)
    armature = []
    for link in mechanism.links:
        joint, at = link.joint, ids[link.parent]
        place = pin.SE3(np.array(link.rotation, dtype=float), np.array(link.position, dtype=float))
        if joint.kind == "free":
            place = pin.SE3.Identity()
        for k, kind in enumerate(steps(joint)):
            at = model.addJoint(at, kind, place, f"{link.name}.{k}")
            place = pin.SE3.Identity()
        ids[link.name] = at
        inertia = np.asarray(link.inertia, dtype=float)
        inertia = np.diag(inertia) if inertia.ndim == 1 else inertia
        center = np.array(link.center, dtype=float)
        model.appendBodyToJoint(at, pin.Inertia(link.mass, center, inertia), pin.SE3.Identity())
        armature += [joint.armature] * SIZES[joint.kind][1]
    model.armature = np.array(armature)
    return model


def speeds_in_pinocchio(mechanism, q):
    """X: Pinocchio's speeds are X v, and our forces X' times its own."""
    X = np.eye(sizes(mechanism)[1])
    for joint, at, there in places(mechanism):
        if joint.kind in ("spherical", "free"):
            back, o = matrix_of(q[at.stop - 4 : at.stop]).T, there.start
            for k in range(o, there.stop, 3):
                X[k : k + 3, k : k + 3] = back
    return X


def to_pinocchio(mechanism, q, v, force):
    """q, v and force as Pinocchio has them."""
    there, X = np.array(q, dtype=float), speeds_in_pinocchio(mechanism, q)
    for joint, at, _ in places(mechanism):
        if joint.kind in ("spherical", "free"):
            i = at.stop - 4
            there[i : i + 4] = q[[i + 1, i + 2, i + 3, i]]
    return there, X @ v, X @ force  # X is a rotation: X' is its way back


def from_pinocchio(mechanism, q, v, force):
    """The way back of `to_pinocchio`: q, v and force as we have them."""
    here = np.array(q, dtype=float)
    for joint, at, _ in places(mechanism):
        if joint.kind in ("spherical", "free"):
            i = at.stop - 4
            here[i : i + 4] = q[[i + 3, i, i + 1, i + 2]]
    X = speeds_in_pinocchio(mechanism, here)
    return here, X.T @ v, X.T @ force


def _carried(mechanism, v):
    """What turning axes add to Pinocchio's accelerations: those of free joints are spatial."""
    extra = np.zeros_like(v)
    for joint, _, there in places(mechanism):
        if joint.kind == "free":
            o = there.start
            extra[o : o + 3] = np.cross(v[o + 3 : o + 6], v[o : o + 3])
    return extra


def acceleration_from_pinocchio(mechanism, q, v, a):
    """Our acceleration, the rate of our v, from Pinocchio's; q and v are ours."""
    X = speeds_in_pinocchio(mechanism, q)
    return X.T @ (a + _carried(mechanism, X @ v))


def acceleration_to_pinocchio(mechanism, q, v, a):
    """The way back."""
    X = speeds_in_pinocchio(mechanism, q)
    return X @ a - _carried(mechanism, X @ v)


def pinocchio_acceleration(mechanism, model, q, v, force):
    """Forward dynamics, ours in and ours out."""
    a = pin.aba(model, model.createData(), *to_pinocchio(mechanism, q, v, force))
    return acceleration_from_pinocchio(mechanism, q, v, a)


def pinocchio_force(mechanism, model, q, v, a):
    """Inverse dynamics, ours in and ours out."""
    there, speed, _ = to_pinocchio(mechanism, q, v, v)
    force = pin.rnea(model, model.createData(), there, speed, acceleration_to_pinocchio(mechanism, q, v, a))
    return speeds_in_pinocchio(mechanism, q).T @ force


# ------------------------------------------------------------ MuJoCo


def _numbers(values):
    return " ".join(f"{x:.17g}" for x in np.ravel(values))


def _mujoco_joints(joint):
    def one(kind, axis, armature=0.0):
        return f'<joint type="{kind}" axis="{_numbers(axis)}" armature="{armature:.17g}"/>'

    axes = [unit(axis) for axis in joint.axes]
    match joint.kind:
        case "revolute":
            return one("hinge", axes[0], joint.armature)
        case "prismatic":
            return one("slide", axes[0], joint.armature)
        case "spherical":
            return '<joint type="ball"/>'
        case "universal":
            return one("hinge", axes[0]) + one("hinge", axes[1])
        case "cylindrical":
            return one("slide", axes[0]) + one("hinge", axes[0])
        case "planar":
            return "".join(one("slide", e) for e in across(axes[0])) + one("hinge", axes[0])
    return "".join(one("slide", e) for e in np.eye(3)) + '<joint type="ball"/>'


def in_mujoco(mechanism):
    """The tree (loops are left open). A free joint is three slides and a ball."""
    children = {}
    for link in mechanism.links:
        children.setdefault(link.parent, []).append(link)

    def bodies(parent):
        found = ""
        for link in children.get(parent, []):
            loose = link.joint.kind == "free"
            place = np.zeros(3) if loose else link.position
            turn = np.array([1.0, 0, 0, 0]) if loose else quaternion_of(np.asarray(link.rotation, dtype=float))
            J = np.asarray(link.inertia, dtype=float)
            J = np.diag(J) if J.ndim == 1 else J
            six = (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
            found += (
                f'<body name="{link.name}" pos="{_numbers(place)}" quat="{_numbers(turn)}">'
                f'<inertial pos="{_numbers(link.center)}" mass="{link.mass:.17g}" fullinertia="{_numbers(six)}"/>'
                f"{_mujoco_joints(link.joint)}{bodies(link.name)}</body>"
            )
        return found

    text = f'<mujoco><compiler angle="radian"/><option gravity="{_numbers(mechanism.gravity)}"/>'
    return mujoco.MjModel.from_xml_string(f"{text}<worldbody>{bodies(None)}</worldbody></mujoco>")


def mujoco_acceleration(mechanism, model, q, v, force):
    """Forward dynamics, ours in and ours out."""
    data = mujoco.MjData(model)
    rows = [(model.body(link.name).jntadr[0], *at) for link, at in zip(mechanism.links, places(mechanism), strict=True)]
    back = []
    for j, joint, at, there in rows:
        i, o = model.jnt_qposadr[j], model.jnt_dofadr[j]
        turn = np.eye(there.stop - there.start)
        if joint.kind in ("spherical", "free"):
            turn[-3:, -3:] = matrix_of(q[at.stop - 4 : at.stop]).T
        seat = slice(o, o + there.stop - there.start)
        data.qpos[i : i + at.stop - at.start] = q[at]
        data.qvel[seat], data.qfrc_applied[seat] = turn @ v[there], turn @ force[there]
        back.append((seat, there, turn))
    mujoco.mj_forward(model, data)
    a = np.zeros(len(v))
    for seat, there, turn in back:
        a[there] = turn.T @ data.qacc[seat]
    return a
