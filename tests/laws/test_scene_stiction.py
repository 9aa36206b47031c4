"""Machines whose joints rub: what sticks stays, what is pushed beyond its limit moves, friction only takes energy."""

from dataclasses import replace

import numpy as np
import pytest

import tegotae as tg
from tegotae.multibody import Body, Lock, Prismatic, Revolute, Scene, Servo, Tree
from trees import random_bodies


def dry(limit, *, stiffness=1e6, damping=10.0):
    return tg.FrictionImpedance(stiffness=stiffness, damping=damping, law=tg.Coulomb(limit))


def arm(joints, friction):
    """Links of 2 kg and .4 m, standing on each other, whose axes lie across."""
    return Tree(
        [
            Body(
                name=f"link{k}", mass=2.0, inertia=(0.02, 0.02, 0.002), center=(0, 0, 0.2),
                parent=f"link{k - 1}" if k else None, position=(0, 0, 0.4 if k else 0.0),
                joint=Revolute(axis=(0, 1, 0) if k % 2 else (1, 0, 0), friction=friction),
            )
            for k in range(joints)
        ]
    )  # fmt: skip


BENT = np.array([0.3, -0.5, 0.4, 0.7, -0.2, 0.1, 0.5])


@pytest.mark.parametrize("stiffness", [1e6, 1e9])
def test_an_arm_parked_against_gravity_does_not_creep_in_an_hour(stiffness):
    tree = arm(7, dry(200.0, stiffness=stiffness))
    run = Scene(tree=tree).run(3600.0, period=1e-2, q=BENT, every=30_000)
    q = np.asarray(run.q)
    assert (q == q[0]).all()
    assert np.abs(run.v).max() < 1e-15
    # what holds it is its weight, by another route: inverse dynamics
    held = tree.inverse_dynamics(q[0], np.zeros(7), np.zeros(7))
    np.testing.assert_allclose(run.friction[-1], held, rtol=0, atol=1e-9)
    assert run.about["unsolved_steps"] == 0


def test_a_joint_moves_if_and_only_if_its_load_is_above_the_limit():
    """One link held out level: the torque on its joint is m g r = 3.924 N·m."""
    load = 2.0 * 9.81 * 0.2
    for share, moves in ((0.999, False), (1.001, True)):
        tree = arm(1, dry(load / share))
        run = Scene(tree=tree).run(2.0, period=1e-3, q=[np.pi / 2])
        fell = abs(float(run.q[-1, 0]) - np.pi / 2)
        assert (fell > 1e-3) == moves, (share, fell)
        if not moves:
            assert np.abs(run.v[-1]).max() < 1e-12


def test_what_slides_slows_down_at_the_rate_of_its_friction_and_stops():
    """A slider at 1 m/s with F/m = 2 m/s²: half a second, a quarter of a metre."""
    tree = Tree(
        [
            Body(name="slider", mass=1.5, joint=Prismatic(axis=(1, 0, 0), friction=dry(3.0, damping=2e3))),
        ]
    )
    run = Scene(tree=tree).run(1.0, period=1e-4, v=[1.0])
    assert float(run.q[-1, 0]) == pytest.approx(0.25, abs=2e-3)  # the element's own damper and spring, B v/K and F/K
    assert float(run.v[2499, 0]) == pytest.approx(0.5, abs=5e-3)
    assert np.abs(run.v[6000:]).max() < 1e-9


def grown(tree, friction, period, rng):
    """Largest gain of mechanical energy (springs of the elements included) between two ticks of 2 s, over its range."""
    run = Scene(tree=tree).run(2.0, period=period, q=0.5 * rng.normal(size=tree.nq), v=rng.normal(size=tree.nv))
    f, T = np.asarray(run.friction), period
    e = np.zeros_like(f)
    for tick in range(1, len(f)):
        e[tick] = (T * f[tick] + friction.damping * e[tick - 1]) / (friction.damping + T * friction.stiffness)
    E = np.asarray(run.kinetic_energy) + np.asarray(run.potential_energy) + 0.5 * friction.stiffness * (e**2).sum(1)
    assert run.about["unsolved_steps"] == 0
    return float((E - np.minimum.accumulate(E)).max() / np.ptp(E)), run


@pytest.mark.parametrize("seed", range(4))
def test_friction_takes_energy_and_gives_none(seed):
    """Ticks are of first order, so energy may ripple by a share of the period: it must shrink with it."""
    friction = dry(1.5, stiffness=1e5, damping=30.0)
    bodies = random_bodies(np.random.default_rng(seed), 5, turning=1.0)
    tree = Tree([replace(b, joint=replace(b.joint, friction=friction)) for b in bodies])
    coarse, _ = grown(tree, friction, 1e-3, np.random.default_rng(seed))
    fine, _ = grown(tree, friction, 1e-4, np.random.default_rng(seed))
    assert coarse < 0.02
    assert fine < max(0.2 * coarse, 1e-6)


