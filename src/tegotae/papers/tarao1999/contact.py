"""Section 4: the two robots meet, Figs. 12 to 15, in numbers alone."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from tegotae.multibody import Lock, Servo
from tegotae.papers.ledger import Finding, Findings
from tegotae.papers.tarao1999 import CHANGED, GAINS, SPEED, TaraoSubject, oracles, paper
from tegotae.papers.tarao1999.oracles import PERIOD, USUAL
from tegotae.papers.two_robots import TwoRobots

CASES = {f"Kp {kp:g}": (kp, USUAL) for kp in GAINS} | {"Kp 800, masses changed": (800.0, CHANGED)}  # Figs. 12 to 15
# How robot 1 holds its joints, from not at all to for good.
HOLDS: dict[str, Lock | Servo | None] = {
    "free": None,
    "soft servo": Servo(gain=1000.0, rate_gain=100.0),
    "stiff servo": Servo(gain=1e5, rate_gain=1000.0),
    "locked": Lock(),
}


@paper.claim(source="section 3.1, action and reaction; (8) and (9)")
def momentum(subject: TaraoSubject) -> Findings:
    """The contact acts on both robots with opposite signs: together they keep their momentum, linear and angular,
    through it.
    """
    for pose in ("A", "B"):
        run, _ = subject.meeting(kp=800.0, pose=pose)
        brought = SPEED * (USUAL[2] + 4.0 * USUAL[3])
        linear = float(np.abs(run.momentum - [0.0, 0.0, -brought]).max()) / brought
        about = run.angular_momentum
        turning = float(np.abs(about - about[0]).max()) / brought
        yield Finding(f"pose {pose}: momentum off, relative", linear, "<=", 1e-10)
        yield Finding(f"pose {pose}: angular momentum off, over momentum", turning, "<=", 1e-10, "m")


@paper.claim(source="section 4.2, Figs. 12 to 15")
def reduced_mass(subject: TaraoSubject) -> Findings:
    """In line, the two are lumps on the spring (15) of the table: the force peaks at v sqrt(k m) and lasts pi
    sqrt(m/k), with the reduced mass m.

    Pose A, both in line; the paper shows its own poses in a figure only.
    """
    for word, (kp, masses) in CASES.items():
        _, summary = subject.meeting(kp=kp, masses=masses)
        peak, duration = oracles.bump(subject.stiffness(kp), masses, SPEED)
        late = abs(summary["duration"] / duration - 1.0)
        yield Finding(f"{word}: peak off {peak:.4g} N, relative", abs(summary["peak_force"] / peak - 1.0), "<=", 1e-3)
        yield Finding(f"{word}: duration off {1e3 * duration:.4g} ms, relative", late, "<=", 1e-3)


@paper.claim(source="section 4.3, Figs. 12, 13 and 14")
def stiffer_table(subject: TaraoSubject) -> Findings:
    """The stiffer the table, the higher and shorter the force."""
    for pose in ("A", "B"):
        summaries = [subject.meeting(kp=kp, pose=pose)[1] for kp in GAINS]
        higher = min(b["peak_force"] / a["peak_force"] for a, b in pairwise(summaries))
        shorter = max(b["duration"] / a["duration"] for a, b in pairwise(summaries))
        yield Finding(f"pose {pose}: peak, twice the Kp over once, least", higher, ">=", 1.3)
        yield Finding(f"pose {pose}: duration, twice the Kp over once, largest", shorter, "<=", 0.77)


@paper.claim(source="section 4.3, Figs. 14 and 15")
def changed_masses(subject: TaraoSubject) -> Findings:
    """Other masses of the numerical models, another force: higher and longer with the heavier ones."""
    # Kp 800: the masses of Fig. 15 against those of Fig. 14; theory is the square root of the reduced masses.
    usual, changed = (subject.meeting(kp=800.0, masses=masses)[1] for masses in (USUAL, CHANGED))
    theory = oracles.bump(1.0, CHANGED, 1.0)[0] / oracles.bump(1.0, USUAL, 1.0)[0]
    higher = changed["peak_force"] / usual["peak_force"]
    yield Finding("peak, changed over usual", higher, ">=", 1.3)
    yield Finding("duration, changed over usual", changed["duration"] / usual["duration"], ">=", 1.3)
    yield Finding("peak ratio off theory, relative", abs(higher / theory - 1.0), "<=", 1e-3)


def felt_mass(two: TwoRobots, *, locked: bool) -> float:
    """What the contact feels of both robots along z [kg], 1/(J M^-1 J^T), from dense Kane at the first touch."""
    q, _ = two.start(gap=0.0)
    bodies, nv = two.tree.bodies, two.tree.nv
    M, _ = oracles.kane(bodies, q, np.zeros(nv), np.zeros(nv), gravity=(0.0, 0.0, 0.0))
    J = np.zeros(nv)
    for j, unit in enumerate(np.eye(nv)):
        seen = oracles.moved(bodies, q, unit)
        R, u, w, _ = (part.real for part in seen["robot1.link4"])
        # The tip lies on robot 2's axis through the base's centre of mass.
        J[j] = (u + np.cross(w, R @ [1.0, 0.0, 0.0]))[2] - seen["robot2.base"][1].real[2]
    moves = np.ones(nv, dtype=bool)
    moves[6:10] = not locked
    return float(1.0 / (J[moves] @ np.linalg.solve(M[np.ix_(moves, moves)], J[moves])))


@paper.claim(source="section 4.1, joints held by a suitable control")
def how_joints_are_held(subject: TaraoSubject) -> Findings:
    """How robot 1 holds its joints decides the force: freely least, then by a soft servo, by a stiff one, and most when
    locked. Free and locked are what dense mass matrices say.

    Pose B, both bent, Kp 200. The paper does not print its control.
    """
    peaks = {word: subject.meeting(kp=200.0, pose="B", joints=held)[1]["peak_force"] for word, held in HOLDS.items()}
    for a, b in pairwise(HOLDS):
        yield Finding(f"peak, {b} over {a}", peaks[b] / peaks[a], ">=", 1.005)
    for word in ("free", "locked"):
        two = TwoRobots(kp=200.0, pose="B")
        theory = SPEED * np.sqrt(subject.stiffness(200.0) * felt_mass(two, locked=word == "locked"))
        yield Finding(f"{word}: peak off theory, relative", abs(peaks[word] / theory - 1.0), "<=", 0.01)


@paper.claim(source="section 4.3, integrated numerically at 2 ms")
def explicit_euler_gains_energy(subject: TaraoSubject) -> Findings:
    """At the paper's period of 2 ms an explicit Euler step throws the robots apart faster than they came; a symplectic
    step of the same cost does not.

    The paper does not say which rule it uses. Euler's step is written out here, on the same accelerations.
    """
    for kp in GAINS:
        two = subject.TwoRobots(kp=kp)
        symplectic = two.summary(two.run(period=PERIOD, method="symplectic"))["restitution"]
        yield Finding(f"Kp {kp:g}: restitution, explicit Euler", euler(two), ">=", 1.03)
        yield Finding(f"Kp {kp:g}: restitution, symplectic, off 1", abs(symplectic - 1.0), "<=", 2e-3)


def euler(two: TwoRobots) -> float:
    """Restitution by explicit Euler, in line, from the first touch to the release."""
    q, v = two.start(gap=0.0)
    tip, base, second = 4.5, 0.5, two.robots[0]
    start, rows = float(v[second.nv + 2]), (second.nq + 2, second.nv + 2)
    depth, up = 0.0, np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    for _ in range(round(1.0 / PERIOD)):
        push = two.contact_stiffness * max(depth, 0.0) * up
        a = two.tree.forward_dynamics(q, v, wrenches={"robot1.link4": -push, "robot2.base": push})
        q = q.copy()
        q[[2, rows[0]]] += PERIOD * v[[2, rows[1]]]  # in line nothing turns
        v = v + PERIOD * a
        depth = (q[2] + tip) - (q[rows[0]] - base)
        if depth <= 0.0:
            break
    return float((v[rows[1]] - v[2]) / -start)
