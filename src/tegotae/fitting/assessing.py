"""What a record says about each number at an optimum: the noise, how it lingers, the covariance, the intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tegotae.checks import Array
from tegotae.fitting.model import Coordinates, Model, jacobian
from tegotae.fitting.recipe import Recipe, Values

CONFIDENCE = 0.95
FEWEST = 5  # ticks for each parameter, that a record must have
SMOOTH = 0.2  # of a logarithm: how far two widths of an interval may be apart over a cost without kinks
LOUD = 0.5  # correlation of what is left from tick to tick, above which it is hardly the noise of a sensor
SLOWEST = 0.98  # correlation from tick to tick above which one number no longer says how noise fades
MOST_TICKS = 400_000_000  # of all evaluations of a walk together: some seconds
LEAST_WALKS, MOST_WALKS = 60, 180  # generations of it; the first third only finds the valley


@dataclass(frozen=True)
class Solution:
    """The optimum, and what the record says about each number there."""

    recipe: Recipe
    values: Values
    square: float
    noise: float
    correlation: float
    colour: float  # how many times less the noise tells than if it were white
    half_widths: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    covariance: Array
    residual: Array
    bias: float = 0.0  # of the force [N], that the record speaks for and the recipe assumes away


def assess(model: Model, values: Values, square: float) -> Solution:
    """Noise, covariance and intervals at the optimum, from the accurate Jacobian there."""
    from scipy.stats import t as student

    recipe = model.recipe
    coordinates = Coordinates(recipe, values, model.record)
    numbers = model.numbers(values)
    residual = model.residual(numbers)
    freedom = residual.size - numbers.size
    # Numbers carry their own rounding, so even a perfect record has a noise above 0.
    least = rounding(model)
    noise = max(math.sqrt(square / freedom), least)
    rows = residual.reshape(model.measured.shape)
    correlation, colour = lingering(rows, numbers.size)
    colour = colour if noise > 2.0 * least else 1.0
    x = coordinates.inward(numbers)
    spread = spread_of(model, coordinates, x, noise**2 * colour)
    reach = float(student.ppf(0.5 + CONFIDENCE / 2.0, freedom)) * np.sqrt(np.diag(spread))
    intervals, halves = {}, {}
    for i, q in enumerate(recipe.free):
        low, high = coordinates.outward(x - reach)[i], coordinates.outward(x + reach)[i]
        intervals[q.name] = (float(max(low, q.lowest)), float(high))
        halves[q.name] = float(reach[i] * coordinates.scale[i])
    rate = coordinates.rate(numbers)
    covariance = spread * np.outer(rate, rate)
    return Solution(recipe, values, square, noise, correlation, colour, halves, intervals, covariance, residual)


def lingering(rows: Array, count: int) -> tuple[float, float]:
    """The correlation of what is left (directions, ticks) from tick to tick, and how many times less it tells for that.

    Noise that lingers tells less than as many independent ticks would: (1 + r)/(1 - r) times less if it fades by the
    same factor r at each tick. Near r = 1 that rests on the last digits of r, so the correlations themselves are summed
    up, to where they first vanish; however slow, what is left counts as the fewest ticks that `count` parameters need.
    """
    square = float(np.sum(rows**2))
    if square <= 0.0:
        return 0.0, 1.0
    correlation = float(np.sum(rows[:, 1:] * rows[:, :-1])) / square
    if correlation <= 3.0 / math.sqrt(rows.size):
        return correlation, 1.0
    slow = min(correlation, SLOWEST)
    colour = (1.0 + slow) / (1.0 - slow)
    if correlation > SLOWEST:
        colour = max(colour, min(_summed(rows, square), rows.size / (FEWEST * count)))
    return correlation, colour


def _summed(rows: Array, square: float) -> float:
    """1 + 2 (r1 + r2 + ...), to the first correlation that is not positive."""
    length = 2 * rows.shape[1]  # room for the tail, so that nothing wraps around
    power = np.sum(np.abs(np.fft.rfft(rows, length, axis=1)) ** 2, axis=0)
    correlations = np.fft.irfft(power, length)[: rows.shape[1]] / square
    gone = np.flatnonzero(correlations <= 0.0)
    return 2.0 * float(np.sum(correlations[: gone[0] if gone.size else None])) - 1.0


def rounding(model: Model) -> float:
    """What rounding alone leaves."""
    return 1e-9 * float(np.sqrt(np.mean(model.measured**2)))


def spread_of(model: Model, coordinates: Coordinates, x: Array, variance: float) -> Array:
    """The covariance of the coordinates; over a rugged cost from differences as wide as the uncertainty itself."""
    spread = variance * _inverse(model, jacobian(model, coordinates, x))
    for _ in range(4 if model.recipe.rugged else 0):
        steps = np.minimum(np.sqrt(np.diag(spread)), 0.5)
        spread = variance * _inverse(model, jacobian(model, coordinates, x, steps))
    return np.asarray(spread)


def is_rugged(model: Model, values: Values, square: float) -> bool:
    """Whether slopes over the uncertainty itself say something else about it than slopes at the optimum."""
    solution = assess(model, values, square)
    coordinates = Coordinates(model.recipe, values, model.record)
    x = coordinates.inward(model.numbers(values))
    fine = np.sqrt(np.diag(solution.covariance)) / coordinates.rate(coordinates.outward(x))
    slopes = jacobian(model, coordinates, x, np.minimum(np.abs(fine), 0.5))
    wide = solution.noise * math.sqrt(solution.colour) * np.sqrt(np.diag(_inverse(model, slopes)))
    return bool((np.abs(np.log(wide / np.abs(fine))) > SMOOTH).any())


def _inverse(model: Model, J: Array) -> Array:
    """(J'J)^-1 by its scaled singular values; what the record does not see at all becomes very large, not an error."""
    norms = np.maximum(np.linalg.norm(J, axis=0), 1e-10 * float(np.linalg.norm(model.measured)))
    _, singular, rows = np.linalg.svd(J / norms, full_matrices=False)
    weights = rows / np.maximum(singular, 1e-9)[:, None]
    return np.asarray((weights.T @ weights) / np.outer(norms, norms))


# ------------------------------------------------------------ by a walk

# A mass that slides stops and turns within some tick. A parameter that moves this moment across a tick's border bends
# the response sharply, so the cost is a valley full of ripples, finer than the noise can tell apart: least squares
# halts in any of them, and the slopes there say nothing about the width of the valley. So the whole likelihood is
# walked instead, by a population of walkers that take their steps from each other's differences. [terbraak2006]


def walk(model: Model, coordinates: Coordinates, x: Array, spread: Array, colour: float) -> tuple[Array, Array, float]:
    """Walk the likelihood around x, begun with this covariance: where all walkers were after the first third, (many,
    parameters), and the best place that any of them saw, with its cost.

    The noise is not known beforehand, so its likelihood is a power of the cost; noise that lingers by the factor
    `colour` counts for as many times fewer ticks.
    """
    random = np.random.default_rng(20050607)  # the same record gives the same intervals
    count = x.size
    walkers = 8 * count + 4
    walks = int(np.clip(MOST_TICKS / (walkers * model.record.ticks), LEAST_WALKS, MOST_WALKS))
    power = 0.5 * (model.measured.size - count) / colour
    scales, directions = np.linalg.eigh(spread)
    root = directions * np.sqrt(np.clip(scales, 1e-24, 1.0))  # at most one unit where the record sees nothing
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
        # Of each walker how far away in the row two different others stand.
        first, second = random.integers(1, walkers, walkers), random.integers(1, walkers - 1, walkers)
        apart = np.stack([first, second + (second >= first)], axis=1)
        others = (np.arange(walkers)[:, None] + apart) % walkers
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
    return np.concatenate(kept), best, lowest


def _cost(model: Model, coordinates: Coordinates, place: Array) -> float:
    """The cost there; inf beyond a bound, and where the numbers make no block."""
    if (place < coordinates.low).any() or not np.isfinite(place).all():
        return math.inf
    numbers = coordinates.outward(place)
    return model.cost(numbers) if model.recipe.exists(model.named(numbers), model.record) else math.inf


def walked(places: Array, coordinates: Coordinates, confidence: float) -> tuple[Array, Array]:
    """The interval of each coordinate that holds this share of the walk; one that reaches a bound begins there."""
    tail = 0.5 * (1.0 - confidence)
    low, high = np.quantile(places, [tail, 1.0 - tail], axis=0)
    top = np.quantile(places, 1.0 - 2.0 * tail, axis=0)
    near = places.min(axis=0) - coordinates.low < 0.1 * (high - low)
    return np.where(near, coordinates.low, low), np.where(near, top, high)
