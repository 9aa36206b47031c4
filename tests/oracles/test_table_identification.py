"""What records of the table say of M, D and K, against (15), J^-T Kd J^-1, the inertia, and what sampling does."""

import dataclasses
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tegotae import InputError
from tegotae.result import Result, Variable
from tegotae.table import ForceSensor, HexaPlant, excitation, identify_impedance, rotation_about

HOME = np.array([0.0, 0.0, -0.47])


def plant_with(kp=200.0, gravity=9.81, sensor=None, **servo):
    plain = HexaPlant.default(kp=kp)
    changed = dataclasses.replace(plain, gravity=gravity, servo=dataclasses.replace(plain.servo, **servo))
    return changed if sensor is None else dataclasses.replace(changed, sensor=sensor)


def shaken(plant, seconds=24.0, seed=0, size=1.0):
    push = excitation(
        seconds=seconds, period=plant.servo.period, band=10.0, force=0.5 * size, torque=0.02 * size, seed=seed
    )
    return plant.run(push)


def off(found, wanted):
    """The largest difference, each entry as a share of what its two axes have on the diagonal."""
    scale = np.sqrt(np.outer(np.diag(wanted), np.diag(wanted)))
    return float(np.abs((found - wanted) / scale).max())


def oscillator(M, D, K, T=1e-3, ticks=20000, seed=0):
    """A record of a linear M, D, K under held forces, stepped by its exact exponential: nothing of the table in it."""
    from scipy.linalg import expm

    n = M.shape[0]
    A = np.zeros((3 * n, 3 * n))
    A[:n, n : 2 * n] = np.eye(n)
    A[n : 2 * n] = np.hstack([-np.linalg.solve(M, K), -np.linalg.solve(M, D), np.linalg.inv(M)])
    step = expm(A * T)
    F = np.zeros((ticks, 6))
    F[:, :n] = np.cumsum(np.random.default_rng(seed).normal(size=(ticks, n)), axis=0)
    F -= F.mean(axis=0)
    x, state = np.zeros((ticks, 3)), np.zeros(2 * n)
    for k in range(ticks):
        state = step[: 2 * n] @ np.concatenate([state, F[k, :n]])
        x[k, :n] = state[:n]
    still = np.tile(np.eye(3), (ticks, 1, 1))
    parts = {
        "time": T * np.arange(1, ticks + 1),
        "measured_wrench": F,
        "measured_position": x,
        "measured_rotation": still,
        "command_position": np.zeros((ticks, 3)),
        "command_rotation": still,
    }
    return Result({k: Variable(("time", "a", "b")[: v.ndim], v, "") for k, v in parts.items()}, title="oscillator")


def test_a_linear_oscillator_is_found_to_eight_digits():
    M, D = np.array([[2.0, 0.1, 0.0], [0.1, 1.5, 0.2], [0.0, 0.2, 1.0]]), np.diag([30.0, 40.0, 50.0])
    K = np.array([[3000.0, 200.0, 0.0], [200.0, 5000.0, -300.0], [0.0, -300.0, 4000.0]])
    found = identify_impedance(oscillator(M, D, K), axes=("x", "y", "z"), band=20.0)
    # the pose between ticks is summed by the trapezoid rule, whose error under these windows is the motion's share
    # near the sampling frequency
    assert off(found.stiffness, K) < 1e-7
    assert off(found.damping, D) < 1e-6
    assert off(found.mass, M) < 1e-6
    assert found.residual.max() < 1e-6


@pytest.mark.parametrize("kp", [200.0, 800.0])
def test_stiffness_is_that_of_15_and_of_the_weight(kp):
    """K differs from (15) by up to 0.6 % at Kp = 200; the weight that the motors carry is the whole reason."""
    plant = plant_with(kp=kp)
    found = identify_impedance(shaken(plant, size=kp / 200.0))
    static = plant.table.stiffness(HOME, None, kp)
    weight = plant.weight_stiffness(HOME)
    share = np.diag(found.stiffness - static) / np.diag(weight)
    assert_allclose(share[[0, 1, 5]], 1.0, atol=0.3)  # where the weight adds most
    assert off(found.stiffness, static) < 1.3 / kp  # 0.6 % at 200, 0.15 % at 800
    assert off(found.stiffness, static + weight) < 1.5e-3
    floating = plant_with(kp=kp, gravity=0.0)
    assert off(identify_impedance(shaken(floating, size=kp / 200.0)).stiffness, static) < 1.5e-3


