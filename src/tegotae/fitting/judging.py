"""Whether a record holds the information at all, and why a fit of it may be wrong all the same."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from tegotae.checks import Array
from tegotae.errors import InputError
from tegotae.fitting.assessing import Solution, lingering, rounding
from tegotae.fitting.causes import LOUD, offset_message, possible_causes
from tegotae.fitting.model import Model, polish
from tegotae.fitting.recipe import Rival, Sought, with_free
from tegotae.fitting.record import Record
from tegotae.fitting.steering_log import SteeringLog, steering_doubts

LEAST_GAIN = 25.0  # in units of the noise variance: what a rival must cost before we believe the richer model
LONGEST = 100.0  # ticks for which the noise of a sensor may linger
ABSURD = 1.25  # times what is possible: beyond it no noise explains a number
WIDEST = 1.0  # half-width of a logarithm beyond which a parameter counts as not seen: a factor e either way


def hidden_bias(solution: Solution, record: Record) -> float:
    """What the force sensor seems to add [N], where the recipe assumes nothing and the record speaks against that."""
    recipe = solution.recipe
    model = Model(recipe, record)
    if "offset" not in recipe.assumed or record.dimension > 1 or solution.noise <= 2.0 * rounding(model):
        return 0.0
    if not record.force.any():  # nothing was measured that could have a bias
        return 0.0
    richer = Model(with_free(recipe, "offset"), record)
    if solution.correlation <= LOUD and not _feels_bias(richer, solution):
        return 0.0
    begun = [{**solution.values, "offset": bias} for bias in {0.0, record.off_centre}]
    values, square = min((polish(richer, begin, 40) for begin in begun), key=lambda pair: pair[1])
    left = richer.residual(richer.numbers(values)).reshape(richer.measured.shape)
    _, colour = lingering(left, len(richer.names))
    noise = square / (left.size - len(richer.names))
    return values["offset"] if solution.square - square > LEAST_GAIN * noise * colour else 0.0


def _feels_bias(richer: Model, solution: Solution) -> bool:
    """Whether noise could hide a bias at all: two runs that spare most fits a search."""
    step = 1e-3 * float(np.max(np.abs(richer.record.force)))
    here = np.array([solution.values.get(name, 0.0) for name in richer.names])
    bias = step * np.array([name == "offset" for name in richer.names])
    slope = richer.residual(here + bias) - richer.residual(here - bias)
    along = float(slope @ solution.residual) ** 2 / max(float(slope @ slope), 1e-300)
    # Of a bias the other parameters may have taken most upon themselves.
    return along > 0.1 * LEAST_GAIN * solution.noise**2 * solution.colour


def contest(solution: Solution, rival: Rival, record: Record) -> None:
    """Refuse the fit if the simpler model explains the record as well."""
    _, square = polish(Model(rival.recipe, record), rival.values, 40)
    ratio = (1.0 + solution.correlation) / (1.0 - solution.correlation) if solution.correlation > 0.0 else 1.0
    if (square - solution.square) / (solution.noise**2 * min(ratio, LONGEST)) < LEAST_GAIN:
        raise InputError(
            f"fit: this record does not show {_listed(rival.unseen)}: {rival.complaint}"
            f"{_ways_out(solution, record, rival.remedy)}"
        )


def judge(solution: Solution, record: Record) -> None:
    """Refuse numbers that the record leaves open."""
    scales = solution.recipe.scales({**solution.recipe.known, **solution.values}, record)
    unseen: list[Sought] = []
    # What lingers for longer is no noise but a model that is not quite what was measured: doubted, not refused.
    share = min(1.0, math.sqrt(LONGEST / solution.colour))
    for q in solution.recipe.free:
        half = share * solution.half_widths[q.name]
        widest = max(scales[q.name], abs(solution.values[q.name])) if q.linear else WIDEST
        if half > widest:
            unseen.append(q)
    if not unseen:
        return
    low, high = solution.intervals[unseen[0].name]
    missing = "; ".join(dict.fromkeys(f"for {q.name}: {q.motion}" for q in unseen if q.motion))
    remedy = f"Record more motion ({missing})" if missing else "Record more motion"
    asked = [f'"{q.name}"' for q in unseen if q.name in solution.recipe.asked]
    known = ", ".join(f'"{q.name}": …' for q in unseen if q.name not in solution.recipe.asked)
    if asked:
        remedy += f", or leave {_listed(asked)} out of free=[…]"
    if known and len(unseen) < len(solution.recipe.free):  # else nothing would be left to identify
        remedy += f", or give what you know: known={{{known}}}"
    if solution.correlation > LOUD:
        remedy += (
            f".\n  What is left is no white noise (correlated by {solution.correlation:.2f} from tick to tick): "
            "another law may be nearer"
        )
    raise InputError(
        f"fit: this record does not show {_listed([q.name for q in unseen])}: {unseen[0].name} could be anything from "
        f"{low:.3g} to {high:.3g} {unseen[0].unit}.{_ways_out(solution, record, remedy + '.')}"
    )


def doubts_of(solution: Solution, record: Record, residual: Array) -> list[str]:
    """Why a fit may be wrong, in sentences; `residual` is measured minus model at each tick."""
    if isinstance(record, SteeringLog):
        return steering_doubts(record, residual, solution.noise, solution.correlation)
    recipe = solution.recipe
    found = list(_absurd(solution, record))
    if solution.correlation > LOUD:
        found.append(no_noise(solution.correlation))
        found += possible_causes(recipe, record, solution.bias)
    elif solution.bias:
        found.append(offset_message(recipe, record, solution.bias))
    return found


def _absurd(solution: Solution, record: Record) -> Iterable[str]:
    recipe = solution.recipe
    most = recipe.most({**recipe.known, **solution.values}, record)
    units = {q.name: q.unit for q in recipe.free}
    for name, value in solution.values.items():
        bound, reason = most.get(name, (math.inf, ""))
        if abs(value) > ABSURD * bound:
            told = ", and leave it out of free=[…]." if name in recipe.asked else "."
            yield (
                f"{name} = {value:.4g} {units[name]} makes no sense: {reason}. It stands for something that this model "
                f"does not have; do not use it{told}"
            )


def no_noise(correlation: float) -> str:
    """What is left lingers."""
    return (
        f"What the model leaves is correlated by {correlation:.2f} from tick to tick, so it is hardly the noise of a "
        "sensor: this law or block may not be what was measured, and the numbers not what they seem. Try another."
    )


def _ways_out(solution: Solution, record: Record, remedy: str) -> str:
    """The remedy and what the record itself may be to blame for, one line each; a bias that was found comes first."""
    causes = possible_causes(solution.recipe, record, solution.bias)
    lines = [*causes, remedy] if solution.bias else [remedy, *causes]
    return "".join(f"\n  {line}" for line in lines)


def _listed(names: Iterable[str]) -> str:
    *rest, last = names
    return f"{', '.join(rest)} and {last}" if rest else last
