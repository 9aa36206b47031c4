"""Random coupled machines: the explicit ODE at large K and the stepper at short periods both approach the exact route.

The three share the reading of the equations and nothing else: the ODE is the paper's rewriting integrated by Radau,
the stepper solves a complementarity problem a tick, the exact route follows modes from event to event.
"""

from functools import cache

import numpy as np
import pytest

from random_inclusions import machine
from tegotae.inclusion import Contact, Friction

TIMES = np.linspace(0.1, 1.0, 10)
# Three structures of 2 to 3 bodies, 2 contacts and 2 to 3 frictions; three sets of numbers each.
CASES = [(structure, numbers) for structure in (11, 6, 1) for numbers in range(3)]
DROPS = [(1, numbers) for numbers in range(3)]


def states(run, model):
    return np.array([run[state.name] for state in model.states])


@cache
def exact(structure, numbers, drop=0.0):
    """The machine, where it starts, and its states by the exact route; `drop` lifts body 1 off the body below [m]."""
    model, start = machine(structure, numbers)
    if drop:
        start = start | {"y1": drop}
    run = model.to_events().solve((0.0, 1.0), start, times=TIMES)
    return model, start, run


def by_ode(model, start, K, *, beta=1e-3, alpha=1e-4):
    ode = model.to_ode(
        contact=Contact(stiffness=K, damping=K * beta, alpha=alpha), friction=Friction(stiffness=K, damping=K * beta)
    )
    return states(ode.solve((0.0, 1.0), start, method="Radau", rtol=1e-8, atol=1e-10, times=TIMES), model)


def by_stepper(model, start, T, method):
    # Contacts and frictions give way by F/K, below 1 um: what is left is the error of the period.
    hard = {"contact": Contact(stiffness=1e8, damping=1e5), "friction": Friction(stiffness=1e8, damping=1e5)}
    stepper = model.to_stepper(period=T, method=method, **hard)
    run = stepper.run(ticks=round(1.0 / T), initial=start, every=round(0.1 / T))
    assert run.about["unsolved_steps"] == 0
    assert run.time == pytest.approx(TIMES, abs=1e-12)
    return states(run, model)


def off(found, run, model):
    return float(np.abs(found - states(run, model)).max())


def test_the_structures_differ_and_the_machines_do_something():
    models = {structure: machine(structure, 0)[0] for structure, _ in CASES}
    seen = {tuple(element.name for element in model.elements) for model in models.values()}
    assert len(seen) == 3
    for model in models.values():
        assert any(set(f.limit.free_symbols) & {c.force for c in model.contacts} for f in model.frictions)
    kinds = [event.kind for case in CASES for event in exact(*case)[2].events]
    assert kinds.count("stick") >= 9
    assert kinds.count("slip") >= 9


@pytest.mark.parametrize(("structure", "numbers"), CASES)
def test_the_ode_approaches_the_exact_route_as_K_grows(structure, numbers):
    model, start, run = exact(structure, numbers)
    assert np.abs(states(run, model)).max() > 0.1
    soft, hard = (off(by_ode(model, start, K), run, model) for K in (1e6, 1e8))
    # Forces of up to 50 N give way by .5 um, and slips begin later by the time that takes: some 1e-5 s.
    assert hard < 3e-4
    assert hard < 0.2 * soft


@pytest.mark.parametrize(("structure", "numbers"), CASES)
def test_the_stepper_approaches_the_exact_route_as_its_period(structure, numbers):
    model, start, run = exact(structure, numbers)
    long, short = (off(by_stepper(model, start, T, "euler"), run, model) for T in (4e-4, 1e-4))
    assert short < 2e-3  # about T times the largest acceleration
    assert 0.2 < short / long < 0.32  # order 1: a quarter
    better = [off(by_stepper(model, start, T, "midpoint"), run, model) for T in (4e-4, 1e-4)]
    # What is left are ticks in which something begins to stick or to slip, and springs that give way.
    assert better[0] < 0.1 * long
    assert better[1] < 0.1 * short


@pytest.mark.parametrize(("structure", "numbers"), DROPS)
def test_all_three_agree_after_an_impact_without_restitution(structure, numbers):
    """Body 1 falls 20 mm upon the one below; a nearly overdamped contact hardly gives any of the speed back."""
    model, start, run = exact(structure, numbers, 0.02)
    assert [event.element for event in run.events if event.kind == "touch"] == ["stack1"]
    assert off(by_ode(model, start, 1e8, alpha=1e-6), run, model) < 5e-4
    long, short = (off(by_stepper(model, start, T, "euler"), run, model) for T in (4e-4, 1e-4))
    assert short < 1e-3
    assert short < 0.5 * long
    better = [off(by_stepper(model, start, T, "midpoint"), run, model) for T in (4e-4, 1e-4)]
    assert better[0] < 0.5 * long
    assert better[1] < 0.5 * short


@pytest.mark.parametrize(("structure", "numbers"), DROPS)
def test_the_ode_agrees_on_bounces_off_what_rests_on_springs(structure, numbers):
    """Body 1 bounces on the one below, which the floor carries: all rigid at that instant, whatever the stiffness."""
    model, start = machine(structure, numbers)
    start, times = start | {"y1": 0.02}, np.linspace(0.0, 0.3, 31)
    run = model.to_events(restitution=0.8).solve((0.0, 0.3), start, times=times)
    errors = []
    for K in (1e6, 1e8):
        contact = Contact(stiffness=K, damping=1e-4 * K * (1e6 / K) ** 0.5, alpha=1e-5 * (1e6 / K) ** 0.5)
        ode = model.to_ode(contact=contact, friction=Friction(stiffness=K, damping=1e-4 * K), restitution=0.8)
        got = ode.solve((0.0, 0.3), start, rtol=1e-9, times=times, events=True)
        touched = [[event.time for event in each.events if event.element == "stack1"] for each in (got, run)]
        np.testing.assert_allclose(*touched, atol=1e-3)
        errors.append(off(states(got, model), run, model))
    assert len(touched[0]) == 6
    assert errors[1] < 2e-4  # before and after, springs give way and friction sticks later, the less the stiffer
    assert errors[1] < 0.1 * errors[0]
