"""Closed forms that the claims are measured against."""

from __future__ import annotations

import math

import numpy as np

from tegotae.checks import Array
from tegotae.papers.xiong2011 import G

# The slides' machine with the numbers of `examples.two_bodies`.
M1, M2, MU1, MU2, MU3, KS, START = 1.0, 2.0, 0.2, 0.3, 0.5, 200.0, 0.2


def press(way: float) -> float:
    """Rigid force between the bodies [N] while body 1 slides down (way -1) or up (+1) past body 2."""
    return MU3 * M2 * G / (1.0 + way * MU2 * MU3)


def rigid_height(times: Array) -> Array:
    """Height of body 1 [m], rigid: half swings about centres that friction shifts, then rest."""
    w, p, t, height = math.sqrt(KS / M1), START, 0.0, np.full(times.shape, np.nan)
    while True:
        way = -math.copysign(1.0, p)  # it starts towards 0
        shift = -way * (MU1 + MU2) * press(way) / KS
        if abs(p) <= abs(shift):
            height[times >= t] = p
            return height
        now = (times >= t) & (times < t + math.pi / w)
        height[now] = shift + (p - shift) * np.cos(w * (times[now] - t))
        p, t = 2.0 * shift - p, t + math.pi / w


def stick_slip_period(*, mass: float, stiffness: float, static: float, kinetic: float, speed: float) -> float:
    """Of mass, spring and belt [s]: a slip that starts at static/k, and a ride back on the belt."""
    w, D = math.sqrt(stiffness / mass), (static - kinetic) / stiffness
    return 2.0 * (math.pi - math.atan(D * w / speed)) / w + 2.0 * D / speed


def restitution_without_alpha(zeta: float) -> float:
    """Of a spring and damper that lets go when its force is 0, the limit alpha -> 0."""
    root = math.sqrt(1.0 - zeta * zeta)
    return math.exp(-zeta / root * (math.pi - math.atan2(2.0 * zeta * root, 1.0 - 2.0 * zeta * zeta)))
