"""Joints of several degrees, and armature: against Pinocchio, MuJoCo, maximal coordinates and closed forms."""

import numpy as np
import pinocchio as pin
import pytest

from joints_in_pinocchio import (
    KINDS,
    in_mujoco,
    in_pinocchio,
    mujoco_acceleration,
    pinocchio_acceleration,
    pinocchio_force,
    random_mechanism,
    random_state,
    sizes,
    speeds_in_pinocchio,
    to_pinocchio,
)
from linkages import (
    Link,
    Mechanism,
    X,
    Y,
    Z,
    free,
    matrix_of,
    quaternion_of,
    revolute,
    spherical,
    tree_of,
    turned,
    universal,
)
from maximal import Maximal
from tegotae.multibody import Body, Revolute, Scene, Tree

TREES = range(6)
# Both sides round about 1e-16 per operation; behind ten bodies whose axes lie as they come that has grown to 1e-13.
CLOSE = 1e-11


def close(ours, theirs):
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=CLOSE * np.abs(theirs).max())


@pytest.mark.parametrize("seed", TREES)
def test_forward_dynamics_is_pinocchios(seed):
    rng = np.random.default_rng(seed)
    for armature in (False, True):
        mechanism = random_mechanism(rng, 12, armature=armature)
        q, v, force = random_state(rng, mechanism)
        tree = tree_of(mechanism)
        assert (tree.nq, tree.nv) == sizes(mechanism)
        close(
            tree.forward_dynamics(q, v, force), pinocchio_acceleration(mechanism, in_pinocchio(mechanism), q, v, force)
        )


@pytest.mark.parametrize("seed", TREES)
def test_forward_dynamics_is_mujocos(seed):
    rng = np.random.default_rng(100 + seed)
    mechanism = random_mechanism(rng, 12, armature=True)
    q, v, force = random_state(rng, mechanism)
    theirs = mujoco_acceleration(mechanism, in_mujoco(mechanism), q, v, force)
    close(tree_of(mechanism).forward_dynamics(q, v, force), theirs)


@pytest.mark.parametrize("kind", KINDS)
def test_one_kind_alone(kind):
    """Three bodies in a row and one aside, all on joints of one kind."""
    rng = np.random.default_rng(KINDS.index(kind))
    mechanism = random_mechanism(rng, 4, kinds=(kind,) * 4)
    q, v, force = random_state(rng, mechanism)
    theirs = pinocchio_acceleration(mechanism, in_pinocchio(mechanism), q, v, force)
    close(tree_of(mechanism).forward_dynamics(q, v, force), theirs)


@pytest.mark.parametrize("seed", TREES)
def test_inverse_dynamics_and_energy_are_pinocchios(seed):
    rng = np.random.default_rng(200 + seed)
    mechanism = random_mechanism(rng, 10)
    q, v, a = random_state(rng, mechanism)
    model, tree = in_pinocchio(mechanism), tree_of(mechanism)
    close(tree.inverse_dynamics(q, v, a), pinocchio_force(mechanism, model, q, v, a))
    there, speed, _ = to_pinocchio(mechanism, q, v, v)
    kinetic, potential = tree.energy(q, v)
    data = model.createData()
    assert kinetic == pytest.approx(pin.computeKineticEnergy(model, data, there, speed), rel=1e-12)
    assert potential == pytest.approx(pin.computePotentialEnergy(model, data, there), rel=1e-11, abs=1e-11)
    assert 0.5 * v @ tree.mass_matrix(q) @ v == pytest.approx(float(kinetic), rel=1e-12)
    linear, angular = tree.momentum(q, v)
    h = pin.computeCentroidalMomentum(model, data, there, speed)
    close(linear, h.linear)
    close(angular - np.cross(tree.center_of_mass(q), linear), h.angular)


@pytest.mark.parametrize("seed", TREES)
def test_poses_and_jacobians_are_those_of_the_chain(seed):
    """Bodies one after the other, as the conventions say; speeds of centres of mass."""
    rng = np.random.default_rng(300 + seed)
    mechanism = random_mechanism(rng, 10)
    q, v, _ = random_state(rng, mechanism)
    tree, state = tree_of(mechanism), Maximal(mechanism).state(q, v)
    for k, link in enumerate(mechanism.links):
        place, turn = tree.pose(q, link.name)
        close(place + turn @ np.asarray(link.center), state.r[k])
        close(turn, matrix_of(state.Q[k]))
        moves = tree.jacobian(q, link.name, link.center) @ v
        close(moves, np.concatenate([state.V[k], state.W[k]]))


def test_mass_matrix_in_our_speeds_is_pinocchios():
    rng = np.random.default_rng(7)
    chain = random_mechanism(rng, len(KINDS), armature=True)
    # Pinocchio's mass matrix wants each branch to its end: one chain.
    links = [Link(**{**vars(link), "parent": f"b{k - 1}" if k else None}) for k, link in enumerate(chain.links)]
    mechanism = Mechanism(links=tuple(links))
    q, v, force = random_state(rng, mechanism)
    model = in_pinocchio(mechanism)
    M = pin.crba(model, model.createData(), to_pinocchio(mechanism, q, v, force)[0])
    M, speeds = np.triu(M) + np.triu(M, 1).T, speeds_in_pinocchio(mechanism, q)
    close(tree_of(mechanism).mass_matrix(q), speeds.T @ M @ speeds)


# ------------------------------------------------------------ runs