def test_weight_stiffness_is_the_curvature_of_the_energies():
    """Second differences of height times weight minus torque times angle, away from home."""
    plant = plant_with()
    p, R = HOME + np.array([0.04, -0.03, 0.02]), rotation_about((0.1, 0.05, -0.2))
    W = plant.table.inverse_jacobian(p, R)
    h = 2e-4

    def height(d):
        return plant.energy(p + d[:3], rotation_about(d[3:]) @ R, np.zeros(6))[1]

    gradient = np.array([(height(h * e) - height(-h * e)) / (2 * h) for e in np.eye(6)])
    torque = np.linalg.solve(W.T, gradient)

    def potential(d):
        return height(d) - float(torque @ plant.table.inverse(p + d[:3], rotation_about(d[3:]) @ R))

    E = h * np.eye(6)
    hessian = np.array(
        [
            [(potential(a + b) - potential(a - b) - potential(b - a) + potential(-a - b)) / (4 * h * h) for b in E]
            for a in E
        ]
    )
    found = plant.weight_stiffness(p, R)
    assert_allclose(found, found.T, atol=2e-4 * np.abs(found).max())
    assert_allclose(found, hessian, rtol=0, atol=2e-4 * np.abs(found).max())


def test_mass_and_damping_are_those_of_arms_and_plate_when_sampling_is_quick():
    plant = plant_with(gravity=0.0, period=2.5e-4, resolution=0.0)
    found = identify_impedance(shaken(plant, seconds=12.0))
    W = plant.table.inverse_jacobian(HOME)
    # rods by hand: m/6 at the arm, m/6 at the plate, 2m/3 in the middle
    end, joints = plant.rod_mass / 6.0, plant.table.geometry[:, 5:8]
    M = W.T @ W * (plant.arm_inertia + end * 0.25**2)
    M[:3, :3] += (plant.plate.mass + 6 * end) * np.eye(3)
    M[3:, 3:] += plant.plate.tensor + end * sum(b @ b * np.eye(3) - np.outer(b, b) for b in joints)
    th = plant.table.inverse(HOME)
    for i, b in enumerate(joints):
        u = np.array([*plant.table.geometry[i, 3:5], 0.0])
        tip = 0.25 * (-math.sin(th[i]) * u + math.cos(th[i]) * np.array([0.0, 0.0, -1.0]))
        cross = np.array([[0.0, -b[2], b[1]], [b[2], 0.0, -b[0]], [-b[1], b[0], 0.0]])
        middle = 0.5 * (np.outer(tip, W[i]) + np.hstack([np.eye(3), -cross]))
        M += 4 * end * middle.T @ middle
    assert_allclose(plant.mass_matrix(HOME), M, rtol=0, atol=1e-12)
    D = W.T @ W * plant.servo.kd[0]
    # what sampling still takes: K T/2 of D (0.6 %), D T of M (3 %)
    assert off(found.damping, D) < 8e-3
    assert off(found.mass, M) < 4e-2
    felt = plant.felt_impedance(HOME)
    assert off(found.damping, felt[1]) < 1.5e-3
    assert off(found.mass, felt[0]) < 5e-3


@pytest.mark.parametrize("kp", [200.0, 800.0])
def test_sampling_at_two_milliseconds_takes_its_share_of_mass_and_damping(kp):
    """D loses K T/2 (5 to 11 %) and M loses D T less K T^2/6 (13 to 44 %): late torques, nothing else."""
    plant = plant_with(kp=kp)
    found = identify_impedance(shaken(plant, size=kp / 200.0))
    plain, felt = plant.impedance(HOME), plant.felt_impedance(HOME)
    assert (np.diag(found.damping) < 0.96 * np.diag(plain[1])).all()
    assert (np.diag(found.mass) < 0.9 * np.diag(plain[0])).all()
    # cubic terms of the lateness, (w T)^2 at 8 Hz, are left
    assert off(found.damping, felt[1]) < 6e-3
    assert_allclose(np.diag(found.mass), np.diag(felt[0]), rtol=8e-3)
    assert off(found.mass, felt[0]) < 3e-2  # forces times deflections tie the axes together, to second order


