"""The generic half of identification: from a recipe and a record to values with confidence intervals.

A *recipe* says which parameters a kind of block has, how to build one, where to begin and what a record must show.
Everything else is the same for all blocks: here the search over many beginnings, in `model` scaled least squares, in
`assessing` the covariance, in `judging` whether the record holds the information at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn

import numpy as np

from tegotae import checks
from tegotae.checks import Array
from tegotae.fitting.assessing import CONFIDENCE, FEWEST, Solution, assess, is_rugged, rounding, spread_of, walk, walked
from tegotae.fitting.judging import contest, hidden_bias, judge
from tegotae.fitting.model import Coordinates, Model, polish
from tegotae.fitting.recipe import Recipe, Values, with_known
from tegotae.fitting.record import Record

Tell = Callable[[str, float], None]

LEAST_DESCENT = 4.0  # in units of the noise variance: what a walk must find below its beginning to be repeated
SMALLEST, LARGEST = 1e-100, 1e100  # what a record may hold, in SI units
LONGEST_SEARCH = 6000  # ticks; longer records are thinned while looking for beginnings


def search(recipe: Recipe, record: Record, tell: Tell) -> list[Values]:
    """The most promising beginnings: the recipe's guesses, ranked by the compiled model, near duplicates dropped."""
    thin = record.thinned(LONGEST_SEARCH)
    model = Model(recipe, thin)
    ranked: list[tuple[float, Values]] = []
    guesses = list(recipe.starts(thin))
    for i, values in enumerate(guesses):
        ranked.append((model.cost(model.numbers(values)), values))
        if i % 50 == 0:
            tell("looking for beginnings", 0.4 * i / len(guesses))
    ranked.sort(key=lambda pair: pair[0])
    chosen: list[Values] = []
    for cost, values in ranked:
        if math.isfinite(cost) and all(_apart(recipe, values, other) for other in chosen):
            chosen.append(values)
        if len(chosen) == 6:
            break
    return chosen


def _apart(recipe: Recipe, one: Values, other: Values) -> bool:
    """Whether two beginnings differ by more than half in some positive parameter."""
    return any(abs(math.log(one[q.name] / other[q.name])) > 0.4 for q in recipe.free if not q.linear)


def quick(recipe: Recipe, record: Record) -> Values:
    """A first answer of a plainer recipe, where another begins from it."""
    model = Model(recipe, record)
    tried = [polish(model, values, 12) for values in search(recipe, record, lambda stage, done: None)[:3]]
    if not tried:
        _refuse_all()
    return min(tried, key=lambda pair: pair[1])[0]


def solve(recipe: Recipe, record: Record, tell: Tell) -> Solution:
    """Identify, and judge whether the record holds the information."""
    _look_at_sizes(recipe, record)
    recipe.inspect(record)
    count = len(recipe.free)
    if record.ticks < FEWEST * count:
        problem = f"a record of {record.ticks} ticks is too short for {count} parameters."
        checks.refuse("fit", problem, f"Give at least {FEWEST * count} ticks, better thousands.")
    if not count:
        checks.refuse("fit", "every parameter is given in known=….", "Leave out those to identify.")
    beginnings = search(recipe, record, tell)
    if not beginnings:
        _refuse_all()
    model = Model(recipe, record)
    tried: list[tuple[Values, float]] = []
    for i, values in enumerate(beginnings):
        tell("least squares", 0.4 + 0.4 * i / len(beginnings))
        tried.append(polish(model, values, 15))
        tried.sort(key=lambda pair: pair[1])
        if len(tried) > 1 and tried[1][1] <= tried[0][1] * (1.0 + 1e-7):
            break  # two different beginnings led to the same, best end
    ends = [polish(model, values, 300, thorough=True) for values, _ in _distinct(tried)[:2]]
    values, square = min(ends, key=lambda pair: pair[1])
    values = recipe.ordered(values)
    tell("confidence", 0.85)
    if recipe.rugged is None:
        recipe.rugged = is_rugged(model, values, square)
    solution = _pinned(_walked(model, assess(model, values, square)), record)
    solution = replace(solution, bias=hidden_bias(solution, record))
    for rival in recipe.rivals({**recipe.known, **solution.values}, record):
        contest(solution, rival, record)
    judge(solution, record)
    tell("done", 1.0)
    return solution