def chain():
    """A bob on a ball, a second on a Cardan joint at its end."""
    tilt = tuple(map(tuple, turned((0.6, 0.8, 0.0), 0.4)))
    return Mechanism(
        links=(
            Link(name="bob", mass=1.0, inertia=(0.05, 0.06, 0.02), center=(0.02, 0, -0.3), joint=spherical()),
            Link(name="tail", mass=0.7, inertia=(0.03, 0.02, 0.02), center=(0, 0.05, -0.2), parent="bob",
                 position=(0, 0, -0.6), rotation=tilt, joint=universal(X, Y)),
        )
    )  # fmt: skip


def fitted_order(periods, errors):
    return float(np.polyfit(np.log(periods), np.log(errors), 1)[0])


def test_ticks_of_a_ball_and_a_cardan_joint_are_of_second_order():
    mechanism, until = chain(), 0.5
    q = np.concatenate([quaternion_of(turned((0.0, 0.6, 0.8), 0.9)), [0.3, -0.4]])
    v = np.array([1.0, -2.0, 3.0, -1.0, 2.0])
    reference = Maximal(mechanism)
    wanted = reference.run(until, q, v)
    tree, periods, errors = tree_of(mechanism), (4e-3, 2e-3, 1e-3), []
    for period in periods:
        run = Scene(tree=tree).run(until, period=period, q=q, v=v)
        got = reference.state(run.q[-1], run.v[-1])
        errors.append(max(np.abs(got.r - wanted.r).max(), np.abs(got.V - wanted.V).max()))
        assert np.linalg.norm(run.q[-1, :4]) == pytest.approx(1.0, abs=1e-12)
    # errors ~ C T²: over a factor of four of T the next term changes the slope by less than 0.1
    assert fitted_order(periods, errors) == pytest.approx(2.0, abs=0.1), errors
    assert errors[-1] < 1e-4


def test_a_symmetric_body_on_a_ball_wobbles_as_euler_says():
    """Without weight, held at its centre: the axis goes round the angular momentum at L/I1, its angle to it kept."""
    across, along, until = 0.08, 0.05, 2.0
    mechanism = Mechanism(
        links=(Link(name="top", mass=1.0, inertia=(across, across, along), joint=spherical()),), gravity=(0, 0, 0)
    )
    v = np.array([0.6, 0.0, 3.0])  # upright: the joint's axes are the body's
    L = np.array([across * v[0], 0.0, along * v[2]])
    rate, way = np.linalg.norm(L) / across, L / np.linalg.norm(L)
    periods, errors = (8e-3, 4e-3, 2e-3), []
    for period in periods:
        run = Scene(tree=tree_of(mechanism)).run(until, period=period, q=[1, 0, 0, 0], v=v)
        axis = matrix_of(run.q[-1]) @ Z
        errors.append(np.abs(axis - turned(way, rate * until) @ Z).max())
    assert fitted_order(periods, errors) == pytest.approx(2.0, abs=0.1), errors


def test_what_flies_beside_a_turning_body_flies_straight():
    """Six degrees between bodies carry no force: seen from the world, the free one keeps its velocity and its turn."""
    speed, until = 2.0, 0.6
    mechanism = Mechanism(
        links=(
            Link(name="table", mass=5.0, inertia=(1.0, 1.0, 1.0), position=(0.3, 0, 0), joint=revolute()),
            Link(name="dart", mass=0.5, inertia=(0.01, 0.02, 0.02), center=(0, 0, 0), parent="table", joint=free()),
        ),
        gravity=(0, 0, 0),
    )
    start, push, spin = np.array([0.2, 0.1, 0.0]), np.array([0.5, -0.3, 0.2]), np.array([3.0, 0.0, 0.0])
    q = np.concatenate([[0.0], start, [1.0, 0.0, 0.0, 0.0]])
    seen = push - np.cross([0, 0, speed], start)  # from the table, at an angle of 0
    v = np.concatenate([[speed], seen, spin - [0, 0, speed]])
    tree, periods, errors = tree_of(mechanism), (8e-3, 4e-3, 2e-3), []
    a = tree.forward_dynamics(q, v)
    assert abs(a[0]) < 1e-12
    for period in periods:
        run = Scene(tree=tree).run(until, period=period, q=q, v=v)
        place, turn = tree.pose(run.q[-1], "dart")
        straight = np.array([0.3, 0, 0]) + start + push * until
        errors.append(max(np.abs(place - straight).max(), np.abs(turn - turned(X, 3.0 * until)).max()))
    assert fitted_order(periods, errors) == pytest.approx(2.0, abs=0.1), errors


def test_armature_adds_to_the_inertia_of_its_joint_and_weighs_nothing():
    m, length, moment, armature = 1.5, 0.4, 0.03, 0.25
    arm = Body(
        name="arm", mass=m, inertia=(moment, moment, moment), center=(0, 0, -length),
        joint=Revolute(axis=(0, 1, 0), armature=armature),
    )  # fmt: skip
    tree = Tree([arm])
    whole = moment + m * length**2 + armature
    assert tree.mass_matrix([0.7])[0, 0] == pytest.approx(whole, rel=1e-14)
    assert tree.forward_dynamics([0.7], [2.0], [0.1])[0] == pytest.approx(
        (0.1 - m * 9.81 * length * np.sin(0.7)) / whole, rel=1e-13
    )
    assert tree.energy([0.7], [2.0])[0] == pytest.approx(0.5 * whole * 4.0, rel=1e-14)
    assert tree.mass == m
