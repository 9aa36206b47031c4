"""A rod on paper: its shapes as a strip, where its energy went, how it got on; and in motion, as a GIF or HTML file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tegotae import checks
from tegotae.figures.colours import AMBER, BLUE, FORCE, GREEN, HAIR, INK, MOTION, PLUM, QUIET, SKY, VERMILION
from tegotae.figures.film import DPI, MOST_FRAMES, drawn, film_file, write_film
from tegotae.figures.result_figures import register, row
from tegotae.figures.rod_strip import MOST_PHASES, base_at, lengths_of, outline, phases_of, strip, things_of
from tegotae.figures.style import Axes, Figure, Shown, Values, shade_stuck, sheet, style, thinned, time_axis
from tegotae.result import Result

STICKS, SLIPS = BLUE, VERMILION
_LEAST_SECONDS = 5.0  # that a film takes: what is quicker is slowed down
_OWNER = "animate_rod"
_TALL = 4.2  # inch: a wide panel that needs more has the rest beside it, not below


def is_rod(result: Result) -> bool:
    """Whether a result tells of one rod."""
    place = result.variables.get("position")
    complete = {"angle", "bending_moment", "kinetic", "elastic", "work"} <= set(result.variables)
    return complete and place is not None and place.dims == ("time", "node", "axis")


def rod(result: Result) -> Figure:
    """Shapes phase by phase, energies over time, and what a reader asks next: the way made, the force of what holds
    the base on the ground, or the speeds along the rod.

    Args:
        result: of a `PlanarRod` or a `GroundedRod`.

    Example:
        >>> from tegotae.figures.rod import rod
        >>> from tegotae.rod import Phase, PlanarRod
        >>> thrown = PlanarRod(length=1.0, nodes=5, density=1.0, elasticity=1.0)
        >>> figure = rod(thrown.run([Phase(until=0.5, torque=1.0, base="pinned"), Phase(until=1.0)]))
        >>> [axes.get_ylabel() for axes in figure.axes]
        ['y [m]', '', 'energy [J]', 'speed [m/s]']
    """
    ends = panels_of(result)
    across, up = np.ptp(result.position.reshape(-1, 2), axis=0) + 0.1 * float(lengths_of(result).sum())
    tall = 9.0 * float(up / across) if ends.size == 1 else 3.0
    beside = tall > _TALL
    figure, grid = sheet(width=9.6, height=4.6 if beside else 2.9 + max(tall, 1.8))
    grid[0, 0].remove()
    if beside:
        spec = figure.add_gridspec(2, 2)
        shown, below = [spec[:, 0]], (spec[0, 1], spec[1, 1])
    else:
        spec = figure.add_gridspec(2, 1, height_ratios=[max(tall, 1.8), 2.3])
        panels, halves = spec[0].subgridspec(1, ends.size), spec[1].subgridspec(1, 10)
        # Labels of columns with the same number are aligned: the right half begins beyond all panels.
        shown, below = [panels[0, i] for i in range(ends.size)], (halves[0, :5], halves[0, 5:])
    strip([figure.add_subplot(cell) for cell in shown], result, ends)
    energies(figure.add_subplot(below[0]), result)
    going(figure.add_subplot(below[1]), result)
    return figure


def panels_of(result: Result) -> Values:
    """When each panel of shapes ends [s]: the phases; of one phase, thirds of it unless the rod travels."""
    last = float(result.time[-1])
    ends = np.atleast_1d(np.asarray(result.about.get("phase_ends", last), dtype=np.float64))
    ends = np.append(ends[(ends > result.time[0]) & (ends < last)], last)
    if 1 < ends.size <= MOST_PHASES:
        return ends
    travel = float(np.linalg.norm(result.position[-1, 0] - result.position[0, 0]))
    if ends.size > 1 or travel > 0.75 * float(lengths_of(result).sum()):
        return np.array([last])
    return np.asarray(result.time[0] + (last - result.time[0]) * np.arange(1, 4) / 3.0)


def energies(axes: Axes, result: Result) -> None:
    """What was put in (line) lies stacked: dissipated, left to the ground, in gravity, in bending, in motion."""
    parts = [("viscous", result.dissipated, AMBER)]
    if "ground_work" in result.variables and result.ground_work.any():
        parts.append(("ground", np.maximum(result.ground_work, 0.0), PLUM))
    if "potential" in result.variables and np.ptp(result.potential) > 0.0:
        parts.append(("gravity", result.potential - result.potential.min(), SKY))
    parts += [("elastic", result.elastic, GREEN), ("kinetic", result.kinetic, BLUE)]
    total = sum(values[0] for _, values, _ in parts) + result.work
    shown = Shown.of(np.stack([total, *(values for _, values, _ in parts)]), "J")
    time = Shown.of(result.time, "s")
    points = thinned(*shown.values)
    colors = [color for _, _, color in parts]
    axes.stackplot(time.values[points], *shown.values[1:, points], colors=colors, alpha=0.75, lw=0)
    axes.plot(time.values[points], shown.values[0, points], color=INK, lw=1.2)
    # In the order of the stack, beside it.
    _key(axes, [*axes.collections, axes.lines[0]], [*(name for name, _, _ in parts), "work"])
    axes.set_ylabel(f"energy [{shown.unit}]")
    axes.set_ylim(bottom=0.0)
    time_axis((axes,), time)


def going(axes: Axes, result: Result) -> None:
    """On the ground: the force of what drags the base, or the way that a free body has made. Between walls and pegs
    their push. Else speeds.
    """
    time = Shown.of(result.time, "s")
    rubs = bool(result.about.get("ground", 0))
    if rubs and result.base_force.any():
        _dragged(axes, result, time)
    elif rubs:
        _travelled(axes, result, time)
    elif "contact" in result.variables and result.contact.any():
        push = Shown.of(np.linalg.norm(result.contact, axis=2).sum(axis=1), "N")
        row(axes, time, push, FORCE, f"push of {things_of(result)}")
    else:
        nodes = result.position.shape[1]
        places = {"base": (0, QUIET), "middle": (nodes // 2, GREEN), "tip": (nodes - 1, BLUE)}
        shown = Shown.of(np.linalg.norm(result.velocity, axis=2), "m/s")
        for node, color in places.values():
            points = thinned(shown.values[:, node])
            axes.plot(time.values[points], shown.values[points, node], color=color)
        axes.set_ylabel(f"speed [{shown.unit}]")
        _key(axes, axes.lines, list(places))
    _, ends = phases_of(result)
    for end in ends[:-1] if ends.size <= MOST_PHASES else ():
        axes.axvline(end * time.values[-1] / result.time[-1], color=QUIET, lw=0.8, ls=(0, (4, 3)), zorder=1)
    time_axis((axes,), time)


def _dragged(axes: Axes, result: Result, time: Shown) -> None:
    force = result.base_force
    along = int(np.argmax(np.ptp(force, axis=0)))
    row(axes, time, Shown.of(force[:, along], "N"), FORCE, f"pull along {'xy'[along]}")
    if shade_stuck((axes,), time, result.slip_speed[:, -1] == 0.0):
        axes.set_title("grey: the tip sticks, its slip is exactly 0", fontsize=8.0, color=QUIET)


def _travelled(axes: Axes, result: Result, time: Shown) -> None:
    lengths = lengths_of(result)
    middles = 0.5 * (result.position[:, 1:] + result.position[:, :-1])
    centre = np.einsum("tsa,s->ta", middles, lengths) / lengths.sum()  # of the middle of the line that the rod makes
    shown = Shown.of(centre - centre[0], "m")
    for i, color in enumerate((MOTION, VERMILION)):
        axes.plot(time.values, shown.values[:, i], color=color)
    axes.axhline(0.0, color=HAIR, lw=0.9, zorder=1)
    axes.set_ylabel(f"way [{shown.unit}]")
    _key(axes, axes.lines, ["middle of the body, along x", "along y"])


def _key(axes: Axes, marks: Sequence[Any], names: Sequence[str]) -> None:
    """In one row above the panel."""
    axes.legend(
        marks[: len(names)],
        names,
        loc="lower left",
        bbox_to_anchor=(-0.01, 1.0),
        ncols=len(names),
        handlelength=0.9,
        handletextpad=0.5,
        columnspacing=1.0,
        borderaxespad=0.2,
    )


# ------------------------------------------------------------ in motion


def animate_rod(run: Result, path: str | os.PathLike[str], *, frames: int | None = None, rate: float = 25.0) -> Path:
    """Write a rod in motion, with the way of its tip, its energies and how it gets on; on the ground, nodes that stick
    are blue and those that slip red.

    Args:
        run: of a `PlanarRod` or a `GroundedRod`.
        path: ends in .gif, or in .html for one file that plays in any browser, with a slider.
        frames: how many; enough for real time, at most 250, at least those of five seconds, unless given.
        rate: frames a second [Hz], > 0.

    Example:
        >>> from tegotae.figures import animate_rod
        >>> from tegotae.rod import Phase, PlanarRod
        >>> swing = PlanarRod(length=1.0, nodes=5, density=1.0, elasticity=1.0, viscosity=0.1)
        >>> run = swing.run([Phase(until=1.0, torque=1.0, base="pinned")])
        >>> animate_rod(run, "swing.gif", frames=3).name
        'swing.gif'
    """
    target = film_file(path)
    if not is_rod(run) or run.time.size < 2:
        checks.refuse(_OWNER, "this result tells of no rod in motion.", "Give what PlanarRod or GroundedRod returned.")
    rate = checks.positive(_OWNER, "rate", rate, "Hz", "Such as 25 frames a second.")
    length = float(np.ptp(run.time))
    if frames is None:
        frames = min(MOST_FRAMES, run.time.size, max(round(rate * _LEAST_SECONDS), round(rate * length)))
    count = checks.whole(_OWNER, "frames", frames, 2, "Give at least 2.")
    rows = np.unique(np.searchsorted(run.time, np.linspace(run.time[0], run.time[-1], count) - 1e-9))
    pace = length / (rows.size / rate)
    picture = _RodFilm(run, rows, pace)
    frames_of = drawn(picture.figure, picture.moving, rows.size, picture.show)
    return write_film(target, frames_of, rate=rate, title=run.title)


class _RodFilm:
    """One sheet, and what moves on it."""

    def __init__(self, run: Result, rows: NDArray[np.int64], pace: float):
        self.run, self.rows, self.pace = run, rows, pace
        self.lengths = lengths_of(run)
        self.rubs = "friction" in run.variables and bool(run.friction.any())
        with style():
            self.figure = self._sheet()
            self.now = [a.axvline(0.0, color=INK, lw=1.0, animated=True) for a in (self.store, self.course)]
            self.moving = [*self._rod(), *self.now]

    def _sheet(self) -> Figure:
        size = np.ptp(self.run.position.reshape(-1, 2), axis=0) + 0.2 * float(self.lengths.sum())
        wide = bool(size[0] > 2.0 * size[1])
        figure, grid = sheet(width=8.6, height=4.7)
        grid[0, 0].remove()
        figure.set_dpi(DPI)
        if wide:
            spec = figure.add_gridspec(2, 2, height_ratios=[1.25, 1.0])
            cells = (spec[0, :], spec[1, 0], spec[1, 1])
        else:
            spec = figure.add_gridspec(2, 2, width_ratios=[1.35, 1.0])
            cells = (spec[:, 0], spec[0, 1], spec[1, 1])
        self.view, self.store, self.course = (figure.add_subplot(cell) for cell in cells)
        figure.suptitle(self.run.title, x=0.012, ha="left", fontsize=11.0, fontweight="bold")
        energies(self.store, self.run)
        going(self.course, self.run)
        return figure

    def _rod(self) -> list[Any]:
        """The rod on its plane, all places that it will reach in sight."""
        from matplotlib.patheffects import withStroke

        axes, run = self.view, self.run
        low, high = (edge(run.position.reshape(-1, 2), axis=0) for edge in (np.min, np.max))
        margin = 0.05 * float(self.lengths.sum())
        axes.update_datalim([low - margin, high + margin])
        axes.margins(0.0)
        axes.autoscale_view()
        axes.set_aspect("equal", adjustable="datalim")
        axes.set(xlabel="x [m]", ylabel="y [m]")
        (self.trail,) = axes.plot([], [], color=QUIET, lw=0.9, animated=True)
        (self.ghost,) = axes.plot([], [], color=HAIR, lw=3.0, animated=True)
        (self.body,) = axes.plot([], [], color=INK if self.rubs else BLUE, lw=3.4, animated=True)
        # The tip is larger: it often carries something.
        sizes = np.append(np.full(self.lengths.size, np.clip(250.0 / self.lengths.size, 5.0, 30.0)), 34.0)
        self.nodes = axes.scatter(0.0 * sizes, 0.0 * sizes, s=sizes, animated=True)
        (self.base,) = axes.plot([], [], "s", ms=8.0, color=INK, mec="white", mew=0.8, zorder=5, animated=True)
        (self.tip,) = axes.plot([], [], "o", ms=5.0, color=INK, zorder=5, animated=True)
        edge = [withStroke(linewidth=3.0, foreground="white")]
        self.words = axes.text(
            0.015, 0.97, "", transform=axes.transAxes, va="top", fontsize=9.0, path_effects=edge, animated=True
        )
        if self.rubs:
            axes.set_title("blue sticks   red slips", fontsize=8.0, color=QUIET, loc="right")
        marks = [self.nodes] if self.rubs else [self.tip]
        return [self.ghost, self.trail, self.body, *marks, self.base, self.words]

    def show(self, i: int) -> None:
        """Everything in its place for picture i."""
        run, row = self.run, int(self.rows[i])
        nodes = run.position[row]
        self.body.set_data(*outline(run.angle[row], nodes[0], self.lengths))
        self.ghost.set_data(*outline(run.angle[0], run.position[0, 0], self.lengths))
        self.trail.set_data(run.position[: row + 1, -1, 0], run.position[: row + 1, -1, 1])
        if self.rubs:
            self.nodes.set(offsets=nodes, color=np.where(run.slip_speed[row] == 0.0, STICKS, SLIPS).tolist())
        else:
            self.tip.set_data(nodes[-1:, 0], nodes[-1:, 1])
        self.base.set_data(*(nodes[:1].T if base_at(run, float(run.time[row])) != "free" else ([], [])))
        scale = self.store.get_xlim()[1] / float(run.time[-1])  # the unit in which time is shown
        for line in self.now:
            line.set_xdata([scale * run.time[row]] * 2)
        slowed = "" if self.pace > 0.75 else f"   slowed {1.0 / self.pace:.2g} times"
        quicker = "" if self.pace < 1.5 else f"   {self.pace:.2g} times real time"
        self.words.set_text(f"{run.time[row]:.2f} s{slowed}{quicker}")


register("rod", rod, is_rod)
