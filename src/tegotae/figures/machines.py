"""The figure of a machine with contacts and frictions: its motion, its forces, and what touched and stuck when."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tegotae.figures.colours import HAIR, INK, PALETTE, QUIET
from tegotae.figures.result_figures import register
from tegotae.figures.style import Axes, Figure, Shown, Values, sheet, thinned, time_axis
from tegotae.result import Result, Variable

WORDS = {"m": "position", "m/s": "velocity", "rad": "angle", "rad/s": "angular rate"}  # what has such a unit
# How the three routes call what an element does, and what the band of it says.
MODES = {"_closed": "touches", "_touches": "touches", "_sticks": "sticks"}
_MOST_HAIRS = 40  # events drawn through all panels; more of them hide the curves
_MOST_MARKS = 400  # events marked on the bands
# Marker, filled or not, height on the band: a bounce is a touch and a release at almost one moment.
_MARKS = {
    "touch": ("v", True, 0.17),
    "release": ("^", False, -0.17),
    "stick": ("o", True, 0.0),
    "slip": ("o", False, 0.0),
}
_USUAL = 0.97  # of the moments lie within a panel that impacts leave
_STILL = 3e-3  # of the largest excursion in a panel: what moves less does not move, to the eye
_SAME = 2e-3  # of the largest excursion in a panel: curves nearer to each other than this look like one
_DASH = 7.0  # length of a turn, in widths of the line
_ADDED = "added state"


def elements_of(result: Result) -> dict[str, str]:
    """Element -> the variable that tells whether it touches or sticks, in the order of the record."""
    found = {}
    for name in result.variables:
        stem = next((name.removesuffix(end) for end in MODES if name.endswith(end)), name)
        if stem != name and stem in result.variables:
            found[stem] = name
    return found


def machine(result: Result) -> Figure:
    """States by unit, element forces, and a band for each element: dark where it touches or sticks."""
    elements = elements_of(result)
    groups = _states(result, elements)
    heights = [*(1.5 for _ in groups), 1.5, 0.32 + 0.3 * len(elements)]
    figure, grid = sheet(len(heights), 1, width=8.2, height=0.75 + sum(heights))
    grid[0, 0].get_gridspec().set_height_ratios(heights)
    rows: tuple[Axes, ...] = tuple(grid[:, 0])
    time = Shown.of(result["time"], "s")
    scale = float(time.values[-1] / result["time"][-1]) if result["time"][-1] else 1.0
    colors = {name: PALETTE[(i + 1) % len(PALETTE)] for i, name in enumerate(elements)}
    for axes, (unit, curves) in zip(rows, groups.items(), strict=False):
        panel(axes, time, curves, unit, WORDS.get(unit, "state"), PALETTE)
    forces = [curve for name in elements for curve in _columns(name, result.variables[name])]
    tints = tuple(colors[name] for name in elements for _ in _columns(name, result.variables[name]))
    panel(rows[-2], time, forces, "N", "force", tints)
    _bands(rows[-1], time, result, elements, colors, scale)
    _hairs(rows[:-1], result, scale)
    time_axis(rows, time)
    until_rest(rows, result, [c for curves in groups.values() for c in curves] + forces)
    return figure


def until_rest(rows: tuple[Axes, ...], result: Result, curves: list[tuple[str, Values]]) -> None:
    """Where nothing moves any more for long, the picture ends soon after that, and says so."""
    time = np.asarray(result["time"])
    scale = float(Shown.of(time, "s").values[-1] / time[-1]) if time[-1] else 1.0
    moved = [np.flatnonzero(np.abs(c - c[-1]) > _STILL * np.ptp(c)) for _, c in curves if np.ptp(c) > 0.0]
    last = max((float(time[ticks[-1]]) for ticks in moved if ticks.size), default=float(time[-1]))
    end = time[0] + 1.25 * (last - time[0])
    if end > time[0] + 0.7 * (time[-1] - time[0]):
        return
    for axes in rows:
        axes.set_xlim(right=scale * end)
    rows[0].set_title(f"at rest from {last:.3g} s to the end, {time[-1]:g} s", fontsize=8.0, color=QUIET, loc="right")


def _states(result: Result, elements: dict[str, str]) -> dict[str, list[tuple[str, Values]]]:
    """The states that the user wrote, by unit: positions above velocities."""
    skipped = {*elements, *elements.values(), *(f"{name}_deflection" for name in elements), "time"}
    groups: dict[str, list[tuple[str, Values]]] = {}
    for name, variable in result.variables.items():
        if name in skipped or variable.dims != ("time",) or variable.meaning == _ADDED or variable.values.dtype == bool:
            continue
        groups.setdefault(variable.unit, []).append((name, variable.values))
    return groups


def _columns(name: str, variable: Variable) -> list[tuple[str, Values]]:
    if variable.values.ndim == 1:
        return [(name, variable.values)]
    return [(f"{name} {i}", column) for i, column in enumerate(variable.values.T)]


def panel(
    axes: Axes, time: Shown, curves: list[tuple[str, Values]], unit: str, word: str, colors: tuple[str, ...]
) -> None:
    """Curves of one unit, their names in a column at the right; what hardly moves is one grey line."""
    values = np.stack([curve for _, curve in curves])
    reach = _reach(values)
    factor, shown = _scale(values, reach, unit)
    size = np.abs(values).max(axis=1)
    still = size < _STILL * size.max(initial=0.0)
    lines = [(name, curve, colors[i % len(colors)]) for i, (name, curve) in enumerate(curves) if not still[i]]
    space = min(0.22, 0.9 / (len(lines) + bool(still.any())))
    axes.axhline(0.0, color=HAIR, lw=0.9, zorder=1)
    styles = _styles([curve for _, curve, _ in lines])
    for i, (name, curve, color) in enumerate(lines):
        points = thinned(curve)
        axes.plot(time.values[points], factor * curve[points], color=color, lw=1.6, ls=styles[i])
        _name(axes, name, 0.5 + space * (0.5 * (len(lines) - 1 + still.any()) - i), color)
    if still.any():
        for curve in values[still]:
            axes.plot(time.values[thinned(curve)], factor * curve[thinned(curve)], color=QUIET, lw=0.8, zorder=1.5)
        names = [name for (name, _), flat in zip(curves, still, strict=True) if flat]
        _name(axes, "\n".join(names), 0.5 - space * 0.5 * (len(lines) + 0.3 * (len(names) - 1)), QUIET)
    axes.set_ylabel(f"{word} [{shown}]" if unit not in ("", "SI") else word)
    if reach is not None:
        low, high = (factor * end for end in reach)
        axes.set_ylim(low - 0.09 * (high - low), high + 0.09 * (high - low))
        peak = Shown.of(np.array([float(np.abs(values).max())]), unit)
        title = f"impacts leave the panel: the largest is {peak.values[0]:.3g} {peak.unit}"
        axes.set_title(title, fontsize=8.0, color=QUIET, loc="right", pad=3)


def _styles(curves: list[Values]) -> list[Any]:
    """Solid; curves that lie on each other share one line in turns, so that all of them show."""
    span = max((float(np.ptp(curve)) for curve in curves), default=0.0)
    twins = [[j for j, other in enumerate(curves) if np.abs(curve - other).max() <= _SAME * span] for curve in curves]
    styles: list[Any] = []
    for i, group in enumerate(twins):
        count, turn = len(group), group.index(i)
        dash = (-_DASH * turn, (_DASH, _DASH * (count - 1)))
        styles.append(dash if count > 1 else "-")
    return styles


def _name(axes: Axes, name: str, height: float, color: str) -> None:
    axes.annotate(name, (1.012, height), xycoords="axes fraction", fontsize=8.0, color=color, va="center")


def _reach(values: Values) -> tuple[float, float] | None:
    """Low and high of the panel if impacts, short and hundreds of times the weight, would dwarf the rest."""
    size = np.abs(values).max(axis=0)
    usual = float(np.quantile(size, _USUAL))
    if usual == 0.0 or size.max() <= 6.0 * usual:
        return None
    rest = values[:, size <= usual]
    low, high = float(rest.min()), float(rest.max())
    return min(low, 0.0), max(high, 0.0) + 0.4 * (high - low)


def _scale(values: Values, reach: tuple[float, float] | None, unit: str) -> tuple[float, str]:
    """The factor and the unit with its prefix, by what the panel shows."""
    largest = float(np.abs(values).max(initial=0.0)) if reach is None else max(abs(end) for end in reach)
    one = Shown.of(np.array([largest]), unit)
    return (float(one.values[0]) / largest if largest else 1.0), one.unit


def _bands(
    axes: Axes, time: Shown, result: Result, elements: dict[str, str], colors: dict[str, str], scale: float
) -> None:
    """A band an element, in the colour of its force: full where it touches or sticks, pale where not."""
    count = len(elements)
    middle = {name: count - 0.5 - i for i, name in enumerate(elements)}
    for name, record in elements.items():
        held = np.asarray(result[record]) > 0
        low, high = middle[name] - 0.32, middle[name] + 0.32
        axes.fill_between([time.values[0], time.values[-1]], low, high, color=colors[name], alpha=0.13, lw=0)
        for start, end in _stretches(held):
            # To the next moment: a record says what holds from then on.
            last = time.values[min(end, held.size - 1)]
            axes.fill_between([time.values[start], last], low, high, color=colors[name], alpha=0.62, lw=0)
    words = [f"{name} {MODES[record.removeprefix(name)]}" for name, record in elements.items()]
    axes.set_yticks([middle[name] for name in elements], labels=words)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(0.0, float(count))
    axes.grid(False)
    axes.spines["left"].set_visible(False)
    _marks(axes, result, middle, scale)


def _stretches(held: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """[start, end) of every run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], held.astype(np.int8), [0]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _marks(axes: Axes, result: Result, middle: dict[str, float], scale: float) -> None:
    """A mark an event on the band of its element, and a key of those that occur."""
    if "event_time" not in result.variables or not 0 < result["event_time"].size <= _MOST_MARKS:
        return
    for kind, (marker, full, up) in _MARKS.items():
        events = [event for event in result.events if event.kind == kind and event.element in middle]
        if events:
            x, y = [scale * event.time for event in events], [middle[event.element] + up for event in events]
            face = INK if full else "white"
            axes.plot(x, y, marker, ms=4.2, mfc=face, mec=INK, mew=0.8, ls="none", label=kind, clip_on=False, zorder=4)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=0.8, handletextpad=0.4, labelspacing=0.25)


def _hairs(rows: tuple[Axes, ...], result: Result, scale: float) -> None:
    """Thin lines through the panels where something happened, if that is not all the time."""
    if "event_time" not in result.variables or not 0 < result["event_time"].size <= _MOST_HAIRS:
        return
    for axes in rows:
        for when in np.unique(result["event_time"]):
            axes.axvline(scale * float(when), color=QUIET, lw=0.5, ls=(0, (2, 3)), zorder=0.5)


register("inclusion", machine, lambda result: bool(elements_of(result)))
