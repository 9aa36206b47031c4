"""The midpoint's ticks: second order in every smooth phase, and what they may not lose: stick, stops, energy, momentum.

What they are set against is never another run of ours: Pinocchio's or written-out accelerations, integrated by scipy.
"""

import warnings
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import cumulative_simpson, solve_ivp
from scipy.spatial.transform import Rotation

import tegotae as tg
from tegotae.multibody import Body, Free, HalfSpace, Point, Prismatic, Revolute, Scene, Servo, Touch, Tree
from trees import in_pinocchio

G = 9.81


def fitted_order(periods, errors):
    return float(np.polyfit(np.log(periods), np.log(errors), 1)[0])


def two_links(upper=None, lower=None):
    """A double pendulum whose axes are not parallel, with friction in its joints."""

    def link(name, parent, friction):
        return Body(
            name=name, mass=1.0, inertia=(0.08, 0.08, 0.002), center=(0, 0, -0.5), parent=parent,
            position=(0, 0, -1.0 if parent else 0.0),
            joint=Revolute(axis=(0, 1, 0) if parent is None else (0.6, 0.8, 0), friction=friction),
        )  # fmt: skip

    return Tree([link("upper", None, upper), link("lower", "upper", lower)])


def dry(limit, stiffness=1e6, damping=1e3):
    return tg.FrictionImpedance(stiffness=stiffness, damping=damping, law=tg.Coulomb(limit))


# ------------------------------------------------------------ order, phase by phase


def test_order_while_joints_slide():
    """Coulomb friction in both joints, which keep the sense of their motion all the time."""
    limits, q, v, until = np.array([0.5, 0.2]), np.array([1.0, -0.5]), np.array([-2.0, 3.0]), 0.25
    model = in_pinocchio(two_links())
    data = model.createData()

    def rate(t, y):
        return np.concatenate([y[2:], pin.aba(model, data, y[:2], y[2:], -limits * np.sign(v))])

    wanted = solve_ivp(rate, (0, until), np.concatenate([q, v]), method="DOP853", rtol=1e-12, atol=1e-13).y
    assert (np.sign(wanted[2:]) == np.sign(v)[:, None]).all()  # sliding, one way
    scene, periods, errors = Scene(tree=two_links(*map(dry, limits))), (2e-3, 1e-3, 5e-4), []
    for period in periods:
        run = scene.run(until, period=period, q=q, v=v)
        errors.append(np.abs(np.concatenate([run.q[-1], run.v[-1]]) - wanted[:, -1]).max())
    assert fitted_order(periods, errors) == pytest.approx(2.0, abs=0.1), errors
    assert errors[1] < 1e-5


