"""What a record says about parameters whose response has kinks finer than the noise can tell apart.

A mass that slides stops and turns within some tick. A parameter that moves this moment across a tick's border bends
the response sharply, so the cost is a valley full of ripples: least squares halts in any of them, and the slopes there
say nothing about the width of the valley. So the whole likelihood is walked instead, by a population of walkers that
take their steps from each other's differences. [terbraak2006]
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tegotae.checks import Array
from tegotae.errors import InputError
from tegotae.fitting.model import Coordinates, Model

MOST_TICKS = 400_000_000  # of all evaluations together: some seconds
LEAST_WALKS, MOST_WALKS = 60, 180  # generations; the first third only finds the valley


@dataclass(frozen=True)
class Walk:
    """Where all walkers were after the first third, (many, parameters), and the best place any saw, with its cost."""

    places: Array
    best: Array
    square: float


def walk(model: Model, coordinates: Coordinates, x: Array, spread: Array, colour: float) -> Walk:
    """Walk the likelihood around x, begun with this covariance.

    The noise is not known beforehand, so its likelihood is a power of the cost; noise that lingers by the factor
    `colour` counts for as many times fewer ticks.
    """
    random = np.random.default_rng(20050607)  # the same record gives the same intervals
    count = x.size
    walkers = 8 * count + 4
    walks = int(np.clip(MOST_TICKS / (walkers * model.record.ticks), LEAST_WALKS, MOST_WALKS))
    power = 0.5 * (model.measured.size - count) / colour
    root = _root(spread)
    places = x + random.standard_normal((walkers, count)) @ root.T
    places[0] = x
    squares = np.array([_cost(model, coordinates, place) for place in places])
    squares[0] = min(squares[0], 1e300)
    lost = ~np.isfinite(squares)  # begun where no such block exists
    places[lost], squares[lost] = places[0], squares[0]
    best, lowest = places[np.argmin(squares)].copy(), float(squares.min())
    kept = []
    for generation in range(walks):
        # Now and then a whole difference: from one ripple over to the next.
        gain = 1.0 if generation % 5 == 4 else 2.38 / math.sqrt(2.0 * count)
        others = (np.arange(walkers)[:, None] + _two_others(random, walkers)) % walkers
        jitter = 0.02 * random.standard_normal((walkers, count)) @ root.T
        chances = np.log(random.random(walkers))
        for i, (a, b) in enumerate(others):
            tried = places[i] + gain * (places[a] - places[b]) + jitter[i]
            square = _cost(model, coordinates, tried)
            if square < lowest:
                best, lowest = tried.copy(), square
            if square <= squares[i] or (math.isfinite(square) and chances[i] < -power * math.log(square / squares[i])):
                places[i], squares[i] = tried, square
        if 3 * generation >= walks:
            kept.append(places.copy())
    return Walk(np.concatenate(kept), best, lowest)


def _two_others(random: np.random.Generator, walkers: int) -> NDArray[np.int64]:
    """For each walker how far away in the row two different others stand."""
    first = random.integers(1, walkers, walkers)
    second = random.integers(1, walkers - 1, walkers)
    return np.stack([first, second + (second >= first)], axis=1)


def _cost(model: Model, coordinates: Coordinates, place: Array) -> float:
    """The cost there; inf beyond a bound, and where the numbers make no block."""
    if (place < coordinates.low).any() or not np.isfinite(place).all():
        return math.inf
    numbers = coordinates.outward(place)
    recipe = model.recipe
    if recipe.bounded:
        try:
            recipe.block({**recipe.known, **model.named(numbers)}, model.record.dimension).check(model.record.period)
        except InputError:
            return math.inf
    return model.cost(numbers)


def _root(spread: Array) -> Array:
    """A square root of a covariance, of directions that the record does not see at most one unit."""
    scales, directions = np.linalg.eigh(spread)
    return np.asarray(directions * np.sqrt(np.clip(scales, 1e-24, 1.0)))


def bounds(places: Array, coordinates: Coordinates, confidence: float) -> tuple[Array, Array]:
    """The interval of each coordinate that holds this share of the walk; one that reaches a bound begins there."""
    tail = 0.5 * (1.0 - confidence)
    low, high = np.quantile(places, [tail, 1.0 - tail], axis=0)
    top = np.quantile(places, 1.0 - 2.0 * tail, axis=0)
    near = places.min(axis=0) - coordinates.low < 0.1 * (high - low)
    return np.where(near, coordinates.low, low), np.where(near, top, high)
