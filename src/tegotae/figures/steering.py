"""The figure of a steering system: the loop that the hand feels, its history, and maps of what the tyre gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tegotae import checks
from tegotae.figures.colours import AMBER, FORCE, INK, MOTION, PALETTE, PLUM, QUIET
from tegotae.figures.result_figures import register, row
from tegotae.figures.style import Axes, Figure, Shown, Values, beside, sheet, style, thinned, time_axis
from tegotae.result import Result

if TYPE_CHECKING:
    from tegotae.steering import ContactPatch

THICK, THIN = 3.2, 1.0  # as yamamoto2006 draws its Figs. 8 to 10
_MAP_POINTS = 201
_USUAL = 0.985  # of the moments lie within a panel that a jerk leaves
_SAME = 2e-3  # of the height of a panel: curves nearer to each other than this look like one


def steering(result: Result) -> Figure:
    """Histories of wheel, hand, bristles and speed, and torque over angle: thick while some bristles stick."""
    moves = bool(np.ptp(result.speed) > 0.0)
    figure, rows, right = beside(3 + moves, width=8.8, height=4.4, ratios=(1.0, 1.12))
    time = Shown.of(result.time, "s")
    histories = [
        (Shown.of(result.wheel_angle, "rad"), MOTION, "wheel"),
        (Shown.of(result.hand_torque, "N·m"), FORCE, "hand"),
        (Shown(100.0 * result.stuck, "%"), AMBER, "stick"),
    ]
    if moves:
        histories.append((Shown.of(result.speed, "m/s"), PLUM, "speed"))
    for axes, (shown, color, word) in zip(rows, histories, strict=True):
        row(axes, time, shown, color, word)
    _within(rows[1], Shown.of(result.hand_torque, "N·m"))
    rows[2].fill_between(time.values, 0.0, 100.0 * result.stuck, color=AMBER, alpha=0.16, lw=0)
    rows[2].set_ylim(-4.0, 104.0)
    time_axis(rows, time)
    loop(right, result)
    return figure


def loop(axes: Axes, result: Result) -> None:
    """Hand torque over wheel angle, as in Figs. 8 to 10 of yamamoto2006; coloured by speed where that changes.

    Args:
        axes: to draw on.
        result: of a `SteeringSystem`.

    Example:
        >>> from tegotae import figures
        >>> from tegotae.steering import SteeringSystem
        >>> with figures.style():
        ...     figure, grid = figures.sheet()
        ...     loop(grid[0, 0], SteeringSystem.paper().run([0.0, 0.1], period=1e-3))
        >>> len(grid[0, 0].collections)
        1
    """
    angle, torque = Shown.of(result.wheel_angle, "rad"), Shown.of(result.hand_torque, "N·m")
    axes.axhline(0.0, color=QUIET, lw=0.6, zorder=1)
    axes.axvline(0.0, color=QUIET, lw=0.6, zorder=1)
    changes = np.flatnonzero(np.diff(result.stuck > 0.0))
    ticks = np.unique(np.concatenate([thinned(angle.values, torque.values), changes, changes + 1]))
    # Where a run says from when on it repeats itself, the way there is only hinted at.
    begin = float(result.about.get("repeats_from", 0.0))
    before = ticks[result.time[ticks] <= begin]
    axes.plot(angle.values[before], torque.values[before], color=QUIET, lw=0.7, alpha=0.7, zorder=2)
    ticks = ticks[result.time[ticks] >= begin]
    points = np.stack([angle.values[ticks], torque.values[ticks]], axis=1)
    sticks = result.stuck[ticks][1:] > 0.0
    _trail(axes, points, np.where(sticks, THICK, THIN), result.speed[ticks])
    axes.plot(angle.values[0], torque.values[0], "o", ms=5.0, mfc="white", mec=INK, mew=1.1, zorder=4)
    axes.plot(*points[-1], "o", ms=5.0, color=INK, zorder=4)
    axes.update_datalim(points)
    axes.autoscale_view()
    axes.margins(0.07)
    axes.set(xlabel=f"wheel angle [{angle.unit}]", ylabel=f"hand torque [{torque.unit}]")
    if left := _within(axes, torque):
        axes.annotate(left, (0.985, 0.02), xycoords="axes fraction", fontsize=8.0, color=QUIET, ha="right")
    title = "thick: some bristles stick   thin: all slip" if (~sticks).any() else "some bristles stick all the time"
    axes.set_title(title, fontsize=8.0, color=QUIET, loc="left", pad=5)


def _within(axes: Axes, shown: Shown) -> str:
    """Set the height by what is usual, if a start with a jerk would flatten all the rest; words of what is left out."""
    size = np.abs(shown.values)
    usual = float(np.quantile(size, _USUAL))
    if usual == 0.0 or size.max() <= 2.0 * usual:
        return ""
    rest = shown.values[size <= usual]
    low, high = float(rest.min()), float(rest.max())
    axes.set_ylim(low - 0.12 * (high - low), high + 0.25 * (high - low))
    return f"it starts with {shown.values[np.argmax(size)]:.3g} {shown.unit}, out of sight"


def _trail(axes: Axes, points: Values, widths: Values, speed: Values) -> None:
    """Segments with a width and a colour each."""
    from matplotlib.collections import LineCollection
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    segments: Any = np.stack([points[:-1], points[1:]], axis=1)
    lines = LineCollection(segments, linewidths=widths.tolist(), capstyle="round", zorder=3)
    axes.add_collection(lines)
    if np.ptp(speed) == 0.0:
        lines.set_color(FORCE)
        return
    # Backwards, standing and forwards are told apart, whatever the largest speed: the middle of the scale is 0.
    reach = float(np.max(np.abs(speed)))
    ramp = LinearSegmentedColormap.from_list("speed", [PLUM, "#b9a8d4", "#c9ced3", "#f0b9a2", FORCE])
    lines.set(cmap=ramp, norm=Normalize(-reach, reach), array=0.5 * (speed[1:] + speed[:-1]))
    figure = axes.figure
    bar = figure.colorbar(lines, ax=axes, fraction=0.035, pad=0.02, aspect=32)
    bar.outline.set_visible(False)  # type: ignore[operator]
    bar.set_label("speed [m/s]")
    bar.ax.set_ylim(float(speed.min()), float(speed.max()))


def tyre_maps(patch: ContactPatch, *, speeds: Sequence[float], widest: float | None = None) -> Figure:
    """Lateral force, torque and stuck share of a rolling tyre over its slip angle, one curve a speed.

    Args:
        patch: the tyre's.
        speeds: [m/s], none 0.
        widest: largest slip angle [rad]; where the fastest of them slides with every bristle, and half as much again,
            unless given.

    Example:
        >>> from tegotae.figures.steering import tyre_maps
        >>> from tegotae.steering import ContactPatch
        >>> figure = tyre_maps(ContactPatch(stiffness=1e4, damping=0.0), speeds=[20.0])
        >>> [axes.get_ylabel() for axes in figure.axes]
        ['lateral force [N]', 'torque [N·m]', 'bristles that stick [%]']
    """
    moving = [checks.number("tyre_maps", "speeds", speed, "m/s", "Give speeds other than 0.") for speed in speeds]
    if not moving or 0.0 in moving:
        checks.refuse("tyre_maps", f"speeds={list(speeds)} m/s.", "Give at least one, none of them 0.")
    reach = _widest(patch, moving) if widest is None else checks.positive("tyre_maps", "widest", widest, "rad", "")
    # Closer in the middle, where a fast tyre has its whole range.
    angles = reach * np.sinh(np.linspace(-4.0, 4.0, _MAP_POINTS)) / np.sinh(4.0)
    degrees = np.degrees(angles)
    with style():
        figure, grid = sheet(1, 3, width=9.6, height=3.3)
        for axes in grid[0]:
            axes.axhline(0.0, color=QUIET, lw=0.6, zorder=1)
            axes.axvline(0.0, color=QUIET, lw=0.6, zorder=1)
        maps = _distinct(patch, angles, moving)
        for i, curves in enumerate(maps.values()):
            for axes, values in zip(grid[0], curves, strict=True):
                axes.plot(degrees, values, color=PALETTE[i % len(PALETTE)], lw=1.6)
        words = ("lateral force [N]", "torque [N·m]", "bristles that stick [%]")
        titles = ("on the tyre, to the left", "resists steering to the left", "share of the patch")
        for axes, word, title in zip(grid[0], words, titles, strict=True):
            axes.set(xlabel="slip angle [°]", ylabel=word)
            axes.set_title(title, fontsize=8.0, color=QUIET)
        grid[0, 2].set_ylim(-4.0, 104.0)
        keys = [grid[0, 2].lines[2 + i] for i in range(len(maps))]
        figure.legend(keys, list(maps), loc="outside upper right", ncols=len(maps), handlelength=1.2)
        figure.suptitle("A rolling tyre", x=0.012, ha="left", fontsize=11.0, fontweight="bold")
    return figure


def _distinct(patch: ContactPatch, angles: Values, speeds: Sequence[float]) -> dict[str, tuple[Values, ...]]:
    """The curves of every speed under its name; speeds whose curves look like one share them, and that is said."""
    found: list[tuple[list[str], tuple[Values, ...]]] = []
    for speed in speeds:
        state = patch.steady(slip_angle=angles, speed=speed)
        candidate = tuple(np.asarray(c) for c in (state.lateral_force, state.torque, 100.0 * np.asarray(state.stuck)))
        for names, curves in found:
            if all(np.abs(a - b).max() <= _SAME * np.ptp(a) for a, b in zip(candidate, curves, strict=True)):
                names.append(f"{speed:g}")
                break
        else:
            found.append(([f"{speed:g}"], candidate))
    return {f"{' and '.join(names)} m/s{': equal' if len(names) > 1 else ''}": curves for names, curves in found}


def _widest(patch: ContactPatch, speeds: Sequence[float]) -> float:
    """The slip angle at which every bristle slides at each speed, and half as much again; at most 0.5 rad."""
    angles = np.geomspace(1e-3, 1.0 / 3.0, 60)
    ends = []
    for speed in speeds:
        slides = np.flatnonzero(np.asarray(patch.steady(slip_angle=angles, speed=speed).stuck) == 0.0)
        ends.append(angles[slides[0]] if slides.size else angles[-1])
    return 1.5 * float(max(ends))


_SHOWN = {"wheel_angle", "hand_torque", "stuck", "speed"}
register("steering", steering, lambda result: set(result.variables) >= _SHOWN)
