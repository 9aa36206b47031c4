"""A sliding mass identified from the force that drives it and the velocity it takes."""

import numpy as np
import pytest

import tegotae as tg
from records import LEAST_COVERED, SEEDS, T, covered, multisine
from tegotae.fitting import fit

TICKS = 3000


def viscous_case(seed):
    random = np.random.default_rng([5, seed])
    mass, limit = np.exp(random.uniform(np.log(0.2), np.log(5.0))), random.uniform(1.0, 8.0)
    truth = {"mass": mass, "limit": limit, "viscosity": random.uniform(1.0, 20.0)}
    law = tg.Viscous(limit, truth["viscosity"])
    push = multisine(random, limit * random.uniform(1.8, 3.0), TICKS)
    velocity = tg.FrictionAdmittance(mass=mass, law=law).run(push, period=T).velocity
    noise = random.uniform(0.005, 0.02) * np.abs(velocity).max()
    return truth, velocity + noise * random.standard_normal(TICKS), push


def sine_case(seed, truth, hertz, height, share):
    """A sine turns the mass around again and again: each turn falls into some tick, and bends the cost there."""
    push = height * truth["limit"] * np.sin(2.0 * np.pi * hertz * T * np.arange(4000))
    velocity = tg.FrictionAdmittance(mass=truth["mass"], law=tg.Coulomb(truth["limit"])).run(push, period=T).velocity
    noise = share * np.abs(velocity).max() * np.random.default_rng(seed).standard_normal(4000)
    return truth, velocity + noise, push


def random_sine_case(seed):
    random = np.random.default_rng([6, seed])
    truth = {"mass": np.exp(random.uniform(np.log(0.2), np.log(5.0))), "limit": random.uniform(1.0, 8.0)}
    return sine_case(seed, truth, random.uniform(0.5, 3.0), random.uniform(1.5, 3.5), random.uniform(0.005, 0.03))


MADE = {
    "one sine": lambda seed: sine_case(seed, {"mass": 1.0, "limit": 4.0}, 1.3, 2.5, 0.02),
    "random sines": random_sine_case,
    "viscous": viscous_case,
}


@pytest.mark.parametrize("made", [pytest.param(m, marks=pytest.mark.slow if m != "random sines" else ()) for m in MADE])
def test_intervals_cover_the_truth_and_no_other_numbers_fit_better(made):
    cases = [MADE[made](seed) for seed in SEEDS]
    law = tg.Viscous if made == "viscous" else tg.Coulomb
    fits = [fit(tg.FrictionAdmittance, v, h, period=T, law=law) for _, v, h in cases]
    counts = covered([truth for truth, *_ in cases], fits)
    assert min(counts.values()) >= LEAST_COVERED, counts
    for (truth, velocity, push), found in zip(cases, fits, strict=True):
        friction = law(*(truth[name] for name in ("limit", "viscosity") if name in truth))
        answer = tg.FrictionAdmittance(mass=truth["mass"], law=friction).run(push, period=T).velocity
        # The numbers that made the record are one candidate; an optimum costs no more than they do.
        assert np.sum(found.residual**2) <= np.sum((velocity - answer) ** 2)
        # And the intervals are not merely wide.
        low, high = found.intervals["limit"]
        assert high - low < 0.05 * found.parameters["limit"]


def test_the_same_record_gives_the_same_intervals():
    _, velocity, push = random_sine_case(3)
    one, other = (fit(tg.FrictionAdmittance, velocity, push, period=T) for _ in range(2))
    assert one.intervals == other.intervals


def test_a_perfect_stribeck_record_gives_the_exact_numbers():
    law = tg.Stribeck(kinetic=3.0, static=5.0, velocity=0.05, viscosity=2.0)
    slider = tg.FrictionAdmittance(mass=1.5, law=law)
    push = multisine(np.random.default_rng(1), 9.0)
    found = fit(tg.FrictionAdmittance, slider.run(push, period=T).velocity, push, period=T, law=tg.Stribeck)
    truth = {"mass": 1.5, "kinetic": 3.0, "static": 5.0, "velocity": 0.05, "viscosity": 2.0}
    assert found.parameters == pytest.approx(truth, rel=1e-5)
    assert found.response == "velocity"


def test_records_that_show_no_friction():
    push = multisine(np.random.default_rng(2), 3.0)
    held = tg.FrictionAdmittance(mass=1.0, law=tg.Coulomb(4.0)).run(push, period=T).velocity
    with pytest.raises(tg.InputError, match=r"never exceeds the friction.*\n.*larger forces"):
        fit(tg.FrictionAdmittance, held, push, period=T)
    free = tg.Mass(mass=1.0).run(push, period=T).velocity + 0.01 * np.random.default_rng(3).standard_normal(push.size)
    with pytest.raises(tg.InputError, match=r"does not show limit.*without dry friction"):
        fit(tg.FrictionAdmittance, free, push, period=T)
    with pytest.raises(tg.InputError, match="-force"):
        fit(tg.FrictionAdmittance, free, -push, period=T)
