"""What sticks in a mechanism stays where it is, also while the rest of its loop moves."""

import numpy as np
import pytest

import tegotae as tg
from tegotae.multibody import Ball, Body, HalfSpace, Loop, Revolute, Scene, Touch, Tree

HELD = tg.FrictionImpedance(stiffness=1e5, damping=100.0, law=tg.Coulomb(60.0))


def bar(length):
    return {"mass": 1.0, "inertia": (1e-3, length**2 / 12, length**2 / 12), "center": (0.5 * length, 0, 0)}


def five_bars():
    """Two motions; one of the hinges on the ground sticks, the rest swings under its weight."""
    hinge = Revolute(axis=(0, 1, 0))
    bodies = [
        Body(name="left", joint=Revolute(axis=(0, 1, 0), friction=HELD), **bar(0.3)),
        Body(name="fore", parent="left", position=(0.3, 0, 0), joint=hinge, **bar(0.5)),
        Body(name="right", position=(0.5, 0, 0), joint=hinge, **bar(0.3)),
        Body(name="other", parent="right", position=(0.3, 0, 0), joint=hinge, **bar(0.5)),
    ]
    pin = Loop(name="pin", body="fore", place=(0.5, 0, 0), parent="other", position=(0.5, 0, 0), joint=hinge)
    tree = Tree(bodies, loops=[pin])
    return tree, tree.closed({"left": -1.9, "fore": 1.3, "right": -1.2, "other": -1.2}, hold=["left", "right"])


# By the midpoint debts of energy are paid by changes of speed that friction is not told of (in all trees).
@pytest.mark.parametrize(("method", "bound"), [("midpoint", 1e-8), ("euler", 1e-11)])
def test_what_sticks_does_not_creep_while_the_rest_of_its_loop_moves(method, bound):
    """Closing the loop moves all its joints by a little in every tick; the friction's spring is told of that. So where
    it holds, the joint less the spring's stretch, never moves: by the midpoint the stretch is that of the next middle.
    """
    tree, q = five_bars()
    period = 1e-3
    run = Scene(tree=tree, method=method).run(10.0, period=period, q=q, record=["q", "v", "friction", "deflection"])
    place = np.asarray(run.q)[:, 0] + np.asarray(run.deflection)[:, 0]
    if method == "midpoint":
        place += 0.5 * period * np.asarray(run.v)[:, 0]
    assert np.abs(run.v[:, 2]).max() > 3.0  # the rest moves
    assert np.abs(np.asarray(run.friction)[:, 0]).max() < 60.0  # it never slips
    assert np.abs(place - q[0]).max() < bound


@pytest.mark.parametrize("method", ["midpoint", "euler"])
def test_speeds_do_not_open_a_loop(method):
    """Not only places: what users see of a tick's end moves as its joints let it. (Speeds are put right twice by the
    directions in which places were: of 10 m/s that leaves 1e-9.)
    """
    tree, q = five_bars()
    run = Scene(tree=tree, method=method).run(2.0, period=2e-3, q=q)
    ends = []
    for place, speed in zip(run.q[::20], run.v[::20], strict=True):
        on_body = tree.jacobian(place, "fore", (0.5, 0, 0)) @ speed
        ends.append(on_body - tree.jacobian(place, "other", (0.5, 0, 0)) @ speed)
    assert np.abs(run.v).max() > 3.0
    assert np.abs(np.array(ends)[:, :3]).max() < 1e-8


@pytest.mark.parametrize("method", ["midpoint", "euler"])
def test_a_foot_that_sticks_does_not_creep_while_its_legs_swing(method):
    """Two legs meet in a heavy foot that rubs; the knee of one of them, of three bars, swings on."""
    hinge = Revolute(axis=(0, 1, 0))
    foot = {"mass": 20.0, "inertia": (0.01, 0.1, 0.1), "center": (0.5, 0, 0)}
    bodies = [
        Body(name="thigh", joint=hinge, **bar(0.3)),
        Body(name="shin", parent="thigh", position=(0.3, 0, 0), joint=hinge, **foot),
        Body(name="one", position=(0.6, 0, 0), joint=hinge, **bar(0.3)),
        Body(name="two", parent="one", position=(0.3, 0, 0), joint=hinge, **bar(0.3)),
        Body(name="three", parent="two", position=(0.3, 0, 0), joint=hinge, **bar(0.3)),
    ]
    ankle = Loop(name="ankle", body="three", place=(0.3, 0, 0), parent="shin", position=(0.5, 0, 0), joint=hinge)
    tree = Tree(bodies, loops=[ankle])
    guess = {"thigh": 0.9, "shin": 0.5, "one": 1.2, "two": 0.8, "three": 0.6}
    q = tree.closed(guess, hold=["thigh", "shin"])
    at, turn = tree.pose(q, "shin")
    heel = at + turn @ (0.5, 0, 0)
    floor = Touch(
        on="shin", toucher=Ball(radius=0.05, position=(0.5, 0, 0)), surface=HalfSpace(point=(0, 0, heel[2] - 0.05)),
        stiffness=1e7, friction=0.9,
    )  # fmt: skip
    run = Scene(tree=tree, touches=[floor], method=method).run(6.0, period=1e-3, q=q)
    places = np.array([p + R @ (0.5, 0, 0) for p, R in (tree.pose(one, "shin") for one in run.q[::10])])
    force = np.asarray(run.contact_force)[:, 0]
    held = force[200:]
    assert held[:, 2].min() > 0.0
    assert (np.abs(held[:, 0]) < 0.85 * held[:, 2]).all()  # it never slips
    assert np.abs(run.v[-1000:, 2]).max() > 0.5  # the knee swings
    give = np.ptp(held[:, 0])
    first, last = places[100:200, 0].mean(), places[-100:, 0].mean()
    assert abs(last - first) < 1e-8 + give / 1e7
