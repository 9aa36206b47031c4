"""What a rod cannot be or do is refused, with the reason and the way out; what was computed is kept."""

import re

import numpy as np
import pytest

from tegotae.errors import InputError
from tegotae.rod import GroundedRod, Load, Payload, Peg, Phase, PlanarRod, RodError, Shape

PAPER = {"length": 10.0, "nodes": 5, "density": 0.1, "elasticity": 1.0, "viscosity": 2.0}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"nodes": 1}, "nodes=1.*at least 2 nodes"),
        ({"nodes": 0}, "nodes=0"),
        ({"nodes": -3}, "nodes=-3"),
        ({"nodes": 2.5}, "nodes=2.5"),
        ({"density": 0.0}, "density=0.*mass"),
        ({"density": -1.0}, "density=-1.*mass"),
        ({"density": [0.1, 0.1, 0.0, 0.1]}, "density.*mass"),
        ({"density": np.nan}, "density.*finite"),
        ({"density": [0.1, 0.1]}, "density has shape"),
        ({"length": 0.0}, "length=0"),
        ({"length": np.inf}, "length=inf"),
        ({"elasticity": -1.0}, "elasticity=-1.*negative"),
        ({"viscosity": -1.0}, "viscosity=-1.*negative"),
        ({"viscosity": np.nan}, "viscosity.*finite"),
        ({"rest_curvature": np.inf}, "rest_curvature.*finite"),
        ({"spacing": [1.0, 2.0, 3.0, 5.0]}, "spacing sums to 11"),
        ({"spacing": [-1.0, 2.0, 4.0, 5.0]}, "positive lengths"),
        ({"gravity": 9.81}, "gravity has shape"),
        ({"gravity": (0.0, np.nan)}, "gravity"),
        ({"payload": 0.3}, "payload=0.3.*Payload"),
    ],
    ids=str,
)
def test_what_a_rod_cannot_be(given, words):
    with pytest.raises(InputError, match=re.compile(f"PlanarRod: .*{words}", re.DOTALL)):
        PlanarRod(**PAPER | given)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Phase(until=1.0, torque=np.nan), "torque=nan"),
        (lambda: Phase(until=1.0, torque=np.inf), "torque=inf"),
        (lambda: Phase(until=1.0, torque="much"), "torque='much'"),
        (lambda: Phase(until=np.nan), "until=nan"),
        (lambda: Phase(until=np.inf), "until=inf"),
        (lambda: Phase(until=1.0, base="glued"), "base='glued'.*'free', 'pinned', 'fixed'"),
        (lambda: Phase(until=1.0, base=["free"]), "base="),
        (lambda: Phase(until=1.0, loads=[3.0]), r"loads\[0\]=3.0"),
        (
            lambda: GroundedRod(rod=PlanarRod(**PAPER), pegs=Peg(centre=(0, 0), radius=1, stiffness=1)),
            "pegs=Peg.*not a list",
        ),
        (lambda: Phase(until=1.0, loads=Load(at=1.0)), "loads="),
        (lambda: Phase(until=1.0, motion=([0.0, 1.0], [[0.0, 0.0]] * 2)), "free base"),
        (lambda: Load(at=np.nan), "at=nan"),
        (lambda: Load(at=1.0, force=(1.0, np.nan)), "force"),
        (lambda: Load(at=1.0, force=(1.0,)), "force"),
        (lambda: Load(at=1.0, torque=np.inf), "torque=inf"),
        (lambda: Payload(mass=-1.0), "mass=-1"),
        (lambda: Payload(mass=1.0, inertia=np.nan), "inertia=nan"),
    ],
)
def test_what_cannot_happen_to_a_rod(make, words):
    with pytest.raises(InputError, match=re.compile(words, re.DOTALL)):
        make()


@pytest.mark.parametrize(
    ("phases", "options", "words"),
    [
        ([Phase(until=1.0), Phase(until=0.5)], {}, "ends at 0.5 s but starts at 1 s"),
        ([Phase(until=0.0)], {}, "ends at 0 s but starts at 0 s"),
        ([Phase(until=-1.0)], {}, "ends at -1 s"),
        ([], {}, "no phases"),
        ([1.0], {}, r"phases\[0\]=1.0"),
        ([Phase(until=1.0)], {"times": [1.0, 0.5]}, "increase"),
        ([Phase(until=1.0)], {"times": [2.0]}, "within 0 to 1 s"),
        ([Phase(until=1.0)], {"times": [np.nan]}, "finite"),
        ([Phase(until=1.0)], {"times": []}, "shape"),
        ([Phase(until=1.0)], {"rtol": 0.0}, "rtol=0"),
        ([Phase(until=1.0)], {"atol": np.nan}, "atol=nan"),
        ([Phase(until=1.0)], {"method": "magic"}, "method='magic'"),
        ([Phase(until=1.0)], {"initial": 3.0}, "initial=3.0"),
        ([Phase(until=1.0)], {"initial": Shape(angle=[0.0])}, "initial.angle has shape"),
        ([Phase(until=1.0, loads=[Load(at=11.0)])], {}, "a load at 11 m"),
        ([Phase(until=1.0, curvature=[1.0])], {}, "curvature has shape"),
        ([Phase(until=1.0, torque=1.0), Phase(until=2.0, base="pinned")], {}, "at t=1 s the base moves"),
    ],
)
def test_what_cannot_be_run(phases, options, words):
    with pytest.raises(InputError, match=re.compile(words, re.DOTALL)):
        PlanarRod(**PAPER).run(phases, **options)


