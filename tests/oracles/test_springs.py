"""Springs and dampers between points: closed forms, energy and momentum."""

import numpy as np
import pytest

from tegotae.multibody import AtPoint, Body, Free, Mimic, Prismatic, Revolute, Scene, Spherical, Spring, Tree

LIFT = Tree([Body(name="lift", mass=2.0, joint=Prismatic(axis=(0, 0, 1)))], gravity=(0, 0, 0))
ROUND = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}


def swung(time, rate, damping, start):
    """A damped oscillator let go at `start`: x'' + 2 damping x' + rate² x = 0, damping < rate."""
    turn = np.sqrt(rate**2 - damping**2)
    return start * np.exp(-damping * time) * (np.cos(turn * time) + damping / turn * np.sin(turn * time))


@pytest.mark.parametrize("c", [0.0, 4.0, 30.0])
def test_a_mass_on_a_spring_is_a_damped_oscillator_of_second_order(c):
    K, m, until = 200.0, 2.0, 0.6
    spring = Spring(first="lift", second=(0, 0, 1), stiffness=K, damping=c, length=1.0)
    rate, step, periods, errors = np.sqrt(K / m), 1e-6, (5e-4, 2.5e-4, 1.25e-4), []
    here, ahead, back = (swung(until + dt, rate, 0.5 * c / m, 0.1) for dt in (0.0, step, -step))
    for period in periods:
        run = Scene(tree=LIFT, springs=[spring]).run(until, period=period, q=[0.1])
        errors.append(max(abs(run.q[-1, 0] - here), abs(run.v[-1, 0] - 0.5 * (ahead - back) / step) / rate))
    assert max(errors) < 1e-3
    assert np.polyfit(np.log(periods), np.log(errors), 1)[0] == pytest.approx(2.0, abs=0.1), errors


@pytest.mark.parametrize("method", ["midpoint", "euler"])
@pytest.mark.parametrize("K", [1e2, 1e5, 1e9])
def test_a_spring_of_any_stiffness_is_stable_and_gains_nothing(K, method):
    """Let go from 1 mm: nothing but the spring's own energy is there."""
    spring = Spring(first="lift", second=(0, 0, 1), stiffness=K, length=1.0)
    run = Scene(tree=LIFT, springs=[spring], method=method).run(2.0, period=1e-3, q=[1e-3])
    energy = np.asarray(run.kinetic_energy) + 0.5 * K * np.asarray(run.q)[:, 0] ** 2
    assert energy.max() <= 0.5 * K * 1e-6 * (1.0 + 1e-2)  # an explicit half tick tells a little more: (T w)²/4
    assert np.isfinite(run.q).all()
    assert run.about["unsolved_steps"] == 0


def test_the_other_way_round_it_is_the_same_spring():
    ends = {"first": AtPoint("lift", (0.1, 0, 0)), "second": (0.3, 0.2, 0.5)}
    swapped = {"first": ends["second"], "second": ends["first"]}
    numbers = {"stiffness": 150.0, "damping": 3.0, "length": 0.4}
    one, other = (
        Scene(tree=LIFT, springs=[Spring(**way, **numbers)]).run(0.5, period=1e-3, q=[0.2]) for way in (ends, swapped)
    )
    np.testing.assert_allclose(one.q, other.q, rtol=0, atol=1e-14)
    np.testing.assert_allclose(one.tension, other.tension, rtol=0, atol=1e-11)


def test_springs_inside_a_machine_that_floats_keep_its_momentum():
    """Between links, and to another body that flies: what they exchange is all that changes."""
    arm = {"mass": 0.5, "inertia": (0.01, 0.02, 0.02), "center": (0.2, 0, 0)}
    bodies = [
        Body(name="hull", joint=Free(), **ROUND),
        Body(name="upper", parent="hull", joint=Revolute(axis=(0, 1, 0)), position=(0.2, 0, 0), **arm),
        Body(name="lower", parent="upper", joint=Spherical(), position=(0.4, 0, 0), **arm),
        Body(name="moon", joint=Free(), position=(0.5, 1.0, 0.0), **ROUND),
    ]
    springs = [
        Spring(first=AtPoint("hull", (0, 0, 0.3)), second=AtPoint("lower", (0.4, 0, 0)), stiffness=300.0, length=0.2),
        Spring(first="moon", second=AtPoint("lower", (0.1, 0, 0.1)), stiffness=80.0, damping=2.0, length=0.3),
    ]
    tree = Tree(bodies, gravity=(0, 0, 0))
    v = np.zeros(tree.nv)
    v[:6], v[6] = (0.1, 0.2, -0.3, 0.4, -0.2, 0.6), 2.0
    run = Scene(tree=tree, springs=springs).run(3.0, period=1e-3, v=v)
    linear, _ = tree.momentum(tree.neutral(), v)
    np.testing.assert_allclose(run.momentum, np.broadcast_to(linear, run.momentum.shape), rtol=0, atol=1e-12)
    spin = np.asarray(run.angular_momentum)
    np.testing.assert_allclose(spin, np.broadcast_to(spin[0], spin.shape), rtol=0, atol=1e-10)


