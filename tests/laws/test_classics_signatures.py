"""What the classics are known for: who holds a load, who creeps, who drifts, who chatters."""

import numpy as np
import pytest

import tegotae as tg
from tegotae.friction.classics import (
    Dahl,
    Elastoplastic,
    ExplicitlyCoupledFriction,
    GeneralisedMaxwellSlip,
    HaywardArmstrong,
    Karnopp,
    LuGre,
    Tanh,
)

T, MASS, LIMIT = 1e-3, 1.0, 5.0
SECOND = int(1 / T)
TIME = T * np.arange(1, 10 * SECOND + 1)
STEADY = np.full(TIME.size, 0.5 * LIMIT)
# It never exceeds 0.75 of the limit.
VIBRATING = STEADY * (1.0 + 0.5 * np.sin(2 * np.pi * 10.0 * TIME))
LAW = tg.Coulomb(LIMIT)


def creep(friction, load, mass=MASS):
    """Distance [m] a mass under the load drifts from 2 s on, both ends at the same phase of the vibration."""
    position = tg.Circuit(tg.Mass(mass=mass), {"friction": friction}).run(load, period=T).position
    return position[-1] - position[2 * SECOND - 1]


def test_tanh_creeps_under_a_constant_load():
    # It moves at the speed at which its friction is the load: vs atanh(h/F).
    assert creep(Tanh(limit=LIMIT, velocity=1e-3), STEADY) == pytest.approx(8.0 * 1e-3 * np.arctanh(0.5), rel=1e-6)


@pytest.mark.parametrize(
    "friction",
    [
        Dahl(stiffness=1e5, limit=LIMIT),
        LuGre(stiffness=1e5, damping=300.0, law=LAW),
    ],
    ids=lambda b: type(b).__name__,
)
def test_dahl_and_lugre_hold_a_constant_load_but_drift_under_vibration(friction):
    assert abs(creep(friction, STEADY)) < 1e-12
    drift = creep(friction, VIBRATING)
    assert drift > 1e-4
    # Each cycle adds as much as the one before: a drift, not a settling.
    half = creep(friction, VIBRATING[: 6 * SECOND])
    assert drift == pytest.approx(2.0 * half, rel=1e-3)


def test_dahl_drifts_by_the_area_its_loop_leaves_open():
    # With little inertia the deflection follows the load, and the mass follows dx = -de/(1 + sgn(v) K e/F): from a
    # to b and back it moves F/K (log((F - a)/(F - b)) - log((F + b)/(F + a))), once a cycle. The inertia that is
    # left adds a few 1e-5 of the load at the peaks.
    K, a, b = 1e5, 0.25 * LIMIT, 0.75 * LIMIT
    per_cycle = LIMIT / K * (np.log((LIMIT - a) / (LIMIT - b)) - np.log((LIMIT + b) / (LIMIT + a)))
    load = STEADY * (1.0 + 0.5 * np.sin(2 * np.pi * 1.0 * TIME))
    assert creep(Dahl(stiffness=K, limit=LIMIT), load, mass=0.01) == pytest.approx(8 * per_cycle, rel=1e-4)


@pytest.mark.parametrize(
    "friction",
    [
        Elastoplastic(stiffness=1e5, damping=0.0, law=LAW, breakaway=0.8 * LIMIT, viscosity=300.0),
        HaywardArmstrong(stiffness=1e5, limit=LIMIT),
        GeneralisedMaxwellSlip(stiffness=1e5, fractions=[1.0], law=LAW, attraction=100.0, viscosity=300.0),
    ],
    ids=lambda b: type(b).__name__,
)
def test_elastic_sticking_does_not_drift(friction):
    ramp = np.minimum(1.0, TIME / 1.0)  # a load put on at once would overshoot the limit
    assert abs(creep(friction, STEADY * ramp)) < 1e-15
    assert abs(creep(friction, VIBRATING * ramp)) < 1e-15


def test_elastoplastic_drifts_above_breakaway():
    friction = Elastoplastic(stiffness=1e5, damping=300.0, law=LAW, breakaway=0.6 * LIMIT)
    assert creep(friction, VIBRATING) > 1e-5


def test_elastoplastic_bristle_damping_can_make_a_coupled_step_ambiguous():
    # Its damping fades from all to nothing between breakaway and the limit: the force falls as the motion crosses
    # that stretch faster, and a light mass could then move in two ways. The circuit refuses, with the way out.
    friction = Elastoplastic(stiffness=1e5, damping=300.0, law=LAW, breakaway=0.8 * LIMIT)
    with pytest.raises(tg.UniquenessError, match=r"Add 1\.32 kg"):
        creep(friction, STEADY)


def test_maxwell_slip_hysteresis_is_the_parallel_elements():
    # With Coulomb friction a slipping element is at its limit already: the classic Maxwell slip model.
    shares = np.array([0.1, 0.2, 0.3, 0.4])
    model = GeneralisedMaxwellSlip(stiffness=1e4, fractions=shares, law=tg.Coulomb(10.0), attraction=50.0)
    velocity = np.diff(2e-3 * np.sin(TIME[:3000]) * np.cos(7.0 * TIME[:3000]), prepend=0.0) / T
    elements = [tg.FrictionImpedance(stiffness=1e4, law=tg.Coulomb(10.0 * a)) for a in shares]
    together = sum(e.run(velocity, period=T).force for e in elements)
    assert model.run(velocity, period=T).force == pytest.approx(together, abs=1e-11)


