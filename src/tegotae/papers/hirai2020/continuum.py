"""Many nodes: convergence, and the motion that the paper tells."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from tegotae.papers.hirai2020.oracles import Array
from tegotae.papers.hirai2020.subject import GENTLE, LENGTH, TORQUE, HiraiSubject, paper, phases
from tegotae.papers.ledger import Finding
from tegotae.result import Result
from tegotae.rod import Phase


def tip(subject: HiraiSubject, nodes: int, torque: float = GENTLE) -> Array:
    """Where the tip is at t = 1 s [m]."""
    pushed = [Phase(until=1.0, torque=torque, base="pinned")]
    return np.asarray(subject.rod(nodes).run(pushed, times=[1.0], rtol=1e-8, atol=1e-8).position[-1, -1])


@paper.claim(
    statement="Angles linear between nodes converge to the continuous rod with the square of the segment.",
    source="(1), (2)",
    note="At a torque of 10: at the paper's 50 the continuum winds up into a coil, which five nodes cannot follow.",
)
def second_order_in_n(subject: HiraiSubject) -> list[Finding]:
    """Tip at t = 1 s for 16, 32, 64 and 128 segments."""
    tips = [tip(subject, nodes) for nodes in (17, 33, 65, 129)]
    steps = [float(np.linalg.norm(b - a)) for a, b in pairwise(tips)]
    orders = [np.log2(steps[0] / steps[1]), np.log2(steps[1] / steps[2])]
    limit = tips[-1] + (tips[-1] - tips[-2]) / 3.0
    before = tips[-2] + (tips[-2] - tips[-3]) / 3.0
    return [
        Finding("order from 16 to 64 segments, off 2", abs(orders[0] - 2.0), "<=", 0.1),
        Finding("order from 32 to 128 segments, off 2", abs(orders[1] - 2.0), "<=", 0.1),
        Finding(
            "extrapolated tip, from one doubling to the next", float(np.linalg.norm(limit - before)), "<=", 1e-4, "m"
        ),
    ]


def told(subject: HiraiSubject, nodes: int = 65, torque: float = GENTLE) -> Result:
    """The three phases, recorded every 0.25 s."""
    return subject.rod(nodes).run(phases(torque), times=np.linspace(0.0, 3.0, 13), rtol=1e-6, atol=1e-6)


def bending_by_quarter(run: Result) -> Array:
    """Share of the elastic energy in each quarter of the rod, (time, 4), from the first recorded bend on."""
    energy = np.diff(run.angle, axis=1)[1:] ** 2
    quarters = energy.reshape(energy.shape[0], 4, -1).sum(axis=2)
    return np.asarray(quarters / quarters.sum(axis=1, keepdims=True))


@paper.claim(
    statement="With a torque of 10 the rod moves as the text tells. While the torque acts it bends only near the pin; "
    "in the next second its right side travels to the left and the bend spreads along it; released, it leaves to the "
    "left, still changing its shape.",
    source="section 6, Fig. 2",
    as_printed=False,
    note="Printed: torque 50. With it and five nodes hardly any of the bend is near the pin at t = 1 s, and the tip "
    "then goes right for half a second.",
)
def narrated_motion(subject: HiraiSubject) -> list[Finding]:
    """65 nodes at torque 10; five nodes at 50."""
    run, printed = told(subject), told(subject, 5, TORQUE)
    middle, end = run.angle.shape[1] // 2, run.position[:, -1, 0]
    right = np.abs(run.angle[:, -1:] - run.angle[:, middle:]).max(axis=1)
    shape = np.diff(run.angle, axis=1) * (run.angle.shape[1] - 1) / LENGTH
    change = np.sqrt(((shape[12] - shape[8]) ** 2).mean())
    return [
        Finding("[0, 1]: energy of bending in the first quarter", bending_by_quarter(run)[:4, 0].min(), ">=", 0.9),
        Finding("[0, 1]: bend of the right half", right[:5].max(), "<=", 0.5, "rad"),
        Finding("[1, 2]: way of the tip along x", end[8] - end[4], "<=", -5.0, "m"),
        Finding("[1, 2]: bend of the right half", right[4:9].max(), ">=", 1.5, "rad"),
        Finding(
            "[2, 3]: way along x of the node that lags most",
            (run.position[12] - run.position[8])[:, 0].max(),
            "<=",
            -1.0,
            "m",
        ),
        Finding("[2, 3]: change of curvature", change, ">=", 0.1, "1/m"),
        Finding(
            "printed torque: energy of bending in the first quarter, t = 1 s",
            bending_by_quarter(printed)[3, 0],
            "<=",
            0.1,
        ),
        Finding(
            "printed torque: way of the tip along x from t = 1 to 1.5 s",
            np.diff(printed.position[[4, 6], -1, 0])[0],
            ">=",
            5.0,
            "m",
        ),
    ]
