"""Closed loops where it is hard to hold them: sizes, masses and speeds far apart, conditions that follow from others."""

import numpy as np
import pytest

from tegotae.multibody import Body, Loop, Prismatic, Revolute, Tree


def four_bar(size=1.0, masses=(1.0, 1.0, 1.0)):
    """Of lengths 1, 2, 2 on a ground of 2: all axes along y. One motion of four speeds; three of six conditions."""
    rods = [(1.0, None, (0, 0, 0)), (2.0, "crank", (size, 0, 0)), (2.0, None, (2.0 * size, 0, 0))]
    bodies = [
        Body(
            name=name, mass=m, inertia=tuple(m * (length * size) ** 2 * np.array([1e-3, 1 / 12, 1 / 12])),
            center=(0.5 * length * size, 0, 0), parent=parent, position=place, joint=Revolute(axis=(0, 1, 0)),
        )
        for (length, parent, place), name, m in zip(rods, ("crank", "rod", "rocker"), masses, strict=True)
    ]  # fmt: skip
    pin = Loop(name="pin", body="rod", parent="rocker", place=(2.0 * size, 0, 0), position=(2.0 * size, 0, 0),
               joint=Revolute(axis=(0, 1, 0)))  # fmt: skip
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
