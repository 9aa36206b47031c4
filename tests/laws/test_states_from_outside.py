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
from tegotae.inclusion import Contact, Inclusion
from tegotae.layout import Memory
from tegotae.multibody import Body, Prismatic, Scene, Tree
from tegotae.running.batch import Batch
from tegotae.state import State
from tegotae.steering import ContactPatch, SteeringSystem
from tegotae.table import HexaPlant

T = 1e-3
STACK = tg.ParallelFriction(stiffness=1e4, limits=[1.0, 2.0, 3.0])
ROPE = tg.SpringDamper(stiffness=100.0, damping=1.0)


def spoilt(live, field, place, value):
    """Its state with one number of a field replaced."""
    state = live.state
    state.part(field).ravel()[place] = value
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


WRONG = [  # part of a stack, place in it, value, what may stand there
    ("direction", 0, 2, "a whole number from -1 to 1"),
    ("sliding", 0, 3, "a whole number from 0 to 2"),
    ("sliding", 0, -1, "a whole number from 0"),
    ("groups", 0, 10**8, "a whole number from 0 to 3"),
    ("groups", 0, -1, "a whole number from 0"),
    ("group_directions", 0, 7, "a whole number from -1 to 1"),
    ("group_ends", 0, 10**8, "3, where the lowest group ends"),
    ("group_ends", 0, 2, "3, where the lowest group ends"),
    ("place", 0, np.nan, "finite"),
    ("group_rests", 2, np.inf, "finite"),
]


def with_stacks():
    """What has a stack inside, and what it calls that."""
    hung = tg.Circuit(tg.Mass(mass=1.0), {"rope": ROPE, "stack": STACK}, bases=["rope"])
    circuit = random_states.reached(tg.Circuit(random_states.reached(hung), {"other": STACK}))
    links = {"felt": tg.Link(ROPE, "near", "far"), "other": tg.Link(STACK, "near")}
    network = tg.Circuit({"near": tg.Mass(mass=1.0), "far": hung}, links)
    return {"": STACK, "stack.": circuit, "other.": network, "far.stack.": network}


def bases(block):
    """Motion of the ends that a circuit has, none."""
    return {"bases": {name: np.zeros(5) for name in block.bases}} if getattr(block, "bases", ()) else {}


@pytest.mark.parametrize(("part", "place", "value", "may_be"), WRONG)
def test_a_place_in_memory_that_there_is_not_is_refused_by_every_way_in(part, place, value, may_be):
    for prefix, block in with_stacks().items():
        field, live = prefix + part, block.start(period=T)
        spot = field if live.state.part(field).size == 1 else rf"{field}\[{place}\]"
        told = rf"{spot}={value!r} cannot be(.|\n)*{may_be}"
        bad, before = spoilt(live, field, place, value), live.state
        with pytest.raises(tg.InputError, match=told):
            live.state = bad
        assert live.state == before
        revive, (*given, _) = live.__reduce__()
        with pytest.raises(tg.InputError, match=told):  # what was pickled may be anything
            revive(*given, bad)
        if not np.isfinite(value):
            continue
        initial, ones = {field: bad[field]}, np.ones(5 if block.dimension == 1 else (5, block.dimension))
        many = Batch([block, block])
        for way in (block.start, partial(block.run, ones, **bases(block)), many.start, partial(many.run, ones)):
            with pytest.raises(tg.InputError, match=told):
                way(period=T, initial=initial)


@pytest.mark.parametrize("value", [0.5, 1e300, np.nan, np.inf, "1", None])
def test_what_counts_is_not_rounded_in_silence(value):
    """Neither as a start nor in a state that a user changes: whole numbers are whole."""
    for prefix, block in with_stacks().items():
        state = block.start(period=T).state
        before = state.copy()
        for part in ("direction", "sliding", "groups"):
            with pytest.raises(tg.InputError, match=f"{prefix}{part}"):
                state[prefix + part] = value
            with pytest.raises(tg.InputError, match=part):
                block.start(period=T, initial={prefix + part: value})
        assert state == before


