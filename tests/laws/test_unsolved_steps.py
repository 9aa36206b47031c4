"""Steps without a solution: every machine counts them, and all speak of them in one voice, at the user's line."""

import itertools
import math
import pickle
import warnings

import numpy as np
import pytest

import tegotae as tg
from tegotae.friction.classics import Karnopp
from tegotae.inclusion import Contact, Inclusion
from tegotae.multibody import AtJoint, Body, Free, HalfSpace, Point, Revolute, Scene, Touch, Tree, TreeAdmittance
from tegotae.rod import GroundedRod, Phase, PlanarRod, Shape, Wall
from tegotae.running.batch import Batch
from tegotae.steering import SteeringSystem

T, TICKS = 1e-3, 2000
PUSH = 60.0 * np.sin(0.01 * np.arange(TICKS))


def _jagged(speed):
    return 1.0 if math.sin(1e7 * speed) < 0.0 else 30.0


JAGGED = tg.CustomLaw(_jagged)  # it jumps from 1 to 30 N and back every third of a micrometre a second


@pytest.fixture
def unchecked(monkeypatch):
    """Machines refuse such a law; without that check, hardly a step has a solution."""
    for kind in (tg.FrictionImpedance, tg.Circuit, TreeAdmittance):
        monkeypatch.setattr(kind, "check", lambda self, period: None)


def brake():
    return tg.FrictionImpedance(stiffness=1e5, damping=0.0, law=JAGGED)


def sled():
    return tg.Circuit(tg.Mass(mass=0.1), {"brake": brake()})


def arm():
    link = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1), "center": (0.5, 0.0, 0.0)}
    joint = Revolute(axis=(0, 0, 1), friction=brake())
    return Tree([Body(name="upper", joint=joint, **link), Body(name="lower", parent="upper", joint=joint, **link)])


def ratchet():
    """Teeth far finer than a tick's way."""
    machine = Inclusion({"p": "v", "v": "dio(p - 0.01*cos(1e4*p), 'ratchet') - 10 + push"}, {"push": 0.0})
    return machine.to_stepper(period=0.1, contact=Contact(stiffness=1e8, damping=2e5))


THROWN = {"p": 0.1, "v": -1.0}


def jammed_stick():
    """A stick that is pushed over a floor with a coefficient of friction of 1000: it jams (Painlevé)."""
    tilt = 0.3
    body = Body(name="stick", mass=1.0, inertia=(1e-3, 1 / 12, 1 / 12), joint=Free())
    ends = [Point(position=(x, 0.0, 0.0)) for x in (0.5, -0.5)]
    hard = {"surface": HalfSpace(), "stiffness": 1e9, "damping": 0.0, "friction": 1e3}
    touches = [Touch(on="stick", toucher=end, **hard) for end in ends]
    q = [0.0, 0.0, 0.5 * math.sin(tilt), math.cos(tilt / 2), 0.0, math.sin(tilt / 2), 0.0]
    return Scene(tree=Tree([body]), touches=touches, method="euler"), {"q": q, "v": [1.0, 0.0, -1.0, 0.0, 0.0, 0.0]}


def in_a_slot(seed, nodes=16, walls=(3e15, 3e15)):
    """A hair thrown into a slot between rough walls; of such stiff ones two seeds of three leave a step unsolved."""
    across = np.random.default_rng(seed).normal(size=2) * 3.0
    hair = PlanarRod(length=1.0, nodes=nodes, density=0.01, elasticity=0.2)
    faces = zip((0.01, -0.01), walls, strict=True)
    walls = [Wall(point=(0.0, -y), normal=(0.0, y), stiffness=k, friction=500.0) for y, k in faces]
    start = Shape(angle=0.0, base_velocity=(float(across[0]), float(across[1])))
    return GroundedRod(rod=hair, walls=walls).run([Phase(until=1.0)], period=0.05, initial=start)


def circuits():
    return Batch([sled(), sled()])


RUNS = {
    "Circuit": lambda: sled().run(PUSH, period=T),
    "2 x Circuit": lambda: circuits().run(PUSH, period=T),
    "TreeAdmittance": lambda: TreeAdmittance(tree=arm(), at=AtJoint("lower")).run(PUSH, period=T),
    "Stepper": lambda: ratchet().run(ticks=1000, initial=THROWN),
    "InclusionAdmittance": lambda: (
        ratchet().as_admittance(force="push", velocity="v", initial=THROWN).run(np.zeros(1000), period=0.1)
    ),
}


def told_by(run):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = run()
    return result, [w for w in told if w.category is tg.UnsolvedWarning]


