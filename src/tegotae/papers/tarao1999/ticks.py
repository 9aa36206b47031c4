"""The ticks of a scene: second order where it moves smoothly, energy and momentum kept, at any period."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from tegotae.multibody import Body, Free, Revolute, Tree
from tegotae.papers.ledger import Finding, Findings
from tegotae.papers.tarao1999 import HOUR, TaraoSubject, oracles, paper
from tegotae.papers.tarao1999.oracles import Array

LINK: dict[str, Any] = {"mass": 1.0, "inertia": (0.08, 0.08, 0.002), "length": 1.0}  # [kg, kg·m², m]
START, SPEED, UNTIL = np.array([1.0, -0.5]), np.array([0.5, 1.0]), 1.0
PERIODS = (2e-3, 1e-3, 5e-4)  # [s]
LONG = 50.0  # [s]
LEFT = np.array([2.0, 1.0, -1.0])  # where the triple pendulum is let go [rad]
ADRIFT = 5e-3  # period of what floats [s]


def _exact(bodies: list[Body]) -> Array:
    """Where it ends, by the dense equations of Kane and an adaptive integrator."""

    def rate(_: float, y: Array) -> Array:
        M, f = oracles.kane(bodies, y[:2], y[2:], np.zeros(2))
        return np.concatenate([y[2:], np.linalg.solve(M, -f)])

    ended = solve_ivp(rate, (0.0, UNTIL), np.concatenate([START, SPEED]), method="DOP853", rtol=1e-10, atol=1e-11)
    return np.asarray(ended.y[:, -1])


@paper.claim(source="section 3.3, integration; of first order in many engines")
def ticks_of_second_order(subject: TaraoSubject) -> Findings:
    """A tick of a scene is of second order, though friction and contact are solved at its end.

    A swinging double pendulum against the dense equations of Kane, integrated by an adaptive method.
    """
    tree = subject.Tree(oracles.chain(2, **LINK))
    exact = _exact(list(tree.bodies))
    off = {}
    for method in ("midpoint", "euler"):
        runs = [subject.Scene(tree=tree, method=method).run(UNTIL, period=T, q=START, v=SPEED) for T in PERIODS]
        off[method] = [float(np.abs(np.concatenate([run.q[-1], run.v[-1]]) - exact).max()) for run in runs]
    order = np.polyfit(np.log(PERIODS), np.log(off["midpoint"]), 1)[0]
    yield Finding("order, fitted, off 2", abs(float(order) - 2.0), "<=", 0.1)
    yield Finding("error at 1 ms", off["midpoint"][1], "<=", 1e-4, "rad, rad/s")
    yield Finding("at 1 ms, times nearer than Euler's ticks", off["euler"][1] / off["midpoint"][1], ">=", 30.0)


def _swings(subject: TaraoSubject, period: float) -> tuple[float, float]:
    """Most and least energy of a triple pendulum beyond that of its start, in parts of its whole swing."""
    tree = subject.Tree(oracles.hanging(3))
    run = subject.Scene(tree=tree).run(LONG, period=period, q=LEFT)
    top, hanging = (float(tree.energy(q, np.zeros(3))[1]) for q in (LEFT, np.zeros(3)))
    error = (np.asarray(run.kinetic_energy) + np.asarray(run.potential_energy) - top) / (top - hanging)
    return float(error.max()), float(error.min())


@paper.claim(source="section 4.2: energy, for machines that nothing drives")
def energy_at_any_period(subject: TaraoSubject) -> Findings:
    """A triple pendulum without friction, chaotic and quick, keeps its energy for 50 s, and gains none however long the
    ticks are.
    """
    for period, bound in ((1e-3, 0.005), (2e-3, 0.02)):
        found = _swings(subject, period)
        yield Finding(f"{1e3 * period:g} ms: energy off, of its swing", max(map(abs, found)), "<=", bound)
    for period in (5e-3, 1e-2, 2e-2):
        yield Finding(f"{1e3 * period:g} ms: energy gained, of its swing", _swings(subject, period)[0], "<=", 0.01)


def _satellite(subject: TaraoSubject) -> Tree:
    hull = Body(name="hull", mass=5.0, inertia=(0.5, 0.6, 0.4), center=(0.05, 0.0, 0.02), joint=Free())
    arm: dict[str, Any] = {"mass": 1.0, "inertia": (0.02, 0.05, 0.05), "center": (0.3, 0.0, 0.0)}
    upper = Body(name="upper", parent="hull", position=(0.3, 0.0, 0.0), joint=Revolute(axis=(0, 1, 0)), **arm)
    lower = Body(name="lower", parent="upper", position=(0.6, 0.0, 0.0), joint=Revolute(axis=(0, 3, 4)), **arm)
    return subject.Tree([hull, upper, lower], gravity=(0.0, 0.0, 0.0))


@paper.claim(source="section 4.2: momentum, for machines that float")
def momentum_adrift(subject: TaraoSubject) -> Findings:
    """A hull with an arm that swings freely drifts for an hour at 5 ms: momentum to rounding, energy and angular
    momentum bounded.
    """
    tree = _satellite(subject)
    v = np.array([0.1, -0.2, 0.3, 0.5, -0.4, 0.6, 0.8, -1.0])
    run = subject.Scene(tree=tree).run(HOUR, period=ADRIFT, v=v, every=500)
    linear = tree.momentum(tree.neutral(), v)[0]
    # About its centre of mass: about the world's origin, a path of a kilometre adds its rounding.
    spin = run.angular_momentum - np.cross(np.array([tree.center_of_mass(q) for q in run.q]), run.momentum)
    energy = np.asarray(run.kinetic_energy) / tree.energy(tree.neutral(), v)[0] - 1.0
    yield Finding("momentum off", np.abs(run.momentum - linear).max(), "<=", 1e-11, "kg·m/s")
    turned = np.abs(spin - spin[0]).max() / np.linalg.norm(spin[0])
    yield Finding("angular momentum off, relative", turned, "<=", 1e-10)
    yield Finding("energy off, relative", np.abs(energy).max(), "<=", 1e-6)
    yield Finding("its arm swings on", np.abs(run.v[-100:, 6:]).max(), ">=", 0.3, "rad/s")
