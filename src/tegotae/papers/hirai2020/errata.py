"""Where the paper does not hold as printed."""

from __future__ import annotations

import numpy as np

from tegotae.papers.hirai2020 import LENGTH, NODES, TORQUE, HiraiSubject, paper, phases, random_states
from tegotae.papers.ledger import Finding, Findings
from tegotae.rod import Phase
from tegotae.rod.phases import BASES


@paper.claim(source="the equation before (11)", as_printed=False)
def erratum_constraint(subject: HiraiSubject) -> Findings:
    """A segment ends where its tangent leads, x_(k+1) - x_k = int cos theta(u) du. As printed, int cos(u) du, the same
    for every shape, a straight rod would end somewhere else.

    Printed: cos(u), sin(u) for cos theta(u), sin theta(u).
    """
    rod = subject.Saddle(rod=subject.rod())
    still = np.zeros(NODES)
    straight = rod.integrals(still, still).way.sum()
    circle = rod.integrals(np.linspace(0.0, 2.0 * np.pi, NODES), still).way.sum()
    yield Finding("as printed: end of a straight rod, off L", abs(np.sin(LENGTH) - LENGTH), ">=", 1.0, "m")
    yield Finding("corrected: end of a straight rod, off L", abs(straight - LENGTH), "<=", 1e-12, "m")
    yield Finding("corrected: gap of a full circle", abs(circle), "<=", 1e-12, "m")


@paper.claim(source="(28) and the system after it", as_printed=False)
def erratum_zero_block(subject: HiraiSubject) -> Findings:
    """The lower right block of the saddle-point matrix is 0, in the extended one too. The printed -A has as many rows
    as there are coordinates, and does not fit.

    Printed: -A in the lower right block, -A_e in the last rows and columns.
    """
    # Sizes; and whether what the corrected system gives keeps the constraints' second derivative.
    solver = subject.Saddle(rod=subject.rod())
    ((angle, rate),) = random_states(NODES, 1)
    q, speed = solver.state(angle, rate, (0.0, 0.0), (0.0, 0.0))
    parts = solver.integrals(angle, rate)
    A, c = solver._constraints(parts, q, speed, BASES["pinned"], q[:3])
    a = solver.solve(q, speed, Phase(until=1.0, torque=TORQUE, base="pinned"), anchor=q[:3])[: A.shape[0]]
    multipliers = 2 * (NODES - 1)
    yield Finding("as printed: rows of A more than multipliers", A.shape[0] - multipliers, ">", 0)
    yield Finding("corrected: X'' left over, relative", np.abs(A.T @ a + c).max() / np.abs(c).max(), "<=", 1e-12)


@paper.claim(source="section 6, X_1 = 0, Y_1 = 0", as_printed=False)
def erratum_pin(subject: HiraiSubject) -> Findings:
    """The pin holds the first node, x_1 = y_1 = 0. Read as the constraints X_1, Y_1 of (11), (12), the rows would be
    there twice and the base would fly off.

    Printed: the constraints X_1 = 0, Y_1 = 0; the matrix A_e below it holds x_1 and y_1.
    """
    solver = subject.Saddle(rod=subject.rod())
    still = np.zeros(NODES)
    q, speed = solver.state(still, still, (0.0, 0.0), (0.0, 0.0))
    A, _ = solver._constraints(solver.integrals(still, still), q, speed, BASES["free"], q[:3])
    twice = np.hstack([A, A[:, :2]])
    held, free = (
        np.hypot(*solver.solve(q, speed, Phase(until=1.0, torque=TORQUE, base=base), anchor=q[:3])[:2])
        for base in ("pinned", "free")
    )
    yield Finding("as printed: rows too many", twice.shape[1] - np.linalg.matrix_rank(twice), "=", 2)
    yield Finding("as printed: acceleration of the base", free, ">=", 100.0, "m/s²")
    yield Finding("corrected: acceleration of the base", held, "<=", 1e-9, "m/s²")


@paper.claim(source="(3), with section 6, time [2, 3]", as_printed=False)
def erratum_released_base(subject: HiraiSubject) -> Findings:
    """After the release the places are x_1(t) plus the integral. As printed, the integral from the origin, the first
    node could not leave it.

    Printed: x_k = int_0^xi_k (cos theta, sin theta) du.
    """
    # The paper's run at t = 3 s, as the saddle-point system gives it.
    rod = subject.rod()
    run = subject.Saddle(rod=rod).run(phases(), times=[3.0], rtol=1e-6, atol=1e-6)
    way = subject.Saddle(rod=rod, points=40).integrals(run.angle[-1], np.zeros(NODES)).way
    chain = np.concatenate([[0.0], np.cumsum(way)])
    places = run.position[-1, :, 0] + 1j * run.position[-1, :, 1]
    yield Finding("as printed: nodes off", np.abs(places - chain).max(), ">=", 5.0, "m")
    yield Finding("corrected: nodes off", np.abs(places - places[0] - chain).max(), "<=", 1e-6, "m")
