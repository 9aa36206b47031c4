"""Trees built by hand: what no machine can be is refused; messages name the argument, the value, the way out."""

import math

import numpy as np
import pytest

from tegotae import Coulomb, FrictionImpedance, ImpedanceSum, InputError, Mass
from tegotae.multibody import Body, Fixed, Free, LooseBody, Prismatic, Revolute, Tree

BRICK = (1.0, 1.2, 1.4)


def body(name: str = "arm", **changed: object) -> Body:
    return Body(**{"name": name, "mass": 1.0, "inertia": BRICK, "joint": Revolute(), **changed})  # type: ignore[arg-type]


def friction(**changed: object) -> FrictionImpedance:
    return FrictionImpedance(**{"stiffness": 1e3, "law": Coulomb(1.0), **changed})  # type: ignore[arg-type]


BODIES = {
    "mass below zero": ({"mass": -1.0}, r"Body 'arm': mass=-1 kg"),
    "mass not a number": ({"mass": math.nan}, r"mass=nan"),
    "mass as text": ({"mass": "2"}, r"mass='2'"),
    "moments against the triangle": ({"inertia": (1.0, 1.0, 2.1)}, r"1, 1, 2.1 kg·m².*exceeds"),
    "a moment below zero": ({"inertia": (1.0, 1.0, -0.1)}, r"-0.1, 1, 1 kg·m².*below 0"),
    "a product that makes one negative": ({"inertia": [[1, 2, 0], [2, 1, 0], [0, 0, 1]]}, r"-1, 1, 3 .*below 0"),
    "not symmetric": ({"inertia": [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]}, r"transpose by 0.1"),
    "inertia of four": ({"inertia": (1, 1, 1, 1)}, r"inertia has shape \(4,\)"),
    "inertia without end": ({"inertia": (1, math.inf, 1)}, r"inertia\[1\]=inf"),
    "a flat centre": ({"center": (0, 0)}, r"center has shape \(2,\)"),
    "a lost centre": ({"center": (0, math.nan, 0)}, r"center\[1\]=nan m"),
    "a lost place": ({"position": (0, 0, math.inf)}, r"position\[2\]=inf m"),
    "a stretched rotation": ({"rotation": 2 * np.eye(3)}, r"not a rotation.*by 3"),
    "a mirror": ({"rotation": np.diag([1, 1, -1])}, r"reflection"),
    "a rotation that is none": ({"rotation": np.full((3, 3), math.nan)}, r"rotation\[0, 0\]=nan"),
    "a joint by name": ({"joint": "revolute"}, r"joint='revolute'"),
    "no name": ({"name": ""}, r"name=''"),
}


@pytest.mark.parametrize(("changed", "told"), BODIES.values(), ids=list(BODIES))
def test_an_impossible_body_is_refused(changed: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match=told) as caught:
        body(**changed)
    assert "\n  " in str(caught.value)  # the way out


def test_what_rounding_leaves_is_no_flaw() -> None:
    body(inertia=(1.0, 1.0, 2.0 + 1e-10))
    body(inertia=(1.0, 1.0, -1e-10 + 0.0))
    body(rotation=np.eye(3) + 1e-10)
    body(inertia=(0.0, 0.0, 0.0))
    with pytest.raises(InputError):
        body(inertia=(1.0, 1.0, 2.0 + 1e-8))


JOINTS = {
    "an axis of no length": ({"axis": (0, 0, 0)}, r"axis=\(0.0, 0.0, 0.0\) has length 0"),
    "an axis of two": ({"axis": (0, 1)}, r"axis has shape \(2,\)"),
    "a lost axis": ({"axis": (0, math.nan, 1)}, r"axis\[1\]=nan"),
    "crossed limits": ({"lower": 1.0, "upper": -1.0}, r"lower=1 is above upper=-1"),
    "a limit that is none": ({"lower": math.nan}, r"lower=nan"),
    "effort below zero": ({"effort": -1.0}, r"effort=-1"),
    "speed below zero": ({"speed": -1.0}, r"speed=-1"),
    "damping below zero": ({"damping": -0.5}, r"damping=-0.5"),
    "damping without end": ({"damping": math.inf}, r"damping=inf"),
    "friction as a number": ({"friction": 3.0}, r"friction=3.0 is not an impedance"),
    "friction in a plane": ({"friction": friction(dimension=2)}, r"friction has dimension=2"),
    "friction that moves": ({"friction": Mass(mass=1.0)}, r"friction=Mass.* is not an impedance"),
    "friction made of others": (
        {"friction": ImpedanceSum({"rub": friction()})},
        r"friction=ImpedanceSum.* is made of other blocks",
    ),
}


@pytest.mark.parametrize("kind", [Revolute, Prismatic])
@pytest.mark.parametrize(("changed", "told"), JOINTS.values(), ids=list(JOINTS))
def test_an_impossible_joint_is_refused(kind: type, changed: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match=rf"^{kind.__name__}: {told}") as caught:
        kind(**changed)
    assert "\n  " in str(caught.value)


