"""Joints and closed loops: what robots and mechanisms have beyond hinges in a chain."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.integrate import quad

from tegotae.friction import Coulomb
from tegotae.multibody import Body, Free, JointStop, Loop, Prismatic, Revolute, Spherical, Spring, Tree
from tegotae.papers.ledger import Finding, Findings
from tegotae.papers.tarao1999 import HOUR, TaraoSubject, paper
from tegotae.papers.tarao1999.oracles import Array

G = 9.81  # [m/s²]
CRANK, COUPLER, ROCKER, GROUND = 0.2, 0.5, 0.4, 0.45  # lengths [m] of a linkage whose crank turns round and round
MASSES = (1.0, 0.8, 0.6)  # [kg] of uniform bars
TURNING = 12.0  # [rad/s]
PERIODS = (4e-3, 2e-3, 1e-3)  # [s]
TOP: dict[str, Any] = {"mass": 1.3, "about": 0.01, "across": 0.006, "arm": 0.15}  # moments about the centre [kg·m²]


def bar(name: str, length: float, mass: float, **more: Any) -> Body:
    """A uniform bar from its joint along x, on a hinge about z."""
    across = mass * length**2 / 12.0
    inertia = (1e-3 * across, across, across)
    return Body(name=name, mass=mass, inertia=inertia, center=(0.5 * length, 0.0, 0.0), **more)


def linkage(subject: TaraoSubject, friction: float = 0.0) -> Tree:
    """Four bars in a plane that stands upright; dry friction [N·m] in all four hinges, the last closes the loop."""
    rubs = subject.Friction(stiffness=1e6, damping=1e2, law=Coulomb(friction)) if friction else None
    hinge = Revolute(friction=rubs)
    bodies = [
        bar("crank", CRANK, MASSES[0], joint=hinge),
        bar("coupler", COUPLER, MASSES[1], joint=hinge, parent="crank", position=(CRANK, 0.0, 0.0)),
        bar("rocker", ROCKER, MASSES[2], joint=hinge, position=(GROUND, 0.0, 0.0)),
    ]
    pin = Loop(
        name="pin", body="coupler", place=(COUPLER, 0.0, 0.0), parent="rocker", position=(ROCKER, 0.0, 0.0), joint=hinge
    )
    return subject.Tree(bodies, gravity=(0.0, -G, 0.0), loops=[pin])


def bars_at(crank: float) -> tuple[Array, Array]:
    """Angles of the three bars in the world, and how they turn by the crank: two circles that meet, above."""
    x, y = CRANK * math.cos(crank) - GROUND, CRANK * math.sin(crank)
    apart = math.hypot(x, y)
    rocker = math.atan2(y, x) - math.acos((apart**2 + ROCKER**2 - COUPLER**2) / (2.0 * apart * ROCKER))
    coupler = math.atan2(ROCKER * math.sin(rocker) - y, ROCKER * math.cos(rocker) - x)
    bend = math.sin(coupler - rocker)
    turns = (
        1.0,
        CRANK * math.sin(rocker - crank) / (COUPLER * bend),
        CRANK * math.sin(coupler - crank) / (ROCKER * bend),
    )
    return np.array([crank, coupler, rocker]), np.array(turns)


def inertia_and_height(crank: float) -> tuple[float, float]:
    """M of the kinetic energy M w²/2 of all bars, w being the crank's speed, and their potential energy [J]."""
    (a, b, c), (_, kb, kc) = bars_at(crank)
    m1, m2, m3 = MASSES
    inertia = m1 * CRANK**2 / 3.0 + m2 * COUPLER**2 / 12.0 * kb**2 + m3 * ROCKER**2 / 3.0 * kc**2
    half = 0.5 * COUPLER * kb
    inertia += m2 * (CRANK**2 + half**2 + 2.0 * CRANK * half * math.cos(a - b))
    height = 0.5 * m1 * CRANK * math.sin(a) + 0.5 * m3 * ROCKER * math.sin(c)
    return inertia, G * (height + m2 * (CRANK * math.sin(a) + 0.5 * COUPLER * math.sin(b)))


def started(tree: Tree, crank: float, speed: float) -> tuple[Array, Array]:
    """q and v where the bars meet above the ground."""
    (a, b, c), turns = bars_at(crank)
    rates = speed * turns
    return np.array([a, b - a, c, b - c]), np.array([rates[0], rates[1] - rates[0], rates[2], rates[1] - rates[2]])


