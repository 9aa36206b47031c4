"""Every robot of example-robot-data, as a tree, equals what Pinocchio reads from the same file."""

import warnings

import numpy as np
import pinocchio as pin
import pytest

from robots import every_robot, pinocchio_model, robot, to_pinocchio
from tegotae.multibody import Tree, UrdfWarning, load_urdf
from tegotae.multibody.tree_arrays import FREE, PRISMATIC

BASES = pytest.mark.parametrize("free_base", [False, True], ids=["fixed", "free"])


def loaded(name: str, free_base: bool) -> Tree:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UrdfWarning)
        return load_urdf(robot(name), free_base=free_base)


def configuration(tree: Tree, seed: int) -> np.ndarray:
    q = np.random.default_rng(seed).normal(size=tree.nq)
    for i in tree.arrays.qi[tree.arrays.kind == FREE]:
        q[i + 3 : i + 7] /= np.linalg.norm(q[i + 3 : i + 7])
    return q


def turned(q: np.ndarray) -> np.ndarray:
    w, x, y, z = q
    return pin.Quaternion(w, x, y, z).toRotationMatrix()


def cross(r: np.ndarray) -> np.ndarray:
    return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])


def kinematics(tree: Tree, q: np.ndarray):
    """Of each moving body: rotation, centre of mass, and how its velocity and turn follow from v; all by the words
    of the layout, R_k = R_i A Rz(q), c_k = c_i + R_i d1 + R_k r1, in the kernels' coordinates."""
    lay = tree.arrays
    q, _ = lay.inner(q, np.zeros(tree.nv))
    R, c, J = [], [], []
    for k, parent in enumerate(lay.parent):
        i, j, C = lay.qi[k], lay.vi[k], lay.C[k]
        A, d1, r1 = C[:9].reshape(3, 3), C[9:12], C[12:15]
        Ri, ci, Ji = (
            (np.eye(3), np.zeros(3), np.zeros((6, tree.nv))) if parent < 0 else (R[parent], c[parent], J[parent])
        )
        Jk = Ji.copy()
        if lay.kind[k] == FREE:
            assert parent == -1
            assert (np.eye(3) == A).all()
            assert not d1.any()
            assert not r1.any()
            R.append(turned(q[i + 3 : i + 7]))
            c.append(q[i : i + 3])
            Jk[:, j : j + 6] = np.eye(6)
            J.append(Jk)
            continue
        slides = lay.kind[k] == PRISMATIC
        s, co = (0.0, 1.0) if slides else (np.sin(q[i]), np.cos(q[i]))
        Rk = Ri @ A @ np.array([[co, -s, 0], [s, co, 0], [0, 0, 1]])
        axis = Rk[:, 2]
        ck = ci + Ri @ d1 + (axis * q[i] if slides else 0.0) + Rk @ r1
        Jk[:3] -= cross(ck - ci) @ Ji[3:]
        if slides:
            Jk[:3, j] += axis
        else:
            Jk[:3, j] += np.cross(axis, Rk @ r1)
            Jk[3:, j] += axis
        R.append(Rk), c.append(ck), J.append(Jk)
    return R, c, J


@BASES
@pytest.mark.parametrize("name", every_robot())
def test_a_robot_is_what_pinocchio_reads(name: str, free_base: bool) -> None:
    tree, model = loaded(name, free_base), pinocchio_model(robot(name), free_base)
    assert tree.nv == model.nv
    assert set(tree.joint_names) == set(list(model.names)[2 if free_base else 1 :])
    q = configuration(tree, 1)
    there, B = to_pinocchio(model, tree.joint_names, q, free_base)
    data = model.createData()
    pin.framesForwardKinematics(model, data, there)
    R, c, J = kinematics(tree, q)

    for link, (k, place, rotation) in tree.frames.items():
        Rk, ck = (np.eye(3), np.zeros(3)) if k < 0 else (R[k], c[k])
        frame = data.oMf[model.getFrameId(link, pin.FrameType.BODY)]
        np.testing.assert_allclose(
            ck + Rk @ place, frame.translation, rtol=0, atol=2e-13
        )  # metres, up to 100 turns behind
        np.testing.assert_allclose(Rk @ rotation, frame.rotation, rtol=0, atol=1e-13)

    if not tree.nv:
        return
    M = np.zeros((tree.nv, tree.nv))
    T = np.column_stack([tree.arrays.inner(q, one)[1] for one in np.eye(tree.nv)])
    for k, C in enumerate(tree.arrays.C):
        xx, yy, zz, xy, xz, yz = C[16:22]
        inertia = R[k] @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R[k].T
        Jk = J[k] @ T
        M += C[15] * Jk[:3].T @ Jk[:3] + Jk[3:].T @ inertia @ Jk[3:]
    wanted = pin.crba(model, data, there)
    wanted = B.T @ (np.triu(wanted) + np.triu(wanted, 1).T) @ B
    np.testing.assert_allclose(M, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())


@BASES
@pytest.mark.parametrize("name", every_robot()[::3])
def test_mass_and_centre_at_rest(name: str, free_base: bool) -> None:
    tree, model = loaded(name, free_base), pinocchio_model(robot(name), free_base)
    mass = sum(inertia.mass for inertia in list(model.inertias)[1:])
    assert tree.mass == pytest.approx(mass, rel=1e-13)
    if mass == 0.0:
        return
    data = model.createData()
    wanted = pin.centerOfMass(model, data, to_pinocchio(model, tree.joint_names, tree.neutral(), free_base)[0])
    _, c, _ = kinematics(tree, tree.neutral())
    np.testing.assert_allclose(tree.arrays.C[:, 15] @ np.array(c) / mass, wanted, rtol=0, atol=1e-13)


def test_limits_and_damping_are_those_of_the_file() -> None:
    for name in ("panda_description/urdf/panda.urdf", "baxter_description/urdf/baxter.urdf"):
        tree, model = loaded(name, False), pinocchio_model(robot(name), False)
        assert tree.joints
        for joint_name, joint in tree.joints.items():
            there = model.joints[model.getJointId(joint_name)]
            assert joint.lower == model.lowerPositionLimit[there.idx_q]
            assert joint.upper == model.upperPositionLimit[there.idx_q]
            assert joint.effort == model.upperEffortLimit[there.idx_v]
            assert joint.speed == model.upperVelocityLimit[there.idx_v]
            assert joint.damping == model.damping[there.idx_v]
            limit = 0.0 if joint.friction is None else joint.friction.law.limit
            assert limit == model.upperDryFrictionLimit[there.idx_v]
