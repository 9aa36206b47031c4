"""Whether a record holds the information at all, why a fit of it may be wrong all the same, and what sensors and
records do to it: signs that something other than the block is in them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from tegotae.checks import Array
from tegotae.errors import InputError
from tegotae.fitting.assessing import LOUD, Solution, lingering, rounding
from tegotae.fitting.model import Model, polish
from tegotae.fitting.recipe import Recipe, Rival, Sought, with_free
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
            f".\n  What is left is not white noise (correlated by {solution.correlation:.2f} from tick to tick): "
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
            ending = ", and leave it out of free=[…]." if name in recipe.asked else "."
            yield (
                f"{name} = {value:.4g} {units[name]} makes no sense: {reason}. It stands for something that this model "
                f"does not have; do not use it{ending}"
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


def possible_causes(recipe: Recipe, record: Record, bias: float) -> list[str]:
    """Sentences on an offset, a saturated sensor and a start in mid-motion, each where the record looks like it.

    A remedy is named only if the recipe has it and it was not asked for already. By `bias` of the force [N] the model
    explains the record better; 0 if it does not.
    """
    if recipe.response not in ("force", "velocity"):
        return []
    force = record.force.reshape(record.ticks, -1)
    speed = np.linalg.norm(record.velocity.reshape(record.ticks, -1), axis=1)
    felt = recipe.response == "force"
    found = [offset_message(recipe, record, bias or (_offset_of(record) if felt else 0.0))]
    ends = [(column, float(end)) for column in force.T for end in (column.max(), column.min())]
    clipped = [end for column, end in ends if end != 0.0 and np.mean(column == end) > 0.02]  # they come back exactly
    if felt and clipped:
        found.append(
            f"Many ticks show exactly {clipped[0]:.4g} N, as a saturated sensor does (or a record without noise): "
            "widen its range."
        )
    begun = float(np.linalg.norm(np.mean(force[:3], axis=0))) if felt else 0.0
    if begun > 0.3 * float(np.max(np.abs(force))) or speed[0] > 0.3 * float(np.max(speed)):
        message = "The record starts in mid-motion or under load: begin it at rest"
        alternative = ', or fit the force it starts with by free=["preload"].'
        found.append(_advised(recipe, record, "preload", message, alternative))
    return [message for message in found if message]


def offset_message(recipe: Recipe, record: Record, bias: float) -> str:
    """The bias, and what to do about it."""
    message = f"The force is about {bias:.2g} N off centre, as a sensor's offset would be: subtract it from the force"
    return _advised(recipe, record, "offset", message, ', or fit it with free=["offset"].') if bias else ""


def _advised(recipe: Recipe, record: Record, name: str, message: str, alternative: str) -> str:
    """What is told, and the way to seek a parameter for it if there is one; nothing where it was given, or sought."""
    if name in {q.name for q in recipe.parameters} - recipe.assumed:
        return ""
    return message + (alternative if name in recipe.assumed and record.dimension == 1 else ".")


def _offset_of(record: Record) -> float:
    """The largest of all directions [N], as bare eyes see it."""
    force = record.force.reshape(record.ticks, -1)
    velocity = record.velocity.reshape(record.ticks, -1)
    return max((_offset(f, v) for f, v in zip(force.T, velocity.T, strict=True)), key=abs)


def _offset(force: Array, velocity: Array) -> float:
    """Half the sum of the forces against fast motion either way, where that is no small part of their difference.

    Only the faster half of the ticks: those slide, whatever the springs do.
    """
    fast = np.abs(velocity) >= np.median(np.abs(velocity))
    forth, back = force[fast & (velocity > 0.0)], force[fast & (velocity < 0.0)]
    if min(forth.size, back.size) < 0.05 * force.size:
        return 0.0
    middle = 0.5 * float(np.median(forth) + np.median(back))
    half = 0.5 * abs(float(np.median(back) - np.median(forth)))
    spread = max(float(np.subtract(*np.quantile(stroke, [0.75, 0.25]))) for stroke in (forth, back))
    # Only a record that slides has two levels to be in the middle of; a spring's force goes with the place.
    return middle if abs(middle) > 0.1 * half and half > spread else 0.0
