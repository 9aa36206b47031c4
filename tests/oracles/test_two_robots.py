"""Two robots that meet: the contact that the reduced mass on a spring has in closed form.  [tarao1999]"""

import dataclasses
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tegotae.errors import InputError
from tegotae.hybrid.records.audit import first_contact
from tegotae.multibody import Lock, Servo
from tegotae.papers.two_robots import TwoRobots
from tegotae.table import Hexa

PAPER = [TwoRobots(kp=200.0), TwoRobots(kp=400.0), TwoRobots(kp=800.0), TwoRobots.heavier()]
# Each mass on its own: m1 m2/(m1 + m2) of 50 + 4 * 10 and 50 + 4 * 1 kg; of 50 + 4 * 20 and 100 + 4 * 1 kg.
MASSES = [33.75, 33.75, 33.75, 130.0 * 104.0 / 234.0]


def named(two: TwoRobots) -> str:
    return f"{two.kp:g}, {two.masses}"


@pytest.mark.parametrize(("two", "mass"), list(zip(PAPER, MASSES, strict=True)), ids=map(named, PAPER))
def test_in_line_it_is_the_reduced_mass_on_a_spring(two: TwoRobots, mass: float) -> None:
    told = two.summary(two.run())
    k = float(Hexa.default().stiffness((0.0, 0.0, -0.47), np.eye(3), two.kp)[2, 2])
    assert told["reduced_mass"] == pytest.approx(mass, rel=1e-12)
    # Fourth order inside the contact, located inside the tick: about 1e-9 seen.
    assert told["peak_force"] == pytest.approx(0.01 * math.sqrt(k * mass), rel=1e-7)
    assert told["duration"] == pytest.approx(math.pi * math.sqrt(mass / k), rel=1e-7)
    assert told["impulse"] == pytest.approx(2.0 * mass * 0.01, rel=1e-5)
    assert told["restitution"] == pytest.approx(1.0, abs=1e-5)
    assert told["touched"] == pytest.approx(1.0, abs=1e-8)
    assert told["contacts"] == 1.0


@pytest.mark.parametrize("share", [0.13, 0.5, 0.87])
@pytest.mark.parametrize("kp", [200.0, 800.0])
def test_instants_are_located_inside_the_tick(kp: float, share: float) -> None:
    # Touched at no tick: the kink inside a step costs (w T)^2/24 of the peak at most, 3e-6 here.
    period = 2e-4
    two = TwoRobots(kp=kp, gap=0.01 + share * period * 0.01)
    told = two.summary(two.run(period=period))
    assert told["touched"] == pytest.approx(1.0 + share * period, abs=1e-3 * period)
    assert told["peak_force"] == pytest.approx(told["theory_peak"], rel=3e-6)
    assert told["duration"] == pytest.approx(told["theory_duration"], rel=1e-6)


def test_stiffer_tables_push_harder_and_shorter_and_masses_matter() -> None:
    soft, middle, stiff, heavy = (two.summary(two.run(period=1e-3)) for two in PAPER)
    assert soft["peak_force"] < middle["peak_force"] < stiff["peak_force"] < heavy["peak_force"]
    assert soft["duration"] > middle["duration"] > stiff["duration"]
    assert heavy["duration"] > stiff["duration"]
    # Four times as stiff: twice the force, half the time.
    assert stiff["peak_force"] / soft["peak_force"] == pytest.approx(2.0, rel=1e-4)
    assert stiff["duration"] / soft["duration"] == pytest.approx(0.5, rel=1e-4)


@pytest.mark.parametrize("joints", [None, Lock()])
def test_bent_robots_obey_their_mass_at_the_contact_the_better_the_slower(joints: Lock | None) -> None:
    # What theory leaves out is how the pose changes during the contact, which is proportional to the speed.
    off = []
    for speed in (0.01, 0.001):
        two = TwoRobots(pose="B", joints=joints, speed=speed, gap=0.2 * speed)
        told = two.summary(two.run(period=1e-4))
        off.append([told["peak_force"] / told["theory_peak"] - 1.0, told["duration"] / told["theory_duration"] - 1.0])
        assert told["restitution"] == pytest.approx(1.0, abs=0.3 * speed)
    assert np.abs(off[0]).max() < 1e-3
    assert np.abs(off[1]).max() < 1e-4
    if joints is None:
        np.testing.assert_allclose(np.divide(off[0], off[1]), 10.0, rtol=0.05)


def test_what_holds_the_joints_decides_how_hard_a_bent_robot_is_hit() -> None:
    held = [None, Servo(gain=1000.0, rate_gain=100.0), Servo(gain=1e5, rate_gain=1000.0), Lock()]
    runs = [(two := TwoRobots(pose="B", joints=one)).summary(two.run(duration=1.3)) for one in held]
    free, soft, stiff, locked = runs
    assert free["peak_force"] == pytest.approx(4.35, abs=0.005)
    assert soft["peak_force"] == pytest.approx(4.99, abs=0.005)
    assert stiff["peak_force"] == pytest.approx(5.94, abs=0.005)
    assert locked["peak_force"] == pytest.approx(6.04, abs=0.005)
    assert soft["restitution"] < 1.0


