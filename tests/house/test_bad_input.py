"""Bad input gets an error of our own that names the argument, its value and the way out."""

import math
from functools import partial

import numpy as np
import pytest

import tegotae as tg
from tegotae.control import PID
from tegotae.friction import classics
from tegotae.multibody import Body, Prismatic, Scene, Tree

T = 1e-3
BRAKE = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
PLANAR = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0), dimension=2)
SLIDER = tg.FrictionAdmittance(mass=1.0, law=tg.Coulomb(4.0))
STACK = tg.ParallelFriction(stiffness=1e4, limits=[1.0, 2.0])
MACHINE = tg.Circuit(tg.Mass(mass=1.0), {"brake": BRAKE})


def law_of(**changes):
    return tg.Stribeck(**{"kinetic": 3.0, "static": 5.0, "velocity": 0.1, **changes})


CONSTRUCTION = {
    "stiffness zero": (lambda: tg.FrictionImpedance(stiffness=0.0, law=tg.Coulomb(1.0)), "stiffness=0.0 N/m"),
    "stiffness nan": (lambda: tg.FrictionImpedance(stiffness=math.nan, law=tg.Coulomb(1.0)), "stiffness=nan"),
    "stiffness text": (lambda: tg.FrictionImpedance(stiffness="6000", law=tg.Coulomb(1.0)), "stiffness='6000'"),
    "stiffness true": (lambda: tg.FrictionImpedance(stiffness=True, law=tg.Coulomb(1.0)), "stiffness=True"),
    "stiffness list": (lambda: tg.FrictionImpedance(stiffness=[1.0, 2.0], law=tg.Coulomb(1.0)), "stiffness="),
    "damping negative": (
        lambda: tg.FrictionImpedance(stiffness=1.0, damping=-1.0, law=tg.Coulomb(1.0)),
        "damping=-1.0 N·s/m",
    ),
    "mass negative": (lambda: tg.FrictionImpedance(stiffness=1.0, mass=-0.1, law=tg.Coulomb(1.0)), "mass=-0.1 kg"),
    "lag infinite": (lambda: tg.FrictionImpedance(stiffness=1.0, lag=math.inf, law=tg.Coulomb(1.0)), "lag=inf"),
    "dimension zero": (lambda: tg.FrictionImpedance(stiffness=1.0, law=tg.Coulomb(1.0), dimension=0), "dimension=0"),
    "dimension half": (lambda: tg.FrictionImpedance(stiffness=1.0, law=tg.Coulomb(1.0), dimension=1.5), "dimension"),
    "law a number": (lambda: tg.FrictionImpedance(stiffness=1.0, law=4.0), "law=4.0"),
    "limit zero": (lambda: tg.Coulomb(0.0), "limit=0.0 N"),
    "limit infinite": (lambda: tg.Coulomb(math.inf), "limit=inf"),
    "viscosity negative": (lambda: tg.Viscous(1.0, -2.0), "viscosity=-2.0"),
    "exponent small": (lambda: law_of(exponent=0.5), "exponent=0.5"),
    "static below kinetic": (lambda: law_of(static=1.0), "static=1.0 N is below kinetic=3.0 N"),
    "stribeck speed": (lambda: law_of(velocity=0.0), "velocity=0.0 m/s"),
    "table lengths": (lambda: tg.Tabulated([0.0, 1.0], [1.0]), "2 speeds but 1 forces"),
    "table start": (lambda: tg.Tabulated([0.1, 1.0], [1.0, 2.0]), r"speeds\[0\]=0.1"),
    "table order": (lambda: tg.Tabulated([0.0, 2.0, 1.0], [1.0, 1.0, 1.0]), r"speeds\[2\]=1.0"),
    "table negative": (lambda: tg.Tabulated([0.0, 1.0], [1.0, -1.0]), r"forces\[1\]=-1.0"),
    "table empty": (lambda: tg.Tabulated([], []), "speeds"),
    "custom negative": (lambda: tg.CustomLaw(lambda s: 1.0 - s), "is negative"),
    "custom nan": (lambda: tg.CustomLaw(lambda s: math.sqrt(0.5 - s)), "is not finite|is negative|cannot"),
    "custom uncompilable": (
        lambda: tg.CustomLaw(lambda s: __import__("random").random()),
        "a string is outside|Untyped global name '__import__'",
    ),
    "custom zero": (lambda: tg.CustomLaw(lambda s: s), "cannot stick"),
    "admittance mass": (lambda: tg.FrictionAdmittance(mass=0.0, law=tg.Coulomb(1.0)), "mass=0.0 kg"),
    "parallel none": (lambda: tg.ParallelFriction(stiffness=1.0), "neither limits nor laws"),
    "parallel both": (
        lambda: tg.ParallelFriction(stiffness=1.0, limits=[1.0], laws=[tg.Coulomb(1.0)]),
        "both limits and laws",
    ),
    "parallel empty": (lambda: tg.ParallelFriction(stiffness=1.0, limits=[]), "limits"),
    "parallel zero": (lambda: tg.ParallelFriction(stiffness=1.0, limits=[1.0, 0.0]), r"limits\[1\]=0.0"),
    "parallel lengths": (
        lambda: tg.ParallelFriction(stiffness=[1.0, 2.0, 3.0], limits=[1.0, 2.0]),
        "different numbers",
    ),
    "parallel stiffness": (lambda: tg.ParallelFriction(stiffness=[1.0, -2.0], limits=[1.0, 2.0]), r"stiffness\[1\]=-2"),
    "mass": (lambda: tg.Mass(mass=-1.0), "mass=-1.0"),
    "spring": (lambda: tg.SpringDamper(stiffness=-1.0), "stiffness=-1.0"),
    "lugre": (lambda: classics.LuGre(stiffness=-1.0, damping=1.0, law=tg.Coulomb(1.0)), "stiffness=-1.0"),
    "circuit name": (lambda: tg.Circuit(tg.Mass(mass=1.0), {"my brake": BRAKE}), "'my brake'"),
    "circuit ratio": (lambda: tg.Circuit(tg.Mass(mass=1.0), {"a": BRAKE}, ratios={"b": 1.0}), "ratios names 'b'"),
    "circuit ratio nan": (lambda: tg.Circuit(tg.Mass(mass=1.0), {"a": BRAKE}, ratios={"a": math.nan}), "nan"),
    "circuit base": (lambda: tg.Circuit(tg.Mass(mass=1.0), {"a": BRAKE}, bases=["b"]), "bases names 'b'"),
    "circuit dimension": (lambda: tg.Circuit(tg.Mass(mass=1.0), {"a": PLANAR}), "dimension=2"),
    "batch unknown": (lambda: BRAKE.batch(stifness=[1.0]), "'stifness'"),
    "batch lengths": (lambda: BRAKE.batch(stiffness=[1.0, 2.0], mass=[1.0]), "lengths"),
    "batch empty": (lambda: BRAKE.batch(stiffness=[]), "lengths"),
}

