"""The equations of motion: inertia, accelerations, constraints; and where they do not hold as printed."""

from __future__ import annotations

import numpy as np

from tegotae.papers.hirai2020 import LENGTH, NODES, TORQUE, HiraiSubject, paper, phases, plain, random_states
from tegotae.papers.hirai2020.oracles import Array, Lagrangian, beam_frequencies
from tegotae.papers.ledger import Finding, Findings
from tegotae.papers.measuring import apart
from tegotae.rod import Load, Payload, Phase
from tegotae.rod.phases import BASES, Base

HELD: dict[Base, int] = {"free": 0, "pinned": 2, "fixed": 3}


@paper.claim(source="(13) to (16), and the integrals before (6)")
def inertia_matrix(subject: HiraiSubject) -> Findings:
    """In mixed coordinates the inertia matrix is block-tridiagonal, and its integrals can be written down: every one is
    a moment of exp(i delta w). They meet quadrature to the last digits.
    """
    rod = subject.rod(9)
    closed, gauss = subject.Saddle(rod=rod), subject.Saddle(rod=rod, points=40)
    row, column = np.indices((27, 27)) // 3
    outside = np.abs(row - column) > 1
    off, beyond, massless = [], [], []
    for angle, _ in random_states(9, 20):
        J = closed.inertia(angle)
        off.append(apart(gauss.inertia(angle), J))
        beyond.append(np.abs(J[outside]).max())
        massless.append(np.abs(J[-3:-1]).max())
    yield Finding("closed forms off quadrature, relative", max(off), "<=", 1e-13)
    yield Finding("largest entry outside the three block diagonals", max(beyond), "=", 0.0)
    yield Finding("largest entry in the rows of x_n and y_n: J alone is singular", max(massless), "=", 0.0)


@paper.claim(source="(18) to (25)")
def equations_of_motion(subject: HiraiSubject) -> Findings:
    """The equations of motion are those of the Lagrangian. Found again from energies alone, in angles only, by
    quadrature and automatic differentiation, with gravity, a payload and loads between nodes.
    """
    off = []
    for nodes in (3, 4, 5):
        numbers = {"length": 4.0, "nodes": nodes, "density": 0.7, "elasticity": 1.3, "viscosity": 0.4}
        rod = subject.Rod(**numbers, gravity=(1.0, -9.81), payload=Payload(mass=0.3, inertia=0.2))
        oracle = Lagrangian(**numbers, gravity=(1.0, -9.81), payload=(0.3, 0.2))  # type: ignore[arg-type]
        loads = [Load(at=1.7, force=(1.0, 2.0), torque=0.5)]
        for (angle, rate), base in zip(random_states(nodes, 3, seed=nodes), HELD, strict=True):
            rate[0] *= base != "fixed"
            y, v = np.append([0.0, 0.0], angle), np.append([0.0, 0.0], rate)
            a = rod.accelerations(angle, rate, torque=7.0, base=base, loads=loads)
            pushes = [(1.7, (1.0, 2.0), 0.5)]
            off.append(apart(oracle.accelerations(y, v, torque=7.0, held=HELD[base], pushes=pushes)[2:], a))
    rest = np.zeros(NODES + 2)
    start = subject.rod().accelerations(rest[2:], rest[2:], torque=TORQUE, base="pinned")
    begun = apart(plain().accelerations(rest, rest, torque=TORQUE, held=2)[2:], start)
    yield Finding("accelerations off the Lagrangian, relative", max(off), "<=", 1e-10)
    yield Finding("start of the paper's run, relative", begun, "<=", 1e-12)


@paper.claim(source="(28) and the extended system after it")
def recursion_equals_saddle_point(subject: HiraiSubject) -> Findings:
    """One sweep from the tip to the base and back, O(n) and without constraints, gives the same accelerations as the
    paper's dense system of places, angles and multipliers.
    """
    rng, off = np.random.default_rng(2), dict.fromkeys(HELD, 0.0)
    for nodes in (2, 3, 5, 8, 12):
        hs = rng.uniform(0.5, 2.0, nodes - 1)
        rod = subject.Rod(
            length=hs.sum(),
            nodes=nodes,
            spacing=hs,
            density=rng.uniform(0.1, 1.0, nodes - 1),
            elasticity=rng.uniform(0.1, 2.0, nodes - 1),
            viscosity=rng.uniform(0.0, 2.0, nodes - 1),
            rest_curvature=rng.normal(size=nodes - 1),
            gravity=(1.0, -9.81),
            payload=Payload(mass=0.3, inertia=0.2),
        )
        loads = [Load(at=0.3 * rod.length, force=(1.0, 2.0), torque=0.5), Load(at=-0.0, force=(3.0, -1.0), torque=2.0)]
        for base in HELD:
            ((angle, rate),) = random_states(nodes, 1, seed=nodes)
            rate[0] *= base != "fixed"
            ours = rod.accelerations(angle, rate, torque=7.0, base=base, loads=loads)
            saddle = subject.Saddle(rod=rod, points=40)
            theirs = saddle.accelerations(angle, rate, torque=7.0, base=base, loads=loads)
            off[base] = max(off[base], apart(theirs, ours))
    for base, value in off.items():
        yield Finding(f"{base} base, relative", value, "<=", 1e-10)


