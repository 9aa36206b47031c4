"""Machines that stand still because of friction: an arm, a box on a slope, a grasp; and what MuJoCo does with them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tegotae.friction import Coulomb
from tegotae.multibody import Ball, Body, Box, Corners, Free, HalfSpace, Prismatic, Scene, Tree
from tegotae.papers.ledger import Finding, Findings
from tegotae.papers.tarao1999 import HOUR, TaraoSubject, oracles, paper, peers
from tegotae.papers.tarao1999.oracles import Array, G
from tegotae.result import Result

COARSE = 1e-2  # period of the long runs [s]: an hour in some seconds
LIMIT = 200.0  # dry friction of the arm's joints [N·m]
LINK: dict[str, Any] = {"mass": 2.0, "inertia": (0.02, 0.02, 0.002), "length": 0.4}  # of the arm [kg, kg·m², m]
BENT = np.array([0.3, -0.5, 0.4, 0.7, -0.2, 0.1, 0.5])  # [rad]
SLOPE, ROUGH, HALF = math.radians(20.0), 0.5, 0.1
Size = tuple[float, float, float]  # halves of a box [m]
CUBE: Size = (HALF, HALF, HALF)
THING, FINGER, GRIP = 1.0, 1.0, 1e5  # masses [kg]; contact stiffness [N/m]


def arm(subject: TaraoSubject, limit: float) -> Tree:
    """Seven links of 2 kg, every joint rubs with this torque [N·m]."""
    rubbing = subject.Friction(stiffness=1e6, damping=10.0, law=Coulomb(limit))
    return subject.Tree(oracles.chain(7, **LINK, friction=rubbing))


@paper.claim(source="section 4.1: joints that keep still; stiction added by this project")
def parked_arm(subject: TaraoSubject) -> Findings:
    """An arm whose joints rub with more than gravity asks of them stays where it was parked, for an hour, to the last
    bit; with less, it sinks.
    """
    tree = arm(subject, LIMIT)
    run = subject.Scene(tree=tree).run(HOUR, period=COARSE, q=BENT, every=1000)
    still = np.zeros(7)
    _, load = oracles.kane(tree.bodies, run.q[-1], still, still)
    sinking = arm(subject, 0.9 * float(np.abs(load).max()))
    fall = subject.Scene(tree=sinking).run(1.0, period=COARSE, q=BENT)
    yield Finding("largest torque of gravity over the limit", np.abs(load).max() / LIMIT, "<=", 0.8)
    yield Finding("give of the joints' springs at first", np.abs(run.q[0] - BENT).max(), "<=", 1e-3, "rad")
    yield Finding("motion in an hour, after 10 s to settle", np.abs(run.q - run.q[0]).max(), "=", 0.0, "rad")
    yield Finding("friction off gravity's torques", np.abs(run.friction[-1] - load).max(), "<=", 1e-6, "N·m")
    yield Finding("steps not solved", run.about["unsolved_steps"], "=", 0)
    yield Finding("limit at 0.9 of the largest: motion in 1 s", np.abs(fall.q[-1] - BENT).max(), ">=", 0.01, "rad")


def boxes(subject: TaraoSubject, angle: float, friction: float, half: Size = CUBE, *, count: int = 1) -> Scene:
    """Boxes of 1 kg on each other, on a slope: gravity leans, the ground is level."""
    sizes, feel = 2.0 * np.asarray(half), {"stiffness": 1e6, "damping": 1e4, "friction": friction}
    moments = tuple(((sizes**2).sum() - sizes**2) / 12.0)
    bodies, touches = [], []
    for k in range(count):
        at, name = (0.0, 0.0, half[2] * (2 * k + 1)), f"box{k}"
        bodies.append(Body(name=name, mass=1.0, inertia=moments, joint=Free(), position=at))
        below = {"surface": Box(half_sizes=(1.2 * half[0], 1.2 * half[1], half[2])), "of": f"box{k - 1}"}
        ground = below if k else {"surface": HalfSpace()}
        touches.append(subject.Touch(on=name, toucher=Corners(half_sizes=half), **ground, **feel))
    tree = subject.Tree(bodies, gravity=(G * math.sin(angle), 0.0, -G * math.cos(angle)))
    return subject.Scene(tree=tree, touches=touches)


@paper.claim(source="contact between two machines; friction added by this project")
def box_at_rest(subject: TaraoSubject) -> Findings:
    """A box below its friction angle stays for an hour; the slope carries its weight.

    20 degrees, friction 0.5.
    """
    run = boxes(subject, SLOPE, ROUGH).run(HOUR, period=COARSE, every=1000)
    weight = G * np.array([math.sin(SLOPE), 0.0, -math.cos(SLOPE)])
    off = np.abs(run.contact_force[-1].sum(axis=0) + weight).max()
    yield Finding("drift in an hour, after 10 s to settle", np.abs(run.q[:, :3] - run.q[0, :3]).max(), "<=", 1e-14, "m")
    yield Finding("force of the ground off the weight", off, "<=", 1e-9, "N")
    yield Finding("steps not solved", run.about["unsolved_steps"], "=", 0)


@paper.claim(source="contact between two machines; friction added by this project")
def box_slides_and_tips(subject: TaraoSubject) -> Findings:
    """It slides where the slope is steeper than its friction, with g (sin - mu cos); a tall rough one tips where the
    slope is steeper than its width over its height.
    """
    tan, tall = 0.4, (0.05, 0.05, 0.2)
    angle = math.atan(tan)
    rest, gone = (boxes(subject, angle, mu).run(2.0, period=1e-3) for mu in (tan / 0.99, tan / 1.01))
    theory = G * (math.sin(angle) - tan / 1.01 * math.cos(angle))
    middle = len(rest.time) // 2
    gains = (gone.v[-1, 0] - gone.v[middle, 0]) / (gone.time[-1] - gone.time[middle])
    upright, over = (
        boxes(subject, math.atan(share * tall[0] / tall[2]), 1.0, tall).run(2.0, period=1e-3) for share in (0.99, 1.01)
    )
    yield Finding("0.99 of the sliding limit: motion in a second", np.ptp(rest.q[middle:, 0]), "<=", 1e-14, "m")
    yield Finding("1.01 of it: acceleration off theory, relative", abs(gains / theory - 1.0), "<=", 1e-6)
    yield Finding("0.99 of the tipping limit: largest tilt", tilt(upright).max(), "<=", 0.01, "rad")
    yield Finding("1.01 of it: largest tilt", tilt(over).max(), ">=", 1.0, "rad")


def tilt(run: Result) -> Array:
    """Of the box's upright axis against the slope's normal [rad]."""
    x, y = run.q[:, 4], run.q[:, 5]
    return np.asarray(np.arccos(np.clip(1.0 - 2.0 * (x * x + y * y), -1.0, 1.0)))


def grasp(subject: TaraoSubject, share: float, duration: float = 2.0, period: float = 2e-3) -> Result:
    """Two fingers on slides press a thing with this share of the least force that holds it, mg/(2 mu)."""
    force = share * THING * G / (2.0 * ROUGH)
    bodies = [Body(name="thing", mass=THING, inertia=(0.01, 0.01, 0.01), joint=Free())]
    for name, side in (("left", -1.0), ("right", 1.0)):
        slide = Prismatic(axis=(-side, 0.0, 0.0))
        bodies.append(Body(name=name, mass=FINGER, joint=slide, position=(0.07 * side, 0.0, 0.0)))
    ball, box = Ball(radius=0.02), Box(half_sizes=(0.05, 0.05, 0.5))
    feel = {"stiffness": GRIP, "damping": 1e-2 * GRIP, "friction": ROUGH}
    touches = [subject.Touch(on=name, toucher=ball, surface=box, of="thing", **feel) for name in ("left", "right")]
    tree = subject.Tree(bodies)
    q = tree.neutral()
    q[7:] = force / GRIP  # already pressed
    scene = subject.Scene(tree=tree, touches=touches)
    return scene.run(duration, period=period, q=q, torque=[0.0] * 6 + [force, force])


@paper.claim(source="section 5, capturing a target: stated as future work")
def two_finger_grasp(subject: TaraoSubject) -> Findings:
    """Two fingers hold a thing by friction if each presses with more than m g/(2 mu); with less it slides down, as fast
    as theory says.
    """
    held, slid = grasp(subject, 1.01), grasp(subject, 0.99)
    middle = len(held.time) // 2
    fall = (slid.v[-1, 2] - slid.v[middle, 2]) / (slid.time[-1] - slid.time[middle])
    yield Finding("1.01 of the least grip: motion in a second", np.ptp(held.q[middle:, 2]), "<=", 1e-14, "m")
    yield Finding("0.99 of it: acceleration off g/100, relative", abs(-fall / (0.01 * G) - 1.0), "<=", 1e-6)


@paper.claim(source="beside the paper: the same arm, box and grasp", needs=("mujoco",))
def mujoco_creeps(subject: TaraoSubject) -> Findings:
    """MuJoCo, with its default settings, lets all three creep: its friction is softened, so that what should stick
    slides slowly. Ours does not move.

    Ten seconds, after one to settle; the grip is twice the least. Defaults: 2 ms, pyramidal cones, impratio 1, no
    noslip iterations. Elliptic cones, impratio 10 and 10 noslip iterations leave 0.3 rad, 3 µm and 0.1 mm (seen with
    MuJoCo 4.0, not measured here).
    """
    theirs = standing_in_mujoco()
    for (word, rows), unit in zip(standing(subject).items(), ("rad", "m", "m"), strict=True):
        creeps, ours = (moved_since_settled(each)[-1] for each in (theirs[word], rows))
        yield Finding(f"{word}: MuJoCo moves", creeps, ">=", 1e-3, unit)
        yield Finding(f"{word}: ours moves", ours, "<=", 1e-14, unit)


def standing(subject: TaraoSubject) -> dict[str, Array]:
    """What should not move of an arm, a box on a slope and a thing gripped twice as hard as needed, over 11 s."""
    return {
        "arm": subject.Scene(tree=arm(subject, LIMIT)).run(11.0, period=COARSE, q=BENT).q,
        "box": boxes(subject, SLOPE, ROUGH).run(11.0, period=COARSE).q[:, :3],
        "thing": grasp(subject, 2.0, duration=11.0, period=COARSE).q[:, :3],
    }


def standing_in_mujoco() -> dict[str, Array]:
    """The same of MuJoCo; of box and thing the direction in which they are pulled."""
    force = 2.0 * THING * G / (2.0 * ROUGH)
    push = np.array([0.0] * 6 + [force, force])
    lean = (G * math.sin(SLOPE), 0.0, -G * math.cos(SLOPE))
    box = peers.floor_xml(ROUGH) + peers.cubes_xml(ROUGH, HALF, HALF)
    thing = peers.grasp_xml(ROUGH, THING, FINGER)
    return {
        "arm": peers.track(peers.chain_xml(7, **LINK, friction=LIMIT), q=BENT, duration=11.0),
        "box": peers.track(peers.world_xml(box, lean), duration=11.0)[:, :1],
        "thing": peers.track(peers.world_xml(thing), push=push, duration=11.0)[:, 2:3],
    }


def moved_since_settled(rows: Array) -> Array:
    """The largest motion from where it was after the first of eleven seconds, at every tick from then on."""
    start = len(rows) // 11
    return np.asarray(np.abs(rows[start:] - rows[start]).max(axis=1))
