"""What sticks in a mechanism stays where it is, also while the rest of its loop moves."""

import numpy as np
import pytest

import tegotae as tg
from tegotae.multibody import Body, Loop, Revolute, Scene, Tree

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
