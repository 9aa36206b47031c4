"""Every number of a machine has a name, however deep it lies, and a machine varied by it is that machine made anew."""

import re
import warnings

import numpy as np
import pytest

import tegotae as tg
from machines import PERIOD
from random_states import every_block
from tegotae.fitting.model import places_in
from tegotae.multibody import Body, Free, HalfSpace, Point, Prismatic, Revolute, Scene, Servo, Touch, Tree, join

# Numbers that a class ties to others: alone such a one may be refused, or take the others along.
TIED = {
    "cosines of one rotation": r"(rotation|axes|loops\.\w+\.turn)\[\d\]\[\d\]$",
    "a direction of length 1": r"(axis|normal|joint\.(first|second))\[\d\]$",
    "an inertia is symmetric": r"inertia\[(0\]\[[12]|1\]\[[02]|2\]\[[01])\]$",
    "a Coulomb limit is the number of its law, and limits stand for laws": r"(limits\[\d+\]|laws\[\d+\]\.\w+)$",
    "alpha is damping/stiffness unless it is given": r"(^|\.)(wall|floor)\.(stiffness|damping|alpha)$",
    "parts of one whole": r"fractions\[\d\]$",
    "a table begins at rest": r"speeds\[0\]$",
    "a relative motion takes friction without memory of its own": r"joint\.friction\.(mass|lag)$",
}
COUNTS = re.compile(r"(^|\.)(at\[\d\]|nodes|bristles|rows|substeps|delay|seed)$")  # without a unit


def others(number):
    """Numbers near it, below and above, for it may stand at the end of its range; 0 becomes almost 0."""
    if type(number) is int:
        return [number + 1]
    return [0.9990234375 * number, 1.0009765625 * number] if number else [2.0**-40]


def varied(block, name, number):
    """The first of such machines that there can be, and the number that it has; none if each is refused."""
    for new in others(number):
        try:
            return block.varied({name: new}).numbers, new
        except tg.InputError:
            pass
    return None, None


def tie_of(name):
    return next((tie for tie in TIED.values() if re.search(tie, name)), None)


def test_every_number_is_taken_and_changes_alone():
    seen = set()
    for block in every_block():
        numbers = block.numbers
        assert numbers.keys() <= {*block.variable}, block.name
        for name, number in numbers.items():
            assert block.unit_of(name) or COUNTS.search(name), (block.name, name)
            tie, kind = tie_of(name), (type(block), re.sub(r"\d+", "0", name))
            if kind in seen:
                continue
            seen.add(kind)
            found, new = varied(block, name, number)
            if found is None:
                assert tie, (block.name, name)
                continue
            changed = [one for one in {**numbers, **found} if numbers.get(one) != found.get(one)]
            assert tie or (changed == [name] and found[name] == new), (block.name, name, changed)
            assert all(tie_of(one) == tie for one in changed), (block.name, name, changed)
    assert len(seen) > 500


ARM = Tree(
    [
        Body(
            name="arm",
            mass=2.0,
            inertia=(0.2, 0.3, 0.25),
            center=(0, 0, -0.3),
            joint=Revolute(axis=(0.0, 0.6, 0.8), friction=tg.FrictionImpedance(stiffness=1e5, law=tg.Coulomb(1.0))),
            rotation=((0.36, 0.48, -0.8), (-0.8, 0.6, 0.0), (0.48, 0.64, 0.6)),
        ),
        Body(name="tool", mass=1.0, parent="arm", position=(0, 0, -0.6), joint=Prismatic()),
    ]
)
HELD = Scene(tree=ARM, controllers={"tool": Servo(gain=50.0)})


def test_names_deep_inside_and_their_units():
    """Bodies by their names, controllers by their joints, all other lists by place."""
    names = {
        "tree.bodies.tool.mass": (1.0, "kg"),
        "tree.bodies.arm.inertia[1][1]": (0.3, "kg·m²"),
        "tree.bodies.arm.center[2]": (-0.3, "m"),
        "tree.bodies.arm.joint.friction.law.limit": (1.0, "N"),
        "controllers.tool.gain": (50.0, "N·m/rad or N/m"),
        "tree.gravity[2]": (-9.81, "SI"),
    }
    for name, (number, unit) in names.items():
        assert (HELD.numbers[name], HELD.unit_of(name)) == (number, unit)
        assert HELD.varied({name: 1.25 * number}).numbers[name] == 1.25 * number
    assert np.isfinite([*HELD.numbers.values()]).all(), "a joint without limits has none that are numbers"
    lighter = HELD.varied({"tree.bodies.arm.mass": 1.0, "controllers.tool": Servo(gain=1.0), "tree.gravity": (0, 0, 0)})
    assert (lighter.tree.mass, lighter.controllers["tool"].gain, lighter.tree.gravity[2]) == (2.0, 1.0, 0.0)
    assert lighter.tree.bodies[0].rotation == ARM.bodies[0].rotation, "all else is what it was, bit for bit"
    two = Scene(tree=join({"left": ARM, "right": ARM}))
    assert two.varied({"tree.bodies.left.arm.mass": 5.0}).tree.bodies[0].mass == 5.0, "names with a dot"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "tree.bodies[1].mass",
            r"Tree: it has no 'bodies\[1\]\.mass' to change\.\n  It has bodies\.arm, bodies\.tool\.",
        ),
        ("tree.bodies.tool.weight", r"Body: it has no 'weight' to change\.\n  It has name, mass,"),
        ("tree.bodies.tool.mass.x", r"Body: it has no 'mass\.x' to change\.\n  Give mass itself: it is 1\.0\."),
        ("touches[0].friction", r"Scene: it has no 'touches\[0\]\.friction' to change\.\n  Give touches itself"),
    ],
)
def test_what_is_not_there_is_refused_where_the_name_ends(name, words):
    with pytest.raises(tg.InputError, match=words):
        HELD.varied({name: 1.0})
    with pytest.raises(tg.InputError, match="batch has"):
        HELD.batch(**{name: [1.0]})


