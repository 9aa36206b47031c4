"""The slides' worked example: two bodies, three contacts, three frictions."""

from __future__ import annotations

import numpy as np

from tegotae.papers.ledger import Finding
from tegotae.papers.xiong2011.oracles import press, rigid_height
from tegotae.papers.xiong2011.point_mass import methods
from tegotae.papers.xiong2011.subject import XiongSubject, paper

# While body 1 slides down, and then up [s]; the way is the sign of its velocity.
SLIDES = ((0.05, 0.2, -1.0), (0.27, 0.42, 1.0))
STIFFNESSES = (1e5, 1e6, 1e7)
# Where a contact stops ringing, alpha = Meff/(4 beta K) [s], with the lightest Meff = M1 M2/(M1 + M2) = 2/3 kg; half.
CALM = 0.5 * (2.0 / 3.0) / 4.0


def calm(stiffness: float, beta: float) -> float:
    """An alpha [s] with which no contact of the machine rings."""
    return CALM / (beta * stiffness)


def height_error(subject: XiongSubject, *, stiffness: float, beta: float, alpha: float) -> float:
    """Largest distance [m] of body 1 from the rigid solution over two seconds, by LSODA."""
    machine, start = subject.two_bodies()
    times = np.linspace(0.0, 2.0, 2001)
    ode = subject.ode(machine, stiffness=stiffness, beta=beta, alpha=alpha)
    run = ode.solve((0.0, 2.0), start, method="LSODA", rtol=1e-8, atol=1e-15, times=times)
    return float(np.abs(run.p1y - rigid_height(times)).max())


@paper.claim(
    statement="The two-body machine, compiled, runs with every integrator, and they agree.",
    source="slides 'worked example'",
)
def two_bodies_by_every_integrator(subject: XiongSubject) -> list[Finding]:
    """Half a second from contact, K = 1e5 N/m, rtol 1e-6; against each other and against the rigid solution."""
    machine, start = subject.two_bodies()
    ode = subject.ode(machine)
    span, times = (0.0, 0.5), np.linspace(0.02, 0.5, 25)
    fixed = [ode.solve(span, start, method=m, step=5e-5, times=times) for m in ("RK4", "Heun")]
    free = [ode.solve(span, start, method=m, rtol=1e-6, times=times) for m in methods()]
    heights = np.array([run.p1y for run in (*fixed, *free)])
    return [
        Finding("integrators that ran", len(heights), ">=", 8),
        Finding("largest difference in height", np.ptp(heights, axis=0).max(), "<=", 1e-6, "m"),
        Finding("largest distance from rigid", np.abs(heights - rigid_height(times)).max(), "<=", 1.2e-3, "m"),
    ]


@paper.claim(
    statement="As K grows, the machine meets the exact rigid solution, psi2 = mu3 M2 g/(1 -+ mu2 mu3), the error "
    "falling as 1/K where contacts do not ring; the set-valued equations themselves, event by event, are on it.",
    source="slides 'worked example'",
    note="Closed, a contact obeys Meff s^2 (1 + alpha s) + K (1 + beta s) = 0: for large K one root at -1/beta, the "
    "others real while alpha <= Meff/(4 beta K). Then penetration, delay at a reversal and the friction missed while "
    "forces build up are all of order 1/K. With a longer alpha the contact rings at sqrt(K beta/(alpha Meff)); where "
    "a slip reverses, friction takes one sign for a part of that cycle, and the error falls as 1/sqrt(K) in the end: "
    "with alpha = beta/10 the slope is -0.96 from 1e5 to 1e6 N/m, -0.79 from 1e7 to 1e8, where the figure ends, and "
    "-0.63 from there to 1e9. "
    "mu2 mu3 >= 1 has no rigid sliding solution; the ODE stays finite there, and a warning tells.",
)
def two_bodies_meet_the_rigid_solution(subject: XiongSubject) -> list[Finding]:
    """K from 1e5 to 1e7 N/m, alpha falling with it, the slope fitted; forces while body 1 slides down and up."""
    errors = [height_error(subject, stiffness=k, beta=1e-2, alpha=calm(k, 1e-2)) for k in STIFFNESSES]
    slope = float(np.polyfit(np.log(STIFFNESSES), np.log(errors), 1)[0])
    machine, start = subject.two_bodies()
    run = subject.ode(machine, stiffness=1e6).solve((0.0, 2.0), start, method="RK4", step=1e-4)
    off = 0.0
    for low, high, way in SLIDES:
        sliding = (run.time > low) & (run.time < high)
        off = max(off, abs(float(run.mutual[sliding].mean()) / press(way) - 1.0))
    times = np.linspace(0.0, 2.0, 201)
    exact = subject.to_events(machine).solve((0.0, 2.0), start, times=times)
    return [
        Finding("K = 1e6, beta = 2 ms: error", np.abs(run.p1y - rigid_height(run.time)).max(), "<=", 2.5e-4, "m"),
        Finding("its psi2, off the rigid one", off, "<=", 1e-3),
        Finding("K = 1e7, beta = 10 ms: error", errors[-1], "<=", 1e-5, "m"),
        Finding("slope of log error over log K", slope, "<=", -0.98),
        Finding("that slope, not below", slope, ">=", -1.02),
        Finding("at rest: wall sinks in, off N/K", abs(run.p1x[-1] * -1e6 / run.wall[-1] - 1.0), "<=", 1e-6),
        Finding("exact route: error", np.abs(exact.p1y - rigid_height(times)).max(), "<=", 1e-9, "m"),
    ]