def test_a_damper_takes_what_it_tells():
    """A pendulum with a damper to the world: the energy that is missing is the integral of c (rate)²."""
    bar = Body(name="bar", mass=1.0, inertia=(0.001, 0.05, 0.05), center=(0.4, 0, 0), joint=Revolute(axis=(0, 1, 0)))
    damper = Spring(first=AtPoint("bar", (0.8, 0, 0)), second=(0.3, 0, 0.9), damping=0.8)
    tree = Tree([bar])
    run = Scene(tree=tree, springs=[damper]).run(1.5, period=2e-4)
    ends = np.array([tree.pose(q, "bar")[1] @ (0.8, 0, 0) for q in run.q])
    lengths = np.linalg.norm(ends - (0.3, 0, 0.9), axis=1)
    taken = np.sum(0.8 * np.diff(lengths) ** 2) / 2e-4
    energy = np.asarray(run.kinetic_energy) + np.asarray(run.potential_energy)
    assert energy[0] - energy[-1] == pytest.approx(taken, rel=1e-3)  # both are told once a tick


def test_without_a_length_it_rests_as_the_tree_is_built():
    body = Body(name="ball", joint=Free(), position=(0.3, 0.4, 0.0), **ROUND)
    scene = Scene(tree=Tree([body], gravity=(0, 0, 0)), springs=[Spring(first="ball", second=(0, 0, 0), stiffness=1e4)])
    run = scene.run(0.1, period=1e-3)
    assert np.abs(run.v).max() == 0.0
    assert run.tension[-1, 0] == 0.0


@pytest.mark.parametrize(("K", "period"), [(50.0, 1e-2), (260.0, 5e-3), (260.0, 2e-2), (2000.0, 1e-3)])
def test_a_chain_on_a_spring_gains_nothing_however_wildly_it_swings(K, period):
    """What scenes promise of machines that nothing drives, with what the spring stores: 0.2 % of the kinetic energy."""
    bar = {"mass": 1.0, "inertia": (0.01, 0.03, 0.03), "center": (0.25, 0, 0)}
    bodies = [
        Body(name="a", joint=Revolute(axis=(0, 1, 0)), **bar),
        Body(name="b", parent="a", position=(0.5, 0, 0), joint=Spherical(), **bar),
        Body(name="c", parent="b", position=(0.5, 0, 0), joint=Revolute(axis=(0, 1, 0)), **bar),
    ]
    tree, far = Tree(bodies), np.array([0.3, 0.2, 0.4])
    spring = Spring(first=AtPoint("c", (0.5, 0, 0)), second=far, stiffness=K, length=0.4)
    run = Scene(tree=tree, springs=[spring]).run(10.0, period=period)
    ends = [at + turn @ (0.5, 0, 0) for at, turn in (tree.pose(q, "c") for q in run.q)]
    stored = 0.5 * K * (np.linalg.norm(np.array(ends) - far, axis=1) - 0.4) ** 2
    energy = np.asarray(run.kinetic_energy) + np.asarray(run.potential_energy) + stored
    begun = 0.5 * K * (np.linalg.norm(np.array([1.5, 0, 0]) - far) - 0.4) ** 2  # all is level at first
    assert energy.max() - begun <= 3e-3 * np.max(run.kinetic_energy)  # the last tick's error is told before it is paid
    assert run.about["unsolved_steps"] == 0


def test_geared_slides_on_a_spring_swing_as_one_mass():
    """Nothing turns, so a tick has no velocity terms to be solved anew for; both move against each other by one number.

    With x of the first and -x of the second the spring is stretched by 2 x: (m1 + m2) x'' = -4 K x.
    """
    masses, K, until, errors, periods = (1.0, 2.0), 300.0, 1.9, [], (2e-3, 1e-3, 5e-4)
    follows = Prismatic(axis=(1, 0, 0), mimic=Mimic("one", ratio=-1.0))
    tree = Tree(
        [
            Body(name="one", mass=masses[0], joint=Prismatic(axis=(1, 0, 0))),
            Body(name="two", mass=masses[1], joint=follows),
        ],
        gravity=(0, 0, 0),
    )
    spring = Spring(first=AtPoint("one", (3, 0, 0)), second="two", stiffness=K, length=3.0)
    rate = np.sqrt(4.0 * K / sum(masses))
    for period in periods:
        run = Scene(tree=tree, springs=[spring], reactions=True).run(until, period=period, q=[0.1, -0.1])
        place, speed = 0.1 * np.cos(rate * until), -0.1 * rate * np.sin(rate * until)
        errors.append(max(abs(run.q[-1, 0] - place), abs(run.v[-1, 0] - speed) / rate))
        stored = 0.5 * K * (np.asarray(run.q)[:, 0] - np.asarray(run.q)[:, 1]) ** 2
        energy = np.asarray(run.kinetic_energy) + stored
        assert np.abs(energy / (0.5 * K * 0.2**2) - 1.0).max() < 1e-3
        # The spring pulls along the slides: what carries them feels nothing beside what the gear asks of them.
        assert np.abs(np.asarray(run["reaction.one"])[:, 1:]).max() < 1e-9
    assert np.polyfit(np.log(periods), np.log(errors), 1)[0] == pytest.approx(2.0, abs=0.1), errors
