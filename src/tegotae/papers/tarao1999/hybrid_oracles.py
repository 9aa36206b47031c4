"""One mass against a table, by scipy alone: what (10) and a delay do to a contact. Nothing of the loop is used."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from tegotae.papers.tarao1999.oracles import Array

FELT = 0.5  # N from which the servo of the twin knows that there is contact
PHASES = (0.0, 0.25, 0.5, 0.75)  # of the touch within a period


class Bounce(NamedTuple):
    """Peak [N], duration [s] and restitution of a contact."""

    peak: float
    duration: float
    restitution: float


def late(stiffness: float, mass: float, delay: float) -> float:
    """Restitution of a mass on a spring that answers late: exp(pi w tau/2), for small w tau.

    The spring's force k x(t - tau) is about k x - k tau x', a negative damper: over half a swing, pi/w, it multiplies
    the speed by exp(k tau/(2 m) pi/w).
    """
    return math.exp(0.5 * math.pi * math.sqrt(stiffness / mass) * delay)


@cache
def _swing(stiffness: float, damping: float, mass: float, speed: float) -> tuple[Array, Array, Array]:
    """Time, velocity and force from touch to release."""

    def force(y: Array) -> Array:
        return np.asarray(stiffness * y[0] + damping * y[1])

    def over(t: float, y: Array) -> float:
        return float(force(y)) if t > 0.0 else 1.0

    over.terminal, over.direction = True, -1  # type: ignore[attr-defined]
    longest = 2.0 * math.pi * math.sqrt(mass / stiffness)
    seen = solve_ivp(
        lambda t, y: (y[1], -float(force(y)) / mass),
        (0.0, longest),
        (0.0, speed),
        events=over,
        max_step=longest / 500.0,
        rtol=1e-9,
        atol=1e-13,
    )
    return np.asarray(seen.t), np.asarray(seen.y[1]), force(seen.y)


def damped(stiffness: float, damping: float, mass: float, speed: float) -> Bounce:
    """A mass against spring and damper side by side, until the force ends."""
    time, velocity, force = _swing(stiffness, damping, mass, speed)
    return Bounce(float(force.max()), float(time[-1]), float(-velocity[-1] / speed))


def history(stiffness: float, damping: float, mass: float, speed: float) -> tuple[Array, Array]:
    """Time since the touch [s] and force [N] of the same, with nothing before and after."""
    time, _, force = _swing(stiffness, damping, mass, speed)
    return np.concatenate([[-1.0, 0.0], time, time[-1] + np.array([0.0, 1.0])]), np.pad(force, 2)


@dataclass(frozen=True, kw_only=True)
class Table:
    """A plate on sampled servos before a surface, along one line: (10) with what a probe gives.

    The bodies' distance x is where the plate is told to be. Once a period T the servo takes K (x_end - p) + D (share x'
    - p'), with x at the period's end, p now and rates by differences of one period, and holds it; the plate M then
    moves under it and the surface's k d + c d'. `share` is 1 in free flight.
    """

    K: float  # of the servos [N/m]
    D: float  # of the servos [N·s/m]
    M: float  # of plate and arms [kg]
    stiffness: float  # of surface and probe, k [N/m]
    damping: float  # of surface and probe, c [N·s/m]
    share: float  # of the rate x' that the servo knows of in contact [-]
    period: float = 2e-3  # T [s]

    @property
    def together(self) -> float:
        """Servo and probe one after the other [N/m]."""
        return 1.0 / (1.0 / self.K + 1.0 / self.stiffness)

    def bounce(self, mass: float, speed: float) -> Bounce:
        """The contact of a reduced mass [kg] at a speed [m/s], mean of four phases of the touch in a period."""
        return Bounce(*(float(x) for x in np.mean([_met(self, mass, speed, part)[0] for part in PHASES], axis=0)))

    def history(self, mass: float, speed: float) -> tuple[Array, Array]:
        """Time since the touch [s] and force [N] of one of them."""
        return _met(self, mass, speed, PHASES[2])[1]


@cache
def _met(table: Table, mass: float, speed: float, phase: float) -> tuple[Bounce, tuple[Array, Array]]:
    T, k, c = table.period, table.stiffness, table.damping
    x, u = -(3.0 + phase) * speed * T, speed
    p, w = x + speed * T, speed  # at constant speed it is where the period's end asks for
    before, asked, force = p - speed * T, x, 0.0

    def push(p: float, w: float) -> float:
        return max(0.0, k * p + c * w) if p > 0.0 else 0.0

    times: list[float] = []
    forces: list[float] = []
    for tick in range(round(0.5 / T)):
        wanted = x + T * u - 0.5 * T * T * force / mass
        share = table.share if force > FELT else 1.0
        servo = table.K * (wanted - p) + table.D * (share * (wanted - asked) - (p - before)) / T
        asked, before = wanted, p

        def slope(t: float, y: Array, servo: float = servo) -> tuple[float, ...]:
            felt = push(y[2], y[3])
            return y[1], -felt / mass, y[3], (servo - felt) / table.M

        seen = solve_ivp(slope, (0.0, T), (x, u, p, w), max_step=T / 5.0, rtol=1e-5, atol=1e-9)
        x, u, p, w = (float(last) for last in seen.y[:, -1])
        force = push(p, w)
        times += [T * tick + float(t) for t in seen.t[1:]]
        forces += [push(y[2], y[3]) for y in seen.y.T[1:]]
        if force == 0.0 and u < 0.0:
            break
    time, felt = np.array(times), np.array(forces)
    pushing = time[felt > 0.0]
    sampled = felt[np.isclose(time % T, 0.0, atol=1e-9) | np.isclose(time % T, T, atol=1e-9)]  # as the sensor is
    return Bounce(float(sampled.max()), float(np.ptp(pushing)), -u / speed), (time - pushing[0], felt)
