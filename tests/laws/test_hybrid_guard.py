"""The guard: whatever the network does to a force, a contact gives back no more energy than it took."""

import math

import numpy as np
import pytest

from tegotae.hybrid import TwoRobots
from tegotae.hybrid.nodes.virtual_run import run_virtual
from tegotae.hybrid.settings import read_settings

T = 2e-3


def wrench(push):
    return (0.0, 0.0, -push, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("pose", ["A", "B"])
def test_random_wrenches_never_feed_the_bodies(pose):
    """30 N and 5 N·m at random in every tick, as a broken network might make them: normal and tangential."""
    meeting = TwoRobots(pose=pose, speed=0.1).meeting(period=T)
    rng = np.random.default_rng(5)
    start = highest = meeting.energy
    acted = 0.0
    for _ in range(1500):
        got = meeting.advance(rng.normal(size=6) * (30.0, 30.0, 30.0, 5.0, 5.0, 5.0))
        acted += abs(got[2])
        highest = max(highest, meeting.energy)
    assert acted > 100.0, "the guard lets through what it may"
    assert highest <= start * (1.0 + 1e-5)  # what the midpoint rule does to bodies that turn; a quarter at T/2
    assert meeting.work <= 1e-15


def test_work_is_what_the_bodies_gain():
    meeting = TwoRobots(speed=0.1).meeting(period=T, guard=False)
    start = meeting.energy
    for push in (5.0, 40.0, -20.0, 7.0):
        meeting.advance(wrench(push))
    assert meeting.work == pytest.approx(meeting.energy - start, rel=1e-9)


def test_the_cap_is_the_closed_form():
    """Pose A is one mass on a line: f <= (m/T)(-v + sqrt(v^2 + 2 E/m)) once they part."""
    meeting = TwoRobots(speed=0.01).meeting(period=T)
    m = meeting.mass
    before = meeting.energy
    while meeting.motion[1][2] > 0.002:  # slowed down, not turned
        meeting.advance(wrench(100.0))
    budget, speed = before - meeting.energy, -meeting.motion[1][2]  # parting counts positive
    assert meeting.budget == pytest.approx(budget, rel=1e-9)
    allowed = m / T * (-speed + math.sqrt(speed * speed + 2.0 * budget / m))
    acted = -meeting.advance(wrench(1e5))[2]
    assert acted == pytest.approx(allowed, rel=1e-9)
    assert meeting.budget == pytest.approx(0.0, abs=1e-12 * before)
    assert meeting.motion[1][2] == pytest.approx(-0.01, rel=1e-9), "all that was taken is given back, no more"
    assert -meeting.advance(wrench(50.0))[2] == pytest.approx(0.0, abs=1e-6), "nothing is left"


def test_friction_cannot_spend_what_the_normal_spring_stored():
    meeting = TwoRobots(speed=0.01).meeting(period=T)
    for _ in range(3):
        meeting.advance(wrench(60.0))
    stored = meeting.budget
    acted = meeting.advance((50.0, 0.0, -1e-9, 0.0, 0.0, 0.0))
    assert stored > 1e-4
    assert acted[0] == pytest.approx(0.0, abs=1e-6)


def test_a_contact_that_is_over_leaves_nothing_to_the_next():
    meeting = TwoRobots(speed=0.01).meeting(period=T)
    for _ in range(3):
        meeting.advance(wrench(60.0))
    assert meeting.budget > 0.0
    meeting.forget()
    assert meeting.budget == 0.0


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