@paper.claim(source="(27) and (28): constraint stabilisation")
def constraint_drift(subject: HiraiSubject) -> Findings:
    """Constraints that are only differentiated drift apart; stabilised (al = 10) they hold to the tolerance of the
    integrator; the recursion has none to drift.
    """
    rod = subject.rod()
    loose, held = (
        subject.Saddle(rod=rod, stabilisation=al).run(phases(), times=[3.0], rtol=1e-4, atol=1e-4).drift[-1]
        for al in (0.0, 10.0)
    )
    ours = rod.run(phases(), rtol=1e-4, atol=1e-4)
    yield Finding("al = 0: drift at t = 3 s", loose, ">=", 1e-3, "m")
    yield Finding("al = 10: drift at t = 3 s", held, "<=", 1e-4, "m")
    yield Finding("recursion: largest gap, by quadrature", ours.closure.max(), "<=", 1e-12, "m")


@paper.claim(source="section 6, f_p = -R_ela N q - R_vis N q'")
def bending_matrix(subject: HiraiSubject) -> Findings:
    """Bending acts through N = (1/h)[1 -1; -1 1] on the angles of each segment: small vibrations are those of a slender
    beam, with an error that falls four times with each doubling of the segments.

    The paper says only that N is set by the coordinates of the nodes.
    """
    bases: tuple[Base, ...] = ("free", "pinned")
    for base in bases:
        coarse, fine = (
            np.abs(frequencies(subject, base, nodes) / beam_frequencies(base, 3) - 1.0) for nodes in (17, 33)
        )
        yield Finding(f"{base}: worst of three frequencies off the beam, 32 segments", fine.max(), "<=", 5e-3)
        yield Finding(f"{base}: order of that error, off 2", np.abs(np.log2(coarse / fine) - 2.0).max(), "<=", 0.1)


def frequencies(subject: HiraiSubject, base: Base, nodes: int) -> Array:
    """The three lowest frequencies of a straight rod that bend it, over sqrt(R_ela/rho)/L^2."""
    rod = subject.Rod(length=1.0, nodes=nodes, density=1.0, elasticity=1.0)
    small, still = 1e-6, np.zeros(nodes)
    columns = [rod.accelerations(small * unit, still, base=base) / small for unit in np.eye(nodes)]
    squares = -np.linalg.eigvals(np.stack(columns, axis=1)).real
    return np.sqrt(np.sort(squares[squares > 1.0])[:3])


@paper.claim(source="the equation before (11)", as_printed=False)
def erratum_constraint(subject: HiraiSubject) -> Findings:
    """A segment ends where its tangent leads, x_(k+1) - x_k = int cos theta(u) du. As printed, int cos(u) du, the same
    for every shape, a straight rod would end somewhere else.

    Printed: cos(u), sin(u) for cos theta(u), sin theta(u).
    """
    rod = subject.Saddle(rod=subject.rod())
    still = np.zeros(NODES)
    straight = rod.integrals(still, still).chord.sum()
    circle = rod.integrals(np.linspace(0.0, 2.0 * np.pi, NODES), still).chord.sum()
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
    a = solver.solve(q, speed, phases()[0], anchor=q[:3])[: A.shape[0]]
    multipliers = 2 * (NODES - 1)
    yield Finding("as printed: rows of A more than multipliers", A.shape[0] - multipliers, ">", 0)
    yield Finding("corrected: X'' left over, relative", apart(c, -A.T @ a), "<=", 1e-12)


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
    rod = subject.rod()
    run = subject.Saddle(rod=rod).run(phases(), times=[3.0], rtol=1e-6, atol=1e-6)
    chords = subject.Saddle(rod=rod, points=40).integrals(run.angle[-1], np.zeros(NODES)).chord
    chain = np.concatenate([[0.0], np.cumsum(chords)])
    places = run.position[-1, :, 0] + 1j * run.position[-1, :, 1]
    yield Finding("as printed: nodes off", np.abs(places - chain).max(), ">=", 5.0, "m")
    yield Finding("corrected: nodes off", np.abs(places - places[0] - chain).max(), "<=", 1e-6, "m")
