"""The machines whose loops ship compiled: each is run for a tick or two, and the entries that it calls are taken down.

What depends on a user's model (circuits, laws of one's own, inclusions) is compiled when it is first run.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np

import tegotae as tg
from tegotae.block import Block, Impedance

T = 1e-3


def laws() -> list[Any]:
    """Every law of friction of the package."""
    return [
        tg.Coulomb(3.0),
        tg.Viscous(3.0, 2.0),
        tg.Stribeck(kinetic=3.0, static=3.5, velocity=0.2),
        tg.Tabulated([0.0, 0.1, 1.0], [3.0, 2.9, 3.1]),
    ]


def blocks() -> Iterator[Block]:
    """Friction, springs, masses and composites."""
    for dimension in (1, 2, 3):
        for law in laws():
            for mass, lag in ((0.0, 0.0), (0.1, 0.0), (0.0, 0.01), (0.1, 0.01)):
                yield tg.FrictionImpedance(
                    stiffness=6000.0, damping=20.0, law=law, mass=mass, lag=lag, dimension=dimension
                )
            yield tg.FrictionAdmittance(mass=1.0, law=law, dimension=dimension)
        yield tg.Mass(mass=1.0, dimension=dimension)
        yield tg.SpringDamper(stiffness=100.0, damping=1.0, dimension=dimension)
        ahead = [0.1] * dimension
        for restitution in (None, 0.5):
            yield tg.VirtualWall(
                stiffness=100.0,
                damping=1.0,
                point=ahead,
                normal=[-1.0] * dimension,
                restitution=restitution,
                dimension=dimension,
            )
        yield tg.ParallelFriction(stiffness=1e4, damping=100.0, limits=[1.0, 2.0, 3.0], dimension=dimension)


def _record(block: Block, value: float) -> Any:
    """Two ticks."""
    return np.full(2 if block.dimension == 1 else (2, block.dimension), value)


def run_blocks() -> None:
    """A record, tick by tick, and many at once."""
    for block in blocks():
        record, either = _record(block, 0.01), cast(Any, block)
        either.run(record, period=T)
        either.start(period=T).step(0.01 if block.dimension == 1 else record[0])
        if isinstance(block, Impedance):
            either.run(position=record, period=T)
        varied = {"mass": [1.0, 2.0]} if isinstance(block, tg.Mass) else {"stiffness": [5e3, 6e3]}
        if hasattr(block, next(iter(varied))):
            block.batch(**varied).run(record, period=T)
    for law in laws():
        law(np.array([0.0, 0.1]))


def classic_blocks() -> Iterator[Block]:
    """The friction models that others use, and two controllers."""
    from tegotae.control import PID, PSMC
    from tegotae.friction import classics

    yield classics.Karnopp(mass=1.0, limit=3.0, static=4.0, dead_zone=0.01)
    yield classics.Tanh(limit=4.0, velocity=0.05)
    yield classics.Dahl(stiffness=6000.0, limit=4.0)
    for dimension in (1, 2, 3):
        yield classics.HaywardArmstrong(stiffness=6000.0, limit=4.0, dimension=dimension)
    for law in laws():
        yield classics.LuGre(stiffness=6000.0, damping=10.0, law=law)
        yield classics.Elastoplastic(stiffness=6000.0, damping=10.0, law=law, breakaway=1e-4)
        yield classics.GeneralisedMaxwellSlip(stiffness=6000.0, fractions=[0.5, 0.5], law=law, attraction=10.0)
        yield classics.ExplicitlyCoupledFriction(stiffness=6000.0, damping=10.0, law=law, mass=0.1)
    yield PID(proportional=100.0, integral=10.0, derivative=1.0)
    yield PSMC(proportional=100.0, derivative=1.0, limit=10.0)


def run_classics() -> None:
    """Over a record."""
    for block in classic_blocks():
        cast(Any, block).run(_record(block, 0.01), period=T)


def composites() -> Iterator[Block]:
    """Friction in parallel, by each of its kernels."""
    yield tg.ParallelFriction(stiffness=1e4, limits=[1.0, 2.0, 5.0])
    yield tg.ParallelFriction(stiffness=[1e4, 2e4], damping=5.0, limits=[1.0, 2.0])
    for dimension in (1, 2, 3):
        for law in laws():
            yield tg.ParallelFriction(stiffness=1e4, damping=50.0, mass=0.1, laws=[law], dimension=dimension)


def tyres() -> Iterator[Block]:
    """Patches with every pressure, with and without a carcass."""
    from tegotae.steering import Carcass, ContactPatch, Parabolic, TabulatedPressure, Uniform

    hat = TabulatedPressure(positions=[-0.1, 0.0, 0.1], loads=[0.0, 100.0, 0.0])
    for pressure in (Parabolic(), Uniform(load=50.0), hat):
        for carcass in (None, Carcass(stiffness=1e5)):
            yield ContactPatch(pressure=pressure, carcass=carcass, bristles=5)


def movers() -> Iterator[Any]:
    """What moves in a circuit, beside masses: a tree and a rod, felt along a line and in all directions."""
    from tegotae.multibody import AtJoint, AtPoint, Body, Revolute, Tree, TreeAdmittance
    from tegotae.rod import Ground, GroundedRod, PlanarRod

    arm = Tree([Body(name="arm", mass=1.0, inertia=(0.1, 0.1, 0.1), joint=Revolute(axis=(0, 1, 0)))])
    rod = PlanarRod(length=1.0, nodes=3, density=1.0, elasticity=0.5, viscosity=0.01)
    yield TreeAdmittance(tree=arm, at=AtJoint("arm"))
    yield TreeAdmittance(tree=arm, at=AtPoint("arm", (0.0, 0.0, 0.1)))
    yield GroundedRod(rod=rod, at="tip", base="fixed", along=(0.0, 1.0, 0.0))
    yield GroundedRod(rod=rod, at="tip", base="fixed")
    yield GroundedRod(rod=rod, at="tip", ground=Ground(tangential=0.1, normal=0.5, stiffness=1e4))


def run_circuits() -> None:
    """Circuits of all these blocks, reached by address: a loop of their own is compiled where that can be done."""
    from tegotae.friction import classics
    from tegotae.friction.classics.bristles import SPEEDS, sampled_rise

    every = [*blocks(), *classic_blocks(), *composites(), *tyres()]
    moving = [block for block in every if not isinstance(block, Impedance)]
    resting = [block for block in every if isinstance(block, Impedance)]
    for dimension in (1, 2, 3):
        mass: Any = tg.Mass(mass=1.0, dimension=dimension)
        for block in resting:
            if block.dimension == dimension:
                tg.Circuit(mass, {"one": block}).by_address()
                if isinstance(block, classics.Elastoplastic | classics.LuGre):
                    sampled_rise(block, [{}], T, SPEEDS[:1])  # all of them take long here
                else:
                    block.steepest_rise(T)
        for mover in [*moving, *movers()]:
            if mover.dimension == dimension:
                tg.Circuit(mover, {}).by_address()
                mover.least_reluctance(T)
    for mover in [*(tg.Mass(mass=1.0, dimension=n) for n in (1, 2, 3)), *movers()]:
        _run_circuit(mover)
    for ports in (4, 5, 7, 8):  # of networks; others have as many as those above
        _run_circuit(tg.Circuit({f"m{i}": tg.Mass(mass=1.0) for i in range(ports)}, {}).by_address())


def _run_circuit(mover: Any) -> None:
    """In every way that circuits run: alone, and inside another one."""
    from tegotae.running.batch import Batch

    push = _record(mover, 0.0)
    mover.run(push, period=T)
    mover.start(period=T).step(push[0])
    inner = tg.Circuit(mover, {}).by_address()
    outer = tg.Circuit(inner, {}).by_address()
    for circuit in (inner, outer):
        circuit.run(push, period=T)
        circuit.start(period=T).step(push[0])
        Batch([circuit, circuit]).run(push, period=T)


def run_inclusions() -> None:
    """What all of them have in common: the solve for the forces of their elements, and its slopes."""
    from tegotae.coupling import complementarity
    from tegotae.inclusion.implicit import layouts
    from tegotae.inclusion.implicit.kernels import mobility, stepper

    plain: Any = stepper.problem_of
    w, F, E = layouts.workspace(1, 1, 1, 0), np.zeros(1), layouts.elements(1, [], [1e4], [1e-3])
    problem = plain.py_func(E, w)
    complementarity.solver().solve(problem, F, w.work)
    mobility.linearise(problem, F, E, T, w, False)
    mobility.mobility(problem, F, E, T, w, np.zeros((1, 1)), 0, np.zeros(1))


def run_trees() -> None:
    """Scenes by every method, with what every joint, contact and drive needs."""
    from tegotae.multibody import Body, Corners, Free, HalfSpace, Revolute, Scene, Touch, Tree

    rub = tg.FrictionImpedance(stiffness=1e6, damping=10.0, law=tg.Coulomb(60.0))
    upper = Body(name="upper", mass=2.0, inertia=(0.03, 0.03, 0.002), joint=Revolute(axis=(0, 1, 0), friction=rub))
    elbow = Revolute(axis=(0, 1, 0))
    lower = Body(name="lower", mass=1.0, inertia=(0.01, 0.01, 0.01), parent="upper", position=(0, 0, 0.4), joint=elbow)
    arm = Tree([upper, lower])
    crate = Tree([Body(name="crate", mass=5.0, inertia=(0.03, 0.03, 0.03), joint=Free(), position=(0, 0, 0.1))])
    floor = Touch(
        on="crate", toucher=Corners(half_sizes=(0.1, 0.1, 0.1)), surface=HalfSpace(), stiffness=1e6, friction=0.5
    )
    Scene(tree=arm).run(2 * T, period=T)
    Scene(tree=arm).start(period=T).step()
    Scene(tree=crate, touches=[floor]).run(2 * T, period=T)
    for method in ("euler", "symplectic", "rk4"):
        Scene(tree=crate).run(2 * T, period=T, method=method)
    q, v = arm.neutral(), np.zeros(arm.nv)
    arm.forward_dynamics(q, v)
    arm.inverse_dynamics(q, v, v)
    arm.reactions(q, v, v)
    arm.mass_matrix(q)
    arm.jacobian(q, "lower")
    arm.pose(q, "lower")
    arm.energy(q, v)
    arm.momentum(q, v)
    arm.center_of_mass(q)


def run_rods() -> None:
    """Rods in the air, on the ground, and many."""
    from tegotae.rod import Ground, GroundedRod, Phase, PlanarRod, travelling_wave
    from tegotae.rod.many import run_many, variations

    rod = PlanarRod(length=10.0, nodes=5, density=0.1, elasticity=1.0, viscosity=2.0)
    rod.run([Phase(until=1e-4, torque=10.0, base="pinned"), Phase(until=2e-4)])
    snake = PlanarRod(length=1.0, nodes=5, density=1.0, elasticity=0.5, viscosity=0.01)
    wave = travelling_wave(snake, amplitude=1.0, wavelength=1.0, frequency=1.0, until=3.0, ramp=1.0)
    scales = Ground(tangential=0.1, normal=0.5, stiffness=1e4, damping=20.0)
    crawls = GroundedRod(rod=snake, ground=scales)
    crawls.run([Phase(until=2 * T, curvature=wave)], period=T)
    crawls.start(period=T).step()
    crawls.batch(rod=[snake, snake]).start(period=T).step()
    both = variations(rod, {"elasticity": [1.0, 2.0]})
    run_many(both, [Phase(until=1e-3, torque=1.0, base="pinned")], times=[1e-3], threads=2)


def run_steering() -> None:
    """Patches, presets and hands."""
    from tegotae.steering import ContactPatch, SteeringSystem
    from tegotae.steering.hands import Driver, Sine

    for preset in (SteeringSystem.paper, SteeringSystem.physical):
        system = preset(speed=10.0)
        system.run(hand=Driver(angle=Sine(amplitude=1.0)), duration=2 * T, period=T)
        system.run(np.full(2, 0.5), period=T)
        system.start(period=T).step(0.5)
    ContactPatch(stiffness=1e4, damping=0.0, friction=0.4, bristles=11).steady(slip_angle=0.02, speed=20.0)


def run_table() -> None:
    """The six arms, their plant, its sensor, and two robots that meet on it."""
    from tegotae.hybrid import GuardedMachine
    from tegotae.papers.two_robots import TwoRobots
    from tegotae.table import ForceSensor, Hexa, HexaPlant

    table, plant = Hexa.default(), HexaPlant.default()
    table.stiffness((0, 0, -0.47), np.eye(3), kp=200.0)
    table.forward(table.inverse((0, 0, -0.47)))
    for one in (plant, plant.varied({"at": ("plate", "sensor")})):
        one.run(np.zeros((2, one.dimension)))
        one.start().step(np.zeros(one.dimension))
    ForceSensor(delay=2).read(np.zeros((4, 6)), period=2e-3)
    two = TwoRobots().machine(period=2e-3)
    GuardedMachine(two, period=2e-3).advance((0.0,) * 6)
    two.block.start(period=2e-3, initial=two.initial).step((0.0,) * 6)


RECIPES: tuple[Callable[[], None], ...] = (
    run_blocks,
    run_classics,
    run_circuits,
    run_inclusions,
    run_trees,
    run_rods,
    run_steering,
    run_table,
)


def build(folder: Path, tell: Callable[[str], Any]) -> int:
    """Compile the loops of all machines into a library in `folder`; how many there are."""
    from tegotae.compile import recording, shipping

    with recording.recorded() as calls, warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for recipe in RECIPES:
            tell(f"taking down the loops of {recipe.__name__.removeprefix('run_')}")
            recipe()
    return shipping.make(calls, folder, tell)


def main(folder: str) -> None:
    """Compile into a folder, telling every step."""
    print(f"{build(Path(folder), lambda words: print(words, flush=True))} loops in {folder}")


if __name__ == "__main__":
    main(sys.argv[1])
