"""A state that a user gives is one that the machine could have come to, or it is refused: nothing crashes."""

import copy
import os
import pickle
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import random_states
import tegotae as tg
from tegotae.batch import Batch
from tegotae.block import Block, Field, Impedance, Kernels
from tegotae.inclusion import Contact, Inclusion
from tegotae.multibody import Body, Prismatic, Scene, Tree
from tegotae.steering import ContactPatch, SteeringSystem
from tegotae.table import HexaPlant
from tegotae.through import Through

T = 1e-3
STACK = tg.ParallelFriction(stiffness=1e4, limits=[1.0, 2.0, 3.0])
ROPE = tg.SpringDamper(stiffness=100.0, damping=1.0)


def spoilt(live, field, place, value):
    """Its state with one number of a field replaced."""
    state = live.state
    state[live.block.slices()[field].start + place] = value
    return state


def test_no_state_crashes_a_block():
    """Random states of every block, in a process of their own; its last word names the one that it died of."""
    paths = os.pathsep.join([str(Path(tg.__file__).parents[1]), str(Path(random_states.__file__).parent)])
    done = subprocess.run(
        [sys.executable, random_states.__file__, "7", "150"],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": paths},
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    counts = np.array([line.split()[-3:] for line in done.stdout.splitlines()], dtype=int)
    assert len(counts) == len(list(random_states.every_block()))
    assert (counts[:, 0] > 0).all()  # nan, at least, is refused by every block
    assert (counts[:, 1] > 0).all()  # and most numbers are taken by every block


def test_every_class_of_blocks_is_tried():
    tried = {type(block) for block in random_states.every_block()}
    assert random_states.classes_of_blocks() - tried == set()


WRONG = [  # place in the stack, value, what may stand there
    (1, 0.5, "-1, 0 or 1"),
    (2, 3.0, "from 0 to 2"),
    (2, -1.0, "from 0 to 2"),
    (2, 0.5, "from 0 to 2"),
    (3, 1e8, "from 0 to 3"),
    (3, -1.0, "from 0 to 3"),
    (3, 1.5, "from 0 to 3"),
    (5, 7.0, "-1, 0 or 1"),
    (6, 1e8, "3, where the lowest group ends"),
    (6, 2.0, "3, where the lowest group ends"),
    (0, np.nan, "finite"),
    (15, np.inf, "finite"),
]


@pytest.mark.parametrize(("place", "value", "told"), WRONG)
def test_a_place_in_memory_that_there_is_not_is_refused_by_every_way_in(place, value, told):
    told = rf"elements\[{place}\]={float(value)!r} cannot be(.|\n)*{told}".replace("+", r"\+")
    hung = tg.Circuit(tg.Mass(mass=1.0), {"rope": ROPE, "stack": STACK}, bases=["rope"])
    circuit = tg.Circuit(hung.by_address(), {"felt": Through(hung, "rope"), "other": STACK}).by_address()
    fields = {"stack.elements": circuit, "felt.stack.elements": circuit, "other.elements": circuit}
    for field, block in {"elements": STACK, **fields}.items():
        live = block.start(period=T)
        bad = spoilt(live, field, place, value)
        before = live.state
        with pytest.raises(tg.InputError, match=told):
            live.state = bad
        np.testing.assert_array_equal(live.state, before)
        revive, (*given, _) = live.__reduce__()
        with pytest.raises(tg.InputError, match=told):  # what was pickled may be anything
            revive(*given, bad)
        if not np.isfinite(value):
            continue
        initial, ones = {field: bad[block.slices()[field]]}, np.ones(5)
        many = Batch([block, block])
        for way in (block.start, partial(block.run, ones), many.start, partial(many.run, ones)):
            with pytest.raises(tg.InputError, match=told):
                way(period=T, initial=initial)


def test_states_that_a_stack_comes_to_are_taken_and_go_on_as_before():
    block = tg.ParallelFriction(stiffness=1e4, limits=range(1, 30))
    live, rng = block.start(period=T), np.random.default_rng(4)
    for _ in range(2000):
        live.step(float(rng.normal()) * rng.choice([0.01, 1.0]))
        others = copy.deepcopy(live), pickle.loads(pickle.dumps(live)), block.start(period=T)
        others[2].state = live.state
        velocity = float(rng.normal())
        forces = {other.step(velocity) for other in (*others, live)}
        assert len(forces) == 1
        if live["elements"][3] > 4:  # many groups: deep enough
            return
    raise AssertionError("the stack was never deep")


def test_numbers_that_are_not_finite_are_refused_by_name():
    live = tg.FrictionImpedance(stiffness=6000.0, law=tg.Coulomb(4.0)).start(period=T)
    for field in live.block.slices():
        for value in (np.nan, np.inf, -np.inf):
            with pytest.raises(tg.InputError, match=f"{field}={value!r} cannot be in its state"):
                live.state = spoilt(live, field, 0, value)


def test_a_last_position_is_known_in_all_directions_or_in_none():
    planar = tg.SpringDamper(stiffness=100.0, dimension=2).start(period=T)
    for last, sound in (([np.nan, np.nan], True), ([0.1, 0.2], True), ([np.nan, 0.2], False), ([np.inf, 0.0], False)):
        state = planar.state
        state[-2:] = last
        if sound:
            planar.state = state
        else:
            with pytest.raises(tg.InputError, match="position="):
                planar.state = state


def test_a_tyre_whose_bristles_are_nowhere_is_refused():
    live = SteeringSystem.physical(speed=5.0).start(period=T)
    where = next(name for name in live.block.slices() if name.endswith("tyre.phase"))
    for phase in (-0.1, 1.0, 1e8):
        with pytest.raises(tg.InputError, match=r"tyre\.phase=.*\n.*0 <= phase < 1"):
            live.state = spoilt(live, where, 0, phase)
        with pytest.raises(tg.InputError, match="0 <= phase < 1"):
            ContactPatch(bristles=5).run(steer=[0.0, 0.1], speed=1.0, period=T, initial={"phase": phase})
    rows = next(name for name in live.block.slices() if name.endswith("tyre.rows"))
    with pytest.raises(tg.InputError, match="worked out, else 0"):
        live.state = spoilt(live, rows, 0, 0.5)


def test_counts_are_whole():
    live = tg.Circuit(tg.Mass(mass=1.0), {"rope": ROPE}).start(period=T)
    for value in (-1.0, 0.5, 2.0**60):
        with pytest.raises(tg.InputError, match=r"unsolved=.*\n.*a whole number from 0"):
            live.state = spoilt(live, "unsolved", 0, value)


def test_ticks_of_a_stepper_are_whole_and_its_states_finite():
    ball = Inclusion({"p": "v", "v": "dio(p, 'floor')/m - g"}, {"m": 1.0, "g": 9.81})
    live = ball.to_stepper(period=T, contact=Contact(stiffness=1e5, beta=2e-3)).start(initial={"p": 0.01})
    for place, value in ((0, -1.0), (0, 0.5), (0, 1e300), (0, np.nan), (1, np.nan), (2, np.inf)):
        state = live.state
        state[place] = value
        with pytest.raises(tg.InputError, match=rf"state\[{place}\]="):
            live.state = state
    with pytest.raises(tg.InputError, match="state"):
        live.state = "here"


def test_a_block_of_ones_own_says_what_it_can_be_in():
    """A field that counts is looked at without a word of code; see also `Block.fault`."""

    class Counting(Impedance):
        dimension = 1
        fields = (Field("force", "N", "on the mover"), Field("turns", "-", "so far", whole=True))
        kernels = Kernels(lambda: None)
        parameters = np.zeros(1)

    assert Counting.fault is Block.fault
    Counting().check_state(np.array([1.0, 3.0]))
    with pytest.raises(tg.InputError, match=r"Counting: turns=0\.5 cannot be in its state\.\n  Give a whole number"):
        Counting().check_state(np.array([1.0, 0.5]))


@pytest.mark.filterwarnings("error")
def test_steps_that_were_unsolved_before_a_checkpoint_are_not_told_again():
    live = tg.Circuit(tg.Mass(mass=1.0), {"rope": ROPE}).start(period=T)
    live.state = spoilt(live, "unsolved", 0, 5.0)
    live.step(1.0)
    assert live["unsolved"] == 5.0
    assert pickle.loads(pickle.dumps(live)).step(1.0) == live.step(1.0)


SPRING = tg.FrictionImpedance(stiffness=6000.0, damping=20.0, law=tg.Coulomb(4.0))
FORCE = Field("force", "N", "on the mover")
BROKEN = [  # what a block of one's own may have wrong, and what is told
    ({"fields": (FORCE,)}, "kernels reach beyond"),
    ({"fields": ()}, "no force of 1 numbers"),
    ({"fields": None}, "fields=None"),
    ({"fields": (FORCE, FORCE)}, "names twice"),
    ({"fields": (Field("force", "N", "on the mover", size=-1),)}, "size of field 'force'=-1"),
    ({"parameters": SPRING.parameters[:2].copy()}, "kernels reach beyond"),
    ({"parameters": [1.0]}, "parameters="),
    ({"kernels": None}, "kernels=None"),
    ({"kernels": Kernels(lambda: None)}, "kernels did not take a tick"),
    ({"dimension": 0}, "dimension"),
]


@pytest.mark.parametrize(("wrong", "told"), BROKEN)
def test_a_block_of_ones_own_whose_parts_do_not_fit_is_refused_before_it_writes_into_memory(wrong, told):
    sound = {name: getattr(SPRING, name) for name in ("dimension", "fields", "parameters", "kernels")}
    whole = type("Whole", (Impedance,), sound)()
    assert whole.start(period=T).step(0.1) == SPRING.start(period=T).step(0.1)
    block = type("Broken", (Impedance,), sound | wrong)()
    for way in (
        lambda: block.run([0.1], period=T) if block.dimension else block.start(period=T),
        lambda: block.start(period=T),
        lambda: Batch([block]),
        lambda: tg.ImpedanceSum({"a": block}),
        lambda: tg.Circuit(tg.Mass(mass=1.0), {"a": block}),
    ):
        with pytest.raises(tg.InputError, match=told):
            way()


def test_a_copied_live_machine_goes_on_by_itself_and_leaves_the_other_alone():
    lift = Scene(tree=Tree([Body(name="lift", mass=2.0, joint=Prismatic())])).start(period=T)
    brakes = STACK.batch(stiffness=[1e3, 1e4]).start(period=T)
    table = HexaPlant.default().start()
    for live, push in ((lift, np.array([30.0])), (brakes, [0.1, 0.2]), (table, (0.0, 0.0, 5.0, 0.0, 0.0, 0.0))):
        live.step(push)
        others = copy.copy(live), copy.deepcopy(live), pickle.loads(pickle.dumps(live))
        after = [[np.array(part) for part in other.step(push)] for other in (*others, live)]
        for found in after[:-1]:
            for one, same in zip(found, after[-1], strict=True):
                np.testing.assert_array_equal(one, same)
    with pytest.raises(tg.InputError, match=r"states has shapes"):
        brakes.states = [[0.0], [0.0]]
    bad = brakes.states
    bad[1][-1] = np.nan
    with pytest.raises(tg.InputError, match="cannot be in its state"):
        brakes.states = bad