def late(crank: float, until: float, start: float) -> float:
    """How much later the crank is at an angle than at a time, by the integral of energy [s]."""
    inertia, height = inertia_and_height(start)
    energy = 0.5 * inertia * TURNING**2 + height

    def slowness(angle: float) -> float:
        M, V = inertia_and_height(angle)
        return math.sqrt(M / (2.0 * (energy - V)))

    turns = np.linspace(start, crank, 40)
    parts = [quad(slowness, a, b, epsabs=1e-14, epsrel=1e-13)[0] for a, b in pairwise(turns)]
    return float(sum(parts)) - until


def apart(q: Array) -> float:
    """How far the ends of coupler and rocker are from each other, by plain trigonometry [m]."""
    a, b, c = q[..., 0], q[..., 0] + q[..., 1], q[..., 2]
    x = CRANK * np.cos(a) + COUPLER * np.cos(b) - GROUND - ROCKER * np.cos(c)
    y = CRANK * np.sin(a) + COUPLER * np.sin(b) - ROCKER * np.sin(c)
    return float(np.abs([x, y]).max())


@paper.claim(source="section 3.3: trees of bodies; here their loops are closed, too")
def loops_stay_closed(subject: TaraoSubject) -> Findings:
    """A four-bar linkage moves as its closed form does, of second order, and its loop stays closed for an hour."""
    tree, start, until = linkage(subject), 0.7, 0.5
    q, v = started(tree, start, TURNING)
    errors = []
    for period in PERIODS:
        run = subject.Scene(tree=tree).run(until, period=period, q=q, v=v)
        errors.append(abs(late(float(run.q[-1, 0]), until, start) * float(run.v[-1, 0])))
    order = float(np.polyfit(np.log(PERIODS), np.log(errors), 1)[0])
    yield Finding("order, fitted, off 2", abs(order - 2.0), "<=", 0.1)
    yield Finding("crank at 1 ms, off the closed form", errors[-1], "<=", 1e-4, "rad")
    run = subject.Scene(tree=tree).run(HOUR, period=5e-3, q=q, v=v, every=900)
    yield Finding("after an hour at 5 ms: ends apart at most", apart(np.asarray(run.q)), "<=", 1e-10, "m")
    energy = np.asarray(run.kinetic_energy) + np.asarray(run.potential_energy)
    yield Finding("energy off its start, of the kinetic", abs(energy[-1] / energy[0] - 1.0), "<=", 5e-3)


@paper.claim(source="section 4.2: friction in joints; here in those of a loop")
def friction_in_loops_is_exact(subject: TaraoSubject) -> Findings:
    """Dry friction in all joints of a loop, the closing one too: what it takes is its moment times the way of each, and
    what it holds does not creep.
    """
    tree, start, limit = linkage(subject, friction=0.05), 0.7, 0.05
    q, v = started(tree, start, TURNING)
    run = subject.Scene(tree=tree).run(0.5, period=5e-4, q=q, v=v)
    ways = np.abs(np.diff(np.vstack([q, run.q]), axis=0)).sum()
    inertia, height = inertia_and_height(start)
    before = 0.5 * inertia * TURNING**2 + height
    lost = before - float(run.kinetic_energy[-1] + run.potential_energy[-1])
    yield Finding(
        "energy that friction took, off its moment times the ways", abs(lost / (limit * ways) - 1.0), "<=", 2e-3
    )
    held = linkage(subject, friction=5.0)
    rest = subject.Scene(tree=held).run(HOUR, period=1e-2, q=q, every=3600)
    creep = np.abs(rest.q[-1] - rest.q[2]).max()
    yield Finding("at rest under its weight for an hour: creep", creep, "<=", 1e-12, "rad")
    yield Finding("steps that were not solved", rest.about["unsolved_steps"], "<=", 0, "steps")


def precession(tilt: float, spin: float) -> float:
    """Speed at which a top on a point goes round evenly, tilted so far from upright and turning about itself so fast
    (its whole angular velocity along its axis): A cos(tilt) W² - C spin W + m g l = 0, the slower of both [rad/s].
    """
    A = TOP["about"] + TOP["mass"] * TOP["arm"] ** 2
    a, b, c = A * math.cos(tilt), -TOP["across"] * spin, TOP["mass"] * G * TOP["arm"]
    return float(-c / b if abs(a) < 1e-12 else 2.0 * c / (-b + math.sqrt(b * b - 4.0 * a * c)))


