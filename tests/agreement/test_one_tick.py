"""A circuit comes to the same numbers over a record, tick by tick and in a batch, to the last bit."""

import numpy as np
import pytest

import tegotae as tg
from tegotae.running.batch import Batch
from tegotae.shipped_machines import movers
from tegotae.steering import Carcass, ContactPatch, SteeringSystem

T = 1e-3
STRIBECK = tg.Stribeck(kinetic=3.0, static=4.0, velocity=0.1, viscosity=1.0)
BRAKE = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=STRIBECK)
MANY = {
    f"b{i}": tg.FrictionImpedance(stiffness=6000.0 + i, damping=10.0, law=tg.Coulomb(0.3 + 0.1 * i)) for i in range(17)
}
ROPE = tg.SpringDamper(stiffness=100.0, damping=1.0)
WALL = tg.VirtualWall(stiffness=1e4, damping=1.0, point=0.01, normal=-1.0)
TREE, _, ROD, BENT, CRAWLER = movers()


def in_plane(i):
    return tg.FrictionImpedance(stiffness=1e4 + i, damping=5.0, law=tg.Coulomb(1.0), dimension=2)


CIRCUITS = {
    "many": tg.Circuit(tg.Mass(mass=1.0), MANY, ratios={"b3": 1.3}),
    "stack": tg.Circuit(
        tg.FrictionAdmittance(mass=0.5, law=STRIBECK),
        {
            "stack": tg.ParallelFriction(stiffness=1e4, limits=range(1, 40)),
            "even": tg.ParallelFriction(stiffness=1e4, damping=1.0, limits=range(1, 40)),
        },
    ),
    "tyres": tg.Circuit(
        tg.Mass(mass=1.0),
        {"tyre": ContactPatch(bristles=41), "soft": ContactPatch(bristles=21, carcass=Carcass(stiffness=1e5))},
    ),
    "nested": tg.Circuit(tg.Circuit(tg.Mass(mass=1.0), MANY), {"brake": BRAKE, "wall": WALL}),
    "network": tg.Circuit(
        {"near": tg.Mass(mass=1.0), "far": tg.Circuit(tg.Mass(mass=0.5), MANY)},
        {"brake": tg.Link(BRAKE, "near"), "rope": tg.Link(ROPE, "near", "far", ratio=2.0)},
    ),
    "plane": tg.Circuit(tg.Mass(mass=1.0, dimension=2), {f"f{i}": in_plane(i) for i in range(5)}),
    "tree": tg.Circuit(TREE, {"rope": ROPE}),
    "rod": tg.Circuit(ROD, {"rope": ROPE}),
    "crawler": tg.Circuit(CRAWLER, {"rope": tg.SpringDamper(stiffness=100.0, damping=1.0, dimension=3)}),
    "bent": tg.Circuit(BENT, {"rope": tg.SpringDamper(stiffness=100.0, damping=1.0, dimension=3)}),
    "steering": SteeringSystem.physical(speed=5.0).circuit(),
}


@pytest.mark.parametrize("by_address", [False, True], ids=["own loop", "by address"])
@pytest.mark.parametrize("name", CIRCUITS)
@pytest.mark.filterwarnings("ignore:.*did not converge")
def test_a_circuit_has_one_tick(name, by_address):
    circuit = CIRCUITS[name].by_address() if by_address else CIRCUITS[name]
    n = circuit.dimension
    push = np.cumsum(np.random.default_rng(3).normal(size=(300, n)), axis=0)
    push = push[:, 0].copy() if n == 1 else push
    names = [name for name in circuit.parts if name.split(".")[0] == "velocity"]
    run = circuit.run(push, period=T, record=names)
    run = run.velocity if len(names) == 1 else np.stack([run[name] for name in names], axis=1)
    live, batch = circuit.start(period=T), Batch([circuit, circuit])
    np.testing.assert_array_equal([live.step(h) for h in push], run)
    both = batch.run(push, period=T, record=names)
    both = both.velocity if len(names) == 1 else np.stack([both[name] for name in names], axis=2)
    np.testing.assert_array_equal(both, [run, run])
    each = batch.start(period=T)
    np.testing.assert_array_equal([each.step(np.stack([h, h]))[1] for h in push], run)
    assert np.abs(run).max() > 0.0
