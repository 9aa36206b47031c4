"""A rod as a block: the contract, the adaptive run of the same rod, and circuits with springs and friction."""

import numpy as np
import pytest

import tegotae as tg
from tegotae.rod import Load, Payload, Phase, PlanarRod, Shape
from tegotae.rod.admittance import RodAdmittance
from tegotae.running.probe import Probe
from tegotae.running.source import module_of

ROD = PlanarRod(
    length=1.0,
    nodes=5,
    density=[0.1, 0.2, 0.1, 0.15],
    elasticity=1.0,
    viscosity=0.05,
    rest_curvature=0.3,
    gravity=(0.5, -9.81),
    payload=Payload(mass=0.05, inertia=1e-3),
)
T = 1e-3
PORTS = [("tip", "free"), ("tip", "pinned"), ("tip", "fixed"), ("base", "free"), ("base", "pinned")]


def moving(block, rng):
    """In the midst of a motion; what is held is at rest."""
    angle, rate, base = np.cumsum(0.5 * rng.normal(size=5)), rng.normal(size=5), rng.normal(size=2)
    if block.base != "free":
        base[:] = 0.0
    if block.base == "fixed":
        rate[0] = 0.0
    return Probe(block, T, {"angle": angle, "angle_rate": rate, "base_velocity": base, "curvature": 0.2})


@pytest.mark.parametrize(("at", "base"), PORTS)
@pytest.mark.parametrize("along", [None, (0.3, 0.8, -0.5)])
def test_answer_is_pure_its_slope_a_derivative_and_advance_commits_it(at, base, along):
    block = RodAdmittance(rod=ROD, at=at, base=base, along=along)
    rng, d = np.random.default_rng(3), 3 if along is None else 1
    for _ in range(5):
        probe = moving(block, rng)
        h, before = rng.normal(size=d), probe.state.copy()
        motion, slope = probe.answer(h)
        for c in range(d):
            step = np.zeros(d)
            step[c] = 1.0
            change = probe.answer(h + step)[0] - probe.answer(h - step)[0]
            # The answer is linear in h, so a wide difference is exact but for rounding.
            np.testing.assert_allclose(0.5 * change, slope[:, c], rtol=1e-9, atol=1e-12)
        assert np.linalg.eigvalsh(0.5 * (slope + slope.T))[0] >= -1e-12
        np.testing.assert_allclose(slope, slope.T, rtol=1e-8, atol=1e-12)
        assert probe.state == before
        probe.advance(h, motion)
        np.testing.assert_allclose(probe.state.part("position"), before.part("position") + T * motion, rtol=1e-14)


@pytest.mark.parametrize("along", [None, (0.3, 0.8, -0.5)])
def test_a_state_is_all_that_the_next_tick_needs(along):
    """A checkpoint goes on as if nothing had been in between; what is fed since then counts from the next tick on."""
    block = RodAdmittance(rod=ROD, at="tip", base="pinned", along=along)
    pushes = 0.3 * np.sin(0.1 * np.arange(60)[:, None] + np.arange(block.dimension))
    live = block.start(period=T, initial={"curvature": 0.2})
    for h in pushes:
        live.step(h)
    kept = live.state
    onward = [live.step(h) for h in pushes]
    live["torque"] = 1.0
    turned = live.step(pushes[0])
    live.state = kept
    np.testing.assert_array_equal([live.step(h) for h in pushes], onward)
    assert live["torque"] == 0.0
    assert not np.array_equal(live.step(pushes[0]), turned)


def test_rods_of_any_size_share_one_compiled_loop():
    long = PlanarRod(length=1.0, nodes=30, density=0.1, elasticity=1.0)
    assert module_of(RodAdmittance(rod=long, at="tip")) is module_of(RodAdmittance(rod=ROD, at="base"))


@pytest.mark.parametrize(("at", "base"), PORTS)
def test_a_port_moves_as_the_rod_does_to_first_order_in_the_period(at, base):
    force, torque = (0.3, 0.8), 0.1
    load = Load(at=-0.0 if at == "tip" else 0.0, force=force, torque=torque)
    exact = ROD.run([Phase(until=0.2, base=base, loads=[load])], times=[0.2], rtol=1e-10, atol=1e-10)
    errors = []
    for period in (1e-3, 5e-4):
        block = RodAdmittance(rod=ROD, at=at, base=base)
        run = block.run(np.tile([*force, torque], (round(0.2 / period), 1)), period=period)
        node = -1 if at == "tip" else 0
        end = [*exact.position[-1, node], exact.angle[-1, node]]
        errors.append([np.abs(run.angle[-1] - exact.angle[-1]).max(), np.abs(run.position[-1] - end).max()])
    errors = np.array(errors)
    assert errors[0].max() < 0.02
    if at == "base" and base == "pinned":
        errors = errors[:, :1]
    np.testing.assert_allclose(np.log2(errors[0] / errors[1]), 1.0, atol=0.15)