def test_order_while_a_joint_sticks():
    """The upper joint holds, the lower one swings as a pendulum on the world."""
    q, v, until = np.array([0.3, -0.5]), np.array([0.0, 1.0]), 1.0
    held = two_links()
    lower = replace(held.bodies[1], parent=None, position=(0, 0, 0))
    turn = np.array([[np.cos(0.3), 0, np.sin(0.3)], [0, 1, 0], [-np.sin(0.3), 0, np.cos(0.3)]])
    model = in_pinocchio(Tree([replace(lower, rotation=turn)]))
    data = model.createData()

    def rate(t, y):
        return np.array([y[1], pin.aba(model, data, y[:1], y[1:], np.zeros(1))[0]])

    wanted = solve_ivp(rate, (0, until), [q[1], v[1]], method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    scene, periods, errors = Scene(tree=two_links(dry(100.0, stiffness=1e10, damping=1e6))), (4e-3, 2e-3, 1e-3), []
    for period in periods:
        run = scene.run(until, period=period, q=q, v=v)
        errors.append(max(abs(run.q[-1, 1] - wanted[0]), abs(run.v[-1, 1] - wanted[1])))
        assert np.abs(run.q[:, 0] - q[0]).max() < 1e-8  # what its spring gives under its load
    assert fitted_order(periods, errors) == pytest.approx(2.0, abs=0.1), errors


@pytest.mark.parametrize("stiffness", [1e5, 1e6, 1e7])
def test_order_in_contact(stiffness):
    """A stick falls over whose end slides on a smooth floor, with the spring and damper of its contact in the truth."""
    length, inertia, beta, lean, until = 1.0, 1.0 / 12.0, 2e-3, 1.0, 0.3
    foot = 0.5 * length * np.cos(lean)
    force = G / (1.0 + foot * foot / inertia)  # where it begins to fall
    height = 0.5 * length * np.sin(lean) - force / stiffness

    def rate(t, y):
        z, turn, speed, spin = y
        gap, opening = z - 0.5 * length * np.sin(turn), speed - 0.5 * length * np.cos(turn) * spin
        N = max(0.0, -stiffness * (gap + beta * opening))
        return [speed, spin, N - G, -0.5 * length * np.cos(turn) * N / inertia]

    start = [height, lean, 0.0, 0.0]
    wanted = solve_ivp(rate, (0, until), start, method="Radau", rtol=1e-11, atol=1e-13).y[:2, -1]
    body = Body(name="stick", mass=1.0, inertia=(1e-3, inertia, inertia), joint=Free())
    floor = Touch(
        on="stick", toucher=Point(position=(0.5 * length, 0, 0)), surface=HalfSpace(),
        stiffness=stiffness, damping=stiffness * beta,
    )  # fmt: skip
    scene = Scene(tree=Tree([body]), touches=[floor], deepest=1.0)
    q = [0, 0, height, np.cos(0.5 * lean), 0, np.sin(0.5 * lean), 0]
    periods, errors = (2e-3, 1e-3, 5e-4), []
    for period in periods:
        run = scene.run(until, period=period, q=q)
        assert run.about["unsolved_steps"] == 0
        assert (run.contact_force[:, 0, 2] > 1.0).all()
        turn = 2.0 * np.arctan2(run.q[-1, 5], run.q[-1, 3])
        errors.append(max(abs(run.q[-1, 2] - wanted[0]), abs(turn - wanted[1])))
    assert fitted_order(periods, errors) == pytest.approx(2.0, abs=0.1), errors
    assert errors[1] < 1e-6


def test_order_of_a_floating_arm():
    """A base that floats and spins, with a torque in its joint: against Pinocchio, whose free joint turns in its own
    axes.
    """
    body = {"mass": 2.0, "inertia": (0.1, 0.2, 0.25)}
    hull = Body(name="hull", joint=Free(), **body)
    arm = Body(
        name="arm", parent="hull", position=(0.3, 0, 0), center=(0, 0.4, 0), joint=Revolute(axis=(0, 0, 1)), **body
    )
    tree = Tree([hull, arm])
    model = in_pinocchio(tree)
    data = model.createData()
    v, until, torque = np.array([0.2, -0.1, 0.3, 1.0, 2.0, 3.0, -1.0]), 0.5, 0.4
    effort = np.array([0, 0, 0, 0, 0, 0, torque])

    def rate(t, y):
        q, u = y[:8], y[8:]
        step = 1e-6
        moved = (pin.integrate(model, q, step * u) - pin.integrate(model, q, -step * u)) / (2.0 * step)
        return np.concatenate([moved, pin.aba(model, data, q, u, effort)])

    begun = np.concatenate([pin.neutral(model), v])
    wanted = solve_ivp(rate, (0, until), begun, method="DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
    place, turn = wanted[:3], wanted[[6, 3, 4, 5]] / np.linalg.norm(wanted[3:7])
    periods, errors = (2e-3, 1e-3, 5e-4), []
    for period in periods:
        run = Scene(tree=tree).run(until, period=period, v=v, torque=np.array([0, 0, 0, 0, 0, 0, torque]))
        q = run.q[-1]
        errors.append(max(np.abs(q[:3] - place).max(), np.abs(q[3:7] - turn).max(), abs(q[7] - wanted[7])))
    assert fitted_order(periods, errors) == pytest.approx(2.0, abs=0.1), errors


def test_order_of_a_body_that_is_turned_while_it_spins():
    """Euler's equations of a free body of uneven inertia under a moment that stands in the world."""
    inertia, moment, spin, until = (
        np.array([0.1, 0.2, 0.25]),
        np.array([0.3, -0.5, 0.4]),
        np.array([1.0, 2.0, 3.0]),
        1.0,
    )
    tree = Tree([Body(name="body", mass=1.0, inertia=inertia, joint=Free())], gravity=(0, 0, 0))

    def rate(t, y):
        w, x, z = y[0], y[1:4], y[4:]  # the quaternion, and the spin in the body's own axes
        turn = Rotation.from_quat([*x, w])
        own = turn.inv().apply(moment)
        moved = 0.5 * np.array([-x @ z, *(w * z + np.cross(x, z))])
        return np.concatenate([moved, (own - np.cross(z, inertia * z)) / inertia])

    wanted = solve_ivp(rate, (0, until), [1, 0, 0, 0, *spin], method="DOP853", rtol=1e-12, atol=1e-13).y[:4, -1]
    periods, errors = (2e-3, 1e-3, 5e-4), []
    for period in periods:
        wrench = np.concatenate([np.zeros(3), moment])
        run = Scene(tree=tree).run(until, period=period, v=[0, 0, 0, *spin], wrenches={"body": wrench})
        errors.append(np.abs(run.q[-1, 3:] - wanted / np.linalg.norm(wanted)).max())
    assert fitted_order(periods, errors) == pytest.approx(2.0, abs=0.1), errors
    assert errors[1] < 1e-5


@pytest.mark.parametrize(("gain", "damping"), [(100.0, 20.0), (0.0, 20.0), (1000.0, 0.0), (400.0, 3.0)])
def test_order_of_servos_and_dampers(gain, damping):
    """A sledge on a servo, against the closed form."""
    tree = Tree([Body(name="sledge", mass=1.0, joint=Prismatic(axis=(1, 0, 0)))])
    scene = Scene(tree=tree, controllers={"sledge": Servo(gain=gain, rate_gain=damping)})
    matrix, until, periods, errors = np.array([[0.0, 1.0], [-gain, -damping]]), 0.4, (2e-3, 1e-3, 5e-4), []

    def rate(t, y):
        return matrix @ y

    exact = solve_ivp(rate, (0, until), [0.2, 1.0], method="DOP853", rtol=1e-12, atol=1e-14, dense_output=True)
    for period in periods:
        run = scene.run(until, period=period, q=[0.2], v=[1.0], targets={"sledge": 0.0})
        wanted = exact.sol(np.asarray(run.time))  # at all ticks: at a single one errors of two kinds may cancel
        errors.append(max(np.abs(run.q[:, 0] - wanted[0]).max(), np.abs(run.v[:, 0] - wanted[1]).max()))
    assert fitted_order(periods, errors) == pytest.approx(2.0, abs=0.1), errors


@pytest.mark.parametrize(("gain", "damping"), [(1e9, 0.0), (1e9, 1e5), (0.0, 1e9), (1e5, 1e7)])
def test_what_is_too_stiff_for_the_period_does_not_ring(gain, damping):
    """It goes to its target, or stops: within a few ticks what swings about it has gone."""
    tree = Tree([Body(name="sledge", mass=1.0, joint=Prismatic(axis=(1, 0, 0)))])
    scene = Scene(tree=tree, controllers={"sledge": Servo(gain=gain, rate_gain=damping)})
    run = scene.run(0.2, period=1e-3, q=[0.2], v=[1.0], targets={"sledge": 0.0})
    q, v = run.q[:, 0], run.v[:, 0]
    if damping < 1e6:
        assert np.abs(v[10:]).max() < 1e-6
        assert np.abs(q[10:]).max() < 1e-6
    else:  # it creeps, by gain/damping times the way that is left
        assert np.abs(v[5:]).max() <= gain / damping * 0.3 + 1e-12
        assert (np.diff(q[5:]) <= 0.0).all()


# ------------------------------------------------------------ energy and momentum


def triple():
    """The frictionless triple pendulum of the notes: links of 1 kg and .5 m."""
    links: list[Body] = []
    for k in range(3):
        links.append(
            Body(
                name=f"link{k}", mass=1.0, inertia=(0.01,) * 3, center=(0, 0, -0.25), joint=Revolute(axis=(0, -1, 0)),
                parent=f"link{k - 1}" if k else None, position=(0, 0, -0.5 if k else 0.0),
            )
        )  # fmt: skip
    return Tree(links)


@pytest.mark.parametrize(("period", "off"), [(1e-3, 0.005), (2e-3, 0.02)])
def test_energy_of_a_triple_pendulum_stays(period, off):
    """Chaotic and quick: 50 s, in parts of its whole swing."""
    tree, q = triple(), [2.0, 1.0, -1.0]
    run = Scene(tree=tree).run(50.0, period=period, q=q)
    top = tree.energy(q, np.zeros(3))[1]
    swing = top - tree.energy(np.zeros(3), np.zeros(3))[1]
    error = (np.asarray(run.kinetic_energy) + np.asarray(run.potential_energy) - top) / swing
    assert np.abs(error).max() < off


@pytest.mark.parametrize("period", [5e-3, 1e-2, 2e-2, 5e-2])
@pytest.mark.parametrize("seed", range(4))
def test_at_no_period_is_energy_gained(period, seed):
    """However far a link turns in a tick, or it is told."""
    tree, q = triple(), np.random.default_rng(seed).uniform(-2.5, 2.5, 3)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", tg.UnsolvedWarning)
        run = Scene(tree=tree).run(50.0, period=period, q=q)
    top = tree.energy(q, np.zeros(3))[1]
    swing = top - tree.energy(np.zeros(3), np.zeros(3))[1]
    error = (np.asarray(run.kinetic_energy) + np.asarray(run.potential_energy) - top) / swing
    if run.about["unsolved_steps"] == 0:
        assert error.max() < 0.01
    else:  # some link turned far in a tick
        assert np.abs(run.v).max() * period > 0.5
        assert "no link turns by more than 0.1 rad" in str(told[0].message)


def satellite():
    links = [
        Body(name="hull", mass=5.0, inertia=(0.5, 0.6, 0.4), center=(0.05, 0, 0.02), joint=Free()),
        Body(
            name="upper", mass=1.0, inertia=(0.02, 0.05, 0.05), center=(0.3, 0, 0), parent="hull",
            position=(0.3, 0, 0), joint=Revolute(axis=(0, 1, 0)),
        ),
        Body(
            name="lower", mass=0.7, inertia=(0.01, 0.03, 0.03), center=(0.25, 0, 0), parent="upper",
            position=(0.6, 0, 0), joint=Revolute(axis=(0, 0.6, 0.8)),
        ),
        Body(
            name="panel", mass=0.5, inertia=(0.01,) * 3, center=(0, 0, 0.2), parent="hull", position=(0, 0, 0.3),
            joint=Revolute(axis=(1, 0, 0)),
        ),
    ]  # fmt: skip
    return Tree(links, gravity=(0, 0, 0))


ADRIFT = np.array([0.1, -0.2, 0.3, 0.5, -0.4, 0.6, 0.8, -1.0, 0.5])


def test_an_hour_adrift_keeps_momentum_and_energy():
    """A hull with arms that swing freely, at 5 ms."""
    tree = satellite()
    q = tree.neutral()
    q[7:] = [0.4, -0.7, 0.3]
    run = Scene(tree=tree).run(3600.0, period=5e-3, q=q, v=ADRIFT, every=500)
    linear = tree.momentum(q, ADRIFT)[0]
    np.testing.assert_allclose(run.momentum, np.broadcast_to(linear, run.momentum.shape), rtol=0, atol=1e-11)
    # About its centre of mass: about the world's origin, a path of a kilometre adds its rounding.
    spin = run.angular_momentum - np.cross(np.array([tree.center_of_mass(here) for here in run.q]), run.momentum)
    np.testing.assert_allclose(spin, np.broadcast_to(spin[0], spin.shape), rtol=0, atol=1e-11)
    np.testing.assert_allclose(run.kinetic_energy, tree.energy(q, ADRIFT)[0], rtol=1e-6)
    assert np.abs(run.v[:, 6:]).max() > 0.5  # it still swings


def test_what_pushes_a_floating_arm_gives_its_momentum():
    """By a wrench at one of its bodies and torques in its joints, which give none; the centre of mass goes as told."""
    tree, T, ticks = satellite(), 2e-3, 500
    rng = np.random.default_rng(3)
    push = np.zeros((ticks, 6))
    push[:] = rng.normal(size=6) * np.sin(0.02 * np.arange(ticks))[:, None]
    torque = np.zeros((ticks, 9))
    torque[:, 6:] = rng.normal(size=3) * np.cos(0.03 * np.arange(ticks))[:, None]
    run = Scene(tree=tree).run(ticks * T, period=T, v=ADRIFT, wrenches={"lower": push}, torque=torque)
    linear = tree.momentum(tree.neutral(), ADRIFT)[0]
    np.testing.assert_allclose(run.momentum, linear + T * np.cumsum(push[:, :3], axis=0), rtol=0, atol=1e-12)


def test_a_moment_on_a_floating_arm_gives_its_angular_momentum():
    """About the centre of mass it is the moment times the time, wherever it acts, be it at the tip."""
    tree, T, ticks = satellite(), 2e-3, 500
    wrench = np.array([0.0, 0.0, 0.0, 0.2, -0.1, 0.3])
    run = Scene(tree=tree).run(ticks * T, period=T, v=ADRIFT, wrenches={"lower": wrench})
    center = np.array([tree.center_of_mass(q) for q in run.q])
    spin = run.angular_momentum - np.cross(center, run.momentum)
    change = spin - spin[0] - (np.asarray(run.time) - T)[:, None] * wrench[3:]
    np.testing.assert_allclose(change, 0.0, rtol=0, atol=1e-12)


def test_a_force_on_a_floating_arm_turns_it_by_its_lever():
    """About the centre of mass, integrated over the record by another rule."""
    tree, T, ticks = satellite(), 1e-3, 1000
    force = np.array([0.5, 0.3, -0.4])
    run = Scene(tree=tree).run(ticks * T, period=T, v=ADRIFT, wrenches={"lower": np.concatenate([force, np.zeros(3)])})
    center = np.array([tree.center_of_mass(q) for q in run.q])
    spin = run.angular_momentum - np.cross(center, run.momentum)
    moment = np.cross(tree.pose(run.q, "lower")[0] - center, force)
    wanted = cumulative_simpson(moment, x=np.asarray(run.time), axis=0, initial=0.0)
    assert np.abs(wanted).max() > 0.05
    np.testing.assert_allclose(spin - spin[0], wanted, rtol=0, atol=2e-6)


def test_work_is_what_the_energy_grows_by():
    """Two links driven by torques through their joints' dampers: nothing is taken or given beside."""
    tree, T, ticks = two_links(), 1e-3, 4000
    torque = np.stack([6.0 * np.sin(2e-3 * np.arange(ticks)), -2.0 * np.cos(3e-3 * np.arange(ticks))], axis=1)
    run = Scene(tree=tree).run(ticks * T, period=T, q=[0.2, 0.1], torque=torque)
    q = np.vstack([[0.2, 0.1], run.q])
    work = np.cumsum((torque * np.diff(q, axis=0)).sum(axis=1))
    start = sum(tree.energy([0.2, 0.1], np.zeros(2)))
    energy = np.asarray(run.kinetic_energy) + np.asarray(run.potential_energy) - start
    assert np.abs(work).max() > 1.0
    np.testing.assert_allclose(energy, work, rtol=0, atol=2e-4 * np.abs(work).max())


def test_a_machine_beside_another_pays_for_itself_alone():
    """A pendulum that moves quickly and one that stands still or swings slowly share a scene, not their energies."""
    slow = Body(name="slow", mass=1.0, inertia=(0.01,) * 3, center=(0, 0, -0.5), joint=Revolute(axis=(0, 1, 0)))
    both = Scene(tree=Tree([*triple().bodies, slow])).run(5.0, period=5e-3, q=[2.0, 1.0, -1.0, 0.1])
    alone = Scene(tree=Tree([slow])).run(5.0, period=5e-3, q=[0.1])
    np.testing.assert_array_equal(both.q[:, 3], alone.q[:, 0])


# ------------------------------------------------------------ what it may not lose


@pytest.mark.parametrize("stiffness", [1e6, 1e9])
def test_a_hard_landing_does_not_bounce_by_the_ticks(stiffness):
    """Onto a floor that is far too stiff for the period and damps as Euler's ticks do: never up again."""
    ball = Tree([Body(name="ball", mass=1.0, inertia=(0.01,) * 3, joint=Free())])
    floor = Touch(on="ball", toucher=Point(position=(0, 0, 0)), surface=HalfSpace(), stiffness=stiffness)
    for height in (0.5, 0.5003, 0.5011):  # where in a tick it lands
        runs = {
            method: Scene(tree=ball, touches=[floor]).run(1.0, period=1e-3, q=[0, 0, height, 1, 0, 0, 0], method=method)
            for method in ("midpoint", "euler")
        }
        after = {method: run.q[330:, 2].max() for method, run in runs.items()}
        assert after["midpoint"] < max(2.0 * after["euler"], 1e-5)
        assert runs["midpoint"].q[-1, 2] == pytest.approx(-G / stiffness, abs=1e-12)


def arm_at_a_wall(period):
    """Two links that fold quickly, so that a wall which their tip meets stops both within the first tick."""
    tree, q = two_links(), np.array([0.5, -1.2])
    place, normal = np.array([0, 0, -1.0]), np.array([0.2, 0.1, -1.0]) / np.linalg.norm([0.2, 0.1, -1.0])
    toward = normal @ tree.jacobian(q, "lower", place)[:3]
    v = np.linalg.solve(tree.mass_matrix(q), -toward)
    v *= 12.0 / np.abs(v).max()
    origin, turn = tree.pose(q, "lower")
    wall = HalfSpace(point=origin + turn @ place + 0.5 * period * (toward @ v) * normal, normal=normal)
    touch = Touch(on="lower", toucher=Point(position=place), surface=wall, stiffness=1e9)
    return Scene(tree=tree, touches=[touch]), q, v


@pytest.mark.parametrize("period", [1e-3, 5e-3])
def test_what_a_hard_stop_took_is_not_owed_by_what_moves_after_it(period):
    """An arm moves quickly, is stopped whole within a tick, and falls from rest.

    The stop finds the inertia of half a tick on, so the energy that it took is wrong by a part of the order of the
    period: far more than the arm has for long after.
    """
    scene, q, v = arm_at_a_wall(period)
    run = scene.run(0.1, period=period, q=q, v=v)
    assert np.abs(run.v[1]).max() < 0.02 * np.abs(v).max()  # it all but stands
    model = in_pinocchio(two_links())
    data = model.createData()

    def rate(t, y):
        return np.concatenate([y[2:], pin.aba(model, data, y[:2], y[2:], np.zeros(2))])

    begun = np.concatenate([run.q[1], run.v[1]])
    fallen = solve_ivp(rate, (0, 0.1 - 2.0 * period), begun, rtol=1e-9, atol=1e-12).y[2:, -1]
    np.testing.assert_allclose(run.v[-1], fallen, rtol=0, atol=0.01 * np.abs(fallen).max())


def test_a_swing_is_as_the_pendulum_s_period_says():
    """Across reversals and over many swings: large ones of 2 rad, whose period is an elliptic integral."""
    from scipy.special import ellipk

    bob = Tree([Body(name="bob", mass=1.0, center=(0, 0, -1.0), joint=Revolute(axis=(0, 1, 0)))])
    run = Scene(tree=bob).run(30.0, period=1e-3, q=[2.0])
    q, t = run.q[:, 0], np.asarray(run.time)
    down = np.flatnonzero((q[:-1] > 0.0) & (q[1:] <= 0.0))
    crossings = t[down] + (t[down + 1] - t[down]) * q[down] / (q[down] - q[down + 1])
    lasts = 4.0 * np.sqrt(1.0 / G) * ellipk(np.sin(1.0) ** 2)
    np.testing.assert_allclose(np.diff(crossings), lasts, rtol=2e-6)


def test_friction_takes_the_energy_that_it_is_said_to_take():
    """A pendulum swings down in a dry bearing: between two turns the energy falls by the limit times the way."""
    limit = 0.3
    link = Body(
        name="link",
        mass=1.0,
        inertia=(0.01,) * 3,
        center=(0, 0, -0.5),
        joint=Revolute(axis=(0, 1, 0), friction=dry(limit)),
    )
    tree = Tree([link])
    run = Scene(tree=tree).run(3.0, period=1e-3, q=[1.5])
    q, energy = run.q[:, 0], np.asarray(run.kinetic_energy) + np.asarray(run.potential_energy)
    speed = np.abs(run.v[:, 0])
    way = cumulative_simpson(speed, x=np.asarray(run.time), initial=0.0)
    slides = (speed > 0.3) & (np.roll(speed, 1) > 0.3) & (np.roll(speed, -1) > 0.3)
    loss, along = -np.diff(energy), np.diff(way)
    inside = slides[:-1] & slides[1:]
    np.testing.assert_allclose(loss[inside], limit * along[inside], rtol=1e-4, atol=1e-9)
    assert np.abs(q[-1]) > 1e-3