@paper.claim(source="section 3.3: joints of one degree; here of three, in one point")
def ball_joints_have_no_pole(subject: TaraoSubject) -> Findings:
    """A top on a ball joint goes round evenly as its closed form says, upright, level or hanging: no position of the
    joint is singular, and ticks are of second order.
    """
    inertia = (TOP["about"], TOP["about"], TOP["across"])
    body = Body(name="top", mass=TOP["mass"], inertia=inertia, center=(0.0, 0.0, TOP["arm"]), joint=Spherical())
    tree = subject.Tree([body], gravity=(0.0, 0.0, -G))
    spin, until, worst, slopes = 150.0, 0.4, 0.0, []
    for tilt in (0.3, 0.5 * math.pi, 2.5):
        W, axis = precession(tilt, spin), np.array([math.sin(tilt), 0.0, math.cos(tilt)])
        q = [math.cos(0.5 * tilt), 0.0, math.sin(0.5 * tilt), 0.0]
        about = spin * axis + W * (np.array([0.0, 0.0, 1.0]) - math.cos(tilt) * axis)
        end = np.array([math.sin(tilt) * math.cos(W * until), math.sin(tilt) * math.sin(W * until), math.cos(tilt)])
        errors = []
        for period in (1e-3, 5e-4, 2.5e-4):
            run = subject.Scene(tree=tree).run(until, period=period, q=q, v=about)
            errors.append(float(np.abs(tree.pose(run.q[-1], "top")[1][:, 2] - end).max()))
        worst = max(worst, errors[-1])
        slopes.append(float(np.polyfit(np.log((1e-3, 5e-4, 2.5e-4)), np.log(errors), 1)[0]))
    yield Finding("order, fitted, off 2", max(abs(slope - 2.0) for slope in slopes), "<=", 0.1)
    yield Finding("axis at 0.25 ms, off the closed form", worst, "<=", 1e-3)


@paper.claim(source="section 4.2: momentum, for machines that float")
def springs_between_any_points(subject: TaraoSubject) -> Findings:
    """Two bodies that a spring without length joins in space go round each other in an ellipse, of second order;
    momentum and angular momentum are kept to rounding, however stiff the spring is.
    """
    masses, K, until = (1.0, 3.0), 200.0, 1.5
    bodies = [
        Body(name=name, mass=mass, inertia=(0.1, 0.1, 0.1), joint=Free())
        for name, mass in zip(("one", "two"), masses, strict=True)
    ]
    tree = subject.Tree(bodies, gravity=(0.0, 0.0, 0.0))
    start, speed = np.array([0.6, 0.0, 0.1]), np.array([0.0, 3.0, 1.0])
    q, v = tree.neutral(), np.zeros(12)
    q[:3], v[:3] = start, speed
    rate = math.sqrt(K * (1.0 / masses[0] + 1.0 / masses[1]))
    wanted = start * math.cos(rate * until) + speed / rate * math.sin(rate * until)
    errors, periods = [], (5e-4, 2.5e-4, 1.25e-4)
    for period in periods:
        spring = Spring(first="one", second="two", stiffness=K, length=0.0)
        run = subject.Scene(tree=tree, springs=[spring]).run(until, period=period, q=q, v=v)
        errors.append(float(np.abs(run.q[-1, :3] - run.q[-1, 7:10] - wanted).max()))
    yield Finding(
        "order, fitted, off 2", abs(float(np.polyfit(np.log(periods), np.log(errors), 1)[0]) - 2.0), "<=", 0.1
    )
    yield Finding("at 0.5 ms, off the ellipse", errors[0], "<=", 1e-4, "m")
    stiff = Spring(first="one", second="two", stiffness=1e9, length=float(np.linalg.norm(start)))
    run = subject.Scene(tree=tree, springs=[stiff]).run(until, period=1e-3, q=q, v=v)
    linear, spin = (np.asarray(x) for x in (run.momentum, run.angular_momentum))
    yield Finding("a spring of 1e9 N/m: momentum off", np.abs(linear - masses[0] * speed).max(), "<=", 1e-11, "kg·m/s")
    turned = np.abs(spin - np.cross(start, masses[0] * speed)).max()
    yield Finding("angular momentum off", turned, "<=", 1e-11, "kg·m²/s")


