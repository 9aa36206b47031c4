"""What the patch is measured against: closed forms and plain sums, without a line of the patch's own code.

Letters as in the paper, in SI units; unless given, a = 0.1 m, xi_c = 0.02 m, mu = 0.4, and K [N/m] and c = 1e4 N/m²
are for one bristle of 21, so that densities over the length are 21/(2 a) times as large.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from tegotae.checks import Array

A_HALF, XI_C, MU, CURVATURE, COUNT = 0.1, 0.02, 0.4, 1e4, 21
LOAD = COUNT * CURVATURE * 2.0 / 3.0 * A_HALF**2  # Fz [N] of the whole patch: 1400


def brush(alpha: ArrayLike, *, K: float) -> tuple[Array, Array]:
    """Lateral force [N] and torque about the steering axis [N·m] of a brush that rolls steadily, B = 0.

    With theta = 2 cp a²/(3 mu Fz) and lam = 1 - theta |alpha|, both full slip where lam < 0:
    Fy = mu Fz (1 - lam³), Mz = mu Fz a (1 - lam) lam³, tau = Mz + xi_c Fy.  [pacejka2012]
    """
    alpha = np.asarray(alpha, dtype=np.float64)
    cp = COUNT * K / (2.0 * A_HALF)
    theta = 2.0 * cp * A_HALF**2 / (3.0 * MU * LOAD)
    lam = np.maximum(0.0, 1.0 - theta * np.abs(alpha))
    Fy = np.sign(alpha) * MU * LOAD * (1.0 - lam**3)
    Mz = np.sign(alpha) * MU * LOAD * A_HALF * (1.0 - lam) * lam**3
    return Fy, Mz + XI_C * Fy


def virgin(delta: ArrayLike, *, K: float) -> Array:
    """Torque [N·m] of a parked, unstretched tyre that is turned by delta [rad], B = 0, K [N/m] of one bristle of 21.

    Bristles between the two places where K delta |xi - xi_c| meets the friction limit stick; the rest slip.
    """
    a, c, d = A_HALF, XI_C, np.abs(np.asarray(delta, dtype=np.float64))
    k, m = COUNT * K / (2.0 * a) * d, MU * CURVATURE * COUNT / (2.0 * a)
    ahead = (np.sqrt(k * k + 4.0 * m * (k * c + m * a * a)) - k) / (2.0 * m)
    behind = (k - np.sqrt(k * k + 4.0 * m * (m * a * a - k * c))) / (2.0 * m)

    def slipping(xi: ArrayLike) -> Array:
        """Integral of m (xi - c)(a² - xi²)."""
        x = np.asarray(xi, dtype=np.float64)
        return np.asarray(m * (a * a * x * x / 2.0 - x**4 / 4.0 - c * (a * a * x - x**3 / 3.0)))

    stuck = k * ((ahead - c) ** 3 + (c - behind) ** 3) / 3.0
    return np.asarray(np.sign(delta) * (stuck + slipping(a) - slipping(ahead) - slipping(behind) + slipping(-a)))


def parked(delta: Array, *, K: float) -> Array:
    """Torque [N·m] of a parked tyre along steer angles [rad] that start at 0 and swing between ±max |delta|.

    First the virgin curve; after each reversal, from (d0, t0), Masing's rule: t0 + 2 virgin((delta - d0)/2).
    """
    ways = np.sign(np.diff(delta, prepend=0.0))
    torque, start, d0, t0 = np.empty_like(delta), 0, 0.0, 0.0
    turns = [*(np.flatnonzero(np.diff(ways) != 0.0) + 1).tolist(), delta.size]
    for branch, end in enumerate(turns):
        here = delta[start:end]
        torque[start:end] = t0 + 2.0 * virgin((here - d0) / 2.0, K=K) if branch else virgin(here, K=K)
        start, d0, t0 = end, delta[end - 1], torque[end - 1]
    return torque


def rolled(
    times: Array, *, amplitude: float, frequency: float, share: float, V: float, K: float, places: int, steps: int
) -> Array:
    """Torque tau_r [N·m] at these times of a rolling tyre, delta = amplitude sin(w t), alpha = share delta, B = 0.

    Every bristle by itself along its own way through the patch, from where it enters at +a (characteristics). Since
    u = (xi - xi_c) delta' - V alpha, its foot moves by (xi - xi_c) delta + V (1 - share) times the integral of delta,
    in closed form; where that exceeds the friction limit it is brought back to it. Times are at least 2 a/V after the
    start; bristles stand at the centres of so many cells, and take so many steps each.
    """
    w, a = 2.0 * math.pi * frequency, A_HALF
    end = a * ((2.0 * np.arange(places) + 1.0) / places - 1.0)
    inside = (a - end) / V

    def foot(xi: Array, t: Array) -> Array:
        turned = amplitude * (xi - XI_C) * np.sin(w * t)
        return np.asarray(turned - V * (1.0 - share) * amplitude / w * np.cos(w * t))

    now, e = np.asarray(times, dtype=np.float64)[:, None], np.zeros((len(times), places))
    before = foot(np.full(places, a), now - inside)
    for i in range(1, steps + 1):
        left = inside * (1.0 - i / steps)
        xi = end + V * left
        here = foot(xi, now - left)
        bound = MU * CURVATURE * np.maximum(0.0, a * a - xi * xi) / K
        e = np.clip(e + here - before, -bound, bound)
        before = here
    return np.asarray((K * e * (end - XI_C)).sum(axis=1) * COUNT / places)


# What a bristle that wraps brings with it: (stretch [m], time inside [s], T [s]) -> its stretch [m] and time [s].
ENTERING: dict[str, Callable[[Array, Array, float], tuple[Array, Array]]] = {
    "since entry": lambda e, inside, T: (np.zeros_like(e), inside),  # right
    "full period": lambda e, inside, T: (np.zeros_like(e), np.full_like(inside, T)),
    "kept": lambda e, inside, T: (e, np.full_like(inside, T)),  # as (4)-(6) say by saying nothing
}


def row_force(entering: str, *, alpha: float, V: float, T: float, K: float, n: int, ticks: int, warm: int) -> float:
    """Mean lateral force [N] of the paper's row (4)-(8) over ticks that others warm up for, steer angle held, B = 0.

    Slip angle alpha [rad], speed V [m/s], period T [s], n bristles of which each counts for COUNT/n with K [N/m].
    """
    xi = A_HALF * ((2.0 * np.arange(n) + 1.0) / n - 1.0)
    e, total = np.zeros(n), 0.0
    for tick in range(warm + ticks):
        xi = xi - V * T
        wraps = np.ceil(np.maximum(0.0, -A_HALF - xi) / (2.0 * A_HALF))
        xi = xi + 2.0 * A_HALF * wraps
        new, Ti = wraps > 0.0, np.full(n, T)
        e[new], Ti[new] = ENTERING[entering](e[new], np.minimum(T, (A_HALF - xi[new]) / V), T)
        bound = MU * CURVATURE * np.maximum(0.0, A_HALF**2 - xi * xi)
        f = np.clip(K * (e - Ti * V * alpha), -bound, bound)
        e = f / K
        total -= f.sum() * COUNT / n if tick >= warm else 0.0
    return total / ticks
