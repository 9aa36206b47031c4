"""Several machines as one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from tegotae import checks
from tegotae.multibody.bodies import OneDegree
from tegotae.multibody.tree import Tree


def join(trees: Mapping[str, Tree]) -> Tree:
    """One tree of several machines, whose bodies and joints are then called "machine.name".

    They stay as they are and may touch each other in a `Scene`. q and v are theirs, one machine after the other.

    Args:
        trees: name -> machine; all in the same gravity [m/s²].

    Example:
        >>> from tegotae.multibody import Body, Prismatic, Tree, join
        >>> lift = Tree([Body(name="lift", mass=2.0, joint=Prismatic())])
        >>> join({"left": lift, "right": lift}).joint_names
        ('left.lift', 'right.lift')
    """
    trees = checks.mapping("join", "trees", trees, "Give a dict of Trees by name.")
    if not trees:
        checks.refuse("join", "there are no trees.", "Give at least one, by name.")
    for machine, tree in trees.items():
        checks.instance("join", f"trees[{machine!r}]", tree, Tree, "Give a Tree.")
    first = next(iter(trees.values()))
    bodies = []
    for machine, tree in trees.items():
        if not np.array_equal(np.asarray(tree.gravity), np.asarray(first.gravity)):
            told = f"{machine!r} has gravity={tree.gravity}, another {first.gravity}."
            checks.refuse("join", told, "Give them the same gravity.")
        for body in tree.bodies:
            joint = body.joint
            if isinstance(joint, OneDegree):
                joint = replace(joint, name=f"{machine}.{body.joint_name}")
            parent = None if body.parent is None else f"{machine}.{body.parent}"
            bodies.append(replace(body, name=f"{machine}.{body.name}", parent=parent, joint=joint))
    return Tree(bodies, gravity=first.gravity)
