"""Closed loops where it is hard to hold them: sizes and masses far apart, fast turns, conditions that say nothing."""

import warnings

import numpy as np
import pytest

import tegotae as tg
from tegotae.multibody import (
    AtPoint,
    Body,
    Lock,
    Loop,
    Mimic,
    Prismatic,
    Revolute,
    Scene,
    Spherical,
    Spring,
    Tree,
    join,
)


def four_bar(size=1.0, masses=(1.0, 1.0, 1.0), **hinge):
    """Of lengths 1, 2, 2 on a ground of 2: all axes along y. One motion of four speeds; three of six conditions."""
    rods = [(1.0, None, (0, 0, 0)), (2.0, "crank", (size, 0, 0)), (2.0, None, (2.0 * size, 0, 0))]
    bodies = [
        Body(
            name=name, mass=m, inertia=tuple(m * (length * size) ** 2 * np.array([1e-3, 1 / 12, 1 / 12])),
            center=(0.5 * length * size, 0, 0), parent=parent, position=place,
            joint=Revolute(axis=(0, 1, 0), **(hinge if name != "crank" else {})),
        )
        for (length, parent, place), name, m in zip(rods, ("crank", "rod", "rocker"), masses, strict=True)
    ]  # fmt: skip
    pin = Loop(name="pin", body="rod", parent="rocker", place=(2.0 * size, 0, 0), position=(2.0 * size, 0, 0),
               joint=Revolute(axis=(0, 1, 0), **hinge))  # fmt: skip
    return Tree(bodies, loops=[pin])


@pytest.mark.parametrize("size", [1e-3, 1.0, 100.0, 1e4])
def test_a_linkage_of_any_size_has_one_motion(size):
    """Out of its plane nothing is asked of it where it is closed; where it is not, more seems to be."""
    tree = four_bar(size)
    assert (tree.conditions, tree.mobility) == (3, 1)
    assert np.abs(tree.gaps(tree.neutral())).max() < 1e-14 * max(size, 1.0)


@pytest.mark.parametrize("size", [1e-3, 1.0, 100.0, 1e4])
def test_conditions_are_counted_where_loops_are_closed(size):
    """A slider-crank on a frame that swings: three conditions, two motions. While it is open by three lengths, as it is
    at 0, the swing moves that gap, and there seem to be four.
    """
    hinge, matter = {"joint": Revolute(axis=(0, 1, 0))}, {"mass": 1.0, "inertia": (size**2,) * 3}
    bodies = [
        Body(name="frame", joint=Revolute(axis=(1, 0, 0)), **matter),
        Body(name="crank", parent="frame", **hinge, **matter),
        Body(name="rod", parent="crank", position=(size, 0, 0), **hinge, **matter),
        Body(name="slider", parent="frame", joint=Prismatic(axis=(1, 0, 0)), **matter),
    ]
    tree = Tree(bodies, loops=[Loop(name="pin", body="rod", parent="slider", place=(2 * size, 0, 0), **hinge)])
    assert (tree.conditions, tree.mobility) == (3, 2)
    assert tree.neutral()[3] == pytest.approx(3 * size)


@pytest.mark.parametrize("hinges", [2, 3])
def test_a_door_on_several_hinges_swings_as_on_one(hinges):
    """All that further hinges ask for follows from the first, but for rounding, which must not become a force."""
    axis = np.array([2.0, 1.0, 2.0]) / 3.0
    door = Body(name="door", mass=2.0, inertia=(0.3, 0.4, 0.5), center=(0.4, -0.3, 0.1), position=(0.1, 0.2, 0.3),
                joint=Revolute(axis=axis))  # fmt: skip
    ways = [(k, 0.7 * k * axis) for k in range(1, hinges)]
    more = [Loop(name=f"hinge{k}", body="door", joint=Revolute(axis=axis), position=door.position + way, place=way)
            for k, way in ways]  # fmt: skip
    one, several = Tree([door]), Tree([door], loops=more)
    assert several.mobility == 1
    wanted = Scene(tree=one).run(1.0, period=1e-3, q=[0.3], v=[1.0])
    run = Scene(tree=several).run(1.0, period=1e-3, q=np.full(hinges, 0.3), v=np.ones(hinges))
    assert (run.about["unsolved_steps"], run.about["singular_ticks"]) == (0, 0)
    np.testing.assert_allclose(run.q, np.repeat(wanted.q, hinges, axis=1), rtol=0, atol=1e-11)


def test_linkages_of_masses_far_apart_fall_alike():
    """How one falls does not depend on what it weighs, nor on another beside it."""
    trees = {f"m{k}": four_bar(masses=(m, m, m)) for k, m in enumerate((1e-6, 1.0, 1e6))}
    q = trees["m1"].closed({"crank": -1.0, "rocker": -1.2, "rod": 0.8}, hold=["crank"])
    alone = Scene(tree=trees["m1"]).run(0.5, period=1e-3, q=q)
    both = join(trees)
    start = both.closed(dict(zip(both.joint_names, [*np.tile(q[:3], 3), *np.tile(q[3:], 3)], strict=True)))
    run = Scene(tree=both).run(0.5, period=1e-3, q=start)
    assert run.about["unsolved_steps"] == 0
    for k in range(3):
        np.testing.assert_allclose(
            np.asarray(run.q)[:, 3 * k : 3 * k + 3], np.asarray(alone.q)[:, :3], rtol=0, atol=1e-9
        )


