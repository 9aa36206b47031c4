"""The generic half of identification: from a recipe and a record to values with confidence intervals.

A *recipe* says which parameters a kind of block has, how to build one, where to begin and what a record must show.
Everything else is here and in `model`, the same for all blocks: the search over many beginnings, scaled least squares,
the covariance, and the judgement whether the record holds the information at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np

from tegotae import checks
from tegotae.checks import Array
from tegotae.errors import InputError
from tegotae.fitting import posterior
from tegotae.fitting.causes import LOUD, possible_causes
from tegotae.fitting.model import Coordinates, Model, jacobian, polish
from tegotae.fitting.recipe import Parameter, Recipe, Rival, Values, with_known
from tegotae.fitting.record import Record

Tell = Callable[[str, float], None]

CONFIDENCE = 0.95
LEAST_GAIN = 25.0  # in units of the noise variance: what a rival must cost before we believe the richer model
LEAST_DESCENT = 4.0  # in units of the noise variance: what a walk must find below its beginning to be repeated
WIDEST = 1.0  # half-width of a logarithm beyond which a parameter counts as not seen: a factor e either way
LONGEST_SEARCH = 6000  # ticks; longer records are thinned while looking for beginnings


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


def search(recipe: Recipe, record: Record, tell: Tell) -> list[Values]:
    """The most promising beginnings: the recipe's guesses, ranked by the compiled model, near duplicates dropped."""
    thin = record.thinned(LONGEST_SEARCH)
    model = Model(recipe, thin)
    ranked: list[tuple[float, Values]] = []
    guesses = list(recipe.starts(thin))
    for i, values in enumerate(guesses):
        ranked.append((model.cost(np.array([values[name] for name in model.names])), values))
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
    recipe.look(record)
    count = len(recipe.free)
    if record.ticks < 5 * count:
        checks.refuse(
            "fit",
            f"a record of {record.ticks} ticks is too short for {count} parameters.",
            f"Give at least {5 * count} ticks, better thousands.",
        )
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
    solution = _pinned(_walked(model, assess(model, values, square)), record)
    for rival in recipe.rivals({**recipe.known, **solution.values}, record):
        _contest(solution, rival, record)
    _judge(solution, record)
    tell("done", 1.0)
    return solution


def _distinct(tried: list[tuple[Values, float]]) -> list[tuple[Values, float]]:
    """Ends that differ in their cost; only those near the best are worth going on with."""
    kept: list[tuple[Values, float]] = []
    for values, square in tried:
        if not kept or 1.0 + 1e-7 < square / max(kept[-1][1], 1e-300) < 2.0:
            kept.append((values, square))
    return kept


def assess(model: Model, values: Values, square: float) -> Solution:
    """Noise, covariance and intervals at the optimum, from the accurate Jacobian there."""
    from scipy.stats import t as student

    recipe = model.recipe
    coordinates = Coordinates(recipe, values, model.record)
    numbers = np.array([values[name] for name in model.names])
    residual = model.residual(numbers)
    freedom = residual.size - numbers.size
    # Numbers carry their own rounding, so even a perfect record has a noise above 0.
    floor = _floor(model)
    noise = max(math.sqrt(square / freedom), floor)
    rows = residual.reshape(model.measured.shape)
    correlation = float(np.sum(rows[:, 1:] * rows[:, :-1]) / max(square, 1e-300)) if square > 0.0 else 0.0
    # Noise that lingers from tick to tick tells less than as many independent ticks would.
    lingers = noise > 2.0 * floor and correlation > 3.0 / math.sqrt(residual.size)
    colour = (1.0 + min(correlation, 0.98)) / (1.0 - min(correlation, 0.98)) if lingers else 1.0
    x = coordinates.inward(numbers)
    spread = _spread(model, coordinates, x, noise**2 * colour)
    reach = float(student.ppf(0.5 + CONFIDENCE / 2.0, freedom)) * np.sqrt(np.diag(spread))
    intervals, halves = {}, {}
    for i, q in enumerate(recipe.free):
        low, high = coordinates.outward(x - reach)[i], coordinates.outward(x + reach)[i]
        intervals[q.name] = (float(max(low, q.lowest)), float(high))
        halves[q.name] = float(reach[i] * coordinates.scale[i])
    rate = coordinates.rate(numbers)
    covariance = spread * np.outer(rate, rate)
    return Solution(recipe, values, square, noise, correlation, colour, halves, intervals, covariance, residual)


def _floor(model: Model) -> float:
    """What rounding alone leaves."""
    return 1e-9 * float(np.sqrt(np.mean(model.measured**2)))


