"""Figures of two robots that meet: the force over time beside theory, and a strip of pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tegotae import checks
from tegotae.figures.colours import AMBER, BLUE, FORCE, GREEN, HAIR, INK, QUIET
from tegotae.figures.result_figures import register
from tegotae.figures.style import Axes, Figure, Shown, Values, say, sheet, style, thinned
from tegotae.result import Result

ROBOTS = (BLUE, AMBER)
MOMENTS = (-1.0, 0.0, 0.1, 0.2, 8.8, 17.8)  # s from the first touch; the last three are those of Fig. 16 (d) to (f)
_BOX = 0.34  # m, half the width of a base
_PLATE = 0.25  # m, half the width of the plate


def is_two_robots(result: Result) -> bool:
    """Whether a result tells of two robots that meet."""
    return {"force", "gap", "outline", "moment", "elastic_energy"} <= set(result.variables)


def two_robots(result: Result) -> Figure:
    """The force of the contact, where the energy goes meanwhile, and a strip of pictures."""
    moments = _moments(result, MOMENTS)
    across, _, up = np.ptp(result.outline.reshape(-1, 3), axis=0)
    # So that the panels of the strip fill the width, within reason [inch].
    tall = float(np.clip(8.6 / moments.size * (up + 1.15) / (across + 1.5), 2.2, 3.8))
    figure, grid = sheet(width=9.6, height=2.9 + tall)
    grid[0, 0].remove()
    spec = figure.add_gridspec(2, 1, height_ratios=[2.6, tall])
    above = spec[0].subgridspec(1, 2, width_ratios=[3, 2])
    force(figure.add_subplot(above[0, 0]), result)
    _energies(figure.add_subplot(above[0, 1]), result)
    cells = spec[1].subgridspec(1, moments.size)
    strip([figure.add_subplot(cells[0, i]) for i in range(moments.size)], result, moments)
    return figure


def force_histories(runs: Mapping[str, Result]) -> Figure:
    """Force histories of runs, by title, beside each other on the same axes.  [tarao1999, Figs. 12 to 15]"""
    if not runs:
        checks.refuse("force_histories", "there are no runs.", "Give at least one, by title.")
    columns = min(2, len(runs))
    rows = -(-len(runs) // columns)
    figure, grid = sheet(rows, columns, width=4.4 * columns, height=0.2 + 2.35 * rows)
    high = max(float(run.force.max()) for run in runs.values())
    spans = [_window(run) for run in runs.values()]
    window = (min(first for first, _ in spans), max(last for _, last in spans))
    with style():
        for place in grid.ravel()[len(runs) :]:
            place.remove()
        for place, (title, run) in zip(grid.ravel(), runs.items(), strict=False):
            force(place, run, window=window)
            place.set_title(title, loc="left")
            place.set_ylim(-0.03 * high, 1.22 * high)
    return figure


def force(axes: Axes, result: Result, *, window: tuple[float, float] | None = None) -> None:
    """The force from shortly before the contact to shortly after it, over the half sine of theory.

    The window is the first and last time shown, since the first touch [s]; a little around the contact unless given.
    """
    first, last = _window(result) if window is None else window
    since, part = _shown(result, first, last)
    points = part[thinned(result.force[part])] if part.size else part
    axes.plot(1e3 * since[points], result.force[points], color=FORCE, lw=1.8, zorder=3)
    axes.set(xlabel=_clock(result), ylabel="force [N]", xlim=(1e3 * first, 1e3 * last))
    if "touched" in result.about:
        _annotate(axes, result)


def _annotate(axes: Axes, result: Result) -> None:
    """Theory's half sine, the peak and the duration, in words."""
    peak, length = float(result.about["theory_peak"]), float(result.about["theory_duration"])
    swing = np.linspace(0.0, length, 181)
    axes.plot(1e3 * swing, peak * np.sin(np.pi * swing / length), color=INK, lw=1.0, ls=(0, (2, 3)), zorder=4)
    top, lasted = float(result.force.max()), float(result.about["released"] - result.about["touched"])
    at = float(result.time[int(np.argmax(result.force))] - result.about["touched"])
    # Under its own curve where theory's runs above it.
    if top < 0.97 * peak:
        say(axes, f"{top:.3g} N", (1e3 * at, 0.96 * top), FORCE, ha="center", va="top")
    else:
        say(axes, f"{top:.3g} N", (1e3 * at, 1.03 * max(top, peak)), FORCE, ha="center", va="bottom")
    ends = {"arrowstyle": "<->", "color": QUIET, "lw": 0.7, "shrinkA": 0.0, "shrinkB": 0.0}
    axes.annotate("", (0.0, 0.09 * peak), (1e3 * lasted, 0.09 * peak), arrowprops=ends)
    say(axes, f"{1e3 * lasted:.3g} ms", (500.0 * lasted, 0.12 * peak), QUIET, ha="center", va="bottom")
    beside = 0.82 * length
    say(axes, str(result.about["theory"]), (1e3 * beside + 4.0, peak * np.sin(np.pi * 0.82)), INK, va="bottom")
    axes.set_ylim(-0.03 * max(top, peak), 1.18 * max(top, peak))


def _energies(axes: Axes, result: Result) -> None:
    """In motion and in the contact's spring, over the same time as the force."""
    first, last = _window(result)
    since, part = _shown(result, first, last)
    shown = Shown.of(np.stack([result.kinetic_energy[part], result.elastic_energy[part]]), "J")
    at = 1e3 * since[part]
    axes.stackplot(at, *shown.values[::-1], colors=(GREEN, BLUE), alpha=0.75, lw=0)
    axes.plot(at, shown.values.sum(axis=0), color=INK, lw=1.2)
    axes.set(xlabel=_clock(result), ylabel=f"energy [{shown.unit}]", xlim=(1e3 * first, 1e3 * last))
    axes.set_ylim(0.0, 1.18 * float(shown.values.sum(axis=0).max(initial=0.0)))
    names = ["in the contact", "in motion", "together"]
    keys = [*axes.collections, axes.lines[0]]
    axes.legend(keys, names, loc="upper center", ncols=3, handlelength=1.0, columnspacing=1.2, borderaxespad=0.2)


