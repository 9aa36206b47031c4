"""A sliding mass identified from the force that drives it and the velocity it takes."""

import numpy as np
import pytest

import tegotae as tg
from records import LEAST_COVERED, SEEDS, T, covered, multisine
from tegotae.fitting import fit

TICKS = 3000


def case(seed, viscosity):
    random = np.random.default_rng([5, seed])
    mass, limit = np.exp(random.uniform(np.log(0.2), np.log(5.0))), random.uniform(1.0, 8.0)
    truth = {"mass": mass, "limit": limit}
    law = tg.Coulomb(limit)
    if viscosity:
        truth["viscosity"] = random.uniform(1.0, 20.0)
        law = tg.Viscous(limit, truth["viscosity"])
    push = multisine(random, limit * random.uniform(1.8, 3.0), TICKS)
    velocity = tg.FrictionAdmittance(mass=mass, law=law).run(push, period=T).velocity
    noise = random.uniform(0.005, 0.02) * np.abs(velocity).max()
    return truth, velocity + noise * random.standard_normal(TICKS), push


@pytest.mark.parametrize("law", [tg.Coulomb, tg.Viscous])
def test_intervals_cover_the_truth(law):
    cases = [case(seed, law is tg.Viscous) for seed in SEEDS]
    fits = [fit(tg.FrictionAdmittance, v, h, period=T, law=law) for _, v, h in cases]
    counts = covered([truth for truth, *_ in cases], fits)
    assert min(counts.values()) >= LEAST_COVERED, counts


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
