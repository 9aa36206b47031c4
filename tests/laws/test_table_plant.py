"""The simulated table keeps the books of energy, gives way as (15) says, and swings as its inertia says."""

import dataclasses
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh

from tegotae import InputError, TegotaeError
from tegotae.table import ArmServo, ForceSensor, HexaPlant, TableBody, rotation_about

PLANT = HexaPlant.default(kp=200.0)
HOME = np.array([0.0, 0.0, -0.47])
IDEAL = dataclasses.replace(PLANT, servo=dataclasses.replace(PLANT.servo, resolution=0.0))


def with_servo(plant, **changes):
    return dataclasses.replace(plant, servo=dataclasses.replace(plant.servo, **changes))


def angles_along(plant, record):
    poses = zip(record.position, record.rotation, strict=True)
    return np.array([plant.table.inverse(p, R) for p, R in poses])


@pytest.mark.parametrize("gravity", [0.0, 9.81])
def test_energy_changes_by_the_work_of_motors_and_hand_alone(gravity):
    """Torques and force are held over a tick, so their work is torque times turn and force times way, exactly."""
    plant = dataclasses.replace(
        IDEAL, gravity=gravity, substeps=4, payload=TableBody(mass=0.3, inertia=(3e-4,) * 3, center=(0.03, 0.02, -0.06))
    )
    ticks = 150
    rng = np.random.default_rng(1)
    F = np.zeros((ticks, 6))
    F[:, :3] = 20.0 * rng.normal(size=(ticks, 3))
    run = plant.run(F, initial={"twist": (0.3, -0.2, 0.1, 1.0, 0.5, -1.0)})
    poses = zip(run.position, run.rotation, run.twist, strict=True)
    energy = np.array([sum(plant.energy(p, R, V)) for p, R, V in poses])
    angles = angles_along(plant, run)
    work = (run.torque[1:] * np.diff(angles, axis=0)).sum(axis=1)
    work += (F[1:, :3] * np.diff(run.position, axis=0)).sum(axis=1)
    moved = np.abs(work).sum()
    assert moved > 0.4  # J
    # Runge-Kutta of fourth order at half a millisecond: far below a millionth
    assert np.abs(np.diff(energy) - work).max() < 1e-8 * moved


def test_a_held_load_gives_way_as_the_stiffness_says():
    """Without gravity the motors' springs are unloaded, so that small loads see (15) itself."""
    plant = dataclasses.replace(IDEAL, gravity=0.0)
    K = plant.table.stiffness(HOME, None, 200.0)
    for axis, size in enumerate([0.02, 0.02, 0.02, 1e-3, 1e-3, 1e-3]):
        F = np.zeros((1500, 6))
        F[:, axis] = size
        run = plant.run(F)
        turn = 0.5 * np.array([run.rotation[-1][2, 1], run.rotation[-1][0, 2], run.rotation[-1][1, 0]])
        turn -= 0.5 * np.array([run.rotation[-1][1, 2], run.rotation[-1][2, 0], run.rotation[-1][0, 1]])
        moved = np.concatenate([run.position[-1] - HOME, turn])
        wanted = np.linalg.solve(K, F[0])
        assert_allclose(moved, wanted, rtol=0, atol=2e-4 * np.abs(wanted).max())


def test_modes_swing_at_the_frequencies_of_mass_and_stiffness():
    """Hardly damped and quickly sampled; each mode of K x = w^2 M x is struck alone."""
    plant = with_servo(dataclasses.replace(IDEAL, gravity=0.0, substeps=1), period=1e-4, damping=0.02)
    M, _, K = plant.impedance(HOME)
    squares, modes = eigh(K, M)
    for square, mode in zip(squares, modes.T, strict=True):
        omega = math.sqrt(square)
        run = plant.run(np.zeros((round(10 * math.pi / omega / 1e-4), 6)), initial={"twist": 1e-4 * mode})
        along = (run.position - HOME) @ (M @ mode)[:3]
        if np.abs(mode[:3]).max() < 1e-9:
            along = run.rotation[:, 1, 0]
        signs = np.flatnonzero(np.diff(np.sign(along)))
        times = run.time[signs] + 1e-4 * along[signs] / (along[signs] - along[signs + 1])
        found = math.pi * (len(times) - 1) / (times[-1] - times[0])
        # sampling shifts M by D T, 0.1 % of it; quick modes are seen for five periods
        assert found == pytest.approx(omega, rel=2e-3)


