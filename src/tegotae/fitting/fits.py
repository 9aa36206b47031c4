"""A fit: a block that is ready to use, and how sure each of its numbers is."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tegotae import checks
from tegotae.block import Block
from tegotae.checks import Array
from tegotae.fitting import engine
from tegotae.fitting.judging import doubts_of
from tegotae.fitting.progress import reporter
from tegotae.fitting.recipe import Recipe
from tegotae.fitting.record import Record
from tegotae.result import Result
from tegotae.running.loop import Signal, run

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Fit:
    """What a record says about a block.

    Args:
        block: ready to use.
        parameters: name -> value, in SI units.
        intervals: name -> (low, high), 95 % confidence.
        units: name -> unit.
        noise: standard deviation of what the model leaves unexplained, in the unit of the response.
        residual: measurement minus model at each tick, in the same unit; 0 at ticks of a steering log that are not
            judged, because they follow from what was before it.
        correlation: of the residual from one tick to the next [-]; near 0 for a model that explains all but the
            sensor's noise. Where it is not, the intervals are widened for it.
        covariance: of the parameters, in their order and units [products of the units of two parameters].
        result: the block run over the same record.
        record: what was measured.
        response: what of it was compared.
        unit: of that.
        doubts: why this fit may be wrong, in sentences; none for a fit that leaves white noise.

    Example:
        >>> import numpy as np, tegotae as tg
        >>> random = np.random.default_rng(1)
        >>> velocity = 0.05 * np.sin(np.arange(0.0, 20.0, 0.005))
        >>> brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
        >>> force = brake.run(velocity, period=1e-3).force + 0.05 * random.standard_normal(4000)
        >>> found = tg.fit(tg.FrictionImpedance, velocity, force, period=1e-3)
        >>> low, high = found.intervals["limit"]
        >>> low < 4.0 < high and high - low < 0.01
        True
    """

    block: Block
    parameters: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    units: dict[str, str]
    noise: float
    residual: Array = field(repr=False)
    correlation: float
    covariance: Array = field(repr=False)
    result: Result = field(repr=False)
    record: Record = field(repr=False)
    response: str = "force"
    unit: str = "N"
    doubts: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        rows = [("", "value", "95 % interval", "unit")]
        for name, value in self.parameters.items():
            low, high = self.intervals[name]
            rows.append((name, f"{value:.5g}", f"{low:.5g} … {high:.5g}", self.units[name]))
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        lines = [
            f"Fit of {type(self.block).__name__} to {self.record.extent}; "
            f"noise {self.noise:.3g} {self.unit}, correlated by {self.correlation:.2f} from {self.record.steps}"
        ]
        for a, b, c, d in rows:
            lines.append(f"  {a:<{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}  {d}".rstrip())
        return "\n".join([*lines, *self.doubts])

    def plot(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """Data against model over time and as a loop, and what is left. Saved if a path is given."""
        from tegotae import figures
        from tegotae.fitting.picture import of_fit

        figure = of_fit(self)
        if path is not None:
            figures.save(figure, path)
        return figure


def fit_recipe(recipe: Recipe, record: Record, progress: bool | Callable[[str, float], None] | None) -> Fit:
    """The block that a recipe makes of a record, and what there is to say about it."""
    _refuse_unknown(recipe)
    with reporter(progress) as tell:
        solution = engine.solve(recipe, record, tell)
    values = {**recipe.known, **solution.values}
    block = recipe.block(values, record.dimension)
    block.check(record.period)
    bias = recipe.offset(values)
    drive: Any = getattr(record, recipe.drive)
    drive = drive - bias if bias and recipe.drive == "force" else drive
    unit = "m/s" if recipe.drive == "velocity" else "N"
    initial = {**recipe.begins, **recipe.initial(values)}
    given, inputs = Signal(recipe.drive, drive, unit), recipe.inputs(record)
    result = run(block, given, record.period, initial=initial, inputs=inputs)
    residual = record.seen(recipe.response) - np.asarray(result[recipe.response])
    if recipe.response == "force":
        residual -= bias
    residual[: record.judged.start or 0] = 0.0
    return Fit(
        block=block,
        parameters=solution.values,
        intervals=solution.intervals,
        units={q.name: q.unit for q in recipe.free},
        noise=solution.noise,
        residual=residual,
        correlation=solution.correlation,
        covariance=solution.covariance,
        result=result,
        record=record,
        response=recipe.response,
        unit=block.parts[recipe.response].unit,
        doubts=doubts_of(solution, record, residual),
    )


def _refuse_unknown(recipe: Recipe) -> None:
    """Names that the recipe does not have, and numbers that it cannot."""
    names = [q.name for q in recipe.parameters]
    signed = {q.name for q in recipe.parameters if q.signed}
    for name, value in recipe.known.items():
        if name not in names:
            checks.refuse("fit", f"known has {name!r}.", f"This block has {', '.join(names)}.")
        if name not in signed:
            checks.at_least_zero("fit", f"known[{name!r}]", value, "", "Give its value in SI units.")