# ------------------------------------------------------------ the strip


def strip(axes: Sequence[Axes], result: Result, moments: Values) -> None:
    """Both robots at moments since the first touch [s], over where they were at first.  [tarao1999, Fig. 16]"""
    touched = float(result.about.get("touched", 0.0))
    times, columns = np.asarray(moments) + touched, result.outline.reshape(result.moment.size, -1).T
    between = np.stack([np.interp(times, result.moment, column) for column in columns], axis=1)
    seen = between.reshape(-1, *result.outline.shape[1:])
    low, high = seen[..., (0, 2)].min(axis=(0, 1, 2)), seen[..., (0, 2)].max(axis=(0, 1, 2))
    for i, (place, moment) in enumerate(zip(axes, moments, strict=True)):
        if i:
            _robots(place, seen[0], (HAIR, HAIR), filled=False)
        _robots(place, seen[i], ROBOTS, filled=True)
        row = min(int(np.searchsorted(result.time, moment + touched)), result.time.size - 1)
        if result.gap[row] < 0.0 or abs(moment) < 1e-9:
            place.plot(*seen[i, 0, -1, (0, 2)], "o", ms=5.0, color=FORCE, zorder=7)
        place.set_title(f"{moment:.3g} s", loc="left")
        gap = Shown.of([max(float(result.gap[row]), 0.0)], "m")
        word = "touch" if abs(moment) < 1e-9 or gap.values[0] == 0.0 else f"gap {gap.values[0]:.3g} {gap.unit}"
        place.set_xlabel(word, color=FORCE if word == "touch" else QUIET)
        place.set_aspect("equal", adjustable="box")
        place.set_xlim(low[0] - 0.75, high[0] + 0.75)
        place.set_ylim(low[1] - 0.75, high[1] + 0.4)
        place.set_xticks([])
        place.spines["bottom"].set_visible(False)
        if i:
            place.tick_params(labelleft=False, length=0.0)
            place.spines["left"].set_visible(False)
        else:
            place.set_ylabel("z [m]")
            _near(place)
            for robot, (x, _, z) in enumerate(seen[0, :, 0], 1):  # which is which, inside their bases
                place.annotate(str(robot), (x, z), color="white", fontsize=8.0, ha="center", va="center", zorder=8)


def _robots(axes: Axes, nodes: Values, colors: tuple[str, str], *, filled: bool) -> None:
    """Bases as boxes, links as bars between joints, the plate of robot 2."""
    from matplotlib.patches import Polygon

    for robot, color in enumerate(colors):
        at = nodes[robot][:, (0, 2)]
        along = (at[1] - at[0]) / np.linalg.norm(at[1] - at[0])
        half = float(np.linalg.norm(at[1] - at[0]))
        across = np.array([along[1], -along[0]])
        corners = [at[0] + sx * _BOX * across + sz * half * along for sx, sz in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        face = color if filled else "none"
        axes.add_patch(Polygon(corners, fc=face, ec=color, lw=0.8, alpha=0.85 if filled else 1.0, zorder=3))
        axes.plot(at[1:, 0], at[1:, 1], color=color, lw=2.6 if filled else 1.6, zorder=4 if filled else 2)
        if filled:
            axes.plot(at[1:-1, 0], at[1:-1, 1], "o", ms=3.0, mfc="white", mec=color, mew=1.0, zorder=5)
            if robot == 1:
                edge = np.stack([at[0] - half * along - _PLATE * across, at[0] - half * along + _PLATE * across])
                axes.plot(edge[:, 0], edge[:, 1], color=INK, lw=2.2, zorder=6, solid_capstyle="butt")


def _near(axes: Axes) -> None:
    """The label beside its own ticks, however far to the left other panels reach."""
    from matplotlib.figure import Figure
    from matplotlib.transforms import ScaledTranslation

    sheet_of = axes.figure
    assert isinstance(sheet_of, Figure)
    axes.yaxis.set_label_coords(0.0, 0.5, axes.transAxes + ScaledTranslation(-0.28, 0.0, sheet_of.dpi_scale_trans))


def _moments(result: Result, wanted: Sequence[float]) -> Values:
    """Those of the paper that the run reached; else some at equal times."""
    touched = float(result.about.get("touched", 0.0))
    last = float(result.time[-1]) - touched
    kept = [one for one in wanted if result.time[0] - touched - 0.05 <= one <= last + 1e-9]
    if len(kept) >= 4:
        return np.array(kept)
    return np.linspace(float(result.time[0]) - touched, last, 4)


def _window(result: Result) -> tuple[float, float]:
    """What is shown around the contact [s since the touch]; the whole run if there was none."""
    if "touched" not in result.about:
        return float(result.time[0]), float(result.time[-1])
    lasted = float(result.about["released"] - result.about["touched"])
    return -0.25 * lasted, 1.35 * lasted


def _shown(result: Result, first: float, last: float) -> tuple[Values, Values]:
    """Times since the touch [s], and which of them fall into a window."""
    since = result.time - float(result.about.get("touched", 0.0))
    return since, np.flatnonzero((since >= first) & (since <= last))


def _clock(result: Result) -> str:
    """What time is counted from, in words."""
    return "time since the first touch [ms]" if "touched" in result.about else "time [ms]"


register("two robots", two_robots, is_two_robots)
