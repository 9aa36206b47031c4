"""Where the slides do not hold as printed."""

from __future__ import annotations

import math

import numpy as np
import sympy

from tegotae.inclusion import Inclusion, coulomb, dio
from tegotae.papers.ledger import Finding, Findings
from tegotae.papers.xiong2011 import BETA, G, K, XiongSubject, paper


def restitution_without_alpha(zeta: float) -> float:
    """Of a spring and damper that lets go when its force is 0, the limit alpha -> 0."""
    root = math.sqrt(1.0 - zeta * zeta)
    return math.exp(-zeta / root * (math.pi - math.atan2(2.0 * zeta * root, 1.0 - 2.0 * zeta * zeta)))


def floor_as_printed(heavier: float) -> Inclusion:
    """M px'' in +mu dio(py) sgn(px'), M py'' in dio(py) - m g, with M = 1 kg and m [kg]."""
    px, py, vx, vy, M, m, mu, g = sympy.symbols("px py vx vy M m mu g")
    press = dio(py, "floor")
    rows = {px: vx, py: vy, vx: coulomb(mu * press, vx, "rub") / M, vy: (press - m * g) / M}
    return Inclusion(rows, {M: 1.0, m: heavier, mu: 0.5, g: G})


@paper.claim(source="slide 'systems with friction and contact'", as_printed=False)
def erratum_floor(subject: XiongSubject) -> Findings:
    """Friction of the floor brakes, M px'' in -mu dio(py) sgn(px'), and one mass falls with g. As printed, the mass
    speeds up by mu g t; and where m is not M, it falls with m g/M.

    Printed: M px'' in mu dio(py) sgn(px') (no minus) and M py'' in dio(py) - mg (m for M).
    """
    start, t = {"py": -G / K, "e_floor": G / K, "vx": 1.0}, 0.1
    printed, ours = subject.ode(floor_as_printed(1.0)), subject.ode(subject.floor()[0])
    fast, slow = (ode.solve((0.0, t), start, method="RK4", step=1e-4).vx[-1] for ode in (printed, ours))
    above = ours.start({"py": 1.0})
    row = [s.name for s in ours.states].index("vy")
    falls = {True: subject.ode(floor_as_printed(2.0)).rhs(0.0, above)[row], False: ours.rhs(0.0, above)[row]}
    yield Finding("as printed: speed after, off v + mu g t", abs(fast - (1.0 + 0.5 * G * t)), "<=", 1e-3, "m/s")
    yield Finding("corrected: speed after, off v - mu g t", abs(slow - (1.0 - 0.5 * G * t)), "<=", 1e-3, "m/s")
    yield Finding("as printed: fall with m = 2 M, of g", -falls[True] / G, ">=", 1.99)
    yield Finding("corrected: fall, off g", abs(falls[False] + G), "<=", 1e-12, "m/s²")


def two_bodies_as_printed(machine: Inclusion) -> Inclusion:
    """The first row without its parentheses: dio(p1x) - dio(p2x - p1x)/M1."""
    rows = dict(zip(machine.states, machine.right, strict=True))
    names = {s.name: s for s in (*machine.states, *machine.parameters)}
    gaps = {c.force: dio(c.gap, c.name) for c in machine.contacts}
    rows = {s: row.xreplace({f: gaps.get(f, sympy.S.Zero) for f in machine.forces}) for s, row in rows.items()}
    rows[names["v1x"]] = dio(names["p1x"], "wall") - dio(names["p2x"] - names["p1x"], "mutual") / names["M1"]
    return Inclusion(rows, machine.parameters)


