"""Impacts of bodies with a restitution: met at their moment inside a tick, and never with a gain of energy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tegotae.multibody import Ball, Body, Free, HalfSpace, Sphere
from tegotae.papers.ledger import Finding, Findings
from tegotae.papers.tarao1999 import TaraoSubject, oracles, paper

G, HEIGHT, RADIUS = 9.81, 0.3, 0.05  # [m/s²], [m] of a fall, [m] of a ball
PERIODS = (2e-4, 1e-3, 4e-3)  # [s]
MASSES, STIFFNESSES = (1e-3, 1e3), (1e3, 1e8)  # [kg], [N/m]


def ball(mass: float, name: str = "ball", **place: Any) -> Body:
    """A solid ball that flies."""
    inertia = 0.4 * mass * RADIUS**2
    return Body(name=name, mass=mass, inertia=(inertia,) * 3, joint=Free(), **place)


def bounced(subject: TaraoSubject, restitution: float, *, period: float, mass: float, stiffness: float) -> float:
    """Restitution of a dropped ball, by its energy after its first bounce."""
    touch = subject.Touch(
        on="ball", toucher=Ball(radius=RADIUS), surface=HalfSpace(), stiffness=stiffness, restitution=restitution
    )
    tree = subject.Tree([ball(mass, position=(0.0, 0.0, RADIUS + HEIGHT))])
    fall = math.sqrt(2.0 * HEIGHT / G)
    until = period * round(fall * (1.0 + restitution) / period)
    run = subject.Scene(tree=tree, touches=[touch]).run(until, period=period)
    height, speed = float(run.q[-1, 2]) - RADIUS, float(run.v[-1, 2])
    return math.sqrt(max(height + 0.5 * speed**2 / G, 0.0) / HEIGHT)


@paper.claim(source="section 4.2, contact; stated future: capture")
def restitution_as_asked(subject: TaraoSubject) -> Findings:
    """Bodies part with the restitution asked for, whatever their mass, what they are made of and how long the ticks
    are; a ball that strikes another in space keeps momentum, and one that rubs obeys Coulomb's law and its own inertia.
    """
    worst = 0.0
    for restitution in (0.2, 0.5, 0.9):
        for period in PERIODS:
            for mass in MASSES:
                for stiffness in STIFFNESSES:
                    got = bounced(subject, restitution, period=period, mass=mass, stiffness=stiffness)
                    worst = max(worst, abs(got / restitution - 1.0))
    yield Finding("dropped balls: off, of what was asked", worst, "<=", 1e-5)
    pair = [ball(1.0, "one"), ball(3.0, "two", position=(0.3, 0.0, 0.0))]
    touch = subject.Touch(
        on="one", toucher=Ball(radius=RADIUS), surface=Sphere(radius=RADIUS), of="two", restitution=0.5
    )
    scene = subject.Scene(tree=subject.Tree(pair, gravity=(0.0, 0.0, 0.0)), touches=[touch])
    run = scene.run(0.4, period=1e-3, v=[1.0, *[0.0] * 11])
    one, two = float(run.v[-1, 0]), float(run.v[-1, 6])
    yield Finding("two balls: parting, off half of the approach", abs(two - one - 0.5), "<=", 1e-6, "m/s")
    yield Finding("their momentum, off its start", abs(one + 3.0 * two - 1.0), "<=", 1e-12, "kg·m/s")
    floor = subject.Touch(
        on="ball", toucher=Ball(radius=RADIUS), surface=HalfSpace(), friction=0.2, restitution=0.5, stiffness=1e6
    )
    thrown = subject.Tree([ball(1.0, position=(0.0, 0.0, 0.1))], gravity=(0.0, 0.0, 0.0))
    run = subject.Scene(tree=thrown, touches=[floor]).run(0.2, period=1e-3, v=[3.0, 0.0, -1.0, 0.0, 0.0, 0.0])
    loss = 0.2 * 1.5  # mu (1 + e) of the speed of approach, 1 m/s; the spin gains 5/2 of it over the radius
    yield Finding(
        "thrown, sliding: slip lost, off mu (1 + e)", abs(3.0 - float(run.v[-1, 0]) - loss), "<=", 1e-6, "m/s"
    )
    yield Finding("its spin, off 5/2 of that", abs(float(run.v[-1, 4]) * RADIUS - 2.5 * loss), "<=", 1e-6, "m/s")


@paper.claim(source="section 4.2, contact; stated future: capture")
def impacts_gain_nothing(subject: TaraoSubject) -> Findings:
    """A double pendulum that swings onto a floor, again and again, never gains energy; with a restitution of 1 it keeps
    it, with less it loses it to the impacts alone.
    """
    tree = subject.Tree(oracles.hanging(2))
    start = np.array([1.2, 0.6])
    top, hanging = (float(tree.energy(q, np.zeros(2))[1]) for q in (start, np.zeros(2)))
    for restitution in (1.0, 0.6):
        touch = subject.Touch(
            on="link1",
            toucher=Ball(radius=0.02, position=(0.0, 0.0, -0.5)),
            surface=HalfSpace(point=(0.0, 0.0, -0.8)),
            stiffness=1e6,
            restitution=restitution,
        )
        run = subject.Scene(tree=tree, touches=[touch]).run(10.0, period=5e-4, q=start)
        energy = (np.asarray(run.kinetic_energy) + np.asarray(run.potential_energy) - top) / (top - hanging)
        impacts = int(np.sum(np.diff((np.asarray(run.contact_force)[:, 0, 2] > 0.0).astype(int)) > 0))
        yield Finding(
            f"restitution {restitution:g}: most energy gained, of the swing", float(energy.max()), "<=", 0.005
        )
        yield Finding("impacts", impacts, ">=", 10)
        if restitution == 1.0:
            yield Finding("lost at the end, of the swing", -float(energy[-100:].mean()), "<=", 0.01)
        else:
            yield Finding("lost at the end, of the swing", -float(energy[-1]), ">=", 0.1)
