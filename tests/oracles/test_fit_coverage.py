"""Over 20 random noisy records, 95 % intervals hold the truth at least 17 times, for each parameter."""

import numpy as np
import pytest

import tegotae as tg
from records import LEAST_COVERED, SEEDS, T, covered, multisine
from tegotae.fitting import fit


def stribeck_case(seed):
    random = np.random.default_rng([2, seed])
    K, Fc = np.exp(random.uniform(np.log(2e3), np.log(2e4))), random.uniform(1.0, 8.0)
    law = tg.Stribeck(
        kinetic=Fc,
        static=Fc * random.uniform(1.2, 1.8),
        velocity=random.uniform(0.003, 0.02),
        viscosity=random.uniform(1.0, 20.0),
    )
    B = max(random.uniform(0.0, 40.0), 1.2 * law.steepest_fall - T * K)
    block = tg.FrictionImpedance(stiffness=K, damping=B, law=law)
    velocity = multisine(random, random.uniform(0.06, 0.15), 3000)
    force = block.run(velocity, period=T).force
    force = force + random.uniform(0.01, 0.03) * Fc * random.standard_normal(velocity.size)
    truth = {
        "stiffness": K,
        "damping": B,
        "kinetic": law.kinetic,
        "static": law.static,
        "velocity": law.velocity,
        "viscosity": law.viscosity,
    }
    return truth, velocity, force


@pytest.mark.slow
def test_intervals_of_a_stribeck_element_cover_the_truth():
    cases = [stribeck_case(seed) for seed in SEEDS]
    fits = [fit(tg.FrictionImpedance, v, f, period=T, law=tg.Stribeck) for _, v, f in cases]
    counts = covered([truth for truth, *_ in cases], fits)
    assert min(counts.values()) >= LEAST_COVERED, counts


def composite_case(seed):
    random = np.random.default_rng([3, seed])
    reaches = 1e-4 * np.cumprod(random.uniform(2.0, 4.0, 3))
    limits = random.uniform(1.0, 4.0, 3)
    stiffness = limits / reaches
    damping = random.uniform(0.0, 2e-3, 3) * stiffness
    block = tg.ParallelFriction(stiffness=stiffness, damping=damping, limits=limits)
    velocity = multisine(random, 1.0, 3000)
    velocity *= 4.0 * reaches[-1] / np.ptp(T * np.cumsum(velocity))  # travels twice across the last one's loop
    force = block.run(velocity, period=T).force
    force = force + random.uniform(0.005, 0.02) * limits.sum() * random.standard_normal(velocity.size)
    columns = {"stiffness": stiffness, "damping": damping, "limits": limits}
    return {f"{name}[{i}]": c[i] for name, c in columns.items() for i in range(3)}, velocity, force


@pytest.mark.slow  # fits many records
def test_intervals_of_a_composite_cover_the_truth():
    cases = [composite_case(seed) for seed in SEEDS]
    fits = [fit(tg.ParallelFriction, v, f, period=T, elements=3) for _, v, f in cases]
    counts = covered([truth for truth, *_ in cases], fits)
    assert min(counts.values()) >= LEAST_COVERED, counts