@pytest.mark.parametrize("machine", RUNS)
def test_a_run_tells_once_how_many_of_how_many(machine, unchecked):
    run, told = told_by(RUNS[machine])
    unsolved = run.about["unsolved_steps"]
    assert unsolved > 0
    steps = len(run.time) * (2 if machine.startswith("2 x") else 1)
    heads = [str(w.message).partition(" did not converge")[0] for w in told]
    assert heads == [f"{machine}: {unsolved} of {steps} steps"]
    assert told[0].filename == __file__  # the user's line, not one of ours


def test_a_scene_that_jams_tells_of_it():
    scene, start = jammed_stick()
    run, told = told_by(lambda: scene.run(0.2, period=0.01, **start))
    assert run.about["unsolved_steps"] > 0
    assert len(told) == 1
    assert "Scene: " in str(told[0].message)
    assert "softer contacts" in str(told[0].message)


def test_a_rod_tells_of_its_steps():
    counts = []
    for seed in range(5):
        run, told = told_by(lambda seed=seed: in_a_slot(seed))
        counts.append(run.about["unsolved_steps"])
        heads = [f"GroundedRod: {counts[-1]} of {run.about['steps']} steps"] if counts[-1] else []
        assert [str(w.message).partition(" did not converge")[0] for w in told] == heads
    assert max(counts) > 0


def test_kinks_that_are_steep_beside_others_are_solved():
    """False position alone creeps towards them, and gave up: 10 steps of these were not solved."""
    assert sum(in_a_slot(seed, 8, (1e15, 1e7)).about["unsolved_steps"] for seed in range(10)) <= 1


def test_a_steering_system_tells_of_its_steps(unchecked, monkeypatch):
    monkeypatch.setattr("tegotae.steering.system.Coulomb", lambda limit: JAGGED)
    run, told = told_by(lambda: SteeringSystem().run(PUSH, period=T))
    assert run.about["unsolved_steps"] > 0
    assert [str(w.message).partition(":")[0] for w in told] == ["SteeringSystem"]


def live_machines():
    scene, start = jammed_stick()
    jam, pushed = scene.start(period=0.01, **start), scene.start(period=0.01, **start)
    hung = ratchet().as_admittance(force="push", velocity="v", initial=THROWN).start(period=0.1)
    thrown = ratchet().start(initial=THROWN)
    both = circuits().start(period=T)
    steering = SteeringSystem().start(period=T)
    circuit = sled().start(period=T)
    return {
        "Circuit": (circuit.step, lambda: circuit["unsolved"]),
        "2 x Circuit": (lambda h: both.step([h, h]), lambda: sum(s["unsolved"] for s in both.states)),
        "InclusionAdmittance": (lambda h: hung.step(0.0), lambda: hung["unsolved"]),
        "Stepper": (lambda h: thrown.step(), lambda: thrown.unsolved_steps),
        "Scene": (lambda h: jam.step(), lambda: jam["unsolved"]),
        "Scene, pushed": (lambda h: pushed.step(wrenches={}), lambda: pushed["unsolved"]),
        "SteeringSystem": (steering.step, lambda: steering["unsolved"]),
    }


def test_live_machines_tell_when_it_happens(unchecked, monkeypatch):
    monkeypatch.setattr("tegotae.steering.system.Coulomb", lambda limit: JAGGED)
    for machine, (step, counted) in live_machines().items():
        before, told_at = 0, []
        for h in PUSH[:1000]:
            _, told = told_by(lambda h=h, step=step: step(h))
            grown, before = counted() > before, counted()
            for warning in told:
                assert grown, machine
                assert str(warning.message).startswith(f"{machine.partition(',')[0]}: {int(before)} step"), machine
                assert warning.filename == __file__, machine
            told_at += [int(before)] * len(told)
        assert told_at, machine
        # The first is told at once, then only each tenfold: a loop of 1 kHz is not drowned in words.
        assert told_at[0] <= 2, machine
        assert all(b >= 10 * a for a, b in itertools.pairwise(told_at)), machine


def test_a_copy_and_a_checkpoint_do_not_tell_again_of_what_was_told():
    slider = Karnopp(mass=1.0, limit=3.0, static=4.0, dead_zone=0.01)  # at the edge of its band its speed jumps
    live = tg.Circuit(slider, {"spring": tg.SpringDamper(stiffness=1e4, damping=1.0)}).start(period=T)
    with pytest.warns(tg.UnsolvedWarning, match="1 step so far"):
        live.step(14.05)
    kept = live.state
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        live.state = kept
        live.step(0.0)
        again = pickle.loads(pickle.dumps(live))
        again.step(0.0)
