"""The rod against a Lagrangian of energies alone, differentiated by complex steps, with every integral a Gauss sum."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tegotae.papers.hirai2020 import phases
from tegotae.papers.hirai2020.motion import plain_run
from tegotae.papers.hirai2020.oracles import Lagrangian
from tegotae.rod import Load, Payload, PlanarRod
from tegotae.rod.integrals import by_quadrature, closed_form

HELD = {"free": 0, "pinned": 2, "fixed": 3}
PAPER = {"length": 10.0, "nodes": 5, "density": 0.1, "elasticity": 1.0, "viscosity": 2.0}


def floats(low, high):
    return st.floats(low, high, allow_subnormal=False)


@settings(max_examples=40, deadline=None)
@given(data=st.data(), nodes=st.integers(2, 5), base=st.sampled_from(sorted(HELD)))
def test_accelerations_are_those_of_the_lagrangian(data, nodes, base):
    numbers = {
        "length": data.draw(floats(0.5, 10.0)),
        "nodes": nodes,
        "density": data.draw(floats(0.1, 3.0)),
        "elasticity": data.draw(floats(0.0, 5.0)),
        "viscosity": data.draw(floats(0.0, 5.0)),
        "gravity": (data.draw(floats(-10.0, 10.0)), data.draw(floats(-10.0, 10.0))),
    }
    mass, inertia = data.draw(floats(0.0, 2.0)), data.draw(floats(0.0, 2.0))
    angle = np.array(data.draw(st.lists(floats(-4.0, 4.0), min_size=nodes, max_size=nodes)))
    rate = np.array(data.draw(st.lists(floats(-10.0, 10.0), min_size=nodes, max_size=nodes)))
    if base == "fixed":
        rate[0] = 0.0
    at, torque = data.draw(floats(0.0, 1.0)) * numbers["length"], data.draw(floats(-20.0, 20.0))
    push, turn = (data.draw(floats(-5.0, 5.0)), data.draw(floats(-5.0, 5.0))), data.draw(floats(-5.0, 5.0))

    rod = PlanarRod(**numbers, payload=Payload(mass=mass, inertia=inertia))
    ours = rod.accelerations(angle, rate, torque=torque, base=base, loads=[Load(at=at, force=push, torque=turn)])
    oracle = Lagrangian(**numbers, payload=(mass, inertia), points=24)
    theirs = oracle.accelerations(
        np.append([0.0, 0.0], angle),
        np.append([0.0, 0.0], rate),
        torque=torque,
        held=HELD[base],
        pushes=[(at, push, turn)],
    )[2:]
    # Forces cancel in what is left over: the digits lost are those of the inertia's condition, below 1e4 here.
    scale = max(np.abs(theirs).max(), (rate**2).max(), 1.0)
    assert np.abs(ours - theirs).max() <= 1e-10 * scale


def test_a_moving_base_changes_no_angle():
    """By Galileo: the oracle's rates of the base are not 0 here, and only they."""
    rng = np.random.default_rng(3)
    y, v = np.append([1.0, 2.0], rng.normal(0, 2, 5)), np.append([3.0, -4.0], rng.normal(0, 5, 5))
    ours = PlanarRod(**PAPER).accelerations(y[2:], v[2:], torque=3.0, base_velocity=(3.0, -4.0))
    assert ours == pytest.approx(Lagrangian(**PAPER).accelerations(y, v, torque=3.0)[2:], rel=1e-10)


@pytest.mark.parametrize("method", ["explicit", "implicit"])
def test_the_papers_run_to_six_digits(method):
    run = PlanarRod(**PAPER).run(phases(), times=[1.0, 2.0, 3.0], rtol=1e-9, atol=1e-9, method=method)
    oracle = plain_run()
    assert np.abs(run.angle - oracle[:, 2:7]).max() <= 1e-6
    assert np.abs(run.position[:, 0] - oracle[:, :2]).max() <= 1e-6
    # Rates reach 40 rad/s, and the oracle is good to 1e-7 of its numbers.
    assert np.abs(run.angle_rate - oracle[:, 9:]).max() <= 1e-5


def test_the_oracle_knows_a_free_stick():
    """Straight, rigid in effect: a push at the middle turns nothing, one at the end turns by L/2 F/(m L^2/12)."""
    stick = Lagrangian(length=2.0, nodes=3, density=1.5, elasticity=0.0, viscosity=0.0)
    still = np.zeros(5)
    M = stick.inertia(still)
    rigid = np.array([0.0, -1.0, 1.0, 1.0, 1.0])  # turning about the middle
    assert rigid @ M @ rigid == pytest.approx(3.0 * 2.0**2 / 12.0, rel=1e-13)
    whole = np.array([1.0, 0.0, 0.0, 0.0, 0.0])
    assert whole @ M @ whole == pytest.approx(3.0, rel=1e-13)


# ------------------------------------------------------------ the integrals


@settings(max_examples=100, deadline=None)
@given(
    start=floats(-10.0, 10.0),
    delta=st.one_of(floats(-25.0, 25.0), floats(-1e-3, 1e-3), floats(6.999, 7.001), floats(-7.001, -6.999)),
    rates=st.tuples(floats(-10.0, 10.0), floats(-10.0, 10.0)),
    h=floats(0.1, 3.0),
)
def test_closed_forms_are_the_integrals(start, delta, rates, h):
    angle, rate = np.array([start, start + delta]), np.array(rates)
    ours = closed_form(angle, rate, np.array([h]))
    theirs = by_quadrature(angle, rate, np.array([h]), 60)
    spin = max(np.abs(rate).max() ** 2, 1e-300)
    sizes = {"chord": h, "G": h, "Gbar": h**2, "Q": h**3, "E": h * spin, "Ebar": h**2 * spin, "turn": h**3 * spin}
    for name, size in sizes.items():
        assert np.abs(getattr(ours, name) - getattr(theirs, name)).max() <= 1e-13 * size, name


def test_integrals_of_a_straight_segment():
    """f(0) = 2/15, 3/40, 1/20; N_1 and N_2 integrate to a half, and again to a third and a sixth."""
    straight = closed_form(np.zeros(2), np.array([1.0, 0.0]), np.array([1.0]))
    assert straight.Q[0] == pytest.approx(np.array([[2 / 15, 3 / 40], [3 / 40, 1 / 20]]), rel=1e-15)
    assert straight.G[0] == pytest.approx(np.array([0.5, 0.5]), rel=1e-15)
    assert straight.Gbar[0] == pytest.approx(np.array([1 / 3, 1 / 6]), rel=1e-15)
    assert straight.E[0] == pytest.approx(1 / 3, rel=1e-15)
