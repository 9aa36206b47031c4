"""The paper's point: mixed coordinates against angles alone."""

from __future__ import annotations

import time

from tegotae.papers.hirai2020.equations import apart
from tegotae.papers.hirai2020.subject import NODES, TORQUE, HiraiSubject, paper, random_states
from tegotae.papers.ledger import Finding
from tegotae.rod import Phase


def race(subject: HiraiSubject, nodes: int, *, rounds: int = 40) -> tuple[float, float]:
    """How far apart the two accelerations are, relative; and how many times longer angles alone take.

    Both compiled, in turn, best of several short rounds, which a busy machine interrupts least.
    """
    ((angle, rate),) = random_states(nodes, 1)
    pinned = Phase(until=1.0, torque=TORQUE, base="pinned")
    instant = subject.Instant(subject.rod(nodes), angle, rate, pinned)
    off = apart(instant.pure()[2:], instant.mixed()[2:])
    many, best = max(5, 2000 // nodes), [float("inf"), float("inf")]
    for _ in range(rounds):
        for i, evaluate in enumerate((instant.mixed, instant.pure)):
            start = time.process_time()
            evaluate(many)
            best[i] = min(best[i], time.process_time() - start)
    return off, best[1] / best[0]


@paper.claim(
    statement="With places as extra coordinates the integrals of a segment end at the segment. The same rod in angles "
    "alone has a full inertia matrix: it moves alike, costs about as much with five nodes, and ever more with more.",
    source="section 1, and (16) against [2] of the paper",
    note="Angles alone are given the same closed forms, and their matrix is filled in O(n²) from sums of places: the "
    "best that we can do for them.",
)
def mixed_coordinates_are_cheaper(subject: HiraiSubject) -> list[Finding]:
    """Accelerations of the paper's rod, and of rods with 33 and 129 nodes."""
    races = {nodes: race(subject, nodes) for nodes in (NODES, 33, 129)}
    bounds = {NODES: 0.9, 33: 1.3, 129: 3.0}
    return [
        Finding("accelerations apart, relative", max(off for off, _ in races.values()), "<=", 1e-10),
        *(Finding(f"time of angles alone over mixed, {n} nodes", races[n][1], ">=", bounds[n]) for n in races),
    ]
