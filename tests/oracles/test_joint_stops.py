"""Limits of joints that stop: Newton's law and springs inside joints, against closed forms and dense algebra."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import brentq

import tegotae as tg
from tegotae.multibody import AtJoint, Body, Free, JointStop, Prismatic, Revolute, Scene, Servo, Tree

METHODS = ("midpoint", "euler")
G, ARM = 9.81, 0.7


def slide(mass=1.0, gravity=0.0, friction=None, stop=None, **limits) -> Tree:
    """A mass on a vertical rail."""
    joint = Prismatic(axis=(0, 0, 1), name="rail", friction=friction, stop=stop or JointStop(restitution=0.5), **limits)
    return Tree([Body(name="sled", mass=mass, joint=joint)], gravity=(0, 0, -gravity))


def pendulum(mass=1.0, stop=None, **limits) -> Tree:
    """A bob on a stick without weight; its moment of inertia is mass ARM²."""
    joint = Revolute(axis=(0, 1, 0), name="hinge", stop=stop or JointStop(restitution=0.5), **limits)
    return Tree([Body(name="bob", mass=mass, center=(0, 0, -ARM), joint=joint)])


# ------------------------------------------------------------ one joint


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("period", [2e-4, 1e-3, 5e-3])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_slide_without_weight_leaves_its_limit_at_once(method, restitution, period, side):
    """Its place is that of an impact at its moment, its impulse (1 + e) m v; mass and stiffness do not matter."""
    room, speed = 0.0123, 2.0
    for mass, stiffness in ((1e-3, 1e8), (1e3, 1e3)):
        stop = JointStop(stiffness=stiffness, restitution=restitution)
        tree = slide(mass, stop=stop, **({"upper": room} if side > 0.0 else {"lower": -room}))
        run = Scene(tree=tree, method=method).run(0.02, period=period, v=[side * speed])
        assert run.v[-1, 0] == pytest.approx(-side * restitution * speed, rel=1e-8, abs=1e-8)
        left = run.time[-1] - room / speed
        assert run.q[-1, 0] == pytest.approx(side * (room - restitution * speed * left), abs=1e-9)
        impulse = run.contact_force[:, 0].sum(axis=0) * period
        assert impulse == pytest.approx([0, 0, -side * (1.0 + restitution) * mass * speed], rel=1e-8)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("period", [2e-4, 1e-3, 5e-3])
def test_a_pendulum_leaves_its_limit_with_part_of_its_speed(method, restitution, period):
    """It swings down onto its limit; its energy tells the speed, and what is left of that the law."""
    start = 0.6
    fast = np.sqrt(2.0 * G / ARM * (1.0 - np.cos(start)))
    for mass in (1e-2, 1e3):
        tree = pendulum(mass, upper=0.0, stop=JointStop(restitution=restitution))
        run = Scene(tree=tree, method=method).run(0.6, period=period, q=[-start])
        hit = int(np.argmax(run.contact_force[:, 0, 1] != 0.0))
        above = np.maximum(2.0 * G / ARM * (1.0 - np.cos(run.q[:, 0])), 0.0)
        speed = np.sqrt(run.v[:, 0] ** 2 + above)  # that it has at the bottom
        close = 2e-3 if method == "euler" else 5e-4  # Euler's energy swings by the share T g v of the tick
        assert speed[hit - 1] == pytest.approx(fast, rel=10.0 * period)
        assert speed[hit] / fast == pytest.approx(restitution, abs=close)
        assert np.allclose(run.contact_force[:, 0, [0, 2]], 0.0)
        assert run.about["unsolved_steps"] == 0
        assert run.about["beyond_limits"] == ""


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("restitution", [0.5, 0.8])
def test_a_slide_that_bounces_on_its_limit(method, restitution):
    """Each flight has e² times the energy of the one before; they are a geometric series, and then it rests."""
    height, mass, period = 0.3, 3.0, 1e-3
    scene = Scene(tree=slide(mass, G, lower=0.0, stop=JointStop(restitution=restitution)), method=method)
    run = scene.run(3.0, period=period, q=[height])
    speed = run.v[:, 0] if method == "midpoint" else run.v[:, 0] - 0.5 * G * period
    energy = 0.5 * speed**2 + G * run.q[:, 0]
    pushed = run.contact_force[:, 0, 2] > 0.0
    hits = np.flatnonzero(pushed[1:] & ~pushed[:-1]) + 1
    for n, hit in enumerate(hits[:4]):
        assert energy[hit - 1] == pytest.approx(energy[0] * restitution ** (2 * n), rel=1e-6)
    ends = np.sqrt(2.0 * height / G) * (1.0 + restitution) / (1.0 - restitution)
    rests = run.time[len(pushed) - np.argmin(pushed[::-1])]
    assert abs(rests - ends) < 5.0 * period / (1.0 - restitution)  # bounces shorter than a tick are left out
    assert run.q[-1, 0] == pytest.approx(-mass * G / 1e5, rel=1e-9)
    assert np.ptp(run.q[run.time > ends + 0.5]) < 1e-12


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("restitution", [None, 0.0, 0.5])
def test_what_rests_on_a_limit_does_not_creep(method, restitution):
    """K times how far it is beyond is the moment of its weight there; an hour later, too."""
    stop, upper = JointStop(stiffness=1e4, restitution=restitution), 0.5
    body = Body(name="bar", mass=2.0, center=(ARM, 0, 0), joint=Revolute(axis=(0, 1, 0), upper=upper, stop=stop))
    scene = Scene(tree=Tree([body]), method=method)
    run = scene.run(60.0, period=1e-3, every=1000, q=[0.45])
    moment = 2.0 * G * ARM
    deep = brentq(lambda x: 1e4 * x - moment * np.cos(upper + x), 0.0, 0.1)
    assert run.q[-1, 0] - upper == pytest.approx(deep, rel=1e-9)
    assert run.contact_force[-1, 0] == pytest.approx([0, -moment * np.cos(upper + deep), 0], rel=1e-9)
    assert np.ptp(run.q[10:]) < 1e-15
    again = scene.run(1.0, period=1e-3, q=run.q[-1])  # a start as deep as its weight presses it
    assert np.abs(again.v).max() < 1e-9


@pytest.mark.parametrize("method", METHODS)
def test_without_restitution_it_is_a_spring_and_a_damper(method):
    """Inside the limit it swings as a damped oscillator: it leaves with a known part of its speed."""
    mass, stiffness, zeta, speed = 2.0, 5e3, 0.3, 0.4
    free = np.sqrt(stiffness / mass)
    damping = 2.0 * zeta * np.sqrt(stiffness * mass)
    stop = JointStop(stiffness=stiffness, damping=damping)
    scene = Scene(tree=slide(mass, upper=0.0, stop=stop), method=method)
    run = scene.run(0.2, period=1e-5, every=10, v=[speed])
    # It leaves where f = K e + c e' falls to 0: they do not pull.
    damped = free * np.sqrt(1.0 - zeta**2)
    root = np.sqrt(1.0 - zeta**2)

    def moved(t):
        return speed / damped * np.exp(-zeta * free * t) * np.sin(damped * t)

    def rate(t):
        return speed * np.exp(-zeta * free * t) * (np.cos(damped * t) - zeta / root * np.sin(damped * t))

    ends = brentq(lambda t: stiffness * moved(t) + damping * rate(t), 0.25 * np.pi / damped, np.pi / damped)
    assert run.v[-1, 0] == pytest.approx(rate(ends), rel=2e-3)
    assert run.q.max() == pytest.approx(max(moved(np.linspace(0.0, ends, 1000))), rel=2e-3)


@pytest.mark.parametrize("method", ["symplectic", "rk4"])
def test_explicit_methods_take_the_spring(method):
    """A hinge and a slide without damping give back all of the speed."""
    stop = JointStop(stiffness=1e4, damping=0.0)
    turn = Revolute(axis=(0, 1, 0), upper=0.01, stop=stop)
    bodies = [Body(name="disk", mass=1.0, inertia=(0.1, 0.1, 0.1), joint=turn)]
    bodies += [Body(name="sled", mass=0.5, joint=Prismatic(axis=(1, 0, 0), lower=-0.02, stop=stop))]
    run = Scene(tree=Tree(bodies, gravity=(0, 0, 0)), method=method).run(0.2, period=1e-5, every=100, v=[1.0, -1.0])
    assert run.v[-1] == pytest.approx([-1.0, 1.0], rel=1e-3)
    deep = np.sqrt(np.array([0.1, 0.5]) / 1e4)  # all of the energy is in the spring
    assert [-run.gap[:, 0].min(), -run.gap[:, 1].min()] == pytest.approx(deep, rel=1e-3)


@pytest.mark.parametrize("method", ["symplectic", "rk4", "midpoint", "euler"])
@pytest.mark.parametrize("kind", [Revolute, Prismatic])
def test_two_bodies_that_fly_apart_to_a_limit_between_them(method, kind):
    """A spring without damping turns their relative speed round; momentum is kept, and they share it by their mass."""
    moments, stop = np.array([0.3, 0.1]), JointStop(stiffness=200.0, damping=0.0)
    hull = Body(name="hull", mass=0.3, inertia=moments[:1].repeat(3), joint=Free())
    joint = kind(axis=(0, 1, 0), upper=0.02, stop=stop)
    other = Body(name="other", mass=0.1, inertia=moments[1:].repeat(3), parent="hull", joint=joint)
    v = np.zeros(7)
    v[-1], place = 1.0, 4 if kind is Revolute else 1
    scene = Scene(tree=Tree([hull, other], gravity=(0, 0, 0)), method=method)
    run = scene.run(0.15, period=1e-5, every=100, v=v)
    whole = moments[1] * 1.0 / moments.sum()  # momentum over mass, the speed of both as one: it stays
    assert run.v[-1, place] == pytest.approx(2.0 * whole, rel=1e-3)
    assert run.v[-1, -1] == pytest.approx(-1.0, rel=1e-3)
    reduced = moments.prod() / moments.sum()
    assert -run.gap.min() == pytest.approx(np.sqrt(reduced / 200.0), rel=1e-3)
    assert np.delete(run.v[-1, :6], place) == pytest.approx(np.zeros(5), abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("period", [2e-4, 1e-3])
def test_between_two_limits(method, period):
    """To and fro: after n impacts e^n of the speed is left, at the times of a ball between two walls."""
    e, room, speed = 0.9, 0.05, 3.0
    run = Scene(tree=slide(lower=-room, upper=room, stop=JointStop(restitution=e)), method=method).run(
        0.2, period=period, v=[speed]
    )
    times = room / speed + np.cumsum([0.0, *(2.0 * room / (speed * e**n) for n in range(1, 5))])
    for n, (begin, end) in enumerate(pairwise(times), 1):
        flying = (run.time > begin + period) & (run.time < end - period)
        assert run.v[flying, 0] == pytest.approx(speed * (-1.0) ** n * e**n, rel=1e-7)
    assert np.abs(run.q).max() < room + 1e-9


# ------------------------------------------------------------ friction, servos, ports


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_friction_in_the_same_joint(method, restitution):
    """Coulomb friction takes F s on the way in and on the way out, the impact 1 - e² of what is left."""
    mass, force, room, speed, period = 2.0, 5.0, 0.2, 2.0, 2e-4
    rub = tg.FrictionImpedance(stiffness=1e6, damping=200.0, law=tg.Coulomb(force))
    tree = slide(mass, friction=rub, upper=room, stop=JointStop(restitution=restitution))
    run = Scene(tree=tree, method=method).run(0.8, period=period, v=[speed])
    met = np.sqrt(speed**2 - 2.0 * force * room / mass)
    stops = room - mass * (restitution * met) ** 2 / (2.0 * force)
    assert run.q[-1, 0] == pytest.approx(stops, abs=4.0 * force * period / mass * speed)  # the tick of the impact
    assert np.ptp(run.q[-500:]) < 1e-12  # it sticks there
    assert run.about["unsolved_steps"] == 0


@pytest.mark.parametrize("method", METHODS)
def test_a_servo_that_presses_onto_a_limit(method):
    """Gain times what is missing of the target is the moment of the stop."""
    tree = pendulum(upper=0.2, stop=JointStop(stiffness=1e6, restitution=0.2))
    scene = Scene(tree=tree, controllers={"hinge": Servo(gain=200.0, rate_gain=20.0)}, method=method)
    run = scene.run(3.0, period=1e-3, targets={"hinge": 0.5})
    pressed = 200.0 * (0.5 - run.q[-1, 0]) - G * ARM * np.sin(run.q[-1, 0])
    assert run.q[-1, 0] == pytest.approx(0.2 + pressed / 1e6, abs=1e-9)
    assert run.contact_force[-1, 0, 1] == pytest.approx(-pressed, rel=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_with_a_port(method):
    """A joint that is pushed by a steady force bounces on its limit as one that falls."""
    period, height, force = 1e-3, 0.3, 2.0 * G
    tree = slide(2.0, lower=0.0, stop=JointStop(restitution=0.5))
    scene = Scene(tree=tree, at=AtJoint("rail"), method=method)
    run = scene.run(np.full(400, -force), period=period, q=[height])
    speed = run.v[:, 0] if method == "midpoint" else run.v[:, 0] - 0.5 * G * period
    energy = 0.5 * speed**2 + G * run.q[:, 0]
    assert energy[300] / energy[0] == pytest.approx(0.25, rel=1e-5)


# ------------------------------------------------------------ many joints


def machine(stop: JointStop, free: bool) -> Tree:
    """Hinges and slides in all directions; the third is a hinge, the last a slide, and both stop."""
    hull = Body(name="hull", mass=3.0, inertia=(0.2, 0.3, 0.25), center=(0.1, 0, 0.05), joint=Free())
    joints = [
        Revolute(axis=(0, 1, 0.3)),
        Prismatic(axis=(1, 0.2, 0)),
        Revolute(axis=(0.3, 1, 0), upper=0.02, stop=stop),
        Prismatic(axis=(0, 0.4, 1), lower=-0.1, stop=stop),
    ]
    carriers = ["hull" if free else None, "l0", "l1", "l2"]
    links = [
        Body(
            name=f"l{i}",
            mass=1.3,
            inertia=(0.02, 0.015, 0.01),
            center=(0.05, 0.02, -0.15),
            parent=parent,
            position=(0, 0.1, -0.3),
            joint=joint,
        )
        for i, (parent, joint) in enumerate(zip(carriers, joints, strict=True))
    ]
    return Tree([*([hull] if free else []), *links], gravity=(0, 0, 0))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("joint", [2, 3])
@pytest.mark.parametrize("restitution", [0.0, 0.4, 1.0])
def test_an_impact_in_a_joint_of_a_machine(method, free, joint, restitution):
    """M dv = J' P with J' the joint's own row and v+ = -e v-, from the mass matrix; momentum stays if it floats."""
    period, o = 1e-6, 6 if free else 0
    tree = machine(JointStop(stiffness=1e6, restitution=restitution), free)
    q, rng = tree.neutral(), np.random.default_rng(joint)
    q[-4:] = 0.3, 0.1, 0.0, 0.0
    v = rng.normal(size=tree.nv)
    sign = 1.0 if joint == 2 else -1.0
    v[o + joint] = 2.0 * sign
    q[q.size - 4 + joint] = (0.02 if joint == 2 else -0.1) - sign * 2.0 * 1.5 * period
    run = Scene(tree=tree, method=method).run(4 * period, period=period, q=q, v=v)
    M, unit = tree.mass_matrix(run.q[1]), np.eye(tree.nv)[o + joint]
    answer = np.linalg.solve(M, unit)
    before = run.v[0]
    impulse = -(1.0 + restitution) * before[o + joint] / answer[o + joint]
    slack = 300.0 * period  # what else acts in a tick: up to v², (6 rad/s)², times some ratios of lengths
    assert run.v[2] == pytest.approx(before + impulse * answer, abs=slack)
    assert run.v[2, o + joint] == pytest.approx(-restitution * before[o + joint], abs=slack)
    force = run.contact_force.sum(axis=0) * period
    own = joint - 2  # the pairs: "l2 upper", "l3 lower"
    assert np.abs(force[1 - own]).max() == 0.0
    assert np.linalg.norm(force[own]) == pytest.approx(abs(impulse), rel=slack)
    if free:
        close = 1e-12 if method == "midpoint" else slack
        assert np.ptp(run.momentum, axis=0).max() < close
        assert np.ptp(run.angular_momentum, axis=0).max() < close
