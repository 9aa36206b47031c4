"""A machine felt through one of its springs, against both machines solved at once by a general solver."""

import numpy as np
import pytest
from scipy.optimize import root

import tegotae as tg
from tegotae.coupling.through import Through
from tegotae.running.probe import Probe

T, M1, M2, RATIO = 1e-3, 0.5, 2.0, 3.0
ROPE = {"stiffness": 1e4, "damping": 5.0}
RUB = {"stiffness": 1e5, "damping": 50.0}
LIMIT = 3.0


def towed():
    rub = tg.FrictionImpedance(**RUB, law=tg.Coulomb(LIMIT))
    blocks = {"rope": tg.SpringDamper(**ROPE), "rub": rub}
    return Through(tg.Circuit(tg.Mass(mass=M2), blocks, ratios={"rope": RATIO}, bases=["rope"]), "rope")


def dense(push):
    """Two masses, a rope between them (geared), friction on the second: all unknowns of a tick at once."""
    ic = RUB["stiffness"] * T + RUB["damping"]
    v = np.zeros(2)
    stretch = deflection = 0.0
    path = []
    for h in push:

        def friction(w, e=deflection):
            return np.clip(RUB["stiffness"] * e - ic * w, -LIMIT, LIMIT)

        def rope(z, x=stretch):
            u = RATIO * z[1] - z[0]
            return -(ROPE["stiffness"] * (x + T * u) + ROPE["damping"] * u)

        def gaps(z, h=h, v=v, rope=rope, friction=friction):
            return [M1 * (z[0] - v[0]) / T - h + rope(z), M2 * (z[1] - v[1]) / T - RATIO * rope(z) - friction(z[1])]

        found = root(gaps, v, tol=1e-13).x
        stretch += T * (RATIO * found[1] - found[0])
        stuck = RUB["stiffness"] * deflection - ic * found[1]
        deflection += T * ((np.clip(stuck, -LIMIT, LIMIT) - stuck) / ic - found[1])
        v = found
        path.append(v)
    return np.array(path)


def test_two_machines_in_a_chain_are_one_machine():
    push = 5.0 * np.sin(2e-3 * np.arange(400)) + 2.0
    run = tg.Circuit(tg.Mass(mass=M1), {"load": towed()}).run(push, period=T)
    both = dense(push)
    assert run.about["unsolved_steps"] == 0
    assert run.velocity == pytest.approx(both[:, 0], abs=1e-11)
    assert run["load.inner_velocity"] == pytest.approx(both[:, 1], abs=1e-11)
    assert np.abs(run["load.rub.force"]).max() == LIMIT  # it slips
    assert np.abs(run["load.rub.force"]).min() < LIMIT  # and sticks


def test_slope_is_what_differences_give():
    probe, random = Probe(towed(), T), np.random.default_rng(0)
    for _ in range(200):
        v, eps = 0.3 * random.normal(), 1e-7
        force, slope = probe.answer(v)
        up, down = (probe.answer(v + d)[0] for d in (eps, -eps))
        assert slope[0] == pytest.approx((up - down) / (2.0 * eps), rel=1e-6)
        probe.advance(v)
        assert probe.state["force"] == pytest.approx(force[0], abs=1e-12)


def test_starts_from_given_fields_and_refuses_others():
    block = towed()
    state = block.initial_state(T, {"inner_velocity": 0.5, "rope.stretch": 1e-3})
    assert (state["inner_velocity"], state["rope.stretch"]) == (0.5, 1e-3)
    with pytest.raises(tg.InputError, match="'speed'"):
        block.initial_state(T, {"speed": 1.0})
    with pytest.raises(tg.InputError, match="no other end"):
        Through(tg.Circuit(tg.Mass(mass=1.0), {"rope": tg.SpringDamper(**ROPE)}), "rope")
    with pytest.raises(tg.InputError, match="no circuit"):
        Through(tg.Mass(mass=1.0), "rope")
