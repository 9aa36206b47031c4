"""Whole machines, run for a few ticks: what they give, by name. One word on the command line chooses which.

The loops are compiled even if the package came with them compiled, so that compilers and backends can be compared;
unless the first word is `shipped`.
"""

import json
import math
import sys

import numpy as np

import tegotae as tg

T = 1e-3


def elements():
    """Friction elements and a slider: strict arithmetic, without sums in any order."""
    law = tg.Stribeck(kinetic=3.0, static=4.0, velocity=0.1)
    v = 0.1 * np.sin(0.05 * np.arange(200))
    brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=law, mass=0.1, lag=0.01)
    planar = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=law, dimension=2)
    slider = tg.FrictionAdmittance(mass=1.0, law=law)
    own = tg.FrictionImpedance(
        stiffness=6000.0, damping=10.0, law=tg.CustomLaw(lambda s: 3.0 + 2.0 * math.tanh(s / 0.05))
    )
    live = brake.start(period=T)
    return {
        "brake": brake.run(v, period=T).force,
        "live": [live.step(x) for x in v],
        "planar": planar.run(np.stack([v, -2 * v], axis=1), period=T).force,
        "slider": slider.run(400 * v, period=T).velocity,
        "own law": own.run(v, period=T).force,
    }


def circuits():
    """Sums of many forces, whose order is free."""
    v = 0.1 * np.sin(0.05 * np.arange(200))
    law = tg.Stribeck(kinetic=3.0, static=4.0, velocity=0.1)
    brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=law, mass=0.1, lag=0.01)
    stack = tg.ParallelFriction(stiffness=1e4, limits=[1.0, 2.0, 5.0])
    branches = {"brake": brake, "stack": stack, "spring": tg.SpringDamper(stiffness=10.0)}
    machine = tg.Circuit(tg.Mass(mass=1.0), branches)
    return {"stack": stack.run(v, period=T).force, "machine": machine.run(400 * v, period=T).velocity}


def arm():
    """Two links whose first joint rubs."""
    from tegotae.multibody import Body, Revolute, Scene, Tree

    rub = tg.FrictionImpedance(stiffness=1e6, damping=10.0, law=tg.Coulomb(6.0))
    upper = Body(name="upper", mass=2.0, inertia=(0.03, 0.03, 0.002), joint=Revolute(axis=(0, 1, 0), friction=rub))
    lower = Body(
        name="lower",
        mass=1.0,
        inertia=(0.01, 0.01, 0.01),
        parent="upper",
        position=(0, 0, 0.4),
        joint=Revolute(axis=(0, 1, 0)),
    )
    tree = Tree([upper, lower])
    q, v = np.array([0.3, -0.5]), np.array([0.0, 1.0])
    live = Scene(tree=tree).start(period=T, q=q, v=v)
    return {
        "run": numbers_in(Scene(tree=tree).run(5 * T, period=T, q=q, v=v)),
        "live": [np.concatenate(live.step()) for _ in range(5)],
        "energy": tree.energy(q, v),
    }


def crate():
    """A box that falls on its corner and slides: the solver's loop, with contacts that open and close."""
    from tegotae.multibody import Body, Corners, Free, HalfSpace, Scene, Touch, Tree

    box = Body(name="crate", mass=5.0, inertia=(0.03, 0.03, 0.03), joint=Free(), position=(0, 0, 0.0999))
    floor = Touch(
        on="crate", toucher=Corners(half_sizes=(0.1, 0.1, 0.1)), surface=HalfSpace(), stiffness=1e6, friction=0.5
    )
    fast = [1.0, 0.2, 0.0, 0.0, 0.0, 3.0]
    pushed = Scene(tree=Tree([box]), touches=[floor]).run(5 * T, period=T, v=fast, deepest=1e-3)
    return {"run": numbers_in(pushed)}


def rods():
    """One in the air, and one that crawls."""
    from tegotae.rod import Ground, GroundedRod, Phase, PlanarRod, travelling_wave

    rod = PlanarRod(length=10.0, nodes=5, density=0.1, elasticity=1.0, viscosity=2.0)
    free = rod.run([Phase(until=1e-3, torque=10.0, base="pinned"), Phase(until=2e-3)])
    snake = PlanarRod(length=1.0, nodes=5, density=1.0, elasticity=0.5, viscosity=0.01)
    wave = travelling_wave(snake, amplitude=1.0, wavelength=1.0, frequency=1.0, until=3.0, ramp=1.0)
    ground = Ground(tangential=0.1, normal=0.5, stiffness=1e4, damping=20.0)
    crawls = GroundedRod(rod=snake, ground=ground).run([Phase(until=3 * T, curvature=wave)], period=T)
    return {"free": numbers_in(free), "crawls": numbers_in(crawls)}


def numbers_in(result):
    return np.concatenate([np.ravel(result[name]) for name in result]).astype(float)


def main():
    words = sys.argv[1:]
    if words[0] == "shipped":
        words = words[1:]
    else:
        from tegotae.compile import shipped

        shipped.find = lambda key: None
    for name in words:
        for part, values in globals()[name]().items():
            print(json.dumps([f"{name}, {part}", np.ravel(values).tolist()]))


if __name__ == "__main__":
    main()