def test_a_servo_gives_way_as_its_linear_equations_say() -> None:
    """M u' = J f - Kp dq - Kd u about the pose of the touch, by scipy, with the mass matrix and the spring."""
    servo = Servo(gain=3000.0, rate_gain=60.0)
    slow = 1e-4  # so that the pose stays
    two = TwoRobots(pose="B", joints=servo, speed=slow, gap=0.2 * slow)
    q, v = two.start(gap=0.0)
    M, J, k = two.tree.mass_matrix(q), two.parting(q), two.contact_stiffness
    Kp, Kd = np.zeros(v.size), np.zeros(v.size)
    Kp[6:10], Kd[6:10] = servo.gain, servo.rate_gain

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        x, u = y[: v.size], y[v.size :]
        return np.concatenate([u, np.linalg.solve(M, -J * k * min(J @ x, 0.0) - Kp * x - Kd * u)])

    linear = solve_ivp(rate, (0.0, 0.15), np.concatenate([0.0 * v, v]), rtol=1e-10, atol=1e-16, max_step=1e-3)
    told = two.summary(two.run())
    assert told["peak_force"] == pytest.approx(float((-k * J @ linear.y[: v.size]).max()), rel=2e-4)


@pytest.mark.parametrize("kp", [200.0, 400.0, 800.0])
def test_symplectic_ticks_of_2_ms_hardly_gain(kp: float) -> None:
    # The kink falls anywhere inside a tick; over a tick's worth of them the gain stays below .04 %.
    found = []
    for share in np.linspace(0.0, 1.0, 9):
        two = TwoRobots(kp=kp, gap=0.01 + share * 2e-5)
        found.append(two.summary(two.run(duration=1.3, period=2e-3, method="symplectic")))
    assert max(one["restitution"] for one in found) < 1.0004
    assert max(abs(one["peak_force"] / one["theory_peak"] - 1.0) for one in found) < 1e-3
    assert max(abs(one["duration"] / one["theory_duration"] - 1.0) for one in found) < 1e-3


def test_a_given_stiffness_stands_for_the_table() -> None:
    two = TwoRobots(stiffness=2e4)
    assert two.theory_duration == pytest.approx(math.pi * math.sqrt(33.75 / 2e4))
    assert dataclasses.replace(TwoRobots(), kp=400.0).contact_stiffness == pytest.approx(22646.1, rel=1e-5)


def test_a_record_without_a_whole_contact_has_no_contact() -> None:
    time = np.linspace(0.0, 1.0, 11)
    assert first_contact(time, np.ones(11), np.zeros(11)) is None
    assert first_contact(time, 0.5 - time, np.maximum(time - 0.5, 0.0)) is None
    # Three ticks only: the straight line between two of them.
    found = first_contact(np.array([0.0, 1.0, 2.0]), np.array([1.0, -1.0, 3.0]), np.array([0.0, 1.0, 0.0]))
    assert found is not None
    assert (found.touched, found.released, found.peak) == (0.5, 1.25, 1.0)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"kp": 0.0}, "kp=0"),
        ({"kp": float("nan")}, "kp"),
        ({"stiffness": -1.0}, "stiffness"),
        ({"pose": "C"}, "'A' .* or 'B'"),
        ({"masses": (50.0, 10.0, 50.0)}, "four masses"),
        ({"masses": (50.0, -10.0, 50.0, 1.0)}, r"masses\[1\]"),
        ({"masses": "heavy"}, "masses"),
        ({"joints": "locked"}, "Lock()"),
        ({"speed": 0.0}, "speed"),
        ({"gap": -0.01}, "gap"),
    ],
)
def test_what_means_nothing_is_refused(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        TwoRobots(**wrong)  # type: ignore[arg-type]


def test_a_period_too_long_for_the_contact_is_refused_and_the_one_named_works() -> None:
    two = TwoRobots(kp=800.0)
    with pytest.raises(InputError, match=r"Use period <= 0\.004287 s"):
        two.run(period=5e-3)
    assert two.run(duration=0.1, period=0.004287).time.size == 23
    for wrong in (0.0, float("nan"), float("inf")):
        with pytest.raises(InputError, match="period"):
            two.run(period=wrong)
    with pytest.raises(InputError, match="duration"):
        two.run(duration=-1.0)


def test_a_speed_that_goes_through_the_plate_is_refused_and_the_one_named_works() -> None:
    with pytest.raises(InputError, match=r"Use speed <= 3\.663 m/s"):
        TwoRobots(speed=5.0).run()
    two = TwoRobots(speed=3.663)
    assert two.summary(two.run(duration=0.3))["peak_force"] == pytest.approx(two.theory_peak, rel=1e-5)


def test_a_run_that_ends_too_early_says_how_long_it_must_be() -> None:
    two = TwoRobots()
    for short in (0.5, 1.1):
        with pytest.raises(InputError, match=r"duration=1\.344 s"):
            two.summary(two.run(duration=short))
    assert two.summary(two.run(duration=1.344))["contacts"] == 1.0
