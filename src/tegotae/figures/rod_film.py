"""A rod in motion: a GIF, or one HTML file that plays by itself."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tegotae import checks
from tegotae.figures.colours import BLUE, HAIR, INK, QUIET, VERMILION
from tegotae.figures.film import DPI, MOST_FRAMES, drawn, film_file, write_film
from tegotae.figures.rod import energies, going, is_rod
from tegotae.figures.rod_strip import lengths_of, outline, phases_of
from tegotae.figures.style import sheet, style
from tegotae.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STICKS, SLIPS = BLUE, VERMILION
_LEAST_SECONDS = 5.0  # that a film takes: what is quicker is slowed down
_OWN = "animate_rod"


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
        checks.refuse(_OWN, "this result tells of no rod in motion.", "Give what PlanarRod or GroundedRod returned.")
    rate = checks.positive(_OWN, "rate", rate, "Hz", "Such as 25 frames a second.")
    length = float(np.ptp(run.time))
    if frames is None:
        frames = min(MOST_FRAMES, run.time.size, max(round(rate * _LEAST_SECONDS), round(rate * length)))
    count = checks.whole(_OWN, "frames", frames, 2, "Give at least 2.")
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
        self.bases, self.ends = phases_of(run)
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
            told = "blue sticks   red slips"
            axes.set_title(told, fontsize=8.0, color=QUIET, loc="right")
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
        held = self._held(float(run.time[row]))
        self.base.set_data(*(nodes[:1].T if held else ([], [])))
        scale = self.store.get_xlim()[1] / float(run.time[-1])  # the unit in which time is shown
        for line in self.now:
            line.set_xdata([scale * run.time[row]] * 2)
        slowed = "" if self.pace > 0.75 else f"   slowed {1.0 / self.pace:.2g} times"
        quicker = "" if self.pace < 1.5 else f"   {self.pace:.2g} times real time"
        self.words.set_text(f"{run.time[row]:.2f} s{slowed}{quicker}")

    def _held(self, time: float) -> bool:
        if not self.bases:
            return False
        return self.bases[min(int(np.searchsorted(self.ends, time)), len(self.bases) - 1)] != "free"