def _spread(model: Model, coordinates: Coordinates, x: Array, variance: float) -> Array:
    """The covariance of the coordinates; over a rugged cost from differences as wide as the uncertainty itself."""
    size = float(np.linalg.norm(model.measured))
    spread = variance * _inverse(jacobian(model, coordinates, x), size)
    for _ in range(4 if model.recipe.rugged else 0):
        steps = np.minimum(np.sqrt(np.diag(spread)), 0.5)
        spread = variance * _inverse(jacobian(model, coordinates, x, steps), size)
    return np.asarray(spread)


def _walked(model: Model, solution: Solution) -> Solution:
    """Where the cost is rugged: the lowest place that a walk over it sees, and the intervals that hold the walk."""
    if not model.recipe.rugged or solution.noise <= 2.0 * _floor(model):
        return solution
    for _ in range(3):
        coordinates = Coordinates(model.recipe, solution.values, model.record)
        x = coordinates.inward(np.array([solution.values[name] for name in model.names]))
        spread = _spread(model, coordinates, x, solution.noise**2 * solution.colour)
        seen = posterior.walk(model, coordinates, x, spread, solution.colour)
        found = dict(zip(model.names, coordinates.outward(seen.best).tolist(), strict=True))
        ends = [(solution.values, solution.square), (found, seen.square), polish(model, found, 60, thorough=True)]
        values, square = min(ends, key=lambda pair: pair[1])
        gain = (solution.square - square) / solution.noise**2
        solution = assess(model, values, square) if gain > 0.0 else solution
        if gain < LEAST_DESCENT:
            break  # else it began in a wrong valley, with a wrong idea of the noise
    return _as_walked(solution, coordinates, seen.places)


def _as_walked(solution: Solution, coordinates: Coordinates, places: Array) -> Solution:
    numbers = np.array(list(solution.values.values()))
    here = coordinates.inward(numbers)
    low, high = posterior.bounds(places, coordinates, CONFIDENCE)
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


def _inverse(J: Array, size: float) -> Array:
    """(J'J)^-1 by its scaled singular values; what the record does not see at all becomes very large, not an error."""
    norms = np.linalg.norm(J, axis=0)
    blind = norms <= 1e-10 * size
    norms = np.where(blind, 1e-10 * size, norms)
    _, singular, rows = np.linalg.svd(J / norms, full_matrices=False)
    weights = rows / np.maximum(singular, 1e-9)[:, None]
    return np.asarray((weights.T @ weights) / np.outer(norms, norms))


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


def _contest(solution: Solution, rival: Rival, record: Record) -> None:
    """Refuse the fit if the simpler model explains the record as well."""
    _, square = polish(Model(rival.recipe, record), rival.values, 40)
    ratio = (1.0 + solution.correlation) / (1.0 - solution.correlation) if solution.correlation > 0.0 else 1.0
    if (square - solution.square) / (solution.noise**2 * min(ratio, 100.0)) < LEAST_GAIN:
        names = _listed(rival.unseen)
        raise InputError(
            f"fit: this record does not show {names}: {rival.complaint}\n  {rival.remedy}{_causes(solution, record)}"
        )


def _judge(solution: Solution, record: Record) -> None:
    """Refuse numbers that the record leaves open."""
    scales = solution.recipe.scales({**solution.recipe.known, **solution.values}, record)
    unseen: list[Parameter] = []
    for q in solution.recipe.free:
        half = solution.half_widths[q.name]
        widest = max(scales[q.name], abs(solution.values[q.name])) if q.linear else WIDEST
        if half > widest:
            unseen.append(q)
    if not unseen:
        return
    names = _listed([q.name for q in unseen])
    low, high = solution.intervals[unseen[0].name]
    missing = "; ".join(dict.fromkeys(f"for {q.name}: {q.motion}" for q in unseen))
    known = ", ".join(f'"{q.name}": …' for q in unseen)
    hint = ""
    if solution.correlation > LOUD:
        hint = (
            f"\n  What is left is no white noise (correlated by {solution.correlation:.2f} from tick to tick): "
            "another law may be nearer."
        )
    raise InputError(
        f"fit: this record does not show {names}: {unseen[0].name} could be anything from {low:.3g} to {high:.3g} "
        f"{unseen[0].unit}.\n  Record more motion ({missing}), or give what you know: known={{{known}}}.{hint}"
        f"{_causes(solution, record)}"
    )


def _causes(solution: Solution, record: Record) -> str:
    """What the record itself may be to blame for, one line each."""
    if solution.recipe.response != "force":
        return ""
    return "".join(f"\n  {cause}" for cause in possible_causes(record))


def _refuse_all() -> NoReturn:
    checks.refuse(
        "fit",
        "nothing in this record resists its motion as such a block would.",
        "Check that the motion is above the sensors' noise, and the units: m/s, N, s.",
    )


def _listed(names: Iterable[str]) -> str:
    *rest, last = names
    return f"{', '.join(rest)} and {last}" if rest else last
