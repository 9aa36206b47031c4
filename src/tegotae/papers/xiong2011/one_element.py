"""One friction, one contact: smoothed as usual, and as the slides propose; their point mass, which has both; and where
the equations of these do not hold as printed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import sympy

from tegotae.checks import Array
from tegotae.inclusion import Inclusion, coulomb, dio
from tegotae.papers.ledger import Finding, Findings
from tegotae.papers.xiong2011 import BETA, G, K, XiongSubject, paper
from tegotae.result import Result

PUSH = 3.0  # [N], on a mass of 1 kg
LIMIT = 0.5 * G  # its friction limit [N]
SMOOTH, STEEP = 1e-3, 1e-6  # smoothing speeds [m/s]
T = 1e-3
DAMPING = K * BETA  # of the spring-damper contact [N·s/m]


def smoothed_run(subject: XiongSubject, vs: float, *, v0: float, push: float, seconds: float) -> Array:
    """Time, position and velocity of 1 kg under smoothed friction, by RK4 at 1 ms."""

    def rate(v: float) -> float:
        return push - subject.smoothed(v, LIMIT, vs)

    x, v, record = 0.0, v0, [(0.0, 0.0, v0)]
    for tick in range(1, round(seconds / T) + 1):
        k1 = rate(v)
        k2 = rate(v + 0.5 * T * k1)
        k3 = rate(v + 0.5 * T * k2)
        k4 = rate(v + T * k3)
        x += T * (v + T / 6.0 * (k1 + k2 + k3))
        v += T / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        record.append((tick * T, x, v))
    return np.array(record).T


def resting(memory: str = "e_floor") -> dict[str, float]:
    """The point mass at rest on its floor, sunk in by its weight; what the contact remembers goes by its name."""
    return {"py": -G / K, memory: G / K, "vx": 0.0}


def pushed(subject: XiongSubject, *, seconds: float, step: float = T, times: Any = None) -> Result:
    """The compiled point mass under the same push, below the limit, by RK4."""
    mass, start = subject.floor(push=PUSH)
    return subject.ode(mass, alpha=5e-4).solve((0.0, seconds), start | resting(), method="RK4", step=step, times=times)


def impact(force: Callable[[float, float], float], *, seconds: float = 0.02) -> tuple[Array, Array, Array]:
    """Time, gap and force of 1 kg that meets a contact at 1 m/s, without gravity."""
    from scipy.integrate import solve_ivp

    def rate(_: float, y: Array) -> list[float]:
        return [float(y[1]), force(float(y[0]), float(y[1]))]

    times = np.linspace(0.0, seconds, 2001)
    # It starts inside, by next to nothing: at the surface itself the damper's jump is a matter of convention.
    done = solve_ivp(rate, (0.0, seconds), [-1e-15, -1.0], t_eval=times, max_step=2e-5, rtol=1e-8, atol=1e-12)
    return times, done.y[0], np.array([force(float(p), float(v)) for p, v in done.y.T])


def struck(subject: XiongSubject, **changes: float) -> Result:
    """The same impact on the compiled contact."""
    ball, start = subject.ball(gravity=0.0, height=0.0)
    return subject.ode(ball, **changes).solve((0.0, 0.02), start | {"v": -1.0}, method="RK4", step=1e-5)


@paper.claim(source="slide 2")
def smoothed_friction_creeps_or_chatters(subject: XiongSubject) -> Findings:
    """Smoothed friction slides below the limit, at vs atanh(h/F); made steep enough not to, it chatters."""
    _, places, _ = smoothed_run(subject, SMOOTH * 10.0, v0=0.0, push=PUSH, seconds=2.0)
    creep, expected = places[-1] - places[-1001], 10.0 * SMOOTH * math.atanh(PUSH / LIMIT)
    _, _, speeds = smoothed_run(subject, STEEP, v0=0.0, push=PUSH, seconds=0.5)
    last = speeds[-100:]
    change = np.diff(last)
    turns = float(np.mean(change[1:] * change[:-1] < 0.0))
    yield Finding("creep a second", creep, ">=", 5e-3, "m")
    yield Finding("that creep, off vs atanh(h/F)", abs(creep / expected - 1.0), "<=", 1e-6)
    yield Finding("steep: chatter of the speed, of T F/M", np.ptp(last) / (T * LIMIT), ">=", 0.1)
    yield Finding("steep: share of ticks at which it turns", turns, ">=", 0.3)


@paper.claim(source="slide 'in the end', rule [2]")
def compiled_friction_holds(subject: XiongSubject) -> Findings:
    """Friction compiled into an ODE neither slides below the limit nor chatters: it gives way by h/K and stays."""
    run = pushed(subject, seconds=2.0)
    last = slice(-1001, None)
    yield Finding("creep in the second second", np.ptp(run.px[last]), "<=", 1e-14, "m")
    yield Finding("chatter of the speed", np.ptp(run.vx[last]), "<=", 1e-12, "m/s")
    yield Finding("way given, off h/K", abs(run.px[-1] * K / PUSH - 1.0), "<=", 1e-9)
    yield Finding("share of ticks that stick", np.mean(run.rub_sticks[last]), "=", 1.0)


@paper.claim(source="slide 2")
def spring_damper_pulls(subject: XiongSubject) -> Findings:
    """A contact made of spring and damper pulls when the body leaves, by B v at the surface."""
    _, gap, force = impact(lambda p, v: subject.spring_damper(p, v, K, DAMPING))
    zeta = 0.5 * DAMPING / math.sqrt(K)
    leaves = math.exp(-zeta * math.pi / math.sqrt(1.0 - zeta * zeta))
    speed = float(gap[-1] - gap[-2]) / 1e-5
    yield Finding("strongest pull, of B v at the surface", -force.min() / (DAMPING * leaves), ">=", 0.98)
    yield Finding("speed after, off the half swing", abs(speed / leaves - 1.0), "<=", 1e-2)
    yield Finding("strongest push", force.max(), ">=", 100.0, "N")


@paper.claim(source="slide 'in the end', rule [1]")
def compiled_contact_never_pulls(subject: XiongSubject) -> Findings:
    """The compiled contact never pulls, whatever its parameters, and lets go."""
    runs = [struck(subject, beta=beta, alpha=0.1 * beta) for beta in (1e-3, BETA, 6e-3, 9e-3)]
    yield Finding("least force", min(float(run.floor.min()) for run in runs), ">=", 0.0, "N")
    yield Finding("least of the strongest pushes", min(float(run.floor.max()) for run in runs), ">=", 100.0, "N")
    yield Finding("least speed after", min(float(run.v[-1]) for run in runs), ">", 0.0, "m/s")
    yield Finding("force at the end", max(float(run.floor[-1]) for run in runs), "=", 0.0, "N")


ADAPTIVE = ("RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA")
HOUR = 3600.0
SLOW = 1e-2  # the stepper's period over the hour [s]


def methods() -> tuple[str, ...]:
    """Every method that chooses its step; CVODE where it is installed."""
    return (*ADAPTIVE, *(("CVODE",) if find_spec("sksundae") else ()))


@paper.claim(source="slides 'new method'")
def all_integrators_agree(subject: XiongSubject) -> Findings:
    """The ODE may be integrated by any method: thrown onto its floor, the mass goes the same way by all of them, the
    more so the tighter the tolerance.
    """
    # Fall, bounce, slide, stick; against the eighth order at 1e-11.
    mass, start = subject.floor(height=0.01, speed=0.3)
    ode = subject.ode(mass)
    span, times = (0.0, 0.3), np.linspace(0.01, 0.3, 30)
    reference = ode.solve(span, start, method="DOP853", rtol=1e-11, atol=1e-14, times=times, step=1e-3)

    def off(**options: Any) -> float:
        run = ode.solve(span, start, times=times, **options)
        return float(max(np.abs(run.px - reference.px).max(), np.abs(run.py - reference.py).max()))

    loose, tight = (
        max(off(method=m, rtol=rtol, atol=1e-3 * rtol, step=1e-3) for m in methods()) for rtol in (1e-4, 1e-7)
    )
    steps = (1e-4, 5e-5, 2.5e-5, 1.25e-5)
    heun = [off(method="Heun", step=h) for h in steps]
    yield Finding("methods that choose their step", len(methods()), ">=", 6)
    yield Finding("largest difference at rtol 1e-4", loose, "<=", 1e-4, "m")
    yield Finding("largest difference at rtol 1e-7", tight, "<=", 3e-7, "m")
    yield Finding("gain of a tolerance 1000 times tighter", loose / tight, ">=", 20.0)
    yield Finding("RK4 at 12.5 us: difference", off(method="RK4", step=steps[-1]), "<=", 1e-8, "m")
    yield Finding("Heun: order", np.polyfit(np.log(steps), np.log(heun), 1)[0], ">=", 1.8)


@paper.claim(source="slide 'systems with friction and contact'; slide 'in the end', example")
def slides_stops_and_stays(subject: XiongSubject) -> Findings:
    """The point mass slides v²/(2 mu g), stops, and stays: by the ODE less the yield F/K of its spring, by the exact
    route exactly.
    """
    slide = 1.0 / (2.0 * 0.5 * G)
    mass, start = subject.floor()
    times = np.array([0.5, 1.0, 5.0, 11.0])
    run = subject.ode(mass).solve((0.0, 11.0), start | resting() | {"vx": 1.0}, method="RK4", step=2e-4, times=times)
    exact = subject.to_events(mass).solve((0.0, 1.0), start)
    stick = [event.time for event in exact.events if event.kind == "stick"]
    moved: Array = run.px[1:] - run.px[1]
    yield Finding("exact: way, off v²/(2 mu g)", abs(exact.px[-1] - slide), "<=", 1e-9, "m")
    yield Finding("exact: time of the stop, off v/(mu g)", abs(stick[0] * 0.5 * G - 1.0) if stick else 1.0, "<=", 1e-9)
    yield Finding("ODE: way, off v²/(2 mu g) - F/K, of F/K", abs(run.px[1] - slide + LIMIT / K) * K / LIMIT, "<=", 1e-3)
    yield Finding("ODE: moved in ten seconds of rest", np.abs(moved).max(), "<=", 1e-14, "m")


@paper.claim(source="slide 2; slide 'differential-algebraic approximation + backward Euler'")
def nothing_moves_in_an_hour(subject: XiongSubject) -> Findings:
    """Loaded below its limit, steadily or shaken, the mass does not move in an hour.

    A whole hour is computed: the ODE by RK4 at 0.5 ms, 7.2 million steps; the implicit route at 10 ms.
    """
    # Pushed with 61 % of the limit; shaken, between 0 and 90 % once a second, compared at the same phase.
    run = pushed(subject, seconds=HOUR, step=5e-4, times=np.array([1.0, 600.0, 1800.0, HOUR]))
    mass, start = subject.floor(push=PUSH)
    stepper, ticks = subject.stepper(mass, period=SLOW), round(HOUR / SLOW)
    rest = resting("floor")
    steady = stepper.run(ticks=ticks, initial=start | rest, every=100)
    phase = 2.0 * np.pi * np.arange(1, 101) * SLOW
    load = np.tile(0.45 * LIMIT * (1.0 - np.cos(phase)), ticks // 100)
    shaken = stepper.run(inputs={"push": load}, initial=start | rest, every=100)
    yield Finding("ODE, steady: moved since 1 s", np.abs(run.px - run.px[0]).max(), "<=", 1e-14, "m")
    yield Finding("implicit, steady: moved since 1 s", np.abs(steady.px - steady.px[0]).max(), "<=", 1e-14, "m")
    yield Finding("implicit, shaken: moved since 10 s", np.abs(shaken.px[10:] - shaken.px[9]).max(), "<=", 1e-14, "m")
    yield Finding("steady: way given, off h/K", abs(steady.px[-1] * K / PUSH - 1.0), "<=", 1e-9)
    yield Finding("largest load, of the limit", load.max() / LIMIT, ">=", 0.89)


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
    start, t = resting() | {"vx": 1.0}, 0.1
    printed, ours = subject.ode(floor_as_printed(1.0)), subject.ode(subject.floor()[0])
    fast, slow = (ode.solve((0.0, t), start, method="RK4", step=1e-4).vx[-1] for ode in (printed, ours))
    above = ours.start({"py": 1.0})
    row = [s.name for s in ours.states].index("vy")
    falls = {True: subject.ode(floor_as_printed(2.0)).rhs(0.0, above)[row], False: ours.rhs(0.0, above)[row]}
    yield Finding("as printed: speed after, off v + mu g t", abs(fast - (1.0 + 0.5 * G * t)), "<=", 1e-3, "m/s")
    yield Finding("corrected: speed after, off v - mu g t", abs(slow - (1.0 - 0.5 * G * t)), "<=", 1e-3, "m/s")
    yield Finding("as printed: fall with m = 2 M, of g", -falls[True] / G, ">=", 1.99)
    yield Finding("corrected: fall, off g", abs(falls[False] + G), "<=", 1e-12, "m/s²")


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
    run = subject.stepper(mass, period=T).run(ticks=150, initial=start | resting("floor") | {"vx": start["vx"]})
    rate = np.diff(run.vx)[5:] / T
    yield Finding("as printed: power of sliding friction, of F v", work[-1] / (F * v), ">=", 0.999)
    yield Finding("corrected: acceleration of the mass, off -mu g", np.abs(rate + F).max(), "<=", 1e-6, "m/s²")


def restitution_without_alpha(zeta: float) -> float:
    """Of a spring and damper that lets go when its force is 0, the limit alpha -> 0."""
    root = math.sqrt(1.0 - zeta * zeta)
    return math.exp(-zeta / root * (math.pi - math.atan2(2.0 * zeta * root, 1.0 - 2.0 * zeta * zeta)))


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
