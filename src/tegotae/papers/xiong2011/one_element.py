"""One friction, one contact: smoothed as usual, and as the slides propose."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tegotae.checks import Array
from tegotae.papers.ledger import Finding
from tegotae.papers.xiong2011.subject import BETA, G, K, XiongSubject, paper
from tegotae.result import Result

PUSH = 3.0  # [N], on a mass of 1 kg
LIMIT = 0.5 * G  # its friction limit [N]
SMOOTH, STEEP = 1e-3, 1e-6  # smoothing speeds [m/s]
T = 1e-3
DAMPING = K * BETA  # of the spring-damper contact [N·s/m]


def smoothed_run(
    subject: XiongSubject, vs: float, *, v0: float, push: float, seconds: float
) -> tuple[Array, Array, Array]:
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
    times, places, speeds = np.array(record).T
    return times, places, speeds


def resting(stiffness: float = K) -> dict[str, float]:
    """The point mass at rest on its floor: sunk in by its weight."""
    return {"py": -G / stiffness, "e_floor": G / stiffness, "vx": 0.0}


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


@paper.claim(
    statement="Smoothed friction slides below the limit, at vs atanh(h/F); made steep enough not to, it chatters.",
    source="slide 2",
)
def smoothed_friction_creeps_or_chatters(subject: XiongSubject) -> list[Finding]:
    """F tanh(v/vs) on 1 kg under 61 % of the limit, by RK4 at 1 ms."""
    _, places, _ = smoothed_run(subject, SMOOTH * 10.0, v0=0.0, push=PUSH, seconds=2.0)
    creep, expected = places[-1] - places[-1001], 10.0 * SMOOTH * math.atanh(PUSH / LIMIT)
    _, _, speeds = smoothed_run(subject, STEEP, v0=0.0, push=PUSH, seconds=0.5)
    last = speeds[-100:]
    change = np.diff(last)
    turns = float(np.mean(change[1:] * change[:-1] < 0.0))
    return [
        Finding("creep a second", creep, ">=", 5e-3, "m"),
        Finding("that creep, off vs atanh(h/F)", abs(creep / expected - 1.0), "<=", 1e-6),
        Finding("steep: chatter of the speed, of T F/M", np.ptp(last) / (T * LIMIT), ">=", 0.1),
        Finding("steep: share of ticks at which it turns", turns, ">=", 0.3),
    ]


@paper.claim(
    statement="Friction compiled into an ODE neither slides below the limit nor chatters: it gives way by h/K and "
    "stays.",
    source="slide 'in the end', rule [2]",
)
def compiled_friction_holds(subject: XiongSubject) -> list[Finding]:
    """The same mass, push, integrator and step."""
    run = pushed(subject, seconds=2.0)
    last = slice(-1001, None)
    return [
        Finding("creep in the second second", np.ptp(run.px[last]), "<=", 1e-14, "m"),
        Finding("chatter of the speed", np.ptp(run.vx[last]), "<=", 1e-12, "m/s"),
        Finding("way given, off h/K", abs(run.px[-1] * K / PUSH - 1.0), "<=", 1e-9),
        Finding("share of ticks that stick", np.mean(run.rub_sticks[last]), "=", 1.0),
    ]


@paper.claim(
    statement="A contact made of spring and damper pulls when the body leaves, by B v at the surface.",
    source="slide 2",
)
def spring_damper_pulls(subject: XiongSubject) -> list[Finding]:
    """1 kg at 1 m/s; the damped half swing in closed form."""
    _, gap, force = impact(lambda p, v: subject.spring_damper(p, v, K, DAMPING))
    zeta = 0.5 * DAMPING / math.sqrt(K)
    leaves = math.exp(-zeta * math.pi / math.sqrt(1.0 - zeta * zeta))
    speed = float(gap[-1] - gap[-2]) / 1e-5
    return [
        Finding("strongest pull, of B v at the surface", -force.min() / (DAMPING * leaves), ">=", 0.98),
        Finding("speed after, off the half swing", abs(speed / leaves - 1.0), "<=", 1e-2),
        Finding("strongest push", force.max(), ">=", 100.0, "N"),
    ]


@paper.claim(
    statement="The compiled contact never pulls, whatever its parameters, and lets go.",
    source="slide 'in the end', rule [1]",
)
def compiled_contact_never_pulls(subject: XiongSubject) -> list[Finding]:
    """The same impact, at dampings from a fifth to critical and beyond."""
    runs = [struck(subject, beta=beta, alpha=0.1 * beta) for beta in (1e-3, BETA, 6e-3, 9e-3)]
    return [
        Finding("least force", min(float(run.floor.min()) for run in runs), ">=", 0.0, "N"),
        Finding("least of the strongest pushes", min(float(run.floor.max()) for run in runs), ">=", 100.0, "N"),
        Finding("least speed after", min(float(run.v[-1]) for run in runs), ">", 0.0, "m/s"),
        Finding("force at the end", max(float(run.floor[-1]) for run in runs), "=", 0.0, "N"),
    ]
