"""A rod keeps the books of mechanics: energy, momentum and angular momentum are what was put in."""

import numpy as np
import pytest

from tegotae.rod import Load, Payload, Phase, PlanarRod, Shape

TIMES = np.linspace(0.0, 1.0, 21)
BENT = Shape(angle=[0.3, -0.5, 0.2, 1.0, 0.4], angle_rate=[1.0, 2.0, -1.0, 0.5, 3.0], base_velocity=(1.0, -0.5))


def rod(**more):
    numbers = {"length": 3.0, "nodes": 5, "density": 0.4, "elasticity": 1.5, "viscosity": 0.1} | more
    return PlanarRod(**numbers)


def run(one, phases, **more):
    return one.run(phases, times=TIMES, rtol=1e-10, atol=1e-10, **more)


def residual(r):
    """Work less what it became, over the largest of all."""
    total = r.kinetic + r.elastic + r.potential + r.dissipated
    off = (total - total[0]) - (r.work - r.work[0])
    return np.abs(off).max() / np.abs(total).max()


SWING = (
    np.linspace(0.0, 1.0, 9),
    np.stack([0.3 * np.sin(3 * np.linspace(0, 1, 9)), np.linspace(0, 1, 9) ** 2], axis=1),
)
WAVE = (np.linspace(0.0, 1.0, 11), np.sin(np.add.outer(6.0 * np.linspace(0, 1, 11), np.arange(4.0))))
LOADS = [Load(at=1.1, force=(1.0, -2.0), torque=0.4), Load(at=-0.0, force=(0.5, 0.5), torque=-0.3)]


@pytest.mark.parametrize(
    "phase",
    [
        Phase(until=1.0),
        Phase(until=1.0, torque=2.0, base="free", loads=LOADS),
        Phase(until=1.0, torque=2.0, base="pinned"),
        Phase(until=1.0, base="fixed", loads=LOADS),
        Phase(until=1.0, base="fixed", curvature=WAVE),
        Phase(until=1.0, base="pinned", motion=SWING),
    ],
    ids=["free", "free, loads", "pinned, torque", "fixed, loads", "actuated", "swung"],
)
@pytest.mark.parametrize("method", ["explicit", "implicit"])
def test_energy_is_what_was_put_in(phase, method):
    heavy = rod(gravity=(0.5, -9.81), payload=Payload(mass=0.3, inertia=0.05))
    still = phase.base != "free"
    r = run(heavy, [phase], initial=None if still else BENT, method=method)
    assert residual(r) <= 1e-9
    assert (np.diff(r.dissipated) >= 0.0).all()
    assert np.ptp(r.kinetic) > 0.01  # something happened


def test_without_viscosity_a_free_rod_keeps_its_energy():
    r = run(rod(viscosity=0.0), [Phase(until=1.0)], initial=BENT)
    energy = r.kinetic + r.elastic
    assert np.abs(energy / energy[0] - 1.0).max() <= 1e-8  # 1e-10 a step, a hundred steps
    assert np.ptp(r.elastic) > 0.1 * energy[0]
    assert (r.dissipated == 0.0).all()


def test_nothing_pushes_a_free_rod():
    r = run(rod(payload=Payload(mass=0.3, inertia=0.05)), [Phase(until=1.0)], initial=BENT)
    assert np.abs(r.momentum - r.momentum[0]).max() <= 1e-10
    assert np.abs(r.angular_momentum - r.angular_momentum[0]).max() <= 1e-9
    assert np.ptp(r.angle, axis=0).min() > 0.1


def test_momentum_grows_by_weight_and_force():
    push = Load(at=1.7, force=(2.0, 1.0), torque=0.5)
    one = rod(gravity=(0.0, -9.81), payload=Payload(mass=0.3))
    r = run(one, [Phase(until=1.0, loads=[push])], initial=BENT)
    total = 0.4 * 3.0 + 0.3
    expected = r.momentum[0] + TIMES[:, None] * np.array([2.0, 1.0 - 9.81 * total])
    assert np.abs(r.momentum - expected).max() <= 1e-9