def test_gravity_is_carried_by_what_is_fed_forward_and_sags_without():
    held = IDEAL.run(np.zeros((200, 6)))
    assert_allclose(held.position[-1], HOME, rtol=0, atol=1e-9)
    loose = with_servo(IDEAL, compensation=0.0).run(np.zeros((2000, 6)))
    _, h, W = IDEAL._terms(loose.position[-1], loose.rotation[-1], np.zeros(6))
    torque = 200.0 * (IDEAL.table.inverse(HOME) - IDEAL.table.inverse(loose.position[-1], loose.rotation[-1]))
    assert loose.position[-1, 2] < HOME[2] - 1e-3
    # static balance of the sagged pose, weight h against motors
    assert_allclose(W.T @ torque, h, rtol=0, atol=1e-6 * h[2])


def test_commands_are_followed():
    time = 2e-3 * np.arange(1000)
    path = HOME + 0.02 * np.sin(2 * np.pi * time)[:, None] * np.array([1.0, 0.5, 0.3])
    turns = np.array([rotation_about((0.05 * math.sin(6.0 * t), 0.0, 0.1 * math.sin(4.0 * t))) for t in time])
    run = PLANT.run(inputs={"command_position": path, "command_rotation": turns})
    # a held reference is late by about half a period, the arms' inertia leaves w^2 M/K of the stroke
    assert np.abs(run.position - path)[500:].max() < 5e-4
    assert np.abs(run.measured_position - run.position).max() < 1e-5
    slack = with_servo(PLANT, feedforward=0.0).run(inputs={"command_position": path, "command_rotation": turns})
    assert np.abs(slack.position - path)[500:].max() > 4 * np.abs(run.position - path)[500:].max()


def test_encoders_count_whole_steps():
    coarse = with_servo(PLANT, resolution=1e-3)
    path = HOME + np.linspace(0.0, 0.02, 300)[:, None] * np.array([1.0, 0.0, 0.0])
    run = coarse.run(inputs={"command_position": path})
    assert_allclose(run.angle / 1e-3, np.round(run.angle / 1e-3), rtol=0, atol=1e-9)
    assert np.abs(run.angle - angles_along(coarse, run)).max() <= 0.5e-3 + 1e-12


def test_torques_stop_at_their_limit_and_are_counted():
    weak = with_servo(PLANT, limit=1.0)
    run = weak.run(inputs={"command_position": HOME + np.array([0.0, 0.0, 0.02]) * np.linspace(0.0, 1.0, 20)[:, None]})
    assert np.abs(run.torque).max() == 1.0
    assert run.saturated.max() == 6
    assert_allclose(run.saturated, (np.abs(run.torque) == 1.0).sum(axis=1))


def test_live_is_the_run_tick_by_tick():
    rng = np.random.default_rng(3)
    F = rng.normal(size=(60, 6)) * np.array([3.0, 3.0, 3.0, 0.1, 0.1, 0.1])
    path = HOME + 0.01 * np.sin(0.2 * np.arange(60))[:, None] * np.array([0.0, 1.0, 1.0])
    plant = dataclasses.replace(PLANT, sensor=ForceSensor(noise=1e-6, cutoff=100.0, delay=2, seed=7))
    run = plant.run(F, inputs={"command_position": path})
    live = plant.start(initial={"command_position": path[0]})
    for k in range(60):
        live.command(path[k])
        reading = live.step(F[k])
        assert_allclose(reading.true_position, run.position[k], rtol=0, atol=0)
        assert_allclose(reading.wrench, run.measured_wrench[k], rtol=0, atol=0)
        assert_allclose(reading.position, run.measured_position[k], rtol=0, atol=0)
    assert live["ticks"] * live.period == pytest.approx(0.12)
    kept = reading.copy()
    live.stop()
    for _ in range(400):
        live.step()
    assert not np.array_equal(kept.position, live.read().position)
    assert_allclose(live.read().true_twist, 0.0, atol=1e-4)
    assert_allclose(live.read().true_position, kept.position, atol=2e-5)


