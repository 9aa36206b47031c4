"""A rod in the hand of a robot on a motion table, turned by a wheel that rubs: a machine that no module knows.

Held against all of its equations together, solved by a general solver, and against the laws that hold for the whole.
"""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import root

from tegotae.multibody import Body, Free, Tree, TreeAdmittance
from tegotae.running.probe import Probe
from tegotae.table import HexaPlant

FILE = Path(__file__).parents[2] / "examples" / "05_rod_on_robot_on_table.py"
SPEC = importlib.util.spec_from_file_location("joined", FILE)
EXAMPLE = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(EXAMPLE)

PLATE = Tree([Body(name="plate", mass=2.0, inertia=(0.02, 0.02, 0.03), joint=Free())], gravity=(0, 0, 0))
SPRINGS = {"feet": (2e4, 60.0), "grip": (2e3, 5.0), "shaft": (50.0, 0.05)}


def afloat():
    """On a plate that flies freely, without gravity: nothing from outside acts but the torque on the wheel."""
    return EXAMPLE.machine(TreeAdmittance(tree=PLATE, at="plate"), gravity=0.0)


def test_all_equations_at_once():
    """Motions of all ports as unknowns of one system, tick by tick, with blocks asked one by one."""
    T, ticks = EXAMPLE.PERIOD, 60
    machine = EXAMPLE.machine(HexaPlant.default())
    push = np.zeros((ticks, machine.dimension))
    push[:, -1] = 0.4 * np.sin(0.1 * np.arange(ticks))
    run = machine.run(push, period=T)
    movers = [Probe(block, T) for block in machine.admittances.values()]
    links = [Probe(wire.block, T) for wire in machine.wires]
    maps = [wire.map(machine.dimension) for wire in machine.wires]
    rows = np.split(np.arange(machine.dimension), np.cumsum([m.block.dimension for m in movers])[:-1])
    sizes = np.array([np.linalg.norm(m.answer(np.zeros(len(r)))[1], 2) for m, r in zip(movers, rows, strict=True)])
    v = np.zeros(machine.dimension)
    for k in range(ticks):

        def forces(v):
            return [link.answer(B @ v)[0] for link, B in zip(links, maps, strict=True)]

        def gaps(v, h=push[k], forces=forces):
            total = h + sum(B.T @ f for B, f in zip(maps, forces(v), strict=True))
            off = [(v[own] - m.answer(total[own])[0]) / s for m, own, s in zip(movers, rows, sizes, strict=True)]
            return np.concatenate(off)  # as forces, so that light and heavy machines count alike

        v = root(gaps, v, tol=1e-12).x
        total = push[k] + sum(B.T @ f for B, f in zip(maps, forces(v), strict=True))
        for link, B in zip(links, maps, strict=True):
            link.advance(B @ v)
        for mover, own in zip(movers, rows, strict=True):
            mover.advance(total[own], v[own])
        found = np.concatenate([np.atleast_1d(run[f"velocity.{port.name}"][k]) for port in machine.ports])
        np.testing.assert_allclose(found, v, atol=2e-8 * (1.0 + np.abs(v).max()))
    assert run.about["unsolved_steps"] == 0
    assert np.abs(run["column.force"]).max() == pytest.approx(0.05)  # it slips


def of_rod(run, rod):
    """Momentum, kinetic and bending energy, power lost in bending, by sums over many points between the nodes."""
    share = (np.arange(40) + 0.5) / 40
    h, rho = rod.length / (rod.nodes - 1), rod.density
    angle, rate = run["rod.angle"], run["rod.angle_rate"]
    at, turn = ((1 - share) * own[:, :-1, None] + share * own[:, 1:, None] for own in (angle, rate))
    along = np.stack([-np.sin(at) * turn, np.cos(at) * turn], axis=-1).reshape(len(angle), -1, 2) * h / 40
    velocity = run["rod.base_velocity"][:, None] + np.cumsum(along, axis=1) - 0.5 * along
    mass = rho * h / 40
    bent, bending = (0.5 * (np.diff(own, axis=1) ** 2).sum(axis=1) / h for own in (angle, rate))
    return mass * velocity.sum(axis=1), 0.5 * mass * (velocity**2).sum(axis=(1, 2)), 4e-3 * bent, 2e-4 * bending


def balance(T):
    """How far momentum and energy of the whole are off at the end, with what they are of."""
    machine, ticks = afloat(), round(0.5 / T)
    torque = 0.3 * np.sin(2 * np.pi * T * (np.arange(ticks) + 1.0))
    run = machine.run({"wheel": torque}, period=T)
    assert run.about["unsolved_steps"] == 0
    arm, rod = machine.admittances["arm"].tree, machine.admittances["rod"].rod
    momentum, moving, bent, rubbed = of_rod(run, rod)
    linear = np.stack([momentum[:, 0], np.zeros(ticks), momentum[:, 1]], axis=1)
    energy = moving + bent + 0.5 * 0.01 * run["wheel.velocity"] ** 2
    for tree, name in ((arm, "arm"), (PLATE, "table")):
        q, v = run[f"{name}.q"], run[f"{name}.v"]
        linear += [tree.momentum(*row)[0] for row in zip(q, v, strict=True)]
        energy += [sum(tree.energy(*row)) for row in zip(q, v, strict=True)]
    lost = T * (rubbed + 0.02 * (run["arm.v"][:, 6:] ** 2).sum(axis=1)).cumsum()
    for name, (K, B) in SPRINGS.items():
        stretch = run[f"{name}.stretch"].reshape(ticks, -1)
        energy += 0.5 * K * (stretch**2).sum(axis=1)
        lost += B * (np.diff(stretch, axis=0, prepend=0.0) ** 2).sum(axis=1).cumsum() / T
    energy += 0.5 * 200.0 * run["column.deflection"] ** 2
    lost -= T * (run["column.friction"] * run["column.slip_velocity"]).cumsum()
    lost += 0.05 * (np.diff(run["column.deflection"], prepend=0.0) ** 2).cumsum() / T
    given = T * (torque * run["wheel.velocity"]).cumsum()
    return np.abs(linear).max(), np.abs(energy + lost - given).max(), given.max(), np.abs(momentum).max()


def test_momentum_and_energy_of_the_whole():
    """Both off by the first order of the period alone: half of it, half as far."""
    coarse, fine = balance(1e-3), balance(5e-4)
    for k, of in ((0, 3), (1, 2)):
        assert fine[k] < 0.02 * fine[of]
        assert coarse[k] / fine[k] == pytest.approx(2.0, abs=0.1)
    assert fine[2] > 0.02