def test_maxwell_slip_lags_behind_a_falling_law():
    # At the same speed the force is higher while it speeds up than while it slows down.
    law = tg.Stribeck(kinetic=3.0, static=5.0, velocity=0.01)
    model = GeneralisedMaxwellSlip(stiffness=1e5, fractions=[0.5, 0.5], law=law, attraction=20.0)
    t = TIME[:4000]
    velocity = 0.02 - 0.015 * np.cos(2 * np.pi * t)
    force = -model.run(velocity, period=T).force
    up, down = force[3 * SECOND + 250 - 1], force[3 * SECOND + 750 - 1]
    assert velocity[3 * SECOND + 250 - 1] == pytest.approx(velocity[3 * SECOND + 750 - 1])
    assert up > down + 0.1


def test_karnopp_holds_inside_its_band():
    slider = Karnopp(mass=MASS, limit=4.0, static=LIMIT, dead_zone=0.01)
    for load in (STEADY, VIBRATING, np.full(TIME.size, LIMIT)):
        assert (slider.run(load, period=T).position == 0.0).all()
    assert slider.run(np.full(SECOND, 1.01 * LIMIT), period=T).position[-1] > 0.0


def test_karnopp_on_a_spring_stops_where_its_static_friction_holds():
    slider = Karnopp(mass=MASS, limit=1.0, static=1.5, dead_zone=0.01)
    machine = tg.Circuit(slider, {"spring": tg.SpringDamper(stiffness=100.0)})
    run = machine.run(ticks=5 * SECOND, period=T, initial={"position": 0.1, "spring.stretch": 0.1})
    assert run.velocity[-1] == 0.0
    assert 0.0 < abs(run["spring.force"][-1]) <= 1.5
    assert run.friction[-1] == -run["spring.force"][-1]


def test_karnopp_hops_across_a_narrow_band():
    wide = Karnopp(mass=MASS, limit=4.0, static=5.0, dead_zone=0.0021)
    narrow = Karnopp(mass=MASS, limit=4.0, static=5.0, dead_zone=0.0009)
    assert narrow.dead_zone < narrow.least_dead_zone(T) < wide.dead_zone
    # Steps of T F/M = 4e-3 m/s from 0.9985 m/s meet -1.5e-3 and 2.5e-3 m/s: both inside 2.1e-3 or past 0.9e-3.
    start = {"velocity": 0.9985}
    assert wide.run(np.zeros(2000), period=T, initial=start).velocity[-1] == 0.0
    assert (narrow.run(np.zeros(2000), period=T, initial=start).velocity[-100:] != 0.0).all()


def explicit(share, damping=10.0, stiffness=6000.0):
    critical = ExplicitlyCoupledFriction(stiffness=stiffness, damping=damping, law=tg.Coulomb(4.0), mass=1.0)
    mass = share * critical.critical_mass(T)
    return ExplicitlyCoupledFriction(stiffness=stiffness, damping=damping, law=tg.Coulomb(4.0), mass=mass)


@pytest.mark.parametrize(("stiffness", "damping"), [(6000.0, 10.0), (6000.0, 0.5), (100.0, 10.0), (2e4, 3.0)])
def test_critical_mass_is_where_the_sliding_map_leaves_the_unit_circle(stiffness, damping):
    for share, stable in ((1.001, True), (0.999, False)):
        M = explicit(share, damping, stiffness).mass
        a, b = T * T * stiffness / M, T * damping / M
        step = np.array([[1.0 - a, T * (1.0 - b)], [-a / T, 1.0 - b]])  # (e, w), friction constant
        assert (np.abs(np.linalg.eigvals(step)).max() < 1.0) == stable


def test_explicit_coupling_settles_above_its_critical_mass_and_diverges_below():
    dragged = np.full(4000, 0.1)
    start = {"slip_velocity": 50.0}  # far from rest, where the friction is too small to catch it
    calm = explicit(1.02).run(dragged, period=T, initial=start)
    assert calm.force[-500:] == pytest.approx(-4.0, abs=1e-6)
    assert calm.slip_velocity[-500:] == pytest.approx(0.1, abs=1e-6)
    wild = explicit(0.98).run(dragged, period=T, initial=start)
    assert not abs(wild.force[-1]) < 1e6


def test_explicit_coupling_chatters_below_its_critical_mass():
    dragged = np.full(4000, 0.1)
    chatter = [np.ptp(explicit(share).run(dragged, period=T).force[-500:]) for share in (1.05, 0.77)]
    assert chatter[0] < 1e-9
    assert chatter[1] > 1.0


def test_explicit_coupling_at_rest_stays_at_rest_at_any_mass():
    run = explicit(0.01).run(np.r_[np.full(10, 0.05), np.zeros(5000)], period=T)
    assert (run.slip_velocity == 0.0).all()
    assert run.force[-1] == pytest.approx(-6000.0 * 5e-4, rel=1e-12)
