"""What is said of loops: that they cannot close, lock, start open, or stand where they do not say how to go on."""

import warnings

import numpy as np
import pytest

from tegotae import InputError, SingularWarning
from tegotae.multibody import Body, Lock, Loop, Revolute, Scene, Tree

UPRIGHT = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
BAR = {"mass": 1.0, "inertia": (0.01, 0.02, 0.02), "center": (0.25, 0.0, 0.0)}


def linkage(*, crank=0.3, coupler=0.5, rocker=0.3, ground=0.5, last=(0, 1, 0), turn=UPRIGHT, gravity=(0.0, 0.0, 0.0)):
    """Four bars in the x-z plane; the axis of the last hinge may be tilted."""
    hinge = Revolute(axis=(0, 1, 0))
    bodies = [
        Body(name="crank", joint=hinge, **BAR),
        Body(name="coupler", parent="crank", position=(crank, 0, 0), joint=hinge, **BAR),
        Body(name="rocker", position=(ground, 0, 0), joint=hinge, **BAR),
    ]
    pin = Loop(
        name="pin",
        body="coupler",
        place=(coupler, 0, 0),
        parent="rocker",
        position=(rocker, 0, 0),
        joint=Revolute(axis=last),
        turn=turn,
    )
    return Tree(bodies, loops=[pin], gravity=gravity)


def test_bars_in_one_line_are_told_as_singular():
    """A parallelogram may go on from there as one, or cross its bars: its loop loses a condition."""
    tree = linkage()
    with pytest.warns(SingularWarning, match=r"in \d+ ticks? loops stood in a singular position") as told:
        run = Scene(tree=tree).run(0.01, period=1e-3, q=[0.0, 0.0, 0.0, 0.0])
    assert "\n  " in str(told[0].message)  # the way out
    assert run.about["singular_ticks"] > 0


def test_what_only_passes_by_is_not_told_as_singular():
    """A crank that turns round and round comes to no such place, though its rocker turns back."""
    tree = linkage(crank=0.15, coupler=0.5, rocker=0.4, ground=0.45)
    start = np.zeros(4)
    start[0] = 10.0
    q, v = tree.closed([0.5, 0.3, 1.5, 0.0], start, hold=["crank"])
    with warnings.catch_warnings():
        warnings.simplefilter("error", SingularWarning)
        run = Scene(tree=tree).run(2.0, period=1e-3, q=q, v=v)
    assert run.q[-1, 0] > 10.0
    assert run.about["singular_ticks"] == 0


def test_bars_that_are_too_short_cannot_close():
    with pytest.raises(InputError, match=r"loop 'pin' stays open by 0\.\d+ m") as told:
        linkage(coupler=0.1, rocker=0.05, ground=0.9).closed()
    assert "Check lengths and axes" in str(told.value)


def test_a_hinge_that_stands_askew_locks_its_loop():
    """Three parallel axes and one across them: it closes in one position, and nothing can move there."""
    lengths = {"crank": 0.3, "coupler": 0.5, "rocker": 0.4, "ground": 0.45}
    q = linkage(**lengths).closed([1.0, -0.5, 1.2, 0.0], hold=["crank"])
    c, s = np.cos(q[3]), np.sin(q[3])
    tree = linkage(**lengths, last=(0.3, 1, 0.2), turn=[[c, 0, -s], [0, 1, 0], [s, 0, c]])
    q[3] = 0.0  # counted from there
    with pytest.raises(InputError, match=r"the loops leave no motion: 4 speeds, 4 conditions") as told:
        Scene(tree=tree).run(0.1, period=1e-3, q=q)
    assert "parallel" in str(told.value)


def test_an_open_start_is_refused_with_the_way_to_close_it():
    with pytest.raises(InputError, match=r"q leaves loop 'pin' open by 0\.\d+ m or rad") as told:
        Scene(tree=linkage()).run(0.1, period=1e-3, q=[0.3, 0.0, 0.0, 0.0])
    assert "tree.closed(q)" in str(told.value)


def test_speeds_that_open_a_loop_are_refused():
    tree = linkage()
    q = tree.closed([1.0, -1.0, 1.0, -1.0], hold=["crank"])
    with pytest.raises(InputError, match=r"v opens the loops at \d") as told:
        Scene(tree=tree).run(0.1, period=1e-3, q=q, v=[1.0, 0.0, 0.0, 0.0])
    assert "tree.closed(q, v" in str(told.value)


def test_too_many_joints_that_are_held_are_refused():
    tree = linkage()
    with pytest.raises(InputError, match=r"while crank, rocker stay as given"):
        tree.closed([1.0, 0.0, 0.2, 0.0], hold=["crank", "rocker"])


def test_a_lock_holds_the_whole_loop():
    """One joint of one that has a single motion: nothing moves, under its weight."""
    tree = linkage(gravity=(0.0, 0.0, -9.81))
    q = tree.closed([1.0, -1.0, 1.0, -1.0], hold=["crank"])
    run = Scene(tree=tree, controllers={"pin": Lock()}).run(1.0, period=1e-3, q=q)
    np.testing.assert_allclose(run.q[-1], q, rtol=0, atol=1e-12)
    assert run.about["unsolved_steps"] == 0
