"""Our three passes and Pinocchio, and identities that any mechanics must fulfil."""

import numpy as np
import pinocchio as pin
import pytest

from tegotae.multibody import Tree
from trees import (
    depth_first,
    in_pinocchio,
    one_tree,
    pinocchio_acceleration,
    pinocchio_state,
    random_bodies,
    random_state,
)


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("count", [1, 2, 5, 12, 40])
def test_accelerations_equal_pinocchios(free, count):
    rng = np.random.default_rng(100 * count + free)
    for _ in range(20):
        tree = one_tree(rng, count, free=free)
        q, v, tau = random_state(rng, tree, free=free)
        other = pinocchio_acceleration(tree, in_pinocchio(tree), q, v, tau, free=free)
        # 1e-12 relative: both round about 1e-16 per operation, along chains of up to 40 bodies
        np.testing.assert_allclose(tree.forward_dynamics(q, v, tau), other, rtol=0, atol=1e-12 * np.abs(other).max())


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("count", [100, pytest.param(500, marks=pytest.mark.slow)])  # Pinocchio prepares 500 for 20 s
def test_long_chains(free, count):
    rng = np.random.default_rng(7 + free)
    tree = one_tree(rng, count, free=free, chain=True)
    q, v, tau = random_state(rng, tree, free=free, size=0.1)
    other = pinocchio_acceleration(tree, in_pinocchio(tree), q, v, tau, free=free)
    np.testing.assert_allclose(tree.forward_dynamics(q, v, tau), other, rtol=0, atol=1e-11 * np.abs(other).max())


@pytest.mark.parametrize("free", [False, True])
def test_what_pinocchio_knows_else(free):
    """Inverse dynamics, mass matrix, energies, momentum, centre of mass, poses, Jacobians."""
    rng = np.random.default_rng(3 + free)
    for _ in range(10):
        tree = Tree(depth_first(random_bodies(rng, 9, free=free)))
        model = in_pinocchio(tree)
        data = model.createData()
        q, v, tau = random_state(rng, tree, free=free)
        pq, pv, _ = pinocchio_state(q, v, tau, free=free)
        M = pin.crba(model, data, pq)
        M = np.triu(M) + np.triu(M, 1).T
        X = np.eye(tree.nv)  # speeds in world axes -> Pinocchio's
        if free:
            R = pin.Quaternion(*q[3:7]).matrix()
            X[:3, :3] = X[3:6, 3:6] = R.T
        np.testing.assert_allclose(tree.mass_matrix(q), X.T @ M @ X, atol=1e-12)
        kinetic, potential = tree.energy(q, v)
        assert kinetic == pytest.approx(pin.computeKineticEnergy(model, data, pq, pv), rel=1e-12)
        assert potential == pytest.approx(pin.computePotentialEnergy(model, data, pq), rel=1e-12, abs=1e-12)
        np.testing.assert_allclose(tree.center_of_mass(q), pin.centerOfMass(model, data, pq), atol=1e-13)
        linear, angular = tree.momentum(q, v)
        h = pin.computeCentroidalMomentum(model, data, pq, pv)
        np.testing.assert_allclose(linear, h.linear, atol=1e-12)
        about_center = angular - np.cross(tree.center_of_mass(q), linear)
        np.testing.assert_allclose(about_center, h.angular, atol=1e-12)
        pin.computeJointJacobians(model, data, pq)
        pin.updateFramePlacements(model, data)
        name = tree.bodies[-1].name
        joint = model.getJointId(name)
        position, rotation = tree.pose(q, name)
        np.testing.assert_allclose(position, data.oMi[joint].translation, atol=1e-13)
        np.testing.assert_allclose(rotation, data.oMi[joint].rotation, atol=1e-13)
        J = pin.getJointJacobian(model, data, joint, pin.LOCAL_WORLD_ALIGNED) @ X
        np.testing.assert_allclose(tree.jacobian(q, name), J, atol=1e-12)


@pytest.mark.parametrize("free", [False, True])
def test_there_and_back(free):
    """Torques -> accelerations -> torques, for whole records at once, with wrenches on two bodies."""
    rng = np.random.default_rng(11 + free)
    tree = one_tree(rng, 15, free=free)
    rows = [random_state(rng, tree, free=free) for _ in range(6)]
    q, v, tau = (np.array([row[i] for row in rows]) for i in range(3))
    wrenches = {"b3": rng.normal(size=6), "b14": rng.normal(size=(6, 6))}
    a = tree.forward_dynamics(q, v, tau, wrenches=wrenches)
    np.testing.assert_allclose(tree.inverse_dynamics(q, v, a, wrenches=wrenches), tau, atol=1e-11)
    # a wrench is J' of its body: as a torque it does the same
    pushed = tau + np.array(
        [
            tree.jacobian(q[i], "b3").T @ wrenches["b3"] + tree.jacobian(q[i], "b14").T @ wrenches["b14"][i]
            for i in range(6)
        ]
    )
    np.testing.assert_allclose(tree.forward_dynamics(q, v, pushed), a, rtol=0, atol=1e-11 * np.abs(a).max())


def test_wrong_shapes_and_numbers_are_named():
    tree = one_tree(np.random.default_rng(1), 3)
    with pytest.raises(ValueError, match=r"q has shape \(2,\)"):
        tree.forward_dynamics([0.0, 0.0], [0.0] * 3)
    with pytest.raises(ValueError, match="torque"):
        tree.forward_dynamics([0.0] * 3, [0.0] * 3, [1.0, 2.0])
    with pytest.raises(ValueError, match="nan"):
        tree.forward_dynamics([np.nan, 0.0, 0.0], [0.0] * 3)
    with pytest.raises(ValueError, match="no body 'tail'"):
        tree.jacobian([0.0] * 3, "tail")