def test_standard_errors_are_honest_under_noise():
    """Twenty records that differ in the sensor's noise alone: their scatter is what each says of itself."""
    sensor = ForceSensor(noise=(2e-5,) * 6)
    plant = plant_with(gravity=0.0, resolution=0.0, sensor=sensor)
    quiet = shaken(plant_with(gravity=0.0, resolution=0.0), seconds=12.0)
    truth = identify_impedance(quiet)
    scores = []
    for seed in range(20):
        noise = dataclasses.replace(sensor, seed=seed).read(quiet.force, period=plant.servo.period).wrench
        heard = Result(
            {**quiet.variables, "measured_wrench": dataclasses.replace(quiet.variables["force"], values=noise)},
            title="noisy",
        )
        found = identify_impedance(heard)
        for part in ("mass", "damping", "stiffness"):
            scores.append((getattr(found, part) - getattr(truth, part)) / getattr(found, part + "_error"))
    spread = float(np.std(scores))
    assert 0.85 < spread < 1.15


def test_the_lag_of_a_sensor_is_told_and_taken_out():
    """Three samples of delay at 2 ms look like less damping, K times 6 ms, unless they are said."""
    plant = plant_with(gravity=0.0, resolution=0.0, sensor=ForceSensor(delay=3))
    record = shaken(plant)
    felt = plant.felt_impedance(HOME)
    assert off(identify_impedance(record, lag=6e-3).damping, felt[1]) < 6e-3
    told, untold = identify_impedance(record, lag=6e-3, band=2.0), identify_impedance(record, band=2.0)
    shift = np.diag(untold.damping - told.damping) / np.diag(felt[2])
    assert_allclose(np.abs(shift), 6e-3, rtol=0.1)


def test_one_axis_by_itself():
    plant = plant_with(gravity=0.0, resolution=0.0)
    push = excitation(seconds=12.0, period=2e-3, band=10.0, force=0.5, torque=0.0)
    push[:, :2] = 0.0
    found = identify_impedance(plant.run(push), axes=("z",))
    assert found.stiffness.shape == (1, 1)
    assert found.stiffness[0, 0] == pytest.approx(11323.05, rel=1e-3)
    assert "z" in str(found)


def test_a_moving_command_changes_nothing():
    """(10) is about p - pd: the same constants while the command wanders."""
    plant = plant_with(gravity=0.0, resolution=0.0)
    ticks = 12000
    push = excitation(seconds=24.0, period=2e-3, band=10.0, force=0.5, torque=0.02)
    path = HOME + 2e-4 * np.sin(2e-3 * np.arange(ticks)[:, None] * np.array([3.0, 4.0, 5.0]))
    found = identify_impedance(plant.run(push, inputs={"command_position": path}))
    assert off(found.stiffness, plant.impedance(HOME)[2]) < 5e-3


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"band": 0.0}, "band=0.0 Hz"),
        ({"band": 0.1}, "stretches of .* ticks"),
        ({"band": 400.0}, "stretches of .* ticks"),
        ({"axes": ("w",)}, "axes='w'"),
        ({"axes": ()}, "axes="),
        ({"axes": ("z", "z")}, "at most once"),
        ({"wrench": "push"}, "no 'push'"),
        ({"lag": math.nan}, "lag=nan"),
    ],
)
def test_questions_that_mean_nothing_are_refused(arguments, says):
    record = shaken(plant_with(), seconds=6.0)
    with pytest.raises(InputError, match=says):
        identify_impedance(record, **arguments)


def test_records_that_say_too_little_are_refused():
    plant = plant_with(gravity=0.0, resolution=0.0)
    with pytest.raises(InputError, match="hardly anything moved along x"):
        identify_impedance(plant.run(np.zeros((6000, 6))))
    push = excitation(seconds=12.0, period=2e-3, band=10.0, force=0.5, torque=0.0)
    push[:, 1:] = 0.0
    with pytest.raises(InputError, match="hardly anything moved along y"):
        identify_impedance(plant.run(push))
    with pytest.raises(InputError, match="equations for"):
        identify_impedance(shaken(plant, seconds=3.0))