TREES = {
    "nothing": ([], r"no bodies"),
    "not bodies": (["arm"], r"bodies\[0\]='arm' is not a Body"),
    "one body, not listed": (3, "bodies=3 is not a list"),
    "one name twice": ([body("a"), body("a")], r"two bodies are named 'a'"),
    "one joint twice": (
        [body("a", joint=Revolute(name="j")), body("b", joint=Revolute(name="j"))],
        r"two joints are named 'j'",
    ),
    "an unknown parent": ([body("a"), body("b", parent="c")], r"'b' has parent='c'.*\n  Give one of 'a', 'b'"),
    "a loop": (
        [body("a"), body("b", parent="d"), body("c", parent="b"), body("d", parent="c"), body("e", parent="d")],
        r"loop: 'b' on 'd' on 'c' on 'b'",
    ),
    "its own parent": ([body("a", parent="a")], r"loop: 'a' on 'a'"),
    "a free body without mass": ([body(mass=0.0, inertia=(0, 0, 0), joint=Free())], r"'arm': mass=0 kg.*Free\(\)"),
    "a free body without mass, with inertia": ([body(mass=0.0, joint=Free())], r"'arm': mass=0 kg.*Free\(\)"),
    "a free point": ([body(inertia=(0, 0, 0), joint=Free())], r"'arm': mass=1 kg and its inertia.*Free\(\)"),
    "a free line": ([body(inertia=(1, 1, 0), joint=Free())], r"do not oppose"),
    "a hinge without mass": ([body(mass=0.0, inertia=(0, 0, 0))], r"joint 'arm': nothing opposes"),
    "a slide without mass": ([body(mass=0.0, joint=Prismatic(name="j"))], r"joint 'j': nothing opposes.*mass=0"),
    "a point on its axis": (
        [body(inertia=(0, 0, 0), center=(0.3, 0.3, 0.3), joint=Revolute(axis=(1, 1, 1)))],
        r"joint 'arm': nothing opposes.*mass=1 kg",
    ),
    "a line along its axis": ([body(inertia=(1, 1, 0), center=(0, 0, 1))], r"joint 'arm': nothing opposes"),
    "two hinges on one axis, none between": (
        [body("a", mass=0.0, inertia=(0, 0, 0)), body("b", parent="a")],
        r"joint 'a': nothing opposes",
    ),
    "what is fixed to it has none either": (
        [body("a", mass=0.0, inertia=(0, 0, 0)), body("b", parent="a", inertia=(0, 0, 0), joint=Fixed())],
        r"joint 'a': nothing opposes",
    ),
}


@pytest.mark.parametrize(("bodies", "told"), TREES.values(), ids=list(TREES))
def test_an_impossible_tree_is_refused(bodies: list[Body], told: str) -> None:
    with pytest.raises(InputError, match=told) as caught:
        Tree(bodies)
    assert "\n  " in str(caught.value)


@pytest.mark.parametrize("gravity", [(0, 0), "down", (0, 0, math.nan), None, 9.81])
def test_gravity_is_three_numbers(gravity: object) -> None:
    with pytest.raises(InputError, match="gravity"):
        Tree([body()], gravity=gravity)  # type: ignore[arg-type]


NOTHING = {"mass": 0.0, "inertia": (0.0, 0.0, 0.0)}
POSSIBLE = {
    "a cross of hinges": [body("a", **NOTHING), body("b", parent="a", joint=Revolute(axis=(1, 0, 0)))],
    "a massless hinge that carries a point": [
        body("a", **NOTHING),
        body("b", parent="a", inertia=(0, 0, 0), center=(0.2, 0, 0), joint=Fixed()),
    ],
    "a free frame with a body fixed to it": [body("a", joint=Free(), **NOTHING), body("b", parent="a", joint=Fixed())],
    "a free line that carries a wheel across": [
        body("a", inertia=(1, 1, 0), joint=Free()),
        body("b", parent="a", joint=Revolute(axis=(1, 0, 0)), position=(0.1, 0, 0)),
    ],
    "a pendulum with a point": [body(inertia=(0, 0, 0), center=(0, 1e-3, 0))],
    "a table of slides": [
        body("x", joint=Prismatic(axis=(1, 0, 0)), **NOTHING),
        body("y", parent="x", joint=Prismatic(axis=(0, 1, 0)), inertia=(0, 0, 0)),
    ],
    "a light finger on a heavy tower": [
        body("tower", mass=1e4, inertia=(1e4, 1e4, 0)),
        body("finger", parent="tower", mass=1e-4, inertia=(0, 0, 0), center=(1e-3, 0, 0), position=(0, 9.0, 0)),
        body("top", parent="tower", joint=Fixed()),
    ],
    "only the world": [body(joint=Fixed(), **NOTHING)],
}


@pytest.mark.parametrize("bodies", POSSIBLE.values(), ids=list(POSSIBLE))
def test_a_possible_tree_is_taken(bodies: list[Body]) -> None:
    assert Tree(bodies).flaws == ()


def test_loose_bodies_are_taken_and_told() -> None:
    heavy = LooseBody(name="hand", mass=1.0, inertia=(1.0, 0.1, 0.1), joint=Revolute(name="wrist"))
    none = LooseBody(name="tip", mass=0.0, joint=Revolute(name="end"), parent="hand")
    told = Tree([heavy, none]).flaws
    assert len(told) == 2
    assert "'hand'" in told[0]
    assert "'end'" in told[1]
    with pytest.raises(InputError, match="axis"):  # only matter may be loose
        LooseBody(name="tip", mass=0.0, joint=Revolute(axis=(0, 0, 0)))
    with pytest.raises(InputError, match="center"):
        LooseBody(name="tip", mass=0.0, center=(math.nan, 0, 0), joint=Revolute())


def test_a_heavy_point_that_may_turn_is_refused_in_words() -> None:
    """Its radius of gyration is 1e-190 m: the ratio of mass and inertia is no number."""
    point = Body(name="point", mass=1e140, inertia=(1e-240,) * 3, joint=Free())
    with pytest.raises(InputError, match="'point'"):
        Tree([point, Body(name="arm", mass=1.0, parent="point", joint=Revolute())])
