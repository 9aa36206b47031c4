"""Starting inside a contact: what it carries at rest is accepted, what is deeper is refused with the way out."""

import math

import numpy as np
import pytest

import tegotae as tg
from tegotae.inclusion import Contact, Friction, Inclusion
from tegotae.multibody import Ball, Body, Corners, Free, HalfSpace, Point, Prismatic, Scene, Servo, Sphere, Touch, Tree
from tegotae.rod import GroundedRod, Peg, Phase, PlanarRod, Shape, Wall

TILT = 0.3
SLOPE = HalfSpace(point=(0, 0, -0.01), normal=(math.sin(TILT), 0, math.cos(TILT)))
TURN = ((math.cos(TILT), 0, math.sin(TILT)), (0, 1, 0), (-math.sin(TILT), 0, math.cos(TILT)))
G, K = 9.81, 1e6


def crate(position, rotation=((1, 0, 0), (0, 1, 0), (0, 0, 1)), stiffness=K):
    body = Body(name="crate", mass=5.0, inertia=(0.03,) * 3, joint=Free(), position=position, rotation=rotation)
    corners = Corners(half_sizes=(0.1, 0.1, 0.1))
    touch = Touch(on="crate", toucher=corners, surface=SLOPE, stiffness=stiffness, friction=0.5)
    return Scene(tree=Tree([body]), touches=[touch])


# ---------------------------------------------------------------- scenes


def test_a_crate_that_stands_in_a_slope_is_refused_with_pair_depth_and_way_out():
    """Its lower corners: 0.1 (sin + cos) below its middle along the normal, which is 0.11 cos above the slope."""
    deep = 0.1 * (math.sin(TILT) + math.cos(TILT)) - 0.11 * math.cos(TILT)
    with pytest.raises(tg.InputError, match=r"'crate \d on world' \(and 1 more\) starts ([\d.e-]+) m inside") as told:
        crate((0, 0, 0.1)).run(10.0, period=1e-3)
    assert f"starts {deep:.3g} m inside" in str(told.value)
    assert "lifted" in str(told.value)
    smooth = Touch(on="crate", toucher=Corners(half_sizes=(0.1, 0.1, 0.1)), surface=SLOPE)
    frictionless = Scene(tree=crate((0, 0, 0.1)).tree, touches=[smooth])
    for method in ("midpoint", "euler", "symplectic", "rk4"):
        with pytest.raises(tg.InputError, match="inside"):
            frictionless.start(period=1e-3, method=method)


def test_a_crate_that_is_put_onto_the_slope_rests_where_it_was_put():
    at = np.array([0.0, 0.0, -0.01]) + 0.1 * np.array([math.sin(TILT), 0.0, math.cos(TILT)])
    run = crate(at, TURN).run(10.0, period=1e-3, every=100)
    # It sinks in by its weight and gives along the slope: four corners share it, either way stiffness K each.
    assert np.abs(run.q[-1, :3] - at).max() <= 5.0 * G / (4.0 * K) * (1.0 + 1e-6) * math.sqrt(2.0)
    assert np.ptp(run.q[1:], axis=0).max() < 1e-15
    assert run.about["unsolved_steps"] == 0


def test_as_deep_as_its_weight_presses_is_a_start_and_deeper_needs_a_word():
    body = Body(name="ball", mass=2.0, inertia=(0.1,) * 3, joint=Free())
    floor = Touch(on="ball", toucher=Point(), surface=HalfSpace(), stiffness=1e4, damping=0.0)
    scene, rest = Scene(tree=Tree([body]), touches=[floor]), 2.0 * G / 1e4
    run = scene.run(0.1, period=1e-3, q=[0, 0, -rest, 1, 0, 0, 0])
    assert np.abs(run.v).max() < 1e-12  # in balance from the first tick on
    with pytest.raises(tg.InputError, match=r"'ball on world' starts 0.00206 m inside"):
        scene.run(0.1, period=1e-3, q=[0, 0, -1.05 * rest, 1, 0, 0, 0])
    meant = scene.run(0.1, period=1e-3, q=[0, 0, -1.05 * rest, 1, 0, 0, 0], deepest=1.1 * rest)
    assert meant.v[0, 2] > 0.0
    for bad in (-1.0, np.nan, "deep"):
        with pytest.raises(tg.InputError, match="deepest"):
            scene.run(0.1, period=1e-3, deepest=bad)


def test_a_run_can_be_continued_where_it_rests_pressed():
    """A servo presses ten times the weight onto a stop: the end of the run says itself how deep that is."""
    press = Tree([Body(name="press", mass=1.0, joint=Prismatic(axis=(0, 0, -1)), position=(0, 0, 0.01))])
    stop = Touch(on="press", toucher=Point(), surface=HalfSpace(), stiffness=1e4)
    scene = Scene(tree=press, touches=[stop], controllers={"press": Servo(gain=1e4, rate_gain=100.0)})
    first = scene.run(2.0, period=1e-3, targets={"press": 0.02})
    deep = -float(first.gap[-1].min())
    assert deep > 2.0 * G / 1e4
    with pytest.raises(tg.InputError, match="deepest="):
        scene.run(0.1, period=1e-3, q=first.q[-1], targets={"press": 0.02})
    again = scene.run(0.1, period=1e-3, q=first.q[-1], targets={"press": 0.02}, deepest=deep)
    assert np.abs(again.v).max() < 1e-9


