"""Elasticity and viscosity of a rod from a noisy record of its motion: the truth lies in the intervals."""

import numpy as np
import pytest

import tegotae as tg
from tegotae.fitting import RodRecord
from tegotae.rod import Phase, PlanarRod

TRUE = PlanarRod(length=1.0, nodes=5, density=0.1, elasticity=0.4, viscosity=0.02)
# What is known of it; its elasticity and viscosity are anything.
BLANK = PlanarRod(length=1.0, nodes=5, density=0.1, elasticity=50.0, viscosity=50.0)
PHASES = [Phase(until=0.2, torque=0.3, base="pinned"), Phase(until=1.0, base="pinned")]
TIMES = np.linspace(0.02, 1.0, 50)


@pytest.fixture(scope="module")
def motion():
    return TRUE.run(PHASES, times=TIMES, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_noisy_record_of_all_angles_gives_both_within_their_intervals(motion, seed):
    noise = 0.01 * np.random.default_rng(seed).standard_normal(motion.angle.shape)
    found = tg.fit(BLANK, RodRecord(phases=PHASES, times=TIMES, angle=motion.angle + noise), progress=False)
    for name, true in (("elasticity", 0.4), ("viscosity", 0.02)):
        low, high = found.intervals[name]
        assert low < true < high
        assert high / low < 1.2
    assert found.noise == pytest.approx(0.01, rel=0.15)
    assert "elasticity" in repr(found)


def test_the_tip_alone_seen_by_a_camera_suffices(motion):
    """Eight records, sixteen intervals of 95 %: fewer than twelve that hold the truth has a chance of 1 in 1000."""
    held = 0
    for seed in range(8):
        tip = motion.position[:, -1:] + 1e-3 * np.random.default_rng(seed).standard_normal((50, 1, 2))
        found = tg.fit(BLANK, RodRecord(phases=PHASES, times=TIMES, position=tip, nodes=[-1]), progress=False)
        for name, true in (("elasticity", 0.4), ("viscosity", 0.02)):
            low, high = found.intervals[name]
            held += low < true < high
            assert high / low < 1.3
        assert found.block.elasticity == found.parameters["elasticity"]
    assert held >= 12


def test_what_is_known_is_not_sought(motion):
    record = RodRecord(phases=PHASES, times=TIMES, angle=motion.angle)
    found = tg.fit(BLANK, record, known={"viscosity": 0.02}, progress=False)
    assert list(found.parameters) == ["elasticity"]
    assert found.parameters["elasticity"] == pytest.approx(0.4, rel=1e-5)


def test_a_rod_that_only_falls_shows_no_elasticity():
    falling = PlanarRod(length=1.0, nodes=5, density=0.1, elasticity=0.4, viscosity=0.02, gravity=(0.0, -9.81))
    phases = [Phase(until=1.0)]
    run = falling.run(phases, times=TIMES)
    seen = run.position + 1e-3 * np.random.default_rng(5).standard_normal(run.position.shape)
    with pytest.raises(tg.InputError, match="does not show elasticity"):
        tg.fit(falling, RodRecord(phases=phases, times=TIMES, position=seen), progress=False)


def test_bad_records_are_refused(motion):
    for wrong, told in (
        ({}, "neither"),
        ({"angle": motion.angle, "position": motion.position}, "both"),
        ({"angle": motion.angle[:3]}, "shape"),
        ({"position": motion.angle}, "shape"),
        ({"angle": np.full((50, 5), np.nan)}, "finite"),
    ):
        with pytest.raises(tg.InputError, match=told):
            RodRecord(phases=PHASES, times=TIMES, **wrong)
    record = RodRecord(phases=PHASES, times=TIMES, angle=motion.angle[:, :2])
    with pytest.raises(tg.InputError, match="columns for 5 nodes"):
        tg.fit(BLANK, record, progress=False)
    whole = RodRecord(phases=PHASES, times=TIMES, angle=motion.angle)
    with pytest.raises(tg.InputError, match="known has"):
        tg.fit(BLANK, whole, known={"mass": 1.0}, progress=False)
    with pytest.raises(tg.InputError, match="RodRecord"):
        tg.fit(BLANK, motion.angle, motion.angle, period=1e-3)
