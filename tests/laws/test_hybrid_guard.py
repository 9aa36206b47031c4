"""The guard: whatever the network does to a force, a contact gives back no more energy than it took."""

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest

from tegotae import Circuit, Coulomb, FrictionImpedance, Link, Mass, SpringDamper
from tegotae.errors import InputError
from tegotae.hybrid import GuardedMachine, Machine
from tegotae.hybrid.links.packets import ORIGIN
from tegotae.hybrid.nodes.virtual_run import run_virtual
from tegotae.hybrid.settings import read_settings
from tegotae.multibody import Body, Free, Revolute, Tree, TreeAdmittance
from tegotae.papers.two_robots import TwoRobots
from tegotae.rod import GroundedRod, PlanarRod
from tegotae.table import HexaPlant, ProbedSurface

T = 2e-3
ROD = GroundedRod(rod=PlanarRod(length=1.0, nodes=5, density=1.0, elasticity=0.1), at=("base", "tip"))


def guarded(two, guard=True):
    return GuardedMachine(two.machine(period=T), period=T, guard=guard)


def wrench(push):
    return (0.0, 0.0, -push, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("pose", ["A", "B"])
def test_random_wrenches_never_feed_the_bodies(pose):
    """30 N and 5 N·m at random in every tick, as a broken network might make them: normal and tangential."""
    machine = guarded(TwoRobots(pose=pose, speed=0.1))
    rng = np.random.default_rng(5)
    start = highest = machine.energy
    acted = 0.0
    for _ in range(1500):
        got = machine.advance(rng.normal(size=6) * (30.0, 30.0, 30.0, 5.0, 5.0, 5.0))
        acted += abs(got[2])
        highest = max(highest, machine.energy)
    assert acted > 100.0, "the guard lets through what it may"
    assert highest <= start * (1.0 + 1e-5)  # what the midpoint rule does to bodies that turn; a quarter at T/2
    assert machine.work <= 1e-15


def test_work_is_what_the_bodies_gain():
    machine = guarded(TwoRobots(speed=0.1), guard=False)
    start = machine.energy
    for push in (5.0, 40.0, -20.0, 7.0):
        machine.advance(wrench(push))
    assert machine.work == pytest.approx(machine.energy - start, rel=1e-9)


def test_the_cap_is_the_closed_form():
    """Pose A is one mass on a line: f <= (m/T)(-v + sqrt(v^2 + 2 E/m)) once they part."""
    machine = guarded(TwoRobots(speed=0.01))
    m = machine.mass
    before = machine.energy
    while machine.motion[1][2] > 0.002:  # slowed down, not turned
        machine.advance(wrench(100.0))
    budget, speed = before - machine.energy, -machine.motion[1][2]  # parting counts positive
    assert machine.budget == pytest.approx(budget, rel=1e-9)
    allowed = m / T * (-speed + math.sqrt(speed * speed + 2.0 * budget / m))
    acted = -machine.advance(wrench(1e5))[2]
    assert acted == pytest.approx(allowed, rel=1e-9)
    assert machine.budget == pytest.approx(0.0, abs=1e-12 * before)
    assert machine.motion[1][2] == pytest.approx(-0.01, rel=1e-9), "all that was taken is given back, no more"
    assert -machine.advance(wrench(50.0))[2] == pytest.approx(0.0, abs=1e-6), "nothing is left"


def test_friction_cannot_spend_what_the_normal_spring_stored():
    machine = guarded(TwoRobots(speed=0.01))
    for _ in range(3):
        machine.advance(wrench(60.0))
    stored = machine.budget
    acted = machine.advance((50.0, 0.0, -1e-9, 0.0, 0.0, 0.0))
    assert stored > 1e-4
    assert acted[0] == pytest.approx(0.0, abs=1e-6)


def test_a_contact_that_is_over_leaves_nothing_to_the_next():
    machine = guarded(TwoRobots(speed=0.01))
    for _ in range(3):
        machine.advance(wrench(60.0))
    assert machine.budget > 0.0
    machine.forget()
    assert machine.budget == 0.0


def machines():
    """Of every kind: linear over a tick or not, of a state that tells its pose or not."""
    rub = FrictionImpedance(stiffness=1e5, damping=10.0, law=Coulomb(2.0))
    arm = Tree(
        [
            Body(name="hull", mass=5.0, inertia=(0.5, 0.5, 0.5), joint=Free()),
            Body(name="arm", mass=1.0, inertia=(0.1, 0.1, 0.1), parent="hull", joint=Revolute(friction=rub)),
        ],
        gravity=(0.0, 0.0, 0.0),
    )
    coming = np.array([0.0, 0.0, 0.5, 0.0, 0.0, 0.0])
    yield "mass", Machine(Mass(mass=8.0, dimension=6), {"velocity": coming})
    yield "rubbing arm", Machine(TreeAdmittance(tree=arm, at="arm"), {"v": [*coming, 0.0]})
    springs = {"spring": SpringDamper(stiffness=50.0, damping=1.0, dimension=6)}
    yield "circuit", Machine(Circuit(Mass(mass=8.0, dimension=6), springs), {"velocity": coming})


@pytest.mark.parametrize(("name", "machine"), list(machines()), ids=[name for name, _ in machines()])
def test_no_machine_is_given_more_than_it_gave(name, machine):
    """T h.v, summed over every tick: never above zero, and where the guard is off far above it."""
    rng = np.random.default_rng(3)
    works = []
    for guard in (True, False):
        live = GuardedMachine(machine, period=T, guard=guard)
        done = highest = 0.0
        for push in rng.normal(size=(1500, 6)) * 10.0:
            acted = live.advance(push)
            done += T * float(np.dot(acted, live._live["velocity"]))
            highest = max(highest, done)
        works.append(highest)
        assert live.work == pytest.approx(done, abs=1e-12)
    # What a joint that begins to slip within a tick does more than it said is taken back in the next ones.
    assert works[0] <= (1e-3 if name == "rubbing arm" else 1e-12)
    assert works[1] > 0.1


def test_a_machine_is_checkpointed_copied_and_pickled():
    for _, machine in [*machines(), ("robots", TwoRobots(pose="B", speed=0.1).machine(period=T))]:
        live = GuardedMachine(machine, period=T)
        pushes = np.random.default_rng(3).normal(size=(40, 6)) * 5.0
        for push in pushes[:20]:
            live.advance(push)
        kept, other = live.state, pickle.loads(pickle.dumps(live))
        wanted = [live.advance(push) for push in pushes[20:]]
        ended = live.motion, live.energy, live.budget, live.mass
        assert [other.advance(push) for push in pushes[20:]] == wanted
        live.state = kept
        assert [live.advance(push) for push in pushes[20:]] == wanted
        assert (live.motion, live.energy, live.budget, live.mass) == ended
        assert (other.motion, other.energy, other.budget, other.mass) == ended


def barbell(*order):
    """8 kg and 2 kg on a bar that hardly gives way: as one body of 10 kg."""
    masses = {"near": Mass(mass=8.0, dimension=6), "far": Mass(mass=2.0, dimension=6)}
    bar = SpringDamper(stiffness=1e11, damping=1e7, dimension=6)
    return Circuit({name: masses[name] for name in order}, {"bar": Link(bar, "near", "far")})


@pytest.mark.parametrize("order", [("near", "far"), ("far", "near")])
@pytest.mark.parametrize("port", ["near", "far"])
def test_a_machine_is_met_at_the_port_that_is_named(order, port):
    """Two bodies on a bar move, and are guarded, as one; the bar gives way by at most 1.6e-5 of what they do."""
    coming = np.array([0.0, 0.0, 0.1, 0.0, 0.0, 0.0])
    alone = GuardedMachine(Machine(Mass(mass=10.0, dimension=6), {"velocity": coming}), period=T)
    start = {"near.velocity": coming, "far.velocity": coming}
    both = GuardedMachine(Machine(barbell(*order), start, port=port), period=T)
    rng = np.random.default_rng(3)
    for _ in range(200):
        push = rng.normal(size=6) + wrench(4.0)
        np.testing.assert_allclose(both.advance(push), alone.advance(push), rtol=1e-4, atol=1e-6)
        for here, there in zip(both.motion, alone.motion, strict=True):
            np.testing.assert_allclose(here, there, atol=1e-7)
    assert both.mass == pytest.approx(10.0, rel=1.6e-5)  # 0.64 / (B + K T) beside T / 10 kg, met at the far end
    assert both.work == pytest.approx(alone.work, rel=1e-4)
    assert both.refused == pytest.approx(alone.refused, rel=1e-3)
    assert alone.refused[0] > 1e-4
    again = pickle.loads(pickle.dumps(both))
    assert again.advance(wrench(3.0)) == both.advance(wrench(3.0))


def test_what_a_machine_tells_of_one_port_is_not_taken_for_another():
    """The table tells the twist of its plate; met at its sensor too, the sensor's own counts."""
    plant = replace(
        HexaPlant.default(),
        surface=ProbedSurface(height=1.0, stiffness=1e5, probe=(0.0, 0.0, 0.1)),
        at=("plate", "sensor"),
    )
    turning = (0.0, 0.0, 0.0, 0.1, 0.0, 0.0)
    plate, tip = (
        GuardedMachine(Machine(plant, {"twist": turning}, port=port), period=plant.servo.period)
        for port in ("plate", "sensor")
    )
    for live in (plate, tip):
        live.advance((0.0,) * 6)
    carried = np.cross(plate.motion[1][3:], (0.0, 0.0, 0.1))
    np.testing.assert_allclose(np.array(tip.motion[1][:3]) - plate.motion[1][:3], carried, atol=1e-4)
    assert abs(carried[1]) > 1e-3


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((barbell("near", "far"),), "port=None: several ports with six(.|\n)*name it(.|\n)* 'near' of dimension 6"),
        (
            (barbell("near", "far"), None, ORIGIN, "middle"),
            "port='middle': no such port with six(.|\n)*'near' of dimension 6",
        ),
        ((ROD,), "port=None: no such port with six(.|\n)*'base' of dimension 3, 'tip' of"),
        ((ROD, None, ORIGIN, "tip"), "port='tip': no such port with six(.|\n)*'tip' of dimension 3"),
        ((SpringDamper(stiffness=1.0, dimension=6),), "Give an admittance"),
        ((Mass(mass=1.0, dimension=3),), "no such port with six(.|\n)*of dimension 3"),
        ((Mass(mass=1.0, dimension=6), {"speed": 1.0}), "speed"),
        ((Mass(mass=1.0, dimension=6), None, (0.0, 0.0)), "pose has 2 numbers"),
        ((None,), "block=None"),
    ],
)
def test_what_cannot_be_simulated_is_refused(given, words):
    with pytest.raises(InputError, match=words):
        GuardedMachine(Machine(*given), period=T)