RUNS = {
    "nan": (lambda: BRAKE.run([0.0, math.nan], period=T), r"velocity\[1\]=nan"),
    "infinite": (lambda: BRAKE.run([math.inf], period=T), r"velocity\[0\]=inf"),
    "cancelling infinities": (lambda: BRAKE.run([math.inf, -math.inf], period=T), r"velocity\[0\]=inf"),
    "planar nan": (lambda: PLANAR.run([[0.0, 0.0], [0.0, math.nan]], period=T), r"velocity\[1, 1\]=nan"),
    "empty": (lambda: BRAKE.run([], period=T), "velocity is empty"),
    "planar empty": (lambda: PLANAR.run(np.empty((0, 2)), period=T), "velocity is empty"),
    "wrong width": (lambda: BRAKE.run(np.zeros((5, 2)), period=T), r"shape \(5, 2\).*dimension=1"),
    "flat for planar": (lambda: PLANAR.run(np.zeros(5), period=T), r"shape \(5,\).*dimension=2"),
    "cube": (lambda: PLANAR.run(np.zeros((5, 2, 2)), period=T), "dimension=2"),
    "scalar": (lambda: BRAKE.run(3.0, period=T), "dimension=1"),
    "words": (lambda: BRAKE.run(["fast"], period=T), "not an array of numbers"),
    "ragged": (lambda: PLANAR.run([[1.0], [1.0, 2.0]], period=T), "not an array of numbers"),
    "complex": (lambda: BRAKE.run(np.array([1j]), period=T), "not an array of numbers"),
    "nothing": (lambda: BRAKE.run(period=T), "neither velocity nor position"),
    "both": (lambda: BRAKE.run([1.0], position=[1.0], period=T), "both velocity and position"),
    "position nan": (lambda: BRAKE.run(position=[0.0, math.nan], period=T), r"position\[1\]=nan"),
    "period zero": (lambda: BRAKE.run([1.0], period=0.0), "period=0.0 s"),
    "period negative": (lambda: BRAKE.run([1.0], period=-1e-3), "period=-0.001 s"),
    "period nan": (lambda: SLIDER.run([1.0], period=math.nan), "period=nan"),
    "period text": (lambda: SLIDER.run([1.0], period="1 ms"), "period='1 ms'"),
    "every zero": (lambda: BRAKE.run([1.0], period=T, every=0), "every=0"),
    "record unknown": (lambda: BRAKE.run([1.0], period=T, record=["forces"]), "'forces'"),
    "initial unknown": (lambda: BRAKE.run([1.0], period=T, initial={"speed": 1.0}), "'speed'"),
    "initial nan": (lambda: SLIDER.run([1.0], period=T, initial={"velocity": math.nan}), "velocity"),
    "initial shape": (lambda: SLIDER.run([1.0], period=T, initial={"velocity": [1.0, 2.0]}), "Give 1 number"),
    "stack nan": (lambda: STACK.run([math.nan], period=T), r"velocity\[0\]=nan"),
    "force nan": (lambda: SLIDER.run([math.nan], period=T), r"force\[0\]=nan"),
    "machine nan": (lambda: MACHINE.run([math.nan], period=T), r"force\[0\]=nan"),
    "machine length": (lambda: MACHINE.run(period=T), "how long"),
    "machine ticks": (lambda: MACHINE.run([1.0, 2.0], ticks=3, period=T), "2 ticks, but 3"),
    "machine base": (lambda: MACHINE.run([1.0], bases={"brake": [1.0]}, period=T), "base motion"),
    "machine initial": (lambda: MACHINE.run([1.0], initial={"brake.speed": 1.0}, period=T), "speed"),
    "machine initial name": (
        lambda: MACHINE.run([1.0], initial={"break.deflection": 1.0}, period=T),
        "break.deflection",
    ),
    "start period": (lambda: BRAKE.start(period=0.0), "period=0.0 s"),
    "batch signal": (lambda: BRAKE.batch(stiffness=[1.0, 2.0]).run(np.zeros((3, 5)), period=T), "shape"),
    "batch nan": (lambda: BRAKE.batch(stiffness=[1.0, 2.0]).run([math.nan], period=T), "nan"),
}