@pytest.mark.parametrize("period", [5e-3, 0.01, 0.02])
def test_loops_close_however_far_links_turn_in_a_tick(period):
    """At 60 rad/s; nothing gains more than 0.2 %, and all stays together."""
    tree = four_bar()
    q, v = tree.closed({"crank": -1.0, "rocker": -1.2, "rod": 0.8}, [60.0, 0, 0, 0], hold=["crank"])
    run = Scene(tree=tree).run(2.0, period=period, q=q, v=v)
    assert run.about["unsolved_steps"] == 0
    assert max(np.abs(tree.gaps(x)).max() for x in np.asarray(run.q)) < 1e-12
    energy = np.asarray(run.kinetic_energy) + run.potential_energy
    first = sum(tree.energy(q, v))
    assert energy.max() - first < 2.1e-3 * max(np.max(run.kinetic_energy), float(tree.energy(q, v)[0]))


@pytest.mark.parametrize("held", [{}, {"crank": Lock()}, {"crank": Lock(), "rocker": Lock()}])
def test_what_sticks_or_is_locked_is_not_singular(held):
    """All joints but the crank stick: nothing moves, and nobody says that a loop had lost a condition."""
    law = tg.FrictionImpedance(stiffness=1e7, damping=1e3, law=tg.Coulomb(1e3))
    tree = four_bar(friction=law)
    q = tree.closed({"crank": -1.0, "rocker": -1.2, "rod": 0.8}, hold=["crank"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = Scene(tree=tree, controllers=held).run(1.0, period=1e-3, q=q)
    assert run.about["singular_ticks"] == 0
    assert np.abs(np.asarray(run.q)[500:] - np.asarray(run.q)[-1]).max() < 1e-12


@pytest.mark.parametrize("pushed", ["wrench", "spring"])
def test_a_frame_that_cannot_move_is_solved(pushed):
    """Three bars, without gravity, beside a wheel that turns: forces do no work there, but for rounding."""
    side, up, axis = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0].T
    matter, hinge = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}, {"joint": Revolute(axis=axis)}
    bodies = [
        Body(name="left", center=0.5 * side, **hinge, **matter),
        Body(name="right", center=0.5 * up, position=side, **hinge, **matter),
        Body(name="wheel", position=3 * up, **hinge, **matter),
    ]
    top = Loop(name="top", body="right", parent="left", position=0.7 * up, place=0.7 * up - side, **hinge)
    tree = Tree(bodies, loops=[top], gravity=(0, 0, 0))
    hanging = Spring(first=AtPoint("left", 0.3 * up), second=2 * side, stiffness=1e5, length=0.5)
    scene = Scene(tree=tree, springs=[hanging] if pushed == "spring" else [])
    wrenches = {"left": [1.0, 2.0, 3.0, 1.0, 1.0, 1.0]} if pushed == "wrench" else {}
    run = scene.run(0.5, period=1e-3, v=[0, 0, 1.0, 0], wrenches=wrenches)
    assert run.about["unsolved_steps"] == 0
    assert np.abs(np.asarray(run.q)[:, [0, 1, 3]]).max() < 1e-12


@pytest.mark.parametrize("method", ["midpoint", "euler"])
def test_a_machine_with_bonds_goes_on_from_its_state_alone(method):
    """A loop with friction, joints that follow, a ball and a spring: bit for bit, whatever the workspace held."""
    rub = tg.FrictionImpedance(stiffness=1e5, damping=10.0, law=tg.Coulomb(0.5))
    linkage, matter = four_bar(friction=rub), {"mass": 1.0, "inertia": (0.1, 0.1, 0.2)}
    bodies = [
        *linkage.bodies,
        Body(name="bob", parent="rod", joint=Spherical(), center=(0.2, 0, 0), **matter),
        Body(name="slide", joint=Prismatic(mimic=Mimic("crank", ratio=0.1)), **matter),
    ]
    tree = Tree(bodies, loops=linkage.loops)
    q = tree.closed({"crank": -1.0, "rocker": -1.2, "rod": 0.8}, hold=["crank"])
    springs = [Spring(first=AtPoint("bob", (0.3, 0, 0)), second="slide", stiffness=1e4, damping=1.0)]
    live = Scene(tree=tree, springs=springs, method=method).start(period=5e-3, q=q)
    for _ in range(30):
        live.step()
    kept, ends = live.state, []
    for real, whole in ((None, None), (np.nan, -(2**60)), (1e300, 2**60)):
        if real is not None:
            for vector, value in zip(live._workspace, (real, whole), strict=True):
                vector.fill(value)
            live.state = kept
        for _ in range(30):
            live.step()
        ends.append(np.array(live.state))
    np.testing.assert_array_equal(ends[1], ends[0])
    np.testing.assert_array_equal(ends[2], ends[0])