def _look_at_sizes(recipe: Recipe, record: Record) -> None:
    """Squares and products must be numbers."""
    seen = {recipe.drive: getattr(record, recipe.drive), recipe.response: record.seen(recipe.response)}
    for name, signal in seen.items():
        largest = float(np.max(np.abs(signal)))
        if largest and not SMALLEST < largest < LARGEST:
            problem = f"the largest {name} of the record is {largest:.3g}, beyond what can be computed with."
            checks.refuse("fit", problem, "Check the units: m/s, N, s.")


def _distinct(tried: list[tuple[Values, float]]) -> list[tuple[Values, float]]:
    """Ends that differ in their cost; only those near the best are worth going on with."""
    kept: list[tuple[Values, float]] = []
    for values, square in tried:
        if not kept or 1.0 + 1e-7 < square / max(kept[-1][1], 1e-300) < 2.0:
            kept.append((values, square))
    return kept


def _walked(model: Model, solution: Solution) -> Solution:
    """Where the cost is rugged: the lowest place that a walk over it sees, and the intervals that hold the walk."""
    if not model.recipe.rugged or solution.noise <= 2.0 * rounding(model):
        return solution
    for _ in range(3):
        coordinates = Coordinates(model.recipe, solution.values, model.record)
        x = coordinates.inward(model.numbers(solution.values))
        spread = spread_of(model, coordinates, x, solution.noise**2 * solution.colour)
        places, best, lowest = walk(model, coordinates, x, spread, solution.colour)
        found = model.named(coordinates.outward(best))
        ends = [(solution.values, solution.square), (found, lowest), polish(model, found, 60, thorough=True)]
        values, square = min(ends, key=lambda pair: pair[1])
        gain = (solution.square - square) / solution.noise**2
        solution = assess(model, values, square) if gain > 0.0 else solution
        if gain < LEAST_DESCENT:
            break  # else it began in a wrong valley, with a wrong idea of the noise
    return _as_walked(solution, coordinates, places)


def _as_walked(solution: Solution, coordinates: Coordinates, places: Array) -> Solution:
    numbers = np.array(list(solution.values.values()))
    here = coordinates.inward(numbers)
    low, high = walked(places, coordinates, CONFIDENCE)
    low, high = np.minimum(low, here), np.maximum(high, here)
    ends = zip(coordinates.outward(low).tolist(), coordinates.outward(high).tolist(), strict=True)
    reach = 0.5 * (high - low) * coordinates.scale
    rate = coordinates.rate(numbers)
    return replace(
        solution,
        intervals=dict(zip(solution.values, ends, strict=True)),
        half_widths=dict(zip(solution.values, reach.tolist(), strict=True)),
        covariance=np.atleast_2d(np.cov(places.T)) * np.outer(rate, rate),
    )


def _pinned(solution: Solution, record: Record) -> Solution:
    """Where a parameter that may be 0 ended within a hair of it, take exactly 0 and solve for the rest."""
    recipe = solution.recipe
    zeros = {
        q.name: 0.0
        for q in recipe.free
        if q.may_be_zero and 0.0 < solution.values[q.name] < 0.05 * solution.half_widths[q.name]
    }
    if not zeros or len(zeros) == len(recipe.free):
        return solution
    smaller = with_known(recipe, zeros)
    values, square = polish(Model(smaller, record), solution.values, 100, thorough=True)
    if square > solution.square + 0.1 * solution.noise**2:
        return solution
    together = {**values, **zeros}
    model = Model(recipe, record)
    return _walked(model, assess(model, {q.name: together[q.name] for q in recipe.free}, square))


def _refuse_all() -> NoReturn:
    checks.refuse(
        "fit",
        "nothing in this record resists its motion as such a block would.",
        "Check that the motion is above the sensors' noise, and the units: m/s, N, s.",
    )