@paper.claim(source="slides 1, 'worked example' and summary, first row of the inclusion", as_printed=False)
def erratum_first_row(subject: XiongSubject) -> Findings:
    """The first row is (dio(p1x) - dio(p2x - p1x))/M1: forces between bodies change no momentum and the wall gives what
    it takes. Without the parentheses a wall force of 1 N accelerates any mass by 1 m/s².

    Printed: dio(p1x) - dio(p2x - p1x)/M1; the ODE beside it, (psi1 - psi2)/M1, is right.
    """
    # Momentum along x for M1 = 3 kg: what 1 N at the wall and 1 N between the bodies give to both bodies.
    machine, _ = subject.two_bodies(masses=(3.0, 2.0))
    printed, corrected = _momentum(two_bodies_as_printed(machine)), _momentum(machine)
    yield Finding("as printed: wall's 1 N gives the bodies", printed[0], "=", 3.0, "N")
    yield Finding("corrected: wall's 1 N gives the bodies", corrected[0], "=", 1.0, "N")
    yield Finding("corrected: 1 N between them gives them", corrected[1], "=", 0.0, "N")


def _momentum(machine: Inclusion) -> tuple[float, float]:
    """Rate of M1 v1x + M2 v2x for 1 N at the wall, and for 1 N between the bodies [N]."""
    rows = {s.name: i for i, s in enumerate(machine.states)}
    forces = {c.name: i for i, c in enumerate(machine.contacts)}
    values = {s.name: v for s, v in machine.parameters.items()}
    D = machine.directions.subs(machine.parameters)

    def both(name: str) -> float:
        return float(sum(values[M] * D[rows[v], forces[name]] for M, v in (("M1", "v1x"), ("M2", "v2x"))))

    return both("wall"), both("mutual")


@paper.claim(
    source="slide 'differential-algebraic approximation + backward Euler', after 'equivalent transformation'",
    as_printed=False,
)
def erratum_backward_euler(subject: XiongSubject) -> Findings:
    """Backward Euler gives f_k = -K (a_k + beta (a_k - a_{k-1})/T), against the motion. As printed after the
    transformation, without the minus, friction drives the mass.

    Printed: f_k = K (a_k + beta (a_k - a_{k-1})/T) below, f_k = -K (...) above it. The line of the
    differential-algebraic inclusion also has (a - a_{k-1})/T where a' is meant.
    """
    F, T, v, a, work = 0.5 * G, 1e-3, 0.1, 0.0, []
    for _ in range(200):
        before = a
        a = (BETA * a + T * min(max(a + (BETA + T) * v, -F / K), F / K)) / (BETA + T)
        work.append(K * (a + BETA * (a - before) / T) * v)
    mass, start = subject.floor()
    rest = {"py": -G / K, "floor": G / K}
    run = subject.stepper(mass, period=T).run(ticks=150, initial=start | rest)
    rate = np.diff(run.vx)[5:] / T
    yield Finding("as printed: power of sliding friction, of F v", work[-1] / (F * v), ">=", 0.999)
    yield Finding("corrected: acceleration of the mass, off -mu g", np.abs(rate + F).max(), "<=", 1e-6, "m/s²")


@paper.claim(source="slides 'new method', from the differential-algebraic inclusion to the ODE", as_printed=False)
def erratum_no_alpha(subject: XiongSubject) -> Findings:
    """The differential-algebraic inclusion has no alpha: it is the limit alpha -> 0 of the ODE, not its equal. Both
    meet the restitution of spring and damper there; at alpha = beta/10 the ODE bounces higher.

    The slides call the step from the inclusion to the ODE an equivalent transformation.
    """
    limit = restitution_without_alpha(0.5 * BETA * math.sqrt(K))
    machine, start = subject.floor(gravity=0.0, speed=0.0, height=1e-4)
    start |= {"vy": -1.0}
    span = (0.0, 0.02)

    def explicit(alpha: float, step: float) -> float:
        run = subject.ode(machine, alpha=alpha).solve(span, start, method="RK4", step=step, times=[0.02])
        return float(run.vy[-1])

    implicit = subject.stepper(machine, period=2e-6).run(ticks=10_000, initial=start).vy[-1]
    yield Finding("implicit, T = 2 us: off the limit", abs(implicit - limit), "<=", 2e-3)
    yield Finding("ODE, alpha = beta/1000: off the limit", abs(explicit(2e-6, 2e-6) - limit), "<=", 2e-3)
    yield Finding("ODE, alpha = beta/10: above the limit", explicit(2e-4, 2e-5) - limit, ">=", 0.02)