# ------------------------------------------------------------ in the loop


def contact(*changes):
    """Restitution, peak and duration of the force, of a short run against a spring as stiff as Kp = 800."""
    told = run_virtual(
        read_settings(changes=["device.kind=spring", "model.gap=0.001", "duration=0.35", *changes])
    ).dynamics
    force, speed = -told["wrench"][:, 2], told["twist"][:, 2]
    return -speed[-1] / 0.01, force.max(), told


@pytest.mark.parametrize("compensation", ["true", "false"])
@pytest.mark.parametrize(
    "faults",
    [
        ("link.delay=0.02",),
        ("link.delay=0.01", "link.loss=0.3"),
        ("link.delay=0.004", "link.jitter=0.008", "link.reordering=0.2", "link.duplication=0.2", "link.loss=0.2"),
        ("link.corruption=0.3", "link.delay=0.01"),
        ("link.delay=0.01", "model.pose=B"),
    ],
    ids=["late", "lossy", "jumbled", "corrupt", "bent"],
)
def test_no_network_makes_a_contact_bounce(faults, compensation):
    restitution, peak, told = contact(f"compensation={compensation}", *faults)
    assert peak > 3.0, "there was a contact"
    assert (told["steps"] > 0).sum() > 150
    assert restitution <= 1.001


def test_without_it_delay_does():
    """exp(pi w tau/2) with tau the delay, the tick until it is answered and half of the tick that it is held."""
    w = math.sqrt(45292.0 / TwoRobots().reduced_mass)
    for delay in (0.0, 0.004, 0.008):
        restitution, _, told = contact("guard=false", "compensation=false", f"link.delay={delay}")
        tau = told["delay"][-1] + 0.5 * T
        assert tau == pytest.approx(delay + 1.5 * T if delay == 0.0 else delay + 0.5 * T, abs=1e-9)
        assert restitution == pytest.approx(math.exp(0.5 * math.pi * w * tau), rel=0.1)
        assert restitution > 1.05
