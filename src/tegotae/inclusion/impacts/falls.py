"""When something first falls below zero along a path: a gap that closes, a push that ends."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from tegotae.checks import Array

ROUNDING = 8.0 * float(np.finfo(np.float64).eps)  # of what is summed
SAMPLES = 10  # looks into each step; a dip between two of them is searched where the values bend upwards


def first_fall(watch: Callable[[float], tuple[Array, Array]], start: float, end: float) -> tuple[float, int] | None:
    """The earliest time in (start, end] at which a watched value passes zero downwards, and which one.

    `watch(t)` gives the values and how far below zero each must be to count: rounding is no event.
    """
    times = np.linspace(start, end, SAMPLES + 1)
    looks = [watch(float(t)) for t in times]
    values = np.array([value for value, _ in looks])
    floors = np.array([floor for _, floor in looks])
    ways = enumerate(zip(values.T, floors.T, strict=True))
    found = [(_first_of_one(watch, times, value, floor, i), i) for i, (value, floor) in ways]
    return min(((time, i) for time, i in found if time is not None), default=None)


def _first_of_one(
    watch: Callable[[float], tuple[Array, Array]], times: Array, values: Array, floors: Array, i: int
) -> float | None:
    def value(t: float) -> float:
        return float(watch(t)[0][i])

    for n in range(1, len(times)):
        if values[n] < -floors[n]:
            return _crossing(value, times[n - 1], times[n], values[n - 1])
        if n + 1 < len(times) and values[n] <= min(values[n - 1], values[n + 1]) and values[n - 1] > 0.0:
            reach = values[n - 1] + values[n + 1] - 2.0 * values[n]
            if values[n] > reach:  # a parabola through the three cannot come down to zero
                continue
            low = minimize_scalar(
                value, bounds=(times[n - 1], times[n + 1]), method="bounded", options={"xatol": 1e-12}
            )
            if low.fun < -floors[n]:
                return _crossing(value, times[n - 1], float(low.x), values[n - 1])
    return None


def _crossing(value: Callable[[float], float], above: float, below: float, at_above: float) -> float:
    if at_above <= 0.0:
        return float(above)
    return float(brentq(value, above, below, xtol=1e-300, rtol=8.9e-16))