# What NumPy would make numbers of, and what they are not.
NO_NUMBERS = {
    "flags": np.array([True, False]),
    "a flag among numbers": [1.0, True],
    "text": np.array(["1", "2"]),
    "a text among numbers": [1.0, "2"],
    "bytes": np.array([b"1", b"2"]),
    "dates": np.array(["2026-01-01", "2026-01-02"], dtype="M8[D]"),
    "spans of time": np.array([1, 2], dtype="m8[s]"),
    "complex": np.array([1.0 + 0.0j, 2.0]),
    "structured": np.zeros(2, dtype=[("a", "f8")]),
    "masked": np.ma.array([1.0, 2.0], mask=[False, True]),
    "objects": np.array([1.0, None], dtype=object),
    "a set": {1.0, 2.0},
}
NUMBERS = {
    "whole": np.array([1, 2], dtype=np.int8),
    "unsigned": np.array([1, 2], dtype=np.uint64),
    "half": np.array([1, 2], dtype=np.float16),
    "single": np.array([1, 2], dtype=np.float32),
    "big-endian": np.array([1, 2], dtype=">f8"),
    "strided": np.array([1.0, 0.0, 2.0])[::2],
    "masked by nothing": np.ma.array([1.0, 2.0]),
    "objects that are numbers": np.array([1, 2.0], dtype=object),
    "a range": range(1, 3),
}
LIFT = Scene(tree=Tree([Body(name="lift", mass=2.0, joint=Prismatic())]))
WORDS = {
    "record a number": (lambda: BRAKE.run([1.0], period=T, record=5), "record=5 is not a list of names"),
    "record a text": (lambda: BRAKE.run([1.0], period=T, record="force"), "record='force' is not a list of names"),
    "period endless": (lambda: BRAKE.run([1.0], period=1e300), "period=1e[+]300 s"),
    "period nothing": (lambda: BRAKE.run([1.0], period=5e-324), "period=5e-324 s"),
    "initial a number": (lambda: BRAKE.run([1.0], period=T, initial=3.0), "initial=3.0 is not a dict"),
    "load nothing": (lambda: tg.load(None), "path=None is not a path"),
    "scene for ages": (lambda: LIFT.run(1e12, period=T), "duration=1000000000000.0 s would take .* bytes"),
    "servo without a number": (lambda: PID(proportional=1.0).start(period=T).control(None, 0), "reference=None"),
    "a range of ages": (lambda: BRAKE.run(range(10**12), period=T), "quarter of the memory"),
    "more than there is": (lambda: BRAKE.run(np.broadcast_to(1.0, 10**13), period=T), "quarter of the memory"),
    "digits without end": (lambda: tg.Coulomb(10**5000), "limit=inf N is not finite"),
    "a law of such digits": (lambda: tg.FrictionAdmittance(mass=1.0, law=10**5000), "law=a int is not a friction law"),
    "progress a number": (lambda: BRAKE.run([1.0], period=T, progress=3.0), "progress=3.0"),
    "inputs a number": (lambda: BRAKE.run([1.0], period=T, inputs=3.0), "inputs=3.0 is not a dict"),
    "inputs of a block that is fed nothing": (
        lambda: SLIDER.run([1.0], period=T, inputs={"velocity": 1.0}),
        "inputs names 'velocity'.\n  Nothing in it is fed",
    ),
    "flag": (lambda: tg.inclusion.Inclusion({"x": "1"}).to_ode(auto="no"), "auto='no' is neither True nor False"),
}


