"""Friction of joints as forces of least energy: the way out where modes do not settle, which runs hardly ever take."""

from collections import namedtuple

import numpy as np
from scipy.optimize import lsq_linear

import tegotae as tg
from tegotae.multibody import Body, Scene, Tree
from tegotae.multibody.kernels.joints import least_energy, modes_from_forces
from tegotae.multibody.kernels.kinematics import forward_one, prepare_world
from tegotae.multibody.kernels.records import Friction, Joints, Model
from trees import one_tree, random_state


def moderate(rng, count):
    """Limits, stiffnesses and dampings of joints as machines have them."""
    return 10.0 ** rng.uniform(-2.0, 1.5, count), 10.0 ** rng.uniform(3.0, 7.0, count), rng.uniform(0.0, 5.0, count)


def wild(rng, count):
    """The same over many orders of magnitude, half of them without damping."""
    damping = np.where(rng.random(count) < 0.5, 0.0, 10.0 ** rng.uniform(-2.0, 2.0, count))
    return 10.0 ** rng.uniform(-4.0, 3.0, count), 10.0 ** rng.uniform(1.0, 9.0, count), damping


def rubbing(rng, tree, numbers):
    """The same tree with dry friction in every joint; F, K, B in its order."""
    F, K, B = numbers(rng, len(tree.joint_names))
    bodies = []
    for k, body in enumerate(tree.bodies):
        element = tg.FrictionImpedance(stiffness=K[k], damping=B[k], law=tg.Coulomb(F[k]))
        joint = type(body.joint)(axis=body.joint.axis, friction=element)
        bodies.append(
            Body(
                name=body.name, mass=body.mass, inertia=body.inertia, center=body.center, parent=body.parent,
                joint=joint, position=body.position, rotation=body.rotation,
            )
        )  # fmt: skip
    return Tree(bodies), F, K, B


Rubbing = namedtuple("Rubbing", Model._fields + Joints._fields)
Work = namedtuple("Work", "S free_tau free_slope tau slope a v1 wrench lines")


def solved(tree, q, v, tau, e, F, T):
    """Forces and speeds that were found for these limits; nothing else acts in the joints."""
    scene = Scene(tree=tree)
    joints, space = scene.joints[0], scene.spaces.workspace
    memory = space.empty()
    p, w = Rubbing(*tree._model, *joints), Work(*(space.part(memory, name) for name in Work._fields))
    friction = Friction(e.copy(), np.zeros(tree.nv, dtype=np.int64), F.copy(), *np.zeros((3, tree.nv)))
    prepare_world(w.S, p.g)
    forward_one(p.parent, p.kind, p.qi, p.vi, p.C, q, v, w.S)
    w.free_tau[:], w.free_slope[:] = tau, 0.0
    assert least_energy(p, w, friction, v, T)
    return joints, friction, w.v1


def test_forces_are_those_of_a_bounded_least_squares_problem():
    rng = np.random.default_rng(8)
    slid = 0
    for _ in range(40):
        tree, F, K, B = rubbing(rng, one_tree(rng, int(rng.choice([2, 5, 12]))), moderate)
        T = 10.0 ** rng.uniform(-4.0, -2.0)
        q, v, tau = random_state(rng, tree, free=False, size=10.0 ** rng.uniform(-3.0, 0.0))
        tau *= 10.0 ** rng.uniform(-1.0, 2.0)
        e = rng.uniform(-1.0, 1.0, len(F)) * F / K
        joints, friction, _ = solved(tree, q, v, tau, e, F, T)
        modes_from_forces(joints, friction)
        # min 1/2 f'Q f + b'f over |f| <= F, with M and the speeds without friction from other code
        c = 1.0 / (B + T * K)
        Q = T * np.linalg.inv(tree.mass_matrix(q)) + np.diag(c)
        b = v + T * tree.forward_dynamics(q, v, tau) - c * K * e
        root = np.linalg.cholesky(Q).T
        dense = lsq_linear(root, -np.linalg.solve(root.T, b), bounds=(-F, F), method="bvls", tol=1e-15, max_iter=1000).x
        blur = 1e-8 * F + 1e-12 * np.abs(b).max() / c  # what rounding of the speeds does to a stiff element's force
        assert (np.abs(friction.force - dense) <= blur).all()
        np.testing.assert_array_equal(friction.mode, -np.sign(friction.force) * (np.abs(friction.force) >= F))
        slid += int((friction.mode != 0).any() and (friction.mode == 0).any())
    assert slid > 10  # problems in which some stick and some slip


def test_however_unlike_the_joints_are_it_ends_with_the_law_of_each():
    """f is what its element gives at the speed, and the speeds are those that the forces give, by other code."""
    rng = np.random.default_rng(5)
    for _ in range(100):
        tree, F, K, B = rubbing(rng, one_tree(rng, int(rng.choice([2, 5, 12, 30]))), wild)
        T = 10.0 ** rng.uniform(-5.0, -1.0)
        q, v, tau = random_state(rng, tree, free=False, size=10.0 ** rng.uniform(-6.0, 1.0))
        tau *= 10.0 ** rng.uniform(-2.0, 4.0)
        e = rng.uniform(-1.0, 1.0, len(F)) * F / K
        _, friction, v1 = solved(tree, q, v, tau, e, F, T)
        ic = B + T * K
        blur = 1e-12 * (F + ic * np.abs(v1))
        assert (np.abs(friction.force - np.clip(K * e - ic * v1, -F, F)) <= blur).all()
        # The speeds are a small difference where stiff elements hold heavy bodies against large torques.
        freely = v + T * tree.forward_dynamics(q, v, tau + friction.force)
        assert np.abs(freely - v1).max() <= 1e-9 * (np.abs(v) + np.abs(v1)).max()
