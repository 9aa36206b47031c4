"""Random trees, and the same trees in Pinocchio."""

import numpy as np
import pinocchio as pin

from tegotae.multibody import Body, Free, Prismatic, Revolute, Tree


def rotation(rng):
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return Q * np.sign(np.linalg.det(Q))


def random_bodies(rng, count, *, free=False, chain=False, turning=0.7):
    """Bodies made of four mass points each, so that every inertia is one that a body can have."""
    bodies = []
    for k in range(count):
        mass, points = rng.uniform(0.5, 2.0), 0.2 * rng.normal(size=(4, 3))
        inertia = mass * sum((x @ x) * np.eye(3) - np.outer(x, x) for x in points)
        parent = None if k == 0 else f"b{k - 1 if chain else rng.integers(0, k)}"
        if free and k == 0:
            joint, position, turn = Free(), np.zeros(3), np.eye(3)
        else:
            joint = (Revolute if rng.random() < turning else Prismatic)(axis=rng.normal(size=3))
            position, turn = 0.3 * rng.normal(size=3), rotation(rng)
        bodies.append(
            Body(
                name=f"b{k}", mass=mass, inertia=inertia, center=0.1 * rng.normal(size=3), parent=parent, joint=joint,
                position=position, rotation=turn,
            )
        )  # fmt: skip
    return bodies


def depth_first(bodies):
    """Each branch to its end before the next: the order that Pinocchio's mass matrix and Jacobians rely on."""
    children = {}
    for body in bodies:
        children.setdefault(body.parent, []).append(body)
    order, open_ = [], children[None][::-1]
    while open_:
        order.append(open_.pop())
        open_ += children.get(order[-1].name, [])[::-1]
    return order


def random_state(rng, tree, *, free, size=1.0):
    q, v, tau = rng.normal(size=tree.nq), size * rng.normal(size=tree.nv), rng.normal(size=tree.nv)
    if free:
        q[3:7] /= np.linalg.norm(q[3:7])
    return q, v, tau


def in_pinocchio(tree):
    """The same model, joint by joint, in the same order."""
    model, ids = pin.Model(), {None: 0}
    model.gravity.linear = np.array(tree.gravity)
    for body in tree.bodies:
        joint = body.joint
        if isinstance(joint, Free):
            kind = pin.JointModelFreeFlyer()
        else:
            made = pin.JointModelRevoluteUnaligned if isinstance(joint, Revolute) else pin.JointModelPrismaticUnaligned
            kind = made(np.array(joint.axis))
        place = pin.SE3(np.array(body.rotation), np.array(body.position))
        ids[body.name] = model.addJoint(ids[body.parent], kind, place, body.name)
        inertia = pin.Inertia(body.mass, np.array(body.center), np.array(body.inertia))
        model.appendBodyToJoint(ids[body.name], inertia, pin.SE3.Identity())
    return model


def base_rotation(q):
    return pin.Quaternion(*q[3:7]).matrix()


def pinocchio_state(q, v, force, *, free):
    """q with the quaternion's real part last, v and forces of the base in the base's own axes."""
    q, v, force = q.copy(), v.copy(), force.copy()
    if free:
        R = base_rotation(q)
        for part in (v, force):
            part[:3], part[3:6] = R.T @ part[:3], R.T @ part[3:6]
        q[3:7] = q[[4, 5, 6, 3]]
    return q, v, force


def world_acceleration(q, v, a, *, free):
    """Pinocchio's acceleration of the base (body axes, spatial) as that of its origin, in world axes."""
    a = a.copy()
    if free:
        R = base_rotation(q)
        turn = R.T @ v[3:6]
        a[:3], a[3:6] = R @ (a[:3] + np.cross(turn, R.T @ v[:3])), R @ a[3:6]
    return a


def pinocchio_acceleration(tree, model, q, v, force, *, free):
    """What Pinocchio's articulated-body algorithm gives."""
    return world_acceleration(
        q, v, pin.aba(model, model.createData(), *pinocchio_state(q, v, force, free=free)), free=free
    )


def one_tree(rng, count, **kind):
    return Tree(random_bodies(rng, count, **kind))
