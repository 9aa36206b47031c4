"""Identification against known truth: what was put into a noisy record comes out, within its own intervals."""

import numpy as np
import pytest

import tegotae as tg
from records import LEAST_COVERED, SEEDS, T, covered, multisine
from tegotae.fitting import Record, fit

TICKS = 4000


def coulomb_case(seed):
    random = np.random.default_rng([1, seed])
    K, F = np.exp(random.uniform(np.log(1e3), np.log(2e4))), random.uniform(1.0, 8.0)
    B = random.choice([0.0, random.uniform(0.0, 40.0)], p=[0.2, 0.8])
    block = tg.FrictionImpedance(stiffness=K, damping=B, law=tg.Coulomb(F))
    velocity = multisine(random, random.uniform(0.05, 0.15))
    noise = random.uniform(0.01, 0.05) * F
    force = block.run(velocity, period=T).force + noise * random.standard_normal(TICKS)
    return {"stiffness": K, "damping": B, "limit": F}, velocity, force, noise


def test_intervals_of_a_coulomb_element_cover_the_truth():
    cases = [coulomb_case(seed) for seed in SEEDS]
    fits = [fit(tg.FrictionImpedance, v, f, period=T) for _, v, f, _ in cases]
    counts = covered([truth for truth, *_ in cases], fits)
    assert min(counts.values()) >= LEAST_COVERED, counts
    # The intervals are not merely wide: a limit seen through thousands of sliding ticks is known to a percent.
    for found in fits:
        low, high = found.intervals["limit"]
        assert high - low < 0.02 * found.parameters["limit"]
    # The noise is found too: its relative spread over n ticks is 1/sqrt(2 n) = 1.1 %, times four.
    for found, (_, _, _, noise) in zip(fits, cases, strict=True):
        assert found.noise == pytest.approx(noise, rel=0.045)


def test_noise_that_lingers_widens_the_intervals():
    """An AR(1) noise of correlation 0.9 tells (1 + 0.9)/(1 - 0.9) = 19 times less about slow things."""
    fits, truths = [], []
    for seed in range(20):
        random = np.random.default_rng([4, seed])
        velocity = multisine(random, 0.08)
        block = tg.FrictionImpedance(stiffness=5000.0, damping=10.0, law=tg.Coulomb(4.0))
        noise = np.zeros(TICKS)
        for k in range(1, TICKS):
            noise[k] = 0.9 * noise[k - 1] + 0.04 * random.standard_normal()
        fits.append(fit(tg.FrictionImpedance, velocity, block.run(velocity, period=T).force + noise, period=T))
        truths.append({"stiffness": 5000.0, "damping": 10.0, "limit": 4.0})
    counts = covered(truths, fits)
    assert min(counts.values()) >= LEAST_COVERED, counts
    assert all(found.correlation > 0.8 for found in fits)


@pytest.mark.parametrize(
    ("law", "truth"),
    [
        (tg.Coulomb(4.0), {"limit": 4.0}),
        (tg.Viscous(4.0, 6.0), {"limit": 4.0, "viscosity": 6.0}),
        (
            tg.Stribeck(kinetic=3.0, static=5.0, velocity=0.01, viscosity=2.0),
            {"kinetic": 3.0, "static": 5.0, "velocity": 0.01, "viscosity": 2.0},
        ),
    ],
)
def test_a_perfect_record_gives_the_exact_numbers(law, truth):
    velocity = multisine(np.random.default_rng(0), 0.08)
    block = tg.FrictionImpedance(stiffness=6000.0, damping=200.0, law=law)
    force = block.run(velocity, period=T).force
    found = fit(tg.FrictionImpedance, velocity, force, period=T, law=type(law))
    # The optimiser ends where the cost no longer falls: rounding of 1e-9 of the force.
    assert found.parameters == pytest.approx({"stiffness": 6000.0, "damping": 200.0, **truth}, rel=1e-6)
    assert found.block.law == type(law)(**{**vars(law), **{k: found.parameters[k] for k in truth}})
    assert np.abs(found.residual).max() < 1e-6
    assert covered([{"stiffness": 6000.0, "damping": 200.0, **truth}], [found]) == dict.fromkeys(found.parameters, 1)


def test_the_exponent_is_found_when_asked_for():
    velocity = multisine(np.random.default_rng(5), 0.08)
    law = tg.Stribeck(kinetic=3.0, static=5.0, velocity=0.01, exponent=1.3, viscosity=2.0)
    block = tg.FrictionImpedance(stiffness=6000.0, damping=1.5 * law.steepest_fall, law=law)
    force = block.run(velocity, period=T).force + 0.03 * np.random.default_rng(6).standard_normal(TICKS)
    found = fit(tg.FrictionImpedance, velocity, force, period=T, law=tg.Stribeck, free=["exponent"])
    low, high = found.intervals["exponent"]
    assert low < 1.3 < high < low + 0.2


def test_zero_damping_is_found_as_zero_with_an_interval_that_starts_there():
    velocity = multisine(np.random.default_rng(7), 0.08)
    block = tg.FrictionImpedance(stiffness=6000.0, law=tg.Coulomb(4.0))
    force = block.run(velocity, period=T).force + 0.1 * np.random.default_rng(8).standard_normal(TICKS)
    found = fit(tg.FrictionImpedance, velocity, force, period=T)
    low, high = found.intervals["damping"]
    assert low == 0.0
    assert 0.0 < high < 1.0  # T K = 6: far below what a tick can show