def test_free_bodies_are_lifted_out_of_the_floor_and_of_each_other():
    one = Body(name="one", mass=1.0, inertia=(0.1,) * 3, joint=Free(), position=(0, 0, 0.05))
    two = Body(name="two", mass=1.0, inertia=(0.1,) * 3, joint=Free(), position=(0, 0.02, 0.15))
    touches = [
        Touch(on="one", toucher=Ball(radius=0.1), surface=HalfSpace()),
        Touch(on="two", toucher=Ball(radius=0.1), surface=Sphere(radius=0.1), of="one"),
    ]
    scene = Scene(tree=Tree([one, two]), touches=touches)
    q = scene.lifted()
    assert q[2] == pytest.approx(0.1)
    assert np.linalg.norm(q[7:10] - q[:3]) == pytest.approx(0.2)
    scene.start(period=1e-3, q=q)
    held = Tree([Body(name="held", mass=1.0, joint=Prismatic(axis=(0, 0, 1)), position=(0, 0, -0.1))])
    fixed = Scene(tree=held, touches=[Touch(on="held", toucher=Point(), surface=HalfSpace())])
    with pytest.raises(tg.InputError, match=r"'held on world' starts 0.1 m inside"):
        fixed.lifted()


# ---------------------------------------------------------------- rods

ROD = PlanarRod(length=1.0, nodes=6, density=1.0, elasticity=0.5)
THINGS = {
    "wall": {"walls": [Wall(point=(0.0, 0.02), normal=(0.0, 1.0), stiffness=1e5)]},
    "peg": {"pegs": [Peg(centre=(0.4, -0.18), radius=0.2, stiffness=1e5)]},
}


@pytest.mark.parametrize("thing", THINGS)
def test_a_rod_that_starts_in_a_wall_or_a_peg_is_refused_with_node_and_depth(thing):
    with pytest.raises(tg.InputError, match=rf"'node \d on {thing} 1'.* starts 0.02 m inside"):
        GroundedRod(rod=ROD, **THINGS[thing]).run([Phase(until=0.1)], period=1e-3)
    beside = Shape(angle=0.0, base=(0.0, 0.0200001))
    run = GroundedRod(rod=ROD, **THINGS[thing]).run([Phase(until=0.1)], period=1e-3, initial=beside)
    assert np.abs(run.velocity).max() < 1e-12  # nothing throws it


def test_a_rod_may_lie_on_a_wall_as_deep_as_its_weight_presses_it():
    hung = PlanarRod(length=1.0, nodes=6, density=1.0, elasticity=0.5, gravity=(0.0, -G))
    wall = Wall(point=(0.0, 0.0), normal=(0.0, 1.0), stiffness=1e4)
    on_it = GroundedRod(rod=hung, walls=[wall])
    on_it.run([Phase(until=0.01)], period=1e-3, initial=Shape(angle=0.0, base=(0.0, -0.9 * G / 1e4)))
    with pytest.raises(tg.InputError, match="inside"):
        on_it.run([Phase(until=0.01)], period=1e-3, initial=Shape(angle=0.0, base=(0.0, -1.1 * G / 1e4)))


# ---------------------------------------------------------------- inclusions

FALLS = Inclusion({"p": "v", "v": "dio(p, 'floor')/m - g"}, {"m": 2.0, "g": G})
RESTS = 2.0 * G / 1e5


def by_stepper(p, **more):
    stepper = FALLS.to_stepper(period=1e-3, contact=Contact(stiffness=1e5, damping=200.0))
    return stepper.run(ticks=100, initial={"p": p, **more})


def by_ode(p, **more):
    ode = FALLS.to_ode(contact=Contact(stiffness=1e5, damping=200.0))
    return ode.solve((0.0, 0.1), initial={"p": p, **{f"e_{name}": value for name, value in more.items()}})


@pytest.mark.parametrize("run", [by_stepper, by_ode])
def test_an_inclusion_starts_as_deep_as_its_contact_carries_and_no_deeper(run):
    with pytest.raises(tg.InputError, match=r"'floor' starts 0.02 m inside; at rest it would be at most 0.000197 m"):
        run(-0.02)
    rests = run(-RESTS)
    assert np.abs(rests.v).max() < 1e-6
    meant = run(-0.02, floor=0.02)  # whoever gives the deflection means it
    assert meant.v.max() > 1.0


def test_events_and_live_steppers_refuse_the_same():
    with pytest.raises(tg.InputError, match=r"'floor' starts 0.02 m inside: the gap p is -0.02 m"):
        FALLS.to_events().solve((0.0, 0.1), initial={"p": -0.02})
    stepper = FALLS.to_stepper(period=1e-3, contact=Contact(stiffness=1e5, damping=200.0))
    with pytest.raises(tg.InputError, match=r"'floor' starts 0.02 m inside"):
        stepper.start(initial={"p": -0.02})


def test_a_spring_that_presses_counts_as_what_presses():
    """10 N of a spring onto a wall, no weight: 10/1e5 m are carried, twice as much is not."""
    rows = {"p": "v", "v": "(-k*(p + l) - coulomb(limit, v, 'rub') + dio(p, 'wall'))/m"}
    pressed = Inclusion(rows, {"m": 0.5, "k": 1e3, "l": 0.01, "limit": 0.0})
    hard = {"contact": Contact(stiffness=1e5, damping=200.0), "friction": Friction(stiffness=1e5, damping=200.0)}
    pressed.to_stepper(period=1e-3, **hard).run(ticks=10, initial={"p": -0.9 * 10.0 / 1e5})
    with pytest.raises(tg.InputError, match=r"'wall' starts 0.0002 m inside"):
        pressed.to_stepper(period=1e-3, **hard).run(ticks=10, initial={"p": -2.0 * 10.0 / 1e5})
