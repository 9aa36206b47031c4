"""The patch against what is known without it: the rolling brush, the parked tyre, the way of each bristle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tegotae.checks import Array
from tegotae.papers.ledger import Finding, Findings
from tegotae.papers.yamamoto2006 import STIFF, T, YamamotoSubject, paper
from tegotae.papers.yamamoto2006.oracles import brush, parked, rolled

MANY = 1601


@paper.claim(source="(4)-(8) in the steady state")
def steady_brush(subject: YamamotoSubject) -> Findings:
    """Rolling steadily, 1601 bristles without damper give the lateral force and the torque of the brush model, at any
    slip angle: alpha = 0.02 rad 323.750 N and 12.38125 N·m, full slip from 0.08 rad on 560 N and 11.2 N·m; backwards,
    mirrored.
    """
    patch = subject.brush(bristles=MANY)
    alpha = np.array([-0.1, -0.03, 0.005, 0.02, 0.04, 0.06, 0.079, 0.08, 0.12])
    force, torque = brush(alpha, K=STIFF)
    for V in (20.0, 70.0):
        held = patch.steady(slip_angle=alpha, speed=V)
        off_force = np.abs(np.asarray(held.lateral_force) / force - 1.0).max()
        off_torque = np.abs(np.asarray(held.torque) / torque - 1.0).max()
        yield Finding(f"Fy at {V:g} m/s, off the brush", off_force, "<=", 1e-6)
        yield Finding(f"tau at {V:g} m/s, off the brush", off_torque, "<=", 1e-6)
    back = patch.steady(slip_angle=0.02, speed=-20.0)
    yield Finding("backwards: Fy, off -323.75 N", abs(back.lateral_force + 323.75), "<=", 1e-3, "N")
    # The force acts behind the middle, now the front: Mz keeps its sign, and the arm xi_c pulls the other way.
    mirrored = brush(0.02, K=STIFF)[1] - 2.0 * 0.02 * 323.75
    yield Finding("backwards: tau, off Mz - xi_c Fy", abs(back.torque - mirrored), "<=", 1e-3, "N·m")


def to_and_fro(amplitude: float, points: int) -> Array:
    """Steer angles [rad]: from 0 to +amplitude, back to -amplitude, and up again."""
    up, down = np.linspace(0.0, amplitude, points + 1), np.linspace(amplitude, -amplitude, 2 * points + 1)
    return np.concatenate([up[1:], down[1:], -down[1:]])


def parked_patch(subject: YamamotoSubject, steer: Array, bristles: int) -> Array:
    """Torque [N·m] of a parked patch that is turned from 0 along these angles [rad]."""
    patch = subject.brush(bristles=bristles)
    return patch.run(steer=np.append(0.0, steer), speed=0.0, period=T).torque[1:]


@paper.claim(source="(5)-(8) with V = 0, B = 0; section 2")
def parking_torque(subject: YamamotoSubject) -> Findings:
    """Parked and without damper, torque follows the exact virgin curve of a loaded patch that is twisted, and after
    every reversal Masing's rule, to 0.0001 N·m of 21.
    """
    for amplitude in (0.02, 0.1):
        steer = to_and_fro(amplitude, 200)
        torque = parked_patch(subject, steer, MANY)
        off = np.abs(torque - parked(steer, K=STIFF)).max()
        yield Finding(f"turned by ±{amplitude} rad, off the oracle", off, "<=", 1e-4, "N·m")
    yield Finding("largest torque", np.abs(torque).max(), ">=", 20.9, "N·m")


def rolling(subject: YamamotoSubject, *, amplitude: float, period: float, bristles: int) -> Array:
    """Torque [N·m] every millisecond of 0.4 s at 70 m/s, steered by a 3 Hz sine; amplitude [rad], period [s]."""
    each = round(T / period)
    steer = amplitude * np.sin(6.0 * np.pi * period * np.arange(400 * each + 1))
    patch = subject.brush(bristles=bristles, slip_share=0.5)
    return patch.run(steer=steer, speed=70.0, period=period).torque[::each]


def rolling_exactly(ticks: NDArray[np.int64], *, amplitude: float, fine: int) -> Array:
    """The same at these milliseconds, by every bristle's own way through the patch, in so many places and steps."""
    times, ride = T * ticks.astype(np.float64), {"frequency": 3.0, "share": 0.5, "V": 70.0}
    return rolled(times, amplitude=amplitude, **ride, K=STIFF, places=fine, steps=fine)


@paper.claim(source="(4)-(8), stiff brush, B = 0")
def a_millisecond_is_enough_at_70(subject: YamamotoSubject) -> Findings:
    """At 70 m/s a bristle passes the patch in 2.9 ms, and 1 ms is enough: steered by a 3 Hz sine, the torque stays
    within 0.0001 of its peak of the solution that needs neither period nor number of bristles.
    """
    # Half into slip, and deep into full slip, against every bristle's own way through the patch.
    ticks = np.arange(60, 400, 14)
    for amplitude in (0.05, 0.2):
        exact = rolling_exactly(ticks, amplitude=amplitude, fine=600)
        torque = rolling(subject, amplitude=amplitude, period=T, bristles=MANY)
        peak = np.abs(torque).max()
        off = np.abs(torque[ticks] - exact).max() / peak
        yield Finding(f"steered by ±{amplitude} rad, off, of its peak", off, "<=", 1e-4)
        fine = rolling(subject, amplitude=amplitude, period=T / 40, bristles=MANY)
        yield Finding("the same at 25 µs", np.abs(fine[ticks] - exact).max() / peak, "<=", 1e-5)