def test_strong_friction_brings_any_arm_to_rest_and_keeps_it():
    for seed in range(4):
        rng = np.random.default_rng(seed)
        bodies = random_bodies(rng, 6)
        tree = Tree([replace(b, joint=replace(b.joint, friction=dry(150.0))) for b in bodies])
        run = Scene(tree=tree).run(4.0, period=1e-3, q=rng.normal(size=tree.nq), v=rng.normal(size=tree.nv))
        assert np.abs(run.v[-1]).max() < 1e-10
        assert np.abs(np.asarray(run.q[3000:]) - run.q[-1]).max() < 1e-12
        assert run.about["unsolved_steps"] == 0


def test_a_servo_pulls_its_joint_until_friction_holds_it_off_the_target():
    """A slow push by a spring: it stops where gain x error is what the joint's friction can hold."""
    tree = Tree([Body(name="cart", mass=1.0, joint=Prismatic(axis=(1, 0, 0), friction=dry(2.0)))])
    scene = Scene(tree=tree, controllers={"cart": Servo(gain=100.0, rate_gain=20.0)})
    far = scene.run(5.0, period=1e-3, targets={"cart": 0.5})
    assert float(far.q[-1, 0]) == pytest.approx(0.5 - 2.0 / 100.0, abs=1e-4)
    near = scene.run(5.0, period=1e-3, targets={"cart": 0.019})
    assert abs(float(near.q[-1, 0])) < 1e-5  # 1.9 N do not move it but for the element's own spring


@pytest.mark.parametrize(("method", "falls", "most"), [("euler", 2.0, 0.01), ("midpoint", 4.0, 2e-5)])
def test_a_servo_without_friction_is_the_closed_form(method, falls, most):
    """Critically damped: q = target (1 - (1 + w t) exp(-w t)); errors fall with the order of the ticks."""
    tree = Tree([Body(name="cart", mass=1.0, joint=Prismatic(axis=(1, 0, 0)))])
    scene = Scene(tree=tree, controllers={"cart": Servo(gain=100.0, rate_gain=20.0)})
    errors = []
    for period in (1e-3, 5e-4):
        run = scene.run(0.5, period=period, targets={"cart": 1.0}, method=method)
        t = np.asarray(run.time)
        errors.append(np.abs(run.q[:, 0] - (1.0 - (1.0 + 10.0 * t) * np.exp(-10.0 * t))).max())
    assert errors[0] < most
    assert errors[0] / errors[1] == pytest.approx(falls, abs=0.1)


@pytest.mark.parametrize("method", ["midpoint", "euler", "symplectic", "rk4"])
def test_a_locked_joint_makes_one_body_of_two(method):
    """Locked at an angle, the arm moves as one whose second link is fixed there."""

    def upper(joint):
        return Body(name="upper", mass=1.0, inertia=(0.1, 0.1, 0.01), center=(0, 0, -0.5), joint=joint)

    turn = np.array([[np.cos(0.7), 0, np.sin(0.7)], [0, 1, 0], [-np.sin(0.7), 0, np.cos(0.7)]])
    first = Revolute(axis=(0, 1, 0))
    lower = Body(
        name="lower", mass=2.0, inertia=(0.2, 0.2, 0.02), center=(0, 0, -0.3), parent="upper", position=(0, 0, -1),
        joint=Revolute(axis=(0, 1, 0)),
    )  # fmt: skip
    from tegotae.multibody import Fixed

    welded = Tree([upper(first), replace(lower, joint=Fixed(), rotation=turn)])
    locked = Scene(tree=Tree([upper(first), lower]), controllers={"lower": Lock()})
    one = locked.run(1.0, period=1e-3, q=[0.4, 0.7], v=[1.0, 0.0], method=method)
    other = Scene(tree=welded).run(1.0, period=1e-3, q=[0.4], v=[1.0], method=method)
    np.testing.assert_allclose(one.q[:, 0], other.q[:, 0], rtol=0, atol=1e-11)
    assert (np.asarray(one.q[:, 1]) == 0.7).all()


def test_explicit_methods_refuse_friction_and_name_it():
    for method in ("symplectic", "rk4"):
        with pytest.raises(ValueError, match=r"friction in link0.*\n.*midpoint"):
            Scene(tree=arm(2, dry(1.0))).run(0.1, period=1e-3, method=method)