def test_shapes_and_bends_are_finite():
    with pytest.raises(InputError, match=r"angle\[0\]=nan rad is not finite"):
        Shape(angle=[np.nan] * 5)
    with pytest.raises(InputError, match="curvature=nan 1/m is not finite"):
        Phase(until=1.0, curvature=np.nan)


@pytest.mark.parametrize(
    ("angle", "rate", "words"),
    [([0.0] * 4, [0.0] * 5, "angle has shape"), ([0.0] * 5, [np.nan] * 5, r"angle_rate\[0\]=nan")],
)
def test_accelerations_want_one_finite_number_a_node(angle, rate, words):
    with pytest.raises(InputError, match=words):
        PlanarRod(**PAPER).accelerations(angle, rate)


@pytest.mark.parametrize("method", ["explicit", "implicit"])
def test_a_step_that_cannot_meet_its_tolerance_says_when_and_why_and_keeps_the_rest(method):
    """From t = 0.2 s on a torque under which no step of this arithmetic is short enough."""
    calm, storm = Phase(until=0.2, torque=5.0, base="pinned"), Phase(until=0.4, torque=1e30, base="pinned")
    rod = PlanarRod(**PAPER)
    with pytest.raises(
        RodError, match=re.compile(r"stopped at t=0\.2.* s: no step.*Loosen.*partial", re.DOTALL)
    ) as caught:
        rod.run([calm, storm], times=[0.0, 0.1, 0.2, 0.3], method=method)
    partial = caught.value.partial
    assert partial.time.tolist() == [0.0, 0.1, 0.2]
    whole = rod.run([calm], times=[0.0, 0.1, 0.2], method=method)
    assert (partial.angle == whole.angle).all()
    assert partial.position.shape == (3, 5, 2)


def test_tolerances_below_rounding_are_refused_at_once():
    with pytest.raises(InputError, match="rtol=1e-15 and atol=1e-14 are finer"):
        PlanarRod(**PAPER).run([Phase(until=1.0)], rtol=1e-15, atol=1e-14)


TIMES = np.linspace(0.0, 1.0, 11)


@pytest.mark.parametrize(
    ("motion", "words"),
    [
        (
            (TIMES, np.stack([3.0 * TIMES, 0.0 * TIMES], axis=1)),
            r"at t=0\.5 s the base is at .* and `motion` at \[1\.5",
        ),
        ((TIMES, np.stack([3.0 * (TIMES - 0.5), 0.0 * TIMES], axis=1)), r"at t=0\.5 s the base moves .*moving \[3\."),
        ((0.8 * TIMES, np.zeros((11, 2))), r"from 0 to 0\.8 s, its phase lasts from 0\.5 to 1 s"),
        ((TIMES + 0.6, np.zeros((11, 2))), r"from 0\.6 to 1\.6 s, its phase lasts from 0\.5"),
    ],
    ids=["elsewhere", "faster", "too short", "too late"],
)
def test_a_base_is_never_moved_by_magic(motion, words):
    """Energy would appear from nowhere."""
    with pytest.raises(InputError, match=words):
        PlanarRod(**PAPER).run([Phase(until=0.5), Phase(until=1.0, base="pinned", motion=motion)])


def test_a_motion_that_begins_as_the_base_moves_takes_it_over():
    """A rod in free flight at 3 m/s, then led on at 3 m/s: nothing changes, and nothing is done to it."""
    led = Phase(until=1.0, base="pinned", motion=(TIMES, np.stack([3.0 * TIMES, 0.0 * TIMES], axis=1)))
    start = Shape(angle=[0.0] * 5, base_velocity=(3.0, 0.0))
    run = PlanarRod(**PAPER).run([Phase(until=0.5), led], times=[0.0, 0.5, 1.0], initial=start)
    assert run.position[:, 0, 0] == pytest.approx([0.0, 1.5, 3.0], abs=1e-9)
    assert run.kinetic == pytest.approx(run.kinetic[0], rel=1e-9)
    assert run.work == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("velocity", [(np.nan, 0.0), "x", (1.0,)], ids=str)
def test_accelerations_want_a_finite_base_velocity(velocity):
    with pytest.raises(InputError, match="base_velocity"):
        PlanarRod(**PAPER).accelerations([0.0] * 5, [0.0] * 5, base_velocity=velocity)


def test_a_run_that_stops_at_once_has_no_partial_result():
    with pytest.raises(RodError) as caught:
        PlanarRod(**PAPER).run([Phase(until=0.4, torque=1e30, base="pinned")], times=[0.3])
    assert caught.value.partial is None


def test_few_nodes_and_much_viscosity_take_implicit_steps():
    """Explicit ones would be bound by stability, millions of them."""
    rod = PlanarRod(length=2.0, nodes=5, density=0.3, elasticity=1e6, viscosity=1e4, gravity=(9.81, 0.0))
    run = rod.run([Phase(until=1.0, base="pinned")], times=[1.0], initial=Shape(angle=[0.1] * 5))
    assert run.about["accelerations"] < 20_000