@paper.claim(source="section 4.2, contact; here of a joint with its own end")
def joints_stop_as_asked(subject: TaraoSubject) -> Findings:
    """A joint with a stop gives back at its limit the part of its speed that is asked for, whatever it weighs and
    however long the ticks are; an arm that hits one changes all its speeds as the impulse asks, and gains nothing.
    """
    worst = 0.0
    for restitution in (0.2, 0.5, 0.9):
        stop = JointStop(stiffness=1e5, restitution=restitution)
        for mass in (1e-3, 1e3):
            slide = Prismatic(axis=(1, 0, 0), upper=0.1, stop=stop)
            tree = subject.Tree([Body(name="slide", mass=mass, joint=slide)], gravity=(0.0, 0.0, -G))
            for period in (2e-4, 1e-3, 4e-3):
                run = subject.Scene(tree=tree).run(0.2, period=period, v=[0.73])
                worst = max(worst, abs(-float(run.v[-1, 0]) / 0.73 / restitution - 1.0))
    yield Finding("slides: off, of what was asked", worst, "<=", 1e-6)
    arm: dict[str, Any] = {"mass": 1.0, "inertia": (0.002, 0.03, 0.03), "center": (0.3, 0.0, 0.0)}
    elbow = Revolute(axis=(0, 1, 0), upper=0.5, stop=JointStop(restitution=0.6))
    bodies = [
        Body(name="upper", joint=Revolute(axis=(0, 1, 0)), **arm),
        Body(name="lower", joint=elbow, parent="upper", position=(0.6, 0.0, 0.0), **arm),
    ]
    tree = subject.Tree(bodies, gravity=(0.0, 0.0, 0.0))
    run = subject.Scene(tree=tree).run(0.2, period=1e-4, q=[0.2, 0.3], v=[-0.5, 2.0])
    hit = int(np.flatnonzero(np.asarray(run.v)[:, 1] < 0.0)[0])
    before, after = np.asarray(run.v)[hit - 1], np.asarray(run.v)[hit]
    answer = np.linalg.solve(tree.mass_matrix(run.q[hit]), [0.0, 1.0])
    wanted = before - answer * (1.0 + 0.6) * before[1] / answer[1]
    yield Finding("an arm: speeds after it, off the impulse", np.abs(after - wanted).max(), "<=", 2e-3, "rad/s")
    energy = np.asarray(run.kinetic_energy)
    yield Finding("energy gained, of what there was", float(energy.max() / energy[0] - 1.0), "<=", 2e-3)


@paper.claim(source="section 3.2: forces between bodies; here what joints transmit")
def joints_tell_what_they_carry(subject: TaraoSubject) -> Findings:
    """A pendulum pulls at its hinge with its weight and what keeps it on its circle, of second order; in a linkage the
    joint that closes the loop carries what Newton's law asks of the rocker.
    """
    mass, arm, about, until = 2.0, 0.4, 0.05, 0.5
    bob = Body(name="bob", mass=mass, inertia=(about,) * 3, center=(0.0, 0.0, -arm), joint=Revolute(axis=(0, 1, 0)))
    tree = subject.Tree([bob], gravity=(0.0, 0.0, -G))
    errors, periods = [], (4e-3, 2e-3, 1e-3)
    for period in periods:
        run = subject.Scene(tree=tree, reactions=True).run(until, period=period, q=[1.2])
        angle = 0.5 * (run.q[-1, 0] + run.q[-2, 0])  # they are told of the middle of a tick
        rate2 = 2.0 * mass * G * arm * (math.cos(angle) - math.cos(1.2)) / (about + mass * arm**2)
        turn = -mass * G * arm * math.sin(angle) / (about + mass * arm**2)
        inwards, along = np.array([math.sin(angle), math.cos(angle)]), np.array([-math.cos(angle), math.sin(angle)])
        wanted = mass * (arm * rate2 * inwards + arm * turn * along + np.array([0.0, G]))
        errors.append(float(np.abs(np.asarray(run["reaction.bob"])[-1, [0, 2]] - wanted).max()))
    slope = float(np.polyfit(np.log(periods), np.log(errors), 1)[0])
    yield Finding("pendulum: order, fitted, off 2", abs(slope - 2.0), "<=", 0.1)
    yield Finding("at 1 ms, of its weight", errors[-1] / (mass * G), "<=", 1e-4)
    linked = linkage(subject)
    q, v = started(linked, 0.7, TURNING)
    period = 1e-4
    run = subject.Scene(tree=linked, reactions=True).run(0.1, period=period, q=q, v=v)
    rates = np.asarray(run.v)[:, 2]
    turn, rate = (rates[-1] - rates[-2]) / period, 0.5 * (rates[-1] + rates[-2])
    c = 0.5 * float(run.q[-1, 2] + run.q[-2, 2])
    half = 0.5 * ROCKER
    x, y = np.array([math.cos(c), math.sin(c)]), np.array([-math.sin(c), math.cos(c)])
    asked = MASSES[2] * (half * (turn * y - rate**2 * x) + np.array([0.0, G]))
    felt = np.asarray(run["reaction.rocker"])[-1, :2] - np.asarray(run["reaction.pin"])[-1, :2]
    off = float(np.abs(felt - asked).max() / np.abs(asked).max())
    yield Finding("rocker at 0.1 ms: off Newton's law", off, "<=", 1e-3)