def test_the_port_never_drifts_from_the_rod():
    """Ten turns of a pinned rod: the sum of the tip's motions stays where the angles say the tip is."""
    light = PlanarRod(length=1.0, nodes=4, density=0.1, elasticity=2.0, viscosity=0.1)
    block = RodAdmittance(rod=light, at="tip", base="pinned")
    run = block.run(np.zeros((10_000, 3)), period=T, initial={"angle_rate": np.full(4, 6.0)})
    assert run.angle[-1, -1] > 50.0
    state = block.initial_state(T, {"angle": run.angle[-1]})
    np.testing.assert_allclose(run.position[-1], state["position"], rtol=0.0, atol=1e-6)


def test_a_cantilever_in_a_circuit_bends_as_beams_do():
    """Tip between its own stiffness 3 EI/L^3 and a spring: the load is shared in their ratio."""
    beam = PlanarRod(length=1.0, nodes=41, density=0.1, elasticity=1.0, viscosity=0.2)
    block = RodAdmittance(rod=beam, at="tip", base="fixed", along=(0.0, 1.0, 0.0))
    machine = tg.Circuit(block, {"spring": tg.SpringDamper(stiffness=6.0)})
    load = 9e-3
    run = machine.run(np.full(6000, load), period=T)
    # 41 nodes: the bend of n segments is short of the beam's by 1/n^2; a deflection of 1e-3 is linear to 1e-6.
    assert run["spring.force"][-1] == pytest.approx(-load * 6.0 / 9.0, rel=2e-3)
    assert run.position[-1] == pytest.approx(load / 9.0, rel=2e-3)


def test_a_tip_held_by_friction_sticks():
    """Below its limit a friction element holds the tip of a rod in both directions; above it the tip slides."""
    rod = PlanarRod(length=0.5, nodes=6, density=0.2, elasticity=0.5, viscosity=0.02)
    block = RodAdmittance(rod=rod, at="tip", base="fixed", along=(0.0, 1.0, 0.0))
    brake = tg.FrictionImpedance(stiffness=1e6, damping=100.0, law=tg.Coulomb(1.0))
    machine = tg.Circuit(block, {"brake": brake})
    stuck = machine.run(np.full(3000, 0.9), period=T)
    assert abs(stuck.position[-1] - stuck.position[1500]) < 1e-12
    assert machine.run(np.full(3000, 1.3), period=T).position[-1] > 0.01


def test_no_part_of_a_rod_is_lighter_than_its_end_segment_alone():
    rng = np.random.default_rng(8)
    for at, base in PORTS:
        block = RodAdmittance(rod=ROD, at=at, base=base)
        least = block.least_reluctance(T)
        seen = [np.linalg.eigvalsh(moving(block, rng).answer(np.zeros(3))[1])[-1] for _ in range(50)]
        assert 0.0 < least <= 1.0 / max(seen)


def test_bad_ports_are_refused():
    for wrong, told in (
        ({"at": "middle"}, "at="),
        ({"at": "tip", "base": "glued"}, "base="),
        ({"at": "base", "base": "fixed"}, "fixed base"),
        ({"at": "tip", "along": (0.0, 0.0, 0.0)}, "along"),
        ({"at": "tip", "along": (np.nan, 0.0, 1.0)}, "along"),
        ({"at": "base", "base": "pinned", "along": (1.0, 0.0, 0.0)}, "can move"),
    ):
        with pytest.raises(tg.InputError, match=told):
            RodAdmittance(rod=ROD, **wrong)
    block = RodAdmittance(rod=ROD, at="tip", base="pinned")
    with pytest.raises(tg.InputError, match="begin at rest"):
        block.initial_state(T, {"base_velocity": [1.0, 0.0]})
    with pytest.raises(tg.InputError, match="follows from angle"):
        block.initial_state(T, {"position": [1.0, 0.0, 0.0]})


def test_a_rod_held_by_a_spring_in_all_three_directions_weighs_what_it_weighs():
    rod = PlanarRod(length=0.5, nodes=5, density=0.2, elasticity=2.0, viscosity=0.3, gravity=(0.0, -9.81))
    clamp = tg.SpringDamper(stiffness=1e4, damping=20.0, dimension=3)
    machine = tg.Circuit(RodAdmittance(rod=rod, at="base"), {"clamp": clamp})
    run = machine.run(np.zeros((6000, 3)), period=T)
    x, y, torque = run["clamp.force"][-1]
    assert abs(x) < 1e-6
    assert y == pytest.approx(0.1 * 9.81, rel=1e-6)
    block = PlanarRod(length=0.5, nodes=5, density=0.2, elasticity=2.0, viscosity=0.3, gravity=(1.0, 0.0))
    still = block.run([Phase(until=1e-9)], times=[0.0], initial=Shape(angle=run.angle[-1], base=run.base[-1]))
    arm = -still.potential[0] / 0.1 - run.base[-1, 0]  # of the centre of mass
    assert torque == pytest.approx(0.1 * 9.81 * arm, rel=1e-6)