def test_a_refused_command_leaves_the_last_one():
    live = PLANT.start()
    live.command(HOME + np.array([0.01, 0.0, 0.0]))
    with pytest.raises(InputError, match="outside the workspace"):
        live.command((0.0, 0.0, -0.9))
    for _ in range(500):
        reading = live.step()
    assert_allclose(reading.position, HOME + np.array([0.01, 0.0, 0.0]), atol=1e-5)


def test_a_push_beyond_the_workspace_is_reported():
    with pytest.raises(TegotaeError, match=r"pushed .* at 0\.\d+ s"):
        PLANT.run(np.tile([0.0, 0.0, -3000.0, 0.0, 0.0, 0.0], (2000, 1)))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "how many ticks"),
        ({"force": np.zeros((5, 5))}, "force has shape"),
        ({"force": np.zeros((0, 6))}, "force is empty"),
        ({"force": np.full((5, 6), np.nan)}, r"force\[0, 0\]=nan"),
        ({"inputs": {"command_position": [HOME] * 4}, "force": np.zeros((5, 6))}, "a row for each of 5 ticks"),
        ({"inputs": {"command_position": [HOME, HOME, (0.0, 0.0, -0.9)]}}, "command of tick 2 cannot be followed"),
        ({"inputs": {"command_rotation": [np.eye(3), 2 * np.eye(3)]}}, r"command_rotation'\]\[1\].*not a rotation"),
        ({"force": np.zeros((5, 6)), "initial": {"twist": (1.0, 2.0)}}, "twist"),
    ],
)
def test_records_that_mean_nothing_are_refused(arguments, says):
    with pytest.raises(InputError, match=says):
        PLANT.run(**arguments)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda: with_servo(PLANT, damping=0.0), "unstable at home.*\n.*period shorter"),
        (lambda: with_servo(PLANT, damping=60.0), "unstable at home"),
        (lambda: dataclasses.replace(PLANT, arm_inertia=0.0), "arm_inertia=0.0"),
        (lambda: dataclasses.replace(PLANT, substeps=0), "substeps"),
        (lambda: dataclasses.replace(PLANT, gravity=math.nan), "gravity=nan"),
        (lambda: dataclasses.replace(PLANT, payload=3.0), "payload"),
        (lambda: ArmServo(stiffness=-1.0, damping=1.0), "stiffness"),
        (lambda: ArmServo(stiffness=(1.0, 2.0), damping=1.0), r"stiffness has shape \(2,\)"),
        (lambda: ArmServo(stiffness=1.0, damping=1.0, compensation=1.5), "compensation"),
        (lambda: TableBody(mass=0.0, inertia=(1.0, 1.0, 1.0)), "mass=0.0 kg"),
        (lambda: TableBody(mass=1.0, inertia=(1.0, 1.0, 3.0)), "no body has the principal inertias"),
        (lambda: PLANT.start().step((1.0, 2.0)), "force has shape"),
        (lambda: PLANT.start(initial={"command_position": (0.0, 0.0, -0.9)}), "outside the workspace"),
    ],
)
def test_tables_that_mean_nothing_are_refused(change, says):
    with pytest.raises(InputError, match=says):
        change()


def test_the_verdict_of_instability_is_true():
    """Just below and just above the damping that the linear verdict allows: one run settles, the other grows."""
    W, M = PLANT.table.inverse_jacobian(HOME), PLANT.mass_matrix(HOME)
    low, high = 1.0, 60.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        stable = ArmServo(stiffness=200.0, damping=middle).slowest_decay(W, M) < 1.0
        low, high = (middle, high) if stable else (low, middle)
    quiet = with_servo(IDEAL, damping=0.97 * low).run(np.zeros((400, 6)), initial={"twist": 1e-3 * np.ones(6)})
    assert np.abs(quiet.twist[-20:]).max() < 1e-4
    loud = with_servo(IDEAL, damping=0.97 * low)
    object.__setattr__(loud, "servo", dataclasses.replace(loud.servo, damping=1.03 * low))  # past the guard
    loud.__dict__.pop("parameters", None)
    assert np.abs(loud.run(np.zeros((400, 6)), initial={"twist": 1e-3 * np.ones(6)}).twist[-20:]).max() > 3e-3
