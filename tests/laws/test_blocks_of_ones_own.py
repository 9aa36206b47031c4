"""A block of a user's own that does not keep the contract is refused in words, before its kernels touch memory."""

import numpy as np
import pytest

import tegotae as tg
from tegotae.block import Block, Impedance, Kernels
from tegotae.compile import SubsetError, kernel
from tegotae.layout import AXIS, Part, layouts
from tegotae.running.batch import Batch

T = 1e-3
FORCE = Part("force", "N", "on the mover", AXIS, "f")


def test_a_block_of_ones_own_says_what_it_can_be_in():
    """A part that counts is looked at without a word of code; see also `Block.fault`."""

    class Counting(Impedance):
        dimension, values = 1, {}
        layout = layouts(state=(FORCE, Part("turns", "-", "so far", whole=True, most=9)))
        kernels = Kernels(lambda: None)

    assert Counting.fault is Block.fault
    for turns, sound in ((3, True), (9, True), (-1, False), (10, False)):
        state = Counting().initial_state(T)
        state["turns"] = turns
        if sound:
            Counting().check_state(state)
            continue
        told = rf"Counting: turns={turns} cannot be in its state\.\n  Give a whole number from 0 to 9"
        with pytest.raises(tg.InputError, match=told):
            Counting().check_state(state)


@kernel
def reading(p, s, w, v, T):
    """Behind what it has."""
    return s.f[7], 0.0


@kernel
def writing(p, s, w, v, T):
    """Behind what it has."""
    s.f[7] = v


@kernel
def naming(p, s, w, v, T):
    """What it does not have."""
    return -p.K * v, s.elsewhere[0]


@kernel
def plain_answer(p, s, w, v, T):
    return -p.K * v, -p.K


@kernel
def plain_advance(p, s, w, v, T):
    s.f[0] = -p.K * v


def of_state(*parts, **more):
    return {"layout": layouts(parameters=DAMPING, state=parts, **more)}


DAMPING = (Part("damping", "N·s/m", letter="K"),)
SOUND = {**of_state(FORCE), "values": {"damping": 2.0}, "dimension": 1}
SOUND["kernels"] = Kernels(lambda: (plain_answer, plain_advance))
BROKEN = [  # what a block of one's own may have wrong, and what is told
    (of_state(), "no force of 1 real numbers"),
    (of_state(Part("force", whole=True, letter="f")), "no force of 1 real numbers"),
    (of_state(Part("force", shape=(2,), letter="f")), "no force of 1 real numbers"),
    ({"layout": None}, "layout=None"),
    (of_state(FORCE, FORCE), "names twice"),
    (of_state(FORCE, Part("other", letter="f")), "letters twice"),
    (of_state(FORCE, Part("my part")), "kernels cannot call a part 'my part'"),
    (of_state(FORCE, "other"), "Give a tuple of Part"),
    (of_state(Part("force", shape=(-1,), letter="f")), "shape of part 'force'=-1"),
    (of_state(FORCE, Part("each", shape=("n",))), "unknown size 'n'"),
    (of_state(FORCE, Part("each", shape=(2,), labels=("one", "one"))), "part 'each'.*has labels"),
    (of_state(FORCE, Part("each", shape=(1, 2), labels=("one", "two"))), "part 'each'.*has labels"),
    (of_state(FORCE, dimension=2), "layout is made for dimension=2"),
    ({"values": {}}, "values has no 'damping'"),
    ({"values": {"damping": [1.0, 2.0]}}, r"values\['damping'\] has shape \(2,\)"),
    ({"values": {"damping": np.nan}}, r"values\['damping'\].*nan"),
    ({"values": [1.0]}, "values="),
    ({"kernels": None}, "kernels=None"),
    ({"kernels": Kernels(lambda: None)}, "kernels did not take a tick"),
    ({"kernels": Kernels(lambda: (reading, plain_advance))}, "kernels reach beyond"),
    ({"kernels": Kernels(lambda: (plain_answer, writing))}, "kernels reach beyond"),
    ({"dimension": 0}, "dimension"),
]


@pytest.mark.parametrize(("wrong", "told"), BROKEN)
def test_a_block_of_ones_own_whose_parts_do_not_fit_is_refused_before_it_writes_into_memory(wrong, told):
    assert type("Whole", (Impedance,), SOUND)().start(period=T).step(0.1) == -0.2
    block = type("Broken", (Impedance,), SOUND | wrong)()
    for way in (
        lambda: block.run([0.1], period=T) if block.dimension else block.start(period=T),
        lambda: block.start(period=T),
        lambda: Batch([block]),
        lambda: tg.ImpedanceSum({"a": block}),
        lambda: tg.Circuit(tg.Mass(mass=1.0), {"a": block}),
    ):
        with pytest.raises(tg.InputError, match=told):
            way()


def test_a_kernel_that_names_a_part_that_there_is_not_is_told_which_there_are():
    block = type("Broken", (Impedance,), SOUND | {"kernels": Kernels(lambda: (naming, plain_advance))})()
    with pytest.raises(SubsetError, match=r"kernel 'naming': State has no 'elsewhere'\.\n  It has f\."):
        block.start(period=T)