@pytest.mark.parametrize("case", NO_NUMBERS)
def test_what_is_no_number_is_not_taken_for_one(case):
    """Not in a record, nor in a live input, a state to start from, or a parameter with several values."""
    value = NO_NUMBERS[case]
    takers = (
        lambda: BRAKE.run(value, period=T),
        lambda: PLANAR.start(period=T).step(value),
        lambda: PLANAR.run(np.zeros((3, 2)), period=T, initial={"deflection": value}),
        lambda: tg.ParallelFriction(stiffness=1e4, limits=value),
        lambda: tg.Coulomb(1.0)(value),
    )
    for take in takers:
        with pytest.raises(tg.InputError, match="\n  "):
            take()


@pytest.mark.parametrize("case", NUMBERS)
def test_numbers_of_every_kind_are_taken(case):
    expected = BRAKE.run([1.0, 2.0], period=T).force
    assert np.array_equal(BRAKE.run(NUMBERS[case], period=T).force, expected)


@pytest.mark.parametrize("case", WORDS)
def test_bad_values_are_told_in_words(case):
    go, message = WORDS[case]
    with pytest.raises(tg.InputError, match=message) as refused:
        go()
    assert "\n  " in str(refused.value), "the second line is the way out"


def test_what_a_user_raises_passes_through():
    class TheirsError(Exception):
        pass

    def progress(share):
        raise TheirsError

    for run in (partial(LIFT.run, 1.0), *(partial(block.run, [1.0]) for block in (BRAKE, SLIDER, STACK, MACHINE))):
        with pytest.raises(TheirsError):
            run(period=T, progress=progress)


@pytest.mark.parametrize("case", CONSTRUCTION)
def test_parameters_are_refused(case):
    make, message = CONSTRUCTION[case]
    with pytest.raises(tg.InputError, match=message) as refused:
        make()
    assert "\n  " in str(refused.value), "the second line is the way out"


@pytest.mark.parametrize("case", RUNS)
def test_records_are_refused(case):
    go, message = RUNS[case]
    with pytest.raises(tg.InputError, match=message) as refused:
        go()
    assert "\n  " in str(refused.value), "the second line is the way out"


@pytest.mark.parametrize(
    ("block", "bad", "good"),
    [
        (BRAKE, math.nan, 0.1),
        (BRAKE, math.inf, 0.1),
        (PLANAR, np.array([0.1, math.nan]), np.array([0.1, 0.2])),
        (PLANAR, [0.1], [0.1, 0.2]),
        (SLIDER, -math.inf, 9.0),
        (STACK, math.nan, 0.1),
        (MACHINE, math.nan, 9.0),
    ],
)
def test_a_refused_step_leaves_the_state_as_it_was(block, bad, good):
    live = block.start(period=T)
    live.step(good)
    before = live.state
    with pytest.raises(tg.InputError):
        live.step(bad)
    assert live.state == before
    live.step(good)


def test_a_bad_position_is_forgotten():
    live, clean = BRAKE.start(period=T), BRAKE.start(period=T)
    for p in (0.0, 1e-4, 2e-4):
        live.step(position=p), clean.step(position=p)
    with pytest.raises(tg.InputError, match="position=nan"):
        live.step(position=math.nan)
    with pytest.raises(tg.InputError, match="neither velocity nor position"):
        live.step()
    assert live.step(position=3e-4) == clean.step(position=3e-4)


def test_blocks_are_immutable():
    with pytest.raises(AttributeError):
        BRAKE.stiffness = 1.0
    with pytest.raises(ValueError, match="read-only"):
        STACK.stiffness[0] = 5.0


def test_divergence_is_not_blamed_on_the_input():
    """The explicitly coupled model far below its critical mass explodes: that is said as what it is."""
    unstable = classics.ExplicitlyCoupledFriction(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0), mass=1e-4)
    live = unstable.start(period=T)

    def drag():
        for _ in range(10_000):
            live.step(50.0)

    with pytest.raises(tg.TegotaeError, match="it diverged"):
        drag()
