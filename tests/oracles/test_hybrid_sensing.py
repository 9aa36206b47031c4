"""From signals to wrenches, against numpy; tare, overload, contact and broken sensors."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tegotae as tg
from tegotae.hybrid import NodeState
from tegotae.hybrid.safety.sensing import Sensing, read_calibration

HOME = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
REST = (0.0,) * 6
NOTHING = NodeState(0)


@pytest.fixture
def chance():
    return np.random.default_rng(3)


@pytest.fixture
def matrix(chance):
    return chance.normal(size=(6, 6)) * np.array([100.0, 90.0, 80.0, 5.0, 4.0, 3.0])[:, None]


def tared(signal=REST, **options):
    """A sensor that felt this at rest."""
    sensing = Sensing(**({"readings": 3} | options))
    for _ in range(3):
        felt = sensing.step(signal, HOME, REST)
    assert sensing.ready
    assert felt.wrench == REST
    return sensing


def test_a_wrench_is_the_calibration_times_the_signal_less_the_tare(chance, matrix):
    tare = tuple(chance.normal(size=6).tolist())
    sensing = tared(tare, calibration=matrix)
    for signal in chance.normal(size=(20, 6)):
        felt = sensing.step(tuple(signal.tolist()), HOME, REST)
        np.testing.assert_allclose(felt.wrench, matrix @ (signal - tare), rtol=1e-12, atol=1e-10)
        assert felt.ready
        assert felt.events == []


def test_axes_and_origin_carry_it_to_the_contact_point(chance, matrix):
    """Moments about two points of a body differ by the lever times the force: M_P = M_S + (S - P) x F."""
    turn = Rotation.from_rotvec([0.3, -1.0, 0.5])
    x, y, z, w = turn.as_quat()
    origin = np.array([0.1, -0.2, 0.3])
    sensing = tared(calibration=matrix, axes=(w, x, y, z), origin=origin)
    for signal, place in zip(chance.normal(size=(20, 6)), chance.normal(size=(20, 3)), strict=True):
        plain = matrix @ signal
        force, torque = turn.apply(plain[:3]), turn.apply(plain[3:])
        felt = sensing.step(tuple(signal.tolist()), (*place.tolist(), *HOME[3:]), REST)
        np.testing.assert_allclose(felt.wrench[:3], force, rtol=1e-11, atol=1e-10)
        np.testing.assert_allclose(felt.wrench[3:], torque + np.cross(origin - place, force), rtol=1e-10, atol=1e-10)


def test_a_constant_offset_is_the_same_as_an_origin_for_a_point_that_rests(chance, matrix):
    place, origin = np.array([0.1, 0.05, -0.2]), np.array([0.3, -0.1, 0.2])
    fixed, moving = tared(calibration=matrix, origin=origin), tared(calibration=matrix, offset=place - origin)
    for signal in chance.normal(size=(5, 6)):
        pose = (*place.tolist(), *HOME[3:])
        one, two = (it.step(tuple(signal.tolist()), pose, REST).wrench for it in (fixed, moving))
        np.testing.assert_allclose(one, two, rtol=1e-11)


def test_a_lever_turns_a_force_into_the_torque_of_the_textbook():
    """10 N downward at a point .2 m off along x: about that point nothing, about the sensor .2 m x -10 N."""
    sensing = tared(origin=(0.0, 0.0, 0.0))
    felt = sensing.step((0.0, 0.0, -10.0, 0.0, 2.0, 0.0), (0.2, 0.0, 0.0, *HOME[3:]), REST)
    assert felt.wrench == pytest.approx((0.0, 0.0, -10.0, 0.0, 0.0, 0.0))


# ---------------------------------------------------------------- tare


def test_the_tare_is_the_mean_of_the_first_readings(chance):
    noise = chance.normal(scale=1e-3, size=(50, 6))
    sensing = Sensing(readings=50)
    felt = [sensing.step(tuple(one), HOME, REST) for one in (noise + 7.0).tolist()]
    assert not any(one.ready for one in felt[:-1])
    np.testing.assert_allclose(sensing.tare, noise.mean(axis=0) + 7.0, rtol=1e-13)
    assert felt[-1].events == [("info", "sensor tared with 50 readings")]


def test_a_noisy_sensor_is_not_tared_until_it_is_quiet(matrix):
    """The spread is judged in newtons, not in signals."""
    sensing = Sensing(calibration=100.0 * np.eye(6), readings=10)
    told = []
    for k in range(50):
        told += sensing.step((0.01 * (k % 2), 0.0, 0.0, 0.0, 0.0, 0.0), HOME, REST).events
    assert not sensing.ready
    (only,) = told
    assert only[0] == "warning"
    assert "spread over 1 N x, 0.5 N are allowed" in only[1]
    for _ in range(10):
        felt = sensing.step((0.004, 0.0, 0.0, 0.0, 0.0, 0.0), HOME, REST)
    assert sensing.ready
    assert felt.events[0][0] == "info"


@pytest.mark.parametrize(
    "twist", [(0.0, 0.0, 0.01, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.01, 0.0), (math.nan, *REST[1:])]
)
def test_a_moving_table_is_not_tared(twist):
    sensing = Sensing(readings=3)
    told = []
    for _ in range(9):
        told += sensing.step(REST, HOME, twist).events
    assert not sensing.ready
    assert len(told) == 1
    assert "tare refused, trying again: the table moves" in told[0][1]


def test_a_tare_can_be_taken_again():
    sensing = tared()
    sensing.retare()
    for _ in range(3):
        sensing.step((1.0,) * 6, HOME, REST)
    assert sensing.tare == (1.0,) * 6


# ---------------------------------------------------------------- troubles


def test_an_overload_is_judged_on_the_sensors_own_axes():
    """A sensor that lies on its side: its z is the world's x."""
    sensing = tared(axes=(math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0), overload=(100.0, 100.0, 10.0, 1.0, 1.0, 1.0))
    felt = sensing.step((0.0, 90.0, 11.0, 0.0, 0.0, 0.0), HOME, REST)
    assert felt.wrench[0] == pytest.approx(11.0)
    assert NodeState.OVERLOAD in felt.state
    assert felt.trouble == "overload: the sensor feels 11 N z, it may feel 10 N"
    assert sensing.step((0.0, 90.0, 12.0, 0.0, 0.0, 0.0), HOME, REST).events == []  # said once
    assert NodeState.OVERLOAD not in sensing.step((0.0, 90.0, 9.0, 0.0, 0.0, 0.0), HOME, REST).state
    again = sensing.step((0.0, 0.0, 0.0, 0.0, 0.0, -1.1), HOME, REST)
    assert again.events == [("warning", "overload: the sensor feels -1.1 N·m about z, it may feel 1 N·m")]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_signals_that_are_not_finite_are_a_fault_and_nothing_felt(bad):
    for sensing in (tared(), Sensing()):
        felt = sensing.step((0.0, bad, 0.0, 0.0, 0.0, 0.0), HOME, REST)
        assert NodeState.FAULT in felt.state
        assert felt.wrench == REST
        assert felt.events == [("warning", "the sensor's signals are not finite")]
        assert sensing.step((0.0, bad, 0.0, 0.0, 0.0, 0.0), HOME, REST).events == []