@pytest.mark.parametrize("block", [*every_block()], ids=lambda block: type(block).__name__)
def test_what_are_no_names_is_refused_in_words(block):
    with pytest.raises(tg.InputError, match=r"changes=3 is not a dict\.\n  Give a dict"):
        block.varied(3)
    with pytest.raises(tg.InputError, match="changes has the key 3, which is not a name"):
        block.varied({3: 1.0})
    with pytest.raises(tg.InputError, match="name=3 is not a text"):
        block.unit_of(3)


def swing(mass):
    """A pendulum whose hinge is spring and damper: how it swings depends on its mass."""
    spring = tg.SpringDamper(stiffness=3.0, damping=0.1)
    bob = Body(name="bob", mass=mass, center=(0.3, 0, 0), joint=Revolute(axis=(0, 1, 0), friction=spring))
    return Scene(tree=Tree([bob]))


def test_a_batch_over_the_mass_of_a_body_is_as_many_scenes():
    masses = [0.5, 1.0, 3.0]
    found = swing(1.0).batch(**{"tree.bodies.bob.mass": masses}).run(300 * PERIOD, period=PERIOD).q
    alone = [swing(mass).run(0.3, period=PERIOD).q for mass in masses]
    assert np.array_equal(found, alone)
    assert np.ptp(found[:, -1]) > 0.1


def test_a_batch_over_the_friction_of_a_touch_is_as_many_scenes():
    sled = Tree([Body(name="sled", mass=1.0, inertia=(0.1, 0.1, 0.1), joint=Free())], gravity=(3.0, 0.0, -9.0))

    def on(friction):
        floor = {"surface": HalfSpace(), "stiffness": 1e5, "damping": 1e3}
        return Scene(
            tree=sled, touches=[Touch(on="sled", toucher=Point(position=(0, 0, 0)), friction=friction, **floor)]
        )

    frictions = [0.0, 0.2, 0.5]
    found = on(0.1).batch(**{"touches[0].friction": frictions}).run(300 * PERIOD, period=PERIOD).q
    alone = [on(friction).run(0.3, period=PERIOD).q for friction in frictions]
    assert np.array_equal(found, alone)
    assert found[0, -1, 0] > 1.5 * found[1, -1, 0] > 100 * found[2, -1, 0]


def test_the_ratio_of_a_link_by_its_name():
    """m a = F - r² D v: twice the ratio, four times the damping."""
    damper = tg.SpringDamper(stiffness=0.0, damping=2.0)
    machine = tg.Circuit({"car": tg.Mass(mass=1.0)}, {"b": tg.Link(damper, "car", ratio=1.0)})
    assert (machine.numbers["b.ratio"], machine.unit_of("b.ratio")) == (1.0, "SI")
    ends = machine.batch(**{"b.ratio": [1.0, 2.0]}).run(np.full(20_000, 8.0), period=PERIOD)["car.velocity"][:, -1]
    assert ends == pytest.approx([4.0, 1.0], rel=1e-9)
    assert places_in(machine, "b.ratio").size == 1
    across = tg.Circuit(tg.Mass(mass=1.0, dimension=2), {"b": tg.Link(damper, "port", ratio=[[0.6, 0.8]])})
    assert across.varied({"b.ratio[0][1]": 0.0, "b.damping": 1.0}).numbers == across.numbers | {
        "b.ratio[0][1]": 0.0,
        "b.damping": 1.0,
    }


def test_a_part_and_a_number_of_it_may_change_together():
    brake = tg.FrictionImpedance(stiffness=1e4, damping=50.0, law=tg.Coulomb(1.0))
    law = tg.Stribeck(kinetic=3.0, static=5.0, velocity=0.2)
    assert brake.varied({"law.static": 4.0, "law": law}).law == tg.Stribeck(kinetic=3.0, static=4.0, velocity=0.2)


def test_fitting_finds_the_mass_of_a_body():
    """A pendulum pushed at its joint, by its mass deep inside."""
    from tegotae.multibody import AtJoint, TreeAdmittance

    def pendulum(mass):
        bob = Body(name="bob", mass=mass, center=(0.3, 0, 0), joint=Revolute(axis=(0, 0, 1), damping=0.2))
        return TreeAdmittance(tree=Tree([bob]), at=AtJoint("bob"))

    push = np.sin(0.02 * np.arange(1500)) + 0.5 * np.sin(0.047 * np.arange(1500))
    moved = pendulum(2.0).run(push, period=PERIOD).velocity
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = tg.fit(pendulum(1.2), moved, push, period=PERIOD, free=["tree.bodies.bob.mass"])
    assert found.parameters["tree.bodies.bob.mass"] == pytest.approx(2.0, rel=1e-4)