def test_two_directions_are_fitted_together():
    random = np.random.default_rng(9)
    velocity = np.stack([multisine(random, 0.06), multisine(random, 0.06)], axis=1)
    block = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0), dimension=2)
    force = block.run(velocity, period=T).force + 0.08 * random.standard_normal((TICKS, 2))
    found = fit(tg.FrictionImpedance, velocity, force, period=T)
    assert found.block.dimension == 2
    truth = {"stiffness": 6000.0, "damping": 10.0, "limit": 4.0}
    assert found.parameters == pytest.approx(truth, rel=0.1)
    assert found.residual.shape == (TICKS, 2)


def test_positions_are_as_good_as_velocities_and_what_is_known_is_kept():
    velocity = multisine(np.random.default_rng(10), 0.08)
    position = np.concatenate([[0.0], T * np.cumsum(velocity)])
    block = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
    force = block.run(position=position, period=T).force
    found = fit(tg.FrictionImpedance, position=position, force=force, period=T, known={"damping": 10.0})
    assert found.parameters == pytest.approx({"stiffness": 6000.0, "limit": 4.0}, rel=1e-6)
    assert found.block.damping == 10.0


def test_a_record_cut_out_of_a_longer_one_starts_loaded():
    random = np.random.default_rng(15)
    velocity = multisine(random, 0.08, 5000)
    block = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
    run = block.run(velocity, period=T)
    stuck = (run.slip_velocity == 0.0) & (np.abs(run.deflection) > 1.0 / 6000.0)
    start = 1000 + int(np.argmax(stuck[1000:])) + 1  # where it holds more than 1 N without sliding
    preload = 6000.0 * run.deflection[start - 1]
    force = run.force[start:] + 0.04 * random.standard_normal(5000 - start)
    found = fit(tg.FrictionImpedance, velocity[start:], force, period=T, free=["preload"])
    truth = {"stiffness": 6000.0, "damping": 10.0, "limit": 4.0, "preload": preload}
    for name, value in truth.items():
        low, high = found.intervals[name]
        # Three half-widths of 1.96 sigma: one in 1e8.
        assert abs(found.parameters[name] - value) < 1.5 * (high - low), name
    assert found.noise == pytest.approx(0.04, rel=0.045)


@pytest.mark.parametrize("law", [tg.Coulomb(4.0), tg.Viscous(4.0, 6.0)])
def test_the_bias_of_a_force_sensor_is_found_when_asked_for(law):
    random = np.random.default_rng(16)
    velocity = multisine(random, 0.08)
    block = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=law)
    force = block.run(velocity, period=T).force + 1.5 + 0.04 * random.standard_normal(TICKS)
    found = fit(tg.FrictionImpedance, velocity, force, period=T, law=type(law), free=["offset"])
    truth = {"stiffness": 6000.0, "damping": 10.0, **vars(law), "offset": 1.5}
    for name, value in truth.items():
        low, high = found.intervals[name]
        # Three half-widths of 1.96 sigma: one in 1e8.
        assert abs(found.parameters[name] - value) < 1.5 * (high - low), name
    assert found.noise == pytest.approx(0.04, rel=0.045)
    assert np.std(found.residual) == pytest.approx(found.noise, rel=0.01)
    assert np.abs(found.result.force).max() < 5.0, "the block itself has no bias"
    assert found.doubts == []


def test_a_law_that_does_not_fit_is_doubted():
    velocity = multisine(np.random.default_rng(17), 0.08)
    block = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Viscous(4.0, 30.0))
    force = block.run(velocity, period=T).force + 0.02 * np.random.default_rng(18).standard_normal(TICKS)
    found = fit(tg.FrictionImpedance, velocity, force, period=T, law=tg.Coulomb, known={"damping": 10.0})
    assert found.correlation > 0.9
    assert "Try another" in found.doubts[0]
    assert found.doubts[0] in str(found)
    assert fit(tg.FrictionImpedance, velocity, force, period=T, law=tg.Viscous).doubts == []


def test_a_composite_without_damping_can_be_told_so():
    velocity = multisine(np.random.default_rng(11), 0.06, 2500)
    block = tg.ParallelFriction(stiffness=[8000.0, 3000.0], limits=[2.0, 3.0])
    force = block.run(velocity, period=T).force + 0.02 * np.random.default_rng(12).standard_normal(2500)
    found = fit(tg.ParallelFriction, Record(velocity, force, T), elements=2, known={"damping": 0.0})
    assert found.block.limits == pytest.approx((2.0, 3.0), rel=0.02)
    assert found.block.stiffness == pytest.approx((8000.0, 3000.0), rel=0.02)


def test_a_long_record_in_other_units_of_size_is_fitted_as_well():
    """A stiff joint in N·m and rad, 20 000 ticks of 0.1 ms: nothing in the search knows the usual sizes."""
    random = np.random.default_rng(13)
    time = 1e-4 * np.arange(20_000)
    velocity = 2e-4 * (np.sin(40.0 * time) + np.sin(61.0 * time + 1.0))
    block = tg.FrictionImpedance(stiffness=3e7, damping=2e4, law=tg.Coulomb(40.0))
    force = block.run(velocity, period=1e-4).force + 0.8 * random.standard_normal(time.size)
    found = fit(tg.FrictionImpedance, velocity, force, period=1e-4)
    assert found.parameters == pytest.approx({"stiffness": 3e7, "damping": 2e4, "limit": 40.0}, rel=0.05)


def test_progress_is_told_in_order():
    velocity = multisine(np.random.default_rng(14), 0.08, 1500)
    block = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
    told = []
    fit(
        tg.FrictionImpedance,
        velocity,
        block.run(velocity, period=T).force,
        period=T,
        progress=lambda stage, done: told.append((stage, done)),
    )
    assert told[-1] == ("done", 1.0)
    assert [done for _, done in told] == sorted(done for _, done in told)
