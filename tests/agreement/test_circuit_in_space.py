"""Circuits in two and three dimensions: against root finding, against the line, and against a turned world."""

import numpy as np
import pytest
from scipy.optimize import root

import tegotae as tg

T = 1e-3
PAD = {"stiffness": 3e4, "damping": 30.0, "law": tg.Stribeck(kinetic=1.0, static=1.6, velocity=0.05), "mass": 0.02}


def machine(n, admittance=None):
    parts = {
        "pad": tg.FrictionImpedance(**PAD, dimension=n),
        "dry": tg.FrictionImpedance(stiffness=1e5, law=tg.Coulomb(0.7), dimension=n),
        "felt": tg.ParallelFriction(stiffness=[1e4, 5e3], damping=2.0, limits=[0.3, 0.6], dimension=n),
        "hand": tg.SpringDamper(stiffness=300.0, damping=3.0, dimension=n),
    }
    mass = admittance or tg.Mass(mass=0.7, dimension=n)
    return tg.Circuit(mass, parts, ratios={"felt": 1.5}, bases=["hand"]), parts


def signals(n, ticks=600):
    t = T * np.arange(ticks)[:, None]
    phase = np.arange(n)
    return 2.0 * np.sin(2 * np.pi * 4.0 * t + phase), 0.3 * np.cos(2 * np.pi * 2.5 * t - 0.7 * phase)


def test_plane_equals_step_by_step_root_finding():
    circuit, parts = machine(2)
    push, base = signals(2)
    run = circuit.run(push, period=T, bases={"hand": base})
    assert run.about["unsolved_steps"] == 0
    lives = {name: part.start(period=T) for name, part in parts.items()}
    ratio = {"felt": 1.5}
    v, velocity = np.zeros(2), []
    for h, b in zip(push, base, strict=True):

        def forces(trial, b=b, keep=False):
            total = np.zeros(2)
            for name, live in lives.items():
                kept, r = live.state, ratio.get(name, 1.0)
                total += r * live.step(r * trial - (b if name == "hand" else 0.0))
                if not keep:
                    live.state = kept
            return total

        def gap(trial, h=h, v=v):
            return trial - v - T / 0.7 * (h + forces(trial))

        found = root(gap, v, method="hybr", options={"xtol": 1e-14})
        v = found.x
        forces(v, keep=True)
        velocity.append(v)
    np.testing.assert_allclose(run.velocity, velocity, atol=1e-9)


def test_straight_motion_in_space_is_motion_on_a_line():
    push, base = signals(1)
    flat, _ = machine(1)
    deep, _ = machine(3)
    way = np.array([2.0, -1.0, 2.0]) / 3.0
    line = flat.run(push[:, 0], period=T, bases={"hand": base[:, 0]})
    space = deep.run(push * way, period=T, bases={"hand": base * way})
    np.testing.assert_allclose(space.velocity, line.velocity[:, None] * way, atol=1e-11)
    np.testing.assert_allclose(space["pad.force"], line["pad.force"][:, None] * way, atol=1e-8)


@pytest.mark.parametrize("admittance", [None, tg.FrictionAdmittance(mass=0.7, law=tg.Viscous(0.5, 0.4), dimension=2)])
def test_turning_the_world_turns_the_motion(admittance):
    circuit, _ = machine(2, admittance)
    push, base = signals(2)
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    plain = circuit.run(push, period=T, bases={"hand": base})
    turned = circuit.run(push @ turn.T, period=T, bases={"hand": base @ turn.T})
    assert plain.about["unsolved_steps"] == turned.about["unsolved_steps"] == 0
    np.testing.assert_allclose(turned.velocity, plain.velocity @ turn.T, atol=1e-9)


def test_held_in_the_plane_for_an_hour():
    """Pushed around a circle with 80 % of the limit: the virtual point stands exactly still."""
    brake = tg.FrictionImpedance(stiffness=1e6, damping=1e3, law=tg.Coulomb(5.0), dimension=2)
    circuit = tg.Circuit(tg.Mass(mass=1.0, dimension=2), {"brake": brake})
    angle = 2 * np.pi * 10.0 * T * np.arange(3_600_000)
    run = circuit.run(4.0 * np.stack([np.cos(angle), np.sin(angle)], axis=1), period=T, every=100)
    assert (run["brake.slip_velocity"] == 0.0).all()
    assert np.ptp(run.position[10:], axis=0).max() <= 1e-15


def test_live_steps_equal_the_run():
    circuit = tg.Circuit(
        tg.Mass(mass=1.0, dimension=2), {"dry": tg.FrictionImpedance(stiffness=1e5, law=tg.Coulomb(0.7), dimension=2)}
    )
    push, _ = signals(2)
    live = circuit.start(period=T)
    stepped = [live.step(h) for h in push]
    np.testing.assert_allclose(stepped, circuit.run(push, period=T).velocity, atol=1e-15)


def test_dimensions_must_agree():
    with pytest.raises(tg.InputError, match="'spring' has dimension=2, but Mass moves in 3"):
        tg.Circuit(tg.Mass(mass=1.0, dimension=3), {"spring": tg.SpringDamper(stiffness=1.0, dimension=2)})
