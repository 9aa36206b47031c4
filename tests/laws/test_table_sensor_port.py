"""The sensor of the table as a port: what acts at its tip moves the plate as its lever says, and is what it reads."""

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tegotae as tg
from tegotae.running.probe import Probe
from tegotae.table import HexaPlant, ProbedSurface

PLATE = HexaPlant.default()
TIP = np.array([0.03, -0.02, 0.05])
BOTH = dataclasses.replace(PLATE, at=("plate", "sensor"), probe=tuple(TIP))
ALONE = dataclasses.replace(BOTH, at="sensor")
T = PLATE.servo.period
RNG = np.random.default_rng(3)


def pushes(ticks, size=1.0):
    """Smooth, along and about all axes."""
    waves = RNG.uniform(10.0, 40.0, 6) * T * np.arange(ticks)[:, None] + RNG.uniform(0.0, 6.0, 6)
    return size * np.sin(waves) * np.array([5.0, 5.0, 5.0, 0.2, 0.2, 0.2])


def moved_by_lever(wrench, arm):
    """The same wrench about the centre of the joints."""
    return np.concatenate([wrench[..., :3], wrench[..., 3:] + np.cross(arm, wrench[..., :3])], axis=-1)


def test_pushing_at_the_tip_is_pushing_at_the_plate_with_the_moment_of_the_lever():
    """The lever is held over a tick on the plate, and turns with it at the tip: they part by the turn in a tick."""
    F = pushes(150, 0.5)
    run = BOTH.run({"sensor": F}, initial={"command_position": (0.01, 0.0, -0.46)})
    start = np.concatenate([np.eye(3)[None], run.rotation[:-1]])
    arms = 0.5 * (start + run.rotation) @ TIP
    other = PLATE.run(moved_by_lever(F, arms), initial={"command_position": (0.01, 0.0, -0.46)})
    assert np.abs(run.twist).max() > 1e-2
    assert_allclose(run.position, other.position, rtol=0, atol=1e-9)
    assert_allclose(run["velocity.plate"], other.velocity, rtol=0, atol=1e-6)
    assert_allclose(ALONE.run(F, initial={"command_position": (0.01, 0.0, -0.46)}).position, run.position, atol=1e-15)


def test_the_tip_moves_as_a_point_of_the_plate():
    """Its mean motion is its way over the tick, and the plate's turn."""
    run = BOTH.run(np.hstack([pushes(80), pushes(80)]))
    R = np.concatenate([np.eye(3)[None], run.rotation])
    tips = np.concatenate([[PLATE.table.home[0]], run.position]) + R @ TIP
    assert_allclose(run["velocity.sensor"][:, :3], np.diff(tips, axis=0) / T, rtol=0, atol=1e-12)
    assert_allclose(run["velocity.sensor"][:, 3:], run["velocity.plate"][:, 3:], rtol=0, atol=0)


def test_the_sensor_reads_what_acts_on_it_and_nothing_of_the_plate():
    near, behind = pushes(60), pushes(60)
    run = BOTH.run({"sensor": near, "plate": behind})
    assert_allclose(run.measured_wrench, near, rtol=0, atol=1e-12)
    assert np.abs(BOTH.run({"plate": behind}).measured_wrench).max() == 0.0
    assert_allclose(PLATE.run(behind).measured_wrench, behind, rtol=0, atol=1e-12)  # without the port it reads those


def test_a_surface_is_read_with_what_acts_at_the_tip():
    """Pressed onto the surface, the tip held by a hand: the sensor reads both, about the tip."""
    surface = ProbedSurface(height=-0.4201, stiffness=1e5, damping=100.0, probe=tuple(TIP), friction=0.3)
    plant = dataclasses.replace(PLATE, surface=surface, substeps=4, at=("plate", "sensor"))
    hand = np.tile([1.0, -2.0, 0.5, 0.05, 0.02, -0.01], (500, 1))
    run = plant.run({"sensor": hand, "plate": 0.1 * hand}, inputs={"command_position": (0.0, 0.0, -0.469)})
    assert run.contact_force[-1, 2] < -1.0
    assert_allclose(run.measured_wrench[-1, :3], hand[-1, :3] + run.contact_force[-1], rtol=0, atol=1e-9)
    assert_allclose(run.measured_wrench[-1, 3:], hand[-1, 3:], rtol=0, atol=1e-12)


def test_what_ports_give_is_what_the_machine_has():
    """Work of both ports and of the motors is the change of energy: steps of fourth order leave next to nothing."""
    light = dataclasses.replace(BOTH, substeps=20, servo=dataclasses.replace(BOTH.servo, resolution=0.0))
    run = light.run({"sensor": pushes(100, 3.0), "plate": pushes(100, 3.0)})
    states = zip(run.position, run.rotation, run.twist, strict=True)
    energy = np.array([sum(light.energy(*state)) for state in states])
    given = T * sum((run[f"force.{name}"] * run[f"velocity.{name}"]).sum(axis=1) for name in ("plate", "sensor"))
    angles = [light.table.inverse(p, R) for p, R in zip(run.position, run.rotation, strict=True)]
    motors = (run.torque[1:] * np.diff(angles, axis=0)).sum(axis=1)
    assert np.abs(given).max() > 1e-4
    assert_allclose(np.diff(energy), given[1:] + motors, rtol=0, atol=1e-8)


def test_slopes_are_those_of_differences_across_both_ports():
    probe = Probe(BOTH, T, initial={"twist": [0.02, -0.01, 0.03, 0.1, 0.2, -0.1]})
    h = np.concatenate([pushes(1)[0], pushes(1)[0]])
    steps = np.diag([1.0, 1.0, 1.0, 0.1, 0.1, 0.1] * 2)
    slope = probe.answer(h)[1]
    found = np.array([(probe.answer(h + d)[0] - probe.answer(h - d)[0]) / (2 * d.max()) for d in steps]).T
    assert_allclose(slope, found, rtol=0, atol=1e-6 * np.abs(found).max())
    # plate and tip are of one rigid body; within a tick it turns, which is not symmetric
    assert_allclose(slope, slope.T, rtol=0, atol=1e-3 * np.abs(slope).max())
    assert BOTH.least_reluctance(T) <= 1.0 / np.linalg.eigvalsh(0.5 * (slope + slope.T))[-1]


def test_what_is_touched_through_the_sensor_is_read_in_a_circuit():
    """A spring at the tip alone, and a damper on the plate behind: the sensor reads the spring."""
    spring = tg.SpringDamper(stiffness=2e3, damping=5.0, dimension=6)
    oil = tg.SpringDamper(damping=20.0, dimension=6)
    links = {"spring": tg.Link(spring, "table.sensor"), "oil": tg.Link(oil, "table.plate")}
    run = tg.Circuit({"table": BOTH}, links).run({"table.plate": pushes(200, 2.0)}, period=T)
    assert np.abs(run["spring.force"]).max() > 0.1
    assert_allclose(run["table.measured_wrench"], run["spring.force"], rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"at": ()}, "at="),
        ({"at": "tip"}, "Give 'plate' or 'sensor'"),
        ({"at": ("plate", "plate")}, "at="),
        ({"at": 3}, "not a list of names"),
        ({"probe": (0.0, 1.0)}, "probe has shape"),
        ({"surface": ProbedSurface(height=-0.4, stiffness=1e3), "probe": (0.0, 0.0, 0.1)}, "that of the surface is"),
    ],
)
def test_places_that_mean_nothing_are_refused(changes, says):
    with pytest.raises(tg.InputError, match=says):
        dataclasses.replace(PLATE, **changes)
