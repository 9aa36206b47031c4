"""The slides' point mass on a frictional floor."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

from tegotae.checks import Array
from tegotae.papers.ledger import Finding
from tegotae.papers.xiong2011.one_element import LIMIT, PUSH, pushed, resting
from tegotae.papers.xiong2011.subject import G, K, XiongSubject, paper

ADAPTIVE = ("RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA")
HOUR = 3600.0
SLOW = 1e-2  # the stepper's period over the hour [s]


def methods() -> tuple[str, ...]:
    """Every method that chooses its step; CVODE where it is installed."""
    return (*ADAPTIVE, *(("CVODE",) if find_spec("sksundae") else ()))


@paper.claim(
    statement="The ODE may be integrated by any method: thrown onto its floor, the mass goes the same way by all of "
    "them, the more so the tighter the tolerance.",
    source="slides 'new method'",
)
def all_integrators_agree(subject: XiongSubject) -> list[Finding]:
    """Fall, bounce, slide, stick; against the eighth order at 1e-11."""
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
    return [
        Finding("methods that choose their step", len(methods()), ">=", 6),
        Finding("largest difference at rtol 1e-4", loose, "<=", 1e-4, "m"),
        Finding("largest difference at rtol 1e-7", tight, "<=", 3e-7, "m"),
        Finding("gain of a tolerance 1000 times tighter", loose / tight, ">=", 20.0),
        Finding("RK4 at 12.5 us: difference", off(method="RK4", step=steps[-1]), "<=", 1e-8, "m"),
        Finding("Heun: order", np.polyfit(np.log(steps), np.log(heun), 1)[0], ">=", 1.8),
    ]


@paper.claim(
    statement="The point mass slides v²/(2 mu g), stops, and stays: by the ODE less the yield F/K of its spring, by "
    "the exact route exactly.",
    source="slide 'systems with friction and contact'; slide 'in the end', example",
)
def slides_stops_and_stays(subject: XiongSubject) -> list[Finding]:
    """Thrown at 1 m/s with mu = 0.5; then ten seconds of rest."""
    way = 1.0 / (2.0 * 0.5 * G)
    mass, start = subject.floor()
    times = np.array([0.5, 1.0, 5.0, 11.0])
    run = subject.ode(mass).solve((0.0, 11.0), start | resting() | {"vx": 1.0}, method="RK4", step=2e-4, times=times)
    exact = subject.to_events(mass).solve((0.0, 1.0), start)
    stick = [event.time for event in exact.events if event.kind == "stick"]
    moved: Array = run.px[1:] - run.px[1]
    return [
        Finding("exact: way, off v²/(2 mu g)", abs(exact.px[-1] - way), "<=", 1e-9, "m"),
        Finding("exact: time of the stop, off v/(mu g)", abs(stick[0] * 0.5 * G - 1.0) if stick else 1.0, "<=", 1e-9),
        Finding("ODE: way, off v²/(2 mu g) - F/K, of F/K", abs(run.px[1] - way + LIMIT / K) * K / LIMIT, "<=", 1e-3),
        Finding("ODE: moved in ten seconds of rest", np.abs(moved).max(), "<=", 1e-14, "m"),
    ]


@paper.claim(
    statement="Loaded below its limit, steadily or shaken, the mass does not move in an hour.",
    source="slide 2; slide 'differential-algebraic approximation + backward Euler'",
    note="A whole hour is computed: the ODE by RK4 at 0.5 ms, 7.2 million steps; the implicit route at 10 ms.",
)
def nothing_moves_in_an_hour(subject: XiongSubject) -> list[Finding]:
    """Pushed with 61 % of the limit; shaken, between 0 and 90 % once a second, compared at the same phase."""
    times = np.array([1.0, 600.0, 1800.0, HOUR])
    run = pushed(subject, seconds=HOUR, step=5e-4, times=times)
    mass, start = subject.floor(push=PUSH)
    stepper, ticks = subject.stepper(mass, period=SLOW), round(HOUR / SLOW)
    rest = {"py": -G / K, "floor": G / K, "vx": 0.0}
    steady = stepper.run(ticks=ticks, initial=start | rest, every=100)
    phase = 2.0 * np.pi * np.arange(1, 101) * SLOW
    load = np.tile(0.45 * LIMIT * (1.0 - np.cos(phase)), ticks // 100)
    shaken = stepper.run(inputs={"push": load}, initial=start | rest, every=100)
    return [
        Finding("ODE, steady: moved since 1 s", np.abs(run.px - run.px[0]).max(), "<=", 1e-14, "m"),
        Finding("implicit, steady: moved since 1 s", np.abs(steady.px - steady.px[0]).max(), "<=", 1e-14, "m"),
        Finding("implicit, shaken: moved since 10 s", np.abs(shaken.px[10:] - shaken.px[9]).max(), "<=", 1e-14, "m"),
        Finding("steady: way given, off h/K", abs(steady.px[-1] * K / PUSH - 1.0), "<=", 1e-9),
        Finding("largest load, of the limit", load.max() / LIMIT, ">=", 0.89),
    ]
