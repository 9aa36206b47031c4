"""Impacts, which the slides leave to stiffness and damping: restitution, one word with one meaning in every route."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import sympy

from tegotae.checks import Array
from tegotae.inclusion import Contact, Friction, Inclusion, coulomb, dio
from tegotae.papers.ledger import Finding, Findings
from tegotae.papers.xiong2011 import G, XiongSubject, paper
from tegotae.result import Result

HEIGHT = 0.1  # [m], of the fall
MASSES, RESTITUTIONS, STIFFNESSES = (1e-3, 1.0, 1e3), (0.2, 0.5, 0.9), (1e5, 1e8)
PERIODS = (1e-4, 1e-3, 5e-3)


def elements(stiffness: float, beta: float = 1e-3) -> dict[str, Any]:
    """Contacts and frictions, all alike: stiffness [N/m], damping over it [s]."""
    return {
        "contact": Contact(stiffness=stiffness, damping=beta * stiffness),
        "friction": Friction(stiffness=stiffness, damping=beta * stiffness),
    }


def felt(run: Result, restitution: float) -> float:
    """Speed of parting over speed of approach, by the energy at the top of the first bounce."""
    top = math.sqrt(2.0 * HEIGHT / G) * (1.0 + restitution)
    row = int(np.argmin(np.abs(run.time - top)))
    return math.sqrt(max(0.5 * float(run.v[row]) ** 2 + G * float(run.p[row]), 0.0) / (G * HEIGHT))


@paper.claim(source="summary, future work: a guideline for choosing the parameters")
def restitution_is_one_thing(subject: XiongSubject) -> Findings:
    """A restitution is met by all three routes, whatever the mass, the stiffness and the period, with gravity.

    The slides' contact bounces as its spring and damper and the mass on them will have it. Where a restitution is
    given, an impact is an instant instead, by Newton's law; spring and damper bear what lasts.
    """
    worst = dict.fromkeys(("exact events", "ODE, LSODA", "ODE, RK4 at 1 ms", "implicit, 0.1 to 5 ms"), 0.0)
    impacts = 0
    for restitution in RESTITUTIONS:
        top = math.sqrt(2.0 * HEIGHT / G) * (1.0 + restitution)
        for mass in MASSES:
            ball, start = subject.ball(mass=mass, height=HEIGHT)
            given = {"restitution": restitution}
            runs = [("exact events", subject.to_events(ball, **given).solve((0.0, top), start))]
            for stiffness in (mass * each for each in STIFFNESSES):
                contact = {"contact": elements(stiffness, 4e-3)["contact"]}
                ode = subject.to_ode(ball, **contact, **given)
                runs.append(("ODE, LSODA", ode.solve((0.0, top), start, rtol=1e-9)))
                if stiffness == mass * STIFFNESSES[0]:
                    runs.append(("ODE, RK4 at 1 ms", ode.solve((0.0, top), start, method="RK4", step=1e-3)))
                for period in PERIODS:
                    stepper = subject.to_stepper(ball, period=period, **contact, **given)
                    runs.append(("implicit, 0.1 to 5 ms", stepper.run(ticks=round(top / period), initial=start)))
            for route, run in runs:
                worst[route] = max(worst[route], abs(felt(run, restitution) / restitution - 1.0))
                impacts += 1
    for route, off in worst.items():
        yield Finding(f"{route}: off, of what was asked", off, "<=", 1e-5)
    yield Finding("impacts", impacts, ">=", 90)


@paper.claim(source="slide 'systems with friction and contact'")
def oblique_impacts_obey_one_law(subject: XiongSubject) -> Findings:
    """Friction of an impact is Coulomb's for impulses in all three routes: it takes mu (1 + e) of the speed of approach
    from the slip, or all of it.
    """
    mu, restitution = 0.3, 0.5
    off = dict.fromkeys(("exact events", "ODE", "implicit"), 0.0)
    for along in (2.0, 0.2):
        mass, start = subject.floor(friction=mu, gravity=0.0, height=0.05, speed=along)
        start |= {"vy": -1.0}
        given = {"restitution": restitution}
        runs = {
            "exact events": subject.to_events(mass, **given).solve((0.0, 0.1), start),
            "ODE": subject.to_ode(mass, **elements(1e6), **given).solve((0.0, 0.1), start),
            "implicit": subject.to_stepper(mass, period=1e-3, **elements(1e6), **given).run(ticks=100, initial=start),
        }
        for route, run in runs.items():
            slip = along - min(along, mu * (1.0 + restitution))
            off[route] = max(off[route], abs(float(run.vx[-1]) - slip), abs(float(run.vy[-1]) - restitution))
    for route, speed in off.items():
        yield Finding(f"{route}: speeds after, off the law", speed, "<=", 1e-6, "m/s")


@paper.claim(source="slide 'systems with friction and contact'")
def woodpecker_pecks_alike(subject: XiongSubject) -> Findings:
    """A toy woodpecker, which lives by impacts, jamming and friction, goes the same way by all three routes."""
    bird, start = subject.woodpecker()
    times = np.linspace(0.0, 0.3, 301)
    given = {"restitution": {"beak": 0.5, "lower": 0.0, "upper": 0.0}}
    exact = subject.to_events(bird, **given).solve((0.0, 0.3), start, times=times)
    runs = {"ODE": subject.to_ode(bird, **elements(1e6), **given).solve((0.0, 0.3), start, times=times)}
    stepper = subject.to_stepper(bird, period=2e-5, **elements(1e7, 1e-4), **given)
    runs["implicit"] = stepper.run(ticks=15_000, every=50, initial=start)
    pecks = sum(event.element == "beak" and event.kind == "touch" for event in exact.events)
    yield Finding("pecks", pecks, ">=", 2)
    yield Finding("way down", -float(exact.p[-1]), ">=", 0.03, "m")
    for route, run in runs.items():
        rows = slice(-300, None)
        off = max(float(np.abs(run[q][rows] - exact[q][rows]).max()) for q in ("q1", "q2"))
        yield Finding(f"{route}: angles, off the exact route", off, "<=", 5e-3, "rad")


# A rod that strikes the floor with one end so that friction stops its slip: angle [rad], speeds [m/s, m/s, rad/s].
ANGLE, SPEEDS, TURNING, ROUGH, LIVELY = 0.75, (0.0, -0.45, 1.1), 1.0 / 3.0, 0.95, 0.99


def falling_rod() -> tuple[Inclusion, dict[str, float]]:
    """A rod of 1 kg and 2 m, its lower end a hair above the floor."""
    x, y, q, u, v, w, mu, J = sympy.symbols("x y q u v w mu J")
    press = dio(y - sympy.sin(q), "tip")
    rub = coulomb(mu * press, u + sympy.sin(q) * w, "rub")
    turn = (-sympy.cos(q) * press - sympy.sin(q) * rub) / J
    rod = Inclusion({x: u, y: v, q: w, u: -rub, v: press, w: turn}, {mu: ROUGH, J: TURNING})
    start = {"q": ANGLE, "y": math.sin(ANGLE) + 1e-6}
    return rod, start | dict(zip("uvw", SPEEDS, strict=True))


def kinetic(speeds: Array) -> float:
    """Of the rod [J]."""
    return float(0.5 * (speeds[0] ** 2 + speeds[1] ** 2 + TURNING * speeds[2] ** 2))


@paper.claim(source="slide 'systems with friction and contact'")
def impacts_gain_no_energy(subject: XiongSubject) -> Findings:
    """No impact gains energy. Newton's law by itself does where friction stops the slip of an eccentric impact, as
    Kane and Levinson noticed; ours then gives back as much less as it takes to gain nothing.
    """
    J = np.array([[0.0, 1.0, -math.cos(ANGLE)], [1.0, 0.0, math.sin(ANGLE)]])
    before, answer = np.array(SPEEDS), J.T / np.array([[1.0], [1.0], [TURNING]])
    rates = J @ before
    impulse = np.linalg.solve(J @ answer, [-(1.0 + LIVELY) * rates[0], -rates[1]])
    yield Finding("Newton's law alone, friction within its cone: energy", abs(impulse[1] / impulse[0]), "<=", ROUGH)
    yield Finding("what it gains, of all", kinetic(before + answer @ impulse) / kinetic(before) - 1.0, ">=", 0.3)
    rod, start = falling_rod()
    given = {"restitution": LIVELY}
    runs = {
        "exact events": subject.to_events(rod, **given).solve((0.0, 1e-4), start),
        "ODE": subject.to_ode(rod, **elements(1e6), **given).solve((0.0, 1e-4), start),
        "implicit": subject.to_stepper(rod, period=1e-6, **elements(1e6), **given).run(ticks=100, initial=start),
    }
    for route, run in runs.items():
        gained = kinetic(np.array([run.u[-1], run.v[-1], run.w[-1]])) / kinetic(before) - 1.0
        yield Finding(f"{route}: gain, of all", gained, "<=", 1e-4)
        yield Finding(f"{route}: nor lost more than it must", gained, ">=", -1e-2)