def test_a_state_that_does_not_lie_as_it_says_is_refused():
    """Made by hand: its parts are those of the block, and its memory is not."""
    live = STACK.start(period=T)
    sound = live.state
    short, long = sound.real[:-1], np.append(sound.real, 0.0)
    for memory in (
        Memory(short, sound.whole),
        Memory(long, sound.whole),
        Memory(sound.real[:1], sound.whole),
        Memory(sound.real, sound.whole[:1]),
        Memory(sound.whole, sound.real),
        Memory(sound.real.astype(np.float32), sound.whole),
    ):
        with pytest.raises(tg.InputError, match="ParallelFriction: state"):
            live.state = State("ParallelFriction", sound.space, memory)
        assert live.state == sound


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
        if live["groups"] > 4:  # many groups: deep enough
            return
    raise AssertionError("the stack was never deep")


def test_numbers_that_are_not_finite_are_refused_by_name():
    live = tg.FrictionImpedance(stiffness=6000.0, law=tg.Coulomb(4.0)).start(period=T)
    for field in live.block.parts:
        for value in (np.nan, np.inf, -np.inf):
            with pytest.raises(tg.InputError, match=f"{field}={value!r} cannot be in its state"):
                live.state = spoilt(live, field, 0, value)


def test_a_last_position_is_known_in_all_directions_or_in_none():
    planar = tg.SpringDamper(stiffness=100.0, dimension=2).start(period=T)
    for last, sound in (([np.nan, np.nan], True), ([0.1, 0.2], True), ([np.nan, 0.2], False), ([np.inf, 0.0], False)):
        state = planar.state
        state["seen_position"] = last
        if sound:
            planar.state = state
        else:
            with pytest.raises(tg.InputError, match="seen_position="):
                planar.state = state


def test_a_tyre_whose_bristles_are_nowhere_is_refused():
    live = SteeringSystem.physical(speed=5.0).start(period=T)
    where = next(name for name in live.block.parts if name.endswith("tyre.phase"))
    for phase in (-0.1, 1.0, 1e8):
        with pytest.raises(tg.InputError, match=r"tyre\.phase=.*\n.*0 <= phase < 1"):
            live.state = spoilt(live, where, 0, phase)
        with pytest.raises(tg.InputError, match="0 <= phase < 1"):
            ContactPatch(bristles=5).run(steer=[0.0, 0.1], speed=1.0, period=T, initial={"phase": phase})


def test_counts_are_whole():
    live = tg.Circuit(tg.Mass(mass=1.0), {"rope": ROPE}).start(period=T)
    for value in (-1, 2**60):
        with pytest.raises(tg.InputError, match=r"unsolved=.*\n.*a whole number from 0"):
            live.state = spoilt(live, "unsolved", 0, value)
    with pytest.raises(tg.InputError, match=r"unsolved=0\.5 is not whole"):
        live.state["unsolved"] = 0.5


def test_ticks_of_a_stepper_are_whole_and_its_states_finite():
    ball = Inclusion({"p": "v", "v": "dio(p, 'floor')/m - g"}, {"m": 1.0, "g": 9.81})
    live = ball.to_stepper(period=T, contact=Contact(stiffness=1e5, damping=200.0)).start(initial={"p": 0.01})
    before = live.state
    for field, value in (
        ("ticks", -1),
        ("ticks", 2**60),
        ("p", np.nan),
        ("v", np.inf),
        ("floor", -np.inf),
        ("m", np.nan),
    ):
        with pytest.raises(tg.InputError, match=f"{field}=.* cannot be in its state"):
            live.state = spoilt(live, field, 0, value)
    for value in (0.5, 1e300, np.nan):
        with pytest.raises(tg.InputError, match=r"ticks=.*is not whole"):
            live.state["ticks"] = value
    for stranger in ("here", np.zeros(5)):
        with pytest.raises(tg.InputError, match="is not a State"):
            live.state = stranger
    assert live.state == before


@pytest.mark.filterwarnings("error")
def test_steps_that_were_unsolved_before_a_checkpoint_are_not_told_again():
    live = tg.Circuit(tg.Mass(mass=1.0), {"rope": ROPE}).start(period=T)
    live.state = spoilt(live, "unsolved", 0, 5)
    live.step(1.0)
    assert live["unsolved"] == 5
    assert pickle.loads(pickle.dumps(live)).step(1.0) == live.step(1.0)


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
    with pytest.raises(tg.InputError, match=r"is not a list of states"):
        brakes.states = [[0.0], [0.0]]
    bad = brakes.states
    bad[1]["place"] = np.nan
    with pytest.raises(tg.InputError, match="cannot be in its state"):
        brakes.states = bad
