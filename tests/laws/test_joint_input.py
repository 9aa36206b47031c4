"""Bad input of loops, joints that follow, joints of several degrees and springs: refused in words that name what was
given and the way out.
"""

import numpy as np
import pytest

import tegotae as tg
from tegotae.multibody import AtJoint, Body, Loop, Mimic, Prismatic, Revolute, Scene, Spherical, Spring, Tree

HINGE = Revolute(axis=(0, 1, 0))


def body(name, joint=HINGE, **more):
    return Body(name=name, mass=1.0, inertia=(0.01, 0.02, 0.02), center=(0.25, 0, 0), joint=joint, **more)


def bars(**changes):
    given = {
        "name": "pin",
        "body": "rod",
        "place": (0.5, 0, 0),
        "parent": "rocker",
        "position": (0.5, 0, 0),
        "joint": HINGE,
    }
    bodies = [body("crank"), body("rod", parent="crank", position=(0.5, 0, 0)), body("rocker", position=(0.6, 0, 0))]
    return Tree(bodies, loops=[Loop(**given | changes)])


def far():
    """A loop that nothing closes."""
    return Tree([body("arm")], loops=[Loop(name="pin", body="arm", joint=HINGE, position=(5.0, 0, 0))])


GUESS = {"crank": -1.0, "rod": 0.8, "rocker": -1.2}
FOLLOWS = [body("one"), body("two", Revolute(mimic=Mimic("one")))]
SPRING = {"first": "rod", "second": (0.0, 0.0, 1.0), "stiffness": 1.0}
REFUSED = {
    "turn of a loop": (lambda: bars(turn=(1, 0, 0)), r"turn has shape \(3,\)"),
    "rows of q": (lambda: bars().closed([[0.0] * 4]), r"q has shape \(1, 4\).\n  Give 4 numbers"),
    "rows of q for gaps": (lambda: bars().gaps([[0.0] * 4]), r"q has shape \(1, 4\).\n  Give 4 numbers"),
    "rows of v": (lambda: bars().closed(GUESS, [[0.0] * 4]), r"v has shape \(1, 4\).\n  Give 4 numbers"),
    "a ball by name": (
        lambda: Tree([body("bob", Spherical(name="ball"))]).closed({"ball.x": 1.0}),
        r"'ball.x', and no joint with one coordinate is called so.\n  It has none: give q as numbers",
    ),
    "after a ball": (
        lambda: Tree([body("bob", Spherical()), body("arm", Revolute(mimic=Mimic("bob.x"))), body("leg")]),
        r"mimic.joint='bob.x', and no joint of one degree is called so.\n  It has leg.",
    ),
    "a ratio that is none": (lambda: Mimic("one", ratio=np.nan), r"Mimic: ratio=nan rad/rad"),
    "a spring on nothing": (
        lambda: Scene(tree=bars(), springs=[Spring(**SPRING | {"first": "zz"})]),
        r"Spring 'zz to world': first='zz', and no body has that name.\n  Give one of 'crank'",
    ),
    "a spring at a joint": (lambda: Spring(**SPRING | {"second": AtJoint("rod")}), "Give the name of a body, AtPoint"),
    "a spring where nothing closes": (
        lambda: Scene(tree=far(), springs=[Spring(**SPRING | {"first": "arm"})]),
        r"Spring 'arm to world': length is that in the neutral configuration.*\n  Give length=",
    ),
    "a ring": (lambda: Tree([body("one", Revolute(mimic=Mimic("one")))]), "in a ring: one after one"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused_in_words(case):
    call, words = REFUSED[case]
    with pytest.raises(tg.InputError, match=f"(?s){words}"):
        call()


@pytest.mark.parametrize("method", ["symplectic", "rk4"])
@pytest.mark.parametrize(
    ("tree", "springs", "words"),
    [
        (bars(), [], "loops"),
        (Tree(FOLLOWS), [], "joints that follow others"),
        (Tree([body("rod", Prismatic())]), [Spring(**SPRING)], "springs between bodies"),
    ],
    ids=["loops", "mimics", "springs"],
)
def test_explicit_methods_refuse_what_they_would_leave_out(method, tree, springs, words):
    """They have neither: loops would fall apart, springs not pull."""
    scene, q = Scene(tree=tree, springs=springs, method=method), tree.closed(GUESS) if tree.loops else None
    for play in (lambda: scene.run(0.01, period=1e-3, q=q), lambda: scene.start(period=1e-3, q=q)):
        with pytest.raises(tg.InputError, match=f"method='{method}' with {words}.\n  Use method='midpoint'"):
            play()