def test_angular_momentum_grows_by_torque_wherever_it_acts():
    """A pure torque gives the same angular momentum at any point; a pin at the origin takes none."""
    for at in (0.0, 0.8, 1.5, -0.0):
        r = run(rod(), [Phase(until=1.0, base="pinned", torque=1.0, loads=[Load(at=at, torque=2.0)])])
        assert np.abs(r.angular_momentum - 3.0 * TIMES).max() <= 1e-9


def test_a_turned_world_turns_the_motion():
    """Everything rotated by a right angle, gravity, loads and start: the same motion, rotated."""
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])

    def both(quarter):
        spin = turn if quarter else np.eye(2)
        shift = 0.5 * np.pi * quarter
        one = rod(gravity=tuple(spin @ (0.5, -9.81)))
        start = Shape(
            angle=np.asarray(BENT.angle) + shift,
            angle_rate=BENT.angle_rate,
            base_velocity=tuple(spin @ np.asarray(BENT.base_velocity)),
        )
        loads = [Load(at=1.1, force=tuple(spin @ (1.0, -2.0)), torque=0.4)]
        return run(one, [Phase(until=1.0, loads=loads)], initial=start)

    plain, turned = both(0), both(1)
    assert np.abs(turned.angle - plain.angle - 0.5 * np.pi).max() <= 1e-8
    assert np.abs(turned.position - plain.position @ turn.T).max() <= 1e-8


def test_a_rod_is_the_same_from_either_end():
    """Free and reversed: node k for node n+1-k, angles half a turn on."""
    angle, rate = np.asarray(BENT.angle), np.asarray(BENT.angle_rate)
    density, stiffness = np.array([0.4, 0.5, 0.6, 0.7]), np.array([1.0, 2.0, 1.5, 0.7])
    there = rod(density=density, elasticity=stiffness).accelerations(angle, rate)
    back = rod(density=density[::-1], elasticity=stiffness[::-1]).accelerations(angle[::-1] + np.pi, rate[::-1])
    assert back[::-1] == pytest.approx(there, rel=1e-9)


def test_splitting_a_phase_changes_nothing():
    whole = run(rod(), [Phase(until=1.0, torque=1.0, base="pinned")])
    parts = run(rod(), [Phase(until=t, torque=1.0, base="pinned") for t in (0.13, 0.5, 1.0)])
    assert np.abs(whole.angle - parts.angle).max() <= 1e-8


@pytest.mark.parametrize("bends_at", [0.31, 0.6])
def test_a_drive_that_acts_between_two_recorded_moments_is_not_missed(bends_at):
    """A muscle that is quick beside the steps: what it does and the work that it takes are those of many records."""
    muscle = ([0.0, bends_at, bends_at + 0.02, 1.0], [0.0, 0.0, 3.0, 0.0])
    stiff = rod(length=1.0, elasticity=50.0, viscosity=20.0)
    phases = [Phase(until=1.0, base="fixed", curvature=muscle)]
    few, many = (
        stiff.run(phases, times=times, rtol=1e-8, atol=1e-8) for times in ([0.2, 1.0], np.linspace(0.0, 1.0, 1001))
    )
    assert np.abs(many.angle[-1]).max() > 0.05
    assert few.angle[-1] == pytest.approx(many.angle[-1], abs=1e-6)
    assert few.work[-1] == pytest.approx(many.work[-1], rel=1e-6)
    assert residual(many) <= 1e-5  # as the steps are; a step over a kink would lose all of the work


def test_segments_always_meet():
    r = run(rod(gravity=(0.0, -9.81)), [Phase(until=1.0, torque=5.0, base="pinned")])
    assert r.closure.max() <= 1e-13
    assert (r.position[:, 0] == 0.0).all()
