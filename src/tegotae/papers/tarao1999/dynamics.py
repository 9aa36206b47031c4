"""Section 3.3: accelerations in O(n), against dense Kane, against Pinocchio, and what they cost."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from tegotae.multibody import Body, Prismatic, Revolute, Tree, UrdfWarning
from tegotae.papers.ledger import Finding, Findings
from tegotae.papers.measuring import apart, in_turn
from tegotae.papers.tarao1999 import TaraoSubject, oracles, paper, peers
from tegotae.papers.tarao1999.oracles import PERIOD, random_bodies, random_state
from tegotae.papers.two_robots import TwoRobots
from tegotae.result import Result

SIZES = (4, 10, 30, 100, 250, 500)
BASES = {"fixed": False, "free": True}


@paper.claim(source="(1) to (7), section 3.3")
def equations_of_kane(subject: TaraoSubject) -> Findings:
    """Forward, backward, forward: the three passes solve M u' + f = 0. M and f found again as dense matrices from the
    bodies as given: partial velocities as columns, remainders by a complex step.
    """
    for base, free in BASES.items():
        off = [_off_kane(subject, random_bodies(n, free=free, seed=n), free, n) for n in (1, 2, 5, 9, 16, 24)]
        yield Finding(f"random trees up to 24 bodies, {base} base, relative", max(off), "<=", 1e-12)
    robot = list(TwoRobots().robots[0].bodies)
    yield Finding("the paper's robot, relative", _off_kane(subject, robot, True, 1), "<=", 1e-12)


def _off_kane(subject: TaraoSubject, bodies: Sequence[Body], free: bool, seed: int) -> float:
    tree = subject.Tree(bodies)
    q, v, torque = random_state(tree.nq, tree.nv, free=free, seed=seed)
    pushes = np.random.default_rng(seed + 100).normal(size=(2, 6))
    wrenches = {bodies[0].name: pushes[0]} | {bodies[-1].name: pushes[1]}
    M, f = oracles.kane(tree.bodies, q, v, torque, wrenches=wrenches)
    return apart(np.asarray(np.linalg.solve(M, -f)), tree.forward_dynamics(q, v, torque, wrenches=wrenches))


@paper.claim(source="(1) to (7), section 3.3", needs=("pinocchio",))
def equals_pinocchio(subject: TaraoSubject) -> Findings:
    """The accelerations are those of Pinocchio's articulated bodies, in C++, for random trees."""
    for base, free in BASES.items():
        off = []
        for n in (2, 7, 20, 60):
            tree = subject.Tree(random_bodies(n, free=free, seed=n))
            state = random_state(tree.nq, tree.nv, free=free, seed=n)
            theirs = peers.accelerations(peers.pinocchio_tree(tree.bodies), tree.joint_names, *state, free=free)
            off.append(apart(theirs, tree.forward_dynamics(*state)))
        yield Finding(f"random trees up to 60 bodies, {base} base, relative", max(off), "<=", 1e-12)


def _on_their_own(tree: Tree) -> Tree:
    """The same tree with joints that follow no others."""
    bodies = []
    for body in tree.bodies:
        joint = body.joint
        if isinstance(joint, (Revolute, Prismatic)):
            joint = replace(joint, mimic=None)
        bodies.append(replace(body, joint=joint))
    return replace(tree, bodies=bodies)


@paper.claim(source="section 3.3, for machines of today", needs=("pinocchio", "example-robot-data"))
def equals_pinocchio_on_real_robots(subject: TaraoSubject) -> Findings:
    """So are they for arms, hands, legs and humanoids as their makers' URDF files describe them.

    Joints that mimic others move on their own here, as Pinocchio reads them.
    """
    # Both read the same file; fixed bases for arms, free ones for what walks.
    for word, name, free in peers.ROBOTS:
        path = peers.robot_file(name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UrdfWarning)
            tree = _on_their_own(subject.load_urdf(path, free_base=free))
        state = random_state(tree.nq, tree.nv, free=free, seed=1)
        theirs = peers.accelerations(peers.pinocchio_file(path, free=free), tree.joint_names, *state, free=free)
        off = apart(theirs, tree.forward_dynamics(*state))
        yield Finding(f"{word}, {len(tree.joint_names)} joints, relative", off, "<=", 1e-12)


def chain(subject: TaraoSubject, links: int) -> Tree:
    """A chain of hinges whose axes alternate."""
    return subject.Tree(oracles.chain(links, mass=1.0, inertia=(0.02, 0.02, 0.01), length=0.2))


def costs(subject: TaraoSubject, sizes: Sequence[int] = SIZES, *, rounds: int = 40) -> dict[int, float]:
    """Seconds a body, of accelerations many times in one compiled loop; interleaved, best of several rounds."""
    rng, rows = np.random.default_rng(0), {n: max(20, 20_000 // n) for n in sizes}
    rivals = {}
    for n in sizes:
        q, v = 0.3 * rng.normal(size=(rows[n], n)), rng.normal(size=(rows[n], n))
        rivals[n] = partial(chain(subject, n).forward_dynamics, q, v)
    best = in_turn(rivals, rounds=rounds, clock=time.process_time)
    return {n: seconds / (rows[n] * n) for n, seconds in best.items()}


@paper.claim(source="section 3.3, O(n)")
def cost_per_body(subject: TaraoSubject) -> Findings:
    """The cost grows with the number of bodies, no faster: a body costs the same in a chain of 500 links as in one of
    10.

    Processor time of the machine that wrote this; the ratio is bounded loosely: others may be at work on it.
    """
    cost = costs(subject)
    yield Finding("cost per body, 500 links over 10", cost[500] / cost[10], "<=", 2.5)
    yield Finding("dearest over cheapest of 4 to 500 links", max(cost.values()) / min(cost.values()), "<=", 4.0)
    yield Finding("500 links: accelerations in a period of 1 ms", 1e-3 / (500 * cost[500]), ">=", 1.0)


@paper.claim(source="section 4.3, real time at 2 ms")
def real_time(subject: TaraoSubject) -> Findings:
    """The step of both robots with their contact ends well within the paper's period of 2 ms.

    Processor time of the machine that wrote this. The paper's step includes its network and servo, not here.
    """
    two = subject.TwoRobots(kp=800.0)
    q, v = two.start()
    run: Callable[..., Result] = partial(two.scene.run, 20.0, period=PERIOD, q=q, v=v, every=100)
    rivals = {method: partial(run, method=method) for method in ("symplectic", "midpoint", "euler")}
    for method, seconds in in_turn(rivals, rounds=3, clock=time.process_time).items():
        yield Finding(f"{method}: times faster than real time", 20.0 / seconds, ">=", 100.0)
