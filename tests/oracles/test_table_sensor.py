"""The force sensor: each of its parts against its closed form."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tegotae import InputError
from tegotae.table import ForceSensor

T = 2e-3
PUSH = np.array([1.0, -2.0, 3.0, 0.1, -0.2, 0.3])


def test_an_ideal_sensor_reads_what_acts():
    mixed = np.diag([1e5] * 3 + [1e4] * 3) + 500.0 * np.random.default_rng(0).normal(size=(6, 6))
    record = np.random.default_rng(1).normal(size=(50, 6))
    assert_allclose(ForceSensor(calibration=mixed).read(record, period=T).wrench, record, rtol=0, atol=1e-12)


def test_a_calibration_in_error_reads_its_product():
    used, true = np.diag([1e5] * 3 + [1e4] * 3), 1e-5 * (np.eye(6) + 0.05)
    read = ForceSensor(calibration=used, sensitivity=true).read([PUSH], period=T).wrench[0]
    assert_allclose(read, used @ true @ PUSH, rtol=1e-13)


def test_delay_is_whole_samples_and_begins_with_the_load_at_rest():
    weight = (0.0, 0.0, -2.825, 0.0, 0.0, 0.0)
    read = ForceSensor(delay=3, load=weight).read([PUSH] * 5, period=T).wrench
    assert_allclose(read[:3], np.tile(weight, (3, 1)), atol=1e-12)
    assert_allclose(read[3:], np.tile(PUSH + weight, (2, 1)), atol=1e-12)


def test_tare_takes_the_weight_away():
    sensor = ForceSensor(load=(0.0, 0.0, -2.825, 0.01, 0.0, 0.0), delay=2, cutoff=50.0).tared()
    assert_allclose(sensor.read(np.zeros((5, 6)), period=T).wrench, 0.0, atol=1e-12)
    assert_allclose(sensor.read([PUSH] * 400, period=T).wrench[-1], PUSH, atol=1e-12)


def test_the_filter_rises_as_a_low_pass_does():
    read = ForceSensor(cutoff=20.0).read([PUSH] * 50, period=T).wrench
    rise = 1.0 - np.exp(-2.0 * math.pi * 20.0 * T * np.arange(1, 51))
    assert_allclose(read, rise[:, None] * PUSH, rtol=1e-12)


def test_noise_has_the_spread_that_filter_and_calibration_leave_and_is_normal():
    n = 100_000
    plain = ForceSensor(noise=1e-5, seed=3).read(np.zeros((n, 6)), period=T).wrench / np.array([1.0] * 3 + [0.1] * 3)
    # the standard deviation of n samples scatters by 1/sqrt(2n) = 0.22 %, the mean by 0.32 %
    assert_allclose(plain.std(axis=0), 1.0, rtol=0.01)
    assert_allclose(plain.mean(axis=0), 0.0, atol=0.015)
    assert_allclose((plain**4).mean(axis=0), 3.0, rtol=0.05)
    assert np.abs(np.corrcoef(plain.T) - np.eye(6)).max() < 0.02
    assert abs(float((plain[1:, 0] * plain[:-1, 0]).mean())) < 0.02
    share = 1.0 - math.exp(-2.0 * math.pi * 30.0 * T)
    calm = ForceSensor(noise=1e-5, seed=3, cutoff=30.0).read(np.zeros((n, 6)), period=T).wrench
    assert_allclose(calm[:, 0].std(), math.sqrt(share / (2.0 - share)), rtol=0.02)


def test_the_same_seed_makes_the_same_noise_and_another_does_not():
    runs = [ForceSensor(noise=1e-5, seed=s).read(np.zeros((9, 6)), period=T).wrench for s in (5, 5, 6)]
    assert np.array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])


def test_overload_is_cut_off_and_counted():
    found = ForceSensor(limit=(10.0, 10.0, 10.0, 1.0, 1.0, 1.0)).read(
        [[20.0, 0.0, 0.0, -3.0, 0.0, 0.0], np.zeros(6)], period=T
    )
    assert_allclose(found.wrench[0], [10.0, 0.0, 0.0, -1.0, 0.0, 0.0], atol=1e-12)
    assert found.overload.tolist() == [2, 0]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"calibration": np.zeros((6, 6))}, "calibration is singular"),
        ({"calibration": np.eye(5)}, "calibration has shape"),
        ({"calibration": np.full((6, 6), np.nan)}, "not finite"),
        ({"sensitivity": np.eye(3)}, "sensitivity has shape"),
        ({"tare": (1.0, 2.0)}, "tare has shape"),
        ({"load": math.inf}, "load"),
        ({"noise": -1.0}, "noise"),
        ({"cutoff": 0.0}, "cutoff"),
        ({"cutoff": math.nan}, "cutoff"),
        ({"delay": -1}, "delay"),
        ({"delay": 1.5}, "delay"),
        ({"limit": 0.0}, "limit"),
        ({"seed": -1}, "seed"),
    ],
)
def test_sensors_that_mean_nothing_are_refused(arguments, says):
    with pytest.raises(InputError, match=says):
        ForceSensor(**arguments)


@pytest.mark.parametrize("record", [np.zeros((3, 5)), np.zeros((0, 6)), [[math.nan] * 6]])
def test_records_that_mean_nothing_are_refused(record):
    with pytest.raises(InputError, match="wrenches"):
        ForceSensor().read(record, period=T)
