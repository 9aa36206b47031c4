"""The figure of a fit: measurement and model over time, the loop they make, and what is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tegotae import figures
from tegotae.checks import Array
from tegotae.figures import Shown
from tegotae.figures.style import Axes, Figure
from tegotae.fitting.record import Record

if TYPE_CHECKING:
    from tegotae.fitting.fits import Fit

# What the loop of a response is drawn over; any other field over the force.
AXES = {"force": ("position", "m"), "hand_torque": ("wheel angle from its start", "rad")}


def of_fit(fit: Fit) -> Figure:
    """Over time and as a loop above, what is left over time and as a histogram below; the first direction only."""
    record: Any = fit.record  # of rods one that has no ticks
    if not isinstance(record, Record):
        return _over_time(fit, record)
    unit, (name, across_unit) = fit.unit, AXES.get(fit.response, ("force", "N"))
    measured, residual = _first(fit.record.seen(fit.response)), _first(fit.residual)
    model = measured - residual  # a sensor's offset included
    driven = name == "force"
    other = _first(fit.record.force) if driven else np.cumsum(_first(fit.record.velocity)) * fit.record.period
    points = figures.thinned(measured, model)
    shown = Shown.of(measured, unit)
    factor = 1.0 if not measured.any() else float(np.max(np.abs(shown.values)) / np.max(np.abs(measured)))
    left = Shown.of(residual, unit)
    noise = Shown.of(fit.noise, unit)
    across = Shown.of(other, across_unit)
    time = np.asarray(fit.result["time"])
    with figures.style():
        figure, axes = figures.sheet(2, 2, width=8.4, height=5.2)
        _pair(axes[0, 0], time[points], shown.values[points], factor * model[points])
        axes[0, 0].set(ylabel=f"{fit.response} [{shown.unit}]", title=f"{fit.block.name}: measured and model")
        _pair(axes[0, 1], across.values[points], shown.values[points], factor * model[points])
        axes[0, 1].set(xlabel=f"{name} [{across.unit}]", ylabel=f"{fit.response} [{shown.unit}]", title="The loop")
        axes[0, 1].legend(loc="best")
        axes[1, 0].plot(time[points], left.values[points], ".", ms=1.5, color=figures.QUIET)
        axes[1, 0].set(
            xlabel="time [s]",
            ylabel=f"left over [{left.unit}]",
            title=f"Measured minus model, {noise.values:.3g} {noise.unit} rms",
        )
        axes[1, 0].sharex(axes[0, 0])
        axes[1, 1].set_axis_off()
        _, *rows = repr(fit).splitlines()
        table = "\n".join(row[2:] for row in rows[: 1 + len(fit.parameters)])  # values and intervals, as it prints them
        axes[1, 1].text(0.0, 1.0, table, family="monospace", fontsize=7.5, va="top", linespacing=1.5)
    return figure


def _over_time(fit: Fit, record: Any) -> Figure:
    """What was recorded now and then against the model."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.add_subplot()
    rows = record.measured.reshape(record.count, -1)
    axes.plot(record.times, rows, ".", markersize=3)
    axes.set_prop_cycle(None)
    axes.plot(record.times, rows - fit.residual.reshape(record.count, -1))
    axes.set(xlabel="time [s]", ylabel=f"{fit.response} [{fit.unit}]")
    return figure


def _first(signal: Array) -> Array:
    return signal if signal.ndim == 1 else signal[:, 0]


def _pair(axes: Axes, x: Array, measured: Array, model: Array) -> None:
    axes.plot(x, measured, ".", ms=2.0, color=figures.SKY, label="measured")
    axes.plot(x, model, lw=1.1, color=figures.INK, label="model")