def test_a_frozen_sensor_is_a_fault_where_noise_is_expected(chance):
    sensing = tared(frozen=5, quiet=(99.0,) * 6)
    for signal in chance.normal(size=(20, 6)).tolist():
        assert NodeState.FAULT not in sensing.step(tuple(signal), HOME, REST).state
    told, faults = [], 0
    for _ in range(10):
        felt = sensing.step(tuple(signal), HOME, REST)
        faults += NodeState.FAULT in felt.state
        told += felt.events
    assert faults == 10 - 4  # with the first of them, five are the same; then it is a fault
    assert len(told) == 1
    assert NodeState.FAULT not in sensing.step(REST, HOME, REST).state


def test_signals_that_are_only_repeated_neither_freeze_nor_tare():
    sensing = tared(frozen=5, quiet=(99.0,) * 6)
    for _ in range(20):
        assert NodeState.FAULT not in sensing.step((1.0,) * 6, HOME, REST, fresh=False).state
    sensing.retare()
    for _ in range(200):
        sensing.step((1.0,) * 6, HOME, REST, fresh=False)
    assert not sensing.ready


# ---------------------------------------------------------------- contact


def push(sensing, force, height):
    return sensing.step((0.0, 0.0, -force, 0.0, 0.0, 0.0), (0.0, 0.0, height, *HOME[3:]), REST)


def test_contact_has_hysteresis_and_keeps_the_pose_at_which_it_began():
    sensing = tared(contact=0.2, release=0.1)
    forces = (0.0, 0.15, 0.21, 5.0, 0.15, 0.11, 0.09, 0.15, 0.3)
    felt = [push(sensing, force, 0.001 * k) for k, force in enumerate(forces)]
    touching = [NodeState.CONTACT in one.state for one in felt]
    assert touching == [False, False, True, True, True, True, False, False, True]
    assert [round(1e3 * one.onset[2]) for one in felt] == [0, 1, 2, 2, 2, 2, 6, 7, 8]


def test_a_broken_reading_does_not_end_a_contact():
    sensing = tared()
    push(sensing, 5.0, 0.001)
    felt = push(sensing, math.nan, 0.002)
    assert felt.state == NodeState.CONTACT | NodeState.FAULT
    assert felt.onset[2] == 0.001
    assert push(sensing, 5.0, 0.003).onset[2] == 0.001


# ---------------------------------------------------------------- files and parameters


def test_calibrations_are_read_from_toml_and_csv(tmp_path, matrix):
    toml, sheet = tmp_path / "sensor.toml", tmp_path / "sensor.csv"
    toml.write_text(f"calibration = {matrix.tolist()}\n")
    sheet.write_text("\n".join(", ".join(map(repr, row)) for row in matrix.tolist()) + "\n\n")
    for file in (toml, sheet):
        np.testing.assert_array_equal(read_calibration(file), matrix)


EYE = "1,0,0,0,0,0\n0,1,0,0,0,0\n0,0,1,0,0,0\n0,0,0,1,0,0\n0,0,0,0,1,0\n"
FILES = {
    "singular.csv": (EYE + "1,1,1,1,1,0\n", "singular"),
    "five.csv": (EYE, r"shape \(5, 6\)"),
    "ragged.csv": (EYE + "1,2\n", "not an array of numbers"),
    "words.csv": (EYE + "a,b,c,d,e,f\n", "could not convert"),
    "nan.csv": (EYE + "0,0,0,0,0,nan\n", "not finite"),
    "empty.csv": ("", "shape"),
    "none.toml": ("matrix = 1\n", "no `calibration`"),
    "broken.toml": ("calibration = [[\n", "Cannot read"),
    "number.toml": ("calibration = 3\n", "shape"),
    "deep.toml": ("calibration = " + "[" * 5000 + "]" * 5000, "Cannot read"),
    "wide.csv": (EYE + "9" * 200_000, "field limit"),
    "endless.csv": ("\0" * (2 << 20), "more than 1048576 bytes"),
    "endless.toml": ("#" * (17 << 20), "more than 16777216 bytes"),
    "matrix.txt": (EYE, "neither .toml nor .csv"),
}


@pytest.mark.parametrize("name", FILES)
def test_bad_calibrations_are_refused(tmp_path, name):
    text, words = FILES[name]
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(tg.TegotaeError, match=words) as refused:
        read_calibration(file)
    assert str(file) in str(refused.value)
    assert "\n  " in str(refused.value), "the second line is the way out"


def test_a_calibration_that_is_not_there_is_said_to_be(tmp_path):
    with pytest.raises(tg.TegotaeError, match="Cannot read"):
        read_calibration(tmp_path / "none.csv")


BAD = {
    "singular": ({"calibration": np.ones((6, 6))}, "singular"),
    "zero row": ({"calibration": np.diag([1.0, 1.0, 1.0, 1.0, 1.0, 0.0])}, "singular"),
    "shape": ({"calibration": np.eye(5)}, r"shape \(5, 5\)"),
    "axes": ({"axes": (1.0, 1.0, 0.0, 0.0)}, "not of length 1"),
    "both": ({"origin": (0.0, 0.0, 0.0), "offset": (0.0, 0.0, 0.0)}, "both origin and offset"),
    "origin": ({"origin": (0.0, 0.0)}, "Give 3 numbers"),
    "offset": ({"offset": (0.0, 0.0, math.nan)}, "not finite"),
    "readings": ({"readings": 0}, "readings=0"),
    "quiet": ({"quiet": (0.0,) * 6}, "must be > 0"),
    "slow": ({"slow": 0.0}, "slow=0.0"),
    "overload": ({"overload": (1.0,) * 5}, "Give 6 numbers"),
    "frozen": ({"frozen": 1}, "frozen=1"),
    "contact": ({"contact": 0.0}, "contact=0.0 N"),
    "release": ({"release": 1.0}, "release=1.0 N is above contact"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_parameters_are_refused(case):
    options, message = BAD[case]
    with pytest.raises(tg.InputError, match=message) as refused:
        Sensing(**options)
    assert "\n  " in str(refused.value), "the second line is the way out"


def test_rows_of_very_different_size_are_not_singular():
    sensing = tared(calibration=np.diag([1e6, 1e6, 1e6, 1e-6, 1e-6, 1e-6]))
    assert sensing.step((1.0,) * 6, HOME, REST).wrench == (1e6, 1e6, 1e6, 1e-6, 1e-6, 1e-6)
